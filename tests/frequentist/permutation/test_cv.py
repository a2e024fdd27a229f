"""Folds, and what an evaluation makes of failures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescmp.errors import InputError
from bayescmp.frequentist.permutation.cv import check_cv, make_folds


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
