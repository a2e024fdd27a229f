"""Several algorithms, each with noise of its own."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.linalg import helmert

import bayescmp as bc
from bayescmp.bayesian import correlated_t, groups
from bayescmp.bayesian.groups.own import MixturePosterior, NoiseLevels, OwnVariancePosterior
from bayescmp.results import arviz
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.scores.rope import as_rope
from tests.bayesian.groups.tables import scores
from tests.rows import each_row


def errors(seed=1, L=3, n=8, p=1, sd=None):
    rng = np.random.default_rng(seed)
    sd = np.ones(L) if sd is None else np.asarray(sd)
    e = rng.normal(size=(1, n, p)) * 3 + rng.normal(size=(L, n, p)) * sd[:, None, None]
    e -= e.mean(axis=1, keepdims=True)
    return e - e.mean(axis=0)


def levels(e, **options):
    return NoiseLevels(np.einsum("ija,kjb->ikab", e, e), e.shape[1], **options)


def brute(shares, e):
    """log ∫∫ p(x | τ, v) dτ dv/v for one metric, v_i = v/π_i, by integrating both numerically.

    Fold effects are out by the contrasts H: Hx_j ~ N(Hτ, H diag(v/π) Hᵀ).
    """
    L, n, _ = e.shape
    H = helmert(L)
    y = e[..., 0].T @ H.T
    C = H @ np.diag(1 / shares) @ H.T

    def at(log_v):
        v = np.exp(log_v)
        # the integral over Hτ of a product of n normals about their mean
        s = np.einsum("ja,ab,jb->", y - y.mean(0), np.linalg.inv(v * C), y - y.mean(0))
        det = np.linalg.slogdet(2 * np.pi * v * C)[1]
        return np.exp(-s / 2 - (n - 1) / 2 * det)

    scale = np.log((y**2).mean())
    return np.log(integrate.quad(at, scale - 12, scale + 12, limit=400, epsabs=0)[0])


def test_likelihood_by_integrating_effects_and_scale_numerically():
    for L in [3, 4]:
        e = errors(2, L)
        result = levels(e)
        rng = np.random.default_rng(1)
        points = rng.dirichlet(np.ones(L), 6)
        ours = result.log_likelihood(points)
        expected = np.array([brute(pi, e) for pi in points])
        np.testing.assert_allclose(ours - ours[0], expected - expected[0], atol=1e-6)


def test_draws_against_the_density_on_a_grid():
    """Two noisy, one precise: means and central masses of π by brute force over the simplex."""
    result = levels(errors(3, 3, 6, sd=[0.2, 1, 1]), seed=4)
    grid = (np.arange(400) + 0.5) / 400
    a, b = np.meshgrid(grid, grid, indexing="ij")
    inside = a + b < 1
    shares = np.stack([a, b, 1 - a - b], axis=-1)[inside]
    weight = np.exp(result.log_likelihood(shares) - result.log_likelihood(shares).max())
    weight /= weight.sum()  # Dirichlet(1, 1, 1) is flat
    draws = result.draws.reshape(-1, 3)
    error = np.sqrt(weight @ shares**2 - (weight @ shares) ** 2) / np.sqrt(5000)
    assert np.all(np.abs(draws.mean(axis=0) - weight @ shares) < 4.5 * error)
    for i in range(3):
        for q in (0.1, 0.5, 0.9):
            cut = np.quantile(draws[:, i], q)
            mass = weight[shares[:, i] <= cut].sum()
            assert mass == pytest.approx(q, abs=4.5 * np.sqrt(q * (1 - q) / 5000))


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from([1e-6, 1.0, 1e4]))
def test_order_and_units_cannot_matter(seed, p, unit):
    e = errors(seed, 4, 7, p, [1, 0.3, 1, 2])
    at = np.random.default_rng(seed).dirichlet(np.ones(4), 5)
    actual = levels(e).log_likelihood(at)
    for order in ([3, 1, 0, 2], [1, 0, 2, 3]):
        turned = levels(e[order][:, ::-1] * unit).log_likelihood(at[:, order])
        np.testing.assert_allclose(turned - turned[0], actual - actual[0], atol=1e-6)


def test_two_algorithms_do_not_tell_levels_apart():
    at = np.array([[0.5, 0.5], [0.01, 0.99], [0.8, 0.2]])
    actual = levels(errors(1, 2)).log_likelihood(at)
    np.testing.assert_allclose(actual, actual[0], atol=1e-10)


@each_row(("L", "n", "p"), [(3, 4, 1), (12, 8, 1), (25, 10, 1)])
def test_chains_mix(L, n, p):
    result = levels(errors(5, L, n, p, np.where(np.arange(L) < 2, 0.02, 1.0)), seed=1)
    log = np.log(result.draws)
    assert result.draws.shape == (4, 2500, L)
    assert max(arviz.rhat(log[..., i]) for i in range(L)) < 1.01
    assert min(arviz.ess(log[..., i], "bulk") for i in range(L)) > 1000


@pytest.mark.calibration
def test_check_has_its_level():
    """Over 300 simulations of five algorithms on twelve folds."""
    p = [levels(errors(seed, 5, 12)).check.pvalue for seed in range(300)]
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p) < level) == pytest.approx(level, abs=0.075)


def test_check_sees_unequal_levels():
    unequal = [levels(errors(s, 5, 12, sd=[0.1, 0.1, 1, 1, 1])).check for s in range(10)]
    assert all(check.pvalue < 0.01 and not check.allows for check in unequal)
    assert str(unequal[0]).startswith("likelihood ratio χ²(4) = ")


def test_check_by_a_likelihood_maximised_over_all_orders():
    """The mode found does not depend on where the search begins: one a permutation."""
    e = errors(7, 4, 6, sd=[0.1, 0.5, 1, 3])
    actual = {round(levels(e[list(o)]).check.statistic, 4) for o in permutations(range(4))}
    assert len(actual) == 1


def test_prior_alone_is_uniform_on_the_simplex():
    """With likelihoods that say nothing (two algorithms) π_1 is uniform."""
    result = levels(errors(1, 2), seed=3)
    u = result.draws[..., 0].ravel()
    assert stats.kstest(u[::2], "uniform").pvalue > 1e-3


def mixture(scales, **options):
    return MixturePosterior(
        **{
            "df": 7,
            "location": 0.02,
            "scales": np.asarray(scales, dtype=float),
            "rho": 0.1,
            "source": "Bayesian blocked ANOVA of 3 algorithms",
            "prior_words": "flat",
            "dataset": "",
            "x": np.zeros(5),
            "names": ("a", "b"),
            "rope": as_rope(0.01),
            "engine": "metropolis",
            "engine_version": "",
            "diagnostics": Diagnostics(rhat=1, ess_bulk=1e4, ess_tail=1e4),
            "seed": 1,
            **options,
        }
    )


def test_one_scale_is_a_t():
    posterior = mixture(np.full((4, 50), 0.01))
    t = stats.t(7, 0.02, 0.01)
    v = posterior.verdict()
    assert [v.p_left, v.p_rope, v.p_right] == pytest.approx(
        [t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01), t.sf(0.01)], abs=1e-12
    )
    assert posterior.interval(0.9) == pytest.approx(t.interval(0.9), abs=1e-9)
    row = posterior.summary().loc["delta"]
    assert row[["mean", "sd", "2.5%", "97.5%"]].tolist() == pytest.approx(
        [0.02, t.std(), *t.interval(0.95)], abs=1e-9
    )
    x, y = posterior.density()
    np.testing.assert_allclose(y, t.pdf(x), rtol=1e-10)


def test_two_scales_are_half_of_each():
    scales = np.repeat([[0.01], [0.03], [0.03], [0.01]], 500, axis=1)
    posterior = mixture(scales)
    narrow, wide = stats.t(7, 0.02, 0.01), stats.t(7, 0.02, 0.03)
    for at in (-0.05, 0.0, 0.03):
        assert posterior.cdf(at) == pytest.approx((narrow.cdf(at) + wide.cdf(at)) / 2)
    assert posterior.verdict(0.03).p_left == pytest.approx(
        (narrow.cdf(-0.03) + wide.cdf(-0.03)) / 2
    )
    low, high = posterior.interval(0.8)
    assert posterior.cdf(low) == pytest.approx(0.1)
    assert posterior.cdf(high) == pytest.approx(0.9)
    ks = stats.ks_1samp(
        posterior.draws["delta"].ravel(), lambda z: np.array([posterior.cdf(v) for v in z])
    )
    assert ks.pvalue > 1e-3
    assert posterior.verdict(0).p_rope == 0


def test_error_is_that_of_the_mean_over_scales():
    rng = np.random.default_rng(2)
    runs = [mixture(np.exp(rng.normal(-4, 0.7, (4, 200)))).verdict() for _ in range(60)]
    spread = np.std([v.p_rope for v in runs], ddof=1)
    assert np.mean([v.errors["rope"] for v in runs]) == pytest.approx(spread, rel=0.3)


@each_row(
    ("p", "variances", "words"),
    [
        (
            1,
            "equal",
            "Bayesian blocked ANOVA of 4 algorithms, folds as blocks, errors pooled over "
            "the algorithms, t with 42 degrees of freedom",
        ),
        (
            2,
            "equal",
            "Bayesian blocked MANOVA of 4 algorithms, folds as blocks, errors pooled "
            "over the algorithms, multivariate t with 41 degrees of freedom",
        ),
        (
            1,
            "own",
            "Bayesian blocked ANOVA of 4 algorithms, folds as blocks, separate noise for "
            "each algorithm, mixture of t's with 42 degrees of freedom",
        ),
        (
            2,
            "own",
            "Bayesian blocked MANOVA of 4 algorithms, folds as blocks, separate noise for "
            "each algorithm",
        ),
    ],
)
def test_explanations_name_the_test_of_all_algorithms(p, variances, words):
    """At 24bf92b a pair's verdict said "Bayesian correlated t test, Corani & Benavoli 2015"."""
    post = groups(scores(1, 4, 15, p), rho=0.1, rope=0.01, variances=variances, seed=1)
    text = post.verdict("A1", "A3").explain("paper")
    assert words in text
    assert "orrelated t test" not in text
    assert "|Σ|^(−(p+1)/2)" in text
    assert ("Dirichlet" in text) == (variances == "own")


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
    assert any("a check at level 0.2 rejects a common one" in note for note in post.notes)
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
    turned = groups(
        x[order][:, ::-1],
        rho=0.1,
        rope=ropes,
        variances="own",
        seed=2,
        names=[post.algorithms[i] for i in order],
    )
    same(turned.verdict("A1", "A3"))
    back = [(-0.02, 0.01), 0.02][:p]
    same(post.verdict("A3", "A1", rope=back).swapped())
    units = np.array([100.0, 1e-3])[:p]
    scaled = [
        tuple(np.multiply(r if isinstance(r, tuple) else (-r, r), u))
        for r, u in zip(ropes, units, strict=True)
    ]
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
    """95% intervals of the noisy pair cover in 91 to 98.5% of 250 data sets; pooled less."""
    rng = np.random.default_rng(8)
    sd, covered = np.array([0.2, 0.2, 1.0, 1.0]), []
    for seed in range(250):
        z = rng.normal(size=(4, 11))
        e = (np.sqrt(0.1) * z[:, :1] + np.sqrt(0.9) * z[:, 1:]) * sd[:, None]
        pooled, own = (
            groups(e, rho=0.1, rope=0.1, variances=v, seed=seed).pair("A3", "A4")
            for v in ("equal", "own")
        )
        covered.append((pooled.hdi()[0] < 0 < pooled.hdi()[1], 0.025 < own.cdf(0.0) < 0.975))
    equal, each = np.mean(covered, axis=0)
    assert equal < 0.92
    assert 0.91 < each < 0.985  # binomial, 250 trials


