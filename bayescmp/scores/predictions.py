"""Predictions of test items: their labels, and the values by which algorithms rank them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_choice
from bayescmp.base.records import Record
from bayescmp.curves.curves import as_folds
from bayescmp.errors import InputError
from bayescmp.scores.tables import check_names

#: Columns that identify an item of a fold on a data set, and optional further labels.
PLACE = ["repeat", "fold", "item"]
LABELS = ("dataset", *PLACE)


@dataclass(frozen=True, eq=False)
class RankedPair(Record):
    """Test items of a data set as two algorithms rank them, one array per fold.

    `truth` marks the positive items; `first` and `second` are higher for the positive class;
    `items` names items, which repeats share.
    """

    names: tuple[str, str]
    truth: list[np.ndarray]
    first: list[np.ndarray]
    second: list[np.ndarray]
    items: list[np.ndarray]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Labels and ranking values of all algorithms' test items.

    `frame` has one row per algorithm and test item of a fold: dataset, algorithm, repeat, fold,
    item, truth, and the value to rank by. `positive` is each data set's positive class.
    """

    frame: pd.DataFrame
    positive: Mapping[str, object]

    @classmethod
    def of_table(
        cls, table: pd.DataFrame, *, truth: str = "truth", positive: object = None
    ) -> Predictions:
        """Read a long table, or one with a row per item and a column of values per algorithm."""
        if truth not in table.columns:
            accepted = f"the column of true classes, one of {', '.join(map(repr, table.columns))}"
            raise must_be("truth", accepted, truth)
        long = table if "algorithm" in table else _melt(table, truth)
        check_choice("column", "value", long.columns)
        long = long.copy()
        for part, only in (("dataset", "data"), ("repeat", 1), ("fold", 1)):
            if part not in long:
                long[part] = only
        if "item" not in long:  # the rows of a wide table are items
            several = "algorithm" in table and long["algorithm"].nunique() > 1
            if several or long["repeat"].nunique() > 1:
                raise must(
                    "predictions",
                    "have a column 'item'",
                    "none",
                    "Rows of several algorithms, or of several repeats, are paired by the item "
                    "that they are of.",
                )
            long["item"] = long.groupby(["dataset", "algorithm"], observed=True).cumcount()
        long["truth"] = _is_positive(long[truth], positive)
        for part in ("algorithm", "dataset"):
            check_names(long, part, part)
            long[part] = long[part].astype(str)
        return cls(long, dict.fromkeys(long["dataset"].unique(), True))

    @property
    def datasets(self) -> tuple[str, ...]:
        """Data sets in order of appearance."""
        return tuple(map(str, self.frame["dataset"].unique()))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Algorithms in order of appearance."""
        return tuple(map(str, self.frame["algorithm"].unique()))

    def responses(self, dataset: str, algorithm: str) -> pd.DataFrame:
        """Return one algorithm's items in the order of (repeat, fold), the truth as a bool."""
        check_choice("data set", dataset, self.datasets)
        check_choice("algorithm", algorithm, self.algorithms)
        part = self.frame
        part = part[(part["dataset"] == dataset) & (part["algorithm"] == algorithm)]
        positive = self.positive.get(dataset)
        if positive is None or part["value"].isna().any() or part.empty:
            raise InputError(
                f"algorithm {algorithm!r} on {dataset!r} must have ranking values (got none). "
                "They need two classes or a positive one, and predict_proba or decision_function.",
                "predictions",
            )
        part = part.assign(truth=part["truth"] == positive)
        return part.sort_values(["repeat", "fold"], kind="stable")

    def pair(self, first: str, second: str, dataset: str) -> RankedPair:
        """Return two algorithms on the items of the folds that both were run on."""
        sides = [self.responses(dataset, name) for name in (first, second)]
        for name, side in zip((first, second), sides, strict=True):
            if side.duplicated(PLACE).any():
                raise InputError(
                    f"algorithm {name!r} on {dataset!r} must have each item once in a fold (got "
                    "one twice).",
                    "predictions",
                )
        both = sides[0].merge(sides[1], on=PLACE, suffixes=("_first", "_second"))
        if both.empty or (both["truth_first"] != both["truth_second"]).any():
            what = "no test item in common" if both.empty else "other labels for the same items"
            raise InputError(
                f"algorithms {first!r} and {second!r} on {dataset!r} must have test items in "
                f"common, with the same labels (got {what}).",
                "predictions",
            )
        folds = [part for _, part in both.groupby(["repeat", "fold"], sort=True)]

        def column(name: str, kind: type | None = None) -> list[np.ndarray]:
            return [part[name].to_numpy(dtype=kind) for part in folds]

        return RankedPair(
            (first, second),
            column("truth_first", bool),
            column("value_first", float),
            column("value_second", float),
            column("item"),
        )


def _melt(table: pd.DataFrame, truth: str) -> pd.DataFrame:
    """Turn a column per algorithm into a row per item and algorithm."""
    labels = [c for c in LABELS if c in table]
    columns = list(table.drop(columns=[*labels, truth]).select_dtypes("number").columns)
    if not columns:
        raise must(
            "predictions",
            f"have a column of an algorithm's values next to {truth!r}",
            hint="Use one of numbers per algorithm, or columns algorithm and value.",
        )
    for name in columns:
        numbers = table[name]
        if len(table) > 2 and numbers.dtype.kind in "iu" and (numbers.diff().dropna() == 1).all():
            raise InputError(
                f"column {name!r} must hold an algorithm's values (got the numbers of the rows). "
                "Name a column item if it identifies the item of a row.",
                "predictions",
            )
    long = table.melt([*labels, truth], columns, var_name="algorithm", value_name=0)
    return long.rename(columns={0: "value"})  # which may be an algorithm's name


def _is_positive(labels: pd.Series, positive: object) -> np.ndarray:
    if positive is not None:
        positive = next((v for v in labels.unique() if str(v) == str(positive)), positive)
    given = labels.to_numpy()
    return as_folds(given, np.zeros(len(given)), positive=positive).positive[0]
