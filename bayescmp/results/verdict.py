"""Verdicts: probabilities of named regions, what follows from them, and how that reads.

Three probabilities are kept apart, each under its own name. For a test over data sets:

- the *most probable outcome*: the share of the posterior in which a region is the most probable
  one on the next data set. It decides (Corani et al. 2017, section 3.3);
- the *predictive* probability that the difference on the next data set lies in a region;
- the probability that the *mean* difference over data sets lies in it.

A test of one data set has a single quantity, and its sentences say which.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain, combinations
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.checks import check_choice, declare, text
from bayescmp.base.deferred import Deferred, Sealed, replace_fields
from bayescmp.base.typing import Json, as_facts
from bayescmp.errors import InputError
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import (
    RATIO,
    Rope,
    Ropes,
    margins_in_words,
    rope_phrase,
    ropes_in_words,
)
from bayescmp.wording.markup import (
    Exhibit,
    Exhibited,
    add_title,
    escape,
    html_bars,
    html_facts,
)
from bayescmp.wording.regions import FOUR, Shape, shape_of
from bayescmp.wording.text import (
    as_percent,
    format_estimate,
    format_probability,
    join_items,
    sentence_of,
    with_minus_signs,
)

# Facts beside a verdict's probabilities: intervals, and how far data sets differ.


#: Lower and upper end of a central 95 % interval.
Interval = tuple[float, float]


def lead_of(draws: np.ndarray) -> dict[str, Any]:
    """Return median and central 95 % interval of draws of differences, as a verdict keeps them.

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
class Spread:
    """How far data sets differ in one metric, and what follows for the next one.

    Attributes
    ----------
    median : float
        Posterior median of the scale of the data sets' differences (σ0, or τ of a metric).
    interval : (float, float)
        Its central 95 % interval.
    following : (float, float)
        Central 95 % interval of the difference on the next data set (predictive).
    symbol : str
        What the model calls the scale.
    """

    median: float
    interval: Interval
    following: Interval
    symbol: str = "σ0"

    def swapped(self) -> Spread:
        """Return the spread with the two algorithms in the other order."""
        return replace(self, following=swap_interval(self.following))

    def to_dict(self) -> Json:
        """Return plain numbers and strings, for JSON."""
        return as_facts(self, "symbol", "median", "interval", next=self.following)


@dataclass(frozen=True)
class Known:
    """How probable the likeliest outcome on the next data set would be, were the parameters known.

    This is the largest of the regions' masses, over the posterior of the upper level's parameters:
    the predictive probability that any number of further data sets could reach.

    Attributes
    ----------
    median : float
        Posterior median.
    interval : (float, float)
        Central 95 % interval.
    """

    median: float
    interval: Interval

    @classmethod
    def from_masses(cls, masses: np.ndarray) -> Known:
        """Summarise draws of the regions' masses, shape (..., regions)."""
        largest = reduce(np.maximum, np.moveaxis(masses, -1, 0))  # far faster than along it
        low, middle, high = np.quantile(largest, [0.025, 0.5, 0.975])
        return cls(float(middle), (float(low), float(high)))

    def to_dict(self) -> Json:
        """Return plain numbers, for JSON."""
        return as_facts(self, "median", "interval")


# Posterior odds of two regions, and the grade of evidence that they carry.


#: Upper ends of the grades of evidence (Corani et al. 2017, section 3.3).
GRADES = ((3.0, "weak"), (20.0, "positive"), (math.inf, "strong"))

#: Probabilities below this are rounding.
ROUNDING = 1e-15


