"""The pseudo-median and its confidence interval, from the means of all pairs of differences."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from bayescmp.frequentist.signs.rank_sums import sum_distribution

__all__ = ["pseudo_median", "walsh_interval"]


def _walsh(x: np.ndarray) -> np.ndarray:
    """Sorted means of all pairs, each with itself too."""
    i, j = np.triu_indices(len(x))
    return np.sort((x[i] + x[j]) / 2)


def pseudo_median(x: np.ndarray) -> float:
    """Hodges and Lehmann's estimate: the median of the Walsh averages.

    Parameters
    ----------
    x : ndarray of shape (n,)

    Returns
    -------
    float
    """
    return float(np.median(_walsh(x)))


def walsh_interval(
    x: np.ndarray, level: float, alternative: str = "two-sided"
) -> tuple[float, float]:
    """Confidence interval of the pseudo-median, between two Walsh averages.

    Parameters
    ----------
    x : ndarray of shape (n,)
    level : float
    alternative : {"two-sided", "less", "greater"}

    Returns
    -------
    (float, float)
        Exact up to 50 values (conservative with ties), normal approximation beyond.

    References
    ----------
    Hollander, Wolfe & Chicken 2014, sec. 3.3; R's ``wilcox.test(conf.int = TRUE)``.
    """
    n, averages = len(x), _walsh(x)
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    if n <= 50:
        cumulative = np.cumsum(sum_distribution(np.arange(1.0, n + 1)))[::2]  # sums are integers
        place = int(np.searchsorted(cumulative, tail * (1 - 1e-12)))
    else:
        deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        place = math.ceil(n * (n + 1) / 4 - float(stats.norm.isf(tail)) * deviation)
    place = min(max(place, 1), len(averages))
    low, high = averages[place - 1], averages[-place]
    return (
        -math.inf if alternative == "less" else float(low),
        math.inf if alternative == "greater" else float(high),
    )
