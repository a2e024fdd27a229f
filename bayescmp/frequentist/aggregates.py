"""Aggregates of runs over tasks, with intervals by a bootstrap of the runs within each task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import along_columns, check_paired, one_of, validate_params
from bayescmp.base.magnitudes import check_size
from bayescmp.base.records import Record
from bayescmp.base.typing import as_facts
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.scores.frames import arrange
from bayescmp.scores.metrics import Direction
from bayescmp.scores.scores import Scores
from bayescmp.wording.markup import named_rows
from bayescmp.wording.text import format_count, format_number, join_items, sentence_of

# Aggregates of scores over runs and tasks, plain and under weights of the runs.


#: What can be aggregated: over all runs of all tasks, or over the tasks' means.
MEASURES = ("iqm", "mean", "median")
TITLES = {"iqm": "interquartile mean", "mean": "mean", "median": "median of the tasks' means"}


def aggregate_scores(x: np.ndarray, measure: str) -> np.ndarray:
    """Return the aggregate of scores of shape (..., runs, tasks), shape (...)."""
    if measure != "iqm":
        means = x.mean(axis=-2)
        return np.asarray(means.mean(axis=-1) if measure == "mean" else np.median(means, axis=-1))
    flat = x.reshape(*x.shape[:-2], -1)
    n = flat.shape[-1]
    cut = int(0.25 * n)
    if cut == 0:
        return np.asarray(flat.mean(axis=-1))
    ordered = np.partition(flat, (cut, n - cut - 1), axis=-1)
    return np.asarray(ordered[..., cut : n - cut].mean(axis=-1))


def aggregate_weighted(x: np.ndarray, weights: np.ndarray, measure: str) -> np.ndarray:
    """Return the aggregate under weights of the runs."""
    if measure != "iqm":
        means = (weights * x).sum(axis=1)
        return np.asarray(means.mean(axis=-1) if measure == "mean" else np.median(means, axis=-1))
    order = np.argsort(x, axis=None)
    mass = weights.reshape(len(weights), -1)[:, order] / x.shape[1]
    ends = np.cumsum(mass, axis=1)
    kept = np.clip(ends, 0.25, 0.75) - np.clip(ends - mass, 0.25, 0.75)
    return np.asarray(kept @ x.ravel()[order] / kept.sum(axis=1))


def compute_improvement(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return P(a run of the second is better), ties counting half, for each task."""
    wins = np.sign(b[..., :, None, :] - a[..., None, :, :])
    return np.asarray((wins.mean(axis=(-3, -2)) + 1) / 2)


def weighted_improvement(
    a: np.ndarray, b: np.ndarray, of_a: np.ndarray, of_b: np.ndarray
) -> np.ndarray:
    """Return the mean probability of improvement over tasks under weights (draws, runs, tasks)."""
    wins = (np.sign(b[:, None, :] - a) + 1) / 2
    return np.asarray(np.einsum("dmt,mkt,dkt->d", of_b, wins, of_a) / a.shape[1])


