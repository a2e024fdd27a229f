"""`bayescmp sensitivity`: is the verdict fragile?"""

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
    read_ropes,
    read_scores,
)
from bayescmp.commands.compare import add_test

if TYPE_CHECKING:
    from bayescmp.catalogue import BayesianTest
    from bayescmp.commands._options import Subparsers
    from bayescmp.pairs import PairsPosterior
    from bayescmp.posterior import Posterior
    from bayescmp.scores import Scores

__all__ = ["register", "run"]

#: Tests of several algorithms whose rope is not in units of the metric.
OWN_UNITS = ("bayesian_friedman", "bradley_terry", "plackett_luce")


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "sensitivity",
        help="how the verdict changes under other priors and ropes, and without each data set",
        description="A verdict under other priors, correlations of folds, ropes and thresholds, "
        "and without each data set in turn, as far as its test has these. A test of several "
        "algorithms (groups, joint_t, bootstrap, bayesian_friedman, bradley_terry, plackett_luce) "
        "reports on all pairs.",
    )
    add_scores(parser, several=True)
    add_scale(parser)
    parser.add_argument("--first", help="the first algorithm (left)")
    parser.add_argument("--second", help="the second algorithm (right)")
    parser.add_argument(
        "--rope",
        required=True,
        action="append",
        help="half-width, or LOW,HIGH; for several metrics one for all, or one each, as "
        "--rope tpr=0.01 --rope fpr=0.02",
    )
    parser.add_argument("--dataset", help="on this data set only")
    add_test(parser)
    parser.add_argument(
        "--refit",
        action="store_true",
        help="fit again where a sampler's reweighted draws can't be relied on (k-hat over 0.7)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--plot", metavar="FILE", help="write the picture (png, svg, pdf)")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fit, vary, print, and draw."""
    from bayescmp.verdict import check_threshold

    check_threshold(args.threshold)
    check_files(args, ("plot",))
    posterior = _fitted(args)
    result = posterior.sensitivity(
        threshold=args.threshold, refit=args.refit, progress=sys.stderr.isatty()
    )
    if args.plot:
        draw_to(args.plot, result.figure_size(), result.plot)
    if args.json:
        document = {
            "test": posterior.kind,
            "directions": [way.to_dict() for way in posterior.directions],
            "rows": result.frame.to_dict(orient="records"),
            "text": result.explain(),
        }
        print(json.dumps(document, indent=2, allow_nan=False))
    else:
        print(result)
    return 0


def _fitted(args: argparse.Namespace) -> Posterior | PairsPosterior:
    """The posterior of two algorithms, or of all where the test takes several."""
    from bayescmp.catalogue import GROUP, bayesian_tests

    plain = args.test.replace("-", "_")
    of_several = {t.name: t for t in bayesian_tests() if t.algorithms == GROUP}
    ropes, prior = read_ropes(args.rope, args.metric), prior_of(args)
    scores = read_scores(args)
    if plain in of_several:
        return _of_all(scores, of_several[plain], args)
    return _of_two(scores, ropes, prior, args)


def _of_two(scores: Scores, rope: Any, prior: object, args: argparse.Namespace) -> Posterior:
    from bayescmp.comparison import compare

    metrics = args.metric or [scores.sole_metric]
    return compare(
        scores,
        *pair_of(scores, args),
        metrics[0] if len(metrics) == 1 else metrics,
        rope,
        test=args.test,
        rho=args.rho,
        dataset=args.dataset,
        seed=args.seed,
        engine=_engine(scores, len(metrics), args),
        prior=prior,
        progress=sys.stderr.isatty(),
    )


def _engine(scores: Scores, metrics: int, args: argparse.Namespace) -> str:
    """The grid for the hierarchical test of one metric, whose refits are its own."""
    from bayescmp.catalogue import bayesian_test

    several = len(scores.datasets) > 1 and args.dataset is None and scores.has_folds
    if args.engine != "auto" or metrics > 1:
        return str(args.engine)
    hierarchical = bayesian_test("hierarchical_t").names
    named = args.test.replace("-", "_") in hierarchical
    return "quadrature" if named or (args.test == "auto" and several) else "auto"


def _of_all(scores: Scores, test: BayesianTest, args: argparse.Namespace) -> PairsPosterior:
    from bayescmp.comparison.regions import region_of_table
    from bayescmp.errors import InputError

    for option in ("first", "second", "prior"):
        if getattr(args, option) is not None:
            raise InputError(f"--{option}: {test.name} compares all algorithms of the table")
    options: dict[str, Any] = {"seed": args.seed}
    if test.name == "groups":
        metrics = args.metric or [scores.sole_metric]
        ropes = read_ropes(args.rope, metrics)
        more = {"metrics": metrics, "dataset": args.dataset, "rho": args.rho, "rope": ropes}
    else:
        metric = scores.metric_named(args.metric[0] if args.metric else None)
        given = read_rope(args.rope[0])
        own = test.name in OWN_UNITS
        more = {"metric": metric, "rope": given if own else region_of_table(given, scores, metric)}
    if args.engine != "auto":
        options["engine"] = args.engine
    if "progress" in test.options():
        options["progress"] = sys.stderr.isatty()
    posterior: PairsPosterior = test.call(scores, **options, **more)
    return posterior
