"""Aggregates of runs: SciPy and definitions, weights, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.frequentist.aggregates.measures import (
    above,
    aggregated,
    improvement,
    weighted,
    weighted_above,
    weighted_improvement,
)

RNG = np.random.default_rng(1)
X, Y = RNG.gamma(2, size=(7, 9)), RNG.gamma(3, size=(5, 9))


def test_the_interquartile_mean_is_scipys_trimmed_mean():
    """SciPy 1.17.1, trim_mean(x, 0.25, axis=None), as rliable 1.2.0 calls it."""
    assert aggregated(X, "iqm") == pytest.approx(stats.trim_mean(X, 0.25, axis=None))
    both = np.stack([X, 2 * X])
    one = float(aggregated(X, "iqm"))
    assert aggregated(both, "iqm") == pytest.approx([one, 2 * one])
    assert aggregated(X[:1, :2], "iqm") == pytest.approx(X[:1, :2].mean())


def test_means_and_medians_are_of_the_tasks():
    assert aggregated(X, "mean") == pytest.approx(X.mean(axis=0).mean())
    assert aggregated(X, "median") == pytest.approx(np.median(X.mean(axis=0)))


def test_improvement_is_the_mann_whitney_share():
    expected = [stats.mannwhitneyu(Y[:, t], X[:, t]).statistic / 35 for t in range(9)]
    assert improvement(X, Y) == pytest.approx(expected)
    assert improvement(X, X) == pytest.approx(np.full(9, 0.5))


def test_equal_weights_are_no_weights():
    x = RNG.normal(size=(4, 6))  # 24 scores: the quartiles fall between them
    even = np.full((1, 4, 6), 0.25)
    for measure in ("iqm", "mean", "median"):
        assert weighted(x, even, measure)[0] == pytest.approx(float(aggregated(x, measure)))
    of_x, of_y = np.full((1, *X.shape), 1 / 7), np.full((1, *Y.shape), 1 / 5)
    actual = weighted_improvement(X, Y, of_x, of_y)
    assert actual[0] == pytest.approx(improvement(X, Y).mean())


@pytest.mark.parametrize("measure", ["iqm", "mean", "median"])
def test_whole_weights_are_repeated_runs(measure):
    """A weight of 2/4 is the run twice: the same as a resample."""
    x = RNG.normal(size=(3, 8))
    counts = np.array([[2, 1, 1], [0, 3, 1], [1, 1, 2]] + [[4, 0, 0]] * 5).T
    weights = counts[None] / 4
    repeated = np.stack([np.repeat(x[:, t], counts[:, t]) for t in range(8)], axis=1)
    assert weighted(x, weights, measure)[0] == pytest.approx(float(aggregated(repeated, measure)))


def test_shares_above_a_threshold():
    at = np.array([1.0, 2.5])
    assert above(X, at) == pytest.approx([(X > 1).mean(), (X > 2.5).mean()])
    assert weighted_above(X, np.full((1, *X.shape), 1 / 7), at)[0] == pytest.approx(above(X, at))
