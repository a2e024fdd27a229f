"""Verdicts on counts: wrong decisions and coverage, over all outcomes, not simulated ones."""

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import proportions
from bayescmp.bayesian.proportions import upper_tail

pytestmark = pytest.mark.calibration


def over_all_outcomes(n, first, second):
    """P(p₂ − p₁ > truth) for each outcome that is not next to impossible, and its probability."""
    kept = [
        np.flatnonzero(stats.binom.pmf(np.arange(n + 1), n, p) > 1e-7) for p in (first, second)
    ]
    pairs = [(a, b) for a in kept[0] for b in kept[1]]
    mass = [stats.binom.pmf(a, n, first) * stats.binom.pmf(b, n, second) for a, b in pairs]
    tails = [
        upper_tail((a + 0.5, n - a + 0.5), (b + 0.5, n - b + 0.5), second - first)[0]
        for a, b in pairs
    ]
    return np.array(tails), np.array(mass) / sum(mass)


@pytest.mark.parametrize(
    ("n", "p", "decided"), [(20, 0.5, 0.105), (20, 0.9, 0.10), (200, 0.5, 0.10), (200, 0.9, 0.10)]
)
def test_equal_proportions_are_decided_in_a_tenth(n, p, decided):
    """Without a ROPE either direction is decided at 0.95: twice 0.05, but for discrete counts."""
    tails, mass = over_all_outcomes(n, p, p)
    rate = mass[(tails >= 0.95) | (tails <= 0.05)].sum()
    covered = mass[(tails >= 0.025) & (tails <= 0.975)].sum()
    print(f"\nn = {n}, p = {p}: decided in {rate:.4f}, interval covers {covered:.4f}")
    assert rate == pytest.approx(decided, abs=0.03)
    assert covered == pytest.approx(0.95, abs=0.02)
    a = round(n * p)
    verdict = proportions((a, n), (a, n)).verdict()
    assert verdict.p_right == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "first", "second"), [(20, 0.7, 0.85), (200, 0.7, 0.85), (50, 0.5, 0.97)]
)
def test_intervals_cover_a_difference(n, first, second):
    tails, mass = over_all_outcomes(n, first, second)
    covered = mass[(tails >= 0.025) & (tails <= 0.975)].sum()
    print(f"\nn = {n}, {first} and {second}: interval covers {covered:.4f}")
    assert covered == pytest.approx(0.95, abs=0.02)


def test_counts_on_eight_data_sets_are_decided_in_a_tenth():
    """The signed-rank test of the proportions, without a difference: 400 studies of 30 trials."""
    rng, decided = np.random.default_rng(8), 0
    for _ in range(400):
        p = rng.uniform(0.4, 0.9, 8)
        rates = rng.binomial(30, p, (2, 8)) / 30
        verdict = bc.bayesian.signed_rank(
            rates[1] - rates[0], rope=0, seed=1, draws=4000
        ).verdict()
        decided += verdict.decision in ("first", "second")
    print(f"\n8 data sets: decided in {decided / 400:.4f}")
    assert decided / 400 == pytest.approx(0.12, abs=0.05)
