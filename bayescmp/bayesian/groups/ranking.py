"""Ranks of several algorithms from draws of their effects, and who dominates whom.

Every probability is a share of the draws, or a mean over them, with its Monte Carlo error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescmp.bayesian.regions.membership import sides
from bayescmp.errors import InputError, unknown_name
from bayescmp.verdict import Ropes

__all__ = [
    "DOMINANCE",
    "dominance",
    "holders",
    "joint_equivalence",
    "mean_ranks",
    "pair_regions",
    "positions",
    "rank_shares",
    "ranked_scores",
]

#: Draws worked on at a time, so that memory stays small with many algorithms.
CHUNK = 2048
#: What several metrics are ranked by unless a metric or weights are given.
DOMINANCE = "dominance"


def ranked_scores(
    effects: np.ndarray, metrics: Sequence[str], ropes: Ropes, by: object = None
) -> np.ndarray:
    """What algorithms are ranked by, draw by draw.

    Parameters
    ----------
    effects : ndarray of shape (N, L, p)
        Higher is better.
    metrics : sequence of str
        Names of the p metrics.
    ropes : Ropes
        One per metric, for dominance.
    by : str or array_like of shape (p,), optional
        A metric, "dominance" (wins less losses; with several metrics only), or weights of the
        metrics. The only metric, or dominance, if not given.

    Returns
    -------
    ndarray of shape (N, L)
        Higher is better.

    Raises
    ------
    InputError
        Unknown metric, or weights that do not fit.
    """
    several = len(metrics) > 1
    if by is None:
        by = DOMINANCE if several else metrics[0]
    if isinstance(by, str):
        if by in metrics:
            return np.asarray(effects[..., list(metrics).index(by)])
        if by != DOMINANCE or not several:
            known = [*metrics, DOMINANCE] if several else metrics
            raise unknown_name("metric to rank by", by, known)
        wins, losses = dominance(effects, ropes)
        return np.asarray(wins - losses)
    weights = np.asarray(by, dtype=float)
    if weights.shape != (len(metrics),) or not np.all(np.isfinite(weights)):
        raise InputError(f"by={by!r}; accepted: a metric, 'dominance', or {len(metrics)} weights")
    return np.asarray(effects @ weights)


def positions(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many others are better than each algorithm, and how many tie with it, itself included.

    Parameters
    ----------
    scores : ndarray of shape (N, L)
        Higher is better.

    Returns
    -------
    above, tied : ndarray of int, shape (N, L)
        The algorithm covers the ranks above + 1, ..., above + tied.
    """
    above, tied = (np.empty(scores.shape, dtype=int) for _ in range(2))
    for start in range(0, len(scores), CHUNK):
        part = slice(start, start + CHUNK)
        s = scores[part]
        above[part] = np.sum(s[:, None, :] > s[:, :, None], axis=-1)
        tied[part] = np.sum(s[:, None, :] == s[:, :, None], axis=-1)
    return above, tied


def holders(scores: np.ndarray, rank: int) -> np.ndarray:
    """Share of each algorithm in a rank, draw by draw, 1 being the best rank.

    Parameters
    ----------
    scores : ndarray of shape (N, L)
        Higher is better.
    rank : int
        From 1 to L.

    Returns
    -------
    ndarray of shape (N, L)
        One for the algorithm that has the rank; those that tie share the ranks that they cover
        equally.
    """
    above, tied = positions(scores)
    return np.asarray(((above < rank) & (rank <= above + tied)) / tied)


def rank_shares(scores: np.ndarray) -> np.ndarray:
    """Share of draws in which each algorithm has each rank, 1 being the best.

    Parameters
    ----------
    scores : ndarray of shape (N, L)
        Higher is better.

    Returns
    -------
    ndarray of shape (L, L)
        Row i: probabilities that algorithm i has rank 1, 2, ..., L; rows and columns sum to one.
    """
    above, tied = positions(scores)
    ranks = range(1, scores.shape[1] + 1)
    held = [np.mean(((above < r) & (r <= above + tied)) / tied, axis=0) for r in ranks]
    return np.stack(held, axis=1)


def mean_ranks(scores: np.ndarray) -> np.ndarray:
    """Rank of each algorithm in each draw, 1 being the best; tied ones get their mean rank.

    Parameters
    ----------
    scores : ndarray of shape (N, L)
        Higher is better.

    Returns
    -------
    ndarray of shape (N, L)
    """
    above, tied = positions(scores)
    return np.asarray(above + (tied + 1) / 2)


def dominance(effects: np.ndarray, ropes: Ropes) -> tuple[np.ndarray, np.ndarray]:
    """Who practically dominates whom, draw by draw, as counts.

    Algorithm i dominates j where i is practically better in at least one metric and practically
    worse in none.

    Parameters
    ----------
    effects : ndarray of shape (N, L, p)
        Higher is better.
    ropes : Ropes
        One per metric.

    Returns
    -------
    wins, losses : ndarray of int, shape (N, L)
        How many others each dominates, and by how many it is dominated.
    """
    n, size, _ = effects.shape
    wins, losses = np.zeros((n, size), dtype=int), np.zeros((n, size), dtype=int)
    for i in range(size):
        for j in range(i + 1, size):
            worse, better = sides(effects[:, j] - effects[:, i], ropes)
            second, first = better & ~worse, worse & ~better
            wins[:, j] += second
            losses[:, i] += second
            wins[:, i] += first
            losses[:, j] += first
    return wins, losses


def pair_regions(effects: np.ndarray, pairs: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Region of each pair's difference in each draw, as an index into the four `REGIONS`.

    Parameters
    ----------
    effects : ndarray of shape (N, L, p)
        Higher is better.
    pairs : ndarray of int, shape (m, 2)
        First and second of each.
    ropes : Ropes
        One per metric.

    Returns
    -------
    ndarray of int8, shape (N, m)
    """
    regions = np.empty((len(effects), len(pairs)), dtype=np.int8)
    for k, (i, j) in enumerate(pairs):
        worse, better = sides(effects[:, j] - effects[:, i], ropes)
        regions[:, k] = worse + 2 * better.astype(np.int8)
    return regions


def joint_equivalence(effects: np.ndarray, members: Sequence[int], ropes: Ropes) -> np.ndarray:
    """Whether all members are practically equivalent to each other at once, draw by draw.

    Parameters
    ----------
    effects : ndarray of shape (N, L, p)
        Effects.
    members : sequence of int
        Algorithms.
    ropes : Ropes
        One per metric. Where one is 0 nothing is equivalent.

    Returns
    -------
    ndarray of bool, shape (N,)
    """
    within = np.full(len(effects), not ropes.empty)
    ordered = sorted(members)  # a pair's difference is second minus first, as ropes have it
    for a, i in enumerate(ordered):
        for j in ordered[a + 1 :]:
            worse, better = sides(effects[:, j] - effects[:, i], ropes)
            within &= ~(worse | better)
    return within
