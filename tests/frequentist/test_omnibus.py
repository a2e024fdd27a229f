"""Omnibus rank tests: R, SciPy, enumeration of all permutations, invariances, bad input."""

import itertools
from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError
from tests.rows import each_row


def scores_of(seed, n, k, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + 2 * rng.normal(size=(n, 1))
    return np.round(x, 0) if ties else x


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


@each_row("ties", [False, True])
@each_row(("n", "k"), [(4, 3), (3, 4)])
def test_exact_by_enumeration(n, k, ties):
    x = scores_of(int(ties), n, k, ties)
    expected = enumerated(scipy_friedman, x)
    assert f.friedman(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)
    assert f.iman_davenport(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)
    expected = enumerated(plain_quade, x)
    assert f.quade(x, method="exact").pvalue == pytest.approx(expected, rel=1e-12)


@each_row(
    ("n", "k", "statistic", "p"),
    [
        (3, 3, 6.0, 0.028),
        (4, 3, 6.5, 0.042),
        (4, 3, 8.0, 0.0046),
        (3, 4, 7.4, 0.033),
        (4, 4, 7.8, 0.036),
    ],
)
def test_exact_as_tabulated(n, k, statistic, p):
    """Friedman's table (Siegel & Castellan 1988, table N)."""
    rng = np.random.default_rng(0)
    for _ in range(20000):
        x = np.array([rng.permutation(k) for _ in range(n)], dtype=float)
        result = f.friedman(x)
        if result.statistic == pytest.approx(statistic):
            break
    assert result.statistic == pytest.approx(statistic)
    assert f.friedman(x, method="exact").pvalue == pytest.approx(p, abs=6e-4)


def test_random_permutations_approach_the_exact_p():
    x = scores_of(4, 8, 4, ties=True)
    exact = f.friedman(x, method="exact").pvalue
    drawn = f.friedman(x, method="permutation", resamples=20000, seed=1).pvalue
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20000))
    again = f.friedman(x, method="permutation", resamples=20000, seed=1).pvalue
    assert drawn == again


@each_row(("key", "digits"), [("kendall_w", 3), ("kendall_w_ties", 1)])
def test_as_in_effectsize(gr, key, digits):
    """effectsize 0.8.3, kendalls_w(t(x))."""
    x = np.round(gr["folds"].reshape(4, 10).T, digits)
    assert f.kendalls_w(x).estimate == pytest.approx(gr[key][0])


def test_it_is_the_mean_of_spearmans_correlations():
    x = np.random.default_rng(1).normal(size=(8, 5)) + np.arange(5)
    pairs = np.triu_indices(8, 1)
    mean = stats.spearmanr(x.T).statistic[pairs].mean()
    assert (8 * f.kendalls_w(x).estimate - 1) / 7 == pytest.approx(mean)


def test_friedmans_results_have_it():
    x = np.random.default_rng(2).normal(size=(9, 4))
    result = f.friedman(x)
    assert result.effect.estimate == pytest.approx(result.statistic / (9 * 3))
    assert result.to_dict()["effect"]["measure"] == "Kendall's W"
    assert f.quade(x).effect is None
    assert result.effect.answer() == "Kendall's W"  # of no two algorithms is one ahead
    assert (
        f.kendalls_w(x)
        .explain()
        .startswith(f"Kendall's W: {result.effect.estimate:.4g} (95% confidence")
    )


def test_the_interval_is_that_of_the_jackknife():
    """The textbook's pseudo-values of the mean correlation, each from its own table."""
    x = np.random.default_rng(3).normal(size=(12, 4)) + 0.7 * np.arange(4)

    def correlation(y):
        return (len(y) * f.kendalls_w(y).estimate - 1) / (len(y) - 1)

    r = correlation(x)
    pseudo = [12 * r - 11 * correlation(np.delete(x, i, axis=0)) for i in range(12)]
    error = np.std(pseudo, ddof=1) / np.sqrt(12) / (1 - r**2)
    half = stats.t.ppf(0.95, 11) * error
    ends = np.tanh(np.arctanh(r) + half * np.array([-1, 1]))
    expected = np.clip((1 + 11 * ends) / 12, 0, 1)
    assert f.kendalls_w(x).confidence_interval(0.9) == pytest.approx(tuple(expected))


def test_limits():
    same = f.kendalls_w(np.tile([1, 2, 3], (5, 1)))
    assert (same.estimate, same.confidence_interval()) == (pytest.approx(1), (1, 1))
    assert f.kendalls_w([[1, 2, 3], [3, 2, 1]]).estimate == pytest.approx(0, abs=1e-12)


TESTS = (f.friedman, f.iman_davenport, f.friedman_aligned_ranks, f.quade)


# Other programs.


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


