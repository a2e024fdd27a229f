"""The data sets as the joint model sees them: their likelihood, and data it predicts."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from bayescmp.bayesian.hierarchical.predictive import log_density_of_nu
from bayescmp.bayesian.joint.order import Order
from bayescmp.bayesian.joint.prior import JointPrior
from bayescmp.bayesian.joint.problem import JointProblem
from bayescmp.bayesian.joint.table import FoldTable
from bayescmp.bayesian.sampling.marginal import dataset_log_likelihood
from bayescmp.engines.quadrature import NuPrior
from bayescmp.errors import InputError
from bayescmp.rho import inflation

__all__ = ["Contrasts"]

#: What there is of each data set.
ROWS = ("y", "B", "C", "dof", "n", "rho")
#: Numbers by which a prior is held.
PRIORS = {"nu_prior": 5, "scale_prior": 5, "mean_prior": 2}


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
    n : ndarray of shape (q,)
        Folds.
    rho : ndarray of shape (q,)
        Correlation of two folds' differences.
    nu_prior : ndarray of shape (5,)
        Ends of α, ends of β, and offset of the prior of ν.
    scale_prior : ndarray of shape (5,)
        K, the median and the sd of log A, the scale of the factors, and the unit that lengths are
        in.
    mean_prior : ndarray of shape (2,)
        Scale and floor of the prior of μ, in that unit.
    """

    y: np.ndarray
    B: np.ndarray
    C: np.ndarray
    dof: np.ndarray
    n: np.ndarray
    rho: np.ndarray
    nu_prior: np.ndarray
    scale_prior: np.ndarray
    mean_prior: np.ndarray

    def __post_init__(self) -> None:
        for name, size in PRIORS.items():
            shape = getattr(self, name).shape
            if shape != (size,):
                raise InputError(f"field {name!r} has shape {shape}; accepted: ({size},)")

    @classmethod
    def of(
        cls, problem: JointProblem, ordered: FoldTable, order: Order, prior: JointPrior
    ) -> Contrasts:
        """From the program's data, which are of the ordered table."""
        algorithms, datasets = np.argsort(order.algorithms), np.argsort(order.datasets)
        noise, columns = problem.noise, problem.data["K"]
        B = noise.B[..., algorithms]
        rows = (noise.y, B, noise.C, noise.dof, ordered.n, ordered.rho)
        y, B, C, dof, n, rho = (row[datasets] for row in rows)
        return cls(
            y=y,
            B=B,
            C=C,
            dof=dof,
            n=n,
            rho=rho,
            nu_prior=np.array([*prior.alpha, *prior.beta, prior.nu_offset]),
            scale_prior=np.array(
                [columns, prior.scale_median, prior.scale_sd, prior.factor_scale, problem.scale]
            ),
            mean_prior=np.array([prior.mean_scale, prior.mean_floor]),
        )

    @property
    def prior(self) -> JointPrior:
        """The prior, whose K is that of the fit."""
        a0, a1, b0, b1, offset = map(float, self.nu_prior)
        columns, median, sd, factor, _ = map(float, self.scale_prior)
        size, floor = map(float, self.mean_prior)
        return JointPrior(
            int(columns), median, sd, factor, size, floor, (a0, a1), (b0, b1), offset
        )

    @property
    def means(self) -> np.ndarray:
        """Mean scores less that of the algorithms seen, (q, L); NaN where one was not run."""
        leads = np.einsum("qml,qm->ql", self.B, self.y)
        return np.where(self.B.any(axis=1), leads, np.nan)

    @property
    def links(self) -> bool:
        """Whether every algorithm was run on two data sets, and is compared with every other."""
        q, m, L = self.B.shape
        rank = np.linalg.matrix_rank(self.B.reshape(q * m, L))
        return q >= 2 and bool(rank == L - 1 and self.B.any(axis=1).sum(axis=0).min() >= 2)

    def with_rho(self, rho: float) -> Contrasts:
        """The same folds with another correlation."""
        own = np.array([inflation(n, r) for n, r in zip(self.n, self.rho, strict=True)])
        factor = np.array([inflation(n, rho) for n in self.n]) / own
        C = self.C * factor[:, None, None]
        return replace(self, C=C, rho=np.full_like(self.rho, rho))

    def without(self, i: int) -> Contrasts:
        """All data sets but one."""
        return self._taken(np.delete(np.arange(len(self.y)), i))

    def ordered(self, order: Order) -> Contrasts:
        """With data sets and algorithms in another order."""
        rows = self._taken(order.datasets)
        return replace(rows, B=rows.B[..., order.algorithms])

    def _taken(self, rows: np.ndarray) -> Contrasts:
        return replace(self, **{name: getattr(self, name)[rows] for name in ROWS})

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

    def log_prior_of_nu(self, nu: np.ndarray) -> np.ndarray:
        """Log prior density of ν."""
        a0, a1, b0, b1, offset = map(float, self.nu_prior)
        return log_density_of_nu(NuPrior((a0, a1), (b0, b1), offset), nu)

    def log_prior_of_means(self, mu: np.ndarray) -> np.ndarray:
        """Log prior density of μ, up to a constant."""
        scale, floor = map(float, self.mean_prior)
        s2 = mu.var(axis=-1, ddof=1) / float(self.scale_prior[-1]) ** 2
        pull = 0.5 * (mu.shape[-1] - 3) * np.log(s2 + floor**2)
        return np.asarray(-pull - 1.5 * np.log1p(s2 / scale**2))

    def log_prior(self, mu: np.ndarray, nu: np.ndarray) -> np.ndarray:
        """Log prior density of μ and ν, up to a constant."""
        return self.log_prior_of_means(mu) + self.log_prior_of_nu(nu)
