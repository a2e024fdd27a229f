"""What the posterior of the hierarchical test is made of: a density on a grid, or draws.

Both answer the same questions, in units of the metric and in the data sets' own order; the class
that users see, `HierarchicalPosterior`, asks without knowing which of the two it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Concatenate, NamedTuple, Protocol, TypeVar

import numpy as np
from scipy.special import stdtr

from bayescmp.bayesian.hierarchical.grid import solved
from bayescmp.bayesian.hierarchical.mixture import next_interval
from bayescmp.bayesian.hierarchical.problem import UPPER, Scaled
from bayescmp.deferred import Kept
from bayescmp.diagnostics import share_errors
from bayescmp.draws import kernel_density, summary_row
from bayescmp.engines.base import Fit
from bayescmp.engines.quadrature import GridPosterior
from bayescmp.posterior import CHAINS, DRAWS
from bayescmp.verdict import Rope, Spread, winners

__all__ = [
    "Answer",
    "DataSets",
    "DrawsAnswer",
    "GridAnswer",
    "Parts",
    "answer_of",
    "central_of",
    "masses_of",
    "on_the_problems_scale",
    "spread_of",
]

#: The smallest probability that an exact posterior tells from zero.
EXACT_FLOOR = 1e-6
T = TypeVar("T")
#: A question to an answer, perhaps with a rope.
Question = Callable[Concatenate["Answer", ...], T]
_WITH_UNITS = ("delta0", "sigma0", "delta", "sigma")


class Parts(NamedTuple):
    """The numbers of a verdict, each of shape (3,): left of, in and right of the rope."""

    probabilities: np.ndarray
    errors: np.ndarray
    expected: np.ndarray
    location: np.ndarray


class DataSets(NamedTuple):
    """Posterior means and sds of the δ_i, shape (q,), and their regions' probabilities (q, 3)."""

    mean: np.ndarray
    sd: np.ndarray
    p: np.ndarray


class Answer(Protocol):
    """What a posterior of (δ0, σ0, ν) can be asked."""

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of all parameters, (chain, draw) or (chain, draw, q)."""

    @property
    def upper(self) -> Mapping[str, np.ndarray]:
        """Draws of δ0, σ0 and ν, (chain, draw)."""

    @property
    def floor(self) -> float:
        """The smallest probability that can be told from zero."""

    @property
    def spread(self) -> Spread:
        """How far data sets differ; the same for every rope."""

    def parts(self, rope: Rope) -> Parts:
        """Probabilities for the next data set."""

    def later(self, question: Question[T], *about: Rope) -> T | partial[T]:
        """What a question is answered with, or what answers it when it is read."""

    def datasets(self, rope: Rope) -> DataSets:
        """The data sets' own differences."""

    def row(self, name: str) -> dict[str, float]:
        """Summary of a parameter."""

    def quantile(self, name: str, probs: np.ndarray) -> np.ndarray:
        """Quantiles of a parameter."""

    def density(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Marginal density of a parameter: values, and the density there."""


def answer_of(fit: Fit, problem: Scaled, seed: int) -> Answer:
    """The answer that a fit gives, in units of the metric."""
    if fit.density is not None:
        return GridAnswer(fit.density, problem, seed)
    return DrawsAnswer(_in_units(fit.draws, problem))


def masses_of(upper: Mapping[str, np.ndarray], rope: Rope) -> np.ndarray:
    """Masses of t_ν(δ0, σ0) left of, in and right of the rope, draw by draw: shape (..., 3)."""
    left = stdtr(upper["nu"], (rope.low - upper["delta0"]) / upper["sigma0"])
    right = stdtr(upper["nu"], (upper["delta0"] - rope.high) / upper["sigma0"])
    inside = np.zeros_like(left) if rope.empty else np.maximum(1 - left - right, 0)
    return np.stack([left, inside, right], axis=-1)


def central_of(answer: Answer, name: str) -> tuple[float, float]:
    """Central 95 % interval of a parameter."""
    low, high = answer.quantile(name, np.array([0.025, 0.975]))
    return float(low), float(high)


def spread_of(answer: Answer) -> Spread:
    """How far data sets differ: σ0, and the next data set's difference."""
    median = float(answer.quantile("sigma0", np.array(0.5)))
    return Spread(median, central_of(answer, "sigma0"), next_interval(answer.upper))


def _in_units(draws: Mapping[str, np.ndarray], problem: Scaled) -> dict[str, np.ndarray]:
    """Draws on the problem's scale, in units of the metric and the data sets' own order."""
    units = dict.fromkeys(_WITH_UNITS, problem.scale)
    scaled = {name: values * units.get(name, 1.0) for name, values in draws.items()}
    return {k: problem.own_order(v) if k in ("delta", "sigma") else v for k, v in scaled.items()}


def on_the_problems_scale(
    draws: Mapping[str, np.ndarray], problem: Scaled
) -> dict[str, np.ndarray]:
    """Draws in units of the metric, as the engine gave them."""
    units = dict.fromkeys(_WITH_UNITS, problem.scale)
    scaled = {name: values / units.get(name, 1.0) for name, values in draws.items()}
    return {k: v[..., problem.order] if k in ("delta", "sigma") else v for k, v in scaled.items()}


@dataclass(frozen=True, eq=False)
class DrawsAnswer:
    """Draws of a sampler.

    Attributes
    ----------
    draws : mapping of str to ndarray
        In units of the metric.
    """

    draws: Mapping[str, np.ndarray]

    @property
    def upper(self) -> Mapping[str, np.ndarray]:
        """Draws of δ0, σ0 and ν, (chain, draw)."""
        return {k: self.draws[k] for k in UPPER}

    @property
    def floor(self) -> float:
        """One over the number of draws."""
        return 1 / self.draws["delta0"].size

    @cached_property
    def spread(self) -> Spread:
        """How far data sets differ."""
        return spread_of(self)

    def later(self, question: Question[T], *about: Rope) -> T:
        """The answer: a verdict does not hold on to the draws."""
        return question(self, *about)

    def parts(self, rope: Rope) -> Parts:
        """Shares of the draws, with Monte Carlo errors."""
        masses = masses_of(self.upper, rope)
        shares = winners(masses)
        return Parts(
            shares.mean(axis=(0, 1)),
            share_errors(shares),
            masses.mean(axis=(0, 1)),
            _shares(self.draws["delta0"][..., None], rope)[0],
        )

    def datasets(self, rope: Rope) -> DataSets:
        """Averages over the draws of δ_i."""
        delta = self.draws["delta"]
        mean, sd = delta.mean(axis=(0, 1)), delta.std(axis=(0, 1), ddof=1)
        return DataSets(mean, sd, _shares(delta, rope))

    def row(self, name: str) -> dict[str, float]:
        """Summary of a parameter, with effective sample sizes and r-hat."""
        return summary_row(self.draws[name])

    def quantile(self, name: str, probs: np.ndarray) -> np.ndarray:
        """Quantiles of the draws."""
        return np.asarray(np.quantile(self.draws[name], probs))

    def density(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Kernel estimate, between the quantiles that leave out a thousandth of the draws."""
        return kernel_density(self.draws[name])


def _shares(delta: np.ndarray, rope: Rope) -> np.ndarray:
    """Shares of draws (chain, draw, k) left of, in and right of the rope, shape (k, 3)."""
    left = (delta < rope.low).mean(axis=(0, 1))
    right = (delta > rope.high).mean(axis=(0, 1))
    return np.stack([left, 1 - left - right, right], axis=-1)


@dataclass(frozen=True, eq=False)
class GridAnswer:
    """The density itself, on the built-in engine's grid.

    Attributes
    ----------
    grid : GridPosterior
        On the problem's scale.
    problem : Scaled
        The way back to units of the metric.
    seed : int
        Of the draws.
    """

    grid: GridPosterior
    problem: Scaled
    seed: int

    @property
    def floor(self) -> float:
        """Smaller probabilities are within the error of the grid."""
        return EXACT_FLOOR

    @cached_property
    def spread(self) -> Spread:
        """How far data sets differ."""
        return spread_of(self)

    def later(self, question: Question[T], *about: Rope) -> partial[T]:
        """A function: many verdicts are never asked for what draws are needed for."""
        kept = Kept(self, partial(_solved_again, self.problem, self.seed))
        return partial(_asked, kept, question, *about)

    @cached_property
    def _flat(self) -> dict[str, np.ndarray]:
        return self.grid.draws(CHAINS * DRAWS, self.seed)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Seeded quasi-random draws of all parameters."""
        flat = {**self._flat, **self.grid.draw_datasets(self._flat, self.seed)}
        return _in_units(_in_chains(flat), self.problem)

    @cached_property
    def upper(self) -> Mapping[str, np.ndarray]:
        """The same draws of δ0, σ0 and ν alone: cheap for any number of data sets."""
        return _in_units(_in_chains(self._flat), self.problem)

    def _ends(self, rope: Rope) -> tuple[float, float]:
        return rope.low / self.problem.scale, rope.high / self.problem.scale

    def parts(self, rope: Rope) -> Parts:
        """Integrals over the grid, with their numerical errors; kept, for other thresholds."""
        if rope not in self._parts:
            self._parts[rope] = self._integrated(rope)
        return self._parts[rope]

    @cached_property
    def _parts(self) -> dict[Rope, Parts]:
        return {}

    def _integrated(self, rope: Rope) -> Parts:
        ends = self._ends(rope)
        verdict = self.grid.verdict(*ends)
        return Parts(
            verdict.p,
            verdict.error,
            self.grid.expected_masses(*ends),
            self.grid.delta0_masses(*ends),
        )

    def datasets(self, rope: Rope) -> DataSets:
        """Averages over the grid, exact given δ0, σ0 and ν."""
        scale, order = self.problem.scale, self.problem.own_order
        summary = self.grid.datasets(*self._ends(rope))
        return DataSets(
            order(summary.mean) * scale, order(summary.sd) * scale, order(summary.p.T).T
        )

    def row(self, name: str) -> dict[str, float]:
        """Summary of a parameter; nothing was sampled, so there is no effective sample size."""
        unit = self._unit(name)
        low, mid, high = self.quantile(name, np.array([0.025, 0.5, 0.975]))
        return {
            "mean": self.grid.mean(name) * unit,
            "sd": self.grid.sd(name) * unit,
            "median": float(mid),
            "2.5%": float(low),
            "97.5%": float(high),
        }

    def quantile(self, name: str, probs: np.ndarray) -> np.ndarray:
        """Quantiles of the marginal distribution."""
        return np.asarray(self.grid.quantile(name, probs)) * self._unit(name)

    def density(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The marginal density."""
        x, y = self.grid.marginal(name)
        return x * self._unit(name), y / self._unit(name)

    def _unit(self, name: str) -> float:
        return self.problem.scale if name in _WITH_UNITS else 1.0


def _solved_again(problem: Scaled, seed: int) -> GridAnswer:
    return GridAnswer(solved(problem), problem, seed)


def _asked(kept: Kept[GridAnswer], question: Question[T], *about: Rope) -> T:
    return question(kept(), *about)


def _in_chains(flat: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {k: v.reshape(CHAINS, DRAWS, *v.shape[1:]) for k, v in flat.items()}
