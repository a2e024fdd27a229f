"""Intervals hold where answers have epochs, clusters within clusters, or judges.

A few cases of each; the whole table is that of evidence/answers_coverage.py.
"""

import answers_coverage as simulated
import numpy as np
import pytest
import weights_coverage

pytestmark = pytest.mark.calibration

RUNS = 300
#: Three standard errors of a coverage of 0.95.
OFF = 3 * np.sqrt(0.95 * 0.05 / RUNS)


def coverage(once, *case):
    rng = np.random.default_rng(7)
    runs = [once(rng, *case) for _ in range(RUNS)]
    return {method: np.mean([run[method] for run in runs]) for method in runs[0]}


@pytest.mark.parametrize("k", [1, 2])
def test_pass_hat(k):
    many = simulated.chances(np.random.default_rng(0), 1_000_000)
    truth = float(np.mean(many[1] ** k - many[0] ** k))
    assert coverage(simulated.of_pass, 100, k, truth)["bayescmp"] == pytest.approx(0.95, abs=OFF)


@pytest.mark.parametrize("families", [8, 20])
def test_families_of_tasks(families):
    covered = coverage(simulated.of_levels, families, 1.0, 0.5)
    assert covered["bayescmp"] == pytest.approx(0.95, abs=OFF)
    assert covered["inner"] < 0.8
    assert covered["usual"] < 0.5


@pytest.mark.parametrize("metric", ["f1", "roc_auc"])
def test_any_metric_by_weights(metric):
    truth = 0.0  # each says what either model would
    rng = np.random.default_rng(3)
    hits = 0
    for seed in range(RUNS):
        y, first, second = weights_coverage.make(rng, 200, metric)
        turned = rng.random(200) < 0.5  # who said what is drawn
        both = np.where(turned, first, second), np.where(turned, second, first)
        low, high = weights_coverage.posterior(y, *both, metric, seed).interval
        hits += low <= truth <= high
    assert hits / RUNS == pytest.approx(0.95, abs=OFF)


def test_judges():
    covered = coverage(simulated.of_judges, 30, 5, 1.0)
    assert covered["bayescmp"] > 0.95 - OFF
    assert covered["questions"] < 0.7
