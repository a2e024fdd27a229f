"""Ojala and Garriga's two tests: their example, kinds of data, options, bad input."""

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from bayescmp.errors import DiagnosticWarning, InputError
from bayescmp.frequentist import permutation_test
from bayescmp.frequentist.permutation import PermutationResult, as_good
from bayescmp.frequentist.permuting import SequentialDecision, check_cv, label_order, make_folds
from tests.frequentist.estimators import Broken, Centroid, Closest, Nearest, Product, hinge
from tests.rows import each_row


def result_of(**changes):
    fields = {
        "test": "columns",
        "estimator": "Tree<b>",
        "metric": "error",
        "higher_is_better": False,
        "original": np.array([0.2, 0.3]),
        "null": np.array([0.1, 0.2, 0.25, 0.5]),
        "n": 4,
        "alpha": 0.5,
        "stop": None,
        "ended": "complete",
        "settled": None,
        "failures": (),
        "notes": (),
    }
    return PermutationResult(**{**fields, **changes})


def test_counts_and_p_values_by_hand():
    result = result_of()
    assert result.counts.tolist() == [2, 3]
    np.testing.assert_allclose(result.pvalues, [3 / 5, 4 / 5])
    assert result.pvalue == pytest.approx(0.7)
    assert result.statistic == pytest.approx(0.25)
    assert not result.significant
    turned = result_of(higher_is_better=True)
    assert turned.counts.tolist() == [3, 1]


def test_rounding_makes_no_difference_and_failures_count():
    null = np.array([0.1 + 0.2, 0.3, np.nan, 0.31])
    assert as_good(null, np.array([0.3]), False)[:, 0].tolist() == [True, True, True, False]
    assert as_good(null, np.array([0.1 + 0.2]), True)[:, 0].tolist() == [True, True, True, True]
    assert result_of(null=null, original=np.array([0.3])).counts.tolist() == [3]


def test_the_rules_decision_goes_before_p():
    assert result_of(settled=SequentialDecision(4, True)).significant
    assert ": significant at 0.5" in str(result_of(settled=SequentialDecision(4, True)))


def test_intervals():
    low, high = result_of().monte_carlo_interval()
    assert low < 2.5 / 4 < high
    result = result_of(null=np.append(np.arange(101.0), np.nan)).null_interval()
    assert result == pytest.approx((1.0, 99.0))
    with pytest.raises(InputError, match="level"):
        result_of().monte_carlo_interval(95)


def test_text_and_json():
    result = result_of(null=np.array([0.1, np.nan]), n=9, ended="interrupted", notes=("a note",))
    text = " ".join(str(result).split())
    assert "test 2 (columns permuted within classes)" in text
    assert "2 permutations of 9, " in text
    assert "stopped early: interrupted" in text
    assert "a note" in text
    assert "Tree&lt;b&gt;" in result._repr_html_()
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert values["null"] == [0.1, None]
    assert values["pvalue"] == result.pvalue


PAPER = json.loads(
    (Path(__file__).parents[1] / "reference" / "ojala_garriga_2009.json").read_text()
)


def figure_1(name):
    table = PAPER["tables"][name]
    return np.array([list(row) for row in table["rows"]]), np.array(list(table["labels"]))


def two_classes(seed=0, n=40, m=3, shift=2.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    return rng.normal(size=(n, m)) + shift * y[:, None], y


def test_the_tables_restated_are_those_beside_the_checkout(reference_dir):
    frame = pd.read_csv(reference_dir / "ojala_garriga_fig1.csv")
    for name in ("D1", "D2"):
        X, y = figure_1(name)
        rows = frame[frame.dataset == name]
        np.testing.assert_array_equal(X, rows.iloc[:, 2:])
        np.testing.assert_array_equal(y, rows.label)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["D1", "D2"])
