"""Ink and paper: the colours of the matplotlib style that is on, and what is mixed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.palette import COLOURS, HATCHES, QUANTITY, QUANTITY_ON_DARK

if TYPE_CHECKING:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.typing import ColorType

__all__ = [
    "fill", "ink", "luminance", "mixed", "on", "paper", "quantity", "region_ink", "shades",
]  # fmt: skip

Rgb = tuple[float, float, float]


def _rgb(colour: ColorType) -> np.ndarray:
    from matplotlib.colors import to_rgb

    return np.array(to_rgb(colour))


def mixed(colour: ColorType, other: ColorType, share: float) -> Rgb:
    """A colour of which so large a share is the first, and the rest the other."""
    r, g, b = (share * _rgb(colour) + (1 - share) * _rgb(other)).tolist()
    return r, g, b


def paper() -> Rgb:
    """The style's background; white where it is transparent."""
    from matplotlib import rcParams

    name = rcParams["axes.facecolor"]
    r, g, b = _rgb("white" if name == "none" else name).tolist()
    return r, g, b


def ink(share: float = 1.0) -> Rgb:
    """The style's colour of text; a smaller share of it is nearer to the background."""
    from matplotlib import rcParams

    return mixed(rcParams["text.color"], paper(), share)


def luminance(colour: ColorType) -> float:
    """Relative luminance of sRGB, 0 for black and 1 for white (WCAG 2.2)."""
    rgb = _rgb(colour)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


def on(colour: ColorType) -> str:
    """Black or white, whichever contrasts more with a colour behind it."""
    return "black" if luminance(colour) > 0.179 else "white"


def quantity() -> str:
    """Colour of what is not a region: shares, counts, p-values."""
    return QUANTITY if luminance(paper()) > 0.4 else QUANTITY_ON_DARK


def region_ink(region: str) -> Rgb:
    """A region's colour for text: far enough from the background to be read."""
    return mixed(COLOURS[region], ink(), 0.62)


def shades(most: ColorType) -> LinearSegmentedColormap:
    """A colour map from the background to a colour."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("bayescmp", [paper(), most])


def fill(region: str, share: float = 0.55) -> dict[str, Any]:
    """How an area of a region looks: a paler colour, and a hatch that remains in grey."""
    return {
        "facecolor": mixed(COLOURS[region], paper(), share),
        "edgecolor": COLOURS[region],
        "hatch": HATCHES.get(region),
        "linewidth": 0,
    }
