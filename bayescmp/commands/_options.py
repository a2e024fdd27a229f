"""Options that several subcommands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bayescmp.base.checks import choice
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from bayescmp.bayesian import HierarchicalPrior
    from bayescmp.scores.scores import Scores

    Subparsers = _SubParsersAction[argparse.ArgumentParser]

__all__ = [
    "add_reading",
    "add_scale",
    "add_scores",
    "check_files",
    "draw_to",
    "named_values",
    "pair_of",
    "prior_of",
    "read_rope",
    "read_ropes",
    "read_scores",
    "stages",
]


# Stages of a command's work, on a bar.


@contextmanager
def stages(*names: str) -> Iterator[Callable[[], None]]:
    """Name the stage that a command is at, on a bar that goes when all is done.

    Nothing is shown where the errors do not go to a terminal.

    Parameters
    ----------
    *names : str
        The stages, in their order.

    Yields
    ------
    callable
        To be called at the end of each stage but the last.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from tqdm import tqdm

    layout = "{desc}: stage {n_fmt} of {total_fmt} [{elapsed}]"
    with tqdm(total=len(names), initial=1, desc=names[0], leave=False, bar_format=layout) as bar:

        def ended() -> None:
            bar.set_description_str(names[int(bar.n)], refresh=False)
            bar.update()
            bar.refresh()

        yield ended


PRIORS = ("corani2017", "benavoli2017")


