"""Experiments: the same folds for all, what is missing, stopped, and kept."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from typing import ClassVar

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib.parallel import ThreadingBackend
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import confusion_matrix, f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
from bayescmp import curves
from bayescmp.experiment import Dataset, Fold, run_experiment
from bayescmp.experiment.data import Splits
from bayescmp.experiment.run import assemble_table
from bayescmp.experiment.store import FoldOutcome
from tests.experiment.fakes import (
    Centroid,
    FailsOn,
    InterruptsOn,
    KillsItself,
    numbered,
    process_id,
)
from tests.marks import first_and_slow
from tests.rows import each_row


def without_times(scores):
    return scores.frame.drop(columns=["fit_time", "score_time"])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_backend_and_jobs_change_nothing(backend):
    """multiprocessing cannot hand results over one by one, as Ray's backend cannot."""
    models = {"tree": DecisionTreeClassifier(max_features=1), "noise": Centroid()}
    expected = run_experiment(models, {"d": numbered()}, cv=5, seed=1)
    with joblib.parallel_config(backend=backend):
        actual = run_experiment(models, {"d": numbered()}, cv=5, seed=1, n_jobs=2)
    pd.testing.assert_frame_equal(without_times(expected), without_times(actual))


class Elsewhere(ThreadingBackend):
    """A cluster's backend, as far as joblib can tell: it takes one process unless told."""

    asked: ClassVar[list] = []

    def configure(self, n_jobs=1, parallel=None, **options):
        Elsewhere.asked.append(n_jobs)
        return super().configure(n_jobs, parallel, **options)


def test_a_cluster_is_used_in_whole_unless_told():
    joblib.register_parallel_backend("elsewhere", Elsewhere)
    for n_jobs, expected in ((None, -1), (2, 2)):
        Elsewhere.asked.clear()
        with joblib.parallel_config(backend="elsewhere"):
            run_experiment({"a": Centroid()}, {"d": numbered()}, cv=2, n_jobs=n_jobs)
        assert Elsewhere.asked == [expected]


MODELS = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}


@pytest.fixture(scope="module")
def kept():
    return run_experiment(
        MODELS,
        {"cancer": load_breast_cancer(return_X_y=True)},
        cv=4,
        seed=1,
        scoring=["accuracy", "auc", "confusion"],
        keep_predictions=True,
    )


def test_predictions_hold_every_item_of_every_algorithm(kept):
    long = kept.predictions
    assert list(long.columns) == [
        "dataset",
        "algorithm",
        "repeat",
        "fold",
        "item",
        "truth",
        "predicted",
        "value",
    ]
    y = load_breast_cancer().target
    for _, part in long.groupby("algorithm", observed=True):
        assert sorted(part["item"]) == list(range(569))
        assert np.array_equal(part["truth"], y[part["item"]])


def test_predictions_give_the_counts_and_areas_of_the_table(kept):
    rows = kept.frame.set_index(["algorithm", "fold"])
    for key, part in kept.predictions.groupby(["algorithm", "fold"], observed=True):
        (tn, fp), (fn, tp) = confusion_matrix(part["truth"], part["predicted"])
        assert rows.loc[key, ["tp", "fn", "fp", "tn"]].tolist() == [tp, fn, fp, tn]
        assert rows.loc[key, "auc"] == pytest.approx(roc_auc_score(part["truth"], part["value"]))
    assert all(kept.frame[c].dtype.kind == "i" for c in ("tp", "fn", "fp", "tn"))


def test_responses_are_what_curves_take(kept):
    truth, values = kept.responses("cancer", "nb")
    areas = curves.auc(truth, values)
    table = kept.frame.query("algorithm == 'nb'")["auc"].to_numpy()
    assert areas == pytest.approx(table)


@each_row("name", [None, "run.db"])
def test_labels_of_words_come_back_from_a_checkpoint(tmp_path, name):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    words = y.map({0: "bad", 1: "good"}).astype("category")
    scores = run_experiment(
        {"nb": GaussianNB()},
        {"d": (X, words)},
        cv=3,
        seed=1,
        positive="bad",
        scoring="auc",
        keep_predictions=True,
        checkpoint=name and tmp_path / name,
    )
    assert set(scores.predictions["predicted"]) == {"bad", "good"}
    areas = curves.auc(*scores.responses("d", "nb"))
    assert areas == pytest.approx(scores.frame["auc"].to_numpy())


