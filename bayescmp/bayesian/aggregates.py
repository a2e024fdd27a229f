"""The Bayesian bootstrap of aggregates: Dirichlet weights of the runs within each task."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.checks import Seed, check_whole, make_generator, one_of, validate_params
from bayescmp.frequentist.aggregates import (
    MEASURES,
    TITLES,
    AggregateResult,
    aggregate_result,
    aggregate_weighted,
    compute_profile,
    pair_of_runs,
    read_runs,
    weighted_above,
    weighted_improvement,
)
from bayescmp.scores.scores import Scores

METHOD = "Bayesian bootstrap"


@validate_params(measure=one_of(*MEASURES))
def aggregate_runs(
    scores: Mapping[str, ArrayLike] | Scores,
    *,
    metric: str | None = None,
    measure: str = "iqm",
    draws: int = 2000,
    seed: Seed = None,
) -> AggregateResult:
    """Return the posterior of an aggregate of runs over tasks, by the Bayesian bootstrap.

    Each task's distribution of scores has a Dirichlet posterior on the observed runs, with Rubin's
    improper prior; a draw aggregates the weighted runs, and unlike a resample leaves none out.

    Parameters
    ----------
    scores, metric, measure, seed
        As for `bayescmp.frequentist.aggregate_runs`.
    draws : int
        Number of draws from the posterior.

    Returns
    -------
    AggregateResult
        One row per algorithm: the aggregate of equally weighted runs, with credible intervals.

    Raises
    ------
    InputError
        As for `bayescmp.frequentist.aggregate_runs`.

    See Also
    --------
    performance_profiles, probability_of_improvement, bayescmp.frequentist.aggregate_runs

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
    runs = read_runs(scores, "aggregate_runs", metric)
    rng, draws = make_generator(seed), check_whole("draws", draws)
    values = runs.values.values()
    drawn = [aggregate_weighted(x, _weights(x, draws, rng), measure) for x in values]
    estimate = [aggregate_weighted(x, _weigh_equally(x), measure)[0] for x in values]
    return aggregate_result(TITLES[measure], METHOD, runs, tuple(runs.values), estimate, drawn)


def performance_profiles(
    scores: Mapping[str, ArrayLike] | Scores,
    thresholds: ArrayLike,
    *,
    metric: str | None = None,
    draws: int = 2000,
    seed: Seed = None,
) -> AggregateResult:
    """Return the posterior of the proportion of runs better than each threshold, over all tasks.

    Parameters
    ----------
    scores, thresholds, metric
        As for `bayescmp.frequentist.performance_profiles`.
    draws, seed
        As for `aggregate_runs`, errors included.

    Returns
    -------
    AggregateResult
        One row per algorithm and threshold, with pointwise credible intervals; a point if all runs
        are on one side, because the bootstrap knows only the observed runs.

    See Also
    --------
    aggregate_runs, bayescmp.frequentist.performance_profiles

    References
    ----------
    Rubin 1981, Annals of Statistics 9; Agarwal et al. 2021.

    Examples
    --------
    >>> import bayescmp as bc
    >>> runs = {"sac": [[1, 4], [2, 3], [3, 5]]}
    >>> result = bc.bayesian.performance_profiles(runs, [0, 2.5], seed=1)
    >>> result.frame["estimate"].round(3).to_dict()
    {'sac > 0': 1.0, 'sac > 2.5': 0.667}
    """
    runs = read_runs(scores, "performance_profiles", metric)
    at, names = runs.points(thresholds)
    rng, draws = make_generator(seed), check_whole("draws", draws)
    drawn = [weighted_above(x, _weights(x, draws, rng), at).T for x in runs.oriented]
    estimate = np.concatenate([compute_profile(x, at) for x in runs.oriented])
    return aggregate_result(
        "share of runs better", METHOD, runs, names, estimate, np.concatenate(drawn)
    )


def probability_of_improvement(
    first: ArrayLike | Scores,
    second: ArrayLike | None = None,
    *,
    metric: str | None = None,
    draws: int = 2000,
    seed: Seed = None,
) -> AggregateResult:
    """Return the posterior of P(a run of the second is better), averaged over tasks.

    Parameters
    ----------
    first, second, metric
        As for `bayescmp.frequentist.probability_of_improvement`.
    draws, seed
        As for `aggregate_runs`, errors included.

    Returns
    -------
    AggregateResult
        One row, "improvement".

    See Also
    --------
    two_sample_t, bayescmp.frequentist.probability_of_improvement

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
    runs = pair_of_runs(first, second, metric)
    a, b = runs.oriented
    rng, draws = make_generator(seed), check_whole("draws", draws)
    drawn = weighted_improvement(a, b, _weights(a, draws, rng), _weights(b, draws, rng))
    estimate = weighted_improvement(a, b, _weigh_equally(a), _weigh_equally(b))
    return aggregate_result(
        "probability of improvement", METHOD, runs, ("improvement",), estimate, [drawn]
    )


def _weights(x: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Dirichlet(1, ..., 1) weights of the runs of each task, shape (draws, runs, tasks)."""
    gamma = rng.standard_exponential((draws, *x.shape))
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def _weigh_equally(x: np.ndarray) -> np.ndarray:
    return np.full((1, *x.shape), 1 / len(x))
