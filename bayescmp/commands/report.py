"""`bayescmp report`: all pairs of algorithms on one page."""

from __future__ import annotations

from bayescmp.base.arguments import must
from bayescmp.commands.crosscheck import add_question, gather_question
from bayescmp.commands.parser import Parser, add_reading
from bayescmp.commands.shared import Arguments

USAGE = "TABLE [ALGORITHM ...] [--rope ROPE] [options]"
EXAMPLE = "scores.csv --rope 0.01 --out report.html"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    add_question(parser)
    add = parser.add_argument_group("output").add_argument
    out = "where to write: .html, .md, .tex or .bib (repeatable; default report.html)"
    add("--out", metavar="FILE", action="append", help=out)
    add("--figures", metavar="DIR", help="write each pair's plots in this folder, as PDF")
    add("--title", metavar="TEXT", help="heading of the report")
    varied = "report for each pair what its verdict depends on"
    add("--sensitivity", action="store_true", help=varied)
    in_full = (
        "show at most N pairs with figures, those of the leading algorithms (default: all pairs "
        "of up to eight algorithms; of more, the leading pair)"
    )
    add("--in-full", type=int, metavar="N", help=in_full)
    latex = "length of .tex: compact (default: one table per metric for over six pairs) or full"
    add("--latex", choices=("compact", "full"), default="compact", help=latex)
    add_reading(parser)


def run(args: Arguments) -> None:
    """Compare all pairs of algorithms and write a report.

    It shows Bayesian verdicts next to their frequentist counterparts, with plots, diagnostics and
    a methods paragraph: one HTML file that needs no network, or tables in Markdown (.md) and
    LaTeX (.tex), with the works cited (.bib).
    """
    from bayescmp.report import report

    if not args.out:
        args.out = ["report.html"]
        args.check_files()
    table = args.read_table()
    args.names_of(table)
    if args.of_items and (len(args.out) > 1 or not args.out[0].lower().endswith(".html")):
        raise must(
            "out", "be one file that ends in .html for answers to questions", ", ".join(args.out)
        )
    given = args.take_options("title", "in_full", "figures", "sensitivity", "latex")
    written = report(table, args.out, **gather_question(args), **given)
    for path in written if isinstance(written, list) else [written]:
        print(f"written {path}")
    if args.figures:
        print(f"written plots in {args.figures}")
