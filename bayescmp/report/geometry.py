"""A pair's figures as plain numbers, which a template draws in the colours of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.plots.captions import facts_of_posterior
from bayescmp.plots.density import (
    describe_density,
    describe_estimate,
    describe_tails,
    edges_of,
    span_of,
    tails_beyond,
)
from bayescmp.plots.drawing import label_in_lines, name_difference, percentages, ticks_of
from bayescmp.plots.intervals import (
    describe_estimates,
    describe_shrinkage,
    mean_over_datasets,
    most_probable,
)
from bayescmp.plots.simplex import (
    CONTOURS,
    CORNERS,
    WIDTHS,
    crowded_corners,
    describe_simplex,
    outlines,
    project,
)
from bayescmp.scores.rope import Rope, rope_phrase
from bayescmp.wording.regions import LABELS, fill_in
from bayescmp.wording.text import (
    cut_all,
    describe_improvement,
    format_probability,
    screen_width,
    write_number,
)

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.results.verdict import Verdict

# All lengths are in pixels of a figure at its natural size; a narrower page shrinks it.


#: Size of texts, and widths of a letter to it: at most, and more of a wide or a capital one.
SIZE, LETTER, WIDE_LETTER, CAPITAL = 12.0, 0.62, 0.38, 0.1
#: Letters of a name at most, and how many are left of the widest.
LONGEST, SHORTEST = 28, 9


def text_width(text: str) -> float:
    """Bound the width of a text, whichever font the reader's browser has."""
    wide = sum(letter in "mwMW@%" for letter in text)
    capital = sum(letter.isupper() for letter in text)
    return SIZE * (LETTER * screen_width(text) + WIDE_LETTER * wide + CAPITAL * capital)


def cut_to_width(names: Iterable[object], width: float) -> list[str]:
    """Cut names in the middle so that each fits, and keep them different where they were."""
    whole = [str(name) for name in names]
    fitted: dict[str, str] = {}
    for most in range(LONGEST, SHORTEST - 1, -1):
        for name, short in zip(whole, cut_all(whole, most), strict=True):
            if name not in fitted and (text_width(short) <= width or most == SHORTEST):
                fitted[name] = short
        if len(fitted) == len(set(whole)):
            break
    return [fitted[name] for name in whole]


class _Axis:
    """A horizontal axis from pixel to pixel, and round numbers along it."""

    def __init__(self, ends: tuple[float, float], pixels: tuple[float, float]) -> None:
        self.low, self.high = ends
        self.start, self.end = pixels
        self.scale = (self.end - self.start) / (self.high - self.low)

    def __call__(self, values: Any) -> Any:
        """Return the pixels of values."""
        return (self.start + (np.asarray(values) - self.low) * self.scale).round(1).tolist()

    def ticks(self, most: int, *, of_ratios: bool) -> list[Json]:
        """Return ticks with texts that do not touch."""
        if of_ratios:
            texts = percentages(self.low, self.high, most)
        else:
            ticks = ticks_of(self.low, self.high, most)
            step = min(np.diff(ticks), default=1.0)
            decimals = max(0, -int(np.floor(np.log10(step) + 1e-9)))
            plain = decimals < 5 and max(map(abs, ticks), default=0.0) < 1e5
            form = f".{decimals}f" if plain else "g"
            texts = {tick: write_number(tick + 0.0, form) for tick in ticks}
        shown: list[Json] = []
        for value, text in texts.items():
            x, half = self(value), text_width(text) / 2 + 2
            if not shown or x - half >= shown[-1]["x"] + shown[-1]["half"]:
                shown.append({"x": x, "half": half, "text": text})
        return shown


def _caption(posterior: Any, verdict: Verdict, quantity: str, *marks: str) -> str:
    return facts_of_posterior(posterior, verdict).sentences(quantity, marks)


def _path(points: np.ndarray) -> str:
    """Write a line through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


# The simplex: draws in a triangle, as hexagons that are deeper where there are more of them.


#: Width of the figure; the length of a side, the left corner; hexagons along a side.
TRIANGLE_WIDE, SIDE, CORNER, CELLS = 330.0, 200.0, (65.0, 222.0), 30
#: Steps of depth, and room of a name at a corner.
DEPTHS, AT_CORNER = 12, 148.0


def draw_simplex(posterior: Any, verdict: Verdict) -> Json:
    """Place the draws' masses in a triangle: hexagons, outlines and labels of the corners."""
    masses = posterior.masses(verdict.rope).reshape(-1, 3)
    points, crowded = project(masses), crowded_corners(masses)
    lines = [
        {"width": width, "path": _path(_in_triangle(line))}
        for of_width, width in zip(outlines(points, CONTOURS), WIDTHS, strict=True)
        for line in of_width
    ]
    quantity, *marks = describe_simplex(verdict, crowded)
    return {
        "cells": _cells(points),
        "lines": lines,
        "discs": [
            {"region": region, "at": _in_triangle(np.array(CORNERS[region])).round(1).tolist()}
            for region in crowded
        ],
        "corners": _label_corners(verdict),
        "caption": _caption(posterior, verdict, quantity, *marks),
    }


