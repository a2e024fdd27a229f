"""The integral of one row: both factors as scale mixtures of normals.

Row i enters the likelihood of (delta0, sigma0, nu) through

    I_i = int t_nu(delta; delta0, sigma0) K_i(delta) ddelta.

K_i is a mixture of normals around xbar_i over g ~ chi-square with n_i - 2 degrees of freedom,
variance a_i / (b_i g), cut off at g > a_i / sigma_upper^2; the t is one around delta0 over tau^2 =
sigma0^2 w, w = nu / chi-square_nu. Discretised in the logarithm of the variances,

    I_i = sum_j W_j(sigma0, nu) H_i(delta0, tau_j),
    H_i(delta0, tau) = sum_l omega_il Normal(xbar_i - delta0; 0, tau^2 + v_il),

and H depends neither on sigma0 nor on nu: a whole grid is one matrix product of positive terms,
accurate in the tails. If no row is much narrower than the rest, it costs less to sum the product
of the two at common nodes in delta - delta0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammainc, gammaln, loggamma

from bayescmp.engines.quadrature.problem import FloatArray, StandardProblem, gauss_rule

IntArray = npt.NDArray[np.intp]

_CHUNK = 1_500_000  # doubles in the largest intermediate array: 12 MB
_CACHED = 30_000  # doubles in arrays that are gone through again and again: they stay in the cache
_TAIL_NATS = 25.0  # what a truncated rule may leave out: exp(-25)
_LEAST = 1e-300  # of the product of four rows' integrals
_NOTHING = -280.0  # log of a term that adds nothing to an integral


@dataclass(frozen=True, eq=False)
class FoldMixtures:
    """Mixtures of rows with equally many nodes: K_i = sum_l weight_il Normal(xbar_i, variance_il).

    The k rows have centres `xbar`, (k,), and nodes v_il with weights omega_il, which sum to one
    over l: `variance` and `weight`, (k, L).
    """

    xbar: FloatArray
    variance: FloatArray
    weight: FloatArray


@dataclass(frozen=True, eq=False)
class SpreadNodes:
    """Nodes in y = log tau^2 with their trapezoid weights, both of shape (J,)."""

    y: FloatArray
    step: FloatArray


@lru_cache(maxsize=4096)
def trapezoid_step(shape: float, tolerance: float) -> float:
    """Find the largest step h for int exp(shape x - e^x) dx by the trapezoid rule.

    Its relative error is 2 |Gamma(shape + 2 pi i / h)| / Gamma(shape), by Poisson summation.
    """
    target = np.log(tolerance / 2) + gammaln(shape)
    low, high = 1e-2, 1e5  # bisection in omega = 2 pi / h, where |Gamma| decreases
    while high / low > 1.001:
        middle = np.sqrt(low * high)
        if loggamma(shape + 1j * middle).real > target:
            low = middle
        else:
            high = middle
    return float(2 * np.pi / high)


def within_rules(standard: StandardProblem, tolerance: float, nats: float) -> list[FoldMixtures]:
    """Make the scale-mixture rules of all rows, grouped by their number of nodes.

    Every row is in one of them. `tolerance` is the relative error of a row's kernel, down to
    `nats` below its maximum.
    """
    parts = list(_parts(standard, tolerance, nats))
    lengths = np.array([len(log_g) for _, log_g, _ in parts])
    if np.ptp(lengths) > 0:  # few groups rather than many small ones
        lengths = -(-lengths // 6) * 6
    ratio, rules = standard.a / standard.b, []
    for length in np.unique(lengths):
        same = [part for part, size in zip(parts, lengths, strict=True) if size == length]
        v, w = np.ones((standard.q, length)), np.zeros((standard.q, length))
        for rows, log_g, weight in same:
            v[rows, : len(log_g)] = ratio[rows, None] * np.exp(-log_g)
            w[rows, : len(log_g)] = weight
        rows = np.sort(np.concatenate([rows for rows, _, _ in same]))
        rules.append(FoldMixtures(standard.xbar[rows], v[rows], w[rows]))
    return rules


def _parts(
    standard: StandardProblem, tolerance: float, nats: float
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Yield rows that share a rule in log g (equal n, bound not felt), its nodes and weights."""
    lowest = np.log(standard.a / standard.sigma_upper**2)
    farthest = np.log(standard.a / standard.b) - 2 * np.log(2 * standard.delta0_bound)
    for n in np.unique(standard.n):
        rows = np.flatnonzero(standard.n == n)
        if n >= 5:
            log_g, weight = _chi_square_trapezoid(int(n), tolerance, nats)
            felt = lowest[rows] > log_g[0]
            if not felt.all():
                yield rows[~felt], log_g, weight
            rows = rows[felt]
        for i in rows:
            rule = _chi_square_truncated(int(n) - 2, float(lowest[i]), float(farthest[i]))
            yield np.array([i]), *rule


