"""The hierarchical posterior's two forms, a density on a grid or draws, and their predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Concatenate, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy.special import gammaln, stdtr, stdtrit

from bayescmp.base.magnitudes import underflow_is_zero
from bayescmp.base.records import Record, read_only
from bayescmp.bayesian.hierarchical.problem import UPPER, ScaledProblem
from bayescmp.bayesian.regions import locate_draws
from bayescmp.engines.base import Fit
from bayescmp.engines.quadrature import (
    GridPosterior,
    NuPrior,
    Problem,
    Settings,
    dataset_log_likelihoods,
    nu_grid,
    solve,
)
from bayescmp.results.arviz import kernel_density, row_of, summary_row
from bayescmp.results.diagnostics import share_errors
from bayescmp.results.posterior import CHAINS, DRAWS, split_student
from bayescmp.results.verdict import DatasetSpread, winners
from bayescmp.scores.rope import Rope

if TYPE_CHECKING:
    T = TypeVar("T")
    Question: TypeAlias = Callable[Concatenate["Answer", ...], T]


# ArviZ groups of the hierarchical model: prior, likelihood, and predicted data.


#: Variables that are observed and predicted: of each data set the mean difference, and the
#: standard deviation of its folds' differences.
PREDICTED = ("mean_difference", "sd_of_folds")


def pose_for_engine(problem: ScaledProblem) -> Problem:
    """Return the problem as the built-in engine takes it."""
    names = {field.name for field in fields(Problem)}
    return Problem(**{name: value for name, value in problem.data.items() if name in names})


def arviz_groups(
    draws: Mapping[str, np.ndarray], problem: ScaledProblem, seed: int
) -> dict[str, dict[str, np.ndarray]]:
    """Return ArviZ's other groups next to the posterior draws, in units of the metric.

    "log_likelihood" is of each data set's differences given (δ0, σ0, ν), its own integrated out;
    "log_prior" of these three; "prior" has draws of them; "observed_data" and
    "posterior_predictive" have the mean and standard deviation of each data set's folds.
    """
    s = problem.statistics
    observed = (s.mean, s.within)
    predicted = replicate_data(draws, problem, np.random.default_rng([seed, 3]))
    return {
        "log_likelihood": {"differences": _log_likelihood(draws, problem)},
        "log_prior": _log_prior(draws, problem),
        "prior": _prior_draws(problem, draws["nu"].shape, np.random.default_rng([seed, 4])),
        "observed_data": dict(zip(PREDICTED, observed, strict=True)),
        "posterior_predictive": dict(zip(PREDICTED, predicted, strict=True)),
    }


def replicate_data(
    draws: Mapping[str, np.ndarray], problem: ScaledProblem, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw means and sds, (chain, draw, q), of as many new data sets, with the σ_i seen."""
    s, sigma = problem.statistics, draws["sigma"]
    delta0, sigma0, nu = (draws[name][..., None] for name in ("delta0", "sigma0", "nu"))
    delta = delta0 + sigma0 * rng.standard_t(np.broadcast_to(nu, sigma.shape))
    error = sigma * np.sqrt((1 - s.rho) * s.factor)
    mean = delta + error * rng.standard_normal(sigma.shape)
    ss = sigma**2 * (1 - s.rho) * rng.chisquare(s.n - 1, sigma.shape)
    return mean, np.sqrt(ss / (s.n - 1))


def _log_likelihood(draws: Mapping[str, np.ndarray], problem: ScaledProblem) -> np.ndarray:
    """Log-likelihood of each data set, (chain, draw, q), in the data sets' own order."""
    shape, unit = draws["nu"].shape, problem.scale
    at = {"delta0": draws["delta0"] / unit, "sigma0": draws["sigma0"] / unit, "nu": draws["nu"]}
    values = dataset_log_likelihoods(
        pose_for_engine(problem), {name: values.ravel() for name, values in at.items()}
    )
    own = problem.own_order(values) - problem.statistics.n * np.log(unit)
    return np.asarray(own.reshape(*shape, -1))


def log_density_of_nu(prior: NuPrior, nu: np.ndarray) -> np.ndarray:
    """Return the log prior density of ν, α and β integrated out."""
    grid = nu_grid(prior)
    log_density = np.log(np.maximum(grid.mass, 1e-300)) - np.log(np.diff(grid.log_x)[0])
    log_x = np.log(nu - grid.offset)
    return np.asarray(np.interp(log_x, grid.log_x, log_density) - log_x)


def _log_prior(draws: Mapping[str, np.ndarray], problem: ScaledProblem) -> dict[str, np.ndarray]:
    """Log densities of δ0 and σ0, which are uniform, and of ν, α and β integrated out."""
    data, shape = problem.data, draws["nu"].shape
    return {
        "delta0": np.full(shape, -np.log(2 * data["delta0_bound"] * problem.scale)),
        "sigma0": np.full(shape, -np.log(data["sigma0_upper"] * problem.scale)),
        "nu": log_density_of_nu(pose_for_engine(problem).nu_prior, draws["nu"]),
    }


