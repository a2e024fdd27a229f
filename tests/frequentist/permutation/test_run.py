"""Runs: interrupts keep what is done, progress, stopping rules inside a test."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from bayescmp.errors import DiagnosticWarning, InputError
from bayescmp.frequentist import permutation_test
from bayescmp.frequentist.permutation.run import (
    BesagClifford,
    Gandy,
    gandy_boundaries,
    make_rule,
    pvalue_interval,
)
from tests.frequentist.estimators import Centroid
from tests.frequentist.permutation.test_classifier import two_classes


def exits(p, lower, upper):
    """Probability of leaving the corridor below and above, path by path of the count."""
    at, below, above = {0: 1.0}, 0.0, 0.0
    for low, high in zip(lower, upper, strict=True):
        moved: dict[int, float] = {}
        for count, mass in at.items():
            for step, share in ((0, 1 - p), (1, p)):
                moved[count + step] = moved.get(count + step, 0.0) + mass * share
        below += sum(m for c, m in moved.items() if c <= low)
        above += sum(m for c, m in moved.items() if c >= high)
        at = {c: m for c, m in moved.items() if low < c < high}
    return below, above


@pytest.mark.parametrize(
    ("alpha", "risk", "n"), [(0.05, 1e-3, 1000), (0.01, 1e-3, 1000), (0.2, 0.05, 60)]
)
def test_gandys_risk_is_spent_and_not_exceeded(alpha, risk, n):
    lower, upper = gandy_boundaries(alpha, risk, n)
    for side in exits(alpha, lower, upper):
        assert 0.3 * risk < side <= risk
    assert exits(alpha * 0.7, lower, upper)[1] < risk  # p under α found over it
    assert exits(min(1, alpha * 1.4), lower, upper)[0] < risk


def test_gandys_corridor_is_as_narrow_as_the_risk_allows():
    """Moving any one boundary by one would spend more than is due by then."""
    alpha, risk, n = 0.1, 0.01, 60
    lower, upper = gandy_boundaries(alpha, risk, n)
    for i in range(n):
        spent = risk * (i + 1) / (100 + i + 1)
        tighter = lower[: i + 1].copy()
        tighter[i] += 1
        assert exits(alpha, tighter, upper[: i + 1])[0] > spent
        tighter = upper[: i + 1].copy()
        tighter[i] -= 1
        assert exits(alpha, lower[: i + 1], tighter)[1] > spent


def test_gandy_by_enumeration_of_all_paths():
    """All 2**10 sequences, with a corridor narrow enough to be left."""
    alpha, risk, n = 0.3, 0.2, 10
    lower, upper = gandy_boundaries(alpha, risk, n)
    rule = Gandy(alpha, risk, n)
    over = under = 0.0
    for path in product((0, 1), repeat=n):
        settled = rule.first(np.array(path, dtype=float), np.full(n, 0.5))
        chance = np.prod(np.where(path, alpha, 1 - alpha))
        if settled is not None:
            count = sum(path[: settled.n])
            assert (count <= lower[settled.n - 1]) == settled.significant
            assert (count >= upper[settled.n - 1]) != settled.significant
            under += chance * settled.significant
            over += chance * (not settled.significant)
    np.testing.assert_allclose((under, over), exits(alpha, lower, upper))
    assert max(under, over) <= risk


def test_gandy_stops_soon_where_the_answer_is_plain():
    rule = Gandy(0.05, 1e-3, 1000)
    none = rule.first(np.zeros(1000), np.full(1000, 0.5))
    assert none is not None
    assert none.significant
    assert 0.95**none.n < 1e-3
    assert none.n < 160
    all_as_good = rule.first(np.ones(1000), np.full(1000, 0.5))
    assert all_as_good is not None
    assert not all_as_good.significant
    assert all_as_good.n < 8


def test_gandy_with_several_repeats_tosses_a_coin_of_the_averaged_p():
    """Shares of ½ with uniform draws are a fair coin."""
    rng = np.random.default_rng(0)
    decided = [Gandy(0.3, 0.05, 200).first(np.full(200, 0.5), rng.random(200)) for _ in range(200)]
    assert np.mean([d is not None and d.significant for d in decided]) <= 0.05


@pytest.mark.parametrize("n", [99, 100, 999])
def test_besag_clifford_decides_as_the_full_run(n):
    rng = np.random.default_rng(n)
    stopped = 0
    for p in (0.01, 0.04, 0.05, 0.06, 0.3):
        for _ in range(60):
            hits = (rng.random(n) < p).astype(float)
            full = (hits.sum() + 1) / (n + 1) <= 0.05
            settled = BesagClifford(0.05, n).first(hits, hits)
            if settled is None:
                assert full or hits.sum() + 1 > 0.05 * (n + 1)
                assert full
            else:
                assert not full
                stopped += 1
                before = hits[: settled.n - 1].sum()
                assert (before + 1) / (n + 1) <= 0.05  # and not a draw later than it is certain
    assert stopped > 60


def test_interval_is_clopper_and_pearsons():
    for count, n in ((0, 50), (3, 50), (50, 50)):
        expected = stats.binomtest(count, n).proportion_ci(0.9, method="exact")
        assert pvalue_interval(count, n, 0.9) == pytest.approx((expected.low, expected.high))


def test_no_rule():
    assert make_rule(None, 0.05, 0.001, 100) is None
    with pytest.raises(InputError, match="risk=0"):
        make_rule("gandy", 0.05, 0, 100)


class Interrupted(Centroid):
    """As if Ctrl-C were pressed during the fit number ``at``."""

    fits = 0
    at = 0

    def fit(self, X, y):
        Interrupted.fits += 1
        if Interrupted.fits == Interrupted.at:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.fixture
def interrupt():
    def at(fit):
        Interrupted.fits, Interrupted.at = 0, fit

    yield at
    Interrupted.fits = Interrupted.at = 0


def test_what_is_done_before_an_interrupt_is_kept(interrupt):
    X, y = two_classes(shift=0.3)
    options = {"n": 20, "cv": 4, "repeats": 1, "seed": 6}
    whole = permutation_test(Centroid(), X, y, **options)
    interrupt(4 + 7 * 4 + 2)  # in the eighth random data set
    with pytest.warns(DiagnosticWarning, match="interrupted after 7 of 20 permutations"):
        result = permutation_test(Interrupted(), X, y, **options)
    assert result.ended == "interrupted"
    np.testing.assert_array_equal(result.null, whole.null[:7])
    assert result.pvalue == (np.sum(result.null <= result.statistic + 1e-12) + 1) / 8
    assert "7 permutations of 20, interrupted" in str(result)


@pytest.mark.parametrize("fit", [2, 6])
def test_an_interrupt_before_anything_is_done_goes_on(interrupt, fit):
    """In the original data, and in the first random data set."""
    interrupt(fit)
    with pytest.raises(KeyboardInterrupt):
        permutation_test(Interrupted(), *two_classes(), n=5, cv=4, repeats=1)


def test_a_rule_keeps_a_beginning_of_the_full_run():
    X, y = two_classes(shift=1.5)
    options = {"n": 400, "cv": 3, "repeats": 3, "seed": 6}
    whole = permutation_test(Centroid(), X, y, **options)
    result = permutation_test(Centroid(), X, y, stop="gandy", **options)
    assert result.ended == "settled"
    assert result.significant
    assert whole.significant
    assert len(result.null) == result.settled.n < 200
    np.testing.assert_array_equal(result.null, whole.null[: len(result.null)])
    assert "settled at a risk of 0.001 (Gandy)" in str(result)


def test_besag_clifford_under_the_null_hypothesis():
    X, y = two_classes(seed=5, shift=0.0)
    options = {"n": 199, "cv": 3, "repeats": 2, "seed": 1}
    whole = permutation_test(Centroid(), X, y, **options)
    result = permutation_test(Centroid(), X, y, stop="besag-clifford", **options)
    assert not whole.significant
    assert not result.significant
    assert len(result.null) < 60
    assert "for certain" in result.notes[0]


def test_progress(capsys):
    permutation_test(Centroid(), *two_classes(), n=4, cv=2, repeats=1, progress=True)
    assert "permuted labels: 100%" in capsys.readouterr().err
    permutation_test(Centroid(), *two_classes(), n=4, cv=2, repeats=1)
    assert capsys.readouterr().err == ""


def test_joblibs_context_is_heeded():
    import joblib

    X, y = two_classes()
    alone = permutation_test(Centroid(), X, y, n=6, cv=2, repeats=1, seed=1)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        result = permutation_test(Centroid(), X, y, n=6, cv=2, repeats=1, seed=1)
    np.testing.assert_array_equal(alone.null, result.null)
