"""What follows from draws: summaries, warnings, Monte Carlo errors, ArviZ's view."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, signal, stats

import bayescmp as bc
from bayescmp.bayesian import bootstrap, friedman, groups
from bayescmp.bayesian.sampling import diagnose
from bayescmp.errors import DiagnosticWarning, InputError
from bayescmp.results import arviz
from bayescmp.results.arviz import kernel_density, summarise_draws, summary_frame, summary_row
from bayescmp.results.diagnostics import inner, mean_errors, share_errors
from bayescmp.results.posterior import Posterior, all_probabilities
from bayescmp.scores.metrics import head_table
from tests.rows import each_row

# What follows from draws: summaries, kernel estimates, warnings.


def test_a_doubtful_posterior_warns_at_the_users_line():
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    doubtful = dataclasses.replace(
        posterior,
        diagnostics=dataclasses.replace(posterior.diagnostics, messages=("chains disagree",)),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DiagnosticWarning)
        doubtful.warn_if_doubtful()
        posterior.warn_if_doubtful()
    (warning,) = caught
    assert warning.filename == __file__
    assert "of first and second: chains disagree" in str(warning.message)


def test_a_curve_has_the_verdicts_own_numbers():
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    curve = posterior.rope_curve([0.0, 0.02])
    assert list(curve) == ["p_left", "p_rope", "p_right", "se_left", "se_rope", "se_right"]
    assert curve.loc[0.02, "p_rope"] == posterior.verdict(0.02).p_rope
    assert curve.filter(like="p_").sum(axis=1).to_numpy() == pytest.approx(1)
    for bad in (-1, np.nan, [], "wide"):
        with pytest.raises(InputError, match=r"widths(=| must)"):
            posterior.rope_curve(bad)


# Direction and resampling.


def _losses():
    """Errors of two algorithms on three data sets, 2 x 5 folds; the second is better."""
    rng = np.random.default_rng(0)
    rows = [
        {"dataset": d, "algorithm": a, "repeat": r, "fold": f, "rmse": base + 0.01 * rng.random()}
        for d in "xyz"
        for a, base in (("old", 0.3), ("new", 0.1))
        for r in (1, 2)
        for f in range(5)
    ]
    return bc.Scores(pd.DataFrame(rows))


@each_row("test", ["hierarchical_t", "signed_rank", "sign"])
def test_direction_and_resampling_are_printed_and_saved(test, tmp_path):
    options = {"engine": "quadrature"} if test == "hierarchical_t" else {}
    posterior = bc.compare(_losses(), "old", "new", rope=0.01, test=test, seed=1, **options)
    assert "rmse ↓, ROPE" in str(posterior)
    sentence = "rho 0.2: 5 folds, 2 repeats" if test == "hierarchical_t" else ""
    assert posterior.resampling == sentence
    printed = " ".join(str(posterior).split())
    assert ("rho 0.2: 5 folds, 2 repeats" in printed) == bool(sentence)
    posterior.save(tmp_path / "posterior.npz")
    again = bc.load(tmp_path / "posterior.npz")
    assert (again.directions, again.resampling) == (posterior.directions, posterior.resampling)
    verdict = posterior.verdict()
    assert verdict.p_right > verdict.p_left  # the smaller error


def test_pairs_print_direction_and_resampling():
    result = bc.compare_all(
        _losses(), rope=0.01, test="hierarchical_t", engine="quadrature", progress=False
    )
    first, *lines = str(result).splitlines()
    assert first.endswith("rmse ↓, ROPE ±0.01, 3 data sets")
    assert "rho 0.2: 5 folds, 2 repeats" in " ".join(lines)
    row = result.frame.iloc[0]
    assert (row["better"], row["resampling"]) == ("lower", "rho 0.2: 5 folds, 2 repeats")


def test_assumed_directions_are_marked():
    scores = bc.Scores(_losses().frame.rename(columns={"rmse": "foo"}))
    with pytest.warns(bc.DirectionWarning):
        posterior = bc.compare(scores, "old", "new", rope=0.01, test="sign")
    assert "foo ↑ (assumed), ROPE" in str(posterior)


def test_bare_numbers_have_neither():
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    assert (posterior.measured, posterior.directions) == ("", ())
    assert posterior.resampling == "rho 0.1: as given"


@each_row("plot", ["plot_rope_curve", "plot_density"])
def test_axes_say_the_direction(plot):
    posterior = bc.compare(_losses(), "old", "new", rope=0.01, dataset="x")
    ax = getattr(bc.plots, plot)(posterior)
    assert any("rmse ↓" in text for text in (ax.get_xlabel(), ax.get_ylabel()))


def test_several_metrics_say_their_directions():
    rng = np.random.default_rng(0)
    blocks = bc.Blocks(rng.normal(0.5, 0.1, (2, 20, 2)), rho=0.1, metrics=["tpr", "fpr"])
    pair = bc.bayesian.multivariate_t(blocks, rope=0.01)
    assert "tpr ↑, fpr ↓, ROPE ±0.01" in str(pair)
    three = bc.Blocks(rng.normal(0.5, 0.1, (3, 20, 2)), rho=0.1, metrics=["tpr", "fpr"])
    assert "tpr ↑, fpr ↓" in str(bc.bayesian.groups(three, rope=0.01, variances="equal"))
    bare = bc.bayesian.multivariate_t(rng.normal(size=(20, 2)), rho=0.1, rope=0.01)
    assert "↑" not in str(bare)


MEANS = np.random.default_rng(2).normal([0.70, 0.71, 0.75], 0.02, (6, 3))


def test_which_they_are():
    for posterior in (
        groups(MEANS.T, rho=0.1, rope=0.01, seed=1),
        bootstrap(MEANS, rope=0.01, seed=1, draws=100),
        friedman(MEANS, seed=1, draws=100),
    ):
        assert not isinstance(posterior, Posterior)
        numbers = all_probabilities(posterior)
        assert list(numbers) == posterior.pairs == list(posterior.verdicts())
        for pair, verdict in posterior.verdicts().items():
            assert numbers[pair].tolist() == list(verdict.probabilities.values())


def test_what_cannot_be_varied_is_a_question_with_a_reason():
    posterior = bootstrap(MEANS, rope=0.01, seed=1, draws=100)
    assert set(posterior.fixed) == {"prior", "rho"}


# Monte Carlo errors of shares, and what is wrong with a run in words.


def test_errors_of_independent_draws_are_binomial():
    rng = np.random.default_rng(3)
    shares = (rng.random((4, 2500, 1)) < 0.3).astype(float)
    p = shares.mean()
    assert share_errors(shares, independent=True)[0] == pytest.approx(np.sqrt(p * (1 - p) / 1e4))
    assert share_errors(shares)[0] == pytest.approx(np.sqrt(p * (1 - p) / 1e4), rel=0.1)


def test_errors_of_a_sticky_chain_are_those_of_repeated_runs():
    """A two-state Markov chain, whose mean's variance is known: p(1-p)/N (1+a)/(1-a)."""
    rng, a, n = np.random.default_rng(4), 0.9, 2500
    u, fresh = rng.random((4, n)) < a, rng.random((4, n)) < 0.4
    states = fresh.copy()
    for t in range(1, n):
        states[:, t] = np.where(u[:, t], states[:, t - 1], fresh[:, t])
    p = states.mean()
    exact = np.sqrt(p * (1 - p) / (4 * n) * (1 + a) / (1 - a))
    assert share_errors(states[..., None].astype(float))[0] == pytest.approx(exact, rel=0.25)


