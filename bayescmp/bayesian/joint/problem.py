"""The joint hierarchical test's prior, its program's data, and its predictions.

Level one of the model are contrasts of each data set's means with the covariance of their noise.
With n folds correlated at rho and W the scatter of the p contrasts over the folds, they are
multivariate t around their true values with scale matrix c W / dof, c = 1/n + rho/(1 − rho), and
dof = n − 2 degrees of freedom: then every pair has the kernel of the test of two with its flat
prior on sigma, and leaving out an algorithm changes nothing for the others.

That needs more folds than algorithms. With few, W has an inverse Wishart prior around the shape R
that the data sets' noise has in common, scaled to each one's size ω: W + δωR replaces W and n − 2
+ δ replaces n − 2, with the weight δ that makes the folds most probable.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.linalg import helmert
from scipy.special import multigammaln

from bayescmp.base import checks
from bayescmp.base.arguments import must_be
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import step_seen
from bayescmp.base.workers import in_threads
from bayescmp.bayesian.hierarchical.answers import log_density_of_nu
from bayescmp.bayesian.hierarchical.problem import bound_gamma
from bayescmp.bayesian.joint.table import FoldTable, TableOrder
from bayescmp.bayesian.sampling import dataset_log_likelihood, round_for_sampler
from bayescmp.engines.base import FitRequest, SamplerSettings, StanData
from bayescmp.engines.quadrature import NuPrior
from bayescmp.scores.resampling import inflation
from bayescmp.wording.text import format_exactly, write_number

# The prior of the joint hierarchical test.


#: Fields that are numbers over 0.
POSITIVE = ("scale_median", "scale_sd", "factor_scale", "mean_scale", "mean_floor", "nu_offset")


@dataclass(frozen=True)
class JointPrior:
    """Prior of `joint_t`; lengths are in units of the typical spread between data sets.

    That unit is the median over pairs of the standard deviation of their mean differences, over
    √2.

    Attributes
    ----------
    factors : int or None
        K, the most dimensions in which algorithms may vary together from data set to data set, at
        most L − 2 and q − 1; None stands for 3 or as many as these allow.
    scale_median, scale_sd : float
        log A ~ N(log median, sd), A the common scale of the algorithms' own spreads; by default
        far above one, so that a pair's scale has a nearly flat density at zero.
    factor_scale : float
        ω_k, the size of the loadings on factor k, is half-t with 4 d.o.f. and this scale over √K.
    mean_scale, mean_floor : float
        The variance of the effects on average has a flat density from the floor's square to about
        the scale's: averages are pulled towards one another, the more so the more algorithms there
        are. 10⁶ for both makes the prior flat.
    alpha, beta : (float, float)
        Bounds of the uniform distributions of α and β.
    nu_offset : float
        ν minus this ~ Gamma(α, β).

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.bayesian.JointPrior().scale_median
    30.0
    """

    factors: int | None = None
    scale_median: float = 30.0
    scale_sd: float = 1.5
    factor_scale: float = 0.3
    mean_scale: float = 30.0
    mean_floor: float = 0.05
    alpha: tuple[float, float] = (0.5, 5.0)
    beta: tuple[float, float] = (0.05, 0.15)
    nu_offset: float = 1.0

    def __post_init__(self) -> None:
        if self.factors is not None:
            checks.check_whole("factors", self.factors, least=0)
        for name in POSITIVE:
            checks.positive_of_any_size(getattr(self, name), name)
        for name in ("alpha", "beta"):
            checks.check_bounds(getattr(self, name), name)

    def columns(self, algorithms: int, datasets: int) -> int:
        """K for this many algorithms and data sets."""
        return max(min(algorithms - 2, datasets - 1, self._most_factors), 0)

    @property
    def _most_factors(self) -> int:
        return 3 if self.factors is None else self.factors

    def __str__(self) -> str:
        """Say the whole prior: two that differ never read the same."""
        return self.in_words(f"K ≤ {self._most_factors}")

    def in_words(self, factors: str, unit: float | None = None) -> str:
        """Return the prior in words: `factors` is "K = 2" or "K ≤ 3", `unit` is Σ0's unit."""
        rule = "median sd of pairs / √2"
        units = rule if unit is None else f"{write_number(unit, '.4g')} [{rule}]"
        a, b = (", ".join(map(format_exactly, ends)) for ends in (self.alpha, self.beta))
        return (
            f"{factors}, in units of {units}: Σ0 = diag(ψ²) + ΛΛᵀ, ψ²/A² ~ beta prime(1/4, 1), "
            f"log A ~ N(log {format_exactly(self.scale_median)}, "
            f"{format_exactly(self.scale_sd)}), Λ_lk ~ N(0, ω_k²), ω_k ~ half-t(4, scale "
            f"{format_exactly(self.factor_scale)}/√K), variance of μ over "
            f"{format_exactly(self.mean_floor)}² ~ {format_exactly(self.mean_scale)}² beta "
            f"prime(1, 1/2), ν − {format_exactly(self.nu_offset)} ~ Gamma(α, β), α ~ U({a}), β ~ "
            f"U({b})"
        )


