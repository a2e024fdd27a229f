"""Tables as people have them, in the long form: one row per score, one column per metric."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import as_names
from bayescmp.errors import CountsError, InputError
from bayescmp.scores import metrics
from bayescmp.scores.columns import (
    ATTRS,
    ITEM_NAMES,
    MEASURED,
    NOTES,
    UNNAMED,
    as_frame,
    as_numbers,
    is_label,
    plain_name,
    recognise,
    too_large,
)
from bayescmp.scores.layout import (
    CELL,
    check_columns,
    check_counters,
    check_margins,
    check_rows,
    compare_counts,
    find_counts,
    read_folds,
    refuse_counts,
    split_names,
)
from bayescmp.scores.leaderboards import WORDS as BOARD
from bayescmp.scores.leaderboards import Leaderboard, check_rows_are_datasets
from bayescmp.wording.text import format_count

# Cells of a score table: labels that are names, scores that are numbers.


_IDENTIFIER = re.compile(
    r"(^|_)(id|ids|uuid|hash|sha|version|date|timestamp|url|path|name|tag)$|^unnamed_0$"
)


#: A number that is dressed up, as in a paper: "0.91±0.02", "0.91 (0.02)", "91.2%", "**0.91**".
_NUMBER = r"[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
_DRESSED = re.compile(
    rf"[\s*_$]*(?:\\?(?:textbf|mathbf|bf)\s*)?[{{\s]*{_NUMBER}\s*%?[}}\s]*"
    rf"(?:(?:±|\+/?-|\\pm)\s*{_NUMBER}|\(\s*{_NUMBER}\s*\))?[\s%*_$}}†‡•]*"
)


def check_plain(frame: pd.DataFrame, labels: Collection[str]) -> None:
    """Refuse columns of dressed-up numbers in a table that has no column of algorithms."""
    for column in frame.columns:
        if column in labels or frame[column].dtype.kind in "fiubmM":
            continue
        texts = [(i, value) for i, value in enumerate(frame[column]) if isinstance(value, str)]
        odd = [(i, value) for i, value in texts if not _parses(value)]
        if odd and any(
            all(re.fullmatch(dressed, value) for _, value in odd) for dressed in (_DRESSED, CELL)
        ):
            raise _no_number(column, *odd[0])


def _no_number(column: str, row: int, value: object) -> InputError:
    counts = isinstance(value, str) and re.fullmatch(CELL, value, re.IGNORECASE)
    hint = f" Are these counts of successes? Use {compare_counts()}." if counts else ""
    return (CountsError if counts else InputError)(
        f"column {column!r} must hold numbers, empty where missing (got {kind_of(value)} in row "
        f"{row}: {_show_value(value)}).{hint or _hint(value, row)}"
    )


def check_labels(cells: pd.Series) -> None:
    """Refuse labels that are not names, such as lists."""
    if cells.dtype != object or pd.api.types.infer_dtype(cells) == "string":
        return
    for row, value in enumerate(cells):
        if _is_sequence(value) or isinstance(value, dict | complex):
            raise must(
                f"column {cells.name!r}",
                "hold one name or number per row",
                f"a {type(value).__name__} in row {row}",
            )


def check_sizes(cells: pd.Series, *, share: bool) -> np.ndarray:
    """Return sizes or correlations in a table as floats; refuse cells that are not numbers."""
    values = as_numbers(cells).to_numpy(dtype=float, na_value=np.nan)
    text = np.isnan(values) & cells.notna().to_numpy()
    bad = np.flatnonzero(text | ((not share) & (values <= 0)) | np.isinf(values))
    if len(bad):
        accepted = (
            "a correlation in [0, 1)" if share else "a number of items, or a share in (0, 1)"
        )
        raise must(
            f"column {cells.name!r}",
            f"hold {accepted}, empty where unknown",
            f"{_show_value(cells.iloc[bad[0]])} in row {bad[0]}",
        )
    return values


def numbers_of(frame: pd.DataFrame, labels: Collection[str]) -> dict[str, np.ndarray]:
    """Return columns of numbers in another guise (objects, nullable types) as arrays of floats."""
    floats = {}
    for column in frame.columns:
        if column in labels or column in NOTES or is_label(column):
            continue
        values = _floats(column, frame[column])
        if values is not None:
            floats[column] = values
    return floats


def _floats(column: str, cells: pd.Series) -> np.ndarray | None:
    """Return a column as floats; None if it is already numeric, or nothing but text."""
    dtype = cells.dtype
    if isinstance(dtype, pd.SparseDtype):
        raise must(
            f"column {column!r}",
            "hold numbers in full",
            "a sparse column",
            f"Use e.g. frame.astype({{{column!r}: float}}).",
        )
    if dtype.kind == "c":
        raise must(f"column {column!r}", "hold real numbers", "complex numbers")
    if dtype.kind in "fiub":
        if isinstance(dtype, np.dtype):
            return None
        return cells.to_numpy(dtype=float, na_value=np.nan)
    if dtype.kind in "mM" and metrics.find_metric(column) is None:
        return None
    return _from_objects(column, cells)


def _from_objects(column: str, cells: pd.Series) -> np.ndarray | None:
    """Return a column of Python objects as floats; None if they are text that is not a score."""
    there = cells.notna().to_numpy()
    filled, values = np.flatnonzero(there), cells.astype(object).to_numpy()
    is_score = metrics.find_metric(column) is not None or metrics.is_time(column)
    if not len(filled):
        return np.full(len(cells), np.nan) if is_score else None
    odd = [
        i for i in filled if not isinstance(values[i], Number) or isinstance(values[i], complex)
    ]
    if not odd:
        try:
            return np.array([float(v) if there[i] else np.nan for i, v in enumerate(values)])
        except OverflowError:
            raise too_large(f"column {column!r}") from None
    first = next((i for i in odd if not _parses(values[i])), odd[0])
    some = len(odd) < len(filled) or any(_parses(values[i]) for i in odd)
    if _is_sequence(values[first]):
        raise must(
            f"column {column!r}",
            "hold one number per row",
            f"a {type(values[first]).__name__} in row {first}",
            "Number folds in a column.",
        )
    if is_score or (some and not _IDENTIFIER.search(plain_name(column))):
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
    """Say what a cell holds: "text", "a list"."""
    return "text" if isinstance(value, str) else f"a {type(value).__name__}"


def _show_value(value: object) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 40 else text[:37] + "..."


#: The pattern of a cell of text, and advice.
_HINTS = {
    r"-?\d{1,3}(,\d{3})*,\d{3}(\.\d+|,\d{3})": "Thousands? Leave out what separates them.",
    r"-?[1-9]\d{0,2},\d{3}": "A decimal comma? Read the file with {decimal}. Thousands? Leave "
    "out what separates them.",
    r"-?\d+,\d+": "A decimal comma? Read the file with {decimal}.",
    r".*%": "Write percent as a number.",
    r".*\d\s*(±|\+/?-|\\pm).*": "Keep only the number, and move a deviation or a rank to another "
    "column; or read means with standard errors: {errors}.",
    r".*\d\s*\(.*": "Keep only the number, and move a deviation or a rank to another column.",
    r"[*_\\$].*|.*[*_$†‡•]": "Keep only the number, without mark-up.",
    r"\u2212.*": "Is it a typographic minus sign? Write -.",
    r"[-–—?./na ]*": "Leave cells without a score empty.",
}


def _hint(value: object, row: int) -> str:
    """Give advice on a cell that is not a number, as sentences; empty if there is none."""
    if not isinstance(value, str):
        return ""
    if _parses(value):
        return " Use pandas.to_numeric for numbers in text."
    for pattern, what in _HINTS.items():
        if re.fullmatch(pattern, value.strip(), re.IGNORECASE):
            errors = either("bc.Means(frame, errors='±')", errors="±")
            return f" {what.format(decimal=arg('decimal', ','), errors=errors)}"
    head = (
        " Is it another row of the header? One row of names is read, or levels that are named. "
        "Use pandas.read_csv(path, header=[0, 1], index_col=0).rename_axis(index='dataset', "
        "columns=['metric', 'algorithm'])."
    )
    return head if row == 0 else ""


#: The entry of the column ``resampling`` if folds are only the order of a wide table's rows.
UNKNOWN = "unknown"

_ACCEPTED = (
    "Use a long table, one row per score, with columns for the data set and the algorithm. Or use "
    "a wide one, one column per algorithm, with the data sets in a column of names or in the "
    "index."
)
_NUMBERED = re.compile(r"^(?:cv[ _-]?)?(fold|split|repeat|run|seed)[ _-]?(\d+)$", re.IGNORECASE)
#: The name that pandas gives to a column whose header is empty.
_UNNAMED = re.compile(r"^unnamed: \d+$", re.IGNORECASE)
_ROW_NUMBERS = re.compile(r"^(unnamed: \d+|index|level_\d+|)$", re.IGNORECASE)
#: Further names of columns that number the rows of a table of scores.
_NUMBERS_OF_ROWS = re.compile(
    r"^(id|#|nr|no|num|number|obs|row([ _-]?(id|nr|no|number))?)\.?$", re.I
)


@dataclass(frozen=True, eq=False)
class LongTable:
    """A score table in the long form, and how it was read.

    `parts` maps a part ("dataset", "algorithm", ...) to its column. `renamed` were recognised
    under another name, `row_numbers` left out because they only number the rows, or have no name.
    `wide` describes how a wide table was read. `metric` and `better` ("lower" or "higher") are
    what `Scores.means` wrote, or None.
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
    measures: Sequence[str] = (),
) -> LongTable:
    """Read a table in the long form; columns that are declared as `measures` are not data sets."""
    given = _check_table(frame)
    note = given.attrs.get(ATTRS, {})
    given_columns = isinstance(columns, Mapping) and columns
    open_ = not (given_columns or {metric, *measures} & {*map(str, given.columns)})
    board = Leaderboard.of(given) if open_ else None
    if board is not None and board.known:
        stacked = read_long(board.stack(metric or "score"), metric=metric)
        return replace(stacked, wide=BOARD, row_numbers=board.left_out)
    pivoted = _part_of(given.columns.name) == "algorithm"
    table = _labelled_by_index(given)
    if table.columns.nlevels > 1 or _part_of(given.columns.name) not in (None, "algorithm"):
        table = _stack_columns(table, metric or "score")
    table, renamed = plain_names(table.reset_index(drop=True))
    table, counts = _lower_counts(table)
    renamed |= counts
    as_rows = _folds_in_rows(table, metric or "score")
    labels = given.index
    unnamed_rows = labels.names == [None] and labels.dtype.kind not in "iu"
    if as_rows is not table and unnamed_rows and not recognise(table.columns):
        raise must(
            "frame",
            "have a name of the index, since the columns are folds",
            f"{labels[0]!r}, ... without a name",
            "Give frame.rename_axis('algorithm') or frame.rename_axis('dataset').",
        )
    table = as_rows
    table, row_numbers = without_row_numbers(table)
    declared = DeclaredColumns.read(columns, table.columns)
    table, counting = _without_numbers_of_rows(table, columns, metric)
    row_numbers = (*row_numbers, *counting)
    parts = recognise(table.columns, declared.parts)
    table, parts, folds = _with_fold_labels(table, parts, declared.parts, of_means)
    if folds is not None:
        renamed |= folds
    if "algorithm" in parts:
        unnamed = [c for c in table.columns if _UNNAMED.match(c) and c not in parts.values()]
        table = table.drop(columns=unnamed) if unnamed else table
        row_numbers = (*row_numbers, *unnamed)
    for column in dict.fromkeys(parts.values()):
        check_labels(table[column])
    table = _with_sizes(table, parts)
    measured = declared.measured or _column_of(table, parts, "metric", numeric=False)
    named = {*parts.values(), *NOTES, *([measured] if measured else [])}
    numbers = numbers_of(table, named)
    table = table.assign(**numbers) if numbers else table
    if "algorithm" not in parts:
        check_plain(table, named)
    if declared.algorithms:
        others = _scored_and_texts(table)[0]
        unused = [c for c in others if c not in (*declared.algorithms, *parts.values())]
        table, row_numbers = table.drop(columns=unused), (*row_numbers, *unused)
    scored, texts = _scored_and_texts(table.drop(columns=measured or []))
    _check_counts(table, scored, metric)
    unread = set(texts) - {*parts.values()}
    looks_wide = len(scored) >= 2 and len(unread) <= (0 if "dataset" in parts else 1)
    known = metric or note.get("metric") or "score"
    if not (
        of_means
        or declared.algorithms
        or ("algorithm" not in parts and (pivoted or declared.metrics or looks_wide))
    ):
        if measured and "algorithm" in parts:
            table, unused = _pivot_metrics(table, parts, measured, declared.value)
            row_numbers = (*row_numbers, *unused)
        return LongTable(table, parts, renamed, row_numbers)
    declares = known == note.get("metric") and note.get("evidence") != "known"
    better = note.get("better") if declares else None
    long = _from_wide(
        table,
        given,
        parts,
        metric or note.get("metric"),
        declared=pivoted or of_means or bool(declared.algorithms),
        of_means=of_means,
        measured=measured,
        joined=declared.metrics,
    )
    renamed |= long.renamed
    return replace(long, renamed=renamed, row_numbers=row_numbers, metric=known, better=better)


