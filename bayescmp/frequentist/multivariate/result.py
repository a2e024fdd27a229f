"""Result of Hotelling's test of two algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from bayescmp import _html, checks
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.pairs.adjust import adjust as adjust_p
from bayescmp.frequentist.results import show_p
from bayescmp.metrics import headed, listed
from bayescmp.text import improvement

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HotellingResult"]


@dataclass(frozen=True, eq=False)
class HotellingResult(Described):
    """Result of Hotelling's test: two algorithms, p metrics.

    Attributes
    ----------
    method : str
    statistic : float
        T²; infinite where the algorithms differ in a direction in which no fold does.
    f : float
        F = (ν - r + 1)/(νr)·T².
    df : (float, float)
        r and ν - r + 1, degrees of freedom of F.
    pvalue : float
    rank : int
        r, the dimension of the space in which the metrics vary: p, unless some are dependent.
    mean : ndarray of shape (p,)
        Mean difference, second minus first; positive where the second is better if the
        metrics' directions are known (``flipped``).
    covariance : ndarray of shape (p, p)
        S, of the differences (paired) or within the samples (pooled), with divisor ν.
    weights : ndarray of shape (p,)
        S⁻¹d̄: the linear combination of the metrics' differences that separates the two most.
        Where S is singular the shortest such combination of the standardised metrics.
    names : (str, str)
        The algorithms.
    metrics : tuple of str
    n : int or (int, int)
        Folds, or sizes of the two samples.
    freedom : int
        ν, of the covariance.
    factor : float
        Variance of the mean difference relative to S: 1/n + ρ/(1-ρ), or 1/n₁ + 1/n₂.
    rho : float
    constant, dependent : tuple of str
        Metrics that do not vary, and those that follow linearly from the ones before them.
    flipped : tuple of str
        Metrics of which lower values are better: their differences are first minus second.
    notes : tuple of str
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
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
    notes: tuple[str, ...] = ()

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
        """The t test of each metric, to see where a difference comes from.

        Corrected for rho as the result is.

        Parameters
        ----------
        adjust : str
            One of the procedures of `adjust`, over the metrics.

        Returns
        -------
        DataFrame
            Index metric; columns difference, standard_error, t, df, pvalue, adjusted.

        See Also
        --------
        bayescmp.bayesian.MultivariatePosterior.marginal : The posterior of one metric.

        Examples
        --------
        True positives gained and false positives saved by nearest neighbours over naive Bayes:

        >>> from bayescmp.frequentist import hotelling_paired
        >>> x = [[-3, 4], [1, 3], [1, -1], [1, 5], [1, 3]]
        >>> x += [[1, 1], [-2, 5], [3, 4], [-2, 4], [-1, 0]]
        >>> result = hotelling_paired(x, rho=0.1, metrics=["tp", "fp"])
        >>> print(result.univariate().round(3))  # doctest: +NORMALIZE_WHITESPACE
                difference  standard_error      t   df  pvalue  adjusted
        metric
        tp             0.0           0.866  0.000  9.0   1.000     1.000
        fp             2.8           0.964  2.905  9.0   0.017     0.035
        """
        import pandas as pd

        error = np.sqrt(self.factor * np.diag(self.covariance))
        without = np.where(self.mean == 0, 0.0, np.copysign(np.inf, self.mean))
        t = np.divide(self.mean, error, out=without, where=error > 0)
        p = np.where((self.mean == 0) & (error == 0), 1.0, 2 * stats.t.sf(np.abs(t), self.freedom))
        columns = {
            "difference": self.mean,
            "standard_error": error,
            "t": t,
            "df": float(self.freedom),
            "pvalue": p,
            "adjusted": adjust_p(p, adjust),
        }
        table = pd.DataFrame(columns, index=pd.Index(self.metrics, name="metric"))
        return headed(table, self.measured)

    def confidence_interval(self, level: float = 0.95, *, method: str = "T2") -> pd.DataFrame:
        """Simultaneous confidence intervals of the metrics' mean differences.

        Parameters
        ----------
        level : float
            Confidence that all of them contain the true differences.
        method : {"T2", "bonferroni", "none"}
            "T2" holds for all linear combinations of the metrics at once, so it is wider than
            "bonferroni", which holds for these p; "none" is one interval at a time.

        Returns
        -------
        DataFrame
            Index metric; columns difference, low, high.

        Raises
        ------
        InputError
            Unknown method, a level that is not a probability.

        See Also
        --------
        bayescmp.bayesian.MultivariatePosterior.ellipsoid : A credible region.

        References
        ----------
        Johnson & Wichern 2007, eq. 5-24 and 5-29.

        Examples
        --------
        True positives gained and false positives saved by nearest neighbours over naive Bayes:

        >>> from bayescmp.frequentist import hotelling_paired
        >>> x = [[-3, 4], [1, 3], [1, -1], [1, 5], [1, 3]]
        >>> x += [[1, 1], [-2, 5], [3, 4], [-2, 4], [-1, 0]]
        >>> result = hotelling_paired(x, rho=0.1, metrics=["tp", "fp"])
        >>> intervals = result.confidence_interval(method="bonferroni")
        >>> print(intervals.round(2))  # doctest: +NORMALIZE_WHITESPACE
                difference   low  high
        metric
        tp             0.0 -2.33  2.33
        fp             2.8  0.21  5.39
        """
        import pandas as pd

        alpha = 1 - checks.level(level)
        method = checks.choice("method", method, ("T2", "bonferroni", "none"))
        if method == "T2":
            ratio = self.rank * self.freedom / self.df[1]
            critical = np.sqrt(ratio * stats.f.isf(alpha, self.rank, self.df[1])) if ratio else 0.0
        else:
            tests = len(self.metrics) if method == "bonferroni" else 1
            critical = stats.t.isf(alpha / (2 * tests), self.freedom)
        half = critical * np.sqrt(self.factor * np.diag(self.covariance))
        columns = {"difference": self.mean, "low": self.mean - half, "high": self.mean + half}
        table = pd.DataFrame(columns, index=pd.Index(self.metrics, name="metric"))
        return headed(table, self.measured)

    def to_dict(self) -> dict[str, object]:
        """The result as plain numbers and text, for JSON.

        Examples
        --------
        True positives gained and false positives saved by nearest neighbours over naive Bayes:

        >>> from bayescmp.frequentist import hotelling_paired
        >>> x = [[-3, 4], [1, 3], [1, -1], [1, 5], [1, 3]]
        >>> x += [[1, 1], [-2, 5], [3, 4], [-2, 4], [-1, 0]]
        >>> result = hotelling_paired(x, rho=0.1, metrics=["tp", "fp"])
        >>> result.to_dict()["names"]
        ['first', 'second']
        """
        finite = bool(np.isfinite(self.statistic))
        return {
            "method": self.method,
            "statistic": self.statistic if finite else None,  # JSON has no infinity
            "f": self.f if finite else None,
            "df": list(self.df),
            "pvalue": self.pvalue,
            "rank": self.rank,
            "mean": dict(zip(self.metrics, map(float, self.mean), strict=True)),
            "direction": dict(zip(self.metrics, map(float, self.direction), strict=True)),
            "names": list(self.names),
            "n": self.n,
            "rho": self.rho,
            "flipped": list(self.flipped),
            "notes": list(self.notes),
            **self.origin(),
        }

    def __str__(self) -> str:
        lines = [
            f"{self.method}: {' vs '.join(self.names)} on {listed(self.metrics, self.directions)}",
            f"  T² = {self.statistic:.5g}, F = {self.f:.5g}, df = {self.df[0]:g} and "
            f"{self.df[1]:g}, n = {self.n}, {show_p(self.pvalue)}",
            f"  {self._difference}: {_named(self.metrics, self.mean)}",
            f"  direction: {_named(self.metrics, self.direction)}",
        ]
        if self.flipped:
            lines.append(f"  lower is better for {', '.join(self.flipped)}: sign reversed")
        return "\n".join(lines + [f"  {note}" for note in (*self.notes, *self.remarks)])

    def _repr_html_(self) -> str:
        facts = {
            "metrics": listed(self.metrics, self.directions),
            "T²": _html.number(self.statistic),
            "F": f"{_html.number(self.f)} with {self.df[0]:g} and {self.df[1]:g} d.o.f.",
            "p": _html.number(self.pvalue),
            "difference": self._difference,
            "notes": "; ".join((*self.notes, *self.remarks)),
        }
        rows = self.univariate().assign(direction=self.direction)
        return _html.titled(self.method, _html.facts(facts), _html.table(rows, index=True))

    @property
    def _difference(self) -> str:
        """What the mean is: which way plain numbers are better is not known."""
        first, second = self.names
        return improvement(first, second) if self.directions else f"{second} minus {first}"


def _unit(vector: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else np.zeros_like(vector)


def _named(metrics: tuple[str, ...], values: np.ndarray) -> str:
    return ", ".join(f"{m} {v:.4g}" for m, v in zip(metrics, values, strict=True))
