"""`bayescmp best`, `rank` and `procedure`: several algorithms over data sets, in order."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from bayescmp.commands._options import add_scores, check_files, draw_to, read_rope, read_scores
from bayescmp.commands.algorithms import add_table
from bayescmp.errors import InputError, unknown_name
from bayescmp.wording.text import folded

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.bayesian.joint.standings import JointBase
    from bayescmp.commands._options import Subparsers
    from bayescmp.frequentist import PosthocResult, TestResult
    from bayescmp.scores.metrics import Direction

__all__ = [
    "register_procedure",
    "register_rank",
]


# `bayescmp best`: which of several algorithms is best over several data sets.


METHODS = ("bootstrap", "joint_t", "friedman", "bradley_terry", "plackett_luce")
#: Those whose rope is not in units of the metric, and is not needed.
OF_ORDER = ("friedman", "bradley_terry", "plackett_luce")


def register_best(subparsers: Subparsers) -> None:
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
    parser.set_defaults(run=run_best)


def run_best(args: argparse.Namespace) -> int:
    """Fit, print, and write what was asked for."""
    from bayescmp.base.files import replacing

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
    from bayescmp.errors import InputError
    from bayescmp.study.compare import region_of_table

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


# `bayescmp rank`: several algorithms over data sets, by rank tests with a diagram.


TESTS = ("friedman", "iman-davenport", "aligned", "quade", "wilcoxon", "sign", "skillings-mack",
         "durbin", "page")  # fmt: skip
#: Tests of all algorithms that compare no pairs.
OMNIBUS = ("skillings-mack", "page")
FILES = ("diagram", "heatmap")


def register_rank(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "rank",
        help="rank several algorithms over data sets, and test which differ",
        description="Average ranks, an omnibus rank test, and adjusted comparisons of all pairs "
        "or with a control. Scores of folds are averaged on each data set.",
    )
    add_scores(parser)
    parser.add_argument("--test", default="friedman", help=", ".join(TESTS))
    parser.add_argument(
        "--adjust",
        default="holm",
        help="holm, bonferroni, hommel, nemenyi, shaffer, bergmann-hommel, ... (default holm)",
    )
    parser.add_argument("--control", help="compare with this algorithm only")
    parser.add_argument("--alpha", type=float, default=0.05, help="family-wise level")
    parser.add_argument(
        "--method",
        default="asymptotic",
        help="p-value of the omnibus test: asymptotic, exact or permutation",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of --method permutation")
    parser.add_argument(
        "--variance",
        default="permutation",
        help="permutation, or published: the formulas as printed, for reproducing papers",
    )
    parser.add_argument(
        "--distribution",
        default="normal",
        help="distribution of the comparisons: normal, t (Conover's test, Quade's) or exact",
    )
    parser.add_argument(
        "--order",
        action="append",
        metavar="NAME",
        help="an algorithm, from the worst to the best expected, for --test page (repeatable)",
    )
    parser.add_argument("--diagram", metavar="FILE", help="write the critical-difference diagram")
    parser.add_argument("--heatmap", metavar="FILE", help="write the heat map of p-values")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run_rank)


def run_rank(args: argparse.Namespace) -> int:
    """Rank, test, print, and write what was asked for."""
    from bayescmp import frequentist

    test = _check(args)
    scores = read_scores(args)
    metric = args.metric or scores.sole_metric
    way = scores.direction(metric)
    table = scores.means(metric)
    lower = scores.lower_is_better(metric)
    ranks = frequentist.average_ranks(table, lower_is_better=lower)
    omnibus = _omnibus(test, table, lower, args)
    pairs = None if test in OMNIBUS else _pairs(test, table, lower, args)
    written = _write(pairs, args)
    if args.json:
        print(_ranks_as_json(way, ranks, omnibus, pairs, args.alpha))
        return 0
    print(_as_text(way, ranks, omnibus, pairs, args.alpha))
    for path in written:
        print(f"written {path}")
    return 0


def _check(args: argparse.Namespace) -> str:
    """Refuse what can't be done before the work is done."""
    test = str(args.test).strip().lower().replace("_", "-")
    if test not in TESTS:
        raise unknown_name("test", args.test, TESTS)
    if args.order is not None and test != "page":
        raise InputError(f"--order is for --test page, and the test is {test}")
    if not 0 < args.alpha < 1:
        raise InputError(f"--alpha {args.alpha}; accepted: between 0 and 1, exclusive")
    for option in FILES:
        if getattr(args, option) is not None and test in OMNIBUS:
            raise InputError(f"--{option}: {test} compares no pairs, so there is no plot")
    check_files(args, FILES)
    return test


def _omnibus(test: str, table: pd.DataFrame, lower: bool, args: argparse.Namespace) -> TestResult:
    """The test of all algorithms at once; Friedman's before tests of single pairs."""
    from bayescmp import frequentist

    if test == "page":
        return frequentist.page_trend(table, order=args.order, lower_is_better=lower)
    if test in ("skillings-mack", "durbin"):
        function = frequentist.durbin if test == "durbin" else frequentist.skillings_mack
        return function(table, lower_is_better=lower)
    omnibus = {
        "iman-davenport": frequentist.iman_davenport,
        "aligned": frequentist.friedman_aligned_ranks,
        "quade": frequentist.quade,
    }.get(test, frequentist.friedman)
    return omnibus(table, lower_is_better=lower, method=args.method, seed=args.seed)


