"""The gibbs engine: two models sampled by NumPy, with no compiler.

One is `moderated`. The other is the joint model of several algorithms, with the prior of
``stan/joint_correlated_t.stan``. The folds' information on the effects u_i of data set i enters as
a precision matrix N_i = B_i' C_i^-1 B_i, of a lower rank if algorithms are missing:

    u_i ~ N(mu, Sigma0 / kappa_i),   y_i | u_i has the log density -lambda_i/2 |u_i - y_i|^2_N_i

Walks are the first axis of all arrays, in batches with separate random numbers, so that draws do
not depend on the threads. A sweep draws, each given the rest,

- mu, then every psi_l, with the effects integrated out; then the effects (`_effects`);
- lambda; nu with kappa integrated out; kappa (`_tails`);
- sizes of the loadings' columns with the factors integrated out; factors, shears that move them
  against the loadings; psi with the loadings integrated out, loadings, omega (`_columns`,
  `_factors`);
- mu and the loadings with standardised residuals fixed (`_loadings`); the size of Sigma0 against
  kappa and with the effects, kappa and nu with the effects, A (`_sizes`): interweaving, for data
  sets whose noise hides how they differ. Tails and sizes, which are cheap, are repeated.

Whatever has one dimension is drawn from the points of a random lattice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import methodcaller

import numpy as np
from scipy.special import digamma, gammaln, zeta

from bayescmp.base.version import built_in
from bayescmp.base.workers import in_threads, one_thread
from bayescmp.engines.base import Availability, Fit, FitRequest, StanData
from bayescmp.engines.chains import bar
from bayescmp.engines.lattice import LogDensity, pick
from bayescmp.engines.moderated import MODEL as MODERATED
from bayescmp.engines.moderated import ModeratedWalks
from bayescmp.engines.quadrature.problem import NuPrior, nu_grid

#: Walks that make up a chain, end to end: NumPy takes hardly longer for four than for one.
WALKS = 4
#: Share of the sweeps that warm up.
WARMUP = 0.25
#: Factor by which the number of sweeps grows if they were not enough, and their most, as a
#: multiple of the requested iterations.
MORE, MOST = 1.4, 4
#: Number of times that a sweep repeats its cheap steps, on which nu and kappa depend most.
AGAIN = 2
#: Least variance of the noise, in the data's units, so that it has an inverse.
LEAST = 1e-11
#: Share by which diagonals of precision matrices grow, so that they have roots.
RIDGE = 1e-11
#: The most numbers of a batch's covariances of data sets. Threads slow each other down, in
#: memory and at the interpreter's lock: with fewer numbers, two take as long as one.
BATCH = 1_000_000


class GibbsEngine:
    """Draws of the joint and the moderated model, by what the package needs anyway."""

    name = "gibbs"
    independent = False
    how = "by Gibbs sampling"

    def available(self) -> Availability:
        """Always: it needs no more than the package does."""
        return Availability(True, built_in())

    def supports(self, model: str) -> bool:
        """Return whether the model is one of the two."""
        return model in _STARTS

    @one_thread
    def fit(self, request: FitRequest) -> Fit:
        """Sweep until the request has enough, or to the end."""
        settings = request.settings
        each = -(-settings.draws // WALKS)
        sweeps = int(each / (1 - WARMUP)) + 1
        last = max(MOST * (settings.warmup + settings.draws), sweeps)
        start = _STARTS[request.model]
        batches = start(request.data, settings.chains * WALKS, request.seed)
        kept: list[dict[str, np.ndarray]] = []
        with (
            bar(f"{request.model}: sweeps", sweeps, request.progress) as shown,
            in_threads(len(batches)) as side_by_side,
        ):
            while True:
                while len(kept) < sweeps:
                    states = list(side_by_side(methodcaller("sweep"), batches))
                    kept.append({k: np.concatenate([s[k] for s in states]) for k in states[0]})
                    shown.update()
                at = np.linspace(int(WARMUP * sweeps), sweeps - 1, each).round().astype(int)
                draws = _join([kept[k] for k in at], settings.chains, settings.draws)
                draws = {name: draws[name] for name in request.keep}
                if request.enough is None or request.enough(draws) or sweeps == last:
                    return Fit(self.name, self.available().version, draws)
                shown.total = sweeps = min(int(MORE * sweeps), last)


def _join(states: list[dict[str, np.ndarray]], chains: int, draws: int) -> dict[str, np.ndarray]:
    """Join the walks that make up each chain; return draws by name, (chain, draw, ...)."""
    drawn = {}
    for name in states[0]:
        walks = np.stack([state[name] for state in states], axis=1)
        drawn[name] = walks.reshape(chains, WALKS * len(states), *walks.shape[2:])[:, :draws]
    return _covariances(drawn) if "load" in drawn else drawn


def _covariances(drawn: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Replace draws of the joint model's loadings by those of the covariances."""
    load, own = drawn.pop("load"), np.exp(2 * drawn.pop("log_psi"))
    L = own.shape[-1]
    drawn["Sigma0"] = load @ np.swapaxes(load, -1, -2) + own[..., None] * np.eye(L)
    a, b = np.triu_indices(L, 1)
    v = own[..., a] + own[..., b]
    v += sum((f[..., a] - f[..., b]) ** 2 for f in np.moveaxis(load, -1, 0))
    drawn["log_v"] = np.log(v, out=v)
    return drawn


