"""Verdicts: probabilities of named regions, and the decisions and causes that they imply.

For a test over data sets, three probabilities are kept apart:

- the *most probable outcome*: the share of the posterior in which a region is the most probable
  one on a new data set. It decides (Corani et al. 2017, section 3.3);
- the *predictive* probability that the difference on a new data set lies in a region;
- the probability that the *mean* difference over data sets lies in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import text, validate_params
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, as_facts
from bayescmp.present.forms import Summarised
from bayescmp.results.limits import RopeLimits
from bayescmp.results.regions import Shape, shape_of
from bayescmp.scores.metrics import Direction, are_ratios
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import (
    Rope,
    Ropes,
)

# Facts in addition to a verdict's probabilities: intervals, and how far data sets differ.


#: Lower and upper bound of a central 95% interval.
Interval = tuple[float, float]


def lead_of(draws: np.ndarray) -> dict[str, Any]:
    """Return median and central 95% interval of draws of differences, as a verdict keeps them.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.results.verdict import lead_of
    >>> lead_of(np.linspace(0, 1, 201)[:, None])
    {'estimate': (0.5,), 'mean_interval': ((0.025, 0.975),)}
    """
    flat = draws.reshape(-1, draws.shape[-1])
    low, middle, high = np.quantile(flat, [0.025, 0.5, 0.975], axis=0).tolist()
    return {"estimate": tuple(middle), "mean_interval": tuple(zip(low, high, strict=True))}


def swap_interval(interval: Interval) -> Interval:
    """Reverse the interval of a difference, as the two algorithms change places."""
    low, high = interval
    return -high, -low


@dataclass(frozen=True)
class DatasetSpread:
    """The spread of data sets in one metric, and the prediction for a new data set.

    Attributes
    ----------
    median, interval : float, (float, float)
        Posterior median and central 95% interval of the scale of differences (σ0, or τ of a
        metric).
    following : (float, float)
        Central 95% interval of the difference on a new data set (predictive).
    symbol : str
        What the model calls the scale.
    """

    median: float
    interval: Interval
    following: Interval
    symbol: str = "σ0"

    def swapped(self) -> DatasetSpread:
        """Return the spread with the two algorithms in the other order."""
        return replace(self, following=swap_interval(self.following))

    def to_dict(self) -> Json:
        """Return plain numbers and strings, for JSON."""
        return as_facts(self, "symbol", "median", "interval", next=self.following)


@dataclass(frozen=True)
class IfKnown:
    """The most probable outcome's probability on a new data set if the parameters were known.

    The largest of the regions' masses: what any number of further data sets could reach.

    Attributes
    ----------
    median, interval : float, (float, float)
        Posterior median, and central 95% interval.
    """

    median: float
    interval: Interval

    @classmethod
    def from_masses(cls, masses: np.ndarray) -> IfKnown:
        """Summarise draws of the regions' masses, shape (..., regions)."""
        largest = reduce(np.maximum, np.moveaxis(masses, -1, 0))  # far faster than along it
        low, middle, high = np.quantile(largest, [0.025, 0.5, 0.975])
        return cls(float(middle), (float(low), float(high)))

    def to_dict(self) -> Json:
        """Return plain numbers, for JSON."""
        return as_facts(self, "median", "interval")


# Posterior odds of two regions, and the grade of evidence that they carry.


#: Upper bounds of the grades of evidence (Corani et al. 2017, section 3.3).
GRADES = ((3.0, "weak"), (20.0, "positive"), (math.inf, "strong"))

#: Probabilities below this are rounding.
ROUNDING = 1e-15


def grade(odds: float) -> str:
    """Grade odds: "weak" 1-3, "positive" 3-20, "strong" over 20 (Corani et al. 2017, sec. 3.3)."""
    if math.isnan(odds):
        return "none"
    return next(name for end, name in GRADES if odds <= end)


