"""How folds were drawn, according to a splitter, the items of each fold, or a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.records import without_caches
from bayescmp.errors import InputError, locate_errors
from bayescmp.scores import columns
from bayescmp.scores.differences import split_runs
from bayescmp.scores.pairing import Pairing, starts_of
from bayescmp.scores.resampling import Resampling
from bayescmp.scores.tables import UNKNOWN
from bayescmp.wording.text import format_count

#: Designs for which no correlation of folds is established, and how they are recognised.
UNESTABLISHED = {
    "bootstrap": "training sets hold items twice, as bootstrap samples do",
    "windows": "every split trains on items before those it tests on, as windows in time do",
    "one test set": "all splits test the same items after training on others",
}


_K_FOLD = ("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold")
_REPEATED = ("RepeatedKFold", "RepeatedStratifiedKFold", "_RepeatedSplits")
_RANDOM = ("ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit")


def as_resampling(value: object) -> Resampling | None:
    """Read a design from a `Resampling`, words, a correlation, a splitter, or its splits."""
    if value is None or isinstance(value, Resampling):
        return value
    if isinstance(value, str):
        return Resampling.read(value)
    if isinstance(value, float):
        with locate_errors("resampling"):
            return Resampling.given(value)
    if isinstance(value, list) and all(isinstance(s, tuple) and len(s) == 2 for s in value):
        return of_indices([train for train, _ in value], [test for _, test in value])
    return of_splitter(value)


def of_datasets(value: object, datasets: Sequence[str]) -> dict[str, Resampling]:
    """Return what was declared, by data set."""
    if not isinstance(value, Mapping):
        one = as_resampling(value)
        return {} if one is None else dict.fromkeys(datasets, one)
    for name in value:
        checks.check_choice("data set in resampling", str(name), datasets)
    designs = {str(name): as_resampling(one) for name, one in value.items()}
    return {name: one for name, one in designs.items() if one is not None}


def of_splitter(cv: Any) -> Resampling:
    """Read the design from a number of folds, or from a splitter like scikit-learn's."""
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        with locate_errors("resampling"):
            return Resampling.k_fold(int(cv))
    kinds = {kind.__name__ for kind in type(cv).__mro__}
    name = type(cv).__name__
    if kinds & set(_REPEATED):
        return Resampling.k_fold(cv.cvargs["n_splits"], repeats=cv.n_repeats)
    if kinds & set(_K_FOLD):
        return Resampling.k_fold(cv.n_splits)
    if "HoldoutResample" in kinds:
        return Resampling.one_test_set(cv.folds, rho=cv.rho)
    if "LeaveOneOut" in kinds:
        return Resampling.leave_one_out()
    if kinds & set(_RANDOM):
        return _of_random(cv, name)
    if "TimeSeriesSplit" in kinds:
        raise must(
            "resampling",
            "be a design whose correlation of folds is known",
            "a TimeSeriesSplit, whose splits are windows in time",
            f"Give rho, or {arg('resampling', 'windows rho ...')}.",
        )
    if hasattr(cv, "split") and not isinstance(cv, bytes):
        raise must(
            "resampling",
            "not depend on the data",
            f"a {name}",
            "Give the indices (return_indices=True), words such as '10-fold', or rho.",
        )
    raise must_be(
        "resampling",
        "a Resampling, words such as '10-fold', a number of folds, a scikit-learn "
        "splitter, or a dict with one of these for each data set",
        cv,
    )


def _of_random(cv: Any, name: str) -> Resampling:
    test, train = cv.test_size, cv.train_size
    if test is None:
        test = cv._default_test_size if train is None else 1 - train
    sizes = (test, train if train is not None else 1 - test if isinstance(test, float) else None)
    if not all(isinstance(s, float) for s in sizes):
        raise must(
            "resampling",
            "have sizes as proportions",
            f"a {name} with sizes in items",
            f"Give n_train and n_test, or {arg('resampling', 'random splits 0.33')}.",
        )
    return Resampling.random_splits(sizes[0] / (sizes[0] + sizes[1]), repeats=cv.n_splits)


