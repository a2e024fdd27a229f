"""The ladder: algorithms in order, the verdicts on pairs, and the first one's leads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from bayescmp.base.checks import flag
from bayescmp.plots.captions import Facts, facts_of_pairs, facts_of_posterior, note
from bayescmp.plots.critical_difference import lanes_of
from bayescmp.plots.drawing import (
    COLUMN,
    EDGE,
    Look,
    axes_for,
    hover,
    ink,
    letters,
    look_of,
    made_of,
    measure_widest,
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
from bayescmp.results.ladder import Ladder, LadderStep
from bayescmp.results.posterior import Fitted
from bayescmp.results.verdict import Verdict
from bayescmp.scores.metrics import Direction
from bayescmp.scores.rope import Rope
from bayescmp.study.comparisons import Comparisons
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import (
    as_percent,
    format_count,
    format_probability,
    join_items,
    write_number,
)


@dataclass(frozen=True)
class Lead:
    """The lead of the first algorithm over another; unknown values are NaN.

    `place` is the other's; `low` and `high` are the central 95%; `region` is the verdict's, of
    `THREE` with the leader first, or "".
    """

    place: int
    middle: float
    low: float
    high: float
    region: str


@dataclass(frozen=True)
class LadderContent:
    """The content of a ladder.

    `leader` is the first in order, or the control; `leads` are empty if no magnitudes are known;
    `quantity` is what they are of, with its `direction`, if known; `numbers` is whether
    probabilities are between neighbours; `compared` counts pairs with a verdict.
    """

    ladder: Ladder
    facts: Facts
    leader: str
    leads: tuple[Lead, ...]
    quantity: str
    rope: Rope | None
    numbers: bool
    compared: int
    direction: Direction | None

    @property
    def known(self) -> bool:
        """Whether the leads have intervals."""
        return any(np.isfinite(lead.low) for lead in self.leads)

    @property
    def of_ratios(self) -> bool:
        """Whether differences are of logarithms."""
        return self.direction is not None and self.direction.scale == "log_ratio"

    @property
    def better(self) -> str:
        """The meaning of an arrow, in words."""
        return "better" if self.rope is not None and self.rope.empty else "practically better"


def scene_of(result: Any, numbers: bool) -> LadderContent:
    """Collect what is drawn of a result, with numbers between neighbours or without."""
    ladder = result if isinstance(result, Ladder) else result.ladder()
    leader, facts, compared = ladder.names[0], Facts(names=ladder.names), ladder.pairs
    verdicts: dict[int, tuple[Verdict, float]] = {}
    if isinstance(result, Comparisons):
        leader, facts = result.control or leader, facts_of_pairs(result)
        compared, verdicts = len(result.results), _of_comparisons(result, ladder, leader)
    elif isinstance(result, Fitted):
        posterior: Any = result
        others = [name for name in ladder.names if name != leader]
        verdicts = {ladder.names.index(n): (posterior.verdict(leader, n), np.nan) for n in others}
    some = next((verdict for verdict, _ in verdicts.values()), None)
    if isinstance(result, Fitted):
        facts = facts_of_posterior(result, some)
    rope = some.rope if some is not None and isinstance(some.rope, Rope) else None
    leads = () if rope is None else tuple(_lead(j, *pair) for j, pair in verdicts.items())
    return LadderContent(
        ladder,
        facts,
        leader,
        leads if any(np.isfinite(lead.middle) for lead in leads) else (),
        "" if some is None else some.quantity,
        rope,
        numbers,
        compared,
        None if some is None else next(iter(some.directions), None),
    )


def _of_comparisons(
    comparisons: Comparisons, ladder: Ladder, leader: str
) -> dict[int, tuple[Verdict, float]]:
    """Return verdicts of the leader against each, with the mean difference over the data sets."""
    verdicts = {}
    for place, name in enumerate(ladder.names):
        pair = (leader, name) if (leader, name) in comparisons.results else (name, leader)
        if pair in comparisons.results:
            means = comparisons.results[pair].means
            sign = 1 if pair[0] == leader else -1
            middle = sign * float(np.mean(means)) if len(means) else np.nan
            verdicts[place] = comparisons.verdict(leader, name), middle
    return verdicts


def _lead(place: int, verdict: Verdict, middle: float) -> Lead:
    """Read the lead from a verdict with the leader first: differences are the other minus it."""
    low, high = verdict.mean_interval[0] if verdict.mean_interval else (np.nan, np.nan)
    if verdict.mean_interval:
        middle = verdict.estimate[0] if verdict.estimate else (low + high) / 2
    region = verdict.ranked[0] if verdict.decided else ""
    return Lead(place, -middle, -high, -low, region)


def arrow_lanes(ladder: Ladder) -> list[tuple[int, int, tuple[int, ...], bool]]:
    """Return each arrow next to the rail: lane, tail, heads, whether it stands for many pairs."""
    links: list[tuple[int, tuple[int, ...], bool]] = [
        (i, (j,), True) for i, j in ladder.steps if j != i + 1
    ]  # those are on the rail
    links += [(i, heads, False) for i, heads in single_arrows(ladder)]
    spans = [(min(i, *heads), max(i, *heads)) for i, heads, _ in links]
    return [(lane, *link) for lane, link in zip(lanes_of(spans, 0.3), links, strict=True)]


def single_arrows(ladder: Ladder) -> list[tuple[int, tuple[int, ...]]]:
    """Return individual pairs, those of one algorithm together; none if they are too many."""
    heads: dict[tuple[int, bool], list[int]] = {}
    for i, j in ladder.single:
        if j != i + 1:  # neighbours are on the rail
            heads.setdefault((i, j > i), []).append(j)
    drawn = [(i, tuple(sorted(places))) for (i, _), places in heads.items()]
    return drawn if len(drawn) <= len(ladder.names) else []


def brackets_of(ladder: Ladder, joint: bool) -> list[tuple[int, tuple[int, ...], float]]:
    """Return each set's lane, members, joint probability; the rail itself joins two neighbours."""
    numbers = ladder.joint or (np.nan,) * len(ladder.equivalent)
    sets = [
        (members, p)
        for members, p in zip(ladder.equivalent, numbers, strict=True)
        if joint or members != (members[0], members[0] + 1)
    ]
    lanes = lanes_of([(members[0], members[-1]) for members, _ in sets], 0.3)
    return [(lane, *each) for lane, each in zip(lanes, sets, strict=True)]


