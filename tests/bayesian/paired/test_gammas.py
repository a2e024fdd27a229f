"""Tails of weighted sums of gamma variables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, norm

from bayescmp.bayesian.paired.gammas import positive


def partial_fractions(e: np.ndarray) -> float:
    """P(Σ e_j·g_j > 0) for exponential g_j and distinct e_j (Feller 1971, sec. I.13)."""
    return sum(
        float(np.prod([e[j] / (e[j] - e[k]) for k in range(len(e)) if k != j]))
        for j in range(len(e)) if e[j] > 0
    )  # fmt: skip


@pytest.mark.parametrize("K", [2, 3, 5, 8])
def test_exponentials_by_partial_fractions(K):
    e = np.linspace(-1.1, 1.7, K)
    assert positive(e, np.ones(K)) == pytest.approx(partial_fractions(e), abs=1e-10)


@pytest.mark.parametrize("shapes", [(0.2, 0.2), (0.5, 3.0), (50.0, 40.0), (5000.0, 4000.0)])
def test_two_gammas_are_a_beta(shapes):
    """a·g1 > b·g2 where g1/(g1 + g2) ~ Beta is over b/(a + b)."""
    own = positive(np.array([1.0, -1.3]), np.array(shapes))
    assert own == pytest.approx(beta.sf(1.3 / 2.3, *shapes), abs=1e-11)


def test_equal_weights_add_their_shapes():
    one = positive(np.array([1.0, -2.0]), np.array([3.0, 2.0]))
    many = positive(np.array([1.0, 1.0, -2.0, 0.0]), np.array([1.0, 2.0, 2.0, 5.0]))
    assert one == pytest.approx(many, abs=1e-12)


def test_very_many_are_normal():
    e = np.random.default_rng(1).normal(size=50_000) - 0.004
    z = e.sum() / np.sqrt((e**2).sum())
    assert positive(e, np.ones(len(e))) == pytest.approx(norm.cdf(z), abs=2e-3)


def test_small_probabilities_keep_their_digits():
    own = positive(np.array([1.0, -1.0]), np.array([1.0, 200.0]))
    assert own == pytest.approx(2.0**-200, rel=1e-9)


def test_one_sign_alone_is_certain():
    assert positive(np.array([0.0, 2.0]), np.ones(2)) == 1.0
    assert positive(np.array([0.0, -2.0]), np.ones(2)) == 0.0
