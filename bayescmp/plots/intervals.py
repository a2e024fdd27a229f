"""Rows of intervals: a forest of all pairs, and data sets' differences, shrunk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bayescmp.base.arguments import must
from bayescmp.base.checks import check_choice, names, optional, several
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.drawing import (
    AXES,
    COLUMN,
    DASHED,
    PAIR,
    Look,
    axes_for,
    column,
    frame_axes,
    hover,
    ink,
    label_below,
    label_difference,
    legend_above,
    legend_columns,
    letters,
    look_of,
    made_of,
    measure_inner_width,
    measure_widest,
    paper,
    pitch,
    region_labels,
    room,
    row_text,
    shorten,
    shorten_all,
    size_figure,
    text_size,
    text_width,
    wrap_text,
)
from bayescmp.results.regions import THREE
from bayescmp.scores.metrics import label_metric
from bayescmp.scores.rope import rope_phrase
from bayescmp.wording.regions import COLOURS, MARKERS
from bayescmp.wording.text import as_percent, format_number, join_items

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
    from bayescmp.results.verdict import Verdict
    from bayescmp.scores.rope import RopeLike

# Forest plot of all pairs: intervals of the differences, with the regions of equivalence.


#: Inches: height of a row, of all rows at most, width of the widest figure.
ROW, ROWS, WIDEST = 0.2, 7.6, 9.5
#: Panels narrower than this have smaller labels, inches.
NARROW = 0.9
#: Pairs that are drawn at most.
MOST = 45


@made_of(
    "a posterior of bayesian.groups",
    "bayescmp.bayesian.groups.base:GroupsPosterior",
    ax=optional(several(AXES)),
    metrics=optional(names),
)
def plot_forest(
    posterior: GroupsPosterior,
    *,
    ax: Axes | None = None,
    metrics: Iterable[str] | None = None,
    control: str | None = None,
    prob: float = 0.95,
    threshold: float = 0.95,
) -> Axes:
    """Draw the intervals of all pairs' differences, one panel per metric.

    Parameters
    ----------
    posterior : GroupsPosterior
        One with ``intervals(prob)`` and ``verdicts(threshold)``.
    ax : matplotlib Axes, or sequence of one per metric, optional
    metrics : iterable of str, optional
        Which of the metrics; verdicts are over all.
    control : str, optional
        Draw only pairs with this algorithm; by default with the best one of more than 45 pairs.
    prob, threshold : float
        Probability within an interval; that required for a decision.

    Returns
    -------
    matplotlib Axes
        The first panel. A row is the improvement of its first-named algorithm, better on average
        in the first metric, over the other. A filled marker is a decided pair, in the colour of
        its verdict, as in the legend; the band is the ROPE.

    Raises
    ------
    InputError
        If a metric or an algorithm is unknown, or there are not as many axes as metrics.

    See Also
    --------
    plot_rank_probabilities : Which is best.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import Blocks, bayesian, plots
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal([[0.80], [0.82], [0.87]], 0.02, (3, 10))
    >>> blocks = Blocks(x, rho=0.1, algorithms=["knn", "gbm", "svm"], metrics=["auc"])
    >>> posterior = bayesian.groups(blocks, rope=0.01, seed=1)
    >>> ax = plots.plot_forest(posterior)
    """
    shown = _metrics(posterior, metrics)
    pairs = _pairs(posterior, control)
    table: Any = posterior.intervals(prob)
    ropes = dict(zip(posterior.metrics, posterior.ropes(), strict=True))
    order = sorted(pairs, key=lambda p: abs(table.loc[(*p, shown[0]), "mean"]))
    turned = {pair: table.loc[(*pair, shown[0]), "mean"] < 0 for pair in order}
    facing = {pair: pair if turned[pair] else pair[::-1] for pair in order}  # the better one last
    verdicts = {pair: posterior.verdict(*facing[pair], threshold=threshold) for pair in order}
    panels = _panels(ax, posterior, shown, pairs)
    width = float(panels[0].figure.get_figwidth())  # type: ignore[union-attr]
    labels = _labels([pair[::-1] if turned[pair] else pair for pair in order], width)
    beside = measure_widest(labels, 7)
    for panel, metric in zip(panels, shown, strict=True):
        if not ropes[metric].empty and not ropes[metric].one_sided:
            ends = ropes[metric].low, ropes[metric].high
            panel.axvspan(*ends, color=ink(0.1), linewidth=0, zorder=0)
        panel.axvline(0, color=ink(0.5), linewidth=0.6, zorder=1)
        for i, pair in enumerate(order):
            _interval(panel, i, table.loc[(*pair, metric)], verdicts[pair], turned[pair])
        way = next((d for d in posterior.directions if d.metric == metric), None)
        inches = (width - beside - 0.3) / len(panels)
        measured = label_metric(shorten(metric, 16), way)
        words = f"mean improvement in {measured}"
        size = 7.5 if inches > NARROW else 6.0
        panel.set_xlabel(wrap_text(words, inches - 0.15, size), fontsize=size)
        panel.set_ylim(-0.7, len(order) - 0.3)
        frame_axes(panel, "bottom", labelsize=7, length=2)
        panel.locator_params(axis="x", nbins=int(np.clip(inches / 0.42, 2, 5)))
    panels[0].set_yticks(range(len(order)), labels)
    for panel in panels[1:]:
        panel.set_yticks(range(len(order)), [""] * len(order))
    for panel in panels:
        panel.tick_params(axis="y", length=0, labelsize=row_text(pitch(len(order), ROW, ROWS), 7))
    every = len(posterior.pairs)
    part = _part(pairs, every, control)
    bands = {rope_phrase(ropes[m]) for m in shown if not (ropes[m].empty or ropes[m].one_sided)}
    band = "rope" if len(bands) > 1 else "".join(bands)
    _legend(panels[0], [verdicts[p] for p in order], wrap_text(part, width - 0.2, 7), width, band)
    quantity = f"Mean differences with their central {100 * prob:g}% intervals"
    facts = facts_of_posterior(posterior, verdicts[order[0]])
    for panel in panels:
        note(panel, quantity, facts, "filled: decided", part)
    return panels[0]


def _part(pairs: list[tuple[str, str]], every: int, control: str | None) -> str:
    """State which pairs are drawn, and of how many; "" if all are."""
    if len(pairs) == every:
        return ""
    shared = join_items(sorted(set(pairs[0]).intersection(*pairs)))
    why = "" if control else ", the best"
    return f"{len(pairs)} of {every} pairs: those with {shared}{why}"


def forest_size(
    posterior: GroupsPosterior, metrics: Iterable[str] | None = None, control: str | None = None
) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    shown, pairs = _metrics(posterior, metrics), _pairs(posterior, control)
    return _size(shown, pairs)


def _size(shown: list[str], pairs: list[tuple[str, str]]) -> tuple[float, float]:
    beside = measure_widest(_labels(pairs, WIDEST), 7)
    width, _ = size_figure(min(max(beside + 1.75 * len(shown), COLUMN), WIDEST), 0.0)
    return width, 1.05 + pitch(len(pairs), ROW, ROWS) * len(pairs)


def _labels(pairs: list[tuple[str, str]], width: float) -> list[str]:
    """State which improves on which, where the difference is positive."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    most = letters(0.22 * width, 7, 14)
    short = dict(zip(names, shorten_all(names, most), strict=True))
    return [f"{short[b]} over {short[a]}" for a, b in pairs]


