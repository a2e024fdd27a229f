"""One table of scores in the layout of every program, for the tests of the readers.

2 data sets, 2 algorithms, 2 runs of 3 folds: ``TABLE`` is long, ``LAYOUTS`` has the others.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

RUNS, FOLDS = 2, 3


def long_table(seed: int = 0, metric: str = "accuracy") -> pd.DataFrame:
    """The long table, scores that differ by hundredths."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "repeat": r,
            "fold": f,
            metric: round(0.7 + 0.05 * (a == "svm") + rng.integers(-9, 10) / 100, 2),
        }
        for d in ("iris", "wine")
        for a in ("knn", "svm")
        for r in range(1, RUNS + 1)
        for f in range(1, FOLDS + 1)
    ]
    return pd.DataFrame(rows)


def _flat(t: pd.DataFrame) -> pd.Series:
    """Number of each split, from 0 through all runs."""
    return (t["repeat"] - 1) * FOLDS + t["fold"] - 1


def _arrays(t: pd.DataFrame) -> dict:
    return {
        d: {a: u["accuracy"].to_numpy() for a, u in s.groupby("algorithm")}
        for d, s in t.groupby("dataset")
    }


def cross_validate(t: pd.DataFrame) -> dict:
    return {
        d: {a: {"fit_time": np.ones(len(x)), "test_accuracy": x} for a, x in cells.items()}
        for d, cells in _arrays(t).items()
    }


def wide_with_folds(t: pd.DataFrame) -> pd.DataFrame:
    """bbtcomp: the column db, one column per algorithm, the rows of a data set its folds."""
    wide = t.pivot(index=["dataset", "repeat", "fold"], columns="algorithm", values="accuracy")
    return wide.reset_index().drop(columns=["repeat", "fold"]).rename(columns={"dataset": "db"})


def tidymodels(t: pd.DataFrame) -> pd.DataFrame:
    """The columns of collect_metrics() of a workflow set, summarize = FALSE, as R/collect.R of
    workflowsets 1.1.0 on CRAN makes them; written from it, not by it.
    """
    return pd.DataFrame(
        {
            "wflow_id": t["algorithm"],
            ".config": "pre0_mod0_post0",
            "preproc": "recipe",
            "model": "any",
            "dataset": t["dataset"],
            "id": "Repeat" + t["repeat"].astype(str),
            "id2": "Fold" + t["fold"].astype(str),
            ".metric": "accuracy",
            ".estimator": "binary",
            ".estimate": t["accuracy"],
        }
    )


def mlr3(t: pd.DataFrame) -> pd.DataFrame:
    """The columns of bmr$score(), those that hold objects left out; written from the examples of
    mlr3.mlr-org.com/reference/BenchmarkResult.html, not by mlr3.
    """
    return pd.DataFrame(
        {
            "nr": t.groupby(["dataset", "algorithm"]).ngroup() + 1,
            "task_id": t["dataset"],
            "learner_id": t["algorithm"],
            "resampling_id": "repeated_cv",
            "iteration": _flat(t) + 1,
            "classif.acc": t["accuracy"],
        }
    )


def openml(t: pd.DataFrame) -> pd.DataFrame:
    """The columns of openml-python's list_evaluations(per_fold=True) as a data frame."""
    rows = []
    for i, ((d, a), u) in enumerate(t.groupby(["dataset", "algorithm"])):
        flow = {"knn": 11, "svm": 12}[a]
        rows.append(
            {
                "run_id": i,
                "task_id": {"iris": 59, "wine": 60}[d],
                "setup_id": i,
                "flow_id": flow,
                "flow_name": f"sklearn.pipeline.{a}(1)",
                "data_id": 1,
                "data_name": d,
                "function": "predictive_accuracy",
                "upload_time": "",
                "uploader": 1,
                "uploader_name": "x",
                "value": None,
                "values": u["accuracy"].tolist(),
                "array_data": None,
            }
        )
    return pd.DataFrame(rows)


def automlbenchmark(t: pd.DataFrame) -> pd.DataFrame:
    """The columns of results.csv, as amlb/results.py of openml/automlbenchmark writes them."""
    return pd.DataFrame(
        {
            "id": "openml.org/t/59",
            "task": t["dataset"],
            "framework": t["algorithm"],
            "constraint": "1h8c",
            "fold": _flat(t),
            "type": "binary",
            "result": t["accuracy"],
            "metric": "acc",
            "mode": "local",
            "version": "1",
            "duration": 1.5,
            "seed": 7,
            "info": None,
        }
    )


def tabarena(t: pd.DataFrame) -> pd.DataFrame:
    """The columns of results_per_split.csv: autogluon/tabarena, of which one is stored as
    packages/tabflow_slurm/experiments/eval_output/.../subsets/lite/results_per_split.csv.
    """
    return pd.DataFrame(
        {
            "dataset": t["dataset"],
            "fold": _flat(t),
            "method": t["algorithm"],
            "metric_error": 1 - t["accuracy"],
            "time_train_s": 1.0,
            "time_infer_s": 0.1,
            "metric": "roc_auc",
            "problem_type": "binary",
            "metric_error_val": 0.5,
            "imputed": False,
            "method_type": "config",
            "method_subtype": "default",
            "config_type": "PB",
        }
    )


