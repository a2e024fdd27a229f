"""Permutation tests of a difference: all cases listed in the test itself, and the sides."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.frequentist import paired_permutation, two_sample_permutation

numbers = st.integers(-20, 20).map(lambda v: v / 10)


def two_sided(means, observed):
    means = np.array(means)
    sides = np.mean(means <= observed + 1e-12), np.mean(means >= observed - 1e-12)
    return min(1.0, 2 * min(sides)), sides[0], sides[1]


@settings(max_examples=40)
@given(st.lists(numbers, min_size=2, max_size=8))
def test_paired_is_exact_by_listing_all_signs(x):
    x = np.array(x)
    means = [np.mean(x * signs) for signs in product((-1, 1), repeat=len(x))]
    for side, expected in zip(
        ("two-sided", "less", "greater"), two_sided(means, x.mean()), strict=True
    ):
        result = paired_permutation(x, alternative=side)
        assert result.pvalue == pytest.approx(expected, abs=1e-12)
    assert result.notes == (f"exact, all {2 ** len(x)} sign changes",)


@settings(max_examples=30)
@given(st.lists(numbers, min_size=2, max_size=5), st.lists(numbers, min_size=2, max_size=5))
def test_two_samples_is_exact_by_listing_all_partitions(x, y):
    pool = np.array(x + y)
    gaps = []
    for chosen in combinations(range(len(pool)), len(y)):
        second = np.isin(np.arange(len(pool)), chosen)
        gaps.append(pool[second].mean() - pool[~second].mean())
    observed = np.mean(y) - np.mean(x)
    for side, expected in zip(
        ("two-sided", "less", "greater"), two_sided(gaps, observed), strict=True
    ):
        result = two_sample_permutation(x, y, alternative=side)
        assert result.pvalue == pytest.approx(expected, abs=1e-12)
    assert result.statistic == pytest.approx(observed)


def test_fishers_darwin_data():
    """Darwin's 15 pairs of maize, in eighths of an inch; Fisher 1935, sec. 21.

    Of 2**15 sums 835 are beyond the observed one and 28 equal to it: 863 on a side, 5.267 % on
    both.
    """
    x = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    result = paired_permutation(x, n=40_000)
    assert result.pvalue == pytest.approx(1726 / 32768, abs=1e-12)


def test_random_draws_and_their_seed():
    x = np.random.default_rng(1).normal(0.3, 1, size=30)
    one, two = (paired_permutation(x, n=999, seed=4).pvalue for _ in range(2))
    assert one == two
    assert one * 1000 == pytest.approx(round(one * 1000))
    assert paired_permutation(x, n=999, seed=4).notes == ("999 random sign changes",)
    result = two_sample_permutation(x, x + 1, n=999, seed=4)
    assert result.pvalue == pytest.approx(2 / 1000)  # none of 999 as far: twice (0 + 1)/1000


def test_positive_says_the_second_is_better():
    result = two_sample_permutation([1, 2, 3], [11, 12, 13], alternative="greater")
    assert (result.statistic, result.pvalue) == (10.0, 1 / 20)
    assert paired_permutation([1, 2, 3], alternative="greater").pvalue == 1 / 8


def test_of_differences_on_several_data_sets_the_means():
    d = bc.Differences([[1, 3], [2, 2], [4, 6]], rho=0.5, names=("a", "b"))
    result = paired_permutation(d)
    assert result.names == ("a", "b")
    assert result.statistic == pytest.approx(np.mean([2, 2, 5]))
    assert result.n == 3


def test_bad_input():
    with pytest.raises(InputError, match="at least 2"):
        paired_permutation([1.0])
    with pytest.raises(InputError, match="y\\[1\\] is nan"):
        two_sample_permutation([1, 2], [1, np.nan])
    for n in (0, "9", None, np.inf):
        with pytest.raises(InputError, match=f"n={n!r}"):
            paired_permutation([1, 2], n=n)
    for seed in ("a", -1):
        with pytest.raises(InputError, match=f"seed={seed!r}"):
            paired_permutation([1, 2], seed=seed)
    with pytest.raises(InputError, match="alternative"):
        paired_permutation([1, 2], alternative="right")


def test_more_differences_than_powers_of_two_that_a_float_holds():
    """2**1024 overflows; the p-value is that of the t test, nearly."""
    x = np.random.default_rng(2).normal(0.05, 1, 1500)
    result = paired_permutation(x, n=4999, seed=1)
    assert result.pvalue == pytest.approx(stats.ttest_1samp(x, 0).pvalue, abs=0.025)
    assert result.notes == ("4999 random sign changes",)
