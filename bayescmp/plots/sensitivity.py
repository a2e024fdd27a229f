"""Sensitivity: a strip a question, a stacked bar a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.palette import ORDER
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import COLUMN, axes_for, sized
from bayescmp.plots._ink import fill, ink
from bayescmp.plots._labels import label_below, legend_above, letters, room
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_verdict, note

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.sensitivity import Sensitivity

__all__ = ["figure_size", "plot_sensitivity"]

#: Data sets, or runs, left out that are shown: those that change the verdict most.
MOST = 8
#: Inches of a bar and of what stands around the bars; gap between questions, in bars.
ROW, AROUND, GAP = 0.17, 0.75, 0.8
TITLES = {
    "fit": "",
    "prior": "prior",
    "model": "model",
    "rho": "rho",
    "rope": "rope",
    "without": "without",
    "runs": "without",
    "threshold": "threshold",
}


@made_of("a sensitivity analysis, posterior.sensitivity()", "bayescmp.sensitivity:Sensitivity")
def plot_sensitivity(sensitivity: Sensitivity, *, ax: Axes | None = None) -> Axes:
    """Draw how a verdict changes under other assumptions.

    Parameters
    ----------
    sensitivity : Sensitivity
        Of ``posterior.sensitivity()``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        One bar per setting, its parts the probabilities of the three regions, in strips by
        question; bold, with a dot at its end, where the decision is another. Of the data sets left
        out the eight that matter most are shown.

    See Also
    --------
    plot_rope_curve : The rope alone, continuously.

    Examples
    --------
    >>> from bayescmp import bayesian, plots
    >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
    >>> posterior = bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
    >>> ax = plots.plot_sensitivity(posterior.sensitivity())
    >>> ax.get_yticklabels()[0].get_text()
    'as fitted'
    """
    rows = _shown(sensitivity.frame)
    at = _places(rows)
    ax = axes_for(ax, figure_size(sensitivity))
    start = [0.0] * len(rows)
    first, second = shorten_all(sensitivity.verdict.names, 14)
    shape = sensitivity.verdict.shape
    for region in (r for r in ORDER if r in shape.regions):
        p = rows[f"p_{region}"].tolist()
        label = shape.labels[region].format(first=first, second=second)
        ax.barh(at, p, left=start, height=0.8, label=label, **fill(region, 0.7))
        start = [s + v for s, v in zip(start, p, strict=True)]
    changes = [y for y, c in zip(at, rows["changes"], strict=True) if c]
    ax.plot([1.02] * len(changes), changes, "o", color=ink(), markersize=3, clip_on=False)
    _finish(ax, rows, at)
    return note(ax, "Verdict under other assumptions", facts_of_verdict(sensitivity.verdict))


def figure_size(sensitivity: Sensitivity) -> tuple[float, float]:
    """Width and height, inches, of a figure that the plot fits."""
    return sized(COLUMN + 1.2, AROUND + ROW * (_places(_shown(sensitivity.frame))[-1] + 1))


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """All rows, of the data sets left out those that matter most."""
    import pandas as pd

    left_out = frame["question"].map(TITLES) == "without"
    most = frame[left_out].sort_values("change", ascending=False, kind="stable").head(MOST)
    return pd.concat([frame[~left_out], most])


def _places(rows: pd.DataFrame) -> list[float]:
    """Heights of the bars, with a gap before each question."""
    at, y, last = [], -1.0, None
    for question in rows["question"]:
        y += 1.0 if question == last or last is None else 1.0 + GAP
        at.append(y)
        last = question
    return at


def _finish(ax: Axes, rows: pd.DataFrame, at: list[float]) -> None:
    most = letters(0.45 * room(ax) - 0.3, 7, 30)
    titles = [TITLES[q] for q in rows["question"]]
    labels = [
        f"{title} {setting}".strip()
        for title, setting in zip(titles, shorten_all(rows["setting"], most), strict=True)
    ]
    ax.set_yticks(at, labels)
    for label, changes in zip(ax.get_yticklabels(), rows["changes"], strict=True):
        label.set_fontweight("bold" if changes else "normal")
    ax.set_xlim(0, 1)
    ax.set_ylim(at[-1] + 0.6, -0.6)
    ax.tick_params(labelsize=7, length=2)
    ax.tick_params(axis="y", length=0)
    label_below(ax, "probability; a dot: another decision", 7)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    legend_above(ax, *ax.get_legend_handles_labels())
