"""The smallest steps that scores take, and what is equal but for rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = [
    "ROUNDING",
    "rounding_noise",
    "smallest_step",
    "smallest_steps",
    "step_seen",
    "steps_of_runs",
]

#: Numbers closer than this, relative to the largest of their row, are equal but for rounding.
ROUNDING = 1e-10
#: What subtracting equal scores leaves, relative to the largest score.
NOISE = 2.0**-42


def rounding_noise(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """What may be left of equal scores of each data set by subtracting them.

    Parameters
    ----------
    scores : ndarray of shape (..., m)
        Sorted by data set.
    starts : ndarray of int, shape (q,)
        Where each data set starts.

    Returns
    -------
    ndarray of shape (q,)
    """
    largest = np.abs(scores).reshape(-1, scores.shape[-1]).max(axis=0)
    return NOISE * np.maximum.reduceat(largest, starts)


def smallest_step(scores: np.ndarray) -> float:
    """Smallest difference between distinct scores, rounding noise apart; NaN if all are equal."""
    finite = np.unique(scores[np.isfinite(scores)])
    steps = np.diff(finite)
    steps = steps[steps > ROUNDING * max(np.abs(finite).max(initial=0.0), 1e-300)]
    return float(steps.min()) if len(steps) else float("nan")


def smallest_steps(scores: np.ndarray, group: np.ndarray) -> np.ndarray:
    """`smallest_step` of each group of finite scores, in one pass.

    Parameters
    ----------
    scores : ndarray of shape (m,)
    group : ndarray of int, shape (m,)
        0 to q - 1, each of which occurs.

    Returns
    -------
    ndarray of shape (q,)
    """
    order = np.lexsort((scores, group))
    scores, group = scores[order], group[order]
    starts = np.flatnonzero(np.r_[True, np.diff(group) > 0])
    largest = np.maximum.reduceat(np.abs(scores), starts)
    steps = np.diff(scores)
    noise = ROUNDING * np.maximum(largest, 1e-300)[group[1:]]
    steps[(np.diff(group) > 0) | (steps <= noise)] = np.inf
    least = np.minimum.reduceat(np.r_[np.inf, steps], starts)
    return np.where(np.isinf(least), np.nan, least)


def steps_of_runs(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """`smallest_steps` of the finite scores of several algorithms, sorted by data set.

    Parameters
    ----------
    scores : ndarray of shape (algorithms, m)
    starts : ndarray of int, shape (q,)
        Where each data set starts.

    Returns
    -------
    ndarray of shape (q,)
    """
    sizes = np.diff(starts, append=scores.shape[1])
    if (sizes != sizes[0]).any():
        group = np.repeat(np.arange(len(sizes)), sizes)
        return smallest_steps(scores.ravel(), np.tile(group, len(scores)))
    rows = np.concatenate(scores.reshape(len(scores), len(sizes), -1), axis=1)
    rows.sort(axis=1)
    steps = np.diff(rows, axis=1)
    largest = np.maximum(np.abs(rows[:, 0]), np.abs(rows[:, -1]))
    steps[steps <= ROUNDING * np.maximum(largest, 1e-300)[:, None]] = np.inf
    least = steps.min(axis=1, initial=np.inf)
    return np.where(np.isinf(least), np.nan, least)


def step_seen(rows: Sequence[np.ndarray]) -> float:
    """Smallest step seen within any row of differences, zero included; NaN if all are zero."""
    steps = [smallest_step(np.append(row, 0.0)) for row in rows]
    return min((h for h in steps if not np.isnan(h)), default=float("nan"))
