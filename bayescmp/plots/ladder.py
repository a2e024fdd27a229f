"""The ladder: algorithms in order, with what is decided of every pair of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bayescmp.base.declare import flag
from bayescmp.plots.captions import Facts, facts_of_pairs, facts_of_posterior, note
from bayescmp.plots.critical_difference import lanes_of
from bayescmp.plots.drawing import (
    COLUMN,
    axes_for,
    hover,
    ink,
    letters,
    made_of,
    room,
    shorten_all,
    sized,
    text_width,
    wrapped,
)
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import counted, listed, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.results.ladder import Ladder, Rung

__all__ = ["figure_size", "plot_ladder"]

#: Inches: between rungs, between lanes, from a name to the rail, of a line of the key.
ROW, LANE, GAP, LINE = 0.24, 0.13, 0.14, 0.135
#: Room for a probability beside the rail; what a layout keeps free.
NUMBER, MARGIN = 0.42, 0.2
NAME_SIZE, SMALL = 8.0, 6.5
DASHED = (0, (3, 2.2))


class HasLadder(Protocol):
    """A result that has a ladder: `Comparisons`, the posterior of `groups`, ..."""

    def ladder(self) -> Ladder:
        """The ladder of the result."""
        ...


@made_of(
    "the result of bc.compare_all, or a posterior of more than two algorithms",
    probabilities=flag,
)
def plot_ladder(
    result: Ladder | HasLadder, *, probabilities: bool = False, ax: Axes | None = None
) -> Axes:
    """Draw several algorithms in order, with what is decided of every pair of them.

    The Bayesian answer to the critical-difference diagram. On the rail, an arrow leads from an
    algorithm to the next where it is decided practically better, a double line joins two that are
    decided equivalent, and dashes two of which nothing is decided. An arrow with a bar at its tail
    stands for many pairs: every algorithm at or above the bar is better than every one at or below
    the head. One with a dot stands for a single pair; where there are more of these than
    algorithms, they are counted and not drawn. Brackets join sets in which every two are
    equivalent. They show pairs, not classes of equals: of algorithms 0.007 apart, with a rope of
    0.01, neighbours are equivalent, and every second one is better.

    Parameters
    ----------
    result : Comparisons, GroupsPosterior or Ladder
        What `bayescmp.compare_all` or `bayescmp.bayesian.groups` returned.
    probabilities : bool
        Whether to write, between neighbours, how probable the most probable outcome is.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        With y from 0 (best) to L - 1, and a key below.

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
    >>> [text.get_text() for text in ax.texts[:3]]
    ['svm', 'gbm', 'knn']
    """
    ladder = _read(result)
    ax = axes_for(ax, _size(ladder, probabilities))
    width = room(ax) - MARGIN
    names = _names(ladder, width - _beside(ladder, probabilities) - GAP)
    key = _key(ladder, width)
    height = _height(ladder, key)
    rail = max(text_width(name, NAME_SIZE) for name in names) + GAP
    for y, name in enumerate(names):
        ax.text(rail - GAP, y, name, ha="right", va="center", fontsize=NAME_SIZE)
        ax.plot([rail, width], [y, y], color=ink(0.5), alpha=0.25, linewidth=0.4, zorder=0)
    for y, rung in enumerate(ladder.rungs):
        _draw_rung(ax, rail, y, rung, probabilities)
    (dots,) = ax.plot(
        [rail] * len(names), range(len(names)), "o", color=ink(), markersize=3.5, zorder=4
    )
    hover(dots, (_standing(ladder, place) for place in range(len(names))))
    right = _draw_lanes(ax, ladder, rail + LANE + (NUMBER if probabilities else 0.0))
    _draw_brackets(ax, ladder, right)
    _draw_key(ax, key, len(names))
    ax.set_xlim(0, width)
    ax.set_ylim(height / ROW - 0.6, -0.6)
    ax.axis("off")
    quantity = f"Order of the algorithms, {ladder.decided} of {ladder.pairs} pairs decided"
    return note(ax, quantity, _facts(result, ladder))


def _facts(result: Ladder | HasLadder, ladder: Ladder) -> Facts:
    from bayescmp.results.posterior import Fitted
    from bayescmp.study.comparisons import Comparisons

    if isinstance(result, Comparisons):
        return facts_of_pairs(result)
    if isinstance(result, Fitted):
        return facts_of_posterior(result)
    return Facts(names=ladder.names)


def figure_size(result: Ladder | HasLadder) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    return _size(_read(result), False)


def _read(result: Ladder | HasLadder) -> Ladder:
    from bayescmp.results.ladder import Ladder

    return result if isinstance(result, Ladder) else result.ladder()


def _size(ladder: Ladder, probabilities: bool) -> tuple[float, float]:
    names = max(text_width(name, NAME_SIZE) for name in shorten_all(ladder.names))
    needed = names + GAP + _beside(ladder, probabilities) + 2 * MARGIN
    width, _ = sized(max(needed, COLUMN), 0.0)
    return width, _height(ladder, _key(ladder, width - 2 * MARGIN))


def _height(ladder: Ladder, key: list[str]) -> float:
    return ROW * (len(ladder.names) + 0.6) + LINE * len(key)


def _beside(ladder: Ladder, probabilities: bool) -> float:
    """Inches that arrows, probabilities and brackets take at the right of the rail."""
    lanes = 1 + max((lane for lane, *_ in _lanes(ladder)), default=-1)
    brackets = 1 + max(_bracket_lanes(ladder), default=-1)
    numbers = NUMBER if probabilities else 0.0
    return LANE * (lanes + 1) + numbers + brackets * _bracket_width(ladder)


def _names(ladder: Ladder, inches: float) -> list[str]:
    """The algorithms' names, shortened to the room that there is."""
    whole = shorten_all(ladder.names)
    if max(text_width(name, NAME_SIZE) for name in whole) <= inches:
        return whole
    return shorten_all(ladder.names, letters(inches, NAME_SIZE))


