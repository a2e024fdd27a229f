"""Many verdicts: a matrix of all pairs, and labelled bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.base.declare import flag
from bayescmp.errors import InputError
from bayescmp.plots.captions import facts_of_pairs, facts_of_verdict, note
from bayescmp.plots.drawing import (
    COLUMN,
    axes_for,
    column,
    fill,
    ink,
    label_below,
    legend_above,
    legend_columns,
    letters,
    made_of,
    mixed,
    on,
    paper,
    room,
    row_text,
    shorten,
    shorten_all,
    sized,
    text_width,
)
from bayescmp.results.verdict import check_threshold
from bayescmp.study.comparisons import PairResult
from bayescmp.wording.regions import COLOURS, ORDER, SIGNS
from bayescmp.wording.text import listed, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.results.verdict import Verdict
    from bayescmp.study.comparisons import Comparisons

__all__ = [
    "number_in_cell",
    "plot_verdict_bar",
    "plot_verdicts",
    "tint",
    "verdict_bar_size",
    "verdicts_size",
]


# Matrix of many verdicts: all pairs of algorithms, or all against a control.


REGIONS = ("left", "rope", "right")
#: Inches: height of a row of the table, side of a cell of the matrix, above and below the cells.
CELL, SIDE, AROUND = 0.3, 0.46, 0.85
#: Width of the largest matrix, inches.
WIDEST = 9.5
#: Inches of a row that can be read; where columns are narrower, names stand at the rows alone,
#: with numbers that the columns have too.
LEGIBLE = 0.125
#: Font sizes: below which a cell has its sign only, and nothing; of columns' numbers.
NUMBERS, LEAST, DIGITS = 4.5, 2.5, 5.5


@made_of(
    "the result of bc.compare_all",
    "bayescmp.study.comparisons:Comparisons",
    undecided_only=flag,
)
def plot_verdicts(
    comparisons: Comparisons,
    *,
    ax: Axes | None = None,
    decided: float | None = None,
    undecided_only: bool = False,
) -> Axes:
    """Draw the verdicts on all pairs as a matrix, or on all against a control as a table.

    Of all pairs, a cell above the diagonal says how the algorithm of its row does against that of
    its column: the most probable outcome, "+" better, "=" equivalent, "−" worse, with its
    probability, and a frame where that is decided. A cell below it has the mean difference, row
    minus column, and on how many data sets the row wins, is within the rope, and loses: the
    multi-comparison matrix with a posterior in place of p-values. The algorithms are sorted, the
    one that is best on average first. Against a control, a row has the three probabilities of one
    algorithm.

    Parameters
    ----------
    comparisons : Comparisons
        What `bayescmp.compare_all` returned.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.
    decided : float, optional
        Frame cells from this probability on; the threshold of the verdicts if not given.
    undecided_only : bool
        Leave the cells of decided pairs empty.

    Returns
    -------
    matplotlib Axes
        Pairs that failed are crossed out. Numbers that do not fit are left out; where names do not
        fit above the columns, they stand at the rows alone, numbered.

    References
    ----------
    Ismail-Fawaz, Dempster, Tan, Herrmann, Miller, Schmidt, Berretti, Weber, Devanne, Forestier &
    Webb (2023), An approach to multiple comparison benchmark evaluations that is stable under
    manipulation of the comparate set, arXiv:2305.11921, figure 3.

    See Also
    --------
    plot_pvalues : The frequentist tests of all pairs.
    plot_verdict_bar : Few verdicts as bars.

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
    >>> ax = bc.plots.plot_verdicts(bc.compare_all(scores, rope=0.01, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['svm', 'gbm', 'knn']
    """
    limit = next(iter(comparisons.results.values())).verdict.threshold
    limit = limit if decided is None else check_threshold(decided)
    draw = _draw_matrix if comparisons.control is None else _draw_table
    decides = listed(
        [*dict.fromkeys(r.verdict.decides for r in comparisons.results.values())], "or"
    )
    return note(
        draw(comparisons, ax, limit, undecided_only),
        f"Verdicts on pairs of algorithms: posterior probability of the {decides}",
        facts_of_pairs(comparisons, limit),
    )


def _draw_matrix(
    comparisons: Comparisons, ax: Axes | None, limit: float, undecided_only: bool
) -> Axes:
    names = comparisons.order
    k = len(names)
    ax = axes_for(ax, verdicts_size(comparisons))
    cell, most = _cell_and_letters(comparisons, room(ax))
    means = [result.means for result in comparisons.results.values() if len(result.means)]
    halves = bool(means) and _cell_text(cell, 7) >= NUMBERS
    size = _cell_text(cell, 7 if halves else 6)  # ">0.999", in bold
    colours = np.full((k, k, 3), paper())
    for i, row in enumerate(names):
        ax.plot([i - 0.5, i + 0.5], [i - 0.5, i + 0.5], color=ink(0.25), linewidth=0.6)
        for j, other in enumerate(names):
            if i == j:
                continue
            v = _verdict(comparisons, row, other)
            if v is None:
                _cross(ax, j, i)
            elif undecided_only and _decided(v, v.ranked[0], limit):
                continue
            elif halves and i > j:
                _below_diagonal(ax, (j, i), comparisons, (row, other), size)
            else:
                colours[i, j] = tint(v.ranked[0], v.probabilities[v.ranked[0]])
                _cell(ax, (j, i), v, v.ranked[0], limit, size, SIGNS[v.ranked[0]])
    ax.imshow(colours, zorder=0, aspect="auto")
    labels = shorten_all(names, most)
    if cell < LEGIBLE:
        _frame_by_numbers(ax, labels)
    else:
        _frame(ax, labels, labels, cell)
        ax.set_xticks(range(k), labels, rotation=90 if max(map(len, labels)) * 0.06 > cell else 0)
    label_below(ax, _matrix_key(comparisons, limit, halves, undecided_only), 7)
    return ax


def _matrix_key(comparisons: Comparisons, limit: float, halves: bool, undecided_only: bool) -> str:
    """How to read the matrix."""
    where = "above the diagonal, row against column" if halves else "row against column"
    meanings = (("+", "better"), ("=", "equivalent"), ("−", "worse"))
    signs = ", ".join(f"{sign}\N{NO-BREAK SPACE}{meaning}" for sign, meaning in meanings)
    lines = [f"{where}: {signs}", _key(comparisons, limit)]
    if halves:
        lines.append("below: mean difference; data sets won / within the rope / lost")
    if undecided_only:
        lines.append("empty: decided")
    return "\n".join(lines)


def _below_diagonal(
    ax: Axes, at: tuple[int, int], comparisons: Comparisons, pair: tuple[str, str], size: float
) -> None:
    """Mean difference, row minus column, and data sets won, within the rope and lost."""
    forward = pair in comparisons.results
    result = comparisons.results[pair if forward else pair[::-1]]
    if not len(result.means):
        return
    lead = np.array(result.means) * (-1 if forward else 1)  # of the row over the column
    rope = comparisons.rope if not forward else comparisons.rope.swapped()
    counts = (lead > rope.high).sum(), (lead < rope.low).sum()
    ties = len(lead) - sum(counts)
    words = f"{lead.mean():+.3f}\n{counts[0]}/{ties}/{counts[1]}".replace("-", "−")
    ax.text(*at, words, ha="center", va="center", fontsize=size, color=ink(0.75), linespacing=0.95)


def _draw_table(
    comparisons: Comparisons, ax: Axes | None, limit: float, undecided_only: bool
) -> Axes:
    control = str(comparisons.control)
    names = [n for n in comparisons.order if n != control]
    ax = axes_for(ax, verdicts_size(comparisons))
    height = _row(len(names))
    most = letters(0.38 * room(ax), 7.5)
    labels = shorten_all(names, most)
    width = (room(ax) - max(text_width(name, 7.5) for name in labels)) / 3
    size = min(_cell_text(min(width, 2 * height), 6), row_text(height))
    colours = np.full((len(names), 3, 3), paper())
    for i, name in enumerate(names):
        v = _verdict(comparisons, control, name)
        for j, region in enumerate(REGIONS):
            if v is None:
                _cross(ax, j, i)
            elif not (undecided_only and _decided(v, v.ranked[0], limit)):
                colours[i, j] = tint(region, v.probabilities[region])
                _cell(ax, (j, i), v, region, limit, size)
    ax.imshow(colours, zorder=0, aspect="auto")
    head = shorten(control, letters(width, 7.5, 12, 6))
    _frame(ax, [f"{head}\nbetter", "equivalent", "other\nbetter"], labels, height)
    label_below(ax, _key(comparisons, limit) + ("\nempty: decided" * undecided_only), 7)
    return ax


def _key(comparisons: Comparisons, limit: float) -> str:
    """What the numbers are, and which are framed."""
    quantities = dict.fromkeys(r.verdict.decides for r in comparisons.results.values())
    of = f", {comparisons.measured}" if comparisons.measured else ""
    quantity = listed([*quantities], "or")
    return f"probability: {quantity}{of}\nframed: at least {limit:g}, less two standard errors"


def _verdict(comparisons: Comparisons, first: str, second: str) -> Verdict | None:
    """The verdict on a pair in either order, None if it failed."""
    if (first, second) in comparisons.failures or (second, first) in comparisons.failures:
        return None
    return comparisons.verdict(first, second)


def verdicts_size(comparisons: Comparisons) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    count = len(comparisons.algorithms)
    if comparisons.control is not None:
        return sized(COLUMN, AROUND + 0.15 + _row(count - 1) * (count - 1))
    names = shorten_all(comparisons.algorithms)
    beside = max(text_width(name, 7.5) for name in names)
    width, _ = sized(float(np.clip(beside + SIDE * count + 0.25, COLUMN, WIDEST)), 0.0)
    cell, most = _cell_and_letters(comparisons, width - 0.2)
    if cell < LEGIBLE:
        return width, LEGIBLE * count + 0.1 + AROUND
    above = max(text_width(name, 7.5) for name in shorten_all(names, most))
    return width, min(cell, SIDE) * count + above + AROUND


def _row(count: int) -> float:
    """Inches of a row of the table; many are smaller, so that they fit a page."""
    return min(CELL, 7.0 / count)


def _cell_and_letters(comparisons: Comparisons, inches: float) -> tuple[float, int]:
    """Width of a cell, and letters of a name beside them: two fifths of the width at most."""
    names = shorten_all(comparisons.algorithms)
    beside = max(text_width(name, 7.5) for name in names)
    most = 28 if beside <= 0.4 * inches else letters(0.4 * inches, 7.5)
    beside = max(text_width(name, 7.5) for name in shorten_all(names, most))
    cell = min((inches - beside - 0.1) / len(names), 1.2 * SIDE)
    if cell >= LEGIBLE:
        return cell, most
    size = row_text(LEGIBLE)  # with a number behind each name
    most = letters(0.4 * inches - text_width(" · 00", size), size)
    beside = max(text_width(f"{name} · 00", size) for name in shorten_all(names, most))
    return (inches - beside - 0.1) / len(names), most


def _cell_text(cell: float, characters: int) -> float:
    """Font size at which a line of characters fills its cell but does not leave it."""
    return float(min(0.86 * cell * 72 / (0.6 * characters), 0.86 * cell * 72 / 2.4, 8.0))


def tint(region: str, p: float) -> np.ndarray:
    """The region's colour, paler the less probable it is: the background at one third."""
    weight = float(np.clip((p - 1 / 3) / (2 / 3), 0, 1)) * 0.8
    return np.array(mixed(COLOURS[region], paper(), weight))


def _decided(v: Verdict, region: str, limit: float) -> bool:
    return v.probabilities[region] - 2 * v.errors.get(region, 0.0) >= limit


def _cell(
    ax: Axes,
    at: tuple[int, int],
    v: Verdict,
    region: str,
    limit: float,
    size: float,
    sign: str = "",
) -> None:
    """What a coloured cell says, and its frame."""
    from matplotlib.patches import Rectangle

    p = v.probabilities[region]
    x, y = at
    decided = _decided(v, region, limit)
    if decided:
        ax.add_patch(
            Rectangle(
                (x - 0.44, y - 0.44),
                0.88,
                0.88,
                fill=False,
                edgecolor=ink(),
                linewidth=1.1 if size > NUMBERS else 0.5,
                zorder=3,
            )
        )
    number = number_in_cell(p, limit) if size >= NUMBERS else ""
    words = "\n".join(part for part in (sign, number) if part)
    size = size if number else min(4.0 * size, 7.0)
    if words and size >= LEAST:
        ax.text(
            x,
            y,
            words,
            ha="center",
            va="center",
            fontsize=size,
            color=on(tint(region, p)),
            fontweight="bold" if decided else "normal",
            linespacing=0.95,
            zorder=4,
        )


def number_in_cell(p: float, limit: float) -> str:
    """As everywhere to three digits, but never rounded up to a limit that is not reached."""
    return probability(np.floor(1000 * p) / 1000 if p < limit <= round(p, 3) else p)


def _cross(ax: Axes, x: int, y: int) -> None:
    ax.plot([x - 0.2, x + 0.2], [y - 0.2, y + 0.2], color=ink(0.5), linewidth=0.8)
    ax.plot([x - 0.2, x + 0.2], [y + 0.2, y - 0.2], color=ink(0.5), linewidth=0.8)


def _frame_by_numbers(ax: Axes, names: list[str]) -> None:
    """Names with numbers at the rows, and every fifth number above the narrow columns."""
    k = len(names)
    _frame(ax, [""] * k, [f"{name} · {i}" for i, name in enumerate(names, 1)], LEGIBLE)
    every = [0, *range(4, k, 5)]
    ax.set_xticks(every, [str(i + 1) for i in every], fontsize=DIGITS)


def _frame(ax: Axes, columns: list[str], rows: list[str], pitch: float) -> None:
    wide, high = len(columns), len(rows)
    ax.set_xlim(-0.5, wide - 0.5)
    ax.set_ylim(high - 0.5, -0.5)
    ax.xaxis.tick_top()
    ax.set_xticks(range(wide), columns)
    ax.set_yticks(range(high), rows)
    ax.xaxis.set_label_position("bottom")
    ax.tick_params(axis="y", labelsize=row_text(pitch))
    ax.tick_params(axis="x", labelsize=row_text(pitch) if wide == high else 7.5)
    ax.tick_params(length=0)
    ax.set_xticks(np.arange(1, wide) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, high) - 0.5, minor=True)
    ax.grid(which="minor", color=paper(), linewidth=0.8, zorder=1)
    ax.tick_params(which="minor", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


# Verdicts as labelled bars: every region's probability on one line.


#: Inches: a bar with its gap, all of them at most, a row of the legend.
ROW, ROWS, LEGEND = 0.34, 7.4, 0.15


@made_of("a verdict, or a mapping of labels to verdicts")
def plot_verdict_bar(verdicts: Any, *, ax: Axes | None = None) -> Axes:
    """Draw one verdict, or several below each other, as stacked bars.

    Parameters
    ----------
    verdicts : Verdict, or mapping of label or (first, second) to Verdict or PairResult
        All over the same regions; `Comparisons.results` is such a mapping.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        Lengths are probabilities, written in where there is room. For a single verdict the legend
        has all numbers; a bold label marks a decision.

    Raises
    ------
    InputError
        If there is none, or they have different regions.

    See Also
    --------
    plot_verdicts : All pairs as a matrix.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [0.01, 0.03, 0.02, 0.00, 0.02]
    >>> posterior = bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "gbm"))
    >>> ax = plots.plot_verdict_bar(posterior.verdict())
    >>> [text.get_text().split("  ")[0] for text in ax.get_legend().get_texts()]
    ['knn better', 'equivalent', 'gbm better']
    """
    rows = _rows(verdicts)
    each = list(rows.values())
    ax = axes_for(ax, verdict_bar_size(verdicts))
    single = len(rows) == 1
    size = row_text(_bar_row(len(rows)), 7)
    for i, v in enumerate(each):
        _bar(ax, v, i, 0.0 if single else size)
    ax.set_xlim(0, 1)
    ax.set_ylim(len(rows) - 0.45, -0.55)
    most = letters(0.45 * room(ax) / 2, size, 14, 7)
    ax.set_yticks([] if single else range(len(rows)), None if single else _labels(verdicts, most))
    if not single:
        for label, v in zip(ax.get_yticklabels(), each, strict=True):
            label.set_fontweight("bold" if v.decided else "normal")
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    ax.tick_params(labelsize=7, length=2)
    ax.tick_params(axis="y", length=0, labelsize=size)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    label_below(ax, f"probability: {_quantity(each)}", 7)
    _legend(ax, each[0], single)
    quantity = f"Posterior probabilities of the {_quantity(each)}"
    return note(ax, quantity, facts_of_verdict(each[0], single=single))


def _quantity(verdicts: list[Verdict]) -> str:
    """What the probabilities are of, and in which metric."""
    decides = listed(list(dict.fromkeys(v.decides for v in verdicts)), "or")
    measured = {v.measured for v in verdicts}
    of = measured.pop() if len(measured) == 1 else ""
    return f"{decides}, {of}" if of else decides


def verdict_bar_size(verdicts: Any) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    rows = _rows(verdicts)
    words = [text for _, text in _legend_rows(next(iter(rows.values())), len(rows) == 1)]
    width = column()
    if len(rows) > 1:
        beside = max(text_width(label, 7) for label in _labels(verdicts, 14))
        width, _ = sized(max(column(), beside + 2.4), 0.0)
    lines = -(-len(words) // legend_columns(words, width - 0.25, 7))
    return width, 0.55 + LEGEND * lines + _bar_row(len(rows)) * len(rows)


def _bar_row(count: int) -> float:
    """Inches of a bar with its gap; many are thinner, so that they fit a page."""
    return min(ROW, ROWS / count)


def _rows(verdicts: Any) -> dict[object, Verdict]:
    """Keys of the bars with their verdicts."""
    if not isinstance(verdicts, Mapping):
        verdicts = {"": verdicts}
    if not verdicts:
        raise InputError("verdicts is empty; accepted: a verdict, or a mapping of labels to them")
    rows = {key: v.verdict if isinstance(v, PairResult) else v for key, v in verdicts.items()}
    if len({tuple(v.probabilities) for v in rows.values()}) > 1:
        raise InputError(
            "verdicts have different regions; accepted: all of one or of several metrics"
        )
    return rows


def _labels(verdicts: Mapping[object, object], most: int) -> list[str]:
    """Each bar's label; a pair's two names are shortened by themselves."""
    parts = [key if isinstance(key, tuple) else (key,) for key in verdicts]
    names = list(dict.fromkeys(str(name) for part in parts for name in part))
    short = dict(zip(names, shorten_all(names, most), strict=True))
    return [" – ".join(short[str(name)] for name in part) for part in parts]


def _regions(v: Verdict) -> list[str]:
    return [r for r in ORDER if r in v.possible]


def _bar(ax: Axes, v: Verdict, row: int, size: float) -> None:
    """The parts of a bar, with numbers of that size where there is room for them."""
    left = 0.0
    for region in _regions(v):
        p = v.probabilities[region]
        ax.barh(row, p, left=left, height=0.62, zorder=2, **fill(region))
        ax.barh(
            row, p, left=left, height=0.62, fill=False, edgecolor=paper(), linewidth=0.8, zorder=4
        )
        if size and p >= 0.16:
            ax.text(
                left + p / 2,
                row,
                number_in_cell(p, v.threshold),
                ha="center",
                va="center",
                fontsize=size,
                color=ink(),
                zorder=5,
                bbox={"facecolor": paper(), "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
            )
        left += p


def _legend_rows(v: Verdict, single: bool) -> list[tuple[str, str]]:
    """Regions with what the legend says of them."""
    words = [(region, _word(v, region, single)) for region in _regions(v)]
    if not single:
        return words
    return [(r, f"{word}  {probability(v.probabilities[r], v.floor)}") for r, word in words]


def _legend(ax: Axes, v: Verdict, single: bool) -> None:
    from matplotlib.patches import Patch

    rows = _legend_rows(v, single)
    legend_above(ax, [Patch(**fill(region)) for region, _ in rows], [text for _, text in rows])


def _word(v: Verdict, region: str, single: bool) -> str:
    """A region in words; of several pairs without their names."""
    if single:
        first, second = shorten_all(v.names, 16)
        return str(v.shape.labels[region].format(first=first, second=second))
    return str(v.shape.labels[region].format(first="first", second="second"))
