"""Linear maps of a multivariate t: marginals, projections, selections."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import multivariate_t
from tests.bayesian.multivariate.cases import folds


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
    post = multivariate_t(folds(1, 20, 3), rho=0.1, rope=[0.01, 0.02, 0.03],
                          metrics=("a", "b", "c"))  # fmt: skip
    part = post.select(["c", "a"])
    assert part.metrics == ("c", "a")
    assert part.rope[0].high == 0.03
    np.testing.assert_allclose(part.scale, post.scale[np.ix_([2, 0], [2, 0])], atol=1e-16)
    with pytest.raises(bc.InputError, match="unknown metric 'd'"):
        post.select(["d"])
    with pytest.raises(bc.InputError, match="outline needs two"):
        post.ellipsoid().outline()
