"""The hierarchical correlated t test: two algorithms on q data sets (Corani et al. 2017).

Warnings about priors and constant rows are computed too: the verdict again under another prior or
resolution, by the built-in engine.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import Seed, one_table, optional, seed_of
from bayescmp.base.records import read_only
from bayescmp.bayesian.hierarchical.answers import grid_probabilities, region_shares, solve_problem
from bayescmp.bayesian.hierarchical.posterior import OF_RUNS, HierarchicalPosterior
from bayescmp.bayesian.hierarchical.problem import (
    MODEL,
    PRIOR,
    UPPER,
    HierarchicalPrior,
    ScaledProblem,
    pose,
)
from bayescmp.bayesian.sampling import check_settings, sample
from bayescmp.engines.base import Engine, Fit, FitRequest, SamplerSettings, find_engine
from bayescmp.engines.quadrature import GridPosterior, solve_nearby
from bayescmp.errors import warn_user
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.plan import shape_within
from bayescmp.results.posterior import name_engine
from bayescmp.scores.differences import Differences, as_differences
from bayescmp.scores.means import MeanDifferences
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.scores.runs import Runs, as_runs
from bayescmp.wording.regions import LABELS, fill_in
from bayescmp.wording.text import format_count, format_probability, words_of

# Notes for readers of a verdict: its prior, and rows without spread.


#: Up to this many data sets the verdict under the other presets is given.
FEW = {2: "two", 3: "three", 4: "four", 5: "five"}
#: The verdict may move by this much at a tenth of the resolution of constant rows.
RESOLUTION_LIMIT = 0.01
#: On the grid of the fit it must be below that by this much; otherwise a new grid is solved.
NEARBY_MARGIN = 0.007


def tell_prior(
    d: Differences | Runs | MeanDifferences, prior: HierarchicalPrior, rope: Rope
) -> list[str]:
    """Say in a sentence how far the prior decides with up to five data sets."""
    if d.q not in FEW:
        return []
    presets = (HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017())
    others = [_in_words(d, p, rope) for p in presets if p != prior]
    start = (
        f"two {d.unit}s: the answer is driven by the prior"
        if d.q == 2
        else f"{FEW[d.q]} {d.unit}s: the answer may still depend on the prior"
    )
    return [f"{start}; under {', under '.join(others)}"]


def _in_words(
    d: Differences | Runs | MeanDifferences, prior: HierarchicalPrior, rope: Rope
) -> str:
    """A preset's name and its probabilities, in words."""
    p = grid_probabilities(pose(d, prior, rope), rope)
    shape = shape_within(rope)
    parts = [
        f"{format_probability(value)} ({fill_in(LABELS, shape.name, region, d.names)})"
        for region, value in shape.key_by_region(p).items()
        if region in shape.possible and not (rope.empty and region == shape.within)
    ]
    return f"{prior.name} the probabilities are {', '.join(parts)}"


def tell_resolution(
    d: Differences | Runs, problem: ScaledProblem, rope: Rope, fitted: GridPosterior | None = None
) -> list[str]:
    """Say which rows are constant, their resolution, and whether the answer depends on it.

    Several *equal* constant rows make the likelihood improper as their spread goes to zero: the
    verdict is computed again at a tenth, and the user warned if a probability moves by more than
    0.01.
    """
    note = _constant_rows(d, problem)
    if problem.from_rope:
        warning = (
            f"{note}, which is the ROPE's width: all differences are zero, and "
            "nothing else indicates it. Give resolution, e.g. 1/n_test for accuracy"
        )
        warn_user(warning)
        return [warning]
    moved = _probability_shift(problem, rope, solve_problem(problem) if fitted is None else fitted)
    if moved <= RESOLUTION_LIMIT:
        return [note]
    warning = (
        f"{note}; the verdict depends on it: at h/10 a probability moves by {moved:.3f}. Give the "
        "metric's true resolution"
    )
    warn_user(warning)
    return [warning]


#: Note on rows whose differences are all one number.
ALIKE = "all differences equal"


