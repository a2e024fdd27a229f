"""Verdicts as labelled bars: every region's probability on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayescmp.comparison.results import PairResult
from bayescmp.errors import InputError
from bayescmp.palette import ORDER
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, column, sized
from bayescmp.plots._ink import fill, ink, paper
from bayescmp.plots._labels import (
    label_below,
    legend_above,
    legend_columns,
    letters,
    room,
    row_text,
    text_width,
)
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_verdict, note
from bayescmp.plots.heatmap import number_in_cell
from bayescmp.text import listed, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.verdict.core import Verdict

__all__ = ["figure_size", "plot_verdict_bar"]

#: Inches: a bar with its gap, all of them at most, a row of the legend.
ROW, ROWS, LEGEND = 0.34, 7.4, 0.15


@made_of("a verdict, or a mapping of labels to verdicts")
def plot_verdict_bar(verdicts: Any, *, ax: Axes | None = None) -> Axes:
    """Draw one verdict, or several below each other, as stacked bars.

    Parameters
    ----------
    verdicts : Verdict, or mapping of label or (first, second) to Verdict or PairResult
        All over the same regions; `Comparisons.results` is such a mapping.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        Lengths are probabilities, written in where there is room. For a single verdict the legend
        has all numbers; a bold label marks a decision.

    Raises
    ------
    InputError
        If there is none, or they have different regions.

    See Also
    --------
    plot_verdicts : All pairs as a matrix.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [0.01, 0.03, 0.02, 0.00, 0.02]
    >>> posterior = bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "gbm"))
    >>> ax = plots.plot_verdict_bar(posterior.verdict())
    >>> [text.get_text().split("  ")[0] for text in ax.get_legend().get_texts()]
    ['knn better', 'equivalent', 'gbm better']
    """
    rows = _rows(verdicts)
    each = list(rows.values())
    ax = axes_for(ax, figure_size(verdicts))
    single = len(rows) == 1
    size = row_text(_row(len(rows)), 7)
    for i, v in enumerate(each):
        _bar(ax, v, i, 0.0 if single else size)
    ax.set_xlim(0, 1)
    ax.set_ylim(len(rows) - 0.45, -0.55)
    most = letters(0.45 * room(ax) / 2, size, 14, 7)
    ax.set_yticks([] if single else range(len(rows)), None if single else _labels(verdicts, most))
    if not single:
        for label, v in zip(ax.get_yticklabels(), each, strict=True):
            label.set_fontweight("bold" if v.decided else "normal")
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    ax.tick_params(labelsize=7, length=2)
    ax.tick_params(axis="y", length=0, labelsize=size)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    label_below(ax, f"probability: {_quantity(each)}", 7)
    _legend(ax, each[0], single)
    quantity = f"Posterior probabilities of the {_quantity(each)}"
    return note(ax, quantity, facts_of_verdict(each[0], single=single))


def _quantity(verdicts: list[Verdict]) -> str:
    """What the probabilities are of, and in which metric."""
    decides = listed(list(dict.fromkeys(v.decides for v in verdicts)), "or")
    measured = {v.measured for v in verdicts}
    of = measured.pop() if len(measured) == 1 else ""
    return f"{decides}, {of}" if of else decides


def figure_size(verdicts: Any) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    rows = _rows(verdicts)
    words = [text for _, text in _legend_rows(next(iter(rows.values())), len(rows) == 1)]
    width = column()
    if len(rows) > 1:
        beside = max(text_width(label, 7) for label in _labels(verdicts, 14))
        width, _ = sized(max(column(), beside + 2.4), 0.0)
    lines = -(-len(words) // legend_columns(words, width - 0.25, 7))
    return width, 0.55 + LEGEND * lines + _row(len(rows)) * len(rows)


def _row(count: int) -> float:
    """Inches of a bar with its gap; many are thinner, so that they fit a page."""
    return min(ROW, ROWS / count)


def _rows(verdicts: Any) -> dict[object, Verdict]:
    """Keys of the bars with their verdicts."""
    if not isinstance(verdicts, Mapping):
        verdicts = {"": verdicts}
    if not verdicts:
        raise InputError("verdicts is empty; accepted: a verdict, or a mapping of labels to them")
    rows = {key: v.verdict if isinstance(v, PairResult) else v for key, v in verdicts.items()}
    if len({tuple(v.probabilities) for v in rows.values()}) > 1:
        raise InputError(
            "verdicts have different regions; accepted: all of one or of several metrics"
        )
    return rows


def _labels(verdicts: Mapping[object, object], most: int) -> list[str]:
    """Each bar's label; a pair's two names are shortened by themselves."""
    parts = [key if isinstance(key, tuple) else (key,) for key in verdicts]
    names = list(dict.fromkeys(str(name) for part in parts for name in part))
    short = dict(zip(names, shorten_all(names, most), strict=True))
    return [" – ".join(short[str(name)] for name in part) for part in parts]


def _regions(v: Verdict) -> list[str]:
    return [r for r in ORDER if r in v.possible]


def _bar(ax: Axes, v: Verdict, row: int, size: float) -> None:
    """The parts of a bar, with numbers of that size where there is room for them."""
    left = 0.0
    for region in _regions(v):
        p = v.probabilities[region]
        ax.barh(row, p, left=left, height=0.62, zorder=2, **fill(region))
        ax.barh(
            row, p, left=left, height=0.62, fill=False, edgecolor=paper(), linewidth=0.8, zorder=4
        )
        if size and p >= 0.16:
            ax.text(
                left + p / 2,
                row,
                number_in_cell(p, v.threshold),
                ha="center",
                va="center",
                fontsize=size,
                color=ink(),
                zorder=5,
                bbox={"facecolor": paper(), "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
            )
        left += p


def _legend_rows(v: Verdict, single: bool) -> list[tuple[str, str]]:
    """Regions with what the legend says of them."""
    words = [(region, _word(v, region, single)) for region in _regions(v)]
    if not single:
        return words
    return [(r, f"{word}  {probability(v.probabilities[r], v.floor)}") for r, word in words]


def _legend(ax: Axes, v: Verdict, single: bool) -> None:
    from matplotlib.patches import Patch

    rows = _legend_rows(v, single)
    legend_above(ax, [Patch(**fill(region)) for region, _ in rows], [text for _, text in rows])


def _word(v: Verdict, region: str, single: bool) -> str:
    """A region in words; of several pairs without their names."""
    if single:
        first, second = shorten_all(v.names, 16)
        return str(v.shape.labels[region].format(first=first, second=second))
    return str(v.shape.labels[region].format(first="first", second="second"))