def test_table_1_of_the_paper(name):
    """1-nearest neighbour by unequal features, leave-one-out; equally near rows of both classes
    give one of the two at random.

    250 random data sets: a mean of errors has a standard error of 0.01 at most, test 2's p of D1
    one of 0.03, and the printed one of 0.015. The paper names no rule for ties: see
    `tests.calibration.test_permutation.test_table_1_in_full`, of 20 that were tried.
    """
    X, y = figure_1(name)
    published = PAPER["published"][name]
    for test in ("labels", "columns"):
        result = permutation_test(
            Nearest("class"), X, y, test=test, n=250, cv="loo", repeats=1, seed=1
        )
        assert result.statistic == published["error"] == 0
        assert result.null.mean() == pytest.approx(published[test]["mean"], abs=0.03)
        assert result.null.std() == pytest.approx(published[test]["std"], abs=0.03)
        if published[test]["pvalue"] == 0.001:  # the least there is: no random data set as good
            assert result.counts.tolist() == [0]
            assert result.significant
        else:
            assert result.pvalue == pytest.approx(published[test]["pvalue"], abs=0.1)
            assert not result.significant


def test_test_2_sees_dependence_only_where_the_classifier_uses_it():
    rng = np.random.default_rng(4)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 3)) + 0.4 * y[:, None]
    X[:, 1] = 0.5 * X[:, 1] + np.where(y == 1, X[:, 0], -X[:, 0])
    options = {"test": "columns", "n": 99, "cv": 5, "repeats": 2, "seed": 2}
    assert permutation_test(Product(), X, y, **options).pvalue < 0.02
    assert permutation_test(Centroid(), X, y, **options).pvalue > 0.05


def test_p_value_is_that_of_definition_1():
    X, y = two_classes(shift=0.3)
    result = permutation_test(Centroid(), X, y, n=60, cv=4, repeats=3, seed=5)
    for error, p in zip(result.original, result.pvalues, strict=True):
        assert p == (np.sum(result.null <= error + 1e-12) + 1) / 61
    assert result.pvalue == pytest.approx(np.mean(result.pvalues))


def test_error_of_a_given_splitter_is_scikit_learns():
    X, y = two_classes(shift=0.8)
    cv = StratifiedKFold(5, shuffle=True, random_state=3)
    result = permutation_test(GaussianNB(), X, y, n=2, cv=cv, repeats=1, seed=0)
    expected = 1 - cross_val_score(GaussianNB(), X, y, cv=cv)
    assert result.statistic == pytest.approx(expected.mean())  # 8 cases in each fold
    auc = permutation_test(GaussianNB(), X, y, n=2, cv=cv, repeats=1, seed=0, scoring="roc_auc")
    expected = cross_val_score(GaussianNB(), X, y, cv=cv, scoring="roc_auc")
    assert auc.statistic == pytest.approx(expected.mean())
    assert auc.higher_is_better
    assert auc.metric == "roc_auc"


def test_error_counts_all_test_cases_alike():
    """Folds of 3 and 2 cases: the error is of all cases together, as in the paper's equation 1."""
    X, y = two_classes(n=11, shift=0.0)
    folds = list(KFold(4).split(X))
    result = permutation_test(Centroid(), X, y, n=1, cv=folds, repeats=1, seed=0)
    wrong = sum(np.sum(Centroid().fit(X[a], y[a]).predict(X[b]) != y[b]) for a, b in folds)
    assert result.statistic == pytest.approx(wrong / 11)


def test_folds_given_as_masks_are_those_given_as_rows():
    X, y = two_classes(n=20, shift=0.5)
    folds = list(KFold(4).split(X))
    masks = [tuple(np.isin(np.arange(20), rows) for rows in fold) for fold in folds]
    options = {"n": 3, "repeats": 1, "seed": 0}
    by_rows, by_masks = (
        permutation_test(Centroid(), X, y, cv=c, **options) for c in (folds, masks)
    )
    assert by_masks.statistic == by_rows.statistic > 0
    np.testing.assert_array_equal(by_masks.null, by_rows.null)


