"""Frozen records: arrays that are read-only, and copies that leave behind what was computed."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

T = TypeVar("T")


def read_only(value: T) -> T:
    """Return an array as a read-only view; do so inside a tuple, list or dict.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.base.records import read_only
    >>> own = np.zeros(2)
    >>> read_only({"a": own})["a"].flags.writeable, own.flags.writeable
    (False, True)
    """
    made: Any = value
    kind = type(made)
    if isinstance(made, np.ndarray):
        made = made.view()
        made.flags.writeable = False
    elif kind in (tuple, list):
        held = any(issubclass(of, HOLDING) for of in set(map(type, made)))
        made = kind(map(read_only, made) if held else made)
    elif kind is dict:
        made = {key: read_only(part) for key, part in made.items()}
    return cast("T", made)


#: What may hold arrays, or be one.
HOLDING = (np.ndarray, tuple, list, dict)


def without_caches(instance: object) -> dict[str, Any]:
    """Return an object's attributes without cached properties, for its ``__getstate__``."""
    kind = type(instance)
    return {
        name: value
        for name, value in vars(instance).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }


class Record:
    """A frozen dataclass whose arrays are read-only, and whose copies compute values again."""

    def __post_init__(self) -> None:
        own = vars(self)
        own.update({k: read_only(v) for k, v in own.items() if isinstance(v, HOLDING)})

    def __getstate__(self) -> dict[str, Any]:
        return without_caches(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: read_only(value) for name, value in state.items()})
