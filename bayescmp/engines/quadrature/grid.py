"""The posterior grid: masses of fine cells, interpolated from the nodes of the quadrature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayescmp.engines.quadrature.coordinates import Axis, refinement
from bayescmp.engines.quadrature.degrees import NuGrid
from bayescmp.engines.quadrature.problem import FloatArray
from bayescmp.engines.quadrature.tensor import Tensor

__all__ = ["Grid", "refined"]

_FLOOR = 150.0  # nats below the maximum at which a log density is cut before interpolation
_RISE = 1.0  # a normal peak between two nodes an sd apart rises by 1/8 above them


@dataclass(frozen=True, eq=False)
class Grid:
    """Posterior masses of fine cells, in standard units.

    Attributes
    ----------
    delta0, sigma0 : ndarray of shape (D,), (S,)
        Middles of the cells.
    xi, nu : ndarray of shape (N,)
        Gauss nodes, increasing in xi = 1 / (1 + nu - offset).
    mass : ndarray of shape (D, S, N)
        Masses; they sum to one.
    log_likelihood : ndarray of shape (D, S, N)
        The interpolated log-likelihood, up to one constant.
    axis_delta0, axis_sigma0 : Axis
        Coordinates of the two.
    edges_delta0, edges_sigma0 : ndarray of shape (D + 1,), (S + 1,)
        Edges of the cells in these coordinates, equidistant.
    grid_nu : NuGrid
        A fine grid of nu.
    tensor : Tensor
        What it was interpolated from.
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


def refined(tensor: Tensor, factors: tuple[int, int], degree: int = 5) -> Grid:
    """Cells `factors` times finer in delta0 and sigma0 than those between the nodes.

    The log-likelihood is interpolated by local polynomials of that degree; the Jacobians of the
    axes are exact.
    """
    box = tensor.box
    edges_d = _cell_edges(tensor.k_delta0, factors[0])
    edges_s = _cell_edges(tensor.k_sigma0, factors[1])
    k_d, k_s = (edges_d[1:] + edges_d[:-1]) / 2, (edges_s[1:] + edges_s[:-1]) / 2
    value = _interpolated(tensor, factors, degree)
    return Grid(
        delta0=box.axis_delta0.at(k_d),
        sigma0=box.axis_sigma0.at(k_s),
        xi=tensor.xi,
        nu=tensor.nu,
        mass=_masses(tensor, value, k_d, k_s),
        log_likelihood=value,
        axis_delta0=box.axis_delta0,
        axis_sigma0=box.axis_sigma0,
        edges_delta0=edges_d,
        edges_sigma0=edges_s,
        grid_nu=box.grid_nu,
        tensor=tensor,
    )


def _interpolated(tensor: Tensor, factors: tuple[int, int], degree: int) -> FloatArray:
    """The log-likelihood at the middles of the finer cells; even around sigma0 = 0."""
    D, S, N = tensor.value.shape
    to_d = refinement(D, factors[0], False, degree)
    to_s = refinement(S, factors[1], bool(tensor.k_sigma0[0] == 0), degree)
    value = np.maximum(tensor.value, -_FLOOR)
    along_s = _limited(np.matmul(to_s, value).reshape(D, S - 1, -1, N), value[:, :, None])
    value = along_s.reshape(D, -1)
    along_d = _limited((to_d @ value).reshape(1, D - 1, factors[0], -1), value[None, :, None])
    return along_d.reshape(len(to_d), len(to_s), N)


def _limited(fine: FloatArray, nodes: FloatArray) -> FloatArray:
    """Interpolated values kept within `_RISE` of the range of the two nodes beside them.

    Where the log-likelihood falls by tens of nats from node to node a polynomial overshoots,
    and could invent a mode. fine: (., n - 1, factor, .), nodes: (., n, 1, .).
    """
    left, right = nodes[:, :-1], nodes[:, 1:]
    low, high = np.minimum(left, right) - _RISE, np.maximum(left, right) + _RISE
    return np.asarray(np.clip(fine, low, high, out=fine))


def _masses(
    tensor: Tensor, value: FloatArray, k_delta0: FloatArray, k_sigma0: FloatArray
) -> FloatArray:
    """Posterior masses of cells around equidistant coordinates."""
    log_factor = np.log(tensor.weight) - tensor.log_pilot
    highest = (tensor.value.max((0, 1)) + log_factor).max()  # it is as high between the nodes
    rate_s = tensor.box.axis_sigma0.jacobian(k_sigma0)[:, None]
    mass = value.reshape(len(value), -1) + (np.log(rate_s) + (log_factor - highest)).ravel()
    np.exp(mass, out=mass)
    rate_d = tensor.box.axis_delta0.jacobian(k_delta0)
    mass *= (rate_d / (rate_d @ mass.sum(1)))[:, None]
    return mass.reshape(value.shape)


def _cell_edges(k: FloatArray, factor: int) -> FloatArray:
    return np.linspace(k[0], k[-1], (len(k) - 1) * factor + 1)
