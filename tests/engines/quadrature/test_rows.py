import numpy as np
import pytest
from scipy.special import gammaincc
from scipy.stats import kstest

from bayescmp.engines.quadrature import Problem, solve
from bayescmp.engines.quadrature.problem import standardise
from bayescmp.engines.quadrature.rows import draw_rows, summarise_rows
from tests.engines.quadrature.brute import log_kernel, panels
from tests.engines.quadrature.cases import simulated


def exact_density(problem, i, delta0, sigma0, nu):
    """Nodes, and weights times density, of delta_i given the parameters; weights sum to one."""
    row = (problem.xbar[i], problem.ss[i], int(problem.n[i]), problem.rho[i])
    scale = np.sqrt(row[1] / row[2] ** 2)
    x, w = panels(
        np.array([[row[0], delta0]]), np.array([[scale, sigma0]]), 1e-4, 1e5, 60, 12
    )  # fmt: skip
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


@pytest.mark.parametrize("way", WAYS)
def test_draws_of_a_row_follow_its_density(way):
    n, ss, upper, x, sigma0, nu = WAYS[way]
    problem = Problem([x, 0.0], [ss, ss], [n, n], [0.1, 0.1], 5.0, 5.0, upper)
    standard = standardise(problem)
    m = 8000
    given = (np.zeros(m), np.full(m, sigma0 / standard.scale), np.full(m, nu))
    delta, sigma = draw_rows(standard, *given, np.random.default_rng(5))
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


@pytest.mark.parametrize("way", WAYS)
def test_summary_given_parameters_is_exact(way):
    n, ss, upper, x, sigma0, nu = WAYS[way]
    problem = Problem([x, 0.0], [ss, ss], [n, n], [0.1, 0.1], 5.0, 5.0, upper)
    standard = standardise(problem)
    low, high = 0.05, 0.37
    rope = np.sort(standard.sign * np.array([low, high])) / standard.scale
    given = (np.zeros(1), np.array([sigma0 / standard.scale]), np.array([nu]))
    result = summarise_rows(standard, *given, tuple(rope))
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
    np.testing.assert_allclose(summary.p.sum(1), 1, atol=1e-12)
    # shrinkage: every mean lies between its own data and the centre, in the order given
    centre = posterior.mean("delta0")
    share = (summary.mean - centre) / (problem.xbar - centre)
    assert np.median(share) < 1
    assert np.corrcoef(summary.mean, problem.xbar)[0, 1] > 0.8
    se = np.sqrt(problem.ss / 99) * np.sqrt(1 / 100 + 0.1 / 0.9)
    assert np.all(np.abs(summary.mean - problem.xbar) < 5 * se)
