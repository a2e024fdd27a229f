"""Every row of a sensitivity table is the verdict of a fit under that assumption, test by test."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import (
    confusion,
    correlated_t,
    groups,
    multivariate_t,
    robust_t,
    sign,
    signed_rank,
    two_sample_t,
)
from bayescmp.bayesian.regions.membership import membership

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
    monkeypatch.setattr("bayescmp.bayesian.sampling.reweighting.psis", lambda _: doubtful)
    prior = posterior.sensitivity().frame.set_index("question").loc["prior"].iloc[0]
    assert prior["setting"] == "mean of ν − 1 10 (k-hat 0.90, refitted)"
    again = robust_t(X[:, 0], rho=0.1, rope=0.01, engine="fake", seed=4, nu_mean=10.0)
    assert prior["p_right"] == again.verdict().p_right


def test_a_refit_is_of_the_same_scores_and_settings(fake, monkeypatch):
    """Its program is the one that the test itself would be given, but for the prior of ν."""
    doubtful = np.full((3, 900), np.nan), 0.9
    monkeypatch.setattr("bayescmp.bayesian.sampling.reweighting.psis", lambda _: doubtful)
    run = {"rho": 0.1, "rope": 0.01, "engine": "fake", "seed": 4, "chains": 3, "draws": 900}
    noisy = {**run, "noise": "t"}
    x = np.round(X, 2)
    fits = [
        partial(robust_t, x[:, 0], resolution=0.05, **run),
        partial(multivariate_t, x, resolution=[0.05, 0.01], lkj=3.0, **noisy),
        partial(groups, [0 * x, x, 2 * x[::-1]], resolution=[0.05, 0.01], lkj=3.0, **noisy),
    ]
    for fit in fits:
        fake.requests.clear()
        settings = set(fit().sensitivity().frame["setting"])
        assert sum(setting.endswith("(k-hat 0.90, refitted)") for setting in settings) == 2
        first, *others = fake.requests
        assert [r.data["nu_mean"] for r in others] == [10, 100]
        for again in others:
            assert again.settings.draws == first.settings.draws
            for name in set(first.data) - {"nu_mean"}:
                np.testing.assert_array_equal(again.data[name], first.data[name])


def test_other_priors_of_confusion_counts():
    """By SciPy's Beta: the second's accuracy less the first's, 40 of 50 and 45 of 50 right."""
    counts = (20, 5, 5, 20), (22, 3, 2, 23)
    posterior = confusion(*counts, "accuracy", rope=0.02, seed=1)
    rows = {s: p for q, s, p in posterior.variations() if q == "prior"}
    assert list(rows) == ["0.5 in each cell", "2 in each cell"]
    for setting, weight in (("0.5 in each cell", 0.5), ("2 in each cell", 2.0)):
        a, b = (stats.beta(right + 2 * weight, 50 - right + 2 * weight) for right in (40, 45))
        grid = (np.arange(4000) + 0.5) / 4000
        wanted = np.mean([b.sf(a.ppf(grid) + 0.02), b.cdf(a.ppf(grid) - 0.02)], axis=1)
        assert rows[setting][[2, 0]] == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(50_000))
    text = posterior.sensitivity().explain()
    assert "the prior (0.5 in each cell and 2 in each cell)" in text


def test_metrics_of_the_users_own_are_varied_until_they_are_saved(tmp_path):
    counts = (20, 5, 5, 20), (22, 3, 2, 23)
    named, own = (
        confusion(*counts, metric, rope=0.02, seed=1)
        for metric in ("accuracy", lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn))
    )
    wanted = [p for _, _, p in named.variations()]
    np.testing.assert_array_equal([p for _, _, p in own.variations()], wanted)
    for posterior, count in ((named, 2), (own, 0)):
        posterior.save(tmp_path / "p.nc")
        again = bc.load(tmp_path / "p.nc")
        rows = [p for _, _, p in again.variations()]
        assert len(rows) == count
        np.testing.assert_array_equal(rows, wanted[:count])
        assert ("prior" in again.fixed) == (not count)


def test_a_comparisons_result_has_it_too(table):
    scores = bc.Scores(table)
    single = bc.compare(scores, "knn", "gbm", "accuracy", rope=0.05, dataset=scores.datasets[0])
    assert {"fit", "rho"} <= set(single.sensitivity().frame["question"])


def test_no_rope_no_question_of_ropes():
    posterior = correlated_t(X[:, 0], rho=0.1, rope=0.0)
    assert "rope" not in set(posterior.sensitivity().frame["question"])


def test_two_samples():
    """Equal variances by SciPy's t; a run left out is a fit without it."""
    first, second = X[:, 0], X[:7, 1] + 0.01
    posterior = two_sample_t(first, second, rope=0.01, names=("old", "new"))
    rows = rows_of(posterior)
    df = len(first) + len(second) - 2
    pooled = ((len(first) - 1) * first.var(ddof=1) + (len(second) - 1) * second.var(ddof=1)) / df
    scale = np.sqrt(pooled * (1 / len(first) + 1 / len(second)))
    student = stats.t(df, second.mean() - first.mean(), scale)
    wanted = [student.cdf(-0.01), student.cdf(0.01) - student.cdf(-0.01), student.sf(0.01)]
    assert rows["model", "equal variances"] == pytest.approx(wanted, abs=1e-10)
    wanted = p_of(two_sample_t(first, np.delete(second, 3), rope=0.01))
    assert rows["runs", "new 4"] == pytest.approx(wanted, abs=1e-12)
    assert "single runs left out" in posterior.sensitivity().explain()
    assert not [q for q, _ in rows if q == "without"]


def test_what_cannot_be_varied_is_named():
    text = two_sample_t([1, 2, 3], [3, 4, 6], rope=0.5).sensitivity().explain()
    assert text.endswith("and the correlation of folds (runs are independent).")
    text = correlated_t(X[:, 0], rho=0.1, rope=0.01).sensitivity().explain()
    assert text.endswith("Not varied: the prior (p(δ, σ) ∝ 1/σ has nothing to set).")


def test_several_metrics_with_t_noise(fake):
    options = {"rho": 0.1, "rope": 0.01, "noise": "t", "engine": "fake", "seed": 4}
    posterior = multivariate_t(X, **options)
    rows = rows_of(posterior)
    (prior,) = [p for (_, s), p in rows.items() if s.startswith("mean of ν − 1 10 (")]
    weights = np.exp(-(posterior.draws["nu"] - 1) * (1 / 10 - 1 / 29))
    shares = membership(posterior.draws["delta"], posterior.ropes())
    wanted = (weights[..., None] * shares).sum(axis=(0, 1)) / weights.sum()
    assert prior == pytest.approx(wanted, abs=0.01)  # the largest weights are smoothed
    centre = posterior.draws["centre"]
    assert rows["rho", "0"] == list(membership(centre, posterior.ropes()).mean(axis=(0, 1)))
    moved = posterior.moved("delta", 0.5)
    shared = np.linalg.solve(
        np.linalg.cholesky(moved["Sigma"]), (centre - moved["delta"])[..., None]
    )[..., 0]
    size = (shared**2).sum(axis=-1) / 2 / 0.5  # F with 2 and ν degrees of freedom
    assert (
        stats.kstest(stats.f.cdf(size, 2, posterior.draws["nu"]).ravel(), "uniform").pvalue > 1e-4
    )
