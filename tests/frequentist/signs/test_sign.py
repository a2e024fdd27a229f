"""Sign test: R, SciPy's binomial, ties split and dropped, bad input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayescmp.frequentist as f

SIDES = {"two-sided": "two.sided", "less": "less", "greater": "greater"}


@pytest.mark.parametrize("side", SIDES)
def test_sign_test_as_in_r(r, side):
    """R 4.2.2, binom.test(9, 12, alternative)."""
    result = f.sign_test(9, 3, alternative=side)
    interval = result.confidence_interval(0.95)
    assert [result.pvalue, *interval] == pytest.approx(r[f"binom_{SIDES[side]}"])


@given(wins=st.integers(0, 30), losses=st.integers(0, 30), ties=st.integers(0, 9))
def test_sign_test_counts(wins, losses, ties):
    if wins + losses + ties == 0:
        return
    half = ties // 2
    result = f.sign_test(wins, losses, ties)
    n = wins + losses + 2 * half
    assert result.n == n
    if n:
        assert result.pvalue == pytest.approx(stats.binomtest(wins + half, n).pvalue)
        dropped = f.sign_test(wins, losses, ties, tie_method="drop")
        assert dropped.n == wins + losses
    assert result.pvalue == pytest.approx(f.sign_test(losses, wins, ties).pvalue)
