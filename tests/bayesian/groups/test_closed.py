"""Several algorithms on one data set: Bayesian ANOVA and MANOVA with folds as blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from bayescmp.bayesian import correlated_t, groups, multivariate_t
from bayescmp.frequentist import anova
from tests.bayesian.groups.tables import scores


@settings(max_examples=20)
@example(1486, 3, 0.0)  # two errors and a half apart
@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from([0.0, 0.1]))
def test_two_algorithms_are_the_multivariate_test(seed, p, rho):
    x = scores(seed, 2, 12, p)
    several = groups(x, rho=rho, rope=0.01, seed=1)
    pair = several.pair("A1", "A2")
    alone = multivariate_t(x[1] - x[0], rho=rho, rope=0.01, seed=1)
    assert pair.df == alone.df
    scale = pair.scale**2 if p == 1 else pair.scale
    np.testing.assert_allclose(scale, alone.scale if p > 1 else alone.scale[0, 0], rtol=1e-8)
    if p == 1:
        one = correlated_t((x[1] - x[0])[:, 0], rho=rho, rope=0.01)
        assert several.verdict().probabilities == pytest.approx(one.verdict().probabilities)
    else:
        actual, expected = several.verdict(), alone.verdict()
        for region, mass in expected.probabilities.items():
            error = np.hypot(actual.errors[region], expected.errors[region])
            assert abs(actual.probabilities[region] - mass) < 5 * error + 1e-6


def test_one_metric_is_the_blocked_anovas_t():
    # contrasts of a randomised complete block design: t with (L−1)(n−1) d.o.f., 2c·MS_E
    x = scores(3, 4, 15, 1)
    table = anova(x[..., 0], block=True)
    post = groups(x, rho=0.1, rope=0.01)
    c = 1 / 15 + 0.1 / 0.9
    mse = table.mean_squares[2]
    pair = post.pair("A2", "A4")
    assert pair.df == 3 * 14
    assert pair.scale == pytest.approx(np.sqrt(2 * c * mse), rel=1e-10)
    assert pair.location == pytest.approx(x[3].mean() - x[1].mean())
    expected = stats.t(42, pair.location, pair.scale)
    v = post.verdict("A2", "A4")
    assert v.p_left == pytest.approx(expected.cdf(-0.01), abs=1e-12)
    assert v.p_right == pytest.approx(expected.sf(0.01), abs=1e-12)


def test_joint_draws_have_the_contrasts_posterior():
    post = groups(scores(1), rho=0.1, rope=0.01, seed=2)
    tau = post.effects
    np.testing.assert_allclose(tau.sum(axis=1), 0, atol=1e-12)
    for i, j in ((0, 1), (1, 3)):
        pair = post.pair(f"A{i + 1}", f"A{j + 1}")
        d = tau[:, j] - tau[:, i]
        radius = pair.distribution.distance(d)
        assert stats.kstest(radius**2 / 2, stats.f(2, pair.df).cdf).pvalue > 1e-3
        for k in range(2):
            z = (d[:, k] - pair.location[k]) / np.sqrt(pair.scale[k, k])
            assert stats.kstest(z, stats.t(pair.df).cdf).pvalue > 1e-3
    # two pairs with one algorithm in common: their contrasts correlate at one half
    d1, d2 = tau[:, 1] - tau[:, 0], tau[:, 2] - tau[:, 0]
    assert np.corrcoef(d1[:, 0], d2[:, 0])[0, 1] == pytest.approx(0.5, abs=0.04)


def test_dependent_counts_live_on_a_subspace():
    rng = np.random.default_rng(4)
    tp, fp = rng.integers(30, 40, (3, 12)), rng.integers(3, 9, (3, 12))
    x = np.stack([tp, 50 - tp, fp, 50 - fp], axis=-1).astype(float)
    post = groups(x, ["tp", "fn", "fp", "tn"], rho=0.1, rope=1.0, seed=1)
    assert post.rank == 2
    assert post.df == 2 * 11 - 2 + 1
    assert any("subspace of dimension 2 of 4" in n for n in post.notes)
    two = groups(x[..., [0, 2]], ["tp", "fp"], rho=0.1, rope=1.0, seed=1)
    for pair in post.pairs:
        assert post.verdict(*pair).probabilities == pytest.approx(
            two.verdict(*pair).probabilities, abs=1e-4
        )


@pytest.mark.parametrize("p", [1, 2])
def test_ends_of_intervals_are_quantiles_of_the_t(p):
    """Of every pair and metric, both ends: the lower one at (1 − prob)/2."""
    post = groups(scores(4, 3, 12, p), rho=0.1, rope=0.01, variances="equal", seed=1)
    table = post.intervals(0.8)
    for first, second in post.pairs:
        pair = post.pair(first, second)
        scales = [pair.scale] if p == 1 else np.sqrt(np.diag(pair.scale))
        for j, metric in enumerate(post.metrics):
            t = stats.t(pair.df, np.atleast_1d(pair.location)[j], scales[j])
            row = table.loc[(first, second, metric)]
            assert row["low"] == pytest.approx(t.ppf(0.1), abs=1e-12)
            assert row["high"] == pytest.approx(t.ppf(0.9), abs=1e-12)
            assert row["mean"] == pytest.approx(t.mean(), abs=1e-12)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(1, 2))
def test_symmetries_with_equal_variances(seed, p):
    """Swap, order of algorithms and folds, units, and another rope against a fit with it."""
    x = scores(seed, 4, 9, p)
    ropes = [(-0.01, 0.02), 0.02][:p]
    post = groups(x, rho=0.1, rope=ropes, variances="equal", seed=1)
    v = post.verdict("A1", "A3")

    def same(w):
        worst = max(*v.errors.values(), *w.errors.values())
        for region, mass in v.probabilities.items():
            assert w.probabilities[region] == pytest.approx(mass, abs=8 * worst + 1e-9)

    order = [2, 0, 3, 1]
    turned = groups(
        x[order][:, ::-1],
        rho=0.1,
        rope=ropes,
        variances="equal",
        seed=2,
        names=[post.algorithms[i] for i in order],
    )
    same(turned.verdict("A1", "A3"))
    same(post.verdict("A3", "A1", rope=[(-0.02, 0.01), 0.02][:p]).swapped())
    units = np.array([100.0, 1e-3])[:p]
    scaled = [
        tuple(np.multiply(r if isinstance(r, tuple) else (-r, r), u))
        for r, u in zip(ropes, units, strict=True)
    ]
    other = groups(x * units, rho=0.1, rope=scaled, variances="equal", seed=3)
    same(other.verdict("A1", "A3"))
    assert other.p_best("m1") == pytest.approx(post.p_best("m1"), abs=0.04)
    refit = groups(x, rho=0.1, rope=0.05, variances="equal", seed=1).verdict("A1", "A3")
    wider = post.verdict("A1", "A3", rope=[0.05] * p)
    assert wider.probabilities == pytest.approx(refit.probabilities, abs=1e-12)
