"""Scores within blocks: the table, its ranks and signed ranks, which all rank tests share.

Scores within blocks: the one mechanism behind Friedman, aligned ranks and Quade.

Each block b (data set) gives algorithm j a score a_bj that depends on the data; under the null
hypothesis the k scores of a block are exchangeable among the algorithms. Given the scores, the
totals T_j = Σ_b (a_bj - ā_b) then have mean zero and

    Cov(T) = V·(I - 11'/k),     V = Σ_b s_b²,     s_b² = Σ_j (a_bj - ā_b)²/(k-1),

whatever the ties, so that ΣT²/V has mean k - 1 and is about χ² with k - 1 degrees of freedom, and
Var(T_i - T_j) = 2V. Only the scores differ between the tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base import checks
from bayescmp.base.declare import Kind, flag, number, optional
from bayescmp.base.magnitudes import TIED, check_size
from bayescmp.errors import DirectionWarning, InputError, warn_user
from bayescmp.frequentist.described import Described
from bayescmp.scores.columns import check_axes
from bayescmp.scores.metrics import Direction
from bayescmp.scores.scores import Scores
from bayescmp.scores.tables import ATTRS
from bayescmp.wording.text import counted

__all__ = [
    "RANKED",
    "BlockScores",
    "SignedRanks",
    "Table",
    "as_table",
    "block_scores",
    "exact_pvalue",
    "normal_pvalue",
    "rank_rows",
    "signed_ranks",
    "sum_distribution",
]


# A table of scores, data sets by algorithms, checked.


#: The kinds of what most tests of ranks take.
RANKED: dict[str, Kind] = {"lower_is_better": flag, "tie_tolerance": optional(number(0))}


@dataclass(frozen=True, eq=False)
class Table(Described):
    """A table of scores, with labels; higher is better once ``oriented``.

    Attributes
    ----------
    values : ndarray of shape (q, L)
        Scores as given.
    algorithms, datasets : tuple of str
    lower_is_better : bool
    directions : tuple of Direction
        Of the metric, where the frame of means knows it.
    """

    values: np.ndarray
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    lower_is_better: bool

    @property
    def oriented(self) -> np.ndarray:
        """The scores with higher the better."""
        return -self.values if self.lower_is_better else self.values


def as_table(
    scores: ArrayLike | Scores,
    *,
    test: str,
    metric: str | None = None,
    lower_is_better: bool = False,
    missing: bool = False,
    least_algorithms: int = 3,
    least_datasets: int = 2,
) -> Table:
    """Check a table of scores, data sets by algorithms.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        One row per data set, one column per algorithm; of `Scores` their means.
    test : str
        Who asks, for messages.
    metric : str, optional
        Of `Scores`, which know its direction; may be left out where they have one only.
    lower_is_better : bool
    missing : bool
        Whether NaN is accepted.
    least_algorithms, least_datasets : int
        How many the test needs.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        No two-dimensional table of numbers, missing or infinite scores (with their places), too
        few algorithms or data sets, duplicate names.
    """
    ways = ("scores", "scores.dropna()")
    if isinstance(scores, Scores):
        if lower_is_better:
            raise InputError(
                "lower_is_better is given, but Scores know it: Scores(frame, lower_is_better=...)"
            )
        metric = scores.metric_named(metric)
        lower_is_better, scores = scores.lower_is_better(metric), scores.means(metric)
        ways = (
            f"scores, metric={metric!r}",
            f"scores.select(datasets=scores.means({metric!r}).dropna().index)",
        )
    elif metric is not None:
        raise InputError(f"metric={metric!r} is for Scores, but scores is a table of one metric")
    check_axes(scores, "scores", "block", "algorithm")
    values = checks.numbers(
        scores, "scores", "(q, L): one row per data set, one column per algorithm"
    )
    if values.ndim != 2:
        raise InputError(
            f"scores has shape {values.shape}; accepted: (q, L), one row per data set, one column "
            "an algorithm"
        )
    datasets, algorithms = _labels(scores, values.shape)
    _check_least(test, values.shape, least_algorithms, least_datasets)
    _check_cells(values, datasets, algorithms, test, None if missing else ways)
    check_size(values, "scores")
    return Table(
        values,
        algorithms,
        datasets,
        bool(lower_is_better),
        directions=_directions(scores, lower_is_better),
    )


def _directions(scores: object, lower: bool) -> tuple[Direction, ...]:
    """Which way the metric of a frame of means is better, as it is ranked."""
    note = getattr(scores, "attrs", {}).get(ATTRS, {})
    if "metric" not in note:
        return ()
    known = note.get("better")
    side = "lower" if lower else "higher"
    if known is not None and known != side:
        warn_user(
            f"the table holds {note['metric']!r}, for which {known} is better, but is ranked as "
            f"{side}-is-better: give lower_is_better={not lower}",
            DirectionWarning,
        )
    return (Direction(str(note["metric"]), lower, "assumed" if known is None else "declared"),)


def _check_least(test: str, shape: tuple[int, ...], algorithms: int, datasets: int) -> None:
    q, L = shape
    if algorithms > L:
        instead = (
            ". For two algorithms over several data sets use wilcoxon(b - a) or sign_test(wins, "
            "losses)"
            if L == 2
            else ""
        )
        raise InputError(
            f"scores has {counted(L, 'algorithm')} (columns); {test} needs at least "
            f"{algorithms}{instead}"
        )
    if q < datasets:
        instead = ". On one data set use anova and tukey on the folds" if q == 1 else ""
        raise InputError(
            f"scores has {counted(q, 'data set')} (rows); {test} needs at least "
            f"{datasets}{instead}"
        )


def _check_cells(
    values: np.ndarray,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    test: str,
    ways: tuple[str, str] | None,
) -> None:
    """Refuse infinite cells, and missing ones where the ways out are given."""
    infinite, nan = np.isinf(values), np.isnan(values)
    if infinite.any():
        raise InputError(
            f"scores is infinite for {_cells(infinite, datasets, algorithms)}; {test} needs "
            "finite scores"
        )
    if nan.any() and ways is not None:
        raise InputError(
            f"scores is missing (NaN) for {_cells(nan, datasets, algorithms)}; {test} needs a "
            f"score of every algorithm on every data set. Use skillings_mack({ways[0]}), which "
            f"allows missing ones, or leave out those data sets yourself ({ways[1]})"
        )


def _cells(bad: np.ndarray, datasets: Sequence[str], algorithms: Sequence[str]) -> str:
    """The first few cells by name, and how many more there are."""
    places = np.argwhere(bad)
    named = [f"{algorithms[j]!r} on data set {datasets[i]!r}" for i, j in places[:3]]
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return ", ".join(named) + more


def _labels(scores: object, shape: tuple[int, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of rows and columns: those of a frame, else 1, 2, ... and A1, A2, ..."""
    if hasattr(scores, "columns") and hasattr(scores, "index"):
        columns = checks.labels("scores", scores.columns, shape[1])
        return tuple(checks.label(n, "the index of scores") for n in scores.index), columns
    return checks.labels("datasets", None, shape[0]), checks.labels("names", None, shape[1], "A")


