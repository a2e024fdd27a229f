"""What ArviZ is given: densities by brute force and SciPy, and ArviZ's own functions run on it."""

from __future__ import annotations

import arviz
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import integrate, stats

from bayescmp import load
from bayescmp.bayesian import hierarchical_t
from bayescmp.bayesian.hierarchical.predictive import PREDICTED, posed, replicates
from bayescmp.engines.quadrature import Problem, dataset_log_likelihoods

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
    problem = Problem(xbar=[0.1, -0.2, 0.4], ss=[1.0, 2.0, 3.0], n=[5, 6, 7], rho=[0.1, 0.2, 0.3],
                      delta0_bound=5, sigma0_upper=50, sigma_upper=100)  # fmt: skip
    turned = Problem(xbar=[-4.0, 2.0, -1.0], ss=[300.0, 200.0, 100.0], n=[7, 6, 5],
                     rho=[0.3, 0.2, 0.1], delta0_bound=50, sigma0_upper=500,
                     sigma_upper=1000)  # fmt: skip
    draws = {"delta0": np.array([0.2]), "sigma0": np.array([0.4]), "nu": np.array([3.0])}
    other = {"delta0": np.array([-2.0]), "sigma0": np.array([4.0]), "nu": np.array([3.0])}
    own, mirrored = (
        dataset_log_likelihoods(p, d)[0] for p, d in ((problem, draws), (turned, other))
    )
    unit = problem.n * np.log(10)  # n differences, each in a unit ten times as small
    np.testing.assert_allclose(mirrored[::-1], own - unit, atol=1e-6)


def test_the_prior_of_nu_is_a_mixture_of_gammas(posterior, data):
    prior = posed(posterior.problem).nu_prior
    rng = np.random.default_rng(5)
    alpha, beta = rng.uniform(*prior.alpha, 200_000), rng.uniform(*prior.beta, 200_000)
    nu = posterior.draws["nu"][0, :5]
    each = stats.gamma.pdf(nu[:, None] - prior.offset, alpha, scale=1 / beta)
    error = each.std(axis=1) / each.mean(axis=1) / np.sqrt(200_000)
    stored = np.asarray(data["log_prior"]["nu"])[0, :5]
    np.testing.assert_array_less(np.abs(stored - np.log(each.mean(axis=1))), 5 * error + 1e-3)
    drawn = np.asarray(data["prior"]["nu"]).ravel()
    assert stats.kstest(drawn, prior.offset + stats.gamma.rvs(
        alpha, scale=1 / beta, random_state=6)[:100_000]).pvalue > 1e-4  # fmt: skip
    bound = posterior.prior_bounds["delta0_bound"]
    assert np.exp(np.asarray(data["log_prior"]["delta0"])).max() == pytest.approx(0.5 / bound)


def test_replicates_have_the_moments_of_the_model(posterior):
    s, m = posterior.problem.statistics, (4, 20_000)
    draws = {"delta0": np.full(m, 0.1), "sigma0": np.full(m, 0.02), "nu": np.full(m, 9.0),
             "sigma": np.full((*m, 5), 0.03)}  # fmt: skip
    mean, sd = replicates(draws, posterior.problem, np.random.default_rng(1))
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
    plt.close("all")


def test_what_follows_from_the_rest_is_not_saved(posterior, tmp_path):
    posterior.save(tmp_path / "posterior.nc")
    again = load(tmp_path / "posterior.nc")
    assert (tmp_path / "posterior.nc").stat().st_size < 4_000_000
    name = "differences"
    np.testing.assert_allclose(
        np.asarray(again.to_arviz()["log_likelihood"][name]),
        np.asarray(posterior.to_arviz()["log_likelihood"][name]),
        atol=1e-6,
    )
