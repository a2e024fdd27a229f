"""The coordinate with two centres, against the equation it solves and SciPy's quad."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t as student_t

from bayescmp.engines.quadrature import Problem
from bayescmp.engines.quadrature.problem import standardise
from bayescmp.engines.quadrature.twocentre import (
    bound_is_felt,
    log_product,
    log_t_constant,
    product_chunks,
    two_centre,
)


@pytest.mark.parametrize("distance", [-40.0, 0.0, 3.0])
@pytest.mark.parametrize(("s", "sigma0"), [(1.0, 1.0), (0.05, 7.0), (3.0, 1e-3)])
def test_it_solves_its_equation(distance, s, sigma0):
    t = np.linspace(-12, 12, 49)
    u = two_centre(t, np.array(distance), np.array(s), np.array(sigma0))
    assert np.all(np.diff(u) > 0)
    back = np.arcsinh((u - distance) / s) + np.arcsinh(u / sigma0)
    np.testing.assert_allclose(back, t, atol=1e-8)


def test_the_constant_is_that_of_the_t():
    exact = student_t.logpdf(0, 3.5, scale=0.2)
    assert log_t_constant(np.array(0.2), np.array(3.5)) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("sigma_upper", [1e5, 0.12])
def test_integrals_of_rows_are_those_of_quad(sigma_upper):
    """SciPy's quad of the same product, written with scipy.stats."""
    problem = Problem([0.3, 0.1], [0.7, 0.2], [10, 6], [0.1, 0.1], 5.0, 5.0, sigma_upper)
    standard = standardise(problem)
    row = np.array([0, 0, 1])
    delta0, sigma0, nu = np.array([[0.5, 2.0, -1.0], [1.0, 0.1, 4.0], [2.0, 30.0, 0.7]])
    felt = bound_is_felt(standard)
    assert felt == (sigma_upper < 1)
    totals = np.exp(log_t_constant(sigma0, nu))
    for product in product_chunks(standard, row, (delta0, sigma0, nu), 0.05):
        totals[product.part] *= product.weight.sum(1) * np.exp(product.log_scale[:, 0])
    for i in range(3):
        n, a, b, x = (v[row[i]] for v in (standard.n, standard.a, standard.b, standard.xbar))

        def integrand(delta, i=i, n=n, a=a, b=b, x=x):
            kernel = log_product(
                np.array(delta - delta0[i]), np.array(x - delta0[i]), (n, a, b),
                np.array(np.inf), np.array(1.0), standard.sigma_upper if felt else None,
            )  # fmt: skip
            return np.exp(kernel) * student_t.pdf(delta, nu[i], delta0[i], sigma0[i])

        points = np.sort([delta0[i], x])
        parts = [-np.inf, points[0] - 5, *points, points[1] + 5, np.inf]
        exact = sum(quad(integrand, lo, hi, epsabs=0, epsrel=1e-9, limit=200)[0]
                    for lo, hi in itertools.pairwise(parts))  # fmt: skip
        assert totals[i] == pytest.approx(exact, rel=1e-6)
