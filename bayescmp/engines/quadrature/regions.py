"""Results from the grid: probabilities of the regions, marginals, quasi-random draws.

For a new data set, delta ~ t_nu(delta0, sigma0), the masses left of, in and right of a ROPE [c -
r, c + r] are a point of the simplex. The verdict is the posterior probability of each of its three
kites, where one mass is the largest. By symmetry around c they are bounded by delta0 = c -+
delta*(sigma0, nu), so that a verdict needs only the distribution function of delta0 given sigma0
and nu. Student's distribution functions are tabulated, by Gauss's rule, for the few degrees of
freedom of a grid, since SciPy's are slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from bayescmp.engines.quadrature.grid import Grid, Marginal
from bayescmp.engines.quadrature.problem import FloatArray

# Student's distribution functions for a few degrees of freedom, tabulated.


IntArray = npt.NDArray[np.intp]
STEP = 0.008
_HALF = 350  # steps on either side of 0
_NARROWEST = 0.3  # degrees of freedom: with fewer the density's peak is too narrow for the nodes
#: Gauss's rule on (-1, 1): nodes and weights of three points, nodes of two.
_THREE = np.array([[-np.sqrt(0.6)], [0.0], [np.sqrt(0.6)]]), np.array([[5.0], [8.0], [5.0]]) / 9
_TWO = np.array([-1.0, 1.0]) / np.sqrt(3)
#: Nodes as asinh(z): z = sinh(1.5 sinh(tau)) with equidistant tau, in which every t is smooth.
ASINH = 1.5 * np.sinh(STEP * np.arange(-_HALF, _HALF + 1.0))
_NODES = np.sinh(ASINH[: _HALF + 1])
_BETWEEN = STEP * (np.arange(-_HALF, 0.0) + (1 + _THREE[0]) / 2)
_SQUARE = np.sinh(1.5 * np.sinh(_BETWEEN)) ** 2  # (3, cells)
_WEIGHT = STEP / 2 * _THREE[1] * 1.5 * np.cosh(_BETWEEN) * np.sqrt(1 + _SQUARE)


@dataclass(frozen=True, eq=False)
class StudentTable:
    """Student's distribution functions at the nodes `ASINH`, and between them.

    For `nu`, (N,), `lower` has the distribution functions at the nodes z <= 0, within 1e-14, (351,
    N), and `scale` the densities at 0, (N,).
    """

    nu: FloatArray
    lower: FloatArray
    scale: FloatArray

    @cached_property
    def values(self) -> FloatArray:
        """The distribution functions at all nodes, shape (701, N)."""
        return np.concatenate([self.lower, 1 - self.lower[-2::-1]])

    @cached_property
    def rises(self) -> FloatArray:
        """Their increases from each node to the next, shape (700, N)."""
        return np.diff(self.values, axis=0)

    def tail(self, z: FloatArray, which: IntArray) -> FloatArray:
        """Return the probability beyond z >= 0, for degrees of freedom nu[which]: within 1e-11."""
        if self.nu.min() < _NARROWEST:
            return np.asarray(stdtr(self.nu[which], -z))
        z = np.minimum(z, -_NODES[0])
        node = _HALF - np.rint(np.arcsinh(np.arcsinh(z) / 1.5) / STEP).astype(int)
        half = (-_NODES[node] - z) / 2
        between = self._density(z + half + np.multiply.outer(_TWO, half), which)
        lower = self.lower.take(node * len(self.nu) + which)
        return np.asarray(lower + half * (between[0] + between[1]))

    def expand_tail(
        self, z: FloatArray, which: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the probability beyond z >= 0, the density there and its derivative."""
        nu, density = self.nu[which], self._density(z, which)
        return self.tail(z, which), density, -density * (nu + 1) * z / (nu + z * z)

    def _density(self, z: FloatArray, which: IntArray) -> FloatArray:
        nu = self.nu[which]
        density = np.log1p(z * z / nu)
        density *= (nu + 1) / -2
        np.exp(density, out=density)
        density *= self.scale[which]
        return density


def student_table(nu: FloatArray) -> StudentTable:
    """Make the table for these degrees of freedom; the last ones are kept."""
    return _table(tuple(nu.tolist()))


