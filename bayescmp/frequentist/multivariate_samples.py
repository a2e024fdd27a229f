"""Samples of several metrics: how they are read, their distances, Mardia's tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc, ndtr

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import along_rows, check_paired, count, validate_params
from bayescmp.base.records import Record
from bayescmp.base.typing import as_facts
from bayescmp.base.whitening import Whitening, describe, few_folds, quote_names, whiten
from bayescmp.frequentist.results import LEVEL, DescribedResult
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import P_VALUES, Summary, summarise
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.frames import arrange
from bayescmp.scores.resampling import explain_rho


# Constant and linearly dependent metrics, and their mention in a result.
@dataclass(frozen=True)
class Dependence:
    """Metrics that add nothing to the error.

    Of `metrics`, the `constant` do not vary, the `dependent` are linear combinations of earlier
    ones; `rank` is the dimension of the subspace in which the rest varies.
    """

    metrics: tuple[str, ...]
    constant: tuple[str, ...]
    dependent: tuple[str, ...]
    rank: int

    @classmethod
    def from_residuals(
        cls, residuals: np.ndarray, space: Whitening, metrics: tuple[str, ...]
    ) -> Dependence:
        """Describe residuals of shape (N, p) by their whitening."""
        return cls(metrics, *describe(residuals, space, metrics), int(space.rank))

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for the constant metrics and one for the dependent ones."""
        notes = []
        if self.constant:
            verb = "does" if len(self.constant) == 1 else "do"
            notes.append(f"{quote_names(self.constant)} {verb} not vary")
        if self.dependent:
            verb = "is" if len(self.dependent) == 1 else "are each"
            left_out = {*self.constant, *self.dependent}
            kept = [m for m in self.metrics if m not in left_out]
            notes.append(
                f"{quote_names(self.dependent)} {verb} a linear combination of {quote_names(kept)}"
            )
        return tuple(notes)

    @property
    def notes_with_rank(self) -> tuple[str, ...]:
        """Notes on the metrics, and on the subspace that a test is confined to."""
        if not self.notes:
            return ()
        where = f"tested in the subspace of rank {self.rank} of {len(self.metrics)} metrics"
        return (*self.notes, where)


