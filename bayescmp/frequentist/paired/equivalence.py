"""Two one-sided tests: is the difference within the region of practical equivalence?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp.differences import Differences
from bayescmp.errors import InputError
from bayescmp.frequentist.paired.student import (
    EQUAL,
    one_dataset,
    ratio,
    standard_error,
    t_interval,
    t_pvalue,
    with_rho,
)
from bayescmp.frequentist.results import TestResult, show_p
from bayescmp.frequentist.signs.rank_sums import ROUNDING, signed_ranks
from bayescmp.frequentist.signs.signed_rank import pvalue_of
from bayescmp.frequentist.signs.walsh import pseudo_median, walsh_interval
from bayescmp.verdict import Rope
from bayescmp.verdict.rope import as_rope

if TYPE_CHECKING:
    from bayescmp.verdict.rope import RopeLike


__all__ = ["tost_means", "tost_paired"]


def tost_paired(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike,
    rho: float | None = None,
) -> TestResult:
    """Two one-sided corrected t tests of equivalence on one data set.

    The null hypothesis is that the mean difference lies outside the rope. It is rejected at level
    α if both t = (d̄ - low)/√(c·s²) and (high - d̄)/√(c·s²) exceed the quantile at 1 - α,
    c = 1/n + ρ/(1-ρ): if the confidence interval at 1 - 2α lies within the rope.

    Parameters
    ----------
    x : array_like of shape (n,), or Differences of one data set
        Differences of folds, second minus first, all repeats together.
    rope : float, (float, float) or Rope
        Region of practical equivalence, as its half-width if symmetric; in units of the metric.
    rho : float, optional
        Correlation of two folds' differences, as for `corrected_t`; 0 for independent units. Read
        from x if that is a Differences.

    Returns
    -------
    TestResult
        The larger of the two p-values with its t, n - 1 degrees of freedom; a small p-value
        supports practical equivalence. The notes give both. The interval that goes with level α is
        that at 1 - 2α.

    Raises
    ------
    InputError
        No rope, or one without width; whatever `corrected_t` refuses.

    See Also
    --------
    tost_means : Over several data sets.
    corrected_t : Whether they differ.
    bayescmp.bayesian.correlated_t : The Bayesian twin: the probability that they are equivalent.

    References
    ----------
    Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15; Nadeau & Bengio 2003,
    eq. 19 (c).

    Examples
    --------
    Differences in accuracy of two classifiers in ten folds; one percent is of no importance:

    >>> from bayescmp.frequentist import tost_paired
    >>> x = [0.002, -0.003, 0.001, 0.004, 0.0, -0.002, 0.003, 0.001, -0.001, 0.002]
    >>> print(tost_paired(x, rope=0.01, rho=0.1))
    two one-sided corrected t tests of equivalence: first vs second
      t = 9.1439, df = 9, n = 10, p = 3.75e-06 (equivalence)
      estimate 0.0007, 90 % interval -0.001164 to 0.002564
      over -0.01: p = 1.17e-06; under 0.01: p = 3.75e-06
      a small p-value supports practical equivalence
      rho 0.1: as given
    """
    values, names, known = one_dataset(x, "tost_paired")
    rho = checks.require_rho(known if rho is None else rho)
    factor = 1 / len(values) + rho / (1 - rho)
    title = "two one-sided corrected t tests of equivalence"
    result = _t_tests(title, values, names, _region(rope), factor, ())
    return with_rho(result, x, rho, known)


def tost_means(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike,
    method: str = "t",
) -> TestResult:
    """Two one-sided tests of equivalence over data sets, by the differences of their means.

    Parameters
    ----------
    x : array_like of shape (q,), or Differences of several data sets
        Differences, second minus first, one per data set; of a Differences its means.
    rope : float, (float, float) or Rope
        As for `tost_paired`.
    method : {"t", "wilcoxon"}
        t tests of the mean with q - 1 degrees of freedom, or signed-rank tests of the
        pseudo-median, exact up to 50 data sets.

    Returns
    -------
    TestResult
        As from `tost_paired`.

    Raises
    ------
    InputError
        Fewer than 2 differences, missing or infinite ones, a rope without width.

    See Also
    --------
    tost_paired : On one data set.
    wilcoxon : Whether they differ.
    bayescmp.bayesian.signed_rank : The Bayesian twin.

    References
    ----------
    Schuirmann 1987; Wellek 2010, Testing Statistical Hypotheses of Equivalence, sec. 5.2 and 5.4.

    Examples
    --------
    C4.5 with tuned leaf sizes less C4.5, AUC on 14 data sets (Demšar 2006, table 2):

    >>> from bayescmp.frequentist import tost_means
    >>> x = [0.005, -0.008, 0.017, 0.033, 0.006, -0.005, 0.007]
    >>> x += [0, 0.063, 0, 0.022, 0.047, 0.009, 0.021]
    >>> print(tost_means(x, rope=0.03))
    two one-sided t tests of equivalence: first vs second
      t = 2.6626, df = 13, n = 14, p = 0.00977 (equivalence)
      estimate 0.0155, 90 % interval 0.005856 to 0.02514
      over -0.03: p = 6.93e-07; under 0.03: p = 0.00977
      a small p-value supports practical equivalence
    >>> round(tost_means(x, rope=0.03, method="wilcoxon").pvalue, 4)
    0.0144
    """
    names, given = ("first", "second"), x
    if isinstance(x, Differences):
        names, x = x.names, x.means
    values = checks.vector(x, test="tost_means")
    region = _region(rope)
    if checks.choice("method", method, ("t", "wilcoxon")) == "t":
        title = "two one-sided t tests of equivalence"
        return _t_tests(title, values, names, region, 1 / len(values), ()).of(given, folds=False)
    return _signed_rank_tests(values, names, region).of(given, folds=False)


# -- helpers -----------------------------------------------------------------------------------


def _region(rope: RopeLike) -> Rope:
    region = as_rope(rope)
    if region.empty:
        raise InputError(f"rope={rope!r}: equivalence needs a region; accepted: > 0")
    return region


def _t_tests(
    title: str,
    values: np.ndarray,
    names: tuple[str, str],
    region: Rope,
    factor: float,
    notes: tuple[str, ...],
) -> TestResult:
    n, mean = len(values), float(values.mean())
    error = standard_error(values, factor)
    above = t_pvalue(mean - region.low, error, n - 1, "greater")
    below = t_pvalue(mean - region.high, error, n - 1, "less")
    worse = mean - region.low if above >= below else region.high - mean
    return TestResult(
        method=title,
        statistic=ratio(worse, error),
        pvalue=max(above, below),
        df=float(n - 1),
        alternative="equivalence",
        estimate=mean,
        standard_error=error,
        names=names,
        n=n,
        notes=(*_side_notes(region, above, below), *notes, *([] if error else [EQUAL])),
        interval=partial(t_interval, mean, error, n - 1, "two-sided"),
    )


def _signed_rank_tests(values: np.ndarray, names: tuple[str, str], region: Rope) -> TestResult:
    near = ROUNDING * max(float(np.abs(values).max()), region.high, -region.low)
    sides = [signed_ranks(values - end, tolerance=near) for end in (region.low, region.high)]
    above, below = pvalue_of(sides[0], "greater")[0], pvalue_of(sides[1], "less")[0]
    return TestResult(
        method="two one-sided signed-rank tests of equivalence",
        statistic=sides[0].sums[0] if above >= below else sides[1].sums[1],
        pvalue=max(above, below),
        alternative="equivalence",
        estimate=pseudo_median(values),
        names=names,
        n=len(values),
        symbol="W",
        notes=_side_notes(region, above, below),
        interval=partial(walsh_interval, values),
    )


def _side_notes(region: Rope, above: float, below: float) -> tuple[str, ...]:
    return (
        f"over {region.low:g}: {show_p(above)}; under {region.high:g}: {show_p(below)}",
        "a small p-value supports practical equivalence",
    )