def _metrics(posterior: GroupsPosterior, metrics: Iterable[str] | None) -> list[str]:
    names = list(posterior.metrics if metrics is None else metrics)
    for name in names:
        check_choice("metric", name, posterior.metrics, "metrics")
    return names


def _pairs(posterior: GroupsPosterior, control: str | None) -> list[tuple[str, str]]:
    if control is not None:
        check_choice("control", control, posterior.algorithms)
    if control is None and len(posterior.pairs) > MOST:
        control = str(posterior.ranking().index[0])
    return [pair for pair in posterior.pairs if control is None or control in pair]


def _panels(
    ax: Any, posterior: GroupsPosterior, shown: list[str], pairs: list[tuple[str, str]]
) -> list[Axes]:
    if ax is None:
        import matplotlib.pyplot as plt

        size = _size(shown, pairs)
        return list(np.ravel(plt.subplots(1, len(shown), figsize=size, layout="constrained")[1]))
    panels: list[Axes] = [ax] if hasattr(ax, "plot") else list(np.ravel(ax))
    if len(panels) != len(shown):
        raise must("ax", "have one axes per metric", f"{len(panels)} for {len(shown)} metrics")
    return panels


def _interval(ax: Axes, row: int, line: Any, verdict: Verdict, turned: bool) -> None:
    sign = -1 if turned else 1
    region = verdict.ranked[0]
    decided = verdict.decided
    look = look_of(region if decided else "")
    ends = sorted([sign * line["low"], sign * line["high"]])
    bar: Look = {part: look[part] for part in ("color", "linewidth")}
    ax.plot(ends, [row, row], solid_capstyle="butt", zorder=2, **bar)
    mark: Look = {**look, "linestyle": "none", "markeredgewidth": 0.9}
    ax.plot(sign * line["mean"], row, zorder=3, **mark)


