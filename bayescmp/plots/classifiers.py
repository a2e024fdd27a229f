"""Classifiers: curves of their folds, permutation tests, and power as features correlate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import correlation, flag, instance, names, number, optional, several
from bayescmp.plots.captions import Facts, note
from bayescmp.plots.drawing import (
    AXES,
    Look,
    axes_for,
    column,
    frame_axes,
    ink,
    label_below,
    legend_above,
    legend_columns,
    letters,
    made_of,
    mix_colours,
    panels_of,
    paper,
    pitch,
    quantity,
    shorten,
    shorten_all,
    size_figure,
    text_size,
)
from bayescmp.wording.regions import COLOURS, DASHES
from bayescmp.wording.text import format_count, join_items

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.curves.curves import PrCurves, RocCurves
    from bayescmp.frequentist.permutation import PermutationResult


# ROC or precision-recall curves of all folds of two algorithms, with their means.


SIDES = {"left": "o", "right": "^"}

KINDS = "bayescmp.curves.curves:RocCurves", "bayescmp.curves.curves:PrCurves"
#: Height of the largest figure, inches.
TALL = 4.4
#: Legend of the diagonal of ROC curves.
CHANCE = "diagonal: random guessing"
#: Points between two of a precision-recall curve, which are joined by a hyperbola.
BETWEEN = 201


@made_of(
    "ROC or precision-recall curves, e.g. of bc.RocCurves",
    *KINDS,
    second=optional(instance("curves of the kind of first", *KINDS)),
    names=names,
    threshold=optional(number()),
    rho=optional(correlation),
    band=flag,
)
def plot_curves(
    first: RocCurves | PrCurves,
    second: RocCurves | PrCurves | None = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    threshold: float | None = 0.5,
    rho: float | None = None,
    band: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the folds' curves of one or two algorithms, their vertical averages and a threshold.

    Parameters
    ----------
    first, second : RocCurves or PrCurves
        Curves of the same kind; the second may be left out.
    names : (str, str)
    threshold : float or None
        Marked on each curve, with the folds' mean as a larger marker: circles, and triangles.
    rho : float, optional
        Correlation of folds, for the interval of the mean as band; by default the central 95% of
        folds.
    band : bool
        Draw the band of the averages.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If the curves are of different kinds.

    References
    ----------
    Aslan 2009, figures 3.1 to 3.14.

    See Also
    --------
    bayescmp.curves.roc_curves : Curves from scores of the folds.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import curves, plots
    >>> y = np.tile([0, 0, 1, 1, 0, 1], (3, 1))
    >>> scores = np.random.default_rng(1).uniform(size=y.shape)
    >>> ax = plots.plot_curves(curves.roc_curves(y, scores), names=("knn", ""))
    """
    if len(names) != 2:
        raise must_be("names", "two names, first and second", names)
    both = [("left", first, names[0])] + (
        [("right", second, names[1])] if second is not None else []
    )
    kinds = {curves.kind for _, curves, _ in both}
    if len(kinds) > 1:
        raise must(
            "second",
            "hold the same kind of curves as first",
            "one of ROC and one of precision-recall curves",
        )
    ax = axes_for(ax, (column(), min(column(), TALL)))
    labels = shorten_all(names, 20)
    size = text_size(ax)
    for side, curves, _ in both:
        _draw_folds(ax, side, curves)
        _draw_average(ax, side, curves, labels[side == "right"], rho, band)
    for side, curves, _ in both:
        if threshold is not None:
            _mark_threshold(ax, side, curves, threshold)
    if kinds == {"roc"}:
        chance: Look = {"color": ink(0.4), "linewidth": 0.7, "linestyle": (0, (4, 3))}
        ax.plot([0, 1], [0, 1], label=CHANCE, zorder=0, **chance)
    handles, labels = _legend_of_curves(ax, threshold, band, rho)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set_xlabel(first.axes[0], fontsize=size)
    ax.set_ylabel(first.axes[1], fontsize=size)
    ax.legend(
        handles,
        labels,
        fontsize=min(size, 7.5),
        frameon=True,
        framealpha=0.8,
        facecolor=paper(),
        edgecolor="none",
        loc="lower right" if kinds == {"roc"} else "lower left",
    )
    frame_axes(ax, "left", "bottom", labelsize=min(size, 7.5))
    kind = "ROC" if kinds == {"roc"} else "Precision-recall"
    facts = Facts(names=tuple(name for *_, name in both), sample=format_count(len(first), "fold"))
    words = f"{kind} curves of the folds, with their averages"
    return note(ax, words, facts, *labels[len(both) :])


