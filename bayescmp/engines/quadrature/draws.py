"""Seeded quasi-random draws of (delta0, sigma0, nu): Knothe's rearrangement of the grid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bayescmp.engines.quadrature.grid import Grid
from bayescmp.engines.quadrature.marginals import Marginal
from bayescmp.engines.quadrature.problem import FloatArray

__all__ = ["draw_parameters", "shifted_lattice"]

IntArray = npt.NDArray[np.intp]


def shifted_lattice(count: int, rng: np.random.Generator) -> FloatArray:
    """Evenly spread points in the unit cube, randomly shifted.

    Point j is frac(shift + (j / count, j / g, j / g^2)), g the root of g^3 = g + 1: equidistant
    in the first coordinate, a Kronecker sequence in the others.

    References
    ----------
    Roberts (2018), The unreasonable effectiveness of quasirandom sequences.
    Dick, Kuo & Sloan (2013), Acta Numerica 22, section 2.9 (random shifts).

    Returns
    -------
    ndarray of shape (count, 3)
    """
    g = 1.324717957244746
    j = np.arange(count)[:, None]
    u = (rng.random(3) + j * np.array([1 / count, 1 / g, 1 / g**2])) % 1.0
    return np.asarray(np.clip(u, 1e-12, 1 - 1e-12))


def draw_parameters(
    grid: Grid, marginal_nu: Marginal, count: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draws of delta0, sigma0 and nu in standard units.

    nu by the inverse of its distribution function, sigma0 given nu, delta0 given both. Between
    the Gauss nodes of nu the conditional quantiles, in the coordinates of the axes, are
    interpolated by cubics in xi. The order is random, so that any part of the draws looks like
    independent ones.

    Returns
    -------
    delta0, sigma0, nu : ndarray of shape (count,)
    """
    u = shifted_lattice(count, rng)
    nu = marginal_nu.quantile(u[:, 0])
    nodes, share = _stencil(grid, nu)
    given_nu = _cumulated(grid.mass.sum(0).T)  # (N, S)
    k_sigma0 = np.sum(share * _inverse(given_nu, nodes, u[:, 1]), axis=0)
    k_sigma0 = np.clip(k_sigma0, 1e-9, len(grid.sigma0) - 1e-9)
    k_delta0 = np.sum(share * _given_both(grid, k_sigma0.astype(int), nodes, u[:, 2]), axis=0)
    k_delta0 = np.clip(k_delta0, 0.0, len(grid.delta0))
    delta0 = grid.axis_delta0.at(_along(grid.edges_delta0, k_delta0))
    sigma0 = grid.axis_sigma0.at(_along(grid.edges_sigma0, k_sigma0))
    order = rng.permutation(count)
    return delta0[order], sigma0[order], nu[order]


def _along(edges: FloatArray, cells: FloatArray) -> FloatArray:
    return edges[0] + cells * (edges[1] - edges[0])


def _stencil(grid: Grid, nu: FloatArray) -> tuple[IntArray, FloatArray]:
    """Up to four Gauss nodes around each xi, and the weights of Lagrange's interpolation.

    Outside the nodes the outermost one is taken. Both have shape (4, count).
    """
    xi = 1 / (1 + nu - grid.grid_nu.offset)
    at = grid.xi
    xi = np.clip(xi, at[0], at[-1])
    width = min(4, len(at))
    start = np.clip(np.searchsorted(at, xi) - width // 2, 0, len(at) - width)
    nodes = start + np.arange(width)[:, None]
    share = np.ones(nodes.shape)
    for i in range(width):
        for j in range(width):
            if i != j:
                share[i] *= (xi - at[nodes[j]]) / (at[nodes[i]] - at[nodes[j]])
    return nodes, share


def _given_both(grid: Grid, column: IntArray, nodes: IntArray, u: FloatArray) -> FloatArray:
    """Quantiles of delta0 given the cell of sigma0 and each of the nodes of nu."""
    S, N = len(grid.sigma0), len(grid.nu)
    at = column * N + nodes
    used = np.zeros(S * N, dtype=bool)
    used[at] = True
    columns = grid.mass.reshape(-1, S * N)[:, used].T
    return _inverse(_cumulated(columns), (np.cumsum(used) - 1)[at], u)


def _cumulated(mass: FloatArray) -> FloatArray:
    """Distribution functions along the last axis; an empty row counts as uniform."""
    mass = np.where(mass.sum(1, keepdims=True) > 0, mass, 1.0)
    total = np.cumsum(mass, axis=1)
    return np.asarray(total / total[:, -1:])


def _inverse(cdf: FloatArray, row: IntArray, u: FloatArray) -> FloatArray:
    """Quantiles in cells, with fraction: one search in all rows laid end to end."""
    rows, cells = cdf.shape
    flat = (cdf + np.arange(rows)[:, None]).ravel()
    cell = np.clip(np.searchsorted(flat, u + row) - row * cells, 0, cells - 1)
    below = np.where(cell > 0, cdf[row, np.maximum(cell - 1, 0)], 0.0)
    inside = (u - below) / np.maximum(cdf[row, cell] - below, 1e-300)
    return np.asarray(cell + np.clip(inside, 0.0, 1.0))
