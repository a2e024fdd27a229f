"""`bayescmp experiment`: cross-validate what a TOML file names, and go on where it was stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.commands._options import check_files

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.commands._options import Subparsers

__all__ = ["register", "run"]

INTERRUPTED = 130


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "experiment",
        help="cross-validate scikit-learn estimators into a table of scores",
        description="Runs the estimators of a TOML file on its data sets, on the same folds. "
        "A fold that fails is recorded, and the others go on. The file may name estimators, "
        "transformers and splitters of scikit-learn with numbers, text and lists as parameters, "
        "scikit-learn's own data sets, and tables beside it: nothing that could run code. Caches "
        "(memory = ...) and pickles are refused; --allow only packages that you trust.",
    )
    parser.add_argument("config", help="TOML file: [estimators.NAME], [datasets.NAME], [cv], ...")
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="save every finished fold here at once, and resume from it; the other commands read "
        "it as a table of scores (an SQLite file, whatever its name)",
    )
    parser.add_argument("--out", metavar="FILE", help="write the scores as CSV or .parquet")
    parser.add_argument("--jobs", type=int, help="processes, -1 for one per core")
    parser.add_argument("--seed", type=int, help="seed of splits and estimators")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="a package besides scikit-learn whose classes the file may name (repeatable); its "
        "classes are called with whatever the file says",
    )
    parser.add_argument(
        "--retry-failed", action="store_true", help="run the checkpoint's failed folds again"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run, print, and write what was asked for."""
    from bayescmp.experiment import run_experiment
    from bayescmp.experiment.config import ALLOWED, files_of, read_config

    check_files(args, ("checkpoint", "out"), files_of(args.config))
    if args.out:
        _writer(args.out)
    given = read_config(args.config, allowed=(*ALLOWED, *args.allow))
    given |= {"n_jobs": args.jobs} if args.jobs is not None else {}
    given |= {"seed": args.seed} if args.seed is not None else {}
    estimators, datasets = given.pop("estimators"), given.pop("datasets")
    scores = run_experiment(
        estimators, datasets, checkpoint=args.checkpoint, retry_failed=args.retry_failed, **given
    )
    print(scores)
    print(f"  seed: {scores.seed}")
    if args.out:
        _write(scores.frame, args.out)
    for path in filter(None, (args.checkpoint, args.out)):
        print(f"written      {path}")
    return INTERRUPTED if scores.interrupted else 0


def _writer(path: str) -> str:
    """How the file is written; without pyarrow, Parquet is refused before the work is done."""
    if Path(path).suffix not in (".parquet", ".pq"):
        return "csv"
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        from bayescmp.errors import InputError

        raise InputError(
            f"--out {path!r}: writing Parquet needs pyarrow: pip install pyarrow"
        ) from error
    return "parquet"


def _write(frame: pd.DataFrame, path: str) -> None:
    """Write a table in whole or not at all."""
    from bayescmp.files import replacing

    with replacing(path) as part:
        getattr(frame, f"to_{_writer(path)}")(part, index=False)
