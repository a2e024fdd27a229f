"""What the hierarchical model needs of the differences, against numpy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayescmp as bc

# Sizes under 1e-70 are refused.
finite = st.floats(-1e3, 1e3).map(lambda value: round(value, 12))


@settings(max_examples=50)
@given(arrays(float, (4, 6), elements=finite))
def test_statistics_agree_with_numpy(x):
    s = bc.Differences(x, rho=0.1).statistics()
    assert s.mean == pytest.approx(x.mean(axis=1), abs=1e-9)
    spread = 6 * x.var(axis=1)
    assert s.ss == pytest.approx(np.where(s.constant, 0, spread), rel=1e-9, abs=1e-9)


def test_rows_equal_but_for_rounding_are_constant():
    first = np.array([[0.7, 0.1, 0.6], [0.1, 0.2, 0.3]])
    second = np.array([[0.8, 0.2, 0.7], [0.1, 0.2, 0.3]])
    d = bc.Differences.from_arrays(first, second, rho=0.1)
    assert np.ptp(d.x[0]) > 0  # 0.8 - 0.7 is not 0.2 - 0.1 in binary
    assert d.statistics().constant.tolist() == [True, True]
    assert d.statistics().ss.tolist() == [0.0, 0.0]


@settings(max_examples=30)
@given(st.floats(1e-9, 1e-3), st.integers(0, 10**6))
def test_a_small_row_beside_a_large_one_is_not_constant(size, seed):
    """Its spread is over four units of the last place of the other row's differences."""
    small, large = np.random.default_rng(seed).normal(size=(2, 5))
    rows = [size * small / np.ptp(small), 3e5 * large / np.abs(large).max()]
    bare = bc.Differences(rows, rho=0.1)
    table = bc.Differences.from_arrays(np.zeros((2, 5)), bare.x, rho=0.1)
    for d in (bare, table):
        assert d.statistics().constant.tolist() == [False, False]


def test_bare_differences_in_the_last_place_of_the_largest_are_rounding():
    """Scores of 3e5 leave that of equal ones; plain differences have no other scale to go by."""
    last = np.spacing(3e5)
    bare = bc.Differences([[last, 0.0, -last, 0.0], [3e5, 2e5, 3e5, 1e5]], rho=0.1)
    assert bare.statistics().constant.tolist() == [True, False]
    table = bc.Differences.from_arrays(np.zeros((2, 4)), bare.x, rho=0.1)
    assert table.statistics().constant.tolist() == [False, False]  # those scores are not so large


@pytest.mark.parametrize("scale", ["difference", "log_ratio"])
def test_what_subtracting_leaves_of_equal_scores_is_no_spread(scale):
    """1 - (1 - a) is not a; the other data set tells nothing of how large these scores are."""
    rng = np.random.default_rng(1)
    a = rng.uniform(0.3, 0.9, (2, 5))
    b = np.stack([1 - (1 - a[0]), a[1] + 1e-9 * rng.normal(size=5)])
    assert np.ptp(b[0] - a[0]) > 0
    rows = [
        {"dataset": d, "algorithm": name, "fold": f, "accuracy": scores[d, f]}
        for name, scores in (("knn", a), ("svm", b))
        for d in range(2)
        for f in range(5)
    ]
    d = bc.Scores(pd.DataFrame(rows)).differences("knn", "svm", scale=scale)
    assert d.statistics().constant.tolist() == [True, False]
