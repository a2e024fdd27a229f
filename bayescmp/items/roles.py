"""Which column of a table of items plays which part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import columns as _columns
from bayescmp.errors import InputError
from bayescmp.text import counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LABELS", "label_codes", "recognise", "score_cells"]

#: Parts that are labels, in the order of the table's columns.
LABELS = ("model", "benchmark", "item", "cluster", "epoch")

_SPELLINGS: dict[str, tuple[str, ...]] = {
    "model": ("model", "model_name", "llm", "system", "algorithm", "classifier", "method"),
    "benchmark": ("benchmark", "benchmark_name", "task", "task_name", "dataset", "data_set"),
    "item": (
        "item",
        "item_id",
        "question_id",
        "question",
        "doc_hash",
        "example_id",
        "example",
        "instance_id",
        "instance",
        "doc_id",
        "id",
        "sample_id",
    ),
    "cluster": ("cluster", "cluster_id", "passage", "passage_id", "context_id", "group_id"),
    "epoch": ("epoch", "attempt", "trial", "run", "repeat", "seed"),
    "score": ("score", "correct", "is_correct", "right", "passed", "resolved"),
}


def recognise(
    frame: pd.DataFrame, given: Mapping[str, str] | None = None, metric: str | None = None
) -> dict[str, str]:
    """Part to column: as given, as common spellings tell, or the only column of numbers.

    Parameters
    ----------
    frame : DataFrame
    given : mapping of str to str, optional
        Part to column, where names do not tell.
    metric : str, optional
        The column of scores.

    Returns
    -------
    dict of str to str
        Part ("model", "benchmark", "item", "cluster", "epoch", "score") to column.

    Raises
    ------
    InputError
        For a part or a column that does not exist, and where no column is known to be the model,
        the item or the score.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.items.roles import recognise
    >>> recognise(pd.DataFrame({"llm": ["a"], "question_id": [7], "exact_match": [1.0]}))
    {'model': 'llm', 'item': 'question_id', 'score': 'exact_match'}
    """
    columns = list(map(str, frame.columns))
    if not isinstance(given, Mapping | None):
        raise InputError(f"columns={given!r}; accepted: a mapping of part to column")
    if not isinstance(metric, str | None):
        raise InputError(f"metric={metric!r}; accepted: the name of a column")
    own = {**({"score": metric} if metric is not None else {}), **(given or {})}
    roles = _columns.recognise(columns, own, spellings=_SPELLINGS, what="table of items")
    for part in ("model", "item"):
        if part not in roles:
            raise InputError(
                f"the table has no column for the {part}; found: "
                f"{', '.join(map(repr, columns))}; name it with columns={{{part!r}: ...}}"
            )
    if "score" not in roles:
        roles["score"] = _sole_score(frame, set(roles.values()))
    _check_distinct(roles)
    return roles


def _sole_score(frame: pd.DataFrame, taken: set[str]) -> str:
    """The only column of numbers that is not a label."""
    numeric = [c for c in frame.columns if c not in taken and frame[c].dtype.kind in "fiub"]
    if len(numeric) == 1:
        return str(numeric[0])
    if not numeric:
        raise InputError(
            "the table has no column of scores; found: "
            f"{', '.join(f'{c!r} ({frame[c].dtype})' for c in frame.columns)}"
        )
    raise InputError(
        f"several columns may be the score: {', '.join(map(repr, numeric))}; name one with "
        "metric=..."
    )


def _check_distinct(roles: Mapping[str, str]) -> None:
    for part, column in roles.items():
        other = next((p for p, c in roles.items() if c == column and p != part), None)
        if other is not None:
            raise InputError(
                f"column {column!r} is to be both the {part} and the {other}; accepted: a column "
                "for each"
            )


def score_cells(cells: pd.Series) -> np.ndarray:
    """Scores as floats, NaN where empty; True is 1.

    Parameters
    ----------
    cells : Series

    Returns
    -------
    ndarray of float

    Raises
    ------
    InputError
        For text, lists and the like, and for infinite scores, with the first row.
    """
    import pandas as pd

    if isinstance(cells.dtype, np.dtype) and cells.dtype.kind in "fiub":
        values = cells.to_numpy(dtype=float)
    else:
        values = pd.to_numeric(_plain(cells), errors="coerce").to_numpy(float, na_value=np.nan)
        _refuse(cells, np.isnan(values) & cells.notna().to_numpy(), "numbers, empty where missing")
    _refuse(cells, np.isinf(values), "finite numbers, empty where missing")
    return values


def _plain(cells: pd.Series) -> pd.Series:
    """Truth values among objects as numbers."""
    return cells.map({True: 1.0, False: 0.0}) if set(cells.dropna().map(type)) == {bool} else cells


def _refuse(cells: pd.Series, bad: np.ndarray, accepted: str) -> None:
    rows = np.flatnonzero(bad)
    if len(rows):
        raise InputError(
            f"column {cells.name!r} is {cells.iloc[rows[0]]!r} in row {rows[0]} ("
            f"{counted(len(rows), 'such row')}); accepted: {accepted}"
        )


def label_codes(cells: pd.Series, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Integer codes of a label, and its values in order of appearance.

    Parameters
    ----------
    cells : Series
    part : str
        Which label it is, for messages.

    Returns
    -------
    codes : ndarray of int
    values : ndarray

    Raises
    ------
    InputError
        For empty labels, labels that are lists and the like, and labels that read alike.
    """
    try:
        codes, values = cells.factorize()
    except TypeError:
        raise InputError(
            f"column {cells.name!r} holds something other than a name; accepted: one name or "
            f"number per row for the {part}"
        ) from None
    empty = np.flatnonzero(codes < 0)
    if len(empty):
        raise InputError(
            f"column {cells.name!r} is empty in row {empty[0]} ("
            f"{counted(len(empty), 'such row')}); accepted: a {part} in every row"
        )
    names = np.asarray(values)
    _check_unlike(names, str(cells.name))
    return codes, names


def _check_unlike(values: np.ndarray, column: str) -> None:
    """Refuse labels that differ by their type or by blanks only, such as 1 and "1"."""
    if values.dtype.kind in "iub":
        return
    read: dict[str, object] = {}
    for value in values:
        plain = str(value).strip()
        if read.setdefault(plain, value) is not value:
            raise InputError(
                f"column {column!r} holds {read[plain]!r} and {value!r}, which read alike; "
                "accepted: one spelling for each name"
            )
        if not plain:
            raise InputError(f"column {column!r} holds an empty name; accepted: a name")
