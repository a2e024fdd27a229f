"""mlr3: the table ``bmr$score()`` of a benchmark."""

from __future__ import annotations

from bayescmp import metrics as _metrics
from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source

__all__ = ["matches", "read"]

_LABELS = {
    "nr",
    "uhash",
    "task",
    "task_id",
    "learner",
    "learner_id",
    "resampling",
    "resampling_id",
    "iteration",
    "prediction",
    "prediction_test",
    "prediction_train",
    "prediction_internal_valid",
    "warnings",
    "errors",
}


def matches(source: Source) -> bool:
    """A table with task_id, learner_id and resampling_id."""
    return source.has("task_id", "learner_id", "resampling_id")


def read(source: Source) -> Reading:
    """Scores on each iteration; iterations run through the repeats of repeated_cv."""
    frame = source.frame
    assert frame is not None  # as `matches` says
    if "iteration" not in frame:
        raise InputError("the table of mlr3 holds means (bmr$aggregate()): write bmr$score()")
    measures = [c for c in source.columns if c not in _LABELS and frame[c].dtype.kind in "fiub"]
    table = frame[["task_id", "learner_id", "iteration", *measures]].rename(
        columns={"task_id": "dataset", "learner_id": "algorithm", "iteration": "fold"}
    )
    kinds = set(frame["resampling_id"].astype(str))
    description = "bmr$score() of mlr3, resampled by " + ", ".join(sorted(kinds))
    times = [m for m in measures if _metrics.is_time(m)]
    if len(times) == len(measures):
        raise InputError("the table of mlr3 has no measure: give some to bmr$score(msrs(...))")
    if kinds == {"loo"}:
        return Reading(table, description, resampling="leave-one-out")
    if kinds == {"cv"}:
        folds = frame.groupby("task_id")["iteration"].max()
        return Reading(table, description, resampling={str(t): int(k) for t, k in folds.items()})
    needs = (
        f"mlr3's resampling {', '.join(sorted(kinds))!r} does not determine rho: iterations run "
        "through all repeats"
    )
    return Reading(table, description, needs=needs)
