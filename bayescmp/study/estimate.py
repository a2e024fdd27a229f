"""How good is one model? The mean of each algorithm alone, with an interval that fits the data.

Counts have Jeffreys' interval, folds Student's t with their correlation, questions and data sets
the Bayesian bootstrap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import (
    RhoLike,
    Seed,
    as_names,
    by_name,
    check_choice,
    check_level,
    check_unused,
    check_vector,
    distinct_names,
    items_of,
    require_rho,
    seed_of,
)
from bayescmp.base.magnitudes import ROUNDING
from bayescmp.bayesian.paired.clusters import (
    FEWEST,
    WeightedUnits,
    judges_in_words,
    weigh_clusters,
)
from bayescmp.bayesian.paired.judge import correct
from bayescmp.errors import CountsError
from bayescmp.items.answers import Answers
from bayescmp.items.items import Items
from bayescmp.items.pair import between_questions, totals, variances_of_epochs
from bayescmp.results.estimates import UNKNOWN, Estimate, Estimates, Sample, Way
from bayescmp.scores.blocks import columns_behind, derive_metric
from bayescmp.scores.counts import SuccessCounts, read_count_table, read_counts, wilson_interval
from bayescmp.scores.designs import resampling_of_rho
from bayescmp.scores.differences import Differences
from bayescmp.scores.metrics import (
    Direction,
    bounds_of,
    direction,
    known_range,
    span_of,
    warn_assumed,
)
from bayescmp.scores.resampling import Resampling, explain_rho, inflation
from bayescmp.scores.scores import Scores
from bayescmp.study.question import as_scores, check_items

#: Draws of weights, if several judges scored the questions.
DRAWS = 16_000


def estimate(
    data: object,
    algorithm: str | Iterable[str] | None = None,
    *,
    metric: str | None = None,
    dataset: str | Iterable[str] | None = None,
    level: float = 0.95,
    rho: RhoLike | None = None,
    seed: Seed = 1,
) -> Estimates:
    """Estimate the mean of each algorithm alone, with a credible interval.

    Parameters
    ----------
    data : (int, int), mapping, Scores, Items, DataFrame, or array_like of shape (n,)
        Counts (successes, trials) of independent trials, or a mapping of names to counts; scores
        of folds or means on data sets; scores of models on questions; n folds of one algorithm,
        with ``rho``.
    algorithm, dataset : str or iterable of str, optional
        Which algorithms or models, on which data sets or benchmarks; all if not given.
    metric : str, optional
        May be left out if the table has only one metric.
    level : float
        Probability within the intervals.
    rho : float, array_like or mapping of data set to float, optional
        Correlation of two folds' scores; taken from the fold labels if not given.
    seed : int or numpy Generator, optional
        For questions that several judges scored; all else is computed without draws.

    Returns
    -------
    Estimates

    Raises
    ------
    InputError
        Bad counts; unknown names; missing scores; folds whose correlation is not known; a level
        outside (0, 1); differences, which are of a pair.

    See Also
    --------
    compare, bayescmp.bayesian.leaderboard

    Notes
    -----
    Counts, and unclustered questions that are answered right or wrong once: Jeffreys' interval,
    central 1 − α of Beta(s + ½, n − s + ½), with lower bound 0 for s = 0 and upper bound 1 for s =
    n; Wilson's is reported with it. Coverage jumps with the number of trials: over 20 to 200
    trials it is 0.950 on average at a proportion of 0.95, but 0.885 with 50.

    Folds of one data set: Student's t with n − 1 degrees of freedom, location x̄ and scale s·√(1/n
    + ρ/(1 − ρ)), as in the correlated t test, cut to the metric's range.

    Other questions: the exact Bayesian bootstrap over questions or clusters, with the
    concentration of `bayescmp.bayesian.cluster_bootstrap`. If all units have the same mean, half a
    unit at either bound of the metric represents what was not observed. In simulations 95%
    intervals of 20 to 100 questions with epochs cover 0.94 to 0.96, of 12 clusters 0.93 to 0.95;
    with a mean of 0.95 and 50 questions with epochs 0.91.

    Questions that a judge scored, and humans some of them: `bayescmp.bayesian.judge_corrected`.
    Mean over data sets, at least six: the same bootstrap over their means; it is about data sets
    like these.

    References
    ----------
    Brown, Cai & DasGupta (2001), Statistical Science 16:101-133; Corani & Benavoli (2015), Machine
    Learning 100:285-304, eq. (10); Rubin (1981), Annals of Statistics 9:130-134; Miller (2024),
    arXiv:2411.00640, section 3.1, for the two variances.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.estimate((17, 20)).frame.round(4).loc[0, ["mean", "low", "high"]].to_dict()
    {'mean': 0.85, 'low': 0.6514, 'high': 0.9559}
    >>> folds = [0.82, 0.80, 0.84, 0.79, 0.83, 0.81, 0.85, 0.80, 0.82, 0.84]
    >>> svm = bc.estimate(folds, rho=0.1).frame
    >>> svm[["mean", "low", "high", "n"]].round(3).to_numpy().tolist()
    [[0.82, 0.799, 0.841, 10.0]]
    """
    asked = _Asked(algorithm, metric, dataset, check_level(level), rho, seed_of(seed))
    return _estimate(data, asked)


@dataclass(frozen=True)
class _Asked:
    """The options of `estimate`."""

    algorithm: str | Iterable[str] | None
    metric: str | None
    dataset: str | Iterable[str] | None
    level: float
    rho: RhoLike | None
    seed: int

    def choose(self, what: str, known: tuple[str, ...]) -> tuple[str, ...]:
        """Return the algorithms, models, data sets or benchmarks that are named, or all."""
        given = self.dataset if what in ("data set", "benchmark") else self.algorithm
        names = list(known) if given is None else as_names(given, what)
        for name in names:
            check_choice(what, name, known)
        if not names:
            raise must_be(what, "at least one name, or left out for all", given)
        return tuple(distinct_names(what, names))

    def check_unused(self, of: str) -> None:
        """Refuse the options of a table for data that are not one."""
        options = {"algorithm": self.algorithm, "metric": self.metric, "dataset": self.dataset}
        check_unused(of, **options)

    @property
    def tail(self) -> float:
        """Probability below the interval."""
        return (1 - self.level) / 2


@singledispatch
def _estimate(data: object, asked: _Asked) -> Estimates:
    try:
        table = as_scores(data, "data", asked.metric)
    except CountsError:
        return _of_count_table(data, asked)
    if isinstance(table, Differences):
        raise must_be(
            "data",
            "counts, Scores, Items or a DataFrame",
            data,
            "Differences are of two algorithms; use compare for these.",
        )
    return _estimate(table, asked)


# Counts.


@_estimate.register
def _(data: tuple, asked: _Asked) -> Estimates:
    return _of_counts(read_counts(data), asked)


@_estimate.register(Mapping)
def _(data: Mapping[str, object], asked: _Asked) -> Estimates:
    values = data.values()
    if not all(not isinstance(value, str) and len(items_of(value)) > 2 for value in values):
        return _of_counts(read_counts(data), asked)
    return _estimate(as_scores(data, "data", asked.metric), asked)


def _of_count_table(frame: object, asked: _Asked) -> Estimates:
    check_unused("counts are not scores", metric=asked.metric, rho=asked.rho)
    by_dataset = read_count_table(frame)
    known = tuple(dict.fromkeys(name for counts in by_dataset.values() for name in counts))
    names, datasets = asked.choose("algorithm", known), asked.choose("data set", (*by_dataset,))
    estimates = [
        _of_successes(name, dataset, Sample.TRIALS, by_dataset[dataset][name], asked)
        for dataset in datasets
        for name in names
        if name in by_dataset[dataset]
    ]
    return _put_together(estimates, names, None, Sample.DATASETS, asked)


def _of_successes(
    name: str, dataset: str | None, sample: Sample, count: SuccessCounts, asked: _Asked
) -> Estimate:
    """Estimate a proportion of trials, or of questions that are right or wrong."""
    s, n = count
    return Estimate(
        name, dataset, sample, s / n, jeffreys(s, n, asked.level), n, Way.JEFFREYS,
        wilson=wilson_interval(count, -float(ndtri(asked.tail))),
    )  # fmt: skip


def _of_counts(counts: Mapping[str, SuccessCounts], asked: _Asked) -> Estimates:
    asked.check_unused("counts are not a table")
    check_unused("counts are of independent trials", rho=asked.rho)
    estimates = [
        _of_successes(name, None, Sample.TRIALS, count, asked) for name, count in counts.items()
    ]
    return Estimates(tuple(estimates), asked.level)


def jeffreys(successes: int, trials: int, level: float) -> tuple[float, float]:
    """Return Jeffreys' interval of a proportion (Brown, Cai & DasGupta 2001, section 3.1)."""
    s, tail = successes, (1 - level) / 2
    a, b = s + 0.5, trials - s + 0.5
    low = 0.0 if s == 0 else float(betaincinv(a, b, tail))
    return low, 1.0 if s == trials else float(betaincinv(a, b, 1 - tail))


