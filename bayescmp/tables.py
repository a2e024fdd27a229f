"""Tables as people have them, in the long form: one row per score, one column per metric."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import columns as _columns
from bayescmp import metrics as _metrics
from bayescmp.cells import check_labels, check_plain, check_sizes, kind_of, numbers_of
from bayescmp.errors import InputError
from bayescmp.summaries import check_columns

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ATTRS", "UNKNOWN", "Long", "check_names", "read_long"]

#: Where a frame of means keeps its metric and direction, in ``frame.attrs``.
ATTRS = "bayescmp"

#: What the column ``resampling`` says where the folds are only the order of a wide table's rows.
UNKNOWN = "unknown"

_ACCEPTED = (
    "accepted: a long table, one row per score, with columns for the data set and the algorithm; "
    "or "
    "a wide one, one column per algorithm, with the data sets in a column of names or in the index"
)
_NUMBERED = re.compile(r"^(?:cv[ _-]?)?(fold|split|repeat|run|seed)[ _-]?(\d+)$", re.IGNORECASE)
_ROW_NUMBERS = re.compile(r"^(unnamed: \d+|index|level_\d+|)$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Long:
    """A score table in the long form, and how it was read.

    Attributes
    ----------
    frame : DataFrame
        One row per score.
    parts : dict of str to str
        Part ("dataset", "algorithm", ...) to column.
    renamed : dict of str to str
        Columns and levels that were taken for something their name does not say.
    row_numbers : tuple of str
        Columns that only number the rows, and were left out.
    wide : str
        How a wide table was read, in words; empty for a long one.
    metric : str or None
        The metric of a table of means, and
    better : "lower", "higher" or None
        its direction, where `Scores.means` wrote them.
    """

    frame: pd.DataFrame
    parts: dict[str, str]
    renamed: dict[str, str] = field(default_factory=dict)
    row_numbers: tuple[str, ...] = ()
    wide: str = ""
    metric: str | None = None
    better: str | None = None


def read_long(
    frame: object,
    columns: Mapping[str, str] | None = None,
    metric: str | None = None,
    *,
    of_means: bool = False,
) -> Long:
    """A table in the long form.

    Parameters
    ----------
    frame : DataFrame
        Long, or wide with one column per algorithm; labels may stand in the levels of its index
        or of its columns.
    columns : mapping of str to str, optional
        Part to column, where names do not tell.
    metric : str, optional
        What a wide table holds; "score" if neither it nor the frame tells.
    of_means : bool
        Whether it was stated that every column of numbers is an algorithm, every row a data set.

    Returns
    -------
    Long

    Raises
    ------
    InputError
        No table, no rows, labels that can't be recognised or collide, cells that are not numbers.
    """
    given = _checked(frame)
    note = given.attrs.get(ATTRS, {})
    pivoted = _part_of(given.columns.name) == "algorithm"
    table = _labelled_by_index(given)
    if table.columns.nlevels > 1 or _part_of(given.columns.name) not in (None, "algorithm"):
        table = _stacked(table, metric or "score")
    table, renamed = _plain_names(table.reset_index(drop=True))
    table = _folds_in_rows(table, metric or "score")
    table, row_numbers = _without_row_numbers(table)
    parts = _columns.recognise(table.columns, columns)
    for column in dict.fromkeys(parts.values()):
        check_labels(table[column])
    table = _with_sizes(table, parts)
    numbers = numbers_of(table, {*parts.values(), *(columns or {}).values()})
    table = table.assign(**numbers) if numbers else table
    if "algorithm" not in parts:
        check_plain(table, {*parts.values(), *_columns.NOTES})
    if not (of_means or ("algorithm" not in parts and (pivoted or _looks_wide(table, parts)))):
        return Long(table, parts, renamed, row_numbers)
    known = metric or note.get("metric") or "score"
    better = note.get("better") if known == note.get("metric") else None
    long = _from_wide(table, given, parts, known, pivoted=pivoted, of_means=of_means)
    return replace(
        long,
        renamed={**renamed, **long.renamed},
        row_numbers=row_numbers,
        metric=known,
        better=better,
    )


def check_names(frame: pd.DataFrame, part: str, column: str) -> None:
    """Refuse labels that differ by their type or by blanks only, such as 1 and "1".

    Parameters
    ----------
    frame : DataFrame
    part : str
        Which label it is: "dataset", "algorithm", "repeat" or "fold".
    column : str
        The name its column had, for messages.

    Raises
    ------
    InputError
        For labels that are empty or collide.
    """
    seen: dict[str, object] = {}
    for label in frame[part].unique():
        name = str(label).strip()
        if not name:
            row = int(np.flatnonzero((frame[part] == label).to_numpy())[0])
            raise InputError(f"column {column!r} is empty in row {row}; accepted: a name")
        if name in seen:
            raise InputError(
                f"column {column!r} holds {seen[name]!r} and {label!r}, which are the same name "
                "when written out; accepted: names that differ, or the same one throughout"
            )
        seen[name] = label


# -- index and columns -------------------------------------------------------------------------


def _checked(frame: object) -> pd.DataFrame:
    """The table, refused where it is none or has no rows."""
    import pandas as pd

    if isinstance(frame, pd.Series):
        raise InputError("frame is a Series; accepted: a DataFrame, e.g. series.to_frame('auc')")
    if not isinstance(frame, pd.DataFrame):
        way = "; convert it with frame.to_pandas()" if hasattr(frame, "to_pandas") else ""
        raise InputError(f"frame is {type(frame).__name__}; accepted: a pandas DataFrame{way}")
    if len(frame) == 0:
        raise InputError("the table has no rows")
    if len(frame.columns) == 0:
        raise InputError(f"the table has no columns; {_ACCEPTED}")
    if frame.columns.duplicated().any():
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(f"the table has two columns named {twice!r}")
    return frame


def _part_of(name: object) -> str | None:
    """The part that a level's name says it plays."""
    return next(iter(_columns.recognise([name])), None) if isinstance(name, str) else None


