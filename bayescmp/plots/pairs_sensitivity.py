"""Sensitivity of several pairs: a column a pair, a row a setting, the decision in each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.palette import ORDER
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, sized
from bayescmp.plots._ink import fill, ink
from bayescmp.plots._labels import legend_above
from bayescmp.plots._names import shorten, shorten_all
from bayescmp.plots.captions import facts_of_verdict, note
from bayescmp.plots.sensitivity import MOST, TITLES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.sensitivity import PairsSensitivity

__all__ = ["figure_size", "plot_pairs_sensitivity"]

#: Inches of a row, of a column, and of what stands around them; the most columns.
ROW, COLUMN, AROUND, BESIDE, COLUMNS = 0.17, 0.24, 1.7, 2.4, 30


@made_of(
    "the sensitivity of all pairs, bc.compare_all(...).sensitivity()",
    "bayescmp.sensitivity:PairsSensitivity",
)
def plot_pairs_sensitivity(sensitivity: PairsSensitivity, *, ax: Axes | None = None) -> Axes:
    """Draw the decision on each pair under other assumptions.

    Parameters
    ----------
    sensitivity : PairsSensitivity
        Of ``posterior.sensitivity()`` of several algorithms.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        A cell is filled with the region that is decided for, and empty where none is; a dot marks
        another decision than that of the fit. Of the data sets left out the eight that matter most
        are shown, and of the pairs the first thirty.

    See Also
    --------
    plot_sensitivity : One pair, with its probabilities.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
    >>> posterior = bayesian.groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
    >>> ax = plots.plot_pairs_sensitivity(posterior.sensitivity())
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['knn, svm', 'knn, gbm', 'svm, gbm']
    """
    rows = _rows(sensitivity)
    pairs = list(sensitivity.pairs)[:COLUMNS]
    ax = axes_for(ax, figure_size(sensitivity))
    shape = sensitivity.pairs[pairs[0]].verdict.shape
    decided = {shape.decisions[r]: r for r in shape.regions}
    cells: dict[str, list[tuple[int, int]]] = {region: [] for region in ORDER}
    dots = []
    for column, pair in enumerate(pairs):
        frame = sensitivity.pairs[pair].frame.set_index(["question", "setting"])
        for row, key in enumerate(rows):
            if key not in frame.index:
                continue
            decision = str(frame.loc[key, "decision"])
            if decision in decided:
                cells[decided[decision]].append((column, row))
            if frame.loc[key, "changes"]:
                dots.append((column, row))
    for region, places in cells.items():
        if places:
            x, y = zip(*places, strict=True)
            label = shape.labels[region].format(first="first", second="second")
            ax.bar(
                x, [0.8] * len(x), 0.8, [at - 0.4 for at in y], label=label, **fill(region, 0.7)
            )
    ax.plot([x for x, _ in dots], [y for _, y in dots], "o", color=ink(), markersize=3)
    _finish(ax, rows, [f"{shorten(a, 12)}, {shorten(b, 12)}" for a, b in pairs])
    facts = facts_of_verdict(sensitivity.pairs[pairs[0]].verdict)
    return note(ax, "Decisions on pairs under other assumptions", facts)


def figure_size(sensitivity: PairsSensitivity) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    columns = min(len(sensitivity.pairs), COLUMNS)
    return sized(BESIDE + COLUMN * columns, AROUND + ROW * len(_rows(sensitivity)))


def _rows(sensitivity: PairsSensitivity) -> list[tuple[str, str]]:
    """Questions and settings, of what is left out those that change any pair most."""
    frame = sensitivity.frame
    left_out = frame["question"].map(TITLES) == "without"
    keys = ["question", "setting"]
    largest = frame[left_out].groupby(keys, sort=False)["change"].max()
    most = largest.sort_values(ascending=False, kind="stable").head(MOST).index
    others: pd.DataFrame = frame.loc[~left_out, keys].drop_duplicates()
    return [*others.itertuples(index=False, name=None), *most]


def _finish(ax: Axes, rows: list[tuple[str, str]], pairs: list[str]) -> None:
    settings = shorten_all([setting for _, setting in rows], 24)
    labels = [f"{TITLES[q]} {s}".strip() for (q, _), s in zip(rows, settings, strict=True)]
    ax.set_yticks(range(len(rows)), labels)
    ax.set_xticks(range(len(pairs)), pairs, rotation=90)
    ax.set_xlim(-0.6, len(pairs) - 0.4)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(labelsize=7, length=0)
    for side in ("top", "right", "left", "bottom"):
        ax.spines[side].set_visible(False)
    handles, names = ax.get_legend_handles_labels()
    if handles:  # nothing may be decided
        legend_above(ax, handles, names)
