"""Several metrics by Hotelling's T²: of two algorithms, paired or not, and of every pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base.checks import (
    DIFFERENCES,
    check_choice,
    check_level,
    check_whole,
    flag,
    one_array,
    share,
    validate_params,
)
from bayescmp.base.whitening import few_folds, whiten
from bayescmp.frequentist.effects import studentize
from bayescmp.frequentist.groups import pairwise_t, tukey
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.multiplicity import find_procedure
from bayescmp.frequentist.multivariate_samples import (
    Dependence,
    MultivariateDesign,
    VectorSample,
    as_design,
    as_paired,
    as_two_samples,
    chance,
    hotelling_f,
    paired_distances,
    squared_distances,
)
from bayescmp.frequentist.results import (
    LEVEL,
    ComparedPairs,
    DescribedResult,
    PosthocResult,
    corrected_for,
    index_of,
    pairs_of,
)
from bayescmp.present.forms import Summarised, as_text
from bayescmp.present.groups import bracket_groups, underline_groups
from bayescmp.present.summary import (
    A_AND_B,
    P_VALUES,
    PAIR,
    Cells,
    Column,
    Explanation,
    Summary,
    summarise,
)
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.metrics import list_metrics
from bayescmp.wording.references import cite_test, state_method
from bayescmp.wording.text import (
    format_count,
    format_number,
    format_test_pvalue,
    state_pvalue,
)


# Result of Hotelling's test of two algorithms.
@dataclass(frozen=True, eq=False, repr=False)
class HotellingResult(Summarised, DescribedResult):
    """Result of Hotelling's test: two algorithms, p metrics.

    Attributes
    ----------
    method : str
    statistic : float
        T²; infinite if the algorithms differ in a direction in which no fold does.
    f : float
        F = (ν - r + 1)/(νr)·T².
    df : (float, float)
        r and ν - r + 1, degrees of freedom of F.
    pvalue : float
    rank : int
        r, the dimension of the space in which the metrics vary: p, unless some are dependent.
    mean : ndarray of shape (p,)
        Mean difference, second minus first, of ``flipped`` metrics (lower is better) first minus
        second.
    covariance : ndarray of shape (p, p)
        S, of the differences (paired) or within the samples (pooled), with divisor ν.
    weights : ndarray of shape (p,)
        S⁻¹d̄: the combination of metrics that separates the two most; if S is singular, the
        shortest one of the standardised metrics.
    names : (str, str)
    metrics : tuple of str
    n : int or (int, int)
        Folds, or sizes of the two samples.
    freedom : int
        ν, of the covariance.
    factor : float
        Variance of the mean difference relative to S: 1/n + ρ/(1-ρ), or 1/n₁ + 1/n₂.
    rho : float
    constant, dependent, flipped : tuple of str
        Metrics that do not vary; linear combinations of earlier ones; those of which lower is
        better.
    notes : tuple of str
    directions, resampling, left_out
        See `DescribedResult`.
    """

    method: str
    statistic: float
    f: float
    df: tuple[float, float]
    pvalue: float
    rank: int
    mean: np.ndarray
    covariance: np.ndarray
    weights: np.ndarray
    names: tuple[str, ...]
    metrics: tuple[str, ...]
    n: int | tuple[int, int]
    freedom: int
    factor: float
    rho: float = 0.0
    constant: tuple[str, ...] = ()
    dependent: tuple[str, ...] = ()
    flipped: tuple[str, ...] = ()

    @property
    def distance(self) -> float:
        """Mahalanobis distance of the two means, √(d̄ᵀS⁻¹d̄)."""
        return float(np.sqrt(self.statistic * self.factor))

    @property
    def direction(self) -> np.ndarray:
        """Discriminant direction S⁻¹d̄ of length one, in the metrics' units, shape (p,)."""
        return _unit(self.weights)

    @property
    def standardised(self) -> np.ndarray:
        """The direction for metrics in standard deviations, of length one, shape (p,)."""
        return _unit(self.weights * np.sqrt(np.diag(self.covariance)))

    def univariate(self, adjust: str = "holm") -> pd.DataFrame:
        """Test each metric by a t test, corrected for rho like the result, to find differences.

        P-values are adjusted by one of the procedures of `adjust`. The frame has the index metric
        and the columns difference, standard_error, t, df, pvalue, adjusted.
        """
        error = np.sqrt(self.factor * np.diag(self.covariance))
        t = studentize(self.mean, error)
        p = 2 * stats.t.sf(np.abs(t), self.freedom)
        columns = {
            "difference": self.mean,
            "standard_error": error,
            "t": t,
            "df": float(self.freedom),
            "pvalue": p,
            "adjusted": adjust_p(p, adjust),
        }
        return self._tabulate(columns, pd.Index(self.metrics, name="metric"))

    def confidence_interval(self, level: float = 0.95, *, method: str = "T2") -> pd.DataFrame:
        """Return simultaneous confidence intervals of the metrics' mean differences.

        Parameters
        ----------
        level : float
            Confidence that all of them contain the true differences.
        method : {"T2", "bonferroni", "none"}
            "T2" is valid for all linear combinations at once, so wider than "bonferroni", for the
            p metrics; "none" gives one interval at a time.

        The frame has the index metric and columns difference, low, high (Johnson & Wichern 2007,
        eq. 5-24 and 5-29).
        """
        alpha = 1 - check_level(level)
        method = check_choice("method", method, ("T2", "bonferroni", "none"))
        if method == "T2":
            ratio = self.rank * self.freedom / self.df[1]
            critical = np.sqrt(ratio * stats.f.isf(alpha, self.rank, self.df[1])) if ratio else 0.0
        else:
            tests = len(self.metrics) if method == "bonferroni" else 1
            critical = stats.t.isf(alpha / (2 * tests), self.freedom)
        half = critical * np.sqrt(self.factor * np.diag(self.covariance))
        columns = {"difference": self.mean, "low": self.mean - half, "high": self.mean + half}
        return self._tabulate(columns, pd.Index(self.metrics, name="metric"))

    @property
    def frame(self) -> pd.DataFrame:
        """Each metric's own test, as in `univariate`, with its weight in the direction."""
        table = self.univariate().assign(direction=self.direction).reset_index()
        return table.rename_axis(columns=self.measured or None)

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain numbers and text, for JSON."""
        kept = ("method", "statistic", "f", "df", "pvalue", "rank", "names", "n", "rho", "flipped")
        return self.collect_facts(
            *kept,
            mean=dict(zip(self.metrics, map(float, self.mean), strict=True)),
            direction=dict(zip(self.metrics, map(float, self.direction), strict=True)),
        )


#: By whether they differ.
DIFFER = {
    True: "{names} differ at {level:g} ({p})",
    False: "{names} are not shown to differ at {level:g} ({p})",
}
FLIPPED = "lower is better for {metrics}: sign reversed"
F_TEST = "{f} with {first:g} and {second:g} degrees of freedom"
#: Words for a difference, by whether it is known which way the metrics are better.
DIFFERENCE = {True: "improvement of {second} over {first}", False: "{second} minus {first}"}


@summarise.register
def _summarise_hotelling_result(result: HotellingResult) -> Summary:
    first, second = result.names
    flipped = [FLIPPED.format(metrics=", ".join(result.flipped))] if result.flipped else []
    metrics = list_metrics(result.metrics, result.directions)
    heading, known = f"{result.method} on {metrics}", bool(result.directions)
    return Summary(
        DIFFER[result.pvalue <= LEVEL].format(
            names=f"{first} and {second}", level=LEVEL, p=state_pvalue(result.pvalue)
        ),
        result.frame,
        P_VALUES,
        notes=[*flipped, *result.all_notes],
        label="hotelling",
        facts={
            "T²": format_number(result.statistic),
            "F": F_TEST.format(f=format_number(result.f), first=result.df[0], second=result.df[1]),
            "p": format_test_pvalue(result.pvalue),
            "n": str(result.n),
            "difference": DIFFERENCE[known].format(first=first, second=second),
        },
        setting=heading,
        explanation=lambda: Explanation(methods=[state_method(heading, result.cites)]),
    )


def _unit(vector: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else np.zeros_like(vector)


@one_array(DIFFERENCES)
def hotelling_paired(
    x: ArrayLike | Blocks,
    *,
    rho: float | None = None,
    names: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> HotellingResult:
    """Perform Hotelling's T² test of paired differences in several metrics.

    T² = d̄ᵀS⁻¹d̄/c with c = 1/n + ρ/(1-ρ), and (n - p)/(p(n - 1))·T² ~ F(p, n - p). rho = 0 is the
    textbook test; with one metric this is the corrected t test. It is exact for normal differences
    if every two folds have correlation rho in all metrics: d̄ and S are then independent, with
    covariance (1 + (n-1)ρ)/n·Σ and mean (1-ρ)Σ.

    Parameters
    ----------
    x : array_like of shape (n, p), DataFrame or Blocks of two algorithms
        One column per metric. Differences, second minus first, one row per fold.
    rho : float, optional
        Correlation of two folds' differences in [0, 1): 1/folds for cross-validation, repeated or
        not. By default that of the Blocks, or 0 for plain numbers.
    names : (str, str), optional
    metrics : iterable of str, optional
        Names of an array's columns; for Blocks or a DataFrame, those to be used.

    Returns
    -------
    HotellingResult
        Linearly dependent metrics are tested in their subspace, of dimension ``rank``, and a note
        names them. If the difference is zero in every fold, T² is 0 and p is 1; if some
        combination of metrics has the same difference, not zero, in every fold, T² is infinite and
        p is 0, as in `paired_t`.

    Raises
    ------
    InputError
        Not more folds than (independent) metrics; fewer than 2 folds, missing or infinite
        differences, rho outside [0, 1).

    See Also
    --------
    mardia, bayescmp.bayesian.multivariate_t

    References
    ----------
    Hotelling 1931; Rencher 2002, eq. 5.14 and 5.15; Yıldız & Alpaydın, eq. 1 and 2 (directions);
    Nadeau & Bengio 2003, eq. 19, for c.

    Examples
    --------
    >>> from bayescmp.frequentist import hotelling_paired
    >>> x = [[-3, 4], [1, 3], [1, -1], [1, 5], [1, 3]]
    >>> x += [[1, 1], [-2, 5], [3, 4], [-2, 4], [-1, 0]]
    >>> round(hotelling_paired(x, rho=0.1, metrics=["tp", "fp"]).pvalue, 4)
    0.0657
    """
    sample = as_paired(x, rho, names, metrics)
    n = len(sample.x)
    title = "paired Hotelling T² test" + corrected_for(sample.rho)
    mean = sample.x.mean(axis=0)
    factor = 1 / n + sample.rho / (1 - sample.rho)
    return _result(title, sample, mean, sample.x - mean, n - 1, factor, n)


def hotelling_two_sample(
    x: ArrayLike | Blocks,
    y: ArrayLike | None = None,
    *,
    rho: float | None = None,
    names: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> HotellingResult:
    """Perform Hotelling's T² test of two independent samples with one covariance.

    T² = D²/(1/n₁ + 1/n₂), D² = d̄ᵀS⁻¹d̄ with the pooled S, and (n - p - 1)/(p(n - 2))·T² ~ F(p, n
    - p - 1), n = n₁ + n₂. Scores on the same folds pair: see `hotelling_paired`.

    Parameters
    ----------
    x, y : array_like of shape (n₁, p) and (n₂, p), or DataFrames with one column per metric
        Scores of the first and of the second algorithm; or only x, Blocks of two algorithms.
    rho : float, optional
        Correlation of two folds of one sample; 1/n₁ + 1/n₂ + 2ρ/(1-ρ) then replaces 1/n₁ + 1/n₂.
        By default that of the Blocks, or 0 for plain numbers.
    names : (str, str), optional
    metrics : iterable of str, optional
        As for `hotelling_paired`. Two DataFrames are matched by the names of their columns.

    Returns
    -------
    HotellingResult
        The mean difference is y minus x; dependent and constant metrics as in `hotelling_paired`.

    Raises
    ------
    InputError
        As for `hotelling_paired`; samples with different metrics.

    See Also
    --------
    hotelling_paired, bayescmp.bayesian.multivariate_t

    References
    ----------
    Hotelling 1931; Mardia, Kent & Bibby 1979, theorem 3.6.1; Aslan 2009, eq. 4.82-4.84 (4.83
    lacks its last factor, and the divisors of its S are those of S_i with divisor n_i).

    Examples
    --------
    >>> from bayescmp.frequentist import hotelling_two_sample
    >>> x = [[0.81, 0.74], [0.83, 0.77], [0.80, 0.75], [0.82, 0.73]]
    >>> y = [[0.85, 0.79], [0.84, 0.80], [0.86, 0.78], [0.83, 0.78]]
    >>> round(hotelling_two_sample(x, y, metrics=["accuracy", "f1"]).pvalue, 3)
    0.019
    """
    first, second = as_two_samples(x, y, rho, names, metrics)
    rho = first.rho
    sizes = (len(first.x), len(second.x))
    means = first.x.mean(axis=0), second.x.mean(axis=0)
    residuals = np.concatenate([first.x - means[0], second.x - means[1]])
    sample = replace(first, largest=np.maximum(first.largest, second.largest))
    factor = 1 / sizes[0] + 1 / sizes[1] + 2 * rho / (1 - rho)
    title = "two-sample Hotelling T² test" + corrected_for(rho)
    return _result(title, sample, means[1] - means[0], residuals, sum(sizes) - 2, factor, sizes)


def hotelling_all_pairs(
    x: np.ndarray, rho: float = 0.0, metrics: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Test all pairs of algorithms at once by paired Hotelling tests."""
    n = x.shape[1]
    labels = metrics or [f"m{k + 1}" for k in range(x.shape[2])]
    squared, rank = paired_distances(x, pairs_of(len(x)), labels)
    t2 = squared / (1 / n + rho / (1 - rho))
    return t2, hotelling_f(t2, rank, n - 1)[2], rank


