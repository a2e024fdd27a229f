"""Metrics that follow from a confusion matrix: one formula per name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import metrics as _metrics
from bayescmp.errors import unknown_name

__all__ = ["COUNTS", "canonical", "derivable", "rate", "rates"]

#: True positives, false negatives, false positives, true negatives: in this order everywhere.
COUNTS = ("tp", "fn", "fp", "tn")

_Array = np.ndarray
_Formula = Callable[[_Array, _Array, _Array, _Array], tuple[_Array, _Array]]

# Numerator and denominator of each; 0/0 is undefined, never 0 or 1 by convention.
_RATES: dict[str, _Formula] = {
    "tpr": lambda tp, fn, fp, tn: (tp, tp + fn),
    "fnr": lambda tp, fn, fp, tn: (fn, tp + fn),
    "fpr": lambda tp, fn, fp, tn: (fp, fp + tn),
    "tnr": lambda tp, fn, fp, tn: (tn, fp + tn),
    "precision": lambda tp, fn, fp, tn: (tp, tp + fp),
    "fdr": lambda tp, fn, fp, tn: (fp, tp + fp),
    "npv": lambda tp, fn, fp, tn: (tn, tn + fn),
    "f1": lambda tp, fn, fp, tn: (2 * tp, 2 * tp + fn + fp),
    "jaccard": lambda tp, fn, fp, tn: (tp, tp + fn + fp),
    "accuracy": lambda tp, fn, fp, tn: (tp + tn, tp + fn + fp + tn),
    "error": lambda tp, fn, fp, tn: (fn + fp, tp + fn + fp + tn),
    "balanced_accuracy": lambda tp, fn, fp, tn: (
        tp * (fp + tn) + tn * (tp + fn),
        2 * (tp + fn) * (fp + tn),
    ),
    "informedness": lambda tp, fn, fp, tn: (tp * tn - fp * fn, (tp + fn) * (fp + tn)),
    "mcc": lambda tp, fn, fp, tn: (
        tp * tn - fp * fn,
        np.sqrt((tp + fn) * (fp + tn)) * np.sqrt((tp + fp) * (tn + fn)),
    ),
    "kappa": lambda tp, fn, fp, tn: (
        2 * (tp * tn - fp * fn),
        (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn),
    ),
}


def rates() -> tuple[str, ...]:
    """Names of the metrics that follow from tp, fn, fp, tn."""
    return tuple(_RATES)


def canonical(name: str) -> str | None:
    """The rate a name stands for ("recall" is "tpr"); None if it is none of them.

    Parameters
    ----------
    name : str
        Any common spelling.
    """
    known = _metrics.canonical(str(name))
    return known if known in _RATES else None


def rate(name: str, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> np.ndarray:
    """A metric from confusion counts.

    Parameters
    ----------
    name : str
        One of `rates`, or another common spelling of it.
    tp, fn, fp, tn : array_like of one shape
        Counts (or expected counts, or draws of probabilities), not negative.

    Returns
    -------
    ndarray
        NaN where the metric is 0/0: tpr without positives, precision where nothing was predicted
        positive, mcc where a row or a column of the table is empty.

    Raises
    ------
    InputError
        Unknown name.

    References
    ----------
    Fawcett 2006, fig. 1; Matthews 1975 (mcc); Cohen 1960 (kappa); Youden 1950 (informedness).
    """
    known = canonical(name)
    if known is None:
        raise unknown_name("metric", name, _RATES)
    above, below = _RATES[known](*(np.asarray(count, dtype=float) for count in (tp, fn, fp, tn)))
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)


def derivable(columns: Iterable[str]) -> tuple[str, ...]:
    """Metrics that a table's columns allow to compute, beyond those it has.

    Parameters
    ----------
    columns : iterable of str

    Returns
    -------
    tuple of str
        All of `rates` where tp, fn, fp and tn are there; "error" from "accuracy" alone and the
        other way round.
    """
    columns = set(columns)
    if set(COUNTS) <= columns:
        return tuple(name for name in _RATES if name not in columns)
    twins = (("accuracy", "error"), ("error", "accuracy"))
    return tuple(new for old, new in twins if old in columns and new not in columns)
