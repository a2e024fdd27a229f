"""Posterior of several algorithms on one data set in closed form: the blocked MANOVA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import stdtrit

from bayescmp import checks
from bayescmp.bayesian.groups.base import GroupsPosterior, Pair
from bayescmp.bayesian.multivariate.base import as_matrix, as_names
from bayescmp.bayesian.multivariate.closed import MultivariatePosterior
from bayescmp.bayesian.multivariate.direction import wishart_roots
from bayescmp.bayesian.paired.correlated import CorrelatedPosterior
from bayescmp.bayesian.regions.elliptical import region_probabilities
from bayescmp.errors import InputError
from bayescmp.posterior import CHAINS, DRAWS, Fitted, Posterior
from bayescmp.verdict import Ropes, Verdict, as_ropes

__all__ = ["BlockedPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class BlockedPosterior(GroupsPosterior):
    """Posterior of the blocked MANOVA: any contrast of effects is a multivariate t.

    Attributes
    ----------
    df : int
        Degrees of freedom of a contrast, (L − 1)(n − 1) − r + 1.
    location : ndarray of shape (L, p)
        Centres of the effects.
    factor : ndarray of shape (p, r)
        A; AAᵀ = 2c·W/df is the scale matrix of the difference of any two algorithms.
    """

    _: KW_ONLY
    df: int
    location: np.ndarray
    factor: np.ndarray

    kind: ClassVar[str] = "groups"
    reference: ClassVar[str] = "folds as blocks, errors pooled over the algorithms"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return "p(μ, τ, β, Σ) ∝ |Σ|^(−(p+1)/2)"

    @property
    def rank(self) -> int:
        """Dimension of the subspace in which errors vary; p unless metrics are dependent."""
        return int(self.factor.shape[1])

    @property
    def inflation(self) -> float:
        """The factor c = 1/n + rho/(1 − rho) of the variance of a mean over folds."""
        return 1 / self.x.shape[1] + self.rho / (1 - self.rho)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Joint draws of all effects, "tau" of shape (chain, draw, L, p); they sum to zero.

        Σ is drawn as well, from its inverse Wishart distribution, so that all pairs share it.
        """
        L, r = len(self.algorithms), self.rank
        count = CHAINS * DRAWS
        rng = np.random.default_rng([self.seed, 1])
        z = rng.standard_normal((count, L, r))
        z -= z.mean(axis=1, keepdims=True)
        T = wishart_roots(self.df + r - 1, r, count, self.seed)
        # Σ⁻¹ = (1 − rho)·TTᵀ where W = I: rows of z T⁻¹ have covariance Σ, up to c
        spread = np.linalg.solve(np.swapaxes(T, 1, 2), np.swapaxes(z, 1, 2))
        root = self.factor * np.sqrt(self.df / 2)  # √c·W^(1/2)
        tau = self.location + np.swapaxes(spread, 1, 2) @ root.T
        return {"tau": tau.reshape(CHAINS, DRAWS, L, self.p)}

    def pair(self, first: str, second: str) -> Posterior:
        """Posterior of the difference of two algorithms, second minus first, exactly.

        Returns
        -------
        MultivariatePosterior, or CorrelatedPosterior of one metric

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
        >>> pair = posterior.pair("knn", "gbm")
        >>> pair.df, round(pair.location, 3)
        (6, 0.09)
        """
        i, j = self._pair(first, second)
        pooled = f"errors pooled over {len(self.algorithms)} algorithms"
        common: dict[str, Any] = {
            "names": (first, second), "dataset": self.dataset, "rho": self.rho, "df": self.df,
            "engine": self.engine, "engine_version": self.engine_version,
            "diagnostics": self.diagnostics, "seed": self.seed, "notes": (pooled, *self.notes),
        }  # fmt: skip
        location, x = self.location[j] - self.location[i], self.x[j] - self.x[i]
        if self.p == 1:
            return CorrelatedPosterior(
                location=float(location[0]), scale=float(np.linalg.norm(self.factor)), x=x[:, 0],
                rope=self.ropes()[0], metric=self.metrics[0], **common,
            )  # fmt: skip
        return MultivariatePosterior(
            location=location, factor=self.factor, x=x, rope=self.ropes(), metrics=self.metrics,
            metric=", ".join(self.metrics), **common,
        )  # fmt: skip

    def _all_verdicts(self, ropes: Ropes, threshold: float) -> dict[Pair, Verdict]:
        if self.p == 1:
            return super()._all_verdicts(ropes, threshold)
        places = np.array([self._pair(*pair) for pair in self.pairs])
        found = region_probabilities(
            self.df, self.location[places[:, 1]] - self.location[places[:, 0]], self.factor, ropes,
            seed=self.seed,
        )  # fmt: skip
        pairs = [self.pair(*pair) for pair in self.pairs]
        return {
            pair: posterior.verdict_from(ropes, threshold, p, errors)  # type: ignore[attr-defined]
            for pair, posterior, p, errors in zip(self.pairs, pairs, *found, strict=True)
        }

    def _interval(self, first: str, second: str, prob: float) -> np.ndarray:
        i, j = self._pair(first, second)
        centre = self.location[j] - self.location[i]
        half = stdtrit(self.df, (1 + prob) / 2) * np.sqrt(np.sum(self.factor**2, axis=1))
        return np.stack([centre, centre - half, centre + half], axis=1)

    def transform(
        self, matrix: Any, *, metrics: Sequence[str] | None = None, rope: Any = 0.0
    ) -> BlockedPosterior:
        """Posterior of linear combinations of the metrics, exactly.

        Parameters
        ----------
        matrix : array_like of shape (k, p)
            One row a new metric, of metrics that are higher the better.
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
        >>> x[2] += 0.05
        >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
        >>> mean = posterior.transform([[0.5, 0.5]], metrics=["mean"], rope=0.01)
        >>> mean.verdict("A1", "A3").decision
        'second'
        """
        M = as_matrix(matrix, self.p, 2)
        names = as_names(metrics, len(M))
        factor = M @ self.factor
        if factor.shape[1] > factor.shape[0]:
            factor = np.asarray(np.linalg.qr(factor.T, mode="r")).T
        return replace(
            self, location=self.location @ M.T, factor=factor, x=self.x @ M.T, metrics=names,
            metric=", ".join(names), rope=as_ropes(rope, names),
        )  # fmt: skip

    def select(self, metrics: Sequence[str] | str) -> BlockedPosterior:
        """The posterior of some of the metrics, with their ropes, in the order given.

        See Also
        --------
        bayescmp.frequentist.learned_measures

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> x[2] += 0.05
        >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
        >>> posterior.select("auc").metrics
        ('auc',)
        """
        wanted = [metrics] if isinstance(metrics, str) else list(metrics)
        if not wanted:
            raise InputError(f"metrics is empty; known: {', '.join(map(repr, self.metrics))}")
        ropes = dict(zip(self.metrics, self.ropes(), strict=True))
        columns = [self._metric(m) for m in wanted]
        chosen = [ropes[m] for m in wanted]
        return self.transform(np.eye(self.p)[columns], metrics=wanted, rope=chosen)

    def learned(self, k: int | None = None, *, rope: Any = 0.0) -> BlockedPosterior:
        """Posterior on learned measures: the combinations that separate the algorithms most.

        Eigenvectors of E⁻¹H as `bayescmp.frequentist.learned_measures` finds them, for
        standardised metrics, each turned so that its weights sum to no less than zero: on the
        whole, more of it is better. They were learned from the same scores, so verdicts on them
        are somewhat too sure of a difference.

        Parameters
        ----------
        k : int, optional
            How many; all if not given.
        rope : float, sequence or mapping
            Their regions of practical equivalence, in standard deviations within algorithms.

        Raises
        ------
        InputError
            If k is under 1, or more than there are.

        See Also
        --------
        bayescmp.frequentist.learned_measures

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> x[2] += 0.05
        >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
        >>> posterior.learned(1, rope=0.5).ranking().index[0]
        'A3'
        """
        measures = self._measures()
        count = len(measures) if k is None else checks.whole("k", k)
        if count > len(measures):
            raise InputError(f"k={k!r}; accepted: at most {len(measures)}, there are no more")
        weights = measures[:count]
        names = [f"M{j + 1}" for j in range(len(weights))]
        told = [f"{name} = {_sum_of(row, self.metrics)}" for name, row in
                zip(names, weights, strict=True)]  # fmt: skip
        note = "learned from the same scores: verdicts on them are too sure of a difference"
        found = self.transform(weights, metrics=names, rope=rope)
        return replace(found, notes=(*self.notes, *told, note))

    def _measures(self) -> np.ndarray:
        """Learned measures as rows, of unit standard deviation within algorithms."""
        from bayescmp.blocks import Blocks
        from bayescmp.frequentist.groups.manova import learned_measures

        blocks = Blocks(
            self.x, rho=self.rho, algorithms=self.algorithms, metrics=self.metrics,
            lower_is_better=[False] * self.p,
        )  # fmt: skip
        found = learned_measures(blocks, block=True, rho=self.rho)
        error = self.factor @ self.factor.T / (2 * self.inflation)  # W/df
        degrees = self.df + self.rank - 1
        within = error * self.df / degrees
        w = found.weights
        w = w / np.sqrt(np.einsum("is,ij,js->s", w, within, w))
        standardised = w * np.sqrt(np.diag(within))[:, None]
        return np.asarray((w * np.where(standardised.sum(axis=0) < 0, -1.0, 1.0)).T)

    def _metric(self, name: str) -> int:
        from bayescmp.errors import unknown_name

        if name not in self.metrics:
            raise unknown_name("metric", name, self.metrics)
        return self.metrics.index(name)

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        constant = {"x": self.x, "location": self.location, "factor": self.factor}
        return {"posterior": dict(self.draws), "constant_data": constant}

    def _coords(self) -> tuple[dict[str, Any], dict[str, Any]]:
        coords, dims = super()._coords()
        coords["axis"] = list(range(self.rank))
        more = {"location": ["algorithm", "metric"], "factor": ["metric", "axis"]}
        return coords, {**dims, **more}

    def _attributes(self) -> dict[str, Any]:
        return {**super()._attributes(), "df": self.df}

    @classmethod
    def _restore(cls, common: dict[str, Any], more: dict[str, Any], groups: Any) -> Fitted:
        arrays = {k: groups["constant_data"][k].to_numpy() for k in ("x", "location", "factor")}
        metrics = tuple(more.pop("metrics"))
        return cls(**common, **more, **arrays, metrics=metrics)


def _sum_of(weights: np.ndarray, metrics: Sequence[str]) -> str:
    """A weighted sum in words."""
    return " ".join(f"{w:+.3g}·{m}" for w, m in zip(weights, metrics, strict=True))
