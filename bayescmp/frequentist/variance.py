"""Several algorithms on one data set: analysis of variance, with folds as blocks or without."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import linalg, optimize, stats

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import ROWS, check_paired, one_array, one_of, validate_params
from bayescmp.base.magnitudes import TIED
from bayescmp.frequentist.effects import NO_ERROR, ratio
from bayescmp.frequentist.results import (
    LEVEL,
    DescribedResult,
    EffectSize,
    TestResult,
    corrected_for,
)
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import P_VALUES, Summary, summarise
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.frames import by_algorithm, is_labelled
from bayescmp.wording.references import SOURCES
from bayescmp.wording.text import format_number, state_pvalue


# Rows of one metric on one data set, one per algorithm, checked.
@dataclass(frozen=True, eq=False)
class Groups(DescribedResult):
    """Scores of L algorithms on one data set, one row each, higher better (else `sign` is -1)."""

    rows: tuple[np.ndarray, ...]
    names: tuple[str, ...]
    sign: float
    rho: float

    @property
    def matrix(self) -> np.ndarray:
        """The rows as one array of shape (L, n)."""
        return np.array(self.rows)


def as_groups(
    x: Any,
    test: str,
    block: bool,
    names: Iterable[str] | None,
    lower_is_better: bool = False,
    rho: float | None = None,
) -> Groups:
    """Check scores of L algorithms on one data set."""
    checks.check_flags(block=block, lower_is_better=lower_is_better)
    if isinstance(x, Blocks):
        return _of_blocks(x, names, lower_is_better, test, rho)
    source, own = _by_algorithm(x, block)
    if isinstance(source, Set) or not hasattr(source, "__len__") or len(source) < 2:
        raise must(
            "x",
            f"have at least 2 algorithms for {test}",
            "fewer",
            "Give (L, n), one row per algorithm, or a DataFrame with one column per algorithm.",
        )
    if own is not None and names is not None:
        order = checks.find_places("algorithm", names, own, "names")
        if len(order) < 2:
            raise must_be("names", f"two of {', '.join(own)}, or more", names)
        source, own = [source[i] for i in order], tuple(own[i] for i in order)
    labels = checks.check_labels("names", names if own is None else own, len(source), "A")
    if block and isinstance(source, list | tuple):
        check_paired(**{f"row {a!r}": row for a, row in zip(labels, source, strict=True)})
    rows = tuple(
        checks.check_vector(row, name=f"x, row {label!r},", test=test)
        for row, label in zip(source, labels, strict=True)
    )
    lengths = sorted({len(r) for r in rows})
    if block and len(lengths) > 1:
        raise must(
            "x",
            "have as many scores of every algorithm, for blocks",
            f"rows of {lengths[0]} to {lengths[-1]}",
            f"For unpaired scores use {arg('block', False)}.",
        )
    sign = -1.0 if lower_is_better else 1.0
    given_rho = checks.one_rho(0.0 if rho is None else rho)
    groups = Groups(tuple(sign * r for r in rows), labels, sign, given_rho)
    return groups.of(x, rho=given_rho or None)


def _by_algorithm(x: Any, block: bool) -> tuple[Any, tuple[str, ...] | None]:
    """Return the scores of each algorithm, and the names of a table's columns."""
    if isinstance(x, Mapping) and (not block or len({np.size(row) for row in x.values()}) > 1):
        return list(x.values()), tuple(map(str, x))
    if not is_labelled(x):
        return x, None
    values, (own,) = by_algorithm(x, "x")
    return values, own


def _of_blocks(
    blocks: Blocks, names: Iterable[str] | None, lower: bool, test: str, rho: float | None
) -> Groups:
    """Return the rows of Blocks of one metric, which know their direction and their folds."""
    if blocks.p != 1:
        raise must(
            "x",
            f"have one metric for {test}",
            f"{blocks.p}, {', '.join(blocks.metrics)}",
            "Use x.select(metrics=[...]).",
        )
    if lower and not blocks.lower_is_better[0]:
        raise must_be(
            "lower_is_better",
            f"False, since in x higher is better for {blocks.metrics[0]!r}",
            lower,
        )
    blocks = blocks if names is None else blocks.select(algorithms=checks.as_names(names))
    blocks = blocks if rho is None else replace(blocks, rho=rho)
    lower = blocks.lower_is_better[0]
    rows = as_groups(blocks.x[..., 0], test, True, blocks.algorithms, lower, blocks.rho)
    return rows.of(blocks)


