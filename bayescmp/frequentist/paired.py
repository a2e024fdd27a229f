"""Paired t tests: plain, corrected for overlapping folds, 5x2cv; and tests of equivalence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import DIFFERENCES, one_array
from bayescmp.base.magnitudes import ROUNDING
from bayescmp.frequentist.effects import (
    EQUAL,
    SIGNED_ROUNDING,
    cohens_d,
    means_of,
    numbers_or_pair,
    one_dataset,
    ratio,
    signed_ranks,
    standard_error,
    standard_errors,
    studentize,
    t_pvalue,
    t_test,
    with_rho,
)
from bayescmp.frequentist.results import EffectSize, TestResult, show_p
from bayescmp.frequentist.signs import pseudo_median, pvalue_of, walsh_interval
from bayescmp.scores.differences import Differences
from bayescmp.scores.frames import pair_of
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.wording.references import SOURCES
from bayescmp.wording.text import format_number


# Paired t tests: plain, corrected for overlapping folds, and 5x2cv.
@one_array(DIFFERENCES)
def paired_t(x: ArrayLike | Differences, *, alternative: str = "two-sided") -> TestResult:
    """Perform a paired t test of independent differences.

    Folds of one cross-validation are not independent: use `corrected_t` for them.

    Parameters
    ----------
    x : array_like of shape (n,), DataFrame of two algorithms, or Differences of one data set
        Differences, second minus first; at least 2.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.

    Returns
    -------
    TestResult
        t with n - 1 degrees of freedom. If all differences are equal, p is 0, or 1 if they are
        zero.

    Raises
    ------
    InputError
        Fewer than 2 differences, missing or infinite ones.

    See Also
    --------
    corrected_t, bayescmp.bayesian.correlated_t

    References
    ----------
    Student 1908, Biometrika 6; on cross-validated areas under curves: Aslan 2009, ch. 3.

    Examples
    --------
    >>> from bayescmp.frequentist import paired_t
    >>> round(paired_t([0.044, 0.052, 0.017, 0.044, 0.035]).pvalue, 3)
    0.003
    """
    values, names, _ = one_dataset(x, "paired_t")
    result = _t_test("paired t test", values, names, 0.0, alternative)
    return result.of(x, folds=False)


@one_array(DIFFERENCES)
def corrected_t(
    x: ArrayLike | Differences,
    *,
    rho: float | None = None,
    n_test: float | None = None,
    n_train: float | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Perform the corrected resampled t test, for folds that share training data.

    t = d̄/√((1/n + ρ/(1-ρ))·s²) with n - 1 degrees of freedom.

    Parameters
    ----------
    x : array_like of shape (n,), DataFrame of two algorithms, or Differences of one data set
        Differences of folds, second minus first, all repeats together.
    rho : float
        Correlation of two folds' differences, in [0, 1): 1/folds for cross-validation, repeated or
        not, n_test/(n_train + n_test) for random splits. Read from x if that has its own.
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
    paired_t, bayescmp.bayesian.correlated_t

    References
    ----------
    Nadeau & Bengio 2003, Machine Learning 52, eq. 19; Bouckaert & Frank 2004 (repeated cv).

    Examples
    --------
    >>> from bayescmp.frequentist import corrected_t
    >>> x = [0.044, 0.052, 0.017, 0.044, 0.035]
    >>> print(corrected_t(x, rho=1 / 5))
    first and second: significant at 0.05 (p = 0.013)     corrected resampled t test
    <BLANKLINE>
    t      df  n      p  estimate  95% CI low  95% CI high  Cohen's d
    4.275   4  5  0.013    0.0384     0.01346      0.06334      2.565
    <BLANKLINE>
    note: rho 0.2: as given
    """
    values, names, known = one_dataset(x, "corrected_t")
    rho = _rho(rho, n_test, n_train, known)
    title = "corrected resampled t test"
    result = _t_test(title, values, names, rho, alternative)
    return with_rho(replace(result, cites=SOURCES["correction"]), x, rho, known)


