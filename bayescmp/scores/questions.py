"""Answers to questions: which tables hold them, and how a column of answers is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must
from bayescmp.errors import InputError, QuestionsError
from bayescmp.scores import columns as _columns
from bayescmp.scores import metrics
from bayescmp.scores.layout import are_folds
from bayescmp.wording.text import format_count

# Columns of answers: right or wrong, in numbers or in words, or graded.


#: Answers in words.
GRADES = {
    **{"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0},
    **dict.fromkeys(("yes", "true", "pass", "passed", "correct", "right", "success"), 1.0),
    **dict.fromkeys(("no", "false", "fail", "failed", "incorrect", "wrong", "failure"), 0.0),
}


def read_grades(cells: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return answers as floats, NaN where empty, and which cells are neither number nor grade."""
    if cells.dtype.kind in "fiub":
        values = cells.to_numpy(dtype=float, na_value=np.nan)
        return values, np.zeros(len(cells), dtype=bool)
    text = cells.astype(str).str.strip()
    graded = text.map(GRADES).fillna(text.str.lower().map(GRADES))
    read = graded.fillna(pd.to_numeric(text, errors="coerce")).where(cells.notna())
    values = read.to_numpy(dtype=float, na_value=np.nan)
    return values, np.isnan(values) & cells.notna().to_numpy()


def are_answers(cells: pd.Series) -> bool:
    """Whether a column holds numbers, True and False, or grades in words; not only empty cells."""
    if cells.dtype.kind in "fiub":
        return True
    kind = pd.api.types.infer_dtype(cells, skipna=True)
    text = kind in ("string", "boolean", "mixed", "categorical")
    return text and bool(cells.notna().any()) and not read_grades(cells)[1].any()


def are_right_or_wrong(values: np.ndarray) -> bool:
    """Whether all numbers are 0 or 1, or all 0 or 100, apart from those that are missing."""
    known = set(np.unique(values[~np.isnan(values)]).tolist())
    return bool(known) and (known <= {0.0, 1.0} or known <= {0.0, 100.0})


#: The accepted contents of a column of answers.
ANSWERS = "numbers, or grades such as 'pass' and 'fail', empty where missing"


def refuse_cells(cells: pd.Series, bad: np.ndarray, accepted: str) -> None:
    """Refuse cells, and show the first one."""
    rows = np.flatnonzero(bad)
    if len(rows):
        raise must(
            f"column {cells.name!r}",
            f"hold {accepted}",
            f"{cells.iloc[rows[0]]!r} in row {rows[0]}, the first of "
            f"{format_count(len(rows), 'row')}",
        )


# Names of labels in tables of answers.


#: Parts of a table of answers, each with its spellings in order of preference.
PARTS: dict[str, tuple[str, ...]] = {
    **_columns.ITEM_NAMES,
    "judge": ("judge", "judge_name", "judge_model", "rater"),
    "epoch": ("epoch", "attempt", "trial", "run", "repeat", "seed"),
    "score": ("score", "correct", "is_correct", "right", "passed", "resolved"),
}