# Hotelling's F, and Mahalanobis distances of many pairs at once.
def hotelling_f(
    t2: np.ndarray, rank: np.ndarray, freedom: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return F of Hotelling's T² (Hotelling 1931; Rencher 2002, eq. 5.7) and its p-value."""
    rank = np.asarray(rank)
    below = freedom - rank + 1.0
    f = np.where(rank > 0, below / (freedom * np.maximum(rank, 1)), 1.0) * np.asarray(t2)
    p = np.where(rank > 0, fdtrc(np.maximum(rank, 1), below, f), np.where(f > 0, 0.0, 1.0))
    return f, below, p


def squared_distances(
    residuals: np.ndarray,
    difference: np.ndarray,
    largest: np.ndarray,
    freedom: int,
    metrics: Sequence[str],
) -> tuple[np.ndarray, np.ndarray]:
    """Return squared Mahalanobis distances dᵀS⁻¹d, S = E/ν, of many differences or scatters."""
    space = whiten(residuals, largest)
    without_error = np.any(space.project_outside(difference) != 0, axis=-1)
    if np.any(without_error & (space.rank >= freedom)[..., None]):
        N, p = residuals.shape[-2:]
        have = f"{N} {'folds' if freedom == N - 1 else 'scores'}"
        raise few_folds(residuals.reshape(-1, p), freedom, metrics, have)
    squared = freedom * np.sum(space.coordinates(difference) ** 2, axis=-1)
    return np.where(without_error, np.inf, squared), space.rank


def paired_distances(
    x: np.ndarray, pairs: np.ndarray, metrics: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return squared Mahalanobis distances of the pairs' mean differences from zero, and ranks."""
    difference = x[pairs[:, 1]] - x[pairs[:, 0]]
    mean = difference.mean(axis=1, keepdims=True)
    size = np.abs(x).max(axis=1)
    largest = np.maximum(size[pairs[:, 0]], size[pairs[:, 1]])
    squared, rank = squared_distances(difference - mean, mean, largest, x.shape[1] - 1, metrics)
    return squared[:, 0], rank


def chance(freedom: float) -> str:
    """Return a remark for an infinite T² with few folds, which counts give by coincidence."""
    return "" if freedom >= 4 else ", which may be random with so few folds if scores are counts"


# Reading and checking what the multivariate tests are given.
@dataclass(frozen=True, eq=False)
class VectorSample(DescribedResult):
    """One sample of vectors, `x` of shape (n, p).

    `largest`, shape (p,), is the size of the scores, against which rounding is judged; `names` are
    the algorithms of differences; the sign of `flipped` metrics was turned (lower is better).
    """

    x: np.ndarray
    metrics: tuple[str, ...]
    largest: np.ndarray
    names: tuple[str, ...] = ()
    rho: float = 0.0
    flipped: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MultivariateDesign(DescribedResult):
    """Scores of L algorithms on one data set, and whether folds are blocks.

    `samples` are L arrays (n_i, p), in each metric's own direction; with `block`, all share folds.
    `signs`, shape (p,), is -1 if lower is better.
    """

    samples: tuple[np.ndarray, ...]
    names: tuple[str, ...]
    metrics: tuple[str, ...]
    rho: float
    block: bool
    signs: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Folds of each algorithm, shape (L,)."""
        return np.array([len(s) for s in self.samples])

    @property
    def means(self) -> np.ndarray:
        """Mean vectors, shape (L, p)."""
        return np.array([s.mean(axis=0) for s in self.samples])

    @property
    def x(self) -> np.ndarray:
        """The samples as one array, shape (L, n, p)."""
        return np.array(self.samples)

    @property
    def largest(self) -> np.ndarray:
        """Size of each metric, shape (p,)."""
        return np.asarray(np.max([np.abs(s).max(axis=0) for s in self.samples], axis=0))

    def decompose(self) -> tuple[np.ndarray, np.ndarray, int]:
        """Return residuals and effects of the design, and the residuals' degrees of freedom."""
        sizes, means = self.sizes, self.means
        grand = sizes @ means / sizes.sum()
        residuals = [s - m for s, m in zip(self.samples, means, strict=True)]
        freedom = int(sizes.sum() - len(self.samples))
        if self.block:
            shift = np.mean(self.samples, axis=0) - grand
            residuals = [r - shift for r in residuals]
            freedom -= int(sizes[0]) - 1
        return np.concatenate(residuals), np.sqrt(sizes)[:, None] * (means - grand), freedom


def as_paired(
    x: ArrayLike | Blocks,
    rho: float | None,
    names: Iterable[str] | None,
    metrics: Iterable[str] | None,
) -> VectorSample:
    """Read differences of two algorithms, second minus first, from an array or `Blocks` of two."""
    x = _of_levels(x, rho)
    if isinstance(x, Blocks):
        blocks = _relabel_blocks(x, names, metrics, rho)
        if blocks.L != 2:
            raise must(
                "x",
                "have two algorithms for hotelling_paired",
                str(blocks.L),
                "Use x.pair(first, second). For all pairs use pairwise_hotelling(x).",
            )
        return _of_blocks(blocks, blocks.differences(0, 1))
    return _name_sample(as_sample(x, "x", metrics), x, names, rho)


def _of_blocks(blocks: Blocks, x: np.ndarray) -> VectorSample:
    """Return what is tested of blocks of two algorithms."""
    return VectorSample(
        x=x,
        metrics=blocks.metrics,
        largest=np.abs(blocks.x).max(axis=(0, 1)),
        names=blocks.algorithms,
        rho=blocks.rho,
        flipped=tuple(compress(blocks.metrics, blocks.lower_is_better)),
    ).of(blocks)


def _name_sample(
    sample: VectorSample, x: object, names: Iterable[str] | None, rho: float | None
) -> VectorSample:
    """Return the sample with the names of the two algorithms and their rho."""
    both, correlation = checks.check_names(names), checks.one_rho(0.0 if rho is None else rho)
    return replace(sample, names=both, rho=correlation).of(x, rho=correlation or None)


def as_two_samples(
    x: ArrayLike | Blocks,
    y: ArrayLike | None,
    rho: float | None,
    names: Iterable[str] | None,
    metrics: Iterable[str] | None,
) -> tuple[VectorSample, VectorSample]:
    """Read the scores of two algorithms, from two arrays or from `Blocks` of two."""
    x = _of_levels(x, rho)
    if isinstance(x, Blocks):
        blocks = _relabel_blocks(x, names, metrics, rho)
        if y is not None or blocks.L != 2:
            found = f"{blocks.L} algorithms"
            raise must("x", "be Blocks of two algorithms, without y", found)
        first, second = blocks.oriented
        return _of_blocks(blocks, first), _of_blocks(blocks, second)
    if y is None:
        raise must("y", "be given: the scores of the second algorithm, (n, p)")
    one = as_sample(x, "x", metrics)
    other = as_sample(y, "y", metrics, one if _named(x) else None)
    if one.x.shape[1] != other.x.shape[1]:
        raise must("y", "have as many metrics as x", f"{other.x.shape[1]} and {one.x.shape[1]}")
    return _name_sample(one, x, names, rho), _name_sample(other, y, names, rho)


def as_sample(
    x: ArrayLike, name: str, metrics: Iterable[str] | None, first: VectorSample | None = None
) -> VectorSample:
    """Read vectors: an array (n, p) or (n,), or a table of metrics, ordered as the `first`."""
    cells, (_, labels) = arrange(x, name, "block", "metric")
    if labels is not None and metrics is None and first is not None:
        if sorted(labels) != sorted(first.metrics):
            raise must(
                name,
                f"have the metrics of the first sample, {', '.join(first.metrics)}",
                ", ".join(labels),
            )
        metrics = first.metrics
    if labels is not None and metrics is not None:
        order = checks.find_places("metric", metrics, labels)
        cells, labels = cells[:, order], tuple(labels[i] for i in order)
    values = checks.read_numbers(cells, name, "(n, p), one row per fold and one column per metric")
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or 0 in values.shape:
        raise must(name, "have shape (n, p), one row per fold", f"shape {np.shape(x)}")
    if len(values) < 2:
        raise must(name, "have at least 2 folds", "1")
    given = metrics if labels is None else labels
    names = checks.check_labels("metrics", given, values.shape[1], "m")
    n = len(values)
    checks.check_finite(
        values, name, lambda i: f"metric {names[i[1]]!r} in fold {i[0] + 1} of {n}"
    )
    return VectorSample(values, names, np.abs(values).max(axis=0))


def as_design(
    x: Any,
    test: str,
    block: bool,
    rho: float | None,
    names: Iterable[str] | None,
    metrics: Iterable[str] | None,
) -> MultivariateDesign:
    """Read scores of L algorithms: `Blocks`, (L, n, p), or without blocks L arrays (n_i, p)."""
    checks.check_flags(block=block)
    x = _of_levels(x, rho)
    if isinstance(x, Blocks):
        blocks = _relabel_blocks(x, names, metrics, rho)
        samples: tuple[np.ndarray, ...] = tuple(blocks.x)
        labels, measures, signs = blocks.algorithms, blocks.metrics, blocks.signs
        rho, known = blocks.rho, blocks.described()
    else:
        if isinstance(x, Mapping):
            names, x = tuple(x) if names is None else names, list(x.values())
        samples, measures, named = _samples(x, metrics)
        if block:
            check_paired(**{f"x[{i}]": along_rows(sample) for i, sample in enumerate(x)})
        labels = checks.check_labels("names", names, len(samples), "A")
        blank = Blocks(np.zeros((1, 1, len(measures))), metrics=measures if named else None)
        signs, known = blank.signs, {"directions": blank.directions}
        rho = checks.one_rho(0.0 if rho is None else rho)
        known["resampling"] = explain_rho(np.array([rho])) if rho else ""
    _check_sizes(samples, labels, block, test)
    if rho and len({len(s) for s in samples}) > 1:
        raise must(
            "rho", "be left out if the algorithms differ in their number of folds", f"{rho:g}"
        )
    return MultivariateDesign(samples, labels, measures, rho, block, signs, **known)


# Input: arrays, tables and blocks.


def _samples(
    x: Any, metrics: Iterable[str] | None
) -> tuple[tuple[np.ndarray, ...], tuple[str, ...], bool]:
    """Return each algorithm's scores, the metrics, and whether these have names."""
    accepted = "an array (L, n, p) of algorithms, folds and metrics, or L arrays (n_i, p)"
    keyed = hasattr(x, "keys")  # a mapping or a frame
    if keyed or not hasattr(x, "__getitem__") or np.ndim(x[0] if len(x) else 0) == 0:
        raise must_be("x", accepted, x)
    first = as_sample(x[0], "x[0]", metrics)
    named = _named(x[0])
    others = [
        as_sample(sample, f"x[{i}]", metrics, first if named else None)
        for i, sample in enumerate(x[1:], start=1)
    ]
    read = [first, *others]
    widths = sorted({s.x.shape[1] for s in read})
    if len(widths) > 1:
        got = f"algorithms of {widths[0]} to {widths[-1]} metrics"
        raise must("x", f"be {accepted}", got)
    return tuple(s.x for s in read), first.metrics, named or metrics is not None


def _named(x: object) -> bool:
    """Return whether a sample is a table with names of metrics."""
    return arrange(x, "x", "block", "metric")[1][1] is not None


def _of_levels(x: Any, rho: float | None) -> Any:
    """Return `Blocks` of a table whose columns are algorithms and metrics; others unchanged."""
    if getattr(getattr(x, "columns", None), "nlevels", 1) > 1:
        return Blocks(x, rho=0.0 if rho is None else rho)
    return x


def _check_sizes(
    samples: Sequence[np.ndarray], names: Sequence[str], block: bool, test: str
) -> None:
    if len(samples) < 2:
        raise must("x", f"have at least 2 algorithms for {test}", str(len(samples)))
    sizes = [len(s) for s in samples]
    if min(sizes) < 2:
        raise must("x", f"have at least 2 folds for {test}", str(min(sizes)))
    if block and len(set(sizes)) > 1:
        low, high = int(np.argmin(sizes)), int(np.argmax(sizes))
        raise must(
            "x",
            "have as many folds of every algorithm, for blocks",
            f"{sizes[low]} of {names[low]!r} and {sizes[high]} of {names[high]!r}",
            f"For unpaired scores use {arg('block', False)}.",
        )


def _relabel_blocks(
    blocks: Blocks, names: Iterable[str] | None, metrics: Iterable[str] | None, rho: float | None
) -> Blocks:
    """Return the blocks with the rho given, and only the algorithms or metrics that are named."""
    if names is not None or metrics is not None:
        blocks = blocks.select(algorithms=checks.as_names(names) or None, metrics=metrics)
    return blocks if rho is None else replace(blocks, rho=checks.one_rho(rho))


#: Numbers held at once while simulating.
CHUNK = 2_000_000


@dataclass(frozen=True, eq=False, repr=False)
class MardiaResult(Summarised, Record):
    """Mardia's skewness and kurtosis.

    Attributes
    ----------
    skewness : float
        b₁ = Σ_ij ((x_i - x̄)ᵀS⁻¹(x_j - x̄))³/n².
    kurtosis : float
        b₂ = Σ_i ((x_i - x̄)ᵀS⁻¹(x_i - x̄))²/n; p(p + 2) for normal vectors.
    skewness_statistic, small_sample_statistic : float
        n·b₁/6, about χ², and k = (p+1)(n+1)(n+3)/(n((n+1)(p+1) - 6)) times that, for small n.
    df : int
        p(p + 1)(p + 2)/6, of both.
    kurtosis_statistic : float
        (b₂ - p(p + 2))/√(8p(p + 2)/n), about standard normal.
    skewness_pvalue, small_sample_pvalue, kurtosis_pvalue : float
        From these limits, or by simulation (both skewness ones are then the same).
    n, rank : int
        Vectors, and dimension of the space in which they vary (p in the formulas).
    ddof : int
        S has divisor n - ddof.
    metrics : tuple of str
    simulations : int
    notes : tuple of str
    """

    skewness: float
    kurtosis: float
    skewness_statistic: float
    small_sample_statistic: float
    df: int
    kurtosis_statistic: float
    skewness_pvalue: float
    small_sample_pvalue: float
    kurtosis_pvalue: float
    n: int
    rank: int
    ddof: int
    metrics: tuple[str, ...]
    simulations: int = 0
    notes: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One row per test: estimate, statistic, df, pvalue."""
        rows = [
            (self.skewness, self.skewness_statistic, self.df, self.skewness_pvalue),
            (self.skewness, self.small_sample_statistic, self.df, self.small_sample_pvalue),
            (self.kurtosis, self.kurtosis_statistic, np.nan, self.kurtosis_pvalue),
        ]
        index = pd.Index(["skewness", "skewness, small sample", "kurtosis"], name="test")
        return pd.DataFrame(rows, index=index, columns=["estimate", "statistic", "df", "pvalue"])

    def normal(self, alpha: float = 0.05) -> bool:
        """Return whether neither skewness (small-sample) nor kurtosis is rejected at alpha."""
        return min(self.small_sample_pvalue, self.kurtosis_pvalue) > checks.check_level(
            alpha, "alpha"
        )

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain numbers and text, for JSON."""
        return as_facts(self, *self.__dataclass_fields__)


#: By whether both tests keep the hypothesis.
NORMALITY = {
    True: "At {level:g} normality is not rejected. This does not show that the scores are normal.",
    False: "At {level:g} normality is rejected.",
}


@summarise.register
def _summarise_mardia_result(result: MardiaResult) -> Summary:
    return Summary(
        "Mardia's tests of multivariate normality",
        result.frame.reset_index(),
        P_VALUES,
        notes=result.notes,
        label="mardia",
        facts={"metrics": ", ".join(result.metrics), "n": str(result.n)},
        sentences=[NORMALITY[result.normal()].format(level=LEVEL)],
    )


@validate_params(simulations=count(0, most=10**6))
def mardia(
    x: ArrayLike | Blocks,
    *,
    ddof: int = 0,
    simulations: int = 0,
    seed: checks.Seed = None,
    metrics: Iterable[str] | None = None,
) -> MardiaResult:
    """Perform Mardia's tests of multivariate normality, by skewness and by kurtosis.

    Both are invariant under linear maps. Their limits need many vectors: with tens of folds the
    plain skewness and kurtosis tests reject too rarely. Simulation makes the tests exact.

    Parameters
    ----------
    x : array_like of shape (n, p), DataFrame with one column per metric, or Blocks
        Vectors, one row per fold: the scores of one algorithm in Blocks, or differences of two.
    ddof : {0, 1}
        The covariance has divisor n - ddof: 0 as Mardia and R's MVN, 1 as R's psych.
    simulations : int
        Normal samples for p-values (k + 1)/(simulations + 1) with k at least as extreme (kurtosis:
        to either side, twice the smaller). 0 takes the limits.
    seed : int or Generator
        The same seed gives the same numbers.
    metrics : iterable of str, optional

    Returns
    -------
    MardiaResult
        With dependent metrics, the tests are made in the subspace in which they vary.

    Raises
    ------
    InputError
        Fewer than p + 2 vectors, missing or infinite ones, a bad ddof, no metric that varies.

    See Also
    --------
    hotelling_paired, bayescmp.bayesian.multivariate_t

    References
    ----------
    Mardia 1970, Biometrika 57, eq. 2.23 and 3.2; Mardia 1974, Sankhyā B 36, eq. 5.5 (k).

    Examples
    --------
    >>> from bayescmp.frequentist import mardia
    >>> x = [[-3, 4], [1, 3], [1, -1], [1, 5], [1, 3]]
    >>> x += [[1, 1], [-2, 5], [3, 4], [-2, 4], [-1, 0]]
    >>> round(mardia(x, metrics=["tp", "fp"]).small_sample_pvalue, 2)
    0.53
    """
    if not checks.is_number(ddof) or ddof not in (0, 1):
        raise must_be("ddof", "0 (R's MVN) or 1 (R's psych)", ddof)
    if isinstance(x, Blocks) and metrics is None:
        metrics = x.metrics
    sample = as_sample(_one_sample(x), "x", metrics)
    centred = sample.x - sample.x.mean(axis=0)
    space = whiten(centred, sample.largest)
    n, p = len(centred), int(space.rank)
    if p == 0:
        raise must("x", "vary in at least one metric", "none that varies")
    if n < p + 2:
        raise must(
            "x",
            f"have at least {p + 2} vectors of {p} metrics for mardia",
            str(n),
            "With fewer, skewness and kurtosis are the same for all data. Give more folds, or "
            "test fewer metrics.",
        )
    white = centred @ space.map[:, space.map.any(axis=0)]
    b1, b2 = (float(moment) for moment in _moments(white, ddof))
    df, plain = p * (p + 1) * (p + 2) // 6, n * b1 / 6
    small = (p + 1) * (n + 1) * (n + 3) / (n * ((n + 1) * (p + 1) - 6)) * n * b1 / 6
    z = float((b2 - p * (p + 2)) / np.sqrt(8 * p * (p + 2) / n))
    skewness = (float(chdtrc(df, statistic)) for statistic in (plain, small))
    pvalues = (*skewness, float(2 * ndtr(-abs(z))))
    notes = Dependence.from_residuals(centred, space, sample.metrics).notes_with_rank
    if simulations:
        pvalues = _simulate_pvalues(b1, b2, n, p, ddof, simulations, checks.make_generator(seed))
        notes += (f"p-values from {simulations} simulated normal samples",)
    return MardiaResult(
        skewness=b1,
        kurtosis=b2,
        skewness_statistic=plain,
        small_sample_statistic=small,
        df=df,
        kurtosis_statistic=z,
        skewness_pvalue=pvalues[0],
        small_sample_pvalue=pvalues[1],
        kurtosis_pvalue=pvalues[2],
        n=n,
        rank=p,
        ddof=ddof,
        metrics=sample.metrics,
        simulations=simulations,
        notes=notes,
    )


# Moments of whitened samples.


def _moments(white: np.ndarray, ddof: int) -> tuple[np.ndarray, np.ndarray]:
    """Return skewness and kurtosis of samples (..., n, p) whitened to sums of squares of one."""
    n = white.shape[-2]
    products = (n - ddof) * (white @ np.swapaxes(white, -1, -2))
    squares = np.diagonal(products, axis1=-2, axis2=-1)
    return (products**3).sum(axis=(-2, -1)) / n**2, (squares**2).sum(axis=-1) / n


def _simulate_pvalues(
    b1: float, b2: float, n: int, p: int, ddof: int, simulations: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return p-values from normal samples; any normal distribution gives the same."""
    if simulations < 99:
        raise must_be("simulations", "0, or at least 99", simulations)
    above = low = high = 0
    most = max(1, CHUNK // (n * max(n, p)))
    for done in range(0, simulations, most):
        size = min(most, simulations - done)
        x = rng.standard_normal((size, n, p))
        white = np.linalg.qr(x - x.mean(axis=1, keepdims=True))[0]
        skewness, kurtosis = _moments(white, ddof)
        above += int(np.sum(skewness >= b1))
        low += int(np.sum(kurtosis <= b2))
        high += int(np.sum(kurtosis >= b2))
    skew = (above + 1) / (simulations + 1)
    return skew, skew, min(1.0, 2 * (min(low, high) + 1) / (simulations + 1))


def _one_sample(x: ArrayLike | Blocks) -> ArrayLike:
    if not isinstance(x, Blocks):
        return x
    if x.L > 2:
        raise must(
            "x",
            "have one or two algorithms for mardia",
            str(x.L),
            "Use x.select(algorithms=[...]), with one for its scores, or two "
            "for their differences.",
        )
    return x.x[0] if x.L == 1 else as_paired(x, 0.0, None, None).x
