"""`bayescmp compare`, `compare-all` and `items`: pairs, from a table to verdicts and pictures."""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bayescmp.commands._options import (
    add_scale,
    add_scores,
    check_files,
    draw_to,
    named_values,
    pair_of,
    prior_of,
    read_rope,
    read_ropes,
    read_scores,
    stages,
)
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from bayescmp.base.typing import Json
    from bayescmp.commands._options import Subparsers
    from bayescmp.items.items import Items
    from bayescmp.results.posterior import Fitted, Posterior

__all__ = [
    "as_dict",
    "as_text",
]


# `bayescmp compare`: two algorithms, from a table of scores to a verdict and a picture.


FILES = ("plot", "shrinkage", "density", "rope_curve", "save")


def register_compare(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "compare",
        help="is the second algorithm better than the first, worse, or practically the same?",
        description="Bayesian comparison of two algorithms: the hierarchical correlated t test on "
        "several data sets with their folds, the correlated t test on one, the signed-rank test "
        "on means; or the test you name. With several --metric options all are compared at once: "
        "which algorithm dominates, and whether there is a trade-off.",
    )
    add_scores(parser, several=True)
    add_scale(parser)
    parser.add_argument("--first", help="the first algorithm (left)")
    parser.add_argument("--second", help="the second algorithm (right)")
    parser.add_argument(
        "--rope",
        required=True,
        action="append",
        help="region of practical equivalence: half-width, or LOW,HIGH as --rope=-0.005,0.01; for "
        "several metrics one for all, or one each, as --rope tpr=0.01 --rope fpr=0.02",
    )
    parser.add_argument("--dataset", help="compare on this data set only")
    add_test(parser)
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--plot", metavar="FILE", help="write the test's plot (png, svg, pdf)")
    parser.add_argument("--shrinkage", metavar="FILE", help="write the plot of all data sets")
    parser.add_argument(
        "--density", metavar="FILE", help="write the density of the mean difference"
    )
    parser.add_argument(
        "--rope-curve", metavar="FILE", help="write the probabilities as the rope widens"
    )
    parser.add_argument("--save", metavar="FILE", help="write the posterior as netCDF, for ArviZ")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run_compare)


def add_test(parser: argparse.ArgumentParser) -> None:
    """Options that say how to compare."""
    parser.add_argument(
        "--test",
        default="auto",
        help="auto, or a name that `bayescmp tests` lists: hierarchical, correlated or robust "
        "(one data set), signed-rank, sign, ...; for several metrics hierarchical, multivariate "
        "or robust (one data set)",
    )
    parser.add_argument("--rho", type=float, help="correlation of folds, if not 1/folds")
    parser.add_argument(
        "--prior", help="prior of the hierarchical test: corani2017 (default) or benavoli2017"
    )
    parser.add_argument(
        "--engine", default="auto", help="auto, quadrature, cmdstan, bundled or pystan"
    )
    parser.add_argument("--threshold", type=float, default=0.95, help="decide at this probability")


