"""The ladder: algorithms in order, what is decided of every pair, and by how much the first leads.

Across, places are inches; down, they are rows: 0 is the best algorithm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.base.declare import flag
from bayescmp.plots.captions import Facts, facts_of_pairs, facts_of_posterior, note
from bayescmp.plots.critical_difference import lanes_of, ticks_of
from bayescmp.plots.drawing import (
    COLUMN,
    EDGE,
    axes_for,
    hover,
    ink,
    letters,
    look_of,
    made_of,
    pitch,
    room,
    row_text,
    shorten,
    shorten_all,
    sized,
    text_width,
    wrapped,
)
from bayescmp.results.ladder import Ladder
from bayescmp.results.posterior import Fitted
from bayescmp.scores.rope import Rope
from bayescmp.study.comparisons import Comparisons
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import counted, listed, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.results.ladder import Rung
    from bayescmp.results.verdict import Verdict


#: Inches between rows, at most and at least; from so many rows on they move together.
RUNG, LEAST_RUNG, MANY = 0.24, 0.12, 20
#: Inches: between lanes, from a name to the rail, of a line of text, of a bracket with and
#: without a number, what a layout keeps free.
LANE, GAP, LINE, BRACKETS, MARGIN = 0.13, 0.14, 0.135, (0.48, 0.16), 0.06
#: Room for a probability beside the rail; of the panel at the right, at best and at least.
NUMBER, PANEL, LEAST_PANEL = 0.42, 1.5, 0.9
#: Inches of the axis below the panel, of a mark in the key, between two of its entries, and the
#: width of the widest figure.
AXIS, MARK, APART, WIDEST = 0.36, 0.24, 0.14, 7.0
NAME_SIZE, SMALL = 8.0, 6.5
#: Letters of the leader's name below the panel, and in the key.
SHORT = 14
SHORT_DASHES = (0, (3, 2.2))


@made_of(
    "the result of bc.compare_all, or a posterior of more than two algorithms",
    probabilities=flag,
)
def plot_ladder(result: Any, *, probabilities: bool = False, ax: Axes | None = None) -> Axes:
    """Draw several algorithms in order, what is decided of every pair, and by how much.

    The Bayesian answer to the critical-difference diagram. On the rail, an arrow leads from an
    algorithm to the next where it is decided practically better, a double line joins two that are
    decided equivalent, and dashes two of which nothing is decided. An arrow with a bar at its tail
    stands for many pairs: every algorithm at or above the bar is better than every one at or below
    the head. One with a dot stands for its own algorithm alone, and has a head for each that this
    is better than; where there are more of these than algorithms, they are counted and not drawn.
    Brackets join sets in which every two are equivalent. They show pairs, not classes of equals:
    of algorithms 0.007 apart, with a rope of 0.01, neighbours are equivalent, and every second one
    is better.

    At the right is by how much the first algorithm, or the control, leads each of the others, on
    average over data sets: the middle of the central 95 % interval, and the interval, on the band
    of the rope. Tests without such an interval have the mean of the data sets alone.

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
        With y from 0 (best) to L - 1, and below a key of the marks that are drawn.

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
    scene = _scene_of(result, probabilities)
    ax = axes_for(ax, _size_of(scene))
    place = _placed(scene, room(ax) - MARGIN)
    _draw_names(ax, scene, place)
    for y, rung in enumerate(scene.ladder.rungs):
        _draw_rung(ax, scene, place, y, rung)
    _draw_lanes(ax, scene, place)
    _draw_brackets(ax, scene, place)
    if scene.leads:
        _draw_leads(ax, scene, place)
    _draw_key(ax, scene, place)
    ax.set_xlim(0, place.width)
    ax.set_ylim(place.bottom, place.top)
    ax.axis("off")
    return note(ax, "Order of the algorithms", replace(scene.facts, marks=_caption(scene)))


def ladder_size(result: Any) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    return _size_of(_scene_of(result, False))


