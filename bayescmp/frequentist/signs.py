"""Differences without a normal distribution: their signs, signed ranks and sign changes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import (
    DIFFERENCES,
    count,
    flag,
    number,
    one_array,
    one_of,
    optional,
    sided,
    validate_params,
)
from bayescmp.frequentist.effects import (
    SignedRanks,
    biserial_of,
    means_of,
    over_datasets,
    signed_ranks,
    t_pvalue,
)
from bayescmp.frequentist.results import TestResult
from bayescmp.scores.differences import Differences
from bayescmp.wording.references import SOURCES
from bayescmp.wording.text import format_count


def sum_distribution(ranks: np.ndarray) -> np.ndarray:
    """Return the distribution of the sum of the ranks with a positive sign, for random signs."""
    doubled = np.rint(2 * ranks).astype(int)  # mean ranks of ties end in .0 or .5
    p = np.zeros(int(doubled.sum()) + 1)
    p[0] = 1.0
    for r in doubled:
        shifted = np.zeros_like(p)
        shifted[r:] = p[: len(p) - r]
        p = (p + shifted) / 2
    return p


def exact_pvalue(ranks: np.ndarray, plus: float, alternative: str) -> float:
    """Return the exact p-value of the signed-rank test, given the ranks and so right with ties."""
    return tail_pvalue(sum_distribution(ranks), round(2 * plus), alternative)


def tail_pvalue(p: np.ndarray, at: int, alternative: str) -> float:
    """Return the p-value of one of 0, 1, ...; if two-sided, twice the smaller one, at most 1."""
    below, above = float(p[: at + 1].sum()), float(p[at:].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(below, above))
    return min(1.0, below if alternative == "less" else above)


def normal_pvalue(
    ranks: np.ndarray, plus: float, alternative: str, *, correction: bool = False
) -> float:
    """Return the p-value by the normal approximation, with the actual ranks' variance Σr²/4."""
    excess = plus - float(ranks.sum()) / 2
    side = {"greater": 1.0, "less": -1.0}.get(alternative, float(np.sign(excess)))
    error = math.sqrt(float(ranks @ ranks)) / 2
    return t_pvalue(excess - 0.5 * side * correction, error, math.inf, alternative)


# The pseudo-median and its confidence interval, from the means of all pairs of differences.


#: Most sums of pairs that are examined one by one; with more, the size of a sample that shows
#: where to look, and the number of its members kept on either side of the target.
FEW, SAMPLE, MARGIN = 40_000, 4096, 64


#: Before or after the sums that are equal to a pivot.
Side: TypeAlias = Literal["left", "right"]


