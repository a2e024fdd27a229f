"""Results from R, Java and elsewhere, wide tables, and runs that a tracker kept."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.scores import columns, metrics
from bayescmp.scores.readers.base import (
    Reading,
    Source,
    failures,
    from_long,
    numbers,
    parts_of,
    short_names,
)
from bayescmp.scores.readers.files import read_table

if TYPE_CHECKING:
    import pandas as pd


# mlr3: the table ``bmr$score()`` of a benchmark.


_LABELS = {
    *("nr", "uhash", "task", "task_id", "learner", "learner_id", "resampling", "resampling_id"),
    *("iteration", "prediction", "prediction_test", "prediction_train"),
    *("prediction_internal_valid", "warnings", "errors"),
}


def read_mlr3(source: Source) -> Reading:
    """Scores on each iteration; iterations run through the repeats of repeated_cv."""
    frame = source.table
    if "iteration" not in frame:
        raise InputError("the table of mlr3 holds means (bmr$aggregate()): write bmr$score()")
    measures = [c for c in source.columns if c not in _LABELS and frame[c].dtype.kind in "fiub"]
    table = frame[["task_id", "learner_id", "iteration", *measures]].rename(
        columns={"task_id": "dataset", "learner_id": "algorithm", "iteration": "fold"}
    )
    kinds = set(frame["resampling_id"].astype(str))
    description = "bmr$score() of mlr3, resampled by " + ", ".join(sorted(kinds))
    times = [m for m in measures if metrics.is_time(m)]
    if len(times) == len(measures):
        raise InputError("the table of mlr3 has no measure: give some to bmr$score(msrs(...))")
    if kinds == {"loo"}:
        return Reading(table, description, resampling="leave-one-out")
    if kinds == {"cv"}:
        folds = frame.groupby("task_id")["iteration"].max()
        return Reading(table, description, resampling={str(t): int(k) for t, k in folds.items()})
    needs = (
        f"mlr3's resampling {', '.join(sorted(kinds))!r} does not determine rho: iterations run "
        "through all repeats"
    )
    return Reading(table, description, needs=needs)


# tidymodels: ``collect_metrics(summarize = FALSE)`` of resamples, tuning and workflow sets.


#: Labels that rsample gives resamples, and what they are.
_KINDS = {
    "Fold": "folds",
    "Repeat": "folds",
    "Resample": "resamples",
    "Bootstrap": "bootstrap",
    "Slice": "windows",
    "train/test split": "one split",
    "validation": "one split",
}


def read_tidymodels(source: Source, *, dataset: str = "data") -> Reading:
    """Scores of workflows, or of tuned configurations, on each resample.

    ``.estimator`` (binary, macro, ...) says how a metric is averaged, and is not an algorithm.
    """
    frame = source.table
    if ".estimate" not in frame or "id" not in frame:
        raise InputError(
            "the table of tidymodels holds means: write it with collect_metrics(summarize = FALSE)"
        )
    table = frame.assign(algorithm=_algorithms(frame))
    if "dataset" not in table:
        table = table.assign(dataset=dataset)
    table = table.assign(fold=table["id2" if "id2" in table else "id"].map(_number))
    if "id2" in table:
        table = table.assign(repeat=table["id"].map(_number))
    labels = ["dataset", "algorithm", *(c for c in ("repeat", "fold") if c in table)]
    long = from_long(table, labels, ".metric", ".estimate", "collect_metrics()")
    kind = _kind(frame)
    needs = "" if kind == "folds" else f"{frame['id'].iloc[0]!r} resamples do not determine rho"
    return Reading(long, "collect_metrics(summarize = FALSE) of tidymodels", needs=needs)


def _algorithms(frame: pd.DataFrame) -> pd.Series:
    """Names of workflows, with the configuration where one was tuned."""
    names = [c for c in ("wflow_id", "algorithm", "model") if c in frame][:1]
    config = frame[".config"].astype(str) if ".config" in frame else None
    if not names:
        if config is None or config.nunique() < 2:
            raise InputError(
                "the table of tidymodels holds one model: bind several with a column wflow_id"
            )
        return config
    name = frame[names[0]].astype(str)
    if config is None or config.groupby(name).nunique().max() == 1:
        return name
    tuned = config.groupby(name).transform("nunique") > 1
    return name.where(~tuned, name + " " + config)


def _kind(frame: pd.DataFrame) -> str:
    kinds = {
        next((k for start, k in _KINDS.items() if str(i).startswith(start)), "resamples")
        for i in frame["id"].unique()
    }
    return kinds.pop() if len(kinds) == 1 else "several"


def _number(label: object) -> object:
    match = re.search(r"(\d+)$", str(label))
    return int(match[1]) if match else label


# Weka's Experimenter: its results as CSV.


_SIZES = {"Number_of_training_instances": "n_train", "Number_of_testing_instances": "n_test"}


def read_weka(source: Source) -> Reading:
    """Scores of schemes, with their options where a scheme was run with several."""
    import pandas as pd

    frame = source.table
    labels = {"Key_Dataset": "dataset", "Key_Run": "repeat", "Key_Fold": "fold", **_SIZES}
    table = frame[[c for c in labels if c in frame]].rename(columns=labels)
    table = table.assign(
        dataset=table["dataset"].astype(str).str.strip("'"), algorithm=_schemes(frame)
    )
    others = [c for c in source.columns if not c.startswith(("Key_", "Date")) and c not in labels]
    for column in others:
        values = pd.to_numeric(frame[column], errors="coerce")  # "?" is Weka's missing value
        if values.notna().any():
            table = table.assign(**{column: values})
    how = "folds" if "Key_Fold" in frame else "random splits"
    return Reading(table, f"results of Weka's Experimenter, runs of {how}")


def _schemes(frame: pd.DataFrame) -> pd.Series:
    scheme = frame["Key_Scheme"].astype(str).str.strip("'")
    short = scheme.map(short_names(scheme))
    if "Key_Scheme_options" not in frame:
        return short
    options = frame["Key_Scheme_options"].fillna("").astype(str).str.strip("'")
    several = options.groupby(scheme).transform("nunique") > 1
    return short.where(~several, (short + " " + options).str.strip())


# SAES: runs of stochastic algorithms on instances, one row per metric.


_SAES_LABELS = {"Algorithm": "algorithm", "Instance": "dataset", "ExecutionId": "fold"}


def read_saes(
    source: Source, *, metrics: str | os.PathLike[str] | pd.DataFrame | None = None
) -> Reading:
    """Metrics of algorithms on instances; executions are independent of one another.

    ``metrics`` is SAES's second table, with the columns MetricName and Maximize: which way each
    metric is better.
    """
    frame = source.table
    long = from_long(
        frame.rename(columns=_SAES_LABELS),
        list(_SAES_LABELS.values()),
        "MetricName",
        "MetricValue",
        "SAES",
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
    if isinstance(metrics, str | os.PathLike):
        metrics = read_table(metrics, lambda _: ["MetricName"])
    if not {"MetricName", "Maximize"} <= set(getattr(metrics, "columns", ())):
        raise InputError(
            "metrics has no columns MetricName and Maximize; accepted: SAES's table of metrics"
        )
    words = {"true": True, "false": False, "1": True, "0": False}
    directions = {}
    for name, value in zip(metrics["MetricName"], metrics["Maximize"], strict=True):
        if str(value).strip().lower() not in words:
            raise InputError(
                f"Maximize of metric {str(name)!r} is {value!r}; accepted: True or False"
            )
        directions[str(name)] = words[str(value).strip().lower()]
    return directions


# Wide tables, one column per algorithm, as bbtcomp and scmamp have them: read as any table is.


def is_wide(source: Source) -> bool:
    """A column of names, some of which come again, and columns of numbers only."""
    frame = source.frame
    if frame is None or len(frame.columns) < 3:
        return False
    labels = [c for c in source.columns if columns.is_label(c)]
    name = labels[0] if len(labels) == 1 else source.columns[0]
    others = [c for c in source.columns if c != name]
    return (
        frame.columns.nlevels == 1
        and len(labels) <= 1
        and frame[name].dtype.kind not in "fiub"
        and bool(frame[name].duplicated().any())
        and all(frame[c].dtype.kind in "fi" for c in others)
    )


def read_wide(source: Source) -> Reading:
    """The table as it is: `bayescmp.Scores` takes a data set's rows as its folds, in order."""
    return Reading(source.table, "a wide table, one column per algorithm and one row per fold")


