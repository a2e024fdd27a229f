"""Wilcoxon's signed-rank test: R, SciPy, enumeration, its interval."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError

COIN = {"wilcox": "Wilcoxon", "pratt": "Pratt"}
SIDES = {"two-sided": "two.sided", "less": "less", "greater": "greater"}


@pytest.mark.parametrize("side", SIDES)
def test_wilcoxon_as_in_r(r, side):
    """R 4.2.2, wilcox.test(x, alternative, conf.int = TRUE); its statistic is the positive sum."""
    result = f.wilcoxon(r["z"], alternative=side)
    v, p, estimate, low, high = r[f"wilcox_{SIDES[side]}"]
    positive = result.statistic if side != "two-sided" else 12 * 13 / 2 - result.statistic
    assert [positive, result.pvalue, result.estimate] == pytest.approx([v, p, estimate])
    assert result.confidence_interval(0.95) == pytest.approx((low, high))
    if side == "two-sided":
        assert result.confidence_interval(0.8) == pytest.approx(tuple(r["wilcox_80"]))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
@pytest.mark.parametrize("data", ["demsar", "signed40", "signed70"])
def test_ties_and_zeros_as_in_coin(tr, data, zeros, side):
    """coin 1.4-2, wilcoxsign_test(..., zero.method): exact up to 50 differences, else normal."""
    expected = tr[f"{data}_{COIN[zeros]}_{SIDES[side]}"][0]
    result = f.wilcoxon(tr[data], zeros=zeros, alternative=side)
    assert result.pvalue == pytest.approx(expected, rel=1e-9)
    assert ("exact p-value" in result.notes) == (data != "signed70")


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "split"])
@pytest.mark.parametrize("side", SIDES)
def test_exact_by_enumeration(zeros, side):
    """All signs of the ranked differences; zeros stay where their rule puts them."""
    x = np.array([0, 0.3, -0.1, 0.1, 0, 0.5, -0.2, 0.2, 0.2, 0, 0.7])
    nonzero = x[x != 0] if zeros == "wilcox" else x[1:] if zeros == "split" else x
    ranks = stats.rankdata(np.abs(nonzero))[nonzero != 0]
    signs = np.array(list(itertools.product([False, True], repeat=len(ranks))))
    plus, sums = ranks[nonzero[nonzero != 0] > 0].sum(), signs @ ranks
    below, above = np.mean(sums <= plus), np.mean(sums >= plus)
    expected = {"less": below, "greater": above, "two-sided": min(1, 2 * min(below, above))}
    assert f.wilcoxon(x, zeros=zeros, alternative=side).pvalue == pytest.approx(expected[side])


def test_rounding_makes_no_order():
    """Differences of two-decimal accuracies are whole hundredths, whatever the accuracies are."""
    a = np.array([0.81, 0.77, 0.92, 0.65, 0.70, 0.88, 0.59, 0.73, 0.95, 0.84])
    steps = np.array([3, -1, 2, 4, 1, 2, -1, 3, 0, 2])
    noisy = np.round(a + steps / 100, 2) - a
    assert len(np.unique(np.abs(noisy))) > len(np.unique(np.abs(steps)))
    result = f.wilcoxon(noisy)
    assert result.pvalue == f.wilcoxon(steps).pvalue == 0.02734375  # coin, as above: 7 / 256
    assert result.statistic == f.wilcoxon(steps).statistic
    assert result.notes[-1] == "1 zero difference dropped"
    frame = np.column_stack([a, np.round(a + steps / 100, 2), a / 2])
    pair = f.posthoc(frame, test="wilcoxon", adjust="none")
    assert (pair.pvalue[0], pair.statistic[0]) == (result.pvalue, result.statistic)
    assert f.wilcoxon(noisy, tie_tolerance=0).pvalue != result.pvalue


def test_zeros_in_demsars_example(tr):
    """Demšar 2006, sec. 3.1.3: the rank sums are 93 and 12."""
    result = f.wilcoxon(tr["demsar"], zeros="split")
    assert (result.statistic, result.notes[1]) == (12, "2 zero differences split evenly")
    assert f.wilcoxon(tr["demsar"], zeros="split", alternative="greater").statistic == 93
    odd = f.wilcoxon(np.append(tr["demsar"], 0), zeros="split")
    assert (odd.statistic, odd.notes[2]) == (12, "1 zero difference dropped")
    assert odd.pvalue == result.pvalue == f.wilcoxon(tr["demsar"], zeros="pratt").pvalue


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_normal_approximation_as_in_scipy(tr, side, zeros, correction):
    """SciPy, wilcoxon(..., method="approx")."""
    options = {"alternative": side, "correction": correction}
    expected = stats.wilcoxon(tr["signed70"], zero_method=zeros, method="approx", **options)
    result = f.wilcoxon(tr["signed70"], zeros=zeros, **options)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [5, 13, 14, 40, 50])
def test_without_ties_as_in_scipy(n, side):
    """SciPy, wilcoxon(..., method="exact")."""
    x = np.random.default_rng(n).normal(size=n) + 0.3
    expected = stats.wilcoxon(x, alternative=side, method="exact").pvalue
    assert f.wilcoxon(x, alternative=side).pvalue == pytest.approx(expected, rel=1e-9)


def test_bad_options():
    with pytest.raises(InputError, match="zeros"):
        f.wilcoxon([1.0, 2.0], zeros="drop")
    with pytest.raises(InputError, match="tie_tolerance=-1"):
        f.wilcoxon([1.0, 2.0], tie_tolerance=-1)
