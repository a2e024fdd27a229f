"""Which algorithms differ on one data set, and how often over data sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import (
    ROWS,
    check_diagonal,
    flag,
    one_array,
    one_of,
    share,
    sided,
    validate_params,
)
from bayescmp.errors import locate_errors, name_argument
from bayescmp.frequentist.effects import NO_ERROR, studentize
from bayescmp.frequentist.multiplicity import adjust as adjust_p
from bayescmp.frequentist.multiplicity import (
    critical_value,
    find_procedure,
    largest_t_ppf,
    largest_t_sf,
    studentized_range_sf,
)
from bayescmp.frequentist.results import (
    DescribedResult,
    PosthocResult,
    index_of,
    leading,
    pairs_of,
)
from bayescmp.frequentist.signs import sign_tests
from bayescmp.frequentist.variance import (
    Groups,
    anova,
    as_groups,
    sums_of_squares,
    without_rounding,
)
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Explanation, Summary, summarise
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.differences import own_labels
from bayescmp.wording.markup import list_notes, named_rows
from bayescmp.wording.references import SOURCES
from bayescmp.wording.text import format_count


# Which algorithms differ on one data set: Tukey's test, and paired t tests of all pairs.
@one_array(ROWS)
def tukey(
    x: ArrayLike | Blocks,
    *,
    block: bool = True,
    rho: float | None = None,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Perform Tukey's test of all pairs, with the error of the analysis of variance.

    Parameters
    ----------
    x, block, rho, names
        As for `anova`. Numbers of scores that differ (without blocks) give the Tukey-Kramer test.
    lower_is_better : bool
        Whether lower scores are better; differences are then flipped. Blocks know their direction.

    Returns
    -------
    PosthocResult
        The statistic is the studentized range q; ``pvalue`` and ``adjusted`` are the same.
        ``confidence_interval()`` gives simultaneous intervals.

    Raises
    ------
    InputError
        As for `anova`.

    See Also
    --------
    anova, pairwise_t, bayescmp.bayesian.groups

    References
    ----------
    Tukey 1953; Montgomery 2012, sec. 3.5; Aslan 2009, eq. 4.30-4.32; R's ``TukeyHSD``.

    Examples
    --------
    >>> from bayescmp.frequentist import tukey
    >>> x = [[0.886, 0.939, 0.939, 0.921, 0.947], [0.921, 0.965, 0.912, 0.939, 0.956],
    ...      [0.930, 0.991, 0.956, 0.965, 0.982]]
    >>> print(tukey(x, names=["tree", "bayes", "knn"]))
    knn comes first; 2 of 3 pairs differ at 0.05
    <BLANKLINE>
    A      B      difference      q       p  adjusted
    tree   bayes      0.0122  2.221    0.31      0.31
    tree   knn        0.0384  6.991  0.0029    0.0029
    bayes  knn        0.0262   4.77   0.024     0.024
    difference: of means, positive if B is better
    <BLANKLINE>
    note: error mean square 0.00015087 with 8 d.o.f.
    Tukey test, blocked, all pairs, adjusted with Tukey's method, n = 5
    """
    groups = as_groups(x, "tukey", block, names, lower_is_better, rho=rho)
    table, _, df = _with_common_error("Tukey", groups, block)
    q, k, p = table.statistic * math.sqrt(2), len(groups.rows), np.zeros(len(table.pairs))
    finite = np.isfinite(q)
    p[finite] = studentized_range_sf(np.abs(q[finite]), k, df)
    critical = partial(_tukey_critical, k=k, df=df)
    return replace(table, statistic=q, pvalue=p, adjusted=p, symbol="q", critical=critical)


