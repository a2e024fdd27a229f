"""Rows are put into one order, whatever order they come in and whatever rounding left of ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescmp.ordering import places_by


@given(st.integers(0, 10**6), st.sampled_from([1e-6, 1.0, 1e6]))
def test_the_order_is_that_of_the_keys_and_of_no_table(seed, unit):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 3, (2, 6)) * 0.1 * unit
    noisy = keys * (1 + rng.uniform(-1e-15, 1e-15, keys.shape))
    moved = rng.permutation(6)
    one, other = keys[:, places_by(*keys)], noisy[:, moved]
    other = other[:, places_by(*other)]
    assert other == pytest.approx(one, rel=1e-12)
    assert (np.diff(one[0]) >= 0).all()


def test_keys_of_zeros_keep_the_order():
    assert places_by([0.0, 0.0, 0.0]).tolist() == [0, 1, 2]
