"""A t posterior, moved and scaled, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import correlated_t


def test_density_cdf_and_quantiles_are_scipys():
    posterior = correlated_t([0.1, 0.3, -0.2, 0.4, 0.25], rho=0.2, rope=0.1)
    x = np.linspace(-1, 1, 21)
    c = 1 / 5 + 0.2 / 0.8
    t = stats.t(4, 0.17, np.sqrt(c * np.var([0.1, 0.3, -0.2, 0.4, 0.25], ddof=1)))
    assert posterior.pdf(x) == pytest.approx(t.pdf(x), rel=1e-12)
    assert posterior.cdf(x) == pytest.approx(t.cdf(x), rel=1e-12)
    p = np.array([0.001, 0.025, 0.3, 0.5, 0.8, 0.999])
    assert posterior.quantile(p) == pytest.approx(t.ppf(p), rel=1e-9)
    assert posterior.hdi(0.9) == pytest.approx(t.interval(0.9), rel=1e-9)
    assert posterior.summary().loc["delta", "sd"] == pytest.approx(t.std(), rel=1e-12)
    grid, y = posterior.density()
    assert y == pytest.approx(t.pdf(grid), rel=1e-12)


def test_draws_follow_the_density_and_the_seed():
    posterior = correlated_t([0.1, 0.3, -0.2, 0.4, 0.25], rho=0.2, rope=0.1, seed=5)
    draws = posterior.draws["delta"]
    t = stats.t(posterior.df, posterior.location, posterior.scale)
    assert draws.shape == (4, 2500)
    assert stats.kstest(draws.ravel(), t.cdf).pvalue > 1e-3
    again = correlated_t([0.1, 0.3, -0.2, 0.4, 0.25], rho=0.2, rope=0.1, seed=5)
    assert np.array_equal(again.draws["delta"], draws)


def test_bad_quantiles():
    posterior = correlated_t([0.1, 0.2], rho=0.1, rope=0.01)
    with pytest.raises(bc.InputError, match="probabilities"):
        posterior.quantile(1.5)
    with pytest.raises(bc.InputError, match="prob=1"):
        posterior.hdi(1)
    with pytest.raises(bc.InputError, match="widths"):
        posterior.rope_curve([-1])
    with pytest.raises(bc.InputError, match="no rope"):
        correlated_t([0.1, 0.2], rho=0.1, rope=0).rope_curve()
