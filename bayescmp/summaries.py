"""What is found in tables but is no data set or algorithm: means, ranks, deviations of others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["check_columns", "check_rows", "check_transposed"]

_QUALIFIER = r"(?:overall|grand|arithmetic|geometric|macro|mean|average|avg|median)"
_SUMMARY = r"(?:means?|averages?|avg|gmean|medians?|ranks?|std|stdev|sd|w t l|w l t|win tie loss)"
_ROW = re.compile(rf"(?:{_QUALIFIER} )*{_SUMMARY}(?: (?:score|accuracy|error|auc|rank)s?)?")
_BESIDE = re.compile(
    r"(?P<of>.+?)[ _.-]*[(\[]?(?P<what>std|stdev|stddev|sd|se|sem|ranks?|ci|var)[)\]]?",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"(?P<of>.+)\.\d+")


def check_rows(datasets: Iterable[str]) -> None:
    """Refuse data sets that are summaries of the others by their names.

    Raises
    ------
    InputError

    Examples
    --------
    >>> from bayescmp.summaries import check_rows
    >>> check_rows(["iris", "wine", "mean shift"])
    """
    names = list(datasets)
    for name in names if len(names) > 1 else ():
        if _ROW.fullmatch(re.sub(r"[^a-z0-9]+", " ", name.lower()).strip()):
            raise InputError(
                f"data set {name!r} is, by its name, a summary of the others, and would count as "
                "one more data set; leave it out, or rename it if it is a data set"
            )


def check_columns(frame: pd.DataFrame, algorithms: Sequence[str]) -> None:
    """Refuse columns of a wide table that describe or repeat another one, or hold a parameter.

    Parameters
    ----------
    frame : DataFrame
    algorithms : sequence of str
        Columns of numbers.

    Raises
    ------
    InputError
    """
    for column in algorithms:
        beside, again = _BESIDE.fullmatch(column), _AGAIN.fullmatch(column)
        if beside and beside["of"] in algorithms:
            raise InputError(
                f"column {column!r} beside {beside['of']!r} holds its {beside['what']} by its "
                "name, and is not an algorithm; leave such columns out"
            )
        if again and again["of"] in algorithms and frame[column].equals(frame[again["of"]]):
            raise InputError(
                f"column {column!r} repeats {again['of']!r}, as pandas names the second of two "
                "columns of one name; keep one of them"
            )
        others = [c for c in algorithms if c != column]
        if len(others) > 1 and _ROW.fullmatch(column.strip().lower()):
            means = frame[others].mean(axis=1)
            if np.allclose(frame[column], means, rtol=1e-3, atol=0):
                raise InputError(
                    f"column {column!r} holds the means of the others, and is not an algorithm; "
                    "leave it out"
                )
    _check_parameters(frame[list(algorithms)])


def _check_parameters(numbers: pd.DataFrame) -> None:
    """Refuse whole numbers beside columns that all lie between 0 and 1."""
    shares = (numbers.isna() | numbers.ge(0) & numbers.le(1)).all()
    whole = (numbers.isna() | numbers.gt(1) & numbers.mod(1).eq(0)).all() & numbers.notna().any()
    if shares.sum() > 1 and (shares | whole).all() and whole.any():
        column = whole.index[whole][0]
        raise InputError(
            f"column {column!r} holds whole numbers beside scores between 0 and 1, as a parameter "
            "or a size does; leave it out, or put it into the names of the data sets"
        )


def check_transposed(frame: pd.DataFrame, metrics: Sequence[str], known: bool) -> None:
    """Refuse a table of one row per algorithm whose columns may be data sets.

    Parameters
    ----------
    frame : DataFrame
        With the column ``algorithm``.
    metrics : sequence of str
        Its columns of numbers.
    known : bool
        Whether one of them is a metric by its name or by declaration.

    Raises
    ------
    InputError
    """
    if len(metrics) > 1 and not known and not frame["algorithm"].duplicated().any():
        raise InputError(
            f"the table has one row per algorithm, and no column ({', '.join(metrics[:4])}) is a "
            "metric by its name: give frame.set_index(...).T if they are data sets, or declare "
            "lower_is_better or higher_is_better if they are metrics"
        )
