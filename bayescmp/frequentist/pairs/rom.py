"""Critical values of Rom's step-up procedure, and their inverse."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev
from scipy import special

__all__ = ["rom_adjusted", "rom_critical"]

#: Up to here the recursion damps its own rounding errors (the factor is α/(1-α)).
LARGEST = 0.5


def rom_critical(alpha: np.ndarray, m: int) -> np.ndarray:
    """Critical values c_1 (for the largest p) to c_m (for the smallest).

    With r independent uniform p-values the procedure rejects something with probability exactly
    α, for every r ≤ m, which gives (Rom 1990)

        Σ_{l=1}^{r-1} α^l = Σ_{l=1}^{r-1} C(r, l) c_{l+1}^{r-l},

    solved for c_r, the term l = r - 1 being r·c_r.

    Parameters
    ----------
    alpha : ndarray of shape (g,)
        Levels, at most 0.5.
    m : int
        Number of hypotheses.

    Returns
    -------
    ndarray of shape (m, g)

    References
    ----------
    Rom 1990, Biometrika 77, eq. 4.
    """
    critical = np.empty((m, len(alpha)))
    critical[0] = alpha
    for r in range(2, m + 1):
        total = alpha * (1 - alpha ** (r - 1)) / (1 - alpha)
        power = np.arange(2, min(r - 1, 40) + 1)  # (r c)^j / j! is below 1e-30 beyond
        if len(power):
            earlier = critical[r - power]  # c_{l+1} with l = r - j
            log_choose = -np.log(r + 1) - special.betaln(power + 1, r - power + 1)
            total = total - np.sum(np.exp(log_choose)[:, None] * earlier ** power[:, None], axis=0)
        critical[r - 1] = total / r
    return critical


@lru_cache(maxsize=8)
def _fit(m: int) -> np.ndarray:
    """Chebyshev coefficients of c_r(α)/α on (0, `LARGEST`), (40, m).

    It is a polynomial in α, and smooth, so that one fit serves all p-values of a rank.
    """
    nodes = (chebyshev.chebpts1(40) + 1) * LARGEST / 2
    fit = chebyshev.chebfit(4 * nodes - 1, (rom_critical(nodes, m) / nodes).T, 39)
    fit.flags.writeable = False  # it is cached
    return np.asarray(fit)


def rom_adjusted(p: np.ndarray) -> np.ndarray:
    """The level α at which each p equals its critical value, before the step-up minimum.

    Parameters
    ----------
    p : ndarray of shape (m,)
        From the largest to the smallest.

    Returns
    -------
    ndarray of shape (m,)
        Above `LARGEST`, where the recursion is not stable, Hochberg's r·p, which is never
        smaller.
    """
    m = len(p)
    rank = np.arange(1.0, m + 1)
    fit = _fit(m)

    def critical(alpha: np.ndarray) -> np.ndarray:
        return alpha * chebyshev.chebval(4 * alpha - 1, fit, tensor=False)

    within = p <= critical(np.full(m, LARGEST))
    low, high = np.zeros(m), np.minimum(rank * p, LARGEST)  # c_r(α) ≥ α/r, so α ≤ r·p
    for _ in range(60):
        middle = (low + high) / 2
        above = critical(middle) >= p
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(within, high, rank * p)