# Sphericity of a blocked analysis of variance: Mauchly's test, and corrections without it.


#: What may be assumed of the covariance of an analysis of variance in blocks.
CORRECTIONS = ("assumed", "greenhouse-geisser", "huynh-feldt")


def mauchly(x: ArrayLike, *, names: Iterable[str] | None = None) -> TestResult:
    """Perform Mauchly's test that the differences of all pairs vary alike (sphericity).

    The blocked `anova`, `tukey` and `dunnett` assume it.

    Parameters
    ----------
    x : array_like of shape (L, n), or DataFrame with one column per algorithm
        Scores of n folds; n > L ≥ 3.
    names : iterable of str, optional
        The algorithms, if x has no labels.

    Returns
    -------
    TestResult
        W with Box's approximation of its p-value. The notes give the epsilons of Greenhouse and
        Geisser and of Huynh and Feldt, which multiply the degrees of freedom of F.

    Raises
    ------
    InputError
        Fewer than 3 algorithms, no more folds than algorithms, or differences that don't vary.

    See Also
    --------
    anova, bayescmp.bayesian.groups

    References
    ----------
    Mauchly 1940, Ann. Math. Stat. 11; Box 1949; Greenhouse & Geisser 1959, Psychometrika 24; Huynh
    & Feldt 1976, J. Educ. Stat. 1. The p-value is Box's to second order, in one term of which R's
    ``mauchly.test`` (after Anderson 1958) counts columns for contrasts.

    Examples
    --------
    >>> from bayescmp.frequentist import mauchly
    >>> x = [[0.886, 0.939, 0.939, 0.921, 0.947], [0.921, 0.965, 0.912, 0.939, 0.956],
    ...      [0.930, 0.991, 0.956, 0.965, 0.982]]
    >>> round(mauchly(x).pvalue, 3)
    0.084
    """
    groups = as_groups(x, "mauchly", True, names, False)
    L, n = groups.matrix.shape
    if L < 3:
        raise must(
            "x", "have at least 3 algorithms for mauchly", "2", "One difference is spherical."
        )
    if n <= L - 1:
        raise must("x", f"have at least {L} folds of {L} algorithms for mauchly", str(n))
    s, p = _contrasts(groups.matrix), L - 1
    sign, log_det = np.linalg.slogdet(s)
    if sign <= 0 or not np.isfinite(log_det):
        raise must("x", "have differences that vary and are linearly independent for mauchly")
    log_w = float(log_det - p * math.log(np.trace(s) / p))
    return TestResult(
        method="Mauchly's test of sphericity",
        statistic=math.exp(log_w),
        pvalue=_box(log_w, p, n - 1),
        df=p * (p + 1) / 2 - 1,
        names=groups.names,
        n=n,
        symbol="W",
        notes=tuple(
            f"{kind.title()} ε = {epsilon(groups.matrix, kind):.4g}" for kind in CORRECTIONS[1:]
        ),
    ).of(groups, folds=False)


def _box(log_w: float, p: int, df: int) -> float:
    """Return the p-value of Mauchly's W to second order, a mixture of two χ² tails (Box 1949)."""
    rho = 1 - (2 * p**2 + p + 2) / (6 * p * df)
    cubic = 2 * p**3 + 6 * p**2 + 3 * p + 2
    second = (p + 2) * (p - 1) * (p - 2) * cubic / (288 * (df * p * rho) ** 2)
    chi2, freedom = -df * rho * log_w, p * (p + 1) / 2 - 1
    first, later = stats.chi2.sf(chi2, freedom), stats.chi2.sf(chi2, freedom + 4)
    return float(min(max(first + second * (later - first), 0.0), 1.0))


def epsilon(x: np.ndarray, correction: str) -> float:
    """Return the factor by which the degrees of freedom of a blocked F are to be multiplied."""
    L, n = x.shape
    if correction == "assumed" or L < 3:
        return 1.0
    s, p = _contrasts(x), L - 1
    whole = float(np.sum(s**2))
    box = float(np.trace(s) ** 2 / (p * whole)) if whole > 0 else 1.0
    if correction == "greenhouse-geisser":
        return box
    return min(1.0, (n * p * box - 2) / (p * (n - 1 - p * box))) if n - 1 > p * box else 1.0


