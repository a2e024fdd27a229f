import numpy as np
import pytest

from bayescmp.engines.quadrature.coordinates import (
    equidistribute,
    information_delta0,
    information_sigma0,
    refinement,
)
from bayescmp.engines.quadrature.problem import standardise
from tests.engines.quadrature.cases import simulated


def test_axis_of_a_known_density():
    """density 1 / (1 + x^2)^(1/2) has the coordinate asinh x."""
    axis = equidistribute(lambda x: 1 / np.sqrt(1 + x * x), np.linspace(-40, 40, 9))
    x = np.linspace(-39, 39, 101)
    k = axis.coordinate(x)
    np.testing.assert_allclose(k - k[50], np.arcsinh(x), atol=0.01)
    np.testing.assert_allclose(axis.at(k), x, atol=1e-9)
    h = 1e-5
    slope = (axis.at(k + h) - axis.at(k - h)) / (2 * h)
    np.testing.assert_allclose(axis.jacobian(k), slope, rtol=1e-5)


def test_coordinate_clips_to_the_axis():
    axis = equidistribute(lambda x: np.ones_like(x), np.linspace(0, 3, 4))
    np.testing.assert_allclose(axis.coordinate(np.array([-5.0, 9.0])), [0.0, 3.0])


def test_information_bounds_the_observed_one_of_normal_rows():
    """For normal rows, -d2/dx2 of the log-likelihood has the bound as its expectation."""
    standard = standardise(simulated("sim54"))
    sigma0 = np.array([3.0])
    v = sigma0[0] ** 2 + standard.s**2
    exact = np.sqrt(np.sum(2 * sigma0**2 / v**2))  # Fisher information about sigma0
    bound = information_sigma0(standard, False)(sigma0)[0]
    assert exact <= bound < 1.1 * exact
    density = information_delta0(standard, np.array([0.0]), sigma0)(np.array([0.0]))[0]
    spread = v + standard.xbar**2
    assert density == pytest.approx(np.sqrt(np.sum(1 / spread)), rel=1e-12)


@pytest.mark.parametrize("degree", [3, 5])
def test_refinement_reproduces_polynomials(degree):
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
