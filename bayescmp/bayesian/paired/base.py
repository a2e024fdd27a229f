"""Posterior of the correlated t test, in closed form, and what all tests on one data set share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import gammaln, stdtr, stdtrit

from bayescmp.differences import ROUNDING
from bayescmp.errors import InputError
from bayescmp.posterior import Posterior
from bayescmp.verdict import Rope, Verdict, as_rope, check_threshold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CorrelatedPosterior", "PairedPosterior"]

REGIONS = ("left", "rope", "right")
#: Draws made of the closed form, in as many chains as a sampler would have.
CHAINS, DRAWS = 4, 2500


@dataclass(frozen=True, eq=False, repr=False)
class PairedPosterior(Posterior):
    """What the posteriors of δ, the mean difference on one data set, share.

    Attributes
    ----------
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (n,)
        The differences.
    rho : float
        Correlation of two of them.
    """

    _: KW_ONLY
    dataset: str
    x: np.ndarray
    rho: float

    reference: ClassVar[str] = ""

    @property
    @abstractmethod
    def prior_text(self) -> str:
        """The prior in words."""

    @abstractmethod
    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Density of δ on a grid, in units of the metric."""

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """The density of δ with the masses of the regions; see `bayescmp.plots`."""
        from bayescmp.plots import plot_density

        return plot_density(self, ax=ax, **options)

    def _verdict(
        self, rope: Rope, threshold: float, p: np.ndarray, errors: np.ndarray, **options: Any
    ) -> Verdict:
        target = f"the data set {self.dataset}" if self.dataset else "this data set"
        return Verdict(
            dict(zip(REGIONS, map(float, p), strict=True)),
            dict(zip(REGIONS, map(float, errors), strict=True)),
            self.names, rope, threshold, method=f"{self.method}, {self.reference}",
            metric=self.metric, target=target, prior=self.prior_text, **options,
        )  # fmt: skip

    def _title(self) -> str:
        where = f" ({self.dataset})" if self.dataset else ""
        return (
            f"{super()._title()}\n{'data':<13}{len(self.x)} differences{where}, rho {self.rho:.4g}"
        )

    # -- saving --------------------------------------------------------------------------------

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {"posterior": dict(self.draws), "constant_data": {"x": self.x}}

    def _coords(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"fold": np.arange(len(self.x)).tolist()}, {"x": ["fold"]}

    def _attributes(self) -> dict[str, Any]:
        return {**super()._attributes(), "rho": self.rho, "dataset": self.dataset}


