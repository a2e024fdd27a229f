"""The Bayesian Friedman test: several algorithms by their ranks (Benavoli et al. 2015)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.checks import RhoLike, Seed, declare, optional, read_numbers, text
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior, ResamplingModel, resample
from bayescmp.bayesian.joint.clouds import Cloud, rank_points
from bayescmp.errors import InputError
from bayescmp.scores.rope import RopeLike
from bayescmp.scores.scores import Scores


@declare(metric=optional(text))
def friedman(
    scores: Scores | ArrayLike,
    *,
    metric: str | None = None,
    rope: RopeLike = 0.0,
    rho: RhoLike | None = None,
    prior: float = 1.0,
    lower_is_better: bool = False,
    draws: int = 4000,
    seed: Seed = None,
) -> BootstrapPosterior:
    """Which of several algorithms is best, by their ranks: the Bayesian Friedman test.

    Algorithms are ranked on each data set. A Dirichlet process puts weights w ~ Dirichlet(s, 1,
    ..., 1) on a data set where all tie and on the q that were seen; a draw's mean ranks are the
    weighted means of the ranks. Where there are folds, ranks are those of draws of the true means
    (the correlated t posterior of each data set), so that a lead within the noise counts little.

    Parameters
    ----------
    scores : Scores, or array_like of shape (q, L) or (q, n, L)
        As for `bootstrap`.
    metric : str, optional
        Which metric, where `Scores` has several.
    rope : float
        Half-width of the region of practical equivalence, in ranks. With 0 there is none, and a
        tie counts half to each side.
    rho : float, array_like of shape (q,) or mapping of data set to float, optional
        Correlation of two folds' differences; taken from the table if not given.
    prior : float
        Weight s of the data set where all tie, >= 0.
    lower_is_better : bool
        Whether lower is better, for plain numbers.
    draws : int
        Number of independent draws, rounded up to a multiple of four.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    BootstrapPosterior

    Raises
    ------
    InputError
        As for `bootstrap`; a negative weight of the prior.

    See Also
    --------
    bootstrap : On the scores themselves.
    plackett_luce : With a model of rankings.
    bayescmp.frequentist.friedman : The frequentist twin.

    References
    ----------
    Benavoli, Corani, Mangili & Zaffalon (2015), A Bayesian nonparametric procedure for comparing
    algorithms, Proceedings of the 32nd International Conference on Machine Learning, 1264-1272.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> means = pd.DataFrame({"knn": [0.81, 0.74, 0.90, 0.66, 0.71, 0.83],
    ...                       "svm": [0.84, 0.79, 0.91, 0.70, 0.70, 0.85],
    ...                       "gbm": [0.86, 0.77, 0.95, 0.71, 0.74, 0.86]})
    >>> posterior = bc.bayesian.friedman(means, seed=1)
    >>> posterior.mean_ranks()["mean"].round(1).to_dict()
    {'knn': 2.7, 'svm': 2.0, 'gbm': 1.3}
    >>> {name: round(p, 1) for name, p in posterior.best("average").items()}
    {'knn': 0.0, 'svm': 0.0, 'gbm': 1.0}
    """
    prior = _weight(prior)
    return resample(FRIEDMAN, "the Bayesian Friedman test", **locals())


def _weight(prior: object) -> float:
    accepted = "accepted: a weight >= 0, in data sets"
    value = read_numbers(prior, "prior", accepted)
    if value.ndim or not 0 <= float(value) < float("inf"):
        raise InputError(f"prior={prior!r}; {accepted}")
    return float(value)


def _draw_weights(posterior: BootstrapPosterior) -> np.ndarray:
    """Draw the weights, shape (D, q + 1): the data sets', then the prior's."""
    rng = np.random.default_rng([posterior.seed, 0])
    seen = rng.standard_gamma(1.0, (posterior.size, len(posterior.x)))
    tied = rng.standard_gamma(posterior.prior or 0.0, (posterior.size, 1))
    drawn = np.concatenate([seen, tied], axis=1)
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def _ranks_of(means: np.ndarray, w: np.ndarray) -> Cloud:
    """Return negative ranks on each data set, and on one where all tie."""
    above, tied = rank_points(means)
    c, _, L = means.shape
    shape = (c, 1, L)
    above = np.concatenate([above, np.zeros(shape, dtype=above.dtype)], axis=1)
    tied = np.broadcast_to(tied, means.shape)
    tied = np.concatenate([tied, np.full(shape, L, dtype=tied.dtype)], axis=1)
    return Cloud(-(above + (tied + 1) / 2), w, (above, tied))


FRIEDMAN = BootstrapPosterior.answering(
    ResamplingModel(
        kind="friedman",
        method="Bayesian Friedman test",
        reference="Benavoli et al. 2015",
        quantity="mean difference of ranks",
        within="differences of ranks",
        fixed={"rho": "it widens the noise of the {p.sample}s only"},
        draw_weights=_draw_weights,
        cloud_of=_ranks_of,
        prior_words="weight {weight} on a {p.unit} where all {p.subject}s tie",
        has_prior=True,
    )
)
