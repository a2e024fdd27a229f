"""Two proportions from independent trials: Barnard, Boschloo and Fisher, Newcombe's interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import ndtri

from bayescmp.base.checks import sided, validate_params
from bayescmp.errors import InputError
from bayescmp.frequentist.results import EffectSize, TestResult
from bayescmp.scores.counts import Counts, SuccessCounts, read_two_counts, wilson_interval

#: One count.
CountLike = ArrayLike | str
#: Most pairs of possible outcomes, n₁·n₂, for which the unconditional tests take seconds.
MOST_OUTCOMES = 250_000

#: Note on the interval, which is not derived from the p-value.
NEWCOMBE = "interval of the difference by Newcombe's hybrid score method"


@validate_params(alternative=sided)
def barnard(
    first: CountLike | Mapping[str, ArrayLike],
    second: CountLike | None = None,
    *,
    names: Sequence[str] | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Perform Barnard's exact test of two proportions from independent trials.

    Its statistic is the pooled z. The p-value is the largest over all common proportions.

    Parameters
    ----------
    first, second : (int, int) or str
        Successes and trials of each: (14, 20), or "14/20"; or ``first`` maps two names to them.
    names : (str, str), optional
        The two algorithms, if ``first`` is not a mapping.
    alternative : {"two-sided", "less", "greater"}
        "greater": the second's proportion is higher.

    Returns
    -------
    TestResult
        ``estimate`` is `newcombe`'s difference, second minus first; ``n`` counts all trials.

    Raises
    ------
    InputError
        Counts that cannot be; n₁·n₂ over 250,000, for which the test would take minutes.

    See Also
    --------
    boschloo, fisher, mcnemar, bayescmp.bayesian.proportions

    References
    ----------
    Barnard 1947, Biometrika 34; ``scipy.stats.barnard_exact``.

    Examples
    --------
    >>> from bayescmp.frequentist import barnard
    >>> round(barnard("14/20", "17/20").pvalue, 2)
    0.29
    """
    return _unconditional(
        "Barnard's exact test", "z", "barnard_exact", (first, second), names, alternative
    )


