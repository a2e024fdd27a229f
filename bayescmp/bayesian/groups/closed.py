"""Posterior of several algorithms on one data set in closed form: the blocked MANOVA."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import helmert
from scipy.special import stdtrit

from bayescmp.base.typing import Pair, PairVariation
from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.multivariate.base import lend, wishart_roots
from bayescmp.bayesian.multivariate.closed import MultivariatePosterior
from bayescmp.bayesian.paired.correlated import MARGINAL, CorrelatedPosterior
from bayescmp.bayesian.regions import region_probabilities
from bayescmp.bayesian.sampling import draw_closed_groups, vary_rho
from bayescmp.results.posterior import (
    CHAINS,
    DRAWS,
    Model,
    Posterior,
    all_probabilities,
)
from bayescmp.results.saving import array
from bayescmp.results.verdict import Verdict
from bayescmp.scores.rope import Ropes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
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
    borrowed : tuple of int
        Places of metrics without errors whose resolution is taken to be their rope's width.

    Examples
    --------
    >>> from bayescmp.bayesian import groups
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
    >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
    >>> posterior.ranking()["expected_rank"].round(1).to_dict()
    {'gbm': 1.0, 'svm': 2.1, 'knn': 2.9}
    >>> posterior.rank_probabilities().round(1).loc["svm"].to_dict()
    {1: 0.0, 2: 0.9, 3: 0.1}
    >>> {pair: verdict.decision for pair, verdict in posterior.verdicts().items()}
    {('knn', 'svm'): 'equivalent', ('knn', 'gbm'): 'second', ('svm', 'gbm'): 'second'}
    >>> posterior.joint({("knn", "gbm"): "second", ("svm", "gbm"): "second"}) > 0.99
    True
    >>> posterior.cliques()["members"].tolist()
    [('knn', 'svm')]
    >>> pair = posterior.pair("knn", "gbm")
    >>> pair.df, round(pair.location, 3)
    (6, 0.09)
    >>> posterior.intervals(0.9).round(3).reset_index()
      first second metric   mean    low   high
    0   knn    svm     m1  0.008 -0.004  0.019
    1   knn    gbm     m1  0.090  0.078  0.102
    2   svm    gbm     m1  0.082  0.071  0.094

    Of two metrics, their mean, and what separates the algorithms most:

    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
    >>> x[2] += 0.05
    >>> posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
    >>> mean = posterior.transform([[0.5, 0.5]], metrics=["mean"], rope=0.01)
    >>> mean.verdict("A1", "A3").decision
    'second'
    >>> posterior.learned(1, rope=0.5).ranking().index[0]
    'A3'
    """

    df: int
    location: np.ndarray = field(metadata=array("algorithm", "metric"))
    factor: np.ndarray = field(metadata=array("metric", "axis"))
    borrowed: tuple[int, ...] = ()

    model: Model = Model(
        kind="groups",
        reference="{p.sample}s as blocks, errors pooled over the {p.subject}s",
        prior="p(μ, τ, β, Σ) ∝ |Σ|^(−(p+1)/2)",
        picture="rank probabilities",
        fixed={"prior": "Jeffreys' has nothing to set"},
        dims={
            "tau": ("algorithm", "metric"),
            "folds": ("fold",),
            "Sigma": ("sampled", "sampled_"),
        },
    )

    @property
    def rank(self) -> int:
        """Dimension of the subspace in which errors vary; p unless metrics are dependent."""
        return int(self.factor.shape[1])

    @property
    def within(self) -> np.ndarray:
        """Covariance of the errors within algorithms, shape (p, p)."""
        L, n, _ = self.x.shape
        scatter = self.factor @ self.factor.T * self.df / (2 * self.inflation)
        return np.asarray(scatter / ((L - 1) * (n - 1)))

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

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Other correlations of folds: only the scales depend on them."""
        return vary_rho(self, self.x.shape[1], "factor", all_probabilities)

    def pair(self, first: str, second: str) -> Posterior:
        """Posterior of the difference of two algorithms, second minus first, exactly.

        Returns
        -------
        MultivariatePosterior, or CorrelatedPosterior of one metric
        """
        i, j = self._pair(first, second)
        common = self._common(first, second) | {"df": self.df, "prior_words": self.prior_text}
        location, x = self.location[j] - self.location[i], self.x[j] - self.x[i]
        if self.p == 1:
            return CorrelatedPosterior(
                model=MARGINAL,
                location=float(location[0]),
                scale=float(np.linalg.norm(self.factor)),
                x=x[:, 0],
                rope=self.ropes()[0],
                **common,
            )
        return MultivariatePosterior(
            location=location,
            factor=self.factor,
            x=x,
            rope=self.ropes(),
            metrics=self.metrics,
            **common,
        )

    def under(self, ropes: Ropes) -> BlockedPosterior:
        """The posterior that a fit with these ropes gives: it differs where they lend a spread."""
        factor = lend(self.factor, self.borrowed, self.ropes(), ropes)
        return self if factor is self.factor else replace(self, factor=factor, rope=ropes)

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        other = self.under(ropes)
        if other is not self:
            return other.verdict(first, second, threshold=threshold)
        return super()._decide(first, second, ropes, threshold)

    def _all_verdicts(self, ropes: Ropes, threshold: float) -> dict[Pair, Verdict]:
        if self.p == 1 or self.under(ropes) is not self:
            return super()._all_verdicts(ropes, threshold)
        places = np.array([self._pair(*pair) for pair in self.pairs])
        numbers = region_probabilities(
            self.df,
            self.location[places[:, 1]] - self.location[places[:, 0]],
            self.factor,
            ropes,
            seed=self.seed,
        )
        pairs = [self.pair(*pair) for pair in self.pairs]
        return {
            pair: posterior.verdict_from(ropes, threshold, p, errors)  # type: ignore[attr-defined]
            for pair, posterior, p, errors in zip(self.pairs, pairs, *numbers, strict=True)
        }

    def _interval(self, first: str, second: str, prob: float) -> np.ndarray:
        i, j = self._pair(first, second)
        centre = self.location[j] - self.location[i]
        half = stdtrit(self.df, (1 + prob) / 2) * np.sqrt(np.sum(self.factor**2, axis=1))
        return np.stack([centre, centre - half, centre + half], axis=1)

    def _mapped(self, M: np.ndarray) -> dict[str, Any]:
        factor = M @ self.factor
        if factor.shape[1] > factor.shape[0]:
            factor = np.asarray(np.linalg.qr(factor.T, mode="r")).T
        return {"location": self.location @ M.T, "factor": factor, "borrowed": ()}

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        H = helmert(len(self.algorithms))
        y = np.einsum("ml,lnp->nmp", H, self.x)
        location = np.einsum("ml,cdlp->cdmp", H, self.draws["tau"])
        return draw_closed_groups(y, location, self.rho, "contrasts", self.seed)