@each_row(
    ("x", "options", "message"),
    [
        (scores(), {"variances": "some"}, r"variances must be .*\(got 'some'\)"),
        (scores(L=2), {"variances": "own"}, "variances must be 'equal' for two"),
        (scores(), {"variances": "own", "noise": "t"}, "variances must be 'equal' with another"),
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
    with pytest.raises(bc.InputError, match=r"points must be an array of shape \(\.\.\., 3\)"):
        drawn.contains([0.1, 0.2])


def test_a_pair_under_other_correlations_is_that_of_a_fit_with_them():
    """Only the scales depend on rho, for the same draws of the shares."""
    x = np.random.default_rng(0).normal(size=(3, 20)) * [[1], [2], [3]]
    options = {"rope": 0.1, "variances": "own", "seed": 1}
    varied = groups(x, rho=0.1, **options).pair("A1", "A2").sensitivity().frame
    rows = varied[varied["question"] == "rho"]
    assert len(rows) == 3
    for _, row in rows.iterrows():
        again = groups(x, rho=float(row["setting"]), **options).pair("A1", "A2").verdict()
        assert row[["p_left", "p_rope", "p_right"]].tolist() == pytest.approx(
            list(again.probabilities.values()), abs=1e-9
        )


def test_standard_deviations_of_a_fold_are_those_that_were_simulated():
    x = np.random.default_rng(0).normal(size=(3, 400, 2)) * np.array([[[1]], [[2]], [[3]]])
    posterior = groups(x, rho=0.0, rope=0.1, variances="own", seed=1)
    for k in range(2):
        np.testing.assert_allclose(posterior.sds[..., k].mean(axis=(0, 1)), [1, 2, 3], rtol=0.2)
