import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student_t

from bayescmp.engines.quadrature import solve
from bayescmp.engines.quadrature.regions import kite_boundary
from tests.engines.quadrature.cases import simulated


def region(delta0, sigma0, nu, r):
    left = student_t.cdf((-r - delta0) / sigma0, nu)
    right = student_t.sf((r - delta0) / sigma0, nu)
    return np.argmax([left, 1 - left - right, right], axis=0)


@given(st.floats(0.01, 10), st.floats(0.01, 50), st.floats(0.2, 300))
@settings(max_examples=150)
def test_boundary_separates_the_kites(r, sigma0, nu):
    x = kite_boundary(r, np.array([sigma0]), np.array([nu]))[0]
    assert 0 <= x <= r * (1 + 1e-12)
    step = 1e-6 * max(r, sigma0)
    assert region(x + step, sigma0, nu, r) == 2
    assert region(-x - step, sigma0, nu, r) == 0
    if x > 2 * step:
        assert region(x - step, sigma0, nu, r) == 1


def test_rope_never_wins_where_two_thirds_of_the_mass_lie_outside():
    nu, r = 4.0, 0.5
    sigma0 = r / student_t.ppf(2 / 3, nu)
    values = kite_boundary(r, np.array([0.999, 1.001]) * sigma0, np.full(2, nu))
    assert values[0] > 0
    assert values[1] == 0


def test_verdict_against_the_regions_of_draws():
    """100,000 draws, classified one by one with scipy.stats.t."""
    posterior = solve(simulated("sim5"))
    d = posterior.draws(100_000, 3)
    for low, high in ((-0.01, 0.01), (-0.03, 0.002), (0.0, 0.05), (-0.2, 0.2)):
        centre, r = (low + high) / 2, (high - low) / 2
        which = region(d["delta0"] - centre, d["sigma0"], d["nu"], r)
        shares = np.bincount(which, minlength=3) / 100_000
        np.testing.assert_allclose(posterior.verdict(low, high).p, shares, atol=2e-3)


def test_no_rope():
    posterior = solve(simulated("sim54"))
    p = posterior.verdict(0.0, 0.0).p
    assert p[1] == 0
    assert p.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(p[0], posterior.cdf("delta0", 0.0), atol=1e-4)
    assert posterior.expected_masses(0.0, 0.0)[1] == 0


def test_expected_masses_against_draws():
    posterior = solve(simulated("sim54"))
    d = posterior.draws(100_000, 8)
    left = student_t.cdf((-0.01 - d["delta0"]) / d["sigma0"], d["nu"])
    right = student_t.sf((0.01 - d["delta0"]) / d["sigma0"], d["nu"])
    expected = [left.mean(), (1 - left - right).mean(), right.mean()]
    np.testing.assert_allclose(posterior.expected_masses(-0.01, 0.01), expected, atol=3e-4)
    shares = [(d["delta0"] < -0.01).mean(), 0, (d["delta0"] > 0.01).mean()]
    shares[1] = 1 - shares[0] - shares[2]
    np.testing.assert_allclose(posterior.delta0_masses(-0.01, 0.01), shares, atol=2e-3)
