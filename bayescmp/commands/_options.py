"""Options that several subcommands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bayescmp.errors import InputError

if TYPE_CHECKING:
    from bayescmp.scores import Scores

__all__ = ["add_scores", "read_rope", "read_scores"]


def add_scores(parser: argparse.ArgumentParser) -> None:
    """Options that say where the scores are and how to read them."""
    parser.add_argument("scores", help="CSV or Parquet table of scores, one row a fold")
    parser.add_argument("--metric", help="column to compare by (may be left out if there is one)")
    parser.add_argument(
        "--column", action="append", default=[], metavar="PART=NAME",
        help="which column is the dataset, algorithm, repeat or fold, where its name does not "
        "tell; e.g. --column dataset=dataset_id",
    )  # fmt: skip
    parser.add_argument(
        "--lower-is-better", action="append", default=[], metavar="METRIC",
        help="a metric for which lower is better, where its name does not tell",
    )  # fmt: skip


def read_scores(args: argparse.Namespace) -> Scores:
    """The scores that the options name."""
    from bayescmp.scores import Scores

    columns = {}
    for given in args.column:
        part, equals, name = given.partition("=")
        if not equals:
            raise InputError(f"--column {given!r}; accepted: PART=NAME, e.g. dataset=dataset_id")
        columns[part] = name
    return Scores.read(args.scores, columns=columns, lower_is_better=args.lower_is_better)


def read_rope(text: str) -> Any:
    """A rope as typed: ``0.01`` or ``-0.005,0.01``."""
    try:
        ends = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--rope {text!r} is not a number; accepted: a half-width (0.01) or LOW,HIGH"
        ) from None
    return ends[0] if len(ends) == 1 else tuple(ends)
