"""Sphericity of a blocked analysis of variance: Mauchly's test, and what to do without it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, stats

from bayescmp.errors import InputError
from bayescmp.frequentist.groups.rows import as_groups
from bayescmp.frequentist.results import TestResult
from bayescmp.text import counted

__all__ = ["CORRECTIONS", "epsilon", "mauchly"]

#: What may be assumed of the covariance of an analysis of variance in blocks.
CORRECTIONS = ("assumed", "greenhouse-geisser", "huynh-feldt")


def mauchly(x: ArrayLike, *, names: Iterable[str] | None = None) -> TestResult:
    """Mauchly's test that the differences of all pairs of algorithms vary alike (sphericity).

    The blocked `anova`, `tukey` and `dunnett` assume it.

    Parameters
    ----------
    x : array_like of shape (L, n), or DataFrame with one row per algorithm
        Scores, one column per fold; n > L ≥ 3.
    names : iterable of str, optional
        The algorithms, if x has no labels.

    Returns
    -------
    TestResult
        W with Box's approximation of its p-value. The notes give the epsilons of Greenhouse and
        Geisser and of Huynh and Feldt, by which the degrees of freedom of F are multiplied.

    Raises
    ------
    InputError
        Fewer than 3 algorithms, no more folds than algorithms, or differences that don't vary.

    See Also
    --------
    anova : With sphericity="greenhouse-geisser" it does not assume it.
    bayescmp.bayesian.groups : With variances="own" the Bayesian twin does not assume it.

    References
    ----------
    Mauchly 1940, Ann. Math. Stat. 11; Box 1949; Greenhouse & Geisser 1959, Psychometrika 24; Huynh
    & Feldt 1976, J. Educ. Stat. 1. The p-value is Box's to second order, in one term of which R's
    ``mauchly.test`` (after Anderson 1958) counts columns for contrasts.

    Examples
    --------
    Accuracy of three classifiers in five folds (breast cancer, UCI):

    >>> from bayescmp.frequentist import mauchly
    >>> print(mauchly([
    ...     [0.886, 0.939, 0.939, 0.921, 0.947],
    ...     [0.921, 0.965, 0.912, 0.939, 0.956],
    ...     [0.930, 0.991, 0.956, 0.965, 0.982],
    ... ], names=["tree", "bayes", "knn"]))
    Mauchly's test of sphericity
      W = 0.19104, df = 2, n = 5, p = 0.0835
      Greenhouse-Geisser ε = 0.5528
      Huynh-Feldt ε = 0.6095
    """
    groups = as_groups(x, block=True, names=names, lower_is_better=False, test="mauchly")
    L, n = groups.matrix.shape
    if L < 3:
        raise InputError(
            "x has 2 algorithms; mauchly needs at least 3: one difference is spherical"
        )
    if n <= L - 1:
        raise InputError(
            f"x has {counted(n, 'fold')} of {L} algorithms; mauchly needs at least {L}"
        )
    s, p = _contrasts(groups.matrix), L - 1
    sign, log_det = np.linalg.slogdet(s)
    if sign <= 0 or not np.isfinite(log_det):
        raise InputError("x has differences that don't vary, or that are linearly dependent")
    log_w = float(log_det - p * math.log(np.trace(s) / p))
    return TestResult(
        method="Mauchly's test of sphericity",
        statistic=math.exp(log_w),
        pvalue=_box(log_w, p, n - 1),
        df=p * (p + 1) / 2 - 1,
        names=groups.names,
        n=n,
        symbol="W",
        notes=tuple(
            f"{title} ε = {epsilon(groups.matrix, kind):.4g}"
            for title, kind in (
                ("Greenhouse-Geisser", CORRECTIONS[1]),
                ("Huynh-Feldt", CORRECTIONS[2]),
            )
        ),
    ).of(groups, folds=False)


def _box(log_w: float, p: int, df: int) -> float:
    """P-value of Mauchly's W to second order: a mixture of two χ² tails (Box 1949)."""
    rho = 1 - (2 * p**2 + p + 2) / (6 * p * df)
    second = (
        (p + 2)
        * (p - 1)
        * (p - 2)
        * (2 * p**3 + 6 * p**2 + 3 * p + 2)
        / (288 * (df * p * rho) ** 2)
    )
    chi2, freedom = -df * rho * log_w, p * (p + 1) / 2 - 1
    first, later = stats.chi2.sf(chi2, freedom), stats.chi2.sf(chi2, freedom + 4)
    return float(min(max(first + second * (later - first), 0.0), 1.0))


def epsilon(x: np.ndarray, correction: str) -> float:
    """By how much the degrees of freedom of a blocked F are to be multiplied.

    Parameters
    ----------
    x : ndarray of shape (L, n)
    correction : str
        One of `CORRECTIONS`.

    Returns
    -------
    float
        From 1/(L-1) to 1; 1 if sphericity is assumed.
    """
    L, n = x.shape
    if correction == "assumed" or L < 3:
        return 1.0
    s, p = _contrasts(x), L - 1
    whole = float(np.sum(s**2))
    box = float(np.trace(s) ** 2 / (p * whole)) if whole > 0 else 1.0
    if correction == "greenhouse-geisser":
        return box
    return min(1.0, (n * p * box - 2) / (p * (n - 1 - p * box))) if n - 1 > p * box else 1.0


def _contrasts(x: np.ndarray) -> np.ndarray:
    """Covariance of L - 1 orthonormal contrasts of the rows."""
    contrasts = linalg.helmert(len(x))
    return np.cov(contrasts @ x).reshape(len(x) - 1, len(x) - 1)