def with_named_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn the levels of the index that are labels of answers, by their names, into columns."""
    known = {spelling for part in PARTS.values() for spelling in part}
    levels = [
        name
        for name in frame.index.names
        if isinstance(name, str)
        and _columns.plain_name(name) in known
        and name not in frame.columns
    ]
    return frame.reset_index(levels) if levels else frame


# Tables with one column per model.


@dataclass(frozen=True, eq=False)
class WideAnswers:
    """A table with one row per question and one column per model.

    `labels` maps a part ("item", "benchmark", "cluster", "epoch") to its column, `models` are the
    columns of answers, `scores` (rows, models).
    """

    frame: pd.DataFrame
    labels: Mapping[str, Any]
    models: tuple[str, ...]
    scores: np.ndarray

    @property
    def binary(self) -> bool:
        """Whether all answers are right or wrong."""
        return are_right_or_wrong(self.scores)

    @property
    def item(self) -> str | None:
        """The column that names the questions, which may be tasks of one row each."""
        tasks = self.labels.get("benchmark")
        tasks = tasks if tasks is not None and self.frame[tasks].is_unique else None
        return self.labels.get("item", tasks)

    @property
    def source(self) -> str:
        """The source of the questions' names: a column, the index, or the order of the rows."""
        if self.item is not None:
            return f"column {self.item!r}"
        return "the order of the rows" if self._numbered else "the index"

    @property
    def _numbered(self) -> bool:
        rows = self.frame.index
        return isinstance(rows, pd.RangeIndex) or rows.nlevels > 1 or not rows.is_unique

    def stacked(self, metric: str) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Return the table with one row per model and question, and the columns of its parts."""
        frame, labels = self.frame, dict(self.labels)
        taken = {*frame.columns}
        if self.item is None:
            rows = np.arange(1, len(frame) + 1) if self._numbered else frame.index.to_numpy()
            labels["item"] = _free_name("item", taken)
            frame = frame.assign(**{labels["item"]: rows})
        kept = list(dict.fromkeys(c for c in frame if c in _columns_of(labels)))
        model, score = _free_name("model", taken), _free_name(metric, taken)
        frame = frame[kept].assign(**dict(zip(self.models, self.scores.T, strict=True)))
        long = frame.melt(kept, list(self.models), var_name=model, value_name=score)
        if "item" not in labels:
            del labels["benchmark"]  # recognised again as the tasks' names
        return long, {**labels, "model": model, "score": score}


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def find_wide_answers(
    frame: pd.DataFrame, given: Mapping[str, Any] | None = None
) -> WideAnswers | None:
    """Read a table of answers (plain names) with one column per model; None if it is not one."""
    if not isinstance(given, Mapping | None):
        return None  # refused where parts are recognised, like unknown parts and columns
    own = dict(given or {})
    declared = own.pop("model", None)
    if not {*own} <= {*PARTS} or not _columns_of(own) <= {*frame}:
        return None
    labels = _labels_of(frame, own)
    if isinstance(declared, str) or (declared is None and {"model", "score"} & set(labels)):
        return None
    for part in ("model", "score"):
        labels.pop(part, None)
    if declared is not None:
        models = checks.as_names(declared, "columns['model']")
        for column in models:
            checks.check_choice("column", column, list(frame.columns))
    else:
        known = {spelling for spellings in PARTS.values() for spelling in spellings}
        taken = _columns_of(labels) | {c for c in frame.columns if _columns.plain_name(c) in known}
        models = [c for c in frame.columns if c not in taken and are_answers(frame[c])]
        if len(models) < 2 or any(metrics.find_metric(c) or metrics.is_time(c) for c in models):
            return None
    read = [read_grades(frame[column]) for column in models]
    for column, (_, wrong) in zip(models, read, strict=True):
        refuse_cells(frame[column], wrong, ANSWERS)
    scores = np.column_stack([values for values, _ in read])
    if len(models) > len(frame) and all(map(str.isdecimal, models)):
        raise must(
            "frame",
            "have one row per question and one column per model",
            f"{len(frame)} rows and {len(models)} numbered columns",
            "Pass frame.T.",
        )
    wide = WideAnswers(frame, labels, tuple(models), scores)
    if declared is None:
        _check_alike(wide)
    return wide


def _columns_of(labels: Mapping[str, Any]) -> set[str]:
    return {c for part, own in labels.items() for c in checks.as_names(own, f"columns[{part!r}]")}


def _labels_of(frame: pd.DataFrame, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return which column plays which part, as given or by its spelling."""
    plain = {_columns.plain_name(c): c for c in reversed(list(frame.columns))}
    spelled = {
        part: next(plain[name] for name in names if name in plain)
        for part, names in PARTS.items()
        if any(name in plain for name in names)
    }
    own = _columns_of(given)
    return {**{part: column for part, column in spelled.items() if column not in own}, **given}


def _check_alike(wide: WideAnswers) -> None:
    """Refuse a column whose contents differ in kind from the other models' answers."""
    inside: list[object] = [
        bool(np.all(~((column < 0) | (column > 1)))) for column in wide.scores.T
    ]
    kinds: list[object] = [
        {"b": "flag", "O": "text"}.get(wide.frame[c].dtype.kind, "number") for c in wide.models
    ]
    for own in (inside, kinds):
        if len(set(own)) > 1:
            least = min(set(own), key=own.count)
            odd = wide.models[own.index(least)]
            others = [c for c, one in zip(wide.models, own, strict=True) if one != least]
            raise must(
                f"column {odd!r}",
                f"hold values like those of {others[0]!r}",
                "other values",
                f"Name the models' columns: {arg('columns', {'model': others})}.",
            )


