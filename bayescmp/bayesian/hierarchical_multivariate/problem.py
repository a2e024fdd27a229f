"""The hierarchical multivariate t test's prior, its program's data, and their implications."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import gammaln

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import ROUNDING, places_by, step_seen
from bayescmp.base.typing import Json
from bayescmp.bayesian.hierarchical.answers import log_density_of_nu
from bayescmp.bayesian.hierarchical.problem import bound_gamma, say_range
from bayescmp.bayesian.sampling import dataset_log_likelihood, sample
from bayescmp.engines.base import Engine, Fit, FitRequest, SamplerSettings, StanData
from bayescmp.engines.quadrature import NuPrior
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.scores.metrics import Direction, known_range
from bayescmp.scores.pairing import AS_GIVEN, LeftOut
from bayescmp.wording.text import format_count, format_exactly, write_number

# Prior of the hierarchical multivariate t test.


@dataclass(frozen=True)
class MultivariatePrior:
    """Prior of the hierarchical multivariate test.

    δ0_k ~ N(0, delta0_sd_k), τ_k ~ half-t of tau_df degrees of freedom and scale tau_scale_k, Ω ~
    LKJ(lkj), ν − 1 ~ Gamma(α, β), α ~ Uniform(alpha), β ~ Uniform(beta). Σ_i has Jeffreys' prior
    ``|Σ_i|^(−(p+1)/2)``, with one metric a uniform standard deviation, or an inverse Wishart one
    of within_df degrees of freedom and scale within_df·diag(within_sd²). With one metric the
    default is `HierarchicalPrior.corani2017()`.

    Attributes
    ----------
    delta0_sd : float, tuple of float or None
        In units of the metrics. None: the length of a metric's range if it is known and no
        difference exceeds it (1 for accuracy), else the largest difference seen.
    tau_scale : float, tuple of float or None
        In units of the metrics. None: 1000 times the standard deviation of the data sets' means,
        or the mean standard error of one if larger: flat, like the uniform prior of σ0 for one
        metric. With few data sets a smaller scale pulls towards a decision.
    tau_df : float
        Degrees of freedom of τ's half-t.
    lkj : float
        Shape of the prior of the correlations across data sets; 1 is uniform.
    alpha, beta : (float, float), or float
        Bounds of the shape and of the rate of the Gamma prior of ν − 1; one number fixes it.
    tau_factor : float
        The multiple, if tau_scale is None.
    within_df : float
        0 for Jeffreys' prior, or with one metric a uniform standard deviation.
    within_sd : float, tuple of float or None
        In units of the metrics; needed if within_df is not 0.

    References
    ----------
    Gelman (2006), Bayesian Analysis 1:515-534, and Bürkner (2017), Journal of Statistical Software
    80(1), for the half-t; Lewandowski, Kurowicka & Joe (2009), Journal of Multivariate Analysis
    100:1989-2001, for LKJ; Juárez & Steel (2010), Journal of Business & Economic Statistics
    28:52-66, for ν.

    Examples
    --------
    >>> from bayescmp.bayesian import MultivariatePrior
    >>> MultivariatePrior.weakly_informative().tau_factor
    2.5
    >>> MultivariatePrior().in_words((1.0, 0.5), (20.0, 14.0))[:62]
    'δ0 ~ N(0, sd (1, 0.5)) [range of the metric, or max|x|], τ ~ h'
    """

    delta0_sd: Any = None
    tau_scale: Any = None
    tau_df: float = 3.0
    lkj: float = 2.0
    alpha: Any = (0.5, 5.0)
    beta: Any = (0.05, 0.15)
    within_df: float = 0.0
    within_sd: Any = None
    tau_factor: float = 1000.0

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, checks.check_bounds(getattr(self, name), name))
        for name in ("tau_df", "lkj", "tau_factor"):
            checks.positive_of_any_size(getattr(self, name), name)
        if not checks.is_number(self.within_df) or not 0 <= self.within_df < float("inf"):
            raise must_be("within_df", "0 or a positive number", self.within_df)
        if self.within_df and self.within_sd is None:
            raise must("within_sd", "be given with within_df > 0")
        for name in ("delta0_sd", "tau_scale", "within_sd"):
            value = getattr(self, name)
            if value is not None:
                accepted = "a positive number, or one per metric"
                value = tuple(np.ravel(checks.read_numbers(value, name, accepted)).tolist())
                if not value or not all(0 < part < float("inf") for part in value):
                    raise must_be(name, accepted, value)
                object.__setattr__(self, name, value)

    @classmethod
    def weakly_informative(cls) -> MultivariatePrior:
        """Return the prior with τ_k ~ half-t(3, 2.5·sd of the means), ν − 1 ~ Gamma(2, 0.1)."""
        return cls(alpha=2.0, beta=0.1, tau_factor=2.5)

    def to_dict(self) -> Json:
        """Return everything as plain numbers, for JSON."""
        return asdict(self)

    def in_words(
        self, delta0_sd: Sequence[float] | None = None, tau_scale: Sequence[float] | None = None
    ) -> str:
        """Return the whole prior in words, with scales of δ0 and τ, (p,), taken from the data."""
        centre = _scales("sd", self.delta0_sd, "range of the metric, or max|x|", delta0_sd)
        rule = (
            f"{format_exactly(self.tau_factor)} × the larger of the means' sd and standard error"
        )
        tau = _scales("scale", self.tau_scale, rule, tau_scale)
        within = "Jeffreys (one metric: uniform sd)"
        if self.within_df:
            df, scales = format_exactly(self.within_df), _scales("sd", self.within_sd)
            within = f"inverse Wishart({df}, {scales}"
        return (
            f"δ0 ~ N(0, {centre}, τ ~ half-t({format_exactly(self.tau_df)}, {tau}, "
            f"ν − 1 ~ Gamma(α, β), {say_range('α', self.alpha)}, {say_range('β', self.beta)}, "
            f"correlations ~ LKJ({format_exactly(self.lkj)}), Σ_i ~ {within}"
        )

    def __str__(self) -> str:
        return self.in_words()


def _scales(
    name: str,
    given: Sequence[float] | None,
    rule: str = "",
    resolved: Sequence[float] | None = None,
) -> str:
    """Write scales as given, or by the rule that finds them, to the end of the distribution."""
    if given is not None:
        return f"{name} {_join_values(map(format_exactly, given))})"
    if resolved is None:
        return f"{name} {rule})"
    return f"{name} {_join_values(write_number(value, '.4g') for value in resolved)}) [{rule}]"


def _join_values(values: Iterable[str]) -> str:
    shown = list(values)
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"


# Differences in p metrics on q data sets.


@dataclass(frozen=True, eq=False)
class Rows:
    """Differences of two algorithms in p metrics on q data sets, second minus first.

    `x` are q arrays (n_i, p), positive if the second is better; `step` (q, p) is each metric's
    resolution or NaN; `directions` are the metrics', empty for plain numbers; `resampling` gives
    the correlation of folds with its reason, `left_out` the scores without a partner, `pairing`
    the evidence that scores belong together.
    """

    x: tuple[np.ndarray, ...]
    rho: np.ndarray
    datasets: tuple[str, ...]
    metrics: tuple[str, ...]
    names: tuple[str, str]
    step: np.ndarray
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    left_out: LeftOut | None = None
    pairing: str = AS_GIVEN

    @property
    def n(self) -> np.ndarray:
        """Folds on each data set, shape (q,)."""
        return np.array([len(x) for x in self.x])

    def described(self) -> Json:
        """Return the origin of the numbers, which a posterior keeps."""
        kept = ("datasets", "n", "names", "metrics", "directions", "pairing", "resampling")
        own = {name: getattr(self, name) for name in (*kept, "left_out")}
        return {**own, "metric": ", ".join(self.metrics)}

    def take(self, order: np.ndarray) -> Rows:
        """Return the data sets in another order."""
        return replace(
            self,
            x=tuple(self.x[i] for i in order),
            rho=self.rho[order],
            datasets=tuple(self.datasets[i] for i in order),
            step=self.step[order],
        )


# From differences in p metrics on q data sets to the data of the hierarchical program.


MODEL = "hierarchical_multivariate_t"
#: Variables of the program that results are made of, and whether each is a scalar.
KEEP = {"delta0": False, "tau": False, "Omega": False, "nu": True, "delta": False}
#: Defaults of the sampler; a refit takes them, as draws do not record their settings.
WARMUP, ADAPT_DELTA = 1000, 0.95
#: A metric whose part that the metrics before it do not explain is this small depends on them.
DEPENDENT = 1e-8


@dataclass(frozen=True, eq=False)
class MultivariateProblem:
    """The program's data, and the way back to the metrics.

    `data` is the program's data block, in r coordinates and in units (`unit`, (r,)), its rows
    sorted (row i is data set ``order[i]``), mirrored if `sign` is -1. `kept` (r,) are the metrics
    that are coordinates, `mixing` (r, p) gives all as linear functions of them; `means` (q, p) are
    in the data sets' own order. `notes` state dependent metrics and data sets without spread,
    `within` (r,) is what the prior of Σ_i adds to scatter diagonals, `floored` counts data sets
    whose spread is partly rounding.
    """

    data: StanData
    unit: np.ndarray
    sign: float
    order: np.ndarray
    kept: np.ndarray
    mixing: np.ndarray
    means: np.ndarray
    notes: tuple[str, ...]
    within: np.ndarray
    floored: int = 0

    def in_metrics(self, draws: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the program's draws in the metrics' units, data sets in their own order."""
        towards = self.sign * self.unit
        return {
            "delta0": draws["delta0"] * towards,
            "tau": draws["tau"] * self.unit,
            "Omega": draws["Omega"],
            "nu": draws["nu"],
            "delta": draws["delta"][:, :, np.argsort(self.order)] * towards,
        }

    def sample(
        self, engine: Engine, seed: int, settings: SamplerSettings, progress: bool = False
    ) -> tuple[Fit, Diagnostics]:
        """Draw in the metrics' units, and judge by the variables of the upper level."""
        inits = self.inits(seed, settings.chains)
        request = FitRequest(MODEL, self.data, seed, KEEP, inits, settings, progress)
        judged = ("delta0", "tau", "nu", *(["Omega"] if len(self.unit) > 1 else []))
        fit, diagnostics = sample(engine, request, judged)
        return replace(fit, draws=self.in_metrics(fit.draws)), diagnostics

    def inits(self, seed: int, chains: int) -> list[StanData]:
        """Draw initial values near the data, one mapping per chain."""
        rng = np.random.default_rng([seed, 4])
        q, r, tau = int(self.data["q"]), int(self.data["p"]), self.data["tau_at"]
        return [
            {
                "log_tau": (np.log(tau) + 0.2 * rng.normal(size=r)).tolist(),
                "K": np.eye(r).tolist(),
                "nu_raw": rng.uniform(2, 20),
                "alpha_unit": rng.uniform(0.2, 0.8),
                "beta_unit": rng.uniform(0.2, 0.8),
                "z": (0.1 * rng.normal(size=q)).tolist(),
                "log_lambda": (0.1 * rng.normal(size=q)).tolist(),
            }
            for _ in range(chains)
        ]


