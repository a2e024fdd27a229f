"""Results of the AutoML benchmark (columns as amlb/results.py writes them)."""

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.readers.layouts import automlbenchmark, long_table


def _results(**columns):
    return automlbenchmark(long_table()).assign(**columns)


def test_losses_are_negative_and_higher_is_better():
    table = _results(metric="logloss")
    table["result"] = -table["result"]
    scores = bc.Scores.read(table, resampling="2x3-fold")
    assert str(scores.direction("neg_logloss")) == "neg_logloss ↑"
    actual = scores.differences("knn", "svm").x[0]
    plain = bc.Scores(long_table()).differences("knn", "svm").x[0]
    assert actual == pytest.approx(-plain, abs=1e-12)


def test_metrics_that_differ_by_task_are_one_result():
    metrics = np.where(_results()["task"] == "iris", "auc", "neg_rmse")
    scores = bc.Scores.read(_results(metric=metrics), resampling="2x3-fold")
    assert scores.metrics == ("result",)
    assert "of several metrics (auc, neg_rmse)" in scores.recognised


def test_a_constraint_has_to_be_named_where_there_are_several():
    both = pd.concat([_results(), _results(constraint="4h8c", result=0.5)], ignore_index=True)
    with pytest.raises(bc.InputError, match="'1h8c', '4h8c': name one, as in constraint='1h8c'"):
        bc.Scores.read(both)
    one = bc.Scores.read(both, constraint="4h8c", resampling="2x3-fold")
    assert one.differences("knn", "svm").means.tolist() == [0, 0]
    with pytest.raises(bc.InputError, match="constraint='2h'; the table has: 1h8c, 4h8c"):
        bc.Scores.read(both, constraint="2h")


def test_a_failure_is_missing_and_says_why():
    table = _results().astype({"info": object})
    table.loc[3, ["result", "info"]] = [np.nan, "TimeoutError: killed"]
    scores = bc.Scores.read(table, resampling="2x3-fold")
    assert scores.missing["reason"].tolist() == ["TimeoutError: killed"]
    with pytest.raises(bc.InputError, match="TimeoutError: killed"):
        scores.differences("knn", "svm")
