"""The posterior as the user of the engine sees it: original units, signs and order of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

import numpy as np
import numpy.typing as npt

from bayescmp.base.arguments import arg
from bayescmp.base.checks import Seed
from bayescmp.base.magnitudes import underflow_is_zero
from bayescmp.base.typing import Json
from bayescmp.base.workers import one_thread
from bayescmp.engines.quadrature.grid import (
    Grid,
    Marginal,
    Solution,
    Tensor,
    edge_masses,
    pilot_is_poor,
    refine_grid,
    solve_tensor,
)
from bayescmp.engines.quadrature.kernel import (
    between_grid,
    log_likelihood,
    mixing_nodes,
    within_rules,
)
from bayescmp.engines.quadrature.problem import (
    FloatArray,
    Problem,
    Settings,
    StandardProblem,
    standardise,
)
from bayescmp.engines.quadrature.regions import (
    RegionProbabilities,
    draw_parameters,
    expected_masses,
    kite_shares,
    kite_weighted,
    location_shares,
    with_error,
)
from bayescmp.engines.quadrature.rows import (
    DatasetSummary,
    Parameters,
    bound_is_felt,
    draw_rows,
    row_log_likelihoods,
    summarise_rows,
)

# The diagnostics: a second grid from other starts; the density by another quadrature.


LIMIT = 0.1
_PROBABILITIES = np.linspace(0.02, 0.98, 25)
_ROW_DRAWS = 2_000  # 37 draws of 54 rows
_STEP, _NATS = 0.6, 16.0  # of the quadrature: an error of 3e-4 is enough
_GROUPS = 4  # of draws: those with a small sigma0 take more nodes

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Certificate:
    """The distance of the grid's log posterior from an independent one, inside the grid's box.

    `sd_log_ratio` is the standard deviation of the log ratio over `n` draws; it has `passed` below
    0.1.
    """

    sd_log_ratio: float
    n: int
    passed: bool


@dataclass(frozen=True)
class Agreement:
    """The distance between two integrations of one posterior, from different starting points.

    `apart` is the largest difference of the distribution functions of delta0 and sigma0, which
    shows mass that only one has found; `gap` the difference of the log marginal likelihoods;
    `share` the share of the mass by which they may differ.
    """

    apart: float
    gap: float
    share: float

    @property
    def passed(self) -> bool:
        """Whether no more than that share of the mass is elsewhere."""
        return self.apart < self.share and abs(self.gap) < 3 * self.share

    @property
    def unseen_mass(self) -> float:
        """Mass by which both may be off though they agree."""
        return self.apart + 0.3 * self.share


def compare(grid: Grid, other: Grid, share: float) -> Agreement:
    """Compare two grids of one posterior by their marginals and their evidence."""
    apart = 0.0
    pairs = (
        (grid.delta0_marginal, other.delta0_marginal),
        (grid.sigma0_marginal, other.sigma0_marginal),
    )
    for one, two in pairs:
        at = one.quantile(_PROBABILITIES)
        apart = max(apart, float(np.abs(two.cdf(at) - one.cdf(at)).max()))
    return Agreement(apart, grid.log_total - other.log_total, share)


def certify(standard: StandardProblem, grid: Grid) -> Certificate:
    """Compare the interpolated log-likelihood with the two-centre quadrature.

    About 150 cells are drawn with their posterior masses, fewer (at least 32) for more than 13
    rows.
    """
    count = int(np.clip(_ROW_DRAWS // standard.q, 32, 150))
    level = (np.arange(count) + np.random.default_rng(0).random(count)) / count  # stratified
    d, s, n = draw_cells(grid, level)
    difference = -grid.log_likelihood[d, s, n]
    for group in np.array_split(np.argsort(s, kind="stable"), _GROUPS):
        at = grid.delta0[d[group]], grid.sigma0[s[group]], grid.nu[n[group]]
        difference[group] += row_log_likelihoods(standard, at, _STEP, _NATS).sum(1)
    sd = float(np.std(difference))
    return Certificate(sd, count, bool(sd < LIMIT))


def draw_cells(grid: Grid, level: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Find the cells in which the masses, cumulated in order, reach these shares of the whole."""
    cumulated = np.cumsum(grid.mass_both.ravel())
    target = level * cumulated[-1]
    both = np.minimum(np.searchsorted(cumulated, target), cumulated.size - 1)
    d, s = np.divmod(both, len(grid.sigma0))
    along_nu = np.cumsum(grid.mass[d, s], axis=1)
    rest = target - (cumulated[both] - grid.mass_both[d, s])
    n = np.minimum((along_nu < rest[:, None]).sum(1), len(grid.nu) - 1)
    return d, s, n


