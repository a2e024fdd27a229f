"""`bayescmp calibrate`: how often the decision rule decides, and how often it is wrong."""

from __future__ import annotations

import sys

from bayescmp.commands.parser import Parser, add_group, add_shared
from bayescmp.commands.shared import Arguments

USAGE = "--rope ROPE --rho RHO [options]"
EXAMPLE = "--rope 0.01 --rho 0.1 --datasets 10 --simulations 50"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    truth = parser.add_argument_group("the simulated studies")
    add_shared(
        truth, "--rope", required=True, help="the ROPE's half-width, in units of the metric"
    )
    add_shared(
        truth, "--rho", required=True, help="correlation of two folds' differences: 1/folds"
    )
    add = truth.add_argument
    sizes = [5, 10, 20, 54]
    number = "numbers of data sets (default 5 10 20 54)"
    add("--datasets", type=int, nargs="+", metavar="Q", default=sizes, help=number)
    add("--folds", type=int, default=10, help="differences on each data set (default 10)")
    centre = "centres of the mean differences (default 0, 1 and 2 times the ROPE)"
    add("--delta0", type=float, nargs="+", help=centre)
    scales = "their scales (default 0.25 and 2 times the ROPE)"
    add("--sigma0", type=float, nargs="+", help=scales)
    add("--nu", type=float, default=10.0, help="their degrees of freedom (default 10)")
    add("--noise", type=float, help="standard deviation of a fold (default 2 times the ROPE)")
    add("--simulations", type=int, default=200, help="tables per row (default 200)")
    options = ("--threshold", "--alpha", "--prior", "--seed", "--n-jobs")
    add_group(parser, "how they are decided", *options)
    output = add_group(parser, "output", "--full")
    output.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    output.add_argument("--out", metavar="FILE", help="write all columns as CSV")


def run(args: Arguments) -> None:
    """Simulate how often verdicts are reached, and how often they are wrong.

    Tables of differences with a known truth are decided by the hierarchical test and its
    frequentist counterparts.
    """
    from bayescmp.study.planning import calibrate

    given = ("rho", "datasets", "folds", "delta0", "sigma0", "nu", "noise", "alpha")
    table = calibrate(
        rope=args.read_rope(),
        prior=args.read_prior(),
        progress=sys.stderr.isatty(),
        **args.take_options(*given, "threshold", "simulations", "seed", "n_jobs"),
    )
    args.write_table("out", table.frame)
    args.show(table.to_markdown() if args.markdown else table, dict)
