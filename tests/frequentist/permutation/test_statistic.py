"""Folds, and what an evaluation makes of failures."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from bayescmp.errors import InputError
from bayescmp.frequentist.permutation.statistic import (
    check_cv,
    columns_within_classes,
    make_folds,
    take_rows,
)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6), st.floats(0, 1))
def test_each_column_keeps_its_values_in_each_class(seed, n, m, density):
    """Arrays and sparse matrices, almost empty to full."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    codes = np.unique(codes, return_inverse=True)[1]
    X = rng.integers(1, 9, (n, m)) * (rng.random((n, m)) < density)
    for table in (X, sparse.csr_matrix(X)):
        actual = columns_within_classes(table, codes, rng)
        actual = actual.toarray() if sparse.issparse(actual) else actual
        for c in range(codes.max() + 1):
            np.testing.assert_array_equal(
                np.sort(actual[codes == c], axis=0), np.sort(X[codes == c], axis=0)
            )


def test_frames_keep_types_index_and_missing_values():
    frame = pd.DataFrame(
        {
            "n": [1.5, np.nan, 3.0, 4.0],
            "i": [1, 2, 3, 4],
            "s": ["a", "b", None, "d"],
            "c": pd.Categorical(["u", "v", "u", "w"]),
            "k": pd.array([1, None, 3, 4], dtype="Int64"),
        },
        index=[7, 3, 9, 1],
    )
    frame.columns = ["n", "i", "s", "c", "i"]  # names may repeat
    codes = np.array([0, 1, 0, 1])
    result = columns_within_classes(frame, codes, np.random.default_rng(0))
    assert list(result.columns) == list(frame.columns)
    assert result.dtypes.tolist() == frame.dtypes.tolist()
    assert list(result.index) == [7, 3, 9, 1]
    for c in (0, 1):
        for j in range(5):
            assert Counter(map(str, result.iloc[codes == c, j])) == Counter(
                map(str, frame.iloc[codes == c, j])
            )


def kinds():
    X = np.array([[1, 10], [2, 20], [3, 30], [9, 90]])
    return {
        "array": X,
        "object": X.astype(str).astype(object),
        "frame": pd.DataFrame(X),
        "full": sparse.csr_matrix(X),
    }


@pytest.mark.parametrize("kind", list(kinds()))
def test_all_orders_of_columns_are_equally_likely(kind):
    """Three cases of one class: 6 x 6 orders of two columns, by a chi-square of 1800 draws."""
    X, codes, rng = kinds()[kind], np.array([0, 0, 0, 1]), np.random.default_rng(2)
    seen = Counter()
    for _ in range(1800):
        actual = columns_within_classes(X, codes, rng)
        actual = actual.toarray() if kind == "full" else np.asarray(actual)
        actual = actual.astype(str)
        assert actual[3].tolist() == ["9", "90"]
        seen[tuple(actual[:3, 0]), tuple(actual[:3, 1])] += 1
    assert len(seen) == 36 == len(list(permutations(range(3)))) ** 2
    assert stats.chisquare(list(seen.values())).pvalue > 1e-4


def test_places_in_sparse_columns_are_equally_likely():
    """Two stored values in a column of five rows: 20 ordered places."""
    X = sparse.csr_matrix(np.array([[1.0], [2.0], [0], [0], [0], [5.0]]))
    codes, rng = np.array([0, 0, 0, 0, 0, 1]), np.random.default_rng(3)
    seen = Counter()
    for _ in range(1500):
        result = columns_within_classes(X, codes, rng).toarray()[:, 0].tolist()
        seen[result.index(1.0), result.index(2.0)] += 1
        assert result[5] == 5.0
    assert len(seen) == 20
    assert stats.chisquare(list(seen.values())).pvalue > 1e-4


def test_a_large_sparse_matrix_stays_sparse():
    rng = np.random.default_rng(1)
    places = rng.integers(0, 2000, 50_000), rng.integers(0, 50_000, 50_000)
    X = sparse.csr_matrix((rng.random(50_000), places), shape=(2000, 50_000))
    codes = np.arange(2000) % 2
    result = columns_within_classes(X, codes, np.random.default_rng(0))
    assert result.nnz == X.nnz
    np.testing.assert_allclose(result[::2].sum(axis=0), X[::2].sum(axis=0))


def test_dependence_is_lost():
    rng = np.random.default_rng(5)
    z = rng.normal(size=500)
    X = np.column_stack([z, z])
    result = columns_within_classes(X, np.zeros(500, dtype=int), rng)
    assert abs(np.corrcoef(result.T)[0, 1]) < 0.15


def test_rows_of_each_kind():
    for X in kinds().values():
        picked = take_rows(X, np.array([2, 0]))
        picked = picked.toarray() if sparse.issparse(picked) else np.asarray(picked)
        assert picked.astype(int).tolist() == [[3, 30], [1, 10]]


def test_only_tables():
    with pytest.raises(InputError, match="needs a table"):
        columns_within_classes(np.zeros(3), np.zeros(3, dtype=int), np.random.default_rng(0))


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 3), min_size=4, max_size=60), st.integers(2, 10), st.integers(0, 99)
)
def test_folds_are_stratified(labels, k, seed):
    codes = np.unique(labels, return_inverse=True)[1]
    k = min(k, len(codes))
    folds = list(make_folds(k, None, codes, codes, np.random.default_rng(seed)))
    tests = [test for _, test in folds]
    assert sorted(np.concatenate(tests)) == list(range(len(codes)))
    for train, test in folds:
        assert sorted(np.r_[train, test]) == list(range(len(codes)))
    assert np.ptp([len(t) for t in tests]) <= 1
    for c in range(codes.max() + 1):
        assert np.ptp([np.sum(codes[t] == c) for t in tests]) <= 1


def test_leave_one_out():
    y = np.arange(5)
    folds = list(make_folds("loo", None, y, y, np.random.default_rng(0)))
    assert [test.tolist() for _, test in folds] == [[0], [1], [2], [3], [4]]
    assert folds[2][0].tolist() == [0, 1, 3, 4]


def test_folds_for_regression_are_random_and_even():
    rng = np.random.default_rng(0)
    sizes = [len(test) for _, test in make_folds(4, None, np.zeros(10), None, rng)]
    assert sorted(sizes) == [2, 2, 3, 3]
    one, two = (
        [t.tolist() for _, t in make_folds(2, None, np.zeros(10), None, rng)] for _ in "ab"
    )
    assert one != two


def test_check_cv():
    assert check_cv(np.int64(5), 10) == 5
    given_folds = check_cv([([0, 1], [2])], 3)
    assert given_folds[0][1].tolist() == [2]
    with pytest.raises(InputError, match=r"cv=3\.5"):
        check_cv(3.5, 10)
    with pytest.raises(InputError, match="cv=True"):
        check_cv(True, 10)
