"""Runs of Weights & Biases (its public API guide, and the columns of its export)."""

import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, wandb


def _export():
    t = long_table()
    return t.assign(Name="a", State="finished", Created="2025-01-01", Runtime=3,
                    model=t["algorithm"], lr=0.1).drop(columns="algorithm")  # fmt: skip


def test_system_metrics_are_left_out():
    assert bc.Scores.read(wandb(long_table())).metrics == ("accuracy",)


def test_the_export_of_a_table():
    scores = bc.Scores.read(_export())
    assert scores.algorithms == ("knn", "svm")
    expected = bc.Scores(long_table()).differences("knn", "svm")
    assert scores.differences("knn", "svm", "accuracy").x[0] == pytest.approx(expected.x[0])


def test_runs_that_did_not_finish_are_missing():
    table = _export()
    table.loc[0, "State"] = "crashed"
    scores = bc.Scores.read(table)
    assert "crashed" in scores.missing["reason"].tolist()
    assert "1 runs are not finished" in scores.recognised
