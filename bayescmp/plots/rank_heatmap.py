"""Heat map of rank probabilities: how sure it is which is best, second best, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import COLUMN, axes_for, sized
from bayescmp.plots._ink import ink, on, paper, quantity, shades
from bayescmp.plots._labels import label_below, letters, room, row_text, text_width
from bayescmp.plots._names import shorten, shorten_all
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.text import probability

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.verdict.rope import RopesLike

__all__ = ["draw_ranks", "figure_size", "plot_rank_probabilities"]

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
    """Draw a table of rank probabilities, the best expected rank on top.

    Parameters
    ----------
    table : DataFrame of shape (L, L)
        One row per algorithm, one column per rank.
    title : str
        Below the axes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.
    """
    ranks = table.columns.to_numpy(dtype=float)
    expected = table.to_numpy() @ ranks
    order = np.argsort(expected, kind="stable")
    shown, expected = table.to_numpy()[order], expected[order]
    ax = axes_for(ax, _size([str(name) for name in table.index]))
    size = len(order)
    most = letters(0.4 * room(ax), 7.5)
    names = shorten_all([table.index[i] for i in order], most)
    cell = (room(ax) - max(text_width(name, 7.5) for name in names) - 0.1) / size
    ax.imshow(shown, cmap=shades(quantity()), vmin=0, vmax=1, aspect="auto", zorder=0)
    _numbers(ax, shown, min(cell, CELL) * 72 * 0.9 / 3.4)
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
    _frame(ax, names, title, min(cell, CELL))
    return ax


def figure_size(posterior: GroupsPosterior) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    return _size(list(posterior.algorithms))


def _size(names: list[str]) -> tuple[float, float]:
    beside = max(text_width(name, 7.5) for name in shorten_all(names))
    width, _ = sized(float(np.clip(CELL * len(names) + beside + 0.3, 0.8 * COLUMN, WIDEST)), 0.0)
    beside = min(beside, 0.4 * width)
    cell = min(CELL, (width - beside - 0.25) / len(names))
    return width, max(cell, 0.1) * len(names) + 0.9


def _numbers(ax: Axes, shares: np.ndarray, size: float) -> None:
    """Probabilities in their cells, where they can be read."""
    if size < LEAST:
        return
    colours = shades(quantity())
    for i, row in enumerate(shares):
        for j, p in enumerate(row):
            if p < 0.005:
                continue
            ax.text(
                j,
                i - 0.06,
                probability(p),
                ha="center",
                va="center",
                fontsize=min(size, 7.0),
                color=on(colours(float(p))[:3]),
                zorder=2,
            )


def _frame(ax: Axes, names: list[str], title: str, cell: float) -> None:
    size = len(names)
    step = 1 if cell >= 0.17 else 5  # ranks have two figures
    ranks = [rank for rank in range(1, size + 1) if rank == 1 or rank % step == 0]
    ax.set_xticks([rank - 1 for rank in ranks], [str(rank) for rank in ranks])
    ax.set_yticks(range(size), names)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("bottom")
    ax.tick_params(axis="y", labelsize=row_text(cell))
    ax.tick_params(axis="x", labelsize=7.5)
    ax.tick_params(length=0)
    label_below(ax, title, 7)
    for edge in np.arange(-0.5, size):
        ax.axhline(edge, color=paper(), linewidth=1.0, zorder=1)
        ax.axvline(edge, color=paper(), linewidth=1.0, zorder=1)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _title(posterior: GroupsPosterior, by: str | ArrayLike | None) -> str:
    if by is None:
        by = posterior.metrics[0] if len(posterior.metrics) == 1 else "dominance"
    if not isinstance(by, str):
        by = "a weighted sum of metrics"
    return f"columns: rank by {shorten(by)}; ▲ expected rank"
