"""Posteriors of several algorithms on one data set: the blocked MANOVA, exact or by Stan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import helmert
from scipy.special import stdtrit

from bayescmp.base.checks import Seed, seed_of
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import smallest_step
from bayescmp.base.records import read_only
from bayescmp.base.typing import Pair, PairVariation
from bayescmp.bayesian.groups.base import GroupsPosterior, errors_of
from bayescmp.bayesian.multivariate.base import lend_spread
from bayescmp.bayesian.multivariate.fit import (
    PAIR_OF_GROUPS,
    MultivariatePosterior,
    SampledMultivariatePosterior,
)
from bayescmp.bayesian.multivariate.problem import MetricRows, SampledFit, SamplerRun, sample_folds
from bayescmp.bayesian.paired.correlated import MARGINAL, CorrelatedPosterior
from bayescmp.bayesian.regions import MultivariateT, locate_draws, membership, region_probabilities
from bayescmp.bayesian.sampling import (
    OF_METRICS,
    average_draws,
    draw_closed_groups,
    vary_rho,
    wishart_roots,
)
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.posterior import CHAINS, DRAWS, Model, Posterior, all_probabilities
from bayescmp.results.regions import THREE
from bayescmp.results.verdict import Verdict, lead_of
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
        Places of metrics without errors whose resolution is taken to be their ROPE's width.

    Examples
    --------
    >>> from bayescmp.bayesian import groups
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
    >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
    >>> posterior.ranking()["expected_rank"].round(1).to_dict()
    {'gbm': 1.0, 'svm': 2.1, 'knn': 2.9}
    >>> posterior.cliques()["members"].tolist()
    [('knn', 'svm')]
    """

    df: int = field(metadata=about(least=1))
    location: np.ndarray = field(metadata=about("algorithm", "metric"))
    factor: np.ndarray = field(metadata=about("metric", "axis"))
    borrowed: tuple[int, ...] = ()

    model: Model = Model(
        kind="groups",
        reference="{p.sample}s as blocks, errors pooled over the {p.subject}s",
        prior="p(μ, τ, β, Σ) ∝ |Σ|^(−(p+1)/2)",
        picture="plot_rank_probabilities",
        fixed={"prior": "Jeffreys' has nothing to set"},
        dims=OF_METRICS,
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
        """Joint draws of effects, "tau" (chain, draw, L, p), which sum to zero, with common Σ."""
        L, r = len(self.algorithms), self.rank
        count = CHAINS * DRAWS
        rng = np.random.default_rng([self.seed, 1])
        z = rng.standard_normal((count, L, r))
        z -= z.mean(axis=1, keepdims=True)
        T = wishart_roots(np.random.default_rng([self.seed, 0]), self.df + r - 1, r, (count,))
        # Σ⁻¹ = (1 − rho)·TTᵀ where W = I: rows of z T⁻¹ have covariance Σ, up to c
        spread = np.linalg.solve(np.swapaxes(T, 1, 2), np.swapaxes(z, 1, 2))
        root = self.factor * np.sqrt(self.df / 2)  # √c·W^(1/2)
        tau = self.location + np.swapaxes(spread, 1, 2) @ root.T
        return read_only({"tau": tau.reshape(CHAINS, DRAWS, L, self.p)})

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Yield other correlations of folds, on which only the scales depend."""
        return vary_rho(self, self.x.shape[1], "factor", all_probabilities)

    def pair(self, first: str, second: str) -> Posterior:
        """Return the posterior of the difference of two algorithms, second minus first, exactly.

        Returns
        -------
        MultivariatePosterior, or CorrelatedPosterior of one metric
        """
        i, j = self._pair(first, second)
        common = self._common_fields(first, second) | {
            "df": self.df,
            "prior_words": self.prior_text,
        }
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

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        other = lend_spread(self, ropes)
        if other is not self:
            return other.verdict(first, second, threshold=threshold)
        return super()._decide(first, second, ropes, threshold)

    def _all_verdicts(self, ropes: Ropes, threshold: float) -> dict[Pair, Verdict]:
        if self.p == 1 or lend_spread(self, ropes) is not self:
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
            pair: posterior.verdict_from(ropes, threshold, p, errors)
            for pair, posterior, p, errors in zip(self.pairs, pairs, *numbers, strict=True)
        }

    def _interval(self, first: str, second: str, prob: float) -> np.ndarray:
        i, j = self._pair(first, second)
        centre = self.location[j] - self.location[i]
        half = stdtrit(self.df, (1 + prob) / 2) * np.sqrt(np.sum(self.factor**2, axis=1))
        return np.stack([centre, centre - half, centre + half], axis=1)

    def _map_fields(self, M: np.ndarray) -> dict[str, Any]:
        factor = MultivariateT(self.df, np.zeros(self.p), self.factor).linear(M).factor
        return {"location": self.location @ M.T, "factor": factor, "borrowed": ()}

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        H = helmert(len(self.algorithms))
        y = np.einsum("ml,lnp->nmp", H, self.x)
        location = np.einsum("ml,cdlp->cdmp", H, self.draws["tau"])
        return draw_closed_groups(y, location, self.rho, "contrasts", self.seed)


# Sampling the blocked MANOVA: several algorithms on one data set, by Stan.


def sample_groups(
    x: np.ndarray,
    *,
    rho: float,
    noise: str = "t",
    engine: str = "auto",
    seed: Seed = None,
    metrics: Sequence[str] | None = None,
    resolution: ArrayLike | None = None,
    **options: Any,
) -> SamplerRun:
    """Draw the effects of L algorithms in p metrics, with folds as blocks.

    Scores are x_ij = μ + τ_i + β_j + A(√rho·z_i0 + √(1 − rho)·z_ij), Στ_i = 0, AA′ = Σ, with flat
    μ and β_j, and z standard normal, or multivariate t with ν degrees of freedom, all algorithms
    of a fold together. For two algorithms, `sample_multivariate` of differences has twice this Σ.
    With Jeffreys' prior τ_i − τ_k is multivariate t with v = (L−1)(n−1) − p + 1 degrees of
    freedom, scale 2c·W/v (Mardia, Kent & Bibby 1979, chapter 12; Corani & Benavoli 2015, Machine
    Learning 100:285-304, for rho; Kruschke 2013, Journal of Experimental Psychology: General
    142:573-603, for t noise).

    Scores are (L, n, p), higher is better, (L - 1)(n - 1) >= p, of metrics whose errors vary and
    are linearly independent. `resolution` is each metric's smallest step h, by default as seen;
    with t noise Σ is at least the spread of rounding to it, diag(h²/12). The draws are tau (chain,
    draw, L, p), Sigma (chain, draw, p, p) and, with t noise, nu.
    """
    if resolution is None:
        resolution = [smallest_step(x[..., k]) for k in range(x.shape[2])]
    # Without the folds' own effects; the algorithms in the order of their means and the folds
    # sorted: no order can matter.
    centred = x - x.mean(axis=0)
    order = np.lexsort(centred.mean(axis=1).T)
    centred = centred[order]
    centred = centred[:, np.lexsort(np.moveaxis(centred, 2, 0).reshape(-1, centred.shape[1]))]
    rows = np.swapaxes(_contrasts(centred), 0, 1)
    folds = MetricRows.from_rows(rows, rho, noise == "t", metrics, resolution)
    contrasts = _contrasts(centred / folds.unit)
    rms = np.sqrt((contrasts**2).mean(axis=(0, 1)))
    number = seed_of(seed)
    sampled = sample_folds(
        np.swapaxes(contrasts, 0, 1),
        folds,
        rms,
        test="groups",
        engine=engine,
        seed=number,
        **options,
    )
    return sampled.replace_draws(_of_algorithms(sampled.draws, order))


def _contrasts(x: np.ndarray) -> np.ndarray:
    """Return orthonormal contrasts of the algorithms, (L, n, p) to (L - 1, n, p)."""
    return np.einsum("ml,lnp->mnp", helmert(len(x)), x)


def _of_algorithms(drawn: Mapping[str, np.ndarray], order: np.ndarray) -> dict[str, np.ndarray]:
    """Draws of tau and of its centre from those of contrasts, in the order that was given."""
    back = np.argsort(order)
    draws = dict(drawn)
    for name, variable in (("tau", "delta"), ("centre", "centre")):
        contrasts = draws.pop(variable)
        draws[name] = np.einsum("ml,cdmp->cdlp", helmert(len(order)), contrasts)[:, :, back]
    return draws


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledGroupsPosterior(GroupsPosterior):
    """Draws of the effects of L algorithms in p metrics.

    Attributes
    ----------
    fit : SampledFit
        The draws, "tau" of shape (chain, draw, L, p), and the sampler's settings.

    Examples
    --------
    >>> from bayescmp.bayesian import groups
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
    >>> posterior = groups(x, rho=0.25, rope=0.02, noise="t", seed=1)  # doctest: +SKIP
    >>> posterior.pair("A1", "A3").draws["delta"].shape  # doctest: +SKIP
    (4, 1000, 1)
    """

    fit: SampledFit = field(metadata=about(variables=("tau",)))

    model: Model = Model(
        kind="groups_sampled",
        prior="{p.fit.prior_words}",
        picture="plot_rank_probabilities",
        dims=OF_METRICS,
    )

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.fit.draws

    @property
    def labels(self) -> dict[str, Any]:
        """The metrics that were sampled."""
        return {"sampled": list(self.fit.sampled), "sampled_": list(self.fit.sampled)}

    @property
    def within(self) -> np.ndarray:
        """Covariance of the errors within algorithms, as observed, shape (p, p)."""
        L, n, _ = self.x.shape
        errors = errors_of(self.x)
        return np.asarray(errors.T @ errors / ((L - 1) * (n - 1)))

    @property
    def reference(self) -> str:
        """The noise's distribution."""
        noise = "multivariate t" if self.fit.noise == "t" else "normal"
        all_of_them = f"one covariance for all {self.subject}s"
        return f"{self.sample}s as blocks, {noise} noise, {all_of_them}"

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Yield other prior means of ν, reweighted, and other correlations of folds, exactly."""
        yield from self.fit.vary(self, "tau", sample_groups, self._average, all_probabilities)

    def pair(self, first: str, second: str) -> SampledMultivariatePosterior:
        """Return draws of the difference of two algorithms, second minus first."""
        i, j = self._pair(first, second)
        draws = {k: v for k, v in self.draws.items() if k not in ("tau", "centre", "Sigma")}
        if "Sigma" in self.draws:
            draws["Sigma"] = 2 * self.draws["Sigma"]
        for name, effect in (("centre", "centre"), ("delta", "tau")):
            if effect in self.draws:
                draws[name] = self.draws[effect][..., j, :] - self.draws[effect][..., i, :]
        return SampledMultivariatePosterior(
            model=PAIR_OF_GROUPS,
            fit=replace(self.fit, draws=draws),
            rope=self.ropes(),
            metrics=self.metrics,
            x=self.x[j] - self.x[i],
            **self._common_fields(first, second),
        )

    def _map_fields(self, M: np.ndarray) -> dict[str, Any]:
        """Return draws alone: what was sampled is not fitted again in other metrics."""
        kept = {name: draws for name, draws in self.draws.items() if name == "nu"}
        fit = replace(self.fit, draws={**kept, "tau": self.draws["tau"] @ M.T}, resolution=())
        return {"fit": fit}

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if not self.fit.is_movable(self.metrics):
            return {}
        H = helmert(len(self.algorithms))
        y = np.einsum("ml,lnp->nmp", H, self.x)
        centre = np.einsum("ml,cdlp->cdmp", H, self.draws["centre"])
        return self.fit.arviz_groups("contrasts", y, centre, self.rho, self.seed)

    def _average(self, weights: np.ndarray) -> dict[Pair, np.ndarray]:
        return {
            pair: average_draws(_shares(self.pair(*pair), self.ropes()), weights)
            for pair in self.pairs
        }

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        pair = self.pair(first, second)
        if self.p > 1:
            return pair.verdict(ropes, threshold=threshold)
        shares = _shares(pair, ropes)
        return pair.decide(
            shares.mean(axis=(0, 1)),
            share_errors(shares),
            shape=THREE,
            rope=ropes[0],
            threshold=threshold,
            floor=1 / shares[..., 0].size,
            **lead_of(pair.draws["delta"]),
        )


def _shares(pair: SampledMultivariatePosterior, ropes: Ropes) -> np.ndarray:
    """Return whether each draw is in each region: of four, or of three with one metric."""
    delta = pair.draws["delta"]
    if len(ropes) > 1:
        return membership(delta, ropes)
    return locate_draws(delta[..., 0], ropes[0])