def grade(odds: float) -> str:
    """Grade the evidence by odds of at least one, of the more probable region over the other.

    "weak" is 1-3, "positive" 3-20 and "strong" over 20: Corani, Benavoli, Demšar, Mangili &
    Zaffalon (2017), section 3.3.
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


# Why a verdict is undecided: too little data, data sets that differ, or the edge of the rope.


FEW, DIFFER, EDGE = "too little data", "data sets differ", "edge of the rope"


def cause_of(v: Verdict) -> str:
    """Say why the verdict is undecided; "" where it is not, or where nothing shows why.

    `DIFFER`: even with the parameters known, the likeliest outcome on the next data set would
    stay below the threshold, with probability 0.975 or more. `EDGE`: the mean difference is
    known more closely than the rope is wide, and lies at an end of it. `FEW`: neither, so that
    more data would decide.
    """
    if v.decision != "undecided" or (v.known is None and not v.mean_interval):
        return ""
    if v.known is not None and v.known.interval[1] < v.threshold:
        return DIFFER
    open_ = list(find_unsettled_metrics(v))
    narrow = [high - low < rope.width for _, (low, high), rope in open_]
    return EDGE if open_ and all(narrow) else FEW


def find_unsettled_metrics(v: Verdict) -> Iterator[tuple[str, Interval, Rope]]:
    """Yield metrics whose mean difference may be on either side of an end of the rope."""
    ropes = v.rope if isinstance(v.rope, Ropes) else (v.rope,)
    names = v.metrics if isinstance(v.rope, Ropes) and v.metrics else [""] * len(ropes)
    for name, interval, rope in zip(names, v.mean_interval, ropes, strict=False):
        if ends_within(interval, rope):
            yield name, interval, rope


def ends_within(interval: Interval, rope: Rope) -> list[float]:
    """Return the ends of the rope that the interval holds; zero where there is no rope."""
    low, high = interval
    return [e + 0.0 for e in dict.fromkeys((rope.low, rope.high)) if low < e < high]


# Verdicts in words: a line for the screen, sentences for a paper.


def decision(v: Verdict) -> str:
    """Say what is decided, with the threshold and the evidence, in one line."""
    return f"{_outcome(v)} (threshold {v.threshold:g}, evidence {v.evidence})"


def _outcome(v: Verdict) -> str:
    """Say which outcome is decided for, or why there is none."""
    if v.decided:
        return _drop_practically(v, v.shape.say("outcomes", v.ranked[0], v.names))
    if v.decision == "borderline":
        return "borderline" if v.exact else "borderline: more draws needed"
    return f"undecided: {v.cause.replace('data set', v.unit)}" if v.cause else "undecided"


def sentences(v: Verdict) -> list[str]:
    """Tell the probabilities, each under its name, how data sets differ, and the decision."""
    return [text for part in chain(*_PARAGRAPHS) if (text := part(v))]


# The probabilities.


def _probabilities(v: Verdict) -> str:
    """Tell the probabilities that decide, and what they are of."""
    taken = _begin_sentence(v)
    p = {r: format_probability(v.probabilities[r], v.floor) for r in _rank_regions(v)}
    if v.expected is not None:
        start = f"{taken}the most probable outcome on {v.target} is"
        first, *others = [f"with probability {p[r]}, that {_clause(v, r)}" for r in p]
        parts = [first.replace("with", "with posterior", 1), *others]
        return sentence_of(f"{start}, {'; '.join(parts[:-1])}; and {parts[-1]}.")
    return sentence_of(
        f"{taken}the posterior probability {_shares(v, p)}. All refer to the {_quantity(v)} on "
        f"{v.target} alone."
    )


def _begin_sentence(v: Verdict) -> str:
    """Start the first sentence with the metric and what counts as equivalent."""
    in_metric = ""
    if v.metric and isinstance(v.rope, Rope):
        in_metric = f" in {v.metric}" + "".join(f" ({d.way})" for d in v.directions[:1])
    if _no_region(v):
        return f"{in_metric.strip()}, " if in_metric else ""
    if _one_sided(v):
        margin = margins_in_words(v.rope, v.measured, v.metrics)
        return f"Asking whether {_asked_of(v)} is worse{in_metric} by more than {margin}, "
    within = ropes_in_words(v.rope, v.metrics)
    if isinstance(v.rope, Rope):
        within = rope_phrase(v.rope, v.measured).removeprefix("rope ")
    return f"Taking {v.within}{in_metric} within {within} as practically equivalent, "


def _definition(v: Verdict) -> str:
    """Say what it is to dominate, for verdicts over several metrics."""
    if not _has_several_metrics(v) or _one_sided(v):
        return ""
    really = "" if _no_region(v) else "practically "
    of_metrics = f" of {join_items(v.metrics)}" if v.metrics else " of the metrics"
    ways: dict[str, list[str]] = {}
    for d in v.directions:
        ways.setdefault(d.way, []).append(d.metric)
    known = [f"{way} in {join_items(metrics)}" for way, metrics in ways.items()]
    return (
        f"One algorithm dominates where it is {really}better in at least one{of_metrics} and "
        f"{really}worse in none; in a trade-off each is {really}better in one of them."
    ) + (f" {sentence_of(join_items(known))}." if known else "")


def _predictive(v: Verdict) -> str:
    """Tell the probabilities of what the next data set shows."""
    if v.expected is None:
        return ""
    p = {r: format_probability(v.expected[r]) for r in _rank_regions(v)}
    return f"The predictive probability {_shares(v, p)}."


def _shares(v: Verdict, p: Mapping[str, str]) -> str:
    """Write probabilities, each after its outcome; the first names the target too."""
    (region, shown), *others = p.items()
    first = f"that {_clause(v, region)}{_name_other(v, region)} on {v.target} is {shown}"
    return _series([first, *(f"that {_clause(v, r)} {shown}" for r, shown in others)])


def _describe_mean(v: Verdict) -> str:
    """Say where the mean difference lies: its own probabilities, and its central interval."""
    over = f" over {v.unit}s" if v.expected is not None else ""
    head = f"{_quantity(v)}{over}"
    parts = []
    if v.location is not None:
        p = [f"{format_probability(v.location[r])} ({v.label(r)})" for r in _rank_regions(v)]
        parts.append(f"For the {head} the probabilities are {join_items(p)}.")
    if v.mean_interval:
        several = len(v.mean_interval) > 1
        ends = join_items(_in_metrics(v, [_format_range(v, i, "and") for i in v.mean_interval]))
        parts.append(
            f"The {head} {'lie' if several else 'lies'} between {ends}"
            f"{', each' if several else ''} with probability 0.95 (positive where {v.names[1]} "
            "is better)."
        )
    return " ".join(parts)


def _spread(v: Verdict) -> str:
    """Say how far data sets differ, and what the difference is on the next one."""
    if not v.spread:
        return ""
    several = len(v.spread) > 1
    scales = join_items(_in_metrics(v, [_scale(v, s) for s in v.spread]))
    ends = join_items(_in_metrics(v, [_format_range(v, s.following, "and") for s in v.spread]))
    return (
        f"The scale of the differences between {v.unit}s, {v.spread[0].symbol}, has posterior "
        f"median {scales}; the difference{'s' if several else ''} on {v.target} "
        f"{'lie' if several else 'lies'} between {ends}{', each' if several else ''} with "
        "predictive probability 0.95."
    )


# The decision.


def _decision(v: Verdict) -> str:
    """Say what is decided, or that nothing is."""
    at = f"at the threshold of {v.threshold:g}"
    top, runner = v.ranked[:2]
    if v.decision == "borderline":
        return _describe_borderline(v, at)
    if v.decision == "undecided":
        return (
            f"No decision is reached {at}; the evidence for '{v.label(top)}' over "
            f"'{v.label(runner)}' is {v.evidence}."
        )
    what = f"{_clause(v, top)} on {v.target}"
    if v.expected is not None:
        what = f"the most probable outcome on {v.target} is that {_clause(v, top)}"
    return f"Decision {at}: {what}."


def _describe_borderline(v: Verdict, at: str) -> str:
    p, error = (part[v.ranked[0]] for part in (v.probabilities, v.errors))
    kind = "numerical error" if v.exact else "Monte Carlo standard error"
    more = "" if v.exact else "; more draws are needed"
    return (
        f"Borderline {at}: with a {kind} of {error:.1g} the largest probability, {p:.4f}, may "
        f"be on either side of it{more}."
    )


def _cause(v: Verdict) -> str:
    """Say why nothing is decided."""
    return {DIFFER: _differ, EDGE: _edge, FEW: _name_imprecise}[v.cause](v) if v.cause else ""


def _differ(v: Verdict) -> str:
    return (
        f"The {v.unit}s differ: {_if_known(v)} More {v.unit}s can show which outcome is the most "
        f"probable, but are not expected to raise its predictive probability to {v.threshold:g}."
    )


def _edge(v: Verdict) -> str:
    if _one_sided(v):
        margins = [
            _end(v, end)
            for _, interval, rope in find_unsettled_metrics(v)
            for end in ends_within(interval, rope)
        ]
        return (
            f"The {v.quantity} is at the margin: its central 95 % interval contains "
            f"{join_items(margins)}."
        )
    where = [
        f"{f'in {name} ' if name else ''}{_format_range(v, interval)}, is narrower than the rope "
        f"and contains its end {join_items([_end(v, e) for e in ends_within(interval, rope)])}"
        for name, interval, rope in find_unsettled_metrics(v)
    ]
    return (
        f"The {v.quantity} is at the edge of the rope: its central 95 % interval, "
        f"{'; and, '.join(where)}."
    )


def _name_imprecise(v: Verdict) -> str:
    """Name the number that shows too little data: the mean's, or that of the data sets."""
    for name, interval, rope in find_unsettled_metrics(v):
        if interval[1] - interval[0] < rope.width:
            continue
        in_metric = f" in {name}" if name else ""
        wide = "contains zero" if rope.empty else "is wider than the rope"
        if rope.one_sided:
            wide = f"contains the margin, {_end(v, ends_within(interval, rope)[0])}"
        return (
            f"There is too little data: the central 95 % interval of the {v.quantity}{in_metric}, "
            f"{_format_range(v, interval)}, {wide}."
        )
    if v.known is None:
        return f"There is too little data for a threshold of {v.threshold:g}."
    return f"There is too little data to tell how far {v.unit}s differ: {_if_known(v)}"


