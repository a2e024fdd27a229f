"""Arguments in messages, in the user's spelling: Python's, or that of a command's options.

A message names an argument by `arg`, gives advice by `arg` or `either`, and refuses a value by
`must_be` or `must`. The entry point of the command line sets the spelling of its options.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np

from bayescmp.errors import InputError

#: Spell an argument of this name as an option with this value, `UNSET` for the option alone; None
#: if the running command has no option for it.
Speller: TypeAlias = Callable[[str, object], str | None]

Result = TypeVar("Result")

#: No value.
UNSET = object()

#: The name of an argument or option, with or without a place in it.
_ARGUMENT = re.compile(r"(?:--)?(\w[\w-]*)(?:[\[.,].*)?", re.DOTALL)

_SPELLER: ContextVar[Speller | None] = ContextVar("speller", default=None)


@contextmanager
def spelling(speller: Speller) -> Iterator[None]:
    """Spell the arguments of all messages made inside by `speller(name, value)`."""
    token = _SPELLER.set(speller)
    try:
        yield
    finally:
        _SPELLER.reset(token)


def arg(name: str, value: object = UNSET) -> str:
    """Spell an argument, with a value if one is given; ``...`` stands for what the user knows.

    In Python ``missing='common'``, in a command with that option ``--missing common``. If the
    command lacks the option, the advice is for Python and is marked as Python's.

    Examples
    --------
    >>> from bayescmp.base.arguments import arg
    >>> print(arg("missing"), arg("missing", "common"), arg("columns", {"fold": ...}))
    missing missing='common' columns={'fold': ...}
    """
    speller = _SPELLER.get()
    option = None if speller is None else speller(name, value)
    if option is not None:
        return option
    if value is UNSET:
        return name
    return f"{name}={show(value)}{'' if speller is None else ' in Python'}"


def either(python: str, typed: str | None = None, /, **options: object) -> str:
    """Return advice in Python, or on the command line its counterpart.

    `typed` is for a command that lacks one of the `options` (by argument). Without it, the advice
    is for Python, and marked as that.

    Examples
    --------
    >>> from bayescmp.base.arguments import either
    >>> print(either("Scores(..., missing='common')", missing="common"))
    Scores(..., missing='common')
    """
    speller = _SPELLER.get()
    if speller is None:
        return python
    spelled = [speller(name, value) for name, value in options.items()]
    known = [option for option in spelled if option is not None]
    if spelled and len(known) == len(spelled):
        return " ".join(known)
    return f"{python} in Python" if typed is None else typed


def read_option(name: str, value: object) -> str:
    """Spell an option of one file format, which commands take as ``--read-option NAME=VALUE``."""
    speller = _SPELLER.get()
    own = speller is None or speller(name, value) is not None
    return arg(name, value) if own else arg("read_option", {name: value})


def spelled_alike(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return the function for a worker, which then spells arguments as this process does."""
    speller = _SPELLER.get()
    return function if speller is None else partial(_call_spelling, speller, function)


def _call_spelling(
    speller: Speller, function: Callable[..., Result], *args: object, **options: object
) -> Result:
    with spelling(speller):
        return function(*args, **options)


def must_be(name: str, accepted: str, got: object = UNSET, hint: str = "") -> InputError:
    """Return the error for an argument's value: "X must be Y (got Z). Hint."

    `accepted` is what it must be ("a number over 0"), `got` what was given, `hint` a sentence on
    what to do. The caller raises the `InputError`, which has the argument's name.
    """
    return must(name, f"be {accepted}", "" if got is UNSET else _describe(got), hint)


def must(
    name: str, requirement: str, found: str = "", hint: str = "", *, argument: str | None = None
) -> InputError:
    """Return the error for what does not meet a requirement: "X must have Y (got Z). Hint."

    `name` is the argument or a part of it ("x[0]", "data set 'iris'"), `requirement` a verb and
    what it requires ("have at least 2 folds"), `found` is in words ("1 fold"), `hint` a sentence;
    `argument` is by default the one that `name` begins with. The caller raises it.
    """
    given = f" (got {found})" if found else ""
    advice = f" {hint}" if hint else ""
    begun = _ARGUMENT.fullmatch(name)
    message = f"{arg(name)} must {requirement}{given}.{advice}"
    return InputError(message, argument or (begun and begun[1].replace("-", "_")))


def show(value: object) -> str:
    """Write a value as in Python, with ``...`` for what the user knows."""
    if value is ...:
        return "..."
    if isinstance(value, np.generic):
        return show(value.item())
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{show(k)}: {show(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(show, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))}{',' * (len(value) == 1)})"
    return repr(value)


def _describe(value: object) -> str:
    """Write what was given: a value, or the type of an object that is not a value."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, int):
        return reprlib.repr(value)
    if value is None or isinstance(value, str | bytes | float | complex | np.generic):
        return show(value)
    if isinstance(value, list | tuple | Mapping | set) and len(text := show(value)) <= 60:
        return text
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if callable(value) and hasattr(value, "__name__"):
        return f"the function {value.__name__}"
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"
