"""The data of the hierarchical correlated t test in standard form, and how fine the grids are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv, gammaln

# How fine the grids are.


@dataclass(frozen=True)
class Settings:
    """Resolution of the quadrature; None takes the default for the number of data sets.

    Attributes
    ----------
    spacing : float or None
        Distance of nodes of delta0 and sigma0 in conditional standard deviations: 1, or 0.7 for q
        <= 12.
    least, nu_nodes : int
        At least so many nodes of sigma0 (of delta0 half as many again); points of the rule in nu.
    refine : tuple of int
        Cells of the posterior grid to a cell of the quadrature in delta0 and in sigma0.
    centres : int
        Largest number of data sets whose means are all centres of the scan; else quantiles.
    tolerance : float
        Relative error of one row's integral.
    depth, edge_mass, enlargements : float, float, int
        Nats below the maximum at which the grid may end; the grid is enlarged, at most so often,
        if the posterior mass at an edge exceeds this.
    fewer, elsewhere, checked : bool
        Whether likelihoods may be interpolated from fewer nodes in delta0; whether the scan starts
        from other points (see `locate`); whether a second, coarser integration checks this one.
    share : float
        The share of the mass by which the two may differ.
    """

    spacing: float | None = None
    least: int = 10
    nu_nodes: int = 14
    refine: tuple[int, int] = (4, 4)
    centres: int = 20
    tolerance: float = 1e-5
    depth: float = 13.0
    edge_mass: float = 3e-6
    enlargements: int = 8
    fewer: bool = True
    elsewhere: bool = False
    checked: bool = True
    share: float = 1e-3

    def vary(self) -> Settings:
        """Return settings of the integration that checks this one: other starts, nodes and box."""
        return replace(
            self,
            least=4 * self.least // 5,
            nu_nodes=min(self.nu_nodes - 3, 26),
            tolerance=10 * self.tolerance,
            elsewhere=True,
            checked=False,
        )

    def tighten(self) -> Settings:
        """Return settings for a posterior of which one integration has lost something."""
        return replace(
            self,
            spacing=0.6,
            least=20,
            nu_nodes=40,
            refine=(4, 4),
            centres=60,
            tolerance=1e-6,
            depth=20.0,
            edge_mass=1e-7,
            enlargements=16,
            fewer=False,
            share=2e-3,
        )

    @classmethod
    def quick(cls) -> Settings:
        """Return settings for many simulated problems: a third of the time, within 0.002."""
        return cls(
            spacing=1.0,
            nu_nodes=8,
            refine=(3, 3),
            centres=12,
            tolerance=1e-3,
            depth=10.0,
            edge_mass=1e-4,
            checked=False,
        )


# The data of the hierarchical correlated t test, which its callers have checked, in standard form.


FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NuPrior:
    """Prior of nu: nu - offset ~ Gamma(alpha, beta), both uniform within bounds."""

    alpha: tuple[float, float]
    beta: tuple[float, float]
    offset: float


@dataclass(frozen=True, eq=False)
class Problem:
    """Sufficient statistics and priors, already checked, with the names of the Stan data.

    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Machine Learning 106, section 3.

    Attributes
    ----------
    xbar, ss : array_like of shape (q,)
        Mean difference on each data set, and the sum of squared deviations from it, > 0.
    n : array_like of int, shape (q,)
        Number of differences, >= 2: one more than the degrees of freedom of `ss`.
    rho : array_like of shape (q,)
        Correlation of two differences, in [0, 1).
    factor : array_like of shape (q,), optional
        Variance of the mean over (1 - rho) sigma_i^2; by default 1/n + rho/(1 - rho). For two
        groups of n1 and n2 independent scores it is 1/n1 + 1/n2, with n = n1 + n2 - 1 and rho = 0.
    delta0_bound, sigma0_upper, sigma_upper : float
        delta0 ~ Uniform(-delta0_bound, delta0_bound), sigma0 ~ Uniform(0, sigma0_upper), and every
        sigma_i ~ Uniform(0, sigma_upper).
    alpha_lower, alpha_upper, beta_lower, beta_upper, nu_offset : float
        nu - nu_offset ~ Gamma(alpha, beta), uniform between these bounds; equal bounds fix a
        value.
    """

    xbar: FloatArray
    ss: FloatArray
    n: npt.NDArray[np.int64]
    rho: FloatArray
    delta0_bound: float
    sigma0_upper: float
    sigma_upper: float
    alpha_lower: float = 0.5
    alpha_upper: float = 5.0
    beta_lower: float = 0.05
    beta_upper: float = 0.15
    nu_offset: float = 1.0
    factor: FloatArray | None = None

    def __post_init__(self) -> None:
        for name in ("xbar", "ss", "n", "rho"):
            column = np.array(getattr(self, name), dtype=np.int64 if name == "n" else float)
            object.__setattr__(self, name, column)
        factor = 1 / self.n + self.rho / (1 - self.rho) if self.factor is None else self.factor
        object.__setattr__(self, "factor", np.array(factor, dtype=float))

    @property
    def b(self) -> FloatArray:
        """What multiplies (delta - xbar)^2 in the kernel of a row, shape (q,)."""
        return np.asarray(1 / ((1 - self.rho) * np.asarray(self.factor)))

    @property
    def q(self) -> int:
        """Number of data sets."""
        return len(self.xbar)

    @property
    def nu_prior(self) -> NuPrior:
        """The prior of the degrees of freedom."""
        return NuPrior(
            (float(self.alpha_lower), float(self.alpha_upper)),
            (float(self.beta_lower), float(self.beta_upper)),
            float(self.nu_offset),
        )


@dataclass(frozen=True, eq=False)
class StandardProblem:
    """A problem in units of its typical fold spread, rows sorted, sign chosen by the data.

    Integrating sigma_i out of row i leaves the kernel K_i(delta) = int_0^sigma_upper sigma^-n
    exp(-A_i(delta) / (2 sigma^2)) dsigma, A_i(delta) = a_i + b_i (delta - xbar_i)^2.

    `xbar` and `n` (q,) are means (scaled, signed) and numbers of folds; `a` (q,) is ss / (1 -
    rho), scaled, `b` (q,) is 1 / ((1 - rho) factor): n / (1 + (n - 1) rho) for folds.
    `sigma_upper`, `sigma0_upper` and `delta0_bound` are scaled bounds, `nu_prior` is of the
    degrees of freedom. The original delta is sign * scale * standard delta; row i is row
    `order[i]` of the problem.
    """

    xbar: FloatArray
    n: FloatArray
    a: FloatArray
    b: FloatArray
    sigma_upper: float
    sigma0_upper: float
    delta0_bound: float
    nu_prior: NuPrior
    scale: float
    sign: float
    order: npt.NDArray[np.intp]
    s: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        # K_i is a t with n - 2 degrees of freedom and scale s_i (for n = 2, where it has none,
        # s_i only places nodes).
        m = np.maximum(self.n - 2, 0.5)
        s = np.sqrt(self.a / (self.b * m))
        # A bound on sigma_i below its own scale narrows the kernel.
        object.__setattr__(self, "s", np.minimum(s, self.sigma_upper / np.sqrt(self.b)))

    @property
    def q(self) -> int:
        """Number of data sets."""
        return len(self.xbar)


def standardise(problem: Problem) -> StandardProblem:
    """Scale, sort and orient the rows, so that only the data's shape decides the grids.

    A mirror image and reordered rows have the same standard form, to the last bit.
    """
    n = problem.n.astype(float)
    # an exactly rounded sum: the same to the last bit in any order of the rows
    scale = math.fsum(np.sqrt(problem.ss) / np.sqrt(n - 1)) / len(n)
    xbar = problem.xbar / scale
    a = (np.sqrt(problem.ss) / scale) ** 2 / (1 - problem.rho)
    rows = np.column_stack([xbar, a, n, problem.b])
    mirrored = rows * np.array([-1.0, 1.0, 1.0, 1.0])
    order, flipped = _sorted_order(rows), _sorted_order(mirrored)
    sign = 1.0
    if mirrored[flipped].tolist() > rows[order].tolist():
        rows, order, sign = mirrored, flipped, -1.0
    xbar, a, n, b = rows[order].T
    return StandardProblem(
        xbar=xbar + 0.0,
        n=n.copy(),
        a=a.copy(),
        b=b.copy(),
        sigma_upper=float(problem.sigma_upper) / scale,
        sigma0_upper=float(problem.sigma0_upper) / scale,
        delta0_bound=float(problem.delta0_bound) / scale,
        nu_prior=problem.nu_prior,
        scale=scale,
        sign=sign,
        order=order,
    )


def _sorted_order(rows: FloatArray) -> npt.NDArray[np.intp]:
    return np.lexsort(rows.T[::-1])


# The degrees of freedom: their prior, integrated over its hyperparameters, and Gauss rules.


NU_MAX = 2000.0  # beyond, the t is taken as that with this many degrees of freedom
_POINTS = 800


@dataclass(frozen=True, eq=False)
class NuGrid:
    """The prior of nu on a fine grid; all arrays have shape (m,).

    `log_x` are equidistant values of log(nu - offset), `nu` the degrees of freedom there, `xi` = 1
    / (1 + nu - offset), in which the likelihood is nearly polynomial, `mass` the prior masses of
    the cells.
    """

    log_x: FloatArray
    nu: FloatArray
    xi: FloatArray
    mass: FloatArray
    offset: float

    @cached_property
    def cumulated_masses(self) -> FloatArray:
        """Prior masses up to and including each cell."""
        return np.cumsum(self.mass)

    def nu_at(self, xi: FloatArray) -> FloatArray:
        """Return the degrees of freedom at a value of xi, at most NU_MAX."""
        return np.minimum(1 / xi - 1 + self.offset, NU_MAX)


@lru_cache(maxsize=64)
def nu_grid(prior: NuPrior) -> NuGrid:
    """Put the prior of nu, with alpha and beta integrated out, on a grid.

    With x = nu - offset, the integral over alpha is done by Gauss-Legendre, and that over beta is

        int beta^alpha x^(alpha-1) e^(-beta x) / Gamma(alpha) dbeta
            = alpha x^-2 [P(alpha + 1, beta_u x) - P(alpha + 1, beta_l x)].
    """
    (a0, a1), (b0, b1) = prior.alpha, prior.beta
    low = max(float(np.log(gammaincinv(a0, 1e-8) / b1)), np.log(1e-8))
    high = float(np.log(gammainccinv(a1, 1e-13) / max(b0, 1e-3 * b1)))
    log_x = np.linspace(low, high, _POINTS)
    x = np.exp(log_x)
    nodes, weights = np.polynomial.legendre.leggauss(40 if a1 > a0 else 1)
    alpha = a0 + (a1 - a0) * (nodes + 1) / 2
    density = _over_beta(x[:, None], alpha, b0, b1) @ weights
    mass = density * x
    return NuGrid(log_x, x + prior.offset, 1 / (1 + x), mass / mass.sum(), prior.offset)


def _over_beta(x: FloatArray, alpha: FloatArray, b0: float, b1: float) -> FloatArray:
    """Average the Gamma(alpha, beta) density at x over beta in (b0, b1)."""
    if b1 - b0 < 1e-5 * b1:  # practically fixed; the difference below would cancel
        beta = (b0 + b1) / 2
        log_p = alpha * np.log(beta) + (alpha - 1) * np.log(x) - beta * x - gammaln(alpha)
        return np.asarray(np.exp(log_p))
    below = gammainc(alpha + 1, b1 * x) - gammainc(alpha + 1, b0 * x)
    above = gammaincc(alpha + 1, b0 * x) - gammaincc(alpha + 1, b1 * x)
    difference = np.where(b0 * x > alpha + 1, above, below)  # the pair that does not cancel
    return np.asarray(alpha / x**2 * difference / (b1 - b0))


def gauss_rule(x: FloatArray, mass: FloatArray, length: int) -> tuple[FloatArray, FloatArray]:
    """Make a Gauss rule of a discrete measure, by the Lanczos process.

    Points and masses >= 0 are (m,), increasing nodes and weights with sum one (length,), or fewer
    if the measure is nearly concentrated. Golub & Meurant (2010), Matrices, Moments and Quadrature
    with Applications, chapter 4.
    """
    basis = np.empty((length + 1, len(x)))
    basis[0] = np.sqrt(mass / mass.sum())
    diagonal, off = [], []
    for k in range(length):
        z = x * basis[k]
        diagonal.append(z @ basis[k])
        q = basis[: k + 1]
        for _ in range(2):  # reorthogonalised, for the process loses orthogonality
            z = z - (q @ z) @ q
        norm = np.sqrt(z @ z)
        if norm < 1e-12:
            break
        off.append(norm)
        basis[k + 1] = z / norm
    beside = np.diag(off[: len(diagonal) - 1], -1)
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + beside)  # reads the lower triangle
    return nodes, vectors[0] ** 2