def test_joint_table_of_two_algorithms_on_the_same_items(kept):
    wide = kept.predictions.pivot_table(
        "predicted", "item", "algorithm", observed=True, aggfunc="first"
    )
    assert wide.shape == (569, 2)
    assert wide.notna().all(axis=None)


def test_no_responses():
    given = {"d": load_iris(return_X_y=True)}
    plain = run_experiment({"nb": GaussianNB()}, given, cv=2)
    assert plain.predictions is None
    with pytest.raises(bc.InputError, match="keep_predictions must be True to keep"):
        plain.responses("d", "nb")
    several = run_experiment({"nb": GaussianNB()}, given, cv=2, keep_predictions=True)
    with pytest.raises(bc.InputError, match="'nb' on 'd' must have ranking values"):
        several.responses("d", "nb")
    with pytest.raises(bc.InputError, match=r"algorithm must be .*\(got 'svm'\)"):
        several.responses("d", "svm")
    X, y = given["d"]
    words = np.array(["a", "b", "c"])[y]
    named = run_experiment(
        {"nb": GaussianNB(), "plain": NearestCentroid()},
        {"d": (X, words)},
        cv=2,
        positive="b",
        keep_predictions=True,
    )
    truth, values = named.responses("d", "nb")
    assert sum(t.sum() for t in truth) == 50
    assert curves.auc(truth, values).min() > 0.9


SPLITS = {"d": Splits(tuple(Fold(1, k, np.arange(4), np.arange(4, 6), 0) for k in (1, 2)))}


def test_rows_are_in_the_order_of_the_splits_whatever_came_first():
    outcomes = {
        ("d", a, 1, k): FoldOutcome({"m": v})
        for v, (a, k) in enumerate([("b", 2), ("a", 1), ("b", 1), ("a", 2)])
    }
    frame = assemble_table(SPLITS, ["a", "b"], ["m"], outcomes)
    assert frame["m"].tolist() == [1, 3, 2, 0]
    assert "failure" not in frame
    assert "fold_correlation" not in frame


def test_folds_that_were_not_run_have_rows_that_say_so():
    frame = assemble_table(
        SPLITS, ["a"], ["m"], {("d", "a", 1, 2): FoldOutcome({"m": 1.0}, 1.0, 1.0)}
    )
    missing = bc.Scores(frame).missing
    assert missing[["fold", "metrics"]].to_numpy().tolist() == [[1, "m, fit_time, score_time"]]
    assert missing["reason"].tolist() == ["not run: the experiment was interrupted"]


LABELS = ["dataset", "algorithm", "repeat", "fold"]


def test_same_numbers_as_cross_validate():
    """scikit-learn's own loop over the same splitter: an independent account of every column."""
    X, y = load_breast_cancer(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=3)
    metrics = [
        "accuracy",
        "f1",
        "precision",
        "recall",
        "roc_auc",
        "average_precision",
        "neg_log_loss",
        "neg_brier_score",
    ]
    expected = cross_validate(GaussianNB(), X, y, cv=cv, scoring=metrics)
    result = run_experiment({"nb": GaussianNB()}, {"cancer": (X, y)}, cv=cv, scoring=metrics)
    for metric in metrics:
        assert result.frame[metric].to_numpy() == pytest.approx(expected[f"test_{metric}"]), metric
    assert result.frame["repeat"].tolist() == [1] * 5 + [2] * 5
    assert result.frame["fold"].tolist() == [1, 2, 3, 4, 5] * 2
    assert (result.frame[["fit_time", "score_time"]] > 0).all(axis=None)


@pytest.mark.slow
def test_default_is_ten_runs_of_ten_folds_with_rho_a_tenth():
    data = {"iris": load_iris, "cancer": load_breast_cancer(return_X_y=True)}
    models = {"dummy": DummyClassifier(), "guess": DummyClassifier(strategy="uniform")}
    scores = run_experiment(models, data, seed=1)
    assert scores.datasets == ("iris", "cancer")
    assert scores.algorithms == ("dummy", "guess")
    assert scores.sole_metric == "accuracy"
    assert (scores.frame.groupby(LABELS[:2]).size() == 100).all()
    differences = scores.differences("dummy", "guess")
    assert differences.rho.tolist() == [0.1, 0.1]
    assert len(scores.missing) == 0
    # A tenth of 150 rows, and of 569: stratified on three classes of 50, the former exactly.
    assert set(scores.frame["n_test"][scores.frame["dataset"] == "iris"]) == {15}
    assert set(scores.frame["n_test"][scores.frame["dataset"] == "cancer"]) == {56, 57}