@lru_cache(maxsize=4096)
def _chi_square_trapezoid(n: int, tolerance: float, nats: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes in log g and weights for g ~ chi-square with m = n - 2 degrees of freedom.

    With x = log(g / m) the density is exp(-phi), phi(x) = m/2 (e^x - 1 - x). Far from the centre
    smaller g matter: the nodes continue to where the kernel has fallen by `nats`, (1 +
    z^2/m)^(-(n-1)/2) = e^-nats, and from there with growing steps.
    """
    m = n - 2
    h = trapezoid_step((n - 1) / 2, tolerance)
    spread = np.sqrt(2 / (n - 1))
    cut = 2 * nats / (n - 1) + np.sqrt(-2 * np.log(tolerance)) * spread
    top = 0.0
    while m / 2 * (np.exp(top) - 1 - top) < -np.log(tolerance) + 5:
        top += h / 2
    x = list(np.arange(top, -cut - h, -h))
    gap = h
    while x[-1] > -2 * cut:
        gap *= 1.5
        x.append(x[-1] - gap)
    nodes = np.array(x[::-1])
    step = np.gradient(nodes)
    weight = np.exp(-m / 2 * (np.expm1(nodes) - nodes)) * step
    fewer = _gauss_length(n, tolerance, nats)
    if fewer < len(nodes):
        nodes, weight = gauss_rule(nodes, weight, fewer)
    return nodes + np.log(m), weight / weight.sum()


def _gauss_length(n: int, tolerance: float, nats: float) -> int:
    """Count the nodes of an equally accurate Gauss rule in log g, as fitted for n to 5000."""
    tilt = nats * np.sqrt(2 / (n - 1))
    digits = -np.log(tolerance)
    return int(np.ceil(np.hypot(1.25 * np.log(digits) * tilt, np.sqrt(digits) / 1.2)))


def _chi_square_truncated(
    m: int, log_lowest: float, log_farthest: float
) -> tuple[FloatArray, FloatArray]:
    """Make a Gauss-Legendre rule in log g, g ~ chi-square with m degrees of freedom above a bound.

    It is needed if the bound on sigma_i is felt: always for m = 0, whose density g^-1 e^(-g/2) is
    improper without it. With three folds the kernel falls with the square of the distance: g goes
    down to where the normal is much wider than delta0's range, at `log_farthest`.
    """
    x, spread = _TAIL_NATS, np.sqrt(2 / (m + 1))
    top = np.log(max(m + 2 * np.sqrt(m * x) + 2 * x, np.exp(log_lowest) + 2 * x))  # Chernoff
    low = log_lowest
    if m > 0:
        mass = np.log(m) - 2 * x / (m + 1) - 3.5 * spread
        low = max(low, min(mass, log_farthest - x / (m + 1)))
    length = int(np.ceil(12 + max(1.7, 1.25 / spread) * (top - low)))
    nodes, weights = _legendre(min(length, 160))
    log_g = low + (top - low) * (nodes + 1) / 2
    log_w = m / 2 * log_g - np.exp(log_g) / 2
    weight = np.exp(log_w - log_w.max()) * weights
    return log_g, weight / weight.sum()


@lru_cache(maxsize=256)
def _legendre(length: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(length)
    return nodes, weights


@lru_cache(maxsize=8)  # two integrations begin with the same
def between_grid(
    sigma0: tuple[float, float],
    nu: tuple[float, float],
    *,
    floor: float,
    reach: float,
    tolerance: float,
    widest: float = np.inf,
) -> SpreadNodes:
    """Place nodes in y = log tau^2 for all sigma0 and nu within the given ranges.

    log w has the width (2 / nu)^(1/2): the step is set by the largest nu near 2 log sigma0, and
    grows in the polynomial tails. Below the tau `floor` a row no longer notices it; `reach` is the
    largest distance of a mean from delta0, `tolerance` the relative error of a row's integral,
    `widest` the largest standard deviation of the rows' normals.
    """
    h = min(trapezoid_step((nu[1] + 1) / 2, tolerance), 0.5)
    flat = 2 * np.log(floor)
    inner = (max(2 * np.log(sigma0[0]), flat) - 1.0, 2 * np.log(sigma0[1]) + 1.2)
    # beyond, with z the farthest of all, terms fall as powers of tau except for (z / tau)^(nu + 3)
    power = 2 * np.log(max(reach, sigma0[1], widest)) + 2 / (nu[0] + 3) * np.log(10 / tolerance)
    high = max(min(np.log(1e5) + 2 * np.log(reach), power), inner[1] + 3)
    low = min(max(2 * np.log(sigma0[0]) + _least_log_w(nu[0]), flat), high - 5)
    x = np.linspace(low, high, int(max(2000, 25 * (high - low) / h)))
    outside = (_softplus(6 * (inner[0] - x)) + _softplus(6 * (x - inner[1]))) / 6
    density = np.sqrt((h + 0.13 * outside) ** -2.0 + 4.0)  # never coarser than 0.5
    count = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * (x[1] - x[0]))])
    last = int(np.ceil(count[-1]))
    y = np.interp(np.arange(last + 1) * (count[-1] / last), count, x)
    return SpreadNodes(y, count[-1] / last / np.interp(y, x, density))


def _softplus(x: FloatArray) -> FloatArray:
    """Compute log(1 + e^x), in a tenth of the time that `numpy.logaddexp` takes."""
    return np.asarray(np.maximum(x, 0) + np.log(1 + np.exp(-np.abs(x))))


def _least_log_w(nu: float) -> float:
    """Bound log w = log(nu / chi-square_nu) below, except for a mass of exp(-25) (Chernoff)."""
    return float(np.log(nu / (nu + 2 * np.sqrt(_TAIL_NATS * nu) + 2 * _TAIL_NATS)))


def widest(rules: list[FoldMixtures]) -> float:
    """Return the largest standard deviation of the normals that the rows are mixtures of."""
    return float(max(rule.variance.max() for rule in rules)) ** 0.5


class MixingNodes(NamedTuple):
    """Nodes tau^2, shape (J,), and the weights W_j there for all sigma0 and nu, (J, S * N)."""

    tau2: FloatArray
    W: FloatArray


def mixing_nodes(between: SpreadNodes, sigma0: FloatArray, nu: FloatArray) -> MixingNodes:
    """Compute W_j(sigma0, nu), the density of log w at y_j - 2 log sigma0 times the step.

    The axes are (S,) and (N,); `between` has nodes that cover both. Below the first node H is
    constant, and the sum continues without it; beyond the last terms fall geometrically.
    """
    y, h = between.y, between.y[1] - between.y[0]
    lowest = 2 * np.log(sigma0) + _least_log_w(float(nu.min()))
    below = y[0] - h * np.arange(1, max(0, int(np.ceil((y[0] - lowest.min()) / h))) + 1)
    reaches = lowest < y[0]
    density = _log_w_density(y, sigma0, nu)
    W = density * between.step[:, None, None]
    W[0, reaches] += h * _log_w_density(below, sigma0[reaches], nu).sum(0)
    W[-1] = W[-1] / 2 + density[-1] / ((nu + 1) / 2)
    return MixingNodes(np.exp(y), W.reshape(len(y), -1))


def _log_w_density(y: FloatArray, sigma0: FloatArray, nu: FloatArray) -> FloatArray:
    """Compute the log density of log w, w = nu / chi-square_nu, at y - 2 log sigma0: (J, S, N).

    With m = nu / 2 it is (m / w)^m e^(-m / w) / Gamma(m).
    """
    half, log_w = nu / 2, y[:, None] - 2 * np.log(sigma0)
    shape = -log_w - np.exp(np.minimum(-log_w, 300.0))
    log_density = shape[:, :, None] * half + (half * np.log(half) - gammaln(half))
    # a product with subnormal numbers takes four times as long as with zeros
    np.copyto(log_density, -np.inf, where=log_density < _NOTHING)
    return np.asarray(np.exp(log_density, out=log_density))


def log_likelihood(
    rules: list[FoldMixtures], nodes: MixingNodes, delta0: FloatArray
) -> FloatArray:
    """Compute sum_i log I_i, up to a constant, on a tensor grid: shape (D, S * N)."""
    tau2, W = nodes
    total = np.zeros((len(delta0), W.shape[1]))
    for rows in _chunks(rules, len(delta0) * max(W.shape)):
        H = _convolve_rows(rows, delta0, tau2)
        total += _sum_of_logs((H.reshape(-1, W.shape[0]) @ W).reshape(*H.shape[:2], -1))
    return total


def _chunks(rules: list[FoldMixtures], cost: int) -> Iterator[FoldMixtures]:
    """Yield rows in portions that keep intermediate arrays small."""
    size = max(4, _CHUNK // cost // 4 * 4)
    for rule in rules:
        for start in range(0, len(rule.xbar), size):
            part = slice(start, start + size)
            yield FoldMixtures(rule.xbar[part], rule.variance[part], rule.weight[part])


def _convolve_rows(rows: FoldMixtures, delta0: FloatArray, tau2: FloatArray) -> FloatArray:
    """Compute H_i(delta0, tau_j), shape (D, k, J)."""
    (k, nodes), J = rows.variance.shape, len(tau2)
    H = np.empty((len(delta0), k, J))
    size = max(1, _CACHED // (nodes * J))
    for start in range(0, k, size):
        part = slice(start, start + size)
        V = tau2 + rows.variance[part].T[:, :, None]  # (nodes, rows, J)
        factor = rows.weight[part].T[:, :, None] / np.sqrt(2 * np.pi * V)
        rate, term = -0.5 / V, np.empty(V.shape)
        square = (rows.xbar[part] - delta0[:, None]) ** 2
        underflows = rate.min() * square.max(1) < _NOTHING
        for d in range(len(delta0)):
            np.multiply(rate, square[d][:, None], out=term)
            if underflows[d]:  # where exp does it is slow
                np.maximum(term, _NOTHING, out=term)
            np.exp(term, out=term)
            np.einsum("lij,lij->ij", term, factor, out=H[d, part])
    return H


def _sum_of_logs(values: FloatArray) -> FloatArray:
    """Sum logarithms over axis 1: of products of four, since logarithms are expensive."""
    whole = values.shape[1] // 4 * 4
    product = values[:, 0:whole:4] * values[:, 1:whole:4]
    product *= values[:, 2:whole:4] * values[:, 3:whole:4]
    rest = values[:, whole:]
    for part in (product, rest):
        np.log(np.maximum(part, _LEAST, out=part), out=part)
    return np.asarray(product.sum(1) + rest.sum(1))


# The same by nodes in u = delta - delta0 that all rows have in common: about as many as there are
# in tau where no row is much narrower than the rest, and no mixture of normals for each of them.


_MOST_COMMON = 180  # nodes from which on the mixtures cost less
_CURVED = 0.1  # how soon nodes grow apart: (1 + this (u / scale)^2)^(1/2) times as far


class CommonNodes(NamedTuple):
    """Nodes u, shape (M,), and the t's masses there for all sigma0 and nu, (M, S * N)."""

    u: FloatArray
    mass: FloatArray


def common_nodes(
    standard: StandardProblem,
    delta0: FloatArray,
    sigma0: FloatArray,
    nu: FloatArray,
    *,
    floor: float,
    tolerance: float,
) -> CommonNodes | None:
    """Place nodes for I_i = int t_nu(u; 0, sigma0) K_i(delta0 + u) du, of a t and a t.

    K_i is a t with n_i - 2 degrees of freedom, except for the bound on sigma_i. At a step h the
    trapezoid rule leaves out the Fourier transform at 2 pi / h, which for a t has fallen to e^-L
    near (2 L + L^2 / nu)^(1/2) / scale; the squares of the two add up. Below the sigma0 `floor` a
    row no longer notices it; `tolerance` is the relative error of a row's integral. None with
    fewer than five folds, if the bound on sigma_i is felt, or for too many nodes.
    """
    n, ratio, fall = standard.n, standard.a / standard.b, np.log(2 / tolerance)
    tail = np.expm1(np.minimum(2 * (fall + 2) / (n - 1), 60.0))
    edge = standard.a * (1 + tail) / (2 * standard.sigma_upper**2)
    felt = gammainc((n - 1) / 2, edge) > tolerance
    if n.min() < 5 or felt.any() or sigma0[0] < floor:
        return None
    reach = np.sqrt(ratio * tail)
    ends = (standard.xbar - reach).min() - delta0[-1], (standard.xbar + reach).max() - delta0[0]
    least = sigma0[0]
    low, high = np.arcsinh(np.array([min(ends[0], 0.0), max(ends[1], 0.0)]) / least)
    v = np.linspace(low, high, 1200)
    u = least * np.sinh(v)
    beyond = np.maximum(standard.xbar[0] - delta0[-1] - u, 0.0)
    beyond += np.maximum(u - standard.xbar[-1] + delta0[0], 0.0)
    narrow = (ratio / ((n - 2) * (2 * fall + fall**2 / (n - 2)))).min()
    density = (2 * fall + fall**2 / nu.min()) / (least**2 + _CURVED * u**2)
    density += 1 / (narrow + _CURVED * beyond**2 / (2 * fall + fall**2 / (n.min() - 2)))
    density = np.sqrt(density * (least**2 + u**2)) / (2 * np.pi)
    count = np.append(0.0, np.cumsum((density[1:] + density[:-1]) / 2 * (v[1] - v[0])))
    if count[-1] > _MOST_COMMON:
        return None
    first = np.interp(0.0, v, count) % 1  # a node is at 0: symmetric rows have symmetric nodes
    wanted = np.arange(first, count[-1])
    k = count[1:-1].searchsorted(wanted, side="right")
    rise, more = (density[k + 1] - density[k]) / (v[1] - v[0]), wanted - count[k]
    slope = np.sqrt(density[k] ** 2 + 2 * rise * more)  # the density is linear in between
    u = least * np.sinh(v[k] + 2 * more / (density[k] + slope))
    width = np.hypot(least, u) / slope
    constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
    mass = np.log1p((u[:, None] / sigma0)[:, :, None] ** 2 / nu)
    mass *= -(nu + 1) / 2
    mass += constant - np.log(sigma0)[:, None]
    np.copyto(mass, -np.inf, where=mass < _NOTHING)
    np.exp(mass, out=mass)
    mass *= width[:, None, None]
    return CommonNodes(u, mass.reshape(len(u), -1))


def log_likelihood_common(
    standard: StandardProblem, nodes: CommonNodes, delta0: FloatArray
) -> FloatArray:
    """Compute the `log_likelihood` by these nodes: shape (D, S * N)."""
    rate, power = standard.b / standard.a, -(standard.n - 1) / 2
    total = np.zeros((len(delta0), nodes.mass.shape[1]))
    size = max(4, _CHUNK // max(nodes.mass.shape) // 4 * 4)
    for start in range(0, standard.q, size):
        rows = slice(start, start + size)
        xbar = standard.xbar[rows]
        several = max(1, _CACHED // (len(xbar) * len(nodes.u)))
        for first in range(0, len(delta0), several):
            part = slice(first, first + several)
            kernel = (delta0[part, None] - xbar)[:, :, None] + nodes.u
            kernel *= kernel
            kernel *= rate[rows, None]
            np.log1p(kernel, out=kernel)
            kernel *= power[rows, None]
            np.exp(np.maximum(kernel, _NOTHING, out=kernel), out=kernel)
            integral = kernel.reshape(-1, len(nodes.u)) @ nodes.mass
            total[part] += _sum_of_logs(integral.reshape(*kernel.shape[:2], -1))
    constant = gammaln(-power) - gammaln(-power - 0.5) + np.log(rate / np.pi) / 2
    return np.asarray(total + constant.sum())
