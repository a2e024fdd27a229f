"""Time of the areas of many folds, beside scikit-learn called fold by fold.

Run with ``pytest -m benchmark -s tests/benchmarks/test_curves_speed.py``.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bayescmp import curves

pytestmark = pytest.mark.benchmark


def best(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        actual = function()
        times.append(time.perf_counter() - start)
    return min(times), actual


@pytest.mark.parametrize("decimals", [1, 9])
def test_ten_thousand_folds_of_a_hundred(decimals, beside):
    """With many ties and with none."""
    rng = np.random.default_rng(0)
    y = rng.permuted(np.tile(np.arange(100) < 40, (10_000, 1)), axis=1).astype(int)
    score = np.round(rng.normal(size=y.shape) + y, decimals)
    ours, areas = best(lambda: curves.auc(y, score), 5)
    theirs, expected = best(
        lambda: [roc_auc_score(a, b) for a, b in zip(y, score, strict=True)], 1
    )
    precision, _ = best(lambda: curves.auc_pr(y, score), 3)
    print(f"\n10,000 folds of 100, {decimals} decimals: AUC-PR {precision:.3f} s")
    job = f"AUC of 10,000 folds of 100, scores of {decimals} decimals"
    beside(job, "scikit-learn", theirs, ours)
    np.testing.assert_allclose(areas, expected, rtol=0, atol=1e-12)
    assert theirs >= 5 * ours
