"""One pair of algorithms, by one metric or several: which test fits, and its posterior."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.checks import RhoLike, Seed
from bayescmp.bayesian import pair_blocks
from bayescmp.catalogue import BayesianTest, Sizes, bayesian_test, bayesian_tests, preferred
from bayescmp.errors import InputError
from bayescmp.items.items import Items
from bayescmp.items.pair import ItemGroup, ItemPair
from bayescmp.results.posterior import Posterior
from bayescmp.scores.blocks import Blocks, UnpairedScores, unpaired_scores
from bayescmp.scores.differences import Differences
from bayescmp.scores.rope import (
    Rope,
    RopesLike,
    as_rope,
    label_scale,
    rope_of,
    times,
    warn_of_rope,
)
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import counted

# The region of practical equivalence that a comparison is given.


def required_rope(rope: RopesLike | None) -> RopesLike:
    """The rope, which every comparison needs."""
    if rope is None:
        raise InputError(
            "rope is missing: the difference, in units of the metric, below which two algorithms "
            "are practically equivalent; e.g. 0.01 for accuracy, or 0 for no such region"
        )
    return rope


def check_rope(rope: object) -> None:
    """Refuse a rope that is none; percent are read later, when the scale is known."""
    if not isinstance(rope, str):
        as_rope(rope)


def region_of(
    rope: object,
    scale: str,
    span: float | None,
    scores: tuple[float, float] | None,
    metric: str,
) -> Rope:
    """The region of practical equivalence on a scale, with a warning where it does not fit.

    Parameters
    ----------
    span : float, optional
        Length of the metric's range.
    scores : (float, float), optional
        Span and largest absolute value of the scores.
    """
    region = rope_of(rope, scale, span)
    if scale == "difference" and scores is not None:
        warn_of_rope(region, span or scores[0], scores[1], metric)
    return region


def region_of_table(rope: object, scores: Scores, metric: str) -> Rope:
    """`region_of` for all pairs of a table."""
    cells = scores.pairing.frame[scores.metric_named(metric)].to_numpy(dtype=float)
    values = cells[np.isfinite(cells)]
    sizes = (float(np.ptp(values)), float(np.abs(values).max())) if len(values) else None
    span = scores.span(metric) if scores.scale == "difference" else None
    return region_of(rope, scores.scale, span, sizes, metric)


# What a comparison has to say of the scale of its differences.


def notes_of(x: object, rope: RopesLike) -> tuple[str, ...]:
    """What a comparison has to say of the scale of its differences.

    Parameters
    ----------
    x : object
        What was compared; anything but `Differences` has nothing to say.
    rope : object
        Its region of practical equivalence.
    """
    if not isinstance(x, Differences):
        return ()
    notes = []
    if x.scale == "log_ratio":
        region = as_rope(rope)
        inside = "" if region.empty else f"; equivalent within {times(region.low, region.high)}"
        mean = float(np.mean(x.means))
        notes.append(
            f"scale: a difference d of logarithms is a ratio of exp(d); on average over the data "
            f"sets {x.names[1]!r} is {np.exp(mean):.3g} times as good as {x.names[0]!r}{inside}"
        )
    if x.scale == "standardised":
        notes.append("scale: differences in standard deviations of theirs on each data set")
    return tuple(notes)


# Two models on the same items, or all of them: which test fits, and its posterior.


def compare_items(
    items: Items,
    first: str | None,
    second: str | None,
    rope: object,
    *,
    test: str = "auto",
    benchmark: str | None = None,
    seed: Seed = None,
    options: Mapping[str, object],
) -> Any:
    """The posterior of two models, or of all where none are named and there are more.

    Parameters
    ----------
    first, second : str, optional
        The two models; the only two need not be named.
    test : str
        "auto", or a test's name.
    benchmark : str, optional
        Compare on this one only.
    options : mapping
        Of the test.

    Returns
    -------
    Posterior; of three models or more that of a test with a verdict for each pair

    Raises
    ------
    InputError
        Unknown names or tests; whatever `Items.pair` and the test refuse.
    """
    names = [None if name is None else str(name) for name in (first, second)]
    if names == [None, None] and len(items.models) == 2:
        names = list(items.models)
    if names == [None, None]:
        return _several(items, rope, test, benchmark, seed, options)
    if None in names:
        raise InputError(
            "first and second are needed, or neither: the table has the models "
            + ", ".join(map(repr, items.models))
        )
    one, other = map(str, names)
    pair = items.pair(one, other, benchmarks=None if benchmark is None else [benchmark])
    return _of_pair(pair, rope, test, seed, options)


def check_items(
    items: Items, metric: str | Iterable[str] | None, rho: object, scale: object
) -> None:
    """Refuse what scores of folds are asked for, and items have not."""
    known = items.direction.metric
    if metric is not None and checks.as_names(metric, "metric") != [known]:
        raise InputError(f"metric={metric!r}; accepted: {known!r}, by which the items are scored")
    if rho is not None and checks.one_rho(rho) != 0:
        raise InputError("rho is given, but items are independent units: their rho is 0")
    if not isinstance(scale, str | None) or scale not in (None, "difference"):
        raise InputError(f"scale={scale!r} of items; accepted: 'difference'")


# -- two models --------------------------------------------------------------------------------


def _of_pair(
    pair: ItemPair, rope: object, test: str, seed: Seed, options: Mapping[str, object]
) -> Any:
    if len(pair.benchmarks) > 1:
        folds, unit = int(pair.differences().n.min()), "folds"
    else:
        folds = pair.n if pair.cluster is None else len(np.unique(pair.cluster))
        single = not pair.clustered and pair.judge is None
        unit = "answers" if pair.binary and single else "items"  # independent, right or wrong
    sizes = Sizes(datasets=len(pair.benchmarks), folds=folds, unit=unit)
    chosen, why = _chosen(test, sizes, algorithms=2, what=_pair_text(pair))
    seen = np.stack([pair.first, pair.second])
    sizes_of_scores = float(np.ptp(seen)), float(np.abs(seen).max())
    region = region_of(rope, "difference", pair.span, sizes_of_scores, pair.direction.metric)
    given = pair.differences() if chosen.unit == "folds" else pair
    return _noted(chosen.fit(given, rope=region, seed=seed, options=chosen.checked(options)), why)


def _pair_text(pair: ItemPair) -> str:
    """How much there is, in words."""
    graded = "right or wrong" if pair.binary else "graded"
    if pair.epochs[1] > 1:
        graded = "means over epochs"
    clusters = pair.questions if pair.cluster is None else len(np.unique(pair.cluster))
    among = f" in {counted(clusters, 'cluster')}" if clusters < pair.questions else ""
    if pair.judge is not None:
        graded += f" by {counted(len(np.unique(pair.judge)), 'judge')}"
    return f"{_sized(pair.questions, len(pair.benchmarks))}{among}, {graded}"


def _sized(items: int, benchmarks: int) -> str:
    return f"{counted(items, 'question')} of {counted(benchmarks, 'benchmark')}"


# -- all of them -------------------------------------------------------------------------------


#: Questions (or clusters) from which on resampling them covers as it says: in simulations of five
#: models 0.94 to 0.95 of 50 and more, but 0.82 of 20 that hardly any model answers differently.
ENOUGH = 100


def _several(
    items: Items,
    rope: object,
    test: str,
    benchmark: str | None,
    seed: Seed,
    options: Mapping[str, object],
) -> Any:
    count = len(items.models)
    if count < 2:
        raise InputError(f"the table has one model only, {items.models[0]!r}: nothing to compare")
    name = items.benchmarks[0] if benchmark is None and len(items.benchmarks) == 1 else benchmark
    q = 1 if name is not None else len(items.benchmarks)
    group = None if name is None else items.group(benchmark=name)
    sizes = Sizes(algorithms=count, datasets=q, unit="folds" if group is None else _unit(group))
    chosen, why = _chosen(
        test, sizes, algorithms=count, what=f"{count} models on {counted(q, 'benchmark')}"
    )
    region = _region(items, rope)
    x = items.scores() if name is None else group if _of_items(chosen) else items.blocks(name)
    posterior = chosen.fit(x, rope=region, seed=seed, options=chosen.checked(options))
    return _noted(posterior, why)


def _unit(group: ItemGroup) -> str:
    """What several models are compared by: items, which few resample badly, or folds."""
    units = group.scores.shape[1] if group.cluster is None else len(np.unique(group.cluster))
    return "items" if group.judge is not None or units >= ENOUGH else "folds"


def _region(items: Items, rope: object) -> Rope:
    score = items.answers.score
    seen = (float(np.ptp(score)), float(np.abs(score).max()))
    return region_of(rope, "difference", items.span, seen, items.direction.metric)


# -- which test --------------------------------------------------------------------------------


def _chosen(test: str, sizes: Sizes, *, algorithms: int, what: str) -> tuple[BayesianTest, str]:
    """The test of this name, or the first that fits, and why it."""
    if str(test) != "auto":
        among = [
            t
            for t in bayesian_tests()
            if t.compares(metrics=1, algorithms=algorithms)
            or (_of_items(t) and t.takes(algorithms))
        ]
        return bayesian_test(test, among=among, more=("auto",)), ""
    candidate = preferred(sizes)
    if candidate is None:
        raise InputError(f"no test fits {what}, with as few as {counted(sizes.folds, 'unit')}")
    return candidate, f"test {candidate.name}: {what}"


def _of_items(test: BayesianTest) -> bool:
    return test.unit != "folds"


def _noted(posterior: Any, why: str) -> Any:
    return replace(posterior, notes=(why, *posterior.notes)) if why else posterior


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
        scores of models on a benchmark's questions. A mapping is of results of scikit-learn's
        ``cross_validate`` with their indices, as `Scores.from_cv_results` takes it.
    first, second : str, optional
        The two algorithms; may be left out where there are only two. If `Items` have more models
        and none are named, all are compared at once.
    metric : str or sequence of str, optional
        May be left out where the table has one metric only. Several are compared at once, over the
        regions equivalent, first dominates, second dominates and trade-off; they may also follow
        from columns tp, fn, fp and tn ("tpr", "fpr", ...).
    rope : float or (float, float); of several metrics also a sequence or mapping of one each
        Region of practical equivalence, in units of the metric; "1%" is a hundredth of the
        metric's range, or a ratio of 1.01 on the scale "log_ratio".
    test : str
        With several metrics "multivariate_t", "robust_multivariate_t" (one data set) or
        "hierarchical_multivariate_t" (several data sets). With one metric "correlated_t",
        "robust_t" (one data set), "hierarchical_t" (several, with their folds), "sign",
        "signed_rank" (several, by their means), "two_sample_t" (one data set, runs with seeds of
        their own, which do not pair); "auto" takes correlated_t for one data set, hierarchical_t
        for several with at least two scores each, signed_rank for means; the posterior's notes say
        which it took and why. Tests of your own: `bayescmp.catalogue`. For two models on the items
        of one benchmark "paired_proportions" (independent items, right or wrong) or
        "cluster_bootstrap" (any), on those of several "hierarchical_t"; of several models
        "question_bootstrap" (one benchmark of 100 questions or clusters, or more), "groups" (of
        fewer), "joint_t", "bootstrap" or "leaderboard" (several).
    dataset : str, optional
        Compare on this data set, or benchmark, only.
    rho : float, array_like or mapping of data set to float, optional
        Correlation of two folds' differences; from the fold labels if not given.
    scale : {"difference", "log_ratio", "standardised"}, optional
        What differs, of one metric: the scores, their logarithms, or the scores in standard
        deviations; see `Scores.differences`.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    **options
        Passed on to the test: prior, engine, draws, ...

    Returns
    -------
    Posterior
        Of three models or more of `Items` one with a verdict for each pair.

    Raises
    ------
    InputError
        Unknown names, test or option; whatever `Scores.differences` and the test refuse.
    EngineError, EngineNotFound
        If the engine can't fit the model or is not installed.

    Warns
    -----
    DiagnosticWarning
        If the posterior can't be trusted.

    See Also
    --------
    compare_all : All pairs of algorithms.
    crosscheck : The frequentist tests beside it.
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
    if isinstance(scores, Items):
        check_items(scores, metric, rho, scale)
        return cast(
            Posterior,
            compare_items(
                scores,
                first,
                second,
                required_rope(rope),
                test=test,
                benchmark=dataset,
                seed=seed,
                options=options,
            ),
        )
    given = () if metric is None else metric
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise InputError(
            f"metric={metric!r}; accepted: the name of a metric, or several in a list"
        )
    names = [given] if isinstance(given, str) else [str(m) for m in given]
    if metric is not None and not names:
        raise InputError("metric is an empty sequence; accepted: a metric, or several")
    rope = required_rope(rope)
    if len(names) > 1:
        if scale not in (None, "difference"):
            raise InputError(f"scale={scale!r} of several metrics; accepted: one metric")
        chosen = named_test(test, len(names))
        blocks = _blocks(as_scores(scores), first, second, names, dataset, rho)
        return fit_test(blocks, chosen, rope, seed, options)
    check_rope(rope)
    chosen, one = named_test(test), names[0] if names else None
    if chosen is not None and not chosen.paired:
        table = _without_pairs(scores, chosen, rho, scale)
        runs = unpaired_scores(table, *_pair(table, first, second), one, dataset=dataset)
        region = region_of_table(rope, table, runs.direction.metric)
        return fit_test(runs, chosen, region, seed, options)
    x = _differences(as_scores(scores), first, second, one, default_rho(rho, chosen), scale)
    region = region_of(rope, x.scale, x.span, x.scores, x.metric)
    return fit_test(x if dataset is None else x.row(str(dataset)), chosen, region, seed, options)


def pair_of(
    scores: Scores | Items | Differences,
    first: str,
    second: str,
    metric: str | None,
    *,
    dataset: str | None,
    rho: RhoLike | None,
    scale: str | None,
) -> ItemPair | Differences:
    """Two models on the items that both have, or two algorithms' differences, unfitted."""
    if isinstance(scores, Items):
        check_items(scores, metric, rho, scale)
        return scores.pair(first, second, benchmarks=None if dataset is None else [dataset])
    x = _differences(scores, first, second, metric, rho, scale)
    return x if dataset is None else x.row(str(dataset))


