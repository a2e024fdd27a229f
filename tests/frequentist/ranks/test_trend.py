"""Page's trend test: coin, SciPy, orders, ties."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError


@pytest.mark.parametrize("name", ["plain", "tied"])
def test_asymptotic_as_in_coin(rr, name):
    """coin 1.4-2, friedman_test(y ~ ordered(g) | b, alternative = "greater")."""
    result = f.page_trend(rr[name].reshape(12, 5), method="asymptotic")
    assert result.pvalue == pytest.approx(rr[f"{name}_page"][1], rel=1e-10)


def test_exact_as_in_scipy():
    """SciPy 1.17.1, page_trend_test(x); its ranks grow with the score too."""
    x = np.random.default_rng(1).normal(size=(9, 4)) + 0.2 * np.arange(4)
    result, expected = f.page_trend(x), stats.page_trend_test(x, method="exact")
    assert (result.statistic, result.pvalue) == (expected.statistic, expected.pvalue)
    assert "exact" in str(result)


def test_hollander_and_wolfe():
    """SciPy's docstring (Page 1963, p. 220): L = 133.5, with ties; its data by rank."""
    data = [
        [3, 4, 3], [2, 2, 4], [3, 3, 5], [1, 3, 2], [2, 3, 2],
        [2, 4, 5], [1, 2, 4], [3, 4, 4], [2, 4, 5], [1, 3, 4],
    ]  # fmt: skip
    assert f.page_trend(data, method="asymptotic").statistic == 133.5


def test_order_names_the_algorithms():
    x = pd.DataFrame(np.random.default_rng(2).random((8, 3)), columns=["a", "b", "c"])
    turned = f.page_trend(x, order=["c", "a", "b"])
    assert turned.pvalue == f.page_trend(x[["c", "a", "b"]]).pvalue
    assert "worst to the best: c, a, b" in str(turned)
    with pytest.raises(InputError, match="every algorithm once"):
        f.page_trend(x, order=["c", "a"])


def test_lower_is_better_turns_the_trend():
    x = np.random.default_rng(3).random((7, 4)) + np.arange(4)
    assert f.page_trend(x).pvalue < 1e-4
    assert f.page_trend(x, lower_is_better=True).pvalue > 0.999
    assert f.page_trend(-x, lower_is_better=True).pvalue == f.page_trend(x).pvalue


def test_exact_is_refused_with_ties():
    with pytest.raises(InputError, match="without ties"):
        f.page_trend([[1, 1, 2], [1, 2, 3]], method="exact")
