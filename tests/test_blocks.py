"""Blocks: pairing by fold, derived metrics, direction, and every message on bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.errors import InputError


def test_bare_arrays():
    x = np.arange(24.0).reshape(2, 4, 3)
    blocks = bc.Blocks(x, rho=0.25, metrics=["error", "auc", "mcc"])
    assert blocks.algorithms == ("A1", "A2")
    assert blocks.signs.tolist() == [-1, 1, 1]
    assert bc.Blocks(x[..., 0]).p == 1
    x[0, 0, 0] = 99
    assert blocks.x[0, 0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        blocks.x[0, 0, 0] = 1
    assert "2 algorithms, 4 folds, 3 metrics" in repr(blocks)


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (np.ones(3), {}, r"x has shape \(3,\)"),
        (np.ones((2, 0, 1)), {}, "x has shape"),
        ([[1, 2], [3]], {}, "rows differ in length"),
        (np.full((2, 3, 1), np.inf), {}, "x is infinite for metric 'm1' of algorithm 'A1'"),
        (np.ones((2, 3, 1)), {"metrics": ["a", "b"]}, "accepted: one name"),
        (np.ones((2, 3, 2)), {"metrics": ["a", "a"]}, "metrics names 'a' twice"),
        (np.ones((2, 3, 2)), {"lower_is_better": [True]}, "lower_is_better has 1 for 2"),
        (np.ones((2, 3, 2)), {"rho": [0.1, 0.2]}, "accepted: one number"),
    ],
)
def test_bad_arrays(x, options, message):
    with pytest.raises(InputError, match=message):
        bc.Blocks(x, **options)


def test_a_metric_that_follows_is_the_same_for_the_table_and_for_blocks():
    from bayescmp.derived import derived

    labels = {"dataset": "d", "algorithm": ["a", "a", "b", "b"], "fold": [1, 2, 1, 2]}
    counts = {"tp": [8, 0, 9, 0], "fn": [2, 0, 1, 0], "fp": [1, 1, 2, 2], "tn": [9, 9, 8, 8]}
    scores = bc.Scores(pd.DataFrame({**labels, **counts}))
    recall = derived(scores, "recall")
    assert np.array_equal(recall.values, [0.8, np.nan, 0.9, np.nan], equal_nan=True)
    assert not recall.lower
    assert derived(scores, "fpr").lower
    assert derived(scores, "recall", np.array([[0], [2]])).values.tolist() == [[0.8], [0.9]]
    percent = bc.Scores(pd.DataFrame({**labels, "accuracy": [80.0, 81.0, 82.0, 83.0]}))
    assert derived(percent, "error").values.tolist() == [20, 19, 18, 17]
