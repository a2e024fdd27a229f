"""Labelled tables given to a test: which axis is which, and what its labels are."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import must
from bayescmp.errors import InputError, name_argument
from bayescmp.scores.columns import ATTRS, ITEM_NAMES, as_frame, plain_name, recognise
from bayescmp.scores.layout import are_alike, are_folds, is_summary
from bayescmp.scores.metrics import find_metric
from bayescmp.wording.text import join_items

#: The accepted contents of an axis of a table, by the requirement of the test. A "block" is
#: anything in which all algorithms were run; a "unit" is one that is independent of the others.
_FITTING = {
    "block": {"dataset", "fold", "repeat", "seed", "question"},
    "unit": {"dataset", "seed", "question"},
    "dataset": {"dataset"},
    "fold": {"fold", "repeat", "seed"},
    "algorithm": {"algorithm"},
    "metric": {"metric"},
}
_FOLDS = _FITTING["fold"]
_IN_WORDS = {
    "block": "folds or data sets",
    "unit": "data sets",
    "dataset": "data sets",
    "fold": "folds",
    "algorithm": "algorithms",
    "metric": "metrics",
}
#: So many rows of only 0 and 1 are questions, not data sets.
ANSWERS = 10
_UNNAMED = re.compile(r"Unnamed: \d+(_level_\d+)?")
_NUMERAL = re.compile(r"\s*[-+−]?\d[\d.,\s]*(e[-+]?\d+)?\s*%?\s*", re.IGNORECASE)

Labels = tuple[str, ...] | None


def is_labelled(table: object) -> bool:
    """Whether a table may name its rows and columns: a frame, a mapping, an array with dims."""
    if isinstance(table, np.ndarray | list | tuple):
        return False
    if isinstance(table, Mapping) or len(getattr(table, "dims", ())) > 1:
        return True
    return isinstance(as_frame(table), pd.DataFrame)


def arrange(table: Any, name: str, *axes: str) -> tuple[Any, tuple[Labels, ...]]:
    """Return the values of a table with its axes in this order, and the labels of each axis.

    The only place where a test reads a labelled table. Algorithms (or metrics) are columns; folds,
    data sets or questions are rows; a table whose axes are named the other way round is turned.
    Labels that say something else, or allow two readings, are refused with the call that works. A
    column of text, or one named as a label, labels the rows. A mapping holds a column by each
    name. Numbers without labels are returned unchanged. `name` is the argument's, for messages;
    `axes` are "block", "unit", "dataset", "fold", "algorithm", "metric". The result is the values,
    and labels or None by axis.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.scores.frames import arrange
    >>> frame = pd.DataFrame({"knn": [0.8, 0.7], "svm": [0.9, 0.8]}, index=["iris", "wine"])
    >>> values, (datasets, algorithms) = arrange(frame, "scores", "unit", "algorithm")
    >>> values.shape, datasets, algorithms
    ((2, 2), ('iris', 'wine'), ('knn', 'svm'))
    """
    with name_argument(name.partition("[")[0]):
        return _arrange(table, name, axes)


def _arrange(table: Any, name: str, axes: Sequence[str]) -> tuple[Any, tuple[Labels, ...]]:
    if isinstance(table, np.ndarray | list | tuple):
        return table, (None,) * len(axes)
    if isinstance(table, Mapping):
        table = _frame_of(table, name)
    if len(getattr(table, "dims", ())) > 2:
        return _arrange_dims(table, name, axes)
    frame = as_frame(table)
    if isinstance(frame, pd.Series):
        return frame.to_numpy(), (_series_labels(frame, name, axes), *(None,) * (len(axes) - 1))
    if not isinstance(frame, pd.DataFrame):
        return table, (None,) * len(axes)
    if len(axes) == 3 and frame.columns.nlevels == 2:
        return _arrange_levels(frame, name, axes)
    if frame.columns.nlevels > 1:
        first = frame.columns.names[-1] or frame.columns.nlevels - 1
        raise InputError(
            f"the columns of {name} must have one level (got {frame.columns.nlevels}, named "
            f"{list(frame.columns.names)!r}). Choose one metric: "
            f"{name}.xs({frame.columns[0][-1]!r}, axis=1, level={first!r})"
        )
    rows, columns = axes[:2]
    frame, held = _label_rows(frame, name)
    frame = _turned(frame, name, rows, columns)
    _check_columns(frame, name, columns)
    _check_rows(frame, name, rows, columns, held)
    own = None if _is_unnamed(frame.index) else _names(frame.index, f"the index of {name}")
    named = _has_names(frame.index) or not _is_unnamed(frame.columns)
    across = _names(frame.columns, f"the columns of {name}") if named else None
    if across is not None:
        checks.distinct_names(f"the columns of {name}", across)
    values = _numbers(frame, name)
    if (rows, columns) == ("dataset", "algorithm") and _kind_of(frame.index.name) != "dataset":
        _check_answers(values, name)
    return values, (own, across, *(None,) * (len(axes) - 2))


def by_algorithm(table: Any, name: str, *axes: str) -> tuple[Any, tuple[Labels, ...]]:
    """Return a table with algorithms first, as tests of one data set take it, and labels."""
    values, labels = arrange(table, name, "block", "algorithm", *axes)
    if labels[1] is None:
        raise must(
            name,
            "have columns that are named as algorithms",
            "a table without names",
            f"Without names give numbers, one row per algorithm: {name}.T.to_numpy() if its "
            "columns are the algorithms.",
        )
    return np.swapaxes(values, 0, 1), labels[1:]


def pair_of(table: Any, name: str, rows: str) -> tuple[np.ndarray, tuple[str, str], Labels] | None:
    """Return the scores (n, 2), names and row labels of a table of two algorithms, or None."""
    if not is_labelled(table):
        return None
    frame = as_frame(_frame_of(table, name) if isinstance(table, Mapping) else table)
    if not isinstance(frame, pd.DataFrame):
        return None
    titles = [_kind_of(frame.index.name), _kind_of(frame.columns.name)]
    if "algorithm" not in titles and (
        titles[1] in _FOLDS
        or all(checks.is_number(c) for c in frame.columns)
        or are_folds(frame.columns)
    ):
        return None
    values, (labels, names) = arrange(frame, name, rows, "algorithm")
    if names is not None and len(names) == 1:
        raise must(
            name,
            "hold two algorithms, or differences",
            f"the column {names[0]!r}",
            f"If it contains differences: {name}[{names[0]!r}].",
        )
    if names is None or len(names) != 2:
        shown = ", ".join([repr(n) for n in (names or ())[:4]])
        shown += ", ..." if names is not None and len(names) > 4 else ""
        way = f"Turn the table: {name}.T" if len(values) == 2 else f"Choose two: {name}[[...]]"
        raise must(
            name,
            "hold two algorithms, or differences of folds",
            f"the columns {shown}",
            f"{way}. For differences, name the columns: {name}.rename_axis(columns='fold').",
        )
    numbers = checks.read_numbers(values, name, "scores of two algorithms")
    return numbers, (names[0], names[1]), labels


def label_kinds(table: Any) -> set[str]:
    """Return what a table holds by its names: of both axes, and of the columns that are labels."""
    frame = as_frame(table)
    titles = [title for axis in frame.axes for title in axis.names]
    kinds = {kind for title in titles if (kind := _kind_of(title)) and kind != "algorithm"}
    if frame.columns.nlevels > 1:
        return kinds
    return kinds | {
        kind
        for column, dtype in zip(frame.columns, frame.dtypes, strict=True)
        if not pd.api.types.is_float_dtype(dtype) and (kind := _kind_of(column))
    }


# Axes by their names.


def _kind_of(title: Hashable) -> str | None:
    """Return what an axis or a label column holds, by its name; None if that is not known."""
    plain = plain_name(title) if isinstance(title, str) else ""
    for word in (plain, plain.removesuffix("s")):
        if word in ("metric", "measure", "score_name"):
            return "metric"
        part = next(iter(recognise([word])), None)
        if part is None and word in ITEM_NAMES["item"]:
            part = "question"
        if part is not None:
            return part
    return None


def _fits(kind: str | None, axis: str) -> bool:
    return kind is None or kind in _FITTING[axis]


def _turned(frame: pd.DataFrame, name: str, rows: str, columns: str) -> pd.DataFrame:
    """Return the table with the rows and the columns that the names of its axes show."""
    over, across = _kind_of(frame.index.name), _kind_of(frame.columns.name)
    if _fits(over, rows) and _fits(across, columns):
        return frame
    if _fits(across, rows) and _fits(over, columns) and (columns != "fold" or across):
        return frame.T
    for axis, other in ((frame.index, frame.columns), (frame.columns, frame.index)):
        if (
            columns == "algorithm"
            and rows != "block"
            and _kind_of(axis.name) in _FOLDS
            and _kind_of(other.name) in ("algorithm", None)
        ):
            raise _folds_refused(axis, name, columns, len(other))
    raise InputError(
        f"{name} must have {_IN_WORDS[rows]} as rows and {_IN_WORDS[columns]} as columns (got "
        f"rows named {frame.index.name!r} and columns named {frame.columns.name!r}). Rename the "
        f"axes if they are: {name}.rename_axis(index=None, columns=None)"
    )


def _folds_refused(index: pd.Index, name: str, columns: str, count: int) -> InputError:
    """Say why folds are not data sets, and which calls take folds."""
    parsed = are_folds(index)
    rho = f"{1 / len(set(parsed[1])):.3g}" if parsed and len(set(parsed[1])) > 1 else "0.1"
    if columns != "algorithm":
        way = f"Turn the table if its columns are data sets: {name}.T"
    elif count == 2:
        way = (
            f"On one data set use bayescmp.frequentist.corrected_t({name}, rho={rho}) or "
            f"bayescmp.bayesian.correlated_t({name}, rho={rho}, rope=0.01)"
        )
    else:
        way = (
            f"On one data set use bayescmp.frequentist.anova({name}, rho={rho}) or "
            f"bayescmp.bayesian.groups({name}, rho={rho}, rope=0.01)"
        )
    return InputError(
        f"the rows of {name} must be data sets (got folds: {_shown(index)}). Folds of one data "
        f"set share training data, so they are not independent. {way}; if each row is a data set: "
        f"{name}.rename_axis(index='dataset')"
    )


def _shown(labels: Sequence[Hashable] | pd.Index) -> str:
    first = ", ".join(repr(label) for label in list(labels)[:2])
    return first + (", ..." if len(labels) > 2 else "")


# Labels of rows: the index, a column of text, or columns named as labels.


def _label_rows(frame: pd.DataFrame, name: str) -> tuple[pd.DataFrame, str]:
    """Return the table with the labels of its rows as the index, and how to reach those."""
    checks.distinct_names(f"the columns of {name}", [str(c) for c in frame.columns])
    labels: list[Hashable] = [c for c in frame.columns if _is_label(frame[c], c, name)]
    levels: list[Hashable] = []
    if frame.index.nlevels > 1:
        if any(level is None for level in frame.index.names):
            raise InputError(
                f"the index of {name} must have one level, or names of all (got "
                f"{list(frame.index.names)!r}). Leave one out: {name}.droplevel(0)"
            )
        levels = [*frame.index.names]
        frame = frame.reset_index()
    elif labels and not _is_places(frame.index):
        title = "row" if frame.index.name is None else str(frame.index.name)
        frame = frame.rename_axis(index=title).reset_index()
        levels = [frame.columns[0]]
    labels = [*levels, *labels]
    if not labels:
        return frame, f"{name}.index"
    kinds = {c: _kind_of(c) for c in labels}
    for c in labels:
        if kinds[c] == "algorithm":
            _check_wide(frame, name, c, labels)
        if kinds[c] in ("n_test", "n_train"):
            raise must(
                f"column {c!r} of {name}",
                "be left out, since it holds sizes by its name",
                hint=f"Use {name}.drop(columns=[{c!r}]).",
            )
    several = [c for c in labels if frame[c].nunique() > 1] or labels[:1]
    rest = frame.drop(columns=labels)
    if len(several) > 1:
        if not {kinds[c] for c in several} <= _FOLDS:
            raise InputError(
                f"the rows of {name} must have one label (got {join_items([*map(repr, several)])})"
                f". Choose the rows of one data set, or compare all with bayescmp.Scores({name})"
            )
        joined = frame[several].astype(str).agg(", ".join, axis=1)
        return rest.set_axis(pd.Index(joined, name="fold")), f"{name}.index"
    (label,) = several
    held = f"{name}.index" if label in levels else f"{name}[{label!r}]"
    return rest.set_axis(pd.Index(frame[label], name=label)), held


def _is_places(index: pd.Index) -> bool:
    """Whether an index numbers the rows, of which some may have been left out."""
    return index.name is None and pd.api.types.is_integer_dtype(index) and index.is_unique


def _is_label(cells: pd.Series, column: Hashable, name: str) -> bool:
    """Whether a column labels the rows: by its text, or by a name that is not a metric's."""
    if pd.api.types.is_bool_dtype(cells) or pd.api.types.is_float_dtype(cells):
        return False
    if pd.api.types.is_integer_dtype(cells):
        if _UNNAMED.fullmatch(str(column)):
            raise must(
                f"column {column!r} of {name}",
                "be left out, since it numbers the rows",
                hint=f"Use {name}.drop(columns=[{column!r}]).",
            )
        return _kind_of(column) not in (None, "algorithm", "metric")
    texts = [isinstance(cell, str) for cell in cells]
    if not all(texts) or not len(cells):
        return False
    if _kind_of(column) is None and all(_NUMERAL.fullmatch(cell) for cell in cells):
        raise InputError(
            f"column {column!r} of {name} must hold numbers (got the text {cells.iloc[0]!r}). "
            f"Convert it: {name}.assign(**{{{column!r}: {name}[{column!r}].astype(float)}})"
        )
    return True


