"""Scores of a proposal: those of incumbent and candidate on the same units."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_vector
from bayescmp.scores.columns import ITEM_NAMES, plain_name

#: What is measured, by the names of the column that numbers it.
UNITS = {
    "questions": ITEM_NAMES["item"],
    "seeds": ("seed", "random_seed", "run", "run_id", "trial"),
}
#: The most units that a proposal is measured on, if the budget is not given.
BUDGETS = {"questions": 2000, "seeds": 20}


class UnitScores:
    """Scores of one algorithm, with the labels of their units if they have any."""

    def __init__(self, scores: np.ndarray, labels: list[str] | None, kind: str | None) -> None:
        self.scores, self.labels, self.kind = scores, labels, kind

    @classmethod
    def read(cls, x: Any, name: str) -> UnitScores:
        """Read an array, or a Series whose index may number the units."""
        if isinstance(x, pd.DataFrame):
            raise must_be(name, "one column of scores, an array or a Series", x)
        scores = check_vector(x, name=name, least=1, test="a proposal")
        if not isinstance(x, pd.Series) or x.index.name is None:
            return cls(scores, None, None)
        if not x.index.is_unique:
            twice = x.index[x.index.duplicated()][0]
            raise must(name, f"have one score for each {x.index.name}", f"{twice!r} twice")
        kinds = (k for k, names in UNITS.items() if plain_name(x.index.name) in names)
        return cls(scores, [str(label) for label in x.index], next(kinds, None))


class ScorePairs:
    """Scores of incumbent and candidate on the same units."""

    def __init__(self, incumbent: UnitScores, candidate: UnitScores) -> None:
        self.incumbent, self.candidate = incumbent, candidate
        self.n = len(candidate.scores)

    def digest(self, n: int) -> str:
        """Return a hash of the first n pairs."""
        both = np.stack([self.incumbent.scores[:n], self.candidate.scores[:n]])
        labels = "" if self.candidate.labels is None else json.dumps(self.candidate.labels[:n])
        return hashlib.sha256(both.astype("<f8").tobytes() + labels.encode()).hexdigest()

    def differences(self, *, lower_is_better: bool) -> np.ndarray:
        """Return how much better the candidate is on each unit."""
        x = self.candidate.scores - self.incumbent.scores
        return np.asarray(-x if lower_is_better else x)


def pair_scores(incumbent: Any, candidate: Any) -> ScorePairs:
    """Pair the scores by their labels if both have them, else in their order."""
    one, other = UnitScores.read(incumbent, "incumbent"), UnitScores.read(candidate, "candidate")
    if one.labels is not None and other.labels is not None:
        places = {label: i for i, label in enumerate(one.labels)}
        missing = [label for label in other.labels if label not in places]
        if missing:
            raise must(
                "incumbent",
                "have a score on each unit of the candidate",
                f"none on {missing[0]!r}, the first of {len(missing)}",
                "Measure both on the same ones.",
            )
        chosen = [places[label] for label in other.labels]
        return ScorePairs(UnitScores(one.scores[chosen], other.labels, one.kind), other)
    if len(one.scores) != len(other.scores):
        raise must(
            "candidate",
            f"have as many scores as the incumbent, {len(one.scores)}",
            str(len(other.scores)),
        )
    return ScorePairs(one, other)
