"""A benchmark of sktime; the fixture is by the real program (make_fixtures.py)."""

from pathlib import Path

import pandas as pd
import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, sktime

FIXTURE = Path(__file__).parent / "sktime.csv"


def test_windows_of_a_real_benchmark_ask_for_rho():
    with pytest.raises(bc.InputError, match=r"rho of its splits \(ExpandingWindowSplitter\)"):
        bc.Scores.read(FIXTURE)
    scores = bc.Scores.read(FIXTURE, resampling="windows rho 0.3")
    assert scores.datasets == ("load_airline",)
    assert scores.sole_metric == "MeanAbsoluteError"
    differences = scores.differences("mean", "last", "MeanAbsoluteError")
    raw = pd.read_csv(FIXTURE, index_col="model_id").filter(regex="scores.MeanAbsoluteError")
    assert differences.x[0] == pytest.approx((raw.loc["mean"] - raw.loc["last"]).to_numpy())
    assert differences.means[0] > 0  # the seasonal naive forecast has the smaller error


def test_folds_of_a_k_fold():
    table = sktime(long_table())
    table["validation_id"] = table["validation_id"].str.replace("RepeatedKFold", "KFold")
    scores = bc.Scores.read(table)
    assert scores.differences("knn", "svm").rho.tolist() == pytest.approx([1 / 6] * 2)


def test_tasks_may_differ_in_their_folds():
    table = sktime(long_table())
    table.loc[table["validation_id"].str.contains("iris"), "accuracy_fold_5_test"] = None
    scores = bc.Scores.read(table, resampling={"iris": "5-fold", "wine": "6-fold"})
    assert scores.differences("knn", "svm").n.tolist() == [5, 6]
