"""How often two one-sided tests find equivalence at the edge of the rope: at most the level."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f

pytestmark = pytest.mark.calibration

RUNS, ROPE = 4000, 0.01


@pytest.mark.parametrize(("rho", "spread"), [(0.1, 0.01), (0.1, 0.003), (0.5, 0.003)])
def test_corrected_at_the_edge(rho, spread):
    """Ten folds of correlation rho, the mean difference on an end of the rope: rate <= 0.05."""
    rng = np.random.default_rng([7, int(100 * rho), int(1e4 * spread)])
    shared = np.sqrt(rho) * rng.normal(size=(RUNS, 1))
    own = np.sqrt(1 - rho) * rng.normal(size=(RUNS, 10))
    x = ROPE + spread * (shared + own)
    rate = np.mean([f.tost_paired(row, rope=ROPE, rho=rho).pvalue <= 0.05 for row in x])
    plain = np.mean([f.tost_means(row, rope=ROPE).pvalue <= 0.05 for row in x])
    print(f"rho {rho}, spread {spread}: corrected {rate:.4f}, plain {plain:.4f}")
    assert rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS)
    if spread < ROPE / 3:  # the other end is far: the corrected level is exact, the plain one not
        assert rate >= 0.05 - 3 * np.sqrt(0.05 * 0.95 / RUNS)
        assert plain > 0.1


@pytest.mark.parametrize("method", ["t", "wilcoxon"])
def test_over_data_sets_at_the_edge(method):
    rng = np.random.default_rng(8)
    x = ROPE + 0.003 * rng.standard_t(5, size=(RUNS, 14))
    rate = np.mean([f.tost_means(r, rope=ROPE, method=method).pvalue <= 0.05 for r in x])
    print(f"{method}: {rate:.4f}")
    assert 0.035 <= rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS)
