"""What parameters of public functions may be, declared above them and checked before they run.

A kind of parameter is a function of the argument's name and value: it returns the value as the
body is to have it, or refuses it by an `InputError` that says what is accepted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeAlias, TypeVar

import numpy as np

from bayescmp.base import checks
from bayescmp.errors import InputError

INFINITY = float("inf")

Kind: TypeAlias = Callable[[str, object], object]

P = ParamSpec("P")
R = TypeVar("R")


def declare(**kinds: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check what a function is given before it runs; what is left out keeps its default.

    `kinds` has the kind of each parameter, by its name.

    Examples
    --------
    >>> from bayescmp.base.declare import count, declare
    >>> @declare(folds=count(2))
    ... def share_of_tests(folds=10):
    ...     return 1 / folds
    >>> share_of_tests(), share_of_tests(5.0)
    (0.1, 0.2)
    >>> share_of_tests(folds=1)
    Traceback (most recent call last):
    bayescmp.errors.InputError: folds=1; accepted: a whole number from 2 to 1,000,000
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        places = {name: i for i, name in enumerate(signature(function).parameters)}
        declared = [(places[name], name, kind) for name, kind in kinds.items()]

        @wraps(function)
        def checked(*args: P.args, **options: P.kwargs) -> R:
            given = list(args)
            for place, name, kind in declared:
                if name in options:
                    options[name] = kind(name, options[name])
                elif place < len(given):
                    given[place] = kind(name, given[place])
            return function(*given, **options)  # type: ignore[arg-type]

        return checked

    return decorate


def flag(name: str, value: object) -> bool:
    """Accept True or False."""
    checks.check_flags(**{name: value})
    return bool(value)


def text(name: str, value: object) -> str:
    """Accept a name, which has to be text."""
    if isinstance(value, str):
        return value
    raise InputError(f"{name}={value!r}; accepted: a name, as text")


def sided(name: str, value: object) -> str:
    """Accept an alternative."""
    return checks.check_choice(name, value, checks.ALTERNATIVES)


#: Accept a number of processes, and a number over 0.
jobs, positive = checks.check_processes, checks.check_positive


def share(name: str, value: object) -> float:
    """Accept a number between 0 and 1, exclusive: a level, a threshold of probability."""
    return checks.check_level(value, name)


def count(least: int = 1, most: float = 2**53) -> Kind:
    """Accept a whole number, at most what `magnitudes.MOST` has for its name."""
    return lambda name, value: checks.check_whole(name, value, least, most=most)


def number(least: float = -INFINITY, most: float = INFINITY) -> Kind:
    """Accept a finite number, both ends included."""
    ends = "" if least == -INFINITY else f" from {least:g}"
    ends += "" if most == INFINITY else f" to {most:g}"

    def check(name: str, value: object) -> float:
        if not checks.is_number(value) or not least <= value <= most or abs(value) == INFINITY:
            raise InputError(f"{name}={value!r}; accepted: a finite number{ends}")
        return value

    return check


def correlation(name: str, value: object) -> float:
    """Accept one correlation of folds."""
    return checks.one_rho(value)


def names(name: str, value: object) -> list[str]:
    """Accept a name, or several in order."""
    given = checks.as_names(value, name)  # type: ignore[arg-type]
    if not given:
        raise InputError(f"{name}={value!r}; accepted: a name, or several in a list")
    return given


def one_of(*known: str) -> Kind:
    """Accept one of a few words; the message suggests the nearest."""
    return lambda name, value: checks.check_choice(name, value, known)


def optional(kind: Kind) -> Kind:
    """Accept what the kind accepts, or None."""
    return lambda name, value: None if value is None else kind(name, value)


def several(kind: Kind) -> Kind:
    """Accept what the kind accepts, or a sequence of such."""

    def check(name: str, value: object) -> object:
        if isinstance(value, list | tuple | np.ndarray):
            return [kind(name, one) for one in value]
        return kind(name, value)

    return check


def each(kind: Kind) -> Kind:
    """Accept a sequence of what the kind accepts."""

    def check(name: str, value: object) -> object:
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise InputError(f"{name}={value!r}; accepted: one or more, in a list")
        return [kind(name, one) for one in value]

    return check


def instance(accepted: str, *homes: str) -> Kind:
    """Accept an object of one of these classes, which `accepted` describes for the message.

    Each class is given as "module:name", since what was never imported has no instances.
    """

    def check(name: str, value: object) -> object:
        for home in homes:
            module, _, kind = home.partition(":")
            if module in sys.modules and isinstance(value, getattr(sys.modules[module], kind)):
                return value
        word = isinstance(value, str) or checks.is_number(value)
        shown = f"={value!r}" if word else f" is {type(value).__name__}"
        raise InputError(f"{name}{shown}; accepted: {accepted}")

    return check


#: Accept a table of scores.
SCORES = instance("Scores", "bayescmp.scores.scores:Scores")