def _without_pairs(
    scores: Scores | pd.DataFrame | Differences,
    test: BayesianTest,
    rho: RhoLike | None,
    scale: str | None,
) -> Scores:
    """The table of a test of runs that do not pair: what is of differences is refused."""
    for name, given in (("rho", rho), ("scale", None if scale == "difference" else scale)):
        if given is not None:
            raise InputError(f"{name}={given!r} is for paired scores; {test.name} takes none")
    return scores_table(scores)


def named_test(test: str, metrics: int = 1) -> BayesianTest | None:
    """The test of this name for this many metrics, None for "auto"."""
    if str(test) == "auto":
        return None
    return bayesian_test(
        test,
        among=[t for t in bayesian_tests() if t.compares(metrics=metrics, algorithms=2)],
        what="test" if metrics == 1 else "test of several metrics",
        more=("auto",),
    )


def default_rho(rho: RhoLike | None, test: BayesianTest | None) -> RhoLike | None:
    """Rho as given; 0 for tests on means, to which it does not matter."""
    return 0.0 if rho is None and test is not None and test.on_means else rho


def as_scores(scores: object) -> Scores | Differences:
    """Scores as given, or read from a table or from results of scikit-learn."""
    if isinstance(scores, (Scores, Differences)):
        return scores
    if hasattr(scores, "columns"):
        return Scores(cast("pd.DataFrame", scores))
    if not isinstance(scores, Mapping):
        raise InputError(
            f"scores is {type(scores).__name__}; accepted: Scores, a DataFrame, or Differences"
        )
    try:
        return Scores.read(scores)
    except InputError as error:
        raise InputError(
            f"scores is a {type(scores).__name__}: {error}; accepted: Scores, as of "
            "Scores.read(results, resampling='10-fold')"
        ) from None


