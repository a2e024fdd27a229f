"""The results of many comparisons: a verdict for each pair, a tidy table, sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must
from bayescmp.base.checks import as_names
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, Pair
from bayescmp.errors import InputError, unknown_name
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import A_AND_B, Cells, Column, Explanation, Summary, summarise
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.ladder import Ladder, WinnerScore
from bayescmp.results.limits import RopeLimits
from bayescmp.results.plotted import Plotted
from bayescmp.results.posterior import Posterior
from bayescmp.results.sensitivity import PairsSensitivity, Sensitivity
from bayescmp.results.verdict import (
    DIFFER,
    EDGE,
    FEW,
    Verdict,
)
from bayescmp.scores.metrics import Direction, are_ratios
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import Rope, rope_phrase
from bayescmp.summaries.chosen import describe_chosen
from bayescmp.summaries.rivals import MOST, list_rivals
from bayescmp.summaries.verdict import ratios, write_methods_of_pairs, write_setting
from bayescmp.wording.text import (
    align_numbers,
    cut_all,
    cut_name,
    format_count,
    format_estimate,
    format_limit,
    join_items,
    side_by_side,
    words_of,
)

if TYPE_CHECKING:
    from bayescmp.base.checks import RhoLike
    from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior
    from bayescmp.scores.scores import Scores


# The best of several algorithms: computed with the pairs, and shown above them.


def best_of(
    scores: Scores, metric: str, rope: Rope, seed: int, rho: RhoLike | None
) -> BootstrapPosterior | None:
    """Return which of three or more algorithms is best, or None if there is no answer."""
    from bayescmp.bayesian.joint.bootstrap import bootstrap

    askable = len(scores.algorithms) > 2 and len(scores.datasets) > 1
    if not askable or scores.scale == "standardised":
        return None
    try:
        return bootstrap(scores, metric=metric, rope=rope, rho=rho, seed=seed)
    except InputError:  # an asymmetric ROPE; otherwise the pairs report the error
        return None


# The rows of the tidy table of all pairs.


NAN = float("nan")
REGIONS = ("left", "rope", "right")
#: Columns of numbers for each region.
PARTS = ("p", "se", "predictive", "mean")


def tabulate_pair(pair: Pair, result: PairResult, common: Json) -> Json:
    """Return the numbers of a pair that was compared, with those that all pairs have in common."""
    v = result.verdict
    ranked = sorted(v.probabilities, key=lambda r: -v.probabilities[r])
    odds = v.odds.get((ranked[0], ranked[1])) or v.odds.get((ranked[1], ranked[0]))
    parts = zip(PARTS, (v.probabilities, v.errors, v.expected, v.location), strict=True)
    return tabulate_failure(pair, None, common) | {
        **{f"{what}_{r}": part[r] for what, part in parts if part for r in REGIONS},
        "decision": v.decision,
        "most_probable": ranked[0],
        "odds": NAN if odds is None else odds.size,
        "odds_bound": bool(odds is not None and odds.bound),
        "evidence": v.evidence,
        "test": result.test,
        "engine": result.engine,
        "datasets": result.datasets,
        "datasets_left_out": len(result.left_out.datasets),
        "folds_left_out": result.left_out.folds,
        "ok": not result.trouble,
        "notes": "; ".join(dict.fromkeys([*result.notes, *result.warnings])),
        "pairing": result.pairing,
        "resampling": result.resampling,
    }


def tabulate_failure(pair: Pair, error: Exception | None, common: Json) -> Json:
    """Return the row of a pair that could not be compared: no numbers, but the reason."""
    return {
        "first": pair[0],
        "second": pair[1],
        **{f"{what}_{r}": NAN for what in PARTS for r in REGIONS},
        "decision": "failed",
        "most_probable": "",
        "odds": NAN,
        "odds_bound": False,
        "evidence": "none",
        "test": "",
        "engine": "",
        "datasets": 0,
        "datasets_left_out": 0,
        "folds_left_out": 0,
        **common,
        "ok": False,
        "notes": "",
        "pairing": "",
        "resampling": "",
        "error": "" if error is None else f"{type(error).__name__}: {error}",
    }


# Summary of many verdicts: the leader, the undecided pairs and why, the untrusted ones.


#: Advice for a pair that is undecided, by its reason.
ADVICE = {
    FEW: "more {unit}s, or more {sample}s on each, would help",
    DIFFER: "the {unit}s disagree; more {unit}s show which outcome is the most frequent, not the "
    "outcome on a new {unit}",
    EDGE: "the difference is close to a bound of the ROPE, and whether it matters is a judgement",
    "borderline": "within Monte Carlo error of the threshold; more draws would decide",
    "": "no single cause",
}
#: The same if no draws, and no more data sets, can settle it.
BORDERLINE = "within numerical error of the threshold"
ALONE = "the interval of the difference is too wide"
SAME, UNSETTLED = "equivalent", ("undecided", "borderline")


@dataclass(frozen=True)
class OpenPairs:
    """Pairs that are undecided for one reason, `cause`; `advice` is what would settle them."""

    cause: str
    advice: str
    pairs: tuple[Pair, ...]

    @property
    def count(self) -> str:
        """Count the pairs: "3 pairs"."""
        return format_count(len(self.pairs), "pair")


#: Which algorithm leads; of a margin, whether one is worse.
HEADLINES = {
    "control": "{control} against {others}",
    "leads": "{leader} leads",
    "undecided": "No lead is decided: {leader} comes first in order",
    "none": "No {subject} leads: {leader} comes first in order",
    "margin undecided": "Undecided whether {asked} is practically worse than {other}",
    "margin failed": "Not compared: whether {asked} is practically worse than {other}",
    "margin not worse": "{asked} is not practically worse than {other}",
    "margin": "{asked} is practically worse than {other}",
}


def headline(comparisons: Comparisons) -> str:
    """State which algorithm leads, or that none does."""
    leader, first, second = comparisons.order[0], *comparisons.algorithms[:2]
    asked, other = (second, first) if math.isinf(comparisons.rope.high) else (first, second)
    if comparisons.control is not None:
        kind = "control"
    elif _asks_of_one(comparisons):
        decision = _decision(comparisons, first, second)
        known = decision in ("undecided", "failed", "not worse")
        kind = f"margin {decision}" if known else "margin"
    elif _is_led(comparisons):
        kind = "leads"
    else:
        kind = "undecided" if _open_first(comparisons) else "none"
    return HEADLINES[kind].format(
        control=comparisons.control,
        others=format_count(len(comparisons.algorithms) - 1, "other"),
        leader=leader,
        subject=words_of(comparisons.unit)["subject"],
        asked=asked,
        other=other,
    )


def describe_rivals(comparisons: Comparisons) -> str:
    """State how the leader, or the control, compares with the others, by the verdicts."""
    if _asks_of_one(comparisons):
        return ""  # the headline states it
    leader = comparisons.control or comparisons.order[0]
    by_decision: dict[str, list[str]] = {}
    for name in comparisons.order:
        if name != leader:
            decided = _decision(comparisons, leader, name)
            if decided == "not worse" and "right" in comparisons.verdict(leader, name).possible:
                decided = "leader not worse"
            by_decision.setdefault(decided, []).append(name)
    return list_rivals(leader, by_decision, has_rope=not comparisons.rope.empty)


def _asks_of_one(comparisons: Comparisons) -> bool:
    """Return whether the question is if one of two algorithms is worse."""
    return (
        comparisons.rope.one_sided
        and len(comparisons.algorithms) == 2
        and (comparisons.control is None)
    )


def _is_led(comparisons: Comparisons) -> bool:
    """Return whether the first in order is better than some other one."""
    leader, *others = comparisons.order
    return any(_decision(comparisons, leader, name) == "first" for name in others)


def _open_first(comparisons: Comparisons) -> bool:
    """Return whether the first in order may still turn out to be better than some other one."""
    leader, *others = comparisons.order
    return any(_decision(comparisons, leader, name) not in (SAME, "not worse") for name in others)


def name_likeliest(comparisons: Comparisons) -> list[str]:
    """List the algorithms that are most likely to be best on average, if that was computed."""
    from bayescmp.summaries.standings import list_best, list_probabilities

    if comparisons.p_best:
        targets = {result.verdict.target for result in comparisons.results.values()}
        return [list_best(comparisons.p_best, f"on {next(iter(targets))}")]
    posterior = comparisons.best
    if posterior is None:
        return []
    on = min(posterior.targets, key=lambda target: target != "average")
    return [list_probabilities(posterior, on)]


def tabulate_standings(comparisons: Comparisons) -> tuple[pd.DataFrame, dict[object, Column]]:
    """Make a row for each algorithm, the best first: its mean, its lag, and which it beats."""
    order = comparisons.order
    partly = [name in comparisons.fewer for name in order]
    ahead, control = comparisons.control or order[0], comparisons.control is not None
    labels = dict(zip(order, cut_all(order, LONGEST_NAME), strict=True))
    beaten = {
        a: [labels[b] for b in order if _decision(comparisons, a, b) == "first"] for a in order
    }
    pairs = [(name, ahead) if control else (ahead, name) for name in order]
    behind = [_format_lag(comparisons, *pair) for pair in pairs]
    alone = iter(align_numbers([cell for cell in behind if not isinstance(cell, str)], 2))
    lag = "ahead of {}, estimated" if control else "behind {}, estimated"
    better = "better than" if comparisons.rope.empty else "practically better than"
    limits = [_format_limit(comparisons, ahead, name) for name in order]
    cells = {
        "name": [labels[name] for name in order],
        "mean": _mark(align_numbers([comparisons.means.get(name, NAN) for name in order]), partly),
        "lag": [cell if isinstance(cell, str) else next(alone) for cell in behind],
        "limit": limits,
        "better": [_first_of(beaten[name]) for name in order],
    }
    columns: dict[object, Column] = {
        "name": Column(Cells.NAME, ""),
        "mean": Column(head="mean"),
        "lag": Column(head=lag.format(labels[ahead])),
        "limit": Column(head="ROPE up to"),
        "better": Column(Cells.WORDS, better),
    }
    return pd.DataFrame({key: column for key, column in cells.items() if any(column)}), columns


def _mark(cells: list[str], marked: Sequence[bool]) -> list[str]:
    """Put a star behind the marked cells, and a space behind the others, if any is marked."""
    if not any(marked):
        return cells
    return [f"{cell}{'*' if mark else ' '}" for cell, mark in zip(cells, marked, strict=True)]


#: Letters of a name, and of a cell that lists some.
LONGEST_NAME, LONGEST_LIST = 18, 23


def _first_of(names: list[str]) -> str:
    """List the names that a cell has room for, one at least, and how many more: "gbm, nb +12"."""
    for kept in range(len(names), 1, -1):
        more = f" +{len(names) - kept}" if kept < len(names) else ""
        text = f"{', '.join(names[:kept])}{more}"
        if len(text) <= LONGEST_LIST:
            return text
    return " ".join([*names[:1], *([f"+{len(names) - 1}"] if len(names) > 1 else [])])


def _format_lag(comparisons: Comparisons, leader: str, name: str) -> str | float:
    """Give the mean difference to the leader, with its interval if any: "0.02 (0.01 to 0.03)"."""
    if name == leader or _decision(comparisons, leader, name) == "failed":
        return NAN
    verdict = comparisons.verdict(name, leader)
    middle = (
        verdict.estimate[0] if verdict.estimate else _mean_difference(comparisons, name, leader)
    )
    if not verdict.mean_interval:
        return middle
    rounded = ratios if verdict.of_ratios else format_estimate
    by, low, high = rounded(middle, verdict.mean_interval[0])
    return f"{by} ({low} to {high})"


def _format_limit(comparisons: Comparisons, leader: str, name: str) -> str:
    """Write the largest ROPE for which one of the two is practically better: "±0.012"."""
    limits = comparisons.limits.get((leader, name)) or comparisons.limits.get((name, leader))
    if limits is None or not limits.better_up_to > 0:
        return ""
    return f"±{format_limit(limits.better_up_to, up=False, of_ratios=comparisons.of_ratios)}"


def _mean_difference(comparisons: Comparisons, first: str, second: str) -> float:
    """Return the mean over data sets, positive if the second is better; NaN if none was kept."""
    turned = (first, second) not in comparisons.results
    pair = (second, first) if turned else (first, second)
    means = comparisons.results[pair].means
    return (-1 if turned else 1) * float(np.mean(means)) if means else NAN


def _decision(comparisons: Comparisons, first: str, second: str) -> str:
    if not {(first, second), (second, first)} & set(comparisons.results):
        return "failed"
    decision = comparisons.verdict(first, second).decision
    return "undecided" if decision in UNSETTLED else decision


def describe_best(comparisons: Comparisons) -> list[str]:
    """State which are most likely to be best, and the expected score, if they were computed."""
    from bayescmp.summaries.standings import list_probabilities

    posterior, chosen = comparisons.best, comparisons._chosen
    if posterior is None:
        return []
    return [
        *(list_probabilities(posterior, on, errors=True) for on in posterior.targets),
        BY.format(method=posterior.method),
        posterior.caveat,
        "" if chosen is None else describe_chosen(chosen),
    ]


BY = "These probabilities come from the {method}."


#: Causes that are headed by other words than their own.
CAUSES = {"": "undecided", DIFFER: "{unit}s differ"}


def open_pairs(comparisons: Comparisons) -> list[OpenPairs]:
    """Return undecided pairs by cause, the most frequent first, with what would settle them."""
    causes: dict[str, list[Pair]] = {}
    words = words_of(comparisons.unit)
    for pair, result in comparisons.results.items():
        if result.verdict.decision in UNSETTLED:
            causes.setdefault(_cause(result.verdict), []).append(pair)
    return [
        OpenPairs(
            CAUSES.get(cause, cause).format(**words),
            _advise(cause, comparisons.results[pairs[0]].verdict).format(**words),
            tuple(pairs),
        )
        for cause, pairs in sorted(causes.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def _advise(cause: str, verdict: Verdict) -> str:
    if cause == "borderline" and verdict.exact:
        return BORDERLINE
    return ALONE if cause == FEW and verdict.expected is None else ADVICE[cause]


def _cause(verdict: Verdict) -> str:
    return "borderline" if verdict.decision == "borderline" else verdict.cause or ""


def average_of(means: pd.DataFrame, scale: str) -> dict[str, float]:
    """Return each algorithm's average over data sets; none if these have no common unit."""
    if scale == "standardised":
        return {}
    average = np.exp(np.log(means).mean()) if scale == "log_ratio" else means.mean()
    return {str(name): float(value) for name, value in average.items()}


