"""aeon and timeseriesclassification.com: ``<estimator>_TESTFOLDS.csv``, header ``folds:``."""

from __future__ import annotations

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source

__all__ = ["matches", "read"]

_HEADS = ("folds:", "Resamples:", "Estimators:")
_SUFFIXES = ("_TESTFOLDS", "_accuracy", "_acc")


def matches(source: Source) -> bool:
    """A table whose first column is named ``folds:`` or ``Resamples:``."""
    frame = source.frame
    return frame is not None and len(frame.columns) > 1 and str(frame.columns[0]) in _HEADS


def read(source: Source, *, metric: str = "accuracy") -> Reading:
    """One estimator's scores on all data sets, a column a resample; its name is the file's."""
    frame = source.frame
    assert frame is not None  # as `matches` says
    head = str(frame.columns[0])
    if head == "Estimators:":
        raise InputError(
            "the table holds one column per estimator, of means over resamples: read it with "
            "columns={'dataset': 'Estimators:'}, or give the files of each estimator"
        )
    if not source.name:
        raise InputError(
            "the table is one estimator's, and the table does not name it: give the files, as in "
            "Scores.read({'HC2': 'HC2_TESTFOLDS.csv', 'ROCKET': 'ROCKET_TESTFOLDS.csv'})"
        )
    name = source.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    table = frame.rename(columns={head: "dataset"}).melt(
        id_vars="dataset", var_name="repeat", value_name=metric
    )
    table = table.assign(algorithm=name, repeat=table["repeat"].astype(int) + 1)
    table = table.dropna(subset=[metric])
    needs = (
        "resamples of aeon are random splits of each data set's own sizes, which the file does "
        "not hold (resampling={'GunPoint': 'random splits 0.75', ...}, the share tested)"
    )
    return Reading(table, f"resamples of aeon, {metric}", needs=needs)