@dataclass(frozen=True)
class DeclaredColumns:
    """The user's declarations about a table's columns.

    `parts` maps a part to its column; `algorithms` and `metrics` are in a wide table's columns;
    `measured` and `value` are columns of a metric's name and value.
    """

    parts: Mapping[str, str]
    algorithms: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    measured: str | None = None
    value: str | None = None

    @classmethod
    def read(cls, given: Mapping[str, Any] | None, columns: Iterable[str]) -> DeclaredColumns:
        """Read the argument ``columns``."""
        if not isinstance(given, Mapping | None):
            raise must_be("columns", "a mapping of part to column", given)
        columns, parts = list(columns), dict(given or {})
        algorithms, names = parts.get("algorithm"), parts.pop("metric", None)
        value = parts.pop("value", None)
        several: tuple[str, ...] = ()
        if isinstance(algorithms, list | tuple):
            del parts["algorithm"]
            several = tuple(checks.as_names(algorithms, "columns['algorithm']"))
        measured = names if isinstance(names, str) and names in columns else None
        joined = () if measured else tuple(checks.as_names(names, "columns['metric']"))
        for column in (*several, *([value] if value is not None else [])):
            checks.check_choice("column", column, columns)
        return cls(parts, several, joined, measured, value)


def _column_of(
    table: pd.DataFrame, parts: Mapping[str, str], part: str, *, numeric: bool
) -> str | None:
    """Return the column of a metric's name or value, by its spelling and its contents."""
    for spelling in MEASURED[part]:
        for column in table.columns:
            kind = table[column].dtype.kind in "fiub"
            if plain_name(column) == spelling and kind == numeric and column not in parts.values():
                return str(column)
    return None


