"""Plans: today's verdict, the limit, common random numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.planning.truth import Truth

BEFORE = {"delta0": 0.02, "sigma0": 0.01, "rope": 0.01, "rho": 0.1, "datasets": [4, 10],
          "simulations": 12}  # fmt: skip


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
        [0, 0], [4, 0], [20, 0], [0, 20], [4, 20], [20, 20]
    ]  # fmt: skip


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
    [({"datasets": [-1]}, "datasets"), ({"folds": 1}, "folds"), ({"more_folds": -2}, "more_folds"),
     ({"n_jobs": 0}, "n_jobs=0"), ({"simulations": 0}, "simulations")],
)  # fmt: skip
def test_bad_continuations(posterior, change, message):
    with pytest.raises(bc.InputError, match=message):
        posterior.plan(**{"datasets": [1], "simulations": 2, **change})
