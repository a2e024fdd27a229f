"""The built-in engine: always there, for one model, and its density is that of `solve`."""

from __future__ import annotations

import dataclasses

import numpy as np

from bayescmp.engines import FitRequest
from bayescmp.engines.builtin import QuadratureEngine
from bayescmp.engines.quadrature import Problem, solve
from tests.engines.quadrature.cases import simulated


def test_it_is_there_for_one_model():
    engine = QuadratureEngine()
    assert engine.available().ok
    assert engine.available().version.startswith("built in, bayescmp ")
    assert engine.supports("hierarchical_correlated_t")
    assert not engine.supports("robust_correlated_t")


def test_the_data_block_is_the_problem_and_what_else_it_holds_is_left():
    problem = simulated("sim5")
    data = {f.name: getattr(problem, f.name) for f in dataclasses.fields(Problem)}
    fit = QuadratureEngine().fit(FitRequest("hierarchical_correlated_t", {**data, "q": 5}, 1))
    assert fit.draws == {}
    exact = solve(problem)
    assert np.array_equal(fit.density.verdict(-0.01, 0.01).p, exact.verdict(-0.01, 0.01).p)
