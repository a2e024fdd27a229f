"""Shrinkage: every data set, measured and estimated, in order."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from tests.plots.drawing import axes


def test_shrinkage_is_sorted_and_holds_every_data_set(posterior):
    ax = bc.plots.plot_shrinkage(posterior, ax=axes())
    table = posterior.by_dataset().sort_values(["mean", "observed"])
    assert [t.get_text() for t in ax.get_yticklabels()] == list(table.index)
    means, measured = (np.asarray(c.get_offsets()) for c in ax.collections[-2:])
    assert means[:, 0] == pytest.approx(table["mean"].to_numpy())
    assert measured[:, 0] == pytest.approx(table["observed"].to_numpy())
    assert np.all(np.diff(means[:, 0]) >= 0)
