"""Wilcoxon's signed-rank test: R, SciPy, enumeration, its interval."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f

SIDES = {"two-sided": "two.sided", "less": "less", "greater": "greater"}


@pytest.mark.parametrize("side", SIDES)
def test_wilcoxon_as_in_r(r, side):
    """R 4.2.2, wilcox.test(x, alternative, conf.int = TRUE); its statistic is the positive sum."""
    found = f.wilcoxon(r["z"], alternative=side)
    v, p, estimate, low, high = r[f"wilcox_{SIDES[side]}"]
    positive = found.statistic if side != "two-sided" else 12 * 13 / 2 - found.statistic
    assert [positive, found.pvalue, found.estimate] == pytest.approx([v, p, estimate])
    assert found.confidence_interval(0.95) == pytest.approx((low, high))
    if side == "two-sided":
        assert found.confidence_interval(0.8) == pytest.approx(tuple(r["wilcox_80"]))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [5, 13, 14, 40, 60])
@pytest.mark.parametrize("step", [0.0, 0.25, 1.0])
def test_wilcoxon_as_in_scipy(n, step, side):
    """SciPy with the method that its "auto" chooses since 1.13, ties and zeros included."""
    x = np.random.default_rng(n).normal(size=n) + 0.3
    x = np.round(x / step) * step if step else x
    plain = step == 0
    if n <= 13 and not plain:
        nonzero = x[x != 0]
        ranks = stats.rankdata(np.abs(nonzero))
        sums = [ranks[np.array(s)].sum() for s in itertools.product([False, True],
                repeat=len(nonzero))]  # fmt: skip
        plus = ranks[nonzero > 0].sum()
        below, above = np.mean(np.array(sums) <= plus), np.mean(np.array(sums) >= plus)
        expected = {"less": below, "greater": above, "two-sided": min(1, 2 * min(below, above))}
        expected = expected[side]
    else:
        method = "exact" if plain and n <= 50 else "approx"
        expected = stats.wilcoxon(x, alternative=side, method=method).pvalue
    assert f.wilcoxon(x, alternative=side).pvalue == pytest.approx(expected, rel=1e-9)
