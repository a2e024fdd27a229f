"""Density plot of a difference's posterior, with the region of practical equivalence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.plots._argument import PAIR, made_of
from bayescmp.plots._canvas import axes_for, column, text_size
from bayescmp.plots._ink import fill, ink, region_ink
from bayescmp.plots._labels import label_below
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.hovers import hover
from bayescmp.text import improvement, probability
from bayescmp.verdict import Rope

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.posterior import Posterior
    from bayescmp.verdict.core import Verdict
    from bayescmp.verdict.rope import RopeLike

__all__ = ["plot_density"]


@made_of(PAIR)
def plot_density(posterior: Any, *, ax: Axes | None = None, rope: RopeLike | None = None) -> Axes:
    r"""Draw the posterior density of the mean difference and its masses around the rope.

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
        The three parts of the area are tinted, with the probability of each above. Below the
        curve a dot is its mean and a line its central 95 % interval.

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
    >>> ax.get_xlabel().split("\n")[0]
    'mean improvement of gbm over knn'
    """
    x, y = posterior.density()
    verdict = posterior.verdict(rope)
    region, masses = verdict.rope, verdict.location or verdict.probabilities
    ax = axes_for(ax, (column(), 2.3))
    low, high = _span(x, y, region)
    _fill(ax, x, y, verdict, masses)
    ax.plot(x, y, color=ink(), linewidth=1.0)
    ax.set_xlim(low, high)
    ax.set_ylim(-0.09 * float(y.max()), float(y.max()) * 1.06)
    for edge in {region.low, region.high}:
        ax.axvline(edge, color=ink(0.65), linewidth=0.8, linestyle=(0, (4, 2)))
    inner = _interval(ax, x, y)
    _probabilities(ax, verdict, masses)
    _finish(ax, posterior, verdict, inner)
    quantity = f"Posterior density of the {verdict.quantity}"
    return note(ax, quantity, facts_of_posterior(posterior, verdict))


def _below(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Probability below each point of a density."""
    area = np.concatenate([[0.0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))])
    return np.asarray(area / area[-1])


def _span(x: np.ndarray, y: np.ndarray, region: Rope) -> tuple[float, float]:
    """What to show: all but the outermost thousandth on each side, and the whole rope."""
    low, high = np.interp([0.001, 0.999], _below(x, y), x)
    low, high = min(low, region.low), max(high, region.high)
    room = 0.06 * (high - low)
    return float(low - room), float(high + room)


def _fill(
    ax: Axes, x: np.ndarray, y: np.ndarray, verdict: Verdict, masses: Mapping[str, float]
) -> None:
    region = verdict.rope
    assert isinstance(region, Rope)  # one metric
    ends = {
        "left": (-np.inf, region.low),
        "rope": (region.low, region.high),
        "right": (region.high, np.inf),
    }
    for part, (a, b) in ends.items():
        inside = np.unique(np.concatenate([x[(x > a) & (x < b)], np.clip([a, b], x[0], x[-1])]))
        if len(inside) > 1:
            area = ax.fill_between(inside, np.interp(inside, x, y), **fill(part, 0.45))
            hover(area, [f"{verdict.label(part)} {probability(masses[part])}"])


def _interval(ax: Axes, x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Mean and central 95 % interval, drawn below the curve."""
    below = _below(x, y)
    low, high = (float(end) for end in np.interp([0.025, 0.975], below, x))
    mean = float(np.diff(below) @ (x[1:] + x[:-1]) / 2)
    at = -0.045 * float(y.max())
    ax.axhline(0, color=ink(0.5), linewidth=0.5)
    ax.plot([low, high], [at, at], color=ink(), linewidth=1.4, solid_capstyle="butt")
    (dot,) = ax.plot([mean], [at], "o", color=ink(), markersize=4)
    hover(dot, [f"mean {mean:.4g}, 95 % interval {low:.4g} to {high:.4g}"])
    return low, mean, high


def _probabilities(ax: Axes, verdict: Verdict, masses: Mapping[str, float]) -> None:
    """The three probabilities, over the frame where they cover nothing."""
    first, second = shorten_all(verdict.names, 16)
    places = {"left": (0.0, "left", first), "right": (1.0, "right", second)}
    if not verdict.rope.empty:
        places["rope"] = (0.5, "center", "")
    for part, (across, side, name) in places.items():
        words = f"{name}\nbetter" if name else "equivalent"
        ax.text(
            across,
            1.02,
            f"{words}\n{probability(masses[part])}",
            ha=side,
            va="bottom",
            fontsize=min(text_size(ax), 8),
            color=region_ink(part),
            transform=ax.transAxes,
            linespacing=1.2,
        )


def _finish(
    ax: Axes, posterior: Posterior, verdict: Verdict, inner: tuple[float, float, float]
) -> None:
    size = text_size(ax)
    first, second = shorten_all(verdict.names, 16)
    of = f" in {posterior.measured}" if posterior.measured else ""
    low, mean, high = (f"{value:.3g}" for value in inner)
    ax.set_yticks([])
    label_below(
        ax, f"mean {improvement(first, second)}{of}\nmean {mean}, 95 % in [{low}, {high}]", size
    )
    ax.tick_params(axis="x", labelsize=min(size, 7.5))
    for spine in ("top", "right", "left", "bottom"):
        ax.spines[spine].set_visible(False)
