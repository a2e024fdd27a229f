"""Standard errors, p-values and intervals of Student's t."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.frequentist.paired.student import ratio, standard_error, t_interval, t_pvalue


def test_standard_error_of_a_mean():
    x = np.random.default_rng(0).normal(size=8)
    assert standard_error(x, 1 / 8) == pytest.approx(stats.sem(x))
    assert standard_error(np.full(5, 0.1) + 1e-17, 1.0) == 0


@pytest.mark.parametrize("side", ["two-sided", "less", "greater"])
def test_as_in_scipy(side):
    x = np.random.default_rng(1).normal(0.4, 1, size=9)
    expected = stats.ttest_1samp(x, 0, alternative=side)
    mean, error = float(x.mean()), float(stats.sem(x))
    assert t_pvalue(mean, error, 8, side) == pytest.approx(expected.pvalue)
    actual = t_interval(mean, error, 8, side, 0.9)
    assert actual == pytest.approx(tuple(expected.confidence_interval(0.9)))


def test_without_error():
    assert (ratio(0.0, 0.0), ratio(-1.0, 0.0)) == (0.0, -np.inf)
    assert t_pvalue(0.0, 0.0, 3, "two-sided") == 1
    assert t_pvalue(0.1, 0.0, 3, "two-sided") == 0