# What is drawn: the ladder, how far each algorithm is behind, and what marks there are.


@dataclass(frozen=True)
class Lead:
    """By how much the first algorithm leads another; what is not known is NaN.

    Attributes
    ----------
    place : int
        Of the other.
    middle, low, high : float
        The lead and its central 95 % interval.
    region : str
        What is decided, as `THREE` names it with the leader first; "" if nothing is.
    """

    place: int
    middle: float
    low: float
    high: float
    region: str


@dataclass(frozen=True)
class Scene:
    """What is drawn.

    Attributes
    ----------
    ladder : Ladder
    facts : Facts
        For the title and the caption.
    leader : str
        The first in order, or the control.
    leads : tuple of Lead
        Empty where no magnitudes are known.
    quantity : str
        What the leads are.
    rope : Rope or None
        The band.
    numbers : bool
        Whether probabilities stand between neighbours.
    compared : int
        Pairs of which there is a verdict.
    """

    ladder: Ladder
    facts: Facts
    leader: str
    leads: tuple[Lead, ...]
    quantity: str
    rope: Rope | None
    numbers: bool
    compared: int

    @property
    def known(self) -> bool:
        """Whether the leads have intervals."""
        return any(np.isfinite(lead.low) for lead in self.leads)

    @property
    def of_ratios(self) -> bool:
        """Whether differences are of logarithms."""
        return "(log ratio)" in self.facts.measured

    @property
    def better(self) -> str:
        """What an arrow says."""
        return "better" if self.rope is not None and self.rope.empty else "practically better"


def _scene_of(result: Any, numbers: bool) -> Scene:
    ladder = result if isinstance(result, Ladder) else result.ladder()
    leader, facts, compared = ladder.names[0], Facts(names=ladder.names), ladder.pairs
    verdicts: dict[int, tuple[Verdict, float]] = {}
    if isinstance(result, Comparisons):
        leader, facts, compared = result.control or leader, facts_of_pairs(result), 0
        compared = len(result.results)
        verdicts = _of_comparisons(result, ladder, leader)
    elif isinstance(result, Fitted):
        others = [name for name in ladder.names if name != leader]
        verdicts = {ladder.names.index(n): (result.verdict(leader, n), np.nan) for n in others}
    some = next((v for v, _ in verdicts.values()), None)
    if isinstance(result, Fitted):
        facts = facts_of_posterior(result, some)
    rope = some.rope if some is not None and isinstance(some.rope, Rope) else None
    leads = () if rope is None else tuple(_lead(j, *pair) for j, pair in verdicts.items())
    return Scene(
        ladder,
        facts,
        leader,
        leads if any(np.isfinite(lead.middle) for lead in leads) else (),
        "" if some is None else some.quantity,
        rope,
        numbers,
        compared,
    )


def _of_comparisons(
    comparisons: Comparisons, ladder: Ladder, leader: str
) -> dict[int, tuple[Verdict, float]]:
    """Verdicts of the leader against each, with the mean difference over the data sets."""
    found = {}
    for place, name in enumerate(ladder.names):
        pair = (leader, name) if (leader, name) in comparisons.results else (name, leader)
        if pair in comparisons.results:
            means = comparisons.results[pair].means
            sign = 1 if pair[0] == leader else -1
            middle = sign * float(np.mean(means)) if len(means) else np.nan
            found[place] = comparisons.verdict(leader, name), middle
    return found


def _lead(place: int, verdict: Verdict, middle: float) -> Lead:
    """Of a verdict with the leader first, whose differences are the other minus the leader."""
    low, high = verdict.mean_interval[0] if verdict.mean_interval else (np.nan, np.nan)
    middle = (low + high) / 2 if verdict.mean_interval else middle
    region = verdict.ranked[0] if verdict.decided else ""
    return Lead(place, -middle, -high, -low, region)


