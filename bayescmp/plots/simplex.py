"""Simplex plot: each draw's three masses as a point of a triangle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.palette import COLOURS
from bayescmp.plots._argument import PAIR, made_of
from bayescmp.plots._canvas import axes_for, column, text_size
from bayescmp.plots._contours import CONTOURS, WIDTHS, outlines
from bayescmp.plots._ink import ink, mixed, paper, quantity, shades
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.text import probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, PolyCollection

    from bayescmp.verdict.core import Verdict
    from bayescmp.verdict.rope import RopeLike

__all__ = ["plot_simplex"]

HEIGHT = np.sqrt(3) / 2
#: Height of the largest figure, inches.
TALL = 4.4
CORNERS = {"left": (0.0, 0.0), "rope": (0.5, HEIGHT), "right": (1.0, 0.0)}
CENTRE = (0.5, HEIGHT / 3)
#: A corner is marked if so large a share of the draws gives its region so large a mass.
SHARE, MASS = 0.25, 0.98


@made_of(PAIR)
def plot_simplex(
    posterior: Any,
    *,
    ax: Axes | None = None,
    rope: RopeLike | None = None,
    cells: int = 50,
    cmap: str | None = None,
) -> Axes:
    """Draw the posterior masses of the three regions on an equilateral triangle.

    Each draw is a point whose closeness to a corner is that region's probability. The lines divide
    the triangle into three kites, in each of which one region is the most probable; the share of
    draws in a kite is the region's probability in the verdict, written at the corner. Darker is
    denser; the thicker outline holds 50 % of the draws, the thinner 95 %. A disc marks a corner
    where a quarter of the draws or more give its region a mass over 0.98.

    Parameters
    ----------
    posterior : Posterior
        With ``masses(rope)`` of shape (chain, draw, 3) and ``verdict(rope)``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.
    rope : float or (float, float), optional
        Another region than the posterior's own.
    cells : int
        Hexagons along a side.
    cmap : str, optional
        A colour map from the background on; from the style's background to purple if not given.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If there is no region of practical equivalence: the triangle is a line then.

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon (2017), JMLR 18(77), figure 5; Corani et al. (2017).

    See Also
    --------
    plot_histogram : Where there is no rope.
    plot_density : The mean difference.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> means = [0.02, 0.03, -0.01, 0.00, 0.02, 0.04, 0.01]
    >>> posterior = bayesian.sign(means, rope=0.01, seed=1, names=("knn", "gbm"))
    >>> ax = plots.plot_simplex(posterior)
    """
    verdict = posterior.verdict(rope)
    if verdict.rope.empty:
        raise InputError(
            "rope is 0: with no region of practical equivalence the simplex is a line; plot "
            "bayescmp.plots.plot_density instead, or give a rope"
        )
    ax = axes_for(ax, (column(), min(column(), TALL)))
    masses = posterior.masses(rope).reshape(-1, 3)
    _draw_density(ax, project(masses), cells, cmap)
    _draw_contours(ax, project(masses))
    _draw_frame(ax)
    _mark_corners(ax, masses)
    _write_corners(ax, verdict)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_xlim(-0.16, 1.16)
    ax.set_ylim(-0.34, HEIGHT + 0.18)
    shown = f"Posterior of the probabilities of the three outcomes on {verdict.target}"
    return note(ax, shown, facts_of_posterior(posterior, verdict))


def project(masses: np.ndarray) -> np.ndarray:
    """Points of the triangle for masses (left, rope, right), shape (n, 3) to (n, 2)."""
    return masses @ np.array([CORNERS["left"], CORNERS["rope"], CORNERS["right"]])


def _draw_density(ax: Axes, points: np.ndarray, cells: int, cmap: str | None) -> None:
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Polygon

    shown = ax.hexbin(
        *points.T,
        gridsize=(cells, round(cells / np.sqrt(3) * HEIGHT)),
        mincnt=1,
        extent=(0, 1, 0, HEIGHT),
        cmap=shades(quantity()) if cmap is None else cmap,
        linewidths=0.1,
        zorder=1,
    )
    # On a logarithmic scale a posterior crowded into one corner still shows its tails; the scale
    # starts below one, so that a single draw is not white.
    most = max(float(np.asarray(shown.get_array()).max()), 2.0)
    shown.set_norm(LogNorm(vmin=most**-0.35, vmax=most))
    joined = _joined(shown)
    ax.add_collection(joined)
    joined.set_clip_path(Polygon(list(CORNERS.values()), transform=ax.transData))


def _joined(cells: PolyCollection) -> PathCollection:
    """The same cells, those of one count as one path: a file of vectors is drawn much faster."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    hexagon, counts = cells.get_paths()[0], np.asarray(cells.get_array())
    corners, centres = np.asarray(hexagon.vertices), np.asarray(cells.get_offsets())
    moved = [Path(corners + centre, hexagon.codes) for centre in centres]
    of_count = np.unique(counts)
    paths = [
        Path.make_compound_path(*(moved[k] for k in np.flatnonzero(counts == n))) for n in of_count
    ]
    joined = PathCollection(
        paths,
        array=of_count,
        norm=cells.norm,
        cmap=cells.get_cmap(),
        edgecolors="face",
        linewidths=0.1,
        zorder=1,
    )
    cells.remove()
    return joined


