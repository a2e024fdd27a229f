"""Counts of successes compared: two or more algorithms, on one data set or on several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import pandas as pd

from bayescmp.base.arguments import arg, either, must
from bayescmp.base.checks import Seed, check_choice
from bayescmp.base.typing import Pair
from bayescmp.bayesian.proportions import RATE, probabilities_best, read_prior, weights_of
from bayescmp.catalogue import Sizes, bayesian_test
from bayescmp.results.posterior import Posterior
from bayescmp.results.verdict import Verdict
from bayescmp.scores.counts import Counts, read_count_table, read_counts
from bayescmp.scores.rope import Rope, RopesLike
from bayescmp.scores.scores import Scores
from bayescmp.study.compare import (
    PairQuestion,
    PairScores,
    add_limits,
    collect_comparisons,
    compare,
    compare_all,
    record_result,
)
from bayescmp.study.comparisons import Comparisons, PairResult
from bayescmp.study.question import Question, ask_question
from bayescmp.wording.text import format_count

#: Jeffreys' prior.
JEFFREYS = (0.5, 0.5)
#: Fewest data sets for a verdict over them. Without a difference the signed-rank test decides for
#: either algorithm, at the threshold 0.95, in 9% to 16% of studies with 8 to 12 data sets, but in
#: 17% with 6, 25% with 4 and 59% with 2 (200 to 400 studies each, 30 trials).
FEWEST = 8


def compare_counts(
    counts: Mapping[str, object] | pd.DataFrame | Iterable[str],
    rope: RopesLike | None = None,
    prior: tuple[float, float] = JEFFREYS,
    *,
    algorithms: Iterable[str] | None = None,
    dataset: str | None = None,
    columns: Mapping[str, str] | None = None,
    threshold: float = 0.95,
    seed: Seed = None,
) -> Posterior | Comparisons:
    """Compare algorithms by their numbers of successes in different, independent trials.

    Answers of all to the same questions pair: use `compare` of `Items`.

    Parameters
    ----------
    counts : mapping, DataFrame, or list of str
        Successes and trials of each algorithm: ``{"A": (14, 20), "B": (17, 20)}``, or as typed,
        ``["A=14/20", "B=17/20"]``; or a table with one row per algorithm (and data set), and
        columns of successes and of trials or failures, or cells such as "14/20".
    rope : float or (float, float), optional
        Region of practical equivalence, in proportions; by default the direction is judged.
    prior : (float, float)
        As for `bayescmp.bayesian.proportions`.
    algorithms : iterable of str, optional
        Compare only these. Differences follow the order of two.
    dataset : str, optional
        Compare only on this data set of a table.
    columns : mapping of str to str, optional
        A table's columns by parts (dataset, algorithm, successes, trials, failures), if their
        names do not show them: ``{"successes": "good"}``.
    threshold : float
        Probability required for a decision, with three algorithms or more.
    seed : int or numpy Generator, optional
        Of draws; nothing else is random.

    Returns
    -------
    Posterior or Comparisons
        Two algorithms: their posterior. Three or more: the verdicts on all pairs, and ``p_best``.
        On eight data sets or more, as `compare` or `compare_all` of the proportions; each data set
        has the same weight.

    Raises
    ------
    InputError
        Bad counts; a single algorithm, a name twice, an algorithm that is not on each data set;
        two to seven data sets without a name in ``dataset``; a bad ROPE or prior.

    See Also
    --------
    compare, crosscheck, bayescmp.bayesian.proportions

    Examples
    --------
    >>> import bayescmp as bc
    >>> posterior = bc.compare_counts({"old": (14, 20), "new": (17, 20)}, rope=0.05)
    >>> round(posterior.verdict().p_right, 3)
    0.771
    >>> three = bc.compare_counts(["a=14/20", "b=17/20", "c=5/20"])
    >>> {name: round(p, 3) for name, p in three.p_best.items()}
    {'a': 0.128, 'b': 0.872, 'c': 0.0}
    """
    by_dataset = read_by_dataset(counts, columns)
    if dataset is not None:
        check_choice("dataset", dataset, by_dataset)
        by_dataset = {str(dataset): by_dataset[str(dataset)]}
    weights = read_prior(prior)
    question = ask_counts(by_dataset, rope, algorithms=algorithms, threshold=threshold, seed=seed)
    if len(by_dataset) > 1:
        if len(by_dataset) < FEWEST:
            raise must(
                "counts",
                f"be on one data set, or on at least {FEWEST} for a verdict over data sets",
                str(len(by_dataset)),
                "With fewer it would be wrong too often. Name one with "
                f"{arg('dataset', next(iter(by_dataset)))}.",
            )
        if weights != JEFFREYS:
            raise must(
                "prior",
                "be left out for several data sets",
                str(len(by_dataset)),
                f"Name one with {arg('dataset', next(iter(by_dataset)))}.",
            )
        return _compare_datasets(by_dataset, question)
    (own,) = by_dataset.values()
    named = {name: own[name] for name in question.algorithms}
    if len(named) == 2:
        return ask_pair(named, question, weights, (*named,)).fit()  # type: ignore[arg-type]
    return replace(
        compare_pairs(named, question, weights),
        p_best=dict(
            zip(named, map(float, probabilities_best(weights_of(named, weights))), strict=True)
        ),
    )


def read_by_dataset(counts: object, columns: Mapping[str, str] | None = None) -> dict[str, Counts]:
    """Read counts by data set, with several algorithms on each; only a table has several sets."""
    if hasattr(counts, "columns") and not isinstance(counts, Mapping):
        by_dataset = read_count_table(counts, columns)
    else:
        by_dataset = {"data": read_counts(counts)}
    names = dict.fromkeys(name for of_set in by_dataset.values() for name in of_set)
    if len(names) < 2:
        only = next(iter(names))
        successes, trials = next(iter(by_dataset.values()))[only]
        both = either("{'A': (14, 20), 'B': (17, 20)}", "`bayescmp compare 14/20 17/20`")
        alone = either(
            f"bayescmp.estimate(({successes}, {trials}))",
            f"`bayescmp estimate {successes}/{trials}`",
        )
        raise must(
            "counts",
            "be of at least two algorithms",
            f"only {only!r}",
            f"Add another one, as in {both}. For only one use {alone}.",
        )
    for dataset, of_set in by_dataset.items():
        lacking = next((name for name in names if name not in of_set), None)
        if lacking is not None:
            raise must(
                "counts",
                "have each algorithm on each data set",
                f"no row of {lacking!r} on {dataset!r}",
                "Leave out one of the two.",
            )
    return by_dataset


def ask_counts(
    by_dataset: Mapping[str, Counts], rope: RopesLike | None, **options: object
) -> Question:
    """Ask about the proportions, as about means on data sets; options are of `ask_question`."""
    rows = [
        (dataset, name, count.successes / count.trials)
        for dataset, of_set in by_dataset.items()
        for name, count in of_set.items()
    ]
    means = pd.DataFrame(rows, columns=["dataset", "algorithm", RATE.metric])
    scores = Scores(means, higher_is_better=[RATE.metric])
    options = {"test": "auto", **options}
    return ask_question(scores, None, rope, **options)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class CountPair(PairScores):
    """Successes and trials of two algorithms."""

    x: Counts

    @property
    def sizes(self) -> Sizes:
        """Return the amount of data; there are no data sets."""
        return Sizes(datasets=0, folds=1, unit="counts", words="counts of successes")

    @property
    def means(self) -> tuple[float, ...]:
        """Return the difference of the proportions."""
        one, other = (count.successes / count.trials for count in self.x.values())
        return (other - one,)


def ask_pair(
    counts: Counts, question: Question, prior: tuple[float, float], pair: Pair
) -> PairQuestion:
    """Ask about one pair on one data set."""
    x = CountPair({name: counts[name] for name in pair})
    region = question.ropes[RATE.metric]
    test = bayesian_test("proportions")
    options = {} if prior == JEFFREYS else {"prior": prior}
    return PairQuestion(x, region, test, question.seed, options)


def compare_pairs(
    counts: Counts, question: Question, prior: tuple[float, float] = JEFFREYS
) -> Comparisons:
    """Compare all pairs on one data set."""
    results: dict[Pair, PairResult] = {}
    for pair in question.pairs:
        asked = ask_pair(counts, question, prior, pair)
        result = record_result(asked, question.threshold)
        results[pair] = replace(result, means=asked.scores.means)
    return add_limits(collect_comparisons(question, RATE.metric, results, {}), question.threshold)


def _compare_datasets(
    by_dataset: Mapping[str, Counts], question: Question
) -> Posterior | Comparisons:
    """Compare the proportions over several data sets, by the test of means on data sets."""
    region, names = question.ropes[RATE.metric], question.algorithms
    if len(names) > 2:
        return compare_all(
            question.scores, rope=region, threshold=question.threshold, seed=question.seed
        )
    first, second = names
    posterior = compare(question.scores, first, second, rope=region, seed=question.seed)
    trials = [count.trials for of_set in by_dataset.values() for count in of_set.values()]
    least, most = min(trials), max(trials)
    size = format_count(most, "trial") if least == most else f"{least} to {most} trials"
    note = (
        f"each data set has the same weight, whatever its number of trials ({size}); for one of "
        f"them give {arg('dataset', next(iter(by_dataset)))}"
    )
    return replace(posterior, notes=(note, *posterior.notes))


def judge_datasets(
    by_dataset: Mapping[str, Counts], rope: Rope, threshold: float
) -> dict[str, list[Verdict]]:
    """Return the verdict on each pair on each data set, by its own counts."""
    question = bayesian_test("proportions").call
    return {
        dataset: [
            question({name: of_set[name] for name in pair}, rope=rope).verdict(threshold=threshold)
            for pair in combinations(of_set, 2)
        ]
        for dataset, of_set in by_dataset.items()
    }
