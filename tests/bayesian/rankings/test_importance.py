"""Importance sampling: a known posterior, and the shape of the tail beside ArviZ's."""

from __future__ import annotations

import arviz as az
import numpy as np
import pytest
from scipy import stats

from bayescmp.bayesian.rankings.importance import Nodes, pareto_k, sampled


def test_a_normal_with_a_lognormal_scale_is_recovered():
    """y ~ N(x, 1), x ~ N(0, σ²), log σ ~ N(0, 0.5²): the mean by quadrature."""
    y = np.array([1.5, -0.5])

    def log_densities(x, s):
        return (-0.5 * ((y - x) ** 2).sum(1) - 0.5 * (x**2).sum(1) * np.exp(-2 * s) - 2 * s
                - 0.5 * (s / 0.5) ** 2)  # fmt: skip

    def density(x, s):
        p = np.exp(-2 * s)
        return float(log_densities(x[None], np.array([s]))[0]), y - x - p * x, np.eye(2) * (1 + p)

    grid = np.linspace(-2.5, 2.5, 51)
    nodes = Nodes.of(grid, np.zeros(2), density)
    x, s, k = sampled(nodes, log_densities, 20_000, np.random.default_rng(1))
    v = np.exp(2 * grid)
    weight = stats.norm(0, 0.5).pdf(grid) * np.prod(
        [stats.norm(0, np.sqrt(1 + v)).pdf(t) for t in y], axis=0
    )
    weight /= weight.sum()
    shrunk = (weight * v / (1 + v)).sum()
    np.testing.assert_allclose(x.mean(axis=0), y * shrunk, atol=0.02)
    assert s.mean() == pytest.approx((weight * grid).sum(), abs=0.01)
    assert k < 0.5


@pytest.mark.parametrize("tail", [0.2, 0.6, 1.0])
def test_the_tails_shape_is_arvizs(tail):
    ratio = np.log(stats.pareto(1 / tail).rvs(8000, random_state=np.random.default_rng(2)))
    _, k = pareto_k(ratio)
    assert k == pytest.approx(float(az.psislw(ratio)[1]), abs=0.02)
    assert k == pytest.approx(tail, abs=0.15)


def test_equal_ratios_need_no_smoothing():
    weights, k = pareto_k(np.zeros(1000))
    assert k == -np.inf
    assert not weights.any()
