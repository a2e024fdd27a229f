"""`bayescmp best`, `rank` and `procedure`: several algorithms over data sets, in order."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from bayescmp.commands.shared import (
    GAP,
    check_level,
    draw_to,
    read_rope,
    read_scores,
    show,
    taken,
)
from bayescmp.commands.table import RATES, READING, command
from bayescmp.errors import InputError, unknown_name
from bayescmp.wording.text import folded

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.bayesian.joint.standings import JointBase
    from bayescmp.frequentist import PosthocResult, TestResult
    from bayescmp.scores.metrics import Direction


# `bayescmp best`: which of several algorithms is best over several data sets.


METHODS = ("bootstrap", "joint_t", "friedman", "bradley_terry", "plackett_luce")
#: Those whose rope is not in units of the metric, and is not needed.
OF_ORDER = ("friedman", "bradley_terry", "plackett_luce")


@command(
    "best",
    "which of several algorithms is best over several data sets",
    "For each algorithm, the probability of being best on the next data set and on average over "
    "data sets, and its ranks; and the sets of algorithms that are all within the rope of the "
    "best.",
    f"scores --metric {READING} --rope --method=bootstrap --engine --seed --out --plot --json",
    {
        "--rope": "region of practical equivalence: half-width, or 1%%",
        "--method": {
            "choices": METHODS,
            "help": "bootstrap (default): Bayesian bootstrap over data sets, fast; joint_t: one "
            "hierarchical model of all algorithms, which needs folds and Stan; friedman: by ranks "
            "(the rope is in ranks, 0 by default); bradley_terry: by wins, plackett_luce: by "
            "whole rankings (the rope of both is in chances of winning)",
        },
        "--engine": "engine of joint_t (default auto)",
        "--out": "write the ranking as CSV",
        "--plot": "write the plot of P(best) (png, svg, pdf)",
        "--json": "print the ranking and sets as JSON",
    },
)
def find_best(args: argparse.Namespace) -> int:
    """Fit, print, and write what was asked for."""
    from bayescmp.base.files import replacing

    posterior = _fitted(args)
    if args.out:
        with replacing(args.out) as part:
            posterior.overview().to_csv(part)
    if args.plot:
        draw_to(args.plot, posterior.figure_size(), posterior.plot)
    show(
        args,
        lambda: f"{posterior}\n{posterior.explain()}",
        lambda: json.dumps(_as_json(posterior), indent=2),
        gap=GAP,
    )
    return 0


def _fitted(args: argparse.Namespace) -> JointBase:
    from bayescmp import bayesian
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


#: Tests of all algorithms: which function of `bayescmp.frequentist` each calls; Friedman's comes
#: before tests of single pairs.
TESTS = {
    "friedman": "friedman",
    "iman-davenport": "iman_davenport",
    "aligned": "friedman_aligned_ranks",
    "quade": "quade",
    "wilcoxon": "friedman",
    "sign": "friedman",
    "skillings-mack": "skillings_mack",
    "durbin": "durbin",
    "page": "page_trend",
}
#: Tests of all algorithms that compare no pairs.
OMNIBUS = ("skillings-mack", "page")


@command(
    "rank",
    "rank several algorithms over data sets, and test which differ",
    "Average ranks, an omnibus rank test, and adjusted comparisons of all pairs or with a "
    "control. Scores of folds are averaged on each data set.",
    f"scores --metric {READING} --test=friedman --adjust --control --alpha --method=asymptotic "
    "--seed --variance --distribution --order --diagram --heatmap --json",
    {
        "--test": ", ".join(TESTS),
        "--control": "compare with this algorithm only",
        "--alpha": "family-wise level",
        "--method": "p-value of the omnibus test: asymptotic, exact or permutation",
        "--seed": "seed of --method permutation",
    },
)
def rank_algorithms(args: argparse.Namespace) -> int:
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
    _write(pairs, args)
    answer = way, ranks, omnibus, pairs, args.alpha
    show(args, lambda: _as_text(*answer), lambda: _ranks_as_json(*answer))
    return 0


def _check(args: argparse.Namespace) -> str:
    """Refuse what can't be done before the work is done."""
    test = str(args.test).strip().lower().replace("_", "-")
    if test not in TESTS:
        raise unknown_name("test", args.test, TESTS)
    if args.order is not None and test != "page":
        raise InputError(f"--order is for --test page, and the test is {test}")
    check_level(args)
    for option in ("diagram", "heatmap"):
        if getattr(args, option) is not None and test in OMNIBUS:
            raise InputError(f"--{option}: {test} compares no pairs, so there is no plot")
    return test


def _omnibus(test: str, table: pd.DataFrame, lower: bool, args: argparse.Namespace) -> TestResult:
    """The test of all algorithms at once; Friedman's before tests of single pairs."""
    from bayescmp import frequentist

    function = getattr(frequentist, TESTS[test])
    options: Json = {"lower_is_better": lower}
    if test == "page":
        options["order"] = args.order
    elif test not in ("skillings-mack", "durbin"):
        options |= taken(args, "method", "seed")
    result: TestResult = function(table, **options)
    return result


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


def _write(pairs: PosthocResult | None, args: argparse.Namespace) -> None:
    from bayescmp.plots import critical_difference
    from bayescmp.plots.pairs import plot_pvalues, pvalues_size

    if pairs is not None and args.diagram:
        size = critical_difference.figure_size(pairs, alpha=args.alpha)
        plot = critical_difference.plot_critical_difference
        draw_to(args.diagram, size, lambda ax: plot(pairs, ax=ax, alpha=args.alpha))
    if pairs is not None and args.heatmap:
        size = pvalues_size(pairs)
        draw_to(args.heatmap, size, lambda ax: plot_pvalues(pairs, ax=ax, alpha=args.alpha))


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
) -> Json:
    return {
        "metric": way.metric,
        "directions": [way.to_dict()],
        "ranks": ranks.frame.reset_index().to_dict(orient="records"),
        "omnibus": omnibus.to_dict(),
        "posthoc": None if pairs is None else pairs.to_dict(),
        "alpha": alpha,
        "cliques": None if pairs is None else [list(c) for c in pairs.cliques(alpha)],
    }


# `bayescmp procedure`: the tests that a table of scores calls for, up to the ranking.


@command(
    "procedure",
    "the tests that the scores call for: on each data set, over data sets, a ranking",
    "Reads the kind of comparison from the scores (one or several metrics, two or several "
    "algorithms, one or several data sets), tests on each data set, counts which algorithm wins "
    "by lower risk, and tests the wins over data sets.",
    f"scores --metric... --algorithm {READING} --dataset... --cost --pairwise --rho --plain "
    "--alpha --adjust=bonferroni --wins --json",
    {
        "--metric": RATES,
        "--alpha": "level of each step (default 0.05)",
        "--adjust": "adjustment of the pairs and of the sign tests (default bonferroni): "
        "{adjustments}",
    },
)
def follow_procedure(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.study.procedure import procedure

    result = procedure(
        read_scores(args),
        metrics=args.metric,
        datasets=args.dataset,
        corrected=not args.plain,
        costs=_costs(args.cost),
        **taken(args, "algorithms", "alpha", "rho", "pairwise", "adjust"),
    )
    if args.wins:
        from bayescmp.plots import pairs

        draw_to(args.wins, pairs.wins_size(result), lambda ax: pairs.plot_wins(result, ax=ax))
    show(args, lambda: result, result.to_dict)
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
