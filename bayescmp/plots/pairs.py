"""Pairs of algorithms by tests: a heat map of p-values, and on how many data sets each wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.base.declare import declare, flag, instance, optional, share
from bayescmp.errors import InputError
from bayescmp.frequentist.groups import WinsTable
from bayescmp.plots.captions import Facts, facts_of_tests, note
from bayescmp.plots.drawing import (
    AX,
    axes_for,
    column,
    ink,
    label_below,
    legend_above,
    letters,
    luminance,
    made_of,
    mixed,
    on,
    paper,
    quantity,
    room,
    row_text,
    shades,
    shorten_all,
    sized,
    text_width,
    wrapped,
)
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from bayescmp.frequentist.comparisons import PosthocResult
    from bayescmp.study.procedure.run import ProcedureResult

__all__ = [
    "plot_pvalues",
    "plot_wins",
    "pvalues_size",
    "wins_size",
]


# Heat map of the p-values of pairs of algorithms.


#: From clearly different to not different: lightness alone orders them, in grey and for the
#: colour-blind; what is not significant is grey. On dark backgrounds light is significant.
SHADES = ("#3b1f6b", "#6f52a8", "#b9aedb")
ON_DARK = ("#d9d4ee", "#a397d0", "#6a5aa6")

#: Numbers are written into the cells up to here.
WRITTEN = 9


@made_of(
    "a result of pairwise post-hoc tests, e.g. of frequentist.nemenyi",
    "bayescmp.frequentist.comparisons:PosthocResult",
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
        Where to draw; a new figure of one column's width if not given.
    alpha : float
        Family-wise level; cells are purple up to it, grey above.
    raw : bool
        Raw p-values instead of adjusted ones.

    Returns
    -------
    matplotlib Axes
        The lower triangle, each cell a pair. Up to 9 algorithms the p-values are written.

    See Also
    --------
    plot_critical_difference : The same tests as a diagram of ranks.
    plot_verdicts : The Bayesian verdicts on all pairs.

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
    from matplotlib.colors import BoundaryNorm, ListedColormap

    matrix = result.matrix(raw=raw).to_numpy()
    order = list(result.order)
    names = shorten_all([result.names[i] for i in order], 16)
    table, rows, columns = _table(matrix[np.ix_(order, order)], names, result, order)
    many = len(rows)
    ax = axes_for(ax, pvalues_size(result))
    bounds = [alpha / 50, alpha / 5, alpha, min(2 * alpha, (1 + alpha) / 2)]
    limits = [0.0, *(np.nextafter(b, 2) for b in bounds), 1.1]  # a bound belongs to what is below
    colours = _colours()
    norm = BoundaryNorm(limits, len(colours))
    ax.imshow(table, cmap=ListedColormap(colours), norm=norm, aspect="auto")
    size = float(np.clip(90 / max(many, 1), 4.6, 7.5))
    _frame(ax, rows, columns, size)
    if len(columns) <= WRITTEN:
        _write(ax, table, [colours[k] for k in norm(np.ma.getdata(table).ravel())], alpha, size)
    _legend(ax, bounds)
    kind = "raw" if raw else "adjusted"
    label_below(ax, f"{kind} p-values{result.on_measured}", min(size, 7))
    return note(ax, f"{kind.capitalize()} p-values of pairs", facts_of_tests(result, alpha))


def _colours() -> list[ColorType]:
    """Of the five classes, from clearly different to not different."""
    dark = luminance(paper()) < 0.4
    return [*(ON_DARK if dark else SHADES), ink(0.15), mixed(paper(), ink(), 0.95)]


def pvalues_size(result: PosthocResult) -> tuple[float, float]:
    """Width and height in inches of the figure that `plot_pvalues` would make.

    Parameters
    ----------
    result : PosthocResult

    Returns
    -------
    (float, float)
        For callers who bring their own axes.
    """
    rows = len(result.names) - 1
    return column(), max(1.45, 1.05 + min(0.22, 2.9 / rows) * rows)


def _table(
    matrix: np.ndarray, names: list[str], result: PosthocResult, order: list[int]
) -> tuple[np.ndarray, list[str], list[str]]:
    """What is shown, as a masked table: the lower triangle, or one column for a control."""
    if result.control is not None:
        at = order.index(result.names.index(result.control))
        others = [i for i in range(len(names)) if i != at]
        return matrix[others][:, [at]], [names[i] for i in others], [names[at]]
    shown = np.tril(np.ones(matrix.shape, dtype=bool), k=-1)
    return np.ma.masked_where(~shown, matrix)[1:, :-1], names[1:], names[:-1]


def _frame(ax: Axes, rows: list[str], columns: list[str], size: float) -> None:
    ax.set_yticks(range(len(rows)), rows, fontsize=size)
    tilted = {"rotation": 90} if len(columns) > 6 else {"rotation": 35, "ha": "right"}
    tilted = {"rotation": 0} if len(columns) == 1 else tilted
    ax.set_xticks(
        range(len(columns)),
        columns,
        fontsize=size,
        rotation_mode="anchor" if tilted.get("ha") else "default",
        **tilted,
    )
    ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=paper(), linewidth=0.8)
    ax.tick_params(which="both", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _write(
    ax: Axes, table: np.ndarray, behind: list[ColorType], alpha: float, size: float
) -> None:
    """P-values into their cells, light on dark or dark on light."""
    mask = np.ma.getmaskarray(table)
    for colour, ((i, j), p) in zip(behind, np.ndenumerate(np.ma.getdata(table)), strict=True):
        if not mask[i, j]:
            ax.text(
                j,
                i,
                _short(float(p), alpha),
                ha="center",
                va="center",
                fontsize=size - 1.2,
                color=on(colour),
            )


def _short(p: float, alpha: float) -> str:
    """A p-value in few characters, but enough to see on which side of the level it is."""
    if p != alpha and f"{p:.3f}" == f"{alpha:.3f}":
        return f"{p:.4f}" if f"{p:.4f}" != f"{alpha:.4f}" else f"{p:.6f}"
    if p >= 0.0995:
        return f"{p:.2f}"
    return f"{p:.3f}" if p >= 0.0005 else f"{p:.0e}".replace("e-0", "e-")


def _legend(ax: Axes, bounds: list[float]) -> None:
    from matplotlib.patches import Patch

    words = [f"≤ {b:.3g}" for b in bounds] + [f"> {bounds[-1]:.3g}"]
    patches = [
        Patch(facecolor=c, edgecolor=ink(0.4), linewidth=0.3, label=w)
        for c, w in zip(_colours(), words, strict=True)
    ]
    legend_above(ax, patches, words, 6)


# Wins diagram: on how many data sets does each algorithm win over each other?


#: Inches: the largest cell; one with a number that can be read; bars of totals.
CELL, LEGIBLE, BARS = 0.3, 0.2, 0.85
#: Width of a page; more algorithms than fit in a column get up to this, then smaller cells.
PAGE = 7.0
#: Font size below which a cell has no number.
LEAST = 4.5
#: Length of the longest bar, in cells.
BAR_CELLS = 2.2


@declare(
    tests=optional(
        instance("sign tests of pairs", "bayescmp.frequentist.comparisons:PosthocResult")
    ),
    alpha=optional(share),
    ax=AX,
)
def plot_wins(
    result: ProcedureResult | WinsTable,
    *,
    tests: object = None,
    alpha: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many data sets each algorithm wins over each other, with the totals at the right.

    Parameters
    ----------
    result : ProcedureResult or WinsTable
        With wins over data sets.
    tests : PosthocResult, optional
        Sign tests of the pairs; those of the `ProcedureResult` if not given.
    alpha : float, optional
        Level at which a pair is framed; that of the `ProcedureResult`, else 0.05.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        A cell says on how many data sets the algorithm of its row wins over that of its column,
        the darker the more; it is framed where the row wins significantly more often. Algorithms
        are sorted by the data sets won, then by wins minus losses.

    Raises
    ------
    InputError
        A result without wins, or tests of other algorithms.

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
    wins, tests, alpha = _read(result, tests, alpha)
    order = _order(wins)
    counts = wins.wins[np.ix_(order, order)]
    new = ax is None
    ax = axes_for(ax, wins_size(wins))
    cell, most = _cell_and_letters(wins, room(ax))
    names = shorten_all([wins.names[i] for i in order], most)
    _cells(ax, counts, wins.n_datasets, cell)
    framed = 0 if tests is None else _frames(ax, _significant(tests, alpha)[np.ix_(order, order)])
    if wins.total is not None:
        _totals(ax, wins.total[order], wins.n_datasets, len(names), cell)
    _frame_wins(ax, names, wins.total is not None, cell)
    key = wrapped(_key(wins, tests, alpha, framed), room(ax) - 0.15, 7)
    label = ax.set_xlabel(key, fontsize=7, labelpad=5)
    if new:  # amid the figure rather than the cells, of which few are narrower than the key
        figure = ax.figure.figure
        figure.draw_without_rendering()
        box = ax.get_position()
        label.set_x((0.5 - box.x0) / box.width)
    facts = Facts(
        test=wins.method,
        names=tuple(wins.names),
        measured=wins.measured,
        sample=counted(wins.n_datasets, "data set"),
    )
    return note(ax, "Data sets on which each algorithm beats each of the others", facts)


def _key(wins: WinsTable, tests: Any, alpha: float, framed: int) -> str:
    """What cells, bars and frames mean."""
    sets = "data set" if wins.n_datasets == 1 else "data sets"
    key = f"row wins over column, of {wins.n_datasets} {sets}"
    key += "" if wins.total is None else "; bars: data sets won"
    if tests is not None:
        what = "framed: significantly more often" if framed else "no pair differs significantly"
        key += f"\n{what} (sign test, {tests.adjust}, level {alpha:g})"
    return key


def wins_size(wins: ProcedureResult | WinsTable) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits.

    Parameters
    ----------
    wins : ProcedureResult or WinsTable
    """
    table = _wins_of(wins)
    k = len(table.names)
    names = max(text_width(name, 7.5) for name in shorten_all(table.names, 18))
    beside = names + (BARS if table.total is not None else 0.1) + 0.2
    width, _ = sized(float(np.clip(beside + LEGIBLE * k, column(), PAGE)), 0.0)
    cell, most = _cell_and_letters(table, width)
    names = max(text_width(name, 7.5) for name in shorten_all(table.names, most))
    return width, cell * k + names + 0.6


