"""A pair of algorithms, all pairs, or all against one: which test fits, and its posteriors."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, singledispatch
from time import perf_counter

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import (
    RhoLike,
    Seed,
    as_names,
    check_unused,
    flag,
    jobs,
    one_rho,
    optional,
    seed_of,
    text,
    validate_params,
)
from bayescmp.base.typing import Json, Pair
from bayescmp.base.workers import solve_tasks, with_bar
from bayescmp.bayesian import pair_blocks
from bayescmp.catalogue import (
    ONE,
    BayesianTest,
    Sizes,
    bayesian_test,
    bayesian_tests,
    default_rho,
    named_test,
    preferred,
)
from bayescmp.errors import DiagnosticWarning, InputError, warn_user
from bayescmp.items.items import Items
from bayescmp.items.pair import ItemPair
from bayescmp.results.limits import RopeLimits
from bayescmp.results.posterior import Posterior
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.designs import design_of_pairs
from bayescmp.scores.differences import Differences
from bayescmp.scores.means import MeanDifferences, Means
from bayescmp.scores.metrics import Direction, label_scale
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import (
    RopesLike,
    as_ropes,
    extent_of,
    region_of,
)
from bayescmp.scores.runs import Runs, count_runs
from bayescmp.scores.scores import Scores
from bayescmp.study.comparisons import Comparisons, PairResult, average_of, best_of
from bayescmp.study.question import (
    Question,
    as_scores,
    ask_question,
    check_items,
    region_of_table,
    scores_table,
    too_few,
)
from bayescmp.wording.text import as_percent, format_count


def compare(
    scores: Scores | Items | Differences | Means | pd.DataFrame,
    first: str | None = None,
    second: str | None = None,
    metric: str | Sequence[str] | None = None,
    rope: RopesLike | None = None,
    *,
    test: str = "auto",
    dataset: str | None = None,
    rho: RhoLike | None = None,
    scale: str | None = None,
    seed: Seed = None,
    **options: object,
) -> Posterior:
    """Compare two algorithms by the test that fits the scores.

    Parameters
    ----------
    scores : Scores, Items, Means, DataFrame, path, mapping or Differences
        Scores of at least two algorithms, or the path of their table; `Items` are scores of models
        on questions, `Means` those of papers with standard errors. A mapping has results of
        scikit-learn's ``cross_validate`` with their indices, as for `Scores.from_cv_results`.
    first, second : str, optional
        May be left out if there are only two. If `Items` have more models and none is named, all
        are compared at once.
    metric : str or sequence of str, optional
        May be left out if there is only one. Several are compared at once, over four regions; they
        may also be derived from columns tp, fn, fp and tn ("tpr", "fpr", ...).
    rope : float or (float, float), optional; for several metrics also one per metric
        Region of practical equivalence, in units of the metric; "1%" is 1% of the metric's range,
        or a ratio of 1.01 on the scale "log_ratio". Without one the direction is judged; see
        `Posterior.rope_limits`.
    test : str
        For one data set "correlated_t" or "robust_t"; for several "hierarchical_t" (with their
        folds), "sign" or "signed_rank" (by their means); for runs that do not pair "two_sample_t"
        (one) or "hierarchical_two_sample_t" (several); for several metrics "multivariate_t",
        "robust_multivariate_t" (one) or "hierarchical_multivariate_t" (several). For two models on
        one benchmark "paired_proportions" (independent items, right or wrong), "cluster_bootstrap"
        (any) or "judge_corrected" (humans scored some); for several models "question_bootstrap"
        (at least 100 questions or clusters) or "groups" (fewer); on several benchmarks
        "hierarchical_t" (two), "joint_t", "bootstrap" or "leaderboard". "auto" takes correlated_t,
        hierarchical_t, or signed_rank for means; tests of independent runs for a table declared as
        ``resampling="runs"``, or numbered by a column such as ``seed``. The posterior's notes
        report which it took and why. For your own tests see `bayescmp.catalogue`.
    dataset : str, optional
        Compare only on this data set or benchmark.
    rho : float, array_like or mapping of data set to float, optional
        Correlation of two folds' differences; from the fold labels if not given.
    scale : {"difference", "log_ratio", "standardised"}, optional
        What differs, for one metric: scores, their logarithms, or scores in standard deviations;
        see `Scores.differences`.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    **options
        Passed on to the test: prior, engine, draws, ...

    Returns
    -------
    Posterior
        For three models or more of `Items`, one with a verdict for each pair.

    Raises
    ------
    InputError
        An unknown name, test or option; otherwise as for `Scores.differences` and the test.
    EngineError, EngineNotFound
        If the engine cannot fit the model or is not installed.

    Warns
    -----
    DiagnosticWarning
        If the posterior cannot be trusted.

    See Also
    --------
    compare_all, crosscheck, which_test

    Examples
    --------
    >>> import bayescmp as bc
    >>> import pandas as pd
    >>> accuracy = {"knn": [0.82, 0.80, 0.84, 0.79, 0.83], "gbm": [0.91, 0.88, 0.90, 0.87, 0.92]}
    >>> table = pd.DataFrame(
    ...     [("iris", name, fold, value) for name, scores in accuracy.items()
    ...      for fold, value in enumerate(scores)],
    ...     columns=["dataset", "algorithm", "fold", "accuracy"],
    ... )
    >>> posterior = bc.compare(table, "knn", "gbm", rope=0.01)
    >>> print(f"{posterior.verdict().p_right:.3f}")
    0.999
    """
    request = Request(first, second, metric, rope, test, dataset, rho, scale)
    return replace(read_pair(scores, request), seed=seed_of(seed), options=options).fit()


@dataclass(frozen=True, eq=False)
class Request:
    """A question about two algorithms, before their scores are read."""

    first: str | None
    second: str | None
    metric: str | Sequence[str] | None
    rope: RopesLike | None
    test: str = "auto"
    dataset: str | None = None
    rho: RhoLike | None = None
    scale: str | None = None
    unpaired: bool = False

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics that are named; empty if the table has only one."""
        names = as_names(self.metric, "metric")
        if self.metric is not None and not names:
            raise must_be("metric", "a metric, or several in a list", self.metric)
        return names

    @property
    def datasets(self) -> list[str] | None:
        """The data sets to compare on; None for all."""
        return None if self.dataset is None else [str(self.dataset)]

    def name_pair(self, known: tuple[str, ...], what: str = "algorithms") -> tuple[str, ...]:
        """Return the two algorithms; the only two need not be named, and () is all models."""
        neither = ", or neither" if what == "models" else ""
        if self.first is None and self.second is None and (neither or len(known) == 2):
            return known if len(known) == 2 else ()
        if len(known) == 1:
            raise too_few(known[0], what)
        if self.first is None or self.second is None:
            raise must(
                "first",
                f"be given with {arg('second')}{neither}",
                hint=f"The table has the {what} {', '.join(map(repr, known))}.",
            )
        return self.first, self.second

    def named_test(self) -> BayesianTest | None:
        """Return the test of one or several metrics, None for "auto"; check the scale."""
        if len(self.metrics) > 1 and self.scale not in (None, "difference"):
            accepted = "'difference' for several metrics"
            raise must_be("scale", accepted, self.scale, "For another name one metric.")
        return named_test(self.test, metrics=max(len(self.metrics), 1), unpaired=self.unpaired)


