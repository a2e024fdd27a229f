"""Two algorithms on one data set: the correlated t test, in closed form, or with robust noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, stdtr, stdtrit

from bayescmp.base import checks
from bayescmp.base.arguments import either, must, must_be
from bayescmp.base.checks import (
    Seed,
    one_table,
    positive_of_any_size,
    seed_of,
    share,
    validate_params,
)
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import ROUNDING, step_seen
from bayescmp.base.records import read_only
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.sampling import (
    DatasetModel,
    FoldModel,
    average_draws,
    check_settings,
    draw_closed_groups,
    reweigh_setting,
    round_for_sampler,
    sample,
    vary_rho,
)
from bayescmp.engines.base import Fit, FitRequest, StanData, find_engine
from bayescmp.errors import InputError, warn_user
from bayescmp.results.arviz import kernel_density, row_of, summary_row
from bayescmp.results.diagnostics import mean_errors, share_errors
from bayescmp.results.plan import suggest_plan
from bayescmp.results.posterior import (
    CHAINS,
    DRAWS,
    Model,
    Posterior,
    name_closed_form,
    name_engine,
    probabilities_of,
    split_mass,
    split_student,
)
from bayescmp.results.regions import THREE
from bayescmp.results.verdict import Verdict, lead_of
from bayescmp.scores.differences import Differences, as_differences
from bayescmp.scores.resampling import inflation, other_rhos
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.wording.text import format_exactly, words_of

# Shared parts of the tests on one data set: reading its differences, and posteriors' words.


def read_dataset(
    x: ArrayLike | Differences,
    rho: ArrayLike | None,
    names: Sequence[str] | None,
    resolution: ArrayLike | None,
    least: int = 2,
) -> Differences:
    """Read the differences of one data set, from what the user gave; too few are refused."""
    d = as_differences(x, rho=rho, names=names, resolution=resolution)
    if d.q > 1:
        raise must(
            "x",
            "have one data set for this test",
            str(d.q),
            f"Pick it with {either('x.row(name)', dataset=...)}, or use "
            f"{either('bayescmp.bayesian.hierarchical_t', test='hierarchical_t')} for all.",
        )
    if d.n[0] < least:
        raise must(
            "x",
            f"have at least {least} folds on a data set",
            f"{int(d.n[0])} on {d.datasets[0]!r}",
        )
    return d


def spread_points(half: float) -> np.ndarray:
    """Return points from -half to half, closer near 0: the tails of few folds are long."""
    return np.asarray(np.sinh(np.linspace(-1, 1, 401) * np.arcsinh(half)))


def student_density(t: np.ndarray, df: float) -> np.ndarray:
    """Return the density of Student's t, as `scipy.stats.t` has it, which takes long to import."""
    if np.isinf(df):
        return np.asarray(np.exp(-t * t / 2) / np.sqrt(2 * np.pi))
    constant = gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2
    return np.asarray(np.exp(constant - (df + 1) / 2 * np.log1p(t * t / df)))


def describe_folds(d: Differences, x: object) -> Json:
    """Return what a posterior keeps of the one data set whose differences were given as x."""
    return {
        "dataset": d.datasets[0] if isinstance(x, Differences) else "",
        "x": d.x[0],
        "rho": float(d.rho[0]),
        "names": d.names,
        **words_of(d.unit),
        **d.described(),
    }


def rounding_squares(n: int, h: float) -> float:
    """Sum of squares of n errors of rounding to a step h, each uniform on ±h/2: n·h²/12."""
    return n * h**2 / 12


def spread_of(d: Differences) -> tuple[float, tuple[str, ...]]:
    """Return the sum of squares; of equal differences, that of rounding to the resolution."""
    s = d.statistics()
    if not s.constant[0]:
        return float(s.ss[0]), ()
    known = float(d.resolution[0])
    h = step_seen(d.x) if np.isnan(known) else known
    if np.isnan(h):
        return 0.0, ()
    seen = " as seen" if np.isnan(known) else ""
    note = f"all differences are equal: spread from the metric's resolution{seen}, h = {h:.3g}"
    return rounding_squares(int(s.n[0]), h), (note,)


# The correlated t test: two algorithms on the folds of one data set.