# The folds' information on each data set's means: contrasts and the covariance of their noise.


#: Folds an algorithm with which a data set's own scatter is enough.
ENOUGH = 3
#: Weights of the common shape that are tried, in folds.
WEIGHTS = (1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 89.0, 144.0)
#: Least variance of a contrast in the common shape, relative to their mean.
SMALLEST = 1e-4
#: Contrasts with less of the largest one's scatter are constant.
CONSTANT = 1e-9
#: Sums of squares below this are those of rounding.
NOTHING = 1e-20


@dataclass(frozen=True, eq=False)
class FoldNoise:
    """Level one of the joint model; rows beyond p_i of the contrasts are padding, all zero.

    `y` (q, L - 1) are contrasts of the means, `B` (q, L - 1, L) the orthonormal contrasts, `C` (q,
    L - 1, L - 1) scale matrices of their noise and `dof` (q,) its degrees of freedom; `pad` (q, L
    - 1) is 1 on the padding. `weight` is the common shape's, in folds, or 0.
    """

    y: np.ndarray
    B: np.ndarray
    C: np.ndarray
    pad: np.ndarray
    dof: np.ndarray
    weight: float


def fold_noise(table: FoldTable, *, pool: bool | None = None) -> FoldNoise:
    """Find level one of a table's joint model; `pool` the covariances if folds are few."""
    q, L = table.q, table.L
    p = table.seen.sum(axis=1) - 1
    B, y = np.zeros((q, L - 1, L)), np.zeros((q, L - 1))
    pad = (np.arange(L - 1) >= p[:, None]).astype(float)
    scatters = []
    for i in range(q):
        seen = table.seen[i]
        H = helmert(p[i] + 1)
        B[i, : p[i], seen] = H.T
        y[i, : p[i]] = H @ table.means[i, seen]
        centred = table.centre_folds(i)[:, seen] @ H.T
        scatters.append(centred.T @ centred)
    if pool is None:
        pool = bool((table.n < ENOUGH * p).any())
    few = (table.n - 1 < p) & any(S.max() > NOTHING for S in scatters)
    steps = _resolutions(table)
    scatters = [
        S if pool and few[i] else _fill_constants(S, table.n[i], steps[i])
        for i, S in enumerate(scatters)
    ]
    weight, priors = _common(table, scatters, B) if pool else (0.0, None)
    C, dof = np.zeros((q, L - 1, L - 1)), np.maximum(table.n - 2.0, 1.0) + weight
    for i, (S, c) in enumerate(zip(scatters, table.inflation(), strict=True)):
        total = S if priors is None else S + weight * priors[i]
        C[i, : p[i], : p[i]] = c * total / dof[i]
    return FoldNoise(y, B, C, pad, dof, weight)