# MLflow: ``search_runs()``, a row a run.


def is_mlflow(source: Source) -> bool:
    """Columns ``metrics.…``."""
    return any(c.startswith("metrics.") for c in source.columns)


def read_mlflow(source: Source, *, columns: Mapping[str, str] | None = None) -> Reading:
    """Metrics of runs; parameters and tags say the algorithm, the data set and the fold.

    A run that is not finished has no scores.
    """
    frame = source.table
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
    words = "runs of MLflow: " + ", ".join(f"{c} is the {p}" for p, c in parts.items())
    state, metrics = frame.get("status", None), list(measured.values())
    return _without_unfinished(table, metrics, state, "FINISHED", words)


# Weights & Biases: runs as its API or its export writes them, a row a run.


#: Columns of the export that describe the run itself.
_RUN = {
    *("Name", "State", "Created", "Runtime", "Notes", "User", "Tags", "Sweep", "ID", "Group"),
    *("Job Type", "End Time", "Updated", "Hostname", "Commit", "GitHub", "GPU Count", "GPU Type"),
    *("Description", "Agent", "name", "state", "id"),
}


def is_wandb(source: Source) -> bool:
    """Columns ``config`` and ``summary`` of dicts or ``config.…``, or ``Name`` and ``State``."""
    flat = any(c.startswith("config.") for c in source.columns)
    return flat or source.has("config", "summary") or source.has("Name", "State", "Created")


