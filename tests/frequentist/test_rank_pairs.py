"""Post-hoc tests: the variance by enumeration, invariances, cliques, critical differences."""

import itertools
import re
from time import process_time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.omnibus import block_scores
from bayescmp.frequentist.rank_pairs import conover, difference_distribution
from bayescmp.frequentist.ranks import as_table
from tests.rows import each_row


def scores_of(seed, n, k, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + 2 * rng.normal(size=(n, 1)) + 0.3 * np.arange(k)
    return np.round(x, 0) if ties else x


@each_row("adjust", ["nemenyi", "bonferroni", "none"])
def test_critical_difference_separates(adjust):
    result = f.posthoc(scores_of(5, 20, 6, ties=True), adjust=adjust)
    for alpha in (0.01, 0.05, 0.3):
        limit = result.critical_difference(alpha)
        assert np.array_equal(np.abs(result.difference) >= limit, result.different(alpha))


@each_row(
    ("algorithms", "sentence"),
    [(2, "1 of 1 pair differs at"), (3, "1 of 3 pairs differs at"), (4, "2 of 6 pairs differ at")],
)
def test_one_pair_differs_and_several_differ(algorithms, sentence):
    result = f.pairwise_t(np.random.default_rng(1).normal(size=(algorithms, 9)), adjust="none")
    alpha = np.sort(result.pvalue)[int(sentence[0]) - 1]
    assert sentence in result.answer(alpha)


def test_critical_difference_of_a_table_is_that_of_its_size():
    x = scores_of(4, 13, 5, ties=True)
    assert f.nemenyi(x).critical_difference(0.1) == f.critical_difference(5, 13, alpha=0.1)
    control = f.posthoc(x, adjust="dunn", control=0, variance="published")
    expected = f.critical_difference(5, 13, control=True)
    assert control.critical_difference() == pytest.approx(expected)
    assert f.posthoc(x, adjust="holm").critical_difference() is None


def test_too_few_algorithms_and_levels_outside_are_refused():
    with pytest.raises(InputError, match=r"L must be a whole number of at least 2 \(got 1\)"):
        f.critical_difference(1, 5)
    with pytest.raises(InputError, match="alpha"):
        f.critical_difference(3, 5, alpha=0)


@each_row(
    ("L", "q"), [(2.5, 10), (3, float("inf")), (3, 2.5), ("3", 5), (3, True), (float("nan"), 5)]
)
def test_numbers_of_algorithms_and_data_sets_that_are_none(L, q):
    with pytest.raises(InputError, match=r"(L|q) must be a whole number"):
        f.critical_difference(L, q)


@each_row("name", ["plain", "tied"])
@each_row(("test", "key"), [("friedman", "conover"), ("quade", "quade")])
def test_t_as_in_pmcmrplus(rr, name, test, key):
    """PMCMRplus 1.9.10, frdAllPairsConoverTest and quadeAllPairsTest(dist="TDist"), "none"."""
    x = rr[name].reshape(12, 5)
    result = f.posthoc(x, test=test, distribution="t", adjust="none")
    assert result.pvalue == pytest.approx(rr[f"{name}_{key}"], rel=1e-10)


def test_exact_as_in_pmcmrplus(rr):
    """PMCMRplus 1.9.10, frdAllPairsExactTest(y, g, b, "none")."""
    result = f.posthoc(rr["plain"].reshape(12, 5), distribution="exact", adjust="none")
    assert result.pvalue == pytest.approx(rr["plain_exact"], rel=1e-12)


@each_row(("d", "k", "n"), [(100, 100, 100), (20, 5, 5), (30, 10, 10), (12, 4, 40)])
def test_tails_as_by_eisinga(rr, d, k, n):
    """pexactfrsd(d, k, n, "pvalue") of Eisinga et al. 2017, who print 0.8085251 for the first."""
    values, mass = difference_distribution(np.tile(np.arange(1.0, k + 1), (n, 1)))
    assert mass[np.abs(values) >= d].sum() == pytest.approx(rr[f"eisinga_{d}_{k}_{n}"], rel=1e-11)


def differences_of_all_orders(x, test):
    """Of every pair in both orders: so the first block may stay, as algorithms are renamed."""
    orders = [list(o) for o in itertools.permutations(range(x.shape[1]))]
    moved = [
        np.array([x[0], *(row[o] for row, o in zip(x[1:], choice, strict=True))])
        for choice in itertools.product(orders, repeat=len(x) - 1)
    ]
    values = np.array([f.posthoc(m, test=test, adjust="none").difference for m in moved])
    return np.concatenate([values.ravel(), -values.ravel()])


@each_row("ties", [False, True])
@each_row("test", ["friedman", "aligned", "quade"])
def test_exact_by_enumeration(test, ties):
    """All permutations of the scores within four data sets."""
    x = np.random.default_rng(5).normal(size=(4, 3))
    x = np.round(x) if ties else x
    observed = np.abs(f.posthoc(x, test=test).difference)
    differences = differences_of_all_orders(x, test)
    expected = [np.mean(np.abs(differences) >= d - 1e-9) for d in observed]
    assert f.posthoc(x, test=test, distribution="exact", adjust="none").pvalue == pytest.approx(
        expected, abs=1e-12
    )


def test_distribution_is_symmetric_and_whole():
    a = np.random.default_rng(1).integers(1, 5, size=(9, 6)).astype(float)
    values, mass = difference_distribution(a)
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    assert mass == pytest.approx(mass[::-1], abs=1e-15)
    deviation = a - a.mean(axis=1, keepdims=True)
    assert mass @ values**2 == pytest.approx(2 * np.sum(deviation**2) / 5)


def test_conovers_error_is_that_of_an_analysis_of_variance_of_ranks():
    ranks = block_scores("friedman", as_table(np.random.default_rng(2).random((10, 4)), ""))
    error, df = conover(ranks)
    table = f.anova(ranks.a.T)
    assert (error, df) == (pytest.approx(np.sqrt(2 * table.mean_square_error / 10)), 27)


def test_margin_and_notes():
    x = np.random.default_rng(3).random((15, 4))
    result = f.posthoc(x, distribution="t", adjust="bonferroni")
    limit = result.critical_difference(0.05)
    expected = stats.t.isf(0.05 / 12, 42) * result.standard_error
    assert limit == pytest.approx(expected)
    assert "df = 42" in str(result)
    assert "Conover post-hoc test" in str(result)
    assert re.search(r"^A +B +difference +t +p +adjusted$", str(result), re.M)
    assert f.posthoc(x, distribution="exact", adjust="none").critical_difference() is None


@each_row(
    ("options", "message"),
    [
        ({"distribution": "gauss"}, r"distribution must be .*\(got 'gauss'\)"),
        (
            {"distribution": "t", "test": "aligned"},
            "distribution must be 'normal' or 'exact' with test='aligned'",
        ),
        (
            {"distribution": "t", "test": "wilcoxon"},
            "distribution must be left out with test='wilcoxon', which has",
        ),
        ({"distribution": "t", "adjust": "nemenyi"}, "adjust='nemenyi'"),
        ({"distribution": "exact", "variance": "published"}, "variance='published'"),
    ],
)
def test_refused(options, message):
    with pytest.raises(InputError, match=message):
        f.posthoc(np.random.default_rng(1).random((8, 4)), **options)


def test_no_error_is_left_where_all_rank_alike():
    x = np.tile([1.0, 2.0, 3.0], (6, 1))
    with pytest.raises(
        InputError, match=r"distribution must not be 't'.*Use distribution='exact'"
    ):
        f.posthoc(x, distribution="t")
    exact = f.posthoc(x, distribution="exact", adjust="none")
    assert exact.pvalue[1] == pytest.approx(2 / 6**6)  # the first last, the last first, 6 times


RANK_TESTS = ("friedman", "aligned", "quade")


@each_row("ties", [False, True])
@each_row("test", RANK_TESTS)
def test_standard_error_by_enumeration(test, ties):
    """Over all permutations of the scores within data sets the difference has that variance.

    The block means and ranges, and so the aligned ranks and weights, don't change with the order.
    """
    x = scores_of(3, 4, 3, ties)
    result = f.posthoc(x, test=test)
    assert np.std(differences_of_all_orders(x, test)) == pytest.approx(
        result.standard_error, rel=1e-10
    )
    renamed = f.posthoc(x[:, [1, 0, 2]], test=test).difference
    assert renamed == pytest.approx(result.difference[[0, 2, 1]] * [-1, 1, 1])


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


@each_row("test", [*RANK_TESTS, "wilcoxon", "sign"])
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


# Nemenyi.


def test_nemenyi_as_in_scikit_posthocs(table):
    """scikit-posthocs 0.17.1, posthoc_nemenyi_friedman(table.to_numpy()), upper triangle."""
    expected = [
        0.038957715798952686,
        0.9992068519409956,
        4.471405653516669e-07,
        0.09276497918568338,
        0.07558878076362963,
        0.06109284665718884,
        0.9975469350501577,
        1.7264619029955242e-06,
        0.16312532831576942,
        0.024071388729801968,
    ]
    result = f.nemenyi(table("friedman_gh2008"))
    assert result.adjusted == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_ties_make_nemenyi_conservative():
    x = scores_of(4, 13, 5, ties=True)
    assert f.nemenyi(x).standard_error > f.nemenyi(x, variance="permutation").standard_error


# Groups.


@each_row(
    ("options", "words"),
    [
        ({"test": "nemenyi"}, "test"),
        ({"adjust": "tukey"}, "adjustment"),
        ({"control": "A9"}, "control.*A1"),
        ({"control": 7}, r"control must be a column, .* \(got 7\)"),
        (
            {"control": 0, "adjust": "shaffer"},
            r"adjust must be .*\(Dunn\) with control=0 \(got 'shaffer'\)",
        ),
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
    with pytest.raises(InputError, match="alpha"):
        f.posthoc(scores_of(1, 9, 4)).cliques(1.5)
    with pytest.raises(InputError, match="no simultaneous confidence intervals"):
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


@each_row(
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


def largest_of(x, control, alternative):
    others = np.delete(x, control, axis=1)
    net = np.sign(others - x[:, [control]]).sum(axis=0)
    sides = {"two-sided": np.abs(net), "greater": net, "less": -net}
    return sides[alternative]


@each_row("alternative", ["two-sided", "less", "greater"])
@each_row("ties", [False, True])
def test_by_enumeration(alternative, ties):
    """All permutations of the scores within four data sets."""
    x = np.random.default_rng(3).normal([0, 0.5, 1], size=(4, 3))
    x = np.round(x) if ties else x
    orders = [list(o) for o in itertools.permutations(range(3))]
    null = np.array(
        [
            largest_of(
                np.array([r[o] for r, o in zip(x, choice, strict=True)]), 1, alternative
            ).max()
            for choice in itertools.product(orders, repeat=4)
        ]
    )
    expected = [(null >= c).mean() for c in largest_of(x, 1, alternative)]
    result = f.multiple_sign(x, control=1, alternative=alternative)
    assert result.adjusted == pytest.approx(expected, abs=1e-12)


def test_two_algorithms_would_be_the_sign_test():
    """An algorithm alone with the control: its raw p-value is SciPy's binomial test."""
    x = np.random.default_rng(4).random((11, 3))
    result = f.multiple_sign(x, control=0)
    wins = (x[:, 1:] > x[:, [0]]).sum(axis=0)
    assert result.pvalue == pytest.approx([stats.binomtest(int(w), 11).pvalue for w in wins])
    assert np.all(result.adjusted >= result.pvalue - 1e-12)
    assert result.statistic == pytest.approx(2 * wins - 11)


def test_random_permutations_agree_with_all():
    x = np.random.default_rng(5).random((12, 4))
    exact = f.multiple_sign(x, control=2)
    drawn = f.multiple_sign(x, control=2, method="permutation", seed=1)
    assert "99999 random" in drawn.notes[0]
    error = np.sqrt(exact.adjusted * (1 - exact.adjusted) / 99_999)
    assert np.all(np.abs(drawn.adjusted - exact.adjusted) <= 4 * error + 2e-5)


def test_many_algorithms_are_drawn():
    x = np.random.default_rng(6).random((30, 15))
    assert "random" in f.multiple_sign(x, control=0, resamples=999, seed=1).notes[0]
    with pytest.raises(InputError, match="too many cases"):
        f.multiple_sign(x, control=0, method="exact")


def test_no_p_value_is_smaller_than_one_draw_among_all():
    """Thirty wins of thirty: no random permutation comes near, and the p-value is not 0."""
    x = np.random.default_rng(6).random((30, 3)) + np.array([0, 0, 2])
    drawn = f.multiple_sign(x, control=0, method="permutation", resamples=999, seed=1)
    assert drawn.statistic[1] == 30
    assert drawn.adjusted[1] == 1 / 1000


def test_one_of_forty_is_best_three_times():
    """All others are tied: that any given one is best every time has the chance 40⁻³."""
    x = np.zeros((3, 40))
    x[:, 7] = 1
    result = f.multiple_sign(x, control=0, method="exact")
    assert result.adjusted[result.names.index("A8") - 1] == pytest.approx(1 / 1600, rel=1e-12)
    assert result.adjusted[0] == 1


def test_lower_is_better_and_direction():
    x = np.random.default_rng(7).random((10, 3)) * 0.1 + [0, 1, 2]
    result = f.multiple_sign(x, control="A2", alternative="greater")
    assert result.statistic.tolist() == [-10, 10]
    assert result.adjusted[1] < 0.01 < result.adjusted[0]
    turned = f.multiple_sign(x, control="A2", alternative="greater", lower_is_better=True)
    assert turned.statistic.tolist() == [10, -10]
    assert result.order == (2, 1, 0)


def test_drawn_ways_agree_with_all_permutations():
    """30 data sets with ties: how often signs fall in which way is drawn, not each permutation."""
    scores = np.random.default_rng(4).integers(0, 4, (30, 3)).astype(float)
    exact = f.multiple_sign(scores, control=0, method="exact").adjusted
    drawn = f.multiple_sign(scores, control=0, method="permutation", seed=1).adjusted
    assert drawn == pytest.approx(exact, abs=4 * 0.5 / np.sqrt(99_999))


@pytest.mark.slow
def test_many_data_sets_take_no_minutes():
    start, ways = process_time(), []
    for q, L in ((200, 3), (2000, 3), (2000, 6)):
        x = np.random.default_rng(1).normal(size=(q, L))
        ways.append(f.multiple_sign(x, control=0, seed=1).notes[0][:5])
    assert ways == ["exact", "p-val", "p-val"]
    assert process_time() - start < 30


def test_two_thousand_data_sets_by_the_normal_distribution():
    """The control is first or last of three in two cases of three: correlation 1/3; SciPy."""
    x = np.random.default_rng(3).normal(size=(2000, 3))
    result = f.multiple_sign(x, control=0, method="permutation", seed=1)
    pair = stats.multivariate_normal([0, 0], [[1, 1 / 3], [1 / 3, 1]])
    ends = (np.abs(result.statistic) - 1) / np.sqrt(2000)  # in steps of two
    expected = [1 - pair.cdf([c, c], lower_limit=[-c, -c]) for c in ends]
    assert result.adjusted == pytest.approx(expected, abs=0.01)
