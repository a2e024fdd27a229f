"""The results of planning: what data sets and folds, or questions and epochs, decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import count, number, optional, positive_of_any_size, validate_params
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, as_facts
from bayescmp.present.forms import Summarised
from bayescmp.results.plotted import Plotted
from bayescmp.results.regions import THREE, Shape, shape_of
from bayescmp.results.verdict import side_of
from bayescmp.scores.rope import Rope

UNDECIDED = "undecided"

#: Columns that are headed by the two algorithms' names.
PAIR = ("first", "second")


def shape_within(rope: Rope) -> Shape:
    """Return the regions that a ROPE makes: two, if one bound is infinite or there is none."""
    shape = shape_of(THREE.regions, side_of(rope))
    return replace(shape, impossible=(shape.within,)) if rope.empty else shape


def decisions_of(shape: Shape) -> tuple[str, ...]:
    """List what can be decided, and "undecided"."""
    return (*shape.possible.values(), UNDECIDED)


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Summarised, Record, Plotted):
    """The proportion of studies of each size that reach a verdict, and for which outcome.

    Attributes
    ----------
    frame : DataFrame
        One row per amount of data: datasets (further ones, if there are data), more_folds (further
        differences on each data set seen); shares of the simulated studies that are decided,
        decided for first, equivalent or second ("not worse" with one infinite bound of the ROPE),
        and undecided; Monte Carlo errors ``se_`` of each.
    limit : mapping of str to float
        For each decision, the probability that infinitely many data sets end with it.
    names : (str, str)
    threshold : float
        Probability required for a decision.
    simulations, seed : int
        Number of simulated studies, and their seed.
    today : str
        The verdict of the present data; empty without data.
    shape : Shape
        The regions of the verdict.
    unit : str
        What there are to be more of: "data set", or "benchmark".

    Examples
    --------
    >>> import bayescmp as bc
    >>> plan = bc.plan(delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3, 12],
    ...                simulations=10)
    >>> plan.needed(0.8) in (3, 12)
    True
    """

    picture: ClassVar[str] = "plot_plan"

    frame: pd.DataFrame
    limit: Mapping[str, float]
    names: tuple[str, str]
    threshold: float
    simulations: int
    seed: int
    today: str = ""
    shape: Shape = THREE
    unit: str = "data set"

    @validate_params(probability=number(0, 1), more_folds=count(0))
    def needed(self, probability: float = 0.8, *, more_folds: int = 0) -> int | None:
        """Return the fewest planned data sets that decide with at least this probability.

        Parameters
        ----------
        probability : float
            Probability that the verdict is decided.
        more_folds : int
            Further differences on each data set seen.

        Returns
        -------
        int or None
            None if no planned number does.
        """
        rows = self.frame[self.frame["more_folds"] == more_folds]
        enough = rows.loc[rows["decided"] >= probability, "datasets"]
        return int(enough.min()) if len(enough) else None

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        kept = ("limit", "names", "threshold", "simulations", "seed", "today")
        return as_facts(self, *kept, rows=self.frame, text=self.explain())


# The numbers of questions, and of answers to each, that decide about a benchmark.


#: The power at which two models count as separated, and the most questions that are planned.
POWER, MOST_QUESTIONS = 0.8, 10**9
#: Ratio of the numbers of questions among which the first enough one is sought.
STEP = 1.2


class Benchmark(NamedTuple):
    """The mean difference of two models, and its sources of variance.

    Attributes
    ----------
    difference : float
        The mean difference, second minus first, true or expected.
    between, within : float
        σ²_b of the questions' true differences; σ²_w of one over single answers of both models.
    """

    difference: float
    between: float
    within: float

    def variance(self, questions: float, epochs: float) -> float:
        """Compute the variance of the mean difference: (σ²_b + σ²_w/k)/n."""
        return (self.between + self.within / epochs) / questions

    def predict(
        self,
        questions: float,
        epochs: float,
        rope: Rope,
        threshold: float,
        uncertainty: float | None,
    ) -> dict[str, float]:
        """Return decision probabilities with so many questions; `uncertainty` is a variance."""
        later = self.variance(questions, epochs)
        spread = later if uncertainty is None else max(uncertainty - later, 0.0)
        return predict_decisions(self.difference, spread, later, rope, threshold)

    def find_further(
        self,
        rope: Rope,
        threshold: float,
        *,
        uncertainty: float | None,
        seen: int,
        epochs: float = 1,
        power: float = POWER,
    ) -> int | None:
        """Return the fewest further questions that decide with this power; None if none do."""

        def is_enough(further: int) -> bool:
            made = self.predict(seen + further, epochs, rope, threshold, uncertainty)
            return 1 - made[UNDECIDED] >= power

        least, most = (-1, 0) if seen else (0, 1)
        while not is_enough(most):
            least, most = most, max(most + 1, int(STEP * most))
            if most > MOST_QUESTIONS:
                return None
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (least, middle) if is_enough(middle) else (middle, most)
        return most


def predict_decisions(
    centre: float, spread: float, later: float, rope: Rope, threshold: float
) -> dict[str, float]:
    """Return each decision's probability, if the later posterior mean is normal."""
    sd, beyond = np.sqrt(later), ndtri(threshold) * np.sqrt(later)
    held = _find_decided_range(rope, float(sd), threshold)
    shape = shape_within(rope)

    def below(x: float) -> float:
        return float(ndtr((x - centre) / np.sqrt(spread))) if spread > 0 else float(centre < x)

    first, second = below(rope.low - beyond), 1 - below(rope.high + beyond)
    within = 0.0 if held is None else below(held[1]) - below(held[0])
    made = dict(zip(shape.regions, (first, within, second), strict=True))
    undecided = max(1 - first - second - within, 0.0)
    return {
        **{decision: made[region] for region, decision in shape.possible.items()},
        UNDECIDED: undecided,
    }


