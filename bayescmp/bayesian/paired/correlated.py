"""Tests of two algorithms on the folds of one data set: correlated t, and its robust version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayescmp.bayesian.paired.base import CorrelatedPosterior
from bayescmp.bayesian.paired.robust import RobustPosterior
from bayescmp.bayesian.sampling.run import checked_settings, sample
from bayescmp.diagnostics import Diagnostics
from bayescmp.differences import ROUNDING, Differences, as_differences, smallest_step
from bayescmp.engines.base import Fit, FitRequest
from bayescmp.engines.registry import find_engine
from bayescmp.errors import InputError
from bayescmp.posterior import seed_of
from bayescmp.verdict import as_rope

__all__ = ["correlated_t", "robust_t"]

MODEL = "robust_correlated_t"
#: Variables of the program that results are made of, and whether each is a scalar.
KEEP = {"delta": True, "sigma": True, "nu": True}


def correlated_t(
    x: Any,
    *,
    rho: Any = None,
    rope: Any,
    names: Sequence[str] | None = None,
    resolution: float | None = None,
    seed: Any = None,
) -> CorrelatedPosterior:
    """Bayesian correlated t test of two algorithms on one data set.

    Differences of folds are normal and correlate at rho, for training sets overlap. With the prior
    p(δ, σ) ∝ 1/σ their mean δ has the posterior t_{n−1}(d̄, c·s²), c = 1/n + rho/(1 − rho).

    Parameters
    ----------
    x : Differences or array_like of shape (n,)
        Differences of scores on one data set, second minus first, n >= 2.
    rho : float, optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for bare
        arrays; overrides that of a `Differences`.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric: its half-width or its two ends.
    names : (str, str), optional
        The two algorithms.
    resolution : float, optional
        Smallest step h of the metric, for differences that are all equal: their sum of squares is
        then that of rounding to this step, n·h²/12. Known from the scores where x comes from
        `Scores.differences`; where it is not known, all mass is on the common difference.
    seed : int or numpy Generator, optional
        Of ``draws``; nothing else is random.

    Returns
    -------
    CorrelatedPosterior

    Raises
    ------
    InputError
        More than one data set, fewer than two differences, missing or infinite ones, a bad rho,
        rope, resolution or seed.

    References
    ----------
    Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets, Machine Learning 100:285-304; Nadeau & Bengio (2003), Machine Learning
    52:239-281, for c.
    """
    d = _one_dataset(x, rho, names, resolution)
    s = d.statistics()
    n, correlation = int(s.n[0]), float(s.rho[0])
    ss, notes = _spread(d)
    inflation = 1 / n + correlation / (1 - correlation)
    return CorrelatedPosterior(
        df=n - 1, location=float(s.mean[0]), scale=float(np.sqrt(inflation * ss / (n - 1))),
        dataset=_name(d, x), x=d.x[0], rho=correlation, names=d.names, rope=as_rope(rope),
        engine="exact", engine_version=_version(), diagnostics=Diagnostics(exact=True),
        seed=seed_of(seed), metric=d.metric, notes=notes,
    )  # fmt: skip


def robust_t(
    x: Any,
    *,
    rho: Any = None,
    rope: Any,
    engine: str = "auto",
    seed: Any = None,
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

    As `correlated_t`, with Student-t noise of ν degrees of freedom, so that outlying folds do not
    move the answer: x_j = δ + σ(√rho·z_0 + √(1 − rho)·z_j), z ~ t_ν, which keeps the correlation
    rho between folds. As ν grows it is the correlated t test.

    Parameters
    ----------
    x : Differences or array_like of shape (n,)
        Differences of scores on one data set, second minus first, n >= 3.
    rho : float, optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for bare
        arrays; overrides that of a `Differences`.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric.
    engine : str
        "auto", "cmdstan" or "pystan".
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    names : (str, str), optional
        The two algorithms.
    resolution : float, optional
        Smallest step h of the metric; σ is not allowed under the spread of rounding to it, h/√12.
        Where it is not known and over half of the differences are equal, the smallest step seen.
    nu_mean : float
        Mean of the exponential prior of ν − 1.
    chains, warmup, draws, adapt_delta
        Settings of the sampler.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    RobustPosterior

    Raises
    ------
    InputError
        More than one data set, fewer than three differences, missing or infinite ones, all of
        them equal, a bad rho, rope, resolution, nu_mean or seed.
    EngineError, EngineNotFound
        If the engine can't fit the model or none is installed.

    Warns
    -----
    DiagnosticWarning
        If the diagnostics fail, also at a higher adapt_delta.

    References
    ----------
    Kruschke (2013), Bayesian estimation supersedes the t test, Journal of Experimental Psychology:
    General 142:573-603; Corani & Benavoli (2015), Machine Learning 100:285-304.
    """
    d = _one_dataset(x, rho, names, resolution, least=3)
    region, number = as_rope(rope), seed_of(seed)
    if not 0 < nu_mean < float("inf"):
        raise InputError(f"nu_mean={nu_mean!r}; accepted: a positive number")
    settings = checked_settings(chains, warmup, draws, adapt_delta)
    data, centre, unit = _scaled(d, nu_mean)
    request = FitRequest(
        MODEL, data, number, KEEP, _inits(data, number, chains),
        settings, progress,
    )  # fmt: skip
    fit, diagnostics = sample(find_engine(engine, MODEL), request, tuple(KEEP))
    posterior = RobustPosterior(
        nu_mean=float(nu_mean), fit=_unscaled(fit, centre, unit), dataset=_name(d, x), x=d.x[0],
        rho=float(d.rho[0]), names=d.names, rope=region, engine=fit.engine,
        engine_version=fit.version, diagnostics=diagnostics, seed=number, metric=d.metric,
        notes=_robust_notes(d),
    )  # fmt: skip
    posterior._warn(stacklevel=3)
    return posterior


