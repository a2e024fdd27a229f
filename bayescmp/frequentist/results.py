"""Results of tests: origin of numbers, one test, the size of an effect, compared pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must_be
from bayescmp.base.records import Record
from bayescmp.base.typing import as_facts
from bayescmp.errors import InputError, unknown_name
from bayescmp.present.forms import Summarised, explain
from bayescmp.present.groups import underline_groups
from bayescmp.present.summary import summarise
from bayescmp.results.ladder import maximal_cliques
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.differences import Differences
from bayescmp.scores.metrics import Direction, head_table
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.resampling import explain_rho
from bayescmp.wording.text import (
    adjusted_by,
    format_count,
    format_number,
    format_test_pvalue,
    join_items,
    sentence_of,
    state_pvalue,
)

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, eq=False, kw_only=True)
class DescribedResult(Record):
    """A result that knows which way its metrics are better, and how its folds were drawn.

    Attributes
    ----------
    directions : tuple of Direction
        Which way each metric is better; empty for plain numbers.
    resampling : str
        The correlation of folds and its reason; empty without folds.
    pairing : str
        How scores were found to belong together, or not: "paired by fold".
    left_out : LeftOut or None
        What was left out, if only common folds are compared.
    notes : tuple of str
        What the reader should know.
    cites : tuple of str
        Works that a paper cites for the test: keys of `bayescmp.wording.references.REFERENCES`.
    """

    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    pairing: str = ""
    left_out: LeftOut | None = None
    notes: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()

    @property
    def measured(self) -> str:
        """The metrics with their directions: "accuracy ↑", "tpr ↑, fpr ↓"; empty if not known."""
        return ", ".join(map(str, self.directions))

    @property
    def on_measured(self) -> str:
        """Metrics for a heading: " on accuracy ↑"; empty if not known."""
        return f" on {self.measured}" if self.directions else ""

    @property
    def all_notes(self) -> list[str]:
        """Notes and remarks for the reader."""
        return [*self.notes, *self.remarks]

    @property
    def remarks(self) -> list[str]:
        """Lines on the resampling and on what was left out, if any."""
        how = ", ".join(filter(None, (self.pairing, self.resampling)))
        return [line for line in (how, str(self.left_out or "")) if line]

    def described(self, *, folds: bool = True) -> dict[str, Any]:
        """Describe where the numbers come from; without `folds`, not their correlation."""
        return {
            "directions": self.directions,
            "pairing": self.pairing,
            "resampling": self.resampling if folds else "",
            "left_out": self.left_out,
        }

    def _tabulate(self, data: Any, index: Any = None, columns: Any = None) -> pd.DataFrame:
        """Make a table under the metrics' names, with their directions."""
        return head_table(pd.DataFrame(data, index=index, columns=columns), self.measured)

    def origin(self) -> dict[str, object]:
        """State where the numbers come from, in plain text for JSON."""
        return {
            "directions": [d.to_dict() for d in self.directions],
            "pairing": self.pairing,
            "resampling": self.resampling,
            "left_out": self.left_out.to_dict() if self.left_out else None,
        }

    def collect_facts(self, *names: str, **more: object) -> dict[str, object]:
        """Return attributes and `more` as JSON has them, with notes and origin."""
        return as_facts(self, *names, "notes", **more) | self.origin()

    def of(self, x: object, *, folds: bool = True, rho: float | None = None) -> Self:
        """Return the result with the origin of its numbers, as far as x records it.

        `x` is the tested data, or a result computed from them. `folds` is true if the correlation
        of folds enters the test; `rho` is the one used, if not x's own.
        """
        known: dict[str, Any] = {}
        if isinstance(x, DescribedResult | Differences | Blocks):
            known = x.described(folds=folds)
            known.pop("metric", None)
        if folds and rho is not None:
            known["resampling"] = explain_rho(np.array([rho]))
        return replace(self, **known)


#: Alternatives by a margin, with the place of the algorithm that is then not worse.
MARGIN = {"not worse": 1, "not better": 0}


def leading(names: Sequence[str]) -> str:
    """Name the algorithm, or the algorithms, in the first place."""
    return (
        f"{names[0]} comes first" if len(names) == 1 else f"{join_items(names)} share first place"
    )


def list_ranks(names: Sequence[str], ranks: np.ndarray) -> str:
    """List mean ranks, the best first: "svm 1.20, knn 1.80"."""
    return ", ".join(f"{names[i]} {ranks[i]:.3f}" for i in np.argsort(ranks, kind="stable"))