def test_too_few_permutations_for_the_level_are_told():
    X, y = two_classes()
    few, enough = (
        permutation_test(Centroid(), X, y, n=n, cv=3, repeats=1, seed=0) for n in (18, 19)
    )
    assert "18 permutations cannot give a p-value of 0.05 or less" in str(few)
    assert enough.notes == ()


def test_an_unseeded_splitter_is_seeded():
    X, y = two_classes(shift=0.5)
    cv = StratifiedKFold(5, shuffle=True)
    results = [permutation_test(Centroid(), X, y, n=5, cv=cv, seed=7) for _ in range(2)]
    np.testing.assert_array_equal(results[0].null, results[1].null)
    np.testing.assert_array_equal(results[0].original, results[1].original)
    assert len(set(results[0].original)) > 1
    assert cv.random_state is None


def test_unseeded_estimators_are_seeded_and_seeded_ones_left_alone():
    X, y = two_classes(n=60, shift=0.4)
    tree = make_pipeline(DecisionTreeClassifier(max_features=1))
    options = {"n": 5, "cv": 3, "repeats": 3, "seed": 3}
    one, two = (permutation_test(tree, X, y, **options) for _ in range(2))
    np.testing.assert_array_equal(one.null, two.null)
    assert tree[-1].random_state is None
    other = permutation_test(
        tree.set_params(decisiontreeclassifier__random_state=1), X, y, **options
    )
    assert other.null.tolist() != one.null.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("test", ["labels", "columns"])
def test_results_do_not_depend_on_n_jobs(test):
    X, y = two_classes(shift=0.3)
    options = {"test": test, "n": 30, "cv": 3, "repeats": 2, "seed": 11}
    alone = permutation_test(Centroid(), X, y, **options)
    together = permutation_test(Centroid(), X, y, n_jobs=2, **options)
    np.testing.assert_array_equal(alone.null, together.null)
    np.testing.assert_array_equal(alone.original, together.original)
    for stop in ("gandy", "besag-clifford"):
        results = [
            permutation_test(Centroid(), X, y, stop=stop, n_jobs=jobs, **options)
            for jobs in (1, 2)
        ]
        np.testing.assert_array_equal(results[0].null, results[1].null)


def test_both_tests_share_the_original_errors():
    X, y = two_classes(shift=0.3)
    results = [
        permutation_test(Centroid(), X, y, test=t, n=3, seed=2) for t in ("labels", "columns")
    ]
    np.testing.assert_array_equal(results[0].original, results[1].original)


@pytest.mark.parametrize("test", ["columns"])
def test_pandas_columns_nominal_numeric_and_missing(test):
    X, y = two_classes(n=60)
    frame = pd.DataFrame(
        {"a": X[:, 0], "b": pd.Categorical(np.where(X[:, 1] > 1, "high", "low")), "c": X[:, 2]},
        index=np.arange(60) + 100,
    )
    frame.loc[frame.index[::7], "a"] = np.nan
    encode = make_column_transformer((OneHotEncoder(), ["b"]), remainder="passthrough")
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=2))  # trees take NaN
    labels = pd.Series(np.where(y == 1, "yes", "no"), index=frame.index)
    result = permutation_test(model, frame, labels, test=test, n=19, cv=3, repeats=1, seed=1)
    assert result.statistic < 0.2
    if test == "labels":
        assert result.pvalue == 1 / 20
    else:  # the classes stay apart in each column
        assert result.null.mean() < 0.3
    assert result.estimator == "DecisionTreeClassifier"


@each_row("test", ["labels", "columns"])
def test_sparse_features(test):
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    dense = rng.poisson(np.where(y[:, None] == 1, [2, 0.1, 0.3, 0.2], [0.1, 2, 0.3, 0.2]))
    result = permutation_test(
        MultinomialNB(), sparse.csc_matrix(dense), y, test=test, n=9, cv=5, repeats=1, seed=1
    )
    same = permutation_test(MultinomialNB(), dense, y, test=test, n=9, cv=5, repeats=1, seed=1)
    assert result.statistic == same.statistic
    if test == "labels":  # the same permutations of the labels
        np.testing.assert_array_equal(result.null, same.null)


