"""Post-hoc tests over data sets: all pairs or against a control; critical differences."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.frequentist.pairs.adjust import adjust as adjust_p
from bayescmp.frequentist.pairs.adjust import canonical
from bayescmp.frequentist.pairs.places import index_of, pairs_of
from bayescmp.frequentist.pairs.result import PosthocResult
from bayescmp.frequentist.ranks.margin import margin_of
from bayescmp.frequentist.ranks.pairwise import conover, exact_pvalues
from bayescmp.frequentist.ranks.table import Table, as_table
from bayescmp.frequentist.ranks.within import ROUNDING, block_scores
from bayescmp.frequentist.signs.rank_sums import signed_ranks
from bayescmp.frequentist.signs.sign import sign_test
from bayescmp.frequentist.signs.signed_rank import pvalue_of

__all__ = ["nemenyi", "posthoc"]

#: Tests whose post-hoc comparisons are offered.
TESTS = ("friedman", "aligned", "quade", "wilcoxon", "sign")

_ALIASES = {
    "iman-davenport": "friedman",
    "friedman-aligned-ranks": "aligned",
    "aligned-ranks": "aligned",
    "friedman-aligned": "aligned",
    "sign-test": "sign",
}

_TITLES = {
    "friedman": ("Friedman post-hoc test", "mean rank"),
    "aligned": ("Aligned-ranks post-hoc test", "mean aligned rank"),
    "quade": ("Quade post-hoc test", "weighted mean rank"),
    "wilcoxon": ("Pairwise Wilcoxon tests", "mean rank"),
    "sign": ("Pairwise sign tests", "mean rank"),
}


def posthoc(
    scores: ArrayLike,
    *,
    test: str = "friedman",
    adjust: str = "holm",
    control: str | int | None = None,
    variance: str = "permutation",
    distribution: str = "normal",
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> PosthocResult:
    """Which algorithms differ: all pairs, or each against a control.

    Parameters
    ----------
    scores : array_like of shape (q, L) or DataFrame
        One row per data set, one column per algorithm.
    test : {"friedman", "aligned", "quade", "wilcoxon", "sign"}
        The first three compare the mean ranks of the omnibus test of that name, z = (R_i - R_j) /
        standard error. The last two use the scores of the two algorithms only, so that the answer
        for a pair does not depend on the other algorithms in the table (Benavoli et al. 2016).
    adjust : str
        One of the procedures of `adjust`.
    control : str or int, optional
        The algorithm to compare with, by name or column; all pairs if not given.
    variance : {"permutation", "published"}
        Variance of T_i - T_j. "permutation" is that under permutation within data sets, right for
        all three tests with and without ties. "published" reproduces papers, see Notes.
    distribution : {"normal", "t", "exact"}
        Of the mean ranks' difference. "t" is Conover's test of Friedman's ranks, and the usual one
        of Quade's: the ranks' error mean square with (n-1)(L-1) degrees of freedom. It has more
        power, and is meant for use after an omnibus test that rejects, see Notes. "exact" is the
        distribution over all permutations within data sets, also with ties (for Friedman's ranks
        that of Eisinga et al. 2017).
    lower_is_better, tie_tolerance
        As for `friedman`.

    Returns
    -------
    PosthocResult
        ``difference`` is the mean rank of the first minus that of the second: positive where the
        second is better.

    Raises
    ------
    InputError
        As for `friedman`; unknown test, adjustment or control; an adjustment for all pairs with a
        control.

    See Also
    --------
    friedman : Whether any differ.
    average_ranks : The ranks themselves.
    bayescmp.bayesian.signed_rank : The Bayesian test of a pair, with a rope.

    Notes
    -----
    Published standard errors of a difference of mean ranks, for L algorithms and n data sets:
    Friedman √(L(L+1)/(6n)), which is right without ties; aligned ranks √(L(nL+1)/6), by which
    García et al. (2010) computed (they print √(L(n+1)/6)); Quade √(L(L+1)(2n+1)(L-1)/(18n(n+1))).
    The others do not keep their level and are for reproducing papers only: with 4 algorithms and
    24 data sets, true null hypotheses are rejected at 5 % in 8 %, 38 % and 1 % of cases.

    The variance of the rank tests assumes that all algorithms are equal. If only the two compared
    are equal, the error rate may be far below the level (if others are much better or worse), or
    above it: two noisy algorithms with the others always in between were declared different in 8
    to 26 % of simulated tables at 5 % (3 to 10 algorithms, 30 data sets), Wilcoxon's test in 5 %.

    The more algorithms differ, the larger is the t of Friedman's ranks. The test keeps its level
    where all are alike (4.8 to 5.5 % of simulated pairs at 5 %, 3 to 10 algorithms).

    References
    ----------
    Demšar 2006, JMLR 7, sec. 3.2.2; García & Herrera 2008, JMLR 9; García et al. 2010, Inf.
    Sci. 180, sec. 4.2; Benavoli, Corani & Mangili 2016, JMLR 17 (on mean ranks); Conover 1999,
    sec. 5.8 (t); Eisinga et al. 2017, BMC Bioinformatics 18:68 (exact).

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import posthoc
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(posthoc(scores, test="wilcoxon"))
    Pairwise Wilcoxon tests, all pairs, adjusted by holm, n = 6
      C4.5      → C4.5+m        0.5833  W =      5.5  p = 0.344     adjusted p = 1
      C4.5      → C4.5+m+cf     0.4167  W =        6  p = 0.438     adjusted p = 1
      C4.5+m    → C4.5+m+cf    -0.1667  W =        7  p = 1         adjusted p = 1
    """
    kind = _kind(test)
    table = as_table(scores, test="posthoc", lower_is_better=lower_is_better)
    method = canonical(adjust)
    at = None if control is None else index_of(control, table.algorithms)
    if at is not None and method in ("nemenyi", "shaffer", "bergmann-hommel"):
        raise InputError(
            f"adjust={adjust!r} is for all pairs, and control={control!r} is given; against a "
            "control use 'holm', 'hommel' or 'bonferroni' (Dunn)"
        )
    checks.choice("variance", variance, ("permutation", "published"))
    _check_distribution(distribution, kind, method, variance)
    if kind in ("wilcoxon", "sign"):
        return _pool_free(kind, table, method, at, tie_tolerance)
    return _mean_ranks(kind, table, method, at, variance, distribution, tie_tolerance)


def nemenyi(
    scores: ArrayLike,
    *,
    variance: str = "published",
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> PosthocResult:
    """Nemenyi's test: all pairs of mean ranks by the studentized range.

    Parameters
    ----------
    scores : array_like of shape (q, L) or DataFrame
        One row per data set, one column per algorithm.
    variance : {"published", "permutation"}
        "published" is the test as Demšar (2006) gives it: a pair differs if its mean ranks are at
        least `critical_difference` apart. It is the same as "permutation" without ties, and
        conservative with ties.
    lower_is_better, tie_tolerance
        As for `friedman`.

    Returns
    -------
    PosthocResult

    Raises
    ------
    InputError
        As for `friedman`.

    See Also
    --------
    critical_difference : The distance that counts.
    posthoc : With other adjustments.
    bayescmp.bayesian.signed_rank : The Bayesian test of a pair, with a rope.

    References
    ----------
    Nemenyi 1963; Demšar 2006, JMLR 7, sec. 3.2.2.

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import nemenyi
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(nemenyi(scores))
    Nemenyi test, all pairs, adjusted by nemenyi, n = 6
      C4.5      → C4.5+m        0.5833  z =     1.01  p = 0.312     adjusted p = 0.57
      C4.5      → C4.5+m+cf     0.4167  z =   0.7217  p = 0.47      adjusted p = 0.751
      C4.5+m    → C4.5+m+cf    -0.1667  z =  -0.2887  p = 0.773     adjusted p = 0.955
    """
    return posthoc(
        scores,
        test="friedman",
        adjust="nemenyi",
        variance=variance,
        lower_is_better=lower_is_better,
        tie_tolerance=tie_tolerance,
    )


def _kind(test: str) -> str:
    plain = re.sub(r"[\s_]+", "-", str(test).strip().lower())
    return checks.choice("test", _ALIASES.get(plain, plain), TESTS)


def _check_distribution(distribution: str, kind: str, method: str, variance: str) -> None:
    """What only the normal distribution is for is refused with the others."""
    if checks.choice("distribution", distribution, ("normal", "t", "exact")) == "normal":
        return
    given = f"distribution={distribution!r}"
    if kind in ("wilcoxon", "sign"):
        raise InputError(f"{given} is for mean ranks; test={kind!r} has its own distribution")
    if kind == "aligned" and distribution == "t":
        raise InputError(f"{given} is for test='friedman' and 'quade'; use 'exact' with 'aligned'")
    if method == "nemenyi" or variance == "published":
        other = "adjust='nemenyi'" if method == "nemenyi" else "variance='published'"
        raise InputError(f"{other} needs distribution='normal', and {given} was given")


def _mean_ranks(
    kind: str,
    table: Table,
    method: str,
    control: int | None,
    variance: str,
    distribution: str,
    tie_tolerance: float | None,
) -> PosthocResult:
    blocks = block_scores(kind, table, tie_tolerance)
    published = variance == "published"
    pairs = pairs_of(blocks.a.shape[1], control)
    difference = blocks.centres[pairs[:, 0]] - blocks.centres[pairs[:, 1]]
    error, df = blocks.printed_error if published else blocks.standard_error, math.inf
    if distribution == "t":
        error, df = conover(blocks)
    z = difference / error
    raw = exact_pvalues(blocks, pairs) if distribution == "exact" else _two_sided(z, df)
    title, measure = _TITLES[kind]
    if (kind, distribution) == ("friedman", "t"):
        title = "Conover post-hoc test"
    return PosthocResult(
        method="Nemenyi test" if (kind, method) == ("friedman", "nemenyi") else title,
        adjust=method,
        names=table.algorithms,
        pairs=pairs,
        difference=difference,
        statistic=z,
        pvalue=raw,
        adjusted=adjust_p(raw, method),
        centres=blocks.centres,
        measure=measure,
        control=None if control is None else table.algorithms[control],
        standard_error=error,
        n=len(blocks.a),
        symbol="t" if distribution == "t" else "z",
        notes=_notes(distribution, df, published and kind != "friedman"),
        margin=margin_of(method, distribution, error, df, blocks, len(pairs)),
    ).of(table)


def _two_sided(statistic: np.ndarray, df: float) -> np.ndarray:
    size = np.abs(statistic)
    return np.asarray(2 * (stats.norm.sf(size) if math.isinf(df) else stats.t.sf(size, df)))


def _notes(distribution: str, df: float, printed: bool) -> tuple[str, ...]:
    if printed:
        return ("published standard error, for reproducing papers",)
    if distribution == "exact":
        return ("exact p-values, over all permutations within data sets",)
    return () if math.isinf(df) else (f"df = {df:g}",)


def _pool_free(
    kind: str, table: Table, method: str, control: int | None, tie_tolerance: float | None
) -> PosthocResult:
    """Tests that look at the two algorithms of a pair alone; mean ranks only for the order."""
    blocks = block_scores("friedman", table, tie_tolerance)
    pairs = pairs_of(len(table.algorithms), control)
    # Ties are those of the ranking, so that both kinds of test agree on what a tie is.
    step = np.sign(blocks.a[:, pairs[:, 0]] - blocks.a[:, pairs[:, 1]])
    gain = table.oriented[:, pairs[:, 1]] - table.oriented[:, pairs[:, 0]]
    gain = np.where(step == 0, 0.0, gain)
    if kind == "wilcoxon":
        size = np.abs(table.values)
        near = ROUNDING * np.maximum(size[:, pairs[:, 0]], size[:, pairs[:, 1]])
        near = 0.0 * near if tie_tolerance == 0 else near
        ranked = [signed_ranks(x, tolerance=t) for x, t in zip(gain.T, near.T, strict=True)]
        statistic = [min(r.sums) for r in ranked]
        raw = np.array([pvalue_of(r)[0] for r in ranked])
    else:
        wins, losses = (step > 0).sum(axis=0), (step < 0).sum(axis=0)
        ties = len(step) - wins - losses
        tests = [sign_test(*map(int, w)) for w in zip(wins, losses, ties, strict=True)]
        statistic = [f.statistic for f in tests]
        raw = np.array([f.pvalue for f in tests])
    title, measure = _TITLES[kind]
    return PosthocResult(
        method=title,
        adjust=method,
        names=table.algorithms,
        pairs=pairs,
        difference=blocks.centres[pairs[:, 0]] - blocks.centres[pairs[:, 1]],
        statistic=np.array(statistic),
        pvalue=raw,
        adjusted=adjust_p(raw, method),
        centres=blocks.centres,
        measure=measure,
        control=None if control is None else table.algorithms[control],
        n=len(table.values),
        symbol="W" if kind == "wilcoxon" else "wins",
    ).of(table)
