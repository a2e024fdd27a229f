"""`bayescmp rank`: which of several algorithms is best over data sets, and whose ranks differ."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from bayescmp.base.arguments import arg, must
from bayescmp.commands.parser import Parser, add_group, add_reading, add_shared, add_table
from bayescmp.commands.shared import (
    GAP,
    Arguments,
    as_records,
    must_be_used,
    named_values,
    rope_of_test,
    tell,
)
from bayescmp.errors import InputError, unknown_name
from bayescmp.summaries.chosen import describe_chosen
from bayescmp.wording.text import fold_text, format_count, join_items

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.bayesian.joint.standings import StandingsPosterior
    from bayescmp.catalogue import BayesianTest
    from bayescmp.frequentist import PosthocResult, TestResult
    from bayescmp.scores.metrics import Direction
    from bayescmp.scores.scores import Scores

#: Frequentist tests of all algorithms: which function of `bayescmp.frequentist` each calls;
#: Friedman's comes before tests of single pairs.
TESTS = {
    "friedman": "friedman",
    "iman-davenport": "iman_davenport",
    "aligned": "friedman_aligned_ranks",
    "quade": "quade",
    "wilcoxon": "friedman",
    "sign": "friedman",
    "skillings-mack": "skillings_mack",
    "page": "page_trend",
}
#: Tests of all algorithms that compare no pairs.
OMNIBUS = ("skillings-mack", "page")
#: The two answers, as messages name them, with their own options.
BEST, RANKS = "a Bayesian test", "rank tests"
TAKES = {
    BEST: "rope engine questions weight out plot",
    RANKS: "adjust control alpha method variance distribution order diagram heatmap",
}

USAGE = "TABLE [ALGORITHM ...] [--rope ROPE] [options]"
EXAMPLE = "scores.csv --metric accuracy --rope 0.01 --plot best.png"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_table(parser, "rank only these (default: all)", answers=False)
    group = add_group(parser, "what is ranked", "--metric")
    test = "auto (default): bootstrap with --rope, friedman without; or a test named below"
    add_shared(group, "--test", help=test)
    add_shared(group, "--seed")
    add_group(parser, "output", "--full", "--json")
    _add_bayesian(parser)
    _add_frequentist(parser)
    add_reading(parser, answers=False)


def _add_bayesian(parser: Parser) -> None:
    group = parser.add_argument_group(
        "which is best, with --rope",
        "--test bootstrap (default): Bayesian bootstrap over data sets, fast; leaderboard: "
        "the average over these benchmarks, given new questions; joint_t: one "
        "hierarchical model of all algorithms, which needs folds; bayesian_friedman: by "
        "ranks (the ROPE is in ranks); bradley_terry: by wins, and plackett_luce: by whole "
        "rankings (the ROPE is in probabilities of winning). The last three need no ROPE.",
    )
    rope = "how far from the best is practically as good: 0.01, 1%%, or --rope=-0.01,inf"
    add_shared(group, "--rope", help=rope)
    add = group.add_argument
    questions = "questions behind each mean, one number or BENCHMARK=N of each (leaderboard)"
    add("--questions", metavar="N", nargs="+", help=questions)
    weight = "how much a data set counts (bootstrap and leaderboard; repeatable)"
    add("--weight", metavar="NAME=NUMBER", action="append", help=weight)
    add_shared(group, "--engine", help="engine of joint_t (default auto)")
    add("--out", metavar="FILE", help="write the ranking as CSV")
    add_shared(group, "--plot", help="write the plot of P(best) (png, svg, pdf)")


def _add_frequentist(parser: Parser) -> None:
    """Add the options of rank tests."""
    group = parser.add_argument_group("rank tests, without --rope", f"--test {', '.join(TESTS)}")
    add_shared(group, "--alpha", "--adjust")
    add = group.add_argument
    add("--control", metavar="NAME", help="compare with this algorithm only")
    method = "p-value of the test of all: asymptotic (default), exact or permutation"
    add("--method", default="asymptotic", help=method)
    distribution = "of the comparisons: normal (default), t (Conover's test, Quade's) or exact"
    add("--distribution", default="normal", help=distribution)
    variance = "permutation (default), or published: the formulas as printed in papers"
    add("--variance", default="permutation", help=variance)
    order = "page: an algorithm, from the worst to the best expected (repeatable)"
    add("--order", metavar="NAME", action="append", help=order)
    add("--diagram", metavar="FILE", help="write the critical-difference diagram")
    add("--heatmap", metavar="FILE", help="write the heat map of p-values")


def tests_over_datasets() -> dict[str, BayesianTest]:
    """Return the Bayesian tests of several algorithms over data sets, by name."""
    from bayescmp.catalogue import GROUP, SEVERAL, bayesian_tests

    tests = (t for t in bayesian_tests() if (t.algorithms, t.datasets) == (GROUP, SEVERAL))
    return {test.name: test for test in tests}


def run(args: Arguments) -> None:
    """Which of several algorithms is best over several data sets?

    With --rope: for each algorithm the probability of being best on a new data set and on
    average, its ranks, and the sets of algorithms that are practically as good as the best.
    Without: average ranks, Friedman's test, and adjusted comparisons of all pairs or with a
    control. Scores of folds are averaged on each data set.
    """
    name = str(args.test).strip().lower()
    if name == "auto":
        name = "friedman" if args.rope is None else "bootstrap"
    known = tests_over_datasets()
    if name.replace("-", "_") in known:
        args.keep_to(TAKES, BEST, f"--test {name}")
        _find_best(known[name.replace("-", "_")], args)
        return
    test = name.replace("_", "-")
    if test not in TESTS:
        raise unknown_name("test", args.test, [*known, *TESTS])
    args.keep_to(TAKES, RANKS, f"--test {test}")
    _test_ranks(test, args)


def _read(args: Arguments, least: int, alone: str) -> Scores:
    """Read the scores of the algorithms that are named, or of all; at least two or three."""
    scores = args.read_only_scores()
    known = scores.algorithms
    scores = scores.select(algorithms=args.names_of(scores)) if args.algorithms else scores
    names, table, metric = scores.algorithms, shlex.quote(args.table), args.typed_metric
    if len(names) < least:
        both = " ".join(map(shlex.quote, names)) if len(known) > 2 else ""
        pair = (
            f" For two use `bayescmp crosscheck {table} {both}".rstrip()
            + f"{metric} --rope 0.01`."
        )
        raise InputError(
            f"Algorithms must be at least {least} for this ranking (got "
            f"{', '.join(map(repr, names))}).{pair if len(names) == 2 else ''}",
            "algorithms",
        )
    if len(scores.datasets) < 2:
        raise InputError(
            "Data sets must be at least two for a ranking over them (got "
            f"{scores.datasets[0]!r}). For one use `bayescmp {alone.format(table)}{metric}`.",
            "table",
        )
    return scores


# Which is best.


def _find_best(test: BayesianTest, args: Arguments) -> None:
    """Print the probabilities of being best."""
    scores = _read(args, 2, "compare {} --test groups --rope 0.01")
    if test.folds > 1 and not scores.has_folds:
        raise must(
            "test", "take means", f"{test.name}, which needs folds", "Use --test bootstrap."
        )
    given = args.take_options("metric", "seed")
    if args.engine != "auto":
        _check_takes(test, "engine", "--engine")
        given["engine"] = args.engine
    if args.questions:
        _check_takes(test, "questions", "--questions")
        given["questions"] = _by_benchmark("--questions", args.questions)
    if args.weight:
        _check_takes(test, "weights", "--weight")
        given["weights"] = _by_benchmark("--weight", args.weight)
    if args.rope is not None:
        given["rope"] = rope_of_test(test, args.rope, scores, args.metric)
    posterior: StandingsPosterior = test.call(scores, **given)
    args.write_table("out", posterior.overview(), index=True)
    args.draw("plot", posterior.figure_size, posterior.plot)
    expected = [] if posterior.means is None else [describe_chosen(posterior.chosen())]
    args.show(
        [posterior, *([] if args.full else map(fold_text, expected))],
        lambda: json.dumps(_ranking(posterior), indent=2),
        gap=GAP,
    )


def _check_takes(test: BayesianTest, option: str, typed: str) -> None:
    """Refuse what other tests take."""
    if option not in test.options():
        known = (
            name for name, other in tests_over_datasets().items() if option in other.options()
        )
        raise must_be_used(typed[2:], f"--test {' or '.join(known)}", f"--test {test.name}")


def _by_benchmark(option: str, given: Sequence[str]) -> float | dict[str, float]:
    """Read one number for all benchmarks, or BENCHMARK=NUMBER of each."""
    alone = option == "--questions" and len(given) == 1 and "=" not in given[0]
    typed = {"all": given[0]} if alone else named_values(option, given, "BENCHMARK=NUMBER")
    try:
        numbers = {name: float(value) for name, value in typed.items()}
    except ValueError:
        raise must(option, "be BENCHMARK=NUMBER", " ".join(given)) from None
    return numbers["all"] if alone else numbers


def _ranking(posterior: StandingsPosterior) -> Json:
    return {
        "method": posterior.method,
        "metric": posterior.metric,
        "rope": posterior.rope.ends,
        "seed": posterior.seed,
        "engine": posterior.engine,
        "diagnostics_ok": posterior.diagnostics.ok,
        "notes": list(posterior.notes),
        "ranking": as_records(posterior.overview().reset_index()),
        "top_sets": as_records(posterior.top_sets().reset_index()),
        "best": {on: posterior.best(on) for on in posterior.targets},
        "rank_intervals": as_records(posterior.rank_intervals().reset_index()),
        "chosen": None if posterior.means is None else asdict(posterior.chosen()),
    }


# Rank tests.


def _test_ranks(test: str, args: Arguments) -> None:
    """Print average ranks, the test of all algorithms, and the comparisons of pairs."""
    from bayescmp import frequentist
    from bayescmp.plots import critical_difference, matrices
    from bayescmp.scores.pairing import paired_by

    _check_test(test, args)
    args.hidden |= {"diagram", "heatmap"} if test in OMNIBUS else set()
    scores = _read(args, 3, "procedure {}")
    metric = args.metric or scores.sole_metric
    if test != "skillings-mack":
        scores = _complete(scores, metric, test)
    table, lower = scores.means(metric), scores.lower_is_better(metric)
    ranks = frequentist.average_ranks(table, lower_is_better=lower)
    omnibus = replace(_test_all(test, table, lower, args), pairing=paired_by(scores.unit))
    pairs = None if test in OMNIBUS else _test_pairs(test, table, lower, args)
    if pairs is not None:
        alpha, draw = args.alpha, critical_difference.plot_critical_difference
        size = partial(critical_difference.figure_size, alpha=alpha)
        args.draw("diagram", size, draw, pairs, alpha=alpha)
        args.draw("heatmap", matrices.pvalues_size, matrices.plot_pvalues, pairs, alpha=alpha)
    answer = ranks, omnibus, pairs, args.alpha
    args.show(_ranks_as_text(*answer), lambda: _ranks_as_dict(scores.direction(metric), *answer))


def _check_test(test: str, args: Arguments) -> None:
    """Refuse what cannot be done before the work is done."""
    if args.order is not None and test != "page":
        raise must_be_used("order", "--test page", f"--test {test}")
    args.check_level()
    for option in ("diagram", "heatmap"):
        if getattr(args, option) is not None and test in OMNIBUS:
            raise must_be_used(
                option,
                "a test that compares pairs",
                f"--test {test}",
                f"Leave out --test; {arg('missing', 'common')} leaves out data sets that lack "
                "scores.",
            )


def _complete(scores: Scores, metric: str, test: str) -> Scores:
    """Return the data sets on which every algorithm has a score, as the test needs them."""
    there = scores.frame[scores.there(metric)][["dataset", "algorithm"]].astype(str)
    seen = set(there.itertuples(index=False, name=None))
    missing = [p for p in product(scores.datasets, scores.algorithms) if p not in seen]
    if not missing:
        return scores
    gaps = list(dict.fromkeys(dataset for dataset, _ in missing))
    kept = [dataset for dataset in scores.datasets if dataset not in gaps]
    dataset, algorithm = missing[0]
    if scores.on_missing == "common" and len(kept) > 1:
        left = format_count(len(gaps), "data set")
        tell([f"left out {left} without a score of every algorithm: {join_items(gaps)}"])
        return scores.select(datasets=kept)
    leave_out = f"{arg('missing', 'common')} leaves out these data sets. " if len(kept) > 1 else ""
    raise InputError(
        f"{algorithm!r} must have a score on data set {dataset!r}, since {test} needs one of "
        f"every algorithm on every data set (got none). {leave_out}--missing common --test "
        "skillings-mack uses all scores.",
        "table",
    )


def _test_all(test: str, table: pd.DataFrame, lower: bool, args: Arguments) -> TestResult:
    """Test all algorithms at once; by Friedman before tests of single pairs."""
    from bayescmp import frequentist

    function = getattr(frequentist, TESTS[test])
    given: Json = {"lower_is_better": lower}
    if test == "page":
        given["order"] = args.order
    elif test != "skillings-mack":
        given |= args.take_options("method", "seed")
    result: TestResult = function(table, **given)
    return result


def _test_pairs(test: str, table: pd.DataFrame, lower: bool, args: Arguments) -> PosthocResult:
    from bayescmp import frequentist

    given: Any = {"adjust": args.adjust, "control": args.control, "lower_is_better": lower}
    return frequentist.posthoc(
        table, test=test, variance=args.variance, distribution=args.distribution, **given
    )


def _ranks_as_text(
    ranks: object, omnibus: TestResult, pairs: PosthocResult | None, alpha: float
) -> list[object]:
    if pairs is None:
        return [ranks, omnibus]
    other = "" if pairs.control is None else f" from {pairs.control}"
    same = fold_text(f"(underlined together: not found different{other} at level {alpha:g})")
    return [ranks, omnibus, pairs, f"{pairs.underline(alpha)}\n{same}"]


def _ranks_as_dict(
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
