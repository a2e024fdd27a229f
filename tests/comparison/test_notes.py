"""Notes on the scale of differences."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.comparison.notes import notes_of


def test_what_a_scale_says():
    table = {"a": [0.5, 0.25, 0.4], "b": [1.0, 0.5, 0.8]}
    scores = bc.Scores.read(table, metric="accuracy", resampling="3-fold")
    (ratio,) = notes_of(scores.differences("a", "b", scale="log_ratio"), np.log(1.02))
    assert "'b' is 2 times as good as 'a'; equivalent within 0.98 to 1.02 times" in ratio
    assert notes_of(scores.differences("a", "b"), 0.01) == ()
    assert notes_of("anything", 0.01) == ()


@pytest.mark.parametrize("rope", [0, 0.1])
def test_standardised(rope):
    table = {"a": [0.5, 0.25, 0.4], "b": [0.9, 0.5, 0.8]}
    scores = bc.Scores.read(table, metric="accuracy", resampling="3-fold")
    (note,) = notes_of(scores.differences("a", "b", scale="standardised"), rope)
    assert "in standard deviations" in note
