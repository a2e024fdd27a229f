"""Average ranks: 1 is the best, missing scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp.frequentist as f


def test_rank_one_is_the_best():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 4], "c": [3.0, 4, 5]}, index=list("xyz"))
    table = f.average_ranks(frame)
    assert table.mean_ranks.tolist() == [3, 2, 1]
    assert list(table.frame.index) == ["c", "b", "a"]
    assert table.by_dataset().loc["x", "c"] == 1
    assert table.frame.loc["c", "times_best"] == 3
    assert f.friedman(frame).names == ("a", "b", "c")
    assert f.average_ranks(frame, lower_is_better=True).mean_ranks.tolist() == [1, 2, 3]


def test_average_ranks_with_missing_scores():
    x = [[0.9, np.nan, 0.8], [0.5, 0.6, 0.7]]
    table = f.average_ranks(x)
    assert table.ranks == pytest.approx(np.array([[1, np.nan, 2], [3, 2, 1]]), nan_ok=True)
    assert table.mean_ranks == pytest.approx([2, 2, 1.5])
    assert table.frame.loc["A2", "datasets"] == 1
    assert "2 data sets" in str(table)