# Result of one test: frozen, numbers unrounded.
@dataclass(frozen=True, eq=False, repr=False)
class TestResult(Summarised, DescribedResult):
    """Result of one test.

    Attributes
    ----------
    method : str
        The test, in words.
    statistic : float
        Positive if the second algorithm is better, if the test has a side; ``symbol`` is its
        letter.
    pvalue : float
    df : float or (float, float) or None
        Degrees of freedom, if any.
    alternative : str
        "two-sided", "less", "greater", "equivalence", "not worse", "not better" or "increasing".
    estimate : float or ndarray or None
        A mean difference (second minus first), a share of wins; for rank tests the mean ranks (in
        the order of ``names``, 1 the best).
    standard_error : float or None
        Of the estimate.
    names : tuple of str
    n : int
        Observations: folds, data sets, or trials of a sign test.
    symbol : str
    notes : tuple of str
        Ties, zeros, how the p-value was computed.
    directions, resampling, left_out
        See `DescribedResult`.
    effect : EffectSize or None
        The effect size with its interval, if the test has one.
    """

    __test__: ClassVar[bool] = False  # pytest takes it for no test class

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
    interval: Callable[[float], tuple[float, float]] | None = field(default=None, repr=False)
    effect: EffectSize | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.effect is not None:  # its numbers have the test's origin
            object.__setattr__(self, "effect", self.effect.of(self))
        super().__post_init__()

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval of the estimate, one-sided where the alternative is.

        From the same model as the p-value: two-sided at 1 - α it excludes 0 (½ for a share) if p <
        α.

        It is refused if the test has none.
        """
        if self.interval is None:
            raise InputError(f"There is no confidence interval for the {self.method}.")
        return self.interval(checks.check_level(level))

    @property
    def frame(self) -> pd.DataFrame:
        """The numbers in one row.

        Columns: statistic, df, n, p; if any estimate, low and high (its confidence interval),
        effect (size).
        """
        row: dict[str, object] = {"statistic": float(self.statistic)}
        if self.df is not None:
            row["df"] = self.df_text if isinstance(self.df, tuple) else self.df
        row |= {"n": self.n, "p": float(self.pvalue)}
        if isinstance(self.estimate, float):
            row["estimate"] = self.estimate
            if self.interval is not None:
                row["low"], row["high"] = self.confidence_interval(self.level)
        if self.effect is not None:
            row["effect"] = self.effect.estimate
        return self._tabulate([row])

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain numbers and text, for JSON."""
        estimate: object = self.estimate
        if isinstance(self.estimate, np.ndarray):
            size = len(self.estimate)
            labels = self.names if len(self.names) == size else range(size)
            estimate = dict(zip(labels, self.estimate, strict=True))
        kept = ("method", "statistic", "df", "pvalue", "alternative", "names", "n")
        effect = {} if self.effect is None else {"effect": self.effect.to_dict()}
        return self.collect_facts(*kept, estimate=estimate) | effect

    def answer(self, alpha: float = 0.05) -> str:
        """State the significance at level alpha: "knn and svm: not significant at 0.05"."""
        who = " and ".join(self.names) if len(self.names) <= 2 else "All algorithms"
        who = who if self.names else sentence_of(self.method)
        if np.isnan(self.pvalue):
            return f"{who}: no p-value"
        rejected = self.pvalue <= checks.check_level(alpha, "alpha")
        yes, no = "significant", "not significant"
        if self.alternative == "equivalence":
            yes, no = "equivalent", "not shown to be equivalent"
        elif self.alternative in MARGIN:
            name = self.names[MARGIN[self.alternative]]
            yes, no = f"{name} not worse", f"{name} not shown to be not worse"
        return f"{who}: {yes if rejected else no} at {alpha:g} ({state_pvalue(self.pvalue)})"

    def __repr__(self) -> str:
        return f"<TestResult: {self.method}, {self.answer()}>"

    @property
    def heading(self) -> str:
        """Name the test, the two algorithms and the metric in one line."""
        between = f": {' vs '.join(self.names)}" if len(self.names) == 2 else ""
        return f"{sentence_of(self.method)}{between}{self.on_measured}"

    @property
    def side(self) -> str:
        """Name the alternative in brackets, if it is not two-sided."""
        if self.alternative in MARGIN:
            return f" ({self.names[MARGIN[self.alternative]]} not worse)"
        return "" if self.alternative == "two-sided" else f" ({self.alternative})"

    @property
    def lines(self) -> list[str]:
        """List the notes, with the mean ranks of tests that have them."""
        estimate, ranks = self.estimate, []
        if isinstance(estimate, np.ndarray) and len(self.names) == len(estimate):
            ranks = [f"mean ranks: {list_ranks(self.names, estimate)}"]
        return [*ranks, *self.all_notes]

    def explain(self, form: str = "short", *, alpha: float = 0.05) -> str:
        """Explain the result in sentences.

        They state what was tested, whether it is rejected, the size of the difference, and what a
        p-value is not.

        Parameters
        ----------
        form : {"short", "paper"}
            A few sentences; or a results paragraph, a methods paragraph, and BibTeX entries.
        alpha : float
            Level of the test.
        """
        return explain(summarise(self, alpha=alpha), form)

    @property
    def numbers(self) -> str:
        """Write the statistic with its degrees of freedom and n: "t = 2.1, df = 9, n = 10"."""
        df = f", df = {self.df_text}" if self.df is not None else ""
        return f"{self.symbol} = {format_number(self.statistic, 5)}{df}, n = {self.n}"

    @property
    def df_text(self) -> str:
        """Write the degrees of freedom."""
        if isinstance(self.df, tuple):
            return f"{self.df[0]:g} and {self.df[1]:g}"
        return "" if self.df is None else f"{self.df:g}"

    @property
    def level(self) -> float:
        """The level of the confidence interval that is printed."""
        one_sided = self.alternative in ("equivalence", *MARGIN)
        return 0.9 if one_sided else 0.95  # 1 - 2α of one-sided tests against a bound of the ROPE