# Folds, and means over data sets.


@_estimate.register(list)
@_estimate.register(np.ndarray)
def _(data: list[float] | np.ndarray, asked: _Asked) -> Estimates:
    asked.check_unused("an array holds the scores of one algorithm on one data set")
    x = check_vector(data, name="data", least=1, test="estimate")
    if asked.rho is None and len(x) == 2 and np.all(x % 1 == 0):
        raise must_be("data", "a tuple for counts, such as (17, 20)", list(map(float, x)))
    design = Resampling.given(require_rho(asked.rho))
    return Estimates(
        (_of_folds("A1", "", Sample.FOLDS, x, design.rho, (-np.inf, np.inf), asked),),
        asked.level,
        None,
        explain_rho(np.array([design.rho])),
    )


def _of_folds(
    name: str,
    dataset: str,
    sample: Sample,
    x: np.ndarray,
    rho: float,
    bounds: tuple[float, float],
    asked: _Asked,
) -> Estimate:
    """Return Student's t of correlated folds (Corani & Benavoli 2015)."""
    n, mean = len(x), float(x.mean())
    one = Estimate(name, dataset, sample, mean, UNKNOWN, n, Way.SINGLE)
    if n < 2:
        return one
    if np.ptp(x) <= ROUNDING * np.abs(x).max():
        return replace(one, way=Way.ALIKE)
    half = -float(stdtrit(n - 1, asked.tail)) * np.sqrt(inflation(n, rho)) * x.std(ddof=1)
    low, high = np.clip([mean - half, mean + half], *bounds)
    interval = float(low), float(high)
    return replace(one, interval=interval, way=Way.STUDENT)


