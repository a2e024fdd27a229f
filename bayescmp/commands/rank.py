"""`bayescmp rank`: several algorithms over data sets, by rank tests with a diagram."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from bayescmp.commands._options import add_scores, check_files, read_scores
from bayescmp.errors import InputError, unknown_name
from bayescmp.text import folded

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.commands._options import Subparsers
    from bayescmp.frequentist import PosthocResult, TestResult
    from bayescmp.metrics import Direction

__all__ = ["register", "run"]

TESTS = ("friedman", "iman-davenport", "aligned", "quade", "wilcoxon", "sign", "skillings-mack",
         "durbin", "page")  # fmt: skip
#: Tests of all algorithms that compare no pairs.
OMNIBUS = ("skillings-mack", "page")
FILES = ("diagram", "heatmap")


def register(subparsers: Subparsers) -> None:
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
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
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
        print(_as_json(way, ranks, omnibus, pairs, args.alpha))
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

    from bayescmp.plots import critical_difference, pvalues, save

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
        ax = Figure(figsize=pvalues.figure_size(pairs), layout="constrained").add_subplot()
        save(pvalues.plot_pvalues(pairs, ax=ax, alpha=args.alpha), args.heatmap)
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


def _as_json(
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
