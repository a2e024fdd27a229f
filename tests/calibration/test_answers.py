"""Intervals hold where answers have epochs, clusters within clusters, or judges.

A few cases of each; the whole table is that of evidence/answers_coverage.py.
"""

from __future__ import annotations

import answers_coverage as simulated
import numpy as np
import pytest

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
    found = coverage(simulated.of_levels, families, 1.0, 0.5)
    assert found["bayescmp"] == pytest.approx(0.95, abs=OFF)
    assert found["inner"] < 0.8
    assert found["usual"] < 0.5


def test_judges():
    found = coverage(simulated.of_judges, 30, 5, 1.0)
    assert found["bayescmp"] > 0.95 - OFF
    assert found["questions"] < 0.7
