"""The next data set's difference: a mixture of Student distributions, one for each draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, stdtr, stdtrit

from bayescmp.bounds import underflow_is_zero

__all__ = ["next_interval"]

#: Every 16th draw locates a quantile roughly; one or two steps then use all draws.
_THINNED = 16
#: A step of this many scales leaves an error of its cube: under a hundred-thousandth.
_LAST_STEP = 0.03


class _Mixture(NamedTuple):
    delta0: np.ndarray
    sigma0: np.ndarray
    nu: np.ndarray
    peak: np.ndarray  # the densities at delta0

    @classmethod
    def of(cls, upper: Mapping[str, np.ndarray]) -> _Mixture:
        delta0, sigma0, nu = (upper[name].ravel() for name in ("delta0", "sigma0", "nu"))
        log = gammaln((nu + 1) / 2) - gammaln(nu / 2)
        return cls(delta0, sigma0, nu, np.exp(log) / (np.sqrt(nu * np.pi) * sigma0))

    def thinned(self) -> _Mixture:
        return _Mixture(*(values[::_THINNED] for values in self))

    def cdf(self, x: float) -> float:
        return float(stdtr(self.nu, (x - self.delta0) / self.sigma0).mean())

    def slopes(self, x: float) -> tuple[float, float]:
        """The density and its derivative."""
        nu, z = self.nu, (x - self.delta0) / self.sigma0
        density = self.peak * np.exp(-(nu + 1) / 2 * np.log1p(z * z / nu))
        derivative = -density * (nu + 1) * z / ((nu + z * z) * self.sigma0)
        return float(density.mean()), float(derivative.mean())


@underflow_is_zero
def next_interval(upper: Mapping[str, np.ndarray], prob: float = 0.95) -> tuple[float, float]:
    """Central predictive interval of the next data set's difference, averaged over the draws.

    The quantiles of the mixture of t_ν(δ0, σ0): no further draw is made.
    """
    mixture = _Mixture.of(upper)
    low, high = (_quantile(mixture, p) for p in ((1 - prob) / 2, (1 + prob) / 2))
    return low, high


def _quantile(mixture: _Mixture, p: float) -> float:
    """From the median draw's quantile by some of the draws to that by all."""
    delta0, sigma0, nu, _ = map(np.median, mixture)
    scale = float(sigma0)
    x = float(delta0 + sigma0 * stdtrit(nu, p))
    return _solved(mixture, p, _solved(mixture.thinned(), p, x, scale), scale)


def _solved(mixture: _Mixture, p: float, x: float, scale: float) -> float:
    """Where the distribution function is p: Halley's method, kept in its bracket."""
    low, high, reach = -np.inf, np.inf, scale
    for _ in range(200):
        excess = mixture.cdf(x) - p
        low, high = (x, high) if excess < 0 else (low, x)
        slope, bend = mixture.slopes(x)
        curved = slope - excess * bend / (2 * slope) if slope > 0 else 0.0
        following = x - excess / curved if curved > 0 else np.inf
        if abs(following - x) <= _LAST_STEP * scale:
            return following
        if not (low < following < high and abs(following - x) <= reach):
            ends_known = np.isfinite(low) and np.isfinite(high)
            following = (low + high) / 2 if ends_known else x - np.copysign(reach, excess)
            reach *= 2
        x = following
    return x
