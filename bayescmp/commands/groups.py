"""`bayescmp groups`: several algorithms on one data set, all pairs and ranks jointly."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from bayescmp.commands._options import (
    add_scores,
    check_files,
    draw_to,
    read_ropes,
    read_scores,
)
from bayescmp.text import as_shown, counted, plus_minus, probability

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.commands._options import Subparsers
    from bayescmp.typing import Json

__all__ = ["as_dict", "as_text", "register", "run"]

#: Decisions that are none.
OPEN = ("undecided", "borderline")
FILES = ("plot", "forest", "bars", "save")


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "groups",
        help="several algorithms on one data set: which is best, and which are equivalent?",
        description="Bayesian comparison of several algorithms on one data set with folds as "
        "blocks, in one metric (ANOVA) or several (MANOVA): all pairs' verdicts, probabilities of "
        "ranks, and groups of practically equivalent algorithms.",
    )
    add_scores(parser, several=True)
    parser.add_argument("--dataset", help="which data set, where the table has several")
    parser.add_argument(
        "--algorithm", action="append", help="compare these only; may be given several times"
    )
    parser.add_argument(
        "--rope",
        required=True,
        action="append",
        help="region of practical equivalence: half-width, or LOW,HIGH; for several metrics one "
        "for all, or one each, as --rope tpr=0.01 --rope fpr=0.02",
    )
    parser.add_argument(
        "--by", help="rank by this metric (default: the only one, or dominance among several)"
    )
    parser.add_argument("--rho", type=float, help="correlation of folds, if not 1/folds")
    parser.add_argument("--noise", default="normal", help="normal, or t (robust; needs Stan)")
    parser.add_argument(
        "--variances", default="auto", help="auto, equal (one for all algorithms) or own"
    )
    parser.add_argument("--engine", default="auto", help="auto, exact, cmdstan, bundled or pystan")
    parser.add_argument("--threshold", type=float, default=0.95, help="decide at this probability")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--plot", metavar="FILE", help="write the heat map of rank probabilities")
    parser.add_argument("--forest", metavar="FILE", help="write all pairs' intervals")
    parser.add_argument("--bars", metavar="FILE", help="write all pairs' verdicts as bars")
    parser.add_argument("--save", metavar="FILE", help="write the posterior as netCDF, for ArviZ")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    from bayescmp.bayesian import groups
    from bayescmp.verdict import check_threshold

    check_threshold(args.threshold)
    check_files(args, FILES)
    scores = read_scores(args)
    metrics = args.metric or [scores.sole_metric]
    # of the closed form there is nothing to choose, and no progress to show
    exact = args.engine in ("auto", "exact") and args.noise == "normal"
    options: Json = {} if exact else {"progress": sys.stderr.isatty()}
    posterior = groups(
        scores,
        metrics,
        rope=read_ropes(args.rope, metrics),
        dataset=args.dataset,
        algorithms=args.algorithm,
        rho=args.rho,
        noise=args.noise,
        seed=args.seed,
        engine="exact" if exact else args.engine,
        variances=args.variances,
        **options,
    )
    if args.json:
        text = json.dumps(as_dict(posterior, args.by, args.threshold), indent=2, allow_nan=False)
    else:
        text = as_text(posterior, args.by, args.threshold)
    written = _write_files(posterior, args)
    print(text)
    for path in [] if args.json else written:
        print(f"written      {path}")
    return 0


def _write_files(posterior: GroupsPosterior, args: argparse.Namespace) -> list[str]:
    from bayescmp import plots
    from bayescmp.plots import rank_heatmap, verdict_bar

    if args.plot:
        size = rank_heatmap.figure_size(posterior)
        draw_to(args.plot, size, lambda ax: posterior.plot(ax=ax, by=args.by))
    if args.forest:
        _write_forest(posterior, args)
    if args.bars:
        verdicts = posterior.verdicts(threshold=args.threshold)
        size = verdict_bar.figure_size(verdicts)
        draw_to(args.bars, size, lambda ax: plots.plot_verdict_bar(verdicts, ax=ax))
    if args.save:
        posterior.save(args.save)
    return [getattr(args, option) for option in FILES if getattr(args, option)]


def _write_forest(posterior: GroupsPosterior, args: argparse.Namespace) -> None:
    """One panel per metric, on a figure that no window system knows of."""
    from matplotlib.figure import Figure

    from bayescmp.plots import forest, save

    figure = Figure(figsize=forest.figure_size(posterior), layout="constrained")
    axes = figure.subplots(1, posterior.p, squeeze=False)[0]
    save(forest.plot_forest(posterior, ax=axes, threshold=args.threshold), args.forest)


def as_text(posterior: GroupsPosterior, by: str | ArrayLike | None, threshold: float) -> str:
    """The result as the terminal shows it."""
    frame = posterior.frame(threshold=threshold)
    shown = [c for c in frame.columns if not c.startswith("se_") and c != "most_probable"]
    criterion = by or (posterior.metrics[0] if posterior.p == 1 else "dominance")
    parts = [
        posterior.heading(),
        f"ranked by {criterion}\n" + as_shown(posterior.ranking(by)),
        "all pairs\n" + as_shown(frame[shown], index=False),
    ]
    decided = frame[~frame["decision"].isin(OPEN)]
    if len(decided):
        joint, error = (f(_outcomes(decided)) for f in (posterior.joint, posterior.joint_error))
        parts.append(
            f"{len(decided)} of {counted(len(frame), 'pair')} decided; all of these decisions "
            "hold at once with probability "
            f"{probability(joint)} {plus_minus(error)}"
        )
    else:
        parts.append(f"none of {counted(len(frame), 'pair')} decided")
    for clique in posterior.cliques(threshold=threshold).to_dict(orient="records"):
        parts.append(
            f"practically equivalent: {', '.join(clique['members'])} (all at once "
            f"{probability(clique['joint'])} {plus_minus(clique['se_joint'])})"
        )
    return "\n\n".join([*parts, "\n".join(posterior.footer())])


def as_dict(posterior: GroupsPosterior, by: str | ArrayLike | None, threshold: float) -> Json:
    """The whole result for machines."""
    frame = posterior.frame(threshold=threshold)
    decided = frame[~frame["decision"].isin(OPEN)]
    cliques = posterior.cliques(threshold=threshold)
    result = {
        "test": posterior.kind,
        "dataset": posterior.dataset,
        "algorithms": list(posterior.algorithms),
        "metrics": list(posterior.metrics),
        "directions": [d.to_dict() for d in posterior.directions],
        "resampling": posterior.resampling,
        "rope": posterior.ropes().ends,
        "threshold": threshold,
        "pairs": frame.to_dict(orient="records"),
        "joint": posterior.joint(_outcomes(decided)),
        "se_joint": posterior.joint_error(_outcomes(decided)),
        "ranking": posterior.ranking(by).reset_index().to_dict(orient="records"),
        "rank_probabilities": _table(posterior.rank_probabilities(by)),
        "cliques": cliques.to_dict(orient="records"),
        "diagnostics": {**asdict(posterior.diagnostics), "ok": posterior.diagnostics.ok},
        "engine": {"name": posterior.engine, "version": posterior.engine_version},
        "prior": {"text": posterior.prior_text},
        "seed": posterior.seed,
        "notes": list(posterior.notes),
    }
    return result


def _outcomes(decided: Any) -> dict[tuple[str, str], str]:
    return {(r.first, r.second): r.decision for r in decided.itertuples()}


def _table(frame: pd.DataFrame) -> dict[str, list[float]]:
    return {
        str(name): [float(p) for p in row]
        for name, row in zip(frame.index, frame.to_numpy(), strict=True)
    }