def _legend(ax: Axes, verdicts: list[Verdict], title: str, width: float, band: str) -> None:
    seen = dict.fromkeys(v.ranked[0] for v in verdicts if v.decided)
    names = region_labels(verdicts[0].shape, ("first-named", "second-named"), 28)
    words = {region: names[region] for region in seen}
    if any(not v.decided for v in verdicts):
        words[""] = "undecided"
    handles: list[Any] = [
        Line2D([], [], label=text, **look_of(region)) for region, text in words.items()
    ]
    handles += [Patch(color=ink(0.1), linewidth=0, label=band)] * bool(band)
    labels = [*words.values(), *[band] * bool(band)]
    ax.figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=legend_columns(labels, width - 0.2, 7),
        title=title or None,
        title_fontsize=7,
        fontsize=7,
        frameon=False,
        handlelength=1.8,
        columnspacing=1.2,
    )


# Shrinkage plot: each data set's measured difference and what the model makes of it.


#: Inches: around the rows, of a row, of all rows at most, so that the figure fits a page.
AROUND, DATASET_ROW, DATASET_ROWS = 1.35, 0.155, 7.2


@made_of(PAIR)
def plot_shrinkage(
    posterior: Any, *, ax: Axes | None = None, rope: RopeLike | None = None
) -> Axes:
    """Draw the measured mean difference and the posterior of δ_i of every data set, sorted.

    Parameters
    ----------
    posterior : HierarchicalPosterior
        One with ``by_dataset(rope)``.
    ax : matplotlib Axes, optional
    rope : float or (float, float), optional
        Another region than the posterior's own, for the band.

    Returns
    -------
    matplotlib Axes
        Circles are measured means; other markers posterior means with central 95% intervals, in
        the colour and shape of the most probable region. The band is the ROPE, the dashed line the
        posterior mean of δ0; arrows show which algorithm is better on either side.

    Raises
    ------
    InputError
        If the posterior is of several metrics.

    See Also
    --------
    plot_density : The mean difference over all data sets.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import bayesian, plots
    >>> x = np.random.default_rng(1).normal(0.02, 0.03, (4, 10))
    >>> posterior = bayesian.hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature", seed=1)
    >>> ax = plots.plot_shrinkage(posterior)
    >>> len(ax.get_yticklabels())
    4
    """
    if "regions" in posterior.shows:
        raise must(
            "posterior",
            "be of one metric for this plot",
            str(len(posterior.metrics)),
            "Use posterior.by_dataset() for the data sets, or compare by one metric.",
        )
    table = posterior.by_dataset(rope).sort_values(["mean", "observed"])
    verdict = posterior.verdict(rope)
    region = verdict.rope
    ax = axes_for(ax, shrinkage_size(len(table)))
    y = np.arange(len(table))
    if region.one_sided:
        edge = region.low if np.isfinite(region.low) else region.high
        ax.axvline(edge, color=ink(0.65), linewidth=0.8, linestyle=DASHED, zorder=0)
    elif not region.empty:
        ax.axvspan(region.low, region.high, color=ink(0.1), zorder=0)
    ax.axvline(0, color=ink(0.4), linewidth=0.6, zorder=1)
    overall, average = mean_over_datasets(posterior)
    ax.axvline(overall, color=ink(), linewidth=0.8, linestyle=DASHED, zorder=1)
    mean, low, high = (table[c].to_numpy() for c in ("mean", "2.5%", "97.5%"))
    regions = most_probable(table)
    for likeliest, rows in regions.items():
        colour, marker = COLOURS[likeliest], MARKERS[likeliest]
        ax.hlines(y[rows], low[rows], high[rows], colors=colour, linewidth=1.1, zorder=2)
        marks = ax.scatter(mean[rows], y[rows], s=15, c=colour, marker=marker, zorder=4)
        hover(marks, describe_estimates(table.iloc[rows]))
    ring: Look = {
        "facecolors": paper(),
        "edgecolors": ink(0.75),
        "linewidths": 0.7,
        "zorder": 3,
    }
    measured = ax.scatter(table["observed"], y, s=17, **ring)
    hover(measured, (f"{name}: measured {value:.4g}" for name, value in table["observed"].items()))
    _label(ax, posterior, shorten_all(table.index, letters(0.4 * room(ax), 7.5)))
    _legend_of_shrinkage(ax, verdict, [r for r, rows in regions.items() if len(rows)], average)
    quantity, *meanings = describe_shrinkage(average)
    return note(ax, quantity, facts_of_posterior(posterior, verdict), *meanings)


