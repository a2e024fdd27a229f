"""Draws the ladder: names, rail, arrows, brackets, and by how much the first leads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from bayescmp.base.declare import flag
from bayescmp.plots.captions import note
from bayescmp.plots.drawing import (
    COLUMN,
    EDGE,
    axes_for,
    hover,
    ink,
    letters,
    look_of,
    made_of,
    measure_widest,
    paper,
    pitch,
    room,
    row_text,
    shorten,
    shorten_all,
    size_figure,
    text_width,
    ticks_of,
    wrap_text,
)
from bayescmp.plots.ladder.scene import (
    LINE,
    NAME_SIZE,
    SMALL,
    KeyRows,
    Lead,
    Scene,
    arrange_entries,
    arrow_lanes,
    brackets_of,
    caption_of,
    draw_arrow,
    draw_dashes,
    draw_double,
    draw_key,
    entries_of,
    panel_words,
    scene_of,
    short_leader,
    sign_of,
)
from bayescmp.results.ladder import Ladder, Rung
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import as_percent, format_probability, join_items

#: Inches between rows, at most; from so many rows on they move together.
RUNG, MANY = 0.24, 20
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

    Lengths across, and `rung`, the height of a row, are in inches; `top` and `bottom` count rows.
    `rail`, `lanes`, `brackets` and `panel` are where each begins, `right` where the panel ends;
    `lane` and `bracket` lie between two arrows and two brackets. `joint` says whether there is
    room for the brackets' probabilities. `title` has lines, and `key` rows of (inches from the
    left, entry).
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
    key: KeyRows

    @property
    def line(self) -> float:
        """The rows that a line of text takes."""
        return LINE / self.rung


def size_of(scene: Scene) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that holds a scene."""
    names = measure_widest(shorten_all(scene.ladder.names), name_size(scene.ladder))
    panel = PANEL + GAP if scene.leads else 0.0
    edges = 2 * EDGE + MARGIN
    wanted = names + GAP + _numbers(scene) + sum(_width_beside(scene.ladder, 1.0)) + panel + edges
    width, _ = size_figure(min(max(wanted, COLUMN), WIDEST), 0.0)
    place = place_marks(scene, width - edges)
    return width, place.rung * (place.bottom - place.top)


def name_size(ladder: Ladder) -> float:
    """Return the font size of the names: smaller where rows are close."""
    return row_text(_rung(ladder), NAME_SIZE)


def _rung(ladder: Ladder) -> float:
    return pitch(len(ladder.names), RUNG, MANY * RUNG)


def _numbers(scene: Scene) -> float:
    return NUMBER if scene.numbers else 0.0


def _width_beside(ladder: Ladder, share: float, joint: bool = True) -> tuple[float, float]:
    """Return the inches that arrows, and brackets, take at the right of the rail."""
    lanes = 2 + max((lane for lane, *_ in arrow_lanes(ladder)), default=-1)
    joint = joint and bool(ladder.joint)
    brackets = 1 + max((lane for lane, *_ in brackets_of(ladder, joint)), default=-1)
    wide = BRACKETS[0] if joint else BRACKETS[1] * share
    return LANE * share * lanes, wide * brackets


def place_marks(scene: Scene, width: float) -> Place:
    """Place a scene: names give way to marks down to two fifths of the width, then vice versa."""
    ladder, size = scene.ladder, name_size(scene.ladder)
    panel = LEAST_PANEL + GAP if scene.leads else 0.0
    free = width - GAP - _numbers(scene) - panel
    joint = bool(ladder.joint) and sum(_width_beside(ladder, 1.0)) <= 0.4 * width
    marks = sum(_width_beside(ladder, 1.0, joint))
    names = shorten_all(ladder.names)
    if measure_widest(names, size) > free - min(marks, 0.4 * width):
        names = shorten_all(ladder.names, letters(free - min(marks, 0.4 * width), size))
    wide = measure_widest(names, size)
    share = min(1.0, max(free - wide, 0.3) / marks) if marks else 1.0
    arrows, brackets = _width_beside(ladder, share, joint)
    rail = wide + GAP
    lanes = rail + LANE * share + _numbers(scene)
    right = lanes - LANE * share + arrows
    rung = _rung(ladder)
    title = wrap_text(_title(scene), width, NAME_SIZE).split("\n") if _title(scene) else []
    key = arrange_entries(entries_of(scene, joint), width)
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
    rope = facts.rope if facts.rope != "no rope" else ""
    return ", ".join(part for part in (facts.measured, facts.sample, rope, against) if part)


