"""Weights of metrics: length, sign, and how they are written."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.frequentist.groups.weights import normalised, written


def test_columns_have_length_one_and_a_positive_largest_element():
    unit = normalised(np.array([[3.0, -1.0], [-4.0, 1.0]]))
    assert unit == pytest.approx(np.array([[-0.6, np.sqrt(0.5)], [0.8, -np.sqrt(0.5)]]))


def test_a_column_of_zeros_stays():
    assert normalised(np.zeros((2, 1))).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ([-0.381, 0.0, 0.73], "−0.38·a + 0.73·c"),
        ([0.5, -0.25, 0.0], "0.50·a − 0.25·b"),
        ([1.0, 0.00012, 0.0], "1.00·a + 0.00012·b"),
        ([0.0, 0.0, 0.0], "0"),
    ],
)
def test_a_sum_is_written_with_its_signs(weights, text):
    assert written(np.array(weights), "abc", 2) == text
