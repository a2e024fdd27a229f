"""`bayescmp plan`: how many more data sets, folds or questions a verdict takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayescmp.base.arguments import must
from bayescmp.base.checks import check_choice
from bayescmp.commands.parser import Parser, add_algorithms, add_group, add_reading, add_shared
from bayescmp.commands.shared import Arguments
from bayescmp.errors import InputError
from bayescmp.wording.text import format_count

if TYPE_CHECKING:
    from bayescmp.catalogue import BayesianTest
    from bayescmp.items.items import Items
    from bayescmp.results.plan import ItemPlan, Plan
    from bayescmp.scores.differences import Differences
    from bayescmp.scores.runs import Runs

#: Kinds of plans, as messages name them, with the options that only belong to one.
FROM_SCORES = "a table of scores"
DATA_SETS = "a plan of data sets without a table"
QUESTIONS = "a plan of questions without a table"
FOLDS = "scores of folds"
TAKES = {
    FROM_SCORES: "metric algorithms more_folds test datasets folds prior simulations n_jobs rho "
    "seed plot scale",
    DATA_SETS: "delta0 sigma0 nu noise datasets folds prior simulations n_jobs rho seed plot",
    QUESTIONS: "difference between within questions epochs power cost_question cost_answer",
}

USAGE = "[TABLE [A B]] [--rope ROPE] [options]"
EXAMPLE = "scores.csv knn gbm --metric accuracy --rope 0.01"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    table = "CSV or Parquet file of scores or answers (see the last options)"
    parser.add_argument("table", metavar="TABLE", nargs="?", help=table)
    add_algorithms(parser, "two algorithms (default: the only two of the table)")
    add_group(parser, "the verdict", "--rope", "--threshold")
    simulated = parser.add_argument_group("data sets and folds, by simulation")
    add = simulated.add_argument
    number = "numbers of data sets; with a table, of further ones"
    add("--datasets", type=int, nargs="+", metavar="Q", help=number)
    add("--folds", type=int, help="differences on each new data set")
    add("--simulations", type=int, default=400, help="simulated studies (default 400)")
    add_shared(simulated, "--rho", "--prior", "--seed", "--n-jobs")
    group = add_group(parser, "with a table", "--metric", "--scale")
    test = "auto (default: by the folds, or signed-rank), hierarchical-t, signed-rank or sign"
    add_shared(group, "--test", help=test)
    more = "numbers of further differences on each data set of the table"
    group.add_argument("--more-folds", type=int, nargs="+", metavar="N", help=more)
    add = parser.add_argument_group("without a table: data sets, needs --rho").add_argument
    add("--delta0", type=float, nargs="+", help="centre of the mean differences")
    add("--sigma0", type=float, nargs="+", help="their scale")
    add("--nu", type=float, help="their degrees of freedom (default 10)")
    add("--noise", type=float, help="standard deviation of a fold (default 2 times the ROPE)")
    add = parser.add_argument_group("without a table: questions, in closed form").add_argument
    add("--difference", type=float, help="mean difference of the two models")
    add("--between", type=float, help="variance of the questions' true differences")
    within = "variance of a question's difference over single answers (default 0)"
    add("--within", type=float, default=0.0, help=within)
    add("--questions", type=int, nargs="+", metavar="N", help="numbers of questions")
    epochs = "answers of each model to a question"
    add("--epochs", type=int, nargs="+", metavar="N", help=epochs)
    add("--power", type=float, default=0.8, help="of the detectable difference (default 0.8)")
    add("--cost-question", type=float, help="cost of a question without its answers")
    add("--cost-answer", type=float, help="cost of one answer of both models: finds the cheapest")
    add_group(parser, "output", "--full", "--json", "--plot")
    add_reading(parser)


def tests_that_plan() -> dict[str, BayesianTest]:
    """Return tests of two algorithms over data sets by one metric, by their names as typed."""
    from bayescmp.catalogue import ONE, SEVERAL, TWO, bayesian_tests

    kind = ONE, TWO, SEVERAL
    tests = [t for t in bayesian_tests() if (t.metrics, t.algorithms, t.datasets) == kind]
    return {test.name.replace("_", "-"): test for test in tests}


def run(args: Arguments) -> None:
    """How many more data sets, folds or questions does a verdict take?

    With a table: how often further data sets or folds would decide between the two algorithms,
    or how many questions would. Without: how many a study needs if the assumptions below are
    true.
    """
    from bayescmp.results.plan import Plan

    own = TAKES[QUESTIONS].split()
    planned = QUESTIONS if any(map(args.is_given, own)) else DATA_SETS
    planned = FROM_SCORES if args.table else planned
    args.keep_to(TAKES, planned)
    if planned == QUESTIONS:
        _plan_questions(args)
        return
    result = _plan_from_data(args) if args.table else _plan_from_assumptions(args)
    if isinstance(result, Plan):
        args.draw("plot", (3.5, 2.8), result.plot)
    args.show(result, result.to_dict)


def _plan_from_data(args: Arguments) -> Plan | ItemPlan:
    from bayescmp.catalogue import Sizes, preferred
    from bayescmp.items.items import Items

    tests = tests_that_plan()
    name = check_choice("test", args.test.replace("_", "-"), ("auto", *tests))
    rope, prior = args.read_rope(), args.read_prior()
    scores = args.read_table()
    if isinstance(scores, Items):
        return _plan_questions_from_data(scores, rope, args)
    if len(scores.datasets) < 2:
        raise InputError(
            "TABLE must have two data sets or more to plan further ones (got one, "
            f"{scores.datasets[0]!r}). To plan without it give --delta0, --sigma0 and --rho.",
            "table",
        )
    pair, unpaired = args.pair_of(scores), scores.unpaired and args.rho is None
    sizes = Sizes(datasets=2, folds=2 if scores.has_folds else 1, paired=not unpaired)
    test = preferred(sizes) if name == "auto" else tests[name]
    assert test is not None  # there is one of folds, one of runs, and one of means
    x: Differences | Runs
    if unpaired or not test.paired:
        runs = scores.runs(*pair, args.metric)
        x = runs.mean_differences() if test.on_means else runs
    else:
        x = scores.differences(*pair, args.metric, rho=args.rho)
    more, options = ["datasets", "folds", "more_folds"], {"prior": prior, "engine": "quadrature"}
    if test.on_means:
        args.refuse(("folds", "more_folds", "prior"), FOLDS, "one score per data set")
        more, options = ["datasets"], {}
    plan: Plan = test.call(x, rope=rope, seed=args.seed, **options).plan(
        **args.take_given(*more), **_read_common(args)
    )
    return plan


def _plan_questions_from_data(items: Items, rope: Any, args: Arguments) -> Plan | ItemPlan:
    """Plan more questions of one benchmark, or more benchmarks."""
    from bayescmp.study.compare import compare

    args.refuse(("folds", "more_folds", "prior", "plot"), FOLDS, "answers to questions")
    several = len(items.benchmarks) > 1
    more = args.take_given("datasets") if several else {}
    if not several:
        args.refuse(("datasets", "simulations", "n_jobs"), "several benchmarks", "one")
    common = _read_common(args) if several else args.take_options("threshold")
    posterior: Any = compare(
        items, *args.pair_of(items), rope=rope, test=args.test, rho=args.rho, seed=args.seed
    )
    plan: Plan | ItemPlan = posterior.plan(**more, **common)
    return plan


def _plan_from_assumptions(args: Arguments) -> Plan:
    from bayescmp.study.planning import plan

    for option in ("delta0", "sigma0", "rho", "rope"):
        if getattr(args, option) is None:
            raise must(
                option,
                "be given without a table of scores",
                hint="To plan questions, give --difference and --between.",
            )
    return plan(
        rope=args.read_rope(),
        prior=args.read_prior(),
        **args.take_options("delta0", "sigma0", "rho"),
        **args.take_given("datasets", "folds", "nu", "noise"),
        **_read_common(args),
    )


def _read_common(args: Arguments) -> dict[str, Any]:
    """Return how studies are simulated and decided."""
    options = args.take_options("threshold", "simulations", "seed", "n_jobs")
    return {**options, "progress": True}


def _plan_questions(args: Arguments) -> None:
    """Plan questions and answers with assumptions, and find the cheapest numbers."""
    from bayescmp.study.planning import plan_items

    for option in ("difference", "between", "rope"):
        if getattr(args, option) is None:
            raise must(option, "be given to plan questions without answers")
    result = plan_items(
        rope=args.read_rope(),
        **args.take_options("difference", "between", "within", "threshold", "power"),
        **args.take_given("questions", "epochs"),
    )
    costs = args.take_given("cost_question", "cost_answer")
    if len(costs) == 1:
        (given,) = costs
        absent = "cost_answer" if given == "cost_question" else "cost_question"
        raise must(absent, f"be given with --{given.replace('_', '-')}")
    if not costs:
        args.show(result, result.to_dict)
        return
    best = result.cheapest(**costs)
    sentence = (
        f"Cheapest with power {args.power:g}: {format_count(best.questions, 'question')} "
        f"and {format_count(best.epochs, 'epoch')}, for {best.cost:g}."
    )
    args.show([result, sentence], lambda: {**result.to_dict(), "cheapest": best.to_dict()})
