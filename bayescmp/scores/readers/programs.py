"""Results of programs in R, Java and Python, wide tables, and runs that a tracker kept."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must, must_be, read_option
from bayescmp.base.checks import check_choice
from bayescmp.errors import InputError
from bayescmp.scores import columns, metrics
from bayescmp.scores.leaderboards import WORDS, Leaderboard
from bayescmp.scores.readers.base import (
    Reading,
    Source,
    failures,
    from_long,
    numbers,
    parts_of,
    read_scores,
    short_names,
)
from bayescmp.scores.readers.files import read_table
from bayescmp.scores.readers.sklearn import higher_by_scorers
from bayescmp.wording.text import format_count

# mlr3: the table ``bmr$score()`` of a benchmark.


_LABELS = {
    *("nr", "uhash", "task", "task_id", "learner", "learner_id", "resampling", "resampling_id"),
    *("iteration", "prediction", "prediction_test", "prediction_train"),
    *("prediction_internal_valid", "warnings", "errors"),
}


def read_mlr3(source: Source) -> Reading:
    """Read scores of each iteration; iterations run through the repeats of repeated_cv."""
    frame = source.table
    if "iteration" not in frame:
        raise InputError(
            "the table of mlr3 must have a row per iteration (got means, as of bmr$aggregate()). "
            "Write bmr$score()."
        )
    measures = [c for c in source.columns if c not in _LABELS and frame[c].dtype.kind in "fiub"]
    table = frame[["task_id", "learner_id", "iteration", *measures]].rename(
        columns={"task_id": "dataset", "learner_id": "algorithm", "iteration": "fold"}
    )
    kinds = set(frame["resampling_id"].astype(str))
    description = "bmr$score() of mlr3, resampled by " + ", ".join(sorted(kinds))
    times = [m for m in measures if metrics.is_time(m)]
    if len(times) == len(measures):
        raise InputError(
            "the table of mlr3 must have a measure (got none). Give some to bmr$score(msrs(...))."
        )
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


def read_tidymodels(source: Source, *, dataset: str = "data") -> Reading:
    """Read scores of workflows, or of tuned configurations, on each resample."""
    frame = source.table
    if ".estimate" not in frame or "id" not in frame:
        raise InputError(
            "the table of tidymodels must have a row per resample (got means). Write it with "
            "collect_metrics(summarize = FALSE)."
        )
    table = frame.assign(algorithm=_algorithms(frame))
    if "dataset" not in table:
        table = table.assign(dataset=dataset)
    table = table.assign(fold=table["id2" if "id2" in table else "id"].map(_number))
    if "id2" in table:
        table = table.assign(repeat=table["id"].map(_number))
    labels = ["dataset", "algorithm", *(c for c in ("repeat", "fold") if c in table)]
    long = from_long(table, labels, ".metric", ".estimate", "the table of tidymodels")
    folds = frame["id"].astype(str).str.startswith(("Fold", "Repeat")).all()  # as rsample has them
    needs = "" if folds else f"{frame['id'].iloc[0]!r} resamples do not determine rho"
    return Reading(long, "collect_metrics(summarize = FALSE) of tidymodels", needs=needs)


def _algorithms(frame: pd.DataFrame) -> pd.Series:
    """Name the workflows, with the configuration if one was tuned."""
    names = [c for c in ("wflow_id", "algorithm", "model") if c in frame][:1]
    config = frame[".config"].astype(str) if ".config" in frame else None
    if not names:
        if config is None or config.nunique() < 2:
            raise InputError(
                "the table of tidymodels must have several models (got one). Bind several with a "
                "column wflow_id."
            )
        return config
    name = frame[names[0]].astype(str)
    if config is None or config.groupby(name).nunique().max() == 1:
        return name
    tuned = config.groupby(name).transform("nunique") > 1
    return name.where(~tuned, name + " " + config)


def _number(label: object) -> object:
    match = re.search(r"(\d+)$", str(label))
    return int(match[1]) if match else label


# Weka's Experimenter: its results as CSV.


_SIZES = {"Number_of_training_instances": "n_train", "Number_of_testing_instances": "n_test"}


def read_weka(source: Source) -> Reading:
    """Read scores of schemes, with their options where a scheme was run with several."""
    frame = source.table
    labels = {"Key_Dataset": "dataset", "Key_Run": "repeat", "Key_Fold": "fold", **_SIZES}
    table = frame[[c for c in labels if c in frame]].rename(columns=labels)
    table = table.assign(
        dataset=table["dataset"].astype(str).str.strip("'"), algorithm=_schemes(frame)
    )
    others = [c for c in source.columns if not c.startswith(("Key_", "Date")) and c not in labels]
    for column in others:
        values = columns.as_numbers(frame[column])  # "?" is Weka's missing value
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
    """Read algorithms' metrics on instances; ``metrics`` is SAES's table of their directions."""
    frame = source.table
    long = from_long(
        frame.rename(columns=_SAES_LABELS),
        list(_SAES_LABELS.values()),
        "MetricName",
        "MetricValue",
        "the table of SAES",
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
    if isinstance(metrics, str | os.PathLike):
        metrics = read_table(metrics, lambda _: ["MetricName"])
    if not {"MetricName", "Maximize"} <= set(getattr(metrics, "columns", ())):
        accepted = "SAES's table of metrics, with columns MetricName and Maximize"
        raise must_be("metrics", accepted, metrics)
    words = {"true": True, "false": False, "1": True, "0": False}
    directions = {}
    for name, value in zip(metrics["MetricName"], metrics["Maximize"], strict=True):
        if str(value).strip().lower() not in words:
            raise InputError(
                f"Maximize of metric {str(name)!r} must be True or False (got {value!r})."
            )
        directions[str(name)] = words[str(value).strip().lower()]
    return directions


# aeon and timeseriesclassification.com: ``<estimator>_TESTFOLDS.csv``, header ``folds:``.


_HEADS = ("folds:", "Resamples:", "Estimators:")
_SUFFIXES = ("_TESTFOLDS", "_accuracy", "_acc")


def is_aeon(source: Source) -> bool:
    """Whether the first column of the table is named ``folds:`` or ``Resamples:``."""
    frame = source.frame
    return frame is not None and len(frame.columns) > 1 and str(frame.columns[0]) in _HEADS


def read_aeon(source: Source, *, metric: str = "accuracy") -> Reading:
    """Read the scores of one estimator, named by the file, on all data sets and resamples."""
    frame = source.table
    head = str(frame.columns[0])
    if head == "Estimators:":
        raise must(
            "the table",
            "have one column per resample",
            "one per estimator, of means over resamples",
            f"Read it with {arg('columns', {'dataset': 'Estimators:'})}, or give the files of "
            "each estimator.",
        )
    if not source.name:
        raise must(
            "the table",
            "be named, since it is of one estimator",
            "no name",
            "Give the files, as in "
            + either("Scores.read({'HC2': 'HC2_TESTFOLDS.csv', 'ROCKET': 'ROCKET_TESTFOLDS.csv'})")
            + ".",
        )
    name = source.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    table = frame.rename(columns={head: "dataset"}).melt(
        id_vars="dataset", var_name="repeat", value_name=metric
    )
    table = table.assign(algorithm=name, repeat=table["repeat"].astype(int) + 1)
    table = table.dropna(subset=[metric])
    needs = (
        "resamples of aeon are random splits of each data set's own sizes, which the file does "
        "not hold"
        + either(
            " (resampling={'GunPoint': 'random splits 0.75', ...}, the proportion tested)", ""
        )
    )
    return Reading(table, f"resamples of aeon, {metric}", needs=needs)


# sktime's benchmarks: ``{metric}_fold_{i}_test``, or ``folds.{i}.scores.{metric}``.


#: As ``run`` returns it, and as it writes it.
_SCORE = re.compile(r"(?P<metric>.+)_fold_(?P<fold>\d+)_test$")
_STORED = re.compile(r"folds\.(?P<fold>\d+)\.scores\.(?P<metric>.+)$")
_TASK = re.compile(r"\[dataset=(.+?)\]_\[cv_splitter=(.+?)\]")


def is_sktime(source: Source) -> bool:
    """Whether there is a column ``..._fold_0_test``, or one of the stored form."""
    return any(_SCORE.match(c) or _STORED.match(c) for c in source.columns)


def read_sktime(source: Source) -> Reading:
    """Read scores of models on tasks, one column per fold."""
    frame = source.table
    tasks = [_TASK.match(str(value)) for value in frame["validation_id"]]
    datasets = [t[1] if t else str(v) for t, v in zip(tasks, frame["validation_id"], strict=True)]
    rows: dict[tuple[int, str], dict[str, object]] = {}
    for column in map(str, frame.columns):
        parts = _SCORE.match(column) or _STORED.match(column)
        scores = read_scores(frame[column], f"column {column!r}") if parts else np.empty(0)
        for i, value in enumerate(scores.tolist()):
            if parts and not np.isnan(value):  # tasks differ in their number of folds
                labels: dict[str, object] = {
                    "dataset": datasets[i],
                    "algorithm": str(frame["model_id"].iloc[i]),
                    "fold": int(parts["fold"]) + 1,
                }
                rows.setdefault((i, parts["fold"]), labels)[parts["metric"]] = value
    splitters = sorted({task[2] for task in tasks if task})
    by = f", split by {', '.join(splitters)}" if splitters else ""
    needs = (
        f"a benchmark of sktime does not determine the rho of its splits ({', '.join(splitters)})"
    )
    if splitters and set(splitters) <= {"KFold", "StratifiedKFold", "GroupKFold"}:
        needs = ""
    return Reading(pd.DataFrame(list(rows.values())), f"a benchmark of sktime{by}", needs=needs)


# MOABB: results of an evaluation, one row per subject and session.


def read_moabb(source: Source, *, metric: str = "score", **ways: Any) -> Reading:
    """Read scores of pipelines, averaged over sessions: subjects are the independent units."""
    frame = source.table
    labels = ["dataset", "pipeline", "subject"]
    each = [*labels, *(c for c in ("session",) if c in frame)]
    again = frame.duplicated(each)
    if again.any():
        row = frame[again].iloc[0]
        where = ", ".join(f"{label} {str(row[label])!r}" for label in each)
        raise must(
            "the table",
            "have each row once",
            f"{format_count(int(again.sum()), 'row')} twice, e.g. {where}, as in a learning curve",
            "Keep one of each, such as one data_size.",
        )
    sessions = frame.groupby(labels)["session"].nunique() if "session" in frame else None
    frame = frame.assign(score=read_scores(frame["score"], "column 'score'"))
    mean = frame.groupby(labels, sort=False)[["score"]].mean().reset_index()
    table = mean.set_axis(["dataset", "algorithm", "fold", metric], axis=1)
    description = "an evaluation of MOABB, subjects are the units"
    if sessions is not None and sessions.max() > 1:
        description += ", their sessions averaged"
    higher = higher_by_scorers(table, ways)
    return Reading(table, description, resampling="independent", higher=higher)


# The AutoML benchmark: ``results.csv``.


def read_automl(source: Source, *, constraint: str | None = None) -> Reading:
    """Read frameworks' ``result`` (higher is better) on tasks under one constraint."""
    frame = source.table
    there = list(dict.fromkeys(frame["constraint"].astype(str)))
    if constraint is not None:
        if str(constraint) not in there:
            accepted = f"one of {', '.join(map(repr, there))}"
            given = read_option("constraint", constraint)
            raise InputError(f"{given} must be {accepted}.", "constraint")
        frame = frame[frame["constraint"].astype(str) == str(constraint)]
    elif len(there) > 1:
        raise must(
            "constraint",
            "be given for results under several",
            f"none of {', '.join(map(repr, there))}",
            f"Name one, as in {read_option('constraint', there[0])}.",
        )
    frame = frame.assign(result=read_scores(frame["result"], "column 'result'"))
    named = frame["metric"].dropna().astype(str) if "metric" in frame else ()
    metrics = list(dict.fromkeys(named))
    name = metrics[0] if len(metrics) == 1 else "result"
    if name != "result" and not name.startswith("neg_") and (frame["result"].dropna() < 0).all():
        name = f"neg_{name}"
    table = frame[["task", "framework", "fold"]].set_axis(["dataset", "algorithm", "fold"], axis=1)
    table = table.assign(**{name: frame["result"]})
    if "info" in frame:
        why = frame["info"].where(frame["result"].isna())
        table = table.assign(failure=why.astype(object).where(why.notna(), None))
    description = "results.csv of the AutoML benchmark, in which higher is better"
    if len(metrics) > 1:
        description += f", of several metrics ({', '.join(metrics)})"
    return Reading(table, description, higher=[name])