@dataclass(frozen=True, eq=False)
class PairQuestion:
    """One pair's scores, the region of each metric, and the test; None leaves the choice open."""

    scores: PairScores
    rope: RopesLike | None
    test: BayesianTest | None = None
    seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)

    def fit(self) -> Posterior:
        """Fit the test, and note why it was chosen if that was open."""
        x, test, why = self.scores, self.test, ""
        if test is None:
            test, why = x.choose()
        posterior: Posterior = test.call(
            x.given_to(test), rope=self.rope, seed=self.seed, **test.checked(self.options)
        )
        notes = (*([f"chosen test: {test.name} ({why})"] if why else []), *x.notes)
        return replace(posterior, notes=(*notes, *posterior.notes)) if notes else posterior


@singledispatch
def read_pair(scores: object, request: Request) -> PairQuestion:
    """Read the scores of the pair, or of all models of items, and check what is asked of them."""
    return read_pair(as_scores(scores, metric=request.metric), request)


@read_pair.register
def _(scores: Scores, request: Request) -> PairQuestion:
    rope, pair = request.rope, request.name_pair(scores.algorithms)
    request = replace(request, unpaired=scores.unpaired and request.rho is None)
    metrics, test = request.metrics, request.named_test()
    if len(metrics) > 1:
        one = None if request.rho is None else one_rho(request.rho)
        blocks = pair_blocks(scores, *pair, metrics=metrics, datasets=request.datasets, rho=one)
        ropes = dict(zip(metrics, as_ropes(rope, metrics), strict=True))
        return PairQuestion(SeveralMetrics(blocks), ropes, test)
    if (request.unpaired and test is None) or (test is not None and not test.paired):
        runs = runs_for(scores.select(datasets=request.datasets), pair, metrics, test, request)
        table = scores if request.scale is None else scores.on_scale(request.scale)
        region = region_of_table(rope, table, scores.metric_named(*metrics))
        return PairQuestion(runs, region, test)
    if request.unpaired and test is not None and test.on_means:
        x = scores.runs(*pair, *metrics, scale=request.scale).mean_differences()
        return _ask_differences(x, rope, test, request.dataset)
    rho = default_rho(request.rho, test)
    x = scores.differences(*pair, *metrics, rho=rho, scale=request.scale)
    return _ask_differences(x, rope, test, request.dataset)


