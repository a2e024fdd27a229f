"""Draws in the plane: the triangle of three masses, and the four regions of two metrics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from contourpy import contour_generator
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import Colormap, LogNorm
from matplotlib.patches import Polygon, Rectangle
from matplotlib.path import Path
from scipy.ndimage import gaussian_filter

from bayescmp.base.arguments import must
from bayescmp.base.checks import check_choice, count, flag, names, optional
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.drawing import (
    DASHED,
    PAIR,
    Look,
    axes_for,
    column,
    ink,
    label_below,
    label_beside,
    made_of,
    mix_colours,
    paper,
    region_ink,
    room,
    shades,
    shorten_all,
    text_size,
    wrap_text,
)
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import Rope, RopeLike, Ropes, RopesLike
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import format_probability, join_items

# Outlines of the smallest regions of a plane with a given share of some draws.


#: Probability within the contours, and how thick they are drawn.
CONTOURS, WIDTHS = (0.5, 0.95), (1.5, 0.9)
#: Cells a side of the histogram that contours come from; width of the kernel that smooths it.
CELLS, SMOOTH = 70, 2.5


def outlines(draws: np.ndarray, probs: Sequence[float]) -> list[list[np.ndarray]]:
    """Outline the densest cells of a smoothed histogram with each of these shares of the draws."""
    low, high = np.quantile(draws, [0.0005, 0.9995], axis=0)
    room = 0.1 * np.maximum(high - low, 1e-12)
    edges = np.linspace(low - room, high + room, CELLS + 1).T
    counts, *_ = np.histogram2d(draws[:, 0], draws[:, 1], bins=list(edges))
    smooth = gaussian_filter(counts, SMOOTH)
    densest = np.argsort(-smooth, axis=None, kind="stable")
    held = np.cumsum(counts.ravel()[densest])
    levels = smooth.ravel()[densest[np.searchsorted(held, np.asarray(probs) * held[-1])]]
    middles = [(e[1:] + e[:-1]) / 2 for e in edges]
    contours = contour_generator(x=middles[0], y=middles[1], z=smooth.T)
    return [[np.asarray(line) for line in contours.lines(level)] for level in levels]


# Simplex plot: each draw's three masses as a point of a triangle.


HEIGHT = np.sqrt(3) / 2
#: Height of the largest figure, inches.
TALL = 4.4
CORNERS = {"left": (0.0, 0.0), "rope": (0.5, HEIGHT), "right": (1.0, 0.0)}
CENTRE = (0.5, HEIGHT / 3)
#: A corner is marked if so large a share of the draws gives its region so large a mass.
SHARE, MASS = 0.25, 0.98


def colour_map(name: str, value: object) -> object:
    """Accept a colour map of matplotlib, or the name of one."""
    return value if isinstance(value, Colormap) else check_choice(name, value, colormaps)


@made_of(PAIR, cells=count(2, most=1000), cmap=optional(colour_map))
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
    draws there is the verdict's probability, at the corner. The thicker outline contains 50% of
    the draws, the thinner 95%. A disc marks a corner where at least a quarter of the draws give
    its region a mass over 0.98.

    Parameters
    ----------
    posterior : Posterior
        One with ``masses(rope)`` of shape (chain, draw, 3) and ``verdict(rope)``.
    ax : matplotlib Axes, optional
    rope : float or (float, float), optional
        Another region than the posterior's own.
    cells : int
        Hexagons along a side.
    cmap : str, optional
        A colour map that begins at the background; by default to purple.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If there is no ROPE, or one with an infinite bound: the triangle is a line then.

    References
    ----------
    Benavoli, Corani, Demšar & Zaffalon (2017), JMLR 18(77), figure 5; Corani et al. (2017).

    See Also
    --------
    plot_histogram, plot_density

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> means = [0.02, 0.03, -0.01, 0.00, 0.02, 0.04, 0.01]
    >>> posterior = bayesian.sign(means, rope=0.01, seed=1, names=("knn", "gbm"))
    >>> ax = plots.plot_simplex(posterior)
    """
    verdict = posterior.verdict(rope)
    if verdict.rope.empty:
        raise must(
            "rope",
            "have a width for a simplex",
            "0",
            "Use bayescmp.plots.plot_density, or give a ROPE.",
        )
    if verdict.rope.one_sided:
        raise must(
            "rope",
            "have two finite bounds for a simplex",
            str(verdict.rope),
            "Use bayescmp.plots.plot_verdict_bar of the verdict, or plot_density.",
        )
    ax = axes_for(ax, (column(), min(column(), TALL) + 0.15))
    masses = posterior.masses(rope).reshape(-1, 3)
    _draw_density(ax, project(masses), cells, cmap)
    _draw_contours(ax, project(masses))
    _draw_frame(ax)
    crowded = crowded_corners(masses)
    _mark_corners(ax, crowded)
    quantity, *marks = describe_simplex(verdict, crowded)
    _write_corners(ax, verdict, marks)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set(xlim=(-0.16, 1.16), ylim=(-0.36 - 0.045 * len(marks), HEIGHT + 0.18))
    return note(ax, quantity, facts_of_posterior(posterior, verdict), *marks)


