"""Wide tables of bbtcomp and scmamp: a column an algorithm, the rows of a data set its folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp import columns as _columns
from bayescmp.readers.base import Reading, Source

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["matches", "read"]


def matches(source: Source) -> bool:
    """A first column of names, some of which come again, and columns of numbers only."""
    frame = source.frame
    if frame is None or len(frame.columns) < 3:
        return False
    label = _label(frame)
    others = [c for c in frame.columns if c != label]
    if label is None or not frame[label].duplicated().any():
        return False
    return all(frame[c].dtype.kind in "fi" and not _columns.is_label(c) for c in others)


def read(source: Source, *, metric: str = "score") -> Reading:
    """Scores of algorithms; the rows of a data set are its folds, in their order."""
    frame = source.frame
    assert frame is not None  # as `matches` says
    label = _label(frame)
    table = frame.rename(columns={label: "dataset"})
    table = table.assign(fold=table.groupby("dataset").cumcount() + 1)
    long = table.melt(id_vars=["dataset", "fold"], var_name="algorithm", value_name=metric)
    return Reading(
        long,
        "a wide table, a column an algorithm and a row a fold",
        needs="rows of a wide table do not tell how the data were split",
    )


def _label(frame: pd.DataFrame) -> str | None:
    """The column of data sets: "db" in bbtcomp, or the first one where it holds text."""
    known = [c for c in frame.columns if str(c) in ("db", "dataset", "Dataset", "data_set")]
    if known:
        return str(known[0])
    first = frame.columns[0]
    return str(first) if frame[first].dtype.kind not in "fiub" else None
