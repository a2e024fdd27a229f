"""Sampling models of several metrics on one data set: data, priors, draws, noise.

Folds j = 1..n hold m rows of p numbers: differences of two algorithms (m = 1), or m = L − 1
contrasts of L. Rows of a fold have covariance Σ, folds correlate at rho.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import Seed, check_choice, check_steps, positive_of_any_size, seed_of
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import ROUNDING, smallest_step
from bayescmp.base.typing import Reweighted
from bayescmp.bayesian.multivariate.base import ErrorSubspace
from bayescmp.bayesian.sampling import (
    FoldModel,
    GroupsOfArrays,
    check_settings,
    reweigh_setting,
    sample,
)
from bayescmp.engines.base import Fit, FitRequest, StanData, find_engine
from bayescmp.errors import unknown_name
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.scores.resampling import other_rhos
from bayescmp.wording.text import format_exactly

# The program for one data set: units, floors, starting points, priors, draws.


MODEL = "multivariate_correlated_t"
NOISES = ("normal", "t")
PRIORS = ("jeffreys", "weak")
#: The weak prior's widths: of log σ, and of the location in root mean squares of the data.
LOG_SIGMA_SD, CENTRE_FACTOR = 5.0, 1000.0
#: Widths that stand for Jeffreys' prior.
FLAT_LOG_SIGMA_SD, FLAT_CENTRE_FACTOR = 1e4, 1e6
#: Degrees of freedom and steps of the EM algorithm that finds where the sampler starts.
EM_NU, EM_STEPS = 4.0, 40
LEAST_SPREAD = 1e-3  # of a metric, in units
#: Mean of the exponential prior of ν − 1 (Kruschke 2013), and others that it is varied to.
NU_MEAN, OTHER_MEANS = 29.0, (10.0, 100.0)


@dataclass(frozen=True, eq=False)
class SamplerRun:
    """A sampler's run of a program for one data set, with draws in the metrics' units."""

    fit: Fit
    diagnostics: Diagnostics
    seed: int
    prior_text: str
    notes: tuple[str, ...] = ()

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of each variable, (chain, draw, ...)."""
        return self.fit.draws

    def replace_draws(self, draws: Mapping[str, np.ndarray]) -> SamplerRun:
        """Return the run with other draws."""
        return replace(self, fit=replace(self.fit, draws=draws))


