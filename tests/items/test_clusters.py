"""Sums over clusters, and what each adds to the mean."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.items.clusters import contributions, totals


def clustered_error(x: np.ndarray, cluster: np.ndarray) -> float:
    """Miller 2024, eq. 4, as written: sums over pairs of items within clusters."""
    residual = x - x.mean()
    inside = cluster[:, None] == cluster[None]
    return float(np.sqrt((residual[:, None] * residual[None] * inside).sum()) / len(x))


def test_contributions_have_the_mean_and_the_clustered_error():
    rng = np.random.default_rng(1)
    cluster = rng.integers(0, 9, 60)
    x = rng.normal(size=60) + rng.normal(size=9)[cluster]
    y = contributions(x[:, None], cluster)[:, 0]
    K = len(y)
    assert y.mean() == pytest.approx(x.mean(), rel=1e-12)
    error = y.std(ddof=1) / np.sqrt(K)
    assert error == pytest.approx(clustered_error(x, cluster) * np.sqrt(K / (K - 1)), rel=1e-12)


def test_clusters_of_one_item_are_the_items():
    x = np.array([[0.1, 0.2], [0.4, 0.3]])
    assert contributions(x, np.array([5, 2])) is x
    assert contributions(x, None) is x


def test_totals():
    sums, sizes = totals(np.array([1.0, 2.0, 4.0]), np.array([3, 1, 3]))
    assert (sums.tolist(), sizes.tolist()) == ([2.0, 5.0], [1.0, 2.0])
    sums, sizes = totals(np.array([1.0, 2.0]), None)
    assert (sums.tolist(), sizes.tolist()) == ([1.0, 2.0], [1.0, 1.0])
