"""Aggregates of runs with intervals by a bootstrap of the runs within each task."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.frequentist.aggregates.measures import (
    MEASURES,
    TITLES,
    above,
    aggregated,
    improvement,
)
from bayescmp.frequentist.aggregates.result import AggregateResult, aggregate_result
from bayescmp.frequentist.aggregates.runs import pair_of_runs, read_runs
from bayescmp.scores import Scores

__all__ = [
    "aggregate_runs",
    "performance_profiles",
    "probability_of_improvement",
]

METHOD = "stratified bootstrap"
#: Numbers that one batch of resamples may hold.
BATCH = 4_000_000


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
        Normalised scores of each algorithm's runs; runs may differ in number. Of `Scores` the data
        sets are the tasks, and their seeds or folds the runs.
    metric : str, optional
        Which metric, where `Scores` has several.
    measure : {"iqm", "mean", "median"}
        The interquartile mean of all runs of all tasks, which is robust to outlying runs; or the
        mean or the median of the tasks' means.
    resamples : int
        How many times runs are drawn with replacement within each task.
    seed : int or Generator, optional

    Returns
    -------
    AggregateResult
        One row per algorithm, with percentile intervals.

    Raises
    ------
    InputError
        Scores of another shape, missing or infinite ones, an unknown measure.

    See Also
    --------
    performance_profiles : The whole distribution.
    probability_of_improvement : Of two algorithms.
    bayescmp.bayesian.aggregate_runs : The Bayesian twin.

    Notes
    -----
    The percentile interval is too narrow for very few runs: with three runs, most resamples repeat
    one.

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
    checks.choice("measure", measure, MEASURES)
    runs = read_runs(scores, "aggregate_runs", metric)
    rng, resamples = checks.generator(seed), checks.whole("resamples", resamples)
    values = runs.values.values()
    draws = [_drawn((x,), resamples, rng, lambda y: aggregated(y, measure)) for x in values]
    estimate = [aggregated(x, measure) for x in values]
    return aggregate_result(TITLES[measure], METHOD, runs, tuple(runs.values), estimate, draws)


def performance_profiles(
    scores: Mapping[str, ArrayLike] | Scores,
    thresholds: ArrayLike,
    *,
    metric: str | None = None,
    resamples: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """The share of runs, over all tasks, that are better than each threshold, with intervals.

    Parameters
    ----------
    scores, metric, resamples, seed
        As for `aggregate_runs`.
    thresholds : array_like of shape (t,)

    Returns
    -------
    AggregateResult
        One row per algorithm and threshold, "sac > 0.5" ("sac < 0.5" by a metric of which lower is
        better). Intervals are those of each point.

    Raises
    ------
    InputError
        As for `aggregate_runs`.

    See Also
    --------
    aggregate_runs : One number each.
    bayescmp.bayesian.performance_profiles : The Bayesian twin.

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
    rng, resamples = checks.generator(seed), checks.whole("resamples", resamples)
    draws = [_drawn((x,), resamples, rng, lambda y: above(y, at)).T for x in runs.oriented]
    estimate = np.concatenate([above(x, at) for x in runs.oriented])
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
    """The chance that a run of the second is better than one of the first, averaged over tasks.

    Parameters
    ----------
    first, second : array_like of shape (runs, tasks)
        The same tasks; higher is better. Ties count half. Or first alone, `Scores` of two
        algorithms.
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
    cliffs_delta : On one task.
    bayescmp.bayesian.probability_of_improvement : The Bayesian twin.

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
    runs = pair_of_runs(first, second, "probability_of_improvement", metric)
    a, b = runs.oriented
    rng, resamples = checks.generator(seed), checks.whole("resamples", resamples)
    size = max(1, min(len(a), len(b)))
    draws = _drawn((a, b), resamples, rng, lambda x, y: improvement(x, y).mean(axis=-1), size)
    estimate = improvement(a, b).mean()
    return aggregate_result(
        "probability of improvement", METHOD, runs, ("improvement",), [estimate], [draws]
    )


# -- helpers -----------------------------------------------------------------------------------


def _drawn(
    samples: tuple[np.ndarray, ...],
    resamples: int,
    rng: np.random.Generator,
    of: Callable[..., np.ndarray],
    size: int = 1,
) -> np.ndarray:
    """An aggregate of resamples, runs drawn with replacement within each task."""
    batch = max(1, BATCH // (size * sum(x.size for x in samples)))
    parts = []
    for start in range(0, resamples, batch):
        count = min(batch, resamples - start)
        drawn = []
        for x in samples:
            places = rng.integers(0, len(x), (count, *x.shape))
            drawn.append(x[places, np.arange(x.shape[1])])
        parts.append(of(*drawn))
    return np.concatenate(parts)