@_estimate.register
def _(data: Scores, asked: _Asked) -> Estimates:
    if data.scale != "difference":
        raise must_be("scale", "'difference' for means of algorithms", data.scale)
    names = asked.choose("algorithm", data.algorithms)
    datasets = asked.choose("data set", data.datasets)
    way, values, left_out = _read_metric(data, asked.metric)
    bounds = bounds_of(way.metric, values[~np.isnan(values)])
    designs = _designs(data, datasets, asked.rho)
    sample, over = (
        (Sample.QUESTIONS, Sample.BENCHMARKS)
        if data.unit == "benchmark"
        else (Sample.FOLDS, Sample.DATASETS)
    )
    codes, rows = data.pairing.dataset_codes, {name: data.pairing.rows(name) for name in names}
    estimates = []
    for dataset in datasets:
        code = data.pairing.dataset_code(dataset)
        for name in names:
            x = values[rows[name][codes[rows[name]] == code]]
            x = x[~np.isnan(x)]
            if len(x):
                design = designs[dataset]
                of = Sample.RUNS if design.design in ("runs", "seeds") else sample
                estimates.append(_of_folds(name, dataset, of, x, design.rho, bounds, asked))
    rhos = np.array([design.rho for design in designs.values()])
    known = None if asked.rho is not None else [*designs.values()]
    how = explain_rho(rhos, known) if data.has_folds else ""
    return _put_together(estimates, names, way, over, asked, how, left_out)


