"""Counts: how many of a number of independent trials succeeded, in Python or as typed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import NamedTuple, TypeGuard

from bayescmp.base.arguments import either, must_be
from bayescmp.base.checks import is_number, items_of, mapping_of
from bayescmp.errors import InputError

__all__ = ["SuccessCounts", "are_typed", "read_counts"]


class SuccessCounts(NamedTuple):
    """Successes among independent trials."""

    successes: int
    trials: int


#: A number as it may be typed by mistake too: "-1", "1.5", "85%".
_NUMBER = r"\s*[-+−]?\d*\.?\d+\s*%?\s*"
#: "17/20", and "old=17/20"; with "a/20" and "85%", which are refused.
_TYPED = re.compile(rf"(?:.*=)?(?:{_NUMBER}/[^/]*|[^/]*/{_NUMBER}|{_NUMBER})")


def are_typed(text: str) -> bool:
    """Return whether a text is meant as counts, such as 17/20 or old=17/20; a file is not.

    Examples
    --------
    >>> from bayescmp.scores.counts import are_typed
    >>> are_typed("17/20"), are_typed("old=17/20"), are_typed("85%"), are_typed("scores.csv")
    (True, True, True, False)
    """
    return _TYPED.fullmatch(text) is not None and not os.path.exists(text)


def read_counts(given: object) -> dict[str, SuccessCounts]:
    """Read counts: one pair (successes, trials), pairs by name, or texts as they are typed.

    Parameters
    ----------
    given : (int, int), mapping of str to (int, int), or sequence of str
        A pair without a name is named by its text, "17/20".

    Returns
    -------
    dict of str to SuccessCounts
        In the order given.

    Raises
    ------
    InputError
        Numbers that are not whole, more successes than trials, no trial, a name twice.

    Examples
    --------
    >>> from bayescmp.scores.counts import read_counts
    >>> read_counts(["old=14/20", "17/20"])
    {'old': SuccessCounts(successes=14, trials=20), '17/20': SuccessCounts(successes=17, trials=20)}
    >>> read_counts({"old": (14, 20)}) == read_counts(["old=14/20"])
    True
    """
    if isinstance(given, Mapping):
        named = mapping_of(given, "counts")
        if not named:
            raise must_be("counts", "at least one pair (successes, trials)", given)
        return {name: _check_pair(pair, f" of {name!r}") for name, pair in named.items()}
    parts = [given] if isinstance(given, str) else items_of(given)
    if not parts or not all(isinstance(part, str) for part in parts):
        pair = _check_pair(given, "")
        return {f"{pair.successes}/{pair.trials}": pair}
    counts: dict[str, SuccessCounts] = {}
    for text in map(str, parts):
        name, _, typed = text.rpartition("=")
        pair = _check_pair(typed, f" of {name!r}" if name else "")
        name = name.strip() or f"{pair.successes}/{pair.trials}"
        if name in counts:
            raise InputError(
                f"Counts must have one name each (got {name!r} twice). Name them, for example "
                "old=14/20 new=17/20.",
                argument="counts",
            )
        counts[name] = pair
    return counts


def _check_pair(given: object, whose: str) -> SuccessCounts:
    """Return one pair of counts, given as (successes, trials) or as the text of both."""
    text = given if isinstance(given, str) else ""
    parts = tuple(map(_read_number, text.split("/"))) if text else items_of(given)
    numbers = [int(part) for part in parts if _is_whole(part)]
    if len(parts) == 2 and len(numbers) == 2:
        pair = SuccessCounts(*numbers)
        if 0 < pair.trials >= pair.successes:
            return pair
        must = "at most as many successes as trials" if pair.trials else "at least one trial"
    else:
        must = "two whole numbers, successes and trials"
    got = text or repr(parts if 0 < len(parts) < 4 else given)
    no_file = ", which is not a file" * bool(re.match(r"[^/]*[A-Za-z][^/]*/", text))
    alone = len(parts) == 1 or is_number(given) or "%" in text
    hint = "A proportion does not show the number of trials. " * alone
    raise InputError(
        f"The counts{whose} must have {must} (got {got}{no_file}). {hint}Write "
        f"{either('(17, 20)', '17/20')} for 17 successes of 20 trials.",
        argument="counts",
    )


def _read_number(text: str) -> object:
    """Read a typed number; any other text is returned unchanged."""
    return int(text) if re.fullmatch(r"\s*\d{1,15}\s*", text) else text.strip()


def _is_whole(value: object) -> TypeGuard[int]:
    return is_number(value) and 0 <= value < 2**53 and value % 1 == 0
