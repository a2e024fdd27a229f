"""tidymodels: ``collect_metrics(summarize = FALSE)`` of resamples, tuning and workflow sets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source, from_long

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["matches", "read"]

#: Labels that rsample gives resamples, and what they are.
_KINDS = {
    "Fold": "folds",
    "Repeat": "folds",
    "Resample": "resamples",
    "Bootstrap": "bootstrap",
    "Slice": "windows",
    "train/test split": "one split",
    "validation": "one split",
}


def matches(source: Source) -> bool:
    """A table with the columns ``.metric`` and ``.estimator``."""
    return source.has(".metric", ".estimator")


def read(source: Source, *, dataset: str = "data") -> Reading:
    """Scores of workflows, or of tuned configurations, on each resample.

    ``.estimator`` (binary, macro, ...) says how a metric is averaged, and is not an algorithm.
    """
    frame = source.frame
    assert frame is not None  # as `matches` says
    if ".estimate" not in frame or "id" not in frame:
        raise InputError(
            "the table of tidymodels holds means: write it with collect_metrics(summarize = FALSE)"
        )
    table = frame.assign(algorithm=_algorithms(frame))
    if "dataset" not in table:
        table = table.assign(dataset=dataset)
    table = table.assign(fold=table["id2" if "id2" in table else "id"].map(_number))
    if "id2" in table:
        table = table.assign(repeat=table["id"].map(_number))
    labels = ["dataset", "algorithm", *(c for c in ("repeat", "fold") if c in table)]
    long = from_long(table, labels, ".metric", ".estimate", "collect_metrics()")
    kind = _kind(frame)
    needs = "" if kind == "folds" else f"{frame['id'].iloc[0]!r} resamples do not determine rho"
    return Reading(long, "collect_metrics(summarize = FALSE) of tidymodels", needs=needs)


def _algorithms(frame: pd.DataFrame) -> pd.Series:
    """Names of workflows, with the configuration where one was tuned."""
    names = [c for c in ("wflow_id", "algorithm", "model") if c in frame][:1]
    config = frame[".config"].astype(str) if ".config" in frame else None
    if not names:
        if config is None or config.nunique() < 2:
            raise InputError(
                "the table of tidymodels holds one model: bind several with a column wflow_id"
            )
        return config
    name = frame[names[0]].astype(str)
    if config is None or config.groupby(name).nunique().max() == 1:
        return name
    tuned = config.groupby(name).transform("nunique") > 1
    return name.where(~tuned, name + " " + config)


def _kind(frame: pd.DataFrame) -> str:
    kinds = {
        next((k for start, k in _KINDS.items() if str(i).startswith(start)), "resamples")
        for i in frame["id"].unique()
    }
    return kinds.pop() if len(kinds) == 1 else "several"


def _number(label: object) -> object:
    match = re.search(r"(\d+)$", str(label))
    return int(match[1]) if match else label
