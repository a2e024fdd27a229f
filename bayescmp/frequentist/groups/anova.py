"""Several algorithms on one data set: ANOVA with and without blocks, Tukey, pairwise t tests."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from bayescmp.errors import InputError
from bayescmp.frequentist.pairs.adjust import adjust as adjust_p
from bayescmp.frequentist.pairs.adjust import canonical
from bayescmp.frequentist.pairs.result import PosthocResult, pairs_of
from bayescmp.frequentist.pairs.studentized import studentized_range_sf
from bayescmp.frequentist.ranks.table import Groups, as_groups, index_of
from bayescmp.frequentist.results import AnovaTable

__all__ = ["anova", "pairwise_t", "tukey"]

#: Residuals this small, relative to the scores, are rounding.
ROUNDING = 64 * np.finfo(float).eps


def anova(
    x: Any,
    *,
    block: bool = True,
    rho: float = 0.0,
    names: Iterable[str] | None = None,
) -> AnovaTable:
    """Analysis of variance of L algorithms on one data set.

    Parameters
    ----------
    x : array_like of shape (L, n), or DataFrame with one row an algorithm
        Scores, one column a fold. Without blocks also L vectors of differing length.
    block : bool
        Whether columns are blocks: the same folds for all algorithms. The block effect is then
        taken out of the error (randomised complete block design).
    rho : float
        Correlation between folds that comes from their overlapping training sets (1/folds; see
        `corrected_t`). The variance of a mean is then (1/n + ρ/(1-ρ))·MS_E instead of MS_E/n, and
        F is divided accordingly. 0 is the textbook table.
    names : iterable of str, optional
        The algorithms, if x has no labels.

    Returns
    -------
    AnovaTable
        ``statistic``, ``pvalue`` and ``df`` are those of the algorithms. Where there is no error
        left, p is 0, or 1 if the algorithms don't differ either.

    Raises
    ------
    InputError
        Fewer than 2 algorithms or 2 scores each, missing or infinite scores, rows of differing
        length with blocks, rho outside [0, 1).

    References
    ----------
    Montgomery 2012, ch. 3 and 4; Aslan 2009, eq. 4.15-4.27 and 4.51-4.55; for rho Nadeau & Bengio
    2003, with two algorithms F is the square of their t.
    """
    groups = as_groups(x, block=block, names=names, lower_is_better=False, test="anova")
    inflation = _inflation(_check_rho(rho), groups)
    df, squares = _sums_of_squares(groups, block)
    sources = ("algorithm", *(("block",) if block else ()), "error", "total")
    mean_squares = squares[:-1] / df[:-1]
    error = mean_squares[-1]
    f, pvalues = np.full(len(sources), np.nan), np.full(len(sources), np.nan)
    for i in range(len(sources) - 2):
        # Only means over folds are touched by the folds' correlation, not those over algorithms.
        f[i] = _f_ratio(mean_squares[i], error * (inflation if i == 0 else 1.0))
        pvalues[i] = stats.f.sf(f[i], df[i], df[-2]) if mean_squares[i] > 0 else 1.0
    design = "randomised complete blocks" if block else "one-way"
    return AnovaTable(
        method=f"ANOVA, {design}" + (f", corrected for rho = {rho:.4g}" if rho else ""),
        sources=sources,
        degrees=df,
        sum_squares=squares,
        mean_squares=np.append(mean_squares, np.nan),
        f=f,
        pvalues=pvalues,
        means=np.array([row.mean() for row in groups.rows]),
        names=groups.names,
        rho=float(rho),
    )


def tukey(
    x: Any,
    *,
    block: bool = True,
    rho: float = 0.0,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Tukey's test of all pairs, with the error of the model used.

    Parameters
    ----------
    x, block, rho, names
        As for `anova`. Rows of differing length (without blocks) give the Tukey-Kramer test.
    lower_is_better : bool
        Whether lower scores are better; differences are then flipped, so that positive says that
        the second is better.

    Returns
    -------
    PosthocResult
        The statistic is the studentized range q; ``pvalue`` and ``adjusted`` are the same, as
        the test adjusts by itself. ``confidence_interval()`` gives simultaneous intervals.

    Raises
    ------
    InputError
        As for `anova`.

    References
    ----------
    Tukey 1953; Montgomery 2012, sec. 3.5; Aslan 2009, eq. 4.30-4.32; R's ``TukeyHSD``.
    """
    groups = as_groups(x, block=block, names=names, lower_is_better=lower_is_better, test="tukey")
    rho = _check_rho(rho)
    df, squares = _sums_of_squares(groups, block)
    freedom, mean_square = float(df[-2]), float(squares[-2] / df[-2])
    pairs = pairs_of(len(groups.rows))
    means = np.array([row.mean() for row in groups.rows])
    sizes = np.array([len(row) for row in groups.rows])
    share = 1 / sizes + rho / (1 - rho)
    error = np.sqrt(mean_square * (share[pairs[:, 0]] + share[pairs[:, 1]]))
    difference = means[pairs[:, 1]] - means[pairs[:, 0]]
    q = _studentized(difference, error) * math.sqrt(2)
    p = _range_sf(np.abs(q), len(means), freedom)
    return PosthocResult(
        method="Tukey test, " + ("blocked" if block else "one-way"),
        adjust="tukey",
        names=groups.names,
        pairs=pairs,
        difference=difference,
        statistic=q,
        pvalue=p,
        adjusted=p.copy(),
        centres=groups.sign * means,
        measure="mean",
        low_is_best=lower_is_better,
        standard_error=error,
        n=int(sizes.max()),
        symbol="q",
        notes=(f"error mean square {mean_square:.5g} with {freedom:g} d.o.f.",),
        margin=partial(_tukey_margin, error=error, k=len(means), df=freedom),
        intervals=True,
    )


