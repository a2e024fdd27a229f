"""Metrics of confusion counts, by name or as functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bayescmp import metrics as _metrics
from bayescmp import rates as _rates
from bayescmp.errors import InputError, unknown_name

__all__ = ["CountMetric", "chosen_metrics"]

COUNTS = _rates.COUNTS


@dataclass(frozen=True, eq=False)
class CountMetric:
    """A function of (tp, fn, fp, tn), with its name and direction.

    Attributes
    ----------
    name : str
    function : callable
    direction : Direction
    by_name : bool
        Whether the name is enough to find it again.
    """

    name: str
    function: Callable[..., Any]
    direction: _metrics.Direction
    by_name: bool = True


def chosen_metrics(metric: Any, lower: Any = None) -> tuple[CountMetric, ...]:
    """The metrics by name or function, with their directions."""
    accepted = "accepted: a name, a function of tp, fn, fp, tn, or a sequence of them"
    single = isinstance(metric, str) or callable(metric)
    if not single and not hasattr(metric, "__iter__"):
        raise InputError(f"metric={metric!r}; {accepted}")
    wanted = [metric] if single else list(metric)
    if not wanted:
        raise InputError(f"metric is an empty sequence; {accepted}")
    flags = [lower] * len(wanted) if lower is None or isinstance(lower, bool) else list(lower)
    if len(flags) != len(wanted):
        raise InputError(f"lower_is_better has {len(flags)} for {len(wanted)} metrics")
    metrics = [_one_metric(m, low) for m, low in zip(wanted, flags, strict=True)]
    names = [m.name for m in metrics]
    if len(set(names)) < len(names):
        raise InputError(f"metric names {names!r} are not distinct")
    return tuple(metrics)


def _one_metric(metric: object, lower: bool | None) -> CountMetric:
    if callable(metric):
        name = getattr(metric, "__name__", "metric")
        name = "metric" if name == "<lambda>" else name
        way = _metrics.Direction(name, bool(lower), "assumed" if lower is None else "declared")
        return CountMetric(name, metric, way, by_name=False)
    known = _rates.canonical(str(metric))
    if known is None and metric in COUNTS:
        function: Callable[..., Any] = partial(_count, COUNTS.index(metric))
    elif known is None:
        raise unknown_name("metric", metric, (*_rates.rates(), *COUNTS))
    else:
        function = partial(_rates.rate, known)
    way = _metrics.direction(known or str(metric), lower)
    return CountMetric(str(metric), function, replace(way, metric=str(metric)))


def _count(place: int, *cells: np.ndarray) -> np.ndarray:
    """One of tp, fn, fp, tn itself."""
    return cells[place]