def _check_wide(
    frame: pd.DataFrame, name: str, column: Hashable, labels: Sequence[Hashable]
) -> None:
    """Refuse a long table, in which a column names the algorithm of each score."""
    others = [str(c) for c in frame.columns if c not in labels]
    metrics = [c for c in others if find_metric(c)]
    if len(labels) > 1 or metrics or frame[column].duplicated().any():
        raise InputError(
            f"{name} must have one column per algorithm (got a tidy table with the column "
            f"{column!r}). Read it with bayescmp.Scores({name})"
        )


# Labels without names of axes.


def _check_columns(frame: pd.DataFrame, name: str, columns: str) -> None:
    """Refuse columns that are, by their labels, something else than is needed."""
    titled = _kind_of(frame.columns.name) is not None
    texts = [c for c in frame.columns if isinstance(c, str)]
    algorithms = frame.attrs.get(ATTRS, {}).get("algorithms", ())
    for c in _summaries(texts) if columns != "fold" else ():
        if c in algorithms:
            continue
        raise must(
            f"column {c!r} of {name}",
            "be left out, since it summarises the others by its name",
            hint=f"Use {name}.drop(columns=[{c!r}]).",
        )
    if titled:
        return
    needed = _IN_WORDS[columns]
    as_titled = f"{name}.rename_axis(columns={columns!r})"
    if columns == "fold":
        if texts and are_folds(texts) is None:
            raise InputError(
                f"the columns of {name} must be folds (got {_shown(frame.columns)}). If they are "
                f"folds: {as_titled}; for two algorithms use bayescmp.Differences("
                f"{name}[{frame.columns[-1]!r}] - {name}[{frame.columns[0]!r}], rho=0.1)"
            )
        return
    if texts and len(texts) == len(frame.columns) and are_folds(texts) is not None:
        raise InputError(
            f"the columns of {name} must be {needed} (got folds: {_shown(texts)}). Turn the "
            f"table: {name}.T; if they are {needed}: {as_titled}"
        )
    if columns == "algorithm" and len(texts) > 1 and all(find_metric(c) for c in texts):
        raise InputError(
            f"the columns of {name} must be algorithms (got metrics by their names: "
            f"{_shown(texts)}). Compare by one metric; if they are algorithms: {as_titled}"
        )
    if not _has_names(frame.index):
        return
    if set(map(str, frame.index)) == set(map(str, frame.columns)):
        raise InputError(
            f"{name} must hold scores (got the same names in rows and columns, as a table of "
            f"pairs has them). If the columns are {needed}: {as_titled}"
        )
    numbers = [c for c in frame.columns if checks.is_number(c)]
    count = len(frame.columns)
    if numbers in ([*range(count)], [*range(1, count + 1)]) and _may_be_algorithms(frame.index):
        raise InputError(
            f"the columns of {name} must be {needed} (got the numbers {_shown(numbers)} next to "
            f"rows named {_shown(frame.index)}). If the rows are {needed}: {name}.T; if the "
            f"columns are: {as_titled}"
        )


