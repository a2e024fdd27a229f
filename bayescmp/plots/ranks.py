"""Several algorithms: their ranks, which is best, and sets of the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bayescmp.base.checks import share
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.drawing import (
    COLUMN,
    LEGIBLE,
    axes_for,
    column,
    frame_axes,
    in_metric,
    ink,
    label_below,
    label_cells,
    legend_above,
    letters,
    made_of,
    measure_widest,
    mix_colours,
    paper,
    pick_text_colour,
    quantity,
    room,
    row_text,
    shades,
    shorten,
    shorten_all,
    size_figure,
    write_inside,
)
from bayescmp.scores.rope import as_rope, rope_phrase
from bayescmp.wording.text import format_count, format_probability

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.bayesian.joint.standings import StandingsPosterior
    from bayescmp.scores.rope import RopeLike, RopesLike


# Heat map of rank probabilities: the probability of being best, second best, ...


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
        One with ``rank_probabilities(by)``.
    ax : matplotlib Axes, optional
    by, rope : optional
        What to rank by, and regions for dominance; see `GroupsPosterior.rank_probabilities`.

    Returns
    -------
    matplotlib Axes
        Numbers are probabilities; the triangle is the expected rank.

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
    shown = f"Probabilities of the {posterior.subject}s' ranks"
    return note(ax, shown, facts_of_posterior(posterior))


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
    cell = (room(ax) - measure_widest(names, 7.5) - 0.1) / size
    text = min(min(cell, CELL) * 72 * 0.9 / 3.4, 7.0)
    darkest = 1.0 if text >= LEAST else float(shown.max())
    ax.imshow(shown, cmap=shades(), vmin=0, vmax=darkest, aspect="auto", zorder=0)
    if text >= LEAST:
        _write_ranks(ax, shown, text)
    else:
        title += f"\nshade: probability, the darkest {format_probability(darkest)}"
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
    """Return width and height, in inches, of a figure that fits the plot."""
    return _size_of_ranks(list(posterior.algorithms))


def _size_of_ranks(names: list[str]) -> tuple[float, float]:
    beside = measure_widest(shorten_all(names), 7.5)
    width, _ = size_figure(
        float(np.clip(CELL * len(names) + beside + 0.3, 0.8 * COLUMN, WIDEST)), 0.0
    )
    beside = min(beside, 0.4 * width)
    cell = min(CELL, (width - beside - 0.25) / len(names))
    return width, max(cell, LEGIBLE) * len(names) + 0.9 + (cell * 72 * 0.9 / 3.4 < LEAST) * 0.13


def _write_ranks(ax: Axes, shares: np.ndarray, size: float) -> None:
    colours = shades()
    for i, row in enumerate(shares):
        for j, p in enumerate(row):
            if p < 0.005:
                continue
            colour = pick_text_colour(colours(float(p))[:3])
            write_inside(ax, j, i - 0.06, format_probability(p), size, colour, zorder=2)


def _frame_ranks(ax: Axes, names: list[str], title: str, cell: float) -> None:
    size = len(names)
    step = 1 if cell >= 0.17 else 5  # ranks have two figures
    ranks = [rank for rank in range(1, size + 1) if rank == 1 or rank % step == 0]
    label_cells(ax, [""] * size, names)
    ax.set_xticks([rank - 1 for rank in ranks], [str(rank) for rank in ranks])
    ax.tick_params(axis="y", labelsize=row_text(max(cell, LEGIBLE)))
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


#: Inputs of the plots of several algorithms over data sets.
JOINT = (
    "a joint posterior, e.g. of bayesian.bootstrap or joint_t",
    "bayescmp.bayesian.joint.standings:StandingsPosterior",
)

# Heat map of the ranks that several algorithms may have on a new data set, or on average.


@made_of(*JOINT)
def plot_ranks(
    posterior: StandingsPosterior, *, on: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw several algorithms' probabilities of every rank over data sets, the best on top.

    Parameters
    ----------
    posterior : StandingsPosterior
        As `bayescmp.bayesian.joint_t`, `bootstrap` or `friedman` returns it.
    on : {"next", "average"}, optional
        Ranks on a new data set, or of averages over data sets; by default the model's main target.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        Numbers are probabilities; the triangle is the expected rank.

    See Also
    --------
    plot_rank_probabilities : The ranks of algorithms on one data set.

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
    shown = f"Probabilities of the {posterior.subject}s' ranks {on}"
    return note(ax, shown, facts_of_posterior(posterior))


# Probability of each algorithm being best, on a new data set and on average.


#: Algorithms that fit on a figure.
MOST = 40
#: Inches of a row, and of all of them at most.
ROW, ROWS = 0.26, 7.2
#: Names of the targets, and their markers.
LOOKS = {"next": ("new {unit}", "o"), "average": ("on average", "D")}


@made_of(*JOINT)
def plot_best(posterior: StandingsPosterior, *, ax: Axes | None = None) -> Axes:
    """Draw P(best) of each algorithm with two Monte Carlo errors on each side.

    Parameters
    ----------
    posterior : StandingsPosterior
        As `bayescmp.bayesian.joint_t`, `bootstrap` or `friedman` returns it.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        A dot for a new data set, a diamond for the average over data sets. Of many algorithms, the
        first 40 are drawn, and the figure states the total.

    See Also
    --------
    plot_ranks, plot_top_sets

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> ax = bc.plots.plot_best(bc.bayesian.bootstrap(means, rope=0.01, seed=1))
    >>> ax.get_xlabel()
    'probability of being best'
    """
    every = posterior.overview()
    table, part = every.head(MOST), _part(every, MOST, posterior.subject)
    size = len(table)
    row = min(ROW, ROWS / size)
    ax = axes_for(ax, (column(), 0.85 + row * size + (0.13 if part else 0.0)))
    places = np.arange(size)
    several = len(posterior.targets) > 1
    for k, target in enumerate(posterior.targets):
        label, marker = LOOKS[target][0].format(unit=posterior.unit), LOOKS[target][1]
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
    ax.set(xlim=(-0.02, 1.02), ylim=(size - 0.5, -0.5))
    frame_axes(ax, "left", "bottom", axis="x", labelsize=7.5)
    ax.tick_params(axis="y", labelsize=row_text(row))
    alone = "" if several else f" {posterior.spoken[posterior.targets[0]]}"
    words = f"probability of being best{alone}{in_metric(posterior.measured)}"
    label_below(ax, words, 8, part)
    ax.grid(axis="x", color=ink(0.1), linewidth=0.6)
    ax.set_axisbelow(True)
    if several:
        legend_above(ax, *ax.get_legend_handles_labels())
    shown, bars = f"Probability of each {posterior.subject} being best", "two Monte Carlo errors"
    return note(ax, shown, facts_of_posterior(posterior), f"bars: {bars}", part)


def _part(every: pd.DataFrame, most: int, one: str) -> str:
    """State how many of the rows are drawn; "" if all are."""
    return f"the first {most} of {format_count(len(every), one)}" if len(every) > most else ""


# The nested sets of best algorithms, with the probability that all of each are near the best.


#: Sizes that are drawn at most: larger sets are hardly ever all near the best.
MOST_SETS = 20


@made_of(
    *JOINT,
    threshold=share,
)
def plot_top_sets(
    posterior: StandingsPosterior,
    *,
    on: str | None = None,
    rope: RopeLike | None = None,
    threshold: float = 0.5,
    ax: Axes | None = None,
) -> Axes:
    """Draw the joint probability of the nested top sets against the algorithm that each adds.

    Parameters
    ----------
    posterior, on, ax
        As for `plot_ranks`.
    rope : float, optional
        Another half-width than the posterior's own.
    threshold : float
        Drawn as a line: the largest set above it is filled.

    Returns
    -------
    matplotlib Axes
        Bars with two Monte Carlo errors on each side. Of many algorithms, the first 20 are drawn,
        and the figure states the total.

    See Also
    --------
    plot_best : Each algorithm separately.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> ax = bc.plots.plot_top_sets(bc.bayesian.bootstrap(means, rope=0.02, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A3', '+ A2', '+ A1']
    """
    target = posterior.targets[0] if on is None else on
    every = posterior.top_sets(target, rope=rope)
    table, part = every.head(MOST_SETS), _part(every, MOST_SETS, "set")
    ax = axes_for(ax, (column(), 0.96 + 0.24 * len(table) + (0.13 if part else 0.0)))
    places, p = np.arange(len(table)), table["p_joint"].to_numpy()
    filled = mix_colours(quantity(), paper(), 0.7)
    faces = [filled if value >= threshold else paper() for value in p]
    ax.barh(places, p, height=0.62, color=faces, edgecolor=quantity(), linewidth=0.8)
    ax.errorbar(
        p, places, xerr=2 * table["se_joint"].to_numpy(), fmt="none", color=ink(), linewidth=0.9
    )
    ax.axvline(threshold, color=ink(0.5), linewidth=0.9, linestyle=(0, (3, 2)))
    names = shorten_all(table["added"], letters(0.42 * room(ax), 7.5))
    ax.set_yticks(places, [name if k == 0 else f"+ {name}" for k, name in enumerate(names)])
    ax.set(xlim=(0, 1), ylim=(len(table) - 0.5, -0.5))
    frame_axes(ax, "left", "bottom", labelsize=7.5)
    words = f"probability: all within the ROPE of the best, {posterior.spoken[target]}"
    key = f"filled: {threshold:g} (dashed) or more"
    label_below(ax, words, 8, key, part)
    shown = f"Probability that all of a set are near the best, {posterior.spoken[target]}"
    own = {} if rope is None else {"rope": rope_phrase(as_rope(rope))}
    marks = key, "lines: two Monte Carlo errors", part
    return note(ax, shown, facts_of_posterior(posterior), *marks, threshold=threshold, **own)
