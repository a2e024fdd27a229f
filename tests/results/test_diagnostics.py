"""Monte Carlo errors of shares, and what is wrong with a run in words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from bayescmp.results.diagnostics import diagnose, inner, mean_errors, share_errors


def test_errors_of_independent_draws_are_binomial():
    rng = np.random.default_rng(3)
    shares = (rng.random((4, 2500, 1)) < 0.3).astype(float)
    p = shares.mean()
    assert share_errors(shares, independent=True)[0] == pytest.approx(np.sqrt(p * (1 - p) / 1e4))
    assert share_errors(shares)[0] == pytest.approx(np.sqrt(p * (1 - p) / 1e4), rel=0.1)


def test_errors_of_a_sticky_chain_are_those_of_repeated_runs():
    """A two-state Markov chain, whose mean's variance is known: p(1-p)/N (1+a)/(1-a)."""
    rng, a, n = np.random.default_rng(4), 0.9, 2500
    u, fresh = rng.random((4, n)) < a, rng.random((4, n)) < 0.4
    states = fresh.copy()
    for t in range(1, n):
        states[:, t] = np.where(u[:, t], states[:, t - 1], fresh[:, t])
    p = states.mean()
    exact = np.sqrt(p * (1 - p) / (4 * n) * (1 + a) / (1 - a))
    assert share_errors(states[..., None].astype(float))[0] == pytest.approx(exact, rel=0.25)


def test_errors_of_split_shares_are_those_over_runs():
    """Three that tie split a rank: their shares vary less than indicators of the same mean."""
    rng = np.random.default_rng(6)
    tied = rng.random((400, 4, 250)) < 0.9
    split = np.where(tied, 1 / 3, rng.random(tied.shape) < 1 / 3)
    expected = split.mean(axis=(1, 2)).std(ddof=1)
    errors = share_errors(np.stack(split[:30], axis=-1), independent=True)
    assert errors.mean() == pytest.approx(expected, rel=0.15)
    always = np.full((4, 250, 1), 1 / 3)
    assert share_errors(always) == pytest.approx(share_errors(np.zeros((4, 250, 1))))


@pytest.mark.parametrize("independent", [True, False])
def test_no_share_is_certain(independent):
    shares = np.zeros((4, 250, 2))
    shares[..., 1] = 1
    p = 0.5 / 1001
    errors = share_errors(shares, independent=independent)
    assert errors == pytest.approx(np.sqrt(p * (1 - p) / 1000))
    assert inner(np.array([0.0, 0.5, 1.0]), 1000).tolist() == [p, 0.5, 1 - p]


def test_failures_are_named():
    rng = np.random.default_rng(5)
    draws = {"delta": rng.normal(size=(4, 100)) + 5 * np.arange(4)[:, None]}
    stats = {
        "diverging": np.eye(4, 100, dtype=bool),
        "tree_depth": np.full((4, 100), 10),
        "energy": np.cumsum(rng.normal(size=(4, 100)), axis=1),
    }
    result = diagnose(draws, stats, ["delta"], max_treedepth=10, adapt_delta=0.8)
    text = "; ".join(result.messages)
    for part in ("r-hat", "effective sample size", "4 divergent", "400 transitions", "e-bfmi"):
        assert part in text
    assert not result.ok


@pytest.mark.parametrize("independent", [True, False])
def test_errors_of_means_are_those_over_runs(independent):
    """Of 200 runs of 4 chains: AR(1) with coefficient 0.8 has nine times the variance."""
    rng = np.random.default_rng(3)
    runs, size = 200, 1000
    z = rng.normal(size=(runs, 4, size))
    if not independent:
        z = signal.lfilter([np.sqrt(1 - 0.8**2)], [1, -0.8], z, axis=-1)
    values = np.stack([z, z > 1, np.zeros_like(z)], axis=-1)
    expected = values.mean(axis=(1, 2)).std(axis=0, ddof=1)
    reported = np.mean([mean_errors(v, independent=independent) for v in values[:30]], axis=0)
    np.testing.assert_allclose(reported[:2], expected[:2], rtol=0.2)
    assert reported[2] == 0
