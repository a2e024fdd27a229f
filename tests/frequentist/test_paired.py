"""Tests of two algorithms: R, SciPy, the papers' formulas, labelled input, bad input."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.effects import EQUAL
from bayescmp.frequentist.paired import corrected_t_by_row, tost_paired_by_row
from tests.rows import each_row

SIDES = {"two-sided": "two.sided", "less": "less", "greater": "greater"}


def test_paired_t_as_in_r(r):
    """R 4.2.2, t.test(x, alternative)."""
    for side in SIDES:
        result = f.paired_t(r["sleep"], alternative=side)
        expected = r[f"t_{SIDES[side]}"]
        interval = result.confidence_interval(0.95)
        assert [result.statistic, result.df, result.pvalue, *interval] == pytest.approx(expected)
        assert result.estimate == pytest.approx(np.mean(r["sleep"]))


def test_corrected_t_by_the_formula():
    """Nadeau & Bengio 2003, eq. 19: J splits of n1 training and n2 test cases."""
    x = np.random.default_rng(1).normal(0.4, 1, size=15)
    expected = x.mean() / np.sqrt((1 / 15 + 20 / 80) * x.var(ddof=1))
    result = f.corrected_t(x, n_test=20, n_train=80)
    assert result.statistic == pytest.approx(expected)
    assert result.pvalue == pytest.approx(2 * stats.t.sf(abs(expected), 14))
    assert f.corrected_t(x, rho=0.2).statistic == pytest.approx(expected)
    assert f.corrected_t(x, rho=0).statistic == pytest.approx(f.paired_t(x).statistic)


def test_corrected_t_of_a_labelled_object():
    x = bc.Differences([[0.1, 0.3, -0.1, 0.2]], rho=0.25, names=("knn", "svm"))
    result = f.corrected_t(x)
    expected = f.corrected_t([0.1, 0.3, -0.1, 0.2], rho=0.25)
    assert result.statistic == expected.statistic
    assert result.names == ("knn", "svm")
    assert "knn and svm: not significant" in str(result)
    several = bc.Differences(np.ones((3, 4)) * [[1], [2], [-1]], rho=0.25)
    assert f.wilcoxon(several).pvalue == f.wilcoxon([1, 2, -1]).pvalue
    with pytest.raises(InputError, match="x must have one data set for corrected_t"):
        f.corrected_t(several)


def test_5x2cv_by_the_formulas():
    """Dietterich 1998, eq. 6; Alpaydın 1999, eq. 8."""
    x = np.random.default_rng(2).normal(0.5, 1, size=(5, 2))
    s2 = np.array([(a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2 for a, b in x])
    t = x[0, 0] / np.sqrt(s2.sum() / 5)
    assert f.cv52_t(x).statistic == pytest.approx(t)
    assert f.cv52_t(x).pvalue == pytest.approx(2 * stats.t.sf(abs(t), 5))
    assert f.cv52_t(x, alternative="greater").pvalue == pytest.approx(stats.t.sf(t, 5))
    value = (x**2).sum() / (2 * s2.sum())
    assert f.cv52_f(x).statistic == pytest.approx(value)
    assert f.cv52_f(x).pvalue == pytest.approx(stats.f.sf(value, 10, 5))
    low, high = f.cv52_t(x).confidence_interval(0.9)
    assert high - low == pytest.approx(2 * stats.t.ppf(0.95, 5) * np.sqrt(s2.mean()))


# Properties.


@given(seed=st.integers(0, 10_000), n=st.integers(3, 20), ties=st.booleans())
def test_swapping_the_algorithms(seed, n, ties):
    x = np.random.default_rng(seed).normal(0.2, 1, size=n)
    x = x.round() if ties else x
    for test in (f.paired_t, lambda v, **o: f.corrected_t(v, rho=0.1, **o), f.wilcoxon):
        for side, other in (("greater", "less"), ("two-sided", "two-sided")):
            assert test(x, alternative=side).pvalue == pytest.approx(
                test(-x, alternative=other).pvalue
            )
        low, high = test(x).confidence_interval()
        assert test(-x).confidence_interval() == pytest.approx((-high, -low))
        assert test(3 * x).pvalue == pytest.approx(test(x).pvalue)


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), level=st.floats(0.5, 0.99))
def test_intervals_and_p_values_agree(seed, level):
    """Zero is outside an interval exactly where p is below one minus its level."""
    x = np.random.default_rng(seed).normal(0.5, 1, size=10)
    for result in (f.paired_t(x), f.corrected_t(x, rho=0.1), f.wilcoxon(x)):
        low, high = result.confidence_interval(level)
        assert (low > 0 or high < 0) == (result.pvalue <= 1 - level)


# Degenerate and bad input.


def test_equal_differences():
    assert f.paired_t([0, 0, 0]).pvalue == 1
    assert f.corrected_t([0.0] * 10, rho=0.1).pvalue == 1
    result = f.paired_t([0.2, 0.2, 0.2])
    assert (result.statistic, result.pvalue) == (np.inf, 0)
    assert EQUAL in result.notes
    assert "∞" in str(result)
    assert "−∞" in str(f.paired_t([-0.2] * 3))
    assert f.paired_t([-0.2] * 3, alternative="greater").pvalue == 1
    assert f.wilcoxon([0, 0, 0]).pvalue == 1
    assert f.cv52_t(np.zeros((5, 2))).pvalue == 1
    assert f.cv52_f(np.zeros((5, 2))).pvalue == 1
    assert f.cv52_f(np.ones((5, 2))).pvalue == 0
    assert f.sign_test(0, 0, 1).pvalue == 1


def test_differences_that_are_rounding_do_not_vary():
    """b is a + 0.01 in every fold; in floating-point numbers the differences are not equal."""
    a = np.array([0.81, 0.77, 0.92, 0.65, 0.70])
    x = np.round(a + 0.01, 2) - a
    assert np.ptp(x) > 0
    for result in (f.paired_t(x), f.corrected_t(x, rho=0.2)):
        assert (result.statistic, result.pvalue, result.standard_error) == (np.inf, 0, 0)
        assert EQUAL in result.notes
    twice = np.column_stack([x, np.r_[x[1:], x[0]]])
    assert f.cv52_t(twice).statistic == np.inf
    assert f.cv52_f(twice).pvalue == 0
    assert f.hotelling_paired(np.column_stack([x, x])).statistic == np.inf
    assert f.paired_t([1e-9, 2e-9, 4e-9]).pvalue == pytest.approx(
        stats.ttest_1samp([1, 2, 4], 0).pvalue
    )


def test_numbers_are_plain_and_shown():
    result = f.corrected_t([0.1, 0.3, 0.2, 0.25], rho=0.1)
    assert type(result.statistic) is float
    assert type(result.pvalue) is float
    assert "rho 0.1: as given" in str(result)
    assert "95% CI low" in str(result)
    assert result.to_dict()["df"] == 3
    assert "<table" in result._repr_html_()
    with pytest.raises(AttributeError):
        result.pvalue = 0.5


@each_row(
    ("call", "words"),
    [
        (lambda: f.paired_t([[1, 2]]), "shape"),
        (lambda: f.paired_t([1, np.nan]), "x must hold .*got nan at place 1"),
        (lambda: f.paired_t([1, 2], alternative="larger"), "alternative"),
        (lambda: f.corrected_t([1, 2]), "rho must be given"),
        (lambda: f.corrected_t([1, 2], rho=1.0), "rho must be at least 0"),
        (
            lambda: f.corrected_t([1, 2], rho=0.1, n_test=3, n_train=7),
            "rho must be left out with n_test and n_train, which give it",
        ),
        (lambda: f.corrected_t([1, 2], n_test=3), "n_train must be given with n_test"),
        (lambda: f.cv52_f([[1, np.nan]] * 5), "got nan at place 1"),
        (
            lambda: f.cv52_t(bc.Differences([[1, 2, 4]], rho=0.5)),
            r"x must have shape \(5, 2\) for cv52_t, 5 repeats of 2 folds",
        ),
        (lambda: f.wilcoxon([]), "at least 1"),
        (lambda: f.wilcoxon(["a"]), "must hold real numbers"),
        (lambda: f.sign_test(1, 2.5), "losses must be"),
        (lambda: f.sign_test(0, 0), "wins must be at least 1 together with losses and ties"),
        (lambda: f.sign_test(1, 2, tie_method="half"), "tie_method"),
        (lambda: f.cv52_f(np.ones((5, 2))).confidence_interval(), "no confidence interval"),
        (lambda: f.paired_t([1, 2]).confidence_interval(95), "level must be"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_degrees_of_freedom_of_5x2cv():
    """Dietterich 1998: t with 5; Alpaydın 1999: F with 10 and 5."""
    x = np.random.default_rng(9).normal(size=(5, 2))
    assert f.cv52_t(x).df == 5
    assert f.cv52_f(x).df == (10, 5)
    labelled = bc.Differences([x.ravel()], rho=0.5, names=("knn", "svm"))
    for test in (f.cv52_t, f.cv52_f):
        assert test(labelled).pvalue == test(x).pvalue
        assert test(labelled).names == ("knn", "svm")


def test_each_row_is_the_test_of_its_data_set_to_the_last_digit():
    """Of different lengths and correlations, and where nothing varies but for rounding."""
    rng = np.random.default_rng(0)
    rows = [rng.normal(0.2, 1, n) for n in (5, 10, 10, 7, 5, 100)]
    rows += [np.zeros(5), np.full(7, 0.1), np.full(3, -0.1), 0.1 + np.array([0, 1e-14, 0, 2e-14])]
    x = bc.Differences(rows, rho=np.linspace(0, 0.5, len(rows)))
    tests = corrected_t_by_row(x)
    for i, dataset in enumerate(x.datasets):
        one = bc.frequentist.corrected_t(x.row(dataset))
        assert (tests.statistic[i], tests.pvalue[i]) == (one.statistic, one.pvalue)
        assert tests.estimate[i] == one.estimate
        assert tests.effect(i).estimate == one.effect.estimate
    for rope in (0.1, (-0.1, 0.2), (-0.1, np.inf)):
        tests = tost_paired_by_row(x, rope=rope)
        for i, dataset in enumerate(x.datasets):
            one = bc.frequentist.tost_paired(x.row(dataset), rope=rope)
            assert (tests.statistic[i], tests.pvalue[i]) == (one.statistic, one.pvalue)


def test_means_as_in_r(tr):
    """R 4.2.2, t.test(d, mu, alternative) at either end; the larger p counts."""
    assert tr["tost_demsar_ttest"] == pytest.approx(tr["tost_demsar_t"])
    assert f.tost_means(tr["tost_demsar"], rope=0.03).pvalue == pytest.approx(
        tr["tost_demsar_ttest"].max()
    )


def test_signed_ranks_as_in_coin(tr):
    """coin 1.4-2, wilcoxsign_test(d - end ~ 0, distribution = "exact")."""
    for data, rope in [("tost_demsar", 0.03), ("tost_one", (-0.01, 0.02))]:
        result = f.tost_means(tr[data], rope=rope, method="wilcoxon")
        assert result.pvalue == pytest.approx(tr[f"{data}_signed"].max())


def test_one_data_set_as_in_r(tr):
    """pt() of the corrected t, rho = 1/8, an uneven rope."""
    result = f.tost_paired(tr["tost_one"], rope=(-0.01, 0.02), rho=1 / 8)
    assert result.pvalue == pytest.approx(tr["tost_one_t"].max())
    labelled = bc.Differences([tr["tost_one"]], rho=1 / 8, names=("knn", "svm"))
    assert f.tost_paired(labelled, rope=(-0.01, 0.02)).pvalue == result.pvalue
    assert f.tost_paired(labelled, rope=0.02).names == ("knn", "svm")


@given(seed=st.integers(0, 10_000), alpha=st.floats(0.01, 0.2))
def test_rejected_where_the_interval_is_inside(seed, alpha):
    """Schuirmann: p < α exactly if the interval at 1 - 2α lies within the rope."""
    x = np.random.default_rng(seed).normal(0.1, 0.5, size=12)
    for result in (f.tost_paired(x, rope=0.4, rho=0.1), f.tost_means(x, rope=0.4)):
        low, high = result.confidence_interval(1 - 2 * alpha)
        assert (low > -0.4 and high < 0.4) == (result.pvalue < alpha)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_swapping_the_algorithms_changes_nothing(seed):
    x = np.random.default_rng(seed).normal(0.1, 0.5, size=9)
    for test in (f.tost_means, lambda v, **o: f.tost_means(v, method="wilcoxon", **o)):
        one, other = test(x, rope=(-0.3, 0.6)), test(-x, rope=(-0.6, 0.3))
        assert one.pvalue == pytest.approx(other.pvalue)
        assert one.statistic == pytest.approx(other.statistic)


def test_equivalence_equal_differences():
    assert f.tost_paired([0.01] * 5, rope=0.02, rho=0.1).pvalue == 0
    assert f.tost_paired([0.03] * 5, rope=0.02, rho=0.1).pvalue == 1
    assert f.tost_paired([0.02] * 5, rope=0.02, rho=0.1).pvalue == 1  # on the edge
    for result in (f.tost_paired([0.0] * 5, rope=0.02, rho=0.1), f.tost_means([0.01] * 3, rope=1)):
        assert EQUAL in result.notes
        assert "∞" in str(result)
    assert EQUAL not in f.tost_means([0.1, 0.2, -0.1], rope=0.5).notes


def test_shown():
    text = str(f.tost_means([0.1, 0.2, -0.1, 0.05], rope=0.5))
    assert "90% CI low" in text
    assert "(equivalence)" in text
    assert "a small p-value supports practical equivalence" in text


@each_row("kind", ["t", "corrected"])
@each_row(
    ("rope", "who", "supported"),
    [((-0.01, np.inf), "svm", "over −0.01"), ((-np.inf, 0.05), "knn", "under 0.05")],
)
def test_with_one_infinite_end_it_is_non_inferiority(kind, rope, who, supported):
    """One such test says who is not worse; it does not say that the two are equivalent."""
    x = np.array([0.01, 0.02, -0.005, 0.03, 0.02, 0.01])
    names = ("knn", "svm")
    if kind == "corrected":
        result = f.tost_paired(bc.Differences([x], rho=0.1, names=names), rope=rope)
    else:
        given = bc.Differences(x[:, None], rho=0.0, names=names)
        result = f.tost_means(given, rope=rope, method=kind)
    if kind == "t":  # SciPy's own one-sided t test against the finite end
        end, side = (rope[0], "greater") if who == "svm" else (rope[1], "less")
        assert result.pvalue == pytest.approx(stats.ttest_1samp(x, end, alternative=side).pvalue)
    text = f"{result} {result.explain('paper')} {result.to_markdown()} {result!r}"
    assert result.pvalue < 0.05
    assert f"knn and svm: {who} not worse at 0.05" in text
    assert f"the hypothesis that {who} is worse by the margin or more is rejected" in text
    assert f"a small p-value supports a difference {supported}" in text
    assert "90% confidence interval" in text
    assert "equivalen" not in text
    assert "two one-sided" not in text.lower()
    assert f"{who} not shown to be not worse" in replace(result, pvalue=0.5).answer()


@each_row(
    ("call", "message"),
    [
        (lambda: f.tost_paired([0.1, 0.2], rope=0.1), "rho must be given"),
        (lambda: f.tost_paired([0.1, 0.2], rope=0.0, rho=0.1), "Equivalence needs a region"),
        (lambda: f.tost_means([0.1, 0.2], rope=-0.1), "rope"),
        (lambda: f.tost_means([0.1], rope=0.1), "at least 2"),
        (lambda: f.tost_means([0.1, np.nan], rope=0.1), "x must hold .*got nan at place 1"),
        (lambda: f.tost_means([0.1, 0.2], rope=0.1, method="sign"), "method"),
    ],
)
def test_equivalence_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()