# T² from a mean difference and the residuals of its covariance.


def _result(
    title: str,
    sample: VectorSample,
    mean: np.ndarray,
    residuals: np.ndarray,
    freedom: int,
    factor: float,
    n: int | tuple[int, int],
) -> HotellingResult:
    """Test a mean difference, given the residuals that its covariance comes from."""
    space = whiten(residuals, sample.largest)
    coordinates = space.coordinates(mean[None])[0]
    outside = space.project_outside(mean[None])[0]
    rank = int(space.rank)
    if np.any(outside != 0) and rank >= freedom:
        raise few_folds(residuals, freedom, sample.metrics, format_count(len(residuals), "fold"))
    dependence = Dependence.from_residuals(residuals, space, sample.metrics)
    notes = dependence.notes_with_rank
    mean = np.where(space.constant & (outside == 0), 0.0, mean)
    t2 = np.inf if np.any(outside != 0) else freedom / factor * float(coordinates @ coordinates)
    weights = freedom * space.map @ coordinates
    if np.any(outside != 0):
        weights = outside / space.scale
        same = f"a difference is the same in every fold: T² is infinite{chance(freedom)}"
        notes = (*dependence.notes, same)
    f, below, p = hotelling_f(np.asarray(t2), space.rank, freedom)
    quiet = np.where(space.constant, 0.0, residuals)
    return HotellingResult(
        method=title,
        cites=cite_test("hotelling", corrected=sample.rho > 0),
        statistic=float(t2),
        f=float(f),
        df=(float(rank), float(below)),
        pvalue=float(p),
        rank=rank,
        mean=mean,
        covariance=quiet.T @ quiet / freedom,
        weights=weights,
        names=sample.names,
        metrics=sample.metrics,
        n=n,
        freedom=freedom,
        factor=factor,
        rho=sample.rho,
        constant=dependence.constant,
        dependent=dependence.dependent,
        flipped=sample.flipped,
        notes=notes,
    ).of(sample)


