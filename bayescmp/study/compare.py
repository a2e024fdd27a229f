"""A pair of algorithms, all pairs, or all against one: which test fits, and its posteriors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from time import perf_counter
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import arg, either, must_be
from bayescmp.base.checks import RhoLike, Seed, declare, flag, jobs, optional, text
from bayescmp.base.typing import Json, Pair
from bayescmp.base.workers import in_order, list_workers, with_bar
from bayescmp.bayesian import pair_blocks
from bayescmp.catalogue import BayesianTest, Sizes, bayesian_tests, preferred
from bayescmp.errors import DiagnosticWarning, InputError, warn_user
from bayescmp.items.items import Items
from bayescmp.items.pair import ItemPair
from bayescmp.results.posterior import Posterior
from bayescmp.scores.blocks import Blocks, UnpairedScores, unpaired_scores
from bayescmp.scores.differences import Differences
from bayescmp.scores.metrics import label_scale
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import Rope, RopesLike, as_rope, as_ropes, times
from bayescmp.scores.scores import Scores
from bayescmp.study.comparisons import Comparisons, PairResult, average_of, best_of
from bayescmp.study.question import (
    Question,
    as_scores,
    ask_question,
    check_items,
    default_rho,
    extent_of,
    named_test,
    region_of,
    region_of_table,
    required_rope,
    scores_table,
)
from bayescmp.wording.text import format_count


def compare(
    scores: Scores | Items | Differences | pd.DataFrame,
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
    scores : Scores, Items, DataFrame, mapping or Differences
        Scores of at least two algorithms; `Differences` bring their names and metric. `Items` are
        scores of models on a benchmark's questions. A mapping holds results of scikit-learn's
        ``cross_validate`` with their indices, as for `Scores.from_cv_results`.
    first, second : str, optional
        The two algorithms; may be left out where there are only two. If `Items` have more models
        and none is named, all are compared at once.
    metric : str or sequence of str, optional
        May be left out where the table has only one metric. Several are compared at once, over the
        regions equivalent, first dominates, second dominates and trade-off; they may also be
        derived from columns tp, fn, fp and tn ("tpr", "fpr", ...).
    rope : float or (float, float); for several metrics also a sequence or mapping of one each
        Region of practical equivalence, in units of the metric; "1%" is a hundredth of the
        metric's range, or a ratio of 1.01 on the scale "log_ratio".
    test : str
        With several metrics "multivariate_t", "robust_multivariate_t" (one data set) or
        "hierarchical_multivariate_t" (several data sets). With one metric "correlated_t",
        "robust_t" (one data set), "hierarchical_t" (several, with their folds), "sign",
        "signed_rank" (several, by their means), "two_sample_t" (one data set, runs with seeds of
        their own, which do not pair); "auto" takes correlated_t for one data set, hierarchical_t
        for several with at least two scores each, and signed_rank for means; the posterior's notes
        say which it took and why. For tests of your own see `bayescmp.catalogue`. For two models
        on the items of one benchmark "paired_proportions" (independent items, right or wrong) or
        "cluster_bootstrap" (any), on those of several "hierarchical_t"; for several models
        "question_bootstrap" (one benchmark of at least 100 questions or clusters), "groups" (of
        fewer), "joint_t", "bootstrap" or "leaderboard" (several benchmarks).
    dataset : str, optional
        Compare only on this data set or benchmark.
    rho : float, array_like or mapping of data set to float, optional
        Correlation of two folds' differences; from the fold labels if not given.
    scale : {"difference", "log_ratio", "standardised"}, optional
        What differs, for one metric: the scores, their logarithms, or the scores in standard
        deviations; see `Scores.differences`.
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
    compare_all : All pairs of algorithms.
    crosscheck : The frequentist tests beside the Bayesian ones.
    which_test : Which tests there are for which scores.

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
    >>> verdict = posterior.verdict()
    >>> verdict.decision
    'second'
    >>> print(f"{verdict.p_right:.3f}")
    0.999
    """
    return fit_test(
        ask_pair(
            scores,
            first,
            second,
            metric,
            rope,
            test=test,
            dataset=dataset,
            rho=rho,
            scale=scale,
            seed=seed,
            options=options,
        )
    )


