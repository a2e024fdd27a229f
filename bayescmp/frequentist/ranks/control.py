"""The multiple sign test: every algorithm against a control by the signs of differences."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.frequentist.pairs.places import index_of, pairs_of
from bayescmp.frequentist.pairs.result import PosthocResult
from bayescmp.frequentist.ranks.table import as_table
from bayescmp.frequentist.ranks.within import block_scores
from bayescmp.frequentist.signs.sign import sign_test

__all__ = ["multiple_sign"]

#: Orders of signs in a data set, and rows (states x orders) of a step, that are not too many.
MOST_ORDERS, MOST_ROWS = 2_000, 1_000_000


def multiple_sign(
    scores: ArrayLike,
    *,
    control: str | int,
    alternative: str = "two-sided",
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
    method: str = "auto",
    resamples: int = 99_999,
    seed: checks.Seed = None,
) -> PosthocResult:
    """The multiple sign test: which algorithms differ from a control, by wins and losses.

    Each algorithm's wins over the control less its losses are compared with the distribution of
    the largest of them under permutation within data sets, so that all comparisons together keep
    the level. It takes account of their correlation: all share the control's scores.

    Parameters
    ----------
    scores : array_like of shape (q, L) or DataFrame
        One row per data set, one column per algorithm.
    control : str or int
        The algorithm to compare with, by name or column.
    alternative : {"two-sided", "less", "greater"}
        "greater": others are better than the control.
    lower_is_better, tie_tolerance
        As for `friedman`. A tie is neither a win nor a loss.
    method : {"auto", "exact", "permutation"}
        All permutations, or ``resamples`` random ones; "auto" takes the first where they are few.
    resamples : int
        Random permutations.
    seed : int or Generator, optional
        For random permutations.

    Returns
    -------
    PosthocResult
        ``statistic`` is the number of wins over the control less that of losses, ``adjusted`` the
        family-wise p-value, ``pvalue`` that of the sign test of the pair alone, ``difference`` the
        mean rank of the control minus that of the other.

    Raises
    ------
    InputError
        As for `friedman`; an unknown control; too many cases for method="exact".

    See Also
    --------
    posthoc : With test="sign" and control: sign tests adjusted by Holm's and other procedures.
    sign_test : Of one pair.
    bayescmp.bayesian.sign : The Bayesian sign test of a pair, with a rope.

    References
    ----------
    Steel 1959, Biometrics 15; Rhyne & Steel 1965, Technometrics 7; García et al. 2010, Inf. Sci.
    180, sec. 4.1 (with the table of critical values that the exact distribution replaces).

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import multiple_sign
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(multiple_sign(scores, control="C4.5"))
    Multiple sign test, against C4.5, adjusted by single-step, n = 6
      C4.5      → C4.5+m        0.5833  wins - losses =        2  p = 0.688     adjusted p = 0.827
      C4.5      → C4.5+m+cf     0.4167  wins - losses =        2  p = 0.688     adjusted p = 0.827
      exact p-values, over all permutations within data sets
    """
    table = as_table(scores, test="multiple_sign", lower_is_better=lower_is_better)
    checks.choice("alternative", alternative, checks.ALTERNATIVES)
    checks.choice("method", method, ("auto", "exact", "permutation"))
    at = index_of(control, table.algorithms)
    ranks = block_scores("friedman", table, tie_tolerance).a
    pairs = pairs_of(ranks.shape[1], at)
    signs = np.sign(ranks[:, [at]] - ranks[:, pairs[:, 1]]).astype(np.int64)
    net = signs.sum(axis=0)
    tail, how = _tail(ranks, alternative, method, resamples, seed)
    centres = ranks.mean(axis=0)
    return PosthocResult(
        method="Multiple sign test",
        adjust="single-step",
        names=table.algorithms,
        pairs=pairs,
        difference=centres[pairs[:, 0]] - centres[pairs[:, 1]],
        statistic=net.astype(float),
        pvalue=np.array([_alone(column, alternative) for column in signs.T]),
        adjusted=tail[_sized(net, alternative) + len(ranks)],
        centres=centres,
        control=table.algorithms[at],
        n=len(ranks),
        symbol="wins - losses",
        notes=(how,),
    ).of(table)


def _alone(signs: np.ndarray, alternative: str) -> float:
    wins, losses = int((signs > 0).sum()), int((signs < 0).sum())
    return sign_test(wins, losses, len(signs) - wins - losses, alternative=alternative).pvalue


def _sized(net: np.ndarray, alternative: str) -> np.ndarray:
    """Wins less losses, with the sign such that large values favour the alternative."""
    return np.abs(net) if alternative == "two-sided" else net if alternative == "greater" else -net


def _tail(
    ranks: np.ndarray, alternative: str, method: str, resamples: int, seed: checks.Seed
) -> tuple[np.ndarray, str]:
    """P(largest ≥ c) for c = -n, ..., n, and how it was computed."""
    n = len(ranks)
    states = _exact(ranks) if method != "permutation" else None
    if states is None and method == "exact":
        raise InputError(
            f"method='exact' has too many cases to enumerate for {n} data sets and "
            f"{ranks.shape[1]} "
            "algorithms; use method='permutation'"
        )
    if states is None:
        resamples = checks.whole("resamples", resamples)
        net = _drawn(ranks, resamples, checks.generator(seed))
        largest = _sized(net, alternative).max(axis=1)
        hits = np.cumsum(np.bincount(largest + n, minlength=2 * n + 1)[::-1])[::-1]
        return (1 + hits) / (1 + resamples), f"p-values from {resamples} random permutations"
    net, weights = states
    largest = _sized(net, alternative).max(axis=1)
    mass = np.bincount(largest + n, weights=weights, minlength=2 * n + 1)
    tail = np.minimum(np.cumsum(mass[::-1])[::-1], 1.0)
    return tail, "exact p-values, over all permutations within data sets"


def _exact(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Net wins of all others, sorted, and their probabilities; None where they are too many."""
    k = ranks.shape[1]
    states: np.ndarray = np.zeros((1, k - 1), dtype=np.int64)
    weights: np.ndarray = np.ones(1)
    for row in ranks:
        if sum(_count(row, rank) for rank in np.unique(row)) > MOST_ORDERS:
            return None
        steps, chances = _orders(row)
        if len(states) * len(steps) > MOST_ROWS:
            return None
        totals = np.sort((states[:, None, :] + steps).reshape(-1, k - 1), axis=1)
        states, inverse = np.unique(totals, axis=0, return_inverse=True)
        weights = np.bincount(inverse.reshape(-1), weights=np.outer(weights, chances).ravel())
    return states, weights


