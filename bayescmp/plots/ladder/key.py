"""The key below the ladder: the marks that are drawn, and no others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.plots.drawing import ink, look_of, shorten, text_width, wrapped
from bayescmp.plots.ladder.marks import LINE, SMALL, draw_arrow, draw_dashes, draw_double
from bayescmp.plots.ladder.scene import brackets_of, counts_of, single_arrows
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.plots.ladder.scene import Scene

#: Inches of a mark, and between two entries; letters of the leader's name.
MARK, APART, SHORT = 0.24, 0.14, 14

#: Draws a mark at some inches from the left and some rows down, given the inches of a row.
Drawing = Callable[["Axes", float, float, float], None]


@dataclass(frozen=True)
class Entry:
    """A mark of the key with what it says; without a mark, words alone."""

    words: str
    draw: Drawing | None = None

    @property
    def width(self) -> float:
        """Inches of the mark and the words."""
        return text_width(self.words, SMALL) + (MARK if self.draw else 0.0)


#: Rows of entries, each with its inches from the left.
Rows = list[list[tuple[float, Entry]]]


def entries_of(scene: Scene, joint: bool) -> list[Entry]:
    """Return the marks that are drawn."""
    ladder, better = scene.ladder, scene.better
    relations = {rung.relation for rung in ladder.rungs}
    arrows = {(y, y + 1) for y, r in enumerate(ladder.rungs) if r.relation == "better"}
    plain = bool(arrows - set(ladder.steps)) or "worse" in relations
    numbered = "; number: all at once" if joint else ""
    several = counted(len(ladder.joint), "joint probability", "joint probabilities")
    drawn = {
        Entry(f"{better} than the next", _key_arrow): plain,
        Entry("all at or above its bar beat all from its head down", _key_step): ladder.steps,
        Entry("beats those at its heads", _key_single): single_arrows(ladder),
        Entry("practically equivalent", _key_double): "equivalent" in relations,
        Entry(f"practically equivalent, pair by pair{numbered}", _key_bracket): brackets_of(
            ladder, joint
        ),
        Entry("undecided", _key_dashes): "undecided" in relations,
        Entry("no line: not compared"): "failed" in relations,
        Entry(f"{several} not shown"): ladder.joint and not joint,
    }
    return [entry for entry, there in drawn.items() if there] + _key_of_leads(scene)


def _key_of_leads(scene: Scene) -> list[Entry]:
    leader = shorten(scene.leader, SHORT)
    texts = {
        "left": f"{leader} {scene.better}",
        "rope": f"equivalent to {leader}",
        "right": f"{scene.better} than {leader}",
        "": f"undecided against {leader}",
    }
    seen = {lead.region for lead in scene.leads if np.isfinite(lead.middle)}
    entries = [
        Entry(words, partial(_key_mark, region, scene.known))
        for region, words in texts.items()
        if region in seen
    ]
    if scene.leads and scene.rope is not None and not scene.rope.empty:
        entries.append(Entry("rope", _key_band))
    return [*entries, Entry(counts_of(scene))]


def arranged(entries: list[Entry], width: float) -> Rows:
    """Rows of entries, as many in each as fit; words that are too long are broken."""
    rows: Rows = [[]]
    x = 0.02
    for entry in entries:
        if rows[-1] and x + entry.width > width:
            rows.append([])
            x = 0.02
        first, *more = wrapped(entry.words, width - MARK, SMALL).split("\n")
        entry = Entry(first, entry.draw)
        rows[-1].append((x, entry))
        rows += [[(MARK, Entry(line))] for line in more]
        x = width if more else x + entry.width + APART
    return rows


def draw_key(ax: Axes, key: Rows, bottom: float, rung: float) -> None:
    """Draw the rows of a key above the bottom of the picture, in rows of so many inches."""
    line = LINE / rung
    top = bottom - line * (len(key) + 0.1)
    for number, row in enumerate(key):
        y = top + line * (number + 0.5)
        for x, entry in row:
            beside = MARK if entry.draw else 0.0
            ax.text(x + beside, y, entry.words, fontsize=SMALL, va="center", color=ink(0.65))
            if entry.draw:
                entry.draw(ax, x, y, rung)


def _key_arrow(ax: Axes, x: float, y: float, rung: float) -> None:
    draw_arrow(ax, (x - 0.02, y), (x + 0.2, y))


def _key_step(ax: Axes, x: float, y: float, rung: float) -> None:
    draw_arrow(ax, (x + 0.01, y), (x + 0.2, y), barred=True)


def _key_single(ax: Axes, x: float, y: float, rung: float) -> None:
    draw_arrow(ax, (x + 0.02, y), (x + 0.2, y))
    ax.plot([x + 0.02], [y], "o", color=ink(), markersize=2.6)


def _key_double(ax: Axes, x: float, y: float, rung: float) -> None:
    draw_double(ax, (x, x + 0.17), (y, y), (0.0, 0.022 / rung))


def _key_bracket(ax: Axes, x: float, y: float, rung: float) -> None:
    half = 0.3 * LINE / rung
    for down in (-half, half):
        ax.plot([x + 0.06, x + 0.11], [y + down] * 2, color=COLOURS["rope"], linewidth=1.2)
    ax.plot([x + 0.11] * 2, [y - half, y + half], color=COLOURS["rope"], linewidth=1.2)


def _key_dashes(ax: Axes, x: float, y: float, rung: float) -> None:
    draw_dashes(ax, (x, x + 0.18), (y, y))


def _key_mark(region: str, lined: bool, ax: Axes, x: float, y: float, rung: float) -> None:
    look: dict[str, Any] = look_of(region)
    if lined:
        ax.plot([x, x + 0.18], [y, y], color=look["color"], linewidth=look["linewidth"])
    ax.plot([x + 0.09], [y], **{**look, "linestyle": "none", "markersize": 4.0})


def _key_band(ax: Axes, x: float, y: float, rung: float) -> None:
    half = 0.32 * LINE / rung
    ax.fill_between([x + 0.02, x + 0.17], y - half, y + half, color=ink(0.1), linewidth=0)
