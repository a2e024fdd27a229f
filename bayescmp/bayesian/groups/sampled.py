"""Posterior of several algorithms on one data set by sampling: robust noise, or the weak prior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.groups.levels import helmert
from bayescmp.bayesian.groups.pairs import SampledPairPosterior
from bayescmp.bayesian.groups.stan import sample_groups
from bayescmp.bayesian.sampling.posterior import SampledPosterior
from bayescmp.bayesian.sampling.predictive import FoldModel
from bayescmp.diagnostics import share_errors
from bayescmp.pairs import Pair, PairVariation, all_probabilities
from bayescmp.rho import other_rhos
from bayescmp.verdict import THREE, Rope, Ropes, Verdict, central

__all__ = ["SampledGroupsPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class SampledGroupsPosterior(SampledPosterior, GroupsPosterior):
    """Draws of the effects of L algorithms in p metrics.

    Its own variable is "tau" of shape (chain, draw, L, p); see `SampledPosterior` for the rest.
    """

    kind: ClassVar[str] = "groups_sampled"
    stored: ClassVar[dict[str, tuple[str, ...]]] = {"posterior": ("tau",), "constant_data": ("x",)}

    @property
    def reference(self) -> str:  # type: ignore[override]
        """What the noise is."""
        noise = "multivariate t" if self.noise == "t" else "normal"
        all_of_them = f"one covariance for all {self.subject}s"
        return f"{self.sample}s as blocks, {noise} noise, {all_of_them}"

    def pair_variations(
        self, *, datasets: bool = True, refit: bool = False
    ) -> Iterator[PairVariation]:
        """Other prior means of ν, by reweighting; other correlations of folds, exactly.

        Where k-hat of the weights is over 0.7 the model is fitted again in any case, which takes a
        second or two.

        See Also
        --------
        PairsPosterior.pair_variations : What it yields.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, noise="t", seed=1)  # doctest: +SKIP
        >>> [question for question, _, _ in posterior.pair_variations()]  # doctest: +SKIP
        ['prior', 'prior', 'rho', 'rho']
        """
        refitted = self._refitted if self.whole and self.refits else None
        for setting, p in self.nu_variations(self._weighted, refitted):
            yield "prior", setting, p
        for rho in other_rhos(self.rho) if self.movable else ():
            other = replace(self, rho=rho, values=self.moved("tau", rho))
            yield "rho", f"{rho:.3g}", all_probabilities(other)

    def pair(self, first: str, second: str) -> SampledPairPosterior:
        """Draws of the difference of two algorithms, second minus first.

        See Also
        --------
        bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
        >>> posterior = groups(x, rho=0.25, rope=0.02, noise="t", seed=1)  # doctest: +SKIP
        >>> posterior.pair("A1", "A3").draws["delta"].shape  # doctest: +SKIP
        (4, 1000, 1)
        """
        i, j = self._pair(first, second)
        tau = self.values["tau"]
        values = {k: v for k, v in self.values.items() if k not in ("tau", "centre", "Sigma")}
        values["Sigma"] = 2 * self.values["Sigma"]
        if "centre" in self.values:
            centre = self.values["centre"]
            values["centre"] = centre[..., j, :] - centre[..., i, :]
        return SampledPairPosterior(
            values={**values, "delta": tau[..., j, :] - tau[..., i, :]},
            noise=self.noise,
            sampled=self.sampled,
            prior_words=self.prior_words,
            sample_stats=self.sample_stats,
            nu_mean=self.nu_mean,
            rope=self.ropes(),
            metrics=self.metrics,
            x=self.x[j] - self.x[i],
            **self._common(first, second),
        )

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if not self.movable:
            return {}
        H, values = helmert(len(self.algorithms)), self.values
        y = np.einsum("ml,lnp->nmp", H, self.x)
        centre = np.einsum("ml,cdlp->cdmp", H, values["centre"])
        model = FoldModel(y, centre, values["Sigma"], self.rho, values.get("nu"))
        return {**model.groups("contrasts", self.seed), **self._nu_log_prior()}

    def _weighted(self, weights: np.ndarray) -> dict[Pair, np.ndarray]:
        """Probabilities of all pairs' regions with weights of the draws."""
        return {pair: self._shares(self.pair(*pair), weights) for pair in self.pairs}

    def _shares(self, pair: SampledPairPosterior, weights: np.ndarray) -> np.ndarray:
        if self.p > 1:
            return pair.weighted(weights)
        return np.asarray((weights[..., None] * _sides(pair, self.ropes()[0])).sum(axis=(0, 1)))

    def _refitted(self, nu_mean: float) -> dict[Pair, np.ndarray]:
        """The same of the same scores under another prior of ν."""
        again = sample_groups(self.x, **self.sampling_options(nu_mean))
        other = replace(self, values=again.draws, diagnostics=again.diagnostics)
        other.warn_if_doubtful()
        return all_probabilities(other)

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        pair = self.pair(first, second)
        if self.p > 1:
            return pair.verdict(ropes, threshold=threshold)
        return _three(pair, ropes, threshold)


def _sides(pair: SampledPairPosterior, rope: Rope) -> np.ndarray:
    """Whether each draw of one metric's difference is left of, in or right of the rope."""
    d = pair.values["delta"][..., 0]
    left, right = d < rope.low, d > rope.high
    return np.stack([left, ~(left | right), right], axis=-1).astype(float)


def _three(pair: SampledPairPosterior, ropes: Ropes, threshold: float) -> Verdict:
    """One metric's verdict, over three regions, from the draws of its difference."""
    rope = ropes[0]
    shares = _sides(pair, rope)
    return Verdict.of(
        THREE,
        shares.mean(axis=(0, 1)),
        share_errors(shares),
        names=pair.names,
        rope=rope,
        threshold=threshold,
        floor=1 / shares[..., 0].size,
        method=f"{pair.method}, {pair.reference}",
        **pair.described(),
        target=pair.target,
        prior=pair.prior_text,
        quantity=pair.quantity,
        mean_interval=central(pair.values["delta"]),
    )
