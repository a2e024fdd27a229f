"""SAES: runs of stochastic algorithms on instances, a row a metric."""

from __future__ import annotations

from bayescmp.readers.base import Reading, Source, from_long

__all__ = ["matches", "read"]

_LABELS = {"Algorithm": "algorithm", "Instance": "dataset", "ExecutionId": "fold"}


def matches(source: Source) -> bool:
    """A table with Algorithm, Instance, MetricName, ExecutionId and MetricValue."""
    return source.has("Algorithm", "Instance", "MetricName", "ExecutionId", "MetricValue")


def read(source: Source) -> Reading:
    """Metrics of algorithms on instances; executions are independent of one another."""
    frame = source.frame
    assert frame is not None  # as `matches` says
    long = from_long(
        frame.rename(columns=_LABELS), list(_LABELS.values()), "MetricName", "MetricValue", "SAES"
    )
    return Reading(long, "runs of SAES, executions are independent", resampling="independent")