def test_any_scorer():
    X, y = two_classes(shift=0.5)
    result = permutation_test(Centroid(), X, y, n=30, cv=4, repeats=1, seed=1, scoring=hinge)
    assert result.metric == "hinge"
    assert result.higher_is_better
    assert result.counts[0] == np.sum(result.null >= result.original[0])


def test_regression_by_test_1():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=40)
    result = permutation_test(LinearRegression(), X, y, n=19, cv=4, repeats=2, seed=1)
    assert result.metric == "r2"
    assert result.pvalue == 1 / 20
    with pytest.raises(
        InputError, match="y must have classes for test='columns', which permutes within"
    ):
        permutation_test(LinearRegression(), X, y, test="columns")


def test_features_that_are_missing_where_the_estimator_takes_none():
    X, y = two_classes()
    X[3, 1] = np.nan
    message = r"GaussianNB failed on the original data, repeat 1, fold \d+: ValueError: Input X"
    with pytest.raises(InputError, match=message):
        permutation_test(GaussianNB(), X, y, n=5)


def test_an_estimator_that_always_fails():
    X, y = two_classes()
    with pytest.raises(
        InputError, match=r"original data, repeat 1, fold 1: RuntimeError: no luck"
    ):
        permutation_test(Broken(always=True), X, y, n=5)


def test_an_estimator_that_fails_on_some_random_data():
    """It fails where the first label is 1: on half of the permutations, not on the original."""
    X, y = two_classes()
    y = np.sort(y)
    options = {"n": 20, "cv": [(np.arange(20), np.arange(20, 40))], "repeats": 1, "seed": 3}
    with pytest.raises(
        InputError, match=r"random data set \d+ \(test='labels'\), fold 1.*on_error"
    ):
        permutation_test(Broken(), X, y, **options)
    with pytest.warns(DiagnosticWarning, match=r"failed on \d+ of 20.*RuntimeError"):
        result = permutation_test(Broken(), X, y, on_error="count", **options)
    failed = np.isnan(result.null)
    assert 0 < failed.sum() == len(result.failures) < 20
    assert result.counts[0] == failed.sum() + np.sum(result.null <= result.original[0])


def test_a_class_missing_in_a_fold():
    """With the error rate it is an ordinary fold; a score that is not defined is refused."""
    X, y = two_classes(n=42)
    y = np.where(np.arange(42) < 2, 2, y)
    with pytest.warns(DiagnosticWarning, match="class 2 has 2 cases for 10 folds"):
        result = permutation_test(Centroid(), X, y, n=5, seed=0, repeats=1)
    assert np.isfinite(result.null).all()
    assert "class 2 has 2 cases" in str(result)
    y = np.where(np.arange(42) < 4, 1, 0)

    def undefined(estimator, X, y):
        return float(np.mean(y == 1) / (len(set(y)) == 2)) if len(set(y)) == 2 else np.nan

    with (
        pytest.raises(InputError, match="class 1 is missing in its test cases"),
        pytest.warns(DiagnosticWarning),
    ):
        permutation_test(Centroid(), X, y, n=5, seed=0, scoring=undefined)
    alike = {"n": 5, "cv": "loo", "seed": 0, "scoring": lambda *of_fold: np.nan}
    with pytest.raises(InputError, match=r"fold 1: the score is nan$"):  # no class of a regression
        permutation_test(LinearRegression(), X, X[:, 0], **alike)


def test_a_generator_is_a_seed():
    X, y = two_classes()
    one, other = (
        permutation_test(Centroid(), X, y, n=9, cv=3, repeats=1, seed=np.random.default_rng(3))
        for _ in range(2)
    )
    assert one.null.tolist() == other.null.tolist()


GOOD = two_classes()


