"""The log-likelihood on a tensor grid, enlarged until its edges are empty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bayescmp.engines.quadrature.chebyshev import interpolated
from bayescmp.engines.quadrature.degrees import extend
from bayescmp.engines.quadrature.kernel import Within, between_grid, log_likelihood, within_rules
from bayescmp.engines.quadrature.locate import Box, locate, log_evidence, nu_rule
from bayescmp.engines.quadrature.problem import FloatArray, Standard
from bayescmp.engines.quadrature.settings import Settings

__all__ = ["Solution", "Tensor", "edge_masses", "pilot_is_poor", "solve_tensor"]

#: Chebyshev nodes in delta0 that mostly do, by the least number of rows.
_CHEBYSHEV = {2500: 7, 800: 9}


@dataclass(frozen=True, eq=False)
class Tensor:
    """The log-likelihood on the nodes of the quadrature.

    Attributes
    ----------
    box : Box
        The region, its axes, and the pilot of nu.
    k_delta0, k_sigma0 : ndarray of shape (D,), (S,)
        Nodes in the coordinates of the axes, equidistant, from edge to edge of the box.
    xi, nu, weight, log_pilot : ndarray of shape (N,)
        Gauss rule for prior times pilot.
    value : ndarray of shape (D, S, N)
        Log-likelihood less its maximum.
    log_cell : ndarray of shape (D, S)
        Log of the trapezoid weights times the Jacobians.
    nodes_tau : int
        Number of nodes in log tau^2.
    interpolated : bool
        Whether the values follow from those at Chebyshev's nodes in delta0, which are fewer.
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
    nodes_tau: int
    interpolated: bool

    @cached_property
    def masses(self) -> FloatArray:
        """Posterior masses of the nodes; they sum to one."""
        log_mass = self.value + self.log_cell[:, :, None] + np.log(self.weight) - self.log_pilot
        mass = np.exp(log_mass - log_mass.max())
        return np.asarray(mass / mass.sum())

    @cached_property
    def log_evidence(self) -> FloatArray:
        """Log marginal likelihood of each nu over the pilot, up to a constant.

        It is the same for all where the pilot is right.
        """
        return log_evidence(self.masses, self.weight)

    def log_marginal_nu(self) -> FloatArray:
        """Log marginal likelihood on the fine grid of nu, interpolated in xi."""
        ratio = self.log_evidence - self.log_evidence.max()
        smooth = bool(np.ptp(ratio) < 30)
        return self.box.pilot + extend(self.xi, ratio, self.box.grid_nu.xi, smooth=smooth)


@dataclass(frozen=True, eq=False)
class Solution:
    """A tensor with its history.

    Attributes
    ----------
    tensor : Tensor
        The log-likelihood on the nodes.
    enlarged, rebuilt : int
        How often the box was enlarged, and the rule in nu rebuilt.
    edge : float
        Mass left at the edges.
    """

    tensor: Tensor
    enlarged: int
    rebuilt: int
    edge: float


def solve_tensor(standard: Standard, settings: Settings) -> Solution:
    """Log-likelihood of (delta0, sigma0, nu) on a grid that holds the posterior.

    Scan; then evaluate, with a new rule in nu where the pilot was poor, and with a larger box
    while an edge that is not a bound of the prior carries mass.
    """
    tolerance = settings.tolerance / max(1.0, standard.q / 100)  # errors of rows add up
    rules = within_rules(standard, tolerance, settings.depth)
    box = locate(standard, settings)
    enlarged = rebuilt = 0
    nodes = next((m for least, m in _CHEBYSHEV.items() if standard.q >= least), 0)
    while True:
        tensor = _evaluate(standard, settings, rules, box, tolerance, nodes)
        nodes = nodes if tensor.interpolated else 0
        edges = edge_masses(standard, box, tensor.masses)
        if rebuilt < 3 and pilot_is_poor(tensor):
            box, rebuilt = replace(box, pilot=tensor.log_marginal_nu()), rebuilt + 1
        elif max(edges) > settings.edge_mass and enlarged < settings.enlargements:
            box, enlarged = _enlarged(standard, box, edges, settings.edge_mass), enlarged + 1
        else:
            return Solution(tensor, enlarged, rebuilt, float(max(edges)))