def counts_of(scene: LadderContent) -> str:
    """State how much is decided, and what of it is not drawn or not known."""
    alone = sum(j != i + 1 for i, j in scene.ladder.single)  # pairs that are decided
    hidden = 0 if single_arrows(scene.ladder) else alone
    gone = scene.ladder.pairs - scene.compared
    pairs = format_count(scene.compared, "pair")
    return COUNTS[bool(hidden), bool(gone)].format(
        decided=scene.ladder.decided, pairs=pairs, hidden=hidden, gone=gone
    )


#: Number of decided pairs, by whether some are not drawn, and whether some are not known.
COUNTS = {
    (False, False): "{decided} of {pairs} decided",
    (True, False): "{decided} of {pairs} decided, {hidden} of them not drawn",
    (False, True): "{decided} of {pairs} decided; {gone} not compared",
    (True, True): "{decided} of {pairs} decided, {hidden} of them not drawn; {gone} not compared",
}
#: The panel and its band, by whether the ROPE has one infinite bound.
RIGHT = "right: {}"
BAND = {True: "band: not practically worse", False: "band: practically equivalent"}
#: Titles of the panel of leads, by the scale of the metric.
LEADS = {
    "ratio": "{leader}'s {metric} larger by",
    "ratio, lower is better": "{metric} larger than {leader}'s by",
    "mean difference": "mean lead of {leader}",
    "other": "lead of {leader} ({quantity})",
}
LEADS_WITH_INTERVALS = {kind: f"{text}, 95% intervals" for kind, text in LEADS.items()}


def describe_marks(scene: LadderContent) -> list[str]:
    """State for the caption what the marks are."""
    if not scene.leads:
        return [counts_of(scene)]
    rope = scene.rope
    band = [] if rope is None or rope.empty else [BAND[rope.one_sided]]
    return [counts_of(scene), RIGHT.format(panel_words(scene, scene.leader)), *band]


def panel_words(scene: LadderContent, leader: str) -> str:
    """State what the panel shows, with the leader's name as it fits."""
    metric, kind = "", "mean difference" if scene.quantity == "mean difference" else "other"
    if scene.direction is not None and scene.of_ratios:
        metric = scene.direction.metric
        kind = "ratio, lower is better" if scene.direction.lower else "ratio"
    templates = LEADS_WITH_INTERVALS if scene.known else LEADS
    return templates[kind].format(leader=leader, metric=metric, quantity=scene.quantity)


