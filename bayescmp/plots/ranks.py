"""Heat map of the ranks that several algorithms may have on the next data set, or on average."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.plots._argument import made_of
from bayescmp.plots.captions import facts_of_posterior, note
from bayescmp.plots.rank_heatmap import draw_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.bayesian.joint.base import JointBase

__all__ = ["plot_ranks"]


@made_of(
    "a joint posterior, e.g. of bayesian.bootstrap or joint_t",
    "bayescmp.bayesian.joint.base:JointBase",
)
def plot_ranks(posterior: JointBase, *, on: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw each algorithm's probabilities of every rank, the best expected rank on top.

    Parameters
    ----------
    posterior : JointBase
        As `bayescmp.bayesian.joint_t`, `bootstrap` or `friedman` returns it.
    on : {"next", "average"}, optional
        Ranks on the next data set, or those of averages over data sets; the model's first target
        if not given.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits if not given.

    Returns
    -------
    matplotlib Axes
        Numbers are hundredths; the triangle is the expected rank.

    See Also
    --------
    plot_rank_probabilities : Of algorithms on one data set.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> ax = bc.plots.plot_ranks(bc.bayesian.bootstrap(means, rope=0.01, seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A3', 'A2', 'A1']
    """
    target = posterior.targets[0] if on is None else on
    table = posterior.ranks(target)
    on = posterior.spoken[target]
    ax = draw_ranks(table, f"columns: rank {on}; ▲ expected rank", ax)
    return note(ax, f"Probabilities of the algorithms' ranks {on}", facts_of_posterior(posterior))
