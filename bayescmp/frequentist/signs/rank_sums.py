"""Signed ranks of differences, and the null distribution of their sums."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bayescmp.frequentist.ranks.within import rank_rows

__all__ = ["SignedRanks", "exact_pvalue", "normal_pvalue", "signed_ranks", "sum_distribution"]

#: Differences closer than this, relative to the largest, are equal but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class SignedRanks:
    """Ranks of the absolute differences that have a sign.

    Attributes
    ----------
    ranks : ndarray of shape (n,)
        Without the zeros'; these may have taken part in the ranking.
    positive : ndarray of bool, shape (n,)
    zeros : int
        Differences that are zero but for rounding.
    shared : float
        What each side gets of the zeros' ranks.
    """

    ranks: np.ndarray
    positive: np.ndarray
    zeros: int
    shared: float = 0.0

    @property
    def plus(self) -> float:
        """Rank sum of the positive differences, without a share of the zeros' ranks."""
        return float(self.ranks[self.positive].sum())

    @property
    def sums(self) -> tuple[float, float]:
        """Rank sums of the positive and of the negative differences."""
        minus = float(self.ranks[~self.positive].sum())
        return self.plus + self.shared, minus + self.shared


def signed_ranks(
    x: np.ndarray, zeros: str = "wilcox", tolerance: np.ndarray | float | None = None
) -> SignedRanks:
    """Rank absolute differences, ties and zeros found to rounding.

    Parameters
    ----------
    x : ndarray of shape (n,)
    zeros : {"wilcox", "pratt", "split"}
        As for `wilcoxon`.
    tolerance : float or ndarray of shape (n,), optional
        Absolute differences this close are tied, and those this small are zero; if not given
        `ROUNDING` times the largest.

    Returns
    -------
    SignedRanks
    """
    size = np.abs(x)
    if tolerance is None:
        tolerance = ROUNDING * size.max(initial=0.0)
    near = np.array(np.broadcast_to(tolerance, size.shape), dtype=float)
    zero = size <= near
    count = int(zero.sum())
    left_out = {"wilcox": count, "pratt": 0, "split": count % 2}[zeros]
    kept = np.ones(len(x), dtype=bool)
    kept[np.flatnonzero(zero)[:left_out]] = False
    size, near, zero = np.where(zero, 0.0, size)[kept], near[kept], zero[kept]
    ranks = rank_rows(size[None], near[None])[0]
    shared = float(ranks[zero].sum()) / 2 if zeros == "split" else 0.0
    return SignedRanks(ranks[~zero], x[kept][~zero] > 0, count, shared)


def sum_distribution(ranks: np.ndarray) -> np.ndarray:
    """Distribution of the sum of the ranks with a positive sign, all signs being fair coins.

    Parameters
    ----------
    ranks : ndarray of shape (n,)
        Whole numbers and halves.

    Returns
    -------
    ndarray
        P(twice the sum = 0), P(twice the sum = 1), ...
    """
    doubled = np.rint(2 * ranks).astype(int)  # mean ranks of ties end in .0 or .5
    p = np.zeros(int(doubled.sum()) + 1)
    p[0] = 1.0
    for r in doubled:
        shifted = np.zeros_like(p)
        shifted[r:] = p[: len(p) - r]
        p = (p + shifted) / 2
    return p


def exact_pvalue(ranks: np.ndarray, plus: float, alternative: str) -> float:
    """Exact p-value of the signed-rank test, conditional on the ranks and so right with ties.

    Parameters
    ----------
    ranks : ndarray of shape (n,)
        Ranks of the absolute differences, none of them zero.
    plus : float
        Rank sum of the positive differences.
    alternative : {"two-sided", "less", "greater"}

    Returns
    -------
    float
    """
    p = sum_distribution(ranks)
    at = round(2 * plus)
    below, above = float(p[: at + 1].sum()), float(p[at:].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(below, above))
    return min(1.0, below if alternative == "less" else above)


def normal_pvalue(
    ranks: np.ndarray, plus: float, alternative: str, *, correction: bool = False
) -> float:
    """P-value by the normal approximation, with the variance Σr²/4 of the ranks there are.

    Parameters
    ----------
    ranks, plus, alternative
        As for `exact_pvalue`.
    correction : bool
        Continuity correction of one half.

    Returns
    -------
    float
    """
    excess = plus - float(ranks.sum()) / 2
    side = {"greater": 1.0, "less": -1.0}.get(alternative, float(np.sign(excess)))
    z = (excess - 0.5 * side * correction) / (math.sqrt(float(ranks @ ranks)) / 2)
    if alternative == "two-sided":
        return float(2 * stats.norm.sf(abs(z)))
    return float(stats.norm.sf(side * z))