def _summaries(labels: Sequence[str]) -> list[str]:
    """Return labels of summaries; "p" is one next to longer names, not next to "q"."""
    if len(labels) < 2 or are_alike(labels):
        return []
    return [label for label in labels if is_summary(label)]


def _may_be_algorithms(index: pd.Index) -> bool:
    return _kind_of(index.name) is None and are_folds(index) is None


def _check_rows(frame: pd.DataFrame, name: str, rows: str, columns: str, held: str) -> None:
    """Refuse rows that summarise others, and folds where data sets are needed."""
    for label in _summaries([c for c in frame.index if isinstance(c, str)]):
        raise must(
            f"row {label!r} of {name}",
            "be left out, since it summarises the others by its name",
            hint=f"Use {name}[{held} != {label!r}].",
        )
    kind = _kind_of(frame.index.name)
    if "fold" in _FITTING[rows] or (kind is not None and kind not in _FOLDS):
        return
    if are_folds(map(str, frame.index)) is not None:
        raise _folds_refused(frame.index, name, columns, len(frame.columns))


def _check_answers(values: np.ndarray, name: str) -> None:
    """Refuse right and wrong answers as means of data sets."""
    if len(values) < ANSWERS or not np.isin(values, (0, 1)).all():
        return
    way = (
        f"bayescmp.bayesian.paired_proportions({name}, rope=0.01) or "
        f"bayescmp.frequentist.mcnemar({name})"
        if values.shape[1] == 2
        else f"bayescmp.bayesian.question_bootstrap({name}, rope=0.01) or "
        f"bayescmp.frequentist.cochran_q({name})"
    )
    raise InputError(
        f"the rows of {name} must be data sets (got only 0 and 1 in {len(values)} rows, as "
        f"answers to questions). For questions use {way}; if each row is a data set: "
        f"{name}.rename_axis(index='dataset')"
    )


