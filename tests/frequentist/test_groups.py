"""Tukey's test and pairwise t tests: R, SciPy, labels and direction."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError
from tests.rows import each_row


def test_pairwise_t_has_each_pairs_own_variance():
    x = np.random.default_rng(4).normal(size=(4, 8))
    result = f.pairwise_t(x, adjust="hommel")
    for (i, j), t, p in zip(result.pairs, result.statistic, result.pvalue, strict=True):
        expected = stats.ttest_rel(x[j], x[i])
        assert [t, p] == pytest.approx([expected.statistic, expected.pvalue])
    assert result.adjusted == pytest.approx(f.adjust(result.pvalue, "hommel"))
    bonferroni = f.pairwise_t(x, adjust="bonferroni")
    outside = bonferroni.confidence_interval(0.95).eval("low > 0 or high < 0").to_numpy()
    assert np.array_equal(outside, bonferroni.different(0.05))
    with pytest.raises(InputError, match="no simultaneous confidence intervals"):
        result.confidence_interval()


def test_rounding_is_no_difference():
    """Two algorithms 0.01 apart in every fold; two equal ones, one of them by way of a sum."""
    a = np.array([0.81, 0.77, 0.92, 0.65, 0.70])
    x = [a, np.round(a + 0.01, 2), (a + 0.3) - 0.3]
    assert not np.array_equal(x[2], a)
    for result in (f.tukey(x), f.pairwise_t(x)):
        assert result.pvalue == pytest.approx([0, 1, 0], abs=1e-12)
        assert result.difference[1] == 0
    assert f.anova(x).pvalue == 0
    assert f.anova([a, x[2]]).pvalue == 1


def test_labels_and_direction():
    frame = pd.DataFrame({"svm": [0.1, 0.2, 0.1], "knn": [0.3, 0.4, 0.4], "gbm": [0.2, 0.2, 0.3]})
    for test in (f.tukey, f.pairwise_t):
        errors = test(frame, lower_is_better=True)
        assert errors.names == ("svm", "knn", "gbm")
        assert [errors.names[i] for i in errors.order] == ["svm", "gbm", "knn"]
        assert errors.difference[0] < 0  # knn, the second, has the larger error
        assert test(frame).difference == pytest.approx(-errors.difference)
        assert errors.centres == pytest.approx(frame.mean())
    assert f.pairwise_t(frame, control="gbm").control == "gbm"
    assert f.anova(frame.T.to_numpy(), names=["a", "b", "c"]).names == ("a", "b", "c")
    assert "algorithm" in str(f.anova(frame))


@each_row("alternative", ["two-sided", "less"])
@each_row(("block", "design"), [(True, "block"), (False, "plain")])
def test_as_in_multcomp(gr, alternative, block, design):
    """multcomp 1.4-22, glht(aov(y ~ a + b), mcp(a = "Dunnett")); its integration errs by 1e-5."""
    x = gr["folds"].reshape(4, 10)
    result = f.dunnett(x, control=0, alternative=alternative, block=block)
    expected = gr[f"dunnett_{design}_{alternative.replace('-', '.')}"]
    assert result.pvalue == pytest.approx(expected, abs=5e-5)


def test_intervals_as_in_multcomp(gr):
    result = f.dunnett(gr["folds"].reshape(4, 10), control=0).confidence_interval(0.95)
    expected = gr["dunnett_block_ci"].reshape(3, 2)
    assert result[["low", "high"]].to_numpy() == pytest.approx(expected, abs=5e-6)


def test_unequal_rows_as_in_scipy():
    """SciPy 1.17.1, scipy.stats.dunnett."""
    rng = np.random.default_rng(1)
    rows = [rng.normal(size=6), rng.normal(0.5, size=9), rng.normal(1.5, size=5)]
    result = f.dunnett(rows, control=0, block=False)
    expected = stats.dunnett(*rows[1:], control=rows[0], random_state=2)
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.pvalue == pytest.approx(expected.pvalue, abs=1e-3)


def test_one_comparison_with_blocks_is_the_paired_t():
    """With rho it is the corrected one: two algorithms have one difference per fold."""
    x = np.random.default_rng(2).normal(size=(2, 9))
    for rho in (0.0, 0.2):
        expected = f.corrected_t(x[1] - x[0], rho=rho)
        result = f.dunnett(x, control=0, rho=rho)
        assert result.statistic[0] == pytest.approx(expected.statistic)
        assert result.pvalue[0] == pytest.approx(expected.pvalue, rel=1e-7)


def test_labels_direction_and_degenerate_rows():
    rng = np.random.default_rng(3)
    x = pd.DataFrame(rng.normal(scale=0.1, size=(3, 8)).T, columns=["a", "b", "c"])
    x["c"] += 1
    result = f.dunnett(x, control="b", alternative="greater")
    assert (result.control, list(result.frame["second"])) == ("b", ["a", "c"])
    assert result.pvalue[1] < 1e-6 < result.pvalue[0]
    lower = f.dunnett(-x, control="b", alternative="greater", lower_is_better=True)
    assert lower.pvalue == pytest.approx(result.pvalue)
    same = f.dunnett([[0.1, 0.2], [0.1, 0.2], [0.3, 0.4]], control=0)
    assert same.pvalue == pytest.approx([1, 0])
    with pytest.raises(InputError, match="control"):
        f.dunnett(x, control="z")


# Wins tables: counted by hand, gated by the ANOVA, sign tests, bad counts.


def test_wins_are_counted():
    """good beats bad on all three data sets, plain beats bad on one."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(3, 3, 10)) * 0.1
    level = np.array([[3.0, 1, 0], [3, 0.0, 0], [3, 0, 0]])[:, :, None]
    names = ["good", "plain", "bad"]
    for test in ("tukey", "t"):
        table = f.wins_table(noise + level, test=test, names=names, alpha=1e-3)
        assert table.wins.tolist() == [[0, 3, 3], [0, 0, 1], [0, 0, 0]]
        assert table.total.tolist() == [3, 1, 0]
        assert table.ties[1, 2] == 2
        upside_down = f.wins_table(
            -noise - level, test=test, names=names, alpha=1e-3, lower_is_better=True
        )
        assert upside_down.wins.tolist() == table.wins.tolist()
    tests = table.sign_tests(adjust="none")
    assert tests.pvalue[0] == pytest.approx(stats.binomtest(0, 3).pvalue)
    assert tests.difference[0] == -1  # plain, the second, lost all three