@read_pair.register
def _(scores: Differences, request: Request) -> PairQuestion:
    rope, names = request.rope, (request.first, request.second)
    if names != (None, None) and tuple(map(str, names)) != scores.names:
        raise must(
            "first",
            f"be {scores.names[0]!r}, and {arg('second')} {scores.names[1]!r}",
            f"{names[0]!r} and {names[1]!r}",
        )
    metrics, test = request.metrics, request.named_test()
    if len(metrics) > 1:
        raise must(
            "metric",
            "be one, as in the differences",
            str(len(metrics)),
            "For several give Scores.",
        )
    if test is not None and not test.paired:
        _refuse_paired(request, test)
        scores_table(scores)
    named = scores.metric if scores.direction is None else scores.direction.metric
    if metrics and metrics[0] not in (named, scores.metric):
        own = repr(scores.metric) if scores.metric else "no named metric"
        raise must_be("metric", f"that of the differences, {own}", metrics[0])
    if request.scale not in (None, scores.scale):
        raise must_be("scale", f"that of the differences, {scores.scale!r}", request.scale)
    rho = default_rho(request.rho, test)
    x = scores if rho is None else replace(scores, rho=rho)
    return _ask_differences(x, rope, test, request.dataset)


def _ask_differences(
    x: Differences, rope: RopesLike | None, test: BayesianTest | None, dataset: str | None
) -> PairQuestion:
    region = region_of(rope, x.scale, x.span, x.scores, x.metric)
    return PairQuestion(PairedScores(x if dataset is None else x.row(str(dataset))), region, test)


def runs_for(
    scores: Scores,
    pair: Sequence[str],
    metric: Sequence[str],
    test: BayesianTest | None,
    request: Request,
) -> IndependentRuns:
    """Return two algorithms' runs, of one data set for a test of one; refuse rho, and a scale."""
    several = len(scores.datasets) > 1
    if test is not None and several and test.datasets == ONE:
        raise must(
            "dataset",
            f"be given for {test.name}, which compares runs that do not pair on one data set",
            hint=f"The table has {len(scores.datasets)} data sets. Name one, or compare on all "
            f"with {arg('test', 'hierarchical_two_sample_t')}.",
        )
    if not several:
        _refuse_paired(request, test or named_test("two_sample_t"))
    elif request.rho is not None:
        _refuse_paired(replace(request, scale=None), test)
    numbered = scores.resampling.runs if test is None else ""
    declared = scores.resampling.declared_as_runs
    runs = scores.runs(*pair, *metric, scale=request.scale)
    may_pair = scores.pairing.have_same_folds(pair[0], pair[1])
    return IndependentRuns(runs, "" if declared else numbered, may_pair)


def _refuse_paired(request: Request, test: BayesianTest | None) -> None:
    """Refuse what belongs to differences, for a test of runs that do not pair."""
    scale = None if request.scale == "difference" else request.scale
    own = "two_sample_t" if test is None else test.name
    check_unused(f"{own} takes scores that are not paired", rho=request.rho, scale=scale)