def _pivot_metrics(
    table: pd.DataFrame, parts: Mapping[str, str], measured: str, value: str | None
) -> tuple[pd.DataFrame, list[str]]:
    """Give each metric of a table with one row per metric a column; return what is left out."""
    scored, _ = _scored_and_texts(table.drop(columns=measured))
    scored = [c for c in scored if c not in parts.values()]
    value = value or _column_of(table, parts, "value", numeric=True)
    if value is None:
        rest = [c for c in scored if metrics.find_metric(c) is None and not metrics.is_time(c)]
        if len(rest) != 1 or len(scored) > 1:
            return table, []  # a column of another meaning, and metrics in separate columns
        (value,) = rest
    labels = list(dict.fromkeys(c for c in (*parts.values(), *NOTES) if c in table))
    names = table[measured].astype(str).str.strip()
    again = table.assign(**{measured: names}).duplicated([*labels, measured])
    if again.any():
        row = table.loc[again].iloc[0]
        where = ", ".join(f"{label} {str(row[label])!r}" for label in labels)
        raise must(
            "the table",
            "have each score once, since it has one row per metric",
            f"{row[measured]!r} for {where} more than once, "
            f"{format_count(int(again.sum()), 'score')} in all",
            "Keep one row of each, or number the folds in a column 'fold'.",
        )
    keys = table[labels]
    wide = keys[~keys.duplicated()]
    for name in dict.fromkeys(names):
        one = table.loc[names == name, [*labels, value]].rename(columns={value: name})
        wide = wide.merge(one, on=labels, how="left")
    return wide, [c for c in table.columns if c not in (*labels, measured, value)]


