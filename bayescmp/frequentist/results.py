"""Results of one test, and of comparing pairs of algorithms: frozen, and said in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayescmp.base import checks
from bayescmp.errors import InputError, unknown_name
from bayescmp.frequentist.described import Described
from bayescmp.results.ladder import maximal_cliques, underlined
from bayescmp.scores.metrics import headed
from bayescmp.wording.markup import Exhibit, Exhibited
from bayescmp.wording.text import (
    as_sentence,
    counted,
    cut_all,
    equals,
    folded,
    p_value,
    significant,
)

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.frequentist.paired.effects import EffectSize

__all__ = [
    "ComparedPairs",
    "PosthocResult",
    "TestResult",
    "index_of",
    "of_ranks",
    "pairs_of",
    "show_p",
]


# Pieces of the sentences for a paper.


#: Pairs that a sentence lists; the others are counted.
MOST = 12
#: What a p-value is, once in each text.
MEANS = (
    "A p-value is the probability of data at least this far from the null hypothesis if it holds, "
    "not the probability that it holds."
)


def _of(names: Sequence[str]) -> str:
    if len(names) == 2:
        return f" of {names[0]} and {names[1]}"
    return f" of {counted(len(names), 'algorithm')}" if len(names) > 2 else ""


def _null(result: TestResult) -> str:
    """The hypothesis that a test may reject, where the result tells."""
    names, estimate = result.names, result.estimate
    if result.alternative == "equivalence":
        return "the hypothesis that the difference lies outside the rope"
    if result.alternative == "increasing":
        return "the hypothesis of no trend"
    if len(names) == 2 and result.alternative in ("greater", "less"):
        side = "better" if result.alternative == "greater" else "worse"
        return f"the hypothesis that {names[1]} is not {side} than {names[0]}"
    if len(names) == 2:
        return "the hypothesis of no difference"
    if isinstance(estimate, np.ndarray):
        return "the hypothesis that no algorithm differs from another"
    return "the null hypothesis"


def _sizes(result: TestResult) -> list[str]:
    """The estimate and the size of the effect."""
    texts = []
    if isinstance(result.estimate, float):
        side = f", positive where {result.names[1]} is better" if len(result.names) == 2 else ""
        texts.append(f"The estimate is {result.estimate_text}{side}")
    elif result.estimate is not None and len(result.names) == len(result.estimate):
        texts.append(of_ranks(result.names, result.estimate))
    return texts + ([] if result.effect is None else [str(result.effect).splitlines()[0]])


def of_ranks(names: Sequence[str], ranks: np.ndarray) -> str:
    """Mean ranks, the best first: "mean ranks: svm 1.20, knn 1.80".

    Parameters
    ----------
    names : sequence of str
    ranks : ndarray of shape (L,)
    """
    shown = [f"{names[i]} {ranks[i]:.3f}" for i in np.argsort(ranks, kind="stable")]
    return f"mean ranks: {', '.join(shown)}"


def _level(result: PosthocResult, alpha: float) -> str:
    if result.adjust == "none":
        return f"at the level of {alpha:g} for each pair, not adjusted"
    rate = "false discovery rate" if result.adjust == "benjamini-hochberg" else "family-wise level"
    return f"at the {rate} of {alpha:g}, adjusted by {result.adjust}"


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


def _notes(result: TestResult | PosthocResult) -> list[str]:
    return [as_sentence(note) for note in (*result.notes, *result.remarks)]


# Result of one test: frozen, numbers unrounded.


@dataclass(frozen=True, eq=False)
class TestResult(Exhibited, Described):
    """Result of one test.

    Attributes
    ----------
    method : str
        The test, in words.
    statistic : float
        Its statistic; positive where the second algorithm is better, if the test has a side.
    pvalue : float
    df : float or (float, float) or None
        Degrees of freedom, where the statistic has them.
    alternative : str
        "two-sided", "less", "greater", "equivalence" or "increasing".
    estimate : float or ndarray or None
        What is tested: a mean difference (second minus first), a share of wins; for rank tests
        the mean rank of each algorithm (in the order of ``names``, 1 the best).
    standard_error : float or None
        Of the estimate, where the test has one.
    names : tuple of str
        The algorithms.
    n : int
        Observations: folds, data sets, or trials of a sign test.
    symbol : str
        The statistic's letter.
    notes : tuple of str
        What the reader should know: ties, zeros, how the p-value was computed.
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    effect : EffectSize or None
        The effect size, free of units, with its interval, where the test has one.
    """

    __test__: ClassVar[bool] = False  # no test class of pytest's

    method: str
    statistic: float
    pvalue: float
    df: float | tuple[float, float] | None = None
    alternative: str = "two-sided"
    estimate: float | np.ndarray | None = None
    standard_error: float | None = None
    names: tuple[str, ...] = ()
    n: int = 0
    symbol: str = "t"
    notes: tuple[str, ...] = ()
    interval: Callable[[float], tuple[float, float]] | None = field(default=None, repr=False)
    effect: EffectSize | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.effect is not None:  # its numbers come from where the test's do
            object.__setattr__(self, "effect", self.effect.of(self))
        super().__post_init__()

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the estimate, one-sided where the alternative is.

        Parameters
        ----------
        level : float
            Between 0 and 1.

        Returns
        -------
        (float, float)
            From the same statistical model as the p-value: a two-sided interval at level 1 - α
            leaves out 0 (for a share of wins ½) if p < α.

        Raises
        ------
        InputError
            If the test has none, or the level is not a probability.

        See Also
        --------
        bayescmp.bayesian.CorrelatedPosterior.summary : A credible interval of the same difference.

        Examples
        --------
        Accuracy of a decision tree and of nearest neighbours in five folds (breast cancer, UCI):

        >>> import numpy as np
        >>> from bayescmp.frequentist import corrected_t
        >>> tree = np.array([0.886, 0.939, 0.939, 0.921, 0.947])
        >>> knn = np.array([0.930, 0.991, 0.956, 0.965, 0.982])
        >>> low, high = corrected_t(knn - tree, rho=1 / 5).confidence_interval(0.9)
        >>> round(low, 4), round(high, 4)
        (0.0193, 0.0575)
        """
        if self.interval is None:
            raise InputError(f"the {self.method} has no confidence interval")
        low, high = self.interval(checks.level(level))
        return float(low), float(high)

    def to_dict(self) -> dict[str, object]:
        """The result as plain numbers and text, for JSON.

        Examples
        --------
        >>> from bayescmp.frequentist import sign_test
        >>> sign_test(10, 2, 2).to_dict()["pvalue"]
        0.057373046875
        """
        estimate: object = self.estimate
        if isinstance(self.estimate, np.ndarray):
            size = len(self.estimate)
            labels = self.names if len(self.names) == size else range(size)
            estimate = {str(k): float(v) for k, v in zip(labels, self.estimate, strict=True)}
        finite = np.isfinite(self.statistic)
        return {
            "method": self.method,
            "statistic": float(self.statistic) if finite else None,  # JSON has no infinity
            "df": list(self.df) if isinstance(self.df, tuple) else self.df,
            "pvalue": None if np.isnan(self.pvalue) else self.pvalue,
            "alternative": self.alternative,
            "estimate": estimate,
            "names": list(self.names),
            "n": self.n,
            "notes": list(self.notes),
            **self.origin(),
            **({} if self.effect is None else {"effect": self.effect.to_dict()}),
        }

    def __str__(self) -> str:
        lines = [self._head, f"  {self.numbers}, {show_p(self.pvalue)}{self._side}"]
        if isinstance(self.estimate, float):
            lines.append(f"  estimate {self.estimate_text}")
        return folded("\n".join([*lines, *(f"  {note}" for note in self._all_notes)]))

    @property
    def _head(self) -> str:
        between = f": {' vs '.join(self.names)}" if len(self.names) == 2 else ""
        return f"{self.method}{between}{self.on_measured}"

    @property
    def _side(self) -> str:
        return "" if self.alternative == "two-sided" else f" ({self.alternative})"

    @property
    def _all_notes(self) -> list[str]:
        """With the mean ranks in a line, of tests that have them."""
        estimate, ranks = self.estimate, []
        if isinstance(estimate, np.ndarray) and len(self.names) == len(estimate):
            ranks = [of_ranks(self.names, estimate)]
        return [*ranks, *self.notes, *self.remarks]

    def explain(self, alpha: float = 0.05) -> str:
        """Plain sentences for a paper.

        Parameters
        ----------
        alpha : float
            Level of the test.

        Returns
        -------
        str
            What was tested, whether it is rejected, the size of the difference, and what a
            p-value does not say.

        See Also
        --------
        bayescmp.Verdict.explain : The same of a Bayesian verdict.

        Examples
        --------
        >>> from bayescmp.frequentist import corrected_t
        >>> text = corrected_t([0.02, 0.03, 0.01], rho=0.2).explain()
        >>> text.split(". ")[1]
        'At the level of 0.05 the hypothesis of no difference is not rejected, ...'
        """
        checks.level(alpha)
        null = _null(self)
        if np.isnan(self.pvalue):
            decision = f"There is no p-value: {null} is neither rejected nor retained"
        elif self.pvalue <= alpha:
            decision = f"At the level of {alpha:g} {null} is rejected"
        else:
            decision = (
                f"At the level of {alpha:g} {null} is not rejected, which does not show that it "
                "holds"
            )
        head = f"{self.method}{_of(self.names)}{self.on_measured}"
        texts = [f"{head}: {self.numbers}, {equals(self.pvalue)}", decision, *_sizes(self)]
        return " ".join([*map(as_sentence, texts), MEANS, *_notes(self)])

    @property
    def numbers(self) -> str:
        """The statistic with its degrees of freedom and n: "t = 2.1, df = 9, n = 10"."""
        df = f", df = {self._df_text}" if self.df is not None else ""
        return f"{self.symbol} = {significant(self.statistic, 5)}{df}, n = {self.n}"

    @property
    def _df_text(self) -> str:
        if isinstance(self.df, tuple):
            return f"{self.df[0]:g} and {self.df[1]:g}"
        return "" if self.df is None else f"{self.df:g}"

    @property
    def estimate_text(self) -> str:
        """The estimate with its interval: "0.02, 95 % interval 0.01 to 0.03"."""
        assert isinstance(self.estimate, float)  # mean ranks are shown in a line of their own
        if self.interval is None:
            return significant(self.estimate)
        low, high = self.confidence_interval(self._level)
        percent, ends = f"{100 * self._level:.0f} %", f"{significant(low)} to {significant(high)}"
        return f"{significant(self.estimate)}, {percent} interval {ends}"

    @property
    def _level(self) -> float:
        return 0.9 if self.alternative == "equivalence" else 0.95  # 1 - 2α of two one-sided tests

    def _exhibit(self) -> Exhibit:
        import pandas as pd

        row: dict[str, object] = {self.symbol: float(self.statistic)}
        if self.df is not None:
            row["df"] = self._df_text if isinstance(self.df, tuple) else self.df
        row |= {"n": self.n, "p": float(self.pvalue)}
        if isinstance(self.estimate, float):
            row["estimate"] = self.estimate
            if self.interval is not None:
                ends = self.confidence_interval(self._level)
                percent = f"{100 * self._level:.0f} %"
                row |= {f"{percent} low": ends[0], f"{percent} high": ends[1]}
        if self.effect is not None:
            row[self.effect.measure] = self.effect.estimate
        title = f"{self._head}{self._side}"
        return Exhibit(title, pd.DataFrame([row]), self._all_notes, "test")


