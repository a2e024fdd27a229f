"""Axes to draw on, and what is written on them."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure


def axes() -> Axes:
    return Figure(figsize=(3.4, 3.4), layout="constrained").add_subplot()


def texts(ax: Axes) -> list[str]:
    return [t.get_text() for t in ax.texts]
