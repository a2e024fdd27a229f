"""Counts: how many of a number of independent trials succeeded, in Python, typed, or in tables."""

from __future__ import annotations

import math
import os
import re
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must_be
from bayescmp.base.checks import (
    are_swapped,
    check_choice,
    check_names,
    distinct_names,
    is_number,
    items_of,
    mapping_of,
)
from bayescmp.errors import InputError
from bayescmp.scores.columns import UNNAMED, as_frame, recognise
from bayescmp.scores.layout import CELL, count_columns

__all__ = [
    "Counts",
    "SuccessCounts",
    "are_counts",
    "are_typed",
    "read_count_table",
    "read_counts",
    "read_two_counts",
    "wilson_interval",
]


class SuccessCounts(NamedTuple):
    """Successes among independent trials."""

    successes: int
    trials: int


#: Counts by name.
Counts = dict[str, SuccessCounts]


def wilson_interval(count: SuccessCounts, z: float) -> tuple[float, float]:
    """Return Wilson's interval of a proportion, at z standard errors.

    Brown, Cai & DasGupta (2001), Statistical Science 16:101-133, eq. 4.

    Examples
    --------
    >>> from bayescmp.scores.counts import SuccessCounts, wilson_interval
    >>> [round(bound, 4) for bound in wilson_interval(SuccessCounts(17, 20), 1.96)]
    [0.6396, 0.9476]
    """
    s, n = count
    middle = (s + z**2 / 2) / (n + z**2)
    half = z * math.sqrt(s * (n - s) / n + z**2 / 4) / (n + z**2)
    return max(middle - half, 0.0), min(middle + half, 1.0)


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
    return look_typed(text) and not os.path.exists(text)


def look_typed(text: str) -> bool:
    """Return whether a text is written as counts are, which a file may also be called."""
    return _TYPED.fullmatch(text) is not None