#: Signs between two neighbours of which neither is decided better.
EQUIVALENT, UNDECIDED, LOWER_NOT_WORSE, UPPER_NOT_WORSE = "=?≤≥"


def sign_of(ladder: Ladder, y: int) -> str:
    """Return the sign between two neighbours; "" where an arrow or nothing is drawn."""
    relation, label, _ = astuple(ladder.rungs[y])
    if relation == "not worse":
        lower = label == f"{ladder.names[y + 1]} not worse"
        return LOWER_NOT_WORSE if lower else UPPER_NOT_WORSE
    return {"equivalent": EQUIVALENT, "undecided": UNDECIDED}.get(relation, "")


#: Inches of a line of text; sizes of names and of all else.
LINE = 0.135
NAME_SIZE, SMALL = 8.0, 6.5


def draw_sign(ax: Axes, sign: str, x: float, y: float, size: float) -> None:
    """Write a sign that belongs to two neighbours only: no line joins it to another one."""
    colour = COLOURS["rope"] if sign == EQUIVALENT else ink(0.65)
    ax.text(x, y, sign, ha="center", va="center", fontsize=size, color=colour, weight="bold")


def draw_arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], *, barred: bool = False
) -> None:
    """Draw an arrow down or across, with a bar at its tail where it stands for many pairs."""
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


#: Inches of a mark, and between two entries; letters of the leader's name.
MARK, APART, SHORT = 0.24, 0.14, 14

#: Draws a mark at some inches from the left and some rows down, given the inches of a row.
Drawing = Callable[["Axes", float, float, float], None]


@dataclass(frozen=True)
class KeyEntry:
    """A mark of the key with its meaning; without a mark, only words."""

    words: str
    draw: Drawing | None = None

    @property
    def width(self) -> float:
        """Inches of the mark and the words."""
        return text_width(self.words, SMALL) + (MARK if self.draw else 0.0)


#: Rows of entries, each with its inches from the left.
KeyRows = list[list[tuple[float, KeyEntry]]]


def entries_of(scene: LadderContent, joint: bool) -> list[KeyEntry]:
    """List the marks that are drawn."""
    ladder, better = scene.ladder, scene.better
    relations = {rung.relation for rung in ladder.rungs}
    arrows = {(y, y + 1) for y, r in enumerate(ladder.rungs) if r.relation == "better"}
    plain = bool(arrows - set(ladder.steps)) or "worse" in relations
    signs = {sign_of(ladder, y) for y in range(len(ladder.rungs))}
    numbered = "; number: all at once" if joint else ""
    several = format_count(len(ladder.joint), "joint probability", "joint probabilities")
    drawn = {
        KeyEntry(f"{better} than the next", _key_arrow): plain,
        KeyEntry(
            f"all at or above the bar are {better} than all from the head down",
            _key_step,
        ): ladder.steps,
        KeyEntry(f"{better} than those at the heads", _key_single): single_arrows(ladder),
        KeyEntry("practically equivalent to the next", partial(_key_sign, EQUIVALENT)): EQUIVALENT
        in signs,
        KeyEntry(f"every two are practically equivalent{numbered}", _key_bracket): brackets_of(
            ladder, joint
        ),
        KeyEntry("the lower is not practically worse", partial(_key_sign, LOWER_NOT_WORSE)): (
            LOWER_NOT_WORSE in signs
        ),
        KeyEntry("the upper is not practically worse", partial(_key_sign, UPPER_NOT_WORSE)): (
            UPPER_NOT_WORSE in signs
        ),
        KeyEntry("undecided between neighbours", partial(_key_sign, UNDECIDED)): UNDECIDED
        in signs,
        KeyEntry("no mark between neighbours: not compared"): "failed" in relations,
        KeyEntry("between neighbours: probability of the most probable outcome"): scene.numbers,
        KeyEntry(f"{several} not shown"): ladder.joint and not joint,
    }
    return [entry for entry, there in drawn.items() if there] + _key_of_leads(scene)


def short_leader(scene: LadderContent) -> str:
    """Shorten the leader's name to one that no other has."""
    return shorten_all([scene.leader, *scene.ladder.names], SHORT)[0]


