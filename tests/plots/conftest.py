"""A posterior to draw; figures are closed after each test."""

import pytest
from matplotlib import pyplot as plt

from tests.bayesian.hierarchical.data import by_grid, simulated


@pytest.fixture(autouse=True)
def _close():
    plt.close("all")  # what another file left open in this process
    yield
    plt.close("all")


@pytest.fixture(scope="package")
def posterior():
    return by_grid(
        simulated(),
        rho=0.1,
        rope=0.01,
        seed=5,
        names=("k$nn$", "gbm with a rather long name here"),
    )