def _method(v: Verdict) -> str:
    parts = [
        f"Method: {v.method}." if v.method else "",
        f"Resampling, {v.resampling}." if v.resampling else "",
        f"{sentence_of(str(v.left_out))}." if v.left_out else "",
        f"Prior: {v.prior}." if v.prior else "",
    ]
    return " ".join(part for part in parts if part)


# Pieces.


def _rank_regions(v: Verdict) -> list[str]:
    """Return the regions that there are, the most probable first."""
    return [r for r in v.ranked if r in v.possible]


def _clause(v: Verdict, region: str) -> str:
    """Write an outcome as a clause after "that", without "practically" where there is no rope."""
    return _drop_practically(v, v.shape.say("clauses", region, v.names))


def _drop_practically(v: Verdict, text: str) -> str:
    """Drop "practically" from a text where there is no rope."""
    return text.replace("practically ", "") if _no_region(v) else text


def _name_other(v: Verdict, region: str) -> str:
    """Name the other algorithm, after the one that is better: " than knn"; else nothing."""
    others = {"left": " than {1}", "right": " than {0}", "first": " {1}", "second": " {0}"}
    if _one_sided(v):
        winner = next(n for n in v.names if n != _asked_of(v))
        return f" than {winner}"
    return others.get(region, "").format(*v.names)


