"""A difference of two t variables: brute force, Student's as a limit, tails, quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from bayescmp.bayesian.unpaired.behrens import BehrensFisher

CASES = [
    (0.3, (1.0, 1.0), (4, 9)),
    (0.0, (0.01, 2.0), (1, 3)),
    (-2.0, (3.0, 0.5), (1, 1)),
    (1.0, (0.2, 0.25), (30, 2)),
]
#: Where the step of the other's distribution function is cut, in units of its width.
NEAR = [-1e4, -1e3, -100, -10, -1, 0, 1, 10, 100, 1e3, 1e4]


@pytest.mark.parametrize(("location", "scales", "dfs"), CASES)
def test_by_brute_force(location, scales, dfs):
    """SciPy's quad over the angle of one t variable, t = tan(angle), at other points than ours."""
    posterior = BehrensFisher(location, scales, dfs)
    for x in (location - 3.1, location + 0.2, location + 1.7, location + 40):

        def inner(angle, x=x):
            t = np.tan(angle)
            rest = stats.t.cdf((x - location + scales[0] * t) / scales[1], dfs[1])
            return stats.t.pdf(t, dfs[0]) / np.cos(angle) ** 2 * rest

        near = (location - x) / scales[0] + scales[1] / scales[0] * np.array(NEAR)
        expected, _ = integrate.quad(
            inner, -np.pi / 2, np.pi / 2, points=np.arctan(near), epsabs=1e-12, limit=2000
        )
        assert float(posterior.cdf(x)) == pytest.approx(expected, abs=2e-9)
        assert float(posterior.sf(x)) == pytest.approx(1 - expected, abs=2e-9)


def test_two_cauchy_variables_are_a_cauchy_variable():
    posterior = BehrensFisher(1.0, (2.0, 3.0), (1, 1))
    x = np.array([-1e4, -7.0, 0.5, 3.0, 1e4])
    assert posterior.cdf(x) == pytest.approx(stats.cauchy.cdf(x, 1, 5), rel=1e-8)
    assert posterior.sf(x) == pytest.approx(stats.cauchy.sf(x, 1, 5), rel=1e-8)
    assert posterior.pdf(x) == pytest.approx(stats.cauchy.pdf(x, 1, 5), rel=1e-8)


def test_many_degrees_of_freedom_are_normal():
    posterior = BehrensFisher(0.0, (3.0, 4.0), (10**7, 10**7))
    assert posterior.cdf([-30, -5, 0, 2]) == pytest.approx(
        stats.norm.cdf([-30, -5, 0, 2], scale=5), rel=1e-4
    )
    assert posterior.sd == pytest.approx(5)


def test_one_known_mean_is_student():
    for scales in ((0.0, 2.0), (2.0, 0.0)):
        posterior = BehrensFisher(1.0, scales, (6, 6))
        assert float(posterior.cdf(2.5)) == pytest.approx(stats.t.cdf(0.75, 6))


def test_quantiles_invert():
    posterior = BehrensFisher(0.7, (1.0, 0.3), (2, 5))
    p = np.array([1e-6, 0.025, 0.4, 0.5, 0.975, 1 - 1e-6])
    assert posterior.cdf(posterior.quantile(p)) == pytest.approx(p, rel=1e-7)
    assert posterior.sd == np.inf