# All pairs of algorithms by Hotelling's test, after MANOVA.


@dataclass(frozen=True, eq=False, kw_only=True)
class PairwiseHotelling(ComparedPairs):
    """Hotelling's tests of pairs of algorithms, with raw and adjusted p-values.

    Attributes
    ----------
    method, adjust : str
    names, metrics : tuple of str
    pairs : ndarray of int, shape (m, 2)
        First and second algorithm of each comparison.
    difference : ndarray of shape (m, p)
        Second minus first, with the sign flipped for metrics of which lower values are better.
    distance, statistic : ndarray of shape (m,)
        Mahalanobis distance of the means, √(d̄ᵀS⁻¹d̄), and T².
    f, df1, df2 : ndarrays of shape (m,)
    rank : ndarray of int, shape (m,)
        Dimension of the space in which the metrics of each pair vary.
    pvalue, adjusted : ndarray of shape (m,)
    means : ndarray of shape (L, p)
        In each metric's own direction.
    signs : ndarray of shape (p,)
        -1 for metrics of which lower values are better.
    control : str or None
    n : int
    design : Design
        The scores.
    notes : tuple of str
    directions, resampling, left_out
        See `DescribedResult`.
    """

    columns: ClassVar[dict[str, str]] = {
        "distance": "distance",
        "statistic": "statistic",
        "F": "f",
        "df1": "df1",
        "df2": "df2",
        "rank": "rank",
    }

    metrics: tuple[str, ...]
    distance: np.ndarray
    f: np.ndarray
    df1: np.ndarray
    df2: np.ndarray
    rank: np.ndarray
    means: np.ndarray
    signs: np.ndarray
    design: MultivariateDesign = field(repr=False)

    @property
    def on_measured(self) -> str:
        """Metrics for a heading, with their directions where these are known."""
        return f" on {list_metrics(self.metrics, self.directions)}"

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Mean differences, one row per comparison and one column per metric."""
        labels = self.frame[["first", "second"]]
        values = pd.DataFrame(self.difference, columns=list(self.metrics))
        return self._tabulate(pd.concat([labels, values], axis=1))

    def bracketed(self, alpha: float = 0.05) -> str:
        """Write the cliques as text, ``{c4.5, (lda, rf), qda, knn}``; singles have no brackets."""
        return bracket_groups(self.names, self._groups(alpha))

    def underline(self, metric: str | None = None, alpha: float = 0.05, *, digits: int = 3) -> str:
        """Order the algorithms by one metric, best first, with multivariate cliques underlined.

        By default the first; alpha is the family-wise level, digits are the means' decimals.
        Cliques need not be neighbours in any one metric: a line has gaps.
        """
        at = self._metric(metric)
        order = np.argsort(-self.signs[at] * self.means[:, at], kind="stable")
        place = np.argsort(order)
        groups = [tuple(sorted(int(place[i]) for i in g)) for g in self._groups(alpha)]
        digits = check_whole("digits", digits, 0)
        means = np.round(self.means[order, at], digits) + 0.0  # no "-0.000"
        values = [f"{mean:.{digits}f}" for mean in means]
        return underline_groups([self.names[i] for i in order], values, groups)

    def univariate(self, metric: str, *, adjust: str = "holm") -> PosthocResult:
        """Compare the algorithms on only one metric: its order, and which pairs differ.

        ``adjust`` is for the paired t tests; without blocks Tukey's test is used instead.
        """
        at = self._metric(metric)
        rows = [sample[:, at] for sample in self.design.samples]
        options: dict[str, Any] = {
            "rho": self.design.rho,
            "lower_is_better": bool(self.signs[at] < 0),
            "names": self.names,
        }
        if self.design.block:
            pairs = pairwise_t(rows, adjust=adjust, control=self.control, **options)
        else:
            pairs = tukey(rows, block=False, **options)
        known = self.described()
        known["directions"] = self.directions[at : at + 1]
        return replace(pairs, **known)

    def to_dict(self, alpha: float = 0.05) -> dict[str, object]:
        """Return the result as plain numbers and text, for JSON; alpha is the cliques'."""
        kept = ("method", "adjust", "control", "metrics", "n")
        return self.collect_facts(*kept, comparisons=self.frame, cliques=self.cliques(alpha))

    @validate_params(alpha=share)
    def text(self, alpha: float = 0.05) -> str:
        """Write the result in words, with the cliques at level alpha."""
        return as_text(summarise(self, alpha=alpha))

    def _metric(self, metric: str | None) -> int:
        if metric is None:
            return 0
        check_choice("metric", metric, self.metrics)
        return self.metrics.index(metric)


