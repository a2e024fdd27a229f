"""Runs of an engine, judged and reweighted; ArviZ groups of a model of one data set.

Folds are independent only given what they scatter about: y_j = centre + √(1 − rho)·Az_j, while the
location of interest is centre − √rho·Az_0. So the likelihood has one factor per fold, given centre
and Σ = AAᵀ. Folds hold m rows of k numbers: differences of two algorithms (m = 1), or the m = L −
1 orthonormal contrasts of L.

Under a hierarchy of multivariate t's, mean differences y have a t likelihood of dof degrees of
freedom and scale matrix C about δ, and δ is multivariate t with ν about δ0 with scale matrix Σ0:

    p(y | δ0, Σ0, ν) = E N(y; δ0, Σ0/κ + C/λ),   κ ~ Gamma(ν/2, ν/2), λ ~ Gamma(dof/2, dof/2).

With C the identity and Σ0 diagonal the density is a product; the expectation is a trapezoidal sum
over log κ and log λ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma, gammaln, logsumexp, polygamma

from bayescmp.base import checks
from bayescmp.base.arguments import arg
from bayescmp.base.typing import RELIABLE, Reweighted
from bayescmp.engines.base import Engine, Fit, FitRequest, SamplerSettings
from bayescmp.engines.quadrature import GridPosterior
from bayescmp.errors import EngineNotFound
from bayescmp.results import arviz
from bayescmp.results.arviz import psis
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.posterior import Model
from bayescmp.scores.resampling import inflation, other_rhos
from bayescmp.wording.text import format_count

# One run of an engine, judged; a sampler that fails runs again with smaller steps.


def check_settings(
    chains: object, warmup: object, draws: object, adapt_delta: object
) -> SamplerSettings:
    """Check the settings of a sampler: whole numbers, and adapt_delta in (0, 1)."""
    chains = checks.check_whole("chains", chains, most=1000)
    return SamplerSettings(
        chains,
        checks.check_whole("warmup", warmup),
        checks.check_whole("draws", draws, least=4, each=chains),
        checks.check_level(adapt_delta, "adapt_delta"),
    )


def sample(engine: Engine, request: FitRequest, names: Sequence[str]) -> tuple[Fit, Diagnostics]:
    """Fit a model, and judge the fit; a sampler that fails runs again with smaller steps.

    The second run's adapt_delta is at a tenth of the first's distance from 1; a sampler without
    steps continues until its diagnostics are right. They judge the variables named.
    """
    judge = _Judge(names)
    request = replace(request, enough=judge.enough)
    fit = engine.fit(request)
    if fit.density is not None:
        return fit, _certify_density(fit.density)
    diagnostics = judge.judge(fit, request.settings)
    if diagnostics.ok or not fit.sample_stats:
        return fit, diagnostics
    careful = replace(request.settings, adapt_delta=1 - (1 - request.settings.adapt_delta) / 10)
    fit = engine.fit(replace(request, settings=careful))
    return fit, replace(judge.judge(fit, careful), refitted=True)


def round_for_sampler(values: ArrayLike) -> np.ndarray:
    """Return eleven significant digits: chains that start from another last bit soon differ."""
    rounded = np.vectorize(lambda v: float(f"{v:.11g}"), otypes=[float])
    return np.asarray(rounded(values) + 0.0)


class _Judge:
    """Diagnoses draws, the same ones only once."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._last: tuple[Mapping[str, np.ndarray], Diagnostics] | None = None

    def elements(self, draws: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the scalars by which draws are judged."""
        return {k: v for name in self.names for k, v in _elements(name, draws[name]).items()}

    def diagnose(self, draws: Mapping[str, np.ndarray]) -> Diagnostics:
        """Diagnose draws without a sampler's statistics."""
        if self._last is None or self._last[0] is not draws:
            self._last = draws, diagnose_chains(self.elements(draws))
        return self._last[1]

    def enough(self, draws: Mapping[str, np.ndarray]) -> bool:
        """Return whether the diagnostics find nothing wrong."""
        return self.diagnose(draws).ok

    def judge(self, fit: Fit, settings: SamplerSettings) -> Diagnostics:
        """Diagnose draws, with a sampler's statistics if it has any."""
        if not fit.sample_stats:
            return self.diagnose(fit.draws)
        draws = self.elements(fit.draws)
        return diagnose(
            draws,
            fit.sample_stats,
            tuple(draws),
            max_treedepth=settings.max_treedepth,
            adapt_delta=settings.adapt_delta,
        )


def _certify_density(density: GridPosterior) -> Diagnostics:
    certificate = density.certificate()
    messages = list(density.warnings)
    if not certificate.passed:
        messages.append(
            f"the density by another rule differs by {certificate.sd_log_ratio:.2g}, "
            f"over {CERTIFICATE_LIMIT}: check with a Stan engine "
            f"({arg('engine', 'pystan')} or 'cmdstan')"
        )
    return Diagnostics(
        exact=True,
        certificate=certificate.sd_log_ratio,
        apart=density.agreement.apart if density.agreement else None,
        messages=tuple(messages),
    )


def _elements(name: str, draws: np.ndarray) -> dict[str, np.ndarray]:
    """Return the scalars that make up a variable: each of them once, and no constants."""
    flat = draws.reshape(*draws.shape[:2], -1)
    if flat.shape[-1] == 1:
        return {name: flat[..., 0]}
    # a symmetric matrix has every element off its diagonal twice, a correlation matrix ones on it
    _, first = np.unique(flat[0, :3], axis=1, return_index=True)
    varies = np.ptp(flat, axis=(0, 1)) > 0
    return {f"{name}[{i}]": flat[..., i] for i in sorted(first) if varies[i]}


# Diagnostics of draws, and their failed checks.


#: Largest r-hat, smallest effective sample size, and largest certificate of sound computations.
RHAT_LIMIT, ESS_LIMIT, CERTIFICATE_LIMIT = 1.01, 400, 0.1


def diagnose(
    draws: Mapping[str, np.ndarray],
    stats: Mapping[str, np.ndarray],
    names: Sequence[str],
    *,
    max_treedepth: int,
    adapt_delta: float,
) -> Diagnostics:
    """Diagnose a sampler's draws.

    Draws are (chain, draw, ...), their statistics, "diverging", "tree_depth" and "energy", (chain,
    draw); `names` are scalars to judge by. Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021),
    Bayesian Analysis 16:667-718; Betancourt (2016), arXiv:1604.00695, for e-bfmi.
    """
    rhat = max(arviz.rhat(draws[n]) for n in names)
    bulk = min(arviz.ess(draws[n], "bulk") for n in names)
    tail = min(arviz.ess(draws[n], "tail") for n in names)
    divergences = int(stats["diverging"].sum())
    hits = int((stats["tree_depth"] >= max_treedepth).sum())
    energy = stats["energy"]
    ebfmi = float(np.min(np.mean(np.diff(energy, axis=1) ** 2, axis=1) / np.var(energy, axis=1)))
    return Diagnostics(
        rhat=rhat,
        ess_bulk=bulk,
        ess_tail=tail,
        divergences=divergences,
        max_treedepth=hits,
        ebfmi=ebfmi,
        adapt_delta=adapt_delta,
        messages=_messages(rhat, min(bulk, tail), divergences, hits, ebfmi),
    )


def diagnose_chains(draws: Mapping[str, np.ndarray]) -> Diagnostics:
    """Diagnose a sampler without statistics by scalars, each (chain, draw), as `diagnose` does."""
    rhat = max(arviz.rhat(d) for d in draws.values())
    bulk, tail = (min(arviz.ess(d, kind) for d in draws.values()) for kind in ("bulk", "tail"))
    return Diagnostics(
        rhat=rhat, ess_bulk=bulk, ess_tail=tail, messages=_messages(rhat, min(bulk, tail), 0, 0, 1)
    )


def _messages(
    rhat: float, ess: float, divergences: int, hits: int, ebfmi: float
) -> tuple[str, ...]:
    problems = []
    if not rhat <= RHAT_LIMIT:
        problems.append(f"r-hat {rhat:.3f} is over {RHAT_LIMIT}: the chains disagree")
    if not ess >= ESS_LIMIT:
        problems.append(f"effective sample size {ess:.0f} is under {ESS_LIMIT}")
    if divergences:
        count = format_count(divergences, "divergent transition")
        problems.append(f"{count}: parts of the posterior were missed")
    if hits:
        problems.append(f"{format_count(hits, 'transition')} hit the treedepth limit")
    if not ebfmi >= 0.2:
        problems.append(f"e-bfmi {ebfmi:.2f} is under 0.2")
    return tuple(problems)


# Draws of one density as draws of another: Pareto-smoothed weights, or another fit.


Result = TypeVar("Result")


def reweigh_setting(
    setting: str,
    log_ratios: np.ndarray,
    average: Callable[[np.ndarray], Result],
    again: Callable[[], Result] | None = None,
    *,
    refit: bool = True,
) -> tuple[Reweighted, Result]:
    """Return a setting with its weights' k-hat, and what a result is under it.

    ``log_ratios``, (chain, draw), are of the other density over the one drawn from; ``average``
    makes the result of weights; ``again`` refits, if possible, with k-hat over 0.7 and ``refit``.
    """
    weights, k_hat = psis(log_ratios)
    if again is not None and refit and k_hat > RELIABLE:
        with suppress(EngineNotFound):  # a posterior may have been saved on another machine
            return Reweighted(setting, k_hat, refitted=True), again()
    can_refit = again is not None and not refit and k_hat > RELIABLE
    return Reweighted(setting, k_hat, can_refit=can_refit), average(weights)


def vary_rho(
    posterior: Any, folds: int, scale: str, tell: Callable[[Any], Result]
) -> Iterator[tuple[str, str, Result]]:
    """Vary the correlation of folds in a closed form, of which only a scale depends on it."""
    for rho in other_rhos(posterior.rho):
        factor = np.sqrt(inflation(folds, rho) / inflation(folds, posterior.rho))
        scaled = {scale: getattr(posterior, scale) * factor}
        yield "rho", f"{rho:.3g}", tell(replace(posterior, rho=rho, **scaled))


def average_draws(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the mean of draws, (chain, draw, ...), by weights that sum to one."""
    return np.asarray((weights[..., None] * values).sum(axis=(0, 1)))


# The likelihood of one data set under a hierarchy of multivariate t's.


#: Nodes in log κ and log λ, and standard deviations that they reach below and above.
NODES, BELOW, ABOVE = (48, 28), 9.0, 5.0
#: Draws at a time.
BATCH = 500


def dataset_log_likelihood(
    y: np.ndarray,
    C: np.ndarray,
    dof: float,
    centre: np.ndarray,
    scale: np.ndarray,
    nu: np.ndarray,
) -> np.ndarray:
    """Return the log density of mean differences y, (p,), with scale C, for N draws."""
    parts = [
        _batch(y, C, dof, centre[i : i + BATCH], scale[i : i + BATCH], nu[i : i + BATCH])
        for i in range(0, len(nu), BATCH)
    ]
    return np.concatenate(parts)


def _batch(
    y: np.ndarray,
    C: np.ndarray,
    dof: float,
    centre: np.ndarray,
    scale: np.ndarray,
    nu: np.ndarray,
) -> np.ndarray:
    root = np.linalg.cholesky(C)
    inverse = np.linalg.inv(root)
    size, axes = np.linalg.eigh(inverse @ scale @ inverse.T)
    size = np.maximum(size, 0.0)
    z2 = np.einsum("nji,nj->ni", axes, (y - centre) @ inverse.T) ** 2
    p = len(y)
    kappa, log_kappa = _nodes(nu, np.sum(z2 / (size + 1e-300), axis=1), p, NODES[0])
    lam, log_lambda = _nodes(np.full(len(nu), float(dof)), z2.sum(axis=1), p, NODES[1])
    total = log_kappa[:, :, None] + log_lambda[:, None, :]
    for k in range(p):
        variance = size[:, k, None, None] / kappa[:, :, None] + 1 / lam[:, None, :]
        total -= 0.5 * (np.log(variance) + z2[:, k, None, None] / variance)
    constant = p * np.log(2 * np.pi) / 2 + np.log(np.diag(root)).sum()
    return np.asarray(logsumexp(total, axis=(1, 2)) - constant)


def _nodes(
    df: np.ndarray, distance: np.ndarray, p: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes of a Gamma(df/2, df/2) variable, with logs of weights, each (N, count)."""
    own, sd = digamma(df / 2) - np.log(df / 2), np.sqrt(polygamma(1, df / 2))
    needed = digamma((df + p) / 2) - np.log((df + distance) / 2)
    low = np.minimum(own, needed) - BELOW * np.sqrt(polygamma(1, (df + p) / 2))
    high = own + ABOVE * sd
    log_x = np.linspace(low, high, count, axis=1)
    half = df[:, None] / 2
    log_density = half * np.log(half) - gammaln(half) + half * (log_x - np.exp(log_x))
    return np.exp(log_x), log_density + np.log((high - low) / (count - 1))[:, None]


# ArviZ groups of a model of one data set: each fold's likelihood, and predicted folds.


GroupsOfArrays = dict[str, dict[str, np.ndarray]]
#: Dimensions of the variables of a model of one metric, and of several.
OF_METRIC = dict.fromkeys(("differences", "folds"), ("fold",))
OF_METRICS = {
    "delta": ("metric",),
    "tau": ("algorithm", "metric"),
    "folds": ("fold",),
    "Sigma": ("sampled", "sampled_"),
}


#: Why no further folds are planned.
ONE_DATA_SET = (
    "It is about one {p.unit}. More {p.sample}s narrow its interval only as far as their "
    "correlation allows (rho {p.rho:.3g}), and do not show other {p.unit}s. Compare two "
    "{p.subject}s by one metric on several {p.unit}s: the posteriors of "
    "bayescmp.bayesian.hierarchical_t and signed_rank have .plan()."
)


@dataclass(frozen=True, kw_only=True)
class DatasetModel(Model):
    """A test on the folds of one data set, as data."""

    target: str = "the {p.unit} {p.dataset}"
    target_unnamed: str = "this {p.unit}"
    rows: str = "x"
    unplanned: str = ONE_DATA_SET
    dims: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: OF_METRIC, hash=False)


@dataclass(frozen=True, eq=False)
class FoldModel:
    """Draws of the `centre` (chain, draw, m, k) that folds `y` (n, m, k) scatter about, and how.

    `Sigma` (chain, draw, k, k) is a row's covariance, for t noise its scale matrix, `nu` (chain,
    draw) the degrees of freedom, None with normal noise.
    """

    y: np.ndarray
    centre: np.ndarray
    Sigma: np.ndarray
    rho: float
    nu: np.ndarray | None = None

    def groups(self, name: str, seed: int) -> GroupsOfArrays:
        """Return ArviZ groups: log likelihoods of "folds", ``name`` observed, folds predicted."""
        observed = self.y.reshape(len(self.y), *[s for s in self.y.shape[1:] if s > 1])
        drawn = self.replicates(np.random.default_rng([seed, 8]))
        return {
            "log_likelihood": {"folds": self.log_likelihood()},
            "observed_data": {name: observed},
            "posterior_predictive": {name: drawn.reshape(*drawn.shape[:2], *observed.shape)},
        }

    def log_likelihood(self) -> np.ndarray:
        """Return the log-likelihood of each fold, shape (chain, draw, n)."""
        n, m, k = self.y.shape
        root = np.linalg.cholesky((1 - self.rho) * self.Sigma)
        inverse = np.linalg.inv(root)
        distance = np.empty((*self.Sigma.shape[:2], n))
        for j in range(n):
            z = (self.y[j] - self.centre) @ np.swapaxes(inverse, -1, -2)
            distance[..., j] = (z**2).sum(axis=(-2, -1))
        log_det = m * np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)[..., None]
        d = m * k
        if self.nu is None:
            return np.asarray(-log_det - distance / 2 - d / 2 * np.log(2 * np.pi))
        nu = self.nu[..., None]
        constant = gammaln((nu + d) / 2) - gammaln(nu / 2) - d / 2 * np.log(nu * np.pi)
        return np.asarray(constant - log_det - (nu + d) / 2 * np.log1p(distance / nu))

    def replicates(self, rng: np.random.Generator) -> np.ndarray:
        """Draw as many folds about the same centre, shape (chain, draw, n, m, k)."""
        chains, draws, m, k = self.centre.shape
        z = rng.standard_normal((chains, draws, len(self.y), m, k))
        if self.nu is not None:
            nu = self.nu[..., None]
            z /= np.sqrt(rng.chisquare(nu, z.shape[:3]) / nu)[..., None, None]
        root = np.linalg.cholesky((1 - self.rho) * self.Sigma)
        noise = np.einsum("cdab,cdjmb->cdjma", root, z)
        return np.asarray(self.centre[:, :, None] + noise)


