"""Weights and names of new metrics, as posteriors of several metrics read them."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian.multivariate.base import as_matrix, as_names


def test_weights_are_rows():
    assert as_matrix([1, 2], 2, 1).tolist() == [[1.0, 2.0]]
    assert as_matrix([[1, 2], [3, 4], [5, 6]], 2, 2).shape == (3, 2)


@pytest.mark.parametrize("bad", [[1, 2, 3], [[1, 2]], [1, np.nan], "ab", None])
def test_other_weights_are_refused(bad):
    with pytest.raises(bc.InputError, match="weights"):
        as_matrix(bad, 2, 1)


def test_names():
    assert as_names(None, 3) == ("m1", "m2", "m3")
    assert as_names(["x", 2], 2) == ("x", "2")
    for bad in (["x"], ["x", "x"]):
        with pytest.raises(bc.InputError, match="2 different names"):
            as_names(bad, 2)
