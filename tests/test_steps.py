"""Smallest steps of scores, rounding left aside."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.steps import smallest_step, smallest_steps, step_seen, steps_of_runs


def test_smallest_step_ignores_rounding_noise():
    assert smallest_step(np.array([0.1 + 0.2, 0.3, 0.35])) == pytest.approx(0.05)
    assert np.isnan(smallest_step(np.array([0.5, 0.5])))


def test_smallest_steps_of_many_rows_are_those_of_each():
    rng = np.random.default_rng(4)
    group = np.r_[np.repeat([2, 0, 3, 1], [7, 5, 6, 4]), [4, 4]]
    scores = np.r_[rng.integers(0, 40, 22) / 40, 0.3, 0.1 + 0.2]  # the last two differ by rounding
    expected = [smallest_step(scores[group == g]) for g in range(5)]
    assert np.isnan(expected[4])
    assert np.array_equal(smallest_steps(scores, group), expected, equal_nan=True)


def test_a_step_from_zero_counts_among_differences():
    assert step_seen([np.array([0.02, 0.02]), np.array([0.0, 0.06])]) == pytest.approx(0.02)
    assert np.isnan(step_seen([np.zeros(3)]))


@pytest.mark.parametrize("sizes", [[7, 7, 7], [7, 4, 1]])
def test_groups_of_one_size_and_of_several(sizes):
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(3), sizes)[(order := rng.permutation(sum(sizes)))]
    scores = (rng.integers(0, 50, sum(sizes)) / 100)[order]
    expected = [smallest_step(scores[group == g]) for g in range(3)]
    np.testing.assert_array_equal(smallest_steps(scores, group), expected)


@pytest.mark.parametrize("sizes", [[7, 7, 7], [7, 4, 1], [1, 1, 1]])
def test_steps_of_two_algorithms_are_those_of_their_scores_together(sizes):
    rng = np.random.default_rng(2)
    starts = np.cumsum([0, *sizes[:-1]])
    scores = rng.integers(-50, 50, (2, sum(sizes))) / 100
    scores[:, 0], scores[:, starts[-1] :] = (0.3, 0.1 + 0.2), 0.25  # rounding; all equal
    parts = np.split(scores, starts[1:], axis=1)
    expected = [smallest_step(part.ravel()) for part in parts]
    assert np.isnan(expected[-1])
    np.testing.assert_array_equal(steps_of_runs(scores, starts), expected)
