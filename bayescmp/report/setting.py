"""What was compared: data sets, algorithms, metrics and how they were resampled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescmp.crosscheck.plan import Plan
from bayescmp.errors import InputError
from bayescmp.scales import in_words
from bayescmp.unpaired import RUNS

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Json


__all__ = ["setting"]


def setting(plan: Plan) -> Json:
    """The data, the metrics and the settings, for the first section."""
    s, frame = plan.scores, plan.scores.frame
    has = frame["algorithm"].astype(str).isin(plan.algorithms)
    sizes = frame[has].groupby(["dataset", "algorithm"], sort=False, observed=True).size()
    return {
        "algorithms": list(plan.algorithms),
        "datasets": list(s.datasets),
        "metrics": list(plan.metrics),
        "measured": [f"{m} ({s.direction(m).way})" for m in plan.metrics],
        "joint": list(plan.joint),
        "ropes": {
            m: {
                "low": r.low,
                "high": r.high,
                "text": in_words(r, s.scale),
                "empty": r.empty,
                "phrase": "no rope" if r.empty else f"rope {in_words(r, s.scale)}",
            }
            for m, r in plan.ropes.items()
        },
        "uneven": _uneven(sizes, plan.algorithms),
        "folds": sorted({int(n) for n in sizes}),
        "rows": int(has.sum()),
        "threshold": plan.threshold,
        "alpha": plan.alpha,
        "adjust": plan.adjust,
        "seed": plan.seed,
        "resampling": _resampling(plan),
        "prior": str(plan.options.get("prior") or ""),
    }


def _uneven(sizes: pd.Series, algorithms: tuple[str, ...]) -> list[Json]:
    """Where an algorithm has fewer scores on a data set than another."""
    short = []
    for dataset, row in sizes.unstack(fill_value=0).iterrows():
        counts = {a: int(row.get(a, 0)) for a in algorithms}
        most = max(counts.values())
        short += [
            {"dataset": str(dataset), "algorithm": a, "scores": n, "of": most}
            for a, n in counts.items()
            if n < most
        ]
    return short


def _resampling(plan: Plan) -> str:
    """The correlation of folds' differences that was used, and its reason."""
    if not plan.paired:
        return RUNS
    for pair in plan.pairs:
        try:
            x = plan.scores.differences(*pair, plan.metrics[0], rho=plan.rho)
        except InputError:  # its folds don't pair; another's may
            continue
        return x.rho_sentence
    return ""
