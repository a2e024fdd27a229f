"""`bayescmp estimate`: how good is each algorithm alone, from a table or from counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.commands.parser import (
    Parser,
    add_algorithms,
    add_group,
    add_reading,
    add_shared,
)
from bayescmp.commands.shared import GAP, Arguments

if TYPE_CHECKING:
    from bayescmp.results.estimates import Estimates

USAGE = "TABLE [ALGORITHM ...] [options], or COUNTS ..."
EXAMPLE = "scores.csv svm --metric accuracy"
#: Options of a table, which counts do not take.
OF_TABLES = ("metric", "dataset", "rho", "column", "resampling", "of_items", "also")


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    table = (
        "CSV or Parquet file of scores or of answers to questions, or a log (see the last "
        "options); or counts of successes, such as 17/20, or old=14/20 new=17/20"
    )
    parser.add_argument("table", metavar="TABLE", help=table)
    add_algorithms(parser, "estimate only these (default: all); or further counts")
    group = parser.add_argument_group("what is estimated")
    add_shared(group, "--metric", help="column of scores (if the table has several)")
    add_shared(group, "--dataset", several=True, help="only this data set or benchmark")
    how = parser.add_argument_group("how it is estimated")
    rho = "correlation of two folds' scores (default: 1/folds, from the fold labels)"
    add_shared(how, "--rho", help=rho)
    add_shared(how, "--seed")
    level = "probability within the intervals (default 0.95)"
    how.add_argument("--level", type=float, default=0.95, help=level)
    output = add_group(parser, "output", "--full", "--json")
    add_shared(output, "--plot", help="write the figure of the means (png, svg, pdf)")
    output.add_argument("--out", metavar="FILE", help="write the means as CSV")
    add_reading(parser)


def run(args: Arguments) -> None:
    """How good is each algorithm or model? The mean of each alone, with its interval.

    The interval fits the data: counts of successes, folds with their correlation, several data
    sets, or questions with epochs and clusters. Whether two algorithms differ is not answered by
    their intervals, but by `bayescmp compare`.
    """
    from bayescmp.plots.means import means_size, plot_means
    from bayescmp.scores.counts import are_typed

    result = _of_counts(args) if are_typed(args.table) else _of_table(args)
    args.draw("plot", means_size, plot_means, result)
    args.write_table("out", result.frame)
    args.show(result, result.to_dict, GAP)


def _of_counts(args: Arguments) -> Estimates:
    """Estimate proportions from the counts that are typed."""
    from bayescmp.scores.counts import read_counts
    from bayescmp.study.estimate import estimate

    counts = read_counts([args.table, *args.algorithms])
    args.refuse(OF_TABLES, "a table", f"counts, {args.table}")
    return estimate(counts, level=args.level, seed=args.seed)


def _of_table(args: Arguments) -> Estimates:
    """Estimate the means of a table."""
    from bayescmp.study.estimate import estimate

    table = args.read_table()
    return estimate(
        table,
        args.algorithms or None,
        metric=None if args.of_items else args.metric,
        dataset=args.dataset or None,
        **args.take_options("level", "rho", "seed"),
    )
