"""Swap, order, units and refit, by hypothesis, of the tests whose own rooms do not have them."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescmp import Scores, bayesian
from bayescmp.bayesian import (
    aggregate_runs,
    bootstrap,
    bradley_terry,
    cluster_bootstrap,
    friedman,
    paired_proportions,
    performance_profiles,
    plackett_luce,
    probability_of_improvement,
    two_sample_t,
)
from bayescmp.bayesian.joint.problem import JointPrior, pose
from bayescmp.bayesian.joint.table import read_table

few = settings(max_examples=6)
SEED = st.integers(0, 10**6)
UNIT = st.sampled_from([1e-6, 0.3, 100.0, 1e6])
ROPES = st.tuples(*[st.floats(0.01, 0.2)] * 2)
NAMES = ["A1", "A2", "A3"]

NO_TESTS = {"load", "pair_blocks"}


def test_every_test_has_its_invariances():
    """Some file of this room that has tests by hypothesis names it."""
    room = Path(__file__).parent
    texts = [path.read_text("utf-8") for path in room.rglob("test_*.py")]
    words = {w for text in texts if "@given(" in text for w in re.findall(r"\w+", text)}
    tests = {name for name in bayesian.__all__ if name.islower()} - NO_TESTS
    assert tests - words == set()


def simulated(seed, q=5, n=6, L=3):
    """Scores (q, n, L) whose algorithms are about as far apart as their noise."""
    rng = np.random.default_rng(seed)
    means = 0.8 + np.linspace(0, 0.03, L) + rng.normal(0, 0.03, (q, L))
    return means[:, None] + rng.normal(0, 0.03, (q, n, L))


def frame_of(x, names):
    """The scores as a table, algorithms, data sets and folds in the array's order."""
    places = np.indices(x.shape).reshape(3, -1)
    return Scores(
        pd.DataFrame(
            {
                "dataset": places[0],
                "fold": places[1],
                "algorithm": np.array(names)[places[2]],
                "throughput": x.ravel(),
            }
        ),
        higher_is_better=["throughput"],
    )


def by_bootstrap(x, rope, names=NAMES):
    return bootstrap(frame_of(x, names), rho=0.1, rope=rope, draws=1000, seed=1)


def by_friedman(x, rope, names=NAMES):
    return friedman(frame_of(x, names), rho=0.1, rope=rope, draws=1000, seed=1)


def by_bradley_terry(x, rope, names=NAMES):
    return bradley_terry(frame_of(x, names), rope=rope, seed=1)


def by_plackett_luce(x, rope, names=NAMES):
    return plackett_luce(frame_of(x, names), rope=rope, seed=1)


#: Each with whether its rope is in units of the scores, not of ranks or chances.
SEVERAL = pytest.mark.parametrize(
    ("fit", "in_units"),
    [
        (by_bootstrap, True),
        (by_friedman, False),
        (by_bradley_terry, False),
        (by_plackett_luce, False),
    ],
)


def near(one, other, draws=1000):
    """Whether two verdicts agree but for Monte Carlo error."""
    for region, p in one.probabilities.items():
        error = np.hypot(one.errors[region], other.errors[region])
        assert abs(p - other.probabilities[region]) < 5 * error + 3 / draws


def same(one, other):
    assert one.probabilities == pytest.approx(other.probabilities, abs=1e-9)
    assert one.expected == pytest.approx(other.expected, abs=1e-9)


@SEVERAL
@few
@given(seed=SEED, c=UNIT, ropes=ROPES)
def test_several_algorithms(fit, in_units, seed, c, ropes):
    """Swap and refit to the last draw, units to rounding, any order to the Monte Carlo error."""
    x, (rope, other) = simulated(seed), ropes
    posterior, fitted = fit(x, rope), fit(x, other)
    scaled = fit(c * x, c * rope if in_units else rope)
    rng = np.random.default_rng(seed)
    columns = rng.permutation(3)
    shuffled = x[rng.permutation(len(x))][:, rng.permutation(x.shape[1])][..., columns]
    ordered = fit(shuffled, rope, [NAMES[k] for k in columns])
    for first, second in posterior.pairs:
        verdict = posterior.verdict(first, second)
        assert posterior.verdict(second, first).swapped().probabilities == verdict.probabilities
        same(posterior.verdict(first, second, rope=other), fitted.verdict(first, second))
        same(scaled.verdict(first, second), verdict)
        near(ordered.verdict(first, second), verdict)