def _resolutions(table: FoldTable) -> np.ndarray:
    """Smallest step of the metric on each data set, as far as the scores tell."""
    steps = np.array([step_seen([x[~np.isnan(x)] - np.nanmin(x)]) for x in table.x])
    least = np.nanmin(steps) if not np.isnan(steps).all() else 1e-3
    return np.where(np.isnan(steps), least, steps)


def _fill_constants(S: np.ndarray, n: int, step: float) -> np.ndarray:
    """Give a scatter's constant contrasts the sum of squares of rounding, n step² / 12."""
    size, axes = np.linalg.eigh(S)
    null = size < max(CONSTANT * size.max(), NOTHING)
    return np.asarray(S + n * step**2 / 24 * axes[:, null] @ axes[:, null].T)


def _common(
    table: FoldTable, scatters: list[np.ndarray], B: np.ndarray
) -> tuple[float, list[np.ndarray]]:
    """Return the weight of the common shape, and the shape −½ BΓBᵀ on each data set's scale."""
    p = table.seen.sum(axis=1) - 1
    df = table.n - 1.0
    size = np.array([np.trace(S) / (d * k) for S, d, k in zip(scatters, df, p, strict=True)])
    size = np.maximum(size, 1e-12 * size.max())
    gamma = _variogram(table, size)
    if gamma.max() < NOTHING:  # folds are constant: no shape is known
        gamma = 1 - np.eye(table.L)
    priors = []
    for i, k in enumerate(p):
        contrasts = B[i, :k]
        shape = -0.5 * contrasts @ gamma @ contrasts.T
        least = SMALLEST * np.trace(shape) / k
        values, axes = np.linalg.eigh(shape)
        shape = (axes * np.maximum(values, least)) @ axes.T
        priors.append(size[i] * shape * k / np.trace(shape))
    likelihoods = [
        sum(_evidence(S, d, w, P) for S, d, P in zip(scatters, df, priors, strict=True))
        for w in WEIGHTS
    ]
    return WEIGHTS[int(np.argmax(likelihoods))], priors


def _variogram(table: FoldTable, size: np.ndarray) -> np.ndarray:
    """Variances of all pairs' differences on one scale, pooled over data sets, (L, L)."""
    total, count = (np.zeros((table.L, table.L)) for _ in range(2))
    for i in range(table.q):
        x, seen = table.centre_folds(i) / np.sqrt(size[i]), table.seen[i]
        G = x.T @ x
        d = np.diag(G)
        both = np.outer(seen, seen)
        total += np.where(both, d[:, None] + d - 2 * G, 0.0)
        count += both * (table.n[i] - 1)
    known = total[count > 0].sum() / max(count[~np.eye(table.L, dtype=bool)].sum(), 1)
    return np.where(count > 0, total / np.maximum(count, 1), known)


def _evidence(S: np.ndarray, df: float, weight: float, P: np.ndarray) -> float:
    """Log density of a scatter S, up to a constant, with its covariance G integrated out.

    S | G ~ Wishart(df, G), G ~ inverse Wishart(weight + p − 1, weight · P); if df < p, of the
    folds.
    """
    k = len(S)
    a = weight + k - 1
    prior = weight * P
    return float(
        multigammaln((a + df) / 2, k)
        - multigammaln(a / 2, k)
        + a / 2 * np.linalg.slogdet(prior)[1]
        - (a + df) / 2 * np.linalg.slogdet(prior + S)[1]
    )


# From a table of folds and a prior to the data of the joint program, and the way back.


MODEL = "joint_correlated_t"
#: Settings of the sampler, if not given.
WARMUP, ADAPT_DELTA = 1000, 0.9
#: Variables that the diagnostics judge: everything that is reported.
JUDGED = ("mu", "nu", "log_v")
KEEP = {"mu": False, "nu": True, "log_v": False, "Sigma0": False, "kappa": False, "lambda": False}
#: Least separate spread of an algorithm, in units of the scale: keeps it from degenerating
#: together with a factor.
FLOOR = 1e-3


