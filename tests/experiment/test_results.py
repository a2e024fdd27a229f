"""What an experiment gives: the table, what is missing, responses for curves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
from bayescmp import curves
from bayescmp.experiment import run_experiment
from bayescmp.experiment.fit import Outcome
from bayescmp.experiment.folds import Fold, Plan
from bayescmp.experiment.results import assembled

MODELS = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}


@pytest.fixture(scope="module")
def kept():
    return run_experiment(
        MODELS, {"cancer": load_breast_cancer(return_X_y=True)}, cv=4, seed=1,
        scoring=["accuracy", "auc", "confusion"], keep_predictions=True,
    )  # fmt: skip


def test_predictions_hold_every_item_of_every_algorithm(kept):
    long = kept.predictions
    assert list(long.columns) == [
        "dataset", "algorithm", "repeat", "fold", "item", "truth", "predicted", "value",
    ]  # fmt: skip
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


@pytest.mark.parametrize("name", [None, "run.db"])
def test_labels_of_words_come_back_from_a_checkpoint(tmp_path, name):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    words = y.map({0: "bad", 1: "good"}).astype("category")
    scores = run_experiment(
        {"nb": GaussianNB()}, {"d": (X, words)}, cv=3, seed=1, positive="bad", scoring="auc",
        keep_predictions=True, checkpoint=name and tmp_path / name,
    )  # fmt: skip
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
    with pytest.raises(bc.InputError, match="predictions were not kept"):
        plain.responses("d", "nb")
    several = run_experiment({"nb": GaussianNB()}, given, cv=2, keep_predictions=True)
    with pytest.raises(bc.InputError, match="'nb' on 'd' has no ranking values"):
        several.responses("d", "nb")
    with pytest.raises(bc.InputError, match="unknown algorithm 'svm'"):
        several.responses("d", "svm")
    X, y = given["d"]
    words = np.array(["a", "b", "c"])[y]
    named = run_experiment(
        {"nb": GaussianNB(), "plain": NearestCentroid()}, {"d": (X, words)}, cv=2,
        positive="b", keep_predictions=True,
    )  # fmt: skip
    truth, values = named.responses("d", "nb")
    assert sum(t.sum() for t in truth) == 50
    assert curves.auc(truth, values).min() > 0.9


PLAN = {"d": Plan(tuple(Fold(1, k, np.arange(4), np.arange(4, 6), 0) for k in (1, 2)))}


def test_rows_are_in_the_order_of_the_plan_whatever_came_first():
    outcomes = {("d", a, 1, k): Outcome({"m": v}) for v, (a, k) in
                enumerate([("b", 2), ("a", 1), ("b", 1), ("a", 2)])}  # fmt: skip
    frame = assembled(PLAN, ["a", "b"], ["m"], outcomes)
    assert frame["m"].tolist() == [1, 3, 2, 0]
    assert "failure" not in frame
    assert "fold_correlation" not in frame


def test_folds_that_were_not_run_have_rows_that_say_so():
    frame = assembled(PLAN, ["a"], ["m"], {("d", "a", 1, 2): Outcome({"m": 1.0}, 1.0, 1.0)})
    missing = bc.Scores(frame).missing
    assert missing[["fold", "metrics"]].to_numpy().tolist() == [[1, "m, fit_time, score_time"]]
    assert missing["reason"].tolist() == ["not run: the experiment was interrupted"]
