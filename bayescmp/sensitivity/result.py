"""The result of a sensitivity analysis: one tidy table, a picture, a paragraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import _html
from bayescmp.metrics import headed
from bayescmp.planning.deciding import of_probabilities
from bayescmp.text import as_shown, counted, listed, probability
from bayescmp.verdict import Verdict, check_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescmp.typing import Variation

__all__ = ["QUESTIONS", "Sensitivity", "tabulated"]

#: What is varied, and what a paragraph calls it.
QUESTIONS = {
    "prior": "the prior",
    "model": "the model",
    "rho": "the correlation of folds",
    "rope": "the rope",
    "without": "single data sets left out",
    "runs": "single runs left out",
    "threshold": "the threshold",
}
#: What a row of these questions leaves out.
LEFT_OUT = {"without": "data sets", "runs": "runs"}


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """A verdict, and how it changes under other assumptions.

    Attributes
    ----------
    frame : DataFrame
        The fit itself, then one row per variation: question ("fit", "prior", "model", "rho",
        "rope", "without", "runs", "threshold"), setting in words, p_left, p_rope, p_right (those
        that decide; with several metrics p_equivalent, p_first, p_second, p_trade_off), decision,
        change (the largest change of a probability), changes (whether the decision is another).
    verdict : Verdict
        The one that is varied.
    fixed : mapping of str to str
        Questions that the test can't be asked, and why.
    """

    frame: pd.DataFrame
    verdict: Verdict
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether the decision is the same under every variation."""
        return not bool(self.frame["changes"].any())

    def explain(self) -> str:
        """One paragraph: under what the decision holds, and what changes it.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
        >>> post = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
        >>> post.sensitivity().explain().split(":")[0]
        'Sensitivity of the decision "second is practically better"'
        """
        held, changed = [], []
        for question, words in QUESTIONS.items():
            rows = self.frame[self.frame["question"] == question]
            if not len(rows):
                continue
            other = rows[rows["changes"]]
            if other.empty:
                held.append(f"{words} ({_settings(rows)})")
            else:
                changed.append(f"{words} ({_outcomes(other)})")
        decision = self.fitted["decision"]
        outcome = self._outcome(decision)
        parts = [f'Sensitivity of the decision "{outcome}"{self._on_measured}:']
        if held:
            parts.append(f"it holds under every change of {listed(held)}.")
        if changed:
            parts.append(f"{'It' if held else 'it'} changes with {listed(changed)}.")
        return " ".join(part for part in (*parts, self._largest(), self._not_varied()) if part)

    def _not_varied(self) -> str:
        """What the test can't vary, and why."""
        why = [f"{QUESTIONS[question]} ({reason})" for question, reason in self.fixed.items()]
        return f"Not varied: {listed(why)}." if why else ""

    def brief(self) -> str:
        """One clause: under what the decision holds, and what changes it first.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
        >>> post = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
        >>> post.sensitivity(datasets=False).brief()
        '"second is practically better" holds under every change of ... and the threshold'
        """
        held, changed = [], []
        for question, words in QUESTIONS.items():
            rows = self.frame[self.frame["question"] == question]
            other = rows[rows["changes"]]
            if len(other):
                first = other.iloc[0]
                changed.append(f"{words} ({first['setting']}: {self._outcome(first['decision'])})")
            elif len(rows):
                held.append(words)
        decision = self.fitted["decision"]
        undecided = decision not in self.verdict.shape.decisions.values()
        own = decision if undecided else f'"{self._outcome(decision)}"'
        always = f" under every change of {listed(held)}" if held else ""
        holds = f"{own}{' holds' if held and not undecided else ''}{always}"
        return f"{holds}; it changes with {listed(changed)}" if changed else holds

    def _outcome(self, decision: str) -> str:
        """What was decided, by the algorithms' names; "undecided" and "borderline" as they are."""
        shape = self.verdict.shape
        region = next((r for r, d in shape.decisions.items() if d == decision), None)
        if region is None:
            return decision
        first, second = self.verdict.names
        return shape.outcomes[region].format(first=first, second=second)

    def _largest(self) -> str:
        """The data set, or the run, whose absence changes the verdict most."""
        rows = self.frame[self.frame["question"].isin(LEFT_OUT)].reset_index(drop=True)
        if rows.empty:
            return ""
        row = rows.iloc[int(rows["change"].argmax())]
        region = self.verdict.shape.regions[int(np.argmax(self._moves(row)))]
        was, now = (probability(r[f"p_{region}"]) for r in (self.fitted, row))
        return (
            f"Of all {LEFT_OUT[row['question']]} {row['setting']} matters most: without it the "
            f'probability of "{self.verdict.label(region)}" is {now} instead of {was}.'
        )

    @property
    def fitted(self) -> pd.Series:
        """The row of the fit itself."""
        return self.frame.iloc[0]

    def _moves(self, row: pd.Series) -> np.ndarray:
        columns = [f"p_{r}" for r in self.verdict.shape.regions]
        own, other = (r[columns].to_numpy(dtype=float) for r in (self.fitted, row))
        return np.asarray(np.abs(other - own))

    def plot(self, *, ax: Axes | None = None, **options: object) -> Axes:
        """One strip per question, one stacked bar per setting; a dot where the decision changes.

        Examples
        --------
        >>> import bayescmp as bc
        >>> x = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05], [0.04, 0.05, 0.04]]
        >>> post = bc.bayesian.hierarchical_t(x, rho=0.3, rope=0.01, engine="quadrature")
        >>> ax = post.sensitivity().plot()

        See Also
        --------
        bayescmp.plots.plot_sensitivity : What draws it.
        """
        from bayescmp.plots import plot_sensitivity

        return plot_sensitivity(self, ax=ax, **options)

    def figure_size(self) -> tuple[float, float]:
        """Width and height, in inches, of the figure that `plot` needs.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
        >>> posterior.sensitivity().figure_size()[0] > 0
        True

        See Also
        --------
        bayescmp.plots.plot_sensitivity
        """
        from bayescmp.plots.sensitivity import figure_size

        return figure_size(self)

    def shown(self) -> pd.DataFrame:
        """The table as it is printed: what changes the decision is marked.

        Examples
        --------
        >>> import bayescmp as bc
        >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
        >>> posterior.sensitivity().shown().columns[-1]
        'changes'

        See Also
        --------
        bayescmp.sensitivity.Sensitivity : What the columns are.
        """
        shown = self.frame.drop(columns="change")
        shown["changes"] = np.where(self.frame["changes"], "changes", "")
        return shown

    def __str__(self) -> str:
        return f"{self._title}\n{as_shown(self.shown(), index=False)}\n\n{self.explain()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html.titled(self._title, _html.escape(self.explain()), _html.table(self.shown()))

    @property
    def _title(self) -> str:
        first, second = self.verdict.names
        return f"Sensitivity: {first} (left) vs {second} (right){self._on_measured}"

    @property
    def _on_measured(self) -> str:
        return f" on {self.verdict.measured}" if self.verdict.measured else ""


