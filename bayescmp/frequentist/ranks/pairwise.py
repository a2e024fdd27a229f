"""Distributions of a difference of two rank totals: Conover's t, and the exact one."""

from __future__ import annotations

import math

import numpy as np

from bayescmp.errors import InputError
from bayescmp.frequentist.ranks.within import BlockScores

__all__ = ["conover", "difference_distribution", "exact_pvalues"]

#: Scores are multiples of 1/4: ranks, halved by ties, centred, and weighted.
UNITS = 4


def conover(blocks: BlockScores) -> tuple[float, int]:
    """Standard error of a difference of two centres by what the ranks leave unexplained.

    With Q = ΣT²/V it is that under permutation times √((n(k-1) - Q)/((n-1)(k-1))): the part of
    the variance within data sets that the algorithms don't explain, as the error mean square of an
    analysis of variance of the ranks.

    Parameters
    ----------
    blocks : BlockScores

    Returns
    -------
    (float, int)
        The error, and its degrees of freedom (n-1)(k-1).

    Raises
    ------
    InputError
        If all data sets rank the algorithms alike, which leaves no error.

    References
    ----------
    Conover & Iman 1979; Conover 1999, sec. 5.8, eq. 6 (Friedman) and eq. 10 (Quade).
    """
    n, k = blocks.a.shape
    q = float(np.sum(blocks.totals**2)) / blocks.scale
    left = (n * (k - 1) - q) / ((n - 1) * (k - 1))
    if left <= 1e-12:
        raise InputError(
            "distribution='t': all data sets rank the algorithms alike, which leaves no error to "
            "compare with; use distribution='exact'"
        )
    return blocks.standard_error * math.sqrt(left), (n - 1) * (k - 1)


def difference_distribution(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distribution of T_i - T_j over all permutations within blocks.

    In a block each ordered pair of different places is as likely as any other; blocks are
    independent, so that their distributions are convolved.

    Parameters
    ----------
    a : ndarray of shape (n, k)
        Within-block scores.

    Returns
    -------
    values, probabilities : ndarray
        Values are equally spaced.
    """
    units = np.rint(UNITS * (a - a.min(axis=1, keepdims=True))).astype(np.int64)
    step = max(int(np.gcd.reduce(units, axis=None)), 1)
    units //= step
    k = units.shape[1]
    reach = int(np.ptp(units, axis=1).sum())
    mass, edge = np.zeros(2 * reach + 1), 0
    mass[reach] = 1.0
    for row in units:
        gaps, counts = np.unique(row[:, None] - row, return_counts=True)
        counts = counts - np.where(gaps == 0, k, 0)  # not with itself
        new = np.zeros_like(mass)
        for gap, count in zip(gaps, counts / (k * (k - 1)), strict=True):
            here = slice(reach - edge, reach + edge + 1)
            new[reach - edge + gap : reach + edge + gap + 1] += count * mass[here]
        mass, edge = new, edge + int(gaps.max())
    return np.arange(-reach, reach + 1) * step / UNITS, mass


def exact_pvalues(blocks: BlockScores, pairs: np.ndarray) -> np.ndarray:
    """P(|T_i - T_j| ≥ the one observed) over all permutations within data sets.

    Without ties and for Friedman's ranks it is the distribution of Eisinga et al.; with ties, and
    for aligned and Quade's ranks, that of the scores there are.

    Parameters
    ----------
    blocks : BlockScores
    pairs : ndarray of int, shape (m, 2)

    Returns
    -------
    ndarray of shape (m,)

    References
    ----------
    Eisinga, Heskes, Pelzer & Te Grotenhuis 2017, BMC Bioinformatics 18:68.
    """
    values, mass = difference_distribution(blocks.a)
    middle = len(values) // 2
    tail = np.r_[1.0, 2 * np.cumsum(mass[:middle:-1])[::-1]]  # P(|D| ≥ 0), P(|D| ≥ 1 unit), ...
    gaps = np.abs(blocks.totals[pairs[:, 0]] - blocks.totals[pairs[:, 1]])
    places = np.rint(gaps / (values[1] - values[0])).astype(int)
    return np.asarray(np.minimum(tail[places], 1.0))
