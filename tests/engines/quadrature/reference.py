"""A second opinion on the whole posterior, sharing no code with the engine.

The plane of (delta0, log sigma0) is searched from the prior down: a cell is given up only if no
point of it can matter, by a bound that takes each row's largest value in the cell, so that a
spike is found however narrow it is. What is left is halved until a polynomial in each cell holds
the log density. The degrees of freedom are covered by fixed panels over their whole prior.

A row's integral is a double mixture of normals: its kernel one over sigma_i, the t one over tau,

    I_i = int int N(xbar_i; delta0, sigma^2 / b_i + tau^2) dP_i(sigma) dQ(tau | sigma0, nu).

`solve` at two resolutions tells how far it can be believed.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count, pairwise

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp, stdtr, stdtrit

NU_MAX = 600.0
DEAD = -1e30


@dataclass(frozen=True)
class Resolution:
    """How fine everything is."""

    nodes: int = 8  # of a cell, a side
    nu_nodes: int = 6  # of a panel
    row_tolerance: float = 3e-6  # a row's polynomial is kept from there on
    tolerance: float = 2e-4  # of a cell's mass, as a share of the whole
    depth: float = 12.0  # how far log sigma0 goes below the narrowest row
    nats: float = 21.0  # below the whole, a cell is given up
    steps: float = 1.0  # of both mixtures, relative
    fine: int = 12  # nodes of a cell for its masses
    crossing: int = 8  # panels where a region's boundary crosses a cell


COARSE = Resolution()
FINE = Resolution(10, 7, 5e-7, 2e-5, 14.5, 23.0, 0.88, 15, 14)


# Polynomials.


@cache
def lobatto(m: int) -> np.ndarray:
    """Chebyshev points of [0, 1], the ends among them."""
    return (1 - np.cos(np.pi * np.arange(m) / (m - 1))) / 2


@cache
def gauss(m: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(m)
    return (x + 1) / 2, w / 2


def lagrange(nodes: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Values at `at` of the polynomials that are one at one node: (..., m)."""
    gap = nodes[:, None] - nodes + np.eye(len(nodes))
    weight = 1 / (4 * gap).prod(1)
    distance = np.asarray(at)[..., None] - nodes
    hit = distance == 0
    share = weight / np.where(hit, 1.0, distance)
    share = np.where(hit.any(-1, keepdims=True), hit, share)
    return share / share.sum(-1, keepdims=True)


@cache
def between(m: int, low: float, high: float) -> np.ndarray:
    """From values at a cell's nodes to those at the nodes of a part of it."""
    return lagrange(lobatto(m), low + (high - low) * lobatto(m))


@cache
def to_fine(m: int, k: int) -> np.ndarray:
    return lagrange(lobatto(m), gauss(k)[0])


@cache
def to_coefficients(m: int) -> np.ndarray:
    """Values at the nodes to Chebyshev coefficients on [-1, 1]: (m, m)."""
    k = np.arange(m)
    return np.linalg.inv(np.cos(np.outer(np.pi * k[::-1] / (m - 1), k)))


def last_coefficients(m: int) -> np.ndarray:
    return to_coefficients(m)[-2:]


# Degrees of freedom.


@dataclass(frozen=True)
class Panels:
    """Panels of nu: nodes of polynomials in log nu, and finer nodes with their prior masses."""

    nu: np.ndarray
    panel: np.ndarray  # (K,)
    fine: np.ndarray  # (F,)
    fine_panel: np.ndarray
    log_prior: np.ndarray  # (F,)
    matrix: np.ndarray  # (F, K)


@cache
def panels(prior: tuple[float, ...], per_panel: int) -> Panels:
    """Panels over the whole prior; what lies beyond NU_MAX is taken as being there."""
    a0, a1, b0, b1, offset = prior
    edges = [1.1, 2, 4, 8, 18, 60, 180, NU_MAX]
    first = (1e-5, 1e-3, 0.03, 0.15, 0.45, 1.0) if offset < 0.5 else (0.1,)
    edges = [offset, *(offset + y for y in first if offset + y < 1.1), *edges]
    nu, fine, mass, panel, fine_panel = [], [], [], [], []
    for k, (low, high) in enumerate(pairwise(edges)):
        middles = (1 - np.cos(np.pi * (np.arange(per_panel) + 0.5) / per_panel)) / 2
        if k == 0:  # the prior is like a power; the likelihood falls with nu, however steeply
            nu.append(low + (high - low) * middles)
            x, w = gauss(2 * per_panel + 2)
            y = (high - low) * x**4
            w = w * 4 * x**3 * (high - low)
        else:
            nu.append(low * (high / low) ** middles)
            x, w = gauss(per_panel + 1)
            y = low * (high / low) ** x - offset
            w = w * (y + offset) * np.log(high / low)
        fine.append(y + offset)
        mass.append(w * nu_prior(y, a0, a1, b0, b1))
        panel += [k] * len(nu[-1])
        fine_panel += [k] * len(y)
    nu, fine, mass = np.concatenate(nu), np.concatenate(fine), np.concatenate(mass)
    panel, fine_panel = np.array(panel), np.array(fine_panel)
    mass[-1] += max(0.0, 1 - mass.sum())
    matrix = np.zeros((len(fine), len(nu)))
    for k in range(len(edges) - 1):
        rows, columns = fine_panel == k, panel == k
        scale = np.asarray if k == 0 else np.log
        matrix[np.ix_(rows, columns)] = lagrange(scale(nu[columns]), scale(fine[rows]))
    return Panels(nu, panel, fine, fine_panel, np.log(np.maximum(mass, 1e-300)), matrix)