def _read_metric(scores: Scores, metric: str | None) -> tuple[Direction, np.ndarray, int]:
    """Return a metric's direction and values, NaN where left out, and how many are left out."""
    name = scores.sole_metric if metric is None else _check_metric(scores, metric)
    there = np.all([scores.there(column) for column in columns_behind(scores, name)], axis=0)
    common = scores.on_missing == "common"
    kept = scores.pairing.in_common(there) if common else np.ones(len(there), dtype=bool)
    values = np.full(len(there), np.nan)
    rows = np.flatnonzero(kept)
    values[rows], lower = derive_metric(scores, name, rows)
    bad = rows[np.isnan(values[rows])]
    if len(bad):
        raise must(
            f"metric {name!r}",
            "be a finite number",
            f"0/0 for {scores.pairing.describe_row(int(bad[0]))}",
            "Leave out the data set.",
            argument="metric",
        )
    way = scores.direction(name) if name in scores.metrics else direction(name, lower)
    warn_assumed(way)
    return way, values, int((~kept).sum())


def _range(metric: str, values: np.ndarray) -> tuple[float, float] | None:
    return None if span_of(metric, values) is None else known_range(metric)


def _check_metric(scores: Scores, metric: object) -> str:
    if not isinstance(metric, str):
        raise must_be("metric", "the name of one metric", metric)
    return metric


def _designs(
    scores: Scores, datasets: tuple[str, ...], rho: RhoLike | None
) -> dict[str, Resampling]:
    """Find how the folds of each data set were drawn."""
    if rho is None:
        if scores.resampling.unpaired:  # one algorithm's runs need no partners
            runs = Resampling.runs()
            if not scores.resampling.declared_as_runs:
                runs = replace(runs, evidence="labels")
            return dict.fromkeys(datasets, runs)
        return {name: scores.resampling.of(name) for name in datasets}
    given = by_name("rho", rho, datasets, scores.datasets)
    return dict(zip(datasets, resampling_of_rho(given, len(datasets)), strict=True))


def _put_together(
    estimates: list[Estimate],
    names: tuple[str, ...],
    way: Direction | None,
    sample: Sample,
    asked: _Asked,
    resampling: str = "",
    left_out: int = 0,
) -> Estimates:
    """Add the means over several data sets, and put the best algorithm of each first."""
    over = []
    if len({one.dataset for one in estimates}) > 1:
        for name in names:
            means = np.array([one.mean for one in estimates if one.name == name])
            if len(means):
                over.append(_bootstrap(name, None, sample, means, None, None, asked))
    every = [*over, *estimates]
    places = {dataset: i for i, dataset in enumerate(dict.fromkeys(e.dataset for e in every))}
    sign = 0.0 if way is None else way.sign  # counts keep their order
    order = sorted(every, key=lambda one: (places[one.dataset], -sign * one.mean))
    return Estimates(tuple(order), asked.level, way, resampling, left_out)


def _bootstrap(
    name: str,
    dataset: str | None,
    sample: Sample,
    x: np.ndarray,
    cluster: np.ndarray | None,
    ends: tuple[float, float] | None,
    asked: _Asked,
) -> Estimate:
    """Return the exact Bayesian bootstrap of a mean over units, or over clusters of them."""
    clusters = None if cluster is None else len(np.unique(cluster))
    mean = float(x.mean())
    one = Estimate(name, dataset, sample, mean, UNKNOWN, len(x), Way.FEW, clusters)
    centre, span = (0.0, 0.0) if ends is None else (sum(ends) / 2, (ends[1] - ends[0]) / 2)
    sums, sizes = totals(x - centre, cluster)
    means = sums / sizes
    alike = np.ptp(means) <= ROUNDING * max(np.abs(means).max(), np.abs(x).max())
    if len(sums) < FEWEST:
        return replace(one, way=Way.SINGLE) if len(x) < 2 else one
    if alike and span == 0:
        return replace(one, way=Way.ALIKE)
    answer, _ = weigh_clusters(sums, sizes, span)
    low, high = (centre + answer.quantile(p) for p in (asked.tail, 1 - asked.tail))
    found = Way.BOOTSTRAP if answer.span is None else Way.EXTREMES
    return replace(one, interval=(low, high), way=found)


# Questions.


