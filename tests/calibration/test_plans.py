"""Predicted chances come true: as many verdicts are decided as plans claim."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.study.planning.deciding import Truth, run_all

pytestmark = pytest.mark.calibration

STUDIES = 300
#: Also where the plan claims 0.6 to 0.95, the range that matters.
RANGES = ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.95), (0.95, 1), (0, 1))


def study(rng, seed):
    """A truth and ten data sets: the chance that twelve more decide, and whether they do."""
    truth = Truth(rng.normal(0, 0.02), rng.uniform(0.002, 0.015), 10.0, 0.02, 0.1, 10)
    seen, whole = truth.simulate(10, [8, seed]), truth.simulate(22, [8, seed])
    posterior = bc.bayesian.hierarchical_t(seen, rope=0.01, engine="quadrature", seed=1)
    plan = posterior.plan(datasets=[12], simulations=40, seed=seed, progress=False)
    later = bc.bayesian.hierarchical_t(whole, rope=0.01, engine="quadrature", seed=1)
    return plan.frame["decided"].iloc[0], later.verdict().decision != "undecided"


def compare_with_decided(studies, evidence, table, **what):
    """A row for each range of chances that were predicted.

    All are within two standard errors on the whole, and each range as far as so many ranges are:
    their squares are those of a chi-squared that is exceeded with a probability of 0.05.
    """
    predicted, decided = np.array(studies).T
    squares = []
    for low, high in RANGES:
        here = (predicted >= low) & ((predicted < high) | (high == 1))
        p, share, n = predicted[here].mean(), decided[here].mean(), here.sum()
        error = np.sqrt((predicted[here] * (1 - predicted[here])).sum() + 0.25) / n
        row = {"low": low, "high": high, "studies": n, "predicted": p, "decided": share}
        evidence(table, **what, **row, **({"error": error} if what else {}))
        print(f"\n{low:.2f} to {high:.2f}: {n:3d} studies, predicted {p:.3f}, decided {share:.3f}")
        squares.append(((p - share) / error) ** 2)
    assert squares.pop() < 4
    assert sum(squares) < stats.chi2(len(squares)).ppf(0.95)


def test_predicted_chances_come_true(evidence):
    rng = np.random.default_rng(8)
    studies = [study(rng, seed) for seed in range(STUDIES)]
    compare_with_decided(studies, evidence, "plans")


def signed_rank(z):
    return bc.bayesian.signed_rank(z, rope=0.01, seed=1)


def sign(z):
    return bc.bayesian.sign(z, rope=0.01, seed=1)


def bootstrap(z):
    return bc.bayesian.bootstrap(np.column_stack([0 * z, z]), rope=0.01, seed=1)


def means_of_the_prior(rng):
    """Twenty-two means of a truth that is drawn from the prior under which plans are made.

    Its δ0 and σ0 are flat without a bound that matters. Here they have one, and only those studies
    are planned whose ten means seen lie so that it does not matter: a choice by what was seen
    leaves chances as they are.
    """
    while True:
        nu = 1 + rng.gamma(rng.uniform(0.5, 5)) / rng.uniform(0.05, 0.15)
        z = rng.uniform(-0.05, 0.05) + rng.uniform(0, 0.06) * rng.standard_t(nu, 22)
        if z[:10].std() < 0.02 and abs(z[:10].mean()) < 0.03:
            return z


def study_of_means(test, z, seed):
    """Ten means of a Student-t: the chance that twelve more decide, and whether they do."""
    pair = () if test is not bootstrap else ("A1", "A2")
    plan = test(z[:10]).plan(*pair, datasets=[12], simulations=50, seed=seed, progress=False)
    later = test(z).verdict(*pair)
    return plan.frame["decided"].iloc[0], max(later.probabilities.values()) >= 0.95


@pytest.mark.parametrize("test", [signed_rank, sign, bootstrap])
def test_chances_from_means_come_true(test, evidence):
    rng = np.random.default_rng(9)
    tasks = [(test, means_of_the_prior(rng), seed) for seed in range(STUDIES // 2)]
    studies = run_all(study_of_means, tasks, n_jobs=2, title="studies", progress=False)
    compare_with_decided(studies, evidence, "plans_means", test=test.__name__)