#: Words for the number of different pairs, if there are none, one or several.
DIFFERING = {
    0: "None of {pairs} differs at {alpha:g}",
    1: "1 of {pairs} differs at {alpha:g}",
    2: "{apart} of {pairs} differ at {alpha:g}",
}


@summarise.register
def _summarise_pairwise_hotelling(result: PairwiseHotelling, *, alpha: float = LEVEL) -> Summary:
    different = result.different(alpha)
    apart, pairs = int(different.sum()), format_count(len(different), "pair")
    adjusted: dict[object, Column] = {
        "pvalue": Column(Cells.P_VALUE),
        "adjusted": Column(Cells.P_VALUE, bold=[*different]),
    }
    groups = result.bracketed(alpha) if result.cliques(alpha) else "none"
    facts = {f"groups of algorithms that do not differ at {alpha:g}": groups}
    return Summary(
        DIFFERING[min(apart, 2)].format(apart=apart, pairs=pairs, alpha=alpha),
        result.frame,
        {**A_AND_B, **adjusted},
        notes=result.all_notes,
        label="pairs",
        facts=facts,
        setting=result.heading,
        explanation=lambda: Explanation(
            methods=[state_method(result.heading, result.cites, result.adjust)]
        ),
        paper=lambda: Summary(
            result.heading,
            result.frame,
            {**PAIR, **adjusted},
            notes=result.all_notes,
            label="pairs",
            facts=facts,
        ),
    )


