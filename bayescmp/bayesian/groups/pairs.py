"""Posteriors of the difference of two of several algorithms, which name the test of them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtr, stdtrit

from bayescmp.bayesian.multivariate.sampled import SampledMultivariatePosterior
from bayescmp.bayesian.paired.base import PairedPosterior
from bayescmp.diagnostics import mean_errors
from bayescmp.draws import summary_frame
from bayescmp.fitted import Fitted
from bayescmp.posterior import probabilities_of
from bayescmp.rho import inflation, other_rhos
from bayescmp.verdict import Verdict, as_rope, check_threshold

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Groups, Json, Variation
    from bayescmp.verdict.rope import RopesLike

__all__ = ["MixturePosterior", "SampledPairPosterior"]

#: Every how many draws make up the density that is drawn.
EVERY = 20


@dataclass(frozen=True, eq=False, repr=False)
class MixturePosterior(PairedPosterior):
    """Posterior of one metric's difference: a t whose scale has a posterior of its own.

    Attributes
    ----------
    df : int
        Degrees of freedom.
    location : float
        Mean of the differences.
    scales : ndarray of shape (chain, draw)
        Draws of the scale.
    source, prior_words : str
        What was fitted, and its prior, in words.
    """

    _: KW_ONLY
    df: int
    location: float
    scales: np.ndarray
    source: str
    prior_words: str

    kind: ClassVar[str] = "groups_pair_t"
    stored: ClassVar[dict[str, tuple[str, ...]]] = {
        "posterior": ("scale",),
        "constant_data": ("x",),
    }
    fixed: ClassVar[Mapping[str, str]] = {"prior": "Jeffreys' has nothing to set"}

    @property
    def method(self) -> str:  # type: ignore[override]
        """What was fitted, in words."""
        return self.source

    @property
    def reference(self) -> str:  # type: ignore[override]
        """The distribution, in words."""
        return f"mixture of t's with {self.df} degrees of freedom"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of δ, "delta" of shape (chain, draw)."""
        z = np.random.default_rng(self.seed).standard_t(self.df, self.scales.shape)
        return {"delta": self.location + self.scales * z}

    def cdf(self, x: float) -> float:
        """Posterior probability of a difference of at most x.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
        >>> pair = groups(x, rho=0.25, rope=0.02, variances="own", seed=1).pair("A1", "A2")
        >>> pair.cdf(1.0) > 0.999
        True
        """
        return float(stdtr(self.df, (x - self.location) / self.scales).mean())

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities that δ is left of, in and right of the rope, averaged over the scales.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another region than the test's own.
        threshold : float
            Probability at which a region is decided for.

        See Also
        --------
        bayescmp.frequentist.pairwise_t

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
        >>> pair = groups(x, rho=0.25, rope=0.02, variances="own", seed=1).pair("A1", "A2")
        >>> pair.verdict().ranked[0]
        'rope'
        """
        region = self.rope if rope is None else as_rope(rope)
        left = stdtr(self.df, (region.low - self.location) / self.scales)
        right = stdtr(self.df, (self.location - region.high) / self.scales)
        inside = np.zeros_like(left) if region.empty else np.maximum(1 - left - right, 0.0)
        p = np.stack([left, inside, right], axis=-1)
        errors = np.maximum(mean_errors(p), 1e-15)
        return self._verdict(
            region,
            check_threshold(threshold),
            p.mean(axis=(0, 1)),
            errors,
            floor=1 / self.scales.size,
        )

    def variations(self, *, datasets: bool = True, refit: bool = False) -> Iterator[Variation]:
        """Other correlations of folds: only the scales depend on them.

        See Also
        --------
        bayescmp.Posterior.variations : What it yields.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
        >>> pair = groups(x, rho=0.25, rope=0.02, variances="own", seed=1).pair("A1", "A2")
        >>> [setting for _, setting, _ in pair.variations()]
        ['0', '0.5']
        """
        n = len(self.x)
        for rho in other_rhos(self.rho):
            factor = np.sqrt(inflation(n, rho) / inflation(n, self.rho))
            other = replace(self, rho=rho, scales=self.scales * factor)
            yield "rho", f"{rho:.3g}", probabilities_of(other)

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Density of δ on a grid, in units of the metric.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
        >>> pair = groups(x, rho=0.25, rope=0.02, variances="own", seed=1).pair("A1", "A2")
        >>> grid, density = pair.density()
        >>> grid.shape
        (401,)
        """
        from scipy.stats import t

        scales = self.scales.ravel()[::EVERY]
        reach = float(np.median(scales)) * stdtrit(self.df, 0.9995)
        x = self.location + reach * np.linspace(-1, 1, 401)
        return x, t.pdf(x[:, None], self.df, self.location, scales).mean(axis=1)

    def interval(self, prob: float = 0.95) -> tuple[float, float]:
        """Central interval of that probability: the density is symmetric, so the shortest one.

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
        >>> pair = groups(x, rho=0.25, rope=0.02, variances="own", seed=1).pair("A1", "A2")
        >>> low, high = pair.interval()
        >>> low < pair.location < high
        True
        """
        beyond = stdtrit(self.df, (1 + prob) / 2)
        inner, outer = self.scales.min() * beyond * 0.999, self.scales.max() * beyond * 1.001
        target = (1 + prob) / 2
        half = brentq(lambda h: self.cdf(self.location + h) - target, inner, outer)
        return self.location - half, self.location + half

    def summary(self) -> pd.DataFrame:
        """Posterior of δ: mean, sd, median, central 95 % interval.

        See Also
        --------
        bayescmp.frequentist.pairwise_t

        Examples
        --------
        >>> from bayescmp.bayesian import groups
        >>> x = [[0.71, 0.74, 0.69, 0.72], [0.71, 0.75, 0.69, 0.72], [0.60, 0.83, 0.69, 0.80]]
        >>> pair = groups(x, rho=0.25, rope=0.02, variances="own", seed=1).pair("A1", "A2")
        >>> pair.summary()["mean"].round(4).to_dict()
        {'delta': 0.0025}
        """
        low, high = self.interval()
        spread = float(np.sqrt(np.mean(self.scales**2)))
        sd = spread * np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf
        row = {
            "mean": self.location,
            "sd": float(sd),
            "median": self.location,
            "2.5%": low,
            "97.5%": high,
        }
        return summary_frame({"delta": row}, self.measured)

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {"posterior": {**self.draws, "scale": self.scales}, "constant_data": {"x": self.x}}

    def _attributes(self) -> Json:
        more = {
            "df": self.df,
            "location": self.location,
            "source": self.source,
            "prior_words": self.prior_words,
        }
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        x, scales = groups["constant_data"]["x"], groups["posterior"]["scale"]
        return cls(**common, **more, x=x.to_numpy(), scales=scales.to_numpy())


@dataclass(frozen=True, eq=False, repr=False)
class SampledPairPosterior(SampledMultivariatePosterior):
    """Draws of the difference of two of several algorithms in p metrics.

    Attributes
    ----------
    source : str
        What was fitted, in words.
    """

    _: KW_ONLY
    source: str

    kind: ClassVar[str] = "groups_pair"
    #: All algorithms were fitted together, and only two of them are here.
    refits: ClassVar[bool] = False

    @property
    def method(self) -> str:  # type: ignore[override]
        """What was fitted, in words."""
        return self.source

    def _attributes(self) -> Json:
        return {**super()._attributes(), "source": self.source}
