"""Forest plot of all pairs: intervals of the differences, with the regions of equivalence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError, unknown_name
from bayescmp.metrics import labelled
from bayescmp.palette import COLOURS, MARKERS
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import COLUMN, sized
from bayescmp.plots._ink import ink, paper
from bayescmp.plots._labels import legend_columns, letters, row_text, text_width, wrapped
from bayescmp.plots._names import shorten, shorten_all
from bayescmp.plots.captions import facts_of_posterior, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.verdict.core import Verdict

__all__ = ["figure_size", "plot_forest"]

#: Inches: height of a row, of all rows at most, width of the widest figure.
ROW, ROWS, WIDEST = 0.2, 7.6, 9.5
#: On the right of zero the first-named is better: its marker points there.
POINTING = {"left": ">", "first": ">", "right": "<", "second": "<"}
#: Panels narrower than this have smaller labels, inches.
NARROW = 0.9
#: Pairs that are drawn at most.
MOST = 45


@made_of("a posterior of bayesian.groups", "bayescmp.bayesian.groups.base:GroupsPosterior")
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
        With ``intervals(prob)`` and ``verdicts(threshold)``.
    ax : matplotlib Axes, or sequence of one per metric, optional
        Where to draw; a new figure that fits if not given.
    metrics : iterable of str, optional
        Which of the metrics; all if not given. Verdicts are over all of the posterior's.
    control : str, optional
        Pairs with this algorithm only; if there are more than 45 pairs, those with the best one
        where it is not given.
    prob : float
        Probability within an interval.
    threshold : float
        Probability at which a pair is decided.

    Returns
    -------
    matplotlib Axes
        The first panel. A row is the improvement of its first-named algorithm over the other; it
        is named first because it is better on average in the first metric, and the legend says
        what is decided. A filled marker is a decided pair, in the colour of its verdict; the band
        is the rope.

    Raises
    ------
    InputError
        Unknown metric or algorithm; another number of axes than metrics.

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
    panels = _panels(ax, posterior, shown, pairs)
    ropes = dict(zip(posterior.metrics, posterior.ropes(), strict=True))
    order = sorted(pairs, key=lambda p: abs(table.loc[(*p, shown[0]), "mean"]))
    turned = {p: table.loc[(*p, shown[0]), "mean"] < 0 for p in order}
    verdicts = {p: _verdict(posterior, p, turned[p], threshold) for p in order}
    width = float(panels[0].figure.get_figwidth())  # type: ignore[union-attr]
    labels = _labels([p[::-1] if turned[p] else p for p in order], width)
    beside = max(text_width(label, 7) for label in labels)
    for panel, metric in zip(panels, shown, strict=True):
        if not ropes[metric].empty:
            ends = ropes[metric].low, ropes[metric].high
            panel.axvspan(*ends, color=ink(0.1), linewidth=0, zorder=0)
        panel.axvline(0, color=ink(0.5), linewidth=0.6, zorder=1)
        for i, pair in enumerate(order):
            _interval(panel, i, table.loc[(*pair, metric)], verdicts[pair], turned[pair])
        way = next((d for d in posterior.directions if d.metric == metric), None)
        inches = (width - beside - 0.3) / len(panels)
        words = f"mean improvement in {labelled(shorten(metric, 16), way)}"
        size = 7.5 if inches > NARROW else 6.0
        panel.set_xlabel(wrapped(words, inches - 0.15, size), fontsize=size)
        panel.set_ylim(-0.7, len(order) - 0.3)
        panel.tick_params(labelsize=7, length=2)
        panel.locator_params(axis="x", nbins=int(np.clip(inches / 0.42, 2, 5)))
        for side in ("top", "right", "left"):
            panel.spines[side].set_visible(False)
    panels[0].set_yticks(range(len(order)), labels)
    for panel in panels[1:]:
        panel.set_yticks(range(len(order)), [""] * len(order))
    for panel in panels:
        panel.tick_params(axis="y", length=0, labelsize=row_text(_row(len(order)), 7))
    _legend(panels[0], [verdicts[p] for p in order], _shown_of(posterior, pairs), width)
    quantity = f"Mean differences with their central {prob:.0%} intervals"
    facts = facts_of_posterior(posterior, verdicts[order[0]])
    for panel in panels:
        note(panel, quantity, facts)
    return panels[0]


def _verdict(
    posterior: GroupsPosterior, pair: tuple[str, str], turned: bool, threshold: float
) -> Verdict:
    """The verdict on a pair whose first algorithm is the better one on average."""
    first, second = pair if turned else pair[::-1]
    return posterior.verdict(first, second, threshold=threshold)


def _shown_of(posterior: GroupsPosterior, pairs: list[tuple[str, str]]) -> str:
    """The note on pairs that are not drawn."""
    count = len(posterior.pairs)
    return "" if len(pairs) == count else f"{len(pairs)} of {count} pairs"


def figure_size(
    posterior: GroupsPosterior, metrics: Iterable[str] | None = None, control: str | None = None
) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    shown, pairs = _metrics(posterior, metrics), _pairs(posterior, control)
    return _size(shown, pairs)


def _size(shown: list[str], pairs: list[tuple[str, str]]) -> tuple[float, float]:
    beside = max(text_width(label, 7) for label in _labels(pairs, WIDEST))
    width, _ = sized(min(max(beside + 1.75 * len(shown), COLUMN), WIDEST), 0.0)
    return width, 1.05 + _row(len(pairs)) * len(pairs)


def _row(count: int) -> float:
    """Inches of a row; many are smaller, so that they fit a page."""
    return min(ROW, ROWS / count)


def _labels(pairs: list[tuple[str, str]], width: float) -> list[str]:
    """Which improves on which, where the difference is positive."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    most = letters(0.22 * width, 7, 14)
    short = dict(zip(names, shorten_all(names, most), strict=True))
    return [f"{short[b]} over {short[a]}" for a, b in pairs]


