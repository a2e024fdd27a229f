"""How often the intervals of effect sizes hold the true effect."""

import numpy as np
import pytest

import bayescmp.frequentist as f

pytestmark = pytest.mark.calibration

RUNS = 1500


def share(truth, effects):
    ends = np.array([e.confidence_interval(0.9) for e in effects])
    return np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))


@pytest.mark.parametrize(("rho", "delta"), [(0.0, 0.0), (0.1, 0.8), (0.5, 0.8)])
def test_cohens_d(rho, delta, evidence):
    """Exact for normal folds of correlation rho."""
    rng = np.random.default_rng([6, int(10 * rho)])
    shared = np.sqrt(rho) * rng.normal(size=(RUNS, 1))
    x = delta + shared + np.sqrt(1 - rho) * rng.normal(size=(RUNS, 10))
    held = share(delta, [f.cohens_d(row, rho=rho) for row in x])
    evidence(
        "effects_coverage", effect="cohens_d", true=delta, rho=rho, simulations=RUNS, covered=held
    )
    print(f"d = {delta}, rho = {rho}: {held:.4f}")
    assert abs(held - 0.9) < 3 * np.sqrt(0.09 / RUNS)


@pytest.mark.parametrize("shift", [0.0, 0.8, 1.5])
def test_cliffs_delta(shift, evidence):
    """Cliff's interval is approximate: 0.90 to 0.96 in small samples."""
    rng = np.random.default_rng([7, int(10 * shift)])
    far = rng.normal(shift, 1, size=1_000_000) - rng.normal(size=1_000_000)
    truth = 2 * np.mean(far > 0) - 1
    effects = [f.cliffs_delta(rng.normal(size=12), rng.normal(shift, 1, 12)) for _ in range(RUNS)]
    held = share(truth, effects)
    evidence(
        "effects_coverage",
        effect="cliffs_delta",
        true=truth,
        rho=0.0,
        simulations=RUNS,
        covered=held,
    )
    print(f"shift {shift}: {held:.4f}")
    assert 0.88 < held < 0.97
