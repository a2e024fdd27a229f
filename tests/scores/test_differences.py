"""Differences: shapes, rho, statistics, errors."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.scores.differences import (
    as_differences,
    as_rows,
    means_of,
    split_runs,
    without_noise,
)
from tests.rows import each_row


def test_ragged_rows():
    d = bc.Differences([[0.1, 0.2, 0.3], [0.1, 0.4]], rho=[0.1, 0.5], datasets=["p", "q"])
    assert (d.q, d.n.tolist(), d.rho.tolist()) == (2, [3, 2], [0.1, 0.5])
    with pytest.raises(bc.InputError, match="must have rows of the same length"):
        _ = d.matrix
    assert d.row("q").x[0].tolist() == [0.1, 0.4]
    assert d.row("q").rho.tolist() == [0.5]
    with pytest.raises(bc.InputError, match=r"data set must be .*\(got 'r'\)"):
        d.row("r")


def test_rows_are_read_only_copies():
    x = np.array([[0.1, 0.2]])
    d = bc.Differences(x, rho=0.1)
    x[0, 0] = 9
    assert d.x[0][0] == 0.1
    with pytest.raises(ValueError, match="read-only"):
        d.x[0][0] = 1


@each_row("fold", [0, 3])
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


@each_row("alike", [True, False])
@each_row("seed", range(20))
def test_means_are_to_the_last_bit_those_of_each_row(seed, alike):
    """Of any length: NumPy sums up to 8, 128 and more numbers in different orders."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 2, 7, 8, 9, 100, 127, 128, 129, 1000, 4097], 1 if alike else 12)
    rows = [rng.normal(size=n) for n in np.resize(sizes, 30)]
    assert means_of(rows).tolist() == [float(row.mean()) for row in rows]


def test_runs_are_those_of_numpy():
    values, starts = np.arange(7), np.array([0, 2, 3])
    runs, expected = split_runs(values, starts), np.split(values, starts[1:])
    assert [r.tolist() for r in runs] == [r.tolist() for r in expected]


@each_row(
    "x",
    [
        np.arange(6.0).reshape(2, 3),
        np.arange(6.0).reshape(3, 2).T,
        np.eye(6)[:, ::2],
        [np.arange(3.0), np.arange(2.0)],
        (np.arange(3.0),),
        [np.arange(3.0), [1.0]],
        np.array([np.arange(3.0), np.arange(2.0)], dtype=object),
    ],
)
def test_rows_of_floats_are_read_as_any_others(x):
    rows, _ = as_rows(x)
    assert [r.tolist() for r in rows] == [list(map(float, r)) for r in x]
    assert not any(np.shares_memory(row, own) for row in rows for own in x if np.ndim(own))
    assert not any(row.flags.writeable for row in rows)
    assert all(row.flags.c_contiguous for row in rows)


def test_noise_is_that_of_its_own_row():
    rows, _ = as_rows([[1e-3, 1.0], [1e-3], [2.0, -1e-3]])
    cleaned = without_noise(rows, np.array([1e-2, 0.0, 1e-3]))
    assert [r.tolist() for r in cleaned] == [[0.0, 1.0], [1e-3], [2.0, 0.0]]
    assert not any(row.flags.writeable for row in cleaned)


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


@each_row("scale", ["difference", "log_ratio"])
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
    with pytest.raises(bc.InputError, match="rho must be given"):
        as_differences([[0.1, 0.2]])
    d = as_differences(bc.Differences([[0.1, 0.2]], rho=0.1), rho=0.3, names=("x", "y"))
    assert d.rho.tolist() == [0.3]
    assert d.names == ("x", "y")


@each_row("rho", [-0.1, 1.0, 1.5, np.nan, "often", [0.1, 0.2, 0.3], [[0.1]]])
def test_bad_rho(rho):
    with pytest.raises(bc.InputError, match=r"rho.*at least 0 and below 1"):
        bc.Differences([[0.1, 0.2], [0.3, 0.4]], rho=rho)


