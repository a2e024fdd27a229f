"""The posterior on a grid: the likelihood at its nodes, refined, and cells' masses.

The likelihood of many rows is smooth over the box, which shrinks as rows are added, so that
Chebyshev's interpolation in delta0 will do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np
import numpy.typing as npt
from numpy.polynomial.chebyshev import chebpts1, chebvander

from bayescmp.base.arguments import must
from bayescmp.base.magnitudes import underflow_is_zero
from bayescmp.engines.quadrature.kernel import (
    between_grid,
    common_nodes,
    log_likelihood,
    log_likelihood_common,
    mixing_nodes,
    widest,
    within_rules,
)
from bayescmp.engines.quadrature.locate import (
    Axis,
    Box,
    extend,
    locate,
    log_evidence,
    monotone_cubic,
    nu_rule,
)
from bayescmp.engines.quadrature.problem import FloatArray, NuGrid, Settings, StandardProblem

# Chebyshev's interpolation in delta0: the likelihood of many rows is smooth over the box.


_LAST = 1e-3  # size of the last coefficients: what is left out is about a tenth of it
_NATS = 20.0  # below the maximum, down to which the coefficients have to be small


def interpolate_density(
    function: Callable[[FloatArray], FloatArray], x: FloatArray, nodes: int
) -> FloatArray | None:
    """Interpolate a log density at increasing x from its values at fewer Chebyshev nodes.

    The function takes the nodes, (m,), to values (m, ...); the result is (D, ...), or None if the
    last two coefficients are not small. Trefethen (2013), Approximation Theory and Approximation
    Practice, chapters 3 and 8.
    """
    middle, half = (x[0] + x[-1]) / 2, (x[-1] - x[0]) / 2
    points = chebpts1(nodes)
    values = function(middle + half * points)
    flat = values.reshape(nodes, -1)
    coefficients = chebvander(points, nodes - 1).T @ flat * (2 / nodes)
    coefficients[0] /= 2
    high = flat.max(axis=0)
    last = np.abs(coefficients[-2:, high > high.max() - _NATS])
    if last.max() > _LAST:
        return None
    fine = chebvander((x - middle) / half, nodes - 1) @ coefficients
    return fine.reshape(len(x), *values.shape[1:])


# The log-likelihood on a tensor grid, enlarged until its edges are empty.


#: Chebyshev nodes in delta0 that mostly suffice, by the least number of rows.
_CHEBYSHEV = {2500: 7, 800: 9}
#: The most nodes of an axis that memory holds; ordinary data take a few dozen.
MOST_NODES = 100_000


@dataclass(frozen=True, eq=False)
class Tensor:
    """The log-likelihood on the nodes of the quadrature.

    `box` is the region, with axes and the pilot of nu. `k_delta0` (D,) and `k_sigma0` (S,) are
    equidistant nodes in the axes' coordinates, from edge to edge; `xi`, `nu`, `weight` and
    `log_pilot` (N,) the Gauss rule for prior times pilot. `value` (D, S, N) is the log-likelihood
    minus its maximum, `top`, `log_cell` (D, S) the log of the trapezoid weights times the
    Jacobians. `nodes_row` counts nodes of a row's integral, in log tau^2 or in delta - delta0;
    `interpolated` is whether values follow from fewer (Chebyshev's) nodes in delta0.
    """

    box: Box
    k_delta0: FloatArray
    k_sigma0: FloatArray
    xi: FloatArray
    nu: FloatArray
    weight: FloatArray
    log_pilot: FloatArray
    value: FloatArray
    log_cell: FloatArray
    nodes_row: int
    interpolated: bool
    top: float

    @cached_property
    def masses(self) -> FloatArray:
        """Compute the posterior masses of the nodes; they sum to one."""
        log_mass = self.value + self.log_cell[:, :, None] + np.log(self.weight) - self.log_pilot
        mass = np.exp(log_mass - log_mass.max())
        return np.asarray(mass / mass.sum())

    @cached_property
    def log_evidence(self) -> FloatArray:
        """Compute the log marginal likelihood of each nu over the pilot, up to a constant."""
        return log_evidence(self.masses, self.weight)

    def log_marginal_nu(self) -> FloatArray:
        """Interpolate, in xi, the log marginal likelihood on the fine grid of nu."""
        value = self.log_evidence + self.log_pilot
        return extend(self.xi, value - value.max(), self.box.grid_nu.xi)


@dataclass(frozen=True, eq=False)
class Solution:
    """A tensor, how often it was `enlarged` and `rebuilt`, and the mass left at an `edge`.

    `poor`: even rebuilt, the rule in nu does not suit this posterior.
    """

    tensor: Tensor
    enlarged: int
    rebuilt: int
    edge: float
    poor: bool


def solve_tensor(standard: StandardProblem, settings: Settings, known: bool = False) -> Solution:
    """Put the log-likelihood of (delta0, sigma0, nu) on a grid that contains the posterior.

    Scan; then evaluate, with a new rule in nu if the pilot was poor, and with a larger box while
    an edge that is not the prior's carries mass. `known`: see `locate`.
    """
    tolerance = settings.tolerance / max(1.0, standard.q / 100)  # errors of rows add up
    box = locate(standard, settings, known)
    enlarged = rebuilt = 0
    fewer = (m for least, m in _CHEBYSHEV.items() if settings.fewer and standard.q >= least)
    nodes = next(fewer, 0)
    while True:
        tensor = _evaluate(standard, settings, box, tolerance, nodes)
        nodes = nodes if tensor.interpolated else 0
        edges = edge_masses(standard, box, tensor.masses)
        poor = pilot_is_poor(tensor)
        if rebuilt < 3 and poor:
            box, rebuilt = replace(box, pilot=tensor.log_marginal_nu()), rebuilt + 1
        elif max(edges) > settings.edge_mass and enlarged < settings.enlargements:
            box, enlarged = _enlarge_box(standard, box, edges, settings.edge_mass), enlarged + 1
        else:
            return Solution(tensor, enlarged, rebuilt, float(max(edges)), poor)


def pilot_is_poor(tensor: Tensor) -> bool:
    """Return whether the posterior sits where the Gauss rule has little weight."""
    ratio, seen = tensor.log_evidence, tensor.weight > 1e-4
    return bool(ratio[seen].max() - ratio @ tensor.weight > 4.0)


def _evaluate(
    standard: StandardProblem,
    settings: Settings,
    box: Box,
    tolerance: float,
    nodes: int,
) -> Tensor:
    """Compute the log-likelihood at nodes `spacing` apart, or from fewer of Chebyshev's."""
    spacing = settings.spacing or (0.7 if standard.q <= 12 else 1.0)
    spacing *= 1.15 if settings.elsewhere else 1.0
    ends = box.axis_delta0.coordinate(np.array(box.delta0))
    k_delta0 = _nodes(ends[0], ends[1], spacing, 3 * settings.least // 2)
    k_sigma0 = _nodes(*box.k_sigma0, spacing, settings.least)
    delta0 = box.axis_delta0.parameter(k_delta0)
    smallest = standard.s.min()
    sigma0 = np.maximum(box.axis_sigma0.parameter(k_sigma0), 1e-7 * smallest)
    xi, weight, log_pilot = nu_rule(box.grid_nu, box.pilot, settings.nu_nodes)
    nu = box.grid_nu.nu_at(xi)
    floor = 0.03 * smallest * standard.q**-0.25
    common = common_nodes(standard, delta0, sigma0, nu, floor=floor, tolerance=tolerance)
    if common is not None:
        count, likelihood = len(common.u), partial(log_likelihood_common, standard, common)
    else:
        rules = within_rules(standard, tolerance, settings.depth)
        between = between_grid(
            (sigma0[0], sigma0[-1]),
            (nu.min(), nu.max()),
            floor=floor,
            reach=max(
                delta0[-1] - standard.xbar[0], standard.xbar[-1] - delta0[0], 0.1 * sigma0[-1]
            ),
            widest=widest(rules),
            tolerance=tolerance,
        )
        count = len(between.y)
        likelihood = partial(log_likelihood, rules, mixing_nodes(between, sigma0, nu))
    value = interpolate_density(likelihood, delta0, nodes) if nodes else None
    fewer = value is not None
    value = likelihood(delta0) if value is None else value
    value = value.reshape(len(delta0), len(sigma0), len(nu))
    cell_delta0 = box.axis_delta0.jacobian(k_delta0) * trapezoid(len(k_delta0))
    cell_sigma0 = box.axis_sigma0.jacobian(k_sigma0) * trapezoid(len(k_sigma0))
    log_cell = np.log(cell_delta0)[:, None] + np.log(cell_sigma0)
    return Tensor(
        box,
        k_delta0,
        k_sigma0,
        xi,
        nu,
        weight,
        log_pilot,
        value - value.max(),
        log_cell,
        count,
        fewer,
        float(value.max()),
    )


def _nodes(low: float, high: float, spacing: float, least: int) -> FloatArray:
    nodes = max(least, np.ceil((high - low) / spacing) + 1)
    if not nodes <= MOST_NODES:
        raise must(
            "x",
            "have data sets that lie closer together",
            f"a grid over them of {nodes:.3g} nodes, of at most {MOST_NODES:,}",
            "Are all of them in the same unit?",
        )
    return np.linspace(low, high, int(nodes))


def trapezoid(nodes: int) -> FloatArray:
    """Return weights of equidistant nodes, of which the outer ones stand for half a cell."""
    weights = np.ones(nodes)
    weights[[0, -1]] = 0.5
    return weights


def edge_masses(standard: StandardProblem, box: Box, mass: FloatArray) -> list[float]:
    """Return the mass on each face that is not a bound of the prior: delta0 low, high, sigma0."""
    bound = standard.delta0_bound * (1 - 1e-9)
    last = box.axis_sigma0.knots[-1] * (1 - 1e-9)
    return [
        mass[0].sum() if box.delta0[0] > -bound else 0.0,
        mass[-1].sum() if box.delta0[1] < bound else 0.0,
        mass[:, 0].sum() if box.k_sigma0[0] > 0 else 0.0,
        mass[:, -1].sum() if box.k_sigma0[1] < last else 0.0,
    ]


def _enlarge_box(standard: StandardProblem, box: Box, edges: list[float], allowed: float) -> Box:
    """Make the box a quarter wider where mass leaks out of it."""
    bound, last = standard.delta0_bound, float(box.axis_sigma0.knots[-1])
    ends = box.axis_delta0.coordinate(np.array(box.delta0))
    more_d = max(0.25 * (ends[1] - ends[0]), 2.0)
    more_s = max(0.25 * (box.k_sigma0[1] - box.k_sigma0[0]), 2.0)
    wider = box.axis_delta0.parameter(
        np.clip(ends + np.array([-more_d, more_d]), 0.0, box.axis_delta0.knots[-1])
    )
    low = float(wider[0]) if edges[0] > allowed else box.delta0[0]
    high = float(wider[1]) if edges[1] > allowed else box.delta0[1]
    k_low = max(0.0, box.k_sigma0[0] - more_s) if edges[2] > allowed else box.k_sigma0[0]
    k_high = min(last, box.k_sigma0[1] + more_s) if edges[3] > allowed else box.k_sigma0[1]
    return replace(box, delta0=(max(low, -bound), min(high, bound)), k_sigma0=(k_low, k_high))


# One-dimensional marginals: density, distribution function, quantiles, intervals.


_TABLE = 1500  # points of the table of the distribution function, about


@dataclass(frozen=True, eq=False)
class Marginal:
    """A distribution known by the masses of cells.

    The cells have increasing `edges`, (m + 1,), and masses, (m,); `x` and `p` tabulate the
    distribution function, monotone-cubic between the edges.
    """

    edges: FloatArray
    mass: FloatArray
    x: FloatArray
    p: FloatArray
    mean: float
    sd: float

    @classmethod
    def from_cells(cls, edges: FloatArray, middles: FloatArray, mass: FloatArray) -> Marginal:
        """Build a marginal from cells with their middles."""
        mass = mass / mass.sum()
        mean, sd = _moments(middles, mass)
        x, p = edges, np.concatenate([[0.0], np.cumsum(mass)])
        split = _TABLE // len(mass)
        if split > 1:
            k = np.arange(len(edges), dtype=float)
            x, p = monotone_cubic(k, x).split(split), monotone_cubic(k, p).split(split)
        return cls(edges, mass, x, np.maximum.accumulate(np.clip(p / p[-1], 0, 1)), mean, sd)

    def scaled(self, factor: float) -> Marginal:
        """Return the distribution of a multiple, mirrored for a negative factor."""
        edges, x, mean = factor * self.edges, factor * self.x, factor * self.mean
        if factor > 0:
            return replace(self, edges=edges, x=x, mean=mean, sd=factor * self.sd)
        mass, p, sd = self.mass[::-1], 1 - self.p[::-1], -factor * self.sd
        return Marginal(edges[::-1], mass, x[::-1], p, mean, sd)

    @underflow_is_zero
    def density(self) -> tuple[FloatArray, FloatArray]:
        """Return the middles of the cells and the two endpoints, and the density there."""
        middles = (self.edges[1:] + self.edges[:-1]) / 2
        density = self.mass / np.diff(self.edges)
        ends = np.maximum(1.5 * density[[0, -1]] - 0.5 * density[[1, -2]], 0.0)
        x = np.concatenate([self.edges[:1], middles, self.edges[-1:]])
        return x, np.concatenate([ends[:1], density, ends[1:]])

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """Return the probability of a value at most x."""
        return np.asarray(np.interp(np.asarray(x, dtype=float), self.x, self.p))

    def quantile(self, probs: npt.ArrayLike) -> FloatArray:
        """Return the values below which these probabilities lie."""
        return np.asarray(np.interp(np.asarray(probs, dtype=float), self.p, self.x))


def _moments(middles: FloatArray, mass: FloatArray) -> tuple[float, float]:
    mean = float(mass @ middles)
    return mean, float(np.sqrt(mass @ (middles - mean) ** 2))


def _of_axis(edges: FloatArray, middles: FloatArray, mass: FloatArray) -> Marginal:
    """Make the marginal along an axis, whose masses are densities at middles times widths.

    A single cell has a 24th of the second difference more.
    """
    bend = np.concatenate([[0.0], np.diff(mass, 2), [0.0]])
    cells = Marginal.from_cells(edges, middles, np.maximum(mass + bend / 24, 0.0))
    mean, sd = _moments(middles, mass / mass.sum())
    return replace(cells, mean=mean, sd=sd)


# The posterior grid: masses of fine cells, interpolated from the nodes of the quadrature.


_FLOOR = 150.0  # nats below the maximum at which a log density is cut before interpolation
_RISE = 1.0  # a normal peak between two nodes an sd apart rises by 1/8 above them


@dataclass(frozen=True, eq=False)
class Grid:
    """Posterior masses of fine cells, in standard units.

    `delta0` (D,) and `sigma0` (S,) are middles of the cells, `xi` = 1 / (1 + nu - offset) and `nu`
    (N,) Gauss nodes. `mass` (D, S, N) sums to one; `log_likelihood` (D, S, N) is interpolated, up
    to a constant. `axis_delta0`, `axis_sigma0` and equidistant `edges_delta0` (D + 1,),
    `edges_sigma0` (S + 1,) are their coordinates; `grid_nu` is a fine grid of nu, `tensor` the
    origin, `log_total` the log marginal likelihood: rows as densities, delta0 and sigma0 with a
    density of one.
    """

    delta0: FloatArray
    sigma0: FloatArray
    xi: FloatArray
    nu: FloatArray
    mass: FloatArray
    log_likelihood: FloatArray
    axis_delta0: Axis
    axis_sigma0: Axis
    edges_delta0: FloatArray
    edges_sigma0: FloatArray
    grid_nu: NuGrid
    tensor: Tensor
    log_total: float

    @cached_property
    def mass_both(self) -> FloatArray:
        """Posterior masses of the cells of delta0 and sigma0, shape (D, S)."""
        return self.mass @ np.ones(len(self.nu))  # faster than sums of so few

    @cached_property
    def mass_nu(self) -> FloatArray:
        """Posterior masses on the fine grid of nu, shape (m,)."""
        log_nu = np.log(np.maximum(self.grid_nu.mass, 1e-300)) + self.tensor.log_marginal_nu()
        mass = np.exp(log_nu - log_nu.max())
        return np.asarray(mass / mass.sum())

    @cached_property
    def delta0_marginal(self) -> Marginal:
        """Marginal of delta0 in standard units."""
        edges = self.axis_delta0.parameter(self.edges_delta0)
        return _of_axis(edges, self.delta0, self.mass_both.sum(1))

    @cached_property
    def sigma0_marginal(self) -> Marginal:
        """Marginal of sigma0 in standard units."""
        edges = self.axis_sigma0.parameter(self.edges_sigma0)
        return _of_axis(edges, self.sigma0, self.mass_both.sum(0))

    def nu_marginal(self) -> Marginal:
        """Return the marginal of the degrees of freedom."""
        fine = self.grid_nu
        half = (fine.log_x[1] - fine.log_x[0]) / 2
        edges = np.exp(np.append(fine.log_x - half, fine.log_x[-1] + half)) + fine.offset
        kept = np.flatnonzero(self.mass_nu > 1e-14)
        part = slice(kept[0], kept[-1] + 1)
        return Marginal.from_cells(
            edges[kept[0] : kept[-1] + 2], fine.nu[part], self.mass_nu[part]
        )


def refine_grid(tensor: Tensor, factors: tuple[int, int], degree: int = 5) -> Grid:
    """Make cells `factors` times finer in delta0 and sigma0 than those between the nodes.

    The log-likelihood is interpolated by local polynomials of that degree.
    """
    box = tensor.box
    edges_d = _cell_edges(tensor.k_delta0, factors[0])
    edges_s = _cell_edges(tensor.k_sigma0, factors[1])
    k_d, k_s = (edges_d[1:] + edges_d[:-1]) / 2, (edges_s[1:] + edges_s[:-1]) / 2
    value = _interpolate_middles(tensor, factors, degree)
    mass, log_total = _masses(tensor, value, k_d, k_s)
    cell = (edges_d[1] - edges_d[0]) * (edges_s[1] - edges_s[0])
    return Grid(
        delta0=box.axis_delta0.parameter(k_d),
        sigma0=box.axis_sigma0.parameter(k_s),
        xi=tensor.xi,
        nu=tensor.nu,
        mass=mass,
        log_likelihood=value,
        axis_delta0=box.axis_delta0,
        axis_sigma0=box.axis_sigma0,
        edges_delta0=edges_d,
        edges_sigma0=edges_s,
        grid_nu=box.grid_nu,
        tensor=tensor,
        log_total=float(log_total + np.log(cell)),
    )


@lru_cache(maxsize=512)
def refinement(nodes: int, factor: int, reflect: bool = False, degree: int = 5) -> FloatArray:
    """Make the matrix that interpolates values at 0, ..., nodes - 1 to the middles of finer cells.

    `factor` fine cells make a coarse one: ((nodes - 1) * factor, nodes). It is Lagrange's
    polynomial through the degree + 1 nearest nodes, the degree odd; `reflect`: even around the
    first node. A spline of high degree would ring far from a steep corner.
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


def _interpolate_middles(tensor: Tensor, factors: tuple[int, int], degree: int) -> FloatArray:
    """Interpolate the log-likelihood at the middles of the finer cells; even around sigma0 = 0."""
    D, S, N = tensor.value.shape
    to_d = refinement(D, factors[0], False, degree)
    to_s = refinement(S, factors[1], bool(tensor.k_sigma0[0] == 0), degree)
    value = np.maximum(tensor.value, -_FLOOR)
    along_s = _limit_rise(np.matmul(to_s, value).reshape(D, S - 1, -1, N), value[:, :, None])
    value = along_s.reshape(D, -1)
    along_d = _limit_rise((to_d @ value).reshape(1, D - 1, factors[0], -1), value[None, :, None])
    return along_d.reshape(len(to_d), len(to_s), N)


def _limit_rise(fine: FloatArray, nodes: FloatArray) -> FloatArray:
    """Keep interpolated values within `_RISE` of the range of the two neighbouring nodes.

    A polynomial overshoots where the log-likelihood falls steeply, and could invent a mode. fine:
    (., n - 1, factor, .), nodes: (., n, 1, .).
    """
    left, right = nodes[:, :-1], nodes[:, 1:]
    low, high = np.minimum(left, right) - _RISE, np.maximum(left, right) + _RISE
    return np.asarray(np.clip(fine, low, high, out=fine))


def _masses(
    tensor: Tensor, value: FloatArray, k_delta0: FloatArray, k_sigma0: FloatArray
) -> tuple[FloatArray, float]:
    """Compute masses of cells around equidistant coordinates, and the log of their sum."""
    log_factor = np.log(tensor.weight) - tensor.log_pilot
    highest = (tensor.value.max((0, 1)) + log_factor).max()  # it is as high between the nodes
    rate_s = tensor.box.axis_sigma0.jacobian(k_sigma0)[:, None]
    mass = value.reshape(len(value), -1) + (np.log(rate_s) + (log_factor - highest)).ravel()
    np.exp(mass, out=mass)
    rate_d = tensor.box.axis_delta0.jacobian(k_delta0)
    total = rate_d @ mass.sum(1)
    mass *= (rate_d / total)[:, None]
    return mass.reshape(value.shape), tensor.top + highest + np.log(total)


def _cell_edges(k: FloatArray, factor: int) -> FloatArray:
    return np.linspace(k[0], k[-1], (len(k) - 1) * factor + 1)
