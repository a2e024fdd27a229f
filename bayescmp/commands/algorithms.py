"""`bayescmp groups` and `multivariate`: algorithms on one data set, in one metric or several."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from bayescmp.base.checks import choice
from bayescmp.commands import pairs as compare
from bayescmp.commands.shared import (
    GAP,
    check_level,
    draw_to,
    read_ropes,
    read_scores,
    show,
    taken,
)
from bayescmp.commands.table import RATES, READING, command
from bayescmp.errors import InputError, located
from bayescmp.wording.text import as_shown, counted, plus_minus, probability

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.bayesian.groups.base import GroupsPosterior
    from bayescmp.frequentist.learned import LearnedMeasures
    from bayescmp.scores.blocks import Blocks
    from bayescmp.scores.scores import Scores


# `bayescmp groups`: several algorithms on one data set, all pairs and ranks jointly.


#: Decisions that are none.
OPEN = ("undecided", "borderline")


@command(
    "groups",
    "several algorithms on one data set: which is best, and which are equivalent?",
    "Bayesian comparison of several algorithms on one data set with folds as blocks, in one "
    "metric (ANOVA) or several (MANOVA): all pairs' verdicts, probabilities of ranks, and groups "
    "of practically equivalent algorithms.",
    f"scores --metric... {READING} --dataset --algorithm --rope!... --by --rho --noise=normal "
    "--variances --engine --threshold --seed --plot --forest --bars --save --json",
    {
        "--dataset": "which data set, where the table has several",
        "--by": {
            "default": None,
            "help": "rank by this metric (default: the only one, or dominance among several)",
        },
        "--noise": {"type": str, "help": "normal, or t (robust; needs Stan)"},
        "--engine": "auto, exact, {engines}",
        "--plot": "write the heat map of rank probabilities",
    },
)
def compare_groups(args: argparse.Namespace) -> int:
    """Compare several algorithms, print, and write what was asked for."""
    from bayescmp.bayesian import groups

    scores = read_scores(args)
    metrics = args.metric or [scores.sole_metric]
    # of the closed form there is nothing to choose, and no progress to show
    exact = args.engine in ("auto", "exact") and args.noise == "normal"
    options: Json = {} if exact else {"progress": sys.stderr.isatty()}
    posterior = groups(
        scores,
        metrics,
        rope=read_ropes(args.rope, metrics),
        engine="exact" if exact else args.engine,
        **taken(args, "dataset", "algorithms", "rho", "noise", "seed", "variances"),
        **options,
    )
    _write_files(posterior, args)
    answer = posterior, args.by, args.threshold
    show(args, lambda: as_text(*answer), lambda: as_dict(*answer), gap=GAP)
    return 0


def _write_files(posterior: GroupsPosterior, args: argparse.Namespace) -> None:
    from bayescmp import plots
    from bayescmp.plots import ranks
    from bayescmp.plots.verdicts import verdict_bar_size

    if args.plot:
        size = ranks.figure_size(posterior)
        draw_to(args.plot, size, lambda ax: posterior.plot(ax=ax, by=args.by))
    if args.forest:
        _write_forest(posterior, args)
    if args.bars:
        verdicts = posterior.verdicts(threshold=args.threshold)
        size = verdict_bar_size(verdicts)
        draw_to(args.bars, size, lambda ax: plots.plot_verdict_bar(verdicts, ax=ax))
    if args.save:
        posterior.save(args.save)


def _write_forest(posterior: GroupsPosterior, args: argparse.Namespace) -> None:
    """One panel per metric, on a figure that no window system knows of."""
    from matplotlib.figure import Figure

    from bayescmp.plots import intervals, save

    figure = Figure(figsize=intervals.forest_size(posterior), layout="constrained")
    axes = figure.subplots(1, posterior.p, squeeze=False)[0]
    save(intervals.plot_forest(posterior, ax=axes, threshold=args.threshold), args.forest)


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


# `bayescmp multivariate`: algorithms by several metrics at once, Hotelling's T² and MANOVA.


@command(
    "multivariate",
    "do algorithms differ in several metrics at once, and which?",
    "On each data set: Hotelling's test of two algorithms, MANOVA of several with Hotelling's "
    "test of each pair, cliques of algorithms not found different, and the measures in which they "
    "differ most; with --rope the Bayesian verdict too. Allows for the overlap of "
    "cross-validation's training sets, unless --rho 0 is given.",
    f"scores --metric... --algorithm {READING} --dataset --block --rho --alpha --rope... "
    "--threshold --seed --adjust --plot --histogram --projection --json",
    {
        "--metric": RATES,
        "--dataset": "test on this data set only (default: on each)",
        "--rope": "region of practical equivalence, for the Bayesian answer beside the tests: one "
        "for all metrics, or one each, as --rope tpr=0.01 --rope fpr=0.02",
        "--plot": "write the scatter of two metrics with ellipses",
    },
)
def compare_metrics(args: argparse.Namespace) -> int:
    """Test several metrics at once, print, and write what was asked for."""
    _check(args)
    scores = read_scores(args)
    metrics = _metrics(scores, args.metric)
    datasets = [args.dataset] if args.dataset is not None else list(scores.datasets)
    if len(datasets) > 1:
        for option in ("plot", "projection"):
            if getattr(args, option):
                raise InputError(f"--{option} draws one data set: name it with --dataset")
    blocks = [_blocks(scores, metrics, dataset, args) for dataset in datasets]
    results = []
    for b in blocks:
        with located(f"on data set {b.dataset!r}"):
            results.append(_tests(b, args) | _bayesian(b, args))
    _write(scores, blocks[0], results[0], args)
    show(
        args,
        lambda: "\n\n".join(_as_text(r, args) for r in results),
        lambda: [_as_dict(r, args) for r in results],
    )
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse what can't be done before the work is done."""
    choice("--block", args.block, ("fold", "none"))
    check_level(args)
    if args.histogram is not None and not args.plot:
        raise InputError("--histogram goes with --plot FILE")
    if args.rope and args.block == "none":
        raise InputError("--rope goes with --block fold: the Bayesian answer pairs the folds")


