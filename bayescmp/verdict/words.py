"""Verdicts in words: a line for the screen, sentences for a paper.

Three probabilities are kept apart, each under its own name. For a test over data sets:

- the *most probable outcome*: the share of the posterior in which a region is the most probable
  one on the next data set. It decides (Corani et al. 2017, section 3.3);
- the *predictive* probability that the difference on the next data set lies in a region;
- the probability that the *mean* difference over data sets lies in it.

A test of one data set has a single quantity, and its sentences say which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bayescmp.text import listed, probability
from bayescmp.verdict.cause import DIFFER, EDGE, FEW, ends_within, unsettled
from bayescmp.verdict.rope import Rope, Ropes
from bayescmp.verdict.shapes import FOUR

if TYPE_CHECKING:
    from bayescmp.verdict.core import Verdict
    from bayescmp.verdict.facts import Interval, Spread

__all__ = ["decision", "listed", "ropes_in_words", "sentences"]


def decision(v: Verdict) -> str:
    """What is decided, with the threshold and the evidence, in one line."""
    return f"{_outcome(v)} (threshold {v.threshold:g}, evidence {v.evidence})"


def _outcome(v: Verdict) -> str:
    """The outcome that is decided for, or why there is none."""
    first, second = v.names
    outcomes = {d: v.shape.outcomes[r] for r, d in v.shape.decisions.items()}
    if v.decision in outcomes:
        outcome = outcomes[v.decision].format(first=first, second=second)
        return _plain(outcome) if _no_region(v) else outcome
    if v.decision == "borderline":
        return "borderline" if v.exact else "borderline: more draws needed"
    return f"undecided: {v.cause}" if v.cause else "undecided"


def sentences(v: Verdict) -> list[str]:
    """The probabilities, each under its name, how data sets differ, the decision, the method."""
    parts = [
        _probabilities(v),
        _definition(v),
        _predictive(v),
        _spread(v),
        _mean(v),
        _decision(v),
        _cause(v),
        _method(v),
    ]
    return [part for part in parts if part]


def ropes_in_words(ropes: Ropes | Rope, metrics: Sequence[str]) -> str:
    """Regions with the metrics that they belong to: "±0.01 in tpr and ±0.02 in fpr"."""
    if isinstance(ropes, Rope):
        return str(ropes)
    names = metrics or [f"metric {j + 1}" for j in range(len(ropes))]
    where: dict[Rope, list[str]] = {}
    for name, rope in zip(names, ropes, strict=True):
        where.setdefault(rope, []).append(name)
    return listed([f"{r} in {listed(ms)}" for r, ms in where.items() if not r.empty])


# -- the probabilities -------------------------------------------------------------------------


def _probabilities(v: Verdict) -> str:
    """The probabilities that decide, and what they are of."""
    taken = _opening(v)
    p = {r: probability(v.probabilities[r], v.floor) for r in _ranked(v)}
    if v.expected is not None:
        start = f"{taken}the most probable outcome on {v.target} is"
        first, *others = [f"with probability {p[r]}, that {_clause(v, r)}" for r in p]
        parts = [first.replace("with", "with posterior", 1), *others]
        return _sentence(f"{start}, {'; '.join(parts[:-1])}; and {parts[-1]}.")
    return _sentence(
        f"{taken}the posterior probability {_shares(v, p)}. All refer to the {_quantity(v)} on "
        f"{v.target} alone."
    )


def _opening(v: Verdict) -> str:
    """The metric and what counts as equivalent: the start of the first sentence."""
    of = ""
    if v.metric and isinstance(v.rope, Rope):
        of = f" in {v.metric}" + "".join(f" ({d.way})" for d in v.directions[:1])
    if _no_region(v):
        return f"{of.strip()}, " if of else ""
    within = ropes_in_words(v.rope, v.metrics)
    return f"Taking {v.within}{of} within {within} as practically equivalent, "


def _definition(v: Verdict) -> str:
    """What it is to dominate, for verdicts over several metrics."""
    if v.shape is not FOUR:
        return ""
    really = "" if _no_region(v) else "practically "
    of = f" of {listed(v.metrics)}" if v.metrics else " of the metrics"
    ways: dict[str, list[str]] = {}
    for d in v.directions:
        ways.setdefault(d.way, []).append(d.metric)
    known = [f"{way} in {listed(metrics)}" for way, metrics in ways.items()]
    return (
        f"One algorithm dominates where it is {really}better in at least one{of} and {really}"
        f"worse in none; in a trade-off each is {really}better in one of them."
    ) + (f" {_sentence(listed(known))}." if known else "")


def _predictive(v: Verdict) -> str:
    """The probabilities of what the next data set shows."""
    if v.expected is None:
        return ""
    p = {r: probability(v.expected[r]) for r in _ranked(v)}
    return f"The predictive probability {_shares(v, p)}."


def _shares(v: Verdict, p: Mapping[str, str]) -> str:
    """Probabilities, each after its outcome; the first names the target too."""
    (region, shown), *others = p.items()
    first = f"that {_clause(v, region)}{_over(v, region)} on {v.target} is {shown}"
    return _series([first, *(f"that {_clause(v, r)} {shown}" for r, shown in others)])


def _mean(v: Verdict) -> str:
    """Where the mean difference lies: its own probabilities, and its central interval."""
    over = f" over {v.unit}s" if v.expected is not None else ""
    head = f"{_quantity(v)}{over}"
    parts = []
    if v.location is not None:
        p = [f"{probability(v.location[r])} ({v.label(r)})" for r in _ranked(v)]
        parts.append(f"For the {head} the probabilities are {listed(p)}.")
    if v.mean_interval:
        several = len(v.mean_interval) > 1
        ends = listed(_in_metrics(v, [_between(i) for i in v.mean_interval]))
        parts.append(
            f"The {head} {'lie' if several else 'lies'} between {ends}"
            f"{', each' if several else ''} with probability 0.95 (positive where {v.names[1]} "
            "is better)."
        )
    return " ".join(parts)


def _spread(v: Verdict) -> str:
    """How far data sets differ, and the difference on the next one."""
    if not v.spread:
        return ""
    several = len(v.spread) > 1
    scales = listed(_in_metrics(v, [_scale(s) for s in v.spread]))
    ends = listed(_in_metrics(v, [_between(s.following) for s in v.spread]))
    return (
        f"The scale of the differences between {v.unit}s, {v.spread[0].symbol}, has posterior "
        f"median {scales}; the difference{'s' if several else ''} on {v.target} "
        f"{'lie' if several else 'lies'} between {ends}{', each' if several else ''} with "
        "predictive probability 0.95."
    )


# -- the decision ------------------------------------------------------------------------------


def _decision(v: Verdict) -> str:
    """What is decided, or that nothing is."""
    at = f"at the threshold of {v.threshold:g}"
    top, runner = v.ranked[:2]
    if v.decision == "borderline":
        return _borderline(v, at)
    if v.decision == "undecided":
        return (
            f"No decision is reached {at}; the evidence for '{v.label(top)}' over "
            f"'{v.label(runner)}' is {v.evidence}."
        )
    what = f"{_clause(v, top)} on {v.target}"
    if v.expected is not None:
        what = f"the most probable outcome on {v.target} is that {_clause(v, top)}"
    return f"Decision {at}: {what}."


def _borderline(v: Verdict, at: str) -> str:
    p, error = (part[v.ranked[0]] for part in (v.probabilities, v.errors))
    kind = "numerical error" if v.exact else "Monte Carlo standard error"
    more = "" if v.exact else "; more draws are needed"
    return (
        f"Borderline {at}: with a {kind} of {error:.1g} the largest probability, {p:.4f}, may "
        f"be on either side of it{more}."
    )


def _cause(v: Verdict) -> str:
    """Why nothing is decided."""
    return {DIFFER: _differ, EDGE: _edge, FEW: _few}[v.cause](v) if v.cause else ""


def _differ(v: Verdict) -> str:
    return (
        f"The {v.unit}s differ: {_if_known(v)} More {v.unit}s can show which outcome is the most "
        f"probable, but are not expected to raise its predictive probability to {v.threshold:g}."
    )


def _edge(v: Verdict) -> str:
    where = [
        f"{f'in {name} ' if name else ''}{_to(interval)}, is narrower than the rope and "
        f"contains its end {listed([f'{e:g}' for e in ends_within(interval, rope)])}"
        for name, interval, rope in unsettled(v)
    ]
    return (
        f"The {v.quantity} is at the edge of the rope: its central 95 % interval, "
        f"{'; and, '.join(where)}."
    )


def _few(v: Verdict) -> str:
    """Which number shows that there is too little data: the mean's, or that of the data sets."""
    for name, interval, rope in unsettled(v):
        if interval[1] - interval[0] < rope.high - rope.low:
            continue
        of = f" in {name}" if name else ""
        wide = "contains zero" if rope.empty else "is wider than the rope"
        return (
            f"There is too little data: the central 95 % interval of the {v.quantity}{of}, "
            f"{_to(interval)}, {wide}."
        )
    if v.known is None:
        return f"There is too little data for a threshold of {v.threshold:g}."
    return f"There is too little data to tell how far {v.unit}s differ: {_if_known(v)}"


