"""Result of a multivariate analysis of variance."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from bayescmp import _html, checks
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.groups.hotelling import pairwise_of
from bayescmp.frequentist.groups.hotelling_result import PairwiseHotelling
from bayescmp.frequentist.groups.measures import LearnedMeasures, measures_of
from bayescmp.frequentist.groups.roots import RootTest
from bayescmp.frequentist.multivariate.samples import Design
from bayescmp.frequentist.results import TestResult, show_p
from bayescmp.metrics import headed, listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ManovaResult"]


@dataclass(frozen=True, eq=False)
class ManovaResult(Described):
    """Result of MANOVA: L algorithms, p metrics.

    Attributes
    ----------
    method : str
    H : ndarray of shape (p, p)
        Sums of squares and products between the algorithms.
    E : ndarray of shape (p, p)
        Those of the error: within algorithms, less the blocks' if there are blocks.
    df : (int, int)
        Degrees of freedom ν_h = L - 1 of H and ν_e of E.
    rank : int
        Dimension of the space in which the metrics vary: p, unless some are dependent.
    eigenvalues : ndarray of shape (s,)
        Of E⁻¹H in that space, divided by ``inflation``, descending; s = min(rank, ν_h).
    vectors : ndarray of shape (p, s)
        Eigenvectors a, of variance aᵀEa/ν_e = 1 within algorithms.
    tests : tuple of RootTest
        Wilks, Pillai, Hotelling-Lawley, Roy.
    means : ndarray of shape (L, p)
        In each metric's own direction.
    names, metrics : tuple of str
    n : int
        Folds of an algorithm (the most, if they differ).
    design : Design
        The scores.
    inflation : float
        n(1/n + ρ/(1-ρ)), by which overlapping folds make H larger; 1 for independent ones.
    constant, dependent : tuple of str
        Metrics whose errors do not vary, and those that follow linearly from the ones before.
    notes : tuple of str
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    """

    method: str
    H: np.ndarray
    E: np.ndarray
    df: tuple[int, int]
    rank: int
    eigenvalues: np.ndarray
    vectors: np.ndarray
    tests: tuple[RootTest, ...]
    means: np.ndarray
    names: tuple[str, ...]
    metrics: tuple[str, ...]
    n: int
    design: Design = field(repr=False)
    inflation: float = 1.0
    constant: tuple[str, ...] = ()
    dependent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def block(self) -> bool:
        """Whether folds are blocks."""
        return self.design.block

    @property
    def rho(self) -> float:
        """Correlation of folds that was corrected for."""
        return self.design.rho

    @property
    def wilks(self) -> RootTest:
        """Wilks' Λ = ∏ 1/(1+λ)."""
        return self.tests[0]

    @property
    def pillai(self) -> RootTest:
        """Pillai's trace Σ λ/(1+λ)."""
        return self.tests[1]

    @property
    def hotelling_lawley(self) -> RootTest:
        """Hotelling and Lawley's trace Σ λ."""
        return self.tests[2]

    @property
    def roy(self) -> RootTest:
        """Roy's largest root λ₁; the p-value of its F is a lower bound, ``refined`` is exact."""
        return self.tests[3]

    @property
    def statistic(self) -> float:
        """Wilks' Λ."""
        return self.wilks.statistic

    @property
    def pvalue(self) -> float:
        """P-value of Wilks' Λ by Rao's F."""
        return self.wilks.pvalue

    @property
    def bartlett(self) -> TestResult:
        """Bartlett's χ² of Wilks' Λ: -(ν_e - (p - ν_h + 1)/2)·log Λ, with p·ν_h d.o.f."""
        row = self.dimensionality().iloc[0]
        return TestResult(
            method="Bartlett's χ² of Wilks' Λ",
            statistic=float(row["statistic"]),
            pvalue=float(row["pvalue"]),
            df=float(row["df"]),
            names=self.names,
            n=self.n,
            symbol="χ²",
            notes=("approximate",),
        ).of(self)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The four tests, one row each: statistic, F, df1, df2, pvalue, kind, refined."""
        import pandas as pd

        rows = [
            (t.statistic, t.f, t.df[0], t.df[1], t.pvalue, t.kind, t.refined) for t in self.tests
        ]
        columns = ["statistic", "F", "df1", "df2", "pvalue", "kind", "refined"]
        index = pd.Index([t.name for t in self.tests], name="test")
        return headed(pd.DataFrame(rows, columns=columns, index=index), self.measured)

    def dimensionality(self) -> pd.DataFrame:
        """Do the means lie in a space of r dimensions? Tested for r = 0, 1, ...

        D_r² = (ν_e + ν_h - (p + ν_h + 1)/2)·Σ_{j>r} log(1 + λ_j), p the rank, is about χ² with
        (p - r)(ν_h - r) degrees of freedom. r = 0 says that all means are equal (Bartlett's χ²).

        Returns
        -------
        DataFrame
            Index r = 0 ... s - 1; columns eigenvalue (λ_{r+1}), statistic, df, pvalue.

        See Also
        --------
        dimension : The smallest r that is not rejected.

        References
        ----------
        Mardia, Kent & Bibby 1979, eq. 12.5.7 and sec. 12.5.4; Aslan 2009, eq. 4.72-4.81.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import manova
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = manova(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> print(result.dimensionality().round(3))  # doctest: +NORMALIZE_WHITESPACE
        tpr ↑, tnr ↑  eigenvalue  statistic   df  pvalue
        r
        0                  5.291     24.922  4.0    0.00
        1                  0.007      0.093  1.0    0.76
        """
        import pandas as pd

        hypothesis, error = self.df
        r = np.arange(max(len(self.eigenvalues), 1))
        logs = np.log1p(self.eigenvalues) if len(self.eigenvalues) else np.zeros(1)
        factor = error + hypothesis - (self.rank + hypothesis + 1) / 2
        statistic = factor * np.cumsum(logs[::-1])[::-1]
        df = np.maximum((self.rank - r) * (hypothesis - r), 0).astype(float)
        pvalue = np.where(df > 0, stats.chi2.sf(statistic, np.maximum(df, 1)), 1.0)
        roots = self.eigenvalues if len(self.eigenvalues) else np.zeros(1)
        columns = {"eigenvalue": roots, "statistic": statistic, "df": df, "pvalue": pvalue}
        return headed(pd.DataFrame(columns, index=pd.Index(r, name="r")), self.measured)

    def dimension(self, alpha: float = 0.05) -> int:
        """The smallest r that `dimensionality` does not reject; 0 says no difference found.

        Parameters
        ----------
        alpha : float

        Returns
        -------
        int
            At most min(rank, L - 1).

        See Also
        --------
        dimensionality : The tests behind it.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import manova
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = manova(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.dimension()
        1
        """
        kept = np.flatnonzero(self.dimensionality()["pvalue"].to_numpy() > checks.level(alpha))
        return int(kept[0]) if len(kept) else len(self.eigenvalues)

    @cached_property
    def measures(self) -> LearnedMeasures:
        """The eigenvectors of E⁻¹H as new measures; see `learned_measures`."""
        deviation = np.sqrt(np.diag(self.E) / self.df[1])
        return measures_of(self.vectors, self.eigenvalues, deviation, self.design, self.notes)

    def pairwise(self, *, adjust: str = "bonferroni", **options: Any) -> PairwiseHotelling:
        """Which pairs differ: `pairwise_hotelling` with this design and rho.

        See Also
        --------
        bayescmp.bayesian.BlockedPosterior.verdict : The verdict on a pair.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import manova
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = manova(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.pairwise().cliques()
        (('a', 'b'),)
        """
        return pairwise_of(self.design, adjust=adjust, **options)

    def to_dict(self, alpha: float = 0.05) -> dict[str, object]:
        """The result as plain numbers and text, for JSON; alpha is the dimension's.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import manova
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = manova(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.to_dict()["dimension"]
        1
        """
        rows = self.table.reset_index().to_dict(orient="records")
        return {
            "method": self.method,
            "df": list(self.df),
            "rank": self.rank,
            "eigenvalues": [_plain(v) for v in self.eigenvalues],
            "tests": [{str(k): _plain(v) for k, v in row.items()} for row in rows],
            "dimension": self.dimension(alpha),
            "names": list(self.names),
            "metrics": list(self.metrics),
            "n": self.n,
            "rho": self.rho,
            "notes": list(self.notes),
            **self.origin(),
        }

    def __str__(self) -> str:
        return self.text()

    def text(self, alpha: float = 0.05) -> str:
        """The result in words, with the dimension at level alpha.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import manova
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = manova(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> print(result.text(0.01).splitlines()[-1])
          eigenvalues 5.291, 0.006938; dimension 1 at 0.01
        """
        lines = [
            f"{self.method}: {len(self.names)} algorithms on "
            f"{listed(self.metrics, self.directions)}, "
            f"n = {self.n}, {self.df[0]} and {self.df[1]} d.o.f., rank {self.rank}"
        ]
        for t in self.tests:
            lines.append(f"  {t.name:<17}{t.statistic:>9.4g}   {_words(t)}")
        roots = ", ".join(f"{v:.4g}" for v in self.eigenvalues)
        lines.append(f"  eigenvalues {roots}; dimension {self.dimension(alpha)} at {alpha:g}")
        return "\n".join(lines + [f"  {note}" for note in (*self.notes, *self.remarks)])

    def _repr_html_(self) -> str:
        facts = {
            "metrics": listed(self.metrics, self.directions),
            "degrees of freedom": f"{self.df[0]} and {self.df[1]}",
            "eigenvalues": ", ".join(_html.number(float(v)) for v in self.eigenvalues),
            "dimension": str(self.dimension()),
            "notes": "; ".join((*self.notes, *self.remarks)),
        }
        return _html.titled(self.method, _html.facts(facts), _html.table(self.table, index=True))


def _words(test: RootTest) -> str:
    if test.kind == "undefined":
        return "no F: too few degrees of freedom of the error"
    return (
        f"F = {test.f:.4g}, df = {test.df[0]:g} and {test.df[1]:.5g}, {show_p(test.pvalue)} "
        f"({_kind(test)})"
    )


def _kind(test: RootTest) -> str:
    if test.kind == "bound":
        return f"a lower bound; exact {show_p(test.refined)}"
    if test.refined != test.pvalue:
        return f"{test.kind}; refined {show_p(test.refined)}"
    return test.kind


def _plain(value: str | float) -> str | float | None:
    if isinstance(value, str):
        return value
    return float(value) if np.isfinite(value) else None
