"""Result of comparing pairs of algorithms: all of them, or each with a control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.exhibit import Exhibit, Exhibited
from bayescmp.frequentist.pairs.compared import ComparedPairs
from bayescmp.frequentist.results import show_p
from bayescmp.frequentist.sentences import of_pairs
from bayescmp.shortened import cut_all
from bayescmp.text import folded

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.typing import Json

__all__ = ["PosthocResult"]

#: Comparisons that the text of a result lists.
SHOWN = 60
#: Letters of a name that a line of the text has room for.
NAME = 16


@dataclass(frozen=True, eq=False)
class PosthocResult(Exhibited, ComparedPairs):
    """Comparisons of pairs of algorithms, with raw and adjusted p-values.

    Attributes
    ----------
    method : str
        The test, in words.
    adjust : str
        How p-values were adjusted.
    names : tuple of str, length L
    pairs : ndarray of int, shape (m, 2)
        First and second algorithm of each comparison.
    difference : ndarray of shape (m,)
        Positive where the second is better: its mean minus the first's, or, for ranks, the mean
        rank of the first minus that of the second (places gained by the second).
    statistic : ndarray of shape (m,)
    pvalue, adjusted : ndarray of shape (m,)
        P-values, raw and adjusted.
    centres : ndarray of shape (L,)
        What the algorithms are ordered by: mean ranks, means, data sets won.
    measure : str
        What the centres are.
    low_is_best : bool
        Whether a low centre is good.
    control : str or None
    standard_error : float or ndarray of shape (m,) or None
        Of the differences.
    n : int
        Data sets, or folds.
    symbol : str
        The statistic's letter.
    notes : tuple of str
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    """

    def critical_difference(self, alpha: float = 0.05) -> float | None:
        """The smallest difference of centres that is significant.

        Parameters
        ----------
        alpha : float
            Family-wise level.

        Returns
        -------
        float or None
            None where no single one exists: in step-wise procedures, and where pairs differ in
            their standard errors.

        See Also
        --------
        bayescmp.frequentist.critical_difference : From the size of a table alone.

        Examples
        --------
        AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

        >>> import pandas as pd
        >>> from bayescmp.frequentist import nemenyi
        >>> scores = pd.DataFrame(
        ...     [
        ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
        ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
        ...     ],
        ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
        ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
        ... )
        >>> round(nemenyi(scores).critical_difference(0.05), 3)
        1.353
        """
        if self.margin is None:
            return None
        margins = np.unique(np.asarray(self.margin(checks.level(alpha)), dtype=float))
        return float(margins[0]) if len(margins) == 1 else None

    def confidence_interval(self, level: float = 0.95) -> pd.DataFrame:
        """Simultaneous confidence intervals of the differences.

        Parameters
        ----------
        level : float
            Confidence that all of them contain the true differences.

        Returns
        -------
        DataFrame
            Columns first, second, difference, low, high.

        Raises
        ------
        InputError
            For ranks, whose null distribution gives no intervals, and step-wise procedures.

        See Also
        --------
        bayescmp.bayesian.BlockedPosterior.verdict : With a rope.

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
        >>> print(tukey(x).confidence_interval().round(3))
           first second  difference    low   high
        0   tree  bayes       0.012 -0.010  0.034
        1   tree    knn       0.038  0.016  0.061
        2  bayes    knn       0.026  0.004  0.048
        """
        if self.margin is None or not self.intervals:
            raise InputError(
                f"{self.method} with adjust={self.adjust!r} has no simultaneous confidence "
                "intervals; tukey has, and pairwise_t with adjust='bonferroni' or 'none'"
            )
        half = self.margin(1 - checks.level(level))
        return self.frame[["first", "second", "difference"]].assign(
            low=self.difference - half, high=self.difference + half
        )

    def to_dict(self) -> dict[str, object]:
        """The result as plain numbers and text, for JSON.

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
        >>> tukey(x).to_dict()["comparisons"][0]["second"]
        'bayes'
        """
        return {
            "method": self.method,
            "adjust": self.adjust,
            "control": self.control,
            "measure": self.measure,
            "centres": dict(zip(self.names, map(float, self.centres), strict=True)),
            "n": self.n,
            "comparisons": self._records(),
            "notes": list(self.notes),
            **self.origin(),
        }

    def _records(self) -> list[Json]:
        rows = self.frame.to_dict(orient="records")
        for row in rows:
            if not np.isfinite(row["statistic"]):  # JSON has no infinity
                row["statistic"] = None
        return [{str(k): v for k, v in row.items()} for row in rows]

    def __str__(self) -> str:
        names = cut_all(self.names, NAME)
        width = max(map(len, names))
        lines = list(
            zip(
                self.pairs,
                self.difference,
                self.statistic,
                self.pvalue,
                self.adjusted,
                strict=True,
            )
        )
        rows = [
            f"  {names[i]:<{width}} → {names[j]:<{width}}  {d:>9.4g}  "
            f"{self.symbol} = {z:>8.4g}  {show_p(p):<12}  adjusted {show_p(a)}"
            for (i, j), d, z, p, a in lines[:SHOWN]
        ]
        if len(lines) > SHOWN:
            rows.append(f"  ... and {len(lines) - SHOWN} more: see .frame")
        rows += [f"  {note}" for note in (*self.notes, *self.remarks)]
        return folded("\n".join([self._title, *rows]))

    @property
    def _title(self) -> str:
        against = "all pairs" if self.control is None else f"against {self.control}"
        head = f"{self.method}{self.on_measured}, {against}, adjusted by {self.adjust}"
        return f"{head}, n = {self.n}"

    def explain(self, alpha: float = 0.05) -> str:
        """Plain sentences for a paper.

        Parameters
        ----------
        alpha : float
            Family-wise level.

        Returns
        -------
        str
            Which pairs differ, how many can't be told apart, the order of the algorithms, and what
            a p-value does not say.

        See Also
        --------
        bayescmp.compare_all : Bayesian verdicts, which explain themselves too.

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
        >>> tukey(pd.DataFrame(x).T).explain().split(". ")[1]
        'By adjusted p-value, knn is better than tree (p = 0.0029); knn is better than ...'
        """
        return of_pairs(self, alpha)

    def _exhibit(self) -> Exhibit:
        table = self.frame.rename(columns={"statistic": self.symbol, "pvalue": "p"})
        bold = {"adjusted": list(self.different())}
        return Exhibit(self._title, table, (*self.notes, *self.remarks), "pairs", bold)