def _start_moderated(data: StanData, walks: int, seed: int) -> list[ModeratedWalks]:
    return [ModeratedWalks(data, walks, np.random.default_rng([seed, 0]))]


def _start_joint(data: StanData, walks: int, seed: int) -> list[Walks]:
    """Start so many walks of the joint model, in batches that depend on the data's size only."""
    together = max(BATCH // (int(data["q"]) * int(data["L"]) ** 2), 1)
    batches = np.array_split(np.arange(walks), -(-walks // together))
    return [
        Walks(data, len(batch), np.random.default_rng([seed, k]))
        for k, batch in enumerate(batches)
    ]


#: How walks of each model start.
_STARTS: dict[str, Callable[[StanData, int, int], Sequence[Walks | ModeratedWalks]]] = {
    "joint_correlated_t": _start_joint,
    MODERATED: _start_moderated,
}


def move_normal(A: np.ndarray, b: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Make draws from N(A^-1 b, A^-1) of standard normal ones; they are columns, as b are."""
    A = A + RIDGE * A * np.eye(A.shape[-1])
    return np.linalg.solve(A, b + np.linalg.cholesky(A) @ z)


class Walks:
    """The state of all walks, the data, and one sweep; walks are the first axis of all arrays."""

    def __init__(self, data: StanData, walks: int, rng: np.random.Generator) -> None:
        self.data, self.walks, self.rng = data, walks, rng
        L, q, K = (int(data[name]) for name in ("L", "q", "K"))
        self.L, self.q, self.K = L, q, K
        B, C, pad, axes = (np.asarray(data[name], dtype=float) for name in ("B", "C", "pad", "Q"))
        root = np.linalg.cholesky(C + (LEAST + pad[:, :, None]) * np.eye(L - 1))
        self.noise = np.swapaxes(B, 1, 2) @ root  # zero where B is
        # what every sweep fills: memory that is new costs as much time as what is done with it
        self.between = np.empty((walks, q, L, L - 1))
        self.relative = np.empty((walks, q, L - 1, L - 1))
        self.W, self.rows = np.empty((walks, q, L, L)), np.empty((L, L, walks * q))
        self.half = np.swapaxes(np.linalg.inv(root) @ B, 1, 2)
        self.N = self.half @ np.swapaxes(self.half, 1, 2)
        self.y = np.einsum("ipl,ip->il", B, np.asarray(data["y"], dtype=float))
        self.dof, self.seen = np.asarray(data["dof"]), (1 - pad).sum(axis=1)
        grid = nu_grid(
            NuPrior(
                (data["alpha_lower"], data["alpha_upper"]),
                (data["beta_lower"], data["beta_upper"]),
                data["nu_offset"],
            )
        )
        self.nu_x, self.nu_density = grid.log_x, np.log(np.maximum(grid.mass, 1e-300))
        self.floor = np.log(data["psi_floor"])
        self.omega_scale = data["omega_scale"] / np.sqrt(max(K, 1))
        contrasts = data["m_at"] + data["m_sd"] * rng.normal(0, 0.3, (walks, L - 1))
        self.mu = contrasts @ axes[:, :-1].T
        self.log_psi = np.maximum(rng.normal(-0.5, 0.3, (walks, L)), self.floor + 0.1)
        self.log_A = rng.normal(1.5, 0.5, walks)
        self.log_omega = rng.normal(-1.5, 0.2, (walks, K))
        self.load = rng.normal(0, 0.5, (walks, L, K)) * np.exp(self.log_omega)[:, None]
        self.nu = data["nu_offset"] + rng.uniform(2, 20, walks)
        self.kappa, self.lam = np.exp(rng.normal(0, 0.1, (2, walks, q)))
        self._spread_of_mu()

    def sweep(self) -> dict[str, np.ndarray]:
        """Draw everything once; return what is kept of it, which the next sweep may change."""
        self._effects()
        self._tails()
        self._columns()
        self._factors()
        self._loadings()
        self._sizes()
        for _ in range(AGAIN):
            self._tails()
            self._sizes()
        kept = {"mu": self.mu, "nu": self.nu, "kappa": self.kappa, "lambda": self.lam}
        return kept | {"load": self.load, "log_psi": self.log_psi}

    # How a number is drawn, and the densities of the prior.

    def _pick(self, log_f: LogDensity, at: np.ndarray) -> np.ndarray:
        """Draw from a density on the points of a random lattice through each number."""
        return pick(self.rng, log_f, at)

    def _normal(self, A: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Draw from N(A^-1 b, A^-1), one for each column of b."""
        return move_normal(A, b, self.rng.standard_normal(b.shape))

    def _prior_of_psi(self, x: np.ndarray) -> np.ndarray:
        """Compute the log density of log psi given A."""
        ratio = x - self.log_A.reshape(-1, *[1] * (x.ndim - 1))
        return np.where(x < self.floor, -np.inf, 0.5 * x - 1.25 * np.log1p(np.exp(2 * ratio)))

    def _prior_of_omega(self, x: np.ndarray) -> np.ndarray:
        """Compute the log density of log omega."""
        return x - 2.5 * np.log1p(np.exp(2 * x) / (4 * self.omega_scale**2))

    def _prior_of_scale(self, x: np.ndarray) -> np.ndarray:
        """Compute the log density of log A."""
        return -0.5 * ((x - np.log(self.data["A_median"])) / self.data["A_sd"]) ** 2

    def _prior_of_nu(self, x: np.ndarray) -> np.ndarray:
        """Compute the log density of the logarithm of nu over its offset."""
        return np.interp(x, self.nu_x, self.nu_density, left=-np.inf, right=-np.inf)

    def _prior_of_size(self, x: np.ndarray) -> np.ndarray:
        """Compute the log density of psi, omega and A, all exp(x) times as large."""
        f = self._prior_of_scale(self.log_A[:, None] + x)
        f += self._prior_of_omega(self.log_omega[:, None] + x[..., None]).sum(axis=-1)
        return np.where(self.log_psi.min(axis=1)[:, None] + x < self.floor, -np.inf, f)

    # The moves.

    def _spread_of_mu(self) -> None:
        """Draw the precision of mu: its prior is a mixture of normals, by two Gamma variables."""
        L, floor, scale = self.L, self.data["mean_floor"], self.data["mean_scale"]
        s2 = (self.mu**2).sum(axis=1) / (L - 1)
        self.tau = self.rng.gamma(1.5, size=self.walks) / (scale**2 + s2)
        if L > 3:
            self.tau += self.rng.gamma((L - 3) / 2, size=self.walks) / (floor**2 + s2)
        self.tau *= 2 / (L - 1)

    def _effects(self) -> None:
        """Draw mu and psi with the data sets' effects integrated out, then the effects.

        W_i is the inverse of the covariance of the mean scores that are known, and zero elsewhere.
        """
        rng, L, shape = self.rng, self.L, self.kappa.shape
        # with N = H H' it is lambda H (I + lambda H' Sigma0 H / kappa)^-1 H'
        H, across = self.half, np.swapaxes(self.half, 1, 2)
        between = np.matmul(self._scatter_between[:, None], H, out=self.between)
        relative = np.matmul(across, between, out=self.relative)
        relative *= (self.lam / self.kappa)[..., None, None]
        relative += np.eye(L - 1)
        # NumPy 1 takes as vectors what has one axis fewer than the matrices
        W = np.matmul(H, np.linalg.solve(relative, across[None]), out=self.W)
        W *= self.lam[..., None, None]
        # mu sums to zero: its level, of which nothing is known, is drawn and taken off
        A = W.sum(axis=1) + self.tau[:, None, None] * np.eye(L)
        A += (A.trace(axis1=1, axis2=2) / L**2)[:, None, None]
        b = (W @ np.broadcast_to(self.y, (*shape, L))[..., None]).sum(axis=1)
        mu = self._normal(A, b)[..., 0]
        self.mu = mu - mu.mean(axis=1, keepdims=True)
        self._spread_of_mu()
        residuals = self.y - self.mu[:, None]
        rows, rates = self._own_spreads(W, (W @ residuals[..., None])[..., 0])
        guess = rng.standard_normal((*shape, L)) * np.exp(self.log_psi)[:, None]
        guess += rng.standard_normal((*shape, self.K)) @ np.swapaxes(self.load, 1, 2)
        guess /= np.sqrt(self.kappa)[..., None]
        noise = rng.standard_normal((self.q, self.walks, L - 1)) @ np.swapaxes(self.noise, 1, 2)
        miss = residuals - guess
        miss -= np.swapaxes(noise, 0, 1) / np.sqrt(self.lam)[..., None]
        along = np.einsum("jlr,lr->jr", rows, miss.reshape(-1, L).T.copy())
        pull = (W @ miss[..., None])[..., 0]
        pull -= np.einsum("jlr,jr->lr", rows, rates * along).T.reshape(pull.shape)
        pull = pull @ self._scatter_between
        self.u = self.mu[:, None] + guess + pull / self.kappa[..., None]

    def _own_spreads(self, W: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Draw psi of one algorithm after another, which takes a matrix of rank one from each W.

        W becomes W - sum_j rates_j rows_j rows_j'; g is W times the residuals. Returned are rows
        and rates, (L, L, r) and (L, r); r counts walks and data sets.
        """
        L, order, kappa = self.L, self.rng.permutation(self.L), self.kappa.ravel()
        W, rows, pulls = W.reshape(-1, L, L), self.rows, g.reshape(-1, L).T[order]
        rates = np.empty(pulls.shape)
        for k, a in enumerate(order):
            change = rates[:k] * rows[:k, a]
            np.subtract(W[:, a].T, np.einsum("jr,jlr->lr", change, rows[:k]), out=rows[k])
            pulls[k] -= np.einsum("jr,jr->r", change, pulls[:k])
            h, log_psi = rows[k, a], self.log_psi[:, a]
            old = np.exp(2 * log_psi)
            log_f = self._by_rank_one(h / kappa, pulls[k] ** 2 / kappa, old[:, None])
            self.log_psi[:, a] = self._pick(log_f, log_psi)
            d = np.repeat(np.exp(2 * self.log_psi[:, a]) - old, self.q) / kappa
            rates[k] = d / (1 + d * h)
        return rows, rates

    def _by_rank_one(self, h: np.ndarray, t: np.ndarray, old: np.ndarray) -> LogDensity:
        """Return the log density of log psi_l, covariances being changed by (psi^2 - old)."""
        fit = np.divide(t, h, out=np.zeros(h.shape), where=h > 0).reshape(self.walks, -1, 1)
        h, ones = h.reshape(self.walks, 1, -1), np.ones((self.q, 1))

        def log_f(x: np.ndarray) -> np.ndarray:
            f = (np.exp(2 * x) - old)[..., None] * h
            f += 1
            np.maximum(f, 1e-12, out=f)
            likelihood = np.log(f) @ ones + np.reciprocal(f, out=f) @ fit
            return np.asarray(self._prior_of_psi(x) - 0.5 * likelihood[..., 0])

        return log_f

    @property
    def _scatter_between(self) -> np.ndarray:
        """Compute Sigma0."""
        own = np.exp(2 * self.log_psi)[:, :, None] * np.eye(self.L)
        return np.asarray(self.load @ np.swapaxes(self.load, 1, 2) + own)

    def _by_noise(self, x: np.ndarray) -> np.ndarray:
        """Compute lambda_i N_i x_i of each data set."""
        product = np.swapaxes(np.swapaxes(x, 0, 1) @ self.N, 0, 1)
        return np.asarray(self.lam[..., None] * product)

    def _tails(self) -> None:
        """Draw lambda, nu with kappa integrated out, and kappa."""
        L, rng, offset = self.L, self.rng, self.data["nu_offset"]
        distance = ((np.swapaxes(self.y - self.u, 0, 1) @ self.half) ** 2).sum(axis=-1).T
        shape = (self.dof + self.seen) / 2
        self.lam = 2 * rng.gamma(shape, size=distance.shape) / (self.dof + distance)
        e = self.u - self.mu[:, None]
        self.P = np.linalg.inv(self._scatter_between)
        m = np.maximum(((e @ self.P) * e).sum(axis=2), 0.0)

        def log_f(x: np.ndarray) -> np.ndarray:
            nu = offset + np.exp(x)
            f = gammaln((nu + L) / 2) - gammaln(nu / 2) - L / 2 * np.log(nu)
            f = self.q * f + self._prior_of_nu(x)
            return f - (nu + L) / 2 * np.log1p(m[:, None] / nu[..., None]).sum(axis=-1)

        self.nu = offset + np.exp(self._pick(log_f, np.log(self.nu - offset)))
        nu = self.nu[:, None]
        self.kappa = 2 * rng.gamma((nu + L) / 2, size=m.shape) / (nu + m)
        self.e = e * np.sqrt(self.kappa)[..., None]

    def _columns(self) -> None:
        """Draw the loadings' columns' sizes, without and with omega, factors integrated out."""
        S, P, L, q = np.swapaxes(self.e, 1, 2) @ self.e, self.P, self.L, self.q
        for k in range(self.K):
            for alone in (True, False):
                column, omega = self.load[:, :, k], self.log_omega[:, k, None]
                v = (P @ column[..., None])[..., 0]
                p = (v * column).sum(axis=1)[:, None]
                t = ((S @ v[..., None])[..., 0] * v).sum(axis=1)[:, None]
                size = (column**2).sum(axis=1)[:, None]

                def log_f(
                    x: np.ndarray,
                    p: np.ndarray = p,
                    t: np.ndarray = t,
                    size: np.ndarray = size,
                    omega: np.ndarray = omega,
                    alone: bool = alone,
                ) -> np.ndarray:
                    d = np.expm1(2 * x)
                    f = np.maximum(1 + d * p, 1e-12)
                    likelihood = 0.5 * (d * t / f - q * np.log(f))
                    if alone:
                        return likelihood + L * x - 0.5 * size * np.exp(2 * (x - omega))
                    return likelihood + self._prior_of_omega(omega + x)

                x = self._pick(log_f, np.zeros(self.walks))
                d = np.expm1(2 * x)[:, None]
                P = P - (d / (1 + d * p))[..., None] * v[:, :, None] * v[:, None]
                self.load[:, :, k] *= np.exp(x)[:, None]
                if not alone:
                    self.log_omega[:, k] += x

    def _factors(self) -> None:
        """Draw factors and shears of them; psi with the loadings integrated out; loadings."""
        rng, K, q, e, load = self.rng, self.K, self.q, self.e, self.load
        weighted = load * np.exp(-2 * self.log_psi)[..., None]
        information = np.eye(K) + np.swapaxes(load, 1, 2) @ weighted
        F = np.swapaxes(self._normal(information, np.swapaxes(e @ weighted, 1, 2)), 1, 2).copy()
        variance = np.exp(2 * self.log_omega)
        for a, b in ((a, b) for a in range(K) for b in range(K) if a != b):
            # F_a + c F_b and Lambda_b - c Lambda_a: c is normal
            of_b, v = load[:, :, b], variance[:, b]
            precision = (F[:, :, b] ** 2).sum(axis=1) + (load[:, :, a] ** 2).sum(axis=1) / v
            pull = (load[:, :, a] * of_b).sum(axis=1) / v - (F[:, :, a] * F[:, :, b]).sum(axis=1)
            c = pull / precision + rng.standard_normal(self.walks) / np.sqrt(precision)
            F[:, :, a] += c[:, None] * F[:, :, b]
            load[:, :, b] -= c[:, None] * load[:, :, a]
        omega = np.exp(self.log_omega)[..., None]
        FF, Fe = np.swapaxes(F, 1, 2) @ F, np.swapaxes(F, 1, 2) @ e
        values, axes = np.linalg.eigh(omega * FF * np.swapaxes(omega, 1, 2))
        values = np.maximum(values, 0.0)[..., None, None]
        explained = (np.swapaxes(axes, 1, 2) @ (omega * Fe))[..., None] ** 2
        total = (e**2).sum(axis=1)[..., None]

        def log_f(x: np.ndarray) -> np.ndarray:
            v = np.exp(2 * x)
            f = self._prior_of_psi(x) - q * x - 0.5 * total / v
            for value, part in zip(values.swapaxes(0, 1), explained.swapaxes(0, 1), strict=True):
                f += 0.5 * (part / (v * (v + value)) - np.log1p(value / v))
            return f

        self.log_psi = self._pick(log_f, self.log_psi)
        precise = np.exp(-2 * self.log_psi)[..., None]
        A = FF[:, None] * precise[..., None] + (np.eye(K) / omega**2)[:, None]
        self.load = self._normal(A, (np.swapaxes(Fe, 1, 2) * precise)[..., None])[..., 0]
        self.F = F

    def _loadings(self) -> None:
        """Draw mu and loadings with standardised residuals fixed, which moves the effects."""
        L, K, walks = self.L, self.K, self.walks
        scale = 1 / np.sqrt(self.kappa)[..., None]
        own = (self.e - self.F @ np.swapaxes(self.load, 1, 2)) * scale
        G = np.concatenate([np.ones_like(scale), self.F * scale], axis=2)
        GG = (self.lam[..., None, None] * G[..., None] * G[..., None, :]).reshape(
            walks, self.q, -1
        )
        A = np.swapaxes(GG, 1, 2) @ self.N.reshape(self.q, L * L)
        A = A.reshape(walks, K + 1, K + 1, L, L).swapaxes(2, 3).reshape(walks, -1, (K + 1) * L)
        prior = np.concatenate([self.tau[:, None], np.exp(-2 * self.log_omega)], axis=1)
        A += np.repeat(prior, L, axis=1)[:, None] * np.eye((K + 1) * L)
        b = np.swapaxes(G, 1, 2) @ self._by_noise(self.y - own)
        drawn = self._normal(A, b.reshape(walks, -1, 1)).reshape(walks, K + 1, L)
        self.mu = drawn[:, 0] - drawn[:, 0].mean(axis=1, keepdims=True)
        self._spread_of_mu()
        self.load = np.swapaxes(drawn[:, 1:], 1, 2).copy()
        self.u = self.mu[:, None] + G[..., 1:] @ drawn[:, 1:] + own
        size = (self.load**2).sum(axis=1)[..., None]
        self.log_omega = self._pick(
            lambda x: self._prior_of_omega(x) - L * x - 0.5 * size * np.exp(-2 * x), self.log_omega
        )

    def _sizes(self) -> None:
        """Draw the size of Sigma0 against kappa, then with the effects; kappa, nu with them; A."""
        h, total = self.nu[:, None] / 2, self.kappa.sum(axis=1)[:, None]
        x = self._pick(
            lambda x: h * (2 * self.q * x - total * np.expm1(2 * x)) + self._prior_of_size(x),
            np.zeros(self.walks),
        )
        self._enlarge(x)
        self.kappa *= np.exp(2 * x)[:, None]
        # effects r times as far from mu have the log density b r - a r^2 / 2
        e = self.u - self.mu[:, None]
        pull = self._by_noise(e)
        a, b = (pull * e).sum(axis=2), (pull * (self.y - self.mu[:, None])).sum(axis=2)
        A, B = a.sum(axis=1)[:, None], b.sum(axis=1)[:, None]
        x = self._pick(
            lambda x: np.exp(x) * (B - 0.5 * A * np.exp(x)) + self._prior_of_size(x),
            np.zeros(self.walks),
        )
        self._enlarge(x)
        r = np.exp(x)[:, None]
        a, b, log_kappa = (a * r**2)[..., None], (b * r)[..., None], np.log(self.kappa)

        def log_f(x: np.ndarray) -> np.ndarray:
            r = np.exp(-0.5 * (x - log_kappa[..., None]))
            return h[..., None] * (x - np.exp(x)) + r * (b - 0.5 * a * r)

        new = self._pick(log_f, log_kappa)
        r = np.exp(-0.5 * (new - log_kappa))
        self._draw_standardised(new, a[..., 0] * r**2, b[..., 0] * r)
        r = np.exp(x[:, None] + 0.5 * (log_kappa - np.log(self.kappa)))
        self.u = self.mu[:, None] + e * r[..., None]
        own = self.log_psi[:, None]
        self.log_A = self._pick(
            lambda x: (
                self._prior_of_scale(x)
                - 0.5 * self.L * x
                - 1.25 * np.log1p(np.exp(2 * (own - x[..., None]))).sum(axis=-1)
            ),
            self.log_A,
        )

    def _enlarge(self, x: np.ndarray) -> None:
        """Make Sigma0 exp(2 x) times as large."""
        self.log_psi += x[:, None]
        self.log_omega += x[:, None]
        self.log_A += x
        self.load *= np.exp(x)[:, None, None]

    def _draw_standardised(self, log_kappa: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
        """Draw nu with standardised logs of kappa fixed; log Gamma has variance zeta(2, h)."""
        offset = self.data["nu_offset"]
        h = self.nu[:, None] / 2
        z = (log_kappa - digamma(h) + np.log(h)) / np.sqrt(zeta(2, h))

        def log_f(x: np.ndarray) -> np.ndarray:
            h = (offset + np.exp(x)) / 2
            log_h, variance = np.log(h), zeta(2, h)
            k = (digamma(h) - log_h)[..., None] + np.sqrt(variance)[..., None] * z[:, None]
            f = h * log_h - gammaln(h) + 0.5 * np.log(variance)
            f = self.q * f + h * (k - np.exp(k)).sum(axis=-1) + self._prior_of_nu(x)
            r = np.exp(-0.5 * (k - log_kappa[:, None]))
            return f + (r * (b[:, None] - 0.5 * a[:, None] * r)).sum(axis=-1)

        self.nu = offset + np.exp(self._pick(log_f, np.log(self.nu - offset)))
        h = self.nu[:, None] / 2
        self.kappa = np.exp(digamma(h) - np.log(h) + np.sqrt(zeta(2, h)) * z)
