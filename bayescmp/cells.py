"""Cells of a score table: labels that are names, scores that are numbers."""

from __future__ import annotations

import re
from collections.abc import Collection
from numbers import Number
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import columns as _columns
from bayescmp import metrics as _metrics
from bayescmp.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["check_labels", "check_plain", "check_sizes", "kind_of", "numbers_of"]

_IDENTIFIER = re.compile(r"(^|_)(id|ids|uuid|hash|sha|version|date|timestamp|url|path|name|tag)$")


#: A number that is dressed up, as in a paper: "0.91±0.02", "0.91 (0.02)", "91.2%", "**0.91**".
_NUMBER = r"[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
_DRESSED = re.compile(
    rf"[\s*_$]*(?:\\?(?:textbf|mathbf|bf)\s*)?[{{\s]*{_NUMBER}\s*%?[}}\s]*"
    rf"(?:(?:±|\+/?-|\\pm)\s*{_NUMBER}|\(\s*{_NUMBER}\s*\))?[\s%*_$}}†‡•]*"
)


def check_plain(frame: pd.DataFrame, labels: Collection[str]) -> None:
    """Refuse columns of dressed-up numbers in a table that has no column of algorithms.

    Parameters
    ----------
    frame : DataFrame
    labels : collection of str
        Columns that are not scores.

    Raises
    ------
    InputError
        Naming the column, its first cell that is not a number, and what is accepted.
    """
    for column in frame.columns:
        if column in labels or frame[column].dtype.kind in "fiubmM":
            continue
        texts = [(i, v) for i, v in enumerate(frame[column]) if isinstance(v, str)]
        odd = [(i, v) for i, v in texts if not _parses(v)]
        if odd and all(_DRESSED.fullmatch(v) for _, v in odd):
            raise _no_number(column, *odd[0])


def _no_number(column: str, row: int, value: object) -> InputError:
    return InputError(
        f"column {column!r} holds {kind_of(value)} in row {row}: {_shown(value)}; accepted: "
        f"numbers, empty where missing{_hint(value, row)}"
    )


def check_labels(cells: pd.Series) -> None:
    """Refuse labels that are not names, such as lists."""
    if cells.dtype != object:
        return
    for row, value in enumerate(cells):
        if _is_sequence(value) or isinstance(value, dict | complex):
            raise InputError(
                f"column {cells.name!r} holds a {type(value).__name__} in row {row}; accepted: "
                "one name or number a row"
            )


def check_sizes(cells: pd.Series, *, share: bool) -> np.ndarray:
    """Sizes or correlations that a table states, as floats, refused where they are not numbers.

    Parameters
    ----------
    cells : Series
    share : bool
        Whether they lie in [0, 1), as correlations do; sizes are positive.

    Raises
    ------
    InputError
        Naming the column and the first bad row.
    """
    import pandas as pd

    values = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    text = np.isnan(values) & cells.notna().to_numpy()
    bad = np.flatnonzero(text | (~share & (values <= 0)) | np.isinf(values))
    if len(bad):
        accepted = (
            "a correlation in [0, 1)" if share else "a number of items, or a share in (0, 1)"
        )
        raise InputError(
            f"column {cells.name!r} is {_shown(cells.iloc[bad[0]])} in row {bad[0]}; accepted: "
            f"{accepted}, empty where unknown"
        )
    return values


def numbers_of(frame: pd.DataFrame, labels: Collection[str]) -> dict[str, np.ndarray]:
    """Columns of numbers in another guise (objects, nullable), as arrays of floats.

    Parameters
    ----------
    frame : DataFrame
    labels : collection of str
        Columns that are not scores.

    Raises
    ------
    InputError
        For cells of a column of numbers that are text, lists or the like, and for numbers that
        can't be compared: complex ones, sparse columns.
    """
    floats = {}
    for column in frame.columns:
        if column in labels or column in _columns.NOTES or _columns.is_label(column):
            continue
        values = _floats(column, frame[column])
        if values is not None:
            floats[column] = values
    return floats