@lru_cache(maxsize=8)
def _table(degrees: tuple[float, ...]) -> StudentTable:
    """Integrate the area of each cell by Gauss's rule, scaled so that half of it lies below 0."""
    nu = np.array(degrees)
    first = stdtr(nu, _NODES[0])
    f = np.log1p(_SQUARE / nu[:, None, None])
    f *= (nu[:, None, None] + 1) / -2
    np.exp(f, out=f)
    f *= _WEIGHT
    total = np.cumsum(f[:, 0] + f[:, 1] + f[:, 2], axis=1)
    scale = (0.5 - first) / total[:, -1]
    lower = np.empty((_HALF + 1, len(nu)))
    lower[0] = first
    lower[1:] = (first[:, None] + scale[:, None] * total).T
    narrow = nu < _NARROWEST
    if narrow.any():
        lower[:, narrow] = stdtr(nu[narrow], _NODES[:, None])
    lower.flags.writeable = False
    return StudentTable(nu, lower, scale)


# Probabilities of the three regions: whose mass is the largest, without draws.


_NEGLIGIBLE = 1e-10
_WIDTH = np.diff(ASINH)
_PARTS = 4  # of a cell of delta0 that is wider than half of sigma0
#: A step of this many sigma0 leaves an error of its cube.
_LAST_STEP = 1e-3


@dataclass(frozen=True, eq=False)
class RegionProbabilities:
    """Probabilities of left, rope and right, (3,), with an estimate of their absolute error.

    The estimate is the difference to a second integration with other nodes, plus an allowance for
    common errors. It is not a bound: see the evidence.
    """

    p: FloatArray
    error: FloatArray


def with_error(p: FloatArray, other: FloatArray, unseen: float) -> RegionProbabilities:
    """Make probabilities by two integrations one with its error; both may miss `unseen` mass."""
    p = np.clip(p, 0, 1)  # sums of many may be past the ends by rounding
    difference, spread = np.abs(p - other), np.minimum(4 * np.sqrt(p * (1 - p)), 1)
    difference = np.maximum(difference, difference.max() * spread)
    # what neither has found may lie in a region that seems to have nothing
    return RegionProbabilities(p, 1.5 * difference + np.maximum(spread, 0.5) * unseen + 2e-5)


def kite_boundary(
    half_width: float, sigma0: FloatArray, table: StudentTable, which: IntArray
) -> FloatArray:
    """Find delta* >= 0 at which the mass beyond the ROPE's edge equals that in the ROPE.

    It solves 2 F((r - x) / sigma0) - F((-r - x) / sigma0) = 1 for x in (0, r), F of t_nu, r the
    half-width in the units of sigma0, by Halley's method. If F(r / sigma0) < 2/3 the ROPE's mass
    is nowhere the largest: delta* = 0. sigma0 and `which`, the place of nu in the table, are (m,).
    """
    z = half_width / sigma0
    boundary = np.zeros_like(z)
    open_ = table.tail(z, which) < 1 / 3
    boundary[open_] = _balance_masses(z[open_], table, which[open_]) * sigma0[open_]
    return boundary


def _balance_masses(r: FloatArray, table: StudentTable, which: IntArray) -> FloatArray:
    """Find the x in (0, r) of `kite_boundary` for sigma0 = 1, all of shape (m,)."""
    low, high, x = np.zeros_like(r), r.copy(), r.copy()
    left = np.arange(len(r))  # what has not converged
    for _ in range(60):
        if not left.size:
            break
        now, edge, k = x[left], r[left], which[left]
        z = np.stack([edge - now, edge + now])
        tail, density, bend = table.expand_tail(z, k)
        excess = 1 - 2 * tail[0] - tail[1]
        grows = excess > 0
        below, above = np.where(grows, now, low[left]), np.where(grows, high[left], now)
        low[left], high[left] = below, above
        slope = density[1] - 2 * density[0]
        curved = slope - excess * (bend[1] + 2 * bend[0]) / (2 * np.minimum(slope, -1e-300))
        step = now - excess / np.where(curved < 0, curved, -1.0)
        inside = (step >= below) & (step <= above) & (curved < 0) & (slope < 0)
        step = np.where(inside, step, (below + above) / 2)
        x[left] = step
        left = left[np.abs(step - now) >= _LAST_STEP]
    return x


