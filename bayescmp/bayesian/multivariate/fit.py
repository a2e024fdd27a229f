"""Two algorithms on one data set in several metrics: the multivariate correlated t test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import Seed, one_of, optional, text, validate_params
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import smallest_step
from bayescmp.base.records import Record, read_only
from bayescmp.base.typing import Json, Variation
from bayescmp.base.whitening import whiten
from bayescmp.bayesian.multivariate.base import (
    ErrorSubspace,
    MetricSteps,
    SeparatingDirection,
    as_matrix,
    as_names,
    direction_of,
    find_columns,
    lend_spread,
    name_chosen,
)
from bayescmp.bayesian.multivariate.problem import (
    NOISES,
    SampledFit,
    is_closed_form,
    sample_kept,
    sample_multivariate,
)
from bayescmp.bayesian.paired.correlated import MARGINAL, CorrelatedPosterior
from bayescmp.bayesian.regions import MultivariateT, membership, region_probabilities, weigh_draws
from bayescmp.bayesian.sampling import (
    OF_METRICS,
    DatasetModel,
    average_draws,
    draw_closed_groups,
    vary_rho,
)
from bayescmp.results.arviz import row_of, summarise_draws, summary_frame
from bayescmp.results.posterior import (
    CHAINS,
    DRAWS,
    Model,
    Posterior,
    name_closed_form,
    name_engine,
    probabilities_of,
)
from bayescmp.results.verdict import Verdict, check_threshold
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.columns import UNNAMED
from bayescmp.scores.frames import arrange
from bayescmp.scores.pairing import AS_GIVEN
from bayescmp.scores.resampling import explain_rho, inflation
from bayescmp.scores.rope import Ropes, RopesLike, as_rope, as_ropes
from bayescmp.wording.text import format_count

if TYPE_CHECKING:
    from typing import Self


#: The note on a metric that does not vary.
EQUAL = "all differences in {metric} are equal"


@validate_params(engine=optional(text), noise=one_of(*NOISES))
def multivariate_t(
    x: ArrayLike | Blocks,
    *,
    rho: float | None = None,
    rope: RopesLike | None = None,
    names: Iterable[str] | None = None,
    metrics: Sequence[str] | None = None,
    resolution: ArrayLike | None = None,
    engine: str | None = None,
    noise: str = "normal",
    seed: Seed = None,
    **options: object,
) -> MultivariatePosterior | SampledMultivariatePosterior:
    """Bayesian multivariate correlated t test of two algorithms on one data set.

    The folds' differences of p metrics are normal with any covariance Σ and correlate at rho. With
    the prior p(μ, Σ) ∝ ``|Σ|^(−(p+1)/2)`` their mean has the posterior

        μ | D ~ t_{n−p}(D̄, c·S/(n − p)),  c = 1/n + rho/(1 − rho),

    where S is the scatter matrix of the differences about their means. One metric gives
    `correlated_t`. A marginal has n − p degrees of freedom and scale √(c·S_jj/(n − p)): wider than
    `correlated_t`, with n − 1. In return the ellipsoids are Hotelling's, with exact coverage.

    Parameters
    ----------
    x : Blocks of two algorithms, or array_like of shape (n, p)
        Differences, second minus first, positive if the second is better (`Blocks` are flipped,
        plain arrays used unchanged). n > p, or more than the rank of dependent metrics.
    rho : float, optional
        Correlation of two folds' differences, 1/folds for cross-validation. Required for plain
        arrays.
    rope : float, sequence of length p, or mapping of metric to rope, optional
        Regions of practical equivalence, half-widths, pairs (low, high) or `Rope`, in units of the
        metrics; by default the direction is judged. If one is 0, equivalence is not possible.
    names : (str, str), optional
        The two algorithms, in the order of the differences.
    metrics : sequence of str, optional
        The metrics; with `Blocks` or a DataFrame, those to be used.
    resolution : float or sequence of length p, optional
        Smallest step h of metrics (or NaN) whose differences are all equal: their scatter is then
        that of rounding, n·h²/12. By default the smallest step of the scores in `Blocks`, else the
        width of the ROPE, with a warning.
    engine : str, optional
        "exact", the default with normal noise, is the closed form. "auto", the default with t
        noise, and the names of engines sample by Stan.
    noise : {"normal", "t"}
        Noise of the folds; "t" is robust against outlying folds, and sampled.
    seed : int or numpy Generator, optional
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
        unknown metrics, bad options.
    EngineError, EngineNotFound
        If the requested sampler cannot run.

    Warns
    -----
    DiagnosticWarning
        If the resolution of a metric whose differences are all equal is not known.

    Notes
    -----
    Linearly dependent metrics (tp, fn, fp and tn of the same items) and constant ones leave S
    singular. The posterior is then t_{n−r} on the subspace of dimension r in which the (scaled)
    differences vary, mapped back to all p metrics for the verdict; the result's notes list
    dependent metrics.

    References
    ----------
    Corani & Benavoli (2015), Machine Learning 100:285-304, for p = 1; Geisser & Cornfield (1963),
    JRSS B 25:368-376, and Anderson (2003), section 7.7, for independent rows; Nadeau & Bengio
    (2003), Machine Learning 52:239-281, for c.

    See Also
    --------
    bayescmp.frequentist.hotelling_paired, groups, hierarchical_multivariate_t, correlated_t

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.bayesian import multivariate_t
    >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
    >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
    >>> posterior.verdict().ranked[0]
    'second'
    """
    common, declared, seen = _read_input(x, rho, names, metrics, resolution)
    differences, ropes = common["x"], as_ropes(rope, common["metrics"])
    space = ErrorSubspace.from_residuals(
        differences - differences.mean(axis=0),
        np.abs(differences).max(axis=0),
        common["metrics"],
        MetricSteps.from_resolutions(declared, seen, ropes),
        freedom=len(differences) - 1,
        have=format_count(len(differences), "fold"),
        still=EQUAL,
    )
    common["rope"] = ropes
    if is_closed_form(noise, engine, options):
        return _closed_form(space, checks.seed_of(seed), common)
    return _sample_metrics(declared, space, engine or "auto", noise, seed, options, common)


def multivariate_t_of_pair(
    x: Blocks,
    *,
    rope: RopesLike | None = None,
    seed: Seed = None,
    noise: str = "normal",
    engine: str | None = None,
    resolution: ArrayLike | None = None,
    **options: object,
) -> MultivariatePosterior | SampledMultivariatePosterior:
    """Fit `multivariate_t`, by the closed form unless a sampler is named or needed."""
    if noise == "normal":  # a closed form: one engine, and no progress to show
        engine = None if engine == "auto" else engine
        options.pop("progress", None)
    if resolution is None:
        steps = np.array([smallest_step(x.x[..., k]) for k in range(x.p)])
        resolution = None if np.isnan(steps).all() else steps
    own: Json = {**options, "noise": noise, "engine": engine, "resolution": resolution}
    return multivariate_t(x, rope=rope, seed=seed, **own)


def decide_all_pairs(
    x: Blocks, *, rope: RopesLike | None = None, seed: Seed = None, threshold: float = 0.95
) -> list[Verdict]:
    """Decide all pairs of algorithms, in their order, by `multivariate_t` with normal noise.

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


