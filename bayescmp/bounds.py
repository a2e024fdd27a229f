"""How large and how small numbers may be that memory and arithmetic can still hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from numbers import Real
from typing import ParamSpec, TypeVar

import numpy as np

from bayescmp.errors import InputError

__all__ = ["HEAVIEST", "MOST_CHAINS", "MOST_DRAWS", "check_size", "span", "underflow_is_zero"]

#: Draws of a test, and warm-up steps and draws of a chain; chains of a sampler. More would fill
#: the memory of the machine, or never end.
MOST_DRAWS, MOST_CHAINS = 10**7, 1000
#: Weight of a prior, in data sets.
HEAVIEST = 1e9
#: Sizes of numbers whose squares, and the products of those, a float holds.
SMALLEST, LARGEST = 1e-70, 1e70


P = ParamSpec("P")
R = TypeVar("R")


def underflow_is_zero(function: Callable[P, R]) -> Callable[P, R]:
    """A function in which densities far out are 0, also under ``np.seterr(all="raise")``.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.bounds import underflow_is_zero
    >>> with np.errstate(all="raise"):
    ...     float(underflow_is_zero(np.exp)(-1e4))
    0.0
    """

    @wraps(function)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> R:
        with np.errstate(under="ignore"):
            return function(*args, **kwargs)

    return quiet


def check_size(values: np.ndarray, what: str) -> None:
    """Refuse numbers whose squares would overflow, or all of which would vanish.

    Parameters
    ----------
    values : ndarray
        Finite numbers.
    what : str
        What they are, for the message ("x", "the differences").

    Raises
    ------
    InputError
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise InputError(
            f"{what}: the largest is {largest:.3g} in size; accepted: {SMALLEST:g} to "
            f"{LARGEST:g}, so give the metric in another unit"
        )


def span(value: object) -> float | None:
    """Check the length of a metric's range; None where it is not known.

    Raises
    ------
    InputError
        If it is no positive number.
    """
    if value is None:
        return None
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not 0 < float(value) < np.inf:  # type: ignore[arg-type]
        raise InputError(
            f"span={value!r}; accepted: the length of the metric's range, a positive number, or "
            "None where it has no bounds"
        )
    return float(value)  # type: ignore[arg-type]
