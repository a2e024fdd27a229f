"""Posterior of several algorithms on one data set by sampling: robust noise, or the weak prior."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import helmert

from bayescmp.base import checks
from bayescmp.base.checks import Seed
from bayescmp.base.magnitudes import smallest_step
from bayescmp.base.typing import Pair, PairVariation
from bayescmp.bayesian.groups.base import GroupsPosterior, errors_of
from bayescmp.bayesian.multivariate.problem import (
    Folds,
    Sampled,
    SampledFit,
    sample_folds,
)
from bayescmp.bayesian.multivariate.sampled import PAIR_OF_GROUPS, SampledMultivariatePosterior
from bayescmp.bayesian.regions import membership
from bayescmp.bayesian.sampling import average_draws
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.posterior import Model, all_probabilities
from bayescmp.results.saving import record
from bayescmp.results.verdict import Verdict, lead_of
from bayescmp.scores.rope import Ropes
from bayescmp.wording.regions import THREE

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
) -> Sampled:
    """Draws of the effects of L algorithms in p metrics, folds as blocks.

    The scores are x_ij = μ + τ_i + β_j + A(√rho·z_i0 + √(1 − rho)·z_ij), Στ_i = 0, AA′ = Σ, with
    flat μ and β_j, and z standard normal, or multivariate t with ν degrees of freedom, all
    algorithms of a fold together: a fold is odd as a whole. With two algorithms it is
    `sample_multivariate` of their differences, whose Σ is twice this one. With Jeffreys' prior the
    closed form is τ_i − τ_k multivariate t with v = (L−1)(n−1) − p + 1 degrees of freedom, scale
    2c·W/v.

    Parameters
    ----------
    x : ndarray of shape (L, n, p)
        Scores of L >= 2 algorithms on the same n folds, higher the better, (L - 1)(n - 1) >= p; of
        metrics whose errors vary and are linearly independent.
    rho : float
        Correlation of two folds' differences.
    noise : {"normal", "t"}
    engine, seed
        As of `sample_folds`.
    metrics : sequence of str, optional
        Names for messages.
    resolution : float or array_like of shape (p,), optional
        Smallest step h of each metric, as seen in the scores if not given; with t noise Σ is not
        allowed under the spread of rounding to it, diag(h²/12).
    **options
        Of `sample_folds`.

    Returns
    -------
    Sampled
        Draws of tau (chain, draw, L, p), Sigma (chain, draw, p, p) and, with t noise, nu.

    References
    ----------
    Corani & Benavoli (2015), Machine Learning 100:285-304; Kruschke (2013), Journal of
    Experimental Psychology: General 142:573-603; Mardia, Kent & Bibby (1979), chapter 12, for the
    MANOVA.
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
    folds = Folds.of(rows, rho, noise == "t", metrics, resolution)
    contrasts = _contrasts(centred / folds.unit)
    rms = np.sqrt((contrasts**2).mean(axis=(0, 1)))
    number = checks.seed_of(seed)
    sampled = sample_folds(
        np.swapaxes(contrasts, 0, 1),
        folds,
        rms,
        test="groups",
        engine=engine,
        seed=number,
        **options,
    )
    return sampled.having(_of_algorithms(sampled.draws, order))


def _contrasts(x: np.ndarray) -> np.ndarray:
    """Orthonormal contrasts of the algorithms, (L, n, p) to (L - 1, n, p)."""
    return np.einsum("ml,lnp->mnp", helmert(len(x)), x)


def _of_algorithms(drawn: Mapping[str, np.ndarray], order: np.ndarray) -> dict[str, np.ndarray]:
    """Draws of tau and of its centre from those of contrasts, in the order that was given."""
    back = np.argsort(order)
    draws = dict(drawn)
    for name, of in (("tau", "delta"), ("centre", "centre")):
        contrasts = draws.pop(of)
        draws[name] = np.einsum("ml,cdmp->cdlp", helmert(len(order)), contrasts)[:, :, back]
    return draws


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledGroupsPosterior(GroupsPosterior):
    """Draws of the effects of L algorithms in p metrics.

    See `GroupsPosterior` for its other attributes.

    Attributes
    ----------
    fit : SampledFit
        The draws, "tau" of shape (chain, draw, L, p), and what the sampler was told.

    Examples
    --------
    >>> from bayescmp.bayesian import groups
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
    >>> posterior = groups(x, rho=0.25, rope=0.02, noise="t", seed=1)  # doctest: +SKIP
    >>> posterior.pair("A1", "A3").draws["delta"].shape  # doctest: +SKIP
    (4, 1000, 1)
    """

    fit: SampledFit = field(metadata=record(SampledFit))

    model: Model = Model(
        kind="groups_sampled",
        prior="{p.fit.prior_words}",
        picture="rank probabilities",
        dims={
            "tau": ("algorithm", "metric"),
            "folds": ("fold",),
            "Sigma": ("sampled", "sampled_"),
        },
        stored=("tau",),
    )

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.fit.draws

    @property
    def within(self) -> np.ndarray:
        """Covariance of the errors within algorithms, as seen, shape (p, p)."""
        L, n, _ = self.x.shape
        errors = errors_of(self.x)
        return np.asarray(errors.T @ errors / ((L - 1) * (n - 1)))

    @property
    def reference(self) -> str:
        """What the noise is."""
        noise = "multivariate t" if self.fit.noise == "t" else "normal"
        all_of_them = f"one covariance for all {self.subject}s"
        return f"{self.sample}s as blocks, {noise} noise, {all_of_them}"

    def _vary(self, datasets: bool, refit: bool) -> Iterator[PairVariation]:
        """Other prior means of ν, by reweighting; other correlations of folds, exactly."""
        yield from self.fit.vary(self, "tau", sample_groups, self._average, all_probabilities)

    def pair(self, first: str, second: str) -> SampledMultivariatePosterior:
        """Draws of the difference of two algorithms, second minus first."""
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
            **self._common(first, second),
        )

    def _mapped(self, M: np.ndarray) -> dict[str, Any]:
        """Draws alone: what was sampled is not fitted again in other metrics."""
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
        """Probabilities of all pairs' regions with weights of the draws."""
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
    """Whether each draw is in each region: of four, or of three with one metric."""
    delta = pair.draws["delta"]
    if len(ropes) > 1:
        return membership(delta, ropes)
    left, right = delta[..., 0] < ropes[0].low, delta[..., 0] > ropes[0].high
    return np.stack([left, ~(left | right), right], axis=-1).astype(float)
