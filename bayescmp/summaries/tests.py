"""Summaries of frequentist tests: of one hypothesis, of all pairs, and of effect sizes."""

from __future__ import annotations

import numpy as np

from bayescmp.base.checks import check_level
from bayescmp.frequentist.results import (
    LEVEL,
    MARGIN,
    EffectSize,
    PosthocResult,
    TestResult,
    list_ranks,
)
from bayescmp.present.summary import A_AND_B, PAIR, Cells, Column, Explanation, Summary, summarise
from bayescmp.wording.markup import list_notes
from bayescmp.wording.references import state_method
from bayescmp.wording.text import (
    adjusted_by,
    format_count,
    format_number,
    sentence_of,
    state_pvalue,
)

#: The meaning of a p-value, once in each text.
MEANS = (
    "A p-value is the probability of data at least this far from the null hypothesis if the null "
    "hypothesis is true. It is not the probability that the null hypothesis is true."
)

# One hypothesis.

HYPOTHESES = {
    "equivalence": "the hypothesis that the difference lies outside the ROPE",
    "margin": "the hypothesis that {worse} is worse by the margin or more",
    "increasing": "the hypothesis of no trend",
    "greater": "the hypothesis that {second} is not better than {first}",
    "less": "the hypothesis that {second} is not worse than {first}",
    "pair": "the hypothesis of no difference",
    "several": "the hypothesis that no algorithm differs from another",
    "": "the null hypothesis",
}
DECISIONS = {
    "none": "There is no p-value, so {hypothesis} is neither rejected nor retained.",
    "rejected": "At the level {alpha:g}, {hypothesis} is rejected.",
    "kept": "At the level {alpha:g}, {hypothesis} is not rejected. This does not show that it is "
    "true.",
}
ESTIMATE = {
    False: "Estimate: {estimate}.",
    True: "Estimate: {estimate}, positive if {second} is better.",
}
RANKS = "Mean ranks: {ranks}."
INTERVAL = "{estimate} ({level:.0f}% confidence interval {low} to {high})"
EFFECT = "{measure}: {estimate} (95% confidence interval {low} to {high}, n = {n})."
FAVOURS = "Positive values favour {second}."


@summarise.register
def summarise_test(result: TestResult, *, alpha: float = LEVEL) -> Summary:
    """Summarise a test of one hypothesis at a level."""
    table, columns = result.frame, _head_columns(result)
    heading = f"{result.method}{result.side}{result.on_measured}"
    return Summary(
        result.answer(alpha),
        table,
        columns,
        notes=result.lines,
        label="test",
        setting=heading,
        explanation=lambda: _explain_test(result, alpha),
        paper=lambda: Summary(
            f"{result.heading}{result.side}", table, columns, notes=result.lines, label="test"
        ),
    )


def _explain_test(result: TestResult, alpha: float) -> Explanation:
    sizes = _describe_sizes(result)
    kind = "rejected" if result.pvalue <= check_level(alpha, "alpha") else "kept"
    decision = DECISIONS["none" if np.isnan(result.pvalue) else kind]
    return Explanation(
        short=[f"{result.answer(alpha)}.", *sizes],
        results=[
            f"{result.heading}: {result.numbers}, {state_pvalue(result.pvalue)}.",
            decision.format(hypothesis=_name_hypothesis(result), alpha=alpha),
            *sizes,
            MEANS,
            *list_notes(result.all_notes),
        ],
        methods=[state_method(result.heading, result.cites)],
    )


def _name_hypothesis(result: TestResult) -> str:
    names, kind = result.names, result.alternative
    several = len(names) != 2 and isinstance(result.estimate, np.ndarray)
    if kind in MARGIN:
        return HYPOTHESES["margin"].format(worse=names[MARGIN[kind]])
    if kind in ("equivalence", "increasing"):
        return HYPOTHESES[kind]
    if len(names) == 2:
        known = kind if kind in HYPOTHESES else "pair"
        return HYPOTHESES[known].format(first=names[0], second=names[1])
    return HYPOTHESES["several" if several else ""]


def _describe_sizes(result: TestResult) -> list[str]:
    """State the estimate and the size of the effect."""
    texts = []
    if isinstance(result.estimate, float):
        named = len(result.names) == 2
        texts.append(
            ESTIMATE[named].format(
                estimate=_write_estimate(result), second=result.names[1] if named else ""
            )
        )
    elif result.estimate is not None and len(result.names) == len(result.estimate):
        texts.append(RANKS.format(ranks=list_ranks(result.names, result.estimate)))
    return [*texts, *([] if result.effect is None else [_describe_effect(result.effect)])]


def _write_estimate(result: TestResult) -> str:
    assert isinstance(result.estimate, float)
    if result.interval is None:
        return format_number(result.estimate)
    low, high = map(format_number, result.confidence_interval(result.level))
    estimate = format_number(result.estimate)
    return INTERVAL.format(estimate=estimate, level=100 * result.level, low=low, high=high)


