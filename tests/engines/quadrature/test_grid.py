"""Fine cells between the nodes: their masses, and interpolation that invents no mode."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest

from bayescmp.engines.quadrature import Settings, grid, solve
from bayescmp.engines.quadrature.grid import (
    interpolate_density,
    refine_grid,
    refinement,
    solve_tensor,
)
from bayescmp.engines.quadrature.problem import standardise
from tests.engines.quadrature.brute import row_integral
from tests.engines.quadrature.cases import simulated
from tests.engines.quadrature.random_problems import KINDS, random_problem
from tests.marks import first_and_slow

X = np.linspace(-1.0, 3.0, 17)


def test_a_polynomial_is_itself():
    """Of degree six, which leaves the last two of nine coefficients zero."""

    def function(x):
        x = x[:, None] - np.array([0.5, 1.0])
        return x**6 / 50 - 3 * x**2 + x

    np.testing.assert_allclose(interpolate_density(function, X, 9), function(X), atol=1e-12)


def test_what_is_not_smooth_is_left_to_others():
    assert interpolate_density(lambda x: -3 * np.abs(x)[:, None], X, 9) is None


def test_only_what_matters_has_to_be_smooth():
    """A column thirty nats below the maximum may have a kink."""

    def function(x):
        return np.stack([-(x**2), -30 - np.abs(x)], axis=1)

    assert interpolate_density(function, X, 9) is not None


@pytest.mark.parametrize("kind", first_and_slow("outliers", "plain", "clusters", "tight_bounds"))
def test_of_many_rows(kind):
    problem, rope = random_problem(KINDS.index(kind), rows=900)
    settings = replace(Settings(), checked=False)
    fewer = solve(problem, settings=settings)
    assert fewer.grid.tensor.interpolated
    direct = solve(problem, settings=replace(settings, fewer=False))
    assert not direct.grid.tensor.interpolated
    np.testing.assert_allclose(
        fewer.grid.mass, direct.grid.mass, atol=1e-5 * direct.grid.mass.max()
    )
    p, exact = (x.probabilities(-rope, rope) for x in (fewer, direct))
    assert p == pytest.approx(exact, abs=1e-6)


def test_fewer_rows_are_not_tried():
    assert not solve(random_problem(0, rows=700)[0]).grid.tensor.interpolated


def test_values_at_the_nodes_are_those_of_brute_force():
    for name in ["sim5", "q2", "n5"]:
        problem = simulated(name)
        standard = standardise(problem)
        tensor = solve_tensor(standard, Settings()).tensor
        box, unit = tensor.box, standard.sign * standard.scale
        delta0 = box.axis_delta0.parameter(tensor.k_delta0) * unit
        sigma0 = box.axis_sigma0.parameter(tensor.k_sigma0) * standard.scale
        at = len(sigma0) // 2
        rows = [row_integral(problem, i, delta0, sigma0[at], tensor.nu) for i in range(problem.q)]
        exact = np.sum(np.log(rows), axis=0)
        value = tensor.value[:, at]
        seen = value > value.max() - 12
        off = (value - exact)[seen]
        assert seen.sum() > 20
        assert np.ptp(off) < 2e-3


def test_masses_sum_to_one_and_vanish_at_the_edges():
    solution = solve_tensor(standardise(simulated("sim54")), Settings())
    assert solution.tensor.masses.sum() == pytest.approx(1)
    assert solution.edge < Settings().edge_mass
    assert solution.tensor.value.max() == 0


def test_a_box_that_is_too_small_is_enlarged(monkeypatch):
    """The same marginal of delta0 as from the right box."""
    standard = standardise(simulated("sim5"))
    right = solve_tensor(standard, Settings())
    located = grid.locate

    def narrow(*arguments):
        box = located(*arguments)
        low, high = box.delta0
        return dataclasses.replace(box, delta0=((2 * low + high) / 3, high))

    monkeypatch.setattr(grid, "locate", narrow)
    grown = solve_tensor(standard, Settings())
    assert grown.enlarged > right.enlarged
    means = []
    for tensor in (right.tensor, grown.tensor):
        delta0 = tensor.box.axis_delta0.parameter(tensor.k_delta0)
        means.append(tensor.masses.sum((1, 2)) @ delta0)
    assert means[1] == pytest.approx(means[0], abs=2e-3)


@pytest.fixture(scope="module")
def tensor():
    return solve_tensor(standardise(simulated("sim54")), Settings()).tensor


def _moments(grid):
    margin = grid.mass.sum((1, 2))
    mean = margin @ grid.delta0
    return mean, np.sqrt(margin @ (grid.delta0 - mean) ** 2), grid.mass.sum((0, 2)) @ grid.sigma0


def test_moments_do_not_depend_on_how_fine_the_cells_are(tensor):
    for factors in [(2, 2), (6, 6), (5, 3)]:
        grid = refine_grid(tensor, factors)
        assert grid.mass.sum() == pytest.approx(1)
        assert grid.mass_nu.sum() == pytest.approx(1)
        assert len(grid.delta0) == (len(tensor.k_delta0) - 1) * factors[0]
        exact = _moments(refine_grid(tensor, (12, 12)))
        np.testing.assert_allclose(_moments(grid), exact, rtol=6e-3, atol=1e-3)


def test_moments_are_those_of_the_nodes(tensor):
    nodes = tensor.box.axis_delta0.parameter(tensor.k_delta0)
    mean = tensor.masses.sum((1, 2)) @ nodes
    assert _moments(refine_grid(tensor, (6, 6)))[0] == pytest.approx(mean, abs=1e-3)


def test_interpolation_stays_within_a_nat_of_the_nodes():
    for name in ["sim5", "agree", "n5"]:
        tensor = solve_tensor(standardise(simulated(name)), Settings()).tensor
        fine = refine_grid(tensor, (6, 6)).log_likelihood
        assert fine.max() <= tensor.value.max() + 2.0  # one nat along each of the two axes
        D, S = np.array(tensor.value.shape[:2]) - 1
        blocks = fine.reshape(D, 6, S, 6, -1)
        corners = np.stack([tensor.value[i : D + i, j : S + j] for i in (0, 1) for j in (0, 1)])
        corners = np.maximum(corners, -150.0)
        assert np.all(blocks.max((1, 3)) <= corners.max(0) + 2.0 + 1e-9)
        assert np.all(blocks.min((1, 3)) >= corners.min(0) - 2.0 - 1e-9)


def test_masses_are_prior_times_likelihood_times_jacobians(tensor):
    grid = refine_grid(tensor, (4, 3))
    middle_d, middle_s = ((e[1:] + e[:-1]) / 2 for e in (grid.edges_delta0, grid.edges_sigma0))
    mass = np.exp(grid.log_likelihood) * tensor.weight / np.exp(tensor.log_pilot)
    mass *= grid.axis_delta0.jacobian(middle_d)[:, None, None]
    mass *= grid.axis_sigma0.jacobian(middle_s)[:, None]
    np.testing.assert_allclose(grid.mass, mass / mass.sum(), rtol=1e-11, atol=1e-30)
    np.testing.assert_allclose(grid.mass_both, grid.mass.sum(2), rtol=1e-12)


def test_refinement_reproduces_polynomials():
    for degree in [3, 5]:
        matrix = refinement(12, 4, False, degree)
        fine = (np.arange(44) + 0.5) / 4
        for power in range(degree + 1):
            np.testing.assert_allclose(
                matrix @ np.arange(12.0) ** power, fine**power, rtol=1e-9, atol=1e-9
            )


def test_refinement_of_an_even_function():
    matrix = refinement(10, 3, True)
    fine = (np.arange(27) + 0.5) / 3
    np.testing.assert_allclose(matrix @ np.arange(10.0) ** 4, fine**4, atol=1e-9)
    plain = refinement(10, 3, False)
    smooth = np.cos(np.arange(10.0))
    error = [np.abs(m @ smooth - np.cos(fine))[:3].max() for m in (matrix, plain)]
    assert error[0] < error[1]


def test_steep_corner_stays_local():
    """A kink moves the interpolant only within a stencil: a spline would ring further."""
    values = np.zeros(30)
    values[:8] = -100 * (8 - np.arange(8))
    fine = refinement(30, 4) @ values
    assert np.all(fine[(8 + 3) * 4 :] == 0)
