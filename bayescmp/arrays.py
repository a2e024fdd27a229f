"""Arrays of numbers that a user gives: real, finite, of the right shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bayescmp.errors import InputError
from bayescmp.text import counted

__all__ = ["check_real", "finite", "numbers", "vector"]


def numbers(x: object, name: str, accepted: str) -> np.ndarray:
    """A copy of x as floating-point numbers.

    Parameters
    ----------
    x : array_like
    name : str
        The argument.
    accepted : str
        What is accepted, in words, for the message.

    Raises
    ------
    InputError
        If x is not an array of numbers.
    """
    check_real(x, name)
    try:
        return np.array(x, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} is not an array of numbers, or its rows differ in length; accepted: "
            f"{accepted}"
        ) from None


def check_real(x: object, name: str) -> None:
    """Refuse what numpy would turn to numbers with a loss: masks, imaginary parts, dates, text.

    Parameters
    ----------
    x : array_like
    name : str
        The argument.

    Raises
    ------
    InputError
    """
    if type(x) is np.ndarray and x.dtype.kind in "fiu":
        return
    if isinstance(x, np.ma.MaskedArray):
        raise InputError(
            f"{name} is a masked array; accepted: numbers without a mask (leave out what is "
            "masked, or fill it)"
        )
    if hasattr(x, "toarray"):
        raise InputError(f"{name} is a sparse {type(x).__name__}; accepted: x.toarray()")
    try:
        kind = np.asarray(x).dtype.kind
    except (TypeError, ValueError):  # rows that differ in length
        return
    kinds = {"c": "complex numbers", "m": "times", "M": "dates", "U": "text", "S": "text"}
    if kind in kinds:
        raise InputError(
            f"{name} is not an array of numbers: it holds {kinds[kind]}; accepted: real numbers"
        )
    if kind == "O":
        flat = np.asarray(x, dtype=object).ravel()
        odd = [v for v in flat if isinstance(v, str | bytes | complex)]
        if odd:
            raise InputError(
                f"{name} is not an array of numbers: it holds {odd[0]!r}; accepted: real numbers"
            )


def finite(
    values: np.ndarray,
    what: str,
    where: Callable[[tuple[int, ...]], str],
    why: str = "every fold needs a finite score",
) -> None:
    """Refuse missing and infinite numbers, and name the place of the first.

    Parameters
    ----------
    values : ndarray
    what : str
        What they are ("x", "metric 'auc'").
    where : callable
        Index of a number to its place in words.
    why : str
        What is needed instead.

    Raises
    ------
    InputError
    """
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        place = tuple(int(i) for i in bad[0])
        kind = "missing (NaN)" if np.isnan(values[place]) else "infinite"
        more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
        raise InputError(f"{what} is {kind} for {where(place)}{more}; {why}")


def vector(x: object, *, name: str = "x", least: int = 2, test: str = "the test") -> np.ndarray:
    """Check a vector of finite numbers, one per fold or data set.

    Parameters
    ----------
    x : array_like of shape (n,)
    name : str
        The argument.
    least : int
        How many numbers are needed.
    test : str
        Who needs them.

    Returns
    -------
    ndarray of shape (n,)
        A copy.

    Raises
    ------
    InputError
        If x has another shape, too few numbers, or one that is missing or infinite.
    """
    values = numbers(x, name, "(n,), one number per fold or data set")
    if values.ndim != 1:
        raise InputError(f"{name} has shape {values.shape}; accepted: (n,)")
    if len(values) < least:
        count = counted(len(values), "value")
        raise InputError(f"{name} has {count}; {test} needs at least {least}")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise InputError(f"{name}[{bad[0]}] is {values[bad[0]]}; accepted: finite numbers")
    return values
