"""Error against within-class correlation, with what two permutation tests expect of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescmp.errors import InputError
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, sized, text_size
from bayescmp.plots._ink import ink, paper, quantity
from bayescmp.plots._labels import legend_columns, letters
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import Facts, note

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["plot_permutation_power"]

COLUMNS = ("classifier", "rho", "error", "test", "null_mean", "null_low", "null_high")
#: Marker, words and side of the tests' bars.
SIGNS = {
    "labels": ("x", "test 1: labels permuted", -1),
    "columns": ("o", "test 2: columns permuted in classes", 1),
}
#: Inches: a page's width, a row of panels, and the least width at which two stand side by side.
PAGE, ROW, TWO = 6.9, 2.2, 4.6


@made_of(f"a DataFrame with columns {', '.join(COLUMNS)}", "pandas:DataFrame")
def plot_permutation_power(table: pd.DataFrame, *, axes: Sequence[Axes] | None = None) -> Axes:
    """Draw a panel per classifier: its error on the data, and the bars of both tests.

    Parameters
    ----------
    table : DataFrame
        One row per classifier, correlation and test: classifier, rho, error, test ("labels",
        "columns"), null_mean, null_low, null_high (the bar's ends, 1 and 99 %).
    axes : sequence of matplotlib Axes, optional
        One per classifier; a new figure of a page's width if not given.

    Returns
    -------
    matplotlib Axes
        The first panel; its figure holds the others.

    Raises
    ------
    InputError
        No table, columns that are missing, or fewer axes than classifiers.

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
    missing = [c for c in COLUMNS if c not in table.columns]
    if missing:
        raise InputError(f"table has no column {missing[0]!r}; needed: {', '.join(COLUMNS)}")
    names = list(dict.fromkeys(table["classifier"]))
    axes = _panels(len(names)) if axes is None else list(axes)
    if len(axes) < len(names):
        raise InputError(f"axes has {len(axes)} axes for {len(names)} classifiers")
    titles = shorten_all(names, letters(axes[0].get_position().width * _width(axes[0]), 8, 40))
    for ax, name, title in zip(axes, names, titles, strict=False):
        _panel(ax, table[table["classifier"] == name], title)
    size = text_size(axes[0])
    for ax in axes:
        if _outer(ax, "first_col"):
            ax.set_ylabel("classification error", fontsize=size)
        if _outer(ax, "last_row"):
            ax.set_xlabel("correlation within a class", fontsize=size)
    handles, labels = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=legend_columns(labels, _width(axes[0]) - 0.2, min(size, 8)),
        fontsize=min(size, 8),
        frameon=False,
    )
    facts = Facts(test="permutation tests", names=tuple(map(str, names)))
    return note(axes[0], "Classification error by the correlation within a class", facts)


def _width(ax: Axes) -> float:
    figure = ax.figure.figure
    return float(figure.get_figwidth())


def _outer(ax: Axes, side: str) -> bool:
    """Whether a panel is at that side of its grid."""
    spec = ax.get_subplotspec()
    return spec is None or bool(getattr(spec, f"is_{side}")())


def _panels(count: int) -> list[Axes]:
    """Two panels a row, or one where they would be too narrow, with common axes."""
    width, _ = sized(PAGE, 0.0)
    wide = 2 if width >= TWO and count > 1 else 1
    rows = -(-count // wide)
    first = axes_for(None, (width, 0.5 + ROW * rows))
    figure = first.figure
    first.remove()
    grid = figure.subplots(rows, wide, sharex=True, sharey=True, squeeze=False).ravel().tolist()
    for ax in grid[count:]:
        ax.remove()
    return list(grid[:count])


def _panel(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    size = text_size(ax)
    line = rows.drop_duplicates("rho").sort_values("rho")
    ax.plot(line["rho"], line["error"], color=ink(), linewidth=1.2, label="on the data")
    step = line["rho"].diff().min() if len(line) > 1 else 0.1
    for test, (marker, words, side) in SIGNS.items():
        these = rows[rows["test"] == test].sort_values("rho")
        x = these["rho"] + side * 0.08 * step  # bars of the two tests do not cover each other
        ends = [these["null_mean"] - these["null_low"], these["null_high"] - these["null_mean"]]
        ax.errorbar(
            x,
            these["null_mean"],
            yerr=ends,
            fmt=marker,
            color=quantity() if test == "labels" else ink(0.6),
            markerfacecolor=paper(),
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
