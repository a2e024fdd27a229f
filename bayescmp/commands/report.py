"""`bayescmp crosscheck` and `report`: every pair by Bayesian tests and their twins."""

from __future__ import annotations

import argparse
from typing import Any

from bayescmp.commands.shared import (
    check_files,
    metric_of,
    prior_of,
    read_rope,
    read_scores,
    show,
    taken,
)
from bayescmp.commands.table import READING, command
from bayescmp.errors import InputError

#: Options that both take.
ASKED = (
    "--scale --rope!... --dataset... --unpaired --rho --prior --engine --threshold --alpha "
    "--adjust --seed"
)


@command(
    "crosscheck",
    "Bayesian verdicts beside their frequentist twins, and in words where they disagree",
    "All pairs of algorithms, or those named, by the Bayesian tests that the scores allow and by "
    "their frequentist twins; with several --metric options each metric alone, and all together. "
    "`bayescmp tests` lists which are twins.",
    f"scores algorithms --metric... {READING} {ASKED} --out --json",
    {"--engine": {"default": None}, "--out": "write every pair of twins as CSV"},
)
def crosscheck_pairs(args: argparse.Namespace) -> int:
    """Cross-check, print, and write what was asked for."""
    from bayescmp.base.files import replacing
    from bayescmp.study.crosscheck import crosscheck

    check = crosscheck(read_scores(args), **asked(args))
    if args.out:
        with replacing(args.out) as part:
            check.frame.to_csv(part, index=False)
    show(args, lambda: check, check.to_dict)
    return 0


@command(
    "report",
    "compare all pairs of algorithms and write a report",
    "Bayesian verdicts on all pairs beside their frequentist twins, with plots, diagnostics and a "
    "methods paragraph: one HTML file that needs no network, or tables in Markdown (.md) and "
    "LaTeX (.tex), with the works cited (.bib).",
    f"scores --metric... --algorithm {READING} {ASKED} --out... --figures --sensitivity --title "
    "--in-full",
    {
        "--out": "where to write (.html, .md, .tex, .bib; repeatable; default report.html)",
        "--engine": {"default": None},
    },
)
def write_report(args: argparse.Namespace) -> int:
    """Compare, and write the report."""
    from bayescmp.report import report

    if not args.out:
        args.out = ["report.html"]
        check_files(args)
    options = ("title", "in_full", "figures", "sensitivity")
    written = report(read_scores(args), args.out, **asked(args), **taken(args, *options))
    for path in written if isinstance(written, list) else [written]:
        print(f"written {path}")
    if args.figures:
        print(f"written plots in {args.figures}")
    return 0


def asked(args: argparse.Namespace) -> dict[str, Any]:
    """Return what a cross-check is asked, of itself or for a report."""
    return {
        "rope": _ropes(args.rope),
        "metric": metric_of(args),
        "datasets": args.dataset,
        "paired": not args.unpaired,
        "prior": prior_of(args),
        "algorithms": args.algorithms or None,
        **taken(args, "threshold", "alpha", "adjust", "rho", "seed", "engine"),
    }


def _ropes(given: list[str]) -> Any:
    """Read one rope for all metrics, or a mapping of metrics to ropes."""
    named = [text.rpartition("=") for text in given]
    if len(given) == 1 and not named[0][0]:
        return read_rope(given[0])
    for (metric, _, _), text in zip(named, given, strict=True):
        if not metric:
            raise InputError(f"--rope {text!r}; accepted with several: METRIC=ROPE")
    return {metric: read_rope(rope) for metric, _, rope in named}
