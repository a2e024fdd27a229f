"""Confusion counts of two classifiers, in any of their forms, with repeats divided out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.rates import COUNTS

__all__ = ["read_counts"]

INDEPENDENT = (
    "the two are taken as independent; give joint or predictions to model what they share"
)
ROWS = "four counts tp, fn, fp, tn, or rows of them"


def read_counts(
    first: object,
    second: object,
    joint: ArrayLike | None,
    predictions: object,
    repeats: int | None,
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Counts of two classifiers, each item once, and what the reader of a result should know.

    Parameters
    ----------
    first, second : array_like of shape (4,) or (m, 4), mapping, Series or DataFrame, optional
        tp, fn, fp, tn of each.
    joint : array_like of shape (2, 2, 2), optional
        Items by truth, first and second prediction.
    predictions : (truth, first, second), optional
        Three vectors of 0 and 1.
    repeats : int, optional
        How often each item was tested.

    Returns
    -------
    counts : ndarray of shape (2, 4), or (2, 2, 2) where joint
    notes : tuple of str

    Raises
    ------
    InputError
        Counts that are negative, not finite, not four, or contradict each other; rows that may be
        repeats of the same items, with nothing to tell.
    """
    if repeats is not None:
        repeats = checks.whole("repeats", repeats)
    if joint is not None and predictions is not None:
        raise InputError("joint and predictions hold the same information: give one of them")
    if joint is None and predictions is None:
        if first is None or second is None:
            raise InputError(
                "counts_first and counts_second are needed (tp, fn, fp, tn of each), or joint, or "
                "predictions"
            )
        (a, of_a), (b, of_b) = (
            _four(c, f"counts_{name}", repeats)
            for c, name in ((first, "first"), (second, "second"))
        )
        if of_a != of_b:
            raise InputError(f"counts_first has {of_a} repeats of its items, counts_second {of_b}")
        return np.stack([a, b]), (INDEPENDENT, *_repeated(of_a))
    table = (_table(predictions) if joint is None else _joint(joint)) / (repeats or 1)
    for counts, axis, name in ((first, 2, "counts_first"), (second, 1, "counts_second")):
        own = table.sum(axis=axis)
        expected = np.array([own[1, 1], own[1, 0], own[0, 1], own[0, 0]])
        if counts is not None:
            own_four, _ = _four(counts, name, repeats)
            if not np.allclose(own_four, expected):
                raise InputError(
                    f"{name} is {own_four.tolist()}, but the joint table has (tp, fn, fp, tn) = "
                    f"{expected.tolist()}"
                )
    return table, _repeated(repeats or 1)


def _repeated(repeats: int) -> tuple[str, ...]:
    if repeats == 1:
        return ()
    return (f"counts are divided by {repeats} repeats of the same items",)


def _four(counts: Any, name: str, repeats: int | None) -> tuple[np.ndarray, int]:
    """The four counts, each item once, and how often each was tested."""
    labelled = None
    if _has_names(counts):
        missing = [c for c in COUNTS if c not in counts]
        if missing:
            raise InputError(f"{name} has no {missing[0]!r}; accepted: {ROWS}")
        labelled = _labelled_repeats(counts)
        counts = np.stack([np.asarray(counts[c]) for c in COUNTS], axis=-1)
    values = _array(counts, name, ROWS)
    if values.ndim not in (1, 2) or values.shape[-1] != 4:
        raise InputError(f"{name} has shape {values.shape}; accepted: {ROWS}")
    times = _times(np.atleast_2d(values), name, labelled, repeats)
    return np.atleast_2d(values).sum(axis=0) / times, times


def _times(rows: np.ndarray, name: str, labelled: int | None, repeats: int | None) -> int:
    """How often each item was tested: as given, labelled, or once if rows can't be repeats."""
    if labelled is not None and repeats not in (None, labelled):
        raise InputError(f"repeats={repeats}, but the labels of {name} have {labelled}")
    known = labelled if repeats is None else repeats
    if known is not None:
        return known
    possible = _possible_repeats(rows)
    if possible:
        raise InputError(
            f"{name} has {len(rows)} rows that may be {' or '.join(map(str, possible))} repeats "
            "of the same items, with the same positives and negatives in each: give repeats=, 1 "
            "for test sets without common items"
        )
    return 1


def _possible_repeats(rows: np.ndarray) -> list[int]:
    """Numbers of equal parts, row after row, that have the same positives and negatives."""
    truth = np.stack([rows[:, 0] + rows[:, 1], rows[:, 2] + rows[:, 3]], axis=1)
    possible = []
    for times in range(2, len(rows) + 1):
        if len(rows) % times == 0:
            sums = truth.reshape(times, -1, 2).sum(axis=1)
            if np.allclose(sums, sums[0]):
                possible.append(times)
    return possible


def _labelled_repeats(counts: Any) -> int | None:
    """How often items were tested, by labels "repeat", or "fold" that recur; None without."""
    for label in ("repeat", "fold"):
        if label in counts:
            each = np.unique(np.atleast_1d(np.asarray(counts[label])), return_counts=True)
            if label == "repeat":
                return len(each[0])
            return int(each[1].max())
    return None


def _has_names(counts: object) -> bool:
    """Whether counts have names: a mapping, or a Series or DataFrame with such labels.

    Their order then says nothing: scikit-learn's, for one, is tn, fp, fn, tp.
    """
    if isinstance(counts, Mapping):
        return True
    return hasattr(counts, "keys") and any(isinstance(k, str) for k in counts.keys())  # noqa: SIM118


def _joint(joint: ArrayLike) -> np.ndarray:
    accepted = "counts of shape (2, 2, 2), by truth, first and second prediction"
    values = _array(joint, "joint", accepted)
    if values.shape != (2, 2, 2):
        raise InputError(f"joint has shape {values.shape}; accepted: {accepted}")
    return values


def _array(counts: ArrayLike, name: str, accepted: str) -> np.ndarray:
    values = checks.numbers(counts, name, accepted)
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise InputError(
            f"{name} holds a count that is negative or not finite; accepted: {accepted}"
        )
    return values


def _table(predictions: object) -> np.ndarray:
    accepted = "accepted: truth, first and second prediction, three vectors of 0 and 1"
    vectors = (
        [np.asarray(v) for v in predictions]
        if isinstance(predictions, Sequence)
        else (list(np.atleast_1d(np.asarray(predictions))))
    )
    if len(vectors) != 3 or len({v.shape for v in vectors}) != 1 or vectors[0].ndim != 1:
        raise InputError(f"predictions are not three vectors of one length; {accepted}")
    values = np.stack(vectors)
    if not np.all(np.isin(values, (0, 1))) or not values.size:
        raise InputError(f"predictions hold something other than 0 and 1; {accepted}")
    values = values.astype(int)
    cells = (values * np.array([[4], [2], [1]])).sum(axis=0)
    return np.bincount(cells, minlength=8).astype(float).reshape(2, 2, 2)
