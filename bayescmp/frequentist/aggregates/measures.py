"""Aggregates of scores over runs and tasks, plain and under weights of the runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.errors import InputError

__all__ = ["MEASURES", "aggregated", "as_runs", "improvement", "weighted", "weighted_improvement"]

#: What can be aggregated: over all runs of all tasks, or over the tasks' means.
MEASURES = ("iqm", "mean", "median")


def as_runs(scores: Mapping[str, ArrayLike], test: str, least: int = 1) -> dict[str, np.ndarray]:
    """Scores of each algorithm, checked.

    Parameters
    ----------
    scores : mapping of str to array_like of shape (runs, tasks)
        Tasks are the same for all, in the same order; runs may differ in number.
    test : str
        Who asks, for messages.
    least : int
        How many algorithms it needs.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    InputError
        Another shape, missing or infinite scores, tasks that differ in number.
    """
    if not isinstance(scores, Mapping) or len(scores) < least:
        raise InputError(
            f"scores of {test}; accepted: a mapping of at least {least} algorithms to arrays of "
            "shape (runs, tasks)"
        )
    arrays = {}
    for name, given in scores.items():
        values = checks.numbers(given, f"scores[{name!r}]", "(runs, tasks)")
        if values.ndim != 2 or values.size == 0:
            raise InputError(f"scores[{name!r}] has shape {values.shape}; accepted: (runs, tasks)")
        if not np.all(np.isfinite(values)):
            run, task = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"scores[{name!r}] is {values[run, task]} for run {run} of task {task}; accepted: "
                "finite numbers"
            )
        arrays[str(name)] = values
    sizes = {values.shape[1] for values in arrays.values()}
    if len(sizes) > 1:
        raise InputError(f"scores has algorithms of {sorted(sizes)} tasks; accepted: the same")
    return arrays


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
    parted = np.partition(flat, (cut, n - cut - 1), axis=-1)
    return np.asarray(parted[..., cut : n - cut].mean(axis=-1))


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
    """P(a run of the second is better), ties half, of each task.

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
