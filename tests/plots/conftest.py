"""A posterior to draw."""

import pytest

from tests.bayesian.hierarchical.data import by_grid, simulated


@pytest.fixture(scope="package")
def posterior():
    return by_grid(
        simulated(),
        rho=0.1,
        rope=0.01,
        seed=5,
        names=("k$nn$", "gbm with a rather long name here"),
    )