def ask_pair(
    scores: Scores | Items | Differences | pd.DataFrame,
    first: str | None,
    second: str | None,
    metric: str | Sequence[str] | None,
    rope: RopesLike | None,
    *,
    test: str = "auto",
    dataset: str | None = None,
    rho: RhoLike | None = None,
    scale: str | None = None,
    seed: Seed = None,
    options: Mapping[str, object] = MappingProxyType({}),
) -> Question:
    """Read and check what `compare` is given: a question about the scores of one pair."""
    given = as_scores(scores)
    rope, pair = required_rope(rope), _name_pair(given, first, second)
    x: Compared
    if isinstance(given, Items):
        check_items(given, metric, rho, scale)
        chosen = named_test(test, algorithms=len(pair) or len(given.models), of_items=True)
        x = _models(given, pair, dataset)
        metrics, ropes = [given.direction.metric], [_region_of_items(x, rope)]
    elif len(metrics := _name_metrics(metric)) > 1:
        if scale not in (None, "difference"):
            raise must_be(
                "scale", "'difference' for several metrics", scale, "For another name one metric."
            )
        chosen = named_test(test, metrics=len(metrics))
        x, ropes = _blocks(given, pair, metrics, dataset, rho), [*as_ropes(rope, metrics)]
    elif (chosen := named_test(test)) is not None and not chosen.paired:
        table = _without_pairs(
            given, chosen, rho=rho, scale=None if scale == "difference" else scale
        )
        x = unpaired_scores(table, *pair, *metrics, dataset=dataset)
        metrics = [x.direction.metric]
        ropes = [region_of_table(rope, table, *metrics)]
    else:
        x = _differences(given, pair, metrics, default_rho(rho, chosen), scale)
        metrics, ropes = [x.metric], [region_of(rope, x.scale, x.span, x.scores, x.metric)]
        x = x if dataset is None else x.row(str(dataset))
    return Question(
        x,
        pair,
        tuple(metrics),
        dict(zip(metrics, ropes, strict=True)),
        seed=checks.seed_of(seed),
        options=options,
        test=chosen,
    )


def _name_metrics(metric: str | Sequence[str] | None) -> list[str]:
    """Return the metrics that are named; none for the only one that there is."""
    names = checks.as_names(metric, "metric")
    if metric is not None and not names:
        raise must_be("metric", "a metric, or several in a list", metric)
    return names


def _name_pair(
    given: Scores | Items | Differences, first: str | None, second: str | None
) -> tuple[str, ...]:
    """Return the two algorithms; the only two need not be named, and () is all models of items."""
    unnamed, of_items = first is None and second is None, isinstance(given, Items)
    if isinstance(given, Differences):
        if not unnamed and (str(first), str(second)) != given.names:
            raise InputError(
                f"{arg('first', first)}, {arg('second', second)}, but the differences are "
                f"of {given.names}"
            )
        return given.names
    known = given.models if isinstance(given, Items) else given.algorithms
    if unnamed and (of_items or len(known) == 2):
        return known if len(known) == 2 else ()
    if first is None or second is None:
        neither, what = (", or neither", "models") if of_items else ("", "algorithms")
        raise InputError(
            f"{arg('first')} and {arg('second')} are needed{neither}: the table has the {what} "
            + ", ".join(map(repr, known))
        )
    return first, second


def _without_pairs(given: Scores | Differences, test: BayesianTest, **unused: object) -> Scores:
    """Return the table of a test of runs that do not pair; refuse what belongs to differences."""
    for name, value in unused.items():
        if value is not None:
            raise InputError(f"{arg(name, value)} is for paired scores; {test.name} takes none")
    return scores_table(given)


def _differences(
    given: Scores | Differences,
    pair: tuple[str, ...],
    metrics: Sequence[str],
    rho: RhoLike | None,
    scale: str | None,
) -> Differences:
    if isinstance(given, Scores):
        return given.differences(*pair, *metrics, rho=rho, scale=scale)
    for metric in metrics:
        named = given.metric if given.direction is None else given.direction.metric
        if metric not in (named, given.metric):
            own = repr(given.metric) if given.metric else "no named metric"
            raise InputError(f"{arg('metric', metric)}, but the differences are of {own}")
    if scale not in (None, given.scale):
        raise InputError(f"{arg('scale', scale)}, but the differences are on {given.scale!r}")
    return given if rho is None else replace(given, rho=rho)


