"""Several algorithms on one data set, in one metric or several: Bayesian ANOVA and MANOVA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must
from bayescmp.base.checks import Seed, one_of, optional, text, validate_params
from bayescmp.base.magnitudes import TIED, smallest_step
from bayescmp.base.typing import Json
from bayescmp.base.version import built_in
from bayescmp.bayesian.groups.base import GroupsPosterior, errors_of
from bayescmp.bayesian.groups.own import LEVEL, NoiseLevels, OwnVariancePosterior
from bayescmp.bayesian.groups.posterior import (
    BlockedPosterior,
    SampledGroupsPosterior,
    sample_groups,
)
from bayescmp.bayesian.multivariate.base import ErrorSubspace, MetricSteps
from bayescmp.bayesian.multivariate.problem import NOISES, is_closed_form, sample_kept
from bayescmp.bayesian.sampling import diagnose_chains
from bayescmp.results.posterior import name_closed_form, name_engine
from bayescmp.scores.blocks import Blocks, scores_blocks
from bayescmp.scores.columns import UNNAMED
from bayescmp.scores.frames import is_labelled, label_kinds
from bayescmp.scores.resampling import inflation
from bayescmp.scores.rope import Ropes, RopesLike, as_ropes
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_count, words_of

# Scores of several algorithms on the same folds, as the posteriors of their effects need them.


#: The note on a metric without errors.
STILL = "{metric} has no error left once fold effects are removed"


@dataclass(frozen=True, eq=False)
class GroupsData:
    """Scores (L, n, p), higher is better, and what all posteriors of them have in common.

    `declared` (p,) are given resolutions or NaN; `space` is the errors' subspace; `common` holds
    attributes of every posterior.
    """

    x: np.ndarray
    rho: float
    names: tuple[str, ...]
    declared: np.ndarray
    space: ErrorSubspace
    common: Json

    @classmethod
    def from_blocks(cls, blocks: Blocks, ropes: Ropes, declared: np.ndarray) -> GroupsData:
        """Read blocks; more metrics than degrees of freedom are refused."""
        x = blocks.oriented
        seen = np.array([smallest_step(x[..., j]) for j in range(blocks.p)])
        space = ErrorSubspace.from_residuals(
            errors_of(x),
            np.abs(x).max(axis=(0, 1)),
            blocks.metrics,
            MetricSteps.from_resolutions(declared, seen, ropes),
            freedom=(blocks.L - 1) * (blocks.n - 1),
            have=f"{blocks.L} algorithms on {format_count(blocks.n, 'fold')}",
            still=STILL,
        )
        common = {
            "names": blocks.algorithms,
            "metrics": blocks.metrics,
            "x": x,
            "rho": blocks.rho,
            "rope": ropes,
            "metric": ", ".join(blocks.metrics),
            **blocks.described(),
            "dataset": "" if blocks.dataset == UNNAMED else blocks.dataset,
            **words_of(blocks.unit),
            **({"sample": blocks.sample} if blocks.sample else {}),
        }
        return cls(x, blocks.rho, blocks.algorithms, declared, space, common)

    @property
    def inflation(self) -> float:
        """The factor c = 1/n + rho/(1 − rho) of the variance of a mean over folds."""
        return inflation(self.x.shape[1], self.rho)

    @property
    def location(self) -> np.ndarray:
        """Observed effects, shape (L, p)."""
        means = self.x.mean(axis=1)
        return np.asarray(means - means.mean(axis=0))

    @property
    def roundings(self) -> float:
        """Number of rounding errors in the scatter: a difference of two then has n·h²/12."""
        L, n, _ = self.x.shape
        return (L - 1) * n / 2

    @property
    def root(self) -> np.ndarray:
        """B of shape (p, r) with BBᵀ the scatter of the errors."""
        return self.space.root(self.roundings)

    # A noise level for each.

    def levels(self, seed: int) -> NoiseLevels | None:
        """The posterior of the algorithms' noise levels; None if nothing distinguishes them."""
        L, n, _ = self.x.shape
        if L < 3 or not self.space.space.rank:
            return None
        errors = (self.space.residuals @ self.space.whitener).reshape(L, n, -1)
        scatter = np.einsum("ija,kjb->ikab", errors, errors)
        each = np.arange(L)
        scatter[each, each] += self._rounding
        return NoiseLevels(scatter, n, seed)

    @cached_property
    def _is_alike(self) -> np.ndarray:
        """Whether an algorithm differs from another by the same amount in every fold: (L, p)."""
        limit = TIED * np.abs(self.x).max(axis=(0, 1))
        alike = np.zeros((len(self.x), self.x.shape[2]), dtype=bool)
        for i in range(len(self.x)):
            for k in range(i):
                same = np.ptp(self.x[i] - self.x[k], axis=0) <= limit
                alike[i] |= same
                alike[k] |= same
        alike[:, self.space.constant_places] = False
        return alike

    @property
    def _rounding(self) -> np.ndarray:
        """Scatter of rounding of algorithms that are alike, in whitened coordinates: (L, k, k)."""
        variance = self._is_alike * self.space.steps.size**2 * self.x.shape[1] / 24
        M = self.space.whitener
        return np.einsum("ja,ij,jb->iab", M, variance, M)

    @property
    def notes_on_alike(self) -> tuple[str, ...]:
        """Notes on algorithms that are alike."""
        return tuple(
            f"{metric} of {' and '.join(np.array(self.names)[self._is_alike[:, j]])} differs by "
            f"the same amount in every fold: spread from its resolution, h = {h:.3g}"
            for j, (metric, h) in enumerate(
                zip(self.space.metrics, self.space.steps.size, strict=True)
            )
            if self._is_alike[:, j].any()
        )

    def errors(self, levels: NoiseLevels, shares: np.ndarray) -> np.ndarray:
        """E(π) in all r coordinates, those of rounding last: (..., r, r)."""
        varying = levels.errors(shares)
        k, still = varying.shape[-1], len(self.space.constant_places)
        whole = np.zeros((*shares.shape[:-1], k + still, k + still))
        whole[..., :k, :k] = varying
        own = (1 - np.sum(shares**2, axis=-1)) / (shares.shape[-1] - 1)
        at = np.arange(k, k + still)
        whole[..., at, at] = own[..., None]
        return whole

    def against_equal(self, seed: int) -> tuple[str, ...]:
        """Notes where one covariance is taken for all, and a check rejects it."""
        levels = self.levels(seed)
        if levels is None or levels.check.allows:
            return ()
        return (
            f"one covariance for all {self.common['subject']}s, though a check rejects "
            f"it ({levels.check}); {arg('variances', 'own')} with normal noise has one "
            "for each",
        )


