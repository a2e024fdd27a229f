"""Wins tables: on how many data sets is an algorithm significantly better than another?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.base import checks
from bayescmp.base.checks import check_diagonal
from bayescmp.base.declare import declare, flag, one_of
from bayescmp.errors import InputError
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.groups.anova import anova
from bayescmp.frequentist.groups.pairs import pairwise_t, tukey
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.multiplicity import canonical
from bayescmp.frequentist.results import PosthocResult, pairs_of
from bayescmp.frequentist.signs import sign_test
from bayescmp.scores.differences import labels_of, own_labels
from bayescmp.scores.metrics import headed
from bayescmp.wording.markup import Exhibit, Exhibited, named_rows
from bayescmp.wording.text import as_sentence, counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["WinsTable", "wins_table"]


@dataclass(frozen=True, eq=False)
class WinsTable(Exhibited, Described):
    """Data sets won, pair by pair.

    Attributes
    ----------
    wins : ndarray of int, shape (L, L)
        On how many data sets the row's algorithm is significantly better than the column's.
    n_datasets : int
    names : tuple of str, length L
    total : ndarray of int, shape (L,), or None
        On how many distinct data sets the algorithm beats at least one other; None where only the
        counts of the pairs are known.
    method : str
        How a win was decided.
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    """

    wins: np.ndarray
    n_datasets: int
    names: tuple[str, ...]
    total: np.ndarray | None = None
    method: str = field(default="")

    @classmethod
    def from_counts(
        cls, wins: Any, n_datasets: int, *, names: Iterable[str] | None = None
    ) -> WinsTable:
        """A table from counts that are known already.

        Parameters
        ----------
        wins : array_like of int, shape (L, L), or DataFrame
            Row beats column, zeros in the diagonal.
        n_datasets : int
        names : iterable of str, optional
            The algorithms, if wins has no labels.

        Returns
        -------
        WinsTable

        Raises
        ------
        InputError
            No square table of counts, or a pair with more wins and losses than data sets.

        See Also
        --------
        wins_table : Counts them from scores.

        Examples
        --------
        >>> from bayescmp.frequentist import WinsTable
        >>> print(WinsTable.from_counts([[0, 12], [2, 0]], 15, names=["C4.5", "kNN"]))
        Wins over 15 data sets (row beats column)
              C4.5  kNN
        C4.5     0   12
        kNN      2    0
        """
        labels = labels_of(wins)
        if labels != labels_of(wins, 1):
            raise InputError("wins has other rows than columns; accepted: the same algorithms")
        counts = np.array(wins)
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
            raise InputError(f"wins has shape {counts.shape}; accepted: (L, L), row beats column")
        if counts.dtype.kind not in "iu" or np.any(counts < 0):
            raise InputError("wins holds something other than counts; accepted: integers >= 0")
        check_diagonal(counts, "wins")
        n_datasets = checks.whole("n_datasets", n_datasets)
        if np.any(counts + counts.T > n_datasets):
            i, j = np.argwhere(counts + counts.T > n_datasets)[0]
            raise InputError(
                f"wins[{i}, {j}] and wins[{j}, {i}] are {counts[i, j]} and {counts[j, i]}, more "
                f"than n_datasets={n_datasets}"
            )
        given = own_labels("names", names, labels, len(counts), "A")
        return cls(counts, n_datasets, given)

    @property
    def ties(self) -> np.ndarray:
        """On how many data sets neither beats the other, shape (L, L)."""
        return np.asarray(self.n_datasets - self.wins - self.wins.T)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Wins of the row's algorithm over the column's, and the total of data sets won."""
        import pandas as pd

        frame = pd.DataFrame(self.wins, index=self.names, columns=self.names)
        frame = frame if self.total is None else frame.assign(total=self.total)
        return headed(frame, self.measured)

    def sign_tests(
        self, *, adjust: str = "bonferroni", alternative: str = "two-sided"
    ) -> PosthocResult:
        """Sign test on the wins of each pair.

        Parameters
        ----------
        adjust : str
            One of the procedures of `adjust`.
        alternative : {"two-sided", "less", "greater"}
            "greater": the second wins more often than the first.

        Returns
        -------
        PosthocResult
            ``statistic`` is the second's wins with half of the ties; ``difference`` the share of
            data sets it won minus the share it lost.

        See Also
        --------
        bayescmp.bayesian.sign : The Bayesian twin.

        References
        ----------
        Aslan 2009, sec. 4.6 and 6.2.

        Examples
        --------
        >>> from bayescmp.frequentist import WinsTable
        >>> wins = WinsTable.from_counts([[0, 12], [2, 0]], 15, names=["C4.5", "kNN"])
        >>> print(wins.sign_tests())
        Sign tests on wins, all pairs, adjusted by bonferroni, n = 15
          C4.5 → kNN     -0.6667  wins =        2  p = 0.0129    adjusted p = 0.0129
        """
        pairs = pairs_of(len(self.names))
        first, second = pairs.T
        won, lost = self.wins[second, first], self.wins[first, second]
        tests = [
            sign_test(int(w), int(v), self.n_datasets - int(w) - int(v), alternative=alternative)
            for w, v in zip(won, lost, strict=True)
        ]
        raw = np.array([t.pvalue for t in tests])
        balance = (self.wins - self.wins.T).sum(axis=1)
        return PosthocResult(
            method="Sign tests on wins",
            adjust=canonical(adjust),
            names=self.names,
            pairs=pairs,
            difference=(won - lost) / self.n_datasets,
            statistic=np.array([t.statistic for t in tests]),
            pvalue=raw,
            adjusted=adjust_p(raw, adjust),
            centres=np.asarray(balance if self.total is None else self.total, dtype=float),
            measure="wins minus losses" if self.total is None else "data sets won",
            low_is_best=False,
            n=self.n_datasets,
            symbol="wins",
        ).of(self)

    def __str__(self) -> str:
        lines = self.frame.to_string().splitlines()
        return "\n".join([self._title, *(line.rstrip() for line in lines), *self.remarks])

    def _exhibit(self) -> Exhibit:
        return Exhibit(self._title, named_rows(self.frame), self.remarks, "wins")

    def explain(self) -> str:
        """Plain sentences for a paper.

        Returns
        -------
        str
            Wins and losses of each algorithm, the best first, and how many comparisons tie.

        See Also
        --------
        bayescmp.bayesian.sign : The probability of winning on the next data set.

        Examples
        --------
        >>> from bayescmp.frequentist import WinsTable
        >>> wins = WinsTable.from_counts([[0, 12], [2, 0]], 15, names=["C4.5", "kNN"])
        >>> wins.explain().split(". ")[1]
        'Wins and losses against all others: C4.5 12 and 2, kNN 2 and 12'
        """
        won, lost = self.wins.sum(axis=1), self.wins.sum(axis=0)
        order = np.argsort(lost - won, kind="stable")
        each = ", ".join(f"{self.names[i]} {won[i]} and {lost[i]}" for i in order)
        ties = counted(int(np.triu(self.ties, 1).sum()), "comparison")
        texts = [
            self._title,
            f"Wins and losses against all others: {each}",
            f"Neither wins in {ties}",
            *self.remarks,
        ]
        return " ".join(map(as_sentence, texts))

    @property
    def _title(self) -> str:
        over = counted(self.n_datasets, "data set")
        by = f", by {self.method}" if self.method else ""
        return f"Wins{self.on_measured} over {over} (row beats column){by}"


