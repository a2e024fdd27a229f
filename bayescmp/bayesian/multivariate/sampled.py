"""Posterior of the multivariate correlated t test by sampling: robust noise, or the weak prior."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.bayesian.multivariate.base import describe_folds, find_columns, name_target
from bayescmp.bayesian.multivariate.problem import SAMPLED_FIT, SampledFit, sample_multivariate
from bayescmp.bayesian.regions import MultivariateT, SeveralPosterior, membership
from bayescmp.bayesian.sampling import average_draws
from bayescmp.errors import InputError
from bayescmp.results.arviz import summarise, summary_frame
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.posterior import Model, probabilities_of
from bayescmp.results.saving import array
from bayescmp.results.verdict import Verdict, check_threshold, lead_of
from bayescmp.scores.resampling import other_rhos
from bayescmp.scores.rope import Ropes
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Variation
    from bayescmp.scores.rope import RopesLike


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


@dataclass(frozen=True, eq=False, repr=False)
class SampledMultivariatePosterior(SeveralPosterior):
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
    """

    _: KW_ONLY
    dataset: str
    x: np.ndarray = field(metadata=array("fold", "metric"))
    rho: float
    fit: SampledFit = field(metadata=SAMPLED_FIT)
    source: str = "Bayesian multivariate correlated t test by sampling"

    model: SampledModel = SampledModel(
        kind="multivariate_t_sampled",
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
    def method(self) -> str:
        """What was fitted, in words."""
        return self.source

    @property
    def reference(self) -> str:
        """What the noise is."""
        return "multivariate t noise" if self.fit.noise == "t" else "normal noise"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.fit.prior_words

    @property
    def data_text(self) -> str:
        """What was observed: "10 folds"."""
        return counted(len(self.x), "fold")

    @property
    def target(self) -> str:
        """What the verdict is about."""
        return name_target(self.dataset)

    def _title(self) -> str:
        return f"{super()._title()}\n{describe_folds(self.x, self.dataset, self.rho)}"

    @property
    def quantity(self) -> str:
        """What δ is: the centre of t noise is its median, a mean need not exist."""
        return "median difference" if self.fit.noise == "t" else "mean difference"

    def select(self, metrics: Sequence[str]) -> SampledMultivariatePosterior:
        """The draws of some of the metrics, with their ropes, in the order given.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(10, 2))
        >>> posterior = multivariate_t(x, rho=0.1, rope=0.01, noise="t", seed=1)  # doctest: +SKIP
        >>> posterior.select(["m2"]).metrics  # doctest: +SKIP
        ('m2',)
        """
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

    def verdict(self, rope: RopesLike | None = None, *, threshold: float = 0.95) -> Verdict:
        """Shares of the draws in the four regions, with their Monte Carlo errors.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the test's own.
        threshold : float
            Probability at which a region is decided for.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

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
        shares = membership(self.draws["delta"], ropes)
        p = shares.mean(axis=(0, 1))
        return self._four(
            ropes,
            check_threshold(threshold),
            p,
            share_errors(shares),
            floor=1 / shares[..., 0].size,
            **lead_of(self.draws["delta"]),
        )

    def variations(self, *, datasets: bool = True, refit: bool = False) -> Iterator[Variation]:
        """Other prior means of ν, by reweighting; other correlations of folds, exactly.

        The draws are reweighted by Pareto-smoothed importance sampling, and k-hat is named; where
        it is over 0.7 the model is fitted again in any case, which takes a second or two.

        See Also
        --------
        bayescmp.Posterior.variations : What it yields.

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(10, 2))
        >>> posterior = multivariate_t(x, rho=0.1, rope=0.01, noise="t", seed=1)  # doctest: +SKIP
        >>> [question for question, _, _ in posterior.variations()]  # doctest: +SKIP
        ['prior', 'prior', 'rho', 'rho', 'rho']
        """
        whole = self.fit.is_of(self.metrics) and self.model.refits
        shares = membership(self.draws["delta"], self.ropes())
        average = partial(average_draws, shares)
        for setting, p in self.fit.vary_nu(average, self._refitted if whole else None):
            yield "prior", setting, p
        for rho in other_rhos(self.rho) if self.fit.is_movable(self.metrics) else ():
            fit = self.fit.move("delta", self.rho, to=rho, seed=self.seed)
            yield "rho", f"{rho:.3g}", probabilities_of(replace(self, rho=rho, fit=fit))

    def _refitted(self, nu_mean: float) -> np.ndarray:
        """Probabilities of the verdict's regions of the same data under another prior of ν."""
        again = sample_multivariate(
            self.x,
            rho=self.rho,
            engine=self.engine,
            seed=self.seed,
            nu_mean=nu_mean,
            **self.fit.options,
        )
        fit = replace(self.fit, draws=again.draws)
        other = replace(self, fit=fit, diagnostics=again.diagnostics)
        other.warn_if_doubtful()
        return probabilities_of(other)

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

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> pair = groups(x, rho=0.1, rope=0.01, variances="own", seed=1).pair("A1", "A2")
        >>> pair.contains([[0.0, 0.0], [0.0, 0.5]]).tolist()
        [True, False]
        """
        x = np.asarray(points, dtype=float)
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
        """Mean, sd, median and central 95 % interval of each metric's difference, and of ν.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(10, 2))
        >>> posterior = multivariate_t(x, rho=0.1, rope=0.01, noise="t", seed=1)  # doctest: +SKIP
        >>> posterior.summary().index.tolist()  # doctest: +SKIP
        ['m1', 'm2', 'nu']
        """
        rows = {m: summarise(self.draws["delta"][..., j]) for j, m in enumerate(self.metrics)}
        if "nu" in self.draws:
            rows["nu"] = summarise(self.draws["nu"])
        return summary_frame(rows, self.measured)


#: The model of two of several algorithms: all were fitted together, and only two are here.
PAIR_OF_GROUPS = SampledMultivariatePosterior.answering(
    replace(SampledMultivariatePosterior.model, kind="groups_pair", refits=False)
)