@each_row(
    ("change", "message"),
    [
        ({"estimator": Centroid}, r"an instance \(got the class Centroid\)"),
        ({"estimator": "tree"}, r"with fit\(\) \(got 'tree'\)"),
        ({"y": GOOD[1][:-1]}, r"y must be .* \(40,\), .* shape \(39,\)\)"),
        ({"y": np.zeros(40, int)}, "got only 0"),
        ({"y": None}, "y must be one label per case"),
        ({"y": [*GOOD[1][:-1].astype(float), np.nan]}, "got none in row 39"),
        ({"repeats": 1.5}, "repeats must be"),
        ({"cv": 1}, "cv must be from 2 folds to 40"),
        ({"cv": "ten"}, "cv must be"),
        ({"scoring": "acuracy"}, "'accuracy'"),
        ({"alpha": 5}, "alpha must be"),
        ({"stop": "gandy", "risk": "low"}, "risk must be"),
        ({"n_jobs": "two"}, "n_jobs must be"),
        ({"cv": []}, r"cv must be .* \(got no folds\)"),
        (
            {"cv": [(range(20), range(20, 99))]},
            "cv, fold 1: the test set must have rows from 0 to 39",
        ),
        (
            {"cv": [(range(20), range(20, 40)), ([], [1])]},
            "cv, fold 2: the training set must be row numbers",
        ),
        ({"stop": "gandhi"}, "'gandy'"),
        ({"stop": "gandy", "n": 10}, "n must be larger, so that a p-value can be at most 0.05"),
        ({"seed": -1}, "seed must be"),
        ({"X": np.zeros(40), "test": "columns"}, "original data"),
        ({"X": np.zeros((0, 3))}, "X must have shape"),
    ],
)
def test_bad_input(change, message):
    arguments = {"estimator": Centroid(), "X": GOOD[0], "y": GOOD[1], "n": 20, **change}
    with pytest.raises(InputError, match=message):
        permutation_test(
            arguments.pop("estimator"), arguments.pop("X"), arguments.pop("y"), **arguments
        )


def test_labels_of_any_type():
    for kind in ["Int64", "category", "boolean"]:
        X, y = two_classes(n=30)
        labels = pd.Series(y != 0 if kind == "boolean" else y).astype(kind)
        plain = permutation_test(GaussianNB(), X, y, n=3, cv=3, repeats=1, seed=1)
        result = permutation_test(GaussianNB(), X, labels, n=3, cv=3, repeats=1, seed=1)
        np.testing.assert_array_equal(plain.null, result.null)
        with pytest.raises(InputError, match="got none in row 4"):
            permutation_test(GaussianNB(), X, labels.where(np.arange(30) != 4))


