"""Two metrics at once: the posterior over the four regions that their ropes cut out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.palette import COLOURS
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, column, text_size
from bayescmp.plots._contours import CONTOURS, WIDTHS, outlines
from bayescmp.plots._ink import ink, paper, region_ink
from bayescmp.plots._labels import label_below, wrapped
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.text import probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.verdict.core import Verdict
    from bayescmp.verdict.rope import Rope, Ropes, RopesLike

__all__ = ["plot_regions"]

#: Height of the largest figure, inches.
TALL = 4.4


@made_of("a posterior of two algorithms by several metrics")
def plot_regions(
    posterior: Any,
    *,
    ax: Axes | None = None,
    metrics: Sequence[str] | None = None,
    rope: RopesLike | None = None,
    folds: bool = True,
) -> Axes:
    """Draw the posterior of two metrics' differences over its four regions.

    The box holds the differences that are practically equivalent in both metrics.
    To its lower left the first algorithm dominates, to its upper right the second; in the other
    two corners each is practically better in one metric. The tints are the regions, the numbers
    their probabilities, the lines hold 50 and 95 % of the posterior, the dots are the folds.

    Parameters
    ----------
    posterior : MultivariatePosterior, or any with draws of "delta" and a verdict over four regions
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.
    metrics : (str, str), optional
        Which two, where the posterior has more; the verdict then is over these two.
    rope : float or sequence, optional
        Other regions than the posterior's own.
    folds : bool
        Whether to draw the folds' differences.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If there are not two metrics.

    See Also
    --------
    plot_ellipses : The scores themselves.
    plot_verdict_bar : Any number of metrics.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import bayesian, plots
    >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
    >>> posterior = bayesian.multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
    >>> ax = plots.plot_regions(posterior)
    """
    chosen = posterior if metrics is None else posterior.select(metrics)
    if len(chosen.metrics) != 2:
        raise InputError(
            f"the posterior has {len(chosen.metrics)} metrics; name two of them, metrics=(a, b), "
            "of " + ", ".join(map(repr, chosen.metrics))
        )
    verdict = chosen.verdict(rope)
    ax = axes_for(ax, (column(), min(column(), TALL)))
    lines = _contours(chosen)
    dots = np.asarray(chosen.x) if folds and "folds" in chosen.shows else np.zeros((0, 2))
    limits = _limits(verdict.rope, lines, dots)
    _tint(ax, verdict.rope, limits)
    _draw_folds(ax, dots, limits)
    for line, width in zip(lines, WIDTHS, strict=True):
        for piece in line:
            ax.plot(*piece.T, color=ink(), linewidth=width, zorder=4)
    _write(ax, verdict, limits)
    _finish(ax, verdict, limits)
    quantity = "Joint posterior of the differences in two metrics, with contours at 50 and 95 %"
    return note(ax, quantity, facts_of_posterior(chosen, verdict))


def _contours(posterior: Any) -> list[list[np.ndarray]]:
    """Outlines of the regions of highest density, each a list of closed lines."""
    if "ellipsoid" in posterior.shows:
        return [[posterior.ellipsoid(prob).outline()] for prob in CONTOURS]
    draws = posterior.draws["delta"].reshape(-1, 2)
    return [outlines(draws, prob) for prob in CONTOURS]


def _limits(ropes: Ropes, lines: list[list[np.ndarray]], dots: np.ndarray) -> np.ndarray:
    """What to show: contours, ropes and nearly all folds, shape (2, 2): (metric, ends)."""
    points = [np.concatenate(lines[-1]), np.stack([ropes.low, ropes.high])]
    if len(dots):
        points.append(np.quantile(dots, [0.01, 0.99], axis=0))
    points.append(np.zeros((1, 2)))
    low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
    # beyond the rope on every side there is room for the regions' names
    room = 0.16 * np.maximum(high - low, 1e-9)
    low = np.minimum(low - room / 2, ropes.low - room)
    high = np.maximum(high + room / 2, ropes.high + room)
    return np.stack([low, high], axis=1)


def _tint(ax: Any, ropes: Sequence[Rope], limits: np.ndarray) -> None:
    """The nine fields that two ropes cut the plane into, in the colours of their regions."""
    from matplotlib.patches import Rectangle

    cuts = [[limits[j, 0], ropes[j].low, ropes[j].high, limits[j, 1]] for j in range(2)]
    region = [
        ["first", "first", "trade_off"],
        ["first", "equivalent", "second"],
        ["trade_off", "second", "second"],
    ]
    for i in range(3):
        for j in range(3):
            at = cuts[0][i], cuts[1][j]
            size = cuts[0][i + 1] - at[0], cuts[1][j + 1] - at[1]
            name = region[i][j]
            alpha = 0.3 if name == "equivalent" else 0.2
            ax.add_patch(
                Rectangle(at, *size, facecolor=COLOURS[name], linewidth=0, alpha=alpha, zorder=0)
            )
    style = {"color": ink(0.65), "linewidth": 0.8, "linestyle": (0, (4, 2)), "zorder": 1}
    for j, draw in ((0, ax.axvline), (1, ax.axhline)):
        for edge in sorted({ropes[j].low, ropes[j].high}):
            draw(edge, **style)


def _draw_folds(ax: Any, dots: np.ndarray, limits: np.ndarray) -> None:
    """The folds' differences; larger where several coincide."""
    if not len(dots):
        return
    distinct, counts = np.unique(dots.round(12), axis=0, return_counts=True)
    ax.scatter(
        *distinct.T, s=5 * np.sqrt(counts), color=ink(0.75), alpha=0.45, linewidths=0, zorder=2
    )


