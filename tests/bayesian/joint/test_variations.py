"""The joint model under other assumptions: its draws' weights, and refits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.bayesian import JointPrior, joint_t
from bayescmp.bayesian.joint import variations
from bayescmp.bayesian.joint.variations import changes
from bayescmp.bayesian.sampling import reweighting

RNG = np.random.default_rng(1)
X = RNG.normal([0.75, 0.71, 0.70], 0.02, (4, 1, 3)) + RNG.normal(0, 0.02, (4, 8, 3))
RUN = {"rope": 0.01, "engine": "fake", "seed": 1, "chains": 2, "draws": 500}


@pytest.fixture
def posterior(fake):
    return joint_t(X, rho=0.2, prior=JointPrior(scale_median=20.0), **RUN)


def test_another_correlation_is_that_of_a_fit_with_it(posterior, fake):
    other = joint_t(X, rho=0.5, **RUN)
    np.testing.assert_allclose(posterior.contrasts.with_rho(0.5).C, other.contrasts.C, rtol=1e-10)
    changed = {c.setting: c.contrasts for c in changes(posterior.contrasts, ())}
    assert list(changed) == ["ν − 1 ~ Gamma(2, 0.1)", "μ flat", "0", "0.4", "0.5"]
    np.testing.assert_allclose(changed["0.5"].C, other.contrasts.C, rtol=1e-10)


def test_weights_of_another_correlation_are_ratios_of_likelihoods(posterior, monkeypatch):
    given = []

    def remembered(ratios):
        given.append(ratios)
        return np.full(ratios.shape, 1 / ratios.size), 0.1

    monkeypatch.setattr(variations, "MOST", 100)
    monkeypatch.setattr(reweighting, "psis", remembered)
    rows = [(q, s) for q, s, _ in posterior.pair_variations(datasets=False)]
    assert rows[-1] == ("rho", "0.5 (k-hat 0.10)")
    c = posterior.contrasts
    draws = posterior.mu[:, ::10], posterior.Sigma0[:, ::10], posterior.nu[:, ::10]
    wanted = c.with_rho(0.5).log_likelihood(*draws) - c.log_likelihood(*draws)
    np.testing.assert_allclose(given[-1], wanted.sum(axis=-1))
    nu = posterior.nu.ravel()[:5]
    # of 3 algorithms, bivariate Cauchy: (1 + s² / scale²)^(-3/2)
    s = np.std(posterior.mu, axis=-1, ddof=1) / c.scale_prior[-1]
    ratios = np.exp(-given[1]) * (1 + (s / 30) ** 2) ** 1.5
    np.testing.assert_allclose(ratios, ratios[0, 0], rtol=1e-6)
    gamma = stats.gamma.logpdf(nu - 1, 2, scale=10) - c.log_prior_of_nu(nu)
    np.testing.assert_allclose(given[0].ravel()[:5], gamma, atol=1e-3)


def test_what_cannot_be_relied_on_is_fitted_again_if_asked(posterior, fake, monkeypatch):
    monkeypatch.setattr(variations, "MOST", 50)
    monkeypatch.setattr(reweighting, "psis", lambda r: (np.full(r.shape, 1 / r.size), 0.9))
    marked = [s for _, s, _ in posterior.pair_variations()]
    assert all(s.endswith("(k-hat 0.90, needs a refit)") for s in marked)
    fake.requests.clear()
    rows = list(posterior.pair_variations(refit=True))
    assert all(s.endswith("(k-hat 0.90, refitted)") for _, s, _ in rows)
    data = [r.data for r in fake.requests]
    assert [d["q"] for d in data] == [4] * 5 + [3] * 4
    assert (data[0]["alpha_lower"], data[0]["beta_upper"]) == (2.0, 0.1)
    assert [d["mean_floor"] for d in data[:3]] == [0.05, 1e6, 0.05]
    assert {d["A_median"] for d in data} == {20.0}
    kept = np.sort([np.trace(C) for C in np.delete(posterior.contrasts.C, 1, axis=0)])
    given = np.sort([np.trace(C) for C in data[6]["C"]])
    np.testing.assert_allclose(given / given[0], kept / kept[0])
    for _, _, p in rows:
        assert p["A1", "A2"].sum() == pytest.approx(1)


def test_an_algorithm_seen_once_without_a_data_set_is_not_fitted_again(fake, monkeypatch):
    x = X.copy()
    x[:2, :, 2] = np.nan
    posterior = joint_t(x, rho=0.2, **RUN)
    monkeypatch.setattr(variations, "MOST", 50)
    monkeypatch.setattr(reweighting, "psis", lambda r: (np.full(r.shape, 1 / r.size), 0.9))
    rows = {s.partition(" (")[0]: s for q, s, _ in posterior.pair_variations(refit=True)
            if q == "without"}  # fmt: skip
    assert [rows[k].endswith("not reliable)") for k in "1234"] == [False, False, True, True]


def test_of_two_algorithms_the_test_of_two_is_named():
    posterior = joint_t(X[..., :2], rho=0.2, rope=0.01, seed=1)
    assert set(posterior.fixed) == {"prior", "rho", "without"}
    text = posterior.sensitivity().explain()
    assert "the prior (of two algorithms, hierarchical_t varies it)" in text
