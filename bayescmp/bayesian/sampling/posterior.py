"""What the sampled posteriors of several metrics on one data set share: draws, noise, saving."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp._arviz import psis
from bayescmp.fitted import Fitted

if TYPE_CHECKING:
    from bayescmp.typing import Coordinates, Groups, Json


__all__ = ["NU_MEAN", "SampledPosterior"]

#: Mean of the exponential prior of ν − 1 (Kruschke 2013), and others that it is varied to.
NU_MEAN, OTHER_MEANS = 29.0, (10.0, 100.0)
#: Largest k-hat of weights that can be relied on (Vehtari et al. 2024).
RELIABLE = 0.7


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

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.values

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return self.prior_words

    def nu_weights(self) -> Iterator[tuple[str, np.ndarray]]:
        """Weights of the draws under other prior means of ν, and what they stand for, with k-hat.

        References
        ----------
        Vehtari, Simpson, Gelman, Yao & Gabry (2024), Journal of Machine Learning Research 25(72).

        Yields
        ------
        setting : str
        weights : ndarray of shape (chain, draw)
            They sum to one.

        See Also
        --------
        bayescmp.Posterior.variations : What they are for.

        Examples
        --------
        >>> from bayescmp.bayesian import multivariate_t
        >>> x = [[0.02, 0.01], [0.03, 0.02], [0.01, 0.03], [0.02, 0.0], [0.05, 0.02]]
        >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, noise="t")  # doctest: +SKIP
        >>> len(list(posterior.nu_weights()))  # doctest: +SKIP
        2
        """
        for mean in OTHER_MEANS if "nu" in self.values else ():
            ratios = (self.values["nu"] - 1) * (1 / self.nu_mean - 1 / mean)
            weights, k_hat = psis(ratios)
            doubt = ", not reliable" if k_hat > RELIABLE else ""
            yield f"mean of ν − 1 {mean:g} (k-hat {k_hat:.2f}{doubt})", weights

    @property
    def movable(self) -> bool:
        """Whether another correlation of folds can be asked: all metrics have a drawn centre."""
        return "centre" in self.values and self.sampled == tuple(self.metrics)

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
        }
        return {**super()._attributes(), **more}

    @classmethod
    def _restore(cls, common: Json, more: Json, groups: Groups) -> Fitted:
        values = {k: v.to_numpy() for k, v in groups["posterior"].data_vars.items()}
        own = groups["sample_stats"].data_vars if "sample_stats" in groups else {}
        stats = {k: v.to_numpy() for k, v in own.items()}
        for name in ("metrics", "sampled"):
            more[name] = tuple(more[name])
        x = groups["constant_data"]["x"].to_numpy()
        return cls(**common, **more, values=values, sample_stats=stats, x=x)