@read_pair.register
def _(scores: Items, request: Request) -> PairQuestion:
    rope, pair = request.rope, request.name_pair(scores.models, "models")
    check_items(scores, request.metric, request.rho, request.scale)
    test = named_test(request.test, algorithms=len(pair) or len(scores.models), of_items=True)
    x: PairScores
    if pair:
        items = scores.pair(*pair, benchmarks=request.datasets)
        x, span, seen = SharedItems(items), items.span, np.r_[items.first, items.second]
    elif len(scores.models) < 2:
        raise too_few(scores.models[0], "models")
    else:
        alone = scores.benchmarks[0] if len(scores.benchmarks) == 1 else None
        x = AllModels(scores, alone if request.dataset is None else request.dataset)
        span, seen = scores.span, scores.answers.score
    region = region_of(rope, "difference", span, extent_of(seen), scores.direction.metric)
    return PairQuestion(x, region, test)


@read_pair.register
def _(scores: Means, request: Request) -> PairQuestion:
    rope, pair = request.rope, request.name_pair(scores.algorithms)
    if len(pair) != 2:
        raise must(
            "first",
            f"be given with {arg('second')} for means with errors",
            hint=f"The algorithms are {', '.join(map(repr, scores.algorithms))}.",
        )
    if request.metric is not None and request.metrics != [scores.metric]:
        raise must_be("metric", repr(scores.metric), request.metric)
    for name, value in (("rho", request.rho), ("scale", request.scale)):
        if value not in (None, "difference"):
            raise must_be(name, "left out for means with errors", value)
    known = [test for test in bayesian_tests() if test.unit == "means"]
    auto = str(request.test) == "auto"
    test = (
        None if auto else bayesian_test(request.test, among=known, more=("auto",), argument="test")
    )
    x = scores.pair(*pair, datasets=request.datasets)
    metric = scores.metric
    region = region_of(rope, "difference", x.span, extent_of(x.means.ravel()), metric)
    return PairQuestion(MeansOfPair(x), region, test)


# Kinds of scores: how much there is, and how tests take them.


class PairScores(ABC):
    """Scores of two algorithms, or of all models, as tests of one kind take them."""

    x: object

    @property
    @abstractmethod
    def sizes(self) -> Sizes:
        """Return the amount of data, and a description of it."""

    @property
    def means(self) -> tuple[float, ...]:
        """Mean difference on each data set, if scores pair."""
        return ()

    def given_to(self, test: BayesianTest) -> object:
        """Return the scores as a test takes them."""
        return self.x

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the scale of the differences."""
        return ()

    def choose(self) -> tuple[BayesianTest, str]:
        """Return the first test in the catalogue that fits, and why."""
        sizes = self.sizes
        test = preferred(sizes)
        if test is None:
            raise self.refuse(sizes)
        return test, sizes.words

    def refuse(self, sizes: Sizes) -> InputError:
        """Return the refusal of scores that no test fits."""
        return must("scores", "be enough for a test", sizes.words)


@dataclass(frozen=True, eq=False)
class PairedScores(PairScores):
    """Differences of two algorithms by one metric."""

    x: Differences

    @property
    def means(self) -> tuple[float, ...]:
        """Mean difference on each data set."""
        return tuple(map(float, self.x.means))

    @property
    def sizes(self) -> Sizes:
        """Return the amount of data."""
        return _sizes_of_folds(self.x.n.tolist())

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the scale of the differences."""
        if self.x.scale == "standardised":
            return ("scale: differences in standard deviations of theirs on each data set",)
        if self.x.scale != "log_ratio":
            return ()
        lead, way = float(np.mean(self.x.means)), self.x.direction or Direction("score")
        larger = self.x.names[0 if (lead >= 0) == way.lower else 1]
        change = as_percent(abs(lead))
        return (LOG_RATIO.format(metric=way.metric, larger=larger, change=change),)

    def refuse(self, sizes: Sizes) -> InputError:
        """Return the refusal of scores that no test fits."""
        if self.x.q > 1:
            return super().refuse(sizes)
        found = f"a single score of each algorithm, on data set {self.x.datasets[0]!r}"
        return must("scores", "have folds, or several data sets", found)


