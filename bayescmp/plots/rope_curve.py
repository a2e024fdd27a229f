"""Rope curve: the three probabilities as the region of practical equivalence widens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.palette import COLOURS, DASHES
from bayescmp.plots._argument import PAIR, made_of
from bayescmp.plots._canvas import axes_for, column, text_size
from bayescmp.plots._ink import ink
from bayescmp.plots._labels import label_below, legend_above
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.hovers import hover
from bayescmp.text import probability
from bayescmp.verdict import Ropes, Shape, shape_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.posterior import Posterior

__all__ = ["plot_rope_curve"]

#: Points of a line whose numbers are shown where the pointer rests on it.
NUMBERS = 7


@made_of(PAIR)
def plot_rope_curve(
    posterior: Posterior, *, ax: Axes | None = None, widths: ArrayLike | None = None
) -> Axes:
    """Draw how the verdict's probabilities depend on the width of the rope.

    Parameters
    ----------
    posterior : Posterior
        With ``rope_curve(widths)``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.
    widths : array_like, optional
        Half-widths of symmetric ropes; from 0 to three times the posterior's own if not given.

    Returns
    -------
    matplotlib Axes
        A line per region, with a band of two standard errors; the vertical line is the posterior's
        own rope, the horizontal one the usual threshold, 0.95.

    See Also
    --------
    plot_density : The density that the rope cuts.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [0.01, 0.03, 0.02, 0.00, 0.02]
    >>> posterior = bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "gbm"))
    >>> ax = plots.plot_rope_curve(posterior, widths=[0, 0.01, 0.02, 0.03])
    >>> ax.get_xlabel()
    'half-width of the rope'
    """
    table = posterior.rope_curve(widths)
    x = table.index.to_numpy()
    ax = axes_for(ax, (column(), 2.3))
    shape = shape_of(c.removeprefix("p_") for c in table.columns if c.startswith("p_"))
    for region in shape.regions:
        p, error = table[f"p_{region}"].to_numpy(), 2 * table[f"se_{region}"].to_numpy()
        # With no rope its probability is 0 by definition, however much sits at zero.
        shown = x > 0 if region == shape.within else np.full(len(x), True)
        ax.fill_between(
            x[shown],
            (p - error)[shown],
            (p + error)[shown],
            linewidth=0,
            color=COLOURS[region],
            alpha=0.25,
        )
        at, values = x[shown], p[shown]
        (line,) = ax.plot(
            at,
            values,
            color=COLOURS[region],
            linestyle=DASHES[region],
            linewidth=1.4,
            label=_label(shape, region, posterior.names),
        )
        steps = ", ".join(f"{probability(values[i])} at {at[i]:.3g}" for i in _places(at))
        hover(line, [f"{line.get_label()}: {steps}"])
    ax.axhline(0.95, color=ink(0.4), linewidth=0.6, zorder=0)
    own = posterior.rope
    end = 1.0 if isinstance(own, Ropes) else own.high if own.low == -own.high else np.inf
    if x[0] < end < x[-1]:
        ax.axvline(end, color=ink(0.65), linewidth=0.8, linestyle=(0, (4, 2)), zorder=0)
    _finish(ax, posterior, x)
    verdict = posterior.verdict()
    quantity = f"Probabilities as the rope widens, of the {verdict.decides}"
    return note(ax, quantity, facts_of_posterior(posterior, verdict))


def _places(x: np.ndarray) -> np.ndarray:
    """Where along the curve numbers are given."""
    return np.unique(np.linspace(0, len(x) - 1, NUMBERS).round().astype(int))


def _label(shape: Shape, region: str, names: tuple[str, str]) -> str:
    first, second = shorten_all(names, 16)
    return shape.labels[region].format(first=first, second=second)


def _finish(ax: Axes, posterior: Posterior, x: np.ndarray) -> None:
    size = text_size(ax)
    of = f" in {posterior.measured}" if posterior.measured else ""
    ax.set_xlim(x[0], x[-1] if x[-1] > x[0] else x[0] + 1)
    ax.set_ylim(-0.02, 1.02)
    width = (
        "multiple of the ropes" if isinstance(posterior.rope, Ropes) else "half-width of the rope"
    )
    label_below(ax, f"{width}{of}", size)
    ax.set_ylabel(f"probability: {posterior.verdict().decides}", fontsize=size)
    ax.tick_params(labelsize=min(size, 7.5))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    legend_above(ax, *ax.get_legend_handles_labels(), min(size, 7.5))
