"""Effect sizes: R's effectsize, definitions, the corrected d, degenerate and bad input."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.effects import ratio, standard_error, t_interval, t_pvalue
from tests.rows import each_row


def test_standard_error_of_a_mean():
    x = np.random.default_rng(0).normal(size=8)
    assert standard_error(x, 1 / 8) == pytest.approx(stats.sem(x))
    assert standard_error(np.full(5, 0.1) + 1e-17, 1.0) == 0


def test_as_in_scipy():
    for side in ["two-sided", "less", "greater"]:
        x = np.random.default_rng(1).normal(0.4, 1, size=9)
        expected = stats.ttest_1samp(x, 0, alternative=side)
        mean, error = float(x.mean()), float(stats.sem(x))
        assert t_pvalue(mean, error, 8, side) == pytest.approx(expected.pvalue)
        actual = t_interval(mean, error, 8, side, 0.9)
        assert actual == pytest.approx(tuple(expected.confidence_interval(0.9)))


def test_without_error():
    assert (ratio(0.0, 0.0), ratio(-1.0, 0.0)) == (0.0, -np.inf)
    assert t_pvalue(0.0, 0.0, 3, "two-sided") == 1
    assert t_pvalue(0.1, 0.0, 3, "two-sided") == 0


RUNS = ([212, 180, 195, 201, 188, 230], [230, 224, 199, 241, 218, 201, 236])


def all_of(effect, level):
    low, high = effect.confidence_interval(level)
    return [effect.estimate, low, high]


def test_cohens_d_as_in_effectsize(tr):
    """effectsize 0.8.3, cohens_d(x, ci): noncentral t."""
    for key, level in [("d_demsar", 0.95), ("d_demsar90", 0.9)]:
        assert all_of(f.cohens_d(tr["demsar"]), level) == pytest.approx(tr[key], rel=1e-5)


def test_rank_biserial_as_in_effectsize(tr):
    """effectsize 0.8.3, rank_biserial(x[x != 0])."""
    result = f.rank_biserial(tr["demsar"])
    assert all_of(result, 0.95) == pytest.approx(tr["rb_demsar"])
    assert result.notes == ("2 zero differences dropped",)


def test_cliffs_delta_as_in_effectsize(tr):
    """effectsize 0.8.3, cliffs_delta(b, a); its interval is narrower, see the docstring."""
    result = f.cliffs_delta(*RUNS)
    assert result.estimate == pytest.approx(tr["delta_runs"][0])
    u = stats.mannwhitneyu(RUNS[1], RUNS[0]).statistic
    assert f"A₁₂ = {u / 42:.4g}" in result.notes[0]


def by_feng_and_cliff(d, v, df, level):
    """Feng & Cliff 2004: asymmetric, with t for z."""
    t = stats.t.isf((1 - level) / 2, df)
    half = t * np.sqrt(v) * np.sqrt((1 - d**2) ** 2 + t**2 * v)
    return (d - d**3 + np.array([-1, 1]) * half) / (1 - d**2 + t**2 * v)


def test_cliffs_interval_is_that_of_effsize_but_for_the_variance():
    """effsize 0.8.1, cliff.delta(b, a, conf.level): the formula, with the unbiased variance.

    Ours has the consistent one, which is larger here: the interval is the more cautious.
    """
    for level, ends in [
        (0.95, [-0.0538846229589289, 0.9053027915270203]),
        (0.9, [0.0705422936293651, 0.8801108729892011]),
    ]:
        result = f.cliffs_delta(*RUNS)
        d, (m, k) = result.estimate, (7, 6)
        wins = np.sign(np.subtract.outer(RUNS[1], RUNS[0]))
        rows, columns = wins.mean(axis=1) - d, wins.mean(axis=0) - d
        v = np.var(wins.mean(axis=1), ddof=1) / m + np.var(wins.mean(axis=0), ddof=1) / k
        assert result.confidence_interval(level) == pytest.approx(
            tuple(by_feng_and_cliff(d, v, m + k - 2, level))
        )
        unbiased = k**2 * np.sum(rows**2) + m**2 * np.sum(columns**2) - np.sum((wins - d) ** 2)
        unbiased /= m * k * (m - 1) * (k - 1)
        assert by_feng_and_cliff(d, unbiased, m + k - 2, level) == pytest.approx(ends, rel=1e-7)
        assert unbiased < v


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), rho=st.sampled_from([0.0, 0.1, 0.5]))
def test_the_interval_of_d_is_that_of_the_test(seed, rho):
    """Zero is outside at level 1 - α exactly where the corrected t rejects at α."""
    x = np.random.default_rng(seed).normal(0.5, 1, size=10)
    low, high = f.cohens_d(x, rho=rho).confidence_interval(0.9)
    assert (low > 0 or high < 0) == (f.corrected_t(x, rho=rho).pvalue < 0.1)


def test_corrected_d_is_that_of_one_difference():
    """Folds of correlation rho vary by 1 - rho about their mean: d is not inflated by that."""
    rng = np.random.default_rng(1)
    rho, delta = 0.5, 0.8
    x = (
        delta
        + np.sqrt(rho) * rng.normal(size=(20_000, 1))
        + np.sqrt(1 - rho) * rng.normal(size=(20_000, 50))
    )
    corrected = np.array([f.cohens_d(row, rho=rho).estimate for row in x[:2000]])
    plain = np.array([f.cohens_d(row).estimate for row in x[:2000]])
    assert corrected.mean() == pytest.approx(delta, abs=0.06)
    assert plain.mean() == pytest.approx(delta * np.sqrt(2), abs=0.09)
    labelled = bc.Differences([x[0]], rho=rho)
    assert f.cohens_d(labelled).estimate == corrected[0]


def test_symmetries():
    x = np.random.default_rng(3).normal(0.3, 1, size=12)
    for measure in (f.cohens_d, f.rank_biserial):
        one, other = measure(x), measure(-3 * x)
        assert one.estimate == pytest.approx(-other.estimate)
        low, high = one.confidence_interval()
        assert other.confidence_interval() == pytest.approx((-high, -low))
    swapped = f.cliffs_delta(RUNS[1], RUNS[0])
    assert swapped.estimate == pytest.approx(-f.cliffs_delta(*RUNS).estimate)


def test_extremes():
    assert f.cohens_d([0.0, 0, 0]).estimate == 0
    assert f.cohens_d([0.2, 0.2, 0.2]).estimate == np.inf
    for signs in (1, -1):  # of the share of positive differences
        share = stats.binomtest((signs > 0) * 3, 3).proportion_ci(0.9)
        interval = f.rank_biserial([signs, 2 * signs, 3 * signs]).confidence_interval(0.9)
        assert interval == pytest.approx((2 * share.low - 1, 2 * share.high - 1), rel=1e-12)
    nothing = f.rank_biserial([0, 0])
    assert (nothing.estimate, nothing.confidence_interval()) == (0, (-1, 1))
    dominant = f.cliffs_delta([1, 2, 3], [7, 8, 9])
    t = stats.t.ppf(0.975, 4)
    assert dominant.estimate == 1
    assert dominant.confidence_interval() == pytest.approx(((3 - t**2) / (3 + t**2), 1))


def test_shown():
    result = f.cohens_d([0.1, 0.3, -0.1, 0.2], rho=0.25)
    assert "Cohen's d" in str(result)
    assert "rho 0.25: as given" in str(result)
    assert "<table" in result._repr_html_()
    assert json.dumps(f.cohens_d([0.2, 0.2]).to_dict(), allow_nan=False)


@each_row(
    ("call", "message"),
    [
        (lambda: f.cohens_d([0.1]), "at least 2"),
        (lambda: f.cohens_d([0.1, 0.2], rho=1), "rho must be"),
        (lambda: f.rank_biserial([]), "at least 1"),
        (lambda: f.cliffs_delta([1, 2], [3, np.nan]), "second must hold .*got nan at place 1"),
        (lambda: f.cohens_d([0.1, 0.2]).confidence_interval(95), "level must be"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()
