"""Which component of a Dirichlet vector is the largest, and counts at the ends of a rope."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayescmp.bayesian.signs.dirichlet import (
    PLACES,
    count_regions,
    larger_side,
    largest_component,
)
from bayescmp.verdict import as_rope


@pytest.mark.slow
@given(st.lists(st.floats(0.3, 200), min_size=3, max_size=3))
@settings(max_examples=40)
def test_largest_component_against_scipys_gammas(alpha):
    """P(k is largest) = ∫ Π_{j≠k} F_j(F_k⁻¹(u)) du; midpoints of a rising integrand in [0, 1]
    err by half a step at most."""
    p, error = largest_component(np.array(alpha))
    assert error < 1e-10
    u = (np.arange(20_000) + 0.5) / 20_000
    for k in range(3):
        g = stats.gamma(alpha[k]).ppf(u)
        others = [stats.gamma(a).cdf(g) for i, a in enumerate(alpha) if i != k]
        assert p[k] == pytest.approx(np.mean(others[0] * others[1]), abs=2.6e-5)


@pytest.mark.parametrize("alpha", [(3.0, 1.0, 4.5), (0.1, 0.2, 0.3), (400, 420, 5)])
def test_largest_component_against_draws(alpha):
    alpha = np.array(alpha)
    assert largest_component(alpha)[1] < 1e-10
    draws = np.random.default_rng(1).dirichlet(alpha, 400_000).argmax(axis=1)
    share = np.bincount(draws, minlength=3) / len(draws)
    assert largest_component(alpha)[0] == pytest.approx(share, abs=4e-3)


def test_a_component_without_weight_is_never_the_largest():
    p, _ = largest_component(np.array([0.0, 2.0, 3.0]))
    # P(X < 1/2), X ~ Beta(2, 3): 1 - Σ_{k<2} C(4, k) / 2^4 = 11/16
    assert p == pytest.approx([0, 5 / 16, 11 / 16], abs=1e-12)


@pytest.mark.parametrize("alpha", [(3.0, 1.0, 4.5), (0.5, 7.0, 0.5), (30.0, 0.0, 12.0)])
def test_the_larger_side_against_scipys_beta(alpha):
    """θ_right / (θ_left + θ_right) ~ Beta(α_right, α_left), whatever lies between."""
    left, inside, right = larger_side(np.array(alpha))
    assert inside == 0
    assert right == pytest.approx(stats.beta(alpha[2], alpha[0]).sf(0.5), abs=1e-12)
    assert left + right == pytest.approx(1, abs=1e-12)


def test_a_side_without_weight_is_never_the_larger():
    assert larger_side(np.array([0.0, 5.0, 1.0])).tolist() == [0, 0, 1]
    assert larger_side(np.array([1.0, 5.0, 0.0])).tolist() == [1, 0, 0]
    assert larger_side(np.array([0.0, 5.0, 0.0])).tolist() == [0.5, 0, 0.5]


def test_counts_at_the_ends_of_the_rope():
    z = np.array([-0.2, -0.1, 0.0, 0.3 - 0.2, 0.11])  # 0.3 - 0.2 is not 0.1 to the last bit
    assert count_regions(z, as_rope(0.1)).tolist() == [1, 3, 1]
    assert count_regions(z, as_rope((-0.2, 0.1))).tolist() == [0, 4, 1]
    assert count_regions(z, as_rope(0)).tolist() == [2, 1, 2]


def test_the_weight_of_a_place_is_one():
    assert all(sum(shares) == 1 for shares in PLACES.values())
