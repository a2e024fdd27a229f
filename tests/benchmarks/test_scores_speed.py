"""Time of the differences of two algorithms in a large table, linear in its size.

Run with ``pytest -m benchmark -s tests/benchmarks/test_scores_speed.py``.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc

pytestmark = pytest.mark.benchmark


def _table(q: int, runs: int = 10, folds: int = 10) -> pd.DataFrame:
    n = runs * folds
    return pd.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(q)], 3 * n),
            "algorithm": np.tile(np.repeat(["a", "b", "c"], n), q),
            "repeat": np.tile(np.repeat(np.arange(runs), folds), 3 * q),
            "fold": np.tile(np.arange(folds), 3 * q * runs),
            "accuracy": np.random.default_rng(0).integers(700, 901, 3 * q * n) / 1000,
        }
    )


def _seconds(scores: bc.Scores) -> float:
    """Of the processor, the best of all pairs."""
    times = []
    for pair in (("a", "b"), ("a", "c"), ("b", "c")):
        start = time.process_time()
        scores.differences(*pair)
        times.append(time.process_time() - start)
    return min(times)


def test_five_thousand_data_sets_of_a_hundred_folds():
    seconds = _seconds(bc.Scores(_table(5000)))
    print(f"\n5,000 data sets x 100 folds: {seconds:.3f} s a pair")
    assert seconds < 0.5
    assert seconds < 20 * _seconds(bc.Scores(_table(500)))  # linear would be 10