def _contrasts(x: np.ndarray) -> np.ndarray:
    """Return the covariance of L - 1 orthonormal contrasts of the rows."""
    contrasts = linalg.helmert(len(x))
    return np.cov(contrasts @ x).reshape(len(x) - 1, len(x) - 1)


# Partial η² from an F ratio, with the interval of the noncentral F distribution.
def estimate_explained_share(
    squares: tuple[float, float], df: tuple[float, float], f: float, rho: float = 0.0
) -> EffectSize:
    """Return the partial η² of the algorithms in an analysis of variance."""
    effect, error = squares[0], squares[1] / (1 - rho)
    whole = effect + error
    # F·df times this is SS_algorithm over SS_error/(1 - ρ)
    unit = effect / error / (f * df[0]) if error > 0 and f > 0 else 0.0
    return EffectSize(
        "partial η²",
        effect / whole if whole > 0 else 0.0,
        int(df[0] + df[1]) + 1,
        partial(_interval, f, *df, unit),
    )


def _interval(f: float, df1: float, df2: float, unit: float, level: float) -> tuple[float, float]:
    """Return the ends at which F is a tail quantile of the noncentral F distribution."""
    if unit == 0:
        return (1.0, 1.0) if f > 0 else (0.0, 0.0)
    ends = (_noncentrality(f, df1, df2, share) for share in ((1 + level) / 2, (1 - level) / 2))
    low, high = (shift * unit / (1 + shift * unit) for shift in ends)
    return low, high


def _noncentrality(f: float, df1: float, df2: float, share: float) -> float:
    """Return the λ at which P(F ≤ f) is the share, 0 if none is."""

    def gap(shift: float) -> float:
        return float(stats.ncf.cdf(f, df1, df2, shift)) - share

    if gap(0.0) <= 0:
        return 0.0
    high = max(1.0, 2 * f * df1)
    while gap(high) > 0:
        high *= 2
    return float(optimize.brentq(gap, 0.0, high, xtol=1e-10))


