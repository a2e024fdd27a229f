"""Many problems at the same nodes: those that begin with the same rows and continue differently.

A row's log-integral depends on its mean and delta0 by their distance alone. Rows with similar
spreads share a table of it at all nodes of (sigma0, nu): a problem's likelihood is a sum of
looked-up numbers, and its verdict a weighted sum of its masses.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bayescmp.base.magnitudes import underflow_is_zero
from bayescmp.engines.quadrature.grid import MOST_NODES, trapezoid
from bayescmp.engines.quadrature.kernel import (
    MixingNodes,
    between_grid,
    log_likelihood,
    mixing_nodes,
    within_rules,
)
from bayescmp.engines.quadrature.locate import Box, locate, nu_rule
from bayescmp.engines.quadrature.problem import (
    FloatArray,
    Problem,
    Settings,
    StandardProblem,
    standardise,
)
from bayescmp.engines.quadrature.regions import kite_boundary, student_table

IntArray = npt.NDArray[np.intp]

#: Spreads of rows are rounded to this share of themselves: half of it is far less than they are
#: known by, with a hundred folds as with ten.
_ALIKE = 0.05
#: Step of a table in asinh(distance / spread), between which it is linear.
_STEP = 0.04
#: Nodes apart, in conditional standard deviations of a problem with all its rows.
_APART = 0.9
#: Nodes that a posterior has to be spread over, and the mass it may have at an edge.
_FEWEST, _EDGE = 2.5, 1e-3


class AddedRows(NamedTuple):
    """Rows that are added to the problems, and where each goes, all of shape (m,).

    `mean`, `n`, `a` and `b` are as in `StandardProblem`, in units of the `Problem`; a row is added
    to a `problem` at a `step`.
    """

    mean: FloatArray
    n: FloatArray
    a: FloatArray
    b: FloatArray
    problem: IntArray
    step: IntArray


@dataclass(eq=False)
class SharedNodes:
    """Nodes of (delta0, sigma0, nu) for the problems that continue one problem.

    `standard` is the problem that they continue: units, sign and bounds. `delta0` (D,), `sigma0`
    (S,) and `nu` (N,) are the nodes, `mixing` those in tau^2. `prior` (D, S * N) is the log of
    prior masses, `seen` the log-likelihood of the problem's own rows, `regions` (D * S * N, 3) the
    share of a node's mass in which each region is the most probable. `open_ends`: which bounds of
    delta0 (low, high) and sigma0 (low, high) are not the prior's.
    """

    standard: StandardProblem
    delta0: FloatArray
    sigma0: FloatArray
    nu: FloatArray
    mixing: MixingNodes
    prior: FloatArray
    regions: FloatArray
    seen: FloatArray
    open_ends: tuple[bool, bool, bool, bool]
    #: Tables by folds, b and rounded spread: (first row of `_values`, its spread, rows).
    _tables: dict[tuple[float, float, int], tuple[int, float, int]] = field(default_factory=dict)
    _values: list[FloatArray] = field(default_factory=list)

    @classmethod
    def place_nodes(
        cls, problem: Problem, region: tuple[float, float], rows: int, *, depth: float = 10.0
    ) -> SharedNodes:
        """Place nodes for a problem and those that continue it, with up to so many rows.

        The problem's posterior covers the others', except for noise. `region` are the bounds of
        the ROPE, `rows` is the number of the largest problem's; the nodes may end `depth` nats
        below the maximum.
        """
        settings, standard = replace(Settings.quick(), depth=depth), standardise(problem)
        box = locate(standard, settings)
        apart = _APART * np.sqrt(standard.q / max(rows, standard.q))
        ends = box.axis_delta0.coordinate(np.array(box.delta0))
        k_delta0, k_sigma0 = _nodes(ends[0], ends[1], apart, 24), _nodes(*box.k_sigma0, apart, 12)
        delta0 = box.axis_delta0.parameter(k_delta0)
        smallest = standard.s.min()
        sigma0 = np.maximum(box.axis_sigma0.parameter(k_sigma0), 1e-7 * smallest)
        xi, weight, log_pilot = nu_rule(box.grid_nu, box.pilot, settings.nu_nodes)
        nu = box.grid_nu.nu_at(xi)
        between = between_grid(
            (sigma0[0], sigma0[-1]),
            (nu.min(), nu.max()),
            floor=0.01 * smallest * rows**-0.25,
            reach=100 * (np.ptp(standard.xbar) + np.ptp(delta0) + 0.1 * sigma0[-1]),
            tolerance=settings.tolerance,
        )
        cell_delta0 = box.axis_delta0.jacobian(k_delta0) * trapezoid(len(k_delta0))
        cell_sigma0 = box.axis_sigma0.jacobian(k_sigma0) * trapezoid(len(k_sigma0))
        cell = np.log(cell_delta0)[:, None] + np.log(cell_sigma0)
        prior = (cell[:, :, None] + np.log(weight) - log_pilot).reshape(len(delta0), -1)
        rules = within_rules(standard, settings.tolerance, settings.depth)
        mixing = mixing_nodes(between, sigma0, nu)
        seen = log_likelihood(rules, mixing, delta0)
        signed = sorted(standard.sign * end / standard.scale for end in region)
        regions = _regions(box, k_delta0, sigma0, nu, (signed[0], signed[1]))
        last = float(box.axis_sigma0.knots[-1])
        bound = standard.delta0_bound * (1 - 1e-9)
        open_ends = (
            box.delta0[0] > -bound,
            box.delta0[1] < bound,
            box.k_sigma0[0] > 0,
            box.k_sigma0[1] < last * (1 - 1e-9),
        )
        return cls(
            standard, delta0, sigma0, nu, mixing, prior, regions, seen - seen.max(), open_ends
        )

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.regions)

    @underflow_is_zero
    def probabilities(
        self, rows: AddedRows, shape: tuple[int, int], *, seen: bool = True
    ) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        """Return probabilities of left, rope and right of all problems, after each of their steps.

        `shape` is (B, T) of problems and steps; the probabilities are (B, T, 3). Also returned,
        (B, T), is whether the nodes suit each posterior. `seen`: with this problem's own rows.
        """
        value = self._add_likelihoods(rows, shape)
        np.cumsum(value, axis=1, out=value)
        value += self.prior + self.seen if seen else self.prior
        D, B = len(self.delta0), shape[0] * shape[1]
        flat = value.reshape(B, -1)
        flat -= flat.max(axis=1, keepdims=True)
        mass = np.exp(np.maximum(flat, -80.0, out=flat), out=flat)
        mass /= mass.sum(axis=1, keepdims=True)
        p = mass @ self.regions
        if self.standard.sign < 0:
            p = p[:, ::-1]
        p = np.clip(p, 0, 1) / np.clip(p, 0, 1).sum(axis=1, keepdims=True)
        grid = mass.reshape(B, D, len(self.sigma0), len(self.nu))
        resolved = self._is_resolved(grid.sum((2, 3)), grid.sum((1, 3)))
        return p.reshape(*shape, 3), resolved.reshape(shape)

    def _is_resolved(self, along_delta0: FloatArray, along_sigma0: FloatArray) -> np.ndarray:
        """Whether marginals, (B, D) and (B, S), spread over nodes and end before the edges."""
        good = np.ones(len(along_delta0), bool)
        for mass, ends in (
            (along_delta0, self.open_ends[:2]),
            (along_sigma0, self.open_ends[2:]),
        ):
            good &= 1 / np.sum(mass**2, axis=1) > _FEWEST
            for edge, is_open in zip((0, -1), ends, strict=True):
                good &= (mass[:, edge] < _EDGE) | (not is_open)
        return good

    def _add_likelihoods(self, rows: AddedRows, shape: tuple[int, int]) -> FloatArray:
        """Compute log-likelihoods of what each step adds to each problem, (B, T, D, S * N)."""
        from scipy.sparse import coo_array  # a first verdict would wait for it

        unit = self.standard.scale
        mean = self.standard.sign * rows.mean / unit
        start, spread, length = self._looked_up(rows)
        u = np.arcsinh(np.abs(mean[:, None] - self.delta0) / spread[:, None]) / _STEP
        at = np.minimum(u.astype(int), length[:, None] - 2)
        beyond = u - at  # over 1 past the table, whose tail is linear
        D, T = len(self.delta0), shape[1]
        to = ((rows.problem * T + rows.step)[:, None] * D + np.arange(D)).ravel()
        place = (start[:, None] + at).ravel()
        share = beyond.ravel()
        values = np.concatenate(self._values)
        sums = coo_array(
            (np.append(1 - share, share), (np.append(to, to), np.append(place, place + 1))),
            shape=(shape[0] * T * D, len(values)),
        ).tocsr()
        return np.asarray(sums @ values).reshape(*shape, D, -1)

    def _looked_up(self, rows: AddedRows) -> tuple[IntArray, FloatArray, IntArray]:
        """Find where each row's table starts, its spread, its length; make what is missing."""
        a, b = rows.a / self.standard.scale**2, rows.b
        level = np.rint(np.log(np.maximum(a / b, 1e-300)) / (2 * _ALIKE)).astype(int)
        keys = np.column_stack([rows.n, b, level])
        every, which = np.unique(keys, axis=0, return_inverse=True)
        self._make([tuple(key) for key in every.tolist() if tuple(key) not in self._tables])
        tables = [self._tables[tuple(key)] for key in every.tolist()]
        start, spread, length = (
            np.array(part)[which.ravel()] for part in zip(*tables, strict=True)
        )
        return start, spread, length

    def _make(self, keys: list[tuple[float, float, int]]) -> None:
        """Tabulate rows with mean zero, by the distance of delta0."""
        st, settings = self.standard, Settings.quick()
        farthest = 2 * max(abs(self.delta0[0]), abs(self.delta0[-1])) + 10 * self.sigma0[-1]
        first = sum(map(len, self._values))
        for n, b, level in keys:
            row = StandardProblem(
                np.zeros(1),
                np.array([float(n)]),
                np.array([b * np.exp(2 * _ALIKE * level)]),
                np.array([b]),
                st.sigma_upper,
                st.sigma0_upper,
                st.delta0_bound,
                st.nu_prior,
                1.0,
                1.0,
                np.zeros(1, int),
            )
            spread = float(row.s[0])
            length = int(np.arcsinh(farthest / spread) / _STEP) + 2
            distance = spread * np.sinh(_STEP * np.arange(length))
            rules = within_rules(row, settings.tolerance, settings.depth)
            self._tables[n, b, level] = first, spread, length
            self._values.append(log_likelihood(rules, self.mixing, distance))
            first += length


