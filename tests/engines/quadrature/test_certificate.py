from dataclasses import replace

import numpy as np
import pytest

from bayescmp.engines.quadrature import Problem, solve
from bayescmp.engines.quadrature.certificate import certify, drawn
from bayescmp.engines.quadrature.problem import standardise
from bayescmp.engines.quadrature.twocentre import log_t_constant, product_chunks, two_centre
from tests.engines.quadrature.brute import row_integral
from tests.engines.quadrature.cases import SIMULATED, simulated


def test_two_centre_map_inverts_its_definition():
    rng = np.random.default_rng(0)
    t = rng.uniform(-20, 20, 500)
    s, sigma0 = np.exp(rng.uniform(-6, 6, (2, 500)))
    distance = rng.normal(0, 3, 500)
    u = two_centre(t, distance, s, sigma0)
    back = np.arcsinh((u - distance) / s) + np.arcsinh(u / sigma0)
    np.testing.assert_allclose(back, t, atol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 10, 100])
@pytest.mark.parametrize("upper", [30.0, 0.3])
def test_two_centre_quadrature_against_composite_gauss(n, upper):
    problem = Problem([0.2, 0.2], [0.5, 0.5], [n, n], [0.1, 0.1], 3.0, 3.0, upper)
    standard = standardise(problem)
    delta0, nu = np.array([0.2, 0.3, 0.9]), np.array([1.2, 15.0])
    for sigma0 in (1e-3, 0.05, 2.0):
        d, v = (g.ravel() for g in np.meshgrid(delta0, nu, indexing="ij"))
        pairs = (
            standard.sign * d / standard.scale,
            np.full(6, sigma0 / standard.scale),
            v,
        )
        (product,) = product_chunks(standard, np.zeros(6, dtype=np.intp), pairs, 0.4)
        actual = (
            np.log(product.weight.sum(1)) + product.log_scale[:, 0] + log_t_constant(*pairs[1:])
        )
        exact = np.log(row_integral(problem, 0, delta0, sigma0, nu)).ravel()
        assert np.ptp(actual - exact) < 1e-4


@pytest.mark.parametrize("name", SIMULATED)
def test_passes_on_the_cases(name):
    certificate = solve(simulated(name)).certificate()
    assert certificate.passed
    assert certificate.sd_log_ratio < 0.05
    assert 32 <= certificate.n <= 150


def test_fails_on_a_wrong_posterior():
    posterior = solve(simulated("sim54"))
    grid = posterior.grid
    tilt = 0.5 * (grid.sigma0 - grid.sigma0.mean()) / grid.sigma0.std()
    wrong = replace(grid, log_likelihood=grid.log_likelihood + tilt[:, None])
    certificate = certify(posterior.standard, wrong)
    assert not certificate.passed
    right = certify(posterior.standard, grid)
    assert right.sd_log_ratio < 0.05 < certificate.sd_log_ratio


def test_drawn_cells_are_where_the_masses_reach_a_share():
    grid = solve(simulated("sim5")).grid
    level = np.concatenate([[0.0, 1.0], np.random.default_rng(1).random(500)])
    flat = np.ravel_multi_index(drawn(grid, level), grid.mass.shape)
    above = np.cumsum(grid.mass.ravel())[flat]
    assert np.all(above >= level - 1e-12)
    assert np.all(above - grid.mass.ravel()[flat] <= level + 1e-12)
