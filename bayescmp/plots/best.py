"""Probability of each algorithm being best, on the next data set and on average."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, column
from bayescmp.plots._ink import ink, paper, quantity
from bayescmp.plots._labels import label_below, legend_above, letters, room, row_text
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_posterior, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.bayesian.joint.base import JointBase

__all__ = ["MOST", "plot_best"]

#: Algorithms that fit on a figure.
MOST = 40
#: Inches of a row, and of all of them at most.
ROW, ROWS = 0.26, 7.2
#: What the targets are called, and their markers.
LOOKS = {"next": ("next data set", "o"), "average": ("on average", "D")}


@made_of(
    "a joint posterior, e.g. of bayesian.bootstrap or joint_t",
    "bayescmp.bayesian.joint.base:JointBase",
)
def plot_best(posterior: JointBase, *, ax: Axes | None = None) -> Axes:
    """Draw P(best) of each algorithm with two Monte Carlo errors on each side.

    Parameters
    ----------
    posterior : JointBase
        As `bayescmp.bayesian.joint_t`, `bootstrap` or `friedman` returns it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        A dot for the next data set, a diamond for the average over data sets: two questions, drawn
        side by side and never mixed. Of many algorithms the first 40.

    See Also
    --------
    plot_ranks : All ranks, not the first alone.
    plot_top_sets : Which sets hold only algorithms near the best.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> ax = bc.plots.plot_best(bc.bayesian.bootstrap(means, rope=0.01, seed=1))
    >>> ax.get_xlabel()
    'probability of being best'
    """
    table = posterior.overview().head(MOST)
    size = len(table)
    row = min(ROW, ROWS / size)
    ax = axes_for(ax, (column(), 0.85 + row * size))
    places = np.arange(size)
    several = len(posterior.targets) > 1
    for k, on in enumerate(posterior.targets):
        label, marker = LOOKS[on]
        colour = quantity() if on == "next" else ink(0.65)
        face = colour if on == "next" else paper()
        p, error = table[f"p_{on}"].to_numpy(), 2 * table[f"se_{on}"].to_numpy()
        ends = np.clip([np.minimum(error, p), np.minimum(error, 1 - p)], 0, None)
        ax.errorbar(
            p,
            places + (0.24 * k - 0.12) * several,
            xerr=ends,
            fmt=marker,
            color=colour,
            markerfacecolor=face,
            markersize=4.5,
            linewidth=1.2,
            label=label,
        )
    ax.set_yticks(places, shorten_all(table.index, letters(0.45 * room(ax), 7.5)))
    ax.set_ylim(size - 0.5, -0.5)
    ax.set_xlim(-0.02, 1.02)
    ax.tick_params(axis="x", labelsize=7.5)
    ax.tick_params(axis="y", labelsize=row_text(row))
    label_below(ax, "probability of being best", 8)
    ax.grid(axis="x", color=ink(0.1), linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if several:
        legend_above(ax, *ax.get_legend_handles_labels())
    return note(ax, "Probability of each algorithm being best", facts_of_posterior(posterior))
