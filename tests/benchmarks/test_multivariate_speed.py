"""Time of the closed forms of several metrics.

Run with ``pytest -m benchmark -s tests/benchmarks/test_multivariate_speed.py``. Times are the best
of several runs in one process, processor time.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from bayescmp.bayesian import groups, multivariate_t

pytestmark = pytest.mark.benchmark


def best(function, repeats=7):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def test_closed_form_with_two_metrics():
    x = np.random.default_rng(1).normal(0.01, 0.03, (100, 2))

    def fit_and_verdict():
        return multivariate_t(x, rho=0.1, rope=0.01, seed=1).verdict(points=16_384)

    seconds = best(fit_and_verdict)
    error = max(fit_and_verdict().errors.values())
    print(f"\np = 2, 16,384 points: {1e3 * seconds:.2f} ms, standard error {error:.1g}")
    assert seconds < 0.020


@pytest.mark.parametrize("p", [1, 2, 3, 6])
def test_all_pairs_of_twenty_algorithms(p):
    rng = np.random.default_rng(1)
    x = rng.normal(0.7, 0.02, (20, 1, p)) + rng.normal(0, 0.03, (20, 30, p))
    seconds = best(lambda: groups(x, rho=0.1, rope=0.01, seed=1).verdicts(), 3)
    whole = best(lambda: str(groups(x, rho=0.1, rope=0.01, seed=1)), 2)
    print(f"\n190 pairs, p = {p}: {seconds:.2f} s; with ranks, told: {whole:.2f} s")
    assert seconds < 3