#: Note on differences of logarithms.
LOG_RATIO = (
    "scale: differences of logarithms are shown as changes in percent; on average over data sets, "
    "the observed {metric} of {larger} is {change} larger"
)
#: Note on runs that only a column numbers.
NUMBERED = "column {column!r} numbers each algorithm's runs, which were taken as independent"
TAKEN_APART = (
    f"{NUMBERED}. If run 1 of one belongs with run 1 of the other, declare {{pairs}}; if each run "
    "drew its own split of the data, declare {splits} (the proportion tested)"
)


@dataclass(frozen=True, eq=False)
class IndependentRuns(PairScores):
    """Runs of two algorithms, which do not pair; `numbered` by a column, they `may_pair`."""

    x: Runs
    numbered: str = ""
    may_pair: bool = True

    @property
    def sizes(self) -> Sizes:
        """Return the amount of data: the fewest runs of the algorithm with fewer, or with more."""
        q, sizes = self.x.q, self.x.sizes
        sets = "one data set" if q == 1 else f"{q} data sets"
        n = int((sizes.min(axis=1) if q == 1 else sizes.max(axis=1)).min())
        words = f"{sets}, with {count_runs(sizes)} of each that do not pair"
        return Sizes(datasets=q, folds=n, paired=False, words=words)

    @property
    def means(self) -> tuple[float, ...]:
        """Difference of the means on each data set, which pairs."""
        return tuple(map(float, self.x.means))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on assumptions about the runs, and on the scale."""
        scale = PairedScores(self.x.mean_differences()).notes if self.x.q > 1 else ()
        if not self.numbered:
            return scale
        note = TAKEN_APART if self.may_pair else NUMBERED
        pairs = arg("resampling", design_of_pairs(self.numbered))
        splits = arg("resampling", "random splits 0.33")
        return (note.format(column=self.numbered, pairs=pairs, splits=splits), *scale)

    def refuse(self, sizes: Sizes) -> InputError:
        """Return the refusal of scores that no test fits."""
        if self.x.q > 1:
            return must(
                "scores",
                "have more than one run of an algorithm on each data set, to show how runs vary",
                "a single run of each",
                f"Compare the means with {arg('test', 'signed_rank')}, or give more runs.",
            )
        found = f"a single run of an algorithm on data set {self.x.datasets[0]!r}"
        return must("scores", "have at least two runs of each algorithm", found)


@dataclass(frozen=True, eq=False)
class SeveralMetrics(PairScores):
    """Several metrics of two algorithms, on each data set."""

    x: Sequence[Blocks]

    @property
    def sizes(self) -> Sizes:
        """Return the amount of data."""
        return _sizes_of_folds([blocks.n for blocks in self.x], self.x[0].p)

    def given_to(self, test: BayesianTest) -> Blocks | Sequence[Blocks]:
        """Return the scores on the only data set, or on each for a test of several."""
        if test.datasets[1] != 1:
            return self.x
        if len(self.x) > 1:
            others = [t for t in bayesian_tests() if t.fits(self.sizes)]
            instead = f", or use {arg('test', others[0].name)} for all of them" if others else ""
            raise must(
                "scores",
                f"have one data set for {arg('test', test.name)}",
                str(len(self.x)),
                f"Name one with {arg('dataset', ...)}{instead}.",
            )
        return self.x[0]


def _sizes_of_folds(n: Sequence[int], metrics: int = 1) -> Sizes:
    """Count data sets with n scores each."""
    single = n.count(1)
    folds = f"{min(n)}" if min(n) == max(n) else f"{min(n)} to {max(n)}"
    scores = "a single score" if single else f"{folds} scores"
    scores += f" of {metrics} metrics" if metrics > 1 else ""
    words = f"{len(n)} data sets, with {scores} on each"
    if len(n) == 1:
        words = f"one data set, with {scores}"
    elif 0 < single < len(n):
        words = f"{len(n)} data sets, {single} of which with {scores}: by their means"
    return Sizes(metrics, datasets=len(n), folds=min(n), words=words)


@dataclass(frozen=True, eq=False)
class SharedItems(PairScores):
    """Two models on the same items."""

    x: ItemPair

    @property
    def sizes(self) -> Sizes:
        """Return the amount of shared data; independent right-or-wrong items count separately."""
        x, words = self.x, self._describe()
        if (q := len(x.benchmarks)) > 1:
            x.check_no_humans()
            return Sizes(datasets=q, folds=int(x.differences().n.min()), words=words)
        if x.human is not None:
            n = int((~np.isnan(x.human_x)).sum())
            return Sizes(folds=n, unit="judged", words=f"{words}, {n} with human scores")
        alone = x.binary and not x.clustered and x.judge is None
        folds = x.n if x.cluster is None else len(np.unique(x.cluster))
        return Sizes(folds=folds, unit="answers" if alone else "items", words=words)

    def _describe(self) -> str:
        x, graded = self.x, "right or wrong" if self.x.binary else "graded"
        if x.epochs[1] > 1:
            graded = "means over epochs"
        clusters = x.questions if x.cluster is None else len(np.unique(x.cluster))
        among = f" in {format_count(clusters, 'cluster')}" if clusters < x.questions else ""
        if x.judge is not None:
            graded += f" by {format_count(len(np.unique(x.judge)), 'judge')}"
        benchmarks = format_count(len(x.benchmarks), "benchmark")
        return f"{format_count(x.questions, 'question')} of {benchmarks}{among}, {graded}"

    def refuse(self, sizes: Sizes) -> InputError:
        """Return the refusal of scores that no test fits."""
        found = f"{sizes.words}, with as few as {format_count(sizes.folds, 'unit')}"
        return must("scores", "be enough for a test", found)

    def given_to(self, test: BayesianTest) -> ItemPair | Differences:
        """Return the items, or their differences as folds of the benchmarks."""
        if test.unit != "judged":
            self.x.check_no_humans()
        return self.x.differences() if test.unit == "folds" else self.x


#: Fewest questions (or clusters) for which resampling keeps its coverage: in simulations of five
#: models 0.94 to 0.95 with 50 and more, but 0.82 with 20 that hardly any model answers
#: differently.
ENOUGH = 100


@dataclass(frozen=True, eq=False)
class MeansOfPair(PairScores):
    """Two algorithms' means with their standard errors."""

    x: MeanDifferences

    @property
    def sizes(self) -> Sizes:
        """Return the number of data sets."""
        words = f"{format_count(self.x.q, 'data set')}, with means and standard errors"
        return Sizes(datasets=self.x.q, unit="means", words=words)

    @property
    def means(self) -> tuple[float, ...]:
        """Difference of the means on each data set."""
        return tuple(map(float, self.x.difference))


