"""Histogram of a permutation test's null distributions, with the classifier's own score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, column, text_size
from bayescmp.plots._ink import ink, mixed, paper, quantity
from bayescmp.plots._labels import label_below, legend_above
from bayescmp.plots._names import shorten
from bayescmp.plots.captions import Facts, note
from bayescmp.text import counted, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.frequentist.permutation.result import PermutationResult

__all__ = ["plot_null_distribution"]

#: Words of the two tests.
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
        Histograms, each with its p-value; a line at the mean of the original's repeats, with
        ticks at each of them.

    Raises
    ------
    InputError
        No results, or of differing metrics.

    See Also
    --------
    plot_permutation_power : Many such tests beside each other.

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
    results = list(results) if isinstance(results, Sequence) else [results]
    if not results or len({r.metric for r in results}) > 1:
        metrics = ", ".join(r.metric for r in results) or "none"
        raise InputError(
            f"results of the metrics {metrics}; accepted: at least one result, all of one metric"
        )
    ax = axes_for(ax, (column(), 2.6))
    size = text_size(ax)
    edges = _edges(results)
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
            **_look(result.test),
        )
        tallest = max(tallest, float(heights.max(initial=0.0)))
    _original(ax, results[0], tallest)
    ax.set_ylim(0, 1.1 * (tallest or 1.0))
    ax.set_ylabel("share of random data sets", fontsize=size)
    ax.tick_params(labelsize=min(size, 7.5))
    ax.locator_params(axis="x", nbins=6)
    label_below(ax, f"{results[0].metric} of {shorten(results[0].estimator, 32)}", size)
    legend_above(ax, *ax.get_legend_handles_labels(), min(size, 7))
    for spine in ("top", "right"):
        ax.spines[spine].set_visible(False)
    first = results[0]
    tests = listed([TESTS[result.test] for result in results])
    facts = Facts(
        test=f"permutation {tests}",
        names=(first.estimator,),
        sample=counted(first.n, "permutation"),
        level=first.alpha,
    )
    return note(ax, f"{first.metric} on random data; the line marks the original data", facts)


def _look(test: str) -> dict[str, Any]:
    """Filled bars, and hatched ones through which the others can be seen."""
    if test == "labels":
        return {"color": mixed(quantity(), paper(), 0.55), "linewidth": 0}
    return {"facecolor": "none", "edgecolor": ink(0.55), "hatch": "/////", "linewidth": 0.6}


def _edges(results: Sequence[PermutationResult]) -> np.ndarray:
    """Bars for all, and room for the original; not finer than the values' own steps."""
    values = np.concatenate([np.append(r.null, r.original) for r in results])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    span = high - low or max(abs(low), 1.0) / 10
    steps = np.diff(np.unique(np.round(values, 12)))
    width = span / BARS
    if len(steps) and steps.min() > width / 8:  # a few discrete values: whole steps, centred
        width = steps.min() * np.ceil(width / steps.min())
    count = int(np.ceil(span / width)) + 1
    return np.asarray(low - width / 2 + width * np.arange(count + 1))


def _original(ax: Axes, result: PermutationResult, tallest: float) -> None:
    ax.axvline(
        result.statistic,
        color=ink(),
        linewidth=1.2,
        label=f"on the data: {result.statistic:.3g}",
    )
    if len(result.original) > 1:
        ax.plot(
            result.original,
            np.full(len(result.original), 0.02 * (tallest or 1.0)),
            "|",
            color=ink(),
            markersize=5,
            clip_on=False,
        )
