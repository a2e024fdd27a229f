import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln, loggamma
from scipy.stats import cauchy, norm

from bayescmp.engines.quadrature import Problem
from bayescmp.engines.quadrature.kernel import (
    between_grid,
    common_nodes,
    log_likelihood,
    log_likelihood_common,
    mixing_nodes,
    trapezoid_step,
    within_rules,
)
from bayescmp.engines.quadrature.problem import standardise
from tests.engines.quadrature.brute import log_kernel, row_integral
from tests.rows import each_row


@each_row("shape", [0.5, 2.0, 10.0, 50.0])
@each_row("tolerance", [1e-3, 1e-6])
def test_trapezoid_step_has_the_promised_error(shape, tolerance):
    h = trapezoid_step(shape, tolerance)
    worst = 0.0
    for shift in np.linspace(0, 1, 41):
        x = h * (np.arange(-4000, 4000) + shift)
        x = x[(x > -80 / shape) & (x < 6.5)]
        total = h * np.exp(shape * x - np.exp(x) - gammaln(shape)).sum()
        worst = max(worst, abs(total - 1))
    assert worst == pytest.approx(tolerance, rel=0.05)
    exact = 2 * np.exp(loggamma(shape + 2j * np.pi / h).real - gammaln(shape))
    assert exact == pytest.approx(tolerance, rel=0.02)


def one_row(n, sigma_upper=50.0, rho=0.1, ss=0.7):
    return Problem([0.3, 0.3], [ss, ss], [n, n], [rho, rho], 5.0, 5.0, sigma_upper)


@each_row(
    ("n", "sigma_upper"),
    [
        (2, 50.0),
        (2, 0.4),
        (3, 50.0),
        (4, 2.0),
        (5, 50.0),
        (8, 0.2),
        (10, 50.0),
        (30, 0.12),
        (100, 50.0),
        (100, 0.07),
        (1000, 50.0),
    ],
)
def test_mixture_is_the_kernel_with_sigma_integrated_out(n, sigma_upper):
    """Against the direct integral over sigma, to ten nats below the maximum."""
    problem = one_row(n, sigma_upper)
    standard = standardise(problem)
    rule = within_rules(standard, 1e-6, 15.0)[0]
    width = np.sqrt(problem.ss[0] * (1 + (n - 1) * 0.1) / (n * (n - 1) * 0.9))
    delta = 0.3 + width * np.concatenate([[0], np.geomspace(0.1, 30, 12)])
    exact = log_kernel(delta, 0.3, problem.ss[0], n, 0.1, sigma_upper)
    exact = exact - exact[0]
    z = standard.sign * delta[:, None] / standard.scale - rule.xbar[0]
    mixture = norm.pdf(z, scale=np.sqrt(rule.variance[0])) @ rule.weight[0]
    actual = np.log(np.maximum(mixture / mixture[0], 1e-300))
    seen = exact > -10
    assert seen.sum() >= 5
    np.testing.assert_allclose(actual[seen], exact[seen], atol=3e-5)


@each_row("ss", [1e-2, 1e-6, 1e-10, 1e-14])
def test_the_kernel_of_three_folds_is_a_cauchy_however_far_away(ss):
    """With little noise against the distance: its tail is what ties such a row to the others."""
    problem = Problem([0.3, 1.3], [ss, 1.0], [3, 3], [0.0, 0.0], 5.0, 5.0, 1e6)
    standard = standardise(problem)
    (row,) = np.flatnonzero(standard.s == standard.s.min())
    for rule in within_rules(standard, 1e-5, 13.0):
        if not np.any(same := rule.xbar == standard.xbar[row]):
            continue
        z = np.append(0, np.geomspace(standard.s[row], 2 * standard.delta0_bound, 20))
        v, w = rule.variance[same][0], rule.weight[same][0]
        mixture = norm.pdf(z[:, None], scale=np.sqrt(v)) @ w
        exact = cauchy.pdf(z, scale=standard.s[row])
        np.testing.assert_allclose(mixture / mixture[0], exact / exact[0], rtol=1e-4)


def test_log_kernel_of_the_tests_is_the_integral_over_sigma():
    """The formula that the tests rest on, against scipy.integrate.quad."""
    for n, upper in ((2, 0.4), (3, 1.0), (10, 0.2)):
        problem = one_row(n, upper)

        def direct(delta, n=n, upper=upper, ss=problem.ss[0]):
            A = ss / 0.9 + n * (delta - 0.3) ** 2 / (1 + (n - 1) * 0.1)
            return quad(lambda s: s**-n * np.exp(-A / (2 * s * s)), 0, upper, epsabs=0)[0]

        ratio = np.log(direct(0.5) / direct(0.3))
        delta = np.array([0.5, 0.3])
        value = log_kernel(delta, 0.3, problem.ss[0], n, 0.1, upper)
        assert value[0] - value[1] == pytest.approx(ratio, abs=1e-7)


