"""`bayescmp compare`: two algorithms, or several, from a table to verdicts and figures."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_choice
from bayescmp.base.typing import as_json
from bayescmp.commands.counts import (
    GivenCounts,
    counts_as_records,
    judge_each,
    read_scores_or_counts,
    write_each,
)
from bayescmp.commands.parser import (
    BAYESIAN,
    Parser,
    add_errors,
    add_group,
    add_reading,
    add_shared,
    add_table,
)
from bayescmp.commands.shared import GAP, Arguments, as_records, must_be_used, read_ropes, shown_as
from bayescmp.errors import InputError, locate_errors
from bayescmp.present.forms import as_text
from bayescmp.present.summary import P_VALUES, Summary
from bayescmp.results.verdict import frame_of
from bayescmp.wording.text import adjusted_by, fill_lines, format_count, line_width

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.base.typing import Json
    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.items.items import Items
    from bayescmp.results.posterior import Fitted, Posterior
    from bayescmp.scores.blocks import Blocks
    from bayescmp.scores.means import Means
    from bayescmp.scores.scores import Scores
    from bayescmp.study.comparisons import Comparisons

#: Kinds of comparisons, as messages name them, with the options that only some of these take.
PAIR = "two algorithms, named after the table"
PAIR_OF_MODELS = "two models by their answers"
ALL_PAIRS = "all pairs of several algorithms"
ALL_MODELS = "all models of a table of answers"
GROUPS = "--test groups"
TESTS = "--test manova"
PAIR_OF_COUNTS = "counts of two algorithms"
ALL_COUNTS = "counts of several algorithms"
TAKES = {
    PAIR: "rho scale prior engine shrinkage density rope_curve save",
    PAIR_OF_MODELS: "rho scale prior engine shrinkage density rope_curve save own_noise flips",
    ALL_PAIRS: "rho scale prior engine control n_jobs out ladder",
    ALL_MODELS: "save out ladder",
    GROUPS: "rho engine save out ladder by noise variances forest bars",
    PAIR_OF_COUNTS: "density rope_curve save",
    ALL_COUNTS: "out ladder",
    TESTS: "rho alpha adjust block histogram projection",
}
#: Tests of several metrics that are not Bayesian.
FREQUENTIST = ("manova", "hotelling")
#: Verdicts that decide nothing.
OPEN = ("undecided", "borderline")

USAGE = "TABLE [ALGORITHM ...] [--rope ROPE] [options]"
EXAMPLE = "scores.csv gbm svm --metric accuracy --rope 0.01"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_table(parser, "two algorithms, first and second, or more (default: all)")
    asked = parser.add_argument_group("what is compared")
    add_shared(asked, "--metric", several=True)
    add_shared(asked, "--rope", several=True)
    add_shared(asked, "--dataset", "--scale")
    control = "compare all others with this algorithm only"
    asked.add_argument("--control", metavar="NAME", help=control)
    test = parser.add_argument_group("how it is tested")
    tests = (
        "auto (default), a test that `bayescmp info tests` lists, groups (all algorithms on one "
        "data set together), or manova (several metrics; see below)"
    )
    add_shared(test, "--test", help=tests)
    add_shared(test, *BAYESIAN[1:], "--n-jobs")
    output = add_group(parser, "output", "--full", "--json", "--plot")
    add_shared(output, "--save", help="write the posterior (not of separately compared pairs)")
    add = parser.add_argument_group("output for two algorithms").add_argument
    add("--shrinkage", metavar="FILE", help="write the figure of all data sets")
    add("--density", metavar="FILE", help="write the density of the mean difference")
    add("--rope-curve", metavar="FILE", help="write the probabilities as the ROPE widens")
    noise = "answers: report how much of the variance is the models' own noise"
    add("--own-noise", action="store_true", help=noise)
    add("--flips", metavar="FILE", help="answers: write the items whose answers differ, as CSV")
    add = parser.add_argument_group("output for several algorithms").add_argument
    add("--out", metavar="FILE", help="write the verdicts as CSV")
    add("--ladder", metavar="FILE", help="write the ladder: the algorithms in order")
    _add_groups(parser)
    _add_tests(parser)
    add_errors(parser)
    add_reading(parser)


def _add_groups(parser: Parser) -> None:
    """Add the options of all algorithms together."""
    add = parser.add_argument_group(
        "with --test groups",
        "All algorithms on one data set together, by one metric or several: verdicts, "
        "ranks, and groups of practically equivalent algorithms.",
    ).add_argument
    by = "rank by this metric (default: the only one, or dominance among several)"
    add("--by", metavar="METRIC", help=by)
    add("--noise", metavar="NOISE", default="normal", help="normal (default), or t (needs Stan)")
    variances = "auto (default), equal (one for all algorithms) or own"
    add("--variances", metavar="HOW", default="auto", help=variances)
    add("--forest", metavar="FILE", help="write all pairs' intervals")
    add("--bars", metavar="FILE", help="write all pairs' verdicts as bars")


def _add_tests(parser: Parser) -> None:
    group = parser.add_argument_group(
        "with --test manova",
        "Do the algorithms differ in several metrics at once? On each data set MANOVA and "
        "Hotelling's test of each pair, or of the two algorithms; --rope adds the "
        "Bayesian answer. Rates such as tpr follow from columns tp, fn, fp and tn.",
    )
    add_shared(group, "--alpha", "--adjust")
    add = group.add_argument
    block = "fold (default): all algorithms were run on the same folds; none: ignore this"
    add("--block", metavar="BLOCK", default="fold", help=block)
    histogram = "with --plot: histograms of this metric above it"
    add("--histogram", metavar="METRIC", help=histogram)
    add("--projection", metavar="FILE", help="write the plot of the learned measures")


def run(args: Arguments) -> None:
    """Is the second algorithm better than the first, worse, or practically the same?

    With two algorithms, named or the only ones of the table, their verdict is shown in detail;
    with more, the verdicts on all pairs. The table may hold folds or means on data sets, answers
    to questions, or counts of successes, and the Bayesian test is chosen by it. Counts may also be
    typed: `bayescmp compare 14/20 17/20`, or old=14/20 new=17/20.
    """
    if args.test.lower().startswith("hotelling_"):
        unpaired = "With --block none it compares samples that do not pair."
        raise must_be("test", "hotelling", args.test, unpaired)
    if args.test.lower() in FREQUENTIST:
        args.keep_to(TAKES, TESTS)
        args.refuse(["errors", "deviations", "runs"], "--test auto", TESTS)
        _test_metrics(args)
        return
    table = args.read_means() if args.has_errors() else read_scores_or_counts(args)
    if isinstance(table, GivenCounts):
        _compare_counts(table, args)
        return
    read_ropes(args.rope, args.metric)
    names = args.names_of(table)
    answer = _choose_answer(table, names, args)
    number = format_count(len(names), "model" if args.of_items else "algorithm")
    args.keep_to(TAKES, answer, answer if answer == GROUPS else number)
    ANSWERS[answer](table, names, args)


def _choose_answer(table: Scores | Items | Means, names: Sequence[str], args: Arguments) -> str:
    """Return what is compared."""
    test = _test_of_several(args.test)
    if len(names) == 2 and test is None:
        return PAIR_OF_MODELS if args.of_items else PAIR
    if args.of_items:
        all_named = set(names) == set(table.models)  # type: ignore[union-attr]
        separately = args.control is not None or not all_named
        return ALL_PAIRS if separately or (args.test != "auto" and test is None) else ALL_MODELS
    if test not in (None, "groups"):
        rope = f" --rope {args.rope[0]}" if args.rope else ""
        path = shlex.quote(args.table)
        rank = f"bayescmp rank {path}{args.typed_metric} --test {args.test}{rope}"
        raise must(
            "test",
            "be of two algorithms",
            f"{args.test}, which ranks all algorithms",
            f"Use `{rank}`.",
        )
    if len(args.metric or ()) > 1:
        check_choice("--test", args.test.lower(), ("auto", "groups", *FREQUENTIST))
        return GROUPS
    return GROUPS if test else ALL_PAIRS


def _test_of_several(name: str) -> str | None:
    """Return the name of a test that compares all algorithms together; None for another test."""
    from bayescmp.catalogue import GROUP, bayesian_tests

    known = (test.name for test in bayesian_tests() if test.algorithms == GROUP)
    return next((own for own in known if own == name.lower().replace("-", "_")), None)


# Two algorithms.


def _compare_pair(table: Scores | Items | Means, names: Sequence[str], args: Arguments) -> None:
    """Compare two algorithms, or two models."""
    from bayescmp.study.compare import compare

    more = _compare_answers(names, args) if args.of_items else {}
    posterior = compare(
        table,
        names[0],
        names[1],
        args.named_metric(),
        read_ropes(args.rope, None if args.of_items else args.metric),
        prior=args.read_prior(),
        progress=sys.stderr.isatty(),
        **args.take_options("test", "rho", "dataset", "seed", "engine"),
    )
    draw_pair(posterior, args, [part["text"] for part in more.values()])
    several = len(args.metric or ()) > 1
    show_pair(posterior, args, more, "" if several else "bayescmp sensitivity")


def _compare_answers(names: Sequence[str], args: Arguments) -> dict[str, Json]:
    """Return what two models' answers show next to the verdict, with texts: noise, and flips."""
    from bayescmp.items.pair import count_flips

    items, parts = args.answers, {}
    where: Json = {"benchmarks": args.dataset}
    if args.own_noise:
        parts["noise"] = items.noise(names[0], names[1], **where, seed=args.seed).to_dict()
    if args.flips:
        flips = items.pair(names[0], names[1], **where).flips()
        args.write_table("flips", flips)
        counts, text = count_flips(flips, (names[0], names[1]))
        parts["flips"] = {**counts, "text": text}
    return parts


