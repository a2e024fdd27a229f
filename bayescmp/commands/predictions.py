"""`bayescmp predictions`: classifiers by their predictions on the same test items."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from bayescmp.base.arguments import must
from bayescmp.base.checks import check_choice
from bayescmp.commands.compare import show_pair
from bayescmp.commands.parser import Parser, add_algorithms, add_group, add_shared
from bayescmp.commands.shared import Arguments, as_records, read_file
from bayescmp.frequentist.results import LEVEL
from bayescmp.present.forms import as_text
from bayescmp.present.summary import PAIR, Summary
from bayescmp.wording.text import adjusted_by, format_count

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.frequentist import TestResult
    from bayescmp.scores.predictions import Predictions

#: The metric whose areas DeLong's test compares.
AREA = "auc"
#: The two answers, as messages name them, with their own options.
VERDICT, AREAS = "a verdict (--rope, or a metric other than auc)", "DeLong's test"
TAKES = {VERDICT: "threshold draws seed plot save", AREAS: "adjust"}

USAGE = "TABLE [ALGORITHM ...] [--rope ROPE] [options]"
EXAMPLE = "predictions.csv knn svm --metric f1 --rope 0.01"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    table = (
        "CSV or Parquet file: one row per test item with its label and one column of predictions "
        "per algorithm, or one row per item and algorithm, with columns algorithm and value. "
        "Columns dataset, repeat, fold and item are understood"
    )
    parser.add_argument("table", metavar="TABLE", help=table)
    add_algorithms(parser, "compare only these (default: all); two for a verdict")
    group = parser.add_argument_group("what is compared")
    metrics = (
        "auc (default): areas and DeLong's test, or with --rope a verdict; a verdict also by "
        "accuracy, average_precision, balanced_accuracy, brier_score_loss, f1, f1_macro, "
        "log_loss, matthews_corrcoef, ndcg_score or roc_auc"
    )
    add_shared(group, "--metric", default=AREA, help=metrics)
    add_shared(group, "--rope")
    add_shared(group, "--dataset")
    add = group.add_argument
    add("--truth", default="truth", help="the column of labels (default truth)")
    add("--positive", help="the positive class (default: 1 or True)")
    verdict = add_group(parser, "of a verdict", "--threshold", "--seed", "--plot", "--save")
    verdict.add_argument("--draws", type=int, default=4000, help="weights drawn (default 4000)")
    add_group(parser, "of DeLong's test", "--adjust")
    add_group(parser, "output", "--full", "--json")
    add_group(parser, "how the table is read", "--sep", "--decimal")


def run(args: Arguments) -> None:
    """Compare classifiers by their predictions on the same test items.

    By AUC: areas under ROC curves with intervals, and DeLong's test of every pair. By another
    metric of a test set, such as F1 or the log loss, or with --rope: is the second of two models
    better, or practically better? The answers are valid for new items, not for new training sets;
    metrics of folds are compared by `bayescmp compare`.
    """
    if args.rope is not None or args.metric != AREA:
        args.keep_to(TAKES, VERDICT)
        _compare_by_metric(args)
        return
    args.keep_to(TAKES, AREAS)
    _compare_areas(args)


def _read_predictions(args: Arguments) -> Predictions:
    from bayescmp.scores.predictions import Predictions

    table = read_file(args, ["dataset", "algorithm", "item"])
    return Predictions.of_table(table, truth=args.truth, positive=args.positive)


def _dataset(predictions: Predictions, given: str | None) -> str:
    if given is None and len(predictions.datasets) > 1:
        raise must("dataset", "be given", f"a table of {len(predictions.datasets)} data sets")
    return predictions.datasets[0] if given is None else given


# A verdict: two models by any metric, under random weights of the items.


def _compare_by_metric(args: Arguments) -> None:
    """Compare two models in a metric of the whole test set."""
    import numpy as np

    from bayescmp.bayesian import metric_by_weights
    from bayescmp.bayesian.paired.weights import NAMED

    metric = "roc_auc" if args.metric == AREA else check_choice("metric", args.metric, NAMED)
    predictions = _read_predictions(args)
    x = predictions.pair(*args.pair_of(predictions), _dataset(predictions, args.dataset))
    truth, first, second = (np.concatenate(part) for part in (x.truth, x.first, x.second))
    posterior = metric_by_weights(
        truth,
        (first, second),
        metric,
        rope=args.read_rope(),
        names=x.names,
        **args.take_options("draws", "seed"),
    )
    args.draw("plot", posterior.figure_size, posterior.plot)
    show_pair(posterior, args)


# Areas under ROC curves, and DeLong's test of each pair.


def _compare_areas(args: Arguments) -> None:
    """Print each area, and the test of each pair."""
    import pandas as pd

    predictions = _read_predictions(args)
    dataset = _dataset(predictions, args.dataset)
    names = args.algorithms or list(predictions.algorithms)
    alone = {name: _area(predictions, dataset, name) for name in names}
    areas = pd.DataFrame(
        {"algorithm": name, "auc": r.estimate, **_interval(r)} for name, r in alone.items()
    )
    pairs = _pairs(predictions, dataset, names, args.adjust)
    items = next(iter(alone.values())).n
    args.show(
        _areas_as_text(areas, pairs, items, args),
        lambda: {
            "dataset": dataset,
            "adjust": args.adjust,
            "areas": as_records(areas, 15),
            "pairs": as_records(pairs, 15),
        },
    )


def _areas_as_text(
    areas: pd.DataFrame, pairs: pd.DataFrame, items: int, args: Arguments
) -> list[str]:
    ordered = areas.sort_values("auc", ascending=False, kind="stable")
    summaries = [
        Summary(
            f"{ordered['algorithm'].iloc[0]} has the largest area under its ROC curve"
            if len(areas) > 1
            else f"Area under the ROC curve of {areas['algorithm'].iloc[0]}",
            ordered,
            sentences=_count_differing(pairs),
            notes=[
                f"{name} has no interval, as its estimated variance is 0"
                for name in areas.loc[areas["low"].isna(), "algorithm"]
            ],
            setting=f"AUC ↑, {format_count(items, 'test item')}",
            legend="low, high: 95% confidence interval",
        )
    ]
    if len(pairs):
        title = f"DeLong's test of each pair, {adjusted_by(args.adjust)}"
        summaries.append(Summary(title, pairs, PAIR))
    return [as_text(summary, whole=args.full) for summary in summaries]


#: Sentences on the pairs: none, one or several differ.
DIFFERING = {
    0: "DeLong's test: none of {pairs} differs at {level:g}.",
    1: "DeLong's test: 1 of {pairs} differs at {level:g}.",
    2: "DeLong's test: {apart} of {pairs} differ at {level:g}.",
}


def _count_differing(pairs: pd.DataFrame) -> list[str]:
    """State how many pairs differ, by their adjusted p-values."""
    if not len(pairs):
        return []
    apart = int((pairs["adjusted"] <= LEVEL).sum())
    count = format_count(len(pairs), "pair")
    return [DIFFERING[min(apart, 2)].format(apart=apart, pairs=count, level=LEVEL)]


def _area(predictions: Predictions, dataset: str, name: str) -> TestResult:
    """Estimate one algorithm's area on the items that it was tested on."""
    from bayescmp.frequentist import delong

    x = predictions.pair(name, name, dataset)
    return delong(x.truth, x.first, items=x.items)


def _pairs(
    predictions: Predictions, dataset: str, names: list[str], adjust_by: str
) -> pd.DataFrame:
    """Run DeLong's test on each pair of algorithms."""
    import pandas as pd

    from bayescmp.frequentist.areas import delong_of_pair
    from bayescmp.frequentist.multiplicity import adjust

    pairs = {
        pair: delong_of_pair(predictions.pair(*pair, dataset)) for pair in combinations(names, 2)
    }
    frame = pd.DataFrame(
        {
            "first": first,
            "second": second,
            "difference": result.estimate,
            **_interval(result),
            "z": result.statistic,
            "pvalue": result.pvalue,
        }
        for (first, second), result in pairs.items()
    )
    if frame.empty:
        return frame
    p = frame["pvalue"]
    adjusted = pd.Series(adjust(p.fillna(1.0), adjust_by, n_algorithms=len(names)))
    return frame.assign(adjusted=adjusted.where(p.notna()))


def _interval(result: TestResult) -> dict[str, float]:
    """Return the 95% interval; NaN if there is none."""
    low, high = result.confidence_interval() if result.interval else (float("nan"),) * 2
    return {"low": low, "high": high}