def scores_table(scores: Scores | Items | pd.DataFrame | Differences) -> Scores:
    """Scores of several algorithms: of items as of folds with rho 0; differences are refused."""
    if isinstance(scores, Items):
        return scores.scores()
    table = as_scores(scores)
    if isinstance(table, Differences):
        raise InputError("scores are differences of one pair; accepted: Scores or a DataFrame")
    return table


def _differences(
    scores: Scores | Differences,
    first: str | None,
    second: str | None,
    metric: str | None,
    rho: RhoLike | None,
    scale: str | None = None,
) -> Differences:
    if isinstance(scores, Differences):
        if metric is not None and scores.metric not in (metric, label_scale(metric, scores.scale)):
            of = repr(scores.metric) if scores.metric else "no named metric"
            raise InputError(f"metric={metric!r}, but the differences are of {of}")
        if scale not in (None, scores.scale):
            raise InputError(f"scale={scale!r}, but the differences are on {scores.scale!r}")
        names = scores.names if first is None and second is None else (first, second)
        if names != scores.names:
            raise InputError(
                f"first={first!r}, second={second!r}, but the differences are of {scores.names}"
            )
        return scores if rho is None else dataclasses.replace(scores, rho=rho)
    return scores.differences(*_pair(scores, first, second), metric, rho=rho, scale=scale)


