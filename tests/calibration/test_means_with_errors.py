"""How often equal models are told apart by their means and standard errors."""

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import means_with_errors

pytestmark = pytest.mark.calibration

RUNS = 400


def decided(x):
    return means_with_errors(x, rope=0, seed=1).verdict().decision != "undecided"


def test_few_runs_are_known_to_be_few():
    """Errors of three runs, as known: |z| over 1.645 is far more frequent than one in ten."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(RUNS, 2, 3))
    means, errors = x.mean(2), x.std(2, ddof=1) / np.sqrt(3)
    rates = {
        runs: np.mean(
            [
                decided(bc.MeanDifferences(means=[m], errors=[e], runs=runs))
                for m, e in zip(means, errors, strict=True)
            ]
        )
        for runs in (None, 3)
    }
    z = np.abs(means[:, 1] - means[:, 0]) / np.hypot(*errors.T)
    assert rates[None] == np.mean(z > stats.norm.ppf(0.95)) > 0.13
    assert rates[3] < 0.1


def test_several_data_sets():
    """Eight data sets with effects of mean 0 and standard deviation 0.01, errors about 0.008."""
    rng = np.random.default_rng(2)
    rate = 0
    for _ in range(RUNS // 2):
        errors = rng.uniform(0.004, 0.008, (8, 2))
        means = rng.normal(0, errors) + np.array([0, 1]) * rng.normal(0, 0.01, (8, 1))
        x = bc.MeanDifferences(means=means, errors=errors, span=1.0)
        p = means_with_errors(x, rope=0, seed=1).verdict().location
        rate += max(p["left"], p["right"]) >= 0.95
    assert rate / (RUNS // 2) < 0.1 + 3 * np.sqrt(0.09 / (RUNS // 2))
