"""ANOVA, Tukey, pairwise t tests, wins tables: R, SciPy, least squares, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def test_one_way_as_in_r(r):
    """R 4.2.2, summary(aov(weight ~ group, PlantGrowth)) and TukeyHSD of it."""
    x = r["plant"].reshape(3, 10)
    table = f.anova(x, block=False)
    found = [*table.frame.loc["algorithm"], *table.frame.loc["error"].iloc[:3]]
    assert found == pytest.approx(r["plant_aov"])
    result = f.tukey(x, block=False)
    for level, name in ((0.95, "plant_tukey"), (0.90, "plant_tukey90")):
        rows = result.confidence_interval(level)[["difference", "low", "high"]].to_numpy()
        assert np.column_stack([rows, result.adjusted]) == pytest.approx(
            r[name].reshape(3, 4), abs=2e-7
        )


def test_blocks_as_in_r(r):
    """R 4.2.2, aov(breaks ~ alg + fold) and TukeyHSD(..., "alg") on warpbreaks as 3 x 18."""
    x = r["warp"].reshape(3, 18)
    table = f.anova(x)
    found = [*table.frame.loc["algorithm"], *table.frame.loc["block"],
             *table.frame.loc["error"].iloc[:3]]  # fmt: skip
    assert found == pytest.approx(r["warp_aov"])
    rows = f.tukey(x).confidence_interval()[["difference", "low", "high"]].to_numpy()
    found = np.column_stack([rows, f.tukey(x).adjusted])
    assert found == pytest.approx(r["warp_tukey"].reshape(3, 4), rel=1e-6, abs=1e-6)


def test_unequal_groups_as_in_r(r):
    """R 4.2.2, TukeyHSD of groups of 4, 3 and 6: Tukey-Kramer."""
    y = [3.1, 2.9, 4.0, 3.3, 5.1, 4.4, 4.9, 2.2, 2.0, 2.8, 1.9, 2.6, 2.4]
    result = f.tukey([y[:4], y[4:7], y[7:]], block=False)
    rows = result.confidence_interval()[["difference", "low", "high"]].to_numpy()
    found = np.column_stack([rows, result.adjusted])
    assert found == pytest.approx(r["kramer_tukey"].reshape(3, 4), rel=1e-6, abs=1e-6)
    assert result.critical_difference() is None
    assert f.anova([y[:4], y[4:7], y[7:]], block=False).statistic == pytest.approx(
        stats.f_oneway(y[:4], y[4:7], y[7:]).statistic
    )


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), L=st.integers(2, 6), n=st.integers(2, 9))
def test_sums_of_squares_by_least_squares(seed, L, n):
    """Residual sums of squares of the nested linear models."""
    x = np.random.default_rng(seed).normal(size=(L, n)) + 5
    algorithm = np.kron(np.eye(L), np.ones((n, 1)))
    fold = np.kron(np.ones((L, 1)), np.eye(n))

    def left(design):
        fit = design @ np.linalg.lstsq(design, x.ravel(), rcond=None)[0]
        return np.sum((x.ravel() - fit) ** 2)

    full = left(np.hstack([algorithm, fold]))
    table = f.anova(x).frame["sum_squares"]
    assert table["algorithm"] == pytest.approx(left(fold) - full, abs=1e-9)
    assert table["block"] == pytest.approx(left(algorithm) - full, abs=1e-9)
    assert table["error"] == pytest.approx(full, abs=1e-9)
    assert table["total"] == pytest.approx(np.sum((x - x.mean()) ** 2))
    assert f.anova(x, block=False).frame.loc["error", "sum_squares"] == pytest.approx(
        left(algorithm), abs=1e-9
    )


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), rho=st.sampled_from([0.0, 0.1, 0.5]))
def test_two_algorithms_are_a_t_test(seed, rho):
    """F = t²; Tukey's p is that of t; with and without the correction for overlapping folds."""
    x = np.random.default_rng(seed).normal(size=(2, 12)) + np.array([[0], [0.5]])
    t = f.corrected_t(x[1] - x[0], rho=rho)
    table = f.anova(x, rho=rho)
    assert table.statistic == pytest.approx(t.statistic**2)
    assert table.pvalue == pytest.approx(t.pvalue)
    assert f.tukey(x, rho=rho).adjusted[0] == pytest.approx(t.pvalue, abs=1e-9)
    pair = f.pairwise_t(x, rho=rho, adjust="none")
    assert [pair.statistic[0], pair.pvalue[0]] == pytest.approx([t.statistic, t.pvalue])
    low, high = t.confidence_interval(0.9)
    interval = pair.confidence_interval(0.9)
    assert [interval.loc[0, "low"], interval.loc[0, "high"]] == pytest.approx([low, high])


def test_blocks_take_out_the_folds():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3, 10)) * 0.1 + 5 * rng.normal(size=10) + [[0.0], [0.3], [0.6]]
    assert f.anova(x).pvalue < 1e-6 < f.anova(x, block=False).pvalue
    assert f.tukey(x).adjusted[1] < 1e-6 < f.tukey(x, block=False).adjusted[1]


