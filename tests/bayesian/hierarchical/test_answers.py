"""A density on a grid and draws of it answer the same questions alike."""

from __future__ import annotations

import arviz
import numpy as np
import pytest
from scipy import integrate, stats
from scipy.optimize import brentq
from scipy.stats import t

import bayescmp as bc
from bayescmp import load
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.answers import (
    PREDICTED,
    DrawsAnswer,
    answer_of,
    grid_probabilities,
    masses_of,
    next_interval,
    pose_for_engine,
    replicate_data,
    solve_problem,
)
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.engines import Fit, find_engine
from bayescmp.engines.base import SamplerSettings
from bayescmp.engines.quadrature import Problem, dataset_log_likelihoods
from bayescmp.scores.rope import as_rope
from tests.bayesian.hierarchical.data import by_grid, simulated
from tests.rows import each_row

RHO, FOLDS = 0.3, 4
X = np.random.default_rng(1).normal(0.01, 0.02, (5, 1)) + np.random.default_rng(2).normal(
    0, 0.02, (5, FOLDS)
)
NEW = int(arviz.__version__.split(".")[0]) >= 1


@pytest.fixture(scope="module")
def posterior():
    return hierarchical_t(X, rho=RHO, rope=0.01, engine="quadrature", seed=1)


@pytest.fixture(scope="module")
def data(posterior):
    return posterior.to_arviz()


def test_a_data_sets_likelihood_is_its_double_integral(posterior, data):
    """The multivariate normal density, averaged over δ_i and σ_i on a dense grid."""
    correlation = np.full((FOLDS, FOLDS), RHO) + (1 - RHO) * np.eye(FOLDS)
    upper = posterior.prior_bounds["sigma_upper"]
    d = {k: float(posterior.draws[k][1, 7]) for k in ("delta0", "sigma0", "nu")}
    deltas = X[2].mean() + 0.02 * np.sinh(np.linspace(-5, 5, 401))
    sigma = np.geomspace(2e-3, upper, 600)
    away = X[2] - deltas[:, None]
    square = np.einsum("di,ij,dj->d", away, np.linalg.inv(correlation), away)
    constant = ((2 * np.pi) ** FOLDS * np.linalg.det(correlation)) ** -0.5
    normal = constant * sigma**-FOLDS * np.exp(-square[:, None] / (2 * sigma**2))
    given_delta = integrate.trapezoid(normal * sigma / upper, np.log(sigma), axis=1)
    between = stats.t(d["nu"], d["delta0"], d["sigma0"]).pdf(deltas)
    whole = integrate.trapezoid(given_delta * between, deltas)
    stored = np.asarray(data["log_likelihood"]["differences"])[1, 7, 2]
    assert stored == pytest.approx(np.log(whole), abs=2e-3)


def test_the_likelihood_is_that_of_any_scale_and_order():
    problem = Problem(
        xbar=[0.1, -0.2, 0.4],
        ss=[1.0, 2.0, 3.0],
        n=[5, 6, 7],
        rho=[0.1, 0.2, 0.3],
        delta0_bound=5,
        sigma0_upper=50,
        sigma_upper=100,
    )
    turned = Problem(
        xbar=[-4.0, 2.0, -1.0],
        ss=[300.0, 200.0, 100.0],
        n=[7, 6, 5],
        rho=[0.3, 0.2, 0.1],
        delta0_bound=50,
        sigma0_upper=500,
        sigma_upper=1000,
    )
    draws = {"delta0": np.array([0.2]), "sigma0": np.array([0.4]), "nu": np.array([3.0])}
    other = {"delta0": np.array([-2.0]), "sigma0": np.array([4.0]), "nu": np.array([3.0])}
    own, mirrored = (
        dataset_log_likelihoods(p, d)[0] for p, d in ((problem, draws), (turned, other))
    )
    unit = problem.n * np.log(10)  # n differences, each in a unit ten times as small
    np.testing.assert_allclose(mirrored[::-1], own - unit, atol=1e-6)


