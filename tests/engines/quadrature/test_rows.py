""""""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaincc
from scipy.stats import kstest
from scipy.stats import t as student_t

from bayescmp.engines.quadrature import Problem, solve
from bayescmp.engines.quadrature.kernel import (
    between_grid,
    log_likelihood,
    mixing_nodes,
    within_rules,
)
from bayescmp.engines.quadrature.problem import standardise
from bayescmp.engines.quadrature.rows import (
    bound_is_felt,
    draw_rows,
    log_product,
    log_t_constant,
    product_chunks,
    row_log_likelihoods,
    summarise_rows,
    two_centre,
)
from tests.engines.quadrature.brute import log_kernel, panels
from tests.engines.quadrature.cases import simulated
from tests.rows import each_row


@each_row("distance", [-40.0, 0.0, 3.0])
@each_row(("s", "sigma0"), [(1.0, 1.0), (0.05, 7.0), (3.0, 1e-3)])
def test_it_solves_its_equation(distance, s, sigma0):
    t = np.linspace(-12, 12, 49)
    u = two_centre(t, np.array(distance), np.array(s), np.array(sigma0))
    assert np.all(np.diff(u) > 0)
    back = np.arcsinh((u - distance) / s) + np.arcsinh(u / sigma0)
    np.testing.assert_allclose(back, t, atol=1e-8)


def test_the_constant_is_that_of_the_t():
    exact = student_t.logpdf(0, 3.5, scale=0.2)
    assert log_t_constant(np.array(0.2), np.array(3.5)) == pytest.approx(exact, rel=1e-12)


@each_row("sigma_upper", [1e5, 0.12])
def test_integrals_of_rows_are_those_of_quad(sigma_upper):
    """SciPy's quad of the same product, written with scipy.stats."""
    problem = Problem([0.3, 0.1], [0.7, 0.2], [10, 6], [0.1, 0.1], 5.0, 5.0, sigma_upper)
    standard = standardise(problem)
    row = np.array([0, 0, 1])
    delta0, sigma0, nu = np.array([[0.5, 2.0, -1.0], [1.0, 0.1, 4.0], [2.0, 30.0, 0.7]])
    felt = bound_is_felt(standard)
    assert felt == (sigma_upper < 1)
    totals = np.exp(log_t_constant(sigma0, nu))
    for product in product_chunks(standard, row, (delta0, sigma0, nu), 0.05):
        totals[product.part] *= product.weight.sum(1) * np.exp(product.log_scale[:, 0])
    for i in range(3):
        n, a, b, x = (v[row[i]] for v in (standard.n, standard.a, standard.b, standard.xbar))

        def integrand(delta, i=i, n=n, a=a, b=b, x=x):
            kernel = log_product(
                np.array(delta - delta0[i]),
                np.array(x - delta0[i]),
                (n, a, b),
                np.array(np.inf),
                np.array(1.0),
                standard.sigma_upper if felt else None,
            )
            return np.exp(kernel) * student_t.pdf(delta, nu[i], delta0[i], sigma0[i])

        points = np.sort([delta0[i], x])
        parts = [-np.inf, points[0] - 5, *points, points[1] + 5, np.inf]
        exact = sum(
            quad(integrand, lo, hi, epsabs=0, epsrel=1e-9, limit=200)[0]
            for lo, hi in itertools.pairwise(parts)
        )
        assert totals[i] == pytest.approx(exact, rel=1e-6)


def test_both_quadratures_agree_up_to_a_constant():
    problem = Problem(
        xbar=[0.1, -0.2, 0.4],
        ss=[1.0, 2.0, 3.0],
        n=[5, 6, 7],
        rho=[0.1, 0.2, 0.3],
        delta0_bound=5,
        sigma0_upper=50,
        sigma_upper=100,
    )
    standard = standardise(problem)
    delta0, sigma0, nu = np.array([-0.4, 0.0, 0.7]), np.array([0.2]), np.array([4.0])
    between = between_grid((0.2, 0.2), (4.0, 4.0), floor=0.01, reach=3.0, tolerance=1e-8)
    rules, nodes = within_rules(standard, 1e-8, 22.0), mixing_nodes(between, sigma0, nu)
    direct = row_log_likelihoods(standard, (delta0, np.full(3, 0.2), np.full(3, 4.0))).sum(axis=1)
    difference = log_likelihood(rules, nodes, delta0)[:, 0] - direct
    np.testing.assert_allclose(difference, difference[0], atol=1e-5)