def _metrics(scores: Scores, given: list[str] | None) -> list[str]:
    from bayescmp.scores.metrics import COUNTS

    names = given
    if names is None and set(COUNTS) <= set(scores.metrics):
        names = list(COUNTS)
    if names is None or len(names) < 2:
        known = ", ".join(scores.metrics)
        raise InputError(
            f"two metrics are needed at least, as in --metric tpr --metric fpr; the table has "
            f"{known}. For one metric use bayescmp compare or bayescmp rank"
        )
    return names


def _blocks(
    scores: Scores, metrics: Sequence[str], dataset: str, args: argparse.Namespace
) -> Blocks:
    from bayescmp.scores.blocks import scores_blocks

    blocks = scores_blocks(
        scores, metrics=metrics, dataset=dataset, algorithms=args.algorithms, rho=args.rho
    )
    if blocks.L < 2:
        raise InputError(f"there is one algorithm, {blocks.algorithms[0]!r}: nothing to compare")
    return blocks


def _tests(blocks: Blocks, args: argparse.Namespace) -> Json:
    """The tests on one data set, by name."""
    from bayescmp import frequentist

    block = args.block == "fold"
    tests: Json = {"dataset": blocks.dataset, "left_out": str(blocks.left_out or "")}
    if blocks.L == 2 and block:
        return tests | {"hotelling": frequentist.hotelling_paired(blocks)}
    if blocks.L == 2:
        return tests | {"hotelling": frequentist.hotelling_two_sample(blocks)}
    table = frequentist.manova(blocks, block=block)
    return tests | {"manova": table, "pairs": table.pairwise(adjust=args.adjust)}


def _bayesian(blocks: Blocks, args: argparse.Namespace) -> Json:
    """The posterior of one data set, where a rope asks for it."""
    from bayescmp.bayesian import groups, multivariate_t

    if not args.rope:
        return {}
    rope = read_ropes(args.rope, blocks.metrics)
    fit = multivariate_t if blocks.L == 2 else groups
    return {"bayesian": fit(blocks, rope=rope, seed=args.seed)}


