"""The hierarchical correlated t test: two algorithms on q data sets (Corani et al. 2017)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.bayesian.hierarchical.doubts import prior_matters, resolution_matters
from bayescmp.bayesian.hierarchical.grid import solved
from bayescmp.bayesian.hierarchical.misfit import REPLICATES, misfits
from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.prior import HierarchicalPrior
from bayescmp.bayesian.hierarchical.problem import (
    MODEL,
    UPPER,
    Scaled,
    pose,
)
from bayescmp.bayesian.sampling.run import checked_settings, sample
from bayescmp.calls import one_table
from bayescmp.checks import seed_of
from bayescmp.deferred import Kept
from bayescmp.diagnostics import Diagnostics
from bayescmp.differences import Differences, as_differences
from bayescmp.engines.base import Engine, Fit, FitRequest, SamplerSettings
from bayescmp.engines.registry import find_engine
from bayescmp.errors import InputError, warn_user
from bayescmp.verdict import Rope, as_rope

if TYPE_CHECKING:
    from bayescmp.checks import Seed
    from bayescmp.engines.quadrature import GridPosterior
    from bayescmp.verdict.rope import RopeLike


__all__ = ["hierarchical_t"]


@one_table
def hierarchical_t(
    x: ArrayLike | Differences,
    *,
    rho: ArrayLike | None = None,
    rope: RopeLike,
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
    verdict is about the next data set: for each draw of (δ0, σ0, ν), which of "first better",
    "practically equivalent", "second better" is the most probable there.

    Parameters
    ----------
    x : Differences or array_like of shape (q, n) or sequence of q one-dimensional arrays
        Differences of scores, second minus first, q >= 2 rows of n >= 2.
    rho : float or array_like of shape (q,), optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays; overrides that of a `Differences`.
    rope : float or (float, float)
        Region of practical equivalence, in units of the metric: its half-width or its two ends.
    prior : HierarchicalPrior, optional
        ``HierarchicalPrior.corani2017()`` if not given.
    engine : str
        "auto", "quadrature" (built in), "cmdstan", "bundled" or "pystan".
    seed : int or numpy Generator, optional
        The same seed gives the same numbers on the same engine.
    names : (str, str), optional
        The two algorithms.
    resolution : float or array_like of shape (q,), optional
        Smallest step h of the metric, used for rows whose differences are all equal: their spread
        is then that of rounding to this step, n·h²/12. If it is not given and the scores do not
        tell, the smallest step seen in any row; if all differences are zero, the width of the
        rope, with a warning.
    chains, warmup, draws, adapt_delta
        Settings of the sampler, for Stan engines.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    HierarchicalPosterior

    Raises
    ------
    InputError
        Bad differences, rho, rope or seed; a single data set (see `correlated_t`).
    EngineError, EngineNotFound
        If the engine can't fit the model or is not installed.

    Warns
    -----
    DiagnosticWarning
        If the posterior can't be trusted: failed diagnostics, two data sets only with a sampler,
        or an answer that depends on the resolution of constant rows.

    See Also
    --------
    correlated_t : On one data set.
    signed_rank : On means alone.
    bayescmp.frequentist.wilcoxon : The frequentist twin, on means.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Statistical comparison of classifiers
    through Bayesian hierarchical modelling, Machine Learning 106:1817-1837, section 3.

    Examples
    --------
    Four data sets, five folds each, differences of accuracy:

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
    >>> round(posterior.verdict().p_right, 1)
    0.9
    """
    differences = as_differences(x, rho=rho, names=names, resolution=resolution)
    region = as_rope(rope)
    _check_size(differences)
    chosen = find_engine(engine, MODEL)
    settings = checked_settings(chains, warmup, draws, adapt_delta)
    prior = _prior(prior)
    problem = pose(differences, prior, region)
    number = seed_of(seed)
    fit, diagnostics = _fitted(chosen, problem, number, settings, progress)
    notes = _notes(chosen, differences, prior, problem, region, fit)
    posterior = HierarchicalPosterior(
        problem=problem,
        prior=prior,
        datasets=tuple(differences.datasets),
        fit=fit,
        names=differences.names,
        rope=region,
        engine=fit.engine,
        engine_version=fit.version,
        diagnostics=_checked(diagnostics, fit, differences, problem),
        seed=number,
        notes=tuple(notes),
        unit=differences.unit,
        **differences.described(),
    )
    posterior.warn_if_doubtful()
    return posterior


def _fitted(
    engine: Engine, problem: Scaled, seed: int, settings: SamplerSettings, progress: bool
) -> tuple[Fit, Diagnostics]:
    """The fit; by a sampler of the canonical problem, so that swapping moves no draw."""
    if engine.independent:
        request = FitRequest(MODEL, problem.data, seed, settings=settings, progress=progress)
        return sample(engine, request, UPPER)
    posed, sign, rows = problem.canonical()
    fit, diagnostics = sample(engine, posed.request(seed, settings, progress), UPPER)
    back = np.argsort(rows)
    own = {
        **fit.draws,
        "delta0": sign * fit.draws["delta0"],
        "delta": sign * fit.draws["delta"][..., back],
        "sigma": fit.draws["sigma"][..., back],
    }
    return dataclasses.replace(fit, draws=own), diagnostics


def _checked(diagnostics: Diagnostics, fit: Fit, d: Differences, problem: Scaled) -> Diagnostics:
    """The diagnostics with what the model does not explain of the data."""
    if fit.density is None:
        return dataclasses.replace(diagnostics, misfit=_misfit(fit.draws, d, problem))
    kept = Kept(fit.density, partial(solved, problem))
    return dataclasses.replace(diagnostics, misfit=partial(_misfit_of_grid, kept, d, problem))


def _misfit_of_grid(kept: Kept[GridPosterior], d: Differences, problem: Scaled) -> tuple[str, ...]:
    return _misfit(kept().draws(REPLICATES, 0), d, problem)


def _misfit(draws: Mapping[str, np.ndarray], d: Differences, problem: Scaled) -> tuple[str, ...]:
    units = {"delta0": problem.scale, "sigma0": problem.scale, "nu": 1.0}
    return misfits(d, problem, {name: draws[name] * unit for name, unit in units.items()})


def _prior(prior: object) -> HierarchicalPrior:
    if prior is not None and not isinstance(prior, HierarchicalPrior):
        raise InputError(
            f"prior={prior!r}; accepted: a HierarchicalPrior, as HierarchicalPrior.corani2017() "
            "or .benavoli2017()"
        )
    return prior or HierarchicalPrior.corani2017()


def _check_size(d: Differences) -> None:
    if d.q < 2:
        raise InputError(
            "x has only one data set, which says nothing about how data sets differ: use "
            "bayescmp.bayesian.correlated_t for one data set"
        )
    short = [name for name, n in zip(d.datasets, d.n, strict=True) if n < 2]
    if short:
        raise InputError(
            f"x has a single difference for data set {short[0]!r} ({len(short)} such): at least "
            "two folds are needed; for means alone use bayescmp.bayesian.signed_rank"
        )


def _notes(
    engine: Engine,
    d: Differences,
    prior: HierarchicalPrior,
    problem: Scaled,
    rope: Rope,
    fit: Fit,
) -> list[str]:
    notes = prior_matters(d, prior, rope)
    if d.q == 2 and not engine.independent:
        warn_user(
            "two data sets: the answer is driven by the prior, and a sampler may miss the part of "
            "it near sigma0 = 0; the built-in engine (engine='quadrature') does not"
        )
    if problem.constant.any():
        notes += resolution_matters(d, problem, rope, fit.density)
    return notes
