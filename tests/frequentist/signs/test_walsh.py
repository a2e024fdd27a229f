"""Hodges and Lehmann's estimate and its interval: R's values stand in test_signed_rank."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.frequentist.signs.walsh import pseudo_median, walsh_interval


def test_pseudo_median_by_hand():
    """Means of 1, 2, 6 in pairs, each with itself: 1, 1.5, 2, 3.5, 4, 6."""
    assert pseudo_median(np.array([1.0, 2, 6])) == 2.75


def test_the_interval_holds_what_is_not_rejected():
    """SciPy, exact: shifts strictly inside are not rejected, those outside are."""
    x = np.random.default_rng(5).normal(0.5, 1, size=12)
    low, high = walsh_interval(x, 0.9)
    for shift, inside in ((low - 1e-6, False), (low + 1e-6, True), (high + 1e-6, False)):
        assert (stats.wilcoxon(x - shift, method="exact").pvalue > 0.1) == inside


def test_one_sided_intervals_are_open():
    x = np.random.default_rng(6).normal(size=9)
    assert walsh_interval(x, 0.95, "greater")[1] == np.inf
    assert walsh_interval(x, 0.95, "greater")[0] == walsh_interval(x, 0.9)[0]


def test_many_differences_by_the_normal_approximation():
    """Coverage of the exact order statistics for 50 and the approximation for 51 hardly differ."""
    x = np.random.default_rng(7).normal(size=51)
    low, high = walsh_interval(x, 0.95)
    fewer = walsh_interval(x[:50], 0.95)
    assert high - low == pytest.approx(fewer[1] - fewer[0], rel=0.1)