def _key_of_leads(scene: LadderContent) -> list[KeyEntry]:
    leader = short_leader(scene)
    same = f"equivalent to {leader}"
    if scene.rope is not None and scene.rope.one_sided:
        asked = f"not practically worse than {leader}", f"{leader} not practically worse"
        same = asked[scene.rope.low == -np.inf]
    texts = {
        "left": f"{leader} is {scene.better}",
        "rope": same,
        "right": f"{scene.better} than {leader}",
        "": f"undecided against {leader}",
    }
    seen = {lead.region for lead in scene.leads if np.isfinite(lead.middle)}
    entries = [
        KeyEntry(words, partial(_key_mark, region, scene.known))
        for region, words in texts.items()
        if region in seen
    ]
    if scene.leads and scene.rope is not None and not scene.rope.empty:
        entries.append(KeyEntry("not worse" if scene.rope.one_sided else "ROPE", _key_band))
    return [*entries, KeyEntry(counts_of(scene))]


def arrange_entries(entries: list[KeyEntry], width: float) -> KeyRows:
    """Arrange entries in rows, as many in each as fit; words that are too long are broken."""
    rows: KeyRows = [[]]
    x = 0.02
    for entry in entries:
        if rows[-1] and x + entry.width > width:
            rows.append([])
            x = 0.02
        first, *more = wrap_text(entry.words, width - MARK, SMALL).split("\n")
        entry = KeyEntry(first, entry.draw)
        rows[-1].append((x, entry))
        rows += [[(0.02 + MARK, KeyEntry(line))] for line in more]
        x = width if more else x + entry.width + APART
    return rows


def draw_key(ax: Axes, key: KeyRows, bottom: float, rung: float) -> None:
    """Draw the rows of a key above the bottom of the figure, in rows of so many inches."""
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


def _key_sign(sign: str, ax: Axes, x: float, y: float, rung: float) -> None:
    draw_sign(ax, sign, x + 0.09, y, SMALL)


def _key_bracket(ax: Axes, x: float, y: float, rung: float) -> None:
    half = 0.3 * LINE / rung
    for down in (-half, half):
        ax.plot([x + 0.06, x + 0.11], [y + down] * 2, color=COLOURS["rope"], linewidth=1.2)
    ax.plot([x + 0.11] * 2, [y - half, y + half], color=COLOURS["rope"], linewidth=1.2)


def _key_mark(region: str, lined: bool, ax: Axes, x: float, y: float, rung: float) -> None:
    look: Look = look_of(region)
    if lined:
        ax.plot([x, x + 0.18], [y, y], color=look["color"], linewidth=look["linewidth"])
    ax.plot([x + 0.09], [y], **{**look, "linestyle": "none", "markersize": 4.0})


def _key_band(ax: Axes, x: float, y: float, rung: float) -> None:
    half = 0.32 * LINE / rung
    ax.fill_between([x + 0.02, x + 0.17], y - half, y + half, color=ink(0.1), linewidth=0)


# The drawing: names, rail, arrows and brackets.


#: Inches between rows, at most; with so many rows or more they move together.
RUNG, MANY = 0.24, 20
#: Inches: between lanes, from a name to the rail, of a bracket with and without a number, what a
#: layout keeps free.
LANE, GAP, BRACKETS, MARGIN = 0.13, 0.14, (0.48, 0.16), 0.06
#: Space for a probability next to the rail; of the panel at the right, at best and at least.
NUMBER, PANEL, LEAST_PANEL = 0.42, 1.5, 0.9
#: Inches of the axis below the panel, and of the widest figure.
AXIS, WIDEST = 0.36, 7.0


