"""Wilcoxon's signed-rank test: R, SciPy, enumeration, its interval."""

import itertools
import time
import tracemalloc
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist import paired_permutation, two_sample_permutation
from bayescmp.frequentist.signs import pseudo_median, walsh_interval
from tests.rows import each_row


def test_pseudo_median_by_hand():
    """Means of 1, 2, 6 in pairs, each with itself: 1, 1.5, 2, 3.5, 4, 6."""
    assert pseudo_median(np.array([1.0, 2, 6])) == 2.75


def test_the_interval_holds_what_is_not_rejected():
    """SciPy, exact: shifts strictly inside are not rejected, those outside are."""
    x = np.random.default_rng(5).normal(0.5, 1, size=12)
    low, high = walsh_interval(x, 0.9)
    for shift, inside in ((low - 1e-6, False), (low + 1e-6, True), (high + 1e-6, False)):
        assert (stats.wilcoxon(x - shift, method="exact").pvalue > 0.1) == inside


def test_one_sided_intervals_are_open():
    x = np.random.default_rng(6).normal(size=9)
    assert walsh_interval(x, 0.95, "greater")[1] == np.inf
    assert walsh_interval(x, 0.95, "greater")[0] == walsh_interval(x, 0.9)[0]


def test_many_differences_by_the_normal_approximation():
    """Coverage of the exact order statistics for 50 and the approximation for 51 hardly differ."""
    x = np.random.default_rng(7).normal(size=51)
    low, high = walsh_interval(x, 0.95)
    fewer = walsh_interval(x[:50], 0.95)
    assert high - low == pytest.approx(fewer[1] - fewer[0], rel=0.1)


def _many(kind, n):
    rng = np.random.default_rng(8)
    return {
        "smooth": rng.normal(size=n),
        "heavy tails": rng.standard_cauchy(n) ** 3,
        "rounded": rng.normal(size=n).round(2) / 10,
        "two values": rng.choice([0.1, 0.3], n),
        "constant": np.full(n, 0.1),
        "one that swallows": np.r_[1e16, rng.random(n - 1)],
    }[kind]


KINDS = ["smooth", "rounded", "constant"]


def test_many_by_all_averages():
    """700 values: too many sums to look at all; NumPy's median and order of all 245,350."""
    for kind in KINDS:
        x = _many(kind, 700)
        i, j = np.triu_indices(700)
        averages = np.sort((x[i] + x[j]) / 2)
        assert pseudo_median(x) == np.median(averages)
        place = np.ceil(700 * 701 / 4 - stats.norm.isf(0.05) * np.sqrt(700 * 701 * 1401 / 24))
        assert walsh_interval(x, 0.9) == (averages[int(place) - 1], averages[-int(place)])


def test_half_of_the_averages_are_equal():
    """Of 696 · 697 / 2 averages, 492 · 493 / 2 are 1, the lower half, and the next are 1.5."""
    assert pseudo_median(np.repeat([1.0, 2.0], [492, 204])) == 1.25


def test_memory_does_not_grow_with_the_pairs():
    """All averages of 20,000 values would take 1.6 GB."""
    x = _many("smooth", 20_000)
    tracemalloc.start()
    try:
        pseudo_median(x)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


SIDES = {"two-sided": "two.sided", "less": "less", "greater": "greater"}


def test_sign_test_as_in_r(r):
    """R 4.2.2, binom.test(9, 12, alternative)."""
    for side in SIDES:
        result = f.sign_test(9, 3, alternative=side)
        interval = result.confidence_interval(0.95)
        assert [result.pvalue, *interval] == pytest.approx(r[f"binom_{SIDES[side]}"])


@given(wins=st.integers(0, 30), losses=st.integers(0, 30), ties=st.integers(0, 9))
def test_sign_test_counts(wins, losses, ties):
    if wins + losses + ties == 0:
        return
    half = ties // 2
    result = f.sign_test(wins, losses, ties)
    n = wins + losses + 2 * half
    assert result.n == n
    if n:
        assert result.pvalue == pytest.approx(stats.binomtest(wins + half, n).pvalue)
        dropped = f.sign_test(wins, losses, ties, tie_method="drop")
        assert dropped.n == wins + losses
    assert result.pvalue == pytest.approx(f.sign_test(losses, wins, ties).pvalue)


