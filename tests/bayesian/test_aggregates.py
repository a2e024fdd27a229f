"""The Bayesian bootstrap of aggregates: Dirichlet moments, its twin, few runs."""

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from tests.rows import each_row


def test_posterior_of_a_mean_has_the_dirichlet_moments():
    """Of one task: mean x̄ and variance Σ(x-x̄)²/(n(n+1)) (Rubin 1981)."""
    x = np.random.default_rng(1).normal(size=(6, 1))
    result = bc.bayesian.aggregate_runs({"a": x}, measure="mean", draws=40_000, seed=1)
    assert result.draws.mean() == pytest.approx(x.mean(), abs=0.01)
    assert result.draws.var() == pytest.approx(x.var() / 7, rel=0.03)


@each_row("measure", ["iqm", "mean", "median"])
def test_beside_its_frequentist_twin(measure):
    """With many runs the two intervals are nearly the same."""
    x = {"a": np.random.default_rng(2).normal(size=(60, 8))}
    one = bc.bayesian.aggregate_runs(x, measure=measure, draws=4000, seed=1).frame.loc["a"]
    other = bc.frequentist.aggregate_runs(x, measure=measure, resamples=4000, seed=1).frame.loc[
        "a"
    ]
    assert one["estimate"] == pytest.approx(other["estimate"], abs=1e-12)
    width = other["high"] - other["low"]
    assert one["low"] == pytest.approx(other["low"], abs=0.1 * width)
    assert one["high"] == pytest.approx(other["high"], abs=0.1 * width)


def test_improvement():
    rng = np.random.default_rng(3)
    old, new = rng.normal(size=(10, 5)), rng.normal(1, size=(12, 5))
    result = bc.bayesian.probability_of_improvement(old, new, draws=4000, seed=1)
    plain = bc.frequentist.probability_of_improvement(old, new, seed=1)
    assert result.estimate == pytest.approx(plain.estimate)
    assert result.draws.mean() == pytest.approx(plain.estimate[0], abs=0.01)
    assert result.draws.std() == pytest.approx(plain.draws.std(), rel=0.15)
    assert "Bayesian bootstrap" in str(result)


def test_a_profile_on_one_task_is_beta():
    """Of n = 10 runs k = 3 above: Dirichlet weights of the three add up to Beta(3, 7)."""
    x = np.arange(10.0)[:, None]
    draws = bc.bayesian.performance_profiles({"a": x}, [6.5], draws=4000, seed=1).draws[0]
    assert stats.kstest(draws, stats.beta(3, 7).cdf).pvalue > 1e-3


def test_a_profile_averages_tasks():
    """The mean of two independent Beta variables, Beta(3, 7) and Beta(8, 2)."""
    x = np.c_[np.arange(10.0), np.arange(10.0) + 5]
    draws = bc.bayesian.performance_profiles({"a": x}, [6.5], draws=4000, seed=1).draws[0]
    spread = np.sqrt(stats.beta(3, 7).var() + stats.beta(8, 2).var()) / 2
    assert draws.mean() == pytest.approx(0.55, abs=4 * spread / np.sqrt(4000))
    assert draws.std() == pytest.approx(spread, rel=0.05)
