"""Time of the whole decision procedure, and of the agreement of two tests.

Run with ``pytest -m benchmark -s tests/benchmarks/test_procedure_speed.py``. Processor time, least
of several runs; both start from a table of scores.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc

pytestmark = pytest.mark.benchmark

EXAMPLE = Path(__file__).parents[2] / "examples" / "data" / "scores.csv"


def least(function, repeats=3):
    """Least of several processor times, seconds, and the last result."""
    times, result = [], None
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return min(times), result


def table(q, L, n, p, seed=1):
    """Long table of q data sets, L algorithms, n folds in runs of ten, p correlated metrics."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(q, L, n, p)) @ rng.normal(size=(p, p))
    x = noise + rng.normal(size=(q, 1, n, p)) + 0.5 * rng.normal(size=(q, L, 1, p))
    frame = pd.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(q)], L * n),
            "algorithm": np.tile(np.repeat([f"a{i}" for i in range(L)], n), q),
            "repeat": np.tile(np.arange(n) // 10 + 1, q * L),
            "fold": np.tile(np.arange(n) % 10 + 1, q * L),
        }
    )
    return frame.assign(**{f"m{k}": x[..., k].ravel() for k in range(p)})


@pytest.mark.parametrize("pairwise", ["hotelling", "two-sample"])
def test_thirty_algorithms_on_a_hundred_data_sets(pairwise):
    """The size the project asks for, in under 30 s: 43,500 Hotelling tests and 100 MANOVAs."""
    frame = table(100, 30, 30, 6)
    metrics = [f"m{k}" for k in range(6)]

    def whole():
        return bc.procedure(
            bc.Scores(frame), metrics=metrics, costs={"m0": 1.0, "m1": -2.0}, pairwise=pairwise
        )

    seconds, result = least(whole, 2)
    assert len(result.pairwise) == 43_500
    assert result.sign_tests is not None
    print(f"\n30 algorithms x 30 folds x 6 metrics x 100 data sets, {pairwise}: {seconds:.2f} s")
    assert seconds < 30


def test_agreement_on_the_example_scores():
    """3,920 pairs of tests."""
    scores = bc.Scores.read(EXAMPLE)
    seconds, result = least(lambda: bc.decision_agreement(scores))
    assert len(result.decisions) == 3920
    print(f"\nagreement of 3,920 pairs of tests: {seconds:.3f} s")
    assert seconds < 5
