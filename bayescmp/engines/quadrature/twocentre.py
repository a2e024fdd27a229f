"""Quadrature of one row's product kernel times t, in a coordinate with two centres.

The product K_i(delta) t_nu(delta; delta0, sigma0) has features of width s_i around xbar_i and
of width sigma0 around delta0. In

    t = asinh((delta - xbar_i) / s_i) + asinh((delta - delta0) / sigma0)

both are about one unit wide, and the trapezoid rule converges geometrically. It shares nothing
with the scale mixtures of `kernel` and so checks them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincc, gammaln

from bayescmp.engines.quadrature.problem import FloatArray, Standard

__all__ = ["Product", "log_product", "log_t_constant", "product_chunks", "two_centre"]

_NATS = 25.0  # how far down the kernel is followed
_CHUNK = 50_000  # doubles in an array: larger ones would leave the cache


@dataclass(frozen=True, eq=False)
class Product:
    """Nodes in delta with the integrand K t times the trapezoid weight.

    Attributes
    ----------
    part : slice
        Pairs (of a row and a draw) these are.
    u : ndarray of shape (k, T)
        Nodes, as delta - delta0.
    weight : ndarray of shape (k, T)
        Integrand times ddelta/dt times the step, divided by exp(log_scale).
    log_scale : ndarray of shape (k, 1)
        Log of what was divided out, without the constant of the t.
    t0, step : ndarray of shape (k, 1)
        First node and step in t.
    """

    part: slice
    u: FloatArray
    weight: FloatArray
    log_scale: FloatArray
    t0: FloatArray
    step: FloatArray


def two_centre(
    t: FloatArray, distance: FloatArray, s: FloatArray, sigma0: FloatArray
) -> FloatArray:
    """Solve t = asinh((delta - xbar)/s) + asinh((delta - delta0)/sigma0) for delta - delta0."""
    return _solved(np.exp(t), distance, s, sigma0)[0]


def _solved(
    e: FloatArray, distance: FloatArray, s: FloatArray, sigma0: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The solution u = delta - delta0, and its derivative in t, given e = exp(t).

    With D = xbar - delta0, P = ((u - D)^2 + s^2)^(1/2), Q = (u^2 + sigma0^2)^(1/2) and
    c = s sigma0 cosh t, p = c + (s^2 + sigma0^2) / 2 and R = P + Q = (2 p + D^2)^(1/2),

        2 u = D + [s sigma0 sinh(t) R + D (sigma0^2 - s^2) / 2] / p,

    and the derivative is 1 / (1/P + 1/Q) = P Q / R = (c - u (u - D)) / R.
    """
    s2, v2 = s * s, sigma0 * sigma0
    rising = e * (s * sigma0 / 2)
    c = s2 * v2 / 4 / rising
    u = rising - c
    c += rising
    p = c + (s2 + v2) / 2
    root = p + distance * distance / 2
    root *= 2
    np.sqrt(root, out=root)
    u *= root
    u += distance * (v2 - s2) / 2
    u /= p
    u += distance
    u *= 0.5
    c -= u * (u - distance)
    c /= root
    return u, c


def log_product(
    u: FloatArray,
    distance: FloatArray,
    rows: tuple[FloatArray, FloatArray, FloatArray],
    sigma0: FloatArray,
    nu: FloatArray,
    sigma_upper: float | None,
) -> FloatArray:
    """Log K_i(delta) + log t_nu, less constants of the row, at u = delta - delta0.

    K_i is proportional to A^(-(n-1)/2) Q((n-1)/2, A / (2 sigma_upper^2)) with
    A = a + b (delta - xbar)^2 and Q the regularised upper incomplete gamma function, which is 1
    unless the bound on sigma_i is felt (`sigma_upper` None: it is not).
    """
    n, a, b = rows
    square = u - distance
    square *= square
    square *= b / a
    far = u * u
    far *= 1 / (sigma0 * sigma0 * nu)
    value = np.log1p(square) * ((1 - n) / 2)
    value -= np.log1p(far) * ((nu + 1) / 2)
    if sigma_upper is not None:
        tail = gammaincc((n - 1) / 2, a * (1 + square) / (2 * sigma_upper**2))
        value += np.log(np.maximum(tail, 1e-300))
    return np.asarray(value)


