import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator
from scipy.special import roots_legendre
from scipy.stats import gamma

from bayescmp.engines.quadrature.degrees import barycentric, extend, gauss_rule, nu_grid
from bayescmp.engines.quadrature.problem import NuPrior
from tests.engines.quadrature.brute import nu_prior_density


@pytest.mark.parametrize("alpha", [(0.5, 5.0), (1.0, 2.0), (2.0, 2.0)])
@pytest.mark.parametrize("beta", [(0.05, 0.15), (0.01, 0.1), (0.1, 0.1)])
def test_prior_of_nu_with_its_hyperparameters_integrated_out(alpha, beta):
    grid = nu_grid(NuPrior(alpha, beta, 1.0))
    density = grid.mass / (np.exp(grid.log_x) * (grid.log_x[1] - grid.log_x[0]))
    x = grid.nu - 1
    middle = (x > 1e-4) & (grid.mass > 1e-9)
    exact = nu_prior_density(x[middle], alpha, beta)
    np.testing.assert_allclose(density[middle], exact, rtol=2e-4)


@pytest.mark.parametrize(("a", "b"), [(2.0, 0.1), (1.0, 1 / 29), (60.0, 3.0)])
def test_fixed_gamma(a, b):
    grid = nu_grid(NuPrior((a, a), (b, b), 0.0))
    half = (grid.log_x[1] - grid.log_x[0]) / 2
    cdf = gamma.cdf(grid.nu * np.exp(half), a, scale=1 / b)
    np.testing.assert_allclose(np.cumsum(grid.mass), cdf, atol=2e-4)


def test_nearly_fixed_bounds_do_not_cancel():
    wide = nu_grid(NuPrior((2.0, 2.0), (0.1 - 1e-7, 0.1 + 1e-7), 0.0))
    fixed = nu_grid(NuPrior((2.0, 2.0), (0.1, 0.1), 0.0))
    np.testing.assert_allclose(np.cumsum(wide.mass), np.cumsum(fixed.mass), atol=1e-5)


def test_gauss_rule_of_a_fine_uniform_measure_is_gauss_legendre():
    x = (np.arange(20_000) + 0.5) / 10_000 - 1
    nodes, weights = gauss_rule(x, np.ones_like(x), 8)
    exact_nodes, exact_weights = roots_legendre(8)  # scipy 1.17
    np.testing.assert_allclose(nodes, exact_nodes, atol=1e-6)
    np.testing.assert_allclose(2 * weights, exact_weights, atol=1e-6)


def test_gauss_rule_is_exact_to_degree_27():
    rng = np.random.default_rng(3)
    x, mass = np.sort(rng.random(700)), rng.gamma(0.3, size=700)
    nodes, weights = gauss_rule(x, mass, 14)
    moments = [(weights @ nodes**k, mass @ x**k / mass.sum()) for k in range(28)]
    np.testing.assert_allclose(*zip(*moments, strict=True), rtol=1e-11)


def test_gauss_rule_of_few_points_stops_early():
    nodes, weights = gauss_rule(np.array([0.2, 0.7]), np.array([1.0, 3.0]), 6)
    np.testing.assert_allclose(nodes, [0.2, 0.7])
    np.testing.assert_allclose(weights, [0.25, 0.75])


@pytest.mark.parametrize("smooth", [True, False])
def test_extend_is_linear_outside_and_bounded_above(smooth):
    x = np.linspace(0, 1, 8)
    at = np.array([-2.0, -0.1, 0.5, 1.1, 9.0])
    value = extend(x, 3 * x, at, smooth=smooth)
    np.testing.assert_allclose(value, [-6.0, -0.3, 1.5, 3.3, 5.0], atol=1e-9)


def test_barycentric_against_scipy():
    """scipy.interpolate.BarycentricInterpolator, scipy 1.17; at the nodes the values."""
    rng = np.random.default_rng(0)
    x, _ = gauss_rule(np.linspace(0, 1, 500), rng.gamma(1.0, size=500), 14)
    y, at = np.exp(-3 * x), np.append(np.linspace(x[0], x[-1], 50), x[3])
    exact = BarycentricInterpolator(x, y)(at)
    np.testing.assert_allclose(barycentric(x, y, at), exact, rtol=1e-9)
    assert barycentric(x, y, x[3:4])[0] == y[3]
