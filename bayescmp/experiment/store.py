"""One fold, fitted and scored, and where finished folds are kept, also when a run is killed.

A checkpoint is an SQLite file: a transaction per fold, written by several processes at once, and
readable by every tool in its table ``scores``.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from bayescmp.base.files import is_name
from bayescmp.base.typing import PathLike
from bayescmp.base.workers import at_most
from bayescmp.errors import InputError
from bayescmp.experiment.data import Fold, is_pairwise, prepare_estimator, take
from bayescmp.experiment.scoring import Metric, evaluate
from bayescmp.scores.columns import KEYS

# One fold: fit, predict, score, in whatever process; errors are recorded, not raised.


#: Errors are recorded in one line of this length at most.
LONGEST = 400


@dataclass(frozen=True, eq=False)
class FoldJob:
    """The work on a fold, without its data; small enough to be sent with each fold."""

    estimator: object
    scoring: Mapping[str, Metric]
    positive: object
    keep: bool
    threads: int | None


@dataclass(frozen=True, eq=False)
class FoldOutcome:
    """The outcome of a fold.

    `values` has one number per metric, or NaN, for which `failure` is the reason. Times are in
    seconds, or NaN. `responses`, if kept, are "item", "truth", "predicted" and "value" of the test
    rows.
    """

    values: dict[str, float]
    fit_time: float = np.nan
    score_time: float = np.nan
    failure: str = ""
    responses: dict[str, np.ndarray] = field(default_factory=dict)


def run_fold(job: FoldJob, X: object, y: np.ndarray, fold: Fold) -> FoldOutcome:
    """Fit to a fold's training rows and score on its test rows; a cluster gets X and y once."""
    times = [np.nan, np.nan]
    try:
        # Sums in another order differ in their last digits: as many threads in every process.
        with at_most(job.threads):
            model = prepare_estimator(job.estimator, int(fold.seed or 0))
            columns = fold.train if is_pairwise(model) else None
            start = perf_counter()
            model.fit(take(X, fold.train, columns), y[fold.train])
            times[0] = perf_counter() - start
            test_X, test_y = take(X, fold.test, columns), y[fold.test]
            start = perf_counter()
            values, reasons, kept = evaluate(model, test_X, test_y, job.scoring, job.positive)
            times[1] = perf_counter() - start
    except Exception as error:  # recorded, so that the others continue
        values, kept = dict.fromkeys(job.scoring, np.nan), {}
        reasons = [f"{type(error).__name__}: {error}"]
    else:
        kept = {"item": fold.test, "truth": test_y, **kept} if job.keep else {}
    return FoldOutcome(values, times[0], times[1], _shorten("; ".join(reasons)), kept)


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."


# Differences between two descriptions of an experiment, in words.


def tell_differences(there: Mapping[str, object], here: Mapping[str, object]) -> list[str]:
    """Say what differs between two descriptions, each in a few words."""
    differences: list[str] = []
    for part in here:
        if part == "folds" and differences:  # they follow from the seed and the data
            continue
        old, new = there.get(part), here[part]
        if isinstance(old, dict) and isinstance(new, dict):
            differences += _differences(part, old, new)
        elif old != new:
            differences.append(_tell_difference(f"{part} is", old, new))
    return differences[:6] + ([f"and {len(differences) - 6} more"] if len(differences) > 6 else [])


