"""Two algorithms whose runs have separate seeds: two t samples of unequal variances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from scipy.special import stdtr, stdtrit

from bayescmp.base.arguments import must
from bayescmp.base.checks import (
    Seed,
    check_names,
    check_vector,
    flag,
    seed_of,
    text,
    validate_params,
)
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import TIED, smallest_step
from bayescmp.base.records import read_only
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.paired.correlated import spread_points, student_density
from bayescmp.results.arviz import row_of
from bayescmp.results.plan import suggest_plan
from bayescmp.results.posterior import (
    CHAINS,
    DRAWS,
    Model,
    Posterior,
    name_closed_form,
    probabilities_of,
    split_mass,
)
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import NOT_PAIRED
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.scores.runs import SAMPLES, Runs

# The distribution of a difference of two independent t variables (Behrens and Fisher).


#: Gauss-Legendre nodes of a panel, and what may be left out on either side.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
BEYOND = 1e-18


@dataclass(frozen=True)
class BehrensFisher:
    """The distribution of location + scale₂·t₂ - scale₁·t₁, with independent Student t₁ and t₂.

    Probabilities integrate those of the wider variable over the narrower one, by panels that
    double in width from its bulk and from the step of the other's distribution function. One scale
    is positive; infinite degrees of freedom are normal.
    """

    location: float
    scales: tuple[float, float]
    dfs: tuple[float, float]

    @property
    def sd(self) -> float:
        """Standard deviation, infinite where either has 2 degrees of freedom or fewer."""
        parts = [
            0.0 if scale == 0 else scale**2 / (1 - 2 / df) if df > 2 else np.inf
            for scale, df in zip(self.scales, self.dfs, strict=True)
        ]
        return float(np.sqrt(sum(parts)))

    def cdf(self, x: ArrayLike) -> np.ndarray:
        """Return the probability of at most x, without loss of digits in the lower tail."""
        return self._average_over_narrower(x, lambda gap, wide, df: stdtr(df, gap / wide))

    def sf(self, x: ArrayLike) -> np.ndarray:
        """Return the probability of more than x, without loss of digits in the upper tail."""
        return self._average_over_narrower(x, lambda gap, wide, df: stdtr(df, -gap / wide))

    def pdf(self, x: ArrayLike) -> np.ndarray:
        """Density."""
        return self._average_over_narrower(
            x, lambda gap, wide, df: student_density(gap / wide, df) / wide
        )

    def weigh(self, rope: Rope) -> np.ndarray:
        """Return the probabilities of the three regions of a ROPE."""
        left = 0.0 if np.isinf(rope.low) else self.cdf(rope.low)
        right = 0.0 if np.isinf(rope.high) else self.sf(rope.high)
        return split_mass(left, right, rope)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Return independent draws, the first variable's before the second's."""
        a, b = (
            scale * (rng.standard_normal(shape) if np.isinf(df) else rng.standard_t(df, shape))
            for scale, df in zip(self.scales, self.dfs, strict=True)
        )
        return np.asarray(self.location + b - a)

    def _average_over_narrower(
        self, x: ArrayLike, function: Callable[[np.ndarray, float, float], np.ndarray]
    ) -> np.ndarray:
        pairs = sorted(zip(self.scales, self.dfs, strict=True))
        (narrow, df), (wide, wide_df) = pairs
        gaps = np.atleast_1d(np.asarray(x, dtype=float)) - self.location
        if narrow == 0:
            values = function(gaps, wide, wide_df)
        else:
            values = np.empty(gaps.shape)
            for place, gap in np.ndenumerate(gaps):
                t, weights = _panels(float(gap / narrow), wide / narrow, df)
                values[place] = function(gap - narrow * t, wide, wide_df) @ weights
        return np.asarray(values.reshape(np.shape(x)))

    def quantile(self, p: ArrayLike) -> np.ndarray:
        """Return quantiles of probabilities between 0 and 1, exclusive."""
        shape = np.shape(p)
        quantiles = [self._quantile(float(q)) for q in np.ravel(p)]
        return np.array(quantiles).reshape(shape)

    def _quantile(self, p: float) -> float:
        lower = min(p, 1 - p)  # symmetric about the location
        if lower >= float(self.cdf(self.location)):  # half, up to rounding
            return self.location
        wide = sum(self.scales)
        reach = wide
        while float(self.cdf(self.location - reach)) > lower:
            reach *= 2
        low, high = self.location - reach, self.location
        root = optimize.brentq(
            lambda x: float(self.cdf(x)) - lower, low, high, xtol=1e-13 * wide, rtol=1e-15
        )
        return float(root if p <= 0.5 else 2 * self.location - root)


