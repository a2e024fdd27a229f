"""The joint model's likelihood of a data set by draws, and what follows from it."""

from __future__ import annotations

from dataclasses import replace

import arviz
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.bayesian import joint_t

RNG = np.random.default_rng(1)
X = RNG.normal([0.75, 0.71, 0.70], 0.02, (4, 1, 3)) + RNG.normal(0, 0.02, (4, 8, 3))
RHO = 0.2
NEW = int(arviz.__version__.split(".")[0]) >= 1


@pytest.fixture
def posterior(fake):
    return joint_t(X, rho=RHO, rope=0.01, engine="fake", seed=1, chains=2, draws=500)


def test_contrasts_are_in_the_order_of_the_table(posterior):
    """Leads are as given, whatever order the program was given."""
    c = posterior.contrasts
    leads = X.mean(axis=1) - X.mean(axis=(1, 2))[:, None]
    np.testing.assert_allclose(np.einsum("qml,qm->ql", c.B, c.y), leads, atol=1e-12)
    np.testing.assert_allclose(np.einsum("qml,qkl->qmk", c.B, c.B), [np.eye(2)] * 4, atol=1e-12)
    scatter = (X[2] - X[2].mean(axis=0)) @ c.B[2].T
    inflation = 1 / 8 + RHO / (1 - RHO)
    np.testing.assert_allclose(c.C[2] * c.dof[2], inflation * scatter.T @ scatter, rtol=1e-6)


def test_a_data_sets_likelihood_by_draws(posterior):
    c, B = posterior.contrasts, posterior.contrasts.B[1]
    mu, Sigma0, nu = (x[1:, 3:4] for x in (posterior.mu, posterior.Sigma0, posterior.nu))
    drawn = stats.multivariate_t.rvs(
        B @ mu[0, 0], B @ Sigma0[0, 0] @ B.T, nu[0, 0], size=200_000, random_state=3
    )
    density = stats.multivariate_t.pdf(c.y[1] - drawn, np.zeros(2), c.C[1], c.dof[1])
    error = density.std() / density.mean() / np.sqrt(len(density))
    computed = c.log_likelihood(mu, Sigma0, nu)[0, 0, 1]
    assert computed == pytest.approx(np.log(density.mean()), abs=4 * error)


def test_averages_are_a_normal_mixture_whose_variance_is_flat(posterior):
    """Stein's prior: of 6 algorithms, 5 contrasts, N(0, t I) over all t alike."""
    c = replace(posterior.contrasts, mean_prior=np.array([1e6, 1e-6]))
    mu = np.outer([0.5, 1.0, 3.0], np.arange(6.0)) * c.scale_prior[-1]
    m2 = np.sum((mu - mu.mean(axis=1, keepdims=True)) ** 2, axis=1)
    mixed = [
        integrate.quad(lambda t, s=s: np.exp(-s / (2 * t)) * (2 * np.pi * t) ** -2.5, 0, np.inf)[0]
        for s in m2 / c.scale_prior[-1] ** 2
    ]
    given = c.log_prior_of_means(mu)
    np.testing.assert_allclose(np.diff(given), np.diff(np.log(mixed)), rtol=1e-6)


def test_replicates_have_the_models_covariance(posterior):
    c, size = posterior.contrasts, (4, 10_000)
    Sigma0 = 1e-3 * np.array([[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    drawn = c.replicates(np.zeros((*size, 3)), np.broadcast_to(Sigma0, (*size, 3, 3)),
                         np.full(size, 12.0), np.random.default_rng(2))  # fmt: skip
    drawn = drawn[..., 3, :].reshape(-1, 2)
    wanted = c.B[3] @ Sigma0 @ c.B[3].T * 12 / 10 + c.C[3] * c.dof[3] / (c.dof[3] - 2)
    np.testing.assert_allclose(np.cov(drawn.T), wanted, rtol=0.1, atol=5e-5)


def test_weights_are_those_of_the_likelihood(posterior):
    """Without a data set: plain weights where k-hat is small; the largest are smoothed."""
    frame = posterior.sensitivity()["A1", "A2"].frame
    assert frame["question"].value_counts().to_dict() == {
        "fit": 1, "prior": 2, "rho": 3, "without": 4, "rope": 3, "threshold": 3,
    }  # fmt: skip
    own = posterior.contrasts.log_likelihood(posterior.mu, posterior.Sigma0, posterior.nu)
    row = frame[frame["setting"].str.startswith("2 (k-hat")].iloc[0]
    k_hat = float(row["setting"].partition("(k-hat ")[2].split(")")[0].split(",")[0])
    left, right = posterior._masses(np.array([[0, 1]]), 0.01)
    best = np.argmax(np.stack([left, 1 - left - right, right]), axis=0).ravel()
    weights = np.exp(own[..., 1].min() - own[..., 1]).ravel()
    plain = weights[best == 2].sum() / weights.sum()
    if k_hat < 0.5:
        assert row["p_right"] == pytest.approx(plain, abs=0.02)
    assert row[["p_left", "p_rope", "p_right"]].sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Matplotlib, to ArviZ
@pytest.mark.filterwarnings("ignore:Estimated shape parameter:UserWarning")  # draws are made up
def test_arvizs_functions_run(posterior):
    data = posterior.to_arviz()
    assert int(arviz.loo(data).n_data_points) == len(X)
    if NEW:
        arviz.plot_ppc_dist(data, var_names=["mean_contrast"])
    else:
        arviz.plot_ppc(data, num_pp_samples=5)
        for component in ("prior", "likelihood"):
            result = arviz.psens(data, component=component, var_names=["mu"])
            assert np.all(np.isfinite(np.asarray(result)))
    plt.close("all")


def test_it_comes_back_from_disk(posterior, tmp_path):
    posterior.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    assert again.sensitivity().frame.equals(posterior.sensitivity().frame)


def test_a_prior_of_another_size_is_refused(posterior):
    """As a file may hold one."""
    with pytest.raises(bc.InputError, match=r"field 'mean_prior' has shape \(3,\)"):
        replace(posterior.contrasts, mean_prior=np.ones(3))


def test_algorithms_that_were_not_run(fake):
    x = X.copy()
    x[0, :, 2] = np.nan
    posterior = joint_t(x, rho=RHO, rope=0.01, engine="fake", seed=1, chains=2, draws=500)
    data = posterior.to_arviz()
    assert np.isfinite(np.asarray(data["log_likelihood"]["differences"])).all()
    assert not hasattr(data, "observed_data")
