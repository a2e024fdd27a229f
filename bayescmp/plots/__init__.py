"""Plots of results: one file a plot; each draws what a result computed and returns the Axes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_NAMES = {
    "plot_simplex": "bayescmp.plots.simplex",
    "plot_shrinkage": "bayescmp.plots.shrinkage",
    "plot_density": "bayescmp.plots.density",
    "plot_critical_difference": "bayescmp.plots.critical_difference",
    "plot_pvalues": "bayescmp.plots.pvalues",
    "plot_histogram": "bayescmp.plots.histogram",
    "plot_rope_curve": "bayescmp.plots.rope_curve",
    "plot_verdicts": "bayescmp.plots.heatmap",
    "save": "bayescmp.plots._canvas",
}

__all__ = [
    "plot_critical_difference",
    "plot_density",
    "plot_histogram",
    "plot_pvalues",
    "plot_rope_curve",
    "plot_shrinkage",
    "plot_simplex",
    "plot_verdicts",
    "save",
]

if TYPE_CHECKING:
    from bayescmp.plots._canvas import save
    from bayescmp.plots.critical_difference import plot_critical_difference
    from bayescmp.plots.density import plot_density
    from bayescmp.plots.heatmap import plot_verdicts
    from bayescmp.plots.histogram import plot_histogram
    from bayescmp.plots.pvalues import plot_pvalues
    from bayescmp.plots.rope_curve import plot_rope_curve
    from bayescmp.plots.shrinkage import plot_shrinkage
    from bayescmp.plots.simplex import plot_simplex


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'bayescmp.plots' has no attribute {name!r}")
    value = getattr(importlib.import_module(_NAMES[name]), name)
    globals()[name] = value
    return value
