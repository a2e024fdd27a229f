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
    delta : ndarray of shape (k, T)
        Nodes.
    weight : ndarray of shape (k, T)
        Integrand times ddelta/dt times the step, divided by exp(log_scale).
    log_scale : ndarray of shape (k, 1)
        Log of what was divided out, without the constant of the t.
    t0, step : ndarray of shape (k, 1)
        First node and step in t.
    """

    part: slice
    delta: FloatArray
    weight: FloatArray
    log_scale: FloatArray
    t0: FloatArray
    step: FloatArray


def two_centre(
    t: FloatArray, distance: FloatArray, s: FloatArray, sigma0: FloatArray
) -> FloatArray:
    """Solve t = asinh((delta - xbar)/s) + asinh((delta - delta0)/sigma0) for delta - delta0.

    With A = 1/s, B = 1/sigma0, D = xbar - delta0 and p = A^2 + B^2 + 2 A B cosh t,
    delta - delta0 = [D A (A + B cosh t) + sinh t ((D A B)^2 + p)^(1/2)] / p.
    """
    A, B = 1 / s, 1 / sigma0
    e = np.exp(t)
    cosh, sinh = (e + 1 / e) / 2, (e - 1 / e) / 2
    p = A * A + B * B + 2 * A * B * cosh
    root = np.sqrt(p + (distance * A * B) ** 2)
    return np.asarray((sinh * root + (distance * A * B) * cosh + distance * A * A) / p)


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
    square = b * (u - distance) ** 2
    value = -(n - 1) / 2 * np.log1p(square / a) - (nu + 1) / 2 * np.log1p((u / sigma0) ** 2 / nu)
    if sigma_upper is not None:
        tail = gammaincc((n - 1) / 2, (a + square) / (2 * sigma_upper**2))
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
    n, a, b, s = (c[row] for c in (standard.n, standard.a, standard.b, standard.s))
    delta0, sigma0, nu = parameters
    distance = standard.xbar[row] - delta0
    reach = np.sqrt(a / b * np.expm1(np.minimum(2 * nats / (n - 1), 60.0)))
    felt = bound_is_felt(standard)
    if felt:  # beyond A = 2 sigma_upper^2 (nats + ...), Q is below exp(-nats)
        end = np.sqrt(2 * standard.sigma_upper**2 * (nats + n) / b)
        reach = np.minimum(reach, np.maximum(end, 3 * s))
    low = np.minimum(-4 * sigma0, distance - reach)
    high = np.maximum(4 * sigma0, distance + reach)
    t0 = np.arcsinh((low - distance) / s) + np.arcsinh(low / sigma0)
    t1 = np.arcsinh((high - distance) / s) + np.arcsinh(high / sigma0)
    count = int(np.ceil((t1 - t0).max() / step)) + 1
    h = (t1 - t0) / (count - 1)
    size = max(1, _CHUNK // count)
    upper = standard.sigma_upper if felt else None
    node = np.arange(count)[:, None]  # nodes by pairs: long rows make fast loops
    for start in range(0, len(row), size):
        c = slice(start, min(start + size, len(row)))
        u = two_centre(t0[c] + h[c] * node, distance[c], s[c], sigma0[c])
        value = log_product(u, distance[c], (n[c], a[c], b[c]), sigma0[c], nu[c], upper)
        top = value.max(0)
        slope = 1 / np.sqrt((u - distance[c]) ** 2 + s[c] ** 2)
        slope += 1 / np.sqrt(u**2 + sigma0[c] ** 2)
        yield Product(
            c,
            (u + delta0[c]).T,
            (np.exp(value - top) * (h[c] / slope)).T,
            top[:, None],
            t0[c, None],
            h[c, None],
        )