@dataclass(frozen=True, eq=False)
class AllModels(PairScores):
    """All models of a table of items, on one benchmark or (None) on several."""

    x: Items
    benchmark: str | None

    @property
    def sizes(self) -> Sizes:
        """Return the amount of data; a benchmark with few items counts as folds."""
        L, unit, q = len(self.x.models), "folds", len(self.x.benchmarks)
        if self.benchmark is not None:
            group, q = self.x.group(benchmark=self.benchmark), 1
            n = group.scores.shape[1] if group.cluster is None else len(np.unique(group.cluster))
            unit = "items" if group.judge is not None or n >= ENOUGH else "folds"
        words = f"{L} models on {format_count(q, 'benchmark')}"
        return Sizes(algorithms=L, datasets=q, unit=unit, words=words)

    def given_to(self, test: BayesianTest) -> object:
        """Return the scores of all benchmarks, or the items or blocks of the only one."""
        if self.benchmark is None:
            return self.x.scores()
        take = self.x.blocks if test.unit == "folds" else self.x.group
        return take(benchmark=self.benchmark)


# All pairs, in parallel: results with their warnings, and one failure at a time.


def record_result(
    question: PairQuestion, threshold: float, *, keep_posterior: bool = True
) -> PairResult:
    """Fit the test of a question about one pair; record the result together with its warnings."""
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DiagnosticWarning)
        posterior = question.fit()
        verdict = posterior.verdict_without_limits(threshold=threshold)
    kept = ("engine", "engine_version", "diagnostics", "seed", "directions", "resampling", "notes")
    own: Json = {name: getattr(posterior, name) for name in (*kept, "pairing")}
    return PairResult(
        verdict=verdict,
        test=posterior.kind if question.test is None else question.test.name,
        datasets=question.scores.sizes.datasets,
        **own,
        warnings=tuple(
            str(w.message) for w in caught if issubclass(w.category, DiagnosticWarning)
        ),
        seconds=perf_counter() - start,
        left_out=posterior.left_out or LeftOut(),
        posterior=posterior if keep_posterior else None,
        means=question.scores.means,
    )


