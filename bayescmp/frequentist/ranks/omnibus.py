"""Rank tests over data sets: Friedman, Iman-Davenport, aligned ranks, Quade."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import checks
from bayescmp.frequentist.ranks.concordance import concordance
from bayescmp.frequentist.ranks.exact import exact_pvalue, permutation_pvalue
from bayescmp.frequentist.ranks.table import Table, as_table
from bayescmp.frequentist.ranks.within import BlockScores, block_scores
from bayescmp.frequentist.results import TestResult

__all__ = ["friedman", "friedman_aligned_ranks", "iman_davenport", "quade"]

#: How a p-value may be had.
METHODS = ("asymptotic", "exact", "permutation")


def friedman(
    scores: ArrayLike,
    *,
    lower_is_better: bool = False,
    tie_correction: bool = True,
    tie_tolerance: float | None = None,
    method: str = "asymptotic",
    resamples: int = 9999,
    seed: checks.Seed = None,
) -> TestResult:
    """Friedman's test that all algorithms perform alike over the data sets.

    Parameters
    ----------
    scores : array_like of shape (q, L) or DataFrame
        One row per data set, one column per algorithm; at least 2 and 3 of them.
    lower_is_better : bool
        Whether rank 1 goes to the lowest score, not the highest.
    tie_correction : bool
        Whether to use the variance of the actual ranks, as R's ``friedman.test`` does. Without it,
        the formula as printed in many papers, which is conservative with ties.
    tie_tolerance : float, optional
        Scores at most this far apart are tied. Without it those that differ by no more than
        rounding error are; 0 compares floating-point numbers as they are.
    method : {"asymptotic", "exact", "permutation"}
        χ² with L - 1 degrees of freedom; or the distribution over permutations within data sets,
        all of them (few data sets and algorithms) or ``resamples`` random ones.
    resamples : int
        Random permutations.
    seed : int or Generator, optional
        For method="permutation".

    Returns
    -------
    TestResult
        ``estimate`` holds the mean ranks.

    Raises
    ------
    InputError
        Fewer than 3 algorithms or 2 data sets, missing or infinite scores, all scores tied.

    See Also
    --------
    posthoc : Which algorithms differ.
    iman_davenport : Less conservative.
    bayescmp.bayesian.signed_rank : Compares a pair over the data sets, with a rope.

    References
    ----------
    Friedman 1937, JASA 32; Demšar 2006, JMLR 7, sec. 3.2.2; Conover 1999, sec. 5.8 (ties).

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import friedman
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(friedman(scores, method="exact"))
    Friedman test
      χ² = 1.1304, df = 2, n = 6, p = 0.642
      mean ranks: C4.5+m 1.750, C4.5+m+cf 1.917, C4.5 2.333
      ties, corrected for
      exact permutation p-value
    """
    blocks, table = _blocks("friedman", "friedman", scores, lower_is_better, tie_tolerance)
    q = _statistic(blocks, tie_correction)
    k = blocks.a.shape[1]
    pvalue, notes = _pvalue(blocks, float(stats.chi2.sf(q, k - 1)), method, resamples, seed)
    return _result("Friedman test", q, k - 1, pvalue, blocks, table, notes, "χ²", tie_correction)


def iman_davenport(
    scores: ArrayLike,
    *,
    lower_is_better: bool = False,
    tie_correction: bool = True,
    tie_tolerance: float | None = None,
    method: str = "asymptotic",
    resamples: int = 9999,
    seed: checks.Seed = None,
) -> TestResult:
    """Iman and Davenport's F form of Friedman's test, less conservative than χ².

    F = (n-1)χ²/(n(L-1) - χ²) with L - 1 and (L-1)(n-1) degrees of freedom, n data sets.

    Parameters
    ----------
    scores, lower_is_better, tie_correction, tie_tolerance, method, resamples, seed
        As for `friedman`.

    Returns
    -------
    TestResult
        F is infinite where all data sets rank the algorithms alike; the p-value is then that of
        the permutation distribution.

    Raises
    ------
    InputError
        As for `friedman`.

    See Also
    --------
    friedman : The χ² form.
    posthoc : Which algorithms differ.
    bayescmp.bayesian.signed_rank : Compares a pair over the data sets, with a rope.

    References
    ----------
    Iman & Davenport 1980, Commun. Stat. A9; Demšar 2006, sec. 3.2.2.

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import iman_davenport
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(iman_davenport(scores, method="exact"))
    Iman-Davenport test
      F = 0.52, df = 2 and 10, n = 6, p = 0.642
      mean ranks: C4.5+m 1.750, C4.5+m+cf 1.917, C4.5 2.333
      ties, corrected for
      exact permutation p-value
    """
    blocks, table = _blocks("friedman", "iman_davenport", scores, lower_is_better, tie_tolerance)
    f, df, pvalue = _f_test(blocks, tie_correction)
    pvalue, notes = _pvalue(blocks, pvalue, method, resamples, seed, exact=math.isinf(f))
    return _result("Iman-Davenport test", f, df, pvalue, blocks, table, notes, "F", tie_correction)


def friedman_aligned_ranks(
    scores: ArrayLike,
    *,
    lower_is_better: bool = False,
    tie_correction: bool = True,
    tie_tolerance: float | None = None,
    method: str = "asymptotic",
    resamples: int = 9999,
    seed: checks.Seed = None,
) -> TestResult:
    """Friedman's test on aligned ranks, which compares scores across data sets too.

    Each data set's mean is subtracted, and all the rest is ranked together, from 1 for the best to
    nL. T as printed by García et al. (2010), with the ranks' own variance.

    Parameters
    ----------
    scores, lower_is_better, tie_tolerance, method, resamples, seed
        As for `friedman`.
    tie_correction : bool
        Without it nL(nL+1)(2nL+1)/6 stands for the sum of squared ranks, as printed.

    Returns
    -------
    TestResult
        ``estimate`` holds the mean aligned ranks.

    Raises
    ------
    InputError
        As for `friedman`.

    See Also
    --------
    friedman : Ranks each data set by itself.
    bayescmp.bayesian.signed_rank : Compares a pair over the data sets, with a rope.

    Notes
    -----
    García et al. print T = 18.84 for their table; their formula gives 22.27, and no ranking with
    their rank totals could give less than 20.50.

    References
    ----------
    Hodges & Lehmann 1962, Ann. Math. Stat. 33; García et al. 2010, Inf. Sci. 180, sec. 4.1.

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import friedman_aligned_ranks
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(friedman_aligned_ranks(scores, method="exact"))
    Friedman aligned-ranks test
      T = 1.4573, df = 2, n = 6, p = 0.513
      mean ranks: C4.5+m+cf 7.917, C4.5+m 8.583, C4.5 12.000
      ties, corrected for
      exact permutation p-value
    """
    blocks, table = _blocks(
        "aligned", "friedman_aligned_ranks", scores, lower_is_better, tie_tolerance
    )
    t = _statistic(blocks, tie_correction)
    k = blocks.a.shape[1]
    pvalue, notes = _pvalue(blocks, float(stats.chi2.sf(t, k - 1)), method, resamples, seed)
    return _result(
        "Friedman aligned-ranks test", t, k - 1, pvalue, blocks, table, notes, "T", tie_correction
    )


def quade(
    scores: ArrayLike,
    *,
    lower_is_better: bool = False,
    tie_correction: bool = True,
    tie_tolerance: float | None = None,
    method: str = "asymptotic",
    resamples: int = 9999,
    seed: checks.Seed = None,
) -> TestResult:
    """Quade's test: Friedman's ranks, weighted by how far apart the scores of a data set are.

    Parameters
    ----------
    scores, lower_is_better, tie_tolerance, method, resamples, seed
        As for `friedman`.
    tie_correction : bool
        Σ S_ij² as in R's ``quade.test``; without it its value when there are no ties, as in
        the R package scmamp.

    Returns
    -------
    TestResult
        F with L - 1 and (L-1)(n-1) degrees of freedom; ``estimate`` holds the weighted mean
        ranks.

    Raises
    ------
    InputError
        As for `friedman`.

    See Also
    --------
    friedman : Weights all data sets equally.
    bayescmp.bayesian.signed_rank : Compares a pair over the data sets, with a rope.

    References
    ----------
    Quade 1979, JASA 74; Conover 1999, sec. 5.8; García et al. 2010, sec. 4.1.

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import quade
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(quade(scores, method="exact"))
    Quade test
      F = 1.0534, df = 2 and 10, n = 6, p = 0.386
      mean ranks: C4.5+m 1.643, C4.5+m+cf 1.833, C4.5 2.524
      ties, corrected for
      exact permutation p-value
    """
    blocks, table = _blocks("quade", "quade", scores, lower_is_better, tie_tolerance)
    f, df, pvalue = _f_test(blocks, tie_correction)
    pvalue, notes = _pvalue(blocks, pvalue, method, resamples, seed, exact=math.isinf(f))
    return _result("Quade test", f, df, pvalue, blocks, table, notes, "F", tie_correction)


# -- shared ------------------------------------------------------------------------------------


def _blocks(
    kind: str, test: str, scores: ArrayLike, lower_is_better: bool, tie_tolerance: float | None
) -> tuple[BlockScores, Table]:
    table = as_table(scores, test=test, lower_is_better=lower_is_better)
    return block_scores(kind, table, tie_tolerance), table


def _statistic(blocks: BlockScores, tie_correction: bool) -> float:
    """ΣT²/V: χ² with k - 1 degrees of freedom, about."""
    scale = blocks.scale if tie_correction else blocks.printed_scale
    return float(np.sum(blocks.totals**2) / scale)


def _f_test(blocks: BlockScores, tie_correction: bool) -> tuple[float, tuple[float, float], float]:
    """F, its degrees of freedom and p-value, which is exact where F is infinite."""
    n, k = blocks.a.shape
    q, most = _statistic(blocks, tie_correction), n * (k - 1)
    df = (float(k - 1), float((k - 1) * (n - 1)))
    if q >= most * (1 - 1e-12):
        return math.inf, df, _unanimous(blocks.a)
    f = (n - 1) * q / (most - q)
    return f, df, float(stats.f.sf(f, *df))


def _unanimous(a: np.ndarray) -> float:
    """P-value where all blocks score alike: the chance that the others follow the first."""
    n, k = a.shape
    counts = np.unique(a[0], return_counts=True)[1]
    log_share = sum(math.lgamma(c + 1) for c in counts) - math.lgamma(k + 1)
    return math.exp((n - 1) * log_share)


def _pvalue(
    blocks: BlockScores,
    asymptotic: float,
    method: str,
    resamples: int,
    seed: checks.Seed,
    *,
    exact: bool = False,
) -> tuple[float, tuple[str, ...]]:
    """The p-value as asked for (all statistics here grow with ΣT²), and a note on it."""
    if checks.choice("method", method, METHODS) == "exact":
        return exact_pvalue(blocks.a), ("exact permutation p-value",)
    if method == "permutation":
        pvalue = permutation_pvalue(blocks.a, resamples, seed)
        return pvalue, (f"p-value from {resamples} random permutations",)
    if exact:
        return asymptotic, ("exact permutation p-value: all data sets rank the algorithms alike",)
    n = len(blocks.a)
    if n < 8:
        return asymptotic, (
            f"approximate p-value, from {n} data sets only: method='exact' gives the exact one",
        )
    return asymptotic, ()


def _result(
    method: str,
    statistic: float,
    df: float | tuple[float, float],
    pvalue: float,
    blocks: BlockScores,
    table: Table,
    notes: tuple[str, ...],
    symbol: str,
    tie_correction: bool,
) -> TestResult:
    if blocks.ties:
        notes = ("ties, " + ("corrected for" if tie_correction else "not corrected for"), *notes)
    return TestResult(
        method=method,
        statistic=statistic,
        pvalue=pvalue,
        df=df if isinstance(df, tuple) else float(df),
        estimate=blocks.centres,
        names=table.algorithms,
        directions=table.directions,
        n=len(blocks.a),
        symbol=symbol,
        notes=notes,
        effect=concordance(blocks) if blocks.kind == "friedman" else None,
    )