def _closed_form(space: ErrorSubspace, seed: int, common: Json) -> MultivariatePosterior:
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
    space: ErrorSubspace,
    engine: str,
    noise: str,
    seed: Seed,
    options: Json,
    common: Json,
) -> SampledMultivariatePosterior:
    """Sample an independent part of the metrics; the others follow from them."""
    if not space.kept_places:
        raise must("x", "vary in at least one metric", "equal differences in all metrics")
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
    if getattr(getattr(x, "columns", None), "nlevels", 1) > 1:
        x = Blocks(x, rho=checks.require_rho(rho))
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
    cells, (_, own) = arrange(x, "x", "block", "metric")
    values = _differences(cells)
    if own is not None and metrics is not None:
        order = checks.find_places("metric", metrics, own)
        values, own = values[:, order], tuple(own[i] for i in order)
    n, p = values.shape
    labels = checks.check_labels("metrics", metrics if own is None else own, p, "m")
    checks.check_finite(
        values,
        "x",
        lambda at: f"metric {labels[at[1]]!r} in fold {at[0] + 1} of {n}",
    )
    return {
        "x": values,
        "rho": rho,
        "names": checks.check_names(names),
        "metrics": labels,
        "dataset": "",
        "resampling": explain_rho(np.array([rho])),
        "pairing": AS_GIVEN,
    }