def _orders(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Signs of the others against the control over all permutations of a data set's ranks."""
    chances: dict[tuple[int, ...], float] = {}
    k = len(row)
    for rank, times in zip(*np.unique(row, return_counts=True), strict=True):
        wins, losses = int((row < rank).sum()), int((row > rank).sum())
        cases = list(_arrangements(k - 1, wins, losses))
        for case in cases:
            chances[case] = chances.get(case, 0.0) + times / (k * len(cases))
    return np.array(list(chances), dtype=np.int64), np.array(list(chances.values()))


def _count(row: np.ndarray, rank: float) -> int:
    """In how many ways the signs may fall where the control has this rank."""
    losses, others = int((row > rank).sum()), len(row) - 1
    wins = int((row < rank).sum())
    return math.comb(others, wins) * math.comb(others - wins, losses)


def _arrangements(size: int, wins: int, losses: int) -> list[tuple[int, ...]]:
    """All ways to place this many wins and losses, the rest being ties."""
    cases = []
    for up in combinations(range(size), wins):
        left = [i for i in range(size) if i not in up]
        for down in combinations(left, losses):
            signs = np.zeros(size, dtype=np.int64)
            signs[list(up)], signs[list(down)] = 1, -1
            cases.append(tuple(int(s) for s in signs))
    return cases


def _drawn(ranks: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Net wins of the others under random permutations, shape (resamples, k - 1)."""
    n, k = ranks.shape
    batch = max(1, 2_000_000 // ranks.size)
    parts = []
    for start in range(0, resamples, batch):
        size = min(batch, resamples - start)
        moved = rng.permuted(np.broadcast_to(ranks, (size, n, k)), axis=2)
        parts.append(np.sign(moved[:, :, :1] - moved[:, :, 1:]).sum(axis=1).astype(np.int64))
    return np.concatenate(parts)
