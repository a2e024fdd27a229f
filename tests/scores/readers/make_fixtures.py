"""How the fixtures were made by the real programs: python make_fixtures.py FOLDER.

With skore 0.28.0, sktime 1.2.0 and mlflow-skinny 3.17.2 on scikit-learn 1.9.1, openml 0.15.1. The
other layouts are written from their sources, which ``layouts.py`` and the tests name.
"""

import json
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd


def skore(folder: Path) -> None:
    """A comparison of two reports of five folds each."""
    from sklearn.datasets import load_iris
    from sklearn.dummy import DummyClassifier
    from sklearn.tree import DecisionTreeClassifier
    from skore import ComparisonReport, CrossValidationReport

    X, y = load_iris(return_X_y=True)
    models = {
        "dummy": DummyClassifier(strategy="stratified", random_state=0),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    }
    reports = {n: CrossValidationReport(m, X, y, splitter=5) for n, m in models.items()}
    frame = ComparisonReport(reports).metrics.summarize().frame(aggregate=None)
    frame.loc[["default_score", "accuracy", "log_loss"]].to_csv(folder / "skore.csv")


def sktime(folder: Path) -> None:
    """A benchmark of two forecasters on a series, windows that grow."""
    from sktime.benchmarking.forecasting import ForecastingBenchmark
    from sktime.datasets import load_airline
    from sktime.forecasting.naive import NaiveForecaster
    from sktime.performance_metrics.forecasting import MeanAbsoluteError
    from sktime.split import ExpandingWindowSplitter

    benchmark = ForecastingBenchmark()
    benchmark.add_estimator(NaiveForecaster(strategy="mean", sp=12), "mean")
    benchmark.add_estimator(NaiveForecaster(strategy="last", sp=12), "last")
    splitter = ExpandingWindowSplitter(initial_window=24, step_length=24, fh=12)
    benchmark.add_task(load_airline, splitter, [MeanAbsoluteError()])
    benchmark.run(str(folder / "sktime.csv"))
    frame = pd.read_csv(folder / "sktime.csv")
    frame.dropna(axis=1).to_csv(folder / "sktime.csv", index=False)


def mlflow(folder: Path) -> None:
    """Runs of two models on five folds (with MLFLOW_ALLOW_FILE_STORE=true)."""
    import mlflow as ml

    with tempfile.TemporaryDirectory() as store:
        ml.set_tracking_uri(f"file://{store}")
        ml.set_experiment("iris")
        rng = np.random.default_rng(0)
        for model in ("gbm", "knn"):
            for fold in range(5):
                with ml.start_run(run_name=f"{model}-{fold}"):
                    ml.log_params({"model": model, "fold": fold, "depth": 3})
                    ml.set_tag("dataset", "iris")
                    ml.log_metrics(
                        {"accuracy": rng.integers(20, 31) / 30, "val_loss": rng.random()}
                    )
        frame = ml.search_runs()
    others = [
        "artifact_uri",
        "start_time",
        "end_time",
        "tags.mlflow.user",
        "tags.mlflow.source.name",
    ]
    frame.drop(columns=others).to_csv(folder / "mlflow.csv", index=False)


def openml(folder: Path) -> None:
    """Evaluations of two flows on two tasks: an answer in the server's form, read by openml."""
    import openml as om

    flows = {
        11: "sklearn.pipeline.Pipeline(imputer=sklearn.impute.SimpleImputer,"
        "tree=sklearn.tree._classes.DecisionTreeClassifier)(1)",
        12: "weka.J48(2)",
    }
    values = iter(
        [
            [0.94, 0.96, 0.92, 0.98],
            [0.9, 0.94, 0.96, 0.92],
            [0.85, 0.9, 0.8, 0.95],
            [0.9, 0.95, 0.9, 1],
        ]
    )
    rows = []
    for i, (task, data, name) in enumerate(((59, 61, "iris"), (60, 62, "wine"))):
        for j, (flow, flow_name) in enumerate(flows.items()):
            cells = {
                "run_id": 100 + 2 * i + j,
                "task_id": task,
                "setup_id": 2 * i + j,
                "flow_id": flow,
                "flow_name": flow_name,
                "function": "predictive_accuracy",
                "upload_time": "2020-01-01 00:00:00",
                "uploader": 1,
                "data_id": data,
                "data_name": name,
                "values": json.dumps(next(values)),
            }
            inside = "".join(f"<oml:{k}>{v}</oml:{k}>" for k, v in cells.items())
            rows.append(f"<oml:evaluation>{inside}</oml:evaluation>")
    space = 'xmlns:oml="http://openml.org/openml"'
    answers = {
        "evaluation": f"<oml:evaluations {space}>{''.join(rows)}</oml:evaluations>",
        "user": f"<oml:users {space}><oml:user><oml:id>1</oml:id><oml:username>jo</oml:username>"
        "</oml:user></oml:users>",
    }
    with mock.patch(
        "openml._api_calls._perform_api_call",
        side_effect=lambda call, *a, **k: answers[call.split("/")[0]],
    ):
        frame = om.evaluations.list_evaluations(
            "predictive_accuracy", tasks=[59, 60], per_fold=True, output_format="dataframe"
        )
    frame.to_csv(folder / "openml.csv", index=False)


if __name__ == "__main__":
    for make in (skore, sktime, mlflow, openml):
        make(Path(sys.argv[1]))
