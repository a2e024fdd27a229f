"""MOABB: results of an evaluation, one row per subject and session."""

from __future__ import annotations

from collections.abc import Iterable

from bayescmp import cv_results as _cv_results
from bayescmp.checks import as_names
from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source

__all__ = ["matches", "read"]


def matches(source: Source) -> bool:
    """A table with score, subject, dataset and pipeline."""
    return source.has("score", "subject", "dataset", "pipeline")


def read(
    source: Source,
    *,
    metric: str = "score",
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> Reading:
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
            f"{int(again.sum())} rows appear twice, e.g. {where}, as in a learning curve: "
            "keep one of each, such as one data_size"
        )
    sessions = frame.groupby(labels)["session"].nunique() if "session" in frame else None
    mean = frame.groupby(labels, sort=False)[["score"]].mean().reset_index()
    table = mean.set_axis(["dataset", "algorithm", "fold", metric], axis=1)
    description = "an evaluation of MOABB, subjects are the units"
    if sessions is not None and sessions.max() > 1:
        description += ", their sessions averaged"
    declared = [*as_names(lower_is_better), *as_names(higher_is_better)]
    higher = _cv_results.higher_is_better(table, declared)
    return Reading(table, description, resampling="independent", higher=higher)