def _differences(part: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    """Yield the names that only one of them has, then those that differ."""
    for own, other, where in ((old, new, "there"), (new, old, "here")):
        alone = ", ".join(repr(name) for name in own if name not in other)
        if alone:
            yield f"{part}: {abbreviate_value(alone)} {where} only"
    for name in (name for name in new if name in old and new[name] != old[name]):
        was, now, what = old[name], new[name], "is"
        if isinstance(was, dict) and isinstance(now, dict):
            inner = next(k for k in sorted({*was, *now}) if was.get(k) != now.get(k))
            was, now, what = was.get(inner), now.get(inner), f"has {inner}".rstrip()
        yield _tell_difference(f"{part}: {name!r} {what}", was, now)


def _tell_difference(what: str, old: object, new: object) -> str:
    return f"{what} {abbreviate_value(old)} there, {abbreviate_value(new)} here"


def abbreviate_value(value: object) -> str:
    """Write a value in at most 60 characters."""
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


# Storage of finished folds: in memory, or in a checkpoint that survives a killed process.


#: Data set, algorithm, repeat, fold.
Key = tuple[str, str, int, int]

#: The facts about a split in a fold's row.
Drawn: TypeAlias = Mapping[str, int | float | str | None]

#: Seconds that a process waits for another one's transaction.
PATIENCE = 120.0

_TIMES = ("fit_time", "score_time")


class CheckpointError(InputError):
    """A checkpoint that cannot be read or written, or belongs to a different experiment."""


class MemoryStore(dict[Key, FoldOutcome]):
    """Finished folds of a run without a checkpoint."""

    def add(self, key: Key, outcome: FoldOutcome, drawn: Drawn) -> None:
        """Keep a fold."""
        self[key] = outcome

    def outcomes(self) -> dict[Key, FoldOutcome]:
        """Return all that was kept."""
        return self

    def close(self) -> None:
        """Do nothing."""


class Checkpoint:
    """Finished folds in a file, which is made if it is not there."""

    def __init__(self, path: PathLike) -> None:
        if not isinstance(path, (str, os.PathLike)) or not is_name(os.fspath(path)):
            raise CheckpointError(
                f"checkpoint must be a file name (got {path!r}).", argument="checkpoint"
            )
        file, self.name = Path(path), f"checkpoint {str(Path(path))!r}"
        if file.is_dir() or not file.resolve().parent.is_dir():
            what = "a directory" if file.is_dir() else "a path in no existing directory"
            raise CheckpointError(
                f"{self.name} must be a file (got {what}). Use a file name.", argument="checkpoint"
            )
        self._lock = threading.Lock()  # joblib requests tasks from a separate thread
        with self._translate_errors("cannot be opened"):
            self._database = sqlite3.connect(
                file, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                # A roll-back journal, though a write-ahead log would be three times as fast: all
                # is in the one file, which may lie on a network disk. It is kept between
                # transactions.
                self._database.execute("PRAGMA journal_mode = PERSIST")
                self._database.execute("PRAGMA synchronous = FULL")
            except sqlite3.Error:
                self._database.close()
                raise
            self._metrics: tuple[str, ...] = ()

    @cached_property
    def _columns(self) -> set[str]:
        """Columns of the table; a file of an earlier version has no ``resampling``."""
        with self._translate_errors("cannot be read"):
            return {row[1] for row in self._database.execute("PRAGMA table_info(scores)")}

    def seed(self) -> int | None:
        """Return the seed of the file's experiment; None in a new file."""
        stored = self._read_description()
        return None if stored is None else int(self._json(stored, "seed"))

    def claim(self, description: Mapping[str, object], metrics: Iterable[str]) -> list[str]:
        """Make the file this experiment's, or check that it is; return what changed version."""
        self._metrics = tuple(metrics)
        text = {key: json.dumps(value, sort_keys=True) for key, value in description.items()}
        with self._transaction():
            stored = self._read_description()
            if stored is None:
                self._create(text)
                return []
        there = {key: self._json(stored, key) for key in stored}
        here = {key: json.loads(value) for key, value in text.items()}
        versions = [{"versions": d.pop("versions", {})} for d in (there, here)]
        unlike = tell_differences(there, here)
        if unlike:
            raise CheckpointError(
                f"{self.name} must be of this experiment (got another: {'; '.join(unlike)}). Use "
                "another file, or run the experiment it belongs to.",
                "checkpoint",
            )
        return tell_differences(*versions)

    def add(self, key: Key, outcome: FoldOutcome, drawn: Drawn) -> None:
        """Put a fold on the disk, unless it is already there."""
        row = {
            **dict(zip(KEYS, key, strict=True)),
            **drawn,
            **{m: outcome.values[m] for m in self._metrics},
            **{part: getattr(outcome, part) for part in _TIMES},
            "failure": outcome.failure or None,
        }
        row = {c: v for c, v in row.items() if c in self._columns}  # SQLite stores NaN as NULL
        names, marks = ", ".join(map(_quote_name, row)), ", ".join("?" * len(row))
        with self._transaction():
            fresh = self._database.execute(
                f"INSERT OR IGNORE INTO scores ({names}) VALUES ({marks})", list(row.values())
            )
            if fresh.rowcount and outcome.responses:
                self._database.execute(
                    "INSERT OR IGNORE INTO responses VALUES (?, ?, ?, ?, ?)",
                    [*key, _pack_arrays(outcome.responses)],
                )

    def keys(self) -> set[Key]:
        """Return the folds that are done, by whatever process."""
        with self._lock, self._translate_errors("cannot be read"):
            return set(self._database.execute(f"SELECT {', '.join(KEYS)} FROM scores"))

    def has(self, key: Key) -> bool:
        """Whether a fold is done, by whatever process."""
        where = " AND ".join(f"{column} = ?" for column in KEYS)
        with self._lock, self._translate_errors("cannot be read"):
            row = self._database.execute(f"SELECT 1 FROM scores WHERE {where}", key).fetchone()
        return row is not None

    def outcomes(self) -> dict[Key, FoldOutcome]:
        """Return all that is in the file."""
        names = [*KEYS, *self._metrics, *_TIMES, "failure"]
        columns = ", ".join(map(_quote_name, names))
        with self._lock, self._translate_errors("cannot be read"):
            rows = self._database.execute(f"SELECT {columns} FROM scores").fetchall()
            blobs = self._database.execute("SELECT * FROM responses").fetchall()
        responses = {tuple(key): self._arrays(key, blob) for *key, blob in blobs}
        return {row[:4]: self._outcome(row, responses.get(row[:4], {})) for row in rows}

    def forget_failures(self) -> None:
        """Remove the folds that failed, in whole or in part, so that they are run again."""
        with self._transaction():
            self._database.execute(
                "DELETE FROM responses WHERE (dataset, algorithm, repeat, fold) IN "
                "(SELECT dataset, algorithm, repeat, fold FROM scores WHERE failure IS NOT NULL)"
            )
            self._database.execute("DELETE FROM scores WHERE failure IS NOT NULL")

    def close(self) -> None:
        """Close the file, and remove its journal."""
        with suppress(sqlite3.Error):  # another process may be writing, and needs it
            self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()

    # Helpers.

    def _json(self, stored: Mapping[str, str], key: str) -> Any:
        """Return the file's entry for the experiment under a key."""
        try:
            return json.loads(stored[key])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise CheckpointError(
                f"{self.name} is damaged: {key!r} of its table experiment is "
                f"{abbreviate_value(stored.get(key))!r}, not JSON. Use another file name.",
                "checkpoint",
            ) from error

    def _arrays(self, key: Sequence[object], blob: bytes) -> dict[str, np.ndarray]:
        """Return the responses of a fold."""
        try:
            with np.load(io.BytesIO(blob), allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except Exception as error:  # the bytes may be anything
            dataset, algorithm, repeat, fold = key
            raise CheckpointError(
                f"{self.name} is damaged: the responses of {algorithm!r} on {dataset!r}, repeat "
                f"{repeat}, fold {fold} cannot be read. Run these folds again with another file "
                "name.",
                "checkpoint",
            ) from error

    def _outcome(self, row: tuple[Any, ...], responses: dict[str, np.ndarray]) -> FoldOutcome:
        numbers = [np.nan if value is None else value for value in row[4:-1]]
        *scores, fit_time, score_time = numbers
        values = dict(zip(self._metrics, scores, strict=True))
        return FoldOutcome(values, fit_time, score_time, row[-1] or "", responses)

    def _read_description(self) -> dict[str, str] | None:
        """Return the file's description of its experiment; None if it is new."""
        with self._translate_errors("is not a checkpoint"):
            tables = {name for (name,) in self._database.execute("SELECT name FROM sqlite_master")}
            if not tables:
                return None
            if "experiment" not in tables:
                raise CheckpointError(
                    f"{self.name} must be a checkpoint (got another SQLite file, which was not "
                    "changed).",
                    "checkpoint",
                )
            return dict(self._database.execute("SELECT key, value FROM experiment"))

    def _create(self, text: Mapping[str, str]) -> None:
        measured = "".join(f"{_quote_name(m)} REAL, " for m in self._metrics)
        key = f"PRIMARY KEY ({', '.join(KEYS)})"
        execute = self._database.execute
        execute("CREATE TABLE experiment (key TEXT PRIMARY KEY, value TEXT)")
        execute(
            "CREATE TABLE scores (dataset TEXT, algorithm TEXT, repeat INTEGER, fold INTEGER, "
            "n_train INTEGER, n_test INTEGER, fold_correlation REAL, resampling TEXT, "
            f"{measured}fit_time REAL, score_time REAL, failure TEXT, {key})"
        )
        execute(
            "CREATE TABLE responses (dataset TEXT, algorithm TEXT, repeat INTEGER, fold INTEGER, "
            f"arrays BLOB, {key})"
        )
        self._database.executemany("INSERT INTO experiment VALUES (?, ?)", text.items())

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Do all or nothing, one process at a time."""
        with self._lock, self._translate_errors("cannot be written"):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _translate_errors(self, what: str) -> Iterator[None]:
        """Turn SQLite's errors into ours, with the file's name and what to do."""
        try:
            yield
        except sqlite3.Error as error:
            reason = str(error)
            advice = " Use another file name." if "not a database" in reason else ""
            if "full" in reason or "I/O" in reason:
                advice = " The folds finished before are safe in it. Make room and run again."
            raise CheckpointError(
                f"{self.name} {what}: {reason}.{advice}", "checkpoint"
            ) from error


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _pack_arrays(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Pack arrays into bytes without pickles; labels of mixed types are kept as text."""
    plain = {
        k: v if v.dtype.kind in "biufU" else np.asarray(list(map(str, v)), dtype=str)
        for k, v in arrays.items()
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **plain)  # type: ignore[arg-type]
    return buffer.getvalue()