def _cell_and_letters(wins: WinsTable, inches: float) -> tuple[float, int]:
    """Side of a cell, and letters of the names beside it."""
    bars = BARS if wins.total is not None else 0.1
    most = letters(0.35 * inches, 7.5, 18)
    names = max(text_width(name, 7.5) for name in shorten_all(wins.names, most))
    return min(CELL, (inches - names - bars - 0.2) / len(wins.names)), most


def _wins_of(result: ProcedureResult | WinsTable) -> WinsTable:
    """The wins themselves."""
    table = result if isinstance(result, WinsTable) else getattr(result, "wins", None)
    if table is None:
        raise InputError("result has no wins: give costs to the procedure")
    return table


def _read(result: Any, tests: Any, alpha: float | None) -> tuple[Any, Any, float]:
    wins = _wins_of(result)
    if wins is not result:
        tests = result.sign_tests if tests is None else tests
        alpha = result.alpha if alpha is None else alpha
    if tests is not None and tuple(tests.names) != tuple(wins.names):
        raise InputError(
            f"tests is of {', '.join(tests.names)}, the wins of {', '.join(wins.names)}"
        )
    return wins, tests, 0.05 if alpha is None else alpha


def _order(wins: WinsTable) -> np.ndarray:
    lead = (wins.wins - wins.wins.T).sum(axis=1)
    total = wins.total if wins.total is not None else np.zeros(len(lead))
    return np.asarray(np.lexsort((-lead, -total)))


