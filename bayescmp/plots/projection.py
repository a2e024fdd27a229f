"""Scores projected on learned measures: where algorithms differ most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, column
from bayescmp.plots._facets import MOST
from bayescmp.plots._labels import label_below
from bayescmp.plots.captions import Facts, note
from bayescmp.plots.ellipses import (
    ROW,
    draw_facets,
    draw_groups,
    draw_histograms,
    legend_below,
)
from bayescmp.plots.ellipses import figure_size as scatter_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.frequentist.groups.measures import LearnedMeasures

__all__ = ["figure_size", "plot_projection"]

QUANTITY = "Folds in the learned measures in which the algorithms differ most"


@made_of("measures learned by frequentist.learned_measures")
def plot_projection(
    measures: LearnedMeasures,
    *,
    which: int | Sequence[int] = (1, 2),
    centre: bool | None = None,
    levels: float | Sequence[float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the folds of each algorithm in learned measures.

    Parameters
    ----------
    measures : LearnedMeasures
        Of `bayescmp.frequentist.learned_measures`.
    which : int, or sequence of one or two
        Measures to draw, 1 the first: one as histograms, two as a scatter with ellipses. Only the
        first if there is only one.
    centre : bool, optional
        Whether to subtract the mean of each fold over the algorithms, as in the error of a MANOVA
        with folds as blocks; if not given, where that was the design.
    levels : float or sequence of float, optional
        As for `plot_ellipses`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.

    Returns
    -------
    matplotlib Axes
        The axis labels give each measure's share of the differences between algorithms. More than
        eight algorithms get a panel each, unless `ax` is given.

    Raises
    ------
    InputError
        No measures or other ones, algorithms that differ in their folds.

    References
    ----------
    Yıldız & Alpaydın, figure 5.

    See Also
    --------
    plot_ellipses : The metrics themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import Blocks, frequentist, plots
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal([[[0.1, 0.8]], [[0.2, 0.9]], [[0.3, 0.9]]], 0.03, (3, 10, 2))
    >>> blocks = Blocks(x, rho=0.1, algorithms=["knn", "gbm", "svm"], metrics=["fpr", "tpr"])
    >>> ax = plots.plot_projection(frequentist.learned_measures(blocks, block=True))
    """
    chosen = _chosen(measures, which)
    points = _points(measures, centre)[:, :, [k - 1 for k in chosen]]
    labels = [_label(measures, k) for k in chosen]
    if ax is None and len(chosen) == 2 and len(measures.names) > MOST:
        ax = draw_facets(points, measures.names, (labels[0], labels[1]), levels)
        return note(ax, QUANTITY, Facts(names=tuple(measures.names)))
    ax = axes_for(ax, figure_size(measures, which=which))
    if len(chosen) == 1:
        draw_histograms(ax, points[:, :, 0], measures.names, labels[0])
        return note(ax, QUANTITY, Facts(names=tuple(measures.names)))
    draw_groups(ax, points, measures.names, levels)
    label_below(ax, labels[0], 8)
    ax.set_ylabel(labels[1], fontsize=8)
    legend_below(ax, measures.names)
    return note(ax, QUANTITY, Facts(names=tuple(measures.names)))


def figure_size(
    measures: LearnedMeasures, *, which: int | Sequence[int] = (1, 2)
) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits.

    Parameters
    ----------
    measures : LearnedMeasures
    which : int or sequence of int
    """
    if len(_chosen(measures, which)) == 1:
        return column(), 0.6 + 1.3 * ROW * len(measures.names)
    return scatter_size(measures.names)


def _chosen(measures: LearnedMeasures, which: int | Sequence[int]) -> tuple[int, ...]:
    count = len(measures.eigenvalues)
    if not count:
        raise InputError("measures is empty: no metric varies, so there is nothing to draw")
    chosen = (which,) if isinstance(which, int) else tuple(which)
    if count == 1 and chosen == (1, 2):
        return (1,)
    if len(chosen) not in (1, 2) or not all(1 <= k <= count for k in chosen):
        raise InputError(f"which={which!r}; accepted: one or two of the measures 1 to {count}")
    return chosen


def _points(measures: LearnedMeasures, centre: bool | None) -> np.ndarray:
    points = measures.project()
    if isinstance(points, list):
        raise InputError("measures is of algorithms that differ in their folds; no plot is made")
    if measures.design.block if centre is None else centre:
        points = points - points.mean(axis=0) + points.mean(axis=(0, 1))
    return np.asarray(points)


def _label(measures: LearnedMeasures, k: int) -> str:
    return f"M{k} ({measures.share[k - 1]:.0%} of the differences)"
