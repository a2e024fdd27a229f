"""`bayescmp best`: which of several algorithms is best over several data sets."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from bayescmp.commands._options import add_scores, check_files, draw_to, read_rope, read_scores

if TYPE_CHECKING:
    from bayescmp.bayesian.joint.base import JointBase
    from bayescmp.commands._options import Subparsers
    from bayescmp.typing import Json

__all__ = ["register", "run"]

METHODS = ("bootstrap", "joint_t", "friedman", "bradley_terry", "plackett_luce")
#: Those whose rope is not in units of the metric, and is not needed.
OF_ORDER = ("friedman", "bradley_terry", "plackett_luce")


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "best",
        help="which of several algorithms is best over several data sets",
        description="For each algorithm, the probability of being best on the next data set and "
        "on average over data sets, and its ranks; and the sets of algorithms that are all within "
        "the rope of the best.",
    )
    add_scores(parser)
    parser.add_argument("--rope", help="region of practical equivalence: half-width, or 1%%")
    parser.add_argument(
        "--method",
        default="bootstrap",
        choices=METHODS,
        help="bootstrap (default): Bayesian bootstrap over data sets, fast; joint_t: one "
        "hierarchical model of all algorithms, which needs folds and Stan; friedman: by ranks "
        "(the rope is in ranks, 0 by default); bradley_terry: by wins, plackett_luce: by whole "
        "rankings (the rope of both is in chances of winning)",
    )
    parser.add_argument("--engine", default="auto", help="engine of joint_t (default auto)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--out", metavar="FILE", help="write the ranking as CSV")
    parser.add_argument("--plot", metavar="FILE", help="write the plot of P(best) (png, svg, pdf)")
    parser.add_argument("--json", action="store_true", help="print the ranking and sets as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fit, print, and write what was asked for."""
    from bayescmp.files import replacing

    check_files(args, ("out", "plot"))
    posterior = _fitted(args)
    if args.out:
        with replacing(args.out) as part:
            posterior.overview().to_csv(part)
    if args.plot:
        draw_to(args.plot, posterior.figure_size(), posterior.plot)
    if args.json:
        print(json.dumps(_as_json(posterior), indent=2))
        return 0
    print(posterior)
    print(posterior.explain())
    for path in filter(None, (args.out, args.plot)):
        print(f"written      {path}")
    return 0


def _fitted(args: argparse.Namespace) -> JointBase:
    from bayescmp import bayesian
    from bayescmp.comparison.regions import region_of_table
    from bayescmp.errors import InputError

    scores = read_scores(args)
    options: dict[str, Any] = {"metric": args.metric, "seed": args.seed}
    if args.method in OF_ORDER:
        if args.rope is not None:
            options["rope"] = read_rope(args.rope)
    elif args.rope is None:
        raise InputError(f"--rope is needed for --method {args.method}; e.g. --rope 0.01")
    else:
        metric = scores.metric_named(args.metric)
        options["rope"] = region_of_table(read_rope(args.rope), scores, metric)
    if args.method == "joint_t":
        options["engine"] = args.engine
    posterior: JointBase = getattr(bayesian, args.method)(scores, **options)
    return posterior


def _as_json(posterior: JointBase) -> Json:
    sets = posterior.top_sets()
    return {
        "method": posterior.method,
        "metric": posterior.metric,
        "rope": posterior.rope.ends,
        "seed": posterior.seed,
        "engine": posterior.engine,
        "diagnostics_ok": posterior.diagnostics.ok,
        "notes": list(posterior.notes),
        "ranking": json.loads(posterior.overview().reset_index().to_json(orient="records")),
        "top_sets": json.loads(sets.reset_index().to_json(orient="records")),
        "best": {on: posterior.best(on) for on in posterior.targets},
    }