def _method(v: Verdict) -> str:
    parts = [
        f"Method: {v.method}." if v.method else "",
        f"Resampling, {v.resampling}." if v.resampling else "",
        f"{_sentence(str(v.left_out))}." if v.left_out else "",
        f"Prior: {v.prior}." if v.prior else "",
    ]
    return " ".join(part for part in parts if part)


# -- pieces ------------------------------------------------------------------------------------


def _ranked(v: Verdict) -> list[str]:
    """The regions that there are, the most probable first."""
    return [r for r in v.ranked if r in v.possible]


def _clause(v: Verdict, region: str) -> str:
    """An outcome as a clause after "that"; nothing is "practically" so without a rope."""
    first, second = v.names
    clause = v.shape.clauses[region].format(first=first, second=second)
    return _plain(clause) if _no_region(v) else clause


def _plain(text: str) -> str:
    """What is so without a rope: not only "practically"."""
    return text.replace("practically ", "")


def _over(v: Verdict, region: str) -> str:
    """The other algorithm, after the one that is better: " than knn"; nothing else has one."""
    others = {"left": " than {1}", "right": " than {0}", "first": " {1}", "second": " {0}"}
    return others.get(region, "").format(*v.names)


def _no_region(v: Verdict) -> bool:
    """Whether no metric has a rope."""
    return all(r.empty for r in v.rope) if isinstance(v.rope, Ropes) else v.rope.empty


