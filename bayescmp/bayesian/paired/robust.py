"""The robust correlated t test: the correlated t test with Student-t noise, by a sampler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from bayescmp.base.checks import Seed, one_table, positive_of_any_size, seed_of
from bayescmp.base.magnitudes import ROUNDING, step_seen
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.paired.correlated import name_dataset, read_dataset, spread_of
from bayescmp.bayesian.sampling import (
    OF_METRIC,
    FoldModel,
    average_draws,
    check_settings,
    read_fit,
    reweigh_setting,
    round_for_sampler,
    sample,
    save_fit,
)
from bayescmp.engines.base import Fit, FitRequest, StanData, find_engine
from bayescmp.errors import InputError
from bayescmp.results.arviz import kernel_density, summary_row
from bayescmp.results.diagnostics import mean_errors, share_errors
from bayescmp.results.posterior import Model, Posterior, name_engine, split_mass
from bayescmp.results.saving import array, part
from bayescmp.results.verdict import lead_of
from bayescmp.scores.differences import Differences
from bayescmp.scores.resampling import other_rhos
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.wording.text import format_count, format_exactly, words_of

# What the robust program is given, and the way back.


MODEL = "robust_correlated_t"


#: Variables of the program that results are made of, and whether each is a scalar.
KEEP = {"delta": True, "centre": True, "sigma": True, "nu": True}


def scale_data(d: Differences, nu_mean: float) -> tuple[StanData, float, float]:
    """Return the program's data about their median, in units of their spread, and the way back.

    The problem or its mirror image is taken, whichever comes first; the mirror image has a
    negative unit. With one seed, swapping the algorithms thus swaps the answer.
    """
    x = d.x[0]
    ss, _ = spread_of(d)
    if ss == 0:
        raise InputError(
            "x is zero throughout, and nothing indicates the metric's resolution: there is no "
            "spread to estimate; give resolution (1/n_test for accuracy), or use correlated_t"
        )
    # In a unit that outliers do not move, unless most of the differences are equal; and sorted, so
    # that the order of the folds cannot change the numbers.
    centre, sd = float(np.median(x)), float(np.sqrt(ss / (len(x) - 1)))
    unit = sd if are_mostly_equal(d) else 1.4826 * float(np.median(np.abs(x - centre)))
    h = find_step(d)
    lower = 1e-3 if np.isnan(h) else max(1e-3, min(h / np.sqrt(12), sd) / unit)
    sorted_x = round_for_sampler(np.sort((x - centre) / unit))
    mirrored = 0.0 - sorted_x[::-1]
    # Differences symmetric about their median are their own mirror image: its sign decides.
    is_mirrored = (mirrored.tolist(), -centre) < (sorted_x.tolist(), centre)
    data = {
        "n": len(x),
        "x": mirrored if is_mirrored else sorted_x,
        "rho": float(d.rho[0]),
        "sigma_lower": float(round_for_sampler(lower)),
        "sigma_upper": float(round_for_sampler(1e3 * max(sd / unit, 1.0))),
        "nu_mean": float(nu_mean),
    }
    return data, centre, -unit if is_mirrored else unit


def find_step(d: Differences) -> float:
    """Return the metric's resolution; where it is not known but needed, the smallest step seen."""
    h = float(d.resolution[0])
    return step_seen(d.x) if np.isnan(h) and are_mostly_equal(d) else h


def draw_inits(data: StanData, seed: int, chains: int) -> list[dict[str, float]]:
    """Draw dispersed initial values, one mapping per chain."""
    rng = np.random.default_rng([seed, 2])
    return [
        {
            "centre": float(rng.normal(0, 0.1)),
            "log_sigma": float(rng.uniform(0.05, 0.5)),
            "nu_raw": float(rng.uniform(2, 20)),
        }
        for _ in range(chains)
    ]


