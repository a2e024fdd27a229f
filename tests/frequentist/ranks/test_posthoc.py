"""Post-hoc tests: the variance by enumeration, invariances, cliques, critical differences."""

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

RANK_TESTS = ("friedman", "aligned", "quade")


def scores_of(seed, n, k, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + 2 * rng.normal(size=(n, 1)) + 0.3 * np.arange(k)
    return np.round(x, 0) if ties else x


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("test", RANK_TESTS)
def test_standard_error_by_enumeration(test, ties):
    """Over all permutations of the scores within data sets the difference has that variance.

    The block means and ranges, and so the aligned ranks and weights, don't change with the order.
    """
    x = scores_of(3, 4, 3, ties)
    error = f.posthoc(x, test=test).standard_error
    orders = list(itertools.permutations(range(3)))
    differences = []
    for choice in itertools.product(orders, repeat=4):
        moved = np.array([row[list(o)] for row, o in zip(x, choice, strict=True)])
        differences.append(f.posthoc(moved, test=test, adjust="none").difference[0])
    assert np.mean(differences) == pytest.approx(0, abs=1e-12)
    assert np.std(differences) == pytest.approx(error, rel=1e-10)


def test_without_ties_friedmans_error_is_the_printed_one():
    x = scores_of(1, 10, 4)
    own, printed = (f.posthoc(x, variance=v) for v in ("permutation", "published"))
    assert own.standard_error == pytest.approx(np.sqrt(4 * 5 / (6 * 10)))
    assert own.pvalue == pytest.approx(printed.pvalue)
    quade = f.posthoc(x, test="quade")  # STATISTICS: k(k+1)(2n+1)/(9n(n+1)) without ties
    assert quade.standard_error**2 == pytest.approx(4 * 5 * 21 / (9 * 10 * 11))


def test_two_sided_normal_p():
    result = f.posthoc(scores_of(2, 12, 5), test="aligned", adjust="holm")
    assert result.pvalue == pytest.approx(2 * stats.norm.sf(np.abs(result.statistic)))
    assert result.adjusted == pytest.approx(f.adjust(result.pvalue, "holm"))


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), ties=st.booleans(), test=st.sampled_from(RANK_TESTS))
def test_symmetries(seed, ties, test):
    x = scores_of(seed, 9, 4, ties)
    p = f.posthoc(x, test=test).matrix(raw=True).to_numpy()
    new = np.random.default_rng(seed).permutation(4)
    again = f.posthoc(x[:, new], test=test).matrix(raw=True).to_numpy()
    assert again == pytest.approx(p[np.ix_(new, new)])
    mirrored = f.posthoc(-x, test=test, lower_is_better=True)
    assert mirrored.statistic == pytest.approx(f.posthoc(x, test=test).statistic)
    assert f.posthoc(-x, test=test).statistic == pytest.approx(-mirrored.statistic)


@pytest.mark.parametrize("test", [*RANK_TESTS, "wilcoxon", "sign"])
def test_positive_says_that_the_second_is_better(test):
    rng = np.random.default_rng(1)
    x = pd.DataFrame(rng.normal(size=(12, 3)) * 0.1 + [0, 1, 2], columns=["bad", "middle", "good"])
    result = f.posthoc(x, test=test, control="middle")
    gained = dict(zip(result.frame["second"], result.difference, strict=True))
    assert gained["good"] > 0 > gained["bad"]
    assert result.order == (2, 1, 0)
    assert set(result.frame["first"]) == {"middle"}
    upside_down = f.posthoc(x, test=test, control=1, lower_is_better=True)
    assert upside_down.difference == pytest.approx(-result.difference)


def test_pairwise_tests_are_those_of_two_algorithms():
    """SciPy's Wilcoxon and binomial tests, whatever the other algorithms do."""
    x = scores_of(6, 14, 4)
    wilcoxon = f.posthoc(x, test="wilcoxon", adjust="none")
    sign = f.posthoc(x, test="sign", adjust="none")
    for (i, j), p, s in zip(wilcoxon.pairs, wilcoxon.pvalue, sign.pvalue, strict=True):
        assert p == pytest.approx(stats.wilcoxon(x[:, j], x[:, i]).pvalue)
        wins = int(np.sum(x[:, j] > x[:, i]))
        assert s == pytest.approx(stats.binomtest(wins, 14).pvalue)


def test_equal_columns_have_p_one():
    x = scores_of(2, 8, 3)
    x[:, 1] = x[:, 0]
    for test in (*RANK_TESTS, "wilcoxon", "sign"):
        assert f.posthoc(x, test=test).pvalue[0] == 1.0