def pose(rows: Rows, prior: MultivariatePrior, *, finer: float = 1.0) -> MultivariateProblem:
    """Return the program's data, and scales of the prior; ``finer`` divides resolutions."""
    means = np.array([x.mean(axis=0) for x in rows.x])
    order = places(means, rows.n, np.array([x.var(axis=0) for x in rows.x]))
    ordered = rows.take(order)
    kept, mixing, notes = _coordinates(ordered)
    x = [v[:, kept] for v in ordered.x]
    centres = means[np.ix_(order, kept)]
    scatter = np.array([(v - m).T @ (v - m) for v, m in zip(x, centres, strict=True)])
    flat, step = _floors(ordered, kept, scatter)
    for i, h in zip(flat, step / finer, strict=True):
        scatter[i] += ordered.n[i] * np.diag(h**2 / 12)
    if flat:
        names = [rows.datasets[i] for i in sorted(order[flat])]
        notes.append(_floor_note(names, [rows.metrics[column] for column in kept], step))
    within = np.sqrt(np.diagonal(scatter, axis1=1, axis2=2) / (ordered.n[:, None] - 1))
    unit = within.mean(axis=0)
    prior_within = _prior_diagonals(ordered, prior, kept)
    dof, C = _marginal(ordered, prior, scatter, prior_within)
    delta0_sd = _delta0_sd(ordered, prior)[kept]
    tau_scale = _tau_scale(ordered, prior, centres, C, kept)
    data, sign = program_data(centres, C, dof, delta0_sd, tau_scale, unit, prior)
    return MultivariateProblem(
        data, unit, sign, order, kept, mixing, means, tuple(notes), prior_within, len(flat)
    )