def of_indices(
    trains: Sequence[object], tests: Sequence[object], where: str = "data"
) -> Resampling:
    """Infer the design from the items of each fold."""
    train, test = ([np.asarray(s, dtype=np.intp) for s in sets] for sets in (trains, tests))
    if not train:
        raise InputError(
            f"resampling of data set {where!r} must hold one split or more (got none).",
            "resampling",
        )
    for i, (a, b) in enumerate(zip(train, test, strict=True)):
        if len(np.intersect1d(a, b)):
            raise InputError(
                f"resampling of data set {where!r} must train and test on different items (got "
                f"one item in both, split {i + 1}).",
                "resampling",
            )
    design = _design_of(train, test)
    if isinstance(design, str):
        raise none_established(where, design)
    return design


def _design_of(train: Sequence[np.ndarray], test: Sequence[np.ndarray]) -> Resampling | str:
    """Infer the design of these items; no more than its name if no correlation is known."""
    if any(len(np.unique(a)) < len(a) for a in train):
        return "bootstrap"
    if _same_items(test):
        return _of_one_test_set(train) or "one test set"
    if len(test) > 1 and all(a.max() < b.min() for a, b in zip(train, test, strict=True)):
        return "windows"
    items = len(np.unique(np.concatenate([*train, *test])))
    share = float(np.mean([len(b) / (len(a) + len(b)) for a, b in zip(train, test, strict=True)]))
    folds = _run_length(test, items)
    complete = all(len(a) + len(b) == items for a, b in zip(train, test, strict=True))
    if folds is None or not complete:
        return Resampling("random splits", share, repeats=len(test), evidence="indices")
    repeats = len(test) // folds
    if folds == items and repeats == 1:
        return Resampling("leave-one-out", 0.0, repeats=items, evidence="indices")
    return Resampling("k-fold", 1.0 / folds, folds, repeats, evidence="indices")


def design_in_words(train: Sequence[np.ndarray], test: Sequence[np.ndarray]) -> str | None:
    """Name the design ('seeds') for a column ``resampling``, unless labels and sizes show it."""
    design = _design_of(train, test)
    if isinstance(design, str):
        return design
    return design.spec if _same_items(test) else None


def _same_items(test: Sequence[np.ndarray]) -> bool:
    """Whether there are several splits, and all test the same items."""
    return len(test) > 1 and all(np.array_equal(np.sort(t), np.sort(test[0])) for t in test)


def _of_one_test_set(train: Sequence[np.ndarray]) -> Resampling | None:
    """Seeds if all training sets are the same; else parts left out in turn."""
    sets = [np.unique(a) for a in train]
    if all(np.array_equal(a, sets[0]) for a in sets):
        return Resampling("seeds", 0.0, repeats=len(train), evidence="indices")
    rest = np.unique(np.concatenate(sets))
    left_out = np.sort(np.concatenate([np.setdiff1d(rest, a) for a in sets]))
    k = len(train)
    if k > 2 and np.array_equal(left_out, rest):
        return Resampling("one test set", (k - 2) / (k - 1), k, evidence="indices")
    return None


def none_established(where: str, design: str) -> InputError:
    """Make the error that requires rho: the kind of folds of a data set, and the solution."""
    spec = "rho ..." if design == "one test set" else f"{design} rho ..."
    return InputError(
        f"{arg('rho')} must be given, since no correlation of these folds is established (got "
        f"data set {where!r}, where {UNESTABLISHED[design]}). Give it, or "
        f"{arg('resampling', spec)}.",
        "resampling",
    )


