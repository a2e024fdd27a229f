"""OpenML's list_evaluations(per_fold=True)."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.rows import each_row
from tests.scores.readers.layouts import (
    RUNS,
    automlbenchmark,
    long_table,
    moabb,
    openml,
    sktime,
    tabarena,
)

N = RUNS * 3


@pytest.fixture
def files(tmp_path):
    table = long_table()
    for name, part in table.groupby("algorithm"):
        lines = ["folds:," + ",".join(map(str, range(N)))]
        lines += [f"{d}," + ",".join(map(str, u["accuracy"])) for d, u in part.groupby("dataset")]
        (tmp_path / f"{name}_TESTFOLDS.csv").write_text("\n".join(lines) + "\n")
    return [tmp_path / "knn_TESTFOLDS.csv", tmp_path / "svm_TESTFOLDS.csv"]


def test_estimators_are_named_by_their_files(files):
    how = {"iris": "random splits 0.5", "wine": "random splits 0.3"}
    scores = bc.Scores.read(files, resampling=how)
    assert scores.algorithms == ("knn", "svm")
    differences = scores.differences("knn", "svm")
    assert differences.rho.tolist() == [0.5, 0.3]
    expected = bc.Scores(long_table()).differences("knn", "svm")
    for a, b in zip(differences.x, expected.x, strict=True):
        assert a == pytest.approx(b, abs=1e-12)
    named = bc.Scores.read({"A": files[0], "B": files[1]}, resampling=how)
    assert named.algorithms == ("A", "B")


def test_sizes_are_asked_for(files):
    with pytest.raises(bc.InputError, match="random splits of each data set's own sizes"):
        bc.Scores.read(files)


def test_a_frame_does_not_name_its_estimator(files):
    import pandas as pd

    with pytest.raises(bc.InputError, match="must be named, since it is of one estimator"):
        bc.Scores.read(pd.read_csv(files[0]))
    means = pd.DataFrame({"Estimators:": ["iris"], "HC2": [0.9], "ROCKET": [0.8]})
    with pytest.raises(bc.InputError, match="one per estimator, of means"):
        bc.Scores.read(means)


FIXTURE = Path(__file__).parent / "sktime.csv"


def test_windows_of_a_real_benchmark_ask_for_rho():
    with pytest.raises(bc.InputError, match=r"rho of its splits \(ExpandingWindowSplitter\)"):
        bc.Scores.read(FIXTURE)
    scores = bc.Scores.read(FIXTURE, resampling="windows rho 0.3")
    assert scores.datasets == ("load_airline",)
    assert scores.sole_metric == "MeanAbsoluteError"
    differences = scores.differences("mean", "last", "MeanAbsoluteError")
    raw = pd.read_csv(FIXTURE, index_col="model_id").filter(regex="scores.MeanAbsoluteError")
    assert differences.x[0] == pytest.approx((raw.loc["mean"] - raw.loc["last"]).to_numpy())
    assert differences.means[0] > 0  # the seasonal naive forecast has the smaller error


def test_folds_of_a_k_fold():
    table = sktime(long_table())
    table["validation_id"] = table["validation_id"].str.replace("RepeatedKFold", "KFold")
    scores = bc.Scores.read(table)
    assert scores.differences("knn", "svm").rho.tolist() == pytest.approx([1 / 6] * 2)


def test_tasks_may_differ_in_their_folds():
    table = sktime(long_table())
    table.loc[table["validation_id"].str.contains("iris"), "accuracy_fold_5_test"] = None
    scores = bc.Scores.read(table, resampling={"iris": "5-fold", "wine": "6-fold"})
    assert scores.differences("knn", "svm").n.tolist() == [5, 6]


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
    with pytest.raises(bc.InputError, match=r"24 rows twice.*Keep one of each, such as one d"):
        bc.Scores.read(curve)
    assert bc.Scores.read(curve.query("data_size == 20")).differences("knn", "svm").n[0] == 6


def _results(**columns):
    return automlbenchmark(long_table()).assign(**columns)


def test_losses_are_negative_and_higher_is_better():
    table = _results(metric="logloss")
    table["result"] = -table["result"]
    scores = bc.Scores.read(table, resampling="2x3-fold")
    assert str(scores.direction("neg_logloss")) == "neg_logloss ↑"
    actual = scores.differences("knn", "svm").x[0]
    plain = bc.Scores(long_table()).differences("knn", "svm").x[0]
    assert actual == pytest.approx(-plain, abs=1e-12)


def test_metrics_that_differ_by_task_are_one_result():
    metrics = np.where(_results()["task"] == "iris", "auc", "neg_rmse")
    scores = bc.Scores.read(_results(metric=metrics), resampling="2x3-fold")
    assert scores.metrics == ("result",)
    assert "of several metrics (auc, neg_rmse)" in scores.recognised
    without = bc.Scores.read(_results().drop(columns="info"), resampling="2x3-fold")
    assert without.recognised == "results.csv of the AutoML benchmark, in which higher is better"


def test_a_constraint_has_to_be_named_where_there_are_several():
    both = pd.concat([_results(), _results(constraint="4h8c", result=0.5)], ignore_index=True)
    with pytest.raises(bc.InputError, match=r"'1h8c', '4h8c'.*Name one, as in constraint='1h8c'"):
        bc.Scores.read(both)
    one = bc.Scores.read(both, constraint="4h8c", resampling="2x3-fold")
    assert one.differences("knn", "svm").means.tolist() == [0, 0]
    with pytest.raises(bc.InputError, match="constraint='2h' must be one of '1h8c', '4h8c'"):
        bc.Scores.read(both, constraint="2h")


def test_a_failure_is_missing_and_says_why():
    table = _results().astype({"info": object})
    table.loc[3, ["result", "info"]] = [np.nan, "TimeoutError: killed"]
    scores = bc.Scores.read(table, resampling="2x3-fold")
    assert scores.missing["reason"].tolist() == ["TimeoutError: killed"]
    with pytest.raises(bc.InputError, match="TimeoutError: killed"):
        scores.differences("knn", "svm")


def _tabarena_results():
    """Of two data sets of TabArena-v0.1."""
    return tabarena(long_table().replace({"iris": "anneal", "wine": "churn"}))


def test_folds_run_through_repeats_of_three():
    scores = bc.Scores.read(_tabarena_results())
    assert str(scores.resampling.of("anneal")) == "rho 0.333: 3 folds, 2 repeats"


def test_data_sets_of_another_arena_ask():
    """BeyondArena writes the same columns for windows in time: fold 0 of nine repeats, say."""
    table = _tabarena_results().replace({"churn": "hotel_booking_demand"})
    with pytest.raises(bc.InputError, match="'hotel_booking_demand' is not one of TabArena"):
        bc.Scores.read(table)
    scores = bc.Scores.read(table, resampling={"hotel_booking_demand": "windows rho 0.4"})
    differences = scores.differences("knn", "svm", "metric_error")
    assert differences.rho.tolist() == pytest.approx([1 / 3, 0.4])


def test_one_split_of_each_data_set_is_one_score():
    scores = bc.Scores.read(_tabarena_results().query("fold == 0"))
    differences = scores.differences("knn", "svm", "metric_error")
    assert differences.n.tolist() == [1, 1]
    assert differences.rho_sentence == "rho 0: one score per data set"


def test_imputed_rows_are_missing_unless_they_are_kept():
    table = _tabarena_results()
    table.loc[0, "imputed"] = True
    scores = bc.Scores.read(table)
    assert "1 imputed rows missing" in scores.recognised
    with pytest.raises(bc.InputError, match=r"got nan|nan for for .*\(imputed\)"):
        scores.differences("knn", "svm", "metric_error")
    kept = bc.Scores.read(table, imputed="keep")
    assert len(kept.differences("knn", "svm", "metric_error").x[0]) == 6
    with pytest.raises(bc.InputError, match=r"imputed must be .*\(got 'drop'\)"):
        bc.Scores.read(table, imputed="drop")


def test_other_folds_are_refused():
    table = _tabarena_results()
    with pytest.raises(bc.InputError, match="'anneal' of TabArena must have folds counted from 0"):
        bc.Scores.read(table.assign(fold=table["fold"] + 1))


def test_values_are_exploded_in_their_order():
    table = openml(long_table())
    scores = bc.Scores.read(table, resampling="2x3-fold")
    assert scores.metrics == ("predictive_accuracy",)
    own = scores.frame.query("dataset == 'iris' and algorithm == 'knn'")["predictive_accuracy"]
    assert own.tolist() == table["values"][0]


def test_tasks_on_one_data_set_and_flows_without_a_name():
    table = openml(long_table()).assign(data_name="iris").drop(columns="flow_name")
    scores = bc.Scores.read(table, resampling="2x3-fold")
    assert scores.datasets == ("iris (task 59)", "iris (task 60)")
    assert scores.algorithms == ("flow 11", "flow 12")
    assert scores.differences("flow 11", "flow 12").q == 2


def test_the_estimation_procedure_is_asked_for():
    with pytest.raises(bc.InputError, match="usually resampling='10-fold'"):
        bc.Scores.read(openml(long_table()))


def test_setups_of_one_flow_are_algorithms():
    table = openml(long_table()).assign(flow_id=11, flow_name="weka.J48(2)")
    scores = bc.Scores.read(table.assign(setup_id=[1, 2, 1, 2]), resampling="2x3-fold")
    assert scores.algorithms == ("J48 (setup 1)", "J48 (setup 2)")
    with pytest.raises(bc.InputError, match="setup_id 1 must have one run on task 59"):
        bc.Scores.read(table.assign(setup_id=1))


@each_row(
    ("change", "message"),
    [
        ({"values": None}, r"Call list_evaluations\(..., per_fold=True\)"),
        ({"values": "high"}, "column 'values' must hold a list .*got 'high'"),
        ({"function": ["f_measure", "kappa"] * 2}, "'f_measure', 'kappa'.*Keep the rows of one"),
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