def _series_labels(series: pd.Series, name: str, axes: Sequence[str]) -> Labels:
    """Return the labels of the numbers of one axis, which has to be what is needed."""
    kind, labels = _kind_of(series.index.name), None
    if not _is_unnamed(series.index):
        labels = _names(series.index, f"the index of {name}")
    if kind is None and labels is not None and are_folds(labels) is not None:
        kind = "fold"
    if not _fits(kind, axes[0]):
        if kind in _FOLDS:
            raise _folds_refused(series.index, name, "algorithm", 2)
        raise InputError(
            f"{name} must be labelled by {_IN_WORDS[axes[0]]} (got {series.index.name!r}). "
            f"Rename its index if it is: {name}.rename_axis(None)"
        )
    return labels


def _is_unnamed(axis: pd.Index) -> bool:
    return _kind_of(axis.name) is None and checks.is_numbered(axis)


def _has_names(axis: pd.Index) -> bool:
    """Whether an axis is named as a whole, or has labels that are not just numbers."""
    return _kind_of(axis.name) is not None or not all(map(checks.is_number, axis))


def _names(axis: pd.Index, what: str) -> tuple[str, ...]:
    return tuple(checks.check_label(label, what) for label in axis)


def _numbers(frame: pd.DataFrame, name: str) -> Any:
    """Return the cells, numbers as floats; what is not a number is refused where they are read."""
    if all(pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes):
        checks.check_real(frame, name)
        return frame.to_numpy(dtype=float, na_value=np.nan)
    return frame.to_numpy()