def _lanes(ladder: Ladder) -> list[tuple[int, int, tuple[int, ...], bool]]:
    """Lane, tail, heads and whether it stands for many pairs, of each arrow beside the rail."""
    links = [(i, (j,), True) for i, j in ladder.steps if j != i + 1]  # those are on the rail
    links += [(i, heads, False) for i, heads in _singles(ladder)]
    spans = [(min(i, *heads), max(i, *heads)) for i, heads, _ in links]
    return [(lane, *link) for lane, link in zip(lanes_of(spans, 0.3), links, strict=True)]


def _singles(ladder: Ladder) -> list[tuple[int, tuple[int, ...]]]:
    """Pairs by themselves, those of one algorithm together; none where they are too many."""
    heads: dict[tuple[int, bool], list[int]] = {}
    for i, j in ladder.single:
        if j != i + 1:  # neighbours are on the rail
            heads.setdefault((i, j > i), []).append(j)
    drawn = [(i, tuple(sorted(places))) for (i, _), places in heads.items()]
    return drawn if len(drawn) <= len(ladder.names) else []


def _hidden(ladder: Ladder) -> int:
    """How many pairs that are decided have no arrow."""
    alone = sum(j != i + 1 for i, j in ladder.single)
    return alone if alone and not _singles(ladder) else 0


def _brackets(ladder: Ladder, joint: bool) -> list[tuple[int, tuple[int, ...], float]]:
    """Lane, members and joint probability of each set; two neighbours are joined on the rail."""
    numbers = ladder.joint or (np.nan,) * len(ladder.equivalent)
    sets = [
        (members, p)
        for members, p in zip(ladder.equivalent, numbers, strict=True)
        if joint or members != (members[0], members[0] + 1)
    ]
    lanes = lanes_of([(members[0], members[-1]) for members, _ in sets], 0.3)
    return [(lane, *found) for lane, found in zip(lanes, sets, strict=True)]


def _counts(scene: Scene) -> str:
    """How much is decided, and what is not drawn of it or not known."""
    hidden, gone = _hidden(scene.ladder), scene.ladder.pairs - scene.compared
    text = f"{scene.ladder.decided} of {counted(scene.compared, 'pair')} decided"
    text += f", {hidden} of them not drawn" if hidden else ""
    return f"{text}; {gone} not compared" if gone else text


def _caption(scene: Scene) -> str:
    """What the caption says of the marks."""
    if not scene.leads:
        return _counts(scene)
    band = "" if scene.rope is None or scene.rope.empty else ", on the band of the rope"
    return f"{_counts(scene)}; right: {_panel_words(scene, scene.leader)}{band}"


def _panel_words(scene: Scene, leader: str) -> str:
    """What the panel shows, with the leader's name as it fits."""
    if scene.of_ratios:
        metric = scene.facts.measured.partition(" (")[0]
        own = f"{leader}'s {metric} larger by", f"{metric} larger than {leader}'s by"
        lead = own["↓" in scene.facts.measured]
    elif scene.quantity == "mean difference":
        lead = f"mean lead of {leader}"
    else:
        lead = f"lead of {leader} ({scene.quantity})"
    return f"{lead}, 95 % intervals" if scene.known else lead


# Where things go, in inches across and rows down.


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
    key: list[list[tuple[float, Entry]]]

    @property
    def line(self) -> float:
        """Rows that a line of text takes."""
        return LINE / self.rung


def _size_of(scene: Scene) -> tuple[float, float]:
    names = _widest(shorten_all(scene.ladder.names), _name_size(scene.ladder))
    panel = PANEL + GAP if scene.leads else 0.0
    edges = 2 * EDGE + MARGIN
    wanted = names + GAP + _numbers(scene) + sum(_beside(scene.ladder, 1.0)) + panel + edges
    width, _ = sized(min(max(wanted, COLUMN), WIDEST), 0.0)
    place = _placed(scene, width - edges)
    return width, place.rung * (place.bottom - place.top)


def _name_size(ladder: Ladder) -> float:
    return row_text(_rung(ladder), NAME_SIZE)


