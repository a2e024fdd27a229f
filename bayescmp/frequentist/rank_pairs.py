"""Post-hoc tests over data sets: all pairs or against a control; critical differences."""

from __future__ import annotations

import math
import re
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base import checks
from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import COLUMNS, flag, one_array, one_of, share, sided, validate_params
from bayescmp.base.magnitudes import TIED
from bayescmp.base.typing import Json
from bayescmp.frequentist.effects import signed_ranks
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.multiplicity import critical_value, find_procedure
from bayescmp.frequentist.omnibus import BlockScores, block_scores, merge, permute_blocks
from bayescmp.frequentist.ranks import FEW_BLOCKS, RANKED, ScoreTable, as_table, few_note
from bayescmp.frequentist.results import PosthocResult, index_of, pairs_of
from bayescmp.frequentist.signs import count_signs, pvalue_of, sign_tests
from bayescmp.scores.scores import Scores
from bayescmp.wording.references import SOURCES


# Critical differences: how far apart mean ranks have to be for a difference that counts.
@validate_params(alpha=share, control=flag)
def critical_difference(L: int, q: int, *, alpha: float = 0.05, control: bool = False) -> float:
    """Return the critical difference of mean ranks, q_α √(L(L+1)/(6q)).

    Parameters
    ----------
    L, q : int
        Numbers of algorithms, at least 2, and of data sets, at least 1.
    alpha : float
        Family-wise level.
    control : bool
        Whether for comparisons with a control (Bonferroni-Dunn) and not all pairs (Nemenyi).

    Returns
    -------
    float
        With q_α the quantile of the studentized range with infinite d.o.f. over √2, or the normal
        quantile at α/(2(L-1)) for a control.

    Raises
    ------
    InputError
        Too few algorithms or data sets, a level outside (0, 1).

    See Also
    --------
    nemenyi, bayescmp.plots.plot_critical_difference

    References
    ----------
    Demšar 2006, JMLR 7, table 5. (The R package scmamp takes L(q-1) d.o.f. instead.)

    Examples
    --------
    Four algorithms on 14 data sets (Demšar 2006, sec. 3.2.4): all pairs, and against a control:

    >>> from bayescmp.frequentist import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    >>> round(critical_difference(4, 14, control=True), 2)
    1.17
    """
    L, q = checks.check_whole("L", L, 2), checks.check_whole("q", q)
    method = "bonferroni" if control else "nemenyi"
    pairs = L - 1 if control else L * (L - 1) // 2
    return critical_value(alpha, method, L, pairs) * math.sqrt(L * (L + 1) / (6 * q))


# Distributions of a difference of two rank totals: Conover's t, and the exact one.


#: Scores are multiples of 1/4: ranks, halved by ties, centred, and weighted.
UNITS = 4


def conover(blocks: BlockScores) -> tuple[float, int]:
    """Return the standard error of a difference of two centres from the ranks' residuals.

    √((n(k-1) - Q)/((n-1)(k-1))) times that under permutation, with Q = ΣT²/V: the part of the
    variance within data sets that the algorithms don't explain. Conover & Iman 1979; Conover 1999,
    sec. 5.8, eq. 6 (Friedman) and eq. 10 (Quade).
    """
    n, k = blocks.a.shape
    q = float(np.sum(blocks.totals**2)) / blocks.scale
    left = (n * (k - 1) - q) / ((n - 1) * (k - 1))
    if left <= 1e-12:
        raise must(
            "distribution",
            "not be 't' if all data sets rank the algorithms alike",
            hint=f"That leaves no error to compare with. Use {arg('distribution', 'exact')}.",
        )
    return blocks.standard_error * math.sqrt(left), (n - 1) * (k - 1)


