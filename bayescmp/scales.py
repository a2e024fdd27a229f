"""On which scale two scores differ: as they are, as ratios, or in standard deviations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from bayescmp import checks
from bayescmp.errors import InputError, warn_user
from bayescmp.verdict import Rope, as_rope

__all__ = [
    "SCALES",
    "in_words",
    "label",
    "on_scale",
    "rope_of",
    "times",
    "warn_of_rope",
    "warn_of_sizes",
]

SCALES = ("difference", "log_ratio", "standardised")

_LABELS = {"difference": "", "log_ratio": "log ratio", "standardised": "standard deviations"}


def label(metric: str, scale: str) -> str:
    """A metric's name with its scale, for headers and axes: "rmse (log ratio)"."""
    return f"{metric} ({_LABELS[scale]})" if _LABELS[scale] else metric


def on_scale(
    scale: str,
    first: np.ndarray,
    second: np.ndarray,
    starts: np.ndarray,
    rho: Sequence[float],
    where: Callable[[int], str],
) -> tuple[np.ndarray, np.ndarray]:
    """Differences, second minus first, and what each data set's were divided by.

    Parameters
    ----------
    scale : {"difference", "log_ratio", "standardised"}
    first, second : ndarray of shape (m,)
        Paired scores, sorted by data set.
    starts : ndarray of int, shape (q,)
        Where each data set starts.
    rho : sequence of q floats
        Correlation of each data set's folds.
    where : callable
        Place of the first score of a data set, or of a score, in words; takes its number.

    Returns
    -------
    differences : ndarray of shape (m,)
    unit : ndarray of shape (q,)
        Standard deviation σ of each data set's differences, s² / (1 − rho) being without bias for
        σ² where folds correlate at rho; 1 on the other scales.

    Raises
    ------
    InputError
        A score that is not positive, for log_ratio; a data set whose differences do not vary, for
        standardised.
    """
    checks.choice("scale", scale, SCALES)
    if scale == "log_ratio":
        low = np.flatnonzero((first <= 0) | (second <= 0))
        if len(low):
            raise InputError(
                f"scale='log_ratio' needs positive scores; {where(int(low[0]))} has "
                f"{min(first[low[0]], second[low[0]]):.4g}"
            )
        return np.log(second) - np.log(first), np.ones(len(starts))
    x = second - first
    if scale == "difference":
        return x, np.ones(len(starts))
    unit = np.empty(len(starts))
    for i, row in enumerate(np.split(x, starts[1:])):
        sd = row.std(ddof=1) if len(row) > 1 else 0.0
        if sd <= 1e-10 * np.abs(row).max():
            raise InputError(
                "scale='standardised' needs differences that vary on each data set; those of "
                f"{where(int(starts[i]))} do not"
            )
        unit[i] = sd / np.sqrt(1 - rho[i])
    return x / np.repeat(unit, np.diff(np.r_[starts, len(x)])), unit


def rope_of(rope: object, scale: str = "difference", span: float | None = None) -> Rope:
    """A region of practical equivalence on a scale, also in percent.

    Parameters
    ----------
    rope : float, (float, float), Rope or str
        "1%" is a ratio of 1.01 on the scale log_ratio, and a hundredth of the metric's range on
        the scale difference: 0.01 for accuracies from 0 to 1, 1 for those in percent.
    scale : {"difference", "log_ratio", "standardised"}
    span : float, optional
        Length of the metric's range.

    Raises
    ------
    InputError
        As `as_rope`, or for percent where the range is not known.

    Examples
    --------
    >>> from bayescmp.scales import rope_of
    >>> print(rope_of("1%", span=100.0), rope_of("1%", "log_ratio"))
    ±1 ±0.00995033
    """
    percent = re.fullmatch(r"\s*([0-9.]+)\s*%\s*", rope) if isinstance(rope, str) else None
    if percent is None:
        return as_rope(rope)
    try:
        share = float(percent[1]) / 100
    except ValueError:
        return as_rope(rope)
    if scale == "log_ratio":
        return as_rope(float(np.log1p(share)))
    if scale == "standardised" or span is None:
        what = "in standard deviations" if scale == "standardised" else "of a metric without range"
        raise InputError(
            f"rope={rope!r} {what} has no meaning; accepted: a number, or scale='log_ratio' for "
            "percent of the score itself"
        )
    return as_rope(share * span)


def times(low: float, high: float) -> str:
    """A region of log ratios in words: "0.990 to 1.01 times"."""
    return f"{np.exp(low):.3g} to {np.exp(high):.3g} times"


def in_words(rope: Rope, scale: str = "difference") -> str:
    """A region of practical equivalence with the scale that it is on.

    Examples
    --------
    >>> from bayescmp.scales import in_words, rope_of
    >>> in_words(rope_of("1%", "log_ratio"), "log_ratio")
    '±0.00995 in the log ratio (0.99 to 1.01 times)'
    """
    if scale == "log_ratio" and not rope.empty:
        width = f"±{rope.high:.3g}" if rope.low == -rope.high else str(rope)
        return f"{width} in the log ratio ({times(rope.low, rope.high)})"
    return f"{rope} {_LABELS[scale]}" if _LABELS[scale] else str(rope)


def warn_of_sizes(
    metric: str, values: np.ndarray, starts: np.ndarray, names: Sequence[str]
) -> None:
    """Warn where scores of different data sets are of unlike size, over a hundredfold.

    Parameters
    ----------
    metric : str
    values : ndarray of shape (m,)
        Scores, sorted by data set.
    starts : ndarray of int, shape (q,)
    names : sequence of q str
    """
    sizes = np.abs(values)
    if sizes.max() <= 100 * sizes.min():  # no two scores differ so far, still less two medians
        return
    typical = _medians(sizes, starts)
    positive = np.flatnonzero(typical > 0)
    if len(positive) < 2:
        return
    least, most = (positive[f(typical[positive])] for f in (np.argmin, np.argmax))
    if typical[most] > 100 * typical[least]:
        warn_user(
            f"metric {metric!r} is about {typical[least]:.3g} on data set {names[least]!r} and "
            f"{typical[most]:.3g} on {names[most]!r}: differences on such different scales have "
            "no "
            "common mean or rope; scale='log_ratio' or scale='standardised' compares them"
        )


def _medians(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Median of each data set's values."""
    sizes = np.diff(np.r_[starts, len(values)])
    if (sizes == sizes[0]).all():
        return np.asarray(np.median(values.reshape(len(sizes), -1), axis=1))
    return np.array([np.median(v) for v in np.split(values, starts[1:])])


def warn_of_rope(rope: Rope, spread: float, largest: float, metric: str) -> None:
    """Warn where a rope does not fit the scores: of percent and fractions, mostly.

    Parameters
    ----------
    rope : Rope
    spread : float
        Length of the metric's range, or of the scores' own where it has none.
    largest : float
        The largest score without its sign.
    metric : str
    """
    width = rope.half_width
    if not width or not spread > 0:
        return
    if width > 0.5 * max(spread, largest):
        what = "over half of"
    elif width < 0.001 * spread:
        what = "under a thousandth of"
    else:
        return
    warn_user(
        f"rope {rope} is {what} the span of {metric or 'the scores'} ({spread:.4g}): is it in the "
        "metric's own unit (percent or fraction)?"
    )
