"""SAES's data.csv."""

import pandas as pd
import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, saes


def test_executions_are_independent():
    found = bc.Scores.read(saes(long_table())).differences("knn", "svm")
    assert found.rho.tolist() == [0, 0]


def test_metrics_become_columns():
    table = saes(long_table())
    scores = bc.Scores.read(pd.concat([table, table.assign(MetricName="HV")]))
    assert scores.metrics == ("HV", "accuracy")
    with pytest.warns(bc.DirectionWarning, match="'HV' does not tell"):
        scores.differences("knn", "svm", "HV")


def test_scores_that_come_twice():
    table = saes(long_table())
    with pytest.raises(bc.InputError, match="SAES: 24 scores come twice"):
        bc.Scores.read(pd.concat([table, table]))
