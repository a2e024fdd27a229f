"""Rank tests over data sets: Friedman, Iman-Davenport, aligned ranks, Quade, Page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial, reduce
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import (
    COLUMNS,
    Seed,
    as_names,
    count,
    flag,
    make_generator,
    one_array,
    one_of,
    validate_params,
)
from bayescmp.base.magnitudes import TIED
from bayescmp.frequentist.ranks import (
    FEW_BLOCKS,
    RANKED,
    ScoreTable,
    as_table,
    few_note,
    rank_best,
    rank_rows,
)
from bayescmp.frequentist.results import EffectSize, TestResult
from bayescmp.scores.scores import Scores
from bayescmp.wording.references import SOURCES


# Scores within blocks: the one mechanism behind Friedman, aligned ranks and Quade.
@dataclass(frozen=True, eq=False)
class BlockScores:
    """Within-block scores of a rank test: `kind` is "friedman", "aligned" or "quade".

    `a` (n, k) are the scores, low is good, `centres` (k,) what papers report: mean (aligned,
    weighted) ranks, with differences (T_i - T_j)/divisor. `printed_scale` is V by the printed
    formula, without ties, `printed_error` the printed standard error of a difference of centres.
    """

    kind: str
    a: np.ndarray
    centres: np.ndarray
    divisor: float
    printed_scale: float
    printed_error: float
    ties: bool

    @property
    def deviations(self) -> np.ndarray:
        """Scores minus the mean of their block, shape (n, k)."""
        return np.asarray(self.a - self.a.mean(axis=1, keepdims=True))

    @property
    def totals(self) -> np.ndarray:
        """Totals T_j, shape (k,)."""
        return np.asarray(self.deviations.sum(axis=0))

    @property
    def scale(self) -> float:
        """V from the scores themselves, right with and without ties."""
        return float(np.sum(self.deviations**2) / (self.a.shape[1] - 1))

    @property
    def informative(self) -> int:
        """Data sets on which not all algorithms have the same score."""
        return int(np.sum(np.ptp(self.a, axis=1) > 0))

    @property
    def standard_error(self) -> float:
        """Standard error of a difference of two centres, under permutation within blocks."""
        return float(np.sqrt(2 * self.scale) / self.divisor)


def block_scores(kind: str, table: ScoreTable, tie_tolerance: float | None = None) -> BlockScores:
    """Score the blocks as one of the tests does."""
    made = KINDS[kind](table.oriented, tie_tolerance)
    if not made.scale > 0:
        raise must(
            "scores",
            "differ between algorithms on a data set",
            "the same score of all on every data set",
        )
    return made


def _friedman(x: np.ndarray, tolerance: float | None) -> BlockScores:
    n, k = x.shape
    ranks = rank_best(x, tolerance)
    return BlockScores(
        kind="friedman",
        a=ranks,
        centres=ranks.mean(axis=0),
        divisor=n,
        printed_scale=n * k * (k + 1) / 12,
        printed_error=float(np.sqrt(k * (k + 1) / (6 * n))),
        ties=_has_ties(ranks),
    )


def _align_ranks(x: np.ndarray, tolerance: float | None) -> BlockScores:
    """Rank all that exceeds its own block's mean together (Hodges & Lehmann 1962)."""
    n, k = x.shape
    aligned = x - x.mean(axis=1, keepdims=True)
    rounding = np.broadcast_to(TIED * np.abs(x).max(axis=1, keepdims=True), x.shape)
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
        ties=_has_ties(ranks.reshape(1, -1)),
    )


def _quade(x: np.ndarray, tolerance: float | None) -> BlockScores:
    n, k = x.shape
    ranks = rank_best(x, tolerance)
    rounding = TIED * np.abs(x).max(axis=1)
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
        ties=_has_ties(ranks) or _has_ties(weights[None, :]),
    )


#: How each test scores a block.
KINDS = {"friedman": _friedman, "aligned": _align_ranks, "quade": _quade}


def _has_ties(ranks: np.ndarray) -> bool:
    ordered = np.sort(ranks, axis=1)
    return bool(np.any(ordered[:, 1:] == ordered[:, :-1]))


