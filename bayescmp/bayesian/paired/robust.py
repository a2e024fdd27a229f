"""Posterior of the robust correlated t test: a sampler's draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescmp import _arviz
from bayescmp.bayesian.paired.base import PairedPosterior
from bayescmp.diagnostics import monte_carlo_errors
from bayescmp.engines.base import Fit
from bayescmp.posterior import Posterior, summarise
from bayescmp.verdict import Verdict, as_rope, check_threshold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RobustPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class RobustPosterior(PairedPosterior):
    """Posterior of the robust correlated t test: draws of δ, σ and ν.

    Attributes
    ----------
    nu_mean : float
        Prior mean of ν − 1.
    fit : Fit
        What the engine found, in units of the metric.
    """

    _: KW_ONLY
    nu_mean: float
    fit: Fit

    method: ClassVar[str] = "Bayesian robust correlated t test"
    kind: ClassVar[str] = "robust_t"
    reference: ClassVar[str] = "after Kruschke 2013 and Corani & Benavoli 2015"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return f"p(δ, σ) ∝ 1/σ, ν − 1 ~ Exponential of mean {self.nu_mean:g}"

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta, sigma and nu, each of shape (chain, draw), in units of the metric."""
        return self.fit.draws

    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
        """Shares of the draws of δ left of, in and right of the rope.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another region than the test's own; nothing is fitted again.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
        """
        region = self.rope if rope is None else as_rope(rope)
        delta = self.draws["delta"]
        left, right = delta < region.low, delta > region.high
        shares = np.stack([left, ~(left | right), right], axis=-1).astype(float)
        return self._verdict(
            region, check_threshold(threshold), shares.mean(axis=(0, 1)),
            monte_carlo_errors(shares), floor=1 / delta.size,
        )  # fmt: skip

    def summary(self) -> pd.DataFrame:
        """Posterior of δ, σ and ν: mean, sd, median, central 95 % interval, diagnostics.

        Returns
        -------
        DataFrame
        """
        import pandas as pd

        rows = {
            name: {**summarise(draws), "ess_bulk": _arviz.ess(draws, "bulk"),
                   "ess_tail": _arviz.ess(draws, "tail"), "rhat": _arviz.rhat(draws)}
            for name, draws in self.draws.items()
        }  # fmt: skip
        return pd.DataFrame.from_dict(rows, orient="index")

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Kernel estimate of the density of δ, in units of the metric.

        δ has heavy tails: its spread is taken from its quartiles, and the grid ends where all but
        a thousandth of the draws are within.
        """
        flat = np.sort(self.draws["delta"].ravel())
        low, first, third, high = np.quantile(flat, [0.0005, 0.25, 0.75, 0.9995])
        width = 0.9 * (third - first) / 1.34 * len(flat) ** -0.2  # Silverman's rule
        x = np.linspace(low, high, 400)
        kernel = np.exp(-0.5 * ((x[:, None] - flat) / width) ** 2)
        return x, kernel.sum(axis=1) / (len(flat) * width * np.sqrt(2 * np.pi))

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {**super()._groups(), "sample_stats": dict(self.fit.sample_stats)}

    def _attributes(self) -> dict[str, Any]:
        return {**super()._attributes(), "nu_mean": self.nu_mean}

    @classmethod
    def _restore(cls, common: dict[str, Any], more: dict[str, Any], groups: Any) -> Posterior:
        draws, stats = (
            {k: v.to_numpy() for k, v in groups[group].data_vars.items()}
            for group in ("posterior", "sample_stats")
        )
        fit = Fit(common["engine"], common["engine_version"], draws, stats)
        return cls(**common, **more, x=groups["constant_data"]["x"].to_numpy(), fit=fit)
