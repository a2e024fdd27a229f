"""Plans: today's verdict, the limit, common random numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior, hierarchical_t
from bayescmp.bayesian.hierarchical.problem import pose
from bayescmp.scores.differences import Differences, SufficientStatistics
from bayescmp.scores.rope import Rope
from bayescmp.study.planning.deciding import Truth
from bayescmp.study.planning.more import Continuation, Design, continuations, joined

PRIOR, ROPE = HierarchicalPrior.corani2017(), Rope(-0.01, 0.01)
Q, FOLDS, RHO, SIGMA = 4000, 5, 0.3, 0.02
BOUND = 1.0


@pytest.fixture(scope="module")
def many():
    """A continuation of many data sets whose δ_i and σ_i are known."""
    rng = np.random.default_rng(1)
    delta = rng.normal(0.01, 0.03, Q)
    shared, own = rng.standard_normal((Q, 1)), rng.standard_normal((Q, FOLDS))
    x = delta[:, None] + SIGMA * (np.sqrt(RHO) * shared + np.sqrt(1 - RHO) * own)
    problem = pose(Differences(x, rho=RHO), PRIOR, ROPE)
    return Continuation(problem, PRIOR, BOUND, 0.01, 0.03, 8.0, delta, np.full(Q, SIGMA), [1, 0])


def test_more_folds_are_as_if_all_had_been_drawn_at_once(many):
    """Variances of means and of sums of squares: those of N equicorrelated normals."""
    more = 7
    total = FOLDS + more
    s = many.posed(Design(0, None, more)).statistics
    z = s.mean - many.delta
    assert s.n.tolist() == [total] * Q
    accuracy = 5 * np.sqrt(2 / Q)  # five standard errors of a variance, relative
    assert z.mean() == pytest.approx(0, abs=5 * z.std() / np.sqrt(Q))
    assert z.var() == pytest.approx(SIGMA**2 * (1 + (total - 1) * RHO) / total, rel=accuracy)
    within = s.ss / (SIGMA**2 * (1 - RHO))  # chi-square with N - 1 degrees of freedom
    assert within.mean() == pytest.approx(total - 1, abs=5 * np.sqrt(2 * (total - 1) / Q))
    assert within.var() == pytest.approx(2 * (total - 1), rel=2.5 * accuracy)
    before = many.problem.statistics.mean - many.delta
    covariance = SIGMA**2 * (RHO + (1 - RHO) / total)  # of a part's mean with the whole's
    assert (z * before).mean() == pytest.approx(covariance, rel=2 * accuracy)


def test_new_data_sets_come_from_the_population(many):
    s = many.posed(Design(Q, 6, 0)).statistics
    mean, ss, n = s.mean[Q:], s.ss[Q:], 6
    assert s.n[Q:].tolist() == [n] * Q
    spread = 0.03**2 * 8 / 6 + SIGMA**2 * (1 + (n - 1) * RHO) / n
    assert mean.mean() == pytest.approx(0.01, abs=5 * np.sqrt(spread / Q))
    kurtosis = 10  # of the means: not above that of t_8, 4.5, and some
    assert mean.var() == pytest.approx(spread, rel=5 * np.sqrt(kurtosis / Q))
    assert (ss / (SIGMA**2 * (1 - RHO))).mean() == pytest.approx(
        n - 1, abs=5 * np.sqrt(2 * (n - 1) / Q)
    )


def test_a_larger_design_contains_the_smaller_one(many):
    few, more = (many.posed(Design(k, None, 0)).statistics.mean for k in (5, 9))
    np.testing.assert_array_equal(few, more[: Q + 5])


def test_joined_statistics_are_those_of_all_differences():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(3, 4)), rng.normal(1, 2, size=(3, 6))

    def ss(z):
        return ((z - z.mean(1, keepdims=True)) ** 2).sum(1)

    s = SufficientStatistics(np.full(3, 4), x.mean(1), ss(x), np.full(3, 0.1), np.zeros(3, bool))
    both = np.hstack([x, y])
    result = joined(s, 6, y.mean(1), ss(y))
    np.testing.assert_allclose(result.mean, both.mean(1))
    np.testing.assert_allclose(result.ss, ss(both))


def test_a_continued_problem_is_that_of_all_the_data():
    x = np.random.default_rng(3).normal(0.01, 0.02, (7, 5))
    x[2] = 0.01  # a data set whose differences are all equal
    d = Differences(x, rho=0.2, resolution=0.001)
    seen = pose(Differences(x[:4], rho=0.2, resolution=0.001), PRIOR, ROPE)
    continued = seen.continued(d.statistics(), PRIOR, BOUND)
    whole = pose(d, dataclasses.replace(PRIOR, delta0_bound=BOUND), ROPE)
    for key, value in whole.data.items():
        np.testing.assert_allclose(continued.data[key], value, rtol=1e-12, err_msg=key)


def test_continuations_take_different_draws_of_the_posterior():
    x = np.random.default_rng(4).normal(0.01, 0.02, (4, 5))
    posterior = hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature", seed=1)
    each = continuations(posterior, 50, 7)
    assert len({c.delta0 for c in each}) == 50
    draws = posterior.draws
    at = np.argwhere(draws["delta0"] == each[0].delta0)[0]
    np.testing.assert_array_equal(each[0].sigma, draws["sigma"][tuple(at)])
    assert each[0].bound == posterior.prior_bounds["delta0_bound"]


BEFORE = {
    "delta0": 0.02,
    "sigma0": 0.01,
    "rope": 0.01,
    "rho": 0.1,
    "datasets": [4, 10],
    "simulations": 12,
}


@pytest.fixture(scope="module")
def posterior():
    x = Truth(0.016, 0.01, 10.0, 0.02, 0.1, 10).simulate(6, [5])
    return bc.bayesian.hierarchical_t(x, rope=0.01, engine="quadrature", seed=1)


@pytest.fixture(scope="module")
def plan(posterior):
    return posterior.plan(datasets=[0, 4, 20], more_folds=[0, 20], simulations=12)


def test_no_further_data_leave_todays_verdict(posterior, plan):
    row = plan.frame.set_index(["datasets", "more_folds"]).loc[(0, 0)]
    assert plan.today == posterior.verdict().decision
    assert row[plan.today] == 1
    assert plan.frame[["datasets", "more_folds"]].to_numpy().tolist() == [
        [0, 0],
        [4, 0],
        [20, 0],
        [0, 20],
        [4, 20],
        [20, 20],
    ]


def test_the_limit_is_the_verdict(posterior, plan):
    v = posterior.verdict()
    assert list(plan.limit.values()) == [v.p_left, v.p_rope, v.p_right]


def test_the_same_seed_and_another(posterior):
    once, again, other = (
        posterior.plan(datasets=[2, 5, 9], simulations=9, seed=seed).frame for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(again, once)
    assert not other.equals(once)


@pytest.mark.slow
def test_a_plan_before_any_data_decides_what_users_would():
    """Each simulated study by the public test, at its full resolution; the data are the same."""
    plan = bc.plan(**BEFORE, seed=3)
    truth = Truth(0.02, 0.01, 10.0, 0.02, 0.1, 10)
    for q in (4, 10):
        fits = [
            bc.bayesian.hierarchical_t(
                truth.simulate(q, [3, s]), rope=0.01, engine="quadrature", seed=1
            )
            for s in range(12)
        ]
        largest = np.array([fit.verdict().p_right for fit in fits])
        clear = np.abs(largest - 0.95) > 0.002  # what the coarser grid may be off by
        row = plan.frame.set_index("datasets").loc[q]
        made = (largest > 0.95)[clear].sum()
        assert made <= round(12 * row["second"]) <= made + (~clear).sum()
        assert row["decided"] == pytest.approx(row["second"])
    assert plan.limit == {"first": 0.0, "equivalent": 0.0, "second": 1.0}


def test_several_values_of_the_truth_are_drawn_from():
    plan = bc.plan(**{**BEFORE, "delta0": [-0.06, 0.06], "sigma0": 0.002, "datasets": [8]})
    row = plan.frame.iloc[0]
    assert (row["first"], row["second"]) == (0.5, 0.5)
    assert plan.limit == {"first": 0.5, "equivalent": 0.0, "second": 0.5}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta0": float("nan")}, "delta0=nan; accepted: a finite number"),
        ({"sigma0": 0.0}, "sigma0=0.0; accepted: a positive"),
        ({"delta0": [0, 1], "sigma0": [1, 2, 3]}, "delta0 has 2 values and sigma0 3"),
        ({"datasets": []}, "datasets is empty"),
        ({"datasets": [1]}, "datasets"),
        ({"delta0": "x"}, "delta0 is not an array of numbers"),
        ({"rope": 0}, "noise is missing"),
        ({"noise": -1}, "noise=-1"),
        ({"nu": 0}, "nu=0"),
        ({"simulations": 0}, "simulations"),
        ({"threshold": 0.4}, "threshold=0.4"),
        ({"rho": 1.0}, "rho=1"),
    ],
)
def test_bad_assumptions(change, message):
    with pytest.raises(bc.InputError, match=message):
        bc.plan(**{**BEFORE, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"datasets": [-1]}, "datasets"),
        ({"folds": 1}, "folds"),
        ({"more_folds": -2}, "more_folds"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"simulations": 0}, "simulations"),
    ],
)
def test_bad_continuations(posterior, change, message):
    with pytest.raises(bc.InputError, match=message):
        posterior.plan(**{"datasets": [1], "simulations": 2, **change})
