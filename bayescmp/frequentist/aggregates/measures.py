"""Aggregates of scores over runs and tasks, plain and under weights of the runs."""

from __future__ import annotations

import numpy as np

__all__ = [
    "MEASURES",
    "TITLES",
    "above",
    "aggregated",
    "improvement",
    "weighted",
    "weighted_above",
    "weighted_improvement",
]

#: What can be aggregated: over all runs of all tasks, or over the tasks' means.
MEASURES = ("iqm", "mean", "median")
TITLES = {"iqm": "interquartile mean", "mean": "mean", "median": "median of the tasks' means"}


def aggregated(x: np.ndarray, measure: str) -> np.ndarray:
    """The aggregate of scores of shape (..., runs, tasks), shape (...)."""
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


def weighted(x: np.ndarray, weights: np.ndarray, measure: str) -> np.ndarray:
    """The aggregate under weights of the runs.

    Parameters
    ----------
    x : ndarray of shape (runs, tasks)
    weights : ndarray of shape (draws, runs, tasks)
        Sum to 1 over the runs of a task.
    measure : str
        The interquartile mean is that of the weighted distribution over all runs and tasks.

    Returns
    -------
    ndarray of shape (draws,)
    """
    if measure != "iqm":
        means = (weights * x).sum(axis=1)
        return np.asarray(means.mean(axis=-1) if measure == "mean" else np.median(means, axis=-1))
    order = np.argsort(x, axis=None)
    mass = weights.reshape(len(weights), -1)[:, order] / x.shape[1]
    ends = np.cumsum(mass, axis=1)
    kept = np.clip(ends, 0.25, 0.75) - np.clip(ends - mass, 0.25, 0.75)
    return np.asarray(kept @ x.ravel()[order] / kept.sum(axis=1))


def improvement(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """P(a run of the second is better), ties counting half, of each task.

    Parameters
    ----------
    a, b : ndarray of shape (..., runs, tasks)

    Returns
    -------
    ndarray of shape (..., tasks)
    """
    wins = np.sign(b[..., :, None, :] - a[..., None, :, :])
    return np.asarray((wins.mean(axis=(-3, -2)) + 1) / 2)


def weighted_improvement(
    a: np.ndarray, b: np.ndarray, of_a: np.ndarray, of_b: np.ndarray
) -> np.ndarray:
    """The same, averaged over tasks, under weights of shape (draws, runs, tasks)."""
    wins = (np.sign(b[:, None, :] - a) + 1) / 2
    return np.asarray(np.einsum("dmt,mkt,dkt->d", of_b, wins, of_a) / a.shape[1])


def above(x: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Share of scores over each threshold.

    Parameters
    ----------
    x : ndarray of shape (..., runs, tasks)
    at : ndarray of shape (t,)

    Returns
    -------
    ndarray of shape (..., t)
    """
    return np.stack([(x > t).mean(axis=(-2, -1)) for t in at], axis=-1)


def weighted_above(x: np.ndarray, weights: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The same of scores (runs, tasks) under weights (draws, runs, tasks), shape (draws, t)."""
    return np.stack([(weights * (x > t)).sum(axis=1).mean(axis=-1) for t in at], axis=-1)
