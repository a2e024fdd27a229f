"""The input and the output of a reader, and functions that several readers need."""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must
from bayescmp.base.checks import as_names, check_choice
from bayescmp.base.typing import Json
from bayescmp.errors import InputError, QuestionsError, locate_errors, name_argument, unknown_name
from bayescmp.scores.columns import as_frame, as_numbers, names_in, recognise
from bayescmp.scores.readers.files import read_noted
from bayescmp.wording.text import format_count

#: The options that declare a metric's direction, which `Scores` accepts for any format.
WAYS = ("lower_is_better", "higher_is_better")


@dataclass(frozen=True, eq=False)
class Source:
    """The input of a reader.

    `value` is the user's argument: a path, a DataFrame, ... `frame` is its table, if any, `name`
    the file's without extension. `notes` describe how the file is written, if that had to be
    found.
    """

    value: Any
    frame: pd.DataFrame | None = None
    name: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def from_value(
        cls,
        value: Any,
        names: Callable[[list[str]], Iterable[str]] = names_in,
        *,
        sep: str | None = None,
        decimal: str | None = None,
    ) -> Source:
        """Make a source from what the user gave; ``names`` and so on as for `read_table`."""
        if isinstance(value, (str, os.PathLike)):
            frame, notes = read_noted(value, names, sep=sep, decimal=decimal)
            return cls(value, frame, Path(value).name.split(".")[0], notes)
        given = [name for name, own in (("sep", sep), ("decimal", decimal)) if own is not None]
        if given:
            raise must(given[0], "be left out unless source is a path of a text file")
        value = as_frame(value)
        return cls(value, value if hasattr(value, "iloc") and hasattr(value, "columns") else None)

    @property
    def table(self) -> pd.DataFrame:
        """Return the table of a source that is known to be one."""
        assert self.frame is not None
        return self.frame

    @property
    def columns(self) -> list[str]:
        """Names of the table's columns; empty if it is not a table."""
        return [] if self.frame is None else [str(c) for c in self.frame.columns]

    def has(self, *columns: str) -> bool:
        """Whether it is a table with all of these columns."""
        return set(columns) <= set(self.columns)


@dataclass(frozen=True, eq=False)
class Reading:
    """A table, long or wide, in the shape of `Scores`, and the facts from its program.

    `recognised` is a line; `resampling` is how the folds were drawn, if the format shows it, else
    `needs` is why the user has to declare it. `lower` and `higher` are metrics with known
    directions, `columns` maps parts to columns. `settings` are columns of numbers that do not vary
    as scores do: not metrics, unless declared. `notes` describe how the file is written.
    """

    frame: pd.DataFrame
    recognised: str
    resampling: object = None
    lower: Sequence[str] = ()
    higher: Sequence[str] = ()
    needs: str = ""
    columns: Mapping[str, str] | None = None
    settings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def settle_ways(self, options: Mapping[str, Any]) -> dict[str, list[str]]:
        """Settle which way metrics are better; what the user says goes before what it tells."""
        lower, higher = (as_names(options.get(way), way) for way in WAYS)
        declared = {*lower, *higher}
        return {
            "lower_is_better": [*lower, *(m for m in self.lower if m not in declared)],
            "higher_is_better": [*higher, *(m for m in self.higher if m not in declared)],
        }


@dataclass(frozen=True)
class Format:
    """One program's results.

    `read` takes a `Source` and the format's own keyword-only options, with ``**ways`` declared
    directions of metrics. Tables have `columns`; `names` are never empty text; `test` checks a
    `Source`, `may_be` one that the user says is in the format.
    """

    name: str
    read: Callable[..., Reading]
    columns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    test: Callable[[Source], bool] | None = None
    may_be: Callable[[Source], bool] | None = None

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Names of the options that `read` takes."""
        parameters = signature(self.read).parameters.values()
        own = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
        return (*own, *(WAYS if any(p.kind is Parameter.VAR_KEYWORD for p in parameters) else ()))

    def matches(self, source: Source) -> bool:
        """Whether a source is in this format."""
        return source.has(*self.columns) and (self.test is None or self.test(source))

    def reading(self, source: Source, options: Mapping[str, object]) -> Reading:
        """Read a source with those of these options that are the format's own."""
        with locate_errors(f"source in the format {self.name!r}"):
            if source.frame is not None:
                _check_cells(source.frame, self.names)
            for name in (c for c in self.names if source.has(c)):
                empty = np.flatnonzero(source.table[name].isna().to_numpy())
                if len(empty):
                    raise must(
                        f"column {name!r}",
                        "have a name in every row",
                        f"none in row {empty[0]}",
                        "Give a name there.",
                    )
            return self.read(source, **{n: options[n] for n in self.options if n in options})


