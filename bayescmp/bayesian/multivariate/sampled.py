"""Posterior of the multivariate correlated t test by sampling: robust noise, or the weak prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from bayescmp.bayesian.multivariate.base import MultivariatePairedPosterior
from bayescmp.bayesian.regions.membership import membership
from bayescmp.bayesian.sampling.posterior import SampledPosterior
from bayescmp.diagnostics import share_errors
from bayescmp.posterior import summarise
from bayescmp.verdict import Ropes, Verdict, central, check_threshold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SampledMultivariatePosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class SampledMultivariatePosterior(SampledPosterior, MultivariatePairedPosterior):
    """Draws of the mean differences of p metrics.

    Its own variable is "delta" of shape (chain, draw, p); see `SampledPosterior` for the rest.
    """

    method: ClassVar[str] = "Bayesian multivariate correlated t test by sampling"
    kind: ClassVar[str] = "multivariate_t_sampled"
    shows: ClassVar[tuple[str, ...]] = ("regions", "folds")

    @property
    def reference(self) -> str:  # type: ignore[override]
        """What the noise is."""
        return "multivariate t noise" if self.noise == "t" else "normal noise"

    @property
    def quantity(self) -> str:
        """What δ is: the centre of t noise is its median, a mean need not exist."""
        return "median difference" if self.noise == "t" else "mean difference"

    def select(self, metrics: Sequence[str]) -> SampledMultivariatePosterior:
        """The draws of some of the metrics, with their ropes, in the order given.

        See Also
        --------
        bayescmp.frequentist.hotelling

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(10, 2))
        >>> posterior = multivariate_t(x, rho=0.1, rope=0.01, noise="t", seed=1)  # doctest: +SKIP
        >>> posterior.select(["m2"]).metrics  # doctest: +SKIP
        ('m2',)
        """
        columns = self._columns(metrics)
        names = tuple(self.metrics[j] for j in columns)
        return replace(
            self,
            values={**self.values, "delta": self.values["delta"][..., columns]},
            x=self.x[:, columns],
            metrics=names,
            metric=", ".join(names),
            rope=Ropes(self.ropes()[j] for j in columns),
        )

    def verdict(self, rope: Any = None, *, threshold: float = 0.95) -> Verdict:
        """Shares of the draws in the four regions, with their Monte Carlo errors.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the test's own.
        threshold : float
            Probability at which a region is decided for.

        See Also
        --------
        bayescmp.frequentist.hotelling

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(10, 2))
        >>> posterior = multivariate_t(x, rho=0.1, rope=0.01, noise="t", seed=1)  # doctest: +SKIP
        >>> posterior.verdict().ranked[0]  # doctest: +SKIP
        'second'
        """
        ropes = self.ropes(rope)
        shares = membership(self.values["delta"], ropes)
        p = shares.mean(axis=(0, 1))
        return self._four(
            ropes,
            check_threshold(threshold),
            p,
            share_errors(shares),
            floor=1 / shares[..., 0].size,
            mean_interval=central(self.values["delta"]),
        )

    def summary(self) -> pd.DataFrame:
        """Mean, sd, median and central 95 % interval of each metric's difference, and of ν.

        See Also
        --------
        bayescmp.frequentist.hotelling

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(10, 2))
        >>> posterior = multivariate_t(x, rho=0.1, rope=0.01, noise="t", seed=1)  # doctest: +SKIP
        >>> posterior.summary().index.tolist()  # doctest: +SKIP
        ['m1', 'm2', 'nu']
        """
        import pandas as pd

        rows = {m: summarise(self.values["delta"][..., j]) for j, m in enumerate(self.metrics)}
        if "nu" in self.values:
            rows["nu"] = summarise(self.values["nu"])
        return pd.DataFrame.from_dict(rows, orient="index")
