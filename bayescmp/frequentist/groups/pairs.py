"""Which algorithms differ on one data set: Tukey's test, paired t tests, Dunnett's control."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base.declare import declare, sided
from bayescmp.frequentist.groups.anova import as_groups, sums_of_squares, without_rounding
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.multiplicity import (
    canonical,
    largest_t_ppf,
    largest_t_sf,
    studentized_range_sf,
)
from bayescmp.frequentist.paired.effects import NO_ERROR
from bayescmp.frequentist.results import PosthocResult, index_of, pairs_of
from bayescmp.scores.blocks import Blocks

__all__ = [
    "dunnett",
    "pairwise_t",
    "tukey",
]


# Which algorithms differ on one data set: Tukey's test, and paired t tests of all pairs.


def tukey(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Tukey's test of all pairs, with the error of the model used.

    Parameters
    ----------
    x, block, rho, names
        As for `anova`. Rows of differing length (without blocks) give the Tukey-Kramer test.
    lower_is_better : bool
        Whether lower scores are better; differences are then flipped, so that positive means that
        the second is better. Blocks know it themselves.

    Returns
    -------
    PosthocResult
        The statistic is the studentized range q; ``pvalue`` and ``adjusted`` are the same, as
        the test adjusts by itself. ``confidence_interval()`` gives simultaneous intervals.

    Raises
    ------
    InputError
        As for `anova`.

    See Also
    --------
    anova : Whether any differ.
    pairwise_t : Each pair with its own variance.
    bayescmp.bayesian.groups : The Bayesian twin.

    References
    ----------
    Tukey 1953; Montgomery 2012, sec. 3.5; Aslan 2009, eq. 4.30-4.32; R's ``TukeyHSD``.

    Examples
    --------
    Accuracy of three classifiers in five folds (breast cancer, UCI):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import tukey
    >>> x = {
    ...     "tree": [0.886, 0.939, 0.939, 0.921, 0.947],
    ...     "bayes": [0.921, 0.965, 0.912, 0.939, 0.956],
    ...     "knn": [0.930, 0.991, 0.956, 0.965, 0.982],
    ... }
    >>> x = pd.DataFrame(x).T
    >>> print(tukey(x))
    Tukey test, blocked, all pairs, adjusted by tukey, n = 5
      tree  → bayes     0.0122  q =    2.221  p = 0.312     adjusted p = 0.312
      tree  → knn       0.0384  q =    6.991  p = 0.00286   adjusted p = 0.00286
      bayes → knn       0.0262  q =     4.77  p = 0.0236    adjusted p = 0.0236
      error mean square 0.00015087 with 8 d.o.f.
    """
    groups = as_groups(
        x, block=block, names=names, lower_is_better=lower_is_better, test="tukey", rho=rho
    )
    rho = groups.rho
    df, squares = sums_of_squares(groups, block)
    freedom, mean_square = float(df[-2]), float(squares[-2] / df[-2])
    pairs = pairs_of(len(groups.rows))
    means = np.array([row.mean() for row in groups.rows])
    sizes = np.array([len(row) for row in groups.rows])
    share = 1 / sizes + rho / (1 - rho)
    error = np.sqrt(mean_square * (share[pairs[:, 0]] + share[pairs[:, 1]]))
    largest = max(float(np.abs(row).max()) for row in groups.rows)
    difference = without_rounding(means[pairs[:, 1]] - means[pairs[:, 0]], largest)
    q = _studentized(difference, error) * math.sqrt(2)
    p = _range_sf(np.abs(q), len(means), freedom)
    return PosthocResult(
        method="Tukey test, " + ("blocked" if block else "one-way"),
        adjust="tukey",
        names=groups.names,
        pairs=pairs,
        difference=difference,
        statistic=q,
        pvalue=p,
        adjusted=p.copy(),
        centres=groups.sign * means,
        measure="mean",
        low_is_best=groups.sign < 0,
        standard_error=error,
        n=int(sizes.max()),
        symbol="q",
        notes=(
            f"error mean square {mean_square:.5g} with {freedom:g} d.o.f.",
            *(() if mean_square else (NO_ERROR,)),
        ),
        margin=partial(_tukey_margin, error=error, k=len(means), df=freedom),
        intervals=True,
    ).of(groups)


