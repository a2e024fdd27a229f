"""Null distributions of MANOVA's statistics: quadrature, simulation, a table, statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from bayescmp.frequentist.groups.roots import four_tests, largest_root_sf


def null_roots(p, h, e, count, seed=0):
    """Eigenvalues of E⁻¹H of normal matrices, descending."""
    rng = np.random.default_rng([seed, p, h, e])
    H, E = rng.normal(size=(count, h, p)), rng.normal(size=(count, e, p))
    H, E = np.swapaxes(H, 1, 2) @ H, np.swapaxes(E, 1, 2) @ E
    return np.sort(np.linalg.eigvals(np.linalg.solve(E, H)).real)[:, ::-1][:, : min(p, h)]


@pytest.mark.parametrize(("p", "h", "e"), [(2, 3, 20), (2, 2, 9), (3, 2, 30), (2, 6, 5)])
def test_two_roots_by_quadrature(p, h, e):
    """The joint density of two roots, integrated numerically."""
    m, k = (abs(p - h) - 1) / 2, (e - p - 1) / 2

    def density(y, x):
        return (x * y) ** m * ((1 - x) * (1 - y)) ** k * (x - y)

    total = integrate.dblquad(density, 0, 1, 0, lambda x: x)[0]
    for theta in (0.2, 0.5, 0.8):
        below = integrate.dblquad(density, 0, theta, 0, lambda x: x)[0] / total
        actual = largest_root_sf(theta / (1 - theta), p, h, e)
        assert actual == pytest.approx(1 - below, abs=1e-7)


@pytest.mark.parametrize(("p", "h", "e"), [(1, 4, 45), (3, 1, 9), (1, 1, 6)])
def test_one_root_is_a_beta(p, h, e):
    for root in (0.05, 0.5, 3.0):
        theta = root / (1 + root)
        expected = stats.beta.sf(theta, max(p, h) / 2, (e + min(p, h) - p) / 2)
        assert largest_root_sf(root, p, h, e) == pytest.approx(expected, abs=1e-12)


def test_largest_root_of_a_textbook_table():
    """Rencher 2002, table A.10 as used in ex. 6.1.4: θ.05 = 0.377 for s = 4, m = 0, N = 18.5."""
    assert largest_root_sf(0.377 / 0.623, 4, 5, 42) == pytest.approx(0.05, abs=0.004)


@pytest.mark.parametrize(("p", "h", "e"), [(3, 5, 20), (6, 9, 54), (5, 4, 12), (7, 7, 100)])
def test_largest_root_by_simulation(p, h, e):
    roots = null_roots(p, h, e, 20_000)[:, 0]
    for share in (0.5, 0.9, 0.99):
        actual = largest_root_sf(float(np.quantile(roots, share)), p, h, e)
        assert actual == pytest.approx(1 - share, abs=4 * np.sqrt(share * (1 - share) / 20_000))


@pytest.mark.parametrize(("p", "h", "e"), [(2, 4, 36), (6, 29, 261), (10, 12, 300), (9, 10, 12)])
def test_largest_root_is_a_distribution(p, h, e):
    """From 1 to 0, never rising; the constant of the density is that of the Pfaffian at 1."""
    grid = [0.0, *np.geomspace(1e-3, 1e3, 60), 1e12]
    actual = np.array([largest_root_sf(root, p, h, e) for root in grid])
    assert actual[0] == 1
    assert actual[-1] == pytest.approx(0, abs=1e-6)
    assert np.all(np.diff(actual) <= 1e-6)
    assert largest_root_sf(np.inf, p, h, e) == 0


def test_symmetry_of_dimensions():
    """The roots for (p, ν_h, ν_e) are distributed as those for (ν_h, p, ν_e + ν_h - p)."""
    for root in (0.2, 0.9):
        a, b = largest_root_sf(root, 3, 5, 30), largest_root_sf(root, 5, 3, 32)
        assert a == pytest.approx(b, abs=1e-12)
    roots = np.array([0.9, 0.2, 0.05])
    for one, other in zip(four_tests(roots, 3, 5, 30), four_tests(roots, 5, 3, 32), strict=True):
        assert one.refined == pytest.approx(other.refined, rel=1e-9)


def test_moments_of_pillai():
    """Mean and variance behind the beta approximation."""
    p, h, e = 3, 4, 15
    roots = null_roots(p, h, e, 40_000)
    trace = (roots / (1 + roots)).sum(axis=1)
    N = h + e
    variance = 2 * p * h * e * (N - p) / (N**2 * (N - 1) * (N + 2))
    assert trace.mean() == pytest.approx(p * h / N, rel=0.01)
    assert trace.var() == pytest.approx(variance, rel=0.03)


def test_mckeon_as_in_statsmodels():
    """statsmodels 0.15.0, MANOVA.from_formula("tp+fp+ms ~ alg", data).mv_test(), and with folds.

    The trace's F = 19.092233 on 9 and 37.798883 d.o.f. one-way, 76.288965 on 9 and 26.846154
    with blocks, for the data of tests/reference/multivariate_r.R.
    """
    for roots, e, f, below in (
        ([6.5627030110549196, 0.21769638216218423, 0.00036247815384393977], 28, 19.092233,
         37.798883),
        ([36.773964915186198, 0.60437421566337202, 0.0010675613210761221], 21, 76.288965,
         26.846154),
    ):  # fmt: skip
        actual = four_tests(np.array(roots), 3, 3, e)[2].refined
        assert actual == pytest.approx(stats.f.sf(f, 9, below), rel=1e-5)


def test_exact_where_said():
    """Two roots or fewer: Wilks exact; one root: all four, with one p."""
    alone = four_tests(np.array([0.7]), 1, 4, 20)
    assert {t.kind for t in alone} == {"exact"}
    assert len({round(t.pvalue, 12) for t in alone}) == 1
    assert alone[0].pvalue == pytest.approx(stats.f.sf(0.7 * 20 / 4, 4, 20))
    kinds = {t.name: t.kind for t in four_tests(np.array([0.7, 0.1]), 2, 4, 20)}
    assert kinds == {"Wilks": "exact", "Pillai": "approximate",
                     "Hotelling-Lawley": "approximate", "Roy": "bound"}  # fmt: skip
    three = four_tests(np.array([0.7, 0.2, 0.1]), 3, 4, 20)
    assert three[0].kind == "approximate"
    assert three[3].refined > three[3].pvalue
    assert [t.pvalue for t in four_tests(np.zeros(0), 0, 3, 20)] == [1, 1, 1, 1]


def test_few_degrees_of_freedom():
    """McKeon's F has no variance to match at ν_e <= p + 3: the plain F's p-value stands."""
    test = four_tests(np.array([2.0, 0.5]), 3, 2, 6)[2]
    assert test.refined == test.pvalue


def test_no_f_where_the_error_has_as_many_degrees_of_freedom_as_metrics():
    """R 4.2.2, summary(manova(x ~ b + a), test="Hotelling-Lawley"): den Df 0 and no p-value."""
    wilks, pillai, trace, roy = four_tests(np.array([239.1, 0.69]), 2, 2, 2)
    assert trace.kind == "undefined"
    assert trace.statistic == pytest.approx(239.79)
    assert np.isnan([trace.f, trace.pvalue, trace.refined]).all()
    assert all(0 < t.refined < 1 for t in (wilks, pillai, roy))
    assert four_tests(np.array([5.0, 0.69]), 2, 2, 3)[2].kind == "approximate"
