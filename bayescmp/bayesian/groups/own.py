"""Posterior of several algorithms on one data set, each with noise of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.bayesian.groups.levels import ALPHA
from bayescmp.bayesian.groups.linear import LinearGroupsPosterior
from bayescmp.bayesian.groups.pairs import MixturePosterior, SampledPairPosterior
from bayescmp.bayesian.multivariate.base import as_matrix, as_names
from bayescmp.bayesian.multivariate.direction import wishart_roots
from bayescmp.fitted import Fitted
from bayescmp.pairs import PairVariation, all_probabilities
from bayescmp.posterior import Posterior
from bayescmp.rho import other_rhos
from bayescmp.verdict import as_ropes

if TYPE_CHECKING:
    from typing_extensions import Self

    from bayescmp.typing import Coordinates, Groups, Json
    from bayescmp.verdict.rope import RopesLike

__all__ = ["OwnVariancePosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class OwnVariancePosterior(LinearGroupsPosterior):
    """Posterior of the blocked MANOVA with noise Σ/π_i for algorithm i.

    Given π a difference is a multivariate t with scale matrix c(1/π_i + 1/π_k)·BE(π)Bᵀ/df; see
    `bayescmp.bayesian.groups.levels` for π.

    Attributes
    ----------
    location : ndarray of shape (L, p)
        Centres of the effects.
    root : ndarray of shape (p, r)
        B; the errors' pooled scatter is BBᵀ.
    shares : ndarray of shape (chain, draw, L)
        Draws of π, the algorithms' shares of the total precision.
    errors : ndarray of shape (chain, draw, r, r)
        E(π), in coordinates in which the pooled scatter is I.
    """

    _: KW_ONLY
    location: np.ndarray
    root: np.ndarray
    shares: np.ndarray
    errors: np.ndarray

    kind: ClassVar[str] = "groups_own"
    stored: ClassVar[dict[str, tuple[str, ...]]] = {
        "posterior": ("pi", "errors"),
        "constant_data": ("x", "location", "root"),
    }
    fixed: ClassVar[Mapping[str, str]] = {"prior": "its weights of the variances are built in"}

    @property
    def reference(self) -> str:  # type: ignore[override]
        """What the blocks are, and the noise."""
        return f"{self.sample}s as blocks, each {self.subject} with noise of its own"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return (
            "p(μ, τ, β, Σ) ∝ |Σ|^(−(p+1)/2), algorithm i's covariance Σ/π_i, "
            f"π ~ Dirichlet({ALPHA:g}, ..., {ALPHA:g})"
        )

    @property
    def df(self) -> int:
        """Degrees of freedom of a difference, given π: (L − 1)(n − 1) − r + 1."""
        L, n, _ = self.x.shape
        return int((L - 1) * (n - 1) - self.root.shape[1] + 1)

    @property
    def within(self) -> np.ndarray:
        """Covariance of the errors within algorithms, pooled, shape (p, p)."""
        L, n, _ = self.x.shape
        return np.asarray(self.root @ self.root.T / ((L - 1) * (n - 1)))

    @property
    def _scatter_root(self) -> np.ndarray:
        """Roots of the errors' scatter BE(π)Bᵀ, (chain, draw, p, r)."""
        return np.asarray(self.root @ np.linalg.cholesky(self.errors))

    @cached_property
    def sds(self) -> np.ndarray:
        """Draws of the algorithms' standard deviations within folds, (chain, draw, L, p).

        Those of a fold's error under independent sampling, Σ at its posterior mean given π.
        """
        L, n, _ = self.x.shape
        variance = np.sum(self._scatter_root**2, axis=-1) / ((L - 1) * (n - 1))
        return np.sqrt(variance[..., None, :] / self.shares[..., None])

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Joint draws of all effects, "tau" (chain, draw, L, p), and "pi" (chain, draw, L)."""
        *shape, L = self.shares.shape
        r = self.root.shape[1]
        rng = np.random.default_rng([self.seed, 1])
        z = rng.standard_normal((*shape, L, r)) / np.sqrt(self.shares)[..., None]
        z -= z.mean(axis=-2, keepdims=True)
        T = wishart_roots(self.df + r - 1, r, shape[0] * shape[1], self.seed)
        T = T.reshape(*shape, r, r)
        # Σ⁻¹ = (1 − rho)·TTᵀ where E(π) = I: rows of z T⁻¹ have covariance Σ, up to c
        spread = self._scatter_root @ np.linalg.solve(
            np.swapaxes(T, -1, -2), np.swapaxes(z, -1, -2)
        )
        tau = self.location + np.sqrt(self.inflation) * np.swapaxes(spread, -1, -2)
        return {"tau": tau, "pi": self.shares}

    def pair_variations(
        self, *, datasets: bool = True, refit: bool = False
    ) -> Iterator[PairVariation]:
        """Other correlations of folds, which only the scales depend on.

        See Also
        --------
        PairsPosterior.pair_variations : What it yields.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, variances="own", seed=1)
        >>> [setting for _, setting, _ in posterior.pair_variations()]
        ['0', '0.5']
        """
        for rho in other_rhos(self.rho):
            yield "rho", f"{rho:.3g}", all_probabilities(replace(self, rho=rho))

    def pair(self, first: str, second: str) -> Posterior:
        """Posterior of the difference of two algorithms, second minus first.

        Returns
        -------
        SampledPairPosterior, or MixturePosterior of one metric

        See Also
        --------
        bayescmp.frequentist.pairwise_t, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, variances="own", seed=1)
        >>> posterior.pair("A1", "A2").verdict().ranked[0]
        'rope'
        """
        i, j = self._pair(first, second)
        common = self._common(first, second)
        if self.p == 1:
            both = 1 / self.shares[..., i] + 1 / self.shares[..., j]
            size = np.linalg.norm(self._scatter_root[..., 0, :], axis=-1)
            return MixturePosterior(
                df=self.df,
                location=float(self.location[j, 0] - self.location[i, 0]),
                scales=size * np.sqrt(self.inflation * both / self.df),
                x=self.x[j, :, 0] - self.x[i, :, 0],
                rope=self.ropes()[0],
                prior_words=self.prior_text,
                **common,
            )
        tau = self.draws["tau"]
        return SampledPairPosterior(
            values={"delta": tau[..., j, :] - tau[..., i, :]},
            noise="normal",
            sampled=self.metrics,
            prior_words=self.prior_text,
            sample_stats={},
            rope=self.ropes(),
            metrics=self.metrics,
            x=self.x[j] - self.x[i],
            **common,
        )

    def _interval(self, first: str, second: str, prob: float) -> np.ndarray:
        pair = self.pair(first, second)
        if not isinstance(pair, MixturePosterior):
            return super()._interval(first, second, prob)
        return np.array([[pair.location, *pair.interval(prob)]])

    def transform(
        self, matrix: ArrayLike, *, metrics: Sequence[str] | None = None, rope: RopesLike = 0.0
    ) -> Self:
        """Posterior of linear combinations of the metrics, exactly.

        Parameters
        ----------
        matrix : array_like of shape (k, p)
            One row per new metric, of metrics that are higher the better.
        metrics : sequence of str, optional
            Names of the k new metrics.
        rope : float, sequence or mapping
            Their regions of practical equivalence.

        See Also
        --------
        bayescmp.frequentist.learned_measures

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> posterior = groups(x, rho=0.1, rope=0.01, variances="own", seed=1)
        >>> posterior.transform([[1, -1]], metrics=["gap"], rope=0.01).metrics
        ('gap',)
        """
        M = as_matrix(matrix, self.p, 2)
        names = as_names(metrics, len(M))
        return replace(
            self,
            location=self.location @ M.T,
            root=M @ self.root,
            x=self.x @ M.T,
            metrics=names,
            metric=", ".join(names),
            rope=as_ropes(rope, names),
        )

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        constant = {"x": self.x, "location": self.location, "root": self.root}
        posterior = {**self.draws, "errors": self.errors}
        return {"posterior": posterior, "constant_data": constant}

    def _coords(self) -> Coordinates:
        coords, dims = super()._coords()
        axes = list(range(self.root.shape[1]))
        coords |= {"axis": axes, "axis_": axes}
        more = {
            "location": ["algorithm", "metric"],
            "root": ["metric", "axis"],
            "pi": ["algorithm"],
            "errors": ["axis", "axis_"],
        }
        return coords, {**dims, **more}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        arrays = {k: groups["constant_data"][k].to_numpy() for k in ("x", "location", "root")}
        draws = {
            "shares": groups["posterior"]["pi"].to_numpy(),
            "errors": groups["posterior"]["errors"].to_numpy(),
        }
        metrics = tuple(more.pop("metrics"))
        return cls(**common, **more, **arrays, **draws, metrics=metrics)
