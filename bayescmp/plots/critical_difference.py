"""Critical-difference diagram: mean ranks on a line, algorithms not found different joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from bayescmp.base.checks import count, one_of, optional, share
from bayescmp.plots.captions import facts_of_tests, note
from bayescmp.plots.drawing import (
    Look,
    axes_for,
    column,
    ink,
    letters,
    made_of,
    measure_widest,
    quantity,
    room,
    shorten_all,
    text_width,
    ticks_of,
)

if TYPE_CHECKING:
    from bayescmp.frequentist.results import PosthocResult

# Shared by both layouts of the critical-difference diagram, and the layout as a list.


@dataclass(frozen=True, eq=False)
class Diagram:
    """The content of a critical-difference diagram: algorithms from best to worst.

    Attributes
    ----------
    names, labels, whole : list of str
        The algorithms, their mean ranks as text, and their names, not shortened.
    values : ndarray of shape (L,)
        Their mean ranks (or means, or wins), the `measure`.
    groups : list of list of int
        Places of the members of each group.
    measure, facts : str
        What the values are; level and sample.
    control : int or None
        Place of the control.
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
    facts: str

    @property
    def ranks(self) -> bool:
        """Whether the values are mean ranks, none of which is below 1."""
        return "mean rank" in self.measure

    @property
    def above(self) -> float:
        """Inches above the axis, for level and sample and for the critical difference."""
        return 0.37 if self.difference is None else 0.51

    @property
    def head(self) -> str:
        """The critical difference, if any, with the level and the sample."""
        known = "" if self.difference is None else f"CD = {self.difference:.3g}, "
        return known + self.facts


@dataclass(frozen=True)
class Scale:
    """A scale from values to places across, the best at the left."""

    low: float
    high: float
    left: float
    right: float
    reverse: bool

    def __call__(self, value: float) -> float:
        """Return the inches from the left to a value's place."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + (1 - share if self.reverse else share) * (self.right - self.left)


def diagram_of(result: PosthocResult, alpha: float, digits: int | None) -> Diagram:
    """Read what is drawn from a result of post-hoc tests."""
    order = list(result.order)
    values = np.asarray(result.centres, dtype=float)[order]
    place = {result.names[i]: at for at, i in enumerate(order)}
    return Diagram(
        names=shorten_all([result.names[i] for i in order], 22),
        labels=_labels(values, digits),
        values=values,
        groups=[sorted(place[name] for name in group) for group in result.cliques(alpha)],
        difference=result.critical_difference(alpha),
        measure=f"{result.measure},\n{result.measured}" if result.directions else result.measure,
        low_is_best=result.low_is_best,
        control=None if result.control is None else place[result.control],
        whole=[str(result.names[i]) for i in order],
        facts=f"α = {alpha:g}"
        + (f", n = {result.n}" if result.n else "")
        + _say_bars(result, alpha),
    )


def _say_bars(result: PosthocResult, alpha: float) -> str:
    """State what the bars mean, if there are any."""
    if not any(len(group) > 1 for group in result.cliques(alpha)):
        return ""
    to = "" if result.control is None else " to the bold one"
    return f"; joined{to}: not significant"


def _labels(values: np.ndarray, digits: int | None) -> list[str]:
    """Write values with as many decimals as tell different ones apart."""
    if digits is None:
        distinct = len(np.unique(values.round(9)))
        digits = next((d for d in (2, 3) if len({f"{v:.{d}f}" for v in values}) == distinct), 4)
    return [f"{value:.{digits}f}" for value in values]


def _ticks_from_one(low: float, high: float, room: int) -> list[float]:
    """Return round ranks, the first of them 1, with room between it and the next."""
    ticks = [tick for tick in ticks_of(low, high, room) if tick > 1]
    apart = ticks[1] - ticks[0] if len(ticks) > 1 else 0.0
    return [1.0, *(tick for tick in ticks if tick - 1 >= 0.6 * apart)]


def lanes_of(spans: Sequence[Sequence[float]], gap: float) -> list[int]:
    """Find a lane for each bar: the first on which all others are a gap away."""
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
    """Draw one bar that joins a group, dotted over what does not belong to it."""
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


# One row per algorithm.

ROW, LANE = 0.128, 0.075


def list_height(diagram: Diagram) -> float:
    """Return the height, in inches, of the diagram as a list."""
    return diagram.above + ROW * len(diagram.names) + 0.08


def names_that_fit(diagram: Diagram, width: float) -> Diagram:
    """Shorten the diagram's names to leave two fifths of a width for the axis."""
    size = _text(width)
    longest = _name_width(diagram, size)
    numbers = measure_widest(diagram.labels, size) + 0.2
    if longest + numbers <= 0.6 * width:
        return diagram
    most = letters(0.6 * width - numbers, size, 22)
    return replace(diagram, names=shorten_all(diagram.whole, most))