def test_pairwise_t_has_each_pairs_own_variance():
    x = np.random.default_rng(4).normal(size=(4, 8))
    found = f.pairwise_t(x, adjust="hommel")
    for (i, j), t, p in zip(found.pairs, found.statistic, found.pvalue, strict=True):
        expected = stats.ttest_rel(x[j], x[i])
        assert [t, p] == pytest.approx([expected.statistic, expected.pvalue])
    assert found.adjusted == pytest.approx(f.adjust(found.pvalue, "hommel"))
    bonferroni = f.pairwise_t(x, adjust="bonferroni")
    outside = bonferroni.confidence_interval(0.95).eval("low > 0 or high < 0").to_numpy()
    assert np.array_equal(outside, bonferroni.different(0.05))
    with pytest.raises(InputError, match="no simultaneous"):
        found.confidence_interval()


def test_labels_and_direction():
    frame = pd.DataFrame([[0.1, 0.2, 0.1], [0.3, 0.4, 0.4], [0.2, 0.2, 0.3]],
                         index=["svm", "knn", "gbm"])  # fmt: skip
    for test in (f.tukey, f.pairwise_t):
        errors = test(frame, lower_is_better=True)
        assert errors.names == ("svm", "knn", "gbm")
        assert [errors.names[i] for i in errors.order] == ["svm", "gbm", "knn"]
        assert errors.difference[0] < 0  # knn, the second, has the larger error
        assert test(frame).difference == pytest.approx(-errors.difference)
        assert errors.centres == pytest.approx(frame.mean(axis=1))
    assert f.pairwise_t(frame, control="gbm").control == "gbm"
    assert f.anova(frame.to_numpy(), names=["a", "b", "c"]).names == ("a", "b", "c")
    assert "algorithm" in str(f.anova(frame))


def test_no_error_left():
    assert f.anova([[1, 2, 3], [1, 2, 3]]).pvalue == 1
    assert f.anova([[1, 2, 3], [2, 3, 4]]).pvalue == 0
    result = f.tukey([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.2, 0.3]])
    assert result.adjusted.tolist() == [0, 1, 0]
    assert f.pairwise_t([[0.1, 0.2], [0.1, 0.2], [0.3, 0.4]]).pvalue[0] == 1
    assert result.to_dict()["comparisons"][0]["statistic"] is None


@pytest.mark.parametrize("test", [f.anova, f.tukey, f.pairwise_t])
@pytest.mark.parametrize(
    ("x", "options", "words"),
    [
        ([[1, 2, 3]], {}, "fewer than 2 rows"),
        (5, {}, "fewer than 2 rows"),
        ([[1], [2]], {}, "at least 2"),
        ([[1, 2], [np.nan, 1]], {}, "'A2'.* is nan"),
        ([[1, 2, 3], [1, 2]], {}, "2 to 3 scores.*block=False"),
        ([[1, 2], [3, 4]], {"names": ["a"]}, "1 names for the 2 rows"),
        ([[1, 2], [3, 4]], {"names": ["a", "a"]}, "named 'a'"),
        ([[1, 2], [3, 4]], {"rho": 1}, "rho=1"),
    ],
)
def test_bad_input(test, x, options, words):
    with pytest.raises(InputError, match=words):
        test(x, **options)


def test_rho_needs_rows_of_one_length():
    with pytest.raises(InputError, match="one length"):
        f.anova([[1, 2, 3], [1, 2]], block=False, rho=0.1)


# -- wins over data sets --------------------------------------------------------------------------


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
        assert table.frame.loc["good", "total"] == 3
        upside_down = f.wins_table(
            -noise - level, test=test, names=names, alpha=1e-3, lower_is_better=True
        )
        assert upside_down.wins.tolist() == table.wins.tolist()
    tests = table.sign_tests(adjust="none")
    assert tests.pvalue[0] == pytest.approx(stats.binomtest(0, 3).pvalue)
    assert tests.difference[0] == -1  # plain, the second, lost all three
    assert "row beats column" in str(table)


def test_wins_of_a_mapping_and_of_the_anova():
    rng = np.random.default_rng(1)
    xs = {d: pd.DataFrame(rng.normal(size=(3, n)), index=list("abc")) for d, n in
          (("iris", 10), ("wine", 5))}  # fmt: skip
    gated = f.wins_table(xs, alpha=0.9, require_anova=True)
    free = f.wins_table(xs, alpha=0.9)
    assert np.all(gated.wins <= free.wins)
    xs["zoo"] = xs["iris"].loc[["b", "a", "c"]]
    with pytest.raises(InputError, match="'zoo' has the algorithms b, a, c"):
        f.wins_table(xs)
    with pytest.raises(InputError, match="no data sets"):
        f.wins_table([])
    with pytest.raises(InputError, match="test"):
        f.wins_table(np.ones((2, 2, 2)), test="anova")


def test_sides_of_the_sign_tests():
    table = f.WinsTable.from_counts([[0, 12], [2, 0]], 15)
    assert table.sign_tests().pvalue[0] == pytest.approx(0.012939, abs=5e-7)  # thesis table 6.6
    right = table.sign_tests(alternative="less").pvalue[0]
    assert right == pytest.approx(stats.binomtest(2, 14, alternative="less").pvalue)


@pytest.mark.parametrize(
    ("wins", "words"),
    [
        ([[0, 1, 2]], "shape"),
        ([[0, -1], [1, 0]], "counts"),
        ([[0, 0.5], [1, 0]], "counts"),
        ([[0, 9], [9, 0]], "more than n_datasets=15"),
    ],
)
def test_bad_counts(wins, words):
    with pytest.raises(InputError, match=words):
        f.WinsTable.from_counts(wins, 15)