def _from_blocks(
    x: Blocks, rho: float | None, names: Iterable[str] | None, metrics: Sequence[str] | None
) -> tuple[np.ndarray, Json]:
    blocks = x.select(algorithms=names, metrics=metrics)
    if blocks.L != 2:
        raise must(
            "x",
            "have two algorithms for multivariate_t",
            str(blocks.L),
            "Pick them with x.pair(first, second), or use bayescmp.bayesian.groups for all.",
        )
    blocks = blocks if rho is None else replace(blocks, rho=checks.one_rho(rho))
    if blocks.n < 2:
        raise must("x", "have at least 2 folds, and more than metrics", str(blocks.n))
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
        raise must("x", f"be {accepted}", f"shape {np.shape(x)}")
    if len(values) < 2:
        raise must("x", "have at least 2 folds, and more than metrics", "1")
    values.flags.writeable = False
    return values


# The region of highest density of a multivariate t: an ellipsoid.


@dataclass(frozen=True, eq=False)
class Ellipsoid(Record):
    """Region of highest density of mass `prob`, around `centre` (p,), with `axes` (r, p)."""

    prob: float
    centre: np.ndarray
    axes: np.ndarray

    def outline(self, points: int = 361) -> np.ndarray:
        """Return points of two metrics' boundary, shape (points, 2); a segment where r = 1."""
        if len(self.centre) != 2:
            raise must(
                "metrics",
                "be two for an outline",
                str(len(self.centre)),
                "Choose them with posterior.select(metrics).",
            )
        angle = np.linspace(0, 2 * np.pi, points)
        around = np.stack([np.cos(angle), np.sin(angle)], axis=1)[:, : len(self.axes)]
        return np.asarray(self.centre + around @ self.axes)


