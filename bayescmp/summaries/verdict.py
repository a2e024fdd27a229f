"""The words of a verdict: one complete template per situation, filled once.

A template has named fields and is filled with `str.format`. The result contains users' names, and
is never edited afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from bayescmp.base.arguments import either
from bayescmp.present.summary import Explanation, Summary, summarise
from bayescmp.results.posterior import Posterior
from bayescmp.results.regions import FOUR
from bayescmp.results.verdict import (
    DIFFER,
    EDGE,
    FEW,
    Interval,
    Verdict,
    side_of,
)
from bayescmp.scores.metrics import list_metrics
from bayescmp.scores.rope import (
    Rope,
    Ropes,
    ends_in_words,
    margins_in_words,
    rope_phrase,
    ropes_in_words,
)
from bayescmp.summaries.fitted import (
    describe_method,
    describe_parameters,
    engine_details,
    list_doubts,
)
from bayescmp.wording.regions import CLAUSES, HEADLINES, LABELS, Texts, fill_in
from bayescmp.wording.text import (
    as_percent,
    cut_all,
    format_estimate,
    format_limit,
    format_number,
    format_probability,
    join_items,
    plus_minus,
)

#: Headlines of undecided verdicts, by their cause.
UNDECIDED = {
    "": "{first} and {second}: undecided",
    FEW: "{first} and {second}: undecided, there is not enough data",
    DIFFER: "{first} and {second}: undecided, the {unit}s disagree",
    EDGE: "{first} and {second}: undecided, the difference is close to a bound of the ROPE",
    "margin": "{first} and {second}: undecided, the difference is close to the margin",
    "borderline": "{first} and {second}: undecided, more draws are needed",
    "exact": "{first} and {second}: undecided, the probability is at the threshold",
}

# Phrases: sentences below the headline.

#: How probable the most probable outcome is.
PROBABLE = {
    "decided": "Most probable outcome on {target}: {clause} (posterior probability {p}, "
    "threshold {threshold}).",
    "undecided": "Most probable outcome on {target}: {clause} (posterior probability {p}, below "
    "the threshold {threshold}).",
    "borderline": "Most probable outcome on {target}: {clause} (posterior probability {p} ± "
    "{error}, too close to the threshold {threshold} to decide).",
    "tied": "No outcome on {target} is the most probable: {clauses} have the same posterior "
    "probability, {p} (threshold {threshold}).",
}

#: The mean difference, with the interval in favour of the leading algorithm.
MEAN = {
    "leads": "{quantity}{where}: {estimate} in favour of {leader} (95% credible interval {low} to "
    "{high}).",
    "equal": "{quantity}{where}: 0 (95% credible interval {low} to {high}, positive in favour of "
    "{leader}).",
    "interval": "{quantity}{where}: {low} to {high} in favour of {leader} (95% credible "
    "interval).",
    "ratio": "On average{where}, the {metric} of {leader} is {estimate} larger (95% credible "
    "interval {low} to {high}).",
    "ratio interval": "On average{where}, the {metric} of {leader} is {low} to {high} larger (95% "
    "credible interval).",
}

#: Without a ROPE: those for which more could be said.
LIMITS = {
    "both": "{leader} is practically better for any ROPE up to ±{better}; the two are practically "
    "equivalent for any ROPE of at least ±{equivalent}.",
    "better": "{leader} is practically better for any ROPE up to ±{better}.",
    "equivalent": "The two are practically equivalent for any ROPE of at least ±{equivalent}.",
    "same": "The two are practically equivalent for any ROPE.",
}

#: Why a verdict is undecided, where the headline is not above it.
REASONS = {
    FEW: "There is not enough data to decide.",
    DIFFER: "The {unit}s disagree.",
    EDGE: "The {quantity} is close to a bound of the ROPE.",
    "margin": "The {quantity} is close to the margin.",
}

#: Advice for an undecided verdict.
ADVICE = {
    "data sets": "More {unit}s, or more scores on each, would help.",
    DIFFER: "Even if the parameters were known exactly, the most probable outcome would occur on "
    "{target} with probability {p}. More {unit}s cannot raise this.",
    EDGE: "Whether this {quantity} matters is a judgement that more data cannot make.",
    "borderline": "More draws would decide.",
}


# Which phrases apply.


def is_of_metrics(v: Verdict) -> bool:
    """Whether the outcomes are those of several metrics."""
    return v.shape.regions == FOUR.regions


def is_without_rope(v: Verdict) -> bool:
    """Whether no metric has a ROPE."""
    return all(rope.empty for rope in v.rope) if isinstance(v.rope, Ropes) else v.rope.empty


def write_clause(v: Verdict, region: str) -> str:
    """Write an outcome as a clause: "svm is practically better"."""
    return _fill(CLAUSES, v, region)


def _fill(texts: Texts, v: Verdict, region: str) -> str:
    return fill_in(texts, v.shape.name, region, v.names, has_rope=not is_without_rope(v))


def _tied(v: Verdict) -> list[str]:
    """Return the regions that share the highest probability; none if one region has it."""
    top = v.probabilities[v.ranked[0]]
    tied = [r for r in v.possible if math.isclose(v.probabilities[r], top)]
    return tied if len(tied) > 1 else []


# The answer: headline, setting, sentences, table.


def write_headline(v: Verdict) -> str:
    """Write the verdict in one line."""
    if v.decided:
        return _fill(HEADLINES, v, v.ranked[0])
    first, second = v.names
    return UNDECIDED[_name_reason(v)].format(first=first, second=second, unit=v.unit)


def _name_reason(v: Verdict) -> str:
    if v.decision == "borderline":
        return "exact" if v.exact else "borderline"
    return "margin" if v.cause == EDGE and side_of(v.rope) else v.cause


def write_setting(v: Verdict) -> str:
    """Write the metric and the ROPE: "accuracy ↑, ROPE ±0.01"."""
    rope = rope_phrase(v.rope, v.metrics, of_ratios=v.of_ratios)
    return ", ".join(filter(None, (v.measured, rope)))


def write_answer(v: Verdict, *, reason: bool = False) -> list[str]:
    """Write the answer for readers without knowledge of tests, perhaps with the `reason`."""
    numbers = " ".join([_state_probability(v), *_state_means(v)])
    advice = " ".join([*(_state_reason(v) if reason else []), *_advise(v)])
    return list(filter(None, [numbers, _state_limits(v), advice]))


def _state_limits(v: Verdict) -> str:
    """State for which ROPEs one is practically better, or the two are equivalent."""
    if v.limits is None:
        return ""
    better, equivalent = v.limits.better_up_to, v.limits.equivalent_from
    known = ["better"] if better > 0 else []
    known += ["equivalent"] if equivalent > 0 else ["same"] if equivalent == 0 else []
    if not known:
        return ""
    return LIMITS[known[0] if len(known) == 1 else "both"].format(
        leader=v.limits.leader,
        better=format_limit(better, up=False, of_ratios=v.of_ratios) if better > 0 else "",
        equivalent=format_limit(equivalent, up=True, of_ratios=v.of_ratios)
        if equivalent > 0
        else "",
    )


def _state_probability(v: Verdict) -> str:
    region, tied = v.ranked[0], _tied(v)
    kind = "decided" if v.decided else "tied" if tied else v.decision
    return PROBABLE[kind].format(
        target=v.target,
        clause=write_clause(v, region),
        clauses=join_items([write_clause(v, r) for r in tied]),
        p=format_probability(v.probabilities[region], v.floor),
        error=f"{v.errors.get(region, 0.0):.1g}",
        threshold=f"{v.threshold:g}",
    )


def _state_means(v: Verdict) -> list[str]:
    if not v.mean_interval:
        return []
    count = len(v.mean_interval)
    names = (v.metrics or tuple(f"metric {j + 1}" for j in range(count))) if count > 1 else ("",)
    estimates = v.estimate or (math.nan,) * count
    return list(map(partial(_state_mean, v), names, estimates, v.mean_interval))


def _state_mean(v: Verdict, metric: str, estimate: float, interval: Interval) -> str:
    first, second = v.names
    low, high = interval
    sign = low + high if math.isnan(estimate) else estimate
    ahead = sign >= 0
    kind = "interval" if math.isnan(estimate) else "leads"
    if v.of_ratios:
        lower = v.directions[0].lower
        leader = second if ahead != lower else first
        kind = "ratio interval" if math.isnan(estimate) else "ratio"
    else:
        leader = second if ahead else first
    if not ahead:
        low, high = -high, -low
    write = ratios if v.of_ratios else format_estimate
    shown, start, end = write(abs(estimate), (low, high))
    if kind == "leads" and shown == "0":
        kind = "equal"
    over = f" over {v.unit}s" if v.expected is not None else ""
    return MEAN[kind].format(
        quantity=_name_quantity(v),
        where=f" in {metric}{over}" if metric else over,
        estimate=shown,
        leader=leader,
        low=start,
        high=end,
        metric=v.directions[0].metric if v.directions else v.metric,
    )


def _name_quantity(v: Verdict) -> str:
    """Name the difference; right and wrong answers may be of another metric than accuracy."""
    metric = v.directions[0].metric if v.directions else v.metric
    return QUANTITIES.get(v.quantity, v.quantity).format(metric=metric or "accuracy")


#: Quantities at the beginning of a sentence or as a label.
QUANTITIES = {
    "mean difference": "Mean difference",
    "median difference": "Median difference",
    "difference in accuracy": "Difference in {metric}",
    "difference in the metric": "Difference in the metric",
    "difference": "Difference",
    "difference in success rate": "Difference in success rate",
    "mean difference of ranks": "Mean difference of ranks",
    "probability of winning minus one half": "Probability of winning, minus 0.5",
}


def ratios(value: float, interval: Interval, *, lower: bool = False) -> list[str]:
    """Write a log difference and its interval as changes in percent; `lower` is better."""
    sign = -1 if lower else 1
    change, low, high = (sign * 100 * math.expm1(sign * x) for x in (value, *interval))
    return [f"{text}%" for text in format_estimate(change, (low, high))]


def _state_reason(v: Verdict) -> list[str]:
    phrase = None if v.decided else REASONS.get(_name_reason(v))
    return [] if phrase is None else [phrase.format(unit=v.unit, quantity=v.quantity)]


def _advise(v: Verdict) -> list[str]:
    """State what would settle an undecided verdict, if anything."""
    kind = v.decision if v.decision == "borderline" and not v.exact else v.cause
    if kind == FEW and v.expected is not None:
        kind = "data sets"
    if kind not in ADVICE:
        return []
    p = "" if v.known is None else format_probability(v.known.median)
    return [ADVICE[kind].format(unit=v.unit, target=v.target, quantity=v.quantity, p=p)]


#: Posterior odds of two regions.
ODDS = {
    "value": "{over} : {under} = {odds} ({grade})",
    "bound": "{over} : {under} = over {odds} ({grade})",
    "unseen": "{over} : {under}, neither seen",
}
LEFT_OUT = "left out: {}, {}"

#: Titles of the rows: deciding probabilities, probabilities of the outcome and of the mean.
ROWS = {
    "one": ("{quantity}", "", "Mean over {unit}s"),
    "several": ("Most probable on {target} *", "Outcome on {target}", "Mean over {unit}s"),
    "short": ("Most probable *", "On {target}", "Mean over {unit}s"),
}
#: Letters of a row's title at most, which leave room for the columns.
MOST_TITLE = 36

#: Letters of a column's head, and of a name in it at least.
MOST_HEAD, SHORTEST_NAME = 16, 5


def make_table(v: Verdict) -> pd.DataFrame:
    """Make a table of the probabilities as texts: one row per quantity, one column per region."""
    kind = "one" if v.expected is None else "short" if is_of_metrics(v) else "several"
    facts = {
        "quantity": _name_quantity(v),
        "target": v.target,
        "unit": v.unit,
    }
    if kind == "several" and len(ROWS[kind][0].format(**facts)) > MOST_TITLE:
        kind = "short"
    decides, expected, mean = ROWS[kind]
    rows = {decides: _with_errors(v)}
    if v.expected is not None:
        rows[expected] = _as_texts(v, v.expected)
    if v.location is not None:
        rows[mean] = _as_texts(v, v.location)
    return pd.DataFrame(
        [[title.format(**facts), *cells] for title, cells in rows.items()],
        columns=["", *write_heads(v)],
    )


def _as_texts(v: Verdict, probabilities: Mapping[str, float], floor: float = 0.0) -> list[str]:
    return [format_probability(probabilities[r], floor) for r in v.possible]


def _with_errors(v: Verdict) -> list[str]:
    """Write the probabilities that decide with their errors, if the columns have room."""
    texts = _as_texts(v, v.probabilities, v.floor)
    if is_of_metrics(v):
        return texts
    errors = (plus_minus(v.errors.get(r, 0.0), exact=True) for r in v.possible)
    return [f"{p} {error}".rstrip() for p, error in zip(texts, errors, strict=True)]


def write_heads(v: Verdict) -> list[str]:
    """Name the regions, with algorithms' names as short as the columns need."""
    for most in range(MOST_HEAD, SHORTEST_NAME, -1):
        pair = cut_all(v.names, most)
        heads = [fill_in(LABELS, v.shape.name, r, pair) for r in v.possible]
        if max(map(len, heads)) <= MOST_HEAD:
            return heads
    return cut_all(heads, MOST_HEAD)


