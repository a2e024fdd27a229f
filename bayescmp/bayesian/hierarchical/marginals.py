"""Posteriors of the upper level's own parameters: summaries, quantiles, intervals, densities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.bayesian.hierarchical.answers import Answer
from bayescmp.bayesian.hierarchical.problem import UPPER
from bayescmp.draws import summarise, summary_frame
from bayescmp.errors import InputError, unknown_name
from bayescmp.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MarginalPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class MarginalPosterior(Posterior):
    """What a hierarchical posterior says of δ0, σ0 and ν.

    Attributes
    ----------
    datasets : tuple of str
        Names of the data sets.
    """

    _: KW_ONLY
    datasets: tuple[str, ...]

    @property
    @abstractmethod
    def _answer(self) -> Answer:
        """The grid or the draws, in units of the metric."""

    def summary(self, *, datasets: bool = False) -> pd.DataFrame:
        """Posterior of δ0, σ0 and ν: mean, sd, median, central 95 % interval, and diagnostics.

        Parameters
        ----------
        datasets : bool
            Whether to add each data set's δ_i.

        Returns
        -------
        DataFrame
            One row per parameter, in units of the metric; effective sample sizes and r-hat where
            it was sampled.

        See Also
        --------
        bayescmp.frequentist.wilcoxon : On the means of the data sets.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> round(float(posterior.summary().loc["delta0", "median"]), 3)
        0.02
        """
        rows = {name: self._answer.row(name) for name in UPPER}
        if datasets:
            delta = self.draws["delta"]
            rows |= {f"delta[{d}]": summarise(delta[..., i]) for i, d in enumerate(self.datasets)}
        return summary_frame(rows, self.measured)

    def quantile(self, name: str, probs: ArrayLike) -> np.ndarray:
        """Posterior quantiles of delta0, sigma0 or nu.

        Parameters
        ----------
        name : str
            The parameter.
        probs : float or array_like
            Probabilities in [0, 1].

        Returns
        -------
        ndarray
            In units of the metric.

        Raises
        ------
        InputError
            Unknown parameter, or probabilities outside [0, 1].

        See Also
        --------
        bayescmp.frequentist.wilcoxon : On the means of the data sets.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> posterior.quantile("delta0", [0.25, 0.75]).round(3).tolist()
        [0.011, 0.028]
        """
        if name not in UPPER:
            raise unknown_name("parameter", name, UPPER)
        p = np.asarray(probs, dtype=float)
        if not np.all((p >= 0) & (p <= 1)):
            raise InputError(f"probs={probs!r}; accepted: probabilities in [0, 1]")
        return self._answer.quantile(name, p)

    def hdi(self, name: str, prob: float = 0.95) -> tuple[float, float]:
        """Highest density interval of delta0, sigma0 or nu: the shortest that holds ``prob``.

        Parameters
        ----------
        name : str
            The parameter.
        prob : float
            Probability in (0, 1).

        Returns
        -------
        low, high : float
            In units of the metric.

        Raises
        ------
        InputError
            Unknown parameter, or a probability outside (0, 1).

        See Also
        --------
        bayescmp.frequentist.wilcoxon : On the means of the data sets.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> low, high = posterior.hdi("delta0", 0.5)
        >>> low < 0.02 < high
        True
        """
        if not 0 < prob < 1:
            raise InputError(f"prob={prob!r}; accepted: between 0 and 1, exclusive")
        start = np.linspace(0, 1 - prob, 2001)
        low, high = self.quantile(name, start), self.quantile(name, start + prob)
        shortest = int(np.argmin(high - low))
        return float(low[shortest]), float(high[shortest])

    def density(self, name: str = "delta0") -> tuple[np.ndarray, np.ndarray]:
        """Marginal density of delta0, sigma0 or nu.

        Parameters
        ----------
        name : str
            The parameter.

        Returns
        -------
        x, density : ndarray
            In units of the metric; a kernel estimate for a sampler's draws.

        See Also
        --------
        bayescmp.frequentist.wilcoxon : On the means of the data sets.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
        >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.25, rope=0.01, engine="quadrature")
        >>> x, density = posterior.density("sigma0")
        >>> bool((density >= 0).all())
        True
        """
        return self._answer.density(name)
