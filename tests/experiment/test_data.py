"""Data sets, estimators and folds of an experiment: forms, digests, labels, refusals."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import model_selection as ms
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
from bayescmp.experiment.data import (
    Dataset,
    Fold,
    HoldoutResample,
    as_datasets,
    as_estimators,
    as_text,
    classify,
    describe,
    digest_data,
    digest_splits,
    is_pairwise,
    labels_of,
    prepare_estimator,
    split_dataset,
    take,
)
from tests.rows import each_row

X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y, "who": list("uuvvww")})


def test_accepted():
    for data in [
        (X, Y),
        [X.tolist(), Y.tolist()],
        (sparse.csr_matrix(X), Y),
        (pd.DataFrame(X), pd.Series(Y)),
        (FRAME[["a", "b", "y"]], "y"),
        Dataset(X, Y),
        {"data": X, "target": Y},
        lambda: (X, Y),
        lambda: lambda: Dataset(X, Y),
    ]:
        actual = as_datasets({"d": data})["d"]
        values = actual.X.toarray() if sparse.issparse(actual.X) else np.asarray(actual.X)
        assert np.array_equal(values, X)
        assert np.array_equal(actual.y, Y)
        assert (actual.n, actual.groups, actual.positive) == (6, None, None)


def test_bunch_and_groups():
    assert as_datasets({"iris": load_iris()})["iris"].X.shape == (150, 4)
    by_name = as_datasets({"d": (FRAME, "y", "who")})["d"]
    assert list(by_name.X.columns) == ["a", "b"]
    assert by_name.groups.tolist() == list("uuvvww")
    assert as_datasets({"d": (X, Y, list("uuvvww"))})["d"].groups.tolist() == list("uuvvww")


def test_labels_of_a_table_are_what_they_hold():
    for values, kind in [(["no", "yes"], "U"), ([3, 7], "i"), ([False, True], "b")]:
        labels = pd.Series([values[i] for i in Y], dtype=object)
        for labelled in (labels, pd.Categorical(labels)):
            actual = as_datasets({"d": (X, labelled)})["d"].y
            assert actual.dtype.kind == kind
            assert actual.tolist() == labels.tolist()


def test_positive_class_of_all_or_of_each():
    text = np.where(Y, "yes", "no")
    actual = as_datasets({"d": (X, Y), "e": (X, text)}, {"e": "no"})
    assert (actual["d"].positive, actual["e"].positive) == (None, "no")
    assert as_datasets({"d": (X, Y)}, 0)["d"].positive == 0


@each_row(
    ("datasets", "message"),
    [
        ({}, "datasets must be a dict of names"),
        ({"d": X}, r"datasets\['d'\] must be \(X, y\).*got ndarray"),
        ({"d": (X, Y[:5])}, r"got \(6, 2\) and \(5,\)"),
        ({"d": (X, X)}, r"y of shape \(n,\).*got shape \(6, 2\)"),
        (
            {"d": (X, [0, 1, np.nan, 1, 0, np.inf])},
            r"infinite one in row 2 .*2 rows in all",
        ),
        ({"d": (X, Y, [1])}, r"groups must have the shape of y, \(6,\)"),
        (
            {"d": (FRAME, "y", "whom")},
            r"column in data set 'd' must be .*\(got 'whom'\)\. Did you mean 'who'",
        ),
        ({"d": (X, "y")}, r"datasets\['d'\] must have a table for X, if"),
        ({1: (X, Y), "1": (X, Y)}, "datasets must have different names .*'1' twice"),
    ],
)
def test_refused(datasets, message):
    with pytest.raises(bc.InputError, match=message):
        as_datasets(datasets)


def test_unknown_positive_class_or_data_set():
    with pytest.raises(bc.InputError, match=r"positive class of data set 'd' must be .*\(got 7\)"):
        as_datasets({"d": (X, Y)}, 7)
    with pytest.raises(bc.InputError, match=r"data set in positive must be .*\(got 'e'\)"):
        as_datasets({"d": (X, Y)}, {"e": 1})


FORMS = {
    "array": X,
    "float32": X.astype(np.float32),
    "frame": pd.DataFrame(X),
    "named": pd.DataFrame(X, columns=["a", "b"]),
    "sparse": sparse.csr_matrix(X),
    "text": pd.DataFrame({"a": list("abcdef"), "b": X[:, 1]}),
    "categories": pd.DataFrame({"a": pd.Categorical(list("abcabc")), "b": X[:, 1]}),
}


def test_digest_tells_any_change_and_nothing_else():
    base = digest_data(Dataset(X, Y))
    assert (
        base
        == digest_data(Dataset(X.copy(), Y.copy()))
        == digest_data(Dataset(np.asfortranarray(X), Y))
    )
    other = X.copy()
    other[3, 1] += 1e-9
    changed = [
        Dataset(other, Y),
        Dataset(X, 1 - Y),
        Dataset(X, Y, Y),
        Dataset(X, Y, None, 1),
        *(Dataset(form, Y) for name, form in FORMS.items() if name != "array"),
    ]
    actual = {digest_data(d) for d in changed}
    assert base not in actual
    assert len(actual) == len(changed)


@pytest.mark.slow
def test_digest_is_the_same_in_another_process():
    import subprocess
    import sys

    code = (
        "from tests.experiment.test_data import *; "
        "print([digest_data(Dataset(f, Y)) for f in FORMS.values()])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": "."},
    )
    assert done.stdout.strip() == str([digest_data(Dataset(f, Y)) for f in FORMS.values()])


def test_take():
    for form in ["array", "frame", "sparse"]:
        rows, columns = np.array([4, 1]), np.array([1])
        for cut, expected in (
            (take(FORMS[form], rows), X[rows]),
            (take(FORMS[form], rows, columns), X[np.ix_(rows, columns)]),
        ):
            values = cut.toarray() if sparse.issparse(cut) else np.asarray(cut)
            assert np.array_equal(values, expected)


def test_take_from_other_sparse_formats():
    cut = take(sparse.coo_matrix(X), np.array([2]))
    assert np.array_equal(cut.toarray(), X[[2]])


@each_row(
    ("estimators", "message"),
    [
        ({}, "estimators must be a dict of names"),
        ({"a": SVC}, r"estimators\['a'\] must be an instance \(got the class SVC\)\. Use SVC\(\)"),
        ({"a": StandardScaler()}, "got StandardScaler, which lacks fit, predict or get_params"),
        ({1: SVC(), "1": SVC(C=2)}, "estimators must have different names .*'1' twice"),
    ],
)
def test_estimators_refused(estimators, message):
    with pytest.raises(bc.InputError, match=message):
        as_estimators(estimators)


def test_classifiers_or_not_but_never_both():
    assert classify({"a": SVC(), "b": make_pipeline(StandardScaler(), SVC())})
    assert not classify({"a": Ridge()})
    with pytest.raises(bc.InputError, match="estimators must be all classifiers, or all"):
        classify({"a": SVC(), "b": Ridge()})


def test_every_open_random_state_is_set_and_no_other():
    bag = BaggingClassifier(DecisionTreeClassifier())
    model = prepare_estimator(make_pipeline(StandardScaler(), bag), 5).get_params()
    states = {k: v for k, v in model.items() if k.endswith("random_state")}
    assert sorted(states) == [
        "baggingclassifier__estimator__random_state",
        "baggingclassifier__random_state",
    ]
    assert states["baggingclassifier__estimator__random_state"] == 5
    assert isinstance(states["baggingclassifier__random_state"], int)
    assert bag.random_state is None
    fixed = prepare_estimator(BaggingClassifier(DecisionTreeClassifier(random_state=3)), 5)
    assert (fixed.random_state, fixed.estimator.random_state) == (5, 3)
    assert (
        prepare_estimator(KNeighborsClassifier(), 5).get_params()
        == KNeighborsClassifier().get_params()
    )
    assert prepare_estimator(RandomForestClassifier(), 2**32 - 1).random_state == 2**32 - 1


def test_kernels_and_distances():
    assert is_pairwise(SVC(kernel="precomputed"))
    assert is_pairwise(KNeighborsClassifier(metric="precomputed"))
    assert is_pairwise(make_pipeline(SVC(kernel="precomputed")))
    assert not is_pairwise(SVC())


def models():
    return [
        SVC(C=2, gamma=np.float64(0.5)),
        GridSearchCV(
            make_pipeline(StandardScaler(), SVC()),
            {"svc__C": [1, 10]},
            scoring=make_scorer(f1_score),
        ),
        make_pipeline(FunctionTransformer(np.log1p), SVC(class_weight={0: 1, 1: 2})),
        KNeighborsClassifier(metric_params={"w": np.arange(3)}),
    ]


@pytest.mark.slow
def test_descriptions_are_the_same_in_another_process():
    """Nothing of them is an address in memory."""
    code = "from tests.experiment.test_data import *; print([describe(m) for m in models()])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    descriptions = [describe(m) for m in models()]
    assert done.stdout.strip() == str(descriptions)
    assert "0x" not in str(descriptions)


def test_descriptions_tell_nested_parameters():
    one, other = (describe(make_pipeline(StandardScaler(), SVC(C=c))) for c in (1, 3))
    assert {k for k in one if one[k] != other[k]} == {"svc__C"}
    assert one[""] == "sklearn.pipeline.Pipeline"
    assert as_text(np.arange(3)) != as_text(np.arange(4))
    assert as_text({"b": (1, None)}) == "{'b': [1, None]}"


def test_what_can_not_be_told_in_another_process_is_refused():
    with pytest.raises(bc.InputError, match="Use functions with a name"):
        describe(FunctionTransformer(lambda x: x))


N = 24
GROUPS = np.arange(N) // 3
DATA = Dataset(np.zeros((N, 1)), np.arange(N) % 2)


def labels(splitter):
    groups = GROUPS if "Group" in type(splitter).__name__ else None
    return labels_of([test for _, test in splitter.split(DATA.X, DATA.y, groups)], N)


def runs(repeats, folds):
    return [(r + 1, f + 1) for r in range(repeats) for f in range(folds)]


@each_row(
    ("splitter", "expected"),
    [
        (ms.KFold(4), runs(1, 4)),
        (ms.RepeatedKFold(n_splits=3, n_repeats=4, random_state=0), runs(4, 3)),
        (ms.RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0), runs(2, 5)),
        (ms.GroupKFold(4), runs(1, 4)),
        (ms.LeaveOneOut(), runs(1, N)),
        (ms.PredefinedSplit([-1] * 12 + [0, 1, 2] * 4), runs(1, 3)),
        (ms.TimeSeriesSplit(5), runs(1, 5)),
        (ms.ShuffleSplit(5, test_size=0.4, random_state=0), runs(5, 1)),
        (ms.StratifiedShuffleSplit(4, test_size=0.5, random_state=0), runs(4, 1)),
        (ms.LeavePOut(2), runs(276, 1)),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "split") else "",
)
def test_labels_are_read_from_the_rows(splitter, expected):
    if isinstance(splitter, ms.ShuffleSplit) and splitter.test_size == 1:
        # Three single rows that happen to differ cannot be told from three folds of one run.
        expected = runs(1, 3) if len({t for _, (t,) in splitter.split(DATA.X)}) == 3 else expected
    assert labels(splitter) == expected


def test_masks_are_rows():
    tests = [np.arange(N) % 3 == k for k in range(3)]
    assert labels_of(tests, N) == runs(1, 3)


@given(st.integers(2, 6), st.integers(1, 4), st.integers(0, 99))
@settings(max_examples=25)
def test_repeated_k_fold_is_recognised_whatever_its_draw(k, repeats, seed):
    splitter = ms.RepeatedKFold(n_splits=k, n_repeats=repeats, random_state=seed)
    assert labels(splitter) == runs(repeats, k)


def test_seed_and_name_decide_the_splits():
    def tests(seed, name="d"):
        splits = split_dataset(ms.StratifiedKFold(3, shuffle=True), name, DATA, seed, True)
        return [f.test.tolist() for f in splits.folds]

    assert tests(1) == tests(1)
    assert tests(1) != tests(2)
    assert tests(1) != tests(1, "e")
    fixed = ms.StratifiedKFold(3, shuffle=True, random_state=0)
    own = [t.tolist() for _, t in fixed.split(DATA.X, DATA.y)]
    assert [f.test.tolist() for f in split_dataset(fixed, "d", DATA, 5, True).folds] == own


def test_the_splitter_that_was_given_is_not_changed():
    splitter = ms.ShuffleSplit(2)
    split_dataset(splitter, "d", DATA, 1, True)
    assert splitter.random_state is None


def test_seeds_of_folds_are_distinct_and_do_not_depend_on_their_number():
    folds = split_dataset(ms.RepeatedKFold(n_splits=4, n_repeats=5), "d", DATA, 1, True).folds
    assert len({f.seed for f in folds}) == 20
    fewer = split_dataset(ms.RepeatedKFold(n_splits=4, n_repeats=2), "d", DATA, 1, True).folds
    assert [f.seed for f in fewer] == [f.seed for f in folds[:8]]


def test_left_to_us_classes_keep_their_shares():
    splits = split_dataset(None, "d", Dataset(np.zeros((100, 1)), np.arange(100) < 20), 1, True)
    assert [(f.repeat, f.fold) for f in splits.folds] == runs(10, 10)
    assert all((f.test < 20).sum() == 2 for f in splits.folds)
    assert len(split_dataset(None, "d", DATA, 1, False).folds) == 100
    assert len(split_dataset(5, "d", DATA, 1, False).folds) == 5


def test_digest_tells_any_change():
    base = split_dataset(3, "d", DATA, 1, True)
    first = base.folds[0]
    other = type(base)((Fold(1, 1, first.train, first.test, 1), *base.folds[1:]))
    assert (
        len(
            {
                digest_splits(base),
                digest_splits(other),
                digest_splits(split_dataset(3, "d", DATA, 2, True)),
            }
        )
        == 3
    )
    assert digest_splits(base) == digest_splits(split_dataset(3, "d", DATA, 1, True))


# HoldoutResample.


@given(st.integers(3, 12), st.integers(0, 99), st.booleans())
@settings(max_examples=25)
def test_holdout_has_one_test_set_and_resamples_the_rest(folds, seed, stratify):
    y = np.arange(90) % 3 == 0
    splitter = HoldoutResample(folds=folds, random_state=seed, stratify=stratify)
    splits = list(splitter.split(np.zeros((90, 1)), y))
    test = splits[0][1]
    assert len(splits) == splitter.get_n_splits() == folds
    assert len(test) == 30
    assert all(np.array_equal(t, test) for _, t in splits)
    rest = np.setdiff1d(np.arange(90), test)
    left_out = [np.setdiff1d(rest, train) for train, _ in splits]
    assert np.array_equal(np.sort(np.concatenate(left_out)), rest)  # each row once
    if stratify:
        assert y[test].sum() == 10
    else:
        assert 0 < y[test].sum() < 30


def test_holdout_as_a_splitter_of_scikit_learn():
    from sklearn.dummy import DummyClassifier

    y = np.arange(120) % 2
    actual = ms.cross_val_score(DummyClassifier(), np.zeros((120, 1)), y, cv=HoldoutResample())
    assert len(actual) == 30


def test_holdout_of_numbers_is_not_stratified():
    y = np.linspace(0, 1, 30)
    splits = list(HoldoutResample(folds=3, random_state=0).split(np.zeros((30, 1)), y))
    assert [len(train) for train, _ in splits] == [13, 13, 14]


@each_row(("k", "rho"), [(3, 0.5), (10, 8 / 9)])
def test_holdout_correlation_is_the_shared_part_of_training(k, rho):
    """Two training sets of k - 1 parts each share k - 2."""
    rows = np.arange(30 * k)
    splits = list(HoldoutResample(folds=k, random_state=0).split(rows[:, None], rows % 2))
    a, b = (train for train, _ in splits[:2])
    assert len(np.intersect1d(a, b)) / len(a) == pytest.approx(rho, abs=1e-3)
    assert HoldoutResample(folds=k).fold_correlation == pytest.approx(rho)


@each_row(
    ("options", "message"),
    [
        ({"test_size": 0}, "test_size must be"),
        ({"folds": 2}, "folds must be a whole number of at least 3"),
        ({"rho": 1.0}, r"rho must be at least 0"),
    ],
)
def test_holdout_refuses(options, message):
    with pytest.raises(bc.InputError, match=message):
        HoldoutResample(**options)


def test_holdout_says_that_it_ignores_groups():
    with pytest.warns(bc.DiagnosticWarning, match="ignores groups"):
        split_dataset(HoldoutResample(folds=3), "d", Dataset(DATA.X, DATA.y, GROUPS), 1, True)


@each_row(
    ("cv", "message"),
    [
        (1, "cv must be a whole number of at least 2"),
        ("10-fold", "cv must be a number of folds"),
        (
            [([0, 1], [1, 2])],
            "repeat 1, fold 1: the training and the test set must not share rows",
        ),
        ([([0, 1], [])], "the test set must be a list of row numbers"),
        ([([0, 1], [99])], "the test set must have rows from 0 to 23 .*99"),
        ([Fold(1, 1, [0], [1]), Fold(1, 1, [1], [2])], "cv must give each fold once"),
        (ms.StratifiedKFold(20), "cv must split data set 'd' .*n_splits=20"),
        ({"e": 3}, r"data set in cv must be .*\(got 'd'\)"),
    ],
)
def test_refuses(cv, message):
    with pytest.raises(bc.InputError, match=message):
        split_dataset(cv, "d", DATA, 1, True)