def count_doubtful(comparisons: Comparisons) -> list[str]:
    """Count the pairs that failed, or whose checks failed."""
    doubtful = sum(bool(result.trouble) for result in comparisons.results.values())
    pairs = format_count(len(comparisons), "pair")
    counts = {FAILED: len(comparisons.failures), DOUBTFUL: doubtful}
    return [template.format(count=n, pairs=pairs) for template, n in counts.items() if n]


FAILED = "{count} of {pairs} could not be compared"
DOUBTFUL = "{count} of {pairs} failed their checks, and these verdicts cannot be trusted"


def find_intransitive(comparisons: Comparisons) -> list[tuple[str, str, str]]:
    """Return all (a, b, c) with a better than b, b than c, but a worse than c or equivalent."""
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


NOT_JOINT = {
    "": "Each pair is judged by its own posterior. The verdicts are not a joint statement.",
    "odd": "Each pair is judged by its own posterior. The verdicts are not a joint statement, and "
    "they are not transitive: {chains}.",
}
CHAINS = {
    SAME: "{a} is better than {b} and {b} than {c}, but {a} is equivalent to {c}",
    "second": "{a} is better than {b} and {b} than {c}, but {c} is better than {a}",
}


def describe_order(comparisons: Comparisons) -> str:
    """State that verdicts on pairs are not a joint statement; empty for one pair."""
    if len(comparisons.results) < 2:
        return ""
    odd = find_intransitive(comparisons)
    chains = [CHAINS[_decision(comparisons, a, c)].format(a=a, b=b, c=c) for a, b, c in odd[:MOST]]
    more = [f"and {len(odd) - MOST} more"] if len(odd) > MOST else []
    return NOT_JOINT["odd" if odd else ""].format(chains="; ".join([*chains, *more]))