def _coordinates(rows: Rows) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Find the first independent metrics, and all metrics as linear functions of them.

    By all data sets' differences together, each metric scaled to length one, and what earlier
    metrics leave unexplained (the diagonal of R in a QR decomposition).
    """
    x = np.concatenate(rows.x)
    length = np.linalg.norm(x, axis=0)
    if not length.any():
        raise must("xs", "have a difference between the two algorithms", "zero throughout")
    scaled = x / np.where(length > 0, length, 1.0)
    left = np.abs(np.diag(np.linalg.qr(scaled, mode="r")))
    kept = np.flatnonzero(left > DEPENDENT)
    solved = np.linalg.lstsq(scaled[:, kept], scaled, rcond=None)[0]
    solved[np.abs(solved) < 100 * DEPENDENT] = 0.0
    mixing = solved * np.where(length > 0, length, 0.0) / length[kept, None]
    mixing[:, kept] = np.eye(len(kept))
    rest = [metric for column, metric in enumerate(rows.metrics) if column not in kept]
    if not rest:
        return kept, mixing, []
    known = ", ".join(rows.metrics[column] for column in kept)
    what = "is a linear function" if len(rest) == 1 else "are linear functions"
    dimensions = f"{len(kept)} of {len(rows.metrics)} dimensions are fitted"
    return kept, mixing, [f"{', '.join(rest)} {what} of {known} on every fold: {dimensions}"]


def _floors(rows: Rows, kept: np.ndarray, scatter: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Data sets whose scatter matrix is singular, and the resolutions (k, r) of metrics there."""
    largest = np.abs(np.concatenate(rows.x)).max(axis=0)[kept]
    flat = [i for i, s in enumerate(scatter) if _singular(s, int(rows.n[i]), largest)]
    if not flat:
        return [], np.empty((0, len(kept)))
    return flat, _filled_steps(rows)[np.ix_(np.array(flat), kept)]


