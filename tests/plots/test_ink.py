"""Colours follow the style, can be read on it, and regions differ in grey."""

from __future__ import annotations

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from bayescmp.palette import COLOURS, QUANTITY, QUANTITY_ON_DARK
from bayescmp.plots._ink import (
    fill,
    ink,
    luminance,
    mixed,
    on,
    paper,
    quantity,
    region_ink,
    shades,
)

STYLES = ["default", "dark_background"]
REGIONS = ["first", "equivalent", "second", "trade_off"]


def contrast(one, other) -> float:
    """WCAG 2.2: (lighter + 0.05) / (darker + 0.05)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_luminance_is_that_of_the_standard():
    """WCAG 2.2, relative luminance; the contrast of #777777 on white is 4.48."""
    assert [luminance(c) for c in ("black", "white")] == pytest.approx([0, 1])
    assert luminance("lime") == pytest.approx(0.7152)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.005)


def test_ink_and_paper_are_those_of_the_style():
    assert (ink(), paper()) == ((0, 0, 0), (1, 1, 1))
    assert ink(0.25) == (0.75, 0.75, 0.75)
    with plt.style.context("dark_background"):
        assert (ink(), paper()) == ((1, 1, 1), (0, 0, 0))
        assert shades("red")(0.0)[:3] == (0, 0, 0)
    assert shades("red")(1.0)[:3] == (1, 0, 0)
    with plt.rc_context({"axes.facecolor": "none"}):
        assert paper() == (1, 1, 1)


@pytest.mark.parametrize("style", STYLES)
def test_texts_and_marks_can_be_read(style):
    with plt.style.context(style):
        for region in REGIONS:
            assert contrast(region_ink(region), paper()) >= 4.5
            assert contrast(COLOURS[region], paper()) >= 3
        assert contrast(quantity(), paper()) >= 4.5
        assert contrast(ink(0.65), paper()) >= 4.5
        assert quantity() == (QUANTITY if style == "default" else QUANTITY_ON_DARK)
    for shade in np.linspace(0, 1, 11):
        assert contrast(on((shade,) * 3), (shade,) * 3) >= 4.5


def test_mixed_is_a_share_of_each():
    assert mixed("white", "black", 0.25) == pytest.approx((0.25,) * 3)


def grey(region: str) -> np.ndarray:
    """An area as a printer without colours shows it, by luminance."""
    figure = Figure(figsize=(1, 1), dpi=100)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.axis("off")
    ax.bar(0, 1, width=1, **fill(region))
    ax.set(xlim=(-0.5, 0.5), ylim=(0, 1))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3] / 255
    return pixels @ np.array(to_rgb("#365d12")) / sum(to_rgb("#365d12"))


def test_areas_of_the_regions_differ_in_grey():
    """By lightness or by pattern: the spectrum of the hatch, whatever its phase."""
    areas = {r: grey(r) for r in REGIONS}
    patterns = {r: np.abs(np.fft.fft2(a - a.mean())) / a.size for r, a in areas.items()}
    for a, b in combinations(REGIONS, 2):
        assert np.linalg.norm(patterns[a] - patterns[b]) > 0.03, (a, b)