def describe_tests(comparisons: Comparisons) -> str:
    """State what the pairs were compared by: metric, tests, ROPE, threshold, prior."""
    verdicts = [result.verdict for result in comparisons.results.values()]
    tests = dict.fromkeys(v.method for v in verdicts if v.method)
    priors = dict.fromkeys(v.prior for v in verdicts if v.prior)
    texts = [
        f"{comparisons.measured or 'scores'} by the {join_items([*tests]) or 'test'}",
        rope_phrase(comparisons.rope),
        *(f"threshold {t:g}" for t in dict.fromkeys(v.threshold for v in verdicts)),
        *(f"prior {p}" for p in priors if len(priors) == 1),
    ]
    return ", ".join(texts)


# The results of many comparisons: a verdict for each pair, and one tidy table.


def heads_of(rope: Rope, first: str = "first", second: str = "second") -> dict[str, str]:
    """Return the names of a ROPE's regions in a table, for any two algorithms."""
    if rope.one_sided:
        if math.isinf(rope.high):
            return {"left": f"{second} worse", "rope": f"{second} not worse"}
        return {"rope": f"{first} not worse", "right": f"{first} worse"}
    same = {} if rope.empty else {"rope": "equivalent"}
    return {"left": "first better", **same, "right": "second better"}


@dataclass(frozen=True, eq=False)
class PairResult(Record):
    """One pair's result: its verdict and how it was computed, without the draws.

    Attributes
    ----------
    verdict : Verdict
    test, engine, engine_version : str
        What computed it.
    diagnostics : Diagnostics
        Whether it can be trusted.
    datasets : int
        Number of data sets.
    seed : int
        ``compare`` with the same test, options and seed gives the same numbers.
    notes, warnings : tuple of str
    seconds : float
        Time it took.
    directions, resampling, pairing, left_out
        Where the numbers come from; see `bayescmp.frequentist.results.DescribedResult`.
    posterior : Posterior or None
        The whole posterior, if it was kept.
    means : tuple of float
        Mean difference on each data set, second minus first; empty if scores do not pair.
    """

    verdict: Verdict
    test: str
    engine: str
    engine_version: str
    diagnostics: Diagnostics
    datasets: int
    seed: int
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    seconds: float
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    pairing: str = ""
    posterior: Posterior | None = field(default=None, repr=False)
    left_out: LeftOut = field(default_factory=LeftOut)
    means: tuple[float, ...] = ()

    @property
    def trouble(self) -> tuple[str, ...]:
        """Why the result cannot be trusted; empty if it can."""
        return self.warnings or (() if self.diagnostics.ok else self.diagnostics.messages)

    def without_posterior(self) -> PairResult:
        """Return the result without the posterior."""
        return replace(self, posterior=None)


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Record, Summarised, Plotted):
    """Verdicts on many pairs of algorithms.

    Attributes
    ----------
    algorithms : tuple of str
        In the order of the scores.
    results, failures : mapping of (first, second) to PairResult, or to Exception
        Pairs that were compared, and those that could not be, with the reason.
    control : str or None
        The algorithm that all others were compared with, the first of every pair.
    metric : str
        What the scores measure.
    rope : Rope
    best : BootstrapPosterior or None
        `bayescmp.bayesian.bootstrap` of three algorithms or more over data sets, without a
        control.
    means : mapping of str to float
        Mean scores over the data sets (geometric for ratios); empty if they mean nothing.
    fewer : mapping of str to int
        The number of data sets of each mean that is not over all of them.
    p_best : mapping of str to float
        For counts, the probability of the highest proportion of successes; else see `best`.
    refit : callable or None
        Fits a pair again, with the same numbers, for `posterior`.
    """

    picture: ClassVar[str] = "plot_verdicts"

    algorithms: tuple[str, ...]
    results: Mapping[Pair, PairResult]
    failures: Mapping[Pair, Exception]
    control: str | None
    metric: str
    rope: Rope
    best: BootstrapPosterior | None = None
    means: Mapping[str, float] = field(default_factory=dict)
    fewer: Mapping[str, int] = field(default_factory=dict)
    p_best: Mapping[str, float] = field(default_factory=dict)
    refit: Callable[[Pair], Posterior] | None = field(default=None, repr=False)
    limits: Mapping[Pair, RopeLimits] = field(default_factory=dict)

    def __getitem__(self, pair: Pair) -> PairResult:
        """Return the result of a pair (first, second), in the order in which it was compared."""
        names = as_names(pair, "pair")
        if tuple(names) not in {*self.results, *self.failures}:
            raise unknown_name("pair", " / ".join(names), map(" / ".join, self.results))
        asked = names[0], names[1]
        if asked in self.failures:
            raise self.failures[asked]
        return self.results[asked]

    def __len__(self) -> int:
        return len(self.results) + len(self.failures)

    @property
    def unit(self) -> str:
        """The word for a data set: "data set", or "benchmark"."""
        units = (result.verdict.unit for result in self.results.values())
        return next(units, "data set")

    def verdict(self, first: str, second: str) -> Verdict:
        """Return the verdict on two algorithms, in either order."""
        turned = str(second), str(first)
        if turned in self.results or turned in self.failures:
            return self[turned].verdict.swapped()
        return self[first, second].verdict

    def posterior(self, first: str, second: str) -> Posterior:
        """Return the whole posterior behind a pair's numbers, refitted if it was not kept."""
        kept = self[first, second].posterior
        if kept is not None:
            return kept
        if self.refit is None:
            raise must(
                "keep_posteriors",
                "be True to keep the posteriors",
                "False",
                f"Give {arg('keep_posteriors', True)}.",
            )
        return self.refit((str(first), str(second)))

    def plan(self, first: str, second: str, **options: Any) -> Any:
        """Predict what further data decide about a pair, as its `posterior` plans it.

        Returns
        -------
        Plan or ItemPlan
        """
        return self.posterior(first, second).plan(**options)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The algorithms, best first, by P(better) − P(worse) over pairs, then by means."""
        standing = {name: np.zeros(2) for name in self.algorithms}
        for (first, second), result in self.results.items():
            lead = result.verdict.p_left - result.verdict.p_right
            both = np.array([lead, -np.mean(result.means) if len(result.means) else 0.0])
            standing[first] += both
            standing[second] -= both
        return tuple(sorted(standing, key=lambda n: (-round(standing[n][0], 3), -standing[n][1])))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair, in order; failed pairs have a reason instead of probabilities.

        first, second, p_left, p_rope, p_right (which decide: the most probable outcome, or the
        mean difference on one data set), their errors ``se_``, ``predictive_`` (of a new data set)
        and ``mean_`` (of the mean difference over data sets) of the same regions, decision,
        most_probable (region), odds (of that region over the next), odds_bound (whether they are
        beyond that value), evidence, test, engine, datasets, datasets_left_out and folds_left_out
        (without a score of both), metric, better ("higher" or "lower", "(assumed)" if unknown),
        rope_low, rope_high, ok (diagnostics), notes, pairing, resampling (the correlation of folds
        and its reason), error.
        """
        common: Json = {
            "metric": self.metric,
            "better": ", ".join(way.better for way in self._directions),
            "rope_low": self.rope.low,
            "rope_high": self.rope.high,
        }
        rows = [
            tabulate_pair(pair, self.results[pair], common)
            if pair in self.results
            else tabulate_failure(pair, self.failures[pair], common)
            for pair in self._pairs
        ]
        return pd.DataFrame(rows)

    @property
    def _directions(self) -> tuple[Direction, ...]:
        return next((result.directions for result in self.results.values()), ())

    @property
    def measured(self) -> str:
        """The metric with its direction: "accuracy ↑"; empty if not known."""
        return ", ".join(map(str, self._directions)) or self.metric

    @property
    def of_ratios(self) -> bool:
        """Whether the differences are those of logarithms."""
        return are_ratios(self._directions)

    @property
    def resampling(self) -> str:
        """The correlation of folds and its reason, for all pairs together."""
        return self._said("resampling")

    @property
    def pairing(self) -> str:
        """The reason why scores belong together, for all pairs at once."""
        return self._said("pairing")

    def _said(self, name: str) -> str:
        every = (getattr(result, name) for result in self.results.values())
        return "; ".join(dict.fromkeys(filter(None, every)))

    @property
    def _how(self) -> str:
        """How scores were paired and resampled."""
        return ", ".join(filter(None, (self.pairing, self.resampling)))

    @property
    def _pairs(self) -> list[Pair]:
        place = {name: i for i, name in enumerate(self.order)}
        pairs = [*self.results, *self.failures]
        return sorted(pairs, key=lambda pair: sorted(place[name] for name in pair))

    def ladder(self) -> Ladder:
        """Return the algorithms in order, with each pair's verdict."""
        there = {frozenset(pair) for pair in self.results}
        return Ladder.from_verdicts(
            self.order,
            lambda a, b: self.verdict(a, b) if frozenset((a, b)) in there else None,
            chosen=self._chosen,
        )

    @property
    def _chosen(self) -> WinnerScore | None:
        """Return what the one with the best observed mean is expected to score; no logarithms."""
        return None if self.best is None or self.of_ratios else self.best.chosen()

    def sensitivity(self, **options: Any) -> PairsSensitivity:
        """Return what becomes of each pair's verdict; options as `Posterior.sensitivity`."""
        of_pairs = {p: self.posterior(*p).sensitivity(**options) for p in self.results}
        return PairsSensitivity(cast(dict[Pair, Sensitivity], of_pairs))

    @property
    def sentences(self) -> list[str]:
        """How the leader does against the others, and which is most likely best, if known."""
        return [*filter(None, [describe_rivals(self), *name_likeliest(self)])]

    @property
    def doubts(self) -> tuple[str, ...]:
        """Notes on untrusted and approximate results, and on scores left out."""
        gone = sum(bool(result.left_out) for result in self.results.values())
        left = INCOMPLETE.format(
            pairs=format_count(gone, "pair"), where=either(".frame", "--full")
        )
        caveat = [self.best.caveat] if self.best is not None and self.best.caveat else []
        caveat += dict.fromkeys(
            note for result in self.results.values() if self.p_best for note in result.notes
        )
        return (*count_doubtful(self), *caveat, *([left] if gone else []))

    @property
    def _decided_count(self) -> int:
        return sum(result.verdict.decided for result in self.results.values())

    @property
    def _size(self) -> str:
        """The number of data sets, if it is known."""
        most = max((result.datasets for result in self.results.values()), default=0)
        return format_count(most, self.unit) if most else ""

    @property
    def setting(self) -> str:
        """Metric, ROPE and number of data sets: "accuracy ↑, ROPE ±0.01, 14 data sets"."""
        rope = rope_phrase(self.rope)
        some = next((result.verdict for result in self.results.values()), None)
        what = write_setting(some) if some else f"{self.measured or 'scores'}, {rope}"
        sets = [self._size] if self._size else []
        return ", ".join([what, *sets])

    @property
    def methods(self) -> tuple[str, ...]:
        """The tests, and the correlation of folds, in words."""
        tests = dict.fromkeys(result.verdict.method for result in self.results.values())
        return (*(test for test in tests if test), *filter(None, [self._how]))

    def _in_names(self, pair: Pair) -> str:
        """State a pair's verdict, with the name of the better one."""
        if pair in self.failures:
            return "failed"
        verdict = self.results[pair].verdict
        winner = {"first": pair[0], "second": pair[1]}.get(verdict.decision)
        return f"{cut_name(winner, 16)} better" if winner else verdict.decision

    def _kinds(self, pair: Pair) -> list[list[object]]:
        """Return the rows of a pair, of which the first has its names and its decision."""
        heads = heads_of(self.rope)
        if pair in self.failures:
            return [[*pair, "", *(NAN for _ in heads), "failed"]]
        v = self.results[pair].verdict
        kinds = {v.decides: v.probabilities, "predictive": v.expected, "mean": v.location}
        decision = {v.shape.decisions[region]: head for region, head in heads.items()}
        known = [(kind, p) for kind, p in kinds.items() if p is not None]
        return [
            [
                *(pair if i == 0 else ("", "")),
                kind,
                *(float(p[region]) for region in heads),
                decision.get(v.decision, v.decision) if i == 0 else "",
            ]
            for i, (kind, p) in enumerate(known)
        ]


