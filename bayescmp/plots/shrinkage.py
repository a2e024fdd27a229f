"""Shrinkage plot: each data set's measured difference and what the model makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.palette import COLOURS, MARKERS
from bayescmp.plots._argument import PAIR, made_of
from bayescmp.plots._canvas import axes_for, column, text_size
from bayescmp.plots._ink import ink, paper
from bayescmp.plots._labels import label_below, legend_above, letters, room, row_text
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.hovers import hover
from bayescmp.verdict import THREE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
    from bayescmp.verdict.rope import RopeLike

__all__ = ["figure_size", "plot_shrinkage"]

#: Inches: around the rows, of a row, of all rows at most, so that the figure fits a page.
AROUND, ROW, ROWS = 1.1, 0.155, 7.2


@made_of(PAIR)
def plot_shrinkage(
    posterior: Any, *, ax: Axes | None = None, rope: RopeLike | None = None
) -> Axes:
    """Draw the measured mean difference and the posterior of δ_i of every data set, sorted.

    Parameters
    ----------
    posterior : HierarchicalPosterior
        With ``by_dataset(rope)``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.
    rope : float or (float, float), optional
        Another region than the posterior's own, for the band.

    Returns
    -------
    matplotlib Axes
        Circles are measured means; other markers are posterior means with their central 95 %
        intervals, in the colour and shape of the region that is the most probable. The band is
        the region of practical equivalence, the line the posterior mean of δ0.

    Raises
    ------
    InputError
        If the posterior is of several metrics.

    See Also
    --------
    plot_density : The mean difference over all data sets.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import bayesian, plots
    >>> x = np.random.default_rng(1).normal(0.02, 0.03, (4, 10))
    >>> posterior = bayesian.hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature", seed=1)
    >>> ax = plots.plot_shrinkage(posterior)
    >>> len(ax.get_yticklabels())
    4
    """
    if "regions" in posterior.shows:
        raise InputError(
            f"the {posterior.method} is of {len(posterior.metrics)} metrics, this plot of one: "
            "see by_dataset() for the data sets, or compare by one metric"
        )
    table = posterior.by_dataset(rope).sort_values(["mean", "observed"])
    verdict = posterior.verdict(rope)
    region = verdict.rope
    ax = axes_for(ax, figure_size(len(table)))
    y = np.arange(len(table))
    if not region.empty:
        ax.axvspan(region.low, region.high, color=ink(0.1), zorder=0)
    ax.axvline(0, color=ink(0.4), linewidth=0.6, zorder=1)
    overall = float(posterior.summary().loc["delta0", "mean"])
    ax.axvline(overall, color=ink(), linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    mean, low, high = (table[c].to_numpy() for c in ("mean", "2.5%", "97.5%"))
    for likeliest, rows in _regions(table).items():
        colour, marker = COLOURS[likeliest], MARKERS[likeliest]
        ax.hlines(y[rows], low[rows], high[rows], colors=colour, linewidth=1.1, zorder=2)
        marks = ax.scatter(mean[rows], y[rows], s=15, c=colour, marker=marker, zorder=4)
        hover(marks, (_hover_text(name, row) for name, row in table.iloc[rows].iterrows()))
    measured = ax.scatter(
        table["observed"],
        y,
        s=17,
        facecolors=paper(),
        edgecolors=ink(0.75),
        linewidths=0.7,
        zorder=3,
    )
    hover(measured, (f"{n}: measured {v:.4g}" for n, v in table["observed"].items()))
    _label(ax, posterior, shorten_all(table.index, letters(0.4 * room(ax), 7.5)))
    quantity = "Mean differences on each data set, as measured and as estimated by the model"
    return note(ax, quantity, facts_of_posterior(posterior, verdict))


def _hover_text(name: object, row: pd.Series) -> str:
    return (
        f"{name}: {row['mean']:.4g}, 95 % interval {row['2.5%']:.4g} to {row['97.5%']:.4g}; "
        f"measured {row['observed']:.4g}"
    )


def figure_size(datasets: int) -> tuple[float, float]:
    """Width and height, inches, of a figure that fits the plot of this many data sets."""
    return column(), AROUND + _row(datasets) * datasets


def _row(count: int) -> float:
    """Inches per row when there are this many."""
    return min(ROW, ROWS / count)


def _regions(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """Rows of the data sets by the region that is the most probable for each."""
    best = table[[f"p_{region}" for region in THREE.regions]].to_numpy().argmax(axis=1)
    return {region: np.flatnonzero(best == k) for k, region in enumerate(THREE.regions)}


def _label(ax: Axes, posterior: HierarchicalPosterior, datasets: list[str]) -> None:
    from matplotlib.lines import Line2D

    size = text_size(ax)
    first, second = shorten_all(posterior.names, 20)
    of = f" in {posterior.measured}" if posterior.measured else ""
    rows = row_text(_row(len(datasets)), min(size, 7.5))
    ax.set_yticks(range(len(datasets)), datasets, fontsize=rows)
    ax.set_ylim(-0.8, len(datasets) - 0.2)
    ax.tick_params(axis="x", labelsize=min(size, 7.5))
    ax.locator_params(axis="x", nbins=5)
    ax.tick_params(axis="y", length=0)
    label_below(ax, f"difference{of}\n← {first} better\N{EM SPACE} {second} better →", size)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    marks = [
        Line2D(
            [],
            [],
            marker="o",
            linestyle="",
            markersize=4,
            markerfacecolor=paper(),
            markeredgecolor=ink(0.75),
            label="measured",
        ),
        Line2D(
            [],
            [],
            marker="o",
            linestyle="-",
            markersize=3.5,
            color=ink(0.75),
            label="posterior, 95 %",
        ),
    ]
    legend_above(ax, marks, [str(mark.get_label()) for mark in marks], min(size, 7.5))
