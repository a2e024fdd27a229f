"""`bayescmp plan`, `calibrate`, `sensitivity` and `verify`: how many data, how sure, by whom."""

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
from bayescmp.commands.pairs import add_test
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from bayescmp.catalogue import BayesianTest
    from bayescmp.commands._options import Subparsers
    from bayescmp.results.plan import Plan
    from bayescmp.results.posterior import PairsPosterior, Posterior
    from bayescmp.scores.scores import Scores


# `bayescmp plan`: how many more data sets until the verdict is decided.


#: Options that only go with assumptions, and those that only go with scores.
ASSUMED = ("sigma0", "nu", "noise")
MEASURED = ("metric", "first", "second", "more_folds")


def register_plan(subparsers: Subparsers) -> None:
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
    parser.set_defaults(run=run_plan)


def run_plan(args: argparse.Namespace) -> int:
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
    from bayescmp.study.planning import plan

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


# `bayescmp calibrate`: how often the decision rule decides, and how often it is wrong.


def register_calibrate(subparsers: Subparsers) -> None:
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
    parser.set_defaults(run=run_calibrate)


def run_calibrate(args: argparse.Namespace) -> int:
    """Simulate, print, and write."""
    from bayescmp.study.planning import calibrate

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


# `bayescmp sensitivity`: is the verdict fragile?


#: Tests of several algorithms whose rope is not in units of the metric.
OWN_UNITS = ("bayesian_friedman", "bradley_terry", "plackett_luce")


def register_sensitivity(subparsers: Subparsers) -> None:
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
    parser.set_defaults(run=run_sensitivity)


def run_sensitivity(args: argparse.Namespace) -> int:
    """Fit, vary, print, and draw."""
    from bayescmp.results.verdict import check_threshold

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
    from bayescmp.study.compare import compare

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
    from bayescmp.errors import InputError
    from bayescmp.study.compare import region_of_table

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


# `bayescmp verify`: a hierarchical comparison by two engines, side by side.


#: Exit code where the engines do not agree.
DISAGREE = 3


def register_verify(subparsers: Subparsers) -> None:
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
    parser.set_defaults(run=run_verify)


def run_verify(args: argparse.Namespace) -> int:
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