@summarise.register
def summarise_posterior(posterior: Posterior, *, threshold: float = 0.95) -> Summary:
    """Summarise the verdict of a posterior, with what computed it."""
    calls = [
        ".explain()",
        ".plot()",
        ".sensitivity()",
        *([".plan()"] if posterior.has_plan else []),
    ]
    verdict = posterior.verdict(threshold=threshold)
    unchecked = posterior.diagnostics.unchecked
    shown = summarise_verdict(
        verdict,
        data=posterior.data_text,
        engine="" if unchecked else f"{posterior.engine} {posterior.engine_version}",
        failed=posterior.diagnostics.messages,
    )
    return replace(
        shown,
        notes=(*list_doubts(posterior), *shown.notes),
        method="; ".join(describe_method(posterior, posterior.data_text)),
        more=either(f"more: {', '.join(calls)}", ""),
        details={**shown.details, **engine_details(posterior)},
        further=lambda: [_list_parameters(posterior, verdict)],
    )


def _list_parameters(posterior: Posterior, verdict: Verdict) -> Summary:
    parameters = describe_parameters(posterior, _write_title(posterior))
    odds = {"odds": "; ".join(list_odds(verdict))}
    return replace(parameters, facts={**parameters.facts, **odds})


#: Titles of the parameters of a test, by whether there are several metrics.
TITLES = {
    "one": "{method}: {first} (left) vs {second} (right), {rope}",
    "measured": "{method}: {first} (left) vs {second} (right) on {measured}, {rope}",
    "metrics": "{method}: {first} vs {second} on {metrics}",
}


