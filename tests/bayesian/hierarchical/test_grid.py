"""A posed problem on the grid, and the problem changed, are what a fit is."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.grid import grid_probabilities, solved
from bayescmp.verdict import as_rope
from tests.bayesian.hierarchical.data import simulated

ROPE = as_rope(0.01)


def probabilities(x, **options):
    v = hierarchical_t(x, rope=0.01, engine="quadrature", seed=1, **options).verdict()
    return [v.p_left, v.p_rope, v.p_right]


@pytest.mark.parametrize("metric", ["accuracy", ""])
def test_changed_problems_are_those_of_a_fit(metric):
    x = simulated(q=7, seed=3)
    x[2] = 0.01  # constant: its resolution is known
    x[4] *= 3  # the largest difference, which bounds δ0 of an unbounded metric

    def of(rows, rho):
        return bc.Differences(rows, rho=rho, metric=metric, resolution=0.005)

    post = hierarchical_t(of(x, 0.1), rope=0.01, engine="quadrature", seed=1)
    prior, other = post.prior, HierarchicalPrior.benavoli2017()
    assert grid_probabilities(post.problem, ROPE) == pytest.approx(probabilities(of(x, 0.1)))
    for i in (2, 4):
        got = grid_probabilities(post.problem.changed(prior, without=i), ROPE)
        wanted = probabilities(of(np.delete(x, i, axis=0), 0.1))
        assert got == pytest.approx(wanted, abs=1e-9)
    got = grid_probabilities(post.problem.changed(prior, rho=0.3), ROPE)
    assert got == pytest.approx(probabilities(of(x, 0.3)), abs=1e-9)
    got = grid_probabilities(post.problem.changed(other), ROPE)
    assert got == pytest.approx(probabilities(of(x, 0.1), prior=other), abs=1e-9)


def test_the_solution_is_on_the_problems_scale():
    post = hierarchical_t(simulated(q=5, seed=1), rho=0.1, rope=0.01, engine="quadrature")
    grid = solved(post.problem)
    assert grid.mean("delta0") * post.problem.scale == pytest.approx(
        post.summary().loc["delta0", "mean"]
    )


def test_saved_problems_can_be_changed(tmp_path):
    post = hierarchical_t(simulated(q=5, seed=1), rho=0.1, rope=0.01, engine="quadrature")
    post.save(tmp_path / "post.nc")
    again = bc.load(tmp_path / "post.nc")
    for changed in ({"without": 1}, {"rho": 0.2}):
        a, b = (grid_probabilities(p.problem.changed(p.prior, **changed), ROPE)
                for p in (post, again))  # fmt: skip
        assert a == pytest.approx(b, abs=1e-9)
