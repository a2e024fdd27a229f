"""Do the data look like what the hierarchical model predicts? Three checks after every fit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import special

from bayescmp.bayesian.hierarchical.problem import Scaled
from bayescmp.differences import Differences

__all__ = ["LEVEL", "REPLICATES", "fold_tails", "means_against_replicates", "misfits"]

#: A check raises the alarm below this probability; of sound problems at most one in twenty sets
#: off any of the three.
LEVEL = 0.0125
#: Excess kurtosis from which on tails are heavy in effect, however many folds show a lesser one.
HEAVY = 0.5
#: Degrees of freedom under which outlying data sets are no surprise to the model, which may well
#: have that few: a data set is called outlying where a t with this many hardly has one as far.
LEAST_NU = 4.0
#: Fewest data sets whose means have a shape, and fewest folds whose tails have.
DATASETS, FOLDS = 6, 5
REPLICATES = 1000
#: Means that differ by less than this share of their standard errors tie but for rounding.
ROUNDING = 1e-9


def misfits(d: Differences, problem: Scaled, upper: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """What the data have that the model hardly ever predicts, in words.

    Folds with heavier tails than a normal distribution; a data set farther out, or means that fall
    into clusters more clearly, than in replicates of the data sets from the posterior. The latter
    two are posterior predictive checks, which raise the alarm less often than their level; their
    replicates have at least `LEAST_NU` degrees of freedom.

    Parameters
    ----------
    d : Differences
        The data.
    problem : Scaled
        What was fitted.
    upper : mapping of str to ndarray
        Draws of δ0, σ0 and ν, in units of the metric.

    Returns
    -------
    tuple of str
        Empty where all is as predicted.

    References
    ----------
    Gelman, Meng & Stern (1996), Statistica Sinica 6:733-807; Anscombe & Glynn (1983), Biometrika
    70:227-234, for the distribution of kurtosis.
    """
    doubts = []
    p_tails, excess = fold_tails(d, problem.constant)
    if p_tails < LEVEL and excess > HEAVY:
        doubts.append("folds have heavier tails than a normal distribution: see robust_t")
    farthest, p_far, p_clusters = means_against_replicates(problem, upper)
    if p_far < LEVEL:
        doubts.append(f"data set {d.datasets[farthest]} lies far from the others")
    if p_clusters < LEVEL:
        doubts.append("the data sets' mean differences fall into clusters")
    return tuple(doubts)


def fold_tails(d: Differences, constant: np.ndarray) -> tuple[float, float]:
    """Probability of kurtosis as large as that of the folds, were they normal, and its excess.

    Residuals from a data set's mean do not depend on what its folds share, so that they are those
    of independent folds. Each data set's kurtosis is made standard normal, and they are added.
    """
    n = d.n
    sizes = np.unique(n[(n >= FOLDS) & ~constant])
    if not len(sizes):
        return 1.0, 0.0
    rows = [np.array([d.x[i] for i in np.flatnonzero((n == k) & ~constant)]) for k in sizes]
    scores, excess = np.hstack([_kurtosis_scores(x) for x in rows])
    return float(special.ndtr(-scores.sum() / np.sqrt(len(scores)))), float(excess.mean())


def _kurtosis_scores(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The kurtosis of each row, made standard normal, and what is over that of normal rows."""
    n = x.shape[1]
    mean = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    excess = _kurtosis(x) - mean
    skewness = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    skewness *= np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / skewness * (2 / skewness + np.sqrt(1 + 4 / skewness**2))
    root = np.cbrt((1 - 2 / a) / (1 + excess / np.sqrt(variance) * np.sqrt(2 / (a - 4))))
    return (1 - 2 / (9 * a) - root) / np.sqrt(2 / (9 * a)), excess


def _kurtosis(x: np.ndarray) -> np.ndarray:
    """The fourth moment of each row in squared variances; a normal's where a row is constant.

    As `scipy.stats.kurtosis` has it, which takes long to import.
    """
    squares = (x - x.mean(axis=1, keepdims=True)) ** 2
    variance = squares.mean(axis=1)
    spread = variance > 0
    ratio = (squares**2).mean(axis=1) / np.where(spread, variance, 1.0) ** 2
    return np.where(spread, ratio, 3.0)


def means_against_replicates(
    problem: Scaled, upper: Mapping[str, np.ndarray]
) -> tuple[int, float, float]:
    """The data set farthest out, and how often replicates have one as far, and as low a kurtosis.

    The means are replicated with the standard errors seen.
    """
    s = problem.statistics
    sigma = np.sqrt(s.ss / ((s.n - 1) * (1 - s.rho)))
    error = sigma * np.sqrt((1 + (s.n - 1) * s.rho) / s.n)
    tied = np.ptp(s.mean) <= ROUNDING * error.max()
    if len(s.n) < DATASETS or tied:
        return 0, 1.0, 1.0
    rng = np.random.default_rng(len(s.n))
    every = max(1, upper["nu"].size // REPLICATES)
    delta0, sigma0, nu = (upper[k].ravel()[::every, None] for k in ("delta0", "sigma0", "nu"))
    nu = np.maximum(nu, LEAST_NU)
    shape = (len(nu), len(s.n))
    t = rng.standard_normal(shape) / np.sqrt(rng.chisquare(np.broadcast_to(nu, shape)) / nu)
    replicated = delta0 + sigma0 * t + error * rng.standard_normal(shape)
    away = np.abs(_standardised(s.mean[None])[0])
    p_far = np.mean(np.abs(_standardised(replicated)).max(axis=1) >= away.max())
    low = _kurtosis(replicated) <= _kurtosis(s.mean[None])
    return int(np.argmax(away)), float(p_far), float(low.mean())


def _standardised(means: np.ndarray) -> np.ndarray:
    """Distances from the median in median absolute deviations, row by row."""
    centred = means - np.median(means, axis=1, keepdims=True)
    spread = np.median(np.abs(centred), axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(spread, 1e-300))