def _blocks(
    given: Scores | Differences,
    pair: tuple[str, ...],
    metrics: Sequence[str],
    dataset: str | None,
    rho: RhoLike | None,
) -> Blocks | Sequence[Blocks]:
    """Return several metrics of the two algorithms, on one data set or on each."""
    if isinstance(given, Differences):
        raise InputError("scores are differences of one metric; for several give Scores")
    blocks = pair_blocks(
        given,
        *pair,
        metrics=metrics,
        datasets=None if dataset is None else [str(dataset)],
        rho=None if rho is None else checks.one_rho(rho),
    )
    return blocks[0] if len(blocks) == 1 else blocks


# Two models on the same items, or all of them.


@dataclass(frozen=True, eq=False)
class _Models:
    """All models of a table of items, on one benchmark or (None) on several."""

    items: Items
    benchmark: str | None

    @property
    def unit(self) -> str:
        """What they are compared by on a benchmark: items, which few resample badly, or folds."""
        if self.benchmark is None:
            return "folds"
        group = self.items.group(benchmark=self.benchmark)
        units = group.scores.shape[1] if group.cluster is None else len(np.unique(group.cluster))
        return "items" if group.judge is not None or units >= ENOUGH else "folds"

    def as_given(self, test: BayesianTest) -> object:
        """Return the scores as a test takes them."""
        if self.benchmark is None:
            return self.items.scores()
        take = self.items.blocks if test.unit == "folds" else self.items.group
        return take(benchmark=self.benchmark)


#: Questions (or clusters) from which on resampling them keeps its coverage: in simulations of five
#: models 0.94 to 0.95 of 50 and more, but 0.82 of 20 that hardly any model answers differently.
ENOUGH = 100


def _models(items: Items, pair: tuple[str, ...], benchmark: str | None) -> ItemPair | _Models:
    """Return the two models, or all where none are named and there are more."""
    if pair:
        return items.pair(*pair, benchmarks=None if benchmark is None else [benchmark])
    if len(items.models) < 2:
        raise InputError(f"the table has one model only, {items.models[0]!r}: nothing to compare")
    alone = benchmark is None and len(items.benchmarks) == 1
    return _Models(items, items.benchmarks[0] if alone else benchmark)


def _region_of_items(x: ItemPair | _Models, rope: RopesLike) -> Rope:
    """Return the region of practical equivalence, and warn where it does not fit the scores."""
    if isinstance(x, ItemPair):
        seen, span, metric = np.r_[x.first, x.second], x.span, x.direction.metric
    else:
        seen, span, metric = x.items.answers.score, x.items.span, x.items.direction.metric
    return region_of(rope, "difference", span, extent_of(seen), metric)


# Which test fits what is compared, and its posterior.


#: What is compared: two algorithms by one metric, or by several on one data set or on more, runs
#: that do not pair, two models on the same items, or all of them.
Compared: TypeAlias = Differences | UnpairedScores | Blocks | Sequence[Blocks] | ItemPair | _Models


def fit_test(question: Question) -> Posterior:
    """Fit the test of a question about one pair, and note why it was chosen if that was open."""
    x, test, why = question.given, question.test, ""
    if test is None:
        test, why = _choose(x)
    # of a cross-check, each test takes those options that it knows
    options = (test.shared if question.twins else test.checked)(question.options)
    posterior: Posterior = test.fit(
        _as_given(x, test), rope=question.rope, seed=question.seed, options=options
    )
    notes = (*([f"test {test.name}: {why}"] if why else []), *notes_of(x, question.rope))
    return replace(posterior, notes=(*notes, *posterior.notes)) if notes else posterior


def notes_of(x: object, rope: RopesLike) -> tuple[str, ...]:
    """Say what a comparison has to tell of the scale of its differences, if it has any."""
    if not isinstance(x, Differences):
        return ()
    notes = []
    if x.scale == "log_ratio":
        region = as_rope(rope)
        inside = "" if region.empty else f"; equivalent within {times(region.low, region.high)}"
        observed, (first, second) = np.exp(np.mean(x.means)), x.names
        notes.append(
            "scale: a difference d of logarithms is a ratio of exp(d); observed on average over "
            f"the data sets, {second!r} is {observed:.3g} times as good as {first!r}{inside}"
        )
    if x.scale == "standardised":
        notes.append("scale: differences in standard deviations of theirs on each data set")
    return tuple(notes)