def warn_of_pairs(
    results: Iterable[tuple[Pair, PairResult]],
    failures: Iterable[tuple[Pair, Exception]],
    hint: str = "",
) -> None:
    """Warn once of failed pairs, and once of those that cannot be trusted; `hint`: where."""
    results, failed = list(results), [(pair, str(error)) for pair, error in failures]
    doubtful = [(pair, "; ".join(r.trouble)) for pair, r in results if r.trouble]
    total = len(results) + len(failed)
    for cases, what in ((failed, "could not be compared"), (doubtful, "cannot be trusted")):
        if cases:
            (first, second), why = cases[0]
            warn_user(
                f"{len(cases)} of {format_count(total, 'pair')} {what}, e.g. "
                f"{first} and {second}: {why}{hint}"
            )


@validate_params(metric=optional(text), n_jobs=jobs, keep_posteriors=flag, progress=optional(flag))
def compare_all(
    scores: Scores | Items | pd.DataFrame,
    metric: str | None = None,
    rope: RopesLike | None = None,
    *,
    control: str | None = None,
    algorithms: Iterable[str] | None = None,
    test: str = "auto",
    rho: RhoLike | None = None,
    scale: str | None = None,
    datasets: Iterable[str] | None = None,
    seed: Seed = None,
    threshold: float = 0.95,
    n_jobs: int | None = None,
    progress: bool | None = None,
    keep_posteriors: bool = False,
    **options: object,
) -> Comparisons:
    """Compare all pairs of algorithms, or all of them with a control.

    Each pair is tested separately, under the same seed, as by `compare`. A pair that fails is
    reported, and the others are kept.

    Parameters
    ----------
    scores : Scores, Items, DataFrame or path
        Scores of at least two algorithms. Answers to questions are compared by the correlated t
        test with rho 0; `compare` of two models takes paired proportions if they are right or
        wrong.
    metric : str, optional
        May be left out if the table has only one metric.
    rope : float or (float, float), optional
        Region of practical equivalence, in units of the metric. Without one the direction is
        judged, and ``limits`` has the ROPEs for which the best, or the control, differs from each
        other one. With one infinite bound, the question for each pair is whether the one with the
        worse mean is worse than the other (with a control, or for two algorithms, as for
        `compare`).
    control : str, optional
        Compare all others only with this algorithm, which is the first of each pair.
    algorithms, datasets : iterable of str, optional
        Compare only these, or only on these.
    test, rho, scale, seed, **options
        As for `compare`; "auto" chooses for each pair.
    threshold : float
        Probability required for a decision.
    n_jobs : int, optional
        Number of processes, -1 for one per core; by default one, or one per core for more than 500
        pairs. The numbers do not depend on it. ``joblib.parallel_config(backend=...)`` moves the
        work elsewhere, for example to a Dask cluster.
    progress : bool, optional
        Whether to show a progress bar; by default only on a terminal.
    keep_posteriors : bool
        Whether to keep each pair's posterior, about a megabyte. Others are fitted again, with the
        same numbers, when the result's ``posterior`` is called.

    Returns
    -------
    Comparisons
        ``frame`` is the tidy table, ``results`` holds each pair's verdict, ``posterior`` gives the
        posterior behind it; ``best`` is the Bayesian bootstrap of three algorithms or more over
        several data sets.

    Raises
    ------
    InputError
        Unknown names, a bad ROPE or threshold, one algorithm; the first error if all pairs fail.

    Warns
    -----
    DiagnosticWarning
        If pairs failed or cannot be trusted; each one's row in ``frame`` states why.

    See Also
    --------
    compare, crosscheck

    Examples
    --------
    >>> import bayescmp as bc
    >>> import pandas as pd
    >>> means = pd.DataFrame({"knn": [0.80, 0.78, 0.81, 0.79], "svm": [0.87, 0.88, 0.86, 0.87]})
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> comparisons = bc.compare_all(scores, rope=0.01, seed=1)
    >>> comparisons.order
    ('svm', 'knn')
    """
    question = ask_question(
        scores,
        metric,
        rope,
        algorithms=algorithms,
        datasets=datasets,
        threshold=threshold,
        rho=rho,
        seed=seed,
        options=options,
        scale=scale,
        test=test,
        control=control,
    )
    (metric,), pairs = question.metrics, question.pairs
    question.scores.means(metric)  # refuses missing scores before the work
    limit, keep = question.threshold, keep_posteriors
    tasks = ((_try_pair(question, pair), limit, keep) for pair in pairs)
    solved = solve_tasks(_solve, tasks, len(pairs), n_jobs)
    done = list(with_bar(solved, "pairs", progress, len(pairs)))
    results = {p: r for p, r in zip(pairs, done, strict=True) if isinstance(r, PairResult)}
    failures = {p: r for p, r in zip(pairs, done, strict=True) if isinstance(r, Exception)}
    if not results:
        raise next(iter(failures.values()))
    hint = either(" (see the frame's columns error and notes)", "")
    warn_of_pairs(results.items(), failures.items(), hint)
    comparisons = replace(
        collect_comparisons(question, metric, results, failures),
        metric=label_scale(metric, question.scores.scale),
        refit=partial(_fit_pair, question),
    )
    return add_limits(comparisons, limit, n_jobs)


