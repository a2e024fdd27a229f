"""Chebyshev's interpolation in delta0: the likelihood of many rows is smooth over the box.

The box has the width of the posterior, which shrinks as rows are added, while each row varies over
its own scale: from a thousand rows on, a polynomial of low degree mostly is the log-likelihood.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebvander

from bayescmp.engines.quadrature.problem import FloatArray

__all__ = ["interpolated"]

_LAST = 1e-3  # size of the last coefficients: what is left out is about a tenth of it
_NATS = 20.0  # below the maximum, where it has to be so


def interpolated(
    function: Callable[[FloatArray], FloatArray], x: FloatArray, nodes: int
) -> FloatArray | None:
    """Values of a log density at x, from its values at fewer Chebyshev nodes.

    Parameters
    ----------
    function : callable
        Of nodes of shape (m,); its values have shape (m, ...).
    x : ndarray of shape (D,)
        Increasing.
    nodes : int
        m.

    Returns
    -------
    ndarray of shape (D, ...), or None
        None where the last two coefficients are not small: the polynomial is no good.

    References
    ----------
    Trefethen (2013), Approximation Theory and Approximation Practice, chapters 3 and 8.
    """
    middle, half = (x[0] + x[-1]) / 2, (x[-1] - x[0]) / 2
    points = chebpts1(nodes)
    values = function(middle + half * points)
    flat = values.reshape(nodes, -1)
    coefficients = chebvander(points, nodes - 1).T @ flat * (2 / nodes)
    coefficients[0] /= 2
    high = flat.max(axis=0)
    last = np.abs(coefficients[-2:, high > high.max() - _NATS])
    if last.max() > _LAST:
        return None
    fine = chebvander((x - middle) / half, nodes - 1) @ coefficients
    return fine.reshape(len(x), *values.shape[1:])