def _in_triangle(points: np.ndarray) -> np.ndarray:
    return np.asarray(CORNER) + points * [SIDE, -SIDE]


def _cells(points: np.ndarray) -> list[Json]:
    """Count draws in hexagons; depths are logarithmic and start below one, so that tails show."""
    centres, counts = count_in_hexagons(points, CELLS)
    most = max(float(counts.max()), 2.0)
    low = -0.35 * np.log(most)
    depths = np.ceil(DEPTHS * (np.log(counts) - low) / (np.log(most) - low)).astype(int)
    across, tall = SIDE / CELLS / 2, SIDE / CELLS / np.sqrt(3)
    shape = (
        f"l{across:.2f} {tall / 2:.2f}v{tall:.2f}l-{across:.2f} {tall / 2:.2f}"
        f"l-{across:.2f}-{tall / 2:.2f}v-{tall:.2f}z"
    )
    tops = _in_triangle(centres) - [0, tall]
    return [
        {
            "depth": round(depth / DEPTHS, 2),
            "path": "".join(f"M{x:.1f} {y:.1f}{shape}" for x, y in tops[depths == depth].tolist()),
        }
        for depth in np.unique(depths).tolist()
    ]


def count_in_hexagons(points: np.ndarray, across: int) -> tuple[np.ndarray, np.ndarray]:
    """Count points in regular hexagons, so many to a unit: centres (n, 2), and counts."""
    pitch = np.array([1.0, np.sqrt(3)]) / across
    scaled = points / pitch
    own, other = np.round(scaled), np.floor(scaled) + 0.5
    off = [((scaled - centre) ** 2 @ [1.0, 3.0]) for centre in (own, other)]
    twice = (2 * np.where((off[0] < off[1])[:, None], own, other)).astype(int)
    width = 4 * across  # more than twice as many columns as there are
    keys, counts = np.unique(twice[:, 1] * width + twice[:, 0], return_counts=True)
    return np.stack([keys % width, keys // width], axis=1) / 2 * pitch, counts


def _label_corners(verdict: Verdict) -> list[Json]:
    first, second = cut_to_width(verdict.names, AT_CORNER)
    lines = {
        "left": [first, "better"],
        "rope": ["practically equivalent"],
        "right": [second, "better"],
    }
    labels = []
    for region, words in lines.items():
        x, y = _in_triangle(np.array(CORNERS[region])).tolist()
        half = max(map(text_width, words)) / 2 + 2
        labels.append(
            {
                "region": region,
                "x": round(float(np.clip(x, half, TRIANGLE_WIDE - half)), 1),
                "y": round(y - 27 if region == "rope" else y + 18, 1),
                "lines": words,
                "p": format_probability(verdict.probabilities[region], verdict.floor),
            }
        )
    return labels


# Densities and estimates for each data set, over an axis.


#: Width of the figures.
WIDE = 440.0
#: Top and foot of a density's curve, and its points; room of a name above it.
TOP, FOOT, POINTS, ABOVE = 56.0, 176.0, 160, 122.0


def draw_density(posterior: Any, verdict: Verdict) -> Json:
    """Place the density of the mean difference: areas, bounds of the ROPE, median and interval."""
    x, y = posterior.density()
    region, masses = verdict.rope, verdict.location or verdict.probabilities
    assert isinstance(region, Rope)  # one metric
    (middle,), (interval,) = verdict.estimate, verdict.mean_interval
    low, high = span_of(x, y, region, interval)
    axis = _Axis((low, high), (8.0, WIDE - 8))
    inside = np.linspace(max(low, x[0]), min(high, x[-1]), POINTS)
    top = float(y.max())
    up = (FOOT - TOP) / (1.06 * top)

    def curve(at: np.ndarray) -> np.ndarray:
        return np.column_stack([axis(at), FOOT - up * np.interp(at, x, y)])

    bounds = {
        "left": (-np.inf, region.low),
        "rope": (region.low, region.high),
        "right": (region.high, np.inf),
    }
    areas = []
    for part, ends in bounds.items():
        first, last = np.clip(ends, inside[0], inside[-1])
        if last > first:
            at = np.r_[first, inside[(inside > first) & (inside < last)], last]
            closed = np.r_[[[axis(first), FOOT]], curve(at), [[axis(last), FOOT]]]
            text = f"{verdict.label(part)} {format_probability(masses[part])}"
            areas.append({"region": part, "path": _path(closed), "text": text})
    tails = tails_beyond(x, y, (low, high))
    quantity, *marks = describe_density(verdict)
    first_name, second_name = cut_all(verdict.names, LONGEST)
    words = f"mean {describe_improvement(first_name, second_name)}"
    low, high = interval
    return {
        "areas": areas,
        "curve": _path(curve(inside)),
        "edges": axis(edges_of(region)),
        "estimate": axis([low, middle, high]),
        "estimated": f"median {middle:.4g}, 95% credible interval {low:.4g} to {high:.4g}",
        "tails": {side: format_probability(p) for side, p in tails.items()},
        "ticks": axis.ticks(6, of_ratios=verdict.of_ratios),
        "labels": _label_areas(verdict, masses),
        "under": [
            name_difference((first_name, second_name), posterior, words),
            describe_estimate(verdict),
        ],
        "caption": _caption(posterior, verdict, quantity, *marks, *describe_tails(tails)),
    }


def _label_areas(verdict: Verdict, masses: Mapping[str, float]) -> list[Json]:
    names = cut_to_width(verdict.names, ABOVE)
    shown = [r for r in ("left", "rope", "right") if r in verdict.possible]
    places = dict.fromkeys(shown, (WIDE / 2, "middle"))
    places |= {shown[0]: (2.0, "start"), shown[-1]: (WIDE - 2, "end")}
    return [
        {
            "region": region,
            "x": x,
            "anchor": anchor,
            "lines": [
                *label_in_lines(verdict.shape, region, names).split("\n"),
                format_probability(masses[region]),
            ],
        }
        for region, (x, anchor) in places.items()
    ]


#: Room of the data sets' names; height of a row: at most and at least, and of all together.
NAMES, ROW, LEAST_ROW, ROWS = 172.0, 18.0, 11.0, 720.0


def draw_estimates(table: pd.DataFrame, posterior: Any, verdict: Verdict) -> Json:
    """Place each data set's difference, measured and estimated: one row per data set."""
    table = table.sort_values(["mean", "observed"], ascending=False)
    row = max(min(ROWS / len(table), ROW), LEAST_ROW)
    size = min(SIZE, 0.8 * row)
    names = cut_to_width(table.index, NAMES * SIZE / size)
    beside = max(map(text_width, names)) * size / SIZE + 10
    region = verdict.rope
    assert isinstance(region, Rope)  # one metric
    mean, written = mean_over_datasets(posterior)
    edges = [] if region.empty else edges_of(region)
    columns = table[["mean", "2.5%", "97.5%", "observed"]].to_numpy()
    seen = [*columns.ravel(), mean, 0.0, *edges]
    pad = 0.04 * (max(seen) - min(seen)) or 1.0
    axis = _Axis((min(seen) - pad, max(seen) + pad), (beside, WIDE - 8))
    of_row = np.empty(len(table), dtype=object)
    for likeliest, rows in most_probable(table).items():
        of_row[rows] = likeliest
    facts = zip(names, table.index, of_row, axis(columns), describe_estimates(table), strict=True)
    quantity, *marks = describe_shrinkage(written)
    first, second = cut_all(verdict.names, LONGEST)
    return {
        "rows": [
            {
                "y": round(4 + row * (i + 0.5), 1),
                "name": name,
                "whole": str(whole),
                "region": likeliest,
                **dict(zip(("mean", "low", "high", "observed"), pixels, strict=True)),
                "text": text,
            }
            for i, (name, whole, likeliest, pixels, text) in enumerate(facts)
        ],
        "size": round(size, 1),
        "foot": round(8 + row * len(table), 1),
        "start": round(beside, 1),
        "zero": axis(0.0),
        "edges": axis(edges),
        "average": axis(mean),
        "ticks": axis.ticks(5, of_ratios=verdict.of_ratios),
        "directions": [f"← {first} better", f"{second} better →"],
        "under": [name_difference((first, second), posterior, "difference")],
        "keys": _name_marks(verdict, of_row, (first, second), written),
        "caption": _caption(posterior, verdict, quantity, *marks),
    }


def _name_marks(
    verdict: Verdict, seen: Iterable[str], names: Sequence[str], average: str
) -> list[list[str]]:
    found = set(seen)
    keys = [
        [region, f"{fill_in(LABELS, verdict.shape.name, region, names)}, 95%"]
        for region in ("left", "rope", "right")
        if region in found
    ]
    band = [] if verdict.rope.empty else [["edge" if verdict.rope.one_sided else "band"]]
    phrase = rope_phrase(verdict.rope, of_ratios=verdict.of_ratios)
    return [
        ["measured", "measured"],
        *keys,
        *[[*kind, phrase] for kind in band],
        ["average", f"mean over data sets {average}"],
    ]