# Scores within blocks: the one mechanism behind Friedman, aligned ranks and Quade.


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
        ties=_tied(ranks.reshape(1, -1)),
    )


def _quade(x: np.ndarray, tolerance: float | None) -> BlockScores:
    """Quade 1979: ranks weighted by the rank of their block's range."""
    n, k = x.shape
    ranks = rank_rows(-x, _within(x, tolerance))
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
        ties=_tied(ranks) or _tied(weights[None, :]),
    )


#: How each test scores a block.
KINDS = {"friedman": _friedman, "aligned": _aligned, "quade": _quade}


def _within(x: np.ndarray, tolerance: float | None) -> np.ndarray:
    return TIED * np.abs(x) if tolerance is None else np.full(x.shape, tolerance)


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


# Signed ranks of differences, and the null distribution of their sums.


#: Differences closer than this, relative to the largest, are equal but for rounding.
SIGNED_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class SignedRanks:
    """Ranks of the absolute differences that have a sign.

    Attributes
    ----------
    ranks : ndarray of shape (n,)
        Without the zeros'; these may have taken part in the ranking.
    positive : ndarray of bool, shape (n,)
    zeros : int
        Differences that are zero but for rounding.
    shared : float
        What each side gets of the zeros' ranks.
    """

    ranks: np.ndarray
    positive: np.ndarray
    zeros: int
    shared: float = 0.0

    @property
    def plus(self) -> float:
        """Rank sum of the positive differences, without a share of the zeros' ranks."""
        return float(self.ranks[self.positive].sum())

    @property
    def sums(self) -> tuple[float, float]:
        """Rank sums of the positive and of the negative differences."""
        minus = float(self.ranks[~self.positive].sum())
        return self.plus + self.shared, minus + self.shared