# A posterior of several metrics that linear maps transform exactly: a multivariate t.


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MultivariatePosterior(Posterior):
    """Posterior of the mean differences μ of p metrics on one data set: a multivariate t.

    Its ellipsoids are the confidence ellipsoids of `bayescmp.frequentist.hotelling_paired`.

    Attributes
    ----------
    dataset : str
    x : ndarray of shape (n, p)
        The differences of the folds.
    rho : float
        Correlation of two of them.
    df : int
        Degrees of freedom, n − r.
    location : ndarray of shape (p,)
        Means of the differences.
    factor : ndarray of shape (p, r)
        A, with AAᵀ = c·S/(n − r) the scale matrix; r < p if metrics are dependent or constant.
    borrowed : tuple of int
        Places of metrics without spread whose resolution is their ROPE's width.
    source, prior_words : str
        What was fitted, and its prior, in words.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.bayesian import multivariate_t
    >>> x = np.array([[0.03, 0.01], [0.02, 0.03], [0.04, 0.02], [0.03, 0.03], [0.05, 0.02]])
    >>> posterior = multivariate_t(x, rho=0.2, rope=0.01, metrics=["tpr", "auc"], seed=1)
    >>> posterior.direction().formula()
    '0.73·tpr + 0.69·auc'
    """

    dataset: str
    x: np.ndarray = field(metadata=about("fold", "metric"))
    rho: float = field(metadata=about(least=0, below=1))
    df: int = field(metadata=about(least=1))
    location: np.ndarray = field(metadata=about("metric"))
    factor: np.ndarray = field(metadata=about("metric", "axis"))
    borrowed: tuple[int, ...] = ()
    source: str = "Bayesian multivariate correlated t test"
    prior_words: str = "p(μ, Σ) ∝ |Σ|^(−(p+1)/2)"
    model: Model = DatasetModel(
        kind="multivariate_t",
        method="{p.source}",
        reference="multivariate t with {p.df} degrees of freedom",
        prior="{p.prior_words}",
        shows=("regions", "folds", "ellipsoid"),
        fixed={"prior": "Jeffreys' has nothing to set"},
        dims=OF_METRICS,
    )

    @property
    def distribution(self) -> MultivariateT:
        """The posterior as a multivariate t."""
        return MultivariateT(self.df, self.location, self.factor)

    @property
    def rank(self) -> int:
        """Dimension of the subspace with all the mass; p unless metrics are dependent."""
        return int(self.factor.shape[1])

    @property
    def scale(self) -> np.ndarray:
        """The scale matrix, shape (p, p)."""
        return self.distribution.scale

    @validate_params(metric=text)
    def marginal(self, metric: str) -> CorrelatedPosterior:
        """Return the posterior of one metric's mean difference: a t with df degrees of freedom."""
        (j,) = find_columns(metric, self.metrics)
        weights = np.zeros(self.p)
        weights[j] = 1.0
        return self.project(weights, rope=self.ropes()[j], metric=metric)

    def project(
        self, weights: ArrayLike, *, rope: RopesLike = 0.0, metric: str = "projection"
    ) -> CorrelatedPosterior:
        """Return the posterior of a weighted sum of the metrics' mean differences, exactly.

        Parameters
        ----------
        weights : array_like of shape (p,)
            One per metric.
        rope : float or (float, float)
            Region of practical equivalence of the sum.
        metric : str
            Name of the sum.
        """
        w = as_matrix("weights", weights, self.p, 1)[0]
        t = self.distribution.linear(w[None])
        return CorrelatedPosterior(
            model=MARGINAL,
            df=self.df,
            location=float(t.location[0]),
            scale=float(t.scales[0]),
            dataset=self.dataset,
            x=self.x @ w,
            rho=self.rho,
            names=self.names,
            rope=as_rope(rope),
            **self.computation,
            metric=metric,
            source=self.source,
            prior_words=self.prior_words,
        )

    def transform(
        self, matrix: ArrayLike, *, metrics: Sequence[str] | None = None, rope: RopesLike = 0.0
    ) -> Self:
        """Return the posterior of linear combinations Mμ of the metrics, exactly.

        Parameters
        ----------
        matrix : array_like of shape (k, p)
            M, one row per new metric. With an invertible M it is the posterior that the
            transformed differences themselves would give; with k < r it keeps the degrees of
            freedom n − r, where a fit of k metrics alone would have n − k.
        metrics : sequence of str, optional
            Names of the k new metrics; "m1", "m2", ... if not given.
        rope : float, sequence or mapping
            Their regions of practical equivalence.
        """
        M = as_matrix("matrix", matrix, self.p, 2)
        names = as_names(metrics, len(M))
        t = self.distribution.linear(M)
        return replace(
            self,
            location=t.location,
            factor=t.factor,
            x=self.x @ M.T,
            metrics=names,
            metric=", ".join(names),
            rope=as_ropes(rope, names),
            borrowed=(),
        )

    def select(self, metrics: Sequence[str]) -> Self:
        """Return the posterior of some of the metrics, with their ROPEs, in the order given."""
        columns = find_columns(metrics, self.metrics)
        own = name_chosen(self, columns)
        chosen = self.transform(np.eye(self.p)[columns], metrics=own["metrics"], rope=own["rope"])
        return replace(
            chosen, borrowed=tuple(k for k, j in enumerate(columns) if j in self.borrowed)
        )

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Independent draws of μ, "delta" of shape (chain, draw, p)."""
        rng = np.random.default_rng(self.seed)
        return read_only({"delta": self.distribution.sample(rng, (CHAINS, DRAWS))})

    def verdict_without_limits(
        self, rope: RopesLike | None = None, *, threshold: float = 0.95
    ) -> Verdict:
        """Return the verdict, which has no limits to find."""
        return self.verdict(rope, threshold=threshold)

    def verdict(
        self, rope: RopesLike | None = None, *, threshold: float = 0.95, points: int | None = None
    ) -> Verdict:
        """Return probabilities of the four regions.

        Parameters
        ----------
        rope : float, sequence or mapping, optional
            Other regions than the test's own; see `multivariate_t`.
        threshold : float
            Probability required for a decision.
        points : int, optional
            Directions of the quasi-Monte Carlo rule, by default 16,384 in up to three dimensions,
            else 32,768. One metric and, by default, two are integrated exactly.
        """
        ropes = self.ropes(rope)
        points = None if points is None else checks.check_whole("points", points, most=10**6)
        refitted = lend_spread(self, ropes)
        p, errors = refitted.distribution.regions(ropes, seed=self.seed, points=points)
        return refitted.verdict_from(ropes, check_threshold(threshold), p, errors)

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other correlations of folds, on which only the scale matrix depends."""
        return vary_rho(self, len(self.x), "factor", probabilities_of)

    def verdict_from(
        self, ropes: Ropes, threshold: float, p: np.ndarray, errors: np.ndarray
    ) -> Verdict:
        """Decide by the regions' probabilities and their standard errors, each (4,)."""
        exact = float(errors.max()) <= 1e-15
        floor = 1e-15 if self.rank <= 1 else max(3 * float(errors.max()), 1e-12)
        half = -self.distribution.scales * stdtrit(self.df, (1 - 0.95) / 2)
        ends = zip(self.location - half, self.location + half, strict=True)
        return self.decide(
            p,
            errors,
            rope=ropes,
            threshold=threshold,
            floor=floor,
            exact=exact,
            estimate=tuple(map(float, self.location)),
            mean_interval=tuple((float(low), float(high)) for low, high in ends),
        )

    def ellipsoid(self, prob: float = 0.95) -> Ellipsoid:
        """Smallest region of that probability: {μ : (μ − D̄)ᵀ(AAᵀ)⁻¹(μ − D̄) <= r·F_{r,n−r}}.

        Parameters
        ----------
        prob : float
            Over 0 and under 1. Before the data are seen, and if folds do correlate at rho, the
            region covers the truth with the same frequency: it is Hotelling's.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired : Its confidence ellipsoid is the same.
        """
        radius = self.distribution.radius(checks.check_level(prob, "prob"))
        u, size, _ = np.linalg.svd(self.factor, full_matrices=False)
        return Ellipsoid(float(prob), self.location, radius * (u * size).T)

    def contains(self, points: ArrayLike, prob: float = 0.95) -> np.ndarray:
        """Return whether points of shape (..., p) lie in the ellipsoid of that probability."""
        x = _read_points(points, self.p)
        radius = self.distribution.radius(checks.check_level(prob, "prob"))
        return np.asarray(self.distribution.distance(x) <= radius)

    def direction(self, draws: int = 4000) -> SeparatingDirection:
        """Find the combination of metrics that separates the algorithms most, with its posterior.

        Parameters
        ----------
        draws : int
            Independent draws of (μ, Σ).

        Raises
        ------
        InputError
            If no metric varies, or draws is not a whole number.

        See Also
        --------
        bayescmp.frequentist.hotelling_paired : Its direction is the centre of this one.
        """
        return direction_of(
            self.distribution,
            n=len(self.x),
            rho=self.rho,
            metrics=self.metrics,
            seed=self.seed,
            draws=checks.check_whole("draws", draws),
        )

    def summary(self) -> pd.DataFrame:
        """Summarise the marginal posteriors: mean, sd, median, 95% interval; a row per metric."""
        x, scales = self.location, self.distribution.scales
        half = scales * stdtrit(self.df, 0.975)
        factor = np.sqrt(self.df / (self.df - 2)) if self.df > 2 else np.inf
        sds = scales * np.where(scales > 0, factor, 0.0)
        columns = zip(self.metrics, x, sds, x, x - half, x + half, strict=True)
        rows = {metric: row_of(*numbers) for metric, *numbers in columns}
        return summary_frame(rows, self.measured).rename_axis("metric")

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if self.df != len(self.x) - self.p:  # part of a larger model, or dependent metrics
            return {}
        location = self.draws["delta"][..., None, :]
        return draw_closed_groups(self.x[:, None, :], location, self.rho, "differences", self.seed)