def test_errors_of_split_shares_are_those_over_runs():
    """Three that tie split a rank: their shares vary less than indicators of the same mean."""
    rng = np.random.default_rng(6)
    tied = rng.random((400, 4, 250)) < 0.9
    split = np.where(tied, 1 / 3, rng.random(tied.shape) < 1 / 3)
    expected = split.mean(axis=(1, 2)).std(ddof=1)
    errors = share_errors(np.stack(split[:30], axis=-1), independent=True)
    assert errors.mean() == pytest.approx(expected, rel=0.15)
    always = np.full((4, 250, 1), 1 / 3)
    assert share_errors(always) == pytest.approx(share_errors(np.zeros((4, 250, 1))))


@each_row("independent", [True, False])
def test_no_share_is_certain(independent):
    shares = np.zeros((4, 250, 2))
    shares[..., 1] = 1
    p = 0.5 / 1001
    errors = share_errors(shares, independent=independent)
    assert errors == pytest.approx(np.sqrt(p * (1 - p) / 1000))
    assert inner(np.array([0.0, 0.5, 1.0]), 1000).tolist() == [p, 0.5, 1 - p]


def test_failures_are_named():
    rng = np.random.default_rng(5)
    draws = {"delta": rng.normal(size=(4, 100)) + 5 * np.arange(4)[:, None]}
    stats = {
        "diverging": np.eye(4, 100, dtype=bool),
        "tree_depth": np.full((4, 100), 10),
        "energy": np.cumsum(rng.normal(size=(4, 100)), axis=1),
    }
    result = diagnose(draws, stats, ["delta"], max_treedepth=10, adapt_delta=0.8)
    text = "; ".join(result.messages)
    for part in ("r-hat", "effective sample size", "4 divergent", "400 transitions", "e-bfmi"):
        assert part in text
    assert not result.ok


