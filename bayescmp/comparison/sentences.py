"""What many verdicts say together: who leads, what stays open and why, what can't be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from bayescmp.text import counted, listed, plus_minus, probability
from bayescmp.verdict.cause import DIFFER, EDGE, FEW

if TYPE_CHECKING:
    from bayescmp.comparison.results import Comparisons, Pair
    from bayescmp.verdict import Verdict

__all__ = [
    "Open",
    "best",
    "explained",
    "intransitive",
    "leads",
    "named",
    "open_pairs",
    "setting",
    "together",
    "warning",
]

#: Names, and pairs, that a sentence lists; the others are counted.
MOST = 6
#: What would settle a pair that is undecided for a reason.
ADVICE = {
    FEW: "more data sets, or more repetitions on each, would help",
    DIFFER: "which algorithm is better depends on the data set; more data sets show which outcome "
    "is the most frequent, not which the next one has",
    EDGE: "the difference lies at an end of the rope, and whether it matters is a judgement",
    "borderline": "within Monte Carlo error of the threshold; more draws would decide",
    "": "no single reason stands out",
}
SAME, UNSETTLED = "equivalent", ("undecided", "borderline")


@dataclass(frozen=True)
class Open:
    """Pairs that are undecided for one reason.

    Attributes
    ----------
    cause, advice : str
        The reason, and what would settle it.
    pairs : tuple of (str, str)
    """

    cause: str
    advice: str
    pairs: tuple[Pair, ...]

    @property
    def count(self) -> str:
        """How many: "3 pairs"."""
        return counted(len(self.pairs), "pair")


def leads(comparisons: Comparisons) -> str:
    """How the first in order does against each of the others."""
    leader, *others = comparisons.order
    against: dict[str, list[str]] = {}
    for name in others:
        against.setdefault(_decision(comparisons, leader, name), []).append(name)
    phrases = {
        "first": "practically better than",
        SAME: "practically equivalent to",
        "second": "practically worse than",
        "undecided": "undecided against",
        "failed": "not compared with",
    }
    if comparisons.rope.empty:
        phrases |= {"first": "better than", "second": "worse than"}
    results = [f"{words} {named(against[k])}" for k, words in phrases.items() if k in against]
    if not {"first", SAME} & set(against):  # an order is no lead
        return f"No lead is decided: {leader} comes first in order, {'; '.join(results)}."
    return f"{leader} leads: {'; '.join(results)}."


def _decision(comparisons: Comparisons, first: str, second: str) -> str:
    if not {(first, second), (second, first)} & set(comparisons.results):
        return "failed"
    decision = comparisons.verdict(first, second).decision
    return "undecided" if decision in UNSETTLED else decision


def named(names: Sequence[str]) -> str:
    """Names with commas; of many the first ones, and how many more."""
    if len(names) <= MOST + 1:
        return listed(list(names))
    return listed([*names[:MOST], f"{len(names) - MOST} more"])


def best(comparisons: Comparisons) -> str:
    """The likeliest to be best on the next data set and on average, where that was asked."""
    posterior = comparisons.best
    if posterior is None:
        return ""
    likeliest = []
    for on in posterior.targets:
        chances = posterior.best(on)
        name = max(chances, key=lambda n: chances[n])
        chance = f"{probability(chances[name])} {plus_minus(posterior.best_errors(on)[name])}"
        likeliest.append(f"{posterior.spoken[on]}: {name} ({chance.rstrip()})")
    parts = [f"Likeliest to be best {'; '.join(likeliest)}. By the {posterior.method}."]
    return " ".join([*parts, posterior.caveat]).rstrip()


def open_pairs(comparisons: Comparisons) -> list[Open]:
    """Undecided pairs by cause, the most frequent first, with what would settle them."""
    causes: dict[str, list[Pair]] = {}
    for pair, result in comparisons.results.items():
        if result.verdict.decision in UNSETTLED:
            causes.setdefault(_cause(result.verdict), []).append(pair)
    return [
        Open(cause or "undecided", ADVICE[cause], tuple(pairs))
        for cause, pairs in sorted(causes.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def _cause(verdict: Verdict) -> str:
    return "borderline" if verdict.decision == "borderline" else verdict.cause or ""


def warning(comparisons: Comparisons) -> str:
    """How many pairs can't be trusted, and how many could not be compared; "" if none."""
    failed = len(comparisons.failures)
    doubtful = sum(bool(result.trouble) for result in comparisons.results.values())
    pairs = counted(len(comparisons), "pair")
    counts = [f"{failed} of {pairs} could not be compared"] if failed else []
    return "; ".join([*counts, *([f"{doubtful} of {pairs} can't be trusted"] if doubtful else [])])