def pairwise_t(
    x: ArrayLike | Blocks,
    *,
    adjust: str = "holm",
    control: str | int | None = None,
    rho: float | None = None,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Paired t tests of all pairs of algorithms on one data set, adjusted.

    Each pair has its own variance, where `tukey` pools that of all algorithms.

    Parameters
    ----------
    x : array_like of shape (L, n), DataFrame with one row per algorithm, or Blocks of one metric
        Scores, one column per fold.
    adjust : str
        One of the procedures of `adjust`.
    control : str or int, optional
        Compare with this algorithm only.
    rho : float, optional
        Correlation between folds: 0 is the plain paired t test, 1/folds the corrected one. If not
        given that of Blocks, 0 for plain numbers.
    lower_is_better, names
        As for `tukey`.

    Returns
    -------
    PosthocResult

    Raises
    ------
    InputError
        As for `anova`; unknown adjustment or control.

    See Also
    --------
    tukey : One variance for all pairs.
    bayescmp.bayesian.groups : The Bayesian twin.

    References
    ----------
    Aslan 2009, sec. 6.1 (with Bonferroni); Nadeau & Bengio 2003 (rho).

    Examples
    --------
    Accuracy of three classifiers in five folds (breast cancer, UCI):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import pairwise_t
    >>> x = {
    ...     "tree": [0.886, 0.939, 0.939, 0.921, 0.947],
    ...     "bayes": [0.921, 0.965, 0.912, 0.939, 0.956],
    ...     "knn": [0.930, 0.991, 0.956, 0.965, 0.982],
    ... }
    >>> x = pd.DataFrame(x).T
    >>> print(pairwise_t(x, rho=1 / 5))
    Pairwise corrected t tests, all pairs, adjusted by holm, n = 5
      tree  → bayes     0.0122  t =     0.76  p = 0.49      adjusted p = 0.49
      tree  → knn       0.0384  t =    4.275  p = 0.0129    adjusted p = 0.0387
      bayes → knn       0.0262  t =    3.155  p = 0.0343    adjusted p = 0.0687
      rho 0.2: as given
    """
    groups = as_groups(
        x, block=True, names=names, lower_is_better=lower_is_better, test="pairwise_t", rho=rho
    )
    rho, method = groups.rho, canonical(adjust)
    at = None if control is None else index_of(control, groups.names)
    scores = groups.matrix
    n = scores.shape[1]
    pairs = pairs_of(len(scores), at)
    delta = scores[pairs[:, 1]] - scores[pairs[:, 0]]
    largest = np.abs(scores).max()
    same = ~without_rounding(delta - delta[:, :1], largest).any(axis=1)
    variance = np.where(same, 0.0, delta.var(axis=1, ddof=1))
    error = np.sqrt((1 / n + rho / (1 - rho)) * variance)
    difference = without_rounding(delta.mean(axis=1), largest)
    t = _studentized(difference, error)
    raw = np.where((difference == 0) & (error == 0), 1.0, 2 * stats.t.sf(np.abs(t), n - 1))
    tests = {"none": 1, "bonferroni": len(pairs)}.get(method)
    return PosthocResult(
        method="Pairwise " + ("corrected t tests" if rho else "paired t tests"),
        adjust=method,
        names=groups.names,
        pairs=pairs,
        difference=difference,
        statistic=t,
        pvalue=raw,
        adjusted=adjust_p(raw, method),
        centres=groups.sign * scores.mean(axis=1),
        measure="mean",
        low_is_best=groups.sign < 0,
        control=None if at is None else groups.names[at],
        standard_error=error,
        n=n,
        symbol="t",
        notes=() if error.all() else (NO_ERROR,),
        margin=partial(_t_margin, error=error, df=n - 1, tests=tests) if tests else None,
        intervals=tests is not None,
    ).of(groups)


# -- helpers -----------------------------------------------------------------------------------


def _studentized(difference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Differences over their errors: 0 where nothing differs, infinite where nothing varies."""
    infinite = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    return np.divide(difference, error, out=infinite, where=error > 0)


def _range_sf(q: np.ndarray, k: int, df: float) -> np.ndarray:
    """Upper tail of the studentized range; 0 at infinity."""
    p = np.zeros(len(q))
    finite = np.isfinite(q)
    p[finite] = studentized_range_sf(q[finite], k, df)
    return p


def _tukey_margin(alpha: float, error: np.ndarray, k: int, df: float) -> np.ndarray:
    quantile = float(stats.studentized_range.isf(alpha, k, df))
    return quantile / math.sqrt(2) * np.asarray(error)


def _t_margin(alpha: float, error: np.ndarray, df: float, tests: int) -> np.ndarray:
    return float(stats.t.isf(alpha / (2 * tests), df)) * np.asarray(error)


# Algorithms against a control on one data set: Dunnett's test, blocked or one-way.


@declare(alternative=sided)
def dunnett(
    x: ArrayLike | Blocks,
    *,
    control: str | int,
    alternative: str = "two-sided",
    block: bool = True,
    rho: float | None = None,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Dunnett's test of every algorithm against a control, with the error of the model used.

    The comparisons share the control and the error, which their joint distribution takes account
    of, so that it has more power than a Bonferroni or Holm adjustment of `tukey`'s errors.

    Parameters
    ----------
    x, block, rho, names
        As for `anova`. Rows may differ in length without blocks.
    control : str or int
        The algorithm to compare with, by name or row.
    alternative : {"two-sided", "less", "greater"}
        "greater": others are better than the control.
    lower_is_better : bool
        As for `tukey`.

    Returns
    -------
    PosthocResult
        ``pvalue`` and ``adjusted`` are the same, as the test adjusts by itself.
        ``confidence_interval()`` gives simultaneous two-sided intervals.

    Raises
    ------
    InputError
        As for `anova`; an unknown control.

    See Also
    --------
    tukey : All pairs.
    anova : Whether any differ.
    bayescmp.bayesian.groups : The Bayesian twin.

    References
    ----------
    Dunnett 1955, JASA 50; Nadeau & Bengio 2003 (rho); ``scipy.stats.dunnett`` (without blocks),
    R's ``multcomp::glht`` (with them).

    Examples
    --------
    Accuracy of three classifiers in five folds (breast cancer, UCI):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import dunnett
    >>> x = {
    ...     "tree": [0.886, 0.939, 0.939, 0.921, 0.947],
    ...     "bayes": [0.921, 0.965, 0.912, 0.939, 0.956],
    ...     "knn": [0.930, 0.991, 0.956, 0.965, 0.982],
    ... }
    >>> x = pd.DataFrame(x).T
    >>> print(dunnett(x, control="tree"))
    Dunnett test, blocked, against tree, adjusted by dunnett, n = 5
      tree  → bayes     0.0122  t =     1.57  p = 0.256     adjusted p = 0.256
      tree  → knn       0.0384  t =    4.943  p = 0.00208   adjusted p = 0.00208
      error mean square 0.00015087 with 8 d.o.f.
    """
    groups = as_groups(
        x, block=block, names=names, lower_is_better=lower_is_better, test="dunnett", rho=rho
    )
    rho = groups.rho
    at = index_of(control, groups.names)
    df, squares = sums_of_squares(groups, block)
    freedom, mean_square = float(df[-2]), float(squares[-2] / df[-2])
    pairs = pairs_of(len(groups.rows), at)
    means = np.array([row.mean() for row in groups.rows])
    share = np.array([1 / len(row) for row in groups.rows]) + rho / (1 - rho)
    error = np.sqrt(mean_square * (share[at] + share[pairs[:, 1]]))
    loadings = np.sqrt(share[at] / (share[at] + share[pairs[:, 1]]))
    largest = max(float(np.abs(row).max()) for row in groups.rows)
    difference = without_rounding(means[pairs[:, 1]] - means[at], largest)
    infinite = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    t = np.divide(difference, error, out=infinite, where=error > 0)
    p = np.array([_pvalue(value, loadings, freedom, alternative) for value in t])
    return PosthocResult(
        method="Dunnett test, " + ("blocked" if block else "one-way"),
        adjust="dunnett",
        names=groups.names,
        pairs=pairs,
        difference=difference,
        statistic=t,
        pvalue=p,
        adjusted=p.copy(),
        centres=groups.sign * means,
        measure="mean",
        low_is_best=groups.sign < 0,
        control=groups.names[at],
        standard_error=error,
        n=max(len(row) for row in groups.rows),
        symbol="t",
        notes=(
            f"error mean square {mean_square:.5g} with {freedom:g} d.o.f.",
            *(() if mean_square else (NO_ERROR,)),
            *(() if alternative == "two-sided" else (f"one-sided: {alternative}",)),
        ),
        margin=partial(_margin, error=error, loadings=loadings, df=freedom),
        intervals=True,
    ).of(groups)


def _pvalue(t: float, loadings: np.ndarray, df: float, alternative: str) -> float:
    """P-value of one comparison among all; 1 where nothing differs and nothing varies."""
    if alternative == "two-sided":
        return largest_t_sf(abs(t), loadings, df)
    return largest_t_sf(-t if alternative == "less" else t, loadings, df, two_sided=False)


def _margin(alpha: float, error: np.ndarray, loadings: np.ndarray, df: float) -> np.ndarray:
    return largest_t_ppf(alpha, loadings, df) * np.asarray(error)