def draw_pair(posterior: Posterior, args: Arguments, below: Sequence[str] = ()) -> None:
    """Draw the requested figures of a pair, the main one with sentences below it."""
    from bayescmp import plots

    missing = [option for option in ("shrinkage", "density") if option not in posterior.shows]
    args.hidden = args.hidden.union(missing)
    for option in missing:
        if getattr(args, option):
            raise must(
                option,
                "be left out, since the test does not have this plot",
                posterior.method,
                "Use --plot.",
            )

    def draw(ax: Axes) -> Axes:
        ax = posterior.plot(ax=ax)
        if below:
            text = "\n".join(fill_lines(part, 64) for part in below)
            ax.figure.supxlabel(text, fontsize=6.5, x=0.02, ha="left")
        return ax

    wide, high = posterior.figure_size()
    args.draw("plot", (wide, high + 0.55 * len(below)), draw)
    rows = 1.1 + 0.155 * len(getattr(posterior, "datasets", ()))
    for option, height in (("shrinkage", rows), ("density", 2.3), ("rope_curve", 2.3)):
        if getattr(args, option):  # else no plot is loaded
            args.draw(option, (3.4, height), getattr(plots, f"plot_{option}"), posterior)


def show_pair(
    posterior: Posterior,
    args: Arguments,
    more: Mapping[str, Json] = MappingProxyType({}),
    further: str = "",
) -> None:
    """Write the posterior, and print it with what else there is to say, each with its text."""
    if args.save:
        posterior.save(args.save)
    threshold = args.threshold
    sentences = [fill_lines(part["text"], line_width()) for part in more.values()]
    args.show(
        [posterior, *sentences],
        lambda: {**pair_as_dict(posterior, threshold), **more},
        GAP,
        further,
        threshold=threshold,
    )