INCOMPLETE = "{pairs} compared without some scores (counted in {where})"
LEFT_OUT = "left out of {first} and {second}: {counts}"
LEFT_OUT_SENTENCE = "Left out of {first} and {second}: {counts}."
FEWER = "*: mean over fewer {unit}s ({counts})"
ESTIMATED = "estimated: the model's estimate of the mean difference"
ESTIMATED_INTERVAL = (
    "estimated: the model's estimate of the mean difference (95% credible interval)"
)
OVER = "ROPE up to: {leader} is practically better for any ROPE up to this"
WITH_CONTROL = "ROPE up to: one of the two is practically better for any ROPE up to this"
DECIDED = "{decided} of {pairs} decided"
#: Words for the number of decided pairs, by kind of ROPE.
COUNTS = {
    "ROPE": "Of {pairs}: one is better in {better}, the two are practically equivalent in {same}, "
    "undecided in {undecided}.",
    "none": "Of {pairs}: one is better in {better}, undecided in {undecided}.",
    "margin": "Of {pairs}: one is practically worse in {better}, not practically worse in {kept}, "
    "undecided in {undecided}.",
}
UNDECIDED = "Undecided: {pairs}."
CAUTION = "Caution: {}."
VERDICTS = "Verdicts in {}"
PAIRS = {
    True: "{comparisons} with {control}, {setting}",
    False: "{comparisons}, {setting}",
}


