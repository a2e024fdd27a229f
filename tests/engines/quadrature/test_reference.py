"""The reference itself: against SciPy's adaptive quadrature, closed forms, and known problems."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import stdtr
from scipy.stats import t as student_t

from bayescmp.engines.quadrature import Problem, solve
from tests.engines.quadrature import brute, families, reference, screen
from tests.marks import first_and_slow
from tests.reference.make_quadrature import QUANTITIES, check, table
from tests.rows import each_row

FOUND = json.loads(
    (Path(__file__).parents[2] / "reference" / "quadrature_found.json").read_text(encoding="utf-8")
)
#: For problems of a few rows, at which it takes a second.
QUICK = replace(reference.COARSE, nodes=7, nu_nodes=5, tolerance=1e-3, depth=10.0, fine=10)


def known_problem(name: str) -> tuple[Problem, float]:
    """A problem at which the engine was wrong, in units of the mean spread, and its rope."""
    case = FOUND[name]
    q = len(case["xbar"])
    names = ("delta0_bound", "sigma0_upper", "sigma_upper")
    problem = Problem(
        case["xbar"],
        case["ss"],
        np.full(q, case["n"]),
        np.full(q, case["rho"]),
        *(case[k] for k in names),
    )
    return problem, case["rope"]


# Rows.

ROWS = [
    # n, ss, sigma_upper, delta0, sigma0, nu; the mean is 0
    (2, 0.5, 50.0, 0.7, 0.3, 1.2),
    (2, 1e-8, 30.0, 0.5, 1e-3, 4.0),
    (3, 2.0, 2.0, 3.0, 0.5, 12.0),
    (3, 1e-6, 1000.0, 0.2, 0.05, 1.02),
    (5, 3.0, 1000.0, 1.5, 1e-4, 7.0),
    (10, 9.0, 1000.0, -2.0, 3.0, 60.0),
    (20, 1e-4, 1000.0, 0.3, 0.2, 2.5),
    (100, 99.0, 1000.0, 0.9, 0.4, 300.0),
]


@each_row("row", ROWS)
def test_a_rows_integral_is_that_of_adaptive_quadrature(row):
    """Relative to the same row at delta0 = 0, for the reference leaves a factor out."""
    n, ss, upper, delta0, sigma0, nu = row
    rho = 0.1
    scale = np.sqrt(ss * (1 + (n - 1) * rho) / (n * (1 - rho) * max(n - 2, 1)))

    def exact(centre):
        peak = brute.log_kernel(0.0, 0.0, ss, n, rho, upper)
        height = student_t.pdf(0, nu, 0, sigma0)

        def integrand(delta):
            kernel = brute.log_kernel(delta, 0.0, ss, n, rho, upper)
            tail = (1 + ((delta - centre) / sigma0) ** 2 / nu) ** (-(nu + 1) / 2)
            return np.exp(kernel - peak) * height * tail

        steps = np.concatenate([[0], np.geomspace(0.1, 1e6, 29)])
        cuts = np.unique(
            [c + s * w * steps for c, w in ((0, scale), (centre, sigma0)) for s in (-1, 1)]
        )
        return sum(
            quad(integrand, a, b, epsabs=1e-14, epsrel=1e-9, limit=200)[0]
            for a, b in pairwise(cuts)
        )

    problem = Problem([0.0, 5.0], [ss, 1.0], [n, n], [rho, rho], 10.0, 10.0, upper)
    ours = {}
    for resolution in (reference.COARSE, reference.FINE):
        rows = reference.Rows(problem, resolution)
        mixing = reference.Mixing(np.array([nu]), np.array([0]), resolution.steps)
        u = np.array([np.log(sigma0)])
        window = mixing.window(mixing.group[0], u[0], u[0], abs(delta0) + 5)
        tau2 = np.exp(2 * mixing.step[mixing.group[0]] * np.arange(*window))
        weights = mixing.weights(mixing.group[0], window, u, np.array([nu]))[:, 0, 0]
        w, v = rows.mixture[0]
        precision = 1 / (v[:, None] + tau2)
        for centre in (0.0, delta0):
            H = (w[:, None] * np.sqrt(precision) * np.exp(-0.5 * centre**2 * precision)).sum(0)
            ours[centre, resolution] = H @ weights
    ratio = exact(delta0) / exact(0.0)
    for resolution in (reference.COARSE, reference.FINE):
        assert ours[delta0, resolution] / ours[0.0, resolution] == pytest.approx(ratio, rel=3e-6)


# Whole problems.


def test_no_spread_of_the_data_sets_is_one_kernel_product():
    """With sigma0 at most 1e-6 all data sets share one delta: a posterior in one dimension."""
    xbar, ss, n = np.array([0.1, 0.3, 0.25]), np.array([0.4, 0.2, 0.9]), np.array([4, 10, 6])
    problem = Problem(xbar, ss, n, [0.1, 0.0, 0.3], 2.0, 1e-6, 500.0)

    def density(delta):
        rows = zip(xbar, ss, n, problem.rho, strict=True)
        return np.exp(sum(brute.log_kernel(delta, *row, 500.0) for row in rows))

    whole = quad(density, -2, 2, points=[0.1, 0.3], epsabs=0)[0]
    expected = [quad(density, -2, edge, points=[0.0], epsabs=0)[0] / whole for edge in (0.2, 0.31)]
    expected = np.array([expected[0], expected[1] - expected[0], 1 - expected[1]])
    ours = reference.three(reference.solve(problem, QUICK), 0.2, 0.31)
    np.testing.assert_allclose(ours, np.tile(expected, (3, 1)), atol=2e-5)


@pytest.mark.slow
def test_two_rows_are_those_of_the_grid_of_everything():
    problem = Problem([-0.03, 0.05], [2e-3, 1e-3], [2, 2], [0.5, 0.3], 0.3, 2.0, 0.5)
    expected = brute.verdict(problem, 0.02, sigma0_nodes=96, nu_nodes=24)
    ours = reference.solve(problem, QUICK).most_probable(-0.02, 0.02)
    np.testing.assert_allclose(ours, expected, atol=5e-4)


def test_symmetric_rows_have_symmetric_answers():
    x = np.array([-1.0, -1.0, 1.0, 1.0, 0.0])
    ss = np.array([1e-6, 1e-6, 1e-6, 1e-6, 2.0])
    problem = Problem(x, ss, np.full(5, 5), np.full(5, 0.1), 2.0, 800.0, 300.0)
    p = reference.three(reference.solve(problem, QUICK), -0.3, 0.3)
    np.testing.assert_allclose(p, p[:, ::-1], atol=3e-5)
    np.testing.assert_allclose(p.sum(1), 1, atol=1e-12)


@pytest.mark.calibration
@pytest.mark.parametrize("name", list(FOUND))
def test_known_problems(name):
    """Answers of another brute force, written by others, for problems that they answers."""
    problem, rope = known_problem(name)
    coarse = reference.three(reference.solve(problem), -rope, rope)
    fine = reference.three(reference.solve(problem, reference.FINE), -rope, rope)
    np.testing.assert_allclose(coarse, fine, atol=1e-4)
    for k, quantity in enumerate(("most_probable", "predictive", "mean")):
        if quantity in FOUND[name]:
            np.testing.assert_allclose(fine[k], FOUND[name][quantity], atol=3e-5)


def test_the_boundary_balances_the_masses():
    nu, r = np.array([1.1, 4.0, 80.0]), 0.4
    boundary = reference.Boundaries(nu, r)
    u = np.log([0.001, 0.05, 0.3, 0.5])
    delta = boundary.delta(u)
    for k, v in enumerate(nu):
        s0 = np.exp(u)
        right = stdtr(v, (delta[:, k] - r) / s0)
        inside = stdtr(v, (r - delta[:, k]) / s0) - stdtr(v, (-r - delta[:, k]) / s0)
        ahead = 2 * stdtr(v, r / s0) - 1 > stdtr(v, -r / s0)  # of the rope, at the centre
        np.testing.assert_allclose(right[ahead], inside[ahead], atol=2e-5)
        assert np.all(delta[~ahead, k] == 0)
        apart = ahead & (delta[:, k] < (1 - 1e-6) * r)  # from the rope's edge
        assert apart.any()
        back = boundary.log_sigma0(delta[apart, k])[:, k]
        np.testing.assert_allclose(back, u[apart], atol=2e-3)
    assert np.all(boundary.log_sigma0(np.array([r, 2 * r])) == -np.inf)


# The engine against the reference, at a few problems of each family: the whole screen is
# tests/calibration/test_quadrature_screen.py.


@pytest.mark.parametrize("name", list(FOUND))
def test_problems_that_were_found(name):
    """Answers of another brute force; the first was off by .285, the second by .014."""
    problem, rope = known_problem(name)
    posterior = solve(problem)
    p, error = screen.answers(posterior, -rope, rope)
    for k, quantity in enumerate(QUANTITIES):
        if quantity in FOUND[name]:
            off = np.abs(p[k] - FOUND[name][quantity])
            assert screen.failed(posterior) or off.max() < 2e-3
            assert not np.any(off > 2 * error[k] + 2e-5)


@pytest.mark.parametrize("first", first_and_slow([0], [1, 2]))
@pytest.mark.parametrize("family", list(families.FAMILIES))
def test_the_first_and_the_hunted(family, first):
    """A few problems of each family, those among them that the engine once was lost at."""
    lines = table()
    seeds = [*first, *families.HUNTED.get(family, [])[slice(4) if 0 in first else slice(4, None)]]
    lines = lines[(lines.family == family) & lines.seed.isin(seeds)]
    assert len(lines) >= 6
    screened = screen.screen_all(lines)
    assert np.all(screen.silent(screened).off < 2e-3)
    assert not np.any(screen.silent(screened).excess > 2)


def test_seeds_give_the_problems_of_the_table():
    for (family, seed), lines in table().groupby(["family", "seed"]):
        number = check(families.make(family, seed))
        assert number == pytest.approx(lines.check.iloc[0], rel=1e-6), (family, seed)
