"""Omnibus rank tests: R, SciPy, enumeration of all permutations, invariances, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError

TESTS = (f.friedman, f.iman_davenport, f.friedman_aligned_ranks, f.quade)


def scores_of(seed, n, k, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + 2 * rng.normal(size=(n, 1))
    return np.round(x, 0) if ties else x


# -- other programs ------------------------------------------------------------------------------


def test_rounding_times_as_in_r(r):
    """R 4.2.2, friedman.test and quade.test (they rank low first, which changes nothing)."""
    scores = r["rounding"].reshape(22, 3)
    result = f.friedman(scores)
    assert [result.statistic, result.df, result.pvalue] == pytest.approx(r["friedman_rounding"])
    result = f.quade(scores, tie_tolerance=0)
    assert [result.statistic, *result.df, result.pvalue] == pytest.approx(r["quade_rounding"])


def test_quades_ranges_are_free_of_rounding_noise(r):
    """R's F is 7.04 as 5.85 - 5.70 and 5.55 - 5.40 differ for it; in whole hundredths 6.37."""
    result = f.quade(r["rounding"].reshape(22, 3))
    expected = r["quade_rounding_int"]
    assert [result.statistic, *result.df, result.pvalue] == pytest.approx(expected)
    assert abs(expected[0] - r["quade_rounding"][0]) > 0.6


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "k"), [(6, 3), (15, 4), (30, 8)])
def test_friedman_as_in_scipy(n, k, ties):
    x = scores_of(n * k, n, k, ties)
    expected = stats.friedmanchisquare(*x.T)
    result = f.friedman(x)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-10)
    ranks = stats.rankdata(-x, axis=1)
    assert result.estimate == pytest.approx(ranks.mean(axis=0))


def test_aligned_ranks_by_the_printed_formula():
    """Without ties the permutation form is García et al. 2010, sec. 4.1, term by term."""
    x = scores_of(5, 12, 5)
    n, k = x.shape
    ranks = stats.rankdata(-(x - x.mean(axis=1, keepdims=True))).reshape(n, k)
    above = np.sum(ranks.sum(axis=0) ** 2) - k * n**2 / 4 * (k * n + 1) ** 2
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - np.sum(ranks.sum(axis=1) ** 2) / k
    assert f.friedman_aligned_ranks(x).statistic == pytest.approx((k - 1) * above / below)


# -- exact and permutation p-values ---------------------------------------------------------------


def test_unanimous_data_sets():
    """Infinite F; the other data sets follow the first with chance (1/k!)^(n-1)."""
    x = np.array([[1.0, 2, 3, 4]] * 3) * np.array([[1], [2], [5]])
    result = f.iman_davenport(x)
    assert result.statistic == np.inf
    assert result.pvalue == pytest.approx(1 / 24**2)
    assert result.pvalue == pytest.approx(f.iman_davenport(x, method="exact").pvalue)
    assert result.notes == ("exact permutation p-value: all data sets rank the algorithms alike",)
    tied = np.array([[1.0, 2, 2]] * 4)
    assert f.iman_davenport(tied).pvalue == pytest.approx(1 / 3**3)


# -- invariances ----------------------------------------------------------------------------------


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 12), k=st.integers(3, 6), ties=st.booleans())
def test_symmetries(seed, n, k, ties):
    x = scores_of(seed, n, k, ties)
    if np.all(np.ptp(x, axis=1) == 0):
        return
    rng = np.random.default_rng(seed)
    columns, rows = rng.permutation(k), rng.permutation(n)
    for test in TESTS:
        result = test(x)
        shuffled = test(x[rows][:, columns])
        assert shuffled.statistic == pytest.approx(result.statistic, rel=1e-9)
        assert shuffled.estimate == pytest.approx(result.estimate[columns])
        mirrored = test(-x, lower_is_better=True)
        assert mirrored.statistic == pytest.approx(result.statistic, rel=1e-9)
        assert mirrored.estimate == pytest.approx(result.estimate)
        scaled = test(3 * x + 7)
        assert scaled.statistic == pytest.approx(result.statistic, rel=1e-9)
    moved = x + rng.normal(size=(n, 1)).round(1)  # a data set's level tells nothing
    assert f.friedman(moved).statistic == pytest.approx(f.friedman(x).statistic)


def test_inputs_are_not_modified():
    x = scores_of(1, 5, 3)
    before = x.copy()
    for test in TESTS:
        test(x)
    assert np.array_equal(x, before)


# -- bad input ------------------------------------------------------------------------------------


def test_bad_options():
    x = scores_of(1, 6, 3)
    with pytest.raises(InputError, match="method"):
        f.friedman(x, method="exakt")
    with pytest.raises(InputError, match="tie_tolerance"):
        f.quade(x, tie_tolerance=-1)
    with pytest.raises(InputError, match="resamples"):
        f.friedman(x, method="permutation", resamples=0)
    with pytest.raises(InputError, match="permutation"):
        f.friedman(scores_of(1, 30, 8), method="exact")
    with pytest.raises(InputError, match="at most 8"):
        f.friedman(scores_of(1, 5, 9), method="exact")
    with pytest.raises(InputError, match="no confidence interval"):
        f.friedman(x).confidence_interval()
    with pytest.raises(InputError, match="has none for the algorithm 'A2'"):
        f.average_ranks([[1, np.nan], [2, np.nan]])


def test_few_data_sets_are_said_to_be_approximate():
    """Seven are few, eight are not: there χ² is as good as R's friedman.test takes it to be."""
    x = np.random.default_rng(9).normal(size=(8, 3))
    assert any("7 data sets only" in note for note in f.friedman(x[:7]).notes)
    assert not any("approximate" in note for note in f.friedman(x).notes)
