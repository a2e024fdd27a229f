"""Texts of marks: each artist of a figure by its own id, those that say nothing left out."""

from __future__ import annotations

from bayescmp.plots.hovers import hover, named_marks
from tests.plots.drawing import axes


def test_texts_are_known_by_the_ids_that_the_artists_get():
    ax = axes()
    points, line, silent = ax.scatter([1, 2], [1, 2]), ax.plot([1, 2])[0], ax.plot([2, 1])[0]
    hover(line, ["a line"])
    hover(points, (text for text in ("one", "two")))
    hover(silent, [])
    marks = named_marks(ax.figure)
    assert marks == {points.get_gid(): ("one", "two"), line.get_gid(): ("a line",)}
    assert silent.get_gid() is None


def test_another_figure_has_its_own():
    hover(axes().plot([1, 2])[0], ["elsewhere"])
    assert named_marks(axes().figure) == {}
