"""Paired t tests of the areas under curves of the same folds."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.curves import auc, auc_pr
from bayescmp.differences import Differences
from bayescmp.frequentist.paired.t import corrected_t, paired_t
from bayescmp.frequentist.results import TestResult
from bayescmp.metrics import direction

__all__ = ["TITLES", "auc_pr_test", "auc_test", "paired_areas"]

TITLES = {"error": "error test", "auc": "AUC test", "auc_pr": "AUC-PR test"}


def auc_test(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    rho: float | None = None,
    positive: object = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Paired t test on the folds' areas under the ROC curve.

    Parameters
    ----------
    y : array_like of shape (folds, n) or (n,), or sequence of one array per fold
        Class labels; one vector if all folds share a test set.
    first, second : array_like of shape (folds, n), or sequence of one array per fold
        The two algorithms' scores of the same cases, higher for the positive class.
    rho : float, optional
        Correlation of two folds' differences (1/folds in cross-validation): the corrected
        resampled t test. Without it folds count as independent, as in the thesis, which rejects
        too often if their training sets overlap.
    positive : label, optional
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.

    Returns
    -------
    TestResult

    Raises
    ------
    InputError
        Labels and scores that don't fit, a fold with one class, fewer than 2 folds.

    See Also
    --------
    auc_pr_test : For precision and recall.
    bayescmp.curves.auc : The areas.
    bayescmp.bayesian.correlated_t : The Bayesian twin, on the folds' areas.

    References
    ----------
    Aslan 2009, sec. 3.1; Nadeau & Bengio 2003 (rho).

    Examples
    --------
    Scores of two classifiers for six cases in each of three folds:

    >>> from bayescmp.frequentist import auc_test
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> first = [[.2, .4, .6, .3, .7, .8], [.1, .5, .3, .4, .6, .9], [.3, .2, .7, .6, .5, .9]]
    >>> second = [[.1, .3, .4, .6, .8, .9], [.2, .1, .3, .5, .7, .6], [.2, .3, .4, .7, .3, .8]]
    >>> print(auc_test(y, first, second, rho=1 / 3))
    AUC test (corrected resampled t): first vs second on auc ↑
      t = 1.6733, df = 2, n = 3, p = 0.236
      estimate 0.1296, 95 % interval -0.2037 to 0.4629
      rho 0.333: as given
    """
    difference = auc(y, second, positive=positive) - auc(y, first, positive=positive)
    return paired_areas(np.atleast_1d(difference), "auc", rho, alternative, ("first", "second"))


def auc_pr_test(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    rho: float | None = None,
    positive: object = None,
    method: str = "davis-goadrich",
    alternative: str = "two-sided",
) -> TestResult:
    """Paired t test on the folds' areas under the precision-recall curve.

    Parameters
    ----------
    y, first, second, rho, positive, alternative
        As for `auc_test`.
    method : {"davis-goadrich", "trapezoid"}
        How the area is taken; the thesis's is the trapezoid.

    Returns
    -------
    TestResult

    Raises
    ------
    InputError
        As for `auc_test`.

    See Also
    --------
    auc_test : For the ROC curve.
    bayescmp.curves.auc_pr : The areas.
    bayescmp.bayesian.correlated_t : The Bayesian twin, on the folds' areas.

    References
    ----------
    Aslan 2009, sec. 3.5.

    Examples
    --------
    Scores of two classifiers for six cases in each of three folds:

    >>> from bayescmp.frequentist import auc_pr_test
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> first = [[.2, .4, .6, .3, .7, .8], [.1, .5, .3, .4, .6, .9], [.3, .2, .7, .6, .5, .9]]
    >>> second = [[.1, .3, .4, .6, .8, .9], [.2, .1, .3, .5, .7, .6], [.2, .3, .4, .7, .3, .8]]
    >>> print(auc_pr_test(y, first, second, rho=1 / 3))
    AUC-PR test (corrected resampled t): first vs second on auc_pr ↑
      t = 4.6042, df = 2, n = 3, p = 0.0441
      estimate 0.1172, 95 % interval 0.007676 to 0.2267
      rho 0.333: as given
    """
    a, b = (auc_pr(y, s, positive=positive, method=method) for s in (first, second))
    return paired_areas(np.atleast_1d(b - a), "auc_pr", rho, alternative, ("first", "second"))


def paired_areas(
    difference: ArrayLike | Differences,
    metric: str,
    rho: float | None,
    alternative: str,
    names: tuple[str, str],
) -> TestResult:
    """Paired t test of areas or errors, corrected if rho is given, under its own name.

    Plain differences are of the metric, positive where the second is better.
    """
    if rho is None:
        result, kind = paired_t(difference, alternative=alternative), "paired t"
    else:
        result = corrected_t(difference, rho=rho, alternative=alternative)
        kind = "corrected resampled t"
    known = result.directions or (direction(metric),)
    method = f"{TITLES[metric]} ({kind})"
    return dataclasses.replace(result, method=method, names=names, directions=known)