def test_the_prior_of_nu_is_a_mixture_of_gammas(posterior, data):
    prior = pose_for_engine(posterior.problem).nu_prior
    rng = np.random.default_rng(5)
    alpha, beta = rng.uniform(*prior.alpha, 200_000), rng.uniform(*prior.beta, 200_000)
    nu = posterior.draws["nu"][0, :5]
    each = stats.gamma.pdf(nu[:, None] - prior.offset, alpha, scale=1 / beta)
    error = each.std(axis=1) / each.mean(axis=1) / np.sqrt(200_000)
    stored = np.asarray(data["log_prior"]["nu"])[0, :5]
    np.testing.assert_array_less(np.abs(stored - np.log(each.mean(axis=1))), 5 * error + 1e-3)
    drawn = np.asarray(data["prior"]["nu"]).ravel()
    assert (
        stats.kstest(
            drawn, prior.offset + stats.gamma.rvs(alpha, scale=1 / beta, random_state=6)[:100_000]
        ).pvalue
        > 1e-4
    )
    bound = posterior.prior_bounds["delta0_bound"]
    assert np.exp(np.asarray(data["log_prior"]["delta0"])).max() == pytest.approx(0.5 / bound)


def test_replicates_have_the_moments_of_the_model(posterior):
    s, m = posterior.problem.statistics, (4, 20_000)
    draws = {
        "delta0": np.full(m, 0.1),
        "sigma0": np.full(m, 0.02),
        "nu": np.full(m, 9.0),
        "sigma": np.full((*m, 5), 0.03),
    }
    mean, sd = replicate_data(draws, posterior.problem, np.random.default_rng(1))
    variance = 0.02**2 * 9 / 7 + 0.03**2 * (1 + (FOLDS - 1) * RHO) / FOLDS
    assert mean.mean() == pytest.approx(0.1, abs=5 * np.sqrt(variance / mean.size))
    assert mean.var() == pytest.approx(variance, rel=0.05)
    assert (sd**2).mean() == pytest.approx(0.03**2 * (1 - RHO), rel=0.02)
    assert s.n.tolist() == [FOLDS] * 5


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Matplotlib, to ArviZ
def test_arvizs_functions_run(data):
    loo = arviz.loo(data)
    assert int(loo.n_data_points) == len(X)
    assert np.isfinite(loo.elpd_loo if not NEW else loo.elpd)
    for name in PREDICTED:
        assert np.asarray(data["posterior_predictive"][name]).shape[-1] == len(X)
        assert np.asarray(data["observed_data"][name]).shape == (len(X),)
    if NEW:
        arviz.plot_ppc_dist(data, var_names=list(PREDICTED))
        table = arviz.psense_summary(data, var_names=["delta0", "sigma0"])
        assert {"prior", "likelihood"} <= set(table.columns)
    else:
        arviz.plot_ppc(data, num_pp_samples=20)
        for component in ("prior", "likelihood"):
            sensitivity = arviz.psens(data, component=component, var_names=["delta0", "nu"])
            assert float(sensitivity["delta0"]) >= 0


def test_what_follows_from_the_rest_is_not_saved(posterior, tmp_path):
    posterior.save(tmp_path / "posterior.npz")
    again = load(tmp_path / "posterior.npz")
    assert (tmp_path / "posterior.npz").stat().st_size < 4_000_000
    name = "differences"
    np.testing.assert_allclose(
        np.asarray(again.to_arviz()["log_likelihood"][name]),
        np.asarray(posterior.to_arviz()["log_likelihood"][name]),
        atol=1e-6,
    )


ROPE = as_rope(0.01)


def probabilities(x, **options):
    v = hierarchical_t(x, rope=0.01, engine="quadrature", seed=1, **options).verdict()
    return [v.p_left, v.p_rope, v.p_right]


@each_row("metric", ["accuracy", ""])
def test_changed_problems_are_those_of_a_fit(metric):
    x = simulated(q=7, seed=3)
    x[2] = 0.01  # constant: its resolution is known
    x[4] *= 3  # the largest difference, which bounds δ0 of an unbounded metric

    def of(rows, rho):
        return bc.Differences(rows, rho=rho, metric=metric, resolution=0.005)

    post = hierarchical_t(of(x, 0.1), rope=0.01, engine="quadrature", seed=1)
    prior, other = post.prior, HierarchicalPrior.benavoli2017()
    assert grid_probabilities(post.problem, ROPE) == pytest.approx(probabilities(of(x, 0.1)))
    for i in (2, 4):
        got = grid_probabilities(post.problem.change_assumptions(prior, without=i), ROPE)
        wanted = probabilities(of(np.delete(x, i, axis=0), 0.1))
        assert got == pytest.approx(wanted, abs=1e-9)
    got = grid_probabilities(post.problem.change_assumptions(prior, rho=0.3), ROPE)
    assert got == pytest.approx(probabilities(of(x, 0.3)), abs=1e-9)
    got = grid_probabilities(post.problem.change_assumptions(other), ROPE)
    assert got == pytest.approx(probabilities(of(x, 0.1), prior=other), abs=1e-9)


