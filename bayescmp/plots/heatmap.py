"""Heat map of many verdicts: all pairs of algorithms, or all against a control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.palette import COLOURS, SIGNS
from bayescmp.plots._canvas import COLUMN, axes_for
from bayescmp.plots._names import shorten, shorten_all
from bayescmp.text import listed, probability
from bayescmp.verdict import check_threshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.comparison.results import Comparisons
    from bayescmp.verdict.core import Verdict

__all__ = ["figure_size", "number_in_cell", "plot_verdicts", "tint"]

REGIONS = ("left", "rope", "right")
#: Height of a row of the table, inches.
CELL = 0.3


def plot_verdicts(
    comparisons: Comparisons, *, ax: Axes | None = None, decided: Any = None
) -> Axes:
    """Draw the verdicts on all pairs as a matrix, or on all against a control as a table.

    Of all pairs, a cell says how the algorithm of its row does against that of its column: the
    most probable outcome, "+" better, "=" equivalent, "−" worse, with its probability, and a frame
    where that is decided. The algorithms are sorted, the one that is best on average first.
    Against a control, a row has the three probabilities of one algorithm.

    Parameters
    ----------
    comparisons : Comparisons
        What `bayescmp.compare_all` returned.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.
    decided : float, optional
        Frame cells from this probability on; the threshold of the verdicts if not given.

    Returns
    -------
    matplotlib Axes
        Pairs that failed are crossed out.

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
    draw = _draw_matrix if comparisons.control is None else _draw_table
    limit = next(iter(comparisons.results.values())).verdict.threshold
    return draw(comparisons, ax, limit if decided is None else check_threshold(decided))


def _draw_matrix(comparisons: Comparisons, ax: Axes | None, limit: float) -> Axes:
    names = comparisons.order
    k = len(names)
    ax = axes_for(ax, figure_size(comparisons))
    size = _cell_text(ax, k, k)
    for i, row in enumerate(names):
        ax.plot([i - 0.5, i + 0.5], [i - 0.5, i + 0.5], color="0.75", linewidth=0.6)
        for j, column in enumerate(names):
            if i == j:
                continue
            v = _verdict(comparisons, row, column)
            if v is None:
                _cross(ax, j, i)
                continue
            best = v.ranked[0]
            _cell(ax, (j, i), v, best, limit, size, SIGNS[best] + "\n")
    labels = shorten_all(names)
    _frame(ax, labels, labels, k, k)
    rotated = max(map(len, labels)) > 4
    ax.set_xticks(
        range(k), labels, rotation=45 if rotated else 0, ha="left" if rotated else "center"
    )
    key = "row:  + better   = equivalent   − worse"
    ax.set_xlabel(f"{key}\n{_key(comparisons, limit)}", fontsize=7, labelpad=5)
    return ax


def _draw_table(comparisons: Comparisons, ax: Axes | None, limit: float) -> Axes:
    control = str(comparisons.control)
    names = [n for n in comparisons.order if n != control]
    ax = axes_for(ax, figure_size(comparisons))
    size = _cell_text(ax, 3.4, len(names))
    for i, name in enumerate(names):
        v = _verdict(comparisons, control, name)
        for j, region in enumerate(REGIONS):
            if v is None:
                _cross(ax, j, i)
            else:
                _cell(ax, (j, i), v, region, limit, size)
    heads = [f"{shorten(control, 12)}\nbetter", "equivalent", "other\nbetter"]
    _frame(ax, heads, shorten_all(names), 3, len(names))
    ax.set_xlabel(_key(comparisons, limit), fontsize=7, labelpad=5)
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


def figure_size(comparisons: Comparisons) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    names = shorten_all(comparisons.algorithms)
    if comparisons.control is not None:
        return COLUMN, 0.85 + CELL * (len(names) - 1)
    side, room = max(0.42 * len(names), 1.2), 0.075 * max(map(len, names))
    return side + room + 0.2, side + 0.75 * room + 0.55


def _cell_text(ax: Any, columns: float, rows: int) -> float:
    """Font size at which a number fills its cell but does not leave it."""
    box, figure = ax.get_position(), ax.figure
    width = 0.8 * box.width * figure.get_figwidth() / columns
    height = 0.8 * box.height * figure.get_figheight() / rows
    return float(np.clip(min(width * 72 / 3.6, height * 72 / 2.6), 3.5, 8.0))


def tint(region: str, p: float) -> np.ndarray:
    """The region's colour, paler the less probable it is: white at one third."""
    from matplotlib.colors import to_rgb

    weight = float(np.clip((p - 1 / 3) / (2 / 3), 0, 1)) * 0.8
    return 1 - weight * (1 - np.array(to_rgb(COLOURS[region])))


def _cell(
    ax: Axes, at: tuple[int, int], v: Verdict, region: str, limit: float, size: float,
    sign: str = "",
) -> None:  # fmt: skip
    from matplotlib.patches import Rectangle

    p = v.probabilities[region]
    x, y = at
    ax.add_patch(
        Rectangle(
            (x - 0.5, y - 0.5),
            1,
            1,
            facecolor=tint(region, p),
            edgecolor="white",
            linewidth=0.6,
            zorder=1,
        )
    )
    decided = p - 2 * v.errors.get(region, 0.0) >= limit
    if decided:
        ax.add_patch(
            Rectangle(
                (x - 0.44, y - 0.44),
                0.88,
                0.88,
                fill=False,
                edgecolor="black",
                linewidth=1.1,
                zorder=3,
            )
        )
    ax.text(
        x,
        y,
        f"{sign}{number_in_cell(p, limit)}",
        ha="center",
        va="center",
        fontsize=size,
        fontweight="bold" if decided else "normal",
        linespacing=0.95,
        zorder=4,
    )


def number_in_cell(p: float, limit: float) -> str:
    """As everywhere to three digits, but never rounded up to a limit that is not reached."""
    return probability(np.floor(1000 * p) / 1000 if p < limit <= round(p, 3) else p)


def _cross(ax: Axes, x: int, y: int) -> None:
    ax.plot([x - 0.2, x + 0.2], [y - 0.2, y + 0.2], color="0.5", linewidth=0.8)
    ax.plot([x - 0.2, x + 0.2], [y + 0.2, y - 0.2], color="0.5", linewidth=0.8)


def _frame(ax: Axes, columns: list[str], rows: list[str], wide: int, high: int) -> None:
    ax.set_xlim(-0.5, wide - 0.5)
    ax.set_ylim(high - 0.5, -0.5)
    ax.xaxis.tick_top()
    ax.set_xticks(range(wide), columns)
    ax.set_yticks(range(high), rows)
    ax.xaxis.set_label_position("bottom")
    ax.tick_params(length=0, labelsize=7.5)
    for spine in ax.spines.values():
        spine.set_visible(False)