def pairwise_t(
    x: Any,
    *,
    adjust: str = "holm",
    control: Any = None,
    rho: float = 0.0,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Paired t tests of all pairs of algorithms on one data set, adjusted.

    Each pair has its own variance, where `tukey` pools that of all algorithms.

    Parameters
    ----------
    x : array_like of shape (L, n), or DataFrame with one row an algorithm
        Scores, one column a fold.
    adjust : str
        One of the procedures of `adjust`.
    control : str or int, optional
        Compare with this algorithm only.
    rho : float
        Correlation between folds: 0 is the plain paired t test, 1/folds the corrected one.
    lower_is_better, names
        As for `tukey`.

    Returns
    -------
    PosthocResult

    Raises
    ------
    InputError
        As for `anova`; unknown adjustment or control.

    References
    ----------
    Aslan 2009, sec. 6.1 (with Bonferroni); Nadeau & Bengio 2003 (rho).
    """
    groups = as_groups(
        x, block=True, names=names, lower_is_better=lower_is_better, test="pairwise_t"
    )
    rho, method = _check_rho(rho), canonical(adjust)
    at = None if control is None else index_of(control, groups.names)
    scores = groups.matrix
    n = scores.shape[1]
    pairs = pairs_of(len(scores), at)
    delta = scores[pairs[:, 1]] - scores[pairs[:, 0]]
    variance = np.where(np.ptp(delta, axis=1) == 0, 0.0, delta.var(axis=1, ddof=1))
    error = np.sqrt((1 / n + rho / (1 - rho)) * variance)
    difference = delta.mean(axis=1)
    t = _studentized(difference, error)
    raw = np.where((difference == 0) & (error == 0), 1.0, 2 * stats.t.sf(np.abs(t), n - 1))
    tests = {"none": 1, "bonferroni": len(pairs)}.get(method)
    return PosthocResult(
        method="Pairwise " + ("corrected t tests" if rho else "paired t tests"),
        adjust=method,
        names=groups.names,
        pairs=pairs,
        difference=difference,
        statistic=t,
        pvalue=raw,
        adjusted=adjust_p(raw, method),
        centres=groups.sign * scores.mean(axis=1),
        measure="mean",
        low_is_best=lower_is_better,
        control=None if at is None else groups.names[at],
        standard_error=error,
        n=n,
        symbol="t",
        notes=(f"rho = {rho:.4g}",) if rho else (),
        margin=partial(_t_margin, error=error, df=n - 1, tests=tests) if tests else None,
        intervals=tests is not None,
    )


# -- helpers -----------------------------------------------------------------------------------


def _sums_of_squares(groups: Groups, block: bool) -> tuple[np.ndarray, np.ndarray]:
    """Degrees of freedom and sums of squares: algorithm, (block,) error, total.

    Each is summed from its own deviations, never as a difference of sums, which would lose all
    digits where the error is small.
    """
    rows = groups.rows
    count, L = sum(map(len, rows)), len(rows)
    grand = sum(float(row.sum()) for row in rows) / count
    means = np.array([row.mean() for row in rows])
    effect = float(sum(len(row) * (m - grand) ** 2 for row, m in zip(rows, means, strict=True)))
    residuals = [row - m for row, m in zip(rows, means, strict=True)]
    df, squares = [L - 1], [effect]
    if block:
        n = len(rows[0])
        shift = np.mean(rows, axis=0) - grand
        residuals = [r - shift for r in residuals]
        df.append(n - 1)
        squares.append(float(L * np.sum(shift**2)))
    largest = max(float(np.abs(row).max()) for row in rows)
    kept = [np.where(np.abs(r) > ROUNDING * largest, r, 0.0) for r in residuals]
    squares.append(float(sum(np.sum(r**2) for r in kept)))
    df.append(count - 1 - sum(df))
    if np.all(np.abs(means - grand) <= ROUNDING * largest):
        squares[0] = 0.0
    return np.array([*df, count - 1], dtype=float), np.array([*squares, sum(squares)])


def _f_ratio(above: float, below: float) -> float:
    if below > 0:
        return float(above / below)
    return math.inf if above > 0 else 0.0


def _studentized(difference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Differences over their errors: 0 where nothing differs, infinite where nothing varies."""
    infinite = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    return np.divide(difference, error, out=infinite, where=error > 0)


def _range_sf(q: np.ndarray, k: int, df: float) -> np.ndarray:
    """Upper tail of the studentized range; 0 at infinity."""
    p = np.zeros(len(q))
    finite = np.isfinite(q)
    p[finite] = studentized_range_sf(q[finite], k, df)
    return p


def _tukey_margin(alpha: float, error: np.ndarray, k: int, df: float) -> np.ndarray:
    quantile = float(stats.studentized_range.isf(alpha, k, df))
    return quantile / math.sqrt(2) * np.asarray(error)


def _t_margin(alpha: float, error: np.ndarray, df: float, tests: int) -> np.ndarray:
    return float(stats.t.isf(alpha / (2 * tests), df)) * np.asarray(error)


def _check_rho(rho: float) -> float:
    if not 0 <= rho < 1:
        raise InputError(f"rho={rho!r}; accepted: from 0 to under 1")
    return float(rho)


def _inflation(rho: float, groups: Groups) -> float:
    """Variance of a mean over folds relative to independent ones, n(1/n + ρ/(1-ρ))."""
    sizes = {len(row) for row in groups.rows}
    if rho and len(sizes) > 1:
        raise InputError("rho is for rows of one length; x has rows of differing length")
    return 1 + max(sizes) * rho / (1 - rho)