@dataclass(frozen=True, eq=False)
class MetricRows:
    """Folds of m rows of p numbers, `y` (n, m, p), and the units in which the sampler sees them.

    `step` (p,) are resolutions or NaN. `unit` (p,) is each metric's standard deviation; for t
    noise a robust spread, unless over half of the numbers are equal, as in `tied` metrics; `notes`
    state this.
    """

    y: np.ndarray
    rho: float = field(metadata=about(least=0, below=1))
    student: bool
    metrics: tuple[str, ...]
    step: np.ndarray
    unit: np.ndarray
    tied: np.ndarray
    notes: tuple[str, ...]

    @classmethod
    def from_rows(
        cls,
        y: np.ndarray,
        rho: float,
        student: bool,
        metrics: Sequence[str] | None,
        resolution: ArrayLike | None,
    ) -> MetricRows:
        """Find the units of rows whose metrics vary, none of them a combination of others."""
        p = y.shape[-1]
        labels = tuple(metrics) if metrics is not None else tuple(f"m{k + 1}" for k in range(p))
        deviations = (y - y.mean(axis=0)).reshape(-1, p)
        sd = np.sqrt((deviations**2).sum(axis=0) / (y.shape[1] * (y.shape[0] - 1)))
        step = check_steps(resolution, (p,))
        tied = _ties(y)
        unit, notes = sd, []
        if student:
            spread = 1.4826 * np.median(np.abs(y - np.median(y, axis=0)), axis=(0, 1))
            unit = np.where(tied, sd, spread)
            seen = [smallest_step(np.append(y[..., column], 0.0)) for column in range(p)]
            step = np.where(np.isnan(step) & tied, seen, step)
            notes = [
                f"over half of the differences in {labels[k]} are equal: its spread is kept above "
                f"that of rounding to the metric's resolution, h = {step[k]:.3g}"
                for k in np.flatnonzero(tied)
            ]
        return cls(y, rho, student, labels, step, unit, tied, tuple(notes))

    @property
    def floor(self) -> np.ndarray:
        """Least spread of each metric, in units: that of rounding, or 0.001 of a unit."""
        rounding = np.where(np.isnan(self.step), 0.0, self.step) / np.sqrt(12) / self.unit
        return np.maximum(LEAST_SPREAD, np.minimum(rounding, 1.0))

    def start(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return location (m, p) and root (p, p) of Σ to start from, by normal model or EM."""
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


def _ties(y: np.ndarray) -> np.ndarray:
    """Return whether over half of the rows' numbers are equal in each metric, shape (p,)."""
    spread = np.median(np.abs(y - np.median(y, axis=0)), axis=(0, 1))
    return np.asarray(spread <= ROUNDING * np.maximum(np.abs(y).max(axis=(0, 1)), 1e-300))


def is_closed_form(noise: str, engine: str | None, options: Mapping[str, object]) -> bool:
    """Return whether the closed form is requested, which has normal noise and takes no options."""
    if noise == "normal" and engine in (None, "exact"):
        if options:
            raise unknown_name(
                "option of the closed form", next(iter(options)), ["engine"], next(iter(options))
            )
        return True
    if engine == "exact":
        raise must_be("engine", f"a sampler with {arg('noise', 't')}, or 'auto'", "exact")
    return False


def choose_prior(prior: str | None, student: bool) -> str:
    """Choose the prior that goes with the noise."""
    which = check_choice("prior", prior or ("weak" if student else "jeffreys"), PRIORS)
    if student and which == "jeffreys":
        raise must(
            "prior",
            "be proper with t noise, whose Σ is bounded from below",
            repr("jeffreys"),
            f"Use {arg('prior', 'weak')}.",
        )
    return which


def prior_data(which: str, rms: np.ndarray, lkj: float, nu_mean: float) -> StanData:
    """Return the prior's part of the program's data; rms, (p,), are the data's, in units."""
    for name, value in (("lkj", lkj), ("nu_mean", nu_mean)):
        positive_of_any_size(value, name)
    flat = which == "jeffreys"
    return {
        "eta": (1 - len(rms)) / 2 if flat else float(lkj),
        "log_sigma_sd": FLAT_LOG_SIGMA_SD if flat else LOG_SIGMA_SD,
        "centre_sd": (FLAT_CENTRE_FACTOR if flat else CENTRE_FACTOR) * rms,
        "nu_mean": float(nu_mean),
    }


def prior_text(which: str, student: bool, lkj: float, nu_mean: float) -> str:
    """Return the prior in words."""
    noise = f", ν − 1 ~ Exponential of mean {format_exactly(nu_mean)}" if student else ""
    if which == "jeffreys":
        return f"p(δ, Σ) ∝ |Σ|^(−(p+1)/2){noise}"
    return (
        f"weak: correlations ~ LKJ({format_exactly(lkj)}), "
        f"log σ ~ N(log of the data's, {LOG_SIGMA_SD:g}), "
        f"location ~ N(0, {CENTRE_FACTOR:g} root mean squares of the data){noise}"
    )


def sample_folds(
    y: np.ndarray,
    folds: MetricRows,
    rms: np.ndarray,
    *,
    test: str,
    engine: str,
    seed: int,
    prior: str | None = None,
    lkj: float = 1.0,
    nu_mean: float = NU_MEAN,
    chains: int = 4,
    warmup: int = 1000,
    draws: int = 1000,
    adapt_delta: float = 0.9,
    progress: bool = False,
) -> SamplerRun:
    """Sample a model of one data set's folds, by Stan.

    The folds' rows `y` (n, m, p), and root mean squares of the data, `rms` (p,), are in units of
    `folds`; the draws "delta" and "centre", (chain, draw, m, p), Σ and, with t noise, ν, in units
    of the metrics. With normal noise the default `prior` is "jeffreys", |Σ|^(−(p+1)/2); with t
    noise it is always "weak", since Jeffreys' gives no proper posterior with Σ bounded from below.
    """
    which = choose_prior(prior, folds.student)
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
        **prior_data(which, rms, lkj, nu_mean),
    }
    settings = check_settings(chains, warmup, draws, adapt_delta)
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
    fit, diagnostics = sample(find_engine(engine, MODEL, test), request, tuple(judged))
    drawn = {name: fit.draws[name] * folds.unit for name in ("delta", "centre")}
    drawn["Sigma"] = fit.draws["Sigma"] * np.outer(folds.unit, folds.unit)
    if folds.student:
        drawn["nu"] = fit.draws["nu"][..., 0]
    words = prior_text(which, folds.student, lkj, nu_mean)
    return SamplerRun(replace(fit, draws=drawn), diagnostics, seed, words, folds.notes)