def add_scores(
    parser: argparse.ArgumentParser, *, several: bool = False, optional: bool = False
) -> None:
    """Options that say where the scores are and how to read them."""
    table = "CSV or Parquet table of scores, one row per fold"
    parser.add_argument("scores", nargs="?" if optional else None, help=table)
    which = "column to compare by (may be left out if there is one)"
    if several:
        parser.add_argument(
            "--metric", action="append", help=f"{which}; may be given several times"
        )
    else:
        parser.add_argument("--metric", help=which)
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Options that say what the columns of a table are."""
    parser.add_argument(
        "--format",
        default="auto",
        help="the program that wrote the scores (mlr3, tidymodels, weka, wide, ...; table for a "
        "plain table); auto (default) recognises it",
    )
    parser.add_argument(
        "--read-option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="further options of the format, e.g. constraint=1h8c",
    )
    parser.add_argument(
        "--missing",
        choices=("error", "common"),
        default="error",
        help=""
        "common: compare only on folds and data sets for which every algorithm compared has a "
        "score, and count what is left out; error (default): refuse",
    )
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="PART=NAME",
        help="which column is the dataset, algorithm, repeat or fold, "
        "where its name does not say; e.g. --column dataset=dataset_id",
    )
    parser.add_argument(
        "--lower-is-better",
        action="append",
        default=[],
        metavar="METRIC",
        help="a metric for which lower is better, where its name does not say",
    )
    parser.add_argument(
        "--higher-is-better",
        action="append",
        default=[],
        metavar="METRIC",
        help="a metric for which higher is better, where its name does not say",
    )
    parser.add_argument(
        "--resampling",
        metavar="HOW",
        help="how the folds were drawn, where the table does not say: 10-fold, 10x10-fold "
        "(repeats x folds), 'random splits 0.33' (the share tested), leave-one-out, seeds, "
        "independent, 'windows rho 0.3'",
    )


def add_scale(parser: argparse.ArgumentParser) -> None:
    """The option that says on which scale pairs are compared."""
    parser.add_argument(
        "--scale",
        choices=("difference", "log_ratio", "standardised"),
        default="difference",
        help="what differs: the scores (default), their logarithms, so that --rope 1%% is a ratio "
        "of 1.01, or the scores in standard deviations of a pair's differences",
    )


def read_scores(args: argparse.Namespace) -> Scores:
    """The scores that the options name."""
    from bayescmp.scores.scores import Scores

    columns = named_values("--column", args.column, "PART=NAME, e.g. dataset=dataset_id")
    options = named_values("--read-option", args.read_option, "NAME=VALUE, e.g. constraint=1h8c")
    metric = getattr(args, "metric", None)
    metrics = [metric] if isinstance(metric, str) else metric or []
    if len(metrics) == 1:  # what a wide table is of
        options = {"metric": metrics[0], **options}
    scores = Scores.read(
        args.scores,
        args.format,
        **({"columns": columns} if columns else {}),
        lower_is_better=args.lower_is_better,
        higher_is_better=args.higher_is_better,
        resampling=args.resampling,
        missing=args.missing,
        **options,
    )
    return scores.on_scale(args.scale) if hasattr(args, "scale") else scores


def named_values(option: str, given: Sequence[str], accepted: str) -> dict[str, str]:
    """What an option that may be given several times says, by name."""
    parts = [text.partition("=") for text in given]
    for text, (name, equals, _) in zip(given, parts, strict=True):
        if not (name and equals):
            raise InputError(f"{option} {text!r}; accepted: {accepted}")
    return {name: value for name, _, value in parts}


def read_rope(text: str) -> Any:
    """A rope as typed: ``0.01``, ``1%`` or ``-0.005,0.01``."""
    if text.strip().endswith("%"):
        return text
    try:
        ends = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--rope {text!r} is not a number; accepted: a half-width (0.01) or LOW,HIGH"
        ) from None
    return ends[0] if len(ends) == 1 else tuple(ends)


def read_ropes(given: Sequence[str], metrics: Sequence[str] | None) -> Any:
    """Ropes as typed: one for all metrics, or one each, in order or as ``METRIC=0.01``."""
    from bayescmp.scores.rope import as_rope

    if metrics is None or len(metrics) < 2:
        if len(given) > 1:
            raise InputError(f"--rope was given {len(given)} times for one metric")
        name, _, value = given[0].rpartition("=")
        if name and list(metrics or ()) != [name]:
            raise InputError(
                f"--rope {given[0]!r} is for a metric that was not requested; give --metric "
                f"{name}, or the region without a name"
            )
        rope = read_rope(value)
        return rope if isinstance(rope, str) else as_rope(rope)
    parts = [text.rpartition("=") for text in given]
    if all(name for name, _, _ in parts):
        return {name: as_rope(read_rope(value)) for name, _, value in parts}
    if any(name for name, _, _ in parts):
        raise InputError("--rope: give METRIC=ROPE for every metric, or for none")
    ropes = [as_rope(read_rope(text)) for text in given]
    return ropes[0] if len(ropes) == 1 else ropes


def pair_of(scores: Scores, args: argparse.Namespace) -> tuple[str, str]:
    """The two algorithms that the options name; the only two need not be named."""
    names = (args.first, args.second)
    if names == (None, None) and len(scores.algorithms) == 2:
        return scores.algorithms[0], scores.algorithms[1]
    if None in names:
        raise InputError(
            "--first and --second are needed: the table has the algorithms "
            + ", ".join(map(repr, scores.algorithms))
        )
    return names


def prior_of(args: argparse.Namespace) -> HierarchicalPrior | None:
    """The prior that the options name, None if they name none."""
    from bayescmp.bayesian import HierarchicalPrior

    if args.prior is None:
        return None
    choice("prior", args.prior, PRIORS)
    prior: HierarchicalPrior = getattr(HierarchicalPrior, args.prior)()
    return prior


def check_files(
    args: argparse.Namespace, options: Sequence[str], inputs: Iterable[object] = ()
) -> None:
    """Refuse files that can't be written, or are read, before the work is done.

    Parameters
    ----------
    args : Namespace
    options : sequence of str
        Those that name files to be written.
    inputs : iterable of path-like
        Files that are read besides the table of scores.
    """
    from bayescmp.base.files import check_distinct, check_writable

    outputs = {}
    for option in options:
        given, name = getattr(args, option), f"--{option.replace('_', '-')}"
        for path in given if isinstance(given, list) else [given]:
            if path is not None:
                check_writable(name, path)
                label = name if name not in outputs else f"{name} (again)"
                outputs[label] = path
    scores = getattr(args, "scores", None)
    check_distinct(outputs, [scores, *inputs])


def draw_to(path: str, size: tuple[float, float], draw: Callable[..., object]) -> None:
    """Draw on a figure that no window system knows of, and write it."""
    from matplotlib.figure import Figure

    from bayescmp.plots import save

    ax = Figure(figsize=size, layout="constrained").add_subplot()
    draw(ax=ax)
    save(ax, path)
