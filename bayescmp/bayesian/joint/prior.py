"""The prior of the joint hierarchical test."""

from __future__ import annotations

from dataclasses import dataclass

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.text import exactly

__all__ = ["JointPrior"]

#: Fields that are numbers over 0.
POSITIVE = ("scale_median", "scale_sd", "factor_scale", "mean_scale", "mean_floor", "nu_offset")


@dataclass(frozen=True)
class JointPrior:
    """Prior of `joint_t`; lengths are in units of the typical spread between data sets.

    That unit is the median over pairs of the standard deviation of their mean differences, over
    √2.

    Attributes
    ----------
    factors : int or None
        K, the most dimensions in which algorithms may vary together from data set to data set, at
        most L − 2 and q − 1, which None allows up to 3.
    scale_median, scale_sd : float
        log A ~ N(log median, sd), A the common scale of the algorithms' own spreads: far above
        one, so that the scale of a pair has a nearly flat density at zero.
    factor_scale : float
        ω_k, the size of the algorithms' loadings on factor k, is half-t with four degrees of
        freedom and this scale over √K.
    mean_scale, mean_floor : float
        The variance of the effects on average has a flat density above the floor's square and up
        to about the scale's, and their direction is uniform: averages are pulled towards one
        another, the more so the more algorithms there are; of three the prior is flat. 10⁶ for
        both makes it flat for any number.
    alpha, beta : (float, float)
        Ends of the uniform distributions of α and β.
    nu_offset : float
        ν less this ~ Gamma(α, β).

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.bayesian.JointPrior().scale_median
    30.0
    """

    factors: int | None = None
    scale_median: float = 30.0
    scale_sd: float = 1.5
    factor_scale: float = 0.3
    mean_scale: float = 30.0
    mean_floor: float = 0.05
    alpha: tuple[float, float] = (0.5, 5.0)
    beta: tuple[float, float] = (0.05, 0.15)
    nu_offset: float = 1.0

    def __post_init__(self) -> None:
        if self.factors is not None:
            checks.whole("factors", self.factors, least=0)
        for name in POSITIVE:
            if not 0 < getattr(self, name) < float("inf"):
                raise InputError(f"{name}={getattr(self, name)!r}; accepted: a number over 0")
        for name in ("alpha", "beta"):
            low, high = getattr(self, name)
            if not 0 < low <= high < float("inf"):
                raise InputError(f"{name}={(low, high)!r}; accepted: two ends, 0 < low <= high")

    def columns(self, algorithms: int, datasets: int) -> int:
        """K for this many algorithms and data sets.

        Examples
        --------
        >>> import bayescmp as bc
        >>> bc.bayesian.JointPrior().columns(8, 14)
        3
        """
        return max(min(algorithms - 2, datasets - 1, self._most), 0)

    @property
    def _most(self) -> int:
        return 3 if self.factors is None else self.factors

    def __str__(self) -> str:
        """The whole prior: two that differ never read the same."""
        return self.in_words(f"K ≤ {self._most}")

    def in_words(self, factors: str, unit: float | None = None) -> str:
        """The prior, with what is known of K.

        Parameters
        ----------
        factors : str
            "K = 2", or "K ≤ 3" before there are data.
        unit : float, optional
            What Σ0 is in units of, in units of the metric: the typical standard deviation of a
            pair's mean differences, over √2.

        Examples
        --------
        >>> import bayescmp as bc
        >>> bc.bayesian.JointPrior().in_words("K = 2", unit=0.01).split(": ")[0]
        'K = 2, in units of 0.01 [median sd of pairs / √2]'

        See Also
        --------
        joint_t
        """
        rule = "median sd of pairs / √2"
        units = rule if unit is None else f"{unit:.4g} [{rule}]"
        a, b = (", ".join(map(exactly, ends)) for ends in (self.alpha, self.beta))
        return (
            f"{factors}, in units of {units}: Σ0 = diag(ψ²) + ΛΛᵀ, ψ²/A² ~ beta prime(1/4, 1), "
            f"log A ~ N(log {exactly(self.scale_median)}, {exactly(self.scale_sd)}), "
            f"Λ_lk ~ N(0, ω_k²), ω_k ~ half-t(4, scale {exactly(self.factor_scale)}/√K), "
            f"variance of μ over {exactly(self.mean_floor)}² ~ "
            f"{exactly(self.mean_scale)}² beta prime(1, 1/2), "
            f"ν − {exactly(self.nu_offset)} ~ Gamma(α, β), α ~ U({a}), β ~ U({b})"
        )
