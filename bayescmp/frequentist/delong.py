"""DeLong's test: areas under ROC curves of the same test items, and their interval."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import checks
from bayescmp.curves.folds import Folds, as_folds, by_fold
from bayescmp.errors import InputError
from bayescmp.frequentist.results import TestResult

__all__ = ["delong"]


def delong(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    items: ArrayLike | None = None,
    positive: object = None,
    alternative: str = "two-sided",
    names: tuple[str, str] = ("first", "second"),
) -> TestResult:
    """DeLong's test of two correlated areas under the ROC curve, or the interval of one.

    The test is about other items, not other training sets; for those see `auc_test`. With several
    folds the mean area is tested, taking the models of the folds as they are.

    Parameters
    ----------
    y : array_like of shape (n,) or (folds, n), or sequence of one array per fold
        Class labels of the test items; one vector if all folds share a test set.
    first, second : array_like of shape (n,) or (folds, n), or sequence of one array per fold
        Scores of the two algorithms for the same items, higher for the positive class. Without
        ``second`` the area of the first is tested against 0.5.
    items : array_like shaped as ``first``, optional
        The item of each score, where folds share items, as repeats of a cross-validation do. If
        not given, folds with test sets of their own are taken to share none.
    positive : label, optional
        The positive class; 1 or True if not given.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second area is the larger, or the one area is over 0.5.
    names : (str, str)
        The algorithms.

    Returns
    -------
    TestResult
        z, normal for many items of both classes. ``estimate`` is the difference of the areas,
        second minus first, or the one area, with an interval; ``n`` counts the items. If the
        estimated variance is 0 (an area of 1, say), p is 0, or 1 without a difference, and a note
        says so.

    Raises
    ------
    InputError
        Labels, scores and items that do not fit, fewer than 2 items of a class in a fold.

    See Also
    --------
    auc_test : A paired t test of the folds' areas.
    bayescmp.curves.auc_interval : From the area and the class sizes alone.
    bayescmp.bayesian.correlated_t : The Bayesian comparison of areas over folds.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44, eq. 1-6; Sun & Xu 2014, IEEE Signal
    Processing Letters 21 (by midranks); LeDell, Petersen & van der Laan 2015, Electronic Journal
    of Statistics 9 (over folds).

    Examples
    --------
    Scores of two classifiers for ten items, five of them positive:

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
    names = checks.names(names)
    folds = [as_folds(y, scores, positive=positive) for scores in given]
    areas, covariance, n = _areas(folds, _items(items, folds))
    weights = np.array([1.0]) if second is None else np.array([-1.0, 1.0])
    estimate = float(weights @ areas)
    error = math.sqrt(max(float(weights @ covariance @ weights), 0.0))
    error = 0.0 if error < 1e-12 else error
    excess = estimate - (0.5 if second is None else 0.0)
    what = "area under the ROC curve against 0.5" if second is None else "areas under ROC curves"
    texts = [f"AUC {area:.4f} ({name})" for area, name in zip(areas, names, strict=False)]
    return TestResult(
        method=f"DeLong test, {what}",
        statistic=excess / error if error else math.copysign(math.inf, excess) if excess else 0.0,
        pvalue=_pvalue(excess, error, alternative),
        alternative=alternative,
        estimate=estimate,
        standard_error=error,
        names=names[: len(given)],
        n=n,
        symbol="z",
        notes=(", ".join(texts), *(() if error else ("the estimated variance is 0",))),
        interval=partial(_interval, estimate, error, alternative, 0.0 if second is None else -1.0),
    )


# -- helpers -----------------------------------------------------------------------------------


def _items(items: ArrayLike | None, folds: list[Folds]) -> list[np.ndarray]:
    """Which item each case of each fold is, as numbers from 0."""
    size = folds[0].size
    if any(not np.array_equal(f.size, size) for f in folds):
        raise InputError("first and second have folds of unlike sizes; accepted: the same items")
    if items is None and folds[0].shared:
        return [np.arange(size[0])] * len(size)
    rows = np.split(np.arange(size.sum()), np.cumsum(size)[:-1])
    if items is None:
        return rows
    given = by_fold(items, "items")[0]
    if [len(row) for row in given] != size.tolist():
        raise InputError("items does not fit the scores; accepted: one for each score of a fold")
    numbers = np.unique(np.concatenate(given), return_inverse=True)[1]
    return [numbers[row] for row in rows]


def _areas(folds: list[Folds], items: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, int]:
    """Mean areas of the algorithms, their covariance matrix, and how many items there are."""
    number = max(int(i.max()) for i in items) + 1
    areas = np.zeros(len(folds))
    influence = np.zeros((number, len(folds)))  # of each item on the mean areas
    for k, item in enumerate(items):
        hits = folds[0].positive[k, : len(item)]
        _check_classes(hits, "y" if folds[0].single else f"fold {k} of y")
        scores = np.array([f.score[k, : len(item)] for f in folds])
        wins, losses = _placements(scores[:, hits], scores[:, ~hits])
        areas += wins.mean(axis=1)
        for part, values in ((hits, wins), (~hits, losses)):
            m = values.shape[1]
            centred = (values - values.mean(axis=1, keepdims=True)).T
            influence[item[part]] += centred / math.sqrt(m * (m - 1))
    count = len(items)
    return areas / count, influence.T @ influence / count**2, number


def _check_classes(hits: np.ndarray, where: str) -> None:
    for count, kind in ((hits.sum(), "positive"), ((~hits).sum(), "negative")):
        if count < 2:
            raise InputError(f"{where} has {count} {kind} cases; delong needs at least 2")


def _placements(positive: np.ndarray, negative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the negatives beneath each positive, of the positives above each negative."""
    m, n = positive.shape[1], negative.shape[1]
    among_all = stats.rankdata(np.concatenate([positive, negative], axis=1), axis=1)
    wins = (among_all[:, :m] - stats.rankdata(positive, axis=1)) / n
    losses = 1 - (among_all[:, m:] - stats.rankdata(negative, axis=1)) / m
    return wins, losses


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