def compute_profile(x: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the share of scores over each threshold."""
    return np.stack([(x > threshold).mean(axis=(-2, -1)) for threshold in at], axis=-1)


def weighted_above(x: np.ndarray, weights: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the share of scores (runs, tasks) above t by weights (draws, runs, tasks)."""
    return np.stack([(weights * (x > t)).sum(axis=1).mean(axis=-1) for t in at], axis=-1)


# Runs on tasks: read from arrays or from `Scores`, and checked.


@dataclass(frozen=True, eq=False)
class TaskRuns:
    """Scores of each algorithm's runs, (runs, tasks); `direction` is None for plain numbers."""

    values: dict[str, np.ndarray]
    direction: Direction | None = None

    @property
    def fewest_runs(self) -> int:
        """The smallest number of runs."""
        return min(len(x) for x in self.values.values())

    @property
    def most_runs(self) -> int:
        """The largest number of runs."""
        return max(len(x) for x in self.values.values())

    @property
    def tasks(self) -> int:
        """The number of tasks."""
        return int(next(iter(self.values.values())).shape[1])

    @property
    def lower(self) -> bool:
        """Whether lower scores are better."""
        return self.direction is not None and self.direction.lower

    @property
    def oriented(self) -> tuple[np.ndarray, ...]:
        """The values with higher the better."""
        return tuple(-x if self.lower else x for x in self.values.values())

    def points(self, thresholds: ArrayLike) -> tuple[np.ndarray, tuple[str, ...]]:
        """Return thresholds of the oriented scores, and what a profile's rows are called."""
        at = checks.check_vector(
            thresholds, name="thresholds", least=1, test="performance_profiles"
        )
        sign = "<" if self.lower else ">"
        names = tuple(f"{name} {sign} {threshold:g}" for name in self.values for threshold in at)
        return -at if self.lower else at, names

    def name_measure(self, measure: str) -> str:
        """Name a measure with its metric."""
        return measure if self.direction is None else f"{measure} of {self.direction}"


def read_runs(
    scores: Mapping[str, ArrayLike] | Scores, test: str, metric: str | None = None
) -> TaskRuns:
    """Return the scores of each algorithm, checked."""
    if isinstance(scores, Scores):
        return _of_scores(scores, metric)
    if not isinstance(scores, Mapping) or not scores:
        accepted = "Scores, or a mapping of at least 1 algorithm to arrays"
        raise must_be("scores", accepted, scores, f"{test} needs arrays of shape (runs, tasks).")
    if metric is not None:
        raise must_be("metric", "None for arrays, which hold one metric", metric)
    names = checks.check_labels("scores", scores, len(scores))
    return _of_arrays(
        {
            name: (f"scores[{name!r}]", given)
            for name, given in zip(names, scores.values(), strict=True)
        }
    )


def _of_arrays(named: Mapping[str, tuple[str, ArrayLike]]) -> TaskRuns:
    check_paired(**{argument: along_columns(x) for argument, x in named.values()})
    values = {
        name: _array(arrange(given, argument, "fold", "dataset")[0], argument)
        for name, (argument, given) in named.items()
    }
    sizes = {argument: values[name].shape[1] for name, (argument, _) in named.items()}
    if len(set(sizes.values())) > 1:
        few, many = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        raise must(many, f"have as many tasks as {few}, {sizes[few]}", str(sizes[many]))
    return TaskRuns(values)


def pair_of_runs(
    first: ArrayLike | Scores, second: ArrayLike | None, metric: str | None
) -> TaskRuns:
    """Return the runs of two algorithms, from two arrays or `Scores` of two algorithms."""
    if not isinstance(first, Scores):
        if second is None:
            raise must_be("second", "an array, unless first is Scores", None)
        if metric is not None:
            raise must_be("metric", "None for arrays, which hold one metric", metric)
        return _of_arrays({"first": ("first", first), "second": ("second", second)})
    if second is not None or len(first.algorithms) != 2:
        names = ", ".join(map(repr, first.algorithms))
        hint = "Use scores.select(algorithms=[...])."
        raise must("first", "be Scores of two algorithms, without second", names, hint)
    return read_runs(first, "probability_of_improvement", metric)


def _of_scores(scores: Scores, metric: str | None) -> TaskRuns:
    metric = scores.sole_metric if metric is None else str(metric)
    checks.check_choice("metric", metric, scores.metrics)
    way = scores.direction(metric)
    groups = scores.frame.groupby(["algorithm", "dataset"], sort=False)[metric]
    rows = {key: part.to_numpy(float) for key, part in groups}
    values = {}
    for algorithm in scores.algorithms:
        parts = [rows.get((algorithm, d), np.empty(0)) for d in scores.datasets]
        sizes = [len(part) for part in parts]
        if min(sizes) < max(sizes):
            few, many = (scores.datasets[sizes.index(size)] for size in (min(sizes), max(sizes)))
            found = f"{min(sizes)} on data set {few!r} and {max(sizes)} on {many!r}"
            raise must(f"scores[{algorithm!r}]", "have equally many runs on all data sets", found)
        values[algorithm] = _array(np.column_stack(parts), f"scores[{algorithm!r}]")
    return TaskRuns(values, way)


def _array(given: ArrayLike, name: str) -> np.ndarray:
    values = checks.read_numbers(given, name, "(runs, tasks)")
    if values.ndim != 2 or values.size == 0:
        raise must_be(name, "of shape (runs, tasks)", values)
    if not np.all(np.isfinite(values)):
        run, task = np.argwhere(~np.isfinite(values))[0]
        found = f"{values[run, task]} for run {run} of task {task}"
        raise must(name, "be finite", found)
    check_size(values, name)
    return values


# Aggregates with intervals.


#: Most rows that the text names.
MOST_NAMED = 6
#: The note where the bootstrap has nothing to draw from.
SINGLE_RUN = (
    "a bootstrap of a single run is always that run: its interval leaves out how runs vary"
)


@dataclass(frozen=True, eq=False, repr=False)
class AggregateResult(Summarised, Record):
    """Aggregates over runs and tasks, one per row, with their intervals.

    Attributes
    ----------
    measure, method : str
        What is aggregated; by the stratified or the Bayesian bootstrap.
    names : tuple of str
        What each row describes: an algorithm, a pair, an algorithm and a threshold.
    estimate : ndarray of shape (m,)
        From the unchanged scores.
    draws : ndarray of shape (m, resamples)
        From the bootstrap, or from the posterior.
    runs, most_runs, tasks : int
        The smallest and largest number of runs, and the number of tasks.
    """

    measure: str
    method: str
    names: tuple[str, ...]
    estimate: np.ndarray
    draws: np.ndarray = field(repr=False)
    runs: int = 0
    tasks: int = 0
    most_runs: int = 0

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Estimate and 95% interval of each row."""
        return self.interval(0.95)

    def interval(self, level: float = 0.95) -> pd.DataFrame:
        """Return the estimate of each row with the central interval of its draws, low and high."""
        tail = (1 - checks.check_level(level)) / 2
        low, high = np.quantile(self.draws, [tail, 1 - tail], axis=1)
        index = pd.Index(self.names, name="name")
        return pd.DataFrame({"estimate": self.estimate, "low": low, "high": high}, index=index)

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain numbers and text, for JSON."""
        rows = self.frame.to_dict(orient="index")
        return as_facts(self, "measure", "method", "runs", "tasks", rows=rows)


ROW = "{name} {estimate} (95% interval {low} to {high})"
FOUND = "{measure} ({setting}): {rows}."


@summarise.register
def _summarise_aggregate(result: AggregateResult) -> Summary:
    runs = format_count(result.runs, "run")
    if result.most_runs > result.runs:
        runs = f"{result.runs} to {format_count(result.most_runs, 'run')}"
    setting = f"{format_count(result.tasks, 'task')}, {runs}"
    numbers = result.frame.map(format_number).to_numpy()[:MOST_NAMED]
    rows = [
        ROW.format(name=name, estimate=estimate, low=low, high=high)
        for name, (estimate, low, high) in zip(result.names, numbers, strict=False)
    ]
    more = len(result.names) - MOST_NAMED
    rows += [f"{format_count(more, 'row')} more in the table"] if more > 0 else []
    measure = sentence_of(result.measure)
    return Summary(
        measure,
        named_rows(result.frame, "name"),
        {"name": Column(Cells.NAME)},
        notes=(SINGLE_RUN,) if result.runs == 1 else (),
        label="aggregate",
        setting=setting,
        method=sentence_of(result.method),
        explanation=lambda: Explanation(
            short=[FOUND.format(measure=measure, setting=setting, rows=join_items(rows))]
        ),
    )


def aggregate_result(
    measure: str,
    method: str,
    runs: TaskRuns,
    names: tuple[str, ...],
    estimate: ArrayLike,
    draws: ArrayLike,
) -> AggregateResult:
    """Make the result of aggregating these runs."""
    return AggregateResult(
        runs.name_measure(measure),
        method,
        names,
        np.asarray(estimate, dtype=float),
        np.asarray(draws, dtype=float),
        runs.fewest_runs,
        runs.tasks,
        runs.most_runs,
    )


# Aggregates of runs with intervals by a bootstrap of the runs within each task.


METHOD = "stratified bootstrap"
#: Numbers that one batch of resamples may hold.
BATCH = 4_000_000


@validate_params(measure=one_of(*MEASURES))
def aggregate_runs(
    scores: Mapping[str, ArrayLike] | Scores,
    *,
    metric: str | None = None,
    measure: str = "iqm",
    resamples: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """Aggregate scores of few runs on many tasks, with intervals.

    Parameters
    ----------
    scores : mapping of str to array_like of shape (runs, tasks), or Scores
        Normalised scores of each algorithm's runs, which may differ in number. `Scores` have data
        sets for tasks, and seeds or folds for runs.
    metric : str, optional
        Of several in `Scores`.
    measure : {"iqm", "mean", "median"}
        The interquartile mean of all runs of all tasks, robust to outlying runs; or the mean or
        median of the tasks' means.
    resamples : int
        Draws of runs with replacement within each task.
    seed : int or Generator, optional

    Returns
    -------
    AggregateResult
        One row per algorithm, with percentile intervals (too narrow for three runs or so).

    Raises
    ------
    InputError
        Scores of a wrong shape, missing or infinite ones, an unknown measure.

    See Also
    --------
    performance_profiles, probability_of_improvement, bayescmp.bayesian.aggregate_runs

    References
    ----------
    Agarwal, Schwarzer, Castro, Courville & Bellemare 2021, NeurIPS 34; the package rliable.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.frequentist import aggregate_runs
    >>> rng = np.random.default_rng(1)
    >>> scores = {"dqn": rng.gamma(2, 0.5, (10, 26)), "sac": rng.gamma(3, 0.5, (10, 26))}
    >>> aggregate_runs(scores, seed=1).frame.round(2).loc["sac"].to_dict()
    {'estimate': 1.31, 'low': 1.22, 'high': 1.41}
    """
    runs = read_runs(scores, "aggregate_runs", metric)
    rng, resamples = checks.make_generator(seed), checks.check_whole("resamples", resamples)
    values = runs.values.values()
    draws = [
        _draw_aggregates((x,), resamples, rng, lambda y: aggregate_scores(y, measure))
        for x in values
    ]
    estimate = [aggregate_scores(x, measure) for x in values]
    return aggregate_result(TITLES[measure], METHOD, runs, tuple(runs.values), estimate, draws)


def performance_profiles(
    scores: Mapping[str, ArrayLike] | Scores,
    thresholds: ArrayLike,
    *,
    metric: str | None = None,
    resamples: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """Return the share of runs, over all tasks, that are better than each threshold.

    Parameters
    ----------
    thresholds : array_like of shape (t,)
    scores, metric, resamples, seed
        As for `aggregate_runs`.

    Returns
    -------
    AggregateResult
        One row per algorithm and threshold, "sac > 0.5" ("<" if lower is better), pointwise
        intervals.

    Raises
    ------
    InputError
        As for `aggregate_runs`.

    See Also
    --------
    aggregate_runs, bayescmp.bayesian.performance_profiles

    References
    ----------
    Dolan & Moré 2002, Mathematical Programming 91; Agarwal et al. 2021.

    Examples
    --------
    >>> from bayescmp.frequentist import performance_profiles
    >>> profiles = performance_profiles({"sac": [[1, 4], [2, 3], [3, 5]]}, [0, 2.5], seed=1)
    >>> profiles.frame["estimate"].round(3).to_dict()
    {'sac > 0': 1.0, 'sac > 2.5': 0.667}
    """
    runs = read_runs(scores, "performance_profiles", metric)
    at, names = runs.points(thresholds)
    rng, resamples = checks.make_generator(seed), checks.check_whole("resamples", resamples)
    draws = [
        _draw_aggregates((x,), resamples, rng, lambda y: compute_profile(y, at)).T
        for x in runs.oriented
    ]
    estimate = np.concatenate([compute_profile(x, at) for x in runs.oriented])
    return aggregate_result(
        "share of runs better", METHOD, runs, names, estimate, np.concatenate(draws)
    )


def probability_of_improvement(
    first: ArrayLike | Scores,
    second: ArrayLike | None = None,
    *,
    metric: str | None = None,
    resamples: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """Return the probability, averaged over tasks, that a run of the second is better.

    Parameters
    ----------
    first, second : array_like of shape (runs, tasks)
        Scores on the same tasks, higher better; ties count half. Or ``first`` is `Scores` of two.
    metric, resamples, seed
        As for `aggregate_runs`.

    Returns
    -------
    AggregateResult
        One row, "improvement".

    Raises
    ------
    InputError
        As for `aggregate_runs`.

    See Also
    --------
    cliffs_delta, bayescmp.bayesian.probability_of_improvement

    References
    ----------
    Agarwal et al. 2021; Mann & Whitney 1947.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.frequentist import probability_of_improvement
    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.gamma(2, 0.5, (10, 26)), rng.gamma(3, 0.5, (10, 26))
    >>> probability_of_improvement(old, new, seed=1).frame.round(2).iloc[0].to_dict()
    {'estimate': 0.7, 'low': 0.66, 'high': 0.75}
    """
    runs = pair_of_runs(first, second, metric)
    a, b = runs.oriented
    rng, resamples = checks.make_generator(seed), checks.check_whole("resamples", resamples)
    size = max(1, min(len(a), len(b)))
    draws = _draw_aggregates(
        (a, b), resamples, rng, lambda x, y: compute_improvement(x, y).mean(axis=-1), size
    )
    estimate = compute_improvement(a, b).mean()
    return aggregate_result(
        "probability of improvement", METHOD, runs, ("improvement",), [estimate], [draws]
    )


# Resamples of the runs, aggregated.


def _draw_aggregates(
    samples: tuple[np.ndarray, ...],
    resamples: int,
    rng: np.random.Generator,
    aggregate: Callable[..., np.ndarray],
    size: int = 1,
) -> np.ndarray:
    """Aggregate resamples, with runs drawn with replacement within each task."""
    batch = max(1, BATCH // (size * sum(x.size for x in samples)))
    parts = []
    for start in range(0, resamples, batch):
        count = min(batch, resamples - start)
        drawn = []
        for x in samples:
            places = rng.integers(0, len(x), (count, *x.shape))
            drawn.append(x[places, np.arange(x.shape[1])])
        parts.append(aggregate(*drawn))
    return np.concatenate(parts)
