"""Data sets: every form that is accepted, what is refused, digests, cutting."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
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
    as_datasets,
    as_estimators,
    as_text,
    classify,
    describe,
    is_pairwise,
    prepared,
    take,
)
from bayescmp.experiment.data import (
    digest_data as digest,
)

X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y, "who": list("uuvvww")})


@pytest.mark.parametrize(
    "given",
    [
        (X, Y),
        [X.tolist(), Y.tolist()],
        (sparse.csr_matrix(X), Y),
        (pd.DataFrame(X), pd.Series(Y)),
        (FRAME[["a", "b", "y"]], "y"),
        Dataset(X, Y),
        {"data": X, "target": Y},
        lambda: (X, Y),
        lambda: lambda: Dataset(X, Y),
    ],
    ids=["arrays", "lists", "sparse", "pandas", "column", "own", "mapping", "function", "nested"],
)
def test_accepted(given):
    actual = as_datasets({"d": given})["d"]
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


@pytest.mark.parametrize(
    ("values", "kind"), [(["no", "yes"], "U"), ([3, 7], "i"), ([False, True], "b")]
)
def test_labels_of_a_table_are_what_they_hold(values, kind):
    labels = pd.Series([values[i] for i in Y], dtype=object)
    for given in (labels, pd.Categorical(labels)):
        actual = as_datasets({"d": (X, given)})["d"].y
        assert actual.dtype.kind == kind
        assert actual.tolist() == labels.tolist()


def test_positive_class_of_all_or_of_each():
    text = np.where(Y, "yes", "no")
    actual = as_datasets({"d": (X, Y), "e": (X, text)}, {"e": "no"})
    assert (actual["d"].positive, actual["e"].positive) == (None, "no")
    assert as_datasets({"d": (X, Y)}, 0)["d"].positive == 0


@pytest.mark.parametrize(
    ("datasets", "message"),
    [
        ({}, "datasets is dict or empty"),
        ((X, Y), "datasets is tuple or empty"),
        ({"d": X}, r"datasets\['d'\] is ndarray; accepted: \(X, y\)"),
        ({"d": (X, Y[:5])}, r"X has shape \(6, 2\) and y \(5,\)"),
        ({"d": (X[:, 0], Y)}, r"X has shape \(6,\)"),
        ({"d": (X, X)}, r"y has shape \(6, 2\)"),
        ({"d": (X, [0, 1, np.nan, 1, 0, np.inf])}, r"target of row 2 is missing.*\(2 such rows\)"),
        ({"d": (X, ["a", None, "b", "a", "b", "a"])}, "target of row 1 is missing"),
        ({"d": (X, Y, [1])}, r"groups has shape \(1,\)"),
        ({"d": (FRAME, "z")}, "unknown column in data set 'd' 'z'"),
        ({"d": (FRAME, "y", "whom")}, "unknown column in data set 'd' 'whom': did you mean 'who'"),
        ({"d": (X, "y")}, "names a column, but X is not a table"),
        ({1: (X, Y), "1": (X, Y)}, "datasets names '1' twice"),
    ],
)
def test_refused(datasets, message):
    with pytest.raises(bc.InputError, match=message):
        as_datasets(datasets)


def test_unknown_positive_class_or_data_set():
    with pytest.raises(bc.InputError, match="unknown positive class of data set 'd' 7"):
        as_datasets({"d": (X, Y)}, 7)
    with pytest.raises(bc.InputError, match="unknown data set in positive 'e'"):
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
    base = digest(Dataset(X, Y))
    assert base == digest(Dataset(X.copy(), Y.copy())) == digest(Dataset(np.asfortranarray(X), Y))
    other = X.copy()
    other[3, 1] += 1e-9
    changed = [
        Dataset(other, Y),
        Dataset(X, 1 - Y),
        Dataset(X, Y, Y),
        Dataset(X, Y, None, 1),
        *(Dataset(form, Y) for name, form in FORMS.items() if name != "array"),
    ]
    actual = {digest(d) for d in changed}
    assert base not in actual
    assert len(actual) == len(changed)


@pytest.mark.slow
def test_digest_is_the_same_in_another_process():
    import subprocess
    import sys

    code = (
        "from tests.experiment.test_data import *; "
        "print([digest(Dataset(f, Y)) for f in FORMS.values()])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": "."},
    )
    assert done.stdout.strip() == str([digest(Dataset(f, Y)) for f in FORMS.values()])


@pytest.mark.parametrize("form", ["array", "frame", "sparse"])
def test_take(form):
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


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ({}, "estimators is dict or empty"),
        (SVC(), "estimators is SVC or empty; accepted: a dict"),
        ({"a": SVC}, r"estimators\['a'\] is the class SVC; accepted: an instance, SVC\(\)"),
        ({"a": StandardScaler()}, r"is StandardScaler, which lacks fit, predict or get_params"),
        ({"a": "svm"}, r"is str, which lacks"),
        ({1: SVC(), "1": SVC(C=2)}, "estimators names '1' twice"),
    ],
)
def test_estimators_refused(estimators, message):
    with pytest.raises(bc.InputError, match=message):
        as_estimators(estimators)


def test_classifiers_or_not_but_never_both():
    assert classify({"a": SVC(), "b": make_pipeline(StandardScaler(), SVC())})
    assert not classify({"a": Ridge()})
    with pytest.raises(bc.InputError, match="'a' is a classifier and 'b' is not"):
        classify({"a": SVC(), "b": Ridge()})


def test_every_open_random_state_is_set_and_no_other():
    bag = BaggingClassifier(DecisionTreeClassifier())
    model = prepared(make_pipeline(StandardScaler(), bag), 5).get_params()
    states = {k: v for k, v in model.items() if k.endswith("random_state")}
    assert sorted(states) == [
        "baggingclassifier__estimator__random_state",
        "baggingclassifier__random_state",
    ]
    assert states["baggingclassifier__estimator__random_state"] == 5
    assert isinstance(states["baggingclassifier__random_state"], int)
    assert bag.random_state is None
    fixed = prepared(BaggingClassifier(DecisionTreeClassifier(random_state=3)), 5)
    assert (fixed.random_state, fixed.estimator.random_state) == (5, 3)
    assert prepared(KNeighborsClassifier(), 5).get_params() == KNeighborsClassifier().get_params()
    assert prepared(RandomForestClassifier(), 2**32 - 1).random_state == 2**32 - 1


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
    with pytest.raises(bc.InputError, match="accepted: functions with a name"):
        describe(FunctionTransformer(lambda x: x))