@each_row("ties", [False, True])
@each_row(("n", "k"), [(6, 3), (15, 4), (30, 8)])
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


# Exact and permutation p-values.


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


# Invariances.


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


# Bad input.


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
    with pytest.raises(InputError, match="method must not be 'exact' for more than 8 algorithms"):
        f.friedman(scores_of(1, 5, 9), method="exact")
    with pytest.raises(InputError, match="no confidence interval"):
        f.friedman(x).confidence_interval()
    with pytest.raises(
        InputError, match="scores must have one for every algorithm and every data set"
    ):
        f.average_ranks([[1, np.nan], [2, np.nan]])


def test_few_data_sets_are_said_to_be_approximate():
    """Seven are few, eight are not: there χ² is as good as R's friedman.test takes it to be."""
    x = np.random.default_rng(9).normal(size=(8, 3))
    assert any("7 data sets only" in note for note in f.friedman(x[:7]).notes)
    assert not any("approximate" in note for note in f.friedman(x).notes)


@each_row("name", ["plain", "tied"])
def test_asymptotic_as_in_coin(rr, name):
    """coin 1.4-2, friedman_test(y ~ ordered(g) | b, alternative = "greater")."""
    result = f.page_trend(rr[name].reshape(12, 5), method="asymptotic")
    assert result.pvalue == pytest.approx(rr[f"{name}_page"][1], rel=1e-10)


def test_exact_as_in_scipy():
    """SciPy 1.17.1, page_trend_test(x); its ranks grow with the score too."""
    x = np.random.default_rng(1).normal(size=(9, 4)) + 0.2 * np.arange(4)
    result, expected = f.page_trend(x), stats.page_trend_test(x, method="exact")
    assert result.statistic == expected.statistic
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-12)  # sums in another order
    assert "exact" in str(result)


def test_hollander_and_wolfe():
    """SciPy's docstring (Page 1963, p. 220): L = 133.5, with ties; its data by rank."""
    data = [
        [3, 4, 3],
        [2, 2, 4],
        [3, 3, 5],
        [1, 3, 2],
        [2, 3, 2],
        [2, 4, 5],
        [1, 2, 4],
        [3, 4, 4],
        [2, 4, 5],
        [1, 3, 4],
    ]
    assert f.page_trend(data, method="asymptotic").statistic == 133.5


def test_order_names_the_algorithms():
    x = pd.DataFrame(np.random.default_rng(2).random((8, 3)), columns=["a", "b", "c"])
    turned = f.page_trend(x, order=["c", "a", "b"])
    assert turned.pvalue == f.page_trend(x[["c", "a", "b"]]).pvalue
    assert "worst to the best: c, a, b" in str(turned)
    with pytest.raises(InputError, match="every algorithm once"):
        f.page_trend(x, order=["c", "a"])


def test_lower_is_better_turns_the_trend():
    x = np.random.default_rng(3).random((7, 4)) + np.arange(4)
    assert f.page_trend(x).pvalue < 1e-4
    assert f.page_trend(x, lower_is_better=True).pvalue > 0.999
    assert f.page_trend(-x, lower_is_better=True).pvalue == f.page_trend(x).pvalue


@each_row("test", [f.friedman, f.friedman_aligned_ranks, f.quade])
@each_row("shape", [(2, 3), (7, 3), (7, 4), (7, 5), (3, 8), (6, 12)])
def test_few_data_sets_are_told_a_way_that_can_be_gone(test, shape):
    x = np.random.default_rng(5).random(shape)
    (note,) = [note for note in test(x).notes if "data sets only" in note]
    better = test(x, method=note.split("'")[1], seed=1)
    assert "permutation" in better.notes[0]


def test_the_exact_trend_with_ties_is_that_of_all_permutations():
    x = np.random.default_rng(4).integers(0, 3, (4, 3))
    weighted = [[np.dot(p, [1, 2, 3]) for p in permutations(stats.rankdata(r))] for r in x]
    result = f.page_trend(x)
    reached = [sum(case) >= result.statistic for case in product(*weighted)]
    assert result.pvalue == pytest.approx(np.mean(reached), rel=1e-12)
    with pytest.raises(InputError, match="method must not be 'exact' for more than 12 algorithms"):
        f.page_trend(scores_of(1, 3, 13), method="exact")


def test_data_sets_on_which_all_tie_tell_nothing():
    """Two of ten differ: χ² of friedman is as approximate as from two."""
    x = np.ones((10, 3))
    x[:2] = [1, 2, 3]
    assert any("2 data sets only" in note for note in f.friedman(x).notes)


# The Kruskal-Wallis test: R, order, refusals.


SIDES = ("two-sided", "less", "greater")


@pytest.fixture
def runs(gr):
    return gr["runs_first"], gr["runs_second"]


