"""The slow settings are finer in every respect, and the default agrees with them."""

from __future__ import annotations

import pytest

from bayescmp.engines.quadrature import Settings, solve
from tests.engines.quadrature.cases import ROPE, simulated


def test_refined_is_finer_in_every_respect():
    default, refined = Settings(), Settings.refined()
    assert refined.spacing < 0.7  # the smallest default
    assert refined.nu_nodes > default.nu_nodes
    assert refined.refine > default.refine
    assert refined.tolerance < default.tolerance
    assert refined.depth > default.depth
    assert refined.edge_mass < default.edge_mass
    assert refined.enlargements > default.enlargements


@pytest.mark.parametrize("name", ["sim5", "sim54"])
def test_the_default_is_within_a_thousandth_of_the_refined(name):
    p = [solve(simulated(name), settings=s).verdict(-ROPE, ROPE).p
         for s in (Settings(), Settings.refined())]  # fmt: skip
    assert p[0] == pytest.approx(p[1], abs=1e-3)


@pytest.mark.parametrize("name", ["sim5", "sim54"])
def test_the_quick_one_is_within_two_thousandths(name):
    p = [solve(simulated(name), settings=s).verdict(-ROPE, ROPE).p
         for s in (Settings.quick(), Settings.refined())]  # fmt: skip
    assert p[0] == pytest.approx(p[1], abs=2e-3)