def list_left_out(comparisons: Comparisons, template: str = LEFT_OUT) -> list[str]:
    """List what was left out of each pair, because a score of either is missing."""
    return [
        template.format(first=first, second=second, counts=result.left_out.counts)
        for (first, second), result in comparisons.results.items()
        if result.left_out
    ]


@summarise.register
def _summarise_comparisons(comparisons: Comparisons) -> Summary:
    table, columns = tabulate_standings(comparisons)
    lead = headline(comparisons)
    decided = DECIDED.format(
        decided=comparisons._decided_count, pairs=format_count(len(comparisons), "pair")
    )
    return Summary(
        lead,
        table,
        columns,
        notes=comparisons.doubts,
        label="standings",
        setting=comparisons.setting,
        sentences=comparisons.sentences,
        legend=_write_legend(comparisons, "lag" in table),
        method="; ".join([decided, *comparisons.methods]),
        more=either("more: .full(), .frame, .explain(), .plot(), .sensitivity()", ""),
        explanation=lambda: _explain(comparisons),
        paper=lambda: _tabulate_for_paper(comparisons),
        further=lambda: _list_further(comparisons),
    )


def _explain(comparisons: Comparisons) -> Explanation:
    lead = f"{headline(comparisons)}."
    verdicts = [result.verdict for result in comparisons.results.values()]
    caution = [CAUTION.format(text) for text in count_doubtful(comparisons)]
    undecided = [f"{o.count} ({o.cause}: {o.advice})" for o in open_pairs(comparisons)]
    return Explanation(
        short=[lead, *comparisons.sentences, *caution],
        results=[
            lead,
            describe_rivals(comparisons),
            _count_decided(comparisons),
            describe_order(comparisons),
            *describe_best(comparisons),
            UNDECIDED.format(pairs="; ".join(undecided)) if undecided else "",
            *caution,
        ],
        methods=[
            f"{VERDICTS.format(describe_tests(comparisons))}.",
            *write_methods_of_pairs(verdicts, data=comparisons._size),
            *list_left_out(comparisons, LEFT_OUT_SENTENCE),
        ],
    )


