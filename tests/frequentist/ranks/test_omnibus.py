"""Omnibus rank tests: R, SciPy, enumeration of all permutations, invariances, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
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
    found = f.friedman(scores)
    assert [found.statistic, found.df, found.pvalue] == pytest.approx(r["friedman_rounding"])
    found = f.quade(scores, tie_tolerance=0)
    assert [found.statistic, *found.df, found.pvalue] == pytest.approx(r["quade_rounding"])


def test_quades_ranges_are_free_of_rounding_noise(r):
    """R's F is 7.04 as 5.85 - 5.70 and 5.55 - 5.40 differ for it; in whole hundredths 6.37."""
    found = f.quade(r["rounding"].reshape(22, 3))
    expected = r["quade_rounding_int"]
    assert [found.statistic, *found.df, found.pvalue] == pytest.approx(expected)
    assert abs(expected[0] - r["quade_rounding"][0]) > 0.6


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "k"), [(6, 3), (15, 4), (30, 8)])
def test_friedman_as_in_scipy(n, k, ties):
    x = scores_of(n * k, n, k, ties)
    expected = stats.friedmanchisquare(*x.T)
    found = f.friedman(x)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-10)
    ranks = stats.rankdata(-x, axis=1)
    assert found.estimate == pytest.approx(ranks.mean(axis=0))


def test_aligned_ranks_by_the_printed_formula():
    """Without ties the permutation form is García et al. 2010, sec. 4.1, term by term."""
    x = scores_of(5, 12, 5)
    n, k = x.shape
    ranks = stats.rankdata(-(x - x.mean(axis=1, keepdims=True))).reshape(n, k)
    above = np.sum(ranks.sum(axis=0) ** 2) - k * n**2 / 4 * (k * n + 1) ** 2
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - np.sum(ranks.sum(axis=1) ** 2) / k
    assert f.friedman_aligned_ranks(x).statistic == pytest.approx((k - 1) * above / below)


# -- exact and permutation p-values ---------------------------------------------------------------


def enumerated(statistic, x):
    """Share of all within-block permutations of the scores with at least the statistic."""
    orders = list(itertools.permutations(range(x.shape[1])))
    observed = statistic(x)
    hits = total = 0
    for choice in itertools.product(orders, repeat=len(x) - 1):  # the first block may stay
        moved = np.array([x[0], *(x[i + 1, list(o)] for i, o in enumerate(choice))])
        hits += statistic(moved) >= observed - 1e-9
        total += 1
    return hits / total


def scipy_friedman(x):
    return stats.friedmanchisquare(*x.T).statistic


def plain_quade(x):
    """Conover 1999, sec. 5.8, written out; low ranks first."""
    n, k = x.shape
    weights = stats.rankdata(np.ptp(x, axis=1).round(9))[:, None]
    s = weights * (stats.rankdata(x, axis=1) - (k + 1) / 2)
    a, b = np.sum(s**2), np.sum(s.sum(axis=0) ** 2) / n
    return (n - 1) * b / (a - b) if a > b * (1 + 1e-12) else np.inf


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "k"), [(5, 3), (3, 4)])
def test_exact_by_enumeration(n, k, ties):
    for seed in range(3):
        x = scores_of(seed, n, k, ties)
        expected = enumerated(scipy_friedman, x)
        assert f.friedman(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)
        assert f.iman_davenport(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)
        expected = enumerated(plain_quade, x)
        assert f.quade(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "k", "statistic", "p"),
    [(3, 3, 6.0, 0.028), (4, 3, 6.5, 0.042), (4, 3, 8.0, 0.0046), (3, 4, 7.4, 0.033),
     (4, 4, 7.8, 0.036)],
)  # fmt: skip
def test_exact_as_tabulated(n, k, statistic, p):
    """Friedman's table (Siegel & Castellan 1988, table N)."""
    rng = np.random.default_rng(0)
    for _ in range(20000):
        x = np.array([rng.permutation(k) for _ in range(n)], dtype=float)
        found = f.friedman(x)
        if found.statistic == pytest.approx(statistic):
            break
    assert found.statistic == pytest.approx(statistic)
    assert f.friedman(x, method="exact").pvalue == pytest.approx(p, abs=6e-4)


def test_random_permutations_approach_the_exact_p():
    x = scores_of(4, 8, 4, ties=True)
    exact = f.friedman(x, method="exact").pvalue
    drawn = f.friedman(x, method="permutation", resamples=20000, seed=1).pvalue
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20000))
    again = f.friedman(x, method="permutation", resamples=20000, seed=1).pvalue
    assert drawn == again


def test_unanimous_data_sets():
    """Infinite F; the other data sets follow the first with chance (1/k!)^(n-1)."""
    x = np.array([[1.0, 2, 3, 4]] * 3) * np.array([[1], [2], [5]])
    found = f.iman_davenport(x)
    assert found.statistic == np.inf
    assert found.pvalue == pytest.approx(1 / 24**2)
    assert found.pvalue == pytest.approx(f.iman_davenport(x, method="exact").pvalue)
    tied = np.array([[1.0, 2, 2]] * 4)
    assert f.iman_davenport(tied).pvalue == pytest.approx(1 / 3**3)