def _panels(step: float, width: float, df: float) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes in t and their weights, times the density of t."""
    reach = max(-float(stdtrit(df, BEYOND)), abs(step) + 50 * width)
    doubling = 0.5 * 2.0 ** np.arange(np.ceil(np.log2(reach)) + 2)
    arms = np.r_[-doubling[::-1], 0.0, doubling]
    edges = np.unique(np.r_[arms, step + width * arms])
    edges = edges[np.abs(edges) <= 2 * reach]
    half = np.diff(edges)[:, None] / 2
    t = ((edges[1:] + edges[:-1]) / 2)[:, None] + half * NODES
    weights = student_density(t, df) * half * WEIGHTS
    return t.ravel(), weights.ravel()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BehrensFisherPosterior(Posterior):
    """Posterior of a difference δ = μ₂ - μ₁ that has a Behrens-Fisher distribution."""

    @cached_property
    def distribution(self) -> BehrensFisher:
        """The distribution of δ."""
        raise NotImplementedError

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid, in units of the metric."""
        d = self.distribution
        scale = float(np.hypot(*d.scales))
        x = d.location + scale * spread_points((d.quantile([0.9995])[0] - d.location) / scale)
        return x, d.pdf(x)

    @cached_property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Independent draws of δ, "delta" of shape (chain, draw)."""
        rng = np.random.default_rng(self.seed)
        return read_only({"delta": self.distribution.draw(rng, (CHAINS, DRAWS))})

    def _weigh_regions(self, rope: Rope) -> Json:
        low, middle, high = map(float, self.distribution.quantile([0.025, 0.5, 0.975]))
        return {
            "p": self.distribution.weigh(rope),
            "errors": np.zeros(3),
            "estimate": (middle,),
            "mean_interval": ((low, high),),
            "floor": 1e-15,
            "exact": True,
        }

    def _summary_rows(self) -> dict[str, dict[str, float]]:
        """Return the row of δ; its sd is infinite if a mean is of two or three runs."""
        middle = self.distribution.location
        low, high = self.distribution.quantile([0.025, 0.975])
        return {"delta": row_of(middle, self.distribution.sd, middle, low, high)}


@validate_params(lower_is_better=flag, metric=text)
def two_sample_t(
    first: ArrayLike,
    second: ArrayLike,
    *,
    rope: RopeLike | None = None,
    names: Sequence[str] | None = None,
    resolution: float | None = None,
    lower_is_better: bool = False,
    metric: str = "",
    seed: Seed = None,
) -> TwoSamplePosterior:
    """Bayesian two-sample t test with unequal variances, for runs that do not pair.

    Scores of each algorithm are normal with a separate mean and variance. With the prior p(μ₁, μ₂,
    σ₁, σ₂) ∝ 1/(σ₁σ₂) each mean has a Student posterior, t_{n-1}(x̄, s²/n), and their difference δ
    = μ₂ - μ₁ has the Behrens-Fisher distribution.

    Parameters
    ----------
    first, second : array_like of shape (n,), (m,)
        Scores of runs with separate seeds, at least 2 each. For the same folds or seeds, see
        `correlated_t`.
    rope : float or (float, float), optional
        Region of practical equivalence of δ, in units of the metric; by default the direction is
        judged.
    names : (str, str), optional
    resolution : float, optional
        Smallest step h of the metric, for an algorithm whose scores are all equal: their sum of
        squares is then n·h²/12. By default the smallest step seen.
    lower_is_better : bool
        Whether lower scores are better, and δ is flipped.
    metric : str
        What the scores measure.
    seed : int or Generator, optional
        Of ``draws``; nothing else is random.

    Returns
    -------
    TwoSamplePosterior

    Raises
    ------
    InputError
        Fewer than two scores, bad ones, a bad ROPE; scores all the same and no resolution.

    See Also
    --------
    correlated_t, bayescmp.frequentist.welch, bayescmp.frequentist.brunner_munzel

    References
    ----------
    Box & Tiao (1973), Bayesian Inference in Statistical Analysis, sec. 2.5; Ghosh & Kim (2001),
    Canadian Journal of Statistics 29:5-17, for other priors.

    Examples
    --------
    >>> import bayescmp as bc
    >>> old, new = [212, 180, 195, 201, 188], [230, 224, 199, 241, 218, 236]
    >>> posterior = bc.bayesian.two_sample_t(old, new, rope=5, names=("old", "new"))
    >>> round(posterior.verdict().p_right, 3)
    0.983
    """
    sign = -1.0 if lower_is_better else 1.0
    samples = (
        sign * check_vector(first, name="first", test="two_sample_t"),
        sign * check_vector(second, name="second", test="two_sample_t"),
    )
    squares, notes = _spreads(samples, resolution)
    scales = [
        float(np.sqrt(ss / (len(x) - 1) / len(x))) for x, ss in zip(samples, squares, strict=True)
    ]
    return TwoSamplePosterior(
        first=samples[0],
        second=samples[1],
        scales=(scales[0], scales[1]),
        names=check_names(names),
        rope=as_rope(rope),
        **name_closed_form(),
        seed=seed_of(seed),
        pairing=NOT_PAIRED,
        metric=metric,
        directions=(Direction(metric, lower_is_better, "declared"),) if metric else (),
        notes=notes,
    )


def two_sample_t_of_runs(
    x: Runs,
    *,
    rope: RopeLike | None = None,
    seed: Seed = None,
    resolution: float | None = None,
) -> TwoSamplePosterior:
    """Fit `two_sample_t` to runs on one data set, which are turned already."""
    posterior = two_sample_t(
        x.first[0],
        x.second[0],
        rope=rope,
        names=x.names,
        resolution=resolution,
        metric=x.metric,
        seed=seed,
    )
    return replace(posterior, directions=x.described()["directions"])


def _spreads(
    samples: tuple[np.ndarray, np.ndarray], resolution: float | None
) -> tuple[list[float], tuple[str, ...]]:
    """Return sums of squares; for equal scores, that of rounding to the metric's resolution."""
    squares, notes = [], []
    for name, x in zip(SAMPLES, samples, strict=True):
        if np.ptp(x) > TIED * np.abs(x).max():
            squares.append(float(np.sum((x - x.mean()) ** 2)))
            continue
        h = smallest_step(np.concatenate(samples)) if resolution is None else float(resolution)
        if not (h > 0 and np.isfinite(h)):
            raise must(
                "resolution",
                f"be given if {name} holds equal scores",
                hint="Give e.g. 1/n_test for accuracy.",
            )
        squares.append(len(x) * h**2 / 12)
        notes.append(f"all scores of {name} are equal: spread from rounding, h = {h:.3g}")
    return squares, tuple(notes)