def _rung(ladder: Ladder) -> float:
    return max(pitch(len(ladder.names), RUNG, MANY * RUNG), LEAST_RUNG)


def _widest(texts: list[str], size: float) -> float:
    return max(text_width(text, size) for text in texts)


def _numbers(scene: Scene) -> float:
    return NUMBER if scene.numbers else 0.0


def _beside(ladder: Ladder, share: float, joint: bool = True) -> tuple[float, float]:
    """Inches that arrows, and brackets, take at the right of the rail."""
    lanes = 2 + max((lane for lane, *_ in _lanes(ladder)), default=-1)
    joint = joint and bool(ladder.joint)
    brackets = 1 + max((lane for lane, *_ in _brackets(ladder, joint)), default=-1)
    wide = BRACKETS[0] if joint else BRACKETS[1] * share
    return LANE * share * lanes, wide * brackets


def _placed(scene: Scene, width: float) -> Place:
    """Names give way to the marks down to two fifths of the width, and these to the names."""
    ladder, size = scene.ladder, _name_size(scene.ladder)
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
    key = _arranged(_entries(scene, joint), width)
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


# Names, rail, arrows and brackets.


def _draw_names(ax: Axes, scene: Scene, place: Place) -> None:
    for number, line in enumerate(reversed(place.title)):
        up = -0.6 - 1.15 * place.line * (number + 0.5)
        ax.text(0.02, up, line, va="center", fontsize=NAME_SIZE)
    size = _name_size(scene.ladder)
    for y, name in enumerate(place.names):
        ax.text(place.rail - GAP, y, name, ha="right", va="center", fontsize=size)
        ax.plot(
            [place.rail, place.width], [y, y], color=ink(0.5), alpha=0.25, linewidth=0.4, zorder=0
        )
    at = range(len(place.names))
    (dots,) = ax.plot([place.rail] * len(at), at, "o", color=ink(), markersize=3.5, zorder=4)
    hover(dots, (_standing(scene.ladder, y) for y in at))


def _standing(ladder: Ladder, place: int) -> str:
    """What a dot says: the algorithm's place, what it beats, and the next one down."""
    size = len(ladder.names)
    beaten = {j for i, j in ladder.single if i == place}
    beaten |= {k for i, j in ladder.steps if place <= i for k in range(j, size)}
    better = f", better than {listed([ladder.names[j] for j in sorted(beaten)])}" if beaten else ""
    rung = ladder.rungs[place] if place < size - 1 else None
    below = f"; {rung.label} {probability(rung.probability)}" if rung and rung.label else ""
    return f"{ladder.names[place]}, place {place + 1} of {size}{better}{below}"


def _draw_rung(ax: Axes, scene: Scene, place: Place, y: int, rung: Rung) -> None:
    x = place.rail
    if rung.relation == "better":
        _arrow(ax, (x, y), (x, y + 1), barred=(y, y + 1) in scene.ladder.steps)
    elif rung.relation == "worse":
        _arrow(ax, (x, y + 1), (x, y))
    elif rung.relation == "equivalent":
        _double(ax, (x, x), (y, y + 1), (0.022, 0.0))
    elif rung.relation == "undecided":
        _dashes(ax, (x, x), (y, y + 1))
    if scene.numbers and rung.relation != "failed":
        text = probability(rung.probability)
        ax.text(x + 0.06, y + 0.5, text, va="center", fontsize=min(SMALL, row_text(place.rung)))


def _double(
    ax: Axes, xs: tuple[float, float], ys: tuple[float, float], apart: tuple[float, float]
) -> None:
    for side in (-1, 1):
        across = [x + side * apart[0] for x in xs]
        down = [y + side * apart[1] for y in ys]
        ax.plot(across, down, color=COLOURS["rope"], linewidth=1.3, zorder=2)


def _dashes(ax: Axes, xs: tuple[float, float], ys: tuple[float, float]) -> None:
    ax.plot(xs, ys, color=ink(0.45), linewidth=0.9, linestyle=SHORT_DASHES, zorder=2)


