"""Nested sets of the best, with their joint probabilities."""

from __future__ import annotations

import numpy as np

from bayescmp.bayesian import bootstrap
from bayescmp.plots import plot_top_sets

MEANS = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]


def test_bars_are_the_joint_probabilities_filled_above_the_threshold():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_top_sets(posterior, threshold=0.6)
    sets = posterior.top_sets()
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], sets["p_joint"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A1", "+ A2", "+ A3"]
    white = [bar.get_facecolor()[:3] == (1, 1, 1) for bar in ax.patches]
    assert white == [False, False, True]
    assert ax.lines[0].get_xdata()[0] == 0.6


def test_another_rope_and_target():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    ax = plot_top_sets(posterior, on="average", rope=0.5)
    assert ax.patches[1].get_width() > 0.9
    assert "on average" in ax.get_xlabel()
