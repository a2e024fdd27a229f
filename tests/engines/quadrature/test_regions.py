"""The regions' probabilities, marginals and draws against other ways to them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr
from scipy.stats import norm
from scipy.stats import t as student_t

from bayescmp.engines.quadrature.grid import Marginal
from bayescmp.engines.quadrature.regions import (
    ASINH,
    STEP,
    kite_boundary,
    shifted_lattice,
    student_table,
    with_error,
)
from tests.engines.quadrature.cases import SLOW, reference, solved
from tests.rows import each_row

NU = np.array([2000.0, 37.5, 4.0, 1.0, 0.5, 0.31])


def test_nodes_are_equidistant_in_their_coordinate():
    np.testing.assert_allclose(np.diff(np.arcsinh(ASINH / 1.5)), STEP, rtol=1e-9)
    assert np.sinh(ASINH[-1]) > 1e5


def test_values_at_the_nodes():
    for nu in [NU, np.array([0.05, 3.0])]:
        table = student_table(nu)
        np.testing.assert_allclose(table.values, stdtr(nu, np.sinh(ASINH)[:, None]), atol=1e-13)
        np.testing.assert_allclose(table.values[:-1] + table.rises, table.values[1:], atol=1e-15)


@each_row("nu", [NU, np.array([0.05, 3.0])], ids=["usual", "narrow"])
def test_between_the_nodes(nu):
    z = np.concatenate([np.linspace(0, 6, 1501), np.geomspace(6, 1e5, 500)])
    which = np.arange(len(z)) % len(nu)
    tail, density, bend = student_table(nu).expand_tail(z, which)
    np.testing.assert_allclose(tail, student_t.sf(z, nu[which]), atol=1e-11)
    exact = student_t.pdf(z, nu[which])
    np.testing.assert_allclose(density, exact, rtol=1e-9, atol=1e-300)
    step = 1e-5 * (1 + z)
    slope = student_t.pdf(z + step, nu[which]) - student_t.pdf(z - step, nu[which])
    np.testing.assert_allclose(bend * 2 * step, slope, rtol=1e-4, atol=1e-13)


def test_far_beyond_the_last_node_the_tail_is_that_of_the_last():
    table = student_table(np.array([0.5, 8.0]))
    tail = table.tail(np.array([1e9, 1e9]), np.array([0, 1]))
    np.testing.assert_allclose(tail, table.lower[0], atol=1e-15)


def region(delta0, sigma0, nu, r):
    left = student_t.cdf((-r - delta0) / sigma0, nu)
    right = student_t.sf((r - delta0) / sigma0, nu)
    return np.argmax([left, 1 - left - right, right], axis=0)


@given(st.floats(0.01, 10), st.floats(0.01, 50), st.floats(0.2, 300))
@settings(max_examples=150)
def test_boundary_separates_the_kites(r, sigma0, nu):
    x = kite_boundary(
        r, np.array([sigma0]), student_table(np.array([nu])), np.zeros(1, dtype=int)
    )[0]
    assert 0 <= x <= r * (1 + 1e-12)
    step = 1e-6 * max(r, sigma0)
    assert region(x + step, sigma0, nu, r) == 2
    assert region(-x - step, sigma0, nu, r) == 0
    if x > 2 * step:
        assert region(x - step, sigma0, nu, r) == 1


def test_rope_never_wins_where_two_thirds_of_the_mass_lie_outside():
    nu, r = 4.0, 0.5
    sigma0 = r / student_t.ppf(2 / 3, nu)
    values = kite_boundary(
        r, np.array([0.999, 1.001]) * sigma0, student_table(np.array([nu])), np.zeros(2, dtype=int)
    )
    assert values[0] > 0
    assert values[1] == 0


def test_verdict_against_the_regions_of_draws():
    """100,000 draws, classified one by one with scipy.stats.t."""
    posterior = solved("sim5")
    d = posterior.draws(100_000, 3)
    for low, high in ((-0.01, 0.01), (-0.03, 0.002), (0.0, 0.05), (-0.2, 0.2)):
        centre, r = (low + high) / 2, (high - low) / 2
        which = region(d["delta0"] - centre, d["sigma0"], d["nu"], r)
        shares = np.bincount(which, minlength=3) / 100_000
        np.testing.assert_allclose(posterior.verdict(low, high).p, shares, atol=2e-3)


def test_no_rope():
    posterior = solved("sim54")
    p = posterior.verdict(0.0, 0.0).p
    assert p[1] == 0
    assert p.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(p[0], posterior.marginal("delta0").cdf(0.0), atol=1e-4)
    assert posterior.predictive(0.0, 0.0).p[1] == 0


def test_expected_masses_against_draws():
    posterior = solved("sim54")
    d = posterior.draws(100_000, 8)
    left = student_t.cdf((-0.01 - d["delta0"]) / d["sigma0"], d["nu"])
    right = student_t.sf((0.01 - d["delta0"]) / d["sigma0"], d["nu"])
    expected = [left.mean(), (1 - left - right).mean(), right.mean()]
    np.testing.assert_allclose(posterior.predictive(-0.01, 0.01).p, expected, atol=3e-4)
    shares = [(d["delta0"] < -0.01).mean(), 0, (d["delta0"] > 0.01).mean()]
    shares[1] = 1 - shares[0] - shares[2]
    np.testing.assert_allclose(posterior.location(-0.01, 0.01).p, shares, atol=2e-3)


def normal_marginal(sign=1.0):
    edges = np.linspace(-7, 9, 81)
    mass = np.diff(norm.cdf(edges, 1, 1))
    return Marginal.from_cells(edges, (edges[1:] + edges[:-1]) / 2, mass).scaled(sign)


def test_marginal_of_a_normal():
    m = normal_marginal()
    assert m.mean == pytest.approx(1, abs=1e-10)
    assert m.sd == pytest.approx(1, abs=2e-3)  # cells of 0.2: Sheppard's 0.2^2 / 24
    x = np.linspace(-2, 4, 31)
    np.testing.assert_allclose(m.cdf(x), norm.cdf(x, 1), atol=1e-4)
    p = np.array([0.01, 0.3, 0.5, 0.975])
    np.testing.assert_allclose(m.quantile(p), norm.ppf(p, 1), atol=1e-3)
    np.testing.assert_allclose(m.quantile([0.025, 0.975]), [1 - 1.959964, 1 + 1.959964], atol=0.01)
    centre, density = m.density()
    np.testing.assert_allclose(density, norm.pdf(centre, 1), atol=2e-3)


def test_mirrored_marginal():
    m, other = normal_marginal(), normal_marginal(-1.0)
    np.testing.assert_allclose(other.cdf(-m.x), 1 - m.p, atol=1e-12)
    assert other.mean == pytest.approx(-m.mean)


def test_moments_of_the_refined_runs():
    for name in ["sim5", "agree", "n5"]:
        posterior, case = solved(name), reference()["simulated"][name]
        for parameter, mean, sd in zip(
            ("delta0", "sigma0", "nu"), case["mean"], case["sd"], strict=True
        ):
            assert posterior.marginal(parameter).mean == pytest.approx(mean, abs=3e-3 * sd)
            assert posterior.marginal(parameter).sd == pytest.approx(sd, rel=5e-3)


def test_density_integrates_and_quantiles_invert():
    posterior = solved("sim54")
    for name in ("delta0", "sigma0", "nu"):
        x, density = posterior.marginal(name).density()
        assert np.all(np.diff(x) > 0)
        width = np.gradient(x)
        assert (density * width).sum() == pytest.approx(1, abs=5e-3)
        p = np.array([0.025, 0.5, 0.975])
        np.testing.assert_allclose(
            posterior.marginal(name).cdf(posterior.marginal(name).quantile(p)), p, atol=1e-9
        )


def test_lattice_is_evenly_spread():
    """Share of points in boxes: far closer to the volume than 10,000 random points are."""
    u = shifted_lattice(10_000, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    corners = rng.random((200, 3))
    shares = np.array([(u < c).all(1).mean() for c in corners])
    assert np.abs(shares - corners.prod(1)).max() < 2e-3
    assert u.min() > 0
    assert u.max() < 1


@each_row("name", ["sim5", "agree"])
def test_draws_have_the_refined_moments(name):
    refined = solved(name, SLOW)
    draws = solved(name).draws(50_000, 1)
    for parameter in ("delta0", "sigma0", "nu"):
        mean, sd = refined.marginal(parameter).mean, refined.marginal(parameter).sd
        assert draws[parameter].mean() == pytest.approx(mean, abs=4e-3 * sd)
        assert draws[parameter].std() == pytest.approx(sd, rel=0.03)
        u = np.sort(refined.marginal(parameter).cdf(draws[parameter]))
        assert np.abs(u - np.arange(50_000) / 50_000).max() < 4e-3
    other = refined.draws(50_000, 2)
    for a, b in (("sigma0", "nu"), ("delta0", "nu"), ("delta0", "sigma0")):
        rank = [
            np.corrcoef(np.argsort(np.argsort(d[a])), np.argsort(np.argsort(d[b])))[0, 1]
            for d in (draws, other)
        ]
        assert rank[0] == pytest.approx(rank[1], abs=0.015)


def test_seed_decides():
    posterior = solved("sim5")
    first, again, other = (posterior.draws(100, s) for s in (1, 1, 2))
    for name in first:
        np.testing.assert_array_equal(first[name], again[name])
        assert not np.array_equal(first[name], other[name])
    rng = np.random.default_rng(1)
    np.testing.assert_array_equal(posterior.draws(100, rng)["nu"], first["nu"])
    own = [posterior.draw_datasets(first, 3)["delta"] for _ in range(2)]
    np.testing.assert_array_equal(*own)


def test_a_sum_past_one_by_rounding_is_a_probability():
    stated = with_error(np.array([-1e-17, 0.0, 1 + 2e-16]), np.array([0.0, 0.0, 1.0]), 1e-4)
    assert stated.p.tolist() == [0, 0, 1]
    assert np.all(stated.error >= 2e-5)