@one_array(ROWS)
def pairwise_t(
    x: ArrayLike | Blocks,
    *,
    adjust: str = "holm",
    control: str | int | None = None,
    rho: float | None = None,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Perform paired t tests of all pairs of algorithms on one data set, adjusted.

    Each pair has its own variance, where `tukey` pools that of all algorithms.

    Parameters
    ----------
    x : array_like of shape (L, n), DataFrame with one column per algorithm, or Blocks
        Scores of n folds by one metric.
    adjust : str
        One of the procedures of `adjust`.
    control : str or int, optional
        Compare only with this algorithm.
    rho : float, optional
        Correlation between folds: 0 is the plain paired t test, 1/folds the corrected one. By
        default that of Blocks, or 0 for plain numbers.
    lower_is_better, names
        As for `tukey`.

    Returns
    -------
    PosthocResult

    Raises
    ------
    InputError
        As for `anova`; unknown adjustment or control.

    See Also
    --------
    tukey, bayescmp.bayesian.groups

    References
    ----------
    Aslan 2009, sec. 6.1 (with Bonferroni); Nadeau & Bengio 2003 (rho).

    Examples
    --------
    >>> from bayescmp.frequentist import pairwise_t
    >>> x = [[0.886, 0.939, 0.939, 0.921, 0.947], [0.921, 0.965, 0.912, 0.939, 0.956],
    ...      [0.930, 0.991, 0.956, 0.965, 0.982]]
    >>> pairwise_t(x, rho=1 / 5).adjusted.round(3)
    array([0.49 , 0.039, 0.069])
    """
    groups = as_groups(x, "pairwise_t", True, names, lower_is_better, rho=rho)
    rho, method = groups.rho, find_procedure(adjust)
    at = None if control is None else index_of(control, groups.names)
    scores = groups.matrix
    n = scores.shape[1]
    pairs = pairs_of(len(scores), at)
    delta = scores[pairs[:, 1]] - scores[pairs[:, 0]]
    largest = np.abs(scores).max()
    same = ~without_rounding(delta - delta[:, :1], largest).any(axis=1)
    variance = np.where(same, 0.0, delta.var(axis=1, ddof=1))
    error = np.sqrt((1 / n + rho / (1 - rho)) * variance)
    difference = without_rounding(delta.mean(axis=1), largest)
    t = studentize(difference, error)
    raw = 2 * stats.t.sf(np.abs(t), n - 1)
    k, single = len(scores), method in ("none", "bonferroni")
    critical = partial(critical_value, method=method, k=k, pairs=len(pairs), df=n - 1)
    return PosthocResult(
        method="Pairwise " + ("corrected t tests" if rho else "paired t tests"),
        cites=SOURCES["correction"] if rho else (),
        adjust=method,
        names=groups.names,
        pairs=pairs,
        difference=difference,
        statistic=t,
        pvalue=raw,
        adjusted=adjust_p(raw, method),
        centres=groups.sign * scores.mean(axis=1),
        measure="mean",
        low_is_best=groups.sign < 0,
        control=None if at is None else groups.names[at],
        standard_error=error,
        n=n,
        symbol="t",
        notes=() if error.all() else (NO_ERROR,),
        critical=critical if single else None,
        intervals=single,
    ).of(groups)


def _tukey_critical(alpha: float, k: int, df: float) -> float:
    return float(stats.studentized_range.isf(alpha, k, df)) / math.sqrt(2)


# Algorithms against a control on one data set: Dunnett's test, blocked or one-way.
@validate_params(alternative=sided)
def dunnett(
    x: ArrayLike | Blocks,
    *,
    control: str | int,
    alternative: str = "two-sided",
    block: bool = True,
    rho: float | None = None,
    lower_is_better: bool = False,
    names: Iterable[str] | None = None,
) -> PosthocResult:
    """Perform Dunnett's test of every algorithm against a control, with the ANOVA's error.

    It takes account of the shared control and error, which gives it more power than a Bonferroni
    or Holm adjustment with `tukey`'s errors.

    Parameters
    ----------
    x, block, rho, names
        As for `anova`.
    control : str or int
        The algorithm to compare with, by name or place.
    alternative : {"two-sided", "less", "greater"}
        "greater": others are better than the control.
    lower_is_better : bool
        As for `tukey`.

    Returns
    -------
    PosthocResult
        ``pvalue`` and ``adjusted`` are the same; ``confidence_interval()`` is simultaneous,
        two-sided.

    Raises
    ------
    InputError
        As for `anova`; an unknown control.

    See Also
    --------
    tukey, anova, bayescmp.bayesian.groups

    References
    ----------
    Dunnett 1955, JASA 50; Nadeau & Bengio 2003 (rho); ``scipy.stats.dunnett`` (without blocks),
    R's ``multcomp::glht`` (with them).

    Examples
    --------
    >>> from bayescmp.frequentist import dunnett
    >>> x = [[0.886, 0.939, 0.939, 0.921, 0.947], [0.921, 0.965, 0.912, 0.939, 0.956],
    ...      [0.930, 0.991, 0.956, 0.965, 0.982]]
    >>> dunnett(x, control="tree", names=["tree", "bayes", "knn"]).adjusted.round(4)
    array([0.2565, 0.0021])
    """
    groups = as_groups(x, "dunnett", block, names, lower_is_better, rho=rho)
    at = index_of(control, groups.names)
    table, share, df = _with_common_error("Dunnett", groups, block, at)
    loadings = np.sqrt(share[at] / (share[at] + share[table.pairs[:, 1]]))
    two_sided, turned = alternative == "two-sided", -1 if alternative == "less" else 1
    ends = np.abs(table.statistic) if two_sided else turned * table.statistic
    p = np.array([largest_t_sf(t, loadings, df, two_sided=two_sided) for t in ends])
    notes = table.notes if two_sided else (*table.notes, f"one-sided: {alternative}")
    critical = partial(largest_t_ppf, loadings=loadings, df=df)
    return replace(table, pvalue=p, adjusted=p, notes=notes, critical=critical)


def _with_common_error(
    name: str, groups: Groups, block: bool, control: int | None = None
) -> tuple[PosthocResult, np.ndarray, float]:
    """Return pairs by the error of all, without p-values; the means' variance factors; its df."""
    degrees, squares = sums_of_squares(groups, block)
    df, mean_square = float(degrees[-2]), float(squares[-2] / degrees[-2])
    pairs = pairs_of(len(groups.rows), control)
    first, second = pairs.T
    means = np.array([row.mean() for row in groups.rows])
    sizes = np.array([len(row) for row in groups.rows])
    share = 1 / sizes + groups.rho / (1 - groups.rho)
    error = np.sqrt(mean_square * (share[first] + share[second]))
    largest = max(float(np.abs(row).max()) for row in groups.rows)
    difference = without_rounding(means[second] - means[first], largest)
    note = f"error mean square {mean_square:.5g} with {df:g} d.o.f."
    table = PosthocResult(
        method=f"{name} test, " + ("blocked" if block else "one-way"),
        adjust=name.lower(),
        names=groups.names,
        pairs=pairs,
        difference=difference,
        statistic=studentize(difference, error),
        pvalue=np.full(len(pairs), np.nan),
        adjusted=np.full(len(pairs), np.nan),
        centres=groups.sign * means,
        measure="mean",
        low_is_best=groups.sign < 0,
        control=None if control is None else groups.names[control],
        standard_error=error,
        n=int(sizes.max()),
        symbol="t",
        notes=(note,) if mean_square else (note, NO_ERROR),
        intervals=True,
    ).of(groups)
    return table, share, df


@dataclass(frozen=True, eq=False, repr=False)
class WinsTable(Summarised, DescribedResult):
    """Numbers of data sets on which each algorithm wins against each other.

    Attributes
    ----------
    wins : ndarray of int, shape (L, L)
        On how many data sets the row's algorithm is significantly better than the column's.
    n_datasets : int
    names : tuple of str, length L
    total : ndarray of int, shape (L,), or None
        On how many data sets the algorithm beats at least one other; None if only pairs are known.
    method : str
        How a win was decided.
    directions, resampling, left_out
        See `DescribedResult`.
    """

    wins: np.ndarray
    n_datasets: int
    names: tuple[str, ...]
    total: np.ndarray | None = None
    method: str = ""

    @classmethod
    def from_counts(
        cls, wins: Any, n_datasets: int, *, names: Iterable[str] | None = None
    ) -> WinsTable:
        """Make a table from counts that are already known.

        Parameters
        ----------
        wins : array_like of int, shape (L, L), or DataFrame
            Row beats column, zeros in the diagonal.
        n_datasets : int
        names : iterable of str, optional
            The algorithms, if wins has no labels.

        Raises
        ------
        InputError
            A table of counts that is not square; a pair with more wins and losses than data sets.

        Examples
        --------
        >>> from bayescmp.frequentist import WinsTable
        >>> WinsTable.from_counts([[0, 12], [2, 0]], 15, names=["C4.5", "kNN"]).n_datasets
        15
        """
        axes = [None if checks.is_numbered(a) else [*map(str, a)] for a in checks.axes_of(wins)]
        labels = axes[0] if axes else None
        if any(axis != labels for axis in axes):
            raise must_be("wins", "a table with the same algorithms as rows and as columns")
        counts = np.array(wins)
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
            raise must_be("wins", "an array of shape (L, L), row beats column", counts)
        if counts.dtype.kind not in "iu" or np.any(counts < 0):
            raise must_be("wins", "counts, integers of at least 0")
        check_diagonal(counts)
        n_datasets = checks.check_whole("n_datasets", n_datasets)
        if np.any(counts + counts.T > n_datasets):
            i, j = np.argwhere(counts + counts.T > n_datasets)[0]
            raise must(
                "wins",
                f"have at most {arg('n_datasets', n_datasets)} wins of a pair, both ways",
                f"{counts[i, j]} at [{i}, {j}] and {counts[j, i]} at [{j}, {i}]",
            )
        given = own_labels("names", names, labels, len(counts), "A")
        return cls(counts, n_datasets, given)

    @property
    def ties(self) -> np.ndarray:
        """Number of data sets on which neither beats the other, shape (L, L)."""
        return np.asarray(self.n_datasets - self.wins - self.wins.T)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Wins of the row's algorithm over the column's; `total` counts the data sets won."""
        return self._tabulate(self.wins, self.names, self.names)

    def sign_tests(
        self, *, adjust: str = "bonferroni", alternative: str = "two-sided"
    ) -> PosthocResult:
        """Test the wins of each pair by the sign test (Aslan 2009, sec. 4.6 and 6.2).

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
        """
        pairs = pairs_of(len(self.names))
        first, second = pairs.T
        won, lost = self.wins[second, first], self.wins[first, second]
        statistic, raw = sign_tests(won, lost, self.n_datasets, alternative)
        balance = (self.wins - self.wins.T).sum(axis=1)
        return PosthocResult(
            method="Sign tests on wins",
            cites=SOURCES["sign"],
            adjust=find_procedure(adjust),
            names=self.names,
            pairs=pairs,
            difference=(won - lost) / self.n_datasets,
            statistic=statistic,
            pvalue=raw,
            adjusted=adjust_p(raw, adjust),
            centres=np.asarray(balance if self.total is None else self.total, dtype=float),
            measure="wins minus losses" if self.total is None else "data sets won",
            low_is_best=False,
            n=self.n_datasets,
            symbol="wins",
        ).of(self)

    def answer(self) -> str:
        """Name the algorithm with the most wins against all others, with its wins and losses."""
        won, lost = self.wins.sum(axis=1), self.wins.sum(axis=0)
        best = np.flatnonzero(won - lost == (won - lost).max())
        if not won.any():
            return f"No algorithm wins on any of {format_count(self.n_datasets, 'data set')}"
        first = leading([self.names[i] for i in best])
        if len(best) > 1:
            return first
        wins = format_count(won[best[0]], "win")
        return f"{first}, with {wins} and {format_count(lost[best[0]], 'loss', 'losses')}"

    @property
    def heading(self) -> str:
        """Name the table and the metric in one line."""
        over = format_count(self.n_datasets, "data set")
        by = f", by {self.method}" if self.method else ""
        return f"Wins{self.on_measured} over {over} (row beats column){by}"


WINS = "Wins and losses against all others: {each}."
NO_WINNER = "Comparisons without a significant winner: {ties}."
BEATS = {
    False: "data sets on which the algorithm of the row beats the one of the column",
    True: "data sets on which the algorithm of the row beats the one of the column; total: beats "
    "at least one",
}


@summarise.register
def _summarise_wins_table(wins: WinsTable) -> Summary:
    over, table = format_count(wins.n_datasets, "data set"), named_rows(wins.frame)
    if wins.total is not None:
        table.insert(len(table.columns), "total", wins.total, allow_duplicates=True)
    won, lost = wins.wins.sum(axis=1), wins.wins.sum(axis=0)
    order = np.argsort(lost - won, kind="stable")
    each = ", ".join(f"{wins.names[i]} {won[i]} and {lost[i]}" for i in order)
    ties = int(np.triu(wins.ties, 1).sum())
    return Summary(
        wins.answer(),
        table,
        notes=wins.remarks,
        label="wins",
        setting=f"wins{wins.on_measured} over {over}",
        legend=BEATS[wins.total is not None],
        method=wins.method,
        explanation=lambda: Explanation(
            short=[WINS.format(each=each), NO_WINNER.format(ties=ties)],
            methods=[f"{wins.heading}.", *list_notes(wins.remarks)],
        ),
        paper=lambda: Summary(wins.heading, table, notes=wins.remarks, label="wins"),
    )


@validate_params(test=one_of("tukey", "t"), alpha=share, require_anova=flag)
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
    """Count on how many data sets each algorithm is significantly better than each other.

    Parameters
    ----------
    xs : mapping or sequence of tables, or array_like of shape (q, L, n)
        The scores on each data set, each as `anova` takes them, with the same algorithms; numbers
        of folds may differ.
    test : {"tukey", "t"}
        `tukey`, or `pairwise_t` with the adjustment.
    adjust : str, optional
        For test="t"; "bonferroni" if not given. Tukey's test needs none.
    alpha : float
        Family-wise level on each data set.
    block, rho
        As for `anova`.
    require_anova : bool
        Whether to count wins only where the ANOVA also rejects; Tukey's test does not need it.
    lower_is_better, names
        As for `tukey`.

    Returns
    -------
    WinsTable

    Raises
    ------
    InputError
        As for `anova`; data sets whose algorithms differ.

    See Also
    --------
    tukey, bayescmp.bayesian.sign

    References
    ----------
    Aslan 2009, sec. 6.1.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.frequentist import wins_table
    >>> xs = np.random.default_rng(0).normal(0.8, 0.02, size=(20, 3, 10))
    >>> xs[:, 2] += 0.03
    >>> wins_table(xs, names=["a", "b", "c"]).wins
    array([[ 0,  0,  0],
           [ 0,  0,  0],
           [15, 13,  0]])
    """
    if test == "tukey":
        checks.check_unused("Tukey's test has its own adjustment", adjust=adjust)
    labels = None if names is None else checks.as_names(names)
    if not isinstance(xs, Iterable) or isinstance(xs, str | bytes):
        raise must_be("xs", "scores of each data set", xs)
    items = list(xs.items()) if isinstance(xs, Mapping) else list(enumerate(xs, start=1))
    if not items:
        raise must("xs", "hold scores of each data set", "none")
    options: dict[str, Any] = {"rho": rho, "names": labels}
    tests = {
        "tukey": partial(tukey, block=block),
        "t": partial(pairwise_t, adjust=adjust or "bonferroni"),
    }
    beats, known = [], None
    drawn: set[str] = set()
    for dataset, x in items:
        with name_argument("xs", "x"), locate_errors(f"xs, data set {dataset!r}"):
            pairs = tests[test](x, lower_is_better=lower_is_better, **options)
        known = known or pairs.names
        if pairs.names != known:
            raise must(
                "xs",
                f"have the algorithms {', '.join(known)}, in this order, on every data set",
                f"{', '.join(pairs.names)} for {dataset!r}",
            )
        drawn.add(pairs.resampling)
        any_differ = not require_anova or anova(x, block=block, **options).pvalue <= alpha
        beats.append(pairs.better(alpha) & any_differ)
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
