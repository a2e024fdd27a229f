"""Runs of MLflow; the fixture is by the real program (make_fixtures.py)."""

from pathlib import Path

import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, mlflow

FIXTURE = Path(__file__).parent / "mlflow.csv"


def test_real_runs():
    scores = bc.Scores.read(FIXTURE)
    assert set(scores.algorithms) == {"gbm", "knn"}
    assert set(scores.metrics) == {"accuracy", "val_loss"}
    assert scores.differences("gbm", "knn", "accuracy").rho.tolist() == [0.2]
    assert scores.direction("val_loss").lower
    assert "params.model is the algorithm" in scores.recognised


def test_roles_may_be_named():
    table = mlflow(long_table()).rename(columns={"params.model": "params.variant"})
    with pytest.raises(bc.InputError, match="is known to be the algorithm; say which column"):
        bc.Scores.read(table)
    for column in ("variant", "params.variant"):
        assert bc.Scores.read(table, columns={"algorithm": column}).algorithms == ("knn", "svm")


def test_runs_that_did_not_finish_are_missing():
    table = mlflow(long_table())
    table.loc[2, "status"] = "FAILED"
    scores = bc.Scores.read(table)
    assert scores.missing["reason"].tolist() == ["FAILED"]
    assert "1 runs are not finished" in scores.recognised


def test_a_metric_named_as_a_label():
    table = mlflow(long_table()).rename(columns={"metrics.accuracy": "metrics.fold"})
    with pytest.raises(bc.InputError, match="metric 'fold' of the runs is named as a label"):
        bc.Scores.read(table)
