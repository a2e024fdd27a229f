"""Several algorithms in order: the ladder, their ranks, which is best, and sets of the best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.declare import flag, share
from bayescmp.plots.captions import Facts, facts_of_pairs, facts_of_posterior, note
from bayescmp.plots.critical_difference import lanes_of
from bayescmp.plots.drawing import (
    COLUMN,
    axes_for,
    column,
    hover,
    ink,
    keep_sides,
    label_below,
    label_cells,
    legend_above,
    letters,
    made_of,
    mixed,
    on,
    paper,
    quantity,
    room,
    row_text,
    shades,
    shorten,
    shorten_all,
    sized,
    text_width,
    wrapped,
    write_inside,
)
from bayescmp.results.ladder import Ladder
from bayescmp.results.posterior import Fitted
from bayescmp.study.comparisons import Comparisons
from bayescmp.wording.regions import COLOURS
from bayescmp.wording.text import counted, listed, probability

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.bayesian.joint.standings import JointBase
    from bayescmp.results.ladder import Rung
    from bayescmp.scores.rope import RopeLike, RopesLike


# The ladder: algorithms in order, with what is decided of every pair of them.


#: Inches: between rungs, between lanes, from a name to the rail, of a line of the key.
RUNG, LANE, GAP, LINE = 0.24, 0.13, 0.14, 0.135
#: Room for a probability beside the rail; what a layout keeps free.
NUMBER, MARGIN = 0.42, 0.2
NAME_SIZE, SMALL = 8.0, 6.5
SHORT_DASHES = (0, (3, 2.2))


@made_of(
    "the result of bc.compare_all, or a posterior of more than two algorithms",
    probabilities=flag,
)
def plot_ladder(result: Any, *, probabilities: bool = False, ax: Axes | None = None) -> Axes:
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
    ladder = _ladder_of(result)
    ax = axes_for(ax, _size_of_ladder(ladder, probabilities))
    width = room(ax) - MARGIN
    names = _names_at_rail(ladder, width - _beside(ladder, probabilities) - GAP)
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
    for number, line in enumerate(key):
        below = len(names) + 0.1 + number * LINE / RUNG
        ax.text(0.02, below, line, fontsize=SMALL, va="center", color=ink(0.65))
    ax.set_xlim(0, width)
    ax.set_ylim(height / RUNG - 0.6, -0.6)
    ax.axis("off")
    quantity = f"Order of the algorithms, {ladder.decided} of {ladder.pairs} pairs decided"
    return note(ax, quantity, _facts(result, ladder))


def _facts(result: Any, ladder: Ladder) -> Facts:
    if isinstance(result, Comparisons):
        return facts_of_pairs(result)
    if isinstance(result, Fitted):
        return facts_of_posterior(result)
    return Facts(names=ladder.names)


def ladder_size(result: Any) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    return _size_of_ladder(_ladder_of(result), False)


def _ladder_of(result: Any) -> Ladder:
    return result if isinstance(result, Ladder) else result.ladder()


def _size_of_ladder(ladder: Ladder, probabilities: bool) -> tuple[float, float]:
    names = max(text_width(name, NAME_SIZE) for name in shorten_all(ladder.names))
    needed = names + GAP + _beside(ladder, probabilities) + 2 * MARGIN
    width, _ = sized(max(needed, COLUMN), 0.0)
    return width, _height(ladder, _key(ladder, width - 2 * MARGIN))


def _height(ladder: Ladder, key: list[str]) -> float:
    return RUNG * (len(ladder.names) + 0.6) + LINE * len(key)


def _beside(ladder: Ladder, probabilities: bool) -> float:
    """Inches that arrows, probabilities and brackets take at the right of the rail."""
    lanes = 1 + max((lane for lane, *_ in _lanes(ladder)), default=-1)
    brackets = 1 + max(_bracket_lanes(ladder), default=-1)
    numbers = NUMBER if probabilities else 0.0
    return LANE * (lanes + 1) + numbers + brackets * _bracket_width(ladder)


def _names_at_rail(ladder: Ladder, inches: float) -> list[str]:
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
    elif rung.relation == "not worse":
        ax.plot([x, x], [y, y + 1], color=ink(), linewidth=0.9, zorder=2)
        ax.text(x, y + 0.5, "≥", ha="center", va="center", fontsize=SMALL, backgroundcolor=paper())
    elif rung.relation == "equivalent":
        for side in (-0.022, 0.022):
            ax.plot([x + side] * 2, [y, y + 1], color=COLOURS["rope"], linewidth=1.3, zorder=2)
    else:
        ax.plot(
            [x, x], [y, y + 1], color=ink(0.45), linewidth=0.9, linestyle=SHORT_DASHES, zorder=2
        )
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
    singles = _singles(ladder)
    if len(singles) <= len(ladder.names):  # too many are not drawn
        links += [(i, j, False) for i, j in singles]
    lanes = lanes_of([(min(i, j), max(i, j)) for i, j, _ in links], 0.3)
    return [(lane, *link) for lane, link in zip(lanes, links, strict=True)]


def _singles(ladder: Ladder) -> list[tuple[int, int]]:
    """Pairs by themselves; neighbours are on the rail."""
    return [(i, j) for i, j in ladder.single if j != i + 1]


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
    singles = len(_singles(ladder))
    hidden = f", {singles} of them not drawn" if singles > len(ladder.names) else ""
    text = (
        "arrow: all at or above its bar beat all from its head down\n"
        "double line, bracket: practically equivalent, pair by pair\n"
        "dashes: undecided\n"
        f"{ladder.decided} of {counted(ladder.pairs, 'pair')} decided{hidden}"
    )
    return wrapped(text, width, SMALL).split("\n")


# Heat map of rank probabilities: how sure it is which is best, second best, ...


#: Side of a cell, and width of the widest figure, inches.
CELL, WIDEST = 0.33, 9.5
#: Font size below which a cell has no number.
LEAST = 4.0


@made_of("a posterior of bayesian.groups", "bayescmp.bayesian.groups.base:GroupsPosterior")
def plot_rank_probabilities(
    posterior: GroupsPosterior,
    *,
    ax: Axes | None = None,
    by: str | ArrayLike | None = None,
    rope: RopesLike | None = None,
) -> Axes:
    """Draw each algorithm's probabilities of every rank, the best expected rank on top.

    Parameters
    ----------
    posterior : GroupsPosterior
        With ``rank_probabilities(by)``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.
    by : str or array_like, optional
        What to rank by; see `GroupsPosterior.rank_probabilities`.
    rope : float, sequence or mapping, optional
        For ranks by dominance, other regions than the posterior's own.

    Returns
    -------
    matplotlib Axes
        Numbers are hundredths; the dot is the expected rank.

    See Also
    --------
    plot_forest : The differences of all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import Blocks, bayesian, plots
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal([[0.80], [0.82], [0.87]], 0.02, (3, 10))
    >>> blocks = Blocks(x, rho=0.1, algorithms=["knn", "gbm", "svm"], metrics=["auc"])
    >>> posterior = bayesian.groups(blocks, rope=0.01, seed=1)
    >>> ax = plots.plot_rank_probabilities(posterior)
    >>> ax.get_yticklabels()[0].get_text()
    'svm'
    """
    ax = draw_ranks(posterior.rank_probabilities(by, rope=rope), _title(posterior, by), ax)
    return note(ax, "Probabilities of the algorithms' ranks", facts_of_posterior(posterior))


def draw_ranks(table: pd.DataFrame, title: str, ax: Axes | None = None) -> Axes:
    """Draw a table of rank probabilities, the best expected rank on top."""
    ranks = table.columns.to_numpy(dtype=float)
    expected = table.to_numpy() @ ranks
    order = np.argsort(expected, kind="stable")
    shown, expected = table.to_numpy()[order], expected[order]
    ax = axes_for(ax, _size_of_ranks([str(name) for name in table.index]))
    size = len(order)
    most = letters(0.4 * room(ax), 7.5)
    names = shorten_all([table.index[i] for i in order], most)
    cell = (room(ax) - max(text_width(name, 7.5) for name in names) - 0.1) / size
    ax.imshow(shown, cmap=shades(quantity()), vmin=0, vmax=1, aspect="auto", zorder=0)
    _write_ranks(ax, shown, min(cell, CELL) * 72 * 0.9 / 3.4)
    ax.plot(
        expected - 1,
        np.arange(size) + 0.36,
        marker="^",
        linestyle="none",
        markersize=3.5,
        color=ink(),
        markeredgecolor=paper(),
        markeredgewidth=0.4,
        clip_on=False,
        zorder=3,
    )
    _frame_ranks(ax, names, title, min(cell, CELL))
    return ax


def ranks_size(posterior: GroupsPosterior) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    return _size_of_ranks(list(posterior.algorithms))


def _size_of_ranks(names: list[str]) -> tuple[float, float]:
    beside = max(text_width(name, 7.5) for name in shorten_all(names))
    width, _ = sized(float(np.clip(CELL * len(names) + beside + 0.3, 0.8 * COLUMN, WIDEST)), 0.0)
    beside = min(beside, 0.4 * width)
    cell = min(CELL, (width - beside - 0.25) / len(names))
    return width, max(cell, 0.1) * len(names) + 0.9


def _write_ranks(ax: Axes, shares: np.ndarray, size: float) -> None:
    """Probabilities in their cells, where they can be read."""
    if size < LEAST:
        return
    colours = shades(quantity())
    for i, row in enumerate(shares):
        for j, p in enumerate(row):
            if p < 0.005:
                continue
            colour = on(colours(float(p))[:3])
            write_inside(ax, j, i - 0.06, probability(p), min(size, 7.0), colour, zorder=2)


def _frame_ranks(ax: Axes, names: list[str], title: str, cell: float) -> None:
    size = len(names)
    step = 1 if cell >= 0.17 else 5  # ranks have two figures
    ranks = [rank for rank in range(1, size + 1) if rank == 1 or rank % step == 0]
    label_cells(ax, [""] * size, names)
    ax.set_xticks([rank - 1 for rank in ranks], [str(rank) for rank in ranks])
    ax.tick_params(axis="y", labelsize=row_text(cell))
    ax.tick_params(axis="x", labelsize=7.5)
    label_below(ax, title, 7)
    for edge in np.arange(-0.5, size):
        ax.axhline(edge, color=paper(), linewidth=1.0, zorder=1)
        ax.axvline(edge, color=paper(), linewidth=1.0, zorder=1)


def _title(posterior: GroupsPosterior, by: str | ArrayLike | None) -> str:
    if by is None:
        by = posterior.metrics[0] if len(posterior.metrics) == 1 else "dominance"
    if not isinstance(by, str):
        by = "a weighted sum of metrics"
    return f"columns: rank by {shorten(by)}; ▲ expected rank"


#: What the plots of several algorithms over data sets are made of.
JOINT = (
    "a joint posterior, e.g. of bayesian.bootstrap or joint_t",
    "bayescmp.bayesian.joint.standings:JointBase",
)

# Heat map of the ranks that several algorithms may have on the next data set, or on average.


@made_of(*JOINT)
def plot_ranks(posterior: JointBase, *, on: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw each algorithm's probabilities of every rank, the best expected rank on top.

    Parameters
    ----------
    posterior : JointBase
        As `bayescmp.bayesian.joint_t`, `bootstrap` or `friedman` returns it.
    on : {"next", "average"}, optional
        Ranks on the next data set, or those of averages over data sets; the model's first target
        if not given.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        Numbers are hundredths; the triangle is the expected rank.

    See Also
    --------
    plot_rank_probabilities : Of algorithms on one data set.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> ax = bc.plots.plot_ranks(bc.bayesian.bootstrap(means, rope=0.01, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A3', 'A2', 'A1']
    """
    target = posterior.targets[0] if on is None else on
    table = posterior.ranks(target)
    on = posterior.spoken[target]
    ax = draw_ranks(table, f"columns: rank {on}; ▲ expected rank", ax)
    return note(ax, f"Probabilities of the algorithms' ranks {on}", facts_of_posterior(posterior))