def signed_ranks(
    x: np.ndarray, zeros: str = "wilcox", tolerance: np.ndarray | float | None = None
) -> SignedRanks:
    """Rank absolute differences, ties and zeros found to rounding.

    Parameters
    ----------
    x : ndarray of shape (n,)
    zeros : {"wilcox", "pratt", "split"}
        As for `wilcoxon`.
    tolerance : float or ndarray of shape (n,), optional
        Absolute differences this close are tied, and those this small are zero; if not given
        `SIGNED_ROUNDING` times the largest.

    Returns
    -------
    SignedRanks
    """
    size = np.abs(x)
    if tolerance is None:
        tolerance = SIGNED_ROUNDING * size.max(initial=0.0)
    near = np.array(np.broadcast_to(tolerance, size.shape), dtype=float)
    zero = size <= near
    count = int(zero.sum())
    left_out = {"wilcox": count, "pratt": 0, "split": count % 2}[zeros]
    kept = np.ones(len(x), dtype=bool)
    kept[np.flatnonzero(zero)[:left_out]] = False
    size, near, zero = np.where(zero, 0.0, size)[kept], near[kept], zero[kept]
    ranks = rank_rows(size[None], near[None])[0]
    shared = float(ranks[zero].sum()) / 2 if zeros == "split" else 0.0
    return SignedRanks(ranks[~zero], x[kept][~zero] > 0, count, shared)


def sum_distribution(ranks: np.ndarray) -> np.ndarray:
    """Distribution of the sum of the ranks with a positive sign, all signs being fair coins.

    Parameters
    ----------
    ranks : ndarray of shape (n,)
        Whole numbers and halves.

    Returns
    -------
    ndarray
        P(twice the sum = 0), P(twice the sum = 1), ...
    """
    doubled = np.rint(2 * ranks).astype(int)  # mean ranks of ties end in .0 or .5
    p = np.zeros(int(doubled.sum()) + 1)
    p[0] = 1.0
    for r in doubled:
        shifted = np.zeros_like(p)
        shifted[r:] = p[: len(p) - r]
        p = (p + shifted) / 2
    return p


def exact_pvalue(ranks: np.ndarray, plus: float, alternative: str) -> float:
    """Exact p-value of the signed-rank test, conditional on the ranks and so right with ties.

    Parameters
    ----------
    ranks : ndarray of shape (n,)
        Ranks of the absolute differences, none of them zero.
    plus : float
        Rank sum of the positive differences.
    alternative : {"two-sided", "less", "greater"}

    Returns
    -------
    float
    """
    p = sum_distribution(ranks)
    at = round(2 * plus)
    below, above = float(p[: at + 1].sum()), float(p[at:].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(below, above))
    return min(1.0, below if alternative == "less" else above)


def normal_pvalue(
    ranks: np.ndarray, plus: float, alternative: str, *, correction: bool = False
) -> float:
    """P-value by the normal approximation, with the variance Σr²/4 of the ranks there are.

    Parameters
    ----------
    ranks, plus, alternative
        As for `exact_pvalue`.
    correction : bool
        Continuity correction of one half.

    Returns
    -------
    float
    """
    excess = plus - float(ranks.sum()) / 2
    side = {"greater": 1.0, "less": -1.0}.get(alternative, float(np.sign(excess)))
    z = (excess - 0.5 * side * correction) / (math.sqrt(float(ranks @ ranks)) / 2)
    if alternative == "two-sided":
        return float(2 * stats.norm.sf(abs(z)))
    return float(stats.norm.sf(side * z))