@dataclass(frozen=True)
class LadderLayout:
    """Positions in a ladder.

    Lengths across, and `rung`, the height of a row, are in inches; `top` and `bottom` count rows.
    `rail`, `lanes`, `brackets` and `panel` are where each begins, `right` where the panel ends;
    `lane` and `bracket` are distances; `joint` is whether brackets' probabilities fit. `title` has
    lines, `key` rows of (inches from the left, entry).
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


def size_of(scene: LadderContent) -> tuple[float, float]:
    """Return width and height, in inches, of a figure with space for a scene."""
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


def _numbers(scene: LadderContent) -> float:
    return NUMBER if scene.numbers else 0.0


def _width_beside(ladder: Ladder, share: float, joint: bool = True) -> tuple[float, float]:
    """Return the inches that arrows, and brackets, take at the right of the rail."""
    lanes = 2 + max((lane for lane, *_ in arrow_lanes(ladder)), default=-1)
    joint = joint and bool(ladder.joint)
    brackets = 1 + max((lane for lane, *_ in brackets_of(ladder, joint)), default=-1)
    wide = BRACKETS[0] if joint else BRACKETS[1] * share
    return LANE * share * lanes, wide * brackets


def place_marks(scene: LadderContent, width: float) -> LadderLayout:
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
    return LadderLayout(
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


def _title(scene: LadderContent) -> str:
    facts = scene.facts
    against = f"against {shorten(scene.leader)}" if scene.leader != scene.ladder.names[0] else ""
    rope = facts.rope if facts.rope != "no ROPE" else ""
    return ", ".join(part for part in (facts.measured, facts.sample, rope, against) if part)


@made_of(
    "the result of bc.compare_all, or a posterior of more than two algorithms",
    probabilities=flag,
)
def plot_ladder(result: Any, *, probabilities: bool = False, ax: Axes | None = None) -> Axes:
    """Draw several algorithms in order, the verdict on every pair, and the leads.

    Between an algorithm and the next, an arrow means that the upper is practically better, "="
    that the two are practically equivalent, and "?" that the pair is undecided. An arrow with a
    bar at its tail stands for many pairs: every algorithm at or above the bar is better than every
    algorithm at or below the head. An arrow with a dot stands for one algorithm, with a head for
    each that it is better than; if there are more of these arrows than algorithms, they are only
    counted. Brackets join sets in which every two are equivalent, which neighbours' equivalence
    does not imply.

    At the right are the leads of the first algorithm, or the control, on average over data sets,
    with the central 95% interval, on the band of the ROPE.

    Parameters
    ----------
    result : Comparisons, GroupsPosterior or Ladder
        From `bayescmp.compare_all` or `bayescmp.bayesian.groups`. A `Ladder` has no magnitudes,
        nor do algorithms compared by several metrics.
    probabilities : bool
        Whether to write, between neighbours, how probable the most probable outcome is.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        With y from 0 (best) to L - 1, and below it a key to the marks that are drawn.

    See Also
    --------
    plot_critical_difference, plot_verdicts

    Examples
    --------
    >>> import bayescmp as bc
    >>> import pandas as pd
    >>> means = pd.DataFrame({"knn": [0.80, 0.78, 0.81, 0.79], "svm": [0.87, 0.88, 0.86, 0.87]})
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> ax = bc.plots.plot_ladder(bc.compare_all(scores, rope=0.01, seed=1))
    >>> [text.get_text() for text in ax.texts[:3]]
    ['accuracy ↑, 4 data sets, ROPE ±0.01', 'svm', 'knn']
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
    return note(ax, f"Order of the {scene.facts.subject}s", scene.facts, *describe_marks(scene))


def ladder_size(result: Any) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    return size_of(scene_of(result, False))


def _draw_names(ax: Axes, scene: LadderContent, place: LadderLayout) -> None:
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
    """Describe a dot: the algorithm's place, the ones that it beats, and the next one down."""
    size = len(ladder.names)
    beaten = {j for i, j in ladder.single if i == place}
    beaten |= {k for i, j in ladder.steps if place <= i for k in range(j, size)}
    better = (
        f", better than {join_items([ladder.names[j] for j in sorted(beaten)])}" if beaten else ""
    )
    rung = ladder.rungs[place] if place < size - 1 else None
    below = f"; {rung.label} {format_probability(rung.probability)}" if rung and rung.label else ""
    return f"{ladder.names[place]}, place {place + 1} of {size}{better}{below}"


def _draw_rung(
    ax: Axes, scene: LadderContent, place: LadderLayout, y: int, rung: LadderStep
) -> None:
    x = place.rail
    if rung.relation == "better":
        draw_arrow(ax, (x, y), (x, y + 1), barred=(y, y + 1) in scene.ladder.steps)
    elif rung.relation == "worse":
        draw_arrow(ax, (x, y + 1), (x, y))
    elif sign := sign_of(scene.ladder, y):
        draw_sign(ax, sign, x, y + 0.5, row_text(place.rung, NAME_SIZE))
    if scene.numbers and rung.relation != "failed":
        text = format_probability(rung.probability)
        ax.text(x + 0.06, y + 0.5, text, va="center", fontsize=min(SMALL, row_text(place.rung)))