@dataclass(frozen=True, eq=False, repr=False)
class AnovaTable(Summarised, DescribedResult):
    """Table of an analysis of variance.

    Attributes
    ----------
    method : str
    sources : tuple of str
        "algorithm", "block" (if there are blocks), "error", "total".
    degrees, sum_squares, mean_squares, f, pvalues : ndarray
        One number per source; NaN if there is none.
    means : ndarray of shape (L,)
        Of each algorithm.
    names : tuple of str
    rho : float
        Correlation of folds that F was corrected for.
    notes : tuple of str
    epsilon : float
        Multiplies the degrees of freedom of the algorithms' F, 1 under sphericity.
    directions, resampling, left_out
        See `DescribedResult`.
    """

    method: str
    sources: tuple[str, ...]
    degrees: np.ndarray
    sum_squares: np.ndarray
    mean_squares: np.ndarray
    f: np.ndarray
    pvalues: np.ndarray
    means: np.ndarray
    names: tuple[str, ...]
    rho: float = 0.0
    epsilon: float = 1.0

    @property
    def statistic(self) -> float:
        """F of the algorithms."""
        return float(self.f[0])

    @property
    def pvalue(self) -> float:
        """P-value of the algorithms."""
        return float(self.pvalues[0])

    @property
    def df(self) -> tuple[float, float]:
        """Degrees of freedom of the algorithms' F, and of its error; times ε where corrected."""
        return float(self.epsilon * self.degrees[0]), float(self.epsilon * self.degrees[-2])

    @property
    def mean_square_error(self) -> float:
        """Error mean square of the model used."""
        return float(self.mean_squares[-2])

    @property
    def effect(self) -> EffectSize:
        """Partial η² of the algorithms, with its interval."""
        squares, df = (
            (float(column[0]), float(column[-2])) for column in (self.sum_squares, self.degrees)
        )  # the algorithms', and the error's
        return estimate_explained_share(squares, df, self.statistic, self.rho).of(self)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The table, one row per source."""
        columns = {
            "df": self.degrees,
            "sum_squares": self.sum_squares,
            "mean_square": self.mean_squares,
            "F": self.f,
            "pvalue": self.pvalues,
        }
        return self._tabulate(columns, pd.Index(self.sources, name="source"))


#: By whether they differ.
DIFFER = {
    True: "The algorithms differ at {level:g} ({p})",
    False: "The algorithms are not shown to differ at {level:g} ({p})",
}
F_TEST = "F = {f} with {first:g} and {second:g} degrees of freedom; {measure} {effect}."


@summarise.register
def _summarise_anova_table(table: AnovaTable) -> Summary:
    return Summary(
        DIFFER[table.pvalue <= LEVEL].format(level=LEVEL, p=state_pvalue(table.pvalue)),
        table.frame.reset_index(),
        P_VALUES,
        notes=table.all_notes,
        label="anova",
        setting=f"{table.method}{table.on_measured}",
        sentences=[
            F_TEST.format(
                f=format_number(table.statistic),
                first=table.degrees[0],
                second=table.degrees[-2],
                measure=table.effect.measure,
                effect=format_number(table.effect.estimate),
            )
        ],
    )


@one_array(ROWS)
@validate_params(sphericity=one_of(*CORRECTIONS))
def anova(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    sphericity: str = "assumed",
    names: Iterable[str] | None = None,
) -> AnovaTable:
    """Perform an analysis of variance of L algorithms on one data set.

    Parameters
    ----------
    x : array_like of shape (L, n), DataFrame with one column per algorithm, or Blocks
        Scores of n folds by one metric. Also a mapping of each algorithm to its scores; without
        blocks they may differ in number.
    block : bool
        Whether the folds are the same for all algorithms; their effect is then taken out of the
        error.
    rho : float, optional
        Correlation of folds by overlapping training sets (1/folds; see `corrected_t`). The
        variance of a mean is then (1/n + ρ/(1-ρ))·MS_E and not MS_E/n, and F is divided
        accordingly. 0 is the textbook table. By default that of Blocks, or 0.
    sphericity : {"assumed", "greenhouse-geisser", "huynh-feldt"}
        Whether differences of all pairs are assumed to vary alike, which `mauchly` tests. If not,
        an estimate of ε multiplies the degrees of freedom of the algorithms' F.
    names : iterable of str, optional
        The algorithms, if x has no labels.

    Returns
    -------
    AnovaTable
        ``statistic``, ``pvalue`` and ``df`` are the algorithms'. Without error left, p is 0, or 1
        if the algorithms don't differ either.

    Raises
    ------
    InputError
        Fewer than 2 algorithms or 2 scores each, bad scores, rows of differing length with blocks,
        rho outside [0, 1); a correction of sphericity without blocks.

    See Also
    --------
    tukey, dunnett, friedman, bayescmp.bayesian.groups

    References
    ----------
    Montgomery 2012, ch. 3 and 4; Aslan 2009, eq. 4.15-4.27 and 4.51-4.55; for rho Nadeau & Bengio
    2003, of whose t F is the square for two algorithms; Greenhouse & Geisser 1959; Huynh & Feldt
    1976.

    Examples
    --------
    >>> from bayescmp.frequentist import anova
    >>> x = [[0.886, 0.939, 0.939, 0.921, 0.947], [0.921, 0.965, 0.912, 0.939, 0.956],
    ...      [0.930, 0.991, 0.956, 0.965, 0.982]]
    >>> print(anova(x, names=["tree", "bayes", "knn"]))
    The algorithms differ at 0.05 (p = 0.0032)     ANOVA, randomised complete blocks
    <BLANKLINE>
    F = 12.76 with 2 and 8 degrees of freedom; partial η² 0.7613.
    <BLANKLINE>
    source     df  sum_squares  mean_square  F      pvalue
    algorithm   2      0.00385  0.001925     12.76  0.0032
    block       4     0.005484  0.001371     9.088  0.0045
    error       8     0.001207  0.0001509    –      –
    total      14      0.01054  –            –      –
    """
    groups = as_groups(x, "anova", block, names, False, rho=rho)
    rho = groups.rho
    if sphericity != "assumed" and not block:
        raise must_be("sphericity", "'assumed' without blocks", sphericity)
    shrink = epsilon(groups.matrix, sphericity) if block else 1.0
    sizes = {len(row) for row in groups.rows}
    if rho and len(sizes) > 1:
        raise must("rho", "be left out if rows differ in length", f"{rho:g}")
    inflation = 1 + max(sizes) * rho / (1 - rho)  # of a mean's variance, by the folds' rho
    df, squares = sums_of_squares(groups, block)
    sources = ("algorithm", *(("block",) if block else ()), "error", "total")
    mean_squares = squares[:-1] / df[:-1]
    error = mean_squares[-1]
    f, pvalues = np.full(len(sources), np.nan), np.full(len(sources), np.nan)
    for i in range(len(sources) - 2):
        # The folds' correlation touches only means over folds, not those over algorithms.
        f[i] = ratio(mean_squares[i], error * (inflation if i == 0 else 1.0))
        free = (shrink if i == 0 else 1.0) * df[[i, -2]]
        pvalues[i] = stats.f.sf(f[i], *free)
    design = "randomised complete blocks" if block else "one-way"
    notes = [f"{sphericity}: ε = {shrink:.4g}, d.o.f. of the algorithms' F times ε"]
    notes = (notes if sphericity != "assumed" else []) + ([] if error > 0 else [NO_ERROR])
    return AnovaTable(
        method=f"ANOVA, {design}{corrected_for(rho)}",
        cites=SOURCES["correction"] if rho else (),
        sources=sources,
        degrees=df,
        sum_squares=squares,
        mean_squares=np.append(mean_squares, np.nan),
        f=f,
        pvalues=pvalues,
        means=groups.sign * np.array([row.mean() for row in groups.rows]),
        names=groups.names,
        rho=rho,
        notes=tuple(notes),
        epsilon=shrink,
    ).of(groups)


def anova_of_blocks(x: Blocks) -> TestResult:
    """Test all algorithms on one data set, folds as blocks, without the rest of the table."""
    table = anova(x)
    kept = ("method", "cites", "statistic", "pvalue", "df", "names", "notes", "effect")
    return TestResult(**{name: getattr(table, name) for name in kept}, n=x.n, symbol="F")


def partial_eta_squared(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    names: Iterable[str] | None = None,
) -> EffectSize:
    """Compute the partial η² of the algorithms, the effect size of `anova`.

    η² = SS_algorithm/(SS_algorithm + SS_error). With a correlation rho of folds, the error of one
    score is SS_error/(1 - ρ), as for `cohens_d`.

    Parameters
    ----------
    x, block, rho, names
        As for `anova`.

    Returns
    -------
    EffectSize
        With the interval that inverts the noncentral F distribution of the (corrected) F.

    Raises
    ------
    InputError
        As for `anova`.

    See Also
    --------
    anova, cohens_d, bayescmp.bayesian.groups

    References
    ----------
    Cohen 1988, sec. 8.2; Steiger 2004, Psychological Methods 9 (interval); R's
    ``effectsize::F_to_eta2``.

    Examples
    --------
    >>> from bayescmp.frequentist import partial_eta_squared
    >>> x = [[0.886, 0.939, 0.939, 0.921, 0.947], [0.921, 0.965, 0.912, 0.939, 0.956],
    ...      [0.930, 0.991, 0.956, 0.965, 0.982]]
    >>> round(partial_eta_squared(x).estimate, 4)
    0.7613
    """
    return anova(x, block=block, rho=rho, names=names).effect


# Sums of squares that keep their digits.


def sums_of_squares(groups: Groups, block: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return d.o.f. and sums of squares of algorithm, (block,) error and total."""
    rows = groups.rows
    count, L = sum(map(len, rows)), len(rows)
    grand = sum(float(row.sum()) for row in rows) / count
    means = np.array([row.mean() for row in rows])
    effect = float(sum(len(row) * (m - grand) ** 2 for row, m in zip(rows, means, strict=True)))
    residuals = [row - m for row, m in zip(rows, means, strict=True)]
    df, squares = [L - 1], [effect]
    largest = max(float(np.abs(row).max()) for row in rows)
    if block:
        n = len(rows[0])
        shift = np.mean(rows, axis=0) - grand
        residuals = [r - shift for r in residuals]
        df.append(n - 1)
        squares.append(float(L * np.sum(without_rounding(shift, largest) ** 2)))
    kept = [without_rounding(r, largest) for r in residuals]
    squares.append(float(sum(np.sum(r**2) for r in kept)))
    df.append(count - 1 - sum(df))
    if not without_rounding(means - grand, largest).any():
        squares[0] = 0.0
    return np.array([*df, count - 1], dtype=float), np.array([*squares, sum(squares)])


def without_rounding(deviations: np.ndarray, largest: float | np.ndarray) -> np.ndarray:
    """Return deviations between scores up to ``largest``, 0 if they are only rounding."""
    return np.where(np.abs(deviations) > TIED * largest, deviations, 0.0)
