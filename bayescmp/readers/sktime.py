"""sktime's benchmarks: ``{metric}_fold_{i}_test``, or ``folds.{i}.scores.{metric}``."""

from __future__ import annotations

import re

from bayescmp.readers.base import Reading, Source

__all__ = ["matches", "read"]

#: As ``run`` returns it, and as it writes it.
_SCORE = re.compile(r"(?P<metric>.+)_fold_(?P<fold>\d+)_test$")
_STORED = re.compile(r"folds\.(?P<fold>\d+)\.scores\.(?P<metric>.+)$")
_TASK = re.compile(r"\[dataset=(.+?)\]_\[cv_splitter=(.+?)\]")


def matches(source: Source) -> bool:
    """A table with model_id, validation_id and a column ``..._fold_0_test``."""
    return source.has("model_id", "validation_id") and any(
        _SCORE.match(c) or _STORED.match(c) for c in source.columns
    )


def read(source: Source) -> Reading:
    """Scores of models on tasks, one column per fold."""
    import pandas as pd

    frame = source.frame
    assert frame is not None  # as `matches` says
    tasks = [_TASK.match(str(v)) for v in frame["validation_id"]]
    datasets = [t[1] if t else str(v) for t, v in zip(tasks, frame["validation_id"], strict=True)]
    rows: dict[tuple[int, str], dict[str, object]] = {}
    for column in map(str, frame.columns):
        parts = _SCORE.match(column) or _STORED.match(column)
        for i, value in enumerate(frame[column] if parts else ()):
            if parts and pd.notna(value):  # tasks differ in their number of folds
                labels: dict[str, object] = {
                    "dataset": datasets[i],
                    "algorithm": str(frame["model_id"].iloc[i]),
                    "fold": int(parts["fold"]) + 1,
                }
                rows.setdefault((i, parts["fold"]), labels)[parts["metric"]] = float(value)
    splitters = sorted({t[2] for t in tasks if t})
    by = f", split by {', '.join(splitters)}" if splitters else ""
    needs = (
        f"a benchmark of sktime does not determine the rho of its splits ({', '.join(splitters)})"
    )
    if splitters and set(splitters) <= {"KFold", "StratifiedKFold", "GroupKFold"}:
        needs = ""
    return Reading(pd.DataFrame(list(rows.values())), f"a benchmark of sktime{by}", needs=needs)
