"""CSV of Weka's Experimenter (columns of CrossValidationResultProducer)."""

import pandas as pd
import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, weka


def test_schemes_have_short_names_and_sizes():
    scores = bc.Scores.read(weka(long_table()))
    assert scores.algorithms == ("knn", "svm")
    assert scores.metrics == ("accuracy",)
    assert scores.frame["n_test"].tolist() == [50] * 24
    assert str(scores.resampling.of("iris")) == "rho 0.333: 3 folds, 2 repeats"


def test_options_tell_one_scheme_from_itself():
    a = weka(long_table()).query("Key_Scheme.str.endswith('knn')")
    both = pd.concat(
        [a.assign(Key_Scheme_options="'-K 1'"), a.assign(Key_Scheme_options="'-K 5'")]
    )
    assert bc.Scores.read(both).algorithms == ("knn -K 1", "knn -K 5")


def test_random_splits_have_their_sizes():
    table = weka(long_table()).drop(columns="Key_Fold")
    table["Key_Run"] = long_table().groupby(["dataset", "algorithm"]).cumcount() + 1
    differences = bc.Scores.read(table).differences("knn", "svm")
    assert differences.rho.tolist() == pytest.approx([1 / 3] * 2)
    assert "random splits" in differences.rho_sentence


def test_percentages_are_known():
    scores = bc.Scores.read(weka(long_table()).assign(Percent_incorrect=12.5))
    assert scores.direction("Percent_incorrect").lower
