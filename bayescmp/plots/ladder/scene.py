"""What the ladder shows, its marks, and the key below it that names those that are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from bayescmp.plots.captions import Facts, facts_of_pairs, facts_of_posterior
from bayescmp.plots.critical_difference import lanes_of
from bayescmp.plots.drawing import Look, ink, look_of, shorten_all, text_width, wrap_text
from bayescmp.results.ladder import Ladder
from bayescmp.results.posterior import Fitted
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import RATIO, Rope
from bayescmp.study.comparisons import Comparisons
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import format_count


@dataclass(frozen=True)
class Lead:
    """The lead of the first algorithm over another; what is not known is NaN.

    `place` is the other's; `low` and `high` are the central 95 % interval; `region` is what is
    decided, as `THREE` names it with the leader first, "" if nothing is.
    """

    place: int
    middle: float
    low: float
    high: float
    region: str


@dataclass(frozen=True)
class Scene:
    """What a ladder shows.

    Attributes
    ----------
    leader : str
        The first in order, or the control.
    leads : tuple of Lead
        Empty where no magnitudes are known.
    quantity : str
        What the leads are.
    numbers : bool
        Whether probabilities stand between neighbours.
    compared : int
        Pairs on which there is a verdict.
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
        return RATIO in self.facts.measured

    @property
    def better(self) -> str:
        """What an arrow means, in words."""
        return "better" if self.rope is not None and self.rope.empty else "practically better"


def scene_of(result: Any, numbers: bool) -> Scene:
    """Collect what is drawn of a result, with numbers between neighbours or without."""
    ladder = result if isinstance(result, Ladder) else result.ladder()
    leader, facts, compared = ladder.names[0], Facts(names=ladder.names), ladder.pairs
    verdicts: dict[int, tuple[Verdict, float]] = {}
    if isinstance(result, Comparisons):
        leader, facts, compared = result.control or leader, facts_of_pairs(result), 0
        compared = len(result.results)
        verdicts = _of_comparisons(result, ladder, leader)
    elif isinstance(result, Fitted):
        posterior: Any = result
        others = [name for name in ladder.names if name != leader]
        verdicts = {ladder.names.index(n): (posterior.verdict(leader, n), np.nan) for n in others}
    some = next((verdict for verdict, _ in verdicts.values()), None)
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
    """Return each arrow beside the rail: lane, tail, heads, whether it stands for many pairs."""
    links: list[tuple[int, tuple[int, ...], bool]] = [
        (i, (j,), True) for i, j in ladder.steps if j != i + 1
    ]  # those are on the rail
    links += [(i, heads, False) for i, heads in single_arrows(ladder)]
    spans = [(min(i, *heads), max(i, *heads)) for i, heads, _ in links]
    return [(lane, *link) for lane, link in zip(lanes_of(spans, 0.3), links, strict=True)]


def single_arrows(ladder: Ladder) -> list[tuple[int, tuple[int, ...]]]:
    """Return pairs by themselves, those of one algorithm together; none if they are too many."""
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


def counts_of(scene: Scene) -> str:
    """Say how much is decided, and what of it is not drawn or not known."""
    alone = sum(j != i + 1 for i, j in scene.ladder.single)  # pairs that are decided
    hidden = 0 if single_arrows(scene.ladder) else alone
    gone = scene.ladder.pairs - scene.compared
    text = f"{scene.ladder.decided} of {format_count(scene.compared, 'pair')} decided"
    text += f", {hidden} of them not drawn" if hidden else ""
    return f"{text}; {gone} not compared" if gone else text


def caption_of(scene: Scene) -> str:
    """Say for the caption what the marks are."""
    if not scene.leads:
        return counts_of(scene)
    text = f"{counts_of(scene)}; right: {panel_words(scene, scene.leader)}"
    if scene.rope is None or scene.rope.empty:
        return text
    same = "not practically worse" if scene.rope.one_sided else "practically equivalent"
    return f"{text}; band: {same}"


def panel_words(scene: Scene, leader: str) -> str:
    """Say what the panel shows, with the leader's name as it fits."""
    if scene.of_ratios:
        metric = scene.facts.measured.partition(" (")[0]
        own = f"{leader}'s {metric} larger by", f"{metric} larger than {leader}'s by"
        lead = own["↓" in scene.facts.measured]
    elif scene.quantity == "mean difference":
        lead = f"mean lead of {leader}"
    else:
        lead = f"lead of {leader} ({scene.quantity})"
    return f"{lead}, 95 % intervals" if scene.known else lead


def sign_of(ladder: Ladder, y: int) -> str:
    """Say which of two neighbours is not practically worse: the lower, or the upper."""
    return "≤" if ladder.rungs[y].label == f"{ladder.names[y + 1]} not worse" else "≥"


