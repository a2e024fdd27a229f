"""Ranks of several algorithms from draws of their effects, and who dominates whom.

Every probability is a share of the draws, or a mean over them, with its Monte Carlo error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescmp.base import checks
from bayescmp.bayesian.regions import sides
from bayescmp.errors import InputError, unknown_name
from bayescmp.scores.rope import Ropes

#: Draws worked on at a time, so that memory stays small with many algorithms.
CHUNK = 2048
#: What several metrics are ranked by unless a metric or weights are given.
DOMINANCE = "dominance"


def ranked_scores(
    effects: np.ndarray, metrics: Sequence[str], ropes: Ropes, by: object = None
) -> np.ndarray:
    """Return what algorithms are ranked by, draw by draw: (N, L), higher is better.

    `effects` are (N, L, p), higher is better. `by` is a metric, "dominance" (wins less losses,
    with several metrics only), or weights (p,) of the metrics; the only metric, or dominance, if
    not given.
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
    weights = checks.read_numbers(by, "by", "a metric, 'dominance', or weights")
    if weights.shape != (len(metrics),) or not np.all(np.isfinite(weights)):
        raise InputError(f"by={by!r}; accepted: a metric, 'dominance', or {len(metrics)} weights")
    return np.asarray(effects @ weights)


def positions(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many are better than each algorithm, and how many tie with it, itself included.

    Scores are (N, L), higher is better; each covers the ranks above + 1, ..., above + tied.
    """
    above, tied = (np.empty(scores.shape, dtype=int) for _ in range(2))
    for start in range(0, len(scores), CHUNK):
        part = slice(start, start + CHUNK)
        s = scores[part]
        above[part] = np.sum(s[:, None, :] > s[:, :, None], axis=-1)
        tied[part] = np.sum(s[:, None, :] == s[:, :, None], axis=-1)
    return above, tied


def holders(scores: np.ndarray, rank: int) -> np.ndarray:
    """Return the share of each algorithm in a rank, draw by draw, 1 being the best: (N, L).

    Those that tie share the ranks that they cover equally.
    """
    above, tied = positions(scores)
    return np.asarray(((above < rank) & (rank <= above + tied)) / tied)


def rank_shares(scores: np.ndarray) -> np.ndarray:
    """Return the share of draws, (L, L), in which each algorithm has rank 1, 2, ..., L."""
    above, tied = positions(scores)
    ranks = range(1, scores.shape[1] + 1)
    held = [np.mean(((above < r) & (r <= above + tied)) / tied, axis=0) for r in ranks]
    return np.stack(held, axis=1)


def mean_ranks(scores: np.ndarray) -> np.ndarray:
    """Return each rank in each draw, (N, L), 1 being the best; tied ones get their mean rank."""
    above, tied = positions(scores)
    return np.asarray(above + (tied + 1) / 2)


def dominance(effects: np.ndarray, ropes: Ropes) -> tuple[np.ndarray, np.ndarray]:
    """Return how many others each algorithm dominates, and by how many it is, (N, L) each.

    Algorithm i dominates j where i is practically better in at least one metric and practically
    worse in none; effects are (N, L, p).
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
    """Return the region of each pair's difference, as an index into the four `REGIONS`: (N, m)."""
    regions = np.empty((len(effects), len(pairs)), dtype=np.int8)
    for k, (i, j) in enumerate(pairs):
        worse, better = sides(effects[:, j] - effects[:, i], ropes)
        regions[:, k] = worse + 2 * better.astype(np.int8)
    return regions


def joint_equivalence(effects: np.ndarray, members: Sequence[int], ropes: Ropes) -> np.ndarray:
    """Return whether all members are practically equivalent at once, draw by draw: (N,).

    Where a rope is 0 nothing is equivalent.
    """
    within = np.full(len(effects), not ropes.empty)
    ordered = sorted(members)  # a pair's difference is second minus first, as ropes have it
    for a, i in enumerate(ordered):
        for j in ordered[a + 1 :]:
            worse, better = sides(effects[:, j] - effects[:, i], ropes)
            within &= ~(worse | better)
    return within
