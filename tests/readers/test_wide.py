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


def _blum():
    """As scmamp's data_blum_2015: parameters of the problem in front, an instance a row."""
    return pd.DataFrame({
        "Size": [100, 100, 1000, 1000], "Radius": [0.14, 0.14, 0.05, 0.05],
        "FruitFly": [43.0, 41.0, 22.0, 24.0], "Shukla": [48.0, 47.0, 27.0, 28.0],
    })  # fmt: skip


def test_parameters_of_the_problem_are_no_algorithms_when_they_name_the_rows():
    table = _blum()
    with pytest.raises(bc.InputError, match="neither data sets nor algorithms by name"):
        bc.Scores.read(table)
    names = [
        f"{size}, {radius:g}" for size, radius in zip(table["Size"], table["Radius"], strict=True)
    ]
    named = table.drop(columns=["Size", "Radius"]).assign(dataset=names)
    scores = bc.Scores(named, metric="independent_set_size", resampling="independent",
                       higher_is_better="independent_set_size")  # fmt: skip
    assert scores.algorithms == ("FruitFly", "Shukla")
    differences = scores.differences("FruitFly", "Shukla")
    assert differences.datasets == ("100, 0.14", "1000, 0.05")
    assert [x.tolist() for x in differences.x] == [[5.0, 6.0], [5.0, 4.0]]
