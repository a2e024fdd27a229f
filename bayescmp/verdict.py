"""Regions of practical equivalence, verdicts, posterior odds and their grades (numpy only)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from bayescmp.errors import InputError

__all__ = ["Odds", "Rope", "Verdict", "as_rope", "check_threshold", "grade", "winners"]

#: What is decided when a region's probability reaches the threshold.
DECISIONS = {"left": "first", "rope": "equivalent", "right": "second"}

#: Upper ends of the grades of evidence (Corani et al. 2017, section 3.3).
GRADES = ((3.0, "weak"), (20.0, "positive"), (math.inf, "strong"))


@dataclass(frozen=True)
class Rope:
    """Region of practical equivalence [low, high] around zero, in units of the metric.

    Attributes
    ----------
    low, high : float
        Ends of the interval, ``low <= 0 <= high``.
    """

    low: float
    high: float

    @property
    def empty(self) -> bool:
        """Whether there is no region: both ends are zero."""
        return self.low == self.high

    @property
    def middle(self) -> float:
        """Middle of the interval; 0 for a symmetric rope."""
        return (self.low + self.high) / 2

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    def scaled(self, factor: float) -> Rope:
        """The same region with both ends multiplied by a positive factor."""
        return Rope(self.low * factor, self.high * factor)

    def swapped(self) -> Rope:
        """The region as seen when the two algorithms change places."""
        return Rope(-self.high, -self.low)

    def __str__(self) -> str:
        if self.empty:
            return "no region (rope = 0)"
        if self.low == -self.high:
            return f"±{self.high:g}"
        return f"[{self.low:g}, {self.high:g}]"


def as_rope(rope: Any) -> Rope:
    """Read a rope from a half-width, a pair or a `Rope`.

    Parameters
    ----------
    rope : float or (float, float) or Rope
        Half-width ``r >= 0`` for [-r, r], or ``(low, high)`` with ``low <= 0 <= high``.

    Returns
    -------
    Rope

    Raises
    ------
    InputError
        If it is negative, not finite, or does not hold zero.
    """
    if isinstance(rope, Rope):
        return rope
    accepted = "accepted: a half-width r >= 0, or a pair (low, high) with low <= 0 <= high"
    try:
        ends = np.asarray(rope, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"rope={rope!r} is not a number or a pair of numbers; {accepted}"
        ) from None
    if not np.all(np.isfinite(ends)):
        raise InputError(f"rope={rope!r} is not finite; {accepted}")
    if ends.ndim == 0:
        if ends < 0:
            raise InputError(f"rope={rope!r} is negative; {accepted}")
        return Rope(0.0 - float(ends), float(ends))
    if ends.shape != (2,):
        raise InputError(f"rope={rope!r} has shape {ends.shape}; {accepted}")
    low, high = (float(e) for e in ends)
    if not low <= 0 <= high:
        raise InputError(f"rope={rope!r} does not hold zero; {accepted}")
    return Rope(low, high)


def check_threshold(threshold: float) -> float:
    """Check a decision threshold: a probability over one half, at most one."""
    if not 0.5 < threshold <= 1:
        raise InputError(f"threshold={threshold!r}; accepted: over 0.5 and at most 1")
    return float(threshold)


def grade(odds: float) -> str:
    """Grade of evidence for odds of at least one.

    Parameters
    ----------
    odds : float
        Odds of the more probable region over the other.

    Returns
    -------
    str
        "weak" (1-3), "positive" (3-20) or "strong" (over 20).

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), section 3.3.
    """
    if math.isnan(odds):
        return "none"
    return next(name for end, name in GRADES if odds <= end)


@dataclass(frozen=True)
class Odds:
    """Posterior odds of one region over another.

    Attributes
    ----------
    over, under : str
        The two regions; ``value`` is P(over) / P(under).
    value : float
        The odds; NaN where neither region was seen.
    bound : {"", "over", "under"}
        Set where one of the regions has no mass that can be told from zero: the odds are then
        beyond ``value``, which is never infinite.
    """

    over: str
    under: str
    value: float
    bound: str = ""

    @property
    def favours(self) -> str:
        """The more probable of the two regions."""
        return self.under if self.value < 1 else self.over

    @property
    def grade(self) -> str:
        """Grade of the evidence for the region that is favoured."""
        return grade(max(self.value, 1 / self.value) if self.value > 0 else math.nan)

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "neither seen"
        size = self.value if self.value >= 1 else 1 / self.value
        return f"{'over ' if self.bound else ''}{size:.3g} : 1 for {self.favours} ({self.grade})"


def _odds(over: str, under: str, p: float, other: float, floor: float) -> Odds:
    """Odds with probabilities below ``floor`` replaced by it, and said to be a bound."""
    if p < floor and other < floor:
        return Odds(over, under, math.nan)
    bound = "under" if p < floor else "over" if other < floor else ""
    return Odds(over, under, max(p, floor) / max(other, floor), bound)


def winners(masses: np.ndarray) -> np.ndarray:
    """For each draw, which region's mass is the largest.

    Parameters
    ----------
    masses : ndarray of shape (..., regions)
        Probabilities of the regions, draw by draw.

    Returns
    -------
    ndarray of shape (..., regions)
        One for the largest, zero elsewhere; regions that tie share the draw equally, so that
        swapping the algorithms swaps the shares.
    """
    best = masses == masses.max(axis=-1, keepdims=True)
    return best / best.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class Verdict:
    """Probabilities of named regions, and what follows from them.

    Attributes
    ----------
    probabilities : mapping of str to float
        Region to probability; they sum to one. For two algorithms and one metric the regions are
        "left" (the first is practically better), "rope" and "right" (the second is).
    errors : mapping of str to float
        Monte Carlo standard errors, or the numerical error where ``exact``.
    names : (str, str)
        The first and the second algorithm.
    rope : Rope
        The region of practical equivalence.
    threshold : float
        Probability at which a region is decided for.
    floor : float
        The smallest probability that can be told from zero: one over the number of draws.
    exact : bool
        Whether the probabilities come without Monte Carlo error.
    expected : mapping of str to float or None
        Posterior means of the regions' masses.
    location : mapping of str to float or None
        Probabilities that the mean difference itself lies in each region.
    method, metric, target, prior : str
        What was fitted, to which metric, what the probabilities speak of ("a new data set"), and
        under which prior.
    """

    probabilities: Mapping[str, float]
    errors: Mapping[str, float]
    names: tuple[str, str]
    rope: Rope
    threshold: float = 0.95
    floor: float = 0.0
    exact: bool = False
    expected: Mapping[str, float] | None = None
    location: Mapping[str, float] | None = None
    method: str = ""
    metric: str = ""
    target: str = "a new data set"
    prior: str = ""
    decisions: Mapping[str, str] = field(default_factory=lambda: DECISIONS, repr=False)

    @property
    def p_left(self) -> float:
        """Probability that the first algorithm is practically better."""
        return self.probabilities["left"]

    @property
    def p_rope(self) -> float:
        """Probability of practical equivalence."""
        return self.probabilities["rope"]

    @property
    def p_right(self) -> float:
        """Probability that the second algorithm is practically better."""
        return self.probabilities["right"]

    @property
    def decision(self) -> str:
        """What is decided at the threshold: first, equivalent, second; else undecided."""
        region = self._ranked[0]
        reached = self.probabilities[region] >= self.threshold
        return self.decisions[region] if reached else "undecided"

    @property
    def odds(self) -> dict[tuple[str, str], Odds]:
        """Posterior odds of each pair of regions, in the regions' order.

        The rope is left out where it is empty: its probability is zero by definition then.
        """
        p = self.probabilities
        regions = [r for r in p if not (r == "rope" and self.rope.empty)]
        return {(a, b): _odds(a, b, p[a], p[b], self.floor) for a, b in combinations(regions, 2)}

    @property
    def evidence(self) -> str:
        """Grade of the odds of the most probable region over the next: weak, positive, strong."""
        first, second = self._ranked[:2]
        pairs = self.odds
        found = pairs.get((first, second)) or pairs.get((second, first))
        return found.grade if found is not None else "none"

    @property
    def _ranked(self) -> list[str]:
        return sorted(self.probabilities, key=lambda r: -self.probabilities[r])

    def label(self, region: str) -> str:
        """A region in words, with the algorithms' names."""
        first, second = self.names
        words = {"left": f"{first} better", "rope": "equivalent", "right": f"{second} better"}
        return words.get(region, region.replace("_", " "))

    def odds_in_words(self) -> list[str]:
        """The posterior odds of each pair of regions, the more probable first, with its grade."""
        told = []
        for (a, b), odds in self.odds.items():
            if math.isnan(odds.value):
                told.append(f"{self.label(a)} : {self.label(b)}, neither seen")
                continue
            other = b if odds.favours == a else a
            size = max(odds.value, 1 / odds.value)
            over = "over " if odds.bound else ""
            told.append(
                f"{self.label(odds.favours)} : {self.label(other)} = {over}{size:.3g} "
                f"({odds.grade})"
            )
        return told

    def swapped(self) -> Verdict:
        """The same verdict with the two algorithms in the other order."""
        return _swap(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and strings, for JSON."""
        pairs = [
            {"over": o.over, "under": o.under, "value": None if math.isnan(o.value) else o.value,
             "bound": o.bound, "grade": o.grade}
            for o in self.odds.values()
        ]  # fmt: skip
        return {
            "names": list(self.names), "metric": self.metric, "method": self.method,
            "rope": [self.rope.low, self.rope.high], "threshold": self.threshold,
            "probabilities": dict(self.probabilities), "errors": dict(self.errors),
            "exact": self.exact, "decision": self.decision, "evidence": self.evidence,
            "odds": pairs, "prior": self.prior,
            "expected_masses": dict(self.expected) if self.expected else None,
            "location": dict(self.location) if self.location else None,
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [
            f"{self.label(region):>{self._width}}  {_percent(p, self.floor)}"
            f"  ± {self.errors[region]:.1g}"
            for region, p in self.probabilities.items()
        ]
        return "\n".join([*lines, f"{'decision':>{self._width}}  {self._decision_in_words()}"])

    @property
    def _width(self) -> int:
        return max(len(self.label(r)) for r in self.probabilities)

    def _decision_in_words(self) -> str:
        winner = {"first": f"{self.names[0]} is practically better",
                  "second": f"{self.names[1]} is practically better",
                  "equivalent": "practically equivalent"}  # fmt: skip
        told = winner.get(self.decision, self.decision)
        return f"{told} (threshold {self.threshold:g}, evidence {self.evidence})"

    def explain(self) -> str:
        """Two or three plain sentences for a paper.

        Returns
        -------
        str
            What the probabilities say, with rope, threshold and prior in the text, and no claim
            that they do not carry.
        """
        return " ".join(_sentences(self))


def _percent(p: float, floor: float) -> str:
    """A probability at four digits, or the bound that zero and one stand for."""
    shown = max(floor, 1e-4)
    if p < shown:
        return f"<{shown:.4f}"
    return f">{1 - shown:.4f}" if p > 1 - shown else f" {p:.4f}"


def _swap(v: Verdict) -> Verdict:
    other = {"left": "right", "right": "left"}

    def turn(m: Mapping[str, float] | None) -> Any:
        return None if m is None else {r: m[other.get(r, r)] for r in m}

    return replace(
        v, probabilities=turn(v.probabilities), errors=turn(v.errors), expected=turn(v.expected),
        location=turn(v.location), names=(v.names[1], v.names[0]), rope=v.rope.swapped(),
    )  # fmt: skip


def _sentences(v: Verdict) -> list[str]:
    first, second = v.names
    of = f" in {v.metric}" if v.metric else ""
    told = {r: _percent(p, v.floor).strip() for r, p in v.probabilities.items()}
    if v.rope.empty:
        head = (f"The probability that {second} is better than {first}{of} on {v.target} is "
                f"{told['right']}, and that it is worse {told['left']}.")  # fmt: skip
    else:
        head = (
            f"Taking differences{of} within {v.rope} as practically equivalent, the probability "
            f"that {second} is practically better than {first} on {v.target} is {told['right']}, "
            f"that the two are practically equivalent {told['rope']}, and that {first} is "
            f"practically better {told['left']}."
        )
    return [head, _decision_sentence(v), _method_sentence(v)]


def _decision_sentence(v: Verdict) -> str:
    at = f"at the threshold of {v.threshold:g}"
    words = {"first": f"{v.names[0]} is declared practically better {at}.",
             "second": f"{v.names[1]} is declared practically better {at}.",
             "equivalent": f"The two are declared practically equivalent {at}."}  # fmt: skip
    if v.rope.empty:
        words = {k: s.replace("practically ", "") for k, s in words.items()}
    if v.decision in words:
        text = words[v.decision]
        return text[0].upper() + text[1:] if text.startswith("The") else text
    top, runner = v._ranked[:2]
    return (
        f"No decision is reached {at}; the evidence for '{v.label(top)}' over "
        f"'{v.label(runner)}' is {v.evidence}."
    )


def _method_sentence(v: Verdict) -> str:
    how = v.method or "Bayesian comparison"
    return f"({_meaning(v)}{how}; prior: {v.prior}.)" if v.prior else f"({_meaning(v)}{how}.)"


def _meaning(v: Verdict) -> str:
    """What the probabilities are of, where it is not the regions' own masses."""
    if v.expected is None:
        return ""
    masses = ", ".join(
        f"{_percent(m, 0).strip()} ({v.label(r)})"
        for r, m in v.expected.items()
        if not (r == "rope" and v.rope.empty)
    )
    return (
        f"Each is the posterior probability that this outcome is the most probable one on "
        f"{v.target}; the outcomes' own expected probabilities there are {masses}. "
    )
