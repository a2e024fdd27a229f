"""How large and how small numbers may be, which are equal up to rounding, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.errors import InputError

# How large and how small numbers may be that memory and arithmetic can still hold.


#: The most draws, folds and other counts that are accepted without another bound: more would
#: fill the memory of the machine, or never end.
MOST = 10**7
#: The most data sets of a plan, and the most simulations.
DATASETS, SIMULATIONS = 10**5, 10**6
#: The most numbers that are held in memory at a time: draws times data sets, and the like.
HELD = 2 * 10**8
#: The largest weight of a prior, in data sets.
HEAVIEST = 1e9
#: Bounds on numbers whose squares, and the products of these, a float holds.
SMALLEST, LARGEST = 1e-70, 1e70


P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def _ignore_underflow() -> Iterator[None]:
    with np.errstate(under="ignore"):
        yield


def underflow_is_zero(function: Callable[P, R]) -> Callable[P, R]:
    """Let densities far out be 0 in a function, also under ``np.seterr(all="raise")``."""
    return _ignore_underflow()(function)


def check_size(values: np.ndarray, what: str) -> None:
    """Refuse numbers (`what`, finite or NaN) whose squares would overflow, or all vanish."""
    largest = float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise must(
            what,
            f"be {SMALLEST:g} to {LARGEST:g} in size at the largest",
            f"{largest:.3g}",
            "Give the metric in another unit.",
        )


def check_within(span: float, differences: np.ndarray) -> None:
    """Refuse differences that are larger than the metric's range is long."""
    largest = float(np.abs(differences).max())
    if largest > span * (1 + 1e-9):
        raise InputError(
            f"{arg('span')} must be the length of the metric's range in the unit of the "
            f"differences (got {span:g}, but a difference is {largest:.4g} in size). Use None "
            "where it has no bounds.",
            "span",
        )


def span(value: object) -> float | None:
    """Check the length of a metric's range, a positive number; None if it is not known."""
    if value is None:
        return None
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not 0 < value <= LARGEST:  # type: ignore[operator]
        raise must_be(
            "span",
            "the length of the metric's range, a positive number, or None where it has no bounds",
            value,
        )
    return float(value)  # type: ignore[arg-type]


# The smallest steps of scores, and equality up to rounding.


#: Numbers closer than this, relative to the largest of their row, are equal up to rounding.
ROUNDING = 1e-10
#: The rounding error of the difference of equal scores, relative to the largest score.
NOISE = 2.0**-42
#: Scores closer than this, relative to their size, tie: a mean of many folds rounds by so much.
TIED = 2.0**-46


def rounding_noise(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Bound what subtracting equal scores of each data set may leave, (q,)."""
    largest = np.abs(scores).reshape(-1, scores.shape[-1]).max(axis=0)
    return NOISE * np.maximum.reduceat(largest, starts)


def smallest_step(scores: np.ndarray) -> float:
    """Find the smallest difference of distinct scores, beyond rounding; NaN if all are equal."""
    finite = np.sort(scores[np.isfinite(scores)])
    steps = np.diff(finite)
    steps = steps[steps > ROUNDING * max(np.abs(finite).max(initial=0.0), 1e-300)]
    return float(steps.min()) if len(steps) else float("nan")


def smallest_steps(scores: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return the `smallest_step` of each group of finite scores, (q,); `group` is (m,)."""
    order = np.lexsort((scores, group))
    scores, group = scores[order], group[order]
    starts = np.flatnonzero(np.r_[True, np.diff(group) > 0])
    largest = np.maximum.reduceat(np.abs(scores), starts)
    steps = np.diff(scores)
    noise = ROUNDING * np.maximum(largest, 1e-300)[group[1:]]
    steps[(np.diff(group) > 0) | (steps <= noise)] = np.inf
    least = np.minimum.reduceat(np.r_[np.inf, steps], starts)
    return np.where(np.isinf(least), np.nan, least)


def steps_of_runs(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return `smallest_steps`, (q,), of scores (algorithms, m) of data sets from `starts`."""
    sizes = np.diff(starts, append=scores.shape[1])
    if (sizes != sizes[0]).any():
        group = np.repeat(np.arange(len(sizes)), sizes)
        return smallest_steps(scores.ravel(), np.tile(group, len(scores)))
    rows = np.concatenate(scores.reshape(len(scores), len(sizes), -1), axis=1)
    rows.sort(axis=1)
    steps = np.diff(rows, axis=1)
    largest = np.maximum(np.abs(rows[:, 0]), np.abs(rows[:, -1]))
    steps[steps <= ROUNDING * np.maximum(largest, 1e-300)[:, None]] = np.inf
    least = steps.min(axis=1, initial=np.inf)
    return np.where(np.isinf(least), np.nan, least)


def step_seen(rows: Sequence[np.ndarray]) -> float:
    """Find the smallest step within any row of differences, zero included; NaN if all are 0."""
    steps = [smallest_step(np.append(row, 0.0)) for row in rows]
    return min((h for h in steps if not np.isnan(h)), default=float("nan"))


# An order that numbers decide, the same however they were handed in.


#: Digits by which keys are compared: what sums in another order leave the same.
DIGITS = 9


def places_by(*keys: ArrayLike) -> np.ndarray:
    """Sort places by keys (q,) in increasing order; keys that differ by rounding are equal."""
    table = np.array(keys, dtype=float)
    largest = np.abs(table).max(axis=1, keepdims=True, initial=0.0)
    return np.lexsort(np.round(table / np.where(largest > 0, largest, 1.0), DIGITS)[::-1])