def exact_density(problem, i, delta0, sigma0, nu):
    """Nodes, and weights times density, of delta_i given the parameters; weights sum to one."""
    row = (problem.xbar[i], problem.ss[i], int(problem.n[i]), problem.rho[i])
    scale = np.sqrt(row[1] / row[2] ** 2)
    x, w = panels(np.array([[row[0], delta0]]), np.array([[scale, sigma0]]), 1e-4, 1e5, 60, 12)
    value = log_kernel(x, *row, problem.sigma_upper)
    value -= (nu + 1) / 2 * np.log1p(((x - delta0) / sigma0) ** 2 / nu)
    p = (np.exp(value - value.max()) * w)[0]
    return x[0], p / p.sum()


# one row for each way a draw is made: kernel narrower, t narrower, rejected to the end (an
# outlier far from a tight t), no degrees of freedom, the bound on sigma_i felt
WAYS = {
    "kernel": (100, 0.05, 50.0, 0.4, 0.3, 5.0),
    "t": (100, 0.05, 50.0, 0.4, 0.001, 5.0),
    "outlier": (30, 0.05, 50.0, 0.9, 0.02, 3.0),
    "two_folds": (2, 0.05, 1.0, 0.4, 0.3, 4.0),
    "two_folds_tight_t": (2, 0.05, 1.0, 0.4, 0.01, 4.0),
    "bound": (10, 0.5, 0.15, 0.4, 0.3, 4.0),
}


@each_row("way", WAYS)
def test_draws_of_a_row_follow_its_density(way):
    n, ss, upper, x, sigma0, nu = WAYS[way]
    problem = Problem([x, 0.0], [ss, ss], [n, n], [0.1, 0.1], 5.0, 5.0, upper)
    standard = standardise(problem)
    m = 8000
    given = (np.zeros(m), np.full(m, sigma0 / standard.scale), np.full(m, nu))
    delta, sigma = draw_rows(standard, given, np.random.default_rng(5))
    column = int(np.flatnonzero(standard.order == 0)[0])
    draws = standard.sign * standard.scale * delta[:, column]
    nodes, weight = exact_density(problem, 0, 0.0, sigma0, nu)
    cdf = np.cumsum(weight)
    assert kstest(draws, lambda v: np.interp(v, nodes, cdf)).pvalue > 1e-3
    # sigma_i: A / sigma^2 is chi-square with n - 1 d.o.f. above A / upper^2
    A = problem.ss[0] / 0.9 + n * (draws - x) ** 2 / (1 + (n - 1) * 0.1)
    s = standard.scale * sigma[:, column]
    assert s.max() <= upper * (1 + 1e-9)
    u = gammaincc((n - 1) / 2, A / (2 * s**2)) / gammaincc((n - 1) / 2, A / (2 * upper**2))
    assert kstest(np.clip(u, 0, 1), "uniform").pvalue > 1e-3


