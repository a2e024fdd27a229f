"""`bayescmp report`: every pair compared and cross-checked, in one HTML file."""

from __future__ import annotations

import argparse
from typing import Any

from bayescmp.commands.shared import (
    check_files,
    metric_of,
    prior_of,
    read_rope,
    read_scores,
    taken,
)
from bayescmp.commands.table import READING, command
from bayescmp.errors import InputError


@command(
    "report",
    "compare all pairs of algorithms and write a report",
    "Bayesian verdicts on all pairs beside their frequentist twins, with plots, diagnostics and a "
    "methods paragraph: one HTML file that needs no network, or tables in Markdown (.md) and "
    "LaTeX (.tex), with the works cited (.bib).",
    f"scores --metric... {READING} --scale --rope!... --out... --figures --sensitivity --title "
    "--in-full --algorithm --dataset... --threshold --alpha --adjust --rho --unpaired --engine "
    "--prior --seed",
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
    """Return what a cross-check is told of its options."""
    return {
        "rope": _ropes(args.rope),
        "metric": metric_of(args),
        "datasets": args.dataset,
        "paired": not args.unpaired,
        "prior": prior_of(args),
        **taken(args, "algorithms", "threshold", "alpha", "adjust", "rho", "seed", "engine"),
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