def restore_units(fit: Fit, centre: float, unit: float) -> Fit:
    """Return the fit with draws in units of the metric; mirrored where the unit is negative."""
    units = {"delta": (centre, unit), "centre": (centre, unit), "sigma": (0.0, abs(unit))}
    draws = {}
    for name, values in fit.draws.items():
        shift, factor = units.get(name, (0.0, 1.0))
        draws[name] = shift + factor * values
    return Fit(fit.engine, fit.version, draws, fit.sample_stats)


def are_mostly_equal(d: Differences) -> bool:
    """Whether over half of the differences are equal: t noise then would shrink onto them."""
    x = d.x[0]
    spread = np.median(np.abs(x - np.median(x)))
    return bool(spread <= ROUNDING * max(float(np.abs(x).max()), 1e-300))


#: Variables by which the diagnostics judge.
JUDGED = ("delta", "sigma", "nu")


@one_table
def robust_t(
    x: ArrayLike | Differences,
    *,
    rho: ArrayLike | None = None,
    rope: RopeLike,
    engine: str = "auto",
    seed: Seed = None,
    names: Sequence[str] | None = None,
    resolution: float | None = None,
    nu_mean: float = 29.0,
    chains: int = 4,
    warmup: int = 1000,
    draws: int = 1000,
    adapt_delta: float = 0.9,
    progress: bool = False,
) -> RobustPosterior:
    """Bayesian robust correlated t test of two algorithms on one data set.

    It is `correlated_t` with Student-t noise of ν degrees of freedom, so that outlying folds move
    the answer less: x_j = δ + σ(√rho·z_0 + √(1 − rho)·z_j) with z ~ t_ν, which keeps the
    correlation rho between folds. As ν grows it becomes the correlated t test.

    Outliers do not move δ much, but they widen its interval, because z_0, which all folds share,
    has the same heavy tails. Simulated with 20 normal folds and rho = 0.1, one fold moved by ten
    standard deviations shifts the median by 0.08 of the half-width of the 95 % interval (0.63 with
    normal noise), which becomes 1.5 times as wide (2.5); three such folds shift it by 0.15 (1.95)
    and make it 2.8 times as wide (4.1).

    Parameters
    ----------
    x : Differences or array_like of shape (n,)
        Differences of scores on one data set, second minus first, n >= 3.
    rho : float, optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays; overrides that of a `Differences`.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric.
    engine : str
        "auto", or the name of an engine in `bayescmp.engines.engines` that fits this model.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    names : (str, str), optional
        The two algorithms.
    resolution : float, optional
        Smallest step h of the metric; σ is not allowed under the spread of rounding to it, h/√12.
        Where it is not known and over half of the differences are equal, the smallest step seen.
    nu_mean : float
        Mean of the exponential prior of ν − 1.
    chains, warmup, draws, adapt_delta, progress
        Settings of the sampler, and whether to show a progress bar.

    Returns
    -------
    RobustPosterior

    Raises
    ------
    InputError
        More than one data set, fewer than three differences, missing or infinite ones, all of
        them equal, a bad rho, rope, resolution, nu_mean or seed.
    EngineError, EngineNotFound
        If the engine can't fit the model or none is installed.

    Warns
    -----
    DiagnosticWarning
        If the diagnostics fail, also at a higher adapt_delta.

    See Also
    --------
    correlated_t : With normal noise, in closed form.
    bayescmp.frequentist.wilcoxon : A frequentist test that outliers move little, of independent
        differences.

    References
    ----------
    Kruschke (2013), Bayesian estimation supersedes the t test, Journal of Experimental Psychology:
    General 142:573-603; Corani & Benavoli (2015), Machine Learning 100:285-304.

    Examples
    --------
    One fold of ten went wrong; it takes a Stan engine:

    >>> import bayescmp as bc
    >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, -0.4]
    >>> posterior = bc.bayesian.robust_t(x, rho=0.1, rope=0.01, seed=1)  # doctest: +SKIP
    >>> posterior.verdict().p_right > 0.8  # doctest: +SKIP
    True
    >>> bc.bayesian.correlated_t(x, rho=0.1, rope=0.01).verdict().p_right < 0.4
    True
    """
    d = read_dataset(x, rho, names, resolution, least=3)
    region, number = as_rope(rope), seed_of(seed)
    positive_of_any_size(nu_mean, "nu_mean")
    settings = check_settings(chains, warmup, draws, adapt_delta)
    data, centre, unit = scale_data(d, nu_mean)  # a negative unit: mirrored
    request = FitRequest(
        MODEL, data, number, KEEP, draw_inits(data, number, chains), settings, progress
    )
    fit, diagnostics = sample(find_engine(engine, MODEL), request, JUDGED)
    step = float(d.resolution[0])
    posterior = RobustPosterior(
        nu_mean=float(nu_mean),
        resolution=None if np.isnan(step) else step,
        fit=restore_units(fit, centre, unit),
        dataset=name_dataset(d, x),
        x=d.x[0],
        rho=float(d.rho[0]),
        names=d.names,
        rope=region,
        **name_engine(fit, diagnostics, number),
        notes=_robust_notes(d),
        **words_of(d.unit),
        **d.described(),
    )
    posterior.warn_if_doubtful()
    return posterior


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RobustPosterior(Posterior):
    """Posterior of the robust correlated t test: draws of δ, σ and ν.

    δ has no mean where folds correlate: given the centre c, about which the data are informative,
    it is c − σ√rho·z with z ~ t_ν, and ν may be arbitrarily close to 1. Its median and intervals
    exist.

    Attributes
    ----------
    dataset : str
        Name of the data set; "" if it has none.
    x : ndarray of shape (n,)
        The differences.
    rho : float
        Correlation of two of them.
    nu_mean : float
        Prior mean of ν − 1.
    fit : Fit
        The engine's fit, in units of the metric.
    resolution : float or None
        Smallest step of the metric, where it is known.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, -0.4]
    >>> posterior = bc.bayesian.robust_t(x, rho=0.1, rope=0.01, seed=1)  # doctest: +SKIP
    >>> posterior.summary().index.tolist()  # doctest: +SKIP
    ['delta', 'sigma', 'nu']
    """

    dataset: str
    x: np.ndarray = field(metadata=array("fold"))
    rho: float
    nu_mean: float
    fit: Fit = field(metadata=part(save_fit, read_fit))
    resolution: float | None = None

    model: Model = Model(
        kind="robust_t",
        method="Bayesian robust correlated t test",
        reference="after Kruschke 2013 and Corani & Benavoli 2015",
        quantity="median difference",
        target="the {p.unit} {p.dataset}",
        target_unnamed="this {p.unit}",
        shows=("density",),
        picture="density",
        dims=OF_METRIC,
        stored=("delta", "sigma", "nu"),
    )

    @property
    def data_text(self) -> str:
        """What was observed: "10 folds"."""
        return format_count(len(self.x), self.sample)

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return f"p(δ, σ) ∝ 1/σ, ν − 1 ~ Exponential of mean {format_exactly(self.nu_mean)}"

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta, sigma and nu, each of shape (chain, draw), in units of the metric.

        With them comes centre, δ + σ√rho·z_0: what all folds have in common.
        """
        return self.fit.draws

    def _weigh_regions(self, rope: Rope) -> Json:
        """Average values of the t's cdf given centre, σ and ν over the draws.

        That has less Monte Carlo error than the shares of the draws of δ.
        """
        masses = self._masses(rope)
        return {
            "p": masses.mean(axis=(0, 1)),
            "errors": mean_errors(masses) if self._averaged else share_errors(masses),
            **lead_of(self.draws["delta"][..., None]),
            "floor": 1 / self.draws["delta"].size,
        }

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other prior means of ν, reweighted, and other correlations of folds, exactly.

        Weights are Pareto-smoothed (Vehtari et al. 2024), with their k-hat; where it is over 0.7
        the model is refitted, which takes a second or two on one data set. The likelihood is of
        the centre and of σ√(1 − rho), whose prior has no scale: another rho only rescales σ.
        """
        average = partial(average_draws, self._masses(self.rope))
        for mean in sorted({10.0, 100.0} - {self.nu_mean}):
            ratios = (self.draws["nu"] - 1) * (1 / self.nu_mean - 1 / mean)
            again = partial(self._refit_prior, mean)
            yield (
                "prior",
                *reweigh_setting(f"mean of ν − 1 {mean:g}", ratios, average, again),
            )
        for rho in other_rhos(self.rho) if "centre" in self.draws else ():
            yield "rho", f"{rho:.3g}", self._with_rho(rho)._masses(self.rope).mean(axis=(0, 1))

    def _with_rho(self, rho: float) -> RobustPosterior:
        """Return the posterior under another correlation of folds."""
        d = self.fit.draws
        sigma = d["sigma"] * np.sqrt((1 - self.rho) / (1 - rho))
        t = np.random.default_rng(self.seed).standard_t(d["nu"])
        delta = d["centre"] - sigma * np.sqrt(rho) * t
        return replace(
            self, rho=rho, fit=replace(self.fit, draws={**d, "sigma": sigma, "delta": delta})
        )

    def _refit_prior(self, nu_mean: float) -> np.ndarray:
        """Fit the same data under another prior of ν."""
        chains, draws = self.draws["nu"].shape
        other = robust_t(
            Differences([self.x], rho=self.rho, names=self.names),
            rope=self.rope,
            engine=self.engine,
            seed=self.seed,
            resolution=self.resolution,
            nu_mean=nu_mean,
            chains=chains,
            draws=draws,
        )
        return np.asarray(other._masses(self.rope).mean(axis=(0, 1)))

    @property
    def _averaged(self) -> bool:
        """Whether δ varies given the draws of the centre; posteriors saved by 0.1 have none."""
        return self.rho > 0 and "centre" in self.draws

    def _masses(self, rope: Rope) -> np.ndarray:
        """Probabilities of the regions for each draw, shape (chain, draw, 3)."""
        d = self.draws
        if self._averaged:
            scale = d["sigma"] * np.sqrt(self.rho)
            left = stdtr(d["nu"], (rope.low - d["centre"]) / scale)
            right = stdtr(d["nu"], (d["centre"] - rope.high) / scale)
        else:
            left = (d["delta"] < rope.low).astype(float)
            right = (d["delta"] > rope.high).astype(float)
        return split_mass(left, right, rope)

    def _summary_rows(self) -> dict[str, dict[str, float]]:
        """Rows of δ, σ and ν; where folds correlate, δ has no mean and no sd, told as NaN."""
        rows = {name: summary_row(self.draws[name]) for name in JUDGED}
        if self.rho > 0:
            rows["delta"] |= {"mean": np.nan, "sd": np.nan}
        return rows

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Kernel estimate of the density of δ, in units of the metric.

        The tails beyond probability 0.0005 on each side are left out.
        """
        return kernel_density(self.draws["delta"])

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        d = self.fit.draws
        if "centre" not in d:  # saved by 0.1
            return {}
        Sigma = (d["sigma"] ** 2)[..., None, None]
        model = FoldModel(
            self.x[:, None, None], d["centre"][..., None, None], Sigma, self.rho, d["nu"]
        )
        exponential = -(d["nu"] - 1) / self.nu_mean - np.log(self.nu_mean)
        log_prior = {"sigma": -np.log(d["sigma"]), "nu": exponential}
        return {**model.groups("differences", self.seed), "log_prior": log_prior}


def _robust_notes(d: Differences) -> tuple[str, ...]:
    if not are_mostly_equal(d):
        return ()
    return (
        f"over half of the differences are equal: σ is kept above the spread of rounding to "
        f"the metric's resolution, h = {find_step(d):.3g}",
    )