@dataclass(frozen=True)
class Odds:
    """Posterior odds of one region over another.

    Attributes
    ----------
    over, under : str
        The two regions.
    value : float
        P(over) / P(under), NaN if neither region was seen.
    bound : {"", "over", "under"}
        Set if one has no mass distinguishable from zero: the odds are then beyond ``value``.
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
    def size(self) -> float:
        """The odds of the region that is favoured, at least one."""
        return max(self.value, 1 / self.value) if self.value > 0 else math.nan

    @property
    def grade(self) -> str:
        """Grade of the evidence for the region that is favoured."""
        return grade(self.size)

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "neither seen"
        return (
            f"{'over ' if self.bound else ''}{self.size:.3g} : 1 for {self.favours} ({self.grade})"
        )


def odds_of(over: str, under: str, p: float, other: float, floor: float) -> Odds:
    """Return odds; they are a bound where ``floor``, or rounding, replaces a probability."""
    floor = max(floor, ROUNDING)
    if p < floor and other < floor:
        return Odds(over, under, math.nan)
    bound = "under" if p < floor else "over" if other < floor else ""
    return Odds(over, under, max(p, floor) / max(other, floor), bound)


# Why a verdict is undecided: too little data, data sets that differ, or the edge of the ROPE.


FEW, DIFFER, EDGE = "too little data", "data sets differ", "edge of the ROPE"


def cause_of(v: Verdict) -> str:
    """Return why the verdict is undecided; "" if it is not, or if nothing shows why.

    `DIFFER`: with known parameters, the most probable outcome on a new data set would stay below
    the threshold, with probability 0.975 or more. `EDGE`: the mean difference is known more
    closely than the ROPE is wide, and lies at a bound of it. `FEW`: neither; more data would
    decide.
    """
    if v.decision != "undecided" or (v.known is None and not v.mean_interval):
        return ""
    if v.known is not None and v.known.interval[1] < v.threshold:
        return DIFFER
    open_ = list(find_unsettled_metrics(v))
    narrow = [high - low < rope.width for _, (low, high), rope in open_]
    return EDGE if open_ and all(narrow) else FEW


def find_unsettled_metrics(v: Verdict) -> Iterator[tuple[str, Interval, Rope]]:
    """Yield metrics whose mean difference may be on either side of a bound of the ROPE."""
    ropes = v.rope if isinstance(v.rope, Ropes) else (v.rope,)
    names = v.metrics if isinstance(v.rope, Ropes) and v.metrics else [""] * len(ropes)
    for name, interval, rope in zip(names, v.mean_interval, ropes, strict=False):
        if ends_within(interval, rope):
            yield name, interval, rope


def ends_within(interval: Interval, rope: Rope) -> list[float]:
    """Return the bounds of the ROPE inside the interval; zero if there is no ROPE."""
    low, high = interval
    return [e + 0.0 for e in dict.fromkeys((rope.low, rope.high)) if low < e < high]


# Forms for JSON, tables and plots.


def frame_of(verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Make a table of verdicts by the same metrics, one row per verdict; see `Verdict.frame`."""
    verdicts = list(verdicts)
    rows = [
        {
            "first": v.names[0],
            "second": v.names[1],
            **{f"p_{r}": p for r, p in v.probabilities.items()},
            **{f"se_{r}": error for r, error in v.errors.items()},
            **{f"predictive_{r}": p for r, p in (v.expected or {}).items()},
            "decision": v.decision,
            "most_probable": v.ranked[0],
            "evidence": v.evidence,
        }
        for v in verdicts
    ]
    return pd.DataFrame(rows).rename_axis(columns=verdicts[0].measured or None)


def check_threshold(threshold: float, name: str = "threshold") -> float:
    """Check a decision threshold: a probability over one half, at most one."""
    number = isinstance(threshold, Real) and not isinstance(threshold, bool | np.bool_)
    if not number or not 0.5 < threshold <= 1:
        hint = f"Did you mean {threshold / 100:g}?" if number and 50 < threshold <= 100 else ""
        raise must_be(name, "over 0.5 and at most 1", threshold, hint)
    return float(threshold)


def winners(masses: np.ndarray) -> np.ndarray:
    """Mark the region with the largest of `masses` (..., regions) for each draw; ties share it."""
    best = masses == masses.max(axis=-1, keepdims=True)
    return best / best.sum(axis=-1, keepdims=True)


#: Standard errors from the threshold beyond which no more draws are needed.
CLEAR = 4

#: Fields of a verdict that have a number for each region.
MASSES = (
    "probabilities",
    "errors",
    "expected",
    "location",
    "expected_errors",
    "location_errors",
)