def describe_shrinkage(average: str) -> list[str]:
    """Return the quantity that a shrinkage plot shows, and the meaning of its marks."""
    return [
        "Mean differences on each data set, as measured and as estimated by the model",
        "colour and marker: the most probable outcome, with its 95% interval",
        f"dashed: the mean over data sets, {average}",
    ]


def describe_estimates(table: pd.DataFrame) -> list[str]:
    """Write each data set's estimate with its interval, and the measured difference."""
    columns = (table[c] for c in ("mean", "2.5%", "97.5%", "observed"))
    return [
        f"{name}: {mean:.4g}, 95% interval {low:.4g} to {high:.4g}; measured {observed:.4g}"
        for name, mean, low, high, observed in zip(table.index, *columns, strict=True)
    ]


def mean_over_datasets(posterior: Any) -> tuple[float, str]:
    """Return the posterior mean of δ0, and how it is written."""
    mean = float(posterior.summary().loc["delta0", "mean"])
    return mean, as_percent(mean) if posterior.of_ratios else format_number(mean, 3)


def shrinkage_size(datasets: int) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits this many data sets."""
    return column(), AROUND + pitch(datasets, DATASET_ROW, DATASET_ROWS) * datasets


def most_probable(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """Sort the data sets' rows by the region that is the most probable for each."""
    best = table[[f"p_{region}" for region in THREE.regions]].to_numpy().argmax(axis=1)
    return {region: np.flatnonzero(best == k) for k, region in enumerate(THREE.regions)}


def _label(ax: Axes, posterior: HierarchicalPosterior, datasets: list[str]) -> None:
    size = text_size(ax)
    rows = row_text(pitch(len(datasets), DATASET_ROW, DATASET_ROWS), min(size, 7.5))
    ax.set_yticks(range(len(datasets)), datasets, fontsize=rows)
    ax.set_ylim(-0.8, len(datasets) - 0.2)
    frame_axes(ax, "bottom", axis="x", labelsize=min(size, 7.5))
    ax.locator_params(axis="x", nbins=5)
    ax.tick_params(axis="y", length=0)
    first, second = shorten_all(posterior.names, 20)
    lines = _write_directions(ax, first, second, size)
    words = label_difference(ax, (first, second), posterior, "difference")
    label_below(ax, words, size)
    ax.xaxis.labelpad = 4.0 + 1.25 * size * lines


def _write_directions(ax: Axes, first: str, second: str, size: float) -> int:
    """Write which way each is better, outwards from zero; return the number of lines."""
    low, high = ax.get_xlim()
    ax.set_xlim(low, high)
    wide, zero = measure_inner_width(ax), -low / (high - low)
    sides = {
        f"← {first} better": (-1, room(ax) - wide + zero * wide),
        f"{second} better →": (1, (1 - zero) * wide),
    }
    lines = 1
    for words, (sign, space) in sides.items():
        anchored = text_width(words, size) + 0.05 <= space
        lines = lines if anchored else 2
        flush = "left" if (sign > 0) == anchored else "right"
        ax.annotate(
            words,
            (0 if anchored else (low, high)[sign > 0], 0),
            (3 * sign if anchored else 0, -15.0 - (0 if anchored else 1.25 * size)),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha=flush,
            va="top",
            fontsize=size,
            annotation_clip=False,
        )
    return lines


def _legend_of_shrinkage(ax: Axes, verdict: Verdict, regions: list[str], average: str) -> None:
    """Name each mark that is drawn."""
    names = region_labels(verdict.shape, verdict.names, 10)
    ring: Look = {"markerfacecolor": paper(), "markeredgecolor": ink(0.75)}
    handles: Look = {"measured": Line2D([], [], linestyle="", marker="o", markersize=4, **ring)}
    for region in regions:
        look: Look = {"color": COLOURS[region], "marker": MARKERS[region]}
        handles[f"{names[region]}, 95%"] = Line2D([], [], markersize=3.5, linewidth=1.1, **look)
    look = {"linewidth": 0.8, "linestyle": DASHED}
    band: Any = Patch(color=ink(0.1), linewidth=0)
    if verdict.rope.one_sided:
        band = Line2D([], [], color=ink(0.65), **look)
    if not verdict.rope.empty:
        handles[rope_phrase(verdict.rope, of_ratios=verdict.of_ratios)] = band
    dashed = Line2D([], [], color=ink(), **look)
    handles[f"mean over data sets {average}"] = dashed
    legend_above(ax, [*handles.values()], [*handles], 6.5)