# -- Nemenyi --------------------------------------------------------------------------------------


def test_nemenyi_as_in_scikit_posthocs(table):
    """scikit-posthocs 0.17.1, posthoc_nemenyi_friedman(table.to_numpy()), upper triangle."""
    expected = [
        0.038957715798952686, 0.9992068519409956, 4.471405653516669e-07, 0.09276497918568338,
        0.07558878076362963, 0.06109284665718884, 0.9975469350501577, 1.7264619029955242e-06,
        0.16312532831576942, 0.024071388729801968,
    ]  # fmt: skip
    result = f.nemenyi(table("friedman_gh2008"))
    assert result.adjusted == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_ties_make_nemenyi_conservative():
    x = scores_of(4, 13, 5, ties=True)
    assert f.nemenyi(x).standard_error > f.nemenyi(x, variance="permutation").standard_error


# -- groups ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"test": "nemenyi"}, "test"),
        ({"adjust": "tukey"}, "adjustment"),
        ({"control": "A9"}, "control.*A1"),
        ({"control": 7}, "control=7"),
        ({"control": 0, "adjust": "shaffer"}, "all pairs.*control"),
        ({"control": 0, "adjust": "nemenyi"}, "Dunn"),
        ({"variance": "printed"}, "variance"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(InputError, match=words):
        f.posthoc(scores_of(1, 9, 4), **options)


def test_bad_tables():
    with pytest.raises(InputError, match="wilcoxon"):
        f.posthoc([[1, 2], [2, 3]])
    with pytest.raises(InputError, match="same score"):
        f.nemenyi([[1, 1, 1], [2, 2, 2]])
    with pytest.raises(InputError, match="level"):
        f.posthoc(scores_of(1, 9, 4)).cliques(1.5)
    with pytest.raises(InputError, match="no simultaneous confidence"):
        f.nemenyi(scores_of(1, 9, 4)).confidence_interval()


def test_with_no_tolerance_differences_tie_only_where_they_are_equal():
    """SciPy 1.17.1, wilcoxon(method="exact"), which takes numbers as they are."""
    second = np.array([0.2, 0.2, 0.8, 0.2, 0.9, 0.45])
    first = np.array([0.3, 0.1, 0.7, 0.4, 0.6, 0.05])  # 0.1 three times, but for rounding
    step = second - first
    assert len(set(np.abs(step))) == 6
    raw, rounded = (
        f.posthoc(np.c_[first, second, first + 1], test="wilcoxon", tie_tolerance=t).pvalue[0]
        for t in (0, None)
    )
    assert raw == pytest.approx(stats.wilcoxon(step, method="exact").pvalue, rel=1e-12)
    assert raw != rounded


def signed_rank_by_all_signs(x):
    """Two-sided exact p-value: zeros dropped, ties at their mean rank, all signs counted."""
    ranks = stats.rankdata(np.abs(x[x != 0]))
    signs = np.array(list(itertools.product((-1, 1), repeat=len(ranks))))
    return np.mean(np.abs(signs @ ranks) >= abs(np.sign(x[x != 0]) @ ranks))


def test_wilcoxon_with_exact_zeros_and_ties():
    """Eighths are exact in binary: no tolerance is needed to see them tie."""
    x = np.array([[4, 4, 7], [5, 6, 7], [5, 6, 7], [4, 3, 6], [6, 6, 4], [5, 6, 4]]) / 8
    result = f.posthoc(x, test="wilcoxon", adjust="none", tie_tolerance=0)
    gains = [x[:, j] - x[:, i] for i, j in ((0, 1), (0, 2), (1, 2))]
    assert result.pvalue == pytest.approx([signed_rank_by_all_signs(g) for g in gains])


@pytest.mark.parametrize(
    ("test", "adjust", "distribution", "title"),
    [
        ("friedman", "nemenyi", "normal", "Nemenyi test"),
        ("friedman", "holm", "normal", "Friedman post-hoc test"),
        ("friedman", "holm", "t", "Conover post-hoc test"),
        ("aligned", "holm", "normal", "Aligned-ranks post-hoc test"),
        ("quade", "nemenyi", "normal", "Quade post-hoc test"),
        ("wilcoxon", "holm", "normal", "Pairwise Wilcoxon tests"),
        ("sign", "holm", "normal", "Pairwise sign tests"),
    ],
)
def test_titles(test, adjust, distribution, title):
    x = scores_of(1, 6, 3)
    result = f.posthoc(x, test=test, adjust=adjust, distribution=distribution)
    assert result.method == title
