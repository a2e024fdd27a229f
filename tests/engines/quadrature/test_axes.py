""""""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.special import roots_legendre
from scipy.stats import gamma

from bayescmp.engines.quadrature.axes import (
    Hermite,
    equidistribute,
    extend,
    gauss_rule,
    information_delta0,
    information_sigma0,
    monotone_cubic,
    nu_grid,
    refinement,
)
from bayescmp.engines.quadrature.problem import NuPrior, standardise
from tests.engines.quadrature.brute import nu_prior_density
from tests.engines.quadrature.cases import simulated

RNG = np.random.default_rng(3)
KNOTS = np.cumsum(RNG.exponential(size=200))
#: Inside, on the knots, and beyond both ends.
AT = np.concatenate([KNOTS, RNG.uniform(KNOTS[0] - 1, KNOTS[-1] + 1, 2000)])
VALUES = {
    "increasing": np.cumsum(RNG.exponential(size=200)),
    "restless": RNG.normal(size=200),
    "steps": np.repeat(RNG.normal(size=50), 4),
    "constant": np.full(200, 0.5),
}


def test_hermite_is_scipys():
    slope = RNG.normal(size=200)
    ours = Hermite(KNOTS, VALUES["restless"], slope)
    theirs = CubicHermiteSpline(KNOTS, VALUES["restless"], slope)
    assert np.array_equal(ours(AT), theirs(AT))
    assert np.array_equal(ours.derivative(AT), theirs(AT, 1))
    assert np.array_equal(ours.both(AT), [theirs(AT), theirs(AT, 1)])


@pytest.mark.parametrize("name", VALUES)
def test_monotone_cubic_is_scipys(name):
    y = VALUES[name]
    assert np.array_equal(monotone_cubic(KNOTS, y)(AT), PchipInterpolator(KNOTS, y)(AT))


@pytest.mark.parametrize(
    "y", [[0, 1], [1, 1], [0, 1, 1.5], [0, 1, -5], [0, 5, 4], [0, -1, -1], [2, 2, 9]]
)
def test_few_knots_and_turns_at_the_ends(y):
    x, y = np.array([0.0, 1.0, 1.5])[: len(y)], np.array(y, dtype=float)
    at = np.linspace(x[0], x[-1], 31)
    assert np.array_equal(monotone_cubic(x, y)(at), PchipInterpolator(x, y)(at))


def test_inverse_of_an_increasing_function():
    knots = np.linspace(0, 10, 101)
    forward = Hermite(knots, np.exp(knots / 2), np.exp(knots / 2) / 2)
    x = np.sort(np.concatenate([knots, RNG.uniform(0, 10, 2000)]))
    np.testing.assert_allclose(forward.inverse(forward(x)), x, atol=1e-12)
    np.testing.assert_allclose(forward.inverse(np.array([0.0, 200.0])), [0, 10], rtol=1e-14)


@pytest.mark.parametrize("parts", [1, 4])
def test_split_is_the_function_at_equal_parts(parts):
    f = monotone_cubic(KNOTS, VALUES["restless"])
    share = np.arange(len(KNOTS[1:]) * parts + 1) / parts
    at = np.interp(share, np.arange(len(KNOTS)), KNOTS)
    np.testing.assert_allclose(f.split(parts), f(at), atol=1e-12)


def test_axis_of_a_known_density():
    """density 1 / (1 + x^2)^(1/2) has the coordinate asinh x."""
    axis = equidistribute(lambda x: 1 / np.sqrt(1 + x * x), np.linspace(-40, 40, 9))
    x = np.linspace(-39, 39, 101)
    k = axis.coordinate(x)
    np.testing.assert_allclose(k - k[50], np.arcsinh(x), atol=0.01)
    np.testing.assert_allclose(axis.at(k), x, atol=1e-9)
    h = 1e-5
    slope = (axis.at(k + h) - axis.at(k - h)) / (2 * h)
    np.testing.assert_allclose(axis.jacobian(k), slope, rtol=1e-5)


def test_coordinate_clips_to_the_axis():
    axis = equidistribute(lambda x: np.ones_like(x), np.linspace(0, 3, 4))
    np.testing.assert_allclose(axis.coordinate(np.array([-5.0, 9.0])), [0.0, 3.0])


def test_information_bounds_the_observed_one_of_normal_rows():
    """For normal rows, -d2/dx2 of the log-likelihood has the bound as its expectation."""
    standard = standardise(simulated("sim54"))
    sigma0 = np.array([3.0])
    v = sigma0[0] ** 2 + standard.s**2
    exact = np.sqrt(np.sum(2 * sigma0**2 / v**2))  # Fisher information about sigma0
    bound = information_sigma0(standard, False)(sigma0)[0]
    assert exact <= bound < 1.1 * exact
    density = information_delta0(standard, np.array([0.0]), sigma0)(np.array([0.0]))[0]
    spread = v + standard.xbar**2
    assert density == pytest.approx(np.sqrt(np.sum(1 / spread)), rel=1e-12)


@pytest.mark.parametrize("degree", [3, 5])
def test_refinement_reproduces_polynomials(degree):
    matrix = refinement(12, 4, False, degree)
    fine = (np.arange(44) + 0.5) / 4
    for power in range(degree + 1):
        np.testing.assert_allclose(
            matrix @ np.arange(12.0) ** power, fine**power, rtol=1e-9, atol=1e-9
        )


def test_refinement_of_an_even_function():
    matrix = refinement(10, 3, True)
    fine = (np.arange(27) + 0.5) / 3
    np.testing.assert_allclose(matrix @ np.arange(10.0) ** 4, fine**4, atol=1e-9)
    plain = refinement(10, 3, False)
    smooth = np.cos(np.arange(10.0))
    error = [np.abs(m @ smooth - np.cos(fine))[:3].max() for m in (matrix, plain)]
    assert error[0] < error[1]


def test_steep_corner_stays_local():
    """A kink moves the interpolant only within a stencil: a spline would ring further."""
    values = np.zeros(30)
    values[:8] = -100 * (8 - np.arange(8))
    fine = refinement(30, 4) @ values
    assert np.all(fine[(8 + 3) * 4 :] == 0)


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


def test_extend_is_linear_outside_and_bounded_above():
    x = np.linspace(0, 1, 8)
    at = np.array([-2.0, -0.1, 0.5, 1.1, 9.0])
    value = extend(x, 3 * x, at)
    np.testing.assert_allclose(value, [-6.0, -0.3, 1.5, 3.3, 5.0], atol=1e-9)
