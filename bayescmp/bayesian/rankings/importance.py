"""Log-concave posteriors by importance sampling, around normal approximations on a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp, softmax

__all__ = ["Nodes", "pareto_k", "sampled"]

#: Log density at a point and a value, with its gradient and its negative Hessian.
Density = Callable[[np.ndarray, float], tuple[float, np.ndarray, np.ndarray]]
#: Degrees of freedom of the proposals' tails, and proposals for each draw that is kept.
TAIL, MANY = 7.0, 2
#: Numbers that are worked on at a time.
AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class Nodes:
    """Normal approximations at m values of a scale.

    Attributes
    ----------
    value : ndarray of shape (m,)
        The values.
    log_weight : ndarray of shape (m,)
        Approximate log posterior mass of each, up to a constant.
    mode : ndarray of shape (m, d)
    root : ndarray of shape (m, d, d)
        Lower triangular; its product with its transpose is the covariance.
    """

    value: np.ndarray
    log_weight: np.ndarray
    mode: np.ndarray
    root: np.ndarray

    @classmethod
    def of(
        cls,
        values: np.ndarray,
        start: np.ndarray,
        density: Density,
    ) -> Nodes:
        """By Newton's method at each value, from the mode at the value before.

        Parameters
        ----------
        values : ndarray of shape (m,)
        start : ndarray of shape (d,)
        density : callable
            Log density, its gradient and its negative Hessian at a point and a value.
        """
        centres, at = [], start
        for value in values:
            at, log_p, H = _maximum(at, float(value), density)
            L = np.linalg.cholesky(H)
            root = np.linalg.inv(L).T
            centres.append((log_p - np.log(np.diag(L)).sum(), at, root))
        weights, modes, roots = zip(*centres, strict=True)
        return cls(values, np.array(weights), np.array(modes), np.array(roots))


def _maximum(
    at: np.ndarray, value: float, density: Density
) -> tuple[np.ndarray, float, np.ndarray]:
    """Mode of a concave log density, its value there and the negative Hessian."""
    log_p, gradient, H = density(at, value)
    for _ in range(100):
        step = np.linalg.solve(H, gradient)
        size = 1.0
        while size > 1e-6:
            new = density(at + size * step, value)
            if new[0] >= log_p - 1e-12 * abs(log_p):
                break
            size /= 2
        at, (log_p, gradient, H) = at + size * step, new
        if gradient @ step < 1e-10:
            break
    return at, log_p, H


def sampled(
    nodes: Nodes,
    log_density: Callable[[np.ndarray, np.ndarray], np.ndarray],
    draws: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Draws of equal weight, and how good the proposals were.

    Parameters
    ----------
    nodes : Nodes
    log_density : callable
        Of points (N, d) and values (N,), shape (N,).
    draws : int
    rng : numpy Generator

    Returns
    -------
    x : ndarray of shape (draws, d)
    value : ndarray of shape (draws,)
    k : float
        Shape of the tail of the importance ratios; below 0.7 they can be relied on.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao & Gabry (2024), Pareto smoothed importance sampling, Journal of
    Machine Learning Research 25(72).
    """
    N, d = MANY * draws, nodes.mode.shape[1]
    p = np.exp(nodes.log_weight - logsumexp(nodes.log_weight))
    which = rng.choice(len(p), size=N, p=p)
    z = rng.standard_normal((N, d)) / np.sqrt(rng.chisquare(TAIL, N) / TAIL)[:, None]
    x = nodes.mode[which] + np.einsum("nij,nj->ni", nodes.root[which], z)
    log_det = np.log(np.diagonal(nodes.root, axis1=1, axis2=2)).sum(axis=1)
    log_q = (
        np.log(p[which])
        - log_det[which]
        + gammaln((TAIL + d) / 2)
        - gammaln(TAIL / 2)
        - d / 2 * np.log(TAIL * np.pi)
        - (TAIL + d) / 2 * np.log1p((z**2).sum(axis=1) / TAIL)
    )
    value = nodes.value[which]
    ratio = log_density(x, value) - log_q
    smooth, k = pareto_k(ratio)
    weights = np.exp(smooth - logsumexp(smooth))
    kept = np.searchsorted(np.cumsum(weights), (np.arange(draws) + rng.random()) / draws)
    kept = rng.permutation(np.minimum(kept, N - 1))
    return x[kept], value[kept], k


def pareto_k(log_ratio: np.ndarray) -> tuple[np.ndarray, float]:
    """Importance ratios with a smoothed tail, and the shape of its generalised Pareto fit.

    Parameters
    ----------
    log_ratio : ndarray of shape (N,)

    Returns
    -------
    log_weight : ndarray of shape (N,)
        Not normalised.
    k : float

    References
    ----------
    Vehtari et al. (2024), section 3; Zhang & Stephens (2009), Technometrics 51:316-325, for the
    fit; with their prior of weight ten for small tails.
    """
    ratio = log_ratio - log_ratio.max()
    N = len(ratio)
    size = int(np.ceil(min(0.2 * N, 3 * np.sqrt(N))))
    order = np.argsort(ratio)
    tail, cut = order[-size:], ratio[order[-size - 1]]
    excess = np.exp(ratio[tail]) - np.exp(cut)
    if excess[-1] <= 1e-300 or size < 5:
        return ratio, float("-inf")
    k, sigma = _pareto_fit(excess)
    p = (np.arange(size) + 0.5) / size
    quantiles = sigma * (np.expm1(-k * np.log1p(-p)) / k if abs(k) > 1e-12 else -np.log1p(-p))
    smooth = ratio.copy()
    smooth[tail] = np.minimum(np.log(quantiles + np.exp(cut)), 0.0)
    return smooth, k


def _pareto_fit(x: np.ndarray) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto distribution, x > 0 in rising order."""
    n = len(x)
    m = 30 + int(np.sqrt(n))
    b = 1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))
    b = b / (3 * x[int(n / 4 + 0.5) - 1]) + 1 / x[-1]
    k = np.log1p(-b[:, None] * x).mean(axis=1)
    length = n * (np.log(-b / k) - k - 1)
    at = float((b * softmax(length)).sum())
    shape = float(np.log1p(-at * x).mean())
    sigma = -shape / at
    return shape * n / (n + 10) + 10 * 0.5 / (n + 10), sigma
