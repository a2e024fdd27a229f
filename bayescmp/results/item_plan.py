"""The result of planning a benchmark: what questions and epochs decide, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri

from bayescmp.base import checks
from bayescmp.base.deferred import Sealed
from bayescmp.errors import InputError
from bayescmp.results.plan import DECISIONS
from bayescmp.wording.markup import Exhibit, Exhibited, Explained, Told
from bayescmp.wording.text import counted, probability

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import Json
    from bayescmp.scores.rope import Rope


class Benchmark(NamedTuple):
    """What makes two models' mean difference vary.

    Attributes
    ----------
    difference : float
        The mean difference, second minus first, true or expected.
    between : float
        σ²_b, variance of the questions' true differences.
    within : float
        σ²_w, variance of a question's difference over single answers of both models.
    """

    difference: float
    between: float
    within: float

    def variance(self, questions: float, epochs: float) -> float:
        """Of the mean difference: (σ²_b + σ²_w/k)/n."""
        return (self.between + self.within / epochs) / questions


class ItemDesign(NamedTuple):
    """A number of questions and of epochs, and what they cost."""

    questions: int
    epochs: int
    cost: float

    def to_dict(self) -> Json:
        """Plain numbers, for JSON.

        Examples
        --------
        >>> from bayescmp.results.item_plan import ItemDesign
        >>> ItemDesign(825, 4, 3300.0).to_dict()["cost"]
        3300.0
        """
        return {"questions": self.questions, "epochs": self.epochs, "cost": self.cost}


@dataclass(frozen=True, eq=False, repr=False)
class ItemPlan(Exhibited, Explained, Sealed):
    """What numbers of questions and epochs decide about two models.

    Attributes
    ----------
    frame : DataFrame
        One row per design: questions and epochs, in all; the chances that it is decided, decided
        for first, equivalent or second, and undecided; width, the expected width of the 95 %
        interval; detectable, the least mean difference that is decided with the power asked for.
    benchmark : Benchmark
        The difference, and its variance between and within questions.
    rope : Rope
        Region of practical equivalence.
    names : (str, str)
        The two models.
    threshold : float
        Probability at which a region is decided for.
    power : float
        Of the detectable difference.
    seen : int
        Questions at hand; 0 where there are none yet.
    """

    frame: pd.DataFrame
    benchmark: Benchmark
    rope: Rope
    names: tuple[str, str]
    threshold: float
    power: float
    seen: int = 0

    def cheapest(
        self, cost_question: float, cost_answer: float, *, difference: float | None = None
    ) -> ItemDesign:
        """The cheapest design that decides for a difference with the power asked for.

        A design costs n·(c_question + k·c_answer). The best number of epochs is a neighbour of
        k* = √(c_question/c_answer · σ²_w/σ²_b), whatever the precision.

        Parameters
        ----------
        cost_question : float
            Of writing or finding a question, beside its answers.
        cost_answer : float
            Of one answer of both models.
        difference : float, optional
            The one to be decided for; the plan's own if not given.

        Returns
        -------
        ItemDesign
            Questions, epochs and cost.

        Raises
        ------
        InputError
            Costs that are not positive; a difference within the region; no variance between
            questions, of which one would then be enough.

        References
        ----------
        Cochran (1977), Sampling techniques, 3rd edition, section 10.6 (two-stage sampling).

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan_items(difference=0.03, between=0.06, within=0.24, rope=0.0)
        >>> plan.cheapest(cost_question=2.0, cost_answer=0.5)
        ItemDesign(questions=825, epochs=4, cost=3300.0)
        """
        for name, cost in (("cost_question", cost_question), ("cost_answer", cost_answer)):
            checks.positive_of_any_size(cost, name)
        between, within = self.benchmark.between, self.benchmark.within
        if not between > 0:
            raise InputError(
                "between is 0: with no variance between questions a single one would be the "
                "cheapest; accepted: a positive between"
            )
        wanted = self._wanted(self.benchmark.difference if difference is None else difference)
        best = np.sqrt(cost_question / cost_answer * within / between)
        designs = []
        for epochs in sorted({max(int(best), 1), int(best) + 1}):
            questions = int(np.ceil(self.benchmark.variance(1, epochs) / wanted))
            cost = questions * (cost_question + epochs * cost_answer)
            designs.append(ItemDesign(questions, epochs, float(cost)))
        return min(designs, key=lambda design: design.cost)

    def _wanted(self, difference: float) -> float:
        """The variance of the mean at which this difference is decided with the power."""
        beyond = max(difference - self.rope.high, self.rope.low - difference)
        if not beyond > 0:
            raise InputError(
                f"difference={difference:g} is within the region [{self.rope.low:g}, "
                f"{self.rope.high:g}]; accepted: one beyond it"
            )
        return float(beyond / (ndtri(self.threshold) + ndtri(self.power))) ** 2

    def needed(self, probability: float = 0.8) -> ItemDesign | None:
        """The planned design with the fewest answers that decides with at least this chance.

        Parameters
        ----------
        probability : float

        Returns
        -------
        ItemDesign or None
            Its cost is its number of answers of each model; None if no design does.

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan_items(difference=0.03, between=0.06, within=0.24, rope=0.0,
        ...                      questions=[500, 1000, 2000], epochs=[1, 4])
        >>> plan.needed(0.8)
        ItemDesign(questions=1000, epochs=4, cost=4000.0)
        """
        enough = self.frame[self.frame["decided"] >= probability]
        designs = [
            ItemDesign(int(n), int(k), float(n * k))
            for n, k in enough[["questions", "epochs"]].to_numpy()
        ]
        return min(designs, key=lambda design: design.cost, default=None)

    def _design(self, questions: int, epochs: int) -> str:
        several = self.frame["epochs"].max() > 1
        return counted(questions, "question") + (
            f" and {counted(epochs, 'epoch')}" if several else ""
        )

    def _told(self) -> Told:
        last = self.frame.iloc[-1]
        design = self._design(int(last["questions"]), int(last["epochs"]))
        seen = self.benchmark
        return Told(
            [
                f"With {design} a decision at {self.threshold:g} has a chance of "
                f"{probability(last['decided'])}, the 95 % interval is {last['width']:.3g} wide, "
                f"and a difference of {last['detectable']:.3g} is decided with a chance of "
                f"{self.power:g}"
            ],
            methods=[
                f"Planned for a mean difference of {seen.difference:g}, a variance of "
                f"{seen.between:g} between questions and of {seen.within:g} between answers to one"
            ],
        )

    def shown(self) -> pd.DataFrame:
        """The table as it is printed.

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan_items(difference=0.03, between=0.06, within=0.24, rope=0.0)
        >>> plan.shown().columns.tolist()[:3]
        ['questions', 'epochs', 'decided']
        """
        table = self.frame.copy()
        for column in ("decided", *DECISIONS):
            table[column] = [probability(p) for p in table[column]]
        for column in ("width", "detectable"):
            table[column] = [f"{v:.3g}" for v in table[column]]
        return table

    def to_dict(self) -> Json:
        """Everything as plain numbers and strings, for JSON.

        Examples
        --------
        >>> import bayescmp as bc
        >>> plan = bc.plan_items(difference=0.03, between=0.06, within=0.24, rope=0.0)
        >>> plan.to_dict()["between"]
        0.06
        """
        return {
            "rows": self.frame.to_dict(orient="records"),
            "difference": self.benchmark.difference,
            "between": self.benchmark.between,
            "within": self.benchmark.within,
            "rope": [self.rope.low, self.rope.high],
            "names": list(self.names),
            "threshold": self.threshold,
            "power": self.power,
            "seen": self.seen,
            "text": self.explain(),
        }

    def _exhibit(self) -> Exhibit:
        enough = self.needed()
        which = "no plan here decides" if enough is None else "enough to decide"
        least = "" if enough is None else f": {self._design(*enough[:2])}"
        return Exhibit(
            f"{which} with a chance of 0.80{least}",
            self.shown(),
            label="plan",
            setting=f"rope {self.rope}",
            sentences=[self.explain()],
            method=self.explain("methods"),
            more="more: .frame, .needed(), .cheapest(), .explain()",
        )

    def __repr__(self) -> str:
        return f"<ItemPlan: {self._exhibit().title}>"
