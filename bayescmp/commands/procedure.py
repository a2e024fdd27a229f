"""`bayescmp procedure`: the tests that a table of scores calls for, up to the ranking."""

from __future__ import annotations

import shlex

from bayescmp.base.arguments import must_be
from bayescmp.commands.parser import (
    REPEATED,
    Parser,
    add_group,
    add_reading,
    add_shared,
    add_table,
)
from bayescmp.commands.shared import Arguments
from bayescmp.errors import InputError

USAGE = "TABLE [ALGORITHM ...] [options]"
EXAMPLE = "scores.csv --metric accuracy"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_table(parser, answers=False)
    group = parser.add_argument_group("what is compared")
    metric = "a column, or a rate that follows from columns tp, fn, fp and tn (default: the only "
    add_shared(group, "--metric", several=True, help=f"{metric}one, or these four)")
    add_shared(group, "--dataset", several=True)
    cost = "what a unit of a metric costs, e.g. fn=5 (default: fp and fn 1 each; repeatable)"
    group.add_argument("--cost", metavar="METRIC=NUMBER", help=cost, **REPEATED)
    test = add_group(parser, "how it is tested", "--alpha", "--rho")
    add_shared(test, "--adjust", default="bonferroni")
    pairwise = "tukey (default) or t; for several metrics hotelling (default) or two-sample"
    test.add_argument("--pairwise", metavar="TEST", help=pairwise)
    plain = "use tests that ignore the overlap of folds"
    test.add_argument("--plain", action="store_true", help=plain)
    output = add_group(parser, "output", "--full", "--json")
    output.add_argument("--wins", metavar="FILE", help="write the wins diagram (png, svg, pdf)")
    add_reading(parser, answers=False)


def run(args: Arguments) -> None:
    """Run the frequentist tests that the scores call for.

    The kind of comparison is found from the scores: one or several metrics, two or several
    algorithms, one or several data sets. The tests are run on each data set, the wins of each
    algorithm by lower risk are counted, and the wins are tested over data sets.
    """
    from bayescmp.plots import matrices
    from bayescmp.study.procedure import procedure

    scores = args.read_only_scores()
    args.names_of(scores)
    if not scores.has_folds:
        crosscheck = f"bayescmp crosscheck {shlex.quote(args.table)} --rope 0.01"
        raise InputError(
            "TABLE must have scores of folds, over which each data set is tested (got one score "
            f"per data set). Use `{crosscheck}`.",
            "table",
        )
    result = procedure(
        scores,
        metrics=args.metric,
        datasets=args.dataset,
        algorithms=args.algorithms or None,
        corrected=not args.plain,
        costs=_costs(args.cost),
        **args.take_options("alpha", "rho", "pairwise", "adjust"),
    )
    args.draw("wins", matrices.wins_size, matrices.plot_wins, result)
    args.show(result, result.to_dict)


def _costs(given: list[str]) -> dict[str, float] | None:
    costs = {}
    for text in given:
        name, equals, number = text.partition("=")
        try:
            costs[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise must_be("cost", "METRIC=NUMBER, e.g. fn=5", text)
    return costs or None