# The kind of rows: questions, or folds and data sets.


#: Names that are only used for questions; the scores of such a table may be graded.
_ONLY_QUESTIONS = {
    *("question", "question_id", "qid", "item", "item_id", "prompt", "prompt_id"),
    *("doc_id", "doc_hash", "sample_id", "example_id"),
}
#: Names of data sets that may as well be of questions.
_TASKS = {"task", "task_id", "task_name"}
#: From so many rows on, right and wrong answers without a name are questions.
_MANY = 20


def check_no_questions(frame: pd.DataFrame, given: object = None) -> None:
    """Refuse a table whose rows are questions, or may be; `given` is as for `bayescmp.Scores`."""
    if holds_questions(frame, given):
        raise QuestionsError


def holds_questions(frame: pd.DataFrame, given: object = None) -> bool:
    """Whether rows (or a model's rows) are questions; refuse what may also be data sets.

    They are if a column names them, or if all scores of sufficiently many rows are right or wrong,
    without labels of folds, repeats or runs. `given` are the parts that the user declared.
    """
    own = dict(given) if isinstance(given, Mapping) else {}
    if frame.columns.nlevels > 1 or {"dataset", "fold", "repeat", "seed", "metric"} & {*own}:
        return False
    frame = with_named_levels(frame)
    frame = frame.set_axis([str(c).strip() for c in frame.columns], axis=1)
    if frame.columns.has_duplicates or frame.empty:
        return False
    plain = {_columns.plain_name(c): c for c in frame.columns}
    parts = _columns.recognise(frame.columns)
    if "fold" in parts:
        return False
    item = next((plain[n] for n in PARTS["item"] if n in plain), None)
    of_questions = any(name in plain for name in _ONLY_QUESTIONS)
    model = parts.get("algorithm", next((plain[n] for n in PARTS["model"] if n in plain), None))
    model = own.get("algorithm", model)
    if isinstance(model, str):
        return _are_questions_of(frame, model, item, of_questions, parts)
    try:
        wide = find_wide_answers(frame, None if model is None else {"model": model})
    except InputError:  # of a column with other values, which `Items` names
        return of_questions
    if wide is None or of_questions or not wide.binary:
        return wide is not None and of_questions
    if {"repeat", "seed"} & {*parts} or "epoch" in wide.labels:
        return False  # runs
    named = wide.item or parts.get("dataset") or _sole_text(frame)
    if are_folds(frame.index if named is None else frame[named]):
        return False
    datasets = named is not None and named == parts.get("dataset") and frame[named].is_unique
    datasets &= _columns.plain_name(named) not in {*_TASKS, *PARTS["item"]}
    if len(frame) < _MANY or datasets or _are_wins(wide.scores):
        raise QuestionsError(named, unclear=True, models=wide.models)
    return True


def _are_questions_of(
    frame: pd.DataFrame,
    model: str,
    item: str | None,
    of_questions: bool,
    parts: Mapping[str, str],
) -> bool:
    dataset = parts.get("dataset")
    tasks = dataset if _columns.plain_name(dataset) in _TASKS else None
    item = item or tasks
    labels = {spelling for spellings in PARTS.values() for spelling in spellings}
    scored = [
        c
        for c in frame.columns
        if c not in (model, item, *parts.values())
        and (c not in labels or c in PARTS["score"])
        and are_answers(frame[c])
        and not metrics.is_time(c)
    ]
    if item is None or not scored:
        return False
    binary = all(are_right_or_wrong(read_grades(frame[c])[0]) for c in scored)
    many = frame[item].nunique() >= _MANY
    if of_questions or not binary:
        return of_questions and (many or binary)
    if not many:
        raise QuestionsError(item, unclear=True)
    return True


def _sole_text(frame: pd.DataFrame) -> str | None:
    """Return the only column of names."""
    texts = [
        c for c in frame.columns if frame[c].dtype.kind not in "fiub" and not are_answers(frame[c])
    ]
    return texts[0] if len(texts) == 1 else None


def _are_wins(scores: np.ndarray) -> bool:
    """Whether exactly one column has a 1 in every row, as tables of winners do."""
    return scores.shape[1] > 1 and bool((np.nansum(scores, axis=1) == np.nanmax(scores)).all())