def intransitive(comparisons: Comparisons) -> list[tuple[str, str, str]]:
    """Each (a, b, c) where a is better than b, b better than c, and a not better than c.

    Decided otherwise, that is: worse, which closes a circle and is given once, or equivalent.
    """
    pairs = permutations(comparisons.order, 2)
    decisions = {(a, b): _decision(comparisons, a, b) for a, b in pairs}
    better = {
        a: [b for b in comparisons.order if decisions.get((a, b)) == "first"]
        for a in comparisons.order
    }
    kept: dict[frozenset[str], tuple[str, str, str]] = {}
    for a, below in better.items():
        for chain in [(a, b, c) for b in below for c in better[b]]:
            if decisions[a, chain[2]] in (SAME, "second"):
                kept.setdefault(frozenset(chain), chain)
    return list(kept.values())


def together(comparisons: Comparisons) -> str:
    """What the decisions of pairs do not say of all algorithms at once; "" of a single pair."""
    if len(comparisons.results) < 2:
        return ""
    text = "Each pair is judged by its own posterior: the decisions are not a joint statement"
    odd = intransitive(comparisons)
    if not odd:
        return f"{text}."
    turns = {SAME: "{a} is equivalent to {c}", "second": "{c} is better than {a}"}
    chains = [
        f"{a} is better than {b} and {b} than {c}, yet "
        + turns[_decision(comparisons, a, c)].format(a=a, c=c)
        for a, b, c in odd[:MOST]
    ]
    more = f"; and {len(odd) - MOST} more" if len(odd) > MOST else ""
    return f"{text}, and not transitive: {'; '.join(chains)}{more}."


def setting(comparisons: Comparisons) -> str:
    """By what the pairs were compared: metric, tests, rope, threshold, prior."""
    verdicts = [result.verdict for result in comparisons.results.values()]
    tests = dict.fromkeys(v.method for v in verdicts if v.method)
    priors = dict.fromkeys(v.prior for v in verdicts if v.prior)
    texts = [
        f"{comparisons.measured or 'scores'} by the {listed([*tests]) or 'test'}",
        "no rope" if comparisons.rope.empty else f"rope {comparisons.rope}",
        *(f"threshold {t:g}" for t in dict.fromkeys(v.threshold for v in verdicts)),
        *(f"prior {p}" for p in priors if len(priors) == 1),
    ]
    return ", ".join(texts)


def explained(comparisons: Comparisons) -> str:
    """All of it, as sentences for a paper."""
    decisions = [result.verdict.decision for result in comparisons.results.values()]
    better = decisions.count("first") + decisions.count("second")
    counts = [f"one is better in {better}"]
    if not comparisons.rope.empty:
        counts.append(f"the two are practically equivalent in {decisions.count(SAME)}")
    counts.append(f"undecided {sum(d in UNSETTLED for d in decisions)}")
    open_ = "; ".join(f"{o.count} ({o.cause}: {o.advice})" for o in open_pairs(comparisons))
    texts = [
        f"Verdicts in {setting(comparisons)}.",
        leads(comparisons),
        f"Of {counted(len(comparisons), 'pair')}: {', '.join(counts)}.",
        together(comparisons),
        best(comparisons),
        f"Open: {open_}." if open_ else "",
        f"Caution: {text}." if (text := warning(comparisons)) else "",
    ]
    return " ".join(text for text in texts if text)
