"""Several algorithms on one data set, each with its own noise level.

The errors of algorithm i have covariance Σ/π_i: a shape Σ that all share, and shares π_i of the
total precision, Σπ_i = 1. Within a fold D = diag(1/π_i), and what the folds' own effects leave of
it is D⁻¹ − D⁻¹11ᵀD⁻¹/(1ᵀD⁻¹1) = diag(π) − ππᵀ. With W_ik = Σ_j (x_ij − x̄_i)(x_kj − x̄_k)ᵀ, π ~
Dirichlet(α, …, α) and the prior |Σ|^(−(r+1)/2), the effects and Σ integrate out:

    p(π | x) ∝ Π_i π_i^(α − 1 + r(n−1)/2) · |E(π)|^(−(L−1)(n−1)/2),
    E(π) = Σ_i π_i W_ii − Σ_ik π_i π_k W_ik.

Given π, differences of effects are multivariate t as with equal variances, with E(π) instead of
W/L. With two algorithms the likelihood does not depend on π. The prior is the one of precisions
that are Gamma(α) about an unknown scale; α = 1 weighs as much as two folds. Draws are made by an
independence Metropolis sampler in the coordinates log π (centred), with proposals from a
multivariate t at the mode.

References
----------
Box & Tiao (1973), Bayesian Inference in Statistical Analysis, section 2.11; Grubbs (1948), JASA
43:243-264, for separate variances; Tierney (1994), Annals of Statistics 22:1701-1728 (sampler).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy.linalg import helmert
from scipy.optimize import brentq
from scipy.special import chdtrc, stdtr, stdtrit

from bayescmp.base.fields import about
from bayescmp.base.records import read_only
from bayescmp.base.typing import Json, PairVariation, Variation
from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.multivariate.fit import PAIR_OF_GROUPS, SampledMultivariatePosterior
from bayescmp.bayesian.multivariate.problem import SampledFit
from bayescmp.bayesian.sampling import OF_METRICS, DatasetModel, vary_rho, wishart_roots
from bayescmp.results.arviz import row_of
from bayescmp.results.posterior import (
    CHAINS,
    DRAWS,
    Model,
    Posterior,
    all_probabilities,
    probabilities_of,
    split_student,
)
from bayescmp.scores.resampling import other_rhos
from bayescmp.scores.rope import Rope

# Separate noise for each algorithm: its precision, and a check whether all are alike.


#: Weight of each algorithm in the Dirichlet prior.
ALPHA = 1.0
#: Degrees of freedom of the proposals, and how many are made for each draw that is kept.
PROPOSAL_DF, THIN = 5, 2
#: Equal variances are taken at a p-value of at least this. It is high, for unequal ones do harm:
#: of four algorithms on ten folds, two with half the spread, 95% intervals of the noisy pair
#: cover 90% under equal variances; those of a level for each cover 94 to 99%, alike or not.
LEVEL = 0.2
#: Step of the numerical second derivatives, in log π.
STEP = 1e-3
#: Steps of the search for a mode at most, and the gain of the log density that ends it.
MOST_STEPS, ENOUGH_GAIN = 100, 1e-10
#: Least curvature of the proposals, in that of the prior where all π are alike.
LEAST = 0.05


@dataclass(frozen=True, eq=False)
class NoiseLevels:
    """Posterior of precision shares π; `scatter` (L, L, r, r) are the W_ik, `n` is the folds."""

    scatter: np.ndarray
    n: int
    seed: int = 0

    @property
    def size(self) -> int:
        """Number of algorithms."""
        return int(self.scatter.shape[0])

    @property
    def rank(self) -> int:
        """Number of coordinates."""
        return int(self.scatter.shape[2])

    def errors(self, shares: np.ndarray) -> np.ndarray:
        """Return E(π), (..., r, r), for shares of shape (..., L)."""
        L, r = self.size, self.rank
        flat = self.scatter.reshape(L, L * r * r)
        common = shares[..., None, :] @ (shares @ flat).reshape(*shares.shape[:-1], L, r * r)
        own = shares @ np.einsum("iiab->iab", self.scatter).reshape(L, r * r)
        return np.asarray((own - common[..., 0, :]).reshape(*shares.shape[:-1], r, r))

    @cached_property
    def _basis(self) -> np.ndarray:
        """H, whose rows are orthonormal and sum to zero, (L − 1, L)."""
        return np.asarray(helmert(self.size))

    def shares(self, u: np.ndarray) -> np.ndarray:
        """Return π for coordinates u of shape (..., L − 1): log π is Hᵀu up to a constant."""
        log = u @ self._basis
        ratio = np.exp(log - log.max(axis=-1, keepdims=True))
        return np.asarray(ratio / ratio.sum(axis=-1, keepdims=True))

    def log_likelihood(self, shares: np.ndarray) -> np.ndarray:
        """Return the log-likelihood of π, effects and Σ integrated out, up to a constant."""
        return self._log_likelihood(shares, np.log(shares).sum(axis=-1))

    def _log_likelihood(self, shares: np.ndarray, log_shares: np.ndarray) -> np.ndarray:
        sign, log_det = np.linalg.slogdet(self.errors(shares))
        log_det = np.where(sign > 0, log_det, np.inf)
        power = (self.n - 1) / 2
        return np.asarray(power * (self.rank * log_shares - (self.size - 1) * log_det))

    def log_posterior(self, u: np.ndarray) -> np.ndarray:
        """Return the log density of u, up to a constant."""
        shares = self.shares(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_shares = np.log(shares).sum(axis=-1)
            log_density = self._log_likelihood(shares, log_shares) + ALPHA * log_shares
        return np.where(np.isnan(log_density), -np.inf, log_density)

    @cached_property
    def _proposal(self) -> tuple[np.ndarray, np.ndarray]:
        """Centre and root of the proposals: the mode, and the inverse of the curvature there."""
        own = np.einsum("iiaa->i", self.scatter)
        starts = (np.zeros(self.size - 1), -self._basis @ np.log(own + own.mean() / 100))
        mode = max(map(self._climb, starts), key=lambda u: float(self.log_posterior(u)))
        return mode, self._root(mode)

    def _climb(self, u: np.ndarray) -> np.ndarray:
        """Find a mode by Newton's method, with the best of a range of step lengths."""
        lengths = 0.5 ** np.arange(-1, 12)[:, None]
        for _ in range(MOST_STEPS):
            root = self._root(u)
            heights = self.log_posterior(u + STEP * np.vstack([np.eye(len(u)), -np.eye(len(u))]))
            slope = (heights[: len(u)] - heights[len(u) :]) / (2 * STEP)
            tried = u + lengths * (root @ (root.T @ slope))
            gain = self.log_posterior(tried) - self.log_posterior(u)
            if not gain.max() > ENOUGH_GAIN:
                break
            u = tried[np.argmax(gain)]
        return u

    def _root(self, u: np.ndarray) -> np.ndarray:
        """Return a root of the inverse curvature, which is kept from being flat."""
        value, vector = np.linalg.eigh(self._curvature(u))
        return vector / np.sqrt(np.maximum(value, ALPHA * LEAST))

    def _curvature(self, mode: np.ndarray) -> np.ndarray:
        """Second derivatives of the negative log density, by central differences."""
        k = len(mode)
        step = STEP * np.eye(k)
        signs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        pairs = np.stack(np.broadcast_arrays(step[:, None], step[None]), axis=-1)  # (k, k, k, 2)
        corners = -self.log_posterior(mode + np.moveaxis(pairs @ signs.T, -1, 0))
        return np.asarray(np.einsum("s,sij->ij", [1, -1, -1, 1], corners) / (4 * STEP**2))

    @cached_property
    def _proposals(self) -> tuple[np.ndarray, np.ndarray]:
        """Draw proposals u, (chain, proposal, L − 1), with logs of their importance weights."""
        mode, root = self._proposal
        k, shape = len(mode), (CHAINS, DRAWS * THIN)
        rng = np.random.default_rng([self.seed, 2])
        t = rng.standard_normal((*shape, k))
        t /= np.sqrt(rng.chisquare(PROPOSAL_DF, (*shape, 1)) / PROPOSAL_DF)
        log_q = -(PROPOSAL_DF + k) / 2 * np.log1p((t**2).sum(axis=-1) / PROPOSAL_DF)
        u = mode + t @ root.T
        return u, self.log_posterior(u) - log_q

    @cached_property
    def draws(self) -> np.ndarray:
        """Draws of π, (chain, draw, L)."""
        u, weights = self._proposals
        rng = np.random.default_rng([self.seed, 3])
        log_uniform = np.log(rng.random(weights.shape))
        kept = np.stack([_walk(*chain) for chain in zip(weights, log_uniform, strict=True)])
        return read_only(
            self.shares(np.take_along_axis(u, kept[:, THIN - 1 :: THIN, None], axis=1))
        )

    @cached_property
    def check(self) -> Sphericity:
        """Test whether one noise level for all algorithms will do, by the likelihood ratio.

        At the mode of π against π = 1/L, the statistic is χ² with L − 1 degrees of freedom if the
        levels are alike: it exceeded the upper fifth in 10% (L = 3, 5 folds) to 21% (10 and 10) of
        simulations.
        """
        equal = np.full(self.size, 1 / self.size)
        at = self.shares(self._proposal[0])
        gain = float(self.log_likelihood(at) - self.log_likelihood(equal))
        statistic = max(2 * gain, 0.0)
        return Sphericity(statistic, self.size - 1, float(chdtrc(self.size - 1, statistic)))


