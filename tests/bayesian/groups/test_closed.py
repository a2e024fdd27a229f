"""Several algorithms on one data set: Bayesian ANOVA and MANOVA with folds as blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import correlated_t, groups, multivariate_t
from bayescmp.frequentist import anova
from tests.bayesian.groups.tables import scores


@settings(deadline=None, max_examples=20)
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
        found, expected = several.verdict().probabilities, alone.verdict().probabilities
        assert found == pytest.approx(expected, abs=1e-4)


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


def test_linear_maps_and_learned_measures():
    x = scores(6, 4, 25, 3, spread=0.05)
    post = groups(x, rho=0.1, rope=0.01, seed=1)
    M = np.array([[1.0, 1, 0], [0, 1, -1], [0.5, 0, 2]])
    mapped, refitted = post.transform(M), groups(x @ M.T, rho=0.1, rope=0, seed=1)
    np.testing.assert_allclose(mapped.location, refitted.location, atol=1e-12)
    a, b = mapped.pair("A1", "A3"), refitted.pair("A1", "A3")
    assert a.df == b.df
    np.testing.assert_allclose(a.scale, b.scale, rtol=1e-8, atol=1e-15)
    learned = post.learned(2, rope=0.1)
    assert learned.metrics == ("M1", "M2")
    # unit standard deviation within algorithms, uncorrelated; the first separates most
    W = learned.factor @ learned.factor.T * learned.df / (2 * learned.inflation)
    np.testing.assert_allclose(W / ((4 - 1) * 24), np.eye(2), atol=1e-8)
    spread = learned.location.var(axis=0)
    assert spread[0] > spread[1]
    assert any("M1 = " in n for n in learned.notes)
    only = post.select("m2")
    assert only.metrics == ("m2",)
    assert only.verdict("A1", "A2").p_rope >= 0


def test_refused_by_the_result():
    two = groups(scores(1, 3, 20, 2), rho=0.1, rope=0.01, seed=1)
    one = groups(scores(1, 3, 20, 1), rho=0.1, rope=0.01, seed=1)
    for k in (0, -1, 9, "a"):
        with pytest.raises(bc.InputError, match="k="):
            two.learned(k)
    with pytest.raises(bc.InputError, match="metrics is empty"):
        two.select([])
    with pytest.raises(bc.InputError, match=r"'dominance': known: 'm1'$"):
        one.ranking("dominance")
