"""Sums of gamma variables with weights of either sign: their tails, by a contour integral."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

__all__ = ["positive"]

#: Step of the trapezoid rule, and where the integrand is practically zero.
_STEP, _SMALL = 0.125, 1e-19
#: Numbers of one array at a time.
_AT_ONCE = 2_000_000


def positive(e: np.ndarray, shape: np.ndarray) -> float:
    """P(Σ e_j·g_j > 0) for independent g_j ~ Gamma(shape_j, 1).

    The sum has the moment generating function M(s) = Π (1 − s·e_j)^(−shape_j), and the
    probability is the integral of M(s)/s over a line from c − i∞ to c + i∞, over 2πi, with c > 0
    inside the strip where M exists (c < 0: that of the other side, with a minus). The line goes
    through the saddle point, s = c + iσ·sinh(x), so that the trapezoid rule in x is exact but for
    rounding. The side with the smaller probability is computed.

    Parameters
    ----------
    e : ndarray of shape (U,)
        Not all zero.
    shape : ndarray of shape (U,)
        > 0.

    Returns
    -------
    float

    References
    ----------
    Daniels (1987), Tail probability approximations, International Statistical Review 55:37-48
    (the integral and its saddle point).

    Examples
    --------
    The larger of two exponential variables, one of them twice the other on average:

    >>> import numpy as np
    >>> from bayescmp.bayesian.paired.gammas import positive
    >>> round(positive(np.array([2.0, -1.0]), np.array([1.0, 1.0])), 12)
    0.666666666667
    """
    keep = e != 0
    e, shape = e[keep] / np.abs(e).max(), shape[keep]
    if e.min() > 0 or e.max() < 0:
        return float(e.min() > 0)
    if float(e @ shape) > 0:
        return 1 - _upper(-e, shape)
    return _upper(e, shape)


def _upper(e: np.ndarray, shape: np.ndarray) -> float:
    """The same where the sum's mean is at most zero, along a line with c > 0."""
    most = 1 / float(e.max())

    def slope(c: float) -> float:
        """Of log |M(s)/s| on the real axis."""
        return float(np.sum(shape * e / (1 - c * e))) - 1 / c

    c = float(brentq(slope, most * 1e-12, most * (1 - 1e-12), xtol=1e-15 * most, rtol=1e-10))
    rest = 1 - c * e
    curve = float(np.sum(shape * (e / rest) ** 2)) + 1 / c**2
    sigma = min(curve**-0.5, c, most - c)
    peak = -float(np.sum(shape * np.log(rest)))
    # |M(s)| falls at least as fast as |s|^(−shape of all), and as the normal's for many
    furthest = np.arcsinh(_SMALL ** (-1 / min(float(shape.sum()) + 1, 12)))
    x = _STEP * np.arange(int(furthest / _STEP) + 1)
    ratio = e / rest
    parts = [_log_m(sigma * np.sinh(at), ratio, shape) for at in np.array_split(x, _pieces(x, e))]
    log_m = np.concatenate(parts)
    s = c + 1j * sigma * np.sinh(x)
    values = (np.exp(peak + log_m) / s).real * sigma * np.cosh(x)
    values[0] /= 2
    return float(np.clip(values.sum() * _STEP / np.pi, 0, 1))


def _pieces(x: np.ndarray, e: np.ndarray) -> int:
    return min(len(x), 1 + len(x) * len(e) // _AT_ONCE)


def _log_m(y: np.ndarray, ratio: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Log of M(c + iy) over M(c)."""
    turn = y[:, None] * ratio
    return -(np.log1p(turn**2) / 2 - 1j * np.arctan(turn)) @ shape
