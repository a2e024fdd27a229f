"""Histogram of the mass on the right, for tests on means where there is no rope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.plots._argument import PAIR, made_of
from bayescmp.plots._canvas import axes_for, column, text_size
from bayescmp.plots._ink import fill, ink, region_ink
from bayescmp.plots._labels import label_below
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.text import probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.posterior import Posterior
    from bayescmp.verdict.core import Verdict
    from bayescmp.verdict.rope import RopeLike

__all__ = ["plot_histogram"]


@made_of(PAIR)
def plot_histogram(
    posterior: Any, *, ax: Axes | None = None, rope: RopeLike | None = 0, bins: int = 50
) -> Axes:
    """Draw the posterior of the probability that the second algorithm is better.

    Without a region of practical equivalence the simplex is a line; this is the histogram along
    it. Draws to the right of one half favour the second algorithm, and their share is its
    probability in the verdict.

    Parameters
    ----------
    posterior : Posterior
        With ``masses(rope)`` of shape (chain, draw, 3) and ``verdict(rope)``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.
    rope : float
        Only 0, no region; `plot_simplex` draws the others.
    bins : int
        Bars between 0 and 1, an even number so that none straddles one half.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If there is a region of practical equivalence, or an odd number of bars.

    See Also
    --------
    plot_simplex : Where there is a rope.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> means = [0.02, 0.03, -0.01, 0.00, 0.02, 0.04, 0.01]
    >>> posterior = bayesian.sign(means, rope=0, seed=1, names=("knn", "gbm"))
    >>> ax = plots.plot_histogram(posterior)
    """
    verdict = posterior.verdict(0 if rope is None else rope)
    if not verdict.rope.empty:
        raise InputError(f"rope={rope!r}; with a rope plot bayescmp.plots.plot_simplex instead")
    if bins < 2 or bins % 2:
        raise InputError(f"bins={bins!r}; accepted: an even number, at least 2")
    ax = axes_for(ax, (column(), 2.1))
    right = posterior.masses(verdict.rope)[..., 2].ravel()
    heights, edges = np.histogram(right, bins=bins, range=(0, 1), density=True)
    for region, part in (("left", slice(0, bins // 2)), ("right", slice(bins // 2, bins))):
        ax.bar(
            edges[:-1][part],
            heights[part],
            width=1 / bins,
            align="edge",
            **fill(region, 0.8),
        )
    ax.axvline(0.5, color=ink(), linewidth=0.8, linestyle=(0, (4, 2)))
    ax.set_xlim(0, 1)
    ax.set_ylim(0, heights.max() * 1.5)
    _label(ax, posterior, verdict)
    quantity = "Posterior of the probability that the second algorithm is better"
    return note(ax, quantity, facts_of_posterior(posterior, verdict))


def _label(ax: Axes, posterior: Posterior, verdict: Verdict) -> None:
    size = text_size(ax)
    first, second = shorten_all(verdict.names, 16)
    for region, across, side, name in (
        ("left", 0.02, "left", first),
        ("right", 0.98, "right", second),
    ):
        p = probability(verdict.probabilities[region], verdict.floor)
        ax.text(
            across,
            0.98,
            f"{name}\nbetter\n{p}",
            ha=side,
            va="top",
            fontsize=min(size, 8),
            color=region_ink(region),
            transform=ax.transAxes,
            linespacing=1.2,
        )
    of = f" in {posterior.measured}" if posterior.measured else ""
    label_below(ax, f"probability that {second} is better{of}", size)
    ax.set_yticks([])
    ax.tick_params(axis="x", labelsize=min(size, 7.5))
    for spine in ("top", "right", "left"):
        ax.spines[spine].set_visible(False)
