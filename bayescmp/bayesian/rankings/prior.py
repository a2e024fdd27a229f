"""The prior of abilities that the Bradley-Terry and the Plackett-Luce model share."""

from __future__ import annotations

import numpy as np

__all__ = ["SIGMA_SD", "WIDER_SD", "in_words", "log_prior", "log_sigmas", "precision"]

#: log σ ~ N(0, SIGMA_SD), and ν of the ties ~ N(0, NU_SD).
SIGMA_SD, NU_SD = 0.5, 2.0
#: A wider prior, for the sensitivity to it.
WIDER_SD = 1.0


def log_sigmas(sd: float = SIGMA_SD) -> np.ndarray:
    """Values of log σ, five standard deviations of its prior to each side."""
    return np.linspace(-5 * sd, 5 * sd, 51)


def log_prior(
    beta: np.ndarray, nu: np.ndarray, log_sigma: np.ndarray, sigma_sd: float = SIGMA_SD
) -> np.ndarray:
    """Log prior density, up to a constant: β ~ N(0, σ²), log σ ~ N(0, 0.5²), ν ~ N(0, 2²).

    Parameters
    ----------
    beta : ndarray of shape (N, L)
        Abilities.
    nu : ndarray of shape (N, any)
        Of ties.
    log_sigma : ndarray of shape (N,)
    sigma_sd : float
        Another standard deviation of log σ.

    Returns
    -------
    ndarray of shape (N,)
    """
    abilities = -0.5 * (beta**2).sum(axis=1) * np.exp(-2 * log_sigma) - beta.shape[1] * log_sigma
    spread = -0.5 * (log_sigma / sigma_sd) ** 2
    return np.asarray(abilities + spread - 0.5 * (nu**2).sum(axis=1) / NU_SD**2)


def precision(abilities: int, ties: int, log_sigma: float) -> np.ndarray:
    """Prior precisions of this many abilities and ν, given log σ."""
    return np.append(np.full(abilities, np.exp(-2 * log_sigma)), np.full(ties, 1 / NU_SD**2))


def in_words(*, ties: bool) -> str:
    """The prior, with that of ties where they have one."""
    return "β ~ N(0, σ²), σ ~ LogNormal(0, 0.5)" + (", ν ~ N(0, 2²)" if ties else "")
