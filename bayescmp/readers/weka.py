"""Weka's Experimenter: its results as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.readers.base import Reading, Source, short_names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["matches", "read"]

_SIZES = {"Number_of_training_instances": "n_train", "Number_of_testing_instances": "n_test"}


def matches(source: Source) -> bool:
    """A table with Key_Dataset, Key_Run and Key_Scheme."""
    return source.has("Key_Dataset", "Key_Run", "Key_Scheme")


def read(source: Source) -> Reading:
    """Scores of schemes, with their options where a scheme was run with several."""
    import pandas as pd

    frame = source.frame
    assert frame is not None  # as `matches` says
    labels = {"Key_Dataset": "dataset", "Key_Run": "repeat", "Key_Fold": "fold", **_SIZES}
    table = frame[[c for c in labels if c in frame]].rename(columns=labels)
    table = table.assign(
        dataset=table["dataset"].astype(str).str.strip("'"), algorithm=_schemes(frame)
    )
    others = [c for c in source.columns if not c.startswith(("Key_", "Date")) and c not in labels]
    for column in others:  # "?" is Weka's missing value
        values = pd.to_numeric(frame[column].replace("?", float("nan")), errors="coerce")
        if values.notna().any():
            table = table.assign(**{column: values})
    how = "folds" if "Key_Fold" in frame else "random splits"
    return Reading(table, f"results of Weka's Experimenter, runs of {how}")


def _schemes(frame: pd.DataFrame) -> pd.Series:
    scheme = frame["Key_Scheme"].astype(str).str.strip("'")
    short = scheme.map(short_names(scheme))
    if "Key_Scheme_options" not in frame:
        return short
    options = frame["Key_Scheme_options"].astype(str).str.strip("'")
    several = options.groupby(scheme).transform("nunique") > 1
    return short.where(~several, short + " " + options)