def _arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], *, barred: bool = False
) -> None:
    """An arrow down or across, with a bar at its tail where it stands for many pairs."""
    ax.annotate(
        "",
        end,
        start,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.13,head_length=0.26",
            "color": ink(),
            "linewidth": 0.9,
            "shrinkA": 0.0 if barred else 2.0,
            "shrinkB": 2.4,
            "mutation_scale": 10,
        },
        zorder=3,
    )
    if barred:
        (x, y), flat = start, start[1] == end[1]
        marker = "|" if flat else "_"
        ax.plot([x], [y], marker, color=ink(), markersize=6.5, markeredgewidth=1.6, zorder=5)


def _draw_lanes(ax: Axes, scene: Scene, place: Place) -> None:
    for lane, tail, heads, many in _lanes(scene.ladder):
        x = place.lanes + place.lane * lane
        for head in heads:
            _arrow(ax, (x, tail), (x, head), barred=many)
        if not many:
            ax.plot([x], [tail], "o", color=ink(), markersize=2.6, zorder=4)


def _draw_brackets(ax: Axes, scene: Scene, place: Place) -> None:
    """Sets of equivalents, with their joint probabilities where there are any."""
    colour = COLOURS["rope"]
    for lane, members, p in _brackets(scene.ladder, place.joint):
        x = place.brackets + place.bracket * lane
        ax.plot([x, x], [members[0], members[-1]], color=colour, linewidth=1.2)
        for y in members:  # a tick each, as some in between may not belong
            ax.plot([x - 0.05, x], [y, y], color=colour, linewidth=1.2)
        if place.joint:
            middle = (members[0] + members[-1]) / 2
            ax.text(x + 0.04, middle, probability(p), va="center", fontsize=SMALL)


# By how much the first leads each of the others.


def _draw_leads(ax: Axes, scene: Scene, place: Place) -> None:
    """Leads with their intervals, on the band of the rope, over an axis of their own."""
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
    """What the panel holds: all intervals, zero, and the rope unless it dwarfs them."""
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
    text = f"{100 * np.expm1(lead):.2g} %" if scene.of_ratios else f"{lead:.2g}"
    return text.replace("-", "−")


def _draw_axis(
    ax: Axes,
    scene: Scene,
    place: Place,
    low: float,
    high: float,
    across: Callable[[float], float],
) -> None:
    """A line with ticks below the rows, and what it measures."""
    y, inch = len(place.names) - 0.35, 1 / place.rung
    ax.plot([place.panel, place.right], [y, y], color=ink(), linewidth=0.7)
    ratios = scene.of_ratios
    ends = tuple(100 * np.expm1([low, high])) if ratios else (low, high)
    for tick in ticks_of(*ends, room=int((place.right - place.panel) / 0.42)):
        x = across(np.log1p(tick / 100) if ratios else tick)
        ax.plot([x, x], [y, y + 0.035 * inch], color=ink(), linewidth=0.7)
        text = f"{tick:g}{' %' if ratios else ''}".replace("-", "−")
        ax.text(x, y + 0.05 * inch, text, ha="center", va="top", fontsize=SMALL)
    words = _panel_words(scene, shorten(scene.leader, SHORT))
    middle, half = (place.panel + place.right) / 2, text_width(words, SMALL + 0.5) / 2
    x = min(max(middle, half), place.width - half)
    ax.text(x, y + 0.175 * inch, words, ha="center", va="top", fontsize=SMALL + 0.5)


# The key: the marks that are drawn, and no others.


#: Draws a mark at some inches from the left and some rows down.
Drawing = Callable[["Axes", float, float, "Place"], None]


@dataclass(frozen=True)
class Entry:
    """A mark of the key with what it says; without a mark, words alone."""

    words: str
    draw: Drawing | None = None

    @property
    def width(self) -> float:
        """Inches of the mark and the words."""
        return text_width(self.words, SMALL) + (MARK if self.draw else 0.0)


