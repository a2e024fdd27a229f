"""The rank test of Skillings and Mack, for results that are missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.sparse.csgraph import connected_components

from bayescmp.base.arguments import must
from bayescmp.base.checks import COLUMNS, one_array, validate_params
from bayescmp.frequentist.ranks import (
    FEW_BLOCKS,
    RANKED,
    ScoreTable,
    as_table,
    few_note,
    rank_best,
)
from bayescmp.frequentist.results import TestResult
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_count


# Skillings and Mack's rank test, for results that are missing without a design.
@one_array(COLUMNS)
@validate_params(**RANKED)
def skillings_mack(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> TestResult:
    """Test that all algorithms perform alike, even if some were not run on some data sets.

    Data sets are ranked separately, and weighted by √(12/(k_b+1)) for k_b scores. Scores have to
    be missing for reasons unrelated to their values, unlike those of an algorithm that ran out of
    time.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        NaN for missing scores. Data sets with fewer than 2 scores are left out; the notes count
        them.
    metric : str, optional
        Of several in `Scores`.
    lower_is_better : bool
        Whether rank 1 goes to the lowest score; `Scores` know it.
    tie_tolerance : float, optional
        As for `friedman`.

    Returns
    -------
    TestResult
        χ² with L - 1 degrees of freedom, by the covariance of the actual ranks under permutation
        (without ties Skillings and Mack's); ``estimate`` holds the mean ranks among those run.
        Without missing scores it is Friedman's test, corrected for ties.

    Raises
    ------
    InputError
        Fewer than 3 algorithms or 2 usable data sets, infinite scores, all tied, or algorithms
        that fall into groups never run on a common data set.

    See Also
    --------
    friedman : For complete tables.

    References
    ----------
    Skillings & Mack 1981, Technometrics 23, 171-177.

    Examples
    --------
    >>> from math import nan
    >>> from bayescmp.frequentist import skillings_mack
    >>> times = [
    ...     [3.2, 4.1, 3.8, 4.2], [3.1, 3.9, 3.4, 4.0], [4.3, 3.5, 4.6, 4.8], [3.5, 3.6, 3.9, 4.0],
    ...     [3.6, 4.2, 3.7, 3.9], [4.5, 4.7, 3.7, nan], [nan, 4.2, 3.4, nan], [4.3, 4.6, 4.4, 4.9],
    ...     [3.5, nan, 3.7, 3.9],
    ... ]
    >>> round(skillings_mack(times, lower_is_better=True).pvalue, 4)
    0.0014
    """
    table = as_table(scores, "skillings_mack", metric, lower_is_better, missing=True)
    used = np.isfinite(table.values).sum(axis=1) >= 2
    _check_usable(table, used)
    x = table.oriented[used]
    totals, covariance, ranks = weighted_totals(x, tie_tolerance)
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
    """Return weighted sums of centred ranks, their permutation covariance, and the ranks."""
    k = x.shape[1]
    totals, covariance = np.zeros(k), np.zeros((k, k))
    ranks = np.full(x.shape, np.nan)
    for row, into in zip(x, ranks, strict=True):
        seen = np.flatnonzero(np.isfinite(row))
        size = len(seen)
        into[seen] = rank_best(row[None, seen], tie_tolerance)[0]
        weighted = np.sqrt(12 / (size + 1)) * (into[seen] - (size + 1) / 2)
        totals[seen] += weighted
        variance = np.sum(weighted**2) / (size - 1)
        covariance[np.ix_(seen, seen)] += variance * (np.eye(size) - 1 / size)
    if not np.any(covariance):
        raise must("scores", "differ between algorithms on a data set", "ties on every data set")
    return totals, covariance, ranks


def _check_usable(table: ScoreTable, used: np.ndarray) -> None:
    if used.sum() < 2:
        raise must(
            "scores",
            "have at least 2 data sets with at least 2 scores for skillings_mack",
            str(int(used.sum())),
        )
    seen = np.isfinite(table.values[used])
    # algorithms that meet on a data set are linked
    parts = connected_components(seen.T.astype(int) @ seen, directed=False)[1]
    if parts.any():
        alone = table.algorithms[int(np.argmax(parts > 0))]
        raise must(
            "scores",
            "link all algorithms by common data sets",
            f"no link between {table.algorithms[0]!r} and {alone!r}",
        )


def _notes(table: ScoreTable, used: np.ndarray) -> tuple[str, ...]:
    missing = int(np.isnan(table.values).sum())
    notes = [f"{missing} of {table.values.size} scores missing"]
    if not used.all():
        gone = format_count(int((~used).sum()), "data set")
        notes.append(f"{gone} with fewer than 2 scores left out")
    return (*notes, *_few(int(used.sum())))


def _few(n: int) -> tuple[str, ...]:
    return (few_note(n),) if n < FEW_BLOCKS else ()