def project(masses: np.ndarray) -> np.ndarray:
    """Map masses (left, rope, right), shape (n, 3), to points of the triangle, shape (n, 2)."""
    return masses @ np.array([CORNERS["left"], CORNERS["rope"], CORNERS["right"]])


def _draw_density(ax: Axes, points: np.ndarray, cells: int, cmap: str | None) -> None:
    shown = ax.hexbin(
        *points.T,
        gridsize=(cells, round(cells / np.sqrt(3) * HEIGHT)),
        mincnt=1,
        extent=(0, 1, 0, HEIGHT),
        cmap=shades() if cmap is None else cmap,
        linewidths=0.1,
        zorder=1,
    )
    # On a logarithmic scale a posterior crowded into one corner still shows its tails; the scale
    # starts below one, so that a single draw is not white.
    most = max(float(np.asarray(shown.get_array()).max()), 2.0)
    shown.set_norm(LogNorm(vmin=most**-0.35, vmax=most))
    joined = _join_cells(shown)
    ax.add_collection(joined)
    joined.set_clip_path(Polygon(list(CORNERS.values()), transform=ax.transData))


def _join_cells(cells: PolyCollection) -> PathCollection:
    """Join cells of one count into one path: a vector file is drawn much faster."""
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
    """Outline the smallest regions with 50 and 95% of the draws."""
    triangle = Polygon(list(CORNERS.values()), transform=ax.transData)
    for lines, width in zip(outlines(points, CONTOURS), WIDTHS, strict=True):
        for line in lines:
            (drawn,) = ax.plot(*line.T, color=ink(), linewidth=width, zorder=2)
            drawn.set_clip_path(triangle)


def crowded_corners(masses: np.ndarray) -> list[str]:
    """Return the regions to whose corners much of the posterior belongs."""
    shares = (masses >= MASS).mean(axis=0)
    return [region for region, share in zip(CORNERS, shares, strict=True) if share >= SHARE]


def describe_simplex(verdict: Verdict, crowded: Sequence[str]) -> list[str]:
    """Return the quantity that a simplex shows, and the meaning of its marks."""
    disc = f"disc: at least {100 * SHARE:g}% of the draws are over {MASS:g} there"
    return [
        f"Posterior of the probabilities of the three outcomes on {verdict.target}",
        "lines: 50 and 95% of the draws",
        "dashed: where the most probable changes",
        *[disc] * bool(crowded),
    ]


def _mark_corners(ax: Axes, crowded: Sequence[str]) -> None:
    for region in crowded:
        colour = mix_colours(COLOURS[region], paper(), 0.85)
        edge: Look = {"markeredgecolor": ink(), "markeredgewidth": 0.9}
        ax.plot(*CORNERS[region], "o", markersize=9, color=colour, zorder=4, **edge)


