"""Posterior of the multivariate correlated t test by sampling: robust noise, or the weak prior."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.multivariate.base import find_columns
from bayescmp.bayesian.multivariate.problem import SampledFit, sample_multivariate
from bayescmp.bayesian.regions import MultivariateT, membership, weigh_draws
from bayescmp.bayesian.sampling import average_draws
from bayescmp.errors import InputError
from bayescmp.results.arviz import summarise, summary_frame
from bayescmp.results.posterior import Model, Posterior, probabilities_of
from bayescmp.results.saving import array, record
from bayescmp.scores.rope import Ropes
from bayescmp.wording.text import counted

#: Share of a metric's variance under which what the others leave of it is rounding.
DEPENDENT = 1e-12


@dataclass(frozen=True, kw_only=True)
class SampledModel(Model):
    """A sampled test, as data.

    Attributes
    ----------
    refits : bool
        Whether what was fitted can be fitted again from what its posterior holds.
    """

    refits: bool = True


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledMultivariatePosterior(Posterior):
    """Draws of the mean differences of p metrics on one data set.

    Attributes
    ----------
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (n, p)
        The differences of the folds.
    rho : float
        Correlation of two of them.
    fit : SampledFit
        The draws, "delta" of shape (chain, draw, p), and what the sampler was told.
    source : str
        What was fitted, in words; a pair of several algorithms names their test.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.bayesian import multivariate_t
    >>> x = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(10, 2))
    >>> posterior = multivariate_t(x, rho=0.1, rope=0.01, noise="t", seed=1)  # doctest: +SKIP
    >>> posterior.summary().index.tolist()  # doctest: +SKIP
    ['m1', 'm2', 'nu']
    >>> posterior.contains([[0.02, 0.03], [0.0, 0.5]]).tolist()  # doctest: +SKIP
    [True, False]
    """

    dataset: str
    x: np.ndarray = field(metadata=array("fold", "metric"))
    rho: float
    fit: SampledFit = field(metadata=record(SampledFit))
    source: str = "Bayesian multivariate correlated t test by sampling"

    model: SampledModel = SampledModel(
        kind="multivariate_t_sampled",
        method="{p.source}",
        target="the {p.unit} {p.dataset}",
        target_unnamed="this {p.unit}",
        prior="{p.fit.prior_words}",
        shows=("regions", "folds"),
        dims={
            "delta": ("metric",),
            "folds": ("fold",),
            "Sigma": ("sampled", "sampled_"),
        },
        stored=("delta",),
    )

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.fit.draws

    @property
    def reference(self) -> str:
        """What the noise is."""
        return "multivariate t noise" if self.fit.noise == "t" else "normal noise"

    @property
    def data_text(self) -> str:
        """What was observed: "10 folds"."""
        return counted(len(self.x), "fold")

    @property
    def quantity(self) -> str:
        """What δ is: the centre of t noise is its median, a mean need not exist."""
        return "median difference" if self.fit.noise == "t" else "mean difference"

    def select(self, metrics: Sequence[str]) -> SampledMultivariatePosterior:
        """The draws of some of the metrics, with their ropes, in the order given."""
        columns = find_columns(metrics, self.metrics)
        names = tuple(self.metrics[j] for j in columns)
        return replace(
            self,
            fit=replace(
                self.fit,
                draws={**self.draws, "delta": self.draws["delta"][..., columns]},
                resolution=tuple(self.fit.resolution[j] for j in columns if self.fit.resolution),
            ),
            x=self.x[:, columns],
            metrics=names,
            metric=", ".join(names),
            rope=Ropes(self.ropes()[j] for j in columns),
        )

    def _weigh_regions(self, rope: Ropes) -> Json:
        """Shares of the draws, with their Monte Carlo errors."""
        return weigh_draws(self.draws["delta"], rope)

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Other prior means of ν, by reweighting; other correlations of folds, exactly."""
        average = partial(average_draws, membership(self.draws["delta"], self.ropes()))
        sampler = sample_multivariate if self.model.refits else None
        yield from self.fit.vary(self, "delta", sampler, average, probabilities_of)

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if not self.fit.is_movable(self.metrics):
            return {}
        y, centre = self.x[:, None, :], self.draws["centre"][..., None, :]
        return self.fit.arviz_groups("differences", y, centre, self.rho, self.seed)

    def contains(self, points: ArrayLike, prob: float = 0.95) -> np.ndarray:
        """Whether points of shape (..., p) lie in the ellipsoid with this share of the draws.

        Its centre and shape are the mean and covariance of the draws.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired
            Its confidence ellipsoid is that of the closed form.
        """
        x = checks.numbers(points, "points", f"(..., {self.p})")
        if x.shape[-1:] != (self.p,):
            raise InputError(f"points have shape {x.shape}; accepted: (..., {self.p})")
        around, distances = self._distances
        return np.asarray(around.distance(x) <= np.quantile(distances, checks.level(prob, "prob")))

    @cached_property
    def _distances(self) -> tuple[MultivariateT, np.ndarray]:
        """A distribution with the draws' mean and covariance, and their distances from it."""
        draws = self.draws["delta"].reshape(-1, self.p)
        unit = np.maximum(draws.std(axis=0), np.finfo(float).tiny)
        size, axes = np.linalg.eigh(np.cov(draws / unit, rowvar=False).reshape(self.p, self.p))
        vary = size > DEPENDENT
        factor = unit[:, None] * axes[:, vary] * np.sqrt(size[vary])
        around = MultivariateT(np.inf, draws.mean(axis=0), factor)
        return around, around.distance(draws)

    def summary(self) -> pd.DataFrame:
        """Mean, sd, median and central 95 % interval of each metric's difference, and of ν."""
        rows = {m: summarise(self.draws["delta"][..., j]) for j, m in enumerate(self.metrics)}
        if "nu" in self.draws:
            rows["nu"] = summarise(self.draws["nu"])
        return summary_frame(rows, self.measured)


#: The model of two of several algorithms: all were fitted together, and only two are here.
PAIR_OF_GROUPS = SampledMultivariatePosterior.answering(
    replace(SampledMultivariatePosterior.model, kind="groups_pair", refits=False)
)