@each_row("side", SIDES)
def test_welch_as_in_r(gr, runs, side):
    """R 4.2.2, t.test(s, r, alternative = side)."""
    result = f.welch(*runs, alternative=side)
    low, high = result.confidence_interval()
    expected = gr[f"welch_{side.replace('-', '.')}"]
    assert [result.statistic, result.df, result.pvalue, low, high] == pytest.approx(expected)
    assert result.estimate == pytest.approx(np.mean(runs[1]) - np.mean(runs[0]))


@each_row("side", SIDES)
def test_mann_whitney_as_in_r(gr, runs, side):
    """R 4.2.2, wilcox.test(s, r, alternative = side, exact = FALSE), with ties."""
    result = f.mann_whitney(*runs, alternative=side, method="asymptotic")
    assert [result.statistic, result.pvalue] == pytest.approx(
        gr[f"mannwhitney_{side.replace('-', '.')}"]
    )


def test_exact_mann_whitney_as_in_r(gr, runs):
    """R 4.2.2, wilcox.test(s + i/100, r - i/100, exact = TRUE), no ties."""
    first, second = runs
    first = first - np.arange(1, len(first) + 1) / 100
    second = second + np.arange(1, len(second) + 1) / 100
    result = f.mann_whitney(first, second, method="exact")
    assert [result.statistic, result.pvalue] == pytest.approx(gr["mannwhitney_exact"])


#: Two samples with ties; the first is called significant by the normal approximation.
TIED_RUNS = [([0, 0, 0], [1, 1, 1]), ([0, 0, 0], [1, 2, 2, 2]), ([0, 0, 1, 1, 3], [1, 1, 2, 2])]


def partitions_pvalue(first, second, side, statistic):
    """Enumerate all partitions; two-sided, twice the smaller tail."""
    both, size = np.array([*first, *second], dtype=float), len(second)
    cases = [list(c) for c in combinations(range(len(both)), size)]
    values = np.array([statistic(np.delete(both, c), both[c]) for c in cases])
    observed = statistic(np.array(first, dtype=float), np.array(second, dtype=float))
    below, above = (values <= observed + 1e-9).mean(), (values >= observed - 1e-9).mean()
    return {"two-sided": min(1, 2 * min(below, above)), "less": below, "greater": above}[side]


@each_row("side", SIDES)
@each_row("samples", TIED_RUNS)
def test_tied_runs_are_compared_over_all_partitions(samples, side):
    """Also for the two-sided definition of the permutation test, which depends on the sizes."""
    first, second = samples

    def wins(a, b):
        return np.sign(b[:, None] - a).sum()

    def gap(a, b):
        return b.mean() - a.mean()

    for test, statistic in ((f.mann_whitney, wins), (f.two_sample_permutation, gap)):
        result = test(first, second, alternative=side)
        expected = partitions_pvalue(first, second, side, statistic)
        assert result.pvalue == pytest.approx(expected, rel=1e-12)  # sums in another order
        assert "exact" in str(result)


@each_row("sizes", [(20, 20), (5, 60)])
def test_many_runs_without_ties_as_in_scipy(sizes):
    """SciPy 1.17.1, mannwhitneyu(b, a, method="exact")."""
    rng = np.random.default_rng(8)
    a, b = (rng.normal(size=n) for n in sizes)
    expected = stats.mannwhitneyu(b, a, method="exact").pvalue
    assert f.mann_whitney(a, b).pvalue == pytest.approx(expected, rel=1e-9)


@each_row("samples", [[[1, 2, 2], [2, 3], [3, 4]], [[1, 1, 4], [2, 2, 4], [1, 5]]])
def test_tied_runs_of_three_are_compared_over_all_partitions(samples):
    ranks = stats.rankdata(np.concatenate(samples))
    cuts = np.cumsum([len(x) for x in samples])[:-1]

    def spread(order):
        return sum(r.sum() ** 2 / len(r) for r in np.split(ranks[list(order)], cuts))

    observed = spread(range(len(ranks)))
    reached = [spread(p) >= observed - 1e-9 for p in permutations(range(len(ranks)))]
    result = f.kruskal_wallis(samples)
    assert result.pvalue == pytest.approx(np.mean(reached), rel=1e-12)
    asymptotic = f.kruskal_wallis(samples, method="asymptotic")
    assert asymptotic.pvalue == pytest.approx(stats.kruskal(*samples).pvalue)


