"""The four regions of several metrics, point by point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayescmp.bayesian.regions.membership import (
    REGIONS,
    classify,
    membership,
    named,
    region_shares,
)
from bayescmp.verdict import as_ropes

METRICS = ("a", "b", "c")
ROPES = as_ropes([0.1, (-0.2, 0.3), 0.1], METRICS)


@pytest.mark.parametrize(
    ("x", "region"),
    [
        ((0, 0, 0), "equivalent"),
        ((0.1, 0.3, -0.1), "equivalent"),  # ends belong to the rope
        ((0.1, -0.2, 0.1), "equivalent"),
        ((0.11, 0, 0), "second"),
        ((0.5, 0.5, 0.5), "second"),
        ((0, -0.21, 0), "first"),
        ((-1, -1, 0), "first"),
        ((0.11, -0.21, 0), "trade_off"),
        ((-1, 1, 1), "trade_off"),
    ],
)
def test_region_of_a_point(x, region):
    assert REGIONS[classify(np.array(x, dtype=float), ROPES)] == region


def by_definition(x, ropes):
    worse = any(v < r.low for v, r in zip(x, ropes, strict=True))
    better = any(v > r.high for v, r in zip(x, ropes, strict=True))
    if worse and better:
        return "trade_off"
    return "first" if worse else "second" if better else "equivalent"


points = arrays(float, (7, 3), elements=st.floats(-1, 1))


@given(points)
def test_all_as_the_definition_says_and_sums_to_one(x):
    defined = [by_definition(row, ROPES) for row in x]
    assert [REGIONS[i] for i in classify(x, ROPES)] == defined
    shares = membership(x, ROPES)
    assert np.all(shares.sum(axis=-1) == 1)
    actual = region_shares(x[None], ROPES)[0]
    np.testing.assert_allclose(actual, shares.mean(axis=0), atol=1e-15)
    assert named(actual) == pytest.approx({r: defined.count(r) / 7 for r in REGIONS})


@given(points)
def test_the_other_order_mirrors(x):
    p, q = region_shares(x, ROPES), region_shares(-x, ROPES.swapped())
    np.testing.assert_array_equal(q, p[[0, 2, 1, 3]])


@given(points, st.permutations(range(3)))
def test_the_metrics_order_does_not_matter(x, order):
    turned = as_ropes([ROPES[j] for j in order], METRICS)
    np.testing.assert_array_equal(region_shares(x[:, order], turned), region_shares(x, ROPES))


def test_without_a_rope_equivalence_is_not_possible():
    ropes = as_ropes([0, 0.1, 0.1], METRICS)
    x = np.array([[0, 0, 0], [0.01, 0, 0], [-0.01, 0, 0], [0.01, -0.2, 0]])
    assert membership(x, ropes).tolist() == [
        [0, 0.5, 0.5, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]  # fmt: skip
    assert region_shares(x, ropes).tolist() == [0, 0.375, 0.375, 0.25]