@validate_params(alternative=sided)
def boschloo(
    first: CountLike | Mapping[str, ArrayLike],
    second: CountLike | None = None,
    *,
    names: Sequence[str] | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Perform Boschloo's exact test of two proportions from independent trials.

    Its statistic is the p-value of Fisher's test, than which it is never less powerful.

    Parameters
    ----------
    first, second, names, alternative
        As for `barnard`.

    Returns
    -------
    TestResult
        As for `barnard`.

    Raises
    ------
    InputError
        As for `barnard`.

    See Also
    --------
    barnard, bayescmp.bayesian.proportions

    References
    ----------
    Boschloo 1970, Statistica Neerlandica 24; ``scipy.stats.boschloo_exact``.

    Examples
    --------
    >>> from bayescmp.frequentist import boschloo
    >>> round(boschloo("14/20", "17/20").pvalue, 5)
    0.28715
    """
    return _unconditional(
        "Boschloo's exact test",
        "Fisher's p",
        "boschloo_exact",
        (first, second),
        names,
        alternative,
    )


@validate_params(alternative=sided)
def fisher(
    first: CountLike | Mapping[str, ArrayLike],
    second: CountLike | None = None,
    *,
    names: Sequence[str] | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Perform Fisher's exact test of two proportions from independent trials.

    It is conditional on the number of all successes, which makes it cautious for few trials.

    Parameters
    ----------
    first, second, names, alternative
        As for `barnard`.

    Returns
    -------
    TestResult
        The statistic is the odds ratio, second over first; otherwise as for `barnard`.

    Raises
    ------
    InputError
        Counts that cannot be.

    See Also
    --------
    boschloo, bayescmp.bayesian.proportions

    References
    ----------
    Fisher 1935, The Design of Experiments; ``scipy.stats.fisher_exact``.

    Examples
    --------
    >>> from bayescmp.frequentist import fisher
    >>> round(fisher("14/20", "17/20").pvalue, 4)
    0.4506
    """
    counts = read_two_counts(first, second, names)
    one, other = counts.values()
    table = [
        [other.successes, other.trials - other.successes],
        [one.successes, one.trials - one.successes],
    ]
    result = stats.fisher_exact(table, alternative=alternative)
    return _result("Fisher's exact test", "odds ratio", counts, alternative, result)


def newcombe(
    first: CountLike | Mapping[str, ArrayLike],
    second: CountLike | None = None,
    *,
    names: Sequence[str] | None = None,
) -> EffectSize:
    """Estimate the difference of two proportions, with Newcombe's hybrid score interval.

    The interval combines Wilson's intervals of both proportions (method 10 of the source).

    Parameters
    ----------
    first, second, names
        As for `barnard`.

    Returns
    -------
    EffectSize
        The difference, second minus first; ``n`` counts all trials.

    Raises
    ------
    InputError
        Counts that cannot be.

    See Also
    --------
    barnard, boschloo, fisher, bayescmp.bayesian.proportions

    References
    ----------
    Newcombe 1998, Statistics in Medicine 17:873-890.

    Examples
    --------
    >>> from bayescmp.frequentist import newcombe
    >>> low, high = newcombe("14/20", "17/20").confidence_interval()
    >>> round(low, 4), round(high, 4)
    (-0.1111, 0.3898)
    """
    return _difference(read_two_counts(first, second, names))


def _unconditional(
    method: str,
    symbol: str,
    test: str,
    given: tuple[Any, Any],
    names: Sequence[str] | None,
    alternative: str,
) -> TestResult:
    """Perform one of SciPy's tests; the second algorithm is its first sample."""
    counts = read_two_counts(*given, names)
    one, other = counts.values()
    if one.trials * other.trials > MOST_OUTCOMES:
        raise InputError(
            f"{method} must be of at most {MOST_OUTCOMES:,} possible outcomes, n₁·n₂ (got "
            f"{one.trials:,} and {other.trials:,} trials). Use bayescmp.frequentist.fisher.",
            argument="first",
        )
    table = [
        [other.successes, one.successes],
        [other.trials - other.successes, one.trials - one.successes],
    ]
    result = getattr(stats, test)(table, alternative=alternative)
    return _result(method, symbol, counts, alternative, result)


def _result(
    method: str,
    symbol: str,
    counts: Counts,
    alternative: str,
    found: Any,
) -> TestResult:
    """Make the result of one of SciPy's."""
    effect = _difference(counts)
    one, other = counts.values()
    return TestResult(
        method=method,
        statistic=float(found.statistic),
        pvalue=min(float(found.pvalue), 1.0),
        alternative=alternative,
        estimate=effect.estimate,
        names=effect.names,
        n=effect.n,
        symbol=symbol,
        notes=(NEWCOMBE,),
        interval=partial(_interval, one, other, alternative),
    )


def _difference(counts: Counts) -> EffectSize:
    """Return the difference of two proportions, with Newcombe's interval."""
    (one, first), (other, second) = counts.items()
    return EffectSize(
        measure="difference of proportions",
        estimate=second.successes / second.trials - first.successes / first.trials,
        n=first.trials + second.trials,
        interval=partial(_interval, first, second, "two-sided"),
        names=(one, other),
        notes=(NEWCOMBE,),
    )


def _interval(
    first: SuccessCounts, second: SuccessCounts, alternative: str, level: float
) -> tuple[float, float]:
    """Return Newcombe's interval of the difference, one-sided where the alternative is."""
    tail = 1 - level if alternative != "two-sided" else (1 - level) / 2
    z = -float(ndtri(tail))
    p, q = (count.successes / count.trials for count in (first, second))
    (low, high), (lower, upper) = wilson_interval(first, z), wilson_interval(second, z)
    return (
        -1.0 if alternative == "less" else q - p - math.hypot(q - lower, high - p),
        1.0 if alternative == "greater" else q - p + math.hypot(upper - q, p - low),
    )
