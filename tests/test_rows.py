"""Rows of numbers, one per data set."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc


def test_ragged_rows():
    d = bc.Differences([[0.1, 0.2, 0.3], [0.1, 0.4]], rho=[0.1, 0.5], datasets=["p", "q"])
    assert (d.q, d.n.tolist(), d.rho.tolist()) == (2, [3, 2], [0.1, 0.5])
    with pytest.raises(bc.InputError, match="rows differ in length"):
        _ = d.matrix
    assert d.row("q").x[0].tolist() == [0.1, 0.4]
    assert d.row("q").rho.tolist() == [0.5]
    with pytest.raises(bc.InputError, match="unknown data set 'r'"):
        d.row("r")


def test_rows_are_read_only_copies():
    x = np.array([[0.1, 0.2]])
    d = bc.Differences(x, rho=0.1)
    x[0, 0] = 9
    assert d.x[0][0] == 0.1
    with pytest.raises(ValueError, match="read-only"):
        d.x[0][0] = 1
