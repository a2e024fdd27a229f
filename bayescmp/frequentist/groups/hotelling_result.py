"""Result of Hotelling's tests of pairs, with cliques of those not found different."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp import checks
from bayescmp.cliques import bracketed, maximal_cliques, underlined
from bayescmp.errors import unknown_name
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.groups.hotelling_text import html, plain, text
from bayescmp.frequentist.groups.pairs import pairwise_t, tukey
from bayescmp.frequentist.multivariate.samples import Design
from bayescmp.frequentist.pairs.places import as_matrix
from bayescmp.frequentist.pairs.result import PosthocResult
from bayescmp.metrics import headed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PairwiseHotelling"]


@dataclass(frozen=True, eq=False)
class PairwiseHotelling(Described):
    """Hotelling's tests of pairs of algorithms, with raw and adjusted p-values.

    Attributes
    ----------
    method, adjust : str
    names, metrics : tuple of str
    pairs : ndarray of int, shape (m, 2)
        First and second algorithm of each comparison.
    difference : ndarray of shape (m, p)
        Second minus first, with the sign flipped for metrics of which lower values are better.
    distance : ndarray of shape (m,)
        Mahalanobis distance of the means, √(d̄ᵀS⁻¹d̄).
    statistic : ndarray of shape (m,)
        T².
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
        Where the numbers come from; see `Described`.
    """

    method: str
    adjust: str
    names: tuple[str, ...]
    metrics: tuple[str, ...]
    pairs: np.ndarray
    difference: np.ndarray
    distance: np.ndarray
    statistic: np.ndarray
    f: np.ndarray
    df1: np.ndarray
    df2: np.ndarray
    rank: np.ndarray
    pvalue: np.ndarray
    adjusted: np.ndarray
    means: np.ndarray
    signs: np.ndarray
    control: str | None
    n: int
    design: Design = field(repr=False)
    notes: tuple[str, ...] = ()

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Tidy table, one row a comparison."""
        import pandas as pd

        names = np.array(self.names, dtype=object)
        columns = {
            "first": names[self.pairs[:, 0]],
            "second": names[self.pairs[:, 1]],
            "distance": self.distance,
            "statistic": self.statistic,
            "F": self.f,
            "df1": self.df1,
            "df2": self.df2,
            "rank": self.rank,
            "pvalue": self.pvalue,
            "adjusted": self.adjusted,
        }
        return headed(pd.DataFrame(columns), self.measured)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Mean differences, one row a comparison and one column per metric."""
        import pandas as pd

        labels = self.frame[["first", "second"]]
        values = pd.DataFrame(self.difference, columns=list(self.metrics))
        return headed(pd.concat([labels, values], axis=1), self.measured)

    def matrix(self, *, raw: bool = False) -> pd.DataFrame:
        """P-values as a symmetric matrix, 1 on the diagonal, NaN where there is none.

        Parameters
        ----------
        raw : bool
            Raw p-values instead of adjusted ones.

        See Also
        --------
        bayescmp.bayesian.groups : Its posterior has ``frame``, a verdict on every pair.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> print(result.matrix().round(4))
        tpr ↑, tnr ↑       a       b       c
        a             1.0000  1.0000  0.0029
        b             1.0000  1.0000  0.0116
        c             0.0029  0.0116  1.0000
        """
        pvalues = self.pvalue if raw else self.adjusted
        return headed(as_matrix(pvalues, self.pairs, self.names), self.measured)

    def different(self, alpha: float = 0.05) -> np.ndarray:
        """Which comparisons are significant at family-wise level alpha, shape (m,).

        See Also
        --------
        bayescmp.bayesian.groups : Its posterior has ``verdicts``.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.different(0.05)
        array([False,  True,  True])
        """
        return np.asarray(self.adjusted <= checks.level(alpha))

    def cliques(self, alpha: float = 0.05) -> tuple[tuple[str, ...], ...]:
        """Maximal groups of algorithms no two of which were found different.

        They may overlap; algorithms different from all others are in none. Against a control it
        is the one group of the control and all not found different from it.

        Parameters
        ----------
        alpha : float
            Family-wise level.

        See Also
        --------
        bracketed : The same as text.
        bayescmp.bayesian.BlockedPosterior.cliques : Groups that are practically equivalent.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.cliques()
        (('a', 'b'),)
        """
        return tuple(tuple(self.names[i] for i in group) for group in self._groups(alpha))

    def bracketed(self, alpha: float = 0.05) -> str:
        """The cliques as text, ``{c4.5, (lda, rf), qda, knn}``; singles stand alone.

        See Also
        --------
        cliques : The groups by name.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.bracketed()
        '{(a, b), c}'
        """
        return bracketed(self.names, self._groups(alpha))

    def underline(self, metric: str | None = None, alpha: float = 0.05, *, digits: int = 3) -> str:
        """Algorithms ordered by one metric, best first, multivariate cliques underlined.

        Parameters
        ----------
        metric : str, optional
            The first if not given.
        alpha : float
            Family-wise level.
        digits : int
            Decimals of the means.

        Returns
        -------
        str
            Cliques need not be neighbours in any one metric: a line has gaps.

        See Also
        --------
        cliques : The groups by name.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> print(result.underline("tnr"))
        c      b      a
        2.775  0.203  -0.112
               ─────────────
        """
        at = self._metric(metric)
        order = np.argsort(-self.signs[at] * self.means[:, at], kind="stable")
        place = np.argsort(order)
        groups = [tuple(sorted(int(place[i]) for i in g)) for g in self._groups(alpha)]
        means = np.round(self.means[order, at], digits) + 0.0  # no "-0.000"
        values = [f"{mean:.{digits}f}" for mean in means]
        return underlined([self.names[i] for i in order], values, groups)

    def univariate(self, metric: str, *, adjust: str = "holm") -> PosthocResult:
        """Post-hoc comparison on one metric alone: its ordering, and where differences are.

        Parameters
        ----------
        metric : str
        adjust : str
            For the paired t tests; without blocks it is Tukey's test, which needs none.

        Returns
        -------
        PosthocResult

        See Also
        --------
        bayescmp.bayesian.groups : Takes one metric or several.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> print(result.univariate("tnr"))
        Pairwise paired t tests on tnr ↑, all pairs, adjusted by holm, n = 8
          a → b     0.3151  t =    1.085  p = 0.314     adjusted p = 0.314
          a → c      2.887  t =    6.734  p = 0.000269  adjusted p = 0.000807
          b → c      2.572  t =    5.546  p = 0.000864  adjusted p = 0.00173
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
        """The result as plain numbers and text, for JSON; alpha is the cliques'.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> result.to_dict()["cliques"]
        [['a', 'b']]
        """
        return plain(self, alpha)

    def __str__(self) -> str:
        return self.text()

    def text(self, alpha: float = 0.05) -> str:
        """The result in words, with the cliques at level alpha.

        Examples
        --------
        Simulated scores of three algorithms in eight folds; the third is better in both metrics:

        >>> import numpy as np
        >>> from bayescmp.frequentist import pairwise_hotelling
        >>> x = np.random.default_rng(0).normal(size=(3, 8, 2))
        >>> x[2] += [2, 2]
        >>> result = pairwise_hotelling(x, names=["a", "b", "c"], metrics=["tpr", "tnr"])
        >>> print(result.text(0.01))
        Hotelling tests, paired on tpr ↑, tnr ↑, all pairs, adjusted by bonferroni, n = 8
          a → b  T² =    1.374  p = 0.584     adjusted p = 1
          a → c  T² =    63.56  p = 0.000976  adjusted p = 0.00293
          b → c  T² =    37.56  p = 0.00388   adjusted p = 0.0116
          cliques at 0.01: {(a, b), (b, c)}
        """
        return text(self, alpha)

    def _repr_html_(self) -> str:
        return html(self)

    def _groups(self, alpha: float) -> tuple[tuple[int, ...], ...]:
        same = self.pairs[~self.different(alpha)]
        if self.control is not None:
            members = np.unique(same)
            return (tuple(int(i) for i in members),) if len(members) else ()
        alike = np.zeros((len(self.names), len(self.names)), dtype=bool)
        alike[same[:, 0], same[:, 1]] = alike[same[:, 1], same[:, 0]] = True
        return maximal_cliques(alike)

    def _metric(self, metric: str | None) -> int:
        if metric is None:
            return 0
        if metric not in self.metrics:
            raise unknown_name("metric", metric, self.metrics)
        return self.metrics.index(metric)
