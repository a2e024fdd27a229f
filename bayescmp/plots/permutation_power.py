"""Error against within-class correlation, with what two permutation tests expect of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescmp.errors import InputError
from bayescmp.palette import ALGORITHMS
from bayescmp.plots._canvas import axes_for, text_size

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["plot_permutation_power"]

COLUMNS = ("classifier", "rho", "error", "test", "null_mean", "null_low", "null_high")
SIGNS = {
    "labels": ("x", ALGORITHMS[0], "test 1: labels permuted", -1),
    "columns": ("o", ALGORITHMS[1], "test 2: columns permuted in classes", 1),
}


def plot_permutation_power(table: pd.DataFrame, *, axes: Sequence[Axes] | None = None) -> Axes:
    """Draw a panel a classifier: its error on the data, and the bars of both tests.

    Parameters
    ----------
    table : DataFrame
        One row a classifier, correlation and test: classifier, rho, error, test ("labels",
        "columns"), null_mean, null_low, null_high (the bar's ends, 1 and 99 %).
    axes : sequence of matplotlib Axes, optional
        One a classifier; a new figure of a page's width if not given.

    Returns
    -------
    matplotlib Axes
        The first panel; its figure holds the others.

    Raises
    ------
    InputError
        Columns that are missing, or fewer axes than classifiers.

    References
    ----------
    Ojala & Garriga 2009, figure 3.

    See Also
    --------
    plot_null_distribution : One classifier on one data set.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp import plots
    >>> rows = [
    ...     ("knn", rho, rho_error, test, mean, mean - 0.05, mean + 0.05)
    ...     for rho, rho_error in ((0.0, 0.5), (0.5, 0.3))
    ...     for test, mean in (("labels", 0.5), ("columns", 0.45))
    ... ]
    >>> columns = ["classifier", "rho", "error", "test", "null_mean", "null_low", "null_high"]
    >>> ax = plots.plot_permutation_power(pd.DataFrame(rows, columns=columns))
    >>> ax.get_title()
    'knn'
    """
    missing = [c for c in COLUMNS if c not in getattr(table, "columns", ())]
    if missing:
        raise InputError(f"table has no column {missing[0]!r}; needed: {', '.join(COLUMNS)}")
    names = list(dict.fromkeys(table["classifier"]))
    axes = _panels(len(names)) if axes is None else list(axes)
    if len(axes) < len(names):
        raise InputError(f"axes has {len(axes)} axes for {len(names)} classifiers")
    for ax, name in zip(axes, names, strict=False):
        _panel(ax, table[table["classifier"] == name], name)
    size = text_size(axes[0])
    for ax in axes[:: max(1, len(axes) // 2)]:
        ax.set_ylabel("classification error", fontsize=size)
    for ax in axes[-2:]:
        ax.set_xlabel("correlation within a class", fontsize=size)
    handles, labels = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=len(labels),
        fontsize=min(size, 8),
        frameon=False,
    )
    return axes[0]


def _panels(count: int) -> list[Axes]:
    """Two panels a row, with common axes."""
    rows = (count + 1) // 2
    first = axes_for(None, (6.9, 0.3 + 2.2 * rows))
    figure = first.figure
    first.remove()
    grid = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False).ravel().tolist()
    for ax in grid[count:]:
        ax.remove()
    return list(grid[:count])


def _panel(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    size = text_size(ax)
    line = rows.drop_duplicates("rho").sort_values("rho")
    ax.plot(line["rho"], line["error"], color="black", linewidth=1.2, label="on the data")
    step = line["rho"].diff().min() if len(line) > 1 else 0.1
    for test, (marker, colour, words, side) in SIGNS.items():
        these = rows[rows["test"] == test].sort_values("rho")
        x = these["rho"] + side * 0.08 * step  # bars of the two tests do not cover each other
        ends = [these["null_mean"] - these["null_low"], these["null_high"] - these["null_mean"]]
        ax.errorbar(
            x,
            these["null_mean"],
            yerr=ends,
            fmt=marker,
            color=colour,
            markersize=3.5,
            linewidth=0.9,
            capsize=1.8,
            label=words,
        )
    ax.set_ylim(bottom=0)
    ax.set_title(name, fontsize=size, pad=3)
    ax.tick_params(labelsize=min(size, 7.5))
    for spine in ("top", "right"):
        ax.spines[spine].set_visible(False)