def pair_as_dict(posterior: Any, threshold: float) -> Json:
    """Return the whole result for machines."""
    verdict = posterior.verdict(threshold=threshold)
    result = {
        "test": posterior.kind,
        "metrics": [d.to_dict() for d in posterior.directions],
        "pairing": posterior.pairing,
        "resampling": posterior.resampling,
        "verdict": verdict.to_dict(),
        "summary": as_json(posterior.summary().to_dict("index")),
        "diagnostics": {**asdict(posterior.diagnostics), "ok": posterior.diagnostics.ok},
        "engine": {"name": posterior.engine, "version": posterior.engine_version},
        "prior": posterior.prior_facts(),
        "seed": posterior.seed,
        "notes": list(posterior.notes),
    }
    if "datasets" in posterior.shows:
        table = posterior.by_dataset().reset_index()
        result["datasets"] = table.to_dict(orient="records")
    return result


# Counts of successes.


def _compare_counts(given: GivenCounts, args: Arguments) -> None:
    from bayescmp.results.posterior import Posterior
    from bayescmp.study.counts import compare_counts

    result = compare_counts(
        given.counts,
        read_ropes(args.rope, None),
        columns=given.columns,
        algorithms=given.algorithms,
        **args.take_options("dataset", "threshold", "seed"),
    )
    if isinstance(result, Posterior):
        args.keep_to(TAKES, PAIR_OF_COUNTS)
        _show_counts(result, given, args)
        return
    args.keep_to(TAKES, ALL_COUNTS)
    _show_all(result, args)


