"""The first screen of a report: who leads, what is decided, what stays open, what to mistrust."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from bayescmp.comparison import Comparisons
from bayescmp.crosscheck.plan import Plan
from bayescmp.crosscheck.results import CrossCheck
from bayescmp.report.pictures import any_letter, picture
from bayescmp.text import counted, listed, plus_minus, probability
from bayescmp.verdict.cause import DIFFER, EDGE, FEW

if TYPE_CHECKING:
    from bayescmp.typing import Json

__all__ = ["opening"]

#: Names, and pairs, that a sentence lists; the others are counted.
MOST = 6
#: What would settle a pair that is undecided for a reason.
ADVICE = {
    FEW: "more data sets, or more repetitions on each, would help",
    DIFFER: "which one is better depends on the data set, and more of the same will not decide it",
    EDGE: "the difference lies at an end of the rope; whether it matters is a judgement, not a "
    "measurement",
    "borderline": "within Monte Carlo error of the threshold; more draws would decide",
    "": "nothing tells why",
}
_SAME, _OPEN = "equivalent", ("undecided", "borderline")


def opening(plan: Plan, check: CrossCheck, metric: str, pairs: Sequence[Json]) -> Json:
    """What the first screen says by one metric.

    Parameters
    ----------
    plan : Plan
    check : CrossCheck
    metric : str
    pairs : sequence of dict
        The report's pairs, with their parts by each metric.

    Returns
    -------
    dict
        ``leads``, ``best``: sentences; ``open`` and ``untrusted``: lists of dict; ``warning``: how
        many can't be trusted, or be compared; ``ladder``: SVG,
        "" of two algorithms.
    """
    comparisons = check.comparisons[metric]
    place = plan.metrics.index(metric)
    parts = [(pair, pair["parts"][place]) for pair in pairs]
    return {
        "leads": _leads(comparisons),
        "best": _best(comparisons),
        "open": _open(parts),
        "untrusted": _untrusted(parts),
        "warning": _warning(parts),
        "ladder": _ladder(comparisons, f"ladder-{place + 1}"),
    }


def _leads(comparisons: Comparisons) -> str:
    """How the first in order does against each of the others."""
    leader, *others = comparisons.order
    against: dict[str, list[str]] = {}
    for name in others:
        against.setdefault(_decision(comparisons, leader, name), []).append(name)
    phrases = {
        "first": "practically better than",
        _SAME: "practically equivalent to",
        "second": "practically worse than",
        "undecided": "undecided against",
        "failed": "not compared with",
    }
    if comparisons.rope.empty:
        phrases |= {"first": "better than", "second": "worse than"}
    results = [f"{words} {named(against[k])}" for k, words in phrases.items() if k in against]
    if not {"first", _SAME} & set(against):  # an order is no lead
        return f"No lead is decided: {leader} comes first in order, {'; '.join(results)}."
    return f"{leader} leads: {'; '.join(results)}."


def _decision(comparisons: Comparisons, first: str, second: str) -> str:
    there = {(first, second), (second, first)} & set(comparisons.results)
    if not there:
        return "failed"
    decision = comparisons.verdict(first, second).decision
    return "undecided" if decision in _OPEN else decision


def named(names: Sequence[str]) -> str:
    """Names with commas; of many the first ones, and how many more."""
    if len(names) <= MOST + 1:
        return listed(list(names))
    return listed([*names[:MOST], f"{len(names) - MOST} more"])


def _best(comparisons: Comparisons) -> str:
    """The likeliest to be best on the next data set and on average, where that was asked."""
    best = comparisons.best
    if best is None:
        return ""
    likeliest = []
    for on in best.targets:
        table = best.ranking(on)
        row = table.iloc[0]
        chance = f"{probability(row['p_best'])} {plus_minus(row['se_best'])}".rstrip()
        likeliest.append(f"{best.spoken[on]}: {table.index[0]} ({chance})")
    return f"Likeliest to be best {'; '.join(likeliest)}. By the {best.method}."


def _open(parts: Sequence[tuple[Json, Json]]) -> list[Json]:
    """Undecided pairs by cause, the most frequent first, with what would settle them."""
    causes = [
        (_cause(part["verdict"]), pair)
        for pair, part in parts
        if "verdict" in part and part["verdict"]["decision"] in _OPEN
    ]
    groups = {
        cause: [pair for _, pair in group]
        for cause, group in groupby(sorted(causes, key=lambda c: c[0]), key=lambda c: c[0])
    }
    return [
        {
            "cause": cause or "undecided",
            "count": counted(len(own), "pair"),
            "advice": ADVICE[cause],
            "pairs": [{k: pair[k] for k in ("id", "first", "second")} for pair in own],
        }
        for cause, own in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]


def _cause(verdict: Json) -> str:
    return "borderline" if verdict["decision"] == "borderline" else str(verdict["cause"] or "")


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


def _warning(parts: Sequence[tuple[Json, Json]]) -> str:
    """How many pairs can't be trusted, and how many could not be compared; "" if none."""
    failed = sum("verdict" not in part for _, part in parts)
    doubtful = sum(not part.get("ok", False) for _, part in parts) - failed
    counts = [f"{failed} of {len(parts)} could not be compared"] if failed else []
    if doubtful:
        counts.append(f"{doubtful} of {counted(len(parts), 'pair')} can't be trusted")
    return "; ".join(counts)


def _ladder(comparisons: Comparisons, name: str) -> str:
    from bayescmp.plots import plot_ladder
    from bayescmp.plots.ladder import figure_size

    ladder = comparisons.ladder()
    if len(ladder.names) < 3:
        return ""
    with any_letter():
        size = figure_size(ladder)
    return picture(
        lambda ax: plot_ladder(ladder, ax=ax),
        size,
        name=name,
        title=f"Ladder of {counted(len(ladder.names), 'algorithm')}: {comparisons.measured}",
        description=f"From best to worst: {', '.join(ladder.names)}. {ladder.decided} of "
        f"{counted(ladder.pairs, 'pair')} decided.",
    )
