"""Simulated data have the truth that they are said to have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.planning.truth import Truth
from bayescmp.verdict import as_rope

ROPE = as_rope(0.01)
TRUTH = Truth(delta0=0.02, sigma0=0.03, nu=8.0, noise=0.05, rho=0.2, folds=5)


def test_masses_are_those_of_the_t():
    t = stats.t(8, 0.02, 0.03)
    wanted = [t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01), t.sf(0.01)]
    np.testing.assert_allclose(TRUTH.masses(ROPE), wanted, rtol=1e-12)
    normal = Truth(0.02, 0.03, np.inf, 0.05, 0.2, 5)
    assert normal.masses(ROPE)[0] == pytest.approx(stats.norm.cdf(-1), rel=1e-9)


def test_the_most_probable_outcome_is_right_and_a_tie_has_none():
    assert TRUTH.outcomes(ROPE) == ("second",)
    assert Truth(-0.02, 0.001, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ("first",)
    assert Truth(0.0, 0.001, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ("equivalent",)
    assert Truth(0.0, 0.1, 8.0, 0.05, 0.2, 5).outcomes(ROPE) == ()


def test_moments_and_correlation_of_the_simulated():
    x = np.stack(TRUTH.simulate(40_000, [1]).x)
    means = x.mean(axis=1)
    between, within = 0.03**2 * 8 / 6, 0.05**2
    assert x.mean() == pytest.approx(0.02, abs=4 * means.std() / 200)
    assert means.var() == pytest.approx(between + within * (0.2 + 0.8 / 5), rel=0.05)
    assert x.var(axis=1, ddof=1).mean() == pytest.approx(within * 0.8, rel=0.02)
    assert np.cov(x[:, 0], x[:, 1])[0, 1] == pytest.approx(between + 0.2 * within, rel=0.06)
    heavy = stats.kurtosis(means)
    assert heavy > 0.1  # 6/(nu - 4) = 1.5 of the effects, diluted by the noise


def test_more_data_sets_keep_the_first():
    few, many = TRUTH.simulate(3, [1, 7]), TRUTH.simulate(9, [1, 7])
    for a, b in zip(few.x, many.x[:3], strict=True):
        np.testing.assert_array_equal(a, b)
