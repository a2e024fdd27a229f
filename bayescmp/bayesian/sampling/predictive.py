"""What ArviZ asks of a model of one data set: the likelihood of each fold, and folds it predicts.

Folds of a data set have their training data in common, and are independent only given what they
all scatter about: y_j = centre + √(1 − rho)·Az_j, while the location that is asked for is
centre − √rho·Az_0. So the likelihood is that of each fold given centre and Σ = AAᵀ, and leaving
one out is leaving out a fold.

Folds hold m rows of k numbers: the differences of two algorithms (m = 1), or the m = L − 1
orthonormal contrasts of L algorithms. Rows have covariance Σ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

__all__ = ["FoldModel", "closed_groups", "given_location"]

GroupsOfArrays = dict[str, dict[str, np.ndarray]]


@dataclass(frozen=True, eq=False)
class FoldModel:
    """Draws of what a data set's folds scatter about, and how.

    Attributes
    ----------
    y : ndarray of shape (n, m, k)
        The folds.
    centre : ndarray of shape (chain, draw, m, k)
        What they scatter about.
    Sigma : ndarray of shape (chain, draw, k, k)
        Covariance of a row; for t noise its scale matrix.
    rho : float
        Correlation of two folds.
    nu : ndarray of shape (chain, draw), optional
        Degrees of freedom; normal noise where there are none.
    """

    y: np.ndarray
    centre: np.ndarray
    Sigma: np.ndarray
    rho: float
    nu: np.ndarray | None = None

    def groups(self, name: str, seed: int) -> GroupsOfArrays:
        """Groups for ArviZ: "folds", the log likelihoods, and the folds observed and predicted.

        Parameters
        ----------
        name : str
            Of the variable that is observed.
        seed : int
            Of the folds that are predicted; axes of length one are left out.
        """
        observed = self.y.reshape(len(self.y), *[s for s in self.y.shape[1:] if s > 1])
        drawn = self.replicates(np.random.default_rng([seed, 8]))
        return {
            "log_likelihood": {"folds": self.log_likelihood()},
            "observed_data": {name: observed},
            "posterior_predictive": {name: drawn.reshape(*drawn.shape[:2], *observed.shape)},
        }

    def log_likelihood(self) -> np.ndarray:
        """Of each fold, shape (chain, draw, n)."""
        n, m, k = self.y.shape
        root = np.linalg.cholesky((1 - self.rho) * self.Sigma)
        inverse = np.linalg.inv(root)
        distance = np.empty((*self.Sigma.shape[:2], n))
        for j in range(n):
            z = (self.y[j] - self.centre) @ np.swapaxes(inverse, -1, -2)
            distance[..., j] = (z**2).sum(axis=(-2, -1))
        log_det = m * np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)[..., None]
        d = m * k
        if self.nu is None:
            return np.asarray(-log_det - distance / 2 - d / 2 * np.log(2 * np.pi))
        nu = self.nu[..., None]
        constant = gammaln((nu + d) / 2) - gammaln(nu / 2) - d / 2 * np.log(nu * np.pi)
        return np.asarray(constant - log_det - (nu + d) / 2 * np.log1p(distance / nu))

    def replicates(self, rng: np.random.Generator) -> np.ndarray:
        """As many folds about the same centre, shape (chain, draw, n, m, k)."""
        chains, draws, m, k = self.centre.shape
        z = rng.standard_normal((chains, draws, len(self.y), m, k))
        if self.nu is not None:
            nu = self.nu[..., None]
            z /= np.sqrt(rng.chisquare(nu, z.shape[:3]) / nu)[..., None, None]
        root = np.linalg.cholesky((1 - self.rho) * self.Sigma)
        noise = np.einsum("cdab,cdjmb->cdjma", root, z)
        return np.asarray(self.centre[:, :, None] + noise)


def closed_groups(
    y: np.ndarray, location: np.ndarray, rho: float, name: str, seed: int
) -> GroupsOfArrays:
    """Groups for ArviZ of a closed form, from draws of its location; none of dependent metrics.

    See `given_location`, and `FoldModel.groups`. The log prior is that of Σ, up to a constant.
    """
    model = given_location(y, location, rho, seed)
    if model is None:
        return {}
    k = y.shape[-1]
    log_prior = -(k + 1) / 2 * np.linalg.slogdet(model.Sigma)[1]
    return {**model.groups(name, seed), "log_prior": {"scale": log_prior}}


def given_location(y: np.ndarray, location: np.ndarray, rho: float, seed: int) -> FoldModel | None:
    """The model with normal noise and Jeffreys' prior |Σ|^(−(k+1)/2), given draws of the location.

    Σ⁻¹ is Wishart with mn degrees of freedom, and the centre normal, both exactly.

    Parameters
    ----------
    y : ndarray of shape (n, m, k)
        The folds.
    location : ndarray of shape (chain, draw, m, k)
    rho : float
    seed : int

    Returns
    -------
    FoldModel or None
        None where metrics are constant or linearly dependent: their density has no common scale.
    """
    n, m, k = y.shape
    mean = y.mean(axis=0)
    deviations = (y - mean).reshape(-1, k)
    if np.linalg.matrix_rank(deviations / np.maximum(np.abs(y).max(axis=(0, 1)), 1e-300)) < k:
        return None
    spread = rho + (1 - rho) / n
    away = location - mean
    scatter = deviations.T @ deviations / (1 - rho) + np.swapaxes(away, -1, -2) @ away / spread
    rng = np.random.default_rng([seed, 7])
    T = np.tril(rng.standard_normal((*location.shape[:2], k, k)), -1)
    degrees = m * n - np.arange(k)
    T[..., np.arange(k), np.arange(k)] = np.sqrt(rng.chisquare(degrees, (*T.shape[:2], k)))
    root = np.linalg.cholesky(scatter) @ np.swapaxes(np.linalg.inv(T), -1, -2)
    Sigma = root @ np.swapaxes(root, -1, -2)
    if rho == 0:
        return FoldModel(y, location, Sigma, rho)
    weight = n / (1 - rho) + 1 / rho
    middle = (n / (1 - rho) * mean + location / rho) / weight
    z = rng.standard_normal(location.shape)
    centre = middle + z @ np.swapaxes(np.linalg.cholesky(Sigma), -1, -2) / np.sqrt(weight)
    return FoldModel(y, centre, Sigma, rho)
