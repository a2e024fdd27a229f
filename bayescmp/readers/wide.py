"""Wide tables, one column per algorithm, as bbtcomp and scmamp have them: read as any table is."""

from __future__ import annotations

from bayescmp import columns as _columns
from bayescmp.readers.base import Reading, Source

__all__ = ["matches", "read"]


def matches(source: Source) -> bool:
    """A column of names, some of which come again, and columns of numbers only."""
    frame = source.frame
    if frame is None or len(frame.columns) < 3:
        return False
    labels = [c for c in source.columns if _columns.is_label(c)]
    name = labels[0] if len(labels) == 1 else source.columns[0]
    others = [c for c in source.columns if c != name]
    return (
        frame.columns.nlevels == 1
        and len(labels) <= 1
        and frame[name].dtype.kind not in "fiub"
        and bool(frame[name].duplicated().any())
        and all(frame[c].dtype.kind in "fi" for c in others)
    )


def read(source: Source) -> Reading:
    """The table as it is: `bayescmp.Scores` takes a data set's rows as its folds, in order."""
    assert source.frame is not None  # as `matches` says
    return Reading(source.frame, "a wide table, one column per algorithm and one row per fold")
