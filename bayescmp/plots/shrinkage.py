"""Shrinkage plot: each data set's measured difference and what the model makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.palette import COLOURS
from bayescmp.plots._canvas import COLUMN, axes_for, text_size
from bayescmp.plots._names import shorten_all

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
    from bayescmp.verdict.rope import RopeLike

__all__ = ["plot_shrinkage"]


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
        Circles are measured means, dots posterior means with their central 95 % intervals; the
        band is the region of practical equivalence, the line the posterior mean of δ0.

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
    region = posterior.verdict(rope).rope
    ax = axes_for(ax, (COLUMN, 1.1 + 0.155 * len(table)))
    y = np.arange(len(table))
    colours = _colours(table)
    if not region.empty:
        ax.axvspan(region.low, region.high, color="0.9", zorder=0)
    ax.axvline(0, color="0.6", linewidth=0.6, zorder=1)
    mean = float(posterior.summary().loc["delta0", "mean"])
    ax.axvline(mean, color="black", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    ax.hlines(y, table["2.5%"], table["97.5%"], colors=colours, linewidth=1.1, zorder=2)
    ax.scatter(table["mean"], y, s=13, c=colours, zorder=4)
    ax.scatter(
        table["observed"], y, s=17, facecolors="white", edgecolors="0.25", linewidths=0.7, zorder=3
    )
    _label(ax, posterior, shorten_all(table.index))
    return ax


def _colours(table: pd.DataFrame) -> list[str]:
    """Colour of the region that is the most probable for each data set."""
    best = table[["p_left", "p_rope", "p_right"]].to_numpy().argmax(axis=1)
    return [list(COLOURS.values())[b] for b in best]


def _label(ax: Axes, posterior: HierarchicalPosterior, datasets: list[str]) -> None:
    from matplotlib.lines import Line2D

    size = text_size(ax)
    first, second = shorten_all(posterior.names, 20)
    of = f" in {posterior.measured}" if posterior.measured else ""
    ax.set_yticks(range(len(datasets)), datasets, fontsize=min(size, 7.5))
    ax.set_ylim(-0.8, len(datasets) - 0.2)
    ax.tick_params(axis="x", labelsize=min(size, 7.5))
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"difference{of}\n← {first} better    {second} better →", fontsize=size)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    marks = [
        Line2D(
            [],
            [],
            marker="o",
            linestyle="",
            markersize=4,
            markerfacecolor="white",
            markeredgecolor="0.25",
            label="measured",
        ),
        Line2D(
            [],
            [],
            marker="o",
            linestyle="-",
            markersize=3.5,
            color="0.25",
            label="posterior, 95 %",
        ),
    ]
    ax.legend(
        handles=marks,
        fontsize=min(size, 7.5),
        frameon=False,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=2,
        borderaxespad=0.2,
    )
