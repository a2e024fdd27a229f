"""Likelihoods of folds by SciPy; what is drawn given the location has the model's distribution."""

from __future__ import annotations

import arviz
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats

from bayescmp.bayesian import correlated_t, groups, multivariate_t, robust_t, two_sample_t
from bayescmp.bayesian.sampling.predictive import FoldModel, given_location

NEW = int(arviz.__version__.split(".")[0]) >= 1
RNG = np.random.default_rng(1)
Y = RNG.normal(0.02, 0.03, (8, 2))
SIGMA = np.array([[0.02, 0.005], [0.005, 0.03]])


def model(nu=None, m=1):
    centre = RNG.normal(0, 0.1, (2, 3, m, 2))
    y = RNG.normal(0, 0.2, (5, m, 2))
    nu = None if nu is None else np.full((2, 3), nu)
    return FoldModel(y, centre, np.broadcast_to(SIGMA, (2, 3, 2, 2)), 0.3, nu)


def test_normal_folds():
    one = model(m=3)
    at = one.log_likelihood()[1, 2, 4]
    rows = stats.multivariate_normal.logpdf(one.y[4] - one.centre[1, 2], cov=0.7 * SIGMA)
    assert at == pytest.approx(rows.sum())


def test_folds_with_t_noise():
    """Rows of a fold are jointly t: one block matrix."""
    one = model(nu=4.0, m=3)
    at = one.log_likelihood()[0, 1, 2]
    away = (one.y[2] - one.centre[0, 1]).ravel()
    wanted = stats.multivariate_t.logpdf(away, shape=np.kron(np.eye(3), 0.7 * SIGMA), df=4)
    assert at == pytest.approx(wanted)


def test_replicates_have_the_covariance():
    y, centre = np.zeros((50, 1, 2)), np.ones((4, 500, 1, 2))
    Sigma = np.broadcast_to(SIGMA, (4, 500, 2, 2))
    for nu, factor in ((None, 1.0), (np.full((4, 500), 9.0), 9 / 7)):
        drawn = FoldModel(y, centre, Sigma, 0.3, nu).replicates(np.random.default_rng(2))
        drawn = drawn.reshape(-1, 2)
        np.testing.assert_allclose(drawn.mean(axis=0), 1, atol=0.005)
        np.testing.assert_allclose(np.cov(drawn.T), 0.7 * factor * SIGMA, rtol=0.05)


@pytest.mark.parametrize("rho", [0.0, 0.3])
def test_the_spread_given_the_location_is_its_posterior(rho):
    """Averaged over the location's posterior, (1 − rho)·ss/σ² is χ² with n − 1 degrees."""
    posterior = correlated_t(Y[:, 0], rho=rho, rope=0.01, seed=3)
    drawn = given_location(
        Y[:, :1, None], posterior.draws["delta"][..., None, None], rho, posterior.seed
    )
    ss = ((Y[:, 0] - Y[:, 0].mean()) ** 2).sum()
    chi2 = ss / (1 - rho) / drawn.Sigma[..., 0, 0].ravel()
    assert stats.kstest(chi2, stats.chi2(7).cdf).pvalue > 1e-4
    z = (drawn.centre[..., 0, 0] - Y[:, 0].mean()) / np.sqrt(drawn.Sigma[..., 0, 0])
    error = np.sqrt((1 - rho) / 8)
    assert stats.kstest(z.ravel() / error, "norm").pvalue > 1e-4


def test_several_metrics_given_the_location():
    """Of a covariance matrix's own posterior: ν·E[Σ⁻¹] is the inverse of the scatter."""
    posterior = multivariate_t(Y, rho=0.2, rope=0.01, seed=3)
    drawn = given_location(
        Y[:, None, :], posterior.draws["delta"][..., None, :], 0.2, posterior.seed
    )
    scatter = 7 * np.cov(Y, rowvar=False) / 0.8
    mean = np.linalg.inv(drawn.Sigma).mean(axis=(0, 1)) / 7
    np.testing.assert_allclose(mean @ scatter, np.eye(2), atol=0.05)


def test_dependent_metrics_have_no_density():
    y = np.stack([Y[:, 0], 2 * Y[:, 0]], axis=1)
    assert given_location(y[:, None, :], np.zeros((1, 2, 1, 2)), 0.2, 1) is None
    data = multivariate_t(y, rho=0.2, rope=0.01, seed=3).to_arviz()
    assert not hasattr(data, "log_likelihood")


def posteriors():
    return {
        "correlated_t": correlated_t(Y[:, 0], rho=0.2, rope=0.01, seed=1),
        "multivariate_t": multivariate_t(Y, rho=0.2, rope=0.01, seed=1),
        "robust_t": robust_t(Y[:, 0], rho=0.2, rope=0.01, engine="fake", seed=1),
        "multivariate t noise": multivariate_t(
            Y, rho=0.2, rope=0.01, noise="t", engine="fake", seed=1
        ),
        "groups": groups(Y.T + np.array([[0.7], [0.8]]), rho=0.2, rope=0.01, seed=1),
        "groups t noise": groups(
            np.stack([Y.T[0], Y.T[1], Y.T[1] ** 2]), rho=0.2, rope=0.01, noise="t",
            engine="fake", seed=1,
        ),
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Matplotlib, to ArviZ
@pytest.mark.filterwarnings("ignore:Estimated shape parameter:UserWarning")  # draws are made up
def test_arvizs_functions_run(fake):
    for name, posterior in posteriors().items():
        data = posterior.to_arviz()
        assert int(arviz.loo(data).n_data_points) == len(Y), name
        observed = data["observed_data"]
        (variable,) = list(observed.data_vars)
        assert data["posterior_predictive"][variable].shape[2:] == observed[variable].shape
        if NEW:
            arviz.plot_ppc_dist(data, var_names=[variable])
        else:
            arviz.plot_ppc(data, num_pp_samples=5)
            for component in ("likelihood", "prior"):
                name = "tau" if "tau" in data["posterior"] else "delta"
                sensitivity = arviz.psens(data, component=component, var_names=[name])
                assert np.all(np.isfinite(np.asarray(sensitivity)))
        plt.close("all")


def test_two_samples():
    first, second = Y[:, 0], Y[:5, 1]
    posterior = two_sample_t(first, second, rope=0.01, seed=2)
    data = posterior.to_arviz()
    posterior_group = data["posterior"]
    sigma, mu = (np.asarray(posterior_group[f"{n}_first"])[1, 4] for n in ("sigma", "mu"))
    wanted = stats.norm.logpdf(first, mu, sigma)
    np.testing.assert_allclose(np.asarray(data["log_likelihood"]["first"])[1, 4], wanted)
    gap = posterior_group["mu_second"] - posterior_group["mu_first"]
    np.testing.assert_allclose(np.asarray(gap), np.asarray(posterior_group["delta"]))
    chi2 = 7 * first.var(ddof=1) / np.asarray(posterior_group["sigma_first"]) ** 2
    assert stats.kstest(chi2.ravel(), stats.chi2(7).cdf).pvalue > 1e-4
    assert int(arviz.loo(data, var_name="first").n_data_points) == 8
