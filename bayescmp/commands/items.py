"""`bayescmp items`: models on a benchmark's questions, from their answers to a verdict."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from bayescmp.commands._options import check_files, draw_to, named_values, read_rope
from bayescmp.commands._stages import stages
from bayescmp.commands.compare import as_dict, as_text

if TYPE_CHECKING:
    from bayescmp.commands._options import Subparsers
    from bayescmp.fitted import Fitted
    from bayescmp.items.items import Items
    from bayescmp.typing import Json

__all__ = ["register", "run"]

FILES = ("plot", "save")


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "items",
        help="models on a benchmark's questions, one row per model and question",
        description="Bayesian comparison of models by their answers to the same items. Two models "
        "on one benchmark: the difference in accuracy, or the bootstrap over clusters where "
        "scores are graded or items belong together; on several benchmarks the hierarchical "
        "test. All models at once if none are named.",
    )
    parser.add_argument(
        "items",
        nargs="+",
        help="CSV or Parquet table, one row per model and item; samples_*.jsonl of "
        "lm-evaluation-harness, or a folder of them; a table of Inspect's samples",
    )
    _add_reading(parser)
    parser.add_argument("--first", help="the first model (left)")
    parser.add_argument("--second", help="the second model (right)")
    parser.add_argument("--benchmark", help="compare on this benchmark only")
    parser.add_argument(
        "--rope", required=True, help="region of practical equivalence: half-width, or LOW,HIGH"
    )
    parser.add_argument("--test", default="auto", help="auto, or a name that `tests` lists")
    parser.add_argument("--threshold", type=float, default=0.95, help="decide at this probability")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--plot", metavar="FILE", help="write the test's plot (png, svg, pdf)")
    parser.add_argument("--save", metavar="FILE", help="write the posterior as netCDF, for ArviZ")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """Options that say what the files hold."""
    parser.add_argument("--format", default="auto", help="auto, table, lm-eval or inspect")
    parser.add_argument("--metric", help="the column of scores, where there are several")
    parser.add_argument("--filter", help="lm-evaluation-harness: the filter whose scores to use")
    parser.add_argument("--evals", help="Inspect: the table of evaluations, from evals_df")
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="PART=NAME",
        help="which column is the model, benchmark, item, cluster, epoch or score, where its name "
        "does not say",
    )
    parser.add_argument(
        "--missing",
        choices=("error", "common"),
        default="error",
        help="common: compare on the items that all models have, and count what is left out",
    )
    parser.add_argument(
        "--lower-is-better",
        action="append",
        default=[],
        metavar="METRIC",
        help="the column of scores, where lower is better and its name does not say",
    )


def run(args: argparse.Namespace) -> int:
    """Read, compare, print, and write what was asked for."""
    from bayescmp.comparison import compare
    from bayescmp.verdict import check_threshold

    check_threshold(args.threshold)
    rope = read_rope(args.rope)
    check_files(args, FILES, args.items)
    with stages("reading items", "comparing models") as ended:
        items = _items(args)
        ended()
        posterior: Fitted = compare(
            items,
            args.first,
            args.second,
            rope=rope,
            test=args.test,
            dataset=args.benchmark,
            seed=args.seed,
            progress=sys.stderr.isatty(),
        )
    text = _text(posterior, args)
    if args.plot:
        draw_to(args.plot, posterior.figure_size(), posterior.plot)
    if args.save:
        posterior.save(args.save)
    print(text)
    if not args.json:
        for path in filter(None, (args.plot, args.save)):
            print(f"written      {path}")
    return 0


def _items(args: argparse.Namespace) -> Items:
    """The items that the options name."""
    from bayescmp.items.items import Items

    given = {"metric": args.metric, "filter": args.filter, "evals": args.evals}
    return Items.read(
        args.items if len(args.items) > 1 else args.items[0],
        args.format,
        columns=named_values("--column", args.column, "PART=NAME, e.g. item=question_number"),
        missing=args.missing,
        lower_is_better=args.lower_is_better,
        **{name: value for name, value in given.items() if value is not None},
    )


def _text(posterior: object, args: argparse.Namespace) -> str:
    """What is printed: of a pair its verdict, of several models all of them."""
    from bayescmp.posterior import Posterior

    if isinstance(posterior, Posterior):
        if args.json:
            document = as_dict(posterior, args.threshold)
            return json.dumps(document, indent=2, allow_nan=False)
        return as_text(posterior, args.threshold)
    if args.json:
        return json.dumps(_several(posterior, args.threshold), indent=2)
    return str(posterior)


def _several(posterior: Any, threshold: float) -> Json:
    """Of three models or more: every pair."""
    pairs = posterior.frame(threshold=threshold)
    return {
        "test": posterior.kind,
        "models": list(posterior.names),
        "metrics": [d.to_dict() for d in posterior.directions],
        "pairs": json.loads(pairs.to_json(orient="records")),
        "diagnostics_ok": posterior.diagnostics.ok,
        "engine": {"name": posterior.engine, "version": posterior.engine_version},
        "seed": posterior.seed,
        "notes": list(posterior.notes),
    }