def _write(ax: Axes, verdict: Any, limits: np.ndarray) -> None:
    """Names and probabilities in their places."""
    size = min(text_size(ax), 8)
    text = {r: probability(p, verdict.floor) for r, p in verdict.probabilities.items()}
    first, second = shorten_all(verdict.names, 14)
    corners = {
        "first": (0.02, 0.02, "left", "bottom", f"{first} dominates\n{text['first']}"),
        "second": (0.98, 0.98, "right", "top", f"{second} dominates\n{text['second']}"),
        "trade_off": (0.02, 0.98, "left", "top", f"trade-off\n{text['trade_off']}"),
        "trade_off ": (0.98, 0.02, "right", "bottom", "trade-off"),
    }
    for name, (x, y, across, up, words) in corners.items():
        _text(ax, x, y, words, name.strip(), size, ha=across, va=up)
    if not verdict.rope.empty:  # over the frame, above the box, where it covers nothing
        wide = limits[0, 1] - limits[0, 0]
        middle = float(np.clip((verdict.rope[0].middle - limits[0, 0]) / wide, 0.18, 0.82))
        words = f"equivalent {text['equivalent']}"
        _text(ax, middle, 1.01, words, "equivalent", size, ha="center", va="bottom")


def _text(
    ax: Axes, x: float, y: float, words: str, region: str, size: float, **where: Any
) -> None:
    ax.text(
        x,
        y,
        words,
        fontsize=size,
        color=region_ink(region),
        transform=ax.transAxes,
        linespacing=1.2,
        zorder=6,
        bbox={"facecolor": paper(), "edgecolor": "none", "pad": 1.0, "alpha": 0.8},
        **where,
    )


def _finish(ax: Axes, verdict: Verdict, limits: np.ndarray) -> None:
    size = min(text_size(ax), 8.5)
    ax.set_xlim(*limits[0])
    ax.set_ylim(*limits[1])
    second = shorten_all(verdict.names, 14)[1]
    across, up = shorten_all(verdict.metrics, 24)
    label_below(ax, f"improvement in {across} (right: {second} better)", size)
    words = f"improvement in {up} (up: {second} better)"
    figure = ax.figure.figure
    ax.set_ylabel(wrapped(words, 0.8 * figure.get_figheight(), size), fontsize=size)
    ax.locator_params(nbins=6)
    ax.tick_params(labelsize=min(size, 7.5), length=2.5)
    for spine in ax.spines.values():
        spine.set_linewidth(0.6)
