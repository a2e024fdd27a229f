"""Metrics that follow from others: which columns they are read from."""

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.derived import columns_behind, derived

TABLE = pd.DataFrame({"dataset": "d", "algorithm": ["a", "b"], "fold": 1, "tp": [8, 6],
                      "fn": [2, 4], "fp": [1, 3], "tn": [9, 7]})  # fmt: skip


def test_columns_behind_a_metric():
    scores = bc.Scores(TABLE)
    assert columns_behind(scores, "tp") == ("tp",)
    assert columns_behind(scores, "precision") == ("tp", "fn", "fp", "tn")
    error = bc.Scores(TABLE[["dataset", "algorithm", "fold"]].assign(Error=[0.1, 0.2]))
    assert columns_behind(error, "error_rate") == ("Error",)
    assert columns_behind(error, "accuracy") == ("Error",)
    assert derived(error, "accuracy").values.tolist() == [0.9, 0.8]
    with pytest.raises(bc.InputError, match="unknown metric 'tpr'"):
        columns_behind(error, "tpr")


def test_values_by_hand():
    precision = derived(bc.Scores(TABLE), "precision")
    assert precision.values.tolist() == [8 / 9, 6 / 9]
    assert not precision.lower