def _write_title(posterior: Posterior) -> str:
    """Name the test, the pair, the metric and the ROPE."""
    first, second = posterior.names
    metrics = posterior.metrics
    return TITLES["metrics" if metrics else "measured" if posterior.measured else "one"].format(
        method=posterior.method,
        first=first,
        second=second,
        measured=posterior.measured,
        metrics=list_metrics(metrics, posterior.directions),
        rope="" if metrics else rope_phrase(posterior.rope, of_ratios=posterior.of_ratios),
    )


@summarise.register
def summarise_verdict(
    v: Verdict, *, data: str = "", engine: str = "", failed: Sequence[str] = ()
) -> Summary:
    """Summarise a verdict, with the data, the engine and the checks that failed, if known."""
    caution = [FAILED.format("; ".join(failed))] if failed else []
    return Summary(
        write_headline(v),
        make_table(v),
        notes=[LEFT_OUT.format(v.left_out.counts, v.left_out.why)] if v.left_out else [],
        label="verdict",
        setting=write_setting(v),
        sentences=write_answer(v),
        legend="* decides" if v.expected is not None else "",
        method="; ".join(filter(None, (v.method, v.pairing, v.resampling))),
        bars=lambda: _list_bars(v),
        details=_list_details(v),
        explanation=lambda: Explanation(
            short=[*write_answer(v, reason=True), *caution],
            results=[*_results(v), *caution],
            methods=list(filter(None, _methods(v, data=data, engine=engine))),
        ),
    )