@_estimate.register
def _(data: Items, asked: _Asked) -> Estimates:
    check_items(data, asked.metric, asked.rho, None)
    names = asked.choose("model", data.models)
    benchmarks = asked.choose("benchmark", data.benchmarks)
    warn_assumed(data.direction)
    answers = data.answers
    ends = _range(data.direction.metric, data.answers.score)
    kept = _find_common(answers, names) if data.on_missing == "common" else None
    estimates, left_out = [], 0
    for benchmark in benchmarks:
        code = answers.benchmarks.index(benchmark)
        for name in names:
            places = np.arange(*answers.find_answers(name).indices(len(answers.score))[:2])
            places = places[answers.benchmark[answers.question[places]] == code]
            if kept is not None:
                left_out += int((~kept[answers.question[places]]).sum())
                places = places[kept[answers.question[places]]]
            if len(places):
                estimates.append(_of_answers(name, benchmark, answers, places, ends, asked))
    return _put_together(
        estimates, names, data.direction, Sample.BENCHMARKS, asked, left_out=left_out
    )


def _find_common(answers: Answers, names: tuple[str, ...]) -> np.ndarray:
    """Return whether each question has a score of all these models."""
    count = np.zeros(len(answers.items), dtype=int)
    for name in names:
        count[answers.question[answers.find_answers(name)]] += 1
    return np.asarray(count == len(names))


def _of_answers(
    name: str,
    benchmark: str,
    answers: Answers,
    places: np.ndarray,
    ends: tuple[float, float] | None,
    asked: _Asked,
) -> Estimate:
    """Estimate one model's mean over the questions of one benchmark."""
    x, question, epochs = answers.score[places], answers.question[places], answers.epochs[places]
    cluster = None if answers.cluster is None else answers.cluster[question]
    if answers.human is not None:
        return _of_humans(name, benchmark, x, cluster, answers.human[places], asked)
    if answers.judge is not None:
        return _of_judges(name, benchmark, x, cluster, answers.judge[question], asked)
    n = len(x)
    if cluster is not None and len(np.unique(cluster)) == n:
        cluster = None
    if cluster is None and epochs.max() == 1 and np.isin(x, (0, 1)).all():
        return _of_successes(
            name, benchmark, Sample.QUESTIONS, SuccessCounts(int(x.sum()), n), asked
        )
    one = _bootstrap(name, benchmark, Sample.QUESTIONS, x, cluster, ends, asked)
    if epochs.min() < 2 or n < 2 or one.clusters == 1:
        return one
    variances = variances_of_epochs(answers)[places]
    return replace(
        one,
        between=between_questions(x, variances / epochs, cluster),
        within=float(variances.mean()),
        epochs=float(1 / np.mean(1 / epochs)),
    )


def _of_humans(
    name: str,
    benchmark: str,
    x: np.ndarray,
    cluster: np.ndarray | None,
    human: np.ndarray,
    asked: _Asked,
) -> Estimate:
    """Return the mean of a judge's scores, corrected by the human scores of some questions."""
    labelled = ~np.isnan(human)
    order = np.argsort(~labelled, kind="stable")
    n, f = int(labelled.sum()), x[order]
    labels = None if cluster is None else np.unique(cluster[order], return_inverse=True)[1]
    answer, _ = correct(human[order][:n], f[:n], f[n:], labels)
    interval = answer.interval_of(answer.location, answer.scale, asked.level)
    return Estimate(
        name, benchmark, Sample.QUESTIONS, answer.location, interval, len(x), Way.CORRECTED,
        answer.clusters,
    )  # fmt: skip


def _of_judges(
    name: str,
    benchmark: str,
    x: np.ndarray,
    cluster: np.ndarray | None,
    judge: np.ndarray,
    asked: _Asked,
) -> Estimate:
    """Return the bootstrap with weights of the questions times those of the judges."""
    items = np.arange(len(x)) if cluster is None else cluster
    judges, clusters = len(np.unique(judge)), len(np.unique(items))
    judges_in_words(judges)
    one = Estimate(
        name, benchmark, Sample.QUESTIONS, float(x.mean()), UNKNOWN, len(x), Way.FEW, clusters,
        judges,
    )  # fmt: skip
    if clusters < FEWEST:
        return one
    if np.ptp(x) <= ROUNDING * np.abs(x).max():
        return replace(one, way=Way.ALIKE)
    drawn = WeightedUnits.from_numbers(x[:, None], cluster, judge).draw(DRAWS, asked.seed)
    low, high = np.quantile(drawn, [asked.tail, 1 - asked.tail])
    return replace(one, interval=(float(low), float(high)), way=Way.JUDGES)
