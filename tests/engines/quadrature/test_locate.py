"""Where the posterior is: the box holds it, and singular likelihoods are recognised."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from bayescmp.engines.quadrature import Settings, solve
from bayescmp.engines.quadrature.locate import (
    Hermite,
    equidistribute,
    extend,
    information_delta0,
    information_sigma0,
    locate,
    monotone_cubic,
    nu_rule,
    sigma0_axis,
)
from bayescmp.engines.quadrature.problem import NuPrior, nu_grid, standardise
from tests.engines.quadrature.cases import SLOW, simulated, solved
from tests.engines.quadrature.random_problems import random_problem
from tests.rows import each_row


@each_row("name", ["sim5", "sim54", "n5"])
def test_the_box_holds_the_posterior(name):
    """Marginals of a slow, wider run leave no more than 1e-4 outside."""
    standard = standardise(simulated(name))
    box = locate(standard, Settings())
    refined = solved(name, SLOW)
    ends = np.sort(np.array(box.delta0) * standard.sign * standard.scale)
    outside = (
        refined.marginal("delta0").cdf(ends[:1])[0]
        + 1
        - refined.marginal("delta0").cdf(ends[1:])[0]
    )
    assert outside < 1e-4
    top = box.axis_sigma0.parameter(np.array([box.k_sigma0[1]])) * standard.scale
    assert 1 - refined.marginal("sigma0").cdf(top)[0] < 1e-4


def test_a_likelihood_with_few_folds_is_singular_at_zero_and_a_plain_one_is_not():
    assert locate(standardise(simulated("n5")), Settings()).singular
    assert not locate(standardise(simulated("sim54")), Settings()).singular


def test_the_coordinate_of_sigma0_covers_its_prior():
    standard = standardise(simulated("sim5"))
    axis = sigma0_axis(standard, singular=False)
    k = np.linspace(0, axis.knots[-1], 200)
    sigma0 = axis.parameter(k)
    assert sigma0[0] == 0
    assert sigma0[-1] == pytest.approx(standard.sigma0_upper)
    assert np.all(np.diff(sigma0) > 0)


def test_the_rule_in_nu_integrates_the_prior():
    """Moments of xi under the prior, through any pilot, against sums over the fine grid."""
    for slope in [0.0, 3.0, -8.0]:
        grid = nu_grid(NuPrior((0.5, 5.0), (0.05, 0.15), 1.0))
        xi, weight, log_pilot = nu_rule(grid, slope * grid.xi, 14)
        assert np.all(np.diff(xi) > 0)
        factor = weight / np.exp(log_pilot)
        for power in (1, 2, 3):
            exact = grid.mass @ grid.xi**power / grid.mass.sum()
            assert factor @ xi**power / factor.sum() == pytest.approx(exact, rel=2e-3)


def test_an_empty_zero_is_left_out_of_the_box():
    """Outliers make the likelihood singular at sigma0 = 0, next to which nothing interpolates."""
    problem, _ = random_problem(2073)
    box = locate(standardise(problem), Settings())
    assert not box.singular
    assert box.k_sigma0[0] > 0
    assert solve(problem).certificate().sd_log_ratio < 0.05


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


def test_monotone_cubic_is_scipys():
    for name in VALUES:
        y = VALUES[name]
        assert np.array_equal(monotone_cubic(KNOTS, y)(AT), PchipInterpolator(KNOTS, y)(AT))


def test_few_knots_and_turns_at_the_ends():
    for y in [[0, 1], [0, -1, -1], [2, 2, 9]]:
        x, y = np.array([0.0, 1.0, 1.5])[: len(y)], np.array(y, dtype=float)
        at = np.linspace(x[0], x[-1], 31)
        assert np.array_equal(monotone_cubic(x, y)(at), PchipInterpolator(x, y)(at))


def test_inverse_of_an_increasing_function():
    knots = np.linspace(0, 10, 101)
    forward = Hermite(knots, np.exp(knots / 2), np.exp(knots / 2) / 2)
    x = np.sort(np.concatenate([knots, RNG.uniform(0, 10, 2000)]))
    np.testing.assert_allclose(forward.inverse(forward(x)), x, atol=1e-12)
    np.testing.assert_allclose(forward.inverse(np.array([0.0, 200.0])), [0, 10], rtol=1e-14)


def test_split_is_the_function_at_equal_parts():
    for parts in [1, 4]:
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
    np.testing.assert_allclose(axis.parameter(k), x, atol=1e-9)
    h = 1e-5
    slope = (axis.parameter(k + h) - axis.parameter(k - h)) / (2 * h)
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


def test_extend_is_linear_outside_and_bounded_above():
    x = np.linspace(0, 1, 8)
    at = np.array([-2.0, -0.1, 0.5, 1.1, 9.0])
    value = extend(x, 3 * x, at)
    np.testing.assert_allclose(value, [-6.0, -0.3, 1.5, 3.3, 5.0], atol=1e-9)
