"""Prior of the hierarchical multivariate t test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.errors import InputError
from bayescmp.text import exactly

if TYPE_CHECKING:
    from bayescmp.typing import Json


__all__ = ["MultivariatePrior"]


@dataclass(frozen=True)
class MultivariatePrior:
    """Prior of the hierarchical multivariate test.

    δ0_k ~ N(0, delta0_sd_k), τ_k ~ half-t of tau_df degrees of freedom and scale tau_scale_k,
    Ω ~ LKJ(lkj), ν − 1 ~ Gamma(α, β), α ~ Uniform(alpha), β ~ Uniform(beta). Σ_i has Jeffreys'
    prior ``|Σ_i|^(−(p+1)/2)``, with one metric a uniform standard deviation, or an inverse
    Wishart one of within_df degrees of freedom and scale within_df·diag(within_sd²). With one
    metric the default is `HierarchicalPrior.corani2017()`, whose δ0 is uniform.

    Attributes
    ----------
    delta0_sd : float, tuple of float or None
        In units of the metrics. None: the length of a metric's range if it is known and no
        difference exceeds it (1 for accuracy), else the largest difference seen.
    tau_scale : float, tuple of float or None
        In units of the metrics. None: 1000 times the standard deviation of the data sets' means,
        or the mean standard error of one where that is larger: flat wherever the data are, as the
        Uniform prior of σ0 in the test for one metric. With few data sets a smaller scale pulls
        towards a decision; ``weakly_informative()`` has 2.5.
    tau_df : float
        Degrees of freedom of τ's half-t.
    lkj : float
        Shape of the prior of the correlations across data sets; 1 is uniform.
    alpha, beta : (float, float), or float
        Bounds of the shape and of the rate of the Gamma prior of ν − 1; one number fixes it.
    tau_factor : float
        The multiple, where tau_scale is None.
    within_df : float
        0 for Jeffreys' prior; with one metric a uniform standard deviation, as in
        `hierarchical_t`: like Jeffreys' with two, it gives a metric n_i − 2 degrees of freedom.
    within_sd : float, tuple of float or None
        In units of the metrics; needed where within_df is not 0.

    References
    ----------
    Gelman (2006), Bayesian Analysis 1:515-534, and Bürkner (2017), Journal of Statistical Software
    80(1), for the half-t and its scale; Lewandowski, Kurowicka & Joe (2009), Journal of
    Multivariate Analysis 100:1989-2001; Juárez & Steel (2010), Journal of Business & Economic
    Statistics 28:52-66, for ν.
    """

    delta0_sd: Any = None
    tau_scale: Any = None
    tau_df: float = 3.0
    lkj: float = 2.0
    alpha: Any = (0.5, 5.0)
    beta: Any = (0.05, 0.15)
    within_df: float = 0.0
    within_sd: Any = None
    tau_factor: float = 1000.0

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            given = getattr(self, name)
            ends = np.ravel(np.asarray(given, dtype=float))
            low, high = ends if len(ends) == 2 else (ends[0], ends[-1])
            if len(ends) > 2 or not 0 < low <= high < float("inf"):
                raise InputError(f"{name}={given!r}; accepted: 0 < low <= high, or one number > 0")
            object.__setattr__(self, name, (float(low), float(high)))
        for name in ("tau_df", "lkj", "tau_factor"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InputError(f"{name}={getattr(self, name)!r}; accepted: a positive number")
        if not 0 <= self.within_df < float("inf"):
            raise InputError(f"within_df={self.within_df!r}; accepted: 0 or a positive number")
        if self.within_df and self.within_sd is None:
            raise InputError("within_sd is missing: within_df > 0 needs it")
        for name in ("delta0_sd", "tau_scale", "within_sd"):
            value = getattr(self, name)
            if value is not None:
                value = tuple(np.atleast_1d(np.asarray(value, dtype=float)).tolist())
                if not all(0 < v < float("inf") for v in value):
                    raise InputError(
                        f"{name}={value!r}; accepted: positive, one or one per metric"
                    )
                object.__setattr__(self, name, value)

    @classmethod
    def weakly_informative(cls) -> MultivariatePrior:
        """A prior that keeps τ within a few times the spread of the data sets' means.

        τ_k ~ half-t(3, 2.5·sd of the means), ν − 1 ~ Gamma(2, 0.1).

        References
        ----------
        Gelman (2006), Bayesian Analysis 1:515-534; Bürkner (2017), Journal of Statistical Software
        80(1); Juárez & Steel (2010), Journal of Business & Economic Statistics 28:52-66.

        See Also
        --------
        bayescmp.HierarchicalPrior

        Examples
        --------
        >>> from bayescmp.bayesian import MultivariatePrior
        >>> MultivariatePrior.weakly_informative().tau_factor
        2.5
        """
        return cls(alpha=2.0, beta=0.1, tau_factor=2.5)

    def to_dict(self) -> Json:
        """Everything as plain numbers, for JSON.

        See Also
        --------
        hierarchical_multivariate_t

        Examples
        --------
        >>> from bayescmp.bayesian import MultivariatePrior
        >>> MultivariatePrior(lkj=1.0).to_dict()["lkj"]
        1.0
        """
        return asdict(self)

    def in_words(
        self, delta0_sd: Sequence[float] | None = None, tau_scale: Sequence[float] | None = None
    ) -> str:
        """The whole prior: two that differ never read the same.

        Parameters
        ----------
        delta0_sd, tau_scale : sequence of float, optional
            Scales of δ0 and τ that were taken from the data, one per metric, in its units; the
            rules by which they are taken if not given.

        Examples
        --------
        >>> from bayescmp.bayesian import MultivariatePrior
        >>> MultivariatePrior().in_words((1.0, 0.5), (20.0, 14.0))[:62]
        'δ0 ~ N(0, sd (1, 0.5)) [range of the metric, or max|x|], τ ~ h'

        See Also
        --------
        hierarchical_multivariate_t
        """
        centre = _scales("sd", self.delta0_sd, "range of the metric, or max|x|", delta0_sd)
        rule = f"{exactly(self.tau_factor)} × the larger of the means' sd and standard error"
        tau = _scales("scale", self.tau_scale, rule, tau_scale)
        within = "Jeffreys (one metric: uniform sd)"
        if self.within_df:
            within = f"inverse Wishart({exactly(self.within_df)}, {_scales('sd', self.within_sd)}"
        bounds = [
            f"{letter} ~ U({exactly(low)}, {exactly(high)})"
            if low < high
            else f"{letter} = {exactly(low)}"
            for letter, (low, high) in (("α", self.alpha), ("β", self.beta))
        ]
        return (
            f"δ0 ~ N(0, {centre}, τ ~ half-t({exactly(self.tau_df)}, {tau}, "
            f"ν − 1 ~ Gamma(α, β), {', '.join(bounds)}, "
            f"correlations ~ LKJ({exactly(self.lkj)}), Σ_i ~ {within}"
        )

    def __str__(self) -> str:
        return self.in_words()


def _scales(
    name: str,
    given: Sequence[float] | None,
    rule: str = "",
    resolved: Sequence[float] | None = None,
) -> str:
    """Scales as given, or as taken from the data by a rule; to the end of the distribution."""
    if given is not None:
        return f"{name} {_each(map(exactly, given))})"
    if resolved is None:
        return f"{name} {rule})"
    return f"{name} {_each(f'{v:.4g}' for v in resolved)}) [{rule}]"


def _each(values: Iterable[str]) -> str:
    shown = list(values)
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"
