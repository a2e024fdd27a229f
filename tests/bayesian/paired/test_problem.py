"""What the robust program is given."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import robust_t

X = np.array([0.3, 0.5, 0.1, 0.45, 0.2, 0.38, 0.6, 0.28, 0.33, 0.41])


def test_what_the_program_is_given(fake):
    d = bc.Differences([X], rho=0.1, names=("a", "b"), datasets=["iris"], resolution=0.05)
    posterior = robust_t(d, rope=0.1, engine="fake", seed=4, chains=3, draws=500)
    data = fake.requests[0].data
    assert len(fake.requests[0].inits) == 3
    assert data["n"] == 10
    assert data["rho"] == 0.1
    assert data["nu_mean"] == 29
    unit = stats.median_abs_deviation(X, scale="normal")
    assert data["x"] == pytest.approx(np.sort(X - np.median(X)) / unit, rel=1e-4)
    assert data["sigma_lower"] == pytest.approx(0.05 / np.sqrt(12) / unit, rel=1e-4)
    assert posterior.draws["delta"].shape == (3, 500)
    assert posterior.draws["delta"].mean() == pytest.approx(np.median(X), abs=0.02)
    assert posterior.draws["sigma"].mean() == pytest.approx(unit, rel=0.02)
    assert "iris" in posterior.verdict().target


def test_where_most_folds_tie_the_spread_is_kept_above_rounding(fake):
    """A t density would shrink onto equal values without bound: its mode is at σ = 0."""
    x = np.array([0, 0, 0.3 - 0.2 - 0.1, 0.02, 0, -0.04, 0, 0, 0.02])  # -3e-17 is zero
    posterior = robust_t(x, rho=0.1, rope=0.01, engine="fake", seed=4)
    sd = x.std(ddof=1)
    assert fake.requests[0].data["sigma_lower"] == pytest.approx(0.02 / np.sqrt(12) / sd)
    assert "h = 0.02" in posterior.notes[0]
    robust_t(x, rho=0.1, rope=0.01, engine="fake", seed=4, resolution=0.01)
    assert fake.requests[1].data["sigma_lower"] == pytest.approx(0.01 / np.sqrt(12) / sd)