def _show_counts(posterior: Posterior, given: GivenCounts, args: Arguments) -> None:
    """Draw and print the comparison of two, and each data set if there are several."""
    chosen = None if args.dataset is None else [args.dataset]
    several = chosen is None and len(given.by_dataset) > 1
    by_dataset = given.by_dataset if several else {"": given.on(chosen)}
    verdicts = judge_each(posterior.rope, by_dataset, posterior.names, args.threshold)
    more = {"counts": counts_as_records(verdicts, by_dataset)}
    draw_pair(posterior, args)
    if args.save:
        posterior.save(args.save)
    args.show(
        [posterior, *([write_each(verdicts, by_dataset)] if several else [])],
        lambda: {**pair_as_dict(posterior, args.threshold), **more},
        GAP,
        threshold=args.threshold,
    )


# All pairs of several algorithms, each compared separately.


def _compare_all(table: Scores | Items, names: Sequence[str], args: Arguments) -> None:
    """Compare all pairs, or all others with a control."""
    from bayescmp.study.compare import compare_all

    metric: Any = args.named_metric()
    comparisons = compare_all(
        table,
        metric,
        read_ropes(args.rope, None if args.of_items else args.metric),
        algorithms=args.algorithms or None,
        datasets=None if args.dataset is None else [args.dataset],
        prior=args.read_prior(),
        **args.take_options("control", "test", "rho", "seed", "threshold", "n_jobs", "engine"),
    )
    _show_all(comparisons, args)


def _show_all(comparisons: Comparisons, args: Arguments) -> None:
    """Draw and print all pairs, and those that failed."""
    if args.plot:
        from bayescmp.plots import matrices

        args.draw("plot", matrices.verdicts_size, matrices.plot_verdicts, comparisons)
    _write_several(comparisons, comparisons.frame, args)
    failures = [
        fill_lines(f"failed: {first} and {second}: {error}", line_width(), subsequent_indent="  ")
        for (first, second), error in comparisons.failures.items()
    ]
    args.show(
        [comparisons, *(["\n".join(failures)] if failures else [])],
        lambda: comparisons.frame.to_json(orient="records", indent=2),
        GAP,
    )


def _write_several(result: Any, frame: pd.DataFrame, args: Arguments) -> None:
    """Write the verdicts on all pairs, and the ladder."""
    args.write_table("out", frame)
    if args.ladder:
        from bayescmp.plots import ladder

        args.draw("ladder", ladder.ladder_size, ladder.plot_ladder, result)
    if args.save:
        result.save(args.save)


# All models by their answers.


def _compare_models(table: Scores | Items, names: Sequence[str], args: Arguments) -> None:
    from bayescmp.study.compare import compare

    posterior: Fitted = compare(
        table,
        rope=read_ropes(args.rope, None),
        progress=sys.stderr.isatty(),
        **args.take_options("test", "dataset", "seed"),
    )
    args.draw("plot", posterior.figure_size, posterior.plot)
    pairs = posterior.verdicts(threshold=args.threshold)
    _write_several(posterior, frame_of(pairs.values()), args)
    named = {
        "groups": "threshold",
        "question_bootstrap": "decided_at",
        "leaderboard": "decided_at",
    }
    option = next((o for kind, o in named.items() if posterior.kind.startswith(kind)), None)
    options = {} if option is None else {option: args.threshold}
    args.show(posterior, lambda: _models_as_dict(posterior, args.threshold), GAP, **options)


def _models_as_dict(posterior: Any, threshold: float) -> Json:
    """Return every pair of three models or more."""
    pairs = frame_of(posterior.verdicts(threshold=threshold).values())
    return {
        "test": posterior.kind,
        "models": list(posterior.names),
        "metrics": [d.to_dict() for d in posterior.directions],
        "pairing": posterior.pairing,
        **_board_as_dict(posterior, threshold),
        "pairs": as_records(pairs),
        "diagnostics_ok": posterior.diagnostics.ok,
        "engine": {"name": posterior.engine, "version": posterior.engine_version},
        "seed": posterior.seed,
        "notes": list(posterior.notes),
    }


def _board_as_dict(posterior: Any, threshold: float) -> Json:
    """Return the leaderboard, of scores of questions."""
    if not getattr(posterior, "is_board", False):
        return {}
    return {"scoreboard": as_records(posterior.scoreboard(threshold=threshold).reset_index())}


# All algorithms on one data set together, by one metric or several.


