"""Labels that fit: widths of texts, broken lines, columns of legends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = [
    "label_below", "legend_above", "legend_columns", "letters", "room", "row_text", "text_width",
    "wrapped",
]  # fmt: skip

#: Width of a letter of names to the size of the font; inches that a figure keeps at its edges.
LETTER, EDGE = 0.6, 0.08
#: Letters are a little wider where they are fitted to the dots of a screen.
ROUNDING = 1.05
#: Inches of a legend's handle with its gaps, at 7 points.
HANDLE = 0.42


def text_width(text: str, size: float) -> float:
    """Width in inches of the longest line of a text, with no need to draw it first."""
    from matplotlib import rcParams

    family = tuple(rcParams["font.family"])
    return ROUNDING * max(_line_width(line, size, family) for line in text.split("\n"))


@lru_cache(maxsize=4096)
def _line_width(line: str, size: float, family: tuple[str, ...]) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    if not line.strip():
        return 0.0
    font = FontProperties(family=list(family), size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(line.replace("\\$", "$"), font, False)
    return float(width) / 72


def letters(inches: float, size: float, most: int = 28, least: int = 9) -> int:
    """How many letters of a name fit."""
    return int(min(max(72 * inches / (LETTER * size), least), most))


def row_text(inches: float, most: float = 7.5, least: float = 3.0) -> float:
    """Font size at which lines so far below each other do not touch."""
    return float(min(max(72 * inches / 1.45, least), most))


def room(ax: Axes) -> float:
    """Inches across that the figure has for some axes with their labels."""
    figure = ax.figure.figure
    spec = ax.get_subplotspec()
    if spec is None:
        share = ax.get_position().width
    else:
        share = len(spec.colspan) / spec.get_gridspec().ncols
    return float(share * figure.get_figwidth()) - 2 * EDGE


def _inside(ax: Axes) -> float:
    """Inches across that are left for the axes beside the labels of their rows."""
    labels = (label.get_text() for label in ax.get_yticklabels())
    size = max((float(label.get_fontsize()) for label in ax.get_yticklabels()), default=7.0)
    beside = max((text_width(text, size) for text in labels), default=0.0)
    return room(ax) - beside - (0.2 if ax.get_ylabel() else 0.1)


def wrapped(text: str, inches: float, size: float) -> str:
    """A text broken at spaces so that its lines fit, with the breaks that it has."""
    lines = []
    for line in text.split("\n"):
        now = ""
        for word in line.split(" "):
            longer = f"{now} {word}" if now else word
            if now and text_width(longer, size) > inches:
                lines.append(now)
                longer = word
            now = longer
        lines.append(now)
    return "\n".join(lines)


def label_below(ax: Axes, text: str, size: float) -> None:
    """A label below the axes: in their middle if it fits there, else flush with their right."""
    fitted = wrapped(text, room(ax), size)
    middle = text_width(fitted, size) <= _inside(ax)
    ax.set_xlabel(fitted, fontsize=size, loc="center" if middle else "right")


def legend_columns(labels: Iterable[str], inches: float, size: float) -> int:
    """The most columns of a legend that fit."""
    widths = [text_width(label, size) + HANDLE * size / 7 for label in labels]
    fits = [n for n in range(1, len(widths) + 1) if _legend_width(widths, n) <= inches]
    return max(fits, default=1)


def _legend_width(widths: Sequence[float], columns: int) -> float:
    return float(sum(max(part) for part in np.array_split(widths, columns)))


def legend_above(
    ax: Axes, handles: Sequence[Artist], labels: Sequence[str], size: float = 7.0
) -> None:
    """A legend above the axes: over their middle if it fits there, else flush with their right."""
    inside = _inside(ax)
    columns = legend_columns(labels, max(inside, room(ax)), size)
    widths = [text_width(label, size) + HANDLE * size / 7 for label in labels]
    middle = _legend_width(widths, columns) <= inside
    ax.legend(
        handles,
        labels,
        fontsize=size,
        frameon=False,
        loc="lower center" if middle else "lower right",
        ncols=columns,
        bbox_to_anchor=(0.5 if middle else 1.0, 1.0),
        borderaxespad=0.2,
        borderpad=0.1,
        handlelength=1.6,
        columnspacing=1.0,
        handletextpad=0.5,
    )
