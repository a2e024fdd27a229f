"""`bayescmp report`: every pair compared and cross-checked, in one HTML file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bayescmp.commands._options import (
    PRIORS,
    add_scale,
    add_scores,
    check_files,
    prior_of,
    read_rope,
    read_scores,
)
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers

__all__ = ["register_report", "run_report"]


def register_report(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "report",
        help="compare all pairs of algorithms and write a report",
        description="Bayesian verdicts on all pairs beside their frequentist twins, with plots, "
        "diagnostics and a methods paragraph: one HTML file that needs no network, or tables in "
        "Markdown (.md) and LaTeX (.tex), with the works cited (.bib).",
    )
    add_scores(parser, several=True)
    add_scale(parser)
    parser.add_argument(
        "--rope",
        required=True,
        action="append",
        metavar="[METRIC=]ROPE",
        help="region of practical equivalence: half-width, or LOW,HIGH as --rope=-0.005,0.01; "
        "with several metrics one for all, or one per metric (repeatable)",
    )
    parser.add_argument(
        "--out",
        action="append",
        metavar="FILE",
        help="where to write (.html, .md, .tex, .bib; repeatable; default report.html)",
    )
    parser.add_argument("--figures", metavar="DIR", help="write each pair's plots there, as PDF")
    parser.add_argument(
        "--sensitivity", action="store_true", help="say for each pair what its decision depends on"
    )
    parser.add_argument("--title", help="heading of the report")
    parser.add_argument(
        "--in-full",
        type=int,
        metavar="N",
        help="show at most N pairs with pictures, those of the leading algorithms (default: all "
        "pairs of up to eight algorithms, of more the leading pair)",
    )
    parser.add_argument(
        "--algorithm", action="append", metavar="NAME", help="compare these only (repeatable)"
    )
    parser.add_argument(
        "--dataset", action="append", metavar="NAME", help="use these only (repeatable)"
    )
    parser.add_argument(
        "--threshold", type=float, default=0.95, help="decide at this probability (default 0.95)"
    )
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the tests (0.05)")
    parser.add_argument("--adjust", default="holm", help="adjustment (default holm)")
    parser.add_argument("--rho", type=float, help="correlation of folds, if not from the labels")
    parser.add_argument(
        "--unpaired",
        action="store_true",
        help="runs have seeds of their own and do not pair: tests for independent samples",
    )
    parser.add_argument("--engine", help="auto, quadrature, cmdstan, bundled or pystan")
    parser.add_argument("--prior", help=f"prior of the hierarchical test: {' or '.join(PRIORS)}")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.set_defaults(run=run_report)


def run_report(args: argparse.Namespace) -> int:
    """Compare, and write the report."""
    from bayescmp.report import report

    args.out = files = args.out or ["report.html"]
    check_files(args, ("out",))
    written = report(
        read_scores(args),
        files,
        rope=_ropes(args.rope),
        metric=args.metric[0] if args.metric and len(args.metric) == 1 else args.metric,
        algorithms=args.algorithm,
        datasets=args.dataset,
        threshold=args.threshold,
        alpha=args.alpha,
        adjust=args.adjust,
        rho=args.rho,
        seed=args.seed,
        paired=not args.unpaired,
        title=args.title,
        in_full=args.in_full,
        figures=args.figures,
        sensitivity=args.sensitivity,
        engine=args.engine,
        prior=prior_of(args),
    )
    for path in written if isinstance(written, list) else [written]:
        print(f"written {path}")
    if args.figures:
        print(f"written plots in {args.figures}")
    return 0


def _ropes(given: list[str]) -> Any:
    """One rope for all metrics, or a mapping of metrics to ropes."""
    named = [text.rpartition("=") for text in given]
    if len(given) == 1 and not named[0][0]:
        return read_rope(given[0])
    for (metric, _, _), text in zip(named, given, strict=True):
        if not metric:
            raise InputError(f"--rope {text!r}; accepted with several: METRIC=ROPE")
    return {metric: read_rope(rope) for metric, _, rope in named}