def _nodes(low: float, high: float, apart: float, least: int) -> FloatArray:
    nodes = min(max(least, int(np.ceil((high - low) / apart)) + 1), MOST_NODES)
    return np.linspace(low, high, nodes)


def _regions(
    box: Box, k: FloatArray, sigma0: FloatArray, nu: FloatArray, ends: tuple[float, float]
) -> FloatArray:
    """Compute shares of the nodes' masses, (D * S * N, 3): see `regions.kite_shares`."""
    s, n = np.divmod(np.arange(len(sigma0) * len(nu)), len(nu))
    if np.isinf(ends[1] - ends[0]):  # two regions: delta0 lies in the larger
        at = [np.full(len(s), end) for end in ends]
    else:
        centre, half_width = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
        boundary = kite_boundary(half_width, sigma0[s], student_table(nu), n)
        at = [centre - boundary, centre + boundary]
    left, upto = (_weigh_below(box, k, x) for x in at)
    return np.stack([left, upto - left, 1 - upto], axis=-1).reshape(-1, 3)


def _weigh_below(box: Box, k: FloatArray, x: FloatArray) -> FloatArray:
    """Return weights (D, columns) that give the mass with delta0 < x (columns,), by parabolas."""
    D, columns = len(k), np.arange(len(x))
    if np.isinf(x[0]):
        return np.full((D, len(x)), float(x[0] > 0))
    place = (box.axis_delta0.coordinate(x) - k[0]) / (k[1] - k[0]) + 0.5
    cell = np.clip(place.astype(int), 0, D - 1)
    part = np.clip(place - cell, 0.0, 1.0)
    weight = (np.arange(D)[:, None] < cell).astype(float)
    slope = part * (part - 1) / 4
    bend = part * (part * part - 1.5 * part + 0.75) / 6
    before, after = np.maximum(cell - 1, 0), np.minimum(cell + 1, D - 1)
    # the whole cells before hold (here - before) / 24 more than their middles say
    np.add.at(weight, (before, columns), bend - slope - 1 / 24)
    np.add.at(weight, (cell, columns), part - 2 * bend + 1 / 24)
    np.add.at(weight, (after, columns), bend + slope)
    return weight
