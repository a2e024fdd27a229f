"""Several algorithms on one data set: analysis of variance, with folds as blocks or without."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp import _html, checks
from bayescmp.blocks import Blocks
from bayescmp.errors import InputError
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.groups.effects import explained
from bayescmp.frequentist.groups.rows import Groups, as_groups
from bayescmp.frequentist.groups.sphericity import CORRECTIONS, epsilon
from bayescmp.frequentist.paired.effects import EffectSize
from bayescmp.metrics import headed
from bayescmp.text import p_value

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AnovaTable", "anova", "partial_eta_squared", "sums_of_squares", "without_rounding"]

#: Residuals this small, relative to the scores, are rounding.
ROUNDING = 64 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class AnovaTable(Described):
    """Table of an analysis of variance.

    Attributes
    ----------
    method : str
    sources : tuple of str
        "algorithm", "block" (where there are blocks), "error", "total".
    degrees, sum_squares, mean_squares, f, pvalues : ndarray
        One number per source; NaN where there is none.
    means : ndarray of shape (L,)
        Mean score of each algorithm.
    names : tuple of str
    rho : float
        Correlation of folds that F was corrected for.
    notes : tuple of str
        What the reader should know.
    epsilon : float
        What the degrees of freedom of the algorithms' F were multiplied by, 1 under sphericity.
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
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
    notes: tuple[str, ...] = ()
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
        error = self.degrees[self.sources.index("error")]
        return float(self.epsilon * self.degrees[0]), float(self.epsilon * error)

    @property
    def mean_square_error(self) -> float:
        """Error mean square of the model used."""
        return float(self.mean_squares[self.sources.index("error")])

    @property
    def effect(self) -> EffectSize:
        """Partial η² of the algorithms, with its interval."""
        error = self.sources.index("error")
        return explained(
            (float(self.sum_squares[0]), float(self.sum_squares[error])),
            (float(self.degrees[0]), float(self.degrees[error])),
            self.statistic,
            self.rho,
        ).of(self)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The table, one row a source."""
        import pandas as pd

        columns = {
            "df": self.degrees,
            "sum_squares": self.sum_squares,
            "mean_square": self.mean_squares,
            "F": self.f,
            "pvalue": self.pvalues,
        }
        table = pd.DataFrame(columns, index=pd.Index(self.sources, name="source"))
        return headed(table, self.measured)

    def __str__(self) -> str:
        rows = [f"{'':<10}{'df':>6}{'SS':>12}{'MS':>12}{'F':>10}{'p':>12}"]
        numbers = zip(
            self.sources,
            self.degrees,
            self.sum_squares,
            self.mean_squares,
            self.f,
            self.pvalues,
            strict=True,
        )
        for source, *values in numbers:
            widths = zip(values, (6, 12, 12, 10), strict=False)
            cells = "".join(f"{'' if np.isnan(v) else format(v, '.4g'):>{w}}" for v, w in widths)
            cells += f"{p_value(values[-1], 4):>12}" if np.isfinite(values[-1]) else ""
            rows.append(f"{source:<10}{cells}".rstrip())
        return "\n".join([self.method + self.on_measured, *rows, *self.notes, *self.remarks])

    def _repr_html_(self) -> str:
        head = "; ".join([self.method + self.on_measured, *self.remarks])
        return _html.titled(head, _html.table(self.frame, index=True))


def anova(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    sphericity: str = "assumed",
    names: Iterable[str] | None = None,
) -> AnovaTable:
    """Analysis of variance of L algorithms on one data set.

    Parameters
    ----------
    x : array_like of shape (L, n), DataFrame with one row per algorithm, or Blocks of one metric
        Scores, one column per fold. Without blocks also L vectors of differing length.
    block : bool
        Whether columns are blocks: the same folds for all algorithms. The block effect is then
        taken out of the error (randomised complete block design).
    rho : float, optional
        Correlation between folds that comes from their overlapping training sets (1/folds; see
        `corrected_t`). The variance of a mean is then (1/n + ρ/(1-ρ))·MS_E instead of MS_E/n, and
        F is divided accordingly. 0 is the textbook table. If not given that of Blocks, 0 for
        plain numbers.
    sphericity : {"assumed", "greenhouse-geisser", "huynh-feldt"}
        Whether the differences of all pairs are assumed to vary alike, which `mauchly` tests. If
        not assumed, the degrees of freedom of the algorithms' F are multiplied by an estimate of
        ε.
    names : iterable of str, optional
        The algorithms, if x has no labels.

    Returns
    -------
    AnovaTable
        ``statistic``, ``pvalue`` and ``df`` are those of the algorithms. Where there is no error
        left, p is 0, or 1 if the algorithms don't differ either.

    Raises
    ------
    InputError
        Fewer than 2 algorithms or 2 scores each, missing or infinite scores, rows of differing
        length with blocks, rho outside [0, 1); a correction of sphericity without blocks.

    See Also
    --------
    tukey : Which algorithms differ.
    dunnett : Which differ from a control.
    friedman : By ranks, over data sets.
    bayescmp.bayesian.groups : The Bayesian twin: all pairs, ranks and ropes from one posterior.

    References
    ----------
    Montgomery 2012, ch. 3 and 4; Aslan 2009, eq. 4.15-4.27 and 4.51-4.55; for rho Nadeau & Bengio
    2003, with two algorithms F is the square of their t; Greenhouse & Geisser 1959; Huynh & Feldt
    1976.

    Examples
    --------
    Accuracy of three classifiers in five folds (breast cancer, UCI):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import anova
    >>> x = {
    ...     "tree": [0.886, 0.939, 0.939, 0.921, 0.947],
    ...     "bayes": [0.921, 0.965, 0.912, 0.939, 0.956],
    ...     "knn": [0.930, 0.991, 0.956, 0.965, 0.982],
    ... }
    >>> x = pd.DataFrame(x).T
    >>> print(anova(x))
    ANOVA, randomised complete blocks
                  df          SS          MS         F           p
    algorithm      2     0.00385    0.001925     12.76    0.003245
    block          4    0.005484    0.001371     9.088    0.004529
    error          8    0.001207   0.0001509
    total         14     0.01054
    """
    groups = as_groups(x, block=block, names=names, lower_is_better=False, test="anova", rho=rho)
    rho = groups.rho
    checks.choice("sphericity", sphericity, CORRECTIONS)
    if sphericity != "assumed" and not block:
        raise InputError(f"sphericity={sphericity!r} is for blocks; accepted: 'assumed'")
    shrink = epsilon(groups.matrix, sphericity) if block else 1.0
    inflation = _inflation(rho, groups)
    df, squares = sums_of_squares(groups, block)
    sources = ("algorithm", *(("block",) if block else ()), "error", "total")
    mean_squares = squares[:-1] / df[:-1]
    error = mean_squares[-1]
    f, pvalues = np.full(len(sources), np.nan), np.full(len(sources), np.nan)
    for i in range(len(sources) - 2):
        # Only means over folds are touched by the folds' correlation, not those over algorithms.
        f[i] = _f_ratio(mean_squares[i], error * (inflation if i == 0 else 1.0))
        free = (shrink if i == 0 else 1.0) * df[[i, -2]]
        pvalues[i] = stats.f.sf(f[i], *free) if mean_squares[i] > 0 else 1.0
    design = "randomised complete blocks" if block else "one-way"
    return AnovaTable(
        method=f"ANOVA, {design}" + (f", corrected for rho = {rho:.4g}" if rho else ""),
        sources=sources,
        degrees=df,
        sum_squares=squares,
        mean_squares=np.append(mean_squares, np.nan),
        f=f,
        pvalues=pvalues,
        means=groups.sign * np.array([row.mean() for row in groups.rows]),
        names=groups.names,
        rho=rho,
        notes=(f"{sphericity}: ε = {shrink:.4g}, d.o.f. of the algorithms' F times ε",)
        if sphericity != "assumed"
        else (),
        epsilon=shrink,
    ).of(groups)


def partial_eta_squared(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    names: Iterable[str] | None = None,
) -> EffectSize:
    """Partial η² of the algorithms, the effect size of `anova`.

    η² = SS_algorithm/(SS_algorithm + SS_error). With a correlation rho of folds the error of one
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
    anova : The test.
    cohens_d : Two algorithms.
    bayescmp.bayesian.groups : The Bayesian comparison, in the metric's own unit.

    References
    ----------
    Cohen 1988, sec. 8.2; Steiger 2004, Psychological Methods 9 (interval); R's
    ``effectsize::F_to_eta2``.

    Examples
    --------
    Accuracy of three classifiers in five folds (breast cancer, UCI):

    >>> from bayescmp.frequentist import partial_eta_squared
    >>> print(partial_eta_squared([
    ...     [0.886, 0.939, 0.939, 0.921, 0.947],
    ...     [0.921, 0.965, 0.912, 0.939, 0.956],
    ...     [0.930, 0.991, 0.956, 0.965, 0.982],
    ... ]))
    partial η² 0.7613, 95 % interval 0.2527 to 0.8901, n = 11
    """
    return anova(x, block=block, rho=rho, names=names).effect


# -- helpers -----------------------------------------------------------------------------------


def sums_of_squares(groups: Groups, block: bool) -> tuple[np.ndarray, np.ndarray]:
    """Degrees of freedom and sums of squares: algorithm, (block,) error, total.

    Each is summed from its own deviations, never as a difference of sums, which would lose all
    digits where the error is small.
    """
    rows = groups.rows
    count, L = sum(map(len, rows)), len(rows)
    grand = sum(float(row.sum()) for row in rows) / count
    means = np.array([row.mean() for row in rows])
    effect = float(sum(len(row) * (m - grand) ** 2 for row, m in zip(rows, means, strict=True)))
    residuals = [row - m for row, m in zip(rows, means, strict=True)]
    df, squares = [L - 1], [effect]
    if block:
        n = len(rows[0])
        shift = np.mean(rows, axis=0) - grand
        residuals = [r - shift for r in residuals]
        df.append(n - 1)
        squares.append(float(L * np.sum(shift**2)))
    largest = max(float(np.abs(row).max()) for row in rows)
    kept = [without_rounding(r, largest) for r in residuals]
    squares.append(float(sum(np.sum(r**2) for r in kept)))
    df.append(count - 1 - sum(df))
    if not without_rounding(means - grand, largest).any():
        squares[0] = 0.0
    return np.array([*df, count - 1], dtype=float), np.array([*squares, sum(squares)])


def without_rounding(deviations: np.ndarray, largest: float | np.ndarray) -> np.ndarray:
    """Deviations between scores up to ``largest``, 0 where they are no more than rounding."""
    return np.where(np.abs(deviations) > ROUNDING * largest, deviations, 0.0)


def _f_ratio(above: float, below: float) -> float:
    if below > 0:
        return float(above / below)
    return math.inf if above > 0 else 0.0


def _inflation(rho: float, groups: Groups) -> float:
    """Variance of a mean over folds relative to independent ones, n(1/n + ρ/(1-ρ))."""
    sizes = {len(row) for row in groups.rows}
    if rho and len(sizes) > 1:
        raise InputError("rho needs rows of equal length; x has rows of differing length")
    return 1 + max(sizes) * rho / (1 - rho)
