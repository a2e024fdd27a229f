"""The four regions of several metrics: equivalent, first dominates, second dominates, trade-off.

Differences are second minus first after flipping metrics for which lower is better, so that in
each metric positive says that the second algorithm is better. With one rope per metric, a box
around the origin, a difference μ of p metrics is

- equivalent where all its components are within their ropes (their ends belong to them);
- first where at least one is left of its rope and none right of it: the first dominates;
- second alike;
- trade_off where one is left and another right.

Together these four make up all of R^p. In a metric whose rope is 0 only a difference of exactly
zero is neither left nor right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescmp.errors import unknown_name
from bayescmp.verdict import FOUR, Ropes

__all__ = ["REGIONS", "classify", "membership", "named", "region_index", "region_shares", "sides"]

REGIONS = FOUR.regions
EQUIVALENT, FIRST, SECOND, TRADE_OFF = range(4)


def classify(x: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Region of each difference, as an index into `REGIONS`.

    Parameters
    ----------
    x : ndarray of shape (..., p)
        Differences, positive where the second algorithm is better.
    ropes : Ropes
        One per metric.

    Returns
    -------
    ndarray of int8, shape (...)
        0 equivalent, 1 first, 2 second, 3 trade_off. A difference that is exactly zero in all
        metrics is equivalent here even without ropes; `membership` splits it.
    """
    worse, better = sides(x, ropes)
    return FIRST * worse.astype(np.int8) + SECOND * better.astype(np.int8)


def membership(x: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Share of each difference in each region, ones and zeros but for ties.

    Parameters
    ----------
    x : ndarray of shape (..., p)
        Differences.
    ropes : Ropes
        One per metric.

    Returns
    -------
    ndarray of shape (..., 4)
        Rows sum to one. Where some rope is 0 equivalence is not possible: a difference that is
        neither left nor right of anything then counts half to each algorithm, as a difference of
        exactly zero does with one metric and no rope.
    """
    region = classify(x, ropes)
    shares = np.stack([region == r for r in range(4)], axis=-1).astype(float)
    return _without_equivalence(shares) if ropes.empty else shares


def region_shares(x: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Shares of points in the regions: probabilities, where the points are draws.

    Parameters
    ----------
    x : ndarray of shape (..., N, p)
        Points; all but the last two axes stay.
    ropes : Ropes
        One per metric.

    Returns
    -------
    ndarray of shape (..., 4)
        In the order of `REGIONS`; they sum to one.
    """
    worse, better = sides(x, ropes)
    count = x.shape[-2]
    n_worse, n_better = (np.count_nonzero(side, axis=-1) for side in (worse, better))
    both = np.count_nonzero(worse & better, axis=-1)
    first, second = n_worse - both, n_better - both
    within = count - first - second - both
    shares = np.stack([within, first, second, both], axis=-1) / count
    return _without_equivalence(shares) if ropes.empty else shares


def named(values: Sequence[float] | np.ndarray) -> dict[str, float]:
    """Four numbers with the regions' names."""
    return dict(zip(REGIONS, map(float, values), strict=True))


def sides(x: np.ndarray, ropes: Ropes) -> tuple[np.ndarray, np.ndarray]:
    """Whether a difference is left of a rope in some metric, and right of one in some metric."""
    low, high = ropes.low, ropes.high
    worse, better = x[..., 0] < low[0], x[..., 0] > high[0]
    for j in range(1, len(ropes)):
        worse |= x[..., j] < low[j]
        better |= x[..., j] > high[j]
    return worse, better


def _without_equivalence(shares: np.ndarray) -> np.ndarray:
    """Half of what is in no other region to each algorithm."""
    half = shares[..., EQUIVALENT] / 2
    split = shares.copy()
    split[..., FIRST] += half
    split[..., SECOND] += half
    split[..., EQUIVALENT] = 0.0
    return split


def region_index(outcome: str) -> int:
    """Index of an outcome named as a decision or a region."""
    plain = {"trade-off": "trade_off", "left": "first", "right": "second", "rope": "equivalent"}
    name = plain.get(outcome, outcome)
    if name not in REGIONS:
        raise unknown_name("outcome", outcome, REGIONS)
    return REGIONS.index(name)
