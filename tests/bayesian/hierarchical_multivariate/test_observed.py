"""What ArviZ is given of several metrics: densities by SciPy, and ArviZ's own functions."""

from __future__ import annotations

import arviz
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior, hierarchical_multivariate_t
from bayescmp.bayesian.hierarchical_multivariate.observed import log_half_t

RHO, FOLDS = 0.3, 6
RNG = np.random.default_rng(1)
XS = RNG.normal([-0.02, -0.01], 0.02, (4, 1, 2)) + RNG.normal(0, 0.02, (4, FOLDS, 2))
NEW = int(arviz.__version__.split(".")[0]) >= 1


@pytest.fixture
def posterior(fake):
    return hierarchical_multivariate_t(
        XS, rho=RHO, rope=0.01, engine="fake", seed=1, chains=2, draws=500
    )


def test_the_data_sets_are_those_given(posterior):
    """Also where the program sees them mirrored, sorted and in other units."""
    o = posterior.observed
    np.testing.assert_allclose(o.xbar, XS.mean(axis=1))
    for i, x in enumerate(XS):
        scatter = (FOLDS - 1) * np.cov(x, rowvar=False)
        inflation = 1 / FOLDS + RHO / (1 - RHO)
        np.testing.assert_allclose(o.C[i], inflation * scatter / (FOLDS - 2))
    assert o.dof.tolist() == [FOLDS - 2] * 4
    assert o.rho.tolist() == [RHO] * 4


def test_a_data_sets_likelihood_by_draws(posterior):
    d, o = posterior.fit.draws, posterior.observed
    root = d["tau"][1, 3][:, None] * np.linalg.cholesky(d["Omega"][1, 3])
    drawn = stats.multivariate_t.rvs(
        d["delta0"][1, 3], root @ root.T, d["nu"][1, 3], size=100_000, random_state=3
    )
    density = stats.multivariate_t.pdf(o.xbar[2] - drawn, np.zeros(2), o.C[2], o.dof[2])
    error = density.std() / density.mean() / np.sqrt(len(density))
    computed = o.log_likelihood({k: v[1:, 3:4] for k, v in d.items()})[0, 0, 2]
    assert computed == pytest.approx(np.log(density.mean()), abs=4 * error)


def test_the_prior_by_scipy(posterior):
    d, o = posterior.fit.draws, posterior.observed
    prior = MultivariatePrior(alpha=2.0, beta=0.1, lkj=3.0)
    log_prior = o.log_prior(d, prior)
    wanted = stats.norm.logpdf(d["delta0"], scale=o.delta0_sd)
    np.testing.assert_allclose(log_prior["delta0"], wanted)
    half_t = np.log(2) + stats.t.logpdf(d["tau"] / o.tau_scale, 3) - np.log(o.tau_scale)
    np.testing.assert_allclose(log_prior["tau"], half_t)
    np.testing.assert_allclose(log_half_t(0.3, 4.0, 2.0), np.log(stats.t.pdf(0.15, 4)))
    gamma = stats.gamma.logpdf(d["nu"] - 1, 2, scale=10)
    np.testing.assert_allclose(log_prior["nu"], gamma, atol=1e-3)
    np.testing.assert_allclose(log_prior["correlations"], 2 * np.log(np.linalg.det(d["Omega"])))
    drawn = o.prior_draws(prior, (4, 5000), np.random.default_rng(1))
    assert stats.kstest(drawn["nu"].ravel() - 1, stats.gamma(2, scale=10).cdf).pvalue > 1e-4
    z = drawn["tau"][..., 1].ravel() / o.tau_scale[1]
    assert stats.kstest(z, lambda x: 2 * stats.t.cdf(x, 3) - 1).pvalue > 1e-4


def test_replicates_have_the_models_covariance(posterior):
    o, size = posterior.observed, (4, 20_000)
    draws = {"delta0": np.zeros((*size, 2)), "tau": np.full((*size, 2), 0.02),
             "Omega": np.broadcast_to([[1, 0.5], [0.5, 1]], (*size, 2, 2)),
             "nu": np.full(size, 12.0)}  # fmt: skip
    drawn = o.replicates(draws, np.random.default_rng(2))[..., 1, :].reshape(-1, 2)
    between = 0.02**2 * np.array([[1, 0.5], [0.5, 1]]) * 12 / 10
    wanted = between + o.C[1] * o.dof[1] / (o.dof[1] - 2)
    np.testing.assert_allclose(np.cov(drawn, rowvar=False), wanted, rtol=0.15, atol=2e-5)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Matplotlib, to ArviZ
@pytest.mark.filterwarnings("ignore:Estimated shape parameter:UserWarning")  # draws are made up
def test_arvizs_functions_run(posterior):
    data = posterior.to_arviz()
    loo = arviz.loo(data)
    assert int(loo.n_data_points) == len(XS)
    if NEW:
        arviz.plot_ppc_dist(data, var_names=["mean_difference"])
        assert len(arviz.psense_summary(data, var_names=["delta0"])) == 2
    else:
        arviz.plot_ppc(data, num_pp_samples=20)
        for component in ("prior", "likelihood"):
            result = arviz.psens(data, component=component, var_names=["delta0", "nu"])
            assert np.all(np.asarray(result["delta0"]) >= 0)
    plt.close("all")


def test_it_comes_back_from_disk(posterior, tmp_path):
    posterior.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    for name, values in posterior.observed.arrays.items():
        np.testing.assert_array_equal(getattr(again.observed, name), values)
    assert again.sensitivity().frame.equals(posterior.sensitivity().frame)