def _ask_pair(question: Question, pair: Pair) -> PairQuestion:
    test, (metric,) = question.test, question.metrics
    x: PairScores
    scores, unpaired = question.scores, question.unpaired
    if test is not None and unpaired and test.on_means:
        x = PairedScores(scores.runs(*pair, metric).mean_differences())
    elif (test is None and unpaired) or (test is not None and not test.paired):
        x = runs_for(scores, pair, (metric,), test, Request(*pair, metric, None))
    else:
        rho = default_rho(question.rho, test)
        x = PairedScores(question.scores.differences(*pair, metric, rho=rho))
    return PairQuestion(x, question.ropes[metric], test, question.seed, question.options)


def _fit_pair(question: Question, pair: Pair) -> Posterior:
    return _ask_pair(question, pair).fit()


def add_limits(comparisons: Comparisons, threshold: float, n_jobs: int | None = 1) -> Comparisons:
    """Add the ROPEs for which the first, or the control, differs from others; none with a ROPE."""
    if not comparisons.rope.empty:
        return comparisons
    ahead = comparisons.control or comparisons.order[0]
    pairs = [p for p, r in comparisons.results.items() if ahead in p and r.verdict.decided]
    tasks = ((comparisons, pair, threshold) for pair in pairs)
    limits = solve_tasks(_find_limits, tasks, len(pairs), n_jobs)
    return replace(comparisons, limits=dict(zip(pairs, limits, strict=True)))


def _find_limits(comparisons: Comparisons, pair: Pair, threshold: float) -> RopeLimits:
    return comparisons.posterior(*pair).rope_limits(threshold)


def collect_comparisons(
    question: Question,
    metric: str,
    results: Mapping[Pair, PairResult],
    failures: Mapping[Pair, Exception],
) -> Comparisons:
    """Return the verdicts by one metric, each algorithm's mean, and without a control the best."""
    names, rope, scores = question.algorithms, question.ropes[metric], question.scores
    best = None
    if question.control is None:
        best = best_of(scores, metric, rope, question.seed, question.rho)
    table = scores.means(metric)[list(names)]
    means, counts = average_of(table, scores.scale), table.notna().sum()
    fewer = {name: int(counts[name]) for name in means if counts[name] < len(table)}
    return Comparisons(
        names, results, failures, question.control, metric, rope, best, means, fewer
    )


def _try_pair(question: Question, pair: Pair) -> PairQuestion | Exception:
    try:
        return _ask_pair(question, pair)
    except Exception as error:  # kept, and reported with the pair
        return error


def _solve(
    question: PairQuestion | Exception, threshold: float, keep: bool
) -> PairResult | Exception:
    if isinstance(question, Exception):
        return question
    try:
        return record_result(question, threshold, keep_posterior=keep)
    except Exception as error:  # kept, and reported with the pair
        return error