def test_wins_of_a_mapping_and_of_the_anova():
    rng = np.random.default_rng(1)
    xs = {
        d: pd.DataFrame(rng.normal(size=(3, n)).T, columns=list("abc"))
        for d, n in (("iris", 10), ("wine", 5))
    }
    gated = f.wins_table(xs, alpha=0.9, require_anova=True)
    free = f.wins_table(xs, alpha=0.9)
    assert np.all(gated.wins <= free.wins)
    xs["zoo"] = xs["iris"][["b", "a", "c"]]
    with pytest.raises(
        InputError, match="xs must have the algorithms a, b, c, in this order, on every"
    ):
        f.wins_table(xs)
    with pytest.raises(InputError, match="xs must hold scores of each data set"):
        f.wins_table([])
    with pytest.raises(InputError, match="test"):
        f.wins_table(np.ones((2, 2, 2)), test="anova")


def test_one_win_is_told_in_the_singular():
    table = f.WinsTable.from_counts([[0, 1], [0, 0]], 3)
    assert table.answer() == "A1 comes first, with 1 win and 0 losses"
    even = f.WinsTable.from_counts([[0, 1, 0], [1, 0, 0], [0, 0, 0]], 3)
    assert even.answer() == "A1, A2 and A3 share first place"


def test_sides_of_the_sign_tests():
    table = f.WinsTable.from_counts([[0, 12], [2, 0]], 15)
    assert table.sign_tests().pvalue[0] == pytest.approx(0.012939, abs=5e-7)  # thesis table 6.6
    right = table.sign_tests(alternative="less").pvalue[0]
    assert right == pytest.approx(stats.binomtest(2, 14, alternative="less").pvalue)


@each_row(
    ("wins", "words"),
    [
        ([[0, 1, 2]], "shape"),
        ([[0, -1], [1, 0]], "counts"),
        ([[0, 9], [9, 0]], "wins must have at most n_datasets=15 wins of a pair, both ways"),
        ([[1, 0], [2, 0]], r"got 1 at \[0, 0\].*Nothing is compared with itself"),
        (
            pd.DataFrame([[0, 1], [2, 0]], ["a", "b"], ["b", "a"]),
            "same algorithms as rows and as columns",
        ),
    ],
)
def test_bad_counts(wins, words):
    with pytest.raises(InputError, match=words):
        f.WinsTable.from_counts(wins, 15)


def test_numbers_of_data_sets_that_are_none():
    for n in [2.5, "15", True]:
        with pytest.raises(InputError, match=r"n_datasets(=| must)"):
            f.WinsTable.from_counts([[0, 1], [0, 0]], n)


def test_names_of_counts_are_as_many_as_they():
    with pytest.raises(InputError, match="must be 2 different names"):
        f.WinsTable.from_counts([[0, 1], [0, 0]], 15, names=["a"])