def _with_fold_labels(
    table: pd.DataFrame, parts: dict[str, str], given: Mapping[str, str], of_means: bool
) -> tuple[pd.DataFrame, dict[str, str], dict[str, str] | None]:
    """Turn labels of folds, in any such column, into numbers of repeats and folds."""
    for column in {parts[part] for part in ("fold", "repeat", "seed") if part in parts}:
        check_labels(table[column])
        check_rows(map(str, table[column].unique()), "fold")
    if {"repeat", "seed"} & set(parts):
        return table, parts, None
    texts = [c for c in table.columns if table[c].dtype.kind not in "fiubmM"]
    used = {c for part, c in parts.items() if part not in ("fold", "dataset")}
    first = [parts[part] for part in ("fold", "dataset") if part in parts]
    for column in dict.fromkeys([*first, *texts]):
        if column not in texts or column in used or table[column].isna().any():
            continue
        if "fold" in parts and column != parts["fold"]:
            continue
        named_folds = read_folds(table[column].tolist())
        if named_folds is None:
            continue
        numbers, datasets = named_folds
        shown = ", ".join(map(repr, table[column].unique()[:2].tolist()))
        if of_means:
            raise must(
                f"column {column!r}",
                "name data sets, since the rows are means",
                f"folds by their labels, {shown}, ...",
                "Give Scores(frame).",
            )
        if given.get("dataset") == column and datasets is None:
            raise must(
                f"column {column!r}",
                "name data sets",
                f"labels of folds, {shown}, ...",
                "Leave it out of columns.",
            )
        if column == parts.get("fold") and list(numbers) == ["fold"] and datasets is None:
            continue  # labels that are only folds stay unchanged
        parts = {part: c for part, c in parts.items() if c != column}
        parts |= {part: part for part in numbers}
        table = table.drop(columns=column)
        columns: dict[str, Any] = dict(numbers)
        if datasets is not None:
            columns["dataset"], parts["dataset"] = datasets, "dataset"
        return table.assign(**columns), parts, {column: " and ".join(columns)}
    return table, parts, None