def _legend_of_curves(
    ax: Axes, threshold: float | None, band: bool, rho: float | None
) -> tuple[list[Any], list[str]]:
    """Return the curves, and a handle for the markers and for the band."""
    handles, labels = ax.get_legend_handles_labels()
    ring: Look = {"markerfacecolor": ink(0.4), "markeredgecolor": ink()}
    if threshold is not None:
        handles.append(Line2D([], [], linestyle="", marker="o", markersize=5.5, **ring))
        labels.append(f"at threshold {threshold:g}; large: mean")
    if band:
        handles.append(Patch(color=ink(0.2), linewidth=0))
        inside = "central 95% of the folds" if rho is None else "95% interval of the mean"
        labels.append(f"band: {inside}")
    return handles, labels


def _draw_folds(ax: Axes, side: str, curves: RocCurves | PrCurves) -> None:
    """Draw all folds' curves, thin, and fainter the more there are."""
    alpha = float(np.clip(4 / len(curves), 0.08, 0.5))
    for fold in range(len(curves)):
        x, y = _points_of_curve(curves, fold)
        ax.plot(x, y, color=COLOURS[side], linewidth=0.6, alpha=alpha, zorder=1)


def _points_of_curve(curves: RocCurves | PrCurves, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the points to join: a precision-recall curve's hyperbolas need some between."""
    x, y, _ = curves.points(fold)
    if curves.kind == "roc":
        return x, y
    grid = np.linspace(0, 1, BETWEEN)
    xs, ys = np.append(x, grid), np.append(y, curves.heights(fold, grid))
    rank = np.append(np.arange(len(x)), np.searchsorted(x, grid, side="left") - 0.5)
    order = np.lexsort((rank, xs))  # vertical drops keep the curve's own order
    return xs[order], ys[order]


def _draw_average(
    ax: Axes, side: str, curves: RocCurves | PrCurves, name: str, rho: float | None, band: bool
) -> None:
    average = curves.average(grid=BETWEEN, rho=rho if len(curves) > 1 else None)
    label = f"{name}: area {curves.area.mean():.3f}"
    colour = COLOURS[side]
    line: Look = {"linestyle": DASHES[side], "linewidth": 1.8, "zorder": 3}
    ax.plot(average.x, average.mean, color=colour, label=label, **line)
    if band:
        pale: Look = {"alpha": 0.2, "linewidth": 0, "zorder": 0}
        ax.fill_between(average.x, average.low, average.high, color=colour, **pale)


def _mark_threshold(ax: Any, side: str, curves: RocCurves | PrCurves, threshold: float) -> None:
    points = curves.at(threshold)
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return
    mark = partial(ax.scatter, marker=SIDES[side], clip_on=False)
    own = COLOURS[side]
    mark(*points.T, s=9, facecolor=paper(), edgecolor=own, linewidth=0.6, zorder=4)
    mark(*points.mean(axis=0), s=42, facecolor=own, edgecolor=ink(), linewidth=0.8, zorder=5)


# Histogram of a permutation test's null distributions, with the classifier's own score.


#: The two tests in words.
TESTS = {"labels": "test 1: labels permuted", "columns": "test 2: columns permuted in classes"}
BARS = 40


@made_of("a permutation test, or several of one metric")
def plot_null_distribution(
    results: PermutationResult | Sequence[PermutationResult], *, ax: Axes | None = None
) -> Axes:
    """Draw a classifier's scores on random data, and its score on the real data.

    Parameters
    ----------
    results : PermutationResult, or sequence of them
        One or both tests of one classifier, with the same metric.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if not given.

    Returns
    -------
    matplotlib Axes
        Histograms with p-values; a line at the mean score on the real data, with a tick per
        repeat.

    Raises
    ------
    InputError
        If there are no results, or their metrics differ.

    See Also
    --------
    plot_permutation_power : Many of these tests side by side.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bayescmp import frequentist, plots
    >>> rng = np.random.default_rng(1)
    >>> X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], 20)
    >>> result = frequentist.permutation_test(GaussianNB(), X, y, n=19, cv=2, seed=1)
    >>> ax = plots.plot_null_distribution(result)
    """
    if isinstance(results, str) or not isinstance(results, Sequence):
        results = [results]
    if not results or len({r.metric for r in results}) > 1:
        found = ", ".join(r.metric for r in results) or "none"
        raise must("results", "be at least one result, all of one metric", found)
    ax = axes_for(ax, (column(), 2.6))
    size = text_size(ax)
    edges = _bar_edges(results)
    tallest = 0.0
    for result in results:
        known = result.null[np.isfinite(result.null)]
        heights, _ = np.histogram(known, bins=edges)
        heights = heights / len(result.null)
        ax.bar(
            edges[:-1],
            heights,
            width=np.diff(edges),
            align="edge",
            label=f"{TESTS[result.test]}, p = {result.pvalue:.3g}",
            **_look_of_bars(result.test),
        )
        tallest = max(tallest, float(heights.max(initial=0.0)))
    _draw_original(ax, results[0], tallest)
    ax.set_ylim(0, 1.1 * (tallest or 1.0))
    ax.set_ylabel("proportion of random data sets", fontsize=size)
    frame_axes(ax, "left", "bottom", labelsize=min(size, 7.5))
    ax.locator_params(axis="x", nbins=6)
    label_below(ax, f"{results[0].metric} of {shorten(results[0].estimator, 32)}", size)
    legend_above(ax, *ax.get_legend_handles_labels(), min(size, 7))
    first = results[0]
    tests = join_items([TESTS[result.test] for result in results])
    facts = Facts(
        test=f"permutation {tests}",
        names=(first.estimator,),
        sample=format_count(first.n, "permutation"),
        level=first.alpha,
    )
    marks = f"line: on the data, {first.statistic:.3g}"
    ticks = "ticks: its repeats" * (len(first.original) > 1)
    return note(ax, f"Scores on random data, {first.metric}", facts, marks, ticks)


def _look_of_bars(test: str) -> Look:
    """Fill bars, or hatch those through which the others are to be seen."""
    if test == "labels":
        return {"color": mix_colours(quantity(), paper(), 0.55), "linewidth": 0}
    return {"facecolor": "none", "edgecolor": ink(0.55), "hatch": "/////", "linewidth": 0.6}


def _bar_edges(results: Sequence[PermutationResult]) -> np.ndarray:
    """Set bars for all, with space for the original: whole steps of the score, values inside."""
    null = np.concatenate([r.null for r in results])
    values = np.concatenate([null, *(r.original for r in results)])
    null, values = null[np.isfinite(null)], values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    width = (high - low or max(abs(low), 1.0) / 10) / BARS
    step, start = _step_of(null), low
    if step > width / 8:  # a few discrete values
        width = step * max(np.ceil(width / step - 1e-6), 1.0)
        start = float(null.min()) - step / 2
        start -= width * max(np.ceil((start - low) / width), 0.0)
    else:
        start -= width / 2
    count = max(int(np.ceil((high - start) / width + 1e-6)), 1)
    return np.asarray(start + width * np.arange(count + 1))


def _step_of(scores: np.ndarray) -> float:
    """Find the step of which all differences of scores are multiples; 0 if there is none."""
    steps = np.diff(np.unique(np.round(scores, 9)))
    if not len(steps):
        return 0.0
    multiples = steps / steps.min()
    return float(steps.min()) if np.allclose(multiples, np.round(multiples), atol=0.01) else 0.0


def _draw_original(ax: Axes, result: PermutationResult, tallest: float) -> None:
    repeated = len(result.original) > 1
    ax.axvline(
        result.statistic,
        color=ink(),
        linewidth=1.2,
        label=f"on the data: {result.statistic:.3g}{', ticks: its repeats' * repeated}",
    )
    if repeated:
        ax.plot(
            result.original,
            np.full(len(result.original), 0.02 * (tallest or 1.0)),
            "|",
            color=ink(),
            markersize=5,
            clip_on=False,
        )


# Error against within-class correlation, with what two permutation tests expect of it.


COLUMNS = ("classifier", "rho", "error", "test", "null_mean", "null_low", "null_high")
#: Marker and side of the tests' bars.
SIGNS = {"labels": ("x", -1), "columns": ("o", 1)}
#: Inches: the width of a page, a row of panels and the least of it, all rows on a page, and the
#: least width for two panels side by side; more than so many do in any width.
PAGE, ROW, LEAST, ROWS, TWO, FEW = 6.9, 2.2, 1.2, 8.0, 4.6, 3


@made_of(
    f"a DataFrame with columns {', '.join(COLUMNS)}",
    "pandas:DataFrame",
    axes=optional(several(AXES)),
)
def plot_permutation_power(table: pd.DataFrame, *, axes: Sequence[Axes] | None = None) -> Axes:
    """Draw one panel per classifier: its error on the data, and the bars of both tests.

    Parameters
    ----------
    table : DataFrame
        One row per classifier, correlation and test: classifier, rho, error, test ("labels",
        "columns"), null_mean, null_low, null_high (the bar's ends, 1 and 99%).
    axes : sequence of matplotlib Axes, optional
        One per classifier; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The first panel; its figure holds the others.

    Raises
    ------
    InputError
        If columns are missing, or there are fewer axes than classifiers.

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
        raise must("table", f"have the columns {', '.join(COLUMNS)}", f"no {missing[0]!r}")
    names = list(dict.fromkeys(table["classifier"]))
    axes = _panels(len(names)) if axes is None else list(axes)
    if len(axes) < len(names):
        raise must("axes", f"be {len(names)}, one per classifier", str(len(axes)))
    titles = shorten_all(
        names, letters(axes[0].get_position().width * _figure_width(axes[0]), 8, 40)
    )
    for ax, name, title in zip(axes, names, titles, strict=False):
        _draw_panel(ax, table[table["classifier"] == name], title)
    size = text_size(axes[0])
    for ax in axes:
        if ax.yaxis.get_tick_params().get("labelleft", True):
            ax.set_ylabel("classification error", fontsize=size)
        if ax.xaxis.get_tick_params().get("labelbottom", True):
            ax.set_xlabel("correlation within a class", fontsize=size)
    handles, labels = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=legend_columns(labels, _figure_width(axes[0]) - 0.2, min(size, 8)),
        fontsize=min(size, 8),
        frameon=False,
    )
    marks = "bars: 1 to 99% of the errors on permuted data, and their mean"
    facts = Facts(test="permutation tests", names=tuple(map(str, names)))
    return note(axes[0], "Classification error by the correlation within a class", facts, marks)


def _figure_width(ax: Axes) -> float:
    figure = ax.figure.figure
    return float(figure.get_figwidth())


def _panels(count: int) -> list[Axes]:
    """Make panels, two a row, or one where they would be too narrow, with common axes."""
    width, _ = size_figure(PAGE, 0.0)
    wide = 2 if count > (1 if width >= TWO else FEW) else 1
    rows = -(-count // wide)
    return panels_of(count, wide, (width, 0.5 + max(pitch(rows, ROW, ROWS), LEAST) * rows))


def _draw_panel(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    size = text_size(ax)
    line = rows.drop_duplicates("rho").sort_values("rho")
    ax.plot(line["rho"], line["error"], color=ink(), linewidth=1.2, label="on the data")
    step = line["rho"].diff().min() if len(line) > 1 else 0.1
    for test, (marker, side) in SIGNS.items():
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
            label=TESTS[test],
        )
    ax.set_ylim(bottom=0)
    ax.set_title(name, fontsize=size, pad=3)
    frame_axes(ax, "left", "bottom", labelsize=min(size, 7.5))
