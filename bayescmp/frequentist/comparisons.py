"""The table of compared pairs of algorithms: all of them, or each with a control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.errors import InputError, unknown_name
from bayescmp.frequentist.results import Described, tell
from bayescmp.results.ladder import maximal_cliques, underlined
from bayescmp.wording.markup import Exhibit, Exhibited
from bayescmp.wording.text import (
    adjusted_by,
    counted,
    equals,
)

# Pieces of the sentences for a paper.


#: Pairs that a sentence lists; the others are counted.
MOST = 12


def _level(result: PosthocResult, alpha: float) -> str:
    if result.adjust == "none":
        return f"at the level of {alpha:g} for each pair, not adjusted"
    rate = "false discovery rate" if result.adjust == "benjamini-hochberg" else "family-wise level"
    return f"at the {rate} of {alpha:g}, {adjusted_by(result.adjust)}"


def _listed_pairs(result: PosthocResult, different: np.ndarray) -> list[str]:
    rows = [
        f"{result.names[j if d > 0 else i]} is better than {result.names[i if d > 0 else j]} "
        f"({equals(p)})"
        for (i, j), d, p, yes in zip(
            result.pairs, result.difference, result.adjusted, different, strict=True
        )
        if yes
    ]
    more = [f"{len(rows) - MOST} more"] if len(rows) > MOST else []
    return [f"By adjusted p-value, {'; '.join([*rows[:MOST], *more])}"] if rows else []


# Which pairs of algorithms are compared, by their places.
def pairs_of(n_algorithms: int, control: int | None = None) -> np.ndarray:
    """The pairs that are compared, as (first, second)."""
    if control is None:
        return np.column_stack(np.triu_indices(n_algorithms, k=1))
    others = np.delete(np.arange(n_algorithms), control)
    return np.column_stack([np.full(len(others), control), others])


def index_of(control: str | int, algorithms: Sequence[str]) -> int:
    """Place of a control algorithm, given by name or by number."""
    if isinstance(control, int | np.integer) and not isinstance(control, bool):
        if not 0 <= control < len(algorithms):
            raise InputError(
                f"control={control} is not a column; accepted: 0 to {len(algorithms) - 1}, or a "
                "name"
            )
        return int(control)
    if str(control) not in algorithms:
        raise unknown_name("algorithm (control)", control, algorithms)
    return list(algorithms).index(str(control))


# The table that comparisons of pairs are, and the groups of algorithms that it can't tell apart.


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedPairs(Exhibited, Described):
    """A table of pairs of algorithms with their p-values."""

    #: Heads of further columns, and the fields that they show.
    columns: ClassVar[dict[str, str]] = {"difference": "difference", "statistic": "statistic"}

    method: str
    adjust: str
    names: tuple[str, ...]
    pairs: np.ndarray
    difference: np.ndarray
    statistic: np.ndarray
    pvalue: np.ndarray
    adjusted: np.ndarray
    control: str | None = None
    n: int = 0

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Tidy table, one row a comparison."""
        names = np.array(self.names, dtype=object)
        columns = {
            "first": names[self.pairs[:, 0]],
            "second": names[self.pairs[:, 1]],
            **{head: getattr(self, name) for head, name in self.columns.items()},
            "pvalue": self.pvalue,
            "adjusted": self.adjusted,
        }
        return self.tabulate(columns)

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the algorithms in the order in which groups list them."""
        return tuple(range(len(self.names)))

    def matrix(self, *, raw: bool = False) -> pd.DataFrame:
        """P-values as a symmetric matrix, 1 on the diagonal, NaN where there is none.

        Parameters
        ----------
        raw : bool
            Raw p-values instead of adjusted ones.

        Returns
        -------
        DataFrame of shape (L, L)

        Examples
        --------
        The data of `friedman`, without names:

        >>> from bayescmp.frequentist import posthoc
        >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
        ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
        >>> print(posthoc(scores).matrix().round(3))
               A1     A2     A3
        A1  1.000  0.906  0.922
        A2  0.906  1.000  0.922
        A3  0.922  0.922  1.000
        """
        checks.check_flags(raw=raw)
        table = np.full((len(self.names), len(self.names)), np.nan)
        np.fill_diagonal(table, 1.0)
        first, second = self.pairs.T
        table[first, second] = table[second, first] = self.pvalue if raw else self.adjusted
        return self.tabulate(table, self.names, self.names)

    def different(self, alpha: float = 0.05) -> np.ndarray:
        """Which comparisons are significant at family-wise level alpha, shape (m,)."""
        return np.asarray(self.adjusted <= checks.level(alpha, "alpha"))

    def cliques(self, alpha: float = 0.05) -> tuple[tuple[str, ...], ...]:
        """Maximal groups of algorithms no two of which were found different.

        Members come in order, those of one metric best first. Groups may overlap, and need not be
        neighbours in the order; algorithms that differ from all others are in none. Against a
        control it is the one group of the control and all not found different from it.

        Parameters
        ----------
        alpha : float
            Family-wise level.

        Returns
        -------
        tuple of tuple of str
            Groups of at least two.
        """
        order = self.order
        return tuple(tuple(self.names[order[i]] for i in g) for g in self._groups(alpha))

    def _groups(self, alpha: float) -> tuple[tuple[int, ...], ...]:
        """The cliques as places in the order."""
        place = np.argsort(self.order)
        same = place[self.pairs[~self.different(alpha)]]
        if self.control is not None:
            members = np.unique(same)
            return (tuple(int(i) for i in members),) if len(members) else ()
        alike = np.zeros((len(place), len(place)), dtype=bool)
        alike[same[:, 0], same[:, 1]] = alike[same[:, 1], same[:, 0]] = True
        return maximal_cliques(alike)

    @property
    def _title(self) -> str:
        against = "all pairs" if self.control is None else f"against {self.control}"
        head = f"{self.method}{self.on_measured}, {against}, {adjusted_by(self.adjust)}"
        return f"{head}, n = {self.n}"


# Result of comparing pairs of algorithms: all of them, or each with a control.


#: Letters of a name that a line of the text has room for.
NAME = 12


@dataclass(frozen=True, eq=False, kw_only=True)
class PosthocResult(ComparedPairs):
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

    centres: np.ndarray
    measure: str = "mean rank"
    low_is_best: bool = True
    standard_error: float | np.ndarray | None = None
    symbol: str = "z"
    margin: Callable[[float], float | np.ndarray] | None = field(default=None, repr=False)
    intervals: bool = field(default=False, repr=False)

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the algorithms from best to worst."""
        keys = self.centres if self.low_is_best else -self.centres
        return tuple(int(i) for i in np.argsort(keys, kind="stable"))

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
        places = checks.whole("digits", digits, 0)
        values = [f"{self.centres[i]:.{places}f}" for i in self.order]
        return underlined(ordered, values, self._groups(alpha))

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
        """
        if self.margin is None:
            return None
        margins = np.unique(np.asarray(self.margin(checks.level(alpha, "alpha")), dtype=float))
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
        """The result as plain numbers and text, for JSON."""
        centres = dict(zip(self.names, map(float, self.centres), strict=True))
        kept = ("method", "adjust", "control", "measure", "n")
        return self.collect_facts(*kept, centres=centres, comparisons=self.frame)

    def _exhibit(self) -> Exhibit:
        paper = self._paper()
        of = f"of {self.measure}s, " if self.measure.startswith("mean") else ""
        return replace(
            paper,
            title=self.answer(),
            method=paper.title,
            heads={"first": "A", "second": "B"},
            legend=f"difference: {of}positive where B is better",
        )

    def __repr__(self) -> str:
        return f"<PosthocResult: {self.method}, {self.answer()}>"

    def answer(self, alpha: float = 0.05) -> str:
        """How many pairs differ, and which algorithm comes first, in a line.

        Parameters
        ----------
        alpha : float
            Family-wise level.
        """
        apart, all_of_them = int(self.different(alpha).sum()), len(self.pvalue)
        differing = f"{apart} of {counted(all_of_them, 'pair')} differ"
        none = f"no pair of {all_of_them} differs"
        first = f"{self.names[self.order[0]]} comes first"
        if self.control is None:
            return f"{first}; {differing if apart else none} at {alpha:g}"
        others = f"{apart or 'none'} of {all_of_them} others differ{'s' * (apart < 2)}"
        return f"{others} from {self.control} at {alpha:g}; {first}"

    def explain(self, form: str = "short", *, alpha: float = 0.05) -> str:
        """The result in sentences.

        Parameters
        ----------
        form : {"short", "paper", "methods", "full"}
            "short" says how many pairs differ, and which; "methods" names the test; "paper" and
            "full" have all of it.
        alpha : float
            Family-wise level.

        Returns
        -------
        str
            Which pairs differ, how many can't be told apart, the order of the algorithms, and what
            a p-value does not say.
        """
        different = self.different(alpha)
        m, apart = len(different), int(different.sum())
        listed = _listed_pairs(self, different)
        compared = "all pairs" if self.control is None else f"each algorithm and {self.control}"
        paper = [
            f"{self.method}{self.on_measured} of {compared} ({counted(m, 'comparison')} of "
            f"{counted(len(self.names), 'algorithm')}, n = {self.n}), {_level(self, alpha)}, "
            + (f"{apart} differ" if apart else "no pair differs"),
            *listed,
        ]
        if apart < m:
            paper.append(
                f"{counted(m - apart, 'pair')} can't be told apart, which does not show that the "
                "algorithms are alike"
            )
        best = ", ".join(self.names[i] for i in self.order)
        paper.append(f"From best to worst by {self.measure}: {best}")
        return tell(form, [self.answer(alpha), *listed], self._title, paper, self.all_notes)

    def _paper(self) -> Exhibit:
        table = self.frame.rename(columns={"statistic": self.symbol, "pvalue": "p"})
        bold = {"adjusted": list(self.different())}
        names = ("first", "second")
        return Exhibit(self._title, table, self.all_notes, "pairs", bold, names=names)
