"""A judge corrected by human scores: against ppi_py and statsmodels, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import judge_corrected
from tests.rows import each_row

Y = np.array([1, 0, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0, -1, 0, 1, 0, 0, 1, 0, 1, 0, 0, -1, 1.0])
F = np.array([1, 0, 1, 1, -1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, -1, 0.0])
OTHER = np.tile([1.0, 0, 1, 1, 0, 0, 1, 0, -1, 0], 9)


def test_the_estimate_is_that_of_its_authors():
    """ppi_py 0.2.3: _calc_lam_glm, with 1/n in the covariance; ppi_mean_pointestimate(lam=λ)."""
    post = judge_corrected(Y, F, OTHER, rope=0.1)
    assert post.weight * 23 / 24 == pytest.approx(0.6177694695259592, rel=1e-12)
    assert post.location == pytest.approx(0.20165282412405539, rel=1e-12)
    w = post.weight
    scale = np.sqrt(np.var(Y - w * F, ddof=1) / 24 + w**2 * np.var(OTHER, ddof=1) / 90)
    right = stats.t(23, 0.20165282412405539, scale).sf(0.1)
    assert post.verdict().p_right == pytest.approx(right, abs=1e-12)
    interval = stats.t.interval(0.95, 23, post.location, scale)
    assert (post.bias, *post.interval) == pytest.approx((9 / 24 - 6 / 24, *interval), abs=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([1e-3, 0.3, 100.0]), st.floats(0.01, 0.5))
def test_swapping_models_order_and_units(seed, unit, rope):
    """Mirrored, in another order, and in another unit, the probabilities are the same."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.1, 1, 60)
    judge = truth + rng.normal(0.3, 0.5, 60)
    y, f, other = truth[:30], judge[:30], judge[30:]
    p = [*judge_corrected(y, f, other, rope=rope).verdict().probabilities.values()]
    order, rest = rng.permutation(30), rng.permutation(30)
    for post, expected in (
        (judge_corrected(-y, -f, -other, rope=rope), p[::-1]),
        (judge_corrected(y[order], f[order], other[rest], rope=rope), p),
        (judge_corrected(y * unit, f * unit, other * unit, rope=rope * unit), p),
    ):
        assert [*post.verdict().probabilities.values()] == pytest.approx(expected, abs=1e-9)


