"""Quantiles, intervals and densities of δ0, σ0 and ν."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from tests.bayesian.hierarchical.data import by_grid, simulated


@pytest.fixture(scope="module")
def posterior():
    return by_grid(simulated(), rho=0.1, rope=0.01, seed=5, names=("knn", "gbm"))


def test_density_integrates_to_one(posterior):
    for name in ("delta0", "sigma0"):
        x, y = posterior.density(name)
        assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.01)


def test_quantiles_and_highest_density_intervals(posterior):
    """Against the draws, by NumPy and by the shortest window of the sorted draws."""
    for name in ("delta0", "sigma0", "nu"):
        flat = np.sort(posterior.draws[name].ravel())
        spread = np.subtract(*np.quantile(flat, [0.9, 0.1]))
        assert posterior.quantile(name, [0.1, 0.5, 0.9]) == pytest.approx(
            np.quantile(flat, [0.1, 0.5, 0.9]), abs=0.02 * spread
        )
        width = int(0.8 * len(flat))
        start = np.argmin(flat[width:] - flat[: len(flat) - width])
        low, high = posterior.hdi(name, 0.8)
        assert high - low == pytest.approx(flat[start + width] - flat[start], rel=0.02)
    with pytest.raises(bc.InputError, match="unknown parameter 'delta'"):
        posterior.quantile("delta", 0.5)
    with pytest.raises(bc.InputError, match="probs"):
        posterior.quantile("delta0", 1.5)
    with pytest.raises(bc.InputError, match="prob=1"):
        posterior.hdi("delta0", 1)
