"""What the sampled posteriors of several metrics on one data set share: draws, noise, saving."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from bayescmp.bayesian.sampling.reweighting import varied
from bayescmp.fitted import Fitted

if TYPE_CHECKING:
    from bayescmp.typing import Coordinates, Groups, Json


__all__ = ["NU_MEAN", "SampledPosterior", "known_steps"]

Result = TypeVar("Result")

#: Mean of the exponential prior of ν − 1 (Kruschke 2013), and others that it is varied to.
NU_MEAN, OTHER_MEANS = 29.0, (10.0, 100.0)


@dataclass(frozen=True, eq=False, repr=False)
class SampledPosterior(Fitted):
    """Draws of a sampler, beside what the model's own posterior class knows.

    Attributes
    ----------
    values : mapping of str to ndarray
        The draws, shape (chain, draw, ...): the model's own variables in all p metrics; of the k
        metrics that were sampled "Sigma" (chain, draw, k, k), and "centre", what all folds of the
        data set scatter about; "nu" (chain, draw) with t noise.
    noise : {"normal", "t"}
        The folds' noise.
    sampled : tuple of str
        The metrics that were sampled; the others follow from them.
    prior_words : str
        The prior in words.
    sample_stats : mapping of str to ndarray
        Statistics of the sampler, shape (chain, draw).
    x : ndarray
        The scores or their differences, as the model's own class has them.
    nu_mean : float
        Mean of the exponential prior of ν − 1, with t noise.
    lkj : float
        Shape of the prior of the metrics' correlations.
    resolution : tuple of (float or None)
        Smallest step of each metric, None where it was not given; empty where nothing is known.
    """

    _: KW_ONLY
    values: Mapping[str, np.ndarray]
    noise: str
    sampled: tuple[str, ...]
    prior_words: str
    sample_stats: Mapping[str, np.ndarray]
    x: np.ndarray
    rope: Any  # one per metric
    metrics: tuple[str, ...]
    rho: float
    nu_mean: float = NU_MEAN
    lkj: float = 1.0
    resolution: tuple[float | None, ...] = ()

    #: Whether what was fitted can be fitted again from what is here.
    refits: ClassVar[bool] = True

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.values

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words

    def nu_variations(
        self,
        average: Callable[[np.ndarray], Result],
        refitted: Callable[[float], Result] | None,
    ) -> Iterator[tuple[str, Result]]:
        """What other prior means of ν lead to: by weights, or another fit if k-hat is over 0.7.

        Parameters
        ----------
        average : callable
            From weights of the draws, which sum to one, to the result.
        refitted : callable or None
            From a prior mean to the result of a fit with it; None where none can be made.

        Yields
        ------
        setting : str
        result

        References
        ----------
        Vehtari, Simpson, Gelman, Yao & Gabry (2024), Journal of Machine Learning Research 25(72).

        See Also
        --------
        bayescmp.Posterior.variations : What they are for.

        Examples
        --------
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = [[0.02, 0.01], [0.03, 0.02], [0.01, 0.03], [0.02, 0.0], [0.05, 0.02]]
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, noise="t")  # doctest: +SKIP
        >>> len(list(posterior.nu_variations(posterior.weighted, None)))  # doctest: +SKIP
        2
        """
        for mean in sorted({*OTHER_MEANS} - {self.nu_mean}) if "nu" in self.values else ():
            ratios = (self.values["nu"] - 1) * (1 / self.nu_mean - 1 / mean)
            again = None if refitted is None else partial(refitted, mean)
            yield varied(f"mean of ν − 1 {mean:g}", ratios, average, again)

    def sampling_options(self, nu_mean: float) -> dict[str, Any]:
        """What another run of the program is given, with another prior mean of ν.

        Parameters
        ----------
        nu_mean : float

        See Also
        --------
        bayescmp.Posterior.variations : What it is for.

        Examples
        --------
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = [[0.02, 0.01], [0.03, 0.02], [0.01, 0.03], [0.02, 0.0], [0.05, 0.02]]
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, noise="t")  # doctest: +SKIP
        >>> posterior.sampling_options(10.0)["draws"]  # doctest: +SKIP
        1000
        """
        chains, draws = self.values["Sigma"].shape[:2]
        steps = np.array([np.nan if step is None else step for step in self.resolution])
        return {
            "rho": self.rho,
            "noise": self.noise,
            "engine": self.engine,
            "seed": self.seed,
            "metrics": self.sampled,
            "resolution": None if np.isnan(steps).all() else steps,
            "lkj": self.lkj,
            "nu_mean": nu_mean,
            "chains": chains,
            "draws": draws,
        }

    @property
    def whole(self) -> bool:
        """Whether all metrics were sampled, and all of those are here."""
        return self.sampled == tuple(self.metrics)

    @property
    def movable(self) -> bool:
        """Whether another correlation of folds can be asked: all metrics have a drawn centre."""
        return "centre" in self.values and self.whole

    def moved(self, name: str, rho: float) -> Mapping[str, np.ndarray]:
        """Draws of the k sampled metrics under another correlation of folds.

        The folds inform a centre and Σ(1 − rho); a location is the centre less √rho·Az₀.

        Parameters
        ----------
        name : str
            The location: "delta", or "tau" of several algorithms.
        rho : float

        See Also
        --------
        bayescmp.Posterior.variations : What they are for.

        Examples
        --------
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = [[0.02, 0.01], [0.03, 0.02], [0.01, 0.03], [0.02, 0.0], [0.05, 0.02]]
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, noise="t")  # doctest: +SKIP
        >>> posterior.moved("delta", 0.5)["delta"].shape  # doctest: +SKIP
        (4, 1000, 2)
        """
        centre = self.values["centre"]
        Sigma = self.values["Sigma"] * (1 - self.rho) / (1 - rho)
        rng = np.random.default_rng([self.seed, 6])
        z = rng.standard_normal(centre.shape)
        rows = z if centre.ndim > 3 else z[..., None, :]  # (chain, draw, rows, k)
        if "nu" in self.values:
            nu = self.values["nu"]
            rows = rows / np.sqrt(rng.chisquare(nu) / nu)[..., None, None]
        shared = np.sqrt(rho) * rows @ np.swapaxes(np.linalg.cholesky(Sigma), -1, -2)
        if centre.ndim > 3:  # effects sum to zero over the algorithms
            shared -= shared.mean(axis=-2, keepdims=True)
        return {**self.values, "Sigma": Sigma, name: centre - shared.reshape(centre.shape)}

    def _nu_log_prior(self) -> dict[str, dict[str, np.ndarray]]:
        """The log prior density of ν, of t noise."""
        if "nu" not in self.values:
            return {}
        log_density = -(self.values["nu"] - 1) / self.nu_mean - np.log(self.nu_mean)
        return {"log_prior": {"nu": log_density}}

    def _groups(self) -> dict[str, dict[str, np.ndarray]]:
        return {
            "posterior": dict(self.values),
            "sample_stats": dict(self.sample_stats),
            "constant_data": {"x": self.x},
        }

    def _coords(self) -> Coordinates:
        coords, dims = super()._coords()  # type: ignore[safe-super]  # the model's own
        coords |= {"sampled": list(self.sampled), "sampled_": list(self.sampled)}
        return coords, {**dims, "Sigma": ["sampled", "sampled_"]}

    def _attributes(self) -> Json:
        more = {
            "noise": self.noise,
            "sampled": list(self.sampled),
            "prior_words": self.prior_words,
            "nu_mean": self.nu_mean,
            "lkj": self.lkj,
            "resolution": list(self.resolution),
        }
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        values = {k: v.to_numpy() for k, v in groups["posterior"].data_vars.items()}
        own = groups["sample_stats"].data_vars if "sample_stats" in groups else {}
        stats = {k: v.to_numpy() for k, v in own.items()}
        for name in ("metrics", "sampled", "resolution"):
            more[name] = tuple(more.get(name, ()))
        x = groups["constant_data"]["x"].to_numpy()
        return cls(**common, **more, values=values, sample_stats=stats, x=x)


def known_steps(steps: np.ndarray) -> tuple[float | None, ...]:
    """Smallest steps of metrics as JSON has them: None where they are not known (NaN)."""
    return tuple(None if np.isnan(step) else float(step) for step in steps)