@each_row("independent", [True, False])
def test_errors_of_means_are_those_over_runs(independent):
    """Of 200 runs of 4 chains: AR(1) with coefficient 0.8 has nine times the variance."""
    rng = np.random.default_rng(3)
    runs, size = 200, 1000
    z = rng.normal(size=(runs, 4, size))
    if not independent:
        z = signal.lfilter([np.sqrt(1 - 0.8**2)], [1, -0.8], z, axis=-1)
    values = np.stack([z, z > 1, np.zeros_like(z)], axis=-1)
    expected = values.mean(axis=(1, 2)).std(axis=0, ddof=1)
    reported = np.mean([mean_errors(v, independent=independent) for v in values[:30]], axis=0)
    np.testing.assert_allclose(reported[:2], expected[:2], rtol=0.2)
    assert reported[2] == 0


# The one place that knows ArviZ: the same groups come back, and its numbers are ArviZ's own.


RNG = np.random.default_rng(6)
GROUPS = {
    "posterior": {"delta": RNG.normal(size=(2, 50, 3)), "nu": RNG.normal(size=(2, 50))},
    "sample_stats": {"diverging": np.zeros((2, 50), dtype=bool)},
    "constant_data": {"x": np.arange(3.0)},
    "prior": {},
}


def test_groups_have_their_arrays_labels_and_attributes():
    data = arviz.from_groups(
        GROUPS,
        coords={"dataset": ["a", "b", "c"]},
        dims={"delta": ["dataset"], "x": ["dataset"]},
        attrs={"made": "here"},
    )
    for group in ("posterior", "sample_stats", "constant_data"):
        for name, values in GROUPS[group].items():
            assert np.array_equal(data[group][name], values)
    assert data["posterior"].attrs["made"] == "here"
    assert list(data["posterior"]["dataset"].to_numpy()) == ["a", "b", "c"]


def test_rhat_is_one_of_independent_draws_and_large_of_chains_apart():
    draws = RNG.normal(size=(4, 1000))
    assert arviz.rhat(draws) == pytest.approx(1, abs=0.01)
    # two of four chains 3 sd away: the pooled over the within sd of ranks, roughly
    assert arviz.rhat(draws + np.array([[0], [0], [3], [3]])) > 1.5


def test_ess_of_an_autoregression():
    """n (1 - a) / (1 + a) for x_t = a x_{t-1} + noise."""
    a, n = 0.6, 4000
    noise = stats.norm.rvs(size=(4, n), random_state=7)
    draws = np.empty((4, n))
    draws[:, 0] = noise[:, 0] / np.sqrt(1 - a**2)
    for t in range(1, n):
        draws[:, t] = a * draws[:, t - 1] + noise[:, t]
    assert arviz.ess(draws, "mean") == pytest.approx(4 * n * (1 - a) / (1 + a), rel=0.12)


def test_ess_of_the_tails_is_of_their_twentieths():
    """Of the indicators of both tails, the smaller: computed from the definition.

    Vehtari et al. (2021), section 4.3. The chains wander below their median alone, so that any
    other pair of quantiles gives another number.
    """
    noise = RNG.normal(size=(4, 1000))
    slow = np.abs(np.cumsum(RNG.normal(size=(4, 1000)), axis=1) / 5)
    draws = np.where(noise < -1, noise - slow, noise)
    below = [arviz.ess((draws <= np.quantile(draws, p)) * 1.0, "mean") for p in (0.05, 0.95)]
    assert arviz.ess(draws, "tail") == pytest.approx(min(below))


CHAINS = {
    "independent": lambda x: x,
    "slow": lambda x: np.cumsum(x, axis=1) / np.arange(1, x.shape[1] + 1),
    "wandering": lambda x: np.cumsum(x, axis=1),
    "alternating": lambda x: x + 3 * (-1) ** np.arange(x.shape[1]),
    "ties": np.round,
    "shares": lambda x: (x > 1) * 1.0,
    "heavy tails": lambda x: np.exp(5 * x),
    "apart": lambda x: x + np.arange(len(x))[:, None],
    "constant": lambda x: 0 * x,
}


