"""The simplex: corners, densities, and the verdict written on it."""

from __future__ import annotations

import io

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.plots.simplex import CORNERS, project
from tests.plots.drawing import axes


def test_the_triangle_is_equilateral_and_its_corners_are_the_regions():
    corners = np.array(list(CORNERS.values()))
    sides = [np.linalg.norm(corners[i] - corners[j]) for i, j in ((0, 1), (1, 2), (0, 2))]
    assert sides == pytest.approx([1, 1, 1])
    assert project(np.eye(3)) == pytest.approx(corners)
    assert project(np.full((1, 3), 1 / 3))[0] == pytest.approx(corners.mean(axis=0))


def test_the_densest_is_the_darkest(posterior):
    ax = bc.plots.plot_simplex(posterior, ax=axes())
    cells = ax.collections[0]
    ax.figure.savefig(io.BytesIO())
    counts = np.asarray(cells.get_array())
    darkness = -cells.get_facecolors()[:, :3].sum(axis=1)
    order = np.argsort(counts)
    assert np.all(np.diff(darkness[order]) >= -1e-9)
    assert counts.sum() == posterior.draws["delta0"].size
    assert cells.get_facecolors()[np.argmin(counts), :3].sum() < 2.9  # one draw is not white


def test_corners_bear_the_verdict(posterior):
    ax = bc.plots.plot_simplex(posterior, ax=axes())
    text = " ".join(t.get_text() for t in ax.texts)
    v = posterior.verdict()
    for p in (v.p_left, v.p_rope, v.p_right):
        assert f"{p:.3f}" in text
    assert "equivalent" in text
    assert "k\\$nn\\$" in text  # no mathematics
    left, right = (next(t for t in ax.texts if n in t.get_text()) for n in ("nn", "gbm"))
    assert left.get_position()[0] < right.get_position()[0]


def test_another_rope_changes_the_simplex(posterior):
    text = " ".join(
        t.get_text() for t in bc.plots.plot_simplex(posterior, rope=0.03, ax=axes()).texts
    )
    assert f"{posterior.verdict(0.03).p_rope:.3f}" in text


def test_no_rope_has_no_simplex_but_plot_still_draws(posterior):
    with pytest.raises(bc.InputError, match="plot_density"):
        bc.plots.plot_simplex(posterior, rope=0)
    assert posterior.plot(rope=0, ax=axes()).get_xlabel().startswith("mean improvement of ")
