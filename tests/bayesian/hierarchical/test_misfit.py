"""Checks of the hierarchy: their statistics by SciPy, what they see, how rarely they err."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from bayescmp import load
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.misfit import (
    LEVEL,
    fold_tails,
    means_against_replicates,
    misfits,
)
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.differences import Differences
from bayescmp.planning.truth import Truth
from bayescmp.verdict import Rope

SOUND = Truth(0.005, 0.02, 10.0, 0.03, 0.1, 10)


def sound(q, seed):
    return np.array(SOUND.simulate(q, [seed]).x)


def fitted(x):
    names = [f"d{i + 1}" for i in range(len(x))]
    return hierarchical_t(
        Differences(x, rho=0.1, datasets=names), rope=0.01, engine="quadrature", seed=1
    )


def test_tails_of_folds_are_those_of_their_kurtosis():
    d = Differences(sound(6, 1), rho=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy, of fewer than 20
        z = [stats.kurtosistest(row).statistic for row in d.x]
    wanted = stats.norm.sf(np.sum(z) / np.sqrt(6))
    p, excess = fold_tails(d, np.zeros(6, bool))
    assert p == pytest.approx(wanted)
    normal = 3 * 9 / 11  # the expectation of ten normal folds
    assert excess == pytest.approx(np.mean(stats.kurtosis(d.x, axis=1, fisher=False)) - normal)
    few = Differences(sound(6, 1)[:, :4], rho=0.1)
    assert fold_tails(few, np.zeros(6, bool)) == (1, 0)
    assert fold_tails(d, np.ones(6, bool)) == (1, 0)  # nothing varies


def test_means_are_compared_with_replicates_of_the_model():
    """Of means that are replicates themselves the probability is uniform."""
    upper = {"delta0": np.full(1000, 0.005), "sigma0": np.full(1000, 0.02),
             "nu": np.full(1000, 10.0)}  # fmt: skip
    low = []
    for seed in range(200):
        problem = pose(
            SOUND.simulate(12, [seed]), HierarchicalPrior.corani2017(), Rope(-0.01, 0.01)
        )
        low.append(means_against_replicates(problem, upper)[2])
    assert stats.kstest(low, "uniform").pvalue > 1e-3


def test_what_is_seen():
    x = sound(20, 2)
    assert fitted(x).diagnostics.misfit == ()
    out, clusters = x.copy(), x.copy()
    out[3] += 0.8
    clusters[::2] += 0.3
    assert fitted(out).diagnostics.misfit == ("data set d4 lies far from the others",)
    assert "the data sets' mean differences fall into clusters" in (
        fitted(clusters).diagnostics.misfit
    )
    rng = np.random.default_rng(3)
    tails = x + 0.03 * rng.standard_t(1.5, x.shape)
    assert fitted(tails).diagnostics.misfit[0].startswith("folds have heavier tails")


def test_few_data_sets_have_no_shape():
    posterior = fitted(sound(5, 1))
    assert means_against_replicates(posterior.problem, posterior.upper_draws)[1:] == (1, 1)


@pytest.mark.parametrize("rounding", [0.0, 1e-17])
def test_data_sets_that_tie_have_no_shape(rounding):
    x = sound(8, 1)
    tied = x - x.mean(axis=1, keepdims=True) + 0.005 + rounding * np.arange(8)[:, None]
    posterior = fitted(tied)
    assert means_against_replicates(posterior.problem, posterior.upper_draws)[1:] == (1, 1)


def test_it_is_printed_and_saved_and_fails_nothing(tmp_path):
    x = sound(20, 2)
    x[3] += 0.8
    posterior = fitted(x)
    assert posterior.diagnostics.ok
    assert "data set d4 lies far from the others" in " ".join(str(posterior).split())
    posterior.save(tmp_path / "posterior.nc")
    assert load(tmp_path / "posterior.nc").diagnostics == posterior.diagnostics


@pytest.mark.calibration
def test_false_alarms():
    """Of 1,000 sound problems at most 5 % set off any check, up to two standard errors."""
    alarms = []
    for seed in range(1000):
        q = (10, 20, 54)[seed % 3]
        d = SOUND.simulate(q, [seed])
        posterior = hierarchical_t(d, rope=0.01, engine="quadrature", seed=1)
        alarms.append(bool(misfits(d, posterior.problem, posterior.upper_draws)))
    print(f"false alarms: {np.mean(alarms):.3f} of 1,000, level {LEVEL} a check")
    assert np.mean(alarms) < 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)