def run_compare(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.results.verdict import check_threshold
    from bayescmp.study.compare import compare

    check_threshold(args.threshold)
    rope, prior = read_ropes(args.rope, args.metric), prior_of(args)
    metric = args.metric[0] if args.metric and len(args.metric) == 1 else args.metric
    check_files(args, FILES)
    scores = read_scores(args)
    posterior = compare(
        scores,
        *pair_of(scores, args),
        metric,
        rope,
        test=args.test,
        rho=args.rho,
        dataset=args.dataset,
        seed=args.seed,
        engine=args.engine,
        prior=prior,
        progress=sys.stderr.isatty(),
    )
    if args.json:
        text = json.dumps(as_dict(posterior, args.threshold), indent=2, allow_nan=False)
    else:
        text = as_text(posterior, args.threshold)
    written = _write_files(posterior, args)
    print(text)
    if not args.json:
        print("".join(f"\nwritten      {path}" for path in written).lstrip("\n"), end="")
        print("" if not written else "\n", end="")
    return 0


def _write_files(posterior: Any, args: argparse.Namespace) -> list[str]:
    from bayescmp import plots

    _check_plots(posterior, args)
    if args.plot:
        draw_to(args.plot, posterior.figure_size(), posterior.plot)
    if args.shrinkage:
        height = 1.1 + 0.155 * len(posterior.datasets)
        draw_to(args.shrinkage, (3.4, height), lambda ax: plots.plot_shrinkage(posterior, ax=ax))
    if args.density:
        draw_to(args.density, (3.4, 2.3), lambda ax: plots.plot_density(posterior, ax=ax))
    if args.rope_curve:
        draw_to(args.rope_curve, (3.4, 2.3), lambda ax: plots.plot_rope_curve(posterior, ax=ax))
    if args.save:
        posterior.save(args.save)
    return [getattr(args, option) for option in FILES if getattr(args, option)]


def _check_plots(posterior: Posterior, args: argparse.Namespace) -> None:
    """Refuse a plot that the test does not have."""
    for option in ("shrinkage", "density"):
        if getattr(args, option) and option not in posterior.shows:
            raise InputError(f"--{option}: the {posterior.method} has no such plot; use --plot")


def as_text(posterior: Posterior, threshold: float) -> str:
    """The result as the terminal shows it."""
    verdict = posterior.verdict(threshold=threshold)
    lines = [posterior.heading(), "", str(verdict), ""]
    lines += [f"odds         {odds}" for odds in verdict.odds_in_words()]
    for name, over in (("delta0", f"over {{}} {posterior.unit}s"), ("delta", "")):
        summary = posterior.summary()
        if name in summary.index:
            lines.append(_mean(name, summary.loc[name], over, posterior))
    if "regions" in posterior.shows:
        lines += ["", posterior.summary().to_string(float_format=lambda v: f"{v:.4g}"), ""]
    return "\n".join([*lines, *posterior.footer()])


def _mean(name: str, row: Any, over: str, posterior: Any) -> str:
    middle = row["median"] if math.isnan(row["mean"]) else row["mean"]  # not all have a mean
    mean = f"{middle:.4g} (95 % interval {row['2.5%']:.4g} to {row['97.5%']:.4g})"
    where = f", {over.format(len(posterior.datasets))}" if over else ""
    return f"{name:<12} {mean}{where}"


def as_dict(posterior: Any, threshold: float) -> Json:
    """The whole result for machines."""
    verdict = posterior.verdict(threshold=threshold)
    result = {
        "test": posterior.kind,
        "metrics": [d.to_dict() for d in posterior.directions],
        "resampling": posterior.resampling,
        "verdict": verdict.to_dict(),
        "summary": _finite(posterior.summary().to_dict(orient="index")),
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


def _finite(summary: Any) -> Json:
    """JSON has no infinity: what is infinite, such as an sd with two folds, is null."""
    return {
        name: {k: v if abs(v) < float("inf") else None for k, v in row.items()}
        for name, row in summary.items()
    }


# `bayescmp compare-all`: all pairs of algorithms, or all against a control.


def register_compare_all(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "compare-all",
        help="verdicts on all pairs of algorithms, or on all against a control",
        description="Every pair is a comparison of its own; one that fails is reported, and the "
        "others are kept.",
    )
    add_scores(parser)
    add_scale(parser)
    parser.add_argument(
        "--rope",
        required=True,
        help="region of practical equivalence: half-width, or LOW,HIGH as --rope=-0.005,0.01",
    )
    parser.add_argument("--control", help="compare all others with this algorithm only")
    parser.add_argument(
        "--algorithm", action="append", metavar="NAME", help="compare these only (repeatable)"
    )
    add_test(parser)
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument(
        "--jobs", type=int, help="processes at most (default: one per core, where that saves time)"
    )
    parser.add_argument("--out", metavar="FILE", help="write the table as CSV")
    parser.add_argument("--plot", metavar="FILE", help="write the heat map (png, svg, pdf)")
    parser.add_argument(
        "--ladder", metavar="FILE", help="write the ladder: the algorithms in order"
    )
    parser.add_argument("--json", action="store_true", help="print the whole table as JSON")
    parser.set_defaults(run=run_compare_all)


def run_compare_all(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.base.files import replacing
    from bayescmp.plots import ladder, verdicts
    from bayescmp.study.all_pairs import compare_all

    rope, prior = read_rope(args.rope), prior_of(args)
    check_files(args, ("out", "plot", "ladder"))
    comparisons = compare_all(
        read_scores(args),
        args.metric,
        rope,
        control=args.control,
        algorithms=args.algorithm,
        test=args.test,
        rho=args.rho,
        seed=args.seed,
        threshold=args.threshold,
        n_jobs=args.jobs,
        engine=args.engine,
        prior=prior,
    )
    if args.out:
        with replacing(args.out) as part:
            comparisons.frame.to_csv(part, index=False)
    if args.plot:
        draw_to(args.plot, verdicts.verdicts_size(comparisons), comparisons.plot)
    if args.ladder:
        size = ladder.figure_size(comparisons)
        draw_to(args.ladder, size, lambda ax: ladder.plot_ladder(comparisons, ax=ax))
    if args.json:
        print(comparisons.frame.to_json(orient="records", indent=2))
        return 0
    print(comparisons)
    for (first, second), error in comparisons.failures.items():
        print(f"failed       {first} and {second}: {error}")
    for path in filter(None, (args.out, args.plot, args.ladder)):
        print(f"written      {path}")
    return 0


# `bayescmp items`: models on a benchmark's questions, from their answers to a verdict.


ITEMS_FILES = ("plot", "save")


def register_items(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "items",
        help="models on a benchmark's questions, one row per model and question",
        description="Bayesian comparison of models by their answers to the same items. Two models "
        "on one benchmark: the difference in accuracy, or the bootstrap over clusters where "
        "scores are graded or items belong together; on several benchmarks the hierarchical "
        "test. All models at once if none are named.",
    )
    parser.add_argument(
        "items",
        nargs="+",
        help="CSV or Parquet table, one row per model and item; samples_*.jsonl of "
        "lm-evaluation-harness, or a folder of them; a table of Inspect's samples",
    )
    _add_reading(parser)
    parser.add_argument("--first", help="the first model (left)")
    parser.add_argument("--second", help="the second model (right)")
    parser.add_argument("--benchmark", help="compare on this benchmark only")
    parser.add_argument(
        "--rope", required=True, help="region of practical equivalence: half-width, or LOW,HIGH"
    )
    parser.add_argument("--test", default="auto", help="auto, or a name that `tests` lists")
    parser.add_argument("--threshold", type=float, default=0.95, help="decide at this probability")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--plot", metavar="FILE", help="write the test's plot (png, svg, pdf)")
    parser.add_argument("--save", metavar="FILE", help="write the posterior as netCDF, for ArviZ")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run_items)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """Options that say what the files hold."""
    parser.add_argument("--format", default="auto", help="auto, table, lm-eval or inspect")
    parser.add_argument("--metric", help="the column of scores, where there are several")
    parser.add_argument("--filter", help="lm-evaluation-harness: the filter whose scores to use")
    parser.add_argument("--evals", help="Inspect: the table of evaluations, from evals_df")
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="PART=NAME",
        help="which column is the model, benchmark, item, cluster, epoch or score, where its name "
        "does not say",
    )
    parser.add_argument(
        "--missing",
        choices=("error", "common"),
        default="error",
        help="common: compare on the items that all models have, and count what is left out",
    )
    parser.add_argument(
        "--lower-is-better",
        action="append",
        default=[],
        metavar="METRIC",
        help="the column of scores, where lower is better and its name does not say",
    )


def run_items(args: argparse.Namespace) -> int:
    """Read, compare, print, and write what was asked for."""
    from bayescmp.results.verdict import check_threshold
    from bayescmp.study.compare import compare

    check_threshold(args.threshold)
    rope = read_rope(args.rope)
    check_files(args, ITEMS_FILES, args.items)
    with stages("reading items", "comparing models") as ended:
        items = _items(args)
        ended()
        posterior: Fitted = compare(
            items,
            args.first,
            args.second,
            rope=rope,
            test=args.test,
            dataset=args.benchmark,
            seed=args.seed,
            progress=sys.stderr.isatty(),
        )
    text = _text(posterior, args)
    if args.plot:
        draw_to(args.plot, posterior.figure_size(), posterior.plot)
    if args.save:
        posterior.save(args.save)
    print(text)
    if not args.json:
        for path in filter(None, (args.plot, args.save)):
            print(f"written      {path}")
    return 0


def _items(args: argparse.Namespace) -> Items:
    """The items that the options name."""
    from bayescmp.items.items import Items

    given = {"metric": args.metric, "filter": args.filter, "evals": args.evals}
    return Items.read(
        args.items if len(args.items) > 1 else args.items[0],
        args.format,
        columns=named_values("--column", args.column, "PART=NAME, e.g. item=question_number"),
        missing=args.missing,
        lower_is_better=args.lower_is_better,
        **{name: value for name, value in given.items() if value is not None},
    )


def _text(posterior: object, args: argparse.Namespace) -> str:
    """What is printed: of a pair its verdict, of several models all of them."""
    from bayescmp.results.posterior import Posterior

    if isinstance(posterior, Posterior):
        if args.json:
            document = as_dict(posterior, args.threshold)
            return json.dumps(document, indent=2, allow_nan=False)
        return as_text(posterior, args.threshold)
    if args.json:
        return json.dumps(_several(posterior, args.threshold), indent=2)
    return str(posterior)


def _several(posterior: Any, threshold: float) -> Json:
    """Of three models or more: every pair."""
    pairs = posterior.frame(threshold=threshold)
    return {
        "test": posterior.kind,
        "models": list(posterior.names),
        "metrics": [d.to_dict() for d in posterior.directions],
        "pairs": json.loads(pairs.to_json(orient="records")),
        "diagnostics_ok": posterior.diagnostics.ok,
        "engine": {"name": posterior.engine, "version": posterior.engine_version},
        "seed": posterior.seed,
        "notes": list(posterior.notes),
    }
