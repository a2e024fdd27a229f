"""Geometry of the report's pictures: plain coordinates, which the templates draw as SVG.

The pictures of `bayescmp.plots` are made for papers; a page with ninety of them needs smaller ones
whose colours follow the reader's theme. They show the same: each draw's masses on the simplex,
every data set's own difference, the density of the difference.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Json
    from bayescmp.verdict.rope import Rope


__all__ = ["density", "shrinkage", "simplex"]

#: Cells along a side of the simplex, and shades of its density.
CELLS, SHADES = 26, 6
#: A cell's width and height, whole numbers for short paths: 7/8 for the square root of 3/4.
WIDE, HIGH = 8, 7
#: The triangle's left corner.
CORNER = (36, 200)
#: The plane of the other pictures: from x to x, and the height of a data set's line.
PLANE, LINE = (112.0, 446.0), 15.0


def simplex(masses: np.ndarray) -> list[Json]:
    """Density of the draws on the triangle, as one path a shade.

    Parameters
    ----------
    masses : ndarray of shape (..., 3)
        Each draw's probabilities: left, rope, right.

    Returns
    -------
    list of dict
        shade (1 the palest) and path.
    """
    counts = _cells(masses.reshape(-1, 3))
    most = max(counts.values())
    paths: dict[int, list[str]] = defaultdict(list)
    for cell, count in sorted(counts.items()):
        # Logarithmic, so that the tails of a posterior in one corner still show.
        depth = 1.0 if most == 1 else np.log(count) / np.log(most)
        paths[1 + round((SHADES - 1) * float(depth))].append(_triangle(cell))
    return [{"shade": shade, "path": "".join(paths[shade])} for shade in sorted(paths)]


def _cells(p: np.ndarray) -> dict[tuple[int, int, int], int]:
    """How many draws fall into each small triangle, which its integer parts name."""
    scaled = np.clip(p / p.sum(axis=1, keepdims=True), 0, 1) * CELLS
    whole = np.minimum(np.floor(scaled), CELLS - 1).astype(int)
    # On an edge rounding may leave the parts one short or over: the last one makes up for it.
    short = CELLS - 1 - whole.sum(axis=1)
    whole[:, 2] += np.where(short < 0, short, np.where(short > 1, short - 1, 0))
    cells, counts = np.unique(np.maximum(whole, 0), axis=0, return_counts=True)
    return {(int(a), int(b), int(c)): int(n) for (a, b, c), n in zip(cells, counts, strict=True)}


def _triangle(cell: tuple[int, int, int]) -> str:
    """Path of a small triangle, pointing up or down by what its parts add to."""
    _, rope, right = cell
    up = sum(cell) == CELLS - 1
    x = CORNER[0] + WIDE * right + WIDE // 2 * rope
    y = CORNER[1] - HIGH * rope
    if up:
        return f"M{x} {y}h{WIDE}l{-WIDE // 2}{-HIGH}z"
    return f"M{x + WIDE // 2} {y - HIGH}h{WIDE}l{-WIDE // 2} {HIGH}z"


def shrinkage(table: pd.DataFrame, rope: Rope, centre: float | None) -> Json:
    """Each data set's measured difference and what the model makes of it, sorted.

    Parameters
    ----------
    table : DataFrame
        Columns observed, mean, "2.5%", "97.5%", p_left, p_rope, p_right; one row per data set.
    rope : Rope
    centre : float or None
        Posterior mean of the mean difference.

    Returns
    -------
    dict
        height, band, zero, centre, ticks, labels; for each region the paths of intervals and
        means; the path of the measured means.
    """
    table = table.sort_values(["mean", "observed"], ascending=False)
    columns = [table[c].to_numpy() for c in ("observed", "mean", "2.5%", "97.5%")]
    scale = _Scale.over(np.concatenate([*columns, [0.0, rope.low, rope.high]]))
    observed, mean, low, high = (scale(c) for c in columns)
    y = 12 + LINE * np.arange(len(table))
    best = table[["p_left", "p_rope", "p_right"]].to_numpy().argmax(axis=1)
    regions = [
        {
            "region": name,
            "intervals": "".join(f"M{low[i]:.4g} {y[i]:g}H{high[i]:.4g}" for i in own),
            "means": _dots(mean[own], y[own]),
        }
        for k, name in enumerate(("left", "rope", "right"))
        if len(own := np.flatnonzero(best == k))
    ]
    return {
        "height": float(LINE * len(table) + 48),
        "foot": float(LINE * len(table) + 6),
        **_plane(scale, rope),
        "centre": None if centre is None else _one(scale, centre),
        "labels": [{"y": float(v), "name": str(n)} for v, n in zip(y, table.index, strict=True)],
        "regions": regions,
        "measured": _dots(observed, y),
    }


def _dots(x: np.ndarray, y: np.ndarray) -> str:
    """Lines of no length: with round ends they are dots."""
    return "".join(f"M{a:.4g} {b:g}h0" for a, b in zip(x, y, strict=True))


def density(x: np.ndarray, y: np.ndarray, rope: Rope) -> Json:
    """Density of the difference, its three parts filled.

    Parameters
    ----------
    x, y : ndarray
        Points of the density.
    rope : Rope

    Returns
    -------
    dict
        band, zero, ticks; the outline, and for each region the path of its area.
    """
    area = np.concatenate([[0.0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))])
    low, high = np.interp([0.002, 0.998], area / area[-1], x)
    grid = np.linspace(min(low, rope.low), max(high, rope.high), 121)
    grid = np.unique(np.concatenate([grid, [rope.low, rope.high]]))
    scale = _Scale.over(grid, wide=(20.0, 446.0))
    across, up = scale(grid), 150 - 118 * np.interp(grid, x, y, 0, 0) / y.max()
    ends = {
        "left": grid <= rope.low,
        "rope": (grid >= rope.low) & (grid <= rope.high),
        "right": grid >= rope.high,
    }
    parts = [
        {"region": name, "path": f"M{across[m][0]:.4g} 150{_line(across[m], up[m])}V150z"}
        for name, m in ends.items()
        if m.sum() > 1
    ]
    outline = "M" + _line(across, up)[1:]
    return {**_plane(scale, rope), "parts": parts, "outline": outline}


def _line(x: np.ndarray, y: np.ndarray) -> str:
    return "".join(f"L{a:.4g} {b:.4g}" for a, b in zip(x, y, strict=True))


class _Scale:
    """From the metric's units to the picture's."""

    def __init__(self, low: float, high: float, wide: tuple[float, float] = PLANE) -> None:
        self.low, self.high, self.wide = low, high, wide

    @classmethod
    def over(cls, values: np.ndarray, wide: tuple[float, float] = PLANE) -> _Scale:
        """The scale on which all these values show, with a little room."""
        low, high = float(values.min()), float(values.max())
        room = 0.04 * (high - low) or 1.0
        return cls(low - room, high + room, wide)

    def __call__(self, values: object) -> np.ndarray:
        start, end = self.wide
        share = (np.asarray(values, dtype=float) - self.low) / (self.high - self.low)
        return start + (end - start) * share


def _one(scale: _Scale, value: float) -> float:
    return round(float(scale(value)), 2)


def _plane(scale: _Scale, rope: Rope) -> Json:
    ends = None if rope.empty else [_one(scale, rope.low), _one(scale, rope.high)]
    ticks = [{"x": _one(scale, t), "text": f"{t:g}".replace("-", "−")} for t in _ticks(scale)]
    return {"band": ends, "zero": _one(scale, 0.0), "ticks": ticks}


def _ticks(scale: _Scale) -> list[float]:
    """Round numbers inside the scale: at most five."""
    span = scale.high - scale.low
    power = 10 ** np.floor(np.log10(span / 4))
    step = next(power * m for m in (1, 2, 5, 10, 20) if span / (power * m) <= 5)
    first, last = np.ceil(scale.low / step), np.floor(scale.high / step)
    return [float(round(k * step, 12)) + 0.0 for k in np.arange(first, last + 1)]  # no -0
