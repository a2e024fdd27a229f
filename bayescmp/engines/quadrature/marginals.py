"""One-dimensional marginals: density, distribution function, quantiles, intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayescmp.engines.quadrature.grid import Grid
from bayescmp.engines.quadrature.interpolation import monotone_cubic
from bayescmp.engines.quadrature.problem import FloatArray

__all__ = ["Marginal", "delta0_marginal", "nu_marginal", "sigma0_marginal"]

_TABLE = 1500  # points of the table of the distribution function, about


@dataclass(frozen=True, eq=False)
class Marginal:
    """A distribution known by the masses of cells.

    Attributes
    ----------
    edges : ndarray of shape (m + 1,)
        Edges of the cells, increasing.
    mass : ndarray of shape (m,)
        Their masses; they sum to one.
    x, p : ndarray
        A table of the distribution function, monotone-cubic between the edges.
    mean, sd : float
        Moments.
    """

    edges: FloatArray
    mass: FloatArray
    x: FloatArray
    p: FloatArray
    mean: float
    sd: float

    @classmethod
    def from_cells(
        cls, edges: FloatArray, middles: FloatArray, mass: FloatArray, sign: float = 1.0
    ) -> Marginal:
        """Build from cells with their middles, mirrored for a negative sign."""
        if sign < 0:
            edges, middles, mass = -edges[::-1], -middles[::-1], mass[::-1]
        mass = mass / mass.sum()
        mean, sd = _moments(middles, mass)
        x, p = edges, np.concatenate([[0.0], np.cumsum(mass)])
        split = _TABLE // len(mass)
        if split > 1:
            k = np.arange(len(edges), dtype=float)
            x, p = monotone_cubic(k, x).split(split), monotone_cubic(k, p).split(split)
        return cls(edges, mass, x, np.maximum.accumulate(np.clip(p / p[-1], 0, 1)), mean, sd)

    def density(self) -> tuple[FloatArray, FloatArray]:
        """Middles of the cells and the two ends, and the density there."""
        middles = (self.edges[1:] + self.edges[:-1]) / 2
        density = self.mass / np.diff(self.edges)
        ends = np.maximum(1.5 * density[[0, -1]] - 0.5 * density[[1, -2]], 0.0)
        x = np.concatenate([self.edges[:1], middles, self.edges[-1:]])
        return x, np.concatenate([ends[:1], density, ends[1:]])

    def cdf(self, x: FloatArray) -> FloatArray:
        """Probability of a value at most x."""
        return np.asarray(np.interp(x, self.x, self.p))

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Value below which that probability lies."""
        return np.asarray(np.interp(probability, self.p, self.x))

    def hdi(self, prob: float) -> tuple[float, float]:
        """Shortest interval with that probability: the least Q(p + prob) - Q(p) over p."""
        start = np.concatenate([self.p[self.p <= 1 - prob], np.linspace(0, 1 - prob, 2001)])
        start = np.sort(np.concatenate([start, np.clip(self.p - prob, 0, 1 - prob)]))
        low, high = self.quantile(start), self.quantile(start + prob)
        best = int(np.argmin(high - low))
        return float(low[best]), float(high[best])


def _moments(middles: FloatArray, mass: FloatArray) -> tuple[float, float]:
    mean = float(mass @ middles)
    return mean, float(np.sqrt(mass @ (middles - mean) ** 2))


def _of_axis(
    edges: FloatArray, middles: FloatArray, mass: FloatArray, sign: float = 1.0
) -> Marginal:
    """The marginal along an axis of the grid, whose masses are densities at middles times widths.

    These are right for sums over all cells, such as moments; a cell by itself holds a 24th of the
    second difference more.
    """
    bend = np.concatenate([[0.0], np.diff(mass, 2), [0.0]])
    cells = Marginal.from_cells(edges, middles, np.maximum(mass + bend / 24, 0.0), sign)
    mean, sd = _moments(sign * middles, mass / mass.sum())
    return replace(cells, mean=mean, sd=sd)


def delta0_marginal(grid: Grid, scale: float, sign: float) -> Marginal:
    """Marginal of delta0, in original units."""
    edges = scale * grid.axis_delta0.at(grid.edges_delta0)
    return _of_axis(edges, scale * grid.delta0, grid.mass_both.sum(1), sign)


def sigma0_marginal(grid: Grid, scale: float) -> Marginal:
    """Marginal of sigma0, in original units."""
    edges = scale * grid.axis_sigma0.at(grid.edges_sigma0)
    return _of_axis(edges, scale * grid.sigma0, grid.mass_both.sum(0))


def nu_marginal(grid: Grid) -> Marginal:
    """Marginal of the degrees of freedom."""
    fine = grid.grid_nu
    half = (fine.log_x[1] - fine.log_x[0]) / 2
    edges = np.exp(np.append(fine.log_x - half, fine.log_x[-1] + half)) + fine.offset
    kept = np.flatnonzero(grid.mass_nu > 1e-14)
    part = slice(kept[0], kept[-1] + 1)
    return Marginal.from_cells(edges[kept[0] : kept[-1] + 2], fine.nu[part], grid.mass_nu[part])
