"""First places, ranks and sets from weighted points, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.bayesian.joint.standing import (
    Cloud,
    errors_of,
    first_places,
    masses_of,
    near_best,
    ranked,
    standing_of,
)


@pytest.fixture
def cloud():
    rng = np.random.default_rng(2)
    u = rng.integers(0, 4, (300, 5, 6)).astype(float)  # many ties
    return Cloud(u, rng.dirichlet(np.ones(5), 300))


def test_ranks_are_scipys(cloud):
    above, tied = ranked(cloud.u)
    expected = stats.rankdata(-cloud.u, axis=-1, method="average")
    np.testing.assert_allclose(above + (tied + 1) / 2, expected)
    np.testing.assert_array_equal(above + 1, stats.rankdata(-cloud.u, axis=-1, method="min"))


def test_numbers_equal_but_for_rounding_tie():
    _, tied = ranked(np.array([[0.1 + 0.2, 0.3, 0.5]]))
    assert tied.tolist() == [[2, 2, 1]]


def test_shares_are_those_of_a_loop(cloud):
    result = standing_of([cloud], 1.0)
    best, near, ranks = np.zeros((300, 6)), np.zeros((300, 6)), np.zeros((6, 6))
    for d in range(300):
        for m in range(5):
            u, w = cloud.u[d, m], cloud.w[d, m]
            best[d] += w * (u == u.max()) / (u == u.max()).sum()
            near[d] += w * (u >= u.max() - 1)
            for k in range(6):
                low, high = (u > u[k]).sum(), (u >= u[k]).sum()
                ranks[k, low:high] += w / (high - low) / 300
    np.testing.assert_allclose(result.best, best)
    np.testing.assert_allclose(result.near, near)
    np.testing.assert_allclose(result.ranks, ranks)
    np.testing.assert_allclose(result.ranks.sum(axis=0), 1)
    np.testing.assert_allclose(result.average, np.einsum("dm,dml->dl", cloud.w, cloud.u))


def test_first_places_alone_are_those_of_the_whole_standing(cloud):
    whole = standing_of([cloud], 1.0)
    best, average = first_places([cloud])
    np.testing.assert_array_equal(best, whole.best)
    np.testing.assert_array_equal(average, whole.average)


def test_in_parts_as_at_once_and_the_same_points_once_for_all_draws(cloud):
    parts = [Cloud(cloud.u[:120], cloud.w[:120]), Cloud(cloud.u[120:], cloud.w[120:])]
    whole, pieces = standing_of([cloud], 1.0), standing_of(parts, 1.0)
    np.testing.assert_allclose(whole.ranks, pieces.ranks)
    np.testing.assert_allclose(whole.joint(range(6)), pieces.joint(range(6)))
    fixed = Cloud(cloud.u[:1], cloud.w)
    spelt = Cloud(np.repeat(cloud.u[:1], 300, axis=0), cloud.w)
    one, other = standing_of([fixed], 1.0), standing_of([spelt], 1.0)
    np.testing.assert_allclose(one.ranks, other.ranks)
    np.testing.assert_allclose(one.ranks_se, other.ranks_se)
    np.testing.assert_allclose(one.joint(range(6)), other.joint(range(6)))


def test_joint_shares_are_of_all_at_once(cloud):
    order = [3, 0, 5, 1, 2, 4]
    actual = standing_of([cloud], 1.0).joint(order)
    near = cloud.u >= cloud.u.max(axis=-1, keepdims=True) - 1
    for size in range(1, 7):
        at_once = near[..., order[:size]].all(axis=-1)
        np.testing.assert_allclose(actual[:, size - 1], (at_once * cloud.w).sum(axis=1))


def test_the_ropes_end_is_within_and_ties_without_rope_count_half():
    u = np.array([[[0.30, 0.31, 0.29], [0.5, 0.5, 0.1]]])
    w = np.array([[0.75, 0.25]])
    assert near_best(u, 0.01)[0, 0].tolist() == [True, True, False]
    pairs = np.array([[0, 1], [0, 2]])
    left, right = masses_of([Cloud(u, w)], pairs, 0.01)
    np.testing.assert_allclose([left[0], right[0]], [[0, 0.25], [0, 0]])
    left, right = masses_of([Cloud(u, w)], pairs, 0.0)
    np.testing.assert_allclose([left[0], right[0]], [[0.125, 1], [0.875, 0]])


def test_errors_of_ranks_are_those_of_repeated_runs():
    def one(seed):
        rng = np.random.default_rng(seed)
        return standing_of([Cloud(rng.random((4000, 1, 3)), np.ones((4000, 1)))], 0.1)

    runs = [one(seed) for seed in range(60)]
    spread = np.std([r.ranks for r in runs], axis=0, ddof=1)
    reported = np.mean([r.ranks_se for r in runs], axis=0)
    np.testing.assert_allclose(reported, spread, rtol=0.3)


def test_errors_of_means_are_never_zero_and_know_sticky_chains():
    rng = np.random.default_rng(1)
    x = rng.random((4000, 1))
    assert errors_of(x, 4, independent=True)[0] == pytest.approx(np.sqrt(1 / 12 / 4000), rel=0.05)
    assert errors_of(np.ones((4000, 1)), 4, independent=True)[0] > 0
    sticky = np.repeat(x[:400], 10, axis=0)
    reported = errors_of(sticky, 4, independent=False)[0]
    assert reported == pytest.approx(np.sqrt(1 / 12 / 400), rel=0.3)