def _constant_rows(d: Differences | Runs, problem: ScaledProblem) -> str:
    """Say which rows are constant, and their resolution."""
    which = [name for name, c in zip(d.datasets, problem.constant, strict=True) if c]
    steps = np.unique(problem.step[problem.constant])
    size = f"{steps[0]:.3g}" if len(steps) == 1 else f"{steps[0]:.3g} to {steps[-1]:.3g}"
    alike = "no spread between an algorithm's runs" if isinstance(d, Runs) else ALIKE
    return (
        f"{format_count(len(which), d.unit)} with {alike} "
        f"({', '.join(which[:5])}{', ...' if len(which) > 5 else ''}): spread from the metric's "
        f"resolution, h = {size}"
    )


def _probability_shift(problem: ScaledProblem, rope: Rope, grid: GridPosterior) -> float:
    """Return how far a probability moves at a tenth of the resolution."""
    here = region_shares(grid, problem, rope)
    factors = np.where(problem.constant[problem.order], 0.01, 1.0)
    near = solve_nearby(grid, factors)
    if near is not None:
        moved = float(np.abs(region_shares(near, problem, rope) - here).max())
        if moved <= RESOLUTION_LIMIT - NEARBY_MARGIN:
            return moved
    finer = dataclasses.replace(problem, data={**problem.data, "ss": problem.data["ss"] * factors})
    return float(np.abs(grid_probabilities(finer, rope) - here).max())


# Do the data look like what the hierarchical model predicts? Three checks after every fit.


#: A check warns below this probability; at most 5% of sound problems trigger any of the three.
LEVEL = 0.0125
#: Excess kurtosis at which tails count as heavy; with less they do not, however many the folds.
HEAVY = 0.5
#: A model with fewer degrees of freedom expects outlying data sets, and a fit may have that few. A
#: data set is therefore called outlying if it is improbable even under a t with this many.
LEAST_NU = 4.0
#: Fewest data sets whose means have a shape, and fewest folds whose tails have.
DATASETS, FOLDS = 6, 5
REPLICATES = 1000
#: Means that differ by less than this share of their standard errors are tied up to rounding.
ROUNDING = 1e-9


def find_misfits(
    d: Differences | Runs, problem: ScaledProblem, upper: Mapping[str, np.ndarray]
) -> tuple[str, ...]:
    """Say what the data have that the model hardly ever predicts.

    That is: folds with heavier tails than a normal's; a data set farther out, or means more
    clearly clustered, than in replicates (posterior predictive checks: Gelman, Meng & Stern 1996,
    Statistica Sinica 6:733-807), which have at least `LEAST_NU` degrees of freedom.
    """
    doubts = []
    p_tails, excess = fold_tails(d, problem.constant)
    if p_tails < LEVEL and excess > HEAVY:
        doubts.append(
            "runs have heavier tails than a normal distribution"
            if isinstance(d, Runs)
            else "folds have heavier tails than a normal distribution: see robust_t"
        )
    farthest, p_far, p_clusters = means_against_replicates(problem, upper)
    if p_far < LEVEL:
        doubts.append(f"data set {d.datasets[farthest]} lies far from the others")
    if p_clusters < LEVEL:
        doubts.append("the data sets' mean differences fall into clusters")
    return tuple(doubts)


def fold_tails(d: Differences | Runs, constant: np.ndarray) -> tuple[float, float]:
    """Return the probability of kurtosis as large as that seen, if normal, and its excess.

    Residuals from a data set's mean are distributed like residuals of independent folds. Each data
    set's kurtosis is made standard normal (Anscombe & Glynn 1983, Biometrika 70:227-234), and they
    are added.
    """
    groups = d.groups
    n, varies = np.array([len(x) for x in groups]), ~np.resize(constant, len(groups))
    sizes = np.unique(n[(n >= FOLDS) & varies])
    if not len(sizes):
        return 1.0, 0.0
    rows = [np.array([groups[i] for i in np.flatnonzero((n == k) & varies)]) for k in sizes]
    scores, excess = np.hstack([_kurtosis_scores(x) for x in rows])
    return float(special.ndtr(-scores.sum() / np.sqrt(len(scores)))), float(excess.mean())