def _floor_note(names: list[str], metrics: list[str], step: np.ndarray) -> str:
    which = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    steps = ", ".join(
        f"{metric} {low:.3g}" + (f" to {high:.3g}" if high > low else "")
        for metric, low, high in zip(metrics, step.min(axis=0), step.max(axis=0), strict=True)
    )
    return (
        f"{format_count(len(names), 'data set')} with metrics that are constant or "
        f"linearly dependent there ({which}): the spread of rounding to the metrics' resolution "
        f"was added, h = {steps}"
    )


def _singular(scatter: np.ndarray, n: int, largest: np.ndarray) -> bool:
    """Return whether a scatter matrix lacks full rank, with each metric scaled separately."""
    sd = np.sqrt(np.diag(scatter))
    if np.any(sd <= ROUNDING * np.sqrt(n) * largest):
        return True
    # eigenvalues are squares of singular values; 1e-12 is where rounding of the scatter begins
    return bool(np.linalg.eigvalsh(scatter / np.outer(sd, sd)).min() < 1e-12)


def _filled_steps(rows: Rows) -> np.ndarray:
    """Fill in unknown resolutions, (q, p), by the smallest known, else the smallest step seen."""
    known = np.where(np.isnan(rows.step), np.inf, rows.step).min(axis=0)
    seen = np.array([step_seen([x[:, k] for x in rows.x]) for k in range(len(rows.metrics))])
    return np.where(np.isnan(rows.step), np.where(np.isinf(known), seen, known), rows.step)


def _prior_diagonals(rows: Rows, prior: MultivariatePrior, kept: np.ndarray) -> np.ndarray:
    """Return the prior's addition to the diagonals of the scatter matrices, shape (r,)."""
    if not prior.within_df:
        return np.zeros(len(kept))
    return np.asarray(prior.within_df * _per_metric(prior.within_sd, "within_sd", rows)[kept] ** 2)


