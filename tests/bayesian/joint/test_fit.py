"""The joint test: two algorithms, what the program is given, and recovery with Stan."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import JointPrior, joint_t, sampling
from bayescmp.bayesian.joint.clouds import masses_of
from bayescmp.bayesian.joint.fit import (
    FEW,
    fit_again,
    is_too_sure,
    list_changes,
    summarise_differences,
)
from bayescmp.bayesian.joint.table import FoldTable, in_order
from tests.rows import each_row


def test_two_algorithms_are_the_pairwise_test(scores_of):
    x = scores_of(8, 10, 2)
    joint = joint_t(x, rho=0.1, rope=0.01, seed=1)
    rows = [row[:, 1] - row[:, 0] for row in x]
    pair = bc.bayesian.hierarchical_t(rows, rho=0.1, rope=0.01, engine="quadrature", seed=1)
    one, other = joint.verdict("A1", "A2"), pair.verdict()
    for part in ("probabilities", "expected", "location"):
        result, expected = getattr(one, part), getattr(other, part)
        assert list(result.values()) == pytest.approx(list(expected.values()), abs=0.012)
    assert any("hierarchical_t" in note for note in joint.notes)
    assert joint.by_dataset().shape == (16, 4)


def test_the_program_is_given_the_data_in_their_own_unit(fake, scores_of):
    x = scores_of(6, 30, 4)
    posterior = joint_t(x, rho=0.1, rope=0.01, engine="fake", seed=1, draws=200)
    data = fake.requests[0].data
    assert (data["L"], data["q"], data["K"]) == (4, 6, 2)
    assert posterior.prior_text.startswith("K = 2, in units of ")
    sds = [
        np.std(x[..., b].mean(1) - x[..., a].mean(1), ddof=1)
        for a in range(4)
        for b in range(a + 1, 4)
    ]
    scale = np.median(sds) / np.sqrt(2)
    names = tuple("abcdef")
    ordered, _ = in_order(FoldTable(x, np.full(6, 0.1), names[:4], names))
    unscaled = np.asarray(data["B"][0]) @ ordered.x[0].mean(axis=0)
    np.testing.assert_allclose(np.abs(data["y"][0]), np.abs(unscaled) / scale, rtol=1e-9)


def test_few_folds_are_noted(fake, scores_of):
    posterior = joint_t(scores_of(6, 5, 6), rho=0.2, rope=0.01, engine="fake", seed=1, draws=200)
    assert any("few folds" in note for note in posterior.notes)


@each_row(
    ("x", "options", "says"),
    [
        (np.ones((3, 2)), {}, "bayescmp.bayesian.bootstrap"),
        (np.ones((1, 5, 3)), {}, "bayescmp.bayesian.groups"),
        (np.ones((3, 5, 3)), {"prior": "wide"}, "a JointPrior"),
        (np.ones((3, 5, 3)), {"draws": 2}, "draws must be"),
        (np.ones((3, 5, 3)), {}, "scores must differ between algorithms in a fold, to show how"),
    ],
)
def test_bad_calls_point_to_the_right_test(x, options, says):
    with pytest.raises(bc.InputError, match=says):
        joint_t(x, rho=0.1, rope=0.01, **options)


def test_it_needs_no_stan(no_stan, scores_of):
    """Of three algorithms or more, with a table that has a gap."""
    x = scores_of(4, 5, 3)
    x[1, :, 0] = np.nan
    posterior = joint_t(x, rho=0.1, rope=0.01, seed=1)
    assert posterior.engine == "gibbs"
    assert posterior.diagnostics.ok
    assert sum(posterior.best().values()) == pytest.approx(1, abs=1e-9)
    with pytest.raises(bc.EngineNotFound, match=r"without Stan, .*engine='gibbs'"):
        joint_t(x, rho=0.1, rope=0.01, engine="pystan")


def test_a_prior_of_ones_own_reaches_the_program(fake, scores_of):
    prior = JointPrior(factors=1, scale_median=10.0)
    joint_t(scores_of(6, 30, 4), rho=0.1, rope=0.01, engine="fake", seed=1, prior=prior, draws=200)
    data = fake.requests[0].data
    assert (data["K"], data["A_median"]) == (1, 10.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")  # of a short run
@pytest.mark.parametrize(
    ("chains", "draws"), [(2, 100), pytest.param(4, 500, marks=pytest.mark.calibration)]
)
def test_stan_recovers_what_was_simulated(stan_engine, chains, draws):
    """Truth within the posterior's own uncertainty, in the metric's units, with a gap."""
    rng = np.random.default_rng(3)
    q, L = 12, 3
    mu, sd = np.array([-0.02, 0.0, 0.02]), np.array([0.01, 0.01, 0.02])
    u = 0.8 + mu + sd * rng.normal(size=(q, L))
    x = u[:, None] + 0.01 * rng.normal(size=(q, 20, L))
    x[2, :, 1] = np.nan
    result = joint_t(
        x, rho=0.0, rope=0.01, engine=stan_engine, seed=2, chains=chains, warmup=draws, draws=draws
    )
    assert result.diagnostics.divergences == 0
    summary = result.summary()
    for k, name in enumerate(result.algorithms):
        row = summary.loc[name]
        assert abs(row["mean"] - mu[k]) < 4 * row["sd"]
        assert row["sd"] < 0.012
    leads = result.by_dataset()["lead"].to_numpy().reshape(q, L)
    truth = u - u.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(np.delete(leads, 2, axis=0), np.delete(truth, 2, axis=0), atol=0.01)
    assert result.best()["A3"] > 0.6


# Posterior of the joint test: pairs in closed form beside draws of the next data set.


def test_algorithms_that_differ_by_less_than_data_sets():
    """Averages have a standard deviation of `apart`, effects on a data set one of 1."""
    for apart, alike in [(0.99, True), (1.01, False)]:
        mu = apart * np.array([[-1.0, 0.0, 1.0]]) + np.array([[0.0], [5.0]])
        Sigma0 = np.broadcast_to(np.eye(3), (2, 3, 3))
        assert is_too_sure(mu, Sigma0, FEW) == alike
        assert (
            is_too_sure(mu, Sigma0 + 7.0, FEW) == alike
        )  # what all have in common does not count
        assert not is_too_sure(mu, Sigma0, FEW + 1)
        assert not is_too_sure(mu[:, :2], Sigma0[:, :2, :2], FEW)


def test_it_is_said_in_the_notes_and_in_words(fake, scores_of):
    posterior = joint_t(scores_of(8, 20, 4), rho=0.1, rope=0.01, engine="fake", seed=1, draws=400)
    close = dataclasses.replace(posterior, mu=posterior.mu * 0.01)
    apart = dataclasses.replace(posterior, mu=posterior.mu * 100)
    assert close.caveat.startswith("The algorithms differ on average by less than the data sets")
    assert close.caveat[1:] in close.explain()
    assert apart.caveat == ""
    assert "too high" not in apart.explain()


def test_a_fit_notes_it(fake, scores_of):
    for lead, alike in [(0.0, True), (0.1, False)]:
        x = scores_of(8, 20, 4) + lead * np.arange(4)
        posterior = joint_t(x, rho=0.1, rope=0.01, engine="fake", seed=1)
        assert (
            any("probabilities of being best were too high" in n for n in posterior.notes) == alike
        )


def test_probabilities_are_shares_with_the_ends_in_the_rope():
    d = np.array([[[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [1.0], [1.0]]] * 2)
    columns = summarise_differences(d, bc.Rope(-1.0, 1.0))
    assert [columns[f"p_{side}"][0] for side in ("left", "rope", "right")] == [0.1, 0.5, 0.4]
    assert columns["mean"] == pytest.approx([1.4])
    assert columns["low"] == pytest.approx(np.quantile(d, 0.025))


def test_errors_are_the_spread_of_independent_estimates():
    """Chains of an autoregression: the sd over 300 of them, whose own error is 4%."""
    rng = np.random.default_rng(1)
    d = np.empty((2, 2000, 300))
    d[:, 0] = rng.normal(size=(2, 300))
    for t in range(1, 2000):
        d[:, t] = 0.7 * d[:, t - 1] + np.sqrt(1 - 0.49) * rng.normal(size=(2, 300))
    columns = summarise_differences(d, bc.Rope(-0.5, 0.5))
    for side in ("left", "rope", "right"):
        printed = np.sqrt((columns[f"se_{side}"] ** 2).mean())
        assert printed == pytest.approx(columns[f"p_{side}"].std(ddof=1), rel=0.2)


def test_no_error_is_zero():
    columns = summarise_differences(np.ones((4, 100, 1)), bc.Rope(-0.5, 0.5))
    assert columns["p_right"] == 1
    assert columns["se_right"] > 0


RNG = np.random.default_rng(1)
X = RNG.normal([0.75, 0.71, 0.70], 0.02, (4, 1, 3)) + RNG.normal(0, 0.02, (4, 8, 3))
RUN = {"rope": 0.01, "engine": "fake", "seed": 1, "chains": 2, "draws": 500}


def test_a_refit_of_the_same_assumptions_is_the_same_program(fake):
    posterior = joint_t(X, rho=0.2, prior=JointPrior(scale_median=20.0), **RUN)
    first = fake.requests[0].data
    again = fit_again(posterior, posterior.contrasts)
    for name, value in fake.requests[-1].data.items():
        np.testing.assert_allclose(value, first[name], atol=1e-9, err_msg=name)
    np.testing.assert_allclose(again.mu, posterior.mu, atol=1e-9)
    np.testing.assert_allclose(again.Sigma0, posterior.Sigma0, atol=1e-9)


def test_the_order_of_algorithms_and_data_sets_cannot_matter(fake):
    one, other = joint_t(X, rho=0.2, **RUN), joint_t(X[::-1, :, [2, 0, 1]], rho=0.2, **RUN)
    a, b = (fit_again(p, p.contrasts.with_rho(0.4)) for p in (one, other))
    np.testing.assert_allclose(a.mu[..., [2, 0, 1]], b.mu, atol=1e-9)


@pytest.fixture
def posterior(fake):
    return joint_t(X, rho=0.2, prior=JointPrior(scale_median=20.0), **RUN)


def test_another_correlation_is_that_of_a_fit_with_it(posterior, fake):
    other = joint_t(X, rho=0.5, **RUN)
    np.testing.assert_allclose(posterior.contrasts.with_rho(0.5).C, other.contrasts.C, rtol=1e-10)
    changed = {c.setting: c.contrasts for c in list_changes(posterior.contrasts, ())}
    assert list(changed) == ["ν − 1 ~ Gamma(2, 0.1)", "μ flat", "0", "0.4", "0.5"]
    np.testing.assert_allclose(changed["0.5"].C, other.contrasts.C, rtol=1e-10)


def test_weights_of_another_correlation_are_ratios_of_likelihoods(fake, monkeypatch):
    """Of 2,000 draws every second one: likelihoods take their time."""
    posterior = joint_t(X, rho=0.2, prior=JointPrior(scale_median=20.0), **RUN | {"draws": 1000})
    given = []

    def remembered(ratios):
        given.append(ratios)
        return np.full(ratios.shape, 1 / ratios.size), 0.1

    monkeypatch.setattr(sampling, "psis", remembered)
    rows = [(q, s) for q, s, _ in posterior.pair_variations(datasets=False)]
    assert rows[-1] == ("rho", ("0.5", 0.1, False, False))
    c = posterior.contrasts
    draws = posterior.mu[:, ::2], posterior.Sigma0[:, ::2], posterior.nu[:, ::2]
    wanted = c.with_rho(0.5).log_likelihood(*draws) - c.log_likelihood(*draws)
    np.testing.assert_allclose(given[-1], wanted.sum(axis=-1))
    nu = posterior.nu.ravel()[:5]
    # of 3 algorithms, bivariate Cauchy: (1 + s² / scale²)^(-3/2)
    s = np.std(posterior.mu, axis=-1, ddof=1) / c.scale_prior[-1]
    ratios = np.exp(-given[1]) * (1 + (s / 30) ** 2) ** 1.5
    np.testing.assert_allclose(ratios, ratios[0, 0], rtol=1e-6)
    gamma = stats.gamma.logpdf(nu - 1, 2, scale=10) - c.log_prior_of_nu(nu)
    np.testing.assert_allclose(given[0].ravel()[:5], gamma, atol=1e-3)


#: So few draws that no weights of them can be relied on.
FEW_DRAWS = RUN | {"draws": 10}


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_what_cannot_be_relied_on_is_fitted_again_if_asked(fake):
    posterior = joint_t(X, rho=0.2, prior=JointPrior(scale_median=20.0), **FEW_DRAWS)
    marked = [s for _, s, _ in posterior.pair_variations()]
    assert all(s.k_hat == np.inf and s.can_refit for s in marked)
    fake.requests.clear()
    rows = list(posterior.pair_variations(refit=True))
    assert all(s.k_hat == np.inf and s.refitted for _, s, _ in rows)
    data = [r.data for r in fake.requests[::2]]  # chains of so few draws disagree: each twice
    assert [d["q"] for d in data] == [4] * 5 + [3] * 4
    assert (data[0]["alpha_lower"], data[0]["beta_upper"]) == (2.0, 0.1)
    assert [d["mean_floor"] for d in data[:3]] == [0.05, 1e6, 0.05]
    assert {d["A_median"] for d in data} == {20.0}
    kept = np.sort([np.trace(C) for C in np.delete(posterior.contrasts.C, 1, axis=0)])
    given = np.sort([np.trace(C) for C in data[6]["C"]])
    np.testing.assert_allclose(given / given[0], kept / kept[0])
    for _, _, p in rows:
        assert p["A1", "A2"].sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_an_algorithm_seen_once_without_a_data_set_is_not_fitted_again(fake):
    x = X.copy()
    x[:2, :, 2] = np.nan
    posterior = joint_t(x, rho=0.2, **FEW_DRAWS)
    rows = {
        s.setting: s.refitted
        for q, s, _ in posterior.pair_variations(refit=True)
        if q == "without"
    }
    assert [rows[k] for k in "1234"] == [True, True, False, False]


def test_of_two_algorithms_the_test_of_two_is_named():
    posterior = joint_t(X[..., :2], rho=0.2, rope=0.01, seed=1)
    assert set(posterior.fixed) == {"prior", "rho", "without"}
    text = posterior.sensitivity().explain("paper")
    assert "the prior (of two algorithms, hierarchical_t varies it)" in text


@pytest.fixture
def of_four(fake, scores_of):
    return joint_t(scores_of(8, 20, 4), rho=0.1, rope=0.01, engine="fake", seed=1, draws=400)


def test_pairs_in_closed_form_are_the_shares_of_the_points(of_four):
    pairs = np.array([[0, 1], [1, 3]])
    exact = of_four._masses(pairs, 0.01)
    drawn = masses_of(of_four.clouds(), pairs, 0.01)
    for one, other in zip(exact, drawn, strict=True):
        np.testing.assert_allclose(one.mean(axis=0), other.mean(axis=0), atol=0.01)


def test_points_have_the_models_moments(of_four):
    (cloud,) = of_four.clouds()
    assert cloud.u.shape[1] == 16
    middle = np.median(cloud.u.reshape(-1, 4), axis=0)
    np.testing.assert_allclose(middle, of_four.averages.mean(axis=0), atol=0.002)


def test_heterogeneity_names_every_pair(of_four):
    table = of_four.heterogeneity()
    assert list(table.index) == of_four.pairs
    v = of_four.Sigma0[..., 0, 0] + of_four.Sigma0[..., 1, 1] - 2 * of_four.Sigma0[..., 0, 1]
    assert table.loc[("A1", "A2"), "sigma0"] == pytest.approx(np.median(np.sqrt(v)))
    assert (table["low"] < table["sigma0"]).all()
    assert (table["next_low"] < table["next_high"]).all()
    spread = of_four.verdict("A1", "A2").spread[0]
    assert spread.median == pytest.approx(table.loc[("A1", "A2"), "sigma0"])


def test_pairs_on_each_data_set_are_differences_of_the_effects_there(of_four):
    table = of_four.pairs_by_dataset()
    assert len(table) == 8 * 6
    dataset = of_four.datasets[2]
    d = of_four.u[:, :, 2, 3] - of_four.u[:, :, 2, 1]
    row = table.loc[(dataset, "A2", "A4")]
    assert row["mean"] == pytest.approx(d.mean())
    assert row["p_left"] == pytest.approx((d < -0.01).mean())
    assert row["p_right"] == pytest.approx((d > 0.01).mean())
    assert row["seen"]
    wide = of_four.pairs_by_dataset(rope=10.0)
    assert (wide["p_rope"] == 1).all()
    leads = of_four.by_dataset()["lead"]
    expected = leads[dataset, "A4"] - leads[dataset, "A2"]
    assert row["mean"] == pytest.approx(expected)


def test_statements_agree_with_one_another(of_four):
    expected = {k: v.expected for k, v in of_four.verdicts(0.0).items()}
    for name, p in of_four.best().items():
        for pair, regions in expected.items():
            if name in pair:
                side = "left" if name == pair[0] else "right"
                assert p <= regions[side] + 0.02
    text = of_four.explain("paper")
    assert "not adjusted for multiple comparisons" in text
    assert "algorithms and data sets share a hierarchical prior" in text


few = settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])


def fitted(x, rope, names=("A1", "A2", "A3")):
    """By draws about what the program is given: the same problem has the same draws."""
    places = np.indices(x.shape).reshape(3, -1)
    table = {"dataset": places[0], "fold": places[1], "algorithm": np.array(names)[places[2]]}
    scores = bc.Scores(
        pd.DataFrame({**table, "throughput": x.ravel()}), higher_is_better=["throughput"]
    )
    return joint_t(scores, rho=0.1, rope=rope, engine="fake", seed=1, draws=250)


@few
@given(
    seed=st.integers(0, 10**6),
    unit=st.sampled_from([1e-6, 0.3, 1e6]),
    ropes=st.tuples(st.floats(0.005, 0.05), st.floats(0.005, 0.05)),
)
def test_swap_units_order_and_refit(fake, seed, unit, ropes):
    rng, (rope, other) = np.random.default_rng(seed), ropes
    x = 0.8 + np.linspace(0, 0.02, 3) + rng.normal(0, 0.02, (5, 1, 3))
    x = x + rng.normal(0, 0.02, (5, 12, 3))
    own, refit, scaled = fitted(x, rope), fitted(x, other), fitted(unit * x, unit * rope)
    columns = rng.permutation(3)
    shuffled = x[rng.permutation(5)][:, rng.permutation(12)][..., columns]
    ordered = fitted(shuffled, rope, [f"A{k + 1}" for k in columns])
    for first, second in own.pairs:
        verdict = own.verdict(first, second)
        assert own.verdict(second, first).swapped().probabilities == verdict.probabilities
        for one, wanted in (
            (own.verdict(first, second, rope=other), refit.verdict(first, second)),
            (scaled.verdict(first, second), verdict),
            (ordered.verdict(first, second), verdict),
        ):
            assert one.probabilities == pytest.approx(wanted.probabilities, abs=1e-6)
            assert one.expected == pytest.approx(wanted.expected, abs=1e-6)
            assert one.location == pytest.approx(wanted.location, abs=1e-6)