def show_p(p: float, digits: int = 3) -> str:
    """A p-value as text: ``p = 0.0312``, ``p = 2.3e-09``, ``p < 1e-10``."""
    text = p_value(p, digits)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


# Which pairs of algorithms are compared, by their places.


def pairs_of(n_algorithms: int, control: int | None = None) -> np.ndarray:
    """The pairs that are compared, as (first, second).

    Parameters
    ----------
    n_algorithms : int
        L.
    control : int, optional
        The first of every pair; all pairs if not given.

    Returns
    -------
    ndarray of int, shape (m, 2)
        (0,1), (0,2), ..., (L-2,L-1), or (control, j) for all others j.
    """
    if control is None:
        return np.column_stack(np.triu_indices(n_algorithms, k=1))
    others = np.delete(np.arange(n_algorithms), control)
    return np.column_stack([np.full(len(others), control), others])


def index_of(control: str | int, algorithms: Sequence[str]) -> int:
    """Place of a control algorithm, given by name or by number.

    Parameters
    ----------
    control : str or int
    algorithms : sequence of str

    Returns
    -------
    int

    Raises
    ------
    InputError
    """
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


#: Comparisons that the text of a result lists.
SHOWN = 60
#: Columns of numbers that may be infinite.
_STATISTICS = ("statistic", "F", "distance")