def _metrics(posterior: GroupsPosterior, metrics: Iterable[str] | None) -> list[str]:
    names = list(posterior.metrics if metrics is None else metrics)
    for name in names:
        if name not in posterior.metrics:
            raise unknown_name("metric", name, posterior.metrics)
    return names


def _pairs(posterior: GroupsPosterior, control: str | None) -> list[tuple[str, str]]:
    if control is not None and control not in posterior.algorithms:
        raise unknown_name("algorithm", control, posterior.algorithms)
    if control is None and len(posterior.pairs) > MOST:
        control = str(posterior.ranking().index[0])
    return [p for p in posterior.pairs if control is None or control in p]


def _panels(
    ax: Any, posterior: GroupsPosterior, shown: list[str], pairs: list[tuple[str, str]]
) -> list[Axes]:
    if ax is None:
        import matplotlib.pyplot as plt

        size = _size(shown, pairs)
        return list(np.ravel(plt.subplots(1, len(shown), figsize=size, layout="constrained")[1]))
    panels: list[Axes] = [ax] if hasattr(ax, "plot") else list(np.ravel(ax))
    if len(panels) != len(shown):
        raise InputError(
            f"ax has {len(panels)} axes for {len(shown)} metrics; give one per metric"
        )
    return panels


def _interval(ax: Axes, row: int, line: Any, verdict: Verdict, turned: bool) -> None:
    sign = -1 if turned else 1
    region = verdict.ranked[0]
    decided = verdict.decided
    colour = COLOURS[region] if decided else ink(0.65)
    ax.plot(
        sorted([sign * line["low"], sign * line["high"]]),
        [row, row],
        color=colour,
        linewidth=1.6 if decided else 1.0,
        solid_capstyle="butt",
        zorder=2,
    )
    ax.plot(
        sign * line["mean"],
        row,
        marker=POINTING.get(region, MARKERS[region]) if decided else "o",
        markersize=4.5,
        markerfacecolor=colour if decided else paper(),
        markeredgecolor=colour,
        markeredgewidth=0.9,
        linestyle="none",
        zorder=3,
    )


def _legend(ax: Axes, verdicts: list[Verdict], title: str, width: float) -> None:
    from matplotlib.lines import Line2D

    seen = dict.fromkeys(v.ranked[0] for v in verdicts if v.decided)
    places = {"first": "first-named", "second": "second-named"}
    handles = []
    for region in seen:
        label = verdicts[0].shape.labels[region].format(**places)
        handles.append(
            Line2D(
                [],
                [],
                marker=POINTING.get(region, MARKERS[region]),
                color=COLOURS[region],
                markersize=4.5,
                linewidth=1.6,
                label=label,
            )
        )
    if any(not v.decided for v in verdicts):
        handles.append(
            Line2D(
                [],
                [],
                marker="o",
                color=ink(0.65),
                markerfacecolor=paper(),
                markersize=4.5,
                linewidth=1.0,
                label="undecided",
            )
        )
    labels = [str(handle.get_label()) for handle in handles]
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
