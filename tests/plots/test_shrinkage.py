"""Shrinkage: every data set, measured and estimated, in order."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex

import bayescmp as bc
from bayescmp.palette import COLOURS
from bayescmp.plots.shrinkage import figure_size
from bayescmp.verdict import THREE
from tests.plots.drawing import axes


def test_shrinkage_is_sorted_and_holds_every_data_set(posterior):
    ax = bc.plots.plot_shrinkage(posterior, ax=axes())
    table = posterior.by_dataset().sort_values(["mean", "observed"])
    assert [t.get_text() for t in ax.get_yticklabels()] == list(table.index)
    *regions, measured = (c for c in ax.collections if isinstance(c, PathCollection))
    means = np.concatenate([np.asarray(c.get_offsets()) for c in regions])
    means = means[np.argsort(means[:, 1])]
    assert means[:, 0] == pytest.approx(table["mean"].to_numpy())
    assert np.asarray(measured.get_offsets())[:, 0] == pytest.approx(table["observed"].to_numpy())
    assert np.all(np.diff(means[:, 0]) >= 0)


def test_data_sets_have_the_colour_of_their_likeliest_region(posterior):
    ax = bc.plots.plot_shrinkage(posterior, ax=axes())
    table = posterior.by_dataset()
    best = table[[f"p_{r}" for r in THREE.regions]].to_numpy().argmax(axis=1)
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert [len(c.get_segments()) for c in lines] == [(best == k).sum() for k in range(3)]
    assert [to_hex(c.get_color()[0]).upper() for c in lines if len(c.get_segments())] == [
        COLOURS[r].upper() for k, r in enumerate(THREE.regions) if (best == k).any()
    ]


def test_sixty_data_sets_fit_a_page():
    assert figure_size(60)[1] < 9
    assert figure_size(12)[1] == pytest.approx(1.1 + 12 * 0.155)
