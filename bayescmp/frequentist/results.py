"""What tests answer: where numbers come from, the result of one test, the size of an effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.deferred import Sealed
from bayescmp.base.typing import as_facts
from bayescmp.errors import InputError
from bayescmp.scores.blocks import Blocks
from bayescmp.scores.differences import Differences
from bayescmp.scores.metrics import Direction, head_table
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.resampling import explain_rho
from bayescmp.wording.markup import Exhibit, Tabled, Told
from bayescmp.wording.text import (
    FORMS,
    as_sentence,
    beside,
    counted,
    equals,
    folded,
    line_width,
    listed,
    p_value,
    significant,
)

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, eq=False, kw_only=True)
class Described(Sealed):
    """Whatever knows which way its metrics are better, and how its folds were drawn.

    Attributes
    ----------
    directions : tuple of Direction
        Which way each metric is better; empty for plain numbers.
    resampling : str
        The correlation of folds and its reason; empty where no folds enter.
    left_out : LeftOut or None
        What had no partner, where only common folds are compared.
    notes : tuple of str
        What the reader should know.
    """

    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    left_out: LeftOut | None = None
    notes: tuple[str, ...] = ()

    @property
    def measured(self) -> str:
        """The metrics with their directions: "accuracy ↑", "tpr ↑, fpr ↓"; "" if not known."""
        return ", ".join(map(str, self.directions))

    @property
    def on_measured(self) -> str:
        """For a heading: " on accuracy ↑"; "" if not known."""
        return f" on {self.measured}" if self.directions else ""

    @property
    def all_notes(self) -> list[str]:
        """What the reader should know, and the remarks."""
        return [*self.notes, *self.remarks]

    @property
    def remarks(self) -> list[str]:
        """Lines on the resampling and on what was left out, where there is something to say."""
        return [line for line in (self.resampling, str(self.left_out or "")) if line]

    def described(self, *, folds: bool = True) -> dict[str, Any]:
        """What a result keeps, as in `Differences.described`.

        Parameters
        ----------
        folds : bool
            Whether the folds enter the result, and so their correlation.

        Examples
        --------
        >>> from bayescmp.frequentist import corrected_t
        >>> corrected_t([0.02, 0.03, 0.01], rho=0.2).described()["resampling"]
        'rho 0.2: as given'
        """
        return {
            "directions": self.directions,
            "resampling": self.resampling if folds else "",
            "left_out": self.left_out,
        }

    def tabulate(self, data: object, index: object = None, columns: object = None) -> pd.DataFrame:
        """A table under the metrics' names, with their directions."""
        return head_table(pd.DataFrame(data, index=index, columns=columns), self.measured)

    def origin(self) -> dict[str, object]:
        """The same as plain text, for JSON."""
        return {
            "directions": [d.to_dict() for d in self.directions],
            "resampling": self.resampling,
            "left_out": self.left_out.to_dict() if self.left_out else None,
        }

    def collect_facts(self, *names: str, **more: object) -> dict[str, object]:
        """Attributes and what else is told, as JSON has them, with notes and origin."""
        return as_facts(self, *names, "notes", **more) | self.origin()

    def of(self, x: object, *, folds: bool = True, rho: float | None = None) -> Self:
        """The same with what x knows of where its numbers come from.

        Parameters
        ----------
        x : object
            What was tested: Differences, Blocks, or what was read from them; plain numbers have no
            direction.
        folds : bool
            Whether the correlation of folds enters the test.
        rho : float, optional
            The correlation that was used, where it is not x's own.
        """
        known: dict[str, Any] = {}
        if isinstance(x, Described | Differences | Blocks):
            known = x.described(folds=folds)
            known.pop("metric", None)
        if folds and rho is not None:
            known["resampling"] = explain_rho(np.array([rho]))
        return replace(self, **known)


#: What a p-value is, once in each text.
MEANS = (
    "A p-value is the probability of data at least this far from the null hypothesis if it holds, "
    "not the probability that it holds."
)