def log_t_constant(sigma0: FloatArray, nu: FloatArray) -> FloatArray:
    """Log of the normalising constant of t_nu(., sigma0)."""
    constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
    return np.asarray(constant - np.log(sigma0))


def bound_is_felt(standard: Standard) -> bool:
    """Whether the bound on sigma_i changes a kernel above exp(-25) of its maximum."""
    n = standard.n
    wide = standard.a * np.exp(np.minimum(2 * _NATS / (n - 1), 60.0))
    return bool(np.any(gammaincc((n - 1) / 2, wide / (2 * standard.sigma_upper**2)) < 1 - 1e-7))


def product_chunks(
    standard: Standard,
    row: npt.NDArray[np.intp],
    parameters: tuple[FloatArray, FloatArray, FloatArray],
    step: float,
    nats: float = _NATS,
) -> Iterator[Product]:
    """The integrand for pairs of a row and parameters, in portions.

    Parameters
    ----------
    standard : Standard
        The rows.
    row : ndarray of int, shape (m,)
        Row of each pair.
    parameters : tuple of ndarray of shape (m,)
        delta0, sigma0 and nu of each pair.
    step : float
        Largest step in t.
    nats : float
        How far down the kernel is followed.
    """
    delta0, sigma0, nu = parameters
    felt = bound_is_felt(standard)
    reach = _reach(standard, felt, nats)[row]
    n, a, b, s = (c[row] for c in (standard.n, standard.a, standard.b, standard.s))
    distance = standard.xbar[row] - delta0
    low = np.minimum(-4 * sigma0, distance - reach)
    high = np.maximum(4 * sigma0, distance + reach)
    t0 = np.arcsinh((low - distance) / s) + np.arcsinh(low / sigma0)
    t1 = np.arcsinh((high - distance) / s) + np.arcsinh(high / sigma0)
    count = int(np.ceil((t1 - t0).max() / step)) + 1
    h = (t1 - t0) / (count - 1)
    size = max(1, _CHUNK // count)
    upper = standard.sigma_upper if felt else None
    for start in range(0, len(row), size):
        c = slice(start, min(start + size, len(row)))
        e = _powers(np.exp(t0[c]), np.exp(h[c]), count)
        u, rate = _solved(e, distance[c], s[c], sigma0[c])
        value = log_product(u, distance[c], (n[c], a[c], b[c]), sigma0[c], nu[c], upper)
        top = value.max(0)
        value -= top
        weight = np.exp(value)
        weight *= rate
        log_scale = top + np.log(h[c])
        yield Product(c, u.T, weight.T, log_scale[:, None], t0[c, None], h[c, None])


def _powers(first: FloatArray, ratio: FloatArray, count: int) -> FloatArray:
    """Geometric sequences, (count, k): nodes by pairs, for long rows make fast loops."""
    powers = np.empty((count, len(first)))
    powers[0] = first
    for before, row in pairwise(powers):
        np.multiply(before, ratio, out=row)
    return powers


def _reach(standard: Standard, felt: bool, nats: float) -> FloatArray:
    """How far from xbar_i each kernel is followed."""
    a, b, n = standard.a, standard.b, standard.n
    reach = np.sqrt(a / b * np.expm1(np.minimum(2 * nats / (n - 1), 60.0)))
    if felt:  # beyond A = 2 sigma_upper^2 (nats + ...), Q is below exp(-nats)
        end = np.sqrt(2 * standard.sigma_upper**2 * (nats + n) / b)
        reach = np.minimum(reach, np.maximum(end, 3 * standard.s))
    return np.asarray(reach)