@each_row(
    ("x", "options", "message"),
    [
        ([], {}, "x must be .*got nothing"),
        (5.0, {}, "x must be .*got 5"),
        ("abc", {}, "x must be .*got 'abc'"),
        ([["a", "b"]], {}, "x must hold real numbers .got text"),
        ([["0.1", "0.2"]], {}, "got text"),
        ([[0.1, 1j]], {}, "got complex numbers"),
        (np.ma.array([0.1, 0.2], mask=[True, False]), {}, "got a masked array"),
        ([np.ma.array([0.1, 0.2], mask=[True, False])], {}, "got a masked array"),
        (np.array(["2020-01-01"], dtype="M8[D]"), {}, "got dates"),
        (
            scipy.sparse.csr_array([[0.1, 0.2]]),
            {},
            "must be a dense array .got a sparse csr_array",
        ),
        (np.zeros((2, 2, 2)), {}, "more than one dimension"),
        ([[0.1], []], {}, "none for '2'"),
        ([[0.1, np.nan]], {"datasets": ["iris"]}, r"got nan for data set 'iris' at position 1"),
        ([[0.1, -np.inf]], {}, "got -?inf for data set '1' at position 1"),
        ([[0.1]], {"names": ("a", "a")}, "names must be of two different algorithms"),
        ([[0.1]], {"names": ("a", "b", "c")}, "two names"),
        ([[0.1]], {"names": "ab"}, "two names"),
        ([[0.1]], {"datasets": ["a", "b"]}, "must be one name"),
        ([[0.1], [0.2]], {"datasets": ["a", "a"]}, "'a' twice"),
        ([[0.1]], {"resolution": -1.0}, "positive step"),
        (
            [[0.1]],
            {"scale": "log-ratio"},
            r"scale must be .*\(got 'log-ratio'\)\. Did you mean 'log_ratio'",
        ),
        ([[0.1]], {"scale": None}, r"scale must be .*\(got None\)"),
        ([[0.1, 5.0]], {"span": 1}, "span must .*got 1, but a difference is 5 in size"),
        ([[0.1], [-1.1]], {"span": 1}, "got 1, but a difference is 1.1 in size"),
        ([[0.1]], {"names": ("", "b")}, "names must hold .*got ''"),
        ([[0.1]], {"names": ("a", "b\0")}, "names on one line"),
        ([[0.1]], {"datasets": ["a\nb"]}, r"datasets must hold names on one line.*got 'a\\nb'"),
        ([[0.1]], {"metric": "f\n1"}, "metric must hold"),
    ],
)
def test_bad_differences(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Differences(x, rho=0.1, **options)


def test_tables_that_do_not_pair():
    with pytest.raises(bc.InputError, match="paired fold by fold"):
        bc.Differences.from_arrays([[0.1, 0.2]], [[0.1, 0.2, 0.3]], rho=0.1)
    for empty in ([[]], [[0.1, 0.2], []]):
        with pytest.raises(bc.InputError, match="got none for"):
            bc.Differences.from_arrays(empty, empty, rho=0.1)


def test_differences_as_long_as_the_range_and_those_of_other_scales():
    assert bc.Differences([[1.0, -1.0 - 1e-12]], rho=0.1, span=1).span == 1
    assert bc.Differences([[5.0, -3.0]], rho=0.1, span=1, scale="standardised").span == 1


def test_a_clusters_contribution_may_be_longer_than_the_range():
    """Ten won items are one cluster, a lost one the other: 9/11 + (10 - 90/11) * 2/11 > 1."""
    rows = [
        {"model": m, "item": i, "cluster": int(i == 10), "correct": int((m == "b") != (i == 10))}
        for m in "ab"
        for i in range(11)
    ]
    x = bc.Items(pd.DataFrame(rows)).pair("a", "b").differences()
    assert x.x[0].max() == pytest.approx(9 / 11 + (10 - 90 / 11) * 2 / 11)
    assert x.x[0].max() > x.span == 1
    assert x.means == pytest.approx(9 / 11)


def test_a_resolution_that_is_given_is_that_of_the_arrays():
    d = bc.Differences.from_arrays([[0.1, 0.2]], [[0.2, 0.4]], rho=0.1, resolution=0.05)
    assert d.resolution.tolist() == [0.05]