def _pairs(test: str, table: pd.DataFrame, lower: bool, args: argparse.Namespace) -> PosthocResult:
    """The test of all pairs, or of each algorithm and the control."""
    from bayescmp import frequentist

    given = {"adjust": args.adjust, "control": args.control, "lower_is_better": lower}
    if test == "durbin":
        variance = "published" if args.variance == "published" else "design"
        return frequentist.pairwise_durbin(table, variance=variance, **given)
    return frequentist.posthoc(
        table, test=test, variance=args.variance, distribution=args.distribution, **given
    )


def _write(pairs: PosthocResult | None, args: argparse.Namespace) -> list[str]:
    """The plots, on figures that no window system knows of."""
    from matplotlib.figure import Figure

    from bayescmp.plots import critical_difference, save
    from bayescmp.plots.pairs import plot_pvalues, pvalues_size

    written = []
    if pairs is not None and args.diagram:
        size = critical_difference.figure_size(pairs, alpha=args.alpha)
        ax = Figure(figsize=size, layout="constrained").add_subplot()
        save(
            critical_difference.plot_critical_difference(pairs, ax=ax, alpha=args.alpha),
            args.diagram,
        )
        written.append(args.diagram)
    if pairs is not None and args.heatmap:
        ax = Figure(figsize=pvalues_size(pairs), layout="constrained").add_subplot()
        save(plot_pvalues(pairs, ax=ax, alpha=args.alpha), args.heatmap)
        written.append(args.heatmap)
    return written


def _as_text(
    way: Direction, ranks: object, omnibus: TestResult, pairs: PosthocResult | None, alpha: float
) -> str:
    parts = [f"metric: {way}", str(ranks), str(omnibus)]
    if pairs is not None:
        parts.append(str(pairs))
        same = "underlined together: " + (
            "not found different"
            if pairs.control is None
            else f"not found different from {pairs.control}"
        )
        parts.append(f"{pairs.underline(alpha)}\n" + folded(f"({same} at level {alpha:g})"))
    return "\n\n".join(parts)


def _ranks_as_json(
    way: Direction, ranks: Any, omnibus: TestResult, pairs: PosthocResult | None, alpha: float
) -> str:
    result = {
        "metric": way.metric,
        "directions": [way.to_dict()],
        "ranks": ranks.frame.reset_index().to_dict(orient="records"),
        "omnibus": omnibus.to_dict(),
        "posthoc": None if pairs is None else pairs.to_dict(),
        "alpha": alpha,
        "cliques": None if pairs is None else [list(c) for c in pairs.cliques(alpha)],
    }
    return json.dumps(result, indent=2, allow_nan=False)


# `bayescmp procedure`: the tests that a table of scores calls for, up to the ranking.


def register_procedure(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "procedure",
        help="the tests that the scores call for: on each data set, over data sets, a ranking",
        description="Reads the kind of comparison from the scores (one or several metrics, two or "
        "several algorithms, one or several data sets), tests on each data set, counts which "
        "algorithm wins by lower risk, and tests the wins over data sets.",
    )
    add_table(parser)
    parser.add_argument(
        "--dataset", action="append", metavar="NAME", help="use these only (repeatable)"
    )
    parser.add_argument(
        "--cost",
        action="append",
        default=[],
        metavar="METRIC=NUMBER",
        help="what a unit of a metric costs, e.g. --cost fp=1 --cost fn=5 (default: fp and fn 1 "
        "each; a single metric is its own risk)",
    )
    parser.add_argument(
        "--pairwise", help="tukey (default) or t; for several metrics hotelling or two-sample"
    )
    parser.add_argument("--rho", type=float, help="correlation of folds, if not 1/folds")
    parser.add_argument(
        "--plain", action="store_true", help="use tests that ignore the overlap of folds"
    )
    parser.add_argument("--alpha", type=float, default=0.05, help="level of each step")
    parser.add_argument(
        "--adjust", default="bonferroni", help="adjustment of the pairs and of the sign tests"
    )
    parser.add_argument("--wins", metavar="FILE", help="write the wins diagram")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run_procedure)


def run_procedure(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.study.procedure import procedure

    check_files(args, ("wins",))
    result = procedure(
        read_scores(args),
        metrics=args.metric,
        algorithms=args.algorithm,
        datasets=args.dataset,
        alpha=args.alpha,
        corrected=not args.plain,
        rho=args.rho,
        pairwise=args.pairwise,
        adjust=args.adjust,
        costs=_costs(args.cost),
    )
    if args.wins:
        from bayescmp.plots import pairs

        draw_to(args.wins, pairs.wins_size(result), lambda ax: pairs.plot_wins(result, ax=ax))
    if args.json:
        print(json.dumps(result.to_dict(), indent=2, allow_nan=False))
        return 0
    print(result)
    if args.wins:
        print(f"written {args.wins}")
    return 0


def _costs(given: list[str]) -> dict[str, float] | None:
    costs = {}
    for text in given:
        name, equals, number = text.partition("=")
        try:
            costs[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"--cost {text!r}; accepted: METRIC=NUMBER, e.g. fn=5")
    return costs or None
