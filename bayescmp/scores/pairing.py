"""Which rows of a score table belong together, and which are left out."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import compress

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must
from bayescmp.base.checks import BEYOND_ALL, check_choice
from bayescmp.base.records import Record, without_caches
from bayescmp.base.typing import Json
from bayescmp.errors import InputError
from bayescmp.scores import columns
from bayescmp.scores.metrics import COUNTS, find_metric
from bayescmp.wording.text import format_count


def _common() -> str:
    return either("Scores(..., missing='common')", missing="common")


#: What to do about a score that is not finite.
MISSING = (
    "Complete the runs, drop the data set for all algorithms, or compare the {sample}s that both "
    "algorithms have: {common}"
)
NOT_SHARED = "No {sample} has scores of both algorithms, so the runs have to be completed."
INFINITE = (
    "Run it again, or leave its cell empty and compare the {sample}s that both algorithms have: "
    "{common}"
)
FOR_RANKS = f". For a rank test such as friedman, {BEYOND_ALL}."


def _by_name() -> str:
    return f"with {either('algorithms=...', 'ALGORITHM ... after the table')}"


@dataclass(frozen=True)
class LeftOut(Record):
    """Data left out because some compared algorithm had no score.

    `datasets` have no fold in common; `by_dataset` counts the folds left out of others.
    `algorithms` is how many are compared, `units` what data sets and folds are called.

    Examples
    --------
    >>> from bayescmp.scores.pairing import LeftOut
    >>> print(LeftOut(("wine",), {"iris": 2}))
    left out, without a score of both: 1 data set ('wine') and 2 folds
    """

    datasets: tuple[str, ...] = ()
    by_dataset: Mapping[str, int] = field(default_factory=dict)
    algorithms: int = 2
    units: tuple[str, str] = ("data set", "fold")

    @property
    def folds(self) -> int:
        """Number of folds left out of the data sets that were compared."""
        return sum(self.by_dataset.values())

    def select_dataset(self, dataset: str) -> LeftOut | None:
        """Return what was left out of one data set; None if nothing was."""
        folds = self.by_dataset.get(dataset, 0)
        return replace(self, datasets=(), by_dataset={dataset: folds}) if folds else None

    @classmethod
    def join(cls, parts: Iterable[LeftOut | None]) -> LeftOut:
        """Join what was left out of several data sets."""
        known = [part for part in parts if part is not None]
        folds: dict[str, int] = {}
        for name, n in (item for part in known for item in part.by_dataset.items()):
            folds[name] = max(n, folds.get(name, 0))
        whole = dict.fromkeys(d for part in known for d in part.datasets)
        return cls(tuple(whole), folds, max((p.algorithms for p in known), default=2))

    def __bool__(self) -> bool:
        return bool(self.datasets or self.folds)

    @property
    def counts(self) -> str:
        """Count what was left out: "1 data set ('wine') and 2 folds"."""
        parts = []
        if self.datasets:
            named = ", ".join(map(repr, self.datasets[:4]))
            more = ", ..." if len(self.datasets) > 4 else ""
            parts.append(f"{format_count(len(self.datasets), self.units[0])} ({named}{more})")
        if self.folds:
            parts.append(format_count(self.folds, self.units[1]))
        return " and ".join(parts) or "nothing"

    @property
    def why(self) -> str:
        """Say why it was left out: "without a score of both"."""
        subjects = "algorithms" if self.units[1] == "fold" else "models"
        whom = "both" if self.algorithms == 2 else f"all {self.algorithms} {subjects}"
        return f"without a score of {whom}"

    def to_dict(self) -> Json:
        """Return plain lists and numbers, for JSON; `from_dict` reads them back."""
        return {
            "datasets": list(self.datasets),
            "folds": dict(self.by_dataset),
            "algorithms": self.algorithms,
            "units": list(self.units),
        }

    @classmethod
    def from_dict(cls, plain: Json) -> LeftOut:
        """Read what `to_dict` wrote."""
        first, second = map(str, plain.get("units", cls.units))
        folds, count = dict(plain["folds"]), plain["algorithms"]
        return cls(tuple(plain["datasets"]), folds, count, (first, second))

    def __str__(self) -> str:
        return f"{self.reason}: {self.counts}"

    @property
    def reason(self) -> str:
        """The words "left out" with the reason."""
        return f"left out, {self.why}"


#: Said of scores that the user put side by side.
AS_GIVEN = "paired as given"
#: Said of runs that do not belong together.
NOT_PAIRED = "not paired: independent runs"


def paired_by(label: str) -> str:
    """Say what shows that two algorithms' scores belong together: "paired by fold"."""
    return f"paired by {label}"


