"""Several algorithms, each with noise of its own."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import correlated_t, groups
from bayescmp.bayesian.groups.own import OwnVariancePosterior
from tests.bayesian.groups.tables import scores


def twins(seed=11, n=10, shift=0.0):
    """Two near-twins of sd 0.001, 0.015 apart, beside two of sd 0.05."""
    rng = np.random.default_rng(seed)
    folds = 0.8 + rng.normal(size=(1, n)) * 0.03
    x = folds + rng.normal(size=(4, n)) * np.array([0.001, 0.001, 0.05, 0.05])[:, None]
    x[1] += 0.015
    x[2:] += shift
    return x


def test_near_twins_beside_noisy_algorithms():
    """At 24bf92b P(second practically better) was .58; the pair alone says over .999."""
    x = twins()
    post = groups(x, rho=0.1, rope=0.01, seed=1)
    assert isinstance(post, OwnVariancePosterior)
    assert any("a check rejects a common one" in note for note in post.notes)
    alone = correlated_t(x[1] - x[0], rho=0.1, rope=0.01).verdict()
    assert alone.p_right > 0.999
    assert post.verdict("A1", "A2").p_right == pytest.approx(alone.p_right, abs=1e-3)
    pooled = groups(x, rho=0.1, rope=0.01, variances="equal", seed=1)
    assert pooled.verdict("A1", "A2").p_right < 0.75
    assert any("rejects it" in note for note in pooled.notes)
    # and the noisy pair is not more certain than its own folds allow
    wide = post.pair("A3", "A4").interval()
    own = correlated_t(x[3] - x[2], rho=0.1, rope=0.01).hdi()
    assert (wide[1] - wide[0]) == pytest.approx(own[1] - own[0], rel=0.25)


def test_equal_shares_are_the_closed_form():
    x = scores(3, 4, 9, 2)
    exact = groups(x, rho=0.1, rope=0.01, variances="equal", seed=1)
    own = groups(x, rho=0.1, rope=0.01, variances="own", seed=1)
    shares = np.full((4, 2500, 4), 0.25)
    errors = np.broadcast_to(np.eye(2) / 4, (4, 2500, 2, 2))
    same = replace(own, shares=shares, errors=errors)
    assert same.df == exact.df
    for pair in exact.pairs:
        p, q = same.verdict(*pair), exact.verdict(*pair)
        for region, mass in q.probabilities.items():
            assert abs(p.probabilities[region] - mass) < 4.5 * p.errors[region] + 1e-4
    one, alone = (p.transform([[0.5, 0.5]], rope=0.01) for p in (same, exact))
    posterior, expected = one.verdict("A1", "A3"), alone.verdict("A1", "A3")
    assert posterior.probabilities == pytest.approx(expected.probabilities, abs=1e-10)


def test_joint_draws_have_the_pairs_posterior():
    post = groups(twins(), rho=0.1, rope=0.01, seed=2)
    np.testing.assert_allclose(post.effects.sum(axis=1), 0, atol=1e-12)
    for pair in (("A1", "A2"), ("A1", "A4")):
        i, j = (post.algorithms.index(a) for a in pair)
        mixture = post.pair(*pair)
        u = np.array([mixture.cdf(d) for d in (post.effects[:, j] - post.effects[:, i])[::40, 0]])
        assert stats.kstest(u, "uniform").pvalue > 1e-3


@settings(max_examples=6)
@given(st.integers(0, 10_000), st.integers(1, 2))
def test_symmetries(seed, p):
    rng = np.random.default_rng(seed)
    x = 0.7 + rng.normal(size=(4, 8, p)) * np.array([0.01, 0.01, 0.03, 0.06])[:, None, None]
    ropes = [(-0.01, 0.02), 0.02][:p]
    post = groups(x, rho=0.1, rope=ropes, variances="own", seed=1)
    v = post.verdict("A1", "A3")

    def same(w):
        for region, mass in v.probabilities.items():
            error = np.hypot(v.errors[region], w.errors[region])
            assert abs(w.probabilities[region] - mass) < 5 * error + 1e-9

    order = [2, 0, 3, 1]
    turned = groups(x[order][:, ::-1], rho=0.1, rope=ropes, variances="own", seed=2,
                    names=[post.algorithms[i] for i in order])  # fmt: skip
    same(turned.verdict("A1", "A3"))
    back = [(-0.02, 0.01), 0.02][:p]
    same(post.verdict("A3", "A1", rope=back).swapped())
    units = np.array([100.0, 1e-3])[:p]
    scaled = [tuple(np.multiply(r if isinstance(r, tuple) else (-r, r), u))
              for r, u in zip(ropes, units, strict=True)]  # fmt: skip
    other = groups(x * units, rho=0.1, rope=scaled, variances="own", seed=3)
    same(other.verdict("A1", "A3"))
    wider = post.verdict("A1", "A3", rope=[0.05] * p)
    refit = groups(x, rho=0.1, rope=0.05, variances="own", seed=1).verdict("A1", "A3")
    assert wider.probabilities == pytest.approx(refit.probabilities, abs=1e-12)


def test_algorithms_that_never_differ_get_the_spread_of_rounding():
    """The same predictions under two names: improper without it."""
    rng = np.random.default_rng(1)
    x = rng.integers(30, 45, (4, 10)) / 50
    x[1] = x[0]
    post = groups(x, rho=0.1, rope=0.01, variances="own", seed=1)
    assert any("A1 and A2 differs by the same amount in every fold" in n for n in post.notes)
    pair = post.pair("A1", "A2")
    # rounding to 0.02: n h²/12 on nine degrees of freedom, as in the correlated t test
    alone = correlated_t(np.zeros(10), rho=0.1, rope=0.01, resolution=0.02)
    low, high = pair.interval()
    assert 0.4 < (high - low) / (alone.hdi()[1] - alone.hdi()[0]) < 2.5
    assert pair.verdict().p_left == pytest.approx(pair.verdict().p_right)


@pytest.mark.calibration
def test_calibrated_where_levels_differ():
    """95 % intervals of the noisy pair cover in 91 to 98.5 % of 250 data sets; pooled less."""
    rng = np.random.default_rng(8)
    sd, covered = np.array([0.2, 0.2, 1.0, 1.0]), []
    for seed in range(250):
        z = rng.normal(size=(4, 11))
        e = (np.sqrt(0.1) * z[:, :1] + np.sqrt(0.9) * z[:, 1:]) * sd[:, None]
        pooled, own = (groups(e, rho=0.1, rope=0.1, variances=v, seed=seed).pair("A3", "A4")
                       for v in ("equal", "own"))  # fmt: skip
        covered.append((pooled.hdi()[0] < 0 < pooled.hdi()[1], 0.025 < own.cdf(0.0) < 0.975))
    equal, each = np.mean(covered, axis=0)
    assert equal < 0.92
    assert 0.91 < each < 0.985  # binomial, 250 trials


def test_saved_and_loaded(tmp_path):
    post = groups(scores(1, 3, 8, 2), rho=0.1, rope=[0.01, 0.02], variances="own", seed=3)
    one = groups(twins(), rho=0.1, rope=0.01, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for posterior in (post, one):
            posterior.save(tmp_path / "g.nc")
            back = bc.load(tmp_path / "g.nc")
            assert str(back) == str(posterior)
            assert back.verdicts() == posterior.verdicts()


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (scores(), {"variances": "some"}, "unknown variances 'some'"),
        (scores(L=2), {"variances": "own"}, "three algorithms or more"),
        (scores(), {"variances": "own", "noise": "t"}, "variances='own' has normal noise"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        groups(x, **{"rho": 0.1, "rope": 0.01, **options})


def test_the_ellipsoid_of_draws_is_that_of_the_closed_form():
    """Equal shares, as above, and a third metric that follows from the other two."""
    x = scores(3, 4, 9, 2)
    x = np.concatenate([x, x[..., :1] - x[..., 1:]], axis=-1)
    exact = groups(x, rho=0.1, rope=0.01, variances="equal", seed=1).pair("A1", "A2")
    own = groups(x, rho=0.1, rope=0.01, variances="own", seed=1)
    shares = np.full((4, 2500, 4), 0.25)
    same = replace(own, shares=shares, errors=np.broadcast_to(np.eye(2) / 4, (4, 2500, 2, 2)))
    drawn = same.pair("A1", "A2")
    points = exact.distribution.sample(np.random.default_rng(5), (20_000,))
    for prob in (0.5, 0.95):
        inside = drawn.contains(points, prob)
        # the quantile of 10,000 draws and the share of 20,000 points: sd 0.006 at most
        assert inside.mean() == pytest.approx(prob, abs=0.02)
        assert np.mean(inside == exact.contains(points, prob)) > 0.97
    off = points[:5] + np.array([0.0, 0.0, 1e-3])
    assert not drawn.contains(off, 0.999).any()
    with pytest.raises(bc.InputError, match=r"accepted: \(\.\.\., 3\)"):
        drawn.contains([0.1, 0.2])
