"""What a plot is made of: anything else is refused by one message, before a figure is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import signature
from pkgutil import resolve_name
from typing import ParamSpec, TypeVar

from bayescmp.errors import InputError
from bayescmp.fitted import Fitted
from bayescmp.posterior import Posterior

__all__ = ["PAIR", "made_of"]

#: What the plots of one pair of algorithms accept.
PAIR = "the posterior of one pair of algorithms, e.g. bc.compare(scores, a, b, metric, rope=rope)"

P = ParamSpec("P")
R = TypeVar("R")


def made_of(accepted: str, *homes: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A plot whose first argument is checked.

    Parameters
    ----------
    accepted : str
        What the plot is made of, for the message; `PAIR` also refuses the posteriors of more than
        two algorithms.
    *homes : str
        The classes that are accepted, each as "module:name", for `pkgutil.resolve_name`; without
        any, every object that has what the plot reads.

    Raises
    ------
    InputError
        By the plot, naming what was given and what it accepts.
    """

    def checked(plot: Callable[P, R]) -> Callable[P, R]:
        @wraps(plot)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
            given = next(iter(signature(plot).bind(*args, **kwargs).arguments.values()))
            refused = InputError(
                f"{plot.__name__} can't draw {type(given).__name__}; accepted: {accepted}"
            )
            if homes and not isinstance(given, tuple(map(resolve_name, homes))):
                raise refused
            if accepted == PAIR and isinstance(given, Fitted) and not isinstance(given, Posterior):
                raise refused
            try:
                return plot(*args, **kwargs)
            except AttributeError as error:
                if all(error.obj is not part for part in _parts(given)):
                    raise
                raise refused from None

        return drawn

    return checked


def _parts(given: object) -> Iterator[object]:
    """What was given, and what it consists of where it is a list or a mapping."""
    yield given
    if isinstance(given, Mapping):
        yield from given.values()
    elif isinstance(given, Sequence):
        yield from given
