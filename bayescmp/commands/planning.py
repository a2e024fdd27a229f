"""`bayescmp plan`, `calibrate`, `sensitivity`, `fragility`, `verify`: how many data, how sure."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from bayescmp.base.checks import check_choice
from bayescmp.commands.shared import Arguments, read_ropes, rope_of_test
from bayescmp.commands.table import READING, TESTING, command, tests_that_plan
from bayescmp.errors import InputError
from bayescmp.wording.text import format_count

if TYPE_CHECKING:
    from bayescmp.catalogue import BayesianTest
    from bayescmp.items.items import Items
    from bayescmp.results.plan import ItemPlan, Plan
    from bayescmp.results.posterior import Fitted, Posterior
    from bayescmp.scores.scores import Scores


# `bayescmp plan`: how many more data sets until the verdict is decided.


#: Options that only go with assumptions, and those that only go with scores.
ASSUMED = ("delta0", "sigma0", "nu", "noise")
MEASURED = ("metric", "first", "second", "more_folds")


@command(
    "plan",
    f"scores? --metric {READING} --scale --first --second --rope! --test --rho --datasets --folds "
    "--more-folds --delta0 --sigma0 --nu --noise --prior --threshold --simulations --seed "
    "--jobs=1 --plot --full --json",
    {
        "--delta0": "without scores: centre of the mean differences",
        "--noise": {"type": float},
        "--test": "auto (default: by the folds, or the signed-rank test of means), "
        "{tests_that_plan}",
        "--jobs": "processes; -1 is all cores",
        "--plot": "write the figure (png, svg, pdf)",
        "--json": "print the table as JSON",
    },
)
def plan_study(args: Arguments) -> None:
    """Simulate how many more data sets it takes until the verdict is decided.

    With scores: how often further data sets, or further folds, would decide the hierarchical test,
    or a test of means. Without: how many data sets a study needs if --delta0 and --sigma0 are the
    truth.
    """
    from bayescmp.results.plan import Plan

    result = _plan_from_data(args) if args.scores else _plan_from_assumptions(args)
    if isinstance(result, Plan):
        args.draw("plot", (3.5, 2.8), result.plot)
    args.show(result, result.to_dict)


def _plan_from_data(args: Arguments) -> Plan | ItemPlan:
    """Plan with the data at hand."""
    from bayescmp.catalogue import Sizes, preferred
    from bayescmp.items.items import Items

    _refuse(args, ASSUMED, "without a table of scores")
    tests = tests_that_plan()
    name = check_choice("test", args.test.replace("_", "-"), ("auto", *tests))
    rope, prior = args.read_rope(), args.read_prior()
    scores = args.read_table()
    if isinstance(scores, Items):
        return _plan_questions_from_data(scores, rope, args)
    x = scores.differences(*args.pair_of(scores), args.metric, rho=args.rho)
    sizes = Sizes(datasets=2, folds=2 if scores.has_folds else 1)
    test = preferred(sizes) if name == "auto" else tests[name]
    assert test is not None  # there is one of folds, and one of means
    more, options = ["datasets", "folds", "more_folds"], {"prior": prior, "engine": "quadrature"}
    if test.on_means:
        _refuse(args, ("folds", "more_folds", "prior"), "with scores of folds")
        more, options = ["datasets"], {}
    plan: Plan = test.call(x, rope=rope, seed=args.seed, **options).plan(
        **args.take_given(*more), **_read_common(args)
    )
    return plan


def _plan_questions_from_data(items: Items, rope: Any, args: Arguments) -> Plan | ItemPlan:
    """Plan more questions of one benchmark, or more benchmarks."""
    from bayescmp.study.compare import compare

    _refuse(args, ("folds", "more_folds", "prior", "plot"), "with scores of folds")
    several = len(items.benchmarks) > 1
    more = args.take_given("datasets") if several else {}
    if not several:
        _refuse(args, ("datasets",), "with several benchmarks")
    common = _read_common(args) if several else args.take_options("threshold")
    posterior: Any = compare(
        items, *args.pair_of(items), rope=rope, test=args.test, rho=args.rho, seed=args.seed
    )
    plan: Plan | ItemPlan = posterior.plan(**more, **common)
    return plan


def _plan_from_assumptions(args: Arguments) -> Plan:
    """Plan with assumptions instead of data."""
    from bayescmp.study.planning import plan

    _refuse(args, MEASURED, "with a table of scores")
    for option in ("delta0", "sigma0", "rho"):
        if getattr(args, option) is None:
            raise InputError(f"--{option} is missing: without a table of scores it is needed")
    return plan(
        rope=args.read_rope(),
        prior=args.read_prior(),
        **args.take_options("delta0", "sigma0", "rho"),
        **args.take_given("datasets", "folds", "nu", "noise"),
        **_read_common(args),
    )


def _refuse(args: Arguments, options: tuple[str, ...], when: str) -> None:
    for option in options:
        if getattr(args, option) is not None:
            raise InputError(f"--{option.replace('_', '-')} goes only {when}")


def _read_common(args: Arguments) -> dict[str, Any]:
    """Return how studies are simulated and decided."""
    options = args.take_options("threshold", "simulations", "seed", "n_jobs")
    return {**options, "progress": True}


# `bayescmp plan-items`: how many questions, and answers to each, decide between two models.


@command(
    "plan-items",
    "--difference! --between! --within --rope! --questions --epochs --threshold --power "
    "--cost-question --cost-answer --full --json",
    {"--json": "print the table as JSON"},
)
def plan_questions(args: Arguments) -> None:
    """How many questions, and answers to each, decide between two models?

    In closed form, from the mean difference of two models and its variance between and within
    questions; with costs also the cheapest design.
    """
    from bayescmp.study.planning import plan_items

    result = plan_items(
        rope=args.read_rope(),
        **args.take_options("difference", "between", "within", "threshold", "power"),
        **args.take_given("questions", "epochs"),
    )
    costs = args.take_given("cost_question", "cost_answer")
    if len(costs) == 1:
        raise InputError("--cost-question and --cost-answer go together")
    if not costs:
        args.show(result, result.to_dict)
        return
    best = result.cheapest(**costs)
    sentence = (
        f"Cheapest with power {args.power:g}: {format_count(best.questions, 'question')} "
        f"and {format_count(best.epochs, 'epoch')}, for {best.cost:g}."
    )
    args.show([result, sentence], lambda: {**result.to_dict(), "cheapest": best.to_dict()})


# `bayescmp calibrate`: how often the decision rule decides, and how often it is wrong.


@command(
    "calibrate",
    "--rope! --rho! --datasets --folds=10 --delta0 --sigma0 --nu=10.0 --noise --prior --threshold "
    "--alpha --simulations=200 --seed --jobs=1 --csv --markdown --full",
    {
        "--rho": "correlation of folds: 1/folds",
        "--datasets": {"default": [5, 10, 20, 54], "help": "numbers of data sets"},
        "--folds": "differences on each data set (default 10)",
        "--delta0": "centres (default 0, 1 and 2 times the rope)",
        "--sigma0": "spreads (default 0.25 and 2 times the rope)",
        "--nu": "degrees of freedom (default 10)",
        "--noise": {"type": float},
        "--alpha": "level of the frequentist counterparts (default 0.05)",
        "--simulations": "tables per row (default 200)",
        "--jobs": "processes; -1 is all cores",
    },
)
def calibrate_rule(args: Arguments) -> None:
    """Simulate how often the rule decides, and how often it is wrong.

    Simulates tables of differences with a known truth, and decides each of them by the
    hierarchical test and its frequentist twins.
    """
    from bayescmp.study.planning import calibrate

    options = ("rho", "datasets", "folds", "delta0", "sigma0", "nu", "noise", "alpha")
    table = calibrate(
        rope=args.read_rope(),
        prior=args.read_prior(),
        **args.take_options(*options),
        **{**_read_common(args), "progress": sys.stderr.isatty()},
    )
    args.write_table("csv", table.frame)
    args.show(table.to_markdown() if args.markdown else table, dict)


# `bayescmp sensitivity`: is the verdict fragile?


@command(
    "sensitivity",
    f"scores --metric... {READING} --items --scale --first --second --rope!... --dataset "
    f"{TESTING} --refit --seed --plot --full --json",
    {"--plot": "write the figure (png, svg, pdf)", "--json": "print the table as JSON"},
)
def vary_verdict(args: Arguments) -> None:
    """Show how the verdict changes under other priors and ropes, and without each data set.

    A verdict under other priors, correlations of folds, ropes and thresholds, and without each
    data set in turn, as far as its test has these. A test of several algorithms
    ({tests_of_several}) reports on all pairs.
    """
    posterior = _fit_typed(args)
    result = posterior.sensitivity(
        progress=sys.stderr.isatty(), **args.take_options("threshold", "refit")
    )
    args.draw("plot", result.figure_size, result.plot)
    document = {
        "test": posterior.kind,
        "directions": [way.to_dict() for way in posterior.directions],
        "rows": result.frame.to_dict(orient="records"),
        "text": result.explain(),
    }
    args.show(result, lambda: document)


# `bayescmp fragility`: how few data sets does the verdict hang on?


@command(
    "fragility",
    f"scores --metric {READING} --items --scale --first --second --rope! --dataset {TESTING} "
    "--most --seconds --seed --full --json",
    {"--json": "print the table as JSON"},
)
def shrink_data(args: Arguments) -> None:
    """Find the fewest data sets, or folds of one, without which the decision would be another.

    Leaves out one, two, three, ... data sets, or folds of one data set, or questions, refits what
    remains, and names the smallest set found without which the decision changes.
    """
    from bayescmp.results.posterior import Posterior

    args.rope, args.metric = [args.rope], [args.metric] if args.metric else None
    posterior = _fit_typed(args)
    if not isinstance(posterior, Posterior):
        raise InputError(
            f"--test {args.test} compares all pairs; fragility is that of one pair, named with "
            "--first and --second"
        )
    result = posterior.fragility(**args.take_options("threshold", "most", "seconds"))
    args.show(result, lambda: {"test": posterior.kind, **result.to_dict()})


def _fit_typed(args: Arguments) -> Fitted:
    """Fit the posterior of two algorithms, or of all where the test takes several."""
    from bayescmp.catalogue import GROUP, bayesian_tests
    from bayescmp.items.items import Items

    ropes, prior = read_ropes(args.rope, args.metric), args.read_prior()
    if args.of_items:
        return _of_two(args.read_items(), ropes, prior, args)
    scores = args.read_table()
    if isinstance(scores, Items):
        return _of_two(scores, ropes, prior, args)
    for test in bayesian_tests():
        if test.algorithms == GROUP and test.name == args.test.replace("-", "_"):
            return _of_all(scores, test, args)
    return _of_two(scores, ropes, prior, args)


def _of_two(scores: Scores | Items, rope: Any, prior: object, args: Arguments) -> Posterior:
    from bayescmp.items.items import Items
    from bayescmp.study.compare import compare

    if isinstance(scores, Items):
        names, metric, engine = (args.first, args.second), None, args.engine
    else:
        metrics = args.metric or [scores.sole_metric]
        names, metric = args.pair_of(scores), metrics[0] if len(metrics) == 1 else metrics
        engine = _engine(scores, len(metrics), args)
    return compare(
        scores,
        *names,
        metric,
        rope,
        engine=engine,
        prior=prior,
        progress=sys.stderr.isatty(),
        **args.take_options("test", "rho", "dataset", "seed"),
    )


def _engine(scores: Scores, metrics: int, args: Arguments) -> str:
    """Choose the grid for the hierarchical test of one metric, which is refitted by it anyway."""
    from bayescmp.catalogue import bayesian_test

    several = len(scores.datasets) > 1 and args.dataset is None and scores.has_folds
    if args.engine != "auto" or metrics > 1:
        return str(args.engine)
    hierarchical = bayesian_test("hierarchical_t").names
    named = args.test.replace("-", "_") in hierarchical
    return "quadrature" if named or (args.test == "auto" and several) else "auto"


def _of_all(scores: Scores, test: BayesianTest, args: Arguments) -> Fitted:
    for option in ("first", "second", "prior"):
        if getattr(args, option) is not None:
            raise InputError(f"--{option}: {test.name} compares all algorithms of the table")
    engine = None if args.engine == "auto" else args.engine  # else of a closed form, too
    options = test.checked({"engine": engine, "progress": sys.stderr.isatty()})
    options["seed"] = args.seed
    if test.name == "groups":
        metrics = args.metric or [scores.sole_metric]
        ropes = read_ropes(args.rope, metrics)
        more = {"metrics": metrics, "dataset": args.dataset, "rho": args.rho, "rope": ropes}
    else:
        metric = scores.metric_named(args.metric[0] if args.metric else None)
        rope = rope_of_test(test, args.rope[0], scores, metric)
        more = {"metric": metric, "rope": rope}
    posterior: Fitted = test.call(scores, **options, **more)
    return posterior


# `bayescmp verify`: a hierarchical comparison by two engines, side by side.


#: Exit code where the engines do not agree.
DISAGREE = 3


@command(
    "verify",
    f"scores --metric {READING} --first --second --rope! --rho --prior --engine=quadrature --by "
    "--draws --seed --full",
    {"--engine": "the engine to verify (default quadrature)"},
)
def verify_engine(args: Arguments) -> int:
    """Run the hierarchical test by the built-in engine and by a Stan engine, side by side.

    Fits the same problem twice and prints both answers with their errors. The exit code is 3 where
    they disagree.
    """
    from bayescmp.bayesian import hierarchical_t

    rope, prior = args.read_rope(), args.read_prior()
    scores, shown = args.read_scores(), sys.stderr.isatty()
    x = scores.differences(*args.pair_of(scores), args.metric, rho=args.rho)
    posterior = hierarchical_t(
        x, rope=rope, prior=prior, engine=args.engine, seed=args.seed, progress=shown
    )
    verification = posterior.verify(engine=args.by, draws=args.draws, progress=shown)
    args.show(verification, dict)
    return 0 if verification.agrees else DISAGREE
