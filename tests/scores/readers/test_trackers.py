"""Runs of Weights & Biases (its public API guide, and the columns of its export)."""

from __future__ import annotations

from pathlib import Path

import pytest

import bayescmp as bc
from tests.scores.readers.layouts import long_table, mlflow, wandb

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


def _export():
    t = long_table()
    return t.assign(
        Name="a", State="finished", Created="2025-01-01", Runtime=3, model=t["algorithm"], lr=0.1
    ).drop(columns="algorithm")


def test_system_metrics_are_left_out():
    assert bc.Scores.read(wandb(long_table())).metrics == ("accuracy",)


def test_the_export_of_a_table():
    scores = bc.Scores.read(_export())
    assert scores.algorithms == ("knn", "svm")
    expected = bc.Scores(long_table()).differences("knn", "svm")
    assert scores.differences("knn", "svm", "accuracy").x[0] == pytest.approx(expected.x[0])


def test_wandb_runs_that_did_not_finish_are_missing():
    table = _export()
    table.loc[0, "State"] = "crashed"
    scores = bc.Scores.read(table)
    assert "crashed" in scores.missing["reason"].tolist()
    assert "1 runs are not finished" in scores.recognised
