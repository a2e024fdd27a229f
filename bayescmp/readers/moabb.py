"""MOABB: results of an evaluation, one row per subject and session."""

from __future__ import annotations

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source

__all__ = ["matches", "read"]


def matches(source: Source) -> bool:
    """A table with score, subject, dataset and pipeline."""
    return source.has("score", "subject", "dataset", "pipeline")


def read(source: Source, *, metric: str = "score") -> Reading:
    """Scores of pipelines, sessions averaged, so that subjects are the independent units."""
    frame = source.frame
    assert frame is not None  # as `matches` says
    labels = ["dataset", "pipeline", "subject"]
    each = [*labels, *(c for c in ("session",) if c in frame)]
    again = frame.duplicated(each)
    if again.any():
        row = frame[again].iloc[0]
        where = ", ".join(f"{label} {str(row[label])!r}" for label in each)
        raise InputError(
            f"{int(again.sum())} rows come twice, e.g. {where}, as those of a learning curve do: "
            "keep one of each, such as one data_size"
        )
    sessions = frame.groupby(labels)["session"].nunique() if "session" in frame else None
    mean = frame.groupby(labels, sort=False)[["score"]].mean().reset_index()
    table = mean.set_axis(["dataset", "algorithm", "fold", metric], axis=1)
    description = "an evaluation of MOABB, higher is better, subjects are the units"
    if sessions is not None and sessions.max() > 1:
        description += ", their sessions averaged"
    return Reading(table, description, resampling="independent", higher=[metric])
