"""`bayescmp estimate`: how good is each algorithm alone, from a table or from counts."""

from __future__ import annotations

from bayescmp.commands.counts import GivenCounts, read_scores_or_counts
from bayescmp.commands.parser import (
    Parser,
    add_algorithms,
    add_group,
    add_reading,
    add_shared,
)
from bayescmp.commands.shared import GAP, Arguments

USAGE = "TABLE [ALGORITHM ...] [options], or COUNTS ..."
EXAMPLE = "scores.csv svm --metric accuracy"


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
    from bayescmp.study.estimate import estimate

    table = read_scores_or_counts(args)
    counts = isinstance(table, GivenCounts)
    result = estimate(
        _as_counts(table) if isinstance(table, GivenCounts) else table,
        None if are_typed(args.table) else args.algorithms or None,
        metric=None if counts or args.of_items else args.metric,
        dataset=args.dataset or None,
        **args.take_options("level", "rho", "seed"),
    )
    args.draw("plot", means_size, plot_means, result)
    args.write_table("out", result.frame)
    args.show(result, result.to_dict, GAP)


def _as_counts(given: GivenCounts) -> object:
    """Return counts as typed, by name; or their table, with its columns named by their parts."""
    from bayescmp.scores.counts import read_counts

    if isinstance(given.counts, list):
        return read_counts(given.counts)
    parts = {name: part for part, name in (given.columns or {}).items()}
    return given.counts.rename(columns=parts)
