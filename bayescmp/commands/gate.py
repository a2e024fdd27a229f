"""`bayescmp gate`: is the candidate not worse? The exit status gives the answer to scripts."""

from __future__ import annotations

from bayescmp.base.arguments import must_be
from bayescmp.base.files import check_writable, replace_when_whole
from bayescmp.commands.parser import (
    BAYESIAN,
    Parser,
    add_errors,
    add_group,
    add_reading,
    add_shared,
)
from bayescmp.commands.shared import GAP, Arguments, read_each
from bayescmp.errors import EngineError, InputError

#: The exit status of each outcome; 2 is for invalid input or options, in every command.
STATUS = {"pass": 0, "fail": 1, "undecided": 3}

USAGE = "TABLE --baseline A --candidate B --margin M [options]"
EXAMPLE = "scores.csv --baseline knn --candidate svm --margin 0.01"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("table", metavar="TABLE", help="CSV or Parquet file, or a log")
    asked = parser.add_argument_group("what is compared")
    add = asked.add_argument
    add("--baseline", metavar="NAME", required=True, help="what the candidate is to replace")
    candidate = "what is judged (repeatable)"
    add("--candidate", metavar="NAME", required=True, action="append", help=candidate)
    margin = (
        "by how much the candidate may be worse, in units of the metric; for several metrics one "
        "for all, or --margin accuracy=0.01 --margin latency=5"
    )
    add("--margin", metavar="MARGIN", required=True, action="append", help=margin)
    add_shared(asked, "--metric", several=True)
    add_shared(asked, "--dataset", "--scale")
    on = "the mean over data sets, or a new data set (default: next if there are several)"
    add("--on", choices=("mean", "next"), help=f"what must not be worse: {on}")
    test = add_group(parser, "how it is tested", *BAYESIAN)
    sequential = "for independent items in random order: pass, fail or continue, at every look"
    test.add_argument("--sequential", action="store_true", help=sequential)
    output = add_group(parser, "output", "--full", "--json")
    add = output.add_argument
    add("--undecided", choices=("pass", "fail"), help="what an undecided outcome counts as")
    add("--junit", metavar="FILE", help="write the checks as JUnit XML")
    markdown = "append a summary in Markdown, as for $GITHUB_STEP_SUMMARY"
    add("--markdown", metavar="PATH", help=markdown)
    add_errors(parser)
    add_reading(parser)


def run(args: Arguments) -> int:
    """Is the candidate not worse than the baseline by more than a margin?

    Exit status: 0 pass, 1 fail, 3 undecided, 2 invalid input or options. With several metrics
    each has its margin, and all must pass.
    """
    from bayescmp.study.gate import gate

    if args.markdown is not None:
        check_writable("--markdown", args.markdown)
    try:
        result = gate(
            args.read_any(),
            args.baseline,
            args.candidate,
            args.named_metric(),
            read_each("--margin", "MARGIN", args.margin, _number),
            prior=args.read_prior(),
            **args.take_options("on", "test", "rho", "dataset", "seed", "engine"),
            **args.take_options("threshold", "sequential"),
        )
    except (EngineError, MemoryError) as error:  # status 1 would mean that the candidate fails
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
        raise must_be("margin", "a number, e.g. 0.01 or 1%", text) from None
