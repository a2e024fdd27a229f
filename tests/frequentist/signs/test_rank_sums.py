"""Signed ranks and the distribution of their sums."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bayescmp.frequentist.signs.rank_sums import normal_pvalue, signed_ranks, sum_distribution


def test_distribution_by_enumeration():
    ranks = np.array([1.0, 2.5, 2.5, 4, 5.5, 5.5])
    sums = [2 * np.dot(s, ranks) for s in itertools.product([0, 1], repeat=6)]
    expected = np.bincount(np.rint(sums).astype(int)) / 64
    assert sum_distribution(ranks) == pytest.approx(expected, abs=1e-15)


def test_ranks_by_hand():
    """|x| = .1 .2 .2 .5, zeros first in the ranking of Pratt."""
    x = np.array([0.0, 0.2, -0.2, 0.5, -0.1])
    dropped, kept = signed_ranks(x), signed_ranks(x, "pratt")
    assert dropped.ranks.tolist() == [2.5, 2.5, 4, 1]
    assert kept.ranks.tolist() == [3.5, 3.5, 5, 2]
    assert dropped.sums == (6.5, 3.5)
    assert kept.sums == (8.5, 5.5)
    assert (dropped.zeros, kept.zeros) == (1, 1)
    split = signed_ranks(np.append(x, 0.0), "split")
    assert split.sums == (4.5 + 6 + 1.5, 4.5 + 3 + 1.5)


def test_ties_to_a_tolerance():
    x = np.array([0.10, -0.11, 0.30, 0.04])
    assert signed_ranks(x, tolerance=0.02).ranks.tolist() == [2.5, 2.5, 4, 1]
    assert signed_ranks(x, tolerance=0.05).zeros == 1


def test_small_differences_beside_large_ones_are_kept():
    """Losses of optimisers span many orders of magnitude."""
    assert signed_ranks(np.array([1e-9, -2e-9, 1.0])).ranks.tolist() == [1, 2, 3]


def test_the_correction_moves_the_sum_by_a_half():
    ranks = np.arange(1.0, 61)
    plus = 1100.0
    for side, shift in (("greater", -0.5), ("less", 0.5), ("two-sided", -0.5)):
        corrected = normal_pvalue(ranks, plus, side, correction=True)
        assert corrected == pytest.approx(normal_pvalue(ranks, plus + shift, side))