def place_beyond(rope: Rope, far: float) -> float:
    """Return so far beyond the upper bound; with one infinite bound, within the margin."""
    if rope.low == -np.inf:
        return rope.high - far
    return (rope.low if rope.one_sided else rope.high) + far


def _find_decided_range(rope: Rope, sd: float, threshold: float) -> tuple[float, float] | None:
    """Return the values between which a posterior mean is decided to be in the region."""
    if rope.one_sided:
        edge = place_beyond(rope, float(ndtri(threshold)) * sd)
        return (rope.low, edge) if rope.low == -np.inf else (edge, rope.high)
    r = (rope.high - rope.low) / 2

    def excess(x: float) -> float:
        return float(ndtr((r - x) / sd) - ndtr((-r - x) / sd)) - threshold

    if excess(0.0) <= 0:
        return None
    from scipy.optimize import brentq  # takes longer to import than a plan takes

    half = float(brentq(excess, 0.0, r + 10 * sd))
    return rope.middle - half, rope.middle + half


class QuestionDifference(NamedTuple):
    """A posterior's mean difference of two models (`names`) over `questions`, and its variance."""

    names: tuple[str, str]
    mean: float
    variance: float
    questions: int


def suggest_plan(difference: float, between: float, rope: Rope, unit: str) -> str:
    """State how independent folds or runs are planned; "" if no number can be suggested."""
    if not between > 0 or rope.low != -rope.high:
        return ""
    return (
        f"Its {unit}s are independent: bayescmp.plan_items(difference={difference:.4g}, "
        f"between={between:.4g}, rope={rope.high:g}) plans their number, as it plans questions."
    )


class ItemDesign(NamedTuple):
    """A number of questions and of epochs, and their cost."""

    questions: int
    epochs: int
    cost: float

    def to_dict(self) -> Json:
        """Return plain numbers, for JSON."""
        return self._asdict()


