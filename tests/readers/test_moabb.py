"""Results of a MOABB evaluation."""

import pandas as pd
import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, moabb


def test_subjects_are_independent_units():
    scores = bc.Scores.read(moabb(long_table()))
    differences = scores.differences("knn", "svm")
    assert differences.rho.tolist() == [0, 0]
    assert differences.rho_sentence == "rho 0: independent units, as declared"
    assert str(differences.direction) == "score ↑"
    losses = bc.Scores.read(moabb(long_table()), metric="error")
    assert str(losses.direction("error")) == "error ↓"


def test_sessions_are_averaged():
    one, two = moabb(long_table()), moabb(long_table()).assign(session="1", score=0.5)
    scores = bc.Scores.read(pd.concat([one, two]))
    assert "their sessions averaged" in scores.recognised
    plain = bc.Scores.read(one).differences("knn", "svm")
    differences = scores.differences("knn", "svm")
    assert differences.x[0] == pytest.approx(plain.x[0] / 2, abs=1e-12)


def test_learning_curves_are_not_averaged():
    one = moabb(long_table())
    curve = pd.concat([one.assign(data_size=20), one.assign(data_size=40, score=0.5)])
    with pytest.raises(
        bc.InputError, match=r"24 rows appear twice.*keep one of each, such as one d"
    ):
        bc.Scores.read(curve)
    assert bc.Scores.read(curve.query("data_size == 20")).differences("knn", "svm").n[0] == 6
