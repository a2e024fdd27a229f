"""Draws of the cells of confusion matrices."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian.confusion.cells import compared, drawn_cells, joint_prior
from bayescmp.bayesian.confusion.chosen import chosen_metrics

COUNTS = np.array([[20.0, 5, 5, 20], [22, 3, 2, 23]])


def test_cells_have_the_mean_of_their_dirichlet():
    cells = drawn_cells(COUNTS, np.array([1.0, 2, 3, 4]), 40_000, 1)
    assert cells.shape == (2, 4, 10_000, 4)
    wanted = 50 * (COUNTS + np.arange(1, 5)) / 60
    assert cells.mean(axis=(1, 2)) == pytest.approx(wanted, abs=0.1)


def test_paired_cells_are_the_margins_of_one_table():
    table = np.arange(1.0, 9).reshape(2, 2, 2)
    cells = drawn_cells(table, np.ones(4), 40_000, 1)
    weights = table + joint_prior(np.ones(4))
    share = 36 * weights / weights.sum()
    first, second = share.sum(axis=2), share.sum(axis=1)
    for drawn, t in zip(cells, (first, second), strict=True):
        wanted = [t[1, 1], t[1, 0], t[0, 1], t[0, 0]]
        assert drawn.mean(axis=(0, 1)) == pytest.approx(wanted, abs=0.1)


def test_lower_is_better_flips_the_difference_only():
    cells = drawn_cells(COUNTS, np.ones(4), 400, 1)
    higher, lower = (compared(cells, chosen_metrics("fp", flag)) for flag in (False, True))
    np.testing.assert_array_equal(lower["delta"], -higher["delta"])
    np.testing.assert_array_equal(lower["first"], cells[0][..., 2:3])
