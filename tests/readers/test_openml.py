"""OpenML's list_evaluations(per_fold=True)."""

from pathlib import Path

import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, openml


def test_values_are_exploded_in_their_order():
    table = openml(long_table())
    scores = bc.Scores.read(table, resampling="2x3-fold")
    assert scores.metrics == ("predictive_accuracy",)
    own = scores.frame.query("dataset == 'iris' and algorithm == 'knn'")["predictive_accuracy"]
    assert own.tolist() == table["values"][0]


def test_the_estimation_procedure_is_asked_for():
    with pytest.raises(bc.InputError, match="usually resampling='10-fold'"):
        bc.Scores.read(openml(long_table()))


def test_setups_of_one_flow_are_algorithms():
    table = openml(long_table()).assign(flow_id=11, flow_name="weka.J48(2)")
    scores = bc.Scores.read(table.assign(setup_id=[1, 2, 1, 2]), resampling="2x3-fold")
    assert scores.algorithms == ("J48 (setup 1)", "J48 (setup 2)")
    with pytest.raises(bc.InputError, match="setup_id 1 has several runs on task 59"):
        bc.Scores.read(table.assign(setup_id=1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": None}, r"call list_evaluations\(..., per_fold=True\)"),
        ({"values": "high"}, "column 'values' holds 'high'; accepted: a list"),
        ({"function": ["f_measure", "kappa"] * 2}, "'f_measure', 'kappa': keep the rows of one"),
    ],
)
def test_refused(change, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Scores.read(openml(long_table()).assign(**change))


def test_what_openml_itself_returns():
    """openml.csv is from openml 0.15.1; see make_fixtures.py."""
    path = Path(__file__).with_name("openml.csv")
    scores = bc.Scores.read(path, resampling="4-fold")
    assert scores.recognised == "list_evaluations(per_fold=True) of OpenML"
    assert scores.algorithms == ("DecisionTreeClassifier", "J48")
    differences = scores.differences("DecisionTreeClassifier", "J48")
    assert differences.datasets == ("iris", "wine")
    assert differences.row("iris").x[0] == pytest.approx([-0.04, -0.02, 0.04, -0.06])
    assert differences.row("wine").x[0] == pytest.approx([0.05, 0.05, 0.1, 0.05])