def _as_given(x: Compared, test: BayesianTest) -> Any:
    """Return the data as the test takes them: items or their means, one data set or several."""
    if isinstance(x, _Models):
        return x.as_given(test)
    if isinstance(x, ItemPair):
        return x.differences() if test.unit == "folds" else x
    if isinstance(x, (Differences, UnpairedScores)):
        return x
    blocks = _blocks_of(x)
    if test.datasets[1] != 1:
        return blocks
    if len(blocks) > 1:
        others = [t for t in bayesian_tests() if t.fits(_sizes(blocks))]
        instead = f", or use {arg('test', others[0].name)} for all of them" if others else ""
        raise InputError(
            f"{arg('test', test.name)} takes one data set, the table has "
            f"{len(blocks)}: name one with {arg('dataset', ...)}{instead}"
        )
    return blocks[0]


def _choose(x: Compared) -> tuple[BayesianTest, str]:
    """Return the first test in the catalogue that fits, and why."""
    sizes = _sizes(x)
    test, why = preferred(sizes), _describe_sizes(x, sizes)
    if test is not None:
        return test, why
    if isinstance(x, Differences) and x.q == 1:
        raise InputError(
            f"there is a single score of each algorithm, on data set {x.datasets[0]!r}: no test "
            "can judge a single difference; give its folds, or more data sets"
        )
    units = f", with as few as {format_count(sizes.folds, 'unit')}"
    raise InputError(f"no test fits {why}{units if isinstance(x, ItemPair | _Models) else ''}")


def _blocks_of(x: Compared) -> list[Blocks]:
    """Return several metrics, on each data set."""
    assert not isinstance(x, Differences | UnpairedScores | ItemPair | _Models)
    return [x] if isinstance(x, Blocks) else list(x)


def _sizes(x: Compared) -> Sizes:
    if isinstance(x, _Models):
        q = 1 if x.benchmark is not None else len(x.items.benchmarks)
        return Sizes(algorithms=len(x.items.models), datasets=q, unit=x.unit)
    if isinstance(x, ItemPair):
        return _sizes_of_pair(x)
    if isinstance(x, Differences):
        return Sizes(datasets=x.q, folds=int(x.n.min()))
    blocks = _blocks_of(x)
    return Sizes(metrics=blocks[0].p, datasets=len(blocks), folds=min(b.n for b in blocks))


def _sizes_of_pair(pair: ItemPair) -> Sizes:
    """Count what two models share; independent items, right or wrong, are a unit of their own."""
    q = len(pair.benchmarks)
    if q > 1:
        return Sizes(datasets=q, folds=int(pair.differences().n.min()))
    alone = pair.binary and not pair.clustered and pair.judge is None
    folds = pair.n if pair.cluster is None else len(np.unique(pair.cluster))
    return Sizes(folds=folds, unit="answers" if alone else "items")


def _describe_sizes(x: Compared, sizes: Sizes) -> str:
    """Say what there is to compare."""
    if isinstance(x, _Models):
        return f"{sizes.algorithms} models on {format_count(sizes.datasets, 'benchmark')}"
    if isinstance(x, ItemPair):
        return _why_of_pair(x)
    n = x.n.tolist() if isinstance(x, Differences) else [b.n for b in _blocks_of(x)]
    of_metrics = "" if sizes.metrics == 1 else f" of {sizes.metrics} metrics"
    single = sum(count == 1 for count in n)
    folds = f"{min(n)}" if min(n) == max(n) else f"{min(n)} to {max(n)}"
    scores = "a single score" if single else f"{folds} scores"
    if len(n) == 1:
        return f"one data set, with {scores}{of_metrics}"
    if 0 < single < len(n):
        return f"{len(n)} data sets, {single} of which with {scores}{of_metrics}: by their means"
    return f"{len(n)} data sets, with {scores}{of_metrics} on each"


