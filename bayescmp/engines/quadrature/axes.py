"""The axes of the grid: coordinates a unit wide, degrees of freedom, interpolation.

Cubic Hermite interpolation, as SciPy does it.

`scipy.interpolate` takes longer to import than a fit takes; these are its operations in its order,
and a test holds the two equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv, gammaln

from bayescmp.engines.quadrature.problem import FloatArray, NuPrior, Standard

__all__ = [
    "NU_MAX",
    "Axis",
    "Hermite",
    "NuGrid",
    "equidistribute",
    "extend",
    "gauss_rule",
    "information_delta0",
    "information_sigma0",
    "monotone_cubic",
    "nu_grid",
    "refinement",
]


# Cubic Hermite interpolation, as SciPy does it.


class Hermite:
    """A piecewise cubic with given values and slopes; its outer pieces go on beyond the ends.

    Parameters
    ----------
    x, y, slope : ndarray of shape (m,)
        Increasing knots, the values and the derivatives there.
    """

    def __init__(self, x: FloatArray, y: FloatArray, slope: FloatArray) -> None:
        width = np.diff(x)
        chord = np.diff(y) / width
        bend = (slope[:-1] + slope[1:] - 2 * chord) / width
        self._knots, self._values, self._width = x, y, width
        #: Coefficients of the pieces, in powers of the distance from their left knot.
        self._c = (y[:-1], slope[:-1], (chord - slope[:-1]) / width - bend, bend / width)

    def _piece(self, x: FloatArray) -> tuple[FloatArray, ...]:
        """How far into its piece each x is, and the piece's coefficients."""
        k = np.clip(np.searchsorted(self._knots, x, side="right") - 1, 0, len(self._c[0]) - 1)
        return x - self._knots[k], *(c[k] for c in self._c)

    def __call__(self, x: FloatArray) -> FloatArray:
        """Values at x."""
        d, c0, c1, c2, c3 = self._piece(x)
        square = d * d
        return np.asarray(c0 + c1 * d + c2 * square + c3 * (square * d))

    def derivative(self, x: FloatArray) -> FloatArray:
        """Derivatives at x."""
        d, _, c1, c2, c3 = self._piece(x)
        return np.asarray(c1 + c2 * d * 2 + c3 * (d * d) * 3)

    def both(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values and derivatives at x, in little more time than either."""
        d, c0, c1, c2, c3 = self._piece(x)
        square = d * d
        value = c0 + c1 * d + c2 * square + c3 * (square * d)
        return value, c1 + c2 * d * 2 + c3 * square * 3

    def split(self, parts: int) -> FloatArray:
        """Values at the knots and where they divide each piece into equal parts."""
        d = self._width[:, None] * (np.arange(parts) / parts)
        c0, c1, c2, c3 = (c[:, None] for c in self._c)
        return np.append(c0 + d * (c1 + d * (c2 + d * c3)), self._values[-1])

    def inverse(self, y: FloatArray) -> FloatArray:
        """Where a function whose values increase takes the values y, between the outer knots.

        Three of Newton's steps, from the chord of the piece and kept within it.
        """
        k = np.searchsorted(self._values, y, side="right") - 1
        k = np.minimum(np.maximum(k, 0), len(self._width) - 1)
        width = self._width[k]
        c0, c1, c2, c3 = (c[k] for c in self._c)
        rise = y - c0
        d = rise / (self._values[k + 1] - c0) * width
        for _ in range(3):
            slope = c1 + d * (2 * c2 + 3 * c3 * d)
            excess = d * (c1 + d * (c2 + d * c3)) - rise
            d = np.minimum(np.maximum(d - excess / np.maximum(slope, 1e-300), 0.0), width)
        return self._knots[k] + d


def monotone_cubic(x: FloatArray, y: FloatArray) -> Hermite:
    """The interpolation that is monotone wherever the values are (PCHIP).

    Parameters
    ----------
    x, y : ndarray of shape (m,)
        Increasing knots, m >= 2, and the values there.

    References
    ----------
    Fritsch & Butland (1984), SIAM Journal on Scientific and Statistical Computing 5:300-304; at
    the ends Moler (2004), Numerical Computing with MATLAB, section 3.6.
    """
    width = np.diff(x)
    chord = np.diff(y) / width
    if len(x) == 2:
        return Hermite(x, y, np.repeat(chord, 2))
    slope = np.zeros(len(x))
    left, right = chord[:-1], chord[1:]
    steady = np.sign(left) * np.sign(right) > 0
    w1, w2 = 2 * width[1:] + width[:-1], width[1:] + 2 * width[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (w1 / left + w2 / right) / (w1 + w2)
    slope[1:-1][steady] = 1 / mean[steady]
    slope[0] = _end_slope(width[0], width[1], chord[0], chord[1])
    slope[-1] = _end_slope(width[-1], width[-2], chord[-1], chord[-2])
    return Hermite(x, y, slope)


def _end_slope(h0: float, h1: float, m0: float, m1: float) -> float:
    """Of the parabola through the outer three values, as far as it is monotone there."""
    slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    if np.sign(slope) != np.sign(m0):
        return 0.0
    turning = np.sign(m0) != np.sign(m1) and abs(slope) > 3 * abs(m0)
    return 3 * m0 if turning else slope


# Coordinates in which the posterior is about one unit wide, and the refinement of grids.


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


# The degrees of freedom: their prior, integrated over its hyperparameters, and Gauss rules.


NU_MAX = 2000.0  # beyond, the t is taken as that with this many degrees of freedom
_POINTS = 800
_FAR_APART = 10.0  # nats


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


def extend(x: FloatArray, y: FloatArray, at: FloatArray, *, rise: float = 2.0) -> FloatArray:
    """Cubic interpolation inside the nodes, linear outside, where it may rise by at most `rise`.

    Where the values are far apart it is monotone between them: parabolas would overshoot there.
    """
    if len(x) == 1:
        return np.full(np.shape(at), y[0])
    if len(x) > 3 and np.ptp(y) < _FAR_APART:
        inside = Hermite(x, y, np.gradient(y, x, edge_order=2))(np.clip(at, x[0], x[-1]))
    else:
        inside = monotone_cubic(x, y)(np.clip(at, x[0], x[-1]))
    left = (y[1] - y[0]) / (x[1] - x[0]) * np.minimum(at - x[0], 0.0)
    right = (y[-1] - y[-2]) / (x[-1] - x[-2]) * np.maximum(at - x[-1], 0.0)
    return np.asarray(inside + np.minimum(left, rise) + np.minimum(right, rise))
