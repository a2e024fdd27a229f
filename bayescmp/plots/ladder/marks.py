"""The marks of the ladder: arrows, double lines and dashes, down the rail or across in the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.plots.drawing import ink
from bayescmp.wording.regions import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches of a line of text; sizes of names and of all else.
LINE = 0.135
NAME_SIZE, SMALL = 8.0, 6.5
SHORT_DASHES = (0, (3, 2.2))


def draw_double(
    ax: Axes, xs: tuple[float, float], ys: tuple[float, float], apart: tuple[float, float]
) -> None:
    """Two lines side by side, so far apart across and down."""
    for side in (-1, 1):
        across = [x + side * apart[0] for x in xs]
        down = [y + side * apart[1] for y in ys]
        ax.plot(across, down, color=COLOURS["rope"], linewidth=1.3, zorder=2)


def draw_dashes(ax: Axes, xs: tuple[float, float], ys: tuple[float, float]) -> None:
    """A dashed line."""
    ax.plot(xs, ys, color=ink(0.45), linewidth=0.9, linestyle=SHORT_DASHES, zorder=2)


def draw_arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], *, barred: bool = False
) -> None:
    """An arrow down or across, with a bar at its tail where it stands for many pairs."""
    ax.annotate(
        "",
        end,
        start,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.13,head_length=0.26",
            "color": ink(),
            "linewidth": 0.9,
            "shrinkA": 0.0 if barred else 2.0,
            "shrinkB": 2.4,
            "mutation_scale": 10,
        },
        zorder=3,
    )
    if barred:
        (x, y), flat = start, start[1] == end[1]
        marker = "|" if flat else "_"
        ax.plot([x], [y], marker, color=ink(), markersize=6.5, markeredgewidth=1.6, zorder=5)