def _significant(tests: Any, alpha: float) -> np.ndarray:
    """Whether the row's algorithm wins significantly more often than the column's, (L, L)."""
    first, second = tests.pairs.T
    differs = tests.different(alpha)
    matrix = np.zeros((len(tests.names),) * 2, dtype=bool)
    matrix[second, first] = differs & (tests.difference > 0)
    matrix[first, second] = differs & (tests.difference < 0)
    return matrix


def _cells(ax: Axes, counts: np.ndarray, most: int, cell: float) -> None:
    k, colours = len(counts), shades(quantity()).with_extremes(bad=ink(0.1))
    shown = np.ma.masked_array(counts / max(most, 1), mask=np.eye(k, dtype=bool))
    edges = np.arange(k + 1) - 0.5
    ax.pcolormesh(
        edges,
        edges,
        shown,
        cmap=colours,
        vmin=0,
        vmax=1,
        edgecolors=paper(),
        linewidth=0.6,
    )
    size = float(min(cell * 72 * 0.36, 8.0))
    if size < LEAST:
        return
    for i, j in zip(*np.nonzero(~np.eye(k, dtype=bool)), strict=True):
        behind = colours(counts[i, j] / max(most, 1))
        ax.text(
            j,
            i,
            str(counts[i, j]),
            ha="center",
            va="center",
            fontsize=size,
            color=on(behind[:3]) if counts[i, j] else ink(0.5),
        )


def _frames(ax: Axes, significant: np.ndarray) -> int:
    from matplotlib.patches import Rectangle

    places = np.argwhere(significant)
    for i, j in places:
        ax.add_patch(
            Rectangle(
                (j - 0.45, i - 0.45),
                0.9,
                0.9,
                fill=False,
                edgecolor=ink(),
                linewidth=1.1,
                zorder=3,
            )
        )
    return len(places)


def _totals(ax: Axes, total: np.ndarray, most: int, k: int, cell: float) -> None:
    """Bars of the data sets won, at the right of the cells."""
    size = row_text(cell, 7)
    left, longest = k - 0.3, BAR_CELLS * max(1.0, k / 12)
    for i, value in enumerate(total):
        end = left + longest * value / max(most, 1)
        ax.barh(i, end - left, left=left, height=0.62, color=ink(0.45), zorder=2)
        ax.annotate(
            str(int(value)),
            (end, i),
            (2, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
        )


def _frame_wins(ax: Axes, names: list[str], totals: bool, cell: float) -> None:
    k = len(names)
    ax.set_xlim(-0.5, k - 0.5 + ((BAR_CELLS + 1) * max(1.0, k / 12) if totals else 0.0))
    ax.set_ylim(k - 0.5, -0.5)
    ax.xaxis.tick_top()
    ax.set_xticks(range(k), names, rotation=90 if max(map(len, names)) * 0.07 > cell else 0)
    ax.set_yticks(range(k), names)
    ax.xaxis.set_label_position("bottom")
    ax.tick_params(length=0, labelsize=row_text(cell))
    for spine in ax.spines.values():
        spine.set_visible(False)