@dataclass(frozen=True, eq=False, repr=False)
class CorrelatedPosterior(PairedPosterior):
    """Posterior of the Bayesian correlated t test: δ ~ t_df(location, scale).

    Attributes
    ----------
    df : int
        Degrees of freedom, n − 1.
    location : float
        Mean of the differences.
    scale : float
        √(c·s²) with c = 1/n + rho/(1 − rho); 0 where all differences are equal and no resolution
        is known, which leaves all mass on one point.
    """

    _: KW_ONLY
    df: int
    location: float
    scale: float

    method: ClassVar[str] = "Bayesian correlated t test"
    kind: ClassVar[str] = "correlated_t"
    reference: ClassVar[str] = "Corani & Benavoli 2015"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return "p(δ, σ) ∝ 1/σ"

    def pdf(self, x: Any) -> np.ndarray:
        """Density of δ.

        Parameters
        ----------
        x : array_like
            In units of the metric.

        Raises
        ------
        InputError
            If all mass is on one point.
        """
        if self.scale == 0:
            raise InputError(
                "all differences are equal: the posterior is a point, without density"
            )
        t, v = (np.asarray(x, dtype=float) - self.location) / self.scale, self.df
        constant = gammaln((v + 1) / 2) - gammaln(v / 2) - np.log(v * np.pi) / 2
        return np.exp(constant - (v + 1) / 2 * np.log1p(t * t / v)) / self.scale

    def cdf(self, x: Any) -> np.ndarray:
        """Posterior probability of a difference of at most x."""
        distance = np.asarray(x, dtype=float) - self.location
        if self.scale == 0:
            return (distance >= 0).astype(float)
        return np.asarray(stdtr(self.df, distance / self.scale))

    def quantile(self, p: Any) -> np.ndarray:
        """Posterior quantiles.

        Parameters
        ----------
        p : array_like
            Probabilities, 0 to 1.
        """
        p = np.asarray(p, dtype=float)
        if not np.all((p >= 0) & (p <= 1)):
            raise InputError(f"p={p!r}; accepted: probabilities, 0 to 1")
        if self.scale == 0:
            return np.full(p.shape, self.location)
        # stdtrit is not odd to the last digit: the lower half serves both
        lower = np.where(p <= 0.5, p, 1 - p)
        return self.location + np.where(p <= 0.5, 1, -1) * self.scale * stdtrit(self.df, lower)

    def hdi(self, prob: float = 0.95) -> tuple[float, float]:
        """Shortest interval of that probability: the density is symmetric, so the central one."""
        if not 0 < prob < 1:
            raise InputError(f"prob={prob!r}; accepted: over 0 and under 1")
        low, high = self.quantile([(1 - prob) / 2, (1 + prob) / 2])
        return float(low), float(high)

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Density of δ on a grid, in units of the metric; a narrow spike for a point."""
        if self.scale == 0:
            width = 1e-3 * (max(abs(self.location), self.rope.high, -self.rope.low) or 1.0)
            return self.location + width * np.array([-1.0, 0.0, 1.0]), np.array([0, 1 / width, 0])
        x = self.location + self.scale * stdtrit(self.df, 0.9995) * np.linspace(-1, 1, 401)
        return x, self.pdf(x)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Independent draws of δ, "delta" of shape (chain, draw)."""
        rng = np.random.default_rng(self.seed)
        return {"delta": self.location + self.scale * rng.standard_t(self.df, (CHAINS, DRAWS))}

    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
        """Probabilities that δ is left of, in and right of the rope.

        Parameters
        ----------
        rope : float or (float, float), optional
            Another region than the test's own.
        threshold : float
            Probability at which a region is decided for.

        Returns
        -------
        Verdict
            Exact.
        """
        region = self.rope if rope is None else as_rope(rope)
        left, right = (self._tail(d, region) for d in self._distances(region))
        inside = 0.0 if region.empty else max(1 - left - right, 0.0)
        p = np.array([left, inside, right])
        return self._verdict(
            region, check_threshold(threshold), p, np.full(3, 1e-15), floor=1e-15, exact=True
        )

    def _distances(self, rope: Rope) -> tuple[float, float]:
        """How far the location is beyond the left and the right end of the rope."""
        return rope.low - self.location, self.location - rope.high

    def _tail(self, beyond: float, rope: Rope) -> float:
        """Posterior mass outside the end that the location is so far beyond.

        A point at the end itself belongs to the rope; with no rope it counts half to each side.
        """
        if self.scale > 0:
            return float(stdtr(self.df, beyond / self.scale))
        if abs(beyond) <= ROUNDING * max(abs(self.location), rope.high, -rope.low):
            return 0.5 if rope.empty else 0.0
        return float(beyond > 0)

    def summary(self) -> pd.DataFrame:
        """Posterior of δ: mean, sd, median, central 95 % interval.

        Returns
        -------
        DataFrame
            The sd is infinite for two or three differences.
        """
        import pandas as pd

        low, high = self.hdi(0.95)
        sd = self.scale * np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf
        row = {"mean": self.location, "sd": float(sd) if self.scale else 0.0,
               "median": self.location, "2.5%": low, "97.5%": high}  # fmt: skip
        return pd.DataFrame.from_dict({"delta": row}, orient="index")

    def _attributes(self) -> dict[str, Any]:
        more = {"df": self.df, "location": self.location, "scale": self.scale}
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: dict[str, Any], more: dict[str, Any], groups: Any) -> Posterior:
        return cls(**common, **more, x=groups["constant_data"]["x"].to_numpy())