@one_table()
def correlated_t(
    x: ArrayLike | Differences,
    *,
    rho: ArrayLike | None = None,
    rope: RopeLike | None = None,
    names: Sequence[str] | None = None,
    resolution: float | None = None,
    seed: Seed = None,
) -> CorrelatedPosterior:
    """Bayesian correlated t test of two algorithms on one data set.

    The folds' differences are normal and correlated at rho, as training sets overlap. With the
    prior p(δ, σ) ∝ 1/σ their mean δ has the posterior t_{n−1}(d̄, c·s²), c = 1/n + rho/(1 − rho).

    Parameters
    ----------
    x : Differences, DataFrame of two algorithms, or array_like of shape (n,)
        Differences of scores on one data set, second minus first, n >= 2.
    rho : float, optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays.
    rope : float or (float, float), optional
        Region of practical equivalence, in units of the metric; by default the direction is
        judged.
    names : (str, str), optional
    resolution : float, optional
        Smallest step h of the metric, for differences that are all equal: their sum of squares is
        then n·h²/12. By default known from the scores (`Scores.differences`), else the size of the
        common difference; if that is zero, the width of the ROPE, with a warning.
    seed : int or numpy Generator, optional
        Of ``draws``; nothing else is random.

    Returns
    -------
    CorrelatedPosterior

    Raises
    ------
    InputError
        More than one data set, fewer than two differences, bad ones, bad options.

    Warns
    -----
    DiagnosticWarning
        If all differences are zero and the ROPE gives the resolution.

    See Also
    --------
    robust_t, hierarchical_t, bayescmp.frequentist.corrected_t

    References
    ----------
    Corani & Benavoli (2015), Machine Learning 100:285-304, eq. (10); Nadeau & Bengio (2003),
    Machine Learning 52:239-281, for c.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
    >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01, names=("knn", "gbm"))
    >>> round(posterior.verdict().p_right, 3)
    0.994
    """
    d = read_dataset(x, rho, names, resolution)
    s = d.statistics()
    n, correlation, region = int(s.n[0]), float(s.rho[0]), as_rope(rope)
    ss, notes = spread_of(d)
    from_rope = ss == 0
    if from_rope:
        ss, notes = rounding_squares(n, region.width), (_from_rope(region),)
    return CorrelatedPosterior(
        df=n - 1,
        location=float(s.mean[0]),
        scale=_scale(n, correlation, ss),
        from_rope=from_rope,
        rope=region,
        **name_closed_form(),
        seed=seed_of(seed),
        notes=notes,
        **describe_folds(d, x),
    )


def decide_each_dataset(
    x: Differences, *, rope: RopeLike | None = None, threshold: float = 0.95, seed: Seed = None
) -> list[Verdict]:
    """Decide on each data set separately by `correlated_t`, without ``method`` and ``limits``.

    Examples
    --------
    >>> import bayescmp as bc
    >>> from bayescmp.bayesian.paired.correlated import decide_each_dataset
    >>> x = bc.Differences([[0.01, 0.03, 0.02], [0.05, 0.04, 0.06]], rho=0.3)
    >>> [v.decision for v in decide_each_dataset(x, rope=0.01)]
    ['undecided', 'second']
    """
    s, region, names = x.statistics(), as_rope(rope), x.names
    scale = np.sqrt(s.factor * s.ss / (s.n - 1))
    varying = scale > 0
    p = split_student(s.n - 1, s.mean, np.where(varying, scale, 1.0), region)
    half, common = scale * stdtrit(s.n - 1, 0.975), x.described()
    verdicts = []
    for i, (name, resampling) in enumerate(zip(x.datasets, x.rho_sentences, strict=True)):
        if not varying[i]:
            one = correlated_t(x.row(name), rope=region, seed=seed)
            verdicts.append(one.verdict_without_limits(threshold=threshold))
            continue
        origin = common | {"resampling": resampling, "left_out": None}
        facts = _facts_of(p[i], float(s.mean[i]), float(half[i])) | origin
        own = {"names": names, "rope": region, "threshold": threshold, "target": name}
        verdicts.append(Verdict.of(THREE, facts.pop("p"), facts.pop("errors"), **own, **facts))
    return verdicts


