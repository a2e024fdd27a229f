"""The data sets as the joint model sees them: their likelihood, and data it predicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from bayescmp._arviz import psis
from bayescmp.bayesian.hierarchical.predictive import log_density_of_nu
from bayescmp.bayesian.joint.folds import FoldNoise
from bayescmp.bayesian.joint.order import Order
from bayescmp.bayesian.joint.prior import JointPrior
from bayescmp.bayesian.sampling.marginal import dataset_log_likelihood
from bayescmp.bayesian.sampling.posterior import RELIABLE
from bayescmp.engines.quadrature import NuPrior

if TYPE_CHECKING:
    from bayescmp.bayesian.joint.posterior import JointPosterior

__all__ = ["Contrasts", "reweighted"]

#: Draws that are reweighted by likelihoods, at most.
MOST = 1000
#: Another prior of ν − offset: Gamma of this shape and rate (Juárez & Steel 2010).
WEAK = (2.0, 2.0), (0.1, 0.1)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """What the program was given, in units of the metric, in the algorithms' and data sets' order.

    Attributes
    ----------
    y : ndarray of shape (q, L - 1)
        Orthonormal contrasts of the mean scores; 0 beyond those of the algorithms seen.
    B : ndarray of shape (q, L - 1, L)
        The contrasts.
    C : ndarray of shape (q, L - 1, L - 1)
        Scale matrices of their noise.
    dof : ndarray of shape (q,)
        Degrees of freedom of it.
    nu_prior : ndarray of shape (5,)
        Ends of α, ends of β, and offset of the prior of ν.
    """

    y: np.ndarray
    B: np.ndarray
    C: np.ndarray
    dof: np.ndarray
    nu_prior: np.ndarray

    @classmethod
    def of(cls, noise: FoldNoise, order: Order, prior: JointPrior) -> Contrasts:
        """From level one of the ordered table."""
        algorithms, datasets = np.argsort(order.algorithms), np.argsort(order.datasets)
        nu_prior = np.array([*prior.alpha, *prior.beta, prior.nu_offset])
        B = noise.B[datasets][..., algorithms]
        return cls(noise.y[datasets], B, noise.C[datasets], noise.dof[datasets], nu_prior)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All of it by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def log_likelihood(self, mu: np.ndarray, Sigma0: np.ndarray, nu: np.ndarray) -> np.ndarray:
        """Of each data set given μ, Σ0 and ν, its own effects integrated out.

        Parameters
        ----------
        mu, Sigma0, nu : ndarray of shape (chain, draw, L), (chain, draw, L, L), (chain, draw)

        Returns
        -------
        ndarray of shape (chain, draw, q)
        """
        L = mu.shape[-1]
        means, scales = mu.reshape(-1, L), Sigma0.reshape(-1, L, L)
        each = []
        for y, B, C, dof in zip(self.y, self.B, self.C, self.dof, strict=True):
            p = int(B.any(axis=1).sum())
            b = B[:p]
            at, scale = means @ b.T, b @ scales @ b.T
            each.append(dataset_log_likelihood(y[:p], C[:p, :p], dof, at, scale, nu.ravel()))
        return np.stack(each, axis=-1).reshape(*nu.shape, -1)

    def replicates(
        self, mu: np.ndarray, Sigma0: np.ndarray, nu: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Contrasts of as many new data sets, (chain, draw, q, L - 1), with the noise of these."""
        q, m = self.y.shape
        z = rng.standard_normal((*nu.shape, q, mu.shape[-1]))
        z /= np.sqrt(rng.chisquare(nu[..., None], (*nu.shape, q)) / nu[..., None])[..., None]
        u = mu[..., None, :] + z @ np.swapaxes(np.linalg.cholesky(Sigma0), -1, -2)
        size, axes = np.linalg.eigh(self.C)  # zero beyond the algorithms seen
        root = axes * np.sqrt(np.maximum(size, 0.0))[:, None, :]
        e = np.einsum("qij,cdqj->cdqi", root, rng.standard_normal((*nu.shape, q, m)))
        e /= np.sqrt(rng.chisquare(self.dof, (*nu.shape, q)) / self.dof)[..., None]
        return np.asarray(np.einsum("qml,cdql->cdqm", self.B, u) + e)

    def log_prior_of_nu(self, nu: np.ndarray, weak: bool = False) -> np.ndarray:
        """Log prior density of ν, or that of a Gamma(2, 0.1)."""
        a0, a1, b0, b1, offset = map(float, self.nu_prior)
        alpha, beta = WEAK if weak else ((a0, a1), (b0, b1))
        return log_density_of_nu(NuPrior(alpha, beta, offset), nu)


def reweighted(
    posterior: JointPosterior, contrasts: Contrasts, *, datasets: bool
) -> Iterator[tuple[str, str, np.ndarray, int]]:
    """Weights of the draws under another prior of ν, and without each data set in turn.

    Yields
    ------
    question, setting : str
        With k-hat of the weights.
    weights : ndarray of shape (chain, draw)
        They sum to one.
    every : int
        Of every how many of a chain's draws they are.
    """
    nu = posterior.nu
    ratio = contrasts.log_prior_of_nu(nu, weak=True) - contrasts.log_prior_of_nu(nu)
    offset = float(contrasts.nu_prior[4])
    yield "prior", *_weights(f"ν − {offset:g} ~ Gamma(2, 0.1)", ratio), 1
    every = max(nu.size // MOST, 1)
    left_out = posterior.datasets if datasets and len(contrasts.y) > 2 else ()
    if left_out:
        thin = (x[:, ::every] for x in (posterior.mu, posterior.Sigma0, nu))
        own = contrasts.log_likelihood(*thin)
    for i, name in enumerate(left_out):
        yield "without", *_weights(name, -own[..., i]), every


def _weights(setting: str, log_ratios: np.ndarray) -> tuple[str, np.ndarray]:
    weights, k_hat = psis(log_ratios)
    doubt = ", not reliable" if k_hat > RELIABLE else ""
    return f"{setting} (k-hat {k_hat:.2f}{doubt})", weights
