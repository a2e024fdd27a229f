"""Several metrics: scatters with ellipses of fitted Gaussians, scores on learned measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import (
    as_names,
    check_choice,
    flag,
    is_number,
    optional,
    several,
    share,
    validate_params,
)
from bayescmp.plots.captions import Facts, note
from bayescmp.plots.drawing import (
    AXES,
    MOST,
    Look,
    axes_for,
    column,
    facets,
    frame_axes,
    ink,
    label_below,
    legend_columns,
    letters,
    made_of,
    mix_colours,
    paper,
    quantity,
    room,
    shorten,
    shorten_all,
    wrap_text,
)
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.rope import rope_phrase
from bayescmp.wording.regions import ALGORITHMS, QUANTITY
from bayescmp.wording.text import format_count, format_probability, join_items, words_of

if TYPE_CHECKING:
    from matplotlib.typing import LineStyleType  # from matplotlib 3.8 on

    from bayescmp.frequentist.multivariate_groups import LearnedMeasures
    from bayescmp.scores.metrics import Direction
    from bayescmp.study.undominated import Undominated

# Scatter of two metrics with ellipses of the fitted Gaussians, and histograms of one.


BLACK = "#000000"
#: Markers and dashes distinguish up to 56 algorithms.
MARKERS = ("o", "s", "^", "D", "v", "<", ">", "p")
DASHES: tuple[LineStyleType, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1.2, 1, 1.2)))

#: Inches: a row of the histograms, of the legend.
ROW, LEGEND_ROW = 0.21, 0.155
#: Kind of what the ellipses hold: probabilities.
LEVELS = optional(several(share))


@validate_params(levels=LEVELS, ax=optional(several(AXES)))
def plot_ellipses(
    blocks: Blocks,
    *,
    metrics: Sequence[str] | None = None,
    histogram: str | None = None,
    levels: float | Sequence[float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the folds of each algorithm by two metrics, with ellipses of the fitted Gaussians.

    Parameters
    ----------
    blocks : Blocks
        Scores on one data set (`bayescmp.scores.blocks.scores_blocks`).
    metrics : (str, str), optional
        Across and up; by default fpr and tpr, or the first two.
    histogram : str, optional
        A metric of which histograms are drawn above, one row per algorithm.
    levels : float or sequence of float, optional
        Probability inside each ellipse; 0.5 and 0.9 for up to three algorithms, else 0.5.
    ax : matplotlib Axes, or sequence of two, optional
        Where to draw the scatter, or the histograms and the scatter; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The scatter. A point is a fold, larger if folds coincide; the big marker is the mean.
        Ellipses contain the given share of the Gaussian with the folds' mean and covariance. More
        than eight algorithms have separate panels, unless `ax` or `histogram` is given.

    Raises
    ------
    InputError
        If there are fewer than two metrics, one is unknown, a level or `ax` does not fit.

    References
    ----------
    Yıldız & Alpaydın, figures 1 to 4.

    See Also
    --------
    plot_regions, plot_projection

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp import Blocks, plots
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal([[[0.1, 0.8]], [[0.2, 0.9]], [[0.3, 0.9]]], 0.03, (3, 10, 2))
    >>> blocks = Blocks(x, rho=0.1, algorithms=["knn", "gbm", "svm"], metrics=["fpr", "tpr"])
    >>> ax = plots.plot_ellipses(blocks)
    >>> ax.get_xlabel()
    'fpr (lower is better)'
    """
    if not isinstance(blocks, Blocks):
        raise must_be("blocks", "Blocks", blocks, "Make them by Blocks(array).")
    across, up = two_metrics(blocks, metrics)
    titles, names = (_axis_label(blocks, across), _axis_label(blocks, up)), blocks.algorithms
    points = blocks.x[:, :, [blocks.metrics.index(m) for m in (across, up)]]
    panels = ax is None and histogram is None and blocks.L > MOST
    marks = _marks(levels, 1 if panels else blocks.L, blocks.n, panels)
    if panels:
        ax = draw_facets(points, names, (f"{titles[0]}\n{marks}", titles[1]), levels)
    else:
        upper, ax = _axes(blocks, histogram, ax)
        draw_groups(ax, points, names, titles, levels)
        if upper is None:
            legend_below(ax, shorten_all(names, 18), marks)
        else:
            label_below(ax, f"{titles[0]}\n{marks}", 8)
            values = blocks.x[:, :, blocks.metrics.index(str(histogram))]
            draw_histograms(upper, values, names, f"{shorten(str(histogram))} of a fold")
    facts = Facts(names=tuple(names), sample=format_count(blocks.n, "fold"))
    return note(ax, f"Folds by {across} and {up}", facts, marks)