def draw_closed_groups(
    y: np.ndarray, location: np.ndarray, rho: float, name: str, seed: int
) -> GroupsOfArrays:
    """Return ArviZ groups of a closed form, by draws of its location; none if dependent."""
    model = given_location(y, location, rho, seed)
    if model is None:
        return {}
    k = y.shape[-1]
    log_prior = -(k + 1) / 2 * np.linalg.slogdet(model.Sigma)[1]
    return {**model.groups(name, seed), "log_prior": {"scale": log_prior}}


def given_location(y: np.ndarray, location: np.ndarray, rho: float, seed: int) -> FoldModel | None:
    """Return the normal model under Jeffreys' prior |Σ|^(−(k+1)/2), given draws of the location.

    Σ⁻¹ is Wishart with mn degrees of freedom, the centre normal, for folds (n, m, k) and locations
    (chain, draw, m, k). None if metrics are constant or dependent.
    """
    n, m, k = y.shape
    mean = y.mean(axis=0)
    deviations = (y - mean).reshape(-1, k)
    if np.linalg.matrix_rank(deviations / np.maximum(np.abs(y).max(axis=(0, 1)), 1e-300)) < k:
        return None
    spread = rho + (1 - rho) / n
    away = location - mean
    scatter = deviations.T @ deviations / (1 - rho) + np.swapaxes(away, -1, -2) @ away / spread
    rng = np.random.default_rng([seed, 7])
    T = wishart_roots(rng, m * n, k, location.shape[:2])
    root = np.linalg.cholesky(scatter) @ np.swapaxes(np.linalg.inv(T), -1, -2)
    Sigma = root @ np.swapaxes(root, -1, -2)
    if rho == 0:
        return FoldModel(y, location, Sigma, rho)
    weight = n / (1 - rho) + 1 / rho
    middle = (n / (1 - rho) * mean + location / rho) / weight
    z = rng.standard_normal(location.shape)
    centre = middle + z @ np.swapaxes(np.linalg.cholesky(Sigma), -1, -2) / np.sqrt(weight)
    return FoldModel(y, centre, Sigma, rho)


def wishart_roots(
    rng: np.random.Generator, df: float, r: int, shape: tuple[int, ...]
) -> np.ndarray:
    """Return lower triangular T with TTᵀ ~ Wishart_r(df, I), by Bartlett: shape (*shape, r, r)."""
    T = np.tril(rng.standard_normal((*shape, r, r)), -1)
    each = np.arange(r)
    T[..., each, each] = np.sqrt(rng.chisquare(df - each, (*shape, r)))
    return T
