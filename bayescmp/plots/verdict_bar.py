"""Verdicts as labelled bars: every region's probability on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayescmp.errors import InputError
from bayescmp.palette import COLOURS, HATCHES, ORDER
from bayescmp.plots._canvas import COLUMN, axes_for
from bayescmp.plots._names import shorten_all
from bayescmp.plots.heatmap import number_in_cell
from bayescmp.text import listed, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.verdict.core import Verdict

__all__ = ["figure_size", "plot_verdict_bar"]

#: Inches of a bar with its gap, of the legend's rows, of a letter.
ROW, LEGEND, LETTER = 0.34, 0.17, 0.075


def plot_verdict_bar(verdicts: Any, *, ax: Axes | None = None) -> Axes:
    """Draw one verdict, or several below each other, as stacked bars.

    Parameters
    ----------
    verdicts : Verdict, or mapping of label or (first, second) to Verdict
        All over the same regions.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        Lengths are probabilities; those with room for it are written in. Of a single verdict the
        legend has all numbers; a bold label has a decision.

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
    for i, v in enumerate(each):
        _bar(ax, v, i, numbers=not single)
    ax.set_xlim(0, 1)
    ax.set_ylim(len(rows) - 0.45, -0.55)
    ax.set_yticks([] if single else range(len(rows)), None if single else list(rows))
    if not single:
        for label, v in zip(ax.get_yticklabels(), each, strict=True):
            label.set_fontweight("bold" if v.decided else "normal")
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    ax.tick_params(labelsize=7, length=2)
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.set_xlabel(f"probability: {_quantity(each)}", fontsize=7)
    _legend(ax, each[0], single)
    return ax


def _quantity(verdicts: list[Verdict]) -> str:
    """What the probabilities are of, and in which metric."""
    decides = listed(list(dict.fromkeys(v.decides for v in verdicts)), "or")
    measured = {v.measured for v in verdicts}
    of = measured.pop() if len(measured) == 1 else ""
    return f"{decides}, {of}" if of else decides


def figure_size(verdicts: Any) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    rows = _rows(verdicts)
    if len(rows) == 1:
        return COLUMN, 1.25
    return COLUMN + LETTER * max(max(map(len, rows)) - 12, 0), 0.85 + ROW * len(rows)


def _rows(verdicts: Any) -> dict[str, Any]:
    """Labels of the bars with their verdicts."""
    if not isinstance(verdicts, Mapping):
        return {"": verdicts}
    if not verdicts:
        raise InputError("verdicts is empty; accepted: a verdict, or a mapping of labels to them")
    shapes = {tuple(v.probabilities) for v in verdicts.values()}
    if len(shapes) > 1:
        raise InputError(
            "verdicts have different regions; accepted: all of one or of several metrics"
        )
    return dict(zip(_labels(list(verdicts)), verdicts.values(), strict=True))


def _labels(keys: list[Any]) -> list[str]:
    """Each bar's label; a pair's two names are shortened by themselves."""
    parts = [key if isinstance(key, tuple) else (key,) for key in keys]
    names = list(dict.fromkeys(str(name) for part in parts for name in part))
    short = dict(zip(names, shorten_all(names, 14), strict=True))
    return [" – ".join(short[str(name)] for name in part) for part in parts]


def _regions(v: Verdict) -> list[str]:
    return [r for r in ORDER if r in v.possible]


def _bar(ax: Axes, v: Verdict, row: int, numbers: bool) -> None:
    left = 0.0
    for region in _regions(v):
        p = v.probabilities[region]
        ax.barh(
            row,
            p,
            left=left,
            height=0.62,
            color=COLOURS[region],
            alpha=0.55,
            linewidth=0,
            zorder=2,
        )
        if region in HATCHES:
            ax.barh(
                row,
                p,
                left=left,
                height=0.62,
                fill=False,
                hatch=HATCHES[region],
                edgecolor=COLOURS[region],
                linewidth=0,
                zorder=3,
            )
        ax.barh(
            row, p, left=left, height=0.62, fill=False, edgecolor="white", linewidth=0.8, zorder=4
        )
        if numbers and p >= 0.1:
            ax.text(
                left + p / 2,
                row,
                number_in_cell(p, v.threshold),
                ha="center",
                va="center",
                fontsize=7,
                zorder=5,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
            )
        left += p


def _legend(ax: Axes, v: Verdict, single: bool) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Patch

    handles, labels = [], []
    for region in _regions(v):
        colour = COLOURS[region]
        handles.append(
            Patch(
                facecolor=to_rgba(colour, 0.55),
                edgecolor=colour,
                linewidth=0,
                hatch=HATCHES.get(region),
            )
        )
        word = _word(v, region, single)
        p = probability(v.probabilities[region], v.floor)
        labels.append(f"{word}  {p}" if single else word)
    ax.legend(
        handles,
        labels,
        fontsize=7,
        frameon=False,
        loc="lower center",
        ncols=2,
        bbox_to_anchor=(0.5, 1.0),
        borderaxespad=0.2,
        handlelength=1.4,
        handleheight=0.9,
        columnspacing=1.2,
        handletextpad=0.5,
    )


def _word(v: Verdict, region: str, single: bool) -> str:
    """A region in words; of several pairs without their names."""
    if single:
        first, second = shorten_all(v.names, 16)
        return str(v.shape.labels[region].format(first=first, second=second))
    return str(v.shape.labels[region].format(first="first", second="second"))
