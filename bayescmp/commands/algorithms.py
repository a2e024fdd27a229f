"""Several algorithms: which is best, ranks, groups, several metrics, and all pairs of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from bayescmp.base.arguments import arg
from bayescmp.base.checks import check_choice
from bayescmp.base.typing import as_json
from bayescmp.commands.pairs import pair_as_dict
from bayescmp.commands.shared import (
    GAP,
    Arguments,
    as_records,
    named_values,
    read_rope,
    read_ropes,
    rope_of_test,
    shown_as,
    tell,
)
from bayescmp.commands.table import (
    RATES,
    READING,
    SEVERAL_FILES,
    TestsOverDatasets,
    command,
    tests_over_datasets,
)
from bayescmp.errors import InputError, locate_errors, unknown_name
from bayescmp.present.forms import as_text
from bayescmp.present.summary import P_VALUES, Summary
from bayescmp.summaries.chosen import describe_chosen
from bayescmp.wording.text import adjusted_by, fold_text, format_count, join_items

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.bayesian.joint.standings import StandingsPosterior
    from bayescmp.catalogue import BayesianTest
    from bayescmp.frequentist import PosthocResult, TestResult
    from bayescmp.scores.blocks import Blocks
    from bayescmp.scores.metrics import Direction
    from bayescmp.scores.scores import Scores


# `bayescmp best`: which of several algorithms is best over several data sets.


@command(
    "best",
    f"scores --metric {READING} --rope --method=bootstrap --questions --weight --engine --seed "
    "--out --plot --full --json",
    {
        "--rope": "region of practical equivalence: half-width, or 1%%; how far from the best is "
        "near, also as the margin of --rope=-0.01,inf",
        "--questions": {
            "help": "how many questions each mean is of: one number, or BENCHMARK=N of each",
            "type": str,
        },
        "--method": {
            "choices": TestsOverDatasets(),
            "metavar": "{{{tests_over_datasets}}}",
            "help": "bootstrap (default): Bayesian bootstrap over data sets, fast; leaderboard: "
            "the average over these benchmarks, given new questions; joint_t: one hierarchical "
            "model of all algorithms, which needs folds; friedman: by ranks "
            "(the rope is in ranks, 0 by default); bradley_terry: by wins, plackett_luce: by "
            "whole rankings (for both, the ROPE is in probabilities of winning)",
        },
        "--engine": "engine of joint_t (default auto)",
        "--out": "write the ranking as CSV",
        "--plot": "write the plot of P(best) (png, svg, pdf)",
        "--json": "print the ranking, sets, rank intervals and the chosen one's score as JSON",
    },
)
def find_best(args: Arguments) -> None:
    """Which of several algorithms is best over several data sets?

    For each algorithm, the probability of being best on the next data set and on average over data
    sets, and its ranks; and the sets of algorithms that are all within the rope of the best.
    """
    test, scores = tests_over_datasets()[args.method], args.read_scores()
    options = args.take_options("metric", "seed")
    if args.engine != "auto":
        _check_takes(test, "engine", "--engine")
        options["engine"] = args.engine
    if args.questions:
        _check_takes(test, "questions", "--questions")
        options["questions"] = _by_benchmark("--questions", args.questions)
    if args.weight:
        _check_takes(test, "weights", "--weight")
        options["weights"] = _by_benchmark("--weight", args.weight)
    if args.rope is not None:
        options["rope"] = rope_of_test(test, args.rope, scores, args.metric)
    elif not test.own_units:
        raise InputError(f"--rope is needed for --method {args.method}; e.g. --rope 0.01")
    posterior: StandingsPosterior = test.call(scores, **options)
    args.write_table("out", posterior.overview(), index=True)
    args.draw("plot", posterior.figure_size, posterior.plot)
    expected = [] if posterior.means is None else [describe_chosen(posterior.chosen())]
    args.show(
        [posterior, *([] if args.full else map(fold_text, expected))],
        lambda: json.dumps(_ranking(posterior), indent=2),
        gap=GAP,
    )


def _check_takes(test: BayesianTest, option: str, typed: str) -> None:
    """Refuse what other methods take."""
    if option not in test.options():
        known = (
            name for name, other in tests_over_datasets().items() if option in other.options()
        )
        raise InputError(
            f"{typed} must be with --method {', '.join(known)} (got --method {test.name})."
        )


def _by_benchmark(option: str, given: Sequence[str]) -> float | dict[str, float]:
    """Read one number for all benchmarks, or BENCHMARK=NUMBER of each."""
    alone = option == "--questions" and len(given) == 1 and "=" not in given[0]
    typed = {"all": given[0]} if alone else named_values(option, given, "BENCHMARK=NUMBER")
    try:
        numbers = {name: float(value) for name, value in typed.items()}
    except ValueError:
        raise InputError(f"{option} must be BENCHMARK=NUMBER (got {' '.join(given)}).") from None
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
#: Tests of data sets on which some algorithms have no score.
INCOMPLETE = ("skillings-mack", "durbin")


@command(
    "rank",
    f"scores --metric {READING} --test=friedman --adjust --control --alpha --method=asymptotic "
    "--seed --variance --distribution --order --diagram --heatmap --full --json",
    {
        "--test": ", ".join(TESTS),
        "--control": "compare with this algorithm only",
        "--alpha": "family-wise level",
        "--method": "p-value of the omnibus test: asymptotic, exact or permutation",
        "--seed": "seed of --method permutation",
    },
)
def rank_algorithms(args: Arguments) -> None:
    """Rank several algorithms over data sets, and test which differ.

    Average ranks, an omnibus rank test, and adjusted comparisons of all pairs or with a control.
    Scores of folds are averaged on each data set.
    """
    from bayescmp import frequentist
    from bayescmp.plots import critical_difference, matrices
    from bayescmp.scores.pairing import paired_by

    test = _check_test(args)
    scores = args.read_scores()
    metric = args.metric or scores.sole_metric
    if test not in INCOMPLETE:
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


def _check_test(args: Arguments) -> str:
    """Refuse what cannot be done before the work is done."""
    test = str(args.test).strip().lower().replace("_", "-")
    if test not in TESTS:
        raise unknown_name("test", args.test, TESTS)
    if args.order is not None and test != "page":
        raise InputError(f"--order is for --test page, and the test is {test}")
    args.check_level()
    for option in ("diagram", "heatmap"):
        if getattr(args, option) is not None and test in OMNIBUS:
            raise InputError(
                f"--{option} needs a test that compares pairs (got --test {test}). Leave "
                f"out --test; {arg('missing', 'common')} leaves out data sets that lack "
                "scores"
            )
    return test


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
    leave_out = f"{arg('missing', 'common')} leaves out these data sets; " if len(kept) > 1 else ""
    raise InputError(
        f"{algorithm!r} has no score on data set {dataset!r}; {test} needs one of every algorithm "
        f"on every data set. {leave_out}--missing common --test skillings-mack uses all scores"
    )


def _test_all(test: str, table: pd.DataFrame, lower: bool, args: Arguments) -> TestResult:
    """Test all algorithms at once; by Friedman before tests of single pairs."""
    from bayescmp import frequentist

    function = getattr(frequentist, TESTS[test])
    options: Json = {"lower_is_better": lower}
    if test == "page":
        options["order"] = args.order
    elif test not in INCOMPLETE:
        options |= args.take_options("method", "seed")
    result: TestResult = function(table, **options)
    return result


def _test_pairs(test: str, table: pd.DataFrame, lower: bool, args: Arguments) -> PosthocResult:
    """Test all pairs, or each algorithm against the control."""
    from bayescmp import frequentist

    given = {"adjust": args.adjust, "control": args.control, "lower_is_better": lower}
    if test == "durbin":
        variance = "published" if args.variance == "published" else "design"
        return frequentist.pairwise_durbin(table, variance=variance, **given)
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


# `bayescmp procedure`: the tests that a table of scores calls for, up to the ranking.


@command(
    "procedure",
    f"scores --metric... --algorithm {READING} --dataset... --cost --pairwise --rho --plain "
    "--alpha --adjust=bonferroni --wins --full --json",
    {
        "--metric": RATES,
        "--alpha": "level of each step (default 0.05)",
        "--adjust": "adjustment of the pairs and of the sign tests (default bonferroni): "
        "{adjustments}",
    },
)
def follow_procedure(args: Arguments) -> None:
    """Run the tests that the scores call for: on each data set, over data sets, a ranking.

    Reads the kind of comparison from the scores (one or several metrics, two or several
    algorithms, one or several data sets), tests on each data set, counts which algorithm wins by
    lower risk, and tests the wins over data sets.
    """
    from bayescmp.plots import matrices
    from bayescmp.study.procedure import procedure

    result = procedure(
        args.read_scores(),
        metrics=args.metric,
        datasets=args.dataset,
        corrected=not args.plain,
        costs=_costs(args.cost),
        **args.take_options("algorithms", "alpha", "rho", "pairwise", "adjust"),
    )
    args.draw("wins", matrices.wins_size, matrices.plot_wins, result)
    args.show(result, result.to_dict)


def _costs(given: list[str]) -> dict[str, float] | None:
    costs = {}
    for text in given:
        name, equals, number = text.partition("=")
        try:
            costs[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"--cost must be METRIC=NUMBER, e.g. fn=5 (got {text!r}).")
    return costs or None


# `bayescmp undominated`: which algorithms are worth their price.


@command(
    "undominated",
    f"scores --metric!... {READING} --items --algorithm --rope!... --rho --threshold --seed --out "
    "--plot --full --json",
    {
        "--metric": "a score or a cost (repeatable; at least two)",
        "--out": "write the table as CSV",
        "--plot": "write the plot of the front (png, svg, pdf)",
    },
)
def find_undominated(args: Arguments) -> None:
    """What do I get for the price: which algorithms does no other dominate?

    For each algorithm, the probability that no other is practically better in one metric and
    practically worse in none, from joint draws of all metrics: scores, and costs such as latency,
    for which lower is better.
    """
    from bayescmp.plots.metrics import ellipses_size
    from bayescmp.scores.rope import as_ropes
    from bayescmp.study.undominated import undominated

    of_items = args.of_items
    scores: Any = [args.read_items(m) for m in args.metric] if of_items else args.read_scores()
    result = undominated(
        scores,
        None if of_items else args.metric,  # items call right and wrong answers accuracy
        as_ropes(read_ropes(args.rope, args.metric), args.metric),
        **args.take_options("algorithms", "rho", "threshold", "seed"),
    )
    args.draw("plot", ellipses_size(result.algorithms), result.plot)
    means = result.means.set_axis(result.means.columns.map(" ".join), axis="columns")
    args.write_table("out", result.frame.join(means), index=True)
    args.show(result, result.to_dict, GAP)


# `bayescmp groups`: several algorithms on one data set, all pairs and ranks jointly.


#: Verdicts that decide nothing.
OPEN = ("undecided", "borderline")


@command(
    "groups",
    f"scores --metric... {READING} --dataset --algorithm --rope!... --by --rho --noise=normal "
    "--variances --engine --threshold --seed --plot --forest --bars --save --full --json",
    {
        "--dataset": "which data set, where the table has several",
        "--by": {
            "default": None,
            "help": "rank by this metric (default: the only one, or dominance among several)",
        },
        "--noise": "normal, or t (robust; needs Stan)",
        "--engine": "auto, exact, {engines}",
        "--plot": "write the heat map of rank probabilities",
    },
)
def compare_groups(args: Arguments) -> None:
    """Several algorithms on one data set: which is best, and which are equivalent?

    Bayesian comparison of several algorithms on one data set with folds as blocks, in one metric
    (ANOVA) or several (MANOVA): all pairs' verdicts, probabilities of ranks, and groups of
    practically equivalent algorithms.
    """
    from bayescmp.bayesian import groups

    scores = args.read_scores()
    metrics = args.metric or [scores.sole_metric]
    # the closed form has no options, and no progress to show
    exact = args.engine in ("auto", "exact") and args.noise == "normal"
    options: Json = {} if exact else {"progress": sys.stderr.isatty()}
    posterior = groups(
        scores,
        metrics,
        rope=read_ropes(args.rope, metrics),
        engine="exact" if exact else args.engine,
        **args.take_options("dataset", "algorithms", "rho", "noise", "seed", "variances"),
        **options,
    )
    _write_groups(posterior, args)
    options = {"by": args.by, "threshold": args.threshold}
    args.show(posterior, lambda: _groups_as_dict(posterior, **options), GAP, **options)


def _write_groups(posterior: GroupsPosterior, args: Arguments) -> None:
    from bayescmp.plots import intervals, verdicts

    args.draw("plot", posterior.figure_size, posterior.plot, by=args.by)
    forest, panels = intervals.plot_forest, {"ncols": posterior.p}
    size = intervals.forest_size
    args.draw("forest", size, forest, posterior, panels=panels, threshold=args.threshold)
    pairs = posterior.verdicts(threshold=args.threshold)
    args.draw("bars", verdicts.verdict_bar_size, verdicts.plot_verdict_bar, pairs)
    if args.save:
        posterior.save(args.save)


def _groups_as_dict(
    posterior: GroupsPosterior, by: str | ArrayLike | None, threshold: float
) -> Json:
    """Return the whole result for machines."""
    frame = posterior.frame(threshold=threshold)
    decided = frame[~frame["decision"].isin(OPEN)]
    outcomes = dict(decided.set_index(["first", "second"])["decision"])
    ranks = posterior.rank_probabilities(by).T.to_dict("list")
    return {
        "test": posterior.kind,
        "dataset": posterior.dataset,
        "algorithms": list(posterior.algorithms),
        "metrics": list(posterior.metrics),
        "directions": [d.to_dict() for d in posterior.directions],
        "pairing": posterior.pairing,
        "resampling": posterior.resampling,
        "rope": posterior.ropes().ends,
        "threshold": threshold,
        "pairs": frame.to_dict(orient="records"),
        "joint": posterior.joint(outcomes),
        "se_joint": posterior.joint_error(outcomes),
        "ranking": posterior.ranking(by).reset_index().to_dict(orient="records"),
        "rank_probabilities": {str(name): shares for name, shares in ranks.items()},
        "cliques": posterior.cliques(threshold=threshold).to_dict(orient="records"),
        "diagnostics": {**asdict(posterior.diagnostics), "ok": posterior.diagnostics.ok},
        "engine": {"name": posterior.engine, "version": posterior.engine_version},
        "prior": {"text": posterior.prior_text},
        "seed": posterior.seed,
        "notes": list(posterior.notes),
    }


# `bayescmp multivariate`: algorithms by several metrics at once, Hotelling's T² and MANOVA.


@command(
    "multivariate",
    f"scores --metric... --algorithm {READING} --dataset --block --rho --alpha --rope... "
    "--threshold --seed --adjust --plot --histogram --projection --full --json",
    {
        "--metric": RATES,
        "--dataset": "test on this data set only (default: on each)",
        "--rope": "region of practical equivalence, next to the tests: one "
        "for all metrics, or one per metric, as --rope tpr=0.01 --rope fpr=0.02",
        "--plot": "write the scatter of two metrics with ellipses",
    },
)
def compare_metrics(args: Arguments) -> None:
    """Do algorithms differ in several metrics at once, and which?

    On each data set: Hotelling's test of two algorithms, MANOVA of several with Hotelling's test
    of each pair, cliques of algorithms not found different, and the measures in which they differ
    most; with --rope the Bayesian verdict too. Allows for the overlap of cross-validation's
    training sets, unless --rho 0 is given.
    """
    check_choice("--block", args.block, ("fold", "none"))
    args.check_level()
    if args.histogram is not None and not args.plot:
        raise InputError("--histogram goes with --plot FILE")
    if args.rope and args.block == "none":
        raise InputError("--rope goes with --block fold: the Bayesian answer pairs the folds")
    scores = args.read_scores()
    metrics = _metrics_of(scores, args.metric)
    datasets = [args.dataset] if args.dataset is not None else list(scores.datasets)
    if len(datasets) > 1:
        for option in ("plot", "projection"):
            if getattr(args, option):
                raise InputError(f"--{option} draws one data set: name it with --dataset")
    blocks = [_blocks(scores, metrics, dataset, args) for dataset in datasets]
    results = []
    for b in blocks:
        with locate_errors(f"on data set {b.dataset!r}"):
            results.append(_tests(b, args) | _compute_posterior(b, args))
    _draw_metrics(scores, blocks[0], results[0], args)
    args.show(
        [text for r in results for text in _metrics_as_text(r, args)],
        lambda: [_metrics_as_dict(r, args) for r in results],
    )


def _metrics_of(scores: Scores, given: list[str] | None) -> list[str]:
    from bayescmp.scores.metrics import COUNTS

    names = [*COUNTS] if given is None and set(COUNTS) <= set(scores.metrics) else given
    if names is None or len(names) < 2:
        known = ", ".join(scores.metrics)
        raise InputError(
            f"two metrics are needed at least, as in --metric tpr --metric fpr; the table has "
            f"{known}. For one metric use bayescmp compare or bayescmp rank"
        )
    return names


def _blocks(scores: Scores, metrics: Sequence[str], dataset: str, args: Arguments) -> Blocks:
    from bayescmp.scores.blocks import scores_blocks

    blocks = scores_blocks(
        scores, metrics=metrics, dataset=dataset, algorithms=args.algorithms, rho=args.rho
    )
    if blocks.L < 2:
        raise InputError(f"there is one algorithm, {blocks.algorithms[0]!r}: nothing to compare")
    return blocks


def _tests(blocks: Blocks, args: Arguments) -> Json:
    """Run the tests on one data set, by name."""
    from bayescmp import frequentist

    block = args.block == "fold"
    tests: Json = {"dataset": blocks.dataset, "left_out": str(blocks.left_out or "")}
    if blocks.L == 2:
        paired, unpaired = frequentist.hotelling_paired, frequentist.hotelling_two_sample
        return tests | {"hotelling": (paired if block else unpaired)(blocks)}
    table = frequentist.manova(blocks, block=block)
    return tests | {"manova": table, "pairs": table.pairwise(adjust=args.adjust)}


def _compute_posterior(blocks: Blocks, args: Arguments) -> Json:
    """Describe the posterior of one data set, where a rope asks for it."""
    from bayescmp.bayesian import groups, multivariate_t

    if not args.rope:
        return {}
    rope = read_ropes(args.rope, blocks.metrics)
    fit = multivariate_t if blocks.L == 2 else groups
    return {"bayesian": fit(blocks, rope=rope, seed=args.seed)}


def _draw_metrics(scores: Scores, blocks: Blocks, result: Json, args: Arguments) -> None:
    from bayescmp.plots import metrics

    if args.projection and "manova" not in result:
        raise InputError("--projection needs three algorithms or more")
    size = metrics.ellipses_size(blocks.algorithms, histogram=args.histogram is not None)
    if args.histogram is None:
        args.draw("plot", size, metrics.plot_ellipses, blocks)
    else:  # of the metrics tested, not of those and the histogram's
        shown = blocks
        if args.histogram not in blocks.metrics:
            names = [*blocks.metrics, args.histogram]
            shown = _blocks(scores, names, blocks.dataset, args)
        drawn = {"metrics": metrics.two_metrics(blocks), "histogram": args.histogram}
        panels = {"nrows": 2, "height_ratios": metrics.height_ratios(blocks.L)}
        args.draw("plot", size, metrics.plot_ellipses, shown, panels=panels, **drawn)
    if args.projection:
        measures = result["manova"].measures
        args.draw("projection", metrics.projection_size, metrics.plot_projection, measures)


def _metrics_as_text(result: Json, args: Arguments) -> list[object]:
    parts: list[object] = [f"data set: {result['dataset']}"]
    parts += [result["left_out"]] if result["left_out"] else []
    if "hotelling" in result:
        alone = result["hotelling"].univariate(args.adjust).reset_index()
        title = f"Each metric separately, {adjusted_by(args.adjust)}"
        parts += [
            result["hotelling"],
            as_text(Summary(title, alone, P_VALUES)),
        ]
    else:
        table, pairs = result["manova"], result["pairs"]
        same = f"(by {table.metrics[0]}; underlined: not found different at level {args.alpha:g})"
        underlined = f"{pairs.underline(alpha=args.alpha)}\n{same}"
        parts += [table.text(args.alpha), pairs.text(args.alpha), table.measures, underlined]
    if "bayesian" in result:
        parts.append(shown_as(result["bayesian"], args.full, {"threshold": args.threshold}))
    return parts


def _metrics_as_dict(result: Json, args: Arguments) -> Json:
    plain: Json = {part: result[part] for part in ("dataset", "left_out")}
    plain["alpha"] = args.alpha
    if "bayesian" in result:
        tell = pair_as_dict if "hotelling" in result else partial(_groups_as_dict, by=None)
        plain["bayesian"] = tell(result["bayesian"], threshold=args.threshold)
    if "hotelling" in result:
        test = result["hotelling"]
        rows = test.univariate(args.adjust).reset_index().to_dict(orient="records")
        return plain | {"hotelling": test.to_dict(), "univariate": as_json(rows)}
    table, pairs = result["manova"], result["pairs"]
    return plain | {
        "manova": table.to_dict(args.alpha),
        "dimension": table.dimension(args.alpha),
        "pairwise": pairs.to_dict(args.alpha),
        "cliques": [list(clique) for clique in pairs.cliques(args.alpha)],
        "measures": table.measures.to_dict(),
    }


# `bayescmp crosscheck` and `report`: every pair by Bayesian tests and their twins.


#: Options that both take.
ASKED = (
    "--scale --rope!... --dataset... --unpaired --rho --prior --engine --threshold --alpha "
    "--adjust --seed"
)


@command(
    "crosscheck",
    f"scores algorithms --metric... {READING} {ASKED} --out --full --json",
    {
        "--engine": {"default": None},
        "--out": "write every verdict with its frequentist counterpart as CSV",
    },
)
def crosscheck_pairs(args: Arguments) -> None:
    """Put Bayesian verdicts beside their frequentist twins, and say where they disagree.

    All pairs of algorithms, or those named, by the Bayesian tests that the scores allow and by
    their frequentist twins; with several --metric options each metric alone, and all together.
    `bayescmp tests` lists which are twins.
    """
    from bayescmp.study.crosscheck import crosscheck

    check = crosscheck(args.read_table(), **_gather_question(args))
    args.write_table("out", check.frame)
    args.show(check, check.to_dict)


@command(
    "report",
    f"scores --metric... --items --pass-hat --pass-at --algorithm {READING} {ASKED} --out... "
    "--figures --sensitivity --title --in-full --latex",
    {
        "scores": SEVERAL_FILES,
        "--out": "where to write (.html, .md, .tex, .bib; repeatable; default report.html)",
        "--engine": {"default": None},
    },
)
def write_report(args: Arguments) -> None:
    """Compare all pairs of algorithms and write a report.

    Bayesian verdicts on all pairs beside their frequentist twins, with plots, diagnostics and a
    methods paragraph: one HTML file that needs no network, or tables in Markdown (.md) and LaTeX
    (.tex), with the works cited (.bib).
    """
    from bayescmp.report import report

    if not args.out:
        args.out = ["report.html"]
        args.check_files()
    options = ("title", "in_full", "figures", "sensitivity", "latex")
    scores = args.read_either()
    asked = _gather_question(args) | args.take_options(*options)
    written = report(scores, args.out, **asked)
    for path in written if isinstance(written, list) else [written]:
        print(f"written {path}")
    if args.figures:
        print(f"written plots in {args.figures}")


def _gather_question(args: Arguments) -> dict[str, Any]:
    """Return what a cross-check is asked, of itself or for a report."""
    return {
        "rope": _ropes(args.rope),
        "metric": args.named_metric(),
        "datasets": args.dataset,
        "paired": not args.unpaired,
        "algorithms": args.algorithms or None,
        **({} if args.prior is None else {"prior": args.read_prior()}),
        **({} if args.engine in (None, "auto") else {"engine": args.engine}),
        **args.take_options("threshold", "alpha", "adjust", "rho", "seed"),
    }


def _ropes(given: list[str]) -> object:
    """Read one rope for all metrics, or a mapping of metrics to ropes."""
    named = [text.rpartition("=") for text in given]
    if len(given) == 1 and not named[0][0]:
        return read_rope(given[0])
    for (metric, _, _), text in zip(named, given, strict=True):
        if not metric:
            raise InputError(f"--rope must be METRIC=ROPE where several are given (got {text!r}).")
    return {metric: read_rope(rope) for metric, _, rope in named}