@one_array(DIFFERENCES)
def cv52_t(x: ArrayLike | Differences, *, alternative: str = "two-sided") -> TestResult:
    """Perform the 5x2cv paired t test.

    t = x_11/√(⅕ Σ_i s_i²), s_i² = (x_i1 - x̄_i)² + (x_i2 - x̄_i)², with 5 degrees of freedom.

    Parameters
    ----------
    x : array_like of shape (5, 2), or Differences of one data set
        Differences of 5 repeats of 2 folds. It depends on which fold comes first, unlike `cv52_f`.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.

    Returns
    -------
    TestResult
        ``estimate`` is x_11.

    Raises
    ------
    InputError
        A wrong shape, missing or infinite differences.

    See Also
    --------
    cv52_f, bayescmp.bayesian.correlated_t

    References
    ----------
    Dietterich 1998, Neural Computation 10, eq. 6.

    Examples
    --------
    >>> from bayescmp.frequentist import cv52_t
    >>> x = [[0.02, 0.03], [0.01, 0.04], [0.03, 0.02], [0.05, 0.01], [0.02, 0.02]]
    >>> round(cv52_t(x).pvalue, 2)
    0.28
    """
    values, variances, names = _cv52(x, "cv52_t")
    error, first = math.sqrt(variances.mean()), float(values[0, 0])
    facts = {"names": names, "n": 10, "cites": SOURCES["cv52_t"]}
    return t_test("5x2cv paired t test", first, error, 5, alternative, **facts).of(x, folds=False)


@one_array(DIFFERENCES)
def cv52_f(x: ArrayLike | Differences) -> TestResult:
    """Perform the combined 5x2cv F test.

    F = Σ_i Σ_j x_ij²/(2 Σ_i s_i²) with 10 and 5 degrees of freedom.

    Parameters
    ----------
    x : array_like of shape (5, 2), or Differences of one data set
        Differences, second minus first: 5 repeats of 2 folds.

    Returns
    -------
    TestResult
        ``estimate`` is the mean difference.

    Raises
    ------
    InputError
        A wrong shape, missing or infinite differences.

    See Also
    --------
    cv52_t, bayescmp.bayesian.correlated_t

    References
    ----------
    Alpaydın 1999, Neural Computation 11, eq. 8.

    Examples
    --------
    >>> from bayescmp.frequentist import cv52_f
    >>> x = [[0.02, 0.03], [0.01, 0.04], [0.03, 0.02], [0.05, 0.01], [0.02, 0.02]]
    >>> round(cv52_f(x).pvalue, 2)
    0.13
    """
    values, variances, names = _cv52(x, "cv52_f")
    above, below = float(np.sum(values**2)), float(2 * variances.sum())
    f = ratio(above, below)
    return TestResult(
        method="combined 5x2cv F test",
        statistic=f,
        pvalue=float(stats.f.sf(f, 10, 5)),
        df=(10.0, 5.0),
        estimate=float(values.mean()),
        names=names,
        n=10,
        symbol="F",
    ).of(x, folds=False)


# The statistics, from differences that were checked.


def _rho(
    rho: float | None, n_test: float | None, n_train: float | None, known: float | None
) -> float:
    """Return the correlation, from the one way in which it was given."""
    sizes = n_test is not None or n_train is not None
    if rho is not None and sizes:
        raise must("rho", "be left out with n_test and n_train, which give it", f"{rho!r}")
    if sizes:
        if n_test is None or n_train is None:
            missing, other = ("n_test", "n_train") if n_test is None else ("n_train", "n_test")
            raise must(missing, f"be given with {arg(other)}")
        test, train = (
            checks.check_positive("n_test", n_test),
            checks.check_positive("n_train", n_train),
        )
        rho = test / (train + test)
    return checks.require_rho(known if rho is None else rho)


def _t_test(
    method: str, values: np.ndarray, names: tuple[str, str], rho: float, alternative: str
) -> TestResult:
    """Test the mean over √((1/n + ρ/(1-ρ))·s²), with n - 1 degrees of freedom."""
    n, mean = len(values), float(values.mean())
    error = standard_error(values, 1 / n + rho / (1 - rho))
    known = {"names": names, "n": n, "notes": () if error else (EQUAL,)}
    effect = cohens_d(values, rho=rho)
    return t_test(method, mean, error, n - 1, alternative, effect=effect, **known)


def _cv52(x: ArrayLike | Differences, test: str) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
    """Return the table of 5 x 2 differences, the variance s_i² of each repeat, and the names."""
    names = ("first", "second")
    if isinstance(x, Differences) or pair_of(x, "x", "fold"):
        row, names, _ = one_dataset(x, test)
        x = row.reshape(5, 2) if len(row) == 10 else row
    shape = np.shape(x)
    if shape != (5, 2):
        raise must("x", f"have shape (5, 2) for {test}, 5 repeats of 2 folds", f"shape {shape}")
    values = checks.check_vector(np.ravel(np.asarray(x, dtype=object)), test=test).reshape(5, 2)
    deviation = values - values.mean(axis=1, keepdims=True)
    deviation[np.abs(deviation) <= ROUNDING * np.abs(values).max()] = 0.0
    return values, np.asarray(np.sum(deviation**2, axis=1)), names


