"""What a problem may be, its standard form, the prior of nu, and how fine is fine enough."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import roots_legendre
from scipy.stats import gamma

from bayescmp.engines.quadrature import Problem, Settings
from bayescmp.engines.quadrature.problem import NuPrior, gauss_rule, nu_grid, standardise
from tests.engines.quadrature.brute import nu_prior_density
from tests.engines.quadrature.cases import ROPE, SLOW, solved
from tests.rows import each_row


@each_row("name", ["sim5", "sim54"])
@each_row(("fast", "within"), [(Settings(), 1e-3), (Settings.quick(), 2e-3)])
def test_how_far_the_settings_are_from_a_slow_run(name, fast, within):
    p, slow = (solved(name, s).verdict(-ROPE, ROPE).p for s in (fast, SLOW))
    assert p == pytest.approx(slow, abs=within)


GOOD = {
    "xbar": [0.01, -0.02],
    "ss": [0.1, 0.2],
    "n": [10, 20],
    "rho": [0.1, 0.2],
    "delta0_bound": 1.0,
    "sigma0_upper": 10.0,
    "sigma_upper": 20.0,
}


def test_inputs_are_copied():
    xbar = np.array(GOOD["xbar"])
    problem = Problem(**{**GOOD, "xbar": xbar})
    xbar[0] = 99
    assert problem.xbar[0] == 0.01
    assert problem.q == 2


rows = st.lists(
    st.tuples(st.floats(-1, 1), st.floats(1e-3, 1), st.integers(2, 200), st.floats(0, 0.9)),
    min_size=2,
    max_size=8,
)


@given(rows, st.randoms())
@settings(max_examples=25)
def test_standard_form_ignores_order_and_mirror(table, random):
    def form(table, sign=1.0):
        x, ss, n, rho = (np.array(c) for c in zip(*table, strict=True))
        return standardise(Problem(sign * x, ss, n, rho, 2.0, 5.0, 7.0))

    shuffled = list(table)
    random.shuffle(shuffled)
    first, second, mirrored = form(table), form(shuffled), form(table, -1.0)
    for name in ("xbar", "a", "b", "n"):
        np.testing.assert_allclose(
            getattr(first, name), getattr(second, name), rtol=1e-13, atol=1e-13
        )
        np.testing.assert_array_equal(getattr(first, name), getattr(mirrored, name))
    original = np.array([r[0] for r in table])
    np.testing.assert_allclose(
        first.sign * first.scale * first.xbar, original[first.order], rtol=1e-12, atol=1e-300
    )


@each_row("alpha", [(0.5, 5.0), (1.0, 2.0)])
@each_row("beta", [(0.05, 0.15), (0.1, 0.1)])
def test_prior_of_nu_with_its_hyperparameters_integrated_out(alpha, beta):
    grid = nu_grid(NuPrior(alpha, beta, 1.0))
    density = grid.mass / (np.exp(grid.log_x) * (grid.log_x[1] - grid.log_x[0]))
    x = grid.nu - 1
    middle = (x > 1e-4) & (grid.mass > 1e-9)
    exact = nu_prior_density(x[middle], alpha, beta)
    np.testing.assert_allclose(density[middle], exact, rtol=2e-4)


def test_fixed_gamma():
    for a, b in [(2.0, 0.1), (1.0, 1 / 29), (60.0, 3.0)]:
        grid = nu_grid(NuPrior((a, a), (b, b), 0.0))
        half = (grid.log_x[1] - grid.log_x[0]) / 2
        cdf = gamma.cdf(grid.nu * np.exp(half), a, scale=1 / b)
        np.testing.assert_allclose(np.cumsum(grid.mass), cdf, atol=2e-4)


def test_nearly_fixed_bounds_do_not_cancel():
    wide = nu_grid(NuPrior((2.0, 2.0), (0.1 - 1e-7, 0.1 + 1e-7), 0.0))
    fixed = nu_grid(NuPrior((2.0, 2.0), (0.1, 0.1), 0.0))
    np.testing.assert_allclose(np.cumsum(wide.mass), np.cumsum(fixed.mass), atol=1e-5)


def test_gauss_rule_of_a_fine_uniform_measure_is_gauss_legendre():
    x = (np.arange(20_000) + 0.5) / 10_000 - 1
    nodes, weights = gauss_rule(x, np.ones_like(x), 8)
    exact_nodes, exact_weights = roots_legendre(8)  # scipy 1.17
    np.testing.assert_allclose(nodes, exact_nodes, atol=1e-6)
    np.testing.assert_allclose(2 * weights, exact_weights, atol=1e-6)


def test_gauss_rule_is_exact_to_degree_27():
    rng = np.random.default_rng(3)
    x, mass = np.sort(rng.random(700)), rng.gamma(0.3, size=700)
    nodes, weights = gauss_rule(x, mass, 14)
    moments = [(weights @ nodes**k, mass @ x**k / mass.sum()) for k in range(28)]
    np.testing.assert_allclose(*zip(*moments, strict=True), rtol=1e-11)


def test_gauss_rule_of_few_points_stops_early():
    nodes, weights = gauss_rule(np.array([0.2, 0.7]), np.array([1.0, 3.0]), 6)
    np.testing.assert_allclose(nodes, [0.2, 0.7])
    np.testing.assert_allclose(weights, [0.25, 0.75])