def test_without_scikit_learn(monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install scikit-learn"):
        permutation_test(Centroid(), *two_classes())


def test_nothing_is_modified():
    X, y = two_classes()
    before = X.copy(), y.copy()
    model = Centroid()
    permutation_test(model, X, y, test="columns", n=3, seed=1)
    permutation_test(model, X, y, n=3, seed=1)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    assert not hasattr(model, "means_")


# Groups.


def subjects(seed, n_groups=24, each=4, effect=0.0):
    """Cases of a subject share features and a label: neighbours give the label away."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), each)
    y = (np.arange(n_groups) % 2)[groups]
    own = rng.normal(size=(n_groups, 3)) + effect * (np.arange(n_groups) % 2)[:, None]
    return own[groups] + 0.05 * rng.normal(size=(len(groups), 3)), y, groups


def test_subjects_are_not_learned_by_heart():
    """Without groups a nearest neighbour knows each subject; with them nothing is left."""
    X, y, groups = subjects(0)
    options = {"n": 109, "cv": 4, "repeats": 1, "seed": 1}  # the least p there is: 1/110
    assert permutation_test(Closest(), X, y, **options).pvalue < 0.01
    result = permutation_test(Closest(), X, y, groups=groups, **options)
    assert result.pvalue > 0.05
    assert result.statistic > 0.3
    X, y, groups = subjects(0, effect=3.0)
    assert permutation_test(Closest(), X, y, groups=groups, **options).pvalue < 0.01


@each_row("cv", [4, "loo", GroupKFold(4)])
@each_row("classes", [True, False])
def test_groups_stay_together(cv, classes):
    X, y, groups = subjects(2, n_groups=9, each=3)
    cv = check_cv(cv, len(y), 9)
    codes = y if classes else None
    folds = list(make_folds(cv, X, y, codes, np.random.default_rng(0), groups))
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(27))
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])


def test_labels_move_within_groups_or_with_them():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(5), 4)
    mixed = np.tile([0, 0, 1, 1], 5)
    order = label_order(mixed, groups, rng)
    assert np.array_equal(groups[order], groups)
    assert not np.array_equal(order, np.arange(20))
    whole = np.array([0, 1, 1, 0, 1])[groups]
    moved = whole[label_order(whole, groups, rng)].reshape(5, 4)
    assert np.all(moved == moved[:, :1])
    assert sorted(moved[:, 0]) == [0, 0, 1, 1, 1]


def nearest_mean_errors(X, splits, labellings):
    """Cross-validated error rates of the nearer class mean, for every labelling."""
    wrong = 0
    for train, test in splits:
        for_class = [labellings[:, train] == c for c in (0, 1)]
        means = [m @ X[train] / m.sum(axis=1, keepdims=True) for m in for_class]
        gaps = [((X[test] - m[:, None]) ** 2).sum(axis=2) for m in means]
        wrong = wrong + ((gaps[1] < gaps[0]) != labellings[:, test]).sum(axis=1)
    return wrong / len(X)


@each_row("kind", ["a label each", "labels within"])
def test_groups_as_by_all_permutations(kind):
    """All 70 labellings of eight groups by four labels; all 6^3 within three groups of four."""
    if kind == "a label each":
        groups = np.repeat(np.arange(8), 3)
        chosen = [np.isin(np.arange(8), c) for c in combinations(range(8), 4)]
        labellings = np.repeat(np.array(chosen, dtype=int), 3, axis=1)
    else:
        groups = np.repeat(np.arange(3), 4)
        within = [np.isin(np.arange(4), c).astype(int) for c in combinations(range(4), 2)]
        labellings = np.array([np.concatenate(parts) for parts in product(within, repeat=3)])
    rng = np.random.default_rng(6)
    y = labellings[-1]
    X = rng.normal(size=(8, 2))[groups] + rng.normal(size=(len(groups), 2)) + y[:, None]
    splits = list(GroupKFold(3).split(X, y, groups))
    errors = nearest_mean_errors(X, splits, labellings)
    result = permutation_test(Centroid(), X, y, groups=groups, cv=splits, repeats=1, n=400, seed=1)
    assert result.statistic == pytest.approx(errors[-1])
    for bound in np.quantile(errors, [0.1, 0.3, 0.6]):
        exact, share = np.mean(errors < bound + 1e-9), np.mean(result.null < bound + 1e-9)
        assert abs(share - exact) < 4 * np.sqrt(exact * (1 - exact) / 400)


def test_columns_stay_within_class_and_group():
    X, y, groups = subjects(4)
    y = np.tile([0, 1, 0, 1], 24)
    X = X + groups[:, None] * 100
    result = permutation_test(
        Centroid(), X, y, groups=groups, test="columns", n=19, cv=3, repeats=1, seed=0
    )
    assert len(result.null) == 19


@each_row(
    ("groups", "message"),
    [
        ([1, 2], r"groups must be .* \(got an array of shape \(2,\)\)"),
        ([1] * 96, "got only 1"),
        ([0, 1] * 48, "cv must be"),
    ],
)
def test_bad_groups(groups, message):
    X, y, _ = subjects(5)
    with pytest.raises(InputError, match=message):
        permutation_test(Closest(), X, y, groups=groups, cv=5)