@dataclass(frozen=True)
class Sphericity:
    """A check of equal noise levels: twice the log ratio of the likelihoods, which is χ²."""

    statistic: float
    df: int = field(metadata=about(least=1))
    pvalue: float

    @property
    def allows(self) -> bool:
        """Whether equal variances are taken: the p-value is at least `LEVEL`."""
        return self.pvalue >= LEVEL

    def __str__(self) -> str:
        p = f"p = {self.pvalue:.2g}" if self.pvalue >= 1e-4 else "p < 0.0001"
        return f"likelihood ratio χ²({self.df}) = {self.statistic:.3g}, {p}"


def _walk(weights: np.ndarray, log_uniform: np.ndarray) -> np.ndarray:
    """Find which proposal an independence Metropolis chain is at, step by step."""
    places = []
    at = int(np.argmax(weights[:THIN]))
    own = float(weights[at])
    for step, (weight, log_u) in enumerate(
        zip(weights.tolist(), log_uniform.tolist(), strict=True)
    ):
        if log_u < weight - own:
            at, own = step, weight
        places.append(at)
    return np.array(places)


# Posteriors of the difference of two of several algorithms, which name the test of them all.


#: The plotted density averages one draw in 20.
EVERY = 20
#: Scales that are enough for a clear verdict.
ENOUGH = 1000
#: Means of scales next to each other, over which a function is averaged as over all of them.
STRATA = 50


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MixturePosterior(Posterior):
    """Posterior of one metric's difference: a t whose scale also has a posterior.

    `x` (n,) are the differences, correlated at `rho`, `location` their mean, `scales` (chain,
    draw) draws of the scale; `source` and `prior_words` describe the model and its prior.
    """

    dataset: str
    x: np.ndarray = field(metadata=about("fold"))
    rho: float = field(metadata=about(least=0, below=1))
    df: int = field(metadata=about(least=1))
    location: float
    scales: np.ndarray = field(metadata=about(group="posterior", name="scale"))
    source: str
    prior_words: str

    model: Model = DatasetModel(
        kind="groups_pair_t",
        method="{p.source}",
        reference="mixture of t's with {p.df} degrees of freedom",
        prior="{p.prior_words}",
        shows=("density",),
        picture="plot_density",
        fixed={"prior": "Jeffreys' has nothing to set"},
    )

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of δ, "delta" of shape (chain, draw)."""
        z = np.random.default_rng(self.seed).standard_t(self.df, self.scales.shape)
        return read_only({"delta": self.location + self.scales * z})

    @cached_property
    def fewer(self) -> MixturePosterior:
        """The posterior with as many draws as a clear verdict needs, or itself."""
        scales = self.scales[:, :: max(self.scales.size // ENOUGH, 1)]
        return self if scales.size == self.scales.size else replace(self, scales=scales)

    def cdf(self, x: float) -> float:
        """Return the posterior probability of a difference of at most x."""
        return float(stdtr(self.df, (x - self.location) / self.scales).mean())

    def _weigh_regions(self, rope: Rope) -> Json:
        """Average the regions' probabilities over the scales."""
        p = split_student(self.df, self.location, self._strata, rope)
        size = min(self.scales.size, self.diagnostics.ess_bulk or np.inf)
        half = self._half
        return {
            "p": p.mean(axis=0),
            "errors": np.maximum(p.std(axis=0, ddof=1) / np.sqrt(size), 1e-15),
            "estimate": (self.location,),
            "mean_interval": ((self.location - half, self.location + half),),
            "floor": 1 / self.scales.size,
        }

    @cached_property
    def _strata(self) -> np.ndarray:
        """The means of equally many scales next to each other, (`STRATA`,)."""
        size, count = self.scales.size, min(STRATA, self.scales.size)
        starts = np.arange(count) * size // count
        sums = np.add.reduceat(np.sort(self.scales, axis=None), starts)
        return np.asarray(sums / np.diff(starts, append=size))

    @cached_property
    def _half(self) -> float:
        """Half the 95% interval, by one draw of t for each scale."""
        t = _draw_strata(self.df, self.scales.size, self.seed)
        return float(np.quantile(self.scales.ravel() * t, 0.95))

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other correlations of folds, on which only the scales depend."""
        return vary_rho(self, len(self.x), "scales", probabilities_of)

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid, in units of the metric."""
        from scipy.stats import t

        scales = self.scales.ravel()[::EVERY]
        reach = float(np.median(scales)) * stdtrit(self.df, 0.9995)
        x = self.location + reach * np.linspace(-1, 1, 401)
        return x, t.pdf(x[:, None], self.df, self.location, scales).mean(axis=1)

    def interval(self, prob: float = 0.95) -> tuple[float, float]:
        """Return the central interval of that probability; by symmetry it is the shortest."""
        beyond = stdtrit(self.df, (1 + prob) / 2)
        inner, outer = self.scales.min() * beyond * 0.999, self.scales.max() * beyond * 1.001
        target = (1 + prob) / 2
        half = brentq(
            lambda h: self.cdf(self.location + h) - target, inner, outer, xtol=1e-13 * outer
        )
        return self.location - half, self.location + half

    def _summary_rows(self) -> dict[str, dict[str, float]]:
        low, high = self.interval()
        spread = float(np.sqrt(np.mean(self.scales**2)))
        sd = spread * np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf
        return {"delta": row_of(self.location, sd, self.location, low, high)}


