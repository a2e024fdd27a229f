"""The nested sets of best algorithms, with the probability that all of each are near the best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import checks
from bayescmp.plots._argument import made_of
from bayescmp.plots._canvas import axes_for, column
from bayescmp.plots._ink import ink, mixed, paper, quantity
from bayescmp.plots._labels import label_below, letters, room
from bayescmp.plots._names import shorten_all
from bayescmp.plots.captions import facts_of_posterior, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.bayesian.joint.base import JointBase
    from bayescmp.verdict.rope import RopeLike

__all__ = ["plot_top_sets"]

#: Sizes that are drawn at most: larger sets are hardly ever all near the best.
MOST = 20


@made_of(
    "a joint posterior, e.g. of bayesian.bootstrap or joint_t",
    "bayescmp.bayesian.joint.base:JointBase",
)
def plot_top_sets(
    posterior: JointBase,
    *,
    on: str | None = None,
    rope: RopeLike | None = None,
    threshold: float = 0.5,
    ax: Axes | None = None,
) -> Axes:
    """Draw the joint probability of the nested top sets against the algorithm that each adds.

    Parameters
    ----------
    posterior : JointBase
        As `bayescmp.bayesian.joint_t`, `bootstrap` or `friedman` returns it.
    on : {"next", "average"}, optional
        As for `plot_ranks`.
    rope : float, optional
        Another half-width than the posterior's own.
    threshold : float
        Drawn as a line: the largest set above it is filled.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        Bars with two Monte Carlo errors on each side.

    See Also
    --------
    plot_best : Each algorithm by itself.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> ax = bc.plots.plot_top_sets(bc.bayesian.bootstrap(means, rope=0.02, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A3', '+ A2', '+ A1']
    """
    target = posterior.targets[0] if on is None else on
    table = posterior.top_sets(target, rope=rope).head(MOST)
    level = checks.level(threshold, "threshold")
    ax = axes_for(ax, (column(), 0.7 + 0.24 * len(table)))
    places, p = np.arange(len(table)), table["p_joint"].to_numpy()
    filled = mixed(quantity(), paper(), 0.7)
    faces = [filled if value >= level else paper() for value in p]
    ax.barh(places, p, height=0.62, color=faces, edgecolor=quantity(), linewidth=0.8)
    ax.errorbar(
        p, places, xerr=2 * table["se_joint"].to_numpy(), fmt="none", color=ink(), linewidth=0.9
    )
    ax.axvline(level, color=ink(0.5), linewidth=0.9, linestyle=(0, (3, 2)))
    names = shorten_all(table["added"], letters(0.42 * room(ax), 7.5))
    ax.set_yticks(places, [name if k == 0 else f"+ {name}" for k, name in enumerate(names)])
    ax.set_ylim(len(table) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    ax.tick_params(labelsize=7.5)
    label_below(ax, f"probability: all within the rope of the best, {posterior.spoken[target]}", 8)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    shown = f"Probability that all of a set are near the best, {posterior.spoken[target]}"
    return note(ax, shown, replace(facts_of_posterior(posterior), threshold=level))
