"""Aggregates of runs beside rliable, in one run: the same numbers, in less time."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

import bayescmp as bc

pytestmark = pytest.mark.benchmark
REPS = 2000


@pytest.fixture(scope="module")
def rliable():
    """rliable 1.2.0; arch 7.2.0, which it needs, does not import beside pandas 3."""
    try:
        from rliable import library
    except (ImportError, TypeError) as error:
        pytest.skip(f"rliable: {error}")
    return library


@pytest.fixture(scope="module")
def runs():
    """Ten runs of two algorithms on 26 tasks, as on the Atari 100k benchmark."""
    rng = np.random.default_rng(1)
    level = rng.normal(size=26)
    return {
        a: shift + level + rng.standard_t(3, (10, 26)) for a, shift in (("dqn", 0), ("sac", 0.4))
    }


def timed(call):
    start = perf_counter()
    result = call()
    return result, perf_counter() - start


def check(ours, theirs, seconds, least, beside):
    """Estimates to rounding; interval ends to a twelfth of their width, which resampling moves."""
    frame, (estimate, low, high) = ours.frame, theirs
    width = frame["high"] - frame["low"]
    assert frame["estimate"].to_numpy() == pytest.approx(estimate, rel=1e-12)
    for name, end in (("low", low), ("high", high)):
        assert np.all(np.abs(frame[name] - end) < width / 12 + 1e-12)
    job = f"{ours.measure} of 10 runs x 26 tasks with intervals, {REPS:,} resamples"
    assert beside(job, "rliable", seconds[1], seconds[0]) > least


@pytest.mark.parametrize("measure", ["iqm", "mean", "median"])
def test_aggregates(rliable, runs, measure, beside):
    from rliable import metrics

    of = getattr(metrics, f"aggregate_{measure}")
    np.random.seed(1)  # noqa: NPY002
    (points, ends), theirs = timed(
        lambda: rliable.get_interval_estimates(runs, lambda x: np.array([of(x)]), reps=REPS)
    )
    ours, own = timed(
        lambda: bc.frequentist.aggregate_runs(runs, measure=measure, resamples=REPS, seed=1)
    )
    expected = [points[a][0] for a in runs], *([ends[a][i, 0] for a in runs] for i in (0, 1))
    check(ours, expected, (own, theirs), least=1, beside=beside)


def test_improvement(rliable, runs, beside):
    from rliable import metrics

    pair = {"pair": (runs["sac"], runs["dqn"])}
    (points, ends), theirs = timed(
        lambda: rliable.get_interval_estimates(pair, metrics.probability_of_improvement, reps=REPS)
    )
    ours, own = timed(
        lambda: bc.frequentist.probability_of_improvement(*runs.values(), resamples=REPS, seed=1)
    )
    expected = points["pair"], ends["pair"][0], ends["pair"][1]
    check(ours, expected, (own, theirs), least=1, beside=beside)


def test_profiles(rliable, runs, beside):
    at = np.linspace(-2, 2, 41)
    (points, ends), theirs = timed(lambda: rliable.create_performance_profile(runs, at, reps=REPS))
    ours, own = timed(
        lambda: bc.frequentist.performance_profiles(runs, at, resamples=REPS, seed=1)
    )
    expected = (
        np.concatenate([points[a] for a in runs]),
        *(np.concatenate([ends[a][i] for a in runs]) for i in (0, 1)),
    )
    check(ours, expected, (own, theirs), least=1, beside=beside)


def test_bayesian_twins(rliable, runs, beside):
    """Slower than resampling, for weights are no counts: still faster than rliable."""
    from rliable import metrics

    _, theirs = timed(
        lambda: rliable.get_interval_estimates(
            runs, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=REPS
        )
    )
    _, own = timed(lambda: bc.bayesian.aggregate_runs(runs, draws=REPS, seed=1))
    job = f"iqm of 10 runs x 26 tasks by the Bayesian bootstrap, {REPS:,} draws"
    assert beside(job, "rliable", theirs, own) > 1
