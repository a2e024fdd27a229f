"""Simulated data sets whose truth is known: the model of the hierarchical correlated t test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescmp.bayesian.hierarchical.answers import masses_of
from bayescmp.differences import Differences
from bayescmp.verdict import THREE, Rope

__all__ = ["Truth"]

#: Masses that differ by less are alike: neither region is then the most probable.
ALIKE = 1e-9


@dataclass(frozen=True)
class Truth:
    """What is true of the differences of two algorithms over data sets.

    Attributes
    ----------
    delta0, sigma0, nu : float
        The data sets' mean differences are δ0 + σ0·t_ν; an infinite ν makes them normal.
    noise : float
        Standard deviation of a fold's difference.
    rho : float
        Correlation of two folds' differences.
    folds : int
        Differences on each data set.
    """

    delta0: float
    sigma0: float
    nu: float
    noise: float
    rho: float
    folds: int

    def masses(self, rope: Rope) -> np.ndarray:
        """Probabilities of left, rope and right on the next data set, shape (3,)."""
        at = {
            "delta0": np.array(self.delta0),
            "sigma0": np.array(self.sigma0),
            "nu": np.array(min(self.nu, 1e12)),
        }
        return masses_of(at, rope)

    def outcomes(self, rope: Rope) -> tuple[str, ...]:
        """Decisions that are right: the most probable outcome on the next data set."""
        masses = self.masses(rope)
        best = masses.max() - masses < ALIKE
        ways = [THREE.decisions[r] for r, b in zip(THREE.regions, best, strict=True) if b]
        return tuple(ways) if len(ways) == 1 else ()

    def simulate(self, datasets: int, seed: list[int]) -> Differences:
        """Simulated data sets; with the same seed, asking for more leaves the first ones alone."""
        effect, tail, shared, own = (np.random.default_rng([*seed, k]) for k in range(4))
        t = effect.standard_normal(datasets)
        if np.isfinite(self.nu):
            t /= np.sqrt(tail.chisquare(self.nu, datasets) / self.nu)
        z = np.sqrt(self.rho) * shared.standard_normal((datasets, 1))
        z = z + np.sqrt(1 - self.rho) * own.standard_normal((datasets, self.folds))
        x = self.delta0 + self.sigma0 * t[:, None] + self.noise * z
        return Differences(x, rho=self.rho)
