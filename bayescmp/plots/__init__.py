"""Plots of results: one file per plot; each draws what a result computed and returns the Axes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

_NAMES = {
    "plot_simplex": "bayescmp.plots.simplex",
    "plot_shrinkage": "bayescmp.plots.shrinkage",
    "plot_density": "bayescmp.plots.density",
    "plot_critical_difference": "bayescmp.plots.critical_difference",
    "plot_pvalues": "bayescmp.plots.pvalues",
    "plot_histogram": "bayescmp.plots.histogram",
    "plot_rope_curve": "bayescmp.plots.rope_curve",
    "plot_verdicts": "bayescmp.plots.heatmap",
    "plot_ellipses": "bayescmp.plots.ellipses",
    "plot_projection": "bayescmp.plots.projection",
    "plot_wins": "bayescmp.plots.wins",
    "plot_curves": "bayescmp.plots.roc_curve",
    "plot_null_distribution": "bayescmp.plots.null_distribution",
    "plot_permutation_power": "bayescmp.plots.permutation_power",
    "plot_forest": "bayescmp.plots.forest",
    "plot_best": "bayescmp.plots.best",
    "plot_ranks": "bayescmp.plots.ranks",
    "plot_top_sets": "bayescmp.plots.top_sets",
    "plot_rank_probabilities": "bayescmp.plots.rank_heatmap",
    "plot_ladder": "bayescmp.plots.ladder",
    "plot_regions": "bayescmp.plots.regions",
    "plot_verdict_bar": "bayescmp.plots.verdict_bar",
    "plot_sensitivity": "bayescmp.plots.sensitivity",
    "plot_pairs_sensitivity": "bayescmp.plots.pairs_sensitivity",
    "plot_plan": "bayescmp.plots.plan",
    "caption": "bayescmp.plots.captions",
    "save": "bayescmp.plots._canvas",
    "style": "bayescmp.plots.venues",
}

__all__ = [
    "caption",
    "plot_best",
    "plot_critical_difference",
    "plot_curves",
    "plot_density",
    "plot_ellipses",
    "plot_forest",
    "plot_histogram",
    "plot_ladder",
    "plot_null_distribution",
    "plot_pairs_sensitivity",
    "plot_permutation_power",
    "plot_plan",
    "plot_projection",
    "plot_pvalues",
    "plot_rank_probabilities",
    "plot_ranks",
    "plot_regions",
    "plot_rope_curve",
    "plot_sensitivity",
    "plot_shrinkage",
    "plot_simplex",
    "plot_top_sets",
    "plot_verdict_bar",
    "plot_verdicts",
    "plot_wins",
    "save",
    "style",
]

if TYPE_CHECKING:
    from bayescmp.plots._canvas import save
    from bayescmp.plots.best import plot_best
    from bayescmp.plots.captions import caption
    from bayescmp.plots.critical_difference import plot_critical_difference
    from bayescmp.plots.density import plot_density
    from bayescmp.plots.ellipses import plot_ellipses
    from bayescmp.plots.forest import plot_forest
    from bayescmp.plots.heatmap import plot_verdicts
    from bayescmp.plots.histogram import plot_histogram
    from bayescmp.plots.ladder import plot_ladder
    from bayescmp.plots.null_distribution import plot_null_distribution
    from bayescmp.plots.pairs_sensitivity import plot_pairs_sensitivity
    from bayescmp.plots.permutation_power import plot_permutation_power
    from bayescmp.plots.plan import plot_plan
    from bayescmp.plots.projection import plot_projection
    from bayescmp.plots.pvalues import plot_pvalues
    from bayescmp.plots.rank_heatmap import plot_rank_probabilities
    from bayescmp.plots.ranks import plot_ranks
    from bayescmp.plots.regions import plot_regions
    from bayescmp.plots.roc_curve import plot_curves
    from bayescmp.plots.rope_curve import plot_rope_curve
    from bayescmp.plots.sensitivity import plot_sensitivity
    from bayescmp.plots.shrinkage import plot_shrinkage
    from bayescmp.plots.simplex import plot_simplex
    from bayescmp.plots.top_sets import plot_top_sets
    from bayescmp.plots.venues import style
    from bayescmp.plots.verdict_bar import plot_verdict_bar
    from bayescmp.plots.wins import plot_wins


def __getattr__(name: str) -> object:
    if name not in _NAMES:
        raise AttributeError(f"module 'bayescmp.plots' has no attribute {name!r}")
    value = getattr(importlib.import_module(_NAMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
