"""ANOVA, Tukey, pairwise t tests, wins tables: R, SciPy, least squares, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp.frequentist as f


def test_one_way_as_in_r(r):
    """R 4.2.2, summary(aov(weight ~ group, PlantGrowth)) and TukeyHSD of it."""
    x = r["plant"].reshape(3, 10)
    table = f.anova(x, block=False)
    actual = [*table.frame.loc["algorithm"], *table.frame.loc["error"].iloc[:3]]
    assert actual == pytest.approx(r["plant_aov"])
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
    actual = [*table.frame.loc["algorithm"], *table.frame.loc["block"],
             *table.frame.loc["error"].iloc[:3]]  # fmt: skip
    assert actual == pytest.approx(r["warp_aov"])
    rows = f.tukey(x).confidence_interval()[["difference", "low", "high"]].to_numpy()
    actual = np.column_stack([rows, f.tukey(x).adjusted])
    assert actual == pytest.approx(r["warp_tukey"].reshape(3, 4), rel=1e-6, abs=1e-6)


def test_unequal_groups_as_in_r(r):
    """R 4.2.2, TukeyHSD of groups of 4, 3 and 6: Tukey-Kramer."""
    y = [3.1, 2.9, 4.0, 3.3, 5.1, 4.4, 4.9, 2.2, 2.0, 2.8, 1.9, 2.6, 2.4]
    result = f.tukey([y[:4], y[4:7], y[7:]], block=False)
    rows = result.confidence_interval()[["difference", "low", "high"]].to_numpy()
    actual = np.column_stack([rows, result.adjusted])
    assert actual == pytest.approx(r["kramer_tukey"].reshape(3, 4), rel=1e-6, abs=1e-6)
    assert result.critical_difference() is None
    assert f.anova([y[:4], y[4:7], y[7:]], block=False).statistic == pytest.approx(
        stats.f_oneway(y[:4], y[4:7], y[7:]).statistic
    )


@settings(max_examples=25)
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


@settings(max_examples=25)
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


def test_no_error_left():
    assert f.anova([[1, 2, 3], [1, 2, 3]]).pvalue == 1
    assert f.anova([[1, 2, 3], [2, 3, 4]]).pvalue == 0
    result = f.tukey([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.2, 0.3]])
    assert result.adjusted.tolist() == [0, 1, 0]
    assert f.pairwise_t([[0.1, 0.2], [0.1, 0.2], [0.3, 0.4]]).pvalue[0] == 1
    assert result.to_dict()["comparisons"][0]["statistic"] is None


# -- wins over data sets --------------------------------------------------------------------------
