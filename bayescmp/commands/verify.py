"""`bayescmp verify`: a hierarchical comparison by two engines, side by side."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from bayescmp.commands._options import add_scores, pair_of, prior_of, read_rope, read_scores

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers

__all__ = ["register", "run"]

#: Exit code where the engines do not agree.
DISAGREE = 3


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "verify",
        help="the hierarchical test by the built-in engine and by a Stan engine, side by side",
        description="Fits the same problem twice and prints both answers with their errors. "
        "The exit code is 3 where they disagree.",
    )
    add_scores(parser)
    parser.add_argument("--first", help="the first algorithm (left)")
    parser.add_argument("--second", help="the second algorithm (right)")
    parser.add_argument("--rope", required=True, help="region of practical equivalence")
    parser.add_argument("--rho", type=float, help="correlation of folds, if not 1/folds")
    parser.add_argument("--prior", help="corani2017 (default) or benavoli2017")
    parser.add_argument("--engine", default="quadrature", help="the engine to verify")
    parser.add_argument("--by", default="auto", help="the other: auto, cmdstan, pystan, ...")
    parser.add_argument("--draws", type=int, default=5000, help="draws per chain")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fit twice and print."""
    from bayescmp.bayesian import hierarchical_t

    rope, prior = read_rope(args.rope), prior_of(args)
    scores, shown = read_scores(args), sys.stderr.isatty()
    x = scores.differences(*pair_of(scores, args), args.metric, rho=args.rho)
    posterior = hierarchical_t(
        x, rope=rope, prior=prior, engine=args.engine, seed=args.seed, progress=shown
    )
    verification = posterior.verify(engine=args.by, draws=args.draws, progress=shown)
    print(verification)
    return 0 if verification.agrees else DISAGREE
