"""Student's distribution functions for a few degrees of freedom, tabulated.

SciPy's take 200 ns a value, and a verdict would ask for thousands. The density costs a few: it is
summed from node to node by Gauss's rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from bayescmp.engines.quadrature.problem import FloatArray

__all__ = ["ASINH", "STEP", "StudentTable", "student_table"]

IntArray = npt.NDArray[np.intp]
STEP = 0.008
_HALF = 350  # steps on either side of 0
_NARROWEST = 0.3  # degrees of freedom: with fewer the density's peak is too narrow for the nodes
#: Gauss's rule on (-1, 1): nodes and weights of three points, nodes of two.
_THREE = np.array([[-np.sqrt(0.6)], [0.0], [np.sqrt(0.6)]]), np.array([[5.0], [8.0], [5.0]]) / 9
_TWO = np.array([-1.0, 1.0]) / np.sqrt(3)
#: Nodes as asinh(z): z = sinh(1.5 sinh(tau)) with equidistant tau, in which every t is smooth.
ASINH = 1.5 * np.sinh(STEP * np.arange(-_HALF, _HALF + 1.0))
_NODES = np.sinh(ASINH[: _HALF + 1])
_BETWEEN = STEP * (np.arange(-_HALF, 0.0) + (1 + _THREE[0]) / 2)
_SQUARE = np.sinh(1.5 * np.sinh(_BETWEEN)) ** 2  # (3, cells)
_WEIGHT = STEP / 2 * _THREE[1] * 1.5 * np.cosh(_BETWEEN) * np.sqrt(1 + _SQUARE)


@dataclass(frozen=True, eq=False)
class StudentTable:
    """Distribution functions at the nodes `ASINH`, and between them.

    Attributes
    ----------
    nu : ndarray of shape (N,)
        Degrees of freedom.
    lower : ndarray of shape (351, N)
        The distribution functions at the nodes z <= 0, within 1e-14.
    scale : ndarray of shape (N,)
        The densities at 0.
    """

    nu: FloatArray
    lower: FloatArray
    scale: FloatArray

    @cached_property
    def values(self) -> FloatArray:
        """The distribution functions at all nodes, shape (701, N)."""
        return np.concatenate([self.lower, 1 - self.lower[-2::-1]])

    @cached_property
    def rises(self) -> FloatArray:
        """What they rise by from each node to the next, shape (700, N)."""
        return np.diff(self.values, axis=0)

    def tail(self, z: FloatArray, which: IntArray) -> FloatArray:
        """Probability beyond z >= 0, for degrees of freedom nu[which]: within 1e-11."""
        if self.nu.min() < _NARROWEST:
            return np.asarray(stdtr(self.nu[which], -z))
        z = np.minimum(z, -_NODES[0])
        node = _HALF - np.rint(np.arcsinh(np.arcsinh(z) / 1.5) / STEP).astype(int)
        half = (-_NODES[node] - z) / 2
        between = self._density(z + half + np.multiply.outer(_TWO, half), which)
        lower = self.lower.take(node * len(self.nu) + which)
        return np.asarray(lower + half * (between[0] + between[1]))

    def beyond(self, z: FloatArray, which: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Probability beyond z >= 0, the density there and its derivative."""
        nu, density = self.nu[which], self._density(z, which)
        return self.tail(z, which), density, -density * (nu + 1) * z / (nu + z * z)

    def _density(self, z: FloatArray, which: IntArray) -> FloatArray:
        nu = self.nu[which]
        density = np.log1p(z * z / nu)
        density *= (nu + 1) / -2
        np.exp(density, out=density)
        density *= self.scale[which]
        return density


def student_table(nu: FloatArray) -> StudentTable:
    """The table for these degrees of freedom; the last ones are kept."""
    return _table(tuple(nu.tolist()))


@lru_cache(maxsize=8)
def _table(degrees: tuple[float, ...]) -> StudentTable:
    """The area of each cell by Gauss's rule, scaled so that half of it lies below 0."""
    nu = np.array(degrees)
    first = stdtr(nu, _NODES[0])
    f = np.log1p(_SQUARE / nu[:, None, None])
    f *= (nu[:, None, None] + 1) / -2
    np.exp(f, out=f)
    f *= _WEIGHT
    total = np.cumsum(f[:, 0] + f[:, 1] + f[:, 2], axis=1)
    scale = (0.5 - first) / total[:, -1]
    lower = np.empty((_HALF + 1, len(nu)))
    lower[0] = first
    lower[1:] = (first[:, None] + scale[:, None] * total).T
    narrow = nu < _NARROWEST
    if narrow.any():
        lower[:, narrow] = stdtr(nu[narrow], _NODES[:, None])
    lower.flags.writeable = False
    return StudentTable(nu, lower, scale)
