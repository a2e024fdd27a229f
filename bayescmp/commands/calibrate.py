"""`bayescmp calibrate`: how often the decision rule decides, and how often it is wrong."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from bayescmp.commands._options import check_files, prior_of, read_rope

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers

__all__ = ["register", "run"]


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "calibrate",
        help="how often the rule decides, and how often it is wrong, by simulation",
        description="Simulates tables of differences with a known truth, and decides each of them "
        "by the hierarchical test and its frequentist twins.",
    )
    parser.add_argument("--rope", required=True, help="half-width, or LOW,HIGH")
    parser.add_argument("--rho", type=float, required=True, help="correlation of folds: 1/folds")
    parser.add_argument("--datasets", type=int, nargs="+", default=[5, 10, 20, 54], metavar="Q")
    parser.add_argument(
        "--folds", type=int, default=10, help="differences on each data set (default 10)"
    )
    parser.add_argument(
        "--delta0", type=float, nargs="+", help="centres (default 0, 1 and 2 times the rope)"
    )
    parser.add_argument(
        "--sigma0", type=float, nargs="+", help="spreads (default 0.25 and 2 times the rope)"
    )
    parser.add_argument("--nu", type=float, default=10.0, help="degrees of freedom (default 10)")
    parser.add_argument("--noise", type=float, help="sd of a fold (default 2 times the rope)")
    parser.add_argument("--prior", help="corani2017 (default) or benavoli2017")
    parser.add_argument("--threshold", type=float, default=0.95, help="decide at this probability")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the twins")
    parser.add_argument("--simulations", type=int, default=200, help="tables per row (200)")
    parser.add_argument("--seed", type=int, default=1, help="seed (default 1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes; -1 is all cores")
    parser.add_argument("--csv", metavar="FILE", help="write all columns as CSV")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Simulate, print, and write."""
    from bayescmp.planning import calibrate

    check_files(args, ("csv",))
    table = calibrate(
        rope=read_rope(args.rope),
        rho=args.rho,
        datasets=args.datasets,
        folds=args.folds,
        delta0=args.delta0,
        sigma0=args.sigma0,
        nu=args.nu,
        noise=args.noise,
        prior=prior_of(args),
        threshold=args.threshold,
        alpha=args.alpha,
        simulations=args.simulations,
        seed=args.seed,
        n_jobs=args.jobs,
        progress=sys.stderr.isatty(),
    )
    if args.csv:
        table.frame.to_csv(args.csv, index=False)
    print(table.to_markdown() if args.markdown else table)
    return 0
