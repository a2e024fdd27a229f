"""Paired t tests: plain, corrected for overlapping folds, and 5x2cv."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import checks
from bayescmp.differences import Differences
from bayescmp.errors import InputError
from bayescmp.frequentist.paired.effects import cohens_d
from bayescmp.frequentist.paired.student import (
    EQUAL,
    one_dataset,
    ratio,
    standard_error,
    t_interval,
    t_pvalue,
    with_rho,
)
from bayescmp.frequentist.results import TestResult
from bayescmp.steps import ROUNDING

__all__ = ["corrected_t", "cv52_f", "cv52_t", "paired_t"]


def paired_t(x: ArrayLike | Differences, *, alternative: str = "two-sided") -> TestResult:
    """Paired t test of differences that are independent.

    Folds of one cross-validation are not: their training sets overlap, and this test then rejects
    too often (`corrected_t` takes that into account).

    Parameters
    ----------
    x : array_like of shape (n,), or Differences of one data set
        Differences, second minus first; at least 2.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.

    Returns
    -------
    TestResult
        t with n - 1 degrees of freedom. Where all differences are equal but for rounding, p is
        0, or 1 if they are all zero.

    Raises
    ------
    InputError
        Fewer than 2 differences, missing or infinite ones.

    See Also
    --------
    corrected_t : For folds of one cross-validation.
    bayescmp.bayesian.correlated_t : The Bayesian twin, with a rope.

    References
    ----------
    Student 1908, Biometrika 6; on cross-validated areas under curves: Aslan 2009, ch. 3.

    Examples
    --------
    Accuracy of a decision tree and of nearest neighbours in five folds (breast cancer, UCI):

    >>> import numpy as np
    >>> from bayescmp.frequentist import paired_t
    >>> tree = np.array([0.886, 0.939, 0.939, 0.921, 0.947])
    >>> knn = np.array([0.930, 0.991, 0.956, 0.965, 0.982])
    >>> print(paired_t(knn - tree))
    paired t test: first vs second
      t = 6.4125, df = 4, n = 5, p = 0.00304
      estimate 0.0384, 95 % interval 0.02177 to 0.05503
    """
    values, names, _ = one_dataset(x, "paired_t")
    result = _t_test("paired t test", values, names, 0.0, alternative, ())
    return result.of(x, folds=False)


def corrected_t(
    x: ArrayLike | Differences,
    *,
    rho: float | None = None,
    n_test: float | None = None,
    n_train: float | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Corrected resampled t test, for folds that share training data.

    t = d̄/√((1/n + ρ/(1-ρ))·s²) with n - 1 degrees of freedom.

    Parameters
    ----------
    x : array_like of shape (n,), or Differences of one data set
        Differences of folds, second minus first, all repeats together.
    rho : float
        Correlation of two folds' differences, in [0, 1): 1/folds for cross-validation, repeated
        or not (0.1 for 10x10), n_test/(n_train + n_test) for random splits. Read from x if that
        is a Differences.
    n_test, n_train : float, optional
        Test and training cases of a split, instead of rho: ρ/(1-ρ) = n_test/n_train.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.

    Returns
    -------
    TestResult

    Raises
    ------
    InputError
        As for `paired_t`; no rho, or rho outside [0, 1).

    See Also
    --------
    paired_t : For independent differences.
    bayescmp.bayesian.correlated_t : The Bayesian twin: the same centre, scale and d.o.f.

    References
    ----------
    Nadeau & Bengio 2003, Machine Learning 52, eq. 19; Bouckaert & Frank 2004 (repeated cv).

    Examples
    --------
    Accuracy of a decision tree and of nearest neighbours in five folds (breast cancer, UCI):

    >>> import numpy as np
    >>> from bayescmp.frequentist import corrected_t
    >>> tree = np.array([0.886, 0.939, 0.939, 0.921, 0.947])
    >>> knn = np.array([0.930, 0.991, 0.956, 0.965, 0.982])
    >>> print(corrected_t(knn - tree, rho=1 / 5))
    corrected resampled t test: first vs second
      t = 4.275, df = 4, n = 5, p = 0.0129
      estimate 0.0384, 95 % interval 0.01346 to 0.06334
      rho 0.2: as given
    """
    values, names, known = one_dataset(x, "corrected_t")
    rho = _rho(rho, n_test, n_train, known)
    title = "corrected resampled t test"
    return with_rho(_t_test(title, values, names, rho, alternative, ()), x, rho, known)


