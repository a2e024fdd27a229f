"""The studentized range, beside SciPy, the t distribution and a double integral."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import integrate, stats

from bayescmp.frequentist.pairs.ranges import (
    normal_range_ppf,
    normal_range_sf,
    studentized_range_sf,
)

Q = np.array([0.0, 0.05, 0.3, 1.0, 2.0, 3.0, 4.5, 6.0, 9.0])


@pytest.mark.parametrize("k", [2, 3, 5, 10, 30])
@pytest.mark.parametrize("df", [1, 2, 5, 36, 841])
def test_beside_scipy(k, df):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", integrate.IntegrationWarning)
        expected = stats.studentized_range.sf(Q, k, df)
    assert studentized_range_sf(Q, k, df) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("df", [1, 2, 7, 100, 5000])
def test_two_means_are_a_t_test(df):
    """The range of two is √2·|t|: exact, also far in the tail."""
    q = np.concatenate([Q, np.linspace(9.5, 14.0, 10)])
    exact = 2 * stats.t.sf(q / np.sqrt(2), df)
    assert studentized_range_sf(q, 2, df) == pytest.approx(exact, rel=1e-8, abs=0)


@pytest.mark.parametrize(("q", "k", "df"), [(12.0, 5, 10), (9.0, 8, 60), (15.0, 3, 40)])
def test_the_tail_beside_a_double_integral(q, k, df):
    """∫ f(s) k ∫ φ(z) {Φ(z)^{k-1} - [Φ(z) - Φ(z - qs)]^{k-1}} dz ds, on fine fixed grids."""
    s = np.linspace(1e-3, 2.2, 1500)
    z = np.linspace(-12, 12, 2401)
    cdf, below = stats.norm.cdf(z), stats.norm.cdf(z - q * s[:, None])
    share = np.minimum(below / cdf, 1 - 1e-16)
    inner = cdf ** (k - 1) * -np.expm1((k - 1) * np.log1p(-share))
    range_sf = k * integrate.simpson(stats.norm.pdf(z) * inner, x=z, axis=1)
    density = stats.chi2.pdf(df * s**2, df) * 2 * df * s
    expected = integrate.simpson(density * range_sf, x=s)
    assert studentized_range_sf(q, k, df) == pytest.approx(expected, rel=1e-7, abs=0)


def test_shape_and_many_values():
    q = np.linspace(0, 8, 5000).reshape(50, 100)
    p = studentized_range_sf(q, 6, 20)
    assert p.shape == q.shape
    assert np.all(np.diff(p.ravel()) <= 1e-9)
    assert studentized_range_sf(3.0, 6, 20).shape == ()
    assert p[7, 9] == pytest.approx(float(studentized_range_sf(q[7, 9], 6, 20)))


@pytest.mark.parametrize("k", [2, 3, 10, 50])
def test_range_as_in_r(r, k):
    """R 4.2.2, ptukey(q, k, Inf, lower.tail = FALSE), which is good to 3e-7 for k = 50; SciPy."""
    q = [0.5, 1, 2, 3, 3.5, 4, 5, 6]
    assert normal_range_sf(q, k) == pytest.approx(r[f"ptukey_{k}"], abs=5e-7)
    expected = stats.studentized_range.sf(q, k, np.inf)
    assert normal_range_sf(q, k) == pytest.approx(expected, abs=1e-14)


def test_range_quantiles_as_in_r(r):
    for k in (2, 3, 5, 10, 20):
        assert normal_range_ppf(0.05, k) == pytest.approx(r[f"qtukey_{k}"][0], rel=1e-6)


def test_range_of_two_normals_in_the_far_tail():
    """The range of two is |N(0, 2)|: SciPy's normal tail, down to 1e-200."""
    q = np.array([0.0, 1.0, 10.0, 20.0, 40.0])
    assert normal_range_sf(q, 2) == pytest.approx(2 * stats.norm.sf(q / np.sqrt(2)), rel=1e-9)
