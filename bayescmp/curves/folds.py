"""Labels and scores of folds as one padded array, and the counts at every threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.checks import check_paired
from bayescmp.errors import InputError
from bayescmp.wording.text import counted

__all__ = ["Counts", "Folds", "as_folds", "by_fold", "count"]

#: Pairs of labels of which the second is the positive class by default.
USUAL = ({0, 1}, {-1, 1})


@dataclass(frozen=True, eq=False)
class Folds:
    """Labels and scores, one row per fold; shorter folds are padded at the end.

    Attributes
    ----------
    positive : ndarray of bool, shape (folds, n)
        Whether a case is positive; False in the padding.
    score : ndarray of shape (folds, n)
        Higher favours the positive class; -inf in the padding.
    size : ndarray of int, shape (folds,)
        Cases of each fold.
    single : bool
        Whether one fold was given as vectors, so that results are single numbers.
    shared : bool
        Whether one vector of labels was given for several folds, which share a test set.
    """

    positive: np.ndarray
    score: np.ndarray
    size: np.ndarray
    single: bool
    shared: bool = False

    @property
    def real(self) -> np.ndarray:
        """Where there is a case and no padding, shape (folds, n)."""
        return np.asarray(np.arange(self.score.shape[1]) < self.size[:, None])


@dataclass(frozen=True, eq=False)
class Counts:
    """True and false positives as the threshold falls, ties taken as one step.

    The points inside a group of ties, and the padding, repeat the end of their group: a curve
    through all of them is that through the distinct ones, and areas may sum over all.

    Attributes
    ----------
    tp, fp : ndarray of int, shape (folds, n + 1)
        Counts of cases with a score at or above ``threshold``; 0 in the first column.
    threshold : ndarray of shape (folds, n + 1)
        Infinite in the first column, then the sorted scores.
    size : ndarray of int, shape (folds,)
    """

    tp: np.ndarray
    fp: np.ndarray
    threshold: np.ndarray
    size: np.ndarray

    @property
    def positives(self) -> np.ndarray:
        """Positive cases of each fold, shape (folds,)."""
        return np.asarray(self.tp[:, -1])

    @property
    def negatives(self) -> np.ndarray:
        """Negative cases of each fold, shape (folds,)."""
        return np.asarray(self.fp[:, -1])


def as_folds(y: ArrayLike, score: ArrayLike, *, positive: object = None) -> Folds:
    """Check labels and scores.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels. One vector with scores of several folds: the same test set for all.
    score : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Finite numbers, higher for the positive class.
    positive : label, optional
        The positive class; 1 or True if not given, where the labels are such.

    Returns
    -------
    Folds

    Raises
    ------
    InputError
        Shapes that don't fit, other than two classes, missing or infinite scores (with the fold).
    """
    check_paired(y=y, score=score)
    scores, single = by_fold(score, "score")
    labels, one = by_fold(y, "y")
    if one and not single:
        labels = labels * len(scores)
    if len(labels) != len(scores):
        raise InputError(f"y has {counted(len(labels), 'fold')} and score has {len(scores)}")
    for i, (a, b) in enumerate(zip(labels, scores, strict=True)):
        if len(a) != len(b):
            raise InputError(
                f"fold {i}: y has {counted(len(a), 'label')} and score has "
                f"{counted(len(b), 'score')}"
            )
        if len(a) == 0:
            raise InputError(f"fold {i} is empty; accepted: at least one case")
    size = np.array([len(s) for s in scores])
    flat = np.concatenate(scores)
    _check_finite(flat, size)
    real = np.arange(size.max()) < size[:, None]
    padded, hits = np.full(real.shape, -np.inf), np.zeros(real.shape, dtype=bool)
    padded[real], hits[real] = flat, _is_positive(np.concatenate(labels), positive)
    return Folds(hits, padded, size, single, shared=one and not single)


def count(folds: Folds) -> Counts:
    """Counts of true and false positives at every threshold.

    Parameters
    ----------
    folds : Folds

    Returns
    -------
    Counts

    References
    ----------
    Fawcett 2006, Pattern Recognition Letters 27, algorithm 1.
    """
    order = np.argsort(-folds.score, axis=1)
    score = np.take_along_axis(folds.score, order, axis=1)
    hit = np.take_along_axis(folds.positive, order, axis=1)
    tp = np.cumsum(hit, axis=1, dtype=np.int64)
    fp = np.minimum(np.arange(1, hit.shape[1] + 1), folds.size[:, None]) - tp
    tied = score[:, 1:] == score[:, :-1]
    if tied.any():
        last = _ends_of_groups(tied)
        tp, fp = np.take_along_axis(tp, last, axis=1), np.take_along_axis(fp, last, axis=1)
    start = ((0, 0), (1, 0))
    threshold = np.pad(score, start, constant_values=np.inf)
    return Counts(np.pad(tp, start), np.pad(fp, start), threshold, folds.size)


def _ends_of_groups(tied: np.ndarray) -> np.ndarray:
    """For each place the last place of its group of ties, shape (folds, n)."""
    n = tied.shape[1] + 1
    last = np.full((len(tied), n), n - 1)
    last[:, :-1] = np.where(tied, n - 1, np.arange(n - 1))
    return np.asarray(np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1])


def by_fold(values: ArrayLike, name: str) -> tuple[list[np.ndarray], bool]:
    """One array per fold, and whether a single vector was given.

    Parameters
    ----------
    values : array_like of shape (n,) or (folds, n), or sequence of one array per fold
    name : str
        What an error calls it.

    Raises
    ------
    InputError
        If it is none of these, or empty.
    """
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if not isinstance(values, np.ndarray | Sequence) or isinstance(values, str | bytes):
        raise InputError(f"{name} is {type(values).__name__}; accepted: an array, or one per fold")
    if len(values) == 0:
        raise InputError(f"{name} is empty; accepted: at least one case")
    first = values[0]
    if np.ndim(first) == 0:
        return [np.asarray(values)], True
    rows = [np.asarray(row) for row in values]
    for i, row in enumerate(rows):
        if row.ndim != 1:
            raise InputError(
                f"{name}, fold {i}, has shape {row.shape}; accepted: (n,). Of several classes' "
                "probabilities give the column of the positive class"
            )
    return rows, False


def _check_finite(flat: np.ndarray, size: np.ndarray) -> None:
    if flat.dtype.kind not in "fiub":
        raise InputError(f"score holds {flat.dtype}; accepted: numbers")
    bad = np.flatnonzero(~np.isfinite(flat))
    if len(bad):
        fold = int(np.searchsorted(np.cumsum(size), bad[0], side="right"))
        raise InputError(
            f"score is {flat[bad[0]]} in fold {fold}; accepted: finite numbers "
            f"({len(bad)} of {len(flat)} are not)"
        )


def _is_positive(labels: np.ndarray, positive: object) -> np.ndarray:
    if labels.dtype == bool and positive is None:
        return labels
    classes = _classes(labels)
    if positive is None:
        if not any(set(classes) <= usual for usual in USUAL):
            shown = ", ".join(repr(c) for c in classes[:6])
            raise InputError(f"positive is missing: which of the labels {shown} is positive?")
        positive = 1
    elif getattr(positive, "ndim", 0) or positive not in classes:
        shown = ", ".join(repr(c) for c in classes[:6])
        raise InputError(f"positive={positive!r} is not one of the labels; known: {shown}")
    if len(classes) > 2:
        raise InputError(f"y has {len(classes)} classes; curves are for two")
    return np.asarray(labels == positive)


def _classes(labels: np.ndarray) -> list[object]:
    """The distinct labels, as Python's own numbers and strings."""
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InputError("y has missing labels (NaN); accepted: two classes")
    try:
        classes: list[object] = np.unique(labels).tolist()
    except TypeError:  # None among texts
        raise InputError("y has missing or mixed labels; accepted: two classes") from None
    return classes
