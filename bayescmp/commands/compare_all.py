"""`bayescmp compare-all`: all pairs of algorithms, or all against a control."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bayescmp.commands._options import (
    add_scale,
    add_scores,
    check_files,
    draw_to,
    prior_of,
    read_rope,
    read_scores,
)
from bayescmp.commands.compare import add_test

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers

__all__ = ["register", "run"]


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "compare-all",
        help="verdicts on all pairs of algorithms, or on all against a control",
        description="Every pair is a comparison of its own; one that fails is reported, and the "
        "others are kept.",
    )
    add_scores(parser)
    add_scale(parser)
    parser.add_argument(
        "--rope",
        required=True,
        help="region of practical equivalence: half-width, or LOW,HIGH as --rope=-0.005,0.01",
    )
    parser.add_argument("--control", help="compare all others with this algorithm only")
    parser.add_argument(
        "--algorithm", action="append", metavar="NAME", help="compare these only (repeatable)"
    )
    add_test(parser)
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument(
        "--jobs", type=int, help="processes at most (default: one per core, where that saves time)"
    )
    parser.add_argument("--out", metavar="FILE", help="write the table as CSV")
    parser.add_argument("--plot", metavar="FILE", help="write the heat map (png, svg, pdf)")
    parser.add_argument(
        "--ladder", metavar="FILE", help="write the ladder: the algorithms in order"
    )
    parser.add_argument("--json", action="store_true", help="print the whole table as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.comparison import compare_all
    from bayescmp.files import replacing
    from bayescmp.plots import heatmap, ladder

    rope, prior = read_rope(args.rope), prior_of(args)
    check_files(args, ("out", "plot", "ladder"))
    comparisons = compare_all(
        read_scores(args),
        args.metric,
        rope,
        control=args.control,
        algorithms=args.algorithm,
        test=args.test,
        rho=args.rho,
        seed=args.seed,
        threshold=args.threshold,
        n_jobs=args.jobs,
        engine=args.engine,
        prior=prior,
    )
    if args.out:
        with replacing(args.out) as part:
            comparisons.frame.to_csv(part, index=False)
    if args.plot:
        draw_to(args.plot, heatmap.figure_size(comparisons), comparisons.plot)
    if args.ladder:
        size = ladder.figure_size(comparisons)
        draw_to(args.ladder, size, lambda ax: ladder.plot_ladder(comparisons, ax=ax))
    if args.json:
        print(comparisons.frame.to_json(orient="records", indent=2))
        return 0
    print(comparisons)
    for (first, second), error in comparisons.failures.items():
        print(f"failed       {first} and {second}: {error}")
    for path in filter(None, (args.out, args.plot, args.ladder)):
        print(f"written      {path}")
    return 0
