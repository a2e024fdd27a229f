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
    table = wide_with_folds(long_table())
    message = "rows of data set 'iris' are its 6 folds, and a wide table does not say how"
    read = bc.Scores.read(table, metric="accuracy")
    for scores in (
        read,
        *(bc.Scores(t, metric="accuracy") for t in (table, table.set_index("db"))),
    ):
        with pytest.raises(bc.InputError, match=message):
            scores.differences("knn", "svm")


def test_sizes_tell_how_the_rows_were_drawn():
    table = wide_with_folds(long_table()).assign(n_train=120, n_test=30)
    scores = bc.Scores(table, metric="accuracy")
    assert scores.differences("knn", "svm").rho.tolist() == [0.2, 0.2]


def test_a_table_of_means_is_a_table():
    means = pd.DataFrame({"dataset": ["x", "y"], "a": [0.1, 0.2], "b": [0.3, 0.1]})
    scores = bc.Scores.read(means)
    assert scores.recognised == ""
    assert not scores.has_folds
