"""Results of benchmarks in Python: aeon, sktime, MOABB, the AutoML benchmark, TabArena, OpenML."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayescmp.base.checks import choice
from bayescmp.errors import InputError
from bayescmp.scores.readers.base import Reading, Source, failures, short_names
from bayescmp.scores.readers.sklearn import higher_by_scorers

if TYPE_CHECKING:
    import pandas as pd


# aeon and timeseriesclassification.com: ``<estimator>_TESTFOLDS.csv``, header ``folds:``.


_HEADS = ("folds:", "Resamples:", "Estimators:")
_SUFFIXES = ("_TESTFOLDS", "_accuracy", "_acc")


def is_aeon(source: Source) -> bool:
    """A table whose first column is named ``folds:`` or ``Resamples:``."""
    frame = source.frame
    return frame is not None and len(frame.columns) > 1 and str(frame.columns[0]) in _HEADS


def read_aeon(source: Source, *, metric: str = "accuracy") -> Reading:
    """One estimator's scores on all data sets, a column a resample; its name is the file's."""
    frame = source.table
    head = str(frame.columns[0])
    if head == "Estimators:":
        raise InputError(
            "the table holds one column per estimator, of means over resamples: read it with "
            "columns={'dataset': 'Estimators:'}, or give the files of each estimator"
        )
    if not source.name:
        raise InputError(
            "the table is one estimator's, and the table does not name it: give the files, as in "
            "Scores.read({'HC2': 'HC2_TESTFOLDS.csv', 'ROCKET': 'ROCKET_TESTFOLDS.csv'})"
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
        "not hold (resampling={'GunPoint': 'random splits 0.75', ...}, the share tested)"
    )
    return Reading(table, f"resamples of aeon, {metric}", needs=needs)


# sktime's benchmarks: ``{metric}_fold_{i}_test``, or ``folds.{i}.scores.{metric}``.


#: As ``run`` returns it, and as it writes it.
_SCORE = re.compile(r"(?P<metric>.+)_fold_(?P<fold>\d+)_test$")
_STORED = re.compile(r"folds\.(?P<fold>\d+)\.scores\.(?P<metric>.+)$")
_TASK = re.compile(r"\[dataset=(.+?)\]_\[cv_splitter=(.+?)\]")


def is_sktime(source: Source) -> bool:
    """A column ``..._fold_0_test``, or one of the stored form."""
    return any(_SCORE.match(c) or _STORED.match(c) for c in source.columns)


def read_sktime(source: Source) -> Reading:
    """Scores of models on tasks, one column per fold."""
    import pandas as pd

    frame = source.table
    tasks = [_TASK.match(str(v)) for v in frame["validation_id"]]
    datasets = [t[1] if t else str(v) for t, v in zip(tasks, frame["validation_id"], strict=True)]
    rows: dict[tuple[int, str], dict[str, object]] = {}
    for column in map(str, frame.columns):
        parts = _SCORE.match(column) or _STORED.match(column)
        for i, value in enumerate(frame[column] if parts else ()):
            if parts and pd.notna(value):  # tasks differ in their number of folds
                labels: dict[str, object] = {
                    "dataset": datasets[i],
                    "algorithm": str(frame["model_id"].iloc[i]),
                    "fold": int(parts["fold"]) + 1,
                }
                rows.setdefault((i, parts["fold"]), labels)[parts["metric"]] = float(value)
    splitters = sorted({t[2] for t in tasks if t})
    by = f", split by {', '.join(splitters)}" if splitters else ""
    needs = (
        f"a benchmark of sktime does not determine the rho of its splits ({', '.join(splitters)})"
    )
    if splitters and set(splitters) <= {"KFold", "StratifiedKFold", "GroupKFold"}:
        needs = ""
    return Reading(pd.DataFrame(list(rows.values())), f"a benchmark of sktime{by}", needs=needs)


# MOABB: results of an evaluation, one row per subject and session.


def read_moabb(source: Source, *, metric: str = "score", **ways: Any) -> Reading:
    """Scores of pipelines, sessions averaged, so that subjects are the independent units."""
    frame = source.table
    labels = ["dataset", "pipeline", "subject"]
    each = [*labels, *(c for c in ("session",) if c in frame)]
    again = frame.duplicated(each)
    if again.any():
        row = frame[again].iloc[0]
        where = ", ".join(f"{label} {str(row[label])!r}" for label in each)
        raise InputError(
            f"{int(again.sum())} rows appear twice, e.g. {where}, as in a learning curve: "
            "keep one of each, such as one data_size"
        )
    sessions = frame.groupby(labels)["session"].nunique() if "session" in frame else None
    mean = frame.groupby(labels, sort=False)[["score"]].mean().reset_index()
    table = mean.set_axis(["dataset", "algorithm", "fold", metric], axis=1)
    description = "an evaluation of MOABB, subjects are the units"
    if sessions is not None and sessions.max() > 1:
        description += ", their sessions averaged"
    higher = higher_by_scorers(table, ways)
    return Reading(table, description, resampling="independent", higher=higher)


# The AutoML benchmark: ``results.csv``.


def read_automl(source: Source, *, constraint: str | None = None) -> Reading:
    """Scores of frameworks on tasks under one constraint.

    ``result`` is higher-is-better for every metric, since losses come out negative; ``info`` says
    why a fold has none.
    """
    frame = source.table
    there = list(dict.fromkeys(frame["constraint"].astype(str)))
    if constraint is not None:
        if str(constraint) not in there:
            raise InputError(f"constraint={constraint!r}; the table has: {', '.join(there)}")
        frame = frame[frame["constraint"].astype(str) == str(constraint)]
    elif len(there) > 1:
        raise InputError(
            f"the table holds results under the constraints {', '.join(map(repr, there))}: name "
            f"one, as in constraint={there[0]!r}"
        )
    named = frame["metric"].dropna().astype(str) if "metric" in frame else ()
    metrics = list(dict.fromkeys(named))
    name = metrics[0] if len(metrics) == 1 else "result"
    if name != "result" and not name.startswith("neg_") and (frame["result"].dropna() < 0).all():
        name = f"neg_{name}"
    table = frame[["task", "framework", "fold"]].set_axis(["dataset", "algorithm", "fold"], axis=1)
    table = table.assign(**{name: frame["result"].astype(float)})
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
    """Errors of methods on data sets; TabArena's ``fold`` runs through the repeats of 3 folds.

    A row that is flagged as ``imputed`` holds another method's error: it is missing, unless
    ``imputed="keep"``.
    """
    frame = source.table
    choice("imputed", imputed, ("missing", "keep"))
    table = frame[["dataset", "method"]].set_axis(["dataset", "algorithm"], axis=1)
    table, needs = _with_folds(table, frame["fold"].astype(int))
    error = frame["metric_error"].astype(float)
    note = "results_per_split.csv of TabArena, metric_error lower is better"
    if "imputed" in frame and frame["imputed"].astype(bool).any():
        flagged = frame["imputed"].astype(bool)
        note += f", {int(flagged.sum())} imputed rows {'kept' if imputed == 'keep' else 'missing'}"
        if imputed == "missing":
            error = error.mask(flagged)
            table = table.assign(failure=failures(flagged, "imputed"))
    times = {c: frame[c] for c in ("time_train_s", "time_infer_s") if c in frame}
    table = table.assign(metric_error=error, **times)
    return Reading(table, note, lower=["metric_error"], needs=needs)


def _with_folds(table: pd.DataFrame, split: pd.Series) -> tuple[pd.DataFrame, str]:
    """The table with its folds, and why they have to be declared where they do."""
    counts = split.groupby(table["dataset"]).agg(["min", "max", "nunique"])
    if (counts["nunique"] == 1).all():  # the subset "lite": one split of each data set
        return table, ""
    known = table["dataset"].isin(TABARENA.split())
    own = counts[counts.index.isin(TABARENA.split())]
    odd = own[(own["min"] != 0) | ((own["max"] + 1) % FOLDS != 0)]
    if len(odd):
        raise InputError(
            f"data set {str(odd.index[0])!r} has folds {odd['min'].iloc[0]} to "
            f"{odd['max'].iloc[0]}; TabArena's are counted from 0, {FOLDS} a repeat"
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
    """Scores of flows on tasks, one number per fold in the column ``values``."""
    frame = source.table
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
