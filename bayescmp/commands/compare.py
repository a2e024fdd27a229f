"""`bayescmp compare`: two algorithms, from a table of scores to a verdict and a picture."""

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
    pair_of,
    prior_of,
    read_ropes,
    read_scores,
)
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers
    from bayescmp.posterior import Posterior
    from bayescmp.typing import Json

__all__ = ["as_dict", "as_text", "register", "run"]

FILES = ("plot", "shrinkage", "density", "rope_curve", "save")


def register(subparsers: Subparsers) -> None:
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
    parser.set_defaults(run=run)


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


def run(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.comparison import compare
    from bayescmp.verdict import check_threshold

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