@few
@given(SEED, UNIT, ROPES)
def test_two_samples(seed, c, ropes):
    rng = np.random.default_rng(seed)
    first, second, (rope, other) = rng.normal(0, 0.1, 6), rng.normal(0.05, 0.2, 9), ropes
    verdict = two_sample_t(first, second, rope=rope).verdict()
    same(two_sample_t(second, first, rope=rope).verdict().swapped(), verdict)
    same(two_sample_t(rng.permutation(first), second[::-1], rope=rope).verdict(), verdict)
    same(two_sample_t(c * first, c * second, rope=c * rope).verdict(), verdict)
    same(two_sample_t(first, second, rope=other).verdict(rope), verdict)


@few
@given(SEED, UNIT, ROPES)
def test_clusters_of_items(seed, c, ropes):
    rng = np.random.default_rng(seed)
    labels = rng.permutation([*range(6), *rng.integers(0, 6, 6)])
    x, (rope, other) = rng.normal(0.03, 0.2, 12), ropes
    order = rng.permutation(12)
    verdict = cluster_bootstrap(x, clusters=labels, rope=rope).verdict()
    same(cluster_bootstrap(-x, clusters=labels, rope=rope).verdict().swapped(), verdict)
    same(cluster_bootstrap(x[order], clusters=5 - labels[order], rope=rope).verdict(), verdict)
    same(cluster_bootstrap(c * x, clusters=labels, rope=c * rope).verdict(), verdict)
    same(cluster_bootstrap(x, clusters=labels, rope=other).verdict(rope), verdict)


@few
@given(SEED, ROPES)
def test_proportions_of_items(seed, ropes):
    rng = np.random.default_rng(seed)
    (first, second), (rope, other) = rng.random((2, 30)) < [[0.6], [0.7]], ropes
    order = rng.permutation(30)
    verdict = paired_proportions(first, second, rope=rope).verdict()
    same(paired_proportions(second, first, rope=rope).verdict().swapped(), verdict)
    same(paired_proportions(first[order], second[order], rope=rope).verdict(), verdict)
    same(paired_proportions(first, second, rope=other).verdict(rope), verdict)


def problem_of(x):
    return pose(read_table(x, metric=None, rho=0.1, test="joint_t"), JointPrior())


def centred(data):
    """Each data set's effects and their covariance, whatever contrasts they are given in."""
    effects = np.einsum("qkl,qk->ql", data["B"], data["y"])
    return effects, np.einsum("qkl,qkm,qmn->qln", data["B"], data["C"], data["B"])


@few
@given(SEED, UNIT)
def test_the_joint_test_poses_the_same_problem(seed, c):
    """Its verdicts under other ropes are read off the same draws: tests/bayesian/joint."""
    x = simulated(seed, n=30)
    one, scaled = problem_of(x), problem_of(c * x)
    assert scaled.scale == pytest.approx(c * one.scale)
    for name, value in one.data.items():
        np.testing.assert_allclose(scaled.data[name], value, rtol=1e-7, atol=1e-9)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(x)), rng.permutation(3)
    ordered = problem_of(x[rows][:, ::-1][..., columns])
    assert ordered.scale == pytest.approx(one.scale)
    (effects, covariance), (other, beside) = centred(one.data), centred(ordered.data)
    np.testing.assert_allclose(other, effects[rows][:, columns], atol=1e-9)
    np.testing.assert_allclose(beside, covariance[rows][:, columns][..., columns], atol=1e-9)
    start, there = (d["Q"][:, :-1] @ d["m_at"] for d in (one.data, ordered.data))
    np.testing.assert_allclose(there, start[columns], atol=1e-9)


@few
@given(SEED, UNIT, st.sampled_from(["iqm", "mean", "median"]))
def test_aggregates(seed, c, measure):
    x = simulated(seed, q=3, n=8, L=2)
    runs = {name: x[..., k].T for k, name in enumerate(("knn", "gbm"))}
    scaled = {name: c * v for name, v in runs.items()}
    turned = {name: runs[name] for name in ("gbm", "knn")}
    aggregate = {"measure": measure, "draws": 400, "seed": 1}
    one = aggregate_runs(runs, **aggregate)
    assert aggregate_runs(scaled, **aggregate).estimate == pytest.approx(c * one.estimate)
    levels = np.array([0.75, 0.8, 0.85])
    profile = performance_profiles(runs, levels, draws=400, seed=1)
    other = performance_profiles(scaled, c * levels, draws=400, seed=1)
    np.testing.assert_array_equal(other.draws, profile.draws)
    for result, again in (
        (one, aggregate_runs(turned, **aggregate)),
        (profile, performance_profiles(turned, levels, draws=400, seed=1)),
    ):
        order = [again.names.index(name) for name in result.names]
        assert again.estimate[order] == pytest.approx(result.estimate)
    better = probability_of_improvement(runs["knn"], runs["gbm"], draws=400, seed=1)
    worse = probability_of_improvement(runs["gbm"][::-1], runs["knn"], draws=400, seed=1)
    assert worse.estimate == pytest.approx(1 - better.estimate)
