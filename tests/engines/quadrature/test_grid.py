"""Fine cells between the nodes: their masses, and interpolation that invents no mode."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.engines.quadrature import Settings
from bayescmp.engines.quadrature.grid import refined
from bayescmp.engines.quadrature.problem import standardise
from bayescmp.engines.quadrature.tensor import solve_tensor
from tests.engines.quadrature.cases import simulated


@pytest.fixture(scope="module")
def tensor():
    return solve_tensor(standardise(simulated("sim54")), Settings()).tensor


def _moments(grid):
    margin = grid.mass.sum((1, 2))
    mean = margin @ grid.delta0
    return mean, np.sqrt(margin @ (grid.delta0 - mean) ** 2), grid.mass.sum((0, 2)) @ grid.sigma0


@pytest.mark.parametrize("factors", [(2, 2), (6, 6), (5, 3)])
def test_moments_do_not_depend_on_how_fine_the_cells_are(tensor, factors):
    grid = refined(tensor, factors)
    assert grid.mass.sum() == pytest.approx(1)
    assert grid.mass_nu.sum() == pytest.approx(1)
    assert len(grid.delta0) == (len(tensor.k_delta0) - 1) * factors[0]
    exact = _moments(refined(tensor, (12, 12)))
    np.testing.assert_allclose(_moments(grid), exact, rtol=6e-3, atol=1e-3)


def test_moments_are_those_of_the_nodes(tensor):
    nodes = tensor.box.axis_delta0.at(tensor.k_delta0)
    mean = tensor.masses.sum((1, 2)) @ nodes
    assert _moments(refined(tensor, (6, 6)))[0] == pytest.approx(mean, abs=1e-3)


@pytest.mark.parametrize("name", ["sim5", "agree", "n5"])
def test_interpolation_stays_within_a_nat_of_the_nodes(name):
    tensor = solve_tensor(standardise(simulated(name)), Settings()).tensor
    fine = refined(tensor, (6, 6)).log_likelihood
    assert fine.max() <= tensor.value.max() + 2.0  # one nat along each of the two axes
    D, S = np.array(tensor.value.shape[:2]) - 1
    blocks = fine.reshape(D, 6, S, 6, -1)
    corners = np.stack([
        tensor.value[i : D + i, j : S + j] for i in (0, 1) for j in (0, 1)
    ])  # fmt: skip
    corners = np.maximum(corners, -150.0)
    assert np.all(blocks.max((1, 3)) <= corners.max(0) + 2.0 + 1e-9)
    assert np.all(blocks.min((1, 3)) >= corners.min(0) - 2.0 - 1e-9)


def test_masses_are_prior_times_likelihood_times_jacobians(tensor):
    grid = refined(tensor, (4, 3))
    middle_d, middle_s = ((e[1:] + e[:-1]) / 2 for e in (grid.edges_delta0, grid.edges_sigma0))
    mass = np.exp(grid.log_likelihood) * tensor.weight / np.exp(tensor.log_pilot)
    mass *= grid.axis_delta0.jacobian(middle_d)[:, None, None]
    mass *= grid.axis_sigma0.jacobian(middle_s)[:, None]
    np.testing.assert_allclose(grid.mass, mass / mass.sum(), rtol=1e-11, atol=1e-30)
    np.testing.assert_allclose(grid.mass_both, grid.mass.sum(2), rtol=1e-12)