@validate_params(pooled=flag)
def pairwise_hotelling(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    pooled: bool = False,
    rho: float | None = None,
    adjust: str = "bonferroni",
    control: str | int | None = None,
    names: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> PairwiseHotelling:
    """Perform Hotelling's test of every pair of algorithms, after MANOVA.

    Parameters
    ----------
    x : array_like of shape (L, n, p), or Blocks
        Scores: algorithms, folds, metrics. Without blocks also L arrays (n_i, p).
    block : bool
        Whether folds are the same for all: paired tests, not those of two samples. (The thesis
        uses two samples after a blocked MANOVA.)
    pooled : bool
        Whether all algorithms share one covariance, with the degrees of freedom of MANOVA's error.
    rho : float, optional
        As for `hotelling_paired` and `manova`.
    adjust : str
        One of the procedures of `adjust`.
    control : str or int, optional
        Compare only with this algorithm.
    names, metrics : iterable of str, optional

    Returns
    -------
    PairwiseHotelling

    Raises
    ------
    InputError
        As for `manova`; an unknown adjustment or control.

    See Also
    --------
    manova, bayescmp.bayesian.groups

    References
    ----------
    Yıldız & Alpaydın, sec. 2.2 and 3.5 (paired, Holm); Aslan 2009, eq. 4.82-4.84 (two samples,
    Bonferroni).

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.frequentist import pairwise_hotelling
    >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
    >>> x[2] += [2, 2]
    >>> pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"]).adjusted.round(4)
    array([1.    , 0.0029, 0.0116])
    """
    design = as_design(x, "pairwise_hotelling", block, rho, names, metrics)
    return pairwise_of(design, pooled=pooled, adjust=adjust, control=control)


def hotelling_of_each(x: Blocks) -> PairwiseHotelling:
    """Compare each pair with a separate covariance, as `hotelling_paired` does."""
    return pairwise_hotelling(x, adjust="none")


def pairwise_of(
    design: MultivariateDesign,
    *,
    pooled: bool = False,
    adjust: str = "bonferroni",
    control: str | int | None = None,
) -> PairwiseHotelling:
    """Test all pairs of scores that were checked; see `pairwise_hotelling`."""
    method = find_procedure(adjust)
    at = None if control is None else index_of(control, design.names)
    pairs = pairs_of(len(design.samples), at)
    means = design.means
    test = (
        _test_pooled_covariance
        if pooled
        else _test_own_covariances
        if design.block
        else _two_sample
    )
    t2, rank, freedom, factor = test(design, pairs)
    f, below, p = hotelling_f(t2, rank, freedom)
    title = "Hotelling tests, " + ("paired" if design.block else "two-sample")
    title += ", pooled covariance" if pooled else ""
    return PairwiseHotelling(
        method=title + corrected_for(design.rho),
        cites=cite_test("hotelling", corrected=design.rho > 0),
        adjust=method,
        names=design.names,
        metrics=design.metrics,
        pairs=pairs,
        difference=(means[pairs[:, 1]] - means[pairs[:, 0]]) * design.signs,
        distance=np.sqrt(t2 * factor),
        statistic=t2,
        f=f,
        df1=rank.astype(float),
        df2=np.asarray(below, dtype=float),
        rank=rank,
        pvalue=p,
        adjusted=adjust_p(p, method),
        means=means,
        signs=design.signs,
        control=None if at is None else design.names[at],
        n=int(design.sizes.max()),
        design=design,
        notes=_notes(t2, rank, len(design.metrics), float(np.min(freedom))),
    ).of(design)


# The three designs: T², rank, degrees of freedom of the covariance, variance factor.
_Tests = tuple[np.ndarray, np.ndarray, float | np.ndarray, float | np.ndarray]


def _test_own_covariances(design: MultivariateDesign, pairs: np.ndarray) -> _Tests:
    """Test each pair with the covariance of its differences."""
    squared, rank = paired_distances(design.x, pairs, design.metrics)
    n = int(design.sizes[0])
    factor = 1 / n + design.rho / (1 - design.rho)
    return squared / factor, rank, n - 1, factor


def _two_sample(design: MultivariateDesign, pairs: np.ndarray) -> _Tests:
    """Test each pair with its two covariances pooled."""
    means = design.means
    centred = [sample - sample.mean(axis=0) for sample in design.samples]
    freedom = design.sizes[pairs].sum(axis=1) - 2
    squared, rank = np.empty(len(pairs)), np.empty(len(pairs), dtype=int)
    for value in np.unique(freedom):  # samples of one size, as a rule, go all at once
        some = np.flatnonzero(freedom == value)
        residuals = np.array([np.concatenate([centred[i], centred[j]]) for i, j in pairs[some]])
        difference = (means[pairs[some, 1]] - means[pairs[some, 0]])[:, None, :]
        distances, rank[some] = squared_distances(
            residuals, difference, design.largest, int(value), design.metrics
        )
        squared[some] = distances[:, 0]
    factor = _mean_factor(design, pairs)
    return squared / factor, rank, freedom, factor


def _test_pooled_covariance(design: MultivariateDesign, pairs: np.ndarray) -> _Tests:
    """Test all pairs with the covariance of MANOVA's error."""
    residuals, _, freedom = design.decompose()
    difference = design.means[pairs[:, 1]] - design.means[pairs[:, 0]]
    squared, rank = squared_distances(
        residuals, difference, design.largest, freedom, design.metrics
    )
    factor = _mean_factor(design, pairs)
    return squared / factor, np.full(len(pairs), rank), freedom, factor


def _mean_factor(design: MultivariateDesign, pairs: np.ndarray) -> np.ndarray:
    """Return the variance of a difference of two means, in units of that of one fold."""
    overlap = design.rho / (1 - design.rho)
    return np.asarray((1 / design.sizes[pairs]).sum(axis=1) + 2 * overlap)


def _notes(t2: np.ndarray, rank: np.ndarray, p: int, freedom: float) -> tuple[str, ...]:
    notes = []
    if np.any(rank < p):
        low, high = int(rank.min()), int(rank.max())
        used = f"{low}" if low == high else f"{low} to {high}"
        notes.append(f"some metrics are dependent or don't vary: rank {used} of {p} used")
    if np.isinf(t2).any():
        same = "an infinite T²: the pair differs by the same amount in every fold"
        notes.append(same + chance(freedom))
    return tuple(notes)
