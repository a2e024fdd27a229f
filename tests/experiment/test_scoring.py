"""Metrics of a fold: beside scikit-learn's own functions on the same predictions."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import bayescmp as bc
from bayescmp import curves
from bayescmp.experiment.data import Dataset
from bayescmp.experiment.scoring import (
    ComputedMetric,
    as_scoring,
    describe,
    evaluate,
    positive_class,
    rank_cases,
)
from tests.rows import each_row

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :2]
TRAIN, TEST = np.arange(0, 569, 2), np.arange(1, 569, 2)
WORDS = np.where(Y == 1, "benign", "malignant")  # the last in sorted order is malignant


def evaluated(model, scoring, y=Y, positive=1):
    model.fit(X[TRAIN], y[TRAIN])
    return evaluate(model, X[TEST], y[TEST], as_scoring(scoring, True), positive)


@each_row("words", [False, True])
def test_counts_rates_and_areas(words):
    y, positive = (WORDS, "malignant") if words else (Y, 1)
    names = [
        "confusion",
        "rates",
        "accuracy",
        "error",
        "f1",
        "precision",
        "recall",
        "specificity",
        "mcc",
        "kappa",
        "jaccard",
        "balanced_accuracy",
        "auc",
        "auc_pr_trapezoid",
    ]
    model = GaussianNB()
    values, reasons, kept = evaluated(model, names, y, positive)
    truth, predicted = y[TEST], model.predict(X[TEST])
    rank = model.predict_proba(X[TEST])[:, list(model.classes_).index(positive)]
    negative = next(c for c in model.classes_ if c != positive)
    (tn, fp), (fn, tp) = metrics.confusion_matrix(truth, predicted, labels=[negative, positive])
    precision, recall, _ = metrics.precision_recall_curve(truth == positive, rank)
    p = {"pos_label": positive}
    expected = {
        "tp": tp,
        "fn": fn,
        "fp": fp,
        "tn": tn,
        "tpr": tp / (tp + fn),
        "fnr": fn / (tp + fn),
        "fpr": fp / (fp + tn),
        "tnr": tn / (fp + tn),
        "accuracy": metrics.accuracy_score(truth, predicted),
        "error": metrics.zero_one_loss(truth, predicted),
        "f1": metrics.f1_score(truth, predicted, **p),
        "precision": metrics.precision_score(truth, predicted, **p),
        "recall": metrics.recall_score(truth, predicted, **p),
        "specificity": metrics.recall_score(truth, predicted, pos_label=negative),
        "mcc": metrics.matthews_corrcoef(truth, predicted),
        "kappa": metrics.cohen_kappa_score(truth, predicted),
        "jaccard": metrics.jaccard_score(truth, predicted, **p),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted),
        "auc": metrics.roc_auc_score(truth == positive, rank),
        # The same curve but for its first piece, where scikit-learn puts precision 1.
        "auc_pr_trapezoid": metrics.auc(recall[:-1], precision[:-1]) + recall[-2] * precision[-2],
    }
    assert values == pytest.approx(expected, abs=1e-12)
    assert list(values) == list(expected)
    assert reasons == []
    assert np.array_equal(kept["predicted"], predicted)
    assert np.array_equal(kept["value"], rank)


def test_three_areas_under_the_precision_recall_curve_are_three_numbers():
    model = KNeighborsClassifier()  # many ties
    names = ["auc_pr", "auc_pr_trapezoid", "average_precision"]
    values, _, kept = evaluated(model, names)
    assert values["auc_pr"] == pytest.approx(curves.auc_pr(Y[TEST], kept["value"]))
    steps = metrics.average_precision_score(Y[TEST], kept["value"])
    assert values["average_precision"] == pytest.approx(steps)
    # Straight lines lie above the hyperbolas between the points (Davis & Goadrich 2006).
    assert values["auc_pr_trapezoid"] > values["auc_pr"] + 1e-4
    assert abs(values["auc_pr"] - steps) > 1e-4


def scorers():
    skip = (
        "adjusted_",
        "completeness",
        "fowlkes",
        "homogeneity",
        "mutual_info",
        "normalized_",
        "rand_score",
        "v_measure",
        "jaccard_samples",
        "f1_samples",
        "precision_samples",
        "recall_samples",
        "neg_mean_",
        "neg_median",
        "neg_root",
        "neg_max",
        "r2",
        "explained_variance",
        "d2_absolute",
        "d2_pinball",
        "d2_tweedie",
        "max_error",
        "positive_likelihood",
        "neg_negative_likelihood",
        "top_k",
    )
    return [n for n in metrics.get_scorer_names() if not n.startswith(skip)]


def test_scorers_by_name_give_what_they_give_alone():
    """Answers are asked for once; every scorer for classes of scikit-learn still gets its own."""
    names = scorers()
    assert len(names) > 20
    model = LogisticRegression(max_iter=1000)
    values, reasons, _ = evaluated(model, names)
    for name in names:
        alone = metrics.get_scorer(name)(model, X[TEST], Y[TEST])
        assert values[name] == pytest.approx(alone, rel=1e-9), name
    assert reasons == []


def test_predictions_are_asked_for_once():
    class Counting(GaussianNB):
        asked = 0

        def predict_proba(self, X):
            Counting.asked += 1
            return super().predict_proba(X)

    evaluated(Counting(), ["roc_auc", "neg_log_loss", "neg_brier_score", "average_precision"])
    # One by the ranking and all scorers together; predict of GaussianNB asks for none.
    assert Counting.asked == 1


def test_functions_and_scorers_of_ones_own():
    scoring = {"f2": make_scorer(metrics.fbeta_score, beta=2), "rows": lambda model, X, y: len(y)}
    model = GaussianNB()
    values, _, _ = evaluated(model, scoring)
    expected = metrics.fbeta_score(Y[TEST], model.predict(X[TEST]), beta=2)
    assert values == pytest.approx({"f2": expected, "rows": len(TEST)})


def test_several_classes():
    X3, y3 = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X3[::2], y3[::2])
    names = ["accuracy", "error", "f1_macro", "roc_auc_ovr"]
    values, reasons, kept = evaluate(model, X3[1::2], y3[1::2], as_scoring(names, True), None)
    predicted = model.predict(X3[1::2])
    assert values["accuracy"] == pytest.approx(metrics.accuracy_score(y3[1::2], predicted))
    assert values["error"] == pytest.approx(1 - values["accuracy"])
    assert values["f1_macro"] == pytest.approx(
        metrics.f1_score(y3[1::2], predicted, average="macro")
    )
    assert reasons == []
    assert "value" not in kept
    named, _, kept = evaluate(
        model, X3[1::2], y3[1::2], as_scoring(["tp", "recall", "auc", "accuracy"], True), 1
    )
    assert named["recall"] == metrics.recall_score(y3[1::2] == 1, predicted == 1)
    proba = model.predict_proba(X3[1::2])[:, 1]
    assert named["auc"] == pytest.approx(metrics.roc_auc_score(y3[1::2] == 1, proba))
    assert named["accuracy"] == values["accuracy"]


@each_row("positive", [0, 1])
def test_ranking_by_decision_values(positive):
    for model in (SVC(), RidgeClassifier()):
        model.fit(X[TRAIN], Y[TRAIN])
        rank = rank_cases(model, X[TEST], positive)
        right = metrics.roc_auc_score(Y[TEST] == positive, rank)
        assert right > 0.8
        assert np.array_equal(np.abs(rank), np.abs(model.decision_function(X[TEST])))


def test_no_ranking_no_area():
    from sklearn.neighbors import NearestCentroid

    class Plain(NearestCentroid):
        predict_proba = property()
        decision_function = property()

    values, reasons, _ = evaluated(Plain(), ["auc", "accuracy"])
    assert np.isnan(values["auc"])
    assert values["accuracy"] > 0.5
    assert reasons == ["auc: the estimator has neither predict_proba nor decision_function"]


class Constant:
    """Always predicts one class."""

    classes_ = np.array([0, 1])

    def __init__(self, answer):
        self.answer = answer

    def predict(self, X):
        return np.full(len(X), self.answer)

    def predict_proba(self, X):
        return np.tile([1.0 - self.answer, self.answer], (len(X), 1))


def test_nothing_predicted_positive_is_precision_zero_as_in_scikit_learn():
    y = np.array([1, 1, 0, 0, 0])
    names = ["precision", "recall", "f1", "mcc", "accuracy", "auc"]
    values, reasons, _ = evaluate(Constant(0), y[:, None], y, as_scoring(names, True), 1)
    assert values == {"precision": 0, "recall": 0, "f1": 0, "mcc": 0, "accuracy": 0.6, "auc": 0.5}
    assert reasons == []
    quiet = {"zero_division": 0}
    predicted = np.zeros(5, dtype=int)
    assert metrics.precision_score(y, predicted, **quiet) == values["precision"]
    assert metrics.matthews_corrcoef(y, predicted) == values["mcc"]


def test_undefined_is_nan_with_its_reason():
    for y, name, lack in [
        ([1, 1], "auc", "the test rows have no negatives"),
        ([0, 0], "auc_pr", "the test rows have no positives"),
        ([0, 0], "recall", "the test rows have no positives"),
        ([1, 1], "fpr", "the test rows have no negatives"),
        ([0, 1], "fdr", "no row was predicted positive"),
    ]:
        values, reasons, _ = evaluate(
            Constant(0), np.zeros((2, 1)), np.array(y), as_scoring(name, True), 1
        )
        assert np.isnan(values[name])
        assert reasons == [f"{name}: undefined: {lack}"]


def test_a_scorer_that_fails_leaves_the_others():
    def broken(model, X, y):
        raise RuntimeError("no")

    values, reasons, _ = evaluated(
        GaussianNB(), {"bad": broken, "accuracy": "accuracy", "odd": lambda *_: np.inf}
    )
    assert np.isnan(values["bad"])
    assert values["accuracy"] > 0.5
    assert reasons == ["bad: no", "odd: the scorer gave inf"]


def test_defaults_and_shorthands():
    assert as_scoring(None, True) == {"accuracy": ComputedMetric("accuracy")}
    assert as_scoring(None, False) == {"r2": "r2"}
    assert list(as_scoring(["confusion", "rates", "auc"], True)) == [
        "tp",
        "fn",
        "fp",
        "tn",
        "tpr",
        "fnr",
        "fpr",
        "tnr",
        "auc",
    ]
    assert as_scoring("f1_macro", True) == {"f1_macro": "f1_macro"}
    assert describe(as_scoring(["f1", "f1_macro"], True)) == {"f1": "f1", "f1_macro": "f1_macro"}


@each_row(
    ("scoring", "classifies", "message"),
    [
        (
            "acuracy",
            True,
            r"metric in scoring must be .*\(got 'acuracy'\)\. Did you mean 'accuracy'",
        ),
        ([], True, "at least one metric"),
        ({"a": 3}, True, r"scoring\['a'\] must be a metric's name"),
        ({"fold": "accuracy"}, True, "scoring must have other names than the"),
        ({"mse": "neg_mean_squared_error"}, False, "Name it 'neg_mse'"),
        ({"misses": "fn"}, True, "lower is better, as for 'fn'"),
        ({1: "accuracy", "1": "error"}, True, "scoring must have different names .*'1' twice"),
        ({"loss": make_scorer(metrics.log_loss)}, True, "Name it 'neg_loss'"),
    ],
)
def test_refused(scoring, classifies, message):
    with pytest.raises(bc.InputError, match=message):
        as_scoring(scoring, classifies)


def test_positive_class():
    two, three = Dataset(X, WORDS), Dataset(np.zeros((150, 1)), np.arange(150) % 3)
    assert positive_class(as_scoring("auc", True), "d", two, True) == "malignant"
    assert positive_class(as_scoring("r2", False), "d", two, False) is None
    assert positive_class(as_scoring("accuracy", True), "d", three, True) is None
    named = Dataset(three.X, three.y, positive=0)
    assert positive_class(as_scoring("auc", True), "d", named, True) == 0
    with pytest.raises(bc.InputError, match="scoring must have metrics for the 3 classes"):
        positive_class(as_scoring(["accuracy", "recall"], True), "d", three, True)
