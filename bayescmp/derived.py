"""Metrics that follow from the columns of a table: from its counts, its accuracy or its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import metrics as _metrics
from bayescmp import rates as _rates
from bayescmp.errors import unknown_name

if TYPE_CHECKING:
    from bayescmp.scores import Scores

__all__ = ["Derived", "columns_behind", "derived"]


@dataclass(frozen=True, eq=False)
class Derived:
    """A metric of a score table, or one that follows from its columns.

    Attributes
    ----------
    values : ndarray
        NaN where it is 0/0.
    lower : bool
        Whether lower values are better.
    """

    values: np.ndarray
    lower: bool


def derived(scores: Scores, metric: str, rows: np.ndarray | None = None) -> Derived:
    """A metric of the table, or one that follows from its counts or from its accuracy or error.

    Parameters
    ----------
    scores : Scores
    metric : str
        A column, another spelling of one, or a rate that follows from the columns tp, fn, fp and
        tn ("tpr", "recall", ...), or "error" from "accuracy" and the other way round.
    rows : ndarray of int, optional
        Which rows of the table, in any shape; all if not given.

    Returns
    -------
    Derived

    Raises
    ------
    InputError
        A metric that neither is in the table nor follows from it; missing or infinite scores in
        the columns that are used.
    """
    columns = columns_behind(scores, metric)
    if metric in scores.metrics:
        return Derived(scores.values(metric, rows), scores.lower_is_better(metric))
    known = _rates.canonical(metric)
    lower = _metrics.lower_is_better(known or metric)
    values = [scores.values(c, rows) for c in columns]
    if len(columns) > 1:
        return Derived(_rates.rate(metric, *values), lower)
    if _rates.canonical(columns[0]) == known:
        return Derived(values[0], lower)
    return Derived((scores.span(columns[0]) or 1.0) - values[0], lower)


def columns_behind(scores: Scores, metric: str) -> tuple[str, ...]:
    """The columns that a metric is read from: itself, the counts, another spelling, its twin.

    Raises
    ------
    InputError
        A metric that neither is in the table nor follows from it.
    """
    if metric in scores.metrics:
        return (metric,)
    known = _rates.canonical(metric)
    if known is not None and set(_rates.COUNTS) <= set(scores.metrics):
        return tuple(_rates.COUNTS)
    columns = {_rates.canonical(m) or m: m for m in reversed(scores.metrics)}
    if known in columns:
        return (columns[known],)
    possible = _rates.derivable((*columns, *scores.metrics))
    if known is None or known not in possible:
        raise unknown_name("metric", metric, (*scores.metrics, *possible))
    return (columns["accuracy" if known == "error" else "error"],)
