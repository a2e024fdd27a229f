"""Pairs of algorithms as a matrix: verdicts, p-values, and on how many data sets each wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.patches import Patch

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import flag, instance, optional, share, validate_params
from bayescmp.frequentist.groups import WinsTable
from bayescmp.plots.captions import Facts, facts_of_pairs, facts_of_tests, note
from bayescmp.plots.drawing import (
    AX,
    COLUMN,
    LEGIBLE,
    Look,
    axes_for,
    column,
    frame_axes,
    frame_cell,
    ink,
    label_below,
    label_cells,
    label_in_lines,
    legend_above,
    letters,
    luminance,
    made_of,
    measure_widest,
    mix_colours,
    paper,
    pick_text_colour,
    pitch,
    room,
    row_text,
    shades,
    shorten,
    shorten_all,
    size_figure,
    text_width,
    wrap_text,
    write_inside,
)
from bayescmp.plots.verdicts import number_in_cell
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.rope import rope_phrase
from bayescmp.wording.regions import COLOURS, SIGNS, WORDS
from bayescmp.wording.text import as_percent, format_count, join_items, write_number

if TYPE_CHECKING:
    from matplotlib.typing import ColorType  # from matplotlib 3.8 on

    from bayescmp.frequentist.results import PosthocResult
    from bayescmp.results.verdict import Verdict
    from bayescmp.study.comparisons import Comparisons
    from bayescmp.study.procedure.run import ProcedureResult


# Matrix of many verdicts: all pairs of algorithms, or all against a control.


#: Meaning of a sign for a row against its column, if only one may be practically worse.
ONE_SIDED = {"left": "column worse", "rope": "not worse", "right": "row worse"}
#: Inches: a row of the table and all of them at most, side of a cell of the matrix, above and
#: below the cells.
ROW, SIDE, AROUND_CELLS = (0.3, 7.0), 0.46, 0.85
#: Width of the largest matrix, inches.
WIDEST = 9.5
#: With so many algorithms or more, cells have only their signs: inches of these cells, and of the
#: largest.
COMPACT, SIGN_SIDE, SMALL_SIDE = 12, 0.14, 0.25
#: Font sizes: below which a cell has its sign only, and nothing; of columns' numbers.
NUMBERS, LEAST_SIGN, DIGITS = 4.5, 2.5, 6.0


@made_of(
    "the result of bc.compare_all",
    "bayescmp.study.comparisons:Comparisons",
    undecided_only=flag,
    numbers=optional(flag),
)
def plot_verdicts(
    comparisons: Comparisons,
    *,
    ax: Axes | None = None,
    decided: float | None = None,
    undecided_only: bool = False,
    numbers: bool | None = None,
) -> Axes:
    """Draw the verdicts on all pairs as a matrix, or on all against a control as a table.

    For all pairs, a cell above the diagonal compares the algorithm of its row with that of its
    column: the most probable outcome, "+" better, "=" equivalent, "−" worse, with its probability,
    and a frame if that is decided. A cell below it has the mean difference, row minus column, and
    on how many data sets the row wins, is within the ROPE, and loses. With twelve or more
    algorithms, cells have only signs, on both sides of the diagonal. The algorithms are sorted.

    Parameters
    ----------
    comparisons : Comparisons
        From `bayescmp.compare_all`.
    ax : matplotlib Axes, optional
    decided : float, optional
        Frame cells with at least this probability; by default the verdicts' threshold.
    undecided_only : bool
        Leave the cells of decided pairs empty.
    numbers : bool, optional
        Whether cells of a matrix have numbers; by default for fewer than twelve algorithms.

    Returns
    -------
    matplotlib Axes
        Failed pairs are crossed out. Numbers and names that do not fit are left out or numbered.

    References
    ----------
    Ismail-Fawaz, Dempster, Tan, Herrmann, Miller, Schmidt, Berretti, Weber, Devanne, Forestier &
    Webb (2023), arXiv:2305.11921, figure 3.

    See Also
    --------
    plot_pvalues, plot_verdict_bar

    Examples
    --------
    >>> import bayescmp as bc
    >>> import pandas as pd
    >>> means = pd.DataFrame({"knn": [0.80, 0.78, 0.81, 0.79], "svm": [0.87, 0.88, 0.86, 0.87]})
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> ax = bc.plots.plot_verdicts(bc.compare_all(scores, rope=0.01, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['svm', 'knn']
    """
    limit = next(iter(comparisons.results.values())).verdict.threshold
    limit = limit if decided is None else check_threshold(decided, "decided")
    full = len(comparisons.algorithms) < COMPACT if numbers is None else numbers
    if comparisons.control is None:
        ax, halves = _draw_matrix(comparisons, ax, limit, undecided_only, full)
    else:
        ax, halves = _draw_table(comparisons, ax, limit, undecided_only), False
    decides = join_items(
        [*dict.fromkeys(r.verdict.decides for r in comparisons.results.values())], "or"
    )
    facts = facts_of_pairs(comparisons, limit)
    if comparisons.control is not None:
        quantity = f"Verdicts on {comparisons.control} against each other {facts.subject}"
    else:
        quantity = f"Verdicts on pairs of {facts.subject}s"
    quantity += ", undecided pairs only" if undecided_only else ""
    quantity += f": posterior probability of the {decides}"
    return note(ax, quantity, facts, *_marks(comparisons, limit, halves, undecided_only))


def _marks(
    comparisons: Comparisons, limit: float, halves: bool, undecided_only: bool
) -> list[str]:
    """State for the caption what the cells are."""
    failed = len(comparisons.failures)
    texts = {
        f"framed: at least {limit:g}, minus two standard errors": True,
        f"below the diagonal: mean difference, row minus column, and {comparisons.unit}s "
        f"{join_items(_say_counts(comparisons))}": halves,
        _say_left_out(comparisons, limit): undecided_only,
        f"crossed out: {format_count(failed, 'pair')} that could not be compared": failed,
    }
    return [text for text, there in texts.items() if there]


def _say_left_out(comparisons: Comparisons, limit: float) -> str:
    """State how many pairs are not drawn where only the undecided ones are."""
    verdicts = [result.verdict for result in comparisons.results.values()]
    decided = sum(_is_decided(verdict, verdict.ranked[0], limit) for verdict in verdicts)
    return f"empty: {decided} of {format_count(len(verdicts), 'pair')}, decided"


def _draw_matrix(
    comparisons: Comparisons, ax: Axes | None, limit: float, undecided_only: bool, full: bool
) -> tuple[Axes, bool]:
    """Draw all pairs, and return whether the lower half has means instead of signs."""
    names = comparisons.order
    k = len(names)
    ax = axes_for(ax, verdicts_size(comparisons, full))
    cell, most = _cell_beside(names, room(ax))
    means = [result.means for result in comparisons.results.values() if len(result.means)]
    halves = full and bool(means) and _cell_text(cell, 7) >= NUMBERS
    size = _cell_text(cell, 7 if halves else 6)  # ">0.999", in bold
    size = size if full else min(size, 0.99 * NUMBERS)
    colours = np.full((k, k, 3), paper())
    for i, row in enumerate(names):
        ax.plot([i - 0.5, i + 0.5], [i - 0.5, i + 0.5], color=ink(0.25), linewidth=0.6)
        for j, other in enumerate(names):
            if i == j:
                continue
            v = _verdict(comparisons, row, other)
            if v is None:
                _cross(ax, j, i)
            elif undecided_only and _is_decided(v, v.ranked[0], limit):
                continue
            elif halves and i > j:
                _below_diagonal(ax, (j, i), comparisons, (row, other), size)
            else:
                colours[i, j] = tint(v.ranked[0], v.probabilities[v.ranked[0]])
                _fill_verdict(ax, (j, i), v, v.ranked[0], limit, size, SIGNS[v.ranked[0]])
    ax.imshow(colours, zorder=0, aspect="auto")
    labels = shorten_all(names, most)
    if cell < LEGIBLE:
        _frame_verdicts(ax, [""] * k, _number_names(labels), LEGIBLE)
        _number_columns(ax, k)
    else:
        _frame_verdicts(ax, labels, labels, cell)
        ax.set_xticks(range(k), labels, rotation=90 if max(map(len, labels)) * 0.06 > cell else 0)
    written = size >= NUMBERS
    label_below(ax, _matrix_key(comparisons, limit, halves, undecided_only, written), 7)
    return ax, halves


def _matrix_key(
    comparisons: Comparisons, limit: float, halves: bool, undecided_only: bool, written: bool
) -> str:
    """State how to read the matrix."""
    where = "above the diagonal, row against column" if halves else "row against column"
    words = ONE_SIDED if comparisons.rope.one_sided else WORDS
    signs = ", ".join(
        f"{SIGNS[r]} {m}".replace(" ", "\N{NO-BREAK SPACE}")
        for r, m in words.items()
        if r != "rope" or not comparisons.rope.empty
    )
    what = "probability" if written else "shade: probability of the"
    lines = [f"{where}: {signs}", _verdicts_key(comparisons, limit, what)]
    if halves:
        what = (
            "score of the row against the column" if comparisons.of_ratios else "mean difference"
        )
        lines.append(f"below: {what}; {comparisons.unit}s {' / '.join(_say_counts(comparisons))}")
    if undecided_only:
        lines.append(_say_left_out(comparisons, limit))
    return "\n".join(lines)


def _say_counts(comparisons: Comparisons) -> list[str]:
    """State the counts below the diagonal; with one margin nothing is better than not worse."""
    if comparisons.rope.one_sided:
        return ["not worse", "worse"]
    return ["won", "equal" if comparisons.rope.empty else "within the ROPE", "lost"]


def _below_diagonal(
    ax: Axes, at: tuple[int, int], comparisons: Comparisons, pair: tuple[str, str], size: float
) -> None:
    """Write the mean difference, row minus column, and the data sets of each outcome."""
    forward = pair in comparisons.results
    result = comparisons.results[pair if forward else pair[::-1]]
    lead = np.array(result.means) * (-1 if forward else 1)  # of the row over the column
    rope = comparisons.rope if not forward else comparisons.rope.swapped()
    won, lost = (lead > rope.high).sum(), (lead < rope.low).sum()
    ties = len(lead) - won - lost
    counts = (ties, won + lost) if rope.one_sided else (won, ties, lost)
    words = f"{_difference(comparisons, lead.mean())}\n{'/'.join(map(str, counts))}"
    write_inside(ax, *at, words, size, ink(0.75), linespacing=0.95)


def _difference(comparisons: Comparisons, lead: float) -> str:
    """Write a mean difference; of logarithms the ratio in percent."""
    if not comparisons.of_ratios:
        return write_number(lead, "+.3f")
    way = next(iter(comparisons.results.values())).directions[0]
    text = as_percent(-lead if way.lower else lead)
    return text if text.startswith("−") else f"+{text}"


def _draw_table(
    comparisons: Comparisons, ax: Axes | None, limit: float, undecided_only: bool
) -> Axes:
    control = str(comparisons.control)
    names = [n for n in comparisons.order if n != control]
    ax = axes_for(ax, verdicts_size(comparisons))
    height = pitch(len(names), *ROW)
    most = letters(0.38 * room(ax), 7.5)
    labels = shorten_all(names, most)
    shape = next(iter(comparisons.results.values())).verdict.shape
    regions = [region for region in shape.regions if region in shape.possible]
    width = (room(ax) - measure_widest(labels, 7.5)) / len(regions)
    size = min(_cell_text(min(width, 2 * height), 6), row_text(height))
    colours = np.full((len(names), len(regions), 3), paper())
    for i, name in enumerate(names):
        v = _verdict(comparisons, control, name)
        for j, region in enumerate(regions):
            if v is None:
                _cross(ax, j, i)
            elif not (undecided_only and _is_decided(v, v.ranked[0], limit)):
                colours[i, j] = tint(region, v.probabilities[region])
                _fill_verdict(ax, (j, i), v, region, limit, size)
    ax.imshow(colours, zorder=0, aspect="auto")
    head = shorten(control, letters(width, 7.5, 12, 6))
    heads = [label_in_lines(shape, r, (head, "other")) for r in regions]
    _frame_verdicts(ax, heads, labels, height)
    asked = f"each against {head}\n" if shape.impossible else ""
    key = [asked + _verdicts_key(comparisons, limit), _say_left_out(comparisons, limit)]
    label_below(ax, "\n".join(key[: 1 + undecided_only]), 7)
    return ax


def _verdicts_key(comparisons: Comparisons, limit: float, what: str = "probability") -> str:
    """State what the numbers or shades are, and which are framed."""
    quantities = dict.fromkeys(r.verdict.decides for r in comparisons.results.values())
    by = f", {comparisons.measured}" if comparisons.measured else ""
    by += f", {rope_phrase(comparisons.rope, of_ratios=comparisons.of_ratios)}"
    quantity = join_items([*quantities], "or")
    what = what if what.endswith("the") else f"{what}:"
    return f"{what} {quantity}{by}\nframed: at least {limit:g}, minus two standard errors"


def _verdict(comparisons: Comparisons, first: str, second: str) -> Verdict | None:
    if (first, second) in comparisons.failures or (second, first) in comparisons.failures:
        return None
    return comparisons.verdict(first, second)


def verdicts_size(comparisons: Comparisons, full: bool | None = None) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits; with numbers if `full`."""
    count = len(comparisons.algorithms)
    full = count < COMPACT if full is None else full
    if comparisons.control is not None:
        return size_figure(COLUMN, AROUND_CELLS + 0.15 + pitch(count - 1, *ROW) * (count - 1))
    names = shorten_all(comparisons.algorithms)
    beside = measure_widest(names, 7.5)
    side, page = (SIDE, WIDEST) if full else (SIGN_SIDE, PAGE)
    width, _ = size_figure(float(np.clip(beside + side * count + 0.25, COLUMN, page)), 0.0)
    cell, most = _cell_beside(comparisons.algorithms, width - 0.2)
    if cell < LEGIBLE:
        return width, LEGIBLE * count + 0.1 + AROUND_CELLS
    above = measure_widest(shorten_all(names, most), 7.5)
    return width, min(cell, SIDE if full else SMALL_SIDE) * count + above + AROUND_CELLS


def _cell_beside(every: Sequence[str], inches: float) -> tuple[float, int]:
    """Return a cell's width, and letters of a name next to it: at most two fifths of the width."""
    names = shorten_all(every)
    beside = measure_widest(names, 7.5)
    most = 28 if beside <= 0.4 * inches else letters(0.4 * inches, 7.5)
    beside = measure_widest(shorten_all(names, most), 7.5)
    cell = min((inches - beside - 0.1) / len(names), 1.2 * SIDE)
    if cell >= LEGIBLE:
        return cell, most
    size = row_text(LEGIBLE)  # with a number behind each name
    most = letters(0.4 * inches - text_width(" · 00", size), size)
    beside = max(text_width(f"{name} · 00", size) for name in shorten_all(names, most))
    return (inches - beside - 0.1) / len(names), most


def _cell_text(cell: float, characters: int) -> float:
    """Return the font size at which a line of characters fills its cell but does not leave it."""
    return float(min(0.86 * cell * 72 / (0.6 * characters), 0.86 * cell * 72 / 2.4, 8.0))


def tint(region: str, p: float) -> np.ndarray:
    """Make the region's colour paler the less probable it is: the background at one third."""
    weight = float(np.clip((p - 1 / 3) / (2 / 3), 0, 1)) * 0.8
    return np.array(mix_colours(COLOURS[region], paper(), weight))


def _is_decided(v: Verdict, region: str, limit: float) -> bool:
    return v.probabilities[region] - 2 * v.errors.get(region, 0.0) >= limit


def _fill_verdict(
    ax: Axes,
    at: tuple[int, int],
    v: Verdict,
    region: str,
    limit: float,
    size: float,
    sign: str = "",
) -> None:
    """Write what a coloured cell says, and frame it."""
    p, decided = v.probabilities[region], _is_decided(v, region, limit)
    if decided:
        frame_cell(ax, *at, 0.88, 1.1 if size > NUMBERS else 0.5)
    number = number_in_cell(p, limit) if size >= NUMBERS else ""
    words = "\n".join(part for part in (sign, number) if part)
    size = size if number else min(4.0 * size, 7.0)
    if words and size >= LEAST_SIGN:
        weight = "bold" if decided else "normal"
        style: Look = {"fontweight": weight, "linespacing": 0.95, "zorder": 4}
        write_inside(ax, *at, words, size, pick_text_colour(tint(region, p)), **style)


def _cross(ax: Axes, x: int, y: int) -> None:
    ax.plot([x - 0.2, x + 0.2], [y - 0.2, y + 0.2], color=ink(0.5), linewidth=0.8)
    ax.plot([x - 0.2, x + 0.2], [y + 0.2, y - 0.2], color=ink(0.5), linewidth=0.8)


def _number_columns(ax: Axes, columns: int) -> None:
    """Number the first column and every fifth, which are too narrow for names."""
    every = [0, *range(4, columns, 5)]
    ax.set_xticks(every, [str(i + 1) for i in every], fontsize=DIGITS)


def _number_names(names: list[str], first: int = 1) -> list[str]:
    """Number the names of rows as their columns are."""
    return [f"{name} · {i}" for i, name in enumerate(names, first)]


def _draw_grid(ax: Axes, wide: int, high: int) -> None:
    """Draw lines between cells, in the colour of the background."""
    ax.set_xticks(np.arange(wide + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(high + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=paper(), linewidth=0.8, zorder=1)
    ax.tick_params(which="both", length=0)


def _frame_verdicts(ax: Axes, columns: list[str], rows: list[str], height: float) -> None:
    wide, high = len(columns), len(rows)
    ax.set(xlim=(-0.5, wide - 0.5), ylim=(high - 0.5, -0.5))
    label_cells(ax, columns, rows)
    ax.tick_params(axis="y", labelsize=row_text(height))
    ax.tick_params(axis="x", labelsize=row_text(height) if wide == high else 7.5)
    _draw_grid(ax, wide, high)


# Heat map of the p-values of pairs of algorithms.


#: From clearly different to not different: lightness alone orders them, in grey and for the
#: colour-blind; what is not significant is grey. On dark backgrounds light is significant.
SHADES = ("#3b1f6b", "#6f52a8", "#b9aedb")
ON_DARK = ("#d9d4ee", "#a397d0", "#6a5aa6")

#: Numbers are written into the cells up to here.
WRITTEN = 9


@made_of(
    "a result of pairwise post-hoc tests, e.g. of frequentist.nemenyi",
    "bayescmp.frequentist.results:PosthocResult",
    alpha=share,
    raw=flag,
)
def plot_pvalues(
    result: PosthocResult, *, ax: Axes | None = None, alpha: float = 0.05, raw: bool = False
) -> Axes:
    """Draw adjusted p-values of all pairs, algorithms from best to worst.

    Parameters
    ----------
    result : PosthocResult
        All pairs, or against a control (then one column).
    ax : matplotlib Axes, optional
    alpha : float
        Family-wise level; cells are purple up to it, grey above.
    raw : bool
        Whether to draw raw p-values.

    Returns
    -------
    matplotlib Axes
        The lower triangle, one cell per pair, with p-values up to 10 algorithms.

    See Also
    --------
    plot_critical_difference, plot_verdicts

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from bayescmp import frequentist, plots
    >>> rng = np.random.default_rng(1)
    >>> means = rng.normal([0.80, 0.82, 0.87], 0.02, (20, 3))
    >>> pairs = frequentist.posthoc(pd.DataFrame(means, columns=["knn", "gbm", "svm"]))
    >>> ax = plots.plot_pvalues(pairs)
    """
    order = list(result.order)
    matrix = result.matrix(raw=raw).to_numpy()[np.ix_(order, order)]
    ax = axes_for(ax, pvalues_size(result))
    cell, most = _cell_of_pvalues(result, room(ax))
    names = shorten_all([result.names[i] for i in order], most)
    table, rows, columns = _lower_triangle(matrix, names, result, order)
    bounds = [alpha / 50, alpha / 5, alpha, min(2 * alpha, (1 + alpha) / 2)]
    limits = [0.0, *(np.nextafter(b, 2) for b in bounds), 1.1]  # a bound belongs to what is below
    colours = _colours()
    norm = BoundaryNorm(limits, len(colours))
    ax.imshow(table, cmap=ListedColormap(colours), norm=norm, aspect="auto")
    written = len(columns) <= WRITTEN
    if written:
        behind = [colours[k] for k in norm(np.ma.getdata(table).ravel())]
        size = min(_cell_text(cell, 6), 7.0) if len(columns) > 1 else row_text(cell, 7)
        _write_pvalues(ax, table, behind, alpha, size)
    _frame_pvalues(ax, rows, columns, cell)
    _legend_pvalues(ax, bounds)
    label_below(ax, f"{'raw' if raw else 'adjusted'} p-values{result.on_measured}", 7)
    alone = "" if written else "shades alone, without numbers"
    words = "Raw p-values of pairs" if raw else "Adjusted p-values of pairs"
    return note(ax, words, facts_of_tests(result, alpha), alone)


def _colours() -> list[ColorType]:
    """Return the colours of the five classes, from clearly different to not different."""
    dark = luminance(paper()) < 0.4
    return [*(ON_DARK if dark else SHADES), ink(0.15), mix_colours(paper(), ink(), 0.95)]


def pvalues_size(result: PosthocResult) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    rows = len(result.names) - 1
    if result.control is not None:
        return column(), max(1.45, 1.05 + pitch(rows, 0.22, 6.0) * rows)
    names = shorten_all(result.names)
    beside = measure_widest(names, 7.5)
    side = SIDE if rows <= WRITTEN else SIGN_SIDE
    width, _ = size_figure(float(np.clip(beside + side * rows + 0.25, COLUMN, PAGE)), 0.0)
    cell, most = _cell_of_pvalues(result, width - 0.2)
    if cell < LEGIBLE:
        return width, LEGIBLE * rows + AROUND_CELLS
    below = measure_widest(shorten_all(names, most), 7.5)
    return width, min(cell, 0.3 if rows <= WRITTEN else SMALL_SIDE) * rows + below + 0.65


def _cell_of_pvalues(result: PosthocResult, inches: float) -> tuple[float, int]:
    """Return a cell's height, and the letters of a name next to it."""
    cell, most = _cell_beside(result.names[:-1], inches)
    rows = len(result.names) - 1
    if result.control is not None:
        return pitch(rows, 0.22, 6.0), min(most, letters(0.4 * inches, 7.5))
    return cell, most


def _lower_triangle(
    matrix: np.ndarray, names: list[str], result: PosthocResult, order: list[int]
) -> tuple[np.ndarray, list[str], list[str]]:
    """Mask a table to what is shown: the lower triangle, or one column for a control."""
    if result.control is not None:
        at = order.index(result.names.index(result.control))
        others = [i for i in range(len(names)) if i != at]
        return matrix[others][:, [at]], [names[i] for i in others], [names[at]]
    shown = np.tril(np.ones(matrix.shape, dtype=bool), k=-1)
    return np.ma.masked_where(~shown, matrix)[1:, :-1], names[1:], names[:-1]


def _frame_pvalues(ax: Axes, rows: list[str], columns: list[str], cell: float) -> None:
    size, wide, high = row_text(max(cell, LEGIBLE)), len(columns), len(rows)
    if cell < LEGIBLE:  # the first row is of the second algorithm
        rows = _number_names(rows, 2)
        _number_columns(ax, wide)
    else:
        longest = measure_widest(columns, size)
        upright = 90 if wide > 1 and longest > 0.95 * cell else 0
        ax.set_xticks(range(wide), columns, fontsize=size, rotation=upright)
    ax.set_yticks(range(high), rows, fontsize=size)
    _draw_grid(ax, wide, high)
    frame_axes(ax)


def _write_pvalues(
    ax: Axes, table: np.ndarray, behind: list[ColorType], alpha: float, size: float
) -> None:
    """Write p-values into their cells, light on dark or dark on light."""
    mask = np.ma.getmaskarray(table)
    for colour, ((i, j), p) in zip(behind, np.ndenumerate(np.ma.getdata(table)), strict=True):
        if not mask[i, j]:
            write_inside(ax, j, i, _short_pvalue(float(p), alpha), size, pick_text_colour(colour))


def _short_pvalue(p: float, alpha: float) -> str:
    """Write a p-value in few characters, but enough to see on which side of the level it is."""
    if p != alpha and f"{p:.3f}" == f"{alpha:.3f}":
        return f"{p:.4f}" if f"{p:.4f}" != f"{alpha:.4f}" else f"{p:.6f}"
    if p >= 0.0995:
        return f"{p:.2f}"
    return f"{p:.3f}" if p >= 0.0005 else f"{p:.0e}".replace("e-0", "e−")


def _legend_pvalues(ax: Axes, bounds: list[float]) -> None:
    words = [f"≤ {b:.3g}" for b in bounds] + [f"> {bounds[-1]:.3g}"]
    patches = [
        Patch(facecolor=c, edgecolor=ink(0.4), linewidth=0.3, label=w)
        for c, w in zip(_colours(), words, strict=True)
    ]
    legend_above(ax, patches, words, 6)


# Wins diagram: on how many data sets does each algorithm win over each other?


#: Inches: the largest cell; one with a number that can be read; bars of totals.
WINS_CELL, LEGIBLE_WINS, BARS = 0.3, 0.2, 0.85
#: Width of a page; more algorithms than fit in a column get up to this, then smaller cells.
PAGE = 7.0
#: Font size below which a cell has no number.
LEAST_NUMBER = 4.5
#: Legend of the bars of totals.
BARS_COUNT = "bars: data sets with a win over at least one other"
#: Length of the longest bar, in cells.
BAR_CELLS = 2.2


@validate_params(
    tests=optional(instance("sign tests of pairs", "bayescmp.frequentist.results:PosthocResult")),
    alpha=optional(share),
    ax=AX,
)
def plot_wins(
    result: ProcedureResult | WinsTable,
    *,
    tests: PosthocResult | None = None,
    alpha: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many data sets each algorithm wins over each other, with the totals at the right.

    Parameters
    ----------
    result : ProcedureResult or WinsTable
        With wins over data sets.
    tests : PosthocResult, optional
        Sign tests of the pairs; by default the `ProcedureResult`'s.
    alpha : float, optional
        Level at which a pair is framed; by default the `ProcedureResult`'s, else 0.05.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        A cell is on how many data sets the row wins over the column, framed if significantly more
        often. Algorithms are sorted by wins minus losses. Bars count the data sets on which an
        algorithm wins over at least one other.

    Raises
    ------
    InputError
        If the result has no wins, or the tests are of other algorithms.

    References
    ----------
    Aslan 2009, tables 6.3 to 6.10.

    See Also
    --------
    plot_verdicts : The Bayesian verdicts on all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import frequentist, plots
    >>> x = np.random.default_rng(1).normal([[0.80], [0.81], [0.87]], 0.02, (8, 3, 10))
    >>> wins = frequentist.wins_table(x, names=["knn", "gbm", "svm"], rho=0.1)
    >>> ax = plots.plot_wins(wins)
    """
    wins, tests, alpha = _wins_and_tests(result, tests, alpha)
    order = np.argsort(-(wins.wins - wins.wins.T).sum(axis=1), kind="stable")
    counts = wins.wins[np.ix_(order, order)]
    new = ax is None
    ax = axes_for(ax, wins_size(wins))
    cell, most = _wins_cell(wins, room(ax))
    names = shorten_all([wins.names[i] for i in order], most)
    _cells(ax, counts, wins.n_datasets, cell)
    framed = 0
    for i, j in () if tests is None else np.argwhere(tests.better(alpha)[order][:, order]):
        frame_cell(ax, j, i, 0.9, 1.1)
        framed += 1
    if wins.total is not None:
        _totals(ax, wins.total[order], wins.n_datasets, len(names), cell)
    _frame_wins(ax, names, wins.total is not None, cell)
    key = wrap_text(_wins_key(wins, tests, alpha, framed), room(ax) - 0.15, 7)
    label = ax.set_xlabel(key, fontsize=7, labelpad=5)
    if new:  # centred on the figure, not on the cells, of which few are narrower than the key
        figure = ax.figure.figure
        figure.draw_without_rendering()
        box = ax.get_position()
        label.set_x((0.5 - box.x0) / box.width)
    facts = Facts(
        test=wins.method,
        names=tuple(wins.names),
        measured=wins.measured,
        sample=format_count(wins.n_datasets, "data set"),
    )
    return note(
        ax,
        "Data sets on which each algorithm beats each of the others",
        facts,
        "sorted by wins minus losses",
        "" if wins.total is None else BARS_COUNT,
        f"framed: significantly more often, {_level(tests, alpha)}" if framed else "",
    )


def _wins_key(wins: WinsTable, tests: Any, alpha: float, framed: int) -> str:
    """State what cells, bars and frames mean."""
    sets = "data set" if wins.n_datasets == 1 else "data sets"
    key = f"row wins over column, of {wins.n_datasets} {sets}\nsorted by wins minus losses"
    key += "" if wins.total is None else f"\n{BARS_COUNT}"
    if tests is not None:
        what = "framed: significantly more often" if framed else "no pair differs significantly"
        key += f"\n{what} ({_level(tests, alpha)})"
    return key


def _level(tests: Any, alpha: float) -> str:
    return f"sign test, {tests.adjust}, level {alpha:g}"


def wins_size(wins: ProcedureResult | WinsTable) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    table = _wins_of(wins)
    k = len(table.names)
    names = measure_widest(shorten_all(table.names, 18), 7.5)
    beside = names + (BARS if table.total is not None else 0.1) + 0.2
    width, _ = size_figure(float(np.clip(beside + LEGIBLE_WINS * k, column(), PAGE)), 0.0)
    cell, most = _wins_cell(table, width)
    names = measure_widest(shorten_all(table.names, most), 7.5)
    above = 0.15 if cell < LEGIBLE else names
    return width, max(cell, LEGIBLE) * k + above + 0.84


def _wins_cell(wins: WinsTable, inches: float) -> tuple[float, int]:
    """Return a cell's side, and the letters of the names next to it."""
    bars = BARS if wins.total is not None else 0.1
    most = letters(0.35 * inches, 7.5, 18)
    names = measure_widest(shorten_all(wins.names, most), 7.5)
    return min(WINS_CELL, (inches - names - bars - 0.2) / len(wins.names)), most


def _wins_of(result: ProcedureResult | WinsTable) -> WinsTable:
    table = result if isinstance(result, WinsTable) else getattr(result, "wins", None)
    if table is None:
        hint = "It has no wins without costs."
        raise must_be("result", "a procedure with costs, or WinsTable", result, hint)
    return table


def _wins_and_tests(result: Any, tests: Any, alpha: float | None) -> tuple[Any, Any, float]:
    wins = _wins_of(result)
    if wins is not result:
        tests = result.sign_tests if tests is None else tests
        alpha = result.alpha if alpha is None else alpha
    if tests is not None and tuple(tests.names) != tuple(wins.names):
        raise must(
            "tests", f"be of {', '.join(wins.names)}, as the wins are", ", ".join(tests.names)
        )
    return wins, tests, 0.05 if alpha is None else alpha


def _cells(ax: Axes, counts: np.ndarray, most: int, cell: float) -> None:
    k, colours = len(counts), shades().with_extremes(bad=ink(0.1))
    shown = np.ma.masked_array(counts / max(most, 1), mask=np.eye(k, dtype=bool))
    edges = np.arange(k + 1) - 0.5
    lines: Look = {"edgecolors": paper(), "linewidth": 0.6}
    ax.pcolormesh(edges, edges, shown, cmap=colours, vmin=0, vmax=1, **lines)
    size = float(min(cell * 72 * 0.36, 8.0))
    if size < LEAST_NUMBER:
        return
    for i, j in zip(*np.nonzero(~np.eye(k, dtype=bool)), strict=True):
        behind = pick_text_colour(colours(counts[i, j] / max(most, 1))[:3])
        colour = behind if counts[i, j] else ink(0.5)
        write_inside(ax, j, i, str(counts[i, j]), size, colour)


def _totals(ax: Axes, total: np.ndarray, most: int, k: int, cell: float) -> None:
    """Draw bars of the data sets won, at the right of the cells."""
    size = row_text(max(cell, LEGIBLE), 7)
    left, longest = k - 0.3, BAR_CELLS * max(1.0, k / 12)
    for i, value in enumerate(total):
        end = left + longest * value / max(most, 1)
        ax.barh(i, end - left, left=left, height=0.62, color=ink(0.45), zorder=2)
        style: Look = {"textcoords": "offset points", "va": "center", "fontsize": size}
        ax.annotate(str(int(value)), (end, i), (2, 0), **style)


def _frame_wins(ax: Axes, names: list[str], totals: bool, cell: float) -> None:
    k = len(names)
    ax.set_xlim(-0.5, k - 0.5 + ((BAR_CELLS + 1) * max(1.0, k / 12) if totals else 0.0))
    ax.set_ylim(k - 0.5, -0.5)
    if cell < LEGIBLE:
        label_cells(ax, names, _number_names(names))
        _number_columns(ax, k)
    else:
        label_cells(ax, names, names, rotation=90 if max(map(len, names)) * 0.07 > cell else 0)
    ax.tick_params(labelsize=row_text(max(cell, LEGIBLE)))