#: Level at which tables show differences, if none is named.
LEVEL = 0.05


def corrected_for(rho: float) -> str:
    """State in a title that a test is corrected for overlapping folds, if it is."""
    return f", corrected for rho = {rho:.4g}" if rho else ""


def show_p(p: float) -> str:
    """Write a p-value: ``p = 0.0312``, ``p = 2.3e-09``, ``p < 1e-10``."""
    text = format_test_pvalue(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


# Effect sizes with intervals: Cohen's d, rank-biserial correlation, Cliff's delta.
@dataclass(frozen=True, eq=False, repr=False)
class EffectSize(Summarised, DescribedResult):
    """The size of an effect, free of units.

    Attributes
    ----------
    measure : str
    estimate : float
        For two algorithms, positive if the second is better.
    n : int
        Observations.
    names : tuple of str
        The two algorithms; empty for a measure of several.
    notes : tuple of str
    directions, resampling, left_out
        See `DescribedResult`.
    """

    measure: str
    estimate: float
    n: int
    interval: Callable[[float], tuple[float, float]] = field(repr=False)
    names: tuple[str, ...] = ()

    def of(self, x: object, *, folds: bool = True, rho: float | None = None) -> Self:
        """Return the result with what x knows, including the names of two algorithms."""
        names = getattr(x, "names", ())
        named = replace(self, names=tuple(names)) if self.names and len(names) == 2 else self
        return super(EffectSize, named).of(x, folds=folds, rho=rho)

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return a two-sided confidence interval of the effect, at a level between 0 and 1."""
        return self.interval(checks.check_level(level))

    @property
    def frame(self) -> pd.DataFrame:
        """The estimate, the bounds low and high of its 95% confidence interval, and n."""
        low, high = self.confidence_interval()
        return self._tabulate([{"estimate": self.estimate, "low": low, "high": high, "n": self.n}])

    def answer(self) -> str:
        """State in a line which algorithm is ahead by the 95% interval, or else the measure."""
        low, high = self.confidence_interval()
        if not self.names:
            return sentence_of(self.measure)
        first, second = self.names
        if low <= 0 <= high:
            return f"{first} and {second}: undecided which one is ahead"
        return f"{second} is ahead of {first}" if low > 0 else f"{first} is ahead of {second}"

    def to_dict(self) -> dict[str, object]:
        """Return the effect as plain numbers and text, for JSON."""
        return self.collect_facts("measure", "estimate", "n", interval=self.confidence_interval())


# Which pairs of algorithms are compared, by their places.
def pairs_of(n_algorithms: int, control: int | None = None) -> np.ndarray:
    """Return the pairs that are compared, as (first, second)."""
    if control is None:
        return np.column_stack(np.triu_indices(n_algorithms, k=1))
    others = np.delete(np.arange(n_algorithms), control)
    return np.column_stack([np.full(len(others), control), others])


def index_of(control: str | int, algorithms: Sequence[str]) -> int:
    """Return the place of a control algorithm, given by name or by number."""
    if isinstance(control, int | np.integer) and not isinstance(control, bool):
        if not 0 <= control < len(algorithms):
            raise must_be("control", f"a column, 0 to {len(algorithms) - 1}, or a name", control)
        return int(control)
    if str(control) not in algorithms:
        raise unknown_name("control", control, algorithms)
    return list(algorithms).index(str(control))


# The table of compared pairs, and the groups of algorithms that do not differ significantly.


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedPairs(Summarised, DescribedResult):
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
        """Tidy table, one row per comparison."""
        names = np.array(self.names, dtype=object)
        columns = {
            "first": names[self.pairs[:, 0]],
            "second": names[self.pairs[:, 1]],
            **{head: getattr(self, name) for head, name in self.columns.items()},
            "pvalue": self.pvalue,
            "adjusted": self.adjusted,
        }
        return self._tabulate(columns)

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the algorithms in the order in which groups list them."""
        return tuple(range(len(self.names)))

    def matrix(self, *, raw: bool = False) -> pd.DataFrame:
        """Return the p-values, adjusted unless ``raw``, as an (L, L) matrix with diagonal 1."""
        checks.check_flags(raw=raw)
        table = np.full((len(self.names), len(self.names)), np.nan)
        np.fill_diagonal(table, 1.0)
        first, second = self.pairs.T
        table[first, second] = table[second, first] = self.pvalue if raw else self.adjusted
        return self._tabulate(table, self.names, self.names)

    def different(self, alpha: float = 0.05) -> np.ndarray:
        """Return which comparisons are significant at family-wise level alpha, shape (m,)."""
        return np.asarray(self.adjusted <= checks.check_level(alpha, "alpha"))

    def cliques(self, alpha: float = 0.05) -> tuple[tuple[str, ...], ...]:
        """Return the maximal groups of at least two algorithms that were not found different.

        Members are in order, those of one metric best first. Groups may overlap, and need not be
        neighbours; algorithms that differ from all others are in none. Against a control there is
        one group, the control's. alpha is the family-wise level.
        """
        order = self.order
        return tuple(tuple(self.names[order[i]] for i in g) for g in self._groups(alpha))

    def _groups(self, alpha: float) -> tuple[tuple[int, ...], ...]:
        """Return the cliques as places in the order."""
        place = np.argsort(self.order)
        same = place[self.pairs[~self.different(alpha)]]
        if self.control is not None:
            members = np.unique(same)
            return (tuple(int(i) for i in members),) if len(members) else ()
        alike = np.zeros((len(place), len(place)), dtype=bool)
        alike[same[:, 0], same[:, 1]] = alike[same[:, 1], same[:, 0]] = True
        return maximal_cliques(alike)

    @property
    def heading(self) -> str:
        """Name the test, the pairs, the adjustment and n in one line."""
        against = "all pairs" if self.control is None else f"against {self.control}"
        method = sentence_of(self.method)
        head = f"{method}{self.on_measured}, {against}, {adjusted_by(self.adjust)}"
        return f"{head}, n = {self.n}"


# Result of comparing pairs of algorithms: all of them, or each with a control.


@dataclass(frozen=True, eq=False, kw_only=True)
class PosthocResult(ComparedPairs):
    """Comparisons of pairs of algorithms, with raw and adjusted p-values.

    Attributes
    ----------
    method, adjust : str
        The test, in words, and how p-values were adjusted.
    names : tuple of str, length L
    pairs : ndarray of int, shape (m, 2)
        First and second algorithm of each comparison.
    difference : ndarray of shape (m,)
        Positive if the second is better: its mean minus the first's, or, for ranks, the first's
        mean rank minus the second's.
    statistic, pvalue, adjusted : ndarray of shape (m,)
    centres : ndarray of shape (L,)
        What the algorithms are ordered by, the ``measure``: mean ranks, means, data sets won.
    measure : str
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
        See `DescribedResult`.
    """

    centres: np.ndarray
    measure: str = "mean rank"
    low_is_best: bool = True
    standard_error: float | np.ndarray | None = None
    symbol: str = "z"
    critical: Callable[[float], float] | None = field(default=None, repr=False)
    intervals: bool = field(default=False, repr=False)

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the algorithms from best to worst."""
        keys = self.centres if self.low_is_best else -self.centres
        return tuple(int(i) for i in np.argsort(keys, kind="stable"))

    def better(self, alpha: float = 0.05) -> np.ndarray:
        """Return whether rows are significantly better than columns, shape (L, L)."""
        better = np.zeros((len(self.names), len(self.names)), dtype=bool)
        differs = self.different(alpha)
        (first, second), gain = self.pairs[differs].T, self.difference[differs]
        better[second, first], better[first, second] = gain > 0, gain < 0
        return better

    def underline(self, alpha: float = 0.05, *, digits: int = 3) -> str:
        """Write the algorithms from best to worst, those not found different underlined together.

        A line has a gap where an algorithm is not in the group. alpha is the family-wise level,
        digits are the centres' decimals.

        Examples
        --------
        >>> from bayescmp.frequentist import tukey
        >>> x = [[0.886, 0.939, 0.939, 0.921, 0.947], [0.921, 0.965, 0.912, 0.939, 0.956],
        ...      [0.930, 0.991, 0.956, 0.965, 0.982]]
        >>> print(tukey(x, names=["tree", "bayes", "knn"]).underline())
        knn    bayes  tree
        0.965  0.939  0.926
               ────────────
        """
        ordered = [self.names[i] for i in self.order]
        places = checks.check_whole("digits", digits, 0)
        values = [f"{self.centres[i]:.{places}f}" for i in self.order]
        return underline_groups(ordered, values, self._groups(alpha))

    def critical_difference(self, alpha: float = 0.05) -> float | None:
        """Return the smallest difference of centres significant at family-wise level alpha.

        None if pairs differ in their standard errors, and for step-wise procedures.
        """
        if self.critical is None:
            return None
        critical = self.critical(checks.check_level(alpha, "alpha"))
        margins = np.unique(critical * np.asarray(self.standard_error))
        return float(margins[0]) if len(margins) == 1 else None

    def confidence_interval(self, level: float = 0.95) -> pd.DataFrame:
        """Return simultaneous confidence intervals of the differences.

        All of them contain the true differences with confidence level. Columns: first, second,
        difference, low, high.

        Refused for ranks, whose null distribution gives no intervals, and for step-wise
        procedures.
        """
        if self.critical is None or not self.intervals:
            raise InputError(
                f"There are no simultaneous confidence intervals for {self.method} with "
                f"{arg('adjust', self.adjust)}. Use tukey, or pairwise_t with "
                f"{arg('adjust', 'bonferroni')} or 'none'."
            )
        half = self.critical(1 - checks.check_level(level)) * np.asarray(self.standard_error)
        return self.frame[["first", "second", "difference"]].assign(
            low=self.difference - half, high=self.difference + half
        )

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain numbers and text, for JSON."""
        centres = dict(zip(self.names, map(float, self.centres), strict=True))
        kept = ("method", "adjust", "control", "measure", "n")
        return self.collect_facts(*kept, centres=centres, comparisons=self.frame)

    def __repr__(self) -> str:
        return f"<PosthocResult: {self.method}, {self.answer()}>"

    def answer(self, alpha: float = 0.05) -> str:
        """State how many pairs differ at family-wise level alpha, and the leading algorithm."""
        apart, all_of_them = int(self.different(alpha).sum()), len(self.pvalue)
        differing = f"{apart} of {format_count(all_of_them, 'pair')} differ{'s' * (apart == 1)}"
        none = f"no pair of {all_of_them} differs"
        ahead = np.isclose(self.centres, self.centres[self.order[0]], rtol=1e-12, atol=1e-12)
        first = leading([self.names[i] for i in self.order if ahead[i]])
        if self.control is None:
            return f"{first}; {differing if apart else none} at {alpha:g}"
        others = f"{apart or 'None'} of {all_of_them} others differ{'s' * (apart < 2)}"
        return f"{others} from {self.control} at {alpha:g}; {first}"

    def explain(self, form: str = "short", *, alpha: float = 0.05) -> str:
        """Explain the result in sentences.

        They state which pairs differ, the order of the algorithms, and what a p-value is not.

        `form` is as for `TestResult.explain`, alpha the family-wise level.
        """
        return explain(summarise(self, alpha=alpha), form)