# -- invariances ----------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 12), k=st.integers(3, 6), ties=st.booleans())
def test_symmetries(seed, n, k, ties):
    x = scores_of(seed, n, k, ties)
    if np.all(np.ptp(x, axis=1) == 0):
        return
    rng = np.random.default_rng(seed)
    columns, rows = rng.permutation(k), rng.permutation(n)
    for test in TESTS:
        found = test(x)
        shuffled = test(x[rows][:, columns])
        assert shuffled.statistic == pytest.approx(found.statistic, rel=1e-9)
        assert shuffled.estimate == pytest.approx(found.estimate[columns])
        mirrored = test(-x, lower_is_better=True)
        assert mirrored.statistic == pytest.approx(found.statistic, rel=1e-9)
        assert mirrored.estimate == pytest.approx(found.estimate)
        scaled = test(3 * x + 7)
        assert scaled.statistic == pytest.approx(found.statistic, rel=1e-9)
    moved = x + rng.normal(size=(n, 1)).round(1)  # a data set's level tells nothing
    assert f.friedman(moved).statistic == pytest.approx(f.friedman(x).statistic)


def test_rounding_noise_makes_no_order():
    """0.1 + 0.2 and 0.3 are the same score; so are differences from a mean that agree."""
    x = np.array([[0.1 + 0.2, 0.3, 0.1], [0.5, 0.4, 0.2], [0.7, 0.9, 0.8]])
    clean = np.array([[0.3, 0.3, 0.1], [0.5, 0.4, 0.2], [0.7, 0.9, 0.8]])
    assert f.friedman(x).estimate == pytest.approx(f.friedman(clean).estimate)
    assert f.friedman(x, tie_tolerance=0).estimate != pytest.approx(f.friedman(clean).estimate)
    # with 0.15 the last row is all tied (.7, .8, .9) and the others' first two scores are
    assert f.friedman(x, tie_tolerance=0.15).estimate == pytest.approx([5 / 3, 5 / 3, 8 / 3])


def test_tiny_scores_are_no_noise():
    """Rounding is relative to the scores: optimisers' errors of 1e-15 and 2e-15 differ."""
    x = np.array([[1e-15, 2e-15, 1.0], [3e-12, 1e-12, 2.0], [1e-9, 2e-9, 3e-9]])
    assert f.average_ranks(x, lower_is_better=True).ranks[0].tolist() == [1, 2, 3]


def test_rank_one_is_the_best():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 4], "c": [3.0, 4, 5]}, index=list("xyz"))
    table = f.average_ranks(frame)
    assert table.mean_ranks.tolist() == [3, 2, 1]
    assert list(table.frame.index) == ["c", "b", "a"]
    assert table.by_dataset().loc["x", "c"] == 1
    assert table.frame.loc["c", "times_best"] == 3
    assert f.friedman(frame).names == ("a", "b", "c")
    assert f.average_ranks(frame, lower_is_better=True).mean_ranks.tolist() == [1, 2, 3]


def test_average_ranks_with_missing_scores():
    x = [[0.9, np.nan, 0.8], [0.5, 0.6, 0.7]]
    table = f.average_ranks(x)
    assert table.ranks == pytest.approx(np.array([[1, np.nan, 2], [3, 2, 1]]), nan_ok=True)
    assert table.mean_ranks == pytest.approx([2, 2, 1.5])
    assert table.frame.loc["A2", "datasets"] == 1
    assert "2 data sets" in str(table)


def test_inputs_are_not_modified():
    x = scores_of(1, 5, 3)
    before = x.copy()
    for test in TESTS:
        test(x)
    assert np.array_equal(x, before)


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([[1, 2], [2, 1], [1, 3]], "2 algorithms.*use wilcoxon.*sign_test"),
        ([[1, 2, 3]], "1 data set.*anova"),
        ([[1, 2, 3], [np.nan, 2, 3]], "'A1' on data set '2'.*skillings_mack"),
        ([[1, 2, 3], [np.inf, 2, 3]], "infinite for 'A1' on data set '2'"),
        ([[1, 1, 1], [2, 2, 2]], "same score on every data set"),
        ([1, 2, 3], "shape"),
        ([["a", "b", "c"]] * 2, "no table of numbers"),
    ],
)
def test_bad_tables(test, scores, words):
    with pytest.raises(InputError, match=words):
        test(scores)


def test_bad_frames_name_their_cells():
    frame = pd.DataFrame(np.eye(3), columns=["svm", "knn", "gbm"], index=["iris", "wine", "zoo"])
    frame.loc["wine", "knn"] = np.nan
    with pytest.raises(InputError, match="'knn' on data set 'wine'"):
        f.friedman(frame)
    with pytest.raises(InputError, match=r"two algorithm.* named 'a'"):
        f.friedman(pd.DataFrame(np.eye(3), columns=["a", "b", "a"]))


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