def _kurtosis_scores(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the kurtosis of each row, made standard normal, and its excess over normal rows'."""
    n = x.shape[1]
    mean = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    excess = _kurtosis(x) - mean
    skewness = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    skewness *= np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / skewness * (2 / skewness + np.sqrt(1 + 4 / skewness**2))
    root = np.cbrt((1 - 2 / a) / (1 + excess / np.sqrt(variance) * np.sqrt(2 / (a - 4))))
    return (1 - 2 / (9 * a) - root) / np.sqrt(2 / (9 * a)), excess


def _kurtosis(x: np.ndarray) -> np.ndarray:
    """The fourth moment of each row in squared variances; a normal's for a constant row."""
    squares = (x - x.mean(axis=1, keepdims=True)) ** 2
    variance = squares.mean(axis=1)
    spread = variance > 0
    ratio = (squares**2).mean(axis=1) / np.where(spread, variance, 1.0) ** 2
    return np.where(spread, ratio, 3.0)


def means_against_replicates(
    problem: ScaledProblem, upper: Mapping[str, np.ndarray]
) -> tuple[int, float, float]:
    """Find the data set farthest out, and how often replicates are as far out, or as clustered.

    The means are replicated with the standard errors seen, more often if a quarter leaves open
    whether a proportion is below `LEVEL`.
    """
    s = problem.statistics
    error = s.within * np.sqrt(s.factor)
    tied = np.ptp(s.mean) <= ROUNDING * error.max()
    if len(s.n) < DATASETS or tied:
        return 0, 1.0, 1.0
    every = max(1, upper["nu"].size // REPLICATES)
    draws = [upper[name].ravel()[::every] for name in ("delta0", "sigma0", "nu")]
    away, kurtosis = np.abs(_standardise(s.mean[None])[0]), _kurtosis(s.mean[None])
    noise, rng = _replicate_noise(len(draws[0]), len(s.n)), np.random.default_rng(len(s.n))
    as_extreme = np.zeros((0, 2), bool)
    for part in np.array_split(np.arange(len(draws[0])), 4):
        delta0, sigma0, nu = (values[part, None] for values in draws)
        nu = np.broadcast_to(np.maximum(nu, LEAST_NU), (len(nu), len(error)))
        t = noise[0, part] / np.sqrt(rng.chisquare(nu) / nu)
        replicated = delta0 + sigma0 * t + error * noise[1, part]
        far = np.abs(_standardise(replicated)).max(axis=1) >= away.max()
        as_extreme = np.vstack([as_extreme, np.stack([far, _kurtosis(replicated) <= kurtosis], 1)])
        p = as_extreme.mean(axis=0)
        if np.all(p - LEVEL > 4 * np.sqrt(p * (1 - p) / len(as_extreme))):
            break
    return int(np.argmax(away)), float(p[0]), float(p[1])


@lru_cache(maxsize=4)
def _replicate_noise(replicates: int, datasets: int) -> np.ndarray:
    """Draw the normal deviates of replicates, which every pair on so many data sets needs."""
    return read_only(np.random.default_rng(datasets).standard_normal((2, replicates, datasets)))


def _standardise(means: np.ndarray) -> np.ndarray:
    """Return distances from the median in median absolute deviations, row by row."""
    centred = means - np.median(means, axis=1, keepdims=True)
    spread = np.median(np.abs(centred), axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(spread, 1e-300))


@one_table(prior=optional(PRIOR))
def hierarchical_t(
    x: ArrayLike | Differences | Runs,
    *,
    rho: ArrayLike | None = None,
    rope: RopeLike | None = None,
    prior: HierarchicalPrior | None = None,
    engine: str = "auto",
    seed: Seed = None,
    names: Sequence[str] | None = None,
    resolution: ArrayLike | None = None,
    chains: int = 4,
    warmup: int = 1000,
    draws: int = 1000,
    adapt_delta: float = 0.8,
    progress: bool = False,
) -> HierarchicalPosterior:
    """Bayesian hierarchical correlated t test of two algorithms on several data sets.

    Differences on each data set are normal with folds correlated at rho; the data sets' mean
    differences come from a Student-t with location δ0, scale σ0 and ν degrees of freedom. The
    verdict: in which proportion of draws of (δ0, σ0, ν) each region is the most probable on a new
    data set.

    Parameters
    ----------
    x : Differences, Runs or array_like of shape (q, n) or sequence of q one-dimensional arrays
        Differences, second minus first, q >= 2 rows of n >= 2; or unpaired `Runs`, at least 3
        each.
    rho : float or array_like of shape (q,), optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays; not for `Runs`.
    rope : float or (float, float), optional
        Region of practical equivalence, in units of the metric; by default the direction is
        judged.
    prior : HierarchicalPrior, optional
        ``HierarchicalPrior.corani2017()`` if not given.
    engine : str
        "auto", "quadrature" (built in), or the name of another in `bayescmp.engines.engines`.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    names : (str, str), optional
    resolution : float or array_like of shape (q,), optional
        Smallest step h of the metric, for rows whose differences are all equal: their spread is
        then n·h²/12. By default known from the scores, else the smallest step seen in any row; if
        all differences are zero, the width of the ROPE, with a warning.
    chains, warmup, draws, adapt_delta, progress
        Settings of the sampler, for Stan engines.

    Returns
    -------
    HierarchicalPosterior

    Raises
    ------
    InputError
        Bad differences or options; a single data set (see `correlated_t`, or `two_sample_t` for
        runs); a single run of both algorithms on a data set.
    EngineError, EngineNotFound
        If the engine cannot fit the model or is not installed.

    Warns
    -----
    DiagnosticWarning
        Failed diagnostics, two data sets only with a sampler, or an answer that depends on the
        resolution of constant rows.

    See Also
    --------
    correlated_t, signed_rank, bayescmp.frequentist.wilcoxon

    Notes
    -----
    Independent runs have one standard deviation σ_i on a data set, for both algorithms, and the
    difference of means the variance σ_i²·(1/n₁ + 1/n₂) instead of σ_i²·(1/n + rho/(1 − rho)). The
    prior's bounds are likewise from the data: σ_i ~ Uniform(0, 1000 times the pooled standard
    deviation of runs, with n₁ + n₂ − 2 degrees of freedom, averaged over data sets), σ0 ~
    Uniform(0, 1000 standard deviations of the differences of means), and δ0 within the metric's
    range, or else the largest difference of two runs.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Machine Learning 106:1817-1837, section 3.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [
    ...     [0.02, 0.03, 0.01, 0.04, 0.02],
    ...     [0.01, 0.00, 0.02, 0.01, 0.03],
    ...     [0.03, 0.05, 0.02, 0.03, 0.04],
    ...     [-0.01, 0.01, 0.00, 0.02, 0.01],
    ... ]
    >>> posterior = bc.bayesian.hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature")
    >>> posterior.verdict().decision
    'undecided'
    >>> old = [[1.2, 1.0, 1.1], [0.3, 0.5, 0.4], [2.2, 2.0, 2.1], [0.9, 0.8, 1.0]]
    >>> new = [[1.5, 1.4, 1.3], [0.6, 0.5, 0.7], [2.1, 2.6, 2.4], [1.2, 1.1, 1.3]]
    >>> runs = bc.Runs(old, new, names=("old", "new"))
    >>> posterior = bc.bayesian.hierarchical_t(runs, rope=0.1, engine="quadrature")
    >>> posterior.verdict().decision
    'second'
    """
    differences = _read(x, rho, names, resolution)
    region = as_rope(rope)
    _check_size(differences)
    chosen = find_engine(engine, MODEL)
    settings = check_settings(chains, warmup, draws, adapt_delta)
    prior = prior or HierarchicalPrior.corani2017()
    problem = pose(differences, prior, region)
    number = seed_of(seed)
    fit, diagnostics = _fit_problem(chosen, problem, number, settings, progress)
    notes = _notes(chosen, differences, prior, problem, region, fit)
    posterior = HierarchicalPosterior(
        problem=problem,
        prior=prior,
        datasets=tuple(differences.datasets),
        fit=fit,
        names=differences.names,
        rope=region,
        **name_engine(fit, _check_model(diagnostics, fit, differences, problem), number),
        notes=tuple(notes),
        **words_of(differences.unit),
        **differences.described(),
    )
    if isinstance(differences, Runs):
        posterior = dataclasses.replace(posterior, model=OF_RUNS, sample="run")
    posterior.warn_if_doubtful()
    return posterior


def _read(
    x: ArrayLike | Differences | Runs,
    rho: ArrayLike | None,
    names: Sequence[str] | None,
    resolution: ArrayLike | None,
) -> Differences | Runs:
    if not isinstance(x, Runs):
        return as_differences(x, rho=rho, names=names, resolution=resolution)
    if rho is not None:
        raise must_be("rho", "left out for independent runs, which do not pair", rho)
    return as_runs(x, names=names, resolution=resolution)


def _fit_problem(
    engine: Engine, problem: ScaledProblem, seed: int, settings: SamplerSettings, progress: bool
) -> tuple[Fit, Diagnostics]:
    """Fit the problem; a sampler gets the canonical one, so that swapping moves no draw."""
    if engine.independent:
        request = FitRequest(MODEL, problem.data, seed, settings=settings, progress=progress)
        return sample(engine, request, UPPER)
    posed, sign, rows = problem.orient_canonically()
    fit, diagnostics = sample(engine, posed.request(seed, settings, progress), UPPER)
    back = np.argsort(rows)
    own = {
        **fit.draws,
        "delta0": sign * fit.draws["delta0"],
        "delta": sign * fit.draws["delta"][..., back],
        "sigma": fit.draws["sigma"][..., back],
    }
    return dataclasses.replace(fit, draws=own), diagnostics


def _check_model(
    diagnostics: Diagnostics, fit: Fit, d: Differences | Runs, problem: ScaledProblem
) -> Diagnostics:
    """Return the diagnostics with what the model does not explain of the data."""
    draws = fit.draws if fit.density is None else fit.density.few_draws
    units = {"delta0": problem.scale, "sigma0": problem.scale, "nu": 1.0}
    upper = {name: draws[name] * unit for name, unit in units.items()}
    return dataclasses.replace(diagnostics, misfit=find_misfits(d, problem, upper))


def _check_size(d: Differences | Runs) -> None:
    if isinstance(d, Runs):
        _check_runs(d)
        return
    if d.q < 2:
        raise must(
            "x",
            "have at least two data sets, which show how data sets differ",
            "1",
            f"For one use {either('bayescmp.bayesian.correlated_t', test='correlated_t')}.",
        )
    short = [name for name, n in zip(d.datasets, d.n, strict=True) if n < 2]
    if short:
        raise must(
            "x",
            "have at least two folds on each data set",
            f"a single difference for {short[0]!r}, {len(short)} in all",
            f"For means use {either('bayescmp.bayesian.signed_rank', test='signed_rank')}.",
        )


def _check_runs(d: Runs) -> None:
    if d.q < 2:
        raise must(
            "x",
            "have at least two data sets, which show how data sets differ",
            "1",
            f"For one use {either('bayescmp.bayesian.two_sample_t', test='two_sample_t')}.",
        )
    short = [name for name, n in zip(d.datasets, d.sizes.sum(axis=1), strict=True) if n < 3]
    if short:
        raise must(
            "x",
            "have at least two runs of one algorithm on each data set",
            f"a single run of each on data set {short[0]!r}, {len(short)} in all",
            "Leave it out, or compare the means with "
            f"{either('bayescmp.bayesian.signed_rank', test='signed_rank')}.",
        )


def _notes(
    engine: Engine,
    d: Differences | Runs,
    prior: HierarchicalPrior,
    problem: ScaledProblem,
    rope: Rope,
    fit: Fit,
) -> list[str]:
    notes = tell_prior(d, prior, rope)
    if d.q == 2 and not engine.independent:
        warn_user(
            f"two {d.unit}s: the answer is driven by the prior, and a sampler may miss the part "
            f"of it near sigma0 = 0; the built-in engine ({arg('engine', 'quadrature')}) does not"
        )
    if problem.constant.any():
        notes += tell_resolution(d, problem, rope, fit.density)
    return notes