def _marginal(
    rows: Rows, prior: MultivariatePrior, scatter: np.ndarray, within: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Degrees of freedom and scales of the likelihoods of δ_i, Σ_i integrated out."""
    n, rho, r = rows.n, rows.rho, len(within)
    # one metric has a uniform σ_i, as in its own test: n − 2, as two have by Jeffreys' prior
    dof = n + prior.within_df - (r if prior.within_df else max(r, 2))
    if dof.min() <= 0:
        raise must(
            "xs",
            "have at least three folds on each data set for one metric",
            f"{n[dof.argmin()]} on {rows.datasets[int(dof.argmin())]!r}",
            "Or give a prior of Σ_i with within_df > 0.",
        )
    total = scatter / (1 - rho)[:, None, None] + np.diag(within)
    return dof, total * ((1 + (n - 1) * rho) / (n * dof))[:, None, None]


def places(means: np.ndarray, n: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return places of data sets, (q,), in an order that mirroring does not change."""
    i, j = np.triu_indices(means.shape[1], 1)
    signs = means[:, i] * means[:, j]  # of neighbouring metrics, which mirroring keeps
    return places_by(*np.abs(means.T[::-1]), n, *signs.T, *spread.T)


def program_data(
    xbar: np.ndarray,
    C: np.ndarray,
    dof: np.ndarray,
    delta0_sd: np.ndarray,
    tau_scale: np.ndarray,
    unit: np.ndarray,
    prior: MultivariatePrior,
) -> tuple[StanData, float]:
    """Return the data of the program in units, with its sampler's start, and their sign.

    From means (q, r), sorted, scale matrices of their errors (q, r, r) with degrees of freedom
    (q,), and scales of the prior, (r,). The sign is -1 if mirrored.
    """
    q, r = xbar.shape
    sign = -1.0 if (xbar / unit).sum() < 0 else 1.0
    xbar, C = sign * xbar / unit, C / np.outer(unit, unit)
    noise = np.diagonal(C, axis1=1, axis2=2).mean(axis=0)
    data = {
        "q": q,
        "p": r,
        "xbar": xbar,
        "C": (C + np.swapaxes(C, 1, 2)) / 2,
        "dof": dof,
        "at": xbar.mean(axis=0),
        "tau_at": np.sqrt(np.maximum(np.var(xbar, axis=0, ddof=1), 0.1 * noise)),
        "delta0_sd": delta0_sd / unit,
        "tau_scale": tau_scale / unit,
        "tau_df": prior.tau_df,
        "eta": prior.lkj,
        **bound_gamma(prior.alpha, prior.beta),
    }
    return data, sign


def _tau_scale(
    rows: Rows, prior: MultivariatePrior, means: np.ndarray, C: np.ndarray, kept: np.ndarray
) -> np.ndarray:
    if prior.tau_scale is not None:
        return _per_metric(prior.tau_scale, "tau_scale", rows)[kept]
    return scale_by_data(prior, means, C)


def scale_by_data(prior: MultivariatePrior, means: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return τ's scales by the prior's rule, from means (q, r) and scales of their errors."""
    errors = np.sqrt(np.diagonal(C, axis1=1, axis2=2)).mean(axis=0)
    return np.asarray(prior.tau_factor * np.maximum(means.std(axis=0, ddof=1), errors))


def _delta0_sd(rows: Rows, prior: MultivariatePrior) -> np.ndarray:
    if prior.delta0_sd is not None:
        return _per_metric(prior.delta0_sd, "delta0_sd", rows)
    largest = np.abs(np.concatenate(rows.x)).max(axis=0)
    ranges = [known_range(m) for m in rows.metrics]
    span = np.array([np.nan if ends is None else ends[1] - ends[0] for ends in ranges])
    return np.where(largest <= span, span, largest)


def _per_metric(values: tuple[float, ...], name: str, rows: Rows) -> np.ndarray:
    p = len(rows.metrics)
    if len(values) not in (1, p):
        raise must(f"prior.{name}", f"have a value for each of {p} metrics", str(len(values)))
    return np.array(np.broadcast_to(values, (p,)))


# The data sets as the hierarchical model sees them: likelihood, prior, and data it predicts.


Draws = Mapping[str, np.ndarray]
#: Name of the observed and predicted values: each data set's mean differences, by coordinate.
PREDICTED = "mean_difference"
#: Arrays with a row for each data set.
ROWS = ("xbar", "C", "dof", "rho")


@dataclass(frozen=True, eq=False)
class ObservedData:
    """The program's data, in units of the metrics and in the data sets' own order.

    `xbar` (q, r) are mean differences in the fitted coordinates, `C` (q, r, r) scale matrices of
    their errors, `dof` (q,) degrees of freedom, `rho` (q,) correlations of folds; `delta0_sd` and
    `tau_scale` (r,) are scales of the prior, `within` (r,) is what it adds to scatter diagonals.
    """

    xbar: np.ndarray = field(metadata=about("dataset", "coordinate"))
    C: np.ndarray = field(metadata=about("dataset", "coordinate", "other"))
    dof: np.ndarray = field(metadata=about("dataset"))
    rho: np.ndarray = field(metadata=about("dataset"))
    delta0_sd: np.ndarray = field(metadata=about("coordinate"))
    tau_scale: np.ndarray = field(metadata=about("coordinate"))
    within: np.ndarray = field(metadata=about("coordinate"))

    @classmethod
    def from_problem(cls, problem: MultivariateProblem, rho: np.ndarray) -> ObservedData:
        """Read the folds from the program's data, with rho in the data sets' own order."""
        data, unit, back = problem.data, problem.unit, np.argsort(problem.order)
        return cls(
            problem.sign * unit * np.asarray(data["xbar"])[back],
            np.outer(unit, unit) * np.asarray(data["C"])[back],
            np.asarray(data["dof"], dtype=float)[back],
            rho,
            data["delta0_sd"] * unit,
            data["tau_scale"] * unit,
            problem.within,
        )

    def with_rho(self, rho: float, n: np.ndarray) -> ObservedData:
        """Return the folds, n of each data set, with another correlation."""
        own, other = ((1 + (n - 1) * r) / (n * self.dof) for r in (self.rho, rho))
        prior = np.diag(self.within)
        total = self.C / own[:, None, None] - prior  # scatter / (1 - rho)
        changed = total * ((1 - self.rho) / (1 - rho))[:, None, None] + prior
        C = changed * other[:, None, None]
        return replace(self, C=C, rho=np.full_like(self.rho, rho))

    def without(self, i: int) -> ObservedData:
        """Return all data sets but one, under the same prior."""
        rows = {name: np.delete(getattr(self, name), i, axis=0) for name in ROWS}
        return replace(self, **rows)

    def log_likelihood(self, draws: Draws) -> np.ndarray:
        """Log-likelihood of each data set given δ0, Σ0 and ν, its means integrated out."""
        tau, nu = draws["tau"], draws["nu"]
        scale = tau[..., None] * draws["Omega"] * tau[..., None, :]
        r = tau.shape[-1]
        each = [
            dataset_log_likelihood(
                x, c, dof, draws["delta0"].reshape(-1, r), scale.reshape(-1, r, r), nu.ravel()
            )
            for x, c, dof in zip(self.xbar, self.C, self.dof, strict=True)
        ]
        return np.stack(each, axis=-1).reshape(*nu.shape, -1)

    def log_prior(self, draws: Draws, prior: MultivariatePrior) -> dict[str, np.ndarray]:
        """Log densities of δ0 and τ, (chain, draw, r), of Ω (up to a constant) and ν."""
        z = draws["delta0"] / self.delta0_sd
        normal = -0.5 * (z**2 + np.log(2 * np.pi)) - np.log(self.delta0_sd)
        nu_prior = NuPrior(prior.alpha, prior.beta, 1.0)
        return {
            "delta0": normal,
            "tau": log_half_t(draws["tau"], prior.tau_df, self.tau_scale),
            "correlations": (prior.lkj - 1) * np.linalg.slogdet(draws["Omega"])[1],
            "nu": log_density_of_nu(nu_prior, draws["nu"]),
        }

    def prior_draws(
        self, prior: MultivariatePrior, shape: tuple[int, ...], rng: np.random.Generator
    ) -> dict[str, np.ndarray]:
        """Draw δ0, τ and ν from the prior."""
        size = (*shape, len(self.delta0_sd))
        (a0, a1), (b0, b1) = prior.alpha, prior.beta
        shapes, rates = rng.uniform(a0, a1, shape), rng.uniform(b0, b1, shape)
        return {
            "delta0": self.delta0_sd * rng.standard_normal(size),
            "tau": self.tau_scale * np.abs(rng.standard_t(prior.tau_df, size)),
            "nu": 1 + rng.standard_gamma(shapes) / rates,
        }

    def replicates(self, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        """Draw as many new data sets' means, with the errors seen: (chain, draw, q, r)."""
        tau, nu = draws["tau"], draws["nu"]
        q, r = self.xbar.shape
        root = tau[..., None] * np.linalg.cholesky(draws["Omega"])
        between = rng.standard_normal((*nu.shape, q, r)) @ np.swapaxes(root, -1, -2)
        between /= np.sqrt(rng.chisquare(nu[..., None], (*nu.shape, q)) / nu[..., None])[..., None]
        noise = np.einsum(
            "qij,cdqj->cdqi", np.linalg.cholesky(self.C), rng.standard_normal(between.shape)
        )
        noise /= np.sqrt(rng.chisquare(self.dof, (*nu.shape, q)) / self.dof)[..., None]
        return np.asarray(draws["delta0"][..., None, :] + between + noise)


def log_half_t(x: np.ndarray, df: float, scale: np.ndarray) -> np.ndarray:
    """Return the log density of a half-t at x >= 0."""
    constant = np.log(2) + gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2
    return np.asarray(constant - np.log(scale) - (df + 1) / 2 * np.log1p((x / scale) ** 2 / df))