FEW_ROWS = [[1, 2, 3], [2, 2, 3], [1, 3, 3], [1, 2, 4]]
#: Every test of ranks that has an approximation, of few data sets or runs, with ties.
OF_RANKS = {
    **{
        f"posthoc {t}": partial(f.posthoc, FEW_ROWS, test=t)
        for t in ("friedman", "aligned", "quade")
    },
    "posthoc t": partial(f.posthoc, FEW_ROWS, distribution="t"),
    **{
        test.__name__: partial(test, FEW_ROWS)
        for test in (
            *(f.friedman, f.iman_davenport, f.friedman_aligned_ranks, f.quade, f.page_trend),
            *(f.skillings_mack, f.nemenyi),
        )
    },
    "multiple_sign": partial(f.multiple_sign, FEW_ROWS, control=0),
    "wilcoxon": partial(f.wilcoxon, [0, 1, 1, 2, -1]),
    "mann_whitney": partial(f.mann_whitney, [0, 0, 0], [1, 1, 1]),
    "brunner_munzel": partial(f.brunner_munzel, [0, 1, 2], [1, 2, 2, 3]),
    "kruskal_wallis": partial(f.kruskal_wallis, [[0, 0, 0], [1, 1, 1]]),
    "cochran_q": partial(f.cochran_q, [[0, 1, 1], [0, 0, 1], [0, 0, 1]]),
}


@each_row("test", OF_RANKS.values(), ids=OF_RANKS)
def test_few_data_or_runs_have_an_exact_p_value_or_a_note(test):
    notes = " ".join(test().notes)
    assert "exact p" in notes or "exact permutation" in notes or "approximate p-value" in notes


@each_row("side", SIDES)
def test_brunner_munzel_by_its_formula(runs, side):
    """Brunner & Munzel 2000: placements of each sample in the other, Satterthwaite's d.o.f."""
    a, b = runs
    n, m = len(a), len(b)
    whole = stats.rankdata(np.r_[a, b])
    placed = (whole[:n] - stats.rankdata(a), whole[n:] - stats.rankdata(b))
    va, vb = (p.var(ddof=1) for p in placed)
    gap = whole[n:].mean() - whole[:n].mean()
    t = n * m * gap / ((n + m) * np.sqrt(n * va + m * vb))
    df = (n * va + m * vb) ** 2 / ((n * va) ** 2 / (n - 1) + (m * vb) ** 2 / (m - 1))
    result = f.brunner_munzel(a, b, alternative=side)
    expected = {
        "two-sided": 2 * stats.t.sf(abs(t), df),
        "greater": stats.t.sf(t, df),
        "less": stats.t.cdf(t, df),
    }
    assert result.statistic == pytest.approx(t)
    assert result.pvalue == pytest.approx(expected[side])


@each_row("test", [f.welch, f.mann_whitney, f.brunner_munzel])
def test_swapping_the_samples_swaps_the_sides(runs, test):
    first, second = runs
    for side, other in (("less", "greater"), ("greater", "less"), ("two-sided", "two-sided")):
        a, b = test(first, second, alternative=side), test(second, first, alternative=other)
        assert a.pvalue == pytest.approx(b.pvalue)


def test_equal_scores():
    assert f.welch([1, 1, 1], [2, 2, 2]).pvalue == 0
    assert f.welch([1, 1, 1], [1, 1, 1]).pvalue == 1
    with pytest.raises(
        InputError, match="second must overlap with first for brunner_munzel, which has"
    ):
        f.brunner_munzel([1, 2, 3], [4, 5])
    with pytest.raises(InputError, match="first must differ from second in a score, to rank"):
        f.brunner_munzel([1, 1], [1, 1])
    with pytest.raises(InputError, match="at least 2"):
        f.welch([1], [1, 2])


def test_as_in_r(gr):
    """R 4.2.2, kruskal.test(list(r, s, q)), with ties."""
    runs = [gr["runs_first"], gr["runs_second"], gr["runs_third"]]
    result = f.kruskal_wallis(runs, method="asymptotic")
    assert [result.statistic, result.df, result.pvalue] == pytest.approx(gr["kruskal"])


def test_two_are_the_mann_whitney_test():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=20), rng.normal(size=25)
    result = f.kruskal_wallis([a, b], names=["a", "b"])
    plain = f.mann_whitney(a, b, method="asymptotic")  # with SciPy's continuity correction
    assert result.pvalue == pytest.approx(plain.pvalue, rel=0.05)


def test_the_best_has_the_lowest_rank():
    result = f.kruskal_wallis([[1, 2, 3], [7, 8, 9], [4, 5, 6]], names=["a", "b", "c"])
    assert result.estimate.tolist() == [8, 2, 5]
    assert result.names == ("a", "b", "c")


@each_row(
    ("samples", "message"),
    [
        ([[1, 2]], "at least 2"),
        ([[1, 1], [1, 1]], "equal"),
        ([[1, 2], [np.nan]], "'A2'"),
        (None, r"samples must be .* \(got None\)"),
        (5, r"samples must be .* \(got 5\)"),
    ],
)
def test_refused(samples, message):
    with pytest.raises(InputError, match=message):
        f.kruskal_wallis(samples)
