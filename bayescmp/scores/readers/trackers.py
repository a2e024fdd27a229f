"""Runs that a tracker kept, a row a run: MLflow, Weights & Biases."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.scores.readers.base import Reading, Source, failures, numbers, parts_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "is_mlflow",
    "is_wandb",
    "read_mlflow",
    "read_wandb",
]


# MLflow: ``search_runs()``, a row a run.


def is_mlflow(source: Source) -> bool:
    """A table with run_id and columns ``metrics.…``."""
    return source.has("run_id") and any(c.startswith("metrics.") for c in source.columns)


def read_mlflow(source: Source, *, columns: Mapping[str, str] | None = None) -> Reading:
    """Metrics of runs; parameters and tags say the algorithm, the data set and the fold.

    A run that is not finished has no scores.
    """
    frame = source.frame
    assert frame is not None  # as `is_mlflow` says
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
    table = table.assign(**{part: numbers(part, frame[column]) for part, column in parts.items()})
    description = "runs of MLflow: " + ", ".join(f"{c} is the {p}" for p, c in parts.items())
    if "status" in frame and (frame["status"] != "FINISHED").any():
        unfinished = frame["status"] != "FINISHED"
        table.loc[unfinished.to_numpy(), list(measured.values())] = np.nan
        table = table.assign(failure=failures(unfinished, frame["status"]))
        description += f"; {int(unfinished.sum())} runs are not finished"
    return Reading(table, description)


# Weights & Biases: runs as its API or its export writes them, a row a run.


#: Columns of the export that describe the run itself.
_RUN = {
    "Name",
    "State",
    "Created",
    "Runtime",
    "Notes",
    "User",
    "Tags",
    "Sweep",
    "ID",
    "Group",
    "Job Type",
    "End Time",
    "Updated",
    "Hostname",
    "Commit",
    "GitHub",
    "GPU Count",
    "GPU Type",
    "Description",
    "Agent",
    "name",
    "state",
    "id",
}


def is_wandb(source: Source) -> bool:
    """Columns ``config`` and ``summary`` of dicts, or the export's ``Name`` and ``State``."""
    return source.has("config", "summary") or source.has("Name", "State", "Created")


def read_wandb(source: Source, *, columns: Mapping[str, str] | None = None) -> Reading:
    """Summaries of runs; the configuration says the algorithm, the data set and the fold."""
    import pandas as pd

    frame = source.frame
    assert frame is not None  # as `is_wandb` says
    if source.has("config", "summary"):
        config, summary = (
            pd.DataFrame([_as_dict(v) for v in frame[c]], index=frame.index)
            for c in ("config", "summary")
        )
        labels, measured = config, summary[[c for c in summary if not str(c).startswith("_")]]
    else:
        rest = [c for c in source.columns if c not in _RUN and not c.startswith("_")]
        labels = measured = frame[rest]
    parts = parts_of(labels.columns, columns, "runs of Weights & Biases")
    metrics = [
        c
        for c in map(str, measured)
        if c not in parts.values() and measured[c].dtype.kind in "fiu"
    ]
    table = measured[metrics].assign(**{p: numbers(p, labels[c]) for p, c in parts.items()})
    words = "runs of Weights & Biases: " + ", ".join(f"{c} is the {p}" for p, c in parts.items())
    state = next((frame[c] for c in ("State", "state") if c in frame), None)
    return _without_unfinished(table, metrics, state, words)


def _without_unfinished(
    table: pd.DataFrame, metrics: list[str], state: pd.Series | None, words: str
) -> Reading:
    if state is None or (state == "finished").all():
        return Reading(table, words)
    unfinished = state != "finished"
    table = table.astype(dict.fromkeys(metrics, float))
    table.loc[unfinished.to_numpy(), metrics] = np.nan
    table = table.assign(failure=failures(unfinished, state))
    return Reading(table, f"{words}; {int(unfinished.sum())} runs are not finished")


def _as_dict(value: Mapping[str, object] | str) -> dict[str, object]:
    """A dict from itself, from JSON, or from Python's way of writing one."""
    if isinstance(value, Mapping):
        return dict(value)
    try:
        return dict(json.loads(value))
    except ValueError:
        return dict(ast.literal_eval(value))
