"""Skillings and Mack's rank test, for results that are missing without a design."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.errors import InputError
from bayescmp.frequentist.ranks.table import Table, as_table
from bayescmp.frequentist.ranks.within import ROUNDING, rank_rows
from bayescmp.frequentist.results import TestResult
from bayescmp.text import counted

__all__ = ["skillings_mack", "weighted_totals"]


def skillings_mack(
    scores: ArrayLike, *, lower_is_better: bool = False, tie_tolerance: float | None = None
) -> TestResult:
    """Test that all algorithms perform alike, where some were not run on some data sets.

    Scores are ranked among those there are on a data set, and each data set is weighted by
    √(12/(k_b+1)) for its k_b scores. Scores have to be missing for reasons unrelated to their
    values, which is not so for an algorithm that ran out of time on the hard data sets.

    Parameters
    ----------
    scores : array_like of shape (q, L) or DataFrame
        NaN where there is no score. Data sets with fewer than 2 scores carry no information and
        are left out; ``n`` and the notes count what was used.
    lower_is_better : bool
        Whether rank 1 goes to the lowest score.
    tie_tolerance : float, optional
        As for `friedman`.

    Returns
    -------
    TestResult
        χ² with L - 1 degrees of freedom; ``estimate`` holds the mean ranks among those run.
        Without missing scores it is Friedman's test, with its correction for ties.

    Raises
    ------
    InputError
        Fewer than 3 algorithms or 2 usable data sets, infinite scores, all tied, or algorithms
        that fall into groups never run on a common data set.

    See Also
    --------
    friedman : For complete tables.

    Notes
    -----
    Where there are no ties the covariance is Skillings and Mack's; with ties it is that of the
    ranks there are, under permutation within data sets.

    References
    ----------
    Skillings & Mack 1981, Technometrics 23, 171-177.

    Examples
    --------
    Times to assemble, nine persons and four methods (Skillings & Mack 1981, table 1):

    >>> from math import nan
    >>> from bayescmp.frequentist import skillings_mack
    >>> times = [
    ...     [3.2, 4.1, 3.8, 4.2], [3.1, 3.9, 3.4, 4.0], [4.3, 3.5, 4.6, 4.8], [3.5, 3.6, 3.9, 4.0],
    ...     [3.6, 4.2, 3.7, 3.9], [4.5, 4.7, 3.7, nan], [nan, 4.2, 3.4, nan], [4.3, 4.6, 4.4, 4.9],
    ...     [3.5, nan, 3.7, 3.9],
    ... ]
    >>> print(skillings_mack(times, lower_is_better=True))
    Skillings-Mack test
      χ² = 15.493, df = 3, n = 9, p = 0.00144
      mean ranks: A1 1.250, A3 2.000, A2 2.625, A4 3.714
      4 of 36 scores missing
    """
    table = as_table(scores, test="skillings_mack", lower_is_better=lower_is_better, missing=True)
    used = np.isfinite(table.values).sum(axis=1) >= 2
    _check_usable(table, used)
    x = table.oriented[used]
    totals, covariance, ranks = weighted_totals(x, tie_tolerance)
    if not np.any(covariance):
        raise InputError("all algorithms tie on every data set: there is nothing to rank")
    # 1 spans the null space, so that the inverse on its complement is all that is needed.
    inverse = np.linalg.pinv(covariance, hermitian=True, rcond=1e-10)
    statistic = float(totals @ inverse @ totals)
    df = float(np.linalg.matrix_rank(covariance, hermitian=True, tol=1e-10 * covariance.max()))
    return TestResult(
        method="Skillings-Mack test",
        statistic=statistic,
        pvalue=float(stats.chi2.sf(statistic, df)),
        df=df,
        estimate=np.asarray(np.nanmean(ranks, axis=0)),
        names=table.algorithms,
        n=int(used.sum()),
        symbol="χ²",
        notes=_notes(table, used),
        directions=table.directions,
    )


def weighted_totals(
    x: np.ndarray, tie_tolerance: float | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weighted sums of centred ranks, their permutation covariance, and the ranks.

    Parameters
    ----------
    x : ndarray of shape (q, L)
        Higher is better; NaN where there is no score.
    tie_tolerance : float or None
        As for `friedman`.

    Returns
    -------
    totals, covariance, ranks : ndarray of shape (L,), (L, L), (q, L)
    """
    k = x.shape[1]
    totals, covariance = np.zeros(k), np.zeros((k, k))
    ranks = np.full(x.shape, np.nan)
    for row, into in zip(x, ranks, strict=True):
        seen = np.flatnonzero(np.isfinite(row))
        size = len(seen)
        values = row[seen][None, :]
        near = ROUNDING * np.abs(values)
        if tie_tolerance is not None:
            near = np.full(values.shape, tie_tolerance)
        into[seen] = rank_rows(-values, near)[0]
        weighted = np.sqrt(12 / (size + 1)) * (into[seen] - (size + 1) / 2)
        totals[seen] += weighted
        variance = np.sum(weighted**2) / (size - 1)
        covariance[np.ix_(seen, seen)] += variance * (np.eye(size) - 1 / size)
    return totals, covariance, ranks


def _check_usable(table: Table, used: np.ndarray) -> None:
    if used.sum() < 2:
        raise InputError(
            f"scores has {int(used.sum())} data sets with at least 2 scores; skillings_mack "
            "needs at least 2"
        )
    seen = np.isfinite(table.values[used])
    reached = np.zeros(seen.shape[1], dtype=bool)
    reached[0] = True
    while True:  # algorithms met on a data set with one already reached
        grown = reached | seen[seen[:, reached].any(axis=1)].any(axis=0)
        if np.array_equal(grown, reached):
            break
        reached = grown
    if not reached.all():
        alone = table.algorithms[int(np.flatnonzero(~reached)[0])]
        raise InputError(
            f"scores never has {table.algorithms[0]!r} and {alone!r} on a common data set, nor "
            "linked through other algorithms: they can't be compared"
        )


def _notes(table: Table, used: np.ndarray) -> tuple[str, ...]:
    missing = int(np.isnan(table.values).sum())
    notes = [f"{missing} of {table.values.size} scores missing"]
    if not used.all():
        gone = counted(int((~used).sum()), "data set")
        notes.append(f"{gone} with fewer than 2 scores left out")
    return tuple(notes)
