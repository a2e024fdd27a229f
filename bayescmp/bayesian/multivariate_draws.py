"""Posterior of the multivariate correlated t test by sampling: robust noise, or the weak prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp.bayesian.multivariate_posterior import MultivariatePairedPosterior
from bayescmp.bayesian.regions import membership
from bayescmp.diagnostics import monte_carlo_errors
from bayescmp.posterior import Posterior, summarise
from bayescmp.verdict import Ropes, Verdict, check_threshold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SampledMultivariatePosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class SampledMultivariatePosterior(MultivariatePairedPosterior):
    """Draws of the mean differences of p metrics.

    Attributes
    ----------
    values : mapping of str to ndarray
        "delta" of shape (chain, draw, p) for all p metrics; "Sigma" (chain, draw, k, k) of the k
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

    method: ClassVar[str] = "Bayesian multivariate correlated t test by sampling"
    kind: ClassVar[str] = "multivariate_t_sampled"

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.values

    @property
    def reference(self) -> str:  # type: ignore[override]
        """What the noise is."""
        return "multivariate t noise" if self.noise == "t" else "normal noise"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words

    def select(self, metrics: Sequence[str]) -> SampledMultivariatePosterior:
        """The draws of some of the metrics, with their ropes, in the order given."""
        columns = self._columns(metrics)
        names = tuple(self.metrics[j] for j in columns)
        return replace(
            self, values={**self.values, "delta": self.values["delta"][..., columns]},
            x=self.x[:, columns], metrics=names, metric=", ".join(names),
            rope=Ropes(self.ropes()[j] for j in columns),
        )  # fmt: skip

    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
        """Shares of the draws in the four regions, with their Monte Carlo errors.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the test's own.
        threshold : float
            Probability at which a region is decided for.
        """
        ropes = self.ropes(rope)
        shares = membership(self.values["delta"], ropes)
        p = shares.mean(axis=(0, 1))
        return self._four(
            ropes, check_threshold(threshold), p, monte_carlo_errors(shares),
            floor=1 / shares[..., 0].size,
        )  # fmt: skip

    def summary(self) -> pd.DataFrame:
        """Mean, sd, median and central 95 % interval of each metric's difference, and of ν."""
        import pandas as pd

        rows = {m: summarise(self.values["delta"][..., j]) for j, m in enumerate(self.metrics)}
        if "nu" in self.values:
            rows["nu"] = summarise(self.values["nu"])
        return pd.DataFrame.from_dict(rows, orient="index")

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