def _why_of_pair(pair: ItemPair) -> str:
    """Say how much there is to compare."""
    graded = "right or wrong" if pair.binary else "graded"
    if pair.epochs[1] > 1:
        graded = "means over epochs"
    clusters = pair.questions if pair.cluster is None else len(np.unique(pair.cluster))
    among = f" in {format_count(clusters, 'cluster')}" if clusters < pair.questions else ""
    if pair.judge is not None:
        graded += f" by {format_count(len(np.unique(pair.judge)), 'judge')}"
    benchmarks = format_count(len(pair.benchmarks), "benchmark")
    return f"{format_count(pair.questions, 'question')} of {benchmarks}{among}, {graded}"


# All pairs, in parallel: results with their warnings, and one failure at a time.


def record_result(question: Question, *, explained: bool = False) -> PairResult:
    """Fit the test of a question about one pair; record the result together with its warnings.

    `explained` finds out now why a verdict is undecided, which takes draws that are at hand; later
    it takes another fit.
    """
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DiagnosticWarning)
        posterior = fit_test(question)
        verdict = posterior.verdict(threshold=question.threshold)
        summary = posterior.summary()
    kept = ("engine", "engine_version", "diagnostics", "seed", "directions", "resampling", "notes")
    own: Json = {name: getattr(posterior, name) for name in (*kept, "pairing")}
    return PairResult(
        verdict=verdict,
        summary=summary,
        test=posterior.kind if question.test is None else question.test.name,
        datasets=getattr(question.given, "q", 1),
        **own,
        warnings=tuple(
            str(w.message) for w in caught if issubclass(w.category, DiagnosticWarning)
        ),
        seconds=perf_counter() - start,
        left_out=posterior.left_out or LeftOut(),
        posterior=posterior,
    )


def warn_of_pairs(
    results: Iterable[tuple[Pair, PairResult]],
    failures: Iterable[tuple[Pair, Exception]],
    hint: str = "",
) -> None:
    """Warn once of the pairs that failed, and once of those that cannot be trusted.

    `hint` says where the user finds out more.
    """
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


Result = TypeVar("Result")

#: Seconds that worker processes cost before they do anything: new ones, and an earlier call's.
START_UP, RESTART = 1.5, 0.1
#: Processes that have solved pairs, and so have imported what that takes.
WARM: set[int | None] = set()


