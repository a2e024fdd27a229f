"""`bayescmp crosscheck`: every pair by Bayesian tests and their frequentist counterparts."""

from __future__ import annotations

from typing import Any

from bayescmp.base.arguments import must_be
from bayescmp.commands.counts import GivenCounts, read_scores_or_counts
from bayescmp.commands.parser import (
    BAYESIAN,
    Parser,
    add_group,
    add_reading,
    add_shared,
    add_table,
)
from bayescmp.commands.shared import Arguments, read_rope

USAGE = "TABLE [ALGORITHM ...] [--rope ROPE] [options]"
EXAMPLE = "scores.csv gbm svm --metric accuracy --rope 0.01"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_question(parser)
    output = add_group(parser, "output", "--full", "--json")
    output.add_argument("--out", metavar="FILE", help="write all verdicts and p-values as CSV")
    add_reading(parser)


def add_question(parser: Parser) -> None:
    """Add what a cross-check and a report compare, and how."""
    add_table(parser)
    asked = parser.add_argument_group("what is compared")
    add_shared(asked, "--metric", "--rope", "--dataset", several=True)
    add_shared(asked, "--scale")
    unpaired = "runs have separate seeds and do not pair: tests for independent samples"
    asked.add_argument("--unpaired", action="store_true", help=unpaired)
    add_group(parser, "how it is tested", *BAYESIAN[1:], "--alpha", "--adjust", "--n-jobs")


def gather_question(args: Arguments) -> dict[str, Any]:
    """Return what a cross-check or a report is asked."""
    return {
        "rope": _ropes(args.rope),
        "metric": args.named_metric(),
        "datasets": args.dataset,
        "paired": False if args.unpaired else None,
        "algorithms": args.algorithms or None,
        **({} if args.prior is None else {"prior": args.read_prior()}),
        **({} if args.engine in (None, "auto") else {"engine": args.engine}),
        **args.take_options("threshold", "alpha", "adjust", "rho", "seed", "n_jobs"),
    }


def _ropes(given: list[str] | None) -> object:
    """Read one ROPE for all metrics, or a mapping of metrics to ROPEs."""
    if given is None:
        return None
    named = [text.rpartition("=") for text in given]
    if len(given) == 1 and not named[0][0]:
        return read_rope(given[0])
    for (metric, _, _), text in zip(named, given, strict=True):
        if not metric:
            raise must_be("rope", "METRIC=ROPE if several are given", text)
    return {metric: read_rope(rope) for metric, _, rope in named}


def run(args: Arguments) -> None:
    """Show Bayesian verdicts next to their frequentist counterparts, and where they disagree.

    All pairs of algorithms, or those named, are compared by the Bayesian tests that the scores
    allow; with several metrics, by each metric and by all together. `bayescmp info tests`
    lists the counterparts.
    """
    from bayescmp.study.crosscheck import crosscheck

    table: Any = read_scores_or_counts(args)
    asked = gather_question(args)
    if isinstance(table, GivenCounts):
        asked |= {"algorithms": table.algorithms, "datasets": None}
        table = table.on(args.dataset)
    else:
        args.names_of(table)
    check = crosscheck(table, **asked)
    args.write_table("out", check.frame)
    args.show(check, check.to_dict)
