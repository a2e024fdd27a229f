"""Gibbs sampling of the hierarchical t test whose location is linear in features of data sets.

The model and its prior are those of ``stan/moderated_correlated_t.stan``. With mixing variables
κ_i between data sets and λ_i within them, and the δ_i integrated out,

    x̄_i ~ N(δ0 + f_i'β, σ0²/κ_i + v_i/λ_i).

A sweep draws, each given the rest: δ0 and β together; σ0; the λ_i and κ_i; ν; the size of σ0
against the κ_i; and ν with standardised logarithms of the κ_i fixed, so that they move with it.
The normal δ_i are drawn where they are kept. Walks are the first axis of all arrays.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln, ndtr, ndtri, zeta

from bayescmp.engines.base import StanData
from bayescmp.engines.lattice import pick
from bayescmp.engines.quadrature.problem import NuPrior, nu_grid

MODEL = "moderated_correlated_t"


class ModeratedWalks:
    """The state of all walks, the data, and one sweep."""

    def __init__(self, data: StanData, walks: int, rng: np.random.Generator) -> None:
        self.rng, self.q = rng, int(data["q"])
        self.x = np.asarray(data["xbar"], dtype=float)
        self.design = np.column_stack([np.ones(self.q), np.asarray(data["features"])])
        self.precision = np.append(0.0, np.full(int(data["k"]), 1 / data["beta_sd"] ** 2))
        self.bound, self.log_upper = data["delta0_bound"], np.log(data["sigma0_upper"])
        n = np.asarray(data["n"], dtype=float)
        self.m = np.maximum(n - 2, 1.0)
        self.a = np.asarray(data["ss"]) / (1 - np.asarray(data["rho"]))
        self.v = np.asarray(data["ss"]) * data["factor"] / self.m
        self.shape = (n - 2) / 2
        self.log_least = np.log(self.a / (self.m * data["sigma_upper"] ** 2))
        prior = NuPrior(
            (data["alpha_lower"], data["alpha_upper"]),
            (data["beta_lower"], data["beta_upper"]),
            data["nu_offset"],
        )
        grid = nu_grid(prior)
        self.offset, self.nu_x = grid.offset, grid.log_x
        self.nu_density = np.log(np.maximum(grid.mass, 1e-300))
        spread = min(float(np.std(self.x)) + 0.1, data["sigma0_upper"] / 4)
        self.log_sigma0 = np.log(spread * rng.uniform(0.5, 1.5, walks))
        self.log_nu = np.log(rng.uniform(2, 20, walks))  # over its offset
        self.log_kappa = 0.1 * rng.standard_normal((walks, self.q))
        # a lattice reaches over many standard deviations of log λ_i, also if folds are many
        self.reach = np.minimum(3 * np.sqrt(2 / self.m), 1.0)
        noise = 0.1 * self.reach * rng.standard_normal((walks, self.q))
        self.log_lambda = np.maximum(noise, self.log_least + 0.1)
        self._locate()

    @property
    def nu(self) -> np.ndarray:
        """Degrees of freedom, (walks,)."""
        return np.asarray(self.offset + np.exp(self.log_nu))

    @property
    def between(self) -> np.ndarray:
        """Variance of each δ_i around its location, (walks, q)."""
        return np.asarray(np.exp(2 * self.log_sigma0[:, None] - self.log_kappa))

    @property
    def within(self) -> np.ndarray:
        """Variance of each x̄_i around δ_i, (walks, q)."""
        return np.asarray(self.v * np.exp(-self.log_lambda))

    def sweep(self) -> dict[str, np.ndarray]:
        """Draw everything once, and return it."""
        self._locate()
        self._sigma0()
        self._within()
        self._tails()
        between, within = self.between, self.within
        total, noise = between + within, self.rng.standard_normal(between.shape)
        location = self.theta @ self.design.T
        delta = (location * within + self.x * between) / total
        return {
            "delta0": self.theta[:, 0],
            "beta": self.theta[:, 1:],
            "sigma0": np.exp(self.log_sigma0),
            "nu": self.nu,
            "delta": delta + np.sqrt(between * within / total) * noise,
            "sigma": np.sqrt(self.a / (self.m * np.exp(self.log_lambda))),
        }

    # The moves.

    def _locate(self) -> None:
        """Draw δ0, which is normal within its bounds, and β given it."""
        weight = 1 / (self.between + self.within)
        precision = (self.design.T * weight[:, None]) @ self.design + np.diag(self.precision)
        covariance = np.linalg.inv(precision)
        mean = (covariance @ ((weight * self.x) @ self.design)[..., None])[..., 0]
        sd = np.sqrt(covariance[:, 0, 0])
        low, high = ndtr((-self.bound - mean[:, 0]) / sd), ndtr((self.bound - mean[:, 0]) / sd)
        z = ndtri(low + self.rng.random(sd.shape) * (high - low))
        delta0 = np.clip(mean[:, 0] + sd * z, -self.bound, self.bound)
        slope = covariance[:, 1:, 0] / covariance[:, :1, 0]
        centre = mean[:, 1:] + slope * (delta0 - mean[:, 0])[:, None]
        root = np.linalg.cholesky(precision[:, 1:, 1:])
        noise = self.rng.standard_normal(centre.shape)
        beta = centre + np.linalg.solve(np.swapaxes(root, 1, 2), noise[..., None])[..., 0]
        self.theta = np.column_stack([delta0, beta])
        self.miss = (self.x - self.theta @ self.design.T) ** 2

    def _sigma0(self) -> None:
        """Draw log σ0, with the δ_i integrated out."""
        flat, within = np.exp(-self.log_kappa)[:, None], self.within[:, None]

        def log_f(x: np.ndarray) -> np.ndarray:
            fit = _log_normal(np.exp(2 * x)[..., None] * flat + within, self.miss[:, None])
            return np.where(x > self.log_upper, -np.inf, fit.sum(axis=-1) + x)

        self.log_sigma0 = pick(self.rng, log_f, self.log_sigma0)

    def _within(self) -> None:
        """Draw each log λ_i, with δ_i integrated out."""
        between = self.between[..., None]

        def log_f(x: np.ndarray) -> np.ndarray:
            prior = self.shape[:, None] * x - self.m[:, None] / 2 * np.exp(x)
            fit = _log_normal(between + self.v[:, None] * np.exp(-x), self.miss[..., None])
            return np.where(x < self.log_least[:, None], -np.inf, prior + fit)

        self.log_lambda = pick(self.rng, log_f, self.log_lambda, self.reach)

    def _tails(self) -> None:
        """Draw each log κ_i; ν; σ0 with them; ν with standardised logs of them."""
        h, within = self.nu[:, None] / 2, self.within[..., None]
        scale = 2 * self.log_sigma0[:, None, None]

        def log_f(x: np.ndarray) -> np.ndarray:
            fit = _log_normal(np.exp(scale - x) + within, self.miss[..., None])
            return h[..., None] * (x - np.exp(x)) + fit

        self.log_kappa = pick(self.rng, log_f, self.log_kappa)
        balance = (self.log_kappa - np.exp(self.log_kappa)).sum(axis=1)[:, None]

        def log_f_of_nu(x: np.ndarray) -> np.ndarray:
            h = (self.offset + np.exp(x)) / 2
            return self.q * (h * np.log(h) - gammaln(h)) + h * balance + self._prior_of_nu(x)

        self.log_nu = pick(self.rng, log_f_of_nu, self.log_nu)
        h, total = self.nu[:, None] / 2, np.exp(self.log_kappa).sum(axis=1)[:, None]

        def log_f_of_size(x: np.ndarray) -> np.ndarray:
            f = h * (2 * self.q * x - total * np.exp(2 * x)) + x
            return np.where(self.log_sigma0[:, None] + x > self.log_upper, -np.inf, f)

        size = pick(self.rng, log_f_of_size, np.zeros(len(h)))
        self.log_sigma0 = self.log_sigma0 + size
        self.log_kappa += 2 * size[:, None]
        self._standardised()

    def _standardised(self) -> None:
        """Draw ν with standardised logs of κ fixed; a log Gamma has the variance zeta(2, h)."""
        h = self.nu[:, None] / 2
        z = (self.log_kappa - digamma(h) + np.log(h)) / np.sqrt(zeta(2, h))
        scale, within = 2 * self.log_sigma0[:, None, None], self.within[:, None]

        def log_kappa(h: np.ndarray) -> np.ndarray:
            spread = np.sqrt(zeta(2, h))[..., None]
            return np.asarray((digamma(h) - np.log(h))[..., None] + spread * z[:, None])

        def log_f(x: np.ndarray) -> np.ndarray:
            h = (self.offset + np.exp(x)) / 2
            k = log_kappa(h)
            f = self.q * (h * np.log(h) - gammaln(h) + 0.5 * np.log(zeta(2, h)))
            f += h * (k - np.exp(k)).sum(axis=-1) + self._prior_of_nu(x)
            return f + _log_normal(np.exp(scale - k) + within, self.miss[:, None]).sum(axis=-1)

        self.log_nu = pick(self.rng, log_f, self.log_nu)
        self.log_kappa = log_kappa(self.nu[:, None] / 2)[:, 0]

    def _prior_of_nu(self, x: np.ndarray) -> np.ndarray:
        """Compute the log density of the logarithm of ν over its offset."""
        return np.interp(x, self.nu_x, self.nu_density, left=-np.inf, right=-np.inf)


def _log_normal(variance: np.ndarray, miss: np.ndarray) -> np.ndarray:
    """Compute the log density of a normal variable, up to a constant, from its squared miss."""
    return np.asarray(-0.5 * (np.log(variance) + miss / variance))