def pseudo_median(x: np.ndarray) -> float:
    """Return Hodges and Lehmann's estimate, the median of the Walsh averages."""
    x = np.sort(x)
    pairs = len(x) * (len(x) + 1) // 2
    low, high = _averages(x, (pairs - 1) // 2, pairs // 2)
    return (low + high) / 2


def walsh_interval(
    x: np.ndarray, level: float, alternative: str = "two-sided"
) -> tuple[float, float]:
    """Return a pseudo-median's interval (Hollander, Wolfe & Chicken 2014, sec. 3.3)."""
    n, x = len(x), np.sort(x)
    pairs = n * (n + 1) // 2
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    if n <= 50:
        cumulative = np.cumsum(sum_distribution(np.arange(1.0, n + 1)))[::2]  # sums are integers
        place = int(np.searchsorted(cumulative, tail * (1 - 1e-12)))
    else:
        deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        place = math.ceil(n * (n + 1) / 4 - float(stats.norm.isf(tail)) * deviation)
    place = min(max(place, 1), pairs)
    return (
        -math.inf if alternative == "less" else _averages(x, place - 1)[0],
        math.inf if alternative == "greater" else _averages(x, pairs - place)[0],
    )


def _averages(x: np.ndarray, rank: int, later: int | None = None) -> tuple[float, float]:
    """Return Walsh averages of a rank, from 0, and of the same or the next, without making all.

    In the row of x[i], the sums x[i] + x[j], j >= i, that may have these ranks lie between two
    columns, which move towards each other: a sample of the sums holds two between which both must
    be. Johnson & Mizoguchi 1978, SIAM Journal on Computing 7; Floyd & Rivest 1975, Communications
    of the ACM 18 (two pivots from a sample).
    """
    later = rank if later is None else later
    row, first, last = x, np.arange(len(x)), np.full(len(x), len(x))
    while (total := int((last - first).sum())) > FEW:
        which = (2 * np.arange(SAMPLE) + 1) * total // (2 * SAMPLE)
        sample = np.sort(_sums(x, row, first, last, which))
        low = sample[max(rank * SAMPLE // total - MARGIN, 0)]
        high = sample[min(later * SAMPLE // total + MARGIN, SAMPLE - 1)]
        cuts: list[tuple[float, Side]] = [
            (low, "left"),
            (high, "right"),
            (low, "right"),
            (high, "left"),
        ]
        for done, (pivot, side) in enumerate(cuts):
            cut = np.clip(_columns(x, row, pivot, side), first, last)
            before = int((cut - first).sum())
            if rank < before <= later:
                return _halves_beside(x, row, first, last, cut)
            if later < before:
                last = cut
            else:
                first, rank, later = cut, rank - before, later - before
            if done and (last - first).sum() < total // 2:
                break  # since few sums are equal to a pivot
        wide = first < last
        row, first, last = row[wide], first[wide], last[wide]
        if (row + x[first]).min() == (row + x[last - 1]).max():
            return float(row[0] + x[first[0]]) / 2, float(row[0] + x[first[0]]) / 2
    both = np.partition(_sums(x, row, first, last, np.arange(total)), (rank, later))
    return float(both[rank]) / 2, float(both[later]) / 2


def _sums(
    x: np.ndarray, row: np.ndarray, first: np.ndarray, last: np.ndarray, which: np.ndarray
) -> np.ndarray:
    """Return some of the sums between the columns, counted row by row."""
    ends = np.cumsum(last - first)
    at = np.searchsorted(ends, which, side="right")
    return row[at] + x[last[at] - (ends[at] - which)]


def _halves_beside(
    x: np.ndarray, row: np.ndarray, first: np.ndarray, last: np.ndarray, cut: np.ndarray
) -> tuple[float, float]:
    """Return half the largest sum before a cut, and half the smallest after it."""
    before, after = cut > first, cut < last
    return (
        float((row[before] + x[cut[before] - 1]).max()) / 2,
        float((row[after] + x[cut[after]]).min()) / 2,
    )


def _columns(x: np.ndarray, row: np.ndarray, pivot: float, side: Side) -> np.ndarray:
    """Return where each row of sums reaches the pivot ("left") or exceeds it, as floats add."""
    column = np.searchsorted(x, pivot - row, side=side)
    reached = np.greater_equal if side == "left" else np.greater
    padded = np.r_[-np.inf, x, np.inf]
    right = ~reached(row + padded[column], pivot) & reached(row + padded[column + 1], pivot)
    wrong = np.flatnonzero(~right)  # by rounding
    low, high = np.zeros(len(wrong), dtype=np.int64), np.full(len(wrong), len(x))
    while np.any(low < high):
        middle = (low + high) // 2
        beyond = reached(row[wrong] + padded[middle + 1], pivot)
        low, high = np.where(beyond, low, middle + 1), np.where(beyond, middle, high)
    column[wrong] = low
    return column


# Sign test on the data sets won and lost.
@validate_params(
    wins=count(0, most=2**53),
    losses=count(0, most=2**53),
    ties=count(0, most=2**53),
    alternative=sided,
    tie_method=one_of("split", "drop"),
)
def sign_test(
    wins: int,
    losses: int,
    ties: int = 0,
    *,
    alternative: str = "two-sided",
    tie_method: str = "split",
) -> TestResult:
    """Perform a sign test on the data sets won and lost, by the exact binomial distribution.

    Parameters
    ----------
    wins, losses, ties : int
        Numbers of data sets on which the second algorithm did better, worse, and neither.
    alternative : {"two-sided", "less", "greater"}
        "greater" is right-tailed: more wins than losses.
    tie_method : {"split", "drop"}
        Whether ties are split evenly, an odd one being dropped (Demšar 2006; Aslan 2009), or
        dropped.

    Returns
    -------
    TestResult
        The statistic is wins after the split, ``n`` the trials left (p is 1 without any),
        ``estimate`` the share of wins with its Clopper-Pearson interval.

    Raises
    ------
    InputError
        Counts that are not integers >= 0, or all zero.

    See Also
    --------
    wilcoxon, bayescmp.bayesian.sign

    References
    ----------
    Sheskin 2003, test 9; Aslan 2009, eq. 4.91; Demšar 2006, JMLR 7, sec. 3.1.4.

    Examples
    --------
    C4.5 with tuned leaf sizes beats C4.5 on 10 data sets, loses on 2 and ties on 2 (Demšar 2006):

    >>> from bayescmp.frequentist import sign_test
    >>> round(sign_test(10, 2, 2).pvalue, 3)
    0.057
    """
    if not wins + losses + ties:
        raise must("wins", "be at least 1 together with losses and ties", "0, 0 and 0")
    half = ties // 2 if tie_method == "split" else 0
    won, n = wins + half, wins + losses + 2 * half
    binomial = stats.binomtest(won, n, 0.5, alternative=alternative) if n else None
    return TestResult(
        method="sign test",
        cites=SOURCES["sign"],
        statistic=float(won),
        pvalue=float(binomial.pvalue) if binomial else 1.0,
        alternative=alternative,
        estimate=won / n if n else 0.5,
        names=("first", "second"),
        n=n,
        symbol="wins",
        notes=_tie_notes(ties, half),
        interval=partial(share_interval, won, n, alternative) if n else None,
    )


def sign_test_of_means(x: Differences) -> TestResult:
    """Do the sign test of the data sets' mean differences."""
    means = means_of(x)
    return sign_test(*(int(wanted.sum()) for wanted in (means > 0, means < 0, means == 0)))


def count_signs(gains: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many of each column are over zero, and how many under."""
    return (gains > 0).sum(axis=0), (gains < 0).sum(axis=0)


def sign_tests(
    wins: np.ndarray, losses: np.ndarray, n: int, alternative: str = "two-sided"
) -> tuple[np.ndarray, np.ndarray]:
    """Return the statistics and p-values of sign tests on n data sets each."""
    tests = [
        sign_test(int(won), int(lost), n - int(won) - int(lost), alternative=alternative)
        for won, lost in zip(wins, losses, strict=True)
    ]
    return np.array([test.statistic for test in tests]), np.array([test.pvalue for test in tests])


def _tie_notes(ties: int, half: int) -> tuple[str, ...]:
    notes = []
    if half:
        notes.append(f"{2 * half} ties split evenly")
    if ties - 2 * half:
        notes.append(f"{ties - 2 * half} dropped")
    return tuple(notes)


def share_interval(won: int, n: int, alternative: str, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a share of wins."""
    test = stats.binomtest(won, n, 0.5, alternative=alternative)
    interval = test.proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high)


# Wilcoxon's signed-rank test.


#: The distribution is exact up to this many differences and normal beyond; on request, exact up to
#: this many: its work grows with the cube.
MANY, MOST = 50, 1000


@one_array(DIFFERENCES)
@validate_params(
    alternative=sided,
    zeros=one_of("wilcox", "pratt", "split"),
    method=one_of("auto", "exact", "normal"),
    correction=flag,
    tie_tolerance=optional(number(0)),
)
def wilcoxon(
    x: ArrayLike | Differences,
    *,
    alternative: str = "two-sided",
    zeros: str = "wilcox",
    method: str = "auto",
    correction: bool = False,
    tie_tolerance: float | None = None,
) -> TestResult:
    """Perform Wilcoxon's signed-rank test, usually of the mean differences on several data sets.

    Parameters
    ----------
    x : array_like of shape (q,), DataFrame of two algorithms, or Differences
        Differences, second minus first; Differences of several data sets enter by their means.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.
    zeros : {"wilcox", "pratt", "split"}
        "wilcox" drops zero differences before ranking, "pratt" after it; "split" gives half of
        their ranks to either side, an odd one being dropped (Demšar 2006).
    method : {"auto", "exact", "normal"}
        "auto" is exact up to 50 non-zero differences, normal beyond; "exact" is for up to 1,000.
    correction : bool
        Continuity correction of the normal approximation.
    tie_tolerance : float, optional
        Absolute differences at most this far apart are tied, those at most this large are zero. By
        default up to rounding error, 1e-12 of the largest; 0 compares exactly.

    Returns
    -------
    TestResult
        The statistic is the smaller rank sum (two-sided), or that of the positive differences.
        Exact p-values are conditional on the ranks, ties and zeros included; normal ones use the
        ranks' actual variance. If all differences are zero, p is 1. ``estimate`` is the
        Hodges-Lehmann pseudo-median; its interval counts zeros and ties as ordinary values.

    Raises
    ------
    InputError
        No differences, missing or infinite ones, a negative tolerance.

    See Also
    --------
    sign_test, bayescmp.bayesian.signed_rank

    References
    ----------
    Wilcoxon 1945, Biometrics 1; Demšar 2006, JMLR 7, sec. 3.1.3; Hodges & Lehmann 1963;
    Pratt 1959, JASA 54.

    Examples
    --------
    >>> from bayescmp.frequentist import wilcoxon
    >>> x = [0.005, -0.008, 0.017, 0.033, 0.006, -0.005, 0.007]
    >>> x += [0, 0.063, 0, 0.022, 0.047, 0.009, 0.021]
    >>> print(wilcoxon(x))
    first and second: significant at 0.05 (p = 0.0073)     Wilcoxon signed-rank test
    <BLANKLINE>
    W     n       p  estimate  95% CI low  95% CI high  rank-biserial correlation
    6.5  12  0.0073     0.013       0.003       0.0275                     0.8333
    <BLANKLINE>
    note: exact p-value
    note: 2 zero differences dropped
    """
    values, names = over_datasets(x, "wilcoxon", 1)
    if correction and method == "exact":
        raise must_be("method", f"'normal' or 'auto' with {arg('correction', True)}", method)
    ranked = signed_ranks(values, zeros, tie_tolerance)
    plain = ranked if zeros == "wilcox" and tie_tolerance is None else signed_ranks(values)
    pvalue, how = pvalue_of(ranked, alternative, method, correction=correction)
    return TestResult(
        method="Wilcoxon signed-rank test",
        cites=SOURCES["wilcoxon"],
        statistic=min(ranked.sums) if alternative == "two-sided" else ranked.sums[0],
        pvalue=pvalue,
        alternative=alternative,
        estimate=pseudo_median(values),
        names=names,
        n=len(ranked.ranks),
        symbol="W",
        notes=(how, *_zero_notes(ranked.zeros, zeros)),
        interval=partial(walsh_interval, values, alternative=alternative),
        effect=biserial_of(plain),
    ).of(x, folds=False)


def pvalue_of(
    ranked: SignedRanks,
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    correction: bool = False,
) -> tuple[float, str]:
    """Return the p-value of signed ranks, and how it was computed."""
    if not len(ranked.ranks):
        return 1.0, "all differences are zero"
    if method == "exact" and len(ranked.ranks) > MOST:
        raise must(
            "method",
            f"not be 'exact' for more than {MOST:,} differences",
            f"{len(ranked.ranks):,}",
            f"Use {arg('method', 'normal')}, which is accurate at that size.",
        )
    if method == "exact" or (method == "auto" and len(ranked.ranks) <= MANY):
        return exact_pvalue(ranked.ranks, ranked.plus, alternative), "exact p-value"
    p = normal_pvalue(ranked.ranks, ranked.plus, alternative, correction=correction)
    return p, "p-value by the normal approximation"


def _zero_notes(count: int, zeros: str) -> tuple[str, ...]:
    if not count:
        return ()
    zero = format_count(count, "zero difference")
    if zeros == "wilcox":
        return (f"{zero} dropped",)
    if zeros == "pratt":
        return (f"{zero} ranked, then dropped",)
    notes = []
    if count > 1:
        notes.append(f"{count - count % 2} zero differences split evenly")
    return (*notes, "1 zero difference dropped") if count % 2 else tuple(notes)


#: Decimals of means of data scaled to 1: those equal up to rounding then count as equal.
DECIMALS = 11


#: SciPy's generator of random numbers is called `rng` from 1.15 on.
RANDOM = "rng" if "rng" in inspect.signature(stats.permutation_test).parameters else "random_state"


@one_array(DIFFERENCES)
def paired_permutation(
    x: ArrayLike | Differences,
    *,
    alternative: str = "two-sided",
    n: int = 9999,
    seed: checks.Seed = None,
) -> TestResult:
    """Perform a permutation test of paired differences, whose signs are changed at random.

    Parameters
    ----------
    x : array_like of shape (k,), DataFrame of two algorithms, or Differences
        Independent differences, second minus first; Differences of several data sets enter by
        their means. Folds of one cross-validation are not independent: see `corrected_t`.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.
    n : int
        Random sign changes; all 2**k if they are no more than this.
    seed : int, Generator or None

    Returns
    -------
    TestResult
        The statistic is the mean difference; p is exact with all sign changes, else (count + 1)/(n
        + 1).

    Raises
    ------
    InputError
        Fewer than 2 differences, missing or infinite ones.

    See Also
    --------
    wilcoxon, bayescmp.bayesian.signed_rank

    References
    ----------
    Fisher 1935, The Design of Experiments, sec. 21; Phipson & Smyth 2010.

    Examples
    --------
    >>> from bayescmp.frequentist import paired_permutation
    >>> x = [0.005, -0.008, 0.017, 0.033, 0.006, -0.005, 0.007]
    >>> x += [0, 0.063, 0, 0.022, 0.047, 0.009, 0.021]
    >>> paired_permutation(x, seed=1).pvalue
    0.0066
    """
    values, names = over_datasets(x, "paired_permutation")
    mean, cases = float(values.mean()), (2 ** len(values), "sign changes")
    method = "paired permutation test"
    test = permute(method, mean, (values,), np.mean, cases, alternative, n, seed)
    return replace(test, names=names).of(x, folds=False)


def permute(
    method: str,
    mean: float,
    data: tuple[np.ndarray, ...],
    statistic: Callable[..., np.ndarray],
    cases: tuple[int, str],
    alternative: str,
    n: int,
    seed: checks.Seed,
) -> TestResult:
    """Test a mean by sign changes, or two by partitions: all of them, or n drawn ones."""
    checks.check_choice("alternative", alternative, checks.ALTERNATIVES)
    n = checks.check_whole("n", n)
    size = sum(map(len, data))
    scale = max(float(np.abs(values).max()) for values in data) or 1.0
    data = tuple(values / scale for values in data)
    with np.errstate(over="ignore"):  # SciPy 1.12 counts all 2**k cases as a float
        result = stats.permutation_test(
            data,
            lambda *x, axis: np.round(statistic(*x, axis=axis), DECIMALS),
            permutation_type="samples" if len(data) == 1 else "independent",
            vectorized=True,
            n_resamples=n,
            alternative=alternative,
            batch=max(1, 2_000_000 // size),
            **{RANDOM: checks.make_generator(seed)},
        )
    count, what = cases
    return TestResult(
        method=method,
        statistic=mean,
        pvalue=float(result.pvalue),
        alternative=alternative,
        estimate=mean,
        names=("first", "second"),
        n=size,
        symbol="mean",
        notes=(f"exact, all {count} {what}" if count <= n else f"{n} random {what}",),
    )