# TabArena: ``results_per_split.csv``.


#: Folds of one repeat in TabArena, which has 3 or 10 repeats; BeyondArena, which writes the same
#: columns, also has windows in time and single hold-outs.
FOLDS = 3

#: The data sets of TabArena-v0.1 (tabarena 0.1.0, TabArena-v0.1_tasks_metadata.csv).
TABARENA = """
APSFailure Amazon_employee_access Another-Dataset-on-used-Fiat-500 Bank_Customer_Churn
Bioresponse Diabetes130US E-CommereShippingData Fitness_Club Food_Delivery_Time
GiveMeSomeCredit HR_Analytics_Job_Change_of_Data_Scientists Is-this-a-good-customer MIC
Marketing_Campaign NATICUSdroid QSAR-TID-11 QSAR_fish_toxicity SDSS17 airfoil_self_noise anneal
bank-marketing blood-transfusion-service-center churn coil2000_insurance_policies
concrete_compressive_strength credit-g credit_card_clients_default
customer_satisfaction_in_airline diabetes diamonds hazelnut-spread-contaminant-detection
healthcare_insurance_expenses heloc hiva_agnostic houses in_vehicle_coupon_recommendation jm1
kddcup09_appetency maternal_health_risk miami_housing online_shoppers_intention
physiochemical_protein polish_companies_bankruptcy qsar-biodeg seismic-bumps splice
students_dropout_and_academic_success superconductivity taiwanese_bankruptcy_prediction
website_phishing wine_quality
"""