def _head_columns(result: TestResult) -> dict[object, Column]:
    """Return what the columns of a test's numbers are."""
    bounds: dict[object, Column] = {
        bound: Column(head=f"{100 * result.level:.0f}% CI {bound}") for bound in ("low", "high")
    }
    effect = "" if result.effect is None else result.effect.measure
    return {
        "statistic": Column(head=result.symbol),
        "p": Column(Cells.P_VALUE),
        "effect": Column(head=effect),
        **bounds,
    }


# Effect sizes.


@summarise.register
def summarise_effect(size: EffectSize) -> Summary:
    """Summarise an effect size."""
    measured = f"{sentence_of(size.measure)}{size.on_measured}"
    described = _describe_effect(size)
    named = [FAVOURS.format(second=size.names[1])] if size.names else []
    return Summary(
        size.answer() if size.names else measured,
        size.frame,
        {"low": Column(head="95% CI low"), "high": Column(head="95% CI high")},
        notes=size.all_notes,
        label="effect",
        setting=measured if size.names else "",
        explanation=lambda: Explanation(
            short=[*([f"{size.answer()}."] if size.names else []), described, *named],
            methods=[f"Effect size: {size.measure}.", *list_notes(size.all_notes)],
        ),
    )


def _describe_effect(size: EffectSize) -> str:
    low, high = map(format_number, size.confidence_interval())
    return EFFECT.format(
        measure=f"{sentence_of(size.measure)}{size.on_measured}",
        estimate=format_number(size.estimate),
        low=low,
        high=high,
        n=size.n,
    )


# Pairs of algorithms.

#: Pairs that a sentence lists; the others are counted.
MOST = 12

COMPARED = {
    True: "{method}, each algorithm against {control} ({pairs}, n = {n}).",
    False: "{method}, all pairs ({pairs} of {algorithms}, n = {n}).",
}
DIFFER = {
    0: "No pair differs {level}.",
    1: "1 pair differs {level}.",
    2: "{apart} pairs differ {level}.",
}
LEVELS = {
    "none": "at the level {alpha:g} for each pair, not adjusted",
    "benjamini-hochberg": "at the false discovery rate {alpha:g}, {adjusted}",
    "": "at the family-wise level {alpha:g}, {adjusted}",
}
BETTER = "{better} is better than {worse} ({p})"
BY_P_VALUE = "By adjusted p-value: {pairs}."
NOT_DIFFERENT = {
    True: "1 pair does not differ significantly, which does not show that its algorithms are "
    "alike.",
    False: "{rest} pairs do not differ significantly, which does not show that their algorithms "
    "are alike.",
}
ORDER = "From best to worst by {measure}: {names}."


@summarise.register
def summarise_posthoc(result: PosthocResult, *, alpha: float = LEVEL) -> Summary:
    """Summarise comparisons of pairs at a family-wise level."""
    table = result.frame.rename(columns={"statistic": result.symbol, "pvalue": "p"})
    numbers: dict[object, Column] = {
        "p": Column(Cells.P_VALUE),
        "adjusted": Column(Cells.P_VALUE, bold=[*result.different()]),
    }
    means = f"of {result.measure}s, " if result.measure.startswith("mean") else ""
    return Summary(
        result.answer(alpha),
        table,
        {**A_AND_B, **numbers},
        notes=result.all_notes,
        label="pairs",
        legend=f"difference: {means}positive if B is better",
        method=result.heading,
        explanation=lambda: _explain_posthoc(result, alpha),
        paper=lambda: Summary(
            result.heading, table, {**PAIR, **numbers}, notes=result.all_notes, label="pairs"
        ),
    )


def _explain_posthoc(result: PosthocResult, alpha: float) -> Explanation:
    different = result.different(alpha)
    apart, pairs = int(different.sum()), len(different)
    level = LEVELS.get(result.adjust, LEVELS[""]).format(
        alpha=alpha, adjusted=adjusted_by(result.adjust)
    )
    listed, rest = _list_pairs(result, different), pairs - apart
    return Explanation(
        short=[f"{result.answer(alpha)}.", *listed],
        results=[
            COMPARED[result.control is not None].format(
                method=f"{sentence_of(result.method)}{result.on_measured}",
                control=result.control,
                pairs=format_count(pairs, "pair"),
                algorithms=format_count(len(result.names), "algorithm"),
                n=result.n,
            ),
            DIFFER[min(apart, 2)].format(apart=apart, level=level),
            *listed,
            *([NOT_DIFFERENT[rest == 1].format(rest=rest)] if rest else []),
            ORDER.format(
                measure=result.measure, names=", ".join(result.names[i] for i in result.order)
            ),
            MEANS,
            *list_notes(result.all_notes),
        ],
        methods=[state_method(result.heading, result.cites, result.adjust)],
    )


def _list_pairs(result: PosthocResult, different: np.ndarray) -> list[str]:
    rows = [
        BETTER.format(
            better=result.names[j if d > 0 else i],
            worse=result.names[i if d > 0 else j],
            p=state_pvalue(p),
        )
        for (i, j), d, p in zip(
            result.pairs[different],
            result.difference[different],
            result.adjusted[different],
            strict=True,
        )
    ]
    more = [f"{len(rows) - MOST} more"] if len(rows) > MOST else []
    return [BY_P_VALUE.format(pairs="; ".join([*rows[:MOST], *more]))] if rows else []