VARIANCES = ("auto", "equal", "own")


@validate_params(engine=optional(text), variances=one_of(*VARIANCES), noise=one_of(*NOISES))
def groups(
    x: Blocks | Scores | pd.DataFrame | ArrayLike,
    metrics: Sequence[str] | str | None = None,
    *,
    rho: float | None = None,
    rope: RopesLike | None = None,
    dataset: str | None = None,
    algorithms: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    lower_is_better: bool | Sequence[bool] | None = None,
    resolution: ArrayLike | None = None,
    variances: str = "auto",
    engine: str | None = None,
    noise: str = "normal",
    seed: Seed = None,
    **options: object,
) -> GroupsPosterior:
    """Bayesian comparison of L algorithms on one data set, with folds as blocks.

    Scores of algorithm i on fold j are x_ij = μ + τ_i + β_j + ε_ij, ε ~ N_p(0, Σ), with fold
    effects β_j common to all algorithms, and errors of two folds that correlate at rho. With the
    prior ∝ ``|Σ|^(−(p+1)/2)`` the difference of any two algorithms has the posterior

        τ_j − τ_i | x ~ t_{ν_e−p+1}(x̄_j − x̄_i, 2c·W/(ν_e − p + 1)),  c = 1/n + rho/(1 − rho),

    with W the scatter matrix of the errors and ν_e = (L − 1)(n − 1): the Bayesian MANOVA, with one
    metric the Bayesian ANOVA, with two algorithms `multivariate_t`. All pairs share one Σ, which
    multiplies the degrees of freedom by L − 1.

    If a check rejects that, errors of algorithm i have covariance Σ/π_i with shares π_i of the
    total precision, π ~ Dirichlet(1, …, 1). Given π, differences are multivariate t as above, with
    (1/π_i + 1/π_k)·E(π) instead of 2W, where E(π) is the scatter of the errors about fold effects
    weighted by π; draws of π average them. `compare_all` instead estimates each pair's variance
    separately.

    Parameters
    ----------
    x : Blocks, Scores, DataFrame of scores, or array_like of shape (L, n) or (L, n, p)
        Scores of the algorithms on the same folds.
    metrics : sequence of str, optional
        Metrics to be used; names for the metrics of a plain array.
    rho : float, optional
        Correlation of two folds' errors, 1/folds for cross-validation. Required for plain arrays.
    rope : float, sequence of length p, or mapping of metric to rope, optional
        Regions of practical equivalence, in units of the metrics; by default the direction is
        judged.
    dataset, algorithms : optional
        For `Scores`: which data set, if there are several, and which algorithms.
    names : sequence of str, optional
        Names of a plain array's algorithms.
    lower_is_better : bool or sequence of bool, optional
        For a plain array; by default taken from the metrics' names.
    resolution : float or sequence of length p, optional
        Smallest step of each metric, for metrics without error, and for two algorithms whose
        scores differ alike in every fold: they get the spread of rounding to that step. By default
        the smallest step of the scores; if all are equal, the ROPE's width, with a warning.
    variances : {"auto", "equal", "own"}
        One variance for all algorithms, or one for each; "auto" takes one for all if a likelihood
        ratio test of sphericity has a p-value of 0.2 or more. The result's notes have the test.
    engine : str, optional
        "exact", the default with normal noise, is the closed form; "auto", the default with t
        noise, and the names of engines sample by Stan.
    noise : {"normal", "t"}
        "t" is robust against outlying folds, and sampled.
    seed : int or numpy Generator, optional
    **options
        For the sampler; see `bayescmp.bayesian.multivariate.problem.sample_folds`.

    Returns
    -------
    BlockedPosterior (one variance for all), OwnVariancePosterior, or SampledGroupsPosterior
        With `verdict`, `verdicts`, `joint`, `ranking`, `cliques` and `learned`, for instance.

    Raises
    ------
    InputError
        Missing or infinite scores, folds that don't pair, too few algorithms or folds (for so many
        metrics), unknown names, bad options.
    EngineError, EngineNotFound
        If the requested sampler cannot run.

    Warns
    -----
    DiagnosticWarning
        If chains of π disagree; if the resolution of a metric without error is not known.

    References
    ----------
    Box & Tiao (1973), Bayesian Inference in Statistical Analysis, sections 2.11, 8.4 and 8.5, for
    independent errors; Grubbs (1948), Journal of the American Statistical Association 43:243-264,
    for a variance for each; Nadeau & Bengio (2003), Machine Learning 52:239-281, for c.

    See Also
    --------
    bayescmp.frequentist.anova, bayescmp.frequentist.manova, bayescmp.frequentist.tukey

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
    blocks = _read_blocks(x, metrics, rho, dataset, algorithms, names, lower_is_better)
    data = GroupsData.from_blocks(
        blocks,
        as_ropes(rope, blocks.metrics),
        checks.check_steps(checks.by_name("resolution", resolution, blocks.metrics), (blocks.p,)),
    )
    if is_closed_form(noise, engine, options):
        return _built_in(data, variances, checks.seed_of(seed))
    if variances == "own":
        raise must(
            "variances",
            "be 'equal' with another engine or noise",
            repr("own"),
            f"It is built in, with normal noise: leave out {arg('engine')} and {arg('noise')}.",
        )
    return _sample_groups(data, engine or "auto", noise, seed, options)


def _built_in(data: GroupsData, variances: str, seed: int) -> GroupsPosterior:
    """Take equal variances in closed form where the check allows them, else one for each."""
    levels = data.levels(seed)
    if levels is None:  # two algorithms have one difference, and no errors nothing to weigh
        if variances == "own":
            raise must(
                "variances",
                "be 'equal' for two algorithms, or without a metric with errors",
                repr("own"),
                "With two algorithms, only the variance of their difference is identified.",
            )
        return _fit_equal(data, seed, ())
    check = levels.check
    if variances == "own" or (variances == "auto" and not check.allows):
        return _fit_own_variances(data, levels, seed)
    verb = "allows" if check.allows else "rejects"
    note = f"one variance for all {data.common['subject']}s: a check at level {LEVEL} {verb} it"
    return _fit_equal(data, seed, (f"{note} ({check})",))


def _fit_equal(data: GroupsData, seed: int, notes: tuple[str, ...]) -> BlockedPosterior:
    data.space.warn_if_borrowed()
    df = data.space.df
    return BlockedPosterior(
        df=df,
        location=data.location,
        factor=data.root * np.sqrt(2 * data.inflation / df),
        borrowed=data.space.borrowed,
        **name_closed_form(),
        seed=seed,
        notes=(*notes, *data.space.notes),
        **data.common,
    )


def _fit_own_variances(data: GroupsData, levels: NoiseLevels, seed: int) -> OwnVariancePosterior:
    data.space.warn_if_borrowed()
    pi, one = levels.draws, data.common["subject"]
    # A step of the chain moves all shares: the least and the largest show whether it is stuck.
    order = np.argsort(pi.mean(axis=(0, 1)))[[0, -1]]
    logs = {f"log pi[{data.names[i]}]": np.log(pi[..., i]) for i in order}
    why = (
        ", as requested"
        if levels.check.allows
        else f": a check at level {LEVEL} rejects a common one"
    )
    note = f"the variance differs between {one}s{why} ({levels.check})"
    posterior = OwnVariancePosterior(
        location=data.location,
        root=data.root,
        shares=pi,
        errors=data.errors(levels, pi),
        engine="metropolis",
        engine_version=built_in(),
        diagnostics=diagnose_chains(logs),
        seed=seed,
        notes=(note, *data.notes_on_alike, *data.space.notes),
        **data.common,
    )
    posterior.warn_if_doubtful()
    return posterior


def _sample_groups(
    data: GroupsData, engine: str, noise: str, seed: Seed, options: Mapping[str, Any]
) -> SampledGroupsPosterior:
    """Draw an independent part of the metrics; the others follow from them."""
    if not data.space.kept_places:
        raise must("x", "vary in at least one metric", "no metric with an error left")
    data.space.warn_if_borrowed()
    sampled, fit = sample_kept(
        sample_groups,
        data.x,
        data.space,
        "tau",
        location=data.location,
        roundings=data.roundings * data.inflation,
        resolution=data.declared,
        rho=data.rho,
        noise=noise,
        engine=engine,
        seed=seed,
        **options,
    )
    tau = fit.draws["tau"]
    tau -= tau.mean(axis=-2, keepdims=True)
    posterior = SampledGroupsPosterior(
        fit=fit,
        **name_engine(sampled.fit, sampled.diagnostics, sampled.seed),
        notes=(*data.against_equal(sampled.seed), *sampled.notes, *data.space.notes),
        **data.common,
    )
    posterior.warn_if_doubtful()
    return posterior


# Reading.


def _read_blocks(
    x: Any,
    metrics: Sequence[str] | str | None,
    rho: float | None,
    dataset: str | None,
    algorithms: Sequence[str] | None,
    names: Sequence[str] | None,
    lower: bool | Sequence[bool] | None,
) -> Blocks:
    wanted = [metrics] if isinstance(metrics, str) else metrics
    if hasattr(x, "columns"):
        kinds = label_kinds(x)
        folds = rho is None and kinds & {"fold", "repeat", "seed"}
        if dataset is not None or folds or kinds & {"dataset", "algorithm"}:
            x = Scores(x)
    if isinstance(x, Scores | Blocks):
        kind = type(x).__name__
        checks.check_unused(f"{kind} name their algorithms; algorithms= picks some", names=names)
        checks.check_unused(f"{kind} know which way is better", lower_is_better=lower)
    elif names is not None:
        checks.check_unused("names= names the algorithms", algorithms=algorithms)
    if not isinstance(x, Scores):
        checks.check_unused("x has one data set", dataset=dataset)
    if isinstance(x, Scores):
        blocks = scores_blocks(x, metrics=wanted, dataset=dataset, algorithms=algorithms, rho=rho)
    elif isinstance(x, Blocks):
        blocks = x.select(algorithms=algorithms, metrics=wanted)
        blocks = blocks if rho is None else replace(blocks, rho=checks.one_rho(rho))
    else:
        own = algorithms if names is None else names
        levels = getattr(getattr(x, "columns", None), "nlevels", 1) > 1
        blocks = Blocks(
            x,
            rho=checks.require_rho(rho),
            algorithms=None if is_labelled(x) else own,
            metrics=None if levels else wanted,
            lower_is_better=lower,
        )
        if is_labelled(x):
            blocks = blocks.select(algorithms=own, metrics=wanted)
    if blocks.L < 2 or blocks.n < 2:
        words = words_of(blocks.unit)
        raise must(
            "x",
            f"have at least two {words['subject']}s on at least two {words['sample']}s",
            f"{blocks.L} on {blocks.n}",
        )
    return blocks
