"""The largest of several t statistics that share a control: Dunnett's distribution."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, special

__all__ = ["largest_t_ppf", "largest_t_sf"]

#: Nodes in z, the shared deviation: normals beyond have a weight under 1e-55.
REACH = 16.0


def largest_t_sf(c: float, loadings: np.ndarray, df: float, *, two_sided: bool = True) -> float:
    """P(the largest of m statistics ≥ c), accurate in the far tail.

    The statistics are T_j = (√(1-λ_j²)·e_j + λ_j·z)/s with independent standard normals e_j and
    z and s = √(χ²_df/df), so that T_i and T_j have the correlation λ_i·λ_j. Given z and s they
    are independent; the two integrals are trapezoidal sums, which converge exponentially.

    Parameters
    ----------
    c : float
        At least 0 if two-sided.
    loadings : ndarray of shape (m,)
        λ_j in [0, 1), √(n_j/(n_j + n_0)) for means of n_j scores and a control of n_0.
    df : float
        Degrees of freedom of s².
    two_sided : bool
        Whether sizes are compared.

    Returns
    -------
    float

    References
    ----------
    Dunnett 1955, JASA 50; Hsu 1996, Multiple Comparisons, sec. 3.2.
    """
    if math.isinf(c):
        return 0.0 if c > 0 else 1.0
    s, mass = _scales(c, df)
    own = np.sqrt(1 - loadings**2)
    step = min(0.1, float(own.min()) / 5)
    z = np.arange(-REACH, REACH + step, step)
    kept = np.zeros((len(s), len(z)))  # log P(all below c | s, z)
    for load, root in zip(loadings, own, strict=True):
        over = special.ndtr((load * z - c * s[:, None]) / root)
        if two_sided:
            over = over + special.ndtr((-load * z - c * s[:, None]) / root)
        with np.errstate(divide="ignore"):
            kept += np.log1p(-np.minimum(over, 1.0))
    density = np.exp(-0.5 * z**2) * step / math.sqrt(2 * math.pi)
    return float(np.clip(mass @ (-np.expm1(kept) @ density), 0.0, 1.0))


def _scales(c: float, df: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes in s and their weights, log s equally spaced about where the tail comes from."""
    if math.isinf(df):
        return np.ones(1), np.ones(1)
    width = 1 / math.sqrt(2 * df)
    low = -0.5 * math.log1p(c**2 / df) - 9 * width - 20 / df
    u = np.arange(low, 9 * width + 0.2 / df, 0.15 * width)
    log_norm = math.log(2) + 0.5 * df * math.log(0.5 * df) - float(special.gammaln(0.5 * df))
    density = np.exp(log_norm + df * u - 0.5 * df * np.exp(2 * u))
    return np.exp(u), density * (u[1] - u[0])


def largest_t_ppf(
    alpha: float, loadings: np.ndarray, df: float, *, two_sided: bool = True
) -> float:
    """The value that the largest of m statistics exceeds with probability alpha.

    Parameters
    ----------
    alpha : float
        Between 0 and 1, exclusive.
    loadings, df, two_sided
        As for `largest_t_sf`.

    Returns
    -------
    float
    """

    def gap(c: float) -> float:
        return largest_t_sf(c, loadings, df, two_sided=two_sided) - alpha

    low, high = 0.0 if two_sided else -1.0, 1.0
    while gap(low) < 0:
        low *= 2
    while gap(high) > 0:
        high *= 2
    return float(optimize.brentq(gap, low, high, xtol=1e-10))
