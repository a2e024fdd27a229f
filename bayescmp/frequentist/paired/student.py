"""What t tests of differences share: reading, the standard error, p-values and intervals."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import checks
from bayescmp.differences import Differences
from bayescmp.errors import InputError
from bayescmp.frequentist.described import Described
from bayescmp.steps import ROUNDING

__all__ = [
    "EQUAL",
    "one_dataset",
    "ratio",
    "standard_error",
    "standard_errors",
    "t_interval",
    "t_pvalue",
    "with_rho",
]

#: The note where nothing varies.
EQUAL = "all differences are equal: without variation there is no standard error, and p is 0 or 1"

AnyDescribed = TypeVar("AnyDescribed", bound=Described)


def one_dataset(
    x: ArrayLike | Differences, test: str
) -> tuple[np.ndarray, tuple[str, str], float | None]:
    """Differences, names and rho, of a vector or of a labelled object with one data set.

    Parameters
    ----------
    x : array_like of shape (n,), or Differences
    test : str
        Who asks, for messages.

    Returns
    -------
    ndarray of shape (n,), (str, str), float or None

    Raises
    ------
    InputError
        Fewer than 2 differences, missing or infinite ones, several data sets.
    """
    if not isinstance(x, Differences):
        return checks.vector(x, test=test), ("first", "second"), None
    if x.q != 1:
        raise InputError(
            f"x holds {x.q} data sets, and {test} is for one: choose it with x.row("
            f"{x.datasets[0]!r}), or use wilcoxon(x) over all"
        )
    return checks.vector(x.x[0], test=test), x.names, float(x.rho[0])


def with_rho(
    result: AnyDescribed, x: ArrayLike | Differences, rho: float, known: float | None
) -> AnyDescribed:
    """The result with the correlation of folds, and its reason unless another was given."""
    return result.of(x, rho=None if rho == known else rho)


def standard_error(values: np.ndarray, factor: float) -> float:
    """√(factor·s²) of differences; 0 where they are equal but for rounding."""
    return float(standard_errors(values, factor))


def standard_errors(values: np.ndarray, factor: float | np.ndarray) -> np.ndarray:
    """The same of each row of a table of differences."""
    equal = np.ptp(values, axis=-1) <= ROUNDING * np.abs(values).max(axis=-1)
    return np.where(equal, 0.0, np.sqrt(factor * values.var(axis=-1, ddof=1)))


def ratio(above: float, below: float) -> float:
    """A quotient, 0 where nothing differs and infinite where nothing varies."""
    if below > 0:
        return above / below
    return math.copysign(math.inf, above) if above else 0.0


def t_pvalue(mean: float, error: float, df: float, alternative: str) -> float:
    """P-value of mean/error on df degrees of freedom; 1 where both are 0."""
    checks.choice("alternative", alternative, checks.ALTERNATIVES)
    if mean == 0 and error == 0:
        return 1.0
    t = ratio(mean, error)
    if alternative == "two-sided":
        return float(2 * stats.t.sf(abs(t), df))
    return float(stats.t.sf(t if alternative == "greater" else -t, df))


def t_interval(
    mean: float, error: float, df: float, alternative: str, level: float
) -> tuple[float, float]:
    """Confidence interval of the mean, open to one side where the alternative is."""
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    half = float(stats.t.isf(tail, df)) * error
    low = -math.inf if alternative == "less" else mean - half
    return low, math.inf if alternative == "greater" else mean + half