@each_row("kind", CHAINS)
@each_row("shape", [(1, 300), (2, 4), (2, 5), (3, 6), (2, 7), (4, 9), (4, 500)])
def test_mixing_is_judged_as_by_arviz(kind, shape):
    import arviz as peer

    draws = CHAINS[kind](np.random.default_rng(shape).normal(size=shape))
    with np.errstate(invalid="ignore"):
        rhat = float(peer.rhat(draws)) if len(draws) > 1 else np.nan
    assert arviz.rhat(draws) == pytest.approx(rhat, rel=1e-12, nan_ok=True)
    for method, options in {"bulk": {}, "mean": {}, "tail": {"prob": (0.05, 0.95)}}.items():
        size = float(peer.ess(draws, method=method, **options))
        assert arviz.ess(draws, method) == pytest.approx(size, rel=1e-12)


@each_row("draws", [np.zeros((2, 3)), np.full((4, 100), np.nan)])
def test_mixing_of_what_tells_nothing_is_missing(draws):
    assert np.isnan(
        [arviz.rhat(draws), *(arviz.ess(draws, m) for m in ("bulk", "tail", "mean"))]
    ).all()


def test_summaries_are_those_of_numpy_and_arviz():
    import arviz

    draws = np.random.default_rng(1).normal(size=(4, 500))
    row = summary_row(draws)
    assert row["mean"] == pytest.approx(draws.mean())
    assert row["97.5%"] == pytest.approx(np.percentile(draws, 97.5))
    assert row["ess_bulk"] == pytest.approx(float(arviz.ess(draws, method="bulk")))
    assert row["rhat"] == pytest.approx(float(arviz.rhat(draws)))
    assert summarise_draws(draws).items() <= row.items()


@each_row("scale", [1e-9, 1.0, 1e6])
def test_kernel_density_is_that_of_the_draws(scale):
    """SciPy 1.17: gaussian_kde(draws, bw_method=width / sd), the same rule for the width."""
    draws = np.random.default_rng(2).standard_t(5, size=(4, 1000)) * scale
    x, density = kernel_density(draws)
    q1, q3 = np.quantile(draws, [0.25, 0.75])
    width = 0.9 * min(draws.std(ddof=1), (q3 - q1) / 1.34) * draws.size**-0.2
    exact = stats.gaussian_kde(draws.ravel(), bw_method=width / draws.std(ddof=1))(x)
    assert density == pytest.approx(exact, rel=5e-3, abs=2e-3 / scale)
    assert integrate.trapezoid(density, x) == pytest.approx(0.999, abs=2e-3)


@each_row("measured", ["rmse ↓", ""])
def test_a_table_of_summaries_is_that_of_pandas(measured):
    draws = np.random.default_rng(1).normal(size=(3, 4, 200))
    rows = {
        "delta0": summary_row(draws[0]),
        "nu": summary_row(draws[1]),
        "delta[iris]": summarise_draws(draws[2]),
    }
    expected = head_table(pd.DataFrame.from_dict(rows, orient="index"), measured)
    frame = summary_frame(rows, measured)
    pd.testing.assert_frame_equal(frame, expected, check_exact=True)
    frame.index.name, frame.columns.name = "parameter", "changed"  # a table of the user's own
    pd.testing.assert_frame_equal(summary_frame(rows, measured), expected, check_exact=True)


def test_a_posterior_without_a_plan_says_which_have_one():
    """The ways that it names are gone: a test of several data sets has a plan."""
    folds = bc.bayesian.correlated_t([0.1, 0.2, 0.15], rho=0.1, rope=0.01)
    assert ".plan()" not in str(folds)
    with pytest.raises(bc.InputError, match=r"no plan .* signed_rank have \.plan\(\)"):
        folds.plan("a", "b")
    several = bc.bayesian.signed_rank([0.1, 0.2, 0.15], rope=0.01, seed=1)
    assert len(several.plan(datasets=[2], simulations=3, progress=False).frame)


def test_scores_whose_means_overflow_are_refused():
    x = np.random.default_rng(0).random((3, 10)) * 1e308
    for variances in ("equal", "own"):
        with pytest.raises(bc.InputError, match="Give the metric in another unit"):
            bc.bayesian.groups(x, rho=0.1, rope=0.1, variances=variances)