_FEW_DRAWS = 1000
_UNSEEN = 3e-4  # mass by which a grid may be off where no second one checks it


@underflow_is_zero
@one_thread
def solve(problem: Problem, *, settings: Settings | None = None) -> GridPosterior:
    """Compute the posterior of the hierarchical correlated t test, by quadrature.

    The same problem gives the same numbers. With the default `settings` errors are stated with
    each probability. Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Machine Learning 106,
    section 3.
    """
    start, first = perf_counter(), settings or Settings()
    standard = standardise(problem)
    for chosen in (first, first.tighten()):
        solution = solve_tensor(standard, chosen)
        grid = refine_grid(solution.tensor, chosen.refine)
        doubts, info = tuple(_doubts(solution, chosen)), _describe(standard, solution, grid)
        second = agreement = None
        if chosen.checked:  # integrate a second time, from elsewhere
            other = solve_tensor(standard, chosen.vary(), solution.tensor.box.singular)
            second = refine_grid(other.tensor, chosen.refine)
            agreement = compare(grid, second, chosen.share)
            doubts += () if agreement.passed else (_tell_apart(agreement),)
        if not (doubts and chosen.checked):
            break
    info["seconds"] = perf_counter() - start
    return GridPosterior(problem, standard, grid, doubts, info, second, agreement)


def _tell_apart(agreement: Agreement) -> str:
    return (
        f"two integrations from different starts differ by {agreement.apart:.1e} in a "
        f"probability and by {agreement.gap:.1e} in the log evidence: the grid may miss part "
        f"of the posterior; check with a Stan engine ({arg('engine', 'pystan')} or 'cmdstan')"
    )


def _describe(standard: StandardProblem, solution: Solution, grid: Grid) -> Json:
    """Describe the shape of the grid and the branches taken."""
    tensor = solution.tensor
    shape = (*tensor.value.shape, tensor.nodes_row)
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
    }


def _doubts(solution: Solution, settings: Settings) -> Iterator[str]:
    if solution.edge > settings.edge_mass:
        yield (
            f"the quadrature grid still has mass {solution.edge:.1e} at an edge after "
            f"{solution.enlarged} enlargements"
        )
    if solution.poor:
        yield (
            "the quadrature rule in nu has little weight where the posterior is, after "
            f"{solution.rebuilt} attempts"
        )


