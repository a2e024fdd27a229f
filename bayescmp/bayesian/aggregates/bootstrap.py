"""The Bayesian bootstrap of aggregates: Dirichlet weights of the runs within each task."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.frequentist.aggregates.measures import (
    MEASURES,
    as_runs,
    weighted,
    weighted_improvement,
)
from bayescmp.frequentist.aggregates.result import AggregateResult

__all__ = ["aggregate_runs", "probability_of_improvement"]

METHOD = "Bayesian bootstrap"
_TITLES = {"iqm": "interquartile mean", "mean": "mean", "median": "median of the tasks' means"}


def aggregate_runs(
    scores: Mapping[str, ArrayLike],
    *,
    measure: str = "iqm",
    draws: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """Posterior of an aggregate of runs over tasks, by the Bayesian bootstrap.

    Each task's distribution of scores has a Dirichlet posterior on the runs there are, with the
    improper prior of Rubin; the aggregate is that of the weighted runs. Unlike a resample, a draw
    leaves no run out, which matters where there are few.

    Parameters
    ----------
    scores : mapping of str to array_like of shape (runs, tasks)
        Normalised scores of each algorithm's runs; runs may differ in number.
    measure : {"iqm", "mean", "median"}
        As for `bayescmp.frequentist.aggregate_runs`.
    draws : int
        Of the posterior.
    seed : int or Generator, optional

    Returns
    -------
    AggregateResult
        One row an algorithm: the aggregate of equally weighted runs, and credible intervals.

    Raises
    ------
    InputError
        As from `bayescmp.frequentist.aggregate_runs`.

    See Also
    --------
    probability_of_improvement : Of two algorithms.
    bayescmp.frequentist.aggregate_runs : The frequentist twin.

    References
    ----------
    Rubin 1981, Annals of Statistics 9; Agarwal et al. 2021 (the aggregates).

    Examples
    --------
    >>> import numpy as np
    >>> import bayescmp as bc
    >>> rng = np.random.default_rng(1)
    >>> scores = {"dqn": rng.gamma(2, 0.5, (10, 26)), "sac": rng.gamma(3, 0.5, (10, 26))}
    >>> result = bc.bayesian.aggregate_runs(scores, seed=1)
    >>> float((result.draws[1] > result.draws[0]).mean())  # P(sac's is higher)
    1.0
    """
    checks.choice("measure", measure, MEASURES)
    runs = as_runs(scores, "aggregate_runs")
    rng, draws = checks.generator(seed), checks.whole("draws", draws)
    drawn = [weighted(x, _weights(x, draws, rng), measure) for x in runs.values()]
    estimate = [weighted(x, _equal(x), measure)[0] for x in runs.values()]
    return _result(_TITLES[measure], runs, estimate, drawn, tuple(runs))


def probability_of_improvement(
    first: ArrayLike,
    second: ArrayLike,
    *,
    draws: int = 2000,
    seed: checks.Seed = None,
) -> AggregateResult:
    """Posterior of the chance that a run of the second is better, averaged over tasks.

    Parameters
    ----------
    first, second : array_like of shape (runs, tasks)
        The same tasks; higher is better. Ties count half.
    draws, seed
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
    two_sample_t : On one task, in units of the metric, with a rope.
    bayescmp.frequentist.probability_of_improvement : The frequentist twin.

    References
    ----------
    Rubin 1981, Annals of Statistics 9; Agarwal et al. 2021.

    Examples
    --------
    >>> import bayescmp as bc
    >>> old, new = [[1, 4], [2, 3], [3, 5]], [[2, 6], [3, 7], [4, 8]]
    >>> result = bc.bayesian.probability_of_improvement(old, new, seed=1)
    >>> round(float(result.estimate[0]), 3)
    0.889
    """
    runs = as_runs({"first": first, "second": second}, "probability_of_improvement")
    a, b = runs["first"], runs["second"]
    rng, draws = checks.generator(seed), checks.whole("draws", draws)
    drawn = weighted_improvement(a, b, _weights(a, draws, rng), _weights(b, draws, rng))
    estimate = weighted_improvement(a, b, _equal(a), _equal(b))
    return _result("probability of improvement", runs, estimate, [drawn], ("improvement",))


def _weights(x: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Dirichlet(1, ..., 1) weights of the runs of each task, shape (draws, runs, tasks)."""
    gamma = rng.standard_exponential((draws, *x.shape))
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def _equal(x: np.ndarray) -> np.ndarray:
    return np.full((1, *x.shape), 1 / len(x))


def _result(
    measure: str,
    runs: dict[str, np.ndarray],
    estimate: ArrayLike,
    draws: ArrayLike,
    names: tuple[str, ...],
) -> AggregateResult:
    least = min(len(x) for x in runs.values())
    tasks = next(iter(runs.values())).shape[1]
    return AggregateResult(
        measure, METHOD, names, np.asarray(estimate, dtype=float),
        np.asarray(draws, dtype=float), least, tasks,
    )  # fmt: skip
