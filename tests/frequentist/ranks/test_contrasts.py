"""Contrasts of medians: scmamp, additivity, direction."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp.frequentist as f
from bayescmp.errors import InputError


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
