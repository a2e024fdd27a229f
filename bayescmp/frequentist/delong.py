"""DeLong's test: areas under the ROC curves of one test set, and their interval."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import checks
from bayescmp.curves.folds import as_folds
from bayescmp.errors import InputError
from bayescmp.frequentist.results import TestResult

__all__ = ["delong"]


def delong(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    positive: object = None,
    alternative: str = "two-sided",
) -> TestResult:
    """DeLong's test of two correlated areas under the ROC curve, or the interval of one.

    The areas are those of one test set, and the test speaks of other cases, not of other training
    sets: for folds of a cross-validation see `auc_test`.

    Parameters
    ----------
    y : array_like of shape (n,)
        Class labels of the test cases.
    first, second : array_like of shape (n,)
        Scores of the two algorithms for the same cases, higher for the positive class. Without
        ``second`` the area of the first is tested against 0.5.
    positive : label, optional
        The positive class; 1 or True if not given.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second area is the larger, or the one area is over 0.5.

    Returns
    -------
    TestResult
        z, normal for many cases of both classes. ``estimate`` is the difference of the areas,
        second minus first, or the one area, with an interval. If the estimated variance is 0 (an
        area of 1, say), p is 0, or 1 without a difference, and a note says so.

    Raises
    ------
    InputError
        Labels and scores that do not fit, several folds, fewer than 2 cases of a class.

    See Also
    --------
    auc_test : For folds of a cross-validation.
    bayescmp.curves.auc_interval : From the area and the class sizes alone.
    bayescmp.bayesian.correlated_t : The Bayesian comparison of areas over folds.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44, eq. 1-6; Sun & Xu 2014, IEEE Signal
    Processing Letters 21 (by midranks).

    Examples
    --------
    Scores of two classifiers for ten cases, five of them positive:

    >>> from bayescmp.frequentist import delong
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> first = [0.1, 0.4, 0.6, 0.3, 0.8, 0.5, 0.7, 0.2, 0.9, 0.6]
    >>> second = [0.2, 0.1, 0.3, 0.4, 0.7, 0.6, 0.8, 0.5, 0.9, 0.7]
    >>> print(delong(y, first, second))
    DeLong test, areas under ROC curves: first vs second
      z = 1.8856, n = 10, p = 0.0593
      estimate 0.24, 95 % interval -0.009463 to 0.4895
      AUC 0.6600 (first), AUC 0.9000 (second)
    >>> low, high = delong(y, second).confidence_interval()
    >>> round(low, 3), round(high, 3)
    (0.685, 1.0)
    """
    checks.choice("alternative", alternative, checks.ALTERNATIVES)
    given = [first] if second is None else [first, second]
    names = ("first", "second")[: len(given)]
    hits, scores = _read(y, given, names, positive)
    areas, covariance = _areas(scores[:, hits], scores[:, ~hits])
    weights = np.array([1.0]) if second is None else np.array([-1.0, 1.0])
    estimate = float(weights @ areas)
    error = math.sqrt(max(float(weights @ covariance @ weights), 0.0))
    error = 0.0 if error < 1e-12 else error
    excess = estimate - (0.5 if second is None else 0.0)
    what = "area under the ROC curve against 0.5" if second is None else "areas under ROC curves"
    texts = [f"AUC {area:.4f} ({name})" for area, name in zip(areas, names, strict=True)]
    return TestResult(
        method=f"DeLong test, {what}",
        statistic=excess / error if error else math.copysign(math.inf, excess) if excess else 0.0,
        pvalue=_pvalue(excess, error, alternative),
        alternative=alternative,
        estimate=estimate,
        standard_error=error,
        names=names,
        n=len(hits),
        symbol="z",
        notes=(", ".join(texts), *(() if error else ("the estimated variance is 0",))),
        interval=partial(_interval, estimate, error, alternative, 0.0 if second is None else -1.0),
    )


# -- helpers -----------------------------------------------------------------------------------


def _read(
    y: ArrayLike, given: list[ArrayLike], names: tuple[str, ...], positive: object
) -> tuple[np.ndarray, np.ndarray]:
    """Which cases are positive, shape (n,), and the scores, shape (1 or 2, n)."""
    rows = []
    for scores, name in zip(given, names, strict=True):
        folds = as_folds(y, scores, positive=positive)
        if not folds.single:
            raise InputError(
                f"{name} has {len(folds.size)} folds; delong is for one test set, accepted: (n,). "
                "For folds use auc_test"
            )
        rows.append(folds.score[0])
        hits = folds.positive[0]
    for count, kind in ((hits.sum(), "positive"), ((~hits).sum(), "negative")):
        if count < 2:
            raise InputError(f"y has {count} {kind} cases; delong needs at least 2")
    return hits, np.array(rows)


def _areas(positive: np.ndarray, negative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Areas of the rows and their covariance matrix, by midranks."""
    m, n = positive.shape[1], negative.shape[1]
    among_all = stats.rankdata(np.concatenate([positive, negative], axis=1), axis=1)
    wins = (among_all[:, :m] - stats.rankdata(positive, axis=1)) / n  # over the negatives
    losses = 1 - (among_all[:, m:] - stats.rankdata(negative, axis=1)) / m
    covariance = np.atleast_2d(np.cov(wins)) / m + np.atleast_2d(np.cov(losses)) / n
    return wins.mean(axis=1), covariance


def _pvalue(excess: float, error: float, alternative: str) -> float:
    if error == 0:
        better = {"greater": excess > 0, "less": excess < 0}.get(alternative, excess != 0)
        return 0.0 if better else 1.0
    z = excess / error
    if alternative == "two-sided":
        return float(2 * stats.norm.sf(abs(z)))
    return float(stats.norm.sf(z if alternative == "greater" else -z))


def _interval(
    estimate: float, error: float, alternative: str, least: float, level: float
) -> tuple[float, float]:
    """Normal, within what areas (or their differences) can be."""
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    half = float(stats.norm.isf(tail)) * error
    low = least if alternative == "less" else max(estimate - half, least)
    return low, 1.0 if alternative == "greater" else min(estimate + half, 1.0)
