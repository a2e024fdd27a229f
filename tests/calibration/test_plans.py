"""Predicted chances come true: as many verdicts are decided as plans claim."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.study.planning.deciding import Truth

pytestmark = pytest.mark.calibration

STUDIES = 300
#: Also where the plan claims 0.6 to 0.95, the range that matters.
RANGES = ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.95), (0.95, 1), (0, 1))


def study(rng, seed):
    """A truth and ten data sets: the chance that twelve more decide, and whether they do."""
    truth = Truth(rng.normal(0, 0.02), rng.uniform(0.002, 0.015), 10.0, 0.02, 0.1, 10)
    seen, whole = truth.simulate(10, [8, seed]), truth.simulate(22, [8, seed])
    posterior = bc.bayesian.hierarchical_t(seen, rope=0.01, engine="quadrature", seed=1)
    plan = posterior.plan(datasets=[12], simulations=40, seed=seed)
    later = bc.bayesian.hierarchical_t(whole, rope=0.01, engine="quadrature", seed=1)
    return plan.frame["decided"].iloc[0], later.verdict().decision != "undecided"


def test_predicted_chances_come_true(evidence):
    rng = np.random.default_rng(8)
    predicted, decided = np.array([study(rng, seed) for seed in range(STUDIES)]).T
    for low, high in RANGES:
        here = (predicted >= low) & ((predicted < high) | (high == 1))
        p, share, n = predicted[here].mean(), decided[here].mean(), here.sum()
        evidence("plans", low=low, high=high, studies=n, predicted=p, decided=share)
        print(f"\n{low:.2f} to {high:.2f}: {n:3d} studies, predicted {p:.3f}, decided {share:.3f}")
        error = np.sqrt((predicted[here] * (1 - predicted[here])).sum() + 0.25) / n
        assert abs(p - share) < 0.05 + 2 * error
