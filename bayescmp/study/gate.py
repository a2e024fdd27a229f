"""May this change go in? The candidate is not worse than the baseline by more than a margin.

With p the probability that the candidate is not worse than the baseline by more than the margin,
*pass* if p reaches the threshold, *fail* if 1 − p does, else *undecided*. ``on`` sets the subject
of p: the "mean" over data sets (or one benchmark's questions), or the "next" data set.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
from scipy.special import ndtri

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import (
    Seed,
    as_names,
    check_choice,
    check_flags,
    distinct_names,
    mapping_of,
    seed_of,
    text,
    validate_params,
)
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, as_facts
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.paired.correlated import CorrelatedPosterior, RobustPosterior
from bayescmp.bayesian.paired.items import ItemPosterior
from bayescmp.errors import InputError, locate_errors, name_argument
from bayescmp.frequentist.sequences import confidence_sequence
from bayescmp.items.items import Items
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.results.posterior import Posterior
from bayescmp.results.verdict import (
    Interval,
    Verdict,
    check_threshold,
)
from bayescmp.scores.differences import Differences
from bayescmp.scores.means import Means
from bayescmp.scores.resampling import inflation
from bayescmp.scores.rope import Rope, Ropes, margins_in_words, rope_of
from bayescmp.scores.scores import Scores
from bayescmp.study.compare import (
    IndependentRuns,
    PairedScores,
    Request,
    SharedItems,
    compare,
    read_pair,
)
from bayescmp.study.question import as_scores
from bayescmp.summaries.fitted import describe_method, list_doubts
from bayescmp.summaries.verdict import is_loss_ratio, ratios, write_methods_of_pairs
from bayescmp.wording.text import format_estimate, format_probability, join_items, sentence_of

#: Outcomes of a gate; "undecided" is neither of the others.
OUTCOMES = ("pass", "fail", "undecided")
#: Subjects of the probability.
ON = ("mean", "next")
#: Said wherever there are several candidates.
NOT_JOINT = (
    "each candidate was compared with the baseline separately: with more candidates, it is more "
    "likely that one passes by chance"
)
#: Largest factor of data that is worth a plan; no study would collect more.
MOST_DATA = 100


@dataclass(frozen=True, repr=False)
class GateCheck(Record):
    """One metric of one candidate, or all its metrics at once.

    Attributes
    ----------
    metric : str
        "all metrics" for their joint probability.
    margin : float
        By how much it may be worse; NaN for all metrics.
    p, error : float
        Probability that the candidate is not worse by more than the margin (NaN for a sequence),
        and its numerical or Monte Carlo standard error.
    about : str
        The subject of p: "the mean over data sets", "a new data set".
    estimate : float
        Posterior median of the mean difference, candidate minus baseline; NaN if not known.
    interval : (float, float) or None
        Its central 95% interval.
    settling : str
        What would settle an undecided check, by the posterior's own plan.
    verdict : Verdict or None
        The source of p; None for a sequence.
    settled_after : int or None
        For a sequence, after how many items it passed or failed; None while it continues.
    """

    candidate: str
    metric: str
    margin: float
    p: float
    error: float
    threshold: float
    about: str
    estimate: float
    interval: Interval | None
    settling: str
    verdict: Verdict | None = field(repr=False)
    settled_after: int | None = None

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`, by two standard errors, or where a sequence first left the margin."""
        if self.verdict is None:
            if self.settled_after is None or self.interval is None:
                return "undecided"
            return "pass" if self.interval[0] > -self.margin else "fail"
        if self.p - 2 * self.error >= self.threshold:
            return "pass"
        return "fail" if 1 - self.p - 2 * self.error >= self.threshold else "undecided"

    def to_dict(self) -> Json:
        """Return plain numbers and strings, for JSON; null is what is not known."""
        asked = as_facts(self, "candidate", "metric", "margin", "outcome", not_worse=self.p)
        of_sequence = ("settled_after",) if self.verdict is None else ()
        results = ("error", "about", "estimate", "interval", "settling", *of_sequence)
        return asked | as_facts(self, *results)


