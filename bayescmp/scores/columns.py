"""Reading score tables: the spellings of columns, files, and other shapes of table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import check_choice
from bayescmp.errors import InputError, warn_user


def as_frame(value: object) -> Any:
    """Convert another library's table to a DataFrame; return any other object unchanged."""
    if hasattr(value, "iloc") or isinstance(value, type):
        if isinstance(value, pd.DataFrame):
            _check_characters(value)
        return value
    kind = f"{type(value).__module__.partition('.')[0]} {type(value).__name__}"
    if hasattr(value, "collect") and hasattr(value, "collect_schema"):
        raise must("the table", "be computed", f"a {kind}", "Give table.collect().")
    try:
        if hasattr(value, "to_pandas"):
            return value.to_pandas()
        if hasattr(value, "__arrow_c_stream__"):
            import pyarrow

            return pyarrow.table(value).to_pandas()
    except ImportError as error:
        package = error.name or "pyarrow"
        raise InputError(
            f"{package} must be installed to read a {kind}. Use pip install {package}."
        ) from error
    return value


def as_numbers(cells: pd.Series) -> pd.Series:
    """Return a column as numbers, with NaN for any other cell."""
    try:
        return pd.to_numeric(cells, errors="coerce")
    except OverflowError:
        raise too_large(f"column {cells.name!r}") from None


def too_large(what: str) -> InputError:
    """Return the error for a number that is too large."""
    return must(what, "hold numbers that fit into a float", "a larger one")


