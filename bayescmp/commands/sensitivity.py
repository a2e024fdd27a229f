"""`bayescmp sensitivity`: on what does a verdict depend, and how few data sets change it?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from bayescmp.base.typing import as_json
from bayescmp.commands.parser import (
    BAYESIAN,
    Parser,
    add_errors,
    add_group,
    add_reading,
    add_shared,
    add_table,
)
from bayescmp.commands.shared import Arguments, read_ropes, rope_of_test
from bayescmp.errors import InputError
from bayescmp.wording.text import fold_text

if TYPE_CHECKING:
    from bayescmp.catalogue import BayesianTest
    from bayescmp.items.items import Items
    from bayescmp.results.posterior import Fitted, Posterior
    from bayescmp.scores.means import Means
    from bayescmp.scores.scores import Scores

USAGE = "TABLE [A B] [--rope ROPE] [options]"
EXAMPLE = "scores.csv knn gbm --metric accuracy --rope 0.01"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_table(parser, "two algorithms (default: the only two of the table)")
    asked = parser.add_argument_group("what is compared")
    add_shared(asked, "--metric", "--rope", several=True)
    add_shared(asked, "--dataset", "--scale")
    add_group(parser, "how it is tested", *BAYESIAN)
    add = parser.add_argument_group("what is varied").add_argument
    refit = "fit again if a sampler's reweighted draws are unreliable (k-hat over 0.7)"
    add("--refit", action="store_true", help=refit)
    add("--most", type=int, default=10, help="leave out at most so many (default 10)")
    add("--seconds", type=float, default=10.0, help="search so long at most (default 10)")
    add_group(parser, "output", "--full", "--json", "--plot")
    add_errors(parser)
    add_reading(parser)


def run(args: Arguments) -> None:
    """On what does a verdict depend?

    It is shown under other priors, correlations of folds, ROPEs and thresholds, and without
    each data set in turn, as far as its test has these. Then the fewest data sets, folds or
    questions are searched without which the verdict would change. A test of several algorithms
    (groups, joint_t, bootstrap, ...) reports on all pairs, without this search.
    """
    from bayescmp.results.posterior import Posterior

    posterior = _fit_typed(args)
    result = posterior.sensitivity(
        progress=sys.stderr.isatty(), **args.take_options("threshold", "refit")
    )
    args.draw("plot", result.figure_size, result.plot)
    document: dict[str, Any] = {
        "test": posterior.kind,
        "directions": [way.to_dict() for way in posterior.directions],
        "rows": as_json(result.frame),
        "text": result.explain(),
        "fragility": None,
    }
    shown: list[object] = [result]
    if isinstance(posterior, Posterior):
        try:
            fragility = posterior.fragility(**args.take_options("threshold", "most", "seconds"))
        except InputError as error:
            if error.argument is not None:
                raise
            shown.append(fold_text(str(error)))
        else:
            document["fragility"] = fragility.to_dict()
            shown.append(fragility)
    args.show(shown, lambda: document)


def _fit_typed(args: Arguments) -> Fitted:
    """Fit the posterior of two algorithms, or of all where the test takes several."""
    from bayescmp.catalogue import GROUP, bayesian_tests
    from bayescmp.items.items import Items
    from bayescmp.scores.means import Means

    ropes, prior = read_ropes(args.rope, args.metric), args.read_prior()
    scores = args.read_any()
    if isinstance(scores, Items | Means):
        return _of_two(scores, ropes, prior, args)
    for test in bayesian_tests():
        if test.algorithms == GROUP and test.name == args.test.replace("-", "_"):
            return _of_all(scores, test, args)
    return _of_two(scores, ropes, prior, args)


def _of_two(
    scores: Scores | Items | Means, rope: Any, prior: object, args: Arguments
) -> Posterior:
    from bayescmp.items.items import Items
    from bayescmp.scores.means import Means
    from bayescmp.study.compare import compare

    if isinstance(scores, Items):
        all_models = not args.algorithms and len(scores.models) > 2
        first, second = (None, None) if all_models else args.pair_of(scores)
        metric, engine = None, args.engine
    elif isinstance(scores, Means):
        first, second = args.pair_of(scores)
        metric, engine = None, args.engine
    else:
        metrics = args.metric or [scores.sole_metric]
        first, second = args.pair_of(scores)
        metric = metrics[0] if len(metrics) == 1 else metrics
        engine = _engine(scores, len(metrics), args)
    return compare(
        scores,
        first,
        second,
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
    args.refuse(["prior"], "a test of two algorithms", f"--test {args.test}")
    if args.algorithms:
        scores = scores.select(algorithms=args.names_of(scores))
    engine = None if args.engine == "auto" else args.engine  # None also allows a closed form
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