def _inits(seed: int, chains: int, student: bool, sizes: Mapping[str, int]) -> list[StanData]:
    """Draw initial values near the start, one mapping per chain, on the data's scale."""
    rng = np.random.default_rng([seed, 3])
    return [
        {
            **{name: (0.05 * rng.normal(size=size)).tolist() for name, size in sizes.items()},
            "nu_raw": rng.uniform(2, 20, size=int(student)).tolist(),
        }
        for _ in range(chains)
    ]


# Sampling the multivariate correlated t test: normal and multivariate t noise, by Stan.


def sample_multivariate(
    x: np.ndarray,
    *,
    rho: float,
    noise: str = "t",
    engine: str = "auto",
    seed: Seed = None,
    metrics: Sequence[str] | None = None,
    resolution: ArrayLike | None = None,
    **options: Any,
) -> SamplerRun:
    """Draw the mean difference of p metrics on one data set.

    Differences are x_j = δ + A(√rho·z_0 + √(1 − rho)·z_j), AA′ = Σ, with z standard normal or
    multivariate t with ν degrees of freedom (Corani & Benavoli 2015, Machine Learning 100:285-304;
    Kruschke 2013, Journal of Experimental Psychology: General 142:573-603). The weak prior: Σ =
    diag(σ) Ω diag(σ), log σ_k normal about the data's own with sd 5, Ω ~ LKJ(lkj) (Lewandowski,
    Kurowicka & Joe 2009, Journal of Multivariate Analysis 100:1989-2001), the folds' centre normal
    with 1000 times the differences' root mean square, ν − 1 ~ Exponential. Jeffreys' has the
    closed form t_{n−p}(D̄, c·S/(n−p)).

    Differences `x` are (n, p), n > p, of metrics that vary and are linearly independent. With t
    noise Σ is at least the spread of rounding to `resolution`, diag(h²/12): by default the
    smallest step seen if over half of a metric's differences are equal. The draws are delta
    (chain, draw, p), Sigma (chain, draw, p, p) and, with t noise, nu.
    """
    folds = MetricRows.from_rows(x[:, None, :], rho, noise == "t", metrics, resolution)
    # The mirrored problem has the mirrored draws, and the order of the folds cannot matter.
    sign = -1.0 if (x / folds.unit).sum() < 0 else 1.0
    scaled = sign * x / folds.unit
    scaled = scaled[np.lexsort(scaled.T)]
    rms = np.sqrt((scaled**2).mean(axis=0))
    number = seed_of(seed)
    sampled = sample_folds(
        scaled[:, None, :],
        folds,
        rms,
        test="multivariate_t",
        engine=engine,
        seed=number,
        **options,
    )
    own = {name: sign * sampled.draws[name][..., 0, :] for name in ("delta", "centre")}
    return sampled.replace_draws({**sampled.draws, **own})