def _one_dataset(
    x: Any, rho: Any, names: Sequence[str] | None, resolution: Any, least: int = 2
) -> Differences:
    d = as_differences(x, rho=rho, names=names)
    if d.q > 1:
        raise InputError(
            f"x has {d.q} data sets, this test takes one: pick it with x.row(name), or use "
            "bayescmp.bayesian.hierarchical_t for all of them"
        )
    if d.n[0] < least:
        raise InputError(
            f"x has {d.n[0]} difference{'s' if d.n[0] > 1 else ''} for data set "
            f"{d.datasets[0]!r}; at least {least} folds are needed"
        )
    return d if resolution is None else d._with(d.x, resolution=resolution)


def _name(d: Differences, x: Any) -> str:
    """The data set's name, where it was given one."""
    return d.datasets[0] if isinstance(x, Differences) else ""


def _spread(d: Differences) -> tuple[float, tuple[str, ...]]:
    """Sum of squares; of differences that are all equal that of rounding, if its step is known."""
    s = d.statistics()
    if not s.constant[0]:
        return float(s.ss[0]), ()
    h = float(d.resolution[0])
    if np.isnan(h):
        return 0.0, ("all differences are equal, and the metric's resolution is not known: all "
                     "mass is on one point",)  # fmt: skip
    note = f"all differences are equal: spread from the metric's resolution, h = {h:.3g}"
    return float(s.n[0]) * h**2 / 12, (note,)


def _scaled(d: Differences, nu_mean: float) -> tuple[dict[str, Any], float, float]:
    """Data of the program, about their median and in units of their spread, and the way back."""
    x = d.x[0]
    ss, _ = _spread(d)
    if ss == 0:
        raise InputError(
            "the differences are all equal, and the metric's resolution is not known: there is no "
            "spread to estimate; give resolution (1/n_test for accuracy), or use correlated_t"
        )
    # In a unit that outliers do not move, unless most of the differences are equal; and sorted, so
    # that the order of the folds cannot change the numbers.
    centre, sd = float(np.median(x)), float(np.sqrt(ss / (len(x) - 1)))
    unit = sd if _mostly_equal(d) else 1.4826 * float(np.median(np.abs(x - centre)))
    h = _step(d)
    lower = 1e-3 if np.isnan(h) else max(1e-3, min(h / np.sqrt(12), sd) / unit)
    data = {"n": len(x), "x": np.sort((x - centre) / unit), "rho": float(d.rho[0]),
            "sigma_lower": lower, "sigma_upper": 1e3 * max(sd / unit, 1.0),
            "nu_mean": float(nu_mean)}  # fmt: skip
    return data, centre, unit


def _step(d: Differences) -> float:
    """The metric's resolution; where it is not known but needed, the smallest step seen."""
    h = float(d.resolution[0])
    return smallest_step(d.x[0]) if np.isnan(h) and _mostly_equal(d) else h


def _mostly_equal(d: Differences) -> bool:
    """Whether over half of the differences are equal: t noise then would shrink onto them."""
    x = d.x[0]
    spread = np.median(np.abs(x - np.median(x)))
    return bool(spread <= ROUNDING * max(float(np.abs(x).max()), 1e-300))


def _robust_notes(d: Differences) -> tuple[str, ...]:
    if not _mostly_equal(d):
        return ()
    return (f"over half of the differences are equal: σ is kept above the spread of rounding to "
            f"the metric's resolution, h = {_step(d):.3g}",)  # fmt: skip


def _inits(data: dict[str, Any], seed: int, chains: int) -> list[dict[str, float]]:
    rng = np.random.default_rng([seed, 2])
    return [
        {"centre": float(rng.normal(0, 0.1)), "log_sigma": float(rng.uniform(0.05, 0.5)),
         "nu_raw": float(rng.uniform(2, 20))}
        for _ in range(chains)
    ]  # fmt: skip


def _unscaled(fit: Fit, centre: float, unit: float) -> Fit:
    draws = {"delta": centre + unit * fit.draws["delta"], "sigma": unit * fit.draws["sigma"],
             "nu": fit.draws["nu"]}  # fmt: skip
    return Fit(fit.engine, fit.version, draws, fit.sample_stats)


def _version() -> str:
    from bayescmp import __version__

    return f"built in, bayescmp {__version__}"