def _no_region(v: Verdict) -> bool:
    """Whether no metric has a rope."""
    return all(rope.empty for rope in v.rope) if isinstance(v.rope, Ropes) else v.rope.empty


def _has_several_metrics(v: Verdict) -> bool:
    """Whether the regions are those of several metrics."""
    return v.shape.regions == FOUR.regions


def _one_sided(v: Verdict) -> bool:
    """Whether there are two regions: worse, or not worse."""
    return bool(v.shape.impossible)


def _asked_of(v: Verdict) -> str:
    """Name the algorithm that may be worse: the question of a one-sided rope."""
    first, second = v.names
    return second if "left" in v.possible or "first" in v.possible else first


def _quantity(v: Verdict) -> str:
    return v.quantity + ("s" if _has_several_metrics(v) else "")


def _in_metrics(v: Verdict, values: Sequence[str]) -> list[str]:
    """Write values with the metrics that they belong to, where there are several."""
    if not _has_several_metrics(v):
        return list(values)
    names = v.metrics or [f"metric {j + 1}" for j in range(len(values))]
    return [f"{value} in {name}" for value, name in zip(values, names, strict=True)]


def _format_range(v: Verdict, interval: Interval, link: str = "to") -> str:
    return f" {link} ".join(_size(v, end) for end in interval)


def _scale(v: Verdict, s: Spread) -> str:
    return f"{_size(v, s.median)} (central 95 % interval {_format_range(v, s.interval)})"


