"""Range of independent standard normals: the studentized range with infinite d.o.f."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import optimize, special

__all__ = ["normal_range_ppf", "normal_range_sf"]


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Trapezoidal rule on [-9, 13], exponentially convergent for what decays at both ends.

    The largest of very many normals is still below 13, and weights below -9 are under 1e-19.
    """
    z = np.linspace(-9.0, 13.0, 353)
    return z, np.full(len(z), z[1] - z[0])


def normal_range_sf(q: Any, k: int) -> np.ndarray:
    """P(range of k independent standard normals > q), accurate in the far tail.

    P(R > q) = k ∫ φ(z) {Φ(z)^{k-1} − [Φ(z) − Φ(z−q)]^{k-1}} dz, z being the largest. The bracket
    is written through Φ(z−q)/Φ(z), so that tiny probabilities keep their digits (one minus the
    distribution function would lose them).

    Parameters
    ----------
    q : array_like
        Ranges, at least 0.
    k : int
        Number of normals, at least 2.

    Returns
    -------
    ndarray
        Of the shape of q.

    References
    ----------
    Nemenyi 1963; Demšar 2006, table 5a divides its quantiles by √2.
    """
    q = np.asarray(q, dtype=float)
    out = np.empty(q.size)
    for start in range(0, q.size, 1024):  # bounded memory for thousands of pairs
        out[start : start + 1024] = _tail(q.reshape(-1)[start : start + 1024], k)
    return out.reshape(q.shape)


def _tail(q: np.ndarray, k: int) -> np.ndarray:
    z, weight = _nodes()
    log_cdf = special.log_ndtr(z)
    largest = weight * k * np.exp(-0.5 * z**2 + (k - 1) * log_cdf) / np.sqrt(2 * np.pi)
    share = np.exp(special.log_ndtr(z - q[:, None]) - log_cdf)  # P(another < z - q | it is < z)
    with np.errstate(divide="ignore"):  # q = 0: every other is below, log 0
        outside = -np.expm1((k - 1) * np.log1p(-np.minimum(share, 1.0)))
    return np.clip(outside @ largest, 0.0, 1.0)


def normal_range_ppf(alpha: float, k: int) -> float:
    """The range that k independent standard normals exceed with probability alpha.

    Parameters
    ----------
    alpha : float
        Between 0 and 1, exclusive.
    k : int
        Number of normals.

    Returns
    -------
    float
    """
    return float(
        optimize.brentq(
            lambda q: float(normal_range_sf(q, k)) - alpha, 0.0, 40.0, xtol=1e-13, rtol=8.9e-16
        )
    )