def _error(x: np.ndarray) -> float:
    """Return the standard error of a mean; 0 for a single run, or if all are equal."""
    varies = len(x) > 1 and np.ptp(x) > TIED * np.abs(x).max()
    return float(x.std(ddof=1) / np.sqrt(len(x))) if varies else 0.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TwoSamplePosterior(BehrensFisherPosterior):
    """Posterior of the two-sample t test: δ = μ₂ - μ₁, a difference of two Student variables.

    Attributes
    ----------
    first, second : ndarray of shape (n,), (m,)
        The scores; higher is better.
    scales : (float, float)
        Standard errors s/√n of the two means.

    Examples
    --------
    >>> import bayescmp as bc
    >>> posterior = bc.bayesian.two_sample_t([1, 2, 3], [3, 4, 6], rope=0.5)
    >>> x, density = posterior.density()
    >>> round(float(x[density.argmax()]), 2)
    2.33
    """

    first: np.ndarray = field(metadata=about("run_first"))
    second: np.ndarray = field(metadata=about("run_second"))
    scales: tuple[float, float]

    model: Model = Model(
        kind="two_sample_t",
        method="Bayesian two-sample t test",
        reference="Box & Tiao 1973",
        target="runs like these",
        prior="p(μ₁, μ₂, σ₁, σ₂) ∝ 1/(σ₁σ₂)",
        shows=("density",),
        picture="plot_density",
        fixed={
            "prior": "p(μ₁, μ₂, σ₁, σ₂) ∝ 1/(σ₁σ₂) has nothing to set",
            "rho": "runs are independent",
        },
        unplanned=(
            "Its runs have separate seeds on one data set. Compare on several data sets: the "
            "posterior of bayescmp.bayesian.signed_rank has .plan()."
        ),
    )

    @property
    def unplanned(self) -> str:
        """Why there is no plan, and what to do instead."""
        sizes = len(self.first), len(self.second)
        between = sum(s**2 * n for s, n in zip(self.scales, sizes, strict=True))
        difference = float(self.second.mean() - self.first.mean())
        return suggest_plan(difference, between, self.rope, "run") or super().unplanned

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield equal variances of the two; then each run left out in turn."""
        yield "model", "equal variances", self._with_equal_variances()
        for i, run in enumerate(self.runs) if datasets else ():
            other = self.without(np.array([i]))
            if other is not None:
                yield "runs", run, probabilities_of(other)

    @property
    def runs(self) -> list[str]:
        """All runs by name, first the first algorithm's runs, then the second's."""
        sizes = zip(self.names, (len(self.first), len(self.second)), strict=True)
        return [f"{name} {i + 1}" for name, n in sizes for i in range(n)]

    def without(self, left_out: np.ndarray) -> TwoSamplePosterior | None:
        """The posterior without some `runs`, by place; None where the rest is alike."""
        rest = np.delete(np.arange(len(self.first) + len(self.second)), left_out)
        n = int((rest < len(self.first)).sum())
        first, second = self.first[rest[:n]], self.second[rest[n:] - len(self.first)]
        whole = len(first) == len(self.first), len(second) == len(self.second)
        a, b = (
            own if all_ else _error(x)
            for x, own, all_ in zip((first, second), self.scales, whole, strict=True)
        )
        return replace(self, first=first, second=second, scales=(a, b)) if a and b else None

    def _with_equal_variances(self) -> np.ndarray:
        """Return the regions' probabilities with p(μ₁, μ₂, σ) ∝ 1/σ: Student's pooled t."""
        n = np.array([len(self.first), len(self.second)])
        df = int(n.sum() - 2)
        squares = np.square(self.scales) * n * (n - 1)
        scale = float(np.sqrt(squares.sum() / df * np.sum(1 / n)))
        pooled = BehrensFisher(self.distribution.location, (0.0, scale), (df, df))
        return pooled.weigh(self.rope)

    @cached_property
    def distribution(self) -> BehrensFisher:
        """The distribution of δ."""
        gap = float(self.second.mean() - self.first.mean())
        return BehrensFisher(gap, self.scales, (len(self.first) - 1, len(self.second) - 1))

    @property
    def data_details(self) -> str:
        """The numbers of runs."""
        return f"{len(self.first)} and {len(self.second)} runs"

    def _predictive_groups(self) -> dict[str, dict[str, np.ndarray]]:
        mu, sigma = self._levels()
        rng = np.random.default_rng([self.seed, 2])
        samples = {"first": self.first, "second": self.second}
        z = {k: (x - mu[k][..., None]) / sigma[k][..., None] for k, x in samples.items()}
        return {
            "posterior": {
                **self.draws,
                **{f"mu_{k}": mu[k] for k in samples},
                **{f"sigma_{k}": sigma[k] for k in samples},
            },
            "log_likelihood": {
                k: -0.5 * (z[k] ** 2 + np.log(2 * np.pi)) - np.log(sigma[k])[..., None]
                for k in samples
            },
            "log_prior": {f"sigma_{k}": -np.log(sigma[k]) for k in samples},
            "observed_data": samples,
            "posterior_predictive": {
                k: mu[k][..., None] + sigma[k][..., None] * rng.standard_normal(z[k].shape)
                for k in samples
            },
        }

    def _levels(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Return draws of both means, as δ was drawn from, and of both σ given them."""
        rng, shape = np.random.default_rng(self.seed), (CHAINS, DRAWS)
        spread = np.random.default_rng([self.seed, 1])
        mu, sigma = {}, {}
        for name, x, scale in zip(SAMPLES, (self.first, self.second), self.scales, strict=True):
            n, t = len(x), rng.standard_t(len(x) - 1, shape)
            mu[name] = x.mean() + scale * t
            squares = scale**2 * n * (n - 1 + t**2)
            sigma[name] = np.sqrt(squares / spread.chisquare(n, shape))
        return mu, sigma
