"""Where things of the ladder go: inches across, rows down, of which 0 is the best algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayescmp.plots.drawing import (
    COLUMN,
    EDGE,
    letters,
    pitch,
    row_text,
    shorten,
    shorten_all,
    sized,
    text_width,
    wrapped,
)
from bayescmp.plots.ladder.key import arranged, entries_of
from bayescmp.plots.ladder.marks import LINE, NAME_SIZE
from bayescmp.plots.ladder.scene import arrow_lanes, brackets_of

if TYPE_CHECKING:
    from bayescmp.plots.ladder.key import Rows
    from bayescmp.plots.ladder.scene import Scene
    from bayescmp.results.ladder import Ladder

#: Inches between rows, at most and at least; from so many rows on they move together.
RUNG, LEAST_RUNG, MANY = 0.24, 0.12, 20
#: Inches: between lanes, from a name to the rail, of a bracket with and without a number, what a
#: layout keeps free.
LANE, GAP, BRACKETS, MARGIN = 0.13, 0.14, (0.48, 0.16), 0.06
#: Room for a probability beside the rail; of the panel at the right, at best and at least.
NUMBER, PANEL, LEAST_PANEL = 0.42, 1.5, 0.9
#: Inches of the axis below the panel, and of the widest figure.
AXIS, WIDEST = 0.36, 7.0


@dataclass(frozen=True)
class Place:
    """Where things go.

    Attributes
    ----------
    names : list of str
        As they fit.
    width, rung : float
        Inches across, and of a row.
    rail, lanes, brackets, panel, right : float
        Where each begins; where the panel ends.
    lane, bracket : float
        Inches between two arrows, and between two brackets.
    joint : bool
        Whether there is room for the brackets' probabilities.
    top, bottom : float
        Ends of the picture, in rows.
    title, key : list
        Lines of the title; rows of the key, each of (inches from the left, entry).
    """

    names: list[str]
    width: float
    rung: float
    rail: float
    lanes: float
    brackets: float
    panel: float
    right: float
    lane: float
    bracket: float
    joint: bool
    top: float
    bottom: float
    title: list[str]
    key: Rows

    @property
    def line(self) -> float:
        """Rows that a line of text takes."""
        return LINE / self.rung


def size_of(scene: Scene) -> tuple[float, float]:
    """Width and height, inches, of a figure that holds a scene."""
    names = _widest(shorten_all(scene.ladder.names), name_size(scene.ladder))
    panel = PANEL + GAP if scene.leads else 0.0
    edges = 2 * EDGE + MARGIN
    wanted = names + GAP + _numbers(scene) + sum(_beside(scene.ladder, 1.0)) + panel + edges
    width, _ = sized(min(max(wanted, COLUMN), WIDEST), 0.0)
    place = placed(scene, width - edges)
    return width, place.rung * (place.bottom - place.top)


def name_size(ladder: Ladder) -> float:
    """Font size of the names: smaller where rows are close."""
    return row_text(_rung(ladder), NAME_SIZE)


def _rung(ladder: Ladder) -> float:
    return max(pitch(len(ladder.names), RUNG, MANY * RUNG), LEAST_RUNG)


def _widest(texts: list[str], size: float) -> float:
    return max(text_width(text, size) for text in texts)


def _numbers(scene: Scene) -> float:
    return NUMBER if scene.numbers else 0.0


def _beside(ladder: Ladder, share: float, joint: bool = True) -> tuple[float, float]:
    """Inches that arrows, and brackets, take at the right of the rail."""
    lanes = 2 + max((lane for lane, *_ in arrow_lanes(ladder)), default=-1)
    joint = joint and bool(ladder.joint)
    brackets = 1 + max((lane for lane, *_ in brackets_of(ladder, joint)), default=-1)
    wide = BRACKETS[0] if joint else BRACKETS[1] * share
    return LANE * share * lanes, wide * brackets


def placed(scene: Scene, width: float) -> Place:
    """Names give way to the marks down to two fifths of the width, and these to the names."""
    ladder, size = scene.ladder, name_size(scene.ladder)
    panel = LEAST_PANEL + GAP if scene.leads else 0.0
    free = width - GAP - _numbers(scene) - panel
    joint = bool(ladder.joint) and sum(_beside(ladder, 1.0)) <= 0.4 * width
    marks = sum(_beside(ladder, 1.0, joint))
    names = shorten_all(ladder.names)
    if _widest(names, size) > free - min(marks, 0.4 * width):
        names = shorten_all(ladder.names, letters(free - min(marks, 0.4 * width), size))
    widest = _widest(names, size)
    share = min(1.0, max(free - widest, 0.3) / marks) if marks else 1.0
    arrows, brackets = _beside(ladder, share, joint)
    rail = widest + GAP
    lanes = rail + LANE * share + _numbers(scene)
    right = lanes - LANE * share + arrows
    rung = _rung(ladder)
    title = wrapped(_title(scene), width, NAME_SIZE).split("\n") if _title(scene) else []
    key = arranged(entries_of(scene, joint), width)
    axis = AXIS / rung if scene.leads else 0.0
    rows = len(ladder.names)
    return Place(
        names=names,
        width=width,
        rung=rung,
        rail=rail,
        lanes=lanes,
        brackets=right,
        panel=right + brackets + GAP / 2,
        right=width - 0.06,
        lane=LANE * share,
        bracket=BRACKETS[0] if joint else BRACKETS[1] * share,
        joint=joint,
        top=-0.6 - 1.15 * LINE / rung * len(title),
        bottom=rows - 0.3 + axis + LINE / rung * (len(key) + 0.3),
        title=title,
        key=key,
    )


def _title(scene: Scene) -> str:
    facts = scene.facts
    against = f"against {shorten(scene.leader)}" if scene.leader != scene.ladder.names[0] else ""
    rope = f"rope {facts.rope}" if facts.rope and not facts.rope.startswith("no ") else ""
    return ", ".join(part for part in (facts.measured, facts.sample, rope, against) if part)
