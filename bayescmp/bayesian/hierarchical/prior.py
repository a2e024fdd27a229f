"""Prior of the hierarchical correlated t test."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bayescmp.errors import InputError
from bayescmp.text import exactly

if TYPE_CHECKING:
    from bayescmp.typing import Json


__all__ = ["HierarchicalPrior"]

#: A bound, the least and the largest of several, or none that is known.
Bound = float | tuple[float, float] | None
#: Rules for the bounds, in words.
RANGE, LARGEST = "range of the metric", "max|x|"
LEAST = "100 standard errors of a mean"


@dataclass(frozen=True)
class HierarchicalPrior:
    """Prior of the upper level of the hierarchical correlated t test.

    δ0 ~ Uniform(−b, b), σ0 ~ Uniform(0, k0·sd of the means), σ_i ~ Uniform(0, k·mean within-sd),
    ν − nu_offset ~ Gamma(α, β), α ~ Uniform(alpha), β ~ Uniform(beta).

    Attributes
    ----------
    alpha, beta : (float, float)
        Bounds of the shape and of the rate of ν's Gamma prior; equal bounds fix it.
    nu_offset : float
        What is subtracted from ν before the Gamma prior applies, 0 to 1. The authors' program puts
        the prior on ν − 1.
    delta0_bound : float or None
        b, in units of the metric. None: the length of the metric's range if it is known and
        bounded (1 for accuracy or AUC), else the largest difference seen.
    largest_difference : bool
        Whether b is the largest difference seen, also for bounded metrics.
    sigma0_factor, sigma_factor : float
        k0 and k.
    name : str
        What results call the prior.
    """

    alpha: tuple[float, float] = (0.5, 5.0)
    beta: tuple[float, float] = (0.05, 0.15)
    nu_offset: float = 1.0
    delta0_bound: float | None = None
    largest_difference: bool = False
    sigma0_factor: float = 1000.0
    sigma_factor: float = 1000.0
    name: str = "custom"

    def __post_init__(self) -> None:
        for part in ("alpha", "beta"):
            low, high = (float(v) for v in getattr(self, part))
            if not 0 < low <= high < float("inf"):
                raise InputError(f"{part}={getattr(self, part)!r}; accepted: 0 < low <= high")
            object.__setattr__(self, part, (low, high))
        if not 0 <= self.nu_offset <= 1:
            raise InputError(f"nu_offset={self.nu_offset!r}; accepted: 0 to 1")
        for part in ("sigma0_factor", "sigma_factor", "delta0_bound"):
            value = getattr(self, part)
            if value is not None and not 0 < value < float("inf"):
                raise InputError(f"{part}={value!r}; accepted: a positive number")

    @classmethod
    def corani2017(cls) -> HierarchicalPrior:
        """The default: the prior of Corani and colleagues (2017).

        References
        ----------
        Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Machine Learning 106:1817-1837,
        section 3.

        Examples
        --------
        >>> import bayescmp as bc
        >>> str(bc.HierarchicalPrior.corani2017()).split("], ")[-1]
        'ν − 1 ~ Gamma(α, β), α ~ U(0.5, 5), β ~ U(0.05, 0.15)'
        """
        return cls(name="corani2017")

    @classmethod
    def benavoli2017(cls) -> HierarchicalPrior:
        """The prior of the tutorial and its packages, behind the published verdicts.

        References
        ----------
        Benavoli, Corani, Demšar & Zaffalon (2017), Journal of Machine Learning Research 18(77).

        Examples
        --------
        >>> import bayescmp as bc
        >>> str(bc.HierarchicalPrior.benavoli2017()).split("], ")[-1]
        'ν − 1 ~ Gamma(α, β), α ~ U(1, 2), β ~ U(0.01, 0.1)'
        """
        return cls((1.0, 2.0), (0.01, 0.1), largest_difference=True, name="benavoli2017")

    def to_dict(self) -> Json:
        """Everything as plain numbers and strings, for JSON.

        Examples
        --------
        >>> import bayescmp as bc
        >>> bc.HierarchicalPrior.corani2017().to_dict()["alpha"]
        [0.5, 5.0]
        """
        return {**asdict(self), "alpha": list(self.alpha), "beta": list(self.beta)}

    def in_words(
        self,
        delta0_bound: Bound = None,
        sigma0_upper: Bound = None,
        sigma_upper: Bound = None,
        delta0_rule: str = "",
    ) -> str:
        """The whole prior in words: of δ0, σ0, the data sets' σ_i and ν.

        Parameters
        ----------
        delta0_bound, sigma0_upper, sigma_upper : float or (float, float), optional
            The bounds that a fit took from its data, in units of the metric, or the smallest and
            the largest of several fits. Where they are not given, the rules are stated instead.
        delta0_rule : str
            Which of the rules for δ0 was used; all of them if not given.

        Returns
        -------
        str
            Two priors that differ never read the same.

        Examples
        --------
        >>> import bayescmp as bc
        >>> prior = bc.HierarchicalPrior(delta0_bound=1.0)
        >>> prior.in_words(1.0, 20.0, 30.0).split(" [1000")[0]
        'custom: δ0 ~ U(-1, 1), σ0 ~ U(0, 20)'
        """
        nu = f"ν − {exactly(self.nu_offset)}" if self.nu_offset else "ν"
        parts = [
            "δ0 ~ " + _bounded(delta0_rule or self._bound_rule(), delta0_bound, both=True),
            "σ0 ~ " + _bounded(self._spread_rule(), sigma0_upper),
            "σ_i ~ " + _bounded(f"{exactly(self.sigma_factor)} × mean sd within", sigma_upper),
            f"{nu} ~ Gamma(α, β)",
            _uniform("α", self.alpha),
            _uniform("β", self.beta),
        ]
        return f"{self.name}: {', '.join(parts)}"

    def _bound_rule(self) -> str:
        """How δ0's bound is found."""
        if self.delta0_bound is not None:
            return exactly(self.delta0_bound)
        return LARGEST if self.largest_difference else f"{RANGE}, or {LARGEST}"

    def resolved_rule(self, span: float | None, bound: float) -> str:
        """The rule that gave δ0 its bound.

        Parameters
        ----------
        span : float or None
            Length of the metric's range.
        bound : float
            The bound, in units of the metric.

        Examples
        --------
        >>> import bayescmp as bc
        >>> bc.HierarchicalPrior.corani2017().resolved_rule(span=1.0, bound=1.0)
        'range of the metric'
        """
        if self.delta0_bound is not None:
            return self._bound_rule()
        ranged = span is not None and not self.largest_difference and bound <= span
        return RANGE if ranged else LARGEST

    def _spread_rule(self) -> str:
        """How σ0's bound is found."""
        return f"{exactly(self.sigma0_factor)} × sd of the means, or {LEAST} if larger"

    def __str__(self) -> str:
        return self.in_words()


def _bounded(rule: str, value: Bound, *, both: bool = False) -> str:
    """A uniform distribution with its bound: a number, and the rule that it came of."""
    ends = value if isinstance(value, tuple) else (value, value)
    shown = ["b" if v is None else f"{v:.4g}" for v in ends]
    bound = shown[0]
    if shown[0] != shown[1]:
        bound, rule = "b", f"{rule}, {shown[0]} to {shown[1]}"
    of = f" [b = {rule}]" if bound == "b" else "" if rule == bound else f" [{rule}]"
    return f"U({f'-{bound}' if both else '0'}, {bound}){of}"


def _uniform(letter: str, ends: tuple[float, float]) -> str:
    low, high = map(exactly, ends)
    return f"{letter} = {low}" if low == high else f"{letter} ~ U({low}, {high})"
