"""Fields of frozen dataclasses: computed when they are first read, and never assigned to."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar, cast, overload

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


T = TypeVar("T")


class Deferred(Generic[T]):
    """A dataclass field that may be given as a function, called once, when it is first read.

    Comparing, printing, replacing and saving read all fields. A function is a
    ``functools.partial``, which can be sent to another process.

    Parameters
    ----------
    default : object
        The field's default.

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

    @overload
    def __get__(self, instance: None, owner: type) -> T: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
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


def changed(instance: D, **changes: object) -> D:
    """A copy with other fields, as `dataclasses.replace` makes it, but nothing is computed."""
    given = {f.name: vars(instance)[f.name] for f in dataclasses.fields(instance) if f.init}
    return type(instance)(**{**given, **changes})


def computed(instance: D, *names: str) -> D:
    """The instance itself, these fields of which are computed now.

    Examples
    --------
    >>> import bayescmp as bc
    >>> from bayescmp.base.deferred import computed
    >>> verdict = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.3, rope=0.01).verdict()
    >>> computed(verdict, "known") is verdict
    True
    """
    for name in names:
        getattr(instance, name)
    return instance


class Lean:
    """An object that is copied, saved and sent without what its cached properties have computed.

    Examples
    --------
    >>> from copy import copy
    >>> from functools import cached_property
    >>> from bayescmp.base.deferred import Lean
    >>> class Numbers(Lean):
    ...     def __init__(self, x):
    ...         self.x = x
    ...     @cached_property
    ...     def total(self):
    ...         return sum(self.x)
    >>> numbers = Numbers([1, 2])
    >>> numbers.total, vars(copy(numbers))
    (3, {'x': [1, 2]})
    """

    def __getstate__(self) -> dict[str, object]:
        own = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(own, name, None), cached_property)
        }


class Kept(Generic[T]):
    """An object for as long as somebody else keeps it; afterwards it is made again.

    What is deferred holds by it on to nothing large. It can be sent to another process, where the
    object is made when it is asked for.

    Parameters
    ----------
    value : object or None
        The object.
    make : partial
        Makes an equal one.

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
        """The object, or one that is made now."""
        value = None if self._held is None else self._held()
        return self._make() if value is None else value

    def __reduce__(self) -> tuple[type[Kept[T]], tuple[None, partial[T]]]:
        return Kept, (None, self._make)


class Sealed:
    """A frozen dataclass in whose arrays and mappings nothing can be assigned either.

    Arrays are views, so that what the user gave stays as it is. What cached properties compute
    can't be changed either, but for mappings of private ones, which remember answers.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from bayescmp.base.deferred import Sealed
    >>> @dataclass(frozen=True)
    ... class Ranks(Sealed):
    ...     mean: np.ndarray
    >>> Ranks(np.ones(2)).mean.flags.writeable
    False
    """

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for value in vars(cls).values():
            if isinstance(value, cached_property):
                value.func = _sealing(value.func)

    def __post_init__(self) -> None:
        own = vars(self)
        own.update({k: _seal_value(v) for k, v in own.items() if isinstance(v, _HOLDERS)})

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


def _sealing(function: Callable[[object], T]) -> Callable[[object], T]:
    @wraps(function)
    def sealing(self: object) -> T:
        value = function(self)
        memory = function.__name__.startswith("_") and isinstance(value, dict)
        return value if memory else cast("T", _seal_value(value))

    return sealing


#: What holds numbers that could be assigned to.
_HOLDERS = (np.ndarray, dict, tuple, list)
#: What is sealed inside a tuple or a list.
_INSIDE = {np.ndarray, dict}


def _seal_value(value: object) -> object:
    """An array as a read-only view of it, a mapping that refuses changes; the rest as it is."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        view = value.view()
        view.flags.writeable = False
        return view
    if isinstance(value, dict) and type(value) is dict:
        return _ReadOnly(
            {k: _seal_value(v) if isinstance(v, _HOLDERS) else v for k, v in value.items()}
        )
    if isinstance(value, tuple | list) and type(value) in _HOLDERS:
        inside = not _INSIDE.isdisjoint(map(type, value))
        return type(value)(map(_seal_value, value)) if inside else value
    return value