@dataclass(frozen=True, repr=False)
class Gate(Record, Summarised):
    """Whether a candidate passes: it is not worse than the baseline by more than a margin.

    A gate may be undecided, so it is neither true nor false: use ``.passed``.

    Attributes
    ----------
    baseline : str
    candidates : tuple of str
    checks : tuple of GateCheck
        One per candidate and metric; with several metrics also one of all metrics at once.
    threshold : float
        Probability required to pass and to fail.
    on : {"mean", "next"}
        The subject of the probabilities.
    method : str
        How they were computed.
    notes : tuple of str
    """

    baseline: str
    candidates: tuple[str, ...]
    checks: tuple[GateCheck, ...]
    threshold: float
    on: str
    method: str = ""
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`: "fail" if any candidate fails, "pass" if all pass."""
        each = {self.outcome_of(name) for name in self.candidates}
        return "fail" if "fail" in each else "pass" if each == {"pass"} else "undecided"

    @property
    def passed(self) -> bool:
        """Whether the outcome is "pass"."""
        return self.outcome == "pass"

    @validate_params(candidate=text)
    def outcome_of(self, candidate: str) -> str:
        """Return one candidate's outcome: fail by any metric, pass by the joint probability."""
        own = [check for check in self.checks if check.candidate == candidate]
        if not own:
            check_choice("candidate", candidate, self.candidates)
        if any(check.outcome == "fail" for check in own):
            return "fail"
        return own[-1].outcome

    def __bool__(self) -> bool:
        raise TypeError("a Gate is neither true nor false, since it may be undecided: use .passed")

    @property
    def frame(self) -> pd.DataFrame:
        """One row per check, unrounded.

        candidate, metric, margin; estimate, low and high of the mean difference, candidate minus
        baseline; not_worse (by more than the margin), a probability, and its standard error;
        settled_after, of a sequence; outcome.
        """
        rows = [
            {
                "candidate": check.candidate,
                "metric": check.metric,
                "margin": check.margin,
                "estimate": check.estimate,
                "low": math.nan if check.interval is None else check.interval[0],
                "high": math.nan if check.interval is None else check.interval[1],
                "not_worse": check.p,
                "error": check.error,
                "settled_after": check.settled_after,
                "outcome": check.outcome,
            }
            for check in self.checks
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        each = {name: self.outcome_of(name) for name in self.candidates}
        asked = as_facts(self, "outcome", "passed", "baseline", candidates=each)
        results = ("threshold", "on", "checks", "method", "notes")
        return asked | as_facts(self, *results, explanation=self.explain())

    def to_junit(self) -> str:
        """Return the checks as JUnit XML, where fail is a failure and undecided an error."""
        kinds = {"fail": "failure", "undecided": "error"}
        outcomes = [check.outcome for check in self.checks]
        counts = {"failures": outcomes.count("fail"), "errors": outcomes.count("undecided")}
        numbers = {"tests": len(outcomes), **counts}
        named = {"name": "bayescmp gate", **{k: str(n) for k, n in numbers.items()}}
        suite = ElementTree.Element("testsuite", named)
        for check in self.checks:
            labels = {
                "classname": check.candidate,
                "name": f"{check.metric} against {self.baseline}",
            }
            case = ElementTree.SubElement(suite, "testcase", labels)
            if check.outcome in kinds:
                says = {"type": check.outcome, "message": describe_check(self, check)}
                ElementTree.SubElement(case, kinds[check.outcome], says)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def gate(
    scores: Scores | Items | Differences | Means | pd.DataFrame,
    baseline: str | None = None,
    candidate: str | Sequence[str] | None = None,
    metric: str | Sequence[str] | None = None,
    margin: float | str | Sequence[float] | Mapping[str, float] | None = None,
    *,
    on: str | None = None,
    threshold: float = 0.95,
    sequential: bool = False,
    seed: Seed = None,
    **options: object,
) -> Gate:
    """Decide whether a candidate is not worse than the baseline by more than a margin.

    Parameters
    ----------
    scores : Scores, Items, Differences, Means or DataFrame
        As for `compare`.
    baseline : str, optional
        What is in use; may be left out for `Differences`, whose first algorithm it is.
    candidate : str or sequence of str, optional
        What is to replace it. Several are each compared with the baseline.
    metric : str or sequence of str, optional
        May be left out if there is only one.
    margin : float or str; for several metrics also a sequence or mapping with one per metric
        By how much the candidate may be worse, >= 0, in units of the metric, or "1%".
    on : {"mean", "next"}, optional
        What must not be worse: the mean over data sets (or questions, or folds), or a new data
        set. By default "next" if there are several data sets or benchmarks, else "mean".
    threshold : float
        Probability required to pass and to fail.
    sequential : bool
        For independent items in random order: pass, fail, or continue, as often as you like, by
        `bayescmp.frequentist.confidence_sequence`. A candidate at the margin *ever* passes with a
        probability of at most 1 - threshold.
    seed : int or numpy Generator, optional
    **options
        As for `compare`: test, dataset, rho, scale, and the test's own. With ``sequential``:
        dataset, and bounds as for the sequence.

    Returns
    -------
    Gate

    Raises
    ------
    InputError
        A missing or negative margin; on="next" for a single data set, on="mean" for a test without
        a mean; sequential=True for folds or clustered items; otherwise as for `compare`.

    See Also
    --------
    compare : Better, worse, or practically the same?

    Notes
    -----
    The regions are those of the ROPE (-margin, ∞). With several metrics a candidate passes if the
    probability, in one joint model, that it is not worse in any reaches the threshold; it fails if
    it fails by any. The t test's probability is one minus the p-value of non-inferiority.

    References
    ----------
    Walker & Nowacki (2011), Journal of General Internal Medicine 26:192-196 (non-inferiority).

    Examples
    --------
    >>> import bayescmp as bc
    >>> rows = [("old", i, i % 4 > 0) for i in range(200)] + [("new", i, i % 4 > 0 or i % 8 == 0)
    ...         for i in range(200)]
    >>> import pandas as pd
    >>> table = pd.DataFrame(rows, columns=["model", "item", "correct"]).assign(benchmark="mmlu")
    >>> result = bc.gate(bc.Items(table), "old", "new", margin=0.02)
    >>> result.outcome, result.passed
    ('pass', True)
    """
    threshold = check_threshold(threshold)
    if on is not None:
        check_choice("on", on, ON)
    check_flags(sequential=sequential)
    if isinstance(scores, Differences):
        baseline, candidate = baseline or scores.names[0], candidate or scores.names[1]
    if baseline is None or candidate is None:
        what = "baseline" if baseline is None else "candidate"
        raise must(what, "be given: the name of one of those in the table")
    given = scores if isinstance(scores, Means) else as_scores(scores, metric=metric)
    candidates = distinct_names("candidate", tuple(as_names(candidate, "candidate")))
    if not candidates:
        raise must_be("candidate", "a name, or several in a list", candidate)
    if "rope" in options:
        hint = f"Give {arg('margin')}, the finite bound of the ROPE (-margin, inf)."
        raise must("rope", "be left out", hint=hint)
    margins = _margins(given, metric, margin, options.get("scale"))
    names = str(baseline), *candidates
    question = _Question(given, names[0], margins, threshold, seed_of(seed), options)
    ask = _watch if sequential else _checks
    asked = [part for name in candidates for part in ask(question, name, on)]
    checks, posteriors = zip(*asked, strict=True)
    method, kind, verdict = SEQUENCE, "mean", checks[-1].verdict
    if verdict is not None:
        kind = _kind(on, verdict)
        last = posteriors[-1]
        data = describe_method(last, last.data_text)[1:2]
        method = "; ".join([sentence_of(verdict.method), *data])
    doubts = [doubt for one in posteriors if one is not None for doubt in list_doubts(one)]
    notes = (*([NOT_JOINT] if len(candidates) > 1 else []), *dict.fromkeys(doubts))
    return Gate(names[0], candidates, checks, threshold, kind, method, notes)


# The question: a margin for each metric.


@dataclass(frozen=True, eq=False)
class _Question:
    """The question about each candidate, checked."""

    scores: Scores | Items | Differences | Means
    baseline: str
    margins: Mapping[str, Rope]
    threshold: float
    seed: int
    options: Mapping[str, object]


def _margins(
    scores: Scores | Items | Differences | Means, metric: Any, margin: Any, scale: object
) -> dict[str, Rope]:
    """Return the region (-margin, ∞) of each metric."""
    if margin is None:
        raise must(
            "margin",
            "be given: by how much the candidate may be worse, in units of the metric",
            hint="Give e.g. 0.01 for accuracy.",
        )
    if isinstance(scores, Means):
        scores = scores.scores
    if isinstance(scores, Scores):
        names = as_names([scores.metric_named(None)] if metric is None else metric, "metric")
        spans = {name: scores.span(name) for name in names}
    else:
        known = scores.metric if isinstance(scores, Differences) else scores.direction.metric
        names = as_names(known or "score" if metric is None else metric, "metric")
        if known and names and names != [known]:
            raise must_be("metric", f"{known!r}, by which these are scored", metric)
        spans = dict.fromkeys(names, scores.span)
    if not names:
        raise must_be("metric", "a name, or several in a list", metric)
    named = mapping_of(margin, "margin")
    if named is not None:
        for name in named:
            check_choice("metric of margin", name, names, "margin")
        missing = [name for name in names if name not in named]
        if missing:
            raise must("margin", "have one for each metric", f"none for {missing[0]!r}")
        each = [named[name] for name in names]
    elif isinstance(margin, Iterable) and not isinstance(margin, str):
        each = list(margin)
        if len(each) != len(names):
            accepted = f"one number for all, or one for each of {', '.join(names)}"
            raise must_be("margin", accepted, margin)
    else:
        each = [margin] * len(names)
    on_scale = str(scale or getattr(scores, "scale", "difference"))
    return {
        name: _make_region(value, on_scale, spans[name], name)
        for name, value in zip(names, each, strict=True)
    }


def _make_region(margin: object, scale: str, span: float | None, metric: str) -> Rope:
    """Return a margin's region; a tenth of the metric's range or more has to be text."""
    try:
        region = rope_of(margin, scale, span)
    except InputError as error:
        accepted = "how much worse the candidate may be, >= 0 and finite"
        raise must_be("margin", accepted, margin) from error
    if region.low != -region.high:
        raise must_be("margin", "one number >= 0", margin)
    if span is not None and scale == "difference" and not isinstance(margin, str):
        check_margin(region.high, span, metric)
    return Rope(region.low, math.inf)


def check_margin(margin: float, span: float, metric: str) -> None:
    """Refuse a margin of a tenth of a metric's range or more."""
    if margin >= span / 10:
        raise must_be(
            "margin",
            f"below {span / 10:g}, a tenth of the range of {metric!r}",
            margin,
            f"For half a percentage point write {span / 200:g} or 0.5%; for a margin "
            f"this wide write {100 * margin / span:g}%.",
        )


# The answer: a check per metric, and one of all at once.


def _checks(
    question: _Question, candidate: str, on: str | None
) -> list[tuple[GateCheck, Posterior | None]]:
    compare_with = partial(
        compare, question.scores, question.baseline, candidate, seed=question.seed
    )
    margins, options = question.margins, dict[str, Any](question.options)
    checks: list[tuple[GateCheck, Posterior | None]] = []
    for metric, rope in margins.items():
        posterior = compare_with(_metric_of(question, metric), rope, **options)
        checks.append((_check(posterior, metric, on, question.threshold), posterior))
    if len(margins) > 1:
        rest = {name: value for name, value in options.items() if name not in ("test", "scale")}
        joint = compare_with(list(margins), Ropes(margins.values()), **rest)
        checks.append((_check(joint, ALL, on, question.threshold), joint))
    return checks


def _metric_of(question: _Question, metric: str) -> str | None:
    """Return the metric to compare by; items and differences have one, named or not."""
    return metric if isinstance(question.scores, Scores) else None


#: The name of the check of all metrics at once.
ALL = "all metrics"


def _kind(on: str | None, v: Verdict) -> str:
    """State what the probability is of, by default the next of several data sets."""
    return on or ("mean" if v.expected is None else "next")


def _check(posterior: Posterior, metric: str, on: str | None, threshold: float) -> GateCheck:
    """Check the requested probability of not being worse."""
    v = posterior.verdict(threshold=threshold)
    several, kind = v.expected is not None, _kind(on, v)
    if kind == "next" and not several:
        raise must_be("on", "'mean' for a single data set or benchmark", on)
    if kind == "mean" and several and v.location is None:
        why = f"The {v.method} has no mean. Use scores of folds for one."
        raise must_be("on", "'next'", on, why)
    if kind == "next":
        p, errors, about = v.expected, v.expected_errors, v.target
    elif several:
        p, errors, about = v.location, v.location_errors, f"average over the {v.unit}s"
    else:
        p, errors, about = v.probabilities, v.errors, v.target
    assert p is not None
    region = v.shape.within
    one = isinstance(v.rope, Rope)
    check = GateCheck(
        candidate=v.names[1],
        metric=metric,
        margin=v.rope.size if isinstance(v.rope, Rope) else math.nan,
        p=float(p[region]),
        error=float((errors or {}).get(region, 0.0)),
        threshold=threshold,
        about=about,
        estimate=v.estimate[0] if one and v.estimate else math.nan,
        interval=v.mean_interval[0] if one and v.mean_interval else None,
        settling="",
        verdict=v,
    )
    return replace(check, settling=_suggest_settling(posterior, check, kind))


#: How a sequential gate was found.
SEQUENCE = "Confidence sequence by betting (Waudby-Smith & Ramdas 2024), valid at every look."


def _watch(
    question: _Question, candidate: str, on: str | None
) -> list[tuple[GateCheck, Posterior | None]]:
    """Find where the confidence sequence of items first left the margin, if it has."""
    threshold, margins = question.threshold, question.margins
    if threshold == 1:
        raise must_be("threshold", f"below 1 with {arg('sequential', True)}", threshold)
    if on == "next":
        raise must_be("on", f"'mean' with {arg('sequential', True)}", on)
    if len(margins) > 1:
        raise must_be("metric", f"one metric with {arg('sequential', True)}", list(margins))
    ((metric, rope),) = margins.items()
    given = question.options.items()
    rest: Json = {k: value for k, value in given if value is not None and str(value) != "auto"}
    how = {name: rest.pop(name, None) for name in ("dataset", "rho", "scale")}
    names = question.baseline, candidate, _metric_of(question, metric)
    scores = read_pair(question.scores, Request(*names, rope, **how)).scores
    if isinstance(scores, IndependentRuns):
        raise must_be("sequential", "left out for independent runs, which do not pair", True)
    assert isinstance(scores, PairedScores | SharedItems)  # two names, one metric
    pair = scores.x
    bounds = rest.pop("bounds", None if pair.span is None else (-pair.span, pair.span))
    for name in rest:
        raise must(
            name,
            f"be left out with {arg('sequential', True)}, which has no posterior",
            hint=f"Use only {arg('dataset')}{either(' and bounds', '')}.",
        )
    if bounds is None:
        raise must(
            f"metric {metric!r}",
            f"have a known range with {arg('sequential', True)}",
            "none",
            f"Give {either('bounds=(low, high)')}, between which all differences of scores lie.",
            argument="metric",
        )
    with (
        name_argument("scores", "d"),
        locate_errors(f"{arg('sequential', True)} of these scores"),
    ):
        sequence = confidence_sequence(pair, bounds=bounds, alpha=2 * (1 - threshold))
    left = np.flatnonzero((sequence.low > rope.low) | (sequence.high < rope.low))
    at = int(left[0]) if len(left) else sequence.n - 1
    check = GateCheck(
        candidate=candidate,
        metric=metric,
        margin=rope.size,
        p=math.nan,
        error=0.0,
        threshold=threshold,
        about=f"average over questions of this kind ({at + 1} of {sequence.n} seen)",
        estimate=float(sequence.x[: at + 1].mean()),
        interval=(float(sequence.low[at]), float(sequence.high[at])),
        settling="",
        verdict=None,
        settled_after=at + 1 if len(left) else None,
    )
    more = "" if len(left) else "Continue with more questions."
    return [(replace(check, settling=more), None)]


def _suggest_settling(posterior: Posterior, check: GateCheck, kind: str) -> str:
    """State what would settle an undecided check, if anything would."""
    v = check.verdict
    if v is None or check.outcome != "undecided":
        return ""
    if kind == "next":
        return _describe_more_data_sets(v, check.threshold)
    if isinstance(posterior, (ItemPosterior, HierarchicalPosterior)):
        try:
            return _describe_plan(posterior, check.threshold)
        except InputError:  # for judges: more of them would be needed
            return ""
    return _describe_unchanged_difference(posterior, check)


def _describe_more_data_sets(v: Verdict, threshold: float) -> str:
    """State what more data sets would do for the verdict on a new data set."""
    if v.known is None:
        return ""
    kind = "probably"
    if v.known.median < threshold:
        kind = "never" if v.known.interval[1] < threshold else "hardly"
    return MORE_DATA_SETS[kind].format(unit=v.unit, threshold=threshold, mean=arg("on", "mean"))


#: Effects of more data sets on a verdict on a new data set.
MORE_DATA_SETS = {
    "never": "The {unit}s disagree. However many there are, the probability on a new {unit} stays "
    "below {threshold:g}. Use {mean} if the average is what matters, or allow a wider margin.",
    "hardly": "The {unit}s disagree. With more of them the check would probably stay undecided. "
    "Use {mean} if the average is what matters, or allow a wider margin.",
    "probably": "With more {unit}s the check would probably be decided.",
}


#: The least power with which the stated amount of data settles it.
ENOUGH = 0.8
#: Multiples of the data sets that are tried, and the simulated studies of each.
TIMES, STUDIES = (2, 5, 10), 100


def _describe_plan(posterior: ItemPosterior | HierarchicalPosterior, threshold: float) -> str:
    """State how many times as many questions or data sets would settle it, by a plan."""
    if isinstance(posterior, HierarchicalPosterior):
        unit, seen = posterior.unit, len(posterior.datasets)
        further = [(times - 1) * seen for times in TIMES]
        frame = posterior.plan(
            datasets=further, threshold=threshold, simulations=STUDIES, progress=False
        ).frame
        totals = seen + frame["datasets"]
    else:
        unit, seen = "question", posterior.questions
        factors = np.geomspace(1, MOST_DATA, 49)[1:]
        more = sorted({math.ceil(factor * seen) - seen for factor in factors})
        frame = posterior.plan(questions=more, threshold=threshold).frame
        totals = frame["total_questions"]
    enough = frame["decided"] >= ENOUGH
    place = int(enough.argmax()) if enough.any() else -1
    row = frame.iloc[place]
    return PLAN.format(
        times=totals.iloc[place] / seen,
        unit=unit,
        power=row["decided"],
        passes=row["not worse"],
        fails=row["first"],
    )


PLAN = (
    "With about {times:.3g} times as many {unit}s, the predicted probability of a decision is "
    "{power:.2f} (pass {passes:.2f}, fail {fails:.2f})."
)


def _describe_unchanged_difference(posterior: Posterior, check: GateCheck) -> str:
    """State how many times as many folds or runs would settle it, if the difference stays.

    The variance of a mean over n folds is proportional to 1/n + ρ/(1 − ρ), whose second part
    remains. The difference is at the margin if not even as many independent runs, with 1/n, would
    settle it.
    """
    if check.interval is None or math.isnan(check.estimate):
        return ""
    away = check.estimate + check.margin
    half = (check.interval[1] - check.interval[0]) / 2 * ndtri(check.threshold) / ndtri(0.975)
    n, shared, unit = 1, 0.0, "run"
    if isinstance(posterior, (CorrelatedPosterior, RobustPosterior)):
        n, shared, unit = len(posterior.x), inflation(1, posterior.rho) - 1, posterior.sample
    settled = (1 / n + shared) * (away / half) ** 2  # the variance that settles it
    if settled * n * MOST_DATA < 1:
        return AT_MARGIN
    left = settled - shared
    if left * n * MOST_DATA < 1:
        return SHARED.format(unit=unit)
    return ENOUGH_RUNS["pass" if away > 0 else "fail"].format(
        times=max(1 / (n * left), 1), unit=unit
    )


AT_MARGIN = (
    "The difference is at the margin: no affordable amount of data settles on which side it is."
)
SHARED = (
    "More {unit}s would not settle this, because {unit}s share their training data. Scores on "
    "more data sets would help."
)
ENOUGH_RUNS = {
    "pass": "With about {times:.2g} times as many {unit}s the check would pass, if the difference "
    "and its spread do not change.",
    "fail": "With about {times:.2g} times as many {unit}s the check would fail, if the difference "
    "and its spread do not change.",
}


# Summary.

HEADLINES = {
    "pass": "pass: {candidate} is not practically worse than {baseline}",
    "fail": "fail: {candidate} is practically worse than {baseline}",
    "undecided": "undecided: {candidate} may be practically worse than {baseline}",
}
SEVERAL = "{outcome}: against {baseline}, {each}"
EACH = {"pass": "{name} passes", "fail": "{name} fails", "undecided": "{name} is undecided"}

#: By how much it may be worse: by a metric without a name, by one of several, by all.
WORSE = {
    "score": "worse than {baseline} by more than {margin}",
    "metric": "worse than {baseline} by more than {margin} in {metric}",
    "all": "worse than {baseline} by more than its margin in any metric",
}
CHECKS = {
    "pass": "On {about}, {candidate} is not {worse} (probability {p}, threshold {threshold:g}).",
    "fail": "On {about}, {candidate} is {worse} (probability {p}, threshold {threshold:g}).",
    "undecided": "On {about}, it is undecided whether {candidate} is {worse} (probability of not "
    "being worse {p}, threshold {threshold:g}).",
}
SEQUENCES = {
    "pass": "On {about}, {candidate} is not {worse}. {valid}",
    "fail": "On {about}, {candidate} is {worse}. {valid}",
    "undecided": "On {about}, it is undecided whether {candidate} is {worse}.",
}
VALID = "Whenever the study stops, this is wrong with probability {error:.2g} or less."


@summarise.register
def _summarise_gate(gate: Gate) -> Summary:
    sentences = [describe_check(gate, check) for check in gate.checks]
    last = gate.checks[:: -len(gate.checks) // len(gate.candidates)]  # that of all its metrics
    verdicts = [check.verdict for check in last if check.verdict is not None]
    named = gate.candidates[0] if len(gate.candidates) == 1 else "a candidate"
    return Summary(
        _headline(gate),
        _table(gate),
        {"metric": Column(Cells.WORDS)},
        notes=gate.notes,
        label="gate",
        setting=f"threshold {gate.threshold:g}",
        sentences=sentences,
        method=gate.method,
        more=either("more: .passed, .explain(), .checks, .to_dict(), .to_junit()", ""),
        explanation=lambda: Explanation(
            short=sentences,
            methods=[
                f"{gate.method}.",
                *write_methods_of_pairs(verdicts, (gate.baseline, named)),
            ],
        ),
    )


def _headline(g: Gate) -> str:
    if len(g.candidates) > 1:
        each = [EACH[g.outcome_of(name)].format(name=name) for name in g.candidates]
        return SEVERAL.format(outcome=g.outcome, baseline=g.baseline, each=join_items(each))
    return HEADLINES[g.outcome].format(candidate=g.candidates[0], baseline=g.baseline)


def describe_check(g: Gate, check: GateCheck) -> str:
    """State the outcome of a check, and what would settle it if it is undecided."""
    kind = {ALL: "all", "score": "score"}.get(check.metric, "metric")
    margin = "" if kind == "all" else _margin(check)
    worse = WORSE[kind].format(baseline=g.baseline, margin=margin, metric=check.metric)
    templates = CHECKS if check.verdict is not None else SEQUENCES
    text = templates[check.outcome].format(
        about=check.about,
        candidate=check.candidate,
        worse=worse,
        p=format_probability(1 - check.p if check.outcome == "fail" else check.p),
        threshold=check.threshold,
        valid=VALID.format(error=1 - check.threshold),
    )
    return " ".join(filter(None, [text, check.settling]))


def _table(g: Gate) -> pd.DataFrame:
    """Make a row for each check: the difference and its interval, how probable, the outcome."""
    rows = [
        {
            **({"candidate": c.candidate} if len(g.candidates) > 1 else {}),
            "metric": c.metric,
            "margin": "" if math.isnan(c.margin) else _margin(c),
            **_evidence(c),
            "outcome": c.outcome,
        }
        for c in g.checks
    ]
    return pd.DataFrame(rows)


def _evidence(c: GateCheck) -> dict[str, str]:
    if c.verdict is not None:
        return {"mean difference (95% CrI)": _difference(c), "not worse": format_probability(c.p)}
    after = "-" if c.settled_after is None else str(c.settled_after)
    level = 100 * (2 * c.threshold - 1)
    return {f"mean difference ({level:.4g}% CI)": _difference(c), "settled after": after}


def _margin(c: GateCheck) -> str:
    """Write how much worse it may be; of ratios in percent."""
    v = c.verdict
    if v is None:
        return f"{c.margin:g}"
    return margins_in_words(v.rope, v.metrics, of_ratios=v.of_ratios, lower=is_loss_ratio(v))


def _difference(c: GateCheck) -> str:
    if c.interval is None:
        return ""
    if c.verdict and c.verdict.of_ratios:
        estimate, low, high = ratios(c.estimate, c.interval, lower=is_loss_ratio(c.verdict))
    else:
        estimate, low, high = format_estimate(c.estimate, c.interval)
    return f"{estimate} ({low} to {high})"
