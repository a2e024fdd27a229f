"""Tables of mlr3's bmr$score()."""

import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, mlr3


def test_iterations_of_one_cross_validation_are_its_folds():
    table = mlr3(long_table()).assign(resampling_id="cv")
    scores = bc.Scores.read(table)
    assert scores.differences("knn", "svm").rho.tolist() == pytest.approx([1 / 6] * 2)
    assert scores.recognised == "bmr$score() of mlr3, resampled by cv"


def test_repeated_folds_have_to_be_declared():
    with pytest.raises(bc.InputError, match="'repeated_cv' does not determine rho: iter"):
        bc.Scores.read(mlr3(long_table()))


def test_leave_one_out_is_items():
    scores = bc.Scores.read(mlr3(long_table()).assign(resampling_id="loo"))
    assert scores.differences("knn", "svm").rho.tolist() == [0, 0]


def test_measures_have_their_directions():
    table = mlr3(long_table()).assign(**{"classif.ce": 0.1, "regr.rmse": 1.0, "time_train": 2.0})
    scores = bc.Scores.read(table, resampling="2x3-fold")
    assert [scores.direction(m).lower for m in scores.metrics] == [False, True, True, True]


def test_aggregates_are_refused():
    with pytest.raises(bc.InputError, match=r"holds means .*write bmr\$score\(\)"):
        bc.Scores.read(mlr3(long_table()).drop(columns="iteration"))
    with pytest.raises(bc.InputError, match="has no measure"):
        bc.Scores.read(mlr3(long_table()).drop(columns="classif.acc"))
