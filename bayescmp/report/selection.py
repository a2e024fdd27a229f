"""What a report shows: which pairs in full, and the twins that it needs of all."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

from bayescmp.crosscheck.plan import Pair, Plan
from bayescmp.text import listed

__all__ = ["detailed", "in_full", "leading_pair", "needed_of", "rule"]

#: Pairs that are all shown in full where nobody says how many: those of eight algorithms.
ALL = 28
#: Data sets on each of which the leading pair is estimated even then.
MANY = 30
#: Scopes of twins that a report over several data sets shows, and those of metrics together.
_SHOWN, _TOGETHER = ("datasets", "table"), ("metrics", "groups_metrics")


def in_full(plan: Plan, most: int | None) -> list[Pair]:
    """Pairs among as many leading algorithms as give at most this many pairs.

    Algorithms lead by their mean rank in the first metric, which is known before anything is
    compared, so that a pair's pictures are drawn while its posterior is there.

    Parameters
    ----------
    plan : Plan
    most : int or None
        Number of pairs. None shows all pairs of up to eight algorithms; of more, whose report is
        read by its tables, the leading pair alone.

    Returns
    -------
    list of (str, str)
        In the order of the plan; all pairs where there are no more than ``most``.
    """
    if len(plan.pairs) <= (ALL if most is None else most):
        return list(plan.pairs)
    if most is None:
        return [leading_pair(plan)]
    leading = set(_leading(plan)[: _among(most)])
    return [pair for pair in plan.pairs if leading.issuperset(pair)]


def detailed(plan: Plan, most: int | None) -> bool:
    """Whether pairs in full have estimates for each data set, and the leading one a rope curve.

    With their pictures they take as long as 15 pairs in the tables. Of many algorithms on more
    than 30 data sets they are left to those who say how many pairs they want in full.

    Parameters
    ----------
    plan : Plan
    most : int or None
        As for `in_full`.

    Returns
    -------
    bool
    """
    few = len(plan.pairs) <= ALL or len(plan.scores.datasets) <= MANY
    return few or most is not None


def leading_pair(plan: Plan) -> Pair:
    """The two algorithms of the best mean rank, in the order of the plan.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    (str, str)
    """
    ahead = set(_leading(plan)[:2])
    return next((pair for pair in plan.pairs if ahead.issuperset(pair)), plan.pairs[0])


def needed_of(plan: Plan) -> Plan:
    """The plan with the twins that the report shows; of several data sets not those of each.

    Whether the metrics together agree with each alone is a question about single data sets, so
    that there the first twin on them stays.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    Plan
    """
    if len(plan.scores.datasets) == 1:
        return plan
    kept = [t for t in plan.twins if t.scope in _SHOWN]
    if plan.joint:
        kept += [t for t in plan.twins if t.scope == "dataset"][:1]
        kept += [t for t in plan.twins if t.scope in _TOGETHER]
    return replace(plan, twins=tuple(kept)) if kept else plan


def _among(most: int) -> int:
    """How many algorithms have at most this many pairs: k (k - 1) / 2."""
    return (1 + isqrt(1 + 8 * most)) // 2


def _leading(plan: Plan) -> list[str]:
    """Algorithms by their mean rank over the data sets, the best first."""
    metric = plan.metrics[0]
    means = plan.scores.means(metric)[list(plan.algorithms)]
    ranks = means.rank(axis=1, ascending=plan.scores.lower_is_better(metric))
    return [str(name) for name in ranks.mean().sort_values(kind="stable").index]


def rule(plan: Plan, most: int | None) -> str:
    """The rule in a few sentences; "" where every pair is shown in full."""
    shown = in_full(plan, most)
    if len(shown) == len(plan.pairs):
        return ""
    k = len({name for pair in shown for name in pair})
    those = f"The {len(shown)} pairs among" if len(shown) > 1 else "The pair of"
    those = f"{those} the {k} algorithms of the best mean rank" if shown else "No pair"
    several, each = len(plan.scores.datasets) > 1, detailed(plan, most)
    more = ["the other Bayesian tests"] if several else []
    more = [*(["estimates for each data set"] if several and each else []), *more]
    has = listed(["pictures", *more, "a check of whether the model explains the data"])
    asked = f"Estimates for each of more than {MANY} data sets, and a rope curve, are shown when "
    asked = "" if each else f" {asked}in_full is set."
    return (
        f"{those} in {plan.metrics[0]}, of {len(plan.pairs)} in all, "
        f"{'are' if len(shown) > 1 else 'is'} shown in full; the others stand in the tables "
        f"above. Only a pair in full has {has}.{asked}"
    )