# Other forms of table.


def _frame_of(table: Mapping[Any, Any], name: str) -> pd.DataFrame:
    columns = {str(key): value for key, value in table.items()}
    if len(columns) < len(table) or not columns:
        raise must(name, "hold scores by the names of algorithms", repr(table))
    for key, value in columns.items():
        if np.ndim(value) != 1:
            got = f"{type(value).__name__} of shape {np.shape(value)}"
            raise must(f"{name}[{key!r}]", "be a list of scores", got)
    sizes = {key: len(value) for key, value in columns.items()}
    few, many = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[few] != sizes[many]:
        raise must(
            name,
            "hold equally many scores of each algorithm",
            f"{sizes[few]} of {few!r} and {sizes[many]} of {many!r}",
        )
    checks.check_paired(**{f"{name}[{key!r}]": value for key, value in columns.items()})
    index = next((v.index for v in columns.values() if isinstance(v, pd.Series)), None)
    return pd.DataFrame({key: np.asarray(value) for key, value in columns.items()}, index=index)


def _arrange_dims(table: Any, name: str, axes: Sequence[str]) -> tuple[Any, tuple[Labels, ...]]:
    """Return an array with named dimensions in the order of the axes."""
    dims = list(table.dims)
    kinds = [_kind_of(dim) for dim in dims]
    order = []
    for place, axis in enumerate(axes):
        fitting = [d for d, kind in zip(dims, kinds, strict=True) if kind in _FITTING[axis]]
        left = [d for d, kind in zip(dims, kinds, strict=True) if kind is None]
        order += fitting[:1] or ([dims[place]] if dims[place : place + 1] == left[:1] else [])
    if sorted(map(str, order)) != sorted(map(str, dims)):
        raise InputError(
            f"{name} must have the dimensions {join_items([*axes])} (got "
            f"{', '.join(map(repr, dims))})"
        )
    turned = table.transpose(*order)
    labels = [turned.indexes.get(dim) for dim in order]
    named = tuple(None if axis is None else _names(axis, name) for axis in labels)
    return turned.to_numpy(), named


