"""A posed problem on the built-in engine's grid: for questions that ask for many refits."""

from __future__ import annotations

import numpy as np

from bayescmp.bayesian.hierarchical.predictive import posed
from bayescmp.bayesian.hierarchical.problem import Scaled
from bayescmp.engines.quadrature import GridPosterior, Settings, solve
from bayescmp.verdict import Rope

__all__ = ["grid_probabilities", "region_shares", "solved"]


def solved(problem: Scaled, settings: Settings | None = None) -> GridPosterior:
    """The posterior of a problem, on the problem's scale."""
    return solve(posed(problem), settings=settings)


def grid_probabilities(
    problem: Scaled, rope: Rope, settings: Settings | None = None
) -> np.ndarray:
    """Probabilities of left, rope and right on the next data set, shape (3,)."""
    return region_shares(solved(problem, settings), rope, problem.scale)


def region_shares(grid: GridPosterior, rope: Rope, scale: float) -> np.ndarray:
    """Probabilities of left, rope and right; the grid's unit is `scale` of the rope's."""
    return np.asarray(grid.probabilities(rope.low / scale, rope.high / scale))
