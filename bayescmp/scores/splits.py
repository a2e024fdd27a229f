"""Resampling designs of splitters, and of the items that each fold trains and tests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.errors import InputError, unknown_name
from bayescmp.scores.resampling import Resampling

__all__ = [
    "UNESTABLISHED",
    "as_resampling",
    "design_in_words",
    "labels_of",
    "none_established",
    "of_datasets",
    "of_indices",
    "of_splitter",
    "same_splits",
    "unestablished",
]

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
    """A design from a `Resampling`, words, a correlation, a scikit-learn splitter, or its splits.

    Parameters
    ----------
    value : Resampling, str, float, splitter, list of (train, test) or None

    Raises
    ------
    InputError
        If it is none of these, or a splitter whose folds have no established correlation.
    """
    if value is None or isinstance(value, Resampling):
        return value
    if isinstance(value, str):
        return Resampling.read(value)
    if isinstance(value, float):
        return Resampling.given(value)
    if isinstance(value, list) and all(isinstance(s, tuple) and len(s) == 2 for s in value):
        return of_indices([train for train, _ in value], [test for _, test in value])
    return of_splitter(value)


def of_datasets(value: object, datasets: Sequence[str]) -> dict[str, Resampling]:
    """What was declared, by data set.

    Parameters
    ----------
    value : object
        As `as_resampling` takes it, or a mapping of data set to such.
    datasets : sequence of str

    Raises
    ------
    InputError
        Unknown data sets, or as `as_resampling`.
    """
    if isinstance(value, Mapping):
        for name in value:
            if str(name) not in datasets:
                raise unknown_name("data set in resampling", name, datasets)
        designs = {str(name): as_resampling(one) for name, one in value.items()}
    else:
        one = as_resampling(value)
        designs = dict.fromkeys(datasets, one)
    return {name: one for name, one in designs.items() if one is not None}


def of_splitter(cv: Any) -> Resampling:
    """The design of a number of folds, or of a splitter as scikit-learn has them.

    Parameters
    ----------
    cv : int or splitter

    Returns
    -------
    Resampling

    Raises
    ------
    InputError
        If it is no splitter, the splitter does not tell its design without the data, or no
        correlation of its folds is established.

    Examples
    --------
    >>> from sklearn.model_selection import RepeatedKFold
    >>> from bayescmp.scores.splits import of_splitter
    >>> print(of_splitter(RepeatedKFold(n_splits=5, n_repeats=2)))
    rho 0.2: 5 folds, 2 repeats, as declared
    """
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
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
        raise InputError(
            "resampling is a TimeSeriesSplit, and no correlation of folds is established for "
            "windows in time: give rho, or resampling='windows rho ...'"
        )
    if hasattr(cv, "split"):
        raise InputError(
            f"resampling is a {name}, whose design depends on the data; give the "
            "indices (return_indices=True), words such as '10-fold', or rho"
        )
    raise InputError(
        f"resampling={cv!r}; accepted: a Resampling, words such as '10-fold', a number of folds, "
        "a scikit-learn splitter, or a dict with one of these for each data set"
    )


def _of_random(cv: Any, name: str) -> Resampling:
    test, train = cv.test_size, cv.train_size
    if test is None:
        test = cv._default_test_size if train is None else 1 - train
    sizes = (test, train if train is not None else 1 - test if isinstance(test, float) else None)
    if not all(isinstance(s, float) for s in sizes):
        raise InputError(
            f"resampling is a {name} with sizes in items: the share that is tested depends on the "
            "data set; give n_train and n_test, or resampling='random splits 0.33'"
        )
    return Resampling.random_splits(sizes[0] / (sizes[0] + sizes[1]), repeats=cv.n_splits)


def of_indices(
    trains: Sequence[object], tests: Sequence[object], where: str = "data"
) -> Resampling:
    """The design that the items of each fold tell.

    Parameters
    ----------
    trains, tests : sequence of array_like of int
        Items each fold trains and tests on, in order.
    where : str
        Name of the data set, for messages.

    Returns
    -------
    Resampling

    Raises
    ------
    InputError
        If a training and a test set share items, or the design is one for which no correlation
        of folds is established: bootstrap samples, windows in time.
    """
    train, test = ([np.asarray(s, dtype=np.intp) for s in sets] for sets in (trains, tests))
    if not train:
        raise InputError(f"data set {where!r} has no splits; accepted: one or more")
    for i, (a, b) in enumerate(zip(train, test, strict=True)):
        if len(np.intersect1d(a, b)):
            raise InputError(f"data set {where!r}, split {i + 1}: trained and tested on one item")
    design = unestablished(train, test)
    if design is not None:
        raise none_established(where, UNESTABLISHED[design], design)
    of_one = _of_one_test_set(train) if len(test) > 1 and _same_items(test) else None
    if of_one is not None:
        return of_one
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


def unestablished(train: Sequence[np.ndarray], test: Sequence[np.ndarray]) -> str | None:
    """Which of the designs without an established correlation these items tell, if any.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.scores.splits import unestablished
    >>> sets = np.arange(8).reshape(4, 2)
    >>> unestablished(sets[:3], sets[1:])
    'windows'
    """
    if any(len(np.unique(a)) < len(a) for a in train):
        return "bootstrap"
    if len(test) > 1 and _same_items(test):
        return "one test set" if _of_one_test_set(train) is None else None
    before = all(a.max() < b.min() for a, b in zip(train, test, strict=True))
    return "windows" if before and len(test) > 1 else None


def design_in_words(train: Sequence[np.ndarray], test: Sequence[np.ndarray]) -> str | None:
    """The design for a table's column ``resampling``, where labels and sizes would not tell it.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.scores.splits import design_in_words
    >>> design_in_words([np.arange(8)] * 3, [np.arange(8, 10)] * 3)
    'seeds'
    """
    design = unestablished(train, test)
    if design is not None or len(test) < 2 or not _same_items(test):
        return design
    return of_indices(train, test).spec


def _same_items(test: Sequence[np.ndarray]) -> bool:
    """Whether all splits test the same items."""
    return all(np.array_equal(np.sort(t), np.sort(test[0])) for t in test)


def _of_one_test_set(train: Sequence[np.ndarray]) -> Resampling | None:
    """Seeds, where the training sets are one too; else parts left out in turn."""
    sets = [np.unique(a) for a in train]
    if all(np.array_equal(a, sets[0]) for a in sets):
        return Resampling("seeds", 0.0, repeats=len(train), evidence="indices")
    rest = np.unique(np.concatenate(sets))
    left_out = np.sort(np.concatenate([np.setdiff1d(rest, a) for a in sets]))
    k = len(train)
    if k > 2 and np.array_equal(left_out, rest):
        return Resampling("one test set", (k - 2) / (k - 1), k, evidence="indices")
    return None


def none_established(where: str, what: str, design: str) -> InputError:
    """The error that asks for rho: what the folds of a data set are, and the way out."""
    spec = "rho ..." if design == "one test set" else f"{design} rho ..."
    return InputError(
        f"data set {where!r}: {what}, and no correlation of such folds is established: give rho, "
        f"or resampling={spec!r}"
    )


def labels_of(tests: Sequence[object], n: int) -> list[tuple[int, int]]:
    """Repeat and fold of each test set, from which rows it holds.

    A run is complete when its test sets, none of which share a row, hold every row that is ever
    tested. Splits that don't fall into runs of one number of folds (random splits, say) are runs
    of a single fold: their correlation is read from the sizes of the sets.

    Parameters
    ----------
    tests : sequence of ndarray of int
        Row numbers (or masks) of the test sets, in order.
    n : int
        Number of rows.

    Returns
    -------
    list of (int, int)
        Counted from 1.

    Examples
    --------
    >>> from bayescmp.scores.splits import labels_of
    >>> labels_of([[0, 1], [2, 3], [0, 2], [1, 3]], 4)
    [(1, 1), (1, 2), (2, 1), (2, 2)]
    >>> labels_of([[0, 1], [1, 2]], 4)
    [(1, 1), (2, 1)]
    """
    sets = [_rows(t) for t in tests]
    folds = _run_length(sets, len(np.unique(np.concatenate(sets))))
    if folds is None or folds == 1:
        return [(i + 1, 1) for i in range(len(tests))]
    return [(i // folds + 1, i % folds + 1) for i in range(len(tests))]


def same_splits(
    splits: Iterable[tuple[str, Mapping[str, Sequence[ArrayLike]]]], where: str
) -> None:
    """Refuse algorithms whose splits differ: their scores don't pair.

    Parameters
    ----------
    splits : iterable of (str, dict)
        Name of an algorithm, and its indices as ``cross_validate(return_indices=True)`` has them.
    where : str
        Name of the data set.

    Raises
    ------
    InputError
        Naming the first split that differs.
    """
    splits = list(splits)
    for name, indices in splits[1:]:
        first, own = splits[0][1], indices
        for part in ("test", "train"):
            if len(first[part]) != len(own[part]):
                raise InputError(
                    f"data set {where!r}: {splits[0][0]!r} has {len(first[part])} splits and "
                    f"{name!r} {len(own[part])}; both need the same"
                )
            for i, (a, b) in enumerate(zip(first[part], own[part], strict=True)):
                if not np.array_equal(np.sort(a), np.sort(b)):
                    raise InputError(
                        f"data set {where!r}: {splits[0][0]!r} and {name!r} {part} on different "
                        f"items in split {i + 1}, so their scores don't pair; run both with one "
                        "splitter and one random_state"
                    )


def _rows(rows: object) -> np.ndarray:
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)


def _run_length(tests: Sequence[np.ndarray], items: int) -> int | None:
    """Test sets of one run, which holds every item once; None if they don't fall into runs."""
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
