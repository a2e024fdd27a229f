"""Fields of frozen dataclasses: computed when they are first read, and never assigned to."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


T = TypeVar("T")


class Deferred(Generic[T]):
    """A dataclass field that may be given as a function, called once, when it is first read.

    Comparing, printing, replacing and saving read all fields. A function is a
    ``functools.partial``, which can be sent to another process.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from functools import partial
    >>> from bayescmp.base.deferred import Deferred
    >>> @dataclass(frozen=True)
    ... class Sum:
    ...     value: Deferred[int] = Deferred(0)
    >>> Sum(partial(sum, [1, 2])).value, Sum(3) == Sum(partial(sum, [1, 2]))
    (3, True)
    """

    def __init__(self, default: T) -> None:
        self.default = default
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type) -> T:
        if instance is None:
            return self.default
        value = instance.__dict__[self.name]
        if isinstance(value, partial):
            value = instance.__dict__[self.name] = value()
        return cast("T", value)

    def __set__(self, instance: object, value: T | Callable[[], T]) -> None:
        instance.__dict__[self.name] = value


D = TypeVar("D", bound="DataclassInstance")


def replace_fields(instance: D, **changes: object) -> D:
    """Return a copy with other fields, as `dataclasses.replace` does, but compute nothing."""
    given = {f.name: vars(instance)[f.name] for f in dataclasses.fields(instance) if f.init}
    return type(instance)(**{**given, **changes})


def compute_fields(instance: D, *names: str) -> D:
    """Compute these fields of an instance now, and return the instance itself."""
    for name in names:
        getattr(instance, name)
    return instance


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


class Kept(Generic[T]):
    """An object for as long as somebody else keeps it; afterwards it is made again.

    What is deferred thereby holds on to nothing large. It can be sent to another process, where
    `make` makes an equal object when it is asked for.

    Examples
    --------
    >>> from functools import partial
    >>> from bayescmp.base.deferred import Kept
    >>> held = {1}
    >>> kept = Kept(held, partial(set, [1]))
    >>> kept() is held
    True
    >>> del held
    >>> kept()
    {1}
    """

    def __init__(self, value: T | None, make: partial[T]) -> None:
        self._held = None if value is None else weakref.ref(value)
        self._make = make

    def __call__(self) -> T:
        """Return the object, or make one now."""
        value = None if self._held is None else self._held()
        return self._make() if value is None else value

    def __reduce__(self) -> tuple[type[Kept[T]], tuple[None, partial[T]]]:
        return Kept, (None, self._make)


class Sealed:
    """A frozen dataclass in whose arrays and mappings nothing can be assigned either.

    Arrays are views, so that what the user gave stays as it is. What cached properties compute
    can't be changed either, except for a `KnownAnswers`.
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
        raise TypeError("a result can't be changed; dict(...) makes a copy that can")

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