def tell(
    form: str, short: Sequence[str], head: str, paper: Sequence[str], notes: Sequence[str]
) -> str:
    """A test in sentences, in one of `FORMS`; "full" says what "paper" does."""
    texts = {"short": short, "methods": [f"Method: {head}", *notes]}
    chosen = texts.get(checks.choice("form", form, FORMS), [*paper, MEANS, *notes])
    return " ".join(map(as_sentence, chosen))


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
    return texts + ([] if result.effect is None else [result.effect.numbers])


def leading(names: Sequence[str]) -> str:
    """Say who comes first, or who share that place."""
    return f"{names[0]} comes first" if len(names) == 1 else f"{listed(names)} share first place"


def of_ranks(names: Sequence[str], ranks: np.ndarray) -> str:
    """Mean ranks, the best first: "mean ranks: svm 1.20, knn 1.80"."""
    shown = [f"{names[i]} {ranks[i]:.3f}" for i in np.argsort(ranks, kind="stable")]
    return f"mean ranks: {', '.join(shown)}"


# Result of one test: frozen, numbers unrounded.
@dataclass(frozen=True, eq=False, repr=False)
class TestResult(Tabled, Described):
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
        """The result as plain numbers and text, for JSON."""
        estimate: object = self.estimate
        if isinstance(self.estimate, np.ndarray):
            size = len(self.estimate)
            labels = self.names if len(self.names) == size else range(size)
            estimate = dict(zip(labels, self.estimate, strict=True))
        kept = ("method", "statistic", "df", "pvalue", "alternative", "names", "n")
        effect = {} if self.effect is None else {"effect": self.effect.to_dict()}
        return self.collect_facts(*kept, estimate=estimate) | effect

    def answer(self, alpha: float = 0.05) -> str:
        """Whether it is significant, in a line: "knn and svm: not significant at 0.05".

        Parameters
        ----------
        alpha : float
            Level of the test.
        """
        who = " and ".join(self.names) if len(self.names) == 2 else "all together"
        who = who if self.names else self.method
        if np.isnan(self.pvalue):
            return f"{who}: no p-value"
        rejected = self.pvalue <= checks.level(alpha, "alpha")
        yes, no = "significant", "not significant"
        if self.alternative == "equivalence":
            yes, no = "equivalent", "not shown to be equivalent"
        return f"{who}: {yes if rejected else no} at {alpha:g} ({equals(self.pvalue)})"

    def __repr__(self) -> str:
        return f"<TestResult: {self.method}, {self.answer()}>"

    def __str__(self) -> str:
        head = beside(self.answer(), f"{self.method}{self.on_measured}", line_width())
        lines = [head, "", f"  {self.numbers}, {show_p(self.pvalue)}{self._side}"]
        if isinstance(self.estimate, float):
            lines.append(f"  estimate {self.estimate_text}")
        return folded("\n".join([*lines, *(f"  {note}" for note in self._lines)]))

    @property
    def _head(self) -> str:
        between = f": {' vs '.join(self.names)}" if len(self.names) == 2 else ""
        return f"{self.method}{between}{self.on_measured}"

    @property
    def _side(self) -> str:
        return "" if self.alternative == "two-sided" else f" ({self.alternative})"

    @property
    def _lines(self) -> list[str]:
        """With the mean ranks in a line, of tests that have them."""
        estimate, ranks = self.estimate, []
        if isinstance(estimate, np.ndarray) and len(self.names) == len(estimate):
            ranks = [of_ranks(self.names, estimate)]
        return [*ranks, *self.all_notes]

    def explain(self, form: str = "short", *, alpha: float = 0.05) -> str:
        """The result in sentences.

        Parameters
        ----------
        form : {"short", "paper", "methods", "full"}
            "short" says whether it is significant, and the size of the difference; "methods" names
            the test; "paper" and "full" have all of it.
        alpha : float
            Level of the test.

        Returns
        -------
        str
            What was tested, whether it is rejected, the size of the difference, and what a
            p-value does not say.
        """
        checks.level(alpha, "alpha")
        null, sizes = _null(self), _sizes(self)
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
        paper = [f"{head}: {self.numbers}, {equals(self.pvalue)}", decision, *sizes]
        return tell(form, [self.answer(alpha), *sizes], self._head, paper, self.all_notes)

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

    def _paper(self) -> Exhibit:
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
        return Exhibit(title, pd.DataFrame([row]), self._lines, "test")

    def _exhibit(self) -> Exhibit:
        test = f"{self.method}{self._side}{self.on_measured}"
        return replace(self._paper(), title=self.answer(), setting=test)


