"""How the running command spells an argument that a message names."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from bayescmp.base.arguments import UNSET, Speller
from bayescmp.commands.table import Command, Option

__all__ = ["spell_by"]

#: Options that say no to an argument.
_NEGATIVE = {"paired": "--unpaired", "corrected": "--plain", "block": "--block"}


def spell_by(command: Command) -> Speller:
    """Return what spells an argument as an option of this command.

    Parameters
    ----------
    command : Command
        The command that runs.

    Returns
    -------
    callable
        It takes an argument's name and value, and returns None if the command has no option for
        it. An option of one file format is spelled as ``--read-option NAME=VALUE``.
    """
    options = {option.dest: option for option in command.options if option.name[0] == "-"}
    named = {option.name for option in command.options}

    def spell(name: str, value: object) -> str | None:
        if name in named or ((negative := _NEGATIVE.get(name)) in named and value is UNSET):
            return name if name in named else negative
        if value is False and negative in named:
            return f"{negative} none" if negative == "--block" else negative
        option = options.get(name) or options.get(name.removesuffix("s"))
        if option is not None:
            return option.name if value is UNSET else _with_value(option, value)
        if "--read-option" in named and name in _of_formats():
            return " ".join(f"--read-option {word}" for word in _words({name: value}))
        return None

    return spell


def _of_formats() -> set[str]:
    from bayescmp.scores.readers.items import ITEM_FORMATS
    from bayescmp.scores.readers.registry import FORMATS

    return {name for form in (*FORMATS, *ITEM_FORMATS) for name in form.options}


def _with_value(option: Option, value: object) -> str | None:
    """Write an option with its value, as a shell takes it."""
    if option.settings.get("action") == "store_true":
        return option.name if value is True else None
    words = _words(value)
    if option.settings.get("nargs") == "+":
        return " ".join([option.name, *words])
    return " ".join(f"{option.name}{'=' if word[0] == '-' else ' '}{word}" for word in words)


def _words(value: object) -> list[str]:
    """Return the words that a value is typed as, quoted where a shell needs that."""
    if isinstance(value, Mapping):
        pairs = ((name, one) for name, ones in value.items() for one in _several(ones))
        return [shlex.quote(f"{_word(name)}={_word(one)}") for name, one in pairs]
    if isinstance(value, tuple) and all(isinstance(end, int | float) for end in value):
        return [",".join(map(_word, value))]
    return [shlex.quote(_word(one)) for one in _several(value)]


def _several(value: object) -> Iterable[object]:
    return value if isinstance(value, list | tuple) else [value]


def _word(value: object) -> str:
    return "..." if value is ... else f"{value:g}" if isinstance(value, float) else str(value)
