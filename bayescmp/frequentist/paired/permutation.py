"""Permutation tests of a difference of means: paired, and of two independent samples."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base import checks
from bayescmp.base.magnitudes import TIED
from bayescmp.frequentist.results import TestResult
from bayescmp.scores.differences import Differences

__all__ = ["paired_permutation", "two_sample_permutation"]

#: Decimals of means of data scaled to 1: those equal but for rounding then count as equal.
DECIMALS = 11

#: SciPy's generator of random numbers is called `rng` from 1.15 on.
RANDOM = "rng" if "rng" in inspect.signature(stats.permutation_test).parameters else "random_state"


def paired_permutation(
    x: ArrayLike | Differences,
    *,
    alternative: str = "two-sided",
    n: int = 9999,
    seed: checks.Seed = None,
) -> TestResult:
    """Permutation test of paired differences: their signs are changed at random.

    Parameters
    ----------
    x : array_like of shape (k,), or Differences
        Independent differences, second minus first; of a Differences on several data sets its
        means. Folds of one cross-validation are not independent: use `corrected_t` for them.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second is better.
    n : int
        Random sign changes; all 2**k of them are used if that is not more.
    seed : int, Generator or None

    Returns
    -------
    TestResult
        The statistic is the mean difference. The p-value is exact if all sign changes were taken,
        else (count + 1)/(n + 1).

    Raises
    ------
    InputError
        Fewer than 2 differences, missing or infinite ones.

    See Also
    --------
    wilcoxon : By ranks.
    bayescmp.bayesian.signed_rank : The Bayesian test of the same differences.

    References
    ----------
    Fisher 1935, The Design of Experiments, sec. 21; Phipson & Smyth 2010.

    Examples
    --------
    C4.5 with tuned leaf sizes less C4.5, AUC on 14 data sets (Demšar 2006, table 2):

    >>> from bayescmp.frequentist import paired_permutation
    >>> x = [0.005, -0.008, 0.017, 0.033, 0.006, -0.005, 0.007]
    >>> x += [0, 0.063, 0, 0.022, 0.047, 0.009, 0.021]
    >>> print(paired_permutation(x, seed=1))
    paired permutation test: first vs second
      mean = 0.0155, n = 14, p = 0.0066
      estimate 0.0155
      9999 random sign changes
    """
    names, given = x.names if isinstance(x, Differences) else ("first", "second"), x
    if isinstance(x, Differences):
        x = x.means if x.q > 1 else x.x[0]
    values = checks.vector(x, test="paired_permutation")
    pvalue = _scipy((values,), _mean, "samples", alternative, n, seed)
    mean = float(values.mean())
    return TestResult(
        method="paired permutation test",
        statistic=mean,
        pvalue=pvalue,
        alternative=alternative,
        estimate=mean,
        names=names,
        n=len(values),
        symbol="mean",
        notes=(_how(2 ** len(values), n, "sign changes"),),
    ).of(given, folds=False)


def two_sample_permutation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: str = "two-sided",
    n: int = 9999,
    seed: checks.Seed = None,
) -> TestResult:
    """Permutation test of the means of two independent samples.

    Parameters
    ----------
    x, y : array_like of shape (k,), (m,)
        Scores of the first and the second algorithm, e.g. of runs with seeds of their own.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second's mean is higher.
    n : int
        Random partitions; all of them are used if that is not more.
    seed : int, Generator or None

    Returns
    -------
    TestResult
        The statistic is the difference of means, second minus first.

    Raises
    ------
    InputError
        Fewer than 2 values in a sample, missing or infinite ones.

    See Also
    --------
    paired_permutation : For scores on the same data.

    References
    ----------
    Pitman 1937, JRSS Supplement 4; Phipson & Smyth 2010.

    Examples
    --------
    Final returns of runs with seeds of their own:

    >>> from bayescmp.frequentist import two_sample_permutation
    >>> print(two_sample_permutation([212, 180, 195, 201], [230, 224, 199, 241]))
    two-sample permutation test: first vs second
      difference = 26.5, n = 8, p = 0.0857
      estimate 26.5
      exact, all 70 partitions
    """
    first, second = (
        checks.vector(v, name=s, test="two_sample_permutation") for v, s in ((x, "x"), (y, "y"))
    )
    pvalue = _scipy(_centred(second, first), _difference, "independent", alternative, n, seed)
    gap = float(second.mean() - first.mean())
    partitions = math.comb(len(first) + len(second), len(first))
    return TestResult(
        method="two-sample permutation test",
        statistic=gap,
        pvalue=pvalue,
        alternative=alternative,
        estimate=gap,
        names=("first", "second"),
        n=len(first) + len(second),
        symbol="difference",
        notes=(_how(partitions, n, "partitions"),),
    )


def _mean(x: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(np.round(np.mean(x, axis=axis), DECIMALS))


def _difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(np.round(np.mean(x, axis=axis) - np.mean(y, axis=axis), DECIMALS))


def _centred(*samples: np.ndarray) -> tuple[np.ndarray, ...]:
    """Scores from a common origin, so that an offset takes no digits; zeros if all are equal."""
    both = np.concatenate(samples)
    equal = np.ptp(both) <= TIED * np.abs(both).max()
    return tuple(np.zeros(len(v)) if equal else v - np.median(both) for v in samples)


def _scipy(
    data: tuple[np.ndarray, ...],
    statistic: Callable[..., np.ndarray],
    kind: str,
    alternative: str,
    n: int,
    seed: checks.Seed,
) -> float:
    checks.choice("alternative", alternative, checks.ALTERNATIVES)
    n = checks.whole("n", n)
    size = sum(map(len, data))
    scale = max(float(np.abs(v).max()) for v in data) or 1.0
    data = tuple(v / scale for v in data)
    with np.errstate(over="ignore"):  # SciPy 1.12 counts all 2**k cases as a float
        result = stats.permutation_test(
            data,
            statistic,
            permutation_type=kind,
            vectorized=True,
            n_resamples=n,
            alternative=alternative,
            batch=max(1, 2_000_000 // size),
            **{RANDOM: checks.generator(seed)},
        )
    return float(result.pvalue)


def _how(cases: int, n: int, what: str) -> str:
    return f"exact, all {cases} {what}" if cases <= n else f"{n} random {what}"
