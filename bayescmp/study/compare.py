"""One pair of algorithms, by one metric or several: which test fits, and its posterior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.checks import RhoLike, Seed
from bayescmp.bayesian import pair_blocks
from bayescmp.catalogue import BayesianTest, Sizes, bayesian_tests, preferred
from bayescmp.errors import InputError
from bayescmp.items.items import Items
from bayescmp.items.pair import ItemPair
from bayescmp.results.posterior import Posterior
from bayescmp.scores.blocks import Blocks, UnpairedScores, unpaired_scores
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import Rope, RopesLike, as_rope, as_ropes, label_scale, times
from bayescmp.scores.scores import Scores
from bayescmp.study.question import (
    Question,
    as_scores,
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
        If the engine can't fit the model or is not installed.

    Warns
    -----
    DiagnosticWarning
        If the posterior can't be trusted.

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
    return fit_test(ask_pair(**locals()))


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
    given = scores if isinstance(scores, Items) else as_scores(scores)
    rope, pair = required_rope(rope), _name_pair(given, first, second)
    x: Compared
    if isinstance(given, Items):
        check_items(given, metric, rho, scale)
        chosen = named_test(test, algorithms=len(pair) or len(given.models), of_items=True)
        x = _models(given, pair, dataset)
        metrics, ropes = [given.direction.metric], [_region_of_items(x, rope)]
    elif len(metrics := _name_metrics(metric)) > 1:
        if scale not in (None, "difference"):
            raise InputError(f"scale={scale!r} of several metrics; accepted: one metric")
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
        raise InputError("metric is an empty sequence; accepted: a metric, or several")
    return names


def _name_pair(
    given: Scores | Items | Differences, first: str | None, second: str | None
) -> tuple[str, ...]:
    """Return the two algorithms; the only two need not be named, and () is all models of items."""
    unnamed, of_items = first is None and second is None, isinstance(given, Items)
    if isinstance(given, Differences):
        if not unnamed and (str(first), str(second)) != given.names:
            raise InputError(
                f"first={first!r}, second={second!r}, but the differences are of {given.names}"
            )
        return given.names
    known = given.models if isinstance(given, Items) else given.algorithms
    if unnamed and (of_items or len(known) == 2):
        return known if len(known) == 2 else ()
    if first is None or second is None:
        neither, what = (", or neither", "models") if of_items else ("", "algorithms")
        raise InputError(
            f"first and second are needed{neither}: the table has the {what} "
            + ", ".join(map(repr, known))
        )
    return first, second


def _without_pairs(given: Scores | Differences, test: BayesianTest, **unused: object) -> Scores:
    """Return the table of a test of runs that do not pair; refuse what belongs to differences."""
    for name, value in unused.items():
        if value is not None:
            raise InputError(f"{name}={value!r} is for paired scores; {test.name} takes none")
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
        if given.metric not in (metric, label_scale(metric, given.scale)):
            own = repr(given.metric) if given.metric else "no named metric"
            raise InputError(f"metric={metric!r}, but the differences are of {own}")
    if scale not in (None, given.scale):
        raise InputError(f"scale={scale!r}, but the differences are on {given.scale!r}")
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
        instead = f", or use test={others[0].name!r} for all of them" if others else ""
        raise InputError(
            f"test={test.name!r} takes one data set, the table has {len(blocks)}: name one with "
            f"dataset=...{instead}"
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
