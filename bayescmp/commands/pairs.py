"""`bayescmp compare`, `compare-all`, `items` and `gate`: pairs, from a table to verdicts."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bayescmp.base.files import check_writable, replace_when_whole
from bayescmp.base.typing import as_json
from bayescmp.commands.shared import (
    GAP,
    Arguments,
    as_records,
    read_each,
    read_ropes,
    stages,
)
from bayescmp.commands.table import READING, SEVERAL_FILES, TESTING, command
from bayescmp.errors import EngineError, InputError
from bayescmp.wording.text import fill_lines, line_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescmp.base.typing import Json
    from bayescmp.items.items import Items
    from bayescmp.results.posterior import Fitted, Posterior

# `bayescmp compare`: two algorithms, from a table of scores to a verdict and a picture.


@command(
    "compare",
    f"scores --metric... {READING} --scale --first --second --rope!... --dataset {TESTING} --seed "
    "--plot --shrinkage --density --rope-curve --save --full --json",
)
def compare_pair(args: Arguments) -> None:
    """Is the second algorithm better than the first, worse, or practically the same?

    Bayesian comparison of two algorithms: the hierarchical correlated t test on several data sets
    with their folds, the correlated t test on one, the signed-rank test on means; or the test you
    name. With several --metric options all are compared at once: which algorithm dominates, and
    whether there is a trade-off.
    """
    from bayescmp.study.compare import compare

    rope, prior = read_ropes(args.rope, args.metric), args.read_prior()
    scores = args.read_table()
    posterior = compare(
        scores,
        *args.pair_of(scores),
        args.named_metric(),
        rope,
        prior=prior,
        progress=sys.stderr.isatty(),
        **args.take_options("test", "rho", "dataset", "seed", "engine"),
    )
    draw_pair(posterior, args)
    varied = "bayescmp sensitivity" if len(args.metric or ()) < 2 else ""
    show_pair(posterior, args, further=varied)


def draw_pair(posterior: Posterior, args: Arguments) -> None:
    """Draw the pictures of a pair that are asked for."""
    from bayescmp import plots

    for option in ("shrinkage", "density"):
        if getattr(args, option) and option not in posterior.shows:
            raise InputError(
                f"--{option}: the {posterior.method} does not have this plot; use --plot"
            )
    args.draw("plot", posterior.figure_size, posterior.plot)
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


# `bayescmp compare-all`: all pairs of algorithms, or all against a control.


@command(
    "compare-all",
    f"scores --metric {READING} --scale --rope! --control --algorithm {TESTING} --seed --jobs "
    "--out --plot --ladder --full --json",
    {"--plot": "write the heat map (png, svg, pdf)", "--json": "print the whole table as JSON"},
)
def compare_pairs(args: Arguments) -> None:
    """Compare all pairs of algorithms, or each of them with a control.

    Every pair is a comparison of its own; one that fails is reported, and the others are kept.
    """
    from bayescmp.plots import ladder, matrices
    from bayescmp.study.compare import compare_all

    rope, prior = args.read_rope(), args.read_prior()
    options = ("control", "algorithms", "test", "rho", "seed", "threshold", "n_jobs", "engine")
    comparisons = compare_all(
        args.read_table(),
        None if args.of_items else args.metric,
        rope,
        prior=prior,
        **args.take_options(*options),
    )
    args.write_table("out", comparisons.frame)
    args.draw("plot", matrices.verdicts_size, matrices.plot_verdicts, comparisons)
    args.draw("ladder", ladder.ladder_size, ladder.plot_ladder, comparisons)
    failures = [
        f"failed       {first} and {second}: {error}"
        for (first, second), error in comparisons.failures.items()
    ]
    args.show(
        [comparisons, *(["\n".join(failures)] if failures else [])],
        lambda: comparisons.frame.to_json(orient="records", indent=2),
        GAP,
    )


# `bayescmp items`: models on a benchmark's questions, from their answers to a verdict.


@command(
    "items",
    "items --format --metric... --filter --evals --read-option --sep --decimal --column --missing "
    "--lower-is-better --higher-is-better --first --second --benchmark --rope! --pass-hat "
    "--pass-at --noise --test --threshold --seed --plot --flips --save --full --json",
    {
        "--format": "auto, table, {item_formats}",
        "--metric": "the column of scores, metric or scorer, where there are several; of each "
        "task its own, as TASK=METRIC (repeatable)",
        "--read-option": "further options of the format, e.g. split=test",
        "--column": "which column is the model, benchmark, item, cluster, judge, epoch or score, "
        "if its name does not show it; several for clusters within clusters, the outermost first",
        "--missing": "common: compare on the items that all models have, and count what is left "
        "out; error (default): refuse",
        "--noise": {
            "action": "store_true",
            "help": "report how much of the variance is questions, and how much the models' own "
            "noise",
        },
        "--lower-is-better": "the column of scores, if lower is better and its name does not say",
        "--higher-is-better": "the same, where higher is better",
        "--first": "the first model (left)",
        "--second": "the second model (right)",
        "--test": "auto (default); on one benchmark {tests_of_items}; on several {tests}",
    },
)
def compare_items(args: Arguments) -> None:
    """Compare models by their answers to a benchmark's questions, one row per model and question.

    Bayesian comparison of models by their answers to the same items. Two models on one benchmark:
    the difference in accuracy, or the bootstrap over clusters where scores are graded or items
    belong together; on several benchmarks the hierarchical test. All models at once if none are
    named.
    """
    from bayescmp.results.posterior import Posterior
    from bayescmp.study.compare import compare

    rope = args.read_rope()
    with stages("reading items", "comparing models") as ended:
        items = args.read_items()
        answers = _of_pair(items, args)
        items = args.rescore_items(items)
        ended()
        posterior: Fitted = compare(
            items,
            args.first,
            args.second,
            rope=rope,
            dataset=args.benchmark,
            progress=sys.stderr.isatty(),
            **args.take_options("test", "seed"),
        )
    sentences = [part["text"] for part in answers.values()]

    def draw(ax: Axes) -> Axes:
        ax = posterior.plot(ax=ax)
        if sentences:
            text = "\n".join(fill_lines(part, 64) for part in sentences)
            ax.figure.supxlabel(text, fontsize=6.5, x=0.02, ha="left")
        return ax

    wide, high = posterior.figure_size()
    args.draw("plot", (wide, high + 0.55 * len(sentences)), draw)
    if isinstance(posterior, Posterior):
        show_pair(posterior, args, answers)
        return
    if args.save:
        posterior.save(args.save)
    options = {"threshold": args.threshold} if posterior.kind.startswith("groups") else {}
    args.show(posterior, lambda: _tabulate_pairs(posterior, args.threshold), GAP, **options)


def _of_pair(items: Items, args: Arguments) -> dict[str, Json]:
    """Return what two models' answers show beside the verdict, with texts: noise, and flips."""
    from bayescmp.items.pair import count_flips

    asked = {"noise": args.noise, "flips": args.flips}
    if not any(asked.values()):
        return {}
    names = [args.first, args.second]
    if names == [None, None] and len(items.models) == 2:
        names = list(items.models)
    if None in names:
        raise InputError(
            f"--{next(k for k, v in asked.items() if v)} is of two models: name them with --first "
            "and --second"
        )
    options = {"benchmarks": args.benchmark}
    parts: dict[str, Json] = {}
    if args.noise:
        parts["noise"] = items.noise(*names, **options, seed=args.seed).to_dict()
    if args.flips:
        flips = items.pair(*names, **options).flips()
        args.write_table("flips", flips)
        counts, text = count_flips(flips, (names[0], names[1]))
        parts["flips"] = {**counts, "text": text}
    return parts