def _quantity(v: Verdict) -> str:
    return v.quantity + ("s" if v.shape is FOUR else "")


def _in_metrics(v: Verdict, values: Sequence[str]) -> list[str]:
    """Values with the metrics that they belong to, where there are several."""
    if v.shape is not FOUR:
        return list(values)
    names = v.metrics or [f"metric {j + 1}" for j in range(len(values))]
    return [f"{value} in {name}" for value, name in zip(values, names, strict=True)]


def _between(interval: Interval) -> str:
    low, high = interval
    return f"{low:.3g} and {high:.3g}"


def _to(interval: Interval) -> str:
    low, high = interval
    return f"{low:.3g} to {high:.3g}"


def _scale(s: Spread) -> str:
    return f"{s.median:.3g} (central 95 % interval {_to(s.interval)})"


def _if_known(v: Verdict) -> str:
    """How probable an outcome could become on the next data set."""
    assert v.known is not None
    low, high = (probability(p) for p in v.known.interval)
    return (
        f"if the parameters were known exactly, the most probable outcome on {v.target} would "
        f"have a probability of {probability(v.known.median)} (posterior median; central 95 % "
        f"interval {low} to {high})."
    )


def _series(parts: Sequence[str]) -> str:
    """Clauses with a comma before the last "and", where there are three or more."""
    if len(parts) < 3:
        return listed(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
