"""Axes to draw on, and what a renderer drew: every text with the rectangle that it fills."""

from __future__ import annotations

from dataclasses import dataclass
from unittest import mock

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

__all__ = ["Box", "axes", "boxes", "outside", "overlapping", "texts"]

#: Pixels that boxes may share: those of letters' own margins.
SLACK = 1.0


def axes() -> Axes:
    return Figure(figsize=(3.4, 3.4), layout="constrained").add_subplot()


def texts(ax: Axes) -> list[str]:
    """What is written into axes."""
    return [t.get_text() for t in ax.texts]


@dataclass(frozen=True)
class Box:
    """A text's rectangle by its four corners in pixels, shape (4, 2)."""

    text: str
    corners: np.ndarray

    def __str__(self) -> str:
        return f"{self.text!r}"


def boxes(figure: Figure) -> list[Box]:
    """All texts that drawing the figure draws."""
    drawn: list[Text] = []
    draw = Text.draw

    def noted(self, renderer):
        if self.get_visible() and self.get_text().strip():
            drawn.append(self)
        draw(self, renderer)

    canvas = FigureCanvasAgg(figure)
    with mock.patch.object(Text, "draw", noted):
        canvas.draw()
    renderer = canvas.get_renderer()
    return [Box(t.get_text(), _corners(t, renderer)) for t in dict.fromkeys(drawn)]


def _corners(text: Text, renderer) -> np.ndarray:
    extent = flat = Text.get_window_extent(text, renderer)
    angle = text.get_rotation()
    centre = np.array([extent.x0 + extent.x1, extent.y0 + extent.y1]) / 2
    if angle:
        text.set_rotation(0)
        flat = Text.get_window_extent(text, renderer)
        text.set_rotation(angle)
    half = np.array([flat.width, flat.height]) / 2
    turn = np.deg2rad(angle)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return centre + (signs * half) @ matrix.T


def outside(drawn: list[Box], figure: Figure) -> list[str]:
    """Texts that leave the figure."""
    frame = figure.bbox
    low, high = np.array([frame.x0, frame.y0]) - SLACK, np.array([frame.x1, frame.y1]) + SLACK
    return [str(b) for b in drawn if (b.corners < low).any() or (b.corners > high).any()]


def overlapping(drawn: list[Box]) -> list[str]:
    """Pairs of texts whose rectangles share more than the slack."""
    corners = np.array([b.corners for b in drawn]).reshape(-1, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    near = (low[:, None] < high).all(axis=2)  # frames with sides along the axes
    return [
        f"{drawn[i]} on {drawn[j]}"
        for i, j in np.argwhere(np.triu(near & near.T, 1))
        if _depth(drawn[i], drawn[j]) > SLACK
    ]


def _depth(one: Box, other: Box) -> float:
    """How far two rectangles reach into each other: the least over their sides' directions."""
    depths = []
    for box in (one, other):
        for k in (0, 1):
            side = box.corners[k + 1] - box.corners[k]
            axis = np.array([-side[1], side[0]]) / max(np.hypot(*side), 1e-9)
            a, b = one.corners @ axis, other.corners @ axis
            depths.append(min(a.max(), b.max()) - max(a.min(), b.min()))
    return min(depths)