def _name_width(diagram: Diagram, size: float) -> float:
    """Measure the longest name in inches; bold letters are wider by an eighth."""
    widths = [text_width(name, size) for name in diagram.names]
    return max(w * (1.125 if i == diagram.control else 1.0) for i, w in enumerate(widths))


def _text(width: float) -> float:
    return min(7.5, 5.4 + 0.5 * width)


def _draw_list(ax: Axes, diagram: Diagram) -> Axes:
    """Draw one row per algorithm, with upright bars at the right."""
    height = list_height(diagram)
    width = max(room(ax), 2.0)
    diagram = names_that_fit(diagram, width)
    size = _text(width)
    ys = [-diagram.above - ROW * (i + 0.7) for i in range(len(diagram.names))]
    lanes = lanes_of([(g[0], g[-1]) for g in diagram.groups], gap=0.5)
    number = max(lanes, default=-1) + 1
    step = min(LANE, 0.3 * width / max(number, 1))
    names = _name_width(diagram, size)
    left = names + measure_widest(diagram.labels, size) + 0.2
    left = max(left, *(text_width(line, size) + 0.1 for line in diagram.measure.splitlines()))
    right = max(width - 0.1 - step * number, left + 0.6)
    ax.set(xlim=(0, max(width, right + 0.1 + step * number)), ylim=(-height, 0))
    ax.set_axis_off()
    scale = _scale(diagram, left, right)
    _head_list(ax, diagram, scale, ys[-1], size)
    _draw_rows(ax, diagram, scale, ys, names, size)
    for group, lane in zip(diagram.groups, lanes, strict=True):
        draw_bar(ax, [ys[i] for i in group], group, right + 0.1 + step * lane, upright=True)
    return ax


def _scale(diagram: Diagram, left: float, right: float) -> Scale:
    """Make a scale with room for all values, and for the critical difference from the best."""
    best, wide = float(diagram.values[0]), diagram.difference or 0.0
    ends = [*diagram.values, best + wide if diagram.low_is_best else best - wide]
    low, high = float(min(ends)), float(max(ends))
    low = 1.0 if diagram.ranks else low
    room = 0.04 * ((high - low) or 1.0)
    first = low if diagram.ranks else low - room
    return Scale(first, high + room, left, right, not diagram.low_is_best)


def _draw_axis(
    ax: Axes,
    scale: Scale,
    y: float,
    size: float,
    *,
    tick: float,
    an_inch: float,
    ranks: bool,
) -> list[float]:
    ax.plot([scale.left, scale.right], [y, y], color=ink(), linewidth=0.9)
    ticks = _ticks_from_one if ranks else ticks_of
    values = ticks(scale.low, scale.high, room=int(an_inch * (scale.right - scale.left)))
    places = [scale(value) for value in values]
    for x, value in zip(places, values, strict=True):
        ax.plot([x, x], [y, y + tick], color=ink(), linewidth=0.9)
        ax.text(x, y + tick + 0.015, f"{value:g}", ha="center", va="bottom", fontsize=size)
    return places


def _head_list(ax: Axes, diagram: Diagram, scale: Scale, lowest: float, size: float) -> None:
    """Draw the axis of a list, what its values are, and the critical difference above it."""
    left, top = scale.left, -diagram.above
    for x in _draw_axis(ax, scale, top, size, tick=0.04, an_inch=3.5, ranks=diagram.ranks):
        ax.plot([x, x], [top, lowest], color=ink(0.12), linewidth=0.5, zorder=0)
    style: Look = {"ha": "right", "fontsize": size}
    ax.text(left - 0.06, top - 0.03, diagram.measure, va="bottom", color=ink(0.7), **style)
    _write_head(ax, diagram, scale, size)
    if diagram.difference is not None:
        best = float(diagram.values[0])
        worse = best + diagram.difference * (1 if diagram.low_is_best else -1)
        xs = [scale(best), scale(worse)]
        ax.plot(xs, [BAR_AT] * 2, color=ink(), linewidth=1.3, marker="|", markersize=5)


def _write_head(ax: Axes, diagram: Diagram, scale: Scale, size: float) -> None:
    """Write critical difference, level and sample so that they fit the figure at any width."""
    right = ax.get_xlim()[1]
    x = max(min(scale.left, right - text_width(diagram.head, size)), 0.0)
    ax.text(x, -0.06, diagram.head, va="center", fontsize=size)