# The corrected resampled t test, and those of equivalence, on each of many data sets at once.
class RowTests(NamedTuple):
    """A test's results on each data set, (q,); `effect` takes a data set's number."""

    statistic: np.ndarray
    pvalue: np.ndarray
    estimate: np.ndarray
    effect: Callable[[int], EffectSize | None] = lambda row: None


def corrected_t_by_row(x: Differences) -> RowTests:
    """Do `corrected_t` separately on each data set, equal to the last digit."""
    means, errors = _means_and_errors(x)
    statistic = studentize(means, errors)
    pvalue = 2 * stats.t.sf(np.abs(statistic), x.n - 1)
    effect = lambda row: cohens_d(x.x[row], rho=x.rho[row])  # noqa: E731
    return RowTests(statistic, pvalue, means, effect)


def tost_paired_by_row(x: Differences, *, rope: RopeLike) -> RowTests:
    """Do `tost_paired` separately on each data set, equal to the last digit."""
    region, (means, errors) = _region(rope), _means_and_errors(x)
    within = np.stack([means - region.low, region.high - means])
    t = studentize(within, errors)
    p = np.where((within == 0) & (errors == 0), 1.0, stats.t.sf(t, x.n - 1))
    worse, every = np.argmax(p, axis=0), np.arange(x.q)
    return RowTests(t[worse, every], p[worse, every], means)


def _means_and_errors(x: Differences) -> tuple[np.ndarray, np.ndarray]:
    means, errors = np.empty((2, x.q))
    for n in np.unique(x.n):
        rows = np.flatnonzero(x.n == n)
        table, rho = np.concatenate([x.x[i] for i in rows]).reshape(-1, n), x.rho[rows]
        means[rows] = table.mean(axis=1)
        errors[rows] = standard_errors(table, 1 / n + rho / (1 - rho))
    return means, errors


# Two one-sided tests: is the difference within the region of practical equivalence?
@one_array(DIFFERENCES)
def tost_paired(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike,
    rho: float | None = None,
) -> TestResult:
    """Perform two one-sided corrected t tests of equivalence on one data set.

    The null hypothesis, that the mean difference is outside the ROPE, is rejected at level α if
    both (d̄ - low)/√(c·s²) and (high - d̄)/√(c·s²) exceed the quantile at 1 - α, c = 1/n +
    ρ/(1-ρ); that is, if the confidence interval at 1 - 2α lies within the ROPE.

    Parameters
    ----------
    x : array_like of shape (n,), DataFrame of two algorithms, or Differences of one data set
        Differences of folds, second minus first, all repeats together.
    rope : float, (float, float) or Rope
        In units of the metric, half-width or bounds. With one infinite bound, (-0.01, inf), the
        test is that of non-inferiority: one t.
    rho : float, optional
        As for `corrected_t`; 0 for independent units.

    Returns
    -------
    TestResult
        The larger p-value with its t, n - 1 degrees of freedom; a small one supports practical
        equivalence. The notes give both; the interval is at 1 - 2α. Its alternative is
        "equivalence"; with one infinite bound "not worse" for the second algorithm, or "not
        better".

    Raises
    ------
    InputError
        No ROPE, or one without width; otherwise as for `corrected_t`.

    See Also
    --------
    tost_means, corrected_t, bayescmp.bayesian.correlated_t

    References
    ----------
    Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15; Nadeau & Bengio 2003,
    eq. 19 (c).

    Examples
    --------
    >>> from bayescmp.frequentist import tost_paired
    >>> x = [0.002, -0.003, 0.001, 0.004, 0.0, -0.002, 0.003, 0.001, -0.001, 0.002]
    >>> round(tost_paired(x, rope=0.01, rho=0.1).pvalue, 8)
    3.75e-06
    """
    values, names, known = one_dataset(x, "tost_paired")
    rho = checks.require_rho(known if rho is None else rho)
    factor = 1 / len(values) + rho / (1 - rho)
    result = _t_tests("corrected t", values, names, _region(rope), factor)
    return with_rho(result, x, rho, known)