def read_tabarena(source: Source, *, imputed: Literal["missing", "keep"] = "missing") -> Reading:
    """Read errors of methods on data sets; ``imputed`` rows are missing, unless "keep"."""
    frame = source.table
    check_choice("imputed", imputed, ("missing", "keep"))
    error = pd.Series(read_scores(frame["metric_error"], "column 'metric_error'"), frame.index)
    table = frame[["dataset", "method"]].set_axis(["dataset", "algorithm"], axis=1)
    splits = read_scores(frame["fold"], "column 'fold'")
    if not (np.isfinite(splits).all() and np.array_equal(splits, np.rint(splits))):
        odd = splits[~np.isfinite(splits) | (splits != np.rint(splits))][0]
        raise must("column 'fold'", "hold whole numbers", f"{odd}")
    table, needs = _with_folds(table, pd.Series(splits.astype(int), frame.index))
    note = "results_per_split.csv of TabArena, metric_error lower is better"
    flagged = frame["imputed"].isin([True, "True"]) if "imputed" in frame else pd.Series([False])
    if flagged.any():
        note += f", {int(flagged.sum())} imputed rows {'kept' if imputed == 'keep' else 'missing'}"
        if imputed == "missing":
            error = error.mask(flagged)
            table = table.assign(failure=failures(flagged, "imputed"))
    times = {c: frame[c] for c in ("time_train_s", "time_infer_s") if c in frame}
    table = table.assign(metric_error=error, **times)
    return Reading(table, note, lower=["metric_error"], needs=needs)