@dataclass(frozen=True, eq=False)
class JointProblem:
    """The program's `data` block, its unit (`scale`) and level one in the metric's units."""

    data: StanData
    scale: float = field(metadata=about(least=0))
    noise: FoldNoise

    def request(self, seed: int, settings: SamplerSettings, progress: bool = False) -> FitRequest:
        """Return the request for an engine."""
        inits = self.inits(seed, settings.chains)
        return FitRequest(MODEL, self.data, seed, KEEP, inits, settings, progress)

    def inits(self, seed: int, chains: int) -> list[StanData]:
        """Draw initial values near the data, one mapping a chain."""
        rng = np.random.default_rng([seed, 1])
        L, q, K = (self.data[name] for name in ("L", "q", "K"))
        at, sd = np.asarray(self.data["m_at"]), self.data["m_sd"]
        return [
            {
                "m": (at + 0.3 * sd * rng.normal(size=L - 1)).tolist(),
                "root_psi": np.exp(rng.normal(-0.25, 0.15, size=L)).tolist(),
                "log_A": float(rng.normal(1.5, 0.5)),
                "raw": rng.normal(0, 0.5, size=(L, K)).tolist(),
                "log_omega": rng.normal(-1.5, 0.2, size=K).tolist(),
                "log_nu_raw": float(np.log(rng.uniform(2, 20))),
                "alpha_unit": rng.uniform(0.25, 0.75),
                "beta_unit": rng.uniform(0.25, 0.75),
                "z": (0.1 * rng.normal(size=q)).tolist(),
                "log_lambda": (0.1 * rng.normal(size=q)).tolist(),
            }
            for _ in range(chains)
        ]


def pose(table: FoldTable, prior: JointPrior) -> JointProblem:
    """Return the program's data: three algorithms or more, two folds or more on each data set."""
    noise = fold_noise(table)
    scale = _scale(table.means, noise)
    columns = prior.columns(table.L, table.q)
    return JointProblem(program_data(noise, table.means, scale, prior, columns), scale, noise)


def program_data(
    noise: FoldNoise, means: np.ndarray, scale: float, prior: JointPrior, columns: int
) -> StanData:
    """Return the program's data block in units of `scale`; `means` (q, L) may be NaN."""
    q, L = means.shape
    Q = _axes(means)
    return {
        "L": L,
        "q": q,
        "K": columns,
        "y": round_for_sampler(noise.y / scale),
        "B": noise.B,
        "C": round_for_sampler(noise.C / scale**2),
        "pad": noise.pad,
        "dof": noise.dof,
        "Q": Q,
        "m_at": round_for_sampler(Q[:, :-1].T @ (_centres(means) / scale)),
        "m_sd": 2.0 / np.sqrt(q),
        "A_median": prior.scale_median,
        "A_sd": prior.scale_sd,
        "psi_floor": FLOOR,
        "omega_scale": prior.factor_scale,
        "mean_scale": prior.mean_scale,
        "mean_floor": prior.mean_floor,
        **bound_gamma(prior.alpha, prior.beta),
        "nu_offset": prior.nu_offset,
    }


def _scale(means: np.ndarray, noise: FoldNoise) -> float:
    """Median over pairs of the sd of their mean differences, over √2."""
    sds = []
    for a in range(means.shape[1]):
        d = means[:, a + 1 :] - means[:, [a]]
        there = ~np.isnan(d)
        count = there.sum(axis=0)
        centre = np.where(there, d, 0).sum(axis=0) / np.maximum(count, 1)
        squares = (np.where(there, d - centre, 0) ** 2).sum(axis=0)
        sds += [np.sqrt(s / (c - 1)) for s, c in zip(squares, count, strict=True) if c > 1]
    positive = [s for s in sds if s > 0]
    if positive:
        return float(np.median(positive)) / np.sqrt(2)
    traces = np.trace(noise.C, axis1=1, axis2=2) / np.maximum((1 - noise.pad).sum(axis=1), 1)
    return float(np.sqrt(np.median(traces)))


