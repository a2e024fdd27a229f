"""`bayescmp verify`: a hierarchical comparison by two engines, side by side."""

from __future__ import annotations

import sys

from bayescmp.commands.parser import Parser, add_group, add_reading, add_shared, add_table
from bayescmp.commands.shared import Arguments

#: Exit code if the engines do not agree.
DISAGREE = 3

USAGE = "TABLE [A B] --rope ROPE [options]"
EXAMPLE = "scores.csv knn gbm --metric accuracy --rope 0.01"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_table(parser, "two algorithms (default: the only two of the table)", answers=False)
    add_group(parser, "what is compared", "--metric", "--rope")
    test = add_group(parser, "how it is tested", "--rho", "--prior", "--seed")
    add_shared(test, "--engine", default="quadrature", help="the engine (default quadrature)")
    by = "the engine that verifies it (default auto)"
    test.add_argument("--by", metavar="ENGINE", default="auto", help=by)
    test.add_argument("--draws", type=int, default=5000, help="draws per chain (default 5000)")
    add_group(parser, "output", "--full")
    add_reading(parser, answers=False)


def run(args: Arguments) -> int:
    """Run the hierarchical test by the built-in engine and by a Stan engine.

    Both answers are printed with their errors. Exit status: 0 if they agree, 3 if not.
    """
    from bayescmp.bayesian import hierarchical_t

    rope, prior = args.read_rope(), args.read_prior()
    scores, shown = args.read_only_scores(), sys.stderr.isatty()
    pair = *args.pair_of(scores), args.metric
    unpaired = scores.unpaired and args.rho is None
    x = scores.runs(*pair) if unpaired else scores.differences(*pair, rho=args.rho)
    posterior = hierarchical_t(
        x, rope=rope, prior=prior, engine=args.engine, seed=args.seed, progress=shown
    )
    verification = posterior.verify(engine=args.by, draws=args.draws, progress=shown)
    args.show(verification, dict)
    return 0 if verification.agrees else DISAGREE
