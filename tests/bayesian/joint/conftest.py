"""Scores of several algorithms on several data sets."""

import numpy as np
import pytest


@pytest.fixture
def scores_of():
    """Scores of shape (q, n, L), whose algorithms get better from the first to the last."""

    def simulated(q, n, L, seed=1):
        rng = np.random.default_rng(seed)
        means = 0.8 + np.linspace(0, 0.02, L) + rng.normal(0, 0.02, (q, L))
        return means[:, None] + rng.normal(0, 0.02, (q, n, L))

    return simulated
