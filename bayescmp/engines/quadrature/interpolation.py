"""Cubic Hermite interpolation, as SciPy does it.

`scipy.interpolate` takes longer to import than a fit takes; these are its operations in its order,
and a test holds the two equal to the last bit.
"""

from __future__ import annotations

import numpy as np

from bayescmp.engines.quadrature.problem import FloatArray

__all__ = ["Hermite", "monotone_cubic"]


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