def _size(v: Verdict, value: float) -> str:
    """Write a difference in words: one of logarithms as a change in percent."""
    return as_percent(value) if of_ratios(v) else f"{value:.3g}"


def _end(v: Verdict, value: float) -> str:
    """Write an end of the rope with all its digits, or as a percentage."""
    return as_percent(value) if of_ratios(v) else f"{value:g}"


def _if_known(v: Verdict) -> str:
    """Say how probable an outcome could become on the next data set."""
    assert v.known is not None
    low, high = (format_probability(p) for p in v.known.interval)
    return (
        f"if the parameters were known exactly, the most probable outcome on {v.target} would "
        f"have a probability of {format_probability(v.known.median)} (posterior median; central "
        f"95 % interval {low} to {high})."
    )


def _series(parts: Sequence[str]) -> str:
    """Join clauses, with a comma before the last "and" where there are three or more."""
    if len(parts) < 3:
        return join_items(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def of_ratios(v: Verdict) -> bool:
    """Whether differences are those of logarithms."""
    return v.metric.endswith(RATIO)


def ratios(value: float, interval: Interval) -> list[str]:
    """Write a difference of logarithms and its interval as changes in percent, rounded alike."""
    low, high = (100 * math.expm1(end) for end in interval)
    return [f"{text}%" for text in format_estimate(100 * math.expm1(value), (low, high))]


def frame_of(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """Make a table of verdicts by the same metrics, a row each; see `Verdict.frame`."""
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


#: What is told for a paper, a paragraph a question: how sure, by how much, decided or why not.
_PARAGRAPHS = (
    (_probabilities, _definition, _predictive),
    (_spread, _describe_mean),
    (_decision, _cause),
)


def paragraphs(v: Verdict) -> list[str]:
    """Say all there is, in paragraphs: what is told for a paper, and how it was found."""
    texts = (" ".join(filter(None, (part(v) for part in parts))) for parts in _PARAGRAPHS)
    return [text for text in (*texts, _method(v)) if text]


def methods(v: Verdict) -> list[str]:
    """Say how the verdict was found, for the methods section of a paper."""
    return [part for part in (_opening_alone(v), _definition(v), _method(v)) if part]


def checklist(v: Verdict) -> list[str]:
    """Say what the intervals capture, over what was resampled, and what was assumed.

    The average over training sets is what cross-validation estimates (Bates et al. 2024, section
    3); that the folds of one data set do not reveal their correlation is Bengio & Grandvalet 2004.
    """
    rho, drawn, design = v.resampling.partition(": ")
    resampled = bool(drawn) and rho != "rho 0"
    over = "test and training sets" if resampled else design.partition(",")[0]
    scores = f"the scores on {f'each {v.unit}' if v.expected is not None else v.target}"
    captured = [f"how {v.unit}s differ"] if v.expected is not None else []
    captured += [f"how {scores} vary over {over}"] if drawn else []
    silent = f", and not how {v.unit}s differ" if drawn and v.expected is None else ""
    assumed = [f"the model of the {v.method}"] if v.method else []
    if v.expected is not None:
        assumed.append(f"that these {v.unit}s are a sample of those that the verdict is about")
    if resampled:
        assumed.append(f"a correlation of folds ({rho}) that the folds themselves can't tell")
    average = "averages over training sets of this size, not single trained models"
    texts = [
        "Intervals are central 95 % intervals of the posterior, neither standard deviations nor "
        "standard errors.",
        f"They capture {join_items(captured) or f'how {v.target} vary'}{silent}.",
        f"Resampling, {v.resampling}." if resampled else "",
        f"What is compared are {average}." if resampled else "",
        f"{sentence_of(str(v.left_out))}." if v.left_out else "",
        f"Assumed: {'; '.join(assumed)}." if assumed else "",
        f"Prior: {v.prior}." if v.prior else "",
        _opening_alone(v),
    ]
    return [text for text in texts if text]


def checklist_of_pairs(
    verdicts: Sequence[Verdict], names: tuple[str, str] = ("one", "another")
) -> list[str]:
    """Say what `checklist` does of verdicts on several pairs, which have nearly all in common."""
    if not verdicts:
        return []
    priors = {v.prior for v in verdicts}
    prior = verdicts[0].prior
    if len(priors) > 1:
        name = prior.partition(":")[0]
        known = "that of the test" if "~" in name else name
        prior = f"{known}, with bounds taken from each pair's scores"
    return checklist(replace_fields(verdicts[0], names=names, prior=prior, left_out=None))


def _opening_alone(v: Verdict) -> str:
    """Say what counts as equivalent, and from which probability on it is decided."""
    start = _begin_sentence(v).removesuffix(", ")
    asked = f"a decision asks for a probability of {v.threshold:g}"
    return sentence_of(f"{start}, {asked}." if start else f"{asked}.")


def check_threshold(threshold: float, name: str = "threshold") -> float:
    """Check a decision threshold: a probability over one half, at most one."""
    number = isinstance(threshold, Real) and not isinstance(threshold, bool | np.bool_)
    if not number or not 0.5 < threshold <= 1:
        raise InputError(f"{name}={threshold!r}; accepted: over 0.5 and at most 1")
    return float(threshold)


def winners(masses: np.ndarray) -> np.ndarray:
    """Mark the region with the largest mass, for each draw: one there, zero elsewhere.

    `masses` and the result are (..., regions). Regions that tie share the draw equally, so that
    swapping the algorithms swaps the shares.
    """
    best = masses == masses.max(axis=-1, keepdims=True)
    return best / best.sum(axis=-1, keepdims=True)


#: Fields of a verdict that have a number for each region.
MASSES = (
    "probabilities",
    "errors",
    "expected",
    "location",
    "expected_errors",
    "location_errors",
)


@dataclass(frozen=True)
class Verdict(Sealed, Exhibited):
    """Probabilities of named regions, and what follows from them.

    Attributes
    ----------
    probabilities : mapping of str to float
        Region to the probability that decides; they sum to one. Where ``expected`` is given, it
        is the share of the posterior in which the region is the most probable outcome on
        ``target`` (Corani et al. 2017, section 3.3); else the posterior probability that the
        ``quantity`` lies in the region. For one metric the regions are "left" (the first
        algorithm is practically better), "rope" and "right" (the second is). For several they are
        "equivalent" (in all metrics), "first" (practically better in at least one metric,
        practically worse in none), "second" likewise, and "trade_off" (each is practically better
        in some metric).
    errors : mapping of str to float
        Monte Carlo standard errors, or the numerical error where ``exact``.
    names : (str, str)
        The first and the second algorithm.
    rope : Rope or Ropes
        The region of practical equivalence; for several metrics a tuple of one per metric.
    threshold : float
        Probability that a region has to exceed, by two standard errors, for a decision.
    floor : float
        The smallest probability that can be told from zero: one over the number of draws.
    exact : bool
        Whether the probabilities come without Monte Carlo error.
    expected : mapping of str to float or None
        Predictive probabilities: that the difference on ``target`` lies in each region.
    location : mapping of str to float or None
        Probabilities that the mean difference over data sets lies in each region.
    expected_errors, location_errors : mapping of str to float or None
        Errors of these two, where known.
    method, metric, target, prior : str
        What was fitted, to which metric, what the probabilities are about ("a new data set"), and
        under which prior.
    metrics : tuple of str
        The metrics, where there are several.
    quantity : str
        What the intervals, and on a single data set the probabilities too, are about: "mean
        difference".
    mean_interval : tuple of (float, float)
        Central 95 % interval of that quantity, one per metric; empty if not known.
    estimate : tuple of float
        Its posterior median, one per metric; empty if not known.
    spread : tuple of Spread
        How far data sets differ, one per metric; empty for tests of one data set.
    known : Known or None
        How probable the likeliest outcome would be if the parameters were known.
    directions : tuple of Direction
        Which way each metric is better; empty for plain numbers.
    resampling : str
        The correlation of folds and its reason; empty where no folds enter.
    left_out : LeftOut or None
        What had no partner, where only common folds are compared.
    unit : str
        What the parameters describe several of: "data set", or "benchmark".
    within : str
        What lies in the rope: "differences".

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = bc.Differences([0.01, 0.03, 0.02, -0.01], rho=0.1, names=("knn", "gbm"))
    >>> verdict = bc.bayesian.correlated_t(x, rope=0.01).verdict()
    >>> verdict.decision, verdict.cause
    ('undecided', 'too little data')
    >>> verdict.label("right"), verdict.odds_in_words()[-1]
    ('gbm better', 'gbm better : equivalent = 1.66 (weak)')
    >>> verdict.swapped().p_left == verdict.p_right
    True
    >>> verdict.explain().split(". ")[0]
    'On the data set 1, gbm being practically better has a probability of only 0.588 (0.95 asked)'
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
    spread: Deferred[tuple[Spread, ...]] = Deferred(())
    known: Deferred[Known | None] = Deferred(None)
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    left_out: LeftOut | None = None
    unit: str = "data set"
    within: str = "differences"
    expected_errors: Mapping[str, float] | None = None
    location_errors: Mapping[str, float] | None = None

    @classmethod
    def of(
        cls,
        shape: Shape,
        probabilities: Iterable[float],
        errors: Iterable[float],
        **facts: Any,
    ) -> Verdict:
        """Make a verdict from numbers in the order of the shape's regions.

        Parameters
        ----------
        shape : Shape
            `THREE` regions for one metric, `FOUR` for several.
        probabilities, errors : iterable of float
            One per region.
        **facts
            The other attributes: names, rope, threshold, ...; expected, location and their errors
            one per region as well.

        Returns
        -------
        Verdict
        """
        given = {"probabilities": probabilities, "errors": errors, **facts}
        masses = {n: shape.key_by_region(given[n]) for n in MASSES if given.get(n) is not None}
        return cls(**given | masses)

    @property
    def shape(self) -> Shape:
        """Which regions there are, and what they are called."""
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

    @property
    def decision(self) -> str:
        """What is decided at the threshold, allowing for the probability's own error.

        "first", "equivalent", "second", with several metrics "trade-off", or with one infinite end
        of the rope "not worse", where the largest probability less two standard errors reaches the
        threshold; "borderline" where it is within two standard errors of it; else "undecided".
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
    def cause(self) -> str:
        """Why it is undecided: "too little data", "data sets differ", "edge of the rope", or "".

        Data sets differ where, with the parameters known, the likeliest outcome on the next one
        would still stay below the threshold (with probability 0.975 or more).
        """
        return cause_of(self)

    @property
    def measured(self) -> str:
        """The metric with its direction: "accuracy ↑", "tpr ↑, fpr ↓"; "" if not known."""
        return ", ".join(map(str, self.directions)) or self.metric

    @property
    def decides(self) -> str:
        """What the probabilities are of: the name of the quantity that decides."""
        return self.quantity if self.expected is None else "most probable outcome"

    @property
    def odds(self) -> dict[tuple[str, str], Odds]:
        """Posterior odds of each pair of regions, in the regions' order.

        Equivalence is left out where there is no rope, since its probability is then zero by
        definition.
        """
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

    @property
    def ranked(self) -> list[str]:
        """The regions, the most probable first."""
        gone = self.shape.impossible
        return sorted(self.probabilities, key=lambda r: (-self.probabilities[r], r in gone))

    @property
    def possible(self) -> list[str]:
        """The regions in order, without those that can't be.

        Without a rope equivalence can't be; with one infinite end, neither can what lies beyond
        it.
        """
        shape = self.shape
        gone = {*shape.impossible, *((shape.within,) if self.rope.empty else ())}
        return [r for r in self.probabilities if r not in gone]

    @declare(region=text)
    def label(self, region: str) -> str:
        """Return a region in words, with the algorithms' names."""
        if region not in self.shape.labels:
            return region.replace("_", " ")
        return self.shape.say("labels", region, self.names)

    def odds_in_words(self) -> list[str]:
        """Write the posterior odds of each pair of regions, likelier first, with the grade."""
        lines = []
        for (a, b), odds in self.odds.items():
            if math.isnan(odds.value):
                lines.append(f"{self.label(a)} : {self.label(b)}, neither seen")
                continue
            other = b if odds.favours == a else a
            over = "over " if odds.bound else ""
            odds_text = f"{over}{odds.size:.3g} ({odds.grade})"
            lines.append(f"{self.label(odds.favours)} : {self.label(other)} = {odds_text}")
        return lines

    def swapped(self) -> Verdict:
        """Return the verdict with the two algorithms in the other order."""
        other = self.shape.mirror
        masses = {name: getattr(self, name) for name in MASSES}
        return replace_fields(
            self,
            **{n: m and {r: m[other.get(r, r)] for r in m} for n, m in masses.items()},
            names=(self.names[1], self.names[0]),
            rope=self.rope.swapped(),
            mean_interval=tuple(map(swap_interval, self.mean_interval)),
            estimate=tuple(-value for value in self.estimate),
            spread=partial(_swap_spreads, self),
        )

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        from bayescmp.present.verdict import write_headline

        kept = "names metric directions resampling left_out method threshold target probabilities "
        kept += "errors exact decision cause evidence prior mean_interval estimate spread known"
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

    def columns(self) -> dict[str, dict[str, str]]:
        """Write the probabilities as text: title of a column, then region to text.

        The first column decides; "predictive" and "mean" follow where they are known.
        """
        regions = self.possible
        columns = {
            self.decides: {
                r: format_probability(self.probabilities[r], self.floor) for r in regions
            }
        }
        for title, part in (("predictive", self.expected), ("mean", self.location)):
            if part is not None:
                columns[title] = {r: format_probability(part[r]) for r in regions}
        return columns

    def exhibit(self) -> Exhibit:
        """Return the answer, its probabilities and its method, from which every form is made."""
        from bayescmp.present.verdict import summarise_verdict

        return summarise_verdict(self)

    @property
    def frame(self) -> pd.DataFrame:
        """The verdict as a row, unrounded.

        Returns
        -------
        DataFrame
            first, second; ``p_``, ``se_`` (what decides) and, where there are several data sets,
            ``predictive_`` of each region; decision, most_probable, evidence.
        """
        return frame_of([self])

    def __repr__(self) -> str:
        top = self.ranked[0]
        what = self.label(top) if self.decided else f"{self.decision}, {self.label(top)}"
        kind = "most probable " if self.expected is not None else ""
        p = format_probability(self.probabilities[top], self.floor)
        return f"<Verdict: {what}, {p} {kind}on {self.target} ({self.threshold:g} asked)>"

    def _repr_html_(self) -> str:
        columns = self.columns()
        regions = [
            (r, self.label(r), self.probabilities[r], *(c[r] for c in columns.values()))
            for r in self.possible
        ]
        facts = {
            "threshold": f"{self.threshold:g}",
            "evidence": self.evidence,
            "about": self.target,
            "resampling": self.resampling,
            "left out": self.left_out.counts if self.left_out else "",
            "method": self.method,
            "prior": self.prior,
        }
        shown = self.exhibit()
        paragraphs = "".join(
            f"<p>{escape(text)}</p>" for text in (shown.setting, *shown.sentences)
        )
        return add_title(
            shown.title, paragraphs, html_bars(regions, titles=list(columns)), html_facts(facts)
        )

    def explain(self, form: str = "short") -> str:
        """Tell the verdict in sentences.

        Parameters
        ----------
        form : {"short", "paper", "methods", "full", "checklist"}
            "short" is for a reader who knows no test: who, how sure, by how much, what would
            settle it. "paper" has every probability under its name, and the decision, for the
            results of a paper; "methods" the method, the rope and the prior; "full" is both, in
            paragraphs. "checklist" is what conferences ask: which variability the intervals
            capture, over what was resampled, what was assumed.

        Returns
        -------
        str

        Raises
        ------
        InputError
            For any other form.
        """
        from bayescmp.present.verdict import write_answer

        texts = {
            "short": lambda: " ".join(write_answer(self)),
            "paper": lambda: " ".join(sentences(self)),
            "methods": lambda: " ".join(methods(self)),
            "full": lambda: "\n\n".join(paragraphs(self)),
            "checklist": lambda: " ".join(checklist(self)),
        }
        return with_minus_signs(texts[check_choice("form", form, texts)]())


def side_of(rope: Rope | Ropes) -> str:
    """Name the end of all ropes that is finite, where the other is infinite; else ""."""
    if not rope.one_sided:
        return ""
    return "low" if np.all(np.isinf(rope.high)) else "high"


def _swap_spreads(verdict: Verdict) -> tuple[Spread, ...]:
    return tuple(s.swapped() for s in verdict.spread)
