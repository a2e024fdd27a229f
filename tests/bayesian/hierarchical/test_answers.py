"""A density on a grid and draws of it answer the same questions alike."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior
from bayescmp.bayesian.hierarchical.answers import DrawsAnswer, answer_of, masses_of
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.engines import Fit, find_engine
from bayescmp.engines.base import SamplerSettings
from bayescmp.verdict import as_rope

ROPE = as_rope((-0.01, 0.02))


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    x = rng.normal(0.01, 0.02, (7, 1)) + rng.normal(0, 0.04, (7, 10))
    return pose(bc.Differences(x, rho=0.1), HierarchicalPrior.corani2017(), ROPE)


@pytest.fixture(scope="module")
def grid(problem):
    request = problem.request(1, SamplerSettings())
    return answer_of(find_engine("quadrature", request.model).fit(request), problem, 1)


@pytest.fixture(scope="module")
def drawn(grid):
    return DrawsAnswer(grid.draws)


def test_a_fit_with_draws_is_given_in_units_and_in_the_data_sets_order(problem):
    """The program sees sorted rows on a scale of its own."""
    values = {k: np.ones((2, 5)) for k in ("delta0", "sigma0", "nu")}
    values["delta"] = np.broadcast_to(np.arange(7.0), (2, 5, 7))
    actual = answer_of(Fit("fake", "1", values), problem, 1).draws
    assert actual["delta0"] == pytest.approx(problem.scale)
    assert actual["nu"] == pytest.approx(1)
    # column i of the program is data set order[i]
    assert actual["delta"][0, 0][problem.order] / problem.scale == pytest.approx(np.arange(7))


def test_masses_are_those_of_a_t_distribution():
    """scipy.stats.t, at a draw, for a rope that is not symmetric, and for none."""
    upper = {"delta0": np.array([[0.015]]), "sigma0": np.array([[0.03]]), "nu": np.array([[2.5]])}
    t = stats.t(2.5, 0.015, 0.03)
    expected = [t.cdf(-0.01), t.cdf(0.02) - t.cdf(-0.01), t.sf(0.02)]
    assert masses_of(upper, ROPE)[0, 0] == pytest.approx(expected, rel=1e-12)
    assert masses_of(upper, as_rope(0))[0, 0] == pytest.approx([t.cdf(0), 0, t.sf(0)], rel=1e-12)


def test_the_parts_of_a_verdict(grid, drawn):
    """Within the noise of 10,000 quasi-random draws."""
    for part, (a, b) in zip(
        grid.parts(ROPE)._fields, zip(grid.parts(ROPE), drawn.parts(ROPE), strict=True),
        strict=True,
    ):  # fmt: skip
        if part != "errors":
            assert b == pytest.approx(a, abs=0.006), part
            assert a.sum() == pytest.approx(1, abs=1e-9)
    assert np.all(drawn.parts(ROPE).errors > 0)


def test_data_sets(grid, drawn):
    a, b = grid.datasets(ROPE), drawn.datasets(ROPE)
    assert b.mean == pytest.approx(a.mean, abs=3e-4)
    assert b.sd == pytest.approx(a.sd, rel=0.05)
    assert b.p == pytest.approx(a.p, abs=0.02)


@pytest.mark.parametrize("name", ["delta0", "sigma0", "nu"])
def test_summaries_quantiles_and_densities(grid, drawn, name):
    a, b = grid.row(name), drawn.row(name)
    spread = a["97.5%"] - a["2.5%"]
    for column in ("median", "2.5%"):
        assert b[column] == pytest.approx(a[column], abs=0.02 * spread)
    probs = np.array([0.2, 0.7])
    assert drawn.quantile(name, probs) == pytest.approx(
        grid.quantile(name, probs), abs=0.02 * spread
    )
    assert set(b) - set(a) == {"ess_bulk", "ess_tail", "rhat"}
    x, y = grid.density(name)
    assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.01)


def test_the_kernel_estimate_follows_the_density(grid, drawn):
    x, y = grid.density("delta0")
    at, estimate = drawn.density("delta0")
    assert np.sum((estimate[1:] + estimate[:-1]) / 2 * np.diff(at)) == pytest.approx(1, abs=0.01)
    assert np.interp(at, x, y) == pytest.approx(estimate, abs=0.05 * y.max())


def test_the_upper_level_alone_has_the_same_draws(grid):
    for name, values in grid.upper.items():
        assert np.array_equal(values, grid.draws[name])


def test_floors(grid, drawn):
    assert grid.floor == 1e-6
    assert drawn.floor == 1 / 10_000
