"""Average ranks: 1 is the best, missing scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp.frequentist as f
from bayescmp.errors import InputError


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


@pytest.mark.parametrize("name", ["plain", "tied"])
def test_as_in_scmamp(rr, name):
    """scmamp 0.3.2, contrastEstimationMatrix(x), which is row minus column."""
    result = f.contrast_estimation(rr[name].reshape(12, 5))
    expected = -rr[f"{name}_contrasts"].reshape(5, 5)
    assert result.frame.to_numpy() == pytest.approx(expected, abs=1e-12)


def test_contrasts_add_up_where_medians_do_not():
    x = pd.DataFrame(np.random.default_rng(1).random((9, 4)), columns=list("abcd"))
    table = f.contrast_estimation(x)
    whole = table.contrast("a", "c") + table.contrast("c", "d")
    assert whole == pytest.approx(table.contrast("a", "d"))
    assert table.medians[0, 2] + table.medians[2, 3] != pytest.approx(table.medians[0, 3])


def test_positive_says_that_the_second_is_better():
    x = np.arange(4.0) + np.random.default_rng(2).normal(scale=0.01, size=(5, 4))
    assert f.contrast_estimation(x).contrast("A1", "A4") == pytest.approx(3, abs=0.05)
    turned = f.contrast_estimation(x, lower_is_better=True)
    assert turned.contrast("A1", "A4") == pytest.approx(-3, abs=0.05)


def test_an_outlying_data_set_moves_them_little():
    x = np.tile([0.1, 0.2, 0.3], (9, 1))
    x[0, 2] = 100.0
    assert f.contrast_estimation(x).contrast("A1", "A3") == pytest.approx(0.2)


def test_shown_and_refused():
    table = f.contrast_estimation([[1, 2, 4], [1, 3, 3], [0, 1, 4]])
    assert "improvement of column over row, 3 data sets" in str(table)
    assert "<table" in table._repr_html_()
    with pytest.raises(InputError, match="unknown algorithm 'A9'"):
        table.contrast("A1", "A9")
    with pytest.raises(InputError, match="at least 3"):
        f.contrast_estimation([[1, 2], [2, 3]])