#: Number of draws whose fronts are drawn.
FRONTS = 60


@made_of("a result of bc.undominated", "bayescmp.study.undominated:Undominated")
def plot_front(
    result: Undominated, *, metrics: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what each algorithm scores at which cost, and the front of the undominated.

    Parameters
    ----------
    result : Undominated
        From `bayescmp.undominated`.
    metrics : (str, str), optional
        Across and up; by default the first for which lower is better, and the first other.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        A marker is an algorithm's mean; its ellipse contains 95% of the posterior. A faint line is
        the front in one draw, only by these two metrics and without ROPEs. Next to each name is
        the probability that no other dominates it, by all metrics, on average.

    Raises
    ------
    InputError
        If the metrics are not two of the result's.

    See Also
    --------
    plot_ellipses : The folds themselves, on one data set.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [[[0.8, 1.0], [0.7, 1.1], [0.8, 1.2]], [[0.9, 9.0], [0.8, 9.5], [0.8, 9.2]]]
    >>> blocks = bc.Blocks(x, rho=0.3, metrics=["accuracy", "cost"])
    >>> ax = bc.plots.plot_front(bc.undominated(blocks, rope=[0.01, 0.5], seed=1))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('cost (lower is better)', 'accuracy (higher is better)')
    """
    across, up = _front_metrics(result, metrics)
    places = [result.metrics.index(m) for m in (across, up)]
    points, ways = result.draws[..., places], [result.directions[place] for place in places]
    chances = [format_probability(p) for p in result.frame["p_average"][list(result.algorithms)]]
    short = shorten_all(result.algorithms, 18)
    names = [f"{name} {chance}" for name, chance in zip(short, chances, strict=True)]
    ax = axes_for(ax, ellipses_size(names))
    for draw in points[:: max(len(points) // FRONTS, 1)][:FRONTS]:
        ax.plot(*outline_front(draw, ways), color=quantity(), alpha=0.25, linewidth=0.8, zorder=1)
    for i in range(len(names)):
        colour, _, dashes = style_of(i)
        outline: Look = {"linestyle": dashes, "linewidth": 1.1, "zorder": 3}
        ax.plot(*ellipse(points[:, i], 0.95), color=colour, **outline)
        _draw_mean(ax, points[:, i].mean(axis=0), i, names[i])
    _finish(ax, *(f"{shorten(way.metric)} ({way.better} is better)" for way in ways))
    marks = f"ellipses: 95%; lines: the front in {FRONTS} draws; numbers: P(undominated)"
    legend_below(ax, names, marks)
    facts = Facts(
        names=tuple(result.algorithms),
        rope=rope_phrase(result.rope, metrics=result.metrics),
        subject=words_of(result.unit)["subject"],
    )
    return note(ax, f"Undominated by {across} and {up}", facts, marks)


def _front_metrics(result: Undominated, metrics: Sequence[str] | None) -> tuple[str, str]:
    """Choose the metrics across and up: those named, else a cost and a score, else the first."""
    if metrics is None:
        costs = [d.metric for d in result.directions if d.lower]
        across = costs[0] if costs else result.metrics[0]
        rest = [m for m in result.metrics if m != across]
        metrics = (across, next((m for m in rest if m not in costs), rest[0]))
    chosen = as_names(metrics, "metrics")
    if len(set(chosen)) != 2:
        raise must_be("metrics", f"two of {', '.join(result.metrics)}", metrics)
    across, up = (check_choice("metric", name, result.metrics, "metrics") for name in chosen)
    return across, up


def outline_front(points: np.ndarray, ways: Sequence[Direction]) -> np.ndarray:
    """Return the corners of the staircase under the best of (L, 2) points: (2, steps)."""
    turned = points * [way.sign for way in ways]
    order = np.lexsort((-turned[:, 1], -turned[:, 0]))  # the best across first
    best = np.maximum.accumulate(turned[order, 1])
    kept = order[np.r_[True, best[1:] > best[:-1]]]
    x, y = points[kept].T
    return np.array([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])


def _marks(levels: float | Sequence[float] | None, count: int, folds: int, panels: bool) -> str:
    """State what ellipses and markers are; of one fold there is no ellipse."""
    shares = join_items([f"{100 * level:g}" for level in _levels(levels, count)])
    texts = [
        f"ellipses: {shares}% of a Gaussian" if shares and folds > 1 else "",
        "grey: others" if panels else "large: means",
    ]
    return "; ".join(filter(None, texts))


def draw_groups(
    ax: Axes,
    points: np.ndarray,
    names: Sequence[str],
    titles: tuple[str, str],
    levels: float | Sequence[float] | None = None,
) -> None:
    """Draw points, means and ellipses of several algorithms."""
    levels = _levels(levels, len(names)) if points.shape[1] > 1 else ()  # no spread of one fold
    grain = 1e-12 * np.abs(points).max(axis=(0, 1))
    grain[grain == 0] = 1.0
    for i, cloud in enumerate(points):
        colour, marker, dashes = style_of(i)
        steps, counts = np.unique((cloud / grain).round(), axis=0, return_counts=True)
        across, up = (steps * grain).T
        pale: Look = {"color": colour, "alpha": 0.35, "linewidths": 0, "zorder": 2}
        ax.scatter(across, up, s=7 * np.sqrt(counts), marker=marker, **pale)
        line: Look = {
            "color": colour,
            "linestyle": dashes,
            "linewidth": 1.1,
            "zorder": 3,
        }
        for level in levels:
            ax.plot(*ellipse(cloud, level), **line)
    labels = shorten_all(names, 18)
    for i, cloud in enumerate(points):
        _draw_mean(ax, cloud.mean(axis=0), i, labels[i])
    _finish(ax, *titles)


def _finish(ax: Axes, across: str, up: str) -> None:
    """Label the axes of two metrics, and hide their frame."""
    ax.margins(0.05)
    frame_axes(ax, "left", "bottom", labelsize=7)
    label_below(ax, across, 8)
    ax.set_ylabel(up, fontsize=8)


def _draw_mean(ax: Axes, at: Sequence[float] | np.ndarray, i: int, label: str = "") -> None:
    """Draw the marker of algorithm i, large and with an edge."""
    colour, marker, _ = style_of(i)
    edge: Look = {"markersize": 6, "markeredgecolor": paper(), "markeredgewidth": 0.8}
    style: Look = {"marker": marker, "color": colour, "linestyle": "none", "zorder": 4}
    ax.plot(at[0], at[1], label=label, **edge, **style)


def draw_facets(
    points: np.ndarray,
    names: Sequence[str],
    titles: tuple[str, str],
    levels: float | Sequence[float] | None = None,
) -> Axes:
    """Draw points, mean and ellipses of each algorithm in a panel, over the points of all."""
    levels = _levels(levels, 1) if points.shape[1] > 1 else ()
    everything = points.reshape(-1, 2).T

    def draw(panel: Axes, i: int) -> None:
        panel.scatter(everything[0], everything[1], s=2, color=ink(0.2), linewidths=0, zorder=1)
        own = mix_colours(quantity(), paper(), 0.7)
        panel.scatter(points[i, :, 0], points[i, :, 1], s=5, color=own, linewidths=0, zorder=2)
        for level in levels:
            panel.plot(*ellipse(points[i], level), color=quantity(), linewidth=0.9, zorder=3)
        frame_axes(panel, "left", "bottom")

    return facets(names, draw, *titles)


def ellipse(cloud: np.ndarray, level: float) -> np.ndarray:
    """Outline the region of a fitted Gaussian with probability ``level``."""
    values, vectors = np.linalg.eigh(np.cov(cloud.T))
    radius = np.sqrt(-2 * np.log1p(-level) * np.clip(values, 0, None))
    angle = np.linspace(0, 2 * np.pi, 121)
    circle = np.array([np.cos(angle), np.sin(angle)])
    return np.asarray(cloud.mean(axis=0)[:, None] + vectors @ (radius[:, None] * circle))


def style_of(i: int) -> tuple[str, str, LineStyleType]:
    """Return colour, marker and dashes of algorithm i; black is the style's ink."""
    turn = i // len(ALGORITHMS)
    colour = ALGORITHMS[i % len(ALGORITHMS)]
    return (
        {BLACK: to_hex(ink()), QUANTITY: quantity()}.get(colour, colour),
        MARKERS[(i % len(ALGORITHMS) + 3 * turn) % len(MARKERS)],  # no colour has one twice
        DASHES[turn % len(DASHES)],
    )


def legend_below(ax: Axes, labels: Sequence[str], marks: str) -> None:
    """Put a legend under the axis label, in as many columns as fit one column of a paper."""
    handles = []
    for i, label in enumerate(labels):
        colour, marker, dashes = style_of(i)
        line = Line2D([], [], color=colour, linestyle=dashes, linewidth=1.1, label=label)
        line.set(marker=marker, markersize=5.5)
        handles.append(line)
    ax.legend(
        handles=handles,
        title=wrap_text(marks, room(ax), 7),
        title_fontsize=7,
        alignment="right",
        loc="upper right",
        bbox_to_anchor=(1.0, -0.16),
        ncols=legend_columns(labels, room(ax), 7),
        fontsize=7,
        frameon=False,
        handlelength=2.2,
        handletextpad=0.4,
        columnspacing=0.9,
        borderaxespad=0.0,
        labelspacing=0.35,
    )


def ellipses_size(names: Sequence[str], *, histogram: bool = False) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    if histogram:
        return column(), 2.75 + 0.62 + ROW * len(names)
    rows = -(-len(names) // legend_columns(shorten_all(names, 18), column() - 0.2, 7))
    return column(), 2.75 + LEGEND_ROW * (rows + 1)


def height_ratios(count: int) -> tuple[float, float]:
    """Return the relative heights of this many algorithms' histograms and of the scatter."""
    return 0.3 + ROW * count, 2.95


def _axes(
    blocks: Blocks, histogram: str | None, ax: Axes | Sequence[Axes] | None
) -> tuple[Axes | None, Axes]:
    """Return the axes of the histograms (None without) and of the scatter."""
    if histogram is None:
        if isinstance(ax, Sequence | np.ndarray):
            raise must("ax", "be one axes without histogram", "several")
        return None, axes_for(ax, ellipses_size(blocks.algorithms))
    check_choice("histogram", histogram, blocks.metrics)
    if ax is None:
        import matplotlib.pyplot as plt

        size = ellipses_size(blocks.algorithms, histogram=True)
        rows = height_ratios(blocks.L)
        ax = plt.subplots(2, 1, figsize=size, height_ratios=rows, layout="constrained")[1]
    if not isinstance(ax, Sequence | np.ndarray) or len(ax) != 2:
        raise must("ax", "have two axes with histogram: (histograms, scatter)", "one")
    return ax[0], ax[1]


def two_metrics(blocks: Blocks, metrics: Sequence[str] | None = None) -> tuple[str, str]:
    """Choose the metrics across and up: those named, else fpr and tpr as in ROC plots, or two."""
    if metrics is None:
        names = list(blocks.metrics)
        rates = [m for m in ("fpr", "tpr") if m in names]
        metrics = rates if len(rates) == 2 else names[:2]
    chosen = as_names(metrics, "metrics")
    if len(chosen) != 2:
        raise must_be("metrics", f"two of {', '.join(blocks.metrics)}", metrics)
    across, up = (check_choice("metric", name, blocks.metrics, "metrics") for name in chosen)
    return across, up


def _levels(levels: float | Sequence[float] | None, count: int) -> tuple[float, ...]:
    if levels is None:
        return (0.5, 0.9) if count <= 3 else (0.5,)
    return (levels,) if isinstance(levels, float) else tuple(levels)


def _axis_label(blocks: Blocks, metric: str) -> str:
    lower = blocks.lower_is_better[blocks.metrics.index(metric)]
    return f"{shorten(metric)} ({'lower' if lower else 'higher'} is better)"


def draw_histograms(ax: Axes, values: np.ndarray, names: Sequence[str], label: str) -> None:
    """Draw histograms on common bins, one row per algorithm, and mark the mean."""
    edges = np.histogram_bin_edges(values, bins=_bins(values))
    heights = np.array([np.histogram(row, bins=edges)[0] for row in values])
    for i, row in enumerate(heights * (0.88 / heights.max())):
        colour, *_ = style_of(i)
        base = len(names) - 1 - i
        ax.stairs(base + row, edges, baseline=base, fill=True, color=colour, alpha=0.45, zorder=2)
        ax.stairs(base + row, edges, baseline=base, color=colour, linewidth=0.8, zorder=3)
        _draw_mean(ax, (values[i].mean(), base + 0.2), i)
    ax.set_ylim(-0.1, len(names))
    labels = shorten_all(names, letters(0.4 * room(ax), 7.5, 18))
    ax.set_yticks([len(names) - 0.7 - i for i in range(len(names))], labels)
    ax.tick_params(axis="y", length=0, labelsize=7.5)
    frame_axes(ax, "bottom", axis="x", labelsize=7)
    label_below(ax, label, 8)


def _bins(values: np.ndarray) -> int:
    """Count bins of all folds together by Freedman and Diaconis, 8 to 30; 1 if all are equal."""
    spread = np.ptp(values)
    if spread == 0:
        return 1
    low, high = np.percentile(values, [25, 75])
    width = 2 * (high - low) / values.size ** (1 / 3)
    return int(np.clip(np.ceil(spread / width) if width > 0 else 8, 8, 30))


# Scores projected on learned measures: where algorithms differ most.


LEARNED = "Folds in the learned measures in which the algorithms differ most"


@made_of(
    "measures learned by frequentist.learned_measures",
    centre=optional(flag),
    levels=LEVELS,
)
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
        From `bayescmp.frequentist.learned_measures`.
    which : int, or sequence of one or two
        Measures to draw, 1 the first: one as histograms, two (by default) as a scatter with
        ellipses.
    centre : bool, optional
        Whether to subtract each fold's mean over the algorithms; by default with folds as blocks.
    levels, ax
        As for `plot_ellipses`.

    Returns
    -------
    matplotlib Axes
        Labels give each measure's share of the differences. More than eight algorithms have
        separate panels, unless `ax` is given.

    Raises
    ------
    InputError
        If a measure does not exist, or the algorithms differ in their folds.

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
    chosen = _choose_measures(measures, which)
    points = _points(measures, centre)[:, :, [k - 1 for k in chosen]]
    shares = 100 * np.asarray(measures.share)
    labels = [f"M{k} ({shares[k - 1]:.0f}% of the differences)" for k in chosen]
    panels = ax is None and len(chosen) == 2 and len(measures.names) > MOST
    marks = _marks(levels, 1 if panels else len(points), points.shape[1], panels)
    marks = marks if len(chosen) == 2 else "large: means"
    if panels:
        ax = draw_facets(points, measures.names, (f"{labels[0]}\n{marks}", labels[1]), levels)
    else:
        ax = axes_for(ax, projection_size(measures, which=which))
        if len(chosen) == 1:
            draw_histograms(ax, points[:, :, 0], measures.names, labels[0])
        else:
            draw_groups(ax, points, measures.names, (labels[0], labels[1]), levels)
            legend_below(ax, shorten_all(measures.names, 18), marks)
    return note(ax, LEARNED, Facts(names=tuple(measures.names)), marks)


def projection_size(
    measures: LearnedMeasures, *, which: int | Sequence[int] = (1, 2)
) -> tuple[float, float]:
    """Return width and height, in inches, of a figure that fits the plot."""
    if len(_choose_measures(measures, which)) == 1:
        return column(), 0.6 + 1.3 * ROW * len(measures.names)
    return ellipses_size(measures.names)


def _choose_measures(measures: LearnedMeasures, which: int | Sequence[int]) -> tuple[int, ...]:
    count = len(measures.eigenvalues)
    if not count:
        raise must("measures", "have a metric that varies", "none")
    chosen = tuple(which) if isinstance(which, list | tuple | np.ndarray) else (which,)
    if count == 1 and chosen == (1, 2):
        return (1,)
    if len(chosen) not in (1, 2) or not all(
        is_number(k) and k in range(1, count + 1) for k in chosen
    ):
        raise must_be("which", f"one or two of the measures 1 to {count}", which)
    return chosen


def _points(measures: LearnedMeasures, centre: bool | None) -> np.ndarray:
    points = measures.project()
    if isinstance(points, list):
        raise must("measures", "be of algorithms with the same folds", "differing ones")
    if measures.design.block if centre is None else centre:
        points = points - points.mean(axis=0) + points.mean(axis=(0, 1))
    return np.asarray(points)