def _entries(scene: Scene, joint: bool) -> list[Entry]:
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
        Entry("beats those at its heads", _key_single): _singles(ladder),
        Entry("practically equivalent", _key_double): "equivalent" in relations,
        Entry(f"practically equivalent, pair by pair{numbered}", _key_bracket): _brackets(
            ladder, joint
        ),
        Entry("undecided", _key_dashes): "undecided" in relations,
        Entry("no line: not compared"): "failed" in relations,
        Entry(f"{several} not shown"): ladder.joint and not joint,
    }
    return [entry for entry, there in drawn.items() if there] + _key_of_leads(scene)


def _key_of_leads(scene: Scene) -> list[Entry]:
    leader = shorten(scene.leader, SHORT)
    said = {
        "left": f"{leader} {scene.better}",
        "rope": f"equivalent to {leader}",
        "right": f"{scene.better} than {leader}",
        "": f"undecided against {leader}",
    }
    seen = {lead.region for lead in scene.leads if np.isfinite(lead.middle)}
    entries = [
        Entry(words, partial(_key_mark, region, scene.known))
        for region, words in said.items()
        if region in seen
    ]
    if scene.leads and scene.rope is not None and not scene.rope.empty:
        entries.append(Entry("rope", _key_band))
    return [*entries, Entry(_counts(scene))]


def _arranged(entries: list[Entry], width: float) -> list[list[tuple[float, Entry]]]:
    """Rows of entries, as many in each as fit; words that are too long are broken."""
    rows: list[list[tuple[float, Entry]]] = [[]]
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


def _draw_key(ax: Axes, scene: Scene, place: Place) -> None:
    top = place.bottom - place.line * (len(place.key) + 0.1)
    for number, row in enumerate(place.key):
        y = top + place.line * (number + 0.5)
        for x, entry in row:
            beside = MARK if entry.draw else 0.0
            ax.text(x + beside, y, entry.words, fontsize=SMALL, va="center", color=ink(0.65))
            if entry.draw:
                entry.draw(ax, x, y, place)


def _key_arrow(ax: Axes, x: float, y: float, place: Place) -> None:
    _arrow(ax, (x - 0.02, y), (x + 0.2, y))


def _key_step(ax: Axes, x: float, y: float, place: Place) -> None:
    _arrow(ax, (x + 0.01, y), (x + 0.2, y), barred=True)


def _key_single(ax: Axes, x: float, y: float, place: Place) -> None:
    _arrow(ax, (x + 0.02, y), (x + 0.2, y))
    ax.plot([x + 0.02], [y], "o", color=ink(), markersize=2.6)


def _key_double(ax: Axes, x: float, y: float, place: Place) -> None:
    _double(ax, (x, x + 0.17), (y, y), (0.0, 0.022 / place.rung))


def _key_bracket(ax: Axes, x: float, y: float, place: Place) -> None:
    half = 0.3 * place.line
    for down in (-half, half):
        ax.plot([x + 0.06, x + 0.11], [y + down] * 2, color=COLOURS["rope"], linewidth=1.2)
    ax.plot([x + 0.11] * 2, [y - half, y + half], color=COLOURS["rope"], linewidth=1.2)


def _key_dashes(ax: Axes, x: float, y: float, place: Place) -> None:
    _dashes(ax, (x, x + 0.18), (y, y))


def _key_mark(region: str, lined: bool, ax: Axes, x: float, y: float, place: Place) -> None:
    look: dict[str, Any] = look_of(region)
    if lined:
        ax.plot([x, x + 0.18], [y, y], color=look["color"], linewidth=look["linewidth"])
    ax.plot([x + 0.09], [y], **{**look, "linestyle": "none", "markersize": 4.0})


def _key_band(ax: Axes, x: float, y: float, place: Place) -> None:
    half = 0.32 * place.line
    ax.fill_between([x + 0.02, x + 0.17], y - half, y + half, color=ink(0.1), linewidth=0)
