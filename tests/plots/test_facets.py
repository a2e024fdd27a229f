"""A panel an algorithm: as many as there are, on the same axes, within a page."""

from __future__ import annotations

import pytest

from bayescmp.plots._canvas import fixed_width
from bayescmp.plots._facets import facets, facets_size

NAMES = [f"algorithm {i}" for i in range(10)]


@pytest.mark.parametrize(("inches", "columns"), [(3.3, 3), (6.5, 6)])
def test_panels_are_drawn_once_each_and_share_axes(inches, columns):
    drawn = []

    def draw(panel, i):
        drawn.append(i)
        panel.plot([0, i], [0, 1])

    with fixed_width(inches):
        first = facets(NAMES, draw, "across", "up")
    assert drawn == list(range(10))
    panels = first.figure.axes
    assert [panel.get_title() for panel in panels] == NAMES
    assert first.get_subplotspec().get_gridspec().ncols == columns
    assert {panel.get_xlim() for panel in panels} == {first.get_xlim()}
    assert first.get_xlim()[1] > 9


def test_thirty_fit_a_page():
    with fixed_width(3.3):
        width, height = facets_size(NAMES * 3)
    assert width == 3.3
    assert height < 9
