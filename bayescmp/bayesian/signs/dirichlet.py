"""Dirichlet posteriors of the sign test: weights of the regions, and which is the largest."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, gammainc, gammainccinv, gammaincinv, gammaln

from bayescmp.steps import ROUNDING
from bayescmp.verdict import Rope

__all__ = ["PLACES", "count_regions", "larger_side", "largest_component", "slack_of"]

#: Where the prior's weight may lie, with its shares on (left, rope, right).
PLACES = {
    "left": (1.0, 0.0, 0.0),
    "rope": (0.0, 1.0, 0.0),
    "right": (0.0, 0.0, 1.0),
    "sides": (0.5, 0.0, 0.5),
}


def slack_of(z: np.ndarray, rope: Rope) -> float:
    """How far apart a difference and an end of the rope may be and still be equal."""
    return ROUNDING * max(float(np.abs(z).max()), -rope.low, rope.high)


def count_regions(z: np.ndarray, rope: Rope) -> np.ndarray:
    """Data sets left of, in and right of the rope, shape (3,); those at its ends are in it."""
    slack = slack_of(z, rope)
    left = int((z < rope.low - slack).sum())
    right = int((z > rope.high + slack).sum())
    return np.array([left, len(z) - left - right, right], dtype=float)


def largest_component(alpha: np.ndarray, points: int = 4001) -> tuple[np.ndarray, float]:
    """Probability that each component of a Dirichlet vector is the largest.

    With independent G_k ~ Gamma(α_k, 1) the vector is G / ΣG, so that
    P(k is largest) = ∫ f_k(g) Π_{j≠k} F_j(g) dg. In t = log g the integrand is smooth and vanishes
    at both ends: the trapezoid rule then converges faster than any power of its step.

    Parameters
    ----------
    alpha : ndarray of shape (K,)
        Parameters, >= 0 and not all zero; a component with 0 is zero, and never the largest.
    points : int
        Nodes of the rule.

    Returns
    -------
    p : ndarray of shape (K,)
        They sum to one.
    error : float
        How far their sum was from one before it was made so.
    """
    live = np.flatnonzero(alpha > 0)
    a = alpha[live, None]
    # The largest component is at least the one with the largest parameter, whose quantiles
    # therefore bound where it can be.
    top, tiny = float(a.max()), 1e-18
    # P(G < g) <= g^α / Γ(α + 1): for α < 1 the quantile itself may be too small a number
    low = np.log(gammaincinv(top, tiny)) if top > 1 else (np.log(tiny) + gammaln(top + 1)) / top
    t = np.linspace(low, np.log(gammainccinv(top, tiny)), points)
    g = np.exp(t)
    density = np.exp(a * t - g - gammaln(a))  # of log G_k
    below = gammainc(a, g)
    others = np.array([np.delete(below, k, axis=0).prod(axis=0) for k in range(len(live))])
    mass = (density * others).sum(axis=1) * (t[1] - t[0])
    p = np.zeros(len(alpha))
    p[live] = mass / mass.sum()
    return p, abs(float(mass.sum()) - 1)


def larger_side(alpha: np.ndarray) -> np.ndarray:
    """P(θ_left > θ_right), 0 and P(θ_right > θ_left) for a Dirichlet, shape (3,).

    θ_right / (θ_left + θ_right) ~ Beta(α_right, α_left), whatever the third component is. Where
    neither side has any weight nothing distinguishes them: one half each.
    """
    left, _, right = alpha
    if left == right == 0:
        return np.array([0.5, 0.0, 0.5])
    if left == 0 or right == 0:
        return np.array([float(right == 0), 0.0, float(left == 0)])
    return np.array([betainc(right, left, 0.5), 0.0, betainc(left, right, 0.5)])
