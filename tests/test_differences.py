"""Differences: shapes, rho, statistics, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.differences import as_differences

finite = st.floats(-1e3, 1e3)


def test_from_arrays_is_second_minus_first():
    d = bc.Differences.from_arrays([[0.5, 0.6]], [[0.7, 0.9]], rho=0.5, names=("a", "b"))
    assert d.x[0] == pytest.approx([0.2, 0.3])
    assert d.names == ("a", "b")
    assert d.resolution == pytest.approx([0.1])


def test_one_dimension_is_one_data_set():
    assert bc.Differences([0.1, 0.2], rho=0).q == 1


def test_swapped():
    d = bc.Differences([[0.1, -0.3]], rho=0.1, names=("a", "b")).swapped()
    assert d.names == ("b", "a")
    assert d.x[0].tolist() == [-0.1, 0.3]


def test_as_differences():
    with pytest.raises(bc.InputError, match="rho is missing"):
        as_differences([[0.1, 0.2]])
    d = as_differences(bc.Differences([[0.1, 0.2]], rho=0.1), rho=0.3, names=("x", "y"))
    assert d.rho.tolist() == [0.3]
    assert d.names == ("x", "y")


@pytest.mark.parametrize("rho", [-0.1, 1.0, 1.5, np.nan, "often", [0.1, 0.2, 0.3], [[0.1]]])
def test_bad_rho(rho):
    with pytest.raises(bc.InputError, match=r"rho.*accepted: 0 <= rho < 1"):
        bc.Differences([[0.1, 0.2], [0.3, 0.4]], rho=rho)


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        ([], {}, "x is empty"),
        (5.0, {}, "x is float"),
        ("abc", {}, "x is str"),
        ([["a", "b"]], {}, "x is not an array of numbers: it holds text"),
        ([["0.1", "0.2"]], {}, "it holds text"),
        ([[0.1, 1j]], {}, "it holds complex numbers"),
        (np.ma.array([0.1, 0.2], mask=[True, False]), {}, "x is a masked array"),
        ([np.ma.array([0.1, 0.2], mask=[True, False])], {}, "x is a masked array"),
        (np.array(["2020-01-01"], dtype="M8[D]"), {}, "it holds dates"),
        (scipy.sparse.csr_array([[0.1, 0.2]]), {}, "x is a sparse csr_array"),
        (np.zeros((2, 2, 2)), {}, "more than one dimension"),
        ([[0.1], []], {}, "no difference for data set '2'"),
        (
            [[0.1, np.nan]],
            {"datasets": ["iris"]},
            r"missing \(NaN\) for data set 'iris' at position 1",
        ),
        ([[0.1, -np.inf]], {}, "infinite for data set '1' at position 1"),
        ([[0.1]], {"names": ("a", "a")}, "compared with itself"),
        ([[0.1]], {"names": ("a", "b", "c")}, "two names"),
        ([[0.1]], {"names": "ab"}, "two names"),
        ([[0.1]], {"datasets": ["a", "b"]}, "accepted: one name"),
        ([[0.1], [0.2]], {"datasets": ["a", "a"]}, "'a' twice"),
        ([[0.1]], {"resolution": -1.0}, "positive step"),
    ],
)
def test_bad_differences(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Differences(x, rho=0.1, **options)


def test_tables_that_do_not_pair():
    with pytest.raises(bc.InputError, match="paired fold by fold"):
        bc.Differences.from_arrays([[0.1, 0.2]], [[0.1, 0.2, 0.3]], rho=0.1)
    for empty in ([[]], [[0.1, 0.2], []]):
        with pytest.raises(bc.InputError, match="has no"):
            bc.Differences.from_arrays(empty, empty, rho=0.1)
