"""What a reader is given and what it hands back, and what several of them need."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import columns as _columns
from bayescmp.errors import InputError
from bayescmp.table_files import read_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Format",
    "Reading",
    "Source",
    "failures",
    "from_long",
    "numbers",
    "parts_of",
    "short_names",
]


@dataclass(frozen=True, eq=False)
class Source:
    """What to read.

    Parameters
    ----------
    value : object
        As the user gave it: a path, a DataFrame, a mapping, an estimator, ...
    frame : DataFrame or None
        The table, where it is one, or a file of one.
    name : str
        Of the file, without its extension; empty where there is none.
    """

    value: Any
    frame: pd.DataFrame | None = None
    name: str = ""

    @classmethod
    def of(cls, value: Any) -> Source:
        """A source from what the user gave."""
        if isinstance(value, Source):
            return value
        if isinstance(value, (str, Path)):
            path = Path(value)
            return cls(value, read_table(path), path.name.split(".")[0])
        return cls(value, value if hasattr(value, "iloc") and hasattr(value, "columns") else None)

    @property
    def columns(self) -> list[str]:
        """Names of the table's columns; none where it is not a table."""
        return [] if self.frame is None else [str(c) for c in self.frame.columns]

    def has(self, *columns: str) -> bool:
        """Whether it is a table with all of these columns."""
        return set(columns) <= set(self.columns)


@dataclass(frozen=True, eq=False)
class Reading:
    """A table in the shape of `Scores`, and what its program says of it.

    Parameters
    ----------
    frame : DataFrame
        Long or wide, as `Scores` takes it.
    recognised : str
        What was recognised, in a line.
    resampling : object, optional
        How the folds were drawn, as far as the format tells.
    lower, higher : sequence of str
        Metrics whose direction the format tells.
    needs : str
        Why the user has to say how the folds were drawn; empty where the format tells.
    columns : mapping of str to str, optional
        Which column plays which part, where the frame keeps its own names.
    """

    frame: pd.DataFrame
    recognised: str
    resampling: object = None
    lower: Sequence[str] = ()
    higher: Sequence[str] = ()
    needs: str = ""
    columns: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Format:
    """One program's results.

    Parameters
    ----------
    name : str
        As ``format=`` takes it.
    matches : callable
        Whether a `Source` is in this format.
    read : callable
        From a `Source` and this format's own options to a `Reading`.
    options : tuple of str
        Names of these options.
    """

    name: str
    matches: Callable[[Source], bool]
    read: Callable[..., Reading]
    options: tuple[str, ...] = ()


def from_long(
    frame: pd.DataFrame, labels: Sequence[str], metric: str, value: str, what: str
) -> pd.DataFrame:
    """One column per metric, from a table with one row per metric.

    Parameters
    ----------
    frame : DataFrame
    labels : sequence of str
        Columns that say where a score comes from.
    metric, value : str
        Columns of the metrics' names and of the scores.
    what : str
        The format, for messages.

    Raises
    ------
    InputError
        If a place has two scores of one metric.
    """
    again = frame.duplicated([*labels, metric])
    if again.any():
        row = frame.loc[again].iloc[0]
        where = ", ".join(f"{label} {str(row[label])!r}" for label in labels)
        raise InputError(
            f"{what}: {int(again.sum())} scores appear twice, e.g. {row[metric]!r} for {where}; "
            "keep one of each"
        )
    wide = frame.pivot(index=list(labels), columns=metric, values=value)
    return wide.rename_axis(columns=None).reset_index()


def short_names(names: Iterable[str]) -> dict[str, str]:
    """The last parts of dotted names where they differ, the whole ones where they don't.

    Examples
    --------
    >>> from bayescmp.readers.base import short_names
    >>> short_names(["weka.classifiers.trees.J48", "weka.classifiers.bayes.NaiveBayes"])
    {'weka.classifiers.trees.J48': 'J48', 'weka.classifiers.bayes.NaiveBayes': 'NaiveBayes'}
    """
    names = list(dict.fromkeys(map(str, names)))
    last = [re.split(r"[./]|__|::", name)[-1] for name in names]
    return {n: s if last.count(s) == 1 else n for n, s in zip(names, last, strict=True)}


def parts_of(
    columns: Iterable[object], given: Mapping[str, str] | None, what: str
) -> dict[str, str]:
    """Which of a run table's columns play the parts of a score's labels.

    Parameters
    ----------
    columns : iterable of str
        Of parameters and tags.
    given : mapping of str to str, optional
        Part to column, as the user says; the name's last part is enough.
    what : str
        The format, for messages.

    Raises
    ------
    InputError
        If no column is known to be the algorithm.
    """
    names = [str(c) for c in columns]
    plain = {re.sub(r"^(params|tags|config|summary)\.", "", n): n for n in reversed(names)}
    own = {part: plain.get(column, column) for part, column in (given or {}).items()}
    roles = {p: plain[c] for p, c in _columns.recognise(list(plain)).items()}
    roles = _columns.recognise(names, {**roles, **own})
    if "algorithm" not in roles:
        raise InputError(
            f"{what}: none of {', '.join(map(repr, names))} is known to be the algorithm; "
            "say which column plays which part: columns={'algorithm': ..., 'dataset': ..., "
            "'fold': ...}"
        )
    return roles


def failures(failed: pd.Series, why: object) -> pd.Series:
    """The column ``failure``: why a row has no scores, None where it has.

    Parameters
    ----------
    failed : Series of bool
    why : str or Series
    """
    import pandas as pd

    reasons = pd.Series(why, index=failed.index, dtype=object)
    return reasons.where(failed, None)


def numbers(values: pd.Series) -> pd.Series:
    """Labels as numbers where all of them are ("0", "1", ...), as they are otherwise."""
    import pandas as pd

    numbers = pd.to_numeric(values, errors="coerce")
    return values if numbers.isna().any() or np.isinf(numbers).any() else numbers
