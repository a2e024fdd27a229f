"""Leaderboards of models on questions: means, leads, tie groups, further questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must_be
from bayescmp.base.typing import Json
from bayescmp.errors import InputError
from bayescmp.results.plan import POWER, Benchmark, QuestionDifference
from bayescmp.results.verdict import Verdict
from bayescmp.scores.metrics import known_range
from bayescmp.scores.rope import Rope, RopeLike

#: Decisions that leave a pair open.
OPEN = ("undecided", "borderline")
#: Columns about the first model and another one, and their values for the first itself.
LEADS = ("lead", "lead_low", "lead_high", "decision", "further_questions", "total_questions")
NONE = (np.nan, np.nan, np.nan, "", pd.NA, pd.NA)


class Board(Protocol):
    """A posterior of several models' mean scores over questions."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The models."""

    @property
    def sign(self) -> float:
        """1 if higher is better, otherwise -1."""

    def levels(self) -> pd.DataFrame:
        """Return mean, low and high of each model, in the metric's own direction."""

    def first_places(self) -> Mapping[str, float]:
        """Return each model's probability of being the best."""

    def verdict(
        self, first: str, second: str, *, rope: RopeLike | None = None, threshold: float = 0.95
    ) -> Verdict:
        """Return the verdict on two models."""

    def difference_of(self, first: str, second: str) -> QuestionDifference:
        """Return the difference of two models over the questions; an InputError if unknown."""


def tabulate_board(
    board: Board, rope: RopeLike | None, threshold: float, power: float
) -> pd.DataFrame:
    """Tabulate means, leads, tie groups and further questions; see `QuestionsPosterior`."""
    if not 0 < power < 1:
        raise must_be("power", "over 0 and under 1", power)
    table = board.levels()
    table["p_best"] = pd.Series(board.first_places())
    order = pd.DataFrame({"mean": board.sign * table["mean"], "best": table["p_best"]})
    # means that differ only by rounding are alike
    order["mean"] = order["mean"].round(12)
    names = order.sort_values(["mean", "best"], ascending=False, kind="stable").index
    table = table.loc[names]
    leader, *others = names
    rows: list[Json] = [dict(zip(LEADS, NONE, strict=True))]
    groups = [1]
    for above, name in zip(names[:-1], others, strict=True):
        verdict = board.verdict(leader, name, rope=rope, threshold=threshold)
        rows.append(_describe_lead(board, table, leader, name, verdict, power))
        step = verdict
        if above != leader:
            step = board.verdict(above, name, rope=rope, threshold=threshold)
        groups.append(groups[-1] + (step.decision == "first"))
    leads = pd.DataFrame(rows, index=table.index)
    for column in ("further_questions", "total_questions"):
        leads[column] = leads[column].astype("Int64")
    leads.insert(list(leads).index("further_questions"), "group", groups)
    return table.join(leads).rename_axis("model")


def _describe_lead(
    board: Board, table: pd.DataFrame, leader: str, name: str, verdict: Verdict, power: float
) -> Json:
    """Return the lead of the first over one model, its verdict, and what would decide it."""
    ((low, high),) = verdict.mean_interval  # of the model minus the leader
    lead = board.sign * (table["mean"][leader] - table["mean"][name])
    row = dict(zip(LEADS, (lead, -high, -low, verdict.decision, pd.NA, pd.NA), strict=True))
    try:
        difference = board.difference_of(leader, name)
    except InputError:  # nothing shows how many there were, or more of them would not help
        return row
    further: int | None = 0
    if verdict.decision in OPEN and isinstance(verdict.rope, Rope):
        further = find_further(difference, verdict.rope, verdict.threshold, power)
    if further is not None:
        row |= {
            "further_questions": further,
            "total_questions": difference.questions + further,
        }
    return row


def find_further(
    difference: QuestionDifference, rope: Rope, threshold: float, power: float = POWER
) -> int | None:
    """Return the fewest further questions that decide a difference with this power."""
    seen = difference.questions
    return Benchmark(difference.mean, seen * difference.variance, 0.0).find_further(
        rope, threshold, uncertainty=difference.variance, seen=seen, power=power
    )


# A model whose scores do not vary: nothing observed shows how far other questions may differ.


def find_ends(metric: str, scores: np.ndarray) -> tuple[float, float]:
    """Return the range of a metric, or else of the scores; shares go from 0 to 1."""
    low, high = float(scores.min()), float(scores.max())
    known = known_range(metric)
    if known is not None and known[0] <= low and high <= known[1]:
        return known
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def draw_unvaried(
    level: float, ends: tuple[float, float], weight: float, size: int, seed: int
) -> np.ndarray:
    """Draw the mean score of a model that scored the same on all questions, (size,), by Beta."""
    w = np.random.default_rng([seed, 7]).dirichlet([weight, 0.5, 0.5], size)
    return np.asarray(w @ np.array([level, *ends]))
