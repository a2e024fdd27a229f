"""`bayescmp gate`: may this change go in? The exit status says so to whatever runs it."""

from __future__ import annotations

import argparse
from typing import Any

from bayescmp.base.files import check_writable, replacing
from bayescmp.commands.pairs import metric_of
from bayescmp.commands.shared import GAP, prior_of, read_items, read_scores, show, taken
from bayescmp.commands.table import READING, TESTING, command
from bayescmp.errors import EngineError, InputError

#: The exit status of each outcome; 2 is for what can't be read or asked, in every command.
STATUS = {"pass": 0, "fail": 1, "undecided": 3}


@command(
    "gate",
    "is the candidate not worse than the baseline by more than a margin?",
    "Passes (status 0) where the candidate is not worse by more than the margin with the "
    "probability asked for, fails (1) where it is worse with that probability, else is undecided "
    "(3); 2 is for what can't be read or asked. With several --metric options each has its "
    "margin, and all are asked at once.",
    f"scores --metric... {READING} --scale --items --baseline! --candidate! --margin! --on "
    f"--dataset {TESTING} --seed --sequential --undecided --full --json --junit --markdown",
    {
        "--metric": "column to judge by (may be left out if there is one; repeatable)",
        "--markdown": {
            "help": "append a summary in Markdown, as for $GITHUB_STEP_SUMMARY",
            "action": "store",
            "metavar": "FILE",
        },
    },
)
def hold_gate(args: argparse.Namespace) -> int:
    """Judge, print, write what was asked for, and return the status."""
    from bayescmp.study.gate import gate

    if args.markdown is not None:
        check_writable("--markdown", args.markdown)
    metric: Any = metric_of(args)
    try:
        result = gate(
            read_items(args) if args.of_items else read_scores(args),
            args.baseline,
            args.candidate,
            metric,
            _margins(args.margin),
            on=args.on,
            prior=prior_of(args),
            **taken(args, "test", "rho", "dataset", "seed", "engine", "threshold", "sequential"),
        )
    except (EngineError, MemoryError) as error:  # status 1 would say that the candidate fails
        raise InputError(str(error) or "there is not enough memory for this") from error
    if args.junit:
        with replacing(args.junit) as part:
            part.write_text(result.to_junit(), encoding="utf-8")
    if args.markdown:
        with open(args.markdown, "a", encoding="utf-8") as summary:
            summary.write(result.to_markdown())
    show(args, result, result.to_dict, GAP)
    outcome = result.outcome
    return STATUS[args.undecided if outcome == "undecided" and args.undecided else outcome]


def _margins(given: list[str]) -> Any:
    """One margin for all metrics, or one each, in order or as METRIC=0.01."""
    parts = [text.rpartition("=") for text in given]
    if all(name for name, _, _ in parts):
        return {name: _number(value) for name, _, value in parts}
    if any(name for name, _, _ in parts):
        raise InputError("--margin: give METRIC=MARGIN for every metric, or for none")
    values = [_number(value) for _, _, value in parts]
    return values[0] if len(values) == 1 else values


def _number(text: str) -> float | str:
    if text.strip().endswith("%"):
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--margin {text!r} is not a number; accepted: e.g. 0.01 or 1%") from None
