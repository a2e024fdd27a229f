"""Two algorithms on one data set in several metrics: the multivariate correlated t test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.checks import Seed, declare, one_of, optional, text
from bayescmp.base.magnitudes import smallest_step
from bayescmp.base.typing import Json
from bayescmp.base.whitening import whiten
from bayescmp.bayesian.multivariate.base import Steps, Subspace
from bayescmp.bayesian.multivariate.posterior import (
    MultivariatePosterior,
    SampledMultivariatePosterior,
)
from bayescmp.bayesian.multivariate.problem import sample_kept, sample_multivariate
from bayescmp.bayesian.regions import region_probabilities
from bayescmp.errors import InputError, unknown_name
from bayescmp.results.posterior import name_closed_form, name_engine
from bayescmp.results.verdict import Verdict
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.columns import UNNAMED
from bayescmp.scores.differences import labels_of
from bayescmp.scores.resampling import explain_rho, inflation
from bayescmp.scores.rope import Ropes, RopesLike, as_ropes
from bayescmp.wording.text import format_count

NOISES = ("normal", "t")
#: The note on a metric that does not vary.
EQUAL = "all differences in {metric} are equal"


@declare(engine=optional(text), noise=one_of(*NOISES))
def multivariate_t(
    x: ArrayLike | Blocks,
    *,
    rho: float | None = None,
    rope: RopesLike,
    names: Iterable[str] | None = None,
    metrics: Sequence[str] | None = None,
    resolution: ArrayLike | None = None,
    engine: str | None = None,
    noise: str = "normal",
    seed: Seed = None,
    **options: object,
) -> MultivariatePosterior | SampledMultivariatePosterior:
    """Bayesian multivariate correlated t test of two algorithms on one data set.

    The folds' differences of p metrics are normal with any covariance Σ and correlate at rho,
    because training sets overlap. With the prior p(μ, Σ) ∝ ``|Σ|^(−(p+1)/2)`` their mean has the
    posterior

        μ | D ~ t_{n−p}(D̄, c·S/(n − p)),  c = 1/n + rho/(1 − rho),

    where S is the scatter matrix of the differences about their means. One metric gives
    `correlated_t`. With several, a metric's marginal is a t with n − p degrees of freedom and
    scale √(c·S_jj/(n − p)): wider than `correlated_t` of that metric alone, which has n − 1. In
    return the ellipsoids are Hotelling's: with folds that correlate at rho they cover the truth
    exactly as often as they say.

    Parameters
    ----------
    x : Blocks of two algorithms, or array_like of shape (n, p)
        Differences, second minus first, positive where the second is better (metrics for which
        lower is better are flipped in `Blocks`; plain arrays are taken as they are). A DataFrame's
        columns name the metrics. n > p, or more than the rank where metrics are dependent.
    rho : float, optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays; overrides that of `Blocks`.
    rope : float, sequence of length p, or mapping of metric to rope
        Region of practical equivalence, for all metrics or one per metric: half-widths, pairs
        (low, high) or `Rope`, in units of the metrics. Where one is 0 equivalence is not possible.
    names : (str, str), optional
        The two algorithms. With `Blocks`, two of theirs; differences follow this order.
    metrics : sequence of str, optional
        The metrics; with `Blocks` or a DataFrame, those to be used.
    resolution : float or sequence of length p, optional
        Smallest step h of each metric (NaN where not known), for metrics whose differences are all
        equal: their scatter is then that of rounding to this step, n·h²/12, independent of the
        other metrics. If not given, the smallest step of the scores in `Blocks`; where it is not
        known, the width of the rope, with a warning.
    engine : str, optional
        "exact", the default with normal noise, is the closed form. "auto", the default with t
        noise, and the names of engines sample by Stan; with normal noise this checks the closed
        form.
    noise : {"normal", "t"}
        Noise of the folds; "t" is robust against outlying folds, and sampled.
    seed : int or numpy Generator, optional
        For the quasi-Monte Carlo rule and the draws; the same seed gives the same numbers.
    **options
        For the sampler: prior, lkj, nu_mean, chains, warmup, draws, adapt_delta, progress; see
        `bayescmp.bayesian.multivariate.problem.sample_multivariate`.

    Returns
    -------
    MultivariatePosterior, or SampledMultivariatePosterior
        ``verdict()`` has the regions equivalent, first, second and trade_off.

    Raises
    ------
    InputError
        Missing or infinite differences, too few folds for so many metrics, not two algorithms,
        unknown metrics or options, a bad rho, rope, resolution or seed.
    EngineError, EngineNotFound
        If a sampler is asked for that can't run.

    Warns
    -----
    DiagnosticWarning
        If the resolution of a metric whose differences are all equal is not known.

    Notes
    -----
    Linearly dependent metrics (tp, fn, fp and tn of the same items) and constant ones leave S
    singular. The posterior then lives on the subspace in which the differences do vary, of
    dimension r, with n − r degrees of freedom: t_{n−r} there, mapped back to all p metrics for the
    verdict. The rank is found after scaling the metrics, so it does not depend on their units; the
    result's notes say which metrics follow from which.

    References
    ----------
    Corani & Benavoli (2015), Machine Learning 100:285-304, for p = 1; Geisser & Cornfield (1963),
    Journal of the Royal Statistical Society B 25:368-376, and Anderson (2003), section 7.7, for
    independent rows; Nadeau & Bengio (2003), Machine Learning 52:239-281, for c.

    See Also
    --------
    bayescmp.frequentist.hotelling_paired : Its twin.
    groups : Several algorithms.
    hierarchical_multivariate_t : Several data sets.
    correlated_t : One metric.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.bayesian import multivariate_t
    >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
    >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
    >>> posterior.verdict().ranked[0]
    'second'
    >>> posterior.df
    3
    """
    common, declared, seen = _read_input(x, rho, names, metrics, resolution)
    differences, ropes = common["x"], as_ropes(rope, common["metrics"])
    space = Subspace.from_residuals(
        differences - differences.mean(axis=0),
        np.abs(differences).max(axis=0),
        common["metrics"],
        Steps.from_resolutions(declared, seen, ropes),
        freedom=len(differences) - 1,
        have=format_count(len(differences), "fold"),
        still=EQUAL,
    )
    common["rope"] = ropes
    if noise == "normal" and engine in (None, "exact"):
        if options:
            raise unknown_name("option of the closed form", next(iter(options)), ["engine"])
        return _closed_form(space, checks.seed_of(seed), common)
    if engine == "exact":
        raise InputError("engine='exact' has normal noise only; noise='t' needs a sampler")
    return _sample_metrics(declared, space, engine or "auto", noise, seed, options, common)


def decide_all_pairs(
    x: Blocks, *, rope: RopesLike, seed: Seed = None, threshold: float = 0.95
) -> list[Verdict]:
    """Decide all pairs of algorithms, in their order, by `multivariate_t` with normal noise.

    Pairs all of whose metrics vary, independently, are integrated together.

    Examples
    --------
    >>> import numpy as np
    >>> import bayescmp as bc
    >>> from bayescmp.bayesian.multivariate.fit import decide_all_pairs
    >>> x = np.random.default_rng(1).normal([[[0]], [[1]], [[5]]], 1, (3, 8, 2))
    >>> [v.decision for v in decide_all_pairs(bc.Blocks(x, rho=0.1), rope=0.5, seed=1)]
    ['undecided', 'second', 'second']
    """
    varying = _decide_varying(x, as_ropes(rope, x.metrics), checks.seed_of(seed), threshold)
    return [
        varying.get(pair)
        or multivariate_t(x.pair(*pair), rope=rope, seed=seed).verdict(threshold=threshold)
        for pair in combinations(x.algorithms, 2)
    ]


def _decide_varying(
    x: Blocks, ropes: Ropes, seed: int, threshold: float
) -> dict[tuple[str, str], Verdict]:
    """Decide those pairs together in all of whose metrics differences vary, independently."""
    first, second = np.array(list(combinations(range(x.L), 2))).T
    folds, (n, p) = x.oriented[second] - x.oriented[first], x.x.shape[1:]
    location = folds.mean(axis=1)
    residuals = folds - location[:, None]
    space = whiten(residuals, np.abs(folds).max(axis=1))
    whole = np.flatnonzero((space.rank == p) & (n > p))
    if not len(whole):
        return {}
    lengths = np.linalg.norm(residuals / space.scale[:, None] @ space.basis, axis=1)
    factor = space.scale[..., None] * space.basis * lengths[:, None]
    factor *= np.sqrt(inflation(n, x.rho) / (n - p))
    numbers = region_probabilities(n - p, location[whole], factor[whole], ropes, seed=seed)
    common, *_ = _read_input(x.select(algorithms=x.algorithms[:2]), None, None, None, None)
    common |= {"rope": ropes, **name_closed_form(), "df": n - p, "seed": seed}
    verdicts = {}
    for k, shares, errors in zip(whole.tolist(), *numbers, strict=True):
        pair = x.algorithms[first[k]], x.algorithms[second[k]]
        own = {"names": pair, "x": folds[k], "location": location[k], "factor": factor[k]}
        posterior = MultivariatePosterior(**common | own)
        verdicts[pair] = posterior.verdict_from(ropes, threshold, shares, errors)
    return verdicts


def _closed_form(space: Subspace, seed: int, common: Json) -> MultivariatePosterior:
    space.warn_if_borrowed()
    n = len(common["x"])
    return MultivariatePosterior(
        df=space.df,
        location=common["x"].mean(axis=0),
        factor=space.root(n) * np.sqrt(inflation(n, common["rho"]) / space.df),
        borrowed=space.borrowed,
        **name_closed_form(),
        seed=seed,
        notes=space.notes,
        **common,
    )


def _sample_metrics(
    declared: np.ndarray,
    space: Subspace,
    engine: str,
    noise: str,
    seed: Seed,
    options: Json,
    common: Json,
) -> SampledMultivariatePosterior:
    """Sample an independent part of the metrics; the others follow from them."""
    if not space.kept_places:
        raise InputError("the differences do not vary in any metric: there is nothing to sample")
    space.warn_if_borrowed()
    x, rho = common["x"], common["rho"]
    sampled, fit = sample_kept(
        sample_multivariate,
        x,
        space,
        "delta",
        location=x.mean(axis=0),
        roundings=len(x) * inflation(len(x), rho),
        resolution=declared,
        rho=rho,
        noise=noise,
        engine=engine,
        seed=seed,
        **options,
    )
    posterior = SampledMultivariatePosterior(
        fit=fit,
        **name_engine(sampled.fit, sampled.diagnostics, sampled.seed),
        notes=(*sampled.notes, *space.notes),
        **common,
    )
    posterior.warn_if_doubtful()
    return posterior


# Reading.


def _read_input(
    x: ArrayLike | Blocks,
    rho: float | None,
    names: Iterable[str] | None,
    metrics: Sequence[str] | None,
    resolution: ArrayLike | None,
) -> tuple[Json, np.ndarray, np.ndarray]:
    """Return what a posterior keeps, and resolutions as declared and as seen, each (p,)."""
    if isinstance(x, Blocks):
        scores, common = _from_blocks(x, rho, names, metrics)
    else:
        common = _from_array(x, rho, names, metrics)
        scores = common["x"]
    labels = common["metrics"]
    common["metric"] = ", ".join(labels)
    given = checks.by_name("resolution", resolution, labels)
    seen = np.array([smallest_step(scores[..., j]) for j in range(len(labels))])
    return common, checks.check_steps(given, seen.shape), seen


def _from_array(
    x: ArrayLike,
    rho: float | None,
    names: Iterable[str] | None,
    metrics: Sequence[str] | None,
) -> Json:
    rho = checks.require_rho(rho)
    values, own = _differences(x), labels_of(x, 1)
    if own is not None and metrics is not None:
        order = checks.find_places("metric", metrics, own)
        values, own = values[:, order], [own[i] for i in order]
    n, p = values.shape
    labels = checks.check_labels("metrics", metrics if own is None else own, p, "m")
    checks.check_finite(
        values,
        "x",
        lambda at: f"metric {labels[at[1]]!r} in fold {at[0] + 1} of {n}",
        "every fold needs a finite score of both",
    )
    return {
        "x": values,
        "rho": rho,
        "names": checks.check_names(names),
        "metrics": labels,
        "dataset": "",
        "resampling": explain_rho(np.array([rho])),
    }


def _from_blocks(
    x: Blocks, rho: float | None, names: Iterable[str] | None, metrics: Sequence[str] | None
) -> tuple[np.ndarray, Json]:
    blocks = x.select(algorithms=names, metrics=metrics)
    if blocks.L != 2:
        raise InputError(
            f"x has {blocks.L} algorithms, this test takes two: pick them with x.pair(first, "
            "second), or use bayescmp.bayesian.groups for all of them"
        )
    blocks = blocks if rho is None else replace(blocks, rho=checks.one_rho(rho))
    if blocks.n < 2:
        raise InputError(f"x has {blocks.n} fold; at least 2 are needed, and more than metrics")
    return blocks.x, {
        "x": blocks.differences(0, 1),
        "rho": blocks.rho,
        "names": checks.check_names(blocks.algorithms),
        "metrics": blocks.metrics,
        "dataset": "" if blocks.dataset == UNNAMED else blocks.dataset,
        **blocks.described(),
    }


def _differences(x: ArrayLike) -> np.ndarray:
    accepted = "Blocks of two algorithms, or (n, p) differences, n folds and p metrics"
    values = checks.read_numbers(x, "x", accepted)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"x has shape {np.shape(x)}; accepted: {accepted}")
    if len(values) < 2:
        raise InputError("x has 1 fold; at least 2 are needed, and more than metrics")
    values.flags.writeable = False
    return values
