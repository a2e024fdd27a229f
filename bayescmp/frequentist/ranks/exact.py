"""Permutation distribution of Σ T_j² under permutation of each block's scores."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from bayescmp import checks
from bayescmp.errors import InputError

__all__ = ["exact_pvalue", "permutation_pvalue"]

#: Rows (states x permutations) that one step of the exact computation may need.
MOST_ROWS = 8_000_000


def exact_pvalue(a: np.ndarray) -> float:
    """P(Σ T_j² ≥ the one observed) over all permutations within blocks, exactly.

    The totals of the blocks so far are all that the next step needs, and as the next block is
    permuted too, only their multiset: states are sorted vectors, which keeps them few.

    Parameters
    ----------
    a : ndarray of shape (n, k)
        Within-block scores, multiples of ¼ (ranks, halved by ties, centred and weighted).

    Returns
    -------
    float

    Raises
    ------
    InputError
        If there are too many states.
    """
    units = np.rint(4 * (a - a.min(axis=1, keepdims=True))).astype(np.int64)
    observed = int(np.sum(units.sum(axis=0) ** 2))
    states, weights = np.sort(units[:1], axis=1), np.ones(1)
    for row in units[1:]:
        orders = _orders(row)
        if len(states) * len(orders) > MOST_ROWS:
            raise InputError(
                f"method='exact' has too many cases to enumerate for {a.shape[0]} data sets and "
                f"{a.shape[1]} algorithms; use method='permutation', which samples them, or "
                "'asymptotic', which is accurate at that size"
            )
        totals = (states[:, None, :] + orders[None, :, :]).reshape(-1, a.shape[1])
        totals.sort(axis=1)
        states, weights = _merge(totals, np.repeat(weights / len(orders), len(orders)))
    return float(min(1.0, weights[np.sum(states**2, axis=1) >= observed].sum()))


def _orders(row: np.ndarray) -> np.ndarray:
    """The distinct orders of a block's scores (each comes from equally many permutations)."""
    if len(row) > 8:
        raise InputError(
            f"method='exact' is for at most 8 algorithms, and there are {len(row)}; "
            "use method='permutation'"
        )
    return np.array(sorted(set(permutations(row.tolist()))), dtype=np.int64)


def _merge(totals: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Equal states into one, their probabilities added."""
    base = int(totals.max()) + 1
    if base ** (totals.shape[1] - 1) < 2**62:  # the sum is fixed: the last total is implied
        key = totals[:, :-1] @ base ** np.arange(totals.shape[1] - 1)
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        return totals[first], np.bincount(inverse.reshape(-1), weights=weights)
    states, inverse = np.unique(totals, axis=0, return_inverse=True)
    return states, np.bincount(inverse.reshape(-1), weights=weights)


def permutation_pvalue(a: np.ndarray, resamples: int, seed: checks.Seed) -> float:
    """Monte Carlo p-value, (1 + hits)/(1 + resamples), valid at any number of resamples.

    Parameters
    ----------
    a : ndarray of shape (n, k)
        Within-block scores.
    resamples : int
        Random permutations.
    seed : int or Generator or None

    Returns
    -------
    float

    Raises
    ------
    InputError
        If resamples is not a positive integer.

    References
    ----------
    Phipson & Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9 (why one is added).
    """
    resamples = checks.whole("resamples", resamples)
    rng = checks.generator(seed)
    centred = a - a.mean(axis=1, keepdims=True)
    observed = np.sum(centred.sum(axis=0) ** 2)
    batch = max(1, 2_000_000 // centred.size)
    hits, left = 0, resamples
    while left:
        size = min(batch, left)
        drawn = rng.permuted(np.broadcast_to(centred, (size, *centred.shape)), axis=2)
        statistic = np.sum(drawn.sum(axis=1) ** 2, axis=1)
        hits += int(np.sum(statistic >= observed * (1 - 1e-12)))  # equal but for rounding counts
        left -= size
    return (1 + hits) / (1 + resamples)
