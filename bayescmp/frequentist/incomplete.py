"""Rank tests of results that are missing, without a design or by a balanced one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.sparse.csgraph import connected_components

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import one_of, validate_params
from bayescmp.errors import InputError
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.multiplicity import find_procedure
from bayescmp.frequentist.ranks import (
    FEW_BLOCKS,
    RANKED,
    ScoreTable,
    as_table,
    few_note,
    rank_best,
)
from bayescmp.frequentist.results import PosthocResult, TestResult, index_of, pairs_of
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_count


# Skillings and Mack's rank test, for results that are missing without a design.
@validate_params(**RANKED)
def skillings_mack(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> TestResult:
    """Test that all algorithms perform alike, where some were not run on some data sets.

    Each data set's scores are ranked among themselves, and the data set is weighted by
    √(12/(k_b+1)) for its k_b scores. Scores have to be missing for reasons unrelated to their
    values, unlike those of an algorithm that ran out of time on the hard data sets.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        NaN where there is no score. Data sets with fewer than 2 scores carry no information and
        are left out; ``n`` and the notes count what was used.
    metric : str, optional
        Of `Scores`, which know its direction; may be left out where they have only one.
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
    Without ties the covariance is Skillings and Mack's; with ties it is that of the actual ranks
    under permutation within data sets.

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
    All algorithms: significant at 0.05 (p = 0.0014)             Skillings-Mack test
    <BLANKLINE>
    χ²     df  n       p
    15.49   3  9  0.0014
    <BLANKLINE>
    note: mean ranks: A1 1.250, A3 2.000, A2 2.625, A4 3.714
    note: 4 of 36 scores missing
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
        raise InputError(
            "scores of all algorithms tie on every data set: there is nothing to rank"
        )
    return totals, covariance, ranks