def test_the_solution_is_on_the_problems_scale():
    post = hierarchical_t(simulated(q=5, seed=1), rho=0.1, rope=0.01, engine="quadrature")
    grid = solve_problem(post.problem)
    assert grid.marginal("delta0").mean * post.problem.scale == pytest.approx(
        post.summary().loc["delta0", "mean"]
    )


def test_saved_problems_can_be_changed(tmp_path):
    post = hierarchical_t(simulated(q=5, seed=1), rho=0.1, rope=0.01, engine="quadrature")
    post.save(tmp_path / "post.npz")
    again = bc.load(tmp_path / "post.npz")
    for changed in ({"without": 1}, {"rho": 0.2}):
        a, b = (
            grid_probabilities(p.problem.change_assumptions(p.prior, **changed), ROPE)
            for p in (post, again)
        )
        assert a == pytest.approx(b, abs=1e-9)


def _upper(seed: int, spread: float, least_nu: float) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "delta0": 3 + rng.normal(0, 0.1, (4, 500)),
        "sigma0": 0.2 * np.exp(rng.normal(0, spread, (4, 500))),
        "nu": least_nu + rng.gamma(0.7, 20, (4, 500)),
    }


@each_row(
    ("spread", "least_nu"), [(0.1, 2.0), (1.5, 1.0), (6.0, 0.4)], ids=["narrow", "wide", "wild"]
)
def test_ends_are_quantiles_of_the_mixture(spread, least_nu):
    upper = _upper(2, spread, least_nu)
    nu, delta0, sigma0 = (upper[k].ravel() for k in ("nu", "delta0", "sigma0"))
    for end, p in zip(next_interval(upper), (0.025, 0.975), strict=True):
        each = t.ppf(p, nu, delta0, sigma0)
        exact = brentq(
            lambda x, p=p: t.cdf(x, nu, delta0, sigma0).mean() - p,
            each.min(),
            each.max(),
            xtol=1e-300,
            rtol=1e-14,
        )
        assert end == pytest.approx(exact, rel=1e-8)


def test_one_draw_is_a_single_student():
    upper = {"delta0": np.array([[0.1]]), "sigma0": np.array([[1e-9]]), "nu": np.array([[3.0]])}
    expected = t.ppf([0.05, 0.95], 3, 0.1, 1e-9)
    assert np.array(next_interval(upper, 0.9)) - 0.1 == pytest.approx(expected - 0.1, rel=1e-6)


LOPSIDED = as_rope((-0.01, 0.02))


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    x = rng.normal(0.01, 0.02, (7, 1)) + rng.normal(0, 0.04, (7, 10))
    return pose(bc.Differences(x, rho=0.1), HierarchicalPrior.corani2017(), LOPSIDED)


@pytest.fixture(scope="module")
def grid(problem):
    request = problem.request(1, SamplerSettings())
    return answer_of(find_engine("quadrature", request.model).fit(request), problem, 1)


@pytest.fixture(scope="module")
def drawn(grid):
    return DrawsAnswer(grid.draws)


def test_a_fit_with_draws_is_given_in_units_and_in_the_data_sets_order(problem):
    """The program sees sorted rows on a scale of its own."""
    values = {k: np.ones((2, 5)) for k in ("delta0", "sigma0", "nu")}
    values["delta"] = np.broadcast_to(np.arange(7.0), (2, 5, 7))
    actual = answer_of(Fit("fake", "1", values), problem, 1).draws
    assert actual["delta0"] == pytest.approx(problem.scale)
    assert actual["nu"] == pytest.approx(1)
    # column i of the program is data set order[i]
    assert actual["delta"][0, 0][problem.order] / problem.scale == pytest.approx(np.arange(7))


