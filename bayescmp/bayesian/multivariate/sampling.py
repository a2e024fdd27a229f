"""What the sampled tests of several metrics on one data set share: data, priors, draws, noise.

Folds j = 1..n hold m rows of p numbers each: the differences of two algorithms (m = 1), or the
m = L − 1 contrasts of L algorithms. Rows of a fold have covariance Σ, folds correlate at rho.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from bayescmp.base.checks import choice, one_rho, steps
from bayescmp.base.magnitudes import ROUNDING, smallest_step
from bayescmp.bayesian.sampling import sample, varied
from bayescmp.engines.base import Fit, FitRequest, SamplerSettings, StanData
from bayescmp.engines.registry import find_engine
from bayescmp.errors import InputError
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.posterior import Fitted
from bayescmp.results.saving import group
from bayescmp.wording.text import exactly

if TYPE_CHECKING:
    pass

__all__ = [
    "NU_MEAN",
    "Folds",
    "Sampled",
    "SampledPosterior",
    "check_noise",
    "known_steps",
    "prior_data",
    "prior_text",
    "sample_folds",
]


# The program for one data set: units, floors, starting points, priors, draws.


MODEL = "multivariate_correlated_t"
NOISES = ("normal", "t")
PRIORS = ("jeffreys", "weak")
#: The weak prior's widths: of log σ, and of the location in root mean squares of the data.
LOG_SIGMA_SD, CENTRE_FACTOR = 5.0, 1000.0
#: The same where they stand for Jeffreys' prior.
FLAT_LOG_SIGMA_SD, FLAT_CENTRE_FACTOR = 1e4, 1e6
#: Degrees of freedom and steps of the EM algorithm that finds where the sampler starts.
EM_NU, EM_STEPS = 4.0, 40
LEAST_SPREAD = 1e-3  # of a metric, in units


@dataclass(frozen=True, eq=False)
class Sampled:
    """A sampler's run of a program for one data set.

    Attributes
    ----------
    fit : Fit
        Draws in the metrics' units, with the engine's name, version and statistics.
    diagnostics : Diagnostics
        Whether it can be trusted.
    seed : int
        Seed that gives the same draws again on the same engine.
    prior_text : str
        The prior in words.
    notes : tuple of str
        What the reader of a result should know.
    """

    fit: Fit
    diagnostics: Diagnostics
    seed: int
    prior_text: str
    notes: tuple[str, ...] = ()

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of each variable, (chain, draw, ...)."""
        return self.fit.draws


