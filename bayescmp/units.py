"""Scores in unlike units: percent beside fractions, and values outside a metric's range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayescmp.errors import warn_user
from bayescmp.metrics import ROUNDING, Direction, known_range, lower_is_better

__all__ = ["warn_of_units"]


def warn_of_units(
    known: Direction, values: np.ndarray, codes: np.ndarray, datasets: Sequence[str]
) -> None:
    """Warn where a metric of known range has data sets in percent, or values outside its range.

    Parameters
    ----------
    known : Direction
        The metric.
    values : ndarray of shape (n,)
        Its scores; missing ones are passed over.
    codes : ndarray of int, shape (n,)
        The data set of each.
    datasets : sequence of str

    Warns
    -----
    DiagnosticWarning
    """
    ends = known_range(known.metric)
    there = np.isfinite(values)
    if ends is None or not there.any():
        return
    values, codes = values[there], codes[there]
    if known.lower != lower_is_better(known.metric) and (values <= 0).all():
        values = -values  # a loss that a scorer negated, as its direction says
    outside = (values < min(0.0, 100 * ends[0]) - ROUNDING) | (values > 100 * ends[1])
    if outside.any():
        i = int(np.flatnonzero(outside)[0])
        warn_user(
            f"metric {known.metric!r} is {values[i]:.4g} on data set {datasets[codes[i]]!r}: "
            f"outside its range, {ends[0]:g} to {ends[1]:g} (or {100 * ends[1]:g} in percent)"
        )
        return
    largest = np.zeros(len(datasets))
    np.maximum.at(largest, codes, np.abs(values))
    percent, fraction = (np.flatnonzero(s) for s in (largest > ends[1], largest <= ends[1]))
    fraction = fraction[np.isin(fraction, codes)]
    # An error rate of half a percent is not a fraction: it takes many to look like some.
    many = len(fraction) >= (len(percent) if known.lower else 1)
    if len(percent) and len(fraction) and many:
        one, other = percent[0], fraction[0]
        warn_user(
            f"metric {known.metric!r} seems to be in percent on {len(percent)} of "
            f"{len(percent) + len(fraction)} data sets ({datasets[one]!r}: up to "
            f"{largest[one]:.4g}) and a fraction on the others ({datasets[other]!r}: up to "
            f"{largest[other]:.4g}); put all in one unit"
        )
