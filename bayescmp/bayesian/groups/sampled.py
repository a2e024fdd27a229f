"""Posterior of several algorithms on one data set by sampling: robust noise, or the weak prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.groups.pairs import SampledPairPosterior
from bayescmp.bayesian.sampling.posterior import SampledPosterior
from bayescmp.diagnostics import share_errors
from bayescmp.verdict import THREE, Ropes, Verdict, central

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
        return f"folds as blocks, {noise} noise, one covariance for all algorithms"

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
        values = {k: v for k, v in self.values.items() if k != "tau"}
        return SampledPairPosterior(
            values={**values, "delta": tau[..., j, :] - tau[..., i, :]},
            noise=self.noise,
            sampled=self.sampled,
            prior_words=self.prior_words,
            sample_stats=self.sample_stats,
            rope=self.ropes(),
            metrics=self.metrics,
            x=self.x[j] - self.x[i],
            **self._common(first, second),
        )

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        pair = self.pair(first, second)
        if self.p > 1:
            return pair.verdict(ropes, threshold=threshold)
        return _three(pair, ropes, threshold)


def _three(pair: SampledPairPosterior, ropes: Ropes, threshold: float) -> Verdict:
    """One metric's verdict, over three regions, from the draws of its difference."""
    d, rope = pair.values["delta"][..., 0], ropes[0]
    left, right = d < rope.low, d > rope.high
    shares = np.stack([left, ~(left | right), right], axis=-1).astype(float)
    return Verdict.of(
        THREE,
        shares.mean(axis=(0, 1)),
        share_errors(shares),
        names=pair.names,
        rope=rope,
        threshold=threshold,
        floor=1 / d.size,
        method=f"{pair.method}, {pair.reference}",
        **pair.described(),
        target=pair.target,
        prior=pair.prior_text,
        quantity=pair.quantity,
        mean_interval=central(pair.values["delta"]),
    )
