"""How far algorithms are from one another over data sets: contrasts of medians (Doksum)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.errors import unknown_name
from bayescmp.exhibit import Exhibit, Exhibited, named_rows
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.ranks.table import as_table
from bayescmp.metrics import headed
from bayescmp.text import as_sentence, counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ContrastTable", "contrast_estimation"]


@dataclass(frozen=True, eq=False)
class ContrastTable(Exhibited, Described):
    """Estimated differences of all pairs of algorithms, which add up.

    Attributes
    ----------
    names : tuple of str, length L
    medians : ndarray of shape (L, L)
        Median improvement of the column over the row, over the data sets; they don't add up.
    effects : ndarray of shape (L,)
        Each algorithm's mean of its median differences from all, itself included; their
        differences are the contrasts.
    n : int
        Data sets.
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    """

    names: tuple[str, ...]
    medians: np.ndarray
    effects: np.ndarray
    n: int

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The contrasts: positive where the column's algorithm is better than the row's."""
        import pandas as pd

        contrasts = self.effects[None, :] - self.effects[:, None]
        return headed(pd.DataFrame(contrasts, index=self.names, columns=self.names), self.measured)

    def contrast(self, first: str, second: str) -> float:
        """The estimated improvement of the second algorithm over the first.

        Parameters
        ----------
        first, second : str

        Returns
        -------
        float
            In units of the metric.

        Raises
        ------
        InputError
            For an unknown algorithm.

        See Also
        --------
        bayescmp.compare : The posterior of the difference of two algorithms.

        Examples
        --------
        >>> from bayescmp.frequentist import contrast_estimation
        >>> table = contrast_estimation([[0.7, 0.8, 0.8], [0.6, 0.7, 0.9], [0.5, 0.5, 0.6]])
        >>> round(table.contrast("A1", "A3"), 3)
        0.133
        """
        for name in (first, second):
            if name not in self.names:
                raise unknown_name("algorithm", name, self.names)
        low, high = self.names.index(first), self.names.index(second)
        return float(self.effects[high] - self.effects[low])

    def __str__(self) -> str:
        lines = self.frame.to_string(float_format=lambda v: f"{v:.4g}").splitlines()
        table = "\n".join(line.rstrip() for line in lines)
        return f"{self._title}\n{table}"

    def _exhibit(self) -> Exhibit:
        return Exhibit(self._title, named_rows(self.frame), self.remarks, "contrasts")

    def explain(self) -> str:
        """Plain sentences for a paper.

        Returns
        -------
        str
            The algorithms from best to worst with what each gains on the last, and what the
            numbers are.

        See Also
        --------
        bayescmp.compare_all : What can be said of each pair, with probabilities.

        Examples
        --------
        >>> from bayescmp.frequentist import contrast_estimation
        >>> table = contrast_estimation([[0.7, 0.8, 0.8], [0.6, 0.7, 0.9], [0.5, 0.5, 0.6]])
        >>> table.explain().split(". ")[0]
        'Contrasts of medians over 3 data sets, as the gain on A1: A3 0.1333, A2 0.06667'
        """
        *better, last = sorted(self.names, key=lambda name: -self.contrast(self.names[0], name))
        gains = ", ".join(f"{name} {self.contrast(last, name):.4g}" for name in better)
        over = counted(self.n, "data set")
        texts = [
            f"Contrasts of medians{self.on_measured} over {over}, as the gain on {last}: {gains}",
            "They add up and withstand outlying data sets, and come without standard errors",
            *self.remarks,
        ]
        return " ".join(map(as_sentence, texts))

    @property
    def _title(self) -> str:
        over = counted(self.n, "data set")
        return f"Contrasts of medians{self.on_measured}: improvement of column over row, {over}"


def contrast_estimation(scores: ArrayLike, *, lower_is_better: bool = False) -> ContrastTable:
    """Differences of algorithms over data sets, estimated from medians so that they add up.

    The median difference of every pair is taken over the data sets, and each algorithm's mean of
    them; contrasts are differences of these means. An outlying data set moves them little, and the
    contrast of A and C is that of A and B plus that of B and C.

    Parameters
    ----------
    scores : array_like of shape (q, L) or DataFrame
        One row per data set, one column per algorithm; at least 1 and 3 of them.
    lower_is_better : bool
        Whether lower scores are better; differences are then flipped, so that positive means
        better.

    Returns
    -------
    ContrastTable

    Raises
    ------
    InputError
        Fewer than 3 algorithms, missing or infinite scores.

    See Also
    --------
    posthoc : Whether they differ.
    average_ranks : By ranks.
    bayescmp.bayesian.hierarchical_t : The mean difference of a pair, with its uncertainty.

    References
    ----------
    Doksum 1967, Ann. Math. Stat. 38; García et al. 2010, Inf. Sci. 180, sec. 4.3; the R package
    scmamp (``contrastEstimationMatrix``, which has the opposite sign).

    Examples
    --------
    AUC of three variants of C4.5 on six data sets (Demšar 2006, table 6):

    >>> import pandas as pd
    >>> from bayescmp.frequentist import contrast_estimation
    >>> scores = pd.DataFrame(
    ...     [
    ...         [0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...         [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931],
    ...     ],
    ...     index=["adult", "breast", "wisconsin", "cmc", "ionosphere", "iris"],
    ...     columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
    ... )
    >>> print(contrast_estimation(scores))
    Contrasts of medians: improvement of column over row, 6 data sets
                   C4.5    C4.5+m  C4.5+m+cf
    C4.5              0  0.009167    0.01083
    C4.5+m    -0.009167         0   0.001667
    C4.5+m+cf  -0.01083 -0.001667          0
    """
    table = as_table(
        scores, test="contrast_estimation", lower_is_better=lower_is_better, least_datasets=1
    )
    x = table.oriented
    medians = np.median(x[:, None, :] - x[:, :, None], axis=0)
    return ContrastTable(table.algorithms, medians, medians.mean(axis=0), len(x)).of(table)
