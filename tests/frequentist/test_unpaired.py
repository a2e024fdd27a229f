"""The Kruskal-Wallis test: R, order, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError

SIDES = ("two-sided", "less", "greater")


@pytest.fixture
def runs(gr):
    return gr["runs_first"], gr["runs_second"]


@pytest.mark.parametrize("side", SIDES)
def test_welch_as_in_r(gr, runs, side):
    """R 4.2.2, t.test(s, r, alternative = side)."""
    result = f.welch(*runs, alternative=side)
    low, high = result.confidence_interval()
    expected = gr[f"welch_{side.replace('-', '.')}"]
    assert [result.statistic, result.df, result.pvalue, low, high] == pytest.approx(expected)
    assert result.estimate == pytest.approx(np.mean(runs[1]) - np.mean(runs[0]))


@pytest.mark.parametrize("side", SIDES)
def test_mann_whitney_as_in_r(gr, runs, side):
    """R 4.2.2, wilcox.test(s, r, alternative = side, exact = FALSE), with ties."""
    result = f.mann_whitney(*runs, alternative=side)
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


@pytest.mark.parametrize("side", SIDES)
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


@pytest.mark.parametrize("test", [f.welch, f.mann_whitney, f.brunner_munzel])
def test_swapping_the_samples_swaps_the_sides(runs, test):
    first, second = runs
    for side, other in (("less", "greater"), ("greater", "less"), ("two-sided", "two-sided")):
        a, b = test(first, second, alternative=side), test(second, first, alternative=other)
        assert a.pvalue == pytest.approx(b.pvalue)


def test_equal_scores():
    assert f.welch([1, 1, 1], [2, 2, 2]).pvalue == 0
    assert f.welch([1, 1, 1], [1, 1, 1]).pvalue == 1
    with pytest.raises(InputError, match="don't overlap"):
        f.brunner_munzel([1, 2, 3], [4, 5])
    with pytest.raises(InputError, match="nothing to rank"):
        f.brunner_munzel([1, 1], [1, 1])
    with pytest.raises(InputError, match="at least 2"):
        f.welch([1], [1, 2])


def test_as_in_r(gr):
    """R 4.2.2, kruskal.test(list(r, s, q)), with ties."""
    result = f.kruskal_wallis([gr["runs_first"], gr["runs_second"], gr["runs_third"]])
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


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([[1, 2]], "at least 2"),
        ([[1, 1], [1, 1]], "equal"),
        ([[1, 2], [np.nan]], "'A2'"),
        (None, "samples is NoneType; accepted"),
        (5, "samples is int; accepted"),
    ],
)
def test_refused(samples, message):
    with pytest.raises(InputError, match=message):
        f.kruskal_wallis(samples)
