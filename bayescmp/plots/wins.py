"""Wins diagram: on how many data sets does each algorithm win over each other?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.frequentist.wins import WinsTable
from bayescmp.plots._canvas import axes_for, column, sized
from bayescmp.plots._ink import ink, on, paper, quantity, shades
from bayescmp.plots._labels import letters, room, row_text, text_width, wrapped
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import Facts, note
from bayescmp.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.procedure.results import ProcedureResult

__all__ = ["figure_size", "plot_wins"]

#: Inches: the largest cell; one with a number that can be read; bars of totals.
CELL, LEGIBLE, BARS = 0.3, 0.2, 0.85
#: Width of a page; more algorithms than fit in a column get up to this, then smaller cells.
PAGE = 7.0
#: Font size below which a cell has no number.
LEAST = 4.5
#: Length of the longest bar, in cells.
BAR_CELLS = 2.2


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
    ax = axes_for(ax, figure_size(wins))
    cell, most = _cell_and_letters(wins, room(ax))
    names = shorten_all([wins.names[i] for i in order], most)
    _cells(ax, counts, wins.n_datasets, cell)
    framed = 0 if tests is None else _frames(ax, _significant(tests, alpha)[np.ix_(order, order)])
    if wins.total is not None:
        _totals(ax, wins.total[order], wins.n_datasets, len(names), cell)
    _frame(ax, names, wins.total is not None, cell)
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


def figure_size(wins: ProcedureResult | WinsTable) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits.

    Parameters
    ----------
    wins : ProcedureResult or WinsTable
    """
    table = _table(wins)
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


def _table(result: ProcedureResult | WinsTable) -> WinsTable:
    """The wins themselves."""
    table = result if isinstance(result, WinsTable) else getattr(result, "wins", None)
    if table is None:
        raise InputError("result has no wins: give costs to the procedure")
    return table


def _read(result: Any, tests: Any, alpha: float | None) -> tuple[Any, Any, float]:
    wins = _table(result)
    if wins is not result:
        tests = result.sign_tests if tests is None else tests
        alpha = result.alpha if alpha is None else alpha
    if tests is not None and tuple(tests.names) != tuple(wins.names):
        raise InputError(
            f"tests is of {', '.join(tests.names)}, the wins of {', '.join(wins.names)}"
        )
    return wins, tests, checks.level(0.05 if alpha is None else alpha)


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


def _frame(ax: Axes, names: list[str], totals: bool, cell: float) -> None:
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
