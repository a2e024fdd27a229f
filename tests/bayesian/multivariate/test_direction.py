"""The direction that separates two algorithms most, and its posterior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from bayescmp.bayesian.multivariate.direction import direction_of
from bayescmp.bayesian.regions.elliptical import MultivariateT


def data(n=40, shift=(0.03, 0.0), seed=1):
    rng = np.random.default_rng(seed)
    root = np.array([[0.02, 0.0], [0.015, 0.01]])
    return np.array(shift) + rng.normal(size=(n, 2)) @ root.T


def test_centre_is_hotellings_direction():
    x = data()
    d = multivariate_t(x, rho=0.1, rope=0).direction()
    w = np.linalg.solve(np.cov(x.T), x.mean(axis=0))
    standardised = w * x.std(axis=0, ddof=1)
    np.testing.assert_allclose(d.weights, standardised / np.linalg.norm(standardised), atol=1e-9)
    np.testing.assert_allclose(d.raw_weights / d.raw_weights[0], w / w[0], rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(d.draws, axis=1), 1)


def test_draws_against_scipys_wishart():
    # the same posterior by SciPy's inverse Wishart: Σ ~ IW(n−1, S/(1−ρ)), μ ~ N(D̄, Σ(1+(n−1)ρ)/n)
    x, rho, n = data(15), 0.2, 15
    d = multivariate_t(x, rho=rho, rope=0, seed=3).direction(20_000)
    S = (n - 1) * np.cov(x.T)
    rng = np.random.default_rng(1)
    sigma = stats.invwishart(n - 1, S / (1 - rho)).rvs(20_000, random_state=rng)
    root = np.linalg.cholesky(sigma) * np.sqrt((1 + (n - 1) * rho) / n)
    mu = x.mean(axis=0) + np.einsum("dij,dj->di", root, rng.normal(size=(20_000, 2)))
    w = np.linalg.solve(sigma, mu[..., None])[..., 0]
    length = np.sqrt(np.sum(mu * w, axis=1))
    w *= x.std(axis=0, ddof=1)
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    assert stats.ks_2samp(d.separation, length).pvalue > 1e-3
    for j in range(2):
        assert stats.ks_2samp(d.draws[:, j], w[:, j]).pvalue > 1e-3


def test_units_do_not_matter_and_dependent_metrics_have_no_say():
    x = data()
    d = multivariate_t(x, rho=0.1, rope=0, seed=1).direction()
    e = multivariate_t(x * [100, 1e-3], rho=0.1, rope=0, seed=1).direction()
    np.testing.assert_allclose(e.weights, d.weights, atol=1e-9)
    np.testing.assert_allclose(e.frame["mean"], d.frame["mean"], atol=0.03)
    twice = multivariate_t(np.c_[x, x[:, 0]], rho=0.1, rope=0, seed=1).direction()
    np.testing.assert_allclose(np.sort(twice.separation), np.sort(d.separation), rtol=0.2)
    assert twice.weights[0] == pytest.approx(twice.weights[2])


def test_certainty_grows_with_the_separation():
    far = multivariate_t(data(shift=(0.1, 0.0)), rho=0.1, rope=0, seed=1).direction()
    near = multivariate_t(data(shift=(0.0, 0.0)), rho=0.1, rope=0, seed=1).direction()
    assert far.concentration > 0.95
    assert near.concentration < 0.9
    assert np.median(far.separation) > np.median(near.separation)
    assert far.frame.loc["m1", "p_positive"] > 0.99


def test_words():
    d = multivariate_t(data(), rho=0.1, rope=0, metrics=("tpr", "fpr"), seed=1).direction()
    assert "·tpr − " in d.formula()
    assert "separation" in str(d)
    nothing = MultivariateT(3, np.zeros(2), np.zeros((2, 0)))
    with pytest.raises(bc.InputError, match="no direction"):
        direction_of(nothing, n=5, rho=0.1, metrics=("a", "b"), seed=1, draws=10)