def test_all_algorithms_get_the_same_folds_and_seeds():
    """Two names for one algorithm: the same scores, random as it is."""
    forest = RandomForestClassifier(n_estimators=3)
    scores = run_experiment({"a": forest, "b": forest}, {"d": numbered()}, cv=5, seed=7)
    assert np.all(scores.differences("a", "b").matrix == 0)
    assert forest.random_state is None
    assert not hasattr(forest, "estimators_")


def test_seed_decides_and_order_and_company_do_not():
    models = {"tree": DecisionTreeClassifier(max_features=1), "noise": Centroid()}
    data = {"one": numbered(40), "two": numbered(50, seed=2)}
    options = {"cv": RepeatedStratifiedKFold(n_splits=4, n_repeats=2)}
    scores = run_experiment(models, data, seed=5, **options)
    again = run_experiment(
        dict(reversed(models.items())), dict(reversed(data.items())), seed=5, **options
    )
    alone = run_experiment({"noise": models["noise"]}, {"two": data["two"]}, seed=5, **options)
    other = run_experiment(models, data, seed=6, **options)

    def table(actual, names=("tree", "noise")):
        frame = without_times(actual)
        frame = frame[frame["algorithm"].isin(names) & (frame["dataset"] == "two")]
        return frame.sort_values(LABELS).reset_index(drop=True)

    pd.testing.assert_frame_equal(table(scores), table(again))
    pd.testing.assert_frame_equal(table(scores, ["noise"]), table(alone))
    assert not table(scores).equals(table(other))


def test_drawn_seed_is_told_and_repeats_the_run():
    first = run_experiment({"a": Centroid()}, {"d": numbered()}, cv=3)
    again = run_experiment({"a": Centroid()}, {"d": numbered()}, cv=3, seed=first.seed)
    pd.testing.assert_frame_equal(without_times(first), without_times(again))


@pytest.mark.slow
def test_on_a_dask_cluster_of_two_worker_processes(tmp_path):
    """The call is the same; the work is done elsewhere, and every fold reaches the checkpoint."""
    import distributed

    scoring = {"accuracy": "accuracy", "pid": process_id}
    data = {"d": numbered(), "cancer": load_breast_cancer(return_X_y=True)}
    models = {"noise": Centroid(pause=0.02), "nb": GaussianNB()}
    here = run_experiment(models, data, cv=5, scoring="accuracy", seed=1)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        there = run_experiment(
            models, data, cv=5, scoring=scoring, seed=1, checkpoint=tmp_path / "run"
        )
    pids = set(there.frame["pid"])
    assert len(pids) == 2
    assert os.getpid() not in pids
    expected = here.frame["accuracy"].to_numpy()
    assert np.array_equal(there.frame["accuracy"], expected)
    assert len(bc.Scores.read(tmp_path / "run").frame) == 20


# Layouts.


def test_random_splits_are_single_folds_with_rho_from_their_sizes():
    data = {"d": numbered(50)}
    cv = ShuffleSplit(n_splits=6, test_size=0.3)
    scores = run_experiment({"a": Centroid(), "b": GaussianNB()}, data, cv=cv, seed=1)
    assert scores.frame["repeat"].tolist() == [1, 2, 3, 4, 5, 6] * 2
    assert set(scores.frame["fold"]) == {1}
    assert scores.differences("a", "b").rho == pytest.approx(15 / 50)  # Nadeau & Bengio 2003
    again = run_experiment({"a": Centroid(), "b": GaussianNB()}, data, cv=cv, seed=1)
    pd.testing.assert_frame_equal(without_times(scores), without_times(again))


