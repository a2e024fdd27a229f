"""Confidence intervals for the area under one ROC curve, from the area and the class sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import stats
from scipy.special import gammaln

from bayescmp.errors import InputError, unknown_name

__all__ = ["AucInterval", "auc_given_errors", "auc_interval"]

NO_WIDTH = (
    "the estimated variance is 0 at an area of 0 or 1, which does not mean that the area is "
    "known exactly: "
    "use method='agarwal'"
)


@dataclass(frozen=True)
class AucInterval:
    """Interval of an area under the ROC curve.

    Attributes
    ----------
    auc : float
    low, high : float
        Within [0, 1].
    level : float
    method : str
    standard_error : float or None
        Where the method has one.
    note : str
        A caveat; empty if there is none.
    """

    auc: float
    low: float
    high: float
    level: float
    method: str
    standard_error: float | None = None
    note: str = ""

    def __str__(self) -> str:
        ends = f"{self.low:.4f} to {self.high:.4f}"
        note = f"; {self.note}" if self.note else ""
        return f"AUC {self.auc:.4f}, {self.level:.0%} interval {ends} ({self.method}){note}"


def auc_interval(
    auc: float,
    n_pos: int,
    n_neg: int,
    *,
    method: str = "hanley-mcneil",
    level: float = 0.95,
    errors: int | None = None,
) -> AucInterval:
    """Confidence interval for a single AUC.

    Parameters
    ----------
    auc : float
        Area under the ROC curve on one test set, from 0 to 1.
    n_pos, n_neg : int
        Positive and negative cases of the test set.
    method : {"hanley-mcneil", "cortes-mohri", "agarwal"}
        "hanley-mcneil" is normal, with the variance of scores that are exponential in both
        classes. "cortes-mohri" uses the number of errors alone and Chebyshev's inequality; it
        assumes nothing about the scores except that all rankings with this number of errors are
        equally likely. "agarwal" is a bound without any assumption. The latter two are wide. The
        first has no width at an area of 0 or 1, and a note says so.
    level : float
        Confidence, between 0 and 1.
    errors : int, optional
        Misclassified cases; "cortes-mohri" needs them, and the area does not enter its interval.

    Returns
    -------
    AucInterval

    Raises
    ------
    InputError
        An area or level out of range, empty classes, errors missing or out of range.

    References
    ----------
    Hanley & McNeil 1982, Radiology 143, eq. 1 and 2; Cortes & Mohri 2004, NIPS 17; Agarwal,
    Graepel, Herbrich & Roth 2005, NIPS 17, corollary 2 (also JMLR 6, 393-425).
    """
    methods: dict[str, Callable[..., AucInterval]] = {
        "hanley-mcneil": _hanley_mcneil,
        "cortes-mohri": _cortes_mohri,
        "agarwal": _agarwal,
    }
    if method not in methods:
        raise unknown_name("method", method, methods)
    _check(auc, n_pos, n_neg, level)
    return methods[method](float(auc), int(n_pos), int(n_neg), float(level), errors)


def auc_given_errors(errors: int, n_pos: int, n_neg: int) -> tuple[float, float]:
    """Mean and variance of the area over all rankings that make this many errors.

    A ranking is an order of the labels with a cut: cases above it are called positive. All orders
    and cuts with that many errors are equally likely. Given x positives below the cut, labels
    above and below are in random order, so that Wilcoxon's mean and variance hold on each side.

    Parameters
    ----------
    errors : int
        From 0 to n_pos + n_neg.
    n_pos, n_neg : int

    Returns
    -------
    (float, float)

    References
    ----------
    Cortes & Mohri 2004, NIPS 17, theorem 1 and proposition 3 (closed forms of these sums).
    """
    x = np.arange(max(0, errors - n_neg), min(errors, n_pos) + 1)  # positives below the cut
    z = errors - x  # negatives above it
    weights = _log_choose(n_pos - x + z, z) + _log_choose(n_neg - z + x, x)
    weights = np.exp(weights - weights.max())
    weights /= weights.sum()
    means = 1 - (x / n_pos + z / n_neg) / 2
    above = (n_pos - x) * z * (n_pos - x + z + 1)
    below = x * (n_neg - z) * (n_neg - z + x + 1)
    within = (above + below) / 12 / (n_pos * n_neg) ** 2
    mean = float(weights @ means)
    return mean, float(weights @ (within + (means - mean) ** 2))


def _hanley_mcneil(auc: float, m: int, n: int, level: float, _: object) -> AucInterval:
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = (auc * (1 - auc) + (m - 1) * (q1 - auc**2) + (n - 1) * (q2 - auc**2)) / (m * n)
    error = math.sqrt(max(variance, 0.0))
    half = float(stats.norm.isf((1 - level) / 2)) * error
    low, high = max(auc - half, 0.0), min(auc + half, 1.0)
    note = NO_WIDTH if error == 0 else ""
    return AucInterval(auc, low, high, level, "Hanley & McNeil 1982", error, note)


def _agarwal(auc: float, m: int, n: int, level: float, _: object) -> AucInterval:
    half = math.sqrt((m + n) * math.log(2 / (1 - level)) / (2 * m * n))
    return AucInterval(
        auc, max(auc - half, 0.0), min(auc + half, 1.0), level, "Agarwal et al. 2005"
    )


def _cortes_mohri(auc: float, m: int, n: int, level: float, errors: int | None) -> AucInterval:
    """Chebyshev's bound over the error rates of an interval; each holds with √level."""
    total = m + n
    if not isinstance(errors, Real) or not 0 <= errors <= total or int(errors) != errors:
        raise InputError(
            f"errors={errors!r}; method='cortes-mohri' needs the number of misclassified cases, "
            f"from 0 to {total}"
        )
    risk = 1 - math.sqrt(level)
    rates = stats.binomtest(int(errors), total).proportion_ci(1 - risk, method="exact")
    counts = range(math.floor(rates.low * total), math.ceil(rates.high * total) + 1)
    lows, highs = [], []
    for k in counts:
        mean, variance = auc_given_errors(k, m, n)
        half = math.sqrt(variance / risk)
        lows.append(mean - half)
        highs.append(mean + half)
    low, high = max(min(lows), 0.0), min(max(highs), 1.0)
    return AucInterval(auc, low, high, level, "Cortes & Mohri 2004")


def _log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _check(auc: float, m: int, n: int, level: float) -> None:
    if not isinstance(auc, Real) or not 0 <= auc <= 1:
        raise InputError(f"auc={auc!r}; accepted: from 0 to 1")
    for name, value in (("n_pos", m), ("n_neg", n)):
        if not isinstance(value, Real) or not 1 <= value < math.inf or int(value) != value:
            raise InputError(f"{name}={value!r}; accepted: an integer >= 1")
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InputError(f"level={level!r}; accepted: between 0 and 1, exclusive")
