"""Wide tables of bbtcomp (column db) and scmamp (text first)."""

import pandas as pd
import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, wide_with_folds


def test_rows_of_a_data_set_are_its_folds():
    table = wide_with_folds(long_table())
    for frame in (table, table.rename(columns={"db": "anything"})):
        scores = bc.Scores.read(frame, metric="accuracy", resampling="2x3-fold")
        assert scores.algorithms == ("knn", "svm")
        assert scores.differences("knn", "svm").n.tolist() == [6, 6]


def test_how_they_were_split_is_asked_for():
    with pytest.raises(bc.InputError, match="rows of a wide table do not tell how"):
        bc.Scores.read(wide_with_folds(long_table()))


def test_a_table_of_means_is_a_table():
    means = pd.DataFrame({"dataset": ["x", "y"], "a": [0.1, 0.2], "b": [0.3, 0.1]})
    scores = bc.Scores.read(means)
    assert scores.recognised == ""
    assert not scores.has_folds