def _write_legend(comparisons: Comparisons, is_lag_shown: bool) -> str:
    """State what the numbers of the table are."""
    known = any(result.verdict.mean_interval for result in comparisons.results.values())
    lag = [ESTIMATED_INTERVAL if known else ESTIMATED] if is_lag_shown else []
    limits = [WITH_CONTROL if comparisons.control else OVER.format(leader=comparisons.order[0])]
    counts = ", ".join(f"{name} {count}" for name, count in comparisons.fewer.items())
    fewer = [FEWER.format(unit=comparisons.unit, counts=counts)] if counts else []
    return "; ".join([*lag, *(limits if comparisons.limits else []), *fewer])


def _count_decided(comparisons: Comparisons) -> str:
    decisions = [result.verdict.decision for result in comparisons.results.values()]
    one_sided, empty = comparisons.rope.one_sided, comparisons.rope.empty
    return COUNTS["margin" if one_sided else "none" if empty else "ROPE"].format(
        pairs=format_count(len(comparisons), "pair"),
        better=decisions.count("first") + decisions.count("second"),
        same=decisions.count(SAME),
        kept=decisions.count("not worse"),
        undecided=sum(decision in UNSETTLED for decision in decisions),
    )


def _list_further(comparisons: Comparisons) -> list[Summary]:
    """Summarise which is best, and all pairs, those of the best algorithms first."""
    numbers = [f"{part}_{r}" for part in PARTS if part != "se" for r in REGIONS]
    frame = comparisons.frame[["first", "second", *numbers, "evidence"]]
    frame.insert(2, "decision", [comparisons._in_names(pair) for pair in comparisons._pairs])
    regions = ", ".join(heads_of(comparisons.rope, "A", "B").values())
    targets = dict.fromkeys(result.verdict.target for result in comparisons.results.values())
    failed = [f"{len(comparisons.failures)} failed"] if comparisons.failures else []
    setting = ", ".join(
        filter(None, [comparisons.measured, rope_phrase(comparisons.rope), *failed])
    )
    pairs = Summary(
        PAIRS[comparisons.control is not None].format(
            comparisons=format_count(len(comparisons), "comparison"),
            control=comparisons.control,
            setting=setting,
        ),
        side_by_side(frame, heads_of(comparisons.rope)),
        {**A_AND_B, "decision": Column(Cells.WORDS)},
        notes=list_left_out(comparisons),
        legend=f"probabilities of: {regions}, on {join_items([*targets])}",
        method=comparisons._how,
    )
    return [*([] if comparisons.best is None else [summarise(comparisons.best)]), pairs]


def _tabulate_for_paper(comparisons: Comparisons) -> Summary:
    """Make the table for a paper: a row per kind of probability, decided regions in bold."""
    rows = [line for pair in comparisons._pairs for line in comparisons._kinds(pair)]
    heads = {f"p_{region}": head for region, head in heads_of(comparisons.rope).items()}
    table = pd.DataFrame(rows, columns=["first", "second", "probability", *heads, "decision"])
    failed = [
        f"{comparisons.failures[p]}" for p in comparisons._pairs if p in comparisons.failures
    ]
    return Summary(
        VERDICTS.format(describe_tests(comparisons)),
        table,
        {
            key: Column(
                Cells.PROBABILITY, head, [*((table["decision"] == head) & table[key].notna())]
            )
            for key, head in heads.items()
        },
        notes=[*filter(None, [comparisons._how]), *list_left_out(comparisons), *failed],
        label="verdicts",
    )