def nu_prior(y, a0, a1, b0, b1):
    """Density of Gamma(alpha, beta) at y, averaged over uniform alpha and beta."""
    x, w = gauss(48)
    a, b = (a0 + (a1 - a0) * x)[:, None], b0 + (b1 - b0) * x
    log = a * np.log(b) - gammaln(a) + (a - 1) * np.log(y)[:, None, None]
    return np.einsum("yab,a,b->y", np.exp(log - b * y[:, None, None]), w, w)


# Rows.


def step_of(nu: float, error: float = 1e-9) -> float:
    """Step of a trapezoid in log chi-square that leaves this error."""

    def excess(h):
        # |Gamma(a + i y)| by Stirling, for it underflows
        a, y = nu / 2, 2 * np.pi / h
        z = a + 1j * y + 8  # shifted to where the series holds
        log = ((z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + 1 / (12 * z)).real
        log -= np.log(np.abs(a + 1j * y + np.arange(8))).sum()
        return np.log(2) + log - gammaln(a) - np.log(error)

    return float(brentq(excess, 1e-3, 2.0)) if excess(2.0) > 0 else 2.0


class Rows:
    """Each row's kernel as a mixture of normals."""

    def __init__(self, problem, resolution: Resolution) -> None:
        self.x = np.asarray(problem.xbar, float)
        self.n = np.asarray(problem.n)
        rho = np.asarray(problem.rho, float)
        self.a = np.asarray(problem.ss, float) / (1 - rho)
        self.b = self.n / (1 + (self.n - 1) * rho)
        every = list(zip(self.n, self.a, self.b, strict=True))
        bounds = problem.sigma_upper, np.ptp(self.x)
        self.mixture = [self._row(*row, *bounds, resolution.steps) for row in every]
        self.padded, self.length = self._padded(self.mixture)
        self.rough, _ = self._padded([self._row(*row, *bounds, 1.9) for row in every])
        self.scale = np.sqrt(self.a / self.b / self.n)

    @staticmethod
    def _padded(mixture) -> tuple[np.ndarray, np.ndarray]:
        """Weights and variances, (2, q, L), and how many each row has."""
        length = np.array([len(w) for w, _ in mixture])
        padded = np.zeros((2, len(length), length.max()))
        padded[1] = 1.0
        for i, row in enumerate(mixture):
            padded[:, i, : length[i]] = row
        return padded, length

    @staticmethod
    def _row(n, a, b, sigma_upper, reach, steps):
        """Weights and variances: over log x, x = a / sigma^2, of x^((n-2)/2) e^(-x/2)."""
        nu = n - 2
        high = np.log(nu + 9 * np.sqrt(2 * nu) + 45)
        low = np.log(a / sigma_upper**2)  # the prior's bound of sigma_i
        if low > high:
            low, high = low, low + 40  # the bound alone decides
        edge = np.log(min(1.0, a / (b * (reach**2 + 1e-300)))) - 30 / (nu + 1)
        deep = np.log((nu + 1) * 0.25) - 110 / (nu + 1)
        tail = max(min(edge, high - 1), min(deep, high - 1))
        h = min(step_of(max(nu, 1), 1e-7), 0.75) * steps
        if low > tail:
            x, w = gauss(int(np.ceil(1.25 * (high - low) / h)) + 4)
            log_x, w = low + (high - low) * x, w
        else:
            log_x, w = np.arange(tail, high, h), 1.0
        log_w = np.log(w) + nu / 2 * log_x - np.exp(log_x) / 2
        weight = np.exp(log_w - logsumexp(log_w))
        keep = weight > 0
        return weight[keep], (a / b) * np.exp(-log_x[keep])


class Mixing:
    """The t as a mixture of normals: weights on global grids of log tau, one a group of nu."""

    def __init__(self, nu: np.ndarray, panel: np.ndarray, steps: float) -> None:
        self.nu = nu
        limits = [0, 20, 200, NU_MAX + 1]
        top = np.array([nu[panel == p].max() for p in panel])  # panels are not divided
        self.group = np.searchsorted(limits, top) - 1
        self.step = {}
        for g in np.unique(self.group):
            self.step[g] = step_of(nu[self.group == g].max(), 1e-7) / 2 * steps

    def window(self, g: int, u_low: float, u_high: float, far: float) -> tuple[int, int]:
        """Indices of log tau / step that carry the group, for distances up to `far`."""
        nu = self.nu[self.group == g]
        low, high = nu.min(), nu.max()
        x_high = max(v + 9 * np.sqrt(2 * v) + 45 for v in (low, high)) / np.array([low, high])
        start = u_low - 0.5 * np.log(x_high.max())
        far = np.log(max(far, 1e-300))
        if low < 18:
            end = max(u_high, far) + 17 / (low + 1)
        else:
            spread = np.exp(min(far - u_high, 300.0)) ** 2 / low  # z^2 / nu
            end = (
                u_high
                + 0.5 * np.log1p(min(spread, 8.0 if low < 200 else 2.0))
                + 5 * np.sqrt(2 / low)
                + 0.3
            )
        return int(np.floor(start / self.step[g])), int(np.ceil(end / self.step[g])) + 1

    def weights(self, g: int, index: tuple[int, int], u: np.ndarray, nu: np.ndarray):
        """Weights (T, S, K) of the nodes."""
        log_tau = self.step[g] * np.arange(*index)
        log_x = np.log(nu) + 2 * (u[:, None] - log_tau[:, None, None])
        log_p = nu / 2 * log_x - np.exp(np.minimum(log_x, 50.0)) / 2
        log_p -= nu / 2 * np.log(2) + gammaln(nu / 2)
        return 2 * self.step[g] * np.exp(log_p)


# Cells.


@dataclass(eq=False)
class Cell:
    """A rectangle of (delta0, log sigma0) and its log density at nodes."""

    d: tuple[float, float]
    u: tuple[float, float]
    active: np.ndarray  # rows evaluated here
    alive: np.ndarray  # panels of nu
    base: np.ndarray  # (m, m, K): the other rows
    frozen_at: float = np.inf  # width in delta0 of the cell that last looked at each row
    known: dict | None = None  # integrals over sigma_i, from a cell with the same delta0
    value: np.ndarray = field(default=None)  # (m, m, K)
    upper: float = np.inf
    log_mass: float = -np.inf
    error: np.ndarray = field(default=None)  # in delta0, in log sigma0
    gap: float = np.inf
    slope: float = 0.0  # how much the bound varies along log sigma0

    @property
    def log_volume(self) -> float:
        return float(np.log((self.d[1] - self.d[0]) * (self.u[1] - self.u[0])))


class Search:
    """All cells that matter, and how they are answers."""

    def __init__(self, problem, resolution: Resolution) -> None:
        self.r = resolution
        self.problem = problem
        prior = tuple(
            float(getattr(problem, k))
            for k in ("alpha_lower", "alpha_upper", "beta_lower", "beta_upper", "nu_offset")
        )
        self.panels = panels(prior, resolution.nu_nodes)
        self.rows = Rows(problem, resolution)
        self.mixing = Mixing(self.panels.nu, self.panels.panel, resolution.steps)
        self.rough_mixing = Mixing(self.panels.nu, self.panels.panel, 1.9)
        self.leaves: list[Cell] = []
        self.given_up = -np.inf
        self.evaluated = 0
        self.log_total = -np.inf

    def run(self) -> None:
        m, K = self.r.nodes, len(self.panels.nu)
        bound = self.problem.delta0_bound
        u_high = np.log(self.problem.sigma0_upper)
        u_low = min(np.log(self.rows.scale.min()), u_high) - self.r.depth
        pieces = np.linspace(u_low, u_high, int(np.ceil((u_high - u_low) / 3)) + 1)
        everyone = np.arange(len(self.rows.x))
        alive = np.ones(self.panels.panel.max() + 1, bool)
        # the ends of the data are where everything changes
        ends = np.array([self.rows.x.min(), self.rows.x.max()])
        reach = max(np.ptp(ends), self.rows.scale.min())
        cuts = np.array([-bound, *(ends + np.array([-1, 1]) * 0.618 * reach), bound])
        cuts = np.unique(np.clip(cuts, -bound, bound))
        roots = [
            Cell(d, u, everyone, alive, np.zeros((m, m, K)))
            for d in pairwise(cuts)
            for u in pairwise(pieces)
        ]
        self.floor = self.least(u_low, u_high)
        self.roughly(roots)
        self.finely()

    def least(self, u_low: float, u_high: float) -> float:
        """A value that the whole's logarithm hardly is below, by the best of many points."""
        rows, p, k = self.rows, self.panels, self.r.nu_nodes
        s = rows.scale
        weighted = [
            (rows.x / (s**2 + t**2)).sum() / (1 / (s**2 + t**2)).sum()
            for t in np.quantile(s, [0, 0.1, 0.5, 1])
        ]
        d = np.unique(
            [
                *np.quantile(rows.x, np.linspace(0, 1, 9)),
                *weighted,
                rows.x.mean(),
                *rows.x[np.argsort(s)[:8]],
            ]
        )
        d = np.clip(d, -self.problem.delta0_bound, self.problem.delta0_bound)
        u = np.linspace(u_low, u_high, int((u_high - u_low) / 0.5) + 2)
        columns = np.flatnonzero(np.arange(len(p.nu)) % k == k // 2)
        everyone = np.arange(len(rows.x))
        mixing, far = self.rough_mixing, np.ptp(rows.x)
        groups = np.unique(mixing.group[columns])
        windows = {g: mixing.window(g, u_low, u_high, far) for g in groups}
        value = np.zeros((len(d), len(u), len(columns)))
        for part in np.array_split(everyone, len(everyone) // 20 + 1):
            at = np.broadcast_to(d, (len(part), len(d)))
            value += self.roughly_integrated(part, at, u, columns, windows).sum(0)
        distance = (d[:, None] - rows.x) ** 2 + s**2
        width = -0.5 * np.log((1 / (distance[:, None] + np.exp(2 * u)[:, None])).sum(2))
        prior = [logsumexp(p.log_prior[p.fine_panel == p.panel[c]]) for c in columns]
        value += (u + width)[:, :, None] + np.array(prior)
        return float(value.max()) - 0.5 * np.log(len(s)) - 6.0

    # First everything that can matter, roughly; then what matters, finely.

    def roughly(self, cells: list[Cell]) -> None:
        """Divide, the largest bound first, until a rough polynomial holds in each cell."""
        ticket = count()
        heap = []

        def push(cell):
            self.bound(cell)
            heapq.heappush(heap, (-cell.upper - cell.log_volume, next(ticket), cell))

        for cell in cells:
            push(cell)
        while heap:
            bound, _, cell = heapq.heappop(heap)
            if -bound < max(self.log_total, self.floor) - self.r.nats:
                self.given_up = np.logaddexp(self.given_up, -bound)
                continue
            if cell.gap > 15.0 and cell.d[1] - cell.d[0] > cell.frozen_at / 10:
                for child in self.halves(cell):  # too wide to be looked at closely
                    push(child)
                continue
            self.evaluate(cell)
            if cell.upper == -np.inf:
                continue
            if cell.error.sum() < 0.5 and cell.gap < 3.0:
                self.leaves.append(cell)
                self.log_total = np.logaddexp(self.log_total, cell.log_mass)
                continue
            for child in self.halves(cell):
                push(child)

    def finely(self) -> None:
        """Divide what contributes most to the error."""
        while True:
            self.log_total = logsumexp([leaf.log_mass for leaf in self.leaves])
            todo, kept = [], []
            for leaf in self.leaves:
                share = np.exp(leaf.log_mass - self.log_total)
                wrong = share * min(leaf.error.sum(), 1.0)
                (todo if wrong > self.r.tolerance * max(share, 0.02) else kept).append(leaf)
            for leaf in kept:
                leaf.known = None
            if not todo:
                return
            self.leaves = kept
            self.log_total = logsumexp(
                [leaf.log_mass for leaf in kept] + [c.log_mass for c in todo]
            )
            self.roughly([child for cell in todo for child in self.halves(cell)])

    def halves(self, cell: Cell) -> list[Cell]:
        """Two halves, along delta0 or log sigma0."""
        m = self.r.nodes
        if cell.value is None:
            along_d = not (cell.slope > 20.0 and cell.u[1] - cell.u[0] > 0.7)
        else:
            along_d = cell.error[0] >= cell.error[1] or cell.gap >= 3.0
            if cell.gap >= 3.0 and cell.error[1] > 3 * cell.error[0]:
                along_d = cell.u[1] - cell.u[0] <= 1.0
        if cell.u[1] - cell.u[0] < 1e-3:
            along_d = True
        low, high = cell.d if along_d else cell.u
        middle = (low + high) / 2
        children = []
        for k, part in enumerate(((low, middle), (middle, high))):
            matrix = between(m, k / 2, (k + 1) / 2)
            subscripts = "ka,ast->kst" if along_d else "ka,dat->dkt"
            base = np.einsum(subscripts, matrix, cell.base)
            children.append(
                Cell(
                    part if along_d else cell.d,
                    cell.u if along_d else part,
                    cell.active,
                    cell.alive,
                    base,
                    cell.frozen_at,
                    None if along_d else cell.known,
                )
            )
        cell.known = None
        return children

    # One cell.

    def bound(self, cell: Cell) -> None:
        """A bound of the log density: each row at the point of the cell next to its mean."""
        p, k = self.panels, self.r.nu_nodes
        columns = np.flatnonzero(cell.alive[p.panel])
        columns = columns[np.isin(columns % k, (0, k // 2 - 1, k - 1))]
        u = cell.u[0] + (cell.u[1] - cell.u[0]) * lobatto(self.r.nodes)
        upper = cell.base[:, :, columns].max(0) + u[:, None]
        value = cell.base[[0, -1]][:, :, columns] + u[:, None]
        x = self.rows.x[cell.active]
        ends = np.repeat([cell.d], len(x), 0)
        at = np.column_stack([ends, np.clip(x, *cell.d)])
        windows = self.knowledge(cell, columns, rough=True)["windows"]
        log = self.roughly_integrated(cell.active, at, u, columns, windows)
        upper = upper + log.max(1).sum(0) + 0.02 * len(log)
        value = value + log[:, :2].sum(0)
        cell.gap = float(upper.max() - value.max())
        cell.slope = float(np.ptp(upper.max(1)))
        self.bounded(cell, upper, columns)

    def roughly_integrated(self, active, at, u, columns, windows):
        """To a percent, at places (rows, D) of delta0: (rows, D, S, K).

        In single precision, never below what that can hold.
        """
        rows, points = self.rows, at.shape[1]
        z = np.asarray(-0.5 * (at - rows.x[active, None]) ** 2, np.float32)
        out = np.empty((len(active), points, len(u), len(columns)))
        mixing = self.rough_mixing
        for g, window in windows.items():
            here = np.flatnonzero(mixing.group[columns] == g)
            weights = mixing.weights(g, window, u, mixing.nu[columns[here]])
            tau2 = np.exp(2 * mixing.step[g] * np.arange(*window))
            weights = weights.reshape(len(tau2), -1)
            pieces = len(active) * len(tau2) * points // 6000 + 1
            for part in np.array_split(np.arange(len(active)), pieces):
                w, v = rows.rough[0][active[part]], rows.rough[1][active[part]]
                precision = (1 / (v[:, :, None] + tau2)).astype(np.float32)
                E = z[part][:, :, None, None] * precision[:, None]
                np.exp(np.maximum(E, -86, out=E), out=E)
                np.sqrt(precision, out=precision)
                precision *= w[:, :, None].astype(np.float32)
                H = np.einsum("rdlt,rlt->rdt", E, precision).astype(float)
                out[part[:, None], :, :, here] = (
                    (H @ weights)
                    .reshape(len(part), points, len(u), len(here))
                    .transpose(0, 3, 1, 2)
                )
        return np.log(np.maximum(out, 1e-300, out=out))

    def bounded(self, cell: Cell, upper, columns) -> None:
        """Take the bound, (S, K), and the panels of nu that it leaves."""
        by_panel = np.array(
            [
                upper[:, self.panels.panel[columns] == k].max(initial=-np.inf)
                for k in range(len(cell.alive))
            ]
        )
        by_panel += 1.0 + cell.log_volume
        dead = cell.alive & (by_panel < max(self.log_total, self.floor) - self.r.nats - 6)
        if dead.any():
            self.given_up = np.logaddexp(self.given_up, logsumexp(by_panel[dead]))
        cell.alive = cell.alive & ~dead
        cell.upper = float(by_panel[cell.alive].max(initial=-np.inf)) - cell.log_volume

    def evaluate(self, cell: Cell) -> None:
        """The log density at the nodes, its bound, its mass, and what is not resolved."""
        self.evaluated += 1
        m, p = self.r.nodes, self.panels
        columns = np.flatnonzero(cell.alive[p.panel])
        d = cell.d[0] + (cell.d[1] - cell.d[0]) * lobatto(m)
        u = cell.u[0] + (cell.u[1] - cell.u[0]) * lobatto(m)
        d[-1], u[-1] = cell.d[1], cell.u[1]
        base = cell.base[:, :, columns]
        upper = base.max(0)  # (S, K)
        value = base.copy()
        active = []
        frozen = base.copy()
        cell.known = cell.known or self.knowledge(cell, columns)
        last = last_coefficients(m)
        for part, log in self.integrals(cell, cell.known, d, u, columns):
            upper = upper + log.max(1).sum(0)
            log = log[:, :m]  # (rows, D, S, K)
            value += log.sum(0)
            along_d = last @ log.reshape(len(part), m, -1)
            along_u = last @ log
            tail = np.maximum(np.abs(along_d).max((1, 2)), np.abs(along_u).max((1, 2, 3)))
            smooth = tail < self.r.row_tolerance
            frozen += log[smooth].sum(0)
            active += part[~smooth].tolist()
        cell.frozen_at = cell.d[1] - cell.d[0]
        cell.known = {**cell.known, "rows": {i: cell.known["rows"][i] for i in active}}
        cell.active = np.array(active, int)
        cell.base = np.full((m, m, len(p.nu)), DEAD)
        cell.base[:, :, columns] = frozen
        self.judge(cell, value, upper, u, columns)

    def judge(self, cell, value, upper, u, columns) -> None:
        m, p = self.r.nodes, self.panels
        value = value + u[:, None]
        upper = upper + u[:, None]
        cell.gap = float(upper.max() - value.max())
        self.bounded(cell, upper, columns)
        cell.value = np.full((m, m, len(p.nu)), DEAD)
        cell.value[:, :, columns] = value
        if not cell.alive.any():
            return
        dense = self.fine_values(cell)[0]
        peak = dense.max()
        mass = np.exp(dense - peak).sum()
        cell.log_mass = float(peak + np.log(mass))
        live = cell.alive[p.panel[columns]]
        along_d = np.abs(np.tensordot(last_coefficients(m), value, 1)).sum(0)  # (S, K)
        along_u = np.abs(np.einsum("ks,dsn->kdn", last_coefficients(m), value)).sum(0)
        w_s = np.exp(value.max(0) - value.max())
        w_d = np.exp(value.max(1) - value.max())
        cell.error = np.array([(along_d * w_s)[:, live].max(), (along_u * w_d)[:, live].max()])

    def fine_values(self, cell: Cell):
        """Log masses at fine nodes: (D, S, F), with delta0, u and the columns of nu."""
        m, k, p = self.r.nodes, self.r.fine, self.panels
        columns = np.flatnonzero(cell.alive[p.panel])
        fine = np.flatnonzero(cell.alive[p.fine_panel])
        x, w = gauss(k)
        matrix = to_fine(m, k)
        log = np.einsum("ad,dsn->asn", matrix, cell.value[:, :, columns], optimize=True)
        log = np.einsum("bs,asn->abn", matrix, log, optimize=True)
        log = log @ p.matrix[np.ix_(fine, columns)].T + p.log_prior[fine]
        log = log + np.log(w)[:, None, None] + np.log(w)[:, None] + cell.log_volume
        d = cell.d[0] + (cell.d[1] - cell.d[0]) * x
        u = cell.u[0] + (cell.u[1] - cell.u[0]) * x
        return log, d, u, fine

    def knowledge(self, cell: Cell, columns, *, rough=False) -> dict:
        """What integrals over sigma_i are made for: windows of log tau; and those made."""
        centres = self.rows.x[cell.active]
        far = 0.0
        if len(centres):
            far = max(abs(centres.max() - cell.d[0]), abs(cell.d[1] - centres.min()))
        mixing = self.rough_mixing if rough else self.mixing
        groups = np.unique(mixing.group[columns])
        windows = {g: mixing.window(g, *cell.u, far) for g in groups}
        return {"windows": windows, "far": far, "rows": {}}

    def integrals(self, cell: Cell, known: dict, d, u, columns):
        """Some active rows at a time: which, and (rows, m + 1, S, K).

        The last place of delta0 is the row's mean, or the end next to it.
        """
        rows, mixing = self.rows, self.mixing
        groups = np.unique(mixing.group[columns])
        windows = known["windows"]
        tau2 = np.concatenate(
            [np.exp(2 * mixing.step[g] * np.arange(*windows[g])) for g in windows]
        )
        starts = dict(
            zip(windows, np.cumsum([0] + [b - a for a, b in windows.values()])[:-1], strict=True)
        )
        parts = []
        for g in groups:
            a, b = mixing.window(g, *cell.u, known["far"])
            a, b = max(a, windows[g][0]), min(b, windows[g][1])
            here = np.flatnonzero(mixing.group[columns] == g)
            weights = mixing.weights(g, (a, b), u, mixing.nu[columns[here]])
            first = starts[g] + a - windows[g][0]
            parts.append((slice(first, first + b - a), here, weights.reshape(b - a, -1)))
        points = len(d) + 1
        active = cell.active[np.argsort(rows.length[cell.active], kind="stable")]
        size = points * len(tau2) * rows.length[active].max(initial=1)
        for some in np.array_split(active, int(len(active) * size // 200_000) + 1):
            missing = np.array([i for i in some if i not in known["rows"]], int)
            if len(missing):
                x, longest = rows.x[missing, None], rows.length[missing].max()
                w, v = rows.padded[:, missing, :longest]
                precision = 1 / (v[:, :, None] + tau2)
                at = np.column_stack(
                    [np.broadcast_to(d, (len(missing), len(d))), np.clip(x, d[0], d[-1])]
                )
                E = (-0.5 * (at - x) ** 2)[:, :, None, None] * precision[:, None]
                np.exp(E, out=E)
                np.sqrt(precision, out=precision)
                precision *= w[:, :, None]
                known["rows"].update(
                    zip(missing, np.einsum("rdlt,rlt->rdt", E, precision), strict=True)
                )
            if not len(some):
                continue
            H = np.array([known["rows"][i] for i in some])
            out = np.empty((len(some), points, len(u), len(columns)))
            for part, here, weights in parts:
                value = H[:, :, part] @ weights
                out[..., here] = value.reshape(len(some), points, len(u), len(here))
            yield some, np.log(np.maximum(out, 1e-300, out=out))


# Answers.


class Answers:
    """The three quantities of a rope, from the cells."""

    def __init__(self, search: Search) -> None:
        self.search, self.r = search, search.r
        self.share_of = {}
        self.cells = []
        for leaf in search.leaves:
            share = float(np.exp(leaf.log_mass - search.log_total))
            if share > 1e-9:
                log, d, u, fine = search.fine_values(leaf)
                mass = np.exp(log - search.log_total)
                self.cells.append((leaf, mass, d, u, fine))
        self.total = sum(c[1].sum() for c in self.cells)

    def values(self, cell: Cell, fine) -> np.ndarray:
        """Log density at the nodes, nu's masses in it, (m, m, F)."""
        p = self.search.panels
        columns = np.flatnonzero(cell.alive[p.panel])
        values = cell.value[:, :, columns] @ p.matrix[np.ix_(fine, columns)].T
        return values + p.log_prior[fine] - self.search.log_total

    def density(self, cell: Cell, fine, d, u):
        """The density at all d and u: (D, S, F)."""
        nodes = lobatto(self.r.nodes)
        in_d = lagrange(nodes, (d - cell.d[0]) / (cell.d[1] - cell.d[0]))
        in_u = lagrange(nodes, (u - cell.u[0]) / (cell.u[1] - cell.u[0]))
        return np.exp(in_u @ np.tensordot(in_d, self.values(cell, fine), 1))

    def mean(self, low: float, high: float) -> np.ndarray:
        """Probabilities of delta0 left of, in and right of the rope."""
        return self._three(self._below(low), self._below(high))

    def _three(self, left, upto):
        return np.array([left, upto - left, self.total - upto]) / self.total

    def _below(self, edge: float) -> float:
        total = 0.0
        for cell, mass, _, _, fine in self.cells:
            if cell.d[1] <= edge:
                total += mass.sum()
            elif cell.d[0] < edge:
                total += self._part(cell, fine, cell.d[0], np.full((1, 1), edge), along_d=True)
        return total

    def _part(self, cell, fine, start, stop, *, along_d, across=None):
        """Mass between start and stop, arrays (points, F), at Gauss points across; summed."""
        k = self.r.fine
        if across is None:
            x, w = gauss(self.r.fine)
            low, high = cell.u if along_d else cell.d
            across = low + (high - low) * x, (high - low) * w
        points, weights = across
        start, stop = (np.broadcast_to(z, (len(points), len(fine))) for z in (start, stop))
        x, w = gauss(k)
        rows = np.flatnonzero((stop > start).any(1))
        if not rows.size:
            return 0.0
        start, length = start[rows], (stop - start)[rows]
        m, values = self.r.nodes, self.values(cell, fine)
        if along_d:
            values = values.swapaxes(0, 1)
        (low, high), (first, last) = (cell.d, cell.u) if along_d else (cell.u, cell.d)
        here = lagrange(lobatto(m), (points[rows] - first) / (last - first))
        here = np.tensordot(here, values, 1)  # (points, m, F)
        here = np.einsum("ka,paf->kpf", to_coefficients(m), here)
        # Chebyshev series, by their recurrence, at (k, points, F)
        z = 2 * (start + length * x[:, None, None] - low) / (high - low) - 1
        before, now = np.ones_like(z), z
        log = here[0] + here[1] * z
        for coefficient in here[2:]:
            before, now = now, 2 * z * now - before
            log += coefficient * now
        return float(np.einsum("kpf,k,pf,p->", np.exp(log), w, length, weights[rows]))

    def predictive(self, low: float, high: float) -> np.ndarray:
        """Expected masses of the next data set left of, in and right of the rope."""
        return self._three(self._expected_below(low), self._expected_below(high))

    def _expected_below(self, edge: float) -> float:
        total = 0.0
        for cell, mass, d, u, fine in self.cells:
            width, high = cell.d[1] - cell.d[0], np.exp(cell.u[1])
            away = max(cell.d[0] - edge, edge - cell.d[1], 0.0)
            if high < 0.7 * width and away < 15 * high and mass.sum() > 1e-7:
                steps = np.exp((cell.u[0] + cell.u[1]) / 2) * np.array([0.7, 2, 6, 20])
                cuts = np.concatenate([[cell.d[0], edge, cell.d[1]], edge - steps, edge + steps])
                cuts = np.unique(np.clip(cuts, *cell.d))
                x, w = gauss(8)
                d = (cuts[:-1, None] + np.diff(cuts)[:, None] * x).ravel()
                weight = (np.diff(cuts)[:, None] * w).ravel()
                w = gauss(len(u))[1] * (cell.u[1] - cell.u[0])
                mass = self.density(cell, fine, d, u) * np.outer(weight, w)[:, :, None]
            total += self._student((edge - d[:, None]) / np.exp(u), fine, mass)
        return float(total)

    def _student(self, z, fine, mass) -> float:
        """Distribution functions at z times the masses, summed; linear in a fine table."""
        table = _student_tables(tuple(self.search.panels.fine.tolist()))
        at = (np.arcsinh(z) - GRID[0]) / (GRID[1] - GRID[0])
        node = np.clip(at.astype(int), 0, len(GRID) - 2)
        first, last = fine[0], fine[-1] + 1
        if len(fine) != last - first:
            first, last, fine = 0, table.shape[1], fine
            pick = fine
        else:
            pick = slice(None)
        lower = table[:, first:last].take(node, 0)[:, :, pick]
        upper = table[:, first:last].take(node + 1, 0)[:, :, pick]
        part = np.clip(at - node, 0, 1)[:, :, None]
        return float(np.vdot(mass, lower + (upper - lower) * part))

    def most_probable(self, low: float, high: float) -> np.ndarray:
        """Probabilities that each region's mass is the largest for the next data set."""
        centre, r = (low + high) / 2, (high - low) / 2
        p = np.zeros(3)
        for cell, mass, _, _, fine in self.cells:
            boundary = Boundaries(self.search.panels.fine[fine], r)
            whole = mass.sum()
            ends = boundary.delta(np.array(cell.u)) if r > 0 else np.zeros((2, len(fine)))
            inner, outer = ends.min(), ends.max()
            left = right = 0.0
            if cell.d[1] <= centre - outer:
                left = whole
            elif cell.d[0] >= centre + outer:
                right = whole
            elif not (cell.d[0] >= centre - inner and cell.d[1] <= centre + inner):
                left, right = self._crossed(cell, fine, boundary, centre, r, ends, whole)
            p += [left, whole - left - right, right]
        return p / self.total

    def _crossed(self, cell, fine, boundary, centre, r, ends, share):
        """Masses left of and right of the rope's region in a cell that its boundary crosses."""
        moved = np.ptp(np.clip(ends, *np.sort(np.abs(np.array(cell.d) - centre))), axis=0).max()
        if moved <= 0.7 * (cell.d[1] - cell.d[0]) or r == 0:
            across = self._composite(cell.u, [], share)
            delta = boundary.delta(across[0]) if r > 0 else np.zeros((len(across[0]), len(fine)))
            lower, upper = np.clip(centre - delta, *cell.d), np.clip(centre + delta, *cell.d)
            left = self._part(cell, fine, cell.d[0], lower, along_d=True, across=across)
            right = self._part(cell, fine, upper, cell.d[1], along_d=True, across=across)
            return left, right
        points, weights = self._composite(cell.d, [centre - r, centre, centre + r], share)
        u = np.clip(boundary.log_sigma0(np.abs(points - centre)), *cell.u)
        sides = []
        for side in (points < centre, points > centre):
            across = points[side], weights[side]
            sides.append(
                self._part(cell, fine, u[side], cell.u[1], along_d=False, across=across)
                if side.any()
                else 0.0
            )
        return tuple(sides)

    def _composite(self, ends, cuts, share):
        low, high = ends
        edges = np.linspace(low, high, (self.r.crossing if share > 1e-3 else 1) + 1)
        edges = np.unique(np.concatenate([edges, [c for c in cuts if low < c < high]]))
        x, w = gauss(8)
        width = np.diff(edges)[:, None]
        return (edges[:-1, None] + width * x).ravel(), (width * w).ravel()

    def sample(self, rng, size: int) -> tuple[np.ndarray, np.ndarray]:
        """delta0 and the next data set's delta, about: to choose ropes by."""
        parts = []
        for cell, mass, d, u, fine in self.cells:
            width = gauss(len(d))[1] * (cell.d[1] - cell.d[0])
            nu = self.search.panels.fine[fine]
            every = np.broadcast_arrays(
                d[:, None, None], np.exp(u)[:, None], nu, width[:, None, None], mass
            )
            parts.append(np.stack([x[mass > 1e-10] for x in every]))
        d, s, v, width, w = np.concatenate(parts, axis=1)
        chosen = rng.choice(len(w), size, p=w / w.sum())
        d = d[chosen] + width[chosen] * (rng.random(size) - 0.5)
        return d, d + s[chosen] * rng.standard_t(v[chosen])


GRID = np.linspace(-36, 36, 9601)  # asinh z


@lru_cache(maxsize=8)
def _student_tables(nu: tuple[float, ...]) -> np.ndarray:
    """Distribution functions of the t at sinh(GRID): (points, F)."""
    return stdtr(np.array(nu), np.sinh(GRID)[:, None])


LOG_RATIO = np.concatenate([np.linspace(-30, -4, 300), np.linspace(-4, 0, 801)[1:]])


@lru_cache(maxsize=512)
def _gap(nu: float) -> tuple[np.ndarray, np.ndarray]:
    """log(sigma0 / r), up to where the rope is nowhere ahead, and log of 1 - delta* / r there.

    With z = (r - delta*) / sigma0: 2 F(z) - 1 = F(z - 2 r / sigma0), by bisection.
    """
    top = -np.log(stdtrit(nu, 2 / 3))
    log_ratio = top + LOG_RATIO
    inverse = np.exp(-log_ratio)
    low, high = np.zeros_like(inverse), np.minimum(inverse, 2 * stdtrit(nu, 2 / 3))
    for _ in range(44):
        z = (low + high) / 2
        above = 2 * stdtr(nu, z) - 1 > stdtr(nu, z - 2 * inverse)
        low, high = np.where(above, low, z), np.where(above, z, high)
    gap = np.log(np.maximum((low + high) / 2, 1e-300)) + log_ratio
    gap = np.maximum.accumulate(np.minimum(gap, 0.0))
    gap[-1] = 0.0
    return log_ratio, gap


class Boundaries:
    """delta*(sigma0, nu), where the rope's mass equals that beyond its nearer edge."""

    def __init__(self, nu: np.ndarray, r: float) -> None:
        self.r = r
        self.tables = [_gap(float(v)) for v in nu]

    def delta(self, u: np.ndarray) -> np.ndarray:
        """(points, F)."""
        x = u - np.log(self.r)
        gaps = [np.where(x >= t[-1], 0.0, np.interp(x, t, g)) for t, g in self.tables]
        return -self.r * np.expm1(np.array(gaps).T)

    def log_sigma0(self, distance: np.ndarray) -> np.ndarray:
        """Of the boundary at a distance from the centre; -inf beyond the rope's edge."""
        inside = distance < self.r
        gap = np.log(np.where(inside, 1 - distance / self.r, 1.0))
        log_ratio = np.array([np.interp(gap, g, t) for t, g in self.tables]).T
        return np.where(inside[:, None], log_ratio + np.log(self.r), -np.inf)


def solve(problem, resolution: Resolution = COARSE) -> Answers:
    """The posterior of a problem (an object with the fields of the engine's)."""
    search = Search(problem, resolution)
    search.run()
    return Answers(search)


def three(answers: Answers, low: float, high: float) -> np.ndarray:
    """Most probable, predictive and mean: (3, 3)."""
    return np.array(
        [answers.most_probable(low, high), answers.predictive(low, high), answers.mean(low, high)]
    )
