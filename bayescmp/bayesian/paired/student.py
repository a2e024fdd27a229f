"""A posterior that is a t distribution, moved and scaled: density, quantiles, draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, stdtr, stdtrit

from bayescmp.bayesian.paired.base import (
    PairedPosterior,
)
from bayescmp.errors import InputError
from bayescmp.posterior import CHAINS, DRAWS

__all__ = ["StudentPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class StudentPosterior(PairedPosterior):
    """The posterior δ ~ t_df(location, scale); all mass on one point where the scale is 0.

    See `CorrelatedPosterior` for its attributes.
    """

    _: KW_ONLY
    df: int
    location: float
    scale: float

    def pdf(self, x: ArrayLike) -> np.ndarray:
        """Density of δ.

        Parameters
        ----------
        x : array_like
            In units of the metric.

        Raises
        ------
        InputError
            If all mass is on one point.

        See Also
        --------
        bayescmp.frequentist.corrected_t : Rests on the same t distribution.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
        >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01)
        >>> posterior.pdf([0.0, 0.0275]).round(2).tolist()
        [0.1, 69.93]
        """
        if self.scale == 0:
            raise InputError(
                "all differences are equal: the posterior is a point, without density"
            )
        t, v = (np.asarray(x, dtype=float) - self.location) / self.scale, self.df
        constant = gammaln((v + 1) / 2) - gammaln(v / 2) - np.log(v * np.pi) / 2
        return np.exp(constant - (v + 1) / 2 * np.log1p(t * t / v)) / self.scale

    def cdf(self, x: ArrayLike) -> np.ndarray:
        """Posterior probability of a difference of at most x.

        Parameters
        ----------
        x : array_like
            In units of the metric.

        See Also
        --------
        bayescmp.frequentist.corrected_t : Rests on the same t distribution.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
        >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01)
        >>> round(float(posterior.cdf(0.01)), 4)  # not practically better
        0.0058
        """
        distance = np.asarray(x, dtype=float) - self.location
        if self.scale == 0:
            return (distance >= 0).astype(float)
        return np.asarray(stdtr(self.df, distance / self.scale))

    def quantile(self, p: ArrayLike) -> np.ndarray:
        """Posterior quantiles.

        Parameters
        ----------
        p : array_like
            Probabilities, 0 to 1.

        Returns
        -------
        ndarray
            In units of the metric.

        Raises
        ------
        InputError
            If a probability is outside [0, 1].

        See Also
        --------
        bayescmp.frequentist.corrected_t : Its confidence interval has the same ends.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
        >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01)
        >>> posterior.quantile([0.025, 0.5, 0.975]).round(4).tolist()
        [0.0149, 0.0275, 0.0401]
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
        """Highest density interval of δ: the density is symmetric, so the central one.

        Parameters
        ----------
        prob : float
            Its probability, in (0, 1).

        Returns
        -------
        low, high : float
            In units of the metric.

        Raises
        ------
        InputError
            If prob is outside (0, 1).

        See Also
        --------
        bayescmp.frequentist.corrected_t : Its confidence interval has the same ends.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
        >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01)
        >>> [round(end, 4) for end in posterior.hdi(0.95)]
        [0.0149, 0.0401]
        """
        if not 0 < prob < 1:
            raise InputError(f"prob={prob!r}; accepted: between 0 and 1, exclusive")
        low, high = self.quantile([(1 - prob) / 2, (1 + prob) / 2])
        return float(low), float(high)

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Density of δ on a grid.

        Returns
        -------
        x, density : ndarray
            In units of the metric; a narrow spike where all mass is on one point.

        See Also
        --------
        bayescmp.frequentist.corrected_t : Rests on the same t distribution.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
        >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01)
        >>> x, density = posterior.density()
        >>> round(float(x[density.argmax()]), 4)
        0.0275
        """
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
