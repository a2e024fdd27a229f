"""Masses of the four regions under many multivariate t distributions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescmp.bayesian.hierarchical_multivariate.masses import region_masses
from bayescmp.verdict import as_ropes


def test_masses_against_the_bivariate_t_of_scipy():
    """scipy 1.17's multivariate_t.cdf, an independent integration, over rectangles."""
    scale = np.array([[0.0009, 0.0007], [0.0007, 0.0016]])
    at, low, high = np.array([0.01, -0.02]), np.array([-0.01, -0.03]), np.array([0.02, 0.01])
    masses = region_masses(
        at[None], np.linalg.cholesky(scale)[None], np.array([4.0]), np.eye(2),
        as_ropes([(-0.01, 0.02), (-0.03, 0.01)], ("a", "b")), seed=1, directions=2**14,
    )  # fmt: skip
    t = stats.multivariate_t(at, scale, df=4, seed=1)
    box = t.cdf(high, lower_limit=low, maxpts=10**6)
    not_worse = t.cdf([np.inf, np.inf], lower_limit=low, maxpts=10**6)
    not_better = t.cdf(high, maxpts=10**6)
    wanted = [box, not_better - box, not_worse - box, 1 - not_better - not_worse + box]
    assert masses.mean(axis=0)[0] == pytest.approx(wanted, abs=1e-4)
    assert masses.sum(axis=-1) == pytest.approx(1)


def test_masses_of_three_metrics_against_draws():
    rng = np.random.default_rng(1)
    root = np.tril(rng.normal(size=(3, 3)))
    at = np.array([0.3, -0.2, 0.5])
    ropes = as_ropes((0.5, 0.7, 1.0), ("a", "b", "c"))
    result = region_masses(at[None], root[None], np.array([3.0]), np.eye(3), ropes, seed=1)
    x = at + rng.standard_normal((400_000, 3)) @ root.T / np.sqrt(
        rng.chisquare(3, (400_000, 1)) / 3
    )  # fmt: skip
    worse = (x < ropes.low).any(axis=1)
    better = (x > ropes.high).any(axis=1)
    wanted = [np.mean(~worse & ~better), np.mean(worse & ~better), np.mean(better & ~worse),
              np.mean(worse & better)]  # fmt: skip
    assert result.mean(axis=0)[0] == pytest.approx(wanted, abs=0.006)


def test_one_metric_has_the_masses_of_the_t_exactly():
    masses = region_masses(
        np.array([[0.1]]), np.array([[[0.5]]]), np.array([3.0]), np.eye(1),
        as_ropes([(-0.2, 0.3)], ("a",)), seed=1,
    )  # fmt: skip
    t = stats.t(3, 0.1, 0.5)
    wanted = [t.cdf(0.3) - t.cdf(-0.2), t.cdf(-0.2), t.sf(0.3), 0]
    assert masses[0, 0] == pytest.approx(wanted, abs=1e-12)
