"""The distribution of a difference of two independent t variables (Behrens and Fisher)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from scipy.special import gammaln, stdtr, stdtrit

__all__ = ["BehrensFisher"]

#: Gauss-Legendre nodes of a panel, and what may be left out on either side.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
BEYOND = 1e-18


@dataclass(frozen=True)
class BehrensFisher:
    """location + scale₂·t₂ - scale₁·t₁, with independent Student variables t₁ and t₂.

    Probabilities are integrals over the narrower variable of those of the wider one given it, by
    panels that double in width from where the density of the one is large and from where the
    distribution function of the other has its step.

    Attributes
    ----------
    location : float
    scales : (float, float)
        Not negative; at least one is positive.
    dfs : (int, int)
        Degrees of freedom.
    """

    location: float
    scales: tuple[float, float]
    dfs: tuple[int, int]

    @property
    def sd(self) -> float:
        """Standard deviation, infinite where either has 2 degrees of freedom or fewer."""
        parts = [
            0.0 if s == 0 else s**2 * v / (v - 2) if v > 2 else np.inf
            for s, v in zip(self.scales, self.dfs, strict=True)
        ]
        return float(np.sqrt(sum(parts)))

    def cdf(self, x: ArrayLike) -> np.ndarray:
        """Probability of at most x; of the lower tail without loss of digits."""
        return self._mixed(x, lambda gap, wide, df: stdtr(df, gap / wide))

    def sf(self, x: ArrayLike) -> np.ndarray:
        """Probability of more than x; of the upper tail without loss of digits."""
        return self._mixed(x, lambda gap, wide, df: stdtr(df, -gap / wide))

    def pdf(self, x: ArrayLike) -> np.ndarray:
        """Density."""
        return self._mixed(x, lambda gap, wide, df: _density(gap / wide, df) / wide)

    def _mixed(
        self, x: ArrayLike, of: Callable[[np.ndarray, float, int], np.ndarray]
    ) -> np.ndarray:
        """A function of the wider variable, averaged over the narrower."""
        pairs = sorted(zip(self.scales, self.dfs, strict=True))
        (narrow, df), (wide, wide_df) = pairs
        gaps = np.atleast_1d(np.asarray(x, dtype=float)) - self.location
        if narrow == 0:
            values = of(gaps, wide, wide_df)
        else:
            values = np.empty(gaps.shape)
            for place, gap in np.ndenumerate(gaps):
                t, weights = _panels(float(gap / narrow), wide / narrow, df)
                values[place] = of(gap - narrow * t, wide, wide_df) @ weights
        return np.asarray(values.reshape(np.shape(x)))

    def quantile(self, p: ArrayLike) -> np.ndarray:
        """Quantiles of probabilities between 0 and 1, exclusive."""
        shape = np.shape(p)
        quantiles = [self._quantile(float(q)) for q in np.ravel(p)]
        return np.array(quantiles).reshape(shape)

    def _quantile(self, p: float) -> float:
        lower = min(p, 1 - p)  # symmetric about the location
        wide = sum(self.scales)
        reach = wide
        while float(self.cdf(self.location - reach)) > lower:
            reach *= 2
        low, high = self.location - reach, self.location
        root = optimize.brentq(
            lambda x: float(self.cdf(x)) - lower, low, high, xtol=1e-13 * wide, rtol=1e-15
        )
        return float(root if p <= 0.5 else 2 * self.location - root)


def _panels(step: float, width: float, df: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes in t and their weights, times the density of t.

    Parameters
    ----------
    step, width : float
        Where the other's distribution function has its step in t, and how wide it is (at least 1).
    df : int
    """
    reach = max(-float(stdtrit(df, BEYOND)), abs(step) + 50 * width)
    doubling = 0.5 * 2.0 ** np.arange(np.ceil(np.log2(reach)) + 2)
    arms = np.r_[-doubling[::-1], 0.0, doubling]
    edges = np.unique(np.r_[arms, step + width * arms])
    edges = edges[np.abs(edges) <= 2 * reach]
    half = np.diff(edges)[:, None] / 2
    t = ((edges[1:] + edges[:-1]) / 2)[:, None] + half * NODES
    weights = _density(t, df) * half * WEIGHTS
    return t.ravel(), weights.ravel()


def _density(t: np.ndarray, df: int) -> np.ndarray:
    constant = gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2
    return np.asarray(np.exp(constant - (df + 1) / 2 * np.log1p(t * t / df)))
