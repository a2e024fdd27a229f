"""Rows of numbers, one per data set."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.rows import as_rows, means_of, runs_of, without_noise


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


@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_means_are_to_the_last_bit_those_of_each_row(seed, alike):
    """Of any length: NumPy sums up to 8, 128 and more numbers in different orders."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 2, 7, 8, 9, 100, 127, 128, 129, 1000, 4097], 1 if alike else 12)
    rows = [rng.normal(size=n) for n in np.resize(sizes, 30)]
    assert means_of(rows).tolist() == [float(row.mean()) for row in rows]


def test_runs_are_those_of_numpy():
    values, starts = np.arange(7), np.array([0, 2, 3])
    runs, expected = runs_of(values, starts), np.split(values, starts[1:])
    assert [r.tolist() for r in runs] == [r.tolist() for r in expected]


@pytest.mark.parametrize("x", [
    np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2).T, np.eye(6)[:, ::2],
    [np.arange(3.0), np.arange(2.0)], (np.arange(3.0),), [np.arange(3.0), [1.0]],
    np.array([np.arange(3.0), np.arange(2.0)], dtype=object),
])  # fmt: skip
def test_rows_of_floats_are_read_as_any_others(x):
    rows = as_rows(x)
    assert [r.tolist() for r in rows] == [list(map(float, r)) for r in x]
    assert not any(np.shares_memory(row, own) for row in rows for own in x if np.ndim(own))
    assert not any(row.flags.writeable for row in rows)
    assert all(row.flags.c_contiguous for row in rows)


def test_noise_is_that_of_its_own_row():
    rows = as_rows([[1e-3, 1.0], [1e-3], [2.0, -1e-3]])
    cleaned = without_noise(rows, np.array([1e-2, 0.0, 1e-3]))
    assert [r.tolist() for r in cleaned] == [[0.0, 1.0], [1e-3], [2.0, 0.0]]
    assert not any(row.flags.writeable for row in cleaned)
