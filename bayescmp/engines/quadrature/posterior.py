"""The posterior as the user of the engine sees it: original units, signs and order of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bayescmp.bounds import underflow_is_zero
from bayescmp.engines.quadrature.certificate import Certificate, certify
from bayescmp.engines.quadrature.draws import draw_parameters
from bayescmp.engines.quadrature.grid import Grid, refined
from bayescmp.engines.quadrature.marginals import (
    Marginal,
    delta0_marginal,
    nu_marginal,
    sigma0_marginal,
)
from bayescmp.engines.quadrature.problem import FloatArray, Problem, Standard, standardise
from bayescmp.engines.quadrature.regions import (
    RegionProbabilities,
    expected_masses,
    kite_probabilities,
    kite_shares,
    kite_weighted,
)
from bayescmp.engines.quadrature.rows import DatasetSummary, draw_rows, summarise_rows
from bayescmp.engines.quadrature.settings import Settings
from bayescmp.engines.quadrature.tensor import Solution, solve_tensor
from bayescmp.errors import InputError, unknown_name
from bayescmp.threads import one_thread

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.typing import Json


__all__ = ["GridPosterior", "solve"]

_NAMES = ("delta0", "sigma0", "nu")
_SUMMARY_DRAWS = 1000


@underflow_is_zero
@one_thread
def solve(problem: Problem, *, settings: Settings | None = None) -> GridPosterior:
    """Posterior of the hierarchical correlated t test, by quadrature.

    Parameters
    ----------
    problem : Problem
        Sufficient statistics and priors.
    settings : Settings, optional
        Resolution; the default is accurate to about 1e-3 in a verdict's probabilities.

    Returns
    -------
    GridPosterior
        Deterministic: the same problem gives the same numbers.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Machine Learning 106, section 3.
    """
    start = perf_counter()
    settings = settings or Settings()
    standard = standardise(problem)
    solution = solve_tensor(standard, settings)
    grid = refined(solution.tensor, settings.refine)
    info = _info(standard, solution, grid, perf_counter() - start)
    return GridPosterior(problem, standard, grid, _warnings(solution, settings), info)


def _info(standard: Standard, solution: Solution, grid: Grid, seconds: float) -> Json:
    """Shape of the grid and the branches taken."""
    tensor = solution.tensor
    shape = (*tensor.value.shape, tensor.nodes_tau)
    return {
        "grid": dict(zip(("delta0", "sigma0", "nu", "tau"), shape, strict=True)),
        "cells": grid.mass.shape,
        "singular": tensor.box.singular,
        "enlarged": solution.enlarged,
        "nu_rule_rebuilt": solution.rebuilt,
        "scans": tensor.box.rounds,
        "few_datasets": standard.q <= 12,
        "few_folds": bool(standard.n.min() < 5),
        "edge_mass": solution.edge,
        "seconds": seconds,
    }


def _warnings(solution: Solution, settings: Settings) -> tuple[str, ...]:
    if solution.edge <= settings.edge_mass:
        return ()
    return (
        f"the quadrature grid still has mass {solution.edge:.1e} at an edge after "
        f"{solution.enlarged} enlargements",
    )


@dataclass(frozen=True, eq=False)
class GridPosterior:
    """Posterior of (delta0, sigma0, nu) on a grid; everything in the units of the data.

    Attributes
    ----------
    problem : Problem
        What was asked.
    standard : Standard
        Its standard form, in which the grid is.
    grid : Grid
        Masses of cells.
    warnings : tuple of str
        What went wrong, in words; empty where all is well.
    info : dict
        Shape of the grid, branches taken, seconds.
    """

    problem: Problem
    standard: Standard
    grid: Grid
    warnings: tuple[str, ...]
    info: Json = field(default_factory=dict)

    @underflow_is_zero
    @one_thread
    def verdict(self, low: float, high: float) -> RegionProbabilities:
        """Probabilities that the next data set's mass left of, in, right of the rope is largest.

        Parameters
        ----------
        low, high : float
            The rope, low <= high; equal: no rope, its probability is 0.

        Returns
        -------
        RegionProbabilities
            `p` and `error`, each (left, rope, right).
        """
        low, high = self._rope(low, high)
        kite = kite_probabilities(self.grid, (low + high) / 2, (high - low) / 2)
        return RegionProbabilities(self._oriented(kite.p), self._oriented(kite.error))

    @underflow_is_zero
    def probabilities(self, low: float, high: float) -> FloatArray:
        """The verdict's probabilities, (3,), without their errors, which take as long again."""
        low, high = self._rope(low, high)
        return self._oriented(kite_shares(self.grid, (low + high) / 2, (high - low) / 2))

    @underflow_is_zero
    def verdict_weighted(
        self, low: float, high: float, weight: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """The verdict's probabilities, (3,), had sigma0's prior density been times a function.

        Parameters
        ----------
        low, high : float
            The rope.
        weight : callable
            Of sigma0: the other prior density over the uniform one, up to a factor. It must not
            favour values that the posterior has no mass at.
        """
        low, high = self._rope(low, high)
        values = np.asarray(weight(self.grid.sigma0 * self.standard.scale))
        centre, half_width = (low + high) / 2, (high - low) / 2
        return self._oriented(kite_weighted(self.grid, centre, half_width, values))

    @underflow_is_zero
    def expected_masses(self, low: float, high: float) -> FloatArray:
        """Posterior means of the next data set's masses left of, in, right of the rope: (3,)."""
        return self._oriented(expected_masses(self.grid, *self._rope(low, high)))

    @underflow_is_zero
    def delta0_masses(self, low: float, high: float) -> FloatArray:
        """Posterior probabilities that delta0 is left of, in, right of the rope: (3,)."""
        self._rope(low, high)
        below, upto = self.cdf("delta0", np.array([low, high], dtype=float))
        return np.array([below, upto - below, 1 - upto])

    @underflow_is_zero
    def marginal(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Density of "delta0", "sigma0" or "nu": values x and the density there."""
        return self._marginal(name).density()

    @underflow_is_zero
    def cdf(self, name: str, x: npt.ArrayLike) -> FloatArray:
        """Posterior probability of a value at most x."""
        return self._marginal(name).cdf(np.asarray(x, dtype=float))

    @underflow_is_zero
    def quantile(self, name: str, probs: npt.ArrayLike) -> FloatArray:
        """Posterior quantiles."""
        p = np.asarray(probs, dtype=float)
        if not np.all((p >= 0) & (p <= 1)):
            raise InputError(f"probs={probs!r}; accepted: probabilities in [0, 1]")
        return self._marginal(name).quantile(p)

    @underflow_is_zero
    def hdi(self, name: str, prob: float = 0.95) -> tuple[float, float]:
        """Shortest interval that holds the probability `prob`."""
        if not 0 < prob < 1:
            raise InputError(f"prob={prob}; accepted: a number in (0, 1)")
        return self._marginal(name).hdi(prob)

    @underflow_is_zero
    def mean(self, name: str) -> float:
        """Posterior mean."""
        return self._marginal(name).mean

    @underflow_is_zero
    def sd(self, name: str) -> float:
        """Posterior standard deviation."""
        return self._marginal(name).sd

    @underflow_is_zero
    def draws(self, n: int, seed: Seed) -> dict[str, FloatArray]:
        """Quasi-random draws of the parameters.

        Parameters
        ----------
        n : int
            How many.
        seed : int, Generator or None
            Of the random shift of the sequence; the same seed gives the same numbers.

        Returns
        -------
        dict
            "delta0", "sigma0", "nu", each of shape (n,), in random order. Averages over all of
            them converge faster than those over independent draws.
        """
        if n < 1:
            raise InputError(f"n={n}; accepted: a number of draws >= 1")
        delta0, sigma0, nu = self._draw(int(n), seed)
        st = self.standard
        return {"delta0": st.sign * st.scale * delta0, "sigma0": st.scale * sigma0, "nu": nu}

    @underflow_is_zero
    @one_thread
    def draw_datasets(self, draws: dict[str, FloatArray], seed: Seed) -> dict[str, FloatArray]:
        """Draws of every data set's delta_i and sigma_i, one for each draw of the parameters.

        Returns
        -------
        dict
            "delta" and "sigma", each of shape (n, q), columns in the order of the problem.
        """
        st = self.standard
        rng = np.random.default_rng(seed)
        delta, sigma = draw_rows(st, *self._standard_draws(draws), rng)
        columns = np.argsort(st.order)
        return {
            "delta": st.sign * st.scale * delta[:, columns],
            "sigma": st.scale * sigma[:, columns],
        }

    @underflow_is_zero
    @one_thread
    def datasets(self, low: float, high: float) -> DatasetSummary:
        """Mean, sd and region probabilities of each data set's own delta_i.

        Averaged over 1000 quasi-random draws of the parameters with a fixed seed, exact given
        them.
        """
        st = self.standard
        parameters = self._draw(_SUMMARY_DRAWS, 0)
        summary = summarise_rows(st, *parameters, self._rope(low, high))
        rows = np.argsort(st.order)
        p = summary.p[rows] if st.sign > 0 else summary.p[rows, ::-1]
        return DatasetSummary(
            st.sign * st.scale * summary.mean[rows], st.scale * summary.sd[rows], p.copy()
        )

    @underflow_is_zero
    def certificate(self) -> Certificate:
        """Diagnostic: the grid against an independent quadrature, at about 150 draws."""
        return self._certificate

    @cached_property
    @one_thread
    def _certificate(self) -> Certificate:
        return certify(self.standard, self.grid)

    @cached_property
    def _marginals(self) -> dict[str, Marginal]:
        return {}

    def _marginal(self, name: str) -> Marginal:
        if name not in _NAMES:
            raise unknown_name("parameter", name, _NAMES)
        if name not in self._marginals:
            st = self.standard
            if name == "delta0":
                marginal = delta0_marginal(self.grid, st.scale, st.sign)
            elif name == "sigma0":
                marginal = sigma0_marginal(self.grid, st.scale)
            else:
                marginal = nu_marginal(self.grid)
            self._marginals[name] = marginal
        return self._marginals[name]

    def _draw(self, n: int, seed: Seed) -> tuple[FloatArray, FloatArray, FloatArray]:
        rng = np.random.default_rng(seed)
        return draw_parameters(self.grid, self._marginal("nu"), n, rng)

    def _rope(self, low: float, high: float) -> tuple[float, float]:
        """The rope in standard units and orientation."""
        if not (np.isfinite(low) and np.isfinite(high) and low <= high):
            raise InputError(f"the rope is ({low}, {high}); accepted: finite, low <= high")
        st = self.standard
        scaled = (float(low) / st.scale, float(high) / st.scale)
        return scaled if st.sign > 0 else (-scaled[1], -scaled[0])

    def _oriented(self, regions: FloatArray) -> FloatArray:
        return regions if self.standard.sign > 0 else regions[::-1].copy()

    def _standard_draws(
        self, draws: dict[str, FloatArray]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        st = self.standard
        return (
            st.sign * np.asarray(draws["delta0"], dtype=float) / st.scale,
            np.asarray(draws["sigma0"], dtype=float) / st.scale,
            np.asarray(draws["nu"], dtype=float),
        )
