"""A panel per algorithm, where in a single panel they would hide each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bayescmp.plots._canvas import axes_for, column, sized
from bayescmp.plots._labels import letters, wrapped
from bayescmp.plots._names import shorten_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST", "facets", "facets_size"]

#: How many algorithms can be distinguished in one panel.
MOST = 8
#: Inches: least width of a panel, its height, the margins around all of them.
PANEL, HEIGHT, AROUND = 0.98, 0.84, 0.4


def facets(names: Sequence[str], draw: Callable[[Axes, int], None], across: str, up: str) -> Axes:
    """Draw a panel an algorithm in a new figure, all on the same axes.

    Parameters
    ----------
    names : sequence of str
    draw : callable
        ``draw(panel, i)`` draws algorithm i.
    across, up : str
        What the axes are.

    Returns
    -------
    matplotlib Axes
        The first panel.
    """
    width, height = facets_size(names)
    first = axes_for(None, (width, height))
    figure = first.figure
    first.remove()
    wide = _columns(width)
    grid = figure.subplots(-(-len(names) // wide), wide, sharex=True, sharey=True, squeeze=False)
    panels = grid.ravel().tolist()
    titles = shorten_all(names, letters(0.85 * width / wide - 0.25, 6.5))
    for i, (panel, title) in enumerate(zip(panels, titles, strict=False)):
        draw(panel, i)
        panel.set_title(title, fontsize=6.5, pad=2)
        panel.tick_params(labelsize=6, length=2)
        panel.locator_params(nbins=3)
    for panel in panels[len(names) :]:
        panel.remove()
    figure.supxlabel(wrapped(across, width - 0.2, 8), fontsize=8)
    figure.supylabel(wrapped(up, height - 0.2, 8), fontsize=8)
    return panels[0]


def facets_size(names: Sequence[str]) -> tuple[float, float]:
    """Width and height, inches, of the figure of the panels."""
    width, _ = sized(column(), 0.0)
    return width, AROUND + HEIGHT * -(-len(names) // _columns(width))


def _columns(width: float) -> int:
    return max(int((width - 0.2) // PANEL), 1)