def _blocks(
    scores: Scores | Differences,
    first: str | None,
    second: str | None,
    metrics: Sequence[str],
    dataset: str | None,
    rho: RhoLike | None,
) -> Blocks | Sequence[Blocks]:
    """Several metrics of the two algorithms, on one data set or on each."""
    if isinstance(scores, Differences):
        raise InputError("scores are differences of one metric; for several give Scores")
    blocks = pair_blocks(
        scores,
        *_pair(scores, first, second),
        metrics=metrics,
        datasets=None if dataset is None else [str(dataset)],
        rho=None if rho is None else checks.one_rho(rho),
    )
    return blocks[0] if len(blocks) == 1 else blocks


def _pair(scores: Scores, first: str | None, second: str | None) -> tuple[str, str]:
    """The two algorithms; the only two need not be named."""
    if first is None and second is None and len(scores.algorithms) == 2:
        return scores.algorithms[0], scores.algorithms[1]
    if first is None or second is None:
        raise InputError(
            "first and second are needed: the table has the algorithms "
            + ", ".join(map(repr, scores.algorithms))
        )
    return first, second


def fit_test(
    x: Differences | UnpairedScores | Blocks | Sequence[Blocks],
    test: BayesianTest | None,
    rope: RopesLike,
    seed: Seed,
    options: Mapping[str, object],
) -> Posterior:
    """The posterior of a test, with a note of why it was chosen if the choice was left open."""
    why = ""
    if test is None:
        assert not isinstance(x, UnpairedScores)
        test, why = _choose(x)
    posterior: Posterior = test.fit(
        _given(x, test), rope=rope, seed=seed, options=test.checked(options)
    )
    notes = (*([f"test {test.name}: {why}"] if why else []), *notes_of(x, rope))
    return dataclasses.replace(posterior, notes=(*notes, *posterior.notes)) if notes else posterior