def _check_counts(table: pd.DataFrame, scored: Sequence[str], metric: str | None) -> None:
    """Refuse a table of successes and trials, unless the user named the metric."""
    counts = find_counts(table, scored)
    if counts is not None and metric not in scored:
        raise refuse_counts(*counts)


def _without_numbers_of_rows(
    table: pd.DataFrame, columns: Mapping[str, Any] | None, metric: str | None
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Drop columns whose name and content number the rows, unless they are declared."""
    values = (columns or {}).values()
    declared = {c for v in values for c in ([v] if isinstance(v, str) else as_names(v, "columns"))}
    counting = [
        c
        for c in table.columns
        if _NUMBERS_OF_ROWS.match(c)
        and c not in declared
        and c != metric
        and table[c].dtype.kind in "iu"
        and len(table) > 1
        and (np.diff(table[c]) == 1).all()
    ]
    return table.drop(columns=counting), tuple(counting)


def strip_labels(
    frame: pd.DataFrame, columns: Iterable[str]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Strip blanks around the names in these columns, and return the table and a note of each."""
    stripped, notes = {}, []
    for column in dict.fromkeys(columns):
        cells = frame[column]
        try:
            odd = [v for v in cells.unique() if isinstance(v, str) and v != v.strip()]
        except TypeError:  # no names, which is refused elsewhere
            continue
        if odd:
            shown = ", ".join(map(repr, odd[:3])) + (", ..." if len(odd) > 3 else "")
            notes.append(f"blanks around names left out of {column!r}: {shown}")
            plain = {cell: cell.strip() for cell in odd}
            stripped[column] = cells.astype(object).map(lambda v, to=plain: to.get(v, v))
    return (frame.assign(**stripped) if stripped else frame), tuple(notes)


def check_names(frame: pd.DataFrame, part: str, column: str) -> None:
    """Refuse labels that differ only in their type, such as 1 and "1"."""
    seen: dict[str, object] = {}
    for label in frame[part].unique():
        name = str(label).strip()
        if not name:
            row = int(np.flatnonzero((frame[part] == label).to_numpy())[0])
            raise must(
                f"column {column!r}",
                "have a name in every row",
                f"none in row {row}",
                "Give a name there.",
            )
        checks.check_label(label, f"column {column!r}")
        if name in seen:
            raise must(
                f"column {column!r}",
                "hold names that differ when written out",
                f"{seen[name]!r} and {label!r}",
                "Or use the same one throughout.",
            )
        seen[name] = label


# Index and columns.


def _check_table(frame: object) -> pd.DataFrame:
    """Return the table; refuse other objects, and tables without rows."""
    frame = as_frame(frame)
    if isinstance(frame, pd.Series):
        raise must_be("frame", "a DataFrame", frame, "Use e.g. series.to_frame('auc').")
    if not isinstance(frame, pd.DataFrame):
        raise must_be("frame", "a DataFrame", frame)
    if len(frame) == 0:
        raise must("the table", "have at least one row", "none")
    if len(frame.columns) == 0:
        raise must("the table", "have columns", "none", _ACCEPTED)
    if frame.columns.duplicated().any():
        twice = frame.columns[frame.columns.duplicated()][0]
        raise must("the table", "have columns of different names", f"{twice!r} twice")
    return frame


def _part_of(name: object) -> str | None:
    """Return the part that a level's name stands for."""
    return next(iter(recognise([name])), None) if isinstance(name, str) else None


def _labelled_by_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn the levels of the index that are labels into columns, and put them first."""
    names = list(frame.index.names)
    labels = [
        i
        for i, name in enumerate(names)
        if _part_of(name) is not None or plain_name(name) in MEASURED["metric"]
    ]
    rows = frame.index
    if rows.nlevels == 1 and not labels and rows.dtype.kind not in "fiubmM":
        folds = None if rows.hasnans else read_folds(rows.tolist())
        names = ["dataset" if folds[1] else "fold"] if folds else names
        labels = [0] if folds and names[0] not in frame.columns else []
    if frame.index.nlevels > 1 and any(n is None for n in names):
        inside = set(recognise([c for c in frame.columns if isinstance(c, str)]))
        if not {"dataset", "algorithm"} <= inside | {str(_part_of(n)) for n in names}:
            known = {2: ["dataset", "fold"], 3: ["dataset", "algorithm", "fold"]}
            levels = known.get(len(names), ["dataset", "algorithm", "repeat", "fold"])
            raise must(
                "frame",
                "have names for those levels of its index that are labels",
                f"{len(names)} levels, named {names!r}",
                f"Use e.g. frame.rename_axis({levels!r}).",
            )
    for i in reversed(labels):
        values = frame.index.get_level_values(i).to_numpy()
        name = names[i]
        if name not in frame.columns:
            at = (name, *[""] * (frame.columns.nlevels - 1)) if frame.columns.nlevels > 1 else name
            frame = frame.copy()
            frame.insert(0, at, values)
        elif not np.array_equal(frame[name].to_numpy(), values):
            raise must(
                "frame",
                f"have the same values in the index level and the column {name!r}",
                hint="Drop one of them.",
            )
    return frame


def _stack_columns(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Move the labels among the levels of a table's columns into its rows."""
    names = list(frame.columns.names)
    labels = {i: part for i, n in enumerate(names) if (part := _part_of(n)) is not None}
    rest = [i for i in range(len(names)) if i not in labels]
    rows = frame.index
    if rows.nlevels == 1 and rows.name is None and rows.dtype.kind not in "iu":
        unnamed = len(names) == 2 and "algorithm" not in labels.values()
        also = ", columns=['metric', 'algorithm']" if unnamed else ""
        raise must(
            "frame",
            "have a named index, since its columns have several levels",
            f"{rows[0]!r}, ... without a name",
            f"Use e.g. frame.rename_axis(index='dataset'{also}).",
        )
    if not labels or len(rest) > 1:
        raise must(
            "frame",
            "have levels of columns named as labels ('algorithm', 'fold', ...), and one of "
            "metrics",
            f"{len(names)} levels, named {names!r}",
            "Use e.g. frame.rename_axis(columns=['metric', 'algorithm']).",
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
    """Turn columns fold_1, fold_2, ... into one row per fold."""
    numbered = {c: m for c in frame.columns if (m := _NUMBERED.match(c))}
    words = {m[1].lower() for m in numbered.values()}
    if len(numbered) < 2 or len(words) > 1 or words & set(recognise(frame.columns)):
        return frame
    others = [c for c in frame.columns if c not in numbered]
    if metric in others:
        raise InputError(
            f"column {metric!r} must be left out next to the scores of folds in "
            f"{next(iter(numbered))!r}, ..., which are named alike. If they measure something "
            f"else, name it: {arg('metric', ...)}",
            "metric",
        )
    long = frame.melt(others, list(numbered), var_name=words.pop(), value_name=metric)
    number = {c: int(m[2]) for c, m in numbered.items()}
    label = long.columns[-2]
    return long.assign(**{label: long[label].map(number)})


def plain_names(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Name the columns by text, without blanks around it."""
    plain = [str(c).strip() for c in frame.columns]
    seen: dict[str, object] = {}
    for name, column in zip(plain, frame.columns, strict=True):
        if name:  # empty where an index was written as the first column
            checks.check_label(column, "the header")
        if name in seen:
            raise must(
                "the columns",
                "have names that differ when written out",
                f"{seen[name]!r} and {column!r}",
            )
        seen[name] = column
    renamed = {str(old): new for new, old in seen.items() if isinstance(old, str) and old != new}
    return frame.set_axis(plain, axis=1), renamed


def _lower_counts(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Name the four confusion counts tp, fn, fp and tn, whatever their case."""
    named = {c: metrics.plain_count(c) for c in frame.columns}
    named = {old: new for old, new in named.items() if old != new}
    plain = [named.get(c, c) for c in frame.columns]
    if len(set(plain)) < len(plain) or not set(metrics.COUNTS) <= set(plain):
        return frame, {}
    return frame.set_axis(plain, axis=1), named


def without_row_numbers(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Drop (and return) columns that only number the rows, or are empty."""
    numbering = []
    for column in map(str, frame.columns):
        if _UNNAMED.match(column) and frame[column].isna().all():
            numbering.append(column)
        elif _ROW_NUMBERS.match(column) and frame[column].dtype.kind in "iu":
            values = frame[column].to_numpy()
            if column.lower().startswith("unnamed") or (np.diff(values) == 1).all():
                numbering.append(column)
    return (frame.drop(columns=numbering) if numbering else frame), tuple(numbering)


def _with_sizes(frame: pd.DataFrame, parts: Mapping[str, str]) -> pd.DataFrame:
    """Turn sizes of sets and correlations into floats."""
    columns = [parts[part] for part in ("n_train", "n_test") if part in parts]
    columns += ["fold_correlation"] if "fold_correlation" in frame else []
    share = "fold_correlation"
    sizes = {c: check_sizes(frame[c], share=c == share) for c in columns}
    return frame.assign(**sizes) if sizes else frame


# Wide tables.


def _scored_and_texts(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the columns that are not labels: those of numbers, and all others."""
    own = [c for c in frame.columns if not is_label(c) and c not in NOTES]
    scored = [c for c in own if frame[c].dtype.kind in "fiub"]
    return scored, [c for c in own if c not in scored]


def _from_wide(
    frame: pd.DataFrame,
    given: pd.DataFrame,
    parts: Mapping[str, str],
    named: str | None,
    *,
    declared: bool,
    of_means: bool,
    measured: str | None = None,
    joined: Sequence[str] = (),
) -> LongTable:
    """Bring a table with one column per algorithm into the long form.

    `frame` has plain names; `given` is the table as handed in. `named` is the metric, if known,
    `declared` whether columns are declared as algorithms, `of_means` whether every row is a data
    set, `measured` a column of metrics, `joined` metrics in the names of columns.
    """
    metric = named or "score"
    if is_label(metric):
        raise must_be("metric", "a metric's name, not that of a label", metric)
    names = frame.drop(columns=measured or [])
    frame, dataset, where = _with_datasets(frame, names, given, parts, declared)
    kept = {"dataset": dataset, **parts}
    scored, texts = _scored_and_texts(frame)
    algorithms, odd = ([c for c in s if c not in (dataset, measured)] for s in (scored, texts))
    algorithms = [c for c in algorithms if c not in kept.values()]
    unnamed = [c for c in algorithms if _UNNAMED.match(c)]
    if unnamed:
        raise must(
            f"column {unnamed[0]!r}",
            "have a name in a wide table",
            "numbers without one",
            "Write the name of an algorithm above each column of its scores.",
        )
    check_columns(frame, algorithms, dataset)
    if odd:
        raise must(
            f"column {odd[0]!r}",
            "hold numbers in a wide table",
            f"{kind_of(frame[odd[0]].iloc[0])} in row 0",
            "Use one column of names, and a column of numbers for each algorithm.",
        )
    check_margins(frame, dataset, algorithms)
    if not declared and "dataset" not in parts:
        label = dataset if dataset in given else str(given.index.name or "")
        check_rows_are_datasets(frame[dataset], label)
    if named in frame.columns:
        raise must_be(
            "metric",
            "the name of what all algorithms' columns measure, not a column's name",
            named,
            "Leave it out, or name the measure, such as 'accuracy'.",
        )
    flags = [c for c in algorithms if c in given and given[c].dtype.kind == "b"]
    if 0 < len(flags) < len(algorithms):
        raise must(
            f"column {flags[0]!r}",
            "hold numbers in a wide table, as others do",
            "True and False",
            "Use the same kind of scores in every algorithm's column.",
        )
    of_questions = plain_name(dataset) in ITEM_NAMES["item"]
    known = [
        c
        for c in algorithms
        if metrics.find_metric(c)
        or metrics.is_time(c)
        or (of_questions and plain_name(c) in MEASURED["value"])
    ]
    if known and not (declared or joined):
        raise must(
            "the table",
            "have a column for the algorithm",
            f"{known[0]!r}, a metric by its name",
            f"Name the column with {arg('columns', {'algorithm': ...})}, or give "
            f"{either('Scores.from_means(frame)')} if every column of numbers is an algorithm.",
        )
    folds = not ({"fold", "repeat", "seed"} & set(parts) or of_means)
    folds &= bool(frame.duplicated([dataset, *([measured] if measured else [])]).any())
    if folds and not declared:
        check_counters(frame, dataset, algorithms)
    if folds:
        by = [dataset, *([measured] if measured else [])]
        frame = frame.assign(fold=frame.groupby(by, sort=False).cumcount() + 1)
        frame = frame if "resampling" in frame else frame.assign(resampling=UNKNOWN)
        kept["fold"] = "fold"
    labels = list(dict.fromkeys([*kept.values(), *(c for c in NOTES if c in frame)]))
    names_of = None if declared or measured else split_names(algorithms, joined or None)
    if names_of is not None and len(names_of.metrics) == 1 and named and not joined:
        names_of = None  # the user named the metric, and columns are algorithms
    words = f"one column per algorithm, data sets from {where}"
    if names_of is not None:
        tables = [
            frame[labels].assign(
                algorithm=name,
                **{m: frame[c].to_numpy() for c, (a, m) in names_of.pairs.items() if a == name},
            )
            for name in names_of.algorithms
        ]
        long = pd.concat(tables, ignore_index=True)
        words = f"one column per algorithm and metric, data sets from {where}"
    elif measured is not None:
        labels = [*dict.fromkeys([*labels, measured])]
        long = _stack(frame, labels, algorithms, metric)
        own = {**kept, "algorithm": "algorithm"}
        long, _ = _pivot_metrics(long, own, measured, metric)
    else:
        long = _stack(frame, labels, algorithms, metric)
    words += ", one row per fold" if folds else ""
    renamed = {dataset: "dataset"} if dataset != "dataset" else {}
    return LongTable(long, {**kept, "algorithm": "algorithm"}, renamed, wide=words)


def _stack(
    frame: pd.DataFrame, labels: list[str], algorithms: list[str], metric: str
) -> pd.DataFrame:
    """Bring one column per algorithm into rows; an algorithm may have the metric's name."""
    long = frame.melt(labels, algorithms, var_name="algorithm", value_name=0)
    return long.rename(columns={0: metric})


def _with_datasets(
    frame: pd.DataFrame,
    names: pd.DataFrame,
    given: pd.DataFrame,
    parts: Mapping[str, str],
    declared: bool,
) -> tuple[pd.DataFrame, str, str]:
    """Return the table, the column that names its data sets, and where it came from."""
    if "dataset" in parts:
        return frame, parts["dataset"], f"column {parts['dataset']!r}"
    texts = _scored_and_texts(names)[1]
    if len(texts) == 1:
        return frame, texts[0], f"column {texts[0]!r}"
    rows = given.index
    numbered = isinstance(rows, pd.RangeIndex) and rows.name is None
    if {"fold", "repeat", "seed"} & set(parts):
        return frame.assign(dataset=UNNAMED), "dataset", "nothing: taken as one data set"
    if numbered and not declared:
        raise must(
            "the table",
            "have data sets or algorithms by name",
            "neither",
            "Name the data sets in a column 'dataset' or in the index, or a data set's folds in "
            f"a column 'fold'. {either('Scores.from_means(frame)')} takes each row as a data set.",
        )
    if rows.nlevels > 1:
        raise must(
            "frame", "have a level of the index that names data sets", repr(list(rows.names))
        )
    return frame.assign(dataset=rows.to_numpy()), "dataset", "the index"
