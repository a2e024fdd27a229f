"""The first screen of a report: who leads, what is decided, what stays open, what to mistrust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bayescmp.comparison import Comparisons
from bayescmp.comparison.results import PairResult
from bayescmp.comparison.sentences import best, leads, open_pairs, warning
from bayescmp.crosscheck.plan import Pair, Plan
from bayescmp.crosscheck.results import CrossCheck
from bayescmp.planning.extrapolation import further_datasets
from bayescmp.report.pictures import any_letter, picture
from bayescmp.text import counted

if TYPE_CHECKING:
    from bayescmp.typing import Json

__all__ = ["opening"]


def opening(
    plan: Plan, check: CrossCheck, metric: str, pairs: Sequence[Json], *, pictures: bool
) -> Json:
    """What the first screen says by one metric.

    Parameters
    ----------
    plan : Plan
    check : CrossCheck
    metric : str
    pairs : sequence of dict
        The report's pairs, with their parts by each metric.
    pictures : bool
        Whether the page shows pictures.

    Returns
    -------
    dict
        ``leads``, ``best``: sentences; ``open`` and ``untrusted``: lists of dict; ``warning``: how
        many can't be trusted, or be compared; ``holds``: the pair in front, why it is, and under
        what its decision holds; ``ladder``: a picture, empty of two algorithms and without
        pictures.
    """
    comparisons = check.comparisons[metric]
    place = plan.metrics.index(metric)
    parts = [(pair, pair["parts"][place]) for pair in pairs]
    return {
        "leads": leads(comparisons),
        "best": best(comparisons),
        "open": _open(comparisons, {(p["first"], p["second"]): p["id"] for p in pairs}),
        "untrusted": _untrusted(parts),
        "warning": warning(comparisons),
        "holds": _holds(plan, parts),
        "ladder": _ladder(comparisons, f"ladder-{place + 1}") if pictures else {},
    }


def _open(comparisons: Comparisons, ids: Mapping[Pair, str]) -> list[Json]:
    """Undecided pairs by cause, each with what links to it."""
    return [
        {
            "cause": open_.cause,
            "plan": _plan([comparisons.results[pair] for pair in open_.pairs]),
            "count": open_.count,
            "advice": open_.advice,
            "pairs": [
                {"id": ids[pair], "first": pair[0], "second": pair[1]} for pair in open_.pairs
            ],
        }
        for open_ in open_pairs(comparisons)
    ]


def _plan(results: Sequence[PairResult]) -> str:
    """How many more data sets would decide how many of the pairs; "" of one data set."""
    q = min(result.datasets for result in results)
    if q < 2:
        return ""
    more = [further_datasets(result.verdict, result.datasets) for result in results]
    needed = [n for n in more if n is not None]
    if not needed:
        return "By extrapolation, no realistic number of further data sets like these would decide"
    if len(more) == 1:
        count = counted(max(needed[0], 1), "more data set")
        return f"By extrapolation, about {count} like these would decide it"
    twice, tenfold = (sum(n <= (times - 1) * q for n in needed) for times in (2, 10))
    return (
        f"By extrapolation, twice as many data sets like these would decide {twice} of "
        f"{len(more)}, ten times as many {tenfold}"
    )


def _untrusted(parts: Sequence[tuple[Json, Json]]) -> list[Json]:
    """Pairs that could not be compared, or whose posterior can't be trusted, and why."""
    return [
        {
            **{k: pair[k] for k in ("id", "first", "second")},
            "why": part["trouble"] if "verdict" in part else part["error"],
        }
        for pair, part in parts
        if not part.get("ok", False)
    ]


def _holds(plan: Plan, parts: Sequence[tuple[Json, Json]]) -> Json:
    """The leading pair, with what becomes of its verdict; empty if unknown."""
    for pair, part in parts:
        if part.get("holds"):
            names = {k: pair[k] for k in ("id", "first", "second")}
            return {**names, "why": _why_leading(plan), "text": part["holds"]}
    return {}


def _why_leading(plan: Plan) -> str:
    """What puts the leading pair in front, which is by the first metric; "" of two algorithms."""
    if len(plan.algorithms) == 2:
        return ""
    rank = " by mean rank" if len(plan.scores.datasets) > 1 else ""
    return f", the two best{rank}{f' in {plan.metrics[0]}' if len(plan.metrics) > 1 else ''}"


def _ladder(comparisons: Comparisons, name: str) -> Json:
    from bayescmp.plots import plot_ladder
    from bayescmp.plots.ladder import figure_size

    ladder = comparisons.ladder()
    if len(ladder.names) < 3:
        return {}
    with any_letter():
        size = figure_size(ladder)
    return picture(
        lambda ax: plot_ladder(comparisons, ax=ax),
        size,
        name=name,
        title=f"Ladder of {counted(len(ladder.names), 'algorithm')}: {comparisons.measured}",
        description=f"From best to worst: {', '.join(ladder.names)}. {ladder.decided} of "
        f"{counted(ladder.pairs, 'pair')} decided.",
    )
