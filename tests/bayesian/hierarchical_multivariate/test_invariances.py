"""Swap, units, orders and ropes of `hierarchical_multivariate_t`: the problem that is posed, and
what is made of its draws.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior
from bayescmp.bayesian.hierarchical_multivariate.fit import read_rows
from bayescmp.bayesian.hierarchical_multivariate.problem import pose
from tests.bayesian.hierarchical_multivariate.cases import fitted, simulated

few = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
fewer = settings(few, max_examples=4)
SEEDS = st.integers(0, 10_000)


def posed(xs):
    return pose(read_rows(xs, 0.1, None, None, None, None), MultivariatePrior())


def rounded(seed, constant=0):
    """Six data sets of scores in hundredths; on some of them the first metric is constant."""
    return with_constant([np.round(x, 2) for x in simulated(seed=seed)], constant)


def with_constant(xs, constant):
    for x in xs[:constant]:
        x[:, 0] = 0.02
    return xs


def same_data(a, b, rel=1e-9):
    for name, value in a.data.items():
        assert np.asarray(b.data[name]) == pytest.approx(np.asarray(value), rel=rel, abs=1e-12)


@few
@given(SEEDS, st.integers(0, 3))
def test_swapped_algorithms_pose_the_same_problem_mirrored(seed, constant):
    xs = rounded(seed, constant)
    one, other = posed(xs), posed([-x for x in xs])
    same_data(one, other)
    assert one.sign == -other.sign


@few
@example(8943, 0)  # two means that differ by rounding alone
@example(136, 3)  # two that differ in the sign of one metric
@given(SEEDS, st.integers(0, 3))
def test_the_order_of_data_sets_and_folds_poses_the_same_problem(seed, constant):
    xs = rounded(seed, constant)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(xs))
    moved = posed([rng.permutation(xs[i]) for i in order])
    one = posed(xs)
    same_data(one, moved)
    np.testing.assert_allclose(moved.means, one.means[order], atol=1e-15)


@few
@given(SEEDS, st.sampled_from([1e-4, 100.0]), st.sampled_from([1e-4, 100.0]), st.integers(0, 3))
def test_units_pose_the_same_problem(seed, first, second, constant):
    units = np.array([first, second])
    xs = with_constant(simulated(seed=seed), constant)  # no two means alike: their order is told
    one, other = posed(xs), posed([x * units for x in xs])
    same_data(one, other, rel=1e-6)
    np.testing.assert_allclose(other.unit, one.unit * units, rtol=1e-9)


@fewer
@given(SEEDS, st.sampled_from([0.005, 0.03, [(-0.01, 0.02)] * 2]), st.integers(0, 3))
def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it(fake, seed, rope, constant):
    """With the same draws: the rope is no part of the problem, not even of constant rows."""
    xs = rounded(seed, constant)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # it may hang on the resolution
        own, other = fitted(xs, rope=0.01, draws=100), fitted(xs, rope=rope, draws=100)
    asked, wanted = own.verdict(rope), other.verdict()
    assert asked.probabilities == pytest.approx(wanted.probabilities, abs=1e-12)
    assert asked.errors == pytest.approx(wanted.errors, abs=1e-12)


@fewer
@given(SEEDS)
def test_swapped_algorithms_swap_the_verdict(fake, seed):
    """The fake draws about what it is given, so that mirrored data have mirrored draws."""
    xs = rounded(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        a, b = (fitted(v, draws=200).verdict() for v in (xs, [-x for x in xs]))
    p, q = a.probabilities, b.probabilities
    error = max(*a.errors.values(), *b.errors.values(), 1e-3)
    assert p["first"] == pytest.approx(q["second"], abs=5 * error)
    assert p["second"] == pytest.approx(q["first"], abs=5 * error)
    assert p["trade_off"] == pytest.approx(q["trade_off"], abs=5 * error)