def _with_folds(table: pd.DataFrame, split: pd.Series) -> tuple[pd.DataFrame, str]:
    """Return the table with its folds, and why they have to be declared, if they do."""
    counts = split.groupby(table["dataset"]).agg(["min", "max", "nunique"])
    if (counts["nunique"] == 1).all():  # the subset "lite": one split of each data set
        return table, ""
    known = table["dataset"].isin(TABARENA.split())
    own = counts[counts.index.isin(TABARENA.split())]
    odd = own[(own["min"] != 0) | ((own["max"] + 1) % FOLDS != 0)]
    if len(odd):
        raise InputError(
            f"data set {str(odd.index[0])!r} of TabArena must have folds counted from 0, {FOLDS} "
            f"per repeat (got {odd['min'].iloc[0]} to {odd['max'].iloc[0]})."
        )
    table = table.assign(
        repeat=(split // FOLDS + 1).where(known, 1), fold=(split % FOLDS + 1).where(known, split)
    )
    if known.all():
        return table, ""
    other = table["dataset"][~known].iloc[0]
    return table, (
        f"data set {str(other)!r} is not one of TabArena-v0.1's; others that it writes may be "
        "folds, windows in time or hold-outs"
    )


# OpenML: ``list_evaluations(function, per_fold=True)``.


def read_openml(source: Source) -> Reading:
    """Read scores of flows on tasks, one number per fold in the column ``values``."""
    frame = source.table
    if frame["values"].isna().all():
        raise must(
            "column 'values'",
            "hold the scores of folds",
            "none",
            "Call list_evaluations(..., per_fold=True).",
        )
    metric = frame["function"].astype(str).unique()
    if len(metric) > 1:
        raise must(
            "the table", "hold one measure", ", ".join(map(repr, metric)), "Keep the rows of one."
        )
    again = frame.duplicated(["flow_id", "task_id"])
    name = "setup_id" if again.any() and "setup_id" in frame else "flow_id"
    if frame.duplicated([name, "task_id"]).any():
        row = frame[frame.duplicated([name, "task_id"])].iloc[0]
        raise InputError(
            f"{name} {row[name]} must have one run on task {row['task_id']} (got several). Keep "
            "one of each."
        )
    table = frame.assign(
        dataset=frame["data_name" if "data_name" in frame else "task_id"].astype(str),
        algorithm=_flows(frame, name),
        values=frame["values"].map(_values),
    )
    if table.groupby("dataset")["task_id"].nunique().max() > 1:  # two tasks on one data set
        table["dataset"] += " (task " + table["task_id"].astype(str) + ")"
    table = table[["dataset", "algorithm", "values"]].explode("values", ignore_index=True)
    table["fold"] = table.groupby(["dataset", "algorithm"]).cumcount() + 1
    table[metric[0]] = table.pop("values").astype(float)
    needs = (
        "evaluations of OpenML do not show how the task was resampled (usually "
        f"{arg('resampling', '10-fold')})"
    )
    return Reading(table, "list_evaluations(per_fold=True) of OpenML", needs=needs)


def _flows(frame: pd.DataFrame, name: str) -> list[str]:
    """Name the flows, with the setup where a flow has several."""
    if "flow_name" not in frame:
        return [f"{name[:-3]} {i}" for i in frame[name]]
    flows = frame["flow_name"].astype(str)  # a pipeline's up to its last step, without a version
    plain = [(flow.rpartition("(")[0] or flow).rstrip(")") for flow in flows]
    short = short_names(plain)
    names = [short[text] for text in plain]
    if name == "setup_id" or frame["flow_id"].groupby(names).nunique().max() > 1:
        return [f"{n} ({name[:-3]} {i})" for n, i in zip(names, frame[name], strict=True)]
    return names


def _values(value: object) -> list[float]:
    try:
        numbers = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        raise must("column 'values'", "hold a list of numbers", repr(value)) from None
    return read_scores(numbers, "column 'values'").tolist()


# Wide tables, one column per algorithm, as bbtcomp and scmamp have them: read as any table is.


def is_wide(source: Source) -> bool:
    """Whether there is a column of names, some of them repeated, and otherwise only numbers."""
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
    """Return the table unchanged: `bayescmp.Scores` takes a data set's rows as folds, in order."""
    return Reading(source.table, "a wide table, one column per algorithm and one row per fold")


# Leaderboards, by the names of their columns or as the user says.


def is_leaderboard(source: Source) -> bool:
    """Whether the names say that rows are algorithms and columns are data sets."""
    board = None if source.frame is None else Leaderboard.of(source.frame)
    return board is not None and board.known


def may_be_leaderboard(source: Source) -> bool:
    """Whether there is one column of names, each of them once."""
    return source.frame is not None and Leaderboard.of(source.frame) is not None


def read_leaderboard(source: Source, *, metric: str | None = None) -> Reading:
    """Read one row per algorithm and one column per data set."""
    board = Leaderboard.of(source.table)
    assert board is not None
    without = f", without {', '.join(map(repr, board.left_out))}" if board.left_out else ""
    words = f"a leaderboard, {WORDS}{without}"
    return Reading(board.stack(metric or "score"), words, notes=(f"read as {words}",))


# MLflow: ``search_runs()``, one row per run.


def is_mlflow(source: Source) -> bool:
    """Whether there are columns ``metrics.…``."""
    return any(c.startswith("metrics.") for c in source.columns)


def read_mlflow(source: Source, *, columns: Mapping[str, str] | None = None) -> Reading:
    """Read metrics of finished runs; parameters and tags give algorithm, data set and fold."""
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
        raise InputError(
            f"metric {clash.pop()!r} of the runs must have another name than the labels. Rename "
            "it."
        )
    return _read_runs(table, frame, parts, frame.get("status", None), "FINISHED", "MLflow")


# Weights & Biases: runs as its API or its export writes them, one row per run.


#: Columns of the export that describe the run itself.
_RUN = {
    *("Name", "State", "Created", "Runtime", "Notes", "User", "Tags", "Sweep", "ID", "Group"),
    *("Job Type", "End Time", "Updated", "Hostname", "Commit", "GitHub", "GPU Count", "GPU Type"),
    *("Description", "Agent", "name", "state", "id"),
}


def is_wandb(source: Source) -> bool:
    """Whether there are ``config`` and ``summary``, ``config.…``, or ``Name`` and ``State``."""
    flat = any(c.startswith("config.") for c in source.columns)
    return flat or source.has("config", "summary") or source.has("Name", "State", "Created")


def read_wandb(source: Source, *, columns: Mapping[str, str] | None = None) -> Reading:
    """Read summaries of runs; the configuration gives the algorithm, the data set and the fold."""
    frame = source.table
    if source.has("config", "summary"):
        config, summary = (
            pd.DataFrame([_as_dict(v) for v in frame[c]], index=frame.index)
            for c in ("config", "summary")
        )
        labels, measured = config, summary[[c for c in summary if not str(c).startswith("_")]]
    else:
        rest = [c for c in source.columns if c not in _RUN and not c.startswith("_")]
        labels, measured = frame[rest], _measured_columns(frame[rest])
    parts = parts_of(labels.columns, columns, "runs of Weights & Biases")
    numeric = [
        c
        for c in map(str, measured)
        if c not in parts.values() and measured[c].dtype.kind in "fiu"
    ]
    state = next((frame[c] for c in ("State", "state") if c in frame), None)
    return _read_runs(measured[numeric], labels, parts, state, "finished", "Weights & Biases")


def _measured_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns ``summary.…`` if there are any, else those that are not ``config.…``."""
    summary = [c for c in frame if str(c).startswith("summary.")]
    if summary:
        own = [c for c in summary if not str(c).startswith("summary._")]
        return frame[own].rename(columns=lambda c: c.removeprefix("summary."))
    return frame[[c for c in frame if not str(c).startswith("config.")]]


# Common parts of runs of MLflow and Weights & Biases.


def _read_runs(
    scores: pd.DataFrame,
    labels: pd.DataFrame,
    parts: Mapping[str, str],
    state: pd.Series | None,
    finished: str,
    tracker: str,
) -> Reading:
    """Add labels to runs' scores, without scores for unfinished runs."""
    metrics = list(map(str, scores))
    table = scores.assign(**{part: numbers(part, labels[c]) for part, c in parts.items()})
    words = f"runs of {tracker}: " + ", ".join(f"{c} is the {p}" for p, c in parts.items())
    settings = _settings(table, metrics)
    if state is None or (state == finished).all():
        return Reading(table, words, settings=settings)
    unfinished = state != finished
    table = table.astype(dict.fromkeys(metrics, float))
    table.loc[unfinished.to_numpy(), metrics] = np.nan
    table = table.assign(failure=failures(unfinished, state))
    words = f"{words}; {format_count(int(unfinished.sum()), 'run is', 'runs are')} not finished"
    return Reading(table, words, settings=settings)


def _settings(table: pd.DataFrame, measured: list[str]) -> tuple[str, ...]:
    """Columns that are constant over each algorithm's runs, and by their names are not metrics."""
    unknown = [c for c in measured if metrics.find_metric(c) is None and not metrics.is_time(c)]
    by = table.groupby("algorithm", sort=False)
    held = [
        c
        for c in unknown
        if table[c].nunique() == 1 or (by[c].nunique().max() == 1 < by[c].count().max())
    ]
    return tuple(held) if len(held) < len(measured) and len(table) > 1 else ()


def _as_dict(value: Mapping[str, object] | str) -> dict[str, object]:
    """Return a dict from itself, from JSON, or from its Python literal."""
    if isinstance(value, Mapping):
        return dict(value)
    for read in (json.loads, ast.literal_eval):
        try:
            return dict(read(value))
        except (TypeError, ValueError, SyntaxError, RecursionError):
            continue
    raise must(
        "the columns 'summary' and 'config'",
        "hold mappings",
        repr(value),
        "Write run.summary._json_dict and run.config, and leave out runs without them.",
    )