def _given(x: Differences | UnpairedScores | Blocks | Sequence[Blocks], test: BayesianTest) -> Any:
    """Several metrics as the test takes them: of one data set, or of a list of them."""
    if isinstance(x, (Differences, UnpairedScores)):
        return x
    blocks = [x] if isinstance(x, Blocks) else list(x)
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


def _choose(x: Differences | Blocks | Sequence[Blocks]) -> tuple[BayesianTest, str]:
    """The first test in the catalogue that fits, and why."""
    sizes = _sizes(x)
    test = preferred(sizes)
    if test is not None:
        return test, _why(x, sizes)
    if isinstance(x, Differences) and x.q == 1:
        raise InputError(
            f"there is a single score of each algorithm, on data set {x.datasets[0]!r}: no test "
            "can judge a single difference; give its folds, or more data sets"
        )
    raise InputError(f"no test fits {_why(x, sizes)}")


def _counts(x: Differences | Blocks | Sequence[Blocks]) -> list[int]:
    """Scores on each data set."""
    if isinstance(x, Differences):
        return [int(n) for n in x.n]
    return [b.n for b in ([x] if isinstance(x, Blocks) else x)]


def _sizes(x: Differences | Blocks | Sequence[Blocks]) -> Sizes:
    n = _counts(x)
    p = 1 if isinstance(x, Differences) else x.p if isinstance(x, Blocks) else x[0].p
    return Sizes(metrics=p, algorithms=2, datasets=len(n), folds=min(n))


def _why(x: Differences | Blocks | Sequence[Blocks], sizes: Sizes) -> str:
    """What there is to compare, in words."""
    n = _counts(x)
    of = "" if sizes.metrics == 1 else f" of {sizes.metrics} metrics"
    single = sum(count == 1 for count in n)
    folds = f"{min(n)}" if min(n) == max(n) else f"{min(n)} to {max(n)}"
    scores = "a single score" if single else f"{folds} scores"
    if len(n) == 1:
        return f"one data set, with {scores}{of}"
    if 0 < single < len(n):
        return f"{len(n)} data sets, {single} of which with {scores}{of}: by their means"
    return f"{len(n)} data sets, with {scores}{of} on each"