def sktime(t: pd.DataFrame) -> pd.DataFrame:
    """The columns of the frame that an sktime v2 benchmark returns."""
    flat = t.assign(column="accuracy_fold_" + _flat(t).astype(str) + "_test")
    wide = flat.pivot(index=["dataset", "algorithm"], columns="column", values="accuracy")
    wide = wide.rename_axis(columns=None).reset_index()
    task = "[dataset=" + wide.pop("dataset") + "]_[cv_splitter=RepeatedKFold]"
    return wide.assign(validation_id=task, accuracy_mean=0.0).rename(
        columns={"algorithm": "model_id"}
    )


def moabb(t: pd.DataFrame) -> pd.DataFrame:
    """The columns of MOABB's results (NeuroTechX/moabb, moabb/analysis/results.py of 1.7.2, from
    Results._to_dataframe_from_file): a subject for each fold here, its number as text.
    """
    return pd.DataFrame(
        {
            "score": t["accuracy"],
            "time": 1.0,
            "samples": 100.0,
            "samples_test": 20.0,
            "n_classes": 2.0,
            "subject": (_flat(t) + 1).astype(str),
            "session": "0",
            "channels": 22,
            "n_sessions": 1,
            "dataset": t["dataset"],
            "pipeline": t["algorithm"],
        }
    )


def weka(t: pd.DataFrame) -> pd.DataFrame:
    """Columns of the Experimenter's CSV (weka.experiment.CrossValidationResultProducer)."""
    return pd.DataFrame(
        {
            "Key_Dataset": t["dataset"],
            "Key_Run": t["repeat"],
            "Key_Fold": t["fold"],
            "Key_Scheme": t["algorithm"].map(
                {"knn": "weka.classifiers.lazy.knn", "svm": "weka.classifiers.functions.svm"}
            ),
            "Key_Scheme_options": "''",
            "Key_Scheme_version_ID": 1,
            "Date_time": 20250101.0,
            "Number_of_training_instances": 100.0,
            "Number_of_testing_instances": 50.0,
            "accuracy": t["accuracy"],
            "Num_false_positives": "?",
        }
    )


def saes(t: pd.DataFrame) -> pd.DataFrame:
    """SAES's data.csv (jMetal/SAES, README.md of 1.5.0)."""
    return pd.DataFrame(
        {
            "Algorithm": t["algorithm"],
            "Instance": t["dataset"],
            "MetricName": "accuracy",
            "ExecutionId": _flat(t),
            "MetricValue": t["accuracy"],
        }
    )


def mlflow(t: pd.DataFrame) -> pd.DataFrame:
    """search_runs(): parameters are text."""
    return pd.DataFrame(
        {
            "run_id": [f"r{i}" for i in range(len(t))],
            "experiment_id": "0",
            "status": "FINISHED",
            "metrics.accuracy": t["accuracy"],
            "params.model": t["algorithm"],
            "params.fold": t["fold"].astype(str),
            "params.repeat": t["repeat"].astype(str),
            "params.lr": "0.1",
            "tags.dataset": t["dataset"],
            "tags.mlflow.runName": "a",
        }
    )


def wandb(t: pd.DataFrame) -> pd.DataFrame:
    """The frame of W&B's public API guide (docs.wandb.ai/guides/track/public-api-guide): summary,
    config, name; a real one needs the server.
    """
    config = [
        {"model": r.algorithm, "dataset": r.dataset, "fold": r.fold, "repeat": r.repeat}
        for r in t.itertuples()
    ]
    summary = [{"accuracy": x, "_step": 10, "_runtime": 3.5} for x in t["accuracy"]]
    return pd.DataFrame({"summary": summary, "config": config, "name": "sunny-sky-1"})


#: Layout, options of Scores.read, and whether the format says that its units are independent.
LAYOUTS = {
    "table": (lambda t: t, {}, False),
    "cross_validate": (cross_validate, {"resampling": "2x3-fold"}, False),
    "cross_val_score": (_arrays, {"resampling": "2x3-fold", "metric": "accuracy"}, False),
    "wide": (wide_with_folds, {"resampling": "2x3-fold", "metric": "accuracy"}, False),
    "tidymodels": (tidymodels, {}, False),
    "mlr3": (mlr3, {"resampling": "2x3-fold"}, False),
    "openml": (openml, {"resampling": "2x3-fold"}, False),
    "automlbenchmark": (automlbenchmark, {"resampling": "2x3-fold"}, False),
    "tabarena": (tabarena, {"resampling": "2x3-fold"}, False),
    "sktime": (sktime, {"resampling": "2x3-fold"}, False),
    "moabb": (moabb, {}, True),
    "weka": (weka, {}, False),
    "saes": (saes, {}, True),
    "mlflow": (mlflow, {}, False),
    "wandb": (wandb, {}, False),
}
