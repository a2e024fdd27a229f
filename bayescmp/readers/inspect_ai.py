"""Inspect: tables of samples, as ``inspect_ai.analysis.samples_df`` makes them.

Columns by inspect_ai/analysis/_dataframe/samples/columns.py and evals/columns.py of version
0.3: ``eval_id``, ``id``, ``epoch`` and ``score_<scorer>`` of samples; ``eval_id``, ``model`` and
``task_name`` of evaluations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError, unknown_name
from bayescmp.readers.base import Reading, Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["matches", "read"]

#: Grades in letters and words, as inspect_ai.scorer.value_to_float turns them to numbers.
GRADES = {
    "C": 1.0,
    "I": 0.0,
    "P": 0.5,
    "N": 0.0,
    "yes": 1.0,
    "true": 1.0,
    "no": 0.0,
    "false": 0.0,
}


def matches(source: Source) -> bool:
    """A table with eval_id, id, epoch and a column score_<scorer>."""
    return source.has("eval_id", "id", "epoch") and bool(_scorers(source.columns))


def read(source: Source, *, evals: object = None, metric: str | None = None) -> Reading:
    """Scores by model, task, sample and epoch.

    Parameters
    ----------
    source : Source
    evals : DataFrame or path, optional
        What ``evals_df`` made of the same logs; needed where the samples do not name their model
        and task themselves.
    metric : str, optional
        The scorer, where there are several: "match" or "score_match".

    Raises
    ------
    InputError
        Samples without a model, evaluations that do not hold theirs, several scorers of which
        none is named, grades that are not numbers.
    """
    frame = source.frame
    assert frame is not None  # as `matches` says
    scorer = _scorer(_scorers(source.columns), metric)
    labels = frame if {"model", "task_name"} <= set(frame.columns) else _joined(frame, evals)
    name = scorer.removeprefix("score_")
    table = labels[["model", "task_name"]].set_axis(["model", "benchmark"], axis=1)
    table = table.assign(
        item=frame["id"].astype(str), epoch=frame["epoch"], **{name: _numbers(frame[scorer])}
    )
    return Reading(
        table, f"samples of Inspect, scorer {name}", columns={"score": name}, higher=[name]
    )


def _scorers(columns: list[str]) -> list[str]:
    return [c for c in columns if c.startswith("score_") and not c.startswith("score_headline_")]


def _scorer(known: list[str], wanted: str | None) -> str:
    if wanted is not None:
        name = wanted if wanted.startswith("score_") else f"score_{wanted}"
        if name not in known:
            raise unknown_name("scorer", wanted, [c.removeprefix("score_") for c in known])
        return name
    if len(known) > 1:
        names = ", ".join(repr(c.removeprefix("score_")) for c in known)
        raise InputError(f"the samples have the scorers {names}; name one with metric=...")
    return known[0]


def _joined(samples: pd.DataFrame, evals: object) -> pd.DataFrame:
    """Model and task of each sample, from the table of evaluations."""
    if evals is None:
        raise InputError(
            "the samples do not name their model and task; give evals=, what evals_df makes of "
            "the same logs, or make them with samples_df(logs, columns=SampleSummary + EvalModel "
            "+ EvalTask)"
        )
    table = Source.of(evals)
    if table.frame is None or not table.has("eval_id", "model", "task_name"):
        raise InputError(
            "evals is not a table of evaluations; accepted: a table or a file with the columns "
            "eval_id, model and task_name, as evals_df makes it"
        )
    known = table.frame.drop_duplicates("eval_id").set_index("eval_id")[["model", "task_name"]]
    absent = samples.loc[~samples["eval_id"].isin(known.index), "eval_id"]
    if len(absent):
        raise InputError(
            f"evals has no row for eval_id {absent.iloc[0]!r}, of which there are samples "
            f"({len(absent)} rows)"
        )
    return known.loc[samples["eval_id"]].reset_index(drop=True).set_axis(samples.index)


def _numbers(cells: pd.Series) -> np.ndarray:
    """Grades as numbers, empty ones as NaN."""
    import pandas as pd

    if cells.dtype.kind in "fiub":
        return cells.to_numpy(dtype=float, na_value=np.nan)
    text = cells.astype(str).str.strip()
    graded = text.map(GRADES).fillna(text.str.lower().map(GRADES))
    values = graded.fillna(pd.to_numeric(text, errors="coerce")).where(cells.notna())
    wrong = cells[values.isna() & cells.notna()]
    if len(wrong):
        raise InputError(
            f"column {cells.name!r} holds {wrong.iloc[0]!r}; accepted: numbers, and the grades "
            f"{', '.join(GRADES)}"
        )
    return values.to_numpy(dtype=float, na_value=np.nan)
