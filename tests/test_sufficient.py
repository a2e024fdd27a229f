"""What the hierarchical model needs of the differences, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayescmp as bc

# Sizes under 1e-70 are refused.
finite = st.floats(-1e3, 1e3).map(lambda value: round(value, 12))


@settings(max_examples=50, deadline=None)
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