def labels_of(tests: Sequence[object], n: int) -> list[tuple[int, int]]:
    """Return repeat and fold of each test set, counted from 1, by the rows in it.

    A run is complete when its disjoint test sets hold every row that is ever tested. Splits that
    don't fall into runs of one number of folds (random splits, say) are runs of a single fold.
    `tests` are row numbers (or masks) of the test sets, in order, `n` is the number of rows.

    Examples
    --------
    >>> from bayescmp.scores.designs import labels_of
    >>> labels_of([[0, 1], [2, 3], [0, 2], [1, 3]], 4)
    [(1, 1), (1, 2), (2, 1), (2, 2)]
    >>> labels_of([[0, 1], [1, 2]], 4)
    [(1, 1), (2, 1)]
    """
    sets = [as_rows(indices) for indices in tests]
    folds = _run_length(sets, len(np.unique(np.concatenate(sets))))
    if folds is None or folds == 1:
        return [(i + 1, 1) for i in range(len(tests))]
    return [(i // folds + 1, i % folds + 1) for i in range(len(tests))]


def same_splits(
    splits: Iterable[tuple[str, Mapping[str, Sequence[ArrayLike]]]], where: str
) -> None:
    """Refuse algorithms whose splits differ, so that their scores don't pair."""
    (leader, first), *others = splits
    for name, own in others:
        for part in ("test", "train"):
            if len(first[part]) != len(own[part]):
                raise must(
                    f"indices of data set {where!r}",
                    "have as many splits for all algorithms",
                    f"{len(first[part])} for {leader!r} and {len(own[part])} for {name!r}",
                )
            for i, (a, b) in enumerate(zip(first[part], own[part], strict=True)):
                if not np.array_equal(np.sort(a), np.sort(b)):
                    raise InputError(
                        f"indices of data set {where!r} must be the same for all algorithms, so "
                        f"that scores pair (got other items in split {i + 1}, on which {leader!r} "
                        f"and {name!r} {part}). Run both with one splitter and one random_state.",
                        "results",
                    )


def as_rows(rows: object) -> np.ndarray:
    """Return the numbers of rows, which may be given as a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)


def _run_length(tests: Sequence[np.ndarray], items: int) -> int | None:
    """Test sets in one run, with every item once; None if they don't fall into runs."""
    sizes, seen, count, folds = [], set[int](), 0, 0
    for test in tests:
        now = set(test.tolist())
        count, folds = count + len(test), folds + 1
        seen |= now
        if len(seen) < count:
            return None
        if count == items:
            sizes.append(folds)
            seen, count, folds = set(), 0, 0
    return sizes[0] if not folds and len(set(sizes)) == 1 else None


# Evidence in a table of how its folds were drawn, and contradictions in it.


#: A single run with more folds than this may be several runs, or random splits.
MANY = 20

#: If sizes differ from 1/k by more than this proportion of it, the folds are not k folds.
TOLERANCE = 0.1

#: How names of runs begin that are attempts at one task, and not seeds of a fit.
TRIALS = ("trial", "episode", "attempt")


def offer_designs(scores: int) -> list[str]:
    """List designs that this number of scores suggests: 5 repeats of 5 folds for 25."""
    products = [
        f"{scores // folds}x{folds}-fold"
        for folds in (10, 5, 2)
        if scores % folds == 0
        and scores > folds
        and (folds != 2 or scores == 10)  # 5x2 cross-validation
    ]
    return [f"{scores}-fold"] * (2 <= scores <= 10) + products


def ways_out(scores: int) -> str:
    """Say how to declare the design of a data set with so many scores."""
    offered = offer_designs(scores)
    repeats = " (repeats x folds)" if any("x" in design for design in offered) else ""
    first = arg("resampling", offered[0] if offered else "random splits 0.33")
    others = "".join(f" or {design!r}" for design in offered[1:])
    rest = ", 'random splits 0.33'" if offered else ""
    odd = "" if offered else f" {scores} scores are not whole runs of 5 or 10 folds."
    return (
        f"State how they were drawn: {first}{others}{repeats}{rest} (the proportion tested), "
        "'leave-one-out', 'seeds' (one split), 'independent' (subjects, items)"
        f"{either(', or a scikit-learn splitter', '')}. Or give columns n_train and n_test, or "
        f"{arg('rho')}.{odd}"
    )


@dataclass(frozen=True)
class Evidence:
    """The evidence in a table about one data set's folds.

    `repeat` and `fold` are labels, (n,); `n_train` and `n_test` sizes, below 1 a share. `seeds` is
    whether repeats are seeds on one named split, `unlabelled` whether folds are only the order of
    rows, `runs` the column that only numbers runs, if any, `where` the data set's name, and
    `several` whether there are others.
    """

    repeat: np.ndarray
    fold: np.ndarray
    n_train: np.ndarray | None = None
    n_test: np.ndarray | None = None
    seeds: bool = False
    unlabelled: bool = False
    runs: str = ""
    where: str = "data"
    several: bool = False

    @property
    def share(self) -> float | None:
        """Mean share of the items that is tested; None where the sizes are not known."""
        if self.n_test is None or np.isnan(self.n_test).any():
            return None
        if (self.n_test < 1).all():
            return float(self.n_test.mean())
        if self.n_train is None or np.isnan(self.n_train).any():
            return None
        if (self.n_train <= 0).any() or (self.n_test <= 0).any():
            raise must(f"n_train and n_test of data set {self.where!r}", "be positive")
        return float(self.n_test.mean() / (self.n_train.mean() + self.n_test.mean()))

    @property
    def _items(self) -> np.ndarray | None:
        """Number of items that each fold trains and tests on, if both sizes are known."""
        if self.n_train is None or self.n_test is None or (self.n_test < 1).all():
            return None
        return self.n_train + self.n_test

    @property
    def uneven(self) -> bool:
        """Whether folds differ in their items by over 5% (or two), as parts of one set do not."""
        items = self._items
        if items is None or self.n_train is None:
            return False
        one_size = np.ptp(self.n_train) == 0 and np.ptp(items) > 1
        return bool(one_size or items.max() > 1.05 * items.min())

    @property
    def grows(self) -> bool:
        """Whether each training set is larger than the one before, by 5% in all."""
        if self.n_train is None:
            return False
        own = self.n_train if self._items is None else self._items
        used = own[np.lexsort((self.fold, self.repeat))]
        lengths = np.unique(self.repeat, return_counts=True)[1]
        runs = [used] if (lengths == 1).all() else np.split(used, np.cumsum(lengths)[:-1])
        return all(len(r) > 2 and (np.diff(r) > 0).all() and r[-1] > 1.05 * r[0] for r in runs)


def infer(evidence: Evidence, declared: Resampling | None = None) -> Resampling:
    """Infer the design of one data set's folds."""
    runs = np.unique(evidence.repeat, return_counts=True)[1]
    if declared is not None:
        return _check_declared(evidence, declared, runs)
    if evidence.seeds and runs.max() == 1 < len(runs):
        return Resampling("seeds", 0.0, repeats=len(runs), evidence="labels")
    share = evidence.share
    if evidence.n_test is not None and (evidence.n_test == 1).all() and len(evidence.n_test) > 1:
        return Resampling("leave-one-out", 0.0, repeats=len(evidence.n_test), evidence="sizes")
    if evidence.grows:
        raise InputError(
            f"{arg('rho')} must be given, since no correlation of these folds is established (got "
            f"data set {evidence.where!r}, whose training sets grow from fold to fold, as windows "
            f"in time do). Give it, or {arg('resampling', 'windows rho ...')}.",
            "resampling",
        )
    if evidence.uneven:
        raise InputError(
            f"{arg('rho')} must be given, since no correlation of these folds is established (got "
            f"data set {evidence.where!r}, where n_train + n_test differs from fold to fold, as "
            "for bootstrap samples that are tested out of bag). Give it, or "
            f"{arg('resampling', 'bootstrap rho ...')}.",
            "resampling",
        )
    if evidence.unlabelled and share is None:
        raise must(
            "resampling",
            "be given for folds of a wide table, which does not show how they were drawn",
            f"{len(runs) * runs[0]} folds of data set {evidence.where!r}",
            ways_out(len(evidence.fold)),
        )
    if share is not None and (len(set(runs)) > 1 or _contradicts(share, int(runs[0]))):
        return Resampling("random splits", share, repeats=len(evidence.fold), evidence="sizes")
    if len(set(runs)) > 1:
        raise InputError(
            f"repeats of data set {evidence.where!r} must have the same number of folds (got "
            f"{runs.min()} to {runs.max()}). Complete them, or give rho.",
            "resampling",
        )
    return _by_labels(evidence, int(runs[0]), len(runs), share)


def _by_labels(evidence: Evidence, folds: int, repeats: int, share: float | None) -> Resampling:
    if folds == 1 and repeats > 1 and evidence.runs:
        raise _unclear_runs(evidence)
    if folds == 1:
        each = "a single fold" if repeats == 1 else "one fold per repeat"
        raise must(
            "resampling",
            "be given for single folds, which do not show their correlation",
            f"{each} of data set {evidence.where!r}",
            ways_out(len(evidence.fold)),
        )
    if folds > MANY and repeats == 1 and share is None:
        raise must(
            "resampling",
            "be given for many folds of one run, which may be several runs of fewer folds, or "
            "random splits",
            f"{folds} of data set {evidence.where!r}",
            ways_out(folds),
        )
    return Resampling("k-fold", 1.0 / folds, folds, repeats, evidence="labels")


def design_of_pairs(label: str) -> str:
    """Return the design to declare where a column's numbers pair runs."""
    return "independent" if label.startswith(TRIALS) else "seeds"


def _unclear_runs(evidence: Evidence) -> InputError:
    """Make the error that asks whether runs of one number belong together."""
    label, design = evidence.runs, design_of_pairs(evidence.runs)
    test = "hierarchical_two_sample_t" if evidence.several else "two_sample_t"
    apart = "compare separate runs: " + either(
        f"compare(..., test='{test}'), or paired=False for a cross-check or a report",
        f"bayescmp compare --test {test}, or --unpaired for a cross-check or a report",
    )
    return must(
        "resampling",
        "be given for numbered runs, which may pair or not",
        f"column {label!r} of data set {evidence.where!r}, which does not show whether run 1 of "
        "one algorithm belongs with run 1 of another",
        f"If it does, pair them by {label}: "
        f"{either(f'Scores(..., resampling={design!r})', resampling=design)}. If not, {apart}.",
    )


def refuse_pairs(dataset: str) -> InputError:
    """Make the error for a test of paired scores, of runs that are declared not to pair."""
    return InputError(
        "scores must be of the same folds or seeds, so that they pair (got independent runs, as "
        f"declared for data set {dataset!r}). Compare two algorithms with "
        f"{either('compare(...)', '`bayescmp compare`')}, which takes them as independent.",
        "scores",
    )


def _contradicts(share: float, folds: int) -> bool:
    """Whether sizes contradict a number of folds; a single fold per run shows nothing."""
    return folds == 1 or abs(share * folds - 1.0) > TOLERANCE


def _check_declared(evidence: Evidence, declared: Resampling, runs: np.ndarray) -> Resampling:
    n, share, k = len(evidence.fold), evidence.share, declared.folds

    def contradiction(reason: str) -> InputError:
        return must(
            "resampling",
            f"agree with the table on data set {evidence.where!r}",
            f"{declared.spec!r}, but {reason}",
            "Give another design, or rho.",
        )

    if declared.design == "k-fold" and k is not None:
        labelled = len(runs) > 1 and runs.max() > 1
        if n % k or (labelled and set(runs) != {k}):
            has = f"repeats of {runs.min()} folds" if labelled else format_count(n, "fold")
            raise contradiction(f"the table has {has}")
        if declared.repeats is not None and n != k * declared.repeats:
            raise contradiction(f"the table has {format_count(n, 'fold')}")
        if share is not None and _contradicts(share, k):
            raise contradiction(f"n_train and n_test imply that {100 * share:.3g}% are tested")
        return replace(declared, repeats=n // k)
    if declared.design == "random splits":
        if share is not None and abs(share - declared.rho) > TOLERANCE * declared.rho:
            raise contradiction(f"n_train and n_test imply that {100 * share:.3g}% are tested")
        return replace(declared, repeats=n)
    if declared.design == "leave-one-out":
        if evidence.n_test is not None and (evidence.n_test != 1).any():
            raise contradiction(f"the largest n_test is {evidence.n_test.max():g}, not 1")
        return replace(declared, repeats=n)
    if declared.design == "one test set" and k is not None and n != k:
        raise contradiction(f"the table has {format_count(n, 'fold')}")
    return replace(declared, repeats=n) if declared.design == "seeds" else declared


# How the folds of each data set of a table were drawn.


class Designs:
    """Resampling designs of a table's data sets, inferred from what the table tells.

    What is `declared` is written to the column ``resampling``. With `seeds`, repeats are seeds,
    and folds name their split; `runs` is the column that only numbers runs, if any.
    """

    def __init__(
        self, pairing: Pairing, declared: object = None, *, seeds: bool = False, runs: str = ""
    ) -> None:
        self._pairing, self.seeds, self.runs = pairing, seeds, runs
        names, frame = pairing.datasets, pairing.frame
        stated = columns.declared_resampling(frame)
        self._unknown = {name for name, text in stated.items() if text == UNKNOWN}
        self._unestablished = {n: text for n, text in stated.items() if text in UNESTABLISHED}
        known = {n: text for n, text in stated.items() if text not in (UNKNOWN, *UNESTABLISHED)}
        self._declared = of_datasets(known, names) | of_datasets(declared, names)
        if declared is not None:
            specs = [
                self._declared[n].spec if n in self._declared else stated.get(n) for n in names
            ]
            frame["resampling"] = np.array(specs, dtype=object)[pairing.dataset_codes]

    def __getstate__(self) -> dict[str, object]:
        return without_caches(self)

    def of(self, dataset: str, rows: np.ndarray | None = None) -> Resampling:
        """Return how a data set's folds were drawn, and the correlation that follows."""
        code = self._pairing.dataset_code(dataset)
        if rows is None:
            here = np.flatnonzero(self._pairing.dataset_codes == code)
            algorithms = self._pairing.algorithm_codes[here]
            rows = here[algorithms == algorithms[0]]
        if not self._pairing.has_folds:
            return Resampling("single", 0.0, evidence="labels")
        stated = self._stated_correlation(rows)
        if stated is not None:
            return Resampling("given", stated, evidence="labels")
        known = {name: values[rows] for name, values in self._splits.items()}
        declared = self._declared.get(dataset)
        if declared is None and dataset in self._unestablished:
            raise none_established(dataset, self._unestablished[dataset])
        if declared is not None and declared.design == "runs":
            raise refuse_pairs(dataset)
        unknown = dataset in self._unknown
        same = (*(values.tobytes() for values in known.values()), declared, unknown)
        if same not in self._inferred_designs:  # most data sets of a table are split alike
            evidence = Evidence(
                **known,
                seeds=self.seeds,
                unlabelled=unknown,
                runs=self.runs,
                where=dataset,
                several=len(self._pairing.datasets) > 1,
            )
            self._inferred_designs[same] = infer(evidence, declared)
        return self._inferred_designs[same]

    @property
    def declared_as_runs(self) -> bool:
        """Whether every data set is declared to hold independent runs."""
        designs = [self._declared.get(name) for name in self._pairing.datasets]
        return all(one is not None and one.design == "runs" for one in designs)

    @property
    def unpaired(self) -> bool:
        """Whether rows are independent runs: declared, or by seeds or trials alone."""
        if self._declared:
            return self.declared_as_runs
        known = {"fold_correlation", "n_train", "n_test"} & set(self._pairing.frame.columns)
        return self.runs not in ("", "run") and not (known or self._unknown or self._unestablished)

    def takes_pairing_for_granted(self, datasets: Iterable[str]) -> bool:
        """Whether it is only assumed that folds pair on any of these data sets."""
        return any(d.unchecked for n, d in self._declared.items() if n in set(datasets))

    def of_algorithm(self, algorithm: str) -> list[Resampling]:
        """The design of each data set that an algorithm was run on; kept for its other pairs."""
        if algorithm not in self._by_algorithm:
            rows = self._pairing.rows(algorithm)
            codes = self._pairing.dataset_codes[rows]
            starts = starts_of(codes)
            parts = zip(codes[starts], split_runs(rows, starts), strict=True)
            names = self._pairing.datasets
            self._by_algorithm[algorithm] = [self.of(names[code], part) for code, part in parts]
        return list(self._by_algorithm[algorithm])

    def _stated_correlation(self, rows: np.ndarray) -> float | None:
        """Return the correlation of a data set's folds that the table states, in [0, 1)."""
        frame = self._pairing.frame
        if "fold_correlation" not in frame.columns:
            return None
        stated = np.unique(frame["fold_correlation"].to_numpy(dtype=float)[rows])
        if len(stated) == 1 and (np.isnan(stated[0]) or 0 <= stated[0] < 1):
            return None if np.isnan(stated[0]) else float(stated[0])
        raise InputError(
            f"fold_correlation of data set {frame['dataset'].iloc[rows[0]]!r} must be one number "
            f"in [0, 1) for all its folds (got {', '.join(f'{v:g}' for v in stated[:4])}).",
            "scores",
        )

    @cached_property
    def _inferred_designs(self) -> dict[tuple[object, ...], Resampling]:
        return {}

    @cached_property
    def _by_algorithm(self) -> dict[str, list[Resampling]]:
        return {}

    @cached_property
    def _splits(self) -> dict[str, np.ndarray]:
        """The facts about a split in each row: codes of repeat and fold, and the sizes."""
        frame = self._pairing.frame
        codes = {c: frame[c].factorize(sort=True)[0] for c in ("repeat", "fold")}
        sizes = {
            c: frame[c].to_numpy(dtype=float) for c in ("n_train", "n_test") if c in frame.columns
        }
        return {**codes, **sizes}


def resampling_of_rho(rho: object, q: int, *, unchecked: bool = False) -> list[Resampling]:
    """Make designs of q data sets with given correlations: one number, or one per data set."""
    values = np.broadcast_to(checks.check_rho(rho, q), (q,)).tolist()
    designs = {r: replace(Resampling.given(r), unchecked=unchecked) for r in set(values)}
    return [designs[r] for r in values]
