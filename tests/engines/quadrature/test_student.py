"""Tabulated distribution functions of Student's t are SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtr
from scipy.stats import t as student_t

from bayescmp.engines.quadrature.student import ASINH, STEP, student_table

NU = np.array([2000.0, 37.5, 4.0, 1.0, 0.5, 0.31])


def test_nodes_are_equidistant_in_their_coordinate():
    np.testing.assert_allclose(np.diff(np.arcsinh(ASINH / 1.5)), STEP, rtol=1e-9)
    assert np.sinh(ASINH[-1]) > 1e5


@pytest.mark.parametrize("nu", [NU, np.array([0.05, 3.0])], ids=["usual", "narrow"])
def test_values_at_the_nodes(nu):
    table = student_table(nu)
    np.testing.assert_allclose(table.values, stdtr(nu, np.sinh(ASINH)[:, None]), atol=1e-13)
    np.testing.assert_allclose(table.values[:-1] + table.rises, table.values[1:], atol=1e-15)


@pytest.mark.parametrize("nu", [NU, np.array([0.05, 3.0])], ids=["usual", "narrow"])
def test_between_the_nodes(nu):
    z = np.concatenate([np.linspace(0, 6, 1501), np.geomspace(6, 1e5, 500)])
    which = np.arange(len(z)) % len(nu)
    tail, density, bend = student_table(nu).beyond(z, which)
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