def _write(scores: Scores, blocks: Blocks, result: Json, args: argparse.Namespace) -> None:
    if args.plot:
        _draw_ellipses(scores, blocks, args)
    if args.projection:
        from bayescmp.plots.metrics import plot_projection, projection_size

        measures = _measures(result)
        size = projection_size(measures)
        draw_to(args.projection, size, lambda ax: plot_projection(measures, ax=ax))


def _measures(result: Json) -> LearnedMeasures:
    if "manova" not in result:
        raise InputError("--projection needs three algorithms or more")
    return result["manova"].measures


def _draw_ellipses(scores: Scores, blocks: Blocks, args: argparse.Namespace) -> None:
    from matplotlib.figure import Figure

    from bayescmp.plots import save
    from bayescmp.plots.metrics import ellipses_size, height_ratios, plot_ellipses, two_metrics

    shown = blocks
    histogram = args.histogram is not None
    if histogram and args.histogram not in blocks.metrics:
        shown = _blocks(scores, [*blocks.metrics, args.histogram], blocks.dataset, args)
    size = ellipses_size(blocks.algorithms, histogram=histogram)
    figure = Figure(figsize=size, layout="constrained")
    if histogram:
        axes = figure.subplots(2, 1, height_ratios=height_ratios(blocks.L))
        # of the metrics tested, not of those and the histogram's
        two = two_metrics(blocks)
        drawn = plot_ellipses(shown, metrics=two, histogram=args.histogram, ax=axes)
        save(drawn, args.plot)
    else:
        save(plot_ellipses(shown, ax=figure.add_subplot()), args.plot)


def _as_text(result: Json, args: argparse.Namespace) -> str:
    parts = [
        f"data set: {result['dataset']}",
        *([result["left_out"]] if result["left_out"] else []),
    ]
    if "hotelling" in result:
        test = result["hotelling"]
        parts += [str(test), f"each metric by itself\n{_records(test.univariate(args.adjust))}"]
        if "bayesian" in result:
            parts.append(compare.as_text(result["bayesian"], args.threshold))
        return "\n\n".join(parts)
    table, pairs = result["manova"], result["pairs"]
    parts += [table.text(args.alpha), pairs.text(args.alpha), str(table.measures)]
    same = f"not found different at level {args.alpha:g}"
    parts.append(
        f"{pairs.underline(alpha=args.alpha)}\n(by {table.metrics[0]}; underlined: {same})"
    )
    if "bayesian" in result:
        parts.append(as_text(result["bayesian"], None, args.threshold))
    return "\n\n".join(parts)


def _records(frame: pd.DataFrame) -> str:
    return str(frame.to_string(float_format=lambda v: f"{v:.4g}"))


def _as_dict(result: Json, args: argparse.Namespace) -> Json:
    plain: Json = {k: result[k] for k in ("dataset", "left_out")}
    plain["alpha"] = args.alpha
    if "bayesian" in result:
        tell = compare.as_dict if "hotelling" in result else partial(as_dict, by=None)
        plain["bayesian"] = tell(result["bayesian"], threshold=args.threshold)
    if "hotelling" in result:
        test = result["hotelling"]
        rows = test.univariate(args.adjust).reset_index().to_dict(orient="records")
        return plain | {"hotelling": test.to_dict(), "univariate": [_plain(row) for row in rows]}
    table, pairs = result["manova"], result["pairs"]
    return plain | {
        "manova": table.to_dict(args.alpha),
        "dimension": table.dimension(args.alpha),
        "pairwise": pairs.to_dict(args.alpha),
        "cliques": [list(clique) for clique in pairs.cliques(args.alpha)],
        "measures": table.measures.to_dict(),
    }


def _plain(row: Mapping[Hashable, object]) -> Json:
    """A row for JSON, which has no infinity."""
    infinite = (float("inf"), float("-inf"))
    return {str(k): None if v in infinite else v for k, v in row.items()}
