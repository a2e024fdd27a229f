"""Coordinates in which the posterior is about one unit wide, and the refinement of grids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bayescmp.engines.quadrature.interpolation import Hermite
from bayescmp.engines.quadrature.problem import FloatArray, Standard

__all__ = ["Axis", "equidistribute", "information_delta0", "information_sigma0", "refinement"]


_PLACING = 500  # rows


@dataclass(frozen=True, eq=False)
class Axis:
    """A monotone map from a coordinate k to a parameter x, dx/dk = 1 / density(x).

    Attributes
    ----------
    knots : ndarray of shape (m,)
        Coordinates k at which the map is known.
    values : ndarray of shape (m,)
        The parameter there.
    forward : Hermite
        x(k).
    """

    knots: FloatArray
    values: FloatArray
    forward: Hermite

    def at(self, k: FloatArray) -> FloatArray:
        """Parameter x at the coordinate k."""
        return self.forward(k)

    def jacobian(self, k: FloatArray) -> FloatArray:
        """Derivative dx/dk."""
        return np.maximum(self.forward.derivative(k), 1e-300)

    def coordinate(self, x: FloatArray) -> FloatArray:
        """Coordinate k at which the map takes the value x; x is clipped to the axis."""
        return self.forward.inverse(x)


def equidistribute(density: Callable[[FloatArray], FloatArray], start: FloatArray) -> Axis:
    """Axis along which one unit holds one unit of the integral of a density.

    Parameters
    ----------
    density : callable
        Positive function of the parameter: the reciprocal of the local width.
    start : ndarray
        First knots, increasing; intervals are halved until they hold less than 0.15 units.

    Returns
    -------
    Axis
        Its knots begin at 0.
    """
    x, f = start, density(start)
    for _ in range(40):
        wide = np.flatnonzero(np.maximum(f[1:], f[:-1]) * np.diff(x) > 0.15)
        if not wide.size or len(x) > 20_000:
            break
        middle = (x[wide] + x[wide + 1]) / 2
        where = np.argsort(np.concatenate([x, middle]), kind="stable")
        x = np.concatenate([x, middle])[where]
        f = np.concatenate([f, density(middle)])[where]
    k = np.concatenate([[0.0], np.cumsum(np.diff(x) * (f[1:] + f[:-1]) / 2)])
    return Axis(k, x, Hermite(k, x, 1 / f))


def _every(standard: Standard) -> int:
    """Step through thousands of rows: as they are sorted, some place the nodes as well as all."""
    return max(1, standard.q // _PLACING)


def information_sigma0(standard: Standard, singular: bool) -> Callable[[FloatArray], FloatArray]:
    """Square root of a bound on the information about sigma0.

    A normal row with variance sigma0^2 + s_i^2 tells 2 sigma0^2 / (sigma0^2 + s_i^2)^2; towards
    sigma0 = 0, where that vanishes, the likelihood still varies over (sum s_i^-4)^(-1/4). Where
    it is singular there (proportional to sigma0^nu: an outlier that only the tails of the t can
    reach) the coordinate is made logarithmic down to a thousandth of the smallest scale.
    """
    every = _every(standard)
    s2 = standard.s[::every] ** 2
    inner = 2.0 / np.sqrt(every * np.sum(s2**-2.0))
    floor = 1e-6 * standard.s.min() ** 2

    def density(sigma0: FloatArray) -> FloatArray:
        x2 = sigma0[:, None] ** 2
        information = every * np.sum(2 * (x2 + inner) / (x2 + s2) ** 2, axis=1)
        if singular:
            information += 4.0 / (sigma0**2 + floor)
        return np.asarray(np.sqrt(information))

    return density


def information_delta0(
    standard: Standard, centres: FloatArray, sigma0: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Square root of a bound on the information about delta0.

    sum_i 1 / (s_i^2 + sigma*^2(delta) + (xbar_i - delta)^2): a row far away, seen through the
    polynomial tails of the t, tells only 1 / distance^2. sigma* is the smallest sigma0 that
    carries mass near delta: a soft minimum over the `centres` of sigma0^2 + distance^2 / 4.
    """
    every = _every(standard)
    s2, xbar = standard.s[::every] ** 2, standard.xbar[::every]
    c, c2 = centres, sigma0**2

    def density(delta: FloatArray) -> FloatArray:
        near = c2 + (delta[:, None] - c) ** 2 / 4
        least = near.min(axis=1, keepdims=True)
        floor2 = least * np.sum((near / least) ** -4.0, axis=1, keepdims=True) ** -0.25
        spread = s2 + floor2 + (delta[:, None] - xbar) ** 2
        return np.asarray(np.sqrt(every * np.sum(1 / spread, axis=1)))

    return density


@lru_cache(maxsize=512)
def refinement(nodes: int, factor: int, reflect: bool = False, degree: int = 5) -> FloatArray:
    """Matrix that interpolates values at 0, 1, ..., nodes - 1 to the middles of finer cells.

    Lagrange's polynomial through the degree + 1 nearest nodes. Not a spline: where a corner of
    the grid is steep, a spline of high degree rings far into it.

    Parameters
    ----------
    nodes : int
        Number of values.
    factor : int
        Fine cells to a coarse one.
    reflect : bool
        Whether the function is even around the first node.
    degree : int
        Odd degree of the polynomials.

    Returns
    -------
    ndarray of shape ((nodes - 1) * factor, nodes)
        Rows sum to one.
    """
    first = -min(6, nodes - 1) if reflect else 0
    width = min(degree + 1, nodes - first)
    fine = (np.arange((nodes - 1) * factor) + 0.5) / factor
    start = np.clip(np.floor(fine).astype(int) - width // 2 + 1, first, nodes - width)
    matrix = np.zeros((len(fine), nodes))
    rows = np.arange(len(fine))
    for j in range(width):
        others = np.array([k for k in range(width) if k != j])
        basis = np.prod((fine[:, None] - start[:, None] - others) / (j - others), axis=1)
        np.add.at(matrix, (rows, np.abs(start + j) if reflect else start + j), basis)
    return matrix