def _draw_frame(ax: Axes) -> None:
    """Draw the triangle, and the lines on which two masses are equal and largest."""
    corners = [CORNERS[r] for r in ("left", "rope", "right", "left")]
    ax.plot(*zip(*corners, strict=True), color=ink(), linewidth=1.0, zorder=3)
    dashes: Look = {"color": ink(), "linewidth": 0.8, "linestyle": DASHED, "zorder": 3}
    for ends in pairwise(corners):
        ax.plot(*zip(CENTRE, np.mean(ends, axis=0), strict=True), **dashes)


def _write_corners(ax: Axes, verdict: Verdict, marks: list[str]) -> None:
    size = text_size(ax)
    first, second = shorten_all(verdict.names, 18)
    words = {
        "left": f"{first}\nbetter",
        "rope": "practically equivalent",
        "right": f"{second}\nbetter",
    }
    line = 1.35 * size  # points
    for region, corner in CORNERS.items():
        p = format_probability(verdict.probabilities[region], verdict.floor)
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
    what = wrap_text(f"{verdict.decides} on {verdict.target}", room(ax), min(size, 7))
    ax.annotate(
        "\n".join([what, *marks]),
        (0.5, 0),
        (0, -8.0 - 3 * 1.35 * size),  # under the three lines at the corners
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=min(size, 7),
        linespacing=1.25,
        color=ink(0.7),
    )


# Two metrics at once: the posterior over the four regions that their ropes cut out.


@made_of(
    "a posterior of two algorithms by several metrics",
    "bayescmp.results.posterior:Posterior",
    "bayescmp.bayesian.hierarchical_multivariate.posterior:NextDataset",
    metrics=optional(names),
    folds=flag,
)
def plot_regions(
    posterior: Any,
    *,
    ax: Axes | None = None,
    metrics: Sequence[str] | None = None,
    rope: RopesLike | None = None,
    folds: bool = True,
) -> Axes:
    """Draw the posterior of two metrics' differences over its four regions.

    The box contains the differences that are practically equivalent in both metrics. To its lower
    left the first algorithm dominates, to its upper right the second; in the other corners each is
    practically better in one metric. Numbers are probabilities (of both trade-offs together); the
    lines contain 50 and 95% of the posterior, and the dots are the folds.

    Parameters
    ----------
    posterior : MultivariatePosterior, or any with draws of "delta" and a verdict over four regions
    ax : matplotlib Axes, optional
    metrics : (str, str), optional
        Which two of several; the verdict then is over these two.
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
        If there are not two metrics, or a ROPE has an infinite bound.

    See Also
    --------
    plot_ellipses, plot_verdict_bar

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import bayesian, plots
    >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
    >>> posterior = bayesian.multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
    >>> ax = plots.plot_regions(posterior)
    """
    chosen = posterior if metrics is None else posterior.select(metrics)
    if len(chosen.metrics) < 2:
        raise must(
            "posterior",
            "be of two metrics",
            "one",
            "Name two by metrics=(a, b), or use bayescmp.plots.plot_verdict_bar for the verdict "
            "by one.",
        )
    if len(chosen.metrics) > 2:
        raise must(
            "metrics",
            "be two, metrics=(a, b)",
            f"{len(chosen.metrics)}, {', '.join(map(repr, chosen.metrics))}",
        )
    verdict = chosen.verdict(rope)
    ax = axes_for(ax, (column(), min(column(), TALL)))
    lines = _contours(chosen)
    dots = np.asarray(chosen.x) if folds and "folds" in chosen.shows else np.zeros((0, 2))
    if verdict.rope.open:
        raise must(
            "rope",
            "have finite bounds for the region",
            str(verdict.rope),
            "Use bayescmp.plots.plot_verdict_bar of the verdict, or give finite ropes.",
        )
    limits = _limits(verdict.rope, lines, dots)
    _tint(ax, verdict.rope, limits)
    if len(dots):
        _draw_folds(ax, dots)
    for line, width in zip(lines, WIDTHS, strict=True):
        for piece in line:
            ax.plot(*piece.T, color=ink(), linewidth=width, zorder=4)
    _write(ax, verdict, limits)
    marks = "lines: 50 and 95% of the posterior" + ("; dots: folds" if len(dots) else "")
    _finish(ax, verdict, limits, marks)
    quantity = f"Joint posterior of the differences in {join_items(chosen.metrics)}"
    return note(ax, quantity, facts_of_posterior(chosen, verdict), marks, measured="")