def pilot_is_poor(tensor: Tensor) -> bool:
    """Whether the posterior sits where the Gauss rule has little weight."""
    ratio, seen = tensor.log_evidence, tensor.weight > 1e-4
    return bool(ratio[seen].max() - ratio @ tensor.weight > 4.0)


def _evaluate(
    standard: Standard,
    settings: Settings,
    rules: list[Within],
    box: Box,
    tolerance: float,
    nodes: int,
) -> Tensor:
    """The log-likelihood at nodes `spacing` apart; from fewer, Chebyshev's, if these will do."""
    spacing = settings.spacing or (0.7 if standard.q <= 12 else 1.0)
    ends = box.axis_delta0.coordinate(np.array(box.delta0))
    k_delta0 = _nodes(ends[0], ends[1], spacing, 12)
    k_sigma0 = _nodes(*box.k_sigma0, spacing, 8)
    delta0 = box.axis_delta0.at(k_delta0)
    smallest = standard.s.min()
    sigma0 = np.maximum(box.axis_sigma0.at(k_sigma0), 1e-7 * smallest)
    xi, weight, log_pilot = nu_rule(box.grid_nu, box.pilot, settings.nu_nodes)
    nu = box.grid_nu.nu_at(xi)
    between = between_grid(
        (sigma0[0], sigma0[-1]),
        (nu.min(), nu.max()),
        floor=0.03 * smallest * standard.q**-0.25,
        reach=max(delta0[-1] - standard.xbar[0], standard.xbar[-1] - delta0[0], 0.1 * sigma0[-1]),
        tolerance=tolerance,
    )

    def likelihood(at: FloatArray) -> FloatArray:
        return log_likelihood(rules, between, at, sigma0, nu)

    value = interpolated(likelihood, delta0, nodes) if nodes else None
    fewer = value is not None
    value = likelihood(delta0) if value is None else value
    cell_delta0 = box.axis_delta0.jacobian(k_delta0) * _trapezoid(len(k_delta0))
    cell_sigma0 = box.axis_sigma0.jacobian(k_sigma0) * _trapezoid(len(k_sigma0))
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
        len(between.y),
        fewer,
    )


def _nodes(low: float, high: float, spacing: float, least: int) -> FloatArray:
    return np.linspace(low, high, max(least, int(np.ceil((high - low) / spacing)) + 1))


def _trapezoid(nodes: int) -> FloatArray:
    weights = np.ones(nodes)
    weights[[0, -1]] = 0.5
    return weights


def edge_masses(standard: Standard, box: Box, mass: FloatArray) -> list[float]:
    """Mass on each face of the box that is not a bound of the prior: delta0 low, high, sigma0."""
    bound = standard.delta0_bound * (1 - 1e-9)
    last = box.axis_sigma0.knots[-1] * (1 - 1e-9)
    return [
        mass[0].sum() if box.delta0[0] > -bound else 0.0,
        mass[-1].sum() if box.delta0[1] < bound else 0.0,
        mass[:, 0].sum() if box.k_sigma0[0] > 0 else 0.0,
        mass[:, -1].sum() if box.k_sigma0[1] < last else 0.0,
    ]


def _enlarged(standard: Standard, box: Box, edges: list[float], allowed: float) -> Box:
    """The box a quarter wider where mass leaks out of it."""
    bound, last = standard.delta0_bound, float(box.axis_sigma0.knots[-1])
    ends = box.axis_delta0.coordinate(np.array(box.delta0))
    more_d = max(0.25 * (ends[1] - ends[0]), 2.0)
    more_s = max(0.25 * (box.k_sigma0[1] - box.k_sigma0[0]), 2.0)
    wider = box.axis_delta0.at(
        np.clip(ends + np.array([-more_d, more_d]), 0.0, box.axis_delta0.knots[-1])
    )
    low = float(wider[0]) if edges[0] > allowed else box.delta0[0]
    high = float(wider[1]) if edges[1] > allowed else box.delta0[1]
    k_low = max(0.0, box.k_sigma0[0] - more_s) if edges[2] > allowed else box.k_sigma0[0]
    k_high = min(last, box.k_sigma0[1] + more_s) if edges[3] > allowed else box.k_sigma0[1]
    return replace(box, delta0=(max(low, -bound), min(high, bound)), k_sigma0=(k_low, k_high))