def _standing(ladder: Ladder, place: int) -> str:
    """What a dot says: the algorithm's place, what it beats, and the next one down."""
    size = len(ladder.names)
    beaten = {j for i, j in ladder.single if i == place}
    beaten |= {k for i, j in ladder.steps if place <= i for k in range(j, size)}
    better = f", better than {listed([ladder.names[j] for j in sorted(beaten)])}" if beaten else ""
    rung = ladder.rungs[place] if place < size - 1 else None
    below = f"; {rung.label} {probability(rung.probability)}" if rung and rung.label else ""
    return f"{ladder.names[place]}, place {place + 1} of {size}{better}{below}"


def _draw_rung(ax: Axes, x: float, y: int, rung: Rung, probabilities: bool) -> None:
    if rung.relation == "better":
        _arrow(ax, x, y, y + 1)
    elif rung.relation == "worse":
        _arrow(ax, x, y + 1, y)
    elif rung.relation == "equivalent":
        for side in (-0.022, 0.022):
            ax.plot([x + side] * 2, [y, y + 1], color=COLOURS["rope"], linewidth=1.3, zorder=2)
    else:
        ax.plot([x, x], [y, y + 1], color=ink(0.45), linewidth=0.9, linestyle=DASHED, zorder=2)
    if probabilities:
        text = "failed" if rung.relation == "failed" else probability(rung.probability)
        ax.text(x + 0.06, y + 0.5, text, va="center", fontsize=SMALL)


def _arrow(ax: Axes, x: float, start: float, end: float) -> None:
    ax.annotate(
        "",
        (x, end),
        (x, start),
        arrowprops={
            "arrowstyle": "-|>,head_width=0.13,head_length=0.26",
            "color": ink(),
            "linewidth": 0.9,
            "shrinkA": 2.0,
            "shrinkB": 2.4,
            "mutation_scale": 10,
        },
        zorder=3,
    )


def _lanes(ladder: Ladder) -> list[tuple[int, int, int, bool]]:
    """Lane, start, end and whether it stands for many pairs, of each arrow beside the rail."""
    links = [(i, j, True) for i, j in ladder.steps]
    links += [(i, j, False) for i, j in _singles(ladder)]
    lanes = lanes_of([(min(i, j), max(i, j)) for i, j, _ in links], 0.3)
    return [(lane, *link) for lane, link in zip(lanes, links, strict=True)]


def _singles(ladder: Ladder) -> list[tuple[int, int]]:
    """Pairs by themselves; neighbours are on the rail, and too many are not drawn."""
    far = [(i, j) for i, j in ladder.single if j != i + 1]
    return far if len(far) <= len(ladder.names) else []


def _draw_lanes(ax: Axes, ladder: Ladder, left: float) -> float:
    """Arrows beside the rail; returns where the next thing may stand."""
    lanes = _lanes(ladder)
    for lane, start, end, many in lanes:
        x = left + LANE * lane
        _arrow(ax, x, start, end)
        if many:
            ax.plot([x - 0.045, x + 0.045], [start, start], color=ink(), linewidth=1.6)
        else:
            ax.plot([x], [start], "o", color=ink(), markersize=2.2, zorder=4)
    return left + LANE * (1 + max((lane for lane, *_ in lanes), default=-1))


def _bracket_lanes(ladder: Ladder) -> list[int]:
    return lanes_of([(s[0], s[-1]) for s in ladder.equivalent], 0.3)


def _bracket_width(ladder: Ladder) -> float:
    return 0.48 if ladder.joint else 0.16


def _draw_brackets(ax: Axes, ladder: Ladder, left: float) -> None:
    """Sets of equivalents, with their joint probabilities where there are any."""
    step = _bracket_width(ladder)
    for number, (lane, members) in enumerate(
        zip(_bracket_lanes(ladder), ladder.equivalent, strict=True)
    ):
        x = left + step * lane
        ax.plot([x, x], [members[0], members[-1]], color=COLOURS["rope"], linewidth=1.2)
        for y in members:  # a tick each, as some in between may not belong
            ax.plot([x - 0.05, x], [y, y], color=COLOURS["rope"], linewidth=1.2)
        if ladder.joint:
            middle = (members[0] + members[-1]) / 2
            text = probability(ladder.joint[number])
            ax.text(x + 0.04, middle, text, va="center", fontsize=SMALL)


def _key(ladder: Ladder, width: float) -> list[str]:
    """How to read the ladder, in lines that fit."""
    text = (
        "arrow: all at or above its bar beat all from its head down\n"
        "double line, bracket: practically equivalent, pair by pair\n"
        "dashes: undecided\n"
        f"{ladder.decided} of {counted(ladder.pairs, 'pair')} decided{_hidden(ladder)}"
    )
    return wrapped(text, width, SMALL).split("\n")


def _draw_key(ax: Axes, lines: list[str], names: int) -> None:
    for number, line in enumerate(lines):
        y = names + 0.1 + number * LINE / ROW
        ax.text(0.02, y, line, fontsize=SMALL, va="center", color=ink(0.65))


def _hidden(ladder: Ladder) -> str:
    far = [(i, j) for i, j in ladder.single if j != i + 1]
    hidden = len(far) - len(_singles(ladder))
    return f", {hidden} of them not drawn" if hidden else ""