def test_masses_are_those_of_a_t_distribution():
    """scipy.stats.t, at a draw, for a rope that is not symmetric, and for none."""
    upper = {"delta0": np.array([[0.015]]), "sigma0": np.array([[0.03]]), "nu": np.array([[2.5]])}
    t = stats.t(2.5, 0.015, 0.03)
    expected = [t.cdf(-0.01), t.cdf(0.02) - t.cdf(-0.01), t.sf(0.02)]
    assert masses_of(upper, LOPSIDED)[0, 0] == pytest.approx(expected, rel=1e-12)
    assert masses_of(upper, as_rope(0))[0, 0] == pytest.approx([t.cdf(0), 0, t.sf(0)], rel=1e-12)


def test_the_parts_of_a_verdict(grid, drawn):
    """Within the noise of 10,000 quasi-random draws."""
    exact, shares = grid.parts(LOPSIDED), drawn.parts(LOPSIDED)
    assert list(exact) == list(shares)
    for part in ("p", "expected", "location"):
        assert shares[part] == pytest.approx(exact[part], abs=0.006), part
        assert exact[part].sum() == pytest.approx(1, abs=1e-9)
    assert np.all(shares["errors"] > 0)


def test_data_sets(grid, drawn):
    a, b = grid.datasets(LOPSIDED), drawn.datasets(LOPSIDED)
    assert b.mean == pytest.approx(a.mean, abs=3e-4)
    assert b.sd == pytest.approx(a.sd, rel=0.05)
    assert b.p == pytest.approx(a.p, abs=0.02)


def test_summaries_quantiles_and_densities(grid, drawn):
    for name in ["delta0", "sigma0", "nu"]:
        a, b = grid.row(name), drawn.row(name)
        spread = a["97.5%"] - a["2.5%"]
        for column in ("median", "2.5%"):
            assert b[column] == pytest.approx(a[column], abs=0.02 * spread)
        probs = np.array([0.2, 0.7])
        assert drawn.quantile(name, probs) == pytest.approx(
            grid.quantile(name, probs), abs=0.02 * spread
        )
        assert set(b) - set(a) == {"ess_bulk", "ess_tail", "rhat"}
        x, y = grid.density(name)
        assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.01)


def test_the_kernel_estimate_follows_the_density(grid, drawn):
    x, y = grid.density("delta0")
    at, estimate = drawn.density("delta0")
    assert np.sum((estimate[1:] + estimate[:-1]) / 2 * np.diff(at)) == pytest.approx(1, abs=0.01)
    assert np.interp(at, x, y) == pytest.approx(estimate, abs=0.05 * y.max())


def test_the_upper_level_alone_has_the_same_draws(grid):
    for name, values in grid.upper.items():
        assert np.array_equal(values, grid.draws[name])


def test_floors(grid, drawn):
    assert grid.floor == 1e-6
    assert drawn.floor == 1 / 10_000


@pytest.fixture(scope="module")
def knn_gbm():
    return by_grid(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


def test_density_integrates_to_one(knn_gbm):
    for name in ("delta0", "sigma0"):
        x, y = knn_gbm.density(name)
        assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.01)


def test_quantiles_and_highest_density_intervals(knn_gbm):
    """Against the draws, by NumPy and by the shortest window of the sorted draws."""
    for name in ("delta0", "sigma0", "nu"):
        flat = np.sort(knn_gbm.draws[name].ravel())
        spread = np.subtract(*np.quantile(flat, [0.9, 0.1]))
        assert knn_gbm.quantile(name, [0.1, 0.5, 0.9]) == pytest.approx(
            np.quantile(flat, [0.1, 0.5, 0.9]), abs=0.02 * spread
        )
        width = int(0.8 * len(flat))
        start = np.argmin(flat[width:] - flat[: len(flat) - width])
        low, high = knn_gbm.hdi(name, 0.8)
        assert high - low == pytest.approx(flat[start + width] - flat[start], rel=0.02)
    with pytest.raises(bc.InputError, match=r"parameter must be .*\(got 'delta'\)"):
        knn_gbm.quantile("delta", 0.5)
    with pytest.raises(bc.InputError, match="probs"):
        knn_gbm.quantile("delta0", 1.5)
    with pytest.raises(bc.InputError, match="prob must be"):
        knn_gbm.hdi("delta0", 1)
