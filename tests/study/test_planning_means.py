"""Plans from means: a fitted Student-t, the same rule, and what has none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.scores.rope import Rope
from bayescmp.study.planning.means import Population

Z = [0.012, -0.003, 0.025, 0.03, 0.008, 0.041, -0.011, 0.017, 0.02, 0.001]
QUICK = {"datasets": [0, 5, 20], "simulations": 30, "progress": False}


def signed_rank(z=Z, **options):
    return bc.bayesian.signed_rank(z, rope=0.01, seed=1, **options)


def bootstrap(z=Z):
    return bc.bayesian.bootstrap(np.column_stack([np.zeros(len(z)), z]), rope=0.01, seed=1)


def test_the_fit_is_that_of_a_t_by_brute_force():
    """Mean and sd of δ0 by SciPy's t on a grid over (δ0, σ0), ν fixed at 5."""
    z = np.array(Z)
    draws = Population.fitted(z, Rope(-0.01, 0.01), 20_000, 1)
    here = np.abs(draws.nu - 5) < 1.5

    delta0, sigma0 = np.linspace(-0.02, 0.05, 701), np.linspace(0.002, 0.08, 391)[:, None]
    density = np.exp(stats.t.logpdf(z[:, None, None], 5, delta0, sigma0).sum(axis=0) - 30)
    weight = density.sum(axis=0) / density.sum()
    mean = weight @ delta0
    sd = np.sqrt(weight @ (delta0 - mean) ** 2)
    assert draws.delta0[here].mean() == pytest.approx(mean, abs=0.05 * sd)
    assert draws.delta0[here].std() == pytest.approx(sd, rel=0.06)


def test_simulated_means_come_from_the_t_and_more_keep_the_first():
    n = 4000
    truth = Population(np.full(n, 0.01), np.full(n, 0.02), np.full(n, 6.0))
    few, many = truth.simulated(2, 3), truth.simulated(5, 3)
    np.testing.assert_array_equal(few, many[:, :2])
    assert stats.kstest(many.ravel(), stats.t(6, 0.01, 0.02).cdf).pvalue > 1e-3


@pytest.mark.parametrize("delta0", [-0.05, 0.0, 0.004, 0.05])
def test_the_limit_is_the_likeliest_region_of_the_truth(delta0):
    truth = Population(np.array([delta0]), np.array([0.006]), np.array([8.0]))
    wanted = "first" if delta0 < -0.01 else "second" if delta0 > 0.01 else "equivalent"
    for pairs in (False, True):
        assert truth.likeliest(Rope(-0.01, 0.01), pairs=pairs)[wanted] == 1


def test_a_pair_of_data_sets_varies_less_than_one():
    """At σ0 = 0.02 the rope holds little of one data set, and most of a mean of two."""
    z = stats.norm(0, 0.012)
    assert z.cdf(0.005) - z.cdf(-0.005) < z.sf(0.005)  # one: a side is likelier
    truth = Population(np.array([1e-6]), np.array([0.012]), np.array([1e9]))
    assert truth.likeliest(Rope(-0.005, 0.005), pairs=False)["second"] == 1
    assert truth.likeliest(Rope(-0.005, 0.005), pairs=True)["equivalent"] == 1


@pytest.mark.parametrize("make", [signed_rank, lambda: bc.bayesian.sign(Z, rope=0.01, seed=1)])
def test_each_study_is_decided_by_the_public_test(make):
    posterior = make()
    plan = posterior.plan(**{**QUICK, "simulations": 12})
    truth = Population.fitted(posterior.z, posterior.rope, 12, 1)
    further = truth.simulated(20, 1)
    for k in (5, 20):
        largest = []
        for row in further:
            z = np.append(Z, row[:k])
            test = signed_rank if posterior.kind == "signed_rank" else bc.bayesian.sign
            own = test(z) if test is signed_rank else test(z, rope=0.01, seed=1)
            largest.append(max(own.verdict().probabilities.values()))
        clear = np.abs(np.array(largest) - 0.95) > 0.012
        made = (np.array(largest) >= 0.95)[clear].sum()
        predicted = round(12 * plan.frame.set_index("datasets").loc[k, "decided"])
        assert made <= predicted <= made + (~clear).sum()


def test_today_the_names_and_the_seed():
    posterior = signed_rank(names=("knn", "gbm"))
    plan, again = posterior.plan(**QUICK), posterior.plan(**QUICK, n_jobs=2)
    pd.testing.assert_frame_equal(plan.frame, again.frame)
    assert (plan.names, plan.today) == (("knn", "gbm"), posterior.verdict().decision)
    assert plan.frame.loc[0, plan.today] == 1
    assert not posterior.plan(**QUICK, seed=2).frame.equals(plan.frame)


def test_the_bootstrap_of_a_pair_in_either_order():
    plan = bootstrap().plan("A1", "A2", **QUICK)
    swapped = bootstrap().plan("A2", "A1", **QUICK)
    assert swapped.names == ("A2", "A1")
    assert plan.today == {"first": "second", "second": "first"}.get(swapped.today, swapped.today)
    last, other = plan.frame.iloc[-1], swapped.frame.iloc[-1]
    assert last["second"] == pytest.approx(other["first"], abs=0.35)


def test_the_bootstrap_decides_by_the_counts_alone():
    """Dirichlet(1, ..., 1) weights add up to a Dirichlet of the counts: SciPy's draws."""
    counts = [1, 3, 9]
    z = np.repeat([-0.05, 0.0, 0.05], counts)
    p = bootstrap(z).verdict("A1", "A2").p_right
    draws = stats.dirichlet(counts).rvs(200_000, random_state=1)
    assert p == pytest.approx((draws.argmax(axis=1) == 2).mean(), abs=0.02)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: signed_rank().plan(datasets=[-1]), "datasets"),
        (lambda: signed_rank().plan(simulations=0), "simulations"),
        (lambda: bc.bayesian.sign([0.0, 0.0, 0.0], rope=0).plan(), "all zero"),
        (lambda: bootstrap().plan("A1", "A1"), "both 'A1'"),
        (
            lambda: bc.bayesian.bootstrap(
                np.random.default_rng(1).random((5, 4, 2)), rope=0.01, rho=0
            ).plan("A1", "A2"),
            "hierarchical_t",
        ),
        (
            lambda: bc.bayesian.friedman(np.random.default_rng(1).random((5, 3))).plan("A1", "A2"),
            "bootstrap of the same scores",
        ),
    ],
)
def test_what_can_not_be_planned(ask, message):
    with pytest.raises(bc.InputError, match=message):
        ask()


def test_the_advice_of_the_hierarchical_test_can_be_followed():
    """Means alone: what it recommends takes them, and plans."""
    with pytest.raises(bc.InputError, match=r"bayescmp\.bayesian\.signed_rank"):
        bc.bayesian.hierarchical_t([[z] for z in Z], rho=0.1, rope=0.01)
    assert len(signed_rank().plan(**QUICK).frame) == 3