def _draw_contours(ax: Axes, points: np.ndarray) -> None:
    """Outlines of the smallest regions that hold 50 and 95 % of the draws."""
    from matplotlib.patches import Polygon

    triangle = Polygon(list(CORNERS.values()), transform=ax.transData)
    for prob, width in zip(CONTOURS, WIDTHS, strict=True):
        for line in outlines(points, prob):
            (drawn,) = ax.plot(*line.T, color=ink(), linewidth=width, zorder=2)
            drawn.set_clip_path(triangle)


def _mark_corners(ax: Axes, masses: np.ndarray) -> None:
    """Discs where much of the posterior sits in a corner, in which few would see it."""
    for k, (region, corner) in enumerate(CORNERS.items()):
        if (masses[:, k] >= MASS).mean() >= SHARE:
            ax.plot(
                *corner,
                "o",
                markersize=9,
                color=mixed(COLOURS[region], paper(), 0.85),
                markeredgecolor=ink(),
                markeredgewidth=0.9,
                zorder=4,
            )


def _draw_frame(ax: Axes) -> None:
    """The triangle, and the lines on which two masses are equal and largest."""
    corners = [CORNERS[r] for r in ("left", "rope", "right", "left")]
    ax.plot(*zip(*corners, strict=True), color=ink(), linewidth=1.0, zorder=3)
    for a, b in (("left", "rope"), ("rope", "right"), ("left", "right")):
        middle = np.mean([CORNERS[a], CORNERS[b]], axis=0)
        ax.plot(
            *zip(CENTRE, middle, strict=True),
            color=ink(),
            linewidth=0.8,
            linestyle=(0, (4, 2)),
            zorder=3,
        )


def _write_corners(ax: Axes, verdict: Verdict) -> None:
    size = text_size(ax)
    first, second = shorten_all(verdict.names, 18)
    words = {
        "left": f"{first}\nbetter",
        "rope": "practically equivalent",
        "right": f"{second}\nbetter",
    }
    line = 1.35 * size  # points
    for region, corner in CORNERS.items():
        p = probability(verdict.probabilities[region], verdict.floor)
        up = region == "rope"
        places = (5.0 + line, 5.0) if up else (-5.0, -5.0 - 2 * line)
        for text, y, weight in zip((words[region], p), places, ("normal", "bold"), strict=True):
            ax.annotate(
                text,
                corner,
                (0.0, y),
                textcoords="offset points",
                ha="center",
                va="bottom" if up else "top",
                fontsize=size,
                fontweight=weight,
                linespacing=1.25,
            )
    ax.annotate(
        f"{verdict.decides}\non {verdict.target}",
        (0.5, 0),
        (0, -8.0 - 3 * 1.35 * size),  # under the three lines at the corners
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=min(size, 7),
        linespacing=1.25,
        color=ink(0.7),
    )
