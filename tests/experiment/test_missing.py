"""Scores of a table with gaps: what is missing, and which metric and rho are meant."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc


def test_complete_tables_miss_nothing(table):
    scores = bc.Scores(table)
    assert len(scores.missing) == 0
    assert list(scores.missing.columns) == [
        "dataset",
        "algorithm",
        "repeat",
        "fold",
        "metrics",
        "reason",
    ]
    assert "missing" not in repr(scores)


def test_rows_that_are_not_there_and_scores_that_are_not_there(table):
    gone = (table.dataset == "wine") & (table.algorithm == "svm") & (table.repeat == 2)
    table.loc[3, "log_loss"] = np.nan
    missing = bc.Scores(table[~gone]).missing
    rows = missing[["dataset", "algorithm", "repeat", "fold", "reason"]].to_numpy().tolist()
    assert rows[0] == ["iris", "knn", 1, 4, "NaN"]
    assert rows[1:] == [["wine", "svm", 2, f, "no row"] for f in range(1, 6)]
    assert missing["metrics"].tolist() == ["log_loss"] + ["accuracy, log_loss"] * 5
    assert "missing: 6 folds, e.g. dataset iris, algorithm knn, repeat 1, fold 4: NaN" in repr(
        bc.Scores(table[~gone])
    )


def test_an_algorithm_that_never_ran_on_a_data_set(table):
    gone = (table.dataset == "wine") & (table.algorithm == "svm")
    missing = bc.Scores(table[~gone]).missing
    assert len(missing) == 10
    assert set(missing["dataset"] + missing["algorithm"]) == {"winesvm"}


def test_reasons_come_from_the_column_failure_and_survive_a_file(table):
    table["failure"] = None
    table.loc[7, "accuracy"] = np.nan
    table.loc[7, "failure"] = "ValueError: (no) luck, 100 %"
    file = io.StringIO()
    table.to_csv(file, index=False)
    file.seek(0)
    scores = bc.Scores(pd.read_csv(file))
    assert scores.metrics == ("accuracy", "log_loss")
    assert scores.ignored == ()
    assert scores.missing["reason"].tolist() == ["ValueError: (no) luck, 100 %"]
    with pytest.raises(bc.InputError, match=r"missing \(NaN\) for .*fold 3 \(ValueError: \(no\)"):
        scores.means("accuracy")
    scores.differences("gbm", "svm", "accuracy")


def test_times_are_no_score_to_compare_by_unless_named(table):
    timed = table.drop(columns="log_loss").assign(fit_time=1.0, score_time=2.0)
    scores = bc.Scores(timed)
    assert scores.metrics == ("accuracy", "fit_time", "score_time")
    assert scores.sole_metric == "accuracy"
    assert scores.lower_is_better("fit_time")
    assert scores.differences("knn", "gbm", "fit_time").means.tolist() == [0, 0, 0]
    with pytest.raises(bc.InputError, match="metric is missing: the table has several"):
        _ = bc.Scores(timed.drop(columns="accuracy")).sole_metric


def test_correlation_that_the_table_tells(table):
    stated = table.assign(fold_correlation=table.dataset.map({"iris": 0.75, "wine": 0.5}))
    scores = bc.Scores(stated)
    assert scores.metrics == ("accuracy", "log_loss")
    # digits says none: a fifth, from its labels.
    assert scores.differences("knn", "gbm", "accuracy").rho.tolist() == [0.75, 0.5, 0.2]
    assert scores.differences("knn", "gbm", "accuracy", rho=0.1).rho.tolist() == [0.1] * 3


@pytest.mark.parametrize(("values", "shown"), [([0.5, 0.25], "0.25, 0.5"), ([1.0, 1.0], "1")])
def test_correlation_that_makes_no_sense(table, values, shown):
    stated = table.assign(fold_correlation=np.resize(values, len(table)))
    with pytest.raises(bc.InputError, match=f"of data set 'iris' is {shown}; accepted"):
        bc.Scores(stated).differences("knn", "gbm", "accuracy")
