"""SAES's data.csv."""

import pandas as pd
import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, saes


def test_executions_are_independent():
    differences = bc.Scores.read(saes(long_table())).differences("knn", "svm")
    assert differences.rho.tolist() == [0, 0]


def test_metrics_become_columns():
    table = saes(long_table())
    scores = bc.Scores.read(pd.concat([table, table.assign(MetricName="HV")]))
    assert scores.metrics == ("HV", "accuracy")
    with pytest.warns(bc.DirectionWarning, match="'HV' does not say"):
        scores.differences("knn", "svm", "HV")


def test_scores_that_come_twice():
    table = saes(long_table())
    with pytest.raises(bc.InputError, match="SAES: 24 scores appear twice"):
        bc.Scores.read(pd.concat([table, table]))


def test_directions_come_from_the_table_of_metrics(tmp_path):
    table = saes(long_table()).replace({"MetricName": {"accuracy": "HV"}})
    path = tmp_path / "metrics.csv"
    for maximize, arrow, sign in ((True, "↑", 1), (False, "↓", -1)):
        path.write_text(f"MetricName,Maximize\nHV,{maximize}\nEP,True\n")
        for metrics in (path, str(path), pd.read_csv(path)):
            scores = bc.Scores.read(table, metrics=metrics)
            assert str(scores.direction("HV")) == f"HV {arrow}"
            actual = scores.differences("knn", "svm").means
            plain = bc.Scores(long_table()).differences("knn", "svm").means
            assert actual == pytest.approx(sign * plain)
    path.write_text("MetricName,Maximize\nHV,maybe\n")
    with pytest.raises(bc.InputError, match="Maximize of metric 'HV' is 'maybe'"):
        bc.Scores.read(table, metrics=path)
    with pytest.raises(bc.InputError, match="no columns MetricName and Maximize"):
        bc.Scores.read(table, metrics=pd.DataFrame({"HV": [True]}))
