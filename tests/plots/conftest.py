"""A posterior to draw; figures are closed after each test."""

from __future__ import annotations

import pytest
from matplotlib import pyplot as plt

import bayescmp as bc
from tests.bayesian.hierarchical.test_fit import simulated


@pytest.fixture(autouse=True)
def _close():
    plt.close("all")  # what another file left open in this process
    yield
    plt.close("all")


@pytest.fixture(scope="package")
def posterior():
    return bc.bayesian.hierarchical_t(
        simulated(),
        rho=0.1,
        rope=0.01,
        seed=5,
        names=("k$nn$", "gbm with a rather long name here"),
    )
