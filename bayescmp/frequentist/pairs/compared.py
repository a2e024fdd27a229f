"""The comparisons of pairs as a table, and the groups of algorithms that it can't tell apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import checks
from bayescmp.cliques import maximal_cliques, underlined
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.pairs.places import as_matrix
from bayescmp.metrics import headed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ComparedPairs"]


@dataclass(frozen=True, eq=False)
class ComparedPairs(Described):
    """Pairs of algorithms with their p-values; the attributes are those of `PosthocResult`."""

    method: str
    adjust: str
    names: tuple[str, ...]
    pairs: np.ndarray
    difference: np.ndarray
    statistic: np.ndarray
    pvalue: np.ndarray
    adjusted: np.ndarray
    centres: np.ndarray
    measure: str = "mean rank"
    low_is_best: bool = True
    control: str | None = None
    standard_error: float | np.ndarray | None = None
    n: int = 0
    symbol: str = "z"
    notes: tuple[str, ...] = ()
    margin: Callable[[float], float | np.ndarray] | None = field(default=None, repr=False)
    intervals: bool = field(default=False, repr=False)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Tidy table, one row a comparison."""
        import pandas as pd

        names = np.array(self.names, dtype=object)
        columns = {
            "first": names[self.pairs[:, 0]],
            "second": names[self.pairs[:, 1]],
            "difference": self.difference,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "adjusted": self.adjusted,
        }
        return headed(pd.DataFrame(columns), self.measured)

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the algorithms from best to worst."""
        keys = self.centres if self.low_is_best else -self.centres
        return tuple(int(i) for i in np.argsort(keys, kind="stable"))

    def matrix(self, *, raw: bool = False) -> pd.DataFrame:
        """P-values as a symmetric matrix, 1 on the diagonal, NaN where there is none.

        Parameters
        ----------
        raw : bool
            Raw p-values instead of adjusted ones.

        Returns
        -------
        DataFrame of shape (L, L)

        See Also
        --------
        bayescmp.compare_all : Verdicts on all pairs, with their probabilities.

        Examples
        --------
        AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

        >>> import pandas as pd
        >>> from bayescmp.frequentist import posthoc
        >>> scores = pd.DataFrame(
        ...     [
        ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
        ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
        ...     ],
        ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
        ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
        ... )
        >>> print(posthoc(scores).matrix().round(3))
                    C4.5  C4.5+m  C4.5+m+cf
        C4.5       1.000   0.906      0.922
        C4.5+m     0.906   1.000      0.922
        C4.5+m+cf  0.922   0.922      1.000
        """
        pvalues = self.pvalue if raw else self.adjusted
        return headed(as_matrix(pvalues, self.pairs, self.names), self.measured)

    def different(self, alpha: float = 0.05) -> np.ndarray:
        """Which comparisons are significant at family-wise level alpha, shape (m,).

        See Also
        --------
        bayescmp.compare_all : Verdicts on all pairs, with their probabilities.

        Examples
        --------
        Accuracy of three classifiers in five folds (breast cancer, UCI):

        >>> import pandas as pd
        >>> from bayescmp.frequentist import tukey
        >>> x = {
        ...     "tree": [0.886, 0.939, 0.939, 0.921, 0.947],
        ...     "bayes": [0.921, 0.965, 0.912, 0.939, 0.956],
        ...     "knn": [0.930, 0.991, 0.956, 0.965, 0.982],
        ... }
        >>> x = pd.DataFrame(x).T
        >>> tukey(x).different(0.05)
        array([False,  True,  True])
        """
        return np.asarray(self.adjusted <= checks.level(alpha))

    def cliques(self, alpha: float = 0.05) -> tuple[tuple[str, ...], ...]:
        """Maximal groups of algorithms that were not found different, best members first.

        Groups may overlap, and need not be neighbours in the order of the centres. Against a
        control it is the one group of the control and all not found different from it.

        Parameters
        ----------
        alpha : float
            Family-wise level.

        Returns
        -------
        tuple of tuple of str
            Groups of at least two.

        See Also
        --------
        underline : The same as text.
        bayescmp.bayesian.BlockedPosterior.cliques : Groups that are practically equivalent.

        Examples
        --------
        Accuracy of three classifiers in five folds (breast cancer, UCI):

        >>> import pandas as pd
        >>> from bayescmp.frequentist import tukey
        >>> x = {
        ...     "tree": [0.886, 0.939, 0.939, 0.921, 0.947],
        ...     "bayes": [0.921, 0.965, 0.912, 0.939, 0.956],
        ...     "knn": [0.930, 0.991, 0.956, 0.965, 0.982],
        ... }
        >>> x = pd.DataFrame(x).T
        >>> tukey(x).cliques()
        (('bayes', 'tree'),)
        """
        return tuple(tuple(self.names[self.order[i]] for i in g) for g in self._groups(alpha))

    def _groups(self, alpha: float) -> tuple[tuple[int, ...], ...]:
        """The cliques as places in the order from best to worst."""
        place = np.empty(len(self.names), dtype=int)
        place[list(self.order)] = np.arange(len(self.names))
        same = place[self.pairs[~self.different(alpha)]]
        if self.control is not None:
            members = np.unique(same)
            return (tuple(int(i) for i in members),) if len(members) else ()
        alike = np.zeros((len(place), len(place)), dtype=bool)
        alike[same[:, 0], same[:, 1]] = alike[same[:, 1], same[:, 0]] = True
        return maximal_cliques(alike)

    def underline(self, alpha: float = 0.05, *, digits: int = 3) -> str:
        """The algorithms from best to worst, those not found different underlined together.

        Parameters
        ----------
        alpha : float
            Family-wise level.
        digits : int
            Decimals of the centres.

        Returns
        -------
        str
            A line has a gap where an algorithm in between is not in its group.

        See Also
        --------
        cliques : The groups by name.

        Examples
        --------
        Accuracy of three classifiers in five folds (breast cancer, UCI):

        >>> import pandas as pd
        >>> from bayescmp.frequentist import tukey
        >>> x = {
        ...     "tree": [0.886, 0.939, 0.939, 0.921, 0.947],
        ...     "bayes": [0.921, 0.965, 0.912, 0.939, 0.956],
        ...     "knn": [0.930, 0.991, 0.956, 0.965, 0.982],
        ... }
        >>> x = pd.DataFrame(x).T
        >>> print(tukey(x).underline())
        knn    bayes  tree
        0.965  0.939  0.926
               ────────────
        """
        ordered = [self.names[i] for i in self.order]
        values = [f"{self.centres[i]:.{digits}f}" for i in self.order]
        return underlined(ordered, values, self._groups(alpha))