# Probability of each algorithm being best, on the next data set and on average.


#: Algorithms that fit on a figure.
MOST = 40
#: Inches of a row, and of all of them at most.
ROW, ROWS = 0.26, 7.2
#: What the targets are called, and their markers.
LOOKS = {"next": ("next data set", "o"), "average": ("on average", "D")}


@made_of(*JOINT)
def plot_best(posterior: JointBase, *, ax: Axes | None = None) -> Axes:
    """Draw P(best) of each algorithm with two Monte Carlo errors on each side.

    Parameters
    ----------
    posterior : JointBase
        As `bayescmp.bayesian.joint_t`, `bootstrap` or `friedman` returns it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        A dot for the next data set, a diamond for the average over data sets: two questions, drawn
        side by side and never mixed. Of many algorithms the first 40.

    See Also
    --------
    plot_ranks : All ranks, not the first alone.
    plot_top_sets : Which sets hold only algorithms near the best.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> ax = bc.plots.plot_best(bc.bayesian.bootstrap(means, rope=0.01, seed=1))
    >>> ax.get_xlabel()
    'probability of being best'
    """
    table = posterior.overview().head(MOST)
    size = len(table)
    row = min(ROW, ROWS / size)
    ax = axes_for(ax, (column(), 0.85 + row * size))
    places = np.arange(size)
    several = len(posterior.targets) > 1
    for k, target in enumerate(posterior.targets):
        label, marker = LOOKS[target]
        colour = quantity() if target == "next" else ink(0.65)
        face = colour if target == "next" else paper()
        p, error = table[f"p_{target}"].to_numpy(), 2 * table[f"se_{target}"].to_numpy()
        ends = np.clip([np.minimum(error, p), np.minimum(error, 1 - p)], 0, None)
        ax.errorbar(
            p,
            places + (0.24 * k - 0.12) * several,
            xerr=ends,
            fmt=marker,
            color=colour,
            markerfacecolor=face,
            markersize=4.5,
            linewidth=1.2,
            label=label,
        )
    ax.set_yticks(places, shorten_all(table.index, letters(0.45 * room(ax), 7.5)))
    ax.set_ylim(size - 0.5, -0.5)
    ax.set_xlim(-0.02, 1.02)
    ax.tick_params(axis="x", labelsize=7.5)
    ax.tick_params(axis="y", labelsize=row_text(row))
    label_below(ax, "probability of being best", 8)
    ax.grid(axis="x", color=ink(0.1), linewidth=0.6)
    ax.set_axisbelow(True)
    keep_sides(ax, "left", "bottom")
    if several:
        legend_above(ax, *ax.get_legend_handles_labels())
    return note(ax, "Probability of each algorithm being best", facts_of_posterior(posterior))


