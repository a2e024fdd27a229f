"""Planning: the chance of a decision against the amount of data, with its limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.palette import COLOURS
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import COLUMN, axes_for
from bayescmp.plots._names import shorten_all
from bayescmp.verdict import THREE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.planning import Plan

__all__ = ["plot_plan"]

#: Lines of further folds on the data sets seen, fewest first.
STYLES = ("-", "--", "-.", ":")


@made_of("a plan, of bc.plan", "bayescmp.planning:Plan")
def plot_plan(plan: Plan, *, ax: Axes | None = None) -> Axes:
    """Draw how the chance of a decision grows with the number of data sets.

    Parameters
    ----------
    plan : Plan
        Of ``posterior.plan()`` or `bayescmp.plan`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib Axes
        Black, the share of simulated studies that are decided, with two standard errors; coloured,
        the decisions they end with. A coloured mark at the right edge is the limit: the
        probability that infinitely many data sets end with that decision. Each number of further
        folds has its own line style.

    See Also
    --------
    plot_sensitivity : What the verdict on the data at hand depends on.

    Examples
    --------
    >>> import bayescmp as bc
    >>> plan = bc.plan(delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3, 12],
    ...                simulations=10)
    >>> ax = bc.plots.plot_plan(plan)
    >>> ax.get_ylabel()
    'chance of a decision'
    """
    ax = axes_for(ax, (COLUMN, 2.4))
    labels = _labels(plan)
    more_folds = plan.frame["more_folds"].unique().tolist()
    for more, style in zip(more_folds, STYLES * len(more_folds), strict=False):
        rows = plan.frame[plan.frame["more_folds"] == more]
        of_folds = f", {more} more folds" if more else ""
        ax.errorbar(
            rows["datasets"],
            rows["decided"],
            2 * rows["se_decided"],
            color="black",
            linestyle=style,
            marker="o",
            markersize=3,
            linewidth=1.2,
            elinewidth=0.8,
            label=f"decided{of_folds}",
            zorder=3,
        )
        _ways(ax, rows, style, labels if not of_folds else {})
    for region, decision in THREE.decisions.items():
        ax.plot(
            1.02,
            plan.limit[decision],
            marker="<",
            color=COLOURS[region],
            markersize=6,
            transform=ax.get_yaxis_transform(),
            clip_on=False,
        )
    _finish(ax, plan)
    return ax


def _labels(plan: Plan) -> dict[str, str]:
    first, second = shorten_all(plan.names, 14)
    return {r: THREE.labels[r].format(first=first, second=second) for r in THREE.regions}


def _ways(ax: Axes, rows: pd.DataFrame, style: str, labels: dict[str, str]) -> None:
    """A line a decision; those of further folds need no label."""
    for region, decision in THREE.decisions.items():
        ax.plot(
            rows["datasets"],
            rows[decision],
            color=COLOURS[region],
            linestyle=style,
            linewidth=1.0,
            label=labels.get(region),
        )


def _finish(ax: Axes, plan: Plan) -> None:
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("more data sets" if plan.today else "data sets", fontsize=8)
    ax.set_ylabel("chance of a decision", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.annotate(
        "limit",
        (1.02, 1.0),
        (0, 5),
        xycoords="axes fraction",
        fontsize=7,
        textcoords="offset points",
        ha="center",
        annotation_clip=False,
    )
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(
        fontsize=7,
        frameon=False,
        loc="lower center",
        ncols=2,
        bbox_to_anchor=(0.5, 1.02),
        handlelength=1.6,
        columnspacing=1.0,
    )
