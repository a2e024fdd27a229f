"""`bayescmp tests`: the catalogue, one line per test."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import _SubParsersAction

__all__ = ["register", "run"]


def register(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "tests",
        help="which Bayesian tests there are, what each takes, and its frequentist twins",
        description="The names that --test takes, in the order in which --test auto prefers them.",
    )
    parser.add_argument(
        "--frequentist",
        action="store_true",
        help="the frequentist tests instead: what each takes, and what a small p supports",
    )
    parser.add_argument("--json", action="store_true", help="print as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the catalogue."""
    import pandas as pd

    table = pd.DataFrame(_frequentist() if args.frequentist else _bayesian())
    if args.json:
        print(json.dumps(table.to_dict(orient="records"), indent=2))
    else:
        print(table.to_string(index=False))
    return 0


def _frequentist() -> list[dict[str, str]]:
    from bayescmp.catalogue import SCOPES, frequentist_tests

    return [
        {
            "test": test.name,
            "of": SCOPES[test.scope],
            "a small p supports": test.claims,
            "beside it": test.equivalence,
        }
        for test in frequentist_tests()
    ]


def _bayesian() -> list[dict[str, str]]:
    from bayescmp.catalogue import Span, bayesian_tests, twins_of

    def many(span: Span) -> str:
        least, most = span
        return f"{least}" if least == most else f"{least} or more" if most is None else str(span)

    return [
        {
            "test": test.name,
            "metrics": many(test.metrics),
            "algorithms": many(test.algorithms),
            "data sets": many(test.datasets),
            "scores on each": many((test.folds, None)),
            "twins": ", ".join(dict.fromkeys(twin.name for twin in twins_of(test))),
        }
        for test in bayesian_tests()
    ]
