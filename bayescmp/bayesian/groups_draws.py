"""Posterior of several algorithms on one data set by sampling: robust noise, or the weak prior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from bayescmp.bayesian.groups_posterior import GroupsPosterior
from bayescmp.bayesian.multivariate_draws import SampledMultivariatePosterior
from bayescmp.diagnostics import monte_carlo_errors
from bayescmp.posterior import Posterior
from bayescmp.verdict import Ropes, Verdict

__all__ = ["SampledGroupsPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class SampledGroupsPosterior(GroupsPosterior):
    """Draws of the effects of L algorithms in p metrics.

    Attributes
    ----------
    values : mapping of str to ndarray
        "tau" of shape (chain, draw, L, p) for all p metrics; "Sigma" (chain, draw, k, k) of the k
        metrics that were sampled, "nu" (chain, draw) with t noise.
    noise : {"normal", "t"}
        The folds' noise.
    sampled : tuple of str
        The metrics that were sampled; the others follow from them.
    prior_words : str
        The prior in words.
    sample_stats : mapping of str to ndarray
        Statistics of the sampler, shape (chain, draw).
    """

    _: KW_ONLY
    values: Mapping[str, np.ndarray]
    noise: str
    sampled: tuple[str, ...]
    prior_words: str
    sample_stats: Mapping[str, np.ndarray]

    method: ClassVar[str] = "Bayesian blocked MANOVA by sampling"
    kind: ClassVar[str] = "groups_sampled"

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.values

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words

    def pair(self, first: str, second: str) -> SampledMultivariatePosterior:
        """Draws of the difference of two algorithms, second minus first."""
        i, j = self._pair(first, second)
        tau = self.values["tau"]
        values = {k: v for k, v in self.values.items() if k != "tau"}
        return SampledMultivariatePosterior(
            values={**values, "delta": tau[..., j, :] - tau[..., i, :]}, noise=self.noise,
            sampled=self.sampled, prior_words=self.prior_words, sample_stats=self.sample_stats,
            names=(first, second), rope=self.ropes(), metrics=self.metrics,
            metric=", ".join(self.metrics), dataset=self.dataset, x=self.x[j] - self.x[i],
            rho=self.rho, engine=self.engine, engine_version=self.engine_version,
            diagnostics=self.diagnostics, seed=self.seed, notes=self.notes,
        )  # fmt: skip

    def _decide(self, first: str, second: str, ropes: Ropes, threshold: float) -> Verdict:
        pair = self.pair(first, second)
        if self.p > 1:
            return pair.verdict(ropes, threshold=threshold)
        return _three(pair, ropes, threshold)

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {"posterior": dict(self.values), "sample_stats": dict(self.sample_stats),
                "constant_data": {"x": self.x}}  # fmt: skip

    def _coords(self) -> tuple[dict[str, Any], dict[str, Any]]:
        coords, dims = super()._coords()
        coords |= {"sampled": list(self.sampled), "sampled_": list(self.sampled)}
        return coords, {**dims, "Sigma": ["sampled", "sampled_"]}

    def _attributes(self) -> dict[str, Any]:
        more = {
            "noise": self.noise,
            "sampled": list(self.sampled),
            "prior_words": self.prior_words,
        }
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: dict[str, Any], more: dict[str, Any], groups: Any) -> Posterior:
        values = {k: v.to_numpy() for k, v in groups["posterior"].data_vars.items()}
        stats = {k: v.to_numpy() for k, v in groups["sample_stats"].data_vars.items()}
        for name in ("metrics", "sampled"):
            more[name] = tuple(more[name])
        x = groups["constant_data"]["x"].to_numpy()
        return cls(**common, **more, values=values, sample_stats=stats, x=x)


def _three(pair: SampledMultivariatePosterior, ropes: Ropes, threshold: float) -> Verdict:
    """One metric's verdict, over three regions, from the draws of its difference."""
    d, rope = pair.values["delta"][..., 0], ropes[0]
    left, right = d < rope.low, d > rope.high
    shares = np.stack([left, ~(left | right), right], axis=-1).astype(float)
    p, errors = shares.mean(axis=(0, 1)), monte_carlo_errors(shares)
    names = ("left", "rope", "right")
    return Verdict(
        dict(zip(names, map(float, p), strict=True)),
        dict(zip(names, map(float, errors), strict=True)),
        pair.names, rope, threshold, floor=1 / d.size, method=f"{pair.method}, {pair.reference}",
        metric=pair.metric, target=pair.target, prior=pair.prior_text,
    )  # fmt: skip
