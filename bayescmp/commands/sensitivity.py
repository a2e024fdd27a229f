"""`bayescmp sensitivity`: is the verdict fragile?"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from bayescmp.commands._options import (
    add_scale,
    add_scores,
    check_files,
    draw_to,
    pair_of,
    prior_of,
    read_rope,
    read_scores,
)

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers

__all__ = ["register", "run"]


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "sensitivity",
        help="what becomes of the verdict under other priors, ropes, and without each data set",
        description="The hierarchical test of two algorithms under other priors, correlations of "
        "folds, ropes and thresholds, and without each data set in turn.",
    )
    add_scores(parser)
    add_scale(parser)
    parser.add_argument("--first", help="the first algorithm (left)")
    parser.add_argument("--second", help="the second algorithm (right)")
    parser.add_argument("--rope", required=True, help="half-width, or LOW,HIGH")
    parser.add_argument("--rho", type=float, help="correlation of folds, if not 1/folds")
    parser.add_argument("--prior", help="corani2017 (default) or benavoli2017")
    parser.add_argument("--threshold", type=float, default=0.95, help="decide at this probability")
    parser.add_argument("--plot", metavar="FILE", help="write the picture (png, svg, pdf)")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Refit, print, and draw."""
    from bayescmp.bayesian import hierarchical_t
    from bayescmp.plots.sensitivity import figure_size

    check_files(args, ("plot",))
    rope, prior = read_rope(args.rope), prior_of(args)
    scores = read_scores(args)
    x = scores.differences(*pair_of(scores, args), args.metric, rho=args.rho)
    posterior = hierarchical_t(x, rope=rope, prior=prior, engine="quadrature", seed=1)
    result = posterior.sensitivity(threshold=args.threshold)
    if args.plot:
        draw_to(args.plot, figure_size(result), result.plot)
    if args.json:
        document = {
            "directions": [way.to_dict() for way in posterior.directions],
            "rows": result.frame.to_dict(orient="records"),
            "text": result.explain(),
        }
        print(json.dumps(document, indent=2, allow_nan=False))
    else:
        print(result)
    return 0