@made_of(
    "the result of bc.compare_all, or a posterior of more than two algorithms",
    probabilities=flag,
)
def plot_ladder(result: Any, *, probabilities: bool = False, ax: Axes | None = None) -> Axes:
    """Draw several algorithms in order, what is decided of every pair, and by how much.

    The Bayesian answer to the critical-difference diagram. On the rail, an arrow leads from an
    algorithm to the next where it is decided practically better, a double line joins two that are
    decided equivalent, and dashes two on which nothing is decided. An arrow with a bar at its tail
    stands for many pairs: every algorithm at or above the bar is better than every one at or below
    the head. One with a dot stands for its own algorithm alone, and has a head for each that this
    is better than; where there are more of these than algorithms, they are counted and not drawn.
    Brackets join sets in which every two are equivalent. They show pairs, not classes of equals:
    of algorithms 0.007 apart, with a rope of 0.01, neighbours are equivalent, and every second one
    is better.

    At the right is by how much the first algorithm, or the control, leads each of the others, on
    average over data sets: the verdict's estimate (or the middle of the interval, where it has
    none) with the central 95 % interval, on the band of the rope. Tests without such an interval
    have only the mean of the data sets.

    Parameters
    ----------
    result : Comparisons, GroupsPosterior or Ladder
        What `bayescmp.compare_all` or `bayescmp.bayesian.groups` returned. A `Ladder` has no
        magnitudes, nor do algorithms compared by several metrics.
    probabilities : bool
        Whether to write, between neighbours, how probable the most probable outcome is.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        With y from 0 (best) to L - 1, and below it a key to the marks that are drawn.

    See Also
    --------
    plot_critical_difference : The frequentist picture.
    plot_verdicts : Every pair's probability, as a matrix.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> means = pd.DataFrame(
    ...     rng.normal([0.80, 0.81, 0.87], 0.02, (15, 3)), columns=["knn", "gbm", "svm"]
    ... )
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> ax = bc.plots.plot_ladder(bc.compare_all(scores, rope=0.01, seed=1))
    >>> [text.get_text() for text in ax.texts[:4]]
    ['accuracy ↑, 15 data sets, rope ±0.01', 'svm', 'gbm', 'knn']
    """
    scene = scene_of(result, probabilities)
    ax = axes_for(ax, size_of(scene))
    place = place_marks(scene, room(ax) - MARGIN)
    _draw_names(ax, scene, place)
    for y, rung in enumerate(scene.ladder.rungs):
        _draw_rung(ax, scene, place, y, rung)
    _draw_lanes(ax, scene, place)
    _draw_brackets(ax, scene, place)
    if scene.leads:
        _draw_leads(ax, scene, place)
    draw_key(ax, place.key, place.bottom, place.rung)
    ax.set(xlim=(0, place.width), ylim=(place.bottom, place.top))
    ax.axis("off")
    return note(ax, f"Order of the {scene.facts.subject}s", scene.facts, caption_of(scene))


def ladder_size(result: Any) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    return size_of(scene_of(result, False))


def _draw_names(ax: Axes, scene: Scene, place: Place) -> None:
    for number, line in enumerate(reversed(place.title)):
        up = -0.6 - 1.15 * place.line * (number + 0.5)
        ax.text(0.02, up, line, va="center", fontsize=NAME_SIZE)
    size = name_size(scene.ladder)
    for y, name in enumerate(place.names):
        ax.text(place.rail - GAP, y, name, ha="right", va="center", fontsize=size)
        ax.plot(
            [place.rail, place.width], [y, y], color=ink(0.5), alpha=0.25, linewidth=0.4, zorder=0
        )
    at = range(len(place.names))
    (dots,) = ax.plot([place.rail] * len(at), at, "o", color=ink(), markersize=3.5, zorder=4)
    hover(dots, (_describe_place(scene.ladder, y) for y in at))


def _describe_place(ladder: Ladder, place: int) -> str:
    """Say for a dot the algorithm's place, what it beats, and the next one down."""
    size = len(ladder.names)
    beaten = {j for i, j in ladder.single if i == place}
    beaten |= {k for i, j in ladder.steps if place <= i for k in range(j, size)}
    better = (
        f", better than {join_items([ladder.names[j] for j in sorted(beaten)])}" if beaten else ""
    )
    rung = ladder.rungs[place] if place < size - 1 else None
    below = f"; {rung.label} {format_probability(rung.probability)}" if rung and rung.label else ""
    return f"{ladder.names[place]}, place {place + 1} of {size}{better}{below}"


def _draw_rung(ax: Axes, scene: Scene, place: Place, y: int, rung: Rung) -> None:
    x = place.rail
    if rung.relation == "better":
        draw_arrow(ax, (x, y), (x, y + 1), barred=(y, y + 1) in scene.ladder.steps)
    elif rung.relation == "worse":
        draw_arrow(ax, (x, y + 1), (x, y))
    elif rung.relation == "equivalent":
        draw_double(ax, (x, x), (y, y + 1), (0.022, 0.0))
    elif rung.relation == "undecided":
        draw_dashes(ax, (x, x), (y, y + 1))
    elif rung.relation == "not worse":
        ax.plot([x, x], [y, y + 1], color=ink(), linewidth=0.9, zorder=2)
        sign = sign_of(scene.ladder, y)
        ax.text(
            x, y + 0.5, sign, ha="center", va="center", fontsize=SMALL, backgroundcolor=paper()
        )
    if scene.numbers and rung.relation != "failed":
        text = format_probability(rung.probability)
        ax.text(x + 0.06, y + 0.5, text, va="center", fontsize=min(SMALL, row_text(place.rung)))