def _centres(means: np.ndarray) -> np.ndarray:
    """Return rough effects of the algorithms: medians of their leads over those seen with them."""
    leads = means - np.nanmean(means, axis=1, keepdims=True)
    centre = np.nanmedian(leads, axis=0)
    return np.asarray(centre - centre.mean())


def _axes(means: np.ndarray) -> np.ndarray:
    """Return orthonormal axes along which algorithms move apart; the last one is constant.

    Algorithms are joined into ever larger groups, those first whose difference varies least, and
    each axis is the difference of two groups' means: two nearly identical algorithms have a
    separate axis, on which the posterior of the loadings may be very narrow.
    """
    L = means.shape[1]
    groups = {k: np.eye(L)[k] for k in range(L)}  # weights of a mean
    axes = []
    for step, (a, b, *_) in enumerate(linkage(_spreads(means), method="average")):
        first, second = groups[int(a)], groups[int(b)]
        axis = first - second
        axes.append(axis / np.linalg.norm(axis))
        sizes = 1 / (first**2).sum(), 1 / (second**2).sum()
        groups[L + step] = (sizes[0] * first + sizes[1] * second) / sum(sizes)
    return np.stack([*axes, np.full(L, 1 / np.sqrt(L))], axis=1)


def _spreads(means: np.ndarray) -> np.ndarray:
    """Median absolute deviation of each pair's mean differences, condensed."""
    deviations = []
    for a in range(means.shape[1]):
        for b in range(a + 1, means.shape[1]):
            d = means[:, b] - means[:, a]
            d = d[~np.isnan(d)]
            deviations.append(np.median(np.abs(d - np.median(d))) if len(d) > 1 else np.inf)
    spreads = np.array(deviations)
    known = spreads[np.isfinite(spreads)]
    return np.where(np.isfinite(spreads), spreads, known.max(initial=1.0))


#: Draws whose covariances are dealt with together, and so many numbers of all of them, of every
#: data set, as are worth another thread.
TOGETHER, LARGE = 250, 2 * 10**7


