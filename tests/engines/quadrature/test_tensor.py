"""The log-likelihood on the nodes, against brute force; boxes that are too small grow."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bayescmp.engines.quadrature import Settings
from bayescmp.engines.quadrature import tensor as module
from bayescmp.engines.quadrature.problem import standardise
from bayescmp.engines.quadrature.tensor import solve_tensor
from tests.engines.quadrature.brute import row_integral
from tests.engines.quadrature.cases import simulated


@pytest.mark.parametrize("name", ["sim5", "q2", "n5"])
def test_values_at_the_nodes_are_those_of_brute_force(name):
    problem = simulated(name)
    standard = standardise(problem)
    tensor = solve_tensor(standard, Settings()).tensor
    box, unit = tensor.box, standard.sign * standard.scale
    delta0 = box.axis_delta0.at(tensor.k_delta0) * unit
    sigma0 = box.axis_sigma0.at(tensor.k_sigma0) * standard.scale
    at = len(sigma0) // 2
    rows = [row_integral(problem, i, delta0, sigma0[at], tensor.nu) for i in range(problem.q)]
    exact = np.sum(np.log(rows), axis=0)
    value = tensor.value[:, at]
    seen = value > value.max() - 12
    off = (value - exact)[seen]
    assert seen.sum() > 20
    assert np.ptp(off) < 2e-3


def test_masses_sum_to_one_and_vanish_at_the_edges():
    solution = solve_tensor(standardise(simulated("sim54")), Settings())
    assert solution.tensor.masses.sum() == pytest.approx(1)
    assert solution.edge < Settings().edge_mass
    assert solution.tensor.value.max() == 0


def test_a_box_that_is_too_small_is_enlarged(monkeypatch):
    """The same marginal of delta0 as from the right box."""
    standard = standardise(simulated("sim5"))
    right = solve_tensor(standard, Settings())
    located = module.locate

    def narrow(*arguments):
        box = located(*arguments)
        low, high = box.delta0
        return dataclasses.replace(box, delta0=((2 * low + high) / 3, high))

    monkeypatch.setattr(module, "locate", narrow)
    grown = solve_tensor(standard, Settings())
    assert grown.enlarged > right.enlarged
    means = []
    for tensor in (right.tensor, grown.tensor):
        delta0 = tensor.box.axis_delta0.at(tensor.k_delta0)
        means.append(tensor.masses.sum((1, 2)) @ delta0)
    assert means[1] == pytest.approx(means[0], abs=2e-3)
