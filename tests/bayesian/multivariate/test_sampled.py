"""Posteriors by sampling: coming back from disk, beside the closed forms, with robust noise."""

import warnings

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import SampledMultivariatePosterior, multivariate_t
from bayescmp.bayesian.multivariate.problem import SampledFit
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.scores.rope import Rope, Ropes
from tests.bayesian.multivariate.cases import near


@pytest.fixture
def posterior():
    rng = np.random.default_rng(1)
    values = {"delta": rng.normal(0.1, 1, (2, 50, 2)), "Sigma": rng.normal(size=(2, 50, 2, 2))}
    stats = {"diverging": np.zeros((2, 50), bool), "energy": rng.normal(size=(2, 50))}
    diagnostics = Diagnostics(
        rhat=1.0, ess_bulk=900, ess_tail=900, divergences=0, max_treedepth=0, ebfmi=1.0
    )
    return SampledMultivariatePosterior(
        names=("knn", "gbm"),
        rope=Ropes([Rope(-0.1, 0.1)] * 2),
        engine="fake",
        engine_version="1",
        diagnostics=diagnostics,
        seed=1,
        metrics=("auc", "f1"),
        rho=0.1,
        dataset="",
        x=rng.normal(size=(5, 2)),
        fit=SampledFit(
            values,
            noise="normal",
            sampled=("auc", "f1"),
            prior_words="as you like it",
            sample_stats=stats,
        ),
    )


def test_draws_and_prior_are_what_was_given(posterior):
    assert posterior.draws is posterior.fit.draws
    assert posterior.prior_text == "as you like it"
    assert posterior.verdict().prior == "as you like it"


def test_arviz_names_the_sampled_metrics(posterior):
    group = posterior.to_arviz()["posterior"]
    assert group["Sigma"].dims == ("chain", "draw", "sampled", "sampled_")
    assert group["Sigma"].coords["sampled"].to_numpy().tolist() == ["auc", "f1"]


def test_it_comes_back_from_disk(posterior, tmp_path):
    posterior.save(tmp_path / "p.npz")
    again = bc.load(tmp_path / "p.npz")
    assert type(again) is SampledMultivariatePosterior
    assert again.verdict(0.3) == posterior.verdict(0.3)
    assert again.fit.sampled == ("auc", "f1")
    assert np.array_equal(again.x, posterior.x)
    assert set(again.fit.sample_stats) == {"diverging", "energy"}


def folds(n=20, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([0.02, -0.005]) + rng.normal(size=(n, 2)) @ np.array([[0.02, 0.01], [0, 0.02]])


@pytest.mark.slow
@pytest.mark.stan
def test_normal_noise_is_the_closed_form(stan_engine):
    x = folds()
    exact = multivariate_t(x, rho=0.1, rope=0.01, seed=1)
    drawn = multivariate_t(x, rho=0.1, rope=0.01, seed=1, engine=stan_engine)
    near(drawn.verdict(), exact.verdict())
    for metric in exact.metrics:
        row, actual = drawn.summary().loc[metric], exact.summary().loc[metric]
        assert row["mean"] == pytest.approx(actual["mean"], abs=0.1 * actual["sd"])
        assert row["sd"] == pytest.approx(actual["sd"], rel=0.12)


@pytest.mark.slow
@pytest.mark.stan
def test_dependent_metrics_are_mapped_back(stan_engine):
    x = folds()
    three = np.c_[x, x[:, 0] - x[:, 1]]
    exact = multivariate_t(three, rho=0.1, rope=0.01, seed=1)
    drawn = multivariate_t(three, rho=0.1, rope=0.01, seed=1, engine=stan_engine)
    assert drawn.fit.sampled == ("m1", "m2")
    delta = drawn.draws["delta"]
    np.testing.assert_allclose(delta[..., 2], delta[..., 0] - delta[..., 1], atol=1e-12)
    near(drawn.verdict(), exact.verdict())
    assert any("subspace of dimension 2 of 3" in n for n in drawn.notes)


@pytest.mark.slow
@pytest.mark.stan
def test_t_noise_does_not_mind_an_outlier(stan_engine, tmp_path):
    x = folds(30)
    outlying = x.copy()
    outlying[3] += [-0.8, 0.0]
    clean = multivariate_t(x, rho=0.1, rope=0.005, seed=1).summary().loc["m1"]
    robust = multivariate_t(outlying, rho=0.1, rope=0.005, seed=1, noise="t", engine=stan_engine)
    normal = multivariate_t(outlying, rho=0.1, rope=0.005, seed=1).summary().loc["m1"]
    actual = robust.summary().loc["m1"]
    assert abs(actual["mean"] - clean["mean"]) < 0.5 * abs(normal["mean"] - clean["mean"])
    # the folds' shared term is as heavy-tailed as the rest: the sd is no measure of spread here
    width, wide = (row["97.5%"] - row["2.5%"] for row in (actual, normal))
    assert width < 0.75 * wide
    assert "multivariate t noise" in robust.verdict().explain("paper")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robust.save(tmp_path / "r.npz")
        back = bc.load(tmp_path / "r.npz")
    assert back.verdict() == robust.verdict()
    assert str(back) == str(robust)
    assert robust.select(["m2"]).metrics == ("m2",)