def _labelled_by_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with the levels of its index that are labels as columns, and first."""
    names = list(frame.index.names)
    labels = [i for i, name in enumerate(names) if _part_of(name) is not None]
    if frame.index.nlevels > 1 and any(n is None for n in names):
        inside = set(_columns.recognise([c for c in frame.columns if isinstance(c, str)]))
        if not {"dataset", "algorithm"} <= inside | {str(_part_of(n)) for n in names}:
            raise InputError(
                f"the index has {frame.index.nlevels} levels, named {names!r}: name those that "
                "are labels, e.g. frame.rename_axis(['dataset', 'fold'])"
            )
    for i in reversed(labels):
        values = frame.index.get_level_values(i).to_numpy()
        name = names[i]
        if name not in frame.columns:
            at = (name, *[""] * (frame.columns.nlevels - 1)) if frame.columns.nlevels > 1 else name
            frame = frame.copy()
            frame.insert(0, at, values)
        elif not np.array_equal(frame[name].to_numpy(), values):
            raise InputError(f"the index level and the column {name!r} differ; drop one of them")
    return frame


def _stacked(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A table whose columns have several levels, with the labels among these in the rows."""
    import pandas as pd

    names = list(frame.columns.names)
    labels = {i: part for i, n in enumerate(names) if (part := _part_of(n)) is not None}
    rest = [i for i in range(len(names)) if i not in labels]
    rows = frame.index
    if rows.nlevels == 1 and rows.name is None and rows.dtype.kind not in "iu":
        raise InputError(
            f"the index holds {rows[0]!r}, ..., and does not say what they are; accepted beside "
            "columns of several levels: a named one, e.g. frame.rename_axis(index='dataset')"
        )
    if not labels or len(rest) > 1:
        raise InputError(
            f"the columns have {len(names)} levels, named {names!r}; accepted: levels named as "
            "labels ('algorithm', 'fold', ...) and one of metrics, e.g. "
            "frame.rename_axis(columns=['metric', 'algorithm'])"
        )
    columns: list[tuple[Hashable, ...]] = [
        tuple(c) if isinstance(c, tuple) else (c,) for c in frame.columns
    ]
    own = {c[0]: j for j, c in enumerate(columns) if _part_of(c[0]) and not any(c[1:])}
    groups: dict[tuple[Hashable, ...], dict[str, int]] = {}
    for j, column in enumerate(columns):
        if j not in own.values():
            where = tuple(column[i] for i in labels)
            groups.setdefault(where, {})[str(column[rest[0]]) if rest else metric] = j
    tables = []
    for where, members in groups.items():
        table = pd.DataFrame({c: frame.iloc[:, j].to_numpy() for c, j in own.items()})
        for i, label in zip(labels, where, strict=True):
            table[str(names[i])] = pd.Series([label] * len(frame))
        tables.append(table.assign(**{m: frame.iloc[:, j].to_numpy() for m, j in members.items()}))
    return pd.concat(tables, ignore_index=True)