def read_wandb(source: Source, *, columns: Mapping[str, str] | None = None) -> Reading:
    """Summaries of runs; the configuration says the algorithm, the data set and the fold."""
    import pandas as pd

    frame = source.table
    if source.has("config", "summary"):
        config, summary = (
            pd.DataFrame([_as_dict(v) for v in frame[c]], index=frame.index)
            for c in ("config", "summary")
        )
        labels, measured = config, summary[[c for c in summary if not str(c).startswith("_")]]
    else:
        rest = [c for c in source.columns if c not in _RUN and not c.startswith("_")]
        labels, measured = frame[rest], _measured(frame[rest])
    parts = parts_of(labels.columns, columns, "runs of Weights & Biases")
    numeric = [
        c
        for c in map(str, measured)
        if c not in parts.values() and measured[c].dtype.kind in "fiu"
    ]
    table = measured[numeric].assign(**{p: numbers(p, labels[c]) for p, c in parts.items()})
    words = "runs of Weights & Biases: " + ", ".join(f"{c} is the {p}" for p, c in parts.items())
    state = next((frame[c] for c in ("State", "state") if c in frame), None)
    return _without_unfinished(table, numeric, state, "finished", words)


def _measured(frame: pd.DataFrame) -> pd.DataFrame:
    """Of columns ``summary.…`` these, of others those that are not ``config.…``."""
    summary = [c for c in frame if str(c).startswith("summary.")]
    if summary:
        own = [c for c in summary if not str(c).startswith("summary._")]
        return frame[own].rename(columns=lambda c: c.removeprefix("summary."))
    return frame[[c for c in frame if not str(c).startswith("config.")]]


# What runs of both have in common.


def _without_unfinished(
    table: pd.DataFrame, metrics: list[str], state: pd.Series | None, finished: str, words: str
) -> Reading:
    """Runs, of which those that are not finished have no scores."""
    settings = _settings(table, metrics)
    if state is None or (state == finished).all():
        return Reading(table, words, settings=settings)
    unfinished = state != finished
    table = table.astype(dict.fromkeys(metrics, float))
    table.loc[unfinished.to_numpy(), metrics] = np.nan
    table = table.assign(failure=failures(unfinished, state))
    words = f"{words}; {int(unfinished.sum())} runs are not finished"
    return Reading(table, words, settings=settings)


def _settings(table: pd.DataFrame, measured: list[str]) -> tuple[str, ...]:
    """Columns with one value in all runs of each algorithm, and no metrics by their names."""
    unknown = [c for c in measured if metrics.canonical(c) is None and not metrics.is_time(c)]
    by = table.groupby("algorithm", sort=False)
    held = [
        c
        for c in unknown
        if table[c].nunique() == 1 or (by[c].nunique().max() == 1 < by[c].count().max())
    ]
    return tuple(held) if len(held) < len(measured) and len(table) > 1 else ()


def _as_dict(value: Mapping[str, object] | str) -> dict[str, object]:
    """A dict from itself, from JSON, or from Python's way of writing one."""
    if isinstance(value, Mapping):
        return dict(value)
    try:
        return dict(json.loads(value))
    except ValueError:
        return dict(ast.literal_eval(value))
