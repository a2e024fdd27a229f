"""Density plot of a difference's posterior, with the region of practical equivalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.palette import COLOURS
from bayescmp.plots._canvas import COLUMN, axes_for, text_size
from bayescmp.plots._names import shorten_all
from bayescmp.text import improvement, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.verdict.rope import Rope, RopeLike

__all__ = ["plot_density"]


def plot_density(posterior: Any, *, ax: Axes | None = None, rope: RopeLike | None = None) -> Axes:
    """Draw the posterior density of the mean difference and its masses around the rope.

    Parameters
    ----------
    posterior : Posterior
        With ``density()`` and a verdict that holds the ``location`` of the mean difference.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.
    rope : float or (float, float), optional
        Another region than the posterior's own.

    Returns
    -------
    matplotlib Axes
        The three parts of the area are tinted, with the probability of each above.

    See Also
    --------
    plot_simplex : The regions of the next data set.
    plot_rope_curve : Its masses as the rope widens.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [0.01, 0.03, 0.02, 0.00, 0.02]
    >>> posterior = bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "gbm"))
    >>> ax = plots.plot_density(posterior)
    >>> ax.get_xlabel()
    'mean improvement of gbm over knn'
    """
    x, y = posterior.density()
    verdict = posterior.verdict(rope)
    region, masses = verdict.rope, verdict.location or verdict.probabilities
    ax = axes_for(ax, (COLUMN, 2.3))
    low, high = _span(x, y, region)
    _fill(ax, x, y, region)
    ax.plot(x, y, color="black", linewidth=1.0)
    ax.set_xlim(low, high)
    ax.set_ylim(0, float(y.max()) * 1.28)
    for edge in {region.low, region.high}:
        ax.axvline(edge, color="0.35", linewidth=0.8, linestyle=(0, (4, 2)))
    _label(ax, posterior, verdict, masses, low, high)
    return ax


def _span(x: np.ndarray, y: np.ndarray, region: Rope) -> tuple[float, float]:
    """What to show: all but the outermost thousandth on each side, and the whole rope."""
    area = np.concatenate([[0.0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))])
    low, high = np.interp([0.001, 0.999], area / area[-1], x)
    low, high = min(low, region.low), max(high, region.high)
    room = 0.06 * (high - low)
    return float(low - room), float(high + room)


def _fill(ax: Axes, x: np.ndarray, y: np.ndarray, region: Rope) -> None:
    ends = {
        "left": (-np.inf, region.low),
        "rope": (region.low, region.high),
        "right": (region.high, np.inf),
    }
    for part, (a, b) in ends.items():
        inside = np.unique(np.concatenate([x[(x > a) & (x < b)], np.clip([a, b], x[0], x[-1])]))
        if len(inside) > 1:
            ax.fill_between(
                inside, np.interp(inside, x, y), color=COLOURS[part], alpha=0.45, linewidth=0
            )


def _label(ax: Axes, posterior: Any, verdict: Any, masses: Any, low: float, high: float) -> None:
    size = text_size(ax)
    region = verdict.rope
    first, second = shorten_all(verdict.names, 16)
    places = {
        "left": (0.02, "left", f"{first}\nbetter"),
        "right": (0.98, "right", f"{second}\nbetter"),
    }
    if not region.empty:
        middle = (region.middle - low) / (high - low)
        places["rope"] = (float(np.clip(middle, 0.3, 0.7)), "center", "equivalent\n")
    for part, (across, side, words) in places.items():
        ax.text(
            across,
            0.98,
            f"{words.rstrip()}\n{probability(masses[part])}",
            ha=side,
            va="top",
            fontsize=min(size, 8),
            color=COLOURS[part] if part != "rope" else "0.3",
            transform=ax.transAxes,
            linespacing=1.2,
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )
    of = f" in {posterior.measured}" if posterior.measured else ""
    ax.set_xlabel(f"mean {improvement(first, second)}{of}", fontsize=size)
    ax.set_yticks([])
    ax.tick_params(axis="x", labelsize=min(size, 7.5))
    for spine in ("top", "right", "left"):
        ax.spines[spine].set_visible(False)
