"""How often DeLong's test rejects equal areas of correlated scores."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f

pytestmark = pytest.mark.calibration

RUNS = 4000


@pytest.mark.parametrize(("cases", "shift"), [(60, 1.0), (200, 1.0), (200, 0.0)])
def test_equal_areas(cases, shift):
    """Two noisy versions of one score, half of the cases positive: about 0.05."""
    rng = np.random.default_rng([4, cases, int(10 * shift)])
    y = np.arange(cases) % 2
    hits = 0
    for _ in range(RUNS):
        shared = rng.normal(size=cases)
        a, b = shift * y + 0.7 * shared + 0.7 * rng.normal(size=(2, cases))
        hits += f.delong(y, a, b).pvalue <= 0.05
    print(f"{cases} cases, shift {shift}: {hits / RUNS:.4f}")
    assert abs(hits / RUNS - 0.05) < 3 * np.sqrt(0.05 * 0.95 / RUNS) + 0.01