def tabulate_outcomes(v: Verdict) -> dict[str, dict[str, str]]:
    """Write probabilities (decisive, then "predictive" and "mean") as texts by head and region."""
    columns = {
        v.decides: dict(zip(v.possible, _as_texts(v, v.probabilities, v.floor), strict=True))
    }
    for title, part in (("predictive", v.expected), ("mean", v.location)):
        if part is not None:
            columns[title] = dict(zip(v.possible, _as_texts(v, part), strict=True))
    return columns


def _list_bars(v: Verdict) -> tuple[list[str], list[tuple[Any, ...]]]:
    columns = tabulate_outcomes(v)
    rows = [
        (region, v.label(region), v.probabilities[region], *(t[region] for t in columns.values()))
        for region in v.possible
    ]
    return [*columns], rows


def _list_details(v: Verdict) -> dict[str, str]:
    return {
        "threshold": f"{v.threshold:g}",
        "evidence": v.evidence,
        "about": v.target,
        "pairing": v.pairing,
        "resampling": v.resampling,
        "left out": v.left_out.counts if v.left_out else "",
        "method": v.method,
        "prior": v.prior,
    }


def list_odds(v: Verdict) -> list[str]:
    """Write the posterior odds of each pair of regions, the more probable first, and grades."""
    lines = []
    for (a, b), odds in v.odds.items():
        kind = "unseen" if math.isnan(odds.value) else "bound" if odds.bound else "value"
        over = a if kind == "unseen" else odds.favours
        under = b if over == a else a
        lines.append(
            ODDS[kind].format(
                over=v.label(over), under=v.label(under), odds=f"{odds.size:.3g}", grade=odds.grade
            )
        )
    return lines


