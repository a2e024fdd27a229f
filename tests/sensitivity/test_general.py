"""Every row of a sensitivity table is the verdict of a fit under that assumption, test by test."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import correlated_t, multivariate_t, robust_t, sign, signed_rank

X = np.random.default_rng(1).normal(0.012, 0.02, (10, 2))
Z = np.random.default_rng(1).normal(0.012, 0.02, 7)


def p_of(posterior, rope=None):
    return list(posterior.verdict(rope).probabilities.values())


def rows_of(posterior):
    frame = posterior.sensitivity().frame
    columns = [c for c in frame.columns if c.startswith("p_")]
    return {(r.question, r.setting): [getattr(r, c) for c in columns] for r in frame.itertuples()}


def test_one_data_set():
    rows = rows_of(correlated_t(X[:, 0], rho=0.1, rope=0.01))
    for rho in (0, 0.2, 0.5):
        wanted = p_of(correlated_t(X[:, 0], rho=rho, rope=0.01))
        assert rows["rho", f"{rho:g}"] == pytest.approx(wanted, abs=1e-12)
    for m in (0.5, 1, 2):
        wanted = p_of(correlated_t(X[:, 0], rho=0.1, rope=0.01 * m))
        assert rows["rope", f"{m:g} times"] == pytest.approx(wanted, abs=1e-12)
    assert rows["threshold", "0.99"] == rows["fit", "as fitted"]


def test_several_metrics():
    posterior = multivariate_t(X, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1)
    rows = rows_of(posterior)
    wanted = p_of(multivariate_t(X, rho=0.5, rope=0.01, metrics=["tpr", "auc"], seed=1))
    assert rows["rho", "0.5"] == pytest.approx(wanted, abs=1e-12)
    assert rows["rope", "2 times"] == pytest.approx(p_of(posterior, 0.02), abs=1e-12)
    text = posterior.sensitivity().explain()
    assert 'Sensitivity of the decision "undecided"' in text
    assert posterior.sensitivity().plot().get_yticklabels()[0].get_text() == "as fitted"


@pytest.mark.parametrize("test", [sign, signed_rank])
def test_means_of_data_sets(test):
    options = {"rope": 0.01, "seed": 1, "draws": 2000}
    posterior = test(Z, **options)
    rows = rows_of(posterior)
    double = f"weight {2 * posterior.prior:g}"
    assert rows["prior", double] == p_of(test(Z, prior=2 * posterior.prior, **options))
    assert rows["prior", "on the right"] == p_of(test(Z, place="right", **options))
    assert rows["without", "3"] == p_of(test(np.delete(Z, 2), **options))
    assert rows["rope", "0.5 times"] == p_of(test(Z, **{**options, "rope": 0.005}))
    assert len([1 for question, _ in rows if question == "without"]) == len(Z)
    assert "without" not in set(posterior.sensitivity(datasets=False).frame["question"])


def test_the_robust_test_reweights_and_rescales(fake):
    """Against weighted means of the draws, and the transform that another rho is."""
    posterior = robust_t(X[:, 0], rho=0.1, rope=0.01, engine="fake", seed=4)
    frame = posterior.sensitivity().frame.set_index("question")
    d = posterior.draws
    weights = np.exp(
        -(d["nu"] - 1) * (1 / 10 - 1 / 29)
    )  # exponential densities of means 10 and 29
    prior = frame.loc["prior"].iloc[0]
    assert prior["setting"].startswith("mean of ν − 1 10 (k-hat ")
    right = (posterior._masses(posterior.rope)[..., 2] * weights).sum() / weights.sum()
    assert prior["p_right"] == pytest.approx(right, abs=0.01)  # the largest weights are smoothed
    independent = frame.loc["rho"].iloc[0]
    assert independent["setting"] == "0"
    assert independent["p_right"] == (d["centre"] > 0.01).mean()
    one_half = posterior._with_rho(0.5)
    np.testing.assert_allclose(
        one_half.draws["sigma"] * np.sqrt(0.5), d["sigma"] * np.sqrt(0.9), rtol=1e-12
    )


def test_weights_that_cannot_be_relied_on_are_fitted_again(fake, monkeypatch):
    posterior = robust_t(X[:, 0], rho=0.1, rope=0.01, engine="fake", seed=4)
    doubtful = np.full(posterior.draws["nu"].shape, np.nan), 0.9
    monkeypatch.setattr("bayescmp.bayesian.paired.robust.psis", lambda _: doubtful)
    prior = posterior.sensitivity().frame.set_index("question").loc["prior"].iloc[0]
    assert prior["setting"] == "mean of ν − 1 10 (k-hat 0.90, refitted)"
    again = robust_t(X[:, 0], rho=0.1, rope=0.01, engine="fake", seed=4, nu_mean=10.0)
    assert prior["p_right"] == again.verdict().p_right


def test_a_comparisons_result_has_it_too(table):
    scores = bc.Scores(table)
    single = bc.compare(scores, "knn", "gbm", "accuracy", rope=0.05, dataset=scores.datasets[0])
    assert {"fit", "rho"} <= set(single.sensitivity().frame["question"])


def test_no_rope_no_question_of_ropes():
    posterior = correlated_t(X[:, 0], rho=0.1, rope=0.0)
    assert "rope" not in set(posterior.sensitivity().frame["question"])
