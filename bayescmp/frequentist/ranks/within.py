"""Scores within blocks: the one mechanism behind Friedman, aligned ranks and Quade.

Each block b (data set) gives algorithm j a score a_bj that depends on the data; under the null
hypothesis the k scores of a block are exchangeable among the algorithms. Given the scores, the
totals T_j = Σ_b (a_bj - ā_b) then have mean zero and

    Cov(T) = V·(I - 11'/k),     V = Σ_b s_b²,     s_b² = Σ_j (a_bj - ā_b)²/(k-1),

whatever the ties, so that ΣT²/V has mean k - 1 and is about χ² with k - 1 degrees of freedom, and
Var(T_i - T_j) = 2V. Only the scores differ between the tests.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescmp.errors import InputError
from bayescmp.frequentist.ranks.table import Table

__all__ = ["KINDS", "BlockScores", "block_scores", "rank_rows"]

#: Two values this near, relative to their size, differ by rounding (of a mean of many folds).
ROUNDING = 64 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class BlockScores:
    """Within-block scores of a rank test.

    Attributes
    ----------
    kind : str
        "friedman", "aligned" or "quade".
    a : ndarray of shape (n, k)
        The scores; low is good.
    centres : ndarray of shape (k,)
        What papers report for each algorithm: mean rank, mean aligned rank, weighted mean rank.
    divisor : float
        centres_i - centres_j = (T_i - T_j)/divisor.
    printed_scale : float
        V by the printed formula of the test, which knows no ties.
    printed_error : float
        Standard error of a difference of two centres as papers print it (for aligned ranks: as
        they compute it).
    ties : bool
        Whether any two scores of a block are tied.
    """

    kind: str
    a: np.ndarray
    centres: np.ndarray
    divisor: float
    printed_scale: float
    printed_error: float
    ties: bool

    @property
    def totals(self) -> np.ndarray:
        """T_j, shape (k,)."""
        return np.asarray((self.a - self.a.mean(axis=1, keepdims=True)).sum(axis=0))

    @property
    def scale(self) -> float:
        """V, from the scores themselves: right with and without ties."""
        deviation = self.a - self.a.mean(axis=1, keepdims=True)
        return float(np.sum(deviation**2) / (self.a.shape[1] - 1))

    @property
    def standard_error(self) -> float:
        """Of a difference of two centres, under permutation within blocks."""
        return float(np.sqrt(2 * self.scale) / self.divisor)


def block_scores(kind: str, table: Table, tie_tolerance: float | None = None) -> BlockScores:
    """The scores of one test.

    Parameters
    ----------
    kind : str
        "friedman", "aligned" or "quade".
    table : Table
    tie_tolerance : float, optional
        Values at most this far apart are tied, in units of the metric. Without it, values that
        differ by no more than rounding error are; 0 compares floating-point numbers as they are.

    Returns
    -------
    BlockScores

    Raises
    ------
    InputError
        If all scores are tied within every data set.
    """
    if tie_tolerance is not None and not tie_tolerance >= 0:
        raise InputError(f"tie_tolerance={tie_tolerance!r}; accepted: None, or a number >= 0")
    made = KINDS[kind](table.oriented, tie_tolerance)
    if not made.scale > 0:
        raise InputError(
            "all algorithms have the same score on every data set: there is nothing to rank"
        )
    return made


def _friedman(x: np.ndarray, tolerance: float | None) -> BlockScores:
    n, k = x.shape
    ranks = rank_rows(-x, _within(x, tolerance))
    return BlockScores(
        kind="friedman",
        a=ranks,
        centres=ranks.mean(axis=0),
        divisor=n,
        printed_scale=n * k * (k + 1) / 12,
        printed_error=float(np.sqrt(k * (k + 1) / (6 * n))),
        ties=_tied(ranks),
    )


def _aligned(x: np.ndarray, tolerance: float | None) -> BlockScores:
    """Hodges & Lehmann 1962: one ranking of all that exceeds its own block's mean."""
    n, k = x.shape
    aligned = x - x.mean(axis=1, keepdims=True)
    rounding = np.broadcast_to(ROUNDING * np.abs(x).max(axis=1, keepdims=True), x.shape)
    spread = rounding if tolerance is None else np.full(x.shape, tolerance)
    ranks = rank_rows(-aligned.reshape(1, -1), spread.reshape(1, -1)).reshape(n, k)
    squares = k * n * (k * n + 1) * (2 * k * n + 1) / 6
    return BlockScores(
        kind="aligned",
        a=ranks,
        centres=ranks.mean(axis=0),
        divisor=n,
        printed_scale=(squares - float(np.sum(ranks.sum(axis=1) ** 2)) / k) / (k - 1),
        printed_error=float(np.sqrt(k * (k * n + 1) / 6)),
        ties=_tied(ranks.reshape(1, -1)),
    )


def _quade(x: np.ndarray, tolerance: float | None) -> BlockScores:
    """Quade 1979: ranks weighted by the rank of their block's range."""
    n, k = x.shape
    ranks = rank_rows(-x, _within(x, tolerance))
    rounding = ROUNDING * np.abs(x).max(axis=1)
    spread = rounding if tolerance is None else np.full(n, tolerance)
    weights = rank_rows(np.ptp(x, axis=1)[None, :], spread[None, :])[0]
    whole = n * (n + 1) / 2
    return BlockScores(
        kind="quade",
        a=weights[:, None] * (ranks - (k + 1) / 2),
        centres=weights @ ranks / whole,
        divisor=whole,
        printed_scale=n * (n + 1) * (2 * n + 1) / 6 * k * (k + 1) / 12,
        printed_error=float(np.sqrt(k * (k + 1) * (2 * n + 1) * (k - 1) / (18 * n * (n + 1)))),
        ties=_tied(ranks) or _tied(weights[None, :]),
    )


#: How each test scores a block.
KINDS = {"friedman": _friedman, "aligned": _aligned, "quade": _quade}


def _within(x: np.ndarray, tolerance: float | None) -> np.ndarray:
    return ROUNDING * np.abs(x) if tolerance is None else np.full(x.shape, tolerance)


def _tied(ranks: np.ndarray) -> bool:
    ordered = np.sort(ranks, axis=1)
    return bool(np.any(ordered[:, 1:] == ordered[:, :-1]))


def rank_rows(x: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """Ranks along each row, from 1 for the smallest; ties share their mean rank.

    Parameters
    ----------
    x : ndarray of shape (n, k)
    tolerance : ndarray of shape (n, k)
        Neighbours in sorted order are tied if they are no further apart than the larger of
        their tolerances.

    Returns
    -------
    ndarray of shape (n, k)
    """
    n, k = x.shape
    order = np.argsort(x, axis=1, kind="stable")
    gap = np.diff(np.take_along_axis(x, order, axis=1), axis=1)
    allowed = np.take_along_axis(tolerance, order, axis=1)
    distinct = gap > np.maximum(allowed[:, 1:], allowed[:, :-1])
    place = np.arange(k)
    edge = np.ones((n, 1), dtype=bool)
    begins, ends = np.hstack([edge, distinct]), np.hstack([distinct, edge])
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, k - 1)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty((n, k))
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks
