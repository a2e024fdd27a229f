"""What a fitted hierarchical posterior expects of further data: draws of its continuations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import Scaled
from bayescmp.sufficient import SufficientStatistics

if TYPE_CHECKING:
    from bayescmp.bayesian.hierarchical.base import HierarchicalBase

__all__ = ["Continuation", "Design", "continuations", "joined"]

#: Streams of random numbers of a simulation: of new data sets, and of new folds on those seen.
NEW, MORE = 0, 1


@dataclass(frozen=True)
class Design:
    """What is added to the data.

    Attributes
    ----------
    datasets : int
        Further data sets.
    folds : int or None
        Differences on each of them; None: as many as on the data set that it resembles.
    more_folds : int
        Further differences on each data set seen.
    """

    datasets: int
    folds: int | None
    more_folds: int


@dataclass(frozen=True, eq=False)
class Continuation:
    """One draw of the posterior, and the data that are expected if it is the truth.

    Attributes
    ----------
    problem : Scaled
        The problem fitted.
    prior : HierarchicalPrior
        Its prior.
    bound : float
        That of δ0, in units of the metric.
    delta0, sigma0, nu : float
        The draw.
    delta, sigma : ndarray of shape (q,)
        The mean differences and the standard deviations of the data sets seen.
    seed : list of int
        Of the simulation: all designs share their random numbers.
    """

    problem: Scaled
    prior: HierarchicalPrior
    bound: float
    delta0: float
    sigma0: float
    nu: float
    delta: np.ndarray
    sigma: np.ndarray
    seed: list[int]

    def posed(self, design: Design) -> Scaled:
        """The problem with the simulated data added."""
        seen = self._with_more_folds(design.more_folds)
        return self.problem.continued(
            self._with_more_datasets(seen, design), self.prior, self.bound
        )

    def _with_more_folds(self, more: int) -> SufficientStatistics:
        """Statistics of the data sets seen when each has this many more differences.

        What all folds of a data set share, u in x = δ + σ(√ρ u + √(1−ρ) e), is drawn from its
        distribution given the mean seen.
        """
        s = self.problem.statistics
        if not more:
            return s
        rng = np.random.default_rng([*self.seed, MORE])
        n, rho, sigma = s.n, s.rho, self.sigma
        own = (1 - rho) / n
        mean = np.sqrt(rho) * (s.mean - self.delta) / sigma / (rho + own)
        u = mean + np.sqrt(own / (rho + own)) * rng.standard_normal(len(n))
        centre = self.delta + sigma * np.sqrt(rho) * u
        sd = sigma * np.sqrt(1 - rho)
        ss = sd**2 * (rng.chisquare(more - 1, len(n)) if more > 1 else 0.0)
        new = centre + sd / np.sqrt(more) * rng.standard_normal(len(n))
        return joined(s, more, new, ss)

    def _with_more_datasets(
        self, seen: SufficientStatistics, design: Design
    ) -> SufficientStatistics:
        """Those of new data sets after them: n, ρ and σ are those of one of the data sets seen."""
        s, k = self.problem.statistics, design.datasets
        tail, effect, which, means, spreads = (
            np.random.default_rng([*self.seed, NEW, stream]) for stream in range(5)
        )
        like = (which.random(k) * len(s.n)).astype(int)
        n = s.n[like] if design.folds is None else np.full(k, design.folds)
        rho, sigma = s.rho[like], self.sigma[like]
        t = effect.standard_normal(k) / np.sqrt(tail.chisquare(self.nu, k) / self.nu)
        error = sigma * np.sqrt((1 + (n - 1) * rho) / n)
        mean = self.delta0 + self.sigma0 * t + error * means.standard_normal(k)
        ss = sigma**2 * (1 - rho) * spreads.chisquare(n - 1)
        new = (n, mean, ss, rho, np.zeros(k, bool))
        old = (seen.n, seen.mean, seen.ss, seen.rho, seen.constant)
        return SufficientStatistics(*map(np.append, old, new))


def joined(
    s: SufficientStatistics, more: int, mean: np.ndarray, ss: np.ndarray
) -> SufficientStatistics:
    """Statistics of the differences seen together with this many more of that mean and spread."""
    total = s.n + more
    pooled = (s.n * s.mean + more * mean) / total
    between = s.n * more / total * (mean - s.mean) ** 2
    return SufficientStatistics(
        total, pooled, s.ss + ss + between, s.rho, np.zeros(len(total), bool)
    )


def continuations(posterior: HierarchicalBase, number: int, seed: int) -> list[Continuation]:
    """So many, each of another draw of the posterior, as far as there are that many."""
    draws = {k: v.reshape(-1, *v.shape[2:]) for k, v in posterior.draws.items()}
    available = len(draws["nu"])
    order = np.random.default_rng(seed).permutation(available)
    bound = float(posterior.prior_bounds["delta0_bound"])
    return [
        Continuation(
            problem=posterior.problem,
            prior=posterior.prior,
            bound=bound,
            delta0=float(draws["delta0"][i]),
            sigma0=float(draws["sigma0"][i]),
            nu=float(draws["nu"][i]),
            delta=draws["delta"][i],
            sigma=draws["sigma"][i],
            seed=[seed, s],
        )
        for s, i in enumerate(np.resize(order, number))
    ]