def tabulated(
    rows: Sequence[Variation],
    verdict: Verdict,
    thresholds: Sequence[float],
    fixed: Mapping[str, str] = {},
) -> Sensitivity:
    """The result, from the fit's row first, the variations', and other thresholds.

    Parameters
    ----------
    rows : sequence of (str, str, ndarray)
        Question, setting, and the probabilities of the regions.
    verdict : Verdict
        The one that is varied.
    thresholds : sequence of float
        Probabilities at which a region is decided for.
    fixed : mapping of str to str
        Questions that the test can't be asked, and why.
    """
    import pandas as pd

    p, shape = rows[0][2], verdict.shape
    each = [(*row, verdict.threshold) for row in rows]
    each += [("threshold", f"{t:g}", p, check_threshold(t)) for t in thresholds]
    decided = of_probabilities(p, verdict.threshold, shape)
    columns = [f"p_{r}" for r in shape.regions]
    table = []
    for question, setting, other, at in each:
        decision = of_probabilities(other, at, shape)
        table.append(
            {
                "question": question,
                "setting": setting,
                **dict(zip(columns, map(float, other), strict=True)),
                "decision": decision,
                "change": float(np.abs(other - p).max()),
                "changes": decision != decided,
            }
        )
    return Sensitivity(headed(pd.DataFrame(table), verdict.measured), verdict, fixed)


def _settings(rows: pd.DataFrame) -> str:
    """Settings in words; of many only how many."""
    settings = list(rows["setting"])
    return listed(settings) if len(settings) <= 4 else f"each of {len(settings)}"


def _outcomes(rows: pd.DataFrame) -> str:
    """What decides otherwise, and how; of many the first."""
    shown = [f"{r.setting}: {r.decision}" for r in rows.head(3).itertuples()]
    more = len(rows) - len(shown)
    return "; ".join(shown) + (f"; and {counted(more, 'other')}" if more else "")
