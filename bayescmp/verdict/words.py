"""Verdicts in words: a line for the screen, sentences for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescmp.verdict.rope import Rope, Ropes
from bayescmp.verdict.shapes import FOUR

if TYPE_CHECKING:
    from bayescmp.verdict.core import Verdict

__all__ = ["decision", "listed", "percent", "ropes_in_words", "sentences"]


def percent(p: float, floor: float) -> str:
    """A probability at four digits, or the bound that zero and one stand for."""
    shown = max(floor, 1e-4)
    if p < shown:
        return f"<{shown:.4f}"
    return f">{1 - shown:.4f}" if p > 1 - shown else f" {p:.4f}"


def decision(v: Verdict) -> str:
    """What is decided, with the threshold and the evidence, in one line."""
    first, second = v.names
    outcomes = {d: v.shape.outcomes[r] for r, d in v.shape.decisions.items()}
    told = outcomes.get(v.decision, v.decision).format(first=first, second=second)
    return f"{told} (threshold {v.threshold:g}, evidence {v.evidence})"


def sentences(v: Verdict) -> list[str]:
    """What the probabilities say, what is decided, and how they were come by."""
    head = _head_of_four(v) if v.shape is FOUR else _head_of_three(v)
    return [head, _decision_sentence(v), _method_sentence(v)]


def listed(items: Sequence[str], last: str = "and") -> str:
    """Items with commas, and a word before the last."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def ropes_in_words(ropes: Ropes | Rope, metrics: Sequence[str]) -> str:
    """Regions with the metrics that they belong to: "±0.01 in tpr and ±0.02 in fpr"."""
    if isinstance(ropes, Rope):
        return str(ropes)
    names = metrics or [f"metric {j + 1}" for j in range(len(ropes))]
    where: dict[Rope, list[str]] = {}
    for name, rope in zip(names, ropes, strict=True):
        where.setdefault(rope, []).append(name)
    return listed([f"{r} in {listed(ms)}" for r, ms in where.items() if not r.empty])


def _head_of_three(v: Verdict) -> str:
    first, second = v.names
    of = f" in {v.metric}" if v.metric else ""
    told = {r: percent(p, v.floor).strip() for r, p in v.probabilities.items()}
    if v.rope.empty:
        return (f"The probability that {second} is better than {first}{of} on {v.target} is "
                f"{told['right']}, and that it is worse {told['left']}.")  # fmt: skip
    return (
        f"Taking differences{of} within {v.rope} as practically equivalent, the probability "
        f"that {second} is practically better than {first} on {v.target} is {told['right']}, "
        f"that the two are practically equivalent {told['rope']}, and that {first} is "
        f"practically better {told['left']}."
    )


def _head_of_four(v: Verdict) -> str:
    """The four probabilities; ropes that are empty are not spoken of."""
    first, second = v.names
    told = {r: percent(p, v.floor).strip() for r, p in v.probabilities.items()}
    taken = ropes_in_words(v.rope, v.metrics)
    start = f"Taking differences within {taken} as practically equivalent, the" if taken else "The"
    really = "practically " if taken else ""
    of = f" of {listed(v.metrics, 'or')}" if v.metrics else " of the metrics"
    same = (
        "" if v.rope.empty
        else f"that the two are practically equivalent in all of them {told['equivalent']}, "
    )  # fmt: skip
    return (
        f"{start} probability that {second} is {really}better than {first} on {v.target} in at "
        f"least one{of} and {really}worse in none is {told['second']}, that {first} is so over "
        f"{second} {told['first']}, {same}and that each is {really}better in one and {really}"
        f"worse in another {told['trade_off']}."
    )


def _decision_sentence(v: Verdict) -> str:
    at = f"at the threshold of {v.threshold:g}"
    first, second = v.names
    better = "declared practically better"
    if v.shape is FOUR:
        better = "declared practically better in at least one metric and practically worse in none"
    words = {"first": f"{first} is {better} {at}.", "second": f"{second} is {better} {at}.",
             "equivalent": f"The two are declared practically equivalent {at}.",
             "trade-off": "A trade-off, each practically better in one metric and worse in "
                          f"another, is declared {at}."}  # fmt: skip
    if _no_region(v):
        words = {k: s.replace("practically ", "") for k, s in words.items()}
    if v.decision in words:
        text = words[v.decision]
        return text[0].upper() + text[1:] if text.startswith("The") else text
    top, runner = v.ranked[:2]
    return (
        f"No decision is reached {at}; the evidence for '{v.label(top)}' over "
        f"'{v.label(runner)}' is {v.evidence}."
    )


def _no_region(v: Verdict) -> bool:
    """Whether no metric has a rope, so that nothing is "practically" so."""
    return all(r.empty for r in v.rope) if isinstance(v.rope, Ropes) else v.rope.empty


def _method_sentence(v: Verdict) -> str:
    how = v.method or "Bayesian comparison"
    return f"({_meaning(v)}{how}; prior: {v.prior}.)" if v.prior else f"({_meaning(v)}{how}.)"


def _meaning(v: Verdict) -> str:
    """What the probabilities are of, where it is not the regions' own masses."""
    if v.expected is None:
        return ""
    masses = ", ".join(
        f"{percent(m, 0).strip()} ({v.label(r)})"
        for r, m in v.expected.items()
        if not (r == v.shape.within and v.rope.empty)
    )
    return (
        f"Each is the posterior probability that this outcome is the most probable one on "
        f"{v.target}; the outcomes' own expected probabilities there are {masses}. "
    )
