"""Ranks of several algorithms from draws of their effects, and who dominates whom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescmp.bayesian.regions.membership import sides
from bayescmp.diagnostics import monte_carlo_errors
from bayescmp.verdict import Ropes

__all__ = ["dominance", "joint_equivalence", "pair_regions", "rank_shares", "share_errors"]

#: Draws worked on at a time, so that memory stays small with many algorithms.
CHUNK = 2048


def rank_shares(scores: np.ndarray) -> np.ndarray:
    """Share of draws in which each algorithm has each rank, 1 being the best.

    Parameters
    ----------
    scores : ndarray of shape (N, L)
        Higher is better.

    Returns
    -------
    ndarray of shape (L, L)
        Row i: probabilities that algorithm i has rank 1, 2, ..., L. Algorithms that tie in a draw
        share the ranks that they cover equally, so that rows and columns sum to one.
    """
    size = scores.shape[1]
    total = np.zeros((size, size))
    places = np.arange(size)
    for start in range(0, len(scores), CHUNK):
        s = scores[start : start + CHUNK]
        above = np.sum(s[:, None, :] > s[:, :, None], axis=-1)
        tied = np.sum(s[:, None, :] == s[:, :, None], axis=-1)
        has = (places >= above[..., None]) & (places < (above + tied)[..., None])
        total += np.sum(has / tied[..., None], axis=0)
    return total / len(scores)


def share_errors(shares: np.ndarray, chains: int, *, independent: bool) -> np.ndarray:
    """Monte Carlo standard errors of the means of shares, one a column.

    Parameters
    ----------
    shares : ndarray of shape (N, m)
        Between 0 and 1, chains one after the other.
    chains : int
        How many.
    independent : bool
        Whether draws are; else their effective number is estimated.

    Returns
    -------
    ndarray of shape (m,)
        Never zero: a share that is 0 or 1 throughout is moved by half a draw.
    """
    size = len(shares)
    if not independent:
        return monte_carlo_errors(shares.reshape(chains, size // chains, -1).astype(float))
    p = (shares.sum(axis=0) + 0.5) / (size + 1)
    return np.asarray(np.sqrt(p * (1 - p) / size))


def dominance(effects: np.ndarray, ropes: Ropes) -> tuple[np.ndarray, np.ndarray]:
    """Who practically dominates whom, draw by draw, as counts.

    Algorithm i dominates j where i is practically better in at least one metric and practically
    worse in none.

    Parameters
    ----------
    effects : ndarray of shape (N, L, p)
        Higher is better.
    ropes : Ropes
        One a metric.

    Returns
    -------
    beats, beaten : ndarray of int, shape (N, L)
        How many others each dominates, and by how many it is dominated.
    """
    n, size, _ = effects.shape
    beats, beaten = np.zeros((n, size), dtype=int), np.zeros((n, size), dtype=int)
    for i in range(size):
        for j in range(i + 1, size):
            worse, better = sides(effects[:, j] - effects[:, i], ropes)
            second, first = better & ~worse, worse & ~better
            beats[:, j] += second
            beaten[:, i] += second
            beats[:, i] += first
            beaten[:, j] += first
    return beats, beaten


def pair_regions(effects: np.ndarray, pairs: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Region of each pair's difference in each draw, as an index into the four `REGIONS`.

    Parameters
    ----------
    effects : ndarray of shape (N, L, p)
        Higher is better.
    pairs : ndarray of int, shape (m, 2)
        First and second of each.
    ropes : Ropes
        One a metric.

    Returns
    -------
    ndarray of int8, shape (N, m)
    """
    found = np.empty((len(effects), len(pairs)), dtype=np.int8)
    for k, (i, j) in enumerate(pairs):
        worse, better = sides(effects[:, j] - effects[:, i], ropes)
        found[:, k] = worse + 2 * better.astype(np.int8)
    return found


def joint_equivalence(effects: np.ndarray, members: Sequence[int], ropes: Ropes) -> float:
    """Probability that all members are practically equivalent to each other at once.

    Parameters
    ----------
    effects : ndarray of shape (N, L, p)
        Effects.
    members : sequence of int
        Algorithms.
    ropes : Ropes
        One a metric. Where one is 0 the probability is 0.

    Returns
    -------
    float
    """
    if ropes.empty:
        return 0.0
    own = effects[:, list(members)]
    within = np.ones(len(effects), dtype=bool)
    for a, i in enumerate(members):
        for b in range(a + 1, len(members)):
            # a pair's difference is second minus first in the algorithms' order
            first, second = (a, b) if i < members[b] else (b, a)
            worse, better = sides(own[:, second] - own[:, first], ropes)
            within &= ~(worse | better)
    return float(within.mean())
