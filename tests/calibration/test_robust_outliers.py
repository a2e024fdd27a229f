"""What outlying folds do to the robust correlated t test, and to the one with normal noise.

Folds are normal, correlated at 0.1; then some of them are moved by ten standard deviations. With
``-m calibration -s`` the figures are printed that the docstring of `robust_t` gives.
"""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import correlated_t, robust_t

pytestmark = [pytest.mark.calibration, pytest.mark.stan]

REPLICATES, FOLDS, RHO, AWAY = 30, 20, 0.1, 10.0


def folds(rng):
    shared = np.sqrt(RHO) * rng.normal()
    return 0.5 + shared + np.sqrt(1 - RHO) * rng.normal(size=FOLDS)


def interval(posterior):
    """Median, and half the width of the central 95 % interval."""
    row = posterior.summary().loc["delta"]
    return row["median"], (row["97.5%"] - row["2.5%"]) / 2


def figures(engine, outliers):
    """Medians over replicates: shifts in clean half-widths, and ratios of the widths."""
    rng = np.random.default_rng([7, outliers])
    actual = {"robust": [], "normal": []}
    for seed in range(REPLICATES):
        x = folds(rng)
        spoiled = x.copy()
        spoiled[:outliers] += AWAY
        for name, test in (
            ("robust", lambda v, s=seed: robust_t(v, rho=RHO, rope=0.1, seed=s, engine=engine)),
            ("normal", lambda v: correlated_t(v, rho=RHO, rope=0.1)),
        ):
            (clean, width), (moved, wider) = (interval(test(v)) for v in (x, spoiled))
            actual[name].append([abs(moved - clean) / width, wider / width])
    return {name: np.median(values, axis=0) for name, values in actual.items()}


@pytest.mark.parametrize("outliers", [1, 3])
def test_outliers_move_the_robust_test_less_and_widen_both(stan_engine, outliers):
    result = figures(stan_engine, outliers)
    print(f"\n{outliers} of {FOLDS} folds moved by {AWAY:g} sd, {REPLICATES} replicates")
    for name, (shift, ratio) in result.items():
        print(f"  {name:<7} shift {shift:.2f} half-widths, interval {ratio:.2f} times as wide")
    assert result["robust"][0] < result["normal"][0] / 2
    assert result["robust"][1] < result["normal"][1]
    assert result["robust"][1] > 1  # the common part of the folds has heavy tails too
