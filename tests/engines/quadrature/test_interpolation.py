"""Interpolation, equal to SciPy's to the last bit, and its inverse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from bayescmp.engines.quadrature.interpolation import Hermite, monotone_cubic

RNG = np.random.default_rng(3)
KNOTS = np.cumsum(RNG.exponential(size=200))
#: Inside, on the knots, and beyond both ends.
AT = np.concatenate([KNOTS, RNG.uniform(KNOTS[0] - 1, KNOTS[-1] + 1, 2000)])
VALUES = {
    "increasing": np.cumsum(RNG.exponential(size=200)),
    "restless": RNG.normal(size=200),
    "steps": np.repeat(RNG.normal(size=50), 4),
    "constant": np.full(200, 0.5),
}


def test_hermite_is_scipys():
    slope = RNG.normal(size=200)
    ours = Hermite(KNOTS, VALUES["restless"], slope)
    theirs = CubicHermiteSpline(KNOTS, VALUES["restless"], slope)
    assert np.array_equal(ours(AT), theirs(AT))
    assert np.array_equal(ours.derivative(AT), theirs(AT, 1))
    assert np.array_equal(ours.both(AT), [theirs(AT), theirs(AT, 1)])


@pytest.mark.parametrize("name", VALUES)
def test_monotone_cubic_is_scipys(name):
    y = VALUES[name]
    assert np.array_equal(monotone_cubic(KNOTS, y)(AT), PchipInterpolator(KNOTS, y)(AT))


@pytest.mark.parametrize(
    "y", [[0, 1], [1, 1], [0, 1, 1.5], [0, 1, -5], [0, 5, 4], [0, -1, -1], [2, 2, 9]]
)
def test_few_knots_and_turns_at_the_ends(y):
    x, y = np.array([0.0, 1.0, 1.5])[: len(y)], np.array(y, dtype=float)
    at = np.linspace(x[0], x[-1], 31)
    assert np.array_equal(monotone_cubic(x, y)(at), PchipInterpolator(x, y)(at))


def test_inverse_of_an_increasing_function():
    knots = np.linspace(0, 10, 101)
    forward = Hermite(knots, np.exp(knots / 2), np.exp(knots / 2) / 2)
    x = np.sort(np.concatenate([knots, RNG.uniform(0, 10, 2000)]))
    np.testing.assert_allclose(forward.inverse(forward(x)), x, atol=1e-12)
    np.testing.assert_allclose(forward.inverse(np.array([0.0, 200.0])), [0, 10], rtol=1e-14)


@pytest.mark.parametrize("parts", [1, 4])
def test_split_is_the_function_at_equal_parts(parts):
    f = monotone_cubic(KNOTS, VALUES["restless"])
    share = np.arange(len(KNOTS[1:]) * parts + 1) / parts
    at = np.interp(share, np.arange(len(KNOTS)), KNOTS)
    np.testing.assert_allclose(f.split(parts), f(at), atol=1e-12)
