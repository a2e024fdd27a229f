"""SAES: runs of stochastic algorithms on instances, one row per metric."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source, from_long
from bayescmp.table_files import read_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["matches", "read"]

_LABELS = {"Algorithm": "algorithm", "Instance": "dataset", "ExecutionId": "fold"}


def matches(source: Source) -> bool:
    """A table with Algorithm, Instance, MetricName, ExecutionId and MetricValue."""
    return source.has("Algorithm", "Instance", "MetricName", "ExecutionId", "MetricValue")


def read(
    source: Source, *, metrics: str | os.PathLike[str] | pd.DataFrame | None = None
) -> Reading:
    """Metrics of algorithms on instances; executions are independent of one another.

    ``metrics`` is SAES's second table, with the columns MetricName and Maximize: which way each
    metric is better.
    """
    frame = source.frame
    assert frame is not None  # as `matches` says
    long = from_long(
        frame.rename(columns=_LABELS), list(_LABELS.values()), "MetricName", "MetricValue", "SAES"
    )
    note = "runs of SAES, executions are independent"
    if metrics is None:
        return Reading(long, note, resampling="independent")
    maximize = _maximize(metrics)
    ways = {m: maximize[m] for m in map(str, frame["MetricName"].unique()) if m in maximize}
    return Reading(
        long,
        f"{note}, directions from its metrics",
        resampling="independent",
        lower=[m for m, higher in ways.items() if not higher],
        higher=[m for m, higher in ways.items() if higher],
    )


def _maximize(metrics: str | os.PathLike[str] | pd.DataFrame) -> dict[str, bool]:
    """Whether higher is better, by metric."""
    table = read_table(metrics) if isinstance(metrics, str | os.PathLike) else metrics
    if not {"MetricName", "Maximize"} <= set(getattr(table, "columns", ())):
        raise InputError(
            "metrics has no columns MetricName and Maximize; accepted: SAES's table of metrics"
        )
    words = {"true": True, "false": False, "1": True, "0": False}
    directions = {}
    for name, value in zip(table["MetricName"], table["Maximize"], strict=True):
        if str(value).strip().lower() not in words:
            raise InputError(
                f"Maximize of metric {str(name)!r} is {value!r}; accepted: True or False"
            )
        directions[str(name)] = words[str(value).strip().lower()]
    return directions
