"""Two models on the same items, graded or clustered: the Bayesian bootstrap over clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from bayescmp.base.arguments import must
from bayescmp.base.checks import (
    Seed,
    check_paired,
    check_positive,
    check_unused,
    check_vector,
    seed_of,
)
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import ROUNDING
from bayescmp.base.records import Record
from bayescmp.base.typing import Json
from bayescmp.bayesian.paired.items import (
    ItemModel,
    ItemPosterior,
    check_one_benchmark,
    order_source,
    solve_quantile,
)
from bayescmp.items.pair import ItemPair, totals
from bayescmp.results.arviz import row_of
from bayescmp.results.posterior import CHAINS, DRAWS, name_closed_form
from bayescmp.results.verdict import Interval
from bayescmp.scores.rope import RopeLike, as_rope
from bayescmp.wording.text import format_count, format_exactly

# Sums of gamma variables with weights of either sign: their tails, by a contour integral.


#: Step of the trapezoid rule, and where the integrand is practically zero.
_STEP, _SMALL = 0.125, 1e-19
#: Most numbers in an array.
AT_ONCE = 2_000_000


def probability_positive(e: np.ndarray, shape: np.ndarray) -> float:
    """P(Σ e_j·g_j > 0) for independent g_j ~ Gamma(shape_j, 1).

    `e` (U,) are not all zero, `shape` (U,) > 0. With the moment generating function M(s) = Π (1 −
    s·e_j)^(−shape_j) it is the integral of M(s)/s over a line from c − i∞ to c + i∞, over 2πi,
    with c > 0 where M exists (c < 0: minus the other side). Through the saddle point, s = c +
    iσ·sinh(x), the trapezoid rule in x is exact up to rounding (Daniels 1987, International
    Statistical Review 55:37-48). The side with the smaller probability is computed.
    """
    keep = e != 0
    e, shape = e[keep] / np.abs(e).max(), shape[keep]
    if e.min() > 0 or e.max() < 0:
        return float(e.min() > 0)
    if float(e @ shape) > 0:
        return 1 - _compute_upper_tail(-e, shape)
    return _compute_upper_tail(e, shape)


def _compute_upper_tail(e: np.ndarray, shape: np.ndarray) -> float:
    """P(sum > 0) where the sum's mean is at most zero, along a line with c > 0."""
    from scipy.optimize import brentq  # takes longer to import than many models to compare

    most = 1 / float(e.max())

    def slope(c: float) -> float:
        """Return the slope of log |M(s)/s| on the real axis."""
        return float(np.sum(shape * e / (1 - c * e))) - 1 / c

    c = float(brentq(slope, most * 1e-12, most * (1 - 1e-12), xtol=1e-15 * most, rtol=1e-10))
    rest = 1 - c * e
    curve = float(np.sum(shape * (e / rest) ** 2)) + 1 / c**2
    sigma = min(curve**-0.5, c, most - c)
    peak = -float(np.sum(shape * np.log(rest)))
    ratio, furthest = e / rest, 3.0
    while shape @ np.log1p((sigma * np.sinh(furthest) * ratio) ** 2) < -2 * np.log(_SMALL):
        furthest += 0.5  # |M(s)| falls slowly as long as only few units matter
    x = _STEP * np.arange(int(furthest / _STEP) + 1)
    pieces = min(len(x), 1 + len(x) * len(e) // AT_ONCE)
    parts = [_log_m(sigma * np.sinh(at), ratio, shape) for at in np.array_split(x, pieces)]
    log_m = np.concatenate(parts)
    s = c + 1j * sigma * np.sinh(x)
    values = (np.exp(peak + log_m) / s).real * sigma * np.cosh(x)
    values[0] /= 2
    return float(np.clip(values.sum() * _STEP / np.pi, 0, 1))


def _log_m(y: np.ndarray, ratio: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Return the log of M(c + iy) over M(c)."""
    turn = y[:, None] * ratio
    return -(np.log1p(turn**2) / 2 - 1j * np.arctan(turn)) @ shape


#: Fewest clusters that decide anything: a sign test at 5% needs six that agree, and simulated
#: intervals of three cover 0.65 to 0.90. The least concentration.
FEWEST, FLATTEST = 6, 0.1
#: Below this many clusters intervals are too narrow where many differences are equal.
ENOUGH, COVERED = 8, "0.86 to 0.96"
#: With more different clusters than this, nearly equal ones are merged; and bins of each size.
MANY, BINS = 20_000, 4096


def cluster_bootstrap(
    x: ItemPair | ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    rope: RopeLike | None = None,
    concentration: float | None = None,
    span: float | None = None,
    names: Sequence[str] | None = None,
    seed: Seed = None,
) -> ItemPosterior:
    """Bayesian bootstrap of two models' mean difference over clusters of items.

    With weights w ~ Dirichlet(a, …, a) of the K clusters, δ = Σ w_k S_k / Σ w_k n_k, where S_k is
    the sum of the differences in cluster k and n_k its size. Without clusters each item is one.
    Nothing is assumed about how scores are distributed, or how items of a cluster depend on one
    another. The verdict is exact: P(δ > x) is a probability of a weighted sum of gamma variables.

    Parameters
    ----------
    x : ItemPair, DataFrame of two models, or array_like of shape (n,)
        Scores of the same items, of one benchmark; or differences, second minus first.
    clusters : array_like of shape (n,), optional
        For plain differences: a label for each.
    rope : float or (float, float), optional
        Region of practical equivalence, in units of the metric; by default the direction is
        judged.
    concentration : float, optional
        a. 1 is Rubin's bootstrap, too narrow if clusters are few. The default gives the variance
        of Student's t with K − 1 degrees of freedom, but is at least 0.1: 1 − 4/K for items; see
        Notes.
    span : float, optional
        The largest possible difference, for clusters that do not differ at all; by default the
        length of the metric's range, or the range of the scores.
    names : (str, str), optional
        The two models, in the order of the differences.
    seed : int or numpy Generator, optional
        Of ``draws``; nothing else is random.

    Returns
    -------
    ItemPosterior
        Its answer is `Clusters`, or `WeightedDraws` with several judges.

    Raises
    ------
    InputError
        Several benchmarks, missing or infinite differences, a label too few, fewer than six
        clusters (or items without clusters), bad options.

    See Also
    --------
    paired_proportions, hierarchical_t, bayescmp.frequentist.paired_t

    Notes
    -----
    With residuals r_k = S_k − m·n_k of the mean m, which count 1/(1 − n_k/n) times in the
    jackknife, and V = Σ r_k²/(1 − n_k/n)² / Σ r_k² (of single items K/(K − 1)), the default is a =
    ((K − 3)K/((K − 1)V) − 1)/K. In simulations, central 95% intervals of 8 to 100 clusters cover
    0.95 ± 0.015 if clusters are of one size and normal, 0.91 to 0.97 otherwise; of six clusters
    0.86 to 0.96. Fewer are refused.

    If all clusters' mean differences are the same, half a cluster of average size with a
    difference of ``span``, and half of one with −``span``, represent the unobserved ones, and a is
    1; the notes report this.

    Judges are crossed with the items: their weights multiply (the pigeonhole bootstrap), and δ is
    drawn. In simulations, intervals of five judges or more cover 0.94 to 0.99, and of three 0.85
    to 0.98. Fewer are refused.

    References
    ----------
    Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1:386-411; Rubin (1981),
    Annals of Statistics 9:130-134; Miller (2024), arXiv:2411.00640, for clustered standard errors;
    Bell & McCaffrey (2002), Survey Methodology 28:169-181, for the residuals of few clusters.

    Examples
    --------
    >>> import bayescmp as bc
    >>> x = [0.1, 0.2, 0.0, 0.1, 0.3, 0.2, -0.1, 0.0, 0.2, 0.1, 0.1, 0.2]
    >>> passage = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    >>> posterior = bc.bayesian.cluster_bootstrap(x, clusters=passage, rope=0.02)
    >>> round(posterior.verdict().p_right, 2)
    0.92
    """
    given = x
    x, source = order_source(given, names)
    if x is not given and isinstance(x, np.ndarray):
        x = x[:, 1] - x[:, 0]
    if isinstance(x, ItemPair) and x.judge is not None:
        return _of_judges(check_one_benchmark(x, "cluster_bootstrap"), rope, seed, source)
    differences, labels, largest = _read_clusters(x, clusters)
    sums, sizes = totals(differences, labels)
    K = len(sums)
    units = "question" if labels is None else "cluster"
    check_enough(K, units, len(differences))
    given = check_positive("span", span) if span is not None else largest
    answer, notes = weigh_clusters(sums, sizes, given, concentration)
    if K < ENOUGH and concentration is None:
        notes += (
            f"{K} {units}s: with fewer than {ENOUGH} the interval may be too narrow (95% "
            f"intervals of {FEWEST} cover {COVERED} in simulations)",
        )
    return ItemPosterior(
        model=CLUSTERS,
        answer=answer,
        rope=as_rope(rope),
        **name_closed_form(),
        seed=seed_of(seed),
        notes=notes,
        **source,
    )


def weigh_clusters(
    sums: np.ndarray, sizes: np.ndarray, span: float, concentration: float | None = None
) -> tuple[Clusters, tuple[str, ...]]:
    """Return the posterior of a mean over clusters, `sums` and `sizes` (K,), and notes on it."""
    step, notes = _find_unseen_span(sums, sizes, span)
    a = 1.0 if step is not None else concentration_of(sums, sizes, np.ones(len(sums)))
    a = a if concentration is None else check_positive("concentration", concentration)
    return Clusters(*_merge_clusters(sums, sizes), concentration=a, span=step), notes


def check_enough(
    K: int, units: str, items: int, name: str = "x", sample: str = "question"
) -> None:
    """Refuse so few units that they show too little of how they differ."""
    if K < FEWEST:
        of_items = f" of {format_count(items, sample)}" if units == "cluster" else ""
        raise must(
            name,
            f"have at least {format_count(FEWEST, units)}",
            f"{K}{of_items}",
            "Fewer show too little of how they differ to decide anything.",
        )


def _read_clusters(
    x: ItemPair | ArrayLike, clusters: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray | None, float]:
    if isinstance(x, ItemPair):
        check_unused("an ItemPair has its own", clusters=clusters)
        pair = check_one_benchmark(x, "cluster_bootstrap")
        seen = np.r_[pair.first, pair.second]
        return pair.x, pair.cluster, pair.span or float(np.ptp(seen))
    values = check_vector(x, name="x", least=2, test="cluster_bootstrap")
    largest = float(np.abs(values).max())
    if clusters is None:
        return values, None, largest
    check_paired(x=x, clusters=clusters)
    labels = np.asarray(clusters)
    if labels.shape != values.shape:
        raise must(
            "clusters",
            "have one label for each difference",
            f"shape {labels.shape} for {format_count(len(values), 'difference')}",
        )
    return values, np.unique(labels, return_inverse=True)[1], largest


def concentration_of(sums: np.ndarray, sizes: np.ndarray, times: np.ndarray) -> float:
    """Concentration of the weights that gives δ Student's variance; see `cluster_bootstrap`."""
    K, n = float(times.sum()), sizes @ times
    residuals = sums - np.multiply.outer(sizes, times @ sums / n)
    if sums.ndim > 1:
        residuals = residuals - residuals.mean(axis=1, keepdims=True)
    squares = times * (residuals**2).reshape(len(sums), -1).sum(axis=1)
    plain = sizes.max() == 1 or squares.sum() == 0
    inflated = K / (K - 1) if plain else squares @ (1 - sizes / n) ** -2.0 / squares.sum()
    a = ((K - 3) * K / ((K - 1) * inflated) - 1) / K
    return max(round(a, 12), FLATTEST)  # printed in full, so without the noise of arithmetic


def _find_unseen_span(
    sums: np.ndarray, sizes: np.ndarray, span: float
) -> tuple[float | None, tuple[str, ...]]:
    """Find the span that replaces the spread of clusters that have none, with a note on it."""
    means = sums / sizes
    if np.ptp(means) > ROUNDING * np.abs(means).max():
        return None, ()
    if span == 0:
        raise must(
            "span",
            "be given if all scores are equal, which do not show how far they may differ",
            hint="Give e.g. 1 for scores from 0 to 1.",
        )
    return span, (
        f"all {len(sums)} clusters have the same difference: half a cluster at either extreme, "
        f"±{span:g}, replaces the spread that was not observed",
    )


def _merge_clusters(
    sums: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return different clusters and how often each occurs; very many are binned by their sums."""
    both, place, times = np.unique(sums + 1j * sizes, return_inverse=True, return_counts=True)
    if len(both) > MANY:
        low, width = float(sums.min()), float(np.ptp(sums))
        level = np.floor((sums - low) / width * BINS)
        place, times = np.unique(level + 1j * sizes, return_inverse=True, return_counts=True)[1:]
        return (
            np.bincount(place, weights=sums) / times,
            np.bincount(place, weights=sizes) / times,
            times.astype(float),
        )
    return both.real, both.imag, times.astype(float)


# Weights of units that are crossed with judges, or shared by several models: by draws.


#: Judges below which intervals may be too narrow, and below which nothing shows how they differ.
ENOUGH_JUDGES, FEWEST_JUDGES = 5, 3


@dataclass(frozen=True, eq=False)
class WeightedUnits:
    """The weighted units: clusters of items (or items), before one judge or before several.

    `means` (U, L) are of each unit's items for each model (or of differences, L = 1), `sizes` (U,)
    their number. `factors` are each unit's cluster, and perhaps its judge, with concentrations.
    """

    means: np.ndarray
    sizes: np.ndarray
    factors: tuple[tuple[np.ndarray, float], ...]

    @classmethod
    def from_numbers(
        cls, x: np.ndarray, cluster: np.ndarray | None, judge: np.ndarray | None
    ) -> WeightedUnits:
        """Read numbers of n items, (n, L), and their clusters and judges."""
        items = np.arange(len(x)) if cluster is None else cluster
        codes = [np.unique(c, return_inverse=True)[1] for c in (items, judge) if c is not None]
        key = codes[0] if judge is None else codes[0] * (codes[1].max() + 1) + codes[1]
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        sums, sizes = _sum_by_code(x, cell)
        concentrations = [
            concentration_of(total, count, np.ones(len(count)))
            for total, count in (
                _sum_by_code(x / (np.abs(x).max() or 1.0), code) for code in codes
            )
        ]
        factors = zip((code[first] for code in codes), concentrations, strict=True)
        return cls(sums / sizes[:, None], sizes, tuple(factors))

    def draw(self, size: int, seed: int) -> np.ndarray:
        """Draw weighted means over all items, (size, L); weights of crossed factors multiply."""
        rng = np.random.default_rng([seed, 0])
        drawn, step = [], max(AT_ONCE // len(self.sizes), 1)
        for start in range(0, size, step):
            w: np.ndarray | float = self.sizes
            for code, concentration in self.factors:
                shape = (min(step, size - start), code.max() + 1)
                gamma = rng.standard_gamma(concentration, shape)
                w = w * (gamma if len(self.factors) == 1 else gamma[:, code])
            drawn.append(w @ self.means / np.sum(w, axis=-1, keepdims=True))
        return np.concatenate(drawn)


def _sum_by_code(x: np.ndarray, code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return sums of the rows of each code, (K, L), and how many there are."""
    sums = np.stack([np.bincount(code, weights=column) for column in x.T], axis=1)
    return sums, np.bincount(code).astype(float)


def judges_in_words(judges: int) -> tuple[str, ...]:
    """Return the notes on few judges."""
    if judges < FEWEST_JUDGES:
        raise must(
            "x",
            f"have at least {FEWEST_JUDGES} judges, or only one",
            str(judges),
            "Fewer show too little of how they differ.",
        )
    conservative = "weights of questions and of judges multiply, which is conservative (Owen 2007)"
    if judges >= ENOUGH_JUDGES:
        return (conservative,)
    return (
        conservative,
        f"{judges} judges: with fewer than {ENOUGH_JUDGES} the interval may be too narrow (95% "
        "intervals of 3 cover 0.85 to 0.98 in simulations)",
    )


def size_in_words(items: int, clusters: int, word: str = "item") -> str:
    """Say how many items there are, and in how many clusters where these hold several."""
    among = "" if clusters == items else f" in {format_count(clusters, 'cluster')}"
    return f"{format_count(items, word)}{among}"


def _of_judges(pair: ItemPair, rope: RopeLike | None, seed: Seed, source: Any) -> ItemPosterior:
    """Return the posterior of a pair whose items have several judges."""
    assert pair.judge is not None
    assert pair.cluster is not None
    judges, clusters = len(np.unique(pair.judge)), len(np.unique(pair.cluster))
    check_enough(clusters, "question" if pair.questions == clusters else "cluster", pair.questions)
    units = WeightedUnits.from_numbers(pair.x[:, None], pair.cluster, pair.judge)
    own = seed_of(seed)
    return ItemPosterior(
        model=JUDGED,
        answer=WeightedDraws(
            units.draw(CHAINS * DRAWS, own).reshape(CHAINS, DRAWS),
            pair.questions,
            clusters,
            judges,
            concentration=units.factors[0][1],
            of_judges=units.factors[1][1],
        ),
        rope=as_rope(rope),
        **name_closed_form(),
        seed=own,
        notes=judges_in_words(judges),
        **source,
    )


@dataclass(frozen=True, eq=False)
class WeightedDraws(Record):
    """A difference by draws of the weights of items or clusters, and perhaps of judges.

    `delta` are independent draws, (chain, draw). `items`, `clusters` and `judges` are numbers,
    `concentration` and `of_judges` parameters of the weights; `judges` is None without several.
    """

    delta: np.ndarray = field(metadata=about("chain", "draw"))
    items: int
    clusters: int
    judges: int | None = None
    concentration: float | None = None
    of_judges: float | None = None

    exact = False

    @property
    def floor(self) -> float:
        """The smallest probability that draws tell: one over their number."""
        return 1 / self.delta.size

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        if self.judges is None:
            return "Dirichlet(1, …, 1) weights of the items or clusters"
        own, theirs = (
            format_exactly(self.concentration or 0.0),
            format_exactly(self.of_judges or 0.0),
        )
        return (
            f"Dirichlet weights of the questions, concentration {own}, times those of the judges, "
            f"{theirs}"
        )

    @property
    def prior_numbers(self) -> Json:
        """No numbers: its words tell all."""
        return {}

    @property
    def questions(self) -> int:
        """Number of questions."""
        return self.items

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest draw."""
        return float(self.delta.min()), float(self.delta.max())

    @property
    def size_text(self) -> str:
        """Number of items and clusters, in words."""
        if self.judges is None:
            return size_in_words(self.items, self.clusters)
        size = size_in_words(self.items, self.clusters, "question")
        return f"{size} before {format_count(self.judges, 'judge')}"

    def details(self, names: tuple[str, str]) -> str:
        """Nothing more to say."""
        return ""

    def draw(self, seed: int) -> Mapping[str, np.ndarray]:
        """Return the draws of δ, "delta" of shape (chain, draw)."""
        return {"delta": self.delta}

    def quantile(self, p: float) -> float:
        """Return the quantile of the draws."""
        return float(np.quantile(self.delta, p))

    def tail(self, x: float, upper: bool) -> tuple[float, float]:
        """P(δ > x) or P(δ < x), and its Monte Carlo error."""
        beyond = self.delta > x if upper else self.delta < x
        p = float(beyond.mean())
        return p, float(np.sqrt(max(p * (1 - p), 0.5 / self.delta.size) / self.delta.size))

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid."""
        z = np.linspace(ndtri(1e-3), ndtri(1 - 1e-3), 81)
        x = np.quantile(self.delta, ndtr(z))
        return x, np.gradient(ndtr(z), x)

    def vary_prior(self) -> Iterator[tuple[str, WeightedDraws]]:
        """Yield nothing under other priors: the weights are drawn already."""
        return iter(())

    def rows(self, interval: Interval) -> dict[str, dict[str, float]]:
        """Return the summary's numbers."""
        mean, sd = float(self.delta.mean()), float(self.delta.std())
        return {"delta": row_of(mean, sd, self.quantile(0.5), *interval)}


JUDGED = ItemPosterior.answering(
    ItemModel(
        kind="judged_bootstrap",
        method="Bayesian bootstrap over questions and judges",
        reference="Owen 2007",
        target="new questions of {p.dataset}, before other judges",
        target_unnamed="new questions, before other judges",
        fixed={"prior": "the weights are drawn already"},
        answer=WeightedDraws,
        unplanned=(
            "A part of this variance is the judges', which more questions do not change. Use the "
            "scores of one judge, or their average over judges."
        ),
    )
)


# One weight for each cluster of two models' items: in closed form.


@dataclass(frozen=True, eq=False)
class Clusters(Record):
    """Posterior of the mean difference by the Bayesian bootstrap over clusters.

    Attributes
    ----------
    sums, sizes, times : ndarray of shape (U,)
        Different clusters: the sum of the differences, the items, how many clusters are like it.
    concentration : float
        Parameter of the Dirichlet weights.
    span : float or None
        The difference of half a cluster at either extreme, if no cluster differs from another.
    """

    sums: np.ndarray = field(metadata=about())
    sizes: np.ndarray = field(metadata=about())
    times: np.ndarray = field(metadata=about())
    concentration: float
    span: float | None = None

    floor, exact = 1e-15, True

    @property
    def units(self) -> str:
        """The word for the weighted units."""
        return "clusters" if self.sizes.max() > 1 else "questions"

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        concentration = format_exactly(self.concentration)
        return f"Dirichlet weights of the {self.units}, concentration {concentration}"

    @property
    def prior_numbers(self) -> Json:
        """The prior as plain numbers, for JSON."""
        return {"concentration": self.concentration}

    @property
    def estimate(self) -> float:
        """Mean difference over the items."""
        return float(self.sums @ self.times / (self.sizes @ self.times))

    def without(self, left_out: np.ndarray) -> Clusters:
        """Return the posterior of the remaining clusters; `left_out` are places of the others."""
        times = self.times - np.bincount(left_out, minlength=len(self.times))
        kept = times > 0
        sums, sizes, times = self.sums[kept], self.sizes[kept], times[kept]
        span, a = self.span, self.concentration
        if span is None:
            own = np.isclose(a, concentration_of(self.sums, self.sizes, self.times), rtol=1e-9)
            span = _find_unseen_span(sums, sizes, float(np.abs(self.sums / self.sizes).max()))[0]
            if own:
                a = 1.0 if span is not None else concentration_of(sums, sizes, times)
        return Clusters(sums, sizes, times, a, span)

    @property
    def questions(self) -> int:
        """Number of questions."""
        return round(float(self.sizes @ self.times))

    @property
    def size_text(self) -> str:
        """Number of items and clusters, in words."""
        return size_in_words(self.questions, int(self.times.sum()), "question")

    def details(self, names: tuple[str, str]) -> str:
        """Nothing more to say."""
        return ""

    @cached_property
    def _weighted_sums(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sums, sizes and gamma shapes, with the extremes where no cluster varies."""
        shapes = self.concentration * self.times
        if self.span is None:
            return self.sums, self.sizes, shapes
        size = float(self.sizes @ self.times / self.times.sum())
        extremes = size * self.span * np.array([-1.0, 1.0])
        return (
            np.r_[self.sums, extremes],
            np.r_[self.sizes, size, size],
            np.r_[shapes, 0.5, 0.5],
        )

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest of the clusters' means."""
        sums, sizes, _ = self._weighted_sums
        means = sums / sizes
        return float(means.min()), float(means.max())

    def tail(self, x: float, upper: bool) -> tuple[float, float]:
        """P(δ > x) or P(δ < x), and its numerical error."""
        sums, sizes, shapes = self._weighted_sums
        e = (sums - x * sizes) * (1 if upper else -1)
        return probability_positive(e, shapes), 1e-10

    @cached_property
    def _scores(self) -> Any:
        """δ by the normal quantile of its cumulative probability: nearly a straight line."""
        from scipy.interpolate import PchipInterpolator

        low, high = (self.quantile(p) for p in (1e-7, 1 - 1e-7))
        x = np.linspace(low, high, 65)
        upper = np.array([self.tail(at, True)[0] for at in x])
        z = -ndtri(np.clip(upper, 1e-300, 1 - 1e-16))
        keep = np.r_[True, np.diff(np.maximum.accumulate(z)) > 0]
        return PchipInterpolator(z[keep], x[keep])

    def quantile(self, p: float) -> float:
        """Return the quantile of δ."""
        return solve_quantile(self, p)

    def vary_prior(self) -> Iterator[tuple[str, Clusters]]:
        """Yield what is found under other priors, each with its words."""
        half = self.concentration / 2
        for a, words in ((half, f"{half:.4g}"), (1.0, "1 (Rubin's)")):
            if a != self.concentration:
                yield f"concentration {words}", replace(self, concentration=a)

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of δ on a grid."""
        z = np.linspace(self._scores.x[0], self._scores.x[-1], 401)
        x = self._scores(z)
        return x, np.gradient(ndtr(z), x)

    def draw(self, seed: int) -> Mapping[str, np.ndarray]:
        """Return independent draws of δ, "delta" of shape (chain, draw)."""
        z = np.random.default_rng(seed).standard_normal((CHAINS, DRAWS))
        within = np.clip(z, self._scores.x[0], self._scores.x[-1])
        return {"delta": np.asarray(self._scores(within))}

    def rows(self, interval: Interval) -> dict[str, dict[str, float]]:
        """Return the summary's numbers."""
        # the moments on a fine grid of the normal quantile
        z = np.linspace(self._scores.x[0], self._scores.x[-1], 2001)
        mass = np.exp(-(z**2) / 2)
        x, mass = self._scores(z), mass / mass.sum()
        mean = float(x @ mass)
        sd = np.sqrt((x - mean) ** 2 @ mass)
        return {"delta": row_of(mean, sd, self.quantile(0.5), *interval)}


CLUSTERS = ItemPosterior.answering(
    ItemModel(
        kind="cluster_bootstrap",
        method="Bayesian bootstrap over {p.units}",
        reference="Rubin 1981",
        answer=Clusters,
    )
)
