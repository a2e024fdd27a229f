"""Counts of successes by the Bayesian test and by its frequentist counterparts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bayescmp.base.arguments import arg, must
from bayescmp.base.checks import Seed, check_choice
from bayescmp.bayesian.proportions import RATE
from bayescmp.catalogue import bayesian_test, twins_of
from bayescmp.frequentist.proportions import MOST_OUTCOMES, newcombe
from bayescmp.frequentist.results import EffectSize
from bayescmp.scores.counts import Counts
from bayescmp.scores.rope import RopesLike
from bayescmp.study.counts import ask_counts, compare_pairs, read_by_dataset
from bayescmp.study.crosscheck.results import CrossCheck
from bayescmp.study.crosscheck.rows import FrequentistFacts, UnadjustedRow, judge_drafts
from bayescmp.study.question import Twin
from bayescmp.wording.text import format_estimate

#: The scope of tests of counts.
SCOPE = "counts"
INTERVAL = (
    "{first} and {second}: the difference in success rate is {estimate} in favour of {ahead} (95% "
    "confidence interval {low} to {high}, Newcombe's method)"
)
#: Pairs whose intervals are listed.
MOST_PAIRS = 10


def crosscheck_counts(
    counts: object,
    rope: RopesLike | None,
    of_scores: Mapping[str, object],
    *,
    algorithms: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    adjust: str = "holm",
    seed: Seed = None,
) -> CrossCheck:
    """Cross-check counts on one data set, as `crosscheck`; options `of_scores` are refused."""
    given = next((name for name, value in of_scores.items() if value not in (None, True)), None)
    if given is not None:
        raise must(given, "be used with scores", "counts of successes")
    by_dataset = read_by_dataset(counts)
    for name in datasets or ():
        check_choice("dataset", name, by_dataset, "datasets")
    chosen = list(by_dataset if datasets is None else datasets)
    if len(chosen) > 1:
        raise must(
            "datasets",
            "be one for counts",
            str(len(chosen)),
            f"Name it with {arg('datasets', [chosen[0]])}, or compare all by "
            "bayescmp.compare_counts.",
        )
    own: Counts = by_dataset[str(chosen[0])]
    question = ask_counts(
        {str(chosen[0]): own},
        rope,
        algorithms=algorithms,
        threshold=threshold,
        alpha=alpha,
        adjust=adjust,
        seed=seed,
    )
    comparisons = compare_pairs(own, question)
    test = bayesian_test("proportions")
    few = max(count.trials for count in own.values()) ** 2 <= MOST_OUTCOMES
    twins = tuple(
        Twin(test.name, twin.name, SCOPE)
        for twin in twins_of(test)
        if few or twin.name == "fisher"
    )
    question = replace(question, twins=twins, test=None)
    sizes = {pair: newcombe({name: own[name] for name in pair}) for pair in question.pairs}
    drafts = [
        UnadjustedRow(
            twin,
            RATE.metric,
            str(chosen[0]),
            pair,
            comparisons.results[pair].verdict,
            replace(
                FrequentistFacts.run(twin.check, {name: own[name] for name in pair}), effect=size
            ),
        )
        for pair, size in sizes.items()
        for twin in twins
    ]
    return CrossCheck(
        rows=tuple(judge_drafts(drafts, question)),
        datasets=(str(chosen[0]),),
        algorithms=question.algorithms,
        metrics=question.metrics,
        joint=(),
        ropes=question.ropes,
        comparisons={RATE.metric: comparisons},
        omnibus={},
        threshold=question.threshold,
        alpha=question.alpha,
        adjust=question.adjust,
        seed=question.seed,
        notes=tuple(_describe_interval(size) for size in [*sizes.values()][:MOST_PAIRS]),
    )


def _describe_interval(size: EffectSize) -> str:
    """State the difference of two proportions, in favour of the higher, with its interval."""
    first, second = size.names
    (low, high), estimate, ahead = size.confidence_interval(), size.estimate, second
    if estimate < 0:
        low, high, estimate, ahead = -high, -low, -estimate, first
    shown, start, end = format_estimate(estimate, (low, high))
    return INTERVAL.format(
        first=first, second=second, estimate=shown, ahead=ahead, low=start, high=end
    )
