"""ROC or precision-recall curves of all folds of two algorithms, with their means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.base.declare import correlation, flag, instance, names, number, optional
from bayescmp.errors import InputError
from bayescmp.plots.captions import Facts, note
from bayescmp.plots.drawing import axes_for, column, ink, made_of, paper, shorten_all, text_size
from bayescmp.wording.regions import COLOURS, DASHES
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.curves.curves import PrCurves, RocCurves

__all__ = ["plot_curves"]

MARKERS = {"left": "o", "right": "^"}

KINDS = "bayescmp.curves.curves:RocCurves", "bayescmp.curves.curves:PrCurves"
#: Height of the largest figure, inches.
TALL = 4.4
#: Points between two of a precision-recall curve, which are joined by a hyperbola.
BETWEEN = 201


@made_of(
    "ROC or precision-recall curves, e.g. of bc.RocCurves",
    *KINDS,
    second=optional(instance("curves of the kind of first", *KINDS)),
    names=names,
    threshold=optional(number()),
    rho=optional(correlation),
    band=flag,
)
def plot_curves(
    first: RocCurves | PrCurves,
    second: RocCurves | PrCurves | None = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    threshold: float | None = 0.5,
    rho: float | None = None,
    band: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the folds' curves of one or two algorithms, their vertical averages and a threshold.

    Parameters
    ----------
    first, second : RocCurves or PrCurves
        Of the same kind; the second may be left out.
    names : (str, str)
    threshold : float or None
        Marked on each curve, with the folds' mean in a larger sign: circles for the first,
        triangles for the second. None marks nothing.
    rho : float, optional
        Correlation of folds, for the band: the interval of the mean. The central 95 % of the folds
        without it.
    band : bool
        Draw the band of the averages.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        Curves of different kinds.

    References
    ----------
    Aslan 2009, figures 3.1 to 3.14.

    See Also
    --------
    bayescmp.curves.roc_curves : Curves from scores of the folds.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import curves, plots
    >>> y = np.tile([0, 0, 1, 1, 0, 1], (3, 1))
    >>> scores = np.random.default_rng(1).uniform(size=y.shape)
    >>> ax = plots.plot_curves(curves.roc_curves(y, scores), names=("knn", ""))
    """
    if len(names) != 2:
        raise InputError(f"names={names!r}; accepted: two names, first and second")
    both = [("left", first, names[0])] + (
        [("right", second, names[1])] if second is not None else []
    )
    kinds = {curves.kind for _, curves, _ in both}
    if len(kinds) > 1:
        raise InputError(
            "first holds ROC curves and second precision-recall curves, or the reverse"
        )
    ax = axes_for(ax, (column(), min(column(), TALL)))
    labels = shorten_all(names, 20)
    size = text_size(ax)
    for side, curves, _ in both:
        _bundle(ax, side, curves)
        _mean(ax, side, curves, labels[side == "right"], rho, band)
    for side, curves, _ in both:
        if threshold is not None:
            _marks(ax, side, curves, threshold)
    if kinds == {"roc"}:
        ax.plot([0, 1], [0, 1], color=ink(0.4), linewidth=0.7, linestyle=(0, (4, 3)), zorder=0)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set_xlabel(first.axes[0], fontsize=size)
    ax.set_ylabel(first.axes[1], fontsize=size)
    ax.tick_params(labelsize=min(size, 7.5))
    ax.legend(
        fontsize=min(size, 7.5),
        frameon=False,
        loc="lower right" if kinds == {"roc"} else "lower left",
    )
    for spine in ("top", "right"):
        ax.spines[spine].set_visible(False)
    kind = "ROC" if kinds == {"roc"} else "Precision-recall"
    facts = Facts(names=tuple(name for *_, name in both), sample=counted(len(first), "fold"))
    return note(ax, f"{kind} curves of the folds, with their averages", facts)


def _bundle(ax: Axes, side: str, curves: RocCurves | PrCurves) -> None:
    """All folds' curves, thin; fainter the more there are."""
    alpha = float(np.clip(4 / len(curves), 0.08, 0.5))
    for fold in range(len(curves)):
        x, y = _line(curves, fold)
        ax.plot(x, y, color=COLOURS[side], linewidth=0.6, alpha=alpha, zorder=1)


def _line(curves: RocCurves | PrCurves, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Points to join: a precision-recall curve's hyperbolas need some between."""
    x, y, _ = curves.points(fold)
    if curves.kind == "roc":
        return x, y
    grid = np.linspace(0, 1, BETWEEN)
    xs, ys = np.append(x, grid), np.append(y, curves.heights(fold, grid))
    rank = np.append(np.arange(len(x)), np.searchsorted(x, grid, side="left") - 0.5)
    order = np.lexsort((rank, xs))  # vertical drops keep the curve's own order
    return xs[order], ys[order]


def _mean(
    ax: Axes, side: str, curves: RocCurves | PrCurves, name: str, rho: float | None, band: bool
) -> None:
    average = curves.average(grid=BETWEEN, rho=rho if len(curves) > 1 else None)
    label = f"{name}: area {curves.area.mean():.3f}"
    ax.plot(
        average.x,
        average.mean,
        color=COLOURS[side],
        linestyle=DASHES[side],
        linewidth=1.8,
        label=label,
        zorder=3,
    )
    if band:
        ax.fill_between(
            average.x,
            average.low,
            average.high,
            color=COLOURS[side],
            alpha=0.2,
            linewidth=0,
            zorder=0,
        )


def _marks(ax: Any, side: str, curves: RocCurves | PrCurves, threshold: float) -> None:
    """Where each fold stands at the threshold, and the mean of those points."""
    points = curves.at(threshold)
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return
    ax.scatter(
        *points.T,
        s=9,
        marker=MARKERS[side],
        facecolor=paper(),
        edgecolor=COLOURS[side],
        linewidth=0.6,
        zorder=4,
        clip_on=False,
    )
    ax.scatter(
        *points.mean(axis=0),
        s=42,
        marker=MARKERS[side],
        facecolor=COLOURS[side],
        edgecolor=ink(),
        linewidth=0.8,
        zorder=5,
        clip_on=False,
    )