@dataclass(frozen=True, repr=False)
class Verdict(Record, Summarised):
    """Probabilities of named regions, and the verdict that they imply.

    Attributes
    ----------
    probabilities : mapping of str to float
        Region to the probability that decides; they sum to one. With ``expected``, it is the share
        of the posterior in which the region is the most probable outcome on ``target`` (Corani et
        al. 2017, section 3.3); else the posterior probability that the ``quantity`` lies in it.
        The regions are "left" (the first is practically better), "rope" and "right"; for several
        metrics "equivalent" (in all), "first" (practically better in at least one, practically
        worse in none), "second" likewise, and "trade_off".
    errors : mapping of str to float
        Monte Carlo standard errors, or the numerical error if ``exact``.
    names : (str, str)
    rope : Rope or Ropes
        Of each metric.
    threshold : float
        Probability that a region has to exceed, by two standard errors, for a decision.
    floor : float
        The smallest probability that can be distinguished from zero: one over the number of draws.
    exact : bool
        Whether the probabilities come without Monte Carlo error.
    expected, location : mapping of str to float or None
        Predictive probabilities on ``target``, and those of the mean difference over data sets.
    expected_errors, location_errors : mapping of str to float or None
        Errors of these two, if known.
    method, metric, target, prior : str
        The model, its metric, the subject of the probabilities ("a new data set"), and the prior.
    metrics : tuple of str
        The metrics, if there are several.
    quantity : str
        What intervals, and on one data set probabilities, are about: "mean difference".
    mean_interval, estimate : tuple of (float, float), of float
        Its central 95% interval and posterior median, one per metric; empty if not known.
    spread : tuple of DatasetSpread
        How far data sets differ, one per metric; empty for tests of one data set.
    known : IfKnown or None
        The most probable outcome's probability if the parameters were known.
    directions, resampling, pairing, left_out, unit
        As of `Fitted`.
    within : str
        What lies in the ROPE: "differences".
    limits : RopeLimits or None
        Without a ROPE, those for which more could be said.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = bc.Differences([0.01, 0.03, 0.02, -0.01], rho=0.1, names=("knn", "gbm"))
    >>> verdict = bc.bayesian.correlated_t(x, rope=0.01).verdict()
    >>> verdict.decision, verdict.cause
    ('undecided', 'too little data')
    >>> verdict.label("right"), verdict.odds["rope", "right"].grade
    ('gbm better', 'weak')
    """

    probabilities: Mapping[str, float]
    errors: Mapping[str, float]
    names: tuple[str, str]
    rope: Rope | Ropes
    threshold: float = 0.95
    floor: float = 0.0
    exact: bool = False
    expected: Mapping[str, float] | None = None
    location: Mapping[str, float] | None = None
    method: str = ""
    metric: str = ""
    target: str = "a new data set"
    prior: str = ""
    metrics: tuple[str, ...] = ()
    quantity: str = "mean difference"
    mean_interval: tuple[Interval, ...] = ()
    estimate: tuple[float, ...] = ()
    spread: tuple[DatasetSpread, ...] = ()
    known: IfKnown | None = None
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    pairing: str = ""
    left_out: LeftOut | None = None
    unit: str = "data set"
    within: str = "differences"
    expected_errors: Mapping[str, float] | None = None
    location_errors: Mapping[str, float] | None = None
    limits: RopeLimits | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.cause, self.measured, self.of_ratios  # and what they use: printing only reads

    @classmethod
    def of(
        cls,
        shape: Shape,
        probabilities: Iterable[float],
        errors: Iterable[float],
        **facts: Any,
    ) -> Verdict:
        """Make a verdict from numbers by region, in the shape's order; `facts` are attributes."""
        given = {"probabilities": probabilities, "errors": errors, **facts}
        masses = {n: shape.key_by_region(given[n]) for n in MASSES if given.get(n) is not None}
        return cls(**given | masses)

    @cached_property
    def shape(self) -> Shape:
        """The regions and their names."""
        return shape_of(self.probabilities, side_of(self.rope))

    @property
    def p_left(self) -> float:
        """Probability that the first algorithm is practically better (one metric)."""
        return self._probability_of("left")

    @property
    def p_rope(self) -> float:
        """Probability of practical equivalence (one metric)."""
        return self._probability_of("rope")

    @property
    def p_right(self) -> float:
        """Probability that the second algorithm is practically better (one metric)."""
        return self._probability_of("right")

    def _probability_of(self, region: str) -> float:
        if region not in self.probabilities:
            raise AttributeError(
                f"this verdict has no region {region!r}: its probabilities are of "
                f"{', '.join(self.probabilities)}"
            )
        return self.probabilities[region]

    @cached_property
    def decision(self) -> str:
        """The outcome at the threshold, with an allowance for the probability's own error.

        "first", "equivalent", "second", "trade-off" (several metrics) or "not worse" (one infinite
        bound), if the largest probability minus two standard errors reaches the threshold;
        "borderline" if it is within two standard errors of it; else "undecided".
        """
        region = self.ranked[0]
        p, error = self.probabilities[region], 2 * self.errors.get(region, 0.0)
        if p - error >= self.threshold:
            return self.shape.decisions[region]
        return "borderline" if p + error >= self.threshold else "undecided"

    @property
    def decided(self) -> bool:
        """Whether anything is decided."""
        return self.decision in self.shape.decisions.values()

    @property
    def is_clear(self) -> bool:
        """Whether the largest probability is over four standard errors from the threshold."""
        region = self.ranked[0]
        return abs(self.probabilities[region] - self.threshold) > CLEAR * self.errors[region]

    @cached_property
    def cause(self) -> str:
        """Why undecided: "too little data", "data sets differ", "edge of the ROPE", or ""."""
        return cause_of(self)

    @cached_property
    def measured(self) -> str:
        """The metric with its direction: "accuracy ↑", "tpr ↑, fpr ↓"; "" if not known."""
        return ", ".join(map(str, self.directions)) or self.metric

    @cached_property
    def of_ratios(self) -> bool:
        """Whether the differences are those of logarithms."""
        return are_ratios(self.directions)

    @property
    def decides(self) -> str:
        """The name of the quantity whose probabilities decide."""
        return self.quantity if self.expected is None else "most probable outcome"

    @property
    def odds(self) -> dict[tuple[str, str], Odds]:
        """Posterior odds of each pair of (possible) regions, in the regions' order."""
        p = self.probabilities
        return {
            (a, b): odds_of(a, b, p[a], p[b], self.floor)
            for a, b in combinations(self.possible, 2)
        }

    @property
    def evidence(self) -> str:
        """Grade of the odds of the most probable region over the next: weak, positive, strong."""
        first, second = self.ranked[:2]
        pairs = self.odds
        odds = pairs.get((first, second)) or pairs.get((second, first))
        return odds.grade if odds is not None else "none"

    @cached_property
    def ranked(self) -> list[str]:
        """The regions, the most probable first."""
        possible = self.possible
        return sorted(
            self.probabilities, key=lambda r: (-self.probabilities[r], r not in possible)
        )

    @cached_property
    def possible(self) -> list[str]:
        """The regions in order, without those that cannot be (equivalence without a ROPE)."""
        shape = self.shape
        gone = {*shape.impossible, *((shape.within,) if self.rope.empty else ())}
        return [r for r in self.probabilities if r not in gone]

    @validate_params(region=text)
    def label(self, region: str) -> str:
        """Return a region in words, with the algorithms' names."""
        from bayescmp.wording.regions import LABELS, fill_in

        known = region in self.shape.regions
        return fill_in(LABELS, self.shape.name, region, self.names) if known else region

    def swapped(self) -> Verdict:
        """Return the verdict with the two algorithms in the other order."""
        other = self.shape.mirror
        masses = {name: getattr(self, name) for name in MASSES}
        turned: dict[str, Any] = {
            name: mass and {region: mass[other.get(region, region)] for region in mass}
            for name, mass in masses.items()
        }
        return replace(
            self,
            **turned,
            names=(self.names[1], self.names[0]),
            rope=self.rope.swapped(),
            mean_interval=tuple(map(swap_interval, self.mean_interval)),
            estimate=tuple(-value for value in self.estimate),
            spread=tuple(spread.swapped() for spread in self.spread),
        )

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        from bayescmp.summaries.verdict import write_headline

        kept = "names metric directions pairing resampling left_out method threshold target "
        kept += "probabilities errors exact decision cause evidence prior mean_interval estimate "
        kept += "spread known limits"
        pairs = ("over", "under", "value", "bound", "grade")
        return as_facts(
            self,
            *kept.split(),
            *(["metrics"] if self.metrics else []),
            rope=self.rope.ends,
            quantity=self.decides,
            headline=write_headline(self),
            odds=[as_facts(odds, *pairs) for odds in self.odds.values()],
            predictive=self.expected,
            predictive_errors=self.expected_errors,
            mean=self.location,
            mean_errors=self.location_errors,
        )

    @property
    def frame(self) -> pd.DataFrame:
        """The verdict as a row, unrounded.

        first, second; ``p_``, ``se_`` (what decides) and, if there are several data sets,
        ``predictive_`` of each region; decision, most_probable, evidence.
        """
        return frame_of([self])


def side_of(rope: Rope | Ropes) -> str:
    """Name the end of all ropes that is finite, where the other is infinite; else ""."""
    if not rope.one_sided:
        return ""
    return "low" if np.all(np.isinf(rope.high)) else "high"