COIN = {"wilcox": "Wilcoxon", "pratt": "Pratt"}


def test_wilcoxon_as_in_r(r):
    """R 4.2.2, wilcox.test(x, alternative, conf.int = TRUE); its statistic is the positive sum."""
    for side in SIDES:
        result = f.wilcoxon(r["z"], alternative=side)
        v, p, estimate, low, high = r[f"wilcox_{SIDES[side]}"]
        positive = result.statistic if side != "two-sided" else 12 * 13 / 2 - result.statistic
        assert [positive, result.pvalue, result.estimate] == pytest.approx([v, p, estimate])
        assert result.confidence_interval(0.95) == pytest.approx((low, high))
        if side == "two-sided":
            assert result.confidence_interval(0.8) == pytest.approx(tuple(r["wilcox_80"]))


@each_row("side", SIDES)
@each_row("zeros", ["wilcox", "pratt"])
@each_row("data", ["demsar", "signed70"])
def test_ties_and_zeros_as_in_coin(tr, data, zeros, side):
    """coin 1.4-2, wilcoxsign_test(..., zero.method): exact up to 50 differences, else normal."""
    expected = tr[f"{data}_{COIN[zeros]}_{SIDES[side]}"][0]
    result = f.wilcoxon(tr[data], zeros=zeros, alternative=side)
    assert result.pvalue == pytest.approx(expected, rel=1e-9)
    assert ("exact p-value" in result.notes) == (data != "signed70")


@each_row("zeros", ["wilcox", "pratt", "split"])
@each_row("side", SIDES)
def test_exact_by_enumeration(zeros, side):
    """All signs of the ranked differences; zeros stay where their rule puts them."""
    x = np.array([0, 0.3, -0.1, 0.1, 0, 0.5, -0.2, 0.2, 0.2, 0, 0.7])
    nonzero = x[x != 0] if zeros == "wilcox" else x[1:] if zeros == "split" else x
    ranks = stats.rankdata(np.abs(nonzero))[nonzero != 0]
    signs = np.array(list(itertools.product([False, True], repeat=len(ranks))))
    plus, sums = ranks[nonzero[nonzero != 0] > 0].sum(), signs @ ranks
    below, above = np.mean(sums <= plus), np.mean(sums >= plus)
    expected = {"less": below, "greater": above, "two-sided": min(1, 2 * min(below, above))}
    assert f.wilcoxon(x, zeros=zeros, alternative=side).pvalue == pytest.approx(expected[side])


def test_rounding_makes_no_order():
    """Differences of two-decimal accuracies are whole hundredths, whatever the accuracies are."""
    a = np.array([0.81, 0.77, 0.92, 0.65, 0.70, 0.88, 0.59, 0.73, 0.95, 0.84])
    steps = np.array([3, -1, 2, 4, 1, 2, -1, 3, 0, 2])
    noisy = np.round(a + steps / 100, 2) - a
    assert len(np.unique(np.abs(noisy))) > len(np.unique(np.abs(steps)))
    result = f.wilcoxon(noisy)
    assert result.pvalue == f.wilcoxon(steps).pvalue == 0.02734375  # coin, as above: 7 / 256
    assert result.statistic == f.wilcoxon(steps).statistic
    assert result.notes[-1] == "1 zero difference dropped"
    frame = np.column_stack([a, np.round(a + steps / 100, 2), a / 2])
    pair = f.posthoc(frame, test="wilcoxon", adjust="none")
    assert (pair.pvalue[0], pair.statistic[0]) == (result.pvalue, result.statistic)
    assert f.wilcoxon(noisy, tie_tolerance=0).pvalue != result.pvalue


def test_zeros_in_demsars_example(tr):
    """Demšar 2006, sec. 3.1.3: the rank sums are 93 and 12."""
    result = f.wilcoxon(tr["demsar"], zeros="split")
    assert (result.statistic, result.notes[1]) == (12, "2 zero differences split evenly")
    assert f.wilcoxon(tr["demsar"], zeros="split", alternative="greater").statistic == 93
    odd = f.wilcoxon(np.append(tr["demsar"], 0), zeros="split")
    assert (odd.statistic, odd.notes[2]) == (12, "1 zero difference dropped")
    assert f.wilcoxon([1, 2, 0, 3], zeros="split").notes[-1] == "1 zero difference dropped"
    assert odd.pvalue == result.pvalue == f.wilcoxon(tr["demsar"], zeros="pratt").pvalue


