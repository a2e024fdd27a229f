"""Reweighted draws against fits under the other assumption, by Stan."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.bayesian import hierarchical_multivariate_t, joint_t, robust_t
from bayescmp.bayesian.hierarchical_multivariate import refit as multivariate_refit
from bayescmp.bayesian.hierarchical_multivariate.variations import changes as multivariate_changes
from bayescmp.bayesian.joint import refit as joint_refit
from bayescmp.bayesian.joint.variations import changes as joint_changes

pytestmark = [pytest.mark.stan, pytest.mark.slow]

RNG = np.random.default_rng(3)
XS = RNG.normal([0.012, 0.008], 0.015, (8, 1, 2)) + RNG.normal(0, 0.02, (8, 10, 2))
SCORES = RNG.normal([0.70, 0.71, 0.72], 0.015, (8, 1, 3)) + RNG.normal(0, 0.02, (8, 10, 3))
FOLDS = np.array([0.3, 0.5, 0.1, 0.45, 0.2, 0.38, 0.6, 0.28, 0.33, 0.41])
#: Of what is varied these are fitted: the others take as long, and tell nothing else.
FITTED = {"0.2", "1"}


def plain(setting):
    return setting.partition(" (k-hat")[0]


def p_of(verdict):
    return np.array([*verdict.probabilities.values()])


def agree(reweighted, refitted, size):
    """Within three standard errors, of the fit's draws and of so many that were weighted.

    The weights cost draws: a k-hat of up to 0.7 leaves a quarter of them, or more.
    """
    p = np.clip(refitted, 1e-3, 1 - 1e-3)
    error = np.sqrt(p * (1 - p) * (1 / (size / 4) + 1 / 1000))
    z = (reweighted - refitted) / error
    return np.abs(z).max()


def compared(rows, fits, size):
    """Those that can be relied on against fits, by question; how many there are of each."""
    count: dict[str, int] = {}
    for (question, setting), (words, p) in rows.items():
        if (question, setting) not in fits:
            continue
        other = fits[question, setting]
        z = agree(p, other, size)
        print(f"{question:8s}{words:50s}{p.round(3)} fitted: {other.round(3)}, z {z:.1f}")
        if "not reliable" not in words:
            assert z < 3, (question, setting)
            count[question] = count.get(question, 0) + 1
    return count


def test_the_hierarchical_multivariate_test(stan_engine):
    posterior = hierarchical_multivariate_t(XS, rho=0.1, rope=0.01, engine=stan_engine, seed=1)
    rows = {(q, plain(s)): (s, p) for q, s, p in posterior.variations()}
    fits = {}
    for change in multivariate_changes(posterior, posterior.observed, datasets=True):
        if change.question == "prior" or change.setting in FITTED:
            other = multivariate_refit.refitted(posterior, change.observed, change.prior)
            fits[change.question, change.setting] = np.array(
                [*other.verdict().probabilities.values()]
            )
    print()
    assert set(compared(rows, fits, 1000)) == {"prior", "rho", "without"}


def test_the_joint_test(stan_engine):
    options = {"rope": 0.01, "engine": stan_engine, "seed": 1}
    posterior = joint_t(SCORES, rho=0.1, **options)
    pair = posterior.pairs[1]
    rows = {(q, plain(s)): (s, p[pair]) for q, s, p in posterior.pair_variations()}
    fits = {}
    for change in joint_changes(posterior.contrasts, posterior.datasets):
        if change.question == "prior" or change.setting in FITTED:
            other = joint_refit.refitted(posterior, change.contrasts)
            fits[change.question, change.setting] = p_of(other.verdict(*pair))
    again = joint_t(SCORES, rho=0.2, **options)
    assert agree(p_of(again.verdict(*pair)), fits["rho", "0.2"], 4000) < 3
    print()
    assert set(compared(rows, fits, 1000)) == {"prior", "rho", "without"}


def test_the_robust_test(stan_engine):
    options = {"rope": 0.3, "engine": stan_engine, "seed": 1}
    posterior = robust_t(FOLDS, rho=0.1, **options)
    rows = {(q, plain(s)): (s, p) for q, s, p in posterior.variations()}
    fits = {}
    for mean in (10.0, 100.0):
        other = robust_t(FOLDS, rho=0.1, nu_mean=mean, **options)
        fits["prior", f"mean of ν − 1 {mean:g}"] = np.array(
            [*other.verdict().probabilities.values()]
        )
    other = robust_t(FOLDS, rho=0.2, **options)
    fits["rho", "0.2"] = p_of(other.verdict())
    print()
    assert set(compared(rows, fits, 4000)) == {"prior", "rho"}
