"""Result of one test: frozen, numbers unrounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayescmp import checks
from bayescmp.errors import InputError
from bayescmp.exhibit import Exhibit, Exhibited
from bayescmp.frequentist.described import Described
from bayescmp.frequentist.sentences import of_ranks, of_test
from bayescmp.text import folded, p_value, significant

if TYPE_CHECKING:
    from bayescmp.frequentist.paired.effects import EffectSize

__all__ = ["TestResult", "show_p"]


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
            "pvalue": self.pvalue,
            "alternative": self.alternative,
            "estimate": estimate,
            "names": list(self.names),
            "n": self.n,
            "notes": list(self.notes),
            **self.origin(),
            **({} if self.effect is None else {"effect": self.effect.to_dict()}),
        }

    def __str__(self) -> str:
        head = self.method + (f": {' vs '.join(self.names)}" if len(self.names) == 2 else "")
        head += self.on_measured
        side = "" if self.alternative == "two-sided" else f" ({self.alternative})"
        lines = [head, f"  {self.numbers}, {show_p(self.pvalue)}{side}"]
        if isinstance(self.estimate, float):
            lines.append(f"  estimate {self.estimate_text}")
        lines += [f"  {note}" for note in self._ranks()]
        return folded("\n".join(lines + [f"  {note}" for note in (*self.notes, *self.remarks)]))

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
        return of_test(self, alpha)

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

    def _ranks(self) -> list[str]:
        """The mean ranks in a line, of tests that have them."""
        if not isinstance(self.estimate, np.ndarray) or len(self.names) != len(self.estimate):
            return []
        return [of_ranks(self.names, self.estimate)]

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
        between = f": {' vs '.join(self.names)}" if len(self.names) == 2 else ""
        side = "" if self.alternative == "two-sided" else f" ({self.alternative})"
        notes = [*self._ranks(), *self.notes, *self.remarks]
        title = f"{self.method}{between}{self.on_measured}{side}"
        return Exhibit(title, pd.DataFrame([row]), notes, "test")


def show_p(p: float, digits: int = 3) -> str:
    """A p-value as text: ``p = 0.0312``, ``p = 2.3e-09``, ``p < 1e-10``."""
    text = p_value(p, digits)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