def test_layout_of_the_thesis():
    """A third held out, the rest resampled: one test set, and a correlation that says so."""
    cv = bc.HoldoutResample(folds=6)
    data = {"d": numbered(90)}
    models = {"a": Centroid(), "b": GaussianNB()}
    scores = run_experiment(models, data, cv=cv, seed=1, keep_predictions=True)
    assert set(scores.frame["n_test"]) == {30}
    assert set(scores.frame["n_train"]) == {50}
    tested = scores.predictions.groupby(["algorithm", "fold"], observed=True)["item"]
    assert len({tuple(sorted(items)) for _, items in tested}) == 1
    assert scores.differences("a", "b").rho == pytest.approx(4 / 5)
    given = run_experiment(models, data, cv=bc.HoldoutResample(folds=6, rho=0.5), seed=1)
    assert given.differences("a", "b").rho == pytest.approx(0.5)


def test_groups_stay_together():
    X, y = numbered(40)
    groups = np.arange(40) // 4
    scores = run_experiment(
        {"a": Centroid()}, {"d": (X, y, groups)}, cv=GroupKFold(5), keep_predictions=True
    )
    fold_of = scores.predictions.set_index("item")["fold"]
    assert (fold_of.groupby(groups[fold_of.index]).nunique() == 1).all()
    assert scores.frame["fold"].tolist() == [1, 2, 3, 4, 5]


def test_folds_may_be_given_with_labels_and_seeds():
    X, y = numbered(12)
    rows = np.arange(12)
    folds = [Fold(3, k + 1, rows[rows % 3 != k], rows[rows % 3 == k], 11) for k in range(3)]
    scores = run_experiment({"a": Centroid()}, {"d": (X, y)}, cv={"d": folds})
    assert scores.frame["repeat"].tolist() == [3, 3, 3]
    expected = [
        Centroid(11).fit(X[f.train], y[f.train]).score(X[f.test], y[f.test]) for f in folds
    ]
    assert scores.frame["accuracy"].tolist() == expected


# Data.


def test_precomputed_kernel_is_cut_by_rows_and_columns():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    options = {"cv": 3, "seed": 1, "scoring": ["accuracy", "auc"]}
    plain = run_experiment({"svm": SVC(kernel="linear")}, {"d": (X, y)}, **options)
    kernel = run_experiment({"svm": SVC(kernel="precomputed")}, {"d": (X @ X.T, y)}, **options)
    columns = ["accuracy", "auc"]
    assert kernel.frame[columns].to_numpy() == pytest.approx(plain.frame[columns].to_numpy())
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    near = run_experiment({"k": KNeighborsClassifier()}, {"d": (X, y)}, **options)
    model = {"k": KNeighborsClassifier(metric="precomputed")}
    precomputed = run_experiment(model, {"d": (pd.DataFrame(distances), y)}, **options)
    assert precomputed.frame["accuracy"].tolist() == near.frame["accuracy"].tolist()


def test_numbers_to_predict():
    X, y = load_diabetes(return_X_y=True)
    models = {"ridge": Ridge(), "linear": LinearRegression()}
    scores = run_experiment(
        models, {"d": (X, y)}, scoring=["r2", "neg_mean_absolute_error"], cv=5, seed=1
    )
    assert not scores.lower_is_better("neg_mean_absolute_error")
    better = scores.differences("ridge", "linear", "neg_mean_absolute_error").means[0]
    means = scores.means("neg_mean_absolute_error")
    assert better == pytest.approx((means["linear"] - means["ridge"]).iloc[0])
    assert run_experiment(models, {"d": (X, y)}, cv=3, seed=1).sole_metric == "r2"


# What goes wrong.


def test_estimator_that_raises_in_fold_7_is_recorded_and_the_rest_goes_on():
    X, y = numbered(60)
    probe = run_experiment({"a": Centroid()}, {"d": (X, y)}, cv=10, seed=1, keep_predictions=True)
    row = int(probe.predictions.query("fold == 7")["item"].iloc[0])
    models = {"fine": Centroid(), "fails": FailsOn(row)}
    with pytest.warns(
        bc.DiagnosticWarning,
        match="1 of 20 folds failed, e.g. fails on d, repeat "
        "1, fold 7: RuntimeError: out of luck in this fold",
    ):
        scores = run_experiment(models, {"d": (X, y)}, cv=10, seed=1)
    missing = scores.missing
    assert missing[LABELS].to_numpy().tolist() == [["d", "fails", 1, 7]]
    assert missing["reason"].tolist() == ["RuntimeError: out of luck in this fold"]
    assert scores.frame["accuracy"].notna().sum() == 19
    assert "missing: 1 fold, e.g. dataset d, algorithm fails, repeat 1, fold 7" in repr(scores)
    with pytest.raises(bc.InputError, match=r"fold 7 \(RuntimeError: out of luck in this fold\)"):
        scores.differences("fine", "fails", "accuracy")


