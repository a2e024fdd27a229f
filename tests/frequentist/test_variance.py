"""ANOVA, Tukey, pairwise t tests, wins tables: R, SciPy, least squares, bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError
from tests.rows import each_row


@each_row(
    ("test", "x", "options", "words"),
    [
        (f.anova, 5, {}, "x must have at least 2 algorithms for anova"),
        (f.tukey, [[1], [2]], {}, "at least 2"),
        (f.pairwise_t, [[1, 2], [np.nan, 1]], {}, "row 'A2', must hold finite numbers"),
        (
            f.anova,
            [[1, 2, 3], [1, 2]],
            {},
            r"as many scores of every algorithm.*rows of 2 to 3\).*block=False",
        ),
        (f.tukey, [[1, 2], [3, 4]], {"names": ["a"]}, "names must be 2 different names"),
        (
            f.pairwise_t,
            [[1, 2], [3, 4]],
            {"names": ["a", "a"]},
            "must have different names .*'a' twice",
        ),
        (
            f.anova,
            pd.DataFrame([[1, 2], [3, 4]], columns=["a", "b"]),
            {"names": ["a"]},
            "must be two of a, b, or",
        ),
        (f.tukey, [[1, 2], [3, 4]], {"rho": 1}, "rho must be"),
    ],
)
def test_bad_input(test, x, options, words):
    with pytest.raises(InputError, match=words):
        test(x, **options)


def test_rho_needs_rows_of_one_length():
    with pytest.raises(InputError, match="rho must be left out if rows differ in length"):
        f.anova([[1, 2, 3], [1, 2]], block=False, rho=0.1)


def test_mauchly_as_in_r(gr):
    """R 4.2.2, mauchly.test(lm(t(x) ~ 1), X = ~1).

    In Box's second-order term R takes 3·4, of the columns, where all others are of the three
    contrasts that are tested: its p is 0.000868 where that of 3·3 is 0.000866.
    """
    result = f.mauchly(gr["folds"].reshape(4, 10))
    p, df = 3, 9
    rho = 1 - (2 * p**2 + p + 2) / (6 * p * df)
    chi2 = -df * rho * np.log(result.statistic)
    share = (p + 2) * (p - 1) * (p - 2) / (288 * (df * p * rho) ** 2)
    slip = 3 * (4 - 3) * share * (stats.chi2.sf(chi2, 9) - stats.chi2.sf(chi2, 5))
    assert result.statistic == pytest.approx(gr["mauchly"][0], rel=1e-10)
    assert result.pvalue + slip == pytest.approx(gr["mauchly"][1], rel=1e-10)


@pytest.mark.slow
def test_mauchlys_level():
    """Spherical normal scores are rejected at 5% in 5% of cases."""
    rng = np.random.default_rng(4)
    p = [f.mauchly(x).pvalue for x in rng.normal(size=(2000, 4, 10))]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=3 * 0.0049)


def test_corrected_anova_as_in_r(gr):
    """R 4.2.2, anova(lm(t(x) ~ 1), X = ~1, test = "Spherical")."""
    x = gr["folds"].reshape(4, 10)
    statistic, df1, df2, plain, gg, hf = gr["spherical"]
    tables = [f.anova(x, sphericity=s) for s in ("assumed", "greenhouse-geisser", "huynh-feldt")]
    assert [t.pvalue for t in tables] == pytest.approx([plain, gg, hf], rel=1e-9)
    assert [t.statistic for t in tables] == pytest.approx([statistic] * 3)
    assert tables[0].df == (df1, df2)
    assert [t.epsilon for t in tables[1:]] == pytest.approx(gr["epsilons"], abs=5e-5)
    assert tables[1].df == pytest.approx((df1 * tables[1].epsilon, df2 * tables[1].epsilon))
    assert "greenhouse-geisser: ε = " in str(tables[1])


def test_two_algorithms_are_spherical():
    x = np.random.default_rng(1).random((2, 6))
    assert f.anova(x, sphericity="greenhouse-geisser").pvalue == f.anova(x).pvalue


def test_order_and_levels_of_folds_do_not_matter():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(4, 12))
    moved = (3 * x + rng.normal(size=12))[[2, 0, 3, 1]]
    assert f.mauchly(moved).pvalue == pytest.approx(f.mauchly(x).pvalue)


@each_row(
    ("x", "message"),
    [
        (np.random.default_rng(3).random((2, 9)), "at least 3"),
        (np.random.default_rng(3).random((5, 4)), "at least 5"),
        (np.tile(np.arange(6.0), (3, 1)), "x must have differences that vary and are linearly"),
    ],
)
def test_refused(x, message):
    with pytest.raises(InputError, match=message):
        f.mauchly(x)
    with pytest.raises(InputError, match="'assumed' without blocks"):
        f.anova(x, block=False, sphericity="huynh-feldt")


def test_as_in_effectsize(gr):
    """effectsize 0.8.3, F_to_eta2(F, 3, 27, ci = .95, alternative = "two.sided")."""
    result = f.partial_eta_squared(gr["folds"].reshape(4, 10))
    low, high = result.confidence_interval()
    assert [result.estimate, low, high] == pytest.approx(gr["eta2"], abs=1e-6)


def test_zero_is_outside_where_f_rejects():
    rng = np.random.default_rng(1)
    for shift in (0, 0.3, 0.6, 0.9, 1.2):
        x = rng.normal(size=(3, 8)) + shift * np.arange(3)[:, None]
        for rho in (0.0, 0.1):
            table = f.anova(x, rho=rho)
            low, _ = table.effect.confidence_interval(0.9)  # its lower end is at 5%
            assert (low > 0) == (table.pvalue < 0.05)


def test_corrected_folds_give_the_share_of_one_score():
    """Folds of correlation rho vary by 1 - rho about their mean: the share is of all of it."""
    rng = np.random.default_rng(2)
    rho, k, shift = 0.5, 3, np.array([-5.0, 0, 5])[:, None]
    result = []
    for _ in range(600):
        shared, own = rng.normal(size=(k, 1)), rng.normal(size=(k, 40))
        noise = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own
        result.append(f.anova(shift + noise, rho=rho).effect.estimate)
    # SS_algorithm/n has the mean Σα² + (k-1)·rho, SS_error/n/(1 - rho) the mean (k-1)
    assert np.mean(result) == pytest.approx((50 + 2 * rho) / (50 + 2 * rho + 2), abs=0.005)


def test_limits():
    assert f.partial_eta_squared([[1, 2], [1, 2]]).estimate == 0
    one = f.partial_eta_squared([[1, 2], [2, 3]])
    assert (one.estimate, one.confidence_interval()) == (1, (1, 1))
    assert "rho 0.2: as given" in str(f.partial_eta_squared([[1, 2, 2], [2, 5, 1]], rho=0.2))


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
    actual = [
        *table.frame.loc["algorithm"],
        *table.frame.loc["block"],
        *table.frame.loc["error"].iloc[:3],
    ]
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


# Wins over data sets.
