"""Multivariate correlated t test in closed form."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import correlated_t, multivariate_t
from bayescmp.bayesian.multivariate.fit import Ellipsoid
from tests.bayesian.multivariate.cases import folds, probabilities


def test_outline_lies_on_the_boundary():
    post = multivariate_t(folds(2), rho=0.1, rope=0)
    edge = post.ellipsoid(0.9).outline()
    radius = post.distribution.distance(edge)
    np.testing.assert_allclose(radius, post.distribution.radius(0.9), rtol=1e-9)
    assert post.distribution.radius(0.9) ** 2 == pytest.approx(2 * stats.f.ppf(0.9, 2, post.df))


def test_an_outline_needs_two_metrics():
    with pytest.raises(bc.InputError, match="metrics must be two for an outline"):
        Ellipsoid(0.95, np.zeros(3), np.eye(3)).outline()
    segment = Ellipsoid(0.95, np.array([1.0, 2.0]), np.array([[0.5, 0.0]])).outline(5)
    np.testing.assert_allclose(segment[:, 1], 2.0)
    np.testing.assert_allclose(segment[:, 0], 1 + 0.5 * np.array([1, 0, -1, 0, 1]), atol=1e-12)


def test_it_names_the_test_it_is_part_of(tmp_path):
    """At 24bf92b its verdict said "Bayesian correlated t test" and p(δ, σ) ∝ 1/σ."""
    post = multivariate_t(folds(5, 12, 3), rho=0.1, rope=0.01, metrics=("a", "b", "c"), seed=1)
    part = post.marginal("b")
    text = part.verdict().explain("paper")
    assert "Bayesian multivariate correlated t test, t with 9 degrees of freedom" in text
    assert "Prior: p(μ, Σ) ∝ |Σ|^(−(p+1)/2)" in text
    assert "Bayesian multivariate correlated t test: first (left)" in part.full()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        part.save(tmp_path / "m.npz")
        assert str(bc.load(tmp_path / "m.npz")) == str(part)


def test_marginals_are_ts_with_a_degree_of_freedom_less_a_metric():
    x = folds(5, 12, 3)
    post = multivariate_t(x, rho=0.1, rope=0.01, metrics=("a", "b", "c"))
    c = 1 / 12 + 0.1 / 0.9
    for j, name in enumerate("abc"):
        m = post.marginal(name)
        ss = np.sum((x[:, j] - x[:, j].mean()) ** 2)
        expected = stats.t(12 - 3, x[:, j].mean(), math.sqrt(c * ss / 9))
        at = np.linspace(-0.1, 0.1, 7)
        np.testing.assert_allclose(m.cdf(at), expected.cdf(at), atol=1e-12)
        row = post.summary().loc[name]
        np.testing.assert_allclose(row[["2.5%", "97.5%"]], expected.interval(0.95), atol=1e-12)
        assert row["sd"] == pytest.approx(expected.std())
        assert m.verdict().rope == bc.Rope(-0.01, 0.01)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_linear_maps_of_metrics_transform_the_posterior_exactly(seed):
    x = folds(seed, 15, 3)
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    post = multivariate_t(x, rho=0.1, rope=0.01)
    mapped, refitted = post.transform(M), multivariate_t(x @ M.T, rho=0.1, rope=0)
    assert mapped.df == refitted.df
    np.testing.assert_allclose(mapped.location, refitted.location, atol=1e-12)
    np.testing.assert_allclose(mapped.scale, refitted.scale, rtol=1e-8, atol=1e-14)
    inside = rng.normal(size=(50, 3)) * 0.03
    np.testing.assert_array_equal(mapped.contains(inside @ M.T), post.contains(inside))
    w = rng.normal(size=3)
    one = post.project(w)
    assert one.location == pytest.approx(w @ post.location, abs=1e-13)
    assert one.scale == pytest.approx(math.sqrt(w @ post.scale @ w), rel=1e-9)


def test_select_marginal_and_unknown_metric():
    post = multivariate_t(
        folds(1, 20, 3), rho=0.1, rope=[0.01, 0.02, 0.03], metrics=("a", "b", "c")
    )
    part = post.select(["c", "a"])
    assert part.metrics == ("c", "a")
    assert part.rope[0].high == 0.03
    np.testing.assert_allclose(part.scale, post.scale[np.ix_([2, 0], [2, 0])], atol=1e-16)
    with pytest.raises(bc.InputError, match=r"metric must be .*\(got 'd'\)"):
        post.select(["d"])
    with pytest.raises(bc.InputError, match="metrics must be two for an outline"):
        post.ellipsoid().outline()


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(2, 60), st.sampled_from([0, 0.1, 0.5]))
def test_one_metric_is_the_correlated_t_test(seed, n, rho):
    x = folds(seed, n, 1)
    several = multivariate_t(x, rho=rho, rope=0.01)
    one = correlated_t(x[:, 0], rho=rho, rope=0.01)
    v, w = several.verdict(), one.verdict()
    assert v.probabilities["first"] == pytest.approx(w.p_left, abs=1e-10)
    assert v.probabilities["equivalent"] == pytest.approx(w.p_rope, abs=1e-10)
    assert v.probabilities["second"] == pytest.approx(w.p_right, abs=1e-10)
    assert v.probabilities["trade_off"] == pytest.approx(0, abs=1e-10)
    assert v.exact
    for prob in (0.5, 0.95):
        ends = sorted(
            several.ellipsoid(prob).centre + s * several.ellipsoid(prob).axes[0] for s in (-1, 1)
        )
        np.testing.assert_allclose(np.ravel(ends), one.hdi(prob), atol=1e-10)


def test_density_by_integrating_the_model_numerically():
    # The likelihood of correlated rows times |Σ|^(−3/2), Σ integrated out on a grid over
    # (log σ1, log σ2, atanh r), against t_{n−p}(D̄, c S/(n−p)): a check of df, c and S at once.
    rho, n = 0.2, 8
    x = np.random.default_rng(3).normal(size=(n, 2)) @ np.array([[1.0, 0.5], [0.0, 0.8]])
    post = multivariate_t(x, rho=rho, rope=0)
    R = (1 - rho) * np.eye(n) + rho
    Ri = np.linalg.inv(R)
    g = np.linspace(-3.5, 5.0, 60)
    s1, s2, a = np.meshgrid(g, g, np.linspace(-4, 4, 61), indexing="ij")
    r = np.tanh(a)
    v1, v2 = np.exp(2 * s1), np.exp(2 * s2)
    det = v1 * v2 * (1 - r**2)

    def density(mu):
        e = x - mu
        q = e.T @ Ri @ e
        cross = r * np.exp(s1 + s2)
        trace = (v2 * q[0, 0] - 2 * cross * q[0, 1] + v1 * q[1, 1]) / det
        # dΣ = 4 v1 v2 σ1 σ2 ds1 ds2 dr, dr = (1 − r²) da, up to constants
        jacobian = v1 * v2 * np.exp(s1 + s2) * (1 - r**2)
        return np.sum(det ** (-n / 2 - 1.5) * np.exp(-trace / 2) * jacobian)

    points = post.location + np.array([[0, 0], [0.3, 0], [-0.2, 0.5], [0.8, -0.4]])
    ours = stats.multivariate_t(post.location, post.scale, df=post.df).pdf(points)
    brute = np.array([density(m) for m in points])
    np.testing.assert_allclose(brute / brute[0], ours / ours[0], rtol=2e-3)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_symmetries(seed):
    x = folds(seed, 14, 2)
    post = multivariate_t(x, rho=0.1, rope=[0.01, (-0.02, 0.005)], seed=1)
    v = post.verdict()
    p = probabilities(post)
    assert p.sum() == pytest.approx(1, abs=1e-12)

    def same(other, order=slice(None)):
        errors = max([*v.errors.values(), *other.verdict().errors.values()])
        np.testing.assert_allclose(probabilities(other)[order], p, atol=8 * errors + 1e-9)

    turned = multivariate_t(-x, rho=0.1, rope=[0.01, (-0.005, 0.02)], seed=2)
    same(turned, [0, 2, 1, 3])
    order = np.random.default_rng(seed).permutation(14)
    same(multivariate_t(x[order], rho=0.1, rope=post.rope, seed=3))
    same(multivariate_t(x[:, ::-1], rho=0.1, rope=post.rope[::-1], seed=4))
    units = np.array([100, 1e-3])
    ropes = [r.scaled(u) for r, u in zip(post.rope, units, strict=True)]
    same(multivariate_t(x * units, rho=0.1, rope=ropes, seed=5))
    assert max(v.errors.values()) < 1e-3


def test_draws_follow_the_closed_form():
    post = multivariate_t(folds(2), rho=0.1, rope=0.01, seed=1)
    d = post.draws["delta"]
    assert d.shape == (4, 2500, 2)
    share = post.contains(d.reshape(-1, 2), 0.5).mean()
    assert share == pytest.approx(0.5, abs=4.5 * 0.005)
    assert post.to_arviz()["posterior"]["delta"].dims[-1] == "metric"


def test_rope_curve_widens_all_ropes():
    post = multivariate_t(folds(3), rho=0.1, rope=[0.01, 0.02], seed=2)
    curve = post.rope_curve([0, 1, 2])
    assert curve.loc[1.0, "p_equivalent"] == post.verdict().probabilities["equivalent"]
    assert curve["p_equivalent"].is_monotonic_increasing
    assert curve.loc[0.0, "p_equivalent"] == 0
    with pytest.raises(bc.InputError, match="must have a ROPE"):
        multivariate_t(folds(3), rho=0.1, rope=0).rope_curve()
    for bad in ([-1], []):
        with pytest.raises(bc.InputError, match="widths"):
            post.rope_curve(bad)


def test_refused_by_the_result():
    posterior = multivariate_t(
        np.random.default_rng(1).normal(size=(20, 2)), rho=0.1, rope=0.1, seed=1
    )
    for call, message in (
        (lambda: posterior.verdict(points=-4), "points must be"),
        (lambda: posterior.verdict(points="a"), "points must be"),
        (lambda: posterior.direction(0), "draws must be"),
        (
            lambda: posterior.contains([0.0, 0.0, 0.0]),
            r"points must be an array of shape \(\.\.\., 2\) ",
        ),
        (lambda: posterior.select([]), "metrics must name at least one"),
    ):
        with pytest.raises(bc.InputError, match=message):
            call()