@declare(test=one_of("tukey", "t"), require_anova=flag)
def wins_table(
    xs: Any,
    *,
    test: str = "tukey",
    adjust: str | None = None,
    alpha: float = 0.05,
    block: bool = True,
    rho: float | None = None,
    require_anova: bool = False,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> WinsTable:
    """Who beats whom significantly on each data set, summed over data sets.

    Parameters
    ----------
    xs : mapping or sequence of (L, n) tables, or array_like of shape (q, L, n)
        For each data set the scores, one row per algorithm (in the same order) and one column per
        fold. Data sets may differ in their number of folds.
    test : {"tukey", "t"}
        `tukey`, or `pairwise_t` with the adjustment.
    adjust : str, optional
        For test="t"; "bonferroni" if not given. Tukey's test adjusts by itself.
    alpha : float
        Family-wise level on each data set.
    block, rho
        As for `anova`.
    require_anova : bool
        Count wins only where the ANOVA rejects as well. Tukey's test holds its level without.
    lower_is_better : bool
        Whether lower scores are better.
    names : iterable of str, optional
        The algorithms, if the tables have no labels.

    Returns
    -------
    WinsTable

    Raises
    ------
    InputError
        As for `anova`; data sets whose algorithms differ.

    See Also
    --------
    tukey : Decides each win.
    bayescmp.bayesian.sign : Counts wins with a rope.

    References
    ----------
    Aslan 2009, sec. 6.1.

    Examples
    --------
    Simulated accuracies of three algorithms in ten folds of each of twenty data sets; c is better:

    >>> import numpy as np
    >>> from bayescmp.frequentist import wins_table
    >>> xs = np.random.default_rng(0).normal(0.8, 0.02, size=(20, 3, 10))
    >>> xs[:, 2] += 0.03
    >>> print(wins_table(xs, names=["a", "b", "c"]))
    Wins over 20 data sets (row beats column), by Tukey test, blocked, level 0.05
        a   b  c  total
    a   0   0  0      0
    b   0   0  0      0
    c  15  13  0     17
    """
    if test == "tukey":
        checks.check_unused("Tukey's test adjusts by itself", adjust=adjust)
    labels = None if names is None else checks.as_names(names)
    if not isinstance(xs, Iterable):
        raise InputError(f"xs is {type(xs).__name__}; accepted: scores of each data set")
    items = list(xs.items()) if isinstance(xs, Mapping) else list(enumerate(xs, start=1))
    if not items:
        raise InputError("xs has no data sets")
    options: dict[str, Any] = {"rho": rho, "names": labels}
    beats, known = [], None
    drawn: set[str] = set()
    for dataset, x in items:
        if test == "tukey":
            pairs = tukey(x, block=block, lower_is_better=lower_is_better, **options)
        else:
            pairs = pairwise_t(
                x, adjust=adjust or "bonferroni", lower_is_better=lower_is_better, **options
            )
        known = known or pairs.names
        if pairs.names != known:
            raise InputError(
                f"data set {dataset!r} has the algorithms {', '.join(pairs.names)}; the first has "
                f"{', '.join(known)}: the rows of all data sets need the same order"
            )
        drawn.add(pairs.resampling)
        hidden = require_anova and anova(x, block=block, **options).pvalue > alpha
        beats.append(_beats(pairs, alpha) & (not hidden))
    each = np.array(beats)
    how = f"{pairs.method}{'' if test == 'tukey' else ', ' + pairs.adjust}, level {alpha:g}"
    return WinsTable(
        wins=each.sum(axis=0),
        n_datasets=len(items),
        names=known or (),
        total=each.any(axis=2).sum(axis=0),
        method=how,
        directions=pairs.directions,
        resampling=pairs.resampling if len(drawn) == 1 else "",
    )


def _beats(pairs: PosthocResult, alpha: float) -> np.ndarray:
    """Whether the row's algorithm is significantly better than the column's, (L, L)."""
    size = len(pairs.names)
    beats = np.zeros((size, size), dtype=bool)
    first, second = pairs.pairs.T
    significant = pairs.different(alpha)
    beats[second, first] = significant & (pairs.difference > 0)
    beats[first, second] = significant & (pairs.difference < 0)
    return beats
