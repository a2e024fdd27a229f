"""Several algorithms on one data set, in one metric or several: Bayesian ANOVA and MANOVA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp._version import built_in
from bayescmp.bayesian.groups.base import GroupsPosterior
from bayescmp.bayesian.groups.closed import BlockedPosterior
from bayescmp.bayesian.groups.sampled import SampledGroupsPosterior
from bayescmp.bayesian.multivariate.subspace import Subspace
from bayescmp.blocks import Blocks, scores_blocks
from bayescmp.diagnostics import Diagnostics
from bayescmp.errors import InputError, unknown_name
from bayescmp.scores import Scores
from bayescmp.verdict import as_ropes

__all__ = ["groups"]

NOISES = ("normal", "t")
UNNAMED = "data"
#: What to say of a metric without errors.
STILL = "{metric} has no error left once folds are taken out"


def groups(
    x: Any,
    metrics: Sequence[str] | str | None = None,
    *,
    rho: float | None = None,
    rope: Any,
    dataset: str | None = None,
    algorithms: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    lower_is_better: Sequence[bool] | None = None,
    resolution: ArrayLike | None = None,
    engine: str | None = None,
    noise: str = "normal",
    seed: int | np.random.Generator | None = None,
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
        Of the sampler; see `bayescmp.bayesian.groups.stan.sample_groups`.

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

    See Also
    --------
    bayescmp.frequentist.anova, bayescmp.frequentist.manova : Are all algorithms alike?
    bayescmp.frequentist.tukey, bayescmp.frequentist.pairwise_hotelling : Which pairs differ?
    multivariate_t, correlated_t : Two algorithms.

    Examples
    --------
    >>> from bayescmp.bayesian import groups
    >>> x = [[0.71, 0.74, 0.69, 0.72], [0.72, 0.74, 0.70, 0.73], [0.80, 0.83, 0.79, 0.80]]
    >>> posterior = groups(x, rho=0.25, rope=0.02, names=["knn", "svm", "gbm"], seed=1)
    >>> posterior.verdict("knn", "gbm").decision
    'second'
    >>> posterior.ranking().index.tolist()
    ['gbm', 'svm', 'knn']
    """
    blocks = _read(x, metrics, rho, dataset, algorithms, names, lower_is_better)
    checks.choice("noise", noise, NOISES)
    scores = blocks.oriented
    common = {
        "names": blocks.algorithms, "metrics": blocks.metrics, "x": scores, "rho": blocks.rho,
        "rope": as_ropes(rope, blocks.metrics), "metric": ", ".join(blocks.metrics),
        "dataset": "" if blocks.dataset == UNNAMED else blocks.dataset,
    }  # fmt: skip
    steps = checks.steps(resolution, (blocks.p,))
    space = _space(scores, blocks, steps)
    if noise == "normal" and engine in (None, "exact"):
        if options:
            raise unknown_name("option of the closed form", next(iter(options)), ["engine"])
        return _closed_form(scores, blocks, space, checks.seed_of(seed), common)
    if engine == "exact":
        raise InputError("engine='exact' has normal noise only; noise='t' needs a sampler")
    how = engine or "auto", noise, seed
    return _sampled(scores, blocks, space, how, options, common)


def errors_of(x: np.ndarray) -> np.ndarray:
    """Deviations from algorithms' and folds' means, x_ij − x̄_i − x̄_j + x̄, shape (L·n, p)."""
    deviation = x - x.mean(axis=1, keepdims=True)
    return np.asarray((deviation - deviation.mean(axis=0)).reshape(-1, x.shape[-1]))


def _space(x: np.ndarray, blocks: Blocks, steps: np.ndarray) -> Subspace:
    """The subspace in which errors vary."""
    return Subspace.of(
        errors_of(x), np.abs(x).max(axis=(0, 1)), blocks.metrics, steps,
        freedom=(blocks.L - 1) * (blocks.n - 1),
        have=f"{blocks.L} algorithms on {blocks.n} folds",
    )  # fmt: skip


def _closed_form(
    x: np.ndarray, blocks: Blocks, space: Subspace, seed: int, common: dict[str, Any]
) -> BlockedPosterior:
    inflation = 1 / blocks.n + blocks.rho / (1 - blocks.rho)
    means = x.mean(axis=1)
    # differences of two algorithms then scatter by n·h²/12, as in `multivariate_t`
    root = space.root((blocks.L - 1) * blocks.n / 2)
    return BlockedPosterior(
        df=space.df, location=means - means.mean(axis=0),
        factor=root * np.sqrt(2 * inflation / space.df), engine="exact",
        engine_version=built_in(), diagnostics=Diagnostics(exact=True), seed=seed,
        notes=space.notes(STILL), **common,
    )  # fmt: skip


def _sampled(
    x: np.ndarray,
    blocks: Blocks,
    space: Subspace,
    how: tuple[str, str, Any],
    options: Mapping[str, Any],
    common: dict[str, Any],
) -> SampledGroupsPosterior:
    """Draws of an independent part of the metrics; the others follow from them."""
    from bayescmp.bayesian.groups.stan import sample_groups

    engine, noise, seed = how
    kept = space.kept
    if not kept:
        raise InputError("no metric has any error left: there is nothing to sample")
    steps = space.steps[kept]
    names = tuple(blocks.metrics[j] for j in kept)
    sampled = sample_groups(
        x[..., kept], rho=blocks.rho, noise=noise, engine=engine, seed=seed, metrics=names,
        resolution=None if np.all(np.isnan(steps)) else steps, **options,
    )  # fmt: skip
    means = x.mean(axis=1)
    centre = means - means.mean(axis=0)
    tau = centre + (sampled.draws["tau"] - centre[:, kept]) @ space.map_back
    unknown = replace(space, steps=np.full(blocks.p, np.nan))
    posterior = SampledGroupsPosterior(
        values={**sampled.draws, "tau": tau}, noise=noise, sampled=names,
        prior_words=sampled.prior_text, sample_stats=sampled.fit.sample_stats,
        engine=sampled.fit.engine, engine_version=sampled.fit.version,
        diagnostics=sampled.diagnostics, seed=sampled.seed,
        notes=(*sampled.notes, *unknown.notes(STILL)), **common,
    )  # fmt: skip
    posterior.warn_if_doubtful()
    return posterior


# -- reading -----------------------------------------------------------------------------------


def _read(
    x: Any, metrics: Sequence[str] | str | None, rho: float | None, dataset: str | None,
    algorithms: Sequence[str] | None, names: Sequence[str] | None,
    lower: Sequence[bool] | None,
) -> Blocks:  # fmt: skip
    wanted = [metrics] if isinstance(metrics, str) else metrics
    if hasattr(x, "columns"):
        x = Scores(x)
    if isinstance(x, Scores):
        blocks = scores_blocks(x, metrics=wanted, dataset=dataset, algorithms=algorithms, rho=rho)
    elif isinstance(x, Blocks):
        blocks = x.select(algorithms=algorithms, metrics=wanted)
        blocks = blocks if rho is None else replace(blocks, rho=checks.one_rho(rho))
    else:
        blocks = Blocks(
            x, rho=checks.require_rho(rho), algorithms=names or algorithms, metrics=wanted,
            lower_is_better=lower,
        )  # fmt: skip
    if blocks.L < 2 or blocks.n < 2:
        raise InputError(
            f"x has {blocks.L} algorithm{'s' if blocks.L > 1 else ''} on {blocks.n} "
            f"fold{'s' if blocks.n > 1 else ''}; at least two of each are needed"
        )
    return blocks