def test_every_fold_failed():
    with pytest.raises(bc.InputError, match="estimators must be fitted in at least one"):
        run_experiment({"a": FailsOn(-1)}, {"d": numbered()}, cv=3)


def test_nan_features_fail_where_an_estimator_can_not_take_them():
    X, y = numbered(40)
    X[3, 1] = np.nan
    models = {"tree": DecisionTreeClassifier(), "logistic": LogisticRegression()}
    with pytest.warns(bc.DiagnosticWarning, match="5 of 10 folds failed.*contains NaN"):
        scores = run_experiment(models, {"d": (X, y)}, cv=5, seed=1)
    missing = scores.missing
    assert set(missing["algorithm"]) == {"logistic"}
    assert len(missing) == 5
    accuracy = scores.frame.set_index("algorithm")["accuracy"]
    assert accuracy["tree"].notna().all()


def test_training_rows_of_one_class():
    """A model that never saw the positive class ranks all rows alike: AUC one half."""
    X, y = numbered(20)
    train = np.flatnonzero(y == 0)[:6]
    test = np.setdiff1d(np.arange(20), train)
    models = {"tree": DecisionTreeClassifier(), "logistic": LogisticRegression()}
    with pytest.warns(bc.DiagnosticWarning, match="1 of 2 folds failed, e.g. logistic"):
        scores = run_experiment(
            models, {"d": (X, y)}, cv=[(train, test)], scoring=["auc", "confusion"]
        )
    tree = scores.frame.set_index("algorithm").loc["tree"]
    assert tree["auc"] == 0.5
    assert (tree["tp"], tree["fn"], tree["fp"], tree["tn"]) == (0, 10, 0, 4)
    assert "class" in scores.missing["reason"].iloc[0]


def test_test_rows_of_one_class_leave_auc_undefined_and_accuracy_not():
    X, y = numbered(20)
    test = np.flatnonzero(y == 1)[:4]
    train = np.setdiff1d(np.arange(20), test)
    scoring = ["accuracy", "auc", "recall", "tnr"]
    with pytest.warns(bc.DiagnosticWarning, match="auc: undefined: the test rows have no nega"):
        scores = run_experiment(
            {"a": GaussianNB(), "b": DecisionTreeClassifier()},
            {"d": (X, y)},
            cv=[(train, test)],
            scoring=scoring,
        )
    assert scores.missing["metrics"].tolist() == ["auc, tnr"] * 2
    assert scores.frame[["accuracy", "recall"]].notna().all(axis=None)
    scores.differences("a", "b", "accuracy")
    with pytest.raises(bc.InputError, match=r"'auc' must be finite.*no negatives"):
        scores.differences("a", "b", "auc")