# The nested sets of best algorithms, with the probability that all of each are near the best.


#: Sizes that are drawn at most: larger sets are hardly ever all near the best.
MOST_SETS = 20


@made_of(
    *JOINT,
    threshold=share,
)
def plot_top_sets(
    posterior: JointBase,
    *,
    on: str | None = None,
    rope: RopeLike | None = None,
    threshold: float = 0.5,
    ax: Axes | None = None,
) -> Axes:
    """Draw the joint probability of the nested top sets against the algorithm that each adds.

    Parameters
    ----------
    posterior : JointBase
        As `bayescmp.bayesian.joint_t`, `bootstrap` or `friedman` returns it.
    on : {"next", "average"}, optional
        As for `plot_ranks`.
    rope : float, optional
        Another half-width than the posterior's own.
    threshold : float
        Drawn as a line: the largest set above it is filled.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        Bars with two Monte Carlo errors on each side.

    See Also
    --------
    plot_best : Each algorithm by itself.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> ax = bc.plots.plot_top_sets(bc.bayesian.bootstrap(means, rope=0.02, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A3', '+ A2', '+ A1']
    """
    target = posterior.targets[0] if on is None else on
    table = posterior.top_sets(target, rope=rope).head(MOST_SETS)
    ax = axes_for(ax, (column(), 0.7 + 0.24 * len(table)))
    places, p = np.arange(len(table)), table["p_joint"].to_numpy()
    filled = mixed(quantity(), paper(), 0.7)
    faces = [filled if value >= threshold else paper() for value in p]
    ax.barh(places, p, height=0.62, color=faces, edgecolor=quantity(), linewidth=0.8)
    ax.errorbar(
        p, places, xerr=2 * table["se_joint"].to_numpy(), fmt="none", color=ink(), linewidth=0.9
    )
    ax.axvline(threshold, color=ink(0.5), linewidth=0.9, linestyle=(0, (3, 2)))
    names = shorten_all(table["added"], letters(0.42 * room(ax), 7.5))
    ax.set_yticks(places, [name if k == 0 else f"+ {name}" for k, name in enumerate(names)])
    ax.set_ylim(len(table) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.tick_params(labelsize=7.5)
    label_below(ax, f"probability: all within the rope of the best, {posterior.spoken[target]}", 8)
    keep_sides(ax, "left", "bottom")
    shown = f"Probability that all of a set are near the best, {posterior.spoken[target]}"
    return note(ax, shown, replace(facts_of_posterior(posterior), threshold=threshold))