@dataclass(frozen=True, eq=False)
class Folds:
    """Folds of m rows of p numbers, and the units in which the sampler sees them.

    Attributes
    ----------
    y : ndarray of shape (n, m, p)
        The rows.
    rho : float
        Correlation of two folds.
    student : bool
        Whether the noise is multivariate t.
    metrics : tuple of str
        Names of the p numbers.
    step : ndarray of shape (p,)
        Resolution of each metric; NaN where it is neither known nor needed.
    unit : ndarray of shape (p,)
        Spread of each metric: the standard deviation; for t noise one that outliers do not move,
        unless over half of the numbers are equal.
    tied : ndarray of bool, shape (p,)
        Metrics in which over half of the numbers are equal.
    notes : tuple of str
        What was done about them.
    """

    y: np.ndarray
    rho: float
    student: bool
    metrics: tuple[str, ...]
    step: np.ndarray
    unit: np.ndarray
    tied: np.ndarray
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        y: np.ndarray,
        rho: object,
        student: bool,
        metrics: Sequence[str] | None,
        resolution: object,
    ) -> Folds:
        """Check the rows, and find their units.

        Raises
        ------
        InputError
            Metrics that are constant or linearly dependent, a bad rho or resolution, names that
            do not fit.
        """
        p = y.shape[-1]
        labels = tuple(metrics) if metrics is not None else tuple(f"m{k + 1}" for k in range(p))
        if len(labels) != p:
            raise InputError(f"metrics has {len(labels)} names where x has {p}")
        deviations = (y - y.mean(axis=0)).reshape(-1, p)
        sd = np.sqrt((deviations**2).sum(axis=0) / (y.shape[1] * (y.shape[0] - 1)))
        _check_rank(deviations, sd, np.abs(y).max(axis=(0, 1)), labels)
        step = steps(resolution, (p,))
        tied = _ties(y)
        unit, notes = sd, []
        if student:
            spread = 1.4826 * np.median(np.abs(y - np.median(y, axis=0)), axis=(0, 1))
            unit = np.where(tied, sd, spread)
            seen = [smallest_step(np.append(y[..., k], 0.0)) for k in range(p)]
            step = np.where(np.isnan(step) & tied, seen, step)
            notes = [
                f"over half of the differences in {labels[k]} are equal: its spread is kept above "
                f"that of rounding to the metric's resolution, h = {step[k]:.3g}"
                for k in np.flatnonzero(tied)
            ]
        return cls(y, one_rho(rho), student, labels, step, unit, tied, tuple(notes))

    @property
    def floor(self) -> np.ndarray:
        """Least spread of each metric, in units: that of rounding, or a thousandth of a unit."""
        rounding = np.where(np.isnan(self.step), 0.0, self.step) / np.sqrt(12) / self.unit
        return np.maximum(LEAST_SPREAD, np.minimum(rounding, 1.0))

    def start(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Location (m, p) and triangular root (p, p) of Σ from which the sampler starts.

        Those of the normal model, or for t noise a few steps of the EM algorithm with 4 degrees of
        freedom, which outliers do not lead astray. They fix coordinates, not the posterior.
        """
        n, m, p = y.shape
        if not self.student:
            at = y.mean(axis=0)
            scatter = np.einsum("jik,jil->kl", y - at, y - at) / (m * (n - 1))
            return at, np.linalg.cholesky(scatter / (1 - self.rho))
        at, sigma = np.median(y, axis=0), np.eye(p)
        for _ in range(EM_STEPS):
            z = np.linalg.solve(np.linalg.cholesky(sigma), (y - at).reshape(-1, p).T)
            distance = (z**2).sum(axis=0).reshape(n, m).sum(axis=1)
            w = (EM_NU + m * p) / (EM_NU + distance)
            at = np.einsum("j,jik->ik", w, y) / w.sum()
            sigma = np.einsum("j,jik,jil->kl", w, y - at, y - at) / (m * n)
            sigma += LEAST_SPREAD**2 * np.eye(p)
        if self.tied.any():  # what is over the floor may be nothing, of any direction
            sigma = np.diag(np.diag(sigma))
        sigma += np.diag(self.floor**2)
        return at, np.linalg.cholesky(sigma / (1 - self.rho))


def _check_rank(
    deviations: np.ndarray, sd: np.ndarray, largest: np.ndarray, labels: Sequence[str]
) -> None:
    constant = sd <= ROUNDING * np.maximum(largest, 1e-300)
    if constant.any():
        raise InputError(
            f"metric {labels[int(np.argmax(constant))]!r} differs by the same amount in every "
            "fold: there is no spread to estimate; leave it out"
        )
    if np.linalg.matrix_rank(deviations / sd, tol=1e-7 * np.sqrt(len(deviations))) < len(sd):
        raise InputError(
            f"the metrics {', '.join(labels)} are linearly dependent: leave one out, or use "
            "independent combinations of them"
        )


def _ties(y: np.ndarray) -> np.ndarray:
    """Metrics in which over half of the rows' numbers are equal, shape (p,)."""
    spread = np.median(np.abs(y - np.median(y, axis=0)), axis=(0, 1))
    return np.asarray(spread <= ROUNDING * np.maximum(np.abs(y).max(axis=(0, 1)), 1e-300))


def check_noise(noise: str, prior: str | None) -> tuple[bool, str]:
    """Whether the noise is multivariate t, and which prior goes with it.

    Raises
    ------
    InputError
        Unknown names, or Jeffreys' prior with t noise.
    """
    student = choice("noise", noise, NOISES) == "t"
    which = choice("prior", prior or ("weak" if student else "jeffreys"), PRIORS)
    if student and which == "jeffreys":
        raise InputError(
            "prior='jeffreys' has no proper posterior with t noise, whose Σ is bounded from "
            "below; accepted there: 'weak'"
        )
    return student, which


def prior_data(which: str, rms: np.ndarray, lkj: float, nu_mean: float) -> StanData:
    """The prior's part of the program's data.

    Parameters
    ----------
    which : str
        "jeffreys" or "weak".
    rms : ndarray of shape (p,)
        Root mean squares of the data, in units.
    lkj, nu_mean : float
        Shape of the LKJ prior; mean of the prior of ν − 1.
    """
    for name, value in (("lkj", lkj), ("nu_mean", nu_mean)):
        if not 0 < value < float("inf"):
            raise InputError(f"{name}={value!r}; accepted: a positive number")
    if which == "jeffreys":
        return {
            "eta": (1 - len(rms)) / 2,
            "log_sigma_sd": FLAT_LOG_SIGMA_SD,
            "centre_sd": FLAT_CENTRE_FACTOR * rms,
            "nu_mean": float(nu_mean),
        }
    return {
        "eta": float(lkj),
        "log_sigma_sd": LOG_SIGMA_SD,
        "centre_sd": CENTRE_FACTOR * rms,
        "nu_mean": float(nu_mean),
    }


def prior_text(which: str, student: bool, lkj: float, nu_mean: float) -> str:
    """The prior in words."""
    noise = f", ν − 1 ~ Exponential of mean {exactly(nu_mean)}" if student else ""
    if which == "jeffreys":
        return f"p(δ, Σ) ∝ |Σ|^(−(p+1)/2){noise}"
    return (
        f"weak: correlations ~ LKJ({exactly(lkj)}), "
        f"log σ ~ N(log of the data's, {LOG_SIGMA_SD:g}), "
        f"location ~ N(0, {CENTRE_FACTOR:g} root mean squares of the data){noise}"
    )


def sample_folds(
    y: np.ndarray,
    folds: Folds,
    prior: StanData,
    *,
    engine: str,
    seed: int,
    settings: SamplerSettings,
    progress: bool,
) -> tuple[Fit, Diagnostics]:
    """Draws of the rows' effects "delta" and of "centre", both (chain, draw, m, p), of Σ and of ν.

    Parameters
    ----------
    y : ndarray of shape (n, m, p)
        The rows in units, in an order that does not hang on that of the folds.
    folds : Folds
        What is known of them.
    prior : mapping
        As `prior_data` has it.
    engine, seed, settings, progress
        As for every sampler.

    Returns
    -------
    fit : Fit
        Draws in the metrics' units; "Sigma" is (chain, draw, p, p), "nu" (chain, draw).
    diagnostics : Diagnostics
        Judged by the effects themselves, not by what they are drawn about.
    """
    n, m, p = y.shape
    mean = y.mean(axis=0)
    errors = (y - mean).reshape(-1, p)
    at, root = folds.start(y)
    data = {
        "m": m,
        "p": p,
        "n": n,
        "rho": folds.rho,
        "student": int(folds.student),
        "xbar": mean,
        "scatter": errors.T @ errors,
        "x": y if folds.student else np.zeros((0, m, p)),
        "at": at,
        "root": root,
        "floor_sd": folds.floor,
        "log_sigma_mean": np.log(np.linalg.norm(root, axis=1)),
        **prior,
    }
    sizes = {"u": m * p, "log_t": p, "t_below": p * (p - 1) // 2}
    judged = {"delta": False, "Sigma": False, **({"nu": False} if folds.student else {})}
    request = FitRequest(
        MODEL,
        data,
        seed,
        {**judged, "centre": False},
        _inits(seed, settings.chains, folds.student, sizes),
        settings,
        progress,
    )
    fit, diagnostics = sample(find_engine(engine, MODEL), request, tuple(judged))
    draws = {name: fit.draws[name] * folds.unit for name in ("delta", "centre")}
    draws["Sigma"] = fit.draws["Sigma"] * np.outer(folds.unit, folds.unit)
    if folds.student:
        draws["nu"] = fit.draws["nu"][..., 0]
    return replace(fit, draws=draws), diagnostics


def _inits(seed: int, chains: int, student: bool, sizes: Mapping[str, int]) -> list[StanData]:
    """Initial values near the start, one mapping per chain, on the data's scale."""
    rng = np.random.default_rng([seed, 3])
    return [
        {
            **{name: (0.05 * rng.normal(size=size)).tolist() for name, size in sizes.items()},
            "nu_raw": rng.uniform(2, 20, size=int(student)).tolist(),
        }
        for _ in range(chains)
    ]


# What the sampled posteriors of several metrics on one data set share: draws, noise, saving.


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
    values: Mapping[str, np.ndarray] = field(metadata=group("posterior"))
    noise: str
    sampled: tuple[str, ...]
    prior_words: str
    sample_stats: Mapping[str, np.ndarray] = field(metadata=group("sample_stats"))
    if TYPE_CHECKING:  # fields of the model's own class, which says how they are saved
        x: np.ndarray
        rope: Any
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


def known_steps(steps: np.ndarray) -> tuple[float | None, ...]:
    """Smallest steps of metrics as JSON has them: None where they are not known (NaN)."""
    return tuple(None if np.isnan(step) else float(step) for step in steps)