@pytest.fixture
def heeded():
    """A shell that runs tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize("n_jobs", first_and_slow(1, 2))
def test_ctrl_c_keeps_what_is_done(n_jobs, tmp_path):
    X, y = numbered(60)
    models = {"fine": Centroid(), "interrupts": InterruptsOn(5, os.getpid())}
    options = {"cv": 10, "seed": 1, "checkpoint": tmp_path / "run", "n_jobs": n_jobs}
    with pytest.warns(bc.DiagnosticWarning, match=r"interrupted: \d+ of 20 folds are done"):
        scores = run_experiment(models, {"d": (X, y)}, **options)
    assert scores.interrupted
    done = scores.frame["accuracy"].notna()
    # Alone, all ten of the first and those before the fold; workers may be ahead of the disk.
    assert (10 if n_jobs == 1 else 1) <= done.sum() < 20
    assert len(scores.missing) == 20 - done.sum()
    assert set(scores.missing["reason"]) == {"not run: the experiment was interrupted"}
    assert len(bc.Scores.read(tmp_path / "run").frame) == done.sum()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:A worker stopped")
def test_a_killed_worker_keeps_what_is_done(tmp_path):
    """As the system kills what takes too much memory; the fold before it is on the disk."""
    X, y = numbered(60)
    models = {"fine": Centroid(), "killed": KillsItself(5)}
    run_experiment({"fine": Centroid()}, {"d": (X, y)}, cv=4, seed=1, n_jobs=2)  # they have begun
    with pytest.warns(
        bc.DiagnosticWarning, match=r"stopped by TerminatedWorkerError .*: . of 8 folds"
    ):
        scores = run_experiment(
            models, {"d": (X, y)}, cv=4, seed=1, n_jobs=2, checkpoint=tmp_path / "run"
        )
    assert scores.interrupted
    done = len(bc.Scores.read(tmp_path / "run").frame)
    assert 1 <= done < 8
    assert len(scores.missing) == 8 - done


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_before_anything_is_done():
    with pytest.raises(KeyboardInterrupt):
        run_experiment({"a": InterruptsOn(-1, os.getpid())}, {"d": numbered()}, cv=3)


@each_row(
    ("changes", "message"),
    [
        ({"n_jobs": 0}, "n_jobs must be a number of processes"),
        ({"threads": -1}, "threads must be"),
        ({"seed": "x"}, "seed must be"),
        (
            {"scoring": "acuracy"},
            r"metric in scoring must be .*\(got 'acuracy'\)\. Did you mean 'accuracy'",
        ),
        ({"cv": {"e": 3}}, r"data set in cv must be .*\(got 'd'\)"),
    ],
)
def test_bad_input(changes, message):
    arguments = {"estimators": {"a": Centroid()}, "datasets": {"d": numbered()}, **changes}
    with pytest.raises(bc.InputError, match=message):
        run_experiment(**arguments)


def test_importing_it_loads_nothing_heavy():
    code = (
        "import sys, bayescmp.experiment, bayescmp.experiment.config; "
        "print([m for m in ('sklearn', 'joblib', 'dask', 'tqdm') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_data_set_may_be_made_when_it_is_needed():
    scores = run_experiment(
        {"a": Centroid()}, {"d": lambda: Dataset(*numbered(20)), "e": lambda: numbered(20)}, cv=2
    )
    assert scores.datasets == ("d", "e")


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
    with pytest.raises(bc.InputError, match=r"got nan for .*fold 3 \(ValueError: \(no\)"):
        scores.means("accuracy")
    scores.differences("gbm", "svm", "accuracy")


def test_times_are_no_score_to_compare_by_unless_named(table):
    timed = table.drop(columns="log_loss").assign(fit_time=1.0, score_time=2.0)
    scores = bc.Scores(timed)
    assert scores.metrics == ("accuracy", "fit_time", "score_time")
    assert scores.sole_metric == "accuracy"
    assert scores.lower_is_better("fit_time")
    assert scores.differences("knn", "gbm", "fit_time").means.tolist() == [0, 0, 0]
    with pytest.raises(bc.InputError, match="metric must be given if the table has"):
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
    with pytest.raises(bc.InputError, match=f"of data set 'iris' must be one .*got {shown}"):
        bc.Scores(stated).differences("knn", "gbm", "accuracy")


def test_folds_that_come_one_by_one_are_those_of_every_data_set():
    X, y = load_iris(return_X_y=True)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    given = {"a": (X, y), "b": (X, y)}
    scores = run_experiment({"nb": GaussianNB()}, given, cv=iter(folds), seed=1)
    means = run_experiment({"nb": GaussianNB()}, given, cv=folds, seed=1).means("accuracy")
    pd.testing.assert_frame_equal(scores.means("accuracy"), means)


def half(model, X, y):
    return 0.5


def test_scorers_of_a_checkpoint_are_told_apart(tmp_path):
    given, models = {"d": load_iris(return_X_y=True)}, {"nb": GaussianNB()}
    how = {"cv": 2, "seed": 1, "checkpoint": tmp_path / "run.sqlite"}
    for average in ("macro", "macro", "micro"):
        scoring = {"f1": make_scorer(f1_score, average=average), "half": half}
        if average == "macro":
            assert (
                run_experiment(models, given, scoring=scoring, **how).frame["half"].eq(0.5).all()
            )
        else:
            with pytest.raises(
                bc.InputError, match=r"must be of this experiment .* scoring: 'f1'"
            ):
                run_experiment(models, given, scoring=scoring, **how)
