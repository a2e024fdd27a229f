"""OpenML: ``list_evaluations(function, per_fold=True)``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source, short_names

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["matches", "read"]


def matches(source: Source) -> bool:
    """A table with flow_id, task_id, function and values."""
    return source.has("flow_id", "task_id", "function", "values")


def read(source: Source) -> Reading:
    """Scores of flows on tasks, one number per fold in the column ``values``."""
    frame = source.frame
    assert frame is not None  # as `matches` says
    if frame["values"].isna().all():
        raise InputError("column 'values' is empty: call list_evaluations(..., per_fold=True)")
    metric = frame["function"].astype(str).unique()
    if len(metric) > 1:
        raise InputError(
            f"the table holds the measures {', '.join(map(repr, metric))}: keep the rows of one"
        )
    again = frame.duplicated(["flow_id", "task_id"])
    name = "setup_id" if again.any() and "setup_id" in frame else "flow_id"
    if frame.duplicated([name, "task_id"]).any():
        row = frame[frame.duplicated([name, "task_id"])].iloc[0]
        raise InputError(
            f"{name} {row[name]} has several runs on task {row['task_id']}: keep one of each"
        )
    table = frame.assign(
        dataset=frame["data_name" if "data_name" in frame else "task_id"].astype(str),
        algorithm=_algorithms(frame, name),
        values=frame["values"].map(_values),
    )
    if table.groupby("dataset")["task_id"].nunique().max() > 1:  # two tasks on one data set
        table["dataset"] += " (task " + table["task_id"].astype(str) + ")"
    table = table[["dataset", "algorithm", "values"]].explode("values", ignore_index=True)
    table["fold"] = table.groupby(["dataset", "algorithm"]).cumcount() + 1
    table[metric[0]] = table.pop("values").astype(float)
    needs = (
        "evaluations of OpenML "
        "do not say how the task was resampled (usually resampling='10-fold')"
    )
    return Reading(table, "list_evaluations(per_fold=True) of OpenML", needs=needs)


def _algorithms(frame: pd.DataFrame, name: str) -> list[str]:
    """Names of flows, with the setup where a flow has several."""
    if "flow_name" not in frame:
        return [f"{name[:-3]} {i}" for i in frame[name]]
    plain = [_plain(f) for f in frame["flow_name"].astype(str)]
    short = short_names(plain)
    names = [short[p] for p in plain]
    versions = frame["flow_id"].groupby(names).nunique().max() > 1
    if name == "setup_id":
        return [f"{n} (setup {i})" for n, i in zip(names, frame[name], strict=True)]
    if versions:
        return [f"{n} (flow {i})" for n, i in zip(names, frame[name], strict=True)]
    return names


def _plain(flow: str) -> str:
    """A flow's name without its version: "weka.J48(2)"; of a pipeline up to its last step."""
    return (flow.rpartition("(")[0] or flow).rstrip(")")


def _values(value: object) -> list[float]:
    try:
        numbers = json.loads(value) if isinstance(value, str) else value
        return [float(v) for v in np.asarray(numbers, dtype=float)]
    except (TypeError, ValueError):
        raise InputError(f"column 'values' holds {value!r}; accepted: a list of numbers") from None
