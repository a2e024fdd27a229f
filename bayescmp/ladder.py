"""The order of several algorithms, with what is decided of each pair: better, equivalent, open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bayescmp.cliques import maximal_cliques
from bayescmp.errors import InputError
from bayescmp.verdict import Verdict

__all__ = ["Ladder", "Rung"]

#: Decisions, and what they say of the first of a pair.
BETTER, EQUIVALENT, WORSE = "first", "equivalent", "second"


Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Rung:
    """What lies between two algorithms that follow each other.

    Attributes
    ----------
    relation : {"better", "equivalent", "worse", "undecided", "failed"}
        What is decided of the upper one.
    label : str
        The most probable outcome in words: "svm better"; empty where the comparison failed.
    probability : float
        Of that outcome.
    """

    relation: str
    label: str
    probability: float


@dataclass(frozen=True)
class Ladder:
    """Algorithms from best to worst, and what is decided of them.

    Attributes
    ----------
    names : tuple of str
        Best first.
    rungs : tuple of Rung
        Between each algorithm and the next.
    steps : tuple of (int, int)
        Places (i, j), the fewest: everything down to i is decided better than everything from j
        on.
    single : tuple of (int, int)
        Places (i, j) of all other pairs of which i is decided better than j.
    equivalent : tuple of tuple of int
        Largest sets of which every two are decided practically equivalent.
    joint : tuple of float
        Of each set, the probability that all of it is equivalent at once; empty where pairs were
        compared one by one, and have no joint distribution.
    pairs, decided : int
        How many pairs there are, and of how many something is decided.

    See Also
    --------
    bayescmp.plots.plot_ladder : Draws it.
    """

    names: tuple[str, ...]
    rungs: tuple[Rung, ...]
    steps: Pairs
    single: Pairs
    equivalent: tuple[tuple[int, ...], ...]
    joint: tuple[float, ...]
    pairs: int
    decided: int

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        verdict: Callable[[str, str], Verdict | None],
        joint: Callable[[tuple[str, ...]], float] | None = None,
    ) -> Ladder:
        """Read the verdicts on all pairs.

        Parameters
        ----------
        names : sequence of str
            Best first.
        verdict : callable
            ``verdict(first, second)``; None where the comparison failed.
        joint : callable, optional
            Probability that the algorithms named are all equivalent at once.

        Returns
        -------
        Ladder

        Raises
        ------
        InputError
            Fewer than two algorithms.
        """
        if len(names) < 2:
            raise InputError(f"a ladder takes at least two algorithms, not {len(names)}")
        verdicts = {
            (i, j): verdict(names[i], names[j]) for i, j in combinations(range(len(names)), 2)
        }
        decisions = {pair: v.decision for pair, v in verdicts.items() if v is not None}
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
            int(wins.sum() + alike.sum()),
        )


def _matrix(size: int, decisions: dict[tuple[int, int], str], which: str) -> np.ndarray:
    matrix = np.zeros((size, size), dtype=bool)
    for pair, decision in decisions.items():
        matrix[pair] = decision == which
    return matrix


def _rung(verdict: Verdict | None) -> Rung:
    if verdict is None:
        return Rung("failed", "", float("nan"))
    words = {BETTER: "better", EQUIVALENT: "equivalent", WORSE: "worse"}
    top = verdict.ranked[0]
    relation = words.get(verdict.decision, "undecided")
    return Rung(relation, verdict.label(top), verdict.probabilities[top])


def _steps(wins: np.ndarray) -> Pairs:
    """Corners of the staircase under which everything is won."""
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
    """Wins that no step covers."""
    left = wins.copy()
    for i, j in steps:
        left[: i + 1, j:] = False
    return tuple((int(i), int(j)) for i, j in np.argwhere(left))