def _arrange_levels(
    frame: pd.DataFrame, name: str, axes: Sequence[str]
) -> tuple[np.ndarray, tuple[Labels, ...]]:
    """Return a table whose columns have two levels, algorithms and metrics, as three axes."""
    kinds = [_kind_of(title) for title in frame.columns.names]
    if set(kinds) != {"algorithm", "metric"}:
        raise InputError(
            f"the levels of the columns of {name} must be named 'algorithm' and 'metric' (got "
            f"{list(frame.columns.names)!r}). Name them: {name}.rename_axis("
            "columns=['algorithm', 'metric']), in the order that they have"
        )
    if kinds == ["metric", "algorithm"]:
        frame = frame.swaplevel(axis=1)
    algorithms, metrics = (list(dict.fromkeys(frame.columns.get_level_values(i))) for i in (0, 1))
    absent = [(a, m) for a in algorithms for m in metrics if (a, m) not in frame.columns]
    if absent or frame.columns.has_duplicates:
        odd = absent[0] if absent else frame.columns[frame.columns.duplicated()][0]
        raise InputError(
            f"{name} must have each metric of each algorithm once (got "
            f"{'none' if absent else 'two'} of {odd!r})"
        )
    if not _fits(_kind_of(frame.index.name), axes[0]):
        raise InputError(
            f"the rows of {name} must be {_IN_WORDS[axes[0]]} (got {frame.index.name!r})"
        )
    layers = np.stack([_numbers(frame[a][metrics], name) for a in algorithms], axis=1)
    return layers, (None, tuple(map(str, algorithms)), tuple(map(str, metrics)))