def _check_characters(frame: pd.DataFrame) -> None:
    """Refuse names and cells with half of a character, from bytes read in a wrong encoding."""
    parts: list[tuple[str, pd.Index | pd.Series]] = [
        ("the header", frame.columns),
        ("the index", frame.index),
    ]
    parts += [(f"column {name!r}", frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    for what, values in parts:
        if values.dtype != object and getattr(values.dtype, "storage", "") != "python":
            continue
        for value in values:
            try:
                for part in value if isinstance(value, tuple) else (value,):
                    if isinstance(part, str):
                        part.encode()
            except UnicodeEncodeError:
                raise InputError(
                    f"{what} must hold whole characters (got {value!r}, read in a wrong encoding "
                    "perhaps). Replace them: text.encode('utf-8', 'replace').decode()"
                ) from None


#: The columns that identify the origin of a score.
KEYS = ("dataset", "algorithm", "repeat", "fold")

#: The key of a frame of means, in ``frame.attrs``, for its algorithms, metric and direction.
ATTRS = "bayescmp"

#: A data set to which no name was given.
UNNAMED = "data"

#: Columns of notes: why scores are missing, how far folds correlate, how they were drawn.
NOTES = ("failure", "fold_correlation", "resampling")


def _read_spellings(text: str) -> dict[str, tuple[str, ...]]:
    names = re.split(r"(\w+):", text)[1:]
    return {part: tuple(own.split()) for part, own in zip(names[::2], names[1::2], strict=True)}


_SPELLINGS = _read_spellings("""
dataset: dataset data_set dataset_name data_set_name db data problem task benchmark dataset_id
    task_id task_name benchmark_name problem_name game game_name env env_name env_id environment
    environment_name
algorithm: algorithm algorithm_name algorithm_id algo algo_name algo_id classifier classifier_name
    classifier_id clf clf_name learner learner_name learner_id model model_name model_id method
    method_name method_id estimator estimator_name estimator_id regressor regressor_name agent
    agent_name agent_id policy policy_name policy_id
repeat: repeat repeat_id rep repetition run iteration
fold: fold fold_id fold_index fold_idx fold_number fold_no cv_fold cv_split split split_id
    split_index resample resample_id
seed: seed random_seed random_state trial trial_id trial_number episode attempt
n_test: n_test test_size ntest
n_train: n_train train_size ntrain
""")

#: Columns of a table with one row per metric: its name, and its value.
MEASURED = _read_spellings("""
metric: metric metric_name measure measure_name scorer scoring criterion variable
value: value metric_value score estimate result measurement val
""")

#: Parts of a table of items that are names.
ITEM_NAMES = _read_spellings("""
model: model model_name llm system algorithm classifier method
benchmark: benchmark benchmark_name task task_name dataset data_set
item: item item_id question_id question qid doc_hash example_id example instance_id instance
    doc_id id sample_id prompt_id prompt problem_id problem case_id case task_id
cluster: cluster cluster_id passage passage_id context_id group_id
""")


def recognise(
    columns: Iterable[str],
    given: Mapping[str, str] | None = None,
    *,
    spellings: Mapping[str, Sequence[str]] = _SPELLINGS,
    what: str = "score table",
) -> dict[str, str]:
    """Find which column plays which part, from common spellings.

    `given` maps a part to its column. `spellings` has the parts ("dataset", "algorithm", "repeat",
    "fold", "seed", "n_test", "n_train"), each with spellings in order of preference; `what` is
    whose parts they are, for messages. A part or a column that does not exist is an `InputError`.
    """
    if not isinstance(given, Mapping | None):
        raise must_be("columns", "a mapping of part to column", given)
    columns = list(columns)
    plain = {plain_name(column): column for column in reversed(columns)}
    roles = {
        part: next(plain[name] for name in known if name in plain)
        for part, known in spellings.items()
        if any(name in plain for name in known)
    }
    for part, column in (given or {}).items():
        check_choice(f"part of a {what}", part, spellings)
        check_choice("column", column, columns)
        roles[part] = column
    check_distinct({part: column for part, column in roles.items() if part != "seed"})
    return roles


def check_distinct(roles: Mapping[str, str]) -> None:
    """Refuse a column that plays two parts."""
    for part, column in roles.items():
        other = next((p for p, c in roles.items() if c == column and p != part), None)
        if other is not None:
            raise must(
                f"column {column!r}",
                "have one role",
                f"{part} and {other}",
                "Name a column for each.",
            )


def is_label(column: object) -> bool:
    """Whether a column's name is one of the spellings of a label, and so no metric."""
    return plain_name(column) in {s for spellings in _SPELLINGS.values() for s in spellings}


def names_in(
    header: Iterable[str],
    given: Mapping[str, str] | None = None,
    *,
    parts: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Columns of names ("Data Set", "params.model"), which are text even if they look numeric."""
    parts = {p: _SPELLINGS[p] for p in ("dataset", "algorithm")} if parts is None else parts
    own = {str(name).strip() for part, name in (given or {}).items() if part in parts}
    known = {s for spellings in parts.values() for s in spellings}
    last = {c: re.sub(r"^(params|tags|config|summary)\.", "", c.strip()) for c in header}
    return [c for c, name in last.items() if plain_name(name) in known or own & {name, c.strip()}]


def plain_name(column: object) -> str:
    """Write a column's name in lower case with underscores."""
    return re.sub(r"[^a-z0-9]+", "_", str(column).lower()).strip("_")


def tidy(frame: pd.DataFrame, parts: Mapping[str, str]) -> pd.DataFrame:
    """Give the label columns their own names, and put them first."""
    if "algorithm" not in parts:
        raise must(
            "the table",
            "have a column for the algorithm",
            ", ".join(map(repr, frame.columns)),
            f"Name it with {arg('columns', {'algorithm': ...})}, or add one that names each row's "
            "algorithm.",
        )
    if "dataset" not in parts:
        frame = frame.assign(dataset=UNNAMED)
        parts = {**parts, "dataset": "dataset"}
    clash = [part for part, name in parts.items() if name != part and part in frame.columns]
    frame = frame.drop(columns=clash) if clash else frame
    own = {c: p for p, c in parts.items()}
    frame = frame.set_axis([own.get(c, c) for c in frame.columns], axis=1)
    frame = frame.assign(**{p: 1 for p in ("repeat", "fold") if p not in frame.columns})
    labels = [*KEYS, *(part for part in ("n_test", "n_train") if part in frame.columns)]
    order = labels + [c for c in frame.columns if c not in labels]
    frame = frame if order == list(frame.columns) else frame[order]
    frame = frame.reset_index(drop=True)
    for part in KEYS:
        empty = np.flatnonzero(frame[part].isna().to_numpy())
        if len(empty):
            raise must(
                f"column {parts.get(part, part)!r}",
                "have a name in every row",
                f"none in row {empty[0]}",
                "Give a name there.",
            )
    return frame


#: Names of parts of the data, which a column ``split`` may hold instead of folds.
_PARTS_OF_DATA_IN = {"split", "subset", "partition", "part", "set"}
_PARTS_OF_DATA = {"train", "training", "test", "testing", "val", "valid", "validation", "dev"}


def with_folds(frame: pd.DataFrame, parts: Mapping[str, str]) -> dict[str, str]:
    """Correct the parts of folds: seeds are repeats, and train and test are not folds."""
    parts = dict(parts)
    _check_part_of_data(frame, parts.get("fold"))
    held = _words_in(frame, parts["fold"]) if "fold" in parts else {""}
    if held <= _PARTS_OF_DATA:
        column = parts.pop("fold")
        if len(held) > 1:
            raise must(
                f"column {column!r}",
                "hold folds",
                f"parts of the data, {', '.join(map(repr, sorted(held)))}",
                "Keep the rows of one of them, such as the test set.",
            )
    if "seed" in parts:
        seed = parts.pop("seed")
        parts.setdefault("repeat", seed)
    return parts


def _check_part_of_data(frame: pd.DataFrame, fold: str | None) -> None:
    """Warn of scores that, as a column says, are all of the training set."""
    for column in frame.columns:
        if plain_name(column) not in _PARTS_OF_DATA_IN and column != fold:
            continue
        if _words_in(frame, column) <= {"train", "training"}:
            warn_user(
                f"column {column!r} states that all scores come from the training set, which show "
                "nothing about new data; keep the rows of the test set instead"
            )


def _words_in(frame: pd.DataFrame, column: str) -> set[str]:
    return {str(value).strip().lower() for value in frame[column].unique()}


def failure_of(frame: pd.DataFrame, row: int) -> str:
    """Write in brackets why a row has no scores; empty if the table gives no reason."""
    why = frame["failure"].iloc[row] if "failure" in frame.columns else ""
    return f" ({why})" if isinstance(why, str) and why else ""


def declared_resampling(frame: pd.DataFrame) -> dict[str, str]:
    """Return the entry of the table's column ``resampling`` for each data set."""
    if "resampling" not in frame.columns:
        return {}
    designs: dict[str, str] = {}
    pairs = frame[["dataset", "resampling"]].dropna().drop_duplicates()
    for name, text in pairs.astype(str).itertuples(index=False):
        if designs.setdefault(name, text) != text:
            raise must(
                "column 'resampling'",
                f"give one design for all folds of data set {name!r}",
                f"{designs[name]!r} and {text!r}",
            )
    return designs