class ComparedPairs(Exhibited, Described):
    """A table of pairs of algorithms with their p-values, whose fields its classes declare."""

    method: str
    adjust: str
    names: tuple[str, ...]
    pairs: np.ndarray
    statistic: np.ndarray
    pvalue: np.ndarray
    adjusted: np.ndarray
    control: str | None
    n: int
    notes: tuple[str, ...]

    def _columns(self) -> dict[str, np.ndarray]:
        """What is known of each pair beside its p-values."""
        raise NotImplementedError

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Tidy table, one row a comparison."""
        import pandas as pd

        names = np.array(self.names, dtype=object)
        columns = {
            "first": names[self.pairs[:, 0]],
            "second": names[self.pairs[:, 1]],
            **self._columns(),
            "pvalue": self.pvalue,
            "adjusted": self.adjusted,
        }
        return headed(pd.DataFrame(columns), self.measured)

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
        import pandas as pd

        checks.check_flags(raw=raw)
        table = np.full((len(self.names), len(self.names)), np.nan)
        np.fill_diagonal(table, 1.0)
        first, second = self.pairs.T
        table[first, second] = table[second, first] = self.pvalue if raw else self.adjusted
        return headed(pd.DataFrame(table, index=self.names, columns=self.names), self.measured)

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
        head = f"{self.method}{self.on_measured}, {against}, adjusted by {self.adjust}"
        return f"{head}, n = {self.n}"

    def _lines(self, names: Sequence[str], facts: Iterable[str]) -> list[str]:
        """A line a comparison: the two names, what is known of them, p-values."""
        width = max(map(len, names))
        lines = [
            f"  {names[i]:<{width}} → {names[j]:<{width}}  {fact}  {show_p(p):<12}  "
            f"adjusted {show_p(a)}"
            for (i, j), fact, p, a in islice(
                zip(self.pairs, facts, self.pvalue, self.adjusted, strict=True), SHOWN
            )
        ]
        more = len(self.pairs) - SHOWN
        return lines + ([f"  ... and {more} more: see .frame"] if more > 0 else [])

    def _records(self) -> list[Json]:
        """The rows for JSON, which has no infinity: statistics that are infinite are None."""
        rows = self.frame.to_dict(orient="records")
        return [
            {str(k): v if k not in _STATISTICS or np.isfinite(v) else None for k, v in row.items()}
            for row in rows
        ]


# Result of comparing pairs of algorithms: all of them, or each with a control.


#: Letters of a name that a line of the text has room for.
NAME = 16


@dataclass(frozen=True, eq=False)
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

    def _columns(self) -> dict[str, np.ndarray]:
        return {"difference": self.difference, "statistic": self.statistic}

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

    def __str__(self) -> str:
        numbers = zip(self.difference, self.statistic, strict=True)
        facts = (f"{d:>9.4g}  {self.symbol} = {z:>8.4g}" for d, z in numbers)
        notes = [f"  {note}" for note in (*self.notes, *self.remarks)]
        lines = self._lines(cut_all(self.names, NAME), facts)
        return folded("\n".join([self._title, *lines, *notes]))

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
        different = self.different(alpha)
        m, apart = len(different), int(different.sum())
        compared = "all pairs" if self.control is None else f"each algorithm and {self.control}"
        texts = [
            f"{self.method}{self.on_measured} of {compared} ({counted(m, 'comparison')} of "
            f"{counted(len(self.names), 'algorithm')}, n = {self.n}), {_level(self, alpha)}, "
            + (f"{apart} differ" if apart else "no pair differs"),
            *_listed_pairs(self, different),
        ]
        if apart < m:
            texts.append(
                f"{counted(m - apart, 'pair')} can't be told apart, which does not show that the "
                "algorithms are alike"
            )
        best = ", ".join(self.names[i] for i in self.order)
        texts.append(f"From best to worst by {self.measure}: {best}")
        return " ".join([*map(as_sentence, texts), MEANS, *_notes(self)])

    def _exhibit(self) -> Exhibit:
        table = self.frame.rename(columns={"statistic": self.symbol, "pvalue": "p"})
        bold = {"adjusted": list(self.different())}
        return Exhibit(self._title, table, (*self.notes, *self.remarks), "pairs", bold)
