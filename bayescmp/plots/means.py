"""Means with their intervals: a row per algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp.base.checks import check_choice, optional, text
from bayescmp.plots.captions import Facts, note
from bayescmp.plots.drawing import (
    axes_for,
    column,
    frame_axes,
    hover,
    label_below,
    letters,
    made_of,
    pitch,
    quantity,
    room,
    row_text,
    shorten_all,
)
from bayescmp.scores.metrics import label_metric
from bayescmp.wording.text import format_count, format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.results.estimates import Estimate, Estimates

__all__ = ["plot_means"]

#: Inches around the rows, of a row, and of all rows at most.
AROUND, ROW, ROWS = 0.65, 0.24, 7.2


@made_of("a result of bc.estimate", "bayescmp.results.estimates:Estimates", dataset=optional(text))
def plot_means(result: Estimates, *, dataset: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the mean of each algorithm with its interval.

    Parameters
    ----------
    result : Estimates
        From `bayescmp.estimate`.
    dataset : str, optional
        Draw the means on this data set or benchmark; by default over all, or on the only one.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The best is at the top; counts are in their order. Overlapping intervals do not show
        whether two algorithms differ.

    Raises
    ------
    InputError
        If the data set is unknown.

    See Also
    --------
    plot_forest : Differences of all pairs on one data set.

    Examples
    --------
    >>> import bayescmp as bc
    >>> result = bc.estimate({"old": (14, 20), "new": (17, 20)})
    >>> ax = bc.plots.plot_means(result)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['old', 'new']
    """
    rows = _rows(result, dataset)
    ax = axes_for(ax, means_size(result))
    places = np.arange(len(rows))
    for place, one in zip(places, rows, strict=True):
        if one.known:
            ax.plot(one.interval, [place, place], color=quantity(), linewidth=1.4, zorder=2)
    marks = ax.scatter([one.mean for one in rows], places, s=20, color=quantity(), zorder=3)
    hover(marks, map(_hover_text, rows))
    ax.set_yticks(places, shorten_all((one.name for one in rows), letters(0.4 * room(ax), 7.5)))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    frame_axes(ax, "bottom", axis="x", labelsize=7.5)
    ax.locator_params(axis="x", nbins=5)
    ax.tick_params(axis="y", length=0, labelsize=row_text(pitch(len(rows), ROW, ROWS)))
    way, level = result.direction, f"{100 * result.level:g}%"
    measured = "proportion" if way is None else label_metric(f"mean {way.metric}", way)
    label_below(ax, f"{measured}, {level} credible interval", 8)
    sizes = sorted({one.n for one in rows})
    sample = " to ".join([*map(str, sizes[:-1][:1]), format_count(sizes[-1], rows[0].sample)])
    facts = Facts(
        names=result.names,
        measured="" if way is None else str(way),
        sample=sample if dataset is None else f"{dataset}: {sample}",
        subject=result.subject,
    )
    words = f"overlapping intervals do not show whether two {result.subject}s differ"
    return note(ax, f"Means with {level} credible intervals", facts, words * (len(rows) > 1))


def means_size(result: Estimates) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    count = len(result.names)
    return column(), AROUND + pitch(count, ROW, ROWS) * count


def _rows(result: Estimates, dataset: str | None) -> tuple[Estimate, ...]:
    """Return what is drawn."""
    if dataset is None:
        return result.main
    return result.on(check_choice("data set", dataset, result.datasets, "dataset"))


def _hover_text(one: Estimate) -> str:
    mean, low, high = map(format_number, (one.mean, *one.interval))
    return f"{one.name}: {mean}, {low} to {high}" if one.known else f"{one.name}: {mean}"
