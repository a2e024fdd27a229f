"""The order of several algorithms: the verdict on each pair, and indistinguishable groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must
from bayescmp.present.forms import Summarised
from bayescmp.results.verdict import Interval, Verdict

# Groups of algorithms that cannot be distinguished: maximal cliques.


def maximal_cliques(alike: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """Find the maximal sets, of two or more, in which every two members are alike.

    `alike` is (L, L) and symmetric. The sets may overlap. Members ascend, and sets come in the
    order of their members. Bron & Kerbosch (1973), algorithm 457, with the pivot of Tomita et al.
    (2006).
    """
    size = len(alike)
    near = [sum(1 << j for j in range(size) if j != i and alike[i, j]) for i in range(size)]
    cliques: list[tuple[int, ...]] = []

    def extend(clique: int, candidates: int, excluded: int) -> None:
        if not candidates and not excluded:
            cliques.append(_bits(clique))
            return
        pivot = max(_bits(candidates | excluded), key=lambda i: (near[i] & candidates).bit_count())
        for i in _bits(candidates & ~near[pivot]):
            extend(clique | 1 << i, candidates & near[i], excluded & near[i])
            candidates &= ~(1 << i)
            excluded |= 1 << i

    extend(0, (1 << size) - 1, 0)
    return tuple(sorted(c for c in cliques if len(c) > 1))


def _bits(number: int) -> tuple[int, ...]:
    places = []
    while number:
        low = number & -number
        places.append(low.bit_length() - 1)
        number ^= low
    return tuple(places)


# The order of several algorithms, with the outcome of each pair: better, equivalent, undecided.


#: Outcomes, from the point of view of the first of a pair.
BETTER, EQUIVALENT, WORSE = "first", "equivalent", "second"


Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class LadderStep:
    """The step between two algorithms that follow each other.

    Attributes
    ----------
    relation : {"better", "equivalent", "worse", "not worse", "undecided", "failed"}
        What is decided of the upper one.
    label, probability : str, float
        The most probable outcome in words ("svm better"; "" if failed), and its probability.
    """

    relation: str
    label: str
    probability: float


@dataclass(frozen=True, repr=False)
class WinnerScore(Summarised):
    """The expected score of the algorithm with the best observed mean.

    The best of several looks better than it is (the winner's curse). Scores are for data sets as
    difficult on average as the observed ones.

    Attributes
    ----------
    algorithm : str
    observed : float
        Its mean over the data sets, for which it is chosen.
    expected, error : float
        The posterior mean of its score, and its Monte Carlo standard error.
    interval, next_interval : (float, float)
        Central 95% interval of its score on average over data sets, and on the next one (None if
        the data sets are given).
    resampled : bool
        Whether the choice is resampled, which removes only part of the luck, and not shrunken.
    unit, about : str
        "data set", or "benchmark"; what the score is of, in words.

    Examples
    --------
    >>> import bayescmp as bc
    >>> means = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    >>> bc.bayesian.bootstrap(means, rope=0.01, seed=1).chosen().explain()  # doctest: +ELLIPSIS
    'A3 has the best observed mean (0.845). Corrected for selection ...'
    """

    algorithm: str
    observed: float
    expected: float
    error: float
    interval: Interval
    next_interval: Interval | None
    resampled: bool = False
    unit: str = "data set"
    about: str = "on average over data sets"

    @property
    def frame(self) -> pd.DataFrame:
        """One row: observed, expected, and the bounds low and high of its interval."""
        numbers = (self.observed, self.expected, *self.interval)
        return pd.DataFrame([numbers], columns=["observed", "expected", "low", "high"])


@dataclass(frozen=True)
class Ladder:
    """Algorithms from best to worst, and the outcome that is decided for each pair.

    Practical equivalence is not transitive: for three algorithms 0.007 apart and a ROPE of 0.01,
    the third is better than the first. So a bracket only joins algorithms that are all equivalent
    to each other, and brackets may overlap.

    Attributes
    ----------
    names : tuple of str
        Best first.
    rungs : tuple of LadderStep
        One between each algorithm and the next.
    steps : tuple of (int, int)
        Places (i, j), as few as possible: all down to i are decided better than j and all later
        ones.
    single : tuple of (int, int)
        Places (i, j) of all other pairs in which i is decided better than j.
    equivalent : tuple of tuple of int
        Largest sets in which every two are decided practically equivalent.
    joint : tuple of float
        For each set, the probability that all are equivalent at once; empty if pairs were compared
        separately.
    pairs, decided : int
        How many pairs there are, and for how many something is decided.
    chosen : WinnerScore, optional
        The expected score of the one with the best observed mean, if known.
    """

    names: tuple[str, ...]
    rungs: tuple[LadderStep, ...]
    steps: Pairs
    single: Pairs
    equivalent: tuple[tuple[int, ...], ...]
    joint: tuple[float, ...]
    pairs: int
    decided: int
    chosen: WinnerScore | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each algorithm, best first.

        relation, label, probability: the outcome for it and the next one; for the chosen one, if
        known, observed, expected, low and high.
        """
        last = LadderStep("", "", float("nan"))
        index = pd.Index(self.names, name="algorithm")
        table = pd.DataFrame([asdict(rung) for rung in (*self.rungs, last)], index=index)
        if self.chosen is not None:
            for head, number in self.chosen.frame.iloc[0].items():
                table.loc[self.chosen.algorithm, head] = number
        return table

    @classmethod
    def from_verdicts(
        cls,
        names: Sequence[str],
        verdict: Callable[[str, str], Verdict | None],
        joint: Callable[[tuple[str, ...]], float] | None = None,
        chosen: WinnerScore | None = None,
    ) -> Ladder:
        """Read the verdicts on all pairs (None: failed), best first; `joint` is of equivalence."""
        if len(names) < 2:
            raise must("names", "be at least two algorithms for a ladder", str(len(names)))
        verdicts = {
            (i, j): verdict(names[i], names[j]) for i, j in combinations(range(len(names)), 2)
        }
        decisions = {
            pair: answer.decision for pair, answer in verdicts.items() if answer is not None
        }
        wins = _matrix(len(names), decisions, BETTER) | _matrix(len(names), decisions, WORSE).T
        alike = _matrix(len(names), decisions, EQUIVALENT)
        sets = maximal_cliques(alike | alike.T)
        steps = _steps(wins)
        return cls(
            tuple(names),
            tuple(_rung(verdicts[i, i + 1]) for i in range(len(names) - 1)),
            steps,
            _rest(wins, steps),
            sets,
            () if joint is None else tuple(joint(tuple(names[i] for i in s)) for s in sets),
            len(verdicts),
            sum(answer is not None and answer.decided for answer in verdicts.values()),
            chosen,
        )


def _matrix(size: int, decisions: dict[tuple[int, int], str], which: str) -> np.ndarray:
    matrix = np.zeros((size, size), dtype=bool)
    for pair, decision in decisions.items():
        matrix[pair] = decision == which
    return matrix


def _rung(verdict: Verdict | None) -> LadderStep:
    if verdict is None:
        return LadderStep("failed", "", float("nan"))
    words = {BETTER: "better", EQUIVALENT: "equivalent", WORSE: "worse", "not worse": "not worse"}
    top = verdict.ranked[0]
    relation = words.get(verdict.decision, "undecided")
    return LadderStep(relation, verdict.label(top), verdict.probabilities[top])


def _steps(wins: np.ndarray) -> Pairs:
    """Find the corners of the staircase under which everything is won."""
    size = len(wins)
    steps: list[tuple[int, int]] = []
    for i in range(size - 1):
        together = wins[: i + 1].all(axis=0)
        lost = np.flatnonzero(~together)
        start = int(lost[-1]) + 1  # i itself is never won
        if start == size:
            break
        if steps and steps[-1][1] == start:
            steps.pop()
        steps.append((i, start))
    return tuple(steps)


def _rest(wins: np.ndarray, steps: Pairs) -> Pairs:
    """Find the wins that no step covers."""
    left = wins.copy()
    for i, j in steps:
        left[: i + 1, j:] = False
    return tuple((int(i), int(j)) for i, j in np.argwhere(left))
