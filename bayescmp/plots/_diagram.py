"""What both layouts of the critical-difference diagram share, and the layout as a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.plots._ink import ink, quantity
from bayescmp.plots._labels import letters, room, text_width
from bayescmp.plots._names import shorten_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.frequentist.pairs.result import PosthocResult

__all__ = [
    "Diagram",
    "Scale",
    "diagram_of",
    "draw_bar",
    "draw_list",
    "lanes_of",
    "list_height",
    "names_that_fit",
    "ticks_of",
]


@dataclass(frozen=True, eq=False)
class Diagram:
    """What is drawn: algorithms from best to worst.

    Attributes
    ----------
    names, labels : list of str
        The algorithms and their mean ranks as text.
    values : ndarray of shape (L,)
        Their mean ranks (or means, or wins).
    groups : list of list of int
        Places of the members of each group.
    difference : float or None
        The critical difference.
    measure : str
        What the values are.
    low_is_best : bool
    control : int or None
        Place of the control.
    whole : list of str
        The names, not shortened.
    """

    names: list[str]
    labels: list[str]
    values: np.ndarray
    groups: list[list[int]]
    difference: float | None
    measure: str
    low_is_best: bool
    control: int | None
    whole: list[str]


@dataclass(frozen=True)
class Scale:
    """From values to places across, the best at the left."""

    low: float
    high: float
    left: float
    right: float
    reverse: bool

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.left + (1 - share if self.reverse else share) * (self.right - self.left)


def diagram_of(result: PosthocResult, alpha: float, digits: int | None, most: int = 22) -> Diagram:
    """Read what is drawn from a result of post-hoc tests.

    Parameters
    ----------
    result : PosthocResult
    alpha : float
        Family-wise level.
    digits : int, optional
        Decimals of the labels.
    most : int
        Letters of a name.

    Returns
    -------
    Diagram
    """
    order = list(result.order)
    values = np.asarray(result.centres, dtype=float)[order]
    place = {result.names[i]: at for at, i in enumerate(order)}
    return Diagram(
        names=shorten_all([result.names[i] for i in order], most),
        labels=_labels(values, digits),
        values=values,
        groups=[sorted(place[name] for name in group) for group in result.cliques(alpha)],
        difference=result.critical_difference(alpha),
        measure=f"{result.measure},\n{result.measured}" if result.directions else result.measure,
        low_is_best=result.low_is_best,
        control=None if result.control is None else place[result.control],
        whole=[str(result.names[i]) for i in order],
    )


def _labels(values: np.ndarray, digits: int | None) -> list[str]:
    """Values as text, with as many decimals as tell different ones apart."""
    if digits is None:
        distinct = len(np.unique(values.round(9)))
        digits = next((d for d in (2, 3) if len({f"{v:.{d}f}" for v in values}) == distinct), 4)
    return [f"{v:.{digits}f}" for v in values]


def ticks_of(low: float, high: float, room: int) -> list[float]:
    """Round numbers from low to high, at most as many as there is room for."""
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(nbins=max(room, 2), steps=[1, 2, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    return [float(t) for t in ticks if low - slack <= t <= high + slack]


def lanes_of(spans: Sequence[Sequence[float]], gap: float) -> list[int]:
    """Which lane each bar goes on: the first on which all others are a gap away."""
    lanes: list[list[Sequence[float]]] = []
    chosen = []
    for low, high in spans:
        free = (
            i
            for i, lane in enumerate(lanes)
            if all(low > h + gap or high < b - gap for b, h in lane)
        )
        lane = next(free, len(lanes))
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append((low, high))
        chosen.append(lane)
    return chosen


def draw_bar(
    ax: Axes, along: Sequence[float], group: Sequence[int], across: float, *, upright: bool
) -> None:
    """One bar that joins a group, dotted over what does not belong to it.

    Parameters
    ----------
    ax : matplotlib Axes
    along : sequence of float
        Where the members are, in the direction of the bar.
    group : sequence of int
        Their places in the order: members that are not neighbours have an outsider in between.
    across : float
        Where the bar is, in the other direction.
    upright : bool
        Whether the bar is vertical.
    """
    colour = quantity()

    def line(a: float, b: float, **style: Any) -> None:
        ends = ([across, across], [a, b]) if upright else ([a, b], [across, across])
        ax.plot(*ends, color=colour, zorder=3, **style)

    solid = {"linewidth": 2.2, "solid_capstyle": "butt"}
    for (a, b), (i, j) in zip(pairwise(along), pairwise(group), strict=True):
        line(a, b, **(solid if j == i + 1 else {"linewidth": 0.9, "linestyle": (0, (1, 1.4))}))
    reach = 0.025  # over the outer members
    line(min(along) - reach, min(along), **solid)
    line(max(along), max(along) + reach, **solid)
    if group[-1] - group[0] >= len(group):
        places = [across] * len(along)
        ax.plot(
            *((places, along) if upright else (along, places)),
            linestyle="",
            marker="o",
            markersize=3.2,
            color=colour,
            zorder=4,
        )


# -- one row per algorithm ------------------------------------------------------------------------

ROW, TOP, LANE = 0.128, 0.42, 0.075


def list_height(diagram: Diagram) -> float:
    """Height in inches of the diagram as a list."""
    return TOP + ROW * len(diagram.names) + 0.08


def names_that_fit(diagram: Diagram, width: float) -> Diagram:
    """The diagram with names that leave two fifths of a width for the axis."""
    size = _text(width)
    longest = max(text_width(name, size) for name in diagram.names)
    numbers = max(text_width(label, size) for label in diagram.labels) + 0.2
    if longest + numbers <= 0.6 * width:
        return diagram
    most = letters(0.6 * width - numbers, size, 22)
    return replace(diagram, names=shorten_all(diagram.whole, most))


def _text(width: float) -> float:
    return min(7.5, 5.4 + 0.5 * width)


def draw_list(ax: Axes, diagram: Diagram) -> Axes:
    """The diagram with one row per algorithm and upright bars at the right.

    Parameters
    ----------
    ax : matplotlib Axes
    diagram : Diagram

    Returns
    -------
    matplotlib Axes
    """
    height = list_height(diagram)
    width = max(room(ax), 2.0)
    diagram = names_that_fit(diagram, width)
    size = _text(width)
    ys = [-TOP - ROW * (i + 0.7) for i in range(len(diagram.names))]
    lanes = lanes_of([(g[0], g[-1]) for g in diagram.groups], gap=0.5)
    number = max(lanes, default=-1) + 1
    step = min(LANE, 0.3 * width / max(number, 1))
    names = max(text_width(n, size) for n in diagram.names)
    left = names + max(text_width(v, size) for v in diagram.labels) + 0.2
    left = max(left, *(text_width(t, size) + 0.1 for t in diagram.measure.splitlines()))
    right = max(width - 0.1 - step * number, left + 0.6)
    ax.set_xlim(0, max(width, right + 0.1 + step * number))
    ax.set_ylim(-height, 0)
    ax.set_axis_off()
    scale = _scale(diagram, left, right)
    _list_axis(ax, diagram, scale, (left, right), (ys[-1], size))
    _list_rows(ax, diagram, scale, ys, (names, left, size), right)
    for group, lane in zip(diagram.groups, lanes, strict=True):
        draw_bar(ax, [ys[i] for i in group], group, right + 0.1 + step * lane, upright=True)
    return ax


def _scale(diagram: Diagram, left: float, right: float) -> Scale:
    """A scale that holds all values, and the critical difference from the best one on."""
    best, wide = float(diagram.values[0]), diagram.difference or 0.0
    ends = [*diagram.values, best + wide if diagram.low_is_best else best - wide]
    low, high = float(min(ends)), float(max(ends))
    room = 0.04 * ((high - low) or 1.0)
    return Scale(low - room, high + room, left, right, not diagram.low_is_best)


def _list_axis(
    ax: Axes,
    diagram: Diagram,
    scale: Scale,
    ends: tuple[float, float],
    bottom: tuple[float, float],
) -> None:
    left, right = ends
    lowest, size = bottom
    ax.plot([left, right], [-TOP, -TOP], color=ink(), linewidth=0.9)
    for tick in ticks_of(scale.low, scale.high, room=int(3.5 * (right - left))):
        x = scale(tick)
        ax.plot([x, x], [-TOP, -TOP + 0.04], color=ink(), linewidth=0.9)
        ax.plot([x, x], [-TOP, lowest], color=ink(0.12), linewidth=0.5, zorder=0)
        ax.text(x, -TOP + 0.055, f"{tick:g}", ha="center", va="bottom", fontsize=size)
    ax.text(
        left - 0.06,
        -TOP - 0.03,
        diagram.measure,
        ha="right",
        va="bottom",
        fontsize=size,
        color=ink(0.7),
    )
    if diagram.difference is not None:
        best = float(diagram.values[0])
        worse = best + diagram.difference * (1 if diagram.low_is_best else -1)
        xs, y = [scale(best), scale(worse)], -0.1
        ax.plot(xs, [y, y], color=ink(), linewidth=1.3, marker="|", markersize=5)
        ax.text(
            min(xs) - 0.06,
            y,
            f"CD = {diagram.difference:.3g}",
            ha="right",
            va="center",
            fontsize=size,
        )


def _list_rows(
    ax: Axes,
    diagram: Diagram,
    scale: Scale,
    ys: Sequence[float],
    columns: tuple[float, float, float],
    right: float,
) -> None:
    names, left, size = columns
    for place, y in enumerate(ys):
        chosen = place == diagram.control
        colour = ink()
        style: dict[str, Any] = {"va": "center", "fontsize": size, "color": colour}
        weight = "bold" if chosen else "normal"
        ax.text(names, y, diagram.names[place], ha="right", fontweight=weight, **style)
        ax.text(left - 0.08, y, diagram.labels[place], ha="right", **style)
        x = scale(float(diagram.values[place]))
        ax.plot([left, right], [y, y], color=ink(0.1), linewidth=0.5, zorder=0)
        ax.plot([x], [y], marker="o", markersize=3.6, color=colour, zorder=3)