def _facts_of(p: np.ndarray, location: float, half: float) -> Json:
    """Return what a verdict keeps of the posterior of δ: `half` is half its 95% interval."""
    return {
        "p": p,
        "errors": np.zeros(3),
        "estimate": (location,),
        "mean_interval": ((location - half, location + half),),
        "floor": 1e-15,
        "exact": True,
    }


def _scale(n: int, rho: float, ss: float) -> float:
    """√(c·s²) with c = 1/n + rho/(1 − rho) (Nadeau & Bengio 2003)."""
    return float(np.sqrt(inflation(n, rho) * ss / (n - 1)))


def _from_rope(rope: Rope) -> str:
    """Return the note on differences that are all zero, and warn where the ROPE has a width."""
    text = "all differences are zero, and nothing indicates the metric's resolution"
    if not rope.width:
        return f"{text}: all mass is on one point"
    text += (
        f": the width of the ROPE is used instead, h = {rope.width:.3g}. Give resolution, e.g. "
        "1/n_test for accuracy"
    )
    warn_user(text)
    return text


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CorrelatedPosterior(Posterior):
    """Posterior of the Bayesian correlated t test: δ ~ t_df(location, scale).

    Or such a t that is part of a larger posterior. Its intervals are those of
    `bayescmp.frequentist.corrected_t`.

    Attributes
    ----------
    dataset : str
    x : ndarray of shape (n,)
        The differences, correlated at ``rho``.
    rho : float
    df : int
        Degrees of freedom, n − 1.
    location : float
        Mean of the differences.
    scale : float
        √(c·s²) with c = 1/n + rho/(1 − rho); 0 leaves all mass on one point.
    from_rope : bool
        Whether only the ROPE gives the metric's resolution: all differences are zero.
    source, prior_words : str
        What was fitted, and its prior, in words.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, 0.03]
    >>> posterior = bc.bayesian.correlated_t(x, rho=0.1, rope=0.01)
    >>> round(float(posterior.cdf(0.01)), 4)  # not practically better
    0.0058
    >>> [round(end, 4) for end in posterior.hdi(0.95)]
    [0.0149, 0.0401]
    """

    dataset: str
    x: np.ndarray = field(metadata=about("fold"))
    rho: float = field(metadata=about(least=0, below=1))
    df: int = field(metadata=about(least=1))
    location: float
    scale: float = field(metadata=about(least=0))
    from_rope: bool = False
    source: str = ""
    prior_words: str = "p(δ, σ) ∝ 1/σ"

    model: Model = DatasetModel(
        kind="correlated_t",
        method="Bayesian correlated t test",
        reference="Corani & Benavoli 2015",
        prior="{p.prior_words}",
        shows=("density",),
        picture="plot_density",
        fixed={"prior": "p(δ, σ) ∝ 1/σ has nothing to set"},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale == 0 and np.ptp(self.x) > 0:
            raise must_be("scale", "over 0, since the differences vary", self.scale)

    @property
    def unplanned(self) -> str:
        """Why there is no plan, and what to do instead."""
        if self.model is MARGINAL and self.sample == "question":
            return "Use .plan(first, second) of the posterior of all models."
        between = float(self.x.var(ddof=1))
        alone = "" if self.rho else suggest_plan(self.location, between, self.rope, self.sample)
        return alone or super().unplanned

    def pdf(self, x: ArrayLike) -> np.ndarray:
        """Return the density of δ at points in units of the metric; refused for a point mass."""
        if self.scale == 0:
            raise InputError(
                "The differences must vary for a density (got only zeros, whose posterior is a "
                "point). Use cdf, or fit with a ROPE."
            )
        t = (checks.read_numbers(x, "x", "differences") - self.location) / self.scale
        return student_density(t, self.df) / self.scale

    def cdf(self, x: ArrayLike) -> np.ndarray:
        """Return the posterior probability of a difference of at most x, in the metric's unit."""
        distance = checks.read_numbers(x, "x", "differences") - self.location
        if self.scale == 0:
            return (distance >= 0).astype(float)
        return np.asarray(stdtr(self.df, distance / self.scale))

    def quantile(self, p: ArrayLike) -> np.ndarray:
        """Return the posterior quantiles of δ, in units of the metric.

        Parameters
        ----------
        p : array_like
            Probabilities, 0 to 1.
        """
        p = checks.read_numbers(p, "p", "probabilities, 0 to 1")
        if not np.all((p >= 0) & (p <= 1)):
            raise must_be("p", "probabilities, 0 to 1", p)
        if self.scale == 0:
            return np.full(p.shape, self.location)
        # stdtrit is not odd to the last digit: the lower half serves both
        lower = np.where(p <= 0.5, p, 1 - p)
        return self.location + np.where(p <= 0.5, 1, -1) * self.scale * stdtrit(self.df, lower)

    @validate_params(prob=share)
    def hdi(self, prob: float = 0.95) -> tuple[float, float]:
        """Return the highest density interval of δ, which by symmetry is also the central one.

        Parameters
        ----------
        prob : float
            Its probability, in (0, 1).
        """
        low, high = self.quantile([(1 - prob) / 2, (1 + prob) / 2])
        return float(low), float(high)

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid, in the metric's unit; a spike for a single point."""
        if self.scale == 0:
            width = 1e-3 * (max(abs(self.location), self.rope.size) or 1.0)
            return self.location + width * np.array([-1.0, 0.0, 1.0]), np.array([0, 1 / width, 0])
        x = self.location + self.scale * spread_points(stdtrit(self.df, 0.9995))
        return x, self.pdf(x)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Independent draws of δ, "delta" of shape (chain, draw)."""
        rng = np.random.default_rng(self.seed)
        return read_only(
            {"delta": self.location + self.scale * rng.standard_t(self.df, (CHAINS, DRAWS))}
        )

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other correlations of folds, on which only the scale depends."""
        return vary_rho(self, len(self.x), "scale", probabilities_of)

    def _weigh_regions(self, rope: Rope) -> Json:
        scale = self._scale_at(rope)
        ends = rope.low - self.location, self.location - rope.high
        left, right = (self._tail(beyond, scale, rope) for beyond in ends)
        p, half = split_mass(left, right, rope), float(scale * stdtrit(self.df, 0.975))
        return _facts_of(p, self.location, half)

    def _scale_at(self, rope: Rope) -> float:
        """Return the scale that a fit with this ROPE has."""
        if not self.from_rope or not rope.width:
            return self.scale
        n = len(self.x)
        return _scale(n, self.rho, rounding_squares(n, rope.width))

    def _tail(self, beyond: float, scale: float, rope: Rope) -> float:
        """Return the posterior mass outside the bound that the location is so far beyond."""
        if scale > 0:
            return float(stdtr(self.df, beyond / scale))
        if abs(beyond) <= ROUNDING * max(abs(self.location), rope.size):
            return 0.5 if rope.empty else 0.0
        return float(beyond > 0)

    def _summary_rows(self) -> dict[str, dict[str, float]]:
        """Return the row of δ; its sd is infinite for two or three differences."""
        low, high = self.hdi(0.95)
        sd = self.scale * np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf
        sd = sd if self.scale else 0.0
        return {"delta": row_of(self.location, sd, self.location, low, high)}

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if self.source:  # part of a larger model with a different likelihood
            return {}
        location = self.draws["delta"][..., None, None]
        return draw_closed_groups(
            self.x[:, None, None], location, self.rho, "differences", self.seed
        )


#: One metric, or one weighted sum of metrics, of a closed form of several.
MARGINAL = CorrelatedPosterior.answering(
    replace(
        CorrelatedPosterior.model,
        kind="marginal_t",
        method="{p.source}",
        reference="t with {p.df} degrees of freedom",
    )
)


# The robust program's data, and the way back.


MODEL = "robust_correlated_t"


#: Variables of the program that results are made of, and whether each is a scalar.
KEEP = {"delta": True, "centre": True, "sigma": True, "nu": True}


def scale_data(d: Differences, nu_mean: float) -> tuple[StanData, float, float]:
    """Return data about their median, scaled and mirrored to one order, and the way back."""
    x = d.x[0]
    ss, _ = spread_of(d)
    if ss == 0:
        raise must(
            "resolution",
            "be given if x is zero throughout, which has no spread to estimate",
            hint="Give 1/n_test for accuracy, or use correlated_t.",
        )
    # In a unit that outliers do not move, unless most of the differences are equal; and sorted, so
    # that the order of the folds cannot change the numbers.
    centre, sd = float(np.median(x)), float(np.sqrt(ss / (len(x) - 1)))
    unit = sd if are_mostly_equal(d) else 1.4826 * float(np.median(np.abs(x - centre)))
    h = find_step(d)
    lower = 1e-3 if np.isnan(h) else max(1e-3, min(h / np.sqrt(12), sd) / unit)
    sorted_x = round_for_sampler(np.sort((x - centre) / unit))
    mirrored = 0.0 - sorted_x[::-1]
    # Differences symmetric about their median are their own mirror image: its sign decides.
    is_mirrored = (mirrored.tolist(), -centre) < (sorted_x.tolist(), centre)
    data = {
        "n": len(x),
        "x": mirrored if is_mirrored else sorted_x,
        "rho": float(d.rho[0]),
        "sigma_lower": float(round_for_sampler(lower)),
        "sigma_upper": float(round_for_sampler(1e3 * max(sd / unit, 1.0))),
        "nu_mean": float(nu_mean),
    }
    return data, centre, -unit if is_mirrored else unit


def find_step(d: Differences) -> float:
    """Return the metric's resolution; if it is not known but needed, the smallest step seen."""
    h = float(d.resolution[0])
    return step_seen(d.x) if np.isnan(h) and are_mostly_equal(d) else h


def draw_inits(data: StanData, seed: int, chains: int) -> list[dict[str, float]]:
    """Draw dispersed initial values, one mapping per chain."""
    rng = np.random.default_rng([seed, 2])
    return [
        {
            "centre": float(rng.normal(0, 0.1)),
            "log_sigma": float(rng.uniform(0.05, 0.5)),
            "nu_raw": float(rng.uniform(2, 20)),
        }
        for _ in range(chains)
    ]


def restore_units(fit: Fit, centre: float, unit: float) -> Fit:
    """Return the fit with draws in units of the metric; mirrored where the unit is negative."""
    units = {"delta": (centre, unit), "centre": (centre, unit), "sigma": (0.0, abs(unit))}
    draws = {}
    for name, values in fit.draws.items():
        shift, factor = units.get(name, (0.0, 1.0))
        draws[name] = shift + factor * values
    return Fit(fit.engine, fit.version, draws, fit.sample_stats)


def are_mostly_equal(d: Differences) -> bool:
    """Whether over half of the differences are equal: t noise then would shrink onto them."""
    x = d.x[0]
    spread = np.median(np.abs(x - np.median(x)))
    return bool(spread <= ROUNDING * max(float(np.abs(x).max()), 1e-300))


#: Variables by which the diagnostics judge.
JUDGED = ("delta", "sigma", "nu")


@one_table()
def robust_t(
    x: ArrayLike | Differences,
    *,
    rho: ArrayLike | None = None,
    rope: RopeLike | None = None,
    engine: str = "auto",
    seed: Seed = None,
    names: Sequence[str] | None = None,
    resolution: float | None = None,
    nu_mean: float = 29.0,
    chains: int = 4,
    warmup: int = 1000,
    draws: int = 1000,
    adapt_delta: float = 0.9,
    progress: bool = False,
) -> RobustPosterior:
    """Bayesian robust correlated t test of two algorithms on one data set.

    It is `correlated_t` with Student-t noise, so that outlying folds move the answer less: x_j = δ
    + σ(√rho·z_0 + √(1 − rho)·z_j) with z ~ t_ν. As ν grows it becomes the correlated t test.
    Outliers widen the interval of δ more than they move it, because z_0, which all folds share,
    has the same heavy tails.

    Parameters
    ----------
    x : Differences, DataFrame of two algorithms, or array_like of shape (n,)
        Differences of scores on one data set, second minus first, n >= 3.
    rho : float, optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays.
    rope : float or (float, float), optional
        Region of practical equivalence, in units of the metric; by default the direction is
        judged.
    engine : str
        "auto", or the name of an engine in `bayescmp.engines.engines` that fits this model.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    names : (str, str), optional
    resolution : float, optional
        Smallest step h of the metric; σ is at least the spread of rounding to it, h/√12. By
        default the smallest step seen, if over half of the differences are equal.
    nu_mean : float
        Mean of the exponential prior of ν − 1.
    chains, warmup, draws, adapt_delta, progress
        Settings of the sampler.

    Returns
    -------
    RobustPosterior

    Raises
    ------
    InputError
        More than one data set, fewer than three differences, bad ones, all equal, bad options.
    EngineError, EngineNotFound
        If the engine cannot fit the model or none is installed.

    Warns
    -----
    DiagnosticWarning
        If the diagnostics fail, also at a higher adapt_delta.

    See Also
    --------
    correlated_t, bayescmp.frequentist.wilcoxon

    References
    ----------
    Kruschke (2013), Journal of Experimental Psychology: General 142:573-603; Corani & Benavoli
    (2015), Machine Learning 100:285-304.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, -0.4]
    >>> posterior = bc.bayesian.robust_t(x, rho=0.1, rope=0.01, seed=1)  # doctest: +SKIP
    >>> posterior.verdict().p_right > 0.8  # doctest: +SKIP
    True
    >>> bc.bayesian.correlated_t(x, rho=0.1, rope=0.01).verdict().p_right < 0.4
    True
    """
    d = read_dataset(x, rho, names, resolution, least=3)
    region, number = as_rope(rope), seed_of(seed)
    positive_of_any_size(nu_mean, "nu_mean")
    settings = check_settings(chains, warmup, draws, adapt_delta)
    data, centre, unit = scale_data(d, nu_mean)  # a negative unit: mirrored
    request = FitRequest(
        MODEL, data, number, KEEP, draw_inits(data, number, chains), settings, progress
    )
    fit, diagnostics = sample(find_engine(engine, MODEL), request, JUDGED)
    step = float(d.resolution[0])
    posterior = RobustPosterior(
        nu_mean=float(nu_mean),
        resolution=None if np.isnan(step) else step,
        fit=restore_units(fit, centre, unit),
        rope=region,
        **name_engine(fit, diagnostics, number),
        notes=_robust_notes(d),
        **describe_folds(d, x),
    )
    posterior.warn_if_doubtful()
    return posterior


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RobustPosterior(Posterior):
    """Posterior of the robust correlated t test: draws of δ, σ and ν.

    δ has no mean if folds correlate (ν may be arbitrarily close to 1), but a median and intervals.

    Attributes
    ----------
    dataset : str
    x : ndarray of shape (n,)
        The differences, correlated at ``rho``.
    rho : float
    nu_mean : float
        Prior mean of ν − 1.
    fit : Fit
        The engine's fit, in units of the metric.
    resolution : float or None
        Smallest step of the metric, if it is known.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [0.02, 0.035, 0.01, 0.04, 0.025, 0.03, 0.015, 0.02, 0.05, -0.4]
    >>> posterior = bc.bayesian.robust_t(x, rho=0.1, rope=0.01, seed=1)  # doctest: +SKIP
    >>> posterior.summary().index.tolist()  # doctest: +SKIP
    ['delta', 'sigma', 'nu']
    """

    dataset: str
    x: np.ndarray = field(metadata=about("fold"))
    rho: float = field(metadata=about(least=0, below=1))
    nu_mean: float = field(metadata=about(over=1))
    fit: Fit = field(metadata=about(variables=("delta", "sigma", "nu")))
    resolution: float | None = None

    model: Model = DatasetModel(
        kind="robust_t",
        method="Bayesian robust correlated t test",
        reference="after Kruschke 2013 and Corani & Benavoli 2015",
        quantity="median difference",
        shows=("density",),
        picture="plot_density",
    )

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        return f"p(δ, σ) ∝ 1/σ, ν − 1 ~ Exponential of mean {format_exactly(self.nu_mean)}"

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of delta, sigma, nu, and centre, δ + σ√rho·z_0, each (chain, draw)."""
        return self.fit.draws

    def _weigh_regions(self, rope: Rope) -> Json:
        """Average the t's cdf given centre, σ and ν, which varies less than shares of draws."""
        masses = self._masses(rope)
        return {
            "p": masses.mean(axis=(0, 1)),
            "errors": mean_errors(masses) if self._averaged else share_errors(masses),
            **lead_of(self.draws["delta"][..., None]),
            "floor": 1 / self.draws["delta"].size,
        }

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other prior means of ν, reweighted, and other correlations of folds, exactly.

        Weights are Pareto-smoothed (Vehtari et al. 2024); with k-hat over 0.7, the model is
        refitted. The likelihood is of the centre and of σ√(1 − rho), so another rho only rescales
        σ.
        """
        average = partial(average_draws, self._masses(self.rope))
        for mean in sorted({10.0, 100.0} - {self.nu_mean}):
            ratios = (self.draws["nu"] - 1) * (1 / self.nu_mean - 1 / mean)
            again = partial(self._refit_prior, mean)
            yield (
                "prior",
                *reweigh_setting(f"mean of ν − 1 {mean:g}", ratios, average, again),
            )
        for rho in other_rhos(self.rho) if "centre" in self.draws else ():
            yield "rho", f"{rho:.3g}", self._with_rho(rho)._masses(self.rope).mean(axis=(0, 1))

    def _with_rho(self, rho: float) -> RobustPosterior:
        """Return the posterior under another correlation of folds."""
        d = self.fit.draws
        sigma = d["sigma"] * np.sqrt((1 - self.rho) / (1 - rho))
        t = np.random.default_rng(self.seed).standard_t(d["nu"])
        delta = d["centre"] - sigma * np.sqrt(rho) * t
        return replace(
            self, rho=rho, fit=replace(self.fit, draws={**d, "sigma": sigma, "delta": delta})
        )

    def _refit_prior(self, nu_mean: float) -> np.ndarray:
        """Fit the same data under another prior of ν."""
        chains, draws = self.draws["nu"].shape
        other = robust_t(
            Differences([self.x], rho=self.rho, names=self.names),
            rope=self.rope,
            engine=self.engine,
            seed=self.seed,
            resolution=self.resolution,
            nu_mean=nu_mean,
            chains=chains,
            draws=draws,
        )
        return np.asarray(other._masses(self.rope).mean(axis=(0, 1)))

    @property
    def _averaged(self) -> bool:
        """Whether δ varies given the draws of the centre; posteriors saved by 0.1 have none."""
        return self.rho > 0 and "centre" in self.draws

    def _masses(self, rope: Rope) -> np.ndarray:
        """Return probabilities of the regions for each draw, shape (chain, draw, 3)."""
        d = self.draws
        if self._averaged:
            return split_student(d["nu"], d["centre"], d["sigma"] * np.sqrt(self.rho), rope)
        left, right = d["delta"] < rope.low, d["delta"] > rope.high
        return split_mass(left.astype(float), right.astype(float), rope)

    def _summary_rows(self) -> dict[str, dict[str, float]]:
        """Return rows of δ, σ and ν; if folds correlate, the mean and sd of δ are NaN."""
        rows = {name: summary_row(self.draws[name]) for name in JUDGED}
        if self.rho > 0:
            rows["delta"] |= {"mean": np.nan, "sd": np.nan}
        return rows

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a kernel estimate of the density of δ, without tails of 0.0005 on each side."""
        return kernel_density(self.draws["delta"])

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        d = self.fit.draws
        if "centre" not in d:  # saved by 0.1
            return {}
        Sigma = (d["sigma"] ** 2)[..., None, None]
        model = FoldModel(
            self.x[:, None, None], d["centre"][..., None, None], Sigma, self.rho, d["nu"]
        )
        exponential = -(d["nu"] - 1) / self.nu_mean - np.log(self.nu_mean)
        log_prior = {"sigma": -np.log(d["sigma"]), "nu": exponential}
        return {**model.groups("differences", self.seed), "log_prior": log_prior}


def _robust_notes(d: Differences) -> tuple[str, ...]:
    if not are_mostly_equal(d):
        return ()
    return (
        f"over half of the differences are equal: σ is kept above the spread of rounding to "
        f"the metric's resolution, h = {find_step(d):.3g}",
    )
