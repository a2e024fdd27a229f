"""The likelihood of one data set under a hierarchy of multivariate t's.

A data set's mean differences y have a t likelihood of dof degrees of freedom and scale matrix C
about δ, and δ comes from a multivariate t of ν degrees of freedom about δ0 with scale matrix Σ0.
Both are scale mixtures of normals, so that

    p(y | δ0, Σ0, ν) = E N(y; δ0, Σ0/κ + C/λ),   κ ~ Gamma(ν/2, ν/2), λ ~ Gamma(dof/2, dof/2).

In coordinates in which C is the identity and Σ0 diagonal the normal density is a product; the
expectation is a trapezoidal sum over log κ and log λ.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln, logsumexp, polygamma

__all__ = ["dataset_log_likelihood"]

#: Nodes in log κ and log λ, and standard deviations that they reach below and above.
NODES, BELOW, ABOVE = (48, 28), 9.0, 5.0
#: Draws at a time.
BATCH = 500


def dataset_log_likelihood(
    y: np.ndarray,
    C: np.ndarray,
    dof: float,
    centre: np.ndarray,
    scale: np.ndarray,
    nu: np.ndarray,
) -> np.ndarray:
    """Log density of a data set's mean differences, for each draw of the upper level.

    Parameters
    ----------
    y : ndarray of shape (p,)
        Mean differences.
    C : ndarray of shape (p, p)
        Scale matrix of their error.
    dof : float
        Its degrees of freedom.
    centre, scale, nu : ndarray of shape (N, p), (N, p, p), (N,)
        Draws of δ0, Σ0 and ν.

    Returns
    -------
    ndarray of shape (N,)
    """
    parts = [
        _batch(y, C, dof, centre[i : i + BATCH], scale[i : i + BATCH], nu[i : i + BATCH])
        for i in range(0, len(nu), BATCH)
    ]
    return np.concatenate(parts)


def _batch(
    y: np.ndarray,
    C: np.ndarray,
    dof: float,
    centre: np.ndarray,
    scale: np.ndarray,
    nu: np.ndarray,
) -> np.ndarray:
    root = np.linalg.cholesky(C)
    inverse = np.linalg.inv(root)
    size, axes = np.linalg.eigh(inverse @ scale @ inverse.T)
    size = np.maximum(size, 0.0)
    z2 = np.einsum("nji,nj->ni", axes, (y - centre) @ inverse.T) ** 2
    p = len(y)
    kappa, log_kappa = _nodes(nu, np.sum(z2 / (size + 1e-300), axis=1), p, NODES[0])
    lam, log_lambda = _nodes(np.full(len(nu), float(dof)), z2.sum(axis=1), p, NODES[1])
    total = log_kappa[:, :, None] + log_lambda[:, None, :]
    for k in range(p):
        variance = size[:, k, None, None] / kappa[:, :, None] + 1 / lam[:, None, :]
        total -= 0.5 * (np.log(variance) + z2[:, k, None, None] / variance)
    constant = p * np.log(2 * np.pi) / 2 + np.log(np.diag(root)).sum()
    return np.asarray(logsumexp(total, axis=(1, 2)) - constant)


def _nodes(
    df: np.ndarray, distance: np.ndarray, p: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of a Gamma(df/2, df/2) variable, and the logs of their weights, each (N, count).

    They reach from its own bulk to where it has to be for the data to be as far away as they are.
    """
    own, sd = digamma(df / 2) - np.log(df / 2), np.sqrt(polygamma(1, df / 2))
    needed = digamma((df + p) / 2) - np.log((df + distance) / 2)
    low = np.minimum(own, needed) - BELOW * np.sqrt(polygamma(1, (df + p) / 2))
    high = own + ABOVE * sd
    log_x = np.linspace(low, high, count, axis=1)
    half = df[:, None] / 2
    log_density = half * np.log(half) - gammaln(half) + half * (log_x - np.exp(log_x))
    return np.exp(log_x), log_density + np.log((high - low) / (count - 1))[:, None]
