"""Rows of numbers, one per data set."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
import bayescmp.frequentist as f


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


@pytest.mark.parametrize("fold", [0, 3])
def test_differences_that_are_rounding_of_their_scores_are_zero(fold):
    """0.1 + 0.2 beside 0.3, in every fold or in all but one."""
    first, second = np.full((6, 4), 0.3), np.full((6, 4), 0.1 + 0.2)
    second[:, :fold] += 0.05
    d = bc.Differences.from_arrays(first, second, rho=0.25)
    assert (second - first).all()
    assert np.count_nonzero(d.matrix) == 6 * fold
    assert d.matrix[:, :fold] == pytest.approx(0.05)
    with pytest.raises(ValueError, match="read-only"):
        d.x[0][0] = 1
    if not fold:
        assert f.wilcoxon(d).pvalue == f.paired_t(d.row("1")).pvalue == 1
        assert bc.bayesian.sign(d, rope=0, seed=1).verdict().decision == "undecided"


def test_means_that_are_rounding_of_their_scores_are_zero():
    """What one fold gains another loses, but for the rounding of the scores."""
    first, second = np.array([[0.3, 0.1, 0.7]]), np.array([[0.1, 0.7, 0.3]])
    d = bc.Differences.from_arrays(first, second, rho=1 / 3)
    assert d.x[0].mean() != 0
    assert d.means.tolist() == [0.0]
    assert (
        bc.Differences(d.x, rho=1 / 3).means[0] == d.x[0].mean()
    )  # of plain numbers none is known
