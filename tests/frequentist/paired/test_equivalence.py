"""Two one-sided tests: R, the interval that goes with them, degenerate and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.paired.student import EQUAL


def test_means_as_in_r(tr):
    """R 4.2.2, t.test(d, mu, alternative) at either end; the larger p counts."""
    assert tr["tost_demsar_ttest"] == pytest.approx(tr["tost_demsar_t"])
    assert f.tost_means(tr["tost_demsar"], rope=0.03).pvalue == pytest.approx(
        tr["tost_demsar_ttest"].max()
    )


@pytest.mark.parametrize(("data", "rope"), [("tost_demsar", 0.03), ("tost_one", (-0.01, 0.02))])
def test_signed_ranks_as_in_coin(tr, data, rope):
    """coin 1.4-2, wilcoxsign_test(d - end ~ 0, distribution = "exact")."""
    result = f.tost_means(tr[data], rope=rope, method="wilcoxon")
    assert result.pvalue == pytest.approx(tr[f"{data}_signed"].max())


def test_one_data_set_as_in_r(tr):
    """pt() of the corrected t, rho = 1/8, an uneven rope."""
    result = f.tost_paired(tr["tost_one"], rope=(-0.01, 0.02), rho=1 / 8)
    assert result.pvalue == pytest.approx(tr["tost_one_t"].max())
    labelled = bc.Differences([tr["tost_one"]], rho=1 / 8, names=("knn", "svm"))
    assert f.tost_paired(labelled, rope=(-0.01, 0.02)).pvalue == result.pvalue
    assert f.tost_paired(labelled, rope=0.02).names == ("knn", "svm")


@settings(max_examples=40)
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


def test_equal_differences():
    assert f.tost_paired([0.01] * 5, rope=0.02, rho=0.1).pvalue == 0
    assert f.tost_paired([0.03] * 5, rope=0.02, rho=0.1).pvalue == 1
    assert f.tost_paired([0.02] * 5, rope=0.02, rho=0.1).pvalue == 1  # on the edge
    for result in (f.tost_paired([0.0] * 5, rope=0.02, rho=0.1), f.tost_means([0.01] * 3, rope=1)):
        assert EQUAL in result.notes
        assert "t = ∞, " in str(result)
    assert EQUAL not in f.tost_means([0.1, 0.2, -0.1], rope=0.5).notes


def test_shown():
    text = str(f.tost_means([0.1, 0.2, -0.1, 0.05], rope=0.5))
    assert "90 % interval" in text
    assert "(equivalence)" in text
    assert "a small p-value supports practical equivalence" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: f.tost_paired([0.1, 0.2], rope=0.1), "rho is missing"),
        (lambda: f.tost_paired([0.1, 0.2], rope=0.0, rho=0.1), "equivalence needs a region"),
        (lambda: f.tost_means([0.1, 0.2], rope=-0.1), "rope"),
        (lambda: f.tost_means([0.1], rope=0.1), "at least 2"),
        (lambda: f.tost_means([0.1, np.nan], rope=0.1), r"x\[1\] is nan"),
        (lambda: f.tost_means([0.1, 0.2], rope=0.1, method="sign"), "method"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()
