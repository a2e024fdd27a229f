"""Bayesian verdicts of several metrics beside the corrected Hotelling test."""

from __future__ import annotations

import numpy as np

from bayescmp.bayesian import multivariate_t
from bayescmp.frequentist import hotelling_paired

ROPE, ALPHA = 0.01, 0.01


def simulated(seed):
    """Differences of 2 or 3 metrics on 20 to 100 folds that correlate at 0.1."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.choice([20, 50, 100])), int(rng.integers(2, 4))
    root = rng.normal(size=(p, p)) * rng.uniform(0.003, 0.03)
    shift = rng.normal(size=p) * rng.choice([0, 0.005, 0.05, 0.1])
    z = np.sqrt(0.9) * rng.normal(size=(n, p)) + np.sqrt(0.1) * rng.normal(size=p)
    return shift + z @ root.T


def test_decided_directions_agree_with_hotelling_where_it_rejects():
    decided, compared, differ = {}, 0, []
    for seed in range(200):
        x = simulated(seed)
        verdict = multivariate_t(x, rho=0.1, rope=ROPE, seed=1).verdict(points=4096)
        test = hotelling_paired(x, rho=0.1)
        decision = verdict.decision
        decided[decision] = decided.get(decision, 0) + 1
        if decision == "undecided" or test.pvalue >= ALPHA:
            continue
        compared += 1
        better, worse = np.any(test.mean > ROPE), np.any(test.mean < -ROPE)
        # the side of Hotelling's own mean difference, beyond the rope
        seen = {(1, 0): "second", (0, 1): "first", (1, 1): "trade-off", (0, 0): "equivalent"}
        if seen[int(better), int(worse)] != decision:
            differ.append((seed, decision, test.mean))
        # no metric that is significant by itself speaks against the verdict
        t = test.mean / np.sqrt(np.diag(test.covariance) * (1 / len(x) + 0.1 / 0.9))
        if decision in ("first", "second"):
            sign = 1 if decision == "second" else -1
            assert not np.any((sign * t < -2.9) & (np.abs(test.mean) > ROPE))
    print(decided, compared)
    assert differ == []
    assert compared >= 40
    assert set(decided) == {"first", "second", "trade-off", "equivalent", "undecided"}