@each_row("n", [2, 3, 4, 5, 10, 100, 1000])
def test_row_integral_against_composite_gauss(n):
    """sum_j W_j H against direct integration over delta, up to a constant of the rows."""
    problem = one_row(n)
    standard = standardise(problem)
    rules = within_rules(standard, 1e-6, 15.0)
    s = standard.s.min()
    sigma0 = s * np.array([1e-3, 0.03, 0.5, 3.0, 60.0])
    nu = np.array([0.3, 1.0, 3.0, 30.0, 300.0, 2000.0])
    delta0 = standard.xbar[0] + s * np.array([0.0, 0.7, 2.5, 5.0])
    between = between_grid(
        (sigma0[0], sigma0[-1]), (nu[0], nu[-1]), floor=1e-3 * s, reach=10 * s, tolerance=1e-6
    )
    actual = log_likelihood(rules, mixing_nodes(between, sigma0, nu), delta0).reshape(4, 5, 6)
    original = standard.sign * standard.scale * delta0
    exact = np.stack(
        [np.log(row_integral(problem, 0, original, standard.scale * x, nu)) for x in sigma0],
        axis=1,
    )
    difference = actual / 2 - exact  # two equal rows
    assert np.ptp(difference) < 2e-4


def test_rows_may_differ_in_n_and_rho():
    """The sum over ragged rows is the sum of the rows, each alone."""
    n, rho, ss = [2, 5, 17, 300], [0.0, 0.1, 0.3, 0.5], [0.01, 0.2, 0.4, 3.0]
    x = [0.1, -0.2, 0.05, 0.3]
    problem = Problem(x, ss, n, rho, 2.0, 3.0, 40.0)
    standard = standardise(problem)
    sigma0, nu = np.array([0.1, 1.0]), np.array([1.5, 20.0])
    delta0 = np.array([-0.4, 0.0, 1.1])
    between = between_grid((0.1, 1.0), (1.5, 20.0), floor=1e-3, reach=5.0, tolerance=1e-6)
    rules, nodes = within_rules(standard, 1e-6, 15.0), mixing_nodes(between, sigma0, nu)
    actual = log_likelihood(rules, nodes, delta0).reshape(3, 2, 2)
    exact = np.zeros_like(actual)
    for i in range(4):
        original = standard.sign * standard.scale * delta0
        for k, s in enumerate(sigma0):
            exact[:, k] += np.log(row_integral(problem, i, original, standard.scale * s, nu))
    assert np.ptp(actual - exact) < 1e-4


def test_common_nodes_against_composite_gauss():
    """Rows of other n, rho and width, some of them far from delta0."""
    n, rho, ss = [5, 10, 100, 1000], [0.2, 0.1, 0.3, 0.1], [0.05, 0.4, 3.0, 60.0]
    problem = Problem([0.1, -0.4, 0.05, 0.5], ss, n, rho, 2.0, 30.0, 1000.0)
    standard = standardise(problem)
    s = standard.s.min()
    sigma0, nu = s * np.array([0.05, 0.3, 3.0, 20.0]), np.array([1.0, 4.0, 100.0])
    delta0 = standard.xbar[1] + s * np.array([-3.0, 0.0, 2.5])
    nodes = common_nodes(standard, delta0, sigma0, nu, floor=0.01 * s, tolerance=1e-5)
    actual = log_likelihood_common(standard, nodes, delta0).reshape(3, 4, 3)
    exact = np.zeros_like(actual)
    original = standard.sign * standard.scale * delta0
    for i in range(4):
        for k, x in enumerate(standard.scale * sigma0):
            exact[:, k] += np.log(row_integral(problem, i, original, x, nu))
    assert np.ptp(actual - exact) < 3e-4
    rules = within_rules(standard, 1e-6, 15.0)
    between = between_grid(
        (sigma0[0], sigma0[-1]), (1.0, 100.0), floor=1e-3 * s, reach=30 * s, tolerance=1e-6
    )
    mixtures = log_likelihood(rules, mixing_nodes(between, sigma0, nu), delta0).reshape(3, 4, 3)
    assert actual[:, 2:] == pytest.approx(mixtures[:, 2:], abs=3e-4)  # with the constants


@each_row(
    ("n", "ss", "sigma_upper", "floor"),
    [(4, 0.7, 50.0, 0.05), (5, 0.7, 0.3, 0.05), (50, 1e-9, 50.0, 0.05), (50, 0.7, 50.0, 0.2)],
    ids=["few folds", "bound", "a narrow row", "narrow t"],
)
def test_common_nodes_are_left_to_the_mixtures(n, ss, sigma_upper, floor):
    problem = Problem([0.3, 0.9], [0.7, ss], [n, n], [0.1, 0.1], 5.0, 5.0, sigma_upper)
    standard = standardise(problem)
    axes = np.array([-0.1, 0.5]), np.array([0.1, 1.0]), np.array([2.0, 9.0])
    assert common_nodes(standard, *axes, floor=floor, tolerance=1e-5) is None
    wide = standardise(Problem([0.3, 0.9], [0.7, 0.7], [50, 50], [0.1, 0.1], 5.0, 5.0, 50.0))
    assert common_nodes(wide, *axes, floor=0.05, tolerance=1e-5) is not None
