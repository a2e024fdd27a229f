"""Posterior of the multivariate correlated t test by sampling: robust noise, or the weak prior.

Sampling the multivariate correlated t test: normal and multivariate t noise, by Stan.

For callers::

    sample_multivariate(x, *, rho, noise="t", prior=None, engine="auto", seed=None, metrics=None,
                        resolution=None, lkj=1.0, nu_mean=29.0, chains=4, warmup=1000, draws=1000,
                        adapt_delta=0.9, progress=False) -> Sampled

    sampled.draws: {"delta": (chain, draw, p), "centre" alike, "Sigma": (chain, draw, p, p),
        "nu": (chain, draw)}, in the metrics' own units; "nu" with t noise only
    sampled.fit: the Fit of these draws (engine, version, sample_stats)
    sampled.diagnostics, sampled.notes, sampled.seed, sampled.prior_text

x has full rank: dependent and constant metrics are left to the caller. With noise="normal" and
prior="jeffreys" (its default) it is the posterior of the closed form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.bayesian.multivariate.base import MultivariatePairedPosterior
from bayescmp.bayesian.multivariate.sampling import (
    Folds,
    Sampled,
    SampledPosterior,
    check_noise,
    prior_data,
    prior_text,
    sample_folds,
)
from bayescmp.bayesian.regions import MultivariateT, membership
from bayescmp.bayesian.sampling import FoldModel, checked_settings
from bayescmp.errors import InputError
from bayescmp.results.arviz import summarise, summary_frame
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.posterior import Model, probabilities_of
from bayescmp.results.verdict import Verdict, central, check_threshold
from bayescmp.scores.resampling import other_rhos
from bayescmp.scores.rope import Ropes
from bayescmp.wording.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.checks import Seed
    from bayescmp.base.typing import Variation
    from bayescmp.scores.rope import RopesLike

__all__ = [
    "SampledMultivariatePosterior",
    "sample_multivariate",
]


# Sampling the multivariate correlated t test: normal and multivariate t noise, by Stan.


def sample_multivariate(
    x: ArrayLike,
    *,
    rho: float,
    noise: str = "t",
    prior: str | None = None,
    engine: str = "auto",
    seed: Seed = None,
    metrics: Sequence[str] | None = None,
    resolution: ArrayLike | None = None,
    lkj: float = 1.0,
    nu_mean: float = 29.0,
    chains: int = 4,
    warmup: int = 1000,
    draws: int = 1000,
    adapt_delta: float = 0.9,
    progress: bool = False,
) -> Sampled:
    """Draws of the mean difference of p metrics on one data set.

    The differences are x_j = δ + A(√rho·z_0 + √(1 − rho)·z_j), AA′ = Σ, with z standard normal or
    multivariate t with ν degrees of freedom. The weak prior: Σ = diag(σ) Ω diag(σ), log σ_k normal
    about the data's own with sd 5, Ω ~ LKJ(lkj), what the folds scatter about normal with 1000
    times the differences' root mean square, ν − 1 ~ Exponential.

    Parameters
    ----------
    x : array_like of shape (n, p)
        Differences, second minus first, positive where the second is better; n > p.
    rho : float
        Correlation of two folds' differences.
    noise : str
        "normal" or "t".
    prior : str, optional
        "jeffreys" or "weak". With normal noise Jeffreys' unless given, |Σ|^(−(p+1)/2),
        which has the closed form t_{n−p}(D̄, c·S/(n−p)); with t noise always the weak one, since
        Jeffreys' has no proper posterior with Σ bounded from below.
    engine : str
        "auto", or the name of one in `bayescmp.engines.engines` that fits this model.
    seed : int or numpy Generator, optional
        The same seed gives the same draws on the same engine.
    metrics : sequence of str, optional
        Names for messages.
    resolution : float or array_like of shape (p,), optional
        Smallest step h of each metric; with t noise Σ is not allowed under the spread of rounding
        to it, diag(h²/12). Where it is not known and over half of a metric's differences are
        equal, the smallest step seen.
    lkj : float
        Shape of the weak prior of the correlations; 1 is uniform.
    nu_mean : float
        Mean of the exponential prior of ν − 1.
    chains, warmup, draws, adapt_delta
        Settings of the sampler.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Sampled
        Draws of delta (chain, draw, p), Sigma (chain, draw, p, p) and, with t noise, nu.

    Raises
    ------
    InputError
        n <= p, missing or infinite differences, metrics that are constant or linearly dependent,
        a bad rho, noise, prior, resolution, lkj, nu_mean or seed.
    EngineError, EngineNotFound
        If the engine can't fit the model or none is installed.

    References
    ----------
    Corani & Benavoli (2015), Machine Learning 100:285-304; Kruschke (2013), Journal of
    Experimental Psychology: General 142:573-603; Lewandowski, Kurowicka & Joe (2009), Journal of
    Multivariate Analysis 100:1989-2001, for LKJ.
    """
    values = _differences(x)
    student, which = check_noise(noise, prior)
    folds = Folds.of(values[:, None, :], rho, student, metrics, resolution)
    number = checks.seed_of(seed)
    # The mirrored problem has the mirrored draws, and the order of the folds can't matter.
    sign = -1.0 if (values / folds.unit).sum() < 0 else 1.0
    scaled = sign * values / folds.unit
    scaled = scaled[np.lexsort(scaled.T)]
    rms = np.sqrt((scaled**2).mean(axis=0))
    fit, diagnostics = sample_folds(
        scaled[:, None, :],
        folds,
        prior_data(which, rms, lkj, nu_mean),
        engine=engine,
        seed=number,
        settings=checked_settings(chains, warmup, draws, adapt_delta),
        progress=progress,
    )
    own = {name: sign * fit.draws[name][..., 0, :] for name in ("delta", "centre")}
    return Sampled(
        replace(fit, draws={**fit.draws, **own}),
        diagnostics,
        number,
        prior_text(which, student, lkj, nu_mean),
        folds.notes,
    )


def _differences(x: ArrayLike) -> np.ndarray:
    accepted = "(n, p) differences, n folds and p metrics, n > p"
    values = checks.numbers(x, "x", accepted)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"x has shape {values.shape}; accepted: {accepted}")
    checks.finite(
        values,
        "x",
        lambda at: f"metric {at[1] + 1} in fold {at[0] + 1}",
        "every fold needs a finite score of both",
    )
    n, p = values.shape
    if n <= p:
        raise InputError(
            f"x has {counted(n, 'fold')} for {counted(p, 'metric')}; more folds than metrics are "
            "needed: leave out metrics, or add repeats of the cross-validation"
        )
    return values


#: Share of a metric's variance under which what the others leave of it is rounding.
DEPENDENT = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class SampledMultivariatePosterior(SampledPosterior, MultivariatePairedPosterior):
    """Draws of the mean differences of p metrics.

    Its own variable is "delta" of shape (chain, draw, p); see `SampledPosterior` for the rest.
    """

    model: Model = Model(
        kind="multivariate_t_sampled",
        method="Bayesian multivariate correlated t test by sampling",
        shows=("regions", "folds"),
        dims={
            "delta": ("metric",),
            "folds": ("fold",),
            "Sigma": ("sampled", "sampled_"),
        },
        stored=("delta",),
    )

    @property
    def reference(self) -> str:  # type: ignore[override]
        """What the noise is."""
        return "multivariate t noise" if self.noise == "t" else "normal noise"

    @property
    def quantity(self) -> str:  # type: ignore[override]
        """What δ is: the centre of t noise is its median, a mean need not exist."""
        return "median difference" if self.noise == "t" else "mean difference"

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
        columns = self._columns(metrics)
        names = tuple(self.metrics[j] for j in columns)
        return replace(
            self,
            values={**self.values, "delta": self.values["delta"][..., columns]},
            x=self.x[:, columns],
            metrics=names,
            metric=", ".join(names),
            rope=Ropes(self.ropes()[j] for j in columns),
            resolution=tuple(self.resolution[j] for j in columns) if self.resolution else (),
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
        refitted = self._refitted if self.whole and self.refits else None
        for setting, p in self.nu_variations(self.weighted, refitted):
            yield "prior", setting, p
        for rho in other_rhos(self.rho) if self.movable else ():
            other = replace(self, rho=rho, values=self.moved("delta", rho))
            yield "rho", f"{rho:.3g}", probabilities_of(other)

    def _refitted(self, nu_mean: float) -> np.ndarray:
        """Probabilities of the verdict's regions of the same data under another prior of ν."""
        again = sample_multivariate(self.x, **self.sampling_options(nu_mean))
        other = replace(self, values=again.draws, diagnostics=again.diagnostics)
        other.warn_if_doubtful()
        return probabilities_of(other)

    def weighted(self, weights: np.ndarray) -> np.ndarray:
        """Probabilities of the verdict's regions with weights of the draws, (chain, draw).

        See Also
        --------
        bayescmp.Posterior.variations : What it is for.

        Examples
        --------
        >>> import numpy as np
        >>> from bayescmp.bayesian import groups
        >>> x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
        >>> pair = groups(x, rho=0.1, rope=0.01, variances="own", seed=1).pair("A1", "A2")
        >>> weights = np.full((4, 2500), 1 / 10_000)
        >>> np.allclose(pair.weighted(weights), list(pair.verdict().probabilities.values()))
        True
        """
        shares = membership(self.values["delta"], self.ropes())
        return np.asarray((weights[..., None] * shares).sum(axis=(0, 1)))

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if not self.movable:
            return {}
        centre, Sigma = self.values["centre"][..., None, :], self.values["Sigma"]
        model = FoldModel(self.x[:, None, :], centre, Sigma, self.rho, self.values.get("nu"))
        return {**model.groups("differences", self.seed), **self._nu_log_prior()}

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
        draws = self.values["delta"].reshape(-1, self.p)
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
        rows = {m: summarise(self.values["delta"][..., j]) for j, m in enumerate(self.metrics)}
        if "nu" in self.values:
            rows["nu"] = summarise(self.values["nu"])
        return summary_frame(rows, self.measured)