#: Level at which tables say what differs, where none is named.
LEVEL = 0.05


def corrected_for(rho: float) -> str:
    """Say in a title that a test is corrected for overlapping folds, if it is."""
    return f", corrected for rho = {rho:.4g}" if rho else ""


def show_p(p: float) -> str:
    """A p-value as text: ``p = 0.0312``, ``p = 2.3e-09``, ``p < 1e-10``."""
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


# Effect sizes with intervals: Cohen's d, rank-biserial correlation, Cliff's delta.
@dataclass(frozen=True, eq=False, repr=False)
class EffectSize(Tabled, Described):
    """The size of a difference, free of units.

    Attributes
    ----------
    measure : str
        Which one.
    estimate : float
        Of two algorithms positive where the second is better.
    n : int
        Observations.
    names : tuple of str
        The two algorithms; empty for a measure of several.
    notes : tuple of str
    directions, resampling, left_out
        Where the numbers come from; see `Described`.
    """

    measure: str
    estimate: float
    n: int
    interval: Callable[[float], tuple[float, float]] = field(repr=False)
    names: tuple[str, ...] = ()

    def of(self, x: object, *, folds: bool = True, rho: float | None = None) -> Self:
        """The same with what x knows, the names of two algorithms among it."""
        names = getattr(x, "names", ())
        named = replace(self, names=tuple(names)) if self.names and len(names) == 2 else self
        return super(EffectSize, named).of(x, folds=folds, rho=rho)

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Two-sided confidence interval of the effect.

        Parameters
        ----------
        level : float
            Between 0 and 1.

        Raises
        ------
        InputError
            If the level is not a probability.

        Examples
        --------
        >>> from bayescmp.frequentist import cohens_d
        >>> low, high = cohens_d([0.02, 0.01, 0.03, 0.02, 0.04]).confidence_interval(0.9)
        >>> round(low, 2), round(high, 2)
        (0.65, 3.43)
        """
        low, high = self.interval(checks.level(level))
        return float(low), float(high)

    def answer(self) -> str:
        """Which of two algorithms is ahead, by the 95 % interval, in a line; else the measure."""
        low, high = self.confidence_interval()
        if not self.names:
            return self.measure
        first, second = self.names
        if low <= 0 <= high:
            return f"open whether {first} or {second} is ahead"
        return f"{second} is ahead of {first}" if low > 0 else f"{first} is ahead of {second}"

    @property
    def numbers(self) -> str:
        """The size with its interval: "Cohen's d 1.6, 95 % interval 0.4 to 2.7, n = 10"."""
        return f"{self.measure}{self.on_measured} {self._size}"

    @property
    def _size(self) -> str:
        low, high = map(significant, self.confidence_interval())
        return f"{significant(self.estimate)}, 95 % interval {low} to {high}, n = {self.n}"

    def __str__(self) -> str:
        head = [self.numbers]
        if self.names:
            measured = f"{self.measure}{self.on_measured}"
            head = [beside(self.answer(), measured, line_width()), "", f"  {self._size}"]
        return "\n".join([*head, *(folded(f"  {note}") for note in self.all_notes)])

    def to_dict(self) -> dict[str, object]:
        """The effect as plain numbers and text, for JSON."""
        return self.collect_facts("measure", "estimate", "n", interval=self.confidence_interval())

    def _exhibit(self) -> Exhibit:
        low, high = self.confidence_interval()
        row = {"estimate": self.estimate, "95 % low": low, "95 % high": high, "n": self.n}
        measured = f"{self.measure}{self.on_measured}"
        shown = Exhibit(measured, pd.DataFrame([row]), self.all_notes, "effect")
        return replace(shown, title=self.answer(), setting=measured) if self.names else shown

    def _told(self) -> Told:
        short = [self.numbers]
        if self.names:
            short = [self.answer(), *short, f"Positive values favour {self.names[1]}"]
        return Told(short, methods=[f"Effect size: {self.measure}", *self.all_notes])
