"""`bayescmp experiment`: cross-validate what a TOML file names, and resume what was stopped."""

from __future__ import annotations

from pathlib import Path

from bayescmp.base.arguments import must
from bayescmp.base.files import replace_when_whole
from bayescmp.commands.parser import REPEATED, Parser, add_shared
from bayescmp.commands.shared import INTERRUPTED, Arguments

USAGE = "TOML [options]"
EXAMPLE = "study.toml --out scores.csv"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    config = "the file, with tables [estimators.NAME], [datasets.NAME] and [cv]"
    parser.add_argument("config", metavar="TOML", help=config)
    group = parser.add_argument_group("options of the run")
    add_shared(group, "--seed", default=None, help="seed of splits and estimators")
    processes = "processes (default: that of the file, or -1, one per core)"
    add_shared(group, "--n-jobs", help=processes)
    allow = "a package that you trust: the file may name and call its classes (repeatable)"
    group.add_argument("--allow", metavar="PACKAGE", help=allow, **REPEATED)
    retry = "run the checkpoint's failed folds again"
    group.add_argument("--retry-failed", action="store_true", help=retry)
    add = parser.add_argument_group("output").add_argument
    add("--out", metavar="FILE", help="write the scores as CSV or .parquet")
    checkpoint = (
        "save every finished fold here at once, and resume from it; the other commands read it "
        "as a table of scores (an SQLite file)"
    )
    add("--checkpoint", metavar="FILE", help=checkpoint)


def run(args: Arguments) -> int:
    """Cross-validate the estimators of a TOML file on its data sets, on the same folds.

    The scores become a table. A fold that fails is recorded, and the others continue. The file
    may name estimators, transformers and splitters of scikit-learn with numbers, text and lists
    as parameters, scikit-learn's own data sets, and tables next to it: nothing that could run
    code. Caches (memory = ...) and pickles are refused.
    """
    from bayescmp.experiment import run_experiment
    from bayescmp.experiment.config import ALLOWED, files_of, read_config

    args.check_files(files_of(args.config))
    if args.out:
        _writer(args.out)
    given = read_config(args.config, allowed=(*ALLOWED, *args.allow))
    given |= {k: v for k, v in args.take_options("n_jobs", "seed").items() if v is not None}
    given.setdefault("n_jobs", -1)
    estimators, datasets = given.pop("estimators"), given.pop("datasets")
    scores = run_experiment(
        estimators, datasets, **args.take_options("checkpoint", "retry_failed"), **given
    )
    print(scores)
    print(f"  seed: {scores.seed}")
    if args.out:
        with replace_when_whole(args.out) as part:
            getattr(scores.frame, f"to_{_writer(args.out)}")(part, index=False)
    for path in filter(None, (args.checkpoint, args.out)):
        print(f"written      {path}")
    return INTERRUPTED if scores.interrupted else 0


def _writer(path: str) -> str:
    """Choose how the file is written; without pyarrow, refuse Parquet before the work is done."""
    if Path(path).suffix not in (".parquet", ".pq"):
        return "csv"
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise must(
            "out", "not end in .parquet without pyarrow", repr(path), "Use pip install pyarrow."
        ) from error
    return "parquet"
