"""`bayescmp auc`: areas under ROC curves of test items, and DeLong's test of each pair."""

from __future__ import annotations

import argparse
import json
from itertools import combinations
from typing import TYPE_CHECKING

from bayescmp.text import as_shown, counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.commands._options import Subparsers
    from bayescmp.frequentist import TestResult
    from bayescmp.predictions import Predictions

__all__ = ["register", "run"]


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "auc",
        help="areas under ROC curves of the same test items, from labels and predicted scores",
        description="Areas under ROC curves with intervals, and DeLong's test of every pair of "
        "algorithms. The answer holds for new items, not for new training sets; to compare areas "
        "over folds, use `compare`.",
    )
    parser.add_argument(
        "predictions",
        help="CSV or Parquet table: a row per test item with its label and a column of predicted "
        "scores per algorithm; or a row per item and algorithm, with columns algorithm and value. "
        "Columns dataset, repeat, fold and item are understood",
    )
    parser.add_argument("--truth", default="truth", help="the column of labels (default truth)")
    parser.add_argument("--positive", help="the positive class (default: 1 or True)")
    parser.add_argument("--dataset", help="which data set, where the table has several")
    parser.add_argument(
        "--algorithm", action="append", help="compare these only; may be given several times"
    )
    parser.add_argument(
        "--adjust", default="holm", help="adjustment of the p-values (default holm)"
    )
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, test, print."""
    from bayescmp.frequentist.pairs.adjust import canonical
    from bayescmp.predictions import Predictions
    from bayescmp.table_files import read_table

    canonical(args.adjust)
    table = read_table(args.predictions)
    predictions = Predictions.of_table(table, truth=args.truth, positive=args.positive)
    dataset = _dataset(predictions, args.dataset)
    names = args.algorithm or list(predictions.algorithms)
    alone = {name: _area(predictions, dataset, name) for name in names}
    areas = _areas(alone)
    pairs = _pairs(predictions, dataset, names, args.adjust)
    if args.json:
        parts = {"areas": areas, "pairs": pairs}
        records = {k: json.loads(_records(f)) for k, f in parts.items()}
        print(json.dumps({"dataset": dataset, "adjust": args.adjust, **records}, indent=2))
        return 0
    print(f"areas under ROC curves of {counted(next(iter(alone.values())).n, 'test item')}")
    print(as_shown(areas, index=False))
    flat = areas.loc[areas["low"] == areas["high"], "algorithm"]
    for name in flat:
        print(f"note: the interval of {name} has no width, as its estimated variance is 0")
    if len(pairs):
        print(f"DeLong's test of each pair, adjusted by {args.adjust}")
        print(as_shown(pairs, index=False))
    return 0


def _dataset(predictions: Predictions, given: str | None) -> str:
    from bayescmp.errors import InputError

    if given is None and len(predictions.datasets) > 1:
        raise InputError(f"--dataset is missing: the table has {len(predictions.datasets)}")
    return given or predictions.datasets[0]


def _area(predictions: Predictions, dataset: str, name: str) -> TestResult:
    """One algorithm's area, by the items that it was tested on."""
    from bayescmp.frequentist import delong

    x = predictions.pair(name, name, dataset)
    return delong(x.truth, x.first, items=x.items)


def _areas(results: dict[str, TestResult]) -> pd.DataFrame:
    import pandas as pd

    rows = [{"algorithm": name, "auc": r.estimate, **_interval(r)} for name, r in results.items()]
    return pd.DataFrame(rows)


def _pairs(
    predictions: Predictions, dataset: str, names: list[str], adjust_by: str
) -> pd.DataFrame:
    """DeLong's test of each pair of algorithms."""
    import pandas as pd

    from bayescmp.catalogue.calls import delong
    from bayescmp.frequentist.pairs.adjust import adjust

    rows = []
    for first, second in combinations(names, 2):
        result = delong(predictions.pair(first, second, dataset))
        rows.append(
            {
                "first": first,
                "second": second,
                "difference": result.estimate,
                **_interval(result),
                "z": result.statistic,
                "pvalue": result.pvalue,
            }
        )
    frame = pd.DataFrame(rows)
    if frame.empty:
        return frame
    return frame.assign(adjusted=adjust(frame["pvalue"], adjust_by, n_algorithms=len(names)))


def _records(frame: pd.DataFrame) -> str:
    """As JSON; a statistic that is infinite is null."""
    return str(frame.to_json(orient="records", double_precision=15))


def _interval(result: TestResult) -> dict[str, float]:
    """At 95 %."""
    low, high = result.confidence_interval()
    return {"low": low, "high": high}
