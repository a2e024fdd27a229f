"""The simplex: corners, densities, and the verdict written on it."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.path import Path

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
    of_each = [len(path.to_polygons()) for path in cells.get_paths()]
    assert counts @ of_each == posterior.draws["delta0"].size
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
    assert left.xy[0] < right.xy[0]


def test_another_rope_changes_the_simplex(posterior):
    text = " ".join(
        t.get_text() for t in bc.plots.plot_simplex(posterior, rope=0.03, ax=axes()).texts
    )
    assert f"{posterior.verdict(0.03).p_rope:.3f}" in text


def test_no_rope_has_no_simplex_but_plot_still_draws(posterior):
    with pytest.raises(bc.InputError, match="plot_density"):
        bc.plots.plot_simplex(posterior, rope=0)
    assert posterior.plot(rope=0, ax=axes()).get_xlabel().startswith("mean improvement of ")


def _fake(masses):
    verdict = bc.bayesian.sign([0.02, 0.03, -0.01], rope=0.01, seed=1).verdict()
    return SimpleNamespace(
        masses=lambda rope: masses, verdict=lambda rope: verdict, method="fake", names=("a", "b"),
        measured="", data_text="", rope=verdict.rope,
    )  # fmt: skip


def test_mass_in_a_corner_is_marked_and_mass_in_the_middle_is_not():
    corner = np.tile([0.995, 0.003, 0.002], (1, 400, 1))
    middle = np.random.default_rng(1).dirichlet([9, 9, 9], (1, 400))
    for masses, places in ((corner, [(0, 0)]), (middle, [])):
        ax = bc.plots.plot_simplex(_fake(masses), ax=axes())
        discs = [line for line in ax.lines if line.get_marker() == "o"]
        assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in discs] == places


def test_contours_hold_half_and_nineteen_in_twenty_of_the_draws():
    masses = np.random.default_rng(1).dirichlet([30, 20, 25], (1, 20_000))
    ax = bc.plots.plot_simplex(_fake(masses), ax=axes())
    points = project(masses[0])
    for width, prob in ((1.5, 0.5), (0.9, 0.95)):
        (line,) = [x for x in ax.lines if x.get_linewidth() == width and x.get_zorder() == 2]
        inside = Path(np.transpose(line.get_data())).contains_points(points)
        assert inside.mean() == pytest.approx(prob, abs=0.02)
