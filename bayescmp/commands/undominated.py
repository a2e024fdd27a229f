"""`bayescmp undominated`: which algorithms are worth their price."""

from __future__ import annotations

from typing import Any

from bayescmp.commands.parser import Parser, add_group, add_reading, add_shared, add_table
from bayescmp.commands.shared import GAP, Arguments, read_ropes
from bayescmp.errors import QuestionsError

USAGE = "TABLE [ALGORITHM ...] --metric A --metric B ..."
EXAMPLE = "scores.csv --metric auc --metric latency --rope 0.01"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_table(parser)
    group = parser.add_argument_group("what is compared")
    metric = "a score or a cost"
    add_shared(group, "--metric", several=True, required=True, help=metric)
    add_shared(group, "--rope", several=True)
    add_group(parser, "how it is tested", "--threshold", "--rho", "--seed")
    output = add_group(parser, "output", "--full", "--json")
    add_shared(output, "--plot", help="write the plot of the front (png, svg, pdf)")
    output.add_argument("--out", metavar="FILE", help="write the table as CSV")
    add_reading(parser)


def run(args: Arguments) -> None:
    """What do I get for the price: which algorithms does no other dominate?

    For each algorithm, the probability that no other is practically better in one metric and
    practically worse in none, from joint draws of all metrics: scores, and costs such as
    latency, for which lower is better.
    """
    from bayescmp.plots.metrics import ellipses_size
    from bayescmp.scores.rope import as_ropes
    from bayescmp.study.undominated import undominated

    scores = _read(args)
    result = undominated(
        scores,
        None if args.of_items else args.metric,  # items call right and wrong answers accuracy
        as_ropes(read_ropes(args.rope, args.metric), args.metric),
        algorithms=args.algorithms or None,
        **args.take_options("rho", "threshold", "seed"),
    )
    args.draw("plot", ellipses_size(result.algorithms), result.plot)
    means = result.means.set_axis(result.means.columns.map(" ".join), axis="columns")
    args.write_table("out", result.frame.join(means), index=True)
    args.show(result, result.to_dict, GAP)


def _read(args: Arguments) -> Any:
    """Return the scores, or the answers by each metric."""
    if not args.declares_answers():
        try:
            return args.read_scores()
        except QuestionsError as error:
            if error.unclear:
                return args.read_table()  # which reports how to declare the rows
    return [args.read_items(metric) for metric in args.metric]
