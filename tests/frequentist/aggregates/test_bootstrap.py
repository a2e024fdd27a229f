"""The stratified bootstrap: rliable's numbers, all resamples, profiles, seeds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bayescmp.frequentist as f
from bayescmp.frequentist.aggregates.measures import aggregated


def scores(seed=1, runs=8, tasks=12):
    rng = np.random.default_rng(seed)
    level = rng.normal(size=tasks)
    return {a: shift + level + rng.standard_t(3, (runs, tasks))
            for a, shift in (("dqn", 0.0), ("sac", 0.4))}  # fmt: skip


#: rliable 1.2.0 with arch 7.2.0, get_interval_estimates(scores(), metric, reps=4000): estimate,
#: low, high of dqn, of sac. Without a seed: its ends move by about 0.01 from run to run.
RLIABLE = {
    "iqm": ((-0.06831496711089784, -0.3051, 0.1998), (0.8036994931763166, 0.5769, 1.0236)),
    "mean": ((-0.17213763561848439, -0.4977, 0.0954), (0.9982019772970899, 0.6328, 1.387)),
    "median": ((-0.12562194896830634, -0.4038, 0.2359), (1.0538480509332957, 0.5499, 1.3907)),
}


@pytest.mark.parametrize("measure", RLIABLE)
def test_as_in_rliable(measure):
    frame = f.aggregate_runs(scores(), measure=measure, resamples=4000, seed=1).frame
    for name, (estimate, low, high) in zip(("dqn", "sac"), RLIABLE[measure], strict=True):
        row = frame.loc[name]
        assert row["estimate"] == pytest.approx(estimate, rel=1e-12)
        assert [row["low"], row["high"]] == pytest.approx([low, high], abs=0.03)


def test_improvement_and_profiles_as_in_rliable():
    """rliable 1.2.0: metrics.probability_of_improvement(sac, dqn), create_performance_profile."""
    given = scores()
    row = f.probability_of_improvement(given["dqn"], given["sac"], seed=1).frame.iloc[0]
    assert row["estimate"] == pytest.approx(0.6940104166666666, rel=1e-12)
    assert [row["low"], row["high"]] == pytest.approx([0.6172, 0.7657], abs=0.015)
    profile = f.performance_profiles(given, [0.0], seed=1).frame.loc["sac > 0"]
    assert profile["estimate"] == pytest.approx(0.7604166666666666, rel=1e-12)
    assert [profile["low"], profile["high"]] == pytest.approx([0.6771, 0.8333], abs=0.0105)


@pytest.mark.parametrize("measure", ["iqm", "mean", "median"])
def test_by_all_resamples(measure):
    """Two tasks of three runs: 27² resamples, each as likely."""
    x = np.random.default_rng(2).normal(size=(3, 2))
    choices = list(itertools.product(range(3), repeat=3))
    every = [
        float(aggregated(np.c_[x[list(a), 0], x[list(b), 1]], measure))
        for a in choices for b in choices
    ]  # fmt: skip
    result = f.aggregate_runs({"a": x}, measure=measure, resamples=40_000, seed=1)
    assert result.draws.mean() == pytest.approx(np.mean(every), abs=0.01)
    assert result.draws.std() == pytest.approx(np.std(every), rel=0.02)
    low, high = np.quantile(every, [0.1, 0.9])
    ends = result.interval(0.8).loc["a", ["low", "high"]].to_numpy()
    assert ends == pytest.approx([low, high], abs=0.05)


def test_profiles_are_shares():
    given = scores()
    frame = f.performance_profiles(given, [-1, 0, 1], seed=1).frame
    for name, x in given.items():
        for t in (-1, 0, 1):
            row = frame.loc[f"{name} > {t}"]
            assert row["estimate"] == pytest.approx((x > t).mean())
            assert row["low"] < row["estimate"] < row["high"]


def test_a_profiles_interval_is_binomial_on_one_task():
    """Resamples of one task's runs above a threshold are binomial."""
    x = np.arange(10.0)[:, None]
    draws = f.performance_profiles({"a": x}, [6.5], resamples=20_000, seed=1).draws[0]
    assert draws.mean() == pytest.approx(0.3, abs=0.004)
    assert draws.std() == pytest.approx(np.sqrt(0.3 * 0.7 / 10), rel=0.02)


def test_improvement_and_its_mirror():
    given = scores()
    one = f.probability_of_improvement(given["dqn"], given["sac"], seed=1)
    other = f.probability_of_improvement(given["sac"], given["dqn"], seed=1)
    assert one.estimate[0] == pytest.approx(1 - other.estimate[0])
    assert "stratified bootstrap" in str(one)
    assert one.to_dict()["rows"]["improvement"]["low"] < one.estimate[0]


def test_seeds_and_unequal_runs():
    given = scores()
    given["sac"] = given["sac"][:5]
    a, b = (f.aggregate_runs(given, seed=3) for _ in range(2))
    assert np.array_equal(a.draws, b.draws)
    assert (a.runs, a.tasks) == (5, 12)