# For a paper.


#: The definition of equivalence, by kind of question.
QUESTIONS = {
    "ROPE": "{within} in {metric} within {rope} were regarded as practically equivalent.",
    "direction": "No region of practical equivalence (ROPE) was used: the verdict is about the "
    "direction of the difference in {metric}.",
    "margin": "The question was whether {asked} is worse than {other} in {metric} by more than a "
    "margin of {rope}.",
    "ROPEs": "Differences within {rope} were regarded as practically equivalent. One algorithm "
    "dominates if it is practically better in at least one metric and practically worse in none; "
    "in a trade-off each is practically better in one of them.",
    "directions": "No region of practical equivalence (ROPE) was used. One algorithm dominates if "
    "it is better in at least one metric and worse in none; in a trade-off each is better in one "
    "of them.",
    "margins": "The question was whether {asked} is worse than {other} by more than a margin: "
    "{rope}.",
}

#: Names of the quantity within a ROPE, at the beginning of a sentence.
WITHIN = {
    "differences": "Differences",
    "differences of ranks": "Differences of ranks",
    "probabilities of winning minus one half": "Probabilities of winning, minus 0.5,",
}

DIRECTION = "In {metric}, {way}."

PROBABILITIES = {
    "most probable": "For the most probable outcome on {target}, the posterior probabilities are "
    "{outcomes}.",
    "one": "For the {quantity} on {target}, the posterior probabilities are {outcomes}.",
    "new": "For {target}, the predictive probabilities are {outcomes}.",
    "mean": "For the {quantity} over {unit}s, the posterior probabilities are {outcomes}.",
}

SPREAD = {
    "one": "The scale of the differences between {unit}s, {symbol}, has posterior median {median} "
    "(95% credible interval {low} to {high}).",
    "several": "In {metric}, the scale of differences between {unit}s, {symbol}, has posterior "
    "median {median} (95% credible interval {low} to {high}).",
}
#: The difference that is predicted, or that of logarithms as a change in percent.
FOLLOWING = {
    False: "The difference on {target} lies between {start} and {end} with predictive probability "
    "0.95, where positive values are in favour of {positive}.",
    True: "The change on {target} lies between {start} and {end} with predictive probability "
    "0.95, where positive values mean that the score of {positive} is larger.",
}

DECISIONS = {
    "decided": "Verdict at the threshold {threshold}: {clause}.",
    "undecided": "Verdict at the threshold {threshold}: undecided.",
    "borderline": "Verdict at the threshold {threshold}: undecided, because the probability is "
    "within two standard errors of the threshold.",
}

METHODS = {
    "method": "Test: {}.",
    "data": "Data: {}.",
    "engine": "Engine: {}.",
    "pairing": "Scores are {}.",
    "resampling": "Correlation of scores: {}.",
    "left_out": "Left out: {}.",
    "prior": "Prior: {}.",
}

RULE = (
    "An outcome is declared if its posterior probability, minus two standard errors, reaches "
    "{threshold}."
)
INTERVALS = "Intervals are central 95% credible intervals."
TRAINING_SETS = (
    "The comparison is about average performance over training sets of this size, not about "
    "individual trained models (Bates et al. 2024)."
)
FAILED = "Caution: {}."


def _results(v: Verdict) -> list[str]:
    facts = {"target": v.target, "unit": v.unit, "quantity": v.quantity}
    kind = "one" if v.expected is None else "most probable"
    probabilities = {kind: v.probabilities, "new": v.expected, "mean": v.location}
    return [
        *(
            PROBABILITIES[what].format(outcomes=_list_outcomes(v, p), **facts)
            for what, p in probabilities.items()
            if p is not None
        ),
        *_state_spreads(v),
        *_state_means(v),
        _state_limits(v),
        DECISIONS[v.decision if v.decision in DECISIONS else "decided"].format(
            threshold=f"{v.threshold:g}", clause=write_clause(v, v.ranked[0])
        ),
        *_state_reason(v),
        *_advise(v),
    ]