def kite_shares(grid: Grid, low: float, high: float) -> FloatArray:
    """Compute the verdict for the ROPE [low, high], in standard units: (3,)."""
    if np.isinf(high - low):
        return location_shares(grid, low, high)
    centre, half_width = (low + high) / 2, (high - low) / 2
    column_mass = grid.mass.sum(0)  # (S, N)
    column = np.flatnonzero(column_mass > _NEGLIGIBLE)
    s, n = np.divmod(column, len(grid.nu))
    boundary = kite_boundary(half_width, grid.sigma0[s], student_table(grid.nu), n)
    given = column_mass.ravel()[column]
    left, upper = _sum_below(grid, column, np.stack([centre - boundary, centre + boundary]))
    p = np.array([left.sum(), (upper - left).sum(), (given - upper).sum()]) / given.sum()
    return np.maximum(p, 0.0)  # differences may round below


def kite_weighted(grid: Grid, low: float, high: float, weight: FloatArray) -> FloatArray:
    """Compute the verdict, (3,), with the prior of sigma0 times a weight of shape (S,)."""
    mass = grid.mass * weight[:, None]
    return kite_shares(replace(grid, mass=mass / mass.sum()), low, high)


def _cumulate_layers(mass: FloatArray) -> FloatArray:
    """Cumulate along the first axis by layers, in a quarter of the time of `cumsum`."""
    total = mass.copy()
    for before, layer in pairwise(total):
        layer += before
    return total


def _sum_below(grid: Grid, column: IntArray, x: FloatArray) -> FloatArray:
    """Sum the mass with delta0 < x in columns of sigma0 and nu, for x of shape (., columns).

    A cell's density is the parabola through its own and its neighbours' middles.
    """
    edges = grid.edges_delta0
    k = (grid.axis_delta0.coordinate(x) - edges[0]) / (edges[1] - edges[0])
    flat = grid.mass.reshape(len(grid.mass), -1)
    last, width = flat.shape[0] - 1, flat.shape[1]
    cell = np.minimum(np.maximum(k.astype(int), 0), last)
    part = np.minimum(np.maximum(k - cell, 0.0), 1.0)
    at = cell * width + column
    here = flat.take(at)
    before = flat.take(np.where(cell > 0, at - width, at))
    after = flat.take(np.where(cell < last, at + width, at))
    below = _cumulate_layers(flat).take(at) - here + (here - before) / 24
    bend = after - 2 * here + before
    inside = part * (
        here + (after - before) / 4 * (part - 1) + bend / 6 * (part * part - 1.5 * part + 0.75)
    )
    return np.asarray(below + inside)


def location_shares(grid: Grid, low: float, high: float) -> FloatArray:
    """Return posterior probabilities that delta0 is left of, in and right of [low, high]: (3,)."""
    below, upto = grid.delta0_marginal.cdf([low, high])
    below, upto = (0.0 if low == -np.inf else below), (1.0 if high == np.inf else upto)
    return np.array([below, upto - below, 1 - upto])


def expected_masses(grid: Grid, low: float, high: float) -> FloatArray:
    """Average masses left of, in, right of [low, high] over the posterior, in standard units."""
    table = student_table(grid.nu)
    sums = np.zeros(3)
    for delta0, sigma0, mass in _cells(grid):
        left = _average_tails((low - delta0) / sigma0, mass, table)
        right = _average_tails((delta0 - high) / sigma0, mass, table)
        sums += [left, mass.sum(), right]
    p_left, _, p_right = sums / sums[1]
    p_rope = 0.0 if low == high else max(1 - p_left - p_right, 0.0)
    return np.array([p_left, p_rope, p_right])


class _Cells(NamedTuple):
    delta0: FloatArray  # (k,): middles
    sigma0: FloatArray  # (k,)
    mass: FloatArray  # (k, N)


def _cells(grid: Grid) -> Iterator[_Cells]:
    """Yield cells of delta0 and sigma0 that have mass; those wide relative to sigma0 in parts."""
    width = np.diff(grid.axis_delta0.parameter(grid.edges_delta0))
    narrow = grid.sigma0 < 2 * (grid.mass_both.sum(1) @ width)
    for columns, parts in ((~narrow, 1), (narrow, _PARTS)):
        if not columns.any():
            continue
        d, s = np.nonzero(columns & (grid.mass_both > parts * _NEGLIGIBLE))
        mass = grid.mass[d, s]
        if parts > 1:
            mass = np.repeat(mass / parts, parts, axis=0)
        offset = (np.arange(parts) + 0.5) / parts - 0.5
        delta0 = (grid.delta0[d, None] + offset * width[d, None]).ravel()
        yield _Cells(delta0, np.repeat(grid.sigma0[s], parts), mass)