def are_counts(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping holds counts: texts, or pairs of whole numbers, by name.

    Examples
    --------
    >>> from bayescmp.scores.counts import are_counts
    >>> are_counts({"old": (14, 20), "new": "17/20"}), are_counts({"test_score": [0.8, 0.9]})
    (True, False)
    """
    return bool(given) and all(map(_is_like_count, given.values()))


def _is_like_count(value: object) -> bool:
    if isinstance(value, str):
        return are_typed(value)
    pair = items_of(value) if isinstance(value, tuple | list | np.ndarray) else ()
    return len(pair) == 2 and all(is_number(part) and part % 1 == 0 for part in pair)


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
    >>> read_counts(["old=14/20", "17/20"])["17/20"]
    SuccessCounts(successes=17, trials=20)
    >>> read_counts({"old": (14, 20)}) == read_counts(["old=14/20"])
    True
    """
    if isinstance(given, Mapping):
        named = mapping_of(given, "counts")
        if not named:
            raise must_be("counts", "at least one pair (successes, trials)", given)
        names = [name.strip() for name in named]
        distinct_names("counts", names)
        pairs = zip(names, named.values(), strict=True)
        return {name: _check_pair(pair, f" of {name!r}") for name, pair in pairs}
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


def read_two_counts(first: object, second: object, names: Sequence[str] | None) -> Counts:
    """Read the counts of two algorithms, given one by one, or together by name as `first`.

    `names` are the two algorithms; with counts by name they only give the order.

    Examples
    --------
    >>> from bayescmp.scores.counts import read_two_counts
    >>> counts = read_two_counts({"old": (14, 20), "new": (17, 20)}, None, ("new", "old"))
    >>> [f"{name} {count.successes}" for name, count in counts.items()]
    ['new 17', 'old 14']
    """
    if second is None and isinstance(first, Mapping):
        counts = read_counts(first)
        if len(counts) != 2:
            hint = "Use bayescmp.compare_counts for more."
            raise must_be("first", "counts of two algorithms", list(counts), hint)
        own = check_names([*counts])
        own = own[::-1] if are_swapped(names, own) else own
        return {name: counts[name] for name in own}
    own = check_names(names)
    given = zip(own, (first, second), strict=True)
    return {name: read_counts({name: count})[name] for name, count in given}


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
    got = text if 0 < len(text) < 60 else _show(parts if 0 < len(parts) < 4 else given)
    no_file = ", which is not a file" * bool(re.match(r"[^/]*[A-Za-z][^/]*/", text))
    alone = len(parts) == 1 or is_number(given) or "%" in text
    hint = "A proportion does not show the number of trials. " * alone
    raise InputError(
        f"The counts{whose} must have {must} (got {got}{no_file}). {hint}Write "
        f"{either('(17, 20)', '17/20')} for 17 successes of 20 trials.",
        argument="counts",
    )


def _show(given: object) -> str:
    try:
        return reprlib.repr(given)
    except ValueError:  # an integer of more digits than Python writes
        return "a number of thousands of digits"


def _read_number(text: str) -> object:
    """Read a typed number; any other text is returned unchanged."""
    return int(text) if re.fullmatch(r"\s*\d{1,15}\s*", text) else text.strip()


def _is_whole(value: object) -> TypeGuard[int]:
    return is_number(value) and 0 <= value < 2**53 and value % 1 == 0


# Tables.


#: The parts of a table of counts, in addition to the labels.
PARTS = ("successes", "trials", "failures")


def read_count_table(frame: object, columns: Mapping[str, str] | None = None) -> dict[str, Counts]:
    """Read a table of counts: by data set, the counts by name.

    `frame` has one row per algorithm (and data set), with columns of successes and of trials or
    failures under any usual name, which `columns` maps otherwise; or cells such as "14/20", in one
    column or one per algorithm. Refused are algorithms twice on a data set, or not on each.
    """
    table = as_frame(frame)
    if not isinstance(table, pd.DataFrame) or table.empty:
        raise InputError("counts must be a mapping or a table with rows.", argument="counts")
    if table.index.name is not None or table.index.dtype.kind not in "iu":
        table = table.reset_index(names=str(table.index.name or "algorithm"))
    table = table.set_axis([str(c).strip() for c in table.columns], axis="columns")
    own, labels = dict(columns or {}), {}
    for part, column in own.items():
        check_choice("part of a table of counts", part, ("dataset", "algorithm", *PARTS))
        check_choice("column", column, table.columns)
    labels = {
        part: column
        for part, column in recognise(table.columns).items()
        if part in ("dataset", "algorithm") and column not in own.values()
    }
    labels |= {part: own.pop(part) for part in ("dataset", "algorithm") if part in own}
    long = _split_cells(table, labels, own)
    if "algorithm" not in labels:
        labels |= _find_names(long, labels, own)
    return _by_dataset(long, labels, own)


def _split_cells(table: pd.DataFrame, labels: dict[str, str], own: dict[str, str]) -> pd.DataFrame:
    """Turn cells such as "14/20" into columns; one column per algorithm into one row each."""
    held = [
        column
        for column in table.columns
        if column not in labels.values()
        and table[column].map(lambda cell: isinstance(cell, str)).all()
        and table[column].str.fullmatch(CELL).all()
    ]
    if not held or own:
        return table
    if len(held) > 1:
        if "algorithm" in labels:
            raise InputError(
                f"A table with a column of algorithms must have one column of counts (got "
                f"{', '.join(map(repr, held))}). Keep one of them.",
                argument="counts",
            )
        others = [column for column in table.columns if column not in held]
        if "dataset" not in labels and len(others) == 1:
            labels["dataset"] = others[0]
        table = table.melt(others, held, var_name="algorithm", value_name="count")
        labels["algorithm"], held = "algorithm", ["count"]
    numbers = table[held[0]].str.extract(r"(\d+)\D+(\d+)").astype(int)
    own |= {"successes": "successes", "trials": "trials"}
    return table.drop(columns=held).assign(successes=numbers[0], trials=numbers[1])


def _find_names(
    table: pd.DataFrame, labels: Mapping[str, str], own: Mapping[str, str]
) -> dict[str, str]:
    """Return the only column of text as the names of the algorithms."""
    texts = [
        column
        for column in table.columns
        if table[column].dtype.kind not in "fiubmM"
        and column not in {*labels.values(), *own.values()}
    ]
    if len(texts) == 1:
        return {"algorithm": texts[0]}
    raise InputError(
        "A table of counts must have one column with the names of the algorithms (found columns "
        f"{', '.join(map(repr, table.columns))}). Name it with "
        f"{arg('columns', {'algorithm': ...})}.",
        argument="counts",
    )


def _by_dataset(
    table: pd.DataFrame, labels: Mapping[str, str], own: Mapping[str, str]
) -> dict[str, Counts]:
    numbers = [
        c for c in table.columns if table[c].dtype.kind in "iufO" and c not in labels.values()
    ]
    parts = {**count_columns(numbers), **own} if len(own) < 2 else dict(own)
    if "successes" not in parts or not {"trials", "failures"} & set(parts):
        raise InputError(
            "A table of counts must have a column of successes and one of trials (found columns "
            f"{', '.join(map(repr, table.columns))}). Name them with "
            f"{arg('columns', {'successes': ..., 'trials': ...})}.",
            argument="counts",
        )
    counts: dict[str, Counts] = {}
    for _, row in table.iterrows():
        dataset = str(row[labels["dataset"]]) if "dataset" in labels else UNNAMED
        name = str(row[labels["algorithm"]])
        of_set = counts.setdefault(dataset, {})
        if name in of_set:
            on = f" on data set {dataset!r}" if "dataset" in labels else ""
            raise InputError(
                f"A table of counts must have one row of each algorithm{on} (got {name!r} twice). "
                "Add up the rows of separate trials, or give two versions two names.",
                argument="counts",
            )
        of_set[name] = _count_of_row(name, row, parts)
    return counts


def _count_of_row(name: str, row: pd.Series, parts: Mapping[str, str]) -> SuccessCounts:
    """Read a row's count; trials are all successes and failures."""
    given = {part: _check_cell(row[column], column, name) for part, column in parts.items()}
    successes, failures = given["successes"], given.get("failures", 0)
    trials = given.get("trials", successes + failures)
    if "failures" in given and successes + failures != trials:
        raise InputError(
            f"The trials of {name!r} must be its successes and failures together (got {trials}, "
            f"{successes} and {failures}). Leave out one of the columns.",
            argument="counts",
        )
    return read_counts({name: (successes, trials)})[name]


def _check_cell(value: object, column: str, name: str) -> int:
    if not _is_whole(value):
        raise InputError(
            f"Column {column!r} must hold whole numbers (got {value!r} for {name!r}).",
            argument="counts",
        )
    return int(value)