@each_row("way", WAYS)
def test_summary_given_parameters_is_exact(way):
    n, ss, upper, x, sigma0, nu = WAYS[way]
    problem = Problem([x, 0.0], [ss, ss], [n, n], [0.1, 0.1], 5.0, 5.0, upper)
    standard = standardise(problem)
    low, high = 0.05, 0.37
    rope = np.sort(standard.sign * np.array([low, high])) / standard.scale
    given = (np.zeros(1), np.array([sigma0 / standard.scale]), np.array([nu]))
    result = summarise_rows(standard, given, tuple(rope))
    column = int(np.flatnonzero(standard.order == 0)[0])
    nodes, weight = exact_density(problem, 0, 0.0, sigma0, nu)
    mean = weight @ nodes
    sd = np.sqrt(weight @ (nodes - mean) ** 2)
    assert standard.sign * standard.scale * result.mean[column] == pytest.approx(
        mean, abs=2e-4 * sd
    )
    assert standard.scale * result.sd[column] == pytest.approx(sd, rel=2e-3)
    exact = [weight[nodes < low].sum(), 0, weight[nodes > high].sum()]
    exact[1] = 1 - exact[0] - exact[2]
    p = result.p[column][:: int(standard.sign)]
    np.testing.assert_allclose(p, exact, atol=2e-3)
    ends = (standard.sign * standard.scale * result.interval[column])[:: int(standard.sign)]
    below = np.interp(ends, nodes, np.cumsum(weight) - weight / 2)
    np.testing.assert_allclose(below, [0.025, 0.975], atol=1e-3)


def test_datasets_agree_with_draws_and_keep_the_order_of_rows():
    problem = simulated("sim54")
    posterior = solve(problem)
    summary = posterior.datasets(-0.01, 0.01)
    draws = posterior.draws(10_000, 4)
    own = posterior.draw_datasets(draws, 5)
    assert own["delta"].shape == own["sigma"].shape == (10_000, 54)
    z = (own["delta"].mean(0) - summary.mean) / (summary.sd / 100)
    assert np.abs(z).max() < 5
    np.testing.assert_allclose(own["delta"].std(0), summary.sd, rtol=0.06)
    left = (own["delta"] < -0.01).mean(0)
    np.testing.assert_allclose(left, summary.p[:, 0], atol=0.025)
    for side, bound in zip((-1, 1), summary.interval.T, strict=True):
        beyond = (side * own["delta"] > side * bound).mean(0)
        np.testing.assert_allclose(beyond, 0.025, atol=0.006)
    np.testing.assert_allclose(summary.p.sum(1), 1, atol=1e-12)
    # shrinkage: every mean lies between its own data and the centre, in the order given
    centre = posterior.marginal("delta0").mean
    share = (summary.mean - centre) / (problem.xbar - centre)
    assert np.median(share) < 1
    assert np.corrcoef(summary.mean, problem.xbar)[0, 1] > 0.8
    se = np.sqrt(problem.ss / 99) * np.sqrt(1 / 100 + 0.1 / 0.9)
    assert np.all(np.abs(summary.mean - problem.xbar) < 5 * se)


def test_summary_of_several_parameters_is_their_mean():
    """Each summary weighs alike, whatever the density of the data given its parameters."""
    problem = Problem([0.3, 0.1], [0.7, 0.2], [10, 6], [0.1, 0.1], 5.0, 5.0, 1e5)
    standard, rope = standardise(problem), (-0.2, 0.3)
    given = np.array([[0.5, 2.0, -1.0], [1.0, 0.1, 4.0], [2.0, 30.0, 0.7]])
    all_three = summarise_rows(standard, tuple(given), rope)
    alone = [summarise_rows(standard, tuple(given[:, [i]]), rope) for i in range(3)]
    np.testing.assert_allclose(all_three.p, np.mean([a.p for a in alone], axis=0), atol=1e-3)
    mean = np.mean([a.mean for a in alone], axis=0)
    np.testing.assert_allclose(all_three.mean, mean, atol=1e-3)
    square = np.mean([a.sd**2 + a.mean**2 for a in alone], axis=0)
    np.testing.assert_allclose(all_three.sd**2, square - mean**2, rtol=5e-3)


def test_nothing_is_beyond_an_infinite_bound():
    standard = standardise(Problem([0.3, 0.1], [0.7, 0.2], [10, 6], [0.1, 0.1], 5.0, 5.0, 1e5))
    given = np.zeros(1), np.ones(1), np.full(1, 3.0)
    two = summarise_rows(standard, given, (-np.inf, 0.1)).p
    three = summarise_rows(standard, given, (-0.1, 0.1)).p
    np.testing.assert_allclose(two[:, 0], 0, atol=1e-9)
    np.testing.assert_allclose(two[:, 2], three[:, 2], atol=1e-12)
