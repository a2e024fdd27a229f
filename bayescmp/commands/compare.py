"""`bayescmp compare`: two algorithms, from a table of scores to a verdict and a picture."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescmp.commands._options import add_scores, read_rope, read_scores
from bayescmp.errors import InputError, unknown_name

if TYPE_CHECKING:
    from bayescmp.bayesian.hierarchical_posterior import HierarchicalPosterior
    from bayescmp.scores import Scores

__all__ = ["register", "run"]

PRIORS = ("corani2017", "benavoli2017")


def register(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "compare",
        help="is the second algorithm better than the first, worse, or practically the same?",
        description="Bayesian hierarchical correlated t test on several data sets.",
    )
    add_scores(parser)
    parser.add_argument("--first", help="the first algorithm (left)")
    parser.add_argument("--second", help="the second algorithm (right)")
    parser.add_argument(
        "--rope", required=True,
        help="region of practical equivalence: half-width, or LOW,HIGH as --rope=-0.005,0.01",
    )  # fmt: skip
    parser.add_argument("--rho", type=float, help="correlation of folds, if not 1/folds")
    parser.add_argument("--prior", default="corani2017", help=f"{' or '.join(PRIORS)}")
    parser.add_argument("--engine", default="auto", help="auto, quadrature, cmdstan or pystan")
    parser.add_argument("--threshold", type=float, default=0.95, help="decide at this probability")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--plot", metavar="FILE", help="write the simplex plot (png, svg, pdf)")
    parser.add_argument("--shrinkage", metavar="FILE", help="write the plot of all data sets")
    parser.add_argument(
        "--density", metavar="FILE", help="write the density of the mean difference"
    )
    parser.add_argument("--save", metavar="FILE", help="write the posterior as netCDF, for ArviZ")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
    from bayescmp.verdict import as_rope, check_threshold

    check_threshold(args.threshold)
    rope = as_rope(read_rope(args.rope))
    if args.prior not in PRIORS:
        raise unknown_name("prior", args.prior, PRIORS)
    _check_files(args)
    scores = read_scores(args)
    first, second = _pair(scores, args)
    x = scores.differences(first, second, args.metric, rho=args.rho)
    posterior = hierarchical_t(
        x, rope=rope, prior=getattr(HierarchicalPrior, args.prior)(), engine=args.engine,
        seed=args.seed, progress=sys.stderr.isatty(),
    )  # fmt: skip
    text = as_json(posterior, args.threshold) if args.json else as_text(posterior, args.threshold)
    written = _write_files(posterior, args)
    print(text)
    if not args.json:
        print("".join(f"\nwritten      {path}" for path in written).lstrip("\n"), end="")
        print("" if not written else "\n", end="")
    return 0


def _pair(scores: Scores, args: argparse.Namespace) -> tuple[str, str]:
    names = (args.first, args.second)
    if names == (None, None) and len(scores.algorithms) == 2:
        return scores.algorithms[0], scores.algorithms[1]
    if None in names:
        raise InputError(
            "--first and --second are needed: the table has the algorithms "
            + ", ".join(map(repr, scores.algorithms))
        )
    return names


def _check_files(args: argparse.Namespace) -> None:
    """Refuse files that can't be written before the work is done, not after."""
    for option in ("plot", "shrinkage", "density", "save"):
        path = getattr(args, option)
        if path is None:
            continue
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise InputError(f"--{option} {path!r}: there is no directory {str(folder)!r}")
        if not os.access(folder, os.W_OK):
            raise InputError(f"--{option} {path!r}: no permission to write in {str(folder)!r}")
        if Path(path).is_dir():
            raise InputError(f"--{option} {path!r} is a directory")


def _write_files(posterior: HierarchicalPosterior, args: argparse.Namespace) -> list[str]:
    from bayescmp import plots

    written = []
    if args.plot:
        _picture(args.plot, (3.4, 3.4), posterior.plot)
    if args.shrinkage:
        height = 1.1 + 0.155 * len(posterior.datasets)
        _picture(args.shrinkage, (3.4, height), lambda ax: plots.plot_shrinkage(posterior, ax=ax))
    if args.density:
        _picture(args.density, (3.4, 2.3), lambda ax: plots.plot_density(posterior, ax=ax))
    if args.save:
        posterior.save(args.save)
    for option in ("plot", "shrinkage", "density", "save"):
        if getattr(args, option):
            written.append(getattr(args, option))
    return written


def _picture(path: str, size: tuple[float, float], draw: Any) -> None:
    """Draw on a figure that no window system knows of, and write it."""
    from matplotlib.figure import Figure

    from bayescmp.plots import save

    ax = Figure(figsize=size, layout="constrained").add_subplot()
    draw(ax=ax)
    save(ax, path)


def as_text(posterior: HierarchicalPosterior, threshold: float) -> str:
    """The result as the terminal shows it."""
    verdict = posterior.verdict(threshold=threshold)
    lines = [posterior._title(), "", str(verdict), ""]
    for (a, b), odds in verdict.odds.items():
        lines.append(f"odds         {verdict.label(a)} / {verdict.label(b)}: {odds}")
    mean = posterior.summary().loc["delta0"]
    lines.append(
        f"delta0       {mean['mean']:.4g} (95 % interval {mean['2.5%']:.4g} to "
        f"{mean['97.5%']:.4g}), over {len(posterior.datasets)} data sets"
    )
    return "\n".join([*lines, *posterior._footer()])


def as_json(posterior: HierarchicalPosterior, threshold: float) -> str:
    """The whole result for machines."""
    result = {
        "verdict": posterior.verdict(threshold=threshold).to_dict(),
        "summary": posterior.summary().to_dict(orient="index"),
        "datasets": posterior.by_dataset().reset_index().to_dict(orient="records"),
        "diagnostics": {**vars(posterior.diagnostics), "ok": posterior.diagnostics.ok},
        "engine": {"name": posterior.engine, "version": posterior.engine_version},
        "prior": posterior.prior.to_dict(),
        "seed": posterior.seed,
        "notes": list(posterior.notes),
    }
    return json.dumps(result, indent=2, allow_nan=False)
