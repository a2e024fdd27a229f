"""A few rows with other sums of squares: on the same grid, or refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bayescmp.engines.quadrature import Problem, nearby, solve
from tests.engines.quadrature.cases import simulated

ROPE = (-0.01, 0.01)


@pytest.mark.parametrize("rows", [[3], [0, 17]])
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_probabilities_are_those_of_a_solution(rows, factor):
    problem = simulated("sim54")
    factors = np.ones(problem.q)
    factors[rows] = factor
    near = nearby(solve(problem), factors)
    assert near is not None
    np.testing.assert_array_equal(near.problem.ss, problem.ss * factors)
    wanted = solve(replace(problem, ss=problem.ss * factors))
    p = near.probabilities(*ROPE)
    np.testing.assert_allclose(p, wanted.probabilities(*ROPE), atol=1e-3)
    assert np.abs(p - solve(problem).probabilities(*ROPE)).max() > 1e-4  # it did move


def test_the_mirror_image_has_the_mirrored_answer():
    problem, factors = simulated("sim5"), np.array([1.0, 1.0, 0.7, 1.0, 1.0])
    mirrored = replace(problem, xbar=-problem.xbar)
    one, other = (nearby(solve(p), factors) for p in (problem, mirrored))
    assert one is not None
    assert other is not None
    p, q = one.probabilities(*ROPE), other.probabilities(*ROPE)
    np.testing.assert_allclose(p, q[::-1], atol=1e-12)


def test_equal_rows_whose_spread_vanishes_are_refused():
    """A tenth of the spread makes a peak of them that the grid was not made for."""
    q, few = 8, 4
    xbar = np.where(np.arange(q) < few, 0.0, np.linspace(-0.02, 0.05, q))
    ss = np.where(np.arange(q) < few, 1e-5, 0.02)
    problem = Problem(xbar, ss, np.full(q, 10), np.full(q, 0.1), 1.0, 10.0, 30.0)
    assert nearby(solve(problem), np.where(np.arange(q) < few, 0.01, 1.0)) is None
    assert nearby(solve(problem), np.full(q, 1.0 - 1e-9)) is not None
