"""Ranks and dominance from draws."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayescmp as bc
from bayescmp.bayesian.groups.ranking import (
    dominance,
    holders,
    joint_equivalence,
    mean_ranks,
    pair_regions,
    rank_shares,
    ranked_scores,
)
from bayescmp.verdict import as_ropes


def shares_by_permutation(scores):
    """Average over all orders that the scores allow, ties in every order."""
    size = scores.shape[1]
    total = np.zeros((size, size))
    for row in scores:
        allowed = [o for o in permutations(range(size))
                   if all(row[a] >= row[b] for a, b in pairwise(o))]  # fmt: skip
        for order in allowed:
            for rank, i in enumerate(order):
                total[i, rank] += 1 / len(allowed)
    return total / len(scores)


@settings(max_examples=50)
@given(arrays(int, (6, 4), elements=st.integers(0, 3)))
def test_rank_shares_by_counting_all_orders(scores):
    result = rank_shares(scores.astype(float))
    np.testing.assert_allclose(result, shares_by_permutation(scores), atol=1e-12)
    np.testing.assert_allclose(result.sum(axis=0), 1)
    np.testing.assert_allclose(result.sum(axis=1), 1)


def test_rank_shares_of_many_draws_go_in_pieces():
    scores = np.random.default_rng(1).normal([0, 0.5, 1], size=(5000, 3))
    order = np.argsort(-scores, axis=1)
    for rank in range(3):
        for i in range(3):
            expected = (order[:, rank] == i).mean()
            assert rank_shares(scores)[i, rank] == pytest.approx(expected)


EFFECTS = np.array([[[0.0, 0.0], [0.2, 0.0], [0.05, -0.2]]])  # one draw, three algorithms
ROPES = as_ropes([0.1, 0.1], ("a", "b"))


def test_who_dominates_whom():
    # 2nd over 1st: better in a. 3rd: worse than 1st in b only. 2nd over 3rd: better in both.
    beats, beaten = dominance(EFFECTS, ROPES)
    assert beats.tolist() == [[1, 2, 0]]
    assert beaten.tolist() == [[1, 0, 2]]
    codes = pair_regions(EFFECTS, np.array([[0, 1], [0, 2], [1, 2], [2, 1]]), ROPES)
    assert codes.tolist() == [[2, 1, 1, 2]]


def test_joint_equivalence_is_not_that_of_the_pairs():
    effects = np.array([[[0.0], [0.08], [0.16]], [[0.0], [0.01], [0.02]]])
    rope = as_ropes(0.1, ("a",))
    assert joint_equivalence(effects, (0, 1), rope).mean() == 1
    assert joint_equivalence(effects, (1, 2), rope).mean() == 1
    assert joint_equivalence(effects, (0, 1, 2), rope).mean() == 0.5
    assert joint_equivalence(effects, (0, 1), as_ropes(0, ("a",))).mean() == 0
    one_sided = as_ropes((-0.001, 0.1), ("a",))
    assert (
        joint_equivalence(effects, (1, 0), one_sided).mean() == 1
    )  # the order named does not matter


def test_mean_ranks_and_holders_share_ties():
    scores = np.array([[3.0, 3.0, 1.0, 0.0], [1.0, 2.0, 3.0, 4.0]])
    assert mean_ranks(scores).tolist() == [[1.5, 1.5, 3, 4], [4, 3, 2, 1]]
    assert holders(scores, 1).tolist() == [[0.5, 0.5, 0, 0], [0, 0, 0, 1]]
    assert holders(scores, 3).tolist() == [[0, 0, 1, 0], [0, 1, 0, 0]]


def test_ranked_by_a_metric_by_weights_and_by_dominance():
    metrics = ("a", "b")
    assert ranked_scores(EFFECTS, metrics, ROPES).tolist() == [[0, 2, -2]]
    assert ranked_scores(EFFECTS, metrics, ROPES, "b").tolist() == [[0, 0, -0.2]]
    np.testing.assert_allclose(
        ranked_scores(EFFECTS, metrics, ROPES, [2, 1]), [[0, 0.4, -0.1]], atol=1e-15
    )
    for bad in ("c", [1, 2, 3], [np.nan, 1]):
        with pytest.raises(bc.InputError, match=r"rank by|by="):
            ranked_scores(EFFECTS, metrics, ROPES, bad)
    with pytest.raises(bc.InputError, match="rank by 'dominance'"):
        ranked_scores(EFFECTS[..., :1], ("a",), as_ropes(0.1, ("a",)), "dominance")