def _draw_lanes(ax: Axes, scene: LadderContent, place: LadderLayout) -> None:
    for lane, tail, heads, many in arrow_lanes(scene.ladder):
        x = place.lanes + place.lane * lane
        for head in heads:
            draw_arrow(ax, (x, tail), (x, head), barred=many)
        if not many:
            ax.plot([x], [tail], "o", color=ink(), markersize=2.6, zorder=4)


def _draw_brackets(ax: Axes, scene: LadderContent, place: LadderLayout) -> None:
    """Draw sets of equivalents, with their joint probabilities if there are any."""
    colour = COLOURS["rope"]
    for lane, members, probability in brackets_of(scene.ladder, place.joint):
        x = place.brackets + place.bracket * lane
        ax.plot([x, x], [members[0], members[-1]], color=colour, linewidth=1.2)
        for y in members:  # one tick per member, as some in between may not belong
            ax.plot([x - 0.05, x], [y, y], color=colour, linewidth=1.2)
        if place.joint:
            middle = (members[0] + members[-1]) / 2
            ax.text(x + 0.04, middle, format_probability(probability), va="center", fontsize=SMALL)


# By how much the first leads each of the others.


def _draw_leads(ax: Axes, scene: LadderContent, place: LadderLayout) -> None:
    """Draw leads with their intervals, on the band of the ROPE, over a separate axis."""
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


def _ends(scene: LadderContent) -> tuple[float, float]:
    """Return what the panel holds: all intervals, zero, and the ROPE unless it dwarfs them."""
    assert scene.rope is not None
    values = np.array([[lead.middle, lead.low, lead.high] for lead in scene.leads]).ravel()
    low, high = min(np.nanmin(values), 0.0), max(np.nanmax(values), 0.0)
    reach = 1.5 * (high - low) or 1.0
    low, high = min(low, max(-scene.rope.high, -reach)), max(high, min(-scene.rope.low, reach))
    free = 0.04 * (high - low) or 1.0
    return float(low - free), float(high + free)


def _draw_lead(
    ax: Axes, scene: LadderContent, lead: Lead, across: Callable[[float], float]
) -> None:
    look = look_of(lead.region)
    name = scene.ladder.names[lead.place]
    words = f"{name}: {scene.leader} leads by {_number(scene, lead.middle)}"
    if np.isfinite(lead.low):
        bar = {key: look[key] for key in ("color", "linewidth")}
        ends = [across(lead.low), across(lead.high)]
        ax.plot(ends, [lead.place] * 2, solid_capstyle="butt", zorder=2, **bar)
        words += f" (95%: {_number(scene, lead.low)} to {_number(scene, lead.high)})"
    look |= {"linestyle": "none", "markersize": 4.0, "markeredgewidth": 0.9}
    (mark,) = ax.plot([across(lead.middle)], [lead.place], zorder=3, **look)
    hover(mark, [words])


def _number(scene: LadderContent, lead: float) -> str:
    return as_percent(lead) if scene.of_ratios else write_number(lead, ".2g")


def _draw_axis(
    ax: Axes,
    scene: LadderContent,
    place: LadderLayout,
    low: float,
    high: float,
    across: Callable[[float], float],
) -> None:
    """Draw a line with ticks below the rows, and name its quantity."""
    y, inch = len(place.names) - 0.35, 1 / place.rung
    ax.plot([place.panel, place.right], [y, y], color=ink(), linewidth=0.7)
    ratios = scene.of_ratios
    first, last = 100 * np.expm1([low, high]) if ratios else (low, high)
    for tick in ticks_of(first, last, int((place.right - place.panel) / 0.42)):
        x = across(np.log1p(tick / 100) if ratios else tick)
        ax.plot([x, x], [y, y + 0.035 * inch], color=ink(), linewidth=0.7)
        text = f"{write_number(tick, 'g')}{' %' if ratios else ''}"
        ax.text(x, y + 0.05 * inch, text, ha="center", va="top", fontsize=SMALL)
    words = panel_words(scene, short_leader(scene))
    middle, half = (place.panel + place.right) / 2, text_width(words, SMALL + 0.5) / 2
    x = min(max(middle, half), place.width - half)
    ax.text(x, y + 0.175 * inch, words, ha="center", va="top", fontsize=SMALL + 0.5)
