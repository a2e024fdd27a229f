"""Hotelling's F, and Mahalanobis distances of many pairs at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from bayescmp.whitening import few_folds, whiten

__all__ = ["chance", "hotelling_f", "paired_distances", "squared_distances"]


def hotelling_f(
    t2: np.ndarray, rank: np.ndarray, freedom: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """F of Hotelling's T² and its p-value.

    Parameters
    ----------
    t2 : ndarray
    rank : ndarray of int
        Dimension r of the subspace; 0 where nothing varies at all.
    freedom : float or ndarray
        Degrees of freedom ν of the error.

    Returns
    -------
    f, denominator, pvalue : ndarrays
        F = (ν - r + 1)/(νr)·T² with r and ν - r + 1 degrees of freedom; p is 0 where T² is
        infinite, 1 where it is zero and nothing varies.

    References
    ----------
    Hotelling 1931; Rencher 2002, eq. 5.7.
    """
    rank = np.asarray(rank)
    below = freedom - rank + 1.0
    f = np.where(rank > 0, below / (freedom * np.maximum(rank, 1)), 1.0) * np.asarray(t2)
    p = np.where(rank > 0, stats.f.sf(f, np.maximum(rank, 1), below), np.where(f > 0, 0.0, 1.0))
    return f, below, p


def squared_distances(
    residuals: np.ndarray,
    difference: np.ndarray,
    largest: np.ndarray,
    freedom: int,
    metrics: Sequence[str],
) -> tuple[np.ndarray, np.ndarray]:
    """Mahalanobis distances dᵀS⁻¹d, S = E/ν, of many differences, or under many scatters.

    Parameters
    ----------
    residuals : ndarray of shape (..., N, p)
        E = residualsᵀ·residuals.
    difference : ndarray of shape (..., m, p)
    largest : ndarray of shape (..., p)
        Size of each metric, against which rounding is judged.
    freedom : int
        ν.
    metrics : sequence of str
        For messages.

    Returns
    -------
    squared : ndarray of shape (..., m)
        Infinite where a difference lies in part where E does not vary.
    rank : ndarray of int, shape (...)

    Raises
    ------
    InputError
        More metrics than degrees of freedom.
    """
    space = whiten(residuals, largest)
    without_error = np.any(space.outside(difference) != 0, axis=-1)
    if np.any(without_error & (space.rank >= freedom)[..., None]):
        N, p = residuals.shape[-2:]
        have = f"{N} {'folds' if freedom == N - 1 else 'scores'}"
        raise few_folds(residuals.reshape(-1, p), freedom, metrics, have)
    squared = freedom * np.sum(space.coordinates(difference) ** 2, axis=-1)
    return np.where(without_error, np.inf, squared), space.rank


def paired_distances(
    x: np.ndarray, pairs: np.ndarray, metrics: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Squared Mahalanobis distances of the mean differences of pairs from zero, and ranks.

    Parameters
    ----------
    x : ndarray of shape (L, n, p)
    pairs : ndarray of int, shape (m, 2)
    metrics : sequence of str

    Returns
    -------
    squared, rank : ndarrays of shape (m,)
    """
    difference = x[pairs[:, 1]] - x[pairs[:, 0]]
    mean = difference.mean(axis=1, keepdims=True)
    size = np.abs(x).max(axis=1)
    largest = np.maximum(size[pairs[:, 0]], size[pairs[:, 1]])
    squared, rank = squared_distances(difference - mean, mean, largest, x.shape[1] - 1, metrics)
    return squared[:, 0], rank


def chance(freedom: float) -> str:
    """What to add where T² is infinite and folds are few.

    Three folds of counts lie on a line by coincidence in one of ten tables of two metrics, five
    in one of three hundred (binomial counts of five trials, equal algorithms).
    """
    return "" if freedom >= 4 else ", which with so few folds may be chance if scores are counts"
