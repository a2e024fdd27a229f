"""Masses of the four regions under many multivariate t distributions, one for each draw."""

from __future__ import annotations

import numpy as np

from bayescmp.bayesian.regions.elliptical import between, directions_of, half_lines, tail
from bayescmp.verdict import Ropes

__all__ = ["region_masses"]

#: Directions for each draw, both ends of a line counted, in eight replicates.
DIRECTIONS = 512
#: Draws at a time, which bounds the memory.
CHUNK = 500


def region_masses(
    location: np.ndarray,
    root: np.ndarray,
    nu: np.ndarray,
    mixing: np.ndarray,
    ropes: Ropes,
    *,
    seed: int,
    directions: int = DIRECTIONS,
) -> np.ndarray:
    """Probabilities of the four regions under N distributions, by the same directions for all.

    On the line through the location along a direction the regions are intervals, whose
    probabilities are values of the radius' distribution function, as in
    `bayescmp.bayesian.regions.elliptical`. What is left is an average over directions, for which
    the same quasi-random ones serve all draws.

    Parameters
    ----------
    location : ndarray of shape (N, r)
        Locations δ0, in r coordinates.
    root : ndarray of shape (N, r, r)
        Roots of the scale matrices: Σ0 = root·rootᵀ.
    nu : ndarray of shape (N,)
        Degrees of freedom.
    mixing : ndarray of shape (r, p)
        The p metrics as linear functions of the coordinates.
    ropes : Ropes
        One per metric.
    seed : int
        Of the random shifts.
    directions : int
        Directions for each draw.

    Returns
    -------
    ndarray of shape (replicates, N, 4)
        In the order equivalent, first, second, trade_off, by independent replicates of the
        directions, whose spread tells the error; with r = 1 there is one, which is exact.

    References
    ----------
    Genz & Bretz (2009), Computation of Multivariate Normal and t Probabilities, section 4.2.
    """
    moving = np.any(mixing != 0, axis=0)  # a metric that never differs is on neither side
    lines = directions_of(mixing.shape[0], directions, seed)
    low, high = ropes.low[moving], ropes.high[moving]
    parts = [
        _chunk(
            location[i : i + CHUNK] @ mixing[:, moving],
            np.einsum("knr,bsr,sp->bknp", lines, root[i : i + CHUNK], mixing[:, moving]),
            nu[i : i + CHUNK, None, None],
            mixing.shape[0],
            low,
            high,
        )
        for i in range(0, len(nu), CHUNK)
    ]
    masses = np.concatenate(parts, axis=1)
    return _split_ties(masses) if ropes.empty else masses


def _chunk(
    location: np.ndarray,
    slopes: np.ndarray,
    nu: np.ndarray,
    rank: int,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """Masses under B distributions: slopes (B, K, n, p) of the metrics along each line."""
    m = location.T[:, :, None, None]
    still, slack = np.zeros(len(low), bool), np.zeros(len(low))
    # Worse in no metric: m + s·slope >= low. Better in none: m + s·slope <= high.
    not_worse = half_lines(slopes, low[:, None, None, None] - m, still, slack)
    not_better = half_lines(-slopes, m - high[:, None, None, None], still, slack)
    same = (np.maximum(not_worse[0], not_better[0]), np.minimum(not_worse[1], not_better[1]))
    p_not_worse, p_not_better, p_same = (
        between(*ends, *(tail(end, rank, nu) for end in ends)).mean(axis=-1)
        for ends in (not_worse, not_better, same)
    )
    first, second = (np.maximum(p - p_same, 0.0) for p in (p_not_better, p_not_worse))
    trade_off = np.maximum(1.0 - p_same - first - second, 0.0)
    return np.moveaxis(np.stack([p_same, first, second, trade_off], axis=-1), 1, 0)


def _split_ties(masses: np.ndarray) -> np.ndarray:
    """Without a rope nothing is equivalent: what is exactly zero counts half to each side."""
    half = masses[..., :1] / 2
    return np.concatenate([0 * half, masses[..., 1:3] + half, masses[..., 3:]], axis=-1)
