"""Noise levels of several algorithms: the density, its draws, the check of sphericity."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from bayescmp import _arviz
from bayescmp.bayesian.groups.levels import NoiseLevels, helmert


def errors(seed=1, L=3, n=8, p=1, sd=None):
    rng = np.random.default_rng(seed)
    sd = np.ones(L) if sd is None else np.asarray(sd)
    e = rng.normal(size=(1, n, p)) * 3 + rng.normal(size=(L, n, p)) * sd[:, None, None]
    e -= e.mean(axis=1, keepdims=True)
    return e - e.mean(axis=0)


def levels(e, **options):
    return NoiseLevels(np.einsum("ija,kjb->ikab", e, e), e.shape[1], **options)


def brute(shares, e):
    """log ∫∫ p(x | τ, v) dτ dv/v for one metric, v_i = v/π_i, by integrating both numerically.

    Fold effects are out by the contrasts H: Hx_j ~ N(Hτ, H diag(v/π) Hᵀ).
    """
    L, n, _ = e.shape
    H = helmert(L)
    y = e[..., 0].T @ H.T
    C = H @ np.diag(1 / shares) @ H.T

    def at(log_v):
        v = np.exp(log_v)
        # the integral over Hτ of a product of n normals about their mean
        s = np.einsum("ja,ab,jb->", y - y.mean(0), np.linalg.inv(v * C), y - y.mean(0))
        det = np.linalg.slogdet(2 * np.pi * v * C)[1]
        return np.exp(-s / 2 - (n - 1) / 2 * det)

    scale = np.log((y**2).mean())
    return np.log(integrate.quad(at, scale - 12, scale + 12, limit=400, epsabs=0)[0])


@pytest.mark.parametrize("L", [3, 4])
def test_likelihood_by_integrating_effects_and_scale_numerically(L):
    e = errors(2, L)
    result = levels(e)
    rng = np.random.default_rng(1)
    points = rng.dirichlet(np.ones(L), 6)
    ours = result.log_likelihood(points)
    expected = np.array([brute(pi, e) for pi in points])
    np.testing.assert_allclose(ours - ours[0], expected - expected[0], atol=1e-6)


def test_draws_against_the_density_on_a_grid():
    """Two noisy, one precise: means and central masses of π by brute force over the simplex."""
    result = levels(errors(3, 3, 6, sd=[0.2, 1, 1]), seed=4)
    grid = (np.arange(400) + 0.5) / 400
    a, b = np.meshgrid(grid, grid, indexing="ij")
    inside = a + b < 1
    shares = np.stack([a, b, 1 - a - b], axis=-1)[inside]
    weight = np.exp(result.log_likelihood(shares) - result.log_likelihood(shares).max())
    weight /= weight.sum()  # Dirichlet(1, 1, 1) is flat
    draws = result.draws.reshape(-1, 3)
    error = np.sqrt(weight @ shares**2 - (weight @ shares) ** 2) / np.sqrt(5000)
    assert np.all(np.abs(draws.mean(axis=0) - weight @ shares) < 4.5 * error)
    for i in range(3):
        for q in (0.1, 0.5, 0.9):
            cut = np.quantile(draws[:, i], q)
            mass = weight[shares[:, i] <= cut].sum()
            assert mass == pytest.approx(q, abs=4.5 * np.sqrt(q * (1 - q) / 5000))


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from([1e-6, 1.0, 1e4]))
def test_order_and_units_cannot_matter(seed, p, unit):
    e = errors(seed, 4, 7, p, [1, 0.3, 1, 2])
    at = np.random.default_rng(seed).dirichlet(np.ones(4), 5)
    actual = levels(e).log_likelihood(at)
    for order in ([3, 1, 0, 2], [1, 0, 2, 3]):
        turned = levels(e[order][:, ::-1] * unit).log_likelihood(at[:, order])
        np.testing.assert_allclose(turned - turned[0], actual - actual[0], atol=1e-6)


def test_two_algorithms_do_not_tell_levels_apart():
    at = np.array([[0.5, 0.5], [0.01, 0.99], [0.8, 0.2]])
    actual = levels(errors(1, 2)).log_likelihood(at)
    np.testing.assert_allclose(actual, actual[0], atol=1e-10)


@pytest.mark.parametrize(("L", "n", "p"), [(3, 4, 1), (4, 10, 2), (12, 8, 1), (25, 10, 1)])
def test_chains_mix(L, n, p):
    result = levels(errors(5, L, n, p, np.where(np.arange(L) < 2, 0.02, 1.0)), seed=1)
    log = np.log(result.draws)
    assert result.draws.shape == (4, 2500, L)
    assert max(_arviz.rhat(log[..., i]) for i in range(L)) < 1.01
    assert min(_arviz.ess(log[..., i], "bulk") for i in range(L)) > 1000


@pytest.mark.calibration
def test_check_has_its_level():
    """Over 300 simulations of five algorithms on twelve folds."""
    p = [levels(errors(seed, 5, 12)).check.pvalue for seed in range(300)]
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p) < level) == pytest.approx(level, abs=0.075)


def test_check_sees_unequal_levels():
    unequal = [levels(errors(s, 5, 12, sd=[0.1, 0.1, 1, 1, 1])).check for s in range(10)]
    assert all(check.pvalue < 0.01 and not check.allows for check in unequal)
    assert str(unequal[0]).startswith("likelihood ratio χ²(4) = ")


def test_check_by_a_likelihood_maximised_over_all_orders():
    """The mode found does not depend on where the search begins: one a permutation."""
    e = errors(7, 4, 6, sd=[0.1, 0.5, 1, 3])
    actual = {round(levels(e[list(o)]).check.statistic, 4) for o in permutations(range(4))}
    assert len(actual) == 1


def test_prior_alone_is_uniform_on_the_simplex():
    """With likelihoods that say nothing (two algorithms) π_1 is uniform."""
    result = levels(errors(1, 2), seed=3)
    u = result.draws[..., 0].ravel()
    assert stats.kstest(u[::2], "uniform").pvalue > 1e-3