@declare(metric=optional(text), n_jobs=jobs, keep_posteriors=flag, progress=optional(flag))
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

    Every pair is a test of its own, under the same seed: `compare` gives the same numbers. A pair
    that fails is reported, and the others are kept.

    Parameters
    ----------
    scores : Scores or DataFrame
        Scores of at least two algorithms.
    metric : str, optional
        May be left out where the table has only one metric.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric. With one infinite end, the
        question for each pair is whether the one with the worse mean is worse than the other; with
        a control, or for two algorithms, it is as for `compare`.
    control : str, optional
        Compare all others only with this algorithm, which is the first of each pair.
    algorithms : iterable of str, optional
        Compare only these.
    test, rho, scale, seed, **options
        As for `compare`; "auto" chooses for each pair.
    datasets : iterable of str, optional
        Compare only on these.
    threshold : float
        Probability at which a region is decided for.
    n_jobs : int, optional
        Largest number of processes; if not given or -1, one per core. They start only where that
        saves time: starting takes a second, but those of an earlier call stay for five minutes.
        The numbers do not depend on it. ``joblib.parallel_config(backend=...)`` moves the work
        elsewhere, for example to a Dask cluster.
    progress : bool, optional
        Whether to show a progress bar; if not given, only on a terminal.
    keep_posteriors : bool
        Whether to keep each pair's whole posterior, about a megabyte, beside its verdict and
        summary. One that was not kept is fitted again, with the same numbers, when the result's
        ``posterior`` is asked for it.

    Returns
    -------
    Comparisons
        ``frame`` is the tidy table, ``results`` holds each pair's verdict, ``posterior`` gives the
        posterior behind it; ``best`` says which of three algorithms or more is best over several
        data sets, by the Bayesian bootstrap.

    Raises
    ------
    InputError
        Unknown names, a bad rope or threshold, a single algorithm; the first pair's error if all
        pairs fail.

    Warns
    -----
    DiagnosticWarning
        If pairs failed or cannot be trusted, and how many; each one's row in ``frame`` says why.

    See Also
    --------
    compare : One pair.
    crosscheck : All pairs, with the frequentist tests beside them.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> means = pd.DataFrame(
    ...     rng.normal([0.80, 0.81, 0.87], 0.02, (15, 3)), columns=["knn", "gbm", "svm"]
    ... )
    >>> scores = bc.Scores.from_means(means, metric="accuracy")
    >>> comparisons = bc.compare_all(scores, rope=0.01, seed=1)
    >>> comparisons.frame[["first", "second", "decision"]]
      first second   decision
    0   gbm    svm     second
    1   knn    svm     second
    2   knn    gbm  undecided
    >>> comparisons.order
    ('svm', 'gbm', 'knn')
    """
    required_rope(rope)
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
    tasks = ((_try_pair(question, pair), keep_posteriors) for pair in pairs)
    solved = solve_tasks(_solve, tasks, len(pairs), n_jobs)
    done = list(with_bar(solved, "pairs", progress, len(pairs)))
    results = {p: r for p, r in zip(pairs, done, strict=True) if isinstance(r, PairResult)}
    failures = {p: r for p, r in zip(pairs, done, strict=True) if isinstance(r, Exception)}
    if not results:
        raise next(iter(failures.values()))
    hint = either(" (see the frame's columns error and notes)", "")
    warn_of_pairs(results.items(), failures.items(), hint)
    return replace(
        collect_comparisons(question, metric, results, failures),
        metric=label_scale(metric, question.scores.scale),
        refit=partial(_fit_pair, question),
    )


def _ask_pair(question: Question, pair: Pair) -> Question:
    """Return the question about one pair, with its own scores alone."""
    test, (metric,) = question.test, question.metrics
    x: Differences | UnpairedScores
    if test is not None and not test.paired:
        x = unpaired_scores(question.scores, *pair, metric)
    else:
        x = question.scores.differences(*pair, metric, rho=default_rho(question.rho, test))
    return replace(question, given=x)


def _fit_pair(question: Question, pair: Pair) -> Posterior:
    """Fit a pair on demand, from the scores that all pairs were compared on."""
    return fit_test(_ask_pair(question, pair))


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


def _try_pair(question: Question, pair: Pair) -> Question | Exception:
    try:
        return _ask_pair(question, pair)
    except Exception as error:  # kept, and reported with the pair
        return error


def _solve(question: Question | Exception, keep: bool) -> PairResult | Exception:
    """Return one pair's result, or why there is none."""
    if isinstance(question, Exception):
        return question
    try:
        x, result = question.given, record_result(question, explained=keep)
    except Exception as error:  # kept, and reported with the pair
        return error
    if isinstance(x, Differences):
        result = replace(result, means=tuple(map(float, x.means)))
    return result if keep else result.without_posterior()


def solve_tasks(
    solve: Callable[..., Result],
    tasks: Iterator[tuple[object, ...]],
    total: int,
    n_jobs: int | None,
) -> Iterator[Result]:
    """Yield what a function returns for each task, in their order.

    If `joblib.parallel_config` names a backend, they come from it. Otherwise the work starts in
    this process and moves to others once the pace so far says that they will pay for their start.
    """
    import joblib
    from joblib.parallel import BACKENDS, DEFAULT_BACKEND, get_active_backend

    if not isinstance(get_active_backend()[0], BACKENDS[DEFAULT_BACKEND]):
        yield from in_order(solve, tasks, n_jobs)
        return
    workers = joblib.effective_n_jobs(-1 if n_jobs is None else n_jobs)
    yield from _while_it_pays(solve, tasks, total, workers)
    first = next(tasks, None)
    if first is None:  # nothing is left to start processes for
        return
    # BLAS gets one thread in each process: more would fight for the same cores.
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        yield from in_order(solve, chain([first], tasks), workers)
    WARM.update(list_workers())


def _while_it_pays(
    solve: Callable[..., Result], tasks: Iterator[tuple[object, ...]], total: int, workers: int
) -> Iterator[Result]:
    """Yield results from this process, until so many others would be done sooner with the rest."""
    start, start_up = perf_counter(), RESTART if WARM & list_workers() else START_UP
    for done, task in enumerate(tasks):
        yield solve(*task)
        if done == 0:  # the first includes imports and tables, and says nothing of the pace
            start = perf_counter()
            continue
        left = (total - done - 1) * (perf_counter() - start) / done
        if left * (1 - 1 / workers) > start_up:
            return
