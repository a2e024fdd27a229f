"""skore: a comparison of cross-validated reports, or its table of splits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bayescmp import splits
from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source
from bayescmp.resampling import Resampling

__all__ = ["matches", "read"]

_SPLIT = re.compile(r"(.+)_split_(\d+)$")


def matches(source: Source) -> bool:
    """A ComparisonReport, or a table with columns ``<estimator>_split_0``."""
    value = source.value
    if hasattr(value, "reports_") and hasattr(value, "metrics"):
        return True
    return source.frame is not None and any(_SPLIT.match(str(c)) for c in source.frame.columns)


def read(source: Source, *, dataset: str = "data") -> Reading:
    """Scores of estimators on each split, one row per metric.

    A report brings its splits with it; ``metrics.summarize().frame(aggregate=None)`` does not.
    """
    import pandas as pd

    frame, design = source.frame, None
    if frame is None:
        frame = source.value.metrics.summarize().frame(aggregate=None)
        design = _design(source.value.reports_, dataset)
    if frame.index.dtype.kind in "iu":  # the index was written as the first column
        frame = frame.set_index(frame.columns[0])
    rows = []
    for column in map(str, frame.columns):
        match = _SPLIT.match(column)
        if match is None:
            raise InputError(
                f"the table of skore has a column {column!r}: write it with "
                "metrics.summarize().frame(aggregate=None)"
            )
        labels = {"dataset": dataset, "algorithm": match[1], "fold": int(match[2]) + 1}
        rows.append({**labels, **frame[column].rename(str).to_dict()})
    needs = "" if design else "the table of skore does not say how the data were split"
    return Reading(
        pd.DataFrame(rows),
        "a comparison of skore",
        resampling=design,
        needs=needs,
        higher=[m for m in ("default_score", "score") if m in frame.index],
    )


def _design(reports: Mapping[str, object] | Iterable[object], dataset: str) -> Resampling:
    """How the reports' data were split, which has to be alike for all of them."""
    named = reports.items() if isinstance(reports, Mapping) else enumerate(reports)
    indices = []
    for name, report in named:
        if not hasattr(report, "split_indices"):
            raise InputError(
                "the comparison of skore is of single splits: compare CrossValidationReports"
            )
        trains, tests = zip(*report.split_indices, strict=True)
        indices.append((str(name), {"train": trains, "test": tests}))
    splits.same_splits(indices, dataset)
    return splits.of_indices(indices[0][1]["train"], indices[0][1]["test"], dataset)