def _folds_in_rows(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A table whose columns fold_1, fold_2, ... hold the folds, with one row per fold."""
    numbered = {c: m for c in frame.columns if (m := _NUMBERED.match(c))}
    words = {m[1].lower() for m in numbered.values()}
    if len(numbered) < 2 or len(words) > 1 or words & set(_columns.recognise(frame.columns)):
        return frame
    others = [c for c in frame.columns if c not in numbered]
    long = frame.melt(others, list(numbered), var_name=words.pop(), value_name=metric)
    number = {c: int(m[2]) for c, m in numbered.items()}
    label = long.columns[-2]
    return long.assign(**{label: long[label].map(number)})


def _plain_names(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The table with columns named by text without blanks around it."""
    plain = [str(c).strip() for c in frame.columns]
    seen: dict[str, object] = {}
    for name, column in zip(plain, frame.columns, strict=True):
        if name in seen:
            raise InputError(
                f"the columns {seen[name]!r} and {column!r} are the same name when written out; "
                "accepted: names that differ"
            )
        seen[name] = column
    renamed = {str(old): new for new, old in seen.items() if isinstance(old, str) and old != new}
    return frame.set_axis(plain, axis=1), renamed


def _without_row_numbers(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table without columns that only number its rows, as ``to_csv`` writes them."""
    numbering = []
    for column in frame.columns:
        if _ROW_NUMBERS.match(column) and frame[column].dtype.kind in "iu":
            values = frame[column].to_numpy()
            if column.lower().startswith("unnamed") or (np.diff(values) == 1).all():
                numbering.append(column)
    return frame.drop(columns=numbering), tuple(numbering)


def _with_sizes(frame: pd.DataFrame, parts: Mapping[str, str]) -> pd.DataFrame:
    """The table with sizes of sets and correlations as floats."""
    sizes = [parts[p] for p in ("n_train", "n_test") if p in parts]
    stated = [c for c in ("fold_correlation",) if c in frame]
    values = {c: check_sizes(frame[c], share=c in stated) for c in (*sizes, *stated)}
    return frame.assign(**values) if values else frame


# -- wide tables -------------------------------------------------------------------------------


def _scored(frame: pd.DataFrame) -> list[str]:
    """Columns of numbers that are not labels."""
    return [
        c
        for c in frame.columns
        if not _columns.is_label(c) and c not in _columns.NOTES and frame[c].dtype.kind in "fiub"
    ]


def _texts(frame: pd.DataFrame) -> list[str]:
    """Columns that are neither labels nor numbers."""
    return [
        c
        for c in frame.columns
        if not _columns.is_label(c)
        and c not in _columns.NOTES
        and frame[c].dtype.kind not in "fiub"
    ]


def _looks_wide(frame: pd.DataFrame, parts: Mapping[str, str]) -> bool:
    """Whether there are several columns of numbers, and no text that could be an algorithm."""
    texts = len(_texts(frame))
    return len(_scored(frame)) >= 2 and texts <= (0 if "dataset" in parts else 1)


def _from_wide(
    frame: pd.DataFrame,
    given: pd.DataFrame,
    parts: Mapping[str, str],
    metric: str,
    *,
    pivoted: bool,
    of_means: bool,
) -> Long:
    """The long form of a table with one column per algorithm.

    Parameters
    ----------
    frame : DataFrame
        With plain names.
    given : DataFrame
        As it was handed in, for its index.
    parts : mapping of str to str
    metric : str
    pivoted : bool
        Whether the columns' own name says that they are algorithms.
    of_means : bool
        Whether it was stated that they are, and every row a data set.
    """
    declared = pivoted or of_means
    if _columns.is_label(metric):
        raise InputError(f"metric={metric!r} is the name of a label; accepted: a metric's name")
    frame, dataset, where = _with_datasets(frame, given, parts, declared)
    kept = {"dataset": dataset, **parts}
    algorithms = [c for c in _scored(frame) if c != dataset]
    check_columns(frame, algorithms)
    odd = [c for c in _texts(frame) if c != dataset]
    if odd:
        raise InputError(
            f"column {odd[0]!r} holds {kind_of(frame[odd[0]].iloc[0])} in row 0; accepted in a "
            "wide table: one column of names, and a column of numbers for each algorithm"
        )
    known = [c for c in algorithms if _metrics.canonical(c) or _metrics.is_time(c)]
    if known and not declared:
        raise InputError(
            f"the table has no column for the algorithm, and {known[0]!r} is a metric by its "
            "name: name the column of the algorithm with columns={'algorithm': ...}, or give "
            "Scores.from_means(frame) if every column of numbers is an algorithm"
        )
    folds = not ({"fold", "repeat", "seed"} & set(parts) or of_means)
    folds &= bool(frame[dataset].duplicated().any())
    if folds:
        frame = frame.assign(fold=frame.groupby(dataset, sort=False).cumcount() + 1)
        frame = frame if "resampling" in frame else frame.assign(resampling=UNKNOWN)
        kept["fold"] = "fold"
    labels = list(dict.fromkeys([*kept.values(), *(c for c in _columns.NOTES if c in frame)]))
    long = frame.melt(labels, algorithms, var_name="algorithm", value_name=metric)
    words = f"one column per algorithm, data sets from {where}"
    words += ", one row per fold" if folds else ""
    renamed = {dataset: "dataset"} if dataset != "dataset" else {}
    return Long(long, {**kept, "algorithm": "algorithm"}, renamed, wide=words)


def _with_datasets(
    frame: pd.DataFrame, given: pd.DataFrame, parts: Mapping[str, str], declared: bool
) -> tuple[pd.DataFrame, str, str]:
    """The table, which of its columns names the data sets, and where they came from."""
    import pandas as pd

    if "dataset" in parts:
        return frame, parts["dataset"], f"column {parts['dataset']!r}"
    texts = _texts(frame)
    if len(texts) == 1:
        return frame, texts[0], f"column {texts[0]!r}"
    rows = given.index
    numbered = isinstance(rows, pd.RangeIndex) and rows.name is None
    if {"fold", "repeat", "seed"} & set(parts):
        return frame.assign(dataset="data"), "dataset", "nothing: taken as one data set"
    if numbered and not declared:
        raise InputError(
            "the table has neither data sets nor algorithms by name: name the data sets in a "
            "column 'dataset' or in the index, or a data set's folds in a column 'fold'; "
            "Scores.from_means(frame) takes each row as a data set"
        )
    if rows.nlevels > 1:
        raise InputError(f"the index has the levels {list(rows.names)!r}; none names data sets")
    return frame.assign(dataset=rows.to_numpy()), "dataset", "the index"