@dataclass(frozen=True, eq=False)
class GridPosterior:
    """Posterior of (delta0, sigma0, nu) on a grid; everything in the units of the data.

    Attributes
    ----------
    standard : Standard
        The problem's standard form, in which the grid is.
    grid, second : Grid, Grid or None
        Masses of cells; a coarser grid that was looked for from other starts.
    warnings : tuple of str
        The problems, in words; empty if all is well.
    info : dict
        Shape of the grid, branches taken, seconds.
    agreement : Agreement or None
        How far apart the two are.
    """

    problem: Problem
    standard: StandardProblem
    grid: Grid
    warnings: tuple[str, ...]
    info: Json = field(default_factory=dict)
    second: Grid | None = None
    agreement: Agreement | None = None

    def verdict(self, low: float, high: float) -> RegionProbabilities:
        """Return probabilities that a new data set's mass is largest left of, in, right of a ROPE.

        With low = high there is no ROPE; with one infinite bound there are two regions.
        """
        return self._integrated_twice(kite_shares, low, high)

    def predictive(self, low: float, high: float) -> RegionProbabilities:
        """Return posterior means of a new data set's masses left of, in, right of the ROPE."""
        return self._integrated_twice(expected_masses, low, high)

    def location(self, low: float, high: float) -> RegionProbabilities:
        """Return posterior probabilities that delta0 is left of, in, right of the ROPE."""
        return self._integrated_twice(location_shares, low, high)

    @underflow_is_zero
    @one_thread
    def _integrated_twice(
        self, shares: Callable[[Grid, float, float], FloatArray], low: float, high: float
    ) -> RegionProbabilities:
        """Take shares from the grid, their error from the second or a coarser interpolation."""
        low, high = self._rope(low, high)
        second = self.second or refine_grid(self.grid.tensor, (2, 2), 3)
        unseen = self.agreement.unseen_mass if self.agreement else _UNSEEN
        stated = with_error(shares(self.grid, low, high), shares(second, low, high), unseen)
        # a failed fit gives no information on its error
        error = np.maximum(stated.p, 1 - stated.p) if self.warnings else stated.error
        error = np.where(np.isinf([low, 0.0, high]), 0.0, error)  # no region is there
        return RegionProbabilities(self._orient_regions(stated.p), self._orient_regions(error))

    @underflow_is_zero
    def probabilities(self, low: float, high: float) -> FloatArray:
        """Return the verdict's probabilities, (3,), without errors, which take as long again."""
        return self._orient_regions(kite_shares(self.grid, *self._rope(low, high)))

    @underflow_is_zero
    def verdict_weighted(
        self, low: float, high: float, weight: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return the verdict's probabilities, (3,), with sigma0's prior density times `weight`."""
        values = np.asarray(weight(self.grid.sigma0 * self.standard.scale))
        return self._orient_regions(kite_weighted(self.grid, *self._rope(low, high), values))

    @underflow_is_zero
    def marginal(self, name: str) -> Marginal:
        """Return the marginal distribution of "delta0", "sigma0" or "nu"."""
        if name not in self._marginals:
            st, grid = self.standard, self.grid
            if name == "delta0":
                made = grid.delta0_marginal.scaled(st.sign * st.scale)
            elif name == "sigma0":
                made = grid.sigma0_marginal.scaled(st.scale)
            else:
                made = grid.nu_marginal()
            self._marginals[name] = made
        return self._marginals[name]

    @cached_property
    def _marginals(self) -> dict[str, Marginal]:
        """Marginal distributions that were computed."""
        return {}

    def draws(self, n: int, seed: Seed) -> dict[str, FloatArray]:
        """Draw n quasi-random values of "delta0", "sigma0" and "nu", (n,), in random order."""
        return self._in_units(self._draw(n, seed))

    @property
    def few_draws(self) -> dict[str, FloatArray]:
        """A thousand draws with a fixed seed, for averages."""
        return self._in_units(self._few_draws)

    @cached_property
    def _few_draws(self) -> Parameters:
        return self._draw(_FEW_DRAWS, 0)

    @underflow_is_zero
    @one_thread
    def draw_datasets(self, draws: dict[str, FloatArray], seed: Seed) -> dict[str, FloatArray]:
        """Draw "delta" and "sigma", (n, q), once for each draw of the parameters."""
        st = self.standard
        rng = np.random.default_rng(seed)
        delta, sigma = draw_rows(st, self._standard_draws(draws), rng)
        columns = np.argsort(st.order)
        return {
            "delta": st.sign * st.scale * delta[:, columns],
            "sigma": st.scale * sigma[:, columns],
        }

    @underflow_is_zero
    @one_thread
    def datasets(self, low: float, high: float) -> DatasetSummary:
        """Return mean, sd, 95% interval and region probabilities of each data set's own delta_i.

        Averages over 1000 quasi-random draws of the parameters with a fixed seed.
        """
        st = self.standard
        summary = summarise_rows(st, self._few_draws, self._rope(low, high))
        rows = np.argsort(st.order)
        turn = slice(None, None, int(st.sign))
        return DatasetSummary(
            st.sign * st.scale * summary.mean[rows],
            st.scale * summary.sd[rows],
            st.sign * st.scale * summary.interval[rows, turn],
            summary.p[rows, turn].copy(),
        )

    @underflow_is_zero
    def certificate(self) -> Certificate:
        """Check the grid against an independent quadrature, at about 150 draws."""
        return self._certificate

    @cached_property
    def _certificate(self) -> Certificate:
        return certify(self.standard, self.grid)

    def _in_units(self, parameters: Parameters) -> dict[str, FloatArray]:
        st, (delta0, sigma0, nu) = self.standard, parameters
        return {"delta0": st.sign * st.scale * delta0, "sigma0": st.scale * sigma0, "nu": nu}

    @underflow_is_zero
    def _draw(self, n: int, seed: Seed) -> Parameters:
        rng = np.random.default_rng(seed)
        return draw_parameters(self.grid, self.marginal("nu"), n, rng)

    def _rope(self, low: float, high: float) -> tuple[float, float]:
        """Return the ROPE in standard units and orientation."""
        st = self.standard
        scaled = (float(low) / st.scale, float(high) / st.scale)
        return scaled if st.sign > 0 else (-scaled[1], -scaled[0])

    def _orient_regions(self, regions: FloatArray) -> FloatArray:
        return regions if self.standard.sign > 0 else regions[::-1].copy()

    def _standard_draws(self, draws: dict[str, FloatArray]) -> Parameters:
        st = self.standard
        return (
            st.sign * np.asarray(draws["delta0"], dtype=float) / st.scale,
            np.asarray(draws["sigma0"], dtype=float) / st.scale,
            np.asarray(draws["nu"], dtype=float),
        )


# A posterior with other sums of squares of a few rows, or without one, on the grid that is there.


#: Effective share of the masses, as of importance weights, above which the grid resolves both;
#: without some rows the other is smoother, and less will do.
_NEAR, _NEAR_WITHOUT = 0.9, 0.003
#: Mass that may then be at an edge of the box.
_EDGE_WITHOUT = 1e-3
#: Factor by which the mass outside the box, below exp(-depth), may have grown.
_MOST_GROWTH = 1000.0
#: Rows from which on the posterior without one is near.
_MANY = 10
_CHANGED_TOLERANCE, _CHANGED_NATS = 1e-4, 13.0  # of the rows that change


@underflow_is_zero
@one_thread
def solve_nearby(posterior: GridPosterior, factors: FloatArray) -> GridPosterior | None:
    """Return the posterior if some rows had other sums of squares, from their integrals alone.

    The posterior is by the default settings; `factors`, (q,), multiply the sums of squares. None
    if the other posterior is too far away for the grid. Probabilities were within 0.004 of a
    solution's in 440 random problems.
    """
    ratio = np.asarray(factors, dtype=float)[posterior.standard.order]
    standard = replace(posterior.standard, a=posterior.standard.a * ratio)
    rows = np.flatnonzero(ratio != 1)
    before, after = _select_rows(posterior.standard, rows), _select_rows(standard, rows)
    old, new = _on_nodes(posterior.grid.tensor, [before, after])
    moved = _reweigh_tensor(posterior, new - old, float(np.prod(before.s / after.s)))
    if moved is None:
        return None
    problem = replace(posterior.problem, ss=posterior.problem.ss * factors)
    return GridPosterior(problem, standard, refine_grid(moved, Settings().refine), ())


@underflow_is_zero
@one_thread
def probabilities_without_each(
    posterior: GridPosterior, low: float, high: float, sets: IntArray | None = None
) -> list[FloatArray | None]:
    """Return the verdict's probabilities, (3,), without each set of rows, from their integrals.

    The posterior is by the default settings. ``sets``, (S, k), are left out together; each row in
    turn by default. None if the other posterior is too far away for the grid, for few rows, and if
    bounds of the prior that depend on rows are felt. Probabilities were within 0.0006 of a
    solution's without up to three rows, in 1,562 sets of 14 rows or fewer.
    """
    standard, tensor = posterior.standard, posterior.grid.tensor
    sets = np.arange(standard.q)[:, None] if sets is None else sets
    box, last = tensor.box, tensor.box.axis_sigma0.knots[-1]
    bounded = max(np.abs(box.delta0)) >= standard.delta0_bound or box.k_sigma0[1] >= last
    if standard.q < _MANY or bounded or bound_is_felt(standard):
        return [None] * len(sets)
    rows, places = np.unique(sets, return_inverse=True)
    single = [_select_rows(standard, np.array([i])) for i in np.argsort(standard.order)[rows]]
    own = np.array(_on_nodes(tensor, single))
    changes = (
        _reweigh_tensor(posterior, -own[at].sum(0), near=_NEAR_WITHOUT, edge=_EDGE_WITHOUT)
        for at in places.reshape(sets.shape)
    )
    return [
        None
        if moved is None
        else replace(posterior, grid=refine_grid(moved, Settings().refine)).probabilities(
            low, high
        )
        for moved in changes
    ]


def _reweigh_tensor(
    posterior: GridPosterior,
    change: FloatArray,
    outside: float = 1.0,
    near: float = _NEAR,
    edge: float = Settings().edge_mass,
) -> Tensor | None:
    """Return the tensor with another log-likelihood, None if its nodes do not resolve that.

    `outside`: the largest factor beyond the box; `near`: the effective share of masses; `edge`:
    the mass that may be at an edge.
    """
    tensor = posterior.grid.tensor
    value = tensor.value + change
    moved = replace(tensor, value=value - value.max())
    weight = np.exp(change - change.max())
    mean, square = (float((tensor.masses * w).sum()) for w in (weight, weight**2))
    if not mean:
        return None
    growth = outside * np.exp(-change.max()) / mean
    edges = edge_masses(posterior.standard, moved.box, moved.masses)
    leaking = max(edges) > edge
    poor = mean**2 < near * square or growth > _MOST_GROWTH or leaking or pilot_is_poor(moved)
    return None if poor else moved


def _select_rows(standard: StandardProblem, rows: np.ndarray) -> StandardProblem:
    """Select some of the rows, in the same units."""
    columns = {name: getattr(standard, name)[rows] for name in ("xbar", "n", "a", "b", "order")}
    return replace(standard, **columns)


def _on_nodes(tensor: Tensor, several: list[StandardProblem]) -> list[FloatArray]:
    """Compute log-likelihoods of some rows on the tensor's nodes, each up to a constant."""
    smallest = min(some.s.min() for some in several)
    delta0 = tensor.box.axis_delta0.parameter(tensor.k_delta0)
    sigma0 = np.maximum(tensor.box.axis_sigma0.parameter(tensor.k_sigma0), 1e-7 * smallest)
    ends = [some.xbar[[0, -1]] for some in several]
    distance = max(delta0[-1] - np.min(ends), np.max(ends) - delta0[0])
    between = between_grid(
        (sigma0[0], sigma0[-1]),
        (tensor.nu.min(), tensor.nu.max()),
        floor=0.03 * smallest,
        reach=max(distance, 0.1 * sigma0[-1]),
        tolerance=_CHANGED_TOLERANCE,
    )
    mixing, shape = mixing_nodes(between, sigma0, tensor.nu), tensor.value.shape
    rules = (within_rules(some, _CHANGED_TOLERANCE, _CHANGED_NATS) for some in several)
    return [log_likelihood(some, mixing, delta0).reshape(shape) for some in rules]