def _draw_rows(
    ax: Axes, diagram: Diagram, scale: Scale, ys: Sequence[float], names: float, size: float
) -> None:
    """Draw one row per algorithm: its name, its value, and the place of the value on the axis."""
    style: Look = {"ha": "right", "va": "center", "fontsize": size, "color": ink()}
    for place, y in enumerate(ys):
        weight = "bold" if place == diagram.control else "normal"
        ax.text(names, y, diagram.names[place], fontweight=weight, **style)
        ax.text(scale.left - 0.08, y, diagram.labels[place], **style)
        ax.plot([scale.left, scale.right], [y, y], color=ink(0.1), linewidth=0.5, zorder=0)
        x = scale(float(diagram.values[place]))
        ax.plot([x], [y], marker="o", markersize=3.6, color=ink(), zorder=3)


#: Inches: from the axis to the first bar, between bars, between labels; where the
#: critical difference is drawn.
FIRST_BAR, BAR_STEP, ROW_STEP, BAR_AT = 0.09, 0.075, 0.135, -0.2

#: Length of the shortest axis, inches.
AXIS = 0.8
#: Inches that the figure keeps around the axes.
MARGIN = 0.1

#: With more algorithms, one column has too many lines to names to be readable.
MOST_ON_A_LINE = 10


@dataclass(frozen=True)
class _Layout:
    """Positions in inches from the upper left corner (y is negative)."""

    width: float
    scale: Scale
    size: float
    lanes: list[int]
    axis: float
    first_row: float
    rows: int

    @property
    def height(self) -> float:
        return ROW_STEP * (self.rows - 0.4) - self.first_row


@made_of(
    "a result of pairwise post-hoc tests, e.g. of frequentist.nemenyi",
    "bayescmp.frequentist.results:PosthocResult",
    alpha=share,
    digits=optional(count(0, most=15)),
    layout=one_of("auto", "line", "list"),
)
def plot_critical_difference(
    result: PosthocResult,
    *,
    ax: Axes | None = None,
    alpha: float = 0.05,
    digits: int | None = None,
    layout: str = "auto",
) -> Axes:
    """Draw mean ranks on a line, the best first, with bars joining what may be equal.

    Parameters
    ----------
    result : PosthocResult
        One of any test and adjustment, for all pairs or one control.
    ax : matplotlib Axes, optional
    alpha : float
        Family-wise level of the bars and of the critical difference.
    digits : int, optional
        Decimals of the mean ranks; by default as many as tell them apart (2 to 4).
    layout : {"auto", "line", "list"}
        Demšar's diagram, the best at the left; or one row per algorithm, the best on top, with
        upright bars, as "auto" takes it for 11 or more algorithms.

    Returns
    -------
    matplotlib Axes
        Each bar joins a maximal group no two of which were found different; it is dotted over
        others in between. The thin bar on top is the critical difference, if any. Against a
        control (in bold) the bar joins it with all not found different from it.

    Raises
    ------
    InputError
        If the layout is unknown.

    References
    ----------
    Demšar 2006, JMLR 7, figure 1.

    See Also
    --------
    plot_pvalues, plot_verdicts

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from bayescmp import frequentist, plots
    >>> rng = np.random.default_rng(1)
    >>> means = rng.normal([0.80, 0.82, 0.87], 0.02, (20, 3))
    >>> pairs = frequentist.posthoc(pd.DataFrame(means, columns=["knn", "gbm", "svm"]))
    >>> ax = plots.plot_critical_difference(pairs)
    """
    diagram = diagram_of(result, alpha, digits)
    width = column() - 2 * MARGIN if ax is None else max(room(ax), 2.5)
    if layout == "list" or (layout == "auto" and not _on_a_line(diagram, width)):
        ax = _draw_list(axes_for(ax, (column(), list_height(diagram))), diagram)
    else:
        diagram = _beside_a_line(diagram, width)
        lines = _lines(diagram, width)
        ax = _draw_line(axes_for(ax, (column(), lines.height + MARGIN)), diagram, lines)
    from_control = "" if result.control is None else f" from {result.control}"
    quantity = (
        f"Algorithms by {result.measure}, those not significantly different{from_control} joined"
    )
    return note(ax, quantity, facts_of_tests(result, alpha))


def figure_size(result: PosthocResult, *, alpha: float = 0.05) -> tuple[float, float]:
    """Return width and height, in inches, of the figure `plot_critical_difference` would make."""
    diagram = diagram_of(result, alpha, None)
    width = column() - 2 * MARGIN
    if not _on_a_line(diagram, width):
        return column(), list_height(diagram)
    return column(), _lines(_beside_a_line(diagram, width), width).height + MARGIN


def _on_a_line(diagram: Diagram, width: float) -> bool:
    """Return whether there is room for an axis between the labels."""
    return len(diagram.names) <= MOST_ON_A_LINE and sum(_sides(diagram, width)) <= width - AXIS


def _sides(diagram: Diagram, width: float) -> tuple[float, float]:
    """Return the inches that labels take at the left and at the right of the line."""
    size, half = _text_on_line(width), (len(diagram.names) + 1) // 2
    texts = [f"{n} {label}" for n, label in zip(diagram.names, diagram.labels, strict=True)]
    beside = [*texts[:half], *diagram.measure.splitlines()]
    left = measure_widest(beside, size) + 0.16
    return left, measure_widest(texts[half:], size) + 0.16