def _contours(posterior: Any) -> list[list[np.ndarray]]:
    """Outline the regions of highest density, each by a list of closed lines."""
    if "ellipsoid" in posterior.shows:
        return [[posterior.ellipsoid(prob).outline()] for prob in CONTOURS]
    draws = posterior.draws["delta"].reshape(-1, 2)
    return outlines(draws, CONTOURS)


def _limits(ropes: Ropes, lines: list[list[np.ndarray]], dots: np.ndarray) -> np.ndarray:
    """Return what to show: contours, ropes and nearly all folds, shape (2, 2): (metric, ends)."""
    points = [np.concatenate(lines[-1]), np.stack([ropes.low, ropes.high])]
    if len(dots):
        points.append(np.quantile(dots, [0.01, 0.99], axis=0))
    points.append(np.zeros((1, 2)))
    low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
    # beyond the ROPE on every side there is room for the regions' names
    room = 0.16 * np.maximum(high - low, 1e-9)
    low = np.minimum(low - room / 2, ropes.low - room)
    high = np.maximum(high + room / 2, ropes.high + room)
    return np.stack([low, high], axis=1)


def _tint(ax: Axes, ropes: Sequence[Rope], limits: np.ndarray) -> None:
    """Tint the nine fields that two ROPEs cut the plane into, in their regions' colours."""
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
    style: Look = {
        "color": ink(0.65),
        "linewidth": 0.8,
        "linestyle": DASHED,
        "zorder": 1,
    }
    for j, draw in ((0, ax.axvline), (1, ax.axhline)):
        for edge in sorted({ropes[j].low, ropes[j].high}):
            draw(edge, **style)


def _draw_folds(ax: Any, dots: np.ndarray) -> None:
    """Draw the folds' differences, larger where several coincide."""
    distinct, counts = np.unique(dots.round(12), axis=0, return_counts=True)
    ax.scatter(
        *distinct.T, s=5 * np.sqrt(counts), color=ink(0.75), alpha=0.45, linewidths=0, zorder=2
    )


def _write(ax: Axes, verdict: Any, limits: np.ndarray) -> None:
    """Write names and probabilities in their places."""
    size = min(text_size(ax), 8)
    text = {r: format_probability(p, verdict.floor) for r, p in verdict.probabilities.items()}
    first, second = shorten_all(verdict.names, 14)
    trade_off = f"trade-off, both\ncorners: {text['trade_off']}"
    corners = {
        "first": (0.02, 0.02, "left", "bottom", f"{first} dominates\n{text['first']}"),
        "second": (0.98, 0.98, "right", "top", f"{second} dominates\n{text['second']}"),
        "trade_off": (0.02, 0.98, "left", "top", trade_off),
        "trade_off ": (0.98, 0.02, "right", "bottom", trade_off),
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


def _finish(ax: Axes, verdict: Verdict, limits: np.ndarray, marks: str) -> None:
    size = min(text_size(ax), 8.5)
    ax.set(xlim=limits[0], ylim=limits[1])
    second = shorten_all(verdict.names, 14)[1]
    across, up = shorten_all(verdict.metrics, 24)
    label_below(ax, f"improvement in {across} (right: {second} better)\n{marks}", size)
    label_beside(ax, f"improvement in {up} (up: {second} better)", size)
    ax.locator_params(nbins=6)
    ax.tick_params(labelsize=min(size, 7.5), length=2.5)
    for spine in ax.spines.values():
        spine.set_linewidth(0.6)