def _read_points(points: ArrayLike, p: int) -> np.ndarray:
    accepted = f"an array of shape (..., {p})"
    x = checks.read_numbers(points, "points", accepted)
    if x.shape[-1:] != (p,):
        raise must_be("points", accepted, x)
    return x


#: A metric depends on the others where they leave less than this share of its variance.
DEPENDENT = 1e-12


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledMultivariatePosterior(Posterior):
    """Draws of the mean differences of p metrics on one data set.

    Attributes
    ----------
    dataset : str
    x : ndarray of shape (n, p)
        The differences of the folds, correlated at ``rho``.
    rho : float
    fit : SampledFit
        The draws, "delta" of shape (chain, draw, p), and the sampler's settings.
    source : str
        What was fitted, in words.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.bayesian import multivariate_t
    >>> x = np.random.default_rng(1).normal([0.02, 0.03], 0.02, size=(10, 2))
    >>> posterior = multivariate_t(x, rho=0.1, rope=0.01, noise="t", seed=1)  # doctest: +SKIP
    >>> posterior.summary().index.tolist()  # doctest: +SKIP
    ['m1', 'm2', 'nu']
    """

    dataset: str
    x: np.ndarray = field(metadata=about("fold", "metric"))
    rho: float = field(metadata=about(least=0, below=1))
    fit: SampledFit = field(metadata=about(variables=("delta",)))
    source: str = "Bayesian multivariate correlated t test by sampling"

    model: Model = DatasetModel(
        kind="multivariate_t_sampled",
        method="{p.source}",
        prior="{p.fit.prior_words}",
        shows=("regions", "folds"),
        dims=OF_METRICS,
    )

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, ...)."""
        return self.fit.draws

    @property
    def labels(self) -> dict[str, Any]:
        """The metrics that were sampled."""
        return {"sampled": list(self.fit.sampled), "sampled_": list(self.fit.sampled)}

    @property
    def reference(self) -> str:
        """The noise's distribution."""
        return "multivariate t noise" if self.fit.noise == "t" else "normal noise"

    @property
    def quantity(self) -> str:
        """The meaning of δ: with t noise the centre is a median, since a mean need not exist."""
        return "median difference" if self.fit.noise == "t" else "mean difference"

    def select(self, metrics: Sequence[str]) -> SampledMultivariatePosterior:
        """Return the draws of some of the metrics, with their ROPEs, in the order given."""
        columns = find_columns(metrics, self.metrics)
        return replace(
            self,
            fit=replace(
                self.fit,
                draws={**self.draws, "delta": self.draws["delta"][..., columns]},
                resolution=tuple(self.fit.resolution[j] for j in columns if self.fit.resolution),
            ),
            x=self.x[:, columns],
            **name_chosen(self, columns),
        )

    def _weigh_regions(self, rope: Ropes) -> Json:
        """Weigh the regions by shares of the draws, with their Monte Carlo errors."""
        return weigh_draws(self.draws["delta"], rope)

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other prior means of ν, reweighted, and other correlations of folds, exactly."""
        average = partial(average_draws, membership(self.draws["delta"], self.ropes()))
        sampler = None if self.kind == PAIR_OF_GROUPS.kind else sample_multivariate
        yield from self.fit.vary(self, "delta", sampler, average, probabilities_of)

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        if not self.fit.is_movable(self.metrics):
            return {}
        y, centre = self.x[:, None, :], self.draws["centre"][..., None, :]
        return self.fit.arviz_groups("differences", y, centre, self.rho, self.seed)

    def contains(self, points: ArrayLike, prob: float = 0.95) -> np.ndarray:
        """Whether points (..., p) lie in the draws' ellipsoid with this share of the draws."""
        x = _read_points(points, self.p)
        around, distances = self._distances
        return np.asarray(
            around.distance(x) <= np.quantile(distances, checks.check_level(prob, "prob"))
        )

    @cached_property
    def _distances(self) -> tuple[MultivariateT, np.ndarray]:
        """A distribution with the draws' mean and covariance, and their distances from it."""
        draws = self.draws["delta"].reshape(-1, self.p)
        unit = np.maximum(draws.std(axis=0), np.finfo(float).tiny)
        size, axes = np.linalg.eigh(np.cov(draws / unit, rowvar=False).reshape(self.p, self.p))
        vary = size > DEPENDENT
        factor = unit[:, None] * axes[:, vary] * np.sqrt(size[vary])
        around = MultivariateT(np.inf, draws.mean(axis=0), factor)
        return around, around.distance(draws)

    def summary(self) -> pd.DataFrame:
        """Summarise each metric's difference, and ν: mean, sd, median, central 95% interval."""
        rows = {
            m: summarise_draws(self.draws["delta"][..., j]) for j, m in enumerate(self.metrics)
        }
        if "nu" in self.draws:
            rows["nu"] = summarise_draws(self.draws["nu"])
        return summary_frame(rows, self.measured)


#: The model of two of several algorithms, which were all fitted together: it is not refitted.
PAIR_OF_GROUPS = SampledMultivariatePosterior.answering(
    replace(SampledMultivariatePosterior.model, kind="groups_pair")
)
