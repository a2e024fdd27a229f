"""How the running command spells an argument that a message names."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bayescmp.base.arguments import UNSET
from bayescmp.commands.parser import Parser

__all__ = ["OptionSpeller"]

#: Options that say no to an argument.
_NEGATIVE = {"paired": "--unpaired", "corrected": "--plain", "block": "--block none"}


@dataclass(frozen=True)
class OptionSpeller:
    """Spells arguments as the options of a command; plain data, which worker processes take."""

    #: The options by the names of their arguments.
    names: Mapping[str, str]
    #: Options without a value.
    flags: frozenset[str]
    #: Options that take several values at once.
    several: frozenset[str]

    @classmethod
    def of(cls, parser: Parser) -> OptionSpeller:
        """Return the speller of a command's options."""
        options = [action for action in parser.options if action.option_strings]
        return cls(
            {action.dest: action.option_strings[0] for action in options},
            frozenset(a.option_strings[0] for a in options if a.nargs == 0),
            frozenset(a.option_strings[0] for a in options if a.nargs == "+"),
        )

    def __call__(self, name: str, value: object) -> str | None:
        """Spell an argument; None if the command has no option for it."""
        if name in self.names.values():
            return name
        negative = _NEGATIVE.get(name, "")
        if value in (False, UNSET) and negative.split(" ")[0] in self.names.values():
            return negative
        option = self.names.get(name) or self.names.get(name.removesuffix("s"))
        if option is None or value is UNSET:
            return option
        if option in self.flags:
            return option if value is True else None
        words = _words(value)
        if option in self.several:
            return " ".join([option, *words])
        return " ".join(f"{option}{'=' if word[0] == '-' else ' '}{word}" for word in words)


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