def _tabulate_pairs(posterior: Any, threshold: float) -> Json:
    """Return every pair of three models or more."""
    pairs = posterior.frame(threshold=threshold)
    return {
        "test": posterior.kind,
        "models": list(posterior.names),
        "metrics": [d.to_dict() for d in posterior.directions],
        "pairing": posterior.pairing,
        "pairs": as_records(pairs),
        "diagnostics_ok": posterior.diagnostics.ok,
        "engine": {"name": posterior.engine, "version": posterior.engine_version},
        "seed": posterior.seed,
        "notes": list(posterior.notes),
    }


# `bayescmp gate`: may this change go in? The exit status says so to whatever runs it.


#: The exit status of each outcome; 2 is for what cannot be read or asked, in every command.
STATUS = {"pass": 0, "fail": 1, "undecided": 3}


@command(
    "gate",
    f"scores --metric... {READING} --scale --items --pass-hat --pass-at --baseline! --candidate! "
    f"--margin! --on --dataset {TESTING} --seed --sequential --undecided --full --json --junit "
    "--markdown",
    {
        "scores": SEVERAL_FILES,
        "--metric": "column to judge by (may be left out if there is one; repeatable); with "
        "--items one, or that of each task, as TASK=METRIC",
        "--markdown": {
            "help": "append a summary in Markdown, as for $GITHUB_STEP_SUMMARY",
            "action": "store",
            "metavar": "FILE",
        },
    },
)
def hold_gate(args: Arguments) -> int:
    """Is the candidate not worse than the baseline by more than a margin?

    Passes (status 0) where the candidate is not worse by more than the margin with the probability
    asked for, fails (1) where it is worse with that probability, else is undecided (3); 2 is for
    what cannot be read or asked. With several --metric options each has its margin, and all are
    asked at once.
    """
    from bayescmp.study.gate import gate

    if args.markdown is not None:
        check_writable("--markdown", args.markdown)
    try:
        result = gate(
            args.read_either(),
            args.baseline,
            args.candidate,
            args.named_metric(),
            read_each("--margin", "MARGIN", args.margin, _number),
            on=args.on,
            prior=args.read_prior(),
            **args.take_options(
                "test", "rho", "dataset", "seed", "engine", "threshold", "sequential"
            ),
        )
    except (EngineError, MemoryError) as error:  # status 1 would say that the candidate fails
        raise InputError(str(error) or "there is not enough memory for this") from error
    if args.junit:
        with replace_when_whole(args.junit) as part:
            part.write_text(result.to_junit(), encoding="utf-8")
    if args.markdown:
        with open(args.markdown, "a", encoding="utf-8") as summary:
            summary.write(result.to_markdown())
    args.show(result, result.to_dict, GAP)
    outcome = result.outcome
    return STATUS[args.undecided if outcome == "undecided" and args.undecided else outcome]


def _number(text: str) -> float | str:
    if text.strip().endswith("%"):
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--margin must be a number, e.g. 0.01 or 1% (got {text!r}).") from None
