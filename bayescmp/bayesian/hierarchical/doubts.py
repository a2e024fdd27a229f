"""What a reader should know before trusting a verdict: its prior, and rows without spread.

Both are computed: the verdict again under another prior or resolution, by the built-in engine.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from bayescmp.bayesian.hierarchical.grid import grid_probabilities, region_shares, solved
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import Scaled, pose
from bayescmp.differences import Differences
from bayescmp.engines.quadrature import GridPosterior, nearby
from bayescmp.errors import warn_user
from bayescmp.text import counted, probability
from bayescmp.verdict import THREE, Rope

__all__ = ["prior_matters", "resolution_matters"]

#: Up to this many data sets the verdict under the other presets is given.
FEW = {2: "two", 3: "three", 4: "four", 5: "five"}
#: The verdict may move by this much at a tenth of the resolution of constant rows.
RESOLUTION_LIMIT = 0.01
#: How far below that it has to be on the grid of the fit; otherwise a new grid is solved.
NEARBY_MARGIN = 0.007


def prior_matters(d: Differences, prior: HierarchicalPrior, rope: Rope) -> list[str]:
    """How far the prior decides, where there are few data sets: the verdict under other presets.

    Parameters
    ----------
    d : Differences
        The differences.
    prior : HierarchicalPrior
        That of the fit.
    rope : Rope
        That of the fit.

    Returns
    -------
    list of str
        One sentence; none for more than five data sets.
    """
    if d.q not in FEW:
        return []
    presets = (HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017())
    others = [_in_words(d, p, rope) for p in presets if p != prior]
    start = (
        "two data sets: the answer is driven by the prior"
        if d.q == 2
        else f"{FEW[d.q]} data sets: the answer may still depend on the prior"
    )
    return [f"{start}; under {', under '.join(others)}"]


def _in_words(d: Differences, prior: HierarchicalPrior, rope: Rope) -> str:
    """A preset's name and its probabilities, in words."""
    p = grid_probabilities(pose(d, prior, rope), rope)
    first, second = d.names
    parts = [
        f"{probability(value)} ({THREE.labels[region].format(first=first, second=second)})"
        for region, value in zip(THREE.regions, p, strict=True)
        if not (rope.empty and region == THREE.within)
    ]
    return f"{prior.name} the probabilities are {', '.join(parts)}"


def resolution_matters(
    d: Differences, problem: Scaled, rope: Rope, fitted: GridPosterior | None = None
) -> list[str]:
    """What to say of constant rows: which, their resolution, and whether the answer depends on it.

    Several *equal* constant rows make the likelihood improper as their spread goes to zero, so the
    size of any jitter, or resolution, may decide the verdict: it is computed again at a tenth.

    Parameters
    ----------
    d : Differences
        The differences.
    problem : Scaled
        As it was fitted.
    rope : Rope
        That of the fit.
    fitted : GridPosterior, optional
        The fit, where the built-in engine made it.

    Returns
    -------
    list of str
        One sentence.

    Warns
    -----
    DiagnosticWarning
        If a region's probability moves by more than 0.01.
    """
    note = _constant_rows(d, problem)
    if problem.from_rope:
        warning = (
            f"{note}, which is the rope's width: all differences are zero, and "
            "nothing else indicates it. Give resolution, e.g. 1/n_test for accuracy"
        )
        warn_user(warning)
        return [warning]
    moved = _moved(problem, rope, solved(problem) if fitted is None else fitted)
    if moved <= RESOLUTION_LIMIT:
        return [note]
    warning = (
        f"{note}; the verdict depends on it: at h/10 a probability moves by {moved:.3f}. Give the "
        "metric's true resolution"
    )
    warn_user(warning)
    return [warning]


def _constant_rows(d: Differences, problem: Scaled) -> str:
    """Which rows are constant, and their resolution."""
    which = [name for name, c in zip(d.datasets, problem.constant, strict=True) if c]
    steps = np.unique(problem.step[problem.constant])
    size = f"{steps[0]:.3g}" if len(steps) == 1 else f"{steps[0]:.3g} to {steps[-1]:.3g}"
    return (
        f"{counted(len(which), 'data set')} with all differences equal "
        f"({', '.join(which[:5])}{', ...' if len(which) > 5 else ''}): spread from the metric's "
        f"resolution, h = {size}"
    )


def _moved(problem: Scaled, rope: Rope, grid: GridPosterior) -> float:
    """How far a probability moves at a tenth of the resolution.

    By the same grid where that shows that it is little, else by a new one.
    """
    here = region_shares(grid, rope, problem.scale)
    factors = np.where(problem.constant[problem.order], 0.01, 1.0)
    near = nearby(grid, factors)
    if near is not None:
        moved = float(np.abs(region_shares(near, rope, problem.scale) - here).max())
        if moved <= RESOLUTION_LIMIT - NEARBY_MARGIN:
            return moved
    finer = dataclasses.replace(problem, data={**problem.data, "ss": problem.data["ss"] * factors})
    return float(np.abs(grid_probabilities(finer, rope) - here).max())
