"""What the hierarchical model needs of the differences: counts, means and sums of squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.steps import ROUNDING

if TYPE_CHECKING:
    from bayescmp.differences import Differences

__all__ = ["SufficientStatistics", "statistics_of"]


@dataclass(frozen=True, eq=False)
class SufficientStatistics:
    """What a row says under the correlated normal likelihood, all arrays of shape (q,).

    Attributes
    ----------
    n : ndarray of int
        Differences in the row.
    mean : ndarray
        Their mean.
    ss : ndarray
        Sum of squared deviations from it; exactly 0 for a constant row.
    rho : ndarray
        Correlation of two differences.
    constant : ndarray of bool
        Rows whose differences are all equal, but for the rounding of their own scores.
    """

    n: np.ndarray
    mean: np.ndarray
    ss: np.ndarray
    rho: np.ndarray
    constant: np.ndarray


def statistics_of(d: Differences) -> SufficientStatistics:
    """Counts, means and sums of squares of each row; rounding counts as no spread."""
    n = d.n
    flat = np.concatenate(d.x)
    start = np.r_[0, np.cumsum(n)[:-1]]
    mean = np.add.reduceat(flat, start) / n
    spread = np.maximum.reduceat(flat, start) - np.minimum.reduceat(flat, start)
    own = np.maximum.reduceat(np.abs(flat), start)
    # What subtracting equal scores leaves. Of plain differences no more is known than that their
    # scores, on one scale for all rows, are at least as large as they.
    residue = 4 * np.finfo(float).eps * own.max(initial=0.0)
    left = np.where(d.noise > 0, d.noise, residue)
    constant = spread <= np.maximum(ROUNDING * own, left)
    ss = np.add.reduceat((flat - np.repeat(mean, n)) ** 2, start)
    return SufficientStatistics(n, mean, np.where(constant, 0.0, ss), d.rho, constant)
