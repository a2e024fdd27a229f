"""Areas under ROC and precision-recall curves, of all folds at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.curves.folds import Counts, as_folds, count
from bayescmp.errors import InputError, unknown_name

__all__ = ["auc", "auc_pr", "need_classes", "pr_area", "roc_area"]

METHODS = ("davis-goadrich", "trapezoid")


def auc(
    y: ArrayLike, score: ArrayLike, *, positive: object = None, undefined: str = "raise"
) -> Any:
    """Area under the ROC curve by the trapezoid rule.

    It is the Wilcoxon-Mann-Whitney statistic: the share of pairs of a positive and a negative case
    in which the positive one has the higher score, ties counting one half.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels. One vector with scores of several folds: the same test set for all.
    score : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Finite numbers, higher for the positive class.
    positive : label, optional
        The positive class; 1 or True if not given, where the labels are such.
    undefined : {"raise", "nan"}
        What a fold without a positive or without a negative case gives.

    Returns
    -------
    ndarray of shape (folds,), or float for one vector

    Raises
    ------
    InputError
        Shapes that don't fit, other than two classes, scores that are not finite, a fold with
        one class.

    References
    ----------
    Fawcett 2006, Pattern Recognition Letters 27, algorithm 3; Hanley & McNeil 1982, Radiology 143.

    Examples
    --------
    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    folds = as_folds(y, score, positive=positive)
    counts = count(folds)
    need_classes(counts, undefined, negatives=True)
    area = roc_area(counts)
    return float(area[0]) if folds.single else area


def auc_pr(
    y: ArrayLike,
    score: ArrayLike,
    *,
    method: str = "davis-goadrich",
    positive: object = None,
    undefined: str = "raise",
) -> Any:
    """Area under the precision-recall curve.

    Parameters
    ----------
    y, score, positive
        As for `auc`.
    method : {"davis-goadrich", "trapezoid"}
        Between two points true and false positives grow in proportion, so that precision is a
        hyperbola in recall, integrated exactly; or points are joined by lines, which is too
        optimistic where they are far apart. At recall 0 both go on from the first point with its
        precision.
    undefined : {"raise", "nan"}
        What a fold without a positive case gives.

    Returns
    -------
    ndarray of shape (folds,), or float for one vector

    Raises
    ------
    InputError
        As for `auc`; an unknown method.

    References
    ----------
    Davis & Goadrich 2006, ICML, sec. 4 (in whole steps of one true positive; the limit of ever
    smaller steps: Keilwagen, Grosse & Grau 2014, PLoS ONE 9, e92209); trapezoid: Aslan 2009, 2.3.
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    folds = as_folds(y, score, positive=positive)
    counts = count(folds)
    need_classes(counts, undefined, negatives=False)
    area = pr_area(counts, method)
    return float(area[0]) if folds.single else area


def roc_area(counts: Counts) -> np.ndarray:
    """Trapezoid area under each ROC curve, NaN with one class; shape (folds,)."""
    steps = np.diff(counts.fp, axis=1)
    twice = np.sum(steps * (counts.tp[:, 1:] + counts.tp[:, :-1]), axis=1)  # exact, in integers
    pairs = (counts.positives * counts.negatives).astype(float)
    return np.divide(twice / 2, pairs, out=np.full(len(twice), np.nan), where=pairs > 0)


def pr_area(counts: Counts, method: str) -> np.ndarray:
    """Area under each precision-recall curve, NaN without a positive; shape (folds,)."""
    part = _hyperbolas(counts) if method == "davis-goadrich" else _trapezoids(counts)
    total = counts.positives.astype(float)
    return np.divide(part.sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)


def _hyperbolas(counts: Counts) -> np.ndarray:
    """Areas of the steps, recall in cases: ∫ (a+t)/(c+ht) dt from 0 to Δ.

    a true positives of c selected cases at the start; each true positive brings h - 1 false ones.
    """
    a = counts.tp[:, :-1].astype(float)
    c = a + counts.fp[:, :-1]
    rise = np.diff(counts.tp, axis=1).astype(float)
    h = 1 + np.divide(np.diff(counts.fp, axis=1), rise, out=np.zeros_like(a), where=rise > 0)
    grown = np.log1p(np.divide(h * rise, c, out=np.zeros_like(a), where=c > 0))
    return np.asarray(rise / h + (a * h - c) / h**2 * grown)  # c = 0 implies a = 0: rise/h alone


def _trapezoids(counts: Counts) -> np.ndarray:
    selected = counts.tp + counts.fp
    with np.errstate(invalid="ignore"):
        precision = counts.tp / selected
    precision[:, 0] = precision[:, 1]  # selecting nothing has no precision
    return np.asarray(np.diff(counts.tp, axis=1) * (precision[:, 1:] + precision[:, :-1]) / 2)


def need_classes(counts: Counts, undefined: str, *, negatives: bool) -> None:
    """Refuse folds in which a class is missing, unless NaN is wanted for them.

    Parameters
    ----------
    counts : Counts
    undefined : {"raise", "nan"}
    negatives : bool
        Whether negative cases are needed too.

    Raises
    ------
    InputError
        Naming the fold and the class.
    """
    if undefined not in ("raise", "nan"):
        raise unknown_name("undefined", undefined, ("raise", "nan"))
    if undefined == "nan":
        return
    classes = {"positive": counts.positives}
    if negatives:
        classes["negative"] = counts.negatives
    for name, cases in classes.items():
        empty = np.flatnonzero(cases == 0)
        if len(empty):
            raise InputError(
                f"fold {empty[0]} has no {name} case, so its area is not defined; accepted: both "
                "classes in every fold (stratify the folds), or undefined='nan'"
            )