@each_row("side", SIDES)
@each_row("correction", [False, True])
@each_row("zeros", ["wilcox", "pratt"])
def test_normal_approximation_as_in_scipy(tr, side, zeros, correction):
    """SciPy, wilcoxon(..., method="approx")."""
    options = {"alternative": side, "correction": correction}
    expected = stats.wilcoxon(tr["signed70"], zero_method=zeros, method="approx", **options)
    result = f.wilcoxon(tr["signed70"], zeros=zeros, **options)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


@each_row("side", SIDES)
@each_row("n", [5, 50])
def test_without_ties_as_in_scipy(n, side):
    """SciPy, wilcoxon(..., method="exact")."""
    x = np.random.default_rng(n).normal(size=n) + 0.3
    expected = stats.wilcoxon(x, alternative=side, method="exact").pvalue
    assert f.wilcoxon(x, alternative=side).pvalue == pytest.approx(expected, rel=1e-9)


def test_bad_options():
    with pytest.raises(InputError, match="zeros"):
        f.wilcoxon([1.0, 2.0], zeros="drop")
    with pytest.raises(InputError, match="tie_tolerance must be"):
        f.wilcoxon([1.0, 2.0], tie_tolerance=-1)


@each_row("n", [4000, 20_000])
def test_as_fast_as_scipy(n):
    """Turn by turn, in seconds of this process alone: no more than five times as long."""
    x = np.random.default_rng(9).normal(0.01, 1, n)
    ours, theirs = [], []
    for _ in range(15):
        for run, taken in ((f.wilcoxon, ours), (stats.wilcoxon, theirs)):
            start = time.process_time()
            run(x)
            taken.append(time.process_time() - start)
    assert min(ours) < 5 * min(theirs)
    assert f.wilcoxon(x).pvalue == pytest.approx(stats.wilcoxon(x).pvalue)


def test_an_exact_pvalue_of_too_many_is_refused():
    x = np.random.default_rng(9).normal(size=1001)
    with pytest.raises(
        InputError, match="method must not be 'exact' for more than 1,000 differences"
    ):
        f.wilcoxon(x, method="exact")
    exact = f.wilcoxon(x[:400], method="exact").pvalue
    assert exact == pytest.approx(stats.wilcoxon(x[:400], method="exact").pvalue)


# Permutation tests of a difference: all cases listed in the test itself, and the sides.


numbers = st.integers(-20, 20).map(lambda v: v / 10)


def two_sided(means, observed):
    means = np.array(means)
    sides = np.mean(means <= observed + 1e-12), np.mean(means >= observed - 1e-12)
    return min(1.0, 2 * min(sides)), sides[0], sides[1]


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

    Of 2**15 sums 835 are beyond the observed one and 28 equal to it: 863 on a side, 5.267% on
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
    with pytest.raises(InputError, match=r"y must hold finite numbers \(got nan at place 1\)"):
        two_sample_permutation([1, 2], [1, np.nan])
    for n in (0, "9", None, np.inf):
        with pytest.raises(InputError, match=rf"n must be .*\(got {n!r}\)"):
            paired_permutation([1, 2], n=n)
    for seed in ("a", -1):
        with pytest.raises(InputError, match=rf"seed must be .*\(got {seed!r}\)"):
            paired_permutation([1, 2], seed=seed)
    with pytest.raises(InputError, match="alternative"):
        paired_permutation([1, 2], alternative="right")


def test_more_differences_than_powers_of_two_that_a_float_holds():
    """2**1024 overflows; the p-value is that of the t test, nearly."""
    x = np.random.default_rng(2).normal(0.05, 1, 1500)
    result = paired_permutation(x, n=4999, seed=1)
    assert result.pvalue == pytest.approx(stats.ttest_1samp(x, 0).pvalue, abs=0.025)
    assert result.notes == ("4999 random sign changes",)
