"""Heat map of rank probabilities: how sure it is who is best, second best, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.palette import COLOURS
from bayescmp.plots._canvas import COLUMN, axes_for
from bayescmp.plots._names import shorten, shorten_all
from bayescmp.text import probability

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.verdict.rope import RopesLike

__all__ = ["draw_ranks", "figure_size", "plot_rank_probabilities"]

#: Side of a cell, and width of a letter of the algorithms' names, inches.
CELL, LETTER = 0.33, 0.075
#: Colour map from white on.
CMAP = "Blues"


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
    return draw_ranks(posterior.rank_probabilities(by, rope=rope), _title(posterior, by), ax)


def draw_ranks(table: pd.DataFrame, title: str, ax: Axes | None = None) -> Axes:
    """Draw a table of rank probabilities, the best expected rank on top.

    Parameters
    ----------
    table : DataFrame of shape (L, L)
        One row an algorithm, one column a rank.
    title : str
        Below the axes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.
    """
    ranks = table.columns.to_numpy(dtype=float)
    expected = table.to_numpy() @ ranks
    order = np.argsort(expected, kind="stable")
    shown, expected = table.to_numpy()[order], expected[order]
    names = shorten_all([table.index[i] for i in order])
    ax = axes_for(ax, _size(names))
    size = len(names)
    ax.imshow(shown, cmap=CMAP, vmin=0, vmax=1.15, aspect="auto", zorder=0)
    _numbers(ax, shown)
    ax.plot(
        expected - 1,
        np.arange(size) + 0.36,
        marker="^",
        linestyle="none",
        markersize=3.5,
        color=COLOURS["right"],
        markeredgewidth=0,
        clip_on=False,
        zorder=3,
    )
    _frame(ax, names, title)
    return ax


def figure_size(posterior: GroupsPosterior) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    return _size(shorten_all(posterior.algorithms))


def _size(names: list[str]) -> tuple[float, float]:
    wide = CELL * len(names) + LETTER * max(map(len, names)) + 0.3
    return max(wide, COLUMN * 0.6), CELL * len(names) + 0.75


def _numbers(ax: Axes, shares: np.ndarray) -> None:
    size = float(np.clip(8.0 - 0.14 * len(shares), 4.5, 7.0))
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
                fontsize=size,
                color="white" if p > 0.6 else "black",
                zorder=2,
            )


def _frame(ax: Any, names: list[str], title: str) -> None:
    size = len(names)
    ax.set_xticks(range(size), range(1, size + 1))
    ax.set_yticks(range(size), names)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xlabel("rank", fontsize=8)
    ax.text(
        0.5, -0.02 - 0.12 / size, title, transform=ax.transAxes, ha="center", va="top", fontsize=7
    )
    ax.tick_params(length=0, labelsize=7.5)
    for edge in np.arange(-0.5, size):
        ax.axhline(edge, color="white", linewidth=1.0, zorder=1)
        ax.axvline(edge, color="white", linewidth=1.0, zorder=1)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _title(posterior: GroupsPosterior, by: str | ArrayLike | None) -> str:
    if by is None:
        by = posterior.metrics[0] if len(posterior.metrics) == 1 else "dominance"
    if not isinstance(by, str):
        by = "a weighted sum of metrics"
    return f"ranked by {shorten(by)}; ▲ expected rank"
