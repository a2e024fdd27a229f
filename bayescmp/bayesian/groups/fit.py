"""Several algorithms on one data set, in one metric or several: Bayesian ANOVA and MANOVA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.groups.closed import BlockedPosterior
from bayescmp.bayesian.groups.sampled import SampledGroupsPosterior
from bayescmp.bayesian.multivariate.fit import as_steps
from bayescmp.blocks import Blocks, scores_blocks
from bayescmp.diagnostics import Diagnostics
from bayescmp.differences import check_rho
from bayescmp.errors import InputError, unknown_name
from bayescmp.posterior import seed_of
from bayescmp.scores import Scores
from bayescmp.verdict import as_ropes
from bayescmp.whitening import Whitening, describe, few_folds, whiten

__all__ = ["groups"]

NOISES = ("normal", "t")
UNNAMED = "data"


def groups(
    x: Any,
    metrics: Sequence[str] | str | None = None,
    *,
    rho: Any = None,
    rope: Any,
    dataset: str | None = None,
    algorithms: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    lower_is_better: Sequence[bool] | None = None,
    resolution: Any = None,
    engine: str | None = None,
    noise: str = "normal",
    seed: Any = None,
    **options: Any,
) -> GroupsPosterior:
    """Bayesian comparison of L algorithms on one data set, with folds as blocks.

    The scores of algorithm i on fold j are x_ij = μ + τ_i + β_j + ε_ij, ε ~ N_p(0, Σ): folds that
    are easy for one algorithm are easy for all. Errors of two folds correlate at rho, for training
    sets overlap. With the prior ∝ |Σ|^(−(p+1)/2) the difference of any two algorithms has the
    posterior

        τ_j − τ_i | x ~ t_{ν_e−p+1}(x̄_j − x̄_i, 2c·W/(ν_e − p + 1)),  c = 1/n + rho/(1 − rho),

    W the scatter matrix of the errors and ν_e = (L − 1)(n − 1): the Bayesian MANOVA, with one
    metric the Bayesian ANOVA. Two algorithms give `multivariate_t`. All pairs share one Σ, so
    each verdict has L − 1 times the degrees of freedom that its own folds would give, at the price
    of taking the errors of all algorithms to be alike.

    Parameters
    ----------
    x : Blocks, Scores, DataFrame of scores, or array_like of shape (L, n) or (L, n, p)
        Scores of the algorithms on the same folds.
    metrics : sequence of str, optional
        Metrics to be used; names for those of a bare array.
    rho : float, optional
        Correlation of two folds' errors, 1/folds for cross-validation. Required for bare arrays;
        overrides that of `Blocks` and the fold labels.
    rope : float, sequence of length p, or mapping of metric to rope
        Region of practical equivalence, for all metrics or one a metric, in their units.
    dataset, algorithms : optional
        Of `Scores`: which data set, where there are several, and which algorithms.
    names : sequence of str, optional
        Names of a bare array's algorithms.
    lower_is_better : sequence of bool, optional
        Of a bare array, one a metric; as the metrics' names tell if not given.
    resolution : float or sequence of length p, optional
        Smallest step of each metric, for metrics without any error; as in `multivariate_t`.
    engine : str, optional
        "exact" is the closed form, taken with normal noise if not given; "auto", "cmdstan" or
        "pystan" sample by Stan, "auto" with t noise if not given.
    noise : {"normal", "t"}
        "t" is robust against outlying folds, and sampled.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.
    **options
        Of the sampler; see `bayescmp.bayesian.groups_sampled.sample_groups`.

    Returns
    -------
    BlockedPosterior, or SampledGroupsPosterior
        ``verdict(first, second)``, ``verdicts()`` and ``frame()`` of all pairs, ``joint()``,
        ``ranking()``, ``rank_probabilities()``, ``p_best()``, ``cliques()``, ``learned()``.

    Raises
    ------
    InputError
        Missing or infinite scores, folds that don't pair, fewer than two algorithms or folds, too
        few of them for so many metrics, unknown names or options, a bad rho, rope, resolution or
        seed.
    EngineError, EngineNotFound
        If a sampler is asked for that can't run.

    References
    ----------
    Box & Tiao (1973), Bayesian Inference in Statistical Analysis, sections 2.11, 8.4 and 8.5, for
    independent errors; Nadeau & Bengio (2003), Machine Learning 52:239-281, for c.
    """
    blocks = _read(x, metrics, rho, dataset, algorithms, names, lower_is_better)
    if noise not in NOISES:
        raise unknown_name("noise", noise, NOISES)
    scores = blocks.oriented
    common = {
        "names": blocks.algorithms, "metrics": blocks.metrics, "x": scores, "rho": blocks.rho,
        "rope": as_ropes(rope, blocks.metrics), "metric": ", ".join(blocks.metrics),
        "dataset": "" if blocks.dataset == UNNAMED else blocks.dataset,
    }  # fmt: skip
    steps = as_steps(resolution, blocks.p)
    space = _space(scores, blocks)
    if noise == "normal" and engine in (None, "exact"):
        if options:
            raise unknown_name("option of the closed form", next(iter(options)), ["engine"])
        return _closed_form(scores, blocks, space, steps, seed_of(seed), common)
    if engine == "exact":
        raise InputError("engine='exact' has normal noise only; noise='t' needs a sampler")
    how = engine or "auto", noise, seed
    return _sampled(scores, blocks, space, steps, how, options, common)


def errors_of(x: np.ndarray) -> np.ndarray:
    """Deviations from algorithms' and folds' means, x_ij − x̄_i − x̄_j + x̄, shape (L·n, p)."""
    deviation = x - x.mean(axis=1, keepdims=True)
    return np.asarray((deviation - deviation.mean(axis=0)).reshape(-1, x.shape[-1]))


def _space(x: np.ndarray, blocks: Blocks) -> Whitening:
    """The subspace in which errors vary."""
    freedom = (blocks.L - 1) * (blocks.n - 1)
    space = whiten(errors_of(x), np.abs(x).max(axis=(0, 1)))
    varying = int(np.sum(~space.constant))
    if int(space.rank) >= freedom and varying > int(space.rank):
        raise few_folds(
            x.reshape(-1, blocks.p), freedom, blocks.metrics,
            f"{blocks.L} algorithms on {blocks.n} folds",
        )  # fmt: skip
    return space


def _closed_form(
    x: np.ndarray,
    blocks: Blocks,
    space: Whitening,
    steps: np.ndarray,
    seed: int,
    common: dict[str, Any],
) -> BlockedPosterior:
    freedom = (blocks.L - 1) * (blocks.n - 1)
    root = _error_root(x, blocks, space, steps)
    rank = root.shape[1]
    if freedom < rank:
        raise few_folds(
            x.reshape(-1, blocks.p), freedom, blocks.metrics,
            f"{blocks.L} algorithms on {blocks.n} folds",
        )  # fmt: skip
    df = freedom - max(rank, 1) + 1
    inflation = 1 / blocks.n + blocks.rho / (1 - blocks.rho)
    means = x.mean(axis=1)
    return BlockedPosterior(
        df=df, location=means - means.mean(axis=0), factor=root * np.sqrt(2 * inflation / df),
        engine="exact", engine_version=_version(), diagnostics=Diagnostics(exact=True), seed=seed,
        notes=_notes(x, blocks, space, steps), **common,
    )  # fmt: skip


def _error_root(x: np.ndarray, blocks: Blocks, space: Whitening, steps: np.ndarray) -> np.ndarray:
    """B of shape (p, r) with BBᵀ = W; metrics without errors have those of rounding."""
    residuals = np.where(space.constant, 0.0, errors_of(x))
    basis = space.basis[:, np.linalg.norm(space.basis, axis=0) > 0]
    sizes = np.linalg.norm((residuals / space.scale) @ basis, axis=0)
    root = space.scale[:, None] * basis * sizes
    known = np.flatnonzero(space.constant & np.isfinite(steps))
    rounding = np.zeros((blocks.p, len(known)))
    # differences of two algorithms then scatter by n·h²/12, as in `multivariate_t`
    rounding[known, np.arange(len(known))] = steps[known] * np.sqrt((blocks.L - 1) * blocks.n / 24)
    return np.hstack([root, rounding])


def _notes(x: np.ndarray, blocks: Blocks, space: Whitening, steps: np.ndarray) -> tuple[str, ...]:
    """Which metrics are dependent, or have no error."""
    residuals = np.where(space.constant, 0.0, errors_of(x))
    constant, dependent, told = describe(residuals, space, blocks.metrics)
    notes = [t for t in told if not t.startswith("tested in")]
    for metric, h in zip(blocks.metrics, steps, strict=True):
        if metric in constant:
            from_step = f"spread from its resolution, h = {h:.3g}" if np.isfinite(h) else (
                "its resolution is not known, so all mass is on the mean differences"
            )  # fmt: skip
            notes.append(f"{metric} has no error left once folds are taken out: {from_step}")
    if dependent or any(not np.isfinite(steps[blocks.metrics.index(m)]) for m in constant):
        known = int(np.sum(space.constant & np.isfinite(steps)))
        notes.append(
            f"the posterior lies on a subspace of dimension {int(space.rank) + known} of "
            f"{blocks.p} metrics; verdicts are over all of them"
        )
    return tuple(notes)


def _sampled(
    x: np.ndarray,
    blocks: Blocks,
    space: Whitening,
    steps: np.ndarray,
    how: tuple[str, str, Any],
    options: Mapping[str, Any],
    common: dict[str, Any],
) -> SampledGroupsPosterior:
    """Draws of an independent part of the metrics; the others follow from them."""
    from bayescmp.bayesian.groups.stan import sample_groups

    engine, noise, seed = how
    residuals = np.where(space.constant, 0.0, errors_of(x))
    constant, dependent, _ = describe(residuals, space, blocks.metrics)
    kept = [j for j, m in enumerate(blocks.metrics) if m not in (*constant, *dependent)]
    if not kept:
        raise InputError("no metric has any error left: there is nothing to sample")
    found = sample_groups(
        x[..., kept], rho=blocks.rho, noise=noise, engine=engine, seed=seed,
        metrics=[blocks.metrics[j] for j in kept],
        resolution=None if np.all(np.isnan(steps[kept])) else steps[kept], **options,
    )  # fmt: skip
    means = x.mean(axis=1)
    centre = means - means.mean(axis=0)
    map_back, *_ = np.linalg.lstsq(residuals[:, kept], residuals, rcond=None)
    tau = centre + (found.draws["tau"] - centre[:, kept]) @ map_back
    posterior = SampledGroupsPosterior(
        values={**found.draws, "tau": tau}, noise=noise,
        sampled=tuple(blocks.metrics[j] for j in kept), prior_words=found.prior_text,
        sample_stats=found.fit.sample_stats, engine=found.fit.engine,
        engine_version=found.fit.version, diagnostics=found.diagnostics, seed=found.seed,
        notes=(*found.notes, *_notes(x, blocks, space, np.full(blocks.p, np.nan))), **common,
    )  # fmt: skip
    posterior._warn(stacklevel=4)
    return posterior


# -- reading -----------------------------------------------------------------------------------


def _read(
    x: Any, metrics: Any, rho: Any, dataset: Any, algorithms: Any, names: Any, lower: Any
) -> Blocks:
    wanted = [metrics] if isinstance(metrics, str) else metrics
    if hasattr(x, "columns"):
        x = Scores(x)
    if isinstance(x, Scores):
        blocks = scores_blocks(x, metrics=wanted, dataset=dataset, algorithms=algorithms, rho=rho)
    elif isinstance(x, Blocks):
        blocks = x.select(algorithms=algorithms, metrics=wanted)
        blocks = blocks if rho is None else _with_rho(blocks, rho)
    else:
        if rho is None:
            raise InputError(
                "rho is missing: bare numbers do not tell how strongly folds overlap. Give "
                "rho=1/folds for (repeated) cross-validation, e.g. rho=0.1 for 10-fold; rho=0 for "
                "independent test sets"
            )
        blocks = Blocks(x, rho=rho, algorithms=names or algorithms, metrics=wanted,
                        lower_is_better=lower)  # fmt: skip
    if blocks.L < 2 or blocks.n < 2:
        raise InputError(
            f"x has {blocks.L} algorithm{'s' if blocks.L > 1 else ''} on {blocks.n} "
            f"fold{'s' if blocks.n > 1 else ''}; at least two of each are needed"
        )
    return blocks


def _with_rho(blocks: Blocks, rho: Any) -> Blocks:
    if np.ndim(check_rho(rho)):
        raise InputError(f"rho={rho!r}; accepted: one number, 0 <= rho < 1")
    return replace(blocks, rho=rho)


def _version() -> str:
    from bayescmp import __version__

    return f"built in, bayescmp {__version__}"
