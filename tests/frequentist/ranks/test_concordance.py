"""Kendall's W: R's effectsize, Spearman's correlations, the jackknife, limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f


@pytest.mark.parametrize(("key", "digits"), [("kendall_w", 3), ("kendall_w_ties", 1)])
def test_as_in_effectsize(gr, key, digits):
    """effectsize 0.8.3, kendalls_w(t(x))."""
    x = np.round(gr["folds"].reshape(4, 10).T, digits)
    assert f.kendalls_w(x).estimate == pytest.approx(gr[key][0])


def test_it_is_the_mean_of_spearmans_correlations():
    x = np.random.default_rng(1).normal(size=(8, 5)) + np.arange(5)
    pairs = np.triu_indices(8, 1)
    mean = stats.spearmanr(x.T).statistic[pairs].mean()
    assert (8 * f.kendalls_w(x).estimate - 1) / 7 == pytest.approx(mean)


def test_friedmans_results_have_it():
    x = np.random.default_rng(2).normal(size=(9, 4))
    result = f.friedman(x)
    assert result.effect.estimate == pytest.approx(result.statistic / (9 * 3))
    assert result.to_dict()["effect"]["measure"] == "Kendall's W"
    assert f.quade(x).effect is None


def test_the_interval_is_that_of_the_jackknife():
    """The textbook's pseudo-values of the mean correlation, each from its own table."""
    x = np.random.default_rng(3).normal(size=(12, 4)) + 0.7 * np.arange(4)

    def correlation(y):
        return (len(y) * f.kendalls_w(y).estimate - 1) / (len(y) - 1)

    r = correlation(x)
    pseudo = [12 * r - 11 * correlation(np.delete(x, i, axis=0)) for i in range(12)]
    error = np.std(pseudo, ddof=1) / np.sqrt(12) / (1 - r**2)
    half = stats.t.ppf(0.95, 11) * error
    ends = np.tanh(np.arctanh(r) + half * np.array([-1, 1]))
    expected = np.clip((1 + 11 * ends) / 12, 0, 1)
    assert f.kendalls_w(x).confidence_interval(0.9) == pytest.approx(tuple(expected))


def test_limits():
    same = f.kendalls_w(np.tile([1, 2, 3], (5, 1)))
    assert (same.estimate, same.confidence_interval()) == (pytest.approx(1), (1, 1))
    assert f.kendalls_w([[1, 2, 3], [3, 2, 1]]).estimate == pytest.approx(0, abs=1e-12)
