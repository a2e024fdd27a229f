"""Weights and names of new metrics, as posteriors of several metrics read them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from bayescmp.bayesian.multivariate.base import Steps, Subspace, as_matrix, as_names, direction_of
from bayescmp.bayesian.regions import MultivariateT
from bayescmp.scores.rope import as_ropes

NAMES = ("a", "b", "c", "d")


def subspace(x, declared=np.nan, rope=0.2, **options):
    p = x.shape[1]
    declared = np.array(np.broadcast_to(declared, p), dtype=float)
    steps = Steps.of(declared, np.full(p, np.nan), as_ropes(rope, NAMES[:p]))
    return Subspace.of(
        x - x.mean(axis=0),
        np.abs(x).max(axis=0),
        NAMES[:p],
        steps,
        **{"freedom": len(x) - 1, "have": f"{len(x)} folds", **options},
    )


def dependent(seed, n=12):
    """Four metrics of which the second is twice the first, and the last does not vary."""
    x = np.random.default_rng(seed).normal(size=(n, 2))
    return np.c_[x[:, 0], 2 * x[:, 0], x[:, 1], np.full(n, 0.3)]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_root_and_map_back_in_any_units(seed, powers):
    units = 10.0 ** np.array(powers)
    x = dependent(seed) * units
    result = subspace(x)
    e = x - x.mean(axis=0)
    scatter = e.T @ e / np.outer(units, units)
    root = result.root(len(x))[:, :2] / units[:, None]
    np.testing.assert_allclose(root @ root.T, scatter, atol=1e-9)
    white = result.residuals @ result.whitener
    np.testing.assert_allclose(white.T @ white, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(white @ root.T, result.residuals / units, atol=1e-9)
    assert (result.constant, result.dependent, result.kept) == (("d",), ("b",), [0, 2])
    assert (result.rank, result.df) == (3, 12 - 3)
    mapped = e[:, result.kept] @ result.map_back
    np.testing.assert_allclose(mapped / units, e / units, atol=1e-9)


def test_a_constant_metric_scatters_as_rounding_to_its_resolution():
    result = subspace(dependent(1), [np.nan, np.nan, np.nan, 0.02])
    root = result.root(12)
    assert (result.rank, result.df, result.still.tolist()) == (3, 12 - 3, [3])
    assert (root @ root.T)[3].tolist() == pytest.approx([0, 0, 0, 12 * 0.02**2 / 12])
    draws = result.rounding_draws((200, 100), 12 * 0.3, seed=1)
    assert draws[..., :3].any() == 0
    # t with 11 degrees of freedom and scale √(0.3·12·h²/12/11)
    assert (
        stats.kstest(draws[..., 3].ravel() / np.sqrt(0.3 * 0.02**2 / 11), stats.t(11).cdf).pvalue
        > 1e-3
    )


def test_resolution_as_declared_else_as_seen_else_the_ropes_width():
    ropes = as_ropes([0.1, (-0.02, 0.03), 0.1], ("a", "b", "c"))
    steps = Steps.of(np.array([0.5, np.nan, np.nan]), np.array([0.1, np.nan, 0.2]), ropes)
    assert steps.size.tolist() == pytest.approx([0.5, 0.05, 0.2])
    assert steps.borrowed.tolist() == [False, True, False]


def test_notes_name_the_metrics_and_a_borrowed_resolution_warns():
    still = "{metric} is still"
    assert subspace(dependent(1), 0.1).notes(still) == (
        "b is a linear combination of a and c",
        "d is still: spread from its resolution, h = 0.1",
        "the posterior lies on a subspace of dimension 3 of 4 metrics; verdicts are over all of "
        "them",
    )
    two = subspace(dependent(1)[:, [0, 3]])
    assert two.notes(still) == (
        "b is still: spread from the rope's width, h = 0.4, because "
        "nothing indicates the metric's resolution; give resolution=",
    )
    with pytest.warns(bc.DiagnosticWarning, match="b is still: spread from the rope's width"):
        two.warn_if_borrowed(still)
    assert subspace(np.random.default_rng(1).normal(size=(9, 3))).notes(still) == ()


def test_more_metrics_than_degrees_of_freedom():
    with pytest.raises(bc.InputError, match=r"3 metrics and 3 folds.*Drop 1 of"):
        subspace(np.random.default_rng(1).normal(size=(3, 3)))
    # the spread of rounding needs a degree of freedom too
    x = np.c_[np.random.default_rng(1).normal(size=(3, 2)), np.zeros(3)]
    with pytest.raises(bc.InputError, match="Drop 1 of"):
        _ = subspace(x).df


def data(n=40, shift=(0.03, 0.0), seed=1):
    rng = np.random.default_rng(seed)
    root = np.array([[0.02, 0.0], [0.015, 0.01]])
    return np.array(shift) + rng.normal(size=(n, 2)) @ root.T


def test_centre_is_hotellings_direction():
    x = data()
    d = multivariate_t(x, rho=0.1, rope=0).direction()
    w = np.linalg.solve(np.cov(x.T), x.mean(axis=0))
    standardised = w * x.std(axis=0, ddof=1)
    np.testing.assert_allclose(d.weights, standardised / np.linalg.norm(standardised), atol=1e-9)
    np.testing.assert_allclose(d.raw_weights / d.raw_weights[0], w / w[0], rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(d.draws, axis=1), 1)


def test_draws_against_scipys_wishart():
    # the same posterior by SciPy's inverse Wishart: Σ ~ IW(n−1, S/(1−ρ)), μ ~ N(D̄, Σ(1+(n−1)ρ)/n)
    x, rho, n = data(15), 0.2, 15
    d = multivariate_t(x, rho=rho, rope=0, seed=3).direction(20_000)
    S = (n - 1) * np.cov(x.T)
    rng = np.random.default_rng(1)
    sigma = stats.invwishart(n - 1, S / (1 - rho)).rvs(20_000, random_state=rng)
    root = np.linalg.cholesky(sigma) * np.sqrt((1 + (n - 1) * rho) / n)
    mu = x.mean(axis=0) + np.einsum("dij,dj->di", root, rng.normal(size=(20_000, 2)))
    w = np.linalg.solve(sigma, mu[..., None])[..., 0]
    length = np.sqrt(np.sum(mu * w, axis=1))
    w *= x.std(axis=0, ddof=1)
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    assert stats.ks_2samp(d.separation, length).pvalue > 1e-3
    for j in range(2):
        assert stats.ks_2samp(d.draws[:, j], w[:, j]).pvalue > 1e-3


def test_units_do_not_matter_and_dependent_metrics_have_no_say():
    x = data()
    d = multivariate_t(x, rho=0.1, rope=0, seed=1).direction()
    e = multivariate_t(x * [100, 1e-3], rho=0.1, rope=0, seed=1).direction()
    np.testing.assert_allclose(e.weights, d.weights, atol=1e-9)
    np.testing.assert_allclose(e.frame["mean"], d.frame["mean"], atol=0.03)
    twice = multivariate_t(np.c_[x, x[:, 0]], rho=0.1, rope=0, seed=1).direction()
    np.testing.assert_allclose(np.sort(twice.separation), np.sort(d.separation), rtol=0.2)
    assert twice.weights[0] == pytest.approx(twice.weights[2])


def test_certainty_grows_with_the_separation():
    far = multivariate_t(data(shift=(0.1, 0.0)), rho=0.1, rope=0, seed=1).direction()
    near = multivariate_t(data(shift=(0.0, 0.0)), rho=0.1, rope=0, seed=1).direction()
    assert far.concentration > 0.95
    assert near.concentration < 0.9
    assert np.median(far.separation) > np.median(near.separation)
    assert far.frame.loc["m1", "p_positive"] > 0.99


def test_words():
    d = multivariate_t(data(), rho=0.1, rope=0, metrics=("tpr", "fpr"), seed=1).direction()
    assert "·tpr − " in d.formula()
    assert "separation" in str(d)
    nothing = MultivariateT(3, np.zeros(2), np.zeros((2, 0)))
    with pytest.raises(bc.InputError, match="no direction"):
        direction_of(nothing, n=5, rho=0.1, metrics=("a", "b"), seed=1, draws=10)


def test_weights_are_rows():
    assert as_matrix([1, 2], 2, 1).tolist() == [[1.0, 2.0]]
    assert as_matrix([[1, 2], [3, 4], [5, 6]], 2, 2).shape == (3, 2)


@pytest.mark.parametrize("bad", [[1, 2, 3], [[1, 2]], [1, np.nan], "ab", None])
def test_other_weights_are_refused(bad):
    with pytest.raises(bc.InputError, match="weights"):
        as_matrix(bad, 2, 1)


def test_names():
    assert as_names(None, 3) == ("m1", "m2", "m3")
    assert as_names(["x", 2], 2) == ("x", "2")
    for bad in (["x"], ["x", "x"]):
        with pytest.raises(bc.InputError, match="2 different names"):
            as_names(bad, 2)
