"""A posterior of several metrics that linear maps transform exactly: a multivariate t."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.bayesian.multivariate.base import (
    MultivariatePairedPosterior,
    as_matrix,
    as_names,
)
from bayescmp.bayesian.multivariate.marginal import MarginalPosterior
from bayescmp.bayesian.regions.elliptical import MultivariateT
from bayescmp.verdict import Ropes, as_rope, as_ropes

if TYPE_CHECKING:
    from typing_extensions import Self

    from bayescmp.verdict.rope import RopesLike

__all__ = ["LinearPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class LinearPosterior(MultivariatePairedPosterior):
    """A multivariate t of p metrics: its marginals, projections and linear maps.

    See `MultivariatePosterior` for its attributes.
    """

    _: KW_ONLY
    df: int
    location: np.ndarray
    factor: np.ndarray
    borrowed: tuple[int, ...] = ()
    source: str = "Bayesian multivariate correlated t test"
    prior_words: str = "p(μ, Σ) ∝ |Σ|^(−(p+1)/2)"

    @property
    def distribution(self) -> MultivariateT:
        """The posterior itself."""
        return MultivariateT(self.df, self.location, self.factor)

    @property
    def rank(self) -> int:
        """Dimension of the subspace that holds all mass; p unless metrics are dependent."""
        return int(self.factor.shape[1])

    @property
    def scale(self) -> np.ndarray:
        """The scale matrix, shape (p, p)."""
        return self.distribution.scale

    def marginal(self, metric: str) -> MarginalPosterior:
        """Posterior of one metric's mean difference: a t with n − r degrees of freedom.

        It is wider than `correlated_t` of that metric alone, which has n − 1: the prior
        ``|Σ|^(−(p+1)/2)`` spends a degree of freedom on each further metric.

        See Also
        --------
        bayescmp.frequentist.corrected_t

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
        >>> posterior.marginal("tpr").df
        3
        """
        (j,) = self._columns(metric)
        weights = np.zeros(self.p)
        weights[j] = 1.0
        return self.project(weights, rope=self.ropes()[j], metric=metric)

    def project(
        self, weights: ArrayLike, *, rope: RopesLike = 0.0, metric: str = "projection"
    ) -> MarginalPosterior:
        """Posterior of a weighted sum of the metrics' mean differences, exactly.

        Parameters
        ----------
        weights : array_like of shape (p,)
            One per metric.
        rope : float or (float, float)
            Region of practical equivalence of the sum.
        metric : str
            What to call it.

        See Also
        --------
        bayescmp.frequentist.corrected_t

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
        >>> round(posterior.project([0.5, 0.5]).location, 3)
        0.028
        """
        w = as_matrix(weights, self.p, 1)[0]
        t = self.distribution.linear(w[None])
        return MarginalPosterior(
            df=self.df,
            location=float(t.location[0]),
            scale=float(t.scales[0]),
            dataset=self.dataset,
            x=self.x @ w,
            rho=self.rho,
            names=self.names,
            rope=as_rope(rope),
            engine=self.engine,
            engine_version=self.engine_version,
            diagnostics=self.diagnostics,
            seed=self.seed,
            metric=metric,
            source=self.source,
            prior_words=self.prior_words,
        )

    def transform(
        self, matrix: ArrayLike, *, metrics: Sequence[str] | None = None, rope: RopesLike = 0.0
    ) -> Self:
        """Posterior of linear combinations Mμ of the metrics, exactly.

        Parameters
        ----------
        matrix : array_like of shape (k, p)
            M, one row per new metric. With an invertible M it is the posterior that the
            transformed differences themselves would give; with k < r it keeps the degrees of
            freedom n − r, where a fit of k metrics alone would have n − k.
        metrics : sequence of str, optional
            Names of the k new metrics; "m1", "m2", ... if not given.
        rope : float, sequence or mapping
            Their regions of practical equivalence.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
        >>> posterior.transform([[1, -1]], metrics=["tpr − auc"]).location.round(3)
        array([0.012])
        """
        M = as_matrix(matrix, self.p, 2)
        names = as_names(metrics, len(M))
        t = self.distribution.linear(M)
        return replace(
            self,
            location=t.location,
            factor=t.factor,
            x=self.x @ M.T,
            metrics=names,
            metric=", ".join(names),
            rope=as_ropes(rope, names),
            borrowed=(),
        )

    def select(self, metrics: Sequence[str]) -> Self:
        """The posterior of some of the metrics, with their ropes, in the order given.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
        >>> posterior.select(["auc"]).metrics
        ('auc',)
        """
        columns = self._columns(metrics)
        names = tuple(self.metrics[j] for j in columns)
        ropes = Ropes(self.ropes()[j] for j in columns)
        chosen = self.transform(np.eye(self.p)[columns], metrics=names, rope=ropes)
        return replace(
            chosen, borrowed=tuple(k for k, j in enumerate(columns) if j in self.borrowed)
        )
