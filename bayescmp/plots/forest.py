"""Forest plot of all pairs: intervals of the differences, with the regions of equivalence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError, unknown_name
from bayescmp.metrics import labelled
from bayescmp.palette import COLOURS, MARKERS
from bayescmp.plots._canvas import COLUMN
from bayescmp.plots._names import shorten, shorten_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.verdict.core import Verdict

__all__ = ["figure_size", "plot_forest"]

#: Height of a row, width of a letter, inches.
ROW, LETTER = 0.2, 0.062


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
        Pairs with this algorithm only.
    prob : float
        Probability within an interval.
    threshold : float
        Probability at which a pair is decided.

    Returns
    -------
    matplotlib Axes
        The first panel. A row is the improvement of its first-named algorithm over the other,
        negative where it is worse, and the legend says which of the two is better. A filled
        marker is a decided pair, in the colour of its verdict; the band is the rope.

    Raises
    ------
    InputError
        Unknown metric or algorithm; another number of axes than metrics.

    See Also
    --------
    plot_rank_probabilities : Who is best.

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
    verdicts = posterior.verdicts(threshold=threshold)
    panels = _panels(ax, posterior, shown, pairs)
    ropes = dict(zip(posterior.metrics, posterior.ropes(), strict=True))
    order = sorted(pairs, key=lambda p: table.loc[(*p, shown[0]), "mean"])
    for panel, metric in zip(panels, shown, strict=True):
        if not ropes[metric].empty:
            panel.axvspan(
                ropes[metric].low, ropes[metric].high, color="0.9", linewidth=0, zorder=0
            )
        panel.axvline(0, color="0.5", linewidth=0.6, zorder=1)
        for i, pair in enumerate(order):
            _interval(panel, i, table.loc[(*pair, metric)], verdicts[pair])
        way = next((d for d in posterior.directions if d.metric == metric), None)
        panel.set_xlabel(f"mean improvement in {labelled(shorten(metric, 16), way)}", fontsize=7.5)
        panel.set_ylim(-0.7, len(order) - 0.3)
        panel.tick_params(labelsize=7, length=2)
        panel.locator_params(axis="x", nbins=5)
        for side in ("top", "right", "left"):
            panel.spines[side].set_visible(False)
    labels = _labels(order)
    panels[0].set_yticks(range(len(order)), labels)
    for panel in panels[1:]:
        panel.set_yticks(range(len(order)), [""] * len(order))
    for panel in panels:
        panel.tick_params(axis="y", length=0)
    _legend(panels[0], [verdicts[p] for p in order])
    return panels[0]


def figure_size(
    posterior: GroupsPosterior, metrics: Iterable[str] | None = None, control: str | None = None
) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    shown, pairs = _metrics(posterior, metrics), _pairs(posterior, control)
    return _size(shown, pairs)


def _size(shown: list[str], pairs: list[tuple[str, str]]) -> tuple[float, float]:
    letters = max(map(len, _labels(pairs)))
    return max(LETTER * letters + 1.75 * len(shown), COLUMN), 0.85 + ROW * len(pairs)


def _labels(pairs: list[tuple[str, str]]) -> list[str]:
    """Which improves on which, where the difference is positive."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    short = dict(zip(names, shorten_all(names, 14), strict=True))
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


def _interval(ax: Axes, row: int, line: Any, verdict: Verdict) -> None:
    region = verdict.ranked[0]
    decided = verdict.decided
    colour = COLOURS[region] if decided else "0.35"
    ax.plot(
        [line["low"], line["high"]],
        [row, row],
        color=colour,
        linewidth=1.6 if decided else 1.0,
        solid_capstyle="butt",
        zorder=2,
    )
    ax.plot(
        line["mean"],
        row,
        marker=MARKERS[region] if decided else "o",
        markersize=4.5,
        markerfacecolor=colour if decided else "white",
        markeredgecolor=colour,
        markeredgewidth=0.9,
        linestyle="none",
        zorder=3,
    )


def _legend(ax: Axes, verdicts: list[Any]) -> None:
    from matplotlib.lines import Line2D

    seen = dict.fromkeys(v.ranked[0] for v in verdicts if v.decided)
    places = {"first": "second-named", "second": "first-named"}  # rows read "second over first"
    handles = []
    for region in seen:
        label = verdicts[0].shape.labels[region].format(**places)
        handles.append(
            Line2D(
                [],
                [],
                marker=MARKERS[region],
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
                color="0.35",
                markerfacecolor="white",
                markersize=4.5,
                linewidth=1.0,
                label="undecided",
            )
        )
    figure = ax.figure
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=len(handles),
        fontsize=7,
        frameon=False,
        handlelength=1.8,
        columnspacing=1.2,
    )
