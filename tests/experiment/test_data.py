"""Data sets: every form that is accepted, what is refused, digests, cutting."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

import bayescmp as bc
from bayescmp.experiment.data import Dataset, as_datasets, digest, take

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
        ({1: (X, Y), "1": (X, Y)}, "datasets: two are named '1'"),
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
    changed = [Dataset(other, Y), Dataset(X, 1 - Y), Dataset(X, Y, Y), Dataset(X, Y, None, 1),
               *(Dataset(form, Y) for name, form in FORMS.items() if name != "array")]  # fmt: skip
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
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": "."},
    )  # fmt: skip
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
