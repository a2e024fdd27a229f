"""Aggregates of runs with intervals by a bootstrap of the runs within each task."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.frequentist.aggregates.measures import MEASURES, aggregated, as_runs, improvement
from bayescmp.frequentist.aggregates.result import AggregateResult

__all__ = ["aggregate_runs", "performance_profiles", "probability_of_improvement"]

METHOD = "stratified bootstrap"
#: Numbers that one batch of resamples may hold.
BATCH = 4_000_000


def aggregate_runs(
    scores: Mapping[str, ArrayLike],
    *,
    measure: str = "iqm",
    resamples: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """Aggregate scores of few runs on many tasks, with intervals.

    Parameters
    ----------
    scores : mapping of str to array_like of shape (runs, tasks)
        Normalised scores of each algorithm's runs; runs may differ in number.
    measure : {"iqm", "mean", "median"}
        The interquartile mean of all runs of all tasks, which outlying runs don't move; the mean
        or the median of the tasks' means.
    resamples : int
        Runs are drawn with replacement within each task so many times.
    seed : int or Generator, optional

    Returns
    -------
    AggregateResult
        One row an algorithm, with percentile intervals.

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
    The percentile interval is too narrow for very few runs: of three runs a resample repeats most.

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
    runs = as_runs(scores, "aggregate_runs")
    rng, resamples = checks.generator(seed), checks.whole("resamples", resamples)
    draws = [_drawn((x,), resamples, rng, lambda y: aggregated(y, measure)) for x in runs.values()]
    return _result(_TITLES[measure], runs, [aggregated(x, measure) for x in runs.values()], draws)


def performance_profiles(
    scores: Mapping[str, ArrayLike],
    thresholds: ArrayLike,
    *,
    resamples: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """The share of runs, over all tasks, that score more than each threshold, with intervals.

    Parameters
    ----------
    scores, resamples, seed
        As for `aggregate_runs`.
    thresholds : array_like of shape (t,)

    Returns
    -------
    AggregateResult
        One row an algorithm and threshold, "sac > 0.5". Intervals are those of each point.

    Raises
    ------
    InputError
        As for `aggregate_runs`.

    See Also
    --------
    aggregate_runs : One number each.
    bayescmp.bayesian.aggregate_runs : The Bayesian bootstrap of aggregates.

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
    runs = as_runs(scores, "performance_profiles")
    at = checks.vector(thresholds, name="thresholds", least=1, test="performance_profiles")
    rng, resamples = checks.generator(seed), checks.whole("resamples", resamples)
    draws = [
        _drawn((x,), resamples, rng, lambda y: _shares(y, at)).T.reshape(len(at), -1)
        for x in runs.values()
    ]
    names = tuple(f"{name} > {t:g}" for name in runs for t in at)
    estimate = np.concatenate([_shares(x, at) for x in runs.values()])
    return _result("share of runs above", runs, estimate, np.concatenate(draws), names)


def probability_of_improvement(
    first: ArrayLike,
    second: ArrayLike,
    *,
    resamples: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """The chance that a run of the second is better than one of the first, averaged over tasks.

    Parameters
    ----------
    first, second : array_like of shape (runs, tasks)
        The same tasks; higher is better. Ties count half.
    resamples, seed
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
    runs = as_runs({"first": first, "second": second}, "probability_of_improvement")
    a, b = runs["first"], runs["second"]
    rng, resamples = checks.generator(seed), checks.whole("resamples", resamples)
    size = max(1, a.shape[0] * b.shape[0] // max(a.shape[0], b.shape[0]))
    draws = _drawn((a, b), resamples, rng, lambda x, y: improvement(x, y).mean(axis=-1), size)
    estimate = improvement(a, b).mean()
    return _result("probability of improvement", runs, [estimate], [draws], ("improvement",))


# -- helpers -----------------------------------------------------------------------------------

_TITLES = {"iqm": "interquartile mean", "mean": "mean", "median": "median of the tasks' means"}


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


def _shares(x: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Share of scores over each threshold, shape (..., t)."""
    return np.stack([(x > t).mean(axis=(-2, -1)) for t in at], axis=-1)


def _result(
    measure: str,
    runs: dict[str, np.ndarray],
    estimate: ArrayLike,
    draws: ArrayLike,
    names: tuple[str, ...] | None = None,
) -> AggregateResult:
    sizes = [x.shape for x in runs.values()]
    return AggregateResult(
        measure,
        METHOD,
        tuple(runs) if names is None else names,
        np.asarray(estimate, dtype=float),
        np.asarray(draws, dtype=float),
        min(s[0] for s in sizes),
        sizes[0][1],
    )
