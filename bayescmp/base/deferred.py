"""Fields of frozen dataclasses: computed when they are first read, and never assigned to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    pass


T = TypeVar("T")


class KnownAnswers(dict[Any, Any]):
    """Answers of an object, by what was asked, that a copy of it in another process lacks."""

    def __reduce__(self) -> tuple[type[KnownAnswers], tuple[()]]:
        return KnownAnswers, ()


S = TypeVar("S")
P = ParamSpec("P")


def remember(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Make a method compute each of its answers once in the life of its object.

    Examples
    --------
    >>> from bayescmp.base.deferred import remember
    >>> class Square:
    ...     @remember
    ...     def area(self, side):
    ...         print("computing")
    ...         return side * side
    >>> square = Square()
    >>> square.area(3) + square.area(3)
    computing
    18
    """

    @wraps(method)
    def answer(self: S, *asked: P.args, **named: P.kwargs) -> T:
        known = vars(self).setdefault(f"_{method.__qualname__}", KnownAnswers())
        key = asked, *named.items()
        if key not in known:
            known[key] = method(self, *asked, **named)
        return cast("T", known[key])

    return answer


class Lean:
    """An object copied, saved and sent without what it has computed."""

    def __getstate__(self) -> dict[str, object]:
        own = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(own, name, None), cached_property)
            and not isinstance(value, KnownAnswers)
        }


class Sealed:
    """A frozen dataclass in whose arrays and mappings nothing can be assigned either.

    Arrays are views, so that what the user gave stays as it is. What cached properties compute
    cannot be changed either, except for a `KnownAnswers`.
    """

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for value in vars(cls).values():
            if isinstance(value, cached_property):
                value.func = _seal_method(value.func)

    def __post_init__(self) -> None:
        own = vars(self)
        own.update({k: _seal_value(v) for k, v in own.items() if type(v) not in _PLAIN})

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        Sealed.__post_init__(self)


class _ReadOnly(dict[object, object]):
    """A dict that refuses changes, and can be copied and sent like any other."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a result cannot be changed; dict(...) makes a copy that can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[_ReadOnly], tuple[dict[object, object]]]:
        return _ReadOnly, (dict(self),)


def _seal_method(function: Callable[[object], T]) -> Callable[[object], T]:
    @wraps(function)
    def sealing(self: object) -> T:
        return cast("T", _seal_value(function(self)))

    return sealing


#: Types of most fields, in which there is nothing to seal.
_PLAIN = {str, int, float, bool, type(None)}
#: Types that are sealed inside a tuple or a list.
_INSIDE = {np.ndarray, dict}


def _seal_value(value: Any) -> object:
    """Make an array a read-only view and a mapping one that refuses changes; keep the rest."""
    kind = type(value)
    if kind is tuple or kind is list:
        inside = not _INSIDE.isdisjoint(map(type, value))
        return kind(map(_seal_value, value)) if inside else value
    if kind is dict:
        return _ReadOnly({key: _seal_value(part) for key, part in value.items()})
    if isinstance(value, np.ndarray) and value.flags.writeable:
        view = value.view()
        view.flags.writeable = False
        return view
    return value
