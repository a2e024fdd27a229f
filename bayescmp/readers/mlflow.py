"""MLflow: ``search_runs()``, a row a run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source, failures, numbers, parts_of

__all__ = ["matches", "read"]


def matches(source: Source) -> bool:
    """A table with run_id and columns ``metrics.…``."""
    return source.has("run_id") and any(c.startswith("metrics.") for c in source.columns)


def read(source: Source, *, columns: Mapping[str, str] | None = None) -> Reading:
    """Metrics of runs; parameters and tags say the algorithm, the data set and the fold.

    A run that is not finished has no scores.
    """
    frame = source.frame
    assert frame is not None  # as `matches` says
    labels = [
        c
        for c in source.columns
        if c.startswith(("params.", "tags.")) and not c.startswith("tags.mlflow.")
    ]
    parts = parts_of(labels, columns, "runs of MLflow")
    measured = {c: c.removeprefix("metrics.") for c in source.columns if c.startswith("metrics.")}
    table = frame[list(measured)].rename(columns=measured)
    clash = set(table) & set(parts)
    if clash:
        raise InputError(f"metric {clash.pop()!r} of the runs is named as a label; rename it")
    table = table.assign(**{part: numbers(frame[column]) for part, column in parts.items()})
    description = "runs of MLflow: " + ", ".join(f"{c} is the {p}" for p, c in parts.items())
    if "status" in frame and (frame["status"] != "FINISHED").any():
        unfinished = frame["status"] != "FINISHED"
        table.loc[unfinished.to_numpy(), list(measured.values())] = np.nan
        table = table.assign(failure=failures(unfinished, frame["status"]))
        description += f"; {int(unfinished.sum())} runs are not finished"
    return Reading(table, description)