def tost_means(
    x: ArrayLike | Differences,
    *,
    rope: RopeLike,
    method: str = "t",
) -> TestResult:
    """Perform two one-sided tests of equivalence on the mean differences of data sets.

    Parameters
    ----------
    x : array_like of shape (q,), DataFrame of two algorithms, or Differences of several data sets
        Differences, second minus first, one per data set; Differences enter by their means.
    rope : float, (float, float) or Rope
        As for `tost_paired`.
    method : {"t", "wilcoxon"}
        t tests of the mean with q - 1 degrees of freedom, or `wilcoxon` tests of the
        pseudo-median.

    Returns
    -------
    TestResult
        As from `tost_paired`.

    Raises
    ------
    InputError
        Fewer than 2 differences, missing or infinite ones, a ROPE without width.

    See Also
    --------
    tost_paired, wilcoxon, bayescmp.bayesian.signed_rank

    References
    ----------
    Schuirmann 1987; Wellek 2010, Testing Statistical Hypotheses of Equivalence, sec. 5.2 and 5.4.

    Examples
    --------
    >>> from bayescmp.frequentist import tost_means
    >>> x = [0.005, -0.008, 0.017, 0.033, 0.006, -0.005, 0.007]
    >>> x += [0, 0.063, 0, 0.022, 0.047, 0.009, 0.021]
    >>> round(tost_means(x, rope=0.03).pvalue, 4)
    0.0098
    >>> round(tost_means(x, rope=0.03, method="wilcoxon").pvalue, 4)
    0.0144
    """
    if isinstance(x, Differences):
        values, names = checks.check_vector(means_of(x), test="tost_means"), x.names
    else:
        values, names = numbers_or_pair(x, "tost_means")
    region = _region(rope)
    if checks.check_choice("method", method, ("t", "wilcoxon")) == "t":
        return _t_tests("t", values, names, region, 1 / len(values)).of(x, folds=False)
    return _signed_rank_tests(values, names, region).of(x, folds=False)


# Both sides of the region: by t, by signed ranks.


def _region(rope: RopeLike) -> Rope:
    region = as_rope(rope)
    if region.empty:
        raise must_be("rope", "over 0", rope, "Equivalence needs a region.")
    return region


def _t_tests(
    kind: str, values: np.ndarray, names: tuple[str, str], region: Rope, factor: float
) -> TestResult:
    title, alternative = _claim(kind, region)
    n, mean = len(values), float(values.mean())
    error = standard_error(values, factor)
    above = t_pvalue(mean - region.low, error, n - 1, "greater")
    below = t_pvalue(mean - region.high, error, n - 1, "less")
    worse = mean - region.low if above >= below else region.high - mean
    notes = (*_side_notes(region, above, below), *(() if error else (EQUAL,)))
    plain = t_test(title, mean, error, n - 1, "two-sided", names=names, n=n, notes=notes)
    statistic, pvalue = ratio(worse, error), max(above, below)
    both = SOURCES["tost"] if alternative == "equivalence" else ()
    cites = (*both, *(SOURCES["correction"] if kind != "t" else ()))
    return replace(plain, statistic=statistic, pvalue=pvalue, alternative=alternative, cites=cites)


def _signed_rank_tests(values: np.ndarray, names: tuple[str, str], region: Rope) -> TestResult:
    near = SIGNED_ROUNDING * max(float(np.abs(values).max()), region.size)
    # all values are equally far from an infinite bound: any finite one beyond them does as well
    far = 2 * near / SIGNED_ROUNDING
    ends = np.clip([region.low, region.high], -far, far)
    sides = [signed_ranks(values - end, tolerance=near) for end in ends]
    above, below = pvalue_of(sides[0], "greater")[0], pvalue_of(sides[1], "less")[0]
    title, alternative = _claim("signed-rank", region)
    return TestResult(
        method=title,
        cites=SOURCES["tost"] if alternative == "equivalence" else (),
        statistic=sides[0].sums[0] if above >= below else sides[1].sums[1],
        pvalue=max(above, below),
        alternative=alternative,
        estimate=pseudo_median(values),
        names=names,
        n=len(values),
        symbol="W",
        notes=_side_notes(region, above, below),
        interval=partial(walsh_interval, values),
    )


def _claim(kind: str, region: Rope) -> tuple[str, str]:
    """Name the test of a region, and its alternative."""
    if not region.one_sided:
        return f"two one-sided {kind} tests of equivalence", "equivalence"
    side = "not worse" if np.isinf(region.high) else "not better"
    return f"one-sided {kind} test of non-inferiority", side


def _side_notes(region: Rope, above: float, below: float) -> tuple[str, ...]:
    if region.one_sided:
        side, end = ("over", region.low) if np.isinf(region.high) else ("under", region.high)
        return (f"a small p-value supports a difference {side} {format_number(end)}",)
    return (
        f"over {format_number(region.low)}: {show_p(above)}; under {region.high:g}: "
        f"{show_p(below)}",
        "a small p-value supports practical equivalence",
    )