# Permutation distribution of Σ T_j² under permutation of each block's scores.


#: Rows (states x permutations) that one step of the exact computation may need.
MOST_ROWS = 8_000_000
#: With this many algorithms or fewer, the permutations of few blocks are always enumerated; with
#: more it depends on the test and on the blocks.
ENUMERABLE = 4
#: A block's permutations of more algorithms than these are never enumerated.
MOST_PERMUTED = 8


def exact_pvalue(a: np.ndarray) -> float:
    """Return the exact P(Σ T_j² ≥ the one observed) within blocks, by sets of totals."""
    units = np.rint(4 * (a - a.min(axis=1, keepdims=True))).astype(np.int64)
    observed = int(np.sum(units.sum(axis=0) ** 2))
    states, weights = np.sort(units[:1], axis=1), np.ones(1)
    for row in units[1:]:
        orders = _orders(row)
        if len(states) * len(orders) > MOST_ROWS:
            raise must(
                "method",
                "not be 'exact' if there are too many cases to enumerate",
                f"{a.shape[0]} data sets and {a.shape[1]} algorithms",
                f"Use {arg('method', 'permutation')}, which samples them, or 'asymptotic', which "
                "is accurate at that size.",
            )
        totals = (states[:, None, :] + orders[None, :, :]).reshape(-1, a.shape[1])
        totals.sort(axis=1)
        # their sum is fixed: the last total is implied
        states, weights = merge(
            totals, totals[:, :-1], np.repeat(weights / len(orders), len(orders))
        )
    return float(min(1.0, weights[np.sum(states**2, axis=1) >= observed].sum()))


def _orders(row: np.ndarray) -> np.ndarray:
    """Return the distinct orders of a block's scores, each from equally many permutations."""
    if len(row) > MOST_PERMUTED:
        raise must(
            "method",
            f"not be 'exact' for more than {MOST_PERMUTED} algorithms",
            str(len(row)),
            f"Use {arg('method', 'permutation')}.",
        )
    return np.array(sorted(set(permutations(row.tolist()))), dtype=np.int64)


