"""Scores within blocks: ties to rounding."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f


def test_rounding_noise_makes_no_order():
    """0.1 + 0.2 and 0.3 are the same score; so are differences from a mean that agree."""
    x = np.array([[0.1 + 0.2, 0.3, 0.1], [0.5, 0.4, 0.2], [0.7, 0.9, 0.8]])
    clean = np.array([[0.3, 0.3, 0.1], [0.5, 0.4, 0.2], [0.7, 0.9, 0.8]])
    assert f.friedman(x).estimate == pytest.approx(f.friedman(clean).estimate)
    assert f.friedman(x, tie_tolerance=0).estimate != pytest.approx(f.friedman(clean).estimate)
    # with 0.15 the last row is all tied (.7, .8, .9) and the others' first two scores are
    assert f.friedman(x, tie_tolerance=0.15).estimate == pytest.approx([5 / 3, 5 / 3, 8 / 3])


def test_tiny_scores_are_no_noise():
    """Rounding is relative to the scores: optimisers' errors of 1e-15 and 2e-15 differ."""
    x = np.array([[1e-15, 2e-15, 1.0], [3e-12, 1e-12, 2.0], [1e-9, 2e-9, 3e-9]])
    assert f.average_ranks(x, lower_is_better=True).ranks[0].tolist() == [1, 2, 3]