def _prior_draws(
    problem: ScaledProblem, shape: tuple[int, ...], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Draw δ0, σ0 and ν from the prior."""
    data, unit = problem.data, problem.scale
    prior: NuPrior = pose_for_engine(problem).nu_prior
    shapes, rates = rng.uniform(*prior.alpha, shape), rng.uniform(*prior.beta, shape)
    return {
        "delta0": unit * data["delta0_bound"] * rng.uniform(-1, 1, shape),
        "sigma0": unit * data["sigma0_upper"] * rng.uniform(0, 1, shape),
        "nu": prior.offset + rng.standard_gamma(shapes) / rates,
    }


# A posed problem on the built-in engine's grid: for analyses that need many refits.


def solve_problem(problem: ScaledProblem, settings: Settings | None = None) -> GridPosterior:
    """Return the posterior of a problem, on the problem's scale."""
    return solve(pose_for_engine(problem), settings=settings)


def grid_probabilities(
    problem: ScaledProblem, rope: Rope, settings: Settings | None = None
) -> np.ndarray:
    """Return probabilities of left, rope and right on a new data set, shape (3,)."""
    return region_shares(solve_problem(problem, settings), problem, rope)


def region_shares(grid: GridPosterior, problem: ScaledProblem, rope: Rope) -> np.ndarray:
    """Return probabilities of left, rope and right; the grid's unit is `scale` of the ROPE's."""
    return np.asarray(grid.probabilities(*problem.ends_of(rope)))


# The difference on a new data set: a mixture of Student distributions, one for each draw.


#: Every 16th draw locates a quantile roughly; one or two steps then use all draws.
_THINNED = 16
#: A step of this many scales leaves an error of its cube: under 1e-5.
_LAST_STEP = 0.03


class _Mixture(NamedTuple):
    delta0: np.ndarray
    sigma0: np.ndarray
    nu: np.ndarray
    peak: np.ndarray  # the densities at delta0

    @classmethod
    def from_draws(cls, upper: Mapping[str, np.ndarray]) -> _Mixture:
        delta0, sigma0, nu = (upper[name].ravel() for name in ("delta0", "sigma0", "nu"))
        log = gammaln((nu + 1) / 2) - gammaln(nu / 2)
        return cls(delta0, sigma0, nu, np.exp(log) / (np.sqrt(nu * np.pi) * sigma0))

    def cdf(self, x: float) -> float:
        return float(stdtr(self.nu, (x - self.delta0) / self.sigma0).mean())

    def slopes(self, x: float) -> tuple[float, float]:
        """Return the density and its derivative."""
        nu, z = self.nu, (x - self.delta0) / self.sigma0
        density = self.peak * np.exp(-(nu + 1) / 2 * np.log1p(z * z / nu))
        derivative = -density * (nu + 1) * z / ((nu + z * z) * self.sigma0)
        return float(density.mean()), float(derivative.mean())


@underflow_is_zero
def next_interval(upper: Mapping[str, np.ndarray], prob: float = 0.95) -> tuple[float, float]:
    """Return the central predictive interval of a new data set's difference over all draws."""
    mixture = _Mixture.from_draws(upper)
    low, high = (_quantile(mixture, p) for p in ((1 - prob) / 2, (1 + prob) / 2))
    return low, high


def _quantile(mixture: _Mixture, p: float) -> float:
    """Find a quantile by all draws, searched from the median draw's through some of them."""
    delta0, sigma0, nu, _ = map(np.median, mixture)
    scale = float(sigma0)
    x = float(delta0 + sigma0 * stdtrit(nu, p))
    thinned = _Mixture(*(values[::_THINNED] for values in mixture))
    return _solve_quantile(mixture, p, _solve_quantile(thinned, p, x, scale), scale)


def _solve_quantile(mixture: _Mixture, p: float, x: float, scale: float) -> float:
    """Find where the distribution function is p, by Halley's method kept in its bracket."""
    low, high, reach = -np.inf, np.inf, scale
    for _ in range(200):
        excess = mixture.cdf(x) - p
        low, high = (x, high) if excess < 0 else (low, x)
        slope, bend = mixture.slopes(x)
        curved = slope - excess * bend / (2 * slope) if slope > 0 else 0.0
        following = x - excess / curved if curved > 0 else np.inf
        if abs(following - x) <= _LAST_STEP * scale:
            return following
        if not (low < following < high and abs(following - x) <= reach):
            ends_known = np.isfinite(low) and np.isfinite(high)
            following = (low + high) / 2 if ends_known else x - np.copysign(reach, excess)
            reach *= 2
        x = following
    return x


# The two forms of the hierarchical test's posterior: a density on a grid, or draws.


#: The smallest probability that an exact posterior tells from zero.
EXACT_FLOOR = 1e-6
_WITH_UNITS = ("delta0", "sigma0", "delta", "sigma")


#: The numbers of a verdict, as `Posterior.decide` takes them, each of shape (3,): left of, in and
#: right of the ROPE.
Parts: TypeAlias = dict[str, np.ndarray]


class DataSets(NamedTuple):
    """Posterior means and sds of the δ_i, (q,), `interval` (q, 2) and regions `p` (q, 3)."""

    mean: np.ndarray
    sd: np.ndarray
    interval: np.ndarray
    p: np.ndarray


def answer_of(fit: Fit, problem: ScaledProblem, seed: int) -> Answer:
    """Return the answer that a fit gives, in units of the metric."""
    if fit.density is not None:
        return GridAnswer(fit.density, problem, seed)
    return DrawsAnswer(_in_units(fit.draws, problem))


def masses_of(upper: Mapping[str, np.ndarray], rope: Rope) -> np.ndarray:
    """Return each draw's masses of t_ν(δ0, σ0) left of, in and right of the ROPE, (..., 3)."""
    return split_student(upper["nu"], upper["delta0"], upper["sigma0"], rope)


def quantiles_of(answer: Answer, name: str) -> tuple[float, float, float]:
    """Return a parameter's median within its central 95% interval: low, median, high."""
    low, middle, high = map(float, answer.quantile(name, np.array([0.025, 0.5, 0.975])))
    return low, middle, high


def _find_spread(answer: Answer) -> DatasetSpread:
    """Return how far data sets differ: σ0, and the difference on a new data set."""
    low, median, high = quantiles_of(answer, "sigma0")
    return DatasetSpread(median, (low, high), next_interval(answer.summary_draws))


def _in_units(draws: Mapping[str, np.ndarray], problem: ScaledProblem) -> dict[str, np.ndarray]:
    """Return draws on the problem's scale in units of the metric and the data sets' own order."""
    units = dict.fromkeys(_WITH_UNITS, problem.scale)
    scaled = {name: values * units.get(name, 1.0) for name, values in draws.items()}
    return {k: problem.own_order(v) if k in ("delta", "sigma") else v for k, v in scaled.items()}


def on_the_problems_scale(
    draws: Mapping[str, np.ndarray], problem: ScaledProblem
) -> dict[str, np.ndarray]:
    """Return draws in units of the metric as the engine gave them."""
    units = dict.fromkeys(_WITH_UNITS, problem.scale)
    scaled = {name: values / units.get(name, 1.0) for name, values in draws.items()}
    return {k: v[..., problem.order] if k in ("delta", "sigma") else v for k, v in scaled.items()}


@dataclass(frozen=True, eq=False)
class DrawsAnswer(Record):
    """An answer by a sampler's draws, which are in units of the metric."""

    draws: Mapping[str, np.ndarray]

    @property
    def upper(self) -> Mapping[str, np.ndarray]:
        """Draws of δ0, σ0 and ν, (chain, draw)."""
        return {key: self.draws[key] for key in UPPER}

    @property
    def floor(self) -> float:
        """The smallest probability that draws tell: one over their number."""
        return 1 / self.draws["delta0"].size

    @cached_property
    def spread(self) -> DatasetSpread:
        """The spread between data sets."""
        return _find_spread(self)

    @property
    def summary_draws(self) -> Mapping[str, np.ndarray]:
        """Draws of δ0, σ0 and ν of which medians and intervals are taken: all of them."""
        return self.upper

    def weigh_outcomes(self, rope: Rope) -> tuple[np.ndarray, np.ndarray]:
        """Return shares of the draws in which each outcome is the most probable, with errors."""
        shares = winners(masses_of(self.upper, rope))
        return shares.mean(axis=(0, 1)), share_errors(shares)

    def parts(self, rope: Rope) -> Parts:
        """Return shares of the draws, with Monte Carlo errors."""
        masses = masses_of(self.upper, rope)
        shares = winners(masses)
        inside = locate_draws(self.draws["delta0"], rope)
        return {
            "p": shares.mean(axis=(0, 1)),
            "errors": share_errors(shares),
            "expected": masses.mean(axis=(0, 1)),
            "location": inside.mean(axis=(0, 1)),
            "expected_errors": share_errors(masses),
            "location_errors": share_errors(inside),
        }

    def datasets(self, rope: Rope) -> DataSets:
        """Average over the draws of δ_i."""
        delta = self.draws["delta"]
        mean, sd = delta.mean(axis=(0, 1)), delta.std(axis=(0, 1), ddof=1)
        interval = np.quantile(delta, [0.025, 0.975], axis=(0, 1)).T
        return DataSets(mean, sd, interval, locate_draws(delta, rope).mean(axis=(0, 1)))

    def row(self, name: str) -> dict[str, float]:
        """Return the summary of a parameter, with effective sample sizes and r-hat."""
        return summary_row(self.draws[name])

    def quantile(self, name: str, probs: np.ndarray) -> np.ndarray:
        """Return quantiles of the draws."""
        return np.asarray(np.quantile(self.draws[name], probs))

    def density(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return a kernel estimate between the quantiles that leave out 0.1% of the draws."""
        return kernel_density(self.draws[name])


@dataclass(frozen=True, eq=False)
class GridAnswer(Record):
    """An answer by the built-in engine's `grid`, on the scale of `problem`; `seed` is of draws."""

    grid: GridPosterior
    problem: ScaledProblem
    seed: int

    @property
    def floor(self) -> float:
        """The smallest probability that the grid tells; lesser ones are within its error."""
        return EXACT_FLOOR

    @cached_property
    def spread(self) -> DatasetSpread:
        """The spread between data sets."""
        return _find_spread(self)

    @cached_property
    def _flat_draws(self) -> dict[str, np.ndarray]:
        return self.grid.draws(CHAINS * DRAWS, self.seed)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Quasi-random draws of all parameters, seeded."""
        flat = {**self._flat_draws, **self.grid.draw_datasets(self._flat_draws, self.seed)}
        return read_only(_in_units(_in_chains(flat), self.problem))

    @cached_property
    def summary_draws(self) -> Mapping[str, np.ndarray]:
        """A thousand draws of δ0, σ0 and ν (seed 0), of which medians and intervals are taken."""
        return read_only(_in_units(self.grid.few_draws, self.problem))

    @cached_property
    def upper(self) -> Mapping[str, np.ndarray]:
        """Draws of δ0, σ0 and ν alone, which are cheap for any number of data sets."""
        return read_only(_in_units(_in_chains(self._flat_draws), self.problem))

    def weigh_outcomes(self, rope: Rope) -> tuple[np.ndarray, np.ndarray]:
        """Return the probability that each outcome is the most probable, with its error."""
        verdict = self.grid.verdict(*self.problem.ends_of(rope))
        return verdict.p, verdict.error

    def parts(self, rope: Rope) -> Parts:
        """Integrals over the grid, with their numerical errors; kept, for other thresholds."""
        if rope not in self._parts:
            self._parts[rope] = self._integrate(rope)
        return self._parts[rope]

    @cached_property
    def _parts(self) -> dict[Rope, Parts]:
        """Integrals that were computed."""
        return {}

    def _integrate(self, rope: Rope) -> Parts:
        ends = self.problem.ends_of(rope)
        verdict = self.grid.verdict(*ends)
        expected, location = self.grid.predictive(*ends), self.grid.location(*ends)
        return {
            "p": verdict.p,
            "errors": verdict.error,
            "expected": expected.p,
            "location": location.p,
            "expected_errors": expected.error,
            "location_errors": location.error,
        }

    def datasets(self, rope: Rope) -> DataSets:
        """Average over the grid, exact given δ0, σ0 and ν."""
        if rope not in self._datasets:
            self._datasets[rope] = self._average_datasets(rope)
        return self._datasets[rope]

    @cached_property
    def _datasets(self) -> dict[Rope, DataSets]:
        """Averages that were computed."""
        return {}

    def _average_datasets(self, rope: Rope) -> DataSets:
        scale, order = self.problem.scale, self.problem.own_order
        summary = self.grid.datasets(*self.problem.ends_of(rope))
        interval = order(summary.interval.T).T * scale
        return DataSets(
            order(summary.mean) * scale, order(summary.sd) * scale, interval, order(summary.p.T).T
        )

    def row(self, name: str) -> dict[str, float]:
        """Summary of a parameter; nothing was sampled, so there is no effective sample size."""
        unit = self._unit(name)
        low, mid, high = quantiles_of(self, name)
        marginal = self.grid.marginal(name)
        return row_of(marginal.mean * unit, marginal.sd * unit, mid, low, high)

    def quantile(self, name: str, probs: np.ndarray) -> np.ndarray:
        """Return quantiles of the marginal distribution."""
        return self.grid.marginal(name).quantile(probs) * self._unit(name)

    def density(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the marginal density."""
        x, y = self.grid.marginal(name).density()
        return x * self._unit(name), y / self._unit(name)

    def _unit(self, name: str) -> float:
        return self.problem.scale if name in _WITH_UNITS else 1.0


def _in_chains(flat: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {key: draws.reshape(CHAINS, DRAWS, *draws.shape[1:]) for key, draws in flat.items()}


#: A posterior of (δ0, σ0, ν); both kinds answer the same questions.
Answer: TypeAlias = GridAnswer | DrawsAnswer
