"""Levels, correlations and the next data set, from draws; saved and read again."""

from __future__ import annotations

import arviz
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior, hierarchical_multivariate_t
from bayescmp.bayesian.hierarchical_multivariate.problem import MultivariatePrior as Prior
from bayescmp.bayesian.hierarchical_multivariate.problem import log_half_t
from tests.bayesian.hierarchical_multivariate.cases import REGIONS, fitted, simulated

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
    draws = {
        "delta0": np.zeros((*size, 2)),
        "tau": np.full((*size, 2), 0.02),
        "Omega": np.broadcast_to([[1, 0.5], [0.5, 1]], (*size, 2, 2)),
        "nu": np.full(size, 12.0),
    }
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


def test_correlation_and_summary(fake):
    posterior = fitted(simulated(p=3), metrics=("a", "b", "c"))
    table = posterior.correlation()
    omega = posterior.fit.draws["Omega"][..., 0, 2]
    assert table.loc[("a", "c"), "mean"] == pytest.approx(omega.mean())
    assert table.loc[("a", "c"), "p_positive"] == 1
    summary = posterior.summary()
    assert summary.loc["tau[b]", "mean"] == pytest.approx(
        posterior.fit.draws["tau"][..., 1].mean()
    )
    assert summary.loc["correlation[a, c]", "mean"] == pytest.approx(omega.mean())
    assert set(summary.columns) >= {"mean", "sd", "2.5%", "97.5%", "ess_bulk", "rhat"}


def test_the_next_data_set_is_drawn_from_the_upper_level(fake):
    """Shares of its draws in the regions are the regions' expected masses."""
    posterior = fitted(simulated(), rope=0.02, draws=2500)
    drawn = posterior.next_dataset()
    assert np.array_equal(drawn, posterior.next_dataset())
    worse, better = (drawn < -0.02).any(-1), (drawn > 0.02).any(-1)
    shares = [np.mean(~worse & ~better), np.mean(worse & ~better), np.mean(better & ~worse)]
    expected = posterior.verdict().expected
    assert shares == pytest.approx([expected[r] for r in REGIONS[:3]], abs=0.02)


def test_saved_and_read_again(fake, tmp_path):
    xs = [np.column_stack([x, -x[:, 0]]) for x in simulated()]
    posterior = fitted(xs, rope=(0.01, 0.02, 0.01), metrics=("a", "b", "c"), prior=Prior(lkj=3.0))
    posterior.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    assert again.verdict().to_dict() == posterior.verdict().to_dict()
    assert again.verdict(0.5).probabilities == posterior.verdict(0.5).probabilities
    assert str(again) == str(posterior)
    assert again.prior == posterior.prior
    pd.testing.assert_frame_equal(again.by_dataset(), posterior.by_dataset())
    group = posterior.to_arviz()["posterior"]
    assert group["delta"].dims == ("chain", "draw", "dataset", "coordinate")


@pytest.mark.slow
def test_some_of_the_metrics(fake, tmp_path):
    posterior = fitted(simulated(p=3), rope=[0.01, 0.02, 0.03], draws=1000)
    two = posterior.select(["m3", "m1"])
    assert two.metrics == ("m3", "m1")
    for name in ("delta0", "delta"):
        assert np.array_equal(two.draws[name], posterior.draws[name][..., [2, 0]])
    assert two.draws["Sigma0"] == pytest.approx(
        posterior.draws["Sigma0"][..., [2, 0], :][..., [2, 0]], rel=1e-12
    )
    assert [r.high for r in two.ropes()] == [0.03, 0.01]
    # P(equivalent) of each draw, by a bivariate t of SciPy
    i = (0, 5)
    t = stats.multivariate_t(two.draws["delta0"][i], two.draws["Sigma0"][i], df=two.draws["nu"][i])
    box = t.cdf([0.03, 0.01], lower_limit=[-0.03, -0.01])
    assert two.masses()[(*i, 0)] == pytest.approx(box, abs=2e-3)
    two.save(tmp_path / "two.nc")
    assert bc.load(tmp_path / "two.nc").verdict() == two.verdict()
    for wanted in ([], ["m1", "m1"], ["m4"]):
        with pytest.raises(bc.InputError, match="metric"):
            posterior.select(wanted)


def test_two_of_three_metrics_are_drawn(fake):
    import matplotlib.pyplot as plt

    posterior = fitted(simulated(p=3))
    ax = posterior.plot(metrics=("m1", "m3"))
    assert "m1" in ax.get_xlabel()
    assert "m3" in ax.get_ylabel()
    posterior.plot(rope=0.1)
    plt.close("all")