def _check_cells(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Refuse lists and similar values among names, and in columns of other values."""
    for column, cells in frame.items():
        if cells.dtype != object:
            continue
        held = [isinstance(v, list | tuple | set | Mapping | np.ndarray) for v in cells]
        if any(held) and (str(column) in names or sum(held) < cells.notna().sum()):
            row = held.index(True)
            raise must(
                f"column {column!r}",
                "hold one name or number per row",
                f"{cells.iloc[row]!r} in row {row}",
            )


def choose_format(formats: Iterable[Format], source: Source, format: object) -> Format | None:
    """Return the format of this name, or the first that matches the source; None for a table."""
    known = {f.name: f for f in formats}
    if format == "auto":
        return next((f for f in known.values() if f.matches(source)), None)
    if format == "table":
        return None
    form = known.get(str(format))
    if form is None:
        raise unknown_name("format", format, ["auto", "table", *known])
    if not (form.may_be or form.matches)(source):
        other = next((f.name for f in known.values() if f.matches(source)), None)
        raise must(
            "source",
            f"be in the format {format!r}",
            "another" if other is None else repr(other),
            "Leave the format out to have it recognised.",
        )
    return form


@contextmanager
def name_file_in_errors(source: object) -> Iterator[None]:
    """Put the name of the file being read before an error that does not name it."""
    with name_argument("source", "frame"):
        try:
            yield
        except QuestionsError as error:
            path = str(source) if isinstance(source, (str, os.PathLike)) else None
            raise QuestionsError(
                error.column, unclear=error.unclear, models=error.models, path=path
            ) from None
        except InputError as error:
            if not isinstance(source, (str, os.PathLike)) or str(source) in str(error):
                raise
            with locate_errors(repr(str(source))):
                raise


def named_by(
    formats: Iterable[Format],
    given: object = None,
    parts: Mapping[str, Sequence[str]] | None = None,
) -> Callable[[list[str]], list[str]]:
    """Find which columns of a file hold names: by spelling, or as the user or a format says."""

    def names(header: list[str]) -> list[str]:
        own = given if isinstance(given, Mapping) else None
        source = Source(None, pd.DataFrame(columns=header))
        form = next((f for f in formats if f.matches(source)), None)
        known = () if form is None else form.names
        return [*names_in(header, own, parts=parts), *known]

    return names


def from_long(
    frame: pd.DataFrame, labels: Sequence[str], metric: str, value: str, what: str
) -> pd.DataFrame:
    """Turn a table with one row per metric (`metric`, `value`) into one column per metric."""
    again = frame.duplicated([*labels, metric])
    if again.any():
        row = frame.loc[again].iloc[0]
        where = ", ".join(f"{label} {str(row[label])!r}" for label in labels)
        raise InputError(
            f"{what} must have each score once (got {format_count(int(again.sum()), 'score')} "
            f"twice, e.g. {row[metric]!r} for {where}). Keep one of each."
        )
    wide = frame.pivot(index=list(labels), columns=metric, values=value)
    return wide.rename_axis(columns=None).reset_index()


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Shorten dotted names to their last parts where these differ."""
    names = list(dict.fromkeys(map(str, names)))
    last = [re.split(r"[./]|__|::", name)[-1] for name in names]
    return {n: s if last.count(s) == 1 else n for n, s in zip(names, last, strict=True)}


def parts_of(
    columns: Iterable[object], given: Mapping[str, str] | None, what: str
) -> dict[str, str]:
    """Find which of a run table's columns play the parts of a score's labels."""
    names = [str(c) for c in columns]
    plain = {re.sub(r"^(params|tags|config|summary)\.", "", n): n for n in reversed(names)}
    own = {part: plain.get(column, column) for part, column in (given or {}).items()}
    roles = {part: plain[column] for part, column in recognise(list(plain)).items()}
    roles = recognise(names, {**roles, **own})
    if "algorithm" not in roles:
        raise InputError(
            f"{what} must have a column for the algorithm (got {', '.join(map(repr, names))}). "
            "State which column has which role: "
            f"{arg('columns', {'algorithm': ..., 'dataset': ..., 'fold': ...})}."
        )
    return roles


def failures(failed: pd.Series, why: object) -> pd.Series:
    """Make the column ``failure``: why a row has no scores, None if it has."""
    reasons = pd.Series(why, index=failed.index, dtype=object)
    return reasons.where(failed, None)


def numbers(part: str, values: pd.Series) -> pd.Series:
    """Return folds as numbers if all of them are ("0", "1", ...); names unchanged."""
    if part in ("dataset", "algorithm"):
        return values
    numbers = as_numbers(values)
    return values if numbers.isna().any() or np.isinf(numbers).any() else numbers


# Which files there are.


def paths_of(value: object) -> list[tuple[str, Path]]:
    """Return the files and folders that were given, each with the name that a mapping gives it."""
    if isinstance(value, (str, os.PathLike)):
        return [("", Path(value))]
    if isinstance(value, Mapping):
        pairs = [(str(name), path) for name, path in value.items()]
    elif isinstance(value, (list, tuple)):
        pairs = [("", path) for path in value]
    else:
        return []
    paths = [(name, Path(path)) for name, path in pairs if isinstance(path, (str, os.PathLike))]
    return paths if len(paths) == len(pairs) else []


def match_start(*patterns: str, suffix: str = ".json") -> Callable[[Path], bool]:
    """Make a test of whether a file's first characters hold all of these."""

    def known(path: Path) -> bool:
        if path.suffix != suffix or not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(4096).decode("utf-8-sig", "replace")
        return all(re.search(pattern, head) for pattern in patterns)

    return known


@dataclass(frozen=True)
class FilePart:
    """One file: columns model, benchmark, item, score (`lower` is better), epoch, cluster."""

    frame: pd.DataFrame
    metric: str
    lower: bool | None = False


@dataclass(frozen=True)
class ProgramLogs:
    """The logs of one program, called `what`: file name `patterns`; `known` checks content."""

    what: str
    patterns: tuple[str, ...]
    known: Callable[[Path], bool]

    def matches(self, source: Source) -> bool:
        """Whether all files are logs of this program, and every folder contains one."""
        paths = [path for _, path in paths_of(source.value)]
        return bool(paths) and all(
            any(True for _ in self._inside(p)) if p.is_dir() else self.known(p) for p in paths
        )

    def _inside(self, folder: Path) -> Iterator[Path]:
        candidates = (path for pattern in self.patterns for path in folder.rglob(pattern))
        return (path for path in candidates if self.known(path))

    def files(self, source: Source) -> list[tuple[str, Path]]:
        """Return each log once, those of a folder in the order of their names."""
        names: dict[Path, str] = {}
        for name, path in paths_of(source.value):
            for one in sorted(self._inside(path)) if path.is_dir() else [path]:
                names.setdefault(one, name)
        return [(name, path) for path, name in names.items()]

    def reading(self, source: Source, read_file: Callable[[Path], FilePart]) -> Reading:
        """Read all files into one table."""
        from tqdm import tqdm

        files, parts = self.files(source), []
        for name, path in tqdm(files, desc=f"files of {self.what}", disable=None):
            with name_file_in_errors(path):
                part = read_file(path)
            frame = _name_model(part.frame, name, path).assign(_file=str(path))
            parts.append(FilePart(frame, part.metric, part.lower))
        frame = pd.concat([part.frame for part in parts], ignore_index=True)
        _refuse_twice(frame)
        metrics = list(dict.fromkeys(part.metric for part in parts))
        score = metrics[0] if len(metrics) == 1 else "score"
        directions = {part.lower for part in parts}
        return Reading(
            frame.drop(columns="_file").rename(columns={"score": score}),
            f"{self.what}, {' and '.join(metrics)} ({format_count(len(files), 'file')})",
            columns={"score": score},
            lower=[score] if directions == {True} else [],
            higher=[score] if directions == {False} else [],
        )


def _name_model(frame: pd.DataFrame, name: str, path: Path) -> pd.DataFrame:
    if not name:
        return frame
    models = frame["model"].unique()
    if len(models) > 1:
        raise InputError(
            f"{str(path)!r} must hold one model, since the file is named {name!r} (got "
            f"{format_count(len(models), 'model')})."
        )
    return frame.assign(model=name)


def _refuse_twice(frame: pd.DataFrame) -> None:
    """Refuse an item that is in two files: which run counts is for the user to say."""
    labels = [c for c in ("model", "benchmark", "item", "epoch") if c in frame]
    files = frame.groupby(labels, sort=False)["_file"]
    first = files.transform("first")
    other = frame.loc[frame["_file"] != first]
    if len(other):
        row = other.iloc[0]
        raise InputError(
            f"benchmark {row['benchmark']!r} of model {row['model']!r} must be in one file (got "
            f"{first[other.index[0]]!r} and {row['_file']!r}, both with item {row['item']!r}). "
            "Give the files of one run, or name the runs: "
            + either("{'first': ..., 'second': ...}", "first=... --also second=...")
            + "."
        )


# The contents of a file.


def read_json(path: Path) -> Any:
    """Read a JSON document."""
    return _parse_json(path.read_bytes(), repr(str(path)))


def _parse_json(text: bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON, or cut off ({error})") from None


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Read documents in JSON lines, with their line numbers."""
    _require_file(path)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, _parse_json(line, f"{str(path)!r}, line {number}")


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InputError(
            f"{str(path)!r} must be a file or a folder of items (got a path that does not exist)."
        )


def read_members(path: Path, wanted: Callable[[list[str]], Iterable[str]]) -> dict[str, Json]:
    """Read JSON documents in a zip file: those of its names that are wanted."""
    _require_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                name: _parse_json(_member(archive, path, name), f"{str(path)!r}, {name}")
                for name in wanted(archive.namelist())
            }
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, zlib.error) as error:
        raise InputError(f"{str(path)!r}: not a zip file, or cut off ({error})") from None


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """Return the bytes of a member; Python knows Zstandard (method 93) from 3.14 on."""
    info = archive.getinfo(name)
    try:
        return archive.read(info)
    except NotImplementedError:
        if info.compress_type != 93:
            raise zipfile.BadZipFile(f"{name}: compression {info.compress_type}") from None
    try:
        import zstandard
    except ImportError:
        raise InputError(
            f"zstandard must be installed to read {str(path)!r}. Use pip install zstandard."
        ) from None
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(30)
        file.seek(sum(struct.unpack("<HH", header[26:])), os.SEEK_CUR)
        packed = file.read(info.compress_size)
    try:
        plain = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(f"{name}: {error}") from None
    if zlib.crc32(plain) != info.CRC:
        raise zipfile.BadZipFile(f"bad checksum of {name}")
    return plain


def entry(document: Any, *names: str) -> Any:
    """Return the entry under these nested names; None if there is none."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def number(value: object, what: str) -> float:
    """Return a score as a float, NaN if it is empty."""
    if value is None:
        return float("nan")
    if not isinstance(value, (int, float)):
        raise InputError(f"{what} must be a number (got {value!r}).")
    return float(value)


def read_scores(values: object, what: str) -> np.ndarray:
    """Return scores as floats, (n,), NaN if they are missing; `what` they are, for messages."""
    hint = "Give NaN where a score is missing"
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"{what} must be a list of numbers (got {values!r}). {hint}.")
    given = list(values)
    scores = np.empty(len(given))
    for i, value in enumerate(given):
        try:
            missing = value is None or value is pd.NA or value is pd.NaT
            scores[i] = np.nan if missing else float(value)
        except (TypeError, ValueError, OverflowError):
            kind = "too large a number" if isinstance(value, int) else repr(value)
            raise InputError(
                f"{what} must be numbers (got {kind} in place {i + 1}). {hint}."
            ) from None
    return scores


def number_names(names: Sequence[tuple[str, object]]) -> list[str]:
    """Name things, given with what tells them apart, numbering those that read alike."""
    known: dict[tuple[str, object], str] = {}
    seen: Counter[str] = Counter()
    for name in names:
        if name not in known:
            seen[name[0]] += 1
            again = seen[name[0]] > 1
            known[name] = f"{name[0]} ({seen[name[0]]})" if again else name[0]
    return [known[name] for name in names]


#: A metric, or one for each task.
Wanted: TypeAlias = str | Mapping[str, str] | None


def metric_of(wanted: Wanted, task: str) -> str | None:
    """Return the metric that is wanted of a task."""
    return wanted.get(task) if isinstance(wanted, Mapping) else wanted


def choose_one(names: Sequence[str], wanted: str | None, kind: str, option: str) -> str:
    """Return the one that is named, or the only one."""
    if wanted is not None:
        check_choice(kind, wanted, names)
        return wanted
    if not names:
        raise InputError(f"the source must have a {kind} (got none).")
    if len(names) > 1:
        some = ", ".join(map(repr, names[:12])) + (", …" if len(names) > 12 else "")
        raise InputError(
            f"{arg(option)} must be given, since there are several {kind}s (got none of {some}). "
            f"Name one with {arg(option, ...)}.",
            option,
        )
    return names[0]
