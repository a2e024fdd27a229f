"""Plots of results: one file per plot; each draws what a result computed and returns the Axes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

_NAMES = {
    "plot_simplex": "bayescmp.plots.simplex",
    "plot_shrinkage": "bayescmp.plots.intervals",
    "plot_density": "bayescmp.plots.density",
    "plot_critical_difference": "bayescmp.plots.critical_difference",
    "plot_pvalues": "bayescmp.plots.pairs",
    "plot_histogram": "bayescmp.plots.density",
    "plot_rope_curve": "bayescmp.plots.density",
    "plot_verdicts": "bayescmp.plots.verdicts",
    "plot_ellipses": "bayescmp.plots.metrics",
    "plot_projection": "bayescmp.plots.metrics",
    "plot_wins": "bayescmp.plots.pairs",
    "plot_curves": "bayescmp.plots.curves",
    "plot_null_distribution": "bayescmp.plots.permutation",
    "plot_permutation_power": "bayescmp.plots.permutation",
    "plot_forest": "bayescmp.plots.intervals",
    "plot_best": "bayescmp.plots.ranks",
    "plot_ranks": "bayescmp.plots.ranks",
    "plot_top_sets": "bayescmp.plots.ranks",
    "plot_rank_probabilities": "bayescmp.plots.ranks",
    "plot_ladder": "bayescmp.plots.ladder",
    "plot_regions": "bayescmp.plots.simplex",
    "plot_verdict_bar": "bayescmp.plots.verdicts",
    "plot_sensitivity": "bayescmp.plots.sensitivity",
    "plot_pairs_sensitivity": "bayescmp.plots.sensitivity",
    "plot_plan": "bayescmp.plots.sensitivity",
    "caption": "bayescmp.plots.captions",
    "save": "bayescmp.plots.drawing",
    "style": "bayescmp.plots.drawing",
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
    from bayescmp.plots.captions import caption
    from bayescmp.plots.critical_difference import plot_critical_difference
    from bayescmp.plots.curves import plot_curves
    from bayescmp.plots.density import plot_density, plot_histogram, plot_rope_curve
    from bayescmp.plots.drawing import save, style
    from bayescmp.plots.intervals import plot_forest, plot_shrinkage
    from bayescmp.plots.ladder import plot_ladder
    from bayescmp.plots.metrics import plot_ellipses, plot_projection
    from bayescmp.plots.pairs import plot_pvalues, plot_wins
    from bayescmp.plots.permutation import plot_null_distribution, plot_permutation_power
    from bayescmp.plots.ranks import plot_best, plot_rank_probabilities, plot_ranks, plot_top_sets
    from bayescmp.plots.sensitivity import plot_pairs_sensitivity, plot_plan, plot_sensitivity
    from bayescmp.plots.simplex import plot_regions, plot_simplex
    from bayescmp.plots.verdicts import plot_verdict_bar, plot_verdicts


def __getattr__(name: str) -> object:
    if name not in _NAMES:
        raise AttributeError(f"module 'bayescmp.plots' has no attribute {name!r}")
    value = getattr(importlib.import_module(_NAMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
