"""`bayescmp procedure`: the tests that a table of scores calls for, up to the ranking."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from bayescmp.commands._options import check_files, draw_to, read_scores
from bayescmp.commands.multivariate import add_table
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers

__all__ = ["register", "run"]


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "procedure",
        help="the tests that the scores call for: on each data set, over data sets, a ranking",
        description="Reads the kind of comparison from the scores (one or several metrics, two or "
        "several algorithms, one or several data sets), tests on each data set, counts which "
        "algorithm wins by lower risk, and tests the wins over data sets.",
    )
    add_table(parser)
    parser.add_argument(
        "--dataset", action="append", metavar="NAME", help="use these only (repeatable)"
    )
    parser.add_argument(
        "--cost",
        action="append",
        default=[],
        metavar="METRIC=NUMBER",
        help="what a unit of a metric costs, e.g. --cost fp=1 --cost fn=5 (default: fp and fn 1 "
        "each; a single metric is its own risk)",
    )
    parser.add_argument(
        "--pairwise", help="tukey (default) or t; for several metrics hotelling or two-sample"
    )
    parser.add_argument("--rho", type=float, help="correlation of folds, if not 1/folds")
    parser.add_argument(
        "--plain", action="store_true", help="use tests that ignore the overlap of folds"
    )
    parser.add_argument("--alpha", type=float, default=0.05, help="level of each step")
    parser.add_argument(
        "--adjust", default="bonferroni", help="adjustment of the pairs and of the sign tests"
    )
    parser.add_argument("--wins", metavar="FILE", help="write the wins diagram")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.procedure import procedure

    check_files(args, ("wins",))
    result = procedure(
        read_scores(args),
        metrics=args.metric,
        algorithms=args.algorithm,
        datasets=args.dataset,
        alpha=args.alpha,
        corrected=not args.plain,
        rho=args.rho,
        pairwise=args.pairwise,
        adjust=args.adjust,
        costs=_costs(args.cost),
    )
    if args.wins:
        from bayescmp.plots import wins

        draw_to(args.wins, wins.figure_size(result), lambda ax: wins.plot_wins(result, ax=ax))
    if args.json:
        print(json.dumps(result.to_dict(), indent=2, allow_nan=False))
        return 0
    print(result)
    if args.wins:
        print(f"written {args.wins}")
    return 0


def _costs(given: list[str]) -> dict[str, float] | None:
    costs = {}
    for text in given:
        name, equals, number = text.partition("=")
        try:
            costs[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"--cost {text!r}; accepted: METRIC=NUMBER, e.g. fn=5")
    return costs or None
