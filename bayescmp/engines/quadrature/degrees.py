"""The degrees of freedom: their prior, integrated over its hyperparameters, and Gauss rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv, gammaln

from bayescmp.engines.quadrature.interpolation import monotone_cubic
from bayescmp.engines.quadrature.problem import FloatArray, NuPrior

__all__ = ["NU_MAX", "NuGrid", "barycentric", "extend", "gauss_rule", "nu_grid"]

NU_MAX = 2000.0  # beyond, the t is taken as that with this many degrees of freedom
_POINTS = 800


@dataclass(frozen=True, eq=False)
class NuGrid:
    """The prior of nu on a fine grid.

    Attributes
    ----------
    log_x : ndarray of shape (m,)
        Equidistant values of log(nu - offset).
    nu : ndarray of shape (m,)
        The degrees of freedom there.
    xi : ndarray of shape (m,)
        1 / (1 + nu - offset), the coordinate in which the likelihood is nearly polynomial.
    mass : ndarray of shape (m,)
        Prior masses of the cells; they sum to one.
    offset : float
        What is taken from nu.
    """

    log_x: FloatArray
    nu: FloatArray
    xi: FloatArray
    mass: FloatArray
    offset: float

    def nu_at(self, xi: FloatArray) -> FloatArray:
        """Degrees of freedom at a value of xi, at most NU_MAX."""
        return np.minimum(1 / xi - 1 + self.offset, NU_MAX)


@lru_cache(maxsize=64)
def nu_grid(prior: NuPrior) -> NuGrid:
    """Prior of nu with alpha and beta integrated out.

    With x = nu - offset, the integral over beta is an incomplete gamma function,

        int beta^alpha x^(alpha-1) e^(-beta x) / Gamma(alpha) dbeta
            = alpha x^-2 [P(alpha + 1, beta_u x) - P(alpha + 1, beta_l x)],

    and that over alpha is done by Gauss-Legendre.
    """
    (a0, a1), (b0, b1) = prior.alpha, prior.beta
    low = max(float(np.log(gammaincinv(a0, 1e-8) / b1)), np.log(1e-8))
    high = float(np.log(gammainccinv(a1, 1e-13) / max(b0, 1e-3 * b1)))
    log_x = np.linspace(low, high, _POINTS)
    x = np.exp(log_x)
    nodes, weights = np.polynomial.legendre.leggauss(40 if a1 > a0 else 1)
    alpha = a0 + (a1 - a0) * (nodes + 1) / 2
    density = _over_beta(x[:, None], alpha, b0, b1) @ weights
    mass = density * x
    return NuGrid(log_x, x + prior.offset, 1 / (1 + x), mass / mass.sum(), prior.offset)


def _over_beta(x: FloatArray, alpha: FloatArray, b0: float, b1: float) -> FloatArray:
    """Mean over beta in (b0, b1) of the Gamma(alpha, beta) density at x."""
    if b1 - b0 < 1e-5 * b1:  # practically fixed; the difference below would cancel
        beta = (b0 + b1) / 2
        log_p = alpha * np.log(beta) + (alpha - 1) * np.log(x) - beta * x - gammaln(alpha)
        return np.asarray(np.exp(log_p))
    below = gammainc(alpha + 1, b1 * x) - gammainc(alpha + 1, b0 * x)
    above = gammaincc(alpha + 1, b0 * x) - gammaincc(alpha + 1, b1 * x)
    difference = np.where(b0 * x > alpha + 1, above, below)  # the pair that does not cancel
    return np.asarray(alpha / x**2 * difference / (b1 - b0))


def gauss_rule(x: FloatArray, mass: FloatArray, length: int) -> tuple[FloatArray, FloatArray]:
    """Gauss rule of a discrete measure, by the Lanczos process.

    Parameters
    ----------
    x, mass : ndarray of shape (m,)
        Points and their masses >= 0.
    length : int
        Nodes wanted; fewer are returned for a measure that is nearly concentrated.

    Returns
    -------
    nodes, weights : ndarray of shape (length,)
        Increasing nodes; the weights sum to one.

    References
    ----------
    Golub & Meurant (2010), Matrices, Moments and Quadrature with Applications, chapter 4.
    """
    basis = np.empty((length + 1, len(x)))
    basis[0] = np.sqrt(mass / mass.sum())
    diagonal, off = [], []
    for k in range(length):
        z = x * basis[k]
        diagonal.append(z @ basis[k])
        q = basis[: k + 1]
        for _ in range(2):  # reorthogonalised, for the process loses orthogonality
            z = z - (q @ z) @ q
        norm = np.sqrt(z @ z)
        if norm < 1e-12:
            break
        off.append(norm)
        basis[k + 1] = z / norm
    beside = np.diag(off[: len(diagonal) - 1], -1)
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + beside)  # reads the lower triangle
    return nodes, vectors[0] ** 2


def extend(
    x: FloatArray, y: FloatArray, at: FloatArray, *, smooth: bool = False, rise: float = 2.0
) -> FloatArray:
    """Interpolation inside the nodes, linear outside, where it may rise by at most `rise`.

    Inside it is the polynomial through all nodes if these are those of a Gauss rule (`smooth`),
    where it is well conditioned; else monotone cubic.
    """
    if len(x) == 1:
        return np.full(np.shape(at), y[0])
    clipped = np.clip(at, x[0], x[-1])
    inside = barycentric(x, y, clipped) if smooth else monotone_cubic(x, y)(clipped)
    left = (y[1] - y[0]) / (x[1] - x[0]) * np.minimum(at - x[0], 0.0)
    right = (y[-1] - y[-2]) / (x[-1] - x[-2]) * np.maximum(at - x[-1], 0.0)
    return np.asarray(inside + np.minimum(left, rise) + np.minimum(right, rise))


def barycentric(x: FloatArray, y: FloatArray, at: FloatArray) -> FloatArray:
    """Polynomial through all nodes, by the barycentric formula.

    SciPy's interpolator permutes the nodes at random, so that equal calls differ in the last
    bits; this one does not.

    References
    ----------
    Berrut & Trefethen (2004), SIAM Review 46, equation 4.2.
    """
    difference = (x[:, None] - x) * (4 / np.ptp(x))  # capacity one: no underflow
    np.fill_diagonal(difference, 1.0)
    weight = 1 / difference.prod(1)
    gap = at[:, None] - x
    hit = gap == 0
    share = np.where(hit.any(1, keepdims=True), hit, weight / np.where(hit, 1.0, gap))
    return np.asarray((share @ y) / share.sum(1))