def _draw_lanes(ax: Axes, scene: Scene, place: Place) -> None:
    for lane, tail, heads, many in arrow_lanes(scene.ladder):
        x = place.lanes + place.lane * lane
        for head in heads:
            draw_arrow(ax, (x, tail), (x, head), barred=many)
        if not many:
            ax.plot([x], [tail], "o", color=ink(), markersize=2.6, zorder=4)


def _draw_brackets(ax: Axes, scene: Scene, place: Place) -> None:
    """Draw sets of equivalents, with their joint probabilities where there are any."""
    colour = COLOURS["rope"]
    for lane, members, probability in brackets_of(scene.ladder, place.joint):
        x = place.brackets + place.bracket * lane
        ax.plot([x, x], [members[0], members[-1]], color=colour, linewidth=1.2)
        for y in members:  # a tick each, as some in between may not belong
            ax.plot([x - 0.05, x], [y, y], color=colour, linewidth=1.2)
        if place.joint:
            middle = (members[0] + members[-1]) / 2
            ax.text(x + 0.04, middle, format_probability(probability), va="center", fontsize=SMALL)


# By how much the first leads each of the others.


def _draw_leads(ax: Axes, scene: Scene, place: Place) -> None:
    """Draw leads with their intervals, on the band of the rope, over an axis of their own."""
    assert scene.rope is not None
    low, high = _ends(scene)
    inches = place.right - place.panel

    def across(value: float) -> float:
        return place.panel + (float(value) - low) / (high - low) * inches

    rows = len(place.names)
    ends = [across(np.clip(end, low, high)) for end in (-scene.rope.high, -scene.rope.low)]
    if not scene.rope.empty:
        ax.fill_between(ends, -0.5, rows - 0.5, color=ink(0.1), linewidth=0, zorder=0)
    ax.plot([across(0)] * 2, [-0.5, rows - 0.5], color=ink(0.5), linewidth=0.6, zorder=1)
    for lead in scene.leads:
        if np.isfinite(lead.middle):
            _draw_lead(ax, scene, lead, across)
    _draw_axis(ax, scene, place, low, high, across)


def _ends(scene: Scene) -> tuple[float, float]:
    """Return what the panel holds: all intervals, zero, and the rope unless it dwarfs them."""
    assert scene.rope is not None
    values = np.array([[lead.middle, lead.low, lead.high] for lead in scene.leads]).ravel()
    low, high = min(np.nanmin(values), 0.0), max(np.nanmax(values), 0.0)
    reach = 1.5 * (high - low) or 1.0
    low, high = min(low, max(-scene.rope.high, -reach)), max(high, min(-scene.rope.low, reach))
    free = 0.04 * (high - low) or 1.0
    return float(low - free), float(high + free)


def _draw_lead(ax: Axes, scene: Scene, lead: Lead, across: Callable[[float], float]) -> None:
    look = look_of(lead.region)
    name = scene.ladder.names[lead.place]
    words = f"{name}: {scene.leader} leads by {_number(scene, lead.middle)}"
    if np.isfinite(lead.low):
        bar = {key: look[key] for key in ("color", "linewidth")}
        ends = [across(lead.low), across(lead.high)]
        ax.plot(ends, [lead.place] * 2, solid_capstyle="butt", zorder=2, **bar)
        words += f" (95 %: {_number(scene, lead.low)} to {_number(scene, lead.high)})"
    look |= {"linestyle": "none", "markersize": 4.0, "markeredgewidth": 0.9}
    (mark,) = ax.plot([across(lead.middle)], [lead.place], zorder=3, **look)
    hover(mark, [words])


def _number(scene: Scene, lead: float) -> str:
    return as_percent(lead) if scene.of_ratios else f"{lead:.2g}".replace("-", "−")


def _draw_axis(
    ax: Axes,
    scene: Scene,
    place: Place,
    low: float,
    high: float,
    across: Callable[[float], float],
) -> None:
    """Draw a line with ticks below the rows, and say what it measures."""
    y, inch = len(place.names) - 0.35, 1 / place.rung
    ax.plot([place.panel, place.right], [y, y], color=ink(), linewidth=0.7)
    ratios = scene.of_ratios
    first, last = 100 * np.expm1([low, high]) if ratios else (low, high)
    for tick in ticks_of(first, last, int((place.right - place.panel) / 0.42)):
        x = across(np.log1p(tick / 100) if ratios else tick)
        ax.plot([x, x], [y, y + 0.035 * inch], color=ink(), linewidth=0.7)
        text = f"{tick:g}{' %' if ratios else ''}".replace("-", "−")
        ax.text(x, y + 0.05 * inch, text, ha="center", va="top", fontsize=SMALL)
    words = panel_words(scene, short_leader(scene))
    middle, half = (place.panel + place.right) / 2, text_width(words, SMALL + 0.5) / 2
    x = min(max(middle, half), place.width - half)
    ax.text(x, y + 0.175 * inch, words, ha="center", va="top", fontsize=SMALL + 0.5)