def _floats(column: str, cells: pd.Series) -> np.ndarray | None:
    """Floats of one column; None if it holds numbers already, or nothing but text."""
    import pandas as pd

    dtype = cells.dtype
    if isinstance(dtype, pd.SparseDtype):
        raise InputError(
            f"column {column!r} is sparse; accepted: numbers in full, e.g. frame.sparse.to_dense()"
        )
    if dtype.kind == "c":
        raise InputError(f"column {column!r} holds complex numbers; accepted: real numbers")
    if dtype.kind in "fiub":
        if isinstance(dtype, np.dtype):
            return None
        return cells.to_numpy(dtype=float, na_value=np.nan)
    if dtype.kind in "mM" and _metrics.canonical(column) is None:
        return None
    return _from_objects(column, cells)


def _from_objects(column: str, cells: pd.Series) -> np.ndarray | None:
    """Floats of a column of Python objects; None if they are text that is not a score."""
    filled = np.flatnonzero(cells.notna().to_numpy())
    values = cells.astype(object).to_numpy()
    is_score = _metrics.canonical(column) is not None or _metrics.is_time(column)
    if not len(filled):
        return np.full(len(cells), np.nan) if is_score else None
    odd = [
        i for i in filled if not isinstance(values[i], Number) or isinstance(values[i], complex)
    ]
    there = cells.notna().to_numpy()
    if not odd:
        try:
            return np.array([float(v) if there[i] else np.nan for i, v in enumerate(values)])
        except OverflowError:
            raise InputError(f"column {column!r} holds a number too large for a float") from None
    first = next((i for i in odd if not _parses(values[i])), odd[0])
    some = len(odd) < len(filled) or any(_parses(values[i]) for i in odd)
    if _is_sequence(values[first]):
        raise InputError(
            f"column {column!r} holds a {type(values[first]).__name__} in row {first}; accepted: "
            "one number per row, e.g. by frame.explode"
        )
    if is_score or (some and not _IDENTIFIER.search(_columns.plain_name(column))):
        raise _no_number(column, int(first), values[first])
    return None


def _parses(value: object) -> bool:
    """Whether a cell of text is a number."""
    try:
        return isinstance(value, str) and np.isfinite(float(value))
    except ValueError:
        return False


def _is_sequence(value: object) -> bool:
    return isinstance(value, list | tuple | set | np.ndarray)


def kind_of(value: object) -> str:
    """What a cell holds, in words: "text", "a list"."""
    return "text" if isinstance(value, str) else f"a {type(value).__name__}"


def _shown(value: object) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 40 else text[:37] + "..."


#: What a cell of text looks like, and what helps.
_HINTS = {
    r"-?\d{1,3}(,\d{3})*,\d{3}(\.\d+|,\d{3})": "thousands? Read with thousands=','",
    r"-?[1-9]\d{0,2},\d{3}": "a decimal comma, or thousands? Read with decimal= or thousands=','",
    r"-?\d+,\d+": "a decimal comma? pandas reads it with decimal=','",
    r".*%": "write percent as a number",
    r".*\d\s*(±|\+/?-|\\pm|\().*": "keep the number alone, a deviation or a rank elsewhere",
    r"[*_\\$].*|.*[*_$†‡•]": "keep the number alone, without mark-up",
    r"\u2212.*": "a typographic minus sign: write -",
    r"[-–—?./na ]*": "leave cells without a score empty",
}


def _hint(value: object, row: int = -1) -> str:
    """Advice on a cell that is not a number, in brackets; empty if there is none."""
    if not isinstance(value, str):
        return ""
    if _parses(value):
        return " (numbers in text: pandas.to_numeric)"
    for pattern, what in _HINTS.items():
        if re.fullmatch(pattern, value.strip(), re.IGNORECASE):
            return f" ({what})"
    return " (another row of the header? pandas reads it with header=...)" if row == 0 else ""