def _compare_groups(table: Any, names: Sequence[str], args: Arguments) -> None:
    """Compare all algorithms on one data set."""
    from bayescmp.bayesian import groups

    metrics = args.metric or [table.sole_metric]
    if args.dataset is None and len(table.datasets) > 1:
        raise must(
            "dataset",
            "be given, since several algorithms are compared "
            f"{'by several metrics' if len(metrics) > 1 else 'together'} on one data set",
            f"a table of {len(table.datasets)}",
            "For all data sets use `bayescmp crosscheck "
            f"{shlex.quote(args.table)}{args.typed_metric} --rope 0.01`.",
        )
    # the closed form has no options, and no progress to show
    exact = args.engine in ("auto", "exact") and args.noise == "normal"
    progress: Json = {} if exact else {"progress": sys.stderr.isatty()}
    posterior = groups(
        table,
        metrics,
        rope=read_ropes(args.rope, metrics),
        engine="exact" if exact else args.engine,
        algorithms=args.algorithms or None,
        **args.take_options("dataset", "rho", "noise", "seed", "variances"),
        **progress,
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
    _write_several(posterior, frame_of(pairs.values()), args)


def _groups_as_dict(posterior: GroupsPosterior, by: str | None, threshold: float) -> Json:
    """Return the whole result for machines."""
    frame = frame_of(posterior.verdicts(threshold=threshold).values())
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


# Several metrics on each data set, by Hotelling's test and MANOVA.


def _test_metrics(args: Arguments) -> None:
    """Test on each data set whether algorithms differ in several metrics."""
    check_choice("--block", args.block, ("fold", "none"))
    args.check_level()
    if args.histogram is not None and not args.plot:
        raise must_be_used("histogram", "--plot FILE", "no --plot")
    if args.rope and args.block == "none":
        raise must_be_used(
            "rope", "--block fold, since the Bayesian answer pairs the folds", "--block none"
        )
    scores = args.read_only_scores()
    names = args.names_of(scores)
    if args.test.lower() == "hotelling" and len(names) != 2:
        raise must(
            "test",
            "compare several algorithms",
            f"hotelling for {len(names)}",
            "Use --test manova.",
        )
    metrics = _metrics_of(scores, args.metric)
    datasets = [args.dataset] if args.dataset is not None else list(scores.datasets)
    if len(datasets) > 1:
        for option in ("plot", "projection"):
            if getattr(args, option):
                raise must(
                    "dataset", f"be given with --{option}, which draws one data set", "none"
                )
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
        raise must(
            "metric",
            "be given twice or more for --test manova, as in --metric tpr --metric fpr",
            f"a table of {', '.join(scores.metrics)}",
            "For one metric use another test.",
        )
    return names


def _blocks(scores: Scores, metrics: Sequence[str], dataset: str, args: Arguments) -> Blocks:
    from bayescmp.scores.blocks import scores_blocks

    blocks = scores_blocks(
        scores, metrics=metrics, dataset=dataset, algorithms=args.algorithms or None, rho=args.rho
    )
    if blocks.L < 2:
        raise InputError(
            f"Algorithms must be at least two (got only {blocks.algorithms[0]!r}).", "algorithms"
        )
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
    """Return the posterior of one data set, if a ROPE is given."""
    from bayescmp.bayesian import groups, multivariate_t

    if not args.rope:
        return {}
    rope = read_ropes(args.rope, blocks.metrics)
    fit = multivariate_t if blocks.L == 2 else groups
    return {"bayesian": fit(blocks, rope=rope, seed=args.seed)}


def _draw_metrics(scores: Scores, blocks: Blocks, result: Json, args: Arguments) -> None:
    from bayescmp.plots import metrics

    if args.projection and "manova" not in result:
        raise must_be_used("projection", "three or more algorithms", "two")
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
        how = adjusted_by(args.adjust)
        parts.append(result["hotelling"])
        if args.adjust == "holm":  # as in the result's own table
            parts.append(f"The column 'adjusted' has p-values {how}.")
        else:
            alone = result["hotelling"].univariate(args.adjust).reset_index()
            parts.append(as_text(Summary(f"Each metric separately, {how}", alone, P_VALUES)))
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


#: The function for each kind of comparison.
ANSWERS = {
    PAIR: _compare_pair,
    PAIR_OF_MODELS: _compare_pair,
    ALL_PAIRS: _compare_all,
    ALL_MODELS: _compare_models,
    GROUPS: _compare_groups,
}