def _check_usable(table: ScoreTable, used: np.ndarray) -> None:
    if used.sum() < 2:
        raise InputError(
            f"scores has {int(used.sum())} data sets with at least 2 scores; skillings_mack "
            "needs at least 2"
        )
    seen = np.isfinite(table.values[used])
    # algorithms that meet on a data set are linked
    parts = connected_components(seen.T.astype(int) @ seen, directed=False)[1]
    if parts.any():
        alone = table.algorithms[int(np.argmax(parts > 0))]
        raise InputError(
            f"scores never has {table.algorithms[0]!r} and {alone!r} on a common data set, nor "
            "linked through other algorithms: they cannot be compared"
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


# Durbin's rank test of a balanced incomplete design, and its pairs.
@validate_params(**RANKED, form=one_of("chi2", "f"))
def durbin(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    form: str = "chi2",
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> TestResult:
    """Durbin's test that all algorithms perform alike, in a balanced incomplete design.

    For benchmarks where each data set can take only some of the algorithms, chosen beforehand so
    that every algorithm is run equally often and every pair meets equally often.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        NaN where an algorithm was not run.
    form : {"chi2", "f"}
        χ² with L - 1 degrees of freedom, or Conover's F form, an analysis of variance of the
        ranks, which is less conservative.
    metric, lower_is_better, tie_tolerance
        As for `friedman`.

    Returns
    -------
    TestResult
        ``estimate`` holds the mean ranks among those run.

    Raises
    ------
    InputError
        A design that is not balanced; otherwise as for `skillings_mack`.

    See Also
    --------
    pairwise_durbin : Which pairs differ.
    skillings_mack : Where results are missing without a design.
    friedman : For complete tables, where it is the same.

    References
    ----------
    Durbin 1951, Br. J. Psychol. 4; Conover 1999, sec. 5.9 (ties, F); PMCMRplus ``durbinTest``.

    Examples
    --------
    Seven tasters rank three of seven ice creams each (Conover 1999, sec. 5.9, example 1):

    >>> from math import nan
    >>> from bayescmp.frequentist import durbin
    >>> ranks = [
    ...     [2, 3, nan, 1, nan, nan, nan], [nan, 3, 1, nan, 2, nan, nan],
    ...     [nan, nan, 2, 1, nan, 3, nan], [nan, nan, nan, 1, 2, nan, 3],
    ...     [3, nan, nan, nan, 1, 2, nan], [nan, 3, nan, nan, nan, 1, 2],
    ...     [3, nan, 1, nan, nan, nan, 2],
    ... ]
    >>> print(durbin(ranks, lower_is_better=True))
    All algorithms: not significant at 0.05 (p = 0.062)                  Durbin test
    <BLANKLINE>
    χ²  df  n      p
    12   6  7  0.062
    <BLANKLINE>
    note: mean ranks: A4 1.000, A3 1.333, A5 1.667, A6 2.000, A7 2.333, A1 2.667, A2
      3.000
    note: a data set has 3 of 7 algorithms, a pair meets 1 time
    note: approximate p-value, from 7 data sets only
    """
    table = as_table(scores, "durbin", metric, lower_is_better, missing=True)
    ranked = _rank_balanced(table, tie_tolerance)
    t, statistic = ranked.algorithms, ranked.statistic
    df: float | tuple[float, float] = float(t - 1)
    if form == "f":
        df = (float(t - 1), float(ranked.df))
        between = statistic * ranked.variance / (t - 1)
        statistic = math.inf if ranked.left == 0 else between / (ranked.left / ranked.df)
    pvalue = stats.f.sf(statistic, *df) if isinstance(df, tuple) else stats.chi2.sf(statistic, df)
    return TestResult(
        method="Durbin test",
        statistic=float(statistic),
        pvalue=float(pvalue),
        df=df,
        estimate=ranked.means,
        names=table.algorithms,
        n=len(table.values),
        symbol="F" if form == "f" else "χ²",
        notes=(ranked.design, *_few(len(table.values))),
        directions=table.directions,
    )


@validate_params(**RANKED, variance=one_of("design", "published"))
def pairwise_durbin(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    adjust: str = "holm",
    control: str | int | None = None,
    variance: str = "design",
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> PosthocResult:
    """Test which algorithms differ in a balanced incomplete design, in pairs or from a control.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        As for `durbin`.
    adjust : str
        One of the procedures of `adjust`, without "nemenyi".
    control : str or int, optional
        The algorithm to compare with, by name or column; all pairs if not given.
    variance : {"design", "published"}
        Variance of the difference of two rank totals: "design" counts how often a pair meets,
        "published" is Conover's; see Notes.
    metric, lower_is_better, tie_tolerance
        As for `friedman`.

    Returns
    -------
    PosthocResult
        ``difference`` is the mean rank of the first minus that of the second.

    Raises
    ------
    InputError
        As for `durbin`; an unknown adjustment or control; data sets that leave no error.

    See Also
    --------
    durbin : Whether any differ.
    posthoc : For complete tables, where it is the same with ``distribution="t"``.
    bayescmp.bayesian.joint_t : The Bayesian model of all algorithms, which takes such tables.

    Notes
    -----
    The error is that of an analysis of variance of the ranks, with bk - b - t + 1 degrees of
    freedom for t algorithms, k of them on each of b data sets. Two rank totals of r data sets
    differ with the variance 2r·σ²·t(k-1)/(k(t-1)), by "design"; Conover (1999) has 2r·σ², as for
    complete tables, where k = t. With few algorithms on a data set Conover's is too large: at 5%,
    true null hypotheses are rejected in 3.1% of simulated pairs, and with "design" in 5.0% (7
    algorithms, 3 on each of 14 data sets).

    References
    ----------
    Conover & Iman 1979; Conover 1999, sec. 5.9; PMCMRplus ``durbinAllPairsTest`` ("published");
    Cochran & Cox 1957, sec. 11.5 (the variance within blocks).

    Examples
    --------
    Seven tasters rank three of seven ice creams each (Conover 1999, sec. 5.9, example 1):

    >>> from math import nan
    >>> from bayescmp.frequentist import pairwise_durbin
    >>> ranks = [
    ...     [2, 3, nan, 1, nan, nan, nan], [nan, 3, 1, nan, 2, nan, nan],
    ...     [nan, nan, 2, 1, nan, 3, nan], [nan, nan, nan, 1, 2, nan, 3],
    ...     [3, nan, nan, nan, 1, 2, nan], [nan, 3, nan, nan, nan, 1, 2],
    ...     [3, nan, 1, nan, nan, nan, 2],
    ... ]
    >>> result = pairwise_durbin(ranks, control=3, lower_is_better=True)
    >>> result.frame.set_index("second")["adjusted"].round(4).to_dict()
    {'A1': 0.0085, 'A2': 0.0032, 'A3': 0.3816, 'A5': 0.2024, 'A6': 0.0721, 'A7': 0.0241}
    """
    method = find_procedure(adjust)
    if method == "nemenyi":
        accepted = "'holm', 'shaffer', or another method"
        raise must_be("adjust", accepted, adjust, "This method needs normal ranks.")
    table = as_table(
        scores,
        "pairwise_durbin",
        metric,
        lower_is_better,
        missing=True,
    )
    ranked = _rank_balanced(table, tie_tolerance)
    at = None if control is None else index_of(control, table.algorithms)
    pairs = pairs_of(ranked.algorithms, at)
    error = ranked.error(published=variance == "published")
    difference = ranked.means[pairs[:, 0]] - ranked.means[pairs[:, 1]]
    raw = 2 * stats.t.sf(np.abs(difference) / error, ranked.df)
    return PosthocResult(
        method="Durbin post-hoc test",
        adjust=method,
        names=table.algorithms,
        pairs=pairs,
        difference=difference,
        statistic=difference / error,
        pvalue=raw,
        adjusted=adjust_p(raw, method),
        centres=ranked.means,
        control=None if control is None else table.algorithms[pairs[0, 0]],
        standard_error=error,
        n=len(table.values),
        symbol="t",
        notes=(ranked.design, f"df = {ranked.df}", *_few(len(table.values))),
    ).of(table)


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Ranks of a balanced design, and how their variance divides.

    `means`, shape (L,), are among the algorithms run, `statistic` is Durbin's, and `variance` that
    of the ranks within data sets, on their degrees of freedom; `left` is the sum of squares that
    the algorithms do not explain. `each` counts the algorithms on a data set, `runs` the data sets
    of an algorithm, `meetings` the data sets that two algorithms share.
    """

    means: np.ndarray
    statistic: float
    variance: float
    left: float
    datasets: int
    algorithms: int
    each: int
    runs: int
    meetings: int

    @property
    def df(self) -> int:
        """Degrees of freedom of what is left."""
        return self.datasets * (self.each - 1) - self.algorithms + 1

    @property
    def design(self) -> str:
        """The design in words."""
        meets = format_count(self.meetings, "time")
        return f"a data set has {self.each} of {self.algorithms} algorithms, a pair meets {meets}"

    def error(self, *, published: bool) -> float:
        """Return the standard error of the difference of two mean ranks."""
        if self.left == 0 or self.df < 1:
            raise InputError(
                "scores leave no error to compare pairs with: too few data sets, or all rank alike"
            )
        t, k = self.algorithms, self.each
        share = 1.0 if published else t * (k - 1) / (k * (t - 1))
        return math.sqrt(2 / self.runs * share * self.left / self.df)


def _rank_balanced(table: ScoreTable, tie_tolerance: float | None) -> _Ranked:
    """Rank within the data sets of a balanced design."""
    each, runs, meetings = _design(table)
    b, t = table.values.shape
    _, _, ranks = weighted_totals(table.oriented, tie_tolerance)
    centred = ranks - (each + 1) / 2
    within = float(np.nansum(centred**2))
    squares = float(np.sum(np.nansum(centred, axis=0) ** 2))
    left = within - each * squares / (meetings * t)
    return _Ranked(
        means=np.asarray(np.nanmean(ranks, axis=0)),
        statistic=(t - 1) * squares / within,
        variance=within / (b * (each - 1)),
        left=left if left > 1e-12 * within else 0.0,
        datasets=b,
        algorithms=t,
        each=each,
        runs=runs,
        meetings=meetings,
    )


def _design(table: ScoreTable) -> tuple[int, int, int]:
    """Return algorithms on a data set, data sets of an algorithm, and meetings of a pair."""
    run = np.isfinite(table.values).astype(int)
    rows, columns = np.unique(run.sum(axis=1)), np.unique(run.sum(axis=0))
    pairs = run.T @ run
    meetings = np.unique(pairs[~np.eye(len(pairs), dtype=bool)])
    if len(rows) > 1 or len(columns) > 1 or len(meetings) > 1:
        raise InputError(
            "scores is not a balanced incomplete design: data sets have "
            f"{rows.min()} to {rows.max()} algorithms, algorithms {columns.min()} to "
            f"{columns.max()} data sets, and pairs meet {meetings.min()} to {meetings.max()} "
            "times; use skillings_mack(scores)"
        )
    if rows[0] < 2:
        raise InputError(
            "scores has only one algorithm on each data set: there is nothing to rank"
        )
    return int(rows[0]), int(columns[0]), int(meetings[0])
