"""Programs outside Python and trackers: what is read of them, and what is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.rows import each_row
from tests.scores.readers.layouts import (
    long_table,
    mlflow,
    mlr3,
    saes,
    tidymodels,
    wandb,
    weka,
    wide_with_folds,
)


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
    with pytest.raises(bc.InputError, match=r"got means.*Write bmr\$score\(\)"):
        bc.Scores.read(mlr3(long_table()).drop(columns="iteration"))
    with pytest.raises(bc.InputError, match="must have a measure"):
        bc.Scores.read(mlr3(long_table()).drop(columns="classif.acc"))


def test_the_estimator_is_no_algorithm():
    scores = bc.Scores.read(tidymodels(long_table()))
    assert scores.algorithms == ("knn", "svm")
    assert str(scores.resampling.of("wine")) == "rho 0.333: 3 folds, 2 repeats"


def test_several_metrics_become_columns():
    table = tidymodels(long_table())
    other = table.assign(**{".metric": "brier_class", ".estimate": 0.2})
    scores = bc.Scores.read(pd.concat([table, other]))
    assert [str(scores.direction(m)) for m in scores.metrics] == ["accuracy ↑", "brier_class ↓"]


def test_means_are_refused():
    table = tidymodels(long_table()).rename(columns={".estimate": "mean"})
    with pytest.raises(bc.InputError, match=r"collect_metrics\(summarize = FALSE\)"):
        bc.Scores.read(table)


def test_tuned_configurations_are_algorithms():
    table = tidymodels(long_table()).drop(columns=["wflow_id", "model"])
    table[".config"] = long_table()["algorithm"].map({"knn": "pre0_mod1", "svm": "pre0_mod2"})
    assert bc.Scores.read(table).algorithms == ("pre0_mod1", "pre0_mod2")
    with pytest.raises(bc.InputError, match="Bind several with a column wflow"):
        bc.Scores.read(table.assign(**{".config": "pre0_mod0"}))


def test_a_tuned_workflow_among_others_on_the_data_set_that_is_named():
    table = tidymodels(long_table()).query("dataset == 'iris'").drop(columns="dataset")
    tuned = table.query("wflow_id == 'svm'").assign(**{".config": "pre0_mod2_post0"})
    scores = bc.Scores.read(pd.concat([table, tuned]), dataset="iris")
    assert scores.datasets == ("iris",)
    assert scores.algorithms == ("knn", "svm pre0_mod0_post0", "svm pre0_mod2_post0")


@each_row("label", ["Bootstrap", "Slice", "Resample"])
def test_other_resamples_ask(label):
    table = tidymodels(long_table()).drop(columns="id2")
    table["id"] = label + long_table().groupby(["dataset", "algorithm"]).cumcount().astype(str)
    with pytest.raises(bc.InputError, match=f"'{label}0' resamples do not determine rho"):
        bc.Scores.read(table)
    scores = bc.Scores.read(table, resampling="rho 0.4")
    assert scores.differences("knn", "svm").rho.tolist() == [0.4, 0.4]


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
    without = weka(long_table()).drop(columns="Key_Scheme_options")
    assert bc.Scores.read(without).algorithms == ("knn", "svm")


def test_random_splits_have_their_sizes():
    table = weka(long_table()).drop(columns="Key_Fold")
    table["Key_Run"] = long_table().groupby(["dataset", "algorithm"]).cumcount() + 1
    differences = bc.Scores.read(table).differences("knn", "svm")
    assert differences.rho.tolist() == pytest.approx([1 / 3] * 2)
    assert "random splits" in differences.rho_sentence


def test_percentages_are_known():
    scores = bc.Scores.read(weka(long_table()).assign(Percent_incorrect=12.5))
    assert scores.direction("Percent_incorrect").lower


def test_executions_are_independent():
    differences = bc.Scores.read(saes(long_table())).differences("knn", "svm")
    assert differences.rho.tolist() == [0, 0]


def test_metrics_become_columns():
    table = saes(long_table())
    scores = bc.Scores.read(pd.concat([table, table.assign(MetricName="HV")]))
    assert scores.metrics == ("HV", "accuracy")
    with pytest.warns(bc.DirectionWarning, match="'HV' does not show"):
        scores.differences("knn", "svm", "HV")


def test_scores_that_come_twice():
    table = saes(long_table())
    with pytest.raises(
        bc.InputError, match=r"SAES must have each score once.*got 24 scores twice"
    ):
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
    with pytest.raises(bc.InputError, match="Maximize of metric 'HV' must be True or False"):
        bc.Scores.read(table, metrics=path)
    with pytest.raises(bc.InputError, match="with columns MetricName and Maximize"):
        bc.Scores.read(table, metrics=pd.DataFrame({"HV": [True]}))


def test_rows_of_a_data_set_are_its_folds():
    table = wide_with_folds(long_table())
    for frame in (table, table.rename(columns={"db": "anything"})):
        scores = bc.Scores.read(frame, metric="accuracy", resampling="2x3-fold")
        assert scores.algorithms == ("knn", "svm")
        assert scores.differences("knn", "svm").n.tolist() == [6, 6]


def test_how_they_were_split_is_asked_for():
    table = wide_with_folds(long_table())
    message = "wide table, which does not show how they were drawn.*got 6 folds"
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
    return pd.DataFrame(
        {
            "Size": [100, 100, 1000, 1000],
            "Radius": [0.14, 0.14, 0.05, 0.05],
            "FruitFly": [43.0, 41.0, 22.0, 24.0],
            "Shukla": [48.0, 47.0, 27.0, 28.0],
        }
    )


def test_parameters_of_the_problem_are_no_algorithms_when_they_name_the_rows():
    table = _blum()
    with pytest.raises(bc.InputError, match="must have data sets or algorithms by name"):
        bc.Scores.read(table)
    names = [
        f"{size}, {radius:g}" for size, radius in zip(table["Size"], table["Radius"], strict=True)
    ]
    named = table.drop(columns=["Size", "Radius"]).assign(dataset=names)
    scores = bc.Scores(
        named,
        metric="independent_set_size",
        resampling="independent",
        higher_is_better="independent_set_size",
    )
    assert scores.algorithms == ("FruitFly", "Shukla")
    differences = scores.differences("FruitFly", "Shukla")
    assert differences.datasets == ("100, 0.14", "1000, 0.05")
    assert [x.tolist() for x in differences.x] == [[5.0, 6.0], [5.0, 4.0]]


FIXTURE = Path(__file__).parent / "mlflow.csv"


def test_real_runs():
    scores = bc.Scores.read(FIXTURE)
    assert set(scores.algorithms) == {"gbm", "knn"}
    assert set(scores.metrics) == {"accuracy", "val_loss"}
    assert scores.differences("gbm", "knn", "accuracy").rho.tolist() == [0.2]
    assert scores.direction("val_loss").lower
    assert "params.model is the algorithm" in scores.recognised


def test_roles_may_be_named():
    table = mlflow(long_table()).rename(columns={"params.model": "params.variant"})
    with pytest.raises(
        bc.InputError, match=r"must have a column for the algorithm.*State which column"
    ):
        bc.Scores.read(table)
    for column in ("variant", "params.variant"):
        assert bc.Scores.read(table, columns={"algorithm": column}).algorithms == ("knn", "svm")


def test_runs_that_did_not_finish_are_missing():
    table = mlflow(long_table())
    table.loc[2, "status"] = "FAILED"
    scores = bc.Scores.read(table)
    assert scores.missing["reason"].tolist() == ["FAILED"]
    assert "1 run is not finished" in scores.recognised


def test_a_metric_named_as_a_label():
    table = mlflow(long_table()).rename(columns={"metrics.accuracy": "metrics.fold"})
    with pytest.raises(bc.InputError, match="metric 'fold' of the runs must have another name"):
        bc.Scores.read(table)


def _export():
    t = long_table()
    return t.assign(
        Name="a", State="finished", Created="2025-01-01", Runtime=3, model=t["algorithm"], lr=0.1
    ).drop(columns="algorithm")


def test_system_metrics_are_left_out():
    assert bc.Scores.read(wandb(long_table())).metrics == ("accuracy",)


def test_the_export_of_a_table():
    scores = bc.Scores.read(_export())
    assert scores.algorithms == ("knn", "svm")
    expected = bc.Scores(long_table()).differences("knn", "svm")
    assert scores.differences("knn", "svm", "accuracy").x[0] == pytest.approx(expected.x[0])


def test_settings_that_do_not_vary_are_no_metrics():
    """A learning rate, or the number of epochs, is the same in all runs of an algorithm."""
    export = _export()
    export = export.assign(epochs=export["model"].map({"knn": 1, "svm": 30}), momentum=0.9)
    scores = bc.Scores.read(export)
    assert scores.metrics == ("accuracy",)
    assert "settings, no metrics: lr, epochs, momentum" in repr(scores)
    assert bc.Scores.read(export).sole_metric == "accuracy"
    # one that varies, or is a metric by its name or by what the user says, is kept
    odd = export.assign(lr=np.arange(len(export)), f1=1.0)
    assert bc.Scores.read(odd).metrics == ("accuracy", "lr", "f1")
    assert bc.Scores.read(export, lower_is_better="epochs").metrics == ("accuracy", "epochs")
    assert bc.Scores.read(export, metric="momentum").metrics == ("momentum",)


def test_settings_among_the_metrics_of_mlflow():
    table = mlflow(long_table()).assign(**{"metrics.lr": 0.1, "metrics.zeta": 0.5})
    scores = bc.Scores.read(table)
    assert scores.metrics == ("accuracy",)
    assert "settings, no metrics: lr, zeta" in repr(scores)
    only = table.drop(columns="metrics.accuracy")
    assert bc.Scores.read(only).metrics == ("lr", "zeta")  # there is nothing else


def test_runs_whose_configuration_has_its_own_columns():
    """As ``pandas.json_normalize`` of runs: config.model, config.lr, summary.accuracy."""
    t = long_table()
    flat = pd.DataFrame(
        {
            "name": "a",
            "state": "finished",
            "config.model": t["algorithm"],
            "config.dataset": t["dataset"],
            "config.seed": t["repeat"],
            "config.fold": t["fold"],
            "config.lr": np.linspace(0, 1, len(t)),
            "summary.accuracy": t["accuracy"],
            "summary._runtime": 3.0,
        }
    )
    expected = bc.Scores(t).differences("knn", "svm")
    for table in (flat, flat.rename(columns=lambda c: c.removeprefix("summary."))):
        scores = bc.Scores.read(table.drop(columns="_runtime", errors="ignore"))
        assert scores.metrics == ("accuracy",)
        assert "config.model is the algorithm" in scores.recognised
        for ours, theirs in zip(scores.differences("knn", "svm").x, expected.x, strict=True):
            assert sorted(ours) == pytest.approx(sorted(theirs))


def test_wandb_runs_that_did_not_finish_are_missing():
    table = _export()
    table.loc[0, "State"] = "crashed"
    scores = bc.Scores.read(table)
    assert "crashed" in scores.missing["reason"].tolist()
    assert "1 run is not finished" in scores.recognised
