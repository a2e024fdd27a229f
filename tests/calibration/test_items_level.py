"""How often tests of right and wrong answers reject equal algorithms."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp.frequentist as f

pytestmark = pytest.mark.calibration

RUNS = 4000


def answers(rng, n, L):
    """Items of varying difficulty, algorithms alike."""
    return rng.uniform(size=(n, L)) < rng.beta(2, 1, size=(n, 1))


@pytest.mark.parametrize("n", [40, 200])
def test_mcnemar(n):
    """Exact: at most the level; mid-p: near it, hardly ever over."""
    rng = np.random.default_rng([1, n])
    rates = dict.fromkeys(("exact", "midp", "chi2"), 0)
    for _ in range(RUNS):
        a, b = answers(rng, n, 2).T
        for method in rates:
            rates[method] += f.mcnemar(a, b, method=method).pvalue <= 0.05
    print(f"n = {n}: " + ", ".join(f"{m} {k / RUNS:.4f}" for m, k in rates.items()))
    room = 3 * np.sqrt(0.05 * 0.95 / RUNS)
    assert rates["exact"] / RUNS <= 0.05 + room
    assert rates["exact"] < rates["midp"]
    assert abs(rates["midp"] / RUNS - 0.05) < room + 0.01
    assert abs(rates["chi2"] / RUNS - 0.05) < room + 0.01


@pytest.mark.parametrize("L", [3, 8])
def test_cochran(L):
    rng = np.random.default_rng([2, L])
    rate = np.mean([f.cochran_q(answers(rng, 60, L)).pvalue <= 0.05 for _ in range(RUNS)])
    print(f"L = {L}: {rate:.4f}")
    assert abs(rate - 0.05) < 3 * np.sqrt(0.05 * 0.95 / RUNS) + 0.01
