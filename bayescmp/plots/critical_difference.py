"""Critical-difference diagram: mean ranks on a line, algorithms not found different joined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import unknown_name
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, column
from bayescmp.plots._diagram import (
    Diagram,
    Scale,
    diagram_of,
    draw_bar,
    draw_list,
    lanes_of,
    list_height,
    ticks_of,
)
from bayescmp.plots._ink import ink
from bayescmp.plots._labels import letters, room, text_width
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_tests, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.frequentist.pairs.result import PosthocResult

__all__ = ["figure_size", "plot_critical_difference"]

#: Inches: from the axis to the first bar, between bars, between labels, above the axis.
FIRST_BAR, BAR_STEP, ROW_STEP, ABOVE = 0.09, 0.075, 0.135, 0.38

#: Length of the shortest axis, inches.
AXIS = 0.8
#: Inches that the figure keeps around the axes.
MARGIN = 0.1

#: With more algorithms the lines to their names can't be told apart in one column.
MOST_ON_A_LINE = 10


@dataclass(frozen=True)
class _Layout:
    """Where things go, in inches from the upper left corner (y is negative)."""

    width: float
    scale: Scale
    size: float
    lanes: list[int]
    first_row: float
    rows: int

    @property
    def height(self) -> float:
        return ROW_STEP * (self.rows - 0.4) - self.first_row


@made_of(
    "a result of pairwise post-hoc tests, e.g. of frequentist.nemenyi",
    "bayescmp.frequentist.pairs.result:PosthocResult",
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
        Of any test and adjustment, all pairs or against a control. (Results ordered by means or
        wins are drawn too.)
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.
    alpha : float
        Family-wise level of the bars and of the critical difference.
    digits : int, optional
        Decimals of the mean ranks; if not given, as many as are needed to tell them apart (2 to
        4).
    layout : {"auto", "line", "list"}
        "line" is Demšar's diagram, the best at the left. "list" writes one row per algorithm, the
        best on top, and puts the bars upright beside them: readable with many. "auto" takes the
        list from 11 algorithms on.

    Returns
    -------
    matplotlib Axes
        Each bar joins a maximal group no two of which were found different; where an algorithm
        in between does not belong to the group, the bar is dotted over it and has its members
        marked. The thin bar on top is the critical difference, where the procedure has one.
        Against a control (in bold) the one bar joins it with all not found different from it.

    Raises
    ------
    InputError
        Unknown layout.

    References
    ----------
    Demšar 2006, JMLR 7, figure 1.

    See Also
    --------
    plot_pvalues : The same tests as a matrix of p-values.
    plot_verdicts : The Bayesian verdicts on all pairs.

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
    if layout not in ("auto", "line", "list"):
        raise unknown_name("layout", layout, ("auto", "line", "list"))
    diagram = diagram_of(result, alpha, digits)
    quantity = f"Algorithms by {result.measure}, those not significantly different joined"
    width = column() - 2 * MARGIN if ax is None else max(room(ax), 2.5)
    if layout == "list" or (layout == "auto" and not _on_a_line(diagram, width)):
        ax = draw_list(axes_for(ax, (column(), list_height(diagram))), diagram)
        return note(ax, quantity, facts_of_tests(result, alpha))
    diagram = _beside_a_line(diagram, width)
    lines = _lines(diagram, width)
    ax = _draw_line(axes_for(ax, (column(), lines.height + MARGIN)), diagram, lines)
    return note(ax, quantity, facts_of_tests(result, alpha))


def figure_size(result: PosthocResult, *, alpha: float = 0.05) -> tuple[float, float]:
    """Width and height in inches of the figure that `plot_critical_difference` would make.

    Parameters
    ----------
    result : PosthocResult
    alpha : float
        Family-wise level.

    Returns
    -------
    (float, float)
        For callers who bring their own axes.
    """
    diagram = diagram_of(result, alpha, None)
    width = column() - 2 * MARGIN
    if not _on_a_line(diagram, width):
        return column(), list_height(diagram)
    return column(), _lines(_beside_a_line(diagram, width), width).height + MARGIN


def _on_a_line(diagram: Diagram, width: float) -> bool:
    """Whether there is room for an axis between the labels."""
    return len(diagram.names) <= MOST_ON_A_LINE and sum(_sides(diagram, width)) <= width - AXIS


def _sides(diagram: Diagram, width: float) -> tuple[float, float]:
    """Inches that labels take at the left and at the right of the line."""
    size, half = _text(width), (len(diagram.names) + 1) // 2
    texts = [f"{n} {label}" for n, label in zip(diagram.names, diagram.labels, strict=True)]
    beside = [*texts[:half], *diagram.measure.splitlines()]
    left = max(text_width(t, size) for t in beside) + 0.16
    return left, max(text_width(t, size) for t in texts[half:]) + 0.16


def _beside_a_line(diagram: Diagram, width: float) -> Diagram:
    """The diagram with names short enough for a line, which was asked for."""
    if sum(_sides(diagram, width)) <= width - AXIS:
        return diagram
    numbers = max(text_width(label, _text(width)) for label in diagram.labels) + 0.2
    most = letters((width - AXIS) / 2 - numbers, _text(width), 22, 7)
    return replace(diagram, names=shorten_all(diagram.whole, most))


def _text(width: float) -> float:
    return min(8.0, 5.6 + 0.55 * width)


def _lines(diagram: Diagram, width: float) -> _Layout:
    """Where things go when the mean ranks are on one line."""
    size, half = _text(width), (len(diagram.names) + 1) // 2
    left, right = _sides(diagram, width)
    low, high = _span(diagram.values, diagram.difference)
    scale = Scale(low, high, left, max(width - right, left + 0.8), not diagram.low_is_best)
    spans = [sorted(scale(diagram.values[g[i]]) for i in (0, -1)) for g in diagram.groups]
    lanes = lanes_of(spans, gap=0.14)  # what is left of it between two bars stays visible
    first_row = -ABOVE - FIRST_BAR - BAR_STEP * (max(lanes, default=-1) + 1) - 0.1
    return _Layout(max(width, scale.right + right), scale, size, lanes, first_row, half)


def _draw_line(ax: Axes, diagram: Diagram, layout: _Layout) -> Axes:
    ax.set_xlim(0, layout.width)
    ax.set_ylim(-layout.height, 0)
    ax.set_axis_off()
    _draw_axis(ax, layout, diagram.measure)
    if diagram.difference is not None:
        _draw_difference(ax, layout, diagram.difference)
    for group, lane in zip(diagram.groups, layout.lanes, strict=True):
        y = -ABOVE - FIRST_BAR - BAR_STEP * (lane + 0.35)
        draw_bar(ax, [layout.scale(diagram.values[i]) for i in group], group, y, upright=False)
    _draw_labels(ax, layout, diagram)
    return ax


def _span(values: np.ndarray, difference: float | None) -> tuple[float, float]:
    """Ends of the axis: round numbers around the ranks, wide enough for the bar above."""
    reach = float(np.ptp(values)) or 1.0
    step = 10.0 ** np.floor(np.log10(reach))
    low = float(np.floor(values.min() / step) * step)
    high = float(np.ceil(values.max() / step) * step)
    if difference is not None:
        high = max(high, low + difference)
    return low, max(high, low + step)


def _draw_axis(ax: Axes, layout: _Layout, measure: str) -> None:
    scale = layout.scale
    ax.plot([scale.left, scale.right], [-ABOVE, -ABOVE], color=ink(), linewidth=0.9)
    for tick in ticks_of(scale.low, scale.high, room=int(3.6 * (scale.right - scale.left))):
        x = scale(tick)
        ax.plot([x, x], [-ABOVE, -ABOVE + 0.045], color=ink(), linewidth=0.9)
        ax.text(x, -ABOVE + 0.06, f"{tick:g}", ha="center", va="bottom", fontsize=layout.size)
    ax.text(
        scale.left - 0.08,
        -ABOVE,
        measure,
        ha="right",
        va="center",
        fontsize=layout.size,
        color=ink(0.7),
    )


def _draw_difference(ax: Axes, layout: _Layout, difference: float) -> None:
    """The critical difference to scale, above the axis."""
    scale = layout.scale
    end = scale.left + difference / (scale.high - scale.low) * (scale.right - scale.left)
    y = -0.12
    ax.plot([scale.left, end], [y, y], color=ink(), linewidth=1.3)
    for x in (scale.left, end):
        ax.plot([x, x], [y - 0.03, y + 0.03], color=ink(), linewidth=1.0)
    ax.text(end + 0.06, y, f"CD = {difference:.3g}", ha="left", va="center", fontsize=layout.size)


def _draw_labels(ax: Axes, layout: _Layout, diagram: Diagram) -> None:
    """Names at both sides, each led to its place on the axis; the outermost highest."""
    for place, value in enumerate(diagram.values):
        at_left = place < layout.rows
        row = place if at_left else len(diagram.names) - 1 - place
        x, y = layout.scale(float(value)), layout.first_row - ROW_STEP * row
        edge = layout.scale.left - 0.1 if at_left else layout.scale.right + 0.1
        chosen = place == diagram.control
        colour = ink(1.0 if chosen else 0.65)
        ax.plot(
            [x, x, edge],
            [-ABOVE, y, y],
            color=colour,
            linewidth=1.1 if chosen else 0.6,
            solid_joinstyle="miter",
            zorder=2,
        )
        name, label = diagram.names[place], diagram.labels[place]
        ax.text(
            edge + (-0.03 if at_left else 0.03),
            y,
            f"{name} {label}" if at_left else f"{label} {name}",
            ha="right" if at_left else "left",
            va="center",
            fontsize=layout.size,
            fontweight="bold" if chosen else "normal",
            color=ink(),
        )
