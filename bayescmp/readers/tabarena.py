"""TabArena: ``results_per_split.csv``."""

from __future__ import annotations

from typing import Literal

from bayescmp.errors import InputError
from bayescmp.readers.base import Reading, Source, failures

__all__ = ["matches", "read"]

#: Folds of one repeat; a data set has 3 or 10 repeats, or one where it is large.
FOLDS = 3


def matches(source: Source) -> bool:
    """A table with dataset, fold, method and metric_error."""
    return source.has("dataset", "fold", "method", "metric_error")


def read(source: Source, *, imputed: Literal["missing", "keep"] = "missing") -> Reading:
    """Errors of methods on data sets; ``fold`` runs through the repeats of 3 folds.

    A row that is flagged as ``imputed`` holds another method's error: it is missing, unless
    ``imputed="keep"``.
    """
    frame = source.frame
    assert frame is not None  # as `matches` says
    if imputed not in ("missing", "keep"):
        raise InputError(f"imputed={imputed!r}; accepted: 'missing', 'keep'")
    fold = frame["fold"].astype(int)
    counts = fold.groupby(frame["dataset"]).agg(["min", "max"])
    odd = counts[(counts["min"] != 0) | ((counts["max"] + 1) % FOLDS != 0)]
    if len(odd):
        raise InputError(
            f"data set {str(odd.index[0])!r} has folds {odd['min'].iloc[0]} to "
            f"{odd['max'].iloc[0]}; TabArena's are counted from 0, {FOLDS} a repeat"
        )
    table = frame[["dataset", "method"]].set_axis(["dataset", "algorithm"], axis=1)
    table = table.assign(repeat=fold // FOLDS + 1, fold=fold % FOLDS + 1)
    error = frame["metric_error"].astype(float)
    said = "results_per_split.csv of TabArena, metric_error lower is better"
    if "imputed" in frame and frame["imputed"].astype(bool).any():
        flagged = frame["imputed"].astype(bool)
        said += f", {int(flagged.sum())} imputed rows {'kept' if imputed == 'keep' else 'missing'}"
        if imputed == "missing":
            error = error.mask(flagged)
            table = table.assign(failure=failures(flagged, "imputed"))
    times = {c: frame[c] for c in ("time_train_s", "time_infer_s") if c in frame}
    return Reading(table.assign(metric_error=error, **times), said, lower=["metric_error"])
