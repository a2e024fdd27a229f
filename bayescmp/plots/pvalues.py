"""Heat map of the p-values of pairs of algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, column
from bayescmp.plots._ink import ink, luminance, mixed, on, paper
from bayescmp.plots._labels import label_below, legend_above
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_tests, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from bayescmp.frequentist.pairs.result import PosthocResult

__all__ = ["figure_size", "plot_pvalues"]

#: From clearly different to not different: lightness alone orders them, in grey and for the
#: colour-blind; what is not significant is grey. On dark backgrounds light is significant.
SHADES = ("#3b1f6b", "#6f52a8", "#b9aedb")
ON_DARK = ("#d9d4ee", "#a397d0", "#6a5aa6")

#: Numbers are written into the cells up to here.
WRITTEN = 9


@made_of(
    "a result of pairwise post-hoc tests, e.g. of frequentist.nemenyi",
    "bayescmp.frequentist.pairs.result:PosthocResult",
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
    ax = axes_for(ax, figure_size(result))
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


def figure_size(result: PosthocResult) -> tuple[float, float]:
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
