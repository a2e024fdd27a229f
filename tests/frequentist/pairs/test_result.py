"""The result of comparing pairs: its tables and its text."""

from __future__ import annotations

import numpy as np

import bayescmp.frequentist as f
from tests.frequentist.pairs.test_compared import scores_of


def test_tables():
    result = f.posthoc(scores_of(1, 9, 3))
    assert list(result.frame.columns) == [
        "first", "second", "difference", "statistic", "pvalue", "adjusted",
    ]  # fmt: skip
    matrix = result.matrix()
    assert np.array_equal(matrix, matrix.T)
    assert np.diag(matrix).tolist() == [1, 1, 1]
    assert result.matrix().loc["A1", "A3"] == result.adjusted[1]
    against = f.posthoc(scores_of(1, 9, 3), control="A2").matrix()
    assert np.isnan(against.loc["A1", "A3"])
    text = str(result)
    assert "A1 → A2" in text
    assert "holm" in text
    assert result.to_dict()["comparisons"][0]["first"] == "A1"