def _beside_a_line(diagram: Diagram, width: float) -> Diagram:
    """Shorten the diagram's names enough for a line, which was requested."""
    if sum(_sides(diagram, width)) <= width - AXIS:
        return diagram
    numbers = measure_widest(diagram.labels, _text_on_line(width)) + 0.2
    most = letters((width - AXIS) / 2 - numbers, _text_on_line(width), 22, 7)
    return replace(diagram, names=shorten_all(diagram.whole, most))


def _text_on_line(width: float) -> float:
    return min(8.0, 5.6 + 0.55 * width)


def _lines(diagram: Diagram, width: float) -> _Layout:
    """Lay things out with the mean ranks on one line."""
    size, half = _text_on_line(width), (len(diagram.names) + 1) // 2
    left, right = _sides(diagram, width)
    low, high = _span(diagram.values, diagram.difference, diagram.ranks)
    scale = Scale(low, high, left, max(width - right, left + 0.8), not diagram.low_is_best)
    spans = [sorted(scale(diagram.values[g[i]]) for i in (0, -1)) for g in diagram.groups]
    lanes = lanes_of(spans, gap=0.14)  # what is left of it between two bars stays visible
    axis = -diagram.above
    first_row = axis - FIRST_BAR - BAR_STEP * (max(lanes, default=-1) + 1) - 0.1
    return _Layout(max(width, scale.right + right), scale, size, lanes, axis, first_row, half)


def _draw_line(ax: Axes, diagram: Diagram, layout: _Layout) -> Axes:
    ax.set(xlim=(0, layout.width), ylim=(-layout.height, 0))
    ax.set_axis_off()
    size, ranks = layout.size, diagram.ranks
    _draw_axis(ax, layout.scale, layout.axis, size, tick=0.045, an_inch=3.6, ranks=ranks)
    _write_head(ax, diagram, layout.scale, size)
    style: Look = {
        "ha": "right",
        "va": "center",
        "fontsize": layout.size,
        "color": ink(0.7),
    }
    ax.text(layout.scale.left - 0.08, layout.axis, diagram.measure, **style)
    if diagram.difference is not None:
        _draw_difference(ax, layout, diagram.difference)
    for group, lane in zip(diagram.groups, layout.lanes, strict=True):
        y = layout.axis - FIRST_BAR - BAR_STEP * (lane + 0.35)
        draw_bar(ax, [layout.scale(diagram.values[i]) for i in group], group, y, upright=False)
    _draw_labels(ax, layout, diagram)
    return ax


def _span(values: np.ndarray, difference: float | None, ranks: bool) -> tuple[float, float]:
    """Return the axis's ends: round numbers around the ranks, wide enough for the bar above."""
    reach = float(np.ptp(values)) or 1.0
    step = 10.0 ** np.floor(np.log10(reach))
    low = 1.0 if ranks else float(np.floor(values.min() / step) * step)
    high = float(np.ceil(values.max() / step) * step)
    if difference is not None:
        high = max(high, low + difference)
    return low, max(high, low + step)


def _draw_difference(ax: Axes, layout: _Layout, difference: float) -> None:
    scale = layout.scale
    end = scale.left + difference / (scale.high - scale.low) * (scale.right - scale.left)
    y = BAR_AT
    ax.plot([scale.left, end], [y, y], color=ink(), linewidth=1.3)
    for x in (scale.left, end):
        ax.plot([x, x], [y - 0.03, y + 0.03], color=ink(), linewidth=1.0)


def _draw_labels(ax: Axes, layout: _Layout, diagram: Diagram) -> None:
    """Write names at both sides, each led to its place on the axis; the outermost highest."""
    normal = (0.65, 0.6, "normal")
    text: Look = {"va": "center", "fontsize": layout.size, "color": ink()}
    for place, value in enumerate(diagram.values):
        at_left = place < layout.rows
        row = place if at_left else len(diagram.names) - 1 - place
        x, y = layout.scale(float(value)), layout.first_row - ROW_STEP * row
        edge = layout.scale.left - 0.1 if at_left else layout.scale.right + 0.1
        strong, wide, weight = (1.0, 1.1, "bold") if place == diagram.control else normal
        style: Look = {"linewidth": wide, "solid_joinstyle": "miter", "zorder": 2}
        ax.plot([x, x, edge], [layout.axis, y, y], color=ink(strong), **style)
        name, label = diagram.names[place], diagram.labels[place]
        at, words, side = (
            (edge - 0.03, f"{name} {label}", "right")
            if at_left
            else (edge + 0.03, f"{label} {name}", "left")
        )
        ax.text(at, y, words, ha=side, fontweight=weight, **text)
