"""Which of several algorithms is best: asked beside the pairs, and shown above them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.errors import InputError
from bayescmp.text import listed, probability
from bayescmp.verdict import Rope

if TYPE_CHECKING:
    from bayescmp.bayesian.joint.base import JointBase
    from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior
    from bayescmp.checks import RhoLike
    from bayescmp.scores import Scores

__all__ = ["best_lines", "best_of"]

#: Number of algorithms whose probability of being best is shown, and the least joint probability
#: of the set of best ones.
SHOWN, LEVEL = 5, 0.5


def best_of(
    scores: Scores, metric: str, rope: Rope, seed: int, rho: RhoLike | None
) -> BootstrapPosterior | None:
    """Which of three algorithms or more is best, where that can be asked.

    Parameters
    ----------
    scores : Scores
        Of the algorithms in question alone.
    metric : str
    rope : Rope
    seed : int
    rho : float or array_like, optional

    Returns
    -------
    BootstrapPosterior or None
        None of two algorithms, of one data set, of standardised differences, with a rope that is
        not symmetric, and where the scores do not suffice.
    """
    from bayescmp.bayesian.joint.bootstrap import bootstrap

    askable = len(scores.algorithms) > 2 and len(scores.datasets) > 1
    if not askable or scores.scale == "standardised" or rope.low != -rope.high:
        return None
    try:
        return bootstrap(scores, metric=metric, rope=rope, rho=rho, seed=seed)
    except InputError:  # the pairs say what is wrong with the scores
        return None


def best_lines(best: JointBase) -> list[str]:
    """Which algorithm is best, in a few lines above the verdicts on pairs."""
    table = best.overview().head(SHOWN)
    more = f", and {len(best.algorithms) - SHOWN} more" if len(best.algorithms) > SHOWN else ""
    lines = [f"which is best ({best.method}):"]
    for on in best.targets:
        names = table.sort_values(f"p_{on}", ascending=False, kind="stable")[f"p_{on}"]
        shown = ", ".join(f"{name} {probability(p)}" for name, p in names.items())
        lines.append(f"  {best.spoken[on]}: {shown}{more}")
    members = best.top_set(LEVEL)
    if members and best.rope.high > 0:
        lines.append(f"  all near the best with probability {LEVEL:g} or more: {listed(members)}")
    return [*lines, *(f"  note: {note}" for note in best.notes)]