def merge(
    states: np.ndarray, key: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Merge equal states, adding their probabilities."""
    key = key - key.min()
    base, columns = int(key.max()) + 1, key.shape[1]
    if base**columns < 2**62:  # one number sorts faster than a row
        _, first, inverse = np.unique(
            key @ base ** np.arange(columns), return_index=True, return_inverse=True
        )
    else:
        _, first, inverse = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return states[first], np.bincount(inverse.reshape(-1), weights=weights)


def permute_blocks(a: np.ndarray, times: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Draw tables with the scores within each data set permuted, some at a time: (some, n, k)."""
    batch = max(1, 2_000_000 // a.size)
    for done in range(0, times, batch):
        size = min(batch, times - done)
        yield rng.permuted(np.broadcast_to(a, (size, *a.shape)), axis=2)


def permutation_pvalue(a: np.ndarray, resamples: int, seed: Seed) -> float:
    """Return (1 + hits)/(1 + resamples), a valid p-value (Phipson & Smyth 2010, SAGMB 9)."""
    centred = a - a.mean(axis=1, keepdims=True)
    observed = np.sum(centred.sum(axis=0) ** 2)
    hits = 0
    for drawn in permute_blocks(centred, resamples, make_generator(seed)):
        statistic = np.sum(drawn.sum(axis=1) ** 2, axis=1)
        hits += int(np.sum(statistic >= observed * (1 - 1e-12)))  # equal up to rounding counts
    return (1 + hits) / (1 + resamples)


# Kendall's W: how far data sets agree on the ranking of algorithms.
@one_array(COLUMNS)
@validate_params(**RANKED)
def kendalls_w(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> EffectSize:
    """Compute Kendall's W, the effect size of Friedman's test: from 0 (random) to 1 (agreement).

    W = χ²/(n(L-1)), ties corrected for. Spearman correlations of pairs of data sets have the mean
    r = (nW - 1)/(n - 1); its interval is by the jackknife over data sets, on Fisher's scale.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        One row per data set, one column per algorithm.
    metric, lower_is_better, tie_tolerance
        As for `friedman`.

    Returns
    -------
    EffectSize
        In simulations its 95% intervals contain the true value in 93 to 98% of cases.

    Raises
    ------
    InputError
        As for `friedman`.

    See Also
    --------
    friedman, bayescmp.bayesian.signed_rank

    References
    ----------
    Kendall & Babington Smith 1939, Ann. Math. Stat. 10; Arvesen 1969 (jackknife of U-statistics);
    R's ``effectsize::kendalls_w`` (which bootstraps its interval).

    Examples
    --------
    >>> from bayescmp.frequentist import kendalls_w
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> round(kendalls_w(scores).estimate, 4)
    0.0942
    """
    table = as_table(scores, "kendalls_w", metric, lower_is_better)
    return concordance(block_scores("friedman", table, tie_tolerance)).of(table)


def concordance(blocks: BlockScores) -> EffectSize:
    """Return Kendall's W of ranks within data sets."""
    n, deviation = len(blocks.a), blocks.deviations
    w = float(np.sum(blocks.totals**2) / (n * np.sum(deviation**2)))
    return EffectSize("Kendall's W", w, n, partial(_interval, w, deviation))


def _left_out(deviation: np.ndarray) -> np.ndarray:
    """Return the mean Spearman correlation of all pairs of data sets, without each data set."""
    n = len(deviation) - 1
    totals = deviation.sum(axis=0) - deviation
    squares = np.sum(deviation**2) - np.sum(deviation**2, axis=1)
    above = np.sum(totals**2, axis=1)
    w = np.divide(above, n * squares, out=np.zeros(n + 1), where=squares > 0)
    return np.asarray((n * w - 1) / (n - 1))


def _interval(w: float, deviation: np.ndarray, level: float) -> tuple[float, float]:
    n = len(deviation)
    if w >= 1 - 1e-12:
        return 1.0, 1.0
    if n < 3:
        return 0.0, 1.0
    r, least = (n * w - 1) / (n - 1), -1 / (n - 1)
    error = math.sqrt((n - 1) * float(_left_out(deviation).var())) / (1 - r**2)
    half = float(stats.t.isf((1 - level) / 2, n - 1)) * error
    ends = [math.tanh(math.atanh(max(r, least)) + side * half) for side in (-1, 1)]
    low, high = (min(max((1 + (n - 1) * end) / n, 0.0), 1.0) for end in ends)
    return low, high


# Rank tests over data sets: Friedman, Iman-Davenport, aligned ranks, Quade.


#: How a p-value may be had.
METHODS = ("asymptotic", "exact", "permutation")
#: The kinds of what the omnibus tests take.
_OMNIBUS = RANKED | {"tie_correction": flag, "method": one_of(*METHODS), "resamples": count()}


@one_array(COLUMNS)
@validate_params(**_OMNIBUS)
def friedman(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    lower_is_better: bool = False,
    tie_correction: bool = True,
    tie_tolerance: float | None = None,
    method: str = "asymptotic",
    resamples: int = 9999,
    seed: Seed = None,
) -> TestResult:
    """Perform Friedman's test that all algorithms perform alike over the data sets.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        One row per data set, one column per algorithm; at least 2 rows and 3 columns.
    metric : str, optional
        Of several in `Scores`.
    lower_is_better : bool
        Whether rank 1 goes to the lowest score; `Scores` know it.
    tie_correction : bool
        Whether to use the variance of the actual ranks, as R's ``friedman.test``, and not the
        printed formula, which is conservative with ties.
    tie_tolerance : float, optional
        Scores at most this far apart are tied; by default up to rounding error. 0 compares
        exactly.
    method : {"asymptotic", "exact", "permutation"}
        χ² with L - 1 degrees of freedom; or permutations within data sets, all or ``resamples``.
    resamples : int
        Of random permutations.
    seed : int or Generator, optional
        The same seed gives the same numbers.

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
    posthoc, iman_davenport, bayescmp.bayesian.signed_rank

    References
    ----------
    Friedman 1937, JASA 32; Demšar 2006, JMLR 7, sec. 3.2.2; Conover 1999, sec. 5.8 (ties).

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.frequentist import friedman
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> scores = pd.DataFrame(scores, columns=["C4.5", "C4.5+m", "C4.5+m+cf"])
    >>> print(friedman(scores, method="exact"))
    All algorithms: not significant at 0.05 (p = 0.64)                 Friedman test
    <BLANKLINE>
    χ²    df  n     p  Kendall's W
    1.13   2  6  0.64       0.0942
    <BLANKLINE>
    note: mean ranks: C4.5+m 1.750, C4.5+m+cf 1.917, C4.5 2.333
    note: ties, corrected for
    note: exact permutation p-value
    """
    table = as_table(scores, "friedman", metric, lower_is_better)
    return _omnibus("friedman", table, tie_correction, tie_tolerance, method, resamples, seed)


@one_array(COLUMNS)
@validate_params(**_OMNIBUS)
def iman_davenport(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    lower_is_better: bool = False,
    tie_correction: bool = True,
    tie_tolerance: float | None = None,
    method: str = "asymptotic",
    resamples: int = 9999,
    seed: Seed = None,
) -> TestResult:
    """Perform Iman and Davenport's F form of Friedman's test, less conservative than χ².

    F = (n-1)χ²/(n(L-1) - χ²) with L - 1 and (L-1)(n-1) degrees of freedom, n data sets.

    Parameters
    ----------
    scores, metric, lower_is_better, tie_correction, tie_tolerance, method, resamples, seed
        As for `friedman`.

    Returns
    -------
    TestResult
        If all data sets rank the algorithms alike, F is infinite and p is from the permutations.

    Raises
    ------
    InputError
        As for `friedman`.

    See Also
    --------
    friedman, posthoc, bayescmp.bayesian.signed_rank

    References
    ----------
    Iman & Davenport 1980, Commun. Stat. A9; Demšar 2006, sec. 3.2.2.

    Examples
    --------
    >>> from bayescmp.frequentist import iman_davenport
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> round(iman_davenport(scores, method="exact").pvalue, 2)
    0.64
    """
    table = as_table(scores, "iman_davenport", metric, lower_is_better)
    return _omnibus(
        "iman_davenport", table, tie_correction, tie_tolerance, method, resamples, seed
    )


@one_array(COLUMNS)
@validate_params(**_OMNIBUS)
def friedman_aligned_ranks(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    lower_is_better: bool = False,
    tie_correction: bool = True,
    tie_tolerance: float | None = None,
    method: str = "asymptotic",
    resamples: int = 9999,
    seed: Seed = None,
) -> TestResult:
    """Perform Friedman's test on aligned ranks, which also compares scores across data sets.

    Each data set's mean is subtracted, and the remainders are ranked together, from 1 for the best
    to nL. T is as printed by García et al. (2010), with the ranks' own variance. (They print T =
    18.84 for their table; their formula gives 22.27.)

    Parameters
    ----------
    scores, metric, lower_is_better, tie_tolerance, method, resamples, seed
        As for `friedman`.
    tie_correction : bool
        Without it nL(nL+1)(2nL+1)/6 replaces the sum of squared ranks, as printed.

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
    friedman, bayescmp.bayesian.signed_rank

    References
    ----------
    Hodges & Lehmann 1962, Ann. Math. Stat. 33; García et al. 2010, Inf. Sci. 180, sec. 4.1.

    Examples
    --------
    >>> from bayescmp.frequentist import friedman_aligned_ranks
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> round(friedman_aligned_ranks(scores, method="exact").pvalue, 2)
    0.51
    """
    table = as_table(scores, "friedman_aligned_ranks", metric, lower_is_better, ranked=False)
    return _omnibus(
        "friedman_aligned_ranks", table, tie_correction, tie_tolerance, method, resamples, seed
    )


@one_array(COLUMNS)
@validate_params(**_OMNIBUS)
def quade(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    lower_is_better: bool = False,
    tie_correction: bool = True,
    tie_tolerance: float | None = None,
    method: str = "asymptotic",
    resamples: int = 9999,
    seed: Seed = None,
) -> TestResult:
    """Perform Quade's test: Friedman's ranks, weighted by the range of a data set's scores.

    Parameters
    ----------
    scores, metric, lower_is_better, tie_tolerance, method, resamples, seed
        As for `friedman`.
    tie_correction : bool
        Whether to use Σ S_ij² as R's ``quade.test``, or its value without ties, as R's scmamp.

    Returns
    -------
    TestResult
        F with L - 1 and (L-1)(n-1) degrees of freedom; ``estimate`` holds the weighted mean ranks.

    Raises
    ------
    InputError
        As for `friedman`.

    See Also
    --------
    friedman, bayescmp.bayesian.signed_rank

    References
    ----------
    Quade 1979, JASA 74; Conover 1999, sec. 5.8; García et al. 2010, sec. 4.1.

    Examples
    --------
    >>> from bayescmp.frequentist import quade
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> round(quade(scores, method="exact").pvalue, 2)
    0.39
    """
    table = as_table(scores, "quade", metric, lower_is_better, ranked=False)
    return _omnibus("quade", table, tie_correction, tie_tolerance, method, resamples, seed)


# Shared.
#: The score of blocks, the name and the letter of the statistic of each test.
_TESTS = {
    "friedman": ("friedman", "Friedman test", "χ²"),
    "iman_davenport": ("friedman", "Iman-Davenport test", "F"),
    "friedman_aligned_ranks": ("aligned", "Friedman aligned-ranks test", "T"),
    "quade": ("quade", "Quade test", "F"),
}


def _omnibus(
    test: str,
    table: ScoreTable,
    tie_correction: bool,
    tie_tolerance: float | None,
    method: str,
    resamples: int,
    seed: Seed,
) -> TestResult:
    kind, title, symbol = _TESTS[test]
    blocks = block_scores(kind, table, tie_tolerance)
    n, k = blocks.a.shape
    scale = blocks.scale if tie_correction else blocks.printed_scale
    statistic = float(np.sum(blocks.totals**2) / scale)
    df: float | tuple[float, float] = float(k - 1)
    if symbol == "F":
        df, most = (k - 1.0, (k - 1.0) * (n - 1)), n * (k - 1)
        alike = statistic >= most * (1 - 1e-12)
        statistic = math.inf if alike else (n - 1) * statistic / (most - statistic)
    notes: tuple[str, ...] = ()
    if method == "exact":
        pvalue, notes = exact_pvalue(blocks.a), ("exact permutation p-value",)
    elif method == "permutation":
        pvalue = permutation_pvalue(blocks.a, resamples, seed)
        notes = (f"p-value from {resamples} random permutations",)
    elif math.isinf(statistic):  # the probability that the other data sets rank as the first does
        counts = np.unique(blocks.a[0], return_counts=True)[1]
        log_share = sum(math.lgamma(c + 1) for c in counts) - math.lgamma(k + 1)
        pvalue = math.exp((n - 1) * log_share)
        notes = ("exact permutation p-value: all data sets rank the algorithms alike",)
    else:
        upper = (
            stats.f.sf(statistic, *df) if isinstance(df, tuple) else stats.chi2.sf(statistic, df)
        )
        pvalue, informative = float(upper), blocks.informative
        way = arg("method", "exact" if k <= ENUMERABLE else "permutation")
        gives = "gives" if k <= ENUMERABLE else "comes near"
        if informative < FEW_BLOCKS:
            notes = (few_note(informative, f"{way} {gives} the exact one"),)
    if blocks.ties:
        notes = ("ties, " + ("corrected for" if tie_correction else "not corrected for"), *notes)
    return TestResult(
        method=title,
        cites=SOURCES["aligned" if kind == "aligned" else test],
        statistic=statistic,
        pvalue=pvalue,
        df=df,
        estimate=blocks.centres,
        names=table.algorithms,
        directions=table.directions,
        n=n,
        symbol=symbol,
        notes=notes,
        effect=concordance(blocks) if kind == "friedman" else None,
    )


# Page's test: do the algorithms improve in an order that was expected in advance?
@one_array(COLUMNS)
@validate_params(**RANKED, method=one_of("auto", "exact", "asymptotic"))
def page_trend(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    order: Sequence[str] | None = None,
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
    method: str = "auto",
) -> TestResult:
    """Perform Page's test of an ordered alternative: do scores improve in the given order?

    It is for algorithms whose natural order is known in advance: more layers, more data, less
    pruning. Against an order it has more power than `friedman`.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        One row per data set, one column per algorithm.
    order : sequence of str, optional
        The algorithms from the one expected to be the worst to the best; by default the columns'.
    metric, lower_is_better, tie_tolerance
        As for `friedman`.
    method : {"auto", "exact", "asymptotic"}
        Over all permutations within data sets, ties included, of at most 12 algorithms, or normal
        with the ranks' actual variance. "auto" is exact up to 8 algorithms and 20 data sets.

    Returns
    -------
    TestResult
        L = Σ j·R_j with rank sums R_j that grow with the score, and the one-sided p-value;
        ``estimate`` holds the mean ranks (1 the best).

    Raises
    ------
    InputError
        As for `friedman`; a bad order; method="exact" with more than 12 algorithms.

    See Also
    --------
    friedman, posthoc, bayescmp.bayesian.signed_rank

    References
    ----------
    Page 1963, JASA 58; Hollander & Wolfe 1999, sec. 7.2 (ties); ``scipy.stats.page_trend_test``.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.frequentist import page_trend
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> scores = pd.DataFrame(scores, columns=["C4.5", "C4.5+m", "C4.5+m+cf"])
    >>> round(page_trend(scores).pvalue, 2)
    0.27
    """
    table = as_table(scores, "page_trend", metric, lower_is_better)
    places = _places(order, table.algorithms)
    blocks = block_scores("friedman", table, tie_tolerance)
    n, k = blocks.a.shape
    ranks = (k + 1 - blocks.a)[:, places]  # the best has rank k
    weights = np.arange(1.0, k + 1)
    statistic = float(ranks.sum(axis=0) @ weights)
    if method == "exact" and k > 12:
        raise must(
            "method",
            "not be 'exact' for more than 12 algorithms",
            str(k),
            f"Use {arg('method', 'asymptotic')}.",
        )
    if method == "exact" or (method == "auto" and k <= 8 and n <= 20):
        p = reduce(np.convolve, map(_trend_in_block, map(tuple, np.sort(2 * ranks).astype(int))))
        pvalue, how = min(1.0, float(p[round(2 * statistic) :].sum())), "exact p-value"
    else:
        error = math.sqrt(blocks.scale * float(np.sum((weights - weights.mean()) ** 2)))
        pvalue = float(stats.norm.sf((statistic - n * k * (k + 1) ** 2 / 4) / error))
        ranked = "tied ranks" if blocks.ties else "ranks"
        how = f"approximate p-value, with the variance of the {ranked}"
    return TestResult(
        method="Page's trend test",
        statistic=statistic,
        pvalue=pvalue,
        alternative="increasing",
        estimate=blocks.centres,
        names=table.algorithms,
        n=n,
        symbol="L",
        notes=(
            "expected, from the worst to the best: "
            + ", ".join(table.algorithms[i] for i in places),
            how,
        ),
    ).of(table)


@cache
def _trend_in_block(doubled: tuple[int, ...]) -> np.ndarray:
    """Return the distribution of Σ j·2R_j over the orders of a data set's ranks, set by set."""
    k = len(doubled)
    most = sum(place * rank for place, rank in enumerate(sorted(doubled), 1))
    ways = np.zeros((2**k, most + 1))
    ways[0, 0] = 1.0
    for chosen in range(1, 2**k):
        place = chosen.bit_count()
        for i in (i for i in range(k) if chosen >> i & 1):
            add = place * doubled[i]
            ways[chosen, add:] += ways[chosen ^ 1 << i, : most + 1 - add]
    return np.asarray(ways[-1] / ways[-1].sum())


def _places(order: Sequence[str] | None, algorithms: tuple[str, ...]) -> list[int]:
    if order is None:
        return list(range(len(algorithms)))
    named = as_names(order, "order")
    if sorted(named) != sorted(algorithms):
        raise must_be(
            "order",
            f"every algorithm once, from the worst to the best: {', '.join(algorithms)}",
            named,
        )
    return [algorithms.index(name) for name in named]
