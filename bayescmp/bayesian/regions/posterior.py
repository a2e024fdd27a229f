"""What posteriors of several metrics share: ropes, the verdict over four regions, saving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.checks import numbers
from bayescmp.errors import InputError
from bayescmp.metrics import listed
from bayescmp.posterior import Posterior, curve_of
from bayescmp.verdict import FOUR, Ropes, Verdict, as_ropes
from bayescmp.verdict.words import ropes_in_words

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Json
    from bayescmp.verdict.rope import RopesLike

__all__ = ["SeveralPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class SeveralPosterior(Posterior):
    """Posterior of the differences of two algorithms in p metrics.

    Attributes
    ----------
    metrics : tuple of str
        In the order of the last axis of everything.
    rope : Ropes
        One region of practical equivalence a metric.
    """

    _: KW_ONLY
    metrics: tuple[str, ...]
    rope: Any

    reference: ClassVar[str] = ""
    shows: ClassVar[tuple[str, ...]] = ("regions",)

    @property
    def p(self) -> int:
        """Number of metrics."""
        return len(self.metrics)

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return ""

    @property
    def target(self) -> str:
        """What the verdict is about."""
        return "a new data set"

    @property
    def quantity(self) -> str:
        """What lies in the regions, where there is one quantity only."""
        return "mean difference"

    def ropes(self, rope: RopesLike | None = None) -> Ropes:
        """The posterior's own ropes, or those given, one per metric.

        Parameters
        ----------
        rope : float, Rope, sequence of length p, or mapping of metric to rope, optional
            As for `bayescmp.verdict.as_ropes`.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.01], [0.03, -0.01], [0.01, 0.02], [0.02, 0.0]]
        >>> posterior = bc.bayesian.multivariate_t(x, rho=0.25, rope=0.01)
        >>> posterior.ropes((0.01, 0.05))
        (±0.01, ±0.05)
        """
        return Ropes(self.rope) if rope is None else as_ropes(rope, self.metrics)

    def rope_curve(self, widths: ArrayLike | None = None) -> pd.DataFrame:
        """Probabilities of the regions as all ropes widen together; never refits.

        Parameters
        ----------
        widths : array_like, optional
            Multiples of the posterior's own ropes, >= 0; 41 from 0 to 3 if not given.

        Returns
        -------
        DataFrame
            One row per multiple: ``p_`` and ``se_`` of each of the four regions.

        Raises
        ------
        InputError
            If a multiple is negative or not finite, or the posterior has no rope.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.01], [0.03, -0.01], [0.01, 0.02], [0.02, 0.0]]
        >>> posterior = bc.bayesian.multivariate_t(x, rho=0.25, rope=0.01)
        >>> posterior.rope_curve([0, 1]).columns[:4].tolist()
        ['p_equivalent', 'p_first', 'p_second', 'p_trade_off']
        """
        if all(r.empty for r in self.ropes()):
            raise InputError("the posterior has no rope in any metric that could be widened")
        accepted = "multiples of the ropes, >= 0"
        given = np.linspace(0, 3, 41) if widths is None else widths
        factors = np.atleast_1d(numbers(given, "widths", accepted))
        if factors.ndim != 1 or not np.all((factors >= 0) & np.isfinite(factors)):
            raise InputError(f"widths={widths!r}; accepted: {accepted}")
        return curve_of([self.verdict(self.ropes().scaled(f)) for f in factors], factors, "factor")

    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches: the regions of two metrics are square, else it is a bar."""
        return (3.4, 3.4) if self.p == 2 else (3.4, 1.25)

    def _four(
        self,
        ropes: Ropes,
        threshold: float,
        p: Sequence[float] | np.ndarray,
        errors: Sequence[float] | np.ndarray,
        **options: Any,
    ) -> Verdict:
        """A verdict over the four regions, from their probabilities in the order of `REGIONS`."""
        return Verdict.of(
            FOUR,
            p,
            errors,
            names=self.names,
            rope=ropes,
            threshold=threshold,
            method=", ".join(t for t in (self.method, self.reference) if t),
            **self.described(),
            metrics=self.metrics,
            target=self.target,
            prior=self.prior_text,
            quantity=self.quantity,
            **options,
        )

    def _title(self) -> str:
        first, second = self.names
        ropes = ropes_in_words(self.ropes(), self.metrics) or "none"
        metrics = listed(self.metrics, self.directions)
        return f"{self.method}: {first} vs {second} on {metrics}\n{'rope':<13}{ropes}"

    def _attributes(self) -> Json:
        return {**super()._attributes(), "metrics": list(self.metrics)}