def _list_outcomes(v: Verdict, probabilities: Mapping[str, float]) -> str:
    floor = v.floor if probabilities is v.probabilities else 0.0
    ranked = [region for region in v.ranked if region in v.possible]
    texts = {r: format_probability(probabilities[r], floor) for r in ranked}
    return join_items([f"{p} that {write_clause(v, r)}" for r, p in texts.items()])


def is_loss_ratio(v: Verdict) -> bool:
    """Whether the differences are ratios of a metric for which lower is better."""
    return v.of_ratios and v.directions[0].lower


def _state_spreads(v: Verdict) -> list[str]:
    names = v.metrics if len(v.spread) > 1 and v.metrics else ("",) * len(v.spread)
    write = as_percent if v.of_ratios else partial(format_number, digits=3)
    sentences = []
    for name, spread in zip(names, v.spread, strict=True):
        low, high, start, end = map(write, (*spread.interval, *spread.following))
        sentences += [
            SPREAD["several" if name else "one"].format(
                metric=name,
                unit=v.unit,
                symbol=spread.symbol,
                median=write(spread.median),
                low=low,
                high=high,
            ),
            FOLLOWING[v.of_ratios].format(
                target=v.target,
                start=start,
                end=end,
                positive=v.names[0 if is_loss_ratio(v) else 1],
            ),
        ]
    return sentences


def _methods(v: Verdict, *, data: str, engine: str) -> list[str]:
    facts = {
        "method": v.method,
        "data": data,
        "engine": engine,
        "pairing": v.pairing,
        "resampling": v.resampling,
        "left_out": f"{v.left_out.counts}, {v.left_out.why}" if v.left_out else "",
        "prior": v.prior,
    }
    overlapping = ": " in v.resampling and not v.resampling.startswith("rho 0:")
    return [
        _state_question(v),
        *(DIRECTION.format(metric=d.metric, way=d.way) for d in v.directions),
        *(METHODS[name].format(fact) for name, fact in facts.items() if fact),
        RULE.format(threshold=f"{v.threshold:g}"),
        INTERVALS if v.mean_interval or v.spread else "",
        TRAINING_SETS if overlapping else "",
    ]


def write_methods_of_pairs(
    verdicts: Sequence[Verdict],
    names: tuple[str, str] = ("one", "the other"),
    data: str = "",
) -> list[str]:
    """Write the methods of verdicts on several pairs, which share all but their priors' bounds."""
    if not verdicts:
        return []
    prior = merge_priors(v.prior for v in verdicts)
    shared = replace(verdicts[0], names=names, prior=prior, left_out=None)
    return _methods(shared, data=data, engine="")


#: Priors of several pairs whose bounds differ, by whether the prior has a name.
OWN_BOUNDS = {
    True: "{name}, with bounds taken from each pair's scores",
    False: "that of the test, with bounds taken from each pair's scores",
}


def merge_priors(priors: Iterable[str]) -> str:
    """Write the prior of all pairs; only its name if its bounds come from each pair's scores."""
    named: dict[str, list[str]] = {}
    for prior in dict.fromkeys(filter(None, priors)):
        named.setdefault(prior.split(":")[0], []).append(prior)
    return " or ".join(
        own[0] if len(own) == 1 else OWN_BOUNDS["~" not in name].format(name=name)
        for name, own in named.items()
    )


def _state_question(v: Verdict) -> str:
    """State what counts as equivalent, or the margin."""
    side = side_of(v.rope)
    first, second = v.names
    asked, other = (second, first) if side == "low" else (first, second)
    kind = "margin" if side else "direction" if is_without_rope(v) else "ROPE"
    if side:
        rope = margins_in_words(v.rope, v.metrics, of_ratios=v.of_ratios, lower=is_loss_ratio(v))
    else:
        rope = (
            ends_in_words(v.rope, of_ratios=v.of_ratios)
            if isinstance(v.rope, Rope)
            else ropes_in_words(v.rope, v.metrics)
        )
    return QUESTIONS[f"{kind}s" if is_of_metrics(v) else kind].format(
        metric=v.metric or "the scores",
        within=WITHIN.get(v.within, v.within),
        rope=rope,
        asked=asked,
        other=other,
    )
