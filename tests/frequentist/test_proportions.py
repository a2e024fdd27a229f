"""Two proportions from independent trials: SciPy's tests by their sides, Newcombe's interval."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

import bayescmp as bc
from bayescmp.frequentist import barnard, boschloo, fisher, newcombe
from tests.rows import each_row

TESTS = {"barnard": barnard, "boschloo": boschloo, "fisher": fisher}


def test_p_values_are_those_of_scipy():
    """scipy 1.17.1: barnard_exact, boschloo_exact, fisher_exact of [[14, 17], [6, 3]]."""
    expected = {"barnard": 0.28942, "boschloo": 0.28715, "fisher": 0.45058}
    for name, test in TESTS.items():
        result = test({"old": (14, 20), "new": (17, 20)})
        assert result.pvalue == pytest.approx(expected[name], abs=5e-6)
        assert (result.names, result.n) == (("old", "new"), 40)
        assert result.estimate == pytest.approx(0.15)


def test_sides_follow_the_second():
    """Greater: the second's proportion is higher; the one-sided p-value is the smaller."""
    for name in TESTS:
        test = TESTS[name]
        greater, less = (test("14/20", "17/20", alternative=side) for side in ("greater", "less"))
        assert greater.pvalue < 0.25 < less.pvalue
        turned = test("17/20", "14/20", alternative="less")
        assert turned.pvalue == pytest.approx(greater.pvalue, rel=1e-9)
        two_sided = newcombe("14/20", "17/20").confidence_interval(0.9)
        assert less.confidence_interval(0.95) == (-1, pytest.approx(two_sided[1]))
        low, high = greater.confidence_interval(0.95)
        assert (low, high) == (
            pytest.approx(newcombe("14/20", "17/20").confidence_interval(0.9)[0]),
            1,
        )


def test_fishers_statistic_is_the_odds_ratio():
    """17·6/(3·14), of the sample, and infinite without a failure."""
    assert fisher("14/20", "17/20").statistic == pytest.approx(17 * 6 / (3 * 14))
    assert fisher("14/20", "20/20").statistic == np.inf
    assert "odds ratio" in str(fisher("14/20", "20/20"))


def test_boschloo_by_enumeration():
    """The largest probability, over a common p, of tables whose Fisher p is at most this one's."""
    n, m, seen = 8, 6, (2, 5)
    ps = np.linspace(0.001, 0.999, 4001)
    fishers = np.array(
        [
            [
                stats.fisher_exact([[a, n - a], [b, m - b]], alternative="less")[1]
                for b in range(m + 1)
            ]
            for a in range(n + 1)
        ]
    )
    extreme = fishers <= fishers[seen] * (1 + 1e-9)
    a, b = np.indices(extreme.shape)
    mass = [(stats.binom.pmf(a, n, p) * stats.binom.pmf(b, m, p))[extreme].sum() for p in ps]
    result = boschloo((2, 8), (5, 6), alternative="greater")
    assert result.pvalue == pytest.approx(max(mass), rel=1e-3)  # SciPy maximises on other points
    assert result.statistic == pytest.approx(fishers[seen])


def test_newcombes_interval():
    """Newcombe (1998), table II, method 10: 56/70 less 48/80; and statsmodels 0.15."""
    low, high = newcombe("48/80", "56/70").confidence_interval()
    assert (low, high) == (pytest.approx(0.0524, abs=5e-5), pytest.approx(0.3339, abs=5e-5))
    for first, second in (
        ((14, 20), (17, 20)),
        ((0, 5), (5, 5)),
        ((0, 9), (0, 4)),
        ((3, 3), (9, 99)),
    ):
        for level in (0.8, 0.99):
            own = newcombe(first, second).confidence_interval(level)
            theirs = confint_proportions_2indep(*second, *first, "newcomb", "diff", 1 - level)
            assert own == pytest.approx(theirs, abs=1e-12)


def test_many_trials_are_left_to_fisher():
    """The unconditional tests would take minutes; the hint works."""
    many = {"a": (14_000, 20_000), "b": (17_000, 20_000)}
    for test in (barnard, boschloo):
        with pytest.raises(bc.InputError, match=r"at most 250,000 possible outcomes.*fisher"):
            test(many)
    assert fisher(many).pvalue < 1e-10


@each_row("test", [*TESTS.values(), newcombe])
def test_wrong_counts(test):
    with pytest.raises(bc.InputError, match="at most as many successes as trials"):
        test("21/20", "17/20")
    with pytest.raises(bc.InputError, match="counts of two algorithms"):
        test({"a": (1, 2)})
    with pytest.raises(bc.InputError, match="two whole numbers"):
        test("14/20")