def difference_distribution(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distribution of T_i - T_j over all permutations within (independent) blocks."""
    units = np.rint(UNITS * (a - a.min(axis=1, keepdims=True))).astype(np.int64)
    step = max(int(np.gcd.reduce(units, axis=None)), 1)
    units //= step
    k = units.shape[1]
    reach = int(np.ptp(units, axis=1).sum())
    mass, edge = np.zeros(2 * reach + 1), 0
    mass[reach] = 1.0
    for row in units:
        gaps, counts = np.unique(row[:, None] - row, return_counts=True)
        counts = counts - np.where(gaps == 0, k, 0)  # a place is not paired with itself
        new = np.zeros_like(mass)
        for gap, count in zip(gaps, counts / (k * (k - 1)), strict=True):
            here = slice(reach - edge, reach + edge + 1)
            new[reach - edge + gap : reach + edge + gap + 1] += count * mass[here]
        mass, edge = new, edge + int(gaps.max())
    return np.arange(-reach, reach + 1) * step / UNITS, mass


def exact_pvalues(blocks: BlockScores, pairs: np.ndarray) -> np.ndarray:
    """Return P(|T_i - T_j| ≥ the one observed) over all permutations within data sets.

    For Friedman's ranks without ties: Eisinga, Heskes, Pelzer & Te Grotenhuis 2017, BMC
    Bioinformatics 18:68; else the distribution of the actual scores.
    """
    values, mass = difference_distribution(blocks.a)
    middle = len(values) // 2
    tail = np.r_[1.0, 2 * np.cumsum(mass[:middle:-1])[::-1]]  # P(|D| ≥ 0), P(|D| ≥ 1 unit), ...
    gaps = np.abs(blocks.totals[pairs[:, 0]] - blocks.totals[pairs[:, 1]])
    places = np.rint(gaps / (values[1] - values[0])).astype(int)
    return np.asarray(np.minimum(tail[places], 1.0))


_ALIASES = {
    "iman-davenport": "friedman",
    "friedman-aligned-ranks": "aligned",
    "aligned-ranks": "aligned",
    "friedman-aligned": "aligned",
    "sign-test": "sign",
}


#: Tests whose post-hoc comparisons are offered: their names, and what orders the algorithms.
_TITLES = {
    "friedman": ("Friedman post-hoc test", "mean rank"),
    "aligned": ("Aligned-ranks post-hoc test", "mean aligned rank"),
    "quade": ("Quade post-hoc test", "weighted mean rank"),
    "wilcoxon": ("Pairwise Wilcoxon tests", "mean rank"),
    "sign": ("Pairwise sign tests", "mean rank"),
}


@one_array(COLUMNS)
@validate_params(**RANKED, variance=one_of("permutation", "published"))
def posthoc(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    test: str = "friedman",
    adjust: str = "holm",
    control: str | int | None = None,
    variance: str = "permutation",
    distribution: str = "normal",
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> PosthocResult:
    """Test which algorithms differ, in all pairs or each from a control.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        One row per data set, one column per algorithm.
    test : {"friedman", "aligned", "quade", "wilcoxon", "sign"}
        The first three compare mean ranks of the omnibus test of that name, z = (R_i -
        R_j)/standard error; the last two use only the scores of the pair (Benavoli et al. 2016).
    adjust : str
        One of the procedures of `adjust`.
    control : str or int, optional
        The algorithm to compare with, by name or column; all pairs if not given.
    variance : {"permutation", "published"}
        Of T_i - T_j. "permutation" (within data sets) is right for all three tests, with and
        without ties. "published" reproduces papers; see Notes.
    distribution : {"normal", "t", "exact"}
        Of the mean ranks' difference. "t" is Conover's test of Friedman's ranks, and the usual one
        of Quade's: the ranks' error mean square with (n-1)(L-1) degrees of freedom, for use after
        an omnibus test that rejects; see Notes. "exact" is over all permutations within data sets,
        ties included.
    metric, lower_is_better, tie_tolerance
        As for `friedman`.

    Returns
    -------
    PosthocResult
        ``difference`` is the first's mean rank minus the second's: positive if the second is
        better.

    Raises
    ------
    InputError
        As for `friedman`; an unknown test, adjustment or control; all-pairs adjustment with a
        control.

    See Also
    --------
    friedman, average_ranks, bayescmp.bayesian.signed_rank

    Notes
    -----
    Published standard errors, for L algorithms and n data sets: Friedman √(L(L+1)/(6n)), which is
    right without ties; aligned ranks √(L(nL+1)/6), by which García et al. (2010) computed (they
    print √(L(n+1)/6)); Quade √(L(L+1)(2n+1)(L-1)/(18n(n+1))). The others do not control the error
    rate: with 4 algorithms and 24 data sets they reject true null hypotheses at 5% in 8%, 38% and
    1% of cases.

    The variance of the rank tests assumes that all algorithms are equal. If only the two compared
    are, the error rate may be far below the level, or above it: two noisy algorithms with the
    others always in between were declared different in 8 to 26% of simulated tables at 5%, by
    Wilcoxon's test in 5%. Conover's t controls its error rate if all are alike.

    References
    ----------
    Demšar 2006, JMLR 7, sec. 3.2.2; García & Herrera 2008, JMLR 9; García et al. 2010, Inf.
    Sci. 180, sec. 4.2; Benavoli, Corani & Mangili 2016, JMLR 17 (on mean ranks); Conover 1999,
    sec. 5.8 (t); Eisinga et al. 2017, BMC Bioinformatics 18:68 (exact).

    Examples
    --------
    >>> from bayescmp.frequentist import posthoc
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> print(posthoc(scores, test="wilcoxon"))
    A2 comes first; no pair of 3 differs at 0.05
    <BLANKLINE>
    A   B   difference    W     p  adjusted
    A1  A2      0.5833  5.5  0.34      1.00
    A1  A3      0.4167    6  0.44      1.00
    A2  A3     −0.1667    7  1.00      1.00
    difference: of mean ranks, positive if B is better
    <BLANKLINE>
    Pairwise Wilcoxon tests, all pairs, adjusted with Holm's method, n = 6
    """
    plain = re.sub(r"[\s_]+", "-", str(test).strip().lower())
    kind = checks.check_choice("test", _ALIASES.get(plain, plain), _TITLES)
    ranked = kind in ("friedman", "sign")
    table = as_table(scores, "posthoc", metric, lower_is_better, ranked=ranked)
    method = find_procedure(adjust)
    at = None if control is None else index_of(control, table.algorithms)
    if at is not None and method in ("nemenyi", "shaffer", "bergmann-hommel"):
        raise must_be(
            "adjust",
            f"'holm', 'hommel' or 'bonferroni' (Dunn) with {arg('control', control)}",
            adjust,
        )
    _check_distribution(distribution, kind, method, variance)
    alone = kind in ("wilcoxon", "sign")
    if alone:
        own = None if variance == "permutation" else variance
        checks.check_unused(f"{arg('test', kind)} has its own variance", variance=own)
    blocks = block_scores("friedman" if alone else kind, table, tie_tolerance)
    pairs = pairs_of(len(table.algorithms), at)
    if alone:
        tests = _test_alone(kind, table, blocks, pairs, tie_tolerance)
    else:
        tests = _test_means(blocks, pairs, method, variance == "published", distribution)
    title, measure = _TITLES[kind]
    if kind == "friedman" and (distribution == "t" or method == "nemenyi"):
        title = "Conover post-hoc test" if distribution == "t" else "Nemenyi test"
    return PosthocResult(
        **tests,
        method=title,
        cites=() if distribution == "t" else SOURCES[kind],
        adjust=method,
        names=table.algorithms,
        pairs=pairs,
        difference=_places_gained(blocks.centres, pairs),
        adjusted=adjust_p(tests["pvalue"], method),
        centres=blocks.centres,
        measure=measure,
        control=None if at is None else table.algorithms[at],
        n=len(blocks.a),
    ).of(table)


@one_array(COLUMNS)
@validate_params(**RANKED)
def nemenyi(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    variance: str = "published",
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> PosthocResult:
    """Perform Nemenyi's test: all pairs of mean ranks by the studentized range.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        One row per data set, one column per algorithm.
    variance : {"published", "permutation"}
        "published": a pair differs if its mean ranks are at least `critical_difference` apart
        (Demšar 2006). "permutation" is the same without ties, and less conservative with ties.
    metric, lower_is_better, tie_tolerance
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
    critical_difference, posthoc, bayescmp.bayesian.signed_rank

    References
    ----------
    Nemenyi 1963; Demšar 2006, JMLR 7, sec. 3.2.2.

    Examples
    --------
    >>> from bayescmp.frequentist import nemenyi
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> nemenyi(scores).adjusted.round(2)
    array([0.57, 0.75, 0.96])
    """
    return posthoc(
        test="friedman",
        adjust="nemenyi",
        scores=scores,
        metric=metric,
        variance=variance,
        lower_is_better=lower_is_better,
        tie_tolerance=tie_tolerance,
    )


def _check_distribution(distribution: str, kind: str, method: str, variance: str) -> None:
    """Refuse, with other distributions, what only the normal one is for."""
    if checks.check_choice("distribution", distribution, ("normal", "t", "exact")) == "normal":
        return
    if kind in ("wilcoxon", "sign"):
        raise must_be(
            "distribution", f"left out with {arg('test', kind)}, which has its own", distribution
        )
    if kind == "aligned" and distribution == "t":
        raise must_be(
            "distribution", f"'normal' or 'exact' with {arg('test', 'aligned')}", distribution
        )
    if method == "nemenyi" or variance == "published":
        other = (
            f"{arg('adjust', 'nemenyi')}"
            if method == "nemenyi"
            else f"{arg('variance', 'published')}"
        )
        raise must_be("distribution", f"'normal' with {other}", distribution)


def _places_gained(centres: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    return np.asarray(centres[pairs[:, 0]] - centres[pairs[:, 1]])


def _test_means(
    blocks: BlockScores, pairs: np.ndarray, method: str, printed: bool, distribution: str
) -> Json:
    error, df = blocks.printed_error if printed else blocks.standard_error, math.inf
    notes: tuple[str, ...] = ()
    if printed and blocks.kind != "friedman":
        notes = ("published standard error, for reproducing papers",)
    if distribution == "t":
        error, df = conover(blocks)
        notes = (f"df = {df:g}",)
    if blocks.informative < FEW_BLOCKS and distribution != "exact":
        call = f"posthoc(..., test={blocks.kind!r}, distribution='exact')"
        way = f"{either(call, distribution='exact')} gives the exact ones"
        notes = (*notes, few_note(blocks.informative, way, what="p-values"))
    z = _places_gained(blocks.centres, pairs) / error
    symbol = "t" if distribution == "t" else "z"
    tests = {"statistic": z, "standard_error": error, "symbol": symbol}
    if distribution == "exact":
        notes = ("exact p-values, over all permutations within data sets",)
        return {**tests, "pvalue": exact_pvalues(blocks, pairs), "notes": notes}
    size = np.abs(z)
    raw = 2 * (stats.norm.sf(size) if math.isinf(df) else stats.t.sf(size, df))
    critical = None  # which single-step procedures have
    if method in ("none", "bonferroni", "nemenyi"):
        k = blocks.a.shape[1]
        critical = partial(critical_value, method=method, k=k, pairs=len(pairs), df=df)
    return {**tests, "pvalue": raw, "notes": notes, "critical": critical}


def _test_alone(
    kind: str,
    table: ScoreTable,
    blocks: BlockScores,
    pairs: np.ndarray,
    tie_tolerance: float | None,
) -> Json:
    """Test pairs by only their own scores; mean ranks only give the order."""
    # Ties are those of the ranking, so that both kinds of test agree on what a tie is.
    step = _places_gained(blocks.a.T, pairs).T
    if kind == "sign":
        statistic, raw = sign_tests(*count_signs(step), len(step))
        return {"statistic": statistic, "pvalue": raw, "symbol": "wins"}
    gain = table.oriented[:, pairs[:, 1]] - table.oriented[:, pairs[:, 0]]
    gain = np.where(step == 0, 0.0, gain)
    size = np.abs(table.values)
    near = TIED * np.maximum(size[:, pairs[:, 0]], size[:, pairs[:, 1]])
    near = 0.0 * near if tie_tolerance == 0 else near
    ranked = [signed_ranks(x, tolerance=t) for x, t in zip(gain.T, near.T, strict=True)]
    statistic = np.array([min(r.sums) for r in ranked])
    raw = np.array([pvalue_of(r)[0] for r in ranked])
    return {"statistic": statistic, "pvalue": raw, "symbol": "W"}


# The multiple sign test: every algorithm against a control by the signs of differences.


#: Orders of signs in a data set, and rows (states x orders) of all steps, that are not too many.
MOST_ORDERS, MOST_ROWS = 2_000, 10_000_000


@validate_params(**RANKED, alternative=sided, method=one_of("auto", "exact", "permutation"))
def multiple_sign(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    control: str | int,
    alternative: str = "two-sided",
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
    method: str = "auto",
    resamples: int = 99_999,
    seed: checks.Seed = None,
) -> PosthocResult:
    """Perform the multiple sign test: which algorithms differ from a control, by wins and losses?

    Each algorithm's wins over the control minus its losses are compared with the permutation
    distribution of the largest of these differences. This controls the family-wise error rate, and
    takes account of the correlation of comparisons that share the control's scores.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        One row per data set, one column per algorithm.
    control : str or int
        The algorithm to compare with, by name or column.
    alternative : {"two-sided", "less", "greater"}
        "greater": others are better than the control.
    metric, lower_is_better, tie_tolerance
        As for `friedman`. A tie is neither a win nor a loss.
    method : {"auto", "exact", "permutation"}
        All permutations, or ``resamples`` random ones; "auto" takes all if they are few.
    resamples : int
        Of random permutations.
    seed : int or Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    PosthocResult
        ``statistic`` is wins minus losses against the control, ``adjusted`` the family-wise
        p-value, ``pvalue`` the pair's sign test, ``difference`` the control's mean rank minus the
        other's.

    Raises
    ------
    InputError
        As for `friedman`; an unknown control; too many permutations for method="exact".

    See Also
    --------
    posthoc, sign_test, bayescmp.bayesian.sign

    References
    ----------
    Steel 1959, Biometrics 15; Rhyne & Steel 1965, Technometrics 7; García et al. 2010, Inf. Sci.
    180, sec. 4.1 (its table of critical values is replaced by the exact distribution).

    Examples
    --------
    >>> from bayescmp.frequentist import multiple_sign
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> multiple_sign(scores, control=0).adjusted.round(2)
    array([0.83, 0.83])
    """
    table = as_table(scores, "multiple_sign", metric, lower_is_better)
    at = index_of(control, table.algorithms)
    ranks = block_scores("friedman", table, tie_tolerance).a
    pairs = pairs_of(ranks.shape[1], at)
    signs = np.sign(ranks[:, [at]] - ranks[:, pairs[:, 1]]).astype(np.int64)
    net = signs.sum(axis=0)
    resamples = checks.check_whole("resamples", resamples, each=ranks.shape[1])
    tail, how = _tail(ranks, alternative, method, resamples, seed)
    centres = ranks.mean(axis=0)
    return PosthocResult(
        method="Multiple sign test",
        cites=SOURCES["multiple_sign"],
        adjust="single-step",
        names=table.algorithms,
        pairs=pairs,
        difference=_places_gained(centres, pairs),
        statistic=net.astype(float),
        pvalue=sign_tests(*count_signs(signs), len(ranks), alternative)[1],
        adjusted=tail[_orient_net(net, alternative) + len(ranks)],
        centres=centres,
        control=table.algorithms[at],
        n=len(ranks),
        symbol="wins - losses",
        notes=(how,),
    ).of(table)


def _orient_net(net: np.ndarray, alternative: str) -> np.ndarray:
    """Return wins minus losses, signed such that large values favour the alternative."""
    return np.abs(net) if alternative == "two-sided" else net if alternative == "greater" else -net


def _tail(
    ranks: np.ndarray, alternative: str, method: str, resamples: int, seed: checks.Seed
) -> tuple[np.ndarray, str]:
    """Return P(largest ≥ c) for c = -n, ..., n, and how it was computed."""
    n = len(ranks)
    states = _enumerate_wins(ranks) if method != "permutation" else None
    if states is None and method == "exact":
        raise must(
            "method",
            "not be 'exact' if there are too many cases to enumerate",
            f"{n} data sets and {ranks.shape[1]} algorithms",
            f"Use {arg('method', 'permutation')}.",
        )
    if states is None:
        net, weights = _draw_net_wins(ranks, resamples, checks.make_generator(seed)), None
    else:
        net, weights = states
    largest = _orient_net(net, alternative).max(axis=1)
    mass = np.bincount(largest + n, weights=weights, minlength=2 * n + 1)
    tail = np.cumsum(mass[::-1])[::-1]
    if weights is None:
        return (1 + tail) / (1 + resamples), f"p-values from {resamples} random permutations"
    return np.minimum(tail, 1.0), "exact p-values, over all permutations within data sets"


def _enumerate_wins(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return all others' net wins, sorted, and their probabilities; None if they are too many."""
    n, k = ranks.shape
    states: np.ndarray = np.zeros((1, k - 1), dtype=np.int64)
    weights: np.ndarray = np.ones(1)
    rows, patterns = 0, _patterns(ranks)
    orders = [orders for _, _, orders in patterns]
    without_ties = n * math.comb(n + k - 1, k - 1) * min(orders) / k
    if max(orders) > MOST_ORDERS or without_ties > MOST_ROWS:
        return None
    for row, times, _ in patterns:
        steps, chances = _orders(row)
        for _ in range(times):
            rows += len(states) * len(steps)
            if rows > MOST_ROWS:
                return None
            totals = np.sort((states[:, None, :] + steps).reshape(-1, k - 1), axis=1)
            states, weights = merge(totals, totals, np.outer(weights, chances).ravel())
    return states, weights


def _patterns(ranks: np.ndarray) -> list[tuple[np.ndarray, int, int]]:
    """Return sorted ranks, how many data sets have them, and in how many ways signs may fall."""
    rows, times = np.unique(np.sort(ranks, axis=1), axis=0, return_counts=True)
    orders = [sum(_count(row, rank) for rank in np.unique(row)) for row in rows]
    return list(zip(rows, times.tolist(), orders, strict=True))


def _orders(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the others' signs against the control over all permutations of a data set's ranks."""
    chances: dict[tuple[int, ...], float] = {}
    k = len(row)
    for rank, times in zip(*np.unique(row, return_counts=True), strict=True):
        wins, losses = int((row < rank).sum()), int((row > rank).sum())
        cases = list(_arrangements(k - 1, wins, losses))
        for case in cases:
            chances[case] = chances.get(case, 0.0) + times / (k * len(cases))
    return np.array(list(chances), dtype=np.int64), np.array(list(chances.values()))


def _count(row: np.ndarray, rank: float) -> int:
    """Count the ways in which the signs may fall when the control has this rank."""
    losses, others = int((row > rank).sum()), len(row) - 1
    wins = int((row < rank).sum())
    return math.comb(others, wins) * math.comb(others - wins, losses)


def _arrangements(size: int, wins: int, losses: int) -> list[tuple[int, ...]]:
    """Return all ways to place this many wins and losses, the rest being ties."""
    cases = []
    for up in combinations(range(size), wins):
        left = [i for i in range(size) if i not in up]
        for down in combinations(left, losses):
            signs = np.zeros(size, dtype=np.int64)
            signs[list(up)], signs[list(down)] = 1, -1
            cases.append(tuple(int(s) for s in signs))
    return cases


def _draw_net_wins(ranks: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the others' net wins by permutation, (resamples, k - 1); few patterns: their counts."""
    patterns = _patterns(ranks)
    ways = sum(orders for _, _, orders in patterns)
    if 2 * ways > ranks.size or ways > MOST_ORDERS:
        parts = [
            np.sign(moved[:, :, :1] - moved[:, :, 1:]).sum(axis=1).astype(np.int64)
            for moved in permute_blocks(ranks, resamples, rng)
        ]
        return np.concatenate(parts)
    net = np.zeros((resamples, ranks.shape[1] - 1), dtype=np.int64)
    for row, times, orders in patterns:
        steps, chances = _orders(row)
        steps = steps.astype(float)  # products of floats are fast
        batch = max(1, 2_000_000 // orders)
        for start in range(0, resamples, batch):
            part = net[start : start + batch]
            part += np.rint(rng.multinomial(times, chances, len(part)) @ steps).astype(np.int64)
    return net