def _average_tails(z: FloatArray, mass: FloatArray, table: StudentTable) -> float:
    """Sum distribution functions at z, (k,), times the masses, (k, N), within 2e-5."""
    if len(z) and np.isinf(z[0]):  # of an end that is infinite, all are
        return float(mass.sum()) if z[0] > 0 else 0.0
    a = np.arcsinh(z)
    node = np.floor(np.arcsinh(a / 1.5) / STEP).astype(int) + len(ASINH) // 2
    node = np.minimum(np.maximum(node, 0), len(ASINH) - 2)
    share = np.clip((a - ASINH[node]) / _WIDTH[node], 0.0, 1.0)
    at_node = np.vdot(table.values.take(node, axis=0), mass)
    return float(at_node + share @ np.einsum("kn,kn->k", table.rises.take(node, axis=0), mass))


# Seeded quasi-random draws of (delta0, sigma0, nu): Knothe's rearrangement of the grid.


def shifted_lattice(count: int, rng: np.random.Generator) -> FloatArray:
    """Spread points evenly in the unit cube, (count, 3), with a random shift.

    Point j is frac(shift + (j / count, j / g, j / g^2)), g the root of g^3 = g + 1. Roberts
    (2018), The unreasonable effectiveness of quasirandom sequences; Dick, Kuo & Sloan (2013), Acta
    Numerica 22, section 2.9.
    """
    g = 1.324717957244746
    j = np.arange(count)[:, None]
    u = (rng.random(3) + j * np.array([1 / count, 1 / g, 1 / g**2])) % 1.0
    return np.asarray(np.clip(u, 1e-12, 1 - 1e-12))


def draw_parameters(
    grid: Grid, marginal_nu: Marginal, count: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw delta0, sigma0 and nu in standard units, each (count,).

    By inverse distribution functions: nu, sigma0 given nu, delta0 given both. Between the Gauss
    nodes of nu the conditional quantiles are interpolated by cubics in xi. The order is random.
    """
    u = shifted_lattice(count, rng)
    nu = marginal_nu.quantile(u[:, 0])
    nodes, share = _stencil(grid, nu)
    given_nu = _distribution(grid.mass.sum(0).T)  # (N, S)
    k_sigma0 = np.sum(share * _inverse(given_nu, nodes, u[:, 1]), axis=0)
    k_sigma0 = np.clip(k_sigma0, 1e-9, len(grid.sigma0) - 1e-9)
    k_delta0 = np.sum(share * _given_both(grid, k_sigma0.astype(int), nodes, u[:, 2]), axis=0)
    k_delta0 = np.clip(k_delta0, 0.0, len(grid.delta0))
    delta0 = grid.axis_delta0.parameter(_place_between(grid.edges_delta0, k_delta0))
    sigma0 = grid.axis_sigma0.parameter(_place_between(grid.edges_sigma0, k_sigma0))
    order = rng.permutation(count)
    return delta0[order], sigma0[order], nu[order]


def _place_between(edges: FloatArray, cells: FloatArray) -> FloatArray:
    return edges[0] + cells * (edges[1] - edges[0])


def _stencil(grid: Grid, nu: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return up to four Gauss nodes around each xi, and Lagrange's weights: (4, count)."""
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
    """Return quantiles of delta0 given the cell of sigma0 and each of the nodes of nu."""
    S, N = len(grid.sigma0), len(grid.nu)
    at = column * N + nodes
    used = np.zeros(S * N, dtype=bool)
    used[at] = True
    columns = grid.mass.reshape(-1, S * N)[:, used].T
    return _inverse(_distribution(columns), (np.cumsum(used) - 1)[at], u)


def _distribution(mass: FloatArray) -> FloatArray:
    """Return distribution functions along the last axis; an empty row counts as uniform."""
    mass = np.where(mass.sum(1, keepdims=True) > 0, mass, 1.0)
    total = np.cumsum(mass, axis=1)
    return np.asarray(total / total[:, -1:])


def _inverse(cdf: FloatArray, row: IntArray, u: FloatArray) -> FloatArray:
    """Return quantiles in cells, with fraction: one search in all rows laid end to end."""
    rows, cells = cdf.shape
    flat = (cdf + np.arange(rows)[:, None]).ravel()
    cell = np.clip(np.searchsorted(flat, u + row) - row * cells, 0, cells - 1)
    below = np.where(cell > 0, cdf[row, np.maximum(cell - 1, 0)], 0.0)
    inside = (u - below) / np.maximum(cdf[row, cell] - below, 1e-300)
    return np.asarray(cell + np.clip(inside, 0.0, 1.0))