# Contents of the posteriors of sampled models of one data set: draws and the sampler's settings.


Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class SampledFit:
    """Draws of a model of one data set's folds, and their sampler's settings.

    `draws` (chain, draw, ...) are the model's variables in all p metrics; of the k `sampled` ones,
    from which the others follow, "Sigma" (k, k) and "centre", what folds scatter about; "nu" with
    t noise. `nu_mean` is the mean of the exponential prior of ν − 1, `lkj` the shape of the prior
    of correlations, `resolution` each metric's smallest step, None if not given, empty if unknown.
    """

    draws: Mapping[str, np.ndarray] = field(metadata=about(group="posterior"))
    noise: str
    sampled: tuple[str, ...]
    prior_words: str
    sample_stats: Mapping[str, np.ndarray] = field(metadata=about(group="sample_stats"))
    nu_mean: float = NU_MEAN
    lkj: float = 1.0
    resolution: tuple[float | None, ...] = ()

    def is_of(self, metrics: Sequence[str]) -> bool:
        """Return whether these metrics were sampled, and no others."""
        return "Sigma" in self.draws and self.sampled == tuple(metrics)

    def is_movable(self, metrics: Sequence[str]) -> bool:
        """Whether another correlation of folds can be asked: all metrics have a drawn centre."""
        return "centre" in self.draws and self.is_of(metrics)

    def vary(
        self,
        posterior: Any,
        location: str,
        sampler: Callable[..., SamplerRun] | None,
        average: Callable[[np.ndarray], Result],
        tell: Callable[[Any], Result],
    ) -> Iterator[tuple[str, str | Reweighted, Result]]:
        """Yield other prior means of ν (reweighted by ``average``) and rhos, exactly."""
        again = None
        if sampler and self.is_of(posterior.metrics):
            again = partial(self._sample_again, posterior, sampler, tell)
        for mean in sorted({*OTHER_MEANS} - {self.nu_mean}) if "nu" in self.draws else ():
            ratios = (self.draws["nu"] - 1) * (1 / self.nu_mean - 1 / mean)
            refit = again and partial(again, mean)
            yield "prior", *reweigh_setting(f"mean of ν − 1 {mean:g}", ratios, average, refit)
        for rho in other_rhos(posterior.rho) if self.is_movable(posterior.metrics) else ():
            fit = self.move(location, posterior.rho, to=rho, seed=posterior.seed)
            yield "rho", f"{rho:.3g}", tell(replace(posterior, rho=rho, fit=fit))

    def _sample_again(
        self,
        posterior: Any,
        sampler: Callable[..., SamplerRun],
        tell: Callable[[Any], Result],
        nu_mean: float,
    ) -> Result:
        p = posterior
        run = sampler(
            p.x, rho=p.rho, engine=p.engine, seed=p.seed, nu_mean=nu_mean, **self.options
        )
        other = replace(p, fit=replace(self, draws=run.draws), diagnostics=run.diagnostics)
        other.warn_if_doubtful()
        return tell(other)

    def move(self, name: str, rho: float, *, to: float, seed: int) -> SampledFit:
        """Move the draws of a location, "delta" or "tau", to another correlation of folds."""
        centre = self.draws["centre"]
        Sigma = self.draws["Sigma"] * (1 - rho) / (1 - to)
        rng = np.random.default_rng([seed, 6])
        z = rng.standard_normal(centre.shape)
        rows = z if centre.ndim > 3 else z[..., None, :]  # (chain, draw, rows, k)
        if "nu" in self.draws:
            nu = self.draws["nu"]
            rows = rows / np.sqrt(rng.chisquare(nu) / nu)[..., None, None]
        shared = np.sqrt(to) * rows @ np.swapaxes(np.linalg.cholesky(Sigma), -1, -2)
        if centre.ndim > 3:  # effects sum to zero over the algorithms
            shared -= shared.mean(axis=-2, keepdims=True)
        moved = {"Sigma": Sigma, name: centre - shared.reshape(centre.shape)}
        return replace(self, draws={**self.draws, **moved})

    @property
    def options(self) -> dict[str, Any]:
        """Options of a new run of the program, except for rho, the engine and its seed."""
        chains, draws = self.draws["Sigma"].shape[:2]
        steps = np.array([np.nan if step is None else step for step in self.resolution])
        return {
            "noise": self.noise,
            "metrics": self.sampled,
            "resolution": None if np.isnan(steps).all() else steps,
            "lkj": self.lkj,
            "chains": chains,
            "draws": draws,
        }

    def arviz_groups(
        self, name: str, y: np.ndarray, centre: np.ndarray, rho: float, seed: int
    ) -> GroupsOfArrays:
        """Return groups for ArviZ, of folds y about their centre; the log prior is that of ν."""
        nu = self.draws.get("nu")
        groups = FoldModel(y, centre, self.draws["Sigma"], rho, nu).groups(name, seed)
        if nu is not None:
            log_density = -(nu - 1) / self.nu_mean - np.log(self.nu_mean)
            groups["log_prior"] = {"nu": log_density}
        return groups


def sample_kept(
    sampler: Callable[..., SamplerRun],
    x: np.ndarray,
    space: ErrorSubspace,
    name: str,
    *,
    location: np.ndarray,
    roundings: float,
    resolution: np.ndarray,
    **options: Any,
) -> tuple[SamplerRun, SampledFit]:
    """Sample an independent part of the metrics, from which the others follow.

    `sampler` is `sample_multivariate` or `sample_groups`, `x` (..., p) its scores, `name` the
    draws that all metrics have, observed at `location` (..., p); `resolution` (p,) may be NaN.
    """
    kept = space.kept_places
    names, steps = tuple(space.metrics[j] for j in kept), resolution[kept]
    known = None if np.isnan(steps).all() else steps
    sampled = sampler(x[..., kept], metrics=names, resolution=known, **options)
    drawn = location + (sampled.draws[name] - location[..., kept]) @ space.map_back
    drawn += space.rounding_draws(drawn.shape[:-1], roundings, sampled.seed)
    return sampled, SampledFit(
        {**sampled.draws, name: drawn},
        options["noise"],
        names,
        sampled.prior_text,
        sampled.fit.sample_stats,
        nu_mean=options.get("nu_mean", NU_MEAN),
        lkj=options.get("lkj", 1.0),
        resolution=tuple(None if np.isnan(step) else float(step) for step in resolution),
    )
