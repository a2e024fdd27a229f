"""The data sets as the hierarchical model sees them: likelihood, prior, and data it predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.special import gammaln

from bayescmp.bayesian.hierarchical.predictive import log_density_of_nu
from bayescmp.bayesian.hierarchical_multivariate.prior import MultivariatePrior
from bayescmp.bayesian.hierarchical_multivariate.problem import MultivariateProblem
from bayescmp.bayesian.sampling.marginal import dataset_log_likelihood
from bayescmp.engines.quadrature import NuPrior

__all__ = ["PREDICTED", "Observed", "log_half_t"]

Draws = Mapping[str, np.ndarray]
#: What is observed and predicted: each data set's mean differences in the coordinates.
PREDICTED = "mean_difference"
#: What there is of each data set.
ROWS = ("xbar", "C", "dof", "rho")


@dataclass(frozen=True, eq=False)
class Observed:
    """What the program was given, in units of the metrics and in the data sets' own order.

    Attributes
    ----------
    xbar : ndarray of shape (q, r)
        Mean differences in the coordinates that were fitted.
    C : ndarray of shape (q, r, r)
        Scale matrices of their errors.
    dof : ndarray of shape (q,)
        Degrees of freedom of these.
    rho : ndarray of shape (q,)
        Correlation of two folds' differences.
    delta0_sd, tau_scale : ndarray of shape (r,)
        Scales of the prior.
    within : ndarray of shape (r,)
        What the prior of Σ_i adds to the diagonals of the scatter matrices; 0 with Jeffreys'.
    """

    xbar: np.ndarray
    C: np.ndarray
    dof: np.ndarray
    rho: np.ndarray
    delta0_sd: np.ndarray
    tau_scale: np.ndarray
    within: np.ndarray

    @classmethod
    def of(cls, problem: MultivariateProblem, rho: np.ndarray) -> Observed:
        """From the program's data; rho in the data sets' own order."""
        data, unit, back = problem.data, problem.unit, np.argsort(problem.order)
        return cls(
            problem.sign * unit * np.asarray(data["xbar"])[back],
            np.outer(unit, unit) * np.asarray(data["C"])[back],
            np.asarray(data["dof"], dtype=float)[back],
            rho,
            data["delta0_sd"] * unit,
            data["tau_scale"] * unit,
            problem.within,
        )

    def with_rho(self, rho: float, n: np.ndarray) -> Observed:
        """The same folds, n of each data set, with another correlation."""
        own, other = ((1 + (n - 1) * r) / (n * self.dof) for r in (self.rho, rho))
        prior = np.diag(self.within)
        total = self.C / own[:, None, None] - prior  # scatter / (1 - rho)
        changed = total * ((1 - self.rho) / (1 - rho))[:, None, None] + prior
        C = changed * other[:, None, None]
        return replace(self, C=C, rho=np.full_like(self.rho, rho))

    def without(self, i: int) -> Observed:
        """All data sets but one, under the same prior."""
        rows = {name: np.delete(getattr(self, name), i, axis=0) for name in ROWS}
        return replace(self, **rows)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All of it by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def log_likelihood(self, draws: Draws, factor: np.ndarray | float = 1.0) -> np.ndarray:
        """Of each data set given δ0, Σ0 and ν, its own means integrated out.

        Parameters
        ----------
        draws : mapping
            delta0 and tau of shape (chain, draw, r), Omega (chain, draw, r, r), nu (chain, draw).

        Returns
        -------
        ndarray of shape (chain, draw, q)
        """
        tau, nu = draws["tau"], draws["nu"]
        scale = tau[..., None] * draws["Omega"] * tau[..., None, :]
        r = tau.shape[-1]
        each = [
            dataset_log_likelihood(
                x, c, dof, draws["delta0"].reshape(-1, r), scale.reshape(-1, r, r), nu.ravel()
            )
            for x, c, dof in zip(self.xbar, self.C, self.dof, strict=True)
        ]
        return np.stack(each, axis=-1).reshape(*nu.shape, -1)

    def log_prior(self, draws: Draws, prior: MultivariatePrior) -> dict[str, np.ndarray]:
        """Log densities of δ0 and τ, (chain, draw, r), of Ω (up to a constant) and ν."""
        z = draws["delta0"] / self.delta0_sd
        normal = -0.5 * (z**2 + np.log(2 * np.pi)) - np.log(self.delta0_sd)
        nu_prior = NuPrior(prior.alpha, prior.beta, 1.0)
        return {
            "delta0": normal,
            "tau": log_half_t(draws["tau"], prior.tau_df, self.tau_scale),
            "correlations": (prior.lkj - 1) * np.linalg.slogdet(draws["Omega"])[1],
            "nu": log_density_of_nu(nu_prior, draws["nu"]),
        }

    def prior_draws(
        self, prior: MultivariatePrior, shape: tuple[int, ...], rng: np.random.Generator
    ) -> dict[str, np.ndarray]:
        """Draws of δ0, τ and ν from the prior."""
        size = (*shape, len(self.delta0_sd))
        (a0, a1), (b0, b1) = prior.alpha, prior.beta
        shapes, rates = rng.uniform(a0, a1, shape), rng.uniform(b0, b1, shape)
        return {
            "delta0": self.delta0_sd * rng.standard_normal(size),
            "tau": self.tau_scale * np.abs(rng.standard_t(prior.tau_df, size)),
            "nu": 1 + rng.standard_gamma(shapes) / rates,
        }

    def replicates(self, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Mean differences of as many new data sets, with the errors of those seen.

        Returns
        -------
        ndarray of shape (chain, draw, q, r)
        """
        tau, nu = draws["tau"], draws["nu"]
        q, r = self.xbar.shape
        root = tau[..., None] * np.linalg.cholesky(draws["Omega"])
        between = rng.standard_normal((*nu.shape, q, r)) @ np.swapaxes(root, -1, -2)
        between /= np.sqrt(rng.chisquare(nu[..., None], (*nu.shape, q)) / nu[..., None])[..., None]
        noise = np.einsum(
            "qij,cdqj->cdqi", np.linalg.cholesky(self.C), rng.standard_normal(between.shape)
        )
        noise /= np.sqrt(rng.chisquare(self.dof, (*nu.shape, q)) / self.dof)[..., None]
        return np.asarray(draws["delta0"][..., None, :] + between + noise)


def log_half_t(x: np.ndarray, df: float, scale: np.ndarray) -> np.ndarray:
    """Log density of a half-t at x >= 0."""
    constant = np.log(2) + gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2
    return np.asarray(constant - np.log(scale) - (df + 1) / 2 * np.log1p((x / scale) ** 2 / df))
