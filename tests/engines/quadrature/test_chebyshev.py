"""Chebyshev's interpolation of the likelihood of many rows: as good as the likelihood itself."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.engines.quadrature import solve
from bayescmp.engines.quadrature import tensor as module
from bayescmp.engines.quadrature.chebyshev import interpolated
from tests.engines.quadrature.random_problems import KINDS, random_problem

X = np.linspace(-1.0, 3.0, 17)


def test_a_polynomial_is_itself():
    """Of degree six, which leaves the last two of nine coefficients zero."""

    def function(x):
        x = x[:, None] - np.array([0.5, 1.0])
        return x**6 / 50 - 3 * x**2 + x

    np.testing.assert_allclose(interpolated(function, X, 9), function(X), atol=1e-12)


def test_what_is_not_smooth_is_left_to_others():
    assert interpolated(lambda x: -3 * np.abs(x)[:, None], X, 9) is None


def test_only_what_matters_has_to_be_smooth():
    """A column thirty nats below the maximum may have a kink."""

    def function(x):
        return np.stack([-(x**2), -30 - np.abs(x)], axis=1)

    assert interpolated(function, X, 9) is not None


@pytest.mark.parametrize("kind", ["plain", "outliers", "clusters", "tight_bounds"])
def test_of_many_rows(kind, monkeypatch):
    problem, rope = random_problem(KINDS.index(kind), rows=900)
    fewer = solve(problem)
    assert fewer.grid.tensor.interpolated
    monkeypatch.setattr(module, "_CHEBYSHEV", {})
    direct = solve(problem)
    assert not direct.grid.tensor.interpolated
    np.testing.assert_allclose(
        fewer.grid.mass, direct.grid.mass, atol=1e-5 * direct.grid.mass.max()
    )
    p, exact = (x.probabilities(-rope, rope) for x in (fewer, direct))
    assert p == pytest.approx(exact, abs=1e-6)


def test_fewer_rows_are_not_tried():
    assert not solve(random_problem(0, rows=700)[0]).grid.tensor.interpolated