@dataclass(frozen=True, eq=False, repr=False)
class ItemPlan(Summarised, Record):
    """The numbers of questions and epochs that decide about two models.

    Attributes
    ----------
    frame : DataFrame
        One row per design: further_questions; total_questions and epochs, with the present ones;
        the probabilities of a decision, of each ("not worse" with one infinite bound of the ROPE),
        and of none; width, the expected width of the 95% interval; detectable, the least mean
        difference that is decided with the power (with two regions, the one nearest the margin).
    benchmark : Benchmark
        The difference, and its variance between and within questions.
    rope : Rope
    names : (str, str)
    threshold, power : float
        Probability required for a decision, and that with which a difference is detectable.
    seen : int
        Questions in the present data; 0 without data.
    uncertainty : float or None
        Variance of the difference given the present data; None without data.

    Examples
    --------
    >>> import bayescmp as bc
    >>> plan = bc.plan_items(difference=0.03, between=0.06, within=0.24, rope=0.0,
    ...                      questions=[500, 1000], epochs=[1, 4])
    >>> plan.needed(0.8)
    ItemDesign(questions=1000, epochs=4, cost=4000.0)
    >>> plan.cheapest(cost_question=2.0, cost_answer=0.5)
    ItemDesign(questions=825, epochs=4, cost=3300.0)
    """

    frame: pd.DataFrame
    benchmark: Benchmark
    rope: Rope
    names: tuple[str, str]
    threshold: float
    power: float
    seen: int = 0
    uncertainty: float | None = None

    @validate_params(probability=number(0, 1), epochs=optional(count()))
    def further(self, probability: float = POWER, *, epochs: int | None = None) -> int | None:
        """Return the fewest further questions that decide with at least this probability.

        Parameters
        ----------
        probability : float
            Probability of a decision.
        epochs : int, optional
            Answers of each model to every question; the fewest planned ones if not given.

        Returns
        -------
        int or None
            Of all numbers, not only those of the frame. None if not even 10⁹ questions do.

        See Also
        --------
        needed : The design of the frame with the fewest answers.
        """
        return self.benchmark.find_further(
            self.rope,
            self.threshold,
            uncertainty=self.uncertainty,
            seen=self.seen,
            epochs=int(self.frame["epochs"].min()) if epochs is None else epochs,
            power=probability,
        )

    @validate_params(difference=optional(number()))
    def cheapest(
        self, cost_question: float, cost_answer: float, *, difference: float | None = None
    ) -> ItemDesign:
        """Return the cheapest design that decides for a difference with the required power.

        A design costs n·(c_question + k·c_answer). The best number of epochs is a neighbour of
        k* = √(c_question/c_answer · σ²_w/σ²_b), whatever the precision.

        Parameters
        ----------
        cost_question : float
            Cost of writing or finding a question, apart from its answers.
        cost_answer : float
            Cost of one answer of both models.
        difference : float, optional
            The one to be decided for; the plan's own if not given.

        Returns
        -------
        ItemDesign
            Questions, epochs and cost.

        Raises
        ------
        InputError
            If a cost is not positive, the difference lies within the region, or there is no
            variance between questions, so that a single question would be enough.

        References
        ----------
        Cochran (1977), Sampling techniques, 3rd edition, section 10.6 (two-stage sampling).
        """
        for name, cost in (("cost_question", cost_question), ("cost_answer", cost_answer)):
            positive_of_any_size(cost, name)
        between, within = self.benchmark.between, self.benchmark.within
        if not between > 0:
            hint = "Without variance between questions, one question would be the cheapest."
            raise must_be("between", "over 0", between, hint)
        wanted = self._needed_variance(
            self.benchmark.difference if difference is None else difference
        )
        best = np.sqrt(cost_question / cost_answer * within / between)
        designs = []
        for epochs in sorted({max(int(best), 1), int(best) + 1}):
            questions = int(np.ceil(self.benchmark.variance(1, epochs) / wanted))
            cost = questions * (cost_question + epochs * cost_answer)
            designs.append(ItemDesign(questions, epochs, float(cost)))
        return min(designs, key=lambda design: design.cost)

    def _needed_variance(self, difference: float) -> float:
        beyond = max(difference - self.rope.high, self.rope.low - difference)
        if self.rope.one_sided:  # within is as far from the margin as beyond
            beyond = abs(beyond)
        if not beyond > 0:
            region = f"[{self.rope.low:g}, {self.rope.high:g}]"
            raise must_be("difference", f"beyond the region {region}", difference)
        return float(beyond / (ndtri(self.threshold) + ndtri(self.power))) ** 2

    @validate_params(probability=number(0, 1))
    def needed(self, probability: float = 0.8) -> ItemDesign | None:
        """Return the design with the fewest answers that decides with at least this probability.

        Parameters
        ----------
        probability : float
            Probability of a decision.

        Returns
        -------
        ItemDesign or None
            Its cost is its number of answers of each model; None if no design does.
        """
        enough = self.frame[self.frame["decided"] >= probability]
        designs = [
            ItemDesign(int(n), int(k), float(n * k))
            for n, k in enough[["total_questions", "epochs"]].to_numpy()
        ]
        return min(designs, key=lambda design: design.cost, default=None)

    def to_dict(self) -> Json:
        """Return everything as plain numbers and strings, for JSON."""
        more = {"rows": self.frame, "rope": self.rope.ends, "text": self.explain()}
        kept = ("names", "threshold", "power", "seen")
        seen = as_facts(self.benchmark, "difference", "between", "within")
        return as_facts(self, *kept, **more) | seen