def true_means(
    data: StanData, draws: dict[str, np.ndarray], rng: np.random.Generator
) -> np.ndarray:
    """Draw true effects u_i, (D, q, L), given all else in `draws`, by Matheron's rule."""
    D, L = draws["mu"].shape
    q, mu, Sigma0 = data["q"], draws["mu"], draws["Sigma0"]
    root = np.linalg.cholesky(Sigma0)
    u = np.empty((D, q, L))
    parts = -(-D // TOGETHER)
    with in_threads(min(parts, D * q * L**2 // LARGE)) as side_by_side:
        for i in range(q):
            B, C, pad, y = (np.asarray(data[k][i], dtype=float) for k in ("B", "C", "pad", "y"))
            kappa, lam = (draws[name][:, i, None] for name in ("kappa", "lambda"))
            values, axes = np.linalg.eigh(C)
            C_root = axes * np.sqrt(np.maximum(values, 0.0))
            prior = np.einsum("dkl,dl->dk", root, rng.standard_normal((D, L)))
            prior = mu + prior / np.sqrt(kappa)
            noise = rng.standard_normal((D, L - 1)) @ C_root.T / np.sqrt(lam)
            given = (Sigma0, kappa, lam, y - prior @ B.T - noise)
            pulls = side_by_side(
                partial(_pull, B, C, pad), *(np.array_split(x, parts) for x in given)
            )
            u[:, i] = prior + np.concatenate(list(pulls))
    return u


def _pull(
    B: np.ndarray,
    C: np.ndarray,
    pad: np.ndarray,
    Sigma0: np.ndarray,
    kappa: np.ndarray,
    lam: np.ndarray,
    miss: np.ndarray,
) -> np.ndarray:
    """Compute how far what a data set's prior draws miss by pulls its effects, (D, L)."""
    between = Sigma0 / kappa[..., None]
    V = B @ between @ B.T + C / lam[..., None] + np.diag(pad)
    solved = np.linalg.solve(V, miss[..., None])[..., 0]
    return np.asarray(np.einsum("dlk,dk->dl", between @ B.T, solved))


# The data sets as the joint model sees them: their likelihood, and data it predicts.


#: Arrays with a row for each data set.
ROWS = ("y", "B", "C", "dof", "n", "rho")
#: Number of values in a saved prior.
PRIORS = {"nu_prior": 5, "scale_prior": 5, "mean_prior": 2}


@dataclass(frozen=True, eq=False)
class Contrasts:
    """The program's data, in units of the metric, in the algorithms' and data sets' order.

    `y`, `B`, `C` and `dof` are as of `FoldNoise`; `n` and `rho` (q,) are folds and their
    correlation. `nu_prior` has the bounds of α and β, and the offset of ν; `scale_prior` K, the
    median and the sd of log A, the scale of the factors, and the unit of lengths; `mean_prior`
    scale and floor of the prior of μ.
    """

    y: np.ndarray = field(metadata=about("dataset", "contrast"))
    B: np.ndarray = field(metadata=about("dataset", "contrast", "algorithm"))
    C: np.ndarray = field(metadata=about("dataset", "contrast", "contrast_"))
    dof: np.ndarray = field(metadata=about("dataset"))
    n: np.ndarray = field(metadata=about("dataset"))
    rho: np.ndarray = field(metadata=about("dataset"))
    nu_prior: np.ndarray = field(metadata=about())
    scale_prior: np.ndarray = field(metadata=about())
    mean_prior: np.ndarray = field(metadata=about())

    def __post_init__(self) -> None:
        for name, size in PRIORS.items():
            if getattr(self, name).shape != (size,):
                raise must_be(name, f"an array of shape ({size},)", getattr(self, name))

    @classmethod
    def from_problem(
        cls, problem: JointProblem, ordered: FoldTable, order: TableOrder, prior: JointPrior
    ) -> Contrasts:
        """Read the folds from the program's data, which are of the ordered table."""
        algorithms, datasets = np.argsort(order.algorithms), np.argsort(order.datasets)
        noise, columns = problem.noise, problem.data["K"]
        B = noise.B[..., algorithms]
        rows = (noise.y, B, noise.C, noise.dof, ordered.n, ordered.rho)
        return cls(
            **{name: row[datasets] for name, row in zip(ROWS, rows, strict=True)},
            nu_prior=np.array([*prior.alpha, *prior.beta, prior.nu_offset]),
            scale_prior=np.array(
                [columns, prior.scale_median, prior.scale_sd, prior.factor_scale, problem.scale]
            ),
            mean_prior=np.array([prior.mean_scale, prior.mean_floor]),
        )

    @property
    def prior(self) -> JointPrior:
        """The prior, with the K of the fit."""
        a0, a1, b0, b1, offset = map(float, self.nu_prior)
        columns, median, sd, factor, _ = map(float, self.scale_prior)
        size, floor = map(float, self.mean_prior)
        return JointPrior(
            int(columns), median, sd, factor, size, floor, (a0, a1), (b0, b1), offset
        )

    @property
    def means(self) -> np.ndarray:
        """Mean scores minus the mean of the algorithms seen, (q, L); NaN where one was not run."""
        leads = np.einsum("qml,qm->ql", self.B, self.y)
        return np.where(self.B.any(axis=1), leads, np.nan)

    @property
    def links(self) -> bool:
        """Whether every algorithm was run on two data sets, and is linked with every other."""
        q, m, L = self.B.shape
        rank = np.linalg.matrix_rank(self.B.reshape(q * m, L))
        return q >= 2 and bool(rank == L - 1 and self.B.any(axis=1).sum(axis=0).min() >= 2)

    def with_rho(self, rho: float) -> Contrasts:
        """Return the folds with another correlation."""
        own = np.array([inflation(n, r) for n, r in zip(self.n, self.rho, strict=True)])
        factor = np.array([inflation(n, rho) for n in self.n]) / own
        C = self.C * factor[:, None, None]
        return replace(self, C=C, rho=np.full_like(self.rho, rho))

    def without(self, i: int) -> Contrasts:
        """Return all data sets but one."""
        return self._take(np.delete(np.arange(len(self.y)), i))

    def reorder(self, order: TableOrder) -> Contrasts:
        """Return the folds with data sets and algorithms in another order."""
        rows = self._take(order.datasets)
        return replace(rows, B=rows.B[..., order.algorithms])

    def _take(self, rows: np.ndarray) -> Contrasts:
        return replace(self, **{name: getattr(self, name)[rows] for name in ROWS})

    def log_likelihood(self, mu: np.ndarray, Sigma0: np.ndarray, nu: np.ndarray) -> np.ndarray:
        """Log-likelihood of each data set given μ, Σ0 and ν, (chain, draw, q)."""
        L = mu.shape[-1]
        means, scales = mu.reshape(-1, L), Sigma0.reshape(-1, L, L)
        each = []
        for y, B, C, dof in zip(self.y, self.B, self.C, self.dof, strict=True):
            p = int(B.any(axis=1).sum())
            b = B[:p]
            at, scale = means @ b.T, b @ scales @ b.T
            each.append(dataset_log_likelihood(y[:p], C[:p, :p], dof, at, scale, nu.ravel()))
        return np.stack(each, axis=-1).reshape(*nu.shape, -1)

    def replicates(
        self, mu: np.ndarray, Sigma0: np.ndarray, nu: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Draw contrasts of as many new data sets, (chain, draw, q, L - 1), with noise as here."""
        q, m = self.y.shape
        z = rng.standard_normal((*nu.shape, q, mu.shape[-1]))
        z /= np.sqrt(rng.chisquare(nu[..., None], (*nu.shape, q)) / nu[..., None])[..., None]
        u = mu[..., None, :] + z @ np.swapaxes(np.linalg.cholesky(Sigma0), -1, -2)
        size, axes = np.linalg.eigh(self.C)  # zero beyond the algorithms seen
        root = axes * np.sqrt(np.maximum(size, 0.0))[:, None, :]
        e = np.einsum("qij,cdqj->cdqi", root, rng.standard_normal((*nu.shape, q, m)))
        e /= np.sqrt(rng.chisquare(self.dof, (*nu.shape, q)) / self.dof)[..., None]
        return np.asarray(np.einsum("qml,cdql->cdqm", self.B, u) + e)

    def log_prior_of_nu(self, nu: np.ndarray) -> np.ndarray:
        """Return the log prior density of ν."""
        a0, a1, b0, b1, offset = map(float, self.nu_prior)
        return log_density_of_nu(NuPrior((a0, a1), (b0, b1), offset), nu)

    def log_prior_of_means(self, mu: np.ndarray) -> np.ndarray:
        """Return the log prior density of μ, up to a constant."""
        scale, floor = map(float, self.mean_prior)
        s2 = mu.var(axis=-1, ddof=1) / float(self.scale_prior[-1]) ** 2
        pull = 0.5 * (mu.shape[-1] - 3) * np.log(s2 + floor**2)
        return np.asarray(-pull - 1.5 * np.log1p(s2 / scale**2))

    def log_prior(self, mu: np.ndarray, nu: np.ndarray) -> np.ndarray:
        """Return the log prior density of μ and ν, up to a constant."""
        return self.log_prior_of_means(mu) + self.log_prior_of_nu(nu)
