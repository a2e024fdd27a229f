"""Files, and the spellings of columns."""

from __future__ import annotations

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.scores.columns import plain_name, recognise


def test_spellings():
    actual = recognise(["Data-Set", "Learner", "rep", "CV fold", "acc"])
    assert actual == {
        "dataset": "Data-Set",
        "algorithm": "Learner",
        "repeat": "rep",
        "fold": "CV fold",
    }
    assert recognise(["model", "algorithm"]) == {"algorithm": "algorithm"}
    assert plain_name(" CV-fold ") == "cv_fold"


def test_scores_of_the_training_set_are_warned_of():
    table = pd.DataFrame(
        {
            "dataset": ["a"] * 4,
            "algorithm": ["x", "y"] * 2,
            "fold": [1, 1, 2, 2],
            "accuracy": [0.5, 0.6, 0.7, 0.8],
        }
    )
    with pytest.warns(
        bc.DiagnosticWarning, match="'split' says that all scores come from the train"
    ):
        bc.Scores(table.assign(split="train"))
    assert bc.Scores(table.assign(split="test")).differences("x", "y").n.tolist() == [2]