def cv52_t(x: ArrayLike | Differences, *, alternative: str = "two-sided") -> TestResult:
    """5x2cv paired t test.

    t = x_11/√(⅕ Σ_i s_i²), s_i² = (x_i1 - x̄_i)² + (x_i2 - x̄_i)², with 5 degrees of freedom.

    Parameters
    ----------
    x : array_like of shape (5, 2)
        Differences, second minus first: 5 repeats of 2 folds. The statistic depends on which fold
        comes first; `cv52_f` does not.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.

    Returns
    -------
    TestResult
        ``estimate`` is x_11.

    Raises
    ------
    InputError
        Another shape, missing or infinite differences.

    See Also
    --------
    cv52_f : Uses all ten differences.
    bayescmp.bayesian.correlated_t : Takes any folds.

    References
    ----------
    Dietterich 1998, Neural Computation 10, eq. 6.

    Examples
    --------
    Differences of five repeats of two folds:

    >>> from bayescmp.frequentist import cv52_t
    >>> x = [[0.02, 0.03], [0.01, 0.04], [0.03, 0.02], [0.05, 0.01], [0.02, 0.02]]
    >>> print(cv52_t(x))
    5x2cv paired t test: first vs second
      t = 1.2172, df = 5, n = 10, p = 0.278
      estimate 0.02, 95 % interval -0.02224 to 0.06224
    """
    values, variances = _cv52(x, "cv52_t")
    error = math.sqrt(variances.mean())
    first = float(values[0, 0])
    return TestResult(
        method="5x2cv paired t test",
        statistic=ratio(first, error),
        pvalue=t_pvalue(first, error, 5, alternative),
        df=5.0,
        alternative=alternative,
        estimate=first,
        standard_error=error,
        names=("first", "second"),
        n=10,
        interval=partial(t_interval, first, error, 5, alternative),
    )


def cv52_f(x: ArrayLike | Differences) -> TestResult:
    """Combined 5x2cv F test.

    F = Σ_i Σ_j x_ij²/(2 Σ_i s_i²) with 10 and 5 degrees of freedom.

    Parameters
    ----------
    x : array_like of shape (5, 2)
        Differences, second minus first: 5 repeats of 2 folds.

    Returns
    -------
    TestResult
        ``estimate`` is the mean difference.

    Raises
    ------
    InputError
        Another shape, missing or infinite differences.

    See Also
    --------
    cv52_t : Dietterich's test, which depends on which fold comes first.
    bayescmp.bayesian.correlated_t : Takes any folds.

    References
    ----------
    Alpaydın 1999, Neural Computation 11, eq. 8.

    Examples
    --------
    Differences of five repeats of two folds:

    >>> from bayescmp.frequentist import cv52_f
    >>> x = [[0.02, 0.03], [0.01, 0.04], [0.03, 0.02], [0.05, 0.01], [0.02, 0.02]]
    >>> print(cv52_f(x))
    combined 5x2cv F test: first vs second
      F = 2.8519, df = 10 and 5, n = 10, p = 0.129
      estimate 0.025
    """
    values, variances = _cv52(x, "cv52_f")
    above, below = float(np.sum(values**2)), float(2 * variances.sum())
    f = ratio(above, below)
    return TestResult(
        method="combined 5x2cv F test",
        statistic=f,
        pvalue=float(stats.f.sf(f, 10, 5)) if above else 1.0,
        df=(10.0, 5.0),
        estimate=float(values.mean()),
        names=("first", "second"),
        n=10,
        symbol="F",
    )


# -- helpers -----------------------------------------------------------------------------------


def _rho(
    rho: float | None, n_test: float | None, n_train: float | None, known: float | None
) -> float:
    """The correlation, from the one way in which it was given."""
    sizes = (n_test, n_train)
    if rho is not None and sizes != (None, None):
        raise InputError("rho and n_test, n_train are both given; accepted: one or the other")
    if sizes != (None, None):
        if n_test is None or n_train is None or not (n_test > 0 and n_train > 0):
            raise InputError(f"n_test={n_test!r}, n_train={n_train!r}; accepted: both, and over 0")
        rho = n_test / (n_train + n_test)
    return checks.require_rho(known if rho is None else rho)


def _t_test(
    method: str,
    values: np.ndarray,
    names: tuple[str, str],
    rho: float,
    alternative: str,
    notes: tuple[str, ...],
) -> TestResult:
    """Mean over √((1/n + ρ/(1-ρ))·s²), with n - 1 degrees of freedom."""
    n, mean = len(values), float(values.mean())
    error = standard_error(values, 1 / n + rho / (1 - rho))
    return TestResult(
        method=method,
        statistic=ratio(mean, error),
        pvalue=t_pvalue(mean, error, n - 1, alternative),
        df=float(n - 1),
        alternative=alternative,
        estimate=mean,
        standard_error=error,
        names=names,
        n=n,
        notes=(*notes, EQUAL) if error == 0 else notes,
        interval=partial(t_interval, mean, error, n - 1, alternative),
        effect=cohens_d(values, rho=rho),
    )


def _cv52(x: ArrayLike | Differences, test: str) -> tuple[np.ndarray, np.ndarray]:
    """The table of 5 x 2 differences, and the variance s_i² of each repeat."""
    if isinstance(x, Differences):
        x = one_dataset(x, test)[0].reshape(-1, 2)
    shape = np.shape(x)
    if shape != (5, 2):
        raise InputError(f"x has shape {shape}; {test} needs (5, 2): 5 repeats of 2 folds")
    values = checks.vector(np.ravel(np.asarray(x, dtype=object)), test=test).reshape(5, 2)
    deviation = values - values.mean(axis=1, keepdims=True)
    deviation[np.abs(deviation) <= ROUNDING * np.abs(values).max()] = 0.0
    return values, np.asarray(np.sum(deviation**2, axis=1))