@lru_cache(maxsize=4)
def _draw_strata(df: int, n: int, seed: int) -> np.ndarray:
    """Draw sizes of Student's t from n strata of equal mass, in random order."""
    t = stdtrit(df, (1 + (np.arange(n) + 0.5) / n) / 2)
    return read_only(np.random.default_rng(seed).permutation(t))


# Posterior of several algorithms on one data set, each with separate noise.


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OwnVariancePosterior(GroupsPosterior):
    """Posterior of the blocked MANOVA with noise Σ/π_i for algorithm i.

    Given π, a difference is multivariate t with scale matrix c(1/π_i + 1/π_k)·BE(π)Bᵀ/df.

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

    Examples
    --------
    >>> from bayescmp.bayesian import groups
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
    >>> posterior = groups(x, rho=0.25, rope=0.02, variances="own", seed=1)
    >>> posterior.pair("A1", "A2").verdict().ranked[0]
    'rope'
    """

    location: np.ndarray = field(metadata=about("algorithm", "metric"))
    root: np.ndarray = field(metadata=about("metric", "axis"))
    shares: np.ndarray = field(metadata=about("algorithm", group="posterior", name="pi"))
    errors: np.ndarray = field(metadata=about("axis", "axis_", group="posterior"))

    model: Model = Model(
        kind="groups_own",
        reference="{p.sample}s as blocks, separate noise for each {p.subject}",
        prior=(
            "p(μ, τ, β, Σ) ∝ |Σ|^(−(p+1)/2), algorithm i's covariance Σ/π_i, "
            f"π ~ Dirichlet({ALPHA:g}, ..., {ALPHA:g})"
        ),
        picture="plot_rank_probabilities",
        fixed={"prior": "its weights of the variances are built in"},
        dims=OF_METRICS,
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

    @cached_property
    def _scatter_root(self) -> np.ndarray:
        """Roots of the errors' scatter BE(π)Bᵀ, (chain, draw, p, r)."""
        return np.asarray(self.root @ np.linalg.cholesky(self.errors))

    @cached_property
    def sds(self) -> np.ndarray:
        """Draws of standard deviations within folds, (chain, draw, L, p), at mean Σ given π."""
        L, n, _ = self.x.shape
        variance = np.sum(self._scatter_root**2, axis=-1) / ((L - 1) * (n - 1))
        return read_only(np.sqrt(variance[..., None, :] / self.shares[..., None]))

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Joint draws of all effects, "tau" (chain, draw, L, p), and "pi" (chain, draw, L)."""
        *shape, L = self.shares.shape
        r = self.root.shape[1]
        rng = np.random.default_rng([self.seed, 1])
        z = rng.standard_normal((*shape, L, r)) / np.sqrt(self.shares)[..., None]
        z -= z.mean(axis=-2, keepdims=True)
        T = wishart_roots(np.random.default_rng([self.seed, 0]), self.df + r - 1, r, (*shape,))
        # Σ⁻¹ = (1 − rho)·TTᵀ where E(π) = I: rows of z T⁻¹ have covariance Σ, up to c
        spread = self._scatter_root @ np.linalg.solve(
            np.swapaxes(T, -1, -2), np.swapaxes(z, -1, -2)
        )
        tau = self.location + np.sqrt(self.inflation) * np.swapaxes(spread, -1, -2)
        return read_only({"tau": tau, "pi": self.shares})

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Yield other correlations of folds, on which only the scales depend."""
        for rho in other_rhos(self.rho):
            yield "rho", f"{rho:.3g}", all_probabilities(replace(self, rho=rho))

    def pair(self, first: str, second: str) -> Posterior:
        """Return the posterior of the difference of two algorithms, second minus first.

        Returns
        -------
        SampledMultivariatePosterior, or MixturePosterior of one metric
        """
        i, j = self._pair(first, second)
        common = self._common_fields(first, second)
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
        return SampledMultivariatePosterior(
            model=PAIR_OF_GROUPS,
            fit=SampledFit(
                {"delta": tau[..., j, :] - tau[..., i, :]},
                noise="normal",
                sampled=self.metrics,
                prior_words=self.prior_text,
                sample_stats={},
            ),
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

    def _map_fields(self, M: np.ndarray) -> dict[str, Any]:
        return {"location": self.location @ M.T, "root": M @ self.root}