def test_errors_of_clusters_are_those_of_statsmodels():
    """OLS on a constant, cov_type="cluster" (statsmodels 0.14); G/(G − 1) is its only factor."""
    clusters = np.r_[np.arange(24) // 1, 24 + np.arange(90) // 3]
    clusters[1] = clusters[0]
    post = judge_corrected(Y, F, OTHER, clusters=clusters)
    assert (post.df, post.clusters) == (22, 53)
    everything = (np.r_[F, OTHER], clusters), (Y, clusters[:24]), (F - Y, clusters[:24])
    for (x, groups), own in zip(
        everything, (post.judge_scale, post.human_scale, post.bias_scale), strict=True
    ):
        fit = sm.OLS(x, np.ones(len(x))).fit(cov_type="cluster", cov_kwds={"groups": groups})
        assert own == pytest.approx(fit.bse[0], rel=1e-9)


def test_clusters_of_single_questions_change_nothing_and_shared_ones_widen():
    alone, apart = (judge_corrected(Y, F, OTHER, clusters=c) for c in (None, np.arange(114)[::-1]))
    assert apart.interval == pytest.approx(alone.interval, rel=1e-12)
    # each labelled question with three others that the judge scores alike
    same = np.repeat(F, 3)
    shared = judge_corrected(Y, F, same, clusters=np.r_[np.arange(24), np.arange(72) // 3])
    own = judge_corrected(Y, F, same, clusters=np.r_[np.arange(24), 24 + np.arange(72) // 3])
    # what the judge adds is what it took: θ = mean(y) whatever λ, and so is the error
    assert shared.scale == pytest.approx(stats.sem(Y), rel=1e-12)
    assert shared.location == pytest.approx(Y.mean(), rel=1e-12)
    assert own.scale != pytest.approx(shared.scale, rel=0.01)


def test_a_judge_that_does_not_follow_humans_changes_nothing():
    post = judge_corrected(Y, -F, OTHER)
    assert post.weight == 0
    assert post.interval == pytest.approx(
        stats.t.interval(0.95, 23, Y.mean(), stats.sem(Y)), abs=1e-12
    )


def table(n=60, labelled=30, **columns):
    """Two models by a judge, and by humans on the first questions."""
    rng = np.random.default_rng(3)
    right = rng.random((2, n)) < 0.6
    frame = pd.DataFrame(
        {
            "model": np.repeat(["a <1>", "b{x}"], n),
            "question": [*range(n)] * 2,
            "judge": (right | (rng.random((2, n)) < 0.2)).ravel().astype(float),
            "human_score": np.where(np.arange(n) < labelled, right, np.nan).ravel(),
        }
    )
    return frame.assign(**columns)


def test_a_column_of_human_scores_is_used_by_itself():
    frame = table()
    frame.loc[3, "human_score"] = np.nan  # of one model only
    items = bc.Items(frame)
    post = bc.compare(items, rope=0.02)
    assert (post.kind, post.labelled, post.judged) == ("judge_corrected", 29, 31)
    y, f = (frame[c].to_numpy().reshape(2, 60) for c in ("human_score", "judge"))
    kept = np.arange(60) < 30
    kept[3] = False
    direct = judge_corrected(
        (y[1] - y[0])[kept], (f[1] - f[0])[kept], (f[1] - f[0])[~kept], rope=0.02
    )
    assert post.verdict().probabilities == direct.verdict().probabilities
    assert post.bias == direct.bias
    assert any("the judge's bias is" in note and "favour of" in note for note in post.notes)
    assert any("1 question with a human score of only one model" in note for note in post.notes)
    swapped = bc.compare(items, "b{x}", "a <1>", rope=0.02)
    assert swapped.verdict().p_left == pytest.approx(post.verdict().p_right, abs=1e-12)
    lower = bc.compare(bc.Items(frame, metric="judge", lower_is_better=["judge"]), rope=0.02)
    assert lower.verdict().p_left == pytest.approx(post.verdict().p_right, abs=1e-12)
    one = bc.estimate(items, "b{x}").estimates[0]
    y, f = frame.iloc[60:]["human_score"].to_numpy(), frame.iloc[60:]["judge"].to_numpy()
    alone = judge_corrected(y[:30], f[:30], f[30:])
    assert (one.mean, *one.interval) == pytest.approx((alone.location, *alone.interval), rel=1e-12)


def test_a_sample_of_labels_that_is_not_random_is_doubted():
    x = np.tile([0.0, 1], 30)
    notes = judge_corrected(x[:40] + np.arange(40) % 3, x[:40], x + 5).notes
    assert any("may not be a random sample" in note for note in notes)


@each_row(
    ("arguments", "options", "message"),
    [
        ((Y, F[:20], OTHER), {}, r"judge must have a score for each of 24 human ones \(got 20\)"),
        ((Y, F, OTHER[:1]), {}, "judge_only must have at least two questions"),
        ((Y * 0, F, OTHER), {}, r"human must hold differences that vary \(got 24 questions"),
        ((Y, F, OTHER * np.nan), {}, "judge_only must hold finite numbers"),
        ((Y, F, OTHER), {"clusters": [1] * 24}, "one label for each of 114 questions"),
        (
            (Y, F, OTHER),
            {"clusters": np.arange(114) // 2},
            r"at least 20 clusters of labelled questions \(got 24 questions in 12 clusters\)",
        ),
        (
            (pd.DataFrame({"a": Y, "b": F}), pd.DataFrame({"a": Y, "c": F}), OTHER),
            {},
            "differ|must",
        ),
    ],
)
def test_what_is_refused(arguments, options, message):
    with pytest.raises(bc.InputError, match=message):
        judge_corrected(*arguments, **options)


@each_row(
    "ask",
    [
        lambda items: items.blocks(),
        lambda items: items.group(),
        lambda items: items.pass_at(1),
        lambda items: items.noise("a <1>", "b{x}"),
        lambda items: bc.compare(items, test="cluster_bootstrap"),
        lambda items: bc.compare_all(items),
        lambda items: bc.bayesian.cluster_bootstrap(items.pair("a <1>", "b{x}")),
        lambda items: bc.frequentist.mcnemar(items.pair("a <1>", "b{x}")),
        lambda items: bc.gate(items, "a <1>", "b{x}", margin=0.05, sequential=True),
    ],
)
def test_what_would_ignore_human_scores_refuses_them(ask):
    with pytest.raises(bc.InputError, match="Leave their column out"):
        ask(bc.Items(table()))