#: Said of models' answers.
BY_QUESTION = paired_by("question")


def _in_order(labels: pd.Series) -> tuple[np.ndarray, int]:
    """Return each label's place among the different ones, sorted, and their number."""
    try:
        codes, different = labels.factorize(sort=True)
        return codes, len(different)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise must(
            f"column {labels.name!r}",
            "hold labels of one kind",
            ", ".join(kinds),
            f"Write them as text: frame.astype({{{labels.name!r}: str}}).",
        ) from None


class Pairing:
    """Rows of a tidy score table by data set, algorithm and fold; sorted once, for all pairs.

    `frame` has n rows and the columns dataset, algorithm, repeat and fold; without `has_folds`, a
    row is a mean. `datasets` and `algorithms` are in order of appearance; `dataset_codes`,
    `algorithm_codes` and `fold_codes`, (n,), are each row's places. Two rows with the same labels
    are refused.
    """

    def __init__(self, frame: pd.DataFrame, has_folds: bool = True) -> None:
        self.frame, self.has_folds = frame, has_folds
        self.dataset_codes, datasets = frame["dataset"].factorize()
        self.algorithm_codes, algorithms = frame["algorithm"].factorize()
        self.datasets, self.algorithms = tuple(map(str, datasets)), tuple(map(str, algorithms))
        repeat, _ = _in_order(frame["repeat"])
        fold, folds = _in_order(frame["fold"])
        self.fold_codes = repeat * folds + fold
        self._places = {name: code for code, name in enumerate(self.datasets)}
        self._codes = {name: code for code, name in enumerate(self.algorithms)}
        self._width = int(self.fold_codes.max()) + 1
        labels = self.algorithm_codes * len(self.datasets) * self._width + self._keys
        self._order = np.argsort(labels, kind="stable")
        self._check_duplicates(labels)

    def __getstate__(self) -> dict[str, object]:
        return without_caches(self)

    def rows(self, algorithm: str, dataset: str | None = None) -> np.ndarray:
        """Return the numbers of an algorithm's rows, sorted by (data set, repeat, fold)."""
        check_choice("algorithm", algorithm, self._codes)
        q = len(self.datasets)
        first = self._codes[algorithm] * q
        if dataset is None:
            return self._order[self._cells[first] : self._cells[first + q]]
        rows = self.rows_on(algorithm, dataset)
        if not len(rows):
            raise InputError(
                f"algorithm {algorithm!r} must have scores on data set {dataset!r} (got none). "
                f"Name those to be compared {_by_name()}, or complete the runs. With several data "
                f"sets, you can leave out what one of them lacks: {_common()}.",
                "scores",
            )
        return rows

    def rows_on(self, algorithm: str, dataset: str) -> np.ndarray:
        """Return the numbers of an algorithm's rows on a data set, of which there may be none."""
        check_choice("algorithm", algorithm, self._codes)
        cell = self._codes[algorithm] * len(self.datasets) + self.dataset_code(dataset)
        return self._order[self._cells[cell] : self._cells[cell + 1]]

    def have_same_folds(self, first: str, second: str) -> bool:
        """Return whether two algorithms have scores under the same labels on every data set."""
        a, b = (np.sort(self._keys[self.rows(name)]) for name in (first, second))
        return np.array_equal(a, b)

    def dataset_code(self, dataset: str) -> int:
        """Return the place of a data set among `datasets`."""
        return self._places[check_choice("data set", dataset, self._places)]

    def align(
        self,
        algorithms: Sequence[str],
        dataset: str | None = None,
        there: np.ndarray | None = None,
    ) -> tuple[np.ndarray, LeftOut]:
        """Return algorithms' rows, one fold of one data set per column, and the folds left out.

        Of two algorithms, or of any number on one data set. They need the same folds unless
        `there` marks the rows with a score: then common folds are kept.
        """
        if dataset is None:
            check_differ(*algorithms)
        rows = [self.rows(name, dataset) for name in algorithms]
        if there is None:
            need = (
                "both algorithms must have the same folds"
                if dataset is None
                else "every algorithm must have the same folds as blocks"
            )
            self._check_same_folds(rows, algorithms, need)
            self.check_same_sizes(rows)
            return np.array(rows), LeftOut()
        kept, left_out = self._keep_shared_folds(rows, there)
        if len(kept[0]):
            return np.array(kept), left_out
        names = [repr(name) for name in algorithms]
        raise InputError(
            f"algorithms {' and '.join(names)} must have a fold of some data set in common (got "
            f"none). {self._way_without_pairs([r[there[r]] for r in rows])}"
            if dataset is None
            else f"algorithms {', '.join(names)} must have a fold of data set {dataset!r} in "
            f"common (got none). Name those to be compared {_by_name()}, or complete the runs.",
            "scores",
        )

    def in_common(self, there: np.ndarray) -> np.ndarray:
        """Return the rows in folds where every algorithm with scores on the data set has one."""
        count = len(self.algorithms)
        cells = np.unique(self.dataset_codes[there] * count + self.algorithm_codes[there])
        algorithms = np.bincount(cells // count, minlength=len(self.datasets))
        _, fold = np.unique(self._keys, return_inverse=True)
        scores = np.bincount(fold, weights=there)
        return there & (scores[fold] == algorithms[self.dataset_codes])

    def has_common_fold(self, dataset: str, algorithms: Sequence[str], there: np.ndarray) -> bool:
        """Whether all of these algorithms have a score in some fold of a data set."""
        here = there & (self.dataset_codes == self.dataset_code(dataset))
        return (
            len(self._keep_shared_folds([self.rows(name) for name in algorithms], here)[0][0]) > 0
        )

    def one_a_fold(self, dataset: str) -> np.ndarray:
        """Return one row for each fold of a data set, of whichever algorithm."""
        here = np.flatnonzero(self.dataset_codes == self.dataset_code(dataset))
        return here[np.unique(self.fold_codes[here], return_index=True)[1]]

    def repeats(self, rows: np.ndarray) -> np.ndarray:
        """Return the repeat of each of these rows, as the table names it."""
        return np.asarray(self.frame["repeat"].to_numpy()[rows])

    def describe_row(self, row: int) -> str:
        """Say where a row is: "dataset 'iris', algorithm 'svm', repeat 1, fold 2"."""
        label = self.frame.iloc[row]
        parts = [f"{part} {str(label[part])!r}" for part in ("dataset", "algorithm")]
        if self.has_folds:
            parts += [f"{part} {label[part]}" for part in ("repeat", "fold")]
        return ", ".join(parts)

    def check_finite(self, values: np.ndarray, what: str, rows: np.ndarray) -> None:
        """Refuse missing and infinite scores, and name the place of the first one."""
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            row, is_missing = int(rows[bad[0]]), np.isnan(values[bad[0]])
            why = columns.failure_of(self.frame, row)
            more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
            own = self.algorithm_codes == self.algorithm_codes[row]
            scored = rows[np.isfinite(values) & own[rows]]
            shared = np.isin(self._keys[~own], self._keys[scored]).any()
            if not is_missing:
                hint = INFINITE + (FOR_RANKS if not self.has_folds else "")
            else:
                hint = MISSING if shared else NOT_SHARED
            sample = "fold" if self.has_folds else "data set"
            raise must(
                what,
                f"be finite {'in' if self.has_folds else 'on'} every {sample}",
                f"{values[bad[0]]} for {self.describe_row(row)}{why}{more}",
                hint.format(common=_common(), sample=sample),
            )

    def list_missing(self, metrics: Sequence[str]) -> pd.DataFrame:
        """List folds that lack some or all of these metrics, and why; see `Scores.missing`."""
        empty = self.frame[list(metrics)].isna().to_numpy()
        bad = np.flatnonzero(empty.any(axis=1))
        incomplete = self.frame.iloc[bad][list(columns.KEYS)].assign(
            metrics=[", ".join(compress(metrics, empty[i])) for i in bad],
            reason=[columns.failure_of(self.frame, int(i))[2:-1] or "NaN" for i in bad],
        )
        # Every fold of a data set that any algorithm was run on, with every algorithm.
        _, folds_at, place = np.unique(self._keys, return_index=True, return_inverse=True)
        there = np.zeros((len(folds_at), len(self.algorithms)), dtype=bool)
        there[place, self.algorithm_codes] = True
        fold, algorithm = np.nonzero(~there)
        # A row that is not there takes its labels from a row of the same fold.
        others = self.frame.iloc[folds_at[fold]][list(columns.KEYS)].assign(
            algorithm=self.frame["algorithm"].unique()[algorithm],
            metrics=", ".join(metrics),
            reason="no row",
        )
        parts = [part for part in (incomplete, others) if len(part)]
        return pd.concat(parts or [incomplete], ignore_index=True)

    def check_same_sizes(self, rows: Sequence[np.ndarray]) -> None:
        """Refuse a fold whose sizes differ between algorithms."""
        for what, sizes in self._sizes.items():
            first = sizes[rows[0]]
            for other in rows[1:]:
                own = sizes[other]
                share = np.maximum(first, own) < 1  # a rounded share
                apart = np.flatnonzero(np.abs(first - own) > np.where(share, 0.01, 1e-9) * first)
                if len(apart):
                    at = int(apart[0])
                    raise InputError(
                        f"{what} must be the same for all algorithms, so that scores pair (got "
                        f"{first[at]:g} for {self.describe_row(int(rows[0][at]))} and {own[at]:g} "
                        f"for {self.describe_row(int(other[at]))}). Run both on the same splits.",
                        "scores",
                    )

    @property
    def units(self) -> np.ndarray:
        """Number of folds (or runs) of each data set, of any algorithm; shape (q,)."""
        return np.bincount(np.unique(self._keys) // self._width, minlength=len(self.datasets))

    # Helpers.

    @cached_property
    def _sizes(self) -> dict[str, np.ndarray]:
        """Sizes that the rows state of their folds, and the items that confusion counts sum to."""
        frame = self.frame
        sizes = {c: frame[c] for c in ("n_test", "n_train") if c in frame.columns}
        if all(c in frame.columns and frame[c].dtype.kind in "fiu" for c in COUNTS):
            sizes["tp + fn + fp + tn"] = frame[list(COUNTS)].sum(axis=1, skipna=False)
        return {what: cells.to_numpy(dtype=float) for what, cells in sizes.items()}

    @cached_property
    def _keys(self) -> np.ndarray:
        """One number for each row's (data set, repeat, fold)."""
        return self.dataset_codes * self._width + self.fold_codes

    @cached_property
    def _cells(self) -> np.ndarray:
        """The start of each algorithm's rows on each data set in the sorted table, and the end."""
        q, count = len(self.datasets), len(self.algorithms)
        sizes = np.bincount(self.algorithm_codes * q + self.dataset_codes, minlength=q * count)
        return np.r_[0, np.cumsum(sizes)]

    def _keep_shared_folds(
        self, rows: Sequence[np.ndarray], there: np.ndarray
    ) -> tuple[list[np.ndarray], LeftOut]:
        """Return each algorithm's rows in folds where all have a score, and the folds left out."""
        kept = [r[there[r]] for r in rows]
        shared = reduce(np.intersect1d, [self._keys[r] for r in kept])
        run = np.unique(np.concatenate([self._keys[r] for r in rows]))
        lost = Counter(self.datasets[code] for code in np.setdiff1d(run, shared) // self._width)
        left = {self.datasets[code] for code in shared // self._width}
        left_out = LeftOut(
            tuple(name for name in lost if name not in left),
            {name: count for name, count in lost.items() if name in left},
            len(rows),
        )
        rows = [r[np.isin(self._keys[r], shared)] for r in kept]
        self.check_same_sizes(rows)
        return rows, left_out

    def _check_same_folds(self, rows: list[np.ndarray], names: Sequence[str], need: str) -> None:
        keys = [self._keys[r] for r in rows]
        for j in (j for j in range(1, len(keys)) if not np.array_equal(keys[0], keys[j])):
            for here, other in ((0, j), (j, 0)):
                alone = np.flatnonzero(~np.isin(keys[here], keys[other]))
                if len(alone):
                    raise InputError(
                        f"{need} (got {self.describe_row(int(rows[here][alone[0]]))}, which has "
                        f"no partner among the scores of {names[other]!r}, {len(alone)} in all). "
                        f"{self._way_to_pair(rows)}",
                        "scores",
                    )

    def _way_to_pair(self, rows: Sequence[np.ndarray]) -> str:
        """Say what to do where folds don't pair, given these rows of each algorithm."""
        if len(reduce(np.intersect1d, [self._keys[r] for r in rows])):
            return f"Complete the runs, or leave out what one of them lacks: {_common()}."
        return f"They have none in common. {self._way_without_pairs(rows)}"

    def _way_without_pairs(self, rows: Sequence[np.ndarray]) -> str:
        """Say what to do where algorithms have no fold in common."""
        both = reduce(np.intersect1d, [self.dataset_codes[r] for r in rows])
        several = [c for c in both if all((self.dataset_codes[r] == c).sum() > 1 for r in rows)]
        if not several:
            return "Complete the runs."
        name = self.datasets[several[0]]
        test = {"test": "two_sample_t"}
        options = {"dataset": name, **test} if len(self.datasets) > 1 else test
        python = ", ".join(f"{key}={value!r}" for key, value in options.items())
        typed = " ".join(f"--{key} {shlex.quote(value)}" for key, value in options.items())
        compare = either(f"compare(..., {python})", f"`bayescmp compare` {typed}", **options)
        return (
            "Give equal labels to equal folds. Compare separate runs, which do not pair, by one "
            f"metric with {compare}."
        )

    def _check_duplicates(self, labels: np.ndarray) -> None:
        again = np.flatnonzero(np.diff(labels[self._order]) == 0)
        if len(again):
            row = int(self._order[again[0] + 1])
            hint = "" if self.has_folds else "Several scores each need repeat and fold columns."
            others = self._find_distinguishing(labels)
            questions = [
                c
                for c in self.frame.columns
                if columns.plain_name(c) in columns.ITEM_NAMES["item"]
            ]
            if questions:
                typed = shlex.quote(f"item={questions[0]}")
                items = either("bc.Items(frame)", f"`bayescmp compare --column {typed}`")
                hint = (
                    f"Column {questions[0]!r} is of questions by its name. Scores of single "
                    f"questions are for {items}."
                )
            elif others:
                named = ", ".join(map(repr, others))
                hint = (
                    f"They differ in the unused columns {named}. Make one of them part of a label."
                    if len(others) > 1
                    else f"They differ in the unused column {named}. Make it part of a label, or "
                    "keep one of its values."
                )
                if self.datasets == (columns.UNNAMED,):
                    named = arg("columns", {"dataset": others[0]})
                    hint += f" If it names the data sets: {named}."
            raise must(
                "the table",
                "have each row once",
                f"{format_count(len(again), 'duplicate row')}, {self.describe_row(row)} more than "
                "once",
                hint,
            )

    def _find_distinguishing(self, labels: np.ndarray) -> list[str]:
        """Columns that are not labels, but in which the rows differ."""
        frame = self.frame
        unused = [
            c
            for c in frame.columns
            if c not in (*columns.KEYS, *columns.NOTES)
            and frame[c].dtype.kind != "f"
            and find_metric(str(c)) is None
        ]
        keys = np.unique(labels, return_inverse=True)[1]
        codes = {c: frame[c].astype(str).factorize()[0] for c in unused}
        return [c for c in unused if len(np.unique(keys * len(frame) + codes[c])) == len(frame)]


def check_differ(first: str, second: str) -> None:
    """Refuse to compare an algorithm with itself."""
    if first == second:
        raise must("second", "differ from first", f"{second!r} for both")


def starts_of(*labels: np.ndarray) -> np.ndarray:
    """Return where runs of equal labels start, in rows that are sorted by them."""
    new = np.ones(len(labels[0]), dtype=bool)
    new[1:] = np.any([label[1:] != label[:-1] for label in labels], axis=0)
    return np.flatnonzero(new)