#: Inches of a line of text; sizes of names and of all else.
LINE = 0.135
NAME_SIZE, SMALL = 8.0, 6.5
SHORT_DASHES = (0, (3, 2.2))


def draw_double(
    ax: Axes, xs: tuple[float, float], ys: tuple[float, float], apart: tuple[float, float]
) -> None:
    """Draw two lines side by side, so far apart across and down."""
    for side in (-1, 1):
        across = [x + side * apart[0] for x in xs]
        down = [y + side * apart[1] for y in ys]
        ax.plot(across, down, color=COLOURS["rope"], linewidth=1.3, zorder=2)


def draw_dashes(ax: Axes, xs: tuple[float, float], ys: tuple[float, float]) -> None:
    """Draw a dashed line."""
    ax.plot(xs, ys, color=ink(0.45), linewidth=0.9, linestyle=SHORT_DASHES, zorder=2)


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
class Entry:
    """A mark of the key with what it says; without a mark, words alone."""

    words: str
    draw: Drawing | None = None

    @property
    def width(self) -> float:
        """Inches of the mark and the words."""
        return text_width(self.words, SMALL) + (MARK if self.draw else 0.0)


#: Rows of entries, each with its inches from the left.
KeyRows = list[list[tuple[float, Entry]]]


def entries_of(scene: Scene, joint: bool) -> list[Entry]:
    """List the marks that are drawn."""
    ladder, better = scene.ladder, scene.better
    relations = {rung.relation for rung in ladder.rungs}
    arrows = {(y, y + 1) for y, r in enumerate(ladder.rungs) if r.relation == "better"}
    plain = bool(arrows - set(ladder.steps)) or "worse" in relations
    signs = {sign_of(ladder, y) for y, r in enumerate(ladder.rungs) if r.relation == "not worse"}
    numbered = "; number: all at once" if joint else ""
    several = format_count(len(ladder.joint), "joint probability", "joint probabilities")
    drawn = {
        Entry(f"{better} than the next", _key_arrow): plain,
        Entry("all at or above its bar beat all from its head down", _key_step): ladder.steps,
        Entry("beats those at its heads", _key_single): single_arrows(ladder),
        Entry("practically equivalent", _key_double): "equivalent" in relations,
        Entry(f"practically equivalent, pair by pair{numbered}", _key_bracket): brackets_of(
            ladder, joint
        ),
        Entry("≤ the lower one is not practically worse"): "≤" in signs,
        Entry("≥ the upper one is not practically worse"): "≥" in signs,
        Entry("undecided", _key_dashes): "undecided" in relations,
        Entry("no line: not compared"): "failed" in relations,
        Entry("between two: probability of the most probable outcome"): scene.numbers,
        Entry(f"{several} not shown"): ladder.joint and not joint,
    }
    return [entry for entry, there in drawn.items() if there] + _key_of_leads(scene)


def short_leader(scene: Scene) -> str:
    """Shorten the leader's name to one that no other has."""
    return shorten_all([scene.leader, *scene.ladder.names], SHORT)[0]


def _key_of_leads(scene: Scene) -> list[Entry]:
    leader = short_leader(scene)
    same = f"equivalent to {leader}"
    if scene.rope is not None and scene.rope.one_sided:
        asked = f"not practically worse than {leader}", f"{leader} not practically worse"
        same = asked[scene.rope.low == -np.inf]
    texts = {
        "left": f"{leader} {scene.better}",
        "rope": same,
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
        entries.append(Entry("not worse" if scene.rope.one_sided else "rope", _key_band))
    return [*entries, Entry(counts_of(scene))]


def arrange_entries(entries: list[Entry], width: float) -> KeyRows:
    """Arrange entries in rows, as many in each as fit; words that are too long are broken."""
    rows: KeyRows = [[]]
    x = 0.02
    for entry in entries:
        if rows[-1] and x + entry.width > width:
            rows.append([])
            x = 0.02
        first, *more = wrap_text(entry.words, width - MARK, SMALL).split("\n")
        entry = Entry(first, entry.draw)
        rows[-1].append((x, entry))
        rows += [[(MARK, Entry(line))] for line in more]
        x = width if more else x + entry.width + APART
    return rows


def draw_key(ax: Axes, key: KeyRows, bottom: float, rung: float) -> None:
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
    look: Look = look_of(region)
    if lined:
        ax.plot([x, x + 0.18], [y, y], color=look["color"], linewidth=look["linewidth"])
    ax.plot([x + 0.09], [y], **{**look, "linestyle": "none", "markersize": 4.0})


def _key_band(ax: Axes, x: float, y: float, rung: float) -> None:
    half = 0.32 * LINE / rung
    ax.fill_between([x + 0.02, x + 0.17], y - half, y + half, color=ink(0.1), linewidth=0)
