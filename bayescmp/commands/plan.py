"""`bayescmp plan`: how many more data sets until the verdict is decided."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

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
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers
    from bayescmp.planning import Plan

__all__ = ["register", "run"]

#: Options that only go with assumptions, and those that only go with scores.
ASSUMED = ("sigma0", "nu", "noise")
MEASURED = ("metric", "first", "second", "more_folds")


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "plan",
        help="how many more data sets until the verdict is decided, by simulation",
        description="With scores: how often further data sets, or further folds, would decide the "
        "hierarchical test. Without: how many data sets a study needs if --delta0 and --sigma0 "
        "are the truth.",
    )
    add_scores(parser, optional=True)
    add_scale(parser)
    parser.add_argument("--first", help="the first algorithm (left)")
    parser.add_argument("--second", help="the second algorithm (right)")
    parser.add_argument("--rope", required=True, help="half-width, or LOW,HIGH")
    parser.add_argument("--rho", type=float, help="correlation of folds, if not 1/folds")
    parser.add_argument(
        "--datasets", type=int, nargs="+", metavar="Q", help="numbers of (further) data sets"
    )
    parser.add_argument("--folds", type=int, help="differences on each new data set")
    parser.add_argument(
        "--more-folds",
        type=int,
        nargs="+",
        metavar="N",
        help="further differences on each data set seen",
    )
    parser.add_argument(
        "--delta0", type=float, nargs="+", help="without scores: centre of the mean differences"
    )
    parser.add_argument("--sigma0", type=float, nargs="+", help="their scale")
    parser.add_argument("--nu", type=float, help="their degrees of freedom (default 10)")
    parser.add_argument("--noise", type=float, help="sd of a fold (default 2 times the rope)")
    parser.add_argument("--prior", help="corani2017 (default) or benavoli2017")
    parser.add_argument("--threshold", type=float, default=0.95, help="decide at this probability")
    parser.add_argument("--simulations", type=int, default=400, help="studies (default 400)")
    parser.add_argument("--seed", type=int, default=1, help="seed (default 1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes; -1 is all cores")
    parser.add_argument("--plot", metavar="FILE", help="write the picture (png, svg, pdf)")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Simulate, print, and draw."""
    check_files(args, ("plot",))
    result = _after(args) if args.scores else _before(args)
    if args.plot:
        draw_to(args.plot, (3.5, 2.8), result.plot)
    print(json.dumps(result.to_dict(), indent=2, allow_nan=False) if args.json else result)
    return 0


def _after(args: argparse.Namespace) -> Plan:
    """With the data at hand."""
    from bayescmp.bayesian import hierarchical_t

    _refuse(args, ("delta0", *ASSUMED), "without a table of scores")
    rope, prior = read_rope(args.rope), prior_of(args)
    scores = read_scores(args)
    x = scores.differences(*pair_of(scores, args), args.metric, rho=args.rho)
    posterior = hierarchical_t(x, rope=rope, prior=prior, engine="quadrature", seed=args.seed)
    given = {"datasets": args.datasets, "folds": args.folds, "more_folds": args.more_folds}
    return posterior.plan(**_given(given), **_common(args))


def _before(args: argparse.Namespace) -> Plan:
    """With assumptions instead."""
    from bayescmp.planning import plan

    _refuse(args, MEASURED, "with a table of scores")
    for option in ("delta0", "sigma0", "rho"):
        if getattr(args, option) is None:
            raise InputError(f"--{option} is missing: without a table of scores it is needed")
    given = {"datasets": args.datasets, "folds": args.folds, "nu": args.nu, "noise": args.noise}
    return plan(
        delta0=args.delta0,
        sigma0=args.sigma0,
        rope=read_rope(args.rope),
        rho=args.rho,
        prior=prior_of(args),
        **_given(given),
        **_common(args),
    )


def _refuse(args: argparse.Namespace, options: tuple[str, ...], when: str) -> None:
    for option in options:
        if getattr(args, option) is not None:
            raise InputError(f"--{option.replace('_', '-')} goes only {when}")


def _given(options: dict[str, object]) -> dict[str, Any]:
    """Options that were given; the others keep their defaults."""
    return {name: value for name, value in options.items() if value is not None}


def _common(args: argparse.Namespace) -> dict[str, Any]:
    """How studies are simulated and decided."""
    return {
        "threshold": args.threshold,
        "simulations": args.simulations,
        "seed": args.seed,
        "n_jobs": args.jobs,
        "progress": sys.stderr.isatty(),
    }
